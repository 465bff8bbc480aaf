"""`SingularSet`: positions at which rank is lost, by equations, by values, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array, FloatArray
from visviva.algebra.exact.poly import Poly
from visviva.judge.exact.model import Exact
from visviva.notation.textbook.writer import textbook
from visviva.progress import progress
from visviva.solve.singular.chosen import Arm, random_positions
from visviva.solve.singular.zeros import solved

TRIES = 60  # random positions of the other joints, for every one that is asked for
NEWTONS = 40  # of Newton, for equations that no rule solves
WIDEST = 1000  # characters of a formula that are printed
_LONGEST = 10**6  # denominators of fractions that are printed
ON = 1e-11  # residual, in the equation's own size


@dataclass(frozen=True, eq=False, repr=False)
class SingularSet:
    """Positions where all `equations` are zero, and the coordinates of `values` have one of those.

    `solutions` are values of coordinates by the others, one mapping for each branch; there is none
    where no rule solves the equations. `power` is that of the factor in the determinant. `name` and
    `meaning` say what is seen of the arm there.
    """

    equations: tuple[sympy.Expr, ...]
    solutions: tuple[Mapping[str, sympy.Expr], ...]
    power: int
    name: str = ""
    meaning: str = ""
    _sampler: Any = field(default=None, compare=False)

    @property
    def is_everywhere(self) -> bool:
        """Whether it is all positions."""
        return self.solutions == ({},)

    @property
    def condition(self) -> str:
        """The equations as text."""
        return " and ".join(f"{shown(x)} = 0" for x in self.equations)

    @property
    def where(self) -> str:
        """The solutions as text; none where the lengths leave no real ones."""
        values = [v for x in self.solutions for v in x.values()]
        if not values or any(v.is_real is False for v in values):
            return ""
        names = [*self.solutions[0]]
        some = [tuple(dict.fromkeys(x[q] for x in self.solutions)) for q in names]
        return " and ".join(
            f"{q} = {' or '.join(map(shown, x))}" for q, x in zip(names, some, strict=True)
        )

    def positions(self, count: int = 1, seed: int = 0, limits: bool = True) -> FloatArray:
        """(≤ count, nq): random positions on the set, within the limits of the joints.

        Fewer, or none, where no more were found: then the set may not be within the limits.
        """
        return np.asarray(self._sampler(count, seed, limits))

    @cached_property
    def is_reached(self) -> bool:
        """Whether a position on it was found within the limits of the joints."""
        return len(self.positions()) > 0

    def __str__(self) -> str:
        condition = cut(self.condition, "equations")
        head = f"{self.name}: {condition}" if self.name else condition
        where = "" if self.where == self.condition else cut(self.where, "solutions")
        lines = [head, *([f"  {where}"] if where else [])]
        lines += [f"  {self.meaning}"] if self.meaning else []
        if not self.is_reached:
            anywhere = len(self.positions(limits=False)) > 0
            lines.append(f"  none found {'within the limits' if anywhere else 'for these lengths'}")
        return "\n".join(lines)

    __repr__ = __str__


def shown(x: sympy.Expr) -> str:
    """As text; lengths as decimals, where those end, and numbers that have more digits."""
    decimals = {
        c: sympy.Float(float(c), 15)
        for c in x.atoms(sympy.Rational)
        if c.q > _LONGEST or (c.q > 4 and sympy.Rational(str(float(c))) == c)
    }
    decimals |= {c: sympy.Float(float(c), 15) for c in x.atoms(sympy.Float)}
    return re.sub(r"\bpi\b", "π", sympy.sstr(x.xreplace(decimals), full_prec=False))


def cut(text: str, where: str) -> str:
    """A long formula cut short, with the attribute that has all of it."""
    return text if len(text) <= WIDEST else f"{text[:WIDEST]} … (all of it in .{where})"


def of_factor(arm: Arm, e: Exact, poly: Poly, power: int) -> SingularSet:
    """The zeros of one factor."""
    written = (textbook(poly),)
    solutions = solved(poly, e.names.q)
    sampler = Sampler(arm, e, (poly,), solutions)
    return SingularSet(written, solutions, power, _sampler=sampler)


def of_branch(
    arm: Arm, e: Exact, values: Mapping[str, Any], equations: Sequence[Poly]
) -> SingularSet:
    """Zeros of several determinants together."""
    more: tuple[Mapping[str, sympy.Expr], ...] = ({},)
    if len(equations) == 1:
        more = solved(equations[0], e.names.q)
    ways = [dict(zip(values, way, strict=True)) for way in product(*values.values())]
    solutions = tuple({**way, **x} for way in ways for x in more)
    if len(equations) > 1:
        solutions = ()
    written = (*(_wave(q, x) for q, x in values.items()), *map(textbook, equations))
    sampler = Sampler(arm, e, equations, solutions, ways)
    return SingularSet(written, solutions, 2, _sampler=sampler)


def _wave(q: str, values: Sequence[sympy.Expr]) -> sympy.Expr:
    """What is zero at these values of a coordinate."""
    x = sympy.Symbol(q)
    if set(values) == {sympy.Integer(0), sympy.pi}:
        return sympy.sin(x)
    if set(values) == {sympy.pi / 2, -sympy.pi / 2}:
        return sympy.cos(x)
    return sympy.Mul(*(x - v for v in values))


class Sampler:
    """Random positions on a set."""

    def __init__(
        self,
        arm: Arm,
        e: Exact,
        equations: Sequence[Poly],
        solutions: Sequence[Mapping[str, sympy.Expr]],
        ways: Sequence[Mapping[str, sympy.Expr]] = ({},),
    ) -> None:
        self.model, self.names = arm.model, e.names.q
        self.numbers = tuple(e.values.values())
        self.symbols = [sympy.Symbol(x) for x in (*e.names.q, *e.values)]
        self.equations, self.solutions, self.ways = tuple(equations), tuple(solutions), tuple(ways)

    def __call__(self, count: int, seed: int, limits: bool) -> Array:
        """(≤ count, nq)."""
        start = random_positions(self.model, TRIES * count, seed)
        found = self._solved(start) if self.solutions else self._searched(start)
        found = [q for q in found if np.isfinite(q).all()]
        kept = [q for x in found if (q := self._within(x)) is not None] if limits else found
        return np.array(kept[:count]).reshape(-1, self.model.nq)

    def _solved(self, start: Array) -> list[Array]:
        with np.errstate(all="ignore"):
            moved = [self._put(start, values) for values in self.solutions]
        return [q for rows in zip(*moved, strict=True) for q in rows]

    def _put(self, start: Array, values: Mapping[str, sympy.Expr]) -> Array:
        q = start.copy()
        for name, x in values.items():
            f = sympy.lambdify(self.symbols, x, "numpy")  # nan where there is no such angle
            q[:, self.names.index(name)] = f(*q.T, *self.numbers)
        return q

    def _searched(self, start: Array) -> list[Array]:
        """By Gauss and Newton, all equations at once."""
        free = [k for k, q in enumerate(self.names) if q not in self.ways[0]]
        F = [textbook(x) for x in self.equations]
        slopes = [[textbook(x.derivative(self.names[k])) for k in free] for x in self.equations]
        f, df = (sympy.lambdify(self.symbols, x, "numpy") for x in (F, slopes))
        found: list[Array] = []
        every = np.empty_like(start)
        for k, way in enumerate(self.ways):
            every[k :: len(self.ways)] = self._put(start[k :: len(self.ways)], way)
        with progress("positions on a singular set") as at:
            for k, q in enumerate(every):
                at.step()
                for _ in range(NEWTONS):
                    r, A = (np.array(g(*q, *self.numbers), float) for g in (f, df))
                    size = max(float(np.abs(A).max()), 1e-300)
                    if np.abs(r).max() <= ON * size:
                        found.append(q)
                        break
                    q = q.copy()
                    q[free] -= np.linalg.lstsq(A, r, rcond=1e-8)[0]
                # one of so many tries has to succeed, also where hundreds are asked for
                if len(found) * TRIES > len(start) or k + 1 >= TRIES * (len(found) + 1):
                    break
        return found

    def _within(self, q: Array) -> Array | None:
        """Angles in whole turns to within their limits; None where they do not fit."""
        low, high = np.asarray(self.model.lower, float), np.asarray(self.model.upper, float)
        angular = np.array([unit == "rad" for unit in self.model.coordinate_units])
        turns = np.where(angular, 2 * np.pi, 0.0)
        base = np.where(np.isfinite(low), low, -np.pi)
        q = np.where(angular, q + turns * np.ceil((base - q - ON_A_LIMIT) / (2 * np.pi)), q)
        ok = (q >= low - ON_A_LIMIT) & (q <= high + ON_A_LIMIT)
        return np.asarray(q) if ok.all() else None


ON_A_LIMIT = 1e-12  # of a value that is a limit
