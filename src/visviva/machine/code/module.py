"""A program as LLVM text: one vector instruction per operation, lanes across the batch."""

from __future__ import annotations

import re
from collections.abc import Sequence

from visviva.algebra.expr import CONSTANT
from visviva.algebra.ops import OPS
from visviva.machine.code import imports, vecmath
from visviva.machine.code.batch import Batch
from visviva.machine.code.cpu import Cpu
from visviva.machine.code.driver import Driver, kernel_prefix
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
    blocks, functions = _kernel(layout, lanes, cpu.has_fma, linkage)
    others = sorted({driver.kernel_lanes(layout, lanes) for driver in drivers} - {lanes})
    narrow = [
        re.sub(
            r"@vv\.(?!table)",
            f"@{kernel_prefix(width, lanes)}.",
            "".join(_kernel(layout, width, cpu.has_fma)),
        )
        for width in others
    ]
    texts = [driver.text(layout, lanes) for driver in drivers]
    return [blocks, imports.DEFINITIONS, functions, *narrow, *texts]


def _kernel(
    layout: Layout, lanes: int, has_fma: bool, linkage: str = "internal"
) -> tuple[str, str]:
    """The program's blocks, and the functions they call."""
    blocks = [_block(layout, b, span, lanes) for b, span in enumerate(layout.blocks)]
    functions = vecmath.definitions(_called(layout.program), lanes, has_fma)
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


def _block(layout: Layout, b: int, span: range, lanes: int) -> str:
    """One function over the work buffer: it loads what it needs at first use."""
    program, T = layout.program, f"<{lanes} x double>"
    first = program.arguments
    names = {
        "T": T,
        "I": f"<{lanes} x i1>",
        "suffix": f".v{lanes}f64",
        "one": vecmath.splat(1.0),
        "minus_one": vecmath.splat(-1.0),
    }
    lines: list[str] = []
    have: dict[int, str] = {}
    pairs: dict[int, str] = {}

    def place(position: int, register: str) -> str:
        lines.append(f"{register}.p = getelementptr {T}, ptr %buffer, i64 {position}")
        return f"{T}, ptr {register}.p, align {lanes * 8}"

    def slot(value: int) -> int:
        return first + len(layout.results) + layout.slots[value]

    def operand(value: int) -> str:
        if value not in have:
            if value >= first and program.code[value - first][0] == CONSTANT:
                return vecmath.splat(program.code[value - first][1])
            position = value if value < first else slot(value)
            lines.append(f"%v{value} = load {place(position, f'%v{value}')}")
            have[value] = f"%v{value}"
        return have[value]

    def sincos(value: int) -> str:
        if value not in pairs:
            x = operand(value)
            pairs[value] = f"%pair{value}"
            lines.append(f"%pair{value} = call {{{T}, {T}}} @vv.sincos({T} {x})")
        return pairs[value]

    def store(value: int, position: int, tag: str) -> None:
        x = operand(value)
        destination = place(position, f"%{tag}{position}").removeprefix(f"{T}, ")
        lines.append(f"store {T} {x}, {destination}")

    for i in span:
        op, *args = program.code[i]
        if op == CONSTANT:
            continue
        value, cell = first + i, OPS[op].llvm
        pair = sincos(args[0]) if "{sincos}" in cell else ""
        arguments = [operand(x) for x in args]
        lines.append(cell.format(*arguments, r=f"%v{value}", sincos=pair, **names))
        have[value] = f"%v{value}"
        if value in layout.results:
            store(value, first + layout.results[value], "o")
        if value in layout.slots:
            store(value, slot(value), "s")
    if b == 0:  # results that no instruction computes
        for value, k in layout.results.items():
            if program.code[value - first][0] == CONSTANT:
                store(value, first + k, "o")
    body = "\n  ".join(lines)
    head = f"define internal void @vv.block{b}(ptr noalias %buffer) noinline"
    return f"{head} {{\n  {body}\n  ret void\n}}"
