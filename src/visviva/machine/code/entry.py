"""The fast way in, as LLVM text: a METH_FASTCALL function around the kernel.

It reads numpy's array objects through fixed offsets; `entry` makes sure that they are right before
any of this is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from visviva.machine.code import imports, watch
from visviva.machine.code.batch import buffer_bytes, rows_at_once
from visviva.machine.code.driver import Driver, block_calls, kernel_prefix
from visviva.machine.program.blocks import Layout
from visviva.machine.program.program import Port, Program

# Offsets of PyObject.ob_type and of the fields of numpy's PyArrayObject, 64 bit
TYPE, DATA, NDIM, SHAPE, DESCR, FLAGS = 8, 16, 24, 32, 56, 64
PLAIN_FLAGS = 0x1 | 0x100  # C contiguous and aligned
SHORT_KERNEL = 1500  # instructions up to which single calls get a kernel of their own
UNROLLED = 256  # entries of an array; longer ones are copied by a loop
STACK_BYTES = 32 * 1024  # larger work buffers come from the heap


@dataclass(frozen=True)
class Entry(Driver):
    """`@vv.entry(self, args, nargs, kwnames)`; `self` is the careful callable.

    One row: arguments are checked by kind and shape, `compute` makes the outputs, runs the kernel
    and returns. What is to be asked of a single row's numbers has its place there: of inputs before
    the blocks, of outputs and conditions after `_one_row`. Many rows go through `@vv.batch`, which
    looks at the inputs of each. What is odd is computed again by careful hands, who say why.
    """

    symbol = "vv.entry"
    asks_conditions = True
    is_watched: bool = True  # finite arguments that give nan or infinity go to careful hands

    def kernel_lanes(self, layout: Layout, lanes: int) -> int:
        """How wide the kernel for single calls is: half as wide where the machine has eight lanes.

        One row needs one lane, and such machines do two operations on four lanes in the time of one
        on eight. A second kernel pays for short programs only: it must be compiled too.
        """
        program = layout.program
        sizes = [port.size for port in (*program.inputs, *program.outputs)]
        short = len(program.code) <= SHORT_KERNEL and max(sizes, default=0) <= UNROLLED
        return 4 if lanes == 8 and short else lanes

    def text(self, layout: Layout, lanes: int) -> str:
        """The function: what fits is answered, everything else goes to `self`."""
        program, inputs = layout.program, layout.program.inputs
        first, many = ("check0", "many.check0") if inputs else ("compute", "careful")
        large = any(port.size > UNROLLED for port in program.outputs)
        single = self.kernel_lanes(layout, lanes)
        return f"""
{_shapes(program)}
{watch.SUM if large else ""}
define ptr @vv.entry(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) {{
  %positional = icmp eq ptr %kwnames, null
  %all = icmp eq i64 %nargs, {len(inputs)}
  %plain = and i1 %positional, %all
  {imports.load("ndarray", "%ndarray")}
  {imports.load("float64", "%float64")}
  br i1 %plain, label %{first}, label %careful
{_checks(inputs, "", "compute", many)}
compute:
  {watch.units(inputs)}
  {_outputs(program, "")}
  {_one_row(layout, single, kernel_prefix(single, lanes))}
  {self._checks(layout, single, kernel_prefix(single, lanes))}
  ret ptr %result
odd:
  {imports.load("Py_DecRef", "%odd.decref")}
  call void %odd.decref(ptr %result)
  br label %careful
{_checks(inputs, "many.", "many.compute", "careful")}
{_many_rows(layout, lanes) if inputs else ""}
careful:
  {imports.load("PyObject_Vectorcall", "%vectorcall")}
  %answer = call ptr %vectorcall(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %answer
{_failures("")}
{_failures("many.") if inputs else ""}
}}"""

    def _checks(self, layout: Layout, lanes: int, kernel: str) -> str:
        """Whether the results of one row are finite and its conditions hold."""
        text, is_violated = watch.conditions(layout, lanes, kernel)
        finite = watch.finite(layout.program, UNROLLED) if self.is_watched else ""
        if not text and not finite:
            return ""
        return f"""{finite or "%finite = and i1 true, true"}
  {text}
  %sound.out = select i1 {is_violated}, i1 false, i1 %finite
  br i1 %sound.out, label %good, label %odd
good:"""


def _one_row(layout: Layout, lanes: int, kernel: str) -> str:
    """One evaluation, in a buffer of one tile; too short to let other threads run meanwhile."""
    inputs, outputs = layout.program.inputs, layout.program.outputs
    sources, results = iter(range(layout.program.arguments)), iter(layout.places)
    moves_in = [
        _move("gather", f"%data{k}", k, port, sources, lanes) for k, port in enumerate(inputs)
    ]
    moves_out = [
        f"""{_field("ptr", f"%out{k}", DATA, f"%result{k}")}
  {_move("scatter", f"%result{k}", len(inputs) + k, port, results, lanes)}"""
        for k, port in enumerate(outputs)
    ]
    size = layout.vectors * lanes * 8
    acquire, release = _stack("", size) if size <= STACK_BYTES else _heap("", size)
    return "\n  ".join([acquire, *moves_in, *block_calls(layout, kernel), *moves_out, release])


def _many_rows(layout: Layout, lanes: int) -> str:
    """A batch along one leading axis: the driver runs while other Python threads may.

    After each `rows_at_once` Python's signals are looked at: whoever presses Ctrl-C is heard.
    """
    program, step = layout.program, rows_at_once(layout, lanes)
    ports = (*program.inputs, *program.outputs)
    if not step:
        return f"""many.compute:
  {_outputs(program, "many.")}
  ret ptr %many.result"""
    lines, onward = [f"%many.io = alloca [{3 * len(ports)} x i64], align 8"], []
    for k, port in enumerate(ports):
        output = k - len(program.inputs)
        data = f"%many.data{k}" if output < 0 else f"%many.result{output}"
        if output >= 0:
            lines.append(_field("ptr", f"%many.out{output}", DATA, data))
        entries = (("ptr", data), ("i64", str(8 * port.size)), ("i64", "8"))
        for i, (kind, value) in enumerate(entries):
            lines.append(f"""%many.io{k}.{i} = getelementptr i64, ptr %many.io, i64 {3 * k + i}
  store {kind} {value}, ptr %many.io{k}.{i}""")
        onward.append(f"""%many.here{k} = load ptr, ptr %many.io{k}.0
  %many.there{k} = getelementptr i8, ptr %many.here{k}, i64 {8 * port.size * step}
  store ptr %many.there{k}, ptr %many.io{k}.0""")
    acquire, release_later = _heap("many.", buffer_bytes(layout, lanes))
    release = release_later.replace("%many.free", "%many.free.early")
    body, advance = "\n  ".join(lines), "\n  ".join(onward)
    return f"""many.compute:
  {_outputs(program, "many.")}
  {body}
  {acquire}
  {imports.load("PyEval_SaveThread", "%save")}
  {imports.load("PyEval_RestoreThread", "%restore")}
  {imports.load("PyErr_CheckSignals", "%signals")}
  br label %many.run
many.run:
  %many.left = phi i64 [%many.a0.d0, %many.memory.ok], [%many.rest, %many.onward]
  %many.now = call i64 @llvm.umin.i64(i64 %many.left, i64 {step})
  %thread = call ptr %save()
  %many.odd = call i64 @vv.batch(i64 %many.now, ptr %many.io, ptr %many.buffer)
  call void %restore(ptr %thread)
  %many.refused = icmp ne i64 %many.odd, 0
  br i1 %many.refused, label %many.refuse, label %many.next
many.next:
  %many.rest = sub i64 %many.left, %many.now
  %many.last = icmp eq i64 %many.rest, 0
  br i1 %many.last, label %many.done, label %many.look
many.look:
  %many.signal = call i32 %signals()
  %many.stopped = icmp ne i32 %many.signal, 0
  br i1 %many.stopped, label %many.done, label %many.onward
many.onward:
  {advance}
  br label %many.run
many.refuse:
  {release}
  {imports.load("Py_DecRef", "%many.odd.decref")}
  call void %many.odd.decref(ptr %many.result)
  br label %careful
many.done:
  %many.failed = phi i1 [false, %many.next], [true, %many.look]
  {release_later}
  br i1 %many.failed, label %many.abandon, label %many.return
many.return:
  ret ptr %many.result"""


def _failures(way: str) -> str:
    return f"""{way}abandon:
  {imports.load("Py_DecRef", f"%{way}decref")}
  call void %{way}decref(ptr %{way}result)
  br label %{way}fail
{way}fail:
  ret ptr null"""


def _field(kind: str, base: str, offset: int, register: str) -> str:
    return f"""{register}.at = getelementptr i8, ptr {base}, i64 {offset}
  {register} = load {kind}, ptr {register}.at"""


def _checks(inputs: tuple[Port, ...], way: str, good: str, bad: str) -> str:
    """All arguments are plain float64 arrays of the ports' shapes, or off to `bad`.

    With many rows they have one more axis in front, of one length and not empty.
    """
    after = [f"{way}check{k}" for k in range(1, len(inputs))] + [good]
    return "\n".join(_check(k, port, way, after[k], bad) for k, port in enumerate(inputs))


def _check(k: int, port: Port, way: str, then: str, bad: str) -> str:
    a = f"%{way}a{k}"
    sizes = [*([f"%{way}a0.d0"] if way else []), *map(str, port.shape)]
    lines, wrong = [], "0"
    for d, size in enumerate(sizes):
        lines.append(f"""{_field("i64", f"{a}.shape", 8 * d, f"{a}.d{d}")}
  {a}.d{d}.wrong = xor i64 {a}.d{d}, {size}
  {a}.w{d} = or i64 {wrong}, {a}.d{d}.wrong""")
        wrong = f"{a}.w{d}"
    if way and k == 0:  # no row at all is a case for careful hands
        lines.append(f"""{a}.none = icmp eq i64 {a}.d0, 0
  {a}.empty = zext i1 {a}.none to i64
  {a}.unfit = or i64 {wrong}, {a}.empty""")
        wrong = f"{a}.unfit"
    shape = "\n  ".join(lines)
    return f"""{way}check{k}:
  {a}.at = getelementptr ptr, ptr %args, i64 {k}
  {a} = load ptr, ptr {a}.at
  {_field("ptr", a, TYPE, f"{a}.type")}
  {a}.isarray = icmp eq ptr {a}.type, %ndarray
  br i1 {a}.isarray, label %{way}array{k}, label %{bad}
{way}array{k}:
  {_field("ptr", a, DESCR, f"{a}.descr")}
  {a}.isfloat = icmp eq ptr {a}.descr, %float64
  {_field("i32", a, NDIM, f"{a}.ndim")}
  {a}.hasdims = icmp eq i32 {a}.ndim, {len(sizes)}
  {_field("i32", a, FLAGS, f"{a}.flags")}
  {a}.plain = and i32 {a}.flags, {PLAIN_FLAGS}
  {a}.isplain = icmp eq i32 {a}.plain, {PLAIN_FLAGS}
  {a}.ok0 = and i1 {a}.isfloat, {a}.hasdims
  {a}.ok1 = and i1 {a}.ok0, {a}.isplain
  br i1 {a}.ok1, label %{way}shape{k}, label %{bad}
{way}shape{k}:
  {_field("ptr", a, SHAPE, f"{a}.shape")}
  {_field("ptr", a, DATA, f"%{way}data{k}")}
  {shape}
  {a}.fits = icmp eq i64 {wrong}, 0
  br i1 {a}.fits, label %{then}, label %{bad}"""


def _shapes(program: Program) -> str:
    lines = []
    for k, port in enumerate(program.outputs):
        sizes = [f"i64 {n}" for n in port.shape] or ["i64 0"]
        lines.append(f"@vv.shape{k} = internal constant [{len(sizes)} x i64] [{', '.join(sizes)}]")
    return "\n".join(lines)


def _outputs(program: Program, way: str) -> str:
    """New arrays %out0, %out1, ...; %result is the one array, or a tuple that owns them all."""
    several = len(program.outputs) != 1
    lines = [
        imports.load("Py_IncRef", f"%{way}incref"),
        imports.load("new_array", f"%{way}new"),
    ]
    if several:
        lines.append(f"""{imports.load("PyTuple_New", f"%{way}tuple")}
  {imports.load("PyTuple_SetItem", f"%{way}set")}
  %{way}result = call ptr %{way}tuple(i64 {len(program.outputs)})
  %{way}result.null = icmp eq ptr %{way}result, null
  br i1 %{way}result.null, label %{way}fail, label %{way}new0
{way}new0:""")
    for k, port in enumerate(program.outputs):
        out = f"%{way}out{k}" if several else f"%{way}result"
        shape = f"i32 {len(port.shape)}, ptr @vv.shape{k}"
        if way:
            lines.append(_row_shape(k, port))
            shape = f"i32 {len(port.shape) + 1}, ptr %many.size{k}"
        arguments = f"ptr %ndarray, ptr %float64, {shape}, ptr null, ptr null, i32 0, ptr null"
        bad = f"{way}abandon" if several else f"{way}fail"
        lines.append(f"""call void %{way}incref(ptr %float64)
  {out} = call ptr %{way}new({arguments})
  %{way}null{k} = icmp eq ptr {out}, null
  br i1 %{way}null{k}, label %{bad}, label %{way}new{k + 1}
{way}new{k + 1}:""")
        if several:
            lines.append(f"%{way}set{k} = call i32 %{way}set(ptr %{way}result, i64 {k}, ptr {out})")
        else:
            lines.append(f"%{way}out0 = getelementptr i8, ptr %{way}result, i64 0")
    return "\n  ".join(lines)


def _row_shape(k: int, port: Port) -> str:
    """The shape of output k with the number of rows in front."""
    axes = "".join(
        f"""
  %many.size{k}.{d} = getelementptr i64, ptr %many.size{k}, i64 {d}
  store i64 {size}, ptr %many.size{k}.{d}"""
        for d, size in enumerate(port.shape, 1)
    )
    return f"""%many.size{k} = alloca [{len(port.shape) + 1} x i64], align 8
  store i64 %many.a0.d0, ptr %many.size{k}{axes}"""


def _stack(way: str, size: int) -> tuple[str, str]:
    """Text that gets an aligned %buffer, and text that gives it back."""
    return f"%{way}buffer = alloca [{size} x i8], align 64", ""


def _heap(way: str, size: int) -> tuple[str, str]:
    """The same for larger ones."""
    acquire = f"""{imports.load("PyMem_RawMalloc", f"%{way}malloc")}
  %{way}memory = call ptr %{way}malloc(i64 {size + 64})
  %{way}memory.null = icmp eq ptr %{way}memory, null
  br i1 %{way}memory.null, label %{way}nomemory, label %{way}memory.ok
{way}nomemory:
  {imports.load("PyErr_NoMemory", f"%{way}raise")}
  %{way}raised = call ptr %{way}raise()
  br label %{way}abandon
{way}memory.ok:
  %{way}memory.up = getelementptr i8, ptr %{way}memory, i64 63
  %{way}buffer = call ptr @llvm.ptrmask.p0.i64(ptr %{way}memory.up, i64 -64)"""
    release = f"""{imports.load("PyMem_RawFree", f"%{way}free")}
  call void %{way}free(ptr %{way}memory)"""
    return acquire, release


def _move(function: str, data: str, k: int, port: Port, places: Iterator[int], lanes: int) -> str:
    """Copy a port's one row between an array and the work buffer: unrolled, or by the table."""
    own = list(islice(places, port.size))
    if port.size > UNROLLED:
        return (
            f"call void @vv.{function}(ptr {data}, i64 0, i64 8, i64 {port.size}, i64 1, "
            f"ptr %buffer, ptr @vv.places{k})"
        )
    T, zeros = f"<{lanes} x double>", f"<{lanes} x i32> zeroinitializer"
    lines = []
    for i, place in enumerate(own):
        x = f"%m{k}.{i}"
        lines.append(f"""{x}.a = getelementptr double, ptr {data}, i64 {i}
  {x}.b = getelementptr {T}, ptr %buffer, i64 {place}""")
        if function == "gather":
            lines.append(f"""{x} = load double, ptr {x}.a, align 8
  {x}.0 = insertelement {T} poison, double {x}, i64 0
  {x}.v = shufflevector {T} {x}.0, {T} poison, {zeros}
  store {T} {x}.v, ptr {x}.b, align {lanes * 8}""")
        else:
            lines.append(f"""{x} = load double, ptr {x}.b, align 8
  store double {x}, ptr {x}.a, align 8""")
    return "\n  ".join(lines)
