"""Closed forms: exact laws, and agreement with the compiled functions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy
from sympy import Matrix

import visviva as vv
from tests.support import catalogue
from tests.support.counts import SOAK
from tests.support.oracles.robots import robot
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.model.body import Mimic, Spring
from visviva.errors import ArgumentError, OutsideError
from visviva.judge.closed.closed_form import ClosedForm
from visviva.judge.closed.printed import printed
from visviva.judge.exact.forms import determinant
from visviva.judge.exact.model_forms import ModelForms
from visviva.space.poses import Pose

MODELS = {name: m for name in catalogue.MODELS if not (m := catalogue.built(name)).held_by}
HOLONOMIC = [n for n, m in MODELS.items() if all(b.joint.has_rates for b in m.bodies)]


def closed(model, symbols=None):
    return ClosedForm(model.name, ModelForms(model, symbols))


@pytest.fixture(params=MODELS)
def forms(request):
    return ModelForms(MODELS[request.param])


@pytest.mark.spread(10)
def test_the_terms_make_the_equations(forms):
    """M a + C v + g + b is what the recursion of Newton and Euler gives."""
    total = forms.mass_matrix @ forms.accelerations + forms.coriolis_matrix @ forms.velocities
    total = total + forms.gravity + forms.dissipation
    assert all((x - y).is_zero for x, y in zip(total, forms.equations, strict=True))


@pytest.mark.spread(9)
@pytest.mark.parametrize("name", HOLONOMIC)
def test_lagrange_gives_the_same_equations(name):
    """d/dt ∂L/∂q̇ - ∂L/∂q + b, differentiated term by term, against Newton and Euler: a proof."""
    forms = ModelForms(MODELS[name])
    L = forms.kinetic_energy - forms.potential_energy
    v, a = (list(map(str, x)) for x in (forms.velocities, forms.accelerations))
    for i, q in enumerate(forms.coordinates):
        p = L.derivative(v[i])
        along = sum(
            p.derivative(x) * forms.ring[xd] + p.derivative(xd) * forms.ring[xdd]
            for x, xd, xdd in zip(forms.coordinates, v, a, strict=True)
        )
        assert (along - L.derivative(q) + forms.dissipation[i] - forms.equations[i]).is_zero


@pytest.mark.spread(9)
@pytest.mark.parametrize("name", HOLONOMIC)
def test_christoffel_symbols_are_made_of_the_mass_matrix(name):
    forms = ModelForms(MODELS[name])
    M, gamma, q = forms.mass_matrix, forms.christoffel, forms.coordinates
    n = len(q)
    for i in range(n):
        for j in range(n):
            for k in range(n):
                wanted = (
                    M[i, j].derivative(q[k]) + M[i, k].derivative(q[j]) - M[j, k].derivative(q[i])
                ) / 2
                assert (gamma[i, j, k] - wanted).is_zero
            C = sum(gamma[i, j, k] * forms.velocities[k] for k in range(n))
            assert (C - forms.coriolis_matrix[i, j]).is_zero


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", [name for name in MODELS if SOAK or name != "human_arm"])
def test_printed_forms_have_the_right_values(name):
    """Textbook form evaluated at the parameters' values, against machine code."""
    model = MODELS[name]
    form, rng = closed(model), np.random.default_rng(5)
    q, v, a = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    names = (*form.coordinates, *form.velocities, *form.accelerations)
    values = dict(zip(names, (*q, *v, *a), strict=True)) | dict(form.parameters)
    wanted = {
        "mass_matrix": model.mass_matrix(q),
        "gravity": model.gravity_forces(q)[:, None],
        "coriolis_matrix": model.coriolis_matrix(q, v),
        "equations": model.inverse_dynamics(q, v, a)[:, None],
    }
    for attribute, numbers in wanted.items():
        f = sympy.lambdify(list(values), getattr(form, attribute), "numpy", cse=True)
        scale = max(1.0, np.abs(numbers).max())
        np.testing.assert_allclose(f(*values.values()) / scale, numbers / scale, atol=1e-12, rtol=0)


def test_two_links_as_the_book_prints_them():
    form = closed(vv.catalog.two_link())
    I1, I2, m1, m2, r1, r2, L1, q2 = sympy.symbols("I1 I2 m1 m2 r1 r2 L1 q2")
    M11 = I1 + I2 + m1 * r1**2 + m2 * (L1**2 + 2 * L1 * r2 * sympy.cos(q2) + r2**2)
    assert form.mass_matrix[0, 0] == M11
    angles = {x.args[0] for x in form.mass_matrix.atoms(sympy.sin, sympy.cos)}
    assert angles == {q2}
    assert form.nonzero_christoffel.keys() == {(1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 1, 1)}
    assert sympy.expand(form.mass_determinant - form.mass_matrix.det()).rewrite(sympy.exp).equals(0)


