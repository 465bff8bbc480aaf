"""What a user of the sources expects of rotations: capabilities C70 to C73."""

import numpy as np
import pytest
import sympy
from hypothesis import given

import visviva as vv
from tests.support.counts import examples
from tests.support.generators import bodies
from tests.support.generators.bodies import close
from visviva.space import euler, rotations

vectors = bodies.vectors(3)


@examples(11, 1000)
@given(vectors, vectors, vectors, bodies.turns())
def test_C70_skew_and_its_identities(a, b, c, R):
    close(rotations.skew(a) @ b, np.cross(a, b))
    close(rotations.unskew(rotations.skew(a)), a, 0)
    close(rotations.skew(R @ a), R @ rotations.skew(a) @ R.T)
    close(rotations.cross(a, rotations.cross(b, c)), (a @ c) * b - (a @ b) * c)


def test_C71_rate_of_a_rotation_matrix():
    """Ṙ = ω_s^ R = R ω^, in symbols."""
    t = sympy.symbols("t", real=True)
    q = np.array([t**2, sympy.sin(t), 1 - t])
    R = euler.euler_matrix(q, "ZYX")
    rate = np.array([[sympy.diff(x, t) for x in row] for row in R])
    w = euler.euler_rates_matrix(q, "ZYX") @ np.array([sympy.diff(x, t) for x in q])
    for seen in (R @ rotations.skew(w), rotations.skew(R @ w) @ R):
        gap = (rate - seen)[:, :]
        values = [float(sympy.sympify(x).subs(t, 0.7)) for x in gap.ravel()]
        close(values, np.zeros(9), 1e-14)


def test_C71_integration_stays_on_the_group():
    """R(t) = exp(a t) exp(b t) turns with ω = exp(b t)ᵀ a + b: followed in 2000 steps."""
    a, b, h = np.array([0.3, -0.5, 1.0]), np.array([1.0, 0.7, -0.2]), 1e-3
    solid = vv.Inertia.sphere(1.0, radius=1.0)
    ball = vv.Builder("ball").body("ball", joint="spherical", inertia=solid).build()
    q = ball.q()
    for k in range(2000):
        middle = rotations.exp(b * (k + 0.5) * h).T @ a + b
        q = ball.integrate(q, h * middle)
    R = rotations.quaternion_matrix(q)
    close(R @ R.T, np.eye(3), 1e-14)
    close(R, rotations.exp(2 * a) @ rotations.exp(2 * b), 1e-6)  # the midpoint rule: order h²


@examples(11, 1000)
@given(bodies.turns())
def test_C72_quaternions_to_and_from_matrices_and_euler_angles(R):
    q = rotations.quaternion(R)
    close(np.linalg.norm(q), 1.0, 1e-15)
    close(rotations.quaternion_matrix(q), R, 1e-14)
    angles = euler.euler_angles(rotations.quaternion_matrix(q), "ZYX")
    close(euler.euler_matrix(angles, "ZYX"), R, 2e-14)


def test_C73_precession_spin_nutation():
    """R = Rz(q₁) Rx(q₃) Rz(q₂), ω = B q̇ both ways, det B = sin q₃."""
    q1, q2, q3 = q = sympy.symbols("q1:4", real=True)
    B = sympy.Matrix(euler.euler_rates_matrix(np.array(q), "Z1X3Z2"))
    expected = sympy.Matrix(
        [
            [sympy.sin(q2) * sympy.sin(q3), 0, sympy.cos(q2)],
            [sympy.cos(q2) * sympy.sin(q3), 0, -sympy.sin(q2)],
            [sympy.cos(q3), 1, 0],
        ]
    )
    assert sympy.simplify(sympy.nsimplify(B) - expected).is_zero_matrix
    assert sympy.simplify(sympy.nsimplify(B.det()) - sympy.sin(q3)) == 0
    R = sympy.nsimplify(sympy.Matrix(euler.euler_matrix(np.array(q), "Z1X3Z2")))
    by_hand = sympy.rot_ccw_axis3(q1) * sympy.rot_ccw_axis1(q3) * sympy.rot_ccw_axis3(q2)
    assert sympy.simplify(R - by_hand).is_zero_matrix


@pytest.mark.parametrize("nutation", [0.0, np.pi])
def test_C73_the_singularity_is_reported(nutation):
    near = np.array([0.3, 0.4, nutation + 1e-6])
    assert abs(euler.euler_singularity(near, "Z1X3Z2")) == pytest.approx(1e-6, rel=1e-6)
    rates = np.array([0.1, -0.2, 0.3])
    B = euler.euler_rates_matrix(near, "Z1X3Z2")
    close(np.linalg.solve(B, B @ rates), rates, 1e-9)  # the way back loses six digits here
    at = np.array([0.3, 0.4, nutation])
    assert abs(euler.euler_singularity(at, "Z1X3Z2")) < 1e-15
    assert np.linalg.matrix_rank(euler.euler_rates_matrix(at, "Z1X3Z2"), tol=1e-12) == 2
