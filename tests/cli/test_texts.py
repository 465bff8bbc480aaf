"""Answers as text, Markdown, LaTeX and notebooks: where a claim begins and ends."""

import json

import pytest

import visviva as vv
from tests.cli.asking import ask
from visviva.errors import ClaimFileError
from visviva.judge.check.files import load_claims, verdicts
from visviva.judge.check.macros import readable

ARM = vv.catalog.two_link()
M22 = "I2 + m2 r2^2"
M12 = "I2 + m2 r2^2 + m2 L1 r2 cos(q2)"


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def claims_in(folder, kind, text):
    return load_claims(written(folder / f"a.{kind}", text)).claims


def statuses(folder, kind, text):
    claims = claims_in(folder, kind, text)
    return {label: x.status for label, x in verdicts(ARM, claims, {}).items()}


# ---- LaTeX


def test_equations_within_lines_are_claims_too(tmp_path):
    text = (
        "It is 3\\,\\$. First, $M_{22} = I_2$ and \\(M_{12} = I_2\\), $V = 0$; of $q_1$, "
        "$i = 1, 2$ and $\\sum_{i=1}^2 m_i$ % $l = 1$\n"
        "\\[ g_2 = m_2 g r_2 \\cos(q_1+q_2). \\]\n\\[ I_2 \\]\n"
    )
    assert claims_in(tmp_path, "tex", text) == {
        "line 1": "M_{22} = I_2",
        "line 1, formula 2": "M_{12} = I_2",
        "line 1, formula 3": "V = 0",
        "line 2": r"g_2 = m_2 g r_2 \cos(q_1+q_2)",
        "line 3": "I_2",  # what is displayed has a row, be it an equation or not
    }
    answer = ask("check", "two_link", "--file", tmp_path / "a.tex")
    assert answer.code == 1
    assert answer.out.splitlines()[-1] == "1 of 5 claims are identical"


@pytest.mark.parametrize(
    "blank", [r"\phantom{=}", r"\hphantom{{}={}}", r"\vphantom{M}", r"\hspace{1cm}", "{}"]
)
def test_rows_that_go_on(tmp_path, blank):
    rows = (
        rf"M_{{22}} &= I_2 \\ & {blank} + m_2 r_2^2 \\[2mm] g_2 &= m_2 a_g r_2 \\ &\quad "
        r"{} \cdot \cos(q_1 + q_2)"
    )
    found = statuses(tmp_path, "tex", rf"\begin{{align*}} {rows} \end{{align*}}")
    assert found == {"line 1": "identical", "line 1, row 2": "identical"}


def test_a_left_side_in_two_rows(tmp_path):
    text = (
        "\\begin{align}\n\\tau_2 - m_2 L_1 r_2 \\sin(q_2) \\dot q_1^2 & \\\\\n"
        "- m_2 a_g r_2 \\cos(q_1+q_2) &= (I_2 + m_2 r_2^2) \\ddot q_2 \\\\\n"
        " & + (I_2 + m_2 (r_2^2 + L_1 r_2 \\cos q_2)) \\ddot q_1 \\\\\n"
        "-\\tau_1 &= 0\n\\end{align}"
    )
    assert statuses(tmp_path, "tex", text) == {"line 1": "identical", "line 1, row 2": "differs"}


