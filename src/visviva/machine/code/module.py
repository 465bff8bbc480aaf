"""A program as LLVM text: one vector instruction per operation, lanes across the batch."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    return "\n".join(_parts(layout, cpu, drivers, "internal"))


def module_texts(layout: Layout, cpu: Cpu, drivers: Sequence[Driver] = DRIVERS) -> list[str]:
    """The modules that are compiled: one, or of a large program several that call each other."""
    if len(layout.blocks) <= BLOCKS:
        return [module_text(layout, cpu, drivers)]
    blocks, *rest = _parts(layout, cpu, drivers, "hidden")
    whole = blocks.split(BETWEEN)
    groups = [BETWEEN.join(whole[k : k + BLOCKS]) for k in range(0, len(whole), BLOCKS)]
    main = "\n".join(rest)
    return [main + _declared(blocks), *(group + _declared(main) for group in groups)]


def _parts(layout: Layout, cpu: Cpu, drivers: Sequence[Driver], linkage: str) -> list[str]:
    """The kernel's blocks, and everything else."""
    lanes = cpu.lanes
    blocks, functions = _kernel(layout, lanes, cpu, drivers, linkage)
    others = sorted({driver.kernel_lanes(layout, lanes) for driver in drivers} - {lanes})
    narrow = [
        re.sub(
            r"@vv\.(?!table)",
            f"@{kernel_prefix(width, lanes)}.",
            "".join(_kernel(layout, width, cpu, drivers)),
        )
        for width in others
    ]
    texts = [driver.text(layout, lanes) for driver in drivers]
    return [blocks, imports.DEFINITIONS, functions, *narrow, *texts]


def _kernel(
    layout: Layout, lanes: int, cpu: Cpu, drivers: Sequence[Driver], linkage: str = "internal"
) -> tuple[str, str]:
    """The program's blocks, and the functions they call."""
    handed_on = [x for driver in drivers for x in driver.handed_on(layout)]
    blocks = [block(layout, b, lanes, cpu, handed_on) for b, _ in enumerate(layout.blocks)]
    inlined = any(driver.inlines(layout) for driver in drivers)
    functions = definitions(_called(layout.program), lanes, cpu, inlined)
    texts = (BETWEEN.join(blocks), functions)
    first, second = (text.replace("define internal", f"define {linkage}") for text in texts)
    return first, second


def _declared(text: str) -> str:
    """Declarations of what another module defines."""
    heads = re.findall(r"^define hidden (.*?) (@vv\.[\w.]+)\((.*?)\)", text, re.M)
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
