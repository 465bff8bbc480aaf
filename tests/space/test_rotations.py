"""Rotations: the group, its exponential and logarithm from angle 0 to π, quaternions."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.counts import examples
from tests.support.generators import bodies
from tests.support.generators.bodies import (
    ANGLES,
    AXES,
    NEAR_PI,
    close,
    compiled,
    mp,
    over_all_scalars,
    unit,
)
from visviva.errors import RotationError
from visviva.space import rotations as r

vectors = bodies.vectors(3)
quaternions = bodies.vectors(4, 1.0).filter(lambda q: np.linalg.norm(q) > 1e-2).map(unit)
ALL_ANGLES = [*ANGLES, *NEAR_PI]


@examples(11, 1000)
@given(vectors, vectors, vectors, bodies.turns())
def test_skew_is_the_cross_product(a, b, c, R):
    close(r.skew(a) @ b, np.cross(a, b))
    close(r.cross(a, b), np.cross(a, b))
    close(r.unskew(r.skew(a)), a, 0)
    close(r.skew(R @ a), R @ r.skew(a) @ R.T)
    close(r.cross(a, r.cross(b, c)), (a @ c) * b - (a @ b) * c)
    close(r.skew(a) @ r.skew(a), np.outer(a, a) - (a @ a) * np.eye(3))


@pytest.mark.spread(24)
@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("angle", ALL_ANGLES)
def test_exp_is_the_exponential(axis, angle):
    """Against mpmath's matrix exponential, for floats, mpmath numbers and machine code."""
    w = unit(axis) * angle
    with mpmath.workdps(bodies.DIGITS):
        expected = bodies.as_floats(bodies.reference_exp(mp(w)))[:3, :3]
    close(over_all_scalars(r.exp, w, tolerance=4e-15), expected, 4e-15)
    if angle:
        close(r.about_axis(unit(axis), angle), expected, 4e-15)
    # small angles keep their relative accuracy: what is left of R - Rᵀ is 2 sin(angle)
    R = r.exp(w)
    np.testing.assert_allclose(
        r.unskew(R - R.T), 2 * np.sinc(angle / np.pi) * w, rtol=1e-13, atol=1e-15 * angle
    )


@pytest.mark.spread(74)
@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("angle", ANGLES)
def test_log_undoes_exp_to_relative_accuracy(axis, angle):
    w = unit(axis) * angle
    for road in (r.exp, lambda w: r.quaternion_matrix(r.quaternion_exp(w))):
        got = r.log(road(w))
        np.testing.assert_allclose(got, w, rtol=1e-13, atol=1e-14 * angle)


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("angle", NEAR_PI)
def test_log_near_a_half_turn(axis, angle):
    """Its length is at most π, and exp gives the rotation back; within 4e-15 of π, so may -w."""
    w = unit(axis) * angle
    R = r.exp(w)
    back = r.log(R)
    assert np.linalg.norm(back) <= np.pi * (1 + 1e-15)
    close(r.exp(back), R, 4e-15)
    if np.pi - angle > 4e-15:
        close(back, w, 2e-14)
    else:
        assert min(np.abs(back - w).max(), np.abs(back + w).max()) < 2e-14


def test_half_turns_about_the_axes_exactly():
    for k in range(3):
        R = -np.eye(3)
        R[k, k] = 1.0
        close(np.abs(r.log(R)), np.pi * np.eye(3)[k], 0)
        close(r.exp(r.log(R)), R, 1e-15)


def _log_of_nine(entries):
    return r.log(entries.reshape(3, 3))


@pytest.mark.parametrize("angle", ALL_ANGLES)
def test_log_over_all_scalars(angle):
    over_all_scalars(_log_of_nine, r.exp(unit([1, 2, -3]) * angle).ravel(), tolerance=1e-14)


@pytest.mark.spread(8)
@pytest.mark.parametrize("angle", ALL_ANGLES)
@pytest.mark.parametrize("axis", [[1, 0, 0], [1, 2, -3]], ids=str)
def test_derivatives_against_differences_of_fifty_digits(axis, angle):
    w = unit(axis) * angle
    D = over_all_scalars(r.exp_derivative, w, tolerance=4e-15)
    close(D, bodies.reference_derivative(w), 4e-15)
    inverse = over_all_scalars(r.log_derivative, w, tolerance=1e-14)
    close(inverse, np.linalg.inv(D), 1e-14)


def test_machine_code_differentiates_through_zero():
    """The branch that is not taken leaves no nan behind."""
    for w in (np.zeros(3), np.array([1e-200, 0, 0]), np.array([1.0, 2.0, -0.5])):
        got = compiled(r.exp, 3).jacobian("x0")(w)
        D = r.exp_derivative(w)
        for k in range(3):
            close(got[:, :, k], r.exp(w) @ r.skew(D[:, k]))
        around = compiled(_there_and_back, 3).jacobian("x0")(w)
        close(around, np.eye(3))


def _there_and_back(w):
    return r.log(r.exp(w))


@examples(8, 5000)
@given(vectors, vectors)
def test_exp_is_a_one_parameter_group(w, v):
    R = r.exp(w)
    close(R @ R.T, np.eye(3), 1e-14)
    assert np.linalg.det(R) > 0
    close(r.exp(0.3 * w) @ r.exp(0.7 * w), R)
    close(r.exp(-w), R.T, 1e-14)
    close(r.exp(R @ v), R @ r.exp(v) @ R.T)
    close(r.exp_derivative(w), R.T @ r.exp_derivative(-w))


