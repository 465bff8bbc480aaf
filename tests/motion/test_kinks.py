"""Constraints that change their law: cams with kinks, jumps, and other curvatures on each side."""

from dataclasses import replace

import numpy as np
import pytest

import visviva as vv
from visviva.errors import EquilibriumError, MotionError
from visviva.machine.kinks import may_have_kinks
from visviva.motion.samples.kept import check_kept

STEPS = [{}, {"dt": 1e-3}, {"dt": 1e-2, "save": 5}, {"method": "lsoda"}]
BENT = [
    "y = where(less(theta, 0), -theta^2, theta^2)",
    "y = where(less(theta, 0), 0, theta^2)",
    "y = where(less(0, theta), theta^2, 0)",
    "y = where(less(theta, 0), 0, 1e-4*theta^2)",
    "y = max(theta, 0)^2",
    "y = theta*abs(theta)",
    "y = abs(theta)",
    "y = less(0, theta)*theta^2",
    "y = less_equal(0, theta)*theta^2",
]


def cam(law, inertia=1.25e-3):
    b = vv.Builder("cam", gravity=[0, -9.81, 0])
    solid = vv.Inertia(1.0, [0, 0, 0], np.diag([inertia, inertia, inertia]))
    b.body("cam", joint="revolute", joint_name="theta", axis="z", inertia=solid)
    b.body("follower", joint="prismatic", joint_name="y", axis="y", mass=0.5)
    return b.build().with_constraint(law, name="profile")


@pytest.mark.parametrize("law", BENT)
def test_where_a_constraint_changes_its_law_nothing_is_judged(law):
    with pytest.raises(EquilibriumError, match="'profile' of 'cam' changes its law at q = "):
        cam(law).linearize([0.0, 0.0])
    found = cam(law).equilibria(starts=4)
    here = [x for q, x in zip(found.q, found.stability, strict=True) if abs(q[0]) < 1e-6]
    assert len(here) == 1
    assert here[0].startswith("undecided: constraint 'profile' of 'cam' changes its law")


def test_beside_a_change_of_law_an_equilibrium_that_is_not_quite_met_is_not_judged():
    with pytest.raises(EquilibriumError, match="changes its law"):
        cam("y = where(less(theta, 0), 0, 1e-4*theta^2)").linearize([1e-8, 0.0])


def test_energies_whose_constraint_changes_its_law_are_not_judged():
    law = "y = where(less(theta,0),0,theta^2)"
    s = vv.Lagrangian("theta y", "theta'^2/2+y'^2/2", "9.81*y", constraints=law)
    with pytest.raises(EquilibriumError, match="changes its law"):
        s.linearize([0.0, 0.0])


def test_under_loads_too():
    load = {"follower": [0, 0, 0, 0, 1.0, 0]}
    found = cam("y = where(less(theta, 0), 0, theta^2)").equilibria(starts=4, wrenches=load)
    here = [x for q, x in zip(found.q, found.stability, strict=True) if abs(q[0]) < 1e-6]
    assert "changes its law" in here[0]


@pytest.mark.parametrize(
    "law", ["y = theta^2", "y = where(less(theta, 0), theta^2, theta^2 + theta^3)"]
)
def test_laws_with_one_curvature_are_judged(law):
    assert cam(law).linearize([0.0, 0.0]).stability.status == "stable"


def test_the_sign_of_a_position_is_no_dry_friction():
    beside = vv.Lagrangian("x", "x'^2/2", "abs(x - 1) + x^2").linearize([0.5])
    assert beside.stability.status == "stable"
    hill = vv.Lagrangian("x", "x'^2/2", "x^2 - abs(x)")
    with pytest.raises(EquilibriumError, match="forces of 'lagrangian' jump within 1e-06 of q"):
        hill.linearize([0.0])
    switched = {"x": "where(less(x', 0), 1, -1)"}
    pushed = vv.Lagrangian("x", "x'^2/2", "x^2", forces=switched)
    with pytest.raises(EquilibriumError, match=r"jump within 1e-06 of v = .*dry friction"):
        pushed.linearize([-0.5])


