"""A compiled batch as a custom call of XLA, the compiler behind JAX: LLVM text.

XLA calls it with one pointer, to a call frame (xla/ffi/api/c_api.h of jaxlib, major version 0). The
frame is read at fixed offsets: its structures grow at their ends only, and what is read here stood
there from version 0.0 on. The text is the same for all functions: what it must know of one is in
the table of numbers that `vv.table` of its copy points to.
"""

from __future__ import annotations

from visviva.machine.code import imports
from visviva.machine.code.driver import Driver
from visviva.machine.code.entry import load_field
from visviva.machine.code.lanes import loop
from visviva.machine.program.blocks import Layout

MAJOR, MINOR = 0, 1  # of the version whose layout is read
OFFSETS = {  # in bytes, by structure and field
    "XLA_FFI_CallFrame": {"extension_start": 8, "api": 16, "args": 40, "rets": 80},
    "XLA_FFI_Args": {"size": 16, "args": 32},
    "XLA_FFI_Rets": {"size": 16, "rets": 32},
    "XLA_FFI_Buffer": {"dtype": 16, "data": 24, "rank": 32, "dims": 40},
    "XLA_FFI_Extension_Base": {"type": 8},
    "XLA_FFI_Metadata_Extension": {"metadata": 24},
    "XLA_FFI_Metadata": {"api_version": 8, "traits": 32},
    "XLA_FFI_Api_Version": {"major_version": 16, "minor_version": 20},
    "XLA_FFI_Api": {"XLA_FFI_Error_Create": 48},
    "XLA_FFI_Error_Create_Args": {"message": 16, "errc": 24},
}
VALUES = {  # of enumerations
    "XLA_FFI_DataType_F32": 11,
    "XLA_FFI_DataType_F64": 12,
    "XLA_FFI_Extension_Metadata": 1,
    "XLA_FFI_Error_Code_INVALID_ARGUMENT": 3,
    "XLA_FFI_Error_Code_RESOURCE_EXHAUSTED": 8,
}
# what a function's table begins with, 8 bytes each; then rank and size of every port
TABLE_FIELDS = ("malloc", "free", "batch", "buffer_bytes", "row_bytes", "inputs", "outputs")
ROWS_WIDENED = 64  # rows that are widened together where arrays are float32
LINE = 64  # bytes that the work buffer is aligned to
WRONG = "visviva: this call has other arguments than the function takes"
FULL = "visviva: no memory is left for the work buffer of this call"


class XlaCall(Driver):
    """`@vv.xla(frame)`, which answers what it is, or runs the batch on the buffers of a frame."""

    symbol = "vv.xla"

    def text(self, layout: Layout, lanes: int) -> str:
        """The same for all programs."""
        return TEXT


# Arrays in the code below, of 8-byte numbers, a row for every port (inputs, then outputs):
# ports    [2]  rank and size of the port, from the table
# records  [3]  a buffer of the call: address of its numbers, rows (-1 if it does not fit), type
# io       [3]  what the batch reads: address, and strides of rows and of columns in bytes


def _read(register: str, base: str, structure: str, field: str, kind: str = "i64") -> str:
    """Text that loads a field of a structure of XLA."""
    return load_field(kind, base, OFFSETS[structure][field], register)


def _store(value: str, base: str, offset: int) -> str:
    return f"""{base}.{offset} = getelementptr i8, ptr {base}, i64 {offset}
  store {value}, ptr {base}.{offset}"""


def _from_table(name: str, kind: str = "i64") -> str:
    """Text that loads a number of the function's table."""
    return load_field(kind, "%table", 8 * TABLE_FIELDS.index(name), f"%{name}")


def _buffers(name: str, structure: str) -> str:
    """How many there are on one side of the frame, and the list of them."""
    offset = OFFSETS["XLA_FFI_CallFrame"][name]
    size, start = (offset + OFFSETS[structure][field] for field in ("size", name))
    count = load_field("i64", "%frame", size, f"%{name}.n")
    return f"{count}\n  {load_field('ptr', '%frame', start, f'%{name}')}"


def _constant(name: str, text: str) -> str:
    return f'{name} = internal constant [{len(text) + 1} x i8] c"{text}\\00"'


