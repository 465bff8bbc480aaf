"""Friction that sticks: velocities are exactly zero while it does, and it holds what is needed."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.integrate
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from benchmarks.robots import UR5
from tests.support.counts import examples
from tests.support.generators.bodies import close

G = 9.81


def block(mu, slope, mass=2.0, **more):
    """A block on an incline, its friction mu times its weight upon it."""
    b = vv.Builder("block", gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    friction = mu * mass * G * np.cos(slope)
    b.body("block", joint="prismatic", axis="x", friction=friction,
           inertia=vv.Inertia.point(mass), **more)  # fmt: skip
    return b.build()


def rubbing(model, friction):
    """The same model with dry friction in its joints."""
    pairs = zip(model.bodies, friction, strict=True)
    return replace(model, bodies=tuple(replace(b, friction=np.full(1, f)) for b, f in pairs))


def test_a_block_on_an_incline_stays_below_the_angle_of_friction():
    mu = 0.5
    below, above = np.arctan(mu) - 1e-9, np.arctan(mu) + 1e-3
    stays = block(mu, below).simulate([0.3], [0.0], 1000.0)
    assert (stays.v == 0.0).all()
    assert (stays.q == 0.3).all()
    close(stays.friction[:, 0], np.full(len(stays.t), 2.0 * G * np.sin(below)))
    assert (stays.acceleration == 0.0).all()
    slides = block(mu, above).simulate([0.0], [0.0], 2.0)
    close(slides.q[-1], [0.5 * G * (np.sin(above) - mu * np.cos(above)) * 4.0], 1e-9)


def test_stopping_distance_and_time():
    mu, slope, speed = 0.5, 0.3, 2.0
    braked = G * (mu * np.cos(slope) - np.sin(slope))
    run = block(mu, slope).simulate([0.0], [speed], 10.0)
    stopped = run.t[run.v[:, 0] == 0.0][0]
    assert abs(stopped - speed / braked) < 1e-8
    stuck, slipped = run.events["stick of block_joint"], run.events["slip of block_joint"]
    assert stuck.t.tolist() == [stopped]
    assert not stuck.v.any()
    assert not len(slipped)
    assert "'stick of block_joint': once at t =" in repr(run)
    assert "slip" not in repr(run)
    with pytest.raises(AttributeError, match=r"x\.t for name, x in run\.events\.items\(\)"):
        len(run.events.t)
    with pytest.raises(vv.errors.ArgumentError, match="'slip of block_joint' is the name of"):
        block(mu, slope).simulate([0.0], [1.0], 1.0, events={slipped.name: lambda t, q, v: t})
    assert abs(run.q[-1, 0] - speed**2 / (2 * braked)) < 1e-8
    assert (run.v[run.t >= stopped] == 0.0).all()
    assert run.account.closes
    up = block(mu, slope).simulate([0.0], [-speed], 10.0)  # uphill, and it stays there
    assert abs(up.q[-1, 0] + speed**2 / (2 * G * (mu * np.cos(slope) + np.sin(slope)))) < 1e-8


def test_an_oscillator_with_dry_friction_loses_the_same_from_swing_to_swing():
    """m x'' = -k x ∓ F: half swings of π √(m/k), each end nearer by 2 F / k."""
    m, k, F = 2.0, 50.0, 3.0
    b = vv.Builder("oscillator", gravity=(0, 0, 0))
    b.body("block", joint="prismatic", axis="x", friction=F, inertia=vv.Inertia.point(m))
    s = b.build()
    run = s.simulate([1.0], [0.0], 20.0, tau=lambda t, q, v: [-k * q[0]])
    turns = run.t[np.flatnonzero(run.v[:, 0] == 0.0)]
    ends = run.q[np.flatnonzero(run.v[:, 0] == 0.0), 0]
    half = np.pi * np.sqrt(m / k)
    amplitudes = 1.0 - 2 * F / k * np.arange(20)
    last = int(np.argmax(amplitudes * k <= F))  # there the spring no longer moves it
    close(turns[: last + 1], half * np.arange(last + 1), 1e-8)
    close(np.abs(ends[: last + 1]), amplitudes[: last + 1], 1e-8)
    assert (run.v[run.t > turns[last]] == 0.0).all()
    close(run.friction[-1], [-k * run.q[-1, 0]], 1e-12)


def test_an_arm_is_put_down_by_friction_and_stays():
    """Six joints, several stuck at once; energy never rises, and rest is rest for 1000 s."""
    arm = rubbing(UR5.load(), [20.0, 60.0, 35.0, 8.0, 8.0, 4.0])
    run = arm.simulate([0.2, -0.3, 0.4, 0.2, 0.5, 0.1], [1.0, -1.0, 2.0, 1.0, -1.0, 0.5], 1000.0)
    assert np.diff(run.energy).max() <= 1e-12
    rests = run.t > 0.2
    assert rests.sum() > 3
    assert (run.v[rests] == 0.0).all()
    assert (np.ptp(run.q[rests], axis=0) == 0.0).all()
    assert run.account.closes
    # what friction does holds gravity, and is within its limits
    close(run.friction[-1], -arm.gravity_forces(run.q[-1]))
    assert (np.abs(run.friction) <= arm.dry_friction * (1 + 1e-9)).all()
    assert run.statistics["changes"] >= 6


@pytest.mark.spread(0)
@given(st.integers(0, 10_000))
@examples(3, 300)
def test_who_sticks_is_what_minimises(seed):
    """Two links, random pushes: all conditions of friction hold at every sample."""
    rng = np.random.default_rng(seed)
    arm = rubbing(vv.catalog.two_link().numeric, rng.uniform(0.5, 6.0, 2))
    tau = rng.uniform(-8, 8, 2)
    run = arm.simulate(rng.uniform(-1, 1, 2), rng.choice([0.0, 1.0, -1.0], 2), 0.5, tau=tau)
    smooth = arm.without_dry_friction()
    a = run.acceleration
    needed = tau - smooth.inverse_dynamics(run.q, run.v, a)
    close(run.friction[run.v != 0], needed[run.v != 0], 1e-9)
    F = arm.dry_friction
    assert (np.abs(needed) <= F * (1 + 1e-9) + 1e-9).all()
    sliding = np.abs(run.v) > 0
    signed = np.sign(run.v) * F
    close(needed[sliding], signed[sliding], 1e-9)
    assert run.account.closes


def test_batches_and_parameters_stick_row_by_row():
    s = block(0.5, 0.3)
    run = s.simulate([[0.0]] * 3, [[0.0], [1.0], [2.0]], np.linspace(0, 3, 31))
    for k in range(3):
        alone = s.simulate([0.0], [float(k)], np.linspace(0, 3, 31))
        close(run.q[k], alone.q)
        close(run.friction[k], alone.friction)
    assert (run.v[:, -1] == 0.0).all()


@pytest.mark.spread(0)
def test_small_steps_agree_with_the_limit_of_strong_damping():
    """Another road: friction as steep viscosity, by SciPy's stiff method."""
    arm = rubbing(vv.catalog.two_link().numeric, [2.0, 1.0])
    smooth = arm.without_dry_friction()
    run = arm.simulate([0.5, -0.3], [1.0, 0.0], np.linspace(0, 1, 11))
    steep = 1e-5

    def braked(t, q, v):
        tanh = vv.generic.tanh
        return [-2.0 * tanh(v[0] / steep), -1.0 * tanh(v[1] / steep)]

    near = smooth.simulate(
        [0.5, -0.3], [1.0, 0.0], np.linspace(0, 1, 11), tau=braked, method="radau"
    )
    assert np.abs(run.q - near.q).max() < 1e-4


