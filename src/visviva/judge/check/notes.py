"""What is told beside a verdict: how the claim was taken, with what, and where it holds."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from visviva.algebra.exact.poly import Quotient
from visviva.describe.quantities import FRAME_JACOBIAN, KINDS
from visviva.errors import OutsideError
from visviva.judge.check.compare.balls import Witness
from visviva.judge.check.compare.balls import value as value_at
from visviva.judge.check.compare.case import Case, plain
from visviva.judge.check.compare.differences import difference
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.statements import CONSERVED
from visviva.judge.check.said.values import is_place
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.check.verdict import ROUNDED, told
from visviva.judge.exact.forms import Facts
from visviva.notation.tree import Negative, Number

LONGEST_NOTE = 12  # terms of a formula that a note shows
GRAVITIES = (9.8, 9.80665, 9.807, 9.81, 10.0)  # m/s², as books round it
ROUNDING = 2.0**-50  # of a float that was read from decimals


def notes(case: Case, claim: Claim) -> tuple[str, ...]:
    """How the claim was taken."""
    said = [*claim.notes, *case.facts.notes, *case.notes]
    if case.scale != 1:
        said.append(f"the equation was multiplied by {case.shown(case.scale)} to compare it")
    if case.nonzero and (claim.kept or claim.relates):
        listed = ", ".join(f"{case.shown(x)} ≠ 0" for x in case.nonzero)
        said.append(f"it holds everywhere, but is {case.subject} only where {listed}")
    if case.weights:
        said += _sum(case)
    if case.named is not None and case.zero:
        said += _beside(replace(case.named, names=case.names), claim)
    for name, node in claim.assumed:
        said.append(f"with {case.spell(name)} = {case.shown(case.field.read(node))}")
    laws = {key for key, _, _ in claim.laws}
    for i in case.zero:
        force = f"{FORCE}{i + 1}"
        if force in laws:
            continue  # what it is instead is a condition
        if force in claim.still:
            said.append(f"with {case.spell(force)} = 0, as was said")
        elif i in case.facts.passive:
            said.append(f"with {case.spell(force)} = 0, as {case.facts.name} states")
    for i in [] if must_be_said(case, claim) else driven(case, claim):
        force = case.spell(f"{FORCE}{i + 1}")
        said.append(f"the claim says {force} = 0: {case.facts.name} can be driven there")
    if case.field.supposed:
        listed = ", ".join(map(case.spell, case.field.supposed))
        said.append(f"under roots parameters are taken as positive: {listed}")
    if case.subject.kind == FRAME_JACOBIAN.exact and case.truth.ndim > 0 and len(case.truth) < 6:
        whole = case.quantity(FRAME_JACOBIAN.exact, case.subject.frame)
        turning = len(case.truth) == 3 and any(
            a != b for a, b in zip(case.truth[2], whole[5], strict=True)
        )
        rows = "velocity and of the turning rate in the plane" if turning else "velocity"
        said.append(f"these are the rows of the {rows}; the whole has those of ω before them")
    return tuple(said)


def conditions(
    case: Case, claim: Claim, zero: Iterable[int], taken: Mapping[str, Any], back: Mapping[str, str]
) -> tuple[sympy.Basic, ...]:
    """Where the claim holds: forces that are zero, values, laws, factors that are not zero."""
    said: list[sympy.Basic] = [is_zero(i, back) for i in zero]
    said += [
        sympy.Eq(sympy.Symbol(back.get(p, p)), case.written(value))
        for p, value in taken.items()
        if is_place(p, case.facts) or _is_special(p, value, case)
    ]
    said += [
        sympy.Eq(sympy.Symbol(text), case.written(case.field.read(x))) for _, text, x in claim.laws
    ]
    if not (claim.kept or claim.relates):
        said += [sympy.Ne(case.written(x), 0) for x in case.nonzero]
    return tuple(said)


def is_zero(i: int, back: Mapping[str, str]) -> sympy.Eq:
    """A condition, in the user's name of the force."""
    return sympy.Eq(sympy.Symbol(back[f"{FORCE}{i + 1}"]), 0)


