"""Points where constraints hold: numbers with a proved bound of their error.

Free symbols are rational. What rows are solved for follows; position rows that nothing solves are
zero at a point near which Krawczyk's operator proves a root. Accelerations and λ solve the
equations of motion there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from visviva.algebra.arrays import Array
from visviva.algebra.exact.poly import Poly
from visviva.describe.energies.formulas import TIME
from visviva.errors import ArgumentError
from visviva.judge.check.compare.balls import ball, points, value
from visviva.judge.check.compare.manifold import Manifold
from visviva.judge.exact.forms import Facts

STEPS = 60  # of Newton, each doubling what is right in the end
STARTS = 4  # near each of which one position is looked for
NAN = arb("nan")
CLOSED = 1e-9  # metres, radians
MOST_GROUPS = 40  # of positions that are tried


class Places:
    """Motions of a system that is held, one point after the other."""

    def __init__(self, manifold: Manifold) -> None:
        self.manifold, self.facts, self.field = manifold, manifold.facts, manifold.field
        self.rates = manifold.facts.rates

    def __call__(self, symbols: Collection[str]) -> Iterator[dict[str, Any]]:
        """Points with the values of all symbols; what does not exist there is not a number."""
        for group in self.groups(symbols):
            yield from group

    def groups(self, symbols: Collection[str]) -> Iterator[list[dict[str, Any]]]:
        """Points that differ only in how constraints are closed."""
        manifold, facts = self.manifold, self.facts
        if not manifold.knows_positions:
            raise ArgumentError(
                f"positions at which {facts.name!r} closes have no formula in symbols, sines and "
                "cosines: only what is proved without them is judged"
            )
        own = [*facts.coordinates, *(v for v, _ in self.rates), *manifold.forces]
        settled = {x.name for x in (*manifold.placed, *manifold.driven)}
        names = {*own, *symbols, *facts.parameters, *self._in_rows()}
        names -= {a for _, a in self.rates} | {*manifold.multipliers}
        for k, point in enumerate(points(sorted(names), facts)):
            there: dict[str, Any] = {**point, **dict.fromkeys(manifold.still, 0 * point[own[0]])}
            if k % 2 and manifold.open_rows:  # with lengths of its own it is likelier to close
                there |= _own_values(facts, names)
            group = []
            for place in self._positions(there, k):
                for found in (*reversed(manifold.placed), *reversed(manifold.driven)):
                    place[found.name] = value(found.value, place, self.field)
                if not all(_is_finite(place[x.name]) for x in manifold.driven):
                    place |= {v: there[v] for v, _ in self.rates}
                    place |= self._velocities(place)
                if all(_is_finite(place[x]) for x in settled) and self._closes(place):
                    group.append(place | self._motion(place))
            yield group

    def _in_rows(self) -> set[str]:
        """Symbols of the rows and, of what they are solved for and of the terms of motion, time."""
        m = self.manifold
        solved = (x.value for x in (*m.placed, *m.driven))
        others = self.field.used(*solved, *(x for whole in m.terms for x in whole.ravel()))
        return self.field.used(*m.rates, *m.open_rows, *m.seconds) | (others & {TIME.name})

    def _closes(self, place: Mapping[str, Any]) -> bool:
        """Conditions may be zero where loops are not closed: turned by 180°."""
        off = self.facts.forms.off({k: float(ball(x).mid()) for k, x in place.items()})
        return all(abs(float(x)) < CLOSED for x in off)

    # ---- positions

    def _positions(self, point: Mapping[str, Any], turn: int) -> Iterator[dict[str, Any]]:
        """The point itself, or those near it where rows are zero that nothing solves."""
        rows = self.manifold.open_rows
        if not rows:
            yield dict(point)
            return
        if self._are_hidden(rows):
            return
        names = self._unknowns(rows, point, turn)
        if names is None:
            return
        seen: list[list[float]] = []
        for k in range(STARTS):
            start = {x: point[x] * (-1 if k >> i & 1 else 1) for i, x in enumerate(names)}
            root = self._root(rows, names, {**point, **start})
            if root is None:
                continue
            near = [float(x.mid()) for x in root]
            if not any(np.allclose(near, x) for x in seen):
                seen.append(near)
                yield {**point, **dict(zip(names, root, strict=True))}

    def _are_hidden(self, rows: Sequence[Poly]) -> bool:
        """Whether functions have coordinates in them: slopes are not those of polynomials then."""
        others = (self.field.hidden(p) for p in rows if self.field.has_functions(p))
        return any(x & {*self.facts.coordinates} for x in others)

    def _unknowns(
        self, rows: Sequence[Poly], point: Mapping[str, Any], turn: int
    ) -> list[str] | None:
        """As many coordinates as there are rows, by which these change independently."""
        placed = {x.name for x in self.manifold.placed}
        order = [q for q in self.facts.coordinates if q not in placed]
        first = turn % len(order)
        chosen: list[str] = []
        for q in (*order[first:], *order[:first]):  # others are free at each turn
            J = self._slopes(rows, [*chosen, q], point)
            numbers = np.array([[float(x.mid()) for x in row] for row in J])
            if np.isfinite(numbers).all() and np.linalg.matrix_rank(numbers) == len(chosen) + 1:
                chosen.append(q)
            if len(chosen) == len(rows):
                return chosen
        return None

    def _slopes(
        self, rows: Sequence[Poly], names: Sequence[str], point: Mapping[str, Any]
    ) -> list[list[arb]]:
        return [[value(p.derivative(x), point, self.field) for x in names] for p in rows]

    def _root(
        self, rows: Sequence[Poly], names: Sequence[str], point: Mapping[str, Any]
    ) -> list[arb] | None:
        """A box in which there is just one root, by Krawczyk's operator."""
        x = arb_mat([[ball(point[name])] for name in names])
        for _ in range(STEPS):
            there = {**point, **_named(names, x)}
            try:
                step = _mid(self._inverse(rows, names, there) * self._rows(rows, there))
            except ZeroDivisionError:
                return None
            x = _mid(x - step)
            size = max(abs(float(e)) for e in step.entries())
            if not size < 1e6:
                return None
            if size < 2.0 ** (-0.45 * ctx.prec):
                break
        else:
            return None
        there = {**point, **_named(names, x)}
        try:
            Y = _mid(self._inverse(rows, names, there))
        except ZeroDivisionError:
            return None
        off = Y * self._rows(rows, there)
        radius = arb(2) ** (-ctx.prec // 3)
        box = arb_mat([[e + arb(0, radius.mid())] for e in x.entries()])
        J = arb_mat(self._slopes(rows, names, {**point, **_named(names, box)}))
        one = arb_mat(
            len(names), len(names), [int(i == j) for i, j in np.ndindex(J.nrows(), J.nrows())]
        )
        image = x - off + (one - Y * J) * (box - x)
        inside = all(
            a.contains_interior(b) for a, b in zip(box.entries(), image.entries(), strict=True)
        )
        return list(image.entries()) if inside else None

    def _rows(self, rows: Sequence[Poly], point: Mapping[str, Any]) -> arb_mat:
        return arb_mat([[value(p, point, self.field)] for p in rows])

    def _inverse(
        self, rows: Sequence[Poly], names: Sequence[str], point: Mapping[str, Any]
    ) -> arb_mat:
        return arb_mat(self._slopes(rows, names, point)).inv()

    # ---- motion

    def has_motion(self) -> bool:
        """Whether rows are as independent somewhere on the constraints as they are off them.

        Else exact formulas of accelerations, λ and P, which hold off them, say nothing there.
        """
        m, names = self.manifold, self._in_rows()
        names |= {*self.facts.coordinates, *self.facts.parameters}
        off = next(points(sorted(names), self.facts))
        if self._rank(m.matrix, off) > len(m.independent):
            return False
        if not m.knows_positions or self._are_hidden(m.open_rows):
            return True
        return any(
            self._rank(m.matrix[m.independent], place) == len(m.independent)
            for group in islice(self.groups(()), MOST_GROUPS)
            for place in group
        )

    def _rank(self, whole: Array, point: Mapping[str, Any]) -> int:
        entries = [float(value(x, point, self.field).mid()) for x in whole.ravel()]
        return int(np.linalg.matrix_rank(np.reshape(entries, whole.shape))) if entries else 0

    def _velocities(self, point: Mapping[str, Any]) -> dict[str, arb]:
        """Velocities that rows settle where those that they are solved for elsewhere are free."""
        m, names = self.manifold, [v for v, _ in self.rates]
        still = {**point, **dict.fromkeys(names, 0)}
        A, rest = (
            [[value(x, still, self.field) for x in np.ravel(row)] for row in whole]
            for whole in (m.matrix[m.independent], m.rates[m.independent])
        )
        numbers = np.array([[float(x.mid()) for x in row] for row in A])
        chosen: list[int] = []
        for i in np.argsort(-np.abs(numbers).max(axis=0, initial=0.0), kind="stable"):
            if np.linalg.matrix_rank(numbers[:, [*chosen, i]]) > len(chosen):
                chosen.append(int(i))
        if len(chosen) < len(A):
            return dict.fromkeys(names, NAN)
        others = [i for i in range(len(names)) if i not in chosen]
        right = [
            [-r[0] - sum((row[i] * ball(point[names[i]]) for i in others), arb(0))]
            for row, r in zip(A, rest, strict=True)
        ]
        try:
            solved = arb_mat([[row[i] for i in chosen] for row in A]).solve(arb_mat(right))
        except ZeroDivisionError:
            return dict.fromkeys(names, NAN)
        return dict(zip((names[i] for i in chosen), solved.entries(), strict=True))

    def _motion(self, point: Mapping[str, Any]) -> dict[str, arb]:
        """Accelerations, and λ where it is unique."""
        m = self.manifold
        rows = m.independent
        M, h, A, b = (
            [[value(x, point, self.field) for x in np.ravel(row)] for row in whole]
            for whole in (*m.terms, m.matrix[rows], m.bias[rows])
        )
        n, k = len(M), len(rows)
        table = [[*M[i], *(-A[j][i] for j in range(k))] for i in range(n)]
        table += [[*A[j], *[arb(0)] * k] for j in range(k)]
        tau = [value(self.field.ring[f], point, self.field) for f in m.forces]
        right = [[tau[i] - h[i][0]] for i in range(n)] + [[-b[j][0]] for j in range(k)]
        try:
            x = arb_mat(table).solve(arb_mat(right)).entries()
        except ZeroDivisionError:
            x = [NAN] * (n + k)
        values = dict(zip((a for _, a in self.rates), x, strict=False))
        names = [m.multipliers[j] for j in rows]
        lam = dict(zip(names, x[n:], strict=True)) if not m.is_redundant else {}
        idle = {
            m.multipliers[k]: arb(0) for k, row in enumerate(m.matrix) if all(x == 0 for x in row)
        }
        return {**dict.fromkeys(m.multipliers, NAN), **values, **lam, **idle}


def _own_values(facts: Facts, names: Collection[str]) -> dict[str, Fraction]:
    known = ((p, x) for p, x in facts.parameters.items() if x is not None and p in names)
    return {p: Fraction(repr(float(x))) for p, x in known}


def _mid(x: arb_mat) -> arb_mat:
    return arb_mat(x.nrows(), x.ncols(), [e.mid() for e in x.entries()])


def _named(names: Sequence[str], x: arb_mat) -> dict[str, arb]:
    return dict(zip(names, x.entries(), strict=True))


def _is_finite(x: Any) -> bool:
    return not isinstance(x, arb) or bool(x.is_finite())
