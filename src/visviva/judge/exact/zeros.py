"""Where a factor may be zero: θ̇ of θ̇ (m l² θ̈ + …) = 0, which there says nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations, product
from typing import Any

from visviva.algebra.exact.minors import determinant
from visviva.algebra.exact.poly import Poly, Quotient, Wave
from visviva.algebra.exact.substitute import PI
from visviva.errors import OutsideError
from visviva.judge.exact.field import Field
from visviva.judge.exact.forms import Facts

POSITIVE = ("exp", "cosh")
MOST_FACTORED = 500  # terms
MOST_MINORS = 100
MOST_SQUARED = 4  # angles in whose squares a factor is looked at


@dataclass(frozen=True, eq=False)
class Doubts:
    """What may be zero. Nobody divides in silence by `without`, which has it below a line already.

    Where constraints hold, what `vanishes` is zero, and an element is what is left of it when
    `divided`, but for factors that are not zero there.
    """

    facts: Facts
    field: Field
    without: Iterable[Any] = ()
    divided: Callable[[Any], Any] = lambda x: x
    vanishes: Callable[[Any], bool] = lambda x: bool(x == 0)

    def of(self, p: Poly) -> list[Poly]:
        """The factors that may be zero."""
        parts = [] if self._is_sure(p) else factors_of(p)
        parts = [x for x in parts if not any(_is_multiple(x.p, y) for y in self._below)]
        return [x for x in parts if not self._is_sure(x)]

    @cached_property
    def _below(self) -> list[Any]:
        return [y.p for x in self.without for y in factors_of(Quotient.of(x).bottom)]

    def _is_sure(self, p: Poly) -> bool:
        forms = (p, Quotient.of(self.divided(p)).top)
        return any(is_sure(x, self.facts, self.field) for x in forms)


def common_zeros(factors: Iterable[Any], doubts: Doubts) -> tuple[Any, ...]:
    """What must not be zero for one of the factors to be none; () where that is sure.

    What only some of the factors have is no condition; that the others are not all zero,
    ẋ² + ẏ² ≠ 0, may be one. An `OutsideError` where all of them are zero everywhere.
    """
    given = [*factors]
    tops = [Quotient.of(x).top for x in given if not doubts.vanishes(x)]
    if given and not tops:
        raise OutsideError("it says nothing: all of its factors are zero")
    if not all(map(doubts.of, tops)) or not tops:  # x² + y² is no zero of a circle
        return ()
    ring = doubts.field.ring
    whole = reduce(ring.common, (x.p for x in tops))
    found, rest = doubts.of(Poly(ring, whole)), [Poly(ring, x.p / whole) for x in tops]
    open_parts = [doubts.of(x) for x in rest]
    if all(open_parts):
        found += [x for x in _not_all(rest, open_parts, doubts.of) if x not in found]
    return _with_sines(found)


def dependent_where(rows: Sequence[Sequence[Any]], doubts: Doubts) -> tuple[tuple[Any, ...], int]:
    """What must not be zero for rows to be as independent as they are in general, and their rank.

    Of (0, 1) and (x, 1) it is x. Entries that are never zero are eliminated by; of what is left all
    minors of the largest size that is not zero are zero where the rank is less. An `OutsideError`
    where they are too many.
    """
    field, rank = doubts.field, 0

    def settled(x: Any) -> Any:
        x = field.settled(x + field.ring.number(0))
        return x - x if doubts.vanishes(x) else x

    left = [[settled(x) for x in row] for row in rows]
    while (place := _never_zero(left, doubts)) is not None:
        i, j = place
        by, rank = left.pop(i), rank + 1
        for k, row in enumerate(left):
            if row[j] != 0:
                times = row[j] / by[j]
                left[k] = [
                    settled(x - times * y) if y != 0 and n != j else x - x if n == j else x
                    for n, (x, y) in enumerate(zip(row, by, strict=True))
                ]
    left = [row for row in left if any(x != 0 for x in row)]
    columns = [x for x in zip(*left, strict=True) if any(y != 0 for y in x)]
    for size in range(min(len(left), len(columns)), 0, -1):
        sets = combinations(columns, size), combinations(range(len(left)), size)
        if math.prod(math.comb(len(x), size) for x in (columns, left)) > MOST_MINORS:
            raise OutsideError(f"more than {MOST_MINORS} minors")
        parts = ([[x[i] for i in lines] for x in chosen] for chosen, lines in product(*sets))
        minors = [x for part in parts if (x := settled(determinant(part))) != 0]
        if minors:
            return common_zeros(minors, doubts), rank + size
    return (), rank


def _never_zero(rows: Sequence[Sequence[Any]], doubts: Doubts) -> tuple[int, int] | None:
    """The place of the shortest entry that is sure to be none."""
    entries = [(i, j, Quotient.of(x)) for i, row in enumerate(rows) for j, x in enumerate(row)]
    entries = sorted((x for x in entries if x[2].top != 0), key=lambda x: _size(x[2]))
    return next(((i, j) for i, j, x in entries if not doubts.of(x.top)), None)


def _size(x: Quotient) -> int:
    return x.top.size + x.bottom.size


def _not_all(
    parts: list[Poly], open_parts: list[list[Poly]], unsure: Callable[[Poly], list[Poly]]
) -> list[Poly]:
    """That several are not all zero; of long ones, that the shortest is not, which is enough."""
    if sum(x.size**2 for x in parts) > MOST_FACTORED:
        return min(open_parts, key=lambda x: sum(y.size for y in x))
    one = parts[0].ring.number(1)
    plain = [math.prod(_with_sines(x), start=one) for x in open_parts]  # with the same zeros
    different = (x for k, x in enumerate(plain) if x not in plain[:k])
    return unsure(sum((x * x for x in different), one - one))


def said_of(x: Any, names: Iterable[str]) -> list[Poly]:
    """The coefficients of what names are in: where all are zero, nothing is said of these."""
    p = Quotient.of(x).top
    places, parts = [p.ring.place[name] for name in names], dict[Any, dict[Any, Any]]()
    for powers, number in p.p.to_dict().items():
        rest = tuple(0 if k in places else n for k, n in enumerate(powers))
        parts.setdefault(tuple(powers[k] for k in places), {})[rest] = number
    return [Poly(p.ring, p.ring.context.from_dict(x)) for n, x in parts.items() if any(n)]


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
        return _generators(p) <= nonzero | _positive(p, facts, field)
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
    positive = _positive(p, facts, field)
    alone = False
    for powers, number in p.terms():
        other = {k: n for k, n in powers.items() if k not in positive}
        if number < 0 or any(n % 2 for n in other.values()):
            return False
        alone = alone or not other
    return alone


def _positive(p: Poly, facts: Facts, field: Field) -> set[Any]:
    """Those of its symbols that are positive: parameters, π, exp(…), roots of what is never 0."""
    return {x for x in _generators(p) if _is_positive_symbol(x, facts, field)}


def _is_positive_symbol(symbol: Any, facts: Facts, field: Field) -> bool:
    if symbol in facts.parameters:
        value = facts.parameters[symbol]
        return value is None or bool(value > 0)
    function, arguments = field.meaning.get(symbol, ("", ()))
    if function == "sqrt":
        return is_sure(Quotient.of(arguments[0]).top, facts, field)
    return symbol == PI or function in POSITIVE


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
