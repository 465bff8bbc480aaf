"""Stops of joints: impacts in closed form, rest that is rest, and what cannot be honoured."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close
from visviva.describe.model.body import Limits
from visviva.errors import ArgumentError, UnknownNameError, VisvivaError

G = 9.81


def ball(e=0.5, mass=2.0, limits=(0.0, np.inf), **more):
    """A slider that falls upon its lower stop."""
    b = vv.Builder("ball", gravity=(0.0, 0.0, -G))
    b.body("ball", joint="prismatic", axis="z", limits=limits, restitution=e, mass=mass, **more)
    return b.build()


def arm(limits=(-0.4, 2.0), e=0.6, gravity=(0.0, 0.0, -G)):
    """Two links in a plane, the second with stops."""
    b = vv.Builder("arm", gravity=gravity)
    rod = vv.Inertia.rod(1.5, length=1.0).moved(p=[0.5, 0, 0])
    b.body("upper", joint="revolute", axis="y", inertia=rod)
    b.body("lower", parent="upper", joint="revolute", axis="y", at=[1.0, 0, 0], inertia=rod,
           limits=limits, restitution=e)  # fmt: skip
    return b.build()


@pytest.mark.parametrize("how", [{}, {"dt": 0.05}])
def test_bounces_of_a_ball_in_closed_form(how):
    """Times and heights of every bounce, and the time at which infinitely many are over."""
    e, height = 0.6, 1.5
    run = ball(e).simulate([height], [0.0], 10.0, **how)
    hits = run.events["stop of ball_joint"]
    v0, first = np.sqrt(2 * G * height), np.sqrt(2 * height / G)
    k = np.arange(len(hits))
    close(hits.t, first + 2 * v0 / G * e * (1 - e**k) / (1 - e), 1e-12)
    close(hits.v[:, 0], -v0 * e**k, 1e-12)
    close(hits.v_after[:-1, 0], v0 * e ** (k[:-1] + 1), 1e-12)
    close(hits.impulse[:-1, 0], 2.0 * (1 + e) * v0 * e ** k[:-1], 1e-12)
    tops = hits.t[:-1] + hits.v_after[:-1, 0] / G
    early = k[:-1] < 20  # later tops are nearer to the stop than times are known
    close(run.at(tops[early])[0][:, 0], height * e ** (2 * k[:-1][early] + 2), 1e-12)
    over = first + 2 * v0 / G * e / (1 - e)
    assert abs(hits.t[-1] - over) < 1e-9
    rests = run.t > over
    assert (run.v[rests] == 0.0).all()
    assert (run.q[rests] == 0.0).all()
    close(run.contact[rests, 0], np.full(rests.sum(), 2.0 * G))
    close(run.account.work["impacts"][-1], -2.0 * G * height, 1e-11)
    assert run.account.closes
    assert run.statistics["impacts"] == len(hits)


def test_rest_against_a_stop_is_rest_for_1000_s():
    run = ball(0.3).simulate([0.2], [0.0], 1000.0)
    rests = run.t > 1.0
    assert rests.sum() > 3
    assert (run.v[rests] == 0.0).all()
    assert (run.q[rests] == 0.0).all()
    assert (run.acceleration[rests] == 0.0).all()


def test_without_losses_energy_stays():
    """e = 1: between two stops for a while, and an arm that is no pendulum any more."""
    run = ball(1.0, limits=(0.0, 0.8)).simulate([0.1], [5.0], 8.0, rtol=1e-12, atol=1e-13)
    assert run.statistics["impacts"] > 30
    close(run.energy, np.full(len(run.t), run.energy[0]), 1e-10)
    assert run.q.min() >= 0.0
    assert run.q.max() <= 0.8
    folds = arm(e=1.0).simulate([0.3, 0.5], [0.0, 3.0], 3.0, rtol=1e-12, atol=1e-13)
    assert folds.statistics["impacts"] > 1
    assert np.ptp(folds.energy) < 1e-10 * np.abs(folds.kinetic_energy).max()


def test_a_pendulum_falls_upon_a_stop():
    """From the horizontal to a stop below: energy gives the speed, the rebound its height."""
    b = vv.Builder("pendulum", gravity=(0, 0, -G))
    b.body("bob", joint="revolute", axis="y", mass=1.0, com=[1.0, 0, 0], limits=(0.0, 1.0),
           restitution=0.5)  # fmt: skip
    run = b.build().simulate([0.0], [0.0], 3.0, events={"turns": lambda t, q, v: v[0]})
    hit = run.events["stop of bob_joint"]
    speed = np.sqrt(2 * G * np.sin(1.0))  # turning about y lowers what is along x
    close(hit.v[0, 0], speed, 1e-9)
    close(hit.v_after[0, 0], -0.5 * speed, 1e-9)
    turn = run.events["turns"].q[0, 0]
    close(np.sin(turn), np.sin(1.0) * 0.75, 1e-9)
    close(run.q[-1], [1.0], 0.0)
    close(run.contact[-1, 0], -G * np.cos(1.0), 1e-12)


def test_the_impulse_of_an_arm_balances_its_momentum():
    """M (v⁺ - v⁻) is the impulse, at the stop alone; the stop's velocity is reversed by e."""
    s = arm(gravity=(0, 0, 0))
    run = s.simulate([0.2, 1.0], [0.5, -2.0], 3.0)
    hits = run.events["stop of lower_joint"]
    assert len(hits) >= 1
    for q, v, after, p in zip(hits.q, hits.v, hits.v_after, hits.impulse, strict=True):
        assert q[1] in (-0.4, 2.0)
        change = s.mass_matrix(q) @ (after - v)
        close(change, p, 1e-12)
        assert p[0] == 0.0
        assert after[1] == -0.6 * v[1]
        lost = s.kinetic_energy(q, v) - s.kinetic_energy(q, after)
        close(lost, 0.5 * (1 - 0.36) * v[1] ** 2 / np.linalg.inv(s.mass_matrix(q))[1, 1], 1e-12)
    # nothing else acts: the momentum about the first axis is what it was
    close(np.einsum("ij,ij->i", s.mass_matrix(run.q)[:, 0], run.v)[-1],
          s.mass_matrix(run.q[0])[0] @ run.v[0], 1e-8)  # fmt: skip
    assert run.account.closes


