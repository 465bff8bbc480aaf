"""Large programs in pieces: blocks that compile in linear time and fit the instruction cache.

Values that cross from one block to a later one wait in slots of a scratch array; a slot is used
again when its value is no longer needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from visviva.algebra.expr import CONSTANT
from visviva.machine.program.program import Instruction, Program

LARGEST = 2000  # instructions; compile time per instruction grows beyond, and so does code size
SLACK = 200  # how far a cut may move to find a place that few values cross


@dataclass(frozen=True)
class Layout:
    """A program in blocks: where they begin and end, and where in the work buffer values wait.

    The buffer of a tile, in vectors: inputs | results | slots | those of conditions | one that
    narrow squares overwrite.
    """

    program: Program
    cuts: tuple[int, ...]  # code positions, from 0 to len(code)
    slots: dict[int, int]  # value -> slot
    size: int  # number of slots
    results: dict[int, int]  # value -> its place among the distinct results
    condition_slots: dict[
        int, int
    ]  # value that conditions need, or their least margin -> slot of its own

    def place(self, value: int) -> int:
        """Where in the work buffer a result waits; an input waits where it came in."""
        first = self.program.arguments
        return value if value < first else first + self.results[value]

    @property
    def places(self) -> list[int]:
        """Where every output scalar waits, output after output."""
        return [self.place(value) for value in self.program.results]

    @property
    def vectors(self) -> int:
        """The length of one tile's work buffer; a vector has as many doubles as there are lanes."""
        return (
            self.program.arguments + len(self.results) + self.size + len(self.condition_slots) + 1
        )

    def slot(self, value: int) -> int:
        """Where in the work buffer a value waits that is no result."""
        place = self.condition_slots[value] if value in self.condition_slots else self.slots[value]
        return self.program.arguments + len(self.results) + place

    @property
    def code(self) -> tuple[Instruction, ...]:
        """All instructions: of the results, then of the conditions."""
        return self.program.code + self.program.further

    @property
    def conditions(self) -> range:
        """Positions in that code of what only conditions need."""
        return range(len(self.program.code), len(self.code))

    @property
    def least_margin(self) -> int | None:
        """Where in the work buffer it waits; None without conditions."""
        last = self.program.arguments + len(self.code) - 1
        return self.slot(last) if self.program.further else None

    @cached_property
    def uses(self) -> Counter[int]:
        """How often every value is an argument or a result, of what conditions need themselves.

        Whether anybody asks conditions changes no bit of a result: a product that is part of a sum
        stays that, and is computed once more for them.
        """
        code, first_of_conditions = (
            self.program.code,
            self.program.arguments + len(self.program.code),
        )
        counted = Counter(x for op, *args in code if op != CONSTANT for x in args)
        further = [x for op, *args in self.program.further if op != CONSTANT for x in args]
        counted.update(x for x in further if x >= first_of_conditions)
        counted.update(self.program.results)
        return counted

    @property
    def blocks(self) -> list[range]:
        """Positions in the program's code, block after block."""
        return [range(a, b) for a, b in pairwise(self.cuts)]


def split(program: Program, largest: int = LARGEST, slack: int = SLACK) -> Layout:
    """Blocks of at most `largest` instructions, cut where few values are alive."""
    first = program.arguments
    last = _last_uses(program)
    cuts = _cuts(program, last, largest, slack)
    block_of = [b for b, (i, j) in enumerate(pairwise(cuts)) for _ in range(i, j)]
    slots: dict[int, int] = {}
    free: list[int] = []
    expiring: dict[int, list[int]] = {}
    size = 0
    for i, (op, *_) in enumerate(program.code):
        block = block_of[i]
        if i and block != block_of[i - 1]:
            free.extend(expiring.pop(block - 1, ()))
        value, end = first + i, last[i]
        if op == CONSTANT or end < 0 or block_of[end] == block:
            continue
        if not free:
            free.append(size)
            size += 1
        slots[value] = free.pop()
        expiring.setdefault(block_of[end], []).append(slots[value])
    distinct = dict.fromkeys(value for value in program.results if value >= first)
    results = {value: k for k, value in enumerate(distinct)}
    condition_slots = {
        value: size + k for k, value in enumerate(_condition_values(program, results))
    }
    return Layout(program, tuple(cuts), slots, size, results, condition_slots)


def _condition_values(program: Program, results: Mapping[int, int]) -> list[int]:
    """Values that conditions read, if no port has them, and the least margin."""
    first, code = program.arguments, program.code
    read = {x for op, *args in program.further if op != CONSTANT for x in args}
    inside = [x for x in sorted(read) if first <= x < first + len(code) and x not in results]
    values = [x for x in inside if code[x - first][0] != CONSTANT]
    return [*values, first + len(code) + len(program.further) - 1] if program.further else []


def _last_uses(program: Program) -> list[int]:
    """The last instruction that reads the result of each instruction, or -1."""
    first, last = program.arguments, [-1] * len(program.code)
    for i, (op, *args) in enumerate(program.code):
        if op != CONSTANT:
            for value in args:
                if value >= first:
                    last[value - first] = i
    return last


def _cuts(program: Program, last: list[int], largest: int, slack: int) -> list[int]:
    total = len(program.code)
    crossing = [0] * (total + 1)  # how many values are alive at each position
    for i, end in enumerate(last):
        if end > i and program.code[i][0] != CONSTANT:
            crossing[i + 1] += 1
            crossing[end + 1] -= 1
    for i in range(1, total + 1):
        crossing[i] += crossing[i - 1]
    cuts = [0]
    while total - cuts[-1] > largest:
        window = range(cuts[-1] + largest - min(slack, largest - 1), cuts[-1] + largest + 1)
        cuts.append(min(window, key=lambda i: (crossing[i], -i)))
    return [*cuts, total]
