"""Derivations: every line holds, all methods meet, all documents are well formed."""

import json
import re
from itertools import cycle, product

import numpy as np
import pytest
import sympy
from lxml import etree

import visviva as vv
from tests.support.counts import SOAK
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.model.body import Mimic
from visviva.errors import ArgumentError, UnknownNameError
from visviva.judge.closed.closed_form import ClosedForm
from visviva.judge.derive.derivation import DerivationError, derivation
from visviva.judge.derive.page import Page
from visviva.judge.derive.scalars import ExactScalars, SympyScalars
from visviva.judge.exact.model import exact
from visviva.judge.exact.model_forms import ModelForms
from visviva.judge.roads.crosscheck import crosscheck
from visviva.notation.writing.arrange import Boxes
from visviva.notation.writing.page import Sign
from visviva.notation.writing.plain import text
from visviva.space.poses import Pose

METHODS = ("lagrange", "newton-euler", "d-alembert", "virtual-work")
ARMS = "two_link rp_arm pr_arm planar_3r rpr_arm spatial_3r craig_6_5 cartesian cylindrical".split()
ARMS += "spherical scara articulated polar_point planar_body mobile_manipulator".split()
ROADS = [*product(METHODS, ARMS if SOAK else ARMS[:3])]
ROADS += [] if SOAK else zip(cycle(METHODS), ARMS[3:])


def same(a, b):
    """Whether two rows agree to 25 digits at a point."""
    gap = sympy.Matrix([a]) - sympy.Matrix([b])
    symbols = sorted(gap.free_symbols, key=str)
    at = {s: sympy.Rational(2 * k + 3, 7 + 5 * k) for k, s in enumerate(symbols)}
    return all(abs(x.subs(at).evalf(40)) < sympy.Float("1e-25") for x in gap)


@pytest.mark.spread(4)
@pytest.mark.parametrize(("method", "name"), ROADS)
def test_all_methods_end_at_the_closed_form(name, method):
    model = getattr(vv.catalog, name)()
    made = derivation(model, method)
    forms = ModelForms(model)
    closed = ClosedForm(name, forms)
    for k, equation in enumerate(closed.equations):
        assert made[f"τ{'₀₁₂₃₄₅'[k + 1]}"] == equation  # the same polynomial has one form
    assert made["M"] == closed.mass_matrix
    assert made["C"] == closed.coriolis_matrix
    assert made.exact
    assert made.checks > len(made.equations)
    assert all(s.sentence and s.title for s in made)


def test_printed_lines_hold_by_numbers():
    """Every energy and derivative of the planar arm, by a road that shares no code."""
    made = derivation(vv.catalog.two_link(), "lagrange")
    q1, q2, d1, d2, a1, a2 = sympy.symbols("q1 q2 qd1 qd2 qdd1 qdd2")
    m1, m2, r1, r2, L1, I1, I2, g = sympy.symbols("m1 m2 r1 r2 L1 I1 I2 a_g")
    c1 = sympy.Matrix([r1 * sympy.cos(q1), r1 * sympy.sin(q1)])
    elbow = sympy.Matrix([L1 * sympy.cos(q1), L1 * sympy.sin(q1)])
    c2 = elbow + r2 * sympy.Matrix([sympy.cos(q1 + q2), sympy.sin(q1 + q2)])

    def rate(x):
        moved = {q1: d1, q2: d2, d1: a1, d2: a2}
        return sum((x.diff(s) * v for s, v in moved.items()), 0 * x)

    v1, v2 = rate(c1), rate(c2)
    K = (m1 * v1.dot(v1) + m2 * v2.dot(v2) + I1 * d1**2 + I2 * (d1 + d2) ** 2) / 2
    V = g * (m1 * c1[1] + m2 * c2[1])
    assert same(made["p_C2"].T, c2.T)
    assert same(made["v_C2"].T, v2.T)
    for name, value in {"K": K, "V": V, "L": K - V}.items():
        assert same([made[name]], [value])
    for k, (q, v) in enumerate(((q1, d1), (q2, d2))):
        n = "₁₂"[k]
        p = (K - V).diff(v)
        assert same([made[f"∂L/∂q̇{n}"]], [p])
        assert same([made[f"d/dt ∂L/∂q̇{n}"]], [rate(p)])
        assert same([made[f"∂L/∂q{n}"]], [(K - V).diff(q)])
        assert same([made[f"τ{n}"]], [rate(p) - (K - V).diff(q)])


