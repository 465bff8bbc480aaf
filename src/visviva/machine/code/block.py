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
    layout: Layout,
    b: int,
    lanes: int,
    cpu: Cpu,
    handed_on: Sequence[tuple[int, int]] = (),
    keeps: bool = False,
) -> str:
    """`@vv.block{b}(buffer)`: it loads what it needs at first use.

    Values that are `handed_on` go to their places of the work buffer at the end of the last block,
    when nothing needs any more what was there. What conditions need is stored if it `keeps` that.

    What does not fit the registers waits on the stack, which is aligned for whole vectors: else
    every other one would lie across two lines of the cache, or none, as luck has it.
    """
    lines = _Text(layout, layout.blocks[b], lanes, cpu.has_fma, keeps)
    if b == 0:
        lines.constant_results()
    if b == len(layout.blocks) - 1:
        lines.hand_on(handed_on)
    return _function(f"block{b}", f"constants{b}", lines, lanes, cpu)


def conditions_block(layout: Layout, lanes: int, cpu: Cpu) -> str:
    """`@vv.watch(buffer)`, after the others: the least margin of the conditions."""
    lines = _Text(layout, layout.conditions, lanes, cpu.has_fma, True)
    return _function("watch", "constants.watch", lines, lanes, cpu)


def _function(name: str, constants: str, block_text: _Text, lanes: int, cpu: Cpu) -> str:
    body = "\n  ".join(block_text.lines)
    head = f"define internal void @vv.{name}(ptr noalias %buffer) noinline alignstack({8 * lanes})"
    return in_memory(f"{head} {{\n  {body}\n  ret void\n}}", f"@vv.{constants}", lanes, cpu)


class _Text:
    """The lines of a block, written one after the other."""

    def __init__(self, layout: Layout, span: range, lanes: int, has_fma: bool, keeps: bool) -> None:
        self.layout, self.code, self.lanes = layout, layout.code, lanes
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
        sums = _fused(layout, span) if has_fma else {}
        self.stored = layout.slots.keys() | (layout.condition_slots.keys() if keeps else set())
        inside = set(sums.values()) - self.stored
        for i in span:
            value = self.first + i
            if self.code[i][0] == CONSTANT or value in inside:
                continue
            if value in sums:
                self._multiply_add(value, sums[value])
            else:
                self._operation(value)
            self._stored(value)

    def constant_results(self) -> None:
        """Results that no instruction computes."""
        for value, k in self.layout.results.items():
            if self.code[value - self.first][0] == CONSTANT:
                self._store(value, self.first + k, "o")

    def hand_on(self, handed_on: Sequence[tuple[int, int]]) -> None:
        """Values to places; all are read before any is overwritten."""
        for value, _ in handed_on:
            self._operand(value)
        for value, place in handed_on:
            self._store(value, place, "h")

    def _operation(self, value: int) -> None:
        op, *args = self.code[value - self.first]
        cell = OPS[op].llvm
        pair = self._sincos(args[0]) if "{sincos}" in cell else ""
        arguments = [self._operand(x) for x in args]
        self.lines.append(cell.format(*arguments, r=f"%v{value}", sincos=pair, **self.names))

    def _multiply_add(self, value: int, product: int) -> None:
        """a b + c, a b - c or c - a b with one rounding."""
        op, *terms = self.code[value - self.first]
        position = terms.index(product)
        _, *factors = self.code[product - self.first]
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
        if value in self.stored:
            self._store(value, self.layout.slot(value), "s")

    def _operand(self, value: int) -> str:
        if value not in self.have:
            if value >= self.first and self.code[value - self.first][0] == CONSTANT:
                return splat(self.code[value - self.first][1])
            position_of = self.layout.place if self._is_port(value) else self.layout.slot
            position = position_of(value)
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


def _fused(layout: Layout, span: range) -> dict[int, int]:
    """Sums and differences of a block, each with the product that is part of it.

    It is used nowhere else and belongs to the same block; of two such, the one that comes later.
    """
    code, first, uses = layout.code, layout.program.arguments, layout.uses

    def alone(value: int) -> bool:
        i = value - first
        return i in span and code[i][0] == "mul" and uses[value] == 1

    found = {}
    for i in span:
        op, *terms = code[i]
        products = [x for x in terms if alone(x)] if op in ("add", "sub") else ()
        if products:
            found[first + i] = max(products)
    return found
