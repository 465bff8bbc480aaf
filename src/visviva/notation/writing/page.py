"""What stands on a page: one tree for formulas of scalars and for lines of a derivation.

`arrange` makes it of SymPy's expressions; derivations add signs that SymPy has not, such as the
frame before a vector. `latex`, `mathml`, `plain` and `width` are its visitors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from visviva.notation.names import Parts

ORDERS = ("", "′", "″", "‴")  # of a function of one variable, derived so often


@dataclass(frozen=True)
class Number:
    """A number without sign."""

    text: str


@dataclass(frozen=True)
class Scientific:
    """Digits times a power of ten."""

    digits: str
    exponent: str


@dataclass(frozen=True)
class Name:
    """A symbol."""

    parts: Parts


@dataclass(frozen=True)
class Sign:
    """A letter of a derivation with what stands around it."""

    letter: str
    sub: str = ""
    dots: int = 0
    hat: bool = False
    frame: str = ""  # before it, raised: the axes in which it is written
    base: str = ""  # before it, lowered
    arrow: bool = False


@dataclass(frozen=True)
class Mark:
    """An operator, such as + or ×."""

    text: str


@dataclass(frozen=True)
class Sum:
    """Terms with their signs, +1 or -1.

    One `within` a formula stays whole; others are lines, which are joined and broken.
    """

    terms: tuple[tuple[int, Any], ...]
    within: bool = False


@dataclass(frozen=True)
class Product:
    """Factors of a formula side by side; sums among them get brackets."""

    factors: tuple[Any, ...]


@dataclass(frozen=True)
class Row:
    """Anything side by side: a product of a derivation, with its marks."""

    parts: tuple[Any, ...]


@dataclass(frozen=True)
class Quotient:
    """One over the other; a `small` one is no higher than its line."""

    top: Any
    bottom: Any
    small: bool = False


@dataclass(frozen=True)
class Power:
    """A base and its exponent."""

    base: Any
    exponent: Any


@dataclass(frozen=True)
class Root:
    """A square root."""

    inside: Any


@dataclass(frozen=True)
class Call:
    """A function of arguments; `short` is the subscript of c₁₂, s₁₂.

    `by` counts arguments from 1 on: the function is derived by each of them, f′(x) or ∂₁f(x, y).
    """

    name: str
    arguments: tuple[Any, ...]
    short: str = ""
    by: tuple[int, ...] = ()


@dataclass(frozen=True)
class Slope:
    """∂f/∂x of an unknown function of several variables: each variable with how often."""

    name: str
    by: tuple[tuple[Any, int], ...]


@dataclass(frozen=True)
class Relation:
    """Two sides."""

    left: Any
    sign: str
    right: Any


@dataclass(frozen=True)
class Joined:
    """Conditions with a word between them: x > 0 and x < 1."""

    word: str
    parts: tuple[Any, ...]


@dataclass(frozen=True)
class Cases:
    """Values and their conditions; the last may have None."""

    rows: tuple[tuple[Any, Any], ...]


@dataclass(frozen=True)
class Fence:
    """Round brackets."""

    inner: Any


@dataclass(frozen=True)
class Grid:
    """A matrix or a column in square brackets, row by row; `within` a formula, or a line."""

    rows: tuple[tuple[Any, ...], ...]
    within: bool = False


@dataclass(frozen=True)
class Lines:
    """What was too wide, in lines."""

    rows: tuple[Any, ...]


@dataclass(frozen=True)
class Foreign:
    """Anything else: SymPy writes it."""

    expr: Any


ZERO, ONE, TWO = map(Number, "012")
HALF = Quotient(ONE, TWO, small=True)


def fenced(x: Any) -> Any:
    """In brackets, if it is a sum."""
    return Fence(x) if isinstance(x, Sum) else x


def opened(x: Any) -> Any:
    """A formula as a line: a sum can be joined and broken, a half is small."""
    if isinstance(x, Sum):
        return Sum(tuple((sign, _small(term)) for sign, term in x.terms))
    return _small(x)


def _small(x: Any) -> Any:
    return HALF if x == Quotient(ONE, TWO) else x
