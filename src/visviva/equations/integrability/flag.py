"""The distribution that rows leave free, its Lie brackets, and what no bracket ever leaves.

Rows are forms ω = Σ ωⱼ dxⱼ over polynomials. D₁ = {g : ω(g) = 0}, Dₖ₊₁ = Dₖ + [D₁, Dₖ]. By
Frobenius the rows integrate if D₂ = D₁. In any case as many functions stay constant as forms are
zero on the last Dₖ; their differentials are combinations of these forms. Ranks are those at generic
points, and exact: forms that vanish on what is known so far are kept beside it, and a bracket is
outside if one of them is not the zero polynomial there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from visviva.equations.integrability.functions import Functions

Entries = list[Any]


@dataclass(frozen=True, eq=False)
class Flag:
    """D₁ ⊂ D₂ ⊂ … of some rows."""

    fields: tuple[Entries, ...]  # a basis of D₁
    added: tuple[Entries, ...]  # brackets that span the rest
    last: tuple[Entries, ...]  # the forms that vanish on all of it
    growth: tuple[int, ...]  # dimensions of D₁, D₂, …
    pivots: tuple[tuple[int, int], ...]  # independent rows, and a column for each
    witness: tuple[int, int] = (0, 0)  # the fields of D₁ whose bracket left it first

    @property
    def rank(self) -> int:
        """Of the rows."""
        return len(self.pivots)

    @property
    def is_involutive(self) -> bool:
        """Whether no bracket leaves D₁."""
        return not self.added


def flag(by: Functions, rows: Iterable[Sequence[Any]]) -> Flag:
    """The flag of some rows; a row that depends on others changes nothing."""
    columns = len(by.coordinates)
    reduced, pivots = echelon(by, rows)
    fields = _null_space(by, reduced, [j for _, j in pivots], columns)
    forms: list[Entries] = list(reduced)
    added: list[Entries] = []
    growth, newest, witness = [len(fields)], fields, (0, 0)
    while newest and forms:
        pairs = [(g, h) for g in fields for h in newest]
        if newest is fields:
            pairs = [(g, h) for i, g in enumerate(fields) for h in fields[i + 1 :]]
        newest = []
        for g, h in pairs:
            b = by.primitive(bracket(by, g, h))
            if (fewer := _vanishing(by, forms, b)) is not None:
                forms = fewer
                newest.append(b)
                if not added and len(newest) == 1:
                    witness = (_index(fields, g), _index(fields, h))
            if not forms:
                break
        added += newest
        if newest:
            growth.append(growth[-1] + len(newest))
    return Flag(tuple(fields), tuple(added), tuple(forms), tuple(growth), tuple(pivots), witness)


def _index(fields: list[Entries], g: Entries) -> int:
    return next(k for k, x in enumerate(fields) if x is g)


def bracket(by: Functions, g: Entries, h: Entries) -> Entries:
    """[g, h] = Dh g - Dg h."""
    return [_along(by, h[i], g) - _along(by, g[i], h) for i in range(len(g))]


def paired(by: Functions, form: Sequence[Any], g: Entries) -> Any:
    """ω(g), the value of a form on a field."""
    total = by.ring.constant(0)
    for a, b in zip(form, g, strict=True):
        if a and b:
            total = total + by.times(a, b)
    return total


def echelon(
    by: Functions, rows: Iterable[Sequence[Any]]
) -> tuple[list[Entries], list[tuple[int, int]]]:
    """Independent rows, each with a column in which the others are zero; and where these are."""
    waiting = dict(enumerate(by.primitive(row) for row in rows))
    done: list[Entries] = []
    pivots: list[tuple[int, int]] = []
    while True:
        places = [
            (len(p), p.total_degree(), -j, i)
            for i, row in waiting.items()
            for j, p in enumerate(row)
            if p
        ]
        if not places:
            return done, pivots
        _, _, j, i = min(places)
        pivot, j = waiting.pop(i), -j
        waiting = {k: _without(by, row, pivot, j) for k, row in waiting.items()}
        done = [*(_without(by, row, pivot, j) for row in done), pivot]
        pivots.append((i, j))


def _without(by: Functions, row: Entries, pivot: Entries, j: int) -> Entries:
    if not row[j]:
        return row
    scaled = [by.times(p, pivot[j]) - by.times(q, row[j]) for p, q in zip(row, pivot, strict=True)]
    return by.primitive(scaled)


def _null_space(
    by: Functions, rows: list[Entries], pivots: list[int], columns: int
) -> list[Entries]:
    """One field for each column that is no pivot."""
    fields = []
    for free in (j for j in range(columns) if j not in pivots):
        common = by.ring.constant(1)
        for row, j in zip(rows, pivots, strict=True):
            if row[free]:
                common = by.times(common, row[j] / by.gcd(common, row[j]))
        g = [by.ring.constant(0)] * columns
        g[free] = common
        for row, j in zip(rows, pivots, strict=True):
            if row[free]:
                g[j] = -by.times(common / row[j], row[free])
        fields.append(by.primitive(g))
    return fields


def _vanishing(by: Functions, forms: list[Entries], b: Entries) -> list[Entries] | None:
    """The forms that vanish on b too; None if all of them do."""
    values = [paired(by, w, b) for w in forms]
    places = [k for k, x in enumerate(values) if x]
    if not places:
        return None
    k = min(places, key=lambda k: len(values[k]))
    first, at = forms[k], values[k]
    return [
        by.primitive(
            [by.times(at, p) - by.times(x, q) for p, q in zip(w, first, strict=True)] if x else w
        )
        for i, (w, x) in enumerate(zip(forms, values, strict=True))
        if i != k
    ]


def _along(by: Functions, p: Any, g: Entries) -> Any:
    total = by.ring.constant(0)
    for j, x in enumerate(g):
        if x and (slope := by.slope(p, j)):
            total = total + by.times(slope, x)
    return total
