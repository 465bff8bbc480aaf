"""Derivations of systems that are held: what they write, and that a wrong line is not written."""

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError, DerivationError
from visviva.judge.exact.held import HeldForms

KNIFE = vv.catalog.knife_edge()
BEAD = vv.catalog.bead_on_rotating_wire(constrained=True)
ARM = vv.catalog.two_link()
METHODS = ("multipliers", "projection")


def test_the_way_to_the_multipliers_of_a_knife_edge():
    steps = KNIFE.derivation("multipliers")
    form = KNIFE.closed_form()
    assert steps.exact
    assert steps["A"] == form.constraint_matrix
    assert steps["λ₁"] == form.multipliers[0]
    assert steps["β"] == form.constraint_bias
    assert sympy.simplify(steps["G"][0] - 1 / sympy.Symbol("m")) == 0
    for k in range(3):
        assert sympy.simplify(steps[f"q̈{'₁₂₃'[k]}"] - form.forward_dynamics[k]) == 0
    told = {e.name: str(e) for e in steps.equations}
    assert told["m q̈₁"] == "m q̈₁ = τ₁ + λ₁ s₃"  # (10.22) to (10.24)
    assert told["m q̈₂"] == "m q̈₂ = τ₂ - λ₁ c₃"
    assert told["I q̈₃"] == "I q̈₃ = τ₃"
    assert str(told["A q̇"]).endswith("= 0")
    assert [s.chapter for s in steps if s.chapter] == [
        "What is given",
        "Equations of motion",
        "Multipliers",
        "Accelerations",
    ]
    assert "Also held by" not in str(steps)
    assert "derivation('multipliers') solves for λ" in str(KNIFE.derivation("lagrange"))


def test_the_way_to_the_projected_equations_of_a_bead():
    steps = BEAD.derivation("projection")
    form = BEAD.closed_form()
    assert steps["P_u"] == form.force_projection
    assert steps["P"] == form.projection
    assert steps["tr P"] == 1
    gap = steps["P_u (M q̈ + h)"] - steps["P_u τ"] - form.projected_equations
    assert gap.applyfunc(sympy.simplify).is_zero_matrix
    assert {e.name for e in steps.equations} >= {"φ₁", "A q̇ + a₀", "a₀", "A q̈ + β", "M⁻¹"}


def test_the_independent_equations_are_those_of_the_books():
    """(10.20) of the knife edge as it is printed; of the bead its one equation."""
    told = [str(e) for e in KNIFE.derivation("projection").equations]
    assert "m (c₃ q̈₁ + s₃ q̈₂) = τ₁ c₃ + τ₂ s₃" in told
    assert "I q̈₃ = τ₃" in told
    steps = BEAD.derivation("projection")
    (step,) = (s for s in steps if s.title == "Independent equations")
    (equation,) = step.equations
    assert sympy.expand(equation.rhs - sympy.sympify("tau1 + 2*k*x*tau2")) == 0


@pytest.mark.parametrize("method", METHODS)
def test_models_are_derived_in_the_same_way(method):
    held = ARM.with_constraint("q1 + 2*q2", name="gear")
    steps = held.derivation(method, symbols=["m2"])
    assert "'gear' keeps q1 + 2*q2 = 0" in str(steps)
    assert steps["A"] == sympy.Matrix([[1, 2]])
    assert "recursion of Newton and Euler" in str(steps)
    ball = vv.Builder("ball")
    ball.body("ball", joint="free", inertia=vv.Inertia.sphere(radius=0.5, mass=2.0))
    hung = ball.build().with_loop("world", "ball", "spherical")
    assert hung.derivation(method).checks > 10


@pytest.mark.parametrize("method", METHODS)
def test_rows_that_depend_on_each_other_are_told(method):
    s = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", constraints=["x*x' + y*y'"] * 2, parameters="m")
    text = str(s.derivation(method))
    assert ("these are the smallest" in text) == (method == "multipliers")
    assert ("left away" in text) == (method == "projection")


