"""Proofs: what they say, what they are checked by, and their documents."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import sympy

import visviva as vv
from tools import proofs_page
from visviva.errors import ArgumentError, DerivationError, UnknownNameError
from visviva.judge.proofs.formula import integral, matrix_of, number, sign
from visviva.judge.proofs.paper import Paper
from visviva.notation.writing.sentence import sentence
from visviva.space.euler import CONVENTIONS

NAMES = vv.proof.names()
SEQUENCES = (*CONVENTIONS[::3], "Z1X3Z2")


def test_there_are_those_that_are_asked_for():
    assert NAMES == [
        "parallel-axes",
        "spatial-inertia",
        "moment-of-force",
        "koenig",
        "euler-rates",
        "coriolis-matrix",
    ]
    with pytest.raises(UnknownNameError, match="'skew': did you mean 'coriolis-matrix'"):
        vv.proof("skew")
    with pytest.raises(UnknownNameError, match=r"unknown proof 'steiner'.*'parallel-axes'"):
        vv.proof("steiner")


@pytest.mark.parametrize("name", NAMES)
def test_a_proof_begins_with_a_statement_and_ends_with_conditions(name):
    made = vv.proof(name)
    assert made.steps[0].title == "Statement"
    assert made.steps[-1].title == "Which was to be proved"
    assert made.statement == made.steps[0].sentence
    assert len(made.conditions) > 40
    assert made.exact
    assert made.checks > 5
    assert made.summary in str(made)
    assert made.summary.endswith("exact checks, all passed.")
    assert all(step.sentence.endswith(".") for step in made)


@pytest.mark.parametrize("name", NAMES)
def test_documents(name):
    made = vv.proof(name)
    page, text = made.html(), made.latex()
    assert "<script" not in page
    assert page.count('<mtable class="rows"') == len(made.equations)
    for part in page.split("<math ")[1:]:
        ET.fromstring("<math " + part.split("</math>")[0] + "</math>")
    assert text.startswith(r"\documentclass")
    assert text.count(r"\[") == len(made.equations)
    assert {c for c in text if ord(c) > 127} <= {"ö"}  # all others are commands that LaTeX has
    assert made.markdown().startswith("# ")
    assert made.notebook()["nbformat"] == 4
    assert made._repr_html_() in page


@pytest.mark.parametrize("name", NAMES)
def test_formulas_in_sentences_are_set_as_mathematics(name):
    text = vv.proof(name).latex()
    assert r"\_" not in text
    assert "$$" not in text
    assert not re.search(r"\\(int|times|cdot|partial)  ", text)


def test_integrals_and_symbols_in_latex():
    text = vv.proof("parallel-axes").latex()
    assert r"m = \int 1\,\mathrm{d}m" in text
    assert r"where $I_{xy} = -\int x y\,\mathrm{d}m$ and added" in text
    assert r"centre of mass $C$ at $(x_{C}, y_{C}, z_{C})$, seen from $A$." in text
    assert r"$I_{zz}$ by $m (x_{C}^{2} + y_{C}^{2})$." in text
    text = vv.proof("euler-rates").latex()
    assert r"$\dot{R} R^{T} + R \dot{R}^{T} = 0$: $\dot{R} R^{T}$ is skew" in text
    text = vv.proof("coriolis-matrix").latex()
    assert r"its slopes $\partial M_{ij}/\partial q_{k}$ have" in text
    assert r"$\dot{M} - 2C$ is skew" in text
    assert "Two frames $a$ and $b$ are" in vv.proof("spatial-inertia").latex()


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("e.g. x, i.e. ur5b", "e.g. $x$, i.e. ur5b"),
        ("a wall, 5\u00a0m away; 3D (a or s)", "a wall, 5 m away; 3D (a or $s$)"),
        ("I don't, with q 3 times", "I don't, with $q$ 3 times"),
        ("joint_one <b> & x = y,", r"joint\_one \textless{}$b$\textgreater{} \& $x = y$,"),
        ("$x^2$", r"\$$x$\textasciicircum{}2\$"),
        ("A point A", "A point $A$"),
    ],
)
def test_words_stay_words(words, written):
    assert sentence(words) == written


def test_parallel_axes_in_both_conventions():
    made = vv.proof("parallel-axes")
    lines = [str(e) for e in made.equations]
    assert "ᴬI_xy = ᶜI_xy - m x_C y_C" in lines
    assert "ᴬJ_xy = ᶜJ_xy + m x_C y_C" in lines
    assert "ᴬI_zz = ᶜI_zz + m (x_C² + y_C²)" in lines
    x, y, m, mxy = sympy.symbols("x_C y_C m mxy")
    assert sympy.expand(made["ᴬI_xy"] - (-mxy - m * x * y)) == 0
    assert made["I_A"].is_symmetric()


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_rates_of_angles_are_those_of_the_package(sequence):
    """In body axes and in those of the room, about axes that move or stay."""
    made = vv.proof("euler-rates", convention=sequence)
    q = np.array([0.4, 0.7, -1.1])
    at = dict(zip(sympy.symbols("q1 q2 q3"), q, strict=True))
    B, B_b = (np.array(made[x].subs(at), dtype=float) for x in ("B", "B_b"))
    own = vv.space.euler_rates_matrix(q, sequence)
    np.testing.assert_allclose(B_b, own, atol=1e-14)
    np.testing.assert_allclose(B, vv.space.euler_matrix(q, sequence) @ own, atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(B), float(made["det(B)"].subs(at)), atol=1e-14)
    assert ("About fixed axes" in str(made)) is sequence.islower()


def test_the_convention_of_the_book():
    """z, x, z: det B = ∓sin of the angle in the middle."""
    made = vv.proof("euler-rates")
    assert made["c₁"] == sympy.cos(sympy.Symbol("q1"))
    assert made["det(B)"] == -sympy.sin(sympy.Symbol("q2"))
    assert vv.proof("euler-rates", convention="ZYX")["det(B)"] == -sympy.cos(sympy.Symbol("q2"))
    with pytest.raises(UnknownNameError, match="unknown Euler angle convention 'ZZX'"):
        vv.proof("euler-rates", convention="ZZX")


def test_options_that_a_proof_does_not_take():
    with pytest.raises(ArgumentError, match="'koenig' takes no option, got convention="):
        vv.proof("koenig", convention="ZYX")
    with pytest.raises(ArgumentError, match="'coriolis-matrix' takes n=, got m="):
        vv.proof("coriolis-matrix", m=3)
    with pytest.raises(ArgumentError, match="number of coordinates, at least 1, got 0"):
        vv.proof("coriolis-matrix", n=0)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_coriolis_matrix_for_other_numbers_of_coordinates(n):
    assert vv.proof("coriolis-matrix", n=n).checks == vv.proof("coriolis-matrix", n=2).checks


def test_what_the_paper_does_not_write():
    p = Paper(["a"], body=True)
    a, r = p.call(sign("a"), p.ring["a"]), p.column(sign("r"), "x y z")
    p.step("One", "Two.")
    with pytest.raises(DerivationError, match=r"a = 2 a, read from the page, differs"):
        p.line(a, number(2) * a)
    with pytest.raises(DerivationError, match="b is not defined"):
        p.line(a, sign("b"))
    with pytest.raises(DerivationError, match=r"a sum of shapes \(\) and \(3, 1\)"):
        p.line(a, a + r)
    with pytest.raises(DerivationError, match=r"a product of shapes \(3, 1\) and \(3, 1\)"):
        p.line(r, r * r)
    with pytest.raises(DerivationError, match="a moment of degree 4 has no name"):
        p.line(a, integral(r.dot(r) ** 2))
    with pytest.raises(DerivationError, match="first moments are three"):
        p.suppose(integral(a), a)
    with pytest.raises(DerivationError, match="has shape"):
        p.line(a, matrix_of(r))
    E = p.unit(sign("E"))
    for product in (E.dot(E), E.cross(r), matrix_of(E)):
        with pytest.raises(DerivationError, match=r"a vector has the shape \(3, 1\), got \(3, 3\)"):
            p.line(a, product)
    assert p.steps[0].equations == ()


def test_a_power_of_a_matrix_is_its_product():
    p = Paper(["a"])
    p.step("One", "Two.")
    one, none = p.ring.number(1), p.ring.number(0)
    swap = p.call(sign("P"), np.array([[none, one], [one, none]], dtype=object))
    p.line(swap**2, p.unit(sign("E"), 2))
    with pytest.raises(DerivationError, match="differs"):
        p.line(swap**2, swap)


def test_the_page_of_proofs_is_up_to_date():
    assert proofs_page.PAGE.read_text(encoding="utf-8") == proofs_page.page(), (
        "run tools/proofs_page.py"
    )
