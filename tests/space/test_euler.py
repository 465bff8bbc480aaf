"""Euler angles: 24 conventions and the one that lists precession, spin, nutation."""

import mpmath
import numpy as np
import pytest
from hypothesis import given

from tests.support.counts import examples
from tests.support.generators.bodies import close, mp, over_all_scalars, turns, vectors
from visviva.errors import UnknownNameError
from visviva.space import euler
from visviva.space import rotations as r

NAMES = [*euler.CONVENTIONS, "Z1X3Z2", "Z3Y2X1"]


def elementary(letter, angle):
    c, s = np.cos(angle), np.sin(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[letter.lower()]


def by_hand(q, name):
    """Moving axes multiply from the right, fixed axes from the left."""
    letters = [c for c in name if c.isalpha()]
    places = [int(c) - 1 for c in name if c.isdigit()] or [0, 1, 2]
    R = np.eye(3)
    for letter, k in zip(letters, places, strict=True):
        turn = elementary(letter, q[k])
        R = R @ turn if letter.isupper() else turn @ R
    return R


def test_there_are_24():
    assert len(set(euler.CONVENTIONS)) == 24
    assert {"ZXZ", "ZYX", "xyz", "zxz"} <= set(euler.CONVENTIONS)


@pytest.mark.parametrize("name", NAMES)
@examples(4, 1000)
@given(vectors(3, np.pi))
def test_matrix_is_the_product_of_three_turns(name, q):
    close(euler.euler_matrix(q, name), by_hand(q, name), 4e-15)


@pytest.mark.spread(11)
@pytest.mark.parametrize("name", NAMES)
@examples(3, 2000)
@given(turns())
def test_angles_of_any_rotation(name, R):
    """Also at and near the singularity, where two of them are not unique."""
    q = euler.euler_angles(R, name)
    close(euler.euler_matrix(q, name), R, 2e-14)
    c = euler.convention(name)
    middle = q[c.places[1]]
    assert (0 <= middle <= np.pi) if c.is_proper else (abs(middle) <= np.pi / 2)


@pytest.mark.spread(52)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("distance", [0.0, 1e-15, 1e-10, 1e-8, 1e-4])
def test_angles_at_the_singularity(name, distance):
    c = euler.convention(name)
    for centre in (0.0, np.pi) if c.is_proper else (np.pi / 2, -np.pi / 2):
        q = np.array([0.4, -0.9, 0.3])
        q[c.places[1]] = centre + distance
        R = euler.euler_matrix(q, name)
        assert abs(euler.euler_singularity(q, name)) < 1.1 * distance + 1e-15
        close(euler.euler_matrix(euler.euler_angles(R, name), name), R, 2e-14)


@pytest.mark.spread(11)
@pytest.mark.parametrize("name", NAMES)
@examples(3, 500)
@given(vectors(3, np.pi), vectors(3))
def test_rates_are_those_of_the_matrix(name, q, rates):
    """Ṙ = R [B q̇], by differences at 50 digits; det B is what `euler_singularity` says."""
    B = euler.euler_rates_matrix(q, name)
    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -20
        up, down = (euler.euler_matrix(mp(q) + s * h * mp(rates), name) for s in (1, -1))
        slope = (up - down) / (2 * h)
    close(slope, by_hand(q, name) @ r.skew(B @ rates), 4e-14)
    close(abs(np.linalg.det(B)), abs(euler.euler_singularity(q, name)), 4e-15)


def test_precession_spin_nutation():
    q = np.array([0.3, -1.1, 0.8])
    B = euler.euler_rates_matrix(q, "Z1X3Z2")
    s2, c2, s3, c3 = np.sin(q[1]), np.cos(q[1]), np.sin(q[2]), np.cos(q[2])
    close(B, [[s2 * s3, 0, c2], [c2 * s3, 0, -s2], [c3, 1, 0]], 1e-15)
    close(np.linalg.det(B), np.sin(q[2]), 1e-15)
    close(euler.euler_singularity(q, "Z1X3Z2"), np.sin(q[2]), 1e-15)


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", ["ZYX", "zxz", "Z1X3Z2"])
@pytest.mark.parametrize("function", ["euler_matrix", "euler_rates_matrix", "euler_singularity"])
def test_over_all_scalars(name, function):
    f = getattr(euler, function)
    over_all_scalars(lambda q: f(q, name), np.array([0.3, -0.7, 1.1]), tolerance=1e-15)


def test_angles_over_all_scalars():
    R = euler.euler_matrix([0.3, -0.7, 1.1], "ZYX").ravel()
    angles = over_all_scalars(lambda x: euler.euler_angles(x.reshape(3, 3), "ZYX"), R)
    close(angles, [0.3, -0.7, 1.1], 4e-15)


@pytest.mark.parametrize("name", ["ZZX", "ZYx", "", "Z1X1Z2", "Z1X3", "ABC", "ZYXZ"])
def test_unknown_conventions_list_the_known_ones(name):
    with pytest.raises(UnknownNameError, match=r"unknown Euler angle convention .*'XYX'.*'Z1X3Z2'"):
        euler.convention(name)
