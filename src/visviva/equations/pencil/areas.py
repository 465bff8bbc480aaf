"""Energy and co-energy as areas beside the curve of a law (Bona, figures 8 and 14)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from visviva.drawing.curves import area_chart
from visviva.errors import ArgumentError, check_known

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

SAMPLES, PANELS = 300, 32
BEYOND = 1.2  # of where the areas end: how far the curve is drawn
KINDS_OF_LAWS = {  # axes, and what lies under the curve and beside it
    "particle": (("v [m/s]", "h [kg m/s]"), ("C*(v)", "C(h)")),
    "spring": (("e [m or rad]", "f [N or N m]"), ("P(e)", "P*(f)")),
}


def law_figure(law: Any, x: Any, at: Any, values: Mapping[str, Any], of: str) -> Figure:
    """A plotly figure of y(x), with the areas under and beside it from 0 to x = `at`."""
    check_known("kind of law", of, KINDS_OF_LAWS)
    if not isinstance(x, sympy.Symbol):
        raise ArgumentError(f"a curve needs one symbol on its axis, got {x}")
    end = _number("where the areas end", at)
    if end == 0:
        raise ArgumentError("the areas end where they begin, at 0: give another number")
    y = _curve(sympy.sympify(law), x, values)
    far = end * np.linspace(0.0, BEYOND, SAMPLES + 1)
    until = round(SAMPLES / BEYOND)
    heights = y(far)
    if not np.isfinite(heights[: until + 1]).all():
        raise ArgumentError(f"the law has no value everywhere between 0 and {end:g}")
    under = _integral(y, end)
    axes, names = KINDS_OF_LAWS[of]
    title = f"{names[0]} under the curve, {names[1]} beside it, at {axes[0].split()[0]} = {end:g}"
    areas = (under, end * float(heights[until]) - under)
    return area_chart(title, far, heights, until, axes, names, areas)


def _curve(law: Any, x: Any, values: Mapping[str, Any]) -> Callable[[Any], Any]:
    """y(x) over arrays, nan where it has no real value."""
    numbers = {str(name): _number(str(name), value) for name, value in values.items()}
    symbols = {s.name: s for s in law.free_symbols - {x}}
    if missing := sorted(symbols.keys() - numbers.keys()):
        raise ArgumentError(f"a curve needs numbers: give values of {', '.join(missing)}")
    if unused := sorted(numbers.keys() - symbols.keys()):
        raise ArgumentError(f"values of {', '.join(unused)}: the law has no such symbols in it")
    given = {symbols[name]: sympy.Float(n) for name, n in numbers.items()}
    f = sympy.lambdify([x], law.xreplace(given), "numpy")

    def y(at: Any) -> Any:
        with np.errstate(all="ignore"):
            found = np.broadcast_to(np.asarray(f(at), dtype=complex), np.shape(at))
        return np.where(np.abs(found.imag) < 1e-9, found.real, np.nan)

    return y


def _integral(y: Callable[[Any], Any], end: float) -> float:
    """From 0 to the end, by Gauss and Legendre in panels."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    edges = np.linspace(0.0, end, PANELS + 1)
    half = end / (2 * PANELS)
    at = (edges[:-1] + half)[:, None] + half * nodes
    return float((y(at) * weights).sum() * half)


def _number(what: str, x: Any) -> float:
    try:
        number = float(x)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise ArgumentError(f"{what} is a finite number, got {x!r:.60}")
    return number
