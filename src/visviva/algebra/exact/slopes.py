"""Derivatives of SymPy expressions in real symbols."""

from __future__ import annotations

from typing import Any

import sympy

from visviva.errors import ArgumentError

JUMPS = (sympy.Abs, sympy.sign, sympy.Heaviside)


def slope(x: Any, by: Any) -> Any:
    """∂x/∂by, with |y| and sign(y) those of real numbers; what happens at a jump is left out.

    Examples:
        >>> y = sympy.Symbol("y")
        >>> slope(abs(y) * sympy.sign(y), y)
        sign(y)**2
    """
    try:
        if not x.has(*JUMPS):
            return x.diff(by)
        real = {s: sympy.Dummy(s.name, real=True) for s in x.free_symbols}
        made = x.xreplace(real).diff(real.get(by, by)).replace(sympy.DiracDelta, _nothing)
        return made.xreplace({y: s for s, y in real.items()})
    except Exception as error:  # whatever SymPy may raise
        said = f"SymPy has no derivative of {x!s:.60} by {by}: {error!s:.60}"
        raise ArgumentError(said) from None


def _nothing(*_: Any) -> Any:
    return sympy.S.Zero
