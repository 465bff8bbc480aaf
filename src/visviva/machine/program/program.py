"""Straight-line programs: what a trace leaves behind, and all that compiling needs to know.

Values are numbered: first the input scalars, then one per instruction. An instruction is
`(op, value, value, ...)`, or `("constant", number)`. A program is plain data: it can be hashed,
pickled, interpreted, printed as C and compiled.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any

from visviva.algebra.expr import CONSTANT, Condition, Expr, reachable
from visviva.machine.program.schedule import schedule

Instruction = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Port:
    """A named array going in or out.

    `units` are the places of quaternions in it, which must have length one: where each starts.
    """

    name: str
    shape: tuple[int, ...]
    units: tuple[int, ...] = ()
    size: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", math.prod(self.shape))

    def __str__(self) -> str:
        return f"{self.name}{list(self.shape) if self.shape else ''}"


class Operations(Counter[str]):
    """How often each operation occurs; `str` is the count people quote."""

    @property
    def multiplications(self) -> int:
        """How many there are; divisions are counted apart."""
        return self["mul"]

    @property
    def additions(self) -> int:
        """How many additions and subtractions there are, together."""
        return self["add"] + self["sub"]

    def __str__(self) -> str:
        rest = [f"{n} {op}" for op, n in sorted(self.items()) if op not in ("mul", "add", "sub")]
        return ", ".join([f"{self.multiplications} mul", f"{self.additions} add", *rest])


@dataclass(frozen=True)
class Program:
    """Instructions from the scalars of `inputs` to those of `outputs`."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    code: tuple[Instruction, ...]
    results: tuple[int, ...]  # the value of every output scalar, output after output
    conditions: tuple[tuple[str, int], ...] = ()  # who gives the reason, and the value: its margin
    further: tuple[Instruction, ...] = ()  # after `code`: to the margins, the least of all last

    @property
    def arguments(self) -> int:
        """How many input scalars there are; they are the values below this number."""
        return sum(port.size for port in self.inputs)

    @property
    def is_constant(self) -> bool:
        """Whether no input changes a result."""
        inputs = self.arguments
        return not self.operations and all(value >= inputs for value in self.results)

    @property
    def operations(self) -> Operations:
        """How often each operation occurs in one evaluation; constants are none."""
        return Operations(op for op, *_ in self.code if op != CONSTANT)

    def applies(self, op: str, name: str) -> bool:
        """Whether an operation is applied to something that depends on an input."""
        depends = [port.name == name for port in self.inputs for _ in range(port.size)]
        found = False
        for own, *args in self.code:
            depends.append(own != CONSTANT and any(depends[i] for i in args))
            found = found or (own == op and depends[-1])
        return found

    @property
    def digest(self) -> str:
        """A name for exactly this computation: ports, instructions and the bits of constants."""
        sides = (self.inputs, self.outputs)
        ports = [[(port.name, port.shape, port.units) for port in side] for side in sides]
        parts = [repr(ports), repr(self.results), repr(self.conditions)]
        for op, *args in self.code + self.further:
            parts.append(args[0].hex() if op == CONSTANT else op + repr(args))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @classmethod
    def of(
        cls,
        inputs: Sequence[Port],
        outputs: Sequence[Port],
        arguments: Sequence[Expr],
        results: Sequence[Expr],
        conditions: Iterable[Condition] = (),
    ) -> Program:
        """The program that computes the nodes `results` from the nodes `arguments`."""
        order = schedule(results)
        uses = Counter(results)
        uses.update(arg for node in order for arg in node.args)
        reversed_differences = {  # -(a - b) of an otherwise unused difference is b - a
            node.args[0]
            for node in order
            if node.op == "neg" and node.args[0].op == "sub" and uses[node.args[0]] == 1
        }
        number = {node: i for i, node in enumerate(arguments)}
        plain = [x for x in order if x not in number and x not in reversed_differences]
        code = _instructions(plain, number, reversed_differences)
        applicable = [x for x in conditions if all(node in number for node in x.of)]
        further = _further([x.margin for x in applicable], number)
        return cls(
            tuple(inputs),
            tuple(outputs),
            code,
            tuple(number[y] for y in results),
            tuple((x.reason, number[x.margin]) for x in applicable),
            further,
        )


def _instructions(
    nodes: Iterable[Expr], number: dict[Expr, int], reversed_differences: Container[Expr] = ()
) -> tuple[Instruction, ...]:
    """One for each node, which gets a number; of differences that are `turned`, the negative."""
    first, code = len(number), list[Instruction]()
    for node in nodes:
        if node.op == CONSTANT:
            instruction: Instruction = (CONSTANT, node.value)
        elif node.args and node.args[0] in reversed_differences:
            a, b = node.args[0].args
            instruction = ("sub", number[b], number[a])
        else:
            instruction = (node.op, *(number[x] for x in node.args))
        number[node] = first + len(code)
        code.append(instruction)
    return tuple(code)


def _further(margins: Sequence[Expr], number: dict[Expr, int]) -> tuple[Instruction, ...]:
    """Instructions after those that have numbers: to every margin, and to the least of them."""
    if not margins:
        return ()
    least = reduce(partial(margins[0].graph.apply, "min"), margins)
    others = [x for x in reachable([least]) if x not in number and x is not least]
    return _instructions([*others, least], number)