@pytest.mark.parametrize("method", METHODS)
def test_documents_of_all_kinds_are_written(method):
    steps = BEAD.derivation(method)
    assert "A^{T}" in steps.latex()
    assert "M^{-1}" in steps.markdown()
    assert "<math" in steps.html()
    assert steps.notebook()["cells"]
    assert "Aᵀ" in str(steps)


@pytest.mark.parametrize("wrong", ["multipliers", "forward_dynamics", "beta"])
def test_no_wrong_line_is_written(monkeypatch, wrong):
    right = getattr(HeldForms, wrong).func
    monkeypatch.setattr(HeldForms, wrong, property(lambda self: right(self) * 2))
    with pytest.raises(DerivationError, match="differs"):
        KNIFE.derivation("multipliers")


def test_what_nothing_holds_is_refused():
    with pytest.raises(ArgumentError, match="'two_link' has no constraints"):
        ARM.derivation("multipliers")
    with pytest.raises(ArgumentError, match="'multipliers', 'projection'"):
        KNIFE.derivation("newton-euler")


def test_sentences_with_inverses_and_rates_compile_everywhere():
    """LaTeX without letters that some engines have not: M⁻¹, Ȧ, λ₁."""
    document = vv.catalog.bead_on_rotating_wire(constrained=True).derivation("multipliers").latex()
    assert document.isascii(), {c for c in document if not c.isascii()}


HELD = {
    "knife_edge": ["lagrange"],
    "chaplygin_sleigh": ["lagrange"],
    "rolling_disc": ["lagrange"],
    "slider_crank": ["lagrange", "newton-euler", "d-alembert", "virtual-work"],
    "four_bar": ["newton-euler"],
}


@pytest.mark.parametrize(("name", "method"), [(k, m) for k, x in HELD.items() for m in x])
def test_every_way_ends_with_the_forces_of_constraints(name, method):
    """Whatever the way: τ = M a + h - Aᵀλ, or M a + h = τ + Aᵀλ, row by row."""
    system = getattr(vv.catalog, name)()
    form, last = system.closed_form(), [*system.derivation(method)][-1]
    assert last.title == "With multipliers"
    tau = sympy.Matrix(form.generalized_forces)
    pull = tau + form.constraint_matrix.T * sympy.Matrix(form.multiplier_symbols)
    chance = np.random.default_rng(0)
    symbols = sorted({*form.equations.free_symbols, *pull.free_symbols}, key=str)
    at = {x: sympy.Rational(int(chance.integers(2, 99)), 37) for x in symbols}
    for k, line in enumerate(last.equations):
        expected = form.equations[k] if line.name.startswith("τ") else pull[k]
        assert abs((line.rhs - expected).xreplace(at).evalf(30)) < 1e-20


@pytest.mark.parametrize("name", ["knife_edge", "chaplygin_sleigh", "bead_on_rotating_wire"])
def test_printed_multipliers_are_those_of_the_numbers(name):
    options = {"constrained": True} if name == "bead_on_rotating_wire" else {}
    system = getattr(vv.catalog, name)(**options)
    form, rng = system.closed_form(), np.random.default_rng(1)
    assert "  λ₁ = " in str(form)
    q, tau = rng.uniform(0.2, 1.0, system.nv), rng.normal(size=system.nv)
    q = system.assembled(q)
    v = system.admitted_velocity(q, rng.normal(size=system.nv))
    names = [*form.coordinates, *form.velocities, *form.generalized_forces]
    at = dict(form.parameters) | dict(zip(names, [*q, *v, *tau], strict=True))
    exact = [float(x.xreplace(at).evalf(20)) for x in form.multipliers]
    np.testing.assert_allclose(exact, system.multipliers(q, v, tau), rtol=1e-12, atol=1e-12)


def test_loops_are_printed_without_their_long_multipliers():
    assert "λ₁ = " not in str(vv.catalog.slider_crank().closed_form())
