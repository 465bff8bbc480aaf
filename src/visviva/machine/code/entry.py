"""The fast way in, as LLVM text: a METH_FASTCALL function around the kernel.

It reads the objects of CPython and numpy through fixed offsets; `entry` makes sure that they are
right before any of this is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice

from visviva.machine.code import imports, watch
from visviva.machine.code.batch import buffer_bytes, rows_at_once, rows_for_a_thread
from visviva.machine.code.driver import Driver, block_calls, kernel_prefix
from visviva.machine.program.blocks import Layout
from visviva.machine.program.program import Port, Program

# Offsets of PyObject.ob_type, of a float's number, of a tuple's length and items, and of the fields
# of numpy's PyArrayObject, 64 bit
TYPE, NUMBER, LENGTH, ITEMS = 8, 16, 16, 24
DATA, NDIM, SHAPE, DESCR, FLAGS = 16, 24, 32, 56, 64
PLAIN_FLAGS = 0x1 | 0x100  # C contiguous and aligned
WRITABLE_FLAGS = PLAIN_FLAGS | 0x400
SHORT_KERNEL = 1500  # instructions up to which single calls get a kernel of their own
UNROLLED = 256  # entries of an array; longer ones are copied by a loop
STACK_BYTES = 32 * 1024  # larger work buffers come from the heap


def single_lanes(layout: Layout, lanes: int) -> int:
    """How wide a kernel for single calls is: half as wide where the machine has eight lanes.

    One row needs one lane, and such machines do two operations on four lanes in the time of one on
    eight. A second kernel pays for short programs only: it must be compiled too.
    """
    program = layout.program
    sizes = [port.size for port in (*program.inputs, *program.outputs)]
    short = len(program.code) <= SHORT_KERNEL and max(sizes, default=0) <= UNROLLED
    return 4 if lanes == 8 and short else lanes


@dataclass(frozen=True)
class Entry(Driver):
    """`@vv.entry(self, args, nargs, kwnames)`; `self` is the careful callable.

    Arguments are checked by kind and shape: one row, or one row for all, or many. Results go to new
    arrays, or to those of `out=`. One row runs the kernel here; what is to be asked of its numbers
    is asked before anything is written: arrays of `out=` may be inputs. Many rows go through
    `@vv.batch`, which looks at the inputs of each. What is odd is computed again by careful hands,
    who say why; so are batches that `threads=` may share, and everything else.
    """

    symbol = "vv.entry"
    asks_conditions = True
    is_watched: bool = True  # finite arguments that give nan or infinity go to careful hands

    def kernel_lanes(self, layout: Layout, lanes: int) -> int:
        """How wide the kernel for single calls is."""
        return single_lanes(layout, lanes)

    def text(self, layout: Layout, lanes: int) -> str:
        """The function: what fits is answered, everything else goes to `self`."""
        program, inputs = layout.program, layout.program.inputs
        large = any(port.size > UNROLLED for port in program.outputs)
        single = self.kernel_lanes(layout, lanes)
        limit = 2 * rows_for_a_thread(layout, lanes)
        return f"""
{watch.SUM if large else ""}
define ptr @vv.entry(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) {{
  %overflow = alloca i32
  {_shapes(program)}
  {imports.load("ndarray", "%ndarray")}
  {imports.load("float64", "%float64")}
  {imports.load("float", "%float")}
  {imports.load("numpy_float", "%numpy.float")}
  %all = icmp eq i64 %nargs, {len(inputs)}
  br i1 %all, label %words, label %careful
{_words()}
start:
  %given = phi ptr [null, %words], [%word.value, %word], [null, %word.count]
  %threads = phi i64 [1, %words], [1, %word], [%count, %word.count]
  %rows0 = add i64 -1, 0
  br label %check0
{_checks(inputs)}
check{len(inputs)}:
  %rows = add i64 %rows{len(inputs)}, 0
  %is.batch = icmp ne i64 %rows, -1
  %axes = zext i1 %is.batch to i64
  %has.rows = icmp ne i64 %rows, 0
  %shared = icmp sgt i64 %threads, 1
  %many = icmp sge i64 %rows, {limit}
  %shares = and i1 %shared, %many
  %alone = xor i1 %shares, true
  %here = and i1 %has.rows, %alone
  br i1 %here, label %outputs, label %careful
{_outputs(program)}
  br i1 %is.batch, label %batch, label %single
single:
  {watch.units(inputs)}
  {self._one_row(layout, single, kernel_prefix(single, lanes))}
  ret ptr %result
odd:
  {imports.load("Py_DecRef", "%odd.decref")}
  call void %odd.decref(ptr %result)
  br label %careful
batch:
  {_many_rows(layout, lanes)}
careful:
  {imports.load("PyObject_Vectorcall", "%vectorcall")}
  %answer = call ptr %vectorcall(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %answer
abandon:
  {imports.load("Py_DecRef", "%decref")}
  call void %decref(ptr %result)
  br label %fail
fail:
  ret ptr null
}}"""

    def _one_row(self, layout: Layout, lanes: int, kernel: str) -> str:
        """One evaluation, in a buffer of one tile; too short to let other threads run meanwhile.

        Results are written once they are finite and the conditions hold.
        """
        inputs, outputs = layout.program.inputs, layout.program.outputs
        sources, results = iter(range(layout.program.arguments)), iter(layout.places)
        moves_in = [
            move_row("gather", f"%data{k}", k, port, sources, lanes)
            for k, port in enumerate(inputs)
        ]
        moves_out = [
            move_row("scatter", f"%to{k}", len(inputs) + k, port, results, lanes)
            for k, port in enumerate(outputs)
        ]
        size = layout.vectors * lanes * 8
        acquire, release = stack_buffer("", size) if size <= STACK_BYTES else _heap("", size)
        run = [acquire, *moves_in, *block_calls(layout, kernel)]
        text, is_violated = watch.conditions(layout, lanes, kernel)
        loads, finite = watch.finite(layout, lanes, UNROLLED) if self.is_watched else ("", "true")
        checks = f"""{text}
  {loads}
  %sound.out = select i1 {is_violated}, i1 false, i1 {finite}
  br i1 %sound.out, label %good, label %unsound
unsound:
  {release.replace("%free", "%unsound.free")}
  br label %odd
good:"""
        watched = [checks] if text or loads else []
        is_late = any(port.size > UNROLLED for port in outputs)  # what a loop adds up is written
        ways = [*moves_out, *watched] if is_late else [*watched, *moves_out]
        return "\n  ".join([*run, *ways, release])


def _words() -> str:
    """The one keyword that may be there: `out=` or `threads=`; text of `words` and so on."""
    return f"""words:
  %is.positional = icmp eq ptr %kwnames, null
  br i1 %is.positional, label %start, label %word.first
word.first:
  {load_field("i64", "%kwnames", LENGTH, "%word.total")}
  {load_field("ptr", "%kwnames", ITEMS, "%word.name")}
  %word.at = getelementptr ptr, ptr %args, i64 %nargs
  %word.value = load ptr, ptr %word.at
  %word.one = icmp eq i64 %word.total, 1
  br i1 %word.one, label %word, label %careful
word:
  {imports.load("out", "%out.name")}
  %is.out = icmp eq ptr %word.name, %out.name
  br i1 %is.out, label %start, label %word.threads
word.threads:
  {imports.load("threads", "%threads.name")}
  {imports.load("int", "%int")}
  {load_field("ptr", "%word.value", TYPE, "%word.type")}
  %is.threads = icmp eq ptr %word.name, %threads.name
  %is.int = icmp eq ptr %word.type, %int
  %is.count = and i1 %is.threads, %is.int
  br i1 %is.count, label %word.count, label %careful
word.count:
  {imports.load("PyLong_AsLongLongAndOverflow", "%as.long")}
  %count = call i64 %as.long(ptr %word.value, ptr %overflow)
  %is.some = icmp sgt i64 %count, 0
  br i1 %is.some, label %start, label %careful"""


def _many_rows(layout: Layout, lanes: int) -> str:
    """A batch along one leading axis: the driver runs while other Python threads may.

    After each `rows_at_once` Python's signals are looked at: whoever presses Ctrl-C is heard.
    """
    program, step = layout.program, rows_at_once(layout, lanes)
    if not step:
        return "ret ptr %result"
    ports = (*program.inputs, *program.outputs)
    lines, onward = [f"%io = alloca [{3 * len(ports)} x i64], align 8"], []
    for k, port in enumerate(ports):
        output = k - len(program.inputs)
        data = f"%data{k}" if output < 0 else f"%to{output}"
        down = f"%stride{k}" if output < 0 else str(8 * port.size)
        for i, (kind, value) in enumerate((("ptr", data), ("i64", down), ("i64", "8"))):
            lines.append(f"""%io{k}.{i} = getelementptr i64, ptr %io, i64 {3 * k + i}
  store {kind} {value}, ptr %io{k}.{i}""")
        onward.append(f"""%here{k} = load ptr, ptr %io{k}.0
  %way{k} = mul i64 {down}, {step}
  %there{k} = getelementptr i8, ptr %here{k}, i64 %way{k}
  store ptr %there{k}, ptr %io{k}.0""")
    acquire, release_later = _heap("many.", buffer_bytes(layout, lanes))
    release = release_later.replace("%many.free", "%many.free.early")
    body, advance = "\n  ".join(lines), "\n  ".join(onward)
    return f"""{body}
  {acquire}
  {imports.load("PyEval_SaveThread", "%save")}
  {imports.load("PyEval_RestoreThread", "%restore")}
  {imports.load("PyErr_CheckSignals", "%signals")}
  br label %many.run
many.run:
  %many.left = phi i64 [%rows, %many.memory.ok], [%many.rest, %many.onward]
  %many.now = call i64 @llvm.umin.i64(i64 %many.left, i64 {step})
  %thread = call ptr %save()
  %many.odd = call i64 @vv.batch(i64 %many.now, ptr %io, ptr %many.buffer)
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
  br label %odd
many.done:
  %many.failed = phi i1 [false, %many.next], [true, %many.look]
  {release_later}
  br i1 %many.failed, label %abandon, label %many.return
many.return:
  ret ptr %result"""


def load_field(kind: str, base: str, offset: int, register: str) -> str:
    """Text that loads what stands `offset` bytes behind a pointer."""
    return f"""{register}.at = getelementptr i8, ptr {base}, i64 {offset}
  {register} = load {kind}, ptr {register}.at"""


def _checks(inputs: tuple[Port, ...]) -> str:
    """All arguments are plain float64 arrays of the ports' shapes, or off to careful hands.

    They may have one more axis in front, of one length: it is `%rows`, -1 where none has it. Input
    k is at `%data`k, its rows `%stride`k apart: 0 where it has one for all. Numbers may be floats.
    """
    return "\n".join(_check(k, port) for k, port in enumerate(inputs))


def _check(k: int, port: Port) -> str:
    a, rows = f"%a{k}", f"%rows{k}"
    number, also = "", {"data": "", "rows": "", "stride": ""}
    if port.shape == ():
        number = f"""{a}.is.float = icmp eq ptr {a}.type, %float
  {a}.is.numpy = icmp eq ptr {a}.type, %numpy.float
  {a}.is.number = or i1 {a}.is.float, {a}.is.numpy
  {a}.number = getelementptr i8, ptr {a}, i64 {NUMBER}
  br i1 {a}.is.number, label %ready{k}, label %object{k}
object{k}:
  """
        values = {"data": f"{a}.number", "rows": rows, "stride": "0"}
        also = {name: f", [{x}, %check{k}]" for name, x in values.items()}
    lines, wrong = _sizes(a, port)
    return f"""check{k}:
  {a}.at = getelementptr ptr, ptr %args, i64 {k}
  {a} = load ptr, ptr {a}.at
  {load_field("ptr", a, TYPE, f"{a}.type")}
  {number}{a}.is.array = icmp eq ptr {a}.type, %ndarray
  br i1 {a}.is.array, label %array{k}, label %careful
array{k}:
  {_plain(a, PLAIN_FLAGS)}
  {a}.axes = sub i32 {a}.ndim, {len(port.shape)}
  {a}.few = icmp ult i32 {a}.axes, 2
  {a}.fine = and i1 {a}.is.plain, {a}.few
  br i1 {a}.fine, label %shape{k}, label %careful
shape{k}:
  {a}.more = zext i32 {a}.axes to i64
  {a}.is.batch = icmp eq i32 {a}.axes, 1
  {lines}
  {a}.rows = select i1 {a}.is.batch, i64 {a}.first, i64 {rows}
  {a}.data = load ptr, ptr {a}.data.at
  {a}.stride = select i1 {a}.is.batch, i64 {8 * port.size}, i64 0
  {a}.other = xor i64 {a}.rows, {rows}
  {a}.is.first = icmp eq i64 {rows}, -1
  {a}.differs = select i1 {a}.is.first, i64 0, i64 {a}.other
  {a}.unfit = or i64 {wrong}, {a}.differs
  {a}.fits = icmp eq i64 {a}.unfit, 0
  br i1 {a}.fits, label %ready{k}, label %careful
ready{k}:
  %data{k} = phi ptr [{a}.data, %shape{k}]{also["data"]}
  %rows{k + 1} = phi i64 [{a}.rows, %shape{k}]{also["rows"]}
  %stride{k} = phi i64 [{a}.stride, %shape{k}]{also["stride"]}
  br label %check{k + 1}"""


def _plain(a: str, flags: int) -> str:
    """Whether an array is of float64 and has some flags, and how many axes."""
    return f"""{load_field("ptr", a, DESCR, f"{a}.descr")}
  {a}.is.float64 = icmp eq ptr {a}.descr, %float64
  {load_field("i32", a, NDIM, f"{a}.ndim")}
  {load_field("i32", a, FLAGS, f"{a}.flags")}
  {a}.flagged = and i32 {a}.flags, {flags}
  {a}.has.flags = icmp eq i32 {a}.flagged, {flags}
  {a}.is.plain = and i1 {a}.is.float64, {a}.has.flags
  {a}.data.at = getelementptr i8, ptr {a}, i64 {DATA}"""


def _sizes(a: str, port: Port) -> tuple[str, str]:
    """Lines that compare the last axes with a port's, behind `.more` others; what is 0 if they fit.

    `.first` is the first axis, if there is any.
    """
    lines = [load_field("ptr", a, SHAPE, f"{a}.shape")]
    if not port.shape:  # of no axis there is nothing to read
        lines.append(f"{a}.first.at = select i1 {a}.is.batch, ptr {a}.shape, ptr %args")
    else:
        lines.append(f"{a}.first.at = getelementptr i64, ptr {a}.shape, i64 0")
    lines.append(f"{a}.first = load i64, ptr {a}.first.at")
    lines.append(f"{a}.last = getelementptr i64, ptr {a}.shape, i64 {a}.more")
    wrong = "0"
    for d, size in enumerate(port.shape):
        lines.append(f"""{load_field("i64", f"{a}.last", 8 * d, f"{a}.d{d}")}
  {a}.d{d}.wrong = xor i64 {a}.d{d}, {size}
  {a}.w{d} = or i64 {wrong}, {a}.d{d}.wrong""")
        wrong = f"{a}.w{d}"
    return "\n  ".join(lines), wrong


def _shapes(program: Program) -> str:
    """Room for the shape of every output, the number of rows in front."""
    return "\n  ".join(
        f"%size{k} = alloca [{len(port.shape) + 1} x i64], align 8"
        for k, port in enumerate(program.outputs)
    )


def _outputs(program: Program) -> str:
    """`%result`, and where its numbers go, `%to`k: new arrays, or those of `out=`."""
    outputs = program.outputs
    onto = "\n  ".join(
        f"%to{k} = phi ptr [%new{k}.data, %new.filled], [%given{k}.data, %given.filled]"
        for k, _ in enumerate(outputs)
    )
    return f"""outputs:
  %is.new = icmp eq ptr %given, null
  br i1 %is.new, label %new, label %given.kind
new:
  {_new_outputs(outputs)}
  br label %new.filled
new.filled:
  br label %filled
{_given_outputs(program)}
given.filled:
  {imports.load("Py_IncRef", "%given.incref")}
  call void %given.incref(ptr %given)
  br label %filled
filled:
  %result = phi ptr [%new.result, %new.filled], [%given, %given.filled]
  {onto}"""


def _new_outputs(outputs: tuple[Port, ...]) -> str:
    """New arrays; `%new.result` is the one array, or a tuple that owns them all."""
    several = len(outputs) != 1
    lines = [imports.load("Py_IncRef", "%incref"), imports.load("new_array", "%new.array")]
    if several:
        lines.append(f"""{imports.load("PyTuple_New", "%tuple.new")}
  {imports.load("PyTuple_SetItem", "%tuple.set")}
  {imports.load("Py_DecRef", "%new.decref")}
  %new.result = call ptr %tuple.new(i64 {len(outputs)})
  %new.null = icmp eq ptr %new.result, null
  br i1 %new.null, label %fail, label %new.check0
new.abandon:
  call void %new.decref(ptr %new.result)
  br label %fail
new.check0:""")
    for k, port in enumerate(outputs):
        new = f"%new{k}" if several else "%new.result"
        sizes = "\n  ".join(
            f"""%size{k}.{d} = getelementptr i64, ptr %size{k}, i64 {d}
  store i64 {size}, ptr %size{k}.{d}"""
            for d, size in enumerate(("%rows", *port.shape))
        )
        lines.append(f"""{sizes}
  %new{k}.skip = sub i64 1, %axes
  %new{k}.shape = getelementptr i64, ptr %size{k}, i64 %new{k}.skip
  %new{k}.more = trunc i64 %axes to i32
  %new{k}.ndim = add i32 %new{k}.more, {len(port.shape)}
  call void %incref(ptr %float64)
  {new} = call ptr %new.array(ptr %ndarray, ptr %float64, i32 %new{k}.ndim, ptr %new{k}.shape, \
ptr null, ptr null, i32 0, ptr null)
  %new{k}.null = icmp eq ptr {new}, null
  br i1 %new{k}.null, label %{"new.abandon" if several else "fail"}, label %new.check{k + 1}
new.check{k + 1}:
  {load_field("ptr", new, DATA, f"%new{k}.data")}""")
        if several:
            lines.append(f"%set{k} = call i32 %tuple.set(ptr %new.result, i64 {k}, ptr {new})")
    return "\n  ".join(lines)


def _given_outputs(program: Program) -> str:
    """The arrays of `out=`: of the shapes that results have, and in nobody's way."""
    outputs, several = program.outputs, len(program.outputs) != 1
    arrays = "\n  ".join(
        load_field("ptr", "%given", ITEMS + 8 * k, f"%given{k}") for k, _ in enumerate(outputs)
    )
    kind = f"""{imports.load("tuple", "%tuple")}
  {load_field("ptr", "%given", TYPE, "%given.type")}
  {load_field("i64", "%given", LENGTH, "%given.length")}
  %given.is.tuple = icmp eq ptr %given.type, %tuple
  %given.is.long = icmp eq i64 %given.length, {len(outputs)}
  %given.fits = and i1 %given.is.tuple, %given.is.long
  br i1 %given.fits, label %given.items, label %careful
given.items:
  {arrays}"""
    alone = "%given0 = getelementptr i8, ptr %given, i64 0"
    checks = "\n".join(_given_check(k, port) for k, port in enumerate(outputs))
    return f"""given.kind:
  {kind if several else alone}
  br label %given.check0
{checks}
given.check{len(outputs)}:
  {_overlaps(program)}"""


def _given_check(k: int, port: Port) -> str:
    """One array of `out=`: plain, writable, and of the result's shape."""
    a = f"%given{k}"
    lines, wrong = _sizes(a, port)
    return f"""given.check{k}:
  {load_field("ptr", a, TYPE, f"{a}.type")}
  {a}.is.array = icmp eq ptr {a}.type, %ndarray
  br i1 {a}.is.array, label %given.array{k}, label %careful
given.array{k}:
  {_plain(a, WRITABLE_FLAGS)}
  {a}.more = add i64 %axes, 0
  {a}.axes = zext i32 {a}.ndim to i64
  {a}.wanted = add i64 %axes, {len(port.shape)}
  {a}.has.axes = icmp eq i64 {a}.axes, {a}.wanted
  {a}.fine = and i1 {a}.is.plain, {a}.has.axes
  br i1 {a}.fine, label %given.shape{k}, label %careful
given.shape{k}:
  {a}.is.batch = and i1 %is.batch, true
  {lines}
  {a}.rows = select i1 %is.batch, i64 {a}.first, i64 %rows
  {a}.other = xor i64 {a}.rows, %rows
  {a}.unfit = or i64 {wrong}, {a}.other
  {a}.fit = icmp eq i64 {a}.unfit, 0
  {a}.data = load ptr, ptr {a}.data.at
  br i1 {a}.fit, label %given.check{k + 1}, label %careful"""


def _overlaps(program: Program) -> str:
    """Off to careful hands where an array of `out=` shares memory with another, or with an input.

    One row is written when all is read, unless a loop has to add up what was written. In batches an
    output may be an input, row for row, unless a row of it could be refused after others.
    """
    inputs, outputs = program.inputs, program.outputs
    is_read_late = any(port.size > UNROLLED for port in outputs)
    is_refused = any(port.units for port in inputs)
    lines = ["%given.rows = select i1 %is.batch, i64 %rows, i64 1"]
    lines.append("%given.further = sub i64 %given.rows, 1")
    spans = [(f"%given{k}", f"%given{k}.data", 8 * p.size, "") for k, p in enumerate(outputs)]
    spans += [(f"%in{k}", f"%data{k}", 8 * p.size, f"%stride{k}") for k, p in enumerate(inputs)]
    for x, data, size, stride in spans:
        lines.append(f"""{x}.rest = mul i64 %given.further, {stride or size}
  {x}.size = add i64 {x}.rest, {size}
  {x}.end = getelementptr i8, ptr {data}, i64 {x}.size""")
    total = "false"
    for (x, data, size, y_stride), (y, other, length, stride) in combinations(spans, 2):
        if y_stride:  # two inputs
            continue
        xy = f"{x}.{y[1:]}"
        lines.append(f"""{xy}.before = icmp ult ptr {data}, {y}.end
  {xy}.behind = icmp ult ptr {other}, {x}.end
  {xy}.meet = and i1 {xy}.before, {xy}.behind""")
        is_one = size == length and not is_refused
        lines.append(f"""{xy}.same = icmp eq ptr {data}, {other}
  {xy}.apart = icmp eq i64 {stride or 0}, {size}
  {xy}.rows = and i1 {xy}.same, {xy}.apart
  {xy}.in.batch = and i1 {xy}.rows, {str(is_one).lower()}
  {xy}.in.single = xor i1 {str(is_read_late or not stride).lower()}, true
  {xy}.may = select i1 %is.batch, i1 {xy}.in.batch, i1 {xy}.in.single
  {xy}.bad = select i1 {xy}.may, i1 false, i1 {xy}.meet
  {xy}.total = or i1 {total}, {xy}.bad""")
        total = f"{xy}.total"
    return "\n  ".join([*lines, f"br i1 {total}, label %careful, label %given.filled"])


def stack_buffer(way: str, size: int) -> tuple[str, str]:
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
  br label %abandon
{way}memory.ok:
  %{way}memory.up = getelementptr i8, ptr %{way}memory, i64 63
  %{way}buffer = call ptr @llvm.ptrmask.p0.i64(ptr %{way}memory.up, i64 -64)"""
    release = f"""{imports.load("PyMem_RawFree", f"%{way}free")}
  call void %{way}free(ptr %{way}memory)"""
    return acquire, release


def move_row(
    function: str, data: str, k: int, port: Port, places: Iterator[int], lanes: int
) -> str:
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