_FILL_RECORD = f"""%item = getelementptr ptr, ptr %list, i64 %k
  %buffer = load ptr, ptr %item
  {_read("%type", "%buffer", "XLA_FFI_Buffer", "dtype", "i32")}
  {_read("%data", "%buffer", "XLA_FFI_Buffer", "data", "ptr")}
  {_read("%rank", "%buffer", "XLA_FFI_Buffer", "rank")}
  {_read("%dims", "%buffer", "XLA_FFI_Buffer", "dims", "ptr")}
  %port = getelementptr [2 x i64], ptr %ports, i64 %k
  %own = load i64, ptr %port
  {load_field("i64", "%port", 8, "%size")}
  %axes = sub i64 %rank, %own
  %leading = call i64 @llvm.smax.i64(i64 %axes, i64 0)
  %rows = call i64 @vv.product(ptr %dims, i64 %leading)
  %all = call i64 @vv.product(ptr %dims, i64 %rank)
  %expected = mul i64 %rows, %size
  %fits = icmp eq i64 %all, %expected
  %rows.or = select i1 %fits, i64 %rows, i64 -1
  %record = getelementptr [3 x i64], ptr %records, i64 %k
  store ptr %data, ptr %record
  %record.rows = getelementptr i64, ptr %record, i64 1
  store i64 %rows.or, ptr %record.rows
  %wide = zext i32 %type to i64
  %record.type = getelementptr i64, ptr %record, i64 2
  store i64 %wide, ptr %record.type"""
_FACTOR = """%number.at = getelementptr i64, ptr %numbers, i64 %k
  %number = load i64, ptr %number.at
  %before = load i64, ptr %product
  %after = mul i64 %before, %number
  store i64 %after, ptr %product"""
_READ = f"""
define internal void @vv.read(ptr %list, i64 %n, ptr %ports, ptr %records) {{
  {loop("k", "%n", _FILL_RECORD)}
  ret void
}}
define internal i64 @vv.product(ptr %numbers, i64 %n) {{
  %product = alloca i64
  store i64 1, ptr %product
  {loop("k", "%n", _FACTOR)}
  %result = load i64, ptr %product
  ret i64 %result
}}"""

# Whether all buffers have the type and the rows of the last; an input may have one row for all.
_ONE_AGREES = f"""%own = getelementptr [3 x i64], ptr %records, i64 %k
  {load_field("i64", "%own", 8, "%own.rows")}
  {load_field("i64", "%own", 16, "%own.type")}
  %same.type = icmp eq i64 %own.type, %type
  %same.rows = icmp eq i64 %own.rows, %rows
  %one = icmp eq i64 %own.rows, 1
  %is.input = icmp ult i64 %k, %inputs
  %spread = and i1 %one, %is.input
  %rows.fit = or i1 %same.rows, %spread
  %fits = and i1 %same.type, %rows.fit
  %before = load i1, ptr %all
  %after = and i1 %before, %fits
  store i1 %after, ptr %all"""
_AGREE = f"""
define internal i1 @vv.agree(ptr %records, i64 %n, i64 %inputs) {{
  %all = alloca i1
  %last = sub i64 %n, 1
  %record = getelementptr [3 x i64], ptr %records, i64 %last
  {load_field("i64", "%record", 8, "%rows")}
  {load_field("i64", "%record", 16, "%type")}
  %single = icmp eq i64 %type, {VALUES["XLA_FFI_DataType_F32"]}
  %double = icmp eq i64 %type, {VALUES["XLA_FFI_DataType_F64"]}
  %known = or i1 %single, %double
  %counted = icmp sge i64 %rows, 0
  %first = and i1 %known, %counted
  store i1 %first, ptr %all
  {loop("k", "%n", _ONE_AGREES)}
  %result = load i1, ptr %all
  ret i1 %result
}}"""

_RECORD_OF_PORT = f"""%record = getelementptr [3 x i64], ptr %records, i64 %k
  %data = load ptr, ptr %record
  {load_field("i64", "%record", 8, "%rows")}
  %port = getelementptr [2 x i64], ptr %ports, i64 %k
  {load_field("i64", "%port", 8, "%size")}"""
# With float32 arrays (`%wide` is not null) the batch reads and writes wide copies, which stand one
# after the other from `%wide` on; else the arrays themselves. The stride of a single row is 0.
_PORT_ROW = f"""{_RECORD_OF_PORT}
  %bytes = mul i64 %size, 8
  %one = icmp eq i64 %rows, 1
  %stride = select i1 %one, i64 0, i64 %bytes
  %place = load ptr, ptr %next
  %start = select i1 %is.wide, ptr %place, ptr %data
  %chunk.bytes = mul i64 %bytes, {ROWS_WIDENED}
  %after = getelementptr i8, ptr %place, i64 %chunk.bytes
  store ptr %after, ptr %next
  %row = getelementptr [3 x i64], ptr %io, i64 %k
  store ptr %start, ptr %row
  %row.1 = getelementptr i64, ptr %row, i64 1
  store i64 %stride, ptr %row.1
  %row.2 = getelementptr i64, ptr %row, i64 2
  store i64 8, ptr %row.2"""
