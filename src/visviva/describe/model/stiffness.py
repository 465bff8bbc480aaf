"""Springs that are not linear: `Stiffness`, a law k(e), f(e) or P(e) of the stretch e.

f = k(e) e is the force that stretches the spring, P = ∫ f de its energy and P* = f e - P its
co-energy; only of linear springs are they equal. (Bona, *Rigid Body Dynamics*, (71)–(80).)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra import diff
from visviva.algebra.arrays import is_numeric
from visviva.algebra.expr import Expr, Graph, evaluate, names_in, reachable
from visviva.algebra.sympy_graph import from_sympy, to_sympy
from visviva.describe.values import PLAIN, Value, reduced
from visviva.drawing.curves import area_chart
from visviva.errors import ArgumentError, ParseError, SymbolError, check_known
from visviva.notation.formula import parse
from visviva.notation.typed import as_text

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

STRETCH = "e"
LAW_KINDS = ("stiffness", "force", "energy")
KINKED = {"where", "lt", "le", "eq", "ne", "min", "max", "sign", "abs", "floor", "ceil"}
# of the stretch: finer towards e = 0, where laws have their detail
PANELS = (0.0, 1 / 256, 1 / 64, 1 / 16, *(k / 8 for k in range(1, 9)))
POINTS = 12  # of Gauss and Legendre in each
SAMPLES = 200  # of a curve, on each side of e = 0
TRIED = (-1.3, -0.4, -0.01, 0.02, 0.3, 0.9, 1.7)  # stretches at which an integral is held against f


@dataclass(frozen=True, eq=False)
class Stiffness(Value):
    """A stiffness that depends on the stretch e: metres of a length, radians of a turn.

    `law` is a formula over e and the names in `values`, as text or as a function of e. It is k(e)
    with the force k(e) e; `of="force"` says that it is f(e), `of="energy"` that it is P(e). The
    energy is the integral of f in closed form where SymPy has one, else by Gauss's quadrature; of a
    law with kinks it has to be given. Values may be parameters of a `Builder`.

    Examples:
        >>> hard = Stiffness("k1 + k3*e^2", {"k1": 2.0, "k3": 8.0})
        >>> hard.force(0.5), hard.energy(0.5), hard.co_energy(0.5)
        (2.0, 0.375, 0.625)
    """

    law: Any = field(metadata=PLAIN)
    values: Mapping[str, Any] = field(default_factory=dict)
    of: str = "stiffness"

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))
        check_known("kind of law", self.of, LAW_KINDS)
        if STRETCH in self.values:
            raise ArgumentError("a law of a spring: e is the stretch, no name of a value")
        if not isinstance(self.law, Expr):
            object.__setattr__(self, "law", _formula(self.law, self.values))
        unused = set(self.values) - {*names_in([self.law])}
        if unused:
            raise ArgumentError(f"a law of a spring: it has no {', '.join(sorted(unused))} in it")
        kinks = [x for x in reachable([self.law]) if x.op in KINKED and not _at_rest(x)]
        if self.of != "energy" and kinks:
            raise ArgumentError(
                f"a law of a spring with kinks ({kinks[0].op}): no quadrature sees where they are; "
                "state its energy P(e), of='energy', and the force is its slope"
            )
        if is_numeric(list(self.values.values())):
            self._check_finite()

    def _check_finite(self) -> None:
        with np.errstate(all="ignore"):
            try:
                at_rest = float(self.force(0.0)), float(self._of(self.law, 0.0))
            except (ArithmeticError, ValueError):
                at_rest = math.nan, math.nan
        if not np.isfinite(at_rest).all():
            raise ArgumentError(f"a law of a spring is finite at e = 0, got {at_rest[1]}")

    __reduce__ = reduced

    def __repr__(self) -> str:
        values = "".join(f", {k}={x}" for k, x in self.values.items())
        return f"Stiffness({self.text!r}{values}, of={self.of!r})"

    @property
    def text(self) -> str:
        """The law as a formula that can be read again."""
        return as_text([self.law], whole=True)[1][0]

    def force(self, e: Any) -> Any:
        """f(e), the force that stretches the spring by e; over any scalar."""
        return self._of(self._force, e)

    def energy(self, e: Any) -> Any:
        """P(e) = ∫ f de from 0 to e, in joules; as it was given, if it was."""
        if self._energy is not None:
            return self._of(self._energy, e)
        x, w = _rule()
        return sum(self.force(e * a) * b for a, b in zip(x, w, strict=True)) * e

    def co_energy(self, e: Any) -> Any:
        """P*(f) = ∫ e df = f e - P(e), at the force that stretches it by e."""
        return self.force(e) * e - self.energy(e)

    def plot(self, e: float = 1.0) -> Figure:
        """f over the stretch from -e to e, with P(e) and P*(f) as areas: a plotly figure.

        Examples:
            >>> fig = Stiffness("k1 + k3*e^2", {"k1": 2.0, "k3": 8.0}).plot(0.5)
        """
        if not is_numeric([*self.values.values(), e]):
            raise ArgumentError("plot: a curve of a spring needs numbers, and the law has symbols")
        end = float(e)
        if not (np.isfinite(end) and end != 0):
            raise ArgumentError(f"plot: the largest stretch is a number other than 0, got {e}")
        x = abs(end) * np.linspace(-1.15, 1.15, 2 * SAMPLES + 1)
        f = np.array([float(self.force(a)) for a in x])
        until = int(np.abs(x - end).argmin())
        x[until], f[until] = end, float(self.force(end))
        areas = (float(self.energy(end)), float(self.co_energy(end)))
        axes = ("e [m or rad]", "f [N or N m]")
        return area_chart(f"a spring: {self!r}", x, f, until, axes, ("P(e)", "P*(f)"), areas)

    @property
    def is_integrated(self) -> bool:
        """Whether the energy is a closed form; else it is a quadrature."""
        return self._energy is not None

    def _of(self, node: Any, e: Any) -> Any:
        return evaluate(node, {**self.values, STRETCH: e})

    @cached_property
    def _force(self) -> Any:
        graph = self.law.graph
        e = graph.input(STRETCH)
        if self.of == "energy":
            return diff.jacobian([self.law], [e]).get((0, 0), 0.0)
        return self.law * e if self.of == "stiffness" else self.law

    @cached_property
    def _energy(self) -> Any:
        return self.law if self.of == "energy" else _integral(self._force)


def _formula(law: Any, values: Mapping[str, Any]) -> Expr:
    graph = Graph()
    names = {name: graph.input(name) for name in (STRETCH, *values)}
    if isinstance(law, str):
        try:
            return parse(law, graph, names)
        except ParseError as error:
            raise ArgumentError(f"a law of a spring: {error}") from None
    if not callable(law):
        got = type(law).__name__
        raise ArgumentError(f"a law of a spring is a formula or a function of e, got {got}")
    return graph.node(law(names[STRETCH]))


def _at_rest(x: Expr) -> bool:
    """|e|: its kink is at e = 0, where every quadrature begins."""
    return x.op == "abs" and x.args[0].op == "input" and x.args[0].value == STRETCH


def _rule() -> tuple[list[float], list[float]]:
    """Places in (0, 1) and weights."""
    x, w = np.polynomial.legendre.leggauss(POINTS)
    places, weights = [], []
    for a, b in pairwise(PANELS):
        places += [(a + b) / 2 + (b - a) / 2 * float(t) for t in x]
        weights += [(b - a) / 2 * float(t) for t in w]
    return places, weights


def _integral(f: Any) -> Any:
    """∫ f de from 0 as a node, where SymPy has one that holds on both sides of 0; else None."""
    import sympy

    if not isinstance(f, Expr):
        return None
    graph, e = f.graph, sympy.Symbol(STRETCH, real=True)
    try:
        P = sympy.integrate(sympy.expand(to_sympy(f, {STRETCH: e})), e, manual=True)
        if P.has(sympy.Integral, sympy.Piecewise, sympy.I):
            return None
        names = {name: graph.input(name) for name in names_in([f])}
        node = from_sympy(sympy.expand(P - P.subs(e, 0)), graph, names)
    except (SymbolError, ArithmeticError, ValueError, TypeError, NotImplementedError):
        return None
    return node if _holds(node, f) else None


def _holds(P: Expr, f: Expr) -> bool:
    """Whether P is 0 at 0 and has the slope f, in numbers."""
    slope = diff.jacobian([P], [P.graph.input(STRETCH)]).get((0, 0), 0.0)
    rng = np.random.default_rng(0)
    values: dict[str, Any] = {name: rng.uniform(0.5, 1.5) for name in names_in([f])}
    try:
        with np.errstate(all="ignore"):
            if not abs(evaluate(P, {**values, STRETCH: 0.0})) < 1e-12:
                return False
            for e in TRIED:
                at = values | {STRETCH: e}
                have, wanted = float(evaluate(slope, at)), float(evaluate(f, at))
                if not abs(have - wanted) <= 1e-10 * (1 + abs(wanted)):
                    return False
    except (ArithmeticError, ValueError):
        return False
    return True
