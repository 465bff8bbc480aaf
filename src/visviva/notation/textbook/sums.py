"""Sums of products, written short: common factors pulled out, like terms grouped.

A form is a tuple of terms (coefficient, factors), where a factor is (atom or form, power): a
polynomial with brackets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from visviva.algebra.exact.rationals import is_decimal
from visviva.notation.textbook.polynomials import (
    Monomial,
    Polynomial,
    Rational,
    add_to,
    common_factor,
    content,
    flint_factors,
    times,
    whole,
    without,
)

Form = tuple[Any, ...]
Class = Callable[[int], int]
Group = tuple[Monomial, list[Monomial]]  # a divisor and the terms it is pulled out of

FACTORED = 48  # terms up to which FLINT is asked for factors: such calls take milliseconds
BRANCHED = 60  # terms up to which several ways of grouping are tried
VARIED = 16  # terms up to which other divisors than the best are tried first
FIRSTS = 5  # so many of them


class Shortener:
    """Forms of few operations; `cost` counts those of an atom, `kind` its class."""

    def __init__(self, cost: Callable[[int], int], kind: Class) -> None:
        self.cost = cost
        self.kind = kind
        self._known: dict[Any, Form] = {}
        self._divisors = cache(self._new_divisors)
        self._weight = cache(self._new_weight)

    # ---- what a form costs

    def operations(self, form: Form) -> int:
        """As `sympy.count_ops` counts."""
        if not form:
            return 0
        total = sum(self._term_cost(*term) for term in form) + len(form) - 1
        return total + all(c < 0 for c, _ in form)

    def _term_cost(self, coefficient: Rational, factors: Sequence[tuple[Any, int]]) -> int:
        pieces = len(factors) + (abs(coefficient.numerator) != 1)
        total = max(pieces - 1, 0) + (coefficient.denominator != 1)
        for base, power in factors:
            total += self.operations(base) if isinstance(base, tuple) else self.cost(base)
            total += power != 1
        return total

    # ---- forms

    def short(self, p: Polynomial) -> Form:
        """The shortest form that is found."""
        key = frozenset(p.items())
        if key not in self._known:
            self._known[key] = self._short(dict(sorted(p.items())))
        return self._known[key]

    def _short(self, p: Polynomial) -> Form:
        if len(p) < 2:
            return tuple((c, m) for m, c in p.items())
        number, monomial, rest = content(p)
        parts = self._factors(rest)
        if len(parts) == 1 and parts[0][1] == 1:
            inside = self._grouped(rest)
            return product(number, [*monomial, *([(inside, 1)] if inside else [])])
        factors: list[tuple[Any, int]] = list(monomial)
        for part, power in parts:
            sign, _, bare = content(part)
            number *= sign**power
            factors.append((self.short(bare), power))
        return product(number, factors)

    def _factors(self, p: Polynomial) -> list[tuple[Polynomial, int]]:
        """Irreducible factors, found only where that is quick."""
        degrees: dict[int, int] = {}
        counts: dict[int, int] = {}
        for m in p:
            for a, k in m:
                degrees[a] = max(degrees.get(a, 0), k)
                counts[a] = counts.get(a, 0) + 1
        if any(n == 1 and degrees[a] == 1 for a, n in counts.items()):
            return [(p, 1)]  # the factor without that atom divides its monomial, so it is none
        atoms = sorted(counts)
        if len(p) <= FACTORED:
            return flint_factors(p, atoms)
        linear = [a for a in atoms if degrees[a] == 1 and counts[a] < len(p)]
        if not linear:
            return [(p, 1)]
        common = common_factor(p, min(linear, key=lambda a: (counts[a], a)), atoms)
        return [(p, 1)] if common is None else [(part, 1) for part in common]

    def _grouped(self, p: Polynomial) -> Form:
        """A sum of products with brackets, for a sum without common factors."""
        every = {} if len(p) == 2 else self._shared(p, (0, 1, 2))
        if not every:
            return tuple((c, m) for m, c in p.items())
        classes = [(1,), (2,), ()] if len(p) <= BRANCHED else [(1,)]
        ways = [(every, 0), *((self._shared(p, allowed), 0) for allowed in classes)]
        if len(p) <= VARIED:
            ways += [(every, k) for k in range(1, min(FIRSTS, len(every)))]
        best: Form = ()
        least = -1
        tried: set[Any] = set()
        for divisors, first in ways:
            groups = self._greedy(divisors, first)
            same = frozenset((d, frozenset(members)) for d, members in groups)
            if same in tried:
                continue
            tried.add(same)
            form = self._with_brackets(p, groups)
            cost = self.operations(form)
            if least < 0 or cost < least:
                best, least = form, cost
        return best

    def _shared(self, p: Polynomial, allowed: tuple[int, ...]) -> dict[Monomial, list[Monomial]]:
        """Divisors of several terms and these terms, the most saving ones first."""
        sharing: dict[Monomial, list[Monomial]] = {}
        for m in p:
            for d in self._divisors(m, allowed):
                sharing.setdefault(d, []).append(m)
        saved = {
            d: (-(len(members) - 1) * self._weight(d), d)
            for d, members in sharing.items()
            if len(members) > 1
        }
        return {d: sharing[d] for d in sorted(saved, key=saved.__getitem__)}

    def _new_weight(self, d: Monomial) -> int:
        """How many operations a factor costs where it stands."""
        return sum(self.cost(a) + (k != 1) + 1 for a, k in d)

    def _greedy(self, shared: dict[Monomial, list[Monomial]], first: int) -> list[Group]:
        """Divisors with the terms they are pulled out of, the most saving one first.

        `first` begins with another one: 1 with the second best, and so on.
        """
        if not shared:
            return []
        d = list(shared)[first]
        groups = [(d, shared[d])]
        left = {x: members for x, members in shared.items() if x != d}
        while left:
            gone = set(groups[-1][1])
            left = {x: [m for m in members if m not in gone] for x, members in left.items()}
            left = {x: members for x, members in left.items() if len(members) > 1}
            if left:
                d = min(left, key=lambda x: (-(len(left[x]) - 1) * self._weight(x), x))
                groups.append((d, left.pop(d)))
        return groups

    def _with_brackets(self, p: Polynomial, groups: Sequence[Group]) -> Form:
        """A sum with these divisors pulled out."""
        taken = {m for _, members in groups for m in members}
        left = {m: c for m, c in p.items() if m not in taken}
        rest = self.short(left) if groups and left else tuple((c, m) for m, c in left.items())
        quotients = [(d, {without(m, d): p[m] for m in members}) for d, members in groups]
        return joined((*self._bracketed(quotients), *rest))

    def _new_divisors(self, m: Monomial, allowed: tuple[int, ...]) -> list[Monomial]:
        """What could be pulled out of a term: each power, and all of one class."""
        inside = [(x, self.kind(x[0])) for x in m]
        powers = [(x,) for x, c in inside if c in allowed]
        classes = (*((c,) for c in allowed), allowed)
        products = [tuple(x for x, c in inside if c in kinds) for kinds in classes]
        return [d for d in dict.fromkeys([*powers, *products]) if d]

    def _bracketed(self, groups: Sequence[tuple[Monomial, Polynomial]]) -> Form:
        """d · (…) for every group; brackets that are the same are written once."""
        outer: dict[tuple[Any, ...], Polynomial] = {}
        inner: dict[tuple[Any, ...], Polynomial] = {}
        for d, quotient in groups:
            number, monomial, bare = content(quotient)
            key = tuple(sorted(bare.items()))
            inner[key] = bare
            add_to(outer.setdefault(key, {}), {times(d, monomial): number})
        pairs = ((self.short(divisors), self.short(inner[key])) for key, divisors in outer.items())
        return tuple(term for pair in pairs for term in product_of(*pair))


# ---- forms


def product(number: Rational, factors: Sequence[tuple[Any, int]]) -> Form:
    """A single term, its number multiplied into a lone bracket, as SymPy writes it."""
    gathered: dict[Any, int] = {}
    for base, power in factors:
        inner: Sequence[tuple[Any, int]] = ((base, 1),)
        if isinstance(base, tuple) and 2 * sum(c < 0 for c, _ in base) > len(base) > 1:
            number *= (-1) ** power
            inner = ((tuple((-c, f) for c, f in base), 1),)
        elif isinstance(base, tuple) and len(base) == 1:
            ((c, inner),) = base
            number *= c**power
        for b, k in inner:
            gathered[b] = gathered.get(b, 0) + k * power
    if len(gathered) == 1:
        ((base, power),) = gathered.items()
        if isinstance(base, tuple) and power == 1:
            return tuple((whole(c * number), f) for c, f in base)
    return ((whole(number), tuple(gathered.items())),)


def with_fractions_inside(form: Form) -> Form:
    """Fractions before brackets that a person would write inside: (I + 1/4 m l²) a."""
    terms = []
    for number, factors in form:
        inner = [(with_fractions_inside(b) if isinstance(b, tuple) else b, k) for b, k in factors]
        for place, (base, power) in enumerate(inner):
            if number.denominator == 1 or power != 1 or not isinstance(base, tuple):
                continue
            inside = tuple((whole(c * abs(number)), f) for c, f in base)
            least = 1 if is_decimal(number, always=True) else _ones(base)
            if _ones(inside) >= least:
                inner[place], number = (inside, 1), 1 if number > 0 else -1
        terms.append((number, tuple(inner)))
    return tuple(terms)


def _ones(form: Form) -> int:
    return sum(abs(c) == 1 for c, _ in form)


def product_of(a: Form, b: Form) -> Form:
    """Of two sums, as one term; a sum if one of them is a number."""
    return product(1, [(a, 1), (b, 1)])


def joined(terms: Form) -> Form:
    """Terms with the same factors are one term."""
    numbers: dict[Any, Rational] = {}
    for c, factors in terms:
        numbers[factors] = numbers.get(factors, 0) + c
    return tuple((whole(c), f) for f, c in numbers.items() if c)
