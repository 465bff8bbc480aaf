"""Constants of a function as whole vectors in memory, where that is faster."""

from __future__ import annotations

import re

from visviva.machine.code.cpu import Cpu

SPLAT = re.compile(r"splat \(double \w+\)")


def in_memory(text: str, table: str, lanes: int, cpu: Cpu) -> str:
    """One function, with its constants as whole vectors in a table before it if that is faster.

    All are needed in its first block. LLVM would load a number and spread it, an instruction and a
    register for each use; a vector in memory is part of the instruction that needs it. That they
    never change is none of its business.
    """
    if not cpu.spreads_constants:
        return text
    T, places = f"<{lanes} x double>", dict[str, str]()
    lines = []
    for line in text.split("\n"):
        for constant in SPLAT.findall(line):
            if constant not in places:
                at = f"getelementptr ({T}, ptr {table}, i64 {len(places)})"
                register = places[constant] = f"%constant{len(places)}"
                load = f"load {T}, ptr {at}, align {8 * lanes}, !invariant.load !{{}}"
                lines.append(f"  {register} = {load}")
            line = line.replace(constant, places[constant])
        lines.append(line)
    if not places:
        return text
    vectors = ", ".join(f"{T} {constant}" for constant in places)
    kind = f"internal externally_initialized global [{len(places)} x {T}]"
    return "\n".join([f"{table} = {kind} [{vectors}], align {8 * lanes}", *lines])
