"""Where branches of a linkage meet: flat parallelograms, folding toggles; values by hand."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError

FLAT = vv.catalog.four_bar(l0=1.0, l1=0.4, l2=1.0, l3=0.4)
TOGGLE = vv.catalog.slider_crank(l1=0.2, l2=0.2)
CRANKS = vv.catalog.parallel_cranks()
TURN = np.linspace(0, 2 * np.pi, 121)


def test_a_parallelogram_keeps_its_torque_through_the_flat_positions():
    """τ = 0.4 g (0.25 + 1.2 + 0.45) cos θ: half of crank and rocker, all of the coupler."""
    drive = FLAT.driving_torque("theta1", q0=FLAT.assembled(theta1=0.5), speed=2.0)
    np.testing.assert_allclose(drive.v, np.tile([2.0, -2.0, 2.0], (121, 1)), atol=1e-9)
    np.testing.assert_allclose(drive.a, 0.0, atol=1e-7)  # of what differences over 0.01 leave
    np.testing.assert_allclose(drive.torque, 7.4556 * np.cos(TURN), atol=1e-8)
    assert drive.change_points == pytest.approx((0.0, np.pi, 2 * np.pi))
    assert "change points at theta1 = 0, 3.14159, 6.28319, where" in repr(drive)


def test_parallel_cranks_have_no_dent_in_their_torque():
    drive = CRANKS.driving_torque("theta1", speed=2.0)
    np.testing.assert_allclose(drive.torque, 11.772 * np.cos(TURN), atol=1e-8)
    from_flat = CRANKS.driving_torque("theta1", speed=2.0, q0=CRANKS.assembled(theta1=0.0))
    np.testing.assert_allclose(from_flat.torque, drive.torque, atol=1e-8)


def test_a_coupler_that_only_shifts_moves_as_its_crank_does():
    q0 = FLAT.assembled(theta1=0.5)
    curve = FLAT.coupler_curve("coupler", "theta1", q0=q0, point=[0.5, 0, 0], speed=2.0)
    around = np.stack([np.cos(TURN), np.sin(TURN), 0 * TURN], axis=1)
    across = np.stack([-np.sin(TURN), np.cos(TURN), 0 * TURN], axis=1)
    np.testing.assert_allclose(curve.points, [0.5, 0, 0] + 0.4 * around, atol=1e-12)
    np.testing.assert_allclose(curve.velocity, 0.8 * across, atol=1e-9)
    np.testing.assert_allclose(curve.acceleration, -1.6 * around, atol=1e-7)


@pytest.mark.spread(1)
@pytest.mark.parametrize("values", [None, np.linspace(0.1, 6.2, 37), [1.0, 2.0, 5.0]])
def test_a_toggle_stays_unfolded_whether_values_meet_the_change_point_or_not(values):
    """x = 0.4 cos θ all round; 500 N against it take 200 sin θ beside the weights' torque."""
    q0 = TOGGLE.assembled(theta1=0.5)
    load = {"piston": [0, 0, 0, 500.0, 0, 0]}
    drive = TOGGLE.driving_torque("theta1", values, wrenches=load, q0=q0)
    at = drive.values
    np.testing.assert_allclose(drive.q[:, 2], 0.4 * np.cos(at), atol=1e-12)
    np.testing.assert_allclose(drive.q[:, 1], -2 * at, atol=1e-12)
    weights = TOGGLE.driving_torque("theta1", values, q0=q0).torque
    slope = weights[0] / np.cos(at[0])
    np.testing.assert_allclose(weights, slope * np.cos(at), atol=1e-8)
    np.testing.assert_allclose(drive.torque - weights, 200 * np.sin(at), atol=1e-8)
    assert drive.change_points == pytest.approx((np.pi / 2, 3 * np.pi / 2), abs=1e-6)
    angle = TOGGLE.transmission_angle("theta1", values, q0=q0)
    np.testing.assert_allclose(angle.q[:, 2], 0.4 * np.cos(at), atol=1e-12)
    assert "change points at theta1 = 1.5708, 4.71239" in repr(angle)


def test_the_folded_branch_is_kept_too():
    q0 = next(q for q in TOGGLE.assemblies(fixed={"theta1": 0.5}) if abs(q[2]) < 1e-9)
    drive = TOGGLE.driving_torque("theta1", q0=q0, speed=3.0)
    np.testing.assert_allclose(drive.q[:, 2], 0.0, atol=1e-12)
    np.testing.assert_allclose(drive.v, np.tile([3.0, 0.0, 0.0], (121, 1)), atol=1e-9)


def test_the_crossed_branch_goes_through_with_its_own_velocity():
    """Of the antiparallelogram θ₃' = -(l0 + l1)/(l0 - l1) at θ₁ = 0."""
    q0 = next(q for q in FLAT.assemblies(fixed={"theta1": 0.5}) if q[2] < 0)
    drive = FLAT.driving_torque("theta1", [0.2, 0.0, -0.2], q0=q0, speed=1.0)
    assert drive.v[1, 2] == pytest.approx(-1.4 / 0.6, abs=1e-9)
    assert drive.a[1] == pytest.approx(0.0, abs=1e-6)  # it is odd in θ₁


@pytest.mark.spread(1)
@pytest.mark.parametrize("more", [1e-5, 1e-7, 1e-9])
def test_a_branch_that_only_comes_near_is_no_change_point(more):
    """With a longer coupler crank and rocker pass π with θ₃' = l1 / (l0 + l1), sharply bent."""
    near = vv.catalog.four_bar(l0=1.0, l1=0.4, l2=1.0 + more, l3=0.4)
    drive = near.driving_torque("theta1", [np.pi], q0=near.assembled(theta1=0.5), speed=1.0)
    assert drive.v[0, 2] == pytest.approx(0.4 / 1.4, abs=1e-9)
    assert abs(drive.a[0, 2]) == pytest.approx(0.26997694 / np.sqrt(more), rel=1e-3)
    assert drive.change_points == ()


def test_a_position_at_which_branches_meet_does_not_say_which():
    for q0 in (np.zeros(3), FLAT.assembled(theta1=0.0)):
        with pytest.raises(ArgumentError, match=r"meet at q0 = \(0, 0, 0\).*assembled\(theta1=0.1"):
            FLAT.driving_torque("theta1", q0=q0)
        with pytest.raises(ArgumentError, match=r"meet at q0 = \(0, 0, 0\).*assembled\(theta3=0.1"):
            FLAT.dead_points("theta3", q0=q0)
        with pytest.raises(ArgumentError, match=r"v is that of one of them: .*\(1, -1, 1\)"):
            FLAT.instant_centres(q0)
        centres = FLAT.instant_centres(q0, [1.0, -1.0, 1.0])
        assert centres["coupler", "world"].kind == "at infinity"


def test_parallel_cranks_move_where_they_are_flat():
    """Rows that vanish leave rounding, which is no row; the bar shifts, and nothing else can."""
    for q in (CRANKS.assembled(theta1=0.0), np.zeros(4)):
        centres = CRANKS.instant_centres(q)
        np.testing.assert_allclose(centres.v / centres.v[0], [1, -1, 1, 1], atol=1e-7)
        assert centres["bar", "world"].kind == "at infinity"
        found = CRANKS.mobility(q)
        assert (found.true, found.instantaneous, found.verdict) == (1, 2, "proved mobile")
