"""What closes a loop: every joint and every other closure answers three questions that agree."""

import mpmath
import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count
from tests.support.generators.bodies import JOINTS, close, mp, over_all_scalars, same_pose
from visviva.describe.joints.closure import Closure
from visviva.describe.joints.joint import Joint, normals
from visviva.describe.joints.named import CLOSURES, closure_called
from visviva.describe.joints.points import Distance, PointOnLine, PointOnPlane
from visviva.describe.joints.rolling import KnifeEdge, PointOnSurface, RollingBall, RollingDisc
from visviva.errors import ArgumentError, ParseError, UnknownNameError
from visviva.space import poses
from visviva.space.poses import Pose

UP = [0.0, 0.0, 1.0]
HELD = {k: j for k, j in JOINTS.items() if k != "free"}
POINTS = {
    "distance": Distance(0.7),
    "point_on_line": PointOnLine([1.0, 2.0, -3.0]),
    "point_on_plane": PointOnPlane([0.0, 1.0, 0.3]),
    "point_on_surface": PointOnSurface("x^2 + 2 y^2 + sin(z) - k", {"k": 1.5}),
    "rolling_ball": RollingBall(0.4),
    "rolling_disc": RollingDisc([1.0, -2.0, 0.5], 0.4),
    "knife_edge": KnifeEdge([0.3, 1.0, 0.2]),
}
ALL = {**HELD, **POINTS}


def test_every_closure_is_asked():
    assert {type(x) for x in (*JOINTS.values(), *POINTS.values())} == set(CLOSURES.values())


def held(name, rng):
    """A pose at which the closure holds."""
    closure = ALL[name]
    if name in JOINTS:
        none = np.full(closure.nq, np.inf)
        return closure.transform(closure.random(rng, -none, none))
    X = poses.exp(rng.normal(size=6))
    along = {
        "distance": lambda p: p / np.linalg.norm(p) * 0.7,
        "point_on_line": lambda p: closure.axis * p[0],
        "point_on_plane": lambda p: p - closure.normal * (closure.normal @ p),
        "point_on_surface": lambda p: [np.sqrt(1.5 - 2 * 0.3**2 - np.sin(p[2])), 0.3, p[2]],
        "rolling_ball": lambda p: [*p[:2], 0.4],
        "rolling_disc": lambda p: [*p[:2], 0.4 * np.linalg.norm(np.cross(X.R @ closure.axis, UP))],
        "knife_edge": lambda p: p,
    }
    return Pose(X.R, along[name](X.p))


def exactly(X, V, s):
    """X moved along V for the time s, in mpmath's digits."""
    w, v = mp(V)[:3] * s, mp(V)[3:] * s
    return Pose.of(mp(X.R), mp(X.p)) @ poses.exp(np.array([*w, *v]))


def slope(f, X, V):
    """df/dt along V, by differences at 50 digits."""
    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -18
        up, down = (np.asarray(f(exactly(X, V, s * h)), dtype=object) for s in (1, -1))
        return ((up - down) / (2 * h)).astype(float)


@pytest.mark.spread(5)
@pytest.mark.soak
@pytest.mark.parametrize("name", JOINTS)
def test_a_pose_is_located(name):
    """transform(located(X)) = X for every pose that the joint has, over all scalars."""
    joint = JOINTS[name]
    rng = np.random.default_rng(0)
    none = np.full(joint.nq, np.inf)
    for _ in range(count(5, 500)):
        q = joint.random(rng, -none, none)
        X = joint.transform(q)
        there = joint.located(X)
        assert there.shape == (joint.nq,)
        same_pose(joint.transform(there), X, 1e-14)
        if joint.quaternion is None and name != "yoke":
            close(there, q, 1e-14)
    if joint.nq:
        over_all_scalars(lambda q: joint.located(joint.transform(q)), q, tolerance=1e-13)


def test_a_screw_counts_whole_turns():
    screw = JOINTS["helical"]
    for turns in (-40.0, -2.0, 3.0, 7.5):
        q = np.array([2 * np.pi * turns + 0.4])
        close(screw.located(screw.transform(q)), q, 1e-13)
    nut = closure_called("helical", "z", {"pitch": 0.0})
    close(nut.located(nut.transform([0.4])), [0.4], 1e-15)


def test_a_joint_of_ones_own_that_closes_no_loops_needs_no_answer():
    class Odd(type(JOINTS["revolute"])):
        located = Joint.located
        subspace_rate = type(JOINTS["universal"]).subspace_rate

    with pytest.raises(ArgumentError, match=r"Odd does not say .* define located\(X\)"):
        Odd([0.0, 0.0, 1.0]).wrenches(Pose.identity())


@pytest.mark.spread(8)
@pytest.mark.soak
@pytest.mark.parametrize("name", ALL)
def test_errors_and_wrenches_belong_together(name):
    """Where it holds the error is zero and changes by Tᵀ V; T changes by its rate everywhere."""
    closure = ALL[name]
    rng = np.random.default_rng(1)
    for _ in range(count(3, 100)):
        X, V = held(name, rng), rng.normal(size=6)
        k = closure.position_rows
        assert closure.error(X).shape == (k,)
        close(closure.error(X), np.zeros(k), 1e-14)
        T = closure.wrenches(X)
        assert T.shape == (6, k + closure.velocity_rows)
        close(slope(closure.error, X, V), (T.T @ V)[:k], 1e-13)
        off = X @ poses.exp(rng.normal(size=6) * 0.3)
        if name in JOINTS:
            S = closure.subspace(closure.located(X))
            close(S.T @ T, np.zeros((closure.nv, k)), 1e-14)
            off = X
        close(slope(closure.wrenches, off, V), closure.wrench_rate(off, V), 1e-13)
        close(Closure.wrench_rate(closure, off, V), closure.wrench_rate(off, V), 1e-13)


