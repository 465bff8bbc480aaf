"""Numbers side by side with a few more digits than doubles have, as scalars of programs.

`numpy.longdouble`: 64 binary digits on x86; where it is a double, nothing is gained and nothing
lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array

UNIT_EXTENDED = 0.5 * float(np.finfo(np.longdouble).eps)


class Extended:
    """An array of long doubles that answers the vocabulary of `generic`."""

    __slots__ = ("x",)
    __array_ufunc__ = None

    def __init__(self, x: Any) -> None:
        self.x: Array = x.x if isinstance(x, Extended) else np.asarray(x, dtype=np.longdouble)

    def __add__(self, other: Any) -> Extended:
        return Extended(self.x + Extended(other).x)

    def __sub__(self, other: Any) -> Extended:
        return Extended(self.x - Extended(other).x)

    def __mul__(self, other: Any) -> Extended:
        return Extended(self.x * Extended(other).x)

    def __truediv__(self, other: Any) -> Extended:
        return Extended(self.x / Extended(other).x)

    def __radd__(self, other: Any) -> Extended:
        return Extended(other) + self

    def __rsub__(self, other: Any) -> Extended:
        return Extended(other) - self

    def __rmul__(self, other: Any) -> Extended:
        return Extended(other) * self

    def __rtruediv__(self, other: Any) -> Extended:
        return Extended(other) / self

    def __neg__(self) -> Extended:
        return Extended(-self.x)

    def sqrt(self) -> Extended:
        """Its square root."""
        return Extended(np.sqrt(Extended(self).x))

    maximum: Callable[..., Extended]
    where: Callable[..., Extended]


def _maximum(a: Any, b: Any) -> Extended:
    return Extended(np.maximum(Extended(a).x, Extended(b).x))


def _where(condition: Any, a: Any, b: Any) -> Extended:
    return Extended(np.where(Extended(condition).x != 0, Extended(a).x, Extended(b).x))


Extended.maximum, Extended.where = _maximum, _where


def side_by_side(x: Array, rank: int) -> Array:
    """The last `rank` axes of an array as an object array of scalars, the others side by side."""
    shape = x.shape[x.ndim - rank :]
    flat = np.moveaxis(x.reshape(-1, *shape), 0, -1).reshape(-1, x.size // int(np.prod(shape)))
    result: Array = np.empty(len(flat), dtype=object)
    result[:] = [Extended(row) for row in flat]
    return result.reshape(shape)
