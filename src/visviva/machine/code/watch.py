"""What single calls look at, as LLVM text in the fast way in: quaternions, and results.

Both are cheap because nothing waits for them: the branches behind them are always the same.
"""

from __future__ import annotations

from math import isfinite

from visviva.algebra.expr import CONSTANT
from visviva.machine.program.program import Port, Program

UNIT_SQUARED = 2e-6  # of a squared length: 1e-6 of the length


def units(inputs: tuple[Port, ...]) -> str:
    """Quaternions have length one, or off to careful hands, which say what is wrong."""
    lines, all_good = [], ""
    for k, port in enumerate(inputs):
        for start in port.units:
            u, total = f"%unit{k}.{start}", "-1.0"
            for i in range(4):
                lines.append(f"""{u}.p{i} = getelementptr double, ptr %data{k}, i64 {start + i}
  {u}.x{i} = load double, ptr {u}.p{i}, align 8
  {u}.s{i} = fmul double {u}.x{i}, {u}.x{i}
  {u}.t{i} = fadd double {total}, {u}.s{i}""")
                total = f"{u}.t{i}"
            lines.append(f"""{u}.off = call double @llvm.fabs.f64(double {total})
  {u}.good = fcmp ole double {u}.off, {UNIT_SQUARED:.20e}""")
            if all_good:
                lines.append(f"{u}.all = and i1 {all_good}, {u}.good")
            all_good = f"{u}.all" if all_good else f"{u}.good"
    if not all_good:
        return ""
    return "\n  ".join([*lines, f"br i1 {all_good}, label %sound, label %careful\nsound:"])


def finite(program: Program, unrolled: int) -> str:
    """A result that is nan or infinite is a case for careful hands, which ask for the reason.

    The sum of all results tells: it is finite unless one of them is not, or it overflows. Nobody
    waits for it: the branch is as good as always the same.
    """
    lines, terms, start = [], [], 0
    seen = {v for v in program.results if _is_finite_constant(program, v)}
    for k, port in enumerate(program.outputs, len(program.inputs)):
        values, start = program.results[start : start + port.size], start + port.size
        if port.size > unrolled:
            data = f"%result{k - len(program.inputs)}"
            lines.append(f"%sum{k} = call double @vv.sum(ptr {data}, i64 {port.size})")
            terms.append(f"%sum{k}")
        else:
            for i, value in enumerate(values):
                if value not in seen:
                    seen.add(value)
                    terms.append(f"%m{k}.{i}")
    count = 0
    while len(terms) > 1:  # in pairs: a sum one by one would take as long as the results did
        pairs, terms = zip(terms[::2], terms[1::2], strict=False), terms[len(terms) // 2 * 2 :]
        for x, y in pairs:
            lines.append(f"%total{count} = fadd double {x}, {y}")
            terms.append(f"%total{count}")
            count += 1
    total = terms[0] if terms else "0.0"
    lines.append(f"""%total.rest = fsub double {total}, {total}
  %finite = fcmp oeq double %total.rest, 0.0
  br i1 %finite, label %good, label %odd
good:""")
    return "\n  ".join(lines)


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
