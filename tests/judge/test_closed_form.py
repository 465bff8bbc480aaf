"""Closed forms: exact laws, and agreement with the compiled functions."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.robots import robot
from visviva.describe.builder import Builder
from visviva.describe.inertia import Inertia
from visviva.describe.parts import Mimic
from visviva.judge.closed_form import ClosedForm
from visviva.judge.forms import ModelForms, determinant
from visviva.space.poses import Pose

NAMES = vv.catalog.names()
MODELS = {name: vv.catalog.build(name) for name in NAMES}
MODELS = {name: m for name, m in MODELS.items() if isinstance(m, vv.Model)}
HOLONOMIC = [n for n, m in MODELS.items() if all(b.joint.has_rates for b in m.bodies)]


def closed(model, symbols=None):
    return ClosedForm(model.name, ModelForms(model, symbols))


@pytest.fixture(params=MODELS)
def forms(request):
    return ModelForms(MODELS[request.param])


def test_the_terms_make_the_equations(forms):
    """M a + C v + g + b is what the recursion of Newton and Euler gives."""
    total = forms.mass_matrix @ forms.accelerations + forms.coriolis_matrix @ forms.velocities
    total = total + forms.gravity + forms.dissipation
    assert all((x - y).is_zero for x, y in zip(total, forms.equations, strict=True))


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


@pytest.mark.parametrize("name", MODELS)
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
    assert form.nonzero_christoffel.keys() == {(1, 1, 2), (1, 2, 2), (2, 1, 1)}
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


def test_determinants_are_for_small_systems():
    M = ModelForms(vv.catalog.puma560()).mass_matrix
    with pytest.raises(vv.errors.ArgumentError, match="at most 3"):
        determinant(M)