def test_forces_that_are_held_for_a_while():
    """1 s at rest, 1 s sliding by a = 1, then braked by 1.5 to rest; and asked for at times."""
    b = vv.Builder("block", gravity=(0, 0, 0))
    b.body("block", joint="prismatic", axis="x", friction=3.0, inertia=vv.Inertia.point(2.0))
    s = b.build()
    run = s.simulate([0.0], [0.0], 3.0, tau=np.array([[2.9], [5.0], [0.0]]))
    assert abs(run.q[-1, 0] - (0.5 + 1 / 3)) < 1e-9
    assert (run.v[run.t < 1.0] == 0.0).all()
    assert run.v[-1, 0] == 0.0
    assert run.statistics["changes"] == 2
    held = vv.Controller(lambda t, q, v: [5.0 * (t > 0.9) * (t < 1.9)], period=0.5)
    asked = s.simulate([0.0], [0.0], 3.0, tau=held)  # from 1.0 to 2.0
    assert abs(asked.q[-1, 0] - (0.5 + 1 / 3)) < 1e-9


def test_stick_and_slip_have_the_period_of_their_formulas():
    """A block is drawn by a spring whose end moves on; stiction F_s > F_c makes it stop and go.

    While it slides, x = v t - (v/ω) sin ωt + (F_s - F_c)/k (1 - cos ωt) from the moment it breaks
    loose; it stops when its velocity is zero again, and waits until the spring pulls with F_s.
    """
    m, k, speed, Fc, Fs = 1.0, 20.0, 0.1, 1.0, 1.5
    b = vv.Builder("block", gravity=(0, 0, 0))
    law = vv.Friction(Fc, stiction=Fs)
    b.body("block", joint="prismatic", axis="x", friction=law, inertia=vv.Inertia.point(m))
    run = b.build().simulate([0.0], [0.0], 60.0, tau=lambda t, q, v: [k * (speed * t - q[0])])
    w = np.sqrt(k / m)
    jump = (Fs - Fc) / k
    slip = 2 / w * (np.pi - np.arctan(jump * w / speed))
    moved = speed * slip - speed / w * np.sin(w * slip) + jump * (1 - np.cos(w * slip))
    period = moved / speed  # it goes as far as the end of the spring, in the mean
    rests = run.v[:, 0] == 0.0
    stops = run.t[1:][rests[1:] & ~rests[:-1]]
    goes = run.t[:-1][rests[:-1] & ~rests[1:]]
    assert run.events["stick of block_joint"].t.tolist() == stops.tolist()
    assert run.events["slip of block_joint"].t.tolist() == goes.tolist()
    close(goes[0], Fs / (k * speed), 1e-8)
    close(np.diff(stops), np.full(len(stops) - 1, period), 1e-7)
    close(stops[0] - goes[0], slip, 1e-7)
    assert len(stops) > 10
    assert run.account.closes


