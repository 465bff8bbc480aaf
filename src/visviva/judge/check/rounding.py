"""Claims that are right but for their numbers: rounded ones, or the system's own values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from visviva.algebra.exact.poly import Quotient
from visviva.errors import VisvivaError
from visviva.judge.check.compare.case import Case
from visviva.judge.check.compare.solve import likeliest
from visviva.judge.check.mistakes.mistake import Diagnosis
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.vocabulary import FORCE
from visviva.notation.tree import Node, Number, names, walk

NEAR = 1e-4  # relative difference of numbers that may be rounded
NOTHING = 1e-9  # relative size of terms that nobody writes
MOST_VALUES = 20  # of a system, that are put in for trial
USUAL = {Fraction(n, d) for d in (1, 2, 3, 4, 6, 8, 12) for n in range(9)}  # in formulas


def rounded(case: Case, claim: Claim) -> tuple[Diagnosis, ...]:
    """Whether the claim has all terms of the truth, its numbers agreeing to some digits."""
    if not any(map(_has_decimals, (claim.node, *(x for _, x in claim.assumed)))):
        return ()
    gaps = [_gap(said, true) for _, said, true in case.entries()]
    worst = max(gaps)
    if not worst < NEAR:
        return ()
    digits = math.floor(-math.log10(worst)) if worst else 15
    said = f"The numbers agree to {digits} digits: those of the claim are rounded."
    return (Diagnosis("rounding", said),)


def at_own_values(case: Case, claim: Claim) -> tuple[Diagnosis, ...]:
    """Whether a claim holds with the system's own values put in, as few as it needs.

    Asked of claims that name no parameter, or have numbers that formulas have not.
    """
    said = {n.key for n in names(claim.node)} | {name for name, _ in claim.assumed}
    known = {p: x for p, x in case.facts.parameters.items() if x is not None and p not in said}
    named = bool(said & {*case.facts.parameters})
    if len(known) > MOST_VALUES or (named and not has_odd_numbers(claim)):
        return ()
    values = {p: Fraction(repr(float(x))) for p, x in known.items() if math.isfinite(x)}
    if not values or not _holds_at(values, claim, case):
        return ()
    for p in tuple(values):
        fewer = {k: x for k, x in values.items() if k != p}
        values = fewer if _holds_at(fewer, claim, case) else values
    listed = [f"{case.names.get(p, p)} = {float(x):.15g}" for p, x in values.items()]
    sentence = (
        f"It holds at the values of {case.facts.name!r}, {', '.join(listed)}, not for others: "
        f"write {'; '.join(listed)}; {claim.text:.60}"
    )
    return (Diagnosis("values", sentence),)


def has_odd_numbers(claim: Claim) -> bool:
    """Whether numbers stand there that formulas have not: 9.81, 19."""
    numbers = (abs(Fraction(x.value)) for x in walk(claim.node) if isinstance(x, Number))
    return any(x not in USUAL for x in numbers)


def _holds_at(values: Mapping[str, Fraction], claim: Claim, case: Case) -> bool:
    """Whether it is proved with numbers for parameters, under no other condition."""
    numbers = ((p, Number(x)) for p, x in values.items())
    there = replace(claim, assumed=(*claim.assumed, *numbers))
    still = {i for i in range(len(case.facts.rates)) if f"{FORCE}{i + 1}" in claim.still}
    try:
        other = likeliest(there, case.facts, case.names)
        return other.is_identical and {*other.zero} <= {*case.zero, *case.facts.passive, *still}
    except (VisvivaError, ZeroDivisionError):
        return False


def _has_decimals(node: Node) -> bool:
    """Whether a number stands there that is no short fraction: 0.3333, not 1/3 or 0.5."""
    denominators = (Fraction(x.value).denominator for x in walk(node) if isinstance(x, Number))
    return any(x % 5 == 0 for x in denominators)


def _gap(claim: Any, truth: Any) -> float:
    """The largest relative difference of the numbers before equal terms; infinite for other terms.

    Formulas are compared without denominators.
    """
    c, t = Quotient.of(claim), Quotient.of(truth)
    equal = c.bottom == t.bottom
    a, b = (c.top, t.top) if equal else (c.top * t.bottom, t.top * c.bottom)
    mine, true = (dict(x.p.to_dict()) for x in (a, b))
    largest = max((abs(_number(x)) for x in true.values()), default=Fraction(0))
    worst = Fraction(0)
    for powers in {**true, **mine}:
        x, y = _number(mine.get(powers, 0)), _number(true.get(powers, 0))
        if x * y == 0 and abs(x) + abs(y) > largest * Fraction(NOTHING):
            return math.inf
        if y != 0:
            worst = max(worst, abs(x - y) / abs(y) if x else Fraction(0))
    return float(worst)


def _number(x: Any) -> Fraction:
    return Fraction(int(x.p), int(x.q)) if x != 0 else Fraction(0)
