"""A step again and again, as LLVM text: state → state, lanes across the batch.

A program whose outputs bear names of its inputs is a step: these are its state. One pass computes
the outputs and makes them the inputs of the next. Inputs that are no state stay as they are, or get
a row of a table for every pass. A lane rests when the program says that it is done: its state is
kept, and when all lanes of a tile rest the loop ends. States can be kept on the way, every so many
passes, or whenever the program says so.

Everything but the numbers is in `Control`, one struct of whole numbers, addresses and strides in
bytes; so a long repetition can be cut into calls, and goes on where it was.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from visviva.machine.code.driver import Driver, block_calls
from visviva.machine.code.lanes import loop, move_call
from visviva.machine.program.blocks import Layout

FIELDS = (
    "last",  # the pass before which this call ends, counted from the first call
    "period",  # passes between two states that are kept; not read where the program flags them
    "first",  # the number of the state that stands first in what is kept
    "cycle",  # rows of the tables: pass i gets row i modulo cycle
    "room",  # states that there is room for in every lane; read where the program flags them
    "tile_pass",  # address: i64 for every tile, the passes that it has done
    "kept",  # address: i64 for every row, the states that it has kept
    "resting",  # address: i64 for every row, not zero if it is done
    "passes",  # address: i64 for every row, the passes that it has done
)
SHORT_STEP = 1500  # instructions up to which sines and cosines are compiled in place
TABLE, HISTORY = 1, 3  # whole numbers after the fields: a stride a table; address and two strides


@dataclass(frozen=True)
class Repeat(Driver):
    """`@vv.repeat(rows, io, buffer, control)`; `io` is that of a batch, where outputs are states.

    `tables` are inputs that get a row for each pass, `kept` states that are kept; `until` and
    `flag` are outputs that say when a lane is done, and when its state is to be kept.
    """

    tables: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    until: str = ""
    flag: str = ""
    symbol: ClassVar[str] = "vv.repeat"
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * 3)

    def handed_on(self, layout: Layout) -> list[tuple[int, int]]:
        """Results that become the state, where no lane ever rests: the kernel itself writes it.

        Not where a result is another input: other drivers look for it where that one came in.
        """
        moves = _moves(layout, layout.program.results)
        computed = all(value >= layout.program.arguments for value, _ in moves)
        return moves if computed and not self._masked() else []

    def inlines(self, layout: Layout) -> bool:
        """Short programs gain; the code of large ones is too long already."""
        return len(layout.program.code) <= SHORT_STEP

    def text(self, layout: Layout, lanes: int) -> str:
        """It; tables of places and moves of tiles are those of the batch driver."""
        return f"""
declare i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1>)
define void @vv.repeat(i64 %rows, ptr %io, ptr %buffer, ptr %control) {{
  %active = alloca <{lanes} x i1>
  %wake = alloca <{lanes} x i8>
  %count = alloca <{lanes} x i64>
  %pass = alloca i64
  %table.row = alloca i64
  %until.kept = alloca i64
  %keep.at = alloca i64
  {_lines(_field(k, name) for k, name in enumerate(FIELDS))}
  {loop("row", "%rows", self._tile(layout, lanes), step=lanes)}
  ret void
}}"""

    def _masked(self) -> bool:
        return bool(self.until or self.flag)

    def _tile(self, layout: Layout, lanes: int) -> str:
        """All passes of this call for as many rows as there are lanes."""
        states = _states(layout)
        back = [
            move_call("scatter", f"back{k}", port, _output(layout, name))
            for name, k in states.items()
            for port in [(k, layout.program.inputs[k].size)]
        ]
        return f"""%left = sub i64 %rows, %row
  %valid = call i64 @llvm.umin.i64(i64 %left, i64 {lanes})
  call void @vv.inputs(i64 %row, i64 %valid, ptr %io, ptr %buffer)
  %tile = udiv i64 %row, {lanes}
  %tile.at = getelementptr i64, ptr %tile_pass, i64 %tile
  %begin = load i64, ptr %tile.at
  store i64 %begin, ptr %pass
  %begin.row = urem i64 %begin, %cycle
  store i64 %begin.row, ptr %table.row
  {self._first_period()}
  {self._wake(lanes) if self._masked() else ""}
  {_wait_if_full("before") if self.flag else ""}
  br label %again
again:
  %p = load i64, ptr %pass
  %more = icmp ult i64 %p, %last
  {self._anyone(lanes) if self._masked() else "%go = and i1 %more, true"}
  br i1 %go, label %one.pass, label %at.rest
