"""Where arms reach: rings, arcs and areas against the inverse, volumes against formulas."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, ConstrainedError, ShapeError
from visviva.solve.singular.arcs import (
    PlaneArm,
    area_of_two,
    boundary,
    reached_by_two,
    turned_all_ways,
)
from visviva.solve.singular.chosen import chosen
from visviva.solve.singular.region import swept

LIMITED = PlaneArm(
    0j,
    np.array([1.0, 0.8 + 0j]),
    np.ones(2),
    np.array([-1.0, -0.5]),
    np.array([2.0, 2.5]),
    ("q1", "q2"),
)


def free(*lengths):
    n = len(lengths)
    names = tuple(f"q{k}" for k in range(n))
    return PlaneArm(
        0j, np.array(lengths, complex), np.ones(n), np.full(n, -np.pi), np.full(n, np.pi), names
    )


def tips(arm, q):
    turned = np.exp(1j * np.cumsum(arm.sense * q, axis=-1))
    return arm.base + np.sum(turned * arm.d, axis=-1)


def test_reach_of_hinges_that_turn_all_round():
    assert free(1.0, 0.8).reach == pytest.approx((0.2, 1.8))
    assert free(1.0, 0.8, 0.5).reach == pytest.approx((0.0, 2.3))
    assert free(3.0, 0.8, 0.5).reach == pytest.approx((1.7, 4.3))


def test_every_orientation_is_reached_where_it_is_said_and_not_beside():
    """The wrist of a 3R must reach all of the circle about the tip."""
    for lengths in ((1.0, 0.8, 0.5), (1.0, 0.3, 0.5), (0.5, 0.5, 0.2), (0.5, 0.4, 1.5)):
        arm = free(*lengths)
        inner, outer = arm.without_last().reach
        parts = turned_all_ways(arm)
        phi = np.linspace(0, 2 * np.pi, 721)
        for r in np.linspace(0.001, sum(lengths), 400):
            wrist = np.abs(r - lengths[2] * np.exp(1j * phi))
            everywhere = ((wrist >= inner - 1e-9) & (wrist <= outer + 1e-9)).all()
            said = any(a - 1e-9 <= r <= b + 1e-9 for a, b in parts)
            assert everywhere == said, (lengths, r, parts)


def test_the_boundary_of_two_hinges_with_limits_closes_and_separates():
    is_reached = reached_by_two(LIMITED)
    rng = np.random.default_rng(0)
    q = rng.uniform(LIMITED.lower, LIMITED.upper, (2000, 2))
    assert is_reached(tips(LIMITED, q)).all()
    arcs = [a for a in boundary(LIMITED, is_reached, 1.8) if a.is_boundary]
    ends = np.array([p for a in arcs for p in a.points(2)])
    for k, p in enumerate(ends):  # each end is that of another arc
        gaps = np.abs(np.delete(ends, k) - p)
        assert gaps.min() < 2e-3
    for arc in arcs:  # one side is reached, the other is not
        t = arc.start + arc.sweep * np.linspace(0.1, 0.9, 9)
        inside, outside = (
            is_reached(arc.centre + (arc.radius + d) * np.exp(1j * t)) for d in (-1e-6, 1e-6)
        )
        assert (inside != outside).all()


def test_the_area_of_two_hinges():
    """Of a ring, and with limits against points thrown at it: 4e5 of them leave 0.005."""
    assert area_of_two(free(1.0, 0.8)) == pytest.approx(np.pi * (1.8**2 - 0.2**2), rel=1e-12)
    rng = np.random.default_rng(1)
    points = rng.uniform(-1.8, 1.8, (400000, 2)) @ np.array([1, 1j])
    thrown = reached_by_two(LIMITED)(points).mean() * 3.6**2
    assert area_of_two(LIMITED) == pytest.approx(thrown, abs=0.02)
    assert area_of_two(LIMITED, 16) == pytest.approx(area_of_two(LIMITED, 128), rel=1e-12)
    narrow = PlaneArm(
        0j, LIMITED.d, np.array([1.0, -1.0]), np.array([0.0, 0.1]), np.array([0.5, 1.0]), ("a", "b")
    )
    # where no point is reached twice it is ∫ |det J| = l1 l2 (cos 0.1 - cos 1) 0.5
    assert area_of_two(narrow) == pytest.approx(0.8 * (np.cos(0.1) - np.cos(1.0)) * 0.5, rel=1e-12)


def test_a_plane_arm_is_exact_and_says_so():
    ring = vv.catalog.two_link(L1=1.0, L2=0.8).workspace("tool", samples=500)
    assert ring.is_exact
    assert ring.size == pytest.approx(np.pi * (1.8**2 - 0.2**2))
    assert sorted(a.radius for a in ring.boundary) == pytest.approx([0.2, 1.8])
    assert ring.manipulability.shape == (500,)
    gaps = np.linalg.norm(ring.positions, axis=1)
    assert gaps.min() >= 0.2 - 1e-12
    assert gaps.max() <= 1.8 + 1e-12
    assert "exact: 2 hinges that turn all round reach a ring" in str(ring)
    disc = vv.catalog.two_link(L1=0.8, L2=0.8).workspace("tool", samples=200)
    assert "reach a disc" in str(disc)


def test_what_is_sampled_is_called_so():
    """A ball without a ball: 4/3 π (1 - 0.2³); cells of the grid leave some per cent."""
    ball = vv.catalog.spatial_3r(l1=0.6, l2=0.4).workspace("tool", samples=20000)
    assert not ball.is_exact
    assert "sampled: by random positions" in str(ball)
    assert ball.reach == pytest.approx((0.2, 1.0), abs=1e-12)  # positions on singular sets
    assert ball.size == pytest.approx(4 / 3 * np.pi * (1 - 0.2**3), rel=0.03)
    assert ball.dexterous is None
    assert ball.arcs == ()


def test_joints_with_limits_and_slides():
    b = vv.Builder("limited")
    b.body("a", joint="revolute", joint_name="q1", mass=1.0, limits=(-1.0, 2.0))
    b.body(
        "b",
        parent="a",
        joint="revolute",
        joint_name="q2",
        at=[1.0, 0, 0],
        mass=1.0,
        limits=(-0.5, 2.5),
    )
    arm = b.frame("tool", body="b", at=[0.8, 0, 0]).build()
    w = arm.workspace("tool", samples=500)
    assert w.is_exact
    assert w.size == pytest.approx(area_of_two(LIMITED), rel=1e-12)
    folded = np.abs(1 + 0.8 * np.exp(2.5j))
    assert w.reach == pytest.approx((folded, 1.8), abs=1e-12)
    assert arm.workspace("tool", samples=500, limits=False).reach == pytest.approx((0.2, 1.8))
    with pytest.raises(ArgumentError, match=r"the slide q2 of 'rp_arm' has no limits"):
        vv.catalog.rp_arm().workspace("tool")
    with pytest.raises(ArgumentError, match="samples is a whole number from 100 on, got 3"):
        arm.workspace("tool", samples=3)
    with pytest.raises(ConstrainedError, match="is held by"):
        vv.catalog.four_bar().workspace("coupler")


def test_orientations_by_inverse_kinematics_agree_with_the_exact_ring():
    arm = vv.catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5)
    space = arm.workspace("tool", samples=200)
    r = np.array([0.1, 0.29, 0.35, 0.6, 0.71, 1.29, 1.4, 2.4])
    share = space.dexterity(np.stack([r, 0 * r, 0 * r], axis=1), orientations=60)
    inside = [any(a <= x <= b for a, b in space.dexterous) for x in r]
    assert list(share == 1.0) == inside
    assert share[-1] == 0.0
    with pytest.raises(
        ShapeError, match=r"points are \(N, 3\) finite numbers, got the shape \(3,\)"
    ):
        space.dexterity([1.0, 0.0, 0.0])


def test_the_figure_has_map_boundary_and_arm():
    pytest.importorskip("plotly")
    arm = vv.catalog.planar_3r()
    names = [t.name for t in arm.workspace("tool", samples=300).plot([0.3, 0.7, -0.4]).data]
    assert names[0] == "sampled"
    assert "arm" in names
    assert any(n.startswith("boundary: theta1 turns") for n in names)
    assert any(n.startswith("every orientation: edge at 1.3 m") for n in names)


def arm_of_two(axis):
    """A hinge about z, and 0.3 m out another about this axis, which carries the tip at 0.25 m."""
    b = vv.Builder("furuta").body("a", joint="revolute", axis="z", mass=1.0)
    b.body("c", parent="a", joint="revolute", axis=axis, at=[0.3, 0, 0], mass=1.0)
    return b.frame("tip", "c", at=[0, 0, 0.25]).build()


def test_what_stays_on_a_surface_or_a_curve_has_no_volume():
    """A torus, a zone of a sphere (each place of it by two positions), a wrist, a circle."""
    torus = arm_of_two("y").workspace("tip", samples=100)
    assert torus.dimension == 2
    assert torus.size == pytest.approx(4 * np.pi**2 * 0.3 * 0.25, rel=1e-9)
    assert "a surface, area 2.96088 m²" in str(torus)
    arm, zone = chosen(arm_of_two("x"), "tip", "position", ""), np.pi * np.hypot(0.3, 0.25) / 2
    for low, high, area in (
        ([-4.0, -4.0], [4.0, 4.0], 2 * zone),
        ([-4.0, -0.5], [4.0, 1.0], zone * (1 - np.cos(1.0))),  # both sides of the top
        ([0.0, 0.5], [1.0, 1.0], zone * (np.cos(0.5) - np.cos(1.0)) / (2 * np.pi)),
        ([0.0, -0.5], [1.0, 1.0], None),  # some places once, some twice
    ):
        found = swept(arm, (0, 1), np.array(low), np.array(high))
        assert found == (None if area is None else pytest.approx(area, rel=1e-6))
    rows = [(0, np.pi / 2, 0, "q1"), (0, np.pi / 2, 0, "q2"), (0.4, 0, 0, "q3")]
    wrist = vv.from_dh(rows, convention="standard").workspace("tool", samples=100)
    assert (wrist.dimension, wrist.size) == (2, None)
    assert "a surface, its area not computed" in str(wrist)
    hinge = vv.catalog.pendulum(1).workspace("tool", samples=100)
    assert hinge.is_exact
    assert "reach 1 to 1 m from (0, 0, 0), a curve, length 6.28319 m" in str(hinge)


def chain(*joints, tip=(0, 0, 0)):
    """Of joints (kind, axis, where, limits)."""
    b = vv.Builder("chain")
    for k, (kind, axis, x, limits) in enumerate(joints):
        word = {"P": "prismatic", "R": "revolute"}[kind]
        on = {"parent": f"b{k - 1}"} if k else {}
        b.body(f"b{k}", joint=word, axis=axis, at=[x, 0, 0], mass=1.0, limits=limits, **on)
    return b.frame("tip", f"b{len(joints) - 1}", at=list(tip)).build()


ROUND, UNIT = (-np.pi, np.pi), (0, 1)
SAMPLED = [
    ([("P", "x", 0, UNIT), ("P", "y", 0, UNIT), ("P", "z", 0, UNIT)], 0, 1.0),
    ([("P", "z", 0, (0, 2)), ("R", "z", 0, ROUND), ("R", "z", 1, ROUND)], 0.5, 4 * np.pi),
    ([("P", "z", 0, (0, 2)), ("R", "z", 0, ROUND), ("P", "x", 0, (0.5, 1))], 0, 1.5 * np.pi),
    ([("P", "x", 0, (0, 3)), ("P", "y", 0, UNIT), ("P", "z", 0, (0, 0.2))], 0, 0.6),
    (
        [("R", "z", 0, (-0.5, 0.5)), ("R", "z", 1, (0.3, 2)), ("P", "z", 0.8, UNIT)],
        0,
        0.8 * (np.cos(0.3) - np.cos(2)),
    ),
    ([("R", "z", 0, (-1, 1)), ("R", "y", 0, (-0.5, 0.5)), ("R", "y", 1, (0.3, 2))], 0.8, 2.557876),
    ([("R", "z", 0, (-1, 1)), ("P", "x", 0, (0.5, 1))], 0, 0.75),
]  # where every place is reached once: ∫ |det J|


@pytest.mark.spread(2)
@pytest.mark.parametrize(("joints", "tip", "size"), SAMPLED)
def test_what_is_counted_is_right_within_its_error(joints, tip, size):
    found = chain(*joints, tip=(tip, 0, 0)).workspace("tip", samples=2000)
    assert found.size == pytest.approx(size, rel=0.05)
    assert abs(found.size - size) <= found.error
    assert f" about {found.size:.4g} ± " in str(found)


def test_points_and_lines_are_told_and_thin_shells_not():
    b = vv.Builder("w").body("a", joint="revolute", axis=[0.3, 0.5, 0.2], mass=1.0)
    still = b.frame("tip", "a", at=[0.21, 0.35, 0.14]).build().workspace("tip", samples=100)
    assert still.dimension == 0  # by rounding it moves by 1e-17
    for kind, axis in (("P", "x"), ("R", "z")):
        twice = chain((kind, axis, 0, UNIT), (kind, axis, 0, UNIT), tip=(1, 0, 0))
        assert "a curve, its length not computed" in str(twice.workspace("tip", samples=100))
    hinges = [("R", "z", 0, (-1, 1)), ("R", "y", 0, (-0.5, 0.5)), ("R", "y", 1, (0.3, 0.31))]
    shell = chain(*hinges, tip=(0.8, 0, 0)).workspace("tip", samples=100)
    assert shell.size is None
    assert "volume not computed" in str(shell)
    assert "cells of two sizes do not agree" in str(shell)


def test_sets_that_contradict_themselves_are_none():
    """6 s = 5 c with 5 s = -6 c: hundreds of positions were searched for on such a set."""
    assert [x.where for x in arm_of_two("x").singularities("tip").sets] == ["c_joint = 0 or π"]
    (never,) = arm_of_two("y").singularities("tip").sets
    assert never.where == ""  # its angles are no real numbers
