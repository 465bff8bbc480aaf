"""What stands on the page of a proof, read: exact polynomials, and columns and matrices of them.

An integral over a body is linear, and that is all that is known of it: of a polynomial in the
coordinates of a mass point it is the sum of its coefficients times moments, ∫ xⁱ yʲ zᵏ dm. Each
moment is a symbol, so what is proved holds for every body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from visviva.algebra.arrays import each
from visviva.algebra.exact.poly import Poly
from visviva.algebra.exact.ring import Ring
from visviva.errors import DerivationError
from visviva.judge.proofs.formula import INTEGRAL, OF_MASS, OVER_TIME, SIGMA, TURNED_OVER
from visviva.notation.names import Names
from visviva.notation.writing import page
from visviva.notation.writing.page import Mark, Number, Quotient, Row, Sign
from visviva.notation.writing.plain import text
from visviva.space.rotations import cross, skew

HIGHEST = 3  # degree of the moments that are named
PLACE = ("x", "y", "z")  # of a mass point, which integrals run over


def moment_name(powers: tuple[int, ...]) -> str:
    """mxx is ∫ x² dm."""
    return "m" + "".join(name * power for name, power in zip(PLACE, powers, strict=True))


MOMENTS = {
    powers: moment_name(powers)
    for powers in product(range(HIGHEST), repeat=3)
    if sum(powers) < HIGHEST
}


class Meaning:
    """The values of signs, and of what is made of them.

    `rates` has the rate of each symbol that changes in time. `slopes` has ∂f/∂q of symbols that
    stand for unknown functions. `indexed` has the entries of letters with indices.
    """

    def __init__(
        self,
        ring: Ring,
        names: Names,
        rates: Mapping[str, str],
        slopes: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.ring, self.rates, self.slopes = ring, dict(rates), dict(slopes)
        self.signs: dict[Sign, Any] = {}
        self.indexed: dict[tuple[str, int], Any] = {}
        self.moments = {k: ring[name] for k, name in MOMENTS.items() if name in ring.symbols}
        self._names = {names.parts(x): ring[x] for x in ring.symbols}
        self._index: dict[str, int] = {}

    def over(self, indices: str, box: Any) -> Any:
        """The values for all values of free indices, or the only one."""
        if not indices:
            return self.of(box)
        n = len(next(iter(self.indexed.values())))
        values = np.empty((n,) * len(indices), dtype=object)
        for at in np.ndindex(values.shape):
            values[at] = self._at(indices, at, box)
        return values

    def _at(self, indices: str, at: tuple[int, ...], box: Any) -> Any:
        before, self._index = self._index, {**self._index, **dict(zip(indices, at, strict=True))}
        try:
            return self.of(box)
        finally:
            self._index = before

    def of(self, box: Any) -> Any:
        """The value: a polynomial, or an array with two indices."""
        match box:
            case Number(digits):
                return self.ring.number(int(digits))
            case Sign():
                return self._sign(box)
            case page.Name(parts) if parts in self._names:
                return self._names[parts]
            case page.Fence(inner):
                return self.of(inner)
            case page.Sum(terms):
                return reduce(_added, (self.of(x) if s > 0 else -self.of(x) for s, x in terms))
            case page.Product(factors):
                return reduce(_times, map(self.of, factors))
            case page.Power(base, exponent) if exponent == TURNED_OVER:
                return np.transpose(self.of(base))
            case page.Power(base, Number(n)):
                return reduce(_times, [self.of(base)] * int(n))  # of matrices, no entry alone
            case page.Call("S", (inner,)):
                return np.array(skew(_entries(self.of(inner))), dtype=object) + self._zero
            case page.Call("det", (inner,)):
                return _determinant(self.of(inner))
            case page.Call("sin" | "cos" as name, (inner,)):
                return getattr(self.of(inner), name)()
            case Quotient():
                return self._quotient(box)
            case page.Grid(rows):
                return _joined([[self.of(x) for x in row] for row in rows])
            case Row(parts):
                return self._row(parts)
        raise DerivationError(f"what has no meaning in a proof: {text(box)}")

    def _sign(self, sign: Sign) -> Any:
        if sign in self.signs:
            return self.signs[sign]
        entries = self.indexed.get((sign.letter, sign.dots))
        if entries is None or any(k not in self._index for k in sign.sub):
            raise DerivationError(f"{text(sign)} is not defined")
        return entries[tuple(self._index[k] for k in sign.sub)]

    def _row(self, parts: tuple[Any, ...]) -> Any:
        """A product, a derivative, an integral or a sum over indices."""
        first = parts[0]
        if first == INTEGRAL and parts[-1] == OF_MASS:
            return each(self._integral, self.of(Row(parts[1:-1])))[()]
        if isinstance(first, Sign) and first.letter == SIGMA:
            n = len(next(iter(self.indexed.values())))
            every = product(range(n), repeat=len(first.sub))
            return reduce(_added, (self._at(first.sub, at, Row(parts[1:])) for at in every))
        if first == OVER_TIME:
            return each(self.rate, self.of(Row(parts[1:])))[()]
        for mark, way in WAYS.items():
            if mark in parts:
                k = parts.index(mark)
                return way(self.of(Row(parts[:k])), self.of(Row(parts[k + 1 :])))
        return reduce(_times, map(self.of, parts))

    @property
    def _zero(self) -> Poly:
        return self.ring.number(0)

    def identity(self, n: int) -> Any:
        """The unit matrix."""
        rows = [[self.ring.number(int(i == j)) for j in range(n)] for i in range(n)]
        return np.array(rows, dtype=object)

    def assume(self, powers: tuple[int, ...], value: Poly) -> None:
        """A moment is this, in all that has been defined as well."""
        name = repr(self.moments[powers])
        self.moments[powers] = value
        for key, known in self.signs.items():
            self.signs[key] = each(lambda f: self._put(f, name, value), known)[()]

    def _put(self, f: Poly, name: str, value: Poly) -> Poly:
        """f with a value for a symbol."""
        total = self._zero
        for powers, coefficient in f.terms():
            factors = (value if g == name else self.ring.generator(g) for g in powers)
            parts = (x**n for x, n in zip(factors, powers.values(), strict=True))
            total = total + reduce(lambda a, b: a * b, parts, self.ring.number(coefficient))
        return total

    # ---- derivatives and integrals

    def _quotient(self, box: Quotient) -> Any:
        match box:
            case Quotient(Row((Mark("∂"), top)), Row((Mark("∂"), bottom))):
                return self._slope(self.of(top), self.of(bottom))
            case Quotient(top, Number(n)):
                return _times(self.ring.number(Fraction(1, int(n))), self.of(top))
        raise DerivationError(f"what has no meaning in a proof: {text(box)}")

    def _slope(self, f: Any, x: Any) -> Any:
        """∂f/∂x: of a number by a column a column, of a column by a column a matrix."""
        if isinstance(x, Poly):
            return each(lambda y: self.slope(y, repr(x)), f)[()]
        names = [repr(entry) for entry in x[:, 0]]
        if isinstance(f, Poly):
            return np.array([[self.slope(f, name)] for name in names], dtype=object)
        return np.array([[self.slope(y, name) for name in names] for y in f[:, 0]], dtype=object)

    def slope(self, f: Poly, name: str) -> Poly:
        """∂f/∂name, unknown functions in it derived as well."""
        total = f.derivative(name)
        for function, by in self.slopes.items():
            if name in by:
                total = total + f.derivative(function) * self.ring[by[name]]
        return total

    def rate(self, f: Poly) -> Poly:
        """df/dt by the chain rule."""
        return sum((self.slope(f, x) * self.ring[dx] for x, dx in self.rates.items()), self._zero)

    def _integral(self, f: Poly) -> Poly:
        """Linear: coefficients times moments."""
        total = self._zero
        for powers, coefficient in f.terms():
            moment = tuple(powers.get(x, 0) for x in PLACE)
            if moment not in self.moments:
                raise DerivationError(f"a moment of degree {sum(moment)} has no name in this proof")
            rest = (self.ring.generator(g) ** n for g, n in powers.items() if g not in PLACE)
            start = self.ring.number(coefficient) * self.moments[moment]
            total = total + reduce(lambda a, b: a * b, rest, start)
        return total


# ---- numbers, columns and matrices


def _times(a: Any, b: Any) -> Any:
    if isinstance(a, Poly) or isinstance(b, Poly):
        return b * a if isinstance(a, Poly) else a * b  # an array comes first
    if a.shape[1] != b.shape[0]:
        raise DerivationError(f"a product of shapes {a.shape} and {b.shape}")
    return _plain(a @ b)


def _plain(a: Any) -> Any:
    """A matrix of one entry is a number."""
    return a[0, 0] if a.shape == (1, 1) else a


def _added(a: Any, b: Any) -> Any:
    if np.shape(a) != np.shape(b):
        raise DerivationError(f"a sum of shapes {np.shape(a)} and {np.shape(b)}")
    return a + b


def _entries(column: Any) -> Any:
    """Of a column of three: whatever else has no vector product, no scalar product."""
    if np.shape(column) != (3, 1):
        raise DerivationError(f"a vector has the shape (3, 1), got {np.shape(column)}")
    return column[:, 0]


def _crossed(a: Any, b: Any) -> Any:
    return np.array(cross(_entries(a), _entries(b)), dtype=object)[:, None]


def _dotted(a: Any, b: Any) -> Any:
    return _entries(a) @ _entries(b)


WAYS: dict[Mark, Callable[[Any, Any], Any]] = {Mark("·"): _dotted, Mark("×"): _crossed}


def _determinant(a: Any) -> Any:
    """Along the first row."""
    if len(a) == 1:
        return a[0, 0]
    minors = (np.delete(a[1:], k, axis=1) for k in range(len(a)))
    parts = [(-1) ** k * a[0, k] * _determinant(minor) for k, minor in enumerate(minors)]
    return reduce(lambda x, y: x + y, parts)


def _joined(rows: list[list[Any]]) -> Any:
    """Blocks; a zero stands for a block of zeros."""
    sizes = [[np.shape(x) or (1, 1) for x in row] for row in rows]
    heights = [max(size[0] for size in row) for row in sizes]
    widths = [max(size[1] for size in column) for column in zip(*sizes, strict=True)]

    def block(x: Any, shape: tuple[int, int]) -> Any:
        if np.shape(x) == shape:
            return x
        if isinstance(x, Poly) and (shape == (1, 1) or x.is_zero):
            return np.full(shape, x, dtype=object)
        raise DerivationError(f"a block has shape {np.shape(x)}, expected {shape}")

    return np.block(
        [
            [block(x, (h, w)) for x, w in zip(row, widths, strict=True)]
            for row, h in zip(rows, heights, strict=True)
        ]
    )
