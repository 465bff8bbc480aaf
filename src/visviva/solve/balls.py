"""Numbers with a proved bound of their error, as scalars of programs: FLINT's balls.

A comparison that a ball does not decide gives both answers: `where` then encloses both values. That
encloses no derivatives, so a result remembers whether it depends on such a doubt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb


class Ball:
    """An `arb` that answers the vocabulary of `generic`."""

    __slots__ = ("doubt", "x")

    def __init__(self, x: Any, *parts: Any) -> None:
        self.x = x if isinstance(x, arb) else arb(x)
        self.doubt = any(p.doubt for p in parts)

    def __add__(self, other: Any) -> Ball:
        return _binary(self, other, arb.__add__)

    def __sub__(self, other: Any) -> Ball:
        return _binary(self, other, arb.__sub__)

    def __mul__(self, other: Any) -> Ball:
        return _binary(self, other, arb.__mul__)

    def __truediv__(self, other: Any) -> Ball:
        return _binary(self, other, arb.__truediv__)

    def __radd__(self, other: Any) -> Ball:
        return ball(other) + self

    def __rsub__(self, other: Any) -> Ball:
        return ball(other) - self

    def __rmul__(self, other: Any) -> Ball:
        return ball(other) * self

    def __rtruediv__(self, other: Any) -> Ball:
        return ball(other) / self

    def __neg__(self) -> Ball:
        return Ball(-self.x, self)

    def power(self, other: Any) -> Ball:
        """To a whole power by products, to another by logarithms."""
        base, exponent = ball(self), ball(other)
        whole = exponent.x.unique_fmpz()
        by = exponent.x if whole is None else int(whole)
        return Ball(base.x**by, base, exponent)

    def where(self, a: Any, b: Any) -> Ball:
        """a if this is not zero, else b; both if that is not certain."""
        c, one, other = ball(self), ball(a), ball(b)
        if not c.x.contains(0):
            return Ball(one.x, c, one)
        if c.x.is_zero():
            return Ball(other.x, c, other)
        both = Ball(one.x.union(other.x))
        both.doubt = True
        return both

    def less(self, other: Any) -> Ball:
        """1 or 0, or both."""
        return _truth(self, other, lambda a, b: a < b, lambda a, b: a >= b)

    def less_equal(self, other: Any) -> Ball:
        """1 or 0, or both."""
        return _truth(self, other, lambda a, b: a <= b, lambda a, b: a > b)

    def equal(self, other: Any) -> Ball:
        """1 or 0, or both."""
        return _truth(self, other, lambda a, b: a == b, lambda a, b: not a.overlaps(b))

    def not_equal(self, other: Any) -> Ball:
        """1 or 0, or both."""
        return 1 - Ball.equal(self, other)


def ball(x: Any) -> Ball:
    """A number as a ball of no radius."""
    return x if isinstance(x, Ball) else Ball(x)


def _binary(a: Any, b: Any, operation: Callable[[Any, Any], Any]) -> Ball:
    one, other = ball(a), ball(b)
    return Ball(operation(one.x, other.x), one, other)


def _truth(a: Any, b: Any, yes: Callable[..., bool], no: Callable[..., bool]) -> Ball:
    one, other = ball(a), ball(b)
    if yes(one.x, other.x) or no(one.x, other.x):
        return Ball(int(yes(one.x, other.x)), one, other)
    return Ball(arb(0.5, 0.5), one, other)


def _method(name: str) -> Callable[..., Ball]:
    def method(*args: Any) -> Ball:
        parts = [ball(x) for x in args]
        return Ball(getattr(arb, name)(*(p.x for p in parts)), *parts)

    return method


for _ours, _flint in {
    **{x: x for x in "sin cos tan sqrt exp log sinh cosh tanh".split()},
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "minimum": "min",
    "maximum": "max",
    "absolute": "__abs__",
    "sign": "sgn",
}.items():
    setattr(Ball, _ours, _method(_flint))
