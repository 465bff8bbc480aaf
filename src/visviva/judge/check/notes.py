"""What is told beside a verdict: how the claim was taken, with what, and where it holds."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import sympy

from visviva.algebra.exact.poly import Quotient
from visviva.describe.quantities import FRAME_JACOBIAN, KINDS
from visviva.errors import ArgumentError, OutsideError, TogetherError
from visviva.judge.check.compare.balls import Witness
from visviva.judge.check.compare.balls import value as value_at
from visviva.judge.check.compare.case import Case, Content, Level, plain
from visviva.judge.check.compare.combinations import slope
from visviva.judge.check.compare.differences import difference
from visviva.judge.check.compare.manifold import Manifold
from visviva.judge.check.compare.solve import common_field
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.subjects import EQUATION, Subject
from visviva.judge.check.said.values import is_place
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.check.verdict import (
    AGREES,
    DIFFERS,
    IDENTICAL,
    IDENTICAL_IF,
    ROUNDED,
    Verdict,
    told,
)
from visviva.judge.exact.elements import elements, expression
from visviva.judge.exact.field import Field
from visviva.judge.exact.forms import Facts
from visviva.judge.exact.zeros import Doubts, dependent_where
from visviva.notation.tree import Matrix, Negative, Number
from visviva.notation.tree_sympy import from_sympy

LONGEST_NOTE = 12  # terms of a formula that a note shows
GRAVITIES = (9.8, 9.80665, 9.807, 9.81, 10.0)  # m/s², as books round it
ROUNDING = 2.0**-50  # of a float that was read from decimals
_UNDECIDED = (
    "whether these statements say as much together everywhere as they do one by one is not known: "
    "check them one by one"
)


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


class Found(NamedTuple):
    """A verdict; the forces that a true claim says are zero, and what its equations say."""

    verdict: Verdict
    zero: tuple[sympy.Eq, ...] = ()
    says: tuple[Content | None, ...] = ()
    field: Field | None = None  # of their factors


_Said = tuple[int, Content | None, Field | None]  # a row of one of several claims


def said_together(found: Sequence[Found], known: Facts, back: Mapping[str, str]) -> list[Verdict]:
    """Verdicts with the condition that one statement says no more than others where it fails.

    x (m x'' + k x) + (m y'' + k y) = 0 says nothing of x'' beside m y'' + k y = 0 where x is 0.
    What relates quantities holds everywhere: a balance of powers need not be an equation of motion
    of its own, and where it is none is a note.
    """
    verdicts = [x.verdict for x in found]
    for level in Level:
        rows = [
            (k, row, x.field)
            for k, x in enumerate(found)
            for row in x.says
            if level == (Level.MOTION if row is None else row.level)
        ]
        verdicts = _at_one_level(rows, verdicts, known, back)
    return verdicts


def with_others(verdict: Verdict, stated: Collection[sympy.Eq]) -> Verdict:
    """A verdict without conditions that other statements, which were proved, say themselves."""
    known = [x for x in verdict.conditions if x in stated]
    if not known or verdict.status != IDENTICAL_IF:
        return verdict
    rest = tuple(x for x in verdict.conditions if x not in stated)
    notes = [f"with {x.lhs} = 0, as another statement says" for x in known]
    status = IDENTICAL_IF if rest else IDENTICAL
    return replace(verdict, status=status, conditions=rest, notes=(*verdict.notes, *notes))


def is_no_worse(verdicts: list[Verdict], given: Callable[[], Verdict]) -> bool:
    """Whether statements hold as well as they do where accelerations are given."""
    if all(v.status == IDENTICAL for v in verdicts):
        return True
    try:
        there = given()
    except ArgumentError:
        return True
    same = {IDENTICAL, IDENTICAL_IF, there.status}
    return all(v.status in same and {*v.conditions} <= {*there.conditions} for v in verdicts)


def mended(one: Sequence[Verdict], other: Sequence[Verdict]) -> bool:
    """Whether a statement that differs under one reading holds under another one."""
    wrong, right = (
        {(v.claim, v.subject) for v in x if (v.status == DIFFERS) is differs}
        for x, differs in ((one, True), (other, False))
    )
    return bool(wrong & right)


def _at_one_level(
    rows: list[_Said], verdicts: list[Verdict], known: Facts, back: Mapping[str, str]
) -> list[Verdict]:
    verdicts = list(verdicts)
    mixed = {k for k, row, _ in rows if row is None or row.is_mixed}
    loose = {k for k in mixed if verdicts[k].relates}
    firm = [x for x in rows if x[0] not in loose]
    for counted, some in ((firm, mixed - loose), (rows, loose)):
        if len(counted) < 2 or not some:
            continue
        last = max(some)
        shown = verdicts[last]
        try:
            zeros, alone = _shortest(counted, known, back)
        except OutsideError:
            if not some & loose and all(x.status not in (AGREES, DIFFERS) for x in verdicts):
                raise TogetherError(_UNDECIDED) from None
            verdicts[last] = replace(shown, notes=(*shown.notes, _UNDECIDED))
            continue
        said = {x for v in verdicts for x in v.conditions}
        new = tuple(x for x in zeros if x not in said)
        if new and some & loose:
            where = replace(shown, conditions=new).where
            note = f"it holds everywhere, but says more than the others only where {where}"
            verdicts[last] = replace(shown, notes=(*shown.notes, note))
        elif new:
            for k in {k for k, _, _ in counted}:
                kept = (x for x in verdicts[k].conditions if x in zeros or x not in alone[k])
                told = (*kept, *(new if k == last else ()))
                status = IDENTICAL_IF if told else IDENTICAL
                verdicts[k] = replace(verdicts[k], status=status, conditions=told)
    return verdicts


def _shortest(
    rows: Sequence[_Said], known: Facts, back: Mapping[str, str]
) -> tuple[list[sympy.Ne], dict[int, set[sympy.Ne]]]:
    """What is not zero where statements say as much together as they do in general.

    And what follows from that: where one of them alone says something. Factors of equations tell
    as much of that as those of accelerations and λ, where M is regular: W of W (M a + h - τ) and
    W M. What is short in one of them is long in the other: q2'' = … is (0, 1), or a row of M⁻¹.
    """
    tables = list[tuple[Mapping[str, Any], Field]]()
    for _, row, field in rows:
        if row is None or field is None:
            raise OutsideError("a statement that is not linear in accelerations")
        tables.append((row.factors(), field))
    places = list(dict.fromkeys(i for factors, _ in tables for i in factors))
    others = [x for x in places if not x.startswith(FORCE)]
    held = bool(known.forms.held_by)
    moving = held and rows[0][1] is not None and rows[0][1].level == Level.MOTION
    own = places if held else [x for x in places if x not in others]
    found = list[_Dependent]()
    for chosen in (own, others):
        try:
            found.append(_dependent(tables, chosen, moving, known, back))
        except OutsideError:
            continue
        if not found[-1].zeros and found[-1].rank == len(rows):
            break
    best = min(found, key=lambda x: (-x.rank, x.size), default=None)
    if best is None or (best.rank < len(rows) and len(found) < 2):
        raise OutsideError("all factors of equations")
    alone: dict[int, set[sympy.Ne]] = {k: set() for k, _, _ in rows}
    for (k, _, _), zeros in zip(rows, best.alone, strict=True):
        alone[k] |= zeros
    return best.zeros, alone


class _Dependent(NamedTuple):
    """The rank of rows, where it is less, how long that is, and where each row says nothing."""

    rank: int
    zeros: list[sympy.Ne]
    size: int
    alone: list[set[sympy.Ne]]


def _dependent(
    tables: Sequence[tuple[Mapping[str, Any], Field]],
    places: Sequence[str],
    moving: bool,
    known: Facts,
    back: Mapping[str, str],
) -> _Dependent:
    """Of factors of some names; besides constraints, A a + β = 0, where these are `moving`."""
    whole = [
        [expression(x[i], field) if i in x else sympy.S.Zero for i in places] for x, field in tables
    ]
    free = {n.name for row in whole for x in row for n in x.free_symbols}
    node = Matrix(tuple(tuple(map(from_sympy, row)) for row in whole))
    claim = Claim("", Subject(EQUATION), node, free=frozenset(free))
    field = common_field(claim, known, [known.quantity(EQUATION)])
    rows, first = field.read(node), list[list[Any]]()
    if known.forms.held_by:
        held = Manifold(known, field)
        doubts = Doubts(known, field, held.read(EQUATION), held.divided, held.vanishes)
        first = [[slope(held.seconds[k], x) for x in places] for k in held.independent if moving]
    else:
        equations = elements(known.quantity(EQUATION), field)
        doubts = Doubts(known, field, [*equations.ravel(), *rows.ravel()])
    names = {sympy.Symbol(k): sympy.Symbol(name) for k, name in back.items()}
    before, rank = dependent_where(first, doubts)  # where constraints are dependent themselves

    def shown(found: Iterable[Any]) -> list[sympy.Ne]:
        there = (x for x in found if x not in before)
        return [sympy.Ne(expression(x, field).xreplace(names), 0) for x in there]

    zeros, whole_rank = dependent_where([*first, *rows], doubts)
    free_rows = [row for row in rows if whole_rank - rank == len(rows)]
    alone = [{*shown(dependent_where([*first, row], doubts)[0])} for row in free_rows]
    size = sum(Quotient.of(x).top.size for x in zeros)
    return _Dependent(whole_rank - rank, shown(zeros), size, alone or [set() for _ in rows])


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

    A system that says what is passive says that the others are driven. What the rate of something
    is, or that it is conserved, says nothing of forces, even if it is one equation.
    """
    return bool(case.facts.passive) or claim.of_rates


def driven(case: Case, claim: Claim) -> list[int]:
    """Forces that an equation written `= 0` alone says are zero, perhaps by forgetting them."""
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
