"""Around the kernel: rows of numpy arrays into lanes and back, as LLVM text.

Arrays come as (rows, columns) with any strides. A tile is as many rows as there are lanes. Its
columns are gathered into the work buffer, one vector a scalar, where the kernel finds them. Equal
outputs share a vector, as do constant ones: a mass matrix is symmetric and full of zeros. The last
tile repeats the last row in its idle lanes: no lane ever computes on rubbish.
"""

from __future__ import annotations

import ctypes

from visviva.machine.code import imports, watch
from visviva.machine.code.driver import Driver
from visviva.machine.code.lanes import apart, gather, loop, scatter
from visviva.machine.program.blocks import Layout
from visviva.machine.program.program import Port

WORK = 200_000_000  # operations, about a tenth of a second, between two looks at what interrupts
SHARES = 80  # of that work: from so much on a thread of its own gives more than it costs
LIBM_WORK = 64  # operations that take the time of one call of the C library
TILES = 4  # that go through a block together, so that the code of a large program is fetched less


def tiles(layout: Layout) -> int:
    """How many tiles, and so work buffers, are under way together."""
    return TILES if len(layout.blocks) > 1 else 1


def buffer_bytes(layout: Layout, lanes: int) -> int:
    """How large the work buffers of all tiles under way are together."""
    return layout.vectors * tiles(layout) * lanes * 8


def rows_at_once(layout: Layout, lanes: int) -> int:
    """How many rows run before somebody looks whether they are still wanted; whole tiles.

    None if there is nothing to compute: then rows can be more than anybody could count.
    """
    program = layout.program
    if not any(port.size for port in program.outputs):
        return 0
    ports = sum(port.size for port in (*program.inputs, *program.outputs))
    calls = sum(n for op, n in program.operations.items() if op in imports.LIBM)
    work = 1 + ports + len(program.code) + LIBM_WORK * calls
    together = lanes * tiles(layout)
    return max(WORK // work // together, 1) * together


def rows_for_a_thread(layout: Layout, lanes: int) -> int:
    """How many rows are worth a thread of their own."""
    return max(rows_at_once(layout, lanes) // SHARES, 1)


class Batch(Driver):
    """`@vv.batch(rows, io, buffer)`; `io` holds (address, row stride, column stride) per port.

    It gives whether a quaternion of a row has not length one: a number that is zero if none.
    """

    symbol = "vv.batch"
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)

    def text(self, layout: Layout, lanes: int) -> str:
        """It, and `@vv.inputs` and `@vv.outputs`, which move one tile of every port."""
        program, spare = layout.program, layout.vectors - 1
        inputs, outputs, sources = program.inputs, program.outputs, list(range(program.arguments))
        return f"""
declare i64 @llvm.umin.i64(i64, i64)
{_move_ports("vv.inputs", "gather", inputs, 0, sources, spare, lanes)}
{_move_ports("vv.outputs", "scatter", outputs, len(inputs), layout.places, spare, lanes)}
define i64 @vv.batch(i64 %rows, ptr %io, ptr %buffer) {{
  %off.units = alloca <{lanes} x i1>
  store <{lanes} x i1> zeroinitializer, ptr %off.units
  {loop("row", "%rows", _some_tiles(layout, lanes), step=lanes * tiles(layout))}
  %off = load <{lanes} x i1>, ptr %off.units
  %off.bits = bitcast <{lanes} x i1> %off to i{lanes}
  %off.rows = zext i{lanes} %off.bits to i64
  ret i64 %off.rows
}}
{gather(lanes)}
{scatter(lanes)}"""

    def functions(self, lanes: int) -> list[str]:
        """What copies tiles that are not contiguous."""
        return apart(lanes)


def _some_tiles(layout: Layout, lanes: int) -> str:
    """As many tiles as go together, stage by stage: inputs, block after block, outputs."""
    tile_bytes = layout.vectors * lanes * 8

    def each_tile(stage: str, call: str) -> str:
        body = f"""%{stage}.offset = mul i64 %{stage}, {tile_bytes}
  %{stage}.buffer = getelementptr i8, ptr %buffer, i64 %{stage}.offset
  %{stage}.rows = mul i64 %{stage}, {lanes}
  %{stage}.row = add i64 %row, %{stage}.rows
  %{stage}.left = sub i64 %rows, %{stage}.row
  %{stage}.valid = call i64 @llvm.umin.i64(i64 %{stage}.left, i64 {lanes})
  {call}"""
        return loop(stage, "%active", body)

    def move(stage: str, function: str, after: str = "") -> str:
        arguments = f"i64 %{stage}.row, i64 %{stage}.valid, ptr %io, ptr %{stage}.buffer"
        return each_tile(stage, f"call void @{function}({arguments})\n  {after}")

    text, off_unit = watch.units_of_tile(layout.program.inputs, lanes, "%in.buffer")
    units = f"""{text}
  %off.before = load <{lanes} x i1>, ptr %off.units
  %off.after = or <{lanes} x i1> %off.before, {off_unit}
  store <{lanes} x i1> %off.after, ptr %off.units"""
    stages = [move("in", "vv.inputs", units if off_unit else "")]
    for b, _ in enumerate(layout.blocks):
        stages.append(each_tile(f"b{b}", f"call void @vv.block{b}(ptr %b{b}.buffer)"))
    stages.append(move("out", "vv.outputs"))
    return f"""%left = sub i64 %rows, %row
  %left.up = add i64 %left, {lanes - 1}
  %left.tiles = udiv i64 %left.up, {lanes}
  %active = call i64 @llvm.umin.i64(i64 %left.tiles, i64 {tiles(layout)})
  """ + "\n  ".join(stages)


def _move_ports(
    name: str,
    kind: str,
    ports: tuple[Port, ...],
    index: int,
    places: list[int],
    spare: int,
    lanes: int,
) -> str:
    """A function that gathers or scatters one tile of every port, by a table of places each."""
    lines, tables, start = [], [], 0
    for k, port in enumerate(ports, index):
        own = places[start : start + port.size]
        own += [spare] * (-port.size % lanes)  # a narrow square moves whole vectors
        entries = ", ".join(f"i32 {place * lanes * 8}" for place in own)
        tables.append(f"@vv.places{k} = internal constant [{len(own)} x i32] [{entries}]")
        size = f"i64 {port.size}"
        lines.append(f"""%io{k} = getelementptr i64, ptr %io, i64 {3 * k}
  %address{k} = load ptr, ptr %io{k}
  %io{k}.rs = getelementptr i64, ptr %io, i64 {3 * k + 1}
  %rs{k} = load i64, ptr %io{k}.rs
  %io{k}.cs = getelementptr i64, ptr %io, i64 {3 * k + 2}
  %cs{k} = load i64, ptr %io{k}.cs
  %offset{k} = mul i64 %row, %rs{k}
  %data{k} = getelementptr i8, ptr %address{k}, i64 %offset{k}
  call void @vv.{kind}(ptr %data{k}, i64 %rs{k}, i64 %cs{k}, {size}, i64 %valid, ptr %buffer, \
ptr @vv.places{k})
""")
        start += port.size
    return f"""{chr(10).join(tables)}
define internal void @{name}(i64 %row, i64 %valid, ptr %io, ptr %buffer) alwaysinline {{
  {"  ".join(lines)}  ret void
}}"""
