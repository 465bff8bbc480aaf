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
QUICK = 5000  # operations from which a program first runs in code that is compiled quickly
QUICK_LEVEL = 0  # of optimisation, as the code generator of LLVM counts: 0 to 3


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
        """Compute all rows of inputs, then outputs, each (rows, size) of float64 with any strides.

        Returns zero, or another number where a quaternion of some row is off unit length.
        """
        if not self.rows_at_once:
            return 0
        share = max(self.rows_at_once // SHARES, 1)
        parts = min(threads, rows // share)
        step = share if parts > 1 else self.rows_at_once
        firsts = iter(range(0, rows, step))  # threads share it: each takes the next block of rows
        flags, stop = [0], list[bool]()

        def work() -> None:
            flags.append(self._run_blocks(arrays, firsts, step, rows, stop))

        run_shared(work, max(parts, 1), stop)
        return reduce(operator.or_, flags)

    def _run_blocks(
        self,
        arrays: Sequence[np.ndarray],
        firsts: Iterator[int],
        step: int,
        rows: int,
        stop: Sequence[bool],
    ) -> int:
        """Blocks of rows, as long as there are any, with a work buffer of this thread."""
        strides = [x.strides for x in arrays]
        starts = [address(x) for x in arrays]
        table: Any = (ctypes.c_int64 * (3 * len(arrays)))()
        table[1::3], table[2::3] = ([x[axis] for x in strides] for axis in (0, 1))
        space = np.empty(self.buffer_bytes + ALIGNMENT, dtype=np.uint8)
        aligned = -(-address(space) // ALIGNMENT) * ALIGNMENT
        batch, flags = self.code.call(Batch.symbol), 0
        for first in firsts:
            table[::3] = [x + first * down for x, (down, _) in zip(starts, strides, strict=True)]
            flags |= batch(min(step, rows - first), ctypes.addressof(table), aligned)
            if stop:
                break
        return flags


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
    entry_on_disk = cache.read(name)
    if entry_on_disk is None:
        return None
    try:
        kernel = load_kernel(*entry_on_disk, start, from_cache=True, drivers=drivers)
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

    A large program runs soonest in code that is compiled without optimisation, which computes the
    same bits more slowly. With `replace` that code is returned at once, while a thread compiles the
    optimised code and hands it to `replace`; the optimised code alone is kept on disk.
    """
    if replace is None or len(program.code) < QUICK or jit.LEVEL == QUICK_LEVEL:
        return _compile_kernel(program, name, drivers, jit.LEVEL)
    quick = _compile_kernel(program, None, drivers, QUICK_LEVEL)
    level = jit.LEVEL  # of now: it may be another when the thread begins
    seconds = quick.seconds  # alone: a thread that held `quick` would keep code that nobody uses

    def optimise() -> None:
        kernel = _compile_kernel(program, name, drivers, level)
        replace(kernel._replace(seconds=seconds))  # the caller waited for the quick one only

    run_beside(optimise)
    return quick


def _compile_kernel(
    program: Program, name: str | None, drivers: Sequence[Driver], level: int
) -> Kernel:
    start = time.perf_counter()
    description, code = compile_program(program, host(), drivers, level)
    kernel = load_kernel(description, code, start, from_cache=False, drivers=drivers)
    if name is not None:
        cache.write(name, description, code)
    return kernel


def compile_program(
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
    with _show_progress(program):
        code = object_code(module_text(layout, cpu, drivers), cpu, "jitdefault", level)
    return {**description, "object_bytes": len(code)}, code


def _symbols(drivers: Sequence[Driver]) -> tuple[str, ...]:
    """What must be known of an image: where the drivers stand, and the pointer to the imports."""
    return (*(driver.symbol for driver in drivers), "vv.table")


def _objects(layout: Layout, cpu: Cpu, drivers: Sequence[Driver], level: int | None) -> list[bytes]:
    """Object after object: each takes a moment only, so that Ctrl-C is heard in between."""
    texts, objects = module_texts(layout, cpu, drivers), []
    with _show_progress(layout.program, len(texts)) as at:
        for text in texts:
            at.step()
            objects.append(object_code(text, cpu, "small", level))
    return objects + [function_object(text, cpu) for text in function_texts(layout, cpu, drivers)]


@lru_cache(maxsize=64)  # some dozen functions, in two widths at most
def function_object(text: str, cpu: Cpu) -> bytes:
    """What many programs call is compiled once, and kept on disk."""
    name = cache.name_of("function", f"{cpu}\n{text}")
    entry_on_disk = cache.read(name)
    if entry_on_disk is not None:
        return entry_on_disk[1]
    code = object_code(text, cpu, "small")
    cache.write(name, {}, code)
    return code


def _show_progress(program: Program, modules: int = 0) -> AbstractContextManager[Progress]:
    """A progress bar, if compiling may take long."""
    what = f"compiling {len(program.code)} operations"
    long = len(program.code) > LARGEST
    return progress(what, modules) if long else nullcontext(Progress(what))


def load_kernel(
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
