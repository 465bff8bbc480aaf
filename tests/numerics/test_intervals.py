"""Enclosures enclose, and decorations are true: of each operation, and of what is made of many."""

import numpy as np
import pytest

from tests.support.counts import count
from visviva import generic as g
from visviva.algebra.ops import OPS
from visviva.machine.function import function
from visviva.numerics.intervals import CONTINUOUS, DEFINED, EMPTY, RULES, Enclosure, enclose

EXPONENTS = (2.0, 3.0, -1.0, 0.5, 1.7, -2.0, 0.0, 1.0, -0.5, -3.0, 1 / 3, 101.0, 2e6, -(2e6 + 1))
HUGE = 1e8
DOMAINS = {"asin": 1.2, "acos": 1.2}  # half of what boxes are about: much is inside


def boxes(rng, many, arity, about=0.0):
    """Boxes of all sizes, some of no width, and some about zero."""
    scale = about or 10.0 ** rng.uniform(-3, 2, (many, arity))
    middle = rng.normal(size=(many, arity)) * scale * rng.choice([0, 1, 1, 1], (many, arity))
    wide = scale * 10.0 ** rng.uniform(-6, 1, middle.shape) * rng.choice([0, 1, 1], middle.shape)
    return middle - wide, middle + wide


def points(rng, low, high):
    """A point of each box, often at a corner."""
    share = rng.uniform(size=low.shape)
    share = np.where(rng.uniform(size=low.shape) < 0.2, np.round(share), share)
    return np.clip(low + share * (high - low), low, high)


def first(enclosed):
    return Enclosure(enclosed.lo[:, 0], enclosed.hi[:, 0], enclosed.deco[:, 0])


def check_values(made, y):
    """Values y at a point of each box, and those on the way to it, in columns.

    What overflows has no value that could be compared, and what follows from it, 1/cosh(log(0)) or
    sin(sinh(1000)), is no value of the formula.
    """
    is_value, is_nan = np.isfinite(y).all(axis=1), np.isnan(y)
    is_nan, y = is_nan[:, 0] & ~np.isinf(y).any(axis=1), y[:, 0]
    assert ((y >= made.lo) & (y <= made.hi) | ~is_value).all()
    assert not (is_value & (made.deco == EMPTY)).any()
    assert not (is_nan & (made.deco >= DEFINED) & made.is_finite).any()


def check_continuity(f, whole, low, high, rng):
    """Where it is continuous values do not jump: halved towards where they differ most.

    Where what is on the way is not huge, as in sin(sinh(1000)), which jumps from float to float.
    """
    made, is_huge = first(whole), ~((np.abs(whole.lo) < HUGE) & (np.abs(whole.hi) < HUGE))
    is_smooth = (made.deco == CONTINUOUS) & ~is_huge.any(axis=1)
    a, b = (points(rng, low[is_smooth], high[is_smooth]) for _ in range(2))
    y, z = f(a)[:, 0], f(b)[:, 0]
    size = np.maximum(np.abs(made.lo), np.abs(made.hi))[is_smooth]
    for _ in range(60):
        middle = a / 2 + b / 2
        x = f(middle)[:, 0]
        is_left = np.abs(x - y) > np.abs(x - z)
        b, z = np.where(is_left[:, None], middle, b), np.where(is_left, x, z)
        a, y = np.where(is_left[:, None], a, middle), np.where(is_left, y, x)
    far = np.abs(b - a).max(axis=1, initial=0.0) > 1e-12 * (1 + np.abs(a).max(axis=1, initial=0.0))
    assert not ((np.abs(y - z) > 1e-3 * size + 1e-9) & ~far).any()


def check(f, low, high, rng, times):
    whole = enclose(f, [], low, high)
    made = first(whole)
    for _ in range(times):
        check_values(made, np.asarray(f(points(rng, low, high))))
    check_continuity(f, whole, low, high, rng)
    return made


def test_every_operation_has_a_rule():
    assert set(RULES) == set(OPS)


