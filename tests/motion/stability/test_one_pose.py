"""Positions that are one pose are listed once; those beside a branch point are of that one."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, BranchesError

SAME = 1e-9


def floating_coupler():
    """A four-bar whose coupler is on a planar joint, closed by two hinges."""
    b = vv.Builder("four-bar with a floating coupler", gravity=[0, -9.81, 0])
    b.body("crank", joint="revolute", joint_name="a", axis="z", mass=1, com=[0.1, 0, 0])
    ground = [0.5, 0, 0]
    b.body("rocker", joint="revolute", joint_name="c", axis="z", at=ground, mass=1, com=[0.1, 0, 0])
    b.body("coupler", joint="planar", joint_name="P", axis="z", mass=1)
    b.frame("A", body="crank", at=[0.2, 0, 0]).frame("B", body="rocker", at=[0.4, 0, 0])
    b.frame("A2", body="coupler").frame("B2", body="coupler", at=[0.5, 0, 0])
    m = b.build().with_loop("A", "A2", joint="revolute", axis="z")
    return m.with_loop("B", "B2", joint="revolute", axis="z")


def plate(joint, **axis):
    """On two springs in the plane, its weight below their ends."""
    b = vv.Builder("plate", gravity=[0, -9.81, 0])
    solid = vv.Inertia(1.0, [0, 0, 0], np.diag([0.01, 0.012, 0.02]))
    b.body("p", joint=joint, joint_name="P", inertia=solid, **axis)
    b.frame("w1", body="world", at=[-0.5, 1, 0]).frame("w2", body="world", at=[0.5, 1, 0])
    b.frame("p1", body="p", at=[-0.2, 0.1, 0]).frame("p2", body="p", at=[0.2, 0.1, 0])
    b.spring("s1", 100.0, 0.3, between=("w1", "p1")).spring("s2", 100.0, 0.3, between=("w2", "p2"))
    return b.build()


def lamp(**parameters):
    """A parallelogram on a spring, which may cross over where it lies flat."""
    b = vv.Builder("lamp", gravity=[0, -9.81, 0], parameters=parameters)
    arm = {"joint": "revolute", "axis": "z", "mass": 0.2, "com": [0.2, 0, 0]}
    b.body("lower", joint_name="p", **arm).body("upper", joint_name="u", at=[0, 0.1, 0], **arm)
    head = {"mass": 1.2, "com": [0.05, 0.05, 0], "at": [0.4, 0, 0]}
    b.body("head", parent="lower", joint="revolute", joint_name="r", axis="z", **head)
    b.frame("ue", body="upper", at=[0.4, 0, 0]).frame("he", body="head", at=[0, 0.1, 0])
    b.frame("s0", body="world", at=[0, 0.2, 0]).frame("s1", body="lower", at=[0.15, 0, 0])
    b.spring("zfl", "k" if parameters else 190.0, 0.0, between=("s0", "s1"))
    return b.build().with_loop("ue", "he", joint="revolute", axis="z", name="pin")


def poses(m, q):
    return np.array([np.ravel([X.matrix() for X in m.numeric.body_poses(x)]) for x in q])


def distinct(m, q):
    P = poses(m, q)
    far = np.abs(P[:, None] - P[None]).max(axis=2) + np.eye(len(P))
    return float(far.min())


def test_assemblies_with_a_planar_joint_are_different_poses():
    m = floating_coupler()
    found = m.assemblies(fixed={"a": 0.5})
    assert len(found) == 2
    assert distinct(m, found.q) > SAME


def test_equilibria_with_a_planar_joint_are_different_poses():
    m = floating_coupler()
    found = m.equilibria(starts=10)
    assert len(found) == 4
    assert distinct(m, found.q) > SAME
    assert sorted(found.stability) == ["stable", "stable", "unstable", "unstable"]


@pytest.mark.parametrize(("joint", "axis"), [("planar", {"axis": "z"}), ("free", {})])
def test_half_a_turn_either_way_is_one_pose(joint, axis):
    m = plate(joint, **axis)
    found = m.equilibria(starts=20)
    assert distinct(m, found.q) > SAME
    left = [np.abs(m.bias_forces(q, np.zeros(m.nv))).max() for q in found.q]
    assert max(left) < 1e-9


def test_bounds_of_a_planar_joint_name_the_way():
    with pytest.raises(ArgumentError, match=r"leave within= out, and take those of \.q inside"):
        plate("planar", axis="z").equilibria(within={"P_x": (0.0, 1.0)})


def test_what_lies_beside_a_branch_point_is_that_one():
    """V' = -0.2064 cos p on the parallel branch is zero at p = ±π/2 alone, where branches meet."""
    m = lamp()
    found = m.equilibria(starts=30)
    flat = [k for k, q in enumerate(found.q) if abs(abs(q[0]) - np.pi / 2) < 0.01]
    assert len(flat) == 2
    assert np.abs(np.abs(found.q[flat]) - np.pi / 2).max() < 1e-9
    assert {found.stability[k] for k in flat} == {"undecided: branches of motions meet here"}
    beside = m.assembled([1.570851, 1.570851, -1.570851])
    with pytest.raises(BranchesError, match="branches of motions meet"):
        m.linearize(beside)


def test_a_limit_of_stability_is_not_sought_from_a_branch_point():
    flat = [np.pi / 2, np.pi / 2, -np.pi / 2]
    with pytest.raises(BranchesError, match=r"stability_limit: at q = .* branches of motions meet"):
        lamp(k=190.0).stability_limit("k", (100.0, 300.0), flat)


def test_a_curve_that_ends_at_a_kink_at_once_is_no_curve_of_rest():
    b = vv.Builder("cam", gravity=[0, -9.81, 0])
    b.body("cam", joint="revolute", joint_name="theta", axis="z", mass=1, com=[0, 0, 0.1])
    b.body("follower", joint="prismatic", joint_name="y", axis="y", mass=0.5)
    found = b.build().with_constraint("y = abs(theta)", name="profile").equilibria(starts=4)
    assert not [x for x in found.notes if "any value of" in x]