one.pass:
  {self._rows_of_tables(layout)}
  {_lines(block_calls(layout))}
  {self._said(layout, lanes)}
  {self._advance(layout, lanes)}
  {self._count(lanes) if self._masked() else ""}
  %p.next = add i64 %p, 1
  store i64 %p.next, ptr %pass
  %r = load i64, ptr %table.row
  %r.up = add i64 %r, 1
  %r.full = icmp eq i64 %r.up, %cycle
  %r.next = select i1 %r.full, i64 0, i64 %r.up
  store i64 %r.next, ptr %table.row
  {self._keep(layout, lanes)}
  {self._rest(lanes) if self._masked() else ""}
  br label %again
at.rest:
  {self._sleep(lanes) if self._masked() else ""}
  %done.passes = load i64, ptr %pass
  store i64 %done.passes, ptr %tile.at
  {_lines(back)}"""

    def _first_period(self) -> str:
        """How far the next state to keep is, and where it goes."""
        if not self.kept or self.flag:
            return ""
        return """%begin.since = urem i64 %begin, %period
  %begin.until = sub i64 %period, %begin.since
  store i64 %begin.until, ptr %until.kept
  %begin.kept = udiv i64 %begin, %period
  %begin.next = add i64 %begin.kept, 1
  %begin.at = sub i64 %begin.next, %first
  store i64 %begin.at, ptr %keep.at"""

    def _wake(self, lanes: int) -> str:
        """Which lanes have a row that is not done."""
        body = """%w.row = add i64 %row, %w
  %w.at = getelementptr i64, ptr %resting, i64 %w.row
  %w.rests = load i64, ptr %w.at
  %w.up = icmp eq i64 %w.rests, 0
  %w.lane = getelementptr i8, ptr %wake, i64 %w
  %w.byte = zext i1 %w.up to i8
  store i8 %w.byte, ptr %w.lane"""
        return f"""store <{lanes} x i8> zeroinitializer, ptr %wake
  {loop("w", "%valid", body)}
  %wake.v = load <{lanes} x i8>, ptr %wake
  %wake.i = icmp ne <{lanes} x i8> %wake.v, zeroinitializer
  store <{lanes} x i1> %wake.i, ptr %active
  store <{lanes} x i64> zeroinitializer, ptr %count"""

    def _anyone(self, lanes: int) -> str:
        return f"""%up = load <{lanes} x i1>, ptr %active
  %anyone = call i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1> %up)
  %go = and i1 %more, %anyone"""

    def _count(self, lanes: int) -> str:
        return f"""%up.one = zext <{lanes} x i1> %up to <{lanes} x i64>
  %count.old = load <{lanes} x i64>, ptr %count
  %count.new = add <{lanes} x i64> %count.old, %up.one
  store <{lanes} x i64> %count.new, ptr %count"""

    def _rows_of_tables(self, layout: Layout) -> str:
        """This pass's row of every table into its input."""
        names = [port.name for port in layout.program.inputs]
        lines = []
        for i, name in enumerate(self.tables):
            k, at = names.index(name), len(FIELDS) + TABLE * i
            offset = f"""%t{i}.r = load i64, ptr %table.row
  {_number(f"%t{i}.stride", at)}
  %t{i}.off = mul i64 %t{i}.r, %t{i}.stride"""
            lines.append(offset)
            port = (k, layout.program.inputs[k].size)
            lines.append(move_call("gather", f"t{i}", port, k, f"%t{i}.off", shared=True))
        return _lines(lines)

    def _said(self, layout: Layout, lanes: int) -> str:
        """What the program says of this pass; it may be a number that the next one overwrites."""
        said = {"until": self.until, "flag": self.flag}
        return _lines(_truth(k, _result(layout, x), lanes) for k, x in said.items() if x)

    def _advance(self, layout: Layout, lanes: int) -> str:
        """Results become the state, in lanes that do not rest; all are read before any is lost."""
        if self.handed_on(layout):
            return ""
        T, align = f"<{lanes} x double>", f"align {lanes * 8}"
        reads: list[str] = []
        moves: list[str] = []
        for n, (source, place) in enumerate(_moves(layout, layout.places)):
            read = [
                f"%m{n}.from = getelementptr {T}, ptr %buffer, i64 {source}",
                f"%m{n} = load {T}, ptr %m{n}.from, {align}",
            ]
            (reads if source < layout.program.arguments else moves).extend(read)
            value = f"%m{n}"
            moves.append(f"%m{n}.to = getelementptr {T}, ptr %buffer, i64 {place}")
            if self._masked():
                moves.append(f"%m{n}.old = load {T}, ptr %m{n}.to, {align}")
                moves.append(f"%m{n}.new = select <{lanes} x i1> %up, {T} {value}, {T} %m{n}.old")
                value = f"%m{n}.new"
            moves.append(f"store {T} {value}, ptr %m{n}.to, {align}")
        return _lines([*reads, *moves])

    def _keep(self, layout: Layout, lanes: int) -> str:
        """The state into what is kept: of all lanes periodically, or of those that are flagged."""
        if not self.kept:
            return ""
        if self.flag:
            body = f"""%f.on = extractelement <{lanes} x i1> %flagged, i64 %f
  br i1 %f.on, label %keep.lane, label %keep.next
keep.lane:
  %f.row = add i64 %row, %f
  %f.kept.at = getelementptr i64, ptr %kept, i64 %f.row
  %f.kept = load i64, ptr %f.kept.at
  {_lines(self._one_lane(layout, i, name, lanes) for i, name in enumerate(self.kept))}
  %f.more = add i64 %f.kept, 1
  store i64 %f.more, ptr %f.kept.at
  br label %keep.next
keep.next:"""
            return f"""%flagged = and <{lanes} x i1> %flag.i, %up
  %flagged.any = call i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1> %flagged)
  br i1 %flagged.any, label %keep, label %kept.on
keep:
  {loop("f", str(lanes), body)}
  br label %kept.on
kept.on:"""
        calls = []
        for i, name in enumerate(self.kept):
            k = _states(layout)[name]
            at = len(FIELDS) + TABLE * len(self.tables) + HISTORY * i
            calls.append(f"""{_number(f"%h{i}.address", at, "ptr")}
  {_number(f"%h{i}.rs", at + 1)}
  {_number(f"%h{i}.stride", at + 2)}
  %h{i}.down = mul i64 %row, %h{i}.rs
  %h{i}.along = mul i64 %keep.now, %h{i}.stride
  %h{i}.off = add i64 %h{i}.down, %h{i}.along
  %h{i}.data = getelementptr i8, ptr %h{i}.address, i64 %h{i}.off
  call void @vv.scatter(ptr %h{i}.data, i64 %h{i}.rs, i64 8, i64 {layout.program.inputs[k].size}, \
i64 %valid, ptr %buffer, ptr @vv.places{k})""")
        return f"""%since = load i64, ptr %until.kept
  %since.less = sub i64 %since, 1
  %since.over = icmp eq i64 %since.less, 0
  %since.next = select i1 %since.over, i64 %period, i64 %since.less
  store i64 %since.next, ptr %until.kept
  br i1 %since.over, label %keep, label %kept.on
keep:
  %keep.now = load i64, ptr %keep.at
  {_lines(calls)}
  %keep.then = add i64 %keep.now, 1
  store i64 %keep.then, ptr %keep.at
  br label %kept.on
kept.on:"""

    def _one_lane(self, layout: Layout, i: int, name: str, lanes: int) -> str:
        """A lane's state into the place after those that it has kept."""
        k = _states(layout)[name]
        first = sum(port.size for port in layout.program.inputs[:k])
        at = len(FIELDS) + TABLE * len(self.tables) + HISTORY * i
        body = f"""%c{i}.place = add i64 %c{i}, {first}
  %c{i}.vector = mul i64 %c{i}.place, {lanes}
  %c{i}.lane = add i64 %c{i}.vector, %f
  %c{i}.from = getelementptr double, ptr %buffer, i64 %c{i}.lane
  %c{i}.x = load double, ptr %c{i}.from
  %c{i}.to = getelementptr double, ptr %h{i}.data, i64 %c{i}
  store double %c{i}.x, ptr %c{i}.to"""
        return f"""{_number(f"%h{i}.address", at, "ptr")}
  {_number(f"%h{i}.rs", at + 1)}
  {_number(f"%h{i}.stride", at + 2)}
  %h{i}.down = mul i64 %f.row, %h{i}.rs
  %h{i}.along = mul i64 %f.kept, %h{i}.stride
  %h{i}.off = add i64 %h{i}.down, %h{i}.along
  %h{i}.data = getelementptr i8, ptr %h{i}.address, i64 %h{i}.off
  {loop(f"c{i}", str(layout.program.inputs[k].size), body)}"""

    def _rest(self, lanes: int) -> str:
        """Who is done rests; where a lane has no room left the whole tile waits for the caller."""
        lines, up = [], "%up"
        if self.until:
            lines.append(f"""%awake = xor <{lanes} x i1> %until.i, {_all(lanes)}
  %up.left = and <{lanes} x i1> %up, %awake""")
            up = "%up.left"
        lines.append(f"store <{lanes} x i1> {up}, ptr %active")
        if self.flag:
            lines.append(f"""br i1 %flagged.any, label %full, label %full.on
full:
  {_wait_if_full("after")}
  br label %full.on
full.on:""")
        return _lines(lines)

    def _sleep(self, lanes: int) -> str:
        """Write down who is done, and after how many passes."""
        body = f"""%z.row = add i64 %row, %z
  %z.at = getelementptr i64, ptr %resting, i64 %z.row
  %z.up = extractelement <{lanes} x i1> %at.end, i64 %z
  %z.down = xor i1 %z.up, true
  %z.rests = zext i1 %z.down to i64
  store i64 %z.rests, ptr %z.at
  %z.count.at = getelementptr i64, ptr %passes, i64 %z.row
  %z.old = load i64, ptr %z.count.at
  %z.more = extractelement <{lanes} x i64> %count.end, i64 %z
  %z.new = add i64 %z.old, %z.more
  store i64 %z.new, ptr %z.count.at"""
        return f"""%at.end = load <{lanes} x i1>, ptr %active
  %count.end = load <{lanes} x i64>, ptr %count
  {loop("z", "%valid", body)}"""


