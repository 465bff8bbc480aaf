"""Controllers as users write them: with gains that change, memory of their own, random numbers."""

import gc
import os
import weakref
from functools import cached_property

import numpy as np
import pytest

import visviva as vv

ARM = vv.catalog.two_link()
Q, V = np.array([0.4, 0.1]), np.zeros(2)


class Pid:
    """An integral that the object itself keeps."""

    def __init__(self):
        self.sum = np.zeros(2)

    def __call__(self, t, q, v):
        self.sum = self.sum + 0.01 * (q - 0.5)
        return -40 * (q - 0.5) - 8 * v - 30 * self.sum


def by_hand(law, period, count):
    """One motion for every period, with the forces that the law says at its start."""
    q, v = Q, V
    for k in range(count):
        run = ARM.simulate(q, v, period, tau=np.asarray(law(k * period, q, v), dtype=float))
        q, v = run.q[-1], run.v[-1]
    return q


class Gain:
    """A law that is a method, with its gain on the object or on the class."""

    shared = 1.0

    def __init__(self, own=1.0):
        self.own = own

    def law(self, t, q, v):
        return -self.own * self.shared * q - v


def with_gain(k):
    return lambda t, q, v: -k * q - v


def with_default(k):
    return lambda t, q, v, k=k: -k * q - v


def on_module(k):
    np.gain = k
    return lambda t, q, v: -np.gain * q - v


def of_environment(k):
    os.environ["GAIN"] = str(k)
    return lambda t, q, v: -float(os.environ["GAIN"]) * q - v


def of_class(k):
    return type("Other", (Gain,), {"shared": k})().law


def of_another_model(k):
    other = ARM.with_gravity([0.0, -k, 0.0])
    return lambda t, q, v: other.gravity_forces(q)


LAWS = (with_gain, with_default, on_module, of_environment, of_class, of_another_model)


@pytest.mark.parametrize("law", [*LAWS, lambda k: Gain(k).law])
@pytest.mark.parametrize("how", [{}, {"dt": 0.01}], ids=["adaptive", "dt"])
def test_laws_that_look_alike_are_told_apart(law, how, monkeypatch):
    """A motion is that of the law as it is now, whatever was run before, bit by bit."""
    monkeypatch.setattr(np, "gain", 0.0, raising=False)
    monkeypatch.setenv("GAIN", "0")
    arm = vv.catalog.two_link()
    gains = (0.0, -0.0, 1, 1.0, 2.0, 1.0)
    for k in gains:
        alone = vv.catalog.two_link().simulate(Q, V, 0.2, tau=law(k), **how)
        after = arm.simulate(Q, V, 0.2, tau=law(k), **how)
        assert after.q.tobytes() == alone.q.tobytes()
        assert after.tau.tobytes() == alone.tau.tobytes()


def test_periods_and_numbers_remembered_tell_laws_apart():
    """The same program asked at another period, or with another start."""
    arm = vv.catalog.two_link()
    for period in (None, 0.1, 0.2):
        for first in ((), (0.0,), (1.0,)):
            more = {"start": first, "rate": lambda t, q, v, x: q[:1]} if first else {}
            law = vv.Controller(lambda t, q, v, *x: -q - v, period=period, **more)
            alone = vv.catalog.two_link().simulate(Q, V, 0.4, tau=law, dt=0.1)
            assert arm.simulate(Q, V, 0.4, tau=law, dt=0.1).q.tobytes() == alone.q.tobytes()


def gain_of_a_run(period, first):
    """The object that a law held which moved an arm."""
    gain = Gain(2.0)
    more = {"start": first, "rate": lambda t, q, v, x: gain.own * q} if first else {}
    law = vv.Controller(lambda t, q, v, *x: gain.law(t, q, v), period=period, **more)
    for how in ({}, {"dt": 0.1}):
        ARM.simulate(Q, V, 0.4, tau=law, **how)
    return weakref.ref(gain)


@pytest.mark.parametrize("period", [None, 0.1])
@pytest.mark.parametrize("first", [(), (0.0, 0.0)])
def test_what_a_law_holds_is_let_go(period, first):
    """A system keeps the program of a law, and none of its objects."""
    gain = gain_of_a_run(period, first)
    gc.collect()
    assert gain() is None


def test_machine_code_of_many_laws_is_let_go():
    arm = vv.catalog.pendulum(n=1)
    for k in range(70):
        arm.simulate([0.1], [0.0], 0.1, dt=0.1, method="semi-implicit", tau=with_gain(float(k)))
    assert len(arm.__dict__["_integrators"]) <= 64