# ---- quaternions


@examples(15, 10000)
@given(quaternions, quaternions, vectors)
def test_quaternions_stand_for_rotations(a, b, w):
    A, B = r.quaternion_matrix(a), r.quaternion_matrix(b)
    close(A @ A.T, np.eye(3), 1e-14)
    close(r.quaternion_matrix(-a), A, 0)  # the double cover
    close(r.quaternion_matrix(r.quaternion_product(a, b)), A @ B, 1e-14)
    close(r.quaternion_matrix(r.quaternion_inverse(a)), A.T, 0)
    close(r.quaternion_product(a, r.quaternion_inverse(a)), [0, 0, 0, 1], 1e-15)
    if abs(a[3]) > 1e-12:  # at a half turn the axis has two signs
        close(r.quaternion_log(-a), r.quaternion_log(a), 1e-15)
        close(r.log(A), r.quaternion_log(a), 1e-12)
    close(r.quaternion_matrix(r.quaternion_exp(w)), r.exp(w), 1e-14)
    back = r.quaternion(A)
    assert back[3] >= -1e-15
    assert min(np.abs(back - a).max(), np.abs(back + a).max()) < 1e-14
    close(r.normalised(3.0 * a), a, 1e-15)


@examples(4, 2500)
@given(quaternions, vectors)
def test_quaternion_rates_are_those_of_the_matrix(q, w):
    """Ṙ = R [w], by differences at 50 digits."""
    rates = over_all_scalars(r.quaternion_rates, q, w)
    assert abs(q @ rates) < 1e-14  # the length stays
    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -20
        up, down = (r.quaternion_matrix(mp(q) + s * h * mp(rates)) for s in (1, -1))
        slope = (up - down) / (2 * h)
    close(slope, r.quaternion_matrix(q) @ r.skew(w), 2e-14)


@given(quaternions, quaternions)
@examples(4, 100)
def test_quaternions_over_all_scalars(a, b):
    over_all_scalars(r.quaternion_matrix, a, tolerance=1e-15)
    over_all_scalars(r.quaternion_product, a, b, tolerance=1e-15)
    over_all_scalars(r.quaternion_log, a, tolerance=1e-14)
    over_all_scalars(r.quaternion_exp, a[:3], tolerance=1e-15)
    over_all_scalars(r.normalised, a * 2, tolerance=1e-15)


@examples(11, 1000)
@given(st.sampled_from(ALL_ANGLES), st.sampled_from(AXES))
def test_quaternion_exp_and_log_are_inverse(angle, axis):
    w = unit(axis) * angle
    q = r.quaternion_exp(w)
    assert abs(np.linalg.norm(q) - 1) < 1e-15
    close(q[3], np.cos(angle / 2), 4e-16)
    np.testing.assert_allclose(r.quaternion_log(q), w, rtol=1e-14, atol=1e-14 * angle)


def test_vector_keeps_objects_and_makes_floats():
    assert r.vector([1, 2]).dtype == float
    assert r.vector([mpmath.mpf(1), 2]).dtype == object


def test_snapping_is_careful():
    """±1 only where nothing else is left in row and column, and only what is near it."""
    R = r.about_axis([0.0, 0.0, 1.0], np.pi / 2)
    assert np.array_equal(r.snapped(R, 1e-10), [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    assert r.snapped(R, 0.0) is R
    small = r.about_axis([0.0, 0.0, 1.0], 1e-9)  # nothing of it is within 1e-10 of 0
    assert np.array_equal(r.snapped(small, 1e-10), small)
    tilted = np.array([[0.96, 0.28, 0.0], [1e-11, 0.9, 1e-11], [0.0, 1e-3, 1.0 - 1e-12]])
    # alone in its row, but far from ±1; alone in its column, but not in its row
    expected = [[0.96, 0.28, 0.0], [0.0, 0.9, 0.0], [0.0, 1e-3, 1.0 - 1e-12]]
    assert np.array_equal(r.snapped(tilted, 1e-10), expected)
    axis = np.array([1e-12, -1.0 + 1e-12, 0.0])
    assert np.array_equal(r.snapped(axis, 1e-10), [0.0, -1.0, 0.0])


@examples(100, 5000)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-10, 1e-5, 1e-3]))
def test_what_is_snapped_is_a_rotation(seed, near):
    """Angles nearly special, one or several of three; entries that a rotation can have stay 0."""
    rng = np.random.default_rng(seed)
    angles = rng.choice([0.0, np.pi / 2, np.pi, 0.3], 3) + rng.choice([0, near / 3], 3)
    R = np.eye(3)
    for axis, angle in zip(np.eye(3), angles, strict=True):
        R = R @ r.about_axis(axis, angle)
    snapped = r.snapped(R, near)
    assert np.abs(snapped.T @ snapped - np.eye(3)).max() <= 1e-15
    assert np.abs(snapped - R).max() <= 2 * near


@pytest.mark.parametrize("q", [[0, 0, 0, 0], [0.0, 0.0, 0.0, 2.0], np.zeros(4), [0, 0.1, 0, 0.1]])
def test_a_quaternion_of_numbers_has_length_one(q):
    with pytest.raises(
        RotationError, match=r"is not a rotation: .* has length one, got (0|2|0\.141421)$"
    ):
        r.quaternion_matrix(q)
    assert np.isnan(r.quaternion_matrix([np.nan, 0, 0, 1])).any()
