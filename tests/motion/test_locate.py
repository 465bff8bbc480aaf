"""Crossings along dense output: all of them, in order, or it is said where not."""

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import within
from visviva.machine.function import function
from visviva.motion.simulation.events.locate import CalledEvent, TracedEvent, locate_events
from visviva.motion.simulation.events.panels import Panels
from visviva.numerics import bernstein

S = vv.generic


def steps(t, h, y=None, row=None):
    """Steps of one number, which is a polynomial of the share in each: its powers (m, d + 1)."""
    t, h = np.asarray(t, float), np.asarray(h, float)
    y = np.zeros((len(t), 2)) if y is None else np.asarray(y, float)
    degree = y.shape[1] - 1
    powers = tuple((k, 0) for k in range(degree + 1))
    B = y @ bernstein.of_powers(powers)
    return Panels(np.zeros(len(t), int) if row is None else np.asarray(row), t, h, B[:, :, None],
                  (1, 1))  # fmt: skip


def find(g, panels, python=False):
    gs = g if isinstance(g, list) else [g]
    events = []
    for f in gs:
        event = TracedEvent(
            function(lambda t, q, v, f=f: f(t, q), {"t": (), "q": 1, "v": 0}), (1, 1)
        )
        events.append(CalledEvent(event.value) if python else event)
    shape = (int(panels.row.max()) + 1, len(gs))
    none = np.zeros(shape, dtype=bool)
    return locate_events(events, panels, np.zeros(shape), ~none[:, 0], none)


@pytest.mark.parametrize("python", [False, True])
@pytest.mark.parametrize("parts", [1, 10, 1000])
@pytest.mark.parametrize(("rate", "last", "count"), [(1e4, 3.0, 9549), (200.0, 0.4, 25)])
def test_all_changes_of_a_fast_sine(rate, last, count, parts, python):
    edges = np.linspace(0, last, parts + 1)
    found = find(lambda t, q: S.sin(rate * t), steps(edges[:-1], np.diff(edges)), python)
    np.testing.assert_allclose(found.t, np.pi * np.arange(1, count + 1) / rate, rtol=0, atol=2e-15)
    assert not found.unsure


@pytest.mark.parametrize("lift", [0.0, 1e-15, -1e-15, 1e-9, -1e-9, -1e-6])
def test_a_grazing_parabola(lift):
    """(t - 0.3)² + lift."""
    found = find(lambda t, q: q[0], steps([0.0], [1.0], [[0.09 + lift, -0.6, 1.0]]))
    if lift == 0.0 or abs(lift) < 1e-15:
        assert len(found.t) in (0, 2)
        assert len(found.touches) + len(found.t) >= 1
    elif lift > 0:
        assert not len(found.t)
    elif lift < -1e-14:
        np.testing.assert_allclose(found.t, 0.3 + np.sqrt(-lift) * np.array([-1, 1]), rtol=1e-9)
        assert list(found.rises) == [-1, 1]


def test_two_crossings_near_each_other():
    for apart in (1e-3, 1e-6, 1e-9, 1e-12):
        found = find(lambda t, q, d=apart: (t - 0.3) * (t - 0.3 - d), steps([0.0], [1.0]))
        np.testing.assert_allclose(found.t, [0.3, 0.3 + apart], atol=1e-15)
    two = [lambda t, q: t - 0.3, lambda t, q: 0.3 + 1e-9 - t, lambda t, q: t - 0.3]
    found = find(two, steps([0.0], [1.0]))
    assert list(found.event) == [0, 2, 1]
    assert list(found.rises) == [1, 1, -1]


def test_roots_at_edges_of_steps_are_told_once():
    for at in (0.5, np.nextafter(0.5, 0), np.nextafter(0.5, 1), 0.25):
        found = find(lambda t, q, a=at: t - a, steps([0.0, 0.25, 0.5], [0.25, 0.25, 0.5]))
        np.testing.assert_allclose(found.t, [at], rtol=0, atol=1e-16)
    assert not len(find(lambda t, q: t, steps([0.0], [1.0])).t)  # leaving zero is none


def test_random_polynomials_of_known_roots():
    rng = np.random.default_rng(0)
    m = 1000
    degree = rng.integers(1, 9, m)
    roots = [np.sort(rng.uniform(-0.3, 1.3, d)) for d in degree]
    sign = rng.choice([-1.0, 1.0], m)
    y = np.zeros((m, 9))
    for k, r in enumerate(roots):
        y[k, : len(r) + 1] = sign[k] * np.polynomial.polynomial.polyfromroots(r)
    found = find(lambda t, q: q[0], steps(np.zeros(m), np.ones(m), y, np.arange(m)))
    wrong, off = 0, 0.0
    for k, r in enumerate(roots):
        inside = r[(r > 0) & (r < 1)]
        t = found.t[found.row == k]
        wrong += len(t) != len(inside)
        if len(t) == len(inside) and len(t):
            off = max(off, float(np.abs(t - inside).max()))
    print(
        "counts wrong:",
        wrong,
        "of",
        m,
        "largest error",
        off,
        "roots",
        sum(int(((r > 0) & (r < 1)).sum()) for r in roots),
    )
    assert not wrong
    assert not found.touches