def test_friction_that_falls_with_the_speed():
    """Stribeck's law: what slides is braked by it, by quadrature of m v dv = -F dx."""
    law = vv.Friction(1.0, stiction=1.5, viscous=0.4, stribeck=0.1)
    b = vv.Builder("block", gravity=(0, 0, 0))
    b.body("block", joint="prismatic", axis="x", friction=law, inertia=vv.Inertia.point(2.0))
    run = b.build().simulate([0.0], [1.0], 5.0, rtol=1e-11)
    way, _ = scipy.integrate.quad(lambda v: 2.0 * v / law.force(v), 0.0, 1.0, epsabs=1e-12)
    time, _ = scipy.integrate.quad(lambda v: 2.0 / law.force(v), 1e-300, 1.0, epsabs=1e-12)
    assert abs(run.q[-1, 0] - way) < 1e-8
    assert abs(run.t[run.v[:, 0] == 0.0][0] - time) < 1e-8
    slid = run.v[:, 0] > 0
    dry = [float(law.force(v)) - 0.4 * v for v in run.v[slid, 0]]
    close(run.friction[slid, 0], dry, 1e-12)


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_files_keep_what_friction_holds(suffix, tmp_path):
    run = block(0.5, 0.3).simulate([[0.0]] * 2, [[0.0], [1.0]], np.linspace(0, 2, 5))
    run.save(tmp_path / f"run{suffix}")
    again = vv.load_trajectory(tmp_path / f"run{suffix}")
    assert (again.friction == run.friction).all()
    assert (again.acceleration == run.acceleration).all()
    assert (again[1].friction == run[1].friction).all()


def test_friction_as_a_parameter_acts_once():
    """Rows with frictions of their own, and masses: v² m / (2 F) is the way to rest."""
    b = vv.Builder("block", gravity=(0, 0, 0))
    b.body("block", joint="prismatic", axis="x", friction=3.0, inertia=vv.Inertia.point(1.0))
    F = np.array([1.0, 3.0])
    name = next(x for x in b.build().parameter_names if x.startswith("friction"))
    run = b.build().simulate([0.0], [1.0], 2.0, parameters={name: F, "m_block": 2.0})
    close(run.q[:, -1, 0], 2.0 / (2 * F), 1e-9)
    assert (run.v[:, -1] == 0.0).all()
    assert run.account.closes