def _is_special(name: str, value: Any, case: Case) -> bool:
    """Whether a parameter is said to be what it is not, or hardly is: zero, negative, another
    number than the system has, or so that all vanishes.

    r2 = L2/2 says how a body is built; I2 = -m2 r2^2 makes M22 = 0 true.
    """
    if not case.used(value):
        return _is_another(name, float(value_at(value, {}, case.field).mid()), case.facts)
    if not any(c > 0 for c in Quotient.of(value).top.p.to_dict().values()):
        return True
    if case.subject.kind not in KINDS or any(x != 0 for x in case.truth.ravel()):
        return False
    whole = np.ravel(np.asarray(case.facts.of(case.subject), dtype=object))
    return any(x != 0 for x in whole)


def _is_another(name: str, value: float, facts: Facts) -> bool:
    """Whether a number is not the value of a parameter; without one, whether it is not positive.

    What gravity is rounded to is no other value of it.
    """
    own = facts.parameters.get(name)
    if own is None:
        return value <= 0

    def is_of_books(x: float) -> bool:
        return any(math.isclose(x, g, rel_tol=ROUNDING) for g in GRAVITIES)

    if name in facts.forms.weights and is_of_books(value) and is_of_books(float(own)):
        return False
    return not math.isclose(value, float(own), rel_tol=ROUNDING)


def rounded(case: Case, claim: Claim, seen: Witness) -> tuple[int, str]:
    """The digits to which a number is right, where it is the truth rounded, and a note of it."""
    number = re.search(r"([0-9]*)\.([0-9]+)[ $]*$", claim.text)
    inner = claim.node.of if isinstance(claim.node, Negative) else claim.node
    if number is None or not isinstance(inner, Number) or case.used(*case.truth.ravel()):
        return 0, ""
    digits = len((number[1] + number[2]).lstrip("0"))
    if abs(seen.claim - seen.truth) > 0.5 * 10.0 ** -len(number[2]):
        return 0, ""
    return digits, f"{ROUNDED}: the value is {seen.truth:.10g}"


def must_be_said(case: Case, claim: Claim) -> bool:
    """Whether a force that is left out is a condition, even where an equation says it is zero.

    A system that says what is passive says that the others are driven. That something is conserved
    says nothing of forces, even if its rate is one equation.
    """
    return bool(case.facts.passive) or CONSERVED in claim.notes


def driven(case: Case, claim: Claim) -> list[int]:
    """Forces that an equation written `= 0` alone says are zero, perhaps by forgetting them.

    Of one coordinate, an equation without a force can mean nothing else.
    """
    if len(case.facts.rates) == 1:
        return []
    still = {i for i in case.stated if f"{FORCE}{i + 1}" in claim.still}
    return [i for i in case.stated if i not in still and i not in case.facts.passive]


def _sum(case: Case) -> list[str]:
    """Which equations a sum has, and how often, where that is short."""
    parts = [Quotient.of(x) for x in case.weights.values()]
    if any(x.top.size + x.bottom.size > LONGEST_NOTE for x in parts):
        return []
    first = next(iter(case.weights.values()))
    weights = {i: case.field.settled(k / first) for i, k in sorted(case.weights.items())}
    said = ""
    for i, k in weights.items():
        factor = case.shown(k).removeprefix("-")
        sign = " - " if case.shown(k).startswith("-") else " + "
        times = "" if factor == "1" else f"({factor}) · " if " " in factor else f"{factor} · "
        said += f"{sign}{times}(equation {i + 1})"
    first_sign = "-" if said.startswith(" - ") else ""
    return [f"from {first_sign}{said[3:]}"]


def _beside(named: Case, claim: Claim) -> list[str]:
    """In what a claim that holds under conditions is not the equation that it names."""
    if not named.rows or named.claim.shape:
        return []
    try:
        gap = difference(named.claim[()], named.truth[()])
    except OutsideError:
        return []
    if gap.missing.size + gap.extra.size > LONGEST_NOTE:
        return []
    missing, extra, _ = told(named, claim.node)
    pairs = (("lacks", missing), ("has too much", extra))
    said = [f"{verb} {plain(x, named.spoken)}" for verb, x in pairs if x != 0]
    return [f"as {named.subject} alone it {' and '.join(said)}"] if said else []
