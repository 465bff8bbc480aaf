"""What calls look at, as LLVM text: quaternions of all rows, conditions and results of single ones.

All are cheap because nothing waits for them: the branches behind them are always the same.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from visviva.algebra.expr import CONSTANT
from visviva.machine.code.elementary.writer import number, splat
from visviva.machine.program.blocks import Layout
from visviva.machine.program.program import Port, Program

UNIT_SQUARED = 2e-6  # of a squared length: 1e-6 of the length


def units(inputs: tuple[Port, ...]) -> str:
    """Quaternions of the one row have length one, or off to careful hands, which say what is wrong.

    Here as in batches nan is none that is off: it gives nan.
    """
    starts = [(f"%data{k}", 8 * i, 8) for k, port in enumerate(inputs) for i in port.units]
    text, off_unit = _off_unit(starts, "double", "f64", number)
    return f"{text}\n  br i1 {off_unit}, label %odd, label %sound\nsound:" if starts else ""


def units_of_tile(inputs: tuple[Port, ...], lanes: int, buffer: str) -> tuple[str, str]:
    """The same of a tile in its work buffer, and the mask of lanes with one that is off."""
    size, starts, first = 8 * lanes, [], 0
    for port in inputs:
        starts += [(buffer, (first + i) * size, size) for i in port.units]
        first += port.size
    return _off_unit(starts, f"<{lanes} x double>", f"v{lanes}f64", splat)


def _off_unit(
    starts: list[tuple[str, int, int]], T: str, suffix: str, constant: Callable[[float], str]
) -> tuple[str, str]:
    """Lines that compare the squared length of quaternions with one, and the register that tells.

    Each stands at an address, so many bytes on, its numbers so many bytes apart.
    """
    mask = T.replace("double", "i1")
    lines, off = [], ""
    for n, (base, start, step) in enumerate(starts):
        u, total = f"%unit{n}", constant(-1.0)
        for i in range(4):
            x = f"{T} {u}.x{i}"
            lines.append(f"""{u}.p{i} = getelementptr i8, ptr {base}, i64 {start + i * step}
  {u}.x{i} = load {T}, ptr {u}.p{i}, align {step}
  {u}.t{i} = call {T} @llvm.fmuladd.{suffix}({x}, {x}, {T} {total})""")
            total = f"{u}.t{i}"
        lines.append(f"""{u}.rest = call {T} @llvm.fabs.{suffix}({T} {total})
  {u}.off = fcmp ogt {T} {u}.rest, {constant(UNIT_SQUARED)}""")
        if off:
            lines.append(f"{u}.all = or {mask} {off}, {u}.off")
        off = f"{u}.all" if off else f"{u}.off"
    return "\n  ".join(lines), off


def conditions(layout: Layout, lanes: int, kernel: str) -> tuple[str, str]:
    """Lines that ask the conditions of one row in `%buffer`; whether one of them is violated."""
    if layout.least_margin is None:
        return "", "false"
    T = f"<{lanes} x double>"
    return (
        f"""call void @{kernel}.watch(ptr %buffer)
  %margin.at = getelementptr {T}, ptr %buffer, i64 {layout.least_margin}
  %margin = load double, ptr %margin.at, align 8
  %violated = fcmp olt double %margin, 0.0""",
        "%violated",
    )


def finite(layout: Layout, lanes: int, unrolled: int) -> tuple[str, str]:
    """Lines that look at the results of one row in `%buffer`; whether all are finite.

    A result that is nan or infinite is a case for careful hands, which ask for the reason. The sum
    of all results tells: it is finite unless one of them is not, or it overflows. Nobody waits for
    it: the branch is as good as always the same. Ports too long for that are written first.
    """
    program, places = layout.program, dict(zip(layout.program.results, layout.places, strict=True))
    lines, terms, start = [], [], 0
    seen = {v for v in program.results if _is_finite_constant(program, v)}
    for k, port in enumerate(program.outputs):
        values, start = program.results[start : start + port.size], start + port.size
        if port.size > unrolled:
            lines.append(f"%sum{k} = call double @vv.sum(ptr %to{k}, i64 {port.size})")
            terms.append(f"%sum{k}")
            continue
        for value in (x for x in dict.fromkeys(values) if x not in seen):
            seen.add(value)
            x, T = f"%value{value}", f"<{lanes} x double>"
            lines.append(f"""{x}.at = getelementptr {T}, ptr %buffer, i64 {places[value]}
  {x} = load double, ptr {x}.at, align 8""")
            terms.append(x)
    count = 0
    while len(terms) > 1:  # in pairs: a sum one by one would take as long as the results did
        pairs, terms = zip(terms[::2], terms[1::2], strict=False), terms[len(terms) // 2 * 2 :]
        for x, y in pairs:
            lines.append(f"%total{count} = fadd double {x}, {y}")
            terms.append(f"%total{count}")
            count += 1
    total = terms[0] if terms else "0.0"
    lines.append(f"""%total.rest = fsub double {total}, {total}
  %finite = fcmp oeq double %total.rest, 0.0""")
    return "\n  ".join(lines), "%finite"


def _is_finite_constant(program: Program, value: int) -> bool:
    if value < program.arguments:
        return False
    op, *args = program.code[value - program.arguments]
    return op == CONSTANT and isfinite(args[0])


SUM = """
define internal double @vv.sum(ptr %x, i64 %n) {
entry:
  %whole = and i64 %n, -8
  br label %wide
wide:
  %i = phi i64 [0, %entry], [%next, %more]
  %acc = phi <8 x double> [zeroinitializer, %entry], [%added, %more]
  %done = icmp eq i64 %i, %whole
  br i1 %done, label %tail, label %more
more:
  %p = getelementptr double, ptr %x, i64 %i
  %v = load <8 x double>, ptr %p, align 8
  %added = fadd <8 x double> %acc, %v
  %next = add i64 %i, 8
  br label %wide
tail:
  %sum = call reassoc double @llvm.vector.reduce.fadd.v8f64(double 0.0, <8 x double> %acc)
  br label %single
single:
  %j = phi i64 [%whole, %tail], [%after, %one]
  %s = phi double [%sum, %tail], [%plus, %one]
  %end = icmp eq i64 %j, %n
  br i1 %end, label %leave, label %one
one:
  %q = getelementptr double, ptr %x, i64 %j
  %y = load double, ptr %q, align 8
  %plus = fadd double %s, %y
  %after = add i64 %j, 1
  br label %single
leave:
  ret double %s
}
"""
