"""The fast way in, as LLVM text: a METH_FASTCALL function around the kernel.

It reads numpy's array objects through fixed offsets; `entry` makes sure that they are right before
any of this is called.
"""

from __future__ import annotations

from visviva.machine import table
from visviva.machine.batch import buffer_vectors
from visviva.machine.blocks import Layout
from visviva.machine.lanes import loop
from visviva.machine.program import Port, Program

# Offsets of PyObject.ob_type and of the fields of numpy's PyArrayObject, 64 bit
TYPE, DATA, NDIM, SHAPE, DESCR, FLAGS = 8, 16, 24, 32, 56, 64
PLAIN = 0x1 | 0x100  # C contiguous and aligned
STACK_BYTES = 32 * 1024  # larger work buffers come from the heap


def entry_text(program: Program, layout: Layout, lanes: int) -> str:
    """`@vv.entry(self, args, nargs, kwnames)`; `self` is the careful callable."""
    T, inputs = f"<{lanes} x double>", program.inputs
    checks = "\n".join(_check(k, port, k + 1 == len(inputs)) for k, port in enumerate(inputs))
    moves_in, moves_out, start = [], [], 0
    for k, port in enumerate(inputs):
        moves_in.append(_move("spread", f"%data{k}", port, start, lanes))
        start += port.size
    for k, port in enumerate(program.outputs):
        moves_out.append(_field("ptr", f"%out{k}", DATA, f"%result{k}"))
        moves_out.append(_move("pick", f"%result{k}", port, start, lanes))
        start += port.size
    blocks = [f"call void @vv.block{b}(ptr %buffer)" for b, _ in enumerate(layout.blocks)]
    run = "\n  ".join([*moves_in, *blocks, *moves_out])
    acquire, release = _buffer(buffer_vectors(program, layout, lanes) * lanes * 8)
    spread = loop(
        "i",
        "%n",
        f"""%from = getelementptr double, ptr %data, i64 %i
  %x = load double, ptr %from, align 8
  %x0 = insertelement {T} poison, double %x, i64 0
  %xs = shufflevector {T} %x0, {T} poison, <{lanes} x i32> zeroinitializer
  %to = getelementptr {T}, ptr %vectors, i64 %i
  store {T} %xs, ptr %to, align {lanes * 8}""",
    )
    pick = loop(
        "i",
        "%n",
        f"""%from = getelementptr {T}, ptr %vectors, i64 %i
  %x = load double, ptr %from, align 8
  %to = getelementptr double, ptr %data, i64 %i
  store double %x, ptr %to, align 8""",
    )
    return f"""
{_shapes(program)}
define internal void @vv.spread(ptr %data, i64 %n, ptr %vectors) noinline {{
  {spread}
  ret void
}}
define internal void @vv.pick(ptr %data, i64 %n, ptr %vectors) noinline {{
  {pick}
  ret void
}}
define ptr @vv.entry(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) {{
  %positional = icmp eq ptr %kwnames, null
  %all = icmp eq i64 %nargs, {len(inputs)}
  %plain = and i1 %positional, %all
  {table.load("ndarray", "%ndarray")}
  {table.load("float64", "%float64")}
  br i1 %plain, label %{"check0" if inputs else "compute"}, label %careful
{checks}
compute:
  {_outputs(program)}
  {acquire}
  {run}
  {release}
  ret ptr %result
careful:
  {table.load("PyObject_Vectorcall", "%vectorcall")}
  %answer = call ptr %vectorcall(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %answer
abandon:
  {table.load("Py_DecRef", "%decref")}
  call void %decref(ptr %result)
  br label %fail
fail:
  ret ptr null
}}"""


def _field(kind: str, base: str, offset: int, register: str) -> str:
    return f"""{register}.at = getelementptr i8, ptr {base}, i64 {offset}
  {register} = load {kind}, ptr {register}.at"""


