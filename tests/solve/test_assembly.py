"""Mechanisms put together: against school geometry, and refused where they cannot be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.linkages import (
    bricard,
    circles,
    energies_of_four_bar,
    planar,
    slider_crank,
    stewart,
)
from visviva.errors import ArgumentError, AssemblyError, ShapeError, UnknownNameError

BAR = (1.0, 0.4, 0.9, 0.8)  # ground, crank, coupler, rocker: the crank turns all round
ENERGIES, BODIES = energies_of_four_bar(*BAR), planar([0.4, 0.9, 0.8], 1.0)


def modulo(x):
    return np.remainder(x + np.pi, 2 * np.pi) - np.pi


def off_circles(bar, q):
    """How far angles to the ground are from the nearer of the two that geometry has."""
    pairs = circles(*bar, q[0])
    return min(np.abs(modulo(np.array(pair) - q[1:])).max() for pair in pairs)


@examples(4, 500)
@given(st.floats(-3, 3), st.lists(st.floats(-3, 3), min_size=2, max_size=2))
def test_a_four_bar_closes_where_two_circles_meet(crank, guess):
    s = ENERGIES
    q = s.assembled([crank, *guess], fixed={"t1": crank})
    assert q[0] == crank
    assert off_circles(BAR, q) < 1e-12
    np.testing.assert_allclose(s.constraint_error(q), 0, atol=1e-14)


@examples(4, 200)
@given(st.floats(-3, 3), st.lists(st.floats(-3, 3), min_size=2, max_size=2))
def test_the_same_by_bodies(crank, guess):
    model = BODIES
    q = model.assembled([crank, *guess], fixed={"j1": crank})
    # angles to the ground; the rocker is drawn from its pin to the ground
    t1, t2, t3 = np.cumsum(q)
    assert off_circles(BAR, np.array([t1, t2, t3 + np.pi])) < 1e-12


def test_without_a_guess_it_starts_from_neutral_even_if_that_is_singular():
    model = planar([0.4, 0.9, 0.8], 1.0)
    q = model.assembled()
    assert np.abs(model.constraint_error(q)).max() < 1e-12
    assert np.abs(q).max() < 4  # no turns round and round


def test_steps_are_of_least_norm():
    """What need not move does not, and the way is not longer than to the nearest point."""
    s = vv.Lagrangian("x y z", "x'^2 + y'^2 + z'^2", constraints="x^2 + y^2 - 1")
    np.testing.assert_allclose(s.assembled([3.0, 4.0, 7.0]), [0.6, 0.8, 7.0], rtol=1e-12)


def test_quaternions_keep_their_length():
    model, q = stewart("spherical")
    rng = np.random.default_rng(1)
    rough = model.integrate(q, rng.uniform(-0.3, 0.3, model.nv))
    there = model.assembled(rough, fixed={"leg1": 0.1})
    assert np.abs(model.constraint_error(there)).max() < 1e-12
    assert there[model.joint_slices["leg1"][0]] == 0.1
    for _, k in model.quaternions:
        np.testing.assert_allclose(np.linalg.norm(there[k : k + 4]), 1.0, rtol=1e-15)
    assert np.linalg.norm(model.difference(rough, there)) < 1.0


def test_moving_constraints_are_met_at_a_time():
    s = vv.Lagrangian("x y", "x'^2 + y'^2", constraints=["x - sin(t)", "x^2 + y^2 - 4"])
    np.testing.assert_allclose(s.assembled([0.0, 1.0], t=0.5), [np.sin(0.5), 1.94170], rtol=1e-5)


def test_a_closure_that_cannot_be_reached_says_what_is_left():
    model = planar([0.2, 0.3, 0.2], 1.0)
    with pytest.raises(AssemblyError, match=r"does not close: .* leaves row . of 'pin' at") as told:
        model.assembled(model.q(j2=0.1))
    # the pin is 0.3 away from the links stretched; errors of both rows are of one length
    error = model.constraint_error(told.value.q)
    np.testing.assert_allclose(np.linalg.norm(error), 0.3, rtol=1e-6)
    assert told.value.residual == np.abs(error).max()
    assert told.value.row.endswith("of 'pin'")


def test_limits_are_kept_or_said():
    free = planar([0.4, 0.9, 0.8], 1.0)
    up, down = (free.assemblies(fixed={"j1": 0.3})[k] for k in (0, 1))
    first = up if up[1] > 0 else down
    one_side = planar([0.4, 0.9, 0.8], 1.0, limits=[(-7, 7), (0, 3), (-7, 7)])
    for guess in ([0.3, 0.5, -2.0], [0.3, -1.5, 2.0]):
        np.testing.assert_allclose(one_side.assembled(guess, fixed={"j1": 0.3})[1], first[1])
    none = planar([0.4, 0.9, 0.8], 1.0, limits=[(-7, 7), (2.9, 3), (-7, 7)])
    with pytest.raises(AssemblyError, match=r"only outside of the limits of joint 'j2'"):
        none.assembled(fixed={"j1": 0.3})


def test_what_is_asked_is_checked():
    s = energies_of_four_bar(*BAR)
    with pytest.raises(UnknownNameError, match="t9"):
        s.assembled(fixed={"t9": 0.0})
    with pytest.raises(ShapeError, match="has 3 entries"):
        s.assembled([0.0, 1.0])
    with pytest.raises(ArgumentError, match="finite"):
        s.assembled([0.0, 1.0, np.nan])
    free = s.without_constraints()
    np.testing.assert_array_equal(free.assembled([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0])


def test_a_state_that_violates_constraints_is_refused_with_the_way_to_mend_it():
    model = slider_crank()
    q = model.assembled(fixed={"turn": 0.7})
    v = model.admitted_velocity(q, [1.0, 0.0, 0.0])
    model.check_state(q, v)
    with pytest.raises(AssemblyError) as told:
        model.check_state(q + np.array([0.0, 0.0, 0.01]), v)
    assert "q violates the constraints of 'slider_crank'" in str(told.value)
    assert "assembled(q) is the nearest one" in str(told.value)
    np.testing.assert_allclose(told.value.residual, 0.01, rtol=0.1)
    with pytest.raises(AssemblyError, match=r"v violates .* admitted_velocity\(q, v\) is the nea"):
        model.check_state(q, v + np.array([0.0, 0.1, 0.0]))
    with pytest.raises(AssemblyError, match=r"; velocities\(q, turn=1\) keeps that of turn"):
        model.check_state(q, [1.0, 0.0, 0.0])
    u = model.velocities(q, turn=1)
    assert u[0] == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(u, v / v[0], atol=1e-13)  # one freedom: along the nearest one
    with pytest.raises(ArgumentError, match=r"has turn = 1, pin = 5: velocities\(q, turn=1\) "):
        model.velocities(q, {"turn": 1.0}, pin=5.0)
    with pytest.raises(ArgumentError, match=r"by name, velocities\(q, turn=1.0\), got \[1, 0, 0\]"):
        model.velocities(q, [1, 0, 0])
    straight = model.assembled(fixed={"turn": 0.0})
    with pytest.raises(ArgumentError, match="the nearest has 0 there"):
        model.velocities(straight, {model.joint_names[2]: 1.0})
    with pytest.raises(ShapeError, match="v of 'slider_crank' has 3 entries"):
        model.check_state(q, [1.0])
    model.without_constraints().check_state(q + 1.0, v)


def test_a_whole_ring_of_hinges_is_assembled():
    model = bricard()
    q = model.assembled(model.q(j1=0.5, j2=-1, j3=0.5, j4=-1, j5=0.5))
    assert np.abs(model.constraint_error(q)).max() < 1e-13
    np.testing.assert_allclose(q[:2], q[2:4], atol=1e-9)  # threefold as its start


def test_velocities_that_nothing_fulfils_are_told():
    s = vv.Lagrangian("x y", "x'^2 + y'^2", constraints=["x' = 1", "x' = 2"])
    words = r"'xd - 2 = 0' by -1; no velocity fulfils all .* leaves 'xd - 2 = 0' at 1"
    with pytest.raises(AssemblyError, match=words):
        s.check_state([0.0, 0.0], [1.0, 0.0])
    with pytest.raises(AssemblyError, match="no velocity fulfils all"):
        s.velocities([0.0, 0.0], y=1.0)
