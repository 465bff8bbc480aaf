"""Units of symbols, found from the formulas they stand in.

All terms of a sum have one unit, angles have none, and what a formula stands for is known: a mass,
a length, an energy. These are linear equations for the exponents of kg, m and s; what they leave
open stays open. Equations that contradict what is known already are left out, the surer ones come
first.

Examples:
    >>> import sympy
    >>> m, g, l, theta = sympy.symbols("m g l theta")
    >>> found = Dimensions()
    >>> found.add(m, (1, 0, 0))
    >>> found.add(l, (0, 1, 0))
    >>> found.add(m * g * l * sympy.cos(theta), (1, 2, -2))
    >>> unit(found.of("g")), found.is_angle("theta")
    ('m/s²', True)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

Exponents = tuple[Fraction, Fraction, Fraction]  # of kg, m, s
UnitForm = tuple[dict[str, Fraction], Exponents]  # a sum of exponents of symbols, and numbers
NONE: Exponents = (Fraction(0), Fraction(0), Fraction(0))
ENERGY, FORCE, LENGTH, MASS = (1, 2, -2), (1, 1, -2), (0, 1, 0), (1, 0, 0)
INERTIA, ACCELERATION, TIME = (1, 2, 0), (0, 1, -2), (0, 0, 1)
UNIT_WORDS = {
    (0, 0, 0): "",
    MASS: "kg",
    LENGTH: "m",
    TIME: "s",
    INERTIA: "kg m²",
    ACCELERATION: "m/s²",
    (0, 1, -1): "m/s",
    (0, 0, -1): "1/s",
    (0, -1, 0): "1/m",
    (1, 1, 0): "kg m",
    FORCE: "N",
    ENERGY: "N m",
    (1, 0, -2): "N/m",
    (1, 0, -1): "N s/m",
    (1, 2, -1): "N m s",
}
TURNS = ("sin", "cos", "tan")
_HIGH = str.maketrans("0123456789-/", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᐟ")


class Dimensions:
    """What is known of the units of symbols, equation by equation."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[dict[str, Fraction], Exponents]] = {}  # solved for their key
        self._angles: set[str] = set()
        self._unsure: list[UnitForm] = []  # what is added to a number, and most likely one itself

    def add(self, formula: Any, unit: Sequence[int] | None = None) -> None:
        """A formula, and what it is measured in, if that is known."""
        form = self._form(formula)
        if form is not None and unit is not None:
            self._equal(form, ({}, _fractions(unit)))

    def of(self, name: str) -> Exponents | None:
        """The exponents of kg, m and s of a symbol; None if they are not settled."""
        row = self._rows.get(name)
        return None if row is None or row[0] else row[1]

    def is_angle(self, name: str) -> bool:
        """Whether it is turned by: a sine or cosine is taken of it."""
        return name in self._angles

    # ---- formulas to exponents: a sum of those of symbols, and numbers

    def _form(self, x: Any) -> UnitForm | None:
        """None for a number, which may have any unit."""
        if x.is_Symbol:
            return {x.name: Fraction(1)}, NONE
        if x.is_number:
            return None
        if x.is_Add:
            forms = [form for form in map(self._form, x.args) if form is not None]
            for other in forms[1:]:
                self._equal(forms[0], other)
            if any(part.is_number for part in x.args):
                self._unsure.append(forms[0])
            return forms[0]
        if x.is_Mul:
            total: UnitForm = ({}, NONE)
            for factor in filter(None, map(self._form, x.args)):
                total = _sum(total, factor, Fraction(1))
            return total
        if x.is_Pow and x.exp.is_Rational:
            base = self._form(x.base)
            return None if base is None else _sum(({}, NONE), base, Fraction(int(x.exp.p), x.exp.q))
        for part in x.args:  # functions of plain numbers
            inside = self._form(part) if getattr(part, "free_symbols", None) is not None else None
            if inside is not None:
                self._equal(inside, ({}, NONE))
            if getattr(x.func, "__name__", "") in TURNS:
                self._angles |= {s.name for s in part.free_symbols}
        return {}, NONE

    def settle(self) -> None:
        """Take what is added to numbers as numbers, where nothing says otherwise."""
        while self._unsure:
            self._equal(self._unsure.pop(0), ({}, NONE))

    def _equal(self, first: UnitForm, second: UnitForm) -> None:
        """One more equation; where it contradicts the others it is left out."""
        left, known = self._reduced(_sum(first, second, Fraction(-1)))
        if not left:
            return
        name, factor = next(iter(left.items()))
        others = {k: -x / factor for k, x in left.items() if k != name}
        own = (others, _scaled(known, -1 / factor))
        self._rows[name] = own
        for key, row in [*self._rows.items()]:
            if name in row[0]:
                self._rows[key] = self._reduced(row)

    def _reduced(self, form: UnitForm) -> UnitForm:
        """In symbols that nothing is known of."""
        total: UnitForm = ({}, form[1])
        for name, factor in form[0].items():
            total = _sum(total, self._rows.get(name, ({name: Fraction(1)}, NONE)), factor)
        return total


def unit(exponents: Sequence[Any] | None) -> str:
    """As a person writes it: kg m², N/m; empty if nothing is known."""
    if exponents is None:
        return ""
    known = tuple(exponents)
    return UNIT_WORDS[known] if known in UNIT_WORDS else " ".join(_powers(known))


def _powers(exponents: Sequence[Fraction]) -> Iterator[str]:
    for name, n in zip(("kg", "m", "s"), exponents, strict=True):
        if n:
            yield name + ("" if n == 1 else str(n).translate(_HIGH))


def _sum(a: UnitForm, b: UnitForm, factor: Fraction) -> UnitForm:
    names: dict[str, Fraction] = dict(a[0])
    for name, x in b[0].items():
        names[name] = names.get(name, Fraction(0)) + factor * x
    first, second, third = (x + factor * y for x, y in zip(a[1], b[1], strict=True))
    return {k: x for k, x in names.items() if x}, (first, second, third)


def _scaled(x: Exponents, factor: Fraction) -> Exponents:
    a, b, c = x
    return a * factor, b * factor, c * factor


def _fractions(x: Sequence[int]) -> Exponents:
    a, b, c = map(Fraction, x)
    return a, b, c


def known_units(found: Dimensions, names: Sequence[str]) -> Mapping[str, str]:
    """The units of some symbols, "rad" of angles."""
    units = {name: unit(found.of(name)) for name in names}
    turned = {name for name in names if found.is_angle(name) and found.of(name) == NONE}
    return {name: "rad" if name in turned else x for name, x in units.items()}
