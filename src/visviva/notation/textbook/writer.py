"""Exact polynomials as a person would print them: SymPy expressions in textbook form.

Products of sines and cosines become sums of angles where that is shorter, common factors are pulled
out, what has the same factor is grouped. Several forms are made and the one with the fewest
operations is taken; the same polynomial always gives the same form.

Examples:
    >>> from visviva.algebra.exact.ring import Ring
    >>> ring = Ring(["q1", "q2", "m", "g"], {"q1": {"a": 1}, "q2": {"b": 1, "a": -1}})
    >>> q1, q2, m, g = (ring[name] for name in ("q1", "q2", "m", "g"))
    >>> textbook(m * g * q2.cos() + m * (q1 + q2).sin())
    m*(g*cos(q2) + sin(q1 + q2))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import sympy

from visviva.algebra.exact.angles import factors_of
from visviva.algebra.exact.poly import Poly, Quotient
from visviva.algebra.exact.ring import Ring
from visviva.algebra.exact.ring_sympy import from_textbook
from visviva.notation.names import acceleration_name, velocity_name
from visviva.notation.textbook.polynomials import (
    Monomial,
    Polynomial,
    Rational,
    add_to,
    content,
    divided,
    number,
    rational_content,
    times,
)
from visviva.notation.textbook.sums import (
    Form,
    Shortener,
    joined,
    product_of,
    with_fractions_inside,
)
from visviva.notation.textbook.trig import Angles

__all__ = ["Writer", "from_textbook", "textbook"]

RATE, WAVE, SYMBOL = (
    0,
    1,
    2,
)  # classes of atoms: velocities and accelerations, sin and cos, the rest
SMALL = 100  # terms up to which a sum is also tried as a whole, not sorted by rates
TRIED_ALL = 24  # terms up to which every way to write sines and cosines is worked out
FEW = 12  # products of sines and cosines that may become sums although no axes are parallel
WORTH = 1.25  # sorted by accelerations and velocities reads better even if it is this much longer
TRIED = 2  # ways that are worked out beyond that, the shortest ones


def textbook(x: Poly | Quotient) -> Any:
    """A polynomial or a fraction of two as a SymPy expression in textbook form."""
    writer = _writer(x.ring)
    if isinstance(x, Poly):
        return writer.sympy_form(writer.sum(x))
    over, under = writer.sum(x.top), writer.sum(x.bottom)
    # SymPy would divide decimals, and round: one that stands alone goes up, as a fraction
    scale = next(iter(under.values())) if len(under) == 1 else rational_content(under.values())
    over, under = divided(over, scale), divided(under, scale)
    return writer.sympy_form(over) / writer.sympy_form(under)


_WRITERS: WeakKeyDictionary[Ring, Writer] = WeakKeyDictionary()


def _writer(ring: Ring) -> Writer:
    if ring not in _WRITERS:
        _WRITERS[ring] = Writer(ring)
    return _WRITERS[ring]


class Writer:
    """Writes the polynomials of one ring."""

    def __init__(self, ring: Ring) -> None:
        self.symbols = ring.symbols
        self.angles = Angles(ring)
        names = set(ring.symbols)
        second = {acceleration_name(n) for n in names} & names
        dotted = {velocity_name(n) for n in names} & names | second
        self._class = [RATE if n in dotted else SYMBOL for n in ring.symbols]
        self._second = {k for k, n in enumerate(ring.symbols) if n in second}
        self.shortener = Shortener(self.angles.cost, self.kind)
        self._waves: dict[Any, Polynomial] = {}
        self._parts: dict[Any, Form] = {}
        self._atom = cache(self._new_atom)
        self.sympy = cache(self._sympy)
        kinds = [("sin", a) for a in self.angles.bases] + [("cos", a) for a in self.angles.bases]
        self._base_atoms = [self.angles.atom(kind, a) for kind, a in kinds]

    def kind(self, atom: int) -> int:
        """RATE, WAVE or SYMBOL."""
        return self._class[atom] if atom < len(self._class) else WAVE

    def sum(self, x: Poly) -> Polynomial:
        """The terms over atoms."""
        terms: Polynomial = {}
        n = len(self._base_atoms)
        for powers, c in x.p.to_dict().items():
            number: Rational = int(c.p) if c.q == 1 else Fraction(int(c.p), int(c.q))
            factors: dict[int, int] = {}
            for k, power in enumerate(powers):
                if not power:
                    continue
                if k >= n:
                    factors[k - n] = int(power)
                    continue
                sign, atom = self._base_atoms[k]
                number *= sign ** int(power)
                factors[atom] = factors.get(atom, 0) + int(power)
            add_to(terms, {tuple(sorted(factors.items())): number})
        return terms

    def sympy_form(self, p: Polynomial) -> Any:
        """In SymPy, as a person writes it."""
        return self.sympy(with_fractions_inside(self.form(p)))

    # ---- forms

    def form(self, p: Polynomial) -> Form:
        """The shortest one: all of it at once, or one bracket for each product of rates."""
        if not p:
            return ()
        number, monomial, rest = self._content(p)
        parts = self._by_rates(rest)
        if len(parts) == 1:
            best = self._part(rest)
        else:
            best = self._sum_of_parts(parts)
            if len(rest) <= SMALL:
                together = self._part(rest)
                least = self.shortener.operations(together)
                sorted_terms = any(a in self._second for rates in parts for a, _ in rates)
                limit = (WORTH if sorted_terms else 1) * least
                best = together if limit < self.shortener.operations(best) else best
        return product_of(((number, monomial),), best)

    def _content(self, p: Polynomial) -> tuple[Rational, Monomial, Polynomial]:
        """Number, symbols and the rest; sines and cosines stay inside, where they may merge."""
        number, monomial, rest = content(p)
        waves = tuple(x for x in monomial if self.kind(x[0]) == WAVE)
        if waves:
            monomial = tuple(x for x in monomial if self.kind(x[0]) != WAVE)
            rest = {times(m, waves): c for m, c in rest.items()}
        return number, monomial, rest

    def _by_rates(self, p: Polynomial) -> dict[Monomial, Polynomial]:
        parts: dict[Monomial, Polynomial] = {}
        for m, c in p.items():
            rates = tuple(x for x in m if self.kind(x[0]) == RATE)
            rest = tuple(x for x in m if self.kind(x[0]) != RATE)
            parts.setdefault(rates, {})[rest] = c
        return parts

    def _sum_of_parts(self, parts: dict[Monomial, Polynomial]) -> Form:
        """Σ rates · (…), the same bracket written once."""
        outer: dict[tuple[Any, ...], Polynomial] = {}
        for rates, p in parts.items():
            number, monomial, bare = self._content(p)
            key = (monomial, tuple(sorted(bare.items())))
            add_to(outer.setdefault(key, {}), {rates: number})
        terms: list[Any] = []
        for (monomial, bare), sums in outer.items():
            factor = product_of(((1, monomial),), self._part(dict(bare)))
            terms.extend(product_of(self.shortener.short(sums), factor))
        return joined(tuple(terms))

    def _part(self, p: Polynomial) -> Form:
        key = frozenset(p.items())
        if key not in self._parts:
            self._parts[key] = self._shortest(dict(sorted(p.items())))
        return self._parts[key]

    def _shortest(self, p: Polynomial) -> Form:
        choices: dict[Any, Polynomial] = {}
        for q in self._ways(p):
            choices.setdefault(frozenset(q.items()), q)
        ways = list(choices.values())
        if len(p) > TRIED_ALL:
            ways = sorted(ways, key=self._plain_cost)[:TRIED]
        best: Form | None = None
        for q in ways:
            form = self.shortener.short(q)
            best = form if best is None else self._shorter(best, form)
        return best or ()

    def _shorter(self, a: Form, b: Form) -> Form:
        return b if self.shortener.operations(b) < self.shortener.operations(a) else a

    # ---- ways to write sines and cosines

    def _ways(self, p: Polynomial) -> Iterator[Polynomial]:
        """The same sum in other sines and cosines."""
        if not any(self._has_product(m) for m in p):
            yield p
            return
        yield self._each(p, self._shortest_wave)
        yield p
        if self.angles.linked:
            yield self._each(p, lambda t: self.angles.as_sums(t, self.angles.linked))
        squares = self.angles.squared(p)
        sines = p
        for a in squares:
            sines = self.angles.without_squares(sines, a)
        yield sines
        if 1 < len(squares) < 4:
            for a in squares:
                yield self.angles.without_squares(p, a)

    def _has_product(self, m: Monomial) -> bool:
        """Whether several sines or cosines stand in a term: only these are written otherwise."""
        return sum(k for a, k in m if self.kind(a) == WAVE) > 1

    def _each(self, p: Polynomial, change: Callable[[Polynomial], Polynomial]) -> Polynomial:
        """A change made to the sines and cosines that stand with each product of symbols."""
        rows: dict[Monomial, Polynomial] = {}
        for m, c in p.items():
            wave = tuple(x for x in m if self.kind(x[0]) == WAVE)
            rest = tuple(x for x in m if self.kind(x[0]) != WAVE)
            rows.setdefault(rest, {})[wave] = c
        total: Polynomial = {}
        known: dict[tuple[Any, ...], Polynomial] = {}
        for rest, t in rows.items():
            scale = rational_content(t.values()) * (1 if t[min(t)] > 0 else -1)
            key = tuple(sorted((t if scale == 1 else divided(t, scale)).items()))
            if key not in known:
                known[key] = change(dict(key))
            add_to(total, {times(rest, m): c for m, c in known[key].items()}, scale)
        return total

    def _shortest_wave(self, t: Polynomial) -> Polynomial:
        """The shortest way to write a sum of products of sines and cosines."""
        if not any(map(self._has_product, t)):
            return t
        key = frozenset(t.items())
        if key not in self._waves:
            starts = [t, self.angles.with_additions(t)]
            every = self.angles.bases if len(t) <= FEW else []
            for bases in (self.angles.linked, every):
                starts.append(self.angles.as_sums(t, bases))
                starts.append(self.angles.without_multiples(starts[-1]))
            ways = [self._with_best_squares(s) for s in starts]
            self._waves[key] = min(ways, key=self._plain_cost)
        return self._waves[key]

    def _with_best_squares(self, t: Polynomial) -> Polynomial:
        """Each square of a sine or cosine written with its partner if that is shorter."""
        least = self._plain_cost(t)
        for a in self.angles.squared(t):
            changed = self.angles.without_squares(t, a)
            cost = self._plain_cost(changed)
            if cost < least:
                t, least = self.angles.with_additions(changed), cost
        return t

    def _plain_cost(self, t: Polynomial) -> int:
        return self.shortener.operations(tuple((c, m) for m, c in t.items()))

    # ---- SymPy

    def _sympy(self, form: Form) -> Any:
        """A form as an expression."""
        terms = []
        for c, factors in form:
            parts = [] if c == 1 else [number(c)]
            for b, k in factors:
                base = self.sympy(b) if isinstance(b, tuple) else self._atom(b)
                parts.append(base if k == 1 else sympy.Pow(base, k))
            terms.append(parts[0] if len(parts) == 1 else sympy.Mul(*parts))
        return terms[0] if len(terms) == 1 else sympy.Add(*terms)

    def _new_atom(self, atom: int) -> Any:
        """A symbol, or a sine or cosine."""
        meaning = self.angles.meaning(atom)
        if meaning is None:
            return sympy.Symbol(self.symbols[atom])
        kind, angle = meaning
        parts = self.angles.parts(angle)
        terms = [
            sympy.Mul(*([] if k == 1 else [number(k)]), *map(sympy.Symbol, factors_of(d)))
            for d, k in parts
        ]
        inside = terms[0] if len(terms) == 1 else sympy.Add(*terms)
        # SymPy would look for π and for minus signs to pull out, where there are none
        unsigned = all(k > 0 for _, k in parts)
        return (sympy.cos if kind == "cos" else sympy.sin)(inside, evaluate=not unsigned)