@pytest.mark.spread(0)
@given(st.integers(0, 10_000))
@examples(1, 400)
def test_several_stops_and_friction_at_once(seed):
    """Random arms against stops: bounds, signs, balance of forces, and an account that closes."""
    rng = np.random.default_rng(seed)
    b = vv.Builder("arm", gravity=rng.normal(size=3) * 6)
    for k in range(3):
        b.body(f"b{k}", parent=f"b{k - 1}" if k else "", joint="revolute", axis="xyz"[k % 3],
               at=rng.normal(size=3) * 0.3, inertia=vv.Inertia.sphere(1.0, radius=0.3).moved(
                   p=rng.normal(size=3) * 0.4), limits=(-0.3, 0.4), restitution=rng.uniform(0, 0.7),
               friction=[0.0, 0.8][int(rng.integers(2))])  # fmt: skip
    s = b.build()
    run = s.simulate(rng.uniform(-0.2, 0.3, 3), rng.normal(size=3), 1.5)
    assert (run.q >= -0.3).all()
    assert (run.q <= 0.4).all()
    lower, upper = run.q == -0.3, run.q == 0.4
    assert (run.contact[lower] >= 0).all()
    assert (run.contact[upper] <= 0).all()
    assert (run.contact[~lower & ~upper] == 0).all()
    assert (np.abs(run.friction) <= s.dry_friction * (1 + 1e-9) + 1e-12).all()
    smooth = s.without_dry_friction()
    needed = smooth.inverse_dynamics(run.q, run.v, run.acceleration)
    close(needed, run.contact - run.friction, 1e-9)
    assert run.account.closes
    for hits in run.events.values():
        for q, v, after in zip(hits.q, hits.v, hits.v_after, strict=True):
            assert s.kinetic_energy(q, after) <= s.kinetic_energy(q, v) * (1 + 1e-12)


def test_a_joint_leaves_its_stop_when_nothing_presses_it():
    """Force -3 + t on a slider at rest against its lower stop: it leaves at t = 3."""
    b = vv.Builder("slider", gravity=(0, 0, 0))
    b.body("slider", joint="prismatic", axis="x", limits=(0.0, 9.0), restitution=0.2, mass=2.0)
    run = b.build().simulate([0.0], [0.0], 5.0, tau=lambda t, q, v: [t - 3.0])
    moving = run.t > 3.0 + 1e-6
    close(run.q[moving, 0], (run.t[moving] - 3.0) ** 3 / 12, 1e-8)
    held = run.t < 3.0
    assert (run.q[held] == 0.0).all()
    close(run.contact[held, 0], 3.0 - run.t[held], 1e-12)
    assert not len(run.events["stop of slider_joint"])