def test_two_formulas_in_a_row(tmp_path):
    text = (
        r"\begin{align} M_{22} &= I_2 + m_2 r_2^2 & g_2 &= m_2 a_g r_2 \cos(q_1 + q_2) \end{align}"
        r"\begin{eqnarray} M_{22} &=& I_2 \\ && {} + m_2 r_2^2 \end{eqnarray}"
    )
    assert statuses(tmp_path, "tex", text) == {
        "line 1": "identical",
        "line 1, formula 2": "identical",
        "line 1, formula 3": "identical",
    }


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (r"\[\begin{aligned} A &= 1 \\ B &= 2 \\ &+ 3 \end{aligned}\]", ["A = 1", "B = 2 + 3"]),
        (r"\[\begin{cases} A = 1 \\ B = 2 \end{cases}.\]", ["A = 1", "B = 2"]),
        (r"$$\left\{\begin{array}{l} A = 1, \\ B = 2 \end{array}\right.$$", ["A = 1", "B = 2"]),
        (r"\begin{IEEEeqnarray}{rCl} A &=& 1 \IEEEyesnumber \\ B &=& 2 \end{IEEEeqnarray}", 0),
        (
            r"\begin{dmath} A = 1 \end{dmath} and \ensuremath{B = \frac{4}{2}}",
            ["A = 1", r"B = \frac{4}{2}"],
        ),
        (
            "$A = 1$\n\\begin{foo}[x=1]\nB = 2 \\includegraphics[width=1cm]{x}\n\\end{foo}",
            ["A = 1", "?"],
        ),
        ("\\iffalse $C = 1$ \\ifx a \\fi $D = 1$ \\else $A = 1$ \\fi $p \\iff q$ $B = 2$", 0),
        ("\\begin{comment}\n$C = 1$\n\\end{comment}\n$A = 1$ $B = 2$ \\end{document} $D = 1$", 0),
        ("\\begin{verbatim}\n$C = 1$\n\\end{verbatim}$A = 1$\\verb+$D = 1$+ $B = 2$", 0),
        ("\\begin{align}\nA &= 1 \\\\% $C = 1$\nB &= 2\n\\end{align}", 0),
    ],
)
def test_what_a_paper_shows(tmp_path, text, claims):
    """Each formula by itself; what is not printed is no claim, what is not read has a row."""
    found = [x if isinstance(x, str) else "?" for x in claims_in(tmp_path, "tex", text).values()]
    assert found == (claims or ["A = 1", "B = 2"])


def test_commands_that_a_text_defines(tmp_path):
    text = (
        "\\newcommand{\\qd}[1]{\\dot q_{#1}}\n\\newcommand\\h{m_2 L_1 r_2 \\s q_2}\n"
        "\\newcommand*{\\s}{\\sin}\\def\\two#1{2 #1}\n"
        "\\[ C_{11} = -\\h \\qd2, \\quad C_{12} = -\\h (\\qd1 + \\qd{2}) \\]"
    )
    assert statuses(tmp_path, "tex", text) == {"line 4": "identical"}
    assert readable(r"\renewcommand{\dot}{\dot} \dot q") == r" \dot q"
    assert readable("\\newcommand{\\a}{\\b}\\newcommand{\\b}{\\a}\\a x").endswith(" x")
    assert readable(r"\newcommand{\D}[2][t]{\frac{d#2}{d#1}}\D x, \D[s]{y}") == (
        r"\frac{dx}{dt}, \frac{dy}{ds}"
    )
    assert readable(r"\DeclareMathOperator{\tr}{tr} \tr M \trace") == r" \operatorname{tr} M \trace"


# ---- lines


