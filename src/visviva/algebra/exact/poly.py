"""Elements of a ring of trigonometric polynomials, and fractions of them: exact scalars."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from visviva.algebra.exact.angles import Angle, angle_of
from visviva.algebra.exact.rationals import NUMBERS, as_fmpq, rational
from visviva.algebra.ops import NUMPY_NAMES
from visviva.algebra.scalars import fraction
from visviva.errors import OutsideError, TraceError

if TYPE_CHECKING:
    from visviva.algebra.exact.ring import Ring

Base = Hashable  # what tells one base angle from another


class Wave(NamedTuple):
    """The generator that is the sine or cosine of a base angle; those that are symbols are str."""

    function: str
    base: Base


Generator = str | Wave


class _Scalar:
    """What elements and fractions share."""

    __slots__ = ()

    def __rsub__(self: Any, other: Any) -> Any:
        return -self + other

    def __pos__(self: Any) -> Any:
        return self

    def __bool__(self: Any) -> bool:
        return not self.is_zero

    def __lt__(self, other: Any) -> bool:
        return bool(_of_numbers("less", self, other))

    def __gt__(self, other: Any) -> bool:
        return bool(_of_numbers("less", other, self))

    def __le__(self, other: Any) -> bool:
        return bool(_of_numbers("less_equal", self, other))

    def __ge__(self, other: Any) -> bool:
        return bool(_of_numbers("less_equal", other, self))

    def power(self: Any, n: Any) -> Any:
        """Whole powers; others of numbers, where they are fractions."""
        exponent = _number(n)
        if exponent is None or exponent.denominator > 1 or _number(self) is not None:
            return _of_numbers("power", self, n)
        return self ** int(exponent) if exponent >= 0 else 1 / self ** -int(exponent)

    def where(self, a: Any, b: Any) -> Any:
        """The branch that this, as a condition, takes: it must be a number."""
        return a if _of_numbers("not_equal", self, 0) else b


class Poly(_Scalar):
    """An element of a ring, in normal form; it mixes with numbers."""

    __slots__ = ("p", "ring", "sines")

    def __init__(self, ring: Ring, p: Any, sines: int = -1) -> None:
        self.ring, self.p = ring, p
        self.sines = sines  # bit k: sin of base k may occur; only products of these need reducing

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Poly):
            return Poly(self.ring, self.p + self._same(other).p, self.sines | other.sines)
        if not isinstance(other, NUMBERS):
            return NotImplemented
        return self if other == 0 else self._new(self.p + as_fmpq(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Poly):
            return Poly(self.ring, self.p - self._same(other).p, self.sines | other.sines)
        return self + -other if isinstance(other, NUMBERS) else NotImplemented

    def __neg__(self) -> Poly:
        return self._new(-self.p)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Poly):
            self.ring.budget.spend(self.p, other.p)
            p = self.p * self._same(other).p
            p = self.ring.reduced(p) if self.sines & other.sines else p
            return Poly(self.ring, p, self.sines | other.sines)
        if not isinstance(other, NUMBERS):
            return NotImplemented
        if other == 0:  # most products of recursions are such
            return Poly(self.ring, self.ring.zero, 0)
        return self if other == 1 else self._new(self.p * as_fmpq(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, NUMBERS):
            return self._new(self.p / as_fmpq(other))
        return Quotient.of(self) / other

    def __rtruediv__(self, other: Any) -> Any:
        return Quotient.of(self.ring.number(other)) / self

    def __pow__(self, n: Any) -> Any:
        if not isinstance(n, int) or n < 0:
            raise OutsideError(f"only whole powers from 0 on, got {n!r}")
        self.ring.budget.spend_power(self.p, n)
        power, base = self.ring.number(1), self
        while n:
            power, n = (power * base if n & 1 else power), n >> 1
            base = base * base if n else base
        return power

    def sin(self) -> Poly:
        """Of an integer combination of the ring's angles."""
        return self._turn()[1]

    def cos(self) -> Poly:
        """Of an integer combination of the ring's angles."""
        return self._turn()[0]

    def sign(self) -> Any:
        """Of a number, or of a multiple of a symbol whose sign is in the ring."""
        terms = self.terms()
        powers, times = terms[0] if len(terms) == 1 else ({}, Fraction(0))
        symbol = self.ring.signs.get(str(next(iter(powers), "")))
        if symbol is None or sum(powers.values()) != 1:
            return _of_numbers("sign", self)
        return self.ring[symbol] * (1 if times > 0 else -1)

    def _turn(self) -> tuple[Poly, Poly]:
        parts = self.angle_parts()
        if not parts.keys() <= self.ring.angles.keys():
            raise OutsideError(f"sine and cosine take a sum of angles, got {self}")
        return self.ring.cos_sin_of_sum(parts)

    def angle_parts(self) -> dict[Angle, Fraction]:
        """The coefficients of a sum of products of symbols; an error for anything else."""
        parts = {}
        for powers, times in self.terms():
            if not powers or any(isinstance(g, Wave) for g in powers):
                raise OutsideError(f"sine and cosine take a sum of angles, got {self}")
            parts[angle_of(str(g) for g, k in powers.items() for _ in range(k))] = times
        return parts

    @property
    def is_zero(self) -> bool:
        """Decided, because the form is normal."""
        return bool(self.p == 0)

    def __eq__(self, other: object) -> bool:
        fits = isinstance(other, (Poly, *NUMBERS))
        return bool((self - other).is_zero) if fits else NotImplemented

    def __hash__(self) -> int:
        return hash((id(self.ring), self.key))

    @property
    def size(self) -> int:
        """How many terms."""
        return len(self.p)

    def terms(self) -> list[tuple[dict[Generator, int], Fraction]]:
        """Powers by generator, and coefficient, of every term."""
        names = self.ring.generators
        return [
            ({n: int(k) for n, k in zip(names, x, strict=True) if k}, Fraction(int(c.p), int(c.q)))
            for x, c in self.p.to_dict().items()
        ]

    def derivative(self, name: str) -> Poly:
        """By a symbol; an angle moves its sines and cosines too."""
        slope = self._new(self.p.derivative(self.ring.place[name]))
        for base, times in self.ring.moved_by.get(name, {}).items():
            sine, cosine = Wave("sin", base), Wave("cos", base)
            s, c = self.ring.generator(sine), self.ring.generator(cosine)
            by_s = self._new(self.p.derivative(self.ring.place[sine]))
            by_c = self._new(self.p.derivative(self.ring.place[cosine]))
            slope = slope + (by_s * c - by_c * s) * times
        return slope

    @property
    def key(self) -> str:
        """A text that no other element of the ring has; names may look like formulas."""
        return str(self.p)

    def __repr__(self) -> str:
        return self.ring.shown(self.p)

    def _new(self, p: Any) -> Poly:
        return Poly(self.ring, p, self.sines)

    def _same(self, other: Poly) -> Poly:
        if other.ring is not self.ring:
            raise OutsideError("two rings cannot be mixed")
        return other