def test_an_impact_goes_through_a_joint_that_is_stuck():
    """Friction with limits does nothing in no time: both move after it, and the first sticks."""
    b = vv.Builder("train", gravity=(0, 0, 0))
    b.body("sledge", joint="prismatic", axis="x", mass=3.0, friction=5.0)
    b.body("puck", parent="sledge", joint="prismatic", axis="x", mass=1.0, limits=(-1.0, 1.0),
           restitution=0.0)  # fmt: skip
    run = b.build().simulate([0.0, 0.0], [0.0, 2.0], 5.0)
    hit = run.events["stop of puck_joint"]
    assert (run.v[run.t < hit.t[0], 0] == 0.0).all()
    close(hit.v_after[0], [0.5, 0.0], 1e-12)  # one body of 4 kg with 2 kg m/s
    close(run.q[-1], [0.5 * 0.25 * 4.0 / 5.0, 1.0], 1e-9)
    assert (run.v[-1] == 0.0).all()
    assert run.account.closes


def test_friction_and_a_stop_share_a_joint():
    """Pulled away from a stop by less than friction holds, it stays; by more, it goes."""
    b = vv.Builder("slider", gravity=(0, 0, 0))
    b.body("slider", joint="prismatic", axis="x", limits=(0.0, 9.0), restitution=0.2, mass=1.0,
           friction=2.0)  # fmt: skip
    s = b.build()
    run = s.simulate([0.0], [0.0], 4.0, tau=lambda t, q, v: [t - 1.0])
    assert (run.v[run.t < 3.0] == 0.0).all()
    pressed = run.t < 1.0
    close(run.contact[pressed, 0], 1.0 - run.t[pressed], 1e-12)
    assert (run.friction[pressed] == 0.0).all()
    pulled = (run.t > 1.0) & (run.t < 3.0)
    assert (run.contact[pulled] == 0.0).all()
    close(run.friction[pulled, 0], run.t[pulled] - 1.0, 1e-12)
    close(run.q[-1], [1.0 / 6.0], 1e-8)


def test_two_joints_bounce_upon_each_other():
    """A stack of sliders: the upper bounces on the lower, both come to rest, and carry the sum."""
    b = vv.Builder("stack", gravity=(0, 0, -G))
    for k, e in enumerate((0.2, 0.3)):
        b.body(f"s{k}", parent="s0" if k else "", joint="prismatic", axis="z", mass=1.0,
               limits=(0.0, 9.0), restitution=e)  # fmt: skip
    run = b.build().simulate([0.5, 0.3], [0.0, 0.0], 20.0)
    assert (run.q[-1] == 0.0).all()
    assert (run.v[-1] == 0.0).all()
    close(run.contact[-1], [2 * G, G], 1e-12)
    assert (np.diff(run.energy) <= 1e-9).all()
    assert run.account.closes


@pytest.mark.spread(0)
def test_batches_threads_and_files_keep_impacts(tmp_path):
    s = ball(0.5)
    run = s.simulate([[1.0], [2.0], [0.0]], np.zeros((3, 1)), np.linspace(0, 3, 31))
    both = s.simulate([[1.0], [2.0], [0.0]], np.zeros((3, 1)), np.linspace(0, 3, 31), threads=2)
    assert (both.q == run.q).all()
    assert (both.contact == run.contact).all()
    alone = s.simulate([2.0], [0.0], np.linspace(0, 3, 31))
    assert (run.q[1] == alone.q).all()
    assert (run[1].events["stop of ball_joint"].t == alone.events["stop of ball_joint"].t).all()
    assert (run[2].q == 0.0).all()
    assert run[1].account.closes
    run.save(tmp_path / "run.npz")
    again = vv.load_trajectory(tmp_path / "run.npz")
    assert (again.contact == run.contact).all()
    hits = run.events["stop of ball_joint"]
    assert (again.events["stop of ball_joint"].impulse == hits.impulse).all()
    assert again.system.with_stops(0.5).simulate([1.0], [0.0], 1.0).statistics["impacts"] == 2


def test_mechanism_files_state_stops(tmp_path):
    s = arm()
    vv.save(s, tmp_path / "arm.toml")
    again = vv.load(tmp_path / "arm.toml")
    (_, mine), (_, other) = ([b.limits.restitution for b in x.bodies] for x in (s, again))
    assert (mine == other).all()
    start = [0.3, 0.5], [0.0, 3.0], 2.0
    assert (again.simulate(*start).q == s.simulate(*start).q).all()


