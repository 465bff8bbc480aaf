"""The table of quantities: what stands in a row is found everywhere."""

import sys
from dataclasses import replace
from functools import cache
from types import ModuleType

import numpy as np
import pytest
import sympy

import visviva as vv
from tools.quantities_page import PAGE, page
from visviva.describe import quantities
from visviva.describe.quantities import EXACT, FUNCTIONS, Quantity
from visviva.describe.system import System
from visviva.equations import dynamics
from visviva.equations.forces import forces
from visviva.equations.lagrange import evaluation
from visviva.errors import ArgumentError, UnknownNameError, VisvivaError

ROW = Quantity(
    "row_of_a_test",
    "Zg",
    "q v",
    "g · v: what gravity and springs take.",
    bodies="power_of_gravity:of_bodies",
    energies="power_of_gravity:of_energies",
    parts="gravity",
    exact="row_of_a_test",
    phrase="the power against gravity and springs",
    letters=("Zg",),
)
ENERGIES = vv.Lagrangian("theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters="m l g")


@pytest.fixture
def row(monkeypatch):
    """One row, and one function for each kind of system."""
    module = ModuleType("visviva.equations.power_of_gravity")
    module.of_bodies = lambda model, q, v: dynamics.gravity_forces(model, q) @ np.asarray(v)
    module.of_energies = lambda s, q, v, t=0.0: (
        evaluation.gravity_forces(s, q, v, t) @ np.asarray(v)
    )
    monkeypatch.setitem(sys.modules, module.__name__, module)
    quantities.add(ROW)
    yield ROW
    for index in (FUNCTIONS, EXACT, quantities.KINDS):
        del index[ROW.name]


def test_a_quantity_is_one_row_and_one_function_of_a_model(row):
    arm = vv.catalog.two_link()
    q, v = np.array([0.3, -0.4]), np.array([0.5, 0.7])
    f = arm.row_of_a_test
    np.testing.assert_allclose(f(q, v), arm.gravity_forces(q) @ v, rtol=1e-14)
    np.testing.assert_allclose(f.jacobian("v")(q, v), arm.gravity_forces(q), rtol=1e-14)
    form = arm.closed_form()
    expected = (form.gravity.T * sympy.Matrix(form.velocities))[0]
    assert form.row_of_a_test.equals(expected)
    assert "row_of_a_test" in dir(form)
    assert arm.check(f"Zg = {expected}").is_identical
    assert str(arm.check(f"Zg = 2*({expected})").subject) == row.phrase
    assert form.latex("row_of_a_test").startswith(r"\[ Z_{g} = ")
    assert "def two_link_row_of_a_test(q, v, parameters)" in form.python_source("row_of_a_test")


def test_a_quantity_is_one_row_and_one_function_of_a_lagrangian(row):
    s = ENERGIES.with_parameters(m=1.0, l=0.5, g=9.81)
    q, v = np.array([0.3]), np.array([0.5])
    np.testing.assert_allclose(s.row_of_a_test(q, v), 9.81 * 0.5 * np.sin(0.3) * 0.5, rtol=1e-14)
    form = ENERGIES.closed_form()
    assert form.row_of_a_test.equals(sympy.sympify("m*g*l*sin(theta)*thetad"))
    assert ENERGIES.check("Zg = m g l sin(theta) theta'").is_identical
    assert not ENERGIES.check("Zg = m g l cos(theta) theta'").is_identical
    assert form.c_source("row_of_a_test")


def test_a_quantity_of_one_s_own_has_coulomb_friction_in_verdicts(row, monkeypatch):
    """Closed forms are without it, as those of all other forces, and say so."""
    module = sys.modules["visviva.equations.power_of_gravity"]
    lost = lambda model, q, v: forces.dissipation_forces(model, q, v) @ np.asarray(v)  # noqa: E731
    monkeypatch.setattr(module, "of_bodies", lost)
    b = vv.Builder("hinge").body(
        "a", joint="revolute", joint_name="q1", axis="y", mass=1.0, damping=0.3, friction=0.1
    )
    model = b.build()
    form = model.closed_form()
    assert str(form.row_of_a_test) == "damping_q1*qd1**2"
    assert form.left_out == ("Coulomb friction",)
    assert model.check("Zg = 0.3 q1'^2 + 0.1 q1' sign(q1')").is_identical
    assert model.check("Zg = 0.3 q1'^2").missing == sympy.sympify("qd1*sign(qd1)/10")
    np.testing.assert_allclose(model.row_of_a_test([0.2], [-2.0]), 1.4, rtol=1e-14)


@pytest.mark.parametrize(
    ("V", "power"),
    [
        ("k*x^2/6", "k*x*x'/3"),
        ("k*x^2/sqrt(3)", "2*k*x*x'/sqrt(3)"),
        ("pi*k*exp(x/7)", "pi*k*x'*exp(x/7)/7"),
        ("0.1*k*x^2", "0.2*k*x*x'"),
    ],
)
def test_what_the_function_of_a_row_says_of_energies_is_not_rounded(row, V, power):
    s = vv.Lagrangian("x", "m*x'^2/3", V, parameters={"m": 1.0, "k": 2.0})
    assert s.check(f"Zg = {power}").is_identical
    assert not s.closed_form().row_of_a_test.atoms(sympy.Float)
    near = f"Zg = 0.3333333333333333*3*({power})"
    assert s.check(near).status == "differs"


def test_the_inputs_of_a_quantity_of_energies_are_those_of_its_parts(row, monkeypatch):
    timed = vv.Lagrangian("x", "x'^2/2", "x^2 + sin(t)")  # whose slopes know no time
    assert [*timed.row_of_a_test.inputs] == ["q", "v"]
    assert [*vv.Lagrangian("x", "x'^2/2", "x^2*t").row_of_a_test.inputs] == ["q", "v", "t"]
    with monkeypatch.context() as patch:
        patch.setitem(FUNCTIONS, row.name, replace(row, parts=""))  # all of the energies
        unknown = vv.Lagrangian("x", "x'^2/2", "x^2 + sin(t)")
        assert [*unknown.row_of_a_test.inputs] == ["q", "v", "t"]
        patch.setitem(FUNCTIONS, row.name, replace(row, parts="weight"))
        told = "unknown part of the equations of motion, in the row 'row_of_a_test' 'weight'"
        with pytest.raises(UnknownNameError, match=told):
            vv.Lagrangian("x", "x'^2/2").row_of_a_test  # noqa: B018


def test_a_function_that_needs_more_than_its_row_says_is_told(row, monkeypatch):
    """Its value would be that at t = 0."""
    pulled = "x'^2/2", "x^2*t"
    assert vv.Lagrangian("x", *pulled).row_of_a_test([1.0], [2.0], 3.0) == 12.0
    module = sys.modules["visviva.equations.power_of_gravity"]
    with monkeypatch.context() as patch:
        patch.setitem(FUNCTIONS, row.name, replace(row, parts="mass_matrix"))
        told = "the gravity of 'lagrangian' depends on t, which .* names 'gravity' among its parts"
        with pytest.raises(ArgumentError, match=told):
            vv.Lagrangian("x", *pulled).row_of_a_test([1.0], [2.0])
        still = vv.Lagrangian("x", "x'^2/2", "x^2*(cos(t)^2 + sin(t)^2)")
        assert still.row_of_a_test([1.0], [2.0]) == 4.0
        patch.setattr(module, "of_energies", lambda s, q, v: evaluation.mass_matrix(s, q)[0, 0])
        told = "the mass matrix of 'lagrangian' depends on xd, which"
        with pytest.raises(ArgumentError, match=told):
            vv.Lagrangian("x", "x'^4", "x^2").row_of_a_test([1.0], [2.0])


SYSTEMS = {
    "bodies": vv.catalog.two_link(),
    "energies": ENERGIES.with_parameters(m=1.0, l=0.5, g=9.81),
}
STATED = [(row, kind) for row in quantities.QUANTITIES for kind in SYSTEMS if getattr(row, kind)]


@pytest.mark.spread(37)
@pytest.mark.parametrize(
    ("row", "kind"), STATED, ids=[f"{kind}-{row.name}" for row, kind in STATED]
)
def test_what_a_row_says_is_so(row, kind):
    """The functions that it names are there, and give what its symbol and its indices say."""
    if slope := row.slope_of(kind):
        assert callable(quantities.function_at(slope))
    assert callable(quantities.function_at(getattr(row, kind)))
    assert {*row.parts.split()} <= {*evaluation.KNOWN_PARTS}
    assert row.parts or not row.energies
    system = SYSTEMS[kind]
    f = system.function_of_frame(row.name, "tool") if row.about else system.function(row.name)
    shapes = {"q": system.nq, "wrench": 6, "t": ()}
    assert [*f.inputs] == row.inputs.split()
    results = f(*(np.full(shapes.get(k, system.nv), 0.3) for k in f.inputs))
    results = results if isinstance(results, tuple) else (results,)
    assert len(results) == len(row.symbol.split())
    if row.exact:
        assert np.ndim(results[0]) == row.rank
        lengths = {"q": (system.nv,), "x": (3, 4, 6), "c": (0,)}
        assert all(n in lengths[k] for n, k in zip(np.shape(results[0]), row.indices, strict=True))


@pytest.mark.parametrize("kind", SYSTEMS)
@pytest.mark.parametrize("name", quantities.KINDS)
def test_what_is_exact_has_as_many_indices_as_its_row_says(name, kind):
    row, form = EXACT[name], SYSTEMS[kind].closed_form()
    if form.exact.lacks(row):
        return
    about = () if not row.about else ("link2" if name == "inertia" else "tool",)
    assert np.ndim(form.exact.quantity(name, *about)) == row.rank
    assert row.phrase.startswith("the ")


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"inputs": "q vel"}, "unknown input in the row 'lift' of quantities: 'vel'"),
        ({"inputs": "q wrench"}, r"'wrench' \(available: 'q', 'v', 'a', 'tau'\)"),
        ({"about": "body"}, "unknown `about` in the row 'lift' of quantities: 'body'"),
        ({"indices": "qz"}, "unknown index in the row 'lift' of quantities: 'z'"),
        ({"times": "2"}, "unknown `times` in the row 'lift' of quantities: '2'"),
        ({"bodies": "energy"}, "as 'energy:kinetic_energy'; got 'energy'"),
        ({"letters": "Pg"}, r"letters is a tuple of texts, as \('M', 'H'\); got 'Pg'"),
        ({"phrase": ""}, "got name='lift', symbol='l', exact='lift', phrase=''"),
        ({"symbol": ""}, "got name='lift', symbol=''"),
        ({"name": "mass_matrix"}, "there is a row 'mass_matrix' of quantities already: M ="),
        ({"exact": "gravity"}, "there is a row 'gravity' of quantities already: g = "),
        ({"name": "mass"}, "the row 'mass' of quantities: a Model has an attribute of this name"),
        ({"name": "nv"}, "a Model has an attribute of this name, which would hide it"),
        ({"name": "derived"}, "a Lagrangian has an attribute of this name, which would hide it"),
        ({"name": "kinetic"}, "a Lagrangian has an attribute of this name"),
        ({"letters": ("W", "V")}, "V with 0 indices is the potential energy already"),
        ({"letters": ("p",), "indices": "q"}, "p with 1 indices is the momenta already"),
    ],
)
def test_a_slip_in_a_row_is_told(cells, told):
    before = [dict(x) for x in (FUNCTIONS, EXACT, quantities.KINDS)]
    own = {"name": "lift", "symbol": "l", "inputs": "q", "doc": "", "exact": "lift"}
    with pytest.raises(VisvivaError, match=told):
        quantities.add(Quantity(**{**own, "phrase": "the lift", **cells}))
    assert before == [FUNCTIONS, EXACT, quantities.KINDS]


