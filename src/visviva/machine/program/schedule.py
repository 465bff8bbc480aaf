"""The order of evaluation: any order is right, a good one keeps few values alive.

Two candidates compete: the order in which the function was traced, which for a recursion over
bodies is hard to beat, and depth first from the outputs, the heavier operand first (Sethi and
Ullman). The one that overflows the registers less wins.
"""

from __future__ import annotations

from collections.abc import Sequence

from visviva.algebra.expr import Expr, reachable

REGISTERS = 24  # what a value may count on; vector units have 16 or 32 and need some themselves


def schedule(roots: Sequence[Expr]) -> list[Expr]:
    """Every node the roots are made of, arguments before results."""
    traced = _twins_together(reachable(roots))
    return min(traced, _depth_first(roots, traced), key=pressure)


def pressure(order: Sequence[Expr]) -> int:
    """How much the live values exceed the registers, summed over time."""
    last = {arg: i for i, node in enumerate(order) for arg in node.args}
    ends = [0] * (len(order) + 1)
    live = total = 0
    for i, node in enumerate(order):
        if node.args:  # inputs and constants wait in memory
            live += 1
            ends[last.get(node, i)] += 1
        total += max(0, live - REGISTERS)
        live -= ends[i]
    return total


def _depth_first(roots: Sequence[Expr], nodes: Sequence[Expr]) -> list[Expr]:
    need: dict[Expr, int] = {}
    for node in nodes:
        needs = sorted((need[x] for x in node.args), reverse=True)
        need[node] = max((n + i for i, n in enumerate(needs)), default=0) if node.args else 1
    done: set[Expr] = set()
    order: list[Expr] = []
    for root in roots:
        stack = [root]
        while stack:
            node = stack[-1]
            waiting = [x for x in node.args if x not in done]
            if node in done or not waiting:
                stack.pop()
                if node not in done:
                    done.add(node)
                    order.append(node)
            else:
                stack.extend(sorted(waiting, key=lambda x: need[x]))
    return _twins_together(order)


def _twins_together(order: Sequence[Expr]) -> list[Expr]:
    """Sine and cosine of one angle side by side: they are computed together."""
    twins: dict[Expr, list[Expr]] = {}
    for node in order:
        if node.op in ("sin", "cos"):
            twins.setdefault(node.args[0], []).append(node)
    moved: list[Expr] = []
    for node in order:
        if node.op in ("sin", "cos"):
            moved.extend(twins.pop(node.args[0], ()))
        else:
            moved.append(node)
    return moved
