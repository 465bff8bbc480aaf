"""A program as LLVM text: one vector instruction per operation, lanes across the batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from visviva.algebra.ops import OPS
from visviva.machine.code import imports
from visviva.machine.code.batch import Batch
from visviva.machine.code.block import block
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
    defined = _Defined(_called(layout.program), cpu, _inlined(layout, drivers))
    return "\n".join(_parts(layout, cpu, drivers, "internal", defined.all))


def module_texts(layout: Layout, cpu: Cpu, drivers: Sequence[Driver] = DRIVERS) -> list[str]:
    """The modules that are compiled: one, or of a large program several that call each other.

    They call the functions of `function_texts`.
    """
    defined = _Defined(_called(layout.program), cpu, _inlined(layout, drivers))
    if len(layout.blocks) <= BLOCKS:
        return ["\n".join(_parts(layout, cpu, drivers, "internal", defined.inlined))]
    blocks, *rest = _parts(layout, cpu, drivers, "hidden", defined.inlined)
    whole = blocks.split(BETWEEN)
    groups = [BETWEEN.join(whole[k : k + BLOCKS]) for k in range(0, len(whole), BLOCKS)]
    main = "\n".join(rest)
    return [main + _declared(blocks), *(group + _declared(main) for group in groups)]


def function_texts(layout: Layout, cpu: Cpu, drivers: Sequence[Driver] = DRIVERS) -> list[str]:
    """Elementary functions as modules of their own: all programs that call one have the same."""
    defined = _Defined(_called(layout.program), cpu, _inlined(layout, drivers))
    return [
        _renamed(imports.DECLARATION + text, width, cpu.lanes)
        for width in (cpu.lanes, *_others(layout, cpu, drivers))
        for text in defined.apart(width)
    ]


@dataclass(frozen=True)
class _Defined:
    """The functions that a program calls, and where they are defined."""

    names: set[str]
    cpu: Cpu
    in_place: bool  # sines and cosines become part of the blocks

    def all(self, lanes: int) -> str:
        """All of them, in the module of those who call them."""
        return definitions(self.names, lanes, self.cpu, self.in_place)

    def inlined(self, lanes: int) -> str:
        """Those that must be there, and declarations of the others."""
        here = definitions(self.names - self._outside(), lanes, self.cpu, self.in_place)
        return here + "".join(map(_declared, self.apart(lanes)))

    def apart(self, lanes: int) -> list[str]:
        """The others, one by one."""
        return [
            re.sub(
                rf"^define internal (.* @vv\.{name}\()",
                r"define hidden \1",
                definitions({name}, lanes, self.cpu),
                flags=re.M,
            )
            for name in sorted(self._outside())
        ]

    def _outside(self) -> set[str]:
        return self.names - {"sincos"} if self.in_place else self.names


def _parts(
    layout: Layout,
    cpu: Cpu,
    drivers: Sequence[Driver],
    linkage: str,
    functions: Callable[[int], str],
) -> list[str]:
    """The kernel's blocks, and everything else."""
    lanes = cpu.lanes

    def kernel(width: int, linkage: str) -> tuple[str, str]:
        """The program's blocks, and the functions they call."""
        handed_on = [x for driver in drivers for x in driver.handed_on(layout)]
        blocks = [block(layout, b, width, cpu, handed_on) for b, _ in enumerate(layout.blocks)]
        texts = (BETWEEN.join(blocks), functions(width))
        first, second = (text.replace("define internal", f"define {linkage}") for text in texts)
        return first, second

    blocks, called = kernel(lanes, linkage)
    narrow = [
        _renamed("".join(kernel(width, "internal")), width, lanes)
        for width in _others(layout, cpu, drivers)
    ]
    texts = [driver.text(layout, lanes) for driver in drivers]
    return [blocks, imports.DEFINITIONS, called, *narrow, *texts]


def _others(layout: Layout, cpu: Cpu, drivers: Sequence[Driver]) -> list[int]:
    """The widths that drivers want besides the batch's."""
    return sorted({driver.kernel_lanes(layout, cpu.lanes) for driver in drivers} - {cpu.lanes})


def _renamed(text: str, width: int, lanes: int) -> str:
    """With the names of a kernel of that width."""
    return re.sub(r"@vv\.(?!table)", f"@{kernel_prefix(width, lanes)}.", text)


def _inlined(layout: Layout, drivers: Sequence[Driver]) -> bool:
    return any(driver.inlines(layout) for driver in drivers)


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
    used = set(program.operations)
    names = {op for op in used if f"@vv.{op}(" in OPS[op].llvm}
    return names | {"sincos"} if used & {"sin", "cos"} else names