_IO = f"""
define internal void @vv.io(ptr %io, ptr %records, ptr %ports, i64 %n, ptr %wide) {{
  %next = alloca ptr
  store ptr %wide, ptr %next
  %is.wide = icmp ne ptr %wide, null
  {loop("k", "%n", _PORT_ROW)}
  ret void
}}"""


def _convert(name: str, of: str, to: str, operation: str, source: str, target: str) -> str:
    """A function that copies `count` rows from `row` on between float32 arrays and wide copies."""
    number = f"""%x.at = getelementptr {of}, ptr {source}, i64 %i
  %x = load {of}, ptr %x.at
  %y = {operation} {of} %x to {to}
  %y.at = getelementptr {to}, ptr {target}, i64 %i
  store {to} %y, ptr %y.at"""
    port = f"""%k = add i64 %j, %first
  {_RECORD_OF_PORT}
  %io.row = getelementptr [3 x i64], ptr %io, i64 %k
  %wide = load ptr, ptr %io.row
  %one = icmp eq i64 %rows, 1
  %skipped = select i1 %one, i64 0, i64 %row
  %moved = select i1 %one, i64 1, i64 %count
  %offset = mul i64 %skipped, %size
  %numbers = mul i64 %moved, %size
  %narrow = getelementptr float, ptr %data, i64 %offset
  {loop("i", "%numbers", number)}"""
    return f"""
define internal void @vv.{name}(ptr %io, ptr %records, ptr %ports, i64 %first, i64 %end, \
i64 %row, i64 %count) {{
  %n = sub i64 %end, %first
  {loop("j", "%n", port)}
  ret void
}}"""


_ERROR = OFFSETS["XLA_FFI_Error_Create_Args"]
_REFUSE = f"""
define internal ptr @vv.refuse(ptr %frame, ptr %text, i32 %code) {{
  {_read("%api", "%frame", "XLA_FFI_CallFrame", "api", "ptr")}
  {_read("%create", "%api", "XLA_FFI_Api", "XLA_FFI_Error_Create", "ptr")}
  %error = alloca {{ i64, ptr, ptr, i32 }}
  store {{ i64, ptr, ptr, i32 }} zeroinitializer, ptr %error
  store i64 {_ERROR["errc"] + 4}, ptr %error  ; its size in bytes
  {_store("ptr %text", "%error", _ERROR["message"])}
  {_store("i32 %code", "%error", _ERROR["errc"])}
  %answer = call ptr %create(ptr %error)
  ret ptr %answer
}}"""

_VERSION, _VERSION_OFFSETS = (
    OFFSETS["XLA_FFI_Metadata"]["api_version"],
    OFFSETS["XLA_FFI_Api_Version"],
)
_DESCRIBE = f"""
define internal void @vv.describe(ptr %extension) {{
  {_read("%metadata", "%extension", "XLA_FFI_Metadata_Extension", "metadata", "ptr")}
  {_store(f"i32 {MAJOR}", "%metadata", _VERSION + _VERSION_OFFSETS["major_version"])}
  {_store(f"i32 {MINOR}", "%metadata", _VERSION + _VERSION_OFFSETS["minor_version"])}
  {_store("i32 0", "%metadata", OFFSETS["XLA_FFI_Metadata"]["traits"])}
  ret void
}}"""

_CHUNK_OF_ROWS = f"""%left = sub i64 %rows, %row
  %now = call i64 @llvm.umin.i64(i64 %left, i64 {ROWS_WIDENED})
  call void @vv.widen(ptr %io, ptr %records, ptr %ports, i64 0, i64 %inputs, i64 %row, i64 %now)
  %off.chunk = call i64 %batch(i64 %now, ptr %io, ptr %buffer)
  call void @vv.narrow(ptr %io, ptr %records, ptr %ports, i64 %inputs, i64 %n, i64 %row, i64 %now)
"""

