"""Derivatives of SymPy expressions in real symbols."""

from __future__ import annotations

from typing import Any

import sympy

from visviva.errors import ArgumentError

JUMPS = (sympy.Abs, sympy.sign, sympy.Heaviside)


def slope(x: Any, by: Any) -> Any:
    """∂x/∂by, with |y| and sign(y) those of real numbers; what happens at a jump is left out.

    Of min and max it is the slope of the case that holds, where several do of the first one: the
    rule of compiled functions.

    Examples:
        >>> y = sympy.Symbol("y")
        >>> slope(abs(y) * sympy.sign(y), y)
        sign(y)**2
    """
    try:
        if x.has(sympy.Min, sympy.Max):
            return _by_chain_rule(x, by)
        if not x.has(*JUMPS):
            return x.diff(by)
        real = {s: sympy.Dummy(s.name, real=True) for s in x.free_symbols}
        derivative = x.xreplace(real).diff(real.get(by, by)).replace(sympy.DiracDelta, _nothing)
        return derivative.xreplace({y: s for s, y in real.items()})
    except ArgumentError:  # of a part, told already
        raise
    except Exception as error:  # whatever SymPy may raise
        said = f"SymPy has no derivative of {x!s:.60} by {by}: {error!s:.60}"
        raise ArgumentError(said) from None


def _nothing(*_: Any) -> Any:
    return sympy.S.Zero


def _by_chain_rule(x: Any, by: Any) -> Any:
    """∂x/∂by + Σ (∂x/∂y) (∂y/∂by), where y stands for each min and max."""
    least = {y: sympy.Dummy() for y in x.atoms(sympy.Min, sympy.Max)}
    outside = x.xreplace(least)
    derivative = slope(outside, by)
    for y, dummy in least.items():
        if dummy in outside.free_symbols:
            derivative += slope(outside, dummy) * _of_the_case(y, by)
    return derivative.xreplace({dummy: y for y, dummy in least.items()})


def _of_the_case(x: Any, by: Any) -> Any:
    """The slope of a min or max; the first of those that are equal counts."""
    least = isinstance(x, sympy.Min)

    def before(a: Any, b: Any) -> Any:
        if a.is_number:  # numbers stand on the right
            return sympy.Ge(b, a) if least else sympy.Le(b, a)
        return sympy.Le(a, b) if least else sympy.Ge(a, b)

    slopes = [slope(a, by) for a in x.args]
    if len(set(slopes)) == 1:
        return slopes[0]
    holds = [sympy.And(*(before(a, b) for b in x.args[k + 1 :])) for k, a in enumerate(x.args)]
    return sympy.Piecewise(*zip(slopes, holds, strict=True), evaluate=False)
