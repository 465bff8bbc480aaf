"""Arrays whose scalars may be of any kind: made, frozen, looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from visviva.algebra.expr import Expr

Array = Any  # an ndarray whose scalars may be of any kind
FLOAT = np.dtype(float)


def vector(items: Any) -> Array:
    """A float64 array if all items are numbers, an object array otherwise."""
    array = np.asarray(items)
    is_done = array.dtype is FLOAT or array.dtype == object
    return array if is_done else array.astype(float, copy=False)


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
    values: Any = np.empty(array.shape, dtype=object)
    for place, entry in np.ndenumerate(array):
        values[place] = f(entry)
    return values


def is_numeric(x: Any) -> bool:
    """Whether all entries are numbers: floats, fractions, mpmath's or SymPy's."""
    array = np.asarray(x)
    if array.dtype != object:
        return True
    return all(isinstance(v, Real) or getattr(v, "is_number", False) for v in array.ravel())


def is_exactly(x: Any, value: float) -> bool:
    """Whether a scalar is this number and no expression that happens to equal it."""
    if isinstance(x, Expr):
        return bool(x.is_constant and x.value == value)
    return isinstance(x, (int, float)) and x == value


def is_zero(x: Any) -> bool:
    """Whether every entry is exactly zero."""
    return all(is_exactly(e, 0.0) for e in x)
