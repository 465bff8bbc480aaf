"""Expressions as texts that are read back to the same nodes."""

from __future__ import annotations

import math
from collections.abc import Iterable

from visviva.algebra.expr import CONSTANT, INPUT, Expr, reachable
from visviva.errors import ArgumentError
from visviva.notation.formula import BINARY, CONSTANTS, OPERATIONS, QUOTIENTS
from visviva.notation.names import is_name

LONGEST_PIECE = 400  # a longer formula is cut into named pieces: shared parts would swell it
DEEPEST_PIECE = 50
RATE_MARK = "'"  # after the name of a coordinate


def as_text(
    roots: Iterable[Expr], taken: Iterable[str] = (), whole: bool = False
) -> tuple[dict[str, str], list[str]]:
    """Texts that `parse` reads back to the same nodes, and the named pieces they refer to.

    Pieces come in the order in which they need each other; they take names that are free. There
    are none if each text shall be `whole`.
    """
    roots = list(roots)
    order = reachable(roots)
    used = {*taken, *(x.value for x in order if x.op == INPUT)}
    names = (n for k in range(1, 10**9) if (n := f"e{k}") not in used)
    pieces: dict[str, str] = {}
    known: dict[Expr, tuple[str, int, int]] = {}  # text, how tightly it binds, how deep it is
    for x in order:
        text, level, depth = _written(x, [known[a] for a in x.args])
        if not whole and x.args and (len(text) > LONGEST_PIECE or depth > DEEPEST_PIECE):
            name = next(names)
            pieces[name] = text
            text, level, depth = name, 5, 1
        known[x] = text, level, depth
    return pieces, [known[x][0] for x in roots]


def _written(x: Expr, args: list[tuple[str, int, int]]) -> tuple[str, int, int]:
    """Text, level (1 sum, 2 product, 3 signed, 4 power, 5 atom) and depth of one node."""
    depth = 1 + max((a[2] for a in args), default=0)
    if x.op == CONSTANT:
        if not math.isfinite(x.value):
            raise ArgumentError(f"a formula cannot say {x.value}")
        return repr(x.value).removesuffix(".0"), 3 if x.value < 0 else 5, 1
    if x.op == INPUT:
        if (
            not is_name(x.value.removesuffix(RATE_MARK))
            or x.value in CONSTANTS
            or x.value in OPERATIONS
        ):
            raise ArgumentError(f"{x.value!r} cannot be a name in a formula: rename it")
        return x.value, 5, 1
    if x.op == "neg":  # -a*b is read as (-a)*b, which is the same node; -(a + b) needs its own
        return f"-{_at(args[0], 2)}", 2 if args[0][1] == 2 else 3, depth
    if x.op == "mul" and x.args[0] is x.args[1]:
        return f"{_at(args[0], 5)}^2", 4, depth
    if x.op == "pow":
        return f"{_at(args[0], 5)}^{_at(args[1], 3)}", 4, depth
    if x.op in ("add", "sub", "mul", "div"):
        sign, level = {op: (s, n) for s, (n, op) in BINARY.items()}[x.op]
        if args[0][1] >= level:  # a chain to the left needs no parentheses and nests no deeper
            depth = max(args[0][2], 1 + args[1][2])
        space = " " if level == 1 else ""
        return f"{_at(args[0], level)}{space}{sign}{space}{_at(args[1], level + 1)}", level, depth
    if x.op in QUOTIENTS:
        return f"1/{QUOTIENTS[x.op][1]}({args[0][0]})", 2, depth
    name = next(name for name, op in OPERATIONS.items() if op == x.op)
    return f"{name}({', '.join(a[0] for a in args)})", 5, depth


def _at(arg: tuple[str, int, int], level: int) -> str:
    """In parentheses where it binds less tightly than its place asks."""
    return arg[0] if arg[1] >= level else f"({arg[0]})"
