"""LuGre's friction along motions: bristles bend as formulas say, stick and slip as dry friction."""

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.bodies import close
from visviva.errors import ArgumentError, ShapeError, UnknownNameError


def slider(**more):
    b = vv.Builder("block", gravity=(0.0, 0.0, 0.0))
    b.body("block", joint="prismatic", axis="x", mass=1.0, **more)
    return b.build()


def test_before_it_slides_it_gives_way_like_a_spring():
    """Pushed by f < F_c with much damping, dz/dq = 1 - σ0 z / F_c: q = -(F_c/σ0) ln(1 - f/F_c)."""
    s, law = slider(), vv.LuGre(2.0, stiffness=1e4, damping=300.0)
    for f in (0.02, 1.0):
        run = s.simulate([0.0], [0.0], 1.5, tau=s.with_bristles({"block_joint": law}, tau=[f]))
        close(run.q[-1, 0], -2.0 / 1e4 * np.log(1 - f / 2.0), 1e-11)
        close(run.tau[-1], [0.0], 1e-9)  # friction carries what pushes
        assert run.account.closes
    assert abs(run.q[0, 0]) == 0.0


def test_at_a_constant_speed_it_is_the_steady_law():
    """Drawn by a damper that moves on: m v' = 0 at F(v) = c (u - v)."""
    law = vv.LuGre(1.0, stiction=1.5, stribeck=0.1, viscous=0.4, stiffness=1e4, damping=100.0)
    s = slider()
    drawn = s.with_bristles({"block_joint": law}, tau=lambda t, q, v: [3.0 * (1.0 - v[0])])
    v = s.simulate([0.0], [0.5], 10.0, tau=drawn).v[-1, 0]
    close(law.steady.force(v), 3.0 * (1.0 - v), 1e-9)


def test_stick_and_slip_come_near_the_limit():
    """Stiff bristles: the period of the law that jumps, which the other solver has in a formula."""
    m, k, speed, Fc, Fs = 1.0, 20.0, 0.1, 1.0, 1.5
    s, law = slider(), vv.LuGre(Fc, stiction=Fs, stribeck=2e-3, stiffness=1e5, damping=600.0)
    pull = s.with_bristles({"block_joint": law}, tau=lambda t, q, v: [k * (speed * t - q[0])])
    goes = vv.Event(lambda t, q, v: v[0] - 0.05, 1, name="goes")
    run = s.simulate([0.0], [0.0], 5.0, tau=pull, rtol=1e-6, atol=1e-9, events=goes)
    w, jump = np.sqrt(k / m), (Fs - Fc) / k
    slip = 2 / w * (np.pi - np.arctan(jump * w / speed))
    moved = speed * slip - speed / w * np.sin(w * slip) + jump * (1 - np.cos(w * slip))
    close(np.diff(run.events["goes"].t)[-1], moved / speed, 0.01 * moved / speed)


def test_controllers_keep_their_numbers_beside_bristles():
    """A PID whose integral goes on, with friction in the joint that it drives."""
    s, law = slider(), vv.LuGre(0.5, stiffness=2e3, damping=60.0)
    pid = vv.Controller(
        lambda t, q, v, x: [40.0 * (1.0 - q[0]) - 12.0 * v[0] + 20.0 * x[0]],
        start=(0.0,),
        rate=lambda t, q, v, x: [1.0 - q[0]],
    )
    run = s.simulate([0.0], [0.0], 12.0, tau=s.with_bristles({"block_joint": law}, tau=pid))
    assert abs(run.q[-1, 0] - 1.0) < 0.02


def test_what_bristles_cannot_honour_is_refused():
    s, law = slider(), vv.LuGre(1.0, stiffness=1e4)
    with pytest.raises(UnknownNameError, match="block_joint"):
        s.with_bristles({"elbow": law})
    with pytest.raises(ArgumentError, match="is a LuGre, got"):
        s.with_bristles({"block_joint": 1.0})
    with pytest.raises(ArgumentError, match="dry friction of its own"):
        slider(friction=1.0).with_bristles({"block_joint": law})
    held = vv.Controller(lambda t, q, v: [0.0], period=0.1)
    with pytest.raises(ArgumentError, match="has a period"):
        s.with_bristles({"block_joint": law}, tau=held)
    with pytest.raises(ShapeError, match="tau is 1 numbers"):
        s.with_bristles({"block_joint": law}, tau=[1.0, 2.0])
    with pytest.raises(ArgumentError, match="with_bristles of a"):
        slider(friction=law)
