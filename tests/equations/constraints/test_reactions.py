"""Forces inside closed loops: the same linkage cut at one joint or at another has the same."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import UnknownNameError

GROUND, CRANK, COUPLER, ROCKER = 0.9, 0.3, 0.8, 0.7
AXIS = {"joint": "revolute", "axis": "z"}
TAU = 0.5


def bar(mass, length):
    tensor = np.diag([1e-3, mass * length**2 / 12, mass * length**2 / 12])
    return vv.Inertia(mass, [length / 2, 0.0, 0.0], tensor)


def ended(model):
    for name, length in (("crank", CRANK), ("coupler", COUPLER), ("rocker", ROCKER)):
        model = model.with_frame(f"{name}_end", [length, 0.0, 0.0], on=name)
    model = model.with_frame("support", [GROUND, 0.0, 0.0], on="world")
    return model.with_gravity([0.0, -9.81, 0.0])


def cut_at_the_coupler():
    b = vv.Builder("linkage")
    b.body("crank", inertia=bar(1.0, CRANK), joint_name="A", **AXIS)
    b.body("coupler", parent="crank", at=[CRANK, 0, 0], inertia=bar(1.5, COUPLER), **AXIS)
    b.body("rocker", at=[GROUND, 0, 0], inertia=bar(1.2, ROCKER), joint_name="D", **AXIS)
    return ended(b.build()).with_loop("rocker_end", "coupler_end", axis="z", name="C")


def cut_at_the_support():
    """The rocker hangs on the coupler, turned round: its frame is at the coupler's end."""
    b = vv.Builder("linkage")
    b.body("crank", inertia=bar(1.0, CRANK), joint_name="A", **AXIS)
    b.body("coupler", parent="crank", at=[CRANK, 0, 0], inertia=bar(1.5, COUPLER), **AXIS)
    b.body(
        "rocker", parent="coupler", at=[COUPLER, 0, 0], inertia=bar(1.2, ROCKER), joint_name="C",
        **AXIS,
    )  # fmt: skip
    return ended(b.build()).with_loop("support", "rocker_end", axis="z", name="D")


def angles(crank):
    """Of crank, coupler and rocker to the ground, by elementary geometry."""
    B = CRANK * np.array([np.cos(crank), np.sin(crank)])
    d = np.array([GROUND, 0.0]) - B
    r = np.linalg.norm(d)
    turn = np.arccos((COUPLER**2 + r**2 - ROCKER**2) / (2 * COUPLER * r))
    coupler = np.arctan2(d[1], d[0]) + turn
    C = B + COUPLER * np.array([np.cos(coupler), np.sin(coupler)])
    return crank, coupler, np.arctan2(C[1], C[0] - GROUND)


def states(crank, speed):
    """q and v of both models, rates by differences of the geometry."""
    h = 1e-6
    a = np.array(angles(crank))
    w = (np.array(angles(crank + h)) - np.array(angles(crank - h))) / (2 * h) * speed
    first = [np.array([x[0], x[1] - x[0], x[2]]) for x in (a, w)]
    second = [np.array([x[0], x[1] - x[0], x[2] - x[1]]) for x in (a, w)]
    second[0][2] += np.pi
    return first, second


@pytest.mark.spread(1)
@pytest.mark.parametrize("crank", [0.7, 2.0, -1.1])
def test_a_linkage_has_the_same_forces_wherever_it_is_cut(crank):
    one, other = cut_at_the_coupler(), cut_at_the_support()
    (q1, v1), (q2, v2) = states(crank, 1.3)
    tau = np.array([TAU, 0.0, 0.0])
    for m, q, v in ((one, q1, v1), (other, q2, v2)):
        np.testing.assert_allclose(m.constraint_error(q), 0, atol=1e-12)
        np.testing.assert_allclose(m.constraint_velocity(q, v), 0, atol=1e-8)  # by differences
    v1, v2 = one.admitted_velocity(q1, v1), other.admitted_velocity(q2, v2)
    v2 = v2 * (v1[0] / v2[0])  # one freedom
    F1, F2 = (m.reaction("A")(q, v, tau) for m, q, v in ((one, q1, v1), (other, q2, v2)))
    np.testing.assert_allclose(F1, F2, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(F1[2], TAU, rtol=1e-12)  # the motor is at this joint
    # the pin C: on the coupler by the loop of one, on the rocker by the joint of the other
    C1, C2 = one.reaction("C")(q1, v1, tau), other.reaction("C")(q2, v2, tau)
    np.testing.assert_allclose(C1, -C2, rtol=1e-7, atol=1e-7)
    D1, D2 = one.reaction("D")(q1, v1, tau), other.reaction("D")(q2, v2, tau)
    np.testing.assert_allclose(D1, D2, rtol=1e-7, atol=1e-7)
    a1, a2 = one.forward_dynamics(q1, v1, tau), other.forward_dynamics(q2, v2, tau)
    np.testing.assert_allclose(a1[:2], a2[:2], rtol=1e-7)


def test_reactions_have_names_and_axes():
    m = cut_at_the_coupler()
    (q, v), _ = states(0.7, 0.0)
    F = m.reactions(q, v, [TAU, 0, 0])
    assert F.shape == (4, 6)
    np.testing.assert_allclose(m.reaction("C", "body")(q, v, [TAU, 0, 0]), F[3], rtol=1e-12)
    R = m.pose("coupler_end")(q)[:3, :3]
    np.testing.assert_allclose(
        m.reaction("C")(q, v, [TAU, 0, 0])[3:], R @ F[3, 3:], rtol=1e-12, atol=1e-13
    )
    with pytest.raises(UnknownNameError, match=r"joint or loop of 'linkage'.*'X'"):
        m.reaction("X")
    rate = m.displacements(q)
    assert rate.shape == (3, 1)
    np.testing.assert_allclose(m.constraint_matrix(q) @ rate, 0, atol=1e-14)
    assert m.constraint_power(q, rate[:, 0], [TAU, 0, 0]) == 0.0
