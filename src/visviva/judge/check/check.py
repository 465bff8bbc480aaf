"""`check`: a verdict on a typed equation, with the missing and the extra term named.

The claim and the truth meet in an exact field, see `algebra.field`: what is called identical there
is proved, and what differs is shown at a point by ball arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from types import NoneType
from typing import Any

from visviva.describe.energies.formulas import TIME
from visviva.errors import (
    ArgumentError,
    OutsideError,
    ParseError,
    TogetherError,
    UnknownNameError,
    VisvivaError,
)
from visviva.judge.check.compare.balls import Agreement
from visviva.judge.check.compare.case import Case, is_somewhere, mode, must_move, seen
from visviva.judge.check.compare.partials import Symbols
from visviva.judge.check.compare.solve import likeliest
from visviva.judge.check.compare.steps import CALCULUS, RELATES, must_be_clear, with_steps
from visviva.judge.check.compare.tip import with_tip
from visviva.judge.check.freedoms import freedom_claims, freedoms
from visviva.judge.check.inverse import inverse_formulas
from visviva.judge.check.mistakes.diagnosis import diagnosis
from visviva.judge.check.mistakes.matrices import OTHER_ENTRIES, is_entry_of_coriolis
from visviva.judge.check.notes import (
    Found,
    conditions,
    driven,
    is_no_worse,
    is_zero,
    mended,
    must_be_said,
    notes,
    rounded,
    said_together,
    with_others,
)
from visviva.judge.check.numbers import by_numbers, must_be_real, unreal, values
from visviva.judge.check.said.books import (
    Request,
    both_signs,
    conventions,
    plainly_spelled,
    with_force,
)
from visviva.judge.check.said.claims import Claim, acting_forces, claims
from visviva.judge.check.said.laws import assumed_forces, readings, with_chains
from visviva.judge.check.said.names import as_read, must_be_used, reading, renamed, spelled
from visviva.judge.check.said.statements import Statement, is_named, read_statements, statements
from visviva.judge.check.said.subjects import ACCELERATION, EQUATION
from visviva.judge.check.said.used import is_open, without_constants
from visviva.judge.check.said.values import own_accelerations
from visviva.judge.check.said.vocabulary import FORCE, given, vocabulary
from visviva.judge.check.signs import counted_otherwise
from visviva.judge.check.verdict import (
    AGREES,
    DIFFERS,
    IDENTICAL,
    IDENTICAL_IF,
    UP_TO_A_CONSTANT,
    Verdict,
    together,
    told,
)
from visviva.judge.exact.forms import Facts, depends
from visviva.judge.exact.sums import symbol_of
from visviva.judge.exact.systems import facts
from visviva.notation.evaluate import evaluate
from visviva.notation.reading.vocabulary import Vocabulary
from visviva.notation.tree import Node, Number, names
from visviva.progress import progress

HELD = "no multiple of the constraints is known that the difference is"


def check(
    system: Any,
    claim: Any,
    of: str = "",
    symbols: Mapping[str, str] | None = None,
    shorthand: bool = False,
    frame: str = "",
    assume: str = "",
    asked: str = "",
) -> Verdict:
    """The verdict on one claim or several; see `System.check`.

    If a force is `asked` for, all that a claim says of it is claimed, and nothing is a law of it.
    """
    if not isinstance(of, str) or not isinstance(symbols, (Mapping, NoneType)):
        raise ArgumentError(f"of= is a text, symbols= maps names to names; got {of!r}, {symbols!r}")
    try:
        return together(
            [
                _checked(system, one, symbols, shorthand, Request(of, frame, asked), assume)
                for one in both_signs(plainly_spelled(claim))
            ]
        )
    except RecursionError:
        raise ArgumentError("the claim is nested too deeply") from None


def _checked(
    system: Any,
    claim: Any,
    symbols: Mapping[str, str] | None,
    shorthand: bool,
    request: Request,
    assume: str,
) -> Verdict:
    frame = request.frame
    known = facts(system)
    if frame and frame not in (*known.frames, *known.bodies):
        raise UnknownNameError("frame", frame, dict.fromkeys((*known.frames, *known.bodies)))
    said = given(symbols, known)
    words = vocabulary(known, shorthand, said)
    stated, words = read_statements(claim, words)
    stated, meant = conventions(without_constants(with_force(stated, known), known))
    stated = with_chains(stated, request.of)
    asked = _asked(request.asked, known, words)
    request = replace(request, symbols=meant)

    def judged(way: list[Statement]) -> Verdict:
        return _verdict(system, claim, way, known, words, request, said, assume)

    def likeliest_way(said: list[Statement]) -> Verdict:
        return _likeliest(readings(said, known, asked), judged)

    verdict = likeliest_way(stated)
    if verdict.status == DIFFERS and known.forms.multiplier_names:
        again = counted_otherwise(stated, known, verdict, likeliest_way)
        return verdict if again is None else again
    return verdict


def _asked(text: str, known: Facts, words: Vocabulary) -> list[Node]:
    """What was asked for, as it is read in claims."""
    with suppress(VisvivaError):
        return [x.node for x in with_force(statements(text, words), known)] if text else []
    return []


def _likeliest(
    ways: Iterable[list[Statement]], judged: Callable[[list[Statement]], Verdict]
) -> Verdict:
    """The verdict under the reading of forces that makes the claim true, or the likeliest one."""
    found: list[Verdict] = []
    refused: list[ArgumentError] = []
    for way in ways:
        try:
            found.append(judged(way))
        except ArgumentError as error:
            refused.append(error)
            continue
        if found[-1].status == IDENTICAL:
            if not any(x.law for x in way):
                return found[-1]
            found.pop()  # the law is not needed, so that it is a claim of its own
    right = next((x for x in found if x.status != DIFFERS), None)
    if right is None and (open_ways := [x for x in refused if isinstance(x, TogetherError)]):
        raise open_ways[0]  # right one by one
    if not found:
        raise refused[0]
    return found[0] if right is None else right


def _verdict(
    system: Any,
    claim: Any,
    stated: list[Statement],
    known: Facts,
    words: Vocabulary,
    request: Request,
    said: Mapping[str, str],
    assume: str,
) -> Verdict:
    """The verdict on statements as they are read."""
    if (verdict := _reached(system, stated, known, words, request)) is not None:
        must_be_used(said, claim, words, known, ())
        return replace(verdict, notes=(*verdict.notes, *(x for s in stated for x in s.notes)))
    read_claims = claims(stated, known, words, request)

    def judged(found: list[Claim], own: Collection[str] = ()) -> list[Verdict]:
        return _verdicts(system, claim, found, known, words, said, assume, own)

    best = list[Verdict]()
    assumed = {key: x for c in read_claims for key, x in c.assumed}
    for own in () if request.of else own_accelerations(assumed, known):
        with suppress(ArgumentError):
            found = claims(stated, known, words, replace(request, claimed=own))
            way = judged(found, own)
            others = [v for c, v in zip(found, way, strict=False) if not _is_of(c, own, known)]
            if not way or not is_no_worse(others, lambda: together(judged(read_claims))):
                continue
            if not best or mended(best, way):  # by what is given in it
                best = way
    return together(best or judged(read_claims))


def _is_of(claim: Claim, own: Collection[str], known: Facts) -> bool:
    """Whether a claim says what an acceleration is, one of these symbols."""
    of, node = claim.subject, claim.node
    if is_named(node):  # of one coordinate that is its equation of motion
        return symbol_of(node.left) in own
    return of.kind == ACCELERATION and {known.rates[k - 1][1] for k in of.index} <= {*own}


def _verdicts(
    system: Any,
    claim: Any,
    read_claims: list[Claim],
    known: Facts,
    words: Vocabulary,
    said: Mapping[str, str],
    assume: str,
    own: Collection[str],
) -> list[Verdict]:
    """Those on all claims; none where one differs that says not what an `own` acceleration is."""
    if not known.is_named:  # numbers that the claim does not call by name stay numbers
        used = {n.key for c in read_claims for n in names(c.node)}
        known = facts(system, [p for p in known.parameters if p in used])
    way = reading(read_claims, known)
    acting, still = acting_forces(read_claims, known), assumed_forces(assume, words, known)
    for c in read_claims:
        if _is_known(c, known, still):
            raise ArgumentError(f"{c.text} is what is known: nothing is claimed of {known.name!r}")
    found = list[Found]()
    with progress(f"checking {known.name}", len(read_claims)) as at:
        for c in read_claims:
            at.step(c.text[:40])
            c = replace(c, acting=acting - still, still=c.still | still)
            c = renamed(c, way)
            c = c if c.tip is None else with_tip(c, c.tip)
            found.append(_judged(c, known, {**said, **way}))
            if own and found[-1].verdict.status == DIFFERS and not _is_of(c, own, known):
                return []
    verdicts = said_together(found, known, spelled({**said, **way}, known))
    shown = {x.name for v in verdicts for x in (*v.missing.free_symbols, *v.extra.free_symbols)}
    must_be_used(said, claim, words, known, shown)
    return [
        with_others(v, {y for x in found[:k] + found[k + 1 :] for y in x.zero})
        for k, v in enumerate(verdicts)
    ]


def _reached(
    system: Any, stated: list[Statement], known: Facts, words: Vocabulary, request: Request
) -> Verdict | None:
    """The verdict on formulas for joints, or on a number of freedoms; None on other claims."""
    if request.of:
        return None
    if counts := freedom_claims(stated):
        if len(counts) < len(stated):
            raise ArgumentError("the number of freedoms is judged alone, without other statements")
        return together([freedoms(*x, system) for x in counts])
    formulas = inverse_formulas(stated, known, words, request.frame)
    return None if formulas is None else formulas.verdict()


def _is_known(claim: Claim, known: Facts, still: Collection[str]) -> bool:
    """Whether a claim only says that a force is zero which is zero anyhow."""
    if claim.subject.kind != EQUATION or not claim.subject.index or claim.node != Number(0):
        return False
    k = claim.subject.index[0]
    return k - 1 in known.passive or f"{FORCE}{k}" in still


def _judged(claim: Claim, known: Facts, way: Mapping[str, str]) -> Found:
    """The verdict on one claim."""
    typed = claim
    try:
        claim = with_steps(claim, known)
        if claim.laws:
            forces = {key for key, _, _ in claim.laws}
            free = replace(claim, laws=(), still=claim.still - forces, acting=claim.acting | forces)
            found = _in_field(free, known, way)
            if found.verdict.status == IDENTICAL:  # whatever the forces are
                return found
        laws = {int(k.removeprefix(FORCE)) - 1: evaluate(x, Symbols()) for k, _, x in claim.laws}
        found = _in_field(claim, known.driven_by(laws), way)
        if found.verdict.status == DIFFERS:
            must_be_clear(typed, known)
        return found
    except OutsideError as error:
        return Found(by_numbers(claim, known, way, str(error)))
    except ZeroDivisionError:
        raise ArgumentError(f"the claim divides by zero: {claim.text:.200}") from None
    except ParseError as error:  # shapes that do not fit
        det = "; a determinant is written det J" if "|" in claim.text else ""
        raise ArgumentError(f"{error.problem}: {claim.text:.200}{det}") from None


def _in_field(claim: Claim, known: Facts, way: Mapping[str, str]) -> Found:
    """By normal forms, and numbers where functions have none."""
    back = spelled(way, known)
    case = likeliest(claim, known, back)
    must_move(case)
    given = {i for i in case.zero if f"{FORCE}{i + 1}" in claim.still or i in known.passive}
    left_out = [i for i in case.zero if i not in given]
    if must_be_said(case, claim):
        left_out += driven(case, claim)
    taken = {name: case.field.read(node) for name, node in claim.assumed}
    told_if = conditions(case, claim, left_out, taken, back)
    shown = Verdict(
        IDENTICAL_IF if told_if else IDENTICAL,
        claim.text,
        str(case.subject),
        known.name,
        symbols=as_read(way),
        coordinates=case.spoken,
        notes=notes(case, claim),
        conditions=told_if,
        taken=tuple(f"{case.spell(p)} = {case.shown(value)}" for p, value in taken.items()),
        relates=claim.relates or CALCULUS in case.notes,
        uses=claim.uses,
    )
    if case.is_identical:
        if case.field.has_others:
            must_be_real(claim, values(claim, known))
            shown = replace(shown, notes=(*shown.notes, *unreal(claim, case)))
        stated = (is_zero(i, back) for i in case.stated if i not in left_out)
        if is_open(claim.notes):
            shown = replace(shown, status=UP_TO_A_CONSTANT)
        says = () if claim.kept or is_open(claim.notes) else case.says
        return Found(replace(shown, proof=_proof(case)), tuple(stated), says, case.field)
    apart = seen(case)
    if isinstance(apart, Agreement):
        if not apart.points and case.manifold is not None and not is_somewhere(case.manifold):
            raise _nowhere(case)
        must_be_real(claim, apart)
        shown = replace(shown, proof="" if case.manifold is None else HELD)
        shown = replace(shown, notes=(*shown.notes, *unreal(claim, case, apart)))
        ranges = {back.get(k, k): x for k, x in apart.ranges.items()}
        shown = replace(shown, status=AGREES, points=apart.points, digits=apart.digits)
        return Found(replace(shown, sampled=ranges))
    digits, note = rounded(case, claim, apart)
    if digits:
        shown = replace(shown, status=AGREES, points=1, digits=digits)
        return Found(replace(shown, notes=(*shown.notes, note)))
    case.field.bound()
    shown = replace(shown, notes=tuple(x for x in shown.notes if not x.startswith(RELATES)))
    shifted = None if _is_at_a_place(case, taken) else case.shifted
    missing, extra, terms = told(shifted or case, claim.node)
    if shifted is not None:
        shown = replace(shown, missing=missing, extra=extra, terms=terms, proof=_proof(shifted))
        return Found(replace(shown, status=UP_TO_A_CONSTANT))
    if other := mode(case):
        shown = replace(shown, notes=(*shown.notes, other))
    if is_entry_of_coriolis(case):
        shown = replace(shown, notes=(*shown.notes, OTHER_ENTRIES))
    wrong = replace(
        shown,
        status=DIFFERS,
        missing=missing,
        extra=extra,
        terms=terms,
        diagnosis=diagnosis(case, claim),
        witness=replace(apart, point={back.get(k, k): x for k, x in apart.point.items()}),
    )
    return Found(wrong)


def _is_at_a_place(case: Case, taken: Mapping[str, Any]) -> bool:
    """Whether values of coordinates make V a number: then any other one would be a constant off."""
    known, kind = case.facts, "potential_energy"
    places = [q for q in known.coordinates if q in taken]
    moves = any(depends(known.quantity(kind), q) for q in places)
    return moves and not case.used(case.quantity(kind)[()]) & {*known.coordinates, TIME.name}


def _proof(case: Case) -> str:
    """How constraints were used; what holds where they do has to hold somewhere."""
    held = case.manifold
    if held is None:
        return ""
    said = held.certificate(case.shown)
    if said and not is_somewhere(held):
        raise _nowhere(case)
    return said


def _nowhere(case: Case) -> ArgumentError:
    return ArgumentError(
        f"no position was found at which the constraints of {case.facts.name!r} hold and are "
        "independent: nothing is judged that needs them"
    )
