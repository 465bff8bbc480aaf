"""Which of v and t stand in the parts of the equations of motion: read off, nothing is derived.

A jet says what stands in the derivatives of a formula. It is put together from the jets of the
formula's parts by the rules of sums, products and powers; any other function has all that it is of
in all its derivatives. Terms that cancel are not seen to.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.equations.lagrange.constraints import Rows, rows
from visviva.equations.lagrange.terms import exact_terms

Jet = dict[int, frozenset[str]]  # what stands in each derivative; those that are zero lack

BY = {"": 0, "v": 1, "vv": 3, "q": 4, "vq": 5, "vvq": 7, "t": 8, "vt": 9, "vvt": 11}  # bits
NOTHING: frozenset[str] = frozenset()

# the derivatives of L that a part is made of; those with a 0 are taken at rest, v = 0
DERIVED = {
    "mass_matrix": "vv",
    "momentum": "v",
    "drift": "q vq vt",
    "gravity": "0q 0vt",
    "christoffel": "0vvq",
    "coriolis_matrix": "0vvq 0vvt 0vq",
    "coriolis_transpose_product": "0vvq 0vvt 0vq",
    "jacobi_integral": "vv 0",  # at rest it is -L, and its derivative by v is M v
}


def standing(s: Lagrangian, part: str, known: Iterable[str] = ()) -> frozenset[str]:
    """Which of "v" and "t" stand in a part of the equations of motion, apart from factors v.

    Where there is one that is not among the known, L in normal form has the last word: the time
    in cos²(t) + sin²(t) stands nowhere.
    """
    if part not in DERIVED:
        return _read_off(s, *_stated(s, part))
    skew = s.nv > 1  # one coordinate has no skew part of ∂²L/∂v∂q
    orders = [k for k in DERIVED[part].split() if k != "0vq" or skew]
    written = _read_off(s, [s.kinetic, s.potential], orders)
    if written.issubset(known) or (exact := exact_terms(s)) is None:
        return written
    return _read_off(s, [exact.by.reader.sympy(exact.L)], orders)


def _stated(s: Lagrangian, part: str) -> tuple[Iterable[Any], list[str]]:
    """The formulas of a part that is not of L, and which derivative of them it is."""
    if part in Rows.__annotations__:
        return getattr(rows(s), part).ravel(), [""]
    formulas = getattr(s, part)
    if part in ("kinetic", "potential", "dissipation") and not isinstance(formulas, tuple):
        return [formulas], ["v" if part == "dissipation" else ""]
    return () if formulas is None else formulas, [""]


def _read_off(s: Lagrangian, formulas: Iterable[Any], orders: list[str]) -> frozenset[str]:
    jets = {rest: _Jets(s, rest) for rest in {k.startswith("0") for k in orders}}
    stands = NOTHING
    for rest, of in jets.items():
        jet = _sum([of.jet(x) for x in formulas])
        wanted = [BY[k.removeprefix("0")] for k in orders if k.startswith("0") is rest]
        stands = stands.union(*(jet.get(k, NOTHING) for k in wanted))
    return stands


class _Jets:
    """The jets of all parts of the formulas of one system; at rest no velocity stands anywhere."""

    def __init__(self, s: Lagrangian, at_rest: bool) -> None:
        q: Jet = {0: NOTHING, BY["q"]: NOTHING}
        v: Jet = {1: NOTHING, 2: NOTHING} | ({} if at_rest else {0: frozenset("v")})
        t: Jet = {0: frozenset("t"), BY["t"]: NOTHING}
        self._known: dict[Any, Jet] = {
            **dict.fromkeys(s.names.q, q), **dict.fromkeys(s.names.v, v), TIME: t
        }  # fmt: skip

    def jet(self, x: Any) -> Jet:
        """The jet of one formula, from those of its parts."""
        if x not in self._known:
            self._known[x] = self._new(x)
        return self._known[x]

    def _new(self, x: Any) -> Jet:
        parts = [self.jet(part) for part in x.args]
        if x.is_Add:
            return _sum(parts)
        if x.is_Mul:
            return reduce(_product, parts)
        if x.is_Pow and x.exp.is_Integer and 0 < x.exp <= 4:  # higher ones are left as factors
            return reduce(_product, [parts[0]] * int(x.exp))
        stands = NOTHING.union(*(y for part in parts for y in part.values()))
        slopes = reduce(int.__or__, (k for part in parts for k in part), 0)
        return {k: stands for k in range(16) if not k & ~slopes}


def _sum(parts: Iterable[Jet]) -> Jet:
    total: Jet = {}
    for part in parts:
        for k, x in part.items():
            total[k] = total.get(k, NOTHING) | x
    return total


def _product(a: Jet, b: Jet) -> Jet:
    """Leibniz's rule."""
    return _sum({j | k: x | y} for j, x in a.items() for k, y in b.items() if not j & k)