@pytest.mark.spread(2)
@pytest.mark.parametrize("how", [{}, {"dt": 0.01}], ids=["adaptive", "dt"])
@pytest.mark.parametrize("period", [None, 0.1], ids=["smooth", "sampled"])
def test_a_gain_that_changed_since_the_last_run_counts(how, period):
    gain = [1.0]
    law = vv.Controller(lambda t, q, v: -gain[0] * q - v, period=period)
    before = ARM.simulate(Q, V, 0.5, tau=law, **how)
    gain[0] = 50.0
    now = ARM.simulate(Q, V, 0.5, tau=law, **how)
    fresh = ARM.simulate(Q, V, 0.5, tau=vv.Controller(law.law, period=period), **how)
    assert np.array_equal(now.q, fresh.q)
    assert np.abs(now.q[-1] - before.q[-1]).max() > 0.1
    gain[0] = 1.0
    assert np.array_equal(ARM.simulate(Q, V, 0.5, tau=law, **how).q, before.q)


def test_an_object_that_keeps_its_integral_is_asked_once_a_period():
    run = ARM.simulate(Q, V, 0.3, tau=vv.Controller(Pid(), period=0.01))
    np.testing.assert_allclose(run.q[-1], by_hand(Pid(), 0.01, 30), atol=1e-8)


def test_a_closure_that_counts_is_asked_once_a_period():
    def made():
        n = 0

        def law(t, q, v):
            nonlocal n
            n += 1
            return [1.0 if n % 2 else -1.0, 0.1 * n]

        return law

    run = ARM.simulate(Q, V, 0.5, tau=vv.Controller(made(), period=0.1))
    np.testing.assert_allclose(run.q[-1], by_hand(made(), 0.1, 5), atol=1e-8)


def test_random_forces_are_new_in_every_period():
    rng = np.random.default_rng(0)
    law = vv.Controller(lambda t, q, v: -5 * q + rng.normal(size=2), period=0.1)
    run = ARM.simulate(Q, V, 0.5, tau=law)
    drawn = np.random.default_rng(0)
    expected = by_hand(lambda t, q, v: -5 * q + drawn.normal(size=2), 0.1, 5)
    np.testing.assert_allclose(run.q[-1], expected, atol=1e-8)


def test_what_an_object_keeps_has_no_meaning_inside_a_step():
    with pytest.raises(vv.errors.ArgumentError, match="asked twice the same"):
        ARM.simulate(Q, V, 0.5, tau=Pid())
    rng = np.random.default_rng(0)
    with pytest.raises(vv.errors.ArgumentError, match="random numbers"):
        ARM.simulate(Q, V, 0.5, tau=lambda t, q, v: -q + rng.normal(size=2), dt=0.01)


def test_motions_of_a_batch_do_not_share_what_an_object_keeps():
    with pytest.raises(vv.errors.ArgumentError, match="would share it"):
        ARM.simulate([Q, Q + 0.1], V, 0.1, tau=vv.Controller(Pid(), period=0.01))


def test_an_object_that_makes_its_gains_when_it_is_first_asked_is_machine_code():
    class Pd:
        @cached_property
        def gains(self):
            return np.array([30.0, 20.0])

        def law(self, t, q, v):
            return -self.gains * q - 4 * v

    run = ARM.simulate(Q, V, 0.5, tau=Pd().law, dt=0.01)
    same = ARM.simulate(Q, V, 0.5, tau=lambda t, q, v: [-30, -20] * q - 4 * v, dt=0.01)
    assert np.array_equal(run.q, same.q)


def test_a_law_that_only_writes_down_is_no_other_law():
    seen = []

    def law(t, q, v):
        seen.append(t)
        return -q

    run = ARM.simulate(Q, V, 0.5, tau=law)
    np.testing.assert_allclose(run.q[-1], ARM.simulate(Q, V, 0.5, tau=lambda t, q, v: -q).q[-1])
    assert all(isinstance(t, float) for t in seen)


