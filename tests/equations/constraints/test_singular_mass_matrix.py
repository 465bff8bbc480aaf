"""Constrained motion where M is singular, but for what the rows admit: by least squares."""

import numpy as np
import pytest

import visviva as vv
from visviva.equations.constraints.motion import possibly_massless
from visviva.equations.constraints.solver import ConstraintSolver
from visviva.errors import SingularError


@pytest.mark.parametrize("x", [0.0, 1e-9, 1e-3, 0.4])
def test_the_bead_at_the_axis(x):
    s = vv.catalog.bead_on_rotating_wire(constrained=True, m=2.0, k=0.5, Omega=3.0, g=9.81)
    q, v = [x, 0.5 * x**2, 0.1], [0.3, 0.3 * x, 3.0]
    a0 = ((9.0 - 9.81) * x - x * 0.09) / (1 + x * x)
    a, lam = s.forward_dynamics(q, v, [0, 0, 0]), s.multipliers(q, v, [0, 0, 0])
    np.testing.assert_allclose(a, [a0, 0.09 + x * a0, 0.0], atol=1e-13)
    np.testing.assert_allclose(lam, [2 * (9.81 + a[1]), 2 * 2 * x * 0.3 * 3], atol=1e-12)
    np.testing.assert_allclose(s.admitted_velocity(q, [0.3, 0.3 * x, 1.0]), v, atol=1e-13)


def test_a_coordinate_without_mass_in_formulas_too():
    s = vv.Lagrangian(
        "x y", "m*x'^2/2", "m*g*y", constraints=["y - x^2/2", "2*y - x^2"], parameters="m g"
    )
    form = s.closed_form()
    names = "m g x y xd yd tau1 tau2".split()
    at = dict(zip(names, [2.0, 9.81, 0.3, 0.045, 0.2, 0.06, 0.1, 0.2], strict=True))
    n = s.with_parameters(m=2.0, g=9.81)
    state = [0.3, 0.045], [0.2, 0.06], [0.1, 0.2]
    for name in ("forward_dynamics", "multipliers"):
        exact = np.array(getattr(form, name).subs(at), dtype=float).ravel()
        np.testing.assert_allclose(getattr(n, name)(*state), exact, rtol=1e-12)
    f = s.with_parameters(m=1.0, g=9.81).function("forward_dynamics", parameters=["m"])
    np.testing.assert_allclose(f(*state, [2.0]), n.forward_dynamics(*state), rtol=1e-12)


def test_impulses_do_not_have_the_stiffness_in_them():
    s = vv.Lagrangian("a c", "a'^2/2", constraints="a - 2*c")
    dv = s.admitted_velocity([0, 0], [1.0, 2.0]) - [1.0, 2.0]
    pull = s.constraint_matrix([0, 0]).T @ s.constraint_impulses([0, 0], [1.0, 2.0])
    np.testing.assert_allclose(s.mass_matrix([0, 0]) @ dv, pull, atol=1e-14)


def test_what_is_left_without_inertia_is_named():
    s = vv.Lagrangian("x y z", "x'^2/2", constraints="y - x^2/2")
    with pytest.raises(SingularError, match="resists the motion of z alone, and no constraint"):
        s.forward_dynamics([0.1, 0.1, 0.1], [0, 0, 0], [0, 0, 0])


def test_systems_that_have_inertia_everywhere_are_seen_to():
    for name in ("four_bar", "stewart", "bricard", "knife_edge", "rolling_disc", "delta"):
        assert possibly_massless(getattr(vv.catalog, name)()) == ()
    assert possibly_massless(vv.catalog.bead_on_rotating_wire(constrained=True)) == (2,)


def test_semidefinite_matrices_by_null_spaces():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(2, 7))
        B, A = rng.normal(size=(int(rng.integers(0, n)), n)), rng.normal(size=(n - 1, n))
        A = np.concatenate([A, rng.normal(size=(1, n - 1)) @ A])
        M, N = B.T @ B, np.linalg.svd(A)[2][n - 1 :].T
        if np.linalg.svd(A)[1][n - 2] < 0.03 or (N.T @ M @ N)[0, 0] < 0.03:
            continue
        f, bias = rng.normal(size=n), A @ rng.normal(size=n)
        start = -np.linalg.pinv(A, rcond=1e-9) @ bias
        a = start + N @ np.linalg.solve(N.T @ M @ N, N.T @ (f - M @ start))
        lam = np.linalg.pinv(A.T, rcond=1e-9) @ (M @ a - f)
        held = ConstraintSolver(M, A, (), range(n))
        np.testing.assert_allclose(held.acceleration(f, bias), a, atol=1e-7, rtol=1e-7)
        np.testing.assert_allclose(held.multipliers(f, bias), lam, atol=1e-7, rtol=1e-7)
