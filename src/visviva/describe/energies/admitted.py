"""Which SymPy expressions can be an energy or a force: real, finite, of scalars.

Unknown functions of coordinates may stand in them; equations then contain their derivatives, and
only numbers cannot be asked for.
"""

from __future__ import annotations

import itertools
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from visviva.errors import ArgumentError

DEEPEST = 100  # levels of functions and brackets; SymPy itself takes a few hundred
LONGEST = 1_000_000  # operations, if nothing is shared
MOST_BITS = 10_000  # of a number: three thousand digits
MOST_TERMS = 1000  # of a sum or product over an index

# what a formula may be made of
ADMITTED = (
    sympy.Add,
    sympy.Mul,
    sympy.Pow,
    sympy.Number,
    sympy.NumberSymbol,
    sympy.Symbol,
    sympy.Function,
    sympy.Derivative,
    sympy.Subs,
    sympy.Tuple,  # inside of derivatives
    sympy.Min,
    sympy.Max,
    sympy.Piecewise,
    sympy.functions.elementary.piecewise.ExprCondPair,
    Boolean,
)


def admitted(what: str, x: Any) -> Any:
    """The expression, with sums over an index written out; an error says what cannot be."""
    if not isinstance(x, sympy.Expr):
        got = f"{type(x).__name__} {shown(x)}"
        raise ArgumentError(f"{what} is one real formula of coordinates, got {got}")
    parts = _parts(what, x)
    if any(isinstance(p, sympy.Sum | sympy.Product) for p in parts):
        x = _written_out(what, x, parts)
        parts = _parts(what, x)
    for part in reversed(parts):  # the whole before what it is made of
        _check(what, x, part)
    return _with_all_cases(what, x, parts)


def must_be_short(x: Any, power: int = 1, what: str = "a formula") -> None:
    """Refuse a fraction whose power has too many digits."""
    bits = max(abs(int(x.p)).bit_length(), int(x.q).bit_length()) * abs(power)
    if bits > MOST_BITS and abs(x) != 1:
        raise ArgumentError(f"{what} has numbers of at most {MOST_BITS} bits, got one of {bits}")


def shown(x: Any, most: int = 60) -> str:
    """The beginning of what was got, whatever it is."""
    try:
        text = str(x)
    except (ValueError, RecursionError):  # more digits than Python writes, or too deep
        text = f"a {type(x).__name__} of great length"
    return text if len(text) <= most else text[: most - 1] + "…"


def _parts(what: str, x: Any) -> list[Any]:
    """All different subexpressions; refused if they are nested too deeply or are too many."""
    levels: dict[Any, tuple[int, int]] = {}  # depth, and operations
    waiting = [x]
    while waiting:
        top = waiting[-1]
        if inside := [a for a in top.args if isinstance(a, sympy.Basic) and a not in levels]:
            waiting.extend(inside)
            if len(waiting) > LONGEST:
                break
            continue
        waiting.pop()
        inner = [levels[a] for a in top.args if a in levels]
        depth = 1 + max((d for d, _ in inner), default=0)
        levels[top] = depth, 1 + sum(n for _, n in inner)
    depth, total = levels.get(x, (0, LONGEST + 1))
    if depth > DEEPEST:
        raise ArgumentError(f"{what} is nested at most {DEEPEST} deep, got {depth} levels")
    if total > LONGEST:
        raise ArgumentError(f"{what} has at most {LONGEST} operations, got more")
    return list(levels)


def _check(what: str, x: Any, part: Any) -> None:
    """One part of a formula."""
    if part in (sympy.nan, sympy.oo, -sympy.oo, sympy.zoo):
        raise ArgumentError(f"{what} is finite, got {part} in {shown(x)}")
    if part == sympy.I:
        raise ArgumentError(f"{what} is real, got the imaginary unit in {shown(x)}")
    if isinstance(part, sympy.Rational):
        must_be_short(part, what=what)
    if isinstance(part, sympy.Symbol):
        if not part.name:
            raise ArgumentError(f"{what}: a symbol has a name, got '' in {shown(x)}")
        if part.is_commutative is False or part.is_extended_real is False:
            raise ArgumentError(f"{what} is real: {part.name!r} is a symbol that is not")
    if not isinstance(part, ADMITTED):
        kind = type(part).__name__
        hint = ": call .doit(), or state what it comes to" if kind in ("Integral", "Limit") else ""
        hint = ": use plain symbols" if isinstance(part, _ENTRIES) else hint
        got = f"got {kind} {shown(part)}{hint}"
        raise ArgumentError(f"{what} is made of scalars and functions, {got}")


_ENTRIES = (
    sympy.MatrixExpr,
    sympy.matrices.expressions.matexpr.MatrixElement,
    sympy.Indexed,
    sympy.IndexedBase,
)


def _written_out(what: str, x: Any, parts: list[Any]) -> Any:
    """Sums and products over an index with numbers for limits, term by term, the inner ones first.

    SymPy's own way looks for closed forms of series, which may take for ever or fail.
    """
    for part in parts:
        if not isinstance(part, sympy.Sum | sympy.Product):
            continue
        ranges, count = [], 1
        for limit in part.limits:
            if len(limit) != 3 or not all(k.is_Integer for k in limit[1:]):
                raise ArgumentError(f"{what}: the limits of {shown(part)} are whole numbers")
            ranges.append(range(int(limit[1]), int(limit[2]) + 1))
            count *= len(ranges[-1])
        if count > MOST_TERMS:
            raise ArgumentError(f"{what}: {shown(part)} has {count} terms, at most {MOST_TERMS}")
        indices = [limit[0] for limit in part.limits]
        terms = [
            part.function.xreplace(dict(zip(indices, map(sympy.Integer, values), strict=True)))
            for values in itertools.product(*ranges)
        ]
        expression = (sympy.Add if isinstance(part, sympy.Sum) else sympy.Mul)(*terms)
        return _written_out(what, whole := x.xreplace({part: expression}), _parts(what, whole))
    return x


def _with_all_cases(what: str, x: Any, parts: list[Any]) -> Any:
    """A Piecewise has a value everywhere: its last case holds where no other does."""
    complete = {}
    for part in parts:
        if isinstance(part, sympy.Piecewise) and part.args[-1].cond != sympy.true:
            if sympy.Or(*(pair.cond for pair in part.args)) != sympy.true:
                raise ArgumentError(
                    f"{what}: {shown(part)} has no value where none of its conditions holds; "
                    "add a last case, (value, True)"
                )
            pairs = [(pair.expr, pair.cond) for pair in part.args]
            complete[part] = sympy.Piecewise(*pairs[:-1], (pairs[-1][0], True))
    return x.xreplace(complete) if complete else x
