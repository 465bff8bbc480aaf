"""Exact folding and canonical form: one rule per operation.

A rule returns the simpler or canonical node, or None where the operation stands as it is; it is
never asked about constants alone, `Graph.apply` evaluates those. Only 0, 1 and -1 disappear, signs
move outward and operands of commutative operations are ordered. Nothing is dropped for being small,
nothing is reassociated, so rounding stays what it was. Two things are not kept: nan and infinity in
a factor of 0 (and 0/0), and the sign of a zero, which an infinite quotient or atan2 can show.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from visviva.algebra.ops import OPS

if TYPE_CHECKING:
    from visviva.algebra.expr import Expr, Graph

Rule = Callable[..., "Expr | None"]

UNROLLED_POWERS = (-2, -1, 0, 1, 2, 3, 4)  # others would be off by more than libm's pow


def add(g: Graph, a: Expr, b: Expr) -> Expr | None:
    """0 + a = a and a + a = 2 a; a minus sign makes a difference, or stands before the sum."""
    if is_(a, 0):
        return b
    if is_(b, 0):
        return a
    if a is b:
        return g.apply("mul", 2.0, a)
    if a.is_negative and b.is_negative:
        return g.apply("neg", g.apply("add", minus(g, a), minus(g, b)))
    if b.is_negative:
        return g.apply("sub", a, minus(g, b))
    if a.is_negative:
        return g.apply("sub", b, minus(g, a))
    return ordered(g, "add", a, b)


def sub(g: Graph, a: Expr, b: Expr) -> Expr | None:
    """a - a = 0 and a - 0 = a; the operand that came first stands first, a sign before it."""
    if a is b:
        return g.constant(0.0)
    if is_(b, 0):
        return a
    if is_(a, 0):
        return g.apply("neg", b)
    if b.is_negative:
        return g.apply("add", a, minus(g, b))
    if a.is_negative:
        return g.apply("neg", g.apply("add", minus(g, a), b))
    if a.index > b.index:
        return g.apply("neg", g.raw("sub", b, a))
    return None


def neg(g: Graph, a: Expr) -> Expr | None:
    """-(-a) = a."""
    return a.args[0] if a.op == "neg" else None


def mul(g: Graph, a: Expr, b: Expr) -> Expr | None:
    """0 a = 0, 1 a = a and (-1) a = -a; signs stand before the product."""
    if a.is_constant or b.is_constant:
        x, y = (a, b) if a.is_constant else (b, a)
        if x.value == 0.0:
            return x
        if x.value == 1.0:
            return y
        if x.value == -1.0:
            return g.apply("neg", y)
    if a.is_negative or b.is_negative:
        return signed_product(g, "mul", a, b)
    return ordered(g, "mul", a, b)


def div(g: Graph, a: Expr, b: Expr) -> Expr | None:
    """0/a = 0, a/(±1) = ±a, a/cosh = a sech; by a power of two is times its inverse, exactly."""
    if is_(a, 0) or is_(b, 1):
        return a
    if is_(b, -1):
        return g.apply("neg", a)
    if b.is_constant and is_power_of_two(b.value):
        return g.apply("mul", 1.0 / b.value, a)
    if b.op == "cosh":
        return g.apply("mul", a, g.apply("sech", *b.args))
    if b.op == "mul" and any(x.op == "cosh" for x in b.args):
        first, second = b.args
        return g.apply("div", g.apply("div", a, first), second)
    return signed_product(g, "div", a, b) if a.is_negative or b.is_negative else None


def pow_(g: Graph, a: Expr, b: Expr) -> Expr | None:
    """Small whole powers are products, a power of one half is a root, 1 stays 1; cosh⁻ⁿ = sechⁿ."""
    if not b.is_constant:
        return a if is_(a, 1) else None
    if a.op == "cosh" and b.value < 0:
        return g.apply("pow", g.apply("sech", *a.args), -b.value)
    if b.value == 0.5:
        return g.apply("sqrt", a)
    if b.value not in UNROLLED_POWERS:
        return None
    power = unrolled_power(g, a, int(abs(b.value)))
    return power if b.value >= 0 else g.apply("div", 1.0, power)


def choice(g: Graph, c: Expr, a: Expr, b: Expr) -> Expr | None:
    """Of a known condition the case that holds, of two equal cases either."""
    if c.is_constant:
        return a if c.value != 0.0 else b
    return a if a is b else None


def extremum(g: Graph, a: Expr, b: Expr) -> Expr | None:
    """Of the same argument twice; others stay in order, since where both are equal the first one's
    slope counts."""
    return a if a is b else None


def symmetric(op: str) -> Rule:
    """The rule of a commutative operation: its operands are ordered."""
    return lambda g, a, b: ordered(g, op, a, b)


def as_it_stands(g: Graph, *args: Expr) -> None:
    """No rule: the operation stands as it is."""
    return


def odd(op: str) -> Rule:
    """f(-x) = -f(x)."""

    def rule(g: Graph, a: Expr) -> Expr | None:
        return g.apply("neg", g.apply(op, a.args[0])) if a.op == "neg" else None

    return rule


def even(op: str) -> Rule:
    """f(-x) = f(x)."""

    def rule(g: Graph, a: Expr) -> Expr | None:
        return g.apply(op, a.args[0]) if a.op == "neg" else None

    return rule


def is_(x: Expr, number: float) -> bool:
    """Whether x is this constant."""
    return x.is_constant and x.value == number


def minus(g: Graph, x: Expr) -> Expr:
    """The negation of x, folded."""
    return g.apply("neg", x)


def signed_product(g: Graph, op: str, a: Expr, b: Expr) -> Expr:
    """Signs of a product or quotient move outward."""
    flip = a.is_negative != b.is_negative
    result = g.apply(
        op,
        minus(g, a) if a.is_negative else a,
        minus(g, b) if b.is_negative else b,
    )
    return g.apply("neg", result) if flip else result


def ordered(g: Graph, op: str, a: Expr, b: Expr) -> Expr | None:
    """A commutative operation with the operand that came first before the other."""
    return g.raw(op, b, a) if a.index > b.index else None


def is_power_of_two(x: float) -> bool:
    """Whether x is ±2ᵏ, with an inverse that is a float too."""
    mantissa, exponent = math.frexp(x)
    return abs(mantissa) == 0.5 and abs(exponent) < 1000


def unrolled_power(g: Graph, a: Expr, n: int) -> Expr:
    """aⁿ by repeated squaring."""
    if n == 0:
        return g.constant(1.0)
    if n == 1:
        return a
    half = unrolled_power(g, a, n // 2)
    square = g.apply("mul", half, half)
    return g.apply("mul", square, a) if n % 2 else square


RULES: dict[str, Rule] = dict.fromkeys(OPS, as_it_stands)
RULES |= {"add": add, "sub": sub, "neg": neg, "mul": mul, "div": div, "pow": pow_, "where": choice}
RULES |= {"min": extremum, "max": extremum, "eq": symmetric("eq"), "ne": symmetric("ne")}
RULES |= {op: odd(op) for op in ("sin", "tan", "asin", "atan", "sinh", "tanh", "sign")}
RULES |= {op: even(op) for op in ("cos", "cosh", "sech", "abs")}