def test_ordinary_functions():
    c = steps(np.arange(10.0), np.ones(10))
    for g, exact in [
        (lambda t, q: S.exp(-t) - 0.01, [np.log(100)]),
        (lambda t, q: S.tanh(t - 3.3), [3.3]),
        (lambda t, q: S.sqrt(t) - 2.5, [6.25]),
        (lambda t, q: S.absolute(t - 5) - 1.5, [3.5, 6.5]),
        (lambda t, q: S.maximum(t - 5, -0.5 * t + 1), [2.0, 5.0]),
        (lambda t, q: S.where(S.less(t, 4.4), -1.0, 1.0), [4.4]),
        (lambda t, q: S.atan2(S.sin(t), S.cos(t)) - 0.5, [0.5, np.pi, 2 * np.pi + 0.5, 3 * np.pi]),
        (lambda t, q: (t - 2) ** 3, [2.0]),
        (lambda t, q: S.atan(t - 7) * S.cos(0 * t), [7.0]),
    ]:
        found = find(g, c)
        np.testing.assert_allclose(
            found.t, exact, atol=3e-6 if len(exact) == 1 and exact[0] == 2 else 1e-14
        )


def test_rows_of_a_batch():
    N, rng = 2000, np.random.default_rng(1)
    rate = rng.uniform(1, 60, N)
    edges = np.linspace(0, 1, 11)
    row = np.repeat(np.arange(N), 10)
    t = np.tile(edges[:-1], N)
    y = np.stack([rate[row] * t, rate[row] * 0.1], axis=1)
    found = find(lambda t, q: S.sin(q[0]), steps(t, np.full(len(t), 0.1), y, row))
    number = np.bincount(found.row, minlength=N)
    np.testing.assert_array_equal(number, np.floor(rate / np.pi).astype(int))
    assert (np.diff(found.row) >= 0).all()
    k = found.t * rate[found.row] / np.pi
    np.testing.assert_allclose(k, np.round(k), atol=1e-12)


def test_through_simulate_the_ball_bounces_to_its_end():
    G, e = 9.81, 0.9
    ball = vv.Lagrangian("z", "m*z'^2/2", "m*g*z", parameters={"m": 1.0, "g": G})
    floor = vv.Event(lambda t, q, v: q[0], -1, then=lambda t, q, v: -e * v, name="floor")
    fall = np.sqrt(2 / G)
    for last in (12.0, 30.0):
        run = ball.simulate([1.0], [0.0], last, events=floor)
        found = run.events["floor"]
        k = np.arange(len(found))
        assert len(found) > 200
        exact = fall + 2 * fall * np.append(0, np.cumsum(e ** k[1:]))
        np.testing.assert_allclose(found.t, exact, rtol=0, atol=1e-13)
        speed = np.sqrt(2 * G) * e**k
        np.testing.assert_allclose(-found.v[:122, 0], speed[:122], rtol=1e-8)
        np.testing.assert_allclose(-found.v[:, 0], speed, rtol=1e-4)
        assert run.ended == pytest.approx(19 * fall, abs=1e-8)
        assert "without end" in run.notes[-1]


@pytest.mark.parametrize(
    "how", [{}, {"dt": 0.01}, {"method": "radau"}, {"method": "lsoda"}], ids=str
)
def test_through_simulate_fast_events_are_found(how):
    ball = vv.Lagrangian("z", "m*z'^2/2", "m*g*z", parameters={"m": 1.0, "g": 9.81})
    run = ball.simulate([1.0], [0.0], 3.0, events=lambda t, q, v: S.sin(1e4 * t), **how)
    assert len(run.events["event 1"]) == 9549
    assert not run.notes

    def from_python(t, q, v):
        return float(np.sin(200 * t))

    run = ball.simulate([1.0], [0.0], 0.4, events=from_python, **how)
    assert len(run.events["from_python"]) == 25
    assert "cannot be traced" in run.notes[-1]


@pytest.mark.soak
def test_what_has_no_bounds_is_said():
    for python in (False, True):
        with within(2):
            found = find(lambda t, q: 1.0 / (t - 0.3), steps([0.0], [1.0]), python)
        assert len(found.t) <= 1
        assert found.unsure or python  # which has its note always
    found = find(lambda t, q: S.log(t - 0.5) + 1.0, steps([0.0], [1.0]))
    assert found.unsure