@pytest.mark.parametrize("kind", ["txt", "md"])
@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("M12 = I2 + m2 r2^2\n  + m2 L1 r2 cos(q2)\nM22 = I2", [f"M12 = {M12}", "M22 = I2"]),
        ("M12\n = I2 +\n m2 r2^2\n\n+ 1\n\n= 3", ["M12 = I2 + m2 r2^2 + 1 = 3"]),
        ("M12 = 0\n\nM22 = I2\n\n\n+ 1\n# - 1\n", ["M12 = 0", "M22 = I2 + 1"]),
        ("M = [I1, 0\n  0, I2]\n", ["M = [I1, 0; 0, I2]"]),
        ("M = [[I1, 0],\n [0, (I2\n + 1)]]\n", ["M = [[I1, 0], [0, (I2 + 1)]]"]),
        ("M22 = (I2\nM12 = 0\n", ["M22 = (I2", "M12 = 0"]),
        ("Ada: M22 = I2 +\nBen: M22 = 0", ["M22 = I2 +", "M22 = 0"]),
        ("$$\nM_{22}\n= I_2\n$$", ["M_{22} = I_2"]),
        ("Ada: \\[\nM_{22} = I_2\n\\]\nBen: g2 = 0", ["M_{22} = I_2", "g2 = 0"]),
        ("\\begin{align}\na &= b \\\\\n&+ c \\\\\nd &= e\n\\end{align}\n", ["a = b + c", "d = e"]),
        (
            "M = \\begin{bmatrix} 1 & 0 \\\\\n 0 & 1 \\end{bmatrix}",
            ["M = \\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\end{bmatrix}"],
        ),
        ("So $M_{22} = I_2$ and $q_1$, $M_{12} = 0$.", ["M_{22} = I_2", "M_{12} = 0"]),
        ("- M22 = I2\n- M12 = 0\n", ["M22 = I2", "M12 = 0"]),
        ("* M22 = I2\n* M12 = 0\n", ["M22 = I2", "M12 = 0"]),
        ("1. M22 = I2\n2. M12 = 0\n", ["M22 = I2", "M12 = 0"]),
        ("m x''\n - k x = F\n", ["m x'' - k x = F"]),
        ("- [x] M22 = I2\n* [ ] M12 = 0\n", ["M22 = I2", "M12 = 0"]),
        ("3) (m) x''\n   - k x = F\n", ["(m) x'' - k x = F"]),
        ("1) V = k x\n2) (m) x''\n- k x = F\n", ["V = k x", "(m) x'' - k x = F"]),
        ("1. V = k x\n2. m x''\n- k x = F\n3. a = b", ["V = k x", "m x'' - k x = F", "a = b"]),
    ],
)
def test_where_a_claim_ends(tmp_path, kind, text, claims):
    assert [*claims_in(tmp_path, kind, text).values()] == claims


def test_a_bullet_is_no_sign(tmp_path):
    """Of a name alone in plain text it may be either, and is refused."""
    assert statuses(tmp_path, "md", "- M22 = I2 + m2 r2^2\n") == {"line 1": "identical"}
    assert statuses(tmp_path, "txt", "- M22 = I2 + m2 r2^2\n") == {"line 1": "unreadable"}
    assert [*claims_in(tmp_path, "txt", "- k x = m x''\n").values()] == ["- k x = m x''"]


def test_tables_quotes_and_remarks_of_markdown(tmp_path):
    text = (
        "> $M_{22} = I_2$ as\n> $$\n> M_{12} = 0\n> $$\n<!-- V = 0\nV = 1 -->\n\n"
        "| no | formula, `T` |\n|---|:--:|\n| 1 | $G_1 = 0$ |\n| 2 | words |\n| M11 | $I_1$ |\n"
    )
    found = claims_in(tmp_path, "md", text)
    assert [*found] == ["line 1", "line 2", "line 10", "line 12"]
    assert [*map(str, found.values())] == ["M_{22} = I_2", "M_{12} = 0", "G_1 = 0", "M11 | $I_1$"]
    assert "write M22 = ... in a cell" in found["line 12"].why


def test_words_of_markdown_are_no_claims(tmp_path):
    text = "# Exercise\nMy solution follows here:\n---\n```\nM22 = I2\n```\nas `M12 = 0` says.\n"
    assert claims_in(tmp_path, "md", text) == {"line 5": "M22 = I2", "line 7": "M12 = 0"}
    assert claims_in(tmp_path, "md", "M is symmetric\n") == {"line 1": "M is symmetric"}


