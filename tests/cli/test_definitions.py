"""Texts that are handed in: what their lines define, give a value, or say of each other."""

import pytest

import visviva as vv
from tests.cli.asking import ask
from tests.cli.test_texts import ARM, M12, claims_in, statuses, written
from visviva.errors import ArgumentError, ParseError, UnusedNameError
from visviva.judge.check.context import Judge
from visviva.judge.check.files import verdicts
from visviva.judge.check.gather import gathered

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


@pytest.mark.parametrize(
    ("claim", "options", "kind", "told"),
    [
        ("M22 = I2 + h + zoo", {}, ArgumentError, "^unknown name 'zoo'"),
        ("M22 = I2 + h +", {}, ParseError, "^expected"),
        ("M22 = I2 + h", {"symbols": {"zoo": "m1"}}, UnusedNameError, "^symbols= names zoo"),
    ],
)
def test_an_error_that_no_definition_brought_about_stays_what_it_is(
    tmp_path, claim, options, kind, told
):
    claims = claims_in(tmp_path, "txt", f"h = m2 r2^2\n{claim}\n")
    with pytest.raises(kind, match=told) as refused:
        Judge(ARM, options, several=False).verdict(claims["line 2"])
    assert refused.type is kind
