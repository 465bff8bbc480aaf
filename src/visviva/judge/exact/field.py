"""The exact scalars in which typed formulas are compared: fractions of trigonometric polynomials.

Sums of angles, half angles and quarter turns are exact. Roots and other functions of anything else
are symbols of their own, one for each function of each argument; a square root squared is what
stands below it, and positive factors have roots of their own. If two formulas come out the same,
they are the same; if they do not and such symbols occur, they may still be.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from visviva.algebra.exact.angles import Angle
from visviva.algebra.exact.budget import Budget
from visviva.algebra.exact.poly import Poly, Quotient, Wave
from visviva.algebra.exact.ring import Ring
from visviva.algebra.exact.substitute import PI, Substitution, cos_sin_of
from visviva.errors import ArgumentError, OutsideError
from visviva.judge.exact.sums import angles_over, constant, linear, symbol_of, whole
from visviva.notation.evaluate import evaluate
from visviva.notation.names import inside
from visviva.notation.tree import Call, Name, Node, Power, walk

CIRCULAR = ("sin", "cos", "tan", "cot", "sec", "csc")
USUAL_PRODUCTS = 4_000_000  # of terms, in one formula
MOST_TERMS = 5000  # of a formula
LARGEST_POWER = 64
MOST_OTHERS = 20
PRIMES = tuple(n for n in range(2, 200) if all(n % k for k in range(2, n)))  # under roots
KNOWN: dict[tuple[str, Fraction | int], int] = {  # functions of numbers
    **{(f, 0): 0 for f in ("sinh", "tanh", "asin", "atan", "sign")},
    ("exp", 0): 1,
    ("cosh", 0): 1,
    ("log", 1): 0,
}


class Field:
    """A ring that knows every symbol and angle of some formulas, and reads them."""

    def __init__(
        self,
        home: Ring,
        symbols: Iterable[str],
        formulas: Iterable[Node],
        unit: Iterable[tuple[str, ...]] = (),
        turns: Mapping[str, Fraction] | None = None,
        positive: Iterable[str] = (),
    ) -> None:
        formulas = list(formulas)
        angles, more = _angles(home, formulas)
        others = [inside("other", k) for k in range(10 + min(more, MOST_OTHERS))]
        extra = [s for s in (*symbols, PI, *others) if s not in home.symbols]
        self.ring = Ring([*home.symbols, *dict.fromkeys(extra)], angles)
        self._free = iter(others)
        self._positive = tuple(positive)  # symbols
        self.supposed: dict[str, None] = {}  # those that stood under roots
        self.turns = dict(turns or {})  # symbols that are angles, in π
        self._carriers: dict[Ring, Substitution] = {}
        self._taken: dict[str, Poly] = {}
        self._waves: dict[Any, tuple[Any, Any]] = {}  # cosine and sine by angle
        self._others: dict[tuple[str, ...], Poly] = {}
        self._squares: dict[str, Any] = {}  # a root's symbol -> what stands below it
        for *rest, last in unit:  # of a quaternion: its last square is one minus the others
            self._squares[last] = sum((-(self.ring[x] ** 2) for x in rest), self.ring.number(1))
        self.meaning: dict[str, tuple[str, tuple[Any, ...]]] = {}  # of the symbols for functions

    def read(self, x: Node | Poly) -> Any:
        """A formula, or an element of another ring, as an element or a fraction of this one."""
        if isinstance(x, Poly):
            if x.ring not in self._carriers:
                turned = {name: self.ring[PI] * turns for name, turns in self.turns.items()}
                carrier = Substitution(x.ring, self.ring, turned | self._taken, self.cos_sin)
                self._carriers[x.ring] = carrier
            return self._carriers[x.ring](x)
        value = evaluate(x, self)
        for entry in np.ravel(value):
            q = Quotient.of(entry)
            if q.top.size + q.bottom.size > MOST_TERMS:
                raise OutsideError("too many terms")
        return value

    def bound(self, products: int = USUAL_PRODUCTS) -> None:
        """From here on, no more than so many products of terms; more is an `OutsideError`."""
        self.ring.budget = Budget(products)

    @property
    def squares(self) -> Mapping[str, Any]:
        """Symbols whose square is something else: roots, and the last entry of a quaternion."""
        return self._squares

    @property
    def has_others(self) -> bool:
        """Whether functions occurred that are symbols here: what differs may then be equal."""
        return bool(self.meaning)

    def has_functions(self, x: Any) -> bool:
        """Whether there are such functions in an element, so that it may be zero."""
        q = Quotient.of(x)
        pairs = zip(q.top.ring.generators, q.top.p.degrees(), strict=True)
        return any(degree > 0 and generator in self.meaning for generator, degree in pairs)

    def used(self, *whole: Any) -> set[str]:
        """The symbols that elements depend on."""
        symbols: set[str] = set()
        waiting = list(whole)
        while waiting:
            x = Quotient.of(waiting.pop())
            for p in (x.top, x.bottom):
                ring, degrees = p.ring, p.p.degrees()
                inside = {g for g, k in ring.place.items() if degrees[k] > 0}
                waves = {g.base for g in inside if isinstance(g, Wave)}
                symbols |= {s for s in ring.symbols if s in inside}
                symbols |= {
                    s
                    for s, bases in ring.moved_by.items()
                    if not waves.isdisjoint(bases) and p.derivative(s) != 0
                }
            others = symbols & set(self.meaning)
            symbols -= others
            waiting += [a for name in others for a in self.meaning[name][1]]
        return symbols - {PI}

    def hidden(self, *whole: Any) -> set[str]:
        """The symbols that elements depend on by their sines, roots and other functions."""
        symbols: set[str] = set()
        for x in map(Quotient.of, whole):
            for p in (x.top, x.bottom):
                pairs = zip(p.ring.generators, p.p.degrees(), strict=True)
                for generator in (g for g, degree in pairs if degree > 0):
                    if isinstance(generator, Wave):
                        symbols |= p.ring.names_in[generator.base]
                    elif generator in self.meaning:
                        symbols |= self.used(*self.meaning[generator][1])
        return symbols

    def number(self, value: Fraction) -> Poly:
        """An exact number as an element of the field."""
        return self.ring.number(value)

    def name(self, name: Name) -> Poly:
        """Coordinates, their rates, parameters."""
        symbol = symbol_of(name)
        return self._taken[symbol] if symbol in self._taken else self.ring[symbol]

    def take(self, name: str, node: Node) -> None:
        """From here on, a symbol is something special."""
        value = self.settled(self.read(node))
        if not isinstance(value, Poly):
            raise ArgumentError(f"{name} can be taken to be a sum of products, got a fraction")
        self._taken[name] = value

    def power(self, base: Any, exponent: Any) -> Any:
        """Whole powers; of halves, powers of the root."""
        if not isinstance(exponent, Fraction):
            fixed = constant(exponent)
            if fixed is None:
                return self._other("power", base, exponent)
            exponent = fixed
        if exponent.denominator == 2:
            return self.power(self.call("sqrt", base), 2 * exponent)
        if exponent.denominator != 1:
            return self._other("power", base, self.number(exponent))
        n = abs(int(exponent))
        if n > LARGEST_POWER and not _is_monomial(base):
            raise OutsideError(f"a sum to the power {n}")
        product, square = self.number(Fraction(1)), base
        while n:
            product = product * square if n & 1 else product
            n >>= 1
            square = square * square if n else square
        return 1 / product if exponent < 0 else product

    def call(self, function: str, *arguments: Any) -> Any:
        """Functions of angles; others as symbols of their own."""
        if function in CIRCULAR:
            return self._circular(function, *arguments)
        if function == "sqrt":
            return self._root(*arguments)
        return self._other(function, *arguments)

    def same(self, x: Any, y: Any) -> bool:
        """Whether two elements are equal; without forming their difference where that decides."""
        return bool(x == y) or (bool(self._squares) and bool(self.settled(x - y) == 0))

    def settled(self, x: Any) -> Any:
        """With squares of roots replaced by what stands below them."""
        x = Quotient.of(x)
        for root, below in reversed(self._squares.items()):
            x = _without_squares(x.top, root, below) / _without_squares(x.bottom, root, below)
        return x.top if x.bottom == 1 else x

    def cos_sin(self, angle: Any) -> tuple[Any, Any]:
        """Of anything; of what is no angle, as symbols of their own."""
        if angle not in self._waves:
            try:
                self._waves[angle] = cos_sin_of(whole(angle))
            except OutsideError:
                self._waves[angle] = self._special(angle)
        return self._waves[angle]

    def _circular(self, function: str, angle: Any) -> Any:
        c, s = self.cos_sin(angle)
        both = {"sin": (s, None), "cos": (c, None), "tan": (s, c), "cot": (c, s)}
        top, bottom = {**both, "sec": (1, c), "csc": (1, s)}[function]
        return top if bottom is None else top / bottom

    def _special(self, angle: Any) -> tuple[Any, Any]:
        """An angle with eighths or twelfths of a turn, or no angle at all."""
        turns = _whole_turns(angle, self.ring)
        if turns is None or (24 % turns.denominator):
            return self._other_turn(angle)
        c, s = cos_sin_of(whole(angle) - self.ring[PI] * turns)
        quarter = Fraction(math.floor(2 * turns), 2)
        for _ in range(int(2 * quarter) % 4):
            c, s = -s, c
        half, root2, root3 = Fraction(1, 2), self._number_root(2), self._number_root(3)
        near, far = (root2 * (root3 + k) * Fraction(1, 4) for k in (1, -1))
        table = {
            Fraction(1, 12): (near, far),
            Fraction(1, 6): (root3 * half, self.number(half)),
            Fraction(1, 4): (root2 * half, root2 * half),
            Fraction(1, 3): (self.number(half), root3 * half),
            Fraction(5, 12): (far, near),
        }
        if turns - quarter not in table:
            return self._other_turn(angle)
        a, b = table[turns - quarter]
        return c * a - s * b, s * a + c * b

    def _other_turn(self, angle: Any) -> tuple[Poly, Poly]:
        """Symbols of their own, on the circle."""
        c, s = self._other("cos", angle), self._other("sin", angle)
        self._squares.setdefault(str(s), 1 - c * c)
        return c, s

    def _number_root(self, n: int) -> Any:
        return self._root(self.number(Fraction(n)))

    def _root(self, x: Any) -> Any:
        """Of factors that are positive their own roots: √(k/m) is √k/√m."""
        if constant(x) == 0:
            return self.number(Fraction(0))
        q = Quotient.of(x)
        (above, top), (below, bottom) = (self._factored(p) for p in (q.top, q.bottom))
        if self._is_positive(bottom) and constant(bottom) is None:
            return above * self._root(top) / (below * self._own_root(bottom))
        x = top if bottom == 1 else top / bottom
        outer, fixed = (above if below == 1 else above / below), constant(x)
        if fixed is None or fixed < 0:
            return outer * self._own_root(x)
        whole = fixed.numerator * fixed.denominator
        outer = outer * Fraction(1, fixed.denominator)
        for prime in (p for p in PRIMES if whole % p == 0):
            power = 0
            while whole % prime == 0:
                whole, power = whole // prime, power + 1
            outer = outer * prime ** (power // 2)
            outer = outer * self._own_root(self.number(Fraction(prime))) if power % 2 else outer
        root = math.isqrt(whole)
        square = root**2 == whole
        return outer * (root if square else self._own_root(self.number(Fraction(whole))))

    def _factored(self, p: Poly) -> tuple[Any, Poly]:
        """The root of what positive symbols all terms have in common, and the rest."""
        root, powers = self.number(Fraction(1)), p.p.monoms()
        for name in self._positive:
            place = self.ring.place[name]
            common = min(int(x[place]) for x in powers)
            if common:
                own = self.ring[name]
                self.supposed[name] = None
                root = root * own ** (common // 2) * (self._own_root(own) if common % 2 else 1)
                p = Poly(self.ring, p.p / (own**common).p)
        return root, p

    def _is_positive(self, p: Poly) -> bool:
        """Whether all terms are: positive numbers times positive symbols."""
        places = {self.ring.place[name] for name in self._positive}
        used = {k for k, degree in enumerate(p.p.degrees()) if degree > 0}
        return used <= places and all(c > 0 for c in p.p.coeffs())

    def _own_root(self, x: Any) -> Poly:
        """A symbol whose square is x."""
        root = self._other("sqrt", x)
        self._squares.setdefault(str(root), x)
        return root

    def _other(self, function: str, *arguments: Any) -> Poly:
        fixed = constant(arguments[0]) if len(arguments) == 1 else None
        if fixed is not None and function == "abs":
            return self.number(abs(fixed))
        if fixed is not None and (function, fixed) in KNOWN:
            return self.number(Fraction(KNOWN[function, fixed]))
        key = (function, *(self.settled(x).key for x in arguments))
        if key not in self._others:
            name = next(self._free, None)
            if name is None:
                raise OutsideError("too many functions")
            self._others[key] = self.ring[name]
            self.meaning[name] = (function, arguments)
        return self._others[key]


def _angles(home: Ring, formulas: list[Node]) -> tuple[dict[Angle, dict[int, int]], int]:
    """Angles of which all arguments are whole multiples, and how much is no angle.

    They are the ring's own, divided. Arguments of tangents come first, so that a tangent is one
    sine over one cosine: over sums of other angles, fractions would not cancel.
    """
    arguments: list[dict[Angle, Fraction]] = []
    tangents: list[dict[Angle, Fraction]] = []
    others = 0
    for node in (x for f in formulas for x in walk(f)):
        if isinstance(node, Call) and node.function in CIRCULAR:
            parts = linear(node.arguments[0])
            if parts is None:
                others += 2
                continue
            arguments.append({angle: x for angle, x in parts.items() if angle != PI})
            if node.function not in ("sin", "cos"):
                tangents.append(arguments[-1])
        elif isinstance(node, (Call, Power)):
            others += 2
    names = list(dict.fromkeys([*home.angles, *(n for a in arguments for n in a)]))
    return angles_over([*tangents, *home.sums.values()], arguments, names), others


def _whole_turns(angle: Any, ring: Ring) -> Fraction | None:
    """How many π an angle contains, if the rest is a sum of angles."""
    try:
        parts = whole(angle).angle_parts()
    except OutsideError:
        return None
    turns = parts.pop(PI, Fraction(0))
    return turns if parts.keys() <= ring.angles.keys() else None


def _is_monomial(x: Any) -> bool:
    return isinstance(x, Poly) and x.size <= 1


def _without_squares(p: Poly, root: str, inside: Any) -> Any:
    ring, place = p.ring, p.ring.place[root]
    if p.p.degrees()[place] < 2:
        return p
    by_power: dict[int, dict[tuple[int, ...], Any]] = {}
    for powers, c in p.p.to_dict().items():
        k = int(powers[place])
        plain = (*powers[:place], k % 2, *powers[place + 1 :])
        part = by_power.setdefault(k // 2, {})
        part[plain] = part.get(plain, fmpq(0)) + c
    total: Any = ring.number(0)
    for k, part in by_power.items():
        total = total + math.prod([inside] * k, start=Poly(ring, ring.context.from_dict(part)))
    return total