def test_real_robots_with_all_inertias_symbolic():
    arm = vv.load(robot("ur5_robot.urdf")).without_dissipation()
    forms = ModelForms(arm)
    assert len(forms.values) > 20
    total = forms.mass_matrix @ forms.accelerations + forms.coriolis_matrix @ forms.velocities
    residual = total + forms.gravity - forms.equations
    assert all(x.is_zero for x in residual)
    some = ModelForms(arm, ["m_forearm_link"])
    assert set(some.values) == {"m_forearm_link"}


def test_numbers_that_stay_numbers_are_exact():
    arm = vv.catalog.two_link(L1=0.4)
    M = ModelForms(arm, ["m1", "m2", "I1", "I2", "r1", "r2"]).mass_matrix
    coefficients = [c for powers, c in M[0, 0].terms() if powers == {"m2": 1}]
    assert coefficients == [Fraction(4, 25)]


def crooked():
    """A slider, a screw and a follower with half the speed, on placements that are no fractions."""
    b = Builder("crooked")
    body = Inertia.box(1.0, x=0.1, y=0.2, z=0.5)
    turn = Pose.rotation([0.0, 0.6, 0.8], 0.7).R
    b.body("a", joint="revolute", axis="z", rotation=turn, inertia=body, joint_name="q1")
    b.body("b", parent="a", joint="prismatic", axis="x", inertia=body, joint_name="q2")
    b.body("c", parent="b", joint="helical", axis="y", pitch=0.1, inertia=body, joint_name="q3")
    b.body("d", parent="c", joint="revolute", axis="x", inertia=body, mimic=Mimic("q1", 0.5))
    return b.build()


def test_screws_followers_and_odd_placements():
    model = crooked()
    form, rng = closed(model), np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, model.nv))
    names = (*form.coordinates, *form.velocities, *form.accelerations)
    values = dict(zip(names, (*q, *v, *a), strict=True)) | dict(form.parameters)
    f = sympy.lambdify(list(values), form.equations, "numpy", cse=True)
    np.testing.assert_allclose(
        f(*values.values())[:, 0], model.inverse_dynamics(q, v, a), rtol=1e-12
    )
    assert any("yaw" in str(s) for s in form.parameters)


def test_forms_that_grow_too_long_are_refused_with_the_count_and_a_way_round():
    """Here by a small budget; with the usual one an arm of 14 hinges takes seconds."""
    arm = vv.catalog.two_link()
    form = arm.closed_form()
    form.exact.ring.budget.products = 10
    form.exact.ring.budget.renew()
    with pytest.raises(OutsideError) as caught:
        _ = form.equations
    said = str(caught.value)
    assert said.startswith("equations of 'two_link': too many terms: exact algebra takes 10 ")
    assert "closed_form(symbols=[...])" in said
    assert "lock joints" in said
    assert "c_source" in said
    assert len(arm.closed_form(symbols=["m1"]).parameters) == 1
    assert arm.locked(q1=0.0).closed_form().equations.shape == (1, 1)
    assert "void M(" in arm.mass_matrix.c_source("M")


def test_determinants_are_for_small_systems():
    M = ModelForms(vv.catalog.puma560()).mass_matrix
    with pytest.raises(vv.errors.ArgumentError, match="at most 3"):
        determinant(M)


# ---- what is left out is said


def rubbed():
    """A pendulum with dry friction, and a damper between a point of it and the world."""
    b = Builder("rubbed")
    body = Inertia.box(1.0, x=0.1, y=0.1, z=0.5)
    b.body("a", joint="revolute", axis="y", inertia=body, joint_name="q1", friction=0.3)
    b.frame("tip", body="a", at=[0.0, 0.0, 0.5])
    b.frame("wall", at=[1.0, 0.0, 0.0])
    rod = Spring("rod", 0.0, 0.0, 2.0, frames=("wall", "tip"), points=(np.zeros(3), np.zeros(3)))
    return replace(b.build(), springs=(rod,))


@pytest.mark.spread(3)
@pytest.mark.parametrize("to", ["md", "latex", "html", "python", "c"])
def test_what_is_left_out_is_said(to):
    form = rubbed().closed_form()
    assert form.left_out == ("Coulomb friction", "dampers between frames")
    sentence = "Left out: Coulomb friction and dampers between frames."
    assert sentence in printed(form, "equations", to)
    assert sentence in printed(form, "standard", to)
    assert sentence not in printed(form, "christoffel", to)  # friction is no part of these
    assert sentence not in printed(vv.catalog.two_link().closed_form(), "equations", to)
    assert repr(form).endswith("in q1; without Coulomb friction and dampers between frames>")
    assert sentence in form._repr_latex_()


