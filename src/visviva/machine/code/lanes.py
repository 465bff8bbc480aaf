"""Columns of a row-major array into vectors and back, as LLVM text.

`gather(data, rs, cs, n, valid, buffer, table)` copies `valid` rows of n columns, `rs` and `cs`
bytes apart, to vectors of the buffer with a row in every lane; `scatter` copies them back. The
table says which vector belongs to which column. Where columns are contiguous, squares of `lanes` ×
`lanes` are transposed in registers; the last square may be narrow and is masked. Where rows are
adjacent (Fortran order) a column is a vector already. A single row has a loop of its own: calls on
single vectors are common. Both are compiled with every program, whose numbers of columns they know;
what is seldom needed is `apart`, the same for all programs.
"""

from __future__ import annotations

PARAMETERS = "ptr %data, i64 %rs, i64 %cs, i64 %n, i64 %valid, ptr %buffer, ptr %table"


def loop(i: str, count: str, body: str, step: int = 1) -> str:
    """`for %i in range(0, count, step): body`, as basic blocks; leaves us in the last, `i.end`."""
    return f"""br label %{i}.start
{i}.start:
  br label %{i}.head
{i}.head:
  %{i} = phi i64 [0, %{i}.start], [%{i}.next, %{i}.latch]
  %{i}.in = icmp ult i64 %{i}, {count}
  br i1 %{i}.in, label %{i}.body, label %{i}.end
{i}.body:
  {body}
  br label %{i}.latch
{i}.latch:
  %{i}.next = add i64 %{i}, {step}
  br label %{i}.head
{i}.end:"""


def gather(lanes: int) -> str:
    """`@vv.gather`; lanes without a row of their own repeat the last one."""
    T, M, align = f"<{lanes} x double>", f"<{lanes} x i1>", lanes * 8
    masked_load = f"call {T} @llvm.masked.load.v{lanes}f64.p0"
    single = f"""{_element("0", "o", "0")}
  %s.x = load double, ptr %e.data, align 1
  %s.0 = insertelement {T} poison, double %s.x, i64 0
  %s.v = shufflevector {T} %s.0, {T} poison, <{lanes} x i32> zeroinitializer
  store {T} %s.v, ptr %e.lane, align {align}""".replace("%e.", "%o.")
    return _copy(
        "gather",
        lanes,
        whole=(
            f"{{x}} = load {T}, ptr %row{{i}}, align 1",
            f"store {T} {{x}}, ptr %vec{{i}}, align {align}",
        ),
        narrow=(
            f"{{x}} = {masked_load}(ptr %row{{i}}, i32 1, {M} %mask, {T} zeroinitializer)",
            f"store {T} {{x}}, ptr %vec{{i}}, align {align}",
        ),
        single=loop("o", "%n", single),
    )


def scatter(lanes: int) -> str:
    """`@vv.scatter`; lanes without a row of their own are dropped."""
    T, M, align = f"<{lanes} x double>", f"<{lanes} x i1>", lanes * 8
    masked_store = f"call void @llvm.masked.store.v{lanes}f64.p0"
    load = f"{{x}} = load {T}, ptr %vec{{i}}, align {align}"
    single = f"""{_element("0", "o", "0")}
  %e.x = load double, ptr %e.lane, align 8
  store double %e.x, ptr %e.data, align 1""".replace("%e.", "%o.")
    return _copy(
        "scatter",
        lanes,
        whole=(load, f"store {T} {{x}}, ptr %row{{i}}, align 1"),
        narrow=(load, f"{masked_store}({T} {{x}}, ptr %row{{i}}, i32 1, {M} %mask)"),
        single=loop("o", "%n", single),
    )


def apart(lanes: int) -> list[str]:
    """`@vv.gather.apart` and `@vv.scatter.apart`, for rows with gaps and tiles with few rows.

    Both know nothing of the program that calls them.
    """
    T, align = f"<{lanes} x double>", lanes * 8
    gathered = f"""%e.last = sub i64 %valid, 1
  %e.row = call i64 @llvm.umin.i64(i64 %i, i64 %e.last)
  {_element("%e.row", "k", "%i")}
  %e.x = load double, ptr %e.data, align 1
  store double %e.x, ptr %e.lane, align 8"""
    scattered = f"""{_element("%i", "k", "%i")}
  %e.x = load double, ptr %e.lane, align 8
  store double %e.x, ptr %e.data, align 1"""
    return [
        _apart(
            "gather",
            lanes,
            column=f"""{_column()}
  %c.x = load {T}, ptr %c.data, align 8
  store {T} %c.x, ptr %c.vector, align {align}""",
            element=loop("k", "%n", loop("i", str(lanes), gathered)),
        ),
        _apart(
            "scatter",
            lanes,
            column=f"""{_column()}
  %c.x = load {T}, ptr %c.vector, align {align}
  store {T} %c.x, ptr %c.data, align 8""",
            element=loop("k", "%n", loop("i", "%valid", scattered)),
        ),
    ]


def move_call(
    kind: str, tag: str, port: tuple[int, int], entry: int, offset: str = "0", shared: bool = False
) -> str:
    """Gather or scatter a tile of an input's place, from or to the array of an entry of `io`.

    What may be `shared` is gathered as a single row where all rows are one: it goes to all lanes.
    """
    k, size = port
    valid = f"%{tag}.valid" if shared else "%valid"
    one = f"""%{tag}.one = icmp eq i64 %{tag}.rs, 0
  {valid} = select i1 %{tag}.one, i64 1, i64 %valid"""
    return f"""%{tag}.io = getelementptr i64, ptr %io, i64 {3 * entry}
  %{tag}.address = load ptr, ptr %{tag}.io
  %{tag}.io.rs = getelementptr i64, ptr %io, i64 {3 * entry + 1}
  %{tag}.rs = load i64, ptr %{tag}.io.rs
  %{tag}.io.cs = getelementptr i64, ptr %io, i64 {3 * entry + 2}
  %{tag}.cs = load i64, ptr %{tag}.io.cs
  %{tag}.down = mul i64 %row, %{tag}.rs
  %{tag}.offset = add i64 %{tag}.down, {offset}
  %{tag}.data = getelementptr i8, ptr %{tag}.address, i64 %{tag}.offset
  {one if shared else ""}
  call void @vv.{kind}(ptr %{tag}.data, i64 %{tag}.rs, i64 %{tag}.cs, i64 {size}, i64 {valid}, \
ptr %buffer, ptr @vv.places{k})"""


