"""Elementary functions of the compiled code, as LLVM text over vectors of `lanes` doubles.

Sine and cosine of one angle are computed together: reduction by multiples of π/2 in three parts
(Cody and Waite, with fused multiply-add), then a polynomial each. Everything else, and angles
beyond `LARGEST_ANGLE`, goes lane by lane to the C library, once only if all lanes are equal. What
a lane gets never depends on its neighbours.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Collection, Sequence

from visviva.algebra.ops import OPS
from visviva.machine.code import imports
from visviva.machine.code.cpu import Cpu

LARGEST_ANGLE = 1e5  # up to here the reduction keeps sine and cosine within 2 ulp

# π/2 = the sum of these, each rounded to double: together 160 bits
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
TWO_OVER_PI = 0.6366197723675814
SPLAT = re.compile(r"splat \(double \w+\)")
ROUND = 6755399441055744.0  # 1.5·2⁵²: adding it rounds to an integer, left in the low bits

# sin r = r + r³·S(r²) and cos r = 1 - r²/2 + r⁴·C(r²) for |r| ≤ π/4: Chebyshev fits, lowest
# power first; fits and their rounding are off by 4e-17 at most (tested)
SIN = (
    -0.16666666666666666,
    0.008333333333330925,
    -0.00019841269836722437,
    2.755731608382574e-06,
    -2.505112794596564e-08,
    1.591784866512194e-10,
)
COS = (
    0.041666666666666664,
    -0.0013888888888887382,
    2.480158729874308e-05,
    -2.755731726001471e-07,
    2.0876143829213935e-09,
    -1.1382456865840483e-11,
)


def number(x: float) -> str:
    """A double as LLVM reads it: by its bits."""
    return "0x" + struct.pack(">d", x).hex().upper()


def splat(x: float) -> str:
    """An LLVM constant: a vector with one number in all lanes."""
    return f"splat (double {number(x)})"


def definitions(names: Collection[str], lanes: int, cpu: Cpu, inlined: bool = False) -> str:
    """Definitions of `@vv.<name>` for the names; `sincos`, if among them, may be inlined."""
    text = []
    libm = set(names) - {"sincos"}
    if "sincos" in names:
        libm |= {"sin", "cos"}
        sincos = _sincos(lanes) if cpu.has_fma else _sincos_libm(lanes)
        if inlined and cpu.has_fma:
            sincos = sincos.replace(") noinline {", ") alwaysinline {")
        text.append(in_memory(sincos, "@vv.constants", lanes, cpu))
    text += [_libm(name, lanes) for name in sorted(libm)]
    return "\n".join(text)


def _libm(name: str, lanes: int) -> str:
    """The C library's function, lane by lane."""
    T = f"<{lanes} x double>"
    xs = [f"%x{i}" for i in range(OPS[name].arity)]
    parameters = ", ".join(f"{T} {x}" for x in xs)
    first = "\n  ".join(f"{x}.f = extractelement {T} {x}, i64 0" for x in xs)
    lane = "\n  ".join(f"{x}.l = extractelement {T} {x}, i64 %i" for x in xs)
    same = "\n  ".join(_same_in_all_lanes(x, lanes) for x in xs)
    both = f"%same = and i1 {xs[0]}.same, {xs[-1]}.same"
    return f"""
define internal {T} @vv.{name}({parameters}) noinline {{
entry:
  {imports.load(name, "%f")}
  {same}
  {both}
  br i1 %same, label %once, label %each
once:
  {first}
  %y0 = call double %f({", ".join(f"double {x}.f" for x in xs)})
  %v0 = insertelement {T} poison, double %y0, i64 0
  %v = shufflevector {T} %v0, {T} poison, <{lanes} x i32> zeroinitializer
  ret {T} %v
each:
  %i = phi i64 [0, %entry], [%next, %each]
  %done = phi {T} [poison, %entry], [%more, %each]
  {lane}
  %y = call double %f({", ".join(f"double {x}.l" for x in xs)})
  %more = insertelement {T} %done, double %y, i64 %i
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, {lanes}
  br i1 %again, label %each, label %end
end:
  ret {T} %more
}}"""


def _same_in_all_lanes(x: str, lanes: int) -> str:
    T, L = f"<{lanes} x double>", f"<{lanes} x i64>"
    return f"""{x}.b = bitcast {T} {x} to {L}
  {x}.s = shufflevector {L} {x}.b, {L} poison, <{lanes} x i32> zeroinitializer
  {x}.e = icmp eq {L} {x}.b, {x}.s
  {x}.same = call i1 @llvm.vector.reduce.and.v{lanes}i1(<{lanes} x i1> {x}.e)"""


def _sincos_libm(lanes: int) -> str:
    """Where the machine has no fused multiply-add."""
    T = f"<{lanes} x double>"
    return f"""
define internal {{{T}, {T}}} @vv.sincos({T} %x) noinline {{
  %s = call {T} @vv.sin({T} %x)
  %c = call {T} @vv.cos({T} %x)
  {_returned(T, "%s", "%c")}
}}"""


