"""Formulas that carry their value, and the page they are written on.

A `Quantity` is what is written and what it comes to, made by the same operations: what is printed
is what was computed. The page writes a value in textbook form, reads it back from what it wrote,
and compares it with an independent computation; where they differ it raises, so no wrong line is
written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import each
from visviva.errors import DerivationError
from visviva.judge.derive.scalars import Scalars
from visviva.judge.derive.steps import Equation, Step
from visviva.notation.writing.arrange import Boxes
from visviva.notation.writing.page import ZERO, Fence, Mark, Row, Sum, fenced
from visviva.notation.writing.plain import text
from visviva.notation.writing.width import PAGE, width
from visviva.progress import Progress
from visviva.space.rotations import cross


@dataclass(frozen=True, eq=False)
class Quantity:
    """A formula: its value, its box, and its box with the values of its parts put in."""

    value: Any
    box: Any
    plugged: Any
    loose: bool = False  # a vector product: in brackets where it is a factor

    @property
    def is_zero(self) -> bool:
        """Whether its value is zero, exactly, in every entry."""
        return all(x == 0 for x in np.ravel(np.asarray(self.value, dtype=object)))

    def __add__(self, other: Quantity) -> Quantity:
        return self._plus(other, 1)

    def __sub__(self, other: Quantity) -> Quantity:
        return self._plus(other, -1)

    def __neg__(self) -> Quantity:
        plugged = ZERO if self.is_zero else Sum(((-1, fenced(self.plugged)),))
        return Quantity(-self.value, Sum(((-1, fenced(self.box)),)), plugged)

    def _plus(self, other: Quantity, sign: int) -> Quantity:
        parts = [(1, self), (sign, other)]
        boxes = [x for s, t in parts for x in _terms(s, t.box)]
        kept = [x for s, t in parts if not t.is_zero for x in _terms(s, t.plugged)]
        plugged = (
            ZERO if not kept else kept[0][1] if kept == [(1, kept[0][1])] else Sum(tuple(kept))
        )
        value = self.value + other.value if sign > 0 else self.value - other.value
        return Quantity(value, Sum(tuple(boxes)), plugged)

    def __matmul__(self, other: Quantity) -> Quantity:
        return self._joined(other, self.value @ other.value)

    def __mul__(self, other: Quantity) -> Quantity:
        return self._joined(other, self.value * other.value)

    def dot(self, other: Quantity) -> Quantity:
        """The scalar product."""
        return self._joined(other, self.value @ other.value, Mark("·"))

    def cross(self, other: Quantity) -> Quantity:
        """The vector product."""
        product = self._joined(other, np.array(cross(self.value, other.value)), Mark("×"))
        return replace(product, loose=True)

    def _joined(self, other: Quantity, value: Any, mark: Mark | None = None) -> Quantity:
        between = () if mark is None else (mark,)
        box = Row((self._factor(self.box), *between, other._factor(other.box)))
        if self.is_zero or other.is_zero:
            return Quantity(value, box, ZERO)
        return Quantity(
            value, box, Row((self._factor(self.plugged), *between, other._factor(other.plugged)))
        )

    def _factor(self, box: Any) -> Any:
        """In brackets where that is needed beside another factor."""
        return Fence(box) if self.loose and isinstance(box, Row) else fenced(box)


def _terms(sign: int, box: Any) -> list[tuple[int, Any]]:
    if isinstance(box, Sum):
        if sign > 0:
            return list(box.terms)
        return [(sign, Fence(box))] if len(box.terms) > 1 else [(-box.terms[0][0], box.terms[0][1])]
    return [(sign, box)]


class Page:
    """Where a derivation is written, step by step; `at` is told which line is being written."""

    def __init__(self, scalars: Scalars, boxes: Boxes, at: Progress | None = None) -> None:
        self.scalars = scalars
        self.boxes = boxes
        self.at = at or Progress("")
        self.checks = 0
        self._steps: list[tuple[dict[str, Any], list[Equation]]] = []

    @property
    def steps(self) -> tuple[Step, ...]:
        """What has been written; steps without lines had nothing to say."""
        return tuple(Step(equations=tuple(lines), **head) for head, lines in self._steps)

    def step(self, title: str, sentence: str, chapter: str = "") -> None:
        """Begin a step."""
        head = {"title": title, "sentence": sentence, "chapter": chapter}
        self._steps.append((head, []))
        self.at.step(title)

    def value(self, x: Any) -> Any:
        """A number or an array of numbers as SymPy has it in textbook form, read back."""
        shown = each(self._shown, x)
        return sympy.Matrix(shown.tolist()) if shown.ndim else shown[()]

    def _shown(self, entry: Any) -> Any:
        shown = self.scalars.show(entry)
        self.require(self.scalars.read(shown), entry, "what was written, read back,")
        return shown

    def leaf(self, box: Any, value: Any) -> Quantity:
        """A quantity that has a sign of its own; without one it is written by its value."""
        scalars = each(self.scalars.of, value)[()]
        plugged = self.boxes.box(self.value(scalars))
        return Quantity(scalars, plugged if box is None else box, plugged)

    def line(
        self,
        left: Any,
        term: Quantity,
        same_as: Any = None,
        check: str = "",
        plug: bool = True,
        shown: Any = None,
        zero: bool = False,
    ) -> Quantity:
        """left = formula = formula with values = value; `same_as` is another road to the value.

        `zero`: what is always zero in a motion, though not by the formula, is written so.
        """
        self.at.step(f"{self._steps[-1][0]['title']}, {text(left)}")
        if same_as is not None:
            self.require(term.value, same_as, text_of(check))
        if shown is None:
            shown = self.value(term.value)
        else:
            self.require(self.scalars.read(shown), term.value, "what was written, read back,")
        last = self.boxes.box(shown)
        plug = plug and term.plugged != ZERO and width(term.plugged) < 1.6 * PAGE
        members = [term.box, term.plugged, last] if plug else [term.box, last]
        once = {text(m): m for m in members if text(m) != text(left)}
        members = [*(once.values() or [last]), *[ZERO] * zero]
        self._steps[-1][1].append(Equation(left, tuple(members), shown, check))
        return Quantity(term.value, left, last)

    def sum(self, terms: Iterable[Quantity]) -> Quantity:
        """The terms added in their order; 0 if there are none."""
        return reduce(add, terms) if (terms := list(terms)) else self.leaf(None, 0)

    def state(
        self, left: Any, value: Any, same_as: Any = None, check: str = "", zero: bool = False
    ) -> Quantity:
        """left = value, with no formula between."""
        line = self.leaf(None, value)
        return self.line(left, line, same_as, check, zero=zero)

    def balance(self, left: Any, right: Any, check: str = "") -> None:
        """An equation between two values, each written out."""
        self.line(self.leaf(None, left).box, self.leaf(None, right), check=check)

    def given(self, left: Any, members: tuple[Any, ...], value: Any, check: str = "") -> None:
        """left = members, of which the caller has proved what `check` says; `value` is the last."""
        self.at.step(f"{self._steps[-1][0]['title']}, {text(left)}")
        self._steps[-1][1].append(Equation(left, members, value, check))

    def confirm(self, gap: float, left: Any) -> None:
        """Raise if a relative difference found by numbers is no rounding error."""
        if not gap < 1e-15:
            raise DerivationError(f"{text(left)} differs from a numerical derivative by {gap:.1g}")
        self.checks += 1

    def require(self, a: Any, b: Any, what: str) -> None:
        """Raise unless both are the same, entry by entry."""
        left, right = (np.asarray(x, dtype=object) for x in (a, b))
        if left.shape != right.shape:
            raise DerivationError(f"{what} has shape {left.shape}, expected {right.shape}")
        for (index, x), y in zip(np.ndenumerate(left), right.ravel(), strict=True):
            if not self.scalars.same(x, y):
                where = f" at {[k + 1 for k in index]}" if index else ""
                raise DerivationError(f"{what}{where} differs: {x} is not {y}")
        self.checks += 1


def text_of(check: str) -> str:
    """What a failed check says."""
    return f"a line that should satisfy ({check})" if check else "a line"