def test_limits_alone_hold_nothing():
    b = vv.Builder("ball")
    b.body("ball", joint="prismatic", axis="z", limits=(0.0, 1.0), mass=1.0)
    s = b.build()
    run = s.simulate([0.5], [0.0], 1.0)
    assert run.notes[-1].endswith("no stop acts; model.with_stops({'ball_joint': 0.0}) has one")
    stopped = s.with_stops({"ball_joint": 0.0})
    assert "stops with restitution: ball_joint 0" in str(stopped)
    assert stopped.simulate([0.5], [0.0], 1.0).q[-1, 0] == 0.0
    assert (stopped.with_stops(None).simulate([0.5], [0.0], 1.0).q == run.q).all()


def test_events_jump_and_end_among_stops():
    """A kick between two bounces, and an end after the first."""
    later = vv.Event(lambda t, q, v: t - 0.6, then=lambda t, q, v: v + 1.0, name="kick")
    run = ball(0.8).simulate([1.0], [0.0], 2.0, events=later)
    kick, hits = run.events["kick"], run.events["stop of ball_joint"]
    close(kick.v_after[0], kick.v[0] + 1.0, 1e-12)
    close(hits.v[1, 0], -np.sqrt(2 * G * kick.q[0, 0] + kick.v_after[0, 0] ** 2), 1e-9)
    assert run.account.closes
    ends = vv.Event(lambda t, q, v: t - 1.0, terminal=True, name="end")
    until = ball(0.8).simulate([[1.0], [2.0]], np.zeros((2, 1)), 5.0, events=ends)
    close(until.ended, [1.0, 1.0], 1e-12)
    with pytest.raises(ArgumentError, match="the name of the impacts at a stop"):
        ball().simulate([1.0], [0.0], 1.0, events={"stop of ball_joint": lambda t, q, v: t})


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: ball(-0.1), r"from 0 .* to 1 .* got -0.1"),
        (lambda: ball(1.5), r"from 0 .* to 1 .* got 1.5"),
        (lambda: ball(0.5, limits=(1.0, 0.0)), "lower limit 1.0 is above the upper 0.0"),
        (lambda: ball(0.5, limits=(1.0, 1.0)), r"the lower is below the upper, got \[1.0\]"),
        (lambda: ball(0.5, limits=None), "no limits of position"),
        (lambda: vv.catalog.pendulum(2).with_stops(0.5), "have no limits|has limits"),
        (lambda: ball().simulate([-1.0], [0.0], 1.0), "outside of its stops at 0 and inf"),
        (lambda: ball().simulate([0.0], [-1.0], 1.0), "velocity after the impact, 0.5"),
        (lambda: ball().simulate([1.0], [0.0], 1.0, method="radau"), "does not; take one of"),
        (lambda: ball().simulate([1.0], [0.0], 1.0, method="midpoint", dt=0.1), "does not; take"),
        (lambda: ball().sensitivities([1.0], [0.0], 1.0), "stops"),
        (lambda: ball().simulate([1.0], [0.0], 1.0, tau=lambda t, q, v: [float(np.sin(t))]),
         "cannot be traced"),
    ],
)  # fmt: skip
def test_what_stops_cannot_be_is_refused(ask, said):
    with pytest.raises(ArgumentError, match=said):
        ask()


def test_unknown_joints_and_joints_without_rates():
    with pytest.raises(UnknownNameError, match="ball_joint"):
        ball().with_stops({"elbow": 0.5})
    b = vv.Builder("base")
    with pytest.raises(ArgumentError, match="no rates of its coordinates"):
        b.body("base", joint="free", mass=1.0, limits=(-1.0, 1.0), restitution=0.5)


@pytest.mark.parametrize("suffix", ["urdf", "xml"])
def test_files_that_know_no_restitution_say_so(suffix, tmp_path):
    with pytest.raises(VisvivaError, match="restitution at the stops of ball_joint"):
        vv.save(ball(inertia=None), tmp_path / f"ball.{suffix}")