@pytest.mark.spread(3)
@pytest.mark.parametrize("how", [{}, {"dt": 0.01}, {"period": 0.1}])
@pytest.mark.parametrize("number", [lambda x: x, float], ids=["traced", "called"])
def test_a_law_that_writes_into_its_arguments_changes_no_state(how, number):
    def law(t, q, v):
        q[0] = 0.0
        v *= 2.0
        return [-number(q[0]), -number(v[1])]

    if number is float and "dt" in how:
        pytest.skip("steps of given length take no function of Python")
    how = dict(how)
    period = how.pop("period", None)
    run = ARM.simulate(Q, V, 0.5, tau=vv.Controller(law, period=period), **how)
    clean = vv.Controller(lambda t, q, v: [0.0, -2.0 * v[1]], period=period)
    np.testing.assert_allclose(
        run.q[-1], ARM.simulate(Q, V, 0.5, tau=clean, **how).q[-1], atol=1e-8
    )
    assert run.account.closes


@pytest.mark.parametrize("number", [lambda x: x, float], ids=["traced", "called"])
def test_a_law_that_writes_into_what_it_remembers_changes_nothing(number):
    def law(t, q, v, x):
        force = [-number(q[0]) - number(x[0]), 0.0]
        q[0] = x[0] = 7.0
        return force

    clean = vv.Controller(
        lambda t, q, v, x: [-q[0] - x[0], 0.0], [0.1], lambda t, q, v, x: [q[0] + x[0]], period=0.1
    )
    run = ARM.simulate(Q, V, 0.5, tau=vv.Controller(law, [0.1], clean.rate, period=0.1))
    np.testing.assert_allclose(run.q[-1], ARM.simulate(Q, V, 0.5, tau=clean).q[-1], atol=1e-9)


def test_a_law_that_branches_on_what_it_remembers_is_asked_by_python():
    """Traced with the numbers of the start it would have taken one of its ways for ever."""

    def law(t, q, v, x):
        return [1.0, 0.0] if x[0] < 0.25 else [-1.0, 0.0]

    def rate(t, q, v, x):
        return [1.0]

    run = ARM.simulate(Q, V, 0.5, tau=vv.Controller(law, start=[0.0], rate=rate, period=0.1))
    steps = by_hand(lambda t, q, v: law(t, q, v, [t]), 0.1, 5)
    np.testing.assert_allclose(run.q[-1], steps, atol=1e-8)
    with pytest.raises(vv.errors.ArgumentError, match="cannot be traced"):
        ARM.simulate(Q, V, 0.5, tau=vv.Controller(law, start=[0.0], rate=rate))


@pytest.mark.spread(2)
@pytest.mark.parametrize("save", [1, 5, 20, 25])
def test_forces_of_a_period_that_is_no_multiple_of_the_kept_states(save):
    """They change between the states that are kept, and the account knows when."""

    def law(t, q, v):
        return [-5 * q[0] - v[0] + vv.generic.sin(3 * t), -4 * q[1] * t]

    control, span = vv.Controller(law, period=0.03), (0.5, 1.5)
    run = ARM.simulate(Q, V, span, tau=control, dt=0.001, save=save)
    smooth = ARM.simulate(Q, V, span, tau=control)
    t = np.linspace(0.5, 1.5, 333)
    np.testing.assert_allclose(run.forces_at(t), smooth.forces_at(t), atol=1e-7)
    assert run.account.closes
    many = ARM.simulate([Q, Q], V, span, tau=control, dt=0.001, save=save)
    np.testing.assert_array_equal(many[1].forces_at(t), run.forces_at(t))


def test_a_trial_step_that_was_not_taken_is_no_warning():
    """A brake takes hold within a step: longer ones overflow, shorter ones are taken."""

    def brake(t, q, v):
        return -3e3 * v if t > 0.5 else ARM.gravity_forces(q)

    run = ARM.simulate(Q, [1.0, -0.5], 0.51, tau=brake)  # warnings are errors here
    assert np.isfinite(run.q).all()
    assert np.abs(run.v[-1]).max() < 0.05


def test_a_motion_that_is_not_finite_is_told():
    def law(t, q, v):
        return np.full(2, np.nan) if t > 0.5 else ARM.gravity_forces(q)

    with pytest.raises(vv.errors.MotionError, match="the controller returned"):
        ARM.simulate(Q, V, 1.0, tau=law)
    with pytest.warns(vv.errors.NotFiniteWarning, match="a result is not finite"):
        vv.catalog.two_link(L1=2.0).kinetic_energy(Q, [1e200, 1e200])


@pytest.mark.parametrize("law", [lambda q, v, t: -q, lambda t, v, q: -q])
def test_a_law_that_takes_state_and_time_in_another_order_is_refused(law):
    """It would be called with one for the other."""
    with pytest.raises(vv.errors.ArgumentError, match=r"with \(t, q, v\) in this order"):
        ARM.simulate(Q, V, 0.1, tau=law)
