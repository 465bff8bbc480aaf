"""Arrays whose scalars may be of any kind: made, frozen, looked at."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np

from visviva.algebra.expr import Expr

Array = np.ndarray[Any, np.dtype[Any]]  # whose scalars may be of any kind
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
ComplexArray = np.ndarray[Any, np.dtype[np.complex128]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
Scalars = Sequence[Any] | Array  # what becomes an Array: a list or a tuple of any scalars
FLOAT = np.dtype(float)
_REAL_NUMBERS = (int, float, np.integer, np.floating)  # and no fractions: these are exact
DECIMALS = 10**6  # a float with a smaller denominator, as it prints, was typed: a decimal fraction


def entries(items: Any) -> Any:
    """A column or a row of SymPy, which has two axes, as a list; anything else as it is."""
    return list(items) if getattr(items, "is_Matrix", False) and 1 in items.shape else items


def float_array(items: Any) -> FloatArray:
    """Floats: of numbers of any kind, poses and matrices of SymPy among them."""
    return np.asarray(entries(items), dtype=float)


def with_plain_entries(array: Array) -> Array:
    """The same array with numbers in place of arrays of shape (), which numpy leaves in objects."""
    if array.dtype != object or not any(isinstance(x, np.ndarray) for x in array.flat):
        return array
    plain = array.copy()
    for place, x in np.ndenumerate(array):
        if isinstance(x, np.ndarray) and x.shape == ():
            plain[place] = x[()]
    return plain


def vector(items: Any) -> Array:
    """A float64 array if all items are numbers, an object array otherwise."""
    is_array = isinstance(items, np.ndarray)
    array = items if is_array else with_plain_entries(np.asarray(entries(items)))
    is_done = array.dtype is FLOAT or array.dtype == object
    return array if is_done else array.astype(float, copy=False)


def alike(*items: Any) -> list[Any]:
    """Arrays and scalars that meet in one computation, as `vector` has them.

    If one holds SymPy's scalars or fractions, short decimals among the floats are exact too: 1.0
    would make a decimal of 1/12, and so would the ones of a rotation.
    """
    arrays = [vector(x) if _is_array(x) else x for x in items]
    lists = (a.flat if isinstance(a, np.ndarray) else [a] for a in arrays if _may_be_exact(a))
    exact = next((kind for xs in lists for x in xs if (kind := exact_kind(x))), None)
    if exact is None:
        return arrays
    return [each(lambda x: _as_typed(x, exact), a)[()] for a in arrays]


def _is_array(x: Any) -> bool:
    return isinstance(x, (list, tuple, np.ndarray)) or getattr(x, "is_Matrix", False)


def _may_be_exact(x: Any) -> bool:
    return not isinstance(x, np.ndarray) or x.dtype == object


def exact_kind(x: Any) -> Callable[..., Any] | None:
    """What makes an exact number of a numerator and a denominator, for scalars like this one."""
    if type(x).__module__.startswith("sympy"):
        kind: Callable[..., Any] = importlib.import_module("sympy").Rational
        return kind
    return Fraction if isinstance(x, Fraction) else None


def _as_typed(x: Any, exact: Callable[..., Any]) -> Any:
    if not isinstance(x, (int, float)) or not np.isfinite(x):
        return x
    decimal = Fraction(repr(float(x)))
    return exact(decimal.numerator, decimal.denominator) if decimal.denominator < DECIMALS else x


def as_array(items: Sequence[Any], shape: int | tuple[int, ...] = -1) -> np.ndarray:
    """An object array of exactly this shape, whatever the items are; a row if none is given."""
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(shape)


def frozen(items: Any) -> Array:
    """A `vector` that nobody can change: neither through it nor through what it was made of."""
    array = vector(items)
    flags = array.flags
    if flags.writeable or not flags.owndata:
        if not isinstance(items, (list, tuple)):  # of these it is a copy already
            array = array.copy()
        array.setflags(write=False)
    return array


class Frozen:
    """A value whose arrays are frozen, also where it is copied or sent to another process."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: _frozen_again(x) for name, x in state.items()})


def _frozen_again(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(map(_frozen_again, x))
    return frozen(x) if isinstance(x, np.ndarray) else x


def each(f: Callable[[Any], Any], x: Any) -> Array:
    """f of every entry, in an object array of the same shape."""
    array = np.asarray(x, dtype=object)
    values = np.empty(array.shape, dtype=object)
    for place, entry in np.ndenumerate(array):
        values[place] = f(entry)
    return values


def is_numeric(x: Any) -> bool:
    """Whether all entries are numbers: floats, fractions, mpmath's or SymPy's."""
    array = np.asarray(x)
    if array.dtype != object:
        return bool(np.issubdtype(array.dtype, np.number) or array.dtype == bool)
    return all(isinstance(v, Real) or getattr(v, "is_number", False) for v in array.ravel())


def is_exactly(x: Any, value: float) -> bool:
    """Whether a scalar is this number, and no expression or fraction that happens to equal it."""
    if isinstance(x, Expr):
        return bool(x.is_constant and x.value == value)
    return isinstance(x, _REAL_NUMBERS) and bool(x == value)


def is_within(x: Any, bound: float) -> bool:
    """Whether a scalar is a number of at most this size, and no expression."""
    number = x.value if isinstance(x, Expr) and x.is_constant else x
    return isinstance(number, _REAL_NUMBERS) and bool(-bound <= number <= bound)


def is_zero(x: Any) -> bool:
    """Whether a scalar, or every entry of an array of any shape, `is_exactly` zero."""
    return all(is_exactly(e, 0.0) for e in np.asarray(x, dtype=object).flat)
