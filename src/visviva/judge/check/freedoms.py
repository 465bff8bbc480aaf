"""Whether a number is that of the freedoms: DOF = 3 (N - 1 - J) + Σ f."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from visviva.errors import ArgumentError, ParseError
from visviva.judge.check.mistakes.mistake import Diagnosis
from visviva.judge.check.said.statements import Statement
from visviva.judge.check.verdict import AGREES, DIFFERS, IDENTICAL, Verdict, WrongTerm
from visviva.notation.evaluate import evaluate
from visviva.notation.tree import Equation, Name, Node

FREEDOMS = ("DOF", "dof", "DoF", "mobility")
GRUEBLER = "Grübler"


def freedom_claims(stated: list[Statement]) -> list[tuple[str, Node]]:
    """The texts and values of statements about the number of freedoms."""
    pairs = [(x.text, x.node) for x in stated if isinstance(x.node, Equation)]
    return [(text, x.right) for text, x in pairs if _is_freedoms(x.left)]


def freedoms(text: str, value: Node, system: Any) -> Verdict:
    """Compared with the mobility of the system, and with what Grübler counts."""
    said = _number(text, value)
    known = system.mobility()
    shown = Verdict(IDENTICAL, text, "the number of freedoms", system.name)
    if known.true is None:
        raise ArgumentError(
            f"{text:.200}: the mobility of {system.name!r} is undecided at this position, so the "
            f"claim is not judged. {known.why}"
        )
    counted = f"Grübler counts {known.counted} {known.where}: {known.formula}"
    if said == known.true:
        notes = (counted, f"the mobility is {known.true}, {known.verdict}: {known.why}")
        proved = known.verdict.startswith("proved")
        shown = replace(shown, notes=notes)
        return shown if proved else replace(shown, status=AGREES, points=1, digits=1)
    if said == known.freedoms < known.true:
        every = f"{known.true} - {known.true - known.freedoms}"
        note = (
            f"{known.freedoms} counts velocities, {every} for rows about these alone; positions "
            f"have {known.true} freedoms, which books also call so"
        )
        return replace(shown, status=AGREES, points=1, digits=1, notes=(counted, note))
    gap = known.true - said
    missing, extra = (sympy.Rational(str(x)) for x in (max(gap, 0), max(-gap, 0)))
    terms = tuple(
        WrongTerm(which, "", x) for which, x in (("missing", missing), ("extra", extra)) if x != 0
    )
    diagnosis: tuple[Diagnosis, ...] = ()
    if said == known.counted:
        sentence = (
            f"{known.counted} is what Grübler counts, who knows nothing of lengths and angles; "
            f"the mobility is {known.true}, {known.verdict}."
        )
        diagnosis = (Diagnosis(GRUEBLER, sentence),)
    more = {"missing": missing, "extra": extra, "terms": terms, "diagnosis": diagnosis}
    return replace(shown, status=DIFFERS, notes=(counted, known.why), **more)


def _is_freedoms(node: Node) -> bool:
    return isinstance(node, Name) and node.key in FREEDOMS and not node.dots


def _number(text: str, node: Node) -> Fraction:
    try:
        value = evaluate(node, _Numbers())
    except (ParseError, ZeroDivisionError) as error:
        raise ArgumentError(f"{text:.200}: {error}") from None
    if not isinstance(value, Fraction):
        raise ArgumentError(f"{text:.200}: the number of freedoms is one number")
    return value


class _Numbers:
    """Numbers alone."""

    def number(self, value: Fraction) -> Fraction:
        """As it is."""
        return value

    def name(self, name: Name) -> Any:
        """There are none."""
        said = name.text or name.key
        raise ArgumentError(f"the number of freedoms is judged in numbers, got {said}")

    def call(self, function: str, *arguments: Any) -> Any:
        """There are none."""
        raise ArgumentError(f"the number of freedoms is judged in numbers, got {function}")

    def power(self, base: Any, exponent: Any) -> Any:
        """Whole powers."""
        return base**exponent