def test_rows_with_numbers_that_no_mechanism_has_are_refused():
    """Whichever row has them, and whether they are a joint's or stated by a parameter."""
    arm, q = vv.catalog.two_link(), np.full((3, 2), 0.1)
    bad = {f"{kind}_q2": f"{kind} of 'q2'" for kind in ("friction", "damping", "armature")}
    bad |= {"m1": "mass is -1", "I1": "principal moment"}
    for name, said in bad.items():
        for values in ([1.0, -1.0, 1.0], -1.0):
            with pytest.raises(vv.VisvivaError, match=said):
                arm.simulate(q, 0 * q, 0.1, dt=0.01, parameters={name: values})
    sticky = arm.with_friction({"q1": vv.Friction(1.0, stiction=1.5, stribeck=0.1)})
    with pytest.raises(vv.VisvivaError, match="stiction F_s is at least"):
        sticky.simulate(q, 0 * q, 0.1, dt=0.01, parameters={"stiction_q1": [1.5, 0.5, 1.5]})


def test_no_model_is_built_for_rows_whose_numbers_are_possible(monkeypatch):
    """Of many rows of masses, dampings and lengths one function says that all are possible."""
    arm, q = vv.catalog.two_link(), np.full((40, 2), 0.1)
    values = np.linspace(0.5, 1.5, 40)
    names = {"m1": values, "L1": values, "I1": values, "damping_q2": values, "m_link2": values}
    arm.simulate(q, 0 * q, 0.1, dt=0.01, parameters=names)
    monkeypatch.setattr("visviva.equations.parameters.parameters.with_symbols", None)
    arm.simulate(q, 0 * q, 0.1, dt=0.01, parameters=names)


@pytest.mark.spread(0)
def test_a_linkage_sticks_as_one_and_breaks_loose_as_one():
    """Friction in all joints of a four-bar: it is held while |Q| ≤ Σ |J| F on its one freedom."""
    F = np.array([0.5, 0.3, 0.4])
    s = vv.catalog.four_bar().with_friction(F)
    q = s.assembled()
    J = np.linalg.svd(s.constraint_matrix(q))[2][-1]
    J = J / J[0]  # velocities of all joints for one of the crank
    weight, most = J @ s.gravity_forces(q), np.abs(J) @ F
    run = s.simulate(q, np.zeros(3), 2.1, tau=lambda t, q, v: [weight + most * t / 2, 0.0, 0.0])
    held = run.t <= 2.0 - 1e-9
    assert held.sum() > 3
    assert (run.v[held] == 0.0).all()
    assert (np.abs(run.friction) <= F * (1 + 1e-9)).all()
    close(run.friction[held] @ J, most * run.t[held] / 2, 1e-9)  # what it adds up to is one
    assert np.abs(run.v[-1]).min() > 1e-3
    assert np.abs(run.constraint_error).max() < 1e-12
    assert run.account.closes


@pytest.mark.spread(1)
@pytest.mark.parametrize("how", [{}, {"dt": 0.01}])
def test_a_linkage_comes_to_rest(how):
    """Its rocker turns at dead points on the way; then all stop at once, exactly."""
    s = vv.catalog.four_bar().with_friction([2.0, 0.0, 1.0])
    q = s.assembled()
    run = s.simulate(q, s.admitted_velocity(q, [6.0, 0.0, 0.0]), 3.0, **how)
    assert (run.v[-1, [0, 2]] == 0.0).all()
    assert abs(run.v[-1, 1]) < 1e-15  # that loops hold, as well as rounding lets them
    assert np.diff(run.energy).max() < 1e-9
    assert np.abs(run.constraint_error).max() < 1e-12
    assert run.account.closes
    slow = s.without_dry_friction()
    left = slow.gravity_forces(run.q[-1]) + run.friction[-1]
    J = np.linalg.svd(s.constraint_matrix(run.q[-1]))[2][-1]
    assert abs(J @ left) < 1e-9