def _states(layout: Layout) -> dict[str, int]:
    """Names of the states, and which inputs they are; in the order of the outputs."""
    inputs = [port.name for port in layout.program.inputs]
    return {y.name: inputs.index(y.name) for y in layout.program.outputs if y.name in inputs}


def _moves(layout: Layout, results: Iterable[int]) -> list[tuple[int, int]]:
    """What goes to which place of the work buffer, for every scalar of the state that changes."""
    starts, position = {}, 0
    for port in layout.program.inputs:
        starts[port.name] = position
        position += port.size
    moves, each = [], iter(results)
    for port in layout.program.outputs:
        own = [next(each) for _ in range(port.size)]
        if port.name in starts:
            moves += [(y, starts[port.name] + i) for i, y in enumerate(own)]
    return [(y, x) for y, x in moves if y != x]


def _output(layout: Layout, name: str) -> int:
    """Which entry of `io` an output is."""
    names = [port.name for port in layout.program.outputs]
    return len(layout.program.inputs) + names.index(name)


def _result(layout: Layout, name: str) -> int:
    """Where in the work buffer an output that is a scalar waits."""
    places = iter(layout.places)
    for port in layout.program.outputs:
        own = [next(places) for _ in range(port.size)]
        if port.name == name:
            return own[0]
    raise KeyError(name)


