"""Claims that are right but for their decimals."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from visviva.algebra.exact.poly import Quotient
from visviva.judge.check.compare.case import Case
from visviva.judge.check.mistakes.mistake import Diagnosis
from visviva.judge.check.said.claims import Claim
from visviva.notation.evaluate import Node, Number, walk

NEAR = 1e-4  # relative difference of numbers that may be rounded
NOTHING = 1e-9  # relative size of terms that nobody writes


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


def _has_decimals(node: Node) -> bool:
    """Whether a number stands there that is no short fraction: 0.3333, not 1/3 or 0.5."""
    found = (Fraction(x.value).denominator for x in walk(node) if isinstance(x, Number))
    return any(x % 5 == 0 for x in found)


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