def _returned(T: str, s: str, c: str) -> str:
    """Return the pair; the registers are named after the sine's."""
    return f"""{s}.p = insertvalue {{{T}, {T}}} poison, {T} {s}, 0
  {s}.q = insertvalue {{{T}, {T}}} {s}.p, {T} {c}, 1
  ret {{{T}, {T}}} {s}.q"""


def _sincos(lanes: int) -> str:
    T, L, M = f"<{lanes} x double>", f"<{lanes} x i64>", f"<{lanes} x i1>"

    def fma(result: str, a: str, b: str, c: str) -> str:
        return f"{result} = call {T} @llvm.fma.v{lanes}f64({T} {a}, {T} {b}, {T} {c})"

    def horner(name: str, coefficients: Sequence[float]) -> str:
        *rest, top = coefficients
        lines, value = [], splat(top)
        for k, c in reversed(list(enumerate(rest))):
            lines.append(fma(f"%{name}{k}", value, "%z", splat(c)))
            value = f"%{name}{k}"
        return "\n  ".join(lines)

    return f"""
define internal {{{T}, {T}}} @vv.sincos({T} %x) noinline {{
  %size = call {T} @llvm.fabs.v{lanes}f64({T} %x)
  %large = fcmp ogt {T} %size, {splat(LARGEST_ANGLE)}
  %any = call i1 @llvm.vector.reduce.or.v{lanes}i1({M} %large)
  {fma("%t", "%x", splat(TWO_OVER_PI), splat(ROUND))}
  %q = bitcast {T} %t to {L}
  %n = fsub {T} %t, {splat(ROUND)}
  {fma("%r1", "%n", splat(-HALF_PI[0]), "%x")}
  {fma("%r2", "%n", splat(-HALF_PI[1]), "%r1")}
  {fma("%r", "%n", splat(-HALF_PI[2]), "%r2")}
  %z = fmul {T} %r, %r
  {horner("s", SIN)}
  %rz = fmul {T} %r, %z
  {fma("%sin", "%rz", "%s0", "%r")}
  {horner("c", COS)}
  %h = fmul {T} %z, {splat(0.5)}
  %w = fsub {T} {splat(1.0)}, %h
  %w1 = fsub {T} {splat(1.0)}, %w
  %w2 = fsub {T} %w1, %h
  %zz = fmul {T} %z, %z
  {fma("%w3", "%zz", "%c0", "%w2")}
  %cos = fadd {T} %w, %w3
  %odd = and {L} %q, splat (i64 1)
  %swap = icmp ne {L} %odd, zeroinitializer
  %a = select {M} %swap, {T} %cos, {T} %sin
  %b = select {M} %swap, {T} %sin, {T} %cos
  %qa = and {L} %q, splat (i64 2)
  %q1 = add {L} %q, splat (i64 1)
  %qb = and {L} %q1, splat (i64 2)
  %fa = shl {L} %qa, splat (i64 62)
  %fb = shl {L} %qb, splat (i64 62)
  %ai = bitcast {T} %a to {L}
  %bi = bitcast {T} %b to {L}
  %ax = xor {L} %ai, %fa
  %bx = xor {L} %bi, %fb
  %ad = bitcast {L} %ax to {T}
  %bd = bitcast {L} %bx to {T}
  br i1 %any, label %beyond, label %within
within:
  {_returned(T, "%ad", "%bd")}
beyond:
  %ls = call {T} @vv.sin({T} %x)
  %lc = call {T} @vv.cos({T} %x)
  %as = select {M} %large, {T} %ls, {T} %ad
  %bs = select {M} %large, {T} %lc, {T} %bd
  {_returned(T, "%as", "%bs")}
}}"""


def in_memory(text: str, table: str, lanes: int, cpu: Cpu) -> str:
    """One function, with its constants as whole vectors in a table before it if that is faster.

    All are needed in its first block. LLVM would load a number and spread it, an instruction and a
    register for each use; a vector in memory is part of the instruction that needs it. That they
    never change is none of its business.
    """
    if not cpu.spreads_constants:
        return text
    T, places = f"<{lanes} x double>", dict[str, str]()
    lines = []
    for line in text.split("\n"):
        for constant in SPLAT.findall(line):
            if constant not in places:
                at = f"getelementptr ({T}, ptr {table}, i64 {len(places)})"
                register = places[constant] = f"%constant{len(places)}"
                load = f"load {T}, ptr {at}, align {8 * lanes}, !invariant.load !{{}}"
                lines.append(f"  {register} = {load}")
            line = line.replace(constant, places[constant])
        lines.append(line)
    if not places:
        return text
    vectors = ", ".join(f"{T} {constant}" for constant in places)
    kind = f"internal externally_initialized global [{len(places)} x {T}]"
    return "\n".join([f"{table} = {kind} [{vectors}], align {8 * lanes}", *lines])
