"""Intervals by thousands, as scalars of programs: each a pair of arrays, lower and upper ends.

Every result is widened by several units in the last place, more than NumPy's functions may err.
What a comparison does not decide is enclosed with both answers, and remembered as a doubt, as
in `balls`; what is not known is the whole line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.machine.program.interpret import interpret

WIDER = 8 * np.finfo(float).eps
TINY = 1e-300
TURN = 2 * np.pi


class Boxes:
    """Intervals [lo, hi] side by side."""

    __slots__ = ("doubt", "hi", "lo")
    __array_ufunc__ = None  # arrays leave operations to it

    def __init__(self, lo: Any, hi: Any, doubt: Any = False) -> None:
        bad = np.isnan(lo) | np.isnan(hi)
        self.lo = np.where(bad, -np.inf, lo)
        self.hi = np.where(bad, np.inf, hi)
        self.doubt = doubt

    def __add__(self, other: Any) -> Boxes:
        b = boxes(other)
        return _wider(self.lo + b.lo, self.hi + b.hi, self.doubt | b.doubt)

    def __sub__(self, other: Any) -> Boxes:
        b = boxes(other)
        return _wider(self.lo - b.hi, self.hi - b.lo, self.doubt | b.doubt)

    def __mul__(self, other: Any) -> Boxes:
        b = boxes(other)
        ends = [self.lo * b.lo, self.lo * b.hi, self.hi * b.lo, self.hi * b.hi]
        return _wider(np.minimum.reduce(ends), np.maximum.reduce(ends), self.doubt | b.doubt)

    def __truediv__(self, other: Any) -> Boxes:
        b = boxes(other)
        zero = (b.lo <= 0) & (b.hi >= 0)
        turned = Boxes(
            np.where(zero, -np.inf, 1.0 / np.where(zero, 1.0, b.hi)),
            np.where(zero, np.inf, 1.0 / np.where(zero, 1.0, b.lo)),
            b.doubt,
        )
        return self * _wider(turned.lo, turned.hi, turned.doubt)

    def __radd__(self, other: Any) -> Boxes:
        return boxes(other) + self

    def __rsub__(self, other: Any) -> Boxes:
        return boxes(other) - self

    def __rmul__(self, other: Any) -> Boxes:
        return boxes(other) * self

    def __rtruediv__(self, other: Any) -> Boxes:
        return boxes(other) / self

    def __neg__(self) -> Boxes:
        return Boxes(-self.hi, -self.lo, self.doubt)

    def sin(self) -> Boxes:
        """Between the ends, or to ±1 where a crest or a trough lies between."""
        return _wave(self, np.sin, np.pi / 2)

    def cos(self) -> Boxes:
        """As the sine, a quarter turn ahead."""
        return _wave(self, np.cos, 0.0)

    def sqrt(self) -> Boxes:
        """Of what is not negative."""
        return _wider(np.sqrt(np.maximum(self.lo, 0)), np.sqrt(np.maximum(self.hi, 0)), self.doubt)

    def absolute(self) -> Boxes:
        """Its size."""
        high = np.maximum(abs(self.lo), abs(self.hi))
        low = np.where((self.lo <= 0) & (self.hi >= 0), 0, np.minimum(abs(self.lo), abs(self.hi)))
        return Boxes(low, high, self.doubt)

    def arctan2(self, other: Any) -> Boxes:
        """Of the four corners, where the cut behind the origin is not touched."""
        y, x = boxes(self), boxes(other)
        cut = (x.lo <= 0) & (y.lo <= 0) & (y.hi >= 0)
        ends = [np.arctan2(a, b) for a in (y.lo, y.hi) for b in (x.lo, x.hi)]
        low = np.where(cut, -np.pi, np.minimum.reduce(ends))
        high = np.where(cut, np.pi, np.maximum.reduce(ends))
        return _wider(low, high, y.doubt | x.doubt | cut)

    def minimum(self, other: Any) -> Boxes:
        """The smaller of two."""
        a, b = boxes(self), boxes(other)
        return Boxes(np.minimum(a.lo, b.lo), np.minimum(a.hi, b.hi), a.doubt | b.doubt)

    def maximum(self, other: Any) -> Boxes:
        """The larger of two."""
        a, b = boxes(self), boxes(other)
        return Boxes(np.maximum(a.lo, b.lo), np.maximum(a.hi, b.hi), a.doubt | b.doubt)

    def where(self, a: Any, b: Any) -> Boxes:
        """a where this is not zero, else b; both where that is not certain."""
        c, one, other = boxes(self), boxes(a), boxes(b)
        yes, no = (c.lo > 0) | (c.hi < 0), (c.lo == 0) & (c.hi == 0)
        low = np.where(yes, one.lo, np.where(no, other.lo, np.minimum(one.lo, other.lo)))
        high = np.where(yes, one.hi, np.where(no, other.hi, np.maximum(one.hi, other.hi)))
        doubt = np.where(yes, one.doubt, np.where(no, other.doubt, True)) | c.doubt
        return Boxes(low, high, doubt)

    def less(self, other: Any) -> Boxes:
        """1 or 0, or both."""
        a, b = boxes(self), boxes(other)
        return _truth(a.hi < b.lo, a.lo >= b.hi, a.doubt | b.doubt)

    def less_equal(self, other: Any) -> Boxes:
        """1 or 0, or both."""
        a, b = boxes(self), boxes(other)
        return _truth(a.hi <= b.lo, a.lo > b.hi, a.doubt | b.doubt)


def boxes(x: Any) -> Boxes:
    """A number as an interval of no width."""
    return x if isinstance(x, Boxes) else Boxes(np.float64(x), np.float64(x))


def _wider(lo: Any, hi: Any, doubt: Any) -> Boxes:
    return Boxes(lo - abs(lo) * WIDER - TINY, hi + abs(hi) * WIDER + TINY, doubt)


def _truth(yes: Any, no: Any, doubt: Any) -> Boxes:
    return Boxes(np.where(yes, 1.0, 0.0), np.where(no, 0.0, 1.0), doubt)


def _wave(x: Boxes, f: Callable[[Any], Any], crest: float) -> Boxes:
    with np.errstate(invalid="ignore"):
        ends = f(x.lo), f(x.hi)
    slack = 1e-9  # what is near to a crest counts as across it

    def crosses(at: float) -> Any:
        return np.floor((x.hi - at + slack) / TURN) > np.floor((x.lo - at - slack) / TURN)

    low = np.where(crosses(crest + np.pi), -1.0, np.minimum(*ends))
    high = np.where(crosses(crest), 1.0, np.maximum(*ends))
    near = _wider(low, high, x.doubt)
    return Boxes(np.maximum(near.lo, -1.0), np.minimum(near.hi, 1.0), x.doubt)


def _unknown(*args: Any) -> Boxes:
    doubt = np.logical_or.reduce([boxes(x).doubt for x in args])
    return Boxes(np.float64(-np.inf), np.float64(np.inf), doubt)


for _name in "tan exp log sinh cosh tanh arcsin arccos arctan power sign equal not_equal".split():
    setattr(Boxes, _name, _unknown)


def enclosures(function: Any, q: Array, lo: Array, hi: Array) -> tuple[Array, Array, Array]:
    """Lower and upper ends (boxes, *outputs) of a function of q and a step in boxes, and doubts."""
    program = function.program

    def lift(x: Any) -> Boxes:
        if isinstance(x, Boxes):
            return x
        return _wider(np.float64(x), np.float64(x), False)

    steps = [Boxes(a, b) for a, b in zip(lo.T, hi.T, strict=True)]
    exact = [boxes(x) for x in q]
    with np.errstate(all="ignore"):
        results = [lift(x) for x in interpret(program, [*exact, *steps], lift)]
    shape = (len(lo), *program.outputs[0].shape)

    def joined(part: str) -> Array:
        columns = [np.broadcast_to(getattr(y, part), len(lo)) for y in results]
        return np.stack(columns, axis=1).reshape(shape)

    return joined("lo"), joined("hi"), joined("doubt")