@pytest.mark.parametrize("name", ALL)
def test_an_error_is_zero_only_where_it_holds(name):
    """Flipped about any axis, and wherever else the frame is, it says so."""
    closure = ALL[name]
    rng = np.random.default_rng(2)
    for V in [*np.pi * np.eye(6)[:3], *rng.normal(size=(20, 6))]:
        X = held(name, rng) @ poses.exp(V)
        if name in JOINTS:
            near = closure.transform(closure.located(X))
            off = np.abs(near.matrix() - X.matrix()).max()
            error = np.abs(closure.error(X)).max()
            assert (off < 1e-12) == (error < 1e-12), (off, error)
            assert error < 1e-12 or error > 1e-3 * off


def test_an_axis_that_points_the_other_way_is_not_closed():
    hinge = closure_called("revolute", None, {})
    error = hinge.error(Pose.rotation([1.0, 0.0, 0.0], np.pi))
    assert abs(np.linalg.norm(error[:2]) - np.pi) < 1e-12


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", ALL)
def test_closures_over_all_scalars(name):
    closure = ALL[name]
    X = held(name, np.random.default_rng(3))
    x = np.array([*X.R.ravel(), *X.p])

    def pose(x):
        return Pose.of(x[:9].reshape(3, 3), x[9:])

    over_all_scalars(lambda x: closure.error(pose(x)), x, tolerance=1e-13)
    over_all_scalars(lambda x: closure.wrenches(pose(x)) + 0 * x[0], x, tolerance=1e-14)
    V = np.arange(1.0, 7.0)
    over_all_scalars(lambda x, V: closure.wrench_rate(pose(x), V) + 0 * V[0], x, V, tolerance=1e-13)


def test_closures_by_name():
    rod = closure_called("distance", None, {"length": 2.0})
    assert (rod.kind, rod.length) == ("distance", 2.0)
    assert closure_called("point_on_line", "y", {}).axis.tolist() == [0.0, 1.0, 0.0]
    with pytest.raises(ArgumentError, match="'distance' takes length=, got nothing"):
        closure_called("distance", None, {})
    with pytest.raises(ArgumentError, match="'distance' has no axis"):
        closure_called("distance", "x", {"length": 1.0})
    with pytest.raises(UnknownNameError, match="did you mean 'revolute'"):
        closure_called("revolut", None, {})
    with pytest.raises(ArgumentError, match="a distance is positive, got 0"):
        Distance(0.0)


def test_a_free_joint_closes_nothing():
    b = vv.Builder("two").body("a", joint="revolute", mass=1.0, com=[1, 0, 0]).build()
    with pytest.raises(ArgumentError, match="a free joint holds nothing"):
        b.with_loop("world", "a", "free")


def test_a_disc_touches_with_its_lowest_point():
    """By a search over the rim: how high it is, and that this point of the disc stands still."""
    disc = POINTS["rolling_disc"]
    rng = np.random.default_rng(4)
    X = held("rolling_disc", rng)
    x, y = normals(disc.axis)
    angles = np.linspace(0, 2 * np.pi, 200_001)
    rim = 0.4 * (np.cos(angles)[:, None] * x + np.sin(angles)[:, None] * y)
    heights = X.p[2] + rim @ X.R[2]
    low = rim[heights.argmin()]
    assert abs(heights.min()) < 1e-8  # the search has steps of 3e-5, the height squares of them
    T = disc.wrenches(X)
    directions = X.R @ T[3:]
    close(directions[:, 0], UP, 1e-14)
    close(directions.T @ directions, np.eye(3), 1e-14)
    close(X.R @ disc.axis @ directions[:, 1], 0.0, 1e-14)
    close(T[:3], np.cross(low, T[3:].T).T, 1e-4)
    still = np.concatenate([w := rng.normal(size=3), -np.cross(w, low)])  # turns about that point
    close(T.T @ still, np.zeros(3), 1e-4)


def test_a_surface_is_given_as_text_or_function():
    text = PointOnSurface("x^2 + y^2 + z^2 - r^2", {"r": 2.0})
    function = PointOnSurface(lambda p: p @ p - 4.0)
    X = Pose.translation([1.0, 0.5, -0.3])
    close(text.error(X), function.error(X), 1e-15)
    close(text.wrenches(X), function.wrenches(X), 1e-15)
    close(text.wrenches(X)[3:, 0], X.p / np.linalg.norm(X.p), 1e-15)
    assert closure_called("point_on_surface", None, {"surface": "z - x^2"}).numbers == {}
    with pytest.raises(ParseError, match="unknown name 'r'"):
        PointOnSurface("x^2 - r")
    with pytest.raises(ArgumentError, match="none stands in it"):
        PointOnSurface("3")
    with pytest.raises(ArgumentError, match="a text over x, y, z or a function, got int"):
        PointOnSurface(3)
    with pytest.raises(ArgumentError, match="a radius is positive, got -1"):
        RollingBall(-1.0)
