"""Motions that are straight lines in the coordinates, q = q₀ + s d: proved by putting them in.

Parallel cranks, gears and sliders move so. If all angles of q₀ are whole quarters of a turn and d
is a row of small fractions, the rows along the line are rational functions of tan(s/2), with the
numbers of the program as exact fractions: either they are zero, or nothing is claimed.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.expr import CONSTANT
from visviva.machine.program.interpret import interpret
from visviva.solve.certificate import near
from visviva.solve.rows import Rows

DENOMINATOR = 6  # of entries of d, to the largest of them
NEAR = 1e-7
QUARTER = np.pi / 2
PUT_IN = {CONSTANT, *"add sub mul div neg sin cos".split()}  # operations of rational functions
SAMPLES = (0.4, 1.3, -2.1)  # numbers s, before anything is put in exactly


def line_through(rows: Rows, q: Array, tangent: Array) -> str:
    """A line through q along which the rows are exactly zero, in words; empty if none is proved."""
    s = rows.system
    if s.nq != s.nv or s.quaternions or len(rows.free) != s.nv:
        return ""
    d = [Fraction(float(x)).limit_denominator(DENOMINATOR) for x in tangent / abs(tangent).max()]
    if any(abs(float(a) - b) > NEAR for a, b in zip(d, tangent / abs(tangent).max(), strict=True)):
        return ""
    scale = lcm(*(x.denominator for x in d))
    first = next(x for x in d if x)
    steps = np.array([int(x * scale * (1 if first > 0 else -1)) for x in d])
    start = _quarters(q, steps)
    if start is None or not _is_straight(rows, start, steps):
        return ""
    if not _is_zero(rows, start, steps):
        return ""
    names = s.motion_names
    told = [f"{name} = {_entry(k, n)}" for name, k, n in zip(names, start, steps, strict=True)]
    return ", ".join(told)


def _entry(quarters: int, times: int) -> str:
    fixed = {0: "", 1: "π/2", 2: "π", 3: "3π/2"}[quarters % 4]
    sign, size = "-" if times < 0 else "", "" if abs(times) == 1 else abs(times)
    moving = f"{sign}{size}s" if times else ""
    joined = f"{fixed} + {moving}" if fixed and moving else fixed + moving
    return joined.replace("+ -", "- ") or "0"


def _quarters(q: Array, steps: Array) -> Array | None:
    """Whole quarters of a turn that a point of the line has for coordinates."""
    i = int(np.argmin(np.where(steps == 0, 99, abs(steps))))
    for k in range(4):
        at = q + (k * QUARTER - q[i]) / steps[i] * steps
        whole = np.round(at / QUARTER)
        if np.abs(at - whole * QUARTER).max() < NEAR:
            return np.asarray(whole.astype(int))
    return None


def _is_straight(rows: Rows, start: Array, steps: Array) -> bool:
    at = [start * QUARTER + s * steps for s in SAMPLES]
    return all(float(np.abs(rows.error(x)).max(initial=0.0)) < NEAR for x in at)


def _is_zero(rows: Rows, start: Array, steps: Array) -> bool:
    """Over rational functions of u = tan(s/2)."""
    import sympy

    s, u = sympy.Symbol("s", real=True), sympy.Symbol("u", real=True)
    pairs = zip(start, steps, strict=True)
    q = [sympy.Integer(int(k)) * sympy.pi / 2 + int(n) * s for k, n in pairs]
    program = near(rows, "constraint_conditions").program
    if not {op for op, *_ in program.code} <= PUT_IN:
        return False
    still = [sympy.S.Zero] * len(rows.free)

    def lift(x: Any) -> Any:
        return x if isinstance(x, sympy.Basic) else sympy.Rational(x)

    half = {sympy.sin(s): 2 * u / (1 + u**2), sympy.cos(s): (1 - u**2) / (1 + u**2)}
    for x in interpret(program, [*q, *still], lift):
        value = sympy.expand_trig(x).xreplace(half)
        if value.free_symbols - {u} or sympy.cancel(value) != 0:
            return False
    return True
