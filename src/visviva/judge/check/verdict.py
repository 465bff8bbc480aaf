"""`Verdict`: what is to be said of a claim, and the terms in which it differs from the truth."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import each
from visviva.foreign import explained
from visviva.judge.check.compare.balls import Witness
from visviva.judge.check.compare.case import Case, plain
from visviva.judge.check.compare.differences import by_factor, difference
from visviva.judge.check.compare.steps import CALCULUS
from visviva.judge.check.mistakes.kinds import Kinds
from visviva.judge.check.mistakes.mistake import Change, Diagnosis
from visviva.notation.tree import Equation, Matrix, Node
from visviva.notation.tree_sympy import to_sympy
from visviva.notation.writing.write import mathml

IDENTICAL, DIFFERS, AGREES = "identical", "differs", "agrees numerically"
ROUNDED = "right to the digits that are given"
IDENTICAL_IF = "identical if"  # `conditions` hold
UP_TO_A_CONSTANT = "identical up to a constant"  # of an energy, whose zero is anywhere
WORST = (IDENTICAL, UP_TO_A_CONSTANT, IDENTICAL_IF, AGREES, DIFFERS)  # the last of several counts
UNREADABLE = "unreadable"  # among several claims
DEFINITION = "definition"  # among those of a text: what others are read with
NOT_ASKED = "not asked"  # among answers: right, but of another quantity
_LEFT_OUT = (
    "It leaves forces out, and nothing says that they are zero: write so in the claim, or say "
    "assume=..., or passive=... of the system."
)
_MULTIPLIED = "It was multiplied by what may be zero: there it says nothing."
MOST_LISTED = 12  # terms in a text
MOST_SHOWN = 60  # of one formula
MOST_TOLD = 1000  # terms that are told one by one


@dataclass(frozen=True)
class WrongTerm:
    """A term that a claim lacks or has too much of; `place` is its entry, from 1 on."""

    which: str  # "missing" or "extra"
    kind: str  # inertial, centrifugal, Coriolis, gyroscopic, dissipative, gravitational, or nothing
    formula: sympy.Expr
    place: tuple[int, ...] = ()


@explained
@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a claim is true of a system.

    `status`: "identical" (proved), "identical up to a constant" (proved, of an energy), "identical
    if" (proved where `conditions` hold), "differs" (with a point that shows it), or "agrees
    numerically" (not proved: `points` points, `digits` digits; `sampled` has the least and the
    greatest value of each name there, and beyond them nobody looked).
    `conditions` are generalized forces that the claim leaves out, taken as zero in comparing it,
    parameters that it says are zero, coordinates that it gives a value, SymPy equations, tau2 = 0,
    and factors of it that must not be zero, Ne(thetad, 0). A verdict is true where it is
    "identical". It `relates` quantities where it is no formula for one of them, L = T - V.
    `missing` and `extra` are SymPy expressions, matrices for matrices, lists for several claims:
    truth - claim = missing - extra. `terms` has them one by one, with their physical kind.
    `diagnosis` are known mistakes that explain the whole difference. `symbols` says how names were
    read. `parts` has a verdict for each claim of several.
    `proof` says how constraints were used: what holds where they do need not hold elsewhere.
    """

    status: str
    claim: str
    subject: str
    system: str
    missing: Any = sympy.S.Zero
    extra: Any = sympy.S.Zero
    terms: tuple[WrongTerm, ...] = ()
    diagnosis: tuple[Diagnosis, ...] = ()
    witness: Witness | None = None
    points: int = 0
    digits: int = 0
    sampled: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    symbols: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    parts: tuple[Verdict, ...] = ()
    coordinates: tuple[str, ...] = ()
    conditions: tuple[sympy.Rel, ...] = ()
    proof: str = ""  # of a system that is held: how its constraints were used
    taken: tuple[str, ...] = ()  # what the claim says that parameters are: r₂ = L₂/2
    relates: bool = False  # quantities to each other, L = T - V: no formula for one of them
    uses: tuple[str, ...] = ()  # these quantities, T and V, taken as the mechanism's own

    def __bool__(self) -> bool:
        return self.is_identical

    @property
    def is_identical(self) -> bool:
        """Whether it was proved, without conditions."""
        return self.status == IDENTICAL

    @property
    def explanation(self) -> str:
        """The verdict in a paragraph."""
        if self.parts:
            return " ".join(p.explanation for p in self.parts)
        what = f"{self.subject} of {self.system}"
        if self.status == IDENTICAL:
            return f"The claim is {what}: {self._proved}."
        if self.status == IDENTICAL_IF:
            first = f"The claim is {what} only where {self.where}: {self._proved}."
            more = "" if self.says_conditions else f" {_LEFT_OUT}"
            return f"{first}{more}{f' {_MULTIPLIED}' if self.is_multiplied else ''}"
        where = f" where {self.where}" if self.conditions else ""
        if self.status == UP_TO_A_CONSTANT:
            return f"The claim is {what}{where} up to a constant{self._shift}: {self._proved}."
        if self.status == AGREES:
            return (
                f"The claim agrees with {what}{where} at {self.points} points to {self.digits} "
                f"digits{self._range_words}; that is no proof, as {self._open}."
            )
        said = [f"The claim is not {what}{where}."]
        for which, verb in (("missing", "It lacks"), ("extra", "It has too much")):
            listed = [self.told(t) for t in self.terms if t.which == which]
            if listed:
                said.append(f"{verb}: {'; '.join(listed[:MOST_LISTED])}.")
        said += [d.sentence for d in self.diagnosis[:1]]
        if self.witness is not None:
            said.append(self._shown(self.witness))
        return " ".join(said)

    @property
    def _shift(self) -> str:
        """What an energy has more than the truth, which no force and no equation notices."""
        shift = self.extra - self.missing
        return f", {self._formula(shift)}" if shift != 0 else ", which it leaves open"

    @property
    def says_conditions(self) -> bool:
        """Whether the claim says itself what is to be: m2 = 0, q2 = pi/2."""
        equal = [x for x in self.conditions if isinstance(x, sympy.Eq)]
        return {*map(self._condition, equal)} <= {*self.taken}

    @property
    def is_multiplied(self) -> bool:
        """Whether a condition is that a factor is not zero."""
        return any(isinstance(x, sympy.Ne) for x in self.conditions)

    @property
    def _proved(self) -> str:
        return f"proved by comparing normal forms{f', {self.proof}' if self.proof else ''}"

    @property
    def _open(self) -> str:
        if any(x.startswith(ROUNDED) for x in self.notes):
            return "a number is rounded"
        return self.proof or "it has functions whose normal form is not known"

    @property
    def _range_words(self) -> str:
        """Between which values a claim was tried."""
        ranges = [
            f"{plain(sympy.Symbol(name), self.coordinates)} from {low:.3g} to {high:.3g}"
            for name, (low, high) in self.sampled.items()
        ]
        rest = ", …" if len(ranges) > MOST_LISTED else ""
        return f", with {', '.join(ranges[:MOST_LISTED])}{rest}" if ranges else ""

    @property
    def where(self) -> str:
        """The conditions in plain text, τ₂ = 0."""
        return ", ".join(map(self._condition, self.conditions))

    def _condition(self, x: sympy.Rel) -> str:
        sign = "≠" if isinstance(x, sympy.Ne) else "="
        return f"{plain(x.lhs, self.coordinates)} {sign} {plain(x.rhs, self.coordinates)}"

    def told(self, term: WrongTerm) -> str:
        """A wrong term in plain text, with its kind and its place."""
        shown = self._formula(term.formula)
        place = term.place[0] if len(term.place) == 1 else term.place
        at = f" in entry {place}" if term.place else ""
        return f"{shown}{f' ({term.kind})' if term.kind else ''}{at}"

    def _formula(self, x: Any) -> str:
        """In plain text; of endless sums the beginning."""
        if len(x.args) <= MOST_SHOWN:
            return plain(x, self.coordinates)
        first = plain(x.func(*x.args[:3]), self.coordinates)
        return f"{first} … ({len(x.args)} terms in all)"

    def _shown(self, w: Witness) -> str:
        named = [f"{k} = {float(x):g}" for k, x in w.point.items()]
        at = ", ".join(named[:MOST_LISTED]) + (", …" if len(named) > MOST_LISTED else "")
        digits = next((d for d in (6, 10, 14) if f"{w.claim:.{d}g}" != f"{w.truth:.{d}g}"), 17)
        values = f"the claim has the value {w.claim:.{digits}g}, the truth {w.truth:.{digits}g}."
        if w.claim == w.truth:  # to all digits of a float
            values = f"the truth has the value {w.truth:g}, the claim differs from it by {w.apart}."
        return f"At {at} {values}" if at else values.capitalize()

    def __str__(self) -> str:
        if self.parts:
            return "\n\n".join(map(str, self.parts))
        lines = [f"{self._head}: {self.subject} of {self.system}"]
        if self.status == UP_TO_A_CONSTANT:
            size = self._shift.removeprefix(", ").replace("which it leaves", "left")
            lines.append(f"  constant: {size}; no force and no equation notices it")
        for term in self.terms[:MOST_LISTED] if self.status != UP_TO_A_CONSTANT else ():
            lines.append(f"  {term.which:<8} {self.told(term)}")
        if len(self.terms) > MOST_LISTED:
            lines.append(f"  … and {len(self.terms) - MOST_LISTED} more terms")
        lines += [f"  {'or' if k else 'diagnosis'}: {d}" for k, d in enumerate(self.diagnosis)]
        if self.witness is not None:
            lines.append(f"  witness: {self._shown(self.witness)}")
        if self.status == AGREES:
            digits = f"{self.digits} digits{self._range_words}"
            lines.append(f"  at {self.points} points, to {digits}; not proved")
        if self.conditions and self.status != IDENTICAL_IF:
            lines.append(f"  compared where {self.where}")
        if self.proof and self.status in (IDENTICAL, IDENTICAL_IF):
            lines.append(f"  proved {self.proof}")
        if self.symbols:
            read = ", ".join(f"{k} is {x}" for k, x in self.symbols.items())
            lines.append(f"  names: {read}")
        return "\n".join([*lines, *(f"  note: {n}" for n in self.notes)])

    @property
    def _head(self) -> str:
        """The status, with the conditions that it names."""
        return f"{self.status} {self.where}" if self.status == IDENTICAL_IF else self.status

    def __repr__(self) -> str:
        return f"<Verdict {self._head}: {self.subject} of {self.system}>"

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        signs = ["!=" if isinstance(x, sympy.Ne) else "=" for x in self.conditions]
        pairs = zip(self.conditions, signs, strict=True)
        conditions = [f"{x.lhs} {sign} {x.rhs}" for x, sign in pairs]
        if self.parts:
            parts = [p.as_dict() for p in self.parts]
            return {"status": self.status, "conditions": conditions, "claims": parts}
        data: dict[str, Any] = {
            "status": self.status,
            "conditions": conditions,
            "claim": self.claim,
            "subject": self.subject,
            "system": self.system,
            "missing": str(self.missing),
            "extra": str(self.extra),
            "terms": [
                {"which": t.which, "kind": t.kind, "formula": str(t.formula), "place": t.place}
                for t in self.terms
            ],
            "diagnosis": [{"kind": d.kind, "sentence": d.sentence} for d in self.diagnosis],
            "symbols": dict(self.symbols),
            "notes": list(self.notes),
            "relates": self.relates,
        }
        if self.proof:
            data["proof"] = self.proof
        if self.witness is not None:
            w = self.witness
            point = {k: float(x) for k, x in w.point.items()}
            values = {"claim": w.claim, "truth": w.truth}
            finite = {k: x if math.isfinite(x) else None for k, x in values.items()}
            data["witness"] = {"point": point, **finite, "difference": w.apart}
        if self.status == AGREES:
            ranges = {name: list(ends) for name, ends in self.sampled.items()}
            data |= {"points": self.points, "digits": self.digits, "sampled": ranges}
        return data

    def _repr_html_(self) -> str:
        if self.parts:
            return "".join(p._repr_html_() for p in self.parts)
        color = {IDENTICAL: "#2a7d4f", DIFFERS: "#b3372f"}.get(self.status, "#8a6d1a")
        rows = "".join(
            f"<tr><td>{t.which}</td><td>{mathml(t.formula, self.coordinates)}</td>"
            f"<td>{escape(t.kind)}</td></tr>"
            for t in self.terms[:MOST_LISTED]
        )
        said = "".join(f"<p>{escape(d.sentence)}</p>" for d in self.diagnosis)
        if self.conditions and self.status != IDENTICAL_IF:
            said += f"<p>compared where {escape(self.where)}</p>"
        said += "".join(f"<p>{escape(n)}</p>" for n in self.notes)
        head = f'<b style="color: {color}">{escape(self._head)}</b>: {escape(self.subject)} of '
        return f"<div>{head}{escape(self.system)}<table>{rows}</table>{said}</div>"


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict on several statements: the worst counts."""
    if len(verdicts) == 1:
        return verdicts[0]
    verdicts = [in_company(v, [x for x in verdicts if x is not v]) for v in verdicts]
    return Verdict(
        status=max((v.status for v in verdicts), key=WORST.index),
        claim="; ".join(v.claim for v in verdicts),
        subject=", ".join(v.subject for v in verdicts),
        system=verdicts[0].system,
        missing=[v.missing for v in verdicts],
        extra=[v.extra for v in verdicts],
        parts=tuple(verdicts),
        conditions=tuple(dict.fromkeys(x for v in verdicts for x in v.conditions)),
        taken=tuple(dict.fromkeys(x for v in verdicts for x in v.taken)),
        relates=any(_is_open(v, verdicts) for v in verdicts) or all(v.relates for v in verdicts),
    )


def _is_open(verdict: Verdict, others: Sequence[Verdict]) -> bool:
    """Whether it relates quantities that no other statement has a formula for."""
    return verdict.relates and CALCULUS not in verdict.notes and not is_backed(verdict, others)


def is_backed(verdict: Verdict, others: Sequence[Verdict]) -> bool:
    """Whether others are right formulas for all quantities that it relates: T, V of L = T - V."""
    right = {v.subject for v in others if v.is_identical and not v.relates}
    given = (x in right or x.partition(" of ")[2] in right for x in verdict.uses)
    return bool(verdict.uses) and all(given)


def in_company(verdict: Verdict, others: Sequence[Verdict]) -> Verdict:
    """Without other meanings of coordinates that the rest of a text has not."""
    if verdict.parts:
        return replace(verdict, parts=tuple(in_company(x, others) for x in verdict.parts))
    if all(x.change is None for x in verdict.diagnosis):
        return verdict
    kept = [x for x in verdict.diagnosis if not (x.change and _is_alone(x.change, others))]
    instead = [y for x in verdict.diagnosis for y in x.instead if x not in kept]
    return replace(verdict, diagnosis=tuple(dict.fromkeys([*kept, *instead])))


def _is_alone(change: Change, others: Sequence[Verdict]) -> bool:
    """Whether other statements have the coordinates in their right meaning."""
    right = (v for v in others if v.status in (IDENTICAL, IDENTICAL_IF))
    said = (_letters(v.claim) for v in right)
    names = [rf"(?<![^\W\d]){re.escape(_letters(q))}(?!\w)" for q in change.coordinates]
    return any(re.search(name, text) for text in said for name in names)


def _letters(text: str) -> str:
    """Without marks of LaTeX and of indices: q_1 is q1."""
    return re.sub(r"[\\_{}]", "", text)


def told(case: Case, node: Node) -> tuple[Any, Any, tuple[WrongTerm, ...]]:
    """Missing and extra in the claim's shape, and their terms; `node` is the claim as typed.

    Of what nobody would read term by term, the truth is missing and the claim too much.
    """
    terms: list[WrongTerm] = []
    lacks = np.empty(case.truth.shape, dtype=object)
    exceeds = np.empty(case.truth.shape, dtype=object)
    kinds = Kinds(case)
    for place, claim, truth in case.entries():
        gap = difference(case.field.settled(claim), case.field.settled(truth))
        at = tuple(k + 1 for k in place)
        if gap.missing.size + gap.extra.size > MOST_TOLD:
            lacks[place] = case.written(truth)
            exceeds[place] = _typed(node, claim, case)
            both = {"missing": lacks[place], "extra": exceeds[place]}
            terms += [WrongTerm(which, "", x, at) for which, x in both.items()]
            continue
        for which, part, whole in (("missing", gap.missing, lacks), ("extra", gap.extra, exceeds)):
            over = part / gap.bottom if gap.bottom != 1 else part
            whole[place] = case.written(over)
            if not part.is_zero and kinds.has_forces:
                terms += _by_kind(which, part, gap.bottom, at, kinds)
            elif not part.is_zero:
                terms.append(WrongTerm(which, "", whole[place], at))
    return _sympy(lacks), _sympy(exceeds), tuple(terms)


def _typed(node: Node, claim: Any, case: Case) -> Any:
    if isinstance(node, (Equation, Matrix)):
        return case.written(claim)
    formula = to_sympy(node)  # with a prime for each dot
    for q, v, a in case.facts.moving:
        primes = {sympy.Symbol(f"{q}'"): sympy.Symbol(v), sympy.Symbol(f"{q}''"): sympy.Symbol(a)}
        formula = formula.xreplace(primes)
    return formula.xreplace({sympy.Symbol(k): sympy.Symbol(x) for k, x in case.names.items()})


def _by_kind(
    which: str, part: Any, bottom: Any, at: tuple[int, ...], kinds: Kinds
) -> list[WrongTerm]:
    wrong, case, place = [], kinds.case, tuple(k - 1 for k in at)
    for factor, coefficient in by_factor(part, case.motions):
        for kind, terms in kinds.of(factor, coefficient, place, bottom):
            whole = terms * case.product(factor)
            over = whole / bottom if bottom != 1 else whole
            wrong.append(WrongTerm(which, kind, case.written(over), at))
    return wrong


def _sympy(whole: Any) -> Any:
    whole = each(_exact, whole)
    if whole.ndim == 0:
        return whole[()]
    if whole.ndim <= 2:
        return sympy.Matrix(whole.tolist())
    return sympy.ImmutableDenseNDimArray(whole.ravel().tolist(), whole.shape)


def _exact(x: Any) -> Any:
    """With fractions for the decimals that are shown, all of whose digits are there."""
    return x.xreplace({f: sympy.Rational(str(f)) for f in x.atoms(sympy.Float)})