@pytest.mark.parametrize("how", STEPS)
def test_a_motion_ends_at_a_kink_of_its_constraints(how):
    with pytest.raises(MotionError, match=r"constraints of 'cam' have a kink at t = 0\.14") as e:
        cam("y = abs(theta)").simulate([0.1, 0.1], [0, 0], 1.0, **how)
    run = e.value.trajectory
    assert np.abs(run.constraint_error).max() < 1e-9
    fall = np.sqrt(2 * 0.1 / 9.81 * (1 + 1.25e-3 / 0.5))
    assert run.t[-1] <= fall + 1e-9


def test_a_motion_that_turns_before_the_kink_goes_on():
    run = cam("y = abs(theta)").simulate([0.1, 0.1], [0, 0], 0.14)
    assert np.abs(run.constraint_error).max() < 1e-12


JUMPS = ["where(less(theta, 0), 0, 0.02)", "0.02*less(0, theta)", "0.02*less_equal(0, theta)"]


@pytest.mark.parametrize("law", JUMPS)
@pytest.mark.parametrize("how", STEPS[:2])
def test_a_follower_does_not_jump(how, law):
    step = cam(f"y = {law}")
    with pytest.raises(MotionError, match=r"have a jump of 0\.02 at t = 0\.1 s: positions would"):
        step.simulate([-0.1, 0.0], [1.0, 0.0], 1.0, **how)


def test_a_prescribed_velocity_that_jumps_is_an_impact():
    with pytest.raises(MotionError, match=r"have a kink at t = 0\.5 s"):
        cam("theta = abs(t - 0.5)").simulate([0.5, 0.0], [-1.0, 0.0], 1.0)


def test_a_change_of_curvature_is_passed():
    run = cam("y = where(less(theta, 0), 0, theta^2)", 0.1).simulate([-0.1, 0], [1.0, 0], 0.3)
    assert np.abs(run.constraint_error).max() < 1e-12
    assert run.q[-1, 0] > 0.09


def test_of_several_motions_none_leaves_its_constraints():
    said = r"trajectory 1 of 'cam' (have a kink|leaves its constraints).*kink"
    with pytest.raises(MotionError, match=said) as e:
        cam("y = abs(theta)").simulate([[0.2, 0.2], [0.1, 0.1]], [0, 0], 1.0)
    assert np.abs(e.value.trajectory.constraint_error).max() < 1e-6


def test_of_several_motions_the_one_that_leaves_its_constraints_is_named():
    law = cam("y = theta^2")
    t, q = np.linspace(0, 1, 5), np.zeros((3, 5, 2))
    q[2, 3:, 1] = 0.5
    with pytest.raises(MotionError, match=r"motion of trajectory 2 of 'cam' leaves .* by 0\.5 at"):
        check_kept(vv.Trajectory(law, t, q, 0 * q))


def test_what_happens_after_a_kink_is_not_told():
    half = vv.Event(lambda t, q, v: q[0] - 0.05, name="half")
    late = vv.Event(lambda t, q, v: t - 0.5, name="late")
    s = cam("y = abs(theta)")
    with pytest.raises(MotionError, match="have a kink") as e:
        s.simulate([0.1, 0.1], [0, 0], 1.0, events=[half, late])
    events = e.value.trajectory.events
    assert [len(events[x]) for x in ("half", "late")] == [1, 0]


def test_loops_that_joints_close_have_no_kinks():
    """Whatever the angles of a closing joint are worked out by."""
    assert not may_have_kinks(vv.catalog.bennett())
    beside = cam("y = abs(theta)").with_loop("world", "follower", joint="prismatic", axis="y")
    assert may_have_kinks(beside)
    assert not may_have_kinks(replace(beside, constraints=beside.loops))
    with pytest.raises(MotionError, match="have a kink"):
        beside.simulate([0.1, 0.1], [0, 0], 1.0)


def test_surfaces_are_stated_by_formulas_which_may_have_kinks():
    b = vv.Builder("bead", gravity=[0, 0, -9.81])
    b.body("slide", joint="prismatic", joint_name="x", axis="x", mass=1.0)
    b.body("bead", parent="slide", joint="prismatic", joint_name="z", axis="z", mass=1.0)
    roof = b.build().with_loop("world", "bead", joint="point_on_surface", surface="z - abs(x)")
    assert may_have_kinks(roof)
    with pytest.raises(MotionError, match=r"have a (kink|jump of .*) at t = 0\.24"):
        roof.simulate([0.1, 0.1], [0, 0], 1.0, dt=1e-3)
