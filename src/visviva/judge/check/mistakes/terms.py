"""Mistakes in whole terms: left out, on the wrong side, with a wrong factor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.poly import Poly
from visviva.judge.check.compare.case import Case
from visviva.judge.check.compare.differences import (
    CORIOLIS,
    DISSIPATIVE,
    POSITIONAL,
    TIMED,
    by_factor,
)
from visviva.judge.check.mistakes.mistake import Mistake
from visviva.judge.check.said.subjects import ACCELERATION, EQUATION, FORCES_OF_MOTION
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.elements import elements

GRAVITY, FRICTION, SIDE = "gravity", "friction", "side"
SLOPES, POTENTIAL = "∂T/∂q", "∂V/∂q"
LARGEST_FACTOR = 1000  # above or below the line, of a factor that may be a slip
FACTOR, SIGN, OMITTED = "factor", "sign", "left out"
# what a wrong factor of v₁ v₂ comes from: Σⱼₖ Γⱼₖ vⱼ vₖ has it as v₁ v₂ and as v₂ v₁
WHY = {
    Fraction(1, 2): "The sum over j and k has each pair of velocities twice, here it has it once.",
    Fraction(2): "The sum over j and k has each pair of velocities twice, not four times.",
}


def mistakes(case: Case) -> Iterator[Mistake]:
    """Whole terms left out, on the wrong side, or with a wrong factor."""
    if case.subject.kind == EQUATION and case.rows:
        yield from _of_equations(case)
    if case.subject.kind == ACCELERATION:
        yield from _of_forces(case)
    yield from _of_energies(case)
    yield from _of_factors(case)
    yield from _of_pairs(case)
    for times in (Fraction(2), Fraction(1, 2)):
        said = f"All of it has {times} times its true size."
        yield Mistake(FACTOR, said, partial(_times, case, times))
    yield Mistake(SIDE, _other_side(case), lambda: -case.truth)


def _other_side(case: Case) -> str:
    if case.subject.kind == EQUATION:
        return "All signs are the opposite ones: the generalized force stands on the wrong side."
    return "All signs are the opposite ones."


def _of_forces(case: Case) -> Iterator[Mistake]:
    """Forces that a solved acceleration leaves out, though other statements have them."""
    mine, true = (case.used(*x.flat) for x in (case.claim, case.truth))
    absent = sorted(x for x in true - mine if x.startswith(FORCE))
    if absent:
        listed = ", ".join(case.spell(x) for x in absent)
        zero = {x: case.field.ring.number(0) for x in absent}
        yield Mistake(
            "forces",
            f"{listed} has no part in it: right only if it is zero.",
            lambda: case.changed(case.truth, zero),
        )


def _of_equations(case: Case) -> Iterator[Mistake]:
    def part(kind: str) -> Array:
        return case.about(case.quantity(kind))

    if case.is_wide:
        yield from _of_gravity(case, part)
        return
    slope = "∂T/∂q"
    if len(case.rows) == 1 and len(case.facts.coordinates) == len(case.facts.rates):
        slope = f"∂T/∂{case.spell(case.facts.coordinates[case.rows[0]])}"
    yield Mistake(
        SLOPES,
        f"{slope} was left out: Lagrange's equation is d/dt ∂T/∂q̇ - ∂T/∂q + ∂V/∂q = τ.",
        lambda: case.truth + part("slopes"),
    )
    yield Mistake(
        SLOPES,
        f"{slope} has the wrong sign: Lagrange's equation is d/dt ∂T/∂q̇ - ∂T/∂q + ∂V/∂q = τ.",
        lambda: case.truth + part("slopes") * 2,
    )
    yield from _of_gravity(case, part)
    yield Mistake(
        FRICTION,
        "Friction has the wrong sign: on the side of the inertia it is + b(v).",
        lambda: case.truth - part("dissipation") * 2,
    )
    yield Mistake(FRICTION, "Friction was left out.", lambda: case.truth - part("dissipation"))
    yield Mistake(
        OMITTED,
        "All terms with velocities were left out: this is the equation of a body at rest.",
        lambda: case.truth - part("velocity_forces"),
    )
    yield Mistake(
        OMITTED,
        "The rate of the mass matrix was left out: d/dt(M q̇) = M q̈ + Ṁ q̇.",
        lambda: case.truth - part("velocity_forces") - part("slopes"),
    )
    yield Mistake(
        SIDE,
        "Everything but the inertia stands on the wrong side of the equation.",
        lambda: case.changed(-case.truth, {a: -case.field.ring[a] for _, a in case.facts.rates}),
    )


def _of_gravity(case: Case, part: Callable[[str], Array]) -> Iterator[Mistake]:
    """By its parameter if it has one, otherwise all forces of position."""
    strengths = case.facts.forms.weights
    if strengths:
        negative = {p: -case.field.ring[p] for p in strengths}
        zero = {p: case.field.ring.number(0) for p in strengths}
        yield Mistake(
            GRAVITY,
            "Gravity has the wrong sign: V grows upwards, against the direction of g.",
            lambda: case.changed(case.truth, negative),
        )
        yield Mistake(GRAVITY, "Gravity was left out.", lambda: case.changed(case.truth, zero))
    if case.is_wide:
        return

    def slopes() -> Array:
        return case.about(elements(case.facts.forms.potential_slopes, case.field))

    yield Mistake(
        POTENTIAL,
        "∂V/∂q has the wrong sign: it stands with + on the side of the inertia.",
        lambda: case.truth - slopes() * 2,
    )
    yield Mistake(POTENTIAL, "∂V/∂q was left out.", lambda: case.truth - slopes())


def _of_energies(case: Case) -> Iterator[Mistake]:
    kind = case.subject.kind
    if kind in ("lagrangian", "energy"):
        other = "energy" if kind == "lagrangian" else "lagrangian"
        yield Mistake(
            GRAVITY,
            "The potential energy has the wrong sign: L = T - V, E = T + V.",
            lambda: case.quantity(other),
        )
    if kind == "potential_energy" and not case.facts.forms.is_light:
        yield Mistake(
            GRAVITY,
            "The potential energy has the wrong sign: it grows against the direction of g.",
            lambda: -case.truth,
        )
    if kind in ("velocity_forces", "bias_forces"):
        yield Mistake(
            SLOPES,
            "∂T/∂q was left out: the velocity terms are Ṁ v - ∂T/∂q.",
            lambda: case.about(case.quantity(kind) + case.quantity("slopes")),
        )


def _of_factors(case: Case) -> Iterator[Mistake]:
    """One term in one product of velocities with a factor that is a number."""
    for place, claim, truth in case.entries():
        if not isinstance(truth, Poly) or not isinstance(claim, Poly):
            continue
        mine, true = (_parts(case, x) for x in (claim, truth))
        wrong = [f for f in {**true, **mine} if mine.get(f, 0) != true.get(f, 0)]
        for part in wrong:
            ratio, (factor, _) = _ratio(mine.get(part, 0), true.get(part, 0)), part
            if ratio is None or max(abs(ratio.numerator), ratio.denominator) > LARGEST_FACTOR:
                continue
            sentence, kind = _said(case, factor, true[part], ratio)
            gap = mine.get(part, 0) - true[part]
            yield Mistake(kind, sentence, partial(_with_part, case, place, factor, gap))


def _parts(case: Case, x: Poly) -> dict[tuple[tuple[str, ...], bool], Poly]:
    """By factors of velocities and accelerations; those that are in functions apart from others."""
    split = ((f, case.apart(part)) for f, part in by_factor(x, case.motions))
    return {(f, k == 1): y for f, both in split for k, y in enumerate(both) if not y.is_zero}


def _times(case: Case, factor: Fraction) -> Array:
    return each(lambda x: x * factor, case.truth)


def _of_pairs(case: Case) -> Iterator[Mistake]:
    """Products of two velocities, all of them or one in all equations, with a wrong factor."""
    pairs = _pairs(case)
    for times, size in ((Fraction(1, 2), "half"), (Fraction(2), "twice")):
        if len(pairs) > 1 or case.truth.size > 1:  # otherwise it is one term, told above
            said = f"All Coriolis terms have {size} their size. {WHY[times]}"
            yield Mistake(FACTOR, said, partial(_with_pairs, case, times))
        for pair in pairs if case.truth.size > 1 and len(pairs) > 1 else ():
            of = " ".join(case.spell(name) for name in pair)
            said = f"The Coriolis terms in {of} have {size} their size. {WHY[times]}"
            yield Mistake(FACTOR, said, partial(_with_pairs, case, times, pair))


def _pairs(case: Case) -> list[tuple[str, ...]]:
    """The products of two velocities that occur."""
    split = (by_factor(x, case.motions) for x in case.truth.ravel() if isinstance(x, Poly))
    pairs = {f: None for parts in split for f, _ in parts if case.is_coriolis(f)}
    return sorted(pairs)


def _with_pairs(case: Case, times: Fraction, only: tuple[str, ...] | None = None) -> Array:
    """The truth with products of two different velocities multiplied."""
    whole = each(lambda x: x, case.truth)
    for place, x in np.ndenumerate(case.truth):
        for factor, part in by_factor(x, case.motions) if isinstance(x, Poly) else ():
            wanted = factor == only if only else case.is_coriolis(factor)
            if wanted:
                whole[place] = whole[place] + part * case.product(factor) * (times - 1)
    return whole


def _with_part(case: Case, place: tuple[int, ...], factor: tuple[str, ...], gap: Any) -> Array:
    changed = each(lambda x: x, case.truth)
    changed[place] = changed[place] + gap * case.product(factor)
    return changed


def _ratio(claim: Any, truth: Any) -> Any:
    """The number that a claim is of the truth; None if it is no number, or anything but."""
    if truth == 0:
        return None
    if claim == 0:
        return Fraction(0)
    (powers, t), *_ = truth.p.terms()
    c = claim.p.to_dict().get(powers)
    if c is None:
        return None
    ratio = c / t
    return Fraction(int(ratio.p), int(ratio.q)) if claim.p == truth.p * ratio else None


def _said(case: Case, factor: tuple[str, ...], part: Any, ratio: Any) -> tuple[str, str]:
    kind = case.kind_of(factor, part)
    of = " ".join(case.spell(name) for name in factor)
    shown = "" if factor or kind != DISSIPATIVE or part.size > 1 else f" {case.shown(part)}"
    plain = case.subject.kind not in FORCES_OF_MOTION
    term = f"The term {kind}" if kind in (POSITIONAL, TIMED) else f"The {kind} term"
    term = "The term" if plain else term
    term += f" in {of}" if of else shown
    if ratio == 0:
        return f"{term} was left out.", OMITTED
    if ratio == -1:
        return f"{term} has the wrong sign.", SIGN
    sentence = f"{term} has {ratio} times its true size."
    if kind == CORIOLIS and not plain and ratio in WHY:
        sentence += f" {WHY[ratio]}"
    return sentence, FACTOR