@pytest.mark.parametrize(
    "fence", ["```python", "~~~ julia", "   ```{code-cell} python", "```{.py}"]
)
def test_code_in_markdown_is_not_read(tmp_path, fence):
    end = fence.strip()[:3]
    text = (
        f"{fence}\n\nM22 = I2\n{end}\nM22 = {M22}\n```math\nM_{{22}} = I_2\n```\n{fence}\n{end}\n"
    )
    found = verdicts(ARM, claims_in(tmp_path, "md", text), {})
    assert {k: x.status for k, x in found.items()} == {
        "line 1": "unreadable",
        "line 5": "identical",
        "line 7": "differs",
    }
    assert found["line 1"].notes[0].startswith("code is not read: write what it claims as text")
    assert [*statuses(tmp_path, "md", f"```\nM22 = {M22}\n```\n").values()] == ["identical"]
    assert [*statuses(tmp_path, "md", f"`````txt\nM22 = {M22}\n").values()] == ["identical"]


# ---- notebooks


def notebook(*cells):
    made = [{"cell_type": kind, "source": source} for kind, source in cells]
    return json.dumps({"cells": made, "nbformat": 4})


def test_a_notebook(tmp_path):
    text = notebook(
        ("markdown", ["# Title\n", "Some words, with $h = m_2 r_2^2$"]),
        ("code", "import os\nM22 = I2"),
        ("code", " "),
        ("markdown", "$$ M_{22} = I_2 + h $$\nMass: $M_{22} = I_2$"),
        ("raw", "M22 = I2 + m2 r2^2"),
    )
    assert statuses(tmp_path, "ipynb", text) == {
        "cell 1, line 2": "definition",
        "cell 4, line 1": "identical",
        "Mass": "differs",
        "cell 5, line 1": "identical",
        "code in cell 2": "unreadable",
    }
    told = ask("check", "two_link", "--file", tmp_path / "a.ipynb").out
    assert "code is not read: write what it claims into a cell of text" in told


@pytest.mark.parametrize("text", ["", "[]", "3", '{"cells": 3}', '{"cells": [3]}', notebook()])
def test_notebooks_that_cannot_be_read(tmp_path, text):
    with pytest.raises(ClaimFileError, match=r"expected (a notebook|claims in cells)"):
        claims_in(tmp_path, "ipynb", text)


def test_signs_of_order_are_no_quotes(tmp_path):
    """M22 >= ... is no claim that M22 is that."""
    for text in (
        "M22 >= I2 + m2 r2^2\n",
        "$M_{22} >= I_2 + m_2 r_2^2$\n",
        "M22\n>= I2 + m2 r2^2\n",
    ):
        assert "identical" not in statuses(tmp_path, "md", text).values(), text
    assert [*statuses(tmp_path, "md", "> > M22 = I2 + m2 r2^2\n").values()] == ["identical"]


def test_switches_of_a_paper(tmp_path):
    """Branches in branches, commands that only look like switches, and ones without an end."""
    right, wrong = "$M_{22} = I_2 + m_2 r_2^2$", "$M_{12} = 0$"
    deep = "\\iftrue " * 1500 + right + "\\fi " * 1500
    assert [*statuses(tmp_path, "tex", deep).values()] == ["identical"]
    hidden = f"\\iffalse {wrong} \\ifthenelse{{a}}{{b}}{{c}} % \\fi\n {wrong} \\fi {right}"
    assert [*statuses(tmp_path, "tex", hidden).values()] == ["identical"]
    with pytest.raises(vv.errors.VisvivaError, match="has no end"):
        statuses(tmp_path, "tex", f"{right} \\iffalse {wrong}")


def test_long_lines_are_read_in_good_time(tmp_path):
    long = "word " * 20_000 + " " * 100_000
    assert [*statuses(tmp_path, "tex", f"$M_{{22}} = I_2 + m_2 r_2^2$ {long}\n").values()]
    assert [*statuses(tmp_path, "md", f"M22 = I2 + m2 r2^2\n\n{' ' * 100_000}| a\n").values()]


def test_no_force_is_an_answer_only_as_a_whole_equation(tmp_path):
    found = statuses(tmp_path, "txt", "M22 = I2 + m2 r2^2\ntau2 = 0\n")
    assert [*found.values()] == ["identical", "unreadable"]
