"""Columns of a row-major array into vectors and back, as LLVM text.

`gather(data, rs, cs, n, valid, vectors)` copies `valid` rows of n columns, `rs` and `cs` bytes
apart, to n vectors with a row in every lane; `scatter` copies them back. Where columns are
contiguous, squares of `lanes` × `lanes` are transposed in registers; the last square may be narrow
and is masked.
"""

from __future__ import annotations


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
    element = f"""%e.last = sub i64 %valid, 1
  %e.row = call i64 @llvm.umin.i64(i64 %i, i64 %e.last)
  {_element("%e.row", lanes)}
  %e.x = load double, ptr %e.data, align 1
  store double %e.x, ptr %e.lane, align 8"""
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
        element=loop("k", "%n", loop("i", str(lanes), element)),
    )


def scatter(lanes: int) -> str:
    """`@vv.scatter`; lanes without a row of their own are dropped."""
    T, M, align = f"<{lanes} x double>", f"<{lanes} x i1>", lanes * 8
    masked_store = f"call void @llvm.masked.store.v{lanes}f64.p0"
    load = f"{{x}} = load {T}, ptr %vec{{i}}, align {align}"
    element = f"""{_element("%i", lanes)}
  %e.x = load double, ptr %e.lane, align 8
  store double %e.x, ptr %e.data, align 1"""
    return _copy(
        "scatter",
        lanes,
        whole=(load, f"store {T} {{x}}, ptr %row{{i}}, align 1"),
        narrow=(load, f"{masked_store}({T} {{x}}, ptr %row{{i}}, i32 1, {M} %mask)"),
        element=loop("k", "%n", loop("i", "%valid", element)),
    )


def _copy(
    kind: str, lanes: int, whole: tuple[str, str], narrow: tuple[str, str], element: str
) -> str:
    """The function around it: addresses, whole and narrow squares, or element by element."""
    V, zeros = f"<{lanes} x i64>", f"<{lanes} x i32> zeroinitializer"
    ids = ", ".join(f"i64 {i}" for i in range(lanes))
    rows = [f"%row{i} = getelementptr i8, ptr %row{i - 1}, i64 %rs" for i in range(1, lanes)]
    vectors = [
        f"%vec{i} = getelementptr i8, ptr %vec0, i64 {i * lanes * 8}" for i in range(1, lanes)
    ]
    squares = f"""%row.offset = mul i64 %j, 8
  %row0 = getelementptr i8, ptr %data, i64 %row.offset
  {_lines(rows)}
  %vec.offset = mul i64 %j, {lanes * 8}
  %vec0 = getelementptr i8, ptr %vectors, i64 %vec.offset
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
    parameters = "ptr %data, i64 %rs, i64 %cs, i64 %n, i64 %valid, ptr %vectors"
    return f"""
define internal void @vv.{kind}({parameters}) noinline {{
  %contiguous = icmp eq i64 %cs, 8
  %complete = icmp eq i64 %valid, {lanes}
  %fast = and i1 %contiguous, %complete
  br i1 %fast, label %squares, label %elements
squares:
  {loop("j", "%n", squares, step=lanes)}
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


def _element(row: str, lanes: int) -> str:
    """Addresses of one element in the array and in its vector."""
    return f"""%e.down = mul i64 {row}, %rs
  %e.across = mul i64 %k, %cs
  %e.offset = add i64 %e.down, %e.across
  %e.data = getelementptr i8, ptr %data, i64 %e.offset
  %e.vector = mul i64 %k, {lanes}
  %e.index = add i64 %e.vector, %i
  %e.lane = getelementptr double, ptr %vectors, i64 %e.index"""


def _lines(lines: list[str]) -> str:
    return "\n  ".join(lines)
