"""The paper that a proof is written on: every line is read from the page, and has to hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from visviva.algebra.exact.ring import Ring
from visviva.errors import DerivationError
from visviva.judge.derive.page import Page
from visviva.judge.derive.scalars import ExactScalars
from visviva.judge.derive.steps import Step
from visviva.judge.proofs.formula import Expression
from visviva.judge.proofs.meaning import MOMENTS, PLACE, Meaning
from visviva.notation.names import Names
from visviva.notation.writing.arrange import Boxes
from visviva.notation.writing.plain import text

SAME = "both sides are the same polynomial, read from the page"


class Paper:
    """Lines of a proof.

    `symbols` are what the proof is about, `angles` those of them that have sines and cosines.
    `rates` says which symbol is the rate of which. With `body`, there are integrals over one.
    """

    def __init__(
        self,
        symbols: Iterable[str],
        angles: Iterable[str] = (),
        rates: Mapping[str, str] | None = None,
        slopes: Mapping[str, Mapping[str, str]] | None = None,
        body: bool = False,
    ) -> None:
        every = [*symbols, *((*PLACE, *MOMENTS.values()) if body else ())]
        angles = tuple(angles)
        ring = Ring(every, {name: {name: 1} for name in angles})
        rates = rates or {}
        firsts = [x for x in rates if x not in rates.values()]
        others = [x for x in every if x not in firsts and x not in rates.values()]
        self.page = Page(ExactScalars(ring, (), (), ()), Boxes(firsts, others))
        self.meaning = Meaning(ring, Names(firsts, others), rates, slopes or {})
        self.ring = ring

    @property
    def steps(self) -> tuple[Step, ...]:
        """What has been written."""
        return self.page.steps

    def step(self, title: str, sentence: str, chapter: str = "") -> None:
        """Begin a step."""
        self.page.step(title, sentence, chapter)

    # ---- names for what there is

    def column(self, sign: Expression, names: str | Sequence[Any]) -> Expression:
        """A vector with its components: names of symbols, or values."""
        parts = names.split() if isinstance(names, str) else names
        entries = [self.ring[x] if isinstance(x, str) else x for x in parts]
        return self.call(sign, np.array([[x] for x in entries], dtype=object))

    def call(self, sign: Expression, value: Any) -> Expression:
        """A sign for a value."""
        self.meaning.signs[sign.box] = value
        return sign

    def unit(self, sign: Expression, n: int = 3) -> Expression:
        """The unit matrix."""
        return self.call(sign, self.meaning.identity(n))

    def turn(self, axis: str, angle: str) -> Any:
        """The matrix of a turn about a coordinate axis."""
        c, s = self.ring[angle].cos(), self.ring[angle].sin()
        j, k = ("xyz".index(axis) + 1) % 3, ("xyz".index(axis) + 2) % 3
        R = self.meaning.identity(3)
        R[j, j], R[k, k], R[k, j], R[j, k] = c, c, s, -s
        return R

    def family(self, letter: str, entries: Any, dots: int = 0) -> None:
        """A letter with indices."""
        self.meaning.indexed[letter, dots] = np.asarray(entries, dtype=object)

    def shown(self, value: Any) -> Expression:
        """A value in textbook form."""
        return Expression(self.page.boxes.box(self.page.value(value)))

    # ---- lines

    def let(self, left: Expression, *members: Expression) -> Expression:
        """A definition; members after the first have to be equal to it."""
        self._write(left, members, "define")
        return left

    def let_all(self, indices: str, left: Expression, *members: Expression) -> Expression:
        """A definition of a letter with these indices."""
        self._write(left, members, "define", indices)
        return left

    def suppose(self, left: Expression, right: Expression) -> None:
        """What is assumed of first moments: ∫ s dm, of the place s of a mass point, is this."""
        self._write(left, (right,), "suppose")

    def line(
        self, left: Expression, *members: Expression, over: str = "", check: str = SAME
    ) -> None:
        """left = member = …, proved; `over` names indices that stand for any numbers."""
        self._write(left, members, "prove", over, check)

    def _write(
        self,
        left: Expression,
        members: Sequence[Expression],
        kind: str,
        over: str = "",
        check: str = "",
    ) -> None:
        """Read every member from the page; what is proved is equal, entry by entry."""
        boxes = [m.box for m in members]
        values = [self.meaning.over(over, box) for box in boxes]
        if kind == "define":
            self._define(left.box, values[0], over)
        elif kind == "suppose":
            self._assume(values[0])
        said, first = text(left.box), self.meaning.over(over, left.box)
        given = 1 if kind == "define" else 0  # a definition has nothing to be compared with
        for box, value in list(zip(boxes, values, strict=True))[given:]:
            self.page.require(value, first, f"{said} = {text(box)}, read from the page,")
        check = check if kind == "prove" or len(members) > 1 else ""
        self.page.given(left.box, tuple(boxes), values[-1], check)

    def _define(self, box: Any, value: Any, over: str) -> None:
        if over:
            self.meaning.indexed[box.letter, box.dots] = value
        else:
            self.meaning.signs[box] = value

    def _assume(self, value: Any) -> None:
        if np.shape(value) != (3, 1):
            raise DerivationError(f"first moments are three, got the shape {np.shape(value)}")
        for k in range(3):
            self.meaning.assume(tuple(int(j == k) for j in range(3)), value[k, 0])
