"""The terms in which a claim and the truth differ, in textbook form and by physical kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import each
from visviva.judge.check.compare.case import Case, printed
from visviva.judge.check.compare.differences import by_factor, difference
from visviva.judge.check.said.subjects import FORCES_OF_MOTION
from visviva.notation.tree import Equation, Matrix, Node
from visviva.notation.tree_sympy import to_sympy

LARGEST = 1000  # terms that are told one by one


@dataclass(frozen=True)
class Term:
    """A term that a claim lacks or has too much of; `place` is its entry, from 1 on."""

    which: str  # "missing" or "extra"
    kind: str  # inertial, centrifugal, Coriolis, dissipative, gravitational; or nothing
    formula: sympy.Expr
    place: tuple[int, ...] = ()


def told(case: Case, node: Node) -> tuple[Any, Any, tuple[Term, ...]]:
    """Missing and extra in the claim's shape, and their terms; `node` is the claim as typed.

    Of what nobody would read term by term, the truth is missing and the claim too much.
    """
    terms: list[Term] = []
    lacks = np.empty(case.truth.shape, dtype=object)
    exceeds = np.empty(case.truth.shape, dtype=object)
    moving = case.subject.kind in FORCES_OF_MOTION
    for place, claim, truth in case.entries():
        gap = difference(case.field.settled(claim), case.field.settled(truth))
        at = tuple(k + 1 for k in place)
        if gap.missing.size + gap.extra.size > LARGEST:
            lacks[place] = printed(truth, case.field, case.names)
            exceeds[place] = _typed(node, claim, case)
            terms += [Term("missing", "", lacks[place], at), Term("extra", "", exceeds[place], at)]
            continue
        for which, part, whole in (("missing", gap.missing, lacks), ("extra", gap.extra, exceeds)):
            over = part / gap.bottom if gap.bottom != 1 else part
            whole[place] = printed(over, case.field, case.names)
            if not part.is_zero and moving:
                terms += _by_kind(which, part, gap.bottom, at, case)
            elif not part.is_zero:
                terms.append(Term(which, "", whole[place], at))
    return _sympy(lacks), _sympy(exceeds), tuple(terms)


def _typed(node: Node, claim: Any, case: Case) -> Any:
    if isinstance(node, (Equation, Matrix)):
        return printed(claim, case.field, case.names)
    made = to_sympy(node)  # with a prime for each dot
    for q, v, a in case.facts.moving:
        primes = {sympy.Symbol(f"{q}'"): sympy.Symbol(v), sympy.Symbol(f"{q}''"): sympy.Symbol(a)}
        made = made.xreplace(primes)
    return made.xreplace({sympy.Symbol(k): sympy.Symbol(x) for k, x in case.names.items()})


def _by_kind(which: str, part: Any, bottom: Any, at: tuple[int, ...], case: Case) -> list[Term]:
    made = []
    for factor, coefficient in by_factor(part, case.motions):
        for kind, terms in case.kinds_of(factor, coefficient, tuple(k - 1 for k in at)):
            whole = terms * case.product(factor)
            over = whole / bottom if bottom != 1 else whole
            made.append(Term(which, kind, printed(over, case.field, case.names), at))
    return made


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
