"""C functions around the kernel, as LLVM text, for callers that have only their address.

ctypes, numba and SciPy call them so. They take pointers to contiguous doubles, check nothing, and
need no lock of the interpreter.
"""

from __future__ import annotations

from collections.abc import Sequence

from visviva.machine.code import imports
from visviva.machine.code.driver import Driver, block_calls, kernel_prefix
from visviva.machine.code.entry import STACK_BYTES, move_row, single_lanes, stack_buffer
from visviva.machine.code.lanes import loop
from visviva.machine.program.blocks import Layout
from visviva.machine.program.program import Port

NAN = "0x7FF8000000000000"


class Pointers(Driver):
    """`void f(const double *input, ..., double *output, ...)`, one evaluation.

    All inputs are read before a result is written: an output may be an input. Results are nan where
    there is no memory to work in.
    """

    symbol = "vv.pointers"

    def kernel_lanes(self, layout: Layout, lanes: int) -> int:
        """As many as other calls of one evaluation have."""
        return single_lanes(layout, lanes)

    def text(self, layout: Layout, lanes: int) -> str:
        """Inputs into the work buffer, the kernel, results out of it."""
        inputs, outputs = layout.program.inputs, layout.program.outputs
        width = self.kernel_lanes(layout, lanes)
        sources, results = iter(range(layout.program.arguments)), iter(layout.places)
        lines = [
            move_row("gather", f"%in{k}", k, port, sources, width) for k, port in enumerate(inputs)
        ]
        lines += block_calls(layout, kernel_prefix(width, lanes))
        lines += [
            move_row("scatter", f"%out{k}", len(inputs) + k, port, results, width)
            for k, port in enumerate(outputs)
        ]
        ins = [f"ptr %in{k}" for k, _ in enumerate(inputs)]
        outs = [f"ptr %out{k}" for k, _ in enumerate(outputs)]
        size = layout.vectors * width * 8
        acquire, release = (
            stack_buffer("", size) if size <= STACK_BYTES else _heap_buffer(size, outputs)
        )
        return f"""
define void @vv.pointers({", ".join(ins + outs)}) {{
  {acquire}
  {chr(10).join(lines)}
  {release}
  ret void
}}"""


class Integrand(Driver):
    """`double f(int n, double *x)`: one result, of the n numbers of all inputs, one after another.

    It is nan where n is another number. It calls the function of `Pointers`.
    """

    symbol = "vv.integrand"

    def text(self, layout: Layout, lanes: int) -> str:
        """The addresses of all inputs in x, and a call of that function."""
        lines, first = [], 0
        for k, port in enumerate(layout.program.inputs):
            lines.append(f"%in{k} = getelementptr double, ptr %x, i64 {first}")
            first += port.size
        addresses = "".join(f"ptr %in{k}, " for k, _ in enumerate(layout.program.inputs))
        return f"""
define double @vv.integrand(i32 %n, ptr %x) {{
  %fits = icmp eq i32 %n, {first}
  br i1 %fits, label %run, label %misfit
run:
  %result = alloca double
  {chr(10).join(lines)}
  call void @vv.pointers({addresses}ptr %result)
  %number = load double, ptr %result
  ret double %number
misfit:
  ret double {NAN}
}}"""


def _heap_buffer(size: int, outputs: Sequence[Port]) -> tuple[str, str]:
    """Text that gets an aligned %buffer, or writes nan and returns; and text that frees it."""
    nans = [  # by loops, since memset would be a call of the C library
        loop(
            f"nan{k}",
            str(port.size),
            f"%nan{k}.at = getelementptr double, ptr %out{k}, i64 %nan{k}\n"
            f"  store double {NAN}, ptr %nan{k}.at",
        )
        for k, port in enumerate(outputs)
    ]
    acquire = f"""{imports.load("PyMem_RawMalloc", "%malloc")}
  %memory = call ptr %malloc(i64 {size + 64})
  %memory.null = icmp eq ptr %memory, null
  br i1 %memory.null, label %nomemory, label %memory.ok
nomemory:
  {chr(10).join(nans)}
  ret void
memory.ok:
  %memory.up = getelementptr i8, ptr %memory, i64 63
  %buffer = call ptr @llvm.ptrmask.p0.i64(ptr %memory.up, i64 -64)"""
    release = f"""{imports.load("PyMem_RawFree", "%free")}
  call void %free(ptr %memory)"""
    return acquire, release
