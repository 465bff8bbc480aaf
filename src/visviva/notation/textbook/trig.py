"""Sines and cosines of sums of angles, and the shortest way to write a polynomial in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, cached_property
from math import gcd, lcm

from visviva.algebra.exact import angles as exact
from visviva.algebra.exact.ring import Ring
from visviva.notation.textbook.polynomials import Monomial, Polynomial, add_to, multiplied, times

Angle = tuple[int, ...]  # multiples of 1/scale of every direction
BITS = 16
_LONGEST = 8  # factors of a product that is turned into a sum: it may have 2^7 terms
MANY = 200  # terms beyond which no additions are looked for


class Angles:
    """The angles of a ring as combinations of its coordinates, and the atoms cos and sin of them.

    An atom's number says what it is: symbols come first, then sines and cosines by their angle.
    """

    def __init__(self, ring: Ring) -> None:
        # not the ring itself: what is kept for a ring must not keep it alive
        self.symbols, self.names, self.sums = len(ring.symbols), ring.bases, ring.angles
        self.directions = tuple(ring.angles)
        parts = [x for row in ring.sums.values() for x in row.values()]
        self.scale = lcm(*(x.denominator for x in parts), 1)
        self.bases = [
            tuple(int(ring.sums[b].get(d, 0) * self.scale) for d in self.directions)
            for b in ring.bases
        ]
        self._atoms: dict[int, tuple[str, Angle]] = {}
        self.cost = cache(self._cost)

    @cached_property
    def groups(self) -> list[list[int]]:
        """The bases that share a coordinate, or are linked by others that do."""
        group = {b: k for k, b in enumerate(self.names)}
        for parts in self.sums.values():
            first = min(group[b] for b in parts)
            joined = {group[b] for b in parts}
            group = {b: first if k in joined else k for b, k in group.items()}
        members: dict[int, list[int]] = {}
        for k, b in enumerate(self.names):
            members.setdefault(group[b], []).append(k)
        return list(members.values())

    @cached_property
    def linked(self) -> list[Angle]:
        """The bases whose products make shorter sums: parallel axes, and parts of coordinates."""
        return [
            self.bases[k]
            for g in self.groups
            for k in g
            if len(g) > 1 or any(x % self.scale for x in self.bases[k])
        ]

    # ---- atoms

    def atom(self, kind: str, angle: Angle) -> tuple[int, int]:
        """(sign, atom) of cos or sin; the first coordinate of an angle counts positively."""
        leading = next(k for k in angle if k)
        sign = -1 if leading < 0 and kind == "sin" else 1
        if leading < 0:
            angle = tuple(-k for k in angle)
        number = 0
        for k in angle:
            number = (number << BITS) + k + (1 << BITS - 1)
        number = self.symbols + 2 * number + (kind == "sin")
        self._atoms[number] = (kind, angle)
        return sign, number

    def meaning(self, atom: int) -> tuple[str, Angle] | None:
        """Which function of which angle, None for a symbol."""
        return None if atom < self.symbols else self._atoms[atom]

    def partner(self, atom: int) -> int:
        """The sine of a cosine's angle, and the other way round."""
        kind, angle = self._atoms[atom]
        return self.atom("cos" if kind == "sin" else "sin", angle)[1]

    def parts(self, angle: Angle) -> list[tuple[exact.Angle, Fraction]]:
        """The ring's angles and their factors."""
        pairs = zip(self.directions, angle, strict=True)
        return [(d, Fraction(k, self.scale)) for d, k in pairs if k]

    def _cost(self, atom: int) -> int:
        """Operations of a sine or cosine, none of a symbol."""
        if atom < self.symbols:
            return 0
        parts = self.parts(self._atoms[atom][1])
        inside = sum((abs(k.numerator) != 1) + (k.denominator != 1) for _, k in parts)
        inside += sum(len(exact.factors_of(d)) - 1 for d, _ in parts)
        return len(parts) + inside

    def wave(self, kind: str, angle: Angle) -> Polynomial:
        """cos or sin of any angle, zero included."""
        if not any(angle):
            return {(): 1} if kind == "cos" else {}
        sign, atom = self.atom(kind, angle)
        return {((atom, 1),): sign}

    # ---- other ways to write the same

    def as_sums(self, p: Polynomial, bases: Sequence[Angle]) -> Polynomial:
        """Products of sines and cosines of these angles as sums: cos(a + b), cos(a - b)."""
        wanted = set(bases)
        total: Polynomial = {}
        for m, c in p.items():
            inside = [(a, k) for a, k in m if self._angle(a) in wanted]
            degree = sum(k for _, k in inside)
            if not 1 < degree <= _LONGEST:
                add_to(total, {m: c})
                continue
            rest: Polynomial = {tuple(x for x in m if x not in inside): c}
            waves = {("cos", (0,) * len(self.directions)): 1}
            for a, k in inside:
                for _ in range(k):
                    waves = self._twice_times_wave(waves, *self._atoms[a])
            spread: Polynomial = {}
            for (kind, angle), w in waves.items():
                add_to(spread, self.wave(kind, angle), Fraction(w, 2**degree))
            add_to(total, multiplied(rest, spread))
        return total

    def _angle(self, atom: int) -> Angle | None:
        meaning = self.meaning(atom)
        return None if meaning is None else meaning[1]

    def _twice_times_wave(
        self, waves: dict[tuple[str, Angle], int], kind: str, angle: Angle
    ) -> dict[tuple[str, Angle], int]:
        """2 cos a cos b = cos(a - b) + cos(a + b), and so on."""
        product: dict[tuple[str, Angle], int] = {}

        def add(k: str, x: Angle, c: int) -> None:
            lead = next((y for y in x if y), 0)
            if lead < 0:
                x, c = tuple(-y for y in x), -c if k == "sin" else c
            product[k, x] = product.get((k, x), 0) + c

        for (k, x), c in waves.items():
            plus = tuple(a + b for a, b in zip(x, angle, strict=True))
            minus = tuple(a - b for a, b in zip(x, angle, strict=True))
            if k == kind:
                add("cos", minus, c)
                add("cos", plus, c if k == "cos" else -c)
            else:
                add("sin", plus, c)
                add("sin", minus, c if k == "sin" else -c)
        return {key: c for key, c in product.items() if c}

    def without_multiples(self, p: Polynomial) -> Polynomial:
        """cos 2a and the like in powers of cos a and sin a."""

        def powers(atom: int) -> Polynomial | None:
            kind, angle = self._atoms[atom]
            n = gcd(*angle)
            if n % self.scale or n == self.scale:
                return None
            n //= self.scale
            one = tuple(k // n for k in angle)
            c, s = self.wave("cos", one), self.wave("sin", one)
            real: Polynomial = {(): 1}
            imaginary: Polynomial = {}
            for _ in range(n):  # (c + i s)ⁿ
                turned = multiplied(real, s)
                back = multiplied(imaginary, s)
                real, imaginary = multiplied(real, c), multiplied(imaginary, c)
                add_to(real, back, -1)
                add_to(imaginary, turned)
            return real if kind == "cos" else imaginary

        return self.replaced(p, powers)

    def replaced(self, p: Polynomial, rule: Callable[[int], Polynomial | None]) -> Polynomial:
        """Every sine and cosine for which there is a rule replaced by what it says."""
        result: Polynomial = {}
        for m, c in p.items():
            total: Polynomial = {(): c}
            for a, k in m:
                new = None if self.meaning(a) is None else rule(a)
                for _ in range(k if new is not None else 0):
                    total = multiplied(total, new or {})
                if new is None:
                    total = {times(n, ((a, k),)): x for n, x in total.items()}
            add_to(result, total)
        return result

    def without_squares(self, p: Polynomial, atom: int) -> Polynomial:
        """Squares of one sine or cosine written with the other: sin² = 1 - cos²."""
        other = self.partner(atom)
        circle: Polynomial = {(): 1, ((other, 2),): -1}
        result: Polynomial = {}
        for m, c in p.items():
            k = dict(m).get(atom, 0)
            if k < 2:
                add_to(result, {m: c})
                continue
            total: Polynomial = {tuple((a, x) for a, x in m if a != atom): c}
            if k % 2:
                total = multiplied(total, {((atom, 1),): 1})
            for _ in range(k // 2):
                total = multiplied(total, circle)
            add_to(result, total)
        return result

    def squared(self, p: Polynomial) -> list[int]:
        """The sines and cosines that occur squared."""
        atoms = {a: None for m in p for a, k in m if k > 1 and self.meaning(a) is not None}
        return sorted(atoms)

    def with_additions(self, p: Polynomial) -> Polynomial:
        """cos a cos b ∓ sin a sin b and sin a cos b ± cos a sin b, where they stand together."""
        left = dict(p)
        again = len(p) <= MANY
        while again:
            again = False
            for m in sorted(left):
                pair = self._addition(left, m)
                if pair is not None:
                    other, new = pair
                    del left[m], left[other]
                    add_to(left, new)
                    again = True
                    break
        return left

    def _addition(self, p: Polynomial, m: Monomial) -> tuple[Monomial, Polynomial] | None:
        """The term that goes with m, and what the two make together."""
        waves = [a for a, _ in m if self.meaning(a) is not None]
        for i, a in enumerate(waves):
            for b in waves[i + 1 :]:
                (ka, x), (kb, y) = self._atoms[a], self._atoms[b]
                if x == y:
                    continue
                rest = _less(m, a, b)
                pair = ((self.partner(a), 1), (self.partner(b), 1))
                other = times(rest, tuple(sorted(pair)))
                c, d = p[m], p.get(other)
                if d is None or abs(c) != abs(d):
                    continue
                same = c == d
                if ka == kb:  # cos(x ∓ y); a product of sines has the other sign
                    turn = [j - k if same else j + k for j, k in zip(x, y, strict=True)]
                    kind, factor = "cos", c if ka == "cos" or same else -c
                else:
                    turn = [j + k if same else j - k for j, k in zip(x, y, strict=True)]
                    kind, factor = "sin", c if ka == "sin" or same else -c
                new = multiplied({rest: factor}, self.wave(kind, tuple(turn)))
                return other, new
        return None


def _less(m: Monomial, *atoms: int) -> Monomial:
    """A monomial with one power less of some atoms."""
    return tuple((a, k - (a in atoms)) for a, k in m if k != (a in atoms))
