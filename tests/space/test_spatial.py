"""Spatial vectors: cross products and their duality, inertia, points; and the series in θ²."""

import mpmath
import numpy as np
import pytest
from hypothesis import given

from tests.support.counts import examples
from tests.support.generators import bodies
from tests.support.generators.bodies import close, over_all_scalars
from visviva.space import poses, series, spatial

twists = bodies.vectors(6)


@examples(8, 5000)
@given(twists, twists, twists)
def test_cross_products(V, W, F):
    close(spatial.ad(V) @ W, spatial.cross_motion(V, W))
    close(-spatial.ad(V).T @ F, spatial.cross_force(V, F))
    close(spatial.cross_motion(V, W), -spatial.cross_motion(W, V))
    # a constant force on a constant motion, both carried along, has constant power
    close(spatial.cross_force(V, F) @ W + F @ spatial.cross_motion(V, W), 0.0)
    jacobi = spatial.cross_motion(V, spatial.cross_motion(W, F))
    jacobi += spatial.cross_motion(W, spatial.cross_motion(F, V))
    jacobi += spatial.cross_motion(F, spatial.cross_motion(V, W))
    close(jacobi, np.zeros(6), 1e-11)  # terms of several hundred cancel
    close(spatial.ad(spatial.cross_motion(V, W)), _commutator(spatial.ad(V), spatial.ad(W)))


def _commutator(A, B):
    return A @ B - B @ A


@examples(3, 2000)
@given(twists)
def test_ad_is_the_derivative_of_the_adjoint(V):
    """Ad of exp(V) is the matrix exponential of ad V."""
    with mpmath.workdps(40):
        expected = mpmath.expm(mpmath.matrix(spatial.ad(V).tolist()), method="taylor")
    close(poses.exp(V).adjoint(), bodies.as_floats(expected))


@examples(8, 5000)
@given(bodies.clouds(), twists, bodies.places())
def test_spatial_inertia_is_that_of_the_points(cloud, V, X_ba):
    G = spatial.spatial_inertia(*bodies.cloud_inertia(cloud))
    speeds = [(m, V[3:] + np.cross(V[:3], r), r) for m, r in cloud]
    close(V @ G @ V / 2, sum(m * (v @ v) / 2 for m, v, _ in speeds))
    close((G @ V)[:3], sum(m * np.cross(r, v) for m, v, r in speeds))
    close((G @ V)[3:], sum(m * v for m, v, _ in speeds))
    # seen from a frame {a}: G_a = Adᵀ G_b Ad with Ad from a to b
    Ad = X_ba.adjoint()
    X_ab = X_ba.inverse()
    there = [(m, X_ab.apply(r)) for m, r in cloud]
    close(spatial.spatial_inertia(*bodies.cloud_inertia(there)), Ad.T @ G @ Ad, 1e-11)
    # 1e-11: centred and shifted again, masses of 30 at distances of 7


@examples(11, 1000)
@given(bodies.vectors(3), bodies.vectors(3), twists, bodies.places())
def test_forces_and_velocities_at_points(force, point, V, X):
    F = spatial.point_wrench(force, point)
    close(F, [*np.cross(point, force), *force])
    close(spatial.point_velocity(V, point), V[3:] + np.cross(V[:3], point))
    close(F @ V, force @ spatial.point_velocity(V, point))  # power
    # the same force seen from the frame X
    seen = spatial.point_wrench(X.R.T @ force, X.inverse().apply(point))
    close(X.adjoint().T @ F, seen)


def test_over_all_scalars():
    V, W = np.arange(1.0, 7.0), np.array([0.3, -1.0, 2.0, 0.1, 0.5, -0.7])
    over_all_scalars(spatial.ad, V, tolerance=1e-15)
    over_all_scalars(spatial.cross_motion, V, W, tolerance=1e-15)
    over_all_scalars(spatial.cross_force, V, W, tolerance=1e-15)
    over_all_scalars(_inertia_of_ten, np.arange(1.0, 11.0), tolerance=1e-15)


def _inertia_of_ten(x):
    tensor = [[x[4], x[7], x[8]], [x[7], x[5], x[9]], [x[8], x[9], x[6]]]
    return spatial.spatial_inertia(x[0], x[1:4], tensor)


# ---- the series

FORMULAS = {
    "sinc": lambda a: mpmath.sin(a) / a,
    "cosc": lambda a: (1 - mpmath.cos(a)) / a**2,
    "sinc3": lambda a: (a - mpmath.sin(a)) / a**3,
    "cosc4": lambda a: (a**2 / 2 - 1 + mpmath.cos(a)) / a**4,
    "sinc5": lambda a: (2 * a - 3 * mpmath.sin(a) + a * mpmath.cos(a)) / (2 * a**5),
    "cotc": lambda a: (1 - a / 2 * mpmath.cot(a / 2)) / a**2,
}
AT_ZERO = {"sinc": 1, "cosc": 1 / 2, "sinc3": 1 / 6, "cosc4": 1 / 24, "sinc5": 1 / 120}
AT_ZERO |= {"cotc": 1 / 12}


@pytest.mark.parametrize("name", FORMULAS)
def test_series_are_accurate_from_zero_to_beyond_pi(name):
    f = getattr(series, name)
    assert f(0.0) == pytest.approx(AT_ZERO[name], rel=4e-16)
    t = np.concatenate([10.0 ** np.arange(-30, 0), np.linspace(0.1, 12.0, 60), [4 - 1e-12, 4.0]])
    with mpmath.workdps(200):
        expected = np.array([float(FORMULAS[name](mpmath.sqrt(mpmath.mpf(x)))) for x in t])
    got = np.array([f(x) for x in t])
    # beside its zero at π, sinc is as good as the root of t allows
    np.testing.assert_allclose(got, expected, rtol=4e-15, atol=1e-16 if name == "sinc" else 0)