def _lifted(method: Callable[[Any, Quotient], Any]) -> Any:
    """Takes elements and numbers for fractions."""

    def lifted(self: Quotient, other: Any) -> Any:
        fits = isinstance(other, (Quotient, Poly, *NUMBERS))
        return method(self, Quotient.of(other, self.ring)) if fits else NotImplemented

    return lifted


class Quotient(_Scalar):
    """A fraction of two elements; equal ones are recognised by cross-multiplication."""

    __slots__ = ("bottom", "top")

    def __init__(self, top: Poly, bottom: Poly) -> None:
        if bottom.is_zero:
            raise ZeroDivisionError(f"({top}) / 0")
        top.ring.budget.spend(top.p, bottom.p)
        common = bottom.p if bottom.p.is_constant() else top.ring.common(top.p, bottom.p)
        common = common * (bottom.p / common).leading_coefficient()  # one form for one fraction
        if not common.is_one():
            top, bottom = Poly(top.ring, top.p / common), Poly(top.ring, bottom.p / common)
        self.top, self.bottom = top, bottom

    @classmethod
    def of(cls, x: Any, ring: Ring | None = None) -> Quotient:
        """A number or an element as a fraction."""
        if isinstance(x, (Quotient, Poly)):
            return x if isinstance(x, Quotient) else cls(x, x.ring.number(1))
        if ring is None or not isinstance(x, NUMBERS):
            raise OutsideError(f"{x!r} is no polynomial in symbols, sines and cosines")
        return cls(ring.number(x), ring.number(1))

    @property
    def key(self) -> str:
        """A text that no other fraction has."""
        return f"{self.top.key} / {self.bottom.key}"

    @property
    def ring(self) -> Ring:
        """Of both parts."""
        return self.top.ring

    @property
    def is_zero(self) -> bool:
        """Decided by the numerator."""
        return self.top.is_zero

    @_lifted
    def __add__(self, o: Quotient) -> Quotient:
        common = Poly(self.ring, self.ring.common(self.bottom.p, o.bottom.p))
        a, b = (Poly(self.ring, x.bottom.p / common.p) for x in (self, o))
        return Quotient(self.top * b + o.top * a, a * o.bottom)

    __radd__ = __add__

    def __neg__(self) -> Quotient:
        return Quotient(-self.top, self.bottom)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    @_lifted
    def __mul__(self, o: Quotient) -> Quotient:
        return Quotient(self.top * o.top, self.bottom * o.bottom)

    __rmul__ = __mul__

    @_lifted
    def __truediv__(self, o: Quotient) -> Quotient:
        return Quotient(self.top * o.bottom, self.bottom * o.top)

    def __rtruediv__(self, other: Any) -> Any:
        return Quotient.of(other, self.ring) / self

    @_lifted
    def __eq__(self, o: Quotient) -> bool:
        return bool((self.top * o.bottom - o.top * self.bottom).is_zero)

    def __hash__(self) -> int:
        return hash(id(self.ring))

    def __repr__(self) -> str:
        return f"({self.top}) / ({self.bottom})"

    def sin(self) -> Poly:
        """Of an element."""
        return self._whole("sin").sin()

    def cos(self) -> Poly:
        """Of an element."""
        return self._whole("cos").cos()

    def _whole(self, function: str) -> Poly:
        if self.bottom != 1:
            raise OutsideError(f"{function}({self}) is no polynomial in symbols, sines and cosines")
        return self.top


def _number(x: Any) -> Fraction | None:
    """The value of what does not depend on anything."""
    if isinstance(x, NUMBERS):
        return rational(x)
    top = x.top if isinstance(x, Quotient) and x.bottom == 1 else x
    if not isinstance(top, Poly) or not top.p.is_constant():
        return None
    return sum((c for _, c in top.terms()), Fraction(0))


def _of_numbers(name: str, *args: Any) -> Any:
    """A function of the vocabulary where it is a fraction; it is no polynomial elsewhere."""
    numbers = [_number(x) for x in args]
    try:
        if None not in numbers:
            return fraction(name, *numbers)
    except TraceError:
        pass
    said = f"{name}({', '.join(map(str, args))})"
    raise OutsideError(f"{said:.200} is no polynomial in symbols, sines and cosines") from None


def _answer(name: str) -> Callable[..., Any]:
    def method(*args: Any) -> Any:
        return _of_numbers(name, *args)

    method.__name__ = name
    return method


for _name, _method in NUMPY_NAMES.items():  # what `generic` asks scalars of their own kind
    if not any(_method in vars(kind) for kind in (_Scalar, Poly)):
        setattr(_Scalar, _method, _answer(_name))