def test_a_wrong_line_is_not_written():
    forms = ModelForms(vv.catalog.two_link())
    e = forms.exact
    names = [list(map(str, x)) for x in (e.q, e.v, e.a)]
    page = Page(ExactScalars(e.ring, *names), Boxes(names[0]))
    page.step("Energy", "A claim.")
    with pytest.raises(DerivationError, match="differs"):
        page.state(Sign("K"), forms.kinetic_energy * 2, forms.kinetic_energy, "a check")
    assert page.steps[0].equations == ()
    with pytest.raises(DerivationError, match="shape"):
        page.require(forms.gravity, forms.mass_matrix, "a vector")
    with pytest.raises(DerivationError, match="numerical derivative"):
        page.confirm(1e-3, Sign("p"))


def test_a_wrong_term_in_the_engine_stops_the_derivation(monkeypatch):
    """An error in the recursion cannot pass: the page computes by its own formulas."""
    from visviva.judge.derive import newton_euler as road

    real = road.outward

    def wrong(*arguments):
        made = real(*arguments)
        made[1].w[0] = made[1].w[0] * 2
        return made

    monkeypatch.setattr(road, "outward", wrong)
    with pytest.raises(DerivationError, match="recursion"):
        derivation(vv.catalog.craig_6_5(), "newton-euler")


def test_spherical_joints_have_the_recursion_only():
    body = vv.catalog.tumbling_body()
    made = derivation(body, "newton-euler")
    assert len(made["¹N₁"]) == 3
    for method in ("lagrange", "d-alembert", "virtual-work"):
        with pytest.raises(ArgumentError, match="newton-euler"):
            derivation(body, method)


def test_unequal_rotors_of_a_planar_joint_are_in_the_recursion_and_in_the_closed_form():
    """Their momenta turn with the body's axes: every line of the derivation is checked exactly."""
    b = Builder("sledge", gravity=(0.0, -9.81, 0.0))
    box = Inertia.box(2.0, x=0.1, y=0.2, z=0.3)
    b.body("sledge", joint="planar", joint_name="p", inertia=box, armature=[1.0, 2.0, 3.0])
    model = b.build()
    derivation(model, "newton-euler")
    form = model.closed_form(symbols=[])
    names = ("p_angle", "p_wd", "p_vxd", "p_vyd", "p_wdd", "p_vxdd", "p_vydd")
    x = np.random.default_rng(1).normal(size=7)
    tau = form.equations.subs(dict(zip(names, x, strict=True)))
    expected = model.inverse_dynamics([x[0], 0.0, 0.0], x[1:4], x[4:])
    assert np.array(tau, dtype=float)[:, 0] == pytest.approx(expected, abs=1e-12)


def branched():
    """A branch, a rotor, a damper and a follower with half the speed."""
    b = Builder("branched", parameters={"m": 1.0, "J": 0.1, "l": 0.5})
    m, J, l = (b.parameters[k] for k in "mJl")  # noqa: E741
    b.gravity = (0.0, 0.0, -9.81)
    link = Inertia(m, [l, 0, 0], [[0.1, 0, 0], [0, 0.2, 0], [0, 0, 0.2]])
    more = {"armature": J, "damping": 0.2, "joint_name": "q1"}
    b.body("a", joint="revolute", axis="y", inertia=link, **more)
    slide = {"joint": "prismatic", "axis": "x", "joint_name": "q2"}
    b.body("b", parent="a", at=[l, 0, 0], inertia=link, **slide)
    b.body("c", parent="a", joint="revolute", axis="z", inertia=link, joint_name="q3")
    half = Mimic("q3", 0.5)
    b.body("d", parent="c", joint="revolute", axis="z", inertia=link, mimic=half)
    return b.build()


