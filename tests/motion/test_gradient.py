"""`gradient`: what one sweep backward says is what all derivatives forward say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.motion.test_sensitivities import BEAD, FIXED, OSCILLATOR
from tests.support.counts import SOAK, examples
from tests.support.oracles.oracle import mechanism
from visviva.motion.sensitivities import backward, course

g = vv.generic
RNG = np.random.default_rng(5)


def agree(a, b, rtol=1e-12):
    np.testing.assert_allclose(a, b, atol=rtol * max(np.abs(b).max(), 1e-300))


@pytest.mark.soak
@pytest.mark.parametrize("method", FIXED if SOAK else ["rk4", "midpoint"])
def test_backward_is_forward(method):
    """By everything at once; slopes at all samples, forces that change at every step."""
    asked = {"wrt": ("q0", "v0", "tau", "m"), "dt": 0.05, "method": method}
    asked["tau"] = RNG.normal(size=(8, 1))
    S = BEAD.sensitivities([0.4], [0.3], 0.4, save=2, **asked)
    by_q, by_v = RNG.normal(size=(2, 5, 1))
    G = BEAD.gradient((by_q, by_v), [0.4], [0.3], 0.4, save=2, **asked)
    slopes = np.concatenate([by_q, by_v], axis=1)
    agree(G.vector, np.einsum("kr,krm->m", slopes, S.matrix))
    assert G["tau"].shape == (8, 1)
    assert G["m"].shape == ()
    assert G.cost is None
    assert G.names == S.names


def test_a_cost_of_the_end_and_along_the_way():
    """A function of the final state, and one of every step: against sums of derivatives."""
    table, dt = RNG.normal(size=(10, 1)), 0.04

    def cost(q, v):
        return g.sin(q[0]) * v[0] + q[0] * q[0]

    def running(t, q, v, tau):
        return t * q[0] * q[0] + v[0] * tau[0] + 0.1 * tau[0] * tau[0]

    asked = {"tau": table, "dt": dt, "wrt": ("q0", "tau", "c"), "method": "semi-implicit"}
    G = BEAD.gradient(cost, [0.4], [0.3], 0.4, running=running, **asked)
    S = BEAD.sensitivities([0.4], [0.3], 0.4, **asked)
    q, v, t, f = S.trajectory.q[:, 0], S.trajectory.v[:, 0], S.t[:-1], table[:, 0]
    along = t * q[:-1] ** 2 + v[:-1] * f + 0.1 * f**2
    agree(G.cost, np.sin(q[-1]) * v[-1] + q[-1] ** 2 + dt * along.sum())
    last = np.array([np.cos(q[-1]) * v[-1] + 2 * q[-1], np.sin(q[-1])])
    by_state = dt * np.stack([2 * t * q[:-1], f], axis=1)
    expected = last @ S.matrix[-1] + np.einsum("kr,krm->m", by_state, S.matrix[:-1])
    expected[1:11] += dt * (v[:-1] + 0.2 * f)
    agree(G.vector, expected)
    constant = asked | {"tau": [0.3]}
    one = BEAD.gradient(cost, [0.4], [0.3], 0.4, running=running, **constant)
    same = BEAD.gradient(cost, [0.4], [0.3], 0.4, running=running, **(constant | {
        "tau": np.full((10, 1), 0.3)}))  # fmt: skip
    agree(one["tau"], same["tau"].sum(axis=0))


def test_steps_that_are_chosen():
    """Forces in rows that end inside; a controller that remembers; a batch."""
    table = RNG.normal(size=(3, 1))
    asked = {"tau": table, "wrt": ("q0", "v0", "tau", "k"), "method": "dopri5"}
    S = OSCILLATOR.sensitivities([0.4], [0.3], 1.0, **asked)
    G = OSCILLATOR.gradient(([1.0], [0.5]), [0.4], [0.3], 1.0, **asked)
    agree(G.vector, np.array([1.0, 0.5]) @ S.matrix[-1])
    law = vv.Controller(lambda t, q, v, x: -x - q, start=[0.2], rate=lambda t, q, v, x: q)
    how = {"tau": law, "dt": 0.1, "method": "semi-implicit"}
    S = OSCILLATOR.sensitivities([0.4], [0.3], 1.0, **how)
    G = OSCILLATOR.gradient(([1.0], [0.5]), [0.4], [0.3], 1.0, **how)
    agree(G.vector, np.array([1.0, 0.5]) @ S.matrix[-1])
    starts = np.array([[0.1], [0.5]])
    more = {"wrt": ("q0", "v0", "tau", "k"), "method": "dopri5"}
    many = OSCILLATOR.gradient(lambda q, v: q[0] * v[0], starts, [0.3], 1.0, **more)
    assert many.vector.shape == (2, 4)
    for k in (0, 1):
        one = OSCILLATOR.gradient(lambda q, v: q[0] * v[0], starts[k], [0.3], 1.0, **more)
        agree(many.vector[k], one.vector)
        agree(many.cost[k], one.cost)


def test_many_motions_share_lanes_and_threads():
    starts, masses = 0.2 + 0.1 * np.arange(9.0)[:, None], 0.5 + 0.1 * np.arange(9.0)
    tables = RNG.normal(size=(9, 8, 1))
    asked = {"wrt": ("q0", "tau", "m"), "dt": 0.05}

    def cost(q, v):
        return q[0] * v[0]

    many = BEAD.gradient(
        cost, starts, [0.3], 0.4, tau=tables, parameters={"m": masses}, threads=2, **asked
    )
    assert many["tau"].shape == (9, 8, 1)
    assert many["m"].shape == (9,)
    for k in (0, 8):
        one = BEAD.gradient(
            cost, starts[k], [0.3], 0.4, tau=tables[k], parameters={"m": masses[k]}, **asked
        )
        assert np.array_equal(many.vector[k], one.vector)


def test_long_motions_in_parts_and_large_steps_another_way(monkeypatch):
    asked = {"wrt": ("q0", "v0", "tau", "m"), "dt": 0.05, "tau": RNG.normal(size=(20, 1))}
    slopes = RNG.normal(size=(2, 21, 1))
    whole = BEAD.gradient(tuple(slopes), [0.4], [0.3], 1.0, **asked)
    constant = BEAD.gradient(tuple(slopes), [0.4], [0.3], 1.0, **(asked | {"tau": [0.2]}))
    monkeypatch.setattr(
        course, "NUMBERS_AT_A_TIME", 50
    )  # some steps at a time, and states computed again
    agree(BEAD.gradient(tuple(slopes), [0.4], [0.3], 1.0, **asked).vector, whole.vector)
    monkeypatch.setattr(backward, "LONGEST", 0)
    agree(BEAD.gradient(tuple(slopes), [0.4], [0.3], 1.0, **asked).vector, whole.vector)
    same = BEAD.gradient(tuple(slopes), [0.4], [0.3], 1.0, **(asked | {"tau": [0.2]}))
    agree(same.vector, constant.vector)


@examples(1, 150)
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_random_mechanisms(seed, size):
    """Every kind of joint: backward is forward, which is what differences of motions say."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, losses=False)
    q, v = model.random(rng), rng.normal(size=model.nv)
    how = {"dt": 0.01, "method": rng.choice(["semi-implicit", "rk4"]), "save": 4}
    S = model.sensitivities(q, v, 0.04, **how).matrix[-1]
    slopes = rng.normal(size=(2, model.nv))
    G = model.gradient(tuple(slopes), q, v, 0.04, **how)
    # large masses at the ends of long links: digits are lost in the derivatives themselves
    np.testing.assert_allclose(G.vector, slopes.ravel() @ S, atol=1e-9 * np.abs(S).max())
    d, e = rng.normal(size=(2, model.nv)), 1e-3
    here = model.simulate(q, v, 0.04, **how)

    def moved(e):
        run = model.simulate(model.integrate(q, e * d[0]), v + e * d[1], 0.04, **how)
        return np.concatenate([model.difference(here.q[-1], run.q[-1]), run.v[-1] - here.v[-1]])

    twice, once = ((moved(x) - moved(-x)) / (2 * x) for x in (2 * e, e))
    expected = (4 * once - twice) / 3  # the fourth power of e is left, and rounding over e
    np.testing.assert_allclose(S @ d.ravel(), expected, atol=1e-6 * np.abs(S).max())


def refused(match, cost, *, error=vv.errors.ArgumentError, **named):
    with pytest.raises(error, match=match):
        BEAD.gradient(cost, [0.4], [0.3], 0.2, **named)


def test_costs_that_say_nothing_are_refused():
    shape = vv.errors.ShapeError
    refused("a function of the final", 3.0)
    refused("cannot be traced", lambda q, v: np.float64(q[0]))
    refused("is one number", lambda q, v: q, error=shape)
    refused(r"shape \(1,\) at the end, or \(3, 1\)", ([1.0, 2.0], [0.0]), dt=0.1, error=shape)
    refused("is finite, got nan", ([np.nan], [0.0]))
    refused("steps of given length: dt=", lambda q, v: q[0], running=lambda t, q, v: q[0])
    refused("running is a function", lambda q, v: q[0], running=3, dt=0.1)
    refused("of a controller are none", lambda q, v: q[0], dt=0.1, tau=lambda t, q, v: -q,
            running=lambda t, q, v, tau: tau[0])  # fmt: skip
    with pytest.raises(vv.errors.MotionError, match="has no derivative where it is"):
        BEAD.gradient(lambda q, v: g.sqrt(q[0]), [0.0], [0.0], 0.2, dt=0.1)
