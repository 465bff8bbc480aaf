"""A program in memory as machine code, ready to run over rows."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from visviva.machine import cache, entry
from visviva.machine.batch import buffer_vectors, tiles
from visviva.machine.blocks import split
from visviva.machine.cpu import Cpu, host
from visviva.machine.entry_code import DATA
from visviva.machine.jit import Loaded, object_code
from visviva.machine.llvm import module_text
from visviva.machine.program import Operations, Port, Program

ALIGNMENT = 64
FEWEST_ROWS = 1024  # per thread; below it a thread costs more than it gives


@dataclass(frozen=True)
class Kernel:
    """Loaded code and its signature."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    operations: Operations
    buffer_bytes: int
    code: Loaded
    batch: Callable[[int, int, int], None]  # (rows, table of arrays, work buffer); frees the GIL
    seconds: float  # what building or loading took
    from_cache: bool

    def run(self, arrays: Sequence[np.ndarray], rows: int, threads: int = 1) -> None:
        """Inputs, then outputs, each (rows, size) of float64 with any strides."""
        parts = max(1, min(threads, rows // FEWEST_ROWS))
        bounds = [rows * k // parts for k in range(parts + 1)]
        if parts == 1:
            self._run_part(arrays, 0, rows)
            return
        # Every part holds the arrays, and leaving the block waits for all parts: an interrupt
        # cannot free what a thread still writes to.
        with ThreadPoolExecutor(parts) as pool:
            running = [pool.submit(self._run_part, arrays, *span) for span in pairwise(bounds)]
            for part in running:
                part.result()

    def _run_part(self, arrays: Sequence[np.ndarray], first: int, last: int) -> None:
        io: list[int] = []
        for x in arrays:
            down, across = x.strides
            io += (_address(x) + first * down, down, across)
        table = (ctypes.c_int64 * len(io))(*io)
        memory = np.empty(self.buffer_bytes + ALIGNMENT, dtype=np.uint8)
        aligned = -(-_address(memory) // ALIGNMENT) * ALIGNMENT
        self.batch(last - first, ctypes.addressof(table), aligned)


def _address(x: np.ndarray) -> int:
    if entry.available():  # the layout of arrays is known, and reading it is four times as fast
        return ctypes.c_int64.from_address(id(x) + DATA).value
    address: int = x.__array_interface__["data"][0]
    return address


def build(trace: Callable[[], Program], key: str | None) -> Kernel:
    """The kernel, from the cache if it is there; with a key that needs no tracing."""
    start = time.perf_counter()
    name = cache.name_of(*(("program", trace().digest) if key is None else ("key", key)))
    found = cache.read(name)
    if found is not None:
        return loaded(*found, start, from_cache=True)
    program = trace()
    start = time.perf_counter()
    description, code = compiled(program, host())
    kernel = loaded(description, code, start, from_cache=False)
    cache.write(name, description, code)
    return kernel


def compiled(program: Program, cpu: Cpu) -> tuple[dict[str, Any], bytes]:
    """Object code for a processor, and what must be known to run it."""
    layout = split(program)
    size = buffer_vectors(program, layout) * tiles(layout) * cpu.lanes * 8
    description = {
        "inputs": [[port.name, port.shape] for port in program.inputs],
        "outputs": [[port.name, port.shape] for port in program.outputs],
        "operations": dict(program.operations),
        "buffer_bytes": size,
    }
    return description, object_code(module_text(program, cpu), cpu)


def loaded(description: dict[str, Any], code: bytes, start: float, from_cache: bool) -> Kernel:
    """The kernel, in memory."""

    def ports(side: str) -> tuple[Port, ...]:
        return tuple(Port(name, tuple(shape)) for name, shape in description[side])

    in_memory = Loaded(code)
    signature = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
    return Kernel(
        ports("inputs"),
        ports("outputs"),
        Operations(description["operations"]),
        description["buffer_bytes"],
        in_memory,
        signature(in_memory.batch),
        time.perf_counter() - start,
        from_cache,
    )
