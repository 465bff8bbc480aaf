"""Where a factor may be zero: θ̇ of θ̇ (m l² θ̈ + …) = 0, which there says nothing."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import product
from typing import Any

from flint import fmpq

from visviva.algebra.exact.poly import Poly, Quotient, Wave
from visviva.algebra.exact.substitute import PI
from visviva.judge.exact.field import Field
from visviva.judge.exact.forms import Facts

POSITIVE = ("exp", "cosh")
MOST_FACTORED = 500  # terms
MOST_SQUARED = 4  # angles in whose squares a factor is looked at


def common_zeros(
    factors: Iterable[Any], without: Iterable[Any], facts: Facts, field: Field
) -> tuple[Any, ...]:
    """What must not be zero for one of the factors to be none; () where that is sure.

    `without`: what nobody divides by in silence, as it stands below a line already.
    """
    tops = [Quotient.of(x).top for x in factors]
    if not tops:
        return ()
    ring = field.ring
    whole = reduce(ring.common, (x.p for x in tops))
    below = [y.p for x in without for y in factors_of(Quotient.of(x).bottom)]
    found = [
        x
        for x in factors_of(Poly(ring, whole))
        if not any(_is_multiple(x.p, y) for y in below) and not is_sure(x, facts, field)
    ]
    shared = _shared_sines(tops) if len(tops) > 1 else []
    return _with_sines([*found, *(x for x in shared if x not in found)])


def _shared_sines(tops: list[Poly]) -> list[Poly]:
    """Sines that all of several have, which sin² = 1 - cos² hides."""
    ring, found = tops[0].ring, []
    for base in ring.bases:
        s, c = (ring.place[Wave(f, base)] for f in ("sin", "cos"))
        at = [{s: fmpq(0), c: fmpq(k)} for k in (1, -1)]
        if all(x.p.subs(values) == 0 for x in tops for values in at):
            found.append(ring.generator(Wave("sin", base)))
    return found


def factors_of(p: Poly) -> list[Poly]:
    """The different factors of a product, without numbers; a long sum is left as it is."""
    if p.size > MOST_FACTORED:
        return [p]
    return [Poly(p.ring, x) for x, _ in p.p.factor()[1]]


def is_sure(p: Poly, facts: Facts, field: Field) -> bool:
    """Whether it is never zero: a parameter, or a sum of what is never negative and one positive.

    Parameters are taken as positive, if no value says otherwise.
    """
    if p.size == 1:
        nonzero = {x for x, value in facts.parameters.items() if value is None or value != 0}
        return _generators(p) <= nonzero | _positive(facts, field)
    parts = p.terms()
    alone = sum(abs(number) for powers, number in parts if not powers)
    rest = sum(abs(number) for powers, number in parts if powers)
    if alone > rest and all(isinstance(g, Wave) for g in _generators(p)):
        return True  # 2 + cos
    waves = [g for g in _generators(p) if isinstance(g, Wave)]
    bases = list(dict.fromkeys(g.base for g in waves))
    if len(bases) > MOST_SQUARED:
        return False
    for chosen in product((False, True), repeat=len(bases)):
        form = p
        for base, turned in zip(bases, chosen, strict=True):
            form = _in_sines(form, base) if turned else form
        if any(_is_positive(x, facts, field) for x in (form, -form)):
            return True
    return False


def _is_positive(p: Poly, facts: Facts, field: Field) -> bool:
    """Whether every term is a positive number times squares and positive symbols, one without."""
    positive = _positive(facts, field)
    alone = False
    for powers, number in p.terms():
        other = {k: n for k, n in powers.items() if k not in positive}
        if number < 0 or any(n % 2 for n in other.values()):
            return False
        alone = alone or not other
    return alone


def _positive(facts: Facts, field: Field) -> set[Any]:
    """Symbols that are positive: parameters, π, exp(…), roots of numbers."""
    named = {x for x, value in facts.parameters.items() if value is None or value > 0}
    others = {
        name
        for name, (function, arguments) in field.meaning.items()
        if function in POSITIVE
        or (function == "sqrt" and _generators(Quotient.of(arguments[0]).top) <= named)
    }
    return {*named, *others, PI}


def _generators(p: Poly) -> set[Any]:
    return {k for powers, _ in p.terms() for k in powers}


def _in_sines(p: Poly, base: Any) -> Poly:
    """With cos² = 1 - sin², in even powers of one cosine; not in the ring's normal form."""
    ring = p.ring
    s, c = (ring.place[Wave(f, base)] for f in ("sin", "cos"))
    sine, total = ring.generator(Wave("sin", base)).p, ring.number(0).p
    for powers, number in p.p.to_dict().items():
        if powers[c] % 2 or powers[s]:
            return p
        rest = tuple(0 if k == c else n for k, n in enumerate(powers))
        total += ring.context.from_dict({rest: number}) * (1 - sine**2) ** (int(powers[c]) // 2)
    return Poly(ring, total)


def _is_multiple(p: Any, q: Any) -> bool:
    """Of two irreducible ones, whether they are the same but for a number."""
    return bool((p / p.leading_coefficient()) == (q / q.leading_coefficient()))


def _with_sines(factors: list[Poly]) -> tuple[Any, ...]:
    """(1 - cos)(1 + cos) as what it is, a square of a sine."""
    found = list(factors)
    bases = [g.base for x in factors for g in _generators(x) if isinstance(g, Wave)]
    for base in dict.fromkeys(bases):
        cosine, sine = (factors[0].ring.generator(Wave(f, base)) for f in ("cos", "sin"))
        pair = [x for x in found if any(_is_multiple(x.p, (cosine + k).p) for k in (1, -1))]
        if len(pair) == 2:
            found = [x for x in found if x not in pair]
            found += [sine] if sine not in found else []
    return tuple(found)
