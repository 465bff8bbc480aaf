"""A program as LLVM text: one vector instruction per operation, lanes across the batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from visviva.algebra.expr import CONSTANT
from visviva.algebra.ops import OPS
from visviva.machine.code import imports
from visviva.machine.code.batch import Batch
from visviva.machine.code.block import block, conditions_block
from visviva.machine.code.cpu import Cpu
from visviva.machine.code.driver import Driver, kernel_prefix
from visviva.machine.code.elementary.definitions import definitions
from visviva.machine.code.entry import Entry
from visviva.machine.program.blocks import Layout
from visviva.machine.program.program import Program

BLOCKS = 2  # of a large program in a module: LLVM hears no Ctrl-C before a module is done
BETWEEN = "\n;\n"  # blocks
DRIVERS: tuple[Driver, ...] = (Batch(), Entry())  # of every module


def module_text(layout: Layout, cpu: Cpu, drivers: Sequence[Driver] = DRIVERS) -> str:
    """The whole program as one module, for reading: a kernel, the functions it calls, drivers."""
    functions = _Functions(layout, cpu, drivers)
    return "\n".join(_parts(layout, cpu, drivers, "internal", functions.all))


def module_texts(layout: Layout, cpu: Cpu, drivers: Sequence[Driver] = DRIVERS) -> list[str]:
    """The modules that are compiled: one, or of a large program several that call each other.

    They call what `function_texts` define.
    """
    functions = _Functions(layout, cpu, drivers)
    if len(layout.blocks) <= BLOCKS:
        return ["\n".join(_parts(layout, cpu, drivers, "internal", functions.inlined))]
    blocks, *rest = _parts(layout, cpu, drivers, "hidden", functions.inlined)
    whole = blocks.split(BETWEEN)
    groups = [BETWEEN.join(whole[k : k + BLOCKS]) for k in range(0, len(whole), BLOCKS)]
    main = "\n".join(rest)
    return [main + _declared(blocks), *(group + _declared(main) for group in groups)]


def function_texts(layout: Layout, cpu: Cpu, drivers: Sequence[Driver] = DRIVERS) -> list[str]:
    """Modules of one function each: all programs that call it have the same."""
    functions = _Functions(layout, cpu, drivers)
    return [
        _renamed(imports.DECLARATION + text, width, cpu.lanes)
        for width in (cpu.lanes, *_others(layout, cpu, drivers))
        for text in functions.apart(width)
    ]


@dataclass(frozen=True)
class _Functions:
    """What blocks and drivers call: elementary functions, and some that drivers bring along."""

    layout: Layout
    cpu: Cpu
    drivers: Sequence[Driver]

    def all(self, lanes: int) -> str:
        """Definitions of all, for the module of those who call them."""
        names, inlines = self._names
        return "\n".join([definitions(names, lanes, self.cpu, inlines), *self._brought(lanes)])

    def inlined(self, lanes: int) -> str:
        """Definitions of those that become part of the blocks, declarations of the others."""
        names, inlines = self._names
        here = definitions(names & {"sincos"}, lanes, self.cpu, inlines) if inlines else ""
        return here + "".join(map(_declared, self.apart(lanes)))

    def apart(self, lanes: int) -> list[str]:
        """The others, one by one; what they call themselves is theirs."""
        names, inlines = self._names
        others = sorted(names - {"sincos"} if inlines else names)
        texts = [definitions({name}, lanes, self.cpu) for name in others]
        return [
            text.replace("define internal", "define hidden", 1)
            for text in (*texts, *self._brought(lanes))
        ]

    @property
    def _names(self) -> tuple[set[str], bool]:
        """The elementary functions, and whether sines and cosines are inlined."""
        inlines = any(driver.inlines(self.layout) for driver in self.drivers)
        return _called(self.layout.program), inlines

    def _brought(self, lanes: int) -> list[str]:
        """By drivers; they move as many lanes as the machine has."""
        if lanes != self.cpu.lanes:
            return []
        return [text for driver in self.drivers for text in driver.functions(lanes)]


def _parts(
    layout: Layout,
    cpu: Cpu,
    drivers: Sequence[Driver],
    linkage: str,
    functions: Callable[[int], str],
) -> list[str]:
    """The kernel's blocks, and everything else."""
    lanes = cpu.lanes
    blocks = _blocks(layout, lanes, cpu, drivers)
    called = functions(lanes)
    first, second = (x.replace("define internal", f"define {linkage}") for x in (blocks, called))
    narrow = [
        _renamed(_blocks(layout, width, cpu, drivers) + functions(width), width, lanes)
        for width in _others(layout, cpu, drivers)
    ]
    texts = [driver.text(layout, lanes) for driver in drivers]
    return [first, imports.DEFINITIONS, second, *narrow, *texts]


def _blocks(layout: Layout, lanes: int, cpu: Cpu, drivers: Sequence[Driver]) -> str:
    """The program itself."""
    handed_on = [x for driver in drivers for x in driver.handed_on(layout)]
    condition_drivers = [
        x for x in drivers if x.asks_conditions and x.kernel_lanes(layout, cpu.lanes) == lanes
    ]
    keeps = bool(layout.conditions and condition_drivers)
    texts = [block(layout, b, lanes, cpu, handed_on, keeps) for b, _ in enumerate(layout.blocks)]
    if keeps:
        texts.append(conditions_block(layout, lanes, cpu))
    return BETWEEN.join(texts)


def _others(layout: Layout, cpu: Cpu, drivers: Sequence[Driver]) -> list[int]:
    """The widths that drivers want besides the batch's."""
    return sorted({driver.kernel_lanes(layout, cpu.lanes) for driver in drivers} - {cpu.lanes})


def _renamed(text: str, width: int, lanes: int) -> str:
    """With the names of a kernel of that width."""
    return re.sub(r"@vv\.(?!table)", f"@{kernel_prefix(width, lanes)}.", text)


def _declared(text: str) -> str:
    """Declarations of what another module defines, or declares itself."""
    heads = re.findall(r"^(?:define|declare) hidden (.*?) (@vv\.[\w.]+)\((.*?)\)", text, re.M)
    lines = []
    for result, name, parameters in heads:
        kinds = re.sub(r" (noalias )?%\w+", "", parameters)
        lines.append(f"declare hidden {result} {name}({kinds})")
    return "\n" + "\n".join(lines) + "\n"


def _called(program: Program) -> set[str]:
    """The functions of our runtime that a program calls."""
    used = {op for op, *_ in program.code + program.further} - {CONSTANT}
    names = {name for op in used for name in OPS[op].calls}
    return names | {"sincos"} if used & {"sin", "cos"} else names