def test_steps_of_given_length_stick_and_keep_their_order():
    """Stopping way and time by rk4: the error falls with dt⁴ where the method has one."""
    law = vv.Friction(1.0, stiction=1.5, viscous=0.4, stribeck=0.1)
    b = vv.Builder("block", gravity=(0, 0, 0))
    b.body("block", joint="prismatic", axis="x", friction=law, inertia=vv.Inertia.point(2.0))
    way, _ = scipy.integrate.quad(lambda v: 2.0 * v / law.force(v), 0.0, 1.0, epsabs=1e-12)
    off = []
    for dt in (0.1, 0.05):
        run = b.build().simulate([0.0], [1.0], 5.0, dt=dt)
        assert run.v[-1, 0] == 0.0
        assert np.ptp(run.q[run.v[:, 0] == 0.0]) == 0.0
        off.append(abs(run.q[-1, 0] - way))
    assert off[1] < 1e-6
    assert off[0] / off[1] > 10
    exact = block(0.5, 0.3).simulate([0.0], [2.0], 3.0, dt=0.1)
    assert abs(exact.q[-1, 0] - 4.0 / (2 * G * (0.5 * np.cos(0.3) - np.sin(0.3)))) < 1e-12
    rows = block(0.5, 0.3).simulate([[0.0]] * 2, [[1.0], [2.0]], 3.0, dt=0.1, threads=2)
    assert (rows.q[1] == exact.q).all()


@pytest.mark.parametrize("how", [{}, {"dt": 0.01}])
def test_a_motion_with_friction_that_cannot_go_on_says_so(how):
    """Forces are no numbers after t = 0.5: the error has the motion until then."""
    with pytest.raises(vv.errors.MotionError, match=r"ends at t = 0\.(5|49)") as ended:
        block(0.5, 0.3).simulate(
            [0.0], [2.0], 1.0, tau=lambda t, q, v: [vv.generic.sqrt(0.5 - t)], **how
        )
    run = ended.value.trajectory
    assert 0.4 < run.t[-1] <= 0.5 + 1e-9
    assert np.isfinite(run.q).all()


def test_events_are_found_where_friction_sticks():
    """When a block comes to rest, passes a mark, and is kicked while it is stuck."""
    s = block(0.5, 0.3)
    braked = G * (0.5 * np.cos(0.3) - np.sin(0.3))
    mark = vv.Event(lambda t, q, v: q[0] - 0.5, name="mark")
    kick = vv.Event(lambda t, q, v: t - 4.0, then=lambda t, q, v: v + 1.0, name="kick")
    run = s.simulate([0.0], [2.0], 8.0, events=[mark, kick])
    passed = (2.0 - np.sqrt(4.0 - braked)) / braked
    close(run.events["mark"].t, [passed], 1e-9)
    assert run.events["kick"].v[0, 0] == 0.0
    close(run.q[-1], [(4.0 + 1.0) / (2 * braked)], 1e-9)
    assert run.v[-1, 0] == 0.0
    assert run.account.closes


@pytest.mark.parametrize("law", ["0.3*N", lambda load: 0.3 * load])
def test_friction_that_depends_on_the_load_is_refused(law):
    """Everywhere it could be stated, with the reason."""
    said = "depends on the load, μ N, is not modelled: with it motions"
    b = vv.Builder("block")
    with pytest.raises(vv.errors.ArgumentError, match=said):
        b.body("block", joint="prismatic", axis="x", mass=1.0, friction=law)
    with pytest.raises(vv.errors.ArgumentError, match=said):
        vv.Friction(law)
    with pytest.raises(vv.errors.ArgumentError, match=said):
        vv.catalog.two_link().with_friction({"q1": vv.Friction(1.0), "q2": law})


def test_controllers_and_tables_of_forces_with_steps_of_given_length():
    """What is held, asked for or remembered is the same with dt= as with chosen steps."""
    b = vv.Builder("block", gravity=(0, 0, 0))
    b.body("block", joint="prismatic", axis="x", friction=3.0, inertia=vv.Inertia.point(2.0))
    s = b.build()
    held = vv.Controller(lambda t, q, v: [5.0 * (t > 0.9) * (t < 1.9)], period=0.5)
    asked = s.simulate([0.0], [0.0], 3.0, tau=held, dt=0.1)
    close(asked.q[-1], [0.5 + 1 / 3], 1e-12)
    close(asked.tau[[9, 10, 19, 20], 0], [0.0, 5.0, 5.0, 0.0])
    forces = np.repeat([[2.9], [5.0], [0.0]], 10, axis=0)
    table = s.simulate([0.0], [0.0], 3.0, tau=forces, dt=0.1, save=5)
    close(table.q[[2, -1], 0], [0.0, 0.5 + 1 / 3], 1e-12)
    assert len(table.t) == 7
    assert table.v[-1, 0] == 0.0
    assert table.account.closes