@pytest.mark.spread(0)
def test_stops_that_push_each_other_come_to_rest():
    """Three coupled joints pressed into their stops: bounces within bounces are over at last."""
    rng = np.random.default_rng(5)
    b = vv.Builder("arm", gravity=(0, 0, -G))
    for k, kind in enumerate(("revolute", "prismatic", "revolute")):
        ball_at = vv.Inertia.sphere(1.0, radius=0.3).moved(p=rng.normal(size=3) * 0.4)
        b.body(f"b{k}", parent=f"b{k - 1}" if k else "", joint=kind, axis="yxz"[k],
               at=[0.3, 0.1 * k, 0.2], inertia=ball_at, limits=(-0.3, 0.4), damping=0.5,
               restitution=(0.3, 0.2, 0.3)[k])  # fmt: skip
    s = b.build()
    run = s.simulate([-0.2, 0.1, -0.2], [0.0, 0.0, 0.0], 10.0, tau=[-20.0, -30.0, -12.0])
    assert (run.q[-1] == -0.3).all()
    assert (run.v[-1] == 0.0).all()
    close(run.contact[-1], s.gravity_forces(run.q[-1]) - [-20.0, -30.0, -12.0], 1e-10)
    assert run.statistics["impacts"] > 20
    assert run.account.closes


@pytest.mark.parametrize("how", [{}, {"dt": 0.02}])
def test_impacts_inside_a_floating_body_change_no_momentum(how):
    """A satellite whose arm meets its stop, with friction beside: q and v have different places."""
    b = vv.Builder("satellite", gravity=(0, 0, 0))
    b.body("base", joint="free", inertia=vv.Inertia.sphere(2.0, radius=0.3))
    rod = vv.Inertia.rod(1.0, length=1.0).moved(p=[0.5, 0, 0.1])
    b.body("arm", parent="base", joint="revolute", axis="y", at=[0.2, 0, 0], inertia=rod,
           limits=(-0.5, 0.7), restitution=0.5, friction=0.05)  # fmt: skip
    s = b.build()
    run = s.simulate(s.neutral(), [0.3, -0.2, 0.1, 0.1, 0.2, -0.1, 2.0], 4.0, **how)
    hits = run.events["stop of arm_joint"]
    assert len(hits) >= 1
    assert hits.q[0, -1] == 0.7
    p = run.quantity("momentum")
    assert np.abs(p - p[0]).max() < 1e-7  # of the steps, not of impacts:
    before, after = s.momentum(hits.q[0], hits.v[0]), s.momentum(hits.q[0], hits.v_after[0])
    close(after, before, 1e-12)
    assert run.v[-1, -1] == 0.0
    assert run.account.closes


def test_a_linkage_meets_a_stop():
    """A four-bar whose crank has stops: loops stay closed, the impulse is that of one freedom."""
    fb = vv.catalog.four_bar()
    q = fb.assembled()
    crank = fb.bodies[0]
    near = Limits.of(crank.joint, q[0] - 0.5, q[0] + 0.4)
    s = replace(fb, bodies=(replace(crank, limits=near), *fb.bodies[1:])).with_stops(0.5)
    run = s.simulate(q, s.admitted_velocity(q, [2.0, 0.0, 0.0]), 4.0)
    hits = run.events["stop of theta1"]
    for q, v, after, p in zip(hits.q, hits.v, hits.v_after, hits.impulse, strict=True):
        J = np.linalg.svd(s.constraint_matrix(q))[2][-1]
        J = J / J[0]
        close(after - v, J * (after - v)[0], 1e-9)
        close((J @ s.mass_matrix(q) @ J) * (after - v)[0], p[0], 1e-9)
    close(hits.v_after[:2, 0], -0.5 * hits.v[:2, 0], 1e-15)
    assert np.abs(run.constraint_error).max() < 1e-12
    assert run.q[-1, 0] in (near.lower[0], near.upper[0])
    assert run.v[-1, 0] == 0.0
    assert np.abs(run.v[-1]).max() < 1e-14
    assert run.account.closes


@pytest.mark.parametrize("e", [0.88, 0.9, 0.95])
def test_a_ball_comes_to_rest_after_hundreds_of_bounces(e):
    """Steps that an impact cuts off gain no time, and are not counted as if they did."""
    builder = vv.Builder("ball")
    builder.body("ball", joint="prismatic", axis="z", limits=(0.0, 5.0), mass=1.0)
    fall = np.sqrt(2 / 9.81)
    rest = fall * (1 + 2 * e / (1 - e))
    run = builder.build().with_stops(e).simulate([1.0], [0.0], 1.2 * rest)
    impacts = run.events["stop of ball_joint"].t
    assert len(impacts) > 150
    np.testing.assert_allclose(impacts[0], fall, rtol=1e-12)
    np.testing.assert_allclose(impacts[-1], rest, rtol=1e-6)
    assert run.q[-1].tolist() == [0.0]
    assert run.v[-1].tolist() == [0.0]
