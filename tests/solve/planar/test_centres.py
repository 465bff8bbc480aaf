"""Instant centres: Kennedy's theorem, the velocities that they tell, hinges and slides."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close
from tests.support.generators.held import admitted_basis
from tests.support.generators.loops import MECHANISMS
from visviva.equations.constraints.rows import constraint_matrix
from visviva.equations.frames.kinematics import jacobian
from visviva.errors import ArgumentError, AssemblyError, ShapeError, UnknownNameError
from visviva.solve.planar.plane import plane_of_motion

seeds = st.integers(0, 2**32 - 1)
LINKAGES = ("four_bar", "slider_crank", "parallel_cranks", "five_bar", "n_four_bar", "andrews")


def homogeneous(x):
    """A point of the plane z = 0, or one infinitely far, as (x, y, w)."""
    return np.array([*x.point[:2], 1.0]) if x.point is not None else [*x.direction[:2], 0.0]


def kennedy(centres):
    """|det| of three centres, of length one each: how far they are from one line."""
    for three in combinations(centres.bodies, 3):
        some = [centres[pair] for pair in combinations(three, 2)]
        if all(x.kind != "at rest" for x in some):
            rows = [homogeneous(x) / np.linalg.norm(homogeneous(x)) for x in some]
            yield abs(np.linalg.det(rows))


def at_rest(name, seed):
    """A linkage at a position near its assembled one, and a motion that it has there."""
    m = vv.catalog.build(name)
    q = np.array(m.keyframes["assembled"])
    N, _ = admitted_basis(constraint_matrix(m.numeric, q))
    return m, q, N @ np.random.default_rng(seed).normal(size=N.shape[1])


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", LINKAGES)
def test_three_centres_are_on_one_line(name):
    m, q, v = at_rest(name, 4)
    centres = m.instant_centres(q, v)
    assert max(kennedy(centres)) < 1e-12


@examples(4, 500)
@given(seeds, st.sampled_from(["four-bar, hinge", "four-bar, point", "slider-crank"]))
def test_three_centres_are_on_one_line_of_random_linkages(seed, kind):
    """And joints are centres of what they join; bodies turn about their centres."""
    closed = MECHANISMS[kind](np.random.default_rng(seed))
    m, q = closed.model, closed.q
    centres = m.instant_centres(q)
    assert max(kennedy(centres)) < 1e-12
    for b, X in zip(m.bodies, m.body_poses(q), strict=True):
        parent = m.base_name if b.parent < 0 else m.bodies[b.parent].name
        c = centres[b.name, parent]
        if b.joint.kind == "revolute":
            # far centres of slow turns lose digits; these are at hinges
            close(c.point[:2], X.p[:2], 1e-10)
        else:
            assert c.kind == "at infinity"
        absolute = centres["world", b.name]
        J = jacobian(m, b.name, q)
        V = J @ centres.v
        if absolute.point is not None:
            r = X.p - absolute.point
            close(V[3:5], absolute.rate * np.array([-r[1], r[0]]), 1e-10)
            close(V[2], absolute.rate)


def test_the_centres_of_a_slider_crank_are_where_school_geometry_puts_them():
    m = vv.catalog.slider_crank()
    q = np.array(m.keyframes["assembled"])
    centres = m.instant_centres(q)
    l1, x = 0.1, q[2]
    close(centres["world", "crank"].point, np.zeros(3))
    close(centres["rod", "crank"].point, [l1 * np.cos(q[0]), l1 * np.sin(q[0]), 0])
    close(centres["rod", "world"].point, [x, x * np.tan(q[0]), 0])
    piston = centres["piston", "world"]
    assert piston.kind == "at infinity"
    close(np.abs(piston.direction), [0, 1, 0])
    assert len(centres) == 6
    assert "piston: infinitely far along" in repr(centres)
    assert {frozenset(x) for x in centres} == {*map(frozenset, combinations(centres.bodies, 2))}


def test_cranks_that_stay_parallel_shift_their_bar():
    m, q, _ = at_rest("parallel_cranks", 1)
    centres = m.instant_centres(q)
    assert centres["bar", "world"].kind == "at infinity"
    assert centres["crank1", "crank2"].rate == 0.0
    assert centres["crank1", "bar"].kind == "point"
    locked = vv.Builder("pair")
    locked.body("a", joint="revolute", joint_name="ja", mass=1)
    locked.body("b", parent="a", joint="revolute", joint_name="jb", at=[1, 0, 0], mass=1)
    pair = locked.build().instant_centres([0.3, 0.2], [1.0, 0.0])
    assert pair["a", "b"].kind == "at rest"
    assert "do not move relative to each other" in repr(pair["a", "b"])


def test_planes_are_found_wherever_they_lie():
    b = vv.Builder("tilted")
    R = vv.space.rotations.exp([0.3, -0.2, 0.5])
    b.body("one", joint="revolute", axis="z", rotation=R, mass=1)
    b.body("two", parent="one", joint="prismatic", axis=[1, 2, 0], at=[1, 0, 0], mass=1)
    m = b.build().numeric
    plane = plane_of_motion(m, [0.1, 0.2])
    close(np.abs(plane.normal @ R[:, 2]), 1.0)
    centre = m.instant_centres([0.1, 0.2], [1.0, 0.5])["world", "two"].point
    X = m.frame_pose("two", [0.1, 0.2])
    V = jacobian(m, "two", [0.1, 0.2]) @ [1.0, 0.5]
    close(V[3:], np.cross(V[:3], X.p - centre))
    side = vv.Builder("side")
    side.body("a", joint="revolute", axis="y", mass=1)
    p = plane_of_motion(side.build().numeric, [0.0])
    close([p.right, p.up], [[1, 0, 0], [0, 0, 1]])
    rail = vv.Builder("rail")
    rail.body("a", joint="prismatic", axis="z", mass=1)
    close(plane_of_motion(rail.build().numeric, [0.0]).up, [0, 0, 1])


def test_refusals():
    m = vv.catalog.five_bar()
    q = np.array(m.keyframes["assembled"])
    with pytest.raises(ArgumentError, match=r"can move in 2 ways.*theta1, theta2.*admitted_velo"):
        m.instant_centres(q)
    with pytest.raises(AssemblyError, match="v violates the constraints"):
        m.instant_centres(q, [1.0, 0.0, 0.0, 0.0])
    with pytest.raises(AssemblyError, match="q violates the constraints of 'five_bar'"):
        m.instant_centres(q + 0.1)
    with pytest.raises(ArgumentError, match="nothing of 'five_bar' moves with v = 0"):
        m.instant_centres(q, np.zeros(4))
    with pytest.raises(ShapeError, match="q of 'five_bar' has 4 entries"):
        m.instant_centres([1.0])
    arm = vv.catalog.puma560()
    with pytest.raises(ArgumentError, match=r"is for plane mechanisms, and 'puma560' is none.*j"):
        arm.instant_centres(np.zeros(6), np.ones(6))
    two = vv.catalog.two_link().instant_centres([0.1, 0.2], [1.0, 1.0])
    with pytest.raises(UnknownNameError, match=r"body of 'two_link' 'link3'.*'world', 'link1'"):
        _ = two["link1", "link3"]
    with pytest.raises(ArgumentError, match="that of two bodies"):
        _ = two["link1"]


def test_they_are_drawn():
    m, q, _ = at_rest("slider_crank", 0)
    names = {trace.name for trace in m.instant_centres(q).plot().data}
    assert names >= {"crank", "rod", "piston", "instant centres", "on the ground", "pins"}
