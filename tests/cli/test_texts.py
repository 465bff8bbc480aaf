"""Answers as text, Markdown, LaTeX and notebooks: where a claim ends, and what defines it."""

import json

import pytest

import visviva as vv
from tests.cli.asking import ask
from visviva.errors import ArgumentError, ClaimFileError
from visviva.judge.check.files import load_claims, verdicts
from visviva.judge.check.gather import gathered
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


# ---- definitions

COILED = (
    r"C = \begin{bmatrix} -h \dot q_2 & -h (\dot q_1 + \dot q_2) \\ h \dot q_1 & 0 \end{bmatrix}"
)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("txt", "h = m2 L1 r2 sin(q2)\nC = [-h q2', -h (q1' + q2'); h q1', 0]\n"),
        ("tex", rf"Let $h = m_2 L_1 r_2 \sin q_2$. Then \[ {COILED} \]"),
        ("tex", rf"\[ {COILED} \] where $h = \beta \sin q_2$ and $\beta = m_2 L_1 r_2$."),
        ("md", f"Let us say $h = m_2 L_1 r_2 \\sin q_2$:\n$$\n{COILED}\n$$\n"),
    ],
)
def test_definitions_are_put_into_claims(tmp_path, kind, text):
    claims = claims_in(tmp_path, kind, text)
    found = [*verdicts(ARM, claims, {}).values()]
    defined = [x for x in found if x.status == "definition"]
    judged = [x for x in found if x.status == "identical"]
    assert (len(defined), len(judged)) == (len(found) - 1, 1)
    assert all(x.notes[0].startswith("put into line ") for x in defined)
    assert any(
        x.startswith("with h = ") and x.endswith("as the text says") for x in judged[0].notes
    )
    answer = ask("check", "two_link", "--file", tmp_path / f"a.{kind}")
    assert answer.code == 0
    assert answer.out.splitlines()[-1].startswith("1 of 1 claims are identical; ")


@pytest.mark.parametrize("kind", ["txt", "md", "tex"])
def test_squares_are_definitions_too(tmp_path, kind):
    said = ["v^2 = L1^2 + m2", "M22 = I2 + m2 r2^2 + v^2 - L1^2 - m2", "M22 = v^2"]
    text = "\n".join(rf"\[ {x} \]" if kind == "tex" else x for x in said)
    assert [*statuses(tmp_path, kind, text).values()] == ["definition", "identical", "differs"]


def test_the_last_definition_before_a_claim_counts(tmp_path):
    text = "h = m2 r2^2\nM22 = I2 + h\nh = m2 L1 r2 cos(q2)\nM12 = I2 + m2 r2^2 + h\nM22 = I2 + h\n"
    found = statuses(tmp_path, "txt", text)
    assert [*found.values()] == ["definition", "identical", "definition", "identical", "differs"]


SPECIAL = [
    r"Let $s_2=\sin q_2$. At $s_2=0$ the arm is stretched. In general",
    "",
    r"$$ C_{21} = m_2 L_1 r_2 s_2 \dot q_1 $$",
]


@pytest.mark.parametrize("kind", ["md", "tex"])
@pytest.mark.parametrize("first", ["Let", "At $s_2=1$ it is bent, where"])
def test_a_special_value_is_no_definition(tmp_path, kind, first):
    """What is said in passing of a name that the text defines; its wrong use differs all the same.

    A number for a quantity is a claim.
    """
    text = "\n".join(SPECIAL).replace("Let", first)
    found = [*statuses(tmp_path, kind, text).values()]
    assert found == ["definition"] * (len(found) - 1) + ["identical"]
    wrong = text.replace("C_{21} =", "C_{21} = 2")
    judged = [*verdicts(ARM, claims_in(tmp_path, kind, wrong), {}).values()][-1]
    assert judged.status == "differs"
    assert r"with s_2=\sin q_2, as the text says" in judged.notes
    assert any(x.startswith("s_2=0, as the text says before it, is not put") for x in judged.notes)
    numbers = f"$M_{{12}} = 0$ and $M_{{12}} = {M12}$, $g_2 = m_2$ and $g_2 = 0$".replace(
        "(q2)", "q2"
    )
    assert [*statuses(tmp_path, kind, numbers).values()] == [
        *("differs", "identical", "differs", "differs")
    ]


def test_two_definitions_are_both_told(tmp_path):
    text = "h = m2 r2^2\nh = m2 L1 r2 cos(q2)\nM12 = I2 + m2 r2^2 + h\n"
    found = verdicts(ARM, claims_in(tmp_path, "txt", text), {})
    assert found["line 3"].is_identical
    told = "with h = m2 L1 r2 cos(q2), as the text says; it says h = m2 r2^2 too"
    assert told in found["line 3"].notes