def test_an_attribute_that_hides_a_row_is_told():
    with pytest.raises(ArgumentError, match="a Tree has an attribute 'mass_matrix', which hides"):
        type("Tree", (System,), {"mass_matrix": 1})
    type("Own", (vv.Model,), {"mass_matrix": 1})  # somebody's own class may know better


def test_a_function_that_is_not_there_is_told():
    with pytest.raises(UnknownNameError, match=r"did you mean 'visviva\.equations\.energy'\?"):
        quantities.function_at("enrgy:potential_energy")
    with pytest.raises(UnknownNameError, match=r"visviva\.equations\.lagrange\.evaluation"):
        quantities.function_at("lagrange.evaluations:potential_energy")
    with pytest.raises(UnknownNameError, match=r"did you mean 'potential_energy'\?"):
        quantities.function_at("energy:potential_enrgy")


def test_a_claim_may_name_a_quantity_in_full(row):
    assert ENERGIES.check("row_of_a_test = m g l sin(theta) theta'").is_identical
    assert ENERGIES.check("potential_energy = -m g l cos(theta)").is_identical
    assert ENERGIES.check("mass_matrix = m l^2").is_identical
    assert str(ENERGIES.check("kinetic_energy = 0").subject) == "the kinetic energy"
    with pytest.raises(
        ArgumentError, match=r"left side is tau1, M11, .*C11, .* H, .*Zg, x, \.\.\."
    ):
        ENERGIES.check("gravity_forces = 0")


