"""The order of evaluation: any order is right, a good one keeps few values alive.

Two candidates compete: the order in which the function was traced, which for a recursion over
bodies is hard to beat, and depth first from the outputs, the heavier operand first (Sethi and
Ullman). The one that overflows the registers less wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from visviva.algebra.expr import Expr

REGISTERS = 24  # what a value may count on; vector units have 16 or 32 and need some themselves


def schedule(roots: Sequence[Expr]) -> list[Expr]:
    """Every node the roots are made of, arguments before results."""
    if not roots:
        return []
    traced = _twins_together(_as_traced(roots))
    return min(traced, _depth_first(roots, traced), key=pressure)


def pressure(order: Sequence[Expr]) -> int:
    """How much the live values exceed the registers, summed over time."""
    last = _by_node(order, -1)
    for i, node in enumerate(order):
        for x in node.args:
            last[x.index] = i
    ends = [0] * (len(order) + 1)
    live = total = 0
    for i, node in enumerate(order):
        if node.args:  # inputs and constants wait in memory
            live += 1
            end = last[node.index]
            ends[i if end < 0 else end] += 1
        if live > REGISTERS:
            total += live - REGISTERS
        live -= ends[i]
    return total


def _by_node(nodes: Sequence[Expr], value: Any) -> list[Any]:
    """A value for every node of their graph, by its index: reading it is quicker than a table."""
    return [value] * len(nodes[0].graph) if nodes else []


def _as_traced(roots: Sequence[Expr]) -> list[Expr]:
    """What the roots are made of: arguments stand before results in a graph."""
    nodes, wanted = roots[0].graph.nodes, _by_node(roots, False)
    for root in roots:
        wanted[root.index] = True
    for i in range(max(root.index for root in roots), -1, -1):
        if wanted[i]:
            for x in nodes[i].args:
                wanted[x.index] = True
    return [node for node, is_wanted in zip(nodes, wanted, strict=True) if is_wanted]


def _depth_first(roots: Sequence[Expr], nodes: Sequence[Expr]) -> list[Expr]:
    need, is_done = _needs(nodes), bytearray(len(roots[0].graph))
    order: list[Expr] = []
    for root in roots:
        stack = [root]
        while stack:
            node = stack[-1]
            waiting = [] if is_done[node.index] else [x for x in node.args if not is_done[x.index]]
            if not waiting:
                stack.pop()
                if not is_done[node.index]:
                    is_done[node.index] = 1
                    order.append(node)
            elif len(waiting) == 1:
                stack += waiting
            else:
                stack += sorted(waiting, key=lambda x: need[x.index])
    return _twins_together(order)


def _needs(nodes: Sequence[Expr]) -> list[int]:
    """How many registers every node takes, the heavier operand first."""
    need = _by_node(nodes, 0)
    for node in nodes:
        if len(node.args) == 2:
            a, b = (need[x.index] for x in node.args)
            need[node.index] = a + 1 if a == b else max(a, b)
        elif node.args:
            needs = sorted((need[x.index] for x in node.args), reverse=True)
            need[node.index] = max(n + i for i, n in enumerate(needs))
        else:
            need[node.index] = 1
    return need


def _twins_together(order: list[Expr]) -> list[Expr]:
    """Sine and cosine of one angle side by side: they are computed together."""
    twins: dict[Expr, list[Expr]] = {}
    for node in order:
        if node.op in ("sin", "cos"):
            twins.setdefault(node.args[0], []).append(node)
    if not twins:
        return order
    moved: list[Expr] = []
    for node in order:
        if node.op in ("sin", "cos"):
            moved.extend(twins.pop(node.args[0], ()))
        else:
            moved.append(node)
    return moved