def _wait_if_full(tag: str) -> str:
    """Off to `at.rest` if a row of the tile has no room left: nothing is kept outside of it."""
    u = f"{tag}.u"
    body = f"""%{u}.row = add i64 %row, %{u}
  %{u}.at = getelementptr i64, ptr %kept, i64 %{u}.row
  %{u}.kept = load i64, ptr %{u}.at
  %{u}.full = icmp uge i64 %{u}.kept, %room
  br i1 %{u}.full, label %at.rest, label %{u}.on
{u}.on:"""
    return loop(u, "%valid", body)


def _truth(name: str, place: int, lanes: int) -> str:
    T = f"<{lanes} x double>"
    return f"""%{name}.at = getelementptr {T}, ptr %buffer, i64 {place}
  %{name}.x = load {T}, ptr %{name}.at, align {lanes * 8}
  %{name}.i = fcmp une {T} %{name}.x, zeroinitializer"""


def _number(register: str, position: int, kind: str = "i64") -> str:
    return f"""{register}.at = getelementptr i64, ptr %control, i64 {position}
  {register} = load {kind}, ptr {register}.at"""


def _field(position: int, name: str) -> str:
    kind = "ptr" if name in ("tile_pass", "kept", "resting", "passes") else "i64"
    return _number(f"%{name}", position, kind)


def _all(lanes: int) -> str:
    return "<" + ", ".join(["i1 true"] * lanes) + ">"


def _lines(lines: Iterable[str]) -> str:
    return "\n  ".join(lines)