def _check(k: int, port: Port, last: bool) -> str:
    """Argument k is a plain float64 array of the port's shape, or off to the careful path."""
    after = "compute" if last else f"check{k + 1}"
    a = f"%a{k}"
    sizes = []
    for d, size in enumerate(port.shape):
        sizes.append(_field("i64", f"{a}.shape", 8 * d, f"{a}.d{d}"))
        sizes.append(f"{a}.d{d}.wrong = xor i64 {a}.d{d}, {size}")
    wrong = "0"
    for d, _ in enumerate(port.shape):
        sizes.append(f"{a}.w{d} = or i64 {wrong}, {a}.d{d}.wrong")
        wrong = f"{a}.w{d}"
    shape = "\n  ".join(sizes)
    return f"""check{k}:
  {a}.at = getelementptr ptr, ptr %args, i64 {k}
  {a} = load ptr, ptr {a}.at
  {_field("ptr", a, TYPE, f"{a}.type")}
  {a}.isarray = icmp eq ptr {a}.type, %ndarray
  br i1 {a}.isarray, label %array{k}, label %careful
array{k}:
  {_field("ptr", a, DESCR, f"{a}.descr")}
  {a}.isfloat = icmp eq ptr {a}.descr, %float64
  {_field("i32", a, NDIM, f"{a}.ndim")}
  {a}.hasdims = icmp eq i32 {a}.ndim, {len(port.shape)}
  {_field("i32", a, FLAGS, f"{a}.flags")}
  {a}.plain = and i32 {a}.flags, {PLAIN}
  {a}.isplain = icmp eq i32 {a}.plain, {PLAIN}
  {a}.ok0 = and i1 {a}.isfloat, {a}.hasdims
  {a}.ok1 = and i1 {a}.ok0, {a}.isplain
  br i1 {a}.ok1, label %shape{k}, label %careful
shape{k}:
  {_field("ptr", a, SHAPE, f"{a}.shape")}
  {_field("ptr", a, DATA, f"%data{k}")}
  {shape}
  {a}.fits = icmp eq i64 {wrong}, 0
  br i1 {a}.fits, label %{after}, label %careful"""


def _shapes(program: Program) -> str:
    lines = []
    for k, port in enumerate(program.outputs):
        sizes = ", ".join(f"i64 {n}" for n in port.shape) or "i64 0"
        count = max(1, len(port.shape))
        lines.append(f"@vv.shape{k} = internal constant [{count} x i64] [{sizes}]")
    return "\n".join(lines)


def _outputs(program: Program) -> str:
    """New arrays %out0, %out1, ...; %result is the one array, or a tuple that owns them all."""
    several = len(program.outputs) != 1
    lines = [table.load("Py_IncRef", "%incref"), table.load("new_array", "%new")]
    if several:
        lines.append(f"""{table.load("PyTuple_New", "%tuple")}
  {table.load("PyTuple_SetItem", "%set")}
  %result = call ptr %tuple(i64 {len(program.outputs)})
  %result.null = icmp eq ptr %result, null
  br i1 %result.null, label %fail, label %new0
new0:""")
    for k, port in enumerate(program.outputs):
        out = f"%out{k}" if several else "%result"
        shape = f"i32 {len(port.shape)}, ptr @vv.shape{k}"
        lines.append(f"""call void %incref(ptr %float64)
  {out} = call ptr %new(ptr %ndarray, ptr %float64, {shape}, ptr null, ptr null, i32 0, ptr null)
  %null{k} = icmp eq ptr {out}, null
  br i1 %null{k}, label %{"abandon" if several else "fail"}, label %new{k + 1}
new{k + 1}:""")
        if several:
            lines.append(f"%set{k} = call i32 %set(ptr %result, i64 {k}, ptr {out})")
        else:
            lines.append("%out0 = getelementptr i8, ptr %result, i64 0")
    return "\n  ".join(lines)


def _buffer(size: int) -> tuple[str, str]:
    """Text that gets an aligned %buffer, and text that gives it back."""
    if size <= STACK_BYTES:
        return f"%buffer = alloca [{size} x i8], align 64", ""
    acquire = f"""{table.load("PyMem_RawMalloc", "%malloc")}
  %memory = call ptr %malloc(i64 {size + 64})
  %memory.null = icmp eq ptr %memory, null
  br i1 %memory.null, label %nomemory, label %memory.ok
nomemory:
  {table.load("PyErr_NoMemory", "%raise")}
  %raised = call ptr %raise()
  br label %abandon
memory.ok:
  %memory.up = getelementptr i8, ptr %memory, i64 63
  %buffer = call ptr @llvm.ptrmask.p0.i64(ptr %memory.up, i64 -64)"""
    return (
        acquire,
        f"""{table.load("PyMem_RawFree", "%free")}
  call void %free(ptr %memory)""",
    )


def _move(function: str, data: str, port: Port, start: int, lanes: int) -> str:
    """Copy a port between an array and its place in the work buffer."""
    vectors = f"{data}.vectors"
    return f"""{vectors} = getelementptr i8, ptr %buffer, i64 {start * lanes * 8}
  call void @vv.{function}(ptr {data}, i64 {port.size}, ptr {vectors})"""