@pytest.mark.soak
@pytest.mark.parametrize("name", list(OPS))
@pytest.mark.filterwarnings("ignore")
def test_values_are_inside_their_enclosures(name):
    op, rng = OPS[name], np.random.default_rng(0)
    f = function(lambda x: [op.value(*x)], {"x": op.arity}, name=name)
    low, high = boxes(rng, count(500, 40_000), op.arity, DOMAINS.get(name, 0.0))
    made = check(f, low, high, rng, count(6, 25))
    if op.arity == 1:
        assert (made.deco == CONTINUOUS).any()


@pytest.mark.soak
@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.filterwarnings("ignore")
def test_powers_with_an_exponent_that_is_a_number(exponent):
    rng = np.random.default_rng(1)
    f = function(lambda x: [OPS["pow"].value(x[0], exponent)], {"x": 1}, name="power")
    many, times = count(300, 40_000), count(6, 25)
    check(f, *boxes(rng, many, 1), rng, times)
    one = rng.choice([-1.0, 1.0], (many, 1)) + 1e-7 * rng.normal(size=(many, 1))
    check(f, one - 1e-8, one + 1e-8, rng, times)


def composed(rng, arity, steps):
    """Operations one after the other on any values before: the last result, and all others."""
    rows = [OPS[x] for x in rng.choice(list(OPS), steps)]
    chosen = [rng.integers(-4, 0, row.arity) for row in rows]
    numbers = rng.choice([0.0, 1.0, -0.5, 2.0], steps)

    def f(x):
        values = [*(x[k] for k in range(arity)), 1.0, -0.5]
        for row, which, number in zip(rows, chosen, numbers, strict=True):
            made = row.value(*(values[k] for k in which))
            values += [made, made + number] if number else [made]
        return [values[-1] + 0.0 * x[0], *values[arity:]]

    return f


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore")
def test_what_is_made_of_many_operations():
    """Decorations of one operation are those on which the next one builds."""
    rng = np.random.default_rng(0)
    kinds = set()
    for k in range(count(30, 1500)):
        try:
            f = function(composed(rng, 2, 5), {"x": 2}, name=f"composed {k}")
        except ZeroDivisionError:  # of numbers alone
            continue
        made = check(f, *boxes(rng, 200, 2, 2.0), rng, 6)
        kinds |= {*made.deco.tolist()}
    assert kinds == {-1, 0, 1, 2}


@pytest.mark.parametrize(
    ("f", "low", "high", "deco"),
    [
        (lambda x: [g.where(g.less(x[0], 1.0), x[0], 1.0)], 0.5, 0.9, CONTINUOUS),
        (lambda x: [g.where(g.less(x[0], 1.0), x[0], 1.0)], 0.5, 1.5, DEFINED),
        (lambda x: [g.where(g.less(x[0], 1.0), x[0], 1.0)], 1.0, 1.5, CONTINUOUS),
        (lambda x: [g.absolute(x[0])], -1.0, 1.0, CONTINUOUS),
        (lambda x: [g.sign(x[0])], -1.0, 1.0, DEFINED),
        (lambda x: [g.sign(x[0])], 0.0, 1.0, DEFINED),
        (lambda x: [1.0 / x[0]], -1.0, 1.0, 0),
        (lambda x: [1.0 / x[0]], 0.0, 0.0, EMPTY),
        (lambda x: [g.sqrt(x[0])], -1.0, 1.0, 0),
        (lambda x: [g.sqrt(x[0])], -2.0, -1.0, EMPTY),
        (lambda x: [g.log(x[0])], 0.0, 1.0, 0),
        (lambda x: [g.atan2(x[0], -1.0)], -1.0, 1.0, DEFINED),
        (lambda x: [g.atan2(x[0], 1.0)], -1.0, 1.0, CONTINUOUS),
        (lambda x: [g.where(g.less(x[0], 0.0), g.sqrt(x[0]), x[0])], -2.0, -1.0, EMPTY),
        (lambda x: [g.where(g.less(x[0], 0.0), g.sqrt(x[0]), x[0])], -2.0, 1.0, 0),
        (lambda x: [g.tan(x[0])], 1.0, 2.0, 0),
    ],
)
def test_decorations_say_where_a_function_is_defined_and_continuous(f, low, high, deco):
    made = enclose(function(f, {"x": 1}, name="f"), [], np.array([[low]]), np.array([[high]]))
    assert made.deco[0, 0] == deco
