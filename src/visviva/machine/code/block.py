"""One block of a program as LLVM text: a function over the work buffer.

A product that only one sum needs is part of that sum, a fused multiply-add: which ones are, is
decided here and not by LLVM, so that a program gives the same bits however its kernel is made,
many lanes or few, for calls or for loops.
"""

from __future__ import annotations

from collections.abc import Sequence

from visviva.algebra.expr import CONSTANT
from visviva.algebra.ops import OPS
from visviva.machine.code.cpu import Cpu
from visviva.machine.code.elementary.constants import in_memory
from visviva.machine.code.elementary.writer import splat
from visviva.machine.program.blocks import Layout


def block(
    layout: Layout, b: int, lanes: int, cpu: Cpu, handed_on: Sequence[tuple[int, int]] = ()
) -> str:
    """`@vv.block{b}(buffer)`: it loads what it needs at first use.

    Values that are `handed_on` go to their places of the work buffer at the end of the last block,
    when nothing needs any more what was there.

    What does not fit the registers waits on the stack, which is aligned for whole vectors: else
    every other one would lie across two lines of the cache, or none, as luck has it.
    """
    written = _Text(layout, b, lanes, cpu.has_fma)
    if b == len(layout.blocks) - 1:
        written.hand_on(handed_on)
    body = "\n  ".join(written.lines)
    head = (
        f"define internal void @vv.block{b}(ptr noalias %buffer) noinline alignstack({8 * lanes})"
    )
    text = f"{head} {{\n  {body}\n  ret void\n}}"
    return in_memory(text, f"@vv.constants{b}", lanes, cpu)


class _Text:
    """The lines of a block, written one after the other."""

    def __init__(self, layout: Layout, b: int, lanes: int, has_fma: bool) -> None:
        self.layout, self.program, self.lanes = layout, layout.program, lanes
        self.first, self.T = layout.program.arguments, f"<{lanes} x double>"
        self.names = {
            "T": self.T,
            "I": f"<{lanes} x i1>",
            "suffix": f".v{lanes}f64",
            "one": splat(1.0),
            "minus_one": splat(-1.0),
        }
        self.lines: list[str] = []
        self.have: dict[int, str] = {}
        self.pairs: dict[int, str] = {}
        span = layout.blocks[b]
        sums = _fused(layout, span) if has_fma else {}
        inside = set(sums.values())
        for i in span:
            value = self.first + i
            if self.program.code[i][0] == CONSTANT or value in inside:
                continue
            if value in sums:
                self._multiply_add(value, sums[value])
            else:
                self._operation(value)
            self._stored(value)
        if b == 0:  # results that no instruction computes
            for value, k in layout.results.items():
                if self.program.code[value - self.first][0] == CONSTANT:
                    self._store(value, self.first + k, "o")

    def hand_on(self, handed_on: Sequence[tuple[int, int]]) -> None:
        """Values to places; all are read before any is overwritten."""
        for value, _ in handed_on:
            self._operand(value)
        for value, place in handed_on:
            self._store(value, place, "h")

    def _operation(self, value: int) -> None:
        op, *args = self.program.code[value - self.first]
        cell = OPS[op].llvm
        pair = self._sincos(args[0]) if "{sincos}" in cell else ""
        arguments = [self._operand(x) for x in args]
        self.lines.append(cell.format(*arguments, r=f"%v{value}", sincos=pair, **self.names))

    def _multiply_add(self, value: int, product: int) -> None:
        """a b + c, a b - c or c - a b with one rounding."""
        op, *terms = self.program.code[value - self.first]
        position = terms.index(product)
        _, *factors = self.program.code[product - self.first]
        a, b, c = (self._operand(x) for x in (*factors, terms[1 - position]))
        if op == "sub":
            negated = f"%v{value}.n"
            self.lines.append(f"{negated} = fneg {self.T} {a if position else c}")
            a, c = (negated, c) if position else (a, negated)
        numbers = ", ".join(f"{self.T} {x}" for x in (a, b, c))
        self.lines.append(f"%v{value} = call {self.T} @llvm.fma.v{self.lanes}f64({numbers})")

    def _stored(self, value: int) -> None:
        """A value that is there, to where others look for it."""
        self.have[value] = f"%v{value}"
        if value in self.layout.results:
            self._store(value, self.first + self.layout.results[value], "o")
        if value in self.layout.slots:
            self._store(value, self._slot(value), "s")

    def _operand(self, value: int) -> str:
        if value not in self.have:
            if value >= self.first and self.program.code[value - self.first][0] == CONSTANT:
                return splat(self.program.code[value - self.first][1])
            position = self.layout.place(value) if self._is_port(value) else self._slot(value)
            self.lines.append(f"%v{value} = load {self._place(position, f'%v{value}')}")
            self.have[value] = f"%v{value}"
        return self.have[value]

    def _sincos(self, value: int) -> str:
        if value not in self.pairs:
            T, x = self.T, self._operand(value)
            self.pairs[value] = f"%pair{value}"
            self.lines.append(f"%pair{value} = call {{{T}, {T}}} @vv.sincos({T} {x})")
        return self.pairs[value]

    def _store(self, value: int, position: int, tag: str) -> None:
        x = self._operand(value)
        destination = self._place(position, f"%{tag}{position}").removeprefix(f"{self.T}, ")
        self.lines.append(f"store {self.T} {x}, {destination}")

    def _place(self, position: int, register: str) -> str:
        self.lines.append(f"{register}.p = getelementptr {self.T}, ptr %buffer, i64 {position}")
        return f"{self.T}, ptr {register}.p, align {self.lanes * 8}"

    def _is_port(self, value: int) -> bool:
        """Whether it waits where inputs and results do: a slot is another's after its last use."""
        return value < self.first or value in self.layout.results

    def _slot(self, value: int) -> int:
        return self.first + len(self.layout.results) + self.layout.slots[value]


def _fused(layout: Layout, span: range) -> dict[int, int]:
    """Sums and differences of a block, each with the product that is part of it.

    It is used nowhere else and belongs to the same block; of two such, the one that comes later.
    """
    program, first, uses = layout.program, layout.program.arguments, layout.uses

    def alone(value: int) -> bool:
        i = value - first
        return i in span and program.code[i][0] == "mul" and uses[value] == 1

    found = {}
    for i in span:
        op, *terms = program.code[i]
        products = [x for x in terms if alone(x)] if op in ("add", "sub") else ()
        if products:
            found[first + i] = max(products)
    return found
