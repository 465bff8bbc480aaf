"""Enclosures enclose, decorations are true, and searches find all zeros of what is known."""

import numpy as np
import pytest

from visviva import generic as g
from visviva.algebra.ops import OPS
from visviva.machine.function import function
from visviva.numerics.continuation import Curve, crossing, follow
from visviva.numerics.intervals import DEFINED, EMPTY, RULES, enclose
from visviva.numerics.newton import Ending, newton
from visviva.numerics.rank import signs, split
from visviva.numerics.zeros import find_zeros

INF = np.inf


def test_every_operation_has_a_rule():
    assert set(RULES) == set(OPS)


@pytest.mark.parametrize("name", list(OPS))
@pytest.mark.filterwarnings("ignore")
def test_values_are_inside_their_enclosures(name):
    op, rng, N = OPS[name], np.random.default_rng(0), 2000
    f = function(lambda x: [op.value(*x)], {"x": op.arity}, name=name)
    scale = 10.0 ** rng.uniform(-3, 2, (N, op.arity))
    middle = rng.normal(size=scale.shape) * scale
    wide = scale * 10.0 ** rng.uniform(-6, 1, scale.shape) * rng.choice([0, 1, 1], scale.shape)
    low, high = middle - wide, middle + wide
    made = enclose(f, [], low, high)
    for _ in range(10):
        share = rng.uniform(size=low.shape)
        share = np.where(rng.uniform(size=low.shape) < 0.2, np.round(share), share)
        y = np.asarray(f(np.clip(low + share * (high - low), low, high)))[:, 0]
        inside = (y >= made.lo[:, 0]) & (y <= made.hi[:, 0])
        assert (inside | ~np.isfinite(y)).all()
        assert not (np.isfinite(y) & (made.deco[:, 0] == EMPTY)).any()
        assert not (np.isnan(y) & (made.deco[:, 0] >= DEFINED)).any()


def zeros(f, low, high):
    F = function(f, {"x": len(low)})
    J = F.jacobian("x")
    over = (lambda a, b, f=f: enclose(f, [], a, b) for f in (F, J))
    return find_zeros(*over, np.array(low, dtype=float), np.array(high, dtype=float))


@pytest.mark.parametrize(
    ("f", "low", "high", "known"),
    [
        (lambda x: [g.exp(x[0]) - 2 * g.exp(-2 * x[0])], [-INF], [INF], [np.log(2) / 3]),
        (lambda x: [x[0] ** 3 - x[0]], [-INF], [INF], [-1, 0, 1]),
        (lambda x: [g.absolute(x[0]) - 0.5], [-5], [5], [-0.5, 0.5]),  # a kink is no jump
        (lambda x: [g.sqrt(x[0]) - 0.5], [-5], [5], [0.25]),  # not defined for x < 0
    ],
)
def test_all_zeros_are_found_and_proved(f, low, high, known):
    found = zeros(f, low, high)
    assert found.is_complete
    assert not len(found.flat)
    assert len(found.single) == len(known)
    for x, (a, b) in zip(known, sorted(map(tuple, found.single[:, :, 0])), strict=True):
        assert a <= x <= b


def test_regions_of_zeros_and_jumps():
    found = zeros(lambda x: [g.where(g.less(x[0], 1.0), 0.0, -1.0)], [-5], [5])
    assert found.flat[:, 1].max() <= 1.0
    assert len(found.open) == 1  # where it jumps
    assert abs(found.open - 1.0).max() < 1e-8


def test_newton_reports_how_it_ended():
    report = newton(lambda x: x**2 + 1, lambda x: 2 * x[..., None], [[3.0]])
    assert report.ending[0] != Ending.CONVERGED
    report = newton(lambda x: x**2 - 2, lambda x: 2 * x[..., None], [[3.0], [-1.0]])
    assert report.converged.all()
    np.testing.assert_allclose(report.x[:, 0], [np.sqrt(2), -np.sqrt(2)], rtol=1e-15)


def test_rank_and_signs():
    found = split(np.array([[1.0, 2.0], [2.0, 4.0]]))
    assert found.rank == 1
    assert found.is_clear
    assert signs(np.diag([1e17, -1.0])) == (1, 0, 1)
    assert signs(np.zeros((2, 2))) == (0, 2, 0)


def test_a_circle_is_followed_to_where_it_crosses():
    circle = Curve(lambda x: np.array([x @ x - 1]), lambda x: 2 * x[None])
    places = []
    for place in follow(circle, np.array([1.0, 0.0]), np.array([0.0, 1.0])):
        places.append(place)
        if place.x[0] < 0:
            break
    there = crossing(circle, places[-2], places[-1].h, lambda p: p.x[0])
    np.testing.assert_allclose(there, [0.0, 1.0], atol=1e-12)
