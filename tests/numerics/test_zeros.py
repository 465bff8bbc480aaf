"""Searches find all zeros of what is known, and claim none that is not there."""

import numpy as np
import pytest
from scipy.optimize import brentq

from tests.support.counts import count
from visviva import generic as g
from visviva.machine.function import function
from visviva.numerics.intervals import enclose
from visviva.numerics.newton import NewtonOptions, newton
from visviva.numerics.zeros import Budget, find_zeros, prove_zeros

INF = np.inf
TANH = brentq(lambda x: np.tanh(x) - x / 2, 1.0, 3.0, xtol=1e-15)
BELL = np.log(2) ** 0.5


def compiled(f, n):
    value = function(f, {"x": n}, name="f")
    return value, value.jacobian("x")


def zeros(f, low, high, budget=None):
    over = [lambda a, b, f=f: enclose(f, [], a, b) for f in compiled(f, len(low))]
    return find_zeros(*over, np.array(low, dtype=float), np.array(high, dtype=float), budget)


def single_zeros(f, found):
    """The zeros of the boxes that have one each, in order: Newton's steps find it inside."""
    n = found.single.shape[2]
    report = newton(*compiled(f, n), found.single.mean(axis=1))
    inside = (report.x >= found.single[:, 0] - 1e-12) & (report.x <= found.single[:, 1] + 1e-12)
    assert inside.all()
    places = []
    for x in report.x:
        if not any(np.abs(x - y).max() < 1e-9 for y in places):
            places.append(x)
    return np.array(sorted(map(tuple, places))).reshape(-1, n)


def covers(found, x):
    """Whether a point is in one of the boxes outside of which no zero is."""
    boxes = np.concatenate([found.single, found.flat, found.open])
    return any(((x >= low) & (x <= high)).all() for low, high in boxes)


@pytest.mark.parametrize(
    ("f", "low", "high", "known"),
    [
        (lambda x: [g.exp(x[0]) - 2 * g.exp(-2 * x[0])], [-INF], [INF], [np.log(2) / 3]),
        (lambda x: [x[0] ** 3 - x[0]], [-INF], [INF], [-1, 0, 1]),
        (lambda x: [g.absolute(x[0]) - 0.5], [-5], [5], [-0.5, 0.5]),  # a kink is no jump
        (lambda x: [g.sqrt(x[0]) - 0.5], [-5], [5], [0.25]),  # not defined for x < 0
        (lambda x: [g.tanh(x[0]) - 0.5 * x[0]], [-5], [5], [-TANH, 0, TANH]),
        (lambda x: [g.tanh(x[0] - 1)], [-INF], [INF], [1]),
        (lambda x: [g.exp(-x[0] * x[0]) - 0.5], [-INF], [INF], [-BELL, BELL]),
        (lambda x: [x[0] * g.exp(-x[0] * x[0])], [-3], [3], [0]),  # between hills that fade
        (lambda x: [g.sin(x[0])], [-7], [7], [-2 * np.pi, -np.pi, 0, np.pi, 2 * np.pi]),
        (lambda x: [g.log(x[0])], [-INF], [INF], [1]),
        (lambda x: [g.exp(x[0]) + 1.0], [-INF], [INF], []),
        (lambda x: [1.0 / x[0]], [-3], [-1e-3], []),
    ],
)  # fmt: skip
def test_all_zeros_are_found_and_proved(f, low, high, known):
    found = zeros(f, low, high)
    assert found.is_complete
    assert not len(found.flat)
    places = single_zeros(f, found)
    assert len(places) == len(known)
    if len(known):
        np.testing.assert_allclose(places[:, 0], known, atol=1e-12)


@pytest.mark.soak
def test_polynomials_with_known_roots():
    """As a product and multiplied out; roots at least 0.05 apart, on the whole line."""
    rng = np.random.default_rng(3)
    for _ in range(count(6, 300)):
        roots = np.sort(rng.uniform(-3, 3, rng.integers(1, 6)))
        if len(roots) > 1 and np.diff(roots).min() < 0.05:
            continue
        powers = np.poly(roots)
        for f in (
            lambda x, roots=roots: [np.prod([x[0] - r for r in roots])],
            lambda x, powers=powers: [np.polyval(powers, x[0])],
        ):
            found = zeros(f, [-INF], [INF])
            assert found.is_complete
            places = single_zeros(f, found)
            assert len(places) == len(roots)
            np.testing.assert_allclose(places[:, 0], roots, atol=1e-7)


@pytest.mark.soak
def test_systems_in_two_and_three_unknowns_with_known_zeros():
    """Products of lines that are turned: zeros are the points at which chosen lines meet."""
    rng = np.random.default_rng(4)
    for _ in range(count(3, 100)):
        n = int(rng.integers(2, 4))
        A = np.linalg.qr(rng.normal(size=(n, n)))[0]
        offsets = [np.sort(rng.choice(np.arange(-9, 10), 2, False)) / 5.0 for _ in range(n)]

        def f(x, A=A, offsets=offsets):
            y = [sum(a * b for a, b in zip(row, x, strict=True)) for row in A]
            made = [(y[k] - offsets[k][0]) * (y[k] - offsets[k][1]) for k in range(len(y))]
            return [sum(c * m for c, m in zip(row, made, strict=True)) for row in A.T]

        grid = np.array(np.meshgrid(*offsets)).reshape(n, -1).T
        known = np.array(sorted(map(tuple, grid @ A)))
        found = zeros(f, [-6.0] * n, [6.0] * n)
        places = single_zeros(f, found)
        assert found.is_complete
        assert len(places) == 2**n
        np.testing.assert_allclose(places, known, atol=1e-8)