def test_the_reference_lists_every_row():
    assert PAGE.read_text(encoding="utf-8") == page(), "run tools/quantities_page.py"


def lever():
    """A hinge and two slides with weights, a spring, a damper; two joints are driven."""
    b = vv.Builder("lever", passive="q3")
    b.body("a", joint="revolute", joint_name="q1", axis="y", mass=2.0, com=[0.3, 0, 0], damping=0.2)
    b.body("b", parent="a", joint="prismatic", joint_name="q2", axis="x", mass=1.0, stiffness=30.0)
    b.body("c", parent="b", joint="prismatic", joint_name="q3", axis="z", mass=0.5, damping=0.7)
    return b.build()


@cache
def systems_stated_both_ways():
    """Models and the Lagrangians of their energies: free, and with constraints that move.

    Constraints are formulas, which have the same rows in both; a loop has more as a model.
    """
    held = lever().with_constraint("q2 = 0.3 + 0.1 t^2 cos(q1)").with_constraint("q3' = q1' + t")
    return [(model, model.as_lagrangian()) for model in (lever(), held)]


@pytest.mark.parametrize(
    "row",
    [x for x in quantities.QUANTITIES if x.name and x.bodies and x.energies],
    ids=lambda row: row.name,
)
@pytest.mark.filterwarnings("ignore::visviva.errors.DoubtfulWarning")  # off the constraints
def test_the_two_functions_of_a_row_have_one_value(row):
    rng, is_zero = np.random.default_rng(5), True
    for model, system in systems_stated_both_ways():
        state = {k: rng.normal(size=model.nv) for k in ("q", "v", "a", "tau")}
        state |= {"dt": 0.01, "t": 0.6}
        of_bodies, of_energies = (x.function(row.name) for x in (model, system))
        values, others = (f(*(state[k] for k in f.inputs)) for f in (of_bodies, of_energies))
        results = (
            zip(values, others, strict=True) if isinstance(values, tuple) else [(values, others)]
        )
        for x, y in results:
            scale = np.abs(x).max(initial=0.0)
            np.testing.assert_allclose(y, x, rtol=0, atol=1e-10 * scale)
            is_zero &= scale == 0.0
    assert not is_zero, "a quantity that is zero on these systems is not tested: change them"
