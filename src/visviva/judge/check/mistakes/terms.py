"""Mistakes in whole terms: left out, on the wrong side, with a wrong factor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.poly import Poly, Quotient
from visviva.errors import OutsideError
from visviva.judge.check.compare.case import Case
from visviva.judge.check.compare.differences import (
    CONSTRAINING,
    CORIOLIS,
    DISSIPATIVE,
    POSITIONAL,
    TIMED,
    by_factor,
    over_one,
    product_between,
)
from visviva.judge.check.mistakes.kinds import Kinds
from visviva.judge.check.mistakes.mistake import Mistake
from visviva.judge.check.said.subjects import ACCELERATION, EQUATION
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.elements import elements

GRAVITY, FRICTION, SIDE = "gravity", "friction", "side"
SLOPES, POTENTIAL = "∂T/∂q", "∂V/∂q"
LARGEST_FACTOR = 1000  # above or below the line, of a factor that may be a slip
MOST_IN_SENTENCE = 3  # terms, or products of velocities
FACTOR, SIGN, OMITTED = "factor", "sign", "left out"
UNRATED = (
    "The rate of the mass matrix was left out: d/dt(M q̇) = M q̈ + Ṁ q̇.",
    "d/dt ∂T/∂q̇ was taken as M q̈: the rates of its other terms were left out.",
)
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
    kinds = Kinds(case)
    wrong = list(_wrong_parts(kinds))
    if not kinds.has_forces:  # then terms have no names
        yield from _of_size(case)
    yield from _of_factors(kinds, wrong)
    yield from _of_pairs(kinds)
    yield from _of_kinds(kinds, wrong)
    yield from _among_others(case, wrong)
    if kinds.has_forces:
        yield from _of_size(case)
    why = ": the generalized force stands on the wrong side" * (case.subject.kind == EQUATION)
    yield Mistake(SIDE, f"All signs are the opposite ones{why}.", lambda: -case.truth)


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
        lambda: case.changed(case.truth, _at_rest(case)),
    )
    said = "The velocity terms C v were left out."
    yield Mistake(OMITTED, said, lambda: case.truth - part("velocity_forces"))
    for others, said in enumerate(UNRATED):
        yield Mistake(OMITTED, said, partial(_unrated, case, part, bool(others)))
    yield Mistake(
        SIDE,
        "Everything but the inertia stands on the wrong side of the equation.",
        lambda: case.changed(-case.truth, {a: -case.field.ring[a] for _, a in case.facts.rates}),
    )


def _at_rest(case: Case) -> dict[str, Any]:
    return {v: case.field.ring.number(0) for v, _ in case.facts.rates}


def _unrated(case: Case, part: Callable[[str], Array], others: bool) -> Array:
    """d/dt ∂T/∂q̇ as M q̈; `others` if momenta have terms without velocities, as q A."""
    momenta = case.changed(case.quantity("momenta"), _at_rest(case))
    if bool(case.used(*momenta)) != others:
        raise OutsideError("other momenta")
    return case.truth - part("velocity_forces") - part("slopes")


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


@dataclass(frozen=True)
class Wrong:
    """The terms of one entry that multiply one product of velocities, where they are wrong."""

    place: tuple[int, ...]
    factor: tuple[str, ...]
    said: Poly  # above the line
    truth: Poly
    bottom: Poly  # below it
    gap: Any  # what the claim has more
    ratio: Fraction | None  # the number that the claim is of the truth, if it is one

    def kind(self, kinds: Kinds) -> str:
        """What the terms are."""
        return kinds.one(self.factor, self.truth, self.place, self.bottom)

    def leads_to(self, case: Case) -> Array:
        """The truth, with this wrong."""
        changed = each(lambda x: x, case.truth)
        changed[self.place] = changed[self.place] + self.gap
        return changed


def _wrong_parts(kinds: Kinds) -> Iterator[Wrong]:
    case = kinds.case
    for place, claim, truth in case.entries():
        a, b, bottom = over_one(claim, truth)
        mine, true = (_parts(kinds, x) for x in (a, b))
        for part in {**true, **mine}:
            said, right = mine.get(part, a - a), true.get(part, b - b)
            if said != right:
                gap = (said - right) * case.product(part[0])
                over = gap if bottom == 1 else gap / bottom
                yield Wrong(place, part[0], said, right, bottom, over, _ratio(said, right))


def _of_factors(kinds: Kinds, wrong: list[Wrong]) -> Iterator[Mistake]:
    """One term in one product of velocities with a factor that is a number."""
    for x in wrong:
        if x.ratio is not None:
            sentence, kind = _said(kinds, x)
            yield Mistake(kind, sentence, partial(x.leads_to, kinds.case))


def _among_others(case: Case, wrong: list[Wrong]) -> Iterator[Mistake]:
    """One of several terms in one product of velocities with a factor that is a number."""
    (x,) = wrong if len(wrong) == 1 else (None,)
    if x is None or x.ratio is not None:
        return
    gap, true = x.said - x.truth, x.truth.p.to_dict()
    ratios = {c / true[powers] if powers in true else None for powers, c in gap.p.terms()}
    (more,) = ratios if len(ratios) == 1 else (None,)
    if more is None or more in (-1, -2) or gap.size > MOST_IN_SENTENCE:
        return  # of one that is left out or has the wrong sign others tell more
    times = Fraction(int(more.p), int(more.q))
    if max(abs(times.numerator), times.denominator) > LARGEST_FACTOR:
        return
    term = gap * (1 / times) * case.product(x.factor)
    shown = case.shown(term if x.bottom == 1 else term / x.bottom)
    sentence, kind = _verb(f"The term {shown}", times + 1, "has", "was", "its")
    yield Mistake(kind, sentence, partial(x.leads_to, case))


def _of_kinds(kinds: Kinds, wrong: list[Wrong]) -> Iterator[Mistake]:
    """Several terms of one kind, all of them with the same factor."""
    ratios, case = {x.ratio for x in wrong}, kinds.case
    (ratio,) = ratios if len(ratios) == 1 else (None,)
    factors = list(dict.fromkeys(x.factor for x in wrong))
    if ratio is None or not kinds.has_forces or len(factors) < 2:
        return
    named = {x.kind(kinds) for x in wrong}
    (kind,) = named if len(named) == 1 else ("",)
    if not kind:
        return
    what = f"The {kind} terms in {_listed(case, factors)}"
    if len(factors) > MOST_IN_SENTENCE:
        if any(kinds.one(f, x) == kind for f, x in _right_parts(kinds, factors)):
            return
        what = f"All {kind} terms"
    sentence, of = _verb(what, ratio, "have", "were", "their")
    yield Mistake(of, sentence, lambda: case.claim)


def _listed(case: Case, factors: list[tuple[str, ...]]) -> str:
    products = [" ".join(map(case.spell, f)) for f in factors]
    return f"{', '.join(products[:-1])} and {products[-1]}"


def _right_parts(
    kinds: Kinds, wrong: list[tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], Poly]]:
    """The other parts of the truth."""
    for x in kinds.case.truth.ravel():
        for factor, part in by_factor(Quotient.of(x).top, kinds.case.motions):
            if factor not in wrong:
                yield factor, part


def _of_size(case: Case) -> Iterator[Mistake]:
    """All of it with one factor, a number or a product of parameters."""
    if case.is_unforced:
        return
    factor = _common_factor(case)
    if factor is None or case.used(factor) - {*case.facts.parameters}:
        return
    top, bottom = Quotient.of(factor).top, Quotient.of(factor).bottom
    if top.p.is_constant() and bottom.p.is_constant():
        x = bottom.p.leading_coefficient() / top.p.leading_coefficient()
        times = Fraction(int(x.p), int(x.q))
        if times == -1 or max(abs(times.numerator), times.denominator) > LARGEST_FACTOR:
            return
        said = f"All of it has {times} times its true size."
    elif not case.used(*case.claim.ravel()):
        return  # numbers, in which nobody sees what is missing
    elif top.p.is_constant():
        said = f"A factor {case.shown(1 / factor)} is too much."
    elif bottom.p.is_constant():
        said = f"A factor {case.shown(factor)} is missing."
    else:
        return  # one name for another
    yield Mistake(FACTOR, said, lambda: case.claim)


def _common_factor(case: Case) -> Any:
    """What the claim lacks to be the truth, where it is one product in all entries; or None."""
    factors = []
    for _, claim, truth in case.entries():
        a, b, _ = over_one(claim, truth)
        if a.is_zero and b.is_zero:
            continue
        factors.append(product_between(a, b))
    if not factors or None in factors or any(x != factors[0] for x in factors):
        return None
    return factors[0]


def _parts(kinds: Kinds, x: Poly) -> dict[tuple[tuple[str, ...], bool], Poly]:
    """By factors of velocities and accelerations; those that are in functions apart from others."""
    split = ((f, kinds.apart(part)) for f, part in by_factor(x, kinds.case.motions))
    return {(f, k == 1): y for f, both in split for k, y in enumerate(both) if not y.is_zero}


def _of_pairs(kinds: Kinds) -> Iterator[Mistake]:
    """Products of two velocities, all of them or one in all equations, with a wrong factor."""
    case, pairs = kinds.case, _pairs(kinds)
    for times, size in ((Fraction(1, 2), "half"), (Fraction(2), "twice")):
        if len(pairs) > 1 or case.truth.size > 1:  # otherwise it is one term, told above
            said = f"All Coriolis terms have {size} their size. {WHY[times]}"
            yield Mistake(FACTOR, said, partial(_with_pairs, kinds, times))
        for pair in pairs if case.truth.size > 1 and len(pairs) > 1 else ():
            of = " ".join(case.spell(name) for name in pair)
            said = f"The Coriolis terms in {of} have {size} their size. {WHY[times]}"
            yield Mistake(FACTOR, said, partial(_with_pairs, kinds, times, pair))


def _pairs(kinds: Kinds) -> list[tuple[str, ...]]:
    """The products of two velocities that occur."""
    case = kinds.case
    split = (by_factor(x, case.motions) for x in case.truth.ravel() if isinstance(x, Poly))
    pairs = {f: None for parts in split for f, _ in parts if kinds.is_coriolis(f)}
    return sorted(pairs)


def _with_pairs(kinds: Kinds, times: Fraction, only: tuple[str, ...] | None = None) -> Array:
    """The truth with products of two different velocities multiplied."""
    case = kinds.case
    whole = each(lambda x: x, case.truth)
    for place, x in np.ndenumerate(case.truth):
        for factor, part in by_factor(x, case.motions) if isinstance(x, Poly) else ():
            wanted = factor == only if only else kinds.is_coriolis(factor)
            if wanted:
                whole[place] = whole[place] + part * case.product(factor) * (times - 1)
    return whole


def _ratio(claim: Poly, truth: Poly) -> Fraction | None:
    """The number that a claim is of the truth; None if it is no number, or anything but."""
    if truth.is_zero:
        return None
    if claim.is_zero:
        return Fraction(0)
    (powers, t), *_ = truth.p.terms()
    c = claim.p.to_dict().get(powers)
    if c is None or claim.p != truth.p * (c / t):
        return None
    ratio = Fraction(int((c / t).p), int((c / t).q))
    small = max(abs(ratio.numerator), ratio.denominator) <= LARGEST_FACTOR
    return ratio if small else None


def _said(kinds: Kinds, x: Wrong) -> tuple[str, str]:
    case, plain = kinds.case, not kinds.has_forces
    kind = "" if plain else x.kind(kinds)
    of = " ".join(case.spell(name) for name in x.factor)
    after = kind in (POSITIONAL, TIMED, CONSTRAINING)
    term = "The term" if not kind else f"The term {kind}" if after else f"The {kind} term"
    single = kind in (DISSIPATIVE, "") and x.truth.size <= (MOST_IN_SENTENCE if plain else 1)
    term += f" in {of}" if of else f" {case.shown(x.truth / x.bottom)}" if single else ""
    sentence, of_kind = _verb(term, x.ratio, "has", "was", "its")
    if kind == CORIOLIS and x.ratio in WHY:
        sentence += f" {WHY[x.ratio]}"
    return sentence, of_kind


def _verb(what: str, ratio: Fraction | None, has: str, was: str, its: str) -> tuple[str, str]:
    """What a factor makes of terms, and the kind of mistake."""
    if ratio == 0:
        return f"{what} {was} left out.", OMITTED
    if ratio == -1:
        return f"{what} {has} the wrong sign.", SIGN
    return f"{what} {has} {ratio} times {its} true size.", FACTOR