def crooked():
    """A slider and a screw on a placement that is no fraction."""
    b = Builder("crooked")
    body = Inertia.box(1.0, x=0.1, y=0.2, z=0.5)
    turn = Pose.rotation([0.0, 0.6, 0.8], 0.7).R
    b.body("a", joint="prismatic", axis="x", rotation=turn, inertia=body, joint_name="q1")
    b.body("b", parent="a", joint="helical", axis="y", pitch=0.1, inertia=body, joint_name="q2")
    return b.build()


@pytest.mark.spread(3)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", [branched(), crooked()], ids=lambda m: m.name)
def test_trees_followers_screws_and_rotors(model, method):
    made = derivation(model, method, symbols=[])
    rng = np.random.default_rng(2)
    q, v, a = rng.normal(size=(3, model.nv))
    values = {
        f"{x}{k + 1}": y[k] for x, y in (("q", q), ("qd", v), ("qdd", a)) for k in range(model.nv)
    }
    values |= exact(model, []).values
    found = [made[f"τ{'₁₂₃'[k]}"].subs(values) for k in range(model.nv)]
    expected = model.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(np.array(found, float), expected, rtol=1e-12, atol=1e-12)


def test_what_no_polynomial_has_is_said():
    b = Builder("rough", gravity=(0.0, 0.0, -9.81))
    b.body(
        "link", joint="revolute", axis="y", inertia=Inertia.point(1.0, [0.5, 0, 0]), friction=0.3
    )
    model = b.build()
    made = derivation(model, "newton-euler")
    assert "Coulomb friction" in made.steps[-1].sentence
    assert "Coulomb friction" not in derivation(vv.catalog.two_link()).steps[-1].sentence
    table = crosscheck(model)
    assert table.agrees
    assert not table.proved


def test_lagrangians_are_derived_exactly_or_by_many_digits():
    pendulum = Lagrangian(
        "theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters={"m": 1, "l": 1, "g": 9.81}
    )
    made = derivation(pendulum)
    m, g, a, angle, l = sympy.symbols("m g thetadd theta l")  # noqa: E741
    assert made.exact
    assert same([made["τ₁"]], [m * l**2 * a + m * g * l * sympy.sin(angle)])
    odd = Lagrangian("x", "x'^2/2", "sqrt(1 + x^2)", parameters={})
    found = derivation(odd)
    x, xdd = sympy.symbols("x xdd")
    assert not found.exact
    assert "random points" in found.summary
    assert same([found["τ₁"]], [xdd + x / sympy.sqrt(1 + x**2)])
    with pytest.raises(ArgumentError, match="need bodies"):
        derivation(pendulum, "newton-euler")


def test_numbers_tell_wrong_derivatives():
    x = sympy.Symbol("x")
    scalars = SympyScalars(["x"], ["xd"], ["xdd"])
    f = sympy.exp(x) * sympy.sin(x)
    assert scalars.differs(f, "x", f.diff(x)) < 1e-15
    assert scalars.differs(f, "x", f.diff(x) + sympy.Rational(1, 10**6)) > 1e-7
    assert scalars.same(sympy.sin(2 * x), 2 * sympy.sin(x) * sympy.cos(x))
    assert not scalars.same(sympy.sin(2 * x), sympy.sin(x))


def test_questions_are_answered_with_the_names():
    arm = vv.catalog.two_link()
    with pytest.raises(UnknownNameError, match="available: 'lagrange', 'newton-euler'"):
        derivation(arm, "hamilton")
    with pytest.raises(ArgumentError, match="takes a Model or a Lagrangian, got 3"):
        derivation(3)
    with pytest.raises(UnknownNameError, match="M"):
        derivation(arm)["mass"]


# ---- documents


@pytest.fixture(scope="module", params=METHODS)
def made(request):
    return derivation(vv.catalog.spatial_3r(), request.param)


@pytest.mark.spread(2)
def test_pages_are_well_formed_and_load_nothing(made):
    page = made.html()
    root = etree.fromstring(
        page.removeprefix("<!DOCTYPE html>\n").encode()
    )  # strict: it is XML too
    space = "{http://www.w3.org/1998/Math/MathML}"
    formulas = root.findall(f".//div/{space}math")  # symbols in sentences are others
    assert len(formulas) == len(made.equations)
    children = {"mfrac": 2, "msub": 2, "msup": 2, "msubsup": 3, "mover": 2}
    for tag, count in children.items():
        assert all(len(x) == count for x in root.iter(space + tag)), tag
    known = "math mrow mi mn mo mtable mtr mtd msub msup msubsup mover mfrac mspace mstyle msqrt"
    known += " mmultiscripts mprescripts mtext"
    used = {x.tag.removeprefix(space) for f in formulas for x in f.iter()}
    assert used <= set(known.split())
    assert not re.search(r"(src|href)=|@import|url\(", page)
    assert made._repr_html_() in page