TEXT = f"""{imports.DEFINITIONS}
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
{_constant("@vv.wrong", WRONG)}
{_constant("@vv.full", FULL)}
{_READ}{_AGREE}{_IO}{_REFUSE}{_DESCRIBE}
{_convert("widen", "float", "double", "fpext", "%narrow", "%wide")}
{_convert("narrow", "double", "float", "fptrunc", "%wide", "%narrow")}
define ptr @vv.xla(ptr %frame) {{
  {_read("%extension", "%frame", "XLA_FFI_CallFrame", "extension_start", "ptr")}
  %plain = icmp eq ptr %extension, null
  br i1 %plain, label %call, label %extended
extended:
  {_read("%kind", "%extension", "XLA_FFI_Extension_Base", "type", "i32")}
  %asks = icmp eq i32 %kind, {VALUES["XLA_FFI_Extension_Metadata"]}
  br i1 %asks, label %answer, label %call
answer:
  call void @vv.describe(ptr %extension)
  ret ptr null
call:
  %table = load ptr, ptr @vv.table
  {_from_table("malloc", "ptr")}
  {_from_table("free", "ptr")}
  {_from_table("batch", "ptr")}
  {_from_table("buffer_bytes")}
  {_from_table("row_bytes")}
  {_from_table("inputs")}
  {_from_table("outputs")}
  %ports = getelementptr i64, ptr %table, i64 {len(TABLE_FIELDS)}
  {_buffers("args", "XLA_FFI_Args")}
  {_buffers("rets", "XLA_FFI_Rets")}
  %same.inputs = icmp eq i64 %args.n, %inputs
  %same.outputs = icmp eq i64 %rets.n, %outputs
  %counts = and i1 %same.inputs, %same.outputs
  br i1 %counts, label %counted, label %wrong
counted:
  %n = add i64 %inputs, %outputs
  %records = alloca [3 x i64], i64 %n
  %io = alloca [3 x i64], i64 %n
  call void @vv.read(ptr %args, i64 %inputs, ptr %ports, ptr %records)
  %ports.out = getelementptr [2 x i64], ptr %ports, i64 %inputs
  %records.out = getelementptr [3 x i64], ptr %records, i64 %inputs
  call void @vv.read(ptr %rets, i64 %outputs, ptr %ports.out, ptr %records.out)
  %agree = call i1 @vv.agree(ptr %records, i64 %n, i64 %inputs)
  br i1 %agree, label %fit, label %wrong
fit:
  %last = sub i64 %n, 1
  %record = getelementptr [3 x i64], ptr %records, i64 %last
  {load_field("i64", "%record", 8, "%rows")}
  {load_field("i64", "%record", 16, "%type")}
  %single = icmp eq i64 %type, {VALUES["XLA_FFI_DataType_F32"]}
  %chunk.bytes = mul i64 %row_bytes, {ROWS_WIDENED}
  %wide.bytes = select i1 %single, i64 %chunk.bytes, i64 0
  %both = add i64 %buffer_bytes, %wide.bytes
  %bytes = add i64 %both, {LINE}
  %memory = call ptr %malloc(i64 %bytes)
  %none = icmp eq ptr %memory, null
  br i1 %none, label %full, label %ready
ready:
  %memory.up = getelementptr i8, ptr %memory, i64 {LINE - 1}
  %buffer = call ptr @llvm.ptrmask.p0.i64(ptr %memory.up, i64 -{LINE})
  br i1 %single, label %f32, label %f64
f64:
  call void @vv.io(ptr %io, ptr %records, ptr %ports, i64 %n, ptr null)
  %off = call i64 %batch(i64 %rows, ptr %io, ptr %buffer)
  br label %done
f32:
  %wide = getelementptr i8, ptr %buffer, i64 %buffer_bytes
  call void @vv.io(ptr %io, ptr %records, ptr %ports, i64 %n, ptr %wide)
  {loop("row", "%rows", _CHUNK_OF_ROWS, step=ROWS_WIDENED)}
  br label %done
done:
  call void %free(ptr %memory)
  ret ptr null
wrong:
  %error = call ptr @vv.refuse(ptr %frame, ptr @vv.wrong, i32 \
{VALUES["XLA_FFI_Error_Code_INVALID_ARGUMENT"]})
  ret ptr %error
full:
  %error.full = call ptr @vv.refuse(ptr %frame, ptr @vv.full, i32 \
{VALUES["XLA_FFI_Error_Code_RESOURCE_EXHAUSTED"]})
  ret ptr %error.full
}}"""