def test_nothing_is_left_out_of_most():
    form = vv.catalog.craig_6_5().closed_form()  # viscous friction is part of b
    assert form.left_out == ()
    assert repr(form) == "<ClosedForm of craig_6_5: 2 equations in theta1, theta2>"


def bead(**more):
    """On a wire; r and phi polar coordinates."""
    names = dict.fromkeys("m k c F".split(), 1.0)
    kinetic = "m*(r'^2 + r^2*phi'^2)/2"
    return Lagrangian("r phi", kinetic, "k*r^2/2", parameters=names, name="bead", **more)


def test_forces_of_constraints_stand_in_the_equations():
    form = bead(constraints=["r - 1"]).closed_form()
    assert form.left_out == ()
    assert form.held_by == ("r - 1 = 0",)
    tau = bead().closed_form().equations
    assert form.equations == tau - form.constraint_matrix.T * Matrix(form.multiplier_symbols)
    assert str(form).splitlines()[1] == "  τ₁ = m r̈ + r (-m φ̇² + k) - λ₁"


def test_forces_from_outside_are_printed():
    form = bead(forces=["F*cos(t)", 0]).closed_form()
    assert "= τ + Q" in printed(form, "standard", "md")
    assert r"Q = \begin{bmatrix}" in printed(form, "standard", "md")
    space = {}
    exec(printed(form, "standard", "python"), space)
    M, C, g, b, Q = space["bead_standard"]([2.0, 0.5], [0.3, 0.7], [2.0, 3.0, 5.0, 7.0], 0.25)
    np.testing.assert_allclose(M, [[2, 0], [0, 8]], rtol=1e-15)
    np.testing.assert_allclose(C @ [0.3, 0.7], [-2 * 2 * 0.7**2, 8 * 0.3 * 0.7], rtol=1e-14)
    np.testing.assert_allclose([*g, *b, *Q], [6, 0, 0, 0, 7 * np.cos(0.25), 0], rtol=1e-14)


# ---- in notebooks


def test_a_closed_form_shows_its_equation():
    text = vv.catalog.craig_6_5().closed_form()._repr_latex_()
    assert text.startswith("$$")
    assert text.endswith("$$")
    labels = [text.index(x) for x in ("}_{M(q)}", r"}_{C(q, \dot{q})}", "}_{g(q)}", "}_{b}")]
    assert labels == sorted(labels)
    assert text.rstrip("$\n").endswith(
        r"= \begin{bmatrix} \tau_{1} \\ \tau_{2} \end{bmatrix}" + "\n\\end{aligned}"
    )
    assert r"\begin{bmatrix} \ddot{\theta}_{1} \\ \ddot{\theta}_{2} \end{bmatrix}" in text


def test_terms_that_are_zero_are_not_shown():
    assert "}_{b}" not in vv.catalog.two_link().closed_form()._repr_latex_()


def test_wide_matrices_are_shown_by_entries():
    form = vv.catalog.planar_3r().closed_form()
    text = form._repr_latex_()
    assert r"M(q) \, \ddot{q} + C(q, \dot{q}) \, \dot{q} + g(q) + b = \tau" in text
    assert "M_{21} &= M_{12}" in text
    assert "C_{33} &= 0" in text
    for letter, matrix in (("M", form.mass_matrix), ("C", form.coriolis_matrix)):
        found = [f"{letter}_{{{i}{j}}} &=" in text for i in (1, 2, 3) for j in (1, 2, 3)]
        assert all(found)
        assert matrix.shape == (3, 3)


def test_large_forms_stay_in_one_line():
    assert closed(MODELS["puma560"])._repr_latex_() is None


def test_velocities_that_are_no_rates_have_their_own_names():
    form = closed(MODELS["tumbling_body"])
    assert "}_{C(q, v)}" in form._repr_latex_()
    assert printed(form, "equations", "latex").count(r"\tau_") == 3


def test_energies_that_are_no_squares_show_their_equations():
    form = Lagrangian("x", "m*x'^4/12", parameters={"m": 1.0}).closed_form()
    text = form._repr_latex_()
    assert r"\tau_{1} = m \ddot{x} \dot{x}^{2}" in text


def test_the_closed_form_of_energies_reads_its_terms_too():
    s = vv.Lagrangian(
        "r theta",
        "m*(r'^2 + r^2*theta'^2)/2",
        "k*r^2/2",
        dissipation="c*r'^2/2",
        parameters="m k c",
    )
    form = s.closed_form()
    kinds = [t.kind for t in form.terms(0)]
    assert kinds == ["inertial", "centrifugal", "dissipative", "elastic"]
    assert sum(t.formula for t in form.terms(1)).equals(form.equations[1])
    assert form.cyclic_coordinates == ["theta"]
    assert form.invariant_coordinates == ["theta"]
    rest = form.equations.subs(dict.fromkeys(form.accelerations, 0))
    assert (form.bias_forces - rest).expand().is_zero_matrix
    assert form.hamiltonian.equals(form.kinetic_energy + form.potential_energy)


