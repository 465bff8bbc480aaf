"""A model stated by its energies, and what pencil and other coordinates make of that."""

import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.generators.bodies import random_tree
from visviva.errors import ArgumentError

PENCIL = vv.pencil


def close(a, b, tolerance=1e-12):
    size = 1.0 + np.abs(b).max(initial=0.0)
    np.testing.assert_allclose(np.asarray(a) / size, np.asarray(b) / size, atol=tolerance)


@pytest.mark.spread(3)
@pytest.mark.parametrize("seed", range(12))
def test_energies_of_a_tree_have_its_equations(seed):
    rng = np.random.default_rng(seed)
    friction, damping = rng.uniform(0.1, 1.0, (2, 2))
    model = random_tree(rng, 2, ("revolute", "prismatic"))
    model = model.with_friction(friction, damping=damping)
    s = model.as_lagrangian()
    for _ in range(3):
        q, v, a = rng.normal(size=(3, 2))
        close(s.inverse_dynamics(q, v, a), model.inverse_dynamics(q, v, a))
        close(s.mass_matrix(q), model.mass_matrix(q))
        close(s.kinetic_energy(q, v), model.kinetic_energy(q, v))
        shift = s.potential_energy(0 * q) - model.potential_energy(0 * q)
        close(s.potential_energy(q) - shift, model.potential_energy(q))


HELD = "slider_crank four_bar five_bar flyball_governor parallel_cranks spatial_slider_crank"


@pytest.mark.parametrize("name", [*HELD.split(), "n_four_bar"])
def test_loops_hold_the_energies_too(name):
    model = getattr(vv.catalog, name)()
    s, rng = model.as_lagrangian(), np.random.default_rng(0)
    q = model.assembled(next(iter(model.keyframes.values()), None))
    v, tau = model.admitted_velocity(q, rng.normal(size=model.nv)), rng.normal(size=model.nv)
    close(s.constraint_error(q), np.zeros(len(s.constraints)))
    close(s.constraint_velocity(q, v), np.zeros(len(s.constraints)))
    # 1e-11: both divide by pivots of closed loops
    close(s.forward_dynamics(q, v, tau), model.forward_dynamics(q, v, tau), 1e-11)


def test_what_is_stated_of_a_model_is_stated_of_its_energies():
    s = vv.catalog.acrobot().as_lagrangian()
    assert (s.passive, s.angles) == (("q1",), ("q1", "q2"))
    jets, rng = vv.catalog.rp_arm_thrusters(), np.random.default_rng(0)
    q = rng.normal(size=2)
    close(jets.as_lagrangian().actuator_map(q), jets.actuator_map(q))
    few = vv.catalog.two_link().as_lagrangian(symbols=["m1"])
    assert few.parameter_names == ("m1",)
    assert few.as_lagrangian() is few


@pytest.mark.parametrize(
    ("name", "why"),
    [("tumbling_body", "whose rates are velocities"), ("andrews", "square roots of distances")],
)
def test_what_no_energy_says_is_refused(name, why):
    with pytest.raises(ArgumentError, match=why):
        getattr(vv.catalog, name)().as_lagrangian()
    with pytest.raises(ArgumentError, match="symbols= is for models"):
        vv.catalog.spherical_pendulum().as_lagrangian(symbols=["m"])


QUESTIONS = """equations kind kinetic_parts cyclic_coordinates conserved_momenta power_balance
    invariant_coordinates leading_minors where_singular"""


@pytest.mark.parametrize("question", QUESTIONS.split())
def test_pencil_takes_any_system(question):
    arm = vv.catalog.rp_arm()
    ask = getattr(PENCIL, question)
    assert ask(arm) == ask(arm.as_lagrangian())
    with pytest.raises(ArgumentError, match=f"{question} takes a Model or a Lagrangian, got 3"):
        ask(3)


@pytest.mark.parametrize("name", ["two_link", "planar_3r", "spherical", "mobile_manipulator"])
def test_minors_are_those_of_the_mass_matrix(name):
    model, rng = getattr(vv.catalog, name)(), np.random.default_rng(2)
    minors = PENCIL.leading_minors(model)
    assert PENCIL.where_singular(model) == minors[-1]
    q = rng.uniform(0.3, 1.0, model.nv)
    form = model.closed_form()
    values = dict(form.parameters) | dict(zip(form.coordinates, q, strict=True))
    M = model.mass_matrix(q)
    for k, x in enumerate(minors, 1):
        close(float(sympy.S(x).xreplace(values).evalf(20)), np.linalg.det(M[:k, :k]))
    assert PENCIL.kind(vv.catalog.two_link()).natural


def test_absolute_angles_of_an_arm():
    """Forces on absolute angles are (τ1 - τ2, τ2), and M has the difference of the angles alone."""
    arm, rng = vv.catalog.two_link(), np.random.default_rng(0)
    absolute = arm.in_coordinates(
        "phi1 phi2", {"q1": "phi1", "q2": "phi2 - phi1"}, angles="phi1 phi2"
    )
    J = np.array([[1.0, 0.0], [-1.0, 1.0]])
    phi, v, a = rng.normal(size=(3, 2))
    tau = arm.inverse_dynamics(J @ phi, J @ v, J @ a)
    close(absolute.inverse_dynamics(phi, v, a), [tau[0] - tau[1], tau[1]])
    assert absolute.angles == ("phi1", "phi2")
    assert absolute.check("V = m1*a_g*r1*sin(phi1) + m2*a_g*(L1*sin(phi1) + r2*sin(phi2))")