@pytest.mark.parametrize(
    ("text", "statuses_of"),
    [
        ("2 M22 = 2 I2 + 2 m2 r2^2\nM22 = I2 + m2 r2^2\n", ["identical", "identical"]),
        ("2 M22 = I2\nM22 = I2 + m2 r2^2\n", ["differs", "identical"]),
        ("2 M12 = 2 I2\nM12 = I2\n", ["unreadable", "differs"]),  # of what is M12 there?
        ("So M22 = I2 + m2 r2^2\nM22 = I2 (final answer)\n", ["identical", "unreadable"]),
        ("M22 = I2 + h\nh = m2 r2^2 (final answer)\n", ["unreadable", "unreadable"]),
    ],
)
def test_a_line_is_not_spoilt_by_another(tmp_path, text, statuses_of):
    found = verdicts(ARM, claims_in(tmp_path, "txt", text), {})
    assert [x.status for x in found.values()] == statuses_of
    if "+ h" in text:  # whose words they are is told
        assert found["line 1"].notes[0].startswith("with h = m2 r2^2 (final answer), as the text")


def test_what_the_system_has_is_no_definition(tmp_path):
    """Quantities are judged where they stand, values of parameters are put in."""
    text = "T = q1'^2\nV = 0\nL = T - V\nr2 = L2/2\nM22 = I2 + m2 L2^2/4\nh = 3\n"
    found = statuses(tmp_path, "txt", text)
    kinds = ["differs", "differs", "identical", "definition", "identical", "unreadable"]
    assert [*found.values()] == kinds


def test_values_hold_for_the_claims_after_them_that_need_them(tmp_path):
    stretched = "M12 = I2 + m2 r2^2 + m2 L1 r2"
    text = f"{stretched}\nq_2 = 0\n{stretched}\nM22 = I2 + m2 r2^2\nM22 = I2\nm1 = 0\n"
    found = [*verdicts(ARM, claims_in(tmp_path, "txt", text), {}).values()]
    kinds = ["differs", "definition", "identical if", "identical", "differs", "definition"]
    assert [x.status for x in found] == kinds
    assert "with q_2 = 0, as the text says" in found[2].notes
    assert "nor does it hold with q_2 = 0, as the text says" in found[4].notes
    assert found[5].notes == ("a value: no claim after it needs it",)
    answer = ask("check", "two_link", "--file", written(tmp_path / "a.txt", "q2 = 0\nq1 = 0\n"))
    assert (answer.code, "write it before a claim, q2 = 0; V = ..." in answer.out) == (1, True)


def test_a_relation_beside_formulas_for_what_it_relates(tmp_path):
    mass = vv.Lagrangian("x", "m x'^2/2", "k x^2/2", parameters={"m": 1, "k": 4})
    for kinetic, related in (("m x'^2/2", False), ("m x'^2", True)):
        claims = claims_in(tmp_path, "txt", f"T = {kinetic}\nV = k x^2/2\nL = T - V\n")
        assert [*verdicts(mass, claims, {}).values()][2].relates is related
        block = mass.check(f"K = {kinetic}; U = k x^2/2; L = T - V")
        assert block.relates is related
    assert mass.check("U = k x^2/2; L = T - V").relates


@pytest.mark.parametrize(
    "text",
    [
        "l2 = r2\nM22 = I2 + m2 l2^2\n",
        "M22 = I2 + m2 l2^2\nM12 = I2 + m2 (l2^2 + a1 l2 cos(theta2))\n",
    ],
)
def test_what_is_unclear_in_a_line_is_unclear_in_all(tmp_path, text):
    """A name that one line defines, or leaves open, is not guessed in another."""
    assert [*statuses(tmp_path, "txt", text).values()] == ["unreadable"] * 2
    with pytest.raises(ArgumentError, match=r"l2 .*may be"):
        ARM.check(text.replace("\n", "; ").strip("; "))


def test_a_diagnosis_that_the_text_contradicts(tmp_path):
    """q2 is measured from its own zero, as the line before has it."""
    text = "M12 = I2 + m2 r2^2 + m2 L1 r2 cos(q2)\nM21 = I2 + m2 r2^2 + m2 L1 r2 sin(q2)\n"
    found = [*verdicts(ARM, claims_in(tmp_path, "txt", text), {}).values()]
    assert [x.status for x in found] == ["identical", "differs"]
    assert not any("another place" in x.sentence for x in found[1].diagnosis)


def test_nobody_uses_what_another_defines(tmp_path):
    text = "Ada: h = m2 r2^2\nAda: M22 = I2 + h\nBen: M22 = I2 + h\n"
    assert statuses(tmp_path, "txt", text) == {
        "Ada": "definition",
        "Ada, line 2": "identical",
        "Ben": "unreadable",
    }
    folder = tmp_path / "answers"
    folder.mkdir()
    written(folder / "ada.txt", "h = m2 r2^2\nM22 = I2 + h\n")
    written(folder / "ben.txt", "M22 = I2 + h\n")
    found = verdicts(ARM, gathered([folder]).claims, {})
    assert [x.status for x in found.values()] == ["definition", "identical", "unreadable"]
    assert found["ada: line 1"].notes == ("put into ada: line 2",)


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
