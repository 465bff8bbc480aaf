"""Random vectors, rotations, bodies and trees, and references that share nothing with the code."""

from functools import cache

import mpmath
import numpy as np
from hypothesis import strategies as st

import visviva as vv
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.joints.axis import Cylindrical, Fixed, Helical, Prismatic, Revolute, Universal
from visviva.describe.joints.free import Free, Planar, Spherical
from visviva.space import rotations
from visviva.space.poses import Pose

ANGLES = [
    0.0,
    1e-300,
    1e-20,
    1e-15,
    1e-12,
    1e-9,
    1e-8,
    1e-7,
    1.9e-6,
    1e-5,
    1e-4,
    1e-3,
    1e-2,
    0.1,
    0.7,
]
ANGLES += [1.0, 1.5, 2.0 - 1e-9, 2.0, 2.0 + 1e-9, 2.5, 3.0, 3.1]  # the series end at 2
NEAR_PI = [np.pi - 10.0**-k for k in (1, 2, 4, 6, 8, 10, 12, 14, 15)] + [np.pi]
AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1], [1, 1, 0], [0, -1, 1], [1, 2, -3], [-5, 1, 1]]

JOINTS = {
    "fixed": Fixed(),
    "revolute": Revolute([0.0, 0.6, 0.8]),
    "prismatic": Prismatic([2.0, -1.0, 2.0]),
    "helical": Helical([1.0, 2.0, 2.0], 0.3),
    "cylindrical": Cylindrical([1.0, 0.0, -1.0]),
    "universal": Universal([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
    "skew_universal": Universal([1.0, 0.2, 0.0], [0.3, 1.0, -0.5]),
    "planar": Planar([0.0, 0.0, 1.0]),
    "down_planar": Planar([0.0, 0.0, -1.0]),
    "tilted_planar": Planar([1.0, -2.0, 0.5]),
    "spherical": Spherical(),
    "free": Free(),
}


def unit(v):
    return np.asarray(v, dtype=float) / np.linalg.norm(v)


def vectors(n, size=3.0):
    """Vectors of n numbers up to `size`."""
    return st.lists(st.floats(-size, size), min_size=n, max_size=n).map(np.array)


def turns():
    """Rotation matrices, from quaternions: no formula of the exponential is used."""
    whole = vectors(4, 1.0).filter(lambda q: np.linalg.norm(q) > 1e-2)
    return whole.map(lambda q: rotations.quaternion_matrix(unit(q)))


def places():
    """Poses."""
    return st.builds(Pose, turns(), vectors(3))


def clouds():
    """Masses and positions of one to six points."""
    point = st.tuples(st.floats(0.1, 5.0), vectors(3, 2.0))
    return st.lists(point, min_size=1, max_size=6)


def cloud_inertia(cloud):
    """Mass, centre, tensor about it, from the sums that define them."""
    m = np.array([p[0] for p in cloud])
    r = np.array([p[1] for p in cloud])
    com = m @ r / m.sum()
    tensor = sum(
        a * ((c @ c) * np.eye(3) - np.outer(c, c)) for a, c in zip(m, r - com, strict=True)
    )
    return m.sum(), com, tensor


def bodies():
    """Bodies that exist, because they are clouds of points."""
    return clouds().map(lambda cloud: Inertia(*cloud_inertia(cloud)))


def close(a, b, tolerance=1e-12):
    """Equal up to `tolerance`, relative to the larger of one and the largest entry."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert a.shape == b.shape, (a.shape, b.shape)
    scale = max(1.0, np.abs(b).max(initial=0.0))
    assert np.isfinite(a).all(), a
    np.testing.assert_allclose(a / scale, b / scale, rtol=0, atol=tolerance)


def same_inertia(a, b, tolerance=1e-12):
    close(a.mass, b.mass, tolerance)
    close(a.com, b.com, tolerance)
    close(a.tensor, b.tensor, tolerance)


def same_pose(a, b, tolerance=1e-12):
    close(a.matrix(), b.matrix(), tolerance)


# ---- other scalars


def mp(x):
    """The same numbers as mpmath's."""
    return np.array([mpmath.mpf(float(v)) for v in np.ravel(x)], dtype=object).reshape(np.shape(x))


@cache
@cache
def compiled(f, *sizes):
    """f of vectors of these lengths, traced over expressions and compiled."""
    return vv.function(f, inputs={f"x{i}": n for i, n in enumerate(sizes)})


def over_all_scalars(f, *args, tolerance=1e-12):
    """f on floats, after checking that mpmath and machine code say the same."""
    expected = np.asarray(f(*args), dtype=float)
    close(f(*(mp(x) for x in args)), expected, tolerance)
    if expected.size:
        close(compiled(f, *(len(x) for x in args))(*args), expected, tolerance)
    return expected


# ---- the exponential map from its definition, at 80 digits

DIGITS = 80


def reference_exp(V):
    """The 4 × 4 exponential of a twist (or of a rotation vector) by mpmath's own series."""
    w, v = list(V[:3]), list(V[3:]) or [0, 0, 0]
    return mpmath.expm(_hat(w, v), method="taylor")


def reference_derivative(V):
    """How a change of V moves exp(V), in turned axes, by central differences of 1e-25."""
    with mpmath.workdps(DIGITS):
        V = [mpmath.mpf(float(x)) for x in V]
        h = mpmath.mpf(10) ** -25  # error of order 1e-50
        back = reference_exp([-x for x in V])
        columns = []
        for k in range(len(V)):
            up, down = (
                reference_exp([x + s * h * (i == k) for i, x in enumerate(V)]) for s in (1, -1)
            )
            M = back * (up - down) / (2 * h)
            columns.append([float(x) for x in (M[2, 1], M[0, 2], M[1, 0], *M[:3, 3])[: len(V)]])
    return np.array(columns).T


def as_floats(M):
    return np.array(M.tolist(), dtype=float)


def _hat(w, v):
    x, y, z = w
    return mpmath.matrix([[0, -z, y, v[0]], [z, 0, -x, v[1]], [-y, x, 0, v[2]], [0, 0, 0, 0]])


# ---- trees


def random_tree(rng, size, kinds=tuple(k for k in JOINTS if k != "fixed")):
    """A tree that mixes joint types, with a frame on every body."""
    b = Builder("tree")
    names = [""]
    for i in range(size):
        cloud = [(rng.uniform(0.1, 2.0), rng.normal(size=3)) for _ in range(4)]
        b.body(
            f"body{i}",
            parent=str(rng.choice(names)),
            joint=JOINTS[str(rng.choice(kinds))],
            inertia=Inertia(*cloud_inertia(cloud)),
            at=rng.normal(size=3),
            rotation=rotations.quaternion_matrix(unit(rng.normal(size=4))),
        )
        names.append(f"body{i}")
        b.frame(f"frame{i}", body=f"body{i}", at=rng.normal(size=3))
    return b.build()
