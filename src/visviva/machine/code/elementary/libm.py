"""The C library's functions, lane by lane, once only if all lanes are equal."""

from __future__ import annotations

from visviva.algebra.ops import OPS
from visviva.machine.code import imports


def library_function(name: str, lanes: int, symbol: str) -> str:
    """The C library's function of that name, as `@vv.<symbol>`."""
    T = f"<{lanes} x double>"
    xs = [f"%x{i}" for i in range(OPS[name].arity)]
    parameters = ", ".join(f"{T} {x}" for x in xs)
    first = "\n  ".join(f"{x}.f = extractelement {T} {x}, i64 0" for x in xs)
    lane = "\n  ".join(f"{x}.l = extractelement {T} {x}, i64 %i" for x in xs)
    same = "\n  ".join(_same_in_all_lanes(x, lanes) for x in xs)
    both = f"%same = and i1 {xs[0]}.same, {xs[-1]}.same"
    return f"""
define internal {T} @vv.{symbol}({parameters}) noinline {{
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