def test_terms_that_are_no_polynomials_say_so():
    s = vv.Lagrangian("x", "m*x'^2/2", "k*sqrt(1 + x^2)", parameters="m k")
    with pytest.raises(ArgumentError, match="no normal form"):
        s.closed_form().terms(0)


def test_what_a_jacobian_is_told_is_honoured_or_refused():
    form = vv.catalog.two_link().closed_form()
    tip = form.exact.exact.model.frame_names[-1]
    assert form.jacobian(tip, reference="body") == form.jacobian(tip, "body")
    assert form.jacobian(tip, "body") != form.jacobian(tip)
    with pytest.raises(TypeError, match="referense"):
        form.jacobian(tip, referense="body")
    with pytest.raises(TypeError):
        form.pose(tip, "body")


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("joint", "z"), [("planar", 0.8), ("planar", -0.8), ("planar", 0.0), ("helical", -0.8)]
)
def test_joints_about_oblique_axes_have_closed_forms(joint, z):
    """The directions across such an axis are exact too, whichever way it points."""
    axis = [0.0, 0.6, z] if z else [0.6, 0.8, 0.0]
    solid = Inertia(1.2, [0.1, 0.2, 0.3], np.diag([0.2, 0.3, 0.25]))
    pitch = {"pitch": 0.1} if joint == "helical" else {}
    named = dict(zip(("nx", "ny", "nz"), axis, strict=True))
    b = Builder("oblique").body("a", joint=joint, axis=axis, inertia=solid, **pitch)
    model = b.build()
    form, rng = model.closed_form(), np.random.default_rng(0)
    q, v, a = rng.uniform(-1.0, 1.0, (3, model.nv))
    state = dict(zip((*form.coordinates, *form.velocities), (*q, *v), strict=True))
    T = form.kinetic_energy.subs({**form.exact.values, **state})
    np.testing.assert_allclose(float(T), model.kinetic_energy(q, v), rtol=1e-14)
    assert model.check(f"T = {form.kinetic_energy}").is_identical
    assert "frac" in model.derivation("newton-euler").latex()
    # the same joint with the numbers of its axis as inputs
    b = Builder("named", parameters=named)
    b.body("a", joint=joint, axis=[b.parameters[k] for k in named], inertia=solid, **pitch)
    f = b.build().function("inverse_dynamics", parameters=[*named])
    np.testing.assert_allclose(f(q, v, a, axis), model.inverse_dynamics(q, v, a), rtol=1e-12)


def test_what_is_put_into_a_form():
    """Point masses in the middle of links: formulas in place of parameters."""
    arm = vv.catalog.two_link()
    rods = arm.with_parameters(r1="L1/2", I1="0", I2="0", m2=3.0)
    assert "r1" not in rods.parameters
    assert rods.parameters["m2"] == 3.0
    form = rods.closed_form()
    assert {"I1", "I2", "r1"}.isdisjoint(x.name for x in form.mass_matrix.free_symbols)
    given = arm.closed_form().mass_matrix.subs({"r1": "L1/2", "I1": 0, "I2": 0})
    assert (form.mass_matrix - given).expand().is_zero_matrix
    longer, q = rods.with_parameters(L1=0.7), [0.3, 0.4]
    by_numbers = arm.with_parameters(L1=0.7, r1=0.35, I1=0.0, I2=0.0, m2=3.0)
    np.testing.assert_allclose(longer.mass_matrix(q), by_numbers.mass_matrix(q), rtol=1e-14)
    for formula, problem in (("L1/", "a formula of the others"), ("r1/2", "unknown name 'r1'")):
        with pytest.raises(vv.VisvivaError, match=problem):
            arm.with_parameters(r1=formula)
    with pytest.raises(vv.VisvivaError, match="unknown parameter 'k'"):
        arm.with_parameters(k="L1")
    with pytest.raises(AttributeError, match=r"with_parameters\(L1='0'\).closed_form\(\)"):
        _ = arm.closed_form().subs


def test_linear_forms_about_numbers_in_a_row():
    form = vv.catalog.cart_pole().closed_form()
    assert form.linearized([0, sympy.pi]) == form.linearized({"theta": sympy.pi})
    with pytest.raises(AttributeError, match="a LinearForm has no 'A': here it is sympy") as told:
        _ = form.linearized([0, 0]).A
    line, known = str(told.value).partition("here it is ")[2], form.linearized([0, 0])
    first = eval(line, {"sympy": sympy, "form": known, "n": 2})
    assert first[2:, :2] == -known.M.inv() * known.K
    with pytest.raises(vv.VisvivaError, match=r"names \(x, theta\) .* or 2 of them in a row"):
        form.linearized([0])
