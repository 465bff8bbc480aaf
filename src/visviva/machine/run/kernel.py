"""A program in memory as machine code, ready to run over rows."""

from __future__ import annotations

import ctypes
import operator
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np

from visviva.machine.code.batch import SHARES, Batch, buffer_bytes, rows_at_once
from visviva.machine.code.cpu import Cpu, host
from visviva.machine.code.driver import Driver
from visviva.machine.code.entry import DATA
from visviva.machine.code.module import DRIVERS, function_texts, module_text, module_texts
from visviva.machine.program.blocks import LARGEST, Layout, split
from visviva.machine.program.program import Operations, Port, Program
from visviva.machine.run import cache, entry, jit, memory
from visviva.machine.run.image import Unlinkable, linked
from visviva.machine.run.jit import object_code
from visviva.machine.run.sharing import run_beside, run_shared
from visviva.progress import Progress, progress

ALIGNMENT = 64
QUICK = 5000  # instructions from which a program is compiled quickly first
QUICK_LEVEL = 0  # of the code generator


class Kernel(NamedTuple):
    """Code in memory and its signature; whoever holds this tuple can call the code."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    operations: Operations
    buffer_bytes: int
    rows_at_once: int  # between two looks at what interrupts; 0 if there is nothing to compute
    code: memory.Code
    seconds: float  # what building or loading took
    from_cache: bool

    def run(self, arrays: Sequence[np.ndarray], rows: int, threads: int = 1) -> int:
        """Inputs, then outputs, each (rows, size) of float64 with any strides.

        What it gives is not zero if a quaternion of a row is off unit length.
        """
        if not self.rows_at_once:
            return 0
        share = max(self.rows_at_once // SHARES, 1)
        parts = min(threads, rows // share)
        step = share if parts > 1 else self.rows_at_once
        firsts = iter(range(0, rows, step))  # whoever is next takes one
        odd, stop = [0], list[bool]()

        def work() -> None:
            odd.append(self._run_steps(arrays, firsts, step, rows, stop))

        run_shared(work, max(parts, 1), stop)
        return reduce(operator.or_, odd)

    def _run_steps(
        self,
        arrays: Sequence[np.ndarray],
        firsts: Iterator[int],
        step: int,
        rows: int,
        stop: Sequence[bool],
    ) -> int:
        strides = [x.strides for x in arrays]
        starts = [address(x) for x in arrays]
        table: Any = (ctypes.c_int64 * (3 * len(arrays)))()
        table[1::3], table[2::3] = ([x[axis] for x in strides] for axis in (0, 1))
        space = np.empty(self.buffer_bytes + ALIGNMENT, dtype=np.uint8)
        aligned = -(-address(space) // ALIGNMENT) * ALIGNMENT
        batch, odd = self.code.call(Batch.symbol), 0
        for first in firsts:
            table[::3] = [x + first * down for x, (down, _) in zip(starts, strides, strict=True)]
            odd |= batch(min(step, rows - first), ctypes.addressof(table), aligned)
            if stop:
                break
        return odd


def address(x: np.ndarray) -> int:
    """Where the numbers of an array stand."""
    if entry.available():  # the layout of arrays is known, and reading it is four times as fast
        return ctypes.c_int64.from_address(id(x) + DATA).value
    return int(x.__array_interface__["data"][0])


def cached_kernel(
    name: str | None, inputs: tuple[Port, ...], drivers: Sequence[Driver] = DRIVERS
) -> Kernel | None:
    """The kernel that the disk cache keeps under a name, if it takes these inputs."""
    start = time.perf_counter()
    kept = cache.read(name)
    if kept is None:
        return None
    try:
        kernel = loaded(*kept, start, from_cache=True, drivers=drivers)
    except (KeyError, TypeError, ValueError, AttributeError):  # as if it were not there
        return None
    return kernel if kernel.inputs == inputs else None


def new_kernel(
    program: Program,
    name: str | None,
    drivers: Sequence[Driver] = DRIVERS,
    replace: Callable[[Kernel], object] | None = None,
) -> Kernel:
    """The kernel of a program, compiled for this machine, and kept on disk under a name.

    Of a large program, if it may be replaced later, it is the quickly compiled code: the same bits,
    more slowly. The better code is compiled beside, handed to `replace`, and it alone is kept.
    """
    if replace is None or len(program.code) < QUICK or jit.LEVEL == QUICK_LEVEL:
        return _compiled_kernel(program, name, drivers, jit.LEVEL)
    quick = _compiled_kernel(program, None, drivers, QUICK_LEVEL)

    level, seconds = jit.LEVEL, quick.seconds

    def improve() -> None:
        better = _compiled_kernel(program, name, drivers, level)
        replace(better._replace(seconds=seconds))

    run_beside(improve)
    return quick


def _compiled_kernel(
    program: Program, name: str | None, drivers: Sequence[Driver], level: int
) -> Kernel:
    start = time.perf_counter()
    description, code = compiled(program, host(), drivers, level)
    kernel = loaded(description, code, start, from_cache=False, drivers=drivers)
    if name is not None:
        cache.write(name, description, code)
    return kernel


def compiled(
    program: Program, cpu: Cpu, drivers: Sequence[Driver] = DRIVERS, level: int | None = None
) -> tuple[dict[str, Any], bytes]:
    """Machine code for a processor, and what must be known to run it."""
    layout = split(program)
    description: dict[str, Any] = {
        "inputs": [[port.name, port.shape, port.units] for port in program.inputs],
        "outputs": [[port.name, port.shape, port.units] for port in program.outputs],
        "operations": dict(program.operations),
        "buffer_bytes": buffer_bytes(layout, cpu.lanes),
        "rows_at_once": rows_at_once(layout, cpu.lanes),
    }
    if cpu.has_images:
        with suppress(Unlinkable):
            image, places = linked(_objects(layout, cpu, drivers, level))
            return {**description, "places": {k: places[k] for k in _symbols(drivers)}}, image
    with _said(program):
        code = object_code(module_text(layout, cpu, drivers), cpu, "jitdefault", level)
    return {**description, "object_bytes": len(code)}, code


def _symbols(drivers: Sequence[Driver]) -> tuple[str, ...]:
    """What must be known of an image: where the drivers stand, and the pointer to the imports."""
    return (*(driver.symbol for driver in drivers), "vv.table")


def _objects(layout: Layout, cpu: Cpu, drivers: Sequence[Driver], level: int | None) -> list[bytes]:
    """Object after object: each takes a moment only, so that Ctrl-C is heard in between."""
    texts, objects = module_texts(layout, cpu, drivers), []
    with _said(layout.program, len(texts)) as at:
        for text in texts:
            at.step()
            objects.append(object_code(text, cpu, "small", level))
    return objects + [function_object(text, cpu) for text in function_texts(layout, cpu, drivers)]


@lru_cache(maxsize=64)  # some dozen functions, in two widths at most
def function_object(text: str, cpu: Cpu) -> bytes:
    """What many programs call is compiled once, and kept on disk."""
    name = cache.name_of("function", f"{cpu}\n{text}")
    kept = cache.read(name)
    if kept is not None:
        return kept[1]
    code = object_code(text, cpu, "small")
    cache.write(name, {}, code)
    return code


def _said(program: Program, modules: int = 0) -> AbstractContextManager[Progress]:
    """What is being done, if it may take long."""
    what = f"compiling {len(program.code)} operations"
    long = len(program.code) > LARGEST
    return progress(what, modules) if long else nullcontext(Progress(what))


def loaded(
    description: dict[str, Any],
    code: bytes,
    start: float,
    from_cache: bool,
    drivers: Sequence[Driver] = DRIVERS,
) -> Kernel:
    """The kernel, in memory; a description that is none raises KeyError, TypeError, ValueError."""
    inputs, outputs = _ports(description["inputs"]), _ports(description["outputs"])
    operations = Operations({str(k): _whole(n) for k, n in description["operations"].items()})
    sizes = _whole(description["buffer_bytes"]), _whole(description["rows_at_once"])
    if "places" in description:
        places = {
            k: _whole(description["places"][k], 0, len(code) - (8 if k == "vv.table" else 1))
            for k in _symbols(drivers)
        }
        in_memory = memory.placed(code, places, drivers)
    elif description["object_bytes"] == len(code) > 0:
        in_memory = memory.loaded_by_llvm(code, drivers)
    else:
        raise ValueError("the object was cut")
    seconds = time.perf_counter() - start
    return Kernel(inputs, outputs, operations, *sizes, in_memory, seconds, from_cache)


def _ports(listed: Any) -> tuple[Port, ...]:
    ports = tuple(
        Port(name, *(tuple(_whole(n) for n in numbers) for numbers in (shape, units)))
        for name, shape, units in listed
    )
    if not all(isinstance(port.name, str) for port in ports):
        raise TypeError("a port has a name")
    return ports


def _whole(n: Any, least: int = 0, most: int = 2**62) -> int:
    if type(n) is not int or not least <= n <= most:
        raise ValueError(f"expected a whole number from {least} to {most}, got {n!r:.40}")
    return n