def hills(rng, n, many):
    """Hills, a valley that holds them, and slopes of both: ∂/∂x of a potential."""
    centres, widths, heights = (
        rng.uniform(-2, 2, (many, n)),
        rng.uniform(0.5, 1.5, many),
        rng.choice([-1.0, 1.0], many),
    )
    steps = rng.uniform(-0.5, 0.5, n)

    def f(x):
        made = [0.2 * x[k] + steps[k] / g.cosh(x[k]) ** 2 for k in range(n)]
        for c, w, h in zip(centres, widths, heights, strict=True):
            far = sum((x[k] - c[k]) ** 2 for k in range(n)) / w
            made = [made[k] - h * (x[k] - c[k]) * g.exp(-far) for k in range(n)]
        return made

    return f


@pytest.mark.soak
def test_gaussian_hills_are_searched_completely():
    """Newton's steps from many starts find nothing that the search has not."""
    rng = np.random.default_rng(5)
    for k in range(count(4, 100)):
        n = 1 + k % 2
        f = hills(rng, n, 2)
        found = zeros(f, [-5] * n, [5] * n)
        assert found.is_complete
        value, slope = compiled(f, n)
        starts = rng.uniform(-5, 5, (500, n))
        report = newton(value, slope, starts, options=NewtonOptions(max_step=0.5, max_steps=80))
        ends = report.x[(report.residual < 1e-12) & (np.abs(report.x) < 5).all(axis=1)]
        places = single_zeros(f, found)
        assert len(ends)
        apart = np.abs(ends[:, None] - places[None]).max(axis=2)
        assert (apart.min(axis=1) < 1e-6).all()
        assert (apart.min(axis=0) < 1e-6).all()  # and what is claimed to be one is found by it


@pytest.mark.parametrize("order", [2, 3, 4])
def test_a_zero_of_higher_order_is_enclosed_and_not_claimed(order):
    found = zeros(lambda x: [(x[0] - 0.3) ** order], [-5], [5])
    assert not len(found.single)
    assert len(found.open)
    assert covers(found, np.array([0.3]))
    assert np.abs(found.open - 0.3).max() < 1e-3


def test_regions_of_zeros_and_jumps():
    found = zeros(lambda x: [g.where(g.less(x[0], 1.0), 0.0, -1.0)], [-5], [5])
    assert found.flat[:, 1].max() <= 1.0
    assert len(found.open) == 1  # where it jumps
    assert abs(found.open - 1.0).max() < 1e-8
    assert covers(found, np.array([-5.0]))


def test_a_jump_over_zero_is_no_zero_and_stays_open():
    found = zeros(lambda x: [g.where(g.less(x[0], 0.3), -1.0, 1.0)], [-5], [5])
    assert not len(found.single)
    assert not len(found.flat)
    assert np.abs(found.open - 0.3).max() < 1e-8


def test_a_search_that_runs_out_of_its_budget_leaves_a_covering():
    """Where there are too many zeros, and where they go on along a circle."""
    many = zeros(lambda x: [g.cos(x[0])], [-INF], [INF], Budget(max_zeros=20))
    assert not many.is_complete
    assert all(covers(many, np.array([np.pi * (k + 0.5)])) for k in range(-500, 500, 7))
    circle = zeros(
        lambda x: [x[0] * (x @ x - 1.0), x[1] * (x @ x - 1.0)],
        [-2, -2],
        [2, 2],
        Budget(max_boxes=256),
    )
    assert not circle.is_complete
    angles = np.linspace(0, 2 * np.pi, 97)
    assert all(covers(circle, np.array([np.cos(x), np.sin(x)])) for x in angles)


def proved(f, at, radius):
    """Of each point, whether a zero within a radius is proved."""
    value, slope = compiled(f, at.shape[1])
    wide = np.full(len(at), radius)
    low, high = at - radius, at + radius
    over = enclose(value, [], low, high), enclose(slope, [], low, high)
    return prove_zeros(enclose(value, [], at, at), *over, wide)


def test_zeros_near_a_point_are_proved_and_others_are_not():
    at = np.array([[2.0**0.5], [2.0**0.5 + 1e-4], [0.0], [-(2.0**0.5)]])
    found = proved(lambda x: [x[0] ** 2 - 2.0], at, 1e-6)
    assert found.tolist() == [True, False, False, True]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: [x[0] ** 2],  # of higher order
        lambda x: [x[0] ** 2 + 1e-14],  # none, but nearly
        lambda x: [g.sign(x[0]) + x[0]],  # a jump over zero
        lambda x: [g.absolute(x[0])],  # a kink that only touches
        lambda x: [g.sqrt(x[0])],  # not defined on one side
    ],
)
def test_what_is_no_simple_zero_is_not_proved(f):
    assert not proved(f, np.zeros((1, 1)), 1e-6)[0]


def test_fewer_equations_than_unknowns_have_a_zero_near():
    at = np.array([[0.6, 0.8], [0.6, 0.81], [1.0, 0.0]])
    assert proved(lambda x: [x @ x - 1.0], at, 1e-3).tolist() == [True, False, True]