def test_latex_is_balanced(made):
    document = made.latex()
    assert document.startswith(r"\documentclass")
    assert document.count("{") == document.count("}")
    opened = re.findall(r"\\begin\{(\w+)\}", document)
    assert sorted(opened) == sorted(re.findall(r"\\end\{(\w+)\}", document))
    assert document.count(r"\left(") == document.count(r"\right)")
    assert document.count(r"\[") == document.count(r"\]") == len(made.equations)
    assert document.isascii(), set(re.findall(r"[^\x00-\x7f]", document))
    assert made.latex(document=False) in document


@pytest.mark.spread(2)
def test_markdown_and_notebooks_have_all_steps(made):
    page = made.markdown()
    assert page.count("$$") == 2 * len(made.equations)
    book = json.loads(json.dumps(made.notebook()))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert set(book) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    *texts, code = book["cells"]
    assert len(texts) == len(made) + 2
    assert (code["cell_type"], code["outputs"], code["execution_count"]) == ("code", [], None)
    assert "".join(code["source"]) == made.code
    named = {}
    exec(made.code.replace("model.", "said = model."), named)
    assert getattr(named["said"], "is_identical", True)
    for cell in texts:
        assert set(cell) == {"cell_type", "id", "metadata", "source"}
        assert cell["cell_type"] == "markdown"
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"])
        assert all(isinstance(line, str) for line in cell["source"])
    joined = "\n\n".join("".join(cell["source"]) for cell in texts)
    assert joined.strip() == page.strip() == made._repr_markdown_().strip()


def test_text_has_every_line(made):
    page = str(made)
    assert all(str(e) in page for e in made.equations)
    assert made.summary in page
    assert made.summary in repr(made)
    for e in made.equations:
        assert e.lhs == sympy.Symbol(text(e.left))


def test_long_lines_are_broken():
    made = derivation(vv.catalog.planar_3r(), "lagrange")
    tau = next(e for e in made.equations if e.name == "τ₁")
    shown = made.latex()
    assert r"&\quad " in shown
    assert len(str(tau)) > 200


def test_symbols_that_books_use_otherwise():
    """V is Craig's friction, g his gravity: energies and vectors get other letters."""
    made = derivation(vv.catalog.craig_6_5(), "lagrange")
    assert made["U"] == sympy.sympify("L2*M2*g*sin(theta2)")
    assert len(made["G"]) == 2
    assert np.shape(made["g⃗"]) == (3, 1)


def stated_otherwise():
    swing = {"m": 1, "l": 1, "g": 9.81}
    T, V = "m l^2 theta'^2/2", "-m g l cos(theta)"
    yield vv.Lagrangian("theta", T, V, parameters=swing, passive="theta")
    yield vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", "c*x'^2/2", {"x": "F"},
                        parameters=dict.fromkeys("mkcF", 1), angles=[])  # fmt: skip
    yield vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters="m k")
    arm = vv.Builder('an "arm"\n')
    yield arm.body("l", joint="revolute", axis="y", mass=1, com=[0.5, 0, 0]).build()


@pytest.mark.parametrize("system", [*stated_otherwise()])
def test_the_last_cell_runs_where_no_file_states_the_system(system, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    named = {}
    exec(system.derivation("lagrange").code.replace("\nmodel.", "\nsaid = model."), named)
    assert repr(named["model"]) == repr(system)
    assert named["said"].is_identical
    assert not list(tmp_path.iterdir())


def test_what_no_text_states_has_no_last_cell():
    x, xd = sympy.symbols("x xd")
    made = vv.Lagrangian([x], xd**2 / 2, sympy.Max(x, 0)).derivation()
    assert not made.code
    assert made.notebook()["cells"][-1]["cell_type"] == "markdown"
