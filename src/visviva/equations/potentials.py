"""Which forces have a potential, and the potential of those that have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from visviva.errors import ArgumentError


def curl(force: Sequence[Any], q: Sequence[Any]) -> dict[tuple[int, int], Any]:
    """∂fᵢ/∂qⱼ - ∂fⱼ/∂qᵢ, where it is not zero."""
    found = {}
    for i in range(len(q)):
        for j in range(i):
            twist = sympy.simplify(sympy.diff(force[i], q[j]) - sympy.diff(force[j], q[i]))
            if twist != 0:
                found[i, j] = twist
    return found


def is_conservative(force: Sequence[Any], q: Sequence[Any], v: Sequence[Any] = ()) -> bool:
    """Whether f(q) = -∂P/∂q for some P: no curl, and no velocities (`v`) in it."""
    used = {s for f in force for s in sympy.sympify(f).free_symbols}
    return not used & set(v) and not curl(force, q)


def classify(force: Sequence[Any], q: Sequence[Any], v: Sequence[Any], t: Any = None) -> str:
    """What a force is: conservative, time-dependent, gyroscopic, dissipative, driving or mixed.

    Gyroscopic forces depend on velocities and have no power; dissipative ones have none that is
    positive. Where SymPy cannot decide the sign, it says "velocity-dependent".
    """
    used = {s for f in force for s in sympy.sympify(f).free_symbols}
    if t in used:
        return "time-dependent"
    if not used & set(v):
        return "circulatory" if curl(force, q) else "conservative"
    real = {x: sympy.Dummy(str(x), real=True) for x in used | set(v)}
    total = sum((f * x for f, x in zip(force, v, strict=True)), sympy.S.Zero)
    power = sympy.simplify(total.xreplace(real))
    if power == 0:
        return "gyroscopic"
    if power.is_nonpositive or sympy.factor(power).is_nonpositive or _is_negative(power):
        return "dissipative"
    return "driving" if power.is_nonnegative else "velocity-dependent"


def _is_negative(power: Any) -> bool:
    """Of a quadratic form with numbers, by its matrix."""
    symbols = sorted(power.free_symbols, key=str)
    H = sympy.hessian(power, symbols)
    if (
        H.free_symbols
        or sympy.expand(
            power
            - sum(H[i, j] * a * b / 2 for i, a in enumerate(symbols) for j, b in enumerate(symbols))
        )
        != 0
    ):
        return False
    return bool((-H).is_positive_semidefinite)


def potential(force: Sequence[Any], q: Sequence[Any], zero: Sequence[Any] | None = None) -> Any:
    """P with f = -∂P/∂q and P = 0 at `zero` (the origin if not given).

    Examples:
        >>> x, y, k = sympy.symbols("x y k")
        >>> potential([-k * x - y, -x], [x, y])
        k*x**2/2 + x*y
    """
    return sympy.expand(-integral(force, q, zero))


def integral(f: Sequence[Any], q: Sequence[Any], start: Sequence[Any] | None = None) -> Any:
    """∫ f · dq from `start` to q, one coordinate after the other; refused if the way matters."""
    twist = curl(f, q)
    if twist:
        (i, j), value = next(iter(twist.items()))
        raise ArgumentError(
            f"no potential: ∂f/∂q is not symmetric, ∂f{i + 1}/∂{q[j]} - ∂f{j + 1}/∂{q[i]} = {value}"
        )
    origin = [sympy.S.Zero] * len(q) if start is None else list(start)
    total = sympy.S.Zero
    for i, x in enumerate(q):  # coordinates behind this one are still at the start
        at = dict(zip(q[i + 1 :], origin[i + 1 :], strict=True))
        way = sympy.Dummy("s", real=True)
        inside = sympy.sympify(f[i]).subs(at).subs(x, way)
        total += sympy.integrate(inside, (way, origin[i], x))
    return total
