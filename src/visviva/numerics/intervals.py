"""Interval arithmetic over programs, thousands of boxes at once, one rule per operation.

An interval has ends `lo`, `hi` (arrays) and a decoration as in IEEE 1788, which says how much is
known of the function on the whole box. Decorations combine by the minimum, so that a result is
continuous only if everything it was made of is.

Ends are moved outward by more than NumPy's functions may err. The constants of a program are taken
as the doubles they are: what is proved is proved of the program that runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.expr import CONSTANT
from visviva.machine.program.program import Program

EMPTY, PARTIAL, DEFINED, CONTINUOUS = -1, 0, 1, 2  # nowhere, perhaps not everywhere, defined
EPS = float(np.finfo(float).eps)
ARITHMETIC, FUNCTION = 2.0, 8.0  # units in the last place by which ends are moved outward
UNDERFLOW = 1e-300  # what underflowed is not more than this
LARGEST = float(np.finfo(float).max)
TURN = 2 * np.pi


class Interval(NamedTuple):
    """[lo, hi], and what is known of the function that it encloses."""

    lo: Any
    hi: Any
    deco: Any = np.int8(CONTINUOUS)


Rule = Callable[..., Interval]  # of an operation: intervals of its operands to that of its value


def point(x: Any) -> Interval:
    """A number as an interval of no width."""
    value = np.float64(x)
    return Interval(value, value)


def evaluate(program: Program, inputs: Sequence[Interval], doubt: float = 0.0) -> list[Interval]:
    """Enclosures of the results of a program over boxes of its inputs."""
    values = list(inputs)
    with np.errstate(all="ignore"):
        for op, *args in program.code:
            if op == CONSTANT:
                values.append(_constant(float(args[0]), doubt))
            elif op == "mul" and args[0] == args[1]:  # x x is not negative: what names forget
                values.append(_integer_power(values[args[0]], 2))
            else:
                values.append(RULES[op](*(values[i] for i in args)))
    return [values[i] for i in program.results]


# --- helpers -------------------------------------------------------------------------------------


def _constant(x: float, doubt: float) -> Interval:
    """Whole numbers are certain; of one that is not finite nothing is known, and nan is nowhere."""
    radius = 0.0 if x.is_integer() else doubt * abs(x)
    if np.isfinite(x):
        return Interval(np.float64(x - radius), np.float64(x + radius))
    return Interval(-np.inf, np.inf, np.int8(EMPTY if np.isnan(x) else CONTINUOUS))


def _outward(lo: Any, hi: Any, deco: Any, ulps: float, underflow: Any = False) -> Interval:
    """Ends moved outward; an end that overflowed, or is not known, is the largest there is."""
    lo = np.where(np.isnan(lo), -np.inf, np.minimum(lo, LARGEST))
    hi = np.where(np.isnan(hi), np.inf, np.maximum(hi, -LARGEST))
    tiny = np.where(underflow, UNDERFLOW, 0.0)
    lo = np.where(np.isinf(lo), lo, lo - (np.abs(lo) * (ulps * EPS) + tiny))
    hi = np.where(np.isinf(hi), hi, hi + (np.abs(hi) * (ulps * EPS) + tiny))
    return Interval(lo, hi, deco)


def _least(*deco: Any) -> Any:
    return reduce(np.minimum, deco)


def _product(x: Any, y: Any) -> Any:
    product = x * y
    return np.where(np.isnan(product), 0.0, product)  # 0 · ∞: the end of an unbounded interval


def _deco_of_constant(deco: Any) -> Any:
    """Of a step function that does not step on the box, of operands with `deco`."""
    return np.where(deco >= DEFINED, np.int8(CONTINUOUS), deco).astype(np.int8)


def _monotone(f: Callable[[Any], Any], least: float = -np.inf, greatest: float = np.inf) -> Rule:
    """The rule of a function that rises everywhere, with values between these."""

    def rule(a: Interval) -> Interval:
        lo, hi = f(a.lo), f(a.hi)
        underflow = ((lo == 0) & (a.lo != 0)) | ((hi == 0) & (a.hi != 0))
        wider = _outward(lo, hi, a.deco, FUNCTION, underflow)
        return Interval(np.maximum(wider.lo, least), np.minimum(wider.hi, greatest), wider.deco)

    return rule


def _in_domain(low: float, high: float, is_open: bool, f: Rule) -> Rule:
    """The rule of a function with a domain: its value on what of the box is inside."""

    def rule(a: Interval) -> Interval:
        below, above = (a.hi <= low, a.lo >= high) if is_open else (a.hi < low, a.lo > high)
        inside = (a.lo > low) & (a.hi < high) if is_open else (a.lo >= low) & (a.hi <= high)
        deco = np.where(inside, a.deco, np.minimum(a.deco, PARTIAL))
        deco = np.where(below | above, EMPTY, deco).astype(np.int8)
        return f(Interval(np.clip(a.lo, low, high), np.clip(a.hi, low, high), deco))

    return rule


# --- rules ---------------------------------------------------------------------------------------


def _add(a: Interval, b: Interval) -> Interval:
    return _outward(a.lo + b.lo, a.hi + b.hi, _least(a.deco, b.deco), ARITHMETIC)


def _sub(a: Interval, b: Interval) -> Interval:
    return _outward(a.lo - b.hi, a.hi - b.lo, _least(a.deco, b.deco), ARITHMETIC)


def _neg(a: Interval) -> Interval:
    return Interval(-a.hi, -a.lo, a.deco)


def _mul(a: Interval, b: Interval) -> Interval:
    ends = [_product(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    lo, hi = np.minimum.reduce(ends), np.maximum.reduce(ends)
    is_zero = ((a.lo == 0) & (a.hi == 0)) | ((b.lo == 0) & (b.hi == 0))
    return _outward(lo, hi, _least(a.deco, b.deco), ARITHMETIC, ((lo == 0) | (hi == 0)) & ~is_zero)


def _inverse(a: Interval) -> Interval:
    touches = (a.lo <= 0) & (a.hi >= 0)
    lo = np.where(touches & (a.lo < 0), -np.inf, 1.0 / np.where(a.hi == 0, np.inf, a.hi))
    hi = np.where(touches & (a.hi > 0), np.inf, 1.0 / np.where(a.lo == 0, -np.inf, a.lo))
    deco = np.where(touches, np.minimum(a.deco, PARTIAL), a.deco)
    deco = np.where((a.lo == 0) & (a.hi == 0), EMPTY, deco).astype(np.int8)
    return _outward(lo, hi, deco, ARITHMETIC)


def _div(a: Interval, b: Interval) -> Interval:
    return _mul(a, _inverse(b))


def _abs(a: Interval) -> Interval:
    low, high = np.abs(a.lo), np.abs(a.hi)
    zero = (a.lo <= 0) & (a.hi >= 0)
    return Interval(np.where(zero, 0.0, np.minimum(low, high)), np.maximum(low, high), a.deco)


def _sign(a: Interval) -> Interval:
    lo, hi = np.sign(a.lo), np.sign(a.hi)
    return Interval(
        lo, hi, np.where(lo == hi, _deco_of_constant(a.deco), np.minimum(a.deco, DEFINED))
    )


def _min(a: Interval, b: Interval) -> Interval:
    return Interval(np.minimum(a.lo, b.lo), np.minimum(a.hi, b.hi), _least(a.deco, b.deco))


def _max(a: Interval, b: Interval) -> Interval:
    return Interval(np.maximum(a.lo, b.lo), np.maximum(a.hi, b.hi), _least(a.deco, b.deco))


def _choice(c: Interval, a: Interval, b: Interval) -> Interval:
    """One of two where the condition is decided on the box, else the union of both."""
    yes, no = (c.lo > 0) | (c.hi < 0), (c.lo == 0) & (c.hi == 0)
    use_a, use_b = ~no & (yes | (a.deco > EMPTY)), ~yes & (no | (b.deco > EMPTY))
    lo = np.minimum(np.where(use_a, a.lo, np.inf), np.where(use_b, b.lo, np.inf))
    hi = np.maximum(np.where(use_a, a.hi, -np.inf), np.where(use_b, b.hi, -np.inf))
    is_partial = (a.deco == EMPTY) | (b.deco == EMPTY)
    union = np.where(is_partial, PARTIAL, np.minimum(_least(a.deco, b.deco), DEFINED))
    union = np.where((a.deco == EMPTY) & (b.deco == EMPTY), EMPTY, union)
    deco = np.where(yes, a.deco, np.where(no, b.deco, union))
    none = ~(use_a | use_b)
    lo, hi = np.where(none, -np.inf, lo), np.where(none, np.inf, hi)
    return Interval(lo, hi, np.minimum(deco, c.deco).astype(np.int8))


def _comparison(yes: Callable[..., Any], no: Callable[..., Any]) -> Any:
    def rule(a: Interval, b: Interval) -> Interval:
        is_true, is_false, deco = yes(a, b), no(a, b), _least(a.deco, b.deco)
        constant, step = _deco_of_constant(deco), np.minimum(deco, DEFINED)
        deco = np.where(is_true | is_false, constant, step).astype(np.int8)
        return Interval(np.where(is_true, 1.0, 0.0), np.where(is_false, 0.0, 1.0), deco)

    return rule


def _wave(f: Callable[[Any], Any], crest: float) -> Any:
    """Sine and cosine: between their ends, or to ±1 where a crest or a trough is between."""

    def rule(a: Interval) -> Interval:
        near = 1e-9 + 4 * EPS * np.maximum(np.abs(a.lo), np.abs(a.hi))

        def crosses(at: float) -> Any:
            count = np.floor((a.hi - at + near) / TURN) - np.floor((a.lo - at - near) / TURN)
            return ~(count <= 0)  # unbounded ones cross everything

        ends = f(a.lo), f(a.hi)
        wider = _outward(np.minimum(*ends), np.maximum(*ends), a.deco, FUNCTION)
        lo = np.where(crosses(crest + np.pi), -1.0, np.maximum(wider.lo, -1.0))
        return Interval(lo, np.where(crosses(crest), 1.0, np.minimum(wider.hi, 1.0)), a.deco)

    return rule


def _tan(a: Interval) -> Interval:
    near = 1e-9 + 4 * EPS * np.maximum(np.abs(a.lo), np.abs(a.hi))
    branches = np.floor((a.hi + near) / np.pi + 0.5) - np.floor((a.lo - near) / np.pi + 0.5)
    pole = ~(branches <= 0)
    lo, hi = np.where(pole, -np.inf, np.tan(a.lo)), np.where(pole, np.inf, np.tan(a.hi))
    deco = np.where(pole, np.minimum(a.deco, PARTIAL), a.deco).astype(np.int8)
    return _outward(lo, hi, deco, FUNCTION)


def _cosh(a: Interval) -> Interval:
    size = _abs(a)
    wider = _outward(np.cosh(size.lo), np.cosh(size.hi), a.deco, FUNCTION)
    return Interval(np.maximum(wider.lo, 1.0), wider.hi, wider.deco)


def _atan2(y: Interval, x: Interval) -> Interval:
    cut = (x.lo <= 0) & (y.lo <= 0) & (y.hi >= 0)
    ends = [np.arctan2(a, b) for a in (y.lo, y.hi) for b in (x.lo, x.hi)]
    deco = _least(y.deco, x.deco)
    deco = np.where(cut, np.minimum(deco, DEFINED), deco).astype(np.int8)
    lo = np.where(cut, -np.pi, np.minimum.reduce(ends))
    return _outward(lo, np.where(cut, np.pi, np.maximum.reduce(ends)), deco, FUNCTION)


def _integer_power(a: Interval, n: float) -> Interval:
    if n < 0:
        return _inverse(_integer_power(a, -n))
    base = _abs(a) if n % 2 == 0 else a
    if n == 1:
        return a
    lo, hi = base.lo**n, base.hi**n
    underflow = ((lo == 0) & (base.lo != 0)) | ((hi == 0) & (base.hi != 0))
    wider = _outward(lo, hi, a.deco, FUNCTION, underflow)
    return Interval(np.maximum(wider.lo, 0.0), wider.hi, wider.deco) if n % 2 == 0 else wider


def _pow(a: Interval, b: Interval) -> Interval:
    exponent = float(b.lo) if np.ndim(b.lo) == 0 and b.lo == b.hi else None
    if exponent is not None and exponent.is_integer():
        return _integer_power(a, exponent)
    if exponent is not None:
        power = _in_domain(0.0, np.inf, False, _monotone(lambda x: x ** abs(exponent), 0.0))(a)
        return power if exponent > 0 else _inverse(power)
    power = RULES["exp"](_mul(b, RULES["log"](a)))
    positive, least = a.lo > 0, np.minimum(_least(a.deco, b.deco), PARTIAL)
    lo, hi = np.where(positive, power.lo, -np.inf), np.where(positive, power.hi, np.inf)
    return Interval(lo, hi, np.where(positive, power.deco, least).astype(np.int8))


def _antitone(f: Callable[[Any], Any]) -> Rule:
    """The rule of a function that falls everywhere."""
    rule = _monotone(lambda x: -f(x))
    return lambda a: _neg(rule(a))


RULES: Mapping[str, Rule] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": _neg,
    "pow": _pow,
    "sqrt": _in_domain(0.0, np.inf, False, _monotone(np.sqrt, 0.0)),
    "sin": _wave(np.sin, np.pi / 2),
    "cos": _wave(np.cos, 0.0),
    "tan": _tan,
    "asin": _in_domain(-1.0, 1.0, False, _monotone(np.arcsin)),
    "acos": _in_domain(-1.0, 1.0, False, _antitone(np.arccos)),
    "atan": _monotone(np.arctan),
    "atan2": _atan2,
    "exp": _monotone(np.exp, 0.0),
    "log": _in_domain(0.0, np.inf, True, _monotone(np.log)),
    "sinh": _monotone(np.sinh),
    "cosh": _cosh,
    "tanh": _monotone(np.tanh, -1.0, 1.0),
    "sech": lambda a: _inverse(_cosh(a)),
    "abs": _abs,
    "sign": _sign,
    "min": _min,
    "max": _max,
    "where": _choice,
    "lt": _comparison(lambda a, b: a.hi < b.lo, lambda a, b: a.lo >= b.hi),
    "le": _comparison(lambda a, b: a.hi <= b.lo, lambda a, b: a.lo > b.hi),
    "eq": _comparison(
        lambda a, b: (a.lo == a.hi) & (b.lo == b.hi) & (a.lo == b.lo),
        lambda a, b: (a.hi < b.lo) | (b.hi < a.lo),
    ),
    "ne": _comparison(
        lambda a, b: (a.hi < b.lo) | (b.hi < a.lo),
        lambda a, b: (a.lo == a.hi) & (b.lo == b.hi) & (a.lo == b.lo),
    ),
}


# --- functions over boxes ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Enclosure:
    """What a function is in over N boxes: ends (N, *shape), and decorations."""

    lo: Array
    hi: Array
    deco: np.ndarray

    @property
    def middle(self) -> Array:
        """Half way between the ends."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.lo / 2 + self.hi / 2)

    @property
    def radius(self) -> Array:
        """Half of the width, rounded up."""
        with np.errstate(invalid="ignore"):
            return np.asarray((self.hi / 2 - self.lo / 2) * (1 + 4 * EPS) + UNDERFLOW)

    @property
    def is_finite(self) -> np.ndarray:
        """Which entries are bounded."""
        return np.isfinite(self.lo) & np.isfinite(self.hi)


def enclose(function: Any, others: Any, lo: Array, hi: Array, doubt: float = 0.0) -> Enclosure:
    """A `Function` over N boxes [lo, hi] (N, n) of its last input.

    The other inputs are `others`: numbers (k,), or (k, N) for each box its own. Constants of the
    program that are no whole numbers are off by `doubt` of themselves at most.
    """
    inputs = [point(x) for x in others]
    deco = np.full(len(lo), CONTINUOUS, dtype=np.int8)
    inputs += [Interval(a, b, deco) for a, b in zip(lo.T, hi.T, strict=True)]
    program = function.program
    results = evaluate(program, inputs, doubt)
    shape = (len(lo), *program.outputs[0].shape)

    def stack(part: int) -> np.ndarray:
        columns = [np.broadcast_to(x[part], len(lo)) for x in results]
        return np.stack(columns, axis=1).reshape(shape) if columns else np.zeros(shape)

    return Enclosure(stack(0), stack(1), stack(2))