def _copy(
    kind: str,
    lanes: int,
    whole: tuple[str, str],
    narrow: tuple[str, str],
    single: str,
) -> str:
    """The function around it: whole and narrow squares, or a single row; others are set apart."""
    V, zeros = f"<{lanes} x i64>", f"<{lanes} x i32> zeroinitializer"
    ids = ", ".join(f"i64 {i}" for i in range(lanes))
    rows = [f"%row{i} = getelementptr i8, ptr %row{i - 1}, i64 %rs" for i in range(1, lanes)]
    vectors = [_vector(f"vec{i}", f"%j{i}") for i in range(lanes)]
    columns = [f"%j{i} = add i64 %j, {i}" for i in range(lanes)]
    squares = f"""%row.offset = mul i64 %j, 8
  %row0 = getelementptr i8, ptr %data, i64 %row.offset
  {_lines(rows)}
  {_lines(columns)}
  {_lines(vectors)}
  %columns = sub i64 %n, %j
  %enough = icmp uge i64 %columns, {lanes}
  br i1 %enough, label %whole, label %narrow
whole:
  {_square("w", lanes, *whole)}
  br label %copied
narrow:
  %columns.0 = insertelement {V} poison, i64 %columns, i64 0
  %columns.v = shufflevector {V} %columns.0, {V} poison, {zeros}
  %mask = icmp ult {V} <{ids}>, %columns.v
  {_square("n", lanes, *narrow)}
  br label %copied
copied:"""
    return f"""
define internal void @vv.{kind}({PARAMETERS}) noinline {{
  %contiguous = icmp eq i64 %cs, 8
  %complete = icmp eq i64 %valid, {lanes}
  %fast = and i1 %contiguous, %complete
  br i1 %fast, label %squares, label %strided
strided:
  %alone = icmp eq i64 %valid, 1
  br i1 %alone, label %one, label %apart
one:
  {single}
  ret void
squares:
  {loop("j", "%n", squares, step=lanes)}
  ret void
apart:
  call void @vv.{kind}.apart({PARAMETERS})
  ret void
}}"""


def _apart(kind: str, lanes: int, column: str, element: str) -> str:
    """The function for the others: column by column, or element by element."""
    return f"""
define internal void @vv.{kind}.apart({PARAMETERS}) noinline {{
  %complete = icmp eq i64 %valid, {lanes}
  %adjacent = icmp eq i64 %rs, 8
  %vectors = and i1 %adjacent, %complete
  br i1 %vectors, label %columns, label %elements
columns:
  {loop("c", "%n", column)}
  ret void
elements:
  {element}
  ret void
}}"""


def _square(tag: str, lanes: int, load: str, store: str) -> str:
    """Load, transpose by swapping ever smaller off-diagonal squares, store."""
    T = f"<{lanes} x double>"
    lines = [load.format(x=f"%{tag}{lanes}_{i}", i=i) for i in range(lanes)]
    size = lanes
    while size > 1:
        half = size // 2
        for i in range(lanes):
            upper, lower = i & ~half, i | half
            picks = [_pick(c, half, lanes, i & half) for c in range(lanes)]
            mask = ", ".join(f"i32 {p}" for p in picks)
            lines.append(
                f"%{tag}{half}_{i} = shufflevector {T} %{tag}{size}_{upper}, "
                f"{T} %{tag}{size}_{lower}, <{lanes} x i32> <{mask}>"
            )
        size = half
    lines += [store.format(x=f"%{tag}1_{i}", i=i) for i in range(lanes)]
    return _lines(lines)


def _pick(column: int, half: int, lanes: int, in_lower_row: int) -> int:
    """Which element of (upper row, lower row) comes to a column when off-diagonals are swapped."""
    if column & half:
        return lanes + column if in_lower_row else lanes + column - half
    return column + half if in_lower_row else column


def _element(row: str, column: str, lane: str) -> str:
    """Addresses of one element in the array and in its vector."""
    return f"""%e.down = mul i64 {row}, %rs
  %e.across = mul i64 %{column}, %cs
  %e.offset = add i64 %e.down, %e.across
  %e.data = getelementptr i8, ptr %data, i64 %e.offset
  {_vector("e.vector", f"%{column}")}
  %e.lane = getelementptr double, ptr %e.vector, i64 {lane}"""


def _column() -> str:
    """Addresses of the numbers of a tile in one column, and of their vector."""
    return f"""%c.across = mul i64 %c, %cs
  %c.data = getelementptr i8, ptr %data, i64 %c.across
  {_vector("c.vector", "%c")}"""


def _vector(name: str, column: str) -> str:
    """The address of a column's vector."""
    return f"""%{name}.entry = getelementptr i32, ptr %table, i64 {column}
  %{name}.place = load i32, ptr %{name}.entry, align 4
  %{name}.offset = zext i32 %{name}.place to i64
  %{name} = getelementptr i8, ptr %buffer, i64 %{name}.offset"""


def _lines(lines: list[str]) -> str:
    return "\n  ".join(lines)
