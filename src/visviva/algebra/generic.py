"""Elementary functions over any scalar: the vocabulary every algorithm is written in.

A function looks at its arguments and asks whoever knows them:

- an object with a method of numpy's name (`x.sin()`) is asked itself: `Expr` is one;
- `mpmath`, `sympy`, `jax` and `casadi` scalars are handed to their own library;
- `Fraction` stays exact, and refuses where the result is irrational;
- numbers follow IEEE 754: `log(0.0)` is -inf and `sqrt(-1.0)` is nan, nothing raises;
- numpy arrays, of numbers or of any of the above, go element by element.

Examples:
    >>> from fractions import Fraction
    >>> sqrt(Fraction(9, 4))
    Fraction(3, 2)
    >>> sincos(0.0)
    (0.0, 1.0)
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.scalars import IEEE, LIBRARIES, fraction, numpy_name
from visviva.errors import MissingAttributeError, TraceError

_NUMBERS = (int, float, np.floating, np.integer, np.bool_)


def sincos(x: Any) -> tuple[Any, Any]:
    """Sine and cosine of one angle; compiled, they cost little more than one of them."""
    return sin(x), cos(x)


def sin(x: Any) -> Any:
    """Sine of an angle in radians."""
    return _call("sin", x)


def cos(x: Any) -> Any:
    """Cosine of an angle in radians."""
    return _call("cos", x)


def tan(x: Any) -> Any:
    """Tangent of an angle in radians."""
    return _call("tan", x)


def asin(x: Any) -> Any:
    """Inverse sine, in [-π/2, π/2]."""
    return _call("asin", x)


def acos(x: Any) -> Any:
    """Inverse cosine, in [0, π]."""
    return _call("acos", x)


def atan(x: Any) -> Any:
    """Inverse tangent, in (-π/2, π/2)."""
    return _call("atan", x)


def atan2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y), in (-π, π]."""
    return _call("atan2", y, x)


def exp(x: Any) -> Any:
    """Exponential, e to the power x."""
    return _call("exp", x)


def log(x: Any) -> Any:
    """Natural logarithm."""
    return _call("log", x)


def sinh(x: Any) -> Any:
    """Hyperbolic sine."""
    return _call("sinh", x)


def cosh(x: Any) -> Any:
    """Hyperbolic cosine."""
    return _call("cosh", x)


def tanh(x: Any) -> Any:
    """Hyperbolic tangent."""
    return _call("tanh", x)


def sqrt(x: Any) -> Any:
    """Square root."""
    return _call("sqrt", x)


def absolute(x: Any) -> Any:
    """Absolute value."""
    return _call("absolute", x)


def sign(x: Any) -> Any:
    """-1, 0 or 1; nan of nan."""
    return _call("sign", x)


def power(a: Any, b: Any) -> Any:
    """`a` to the power `b`, real."""
    return _call("power", a, b)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two; nan if either is."""
    return _call("minimum", a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two; nan if either is."""
    return _call("maximum", a, b)


def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition is not zero, `b` elsewhere: the branch that can be traced."""
    return _call("where", condition, a, b)


def less(a: Any, b: Any) -> Any:
    """1 if a < b, else 0."""
    return _call("less", a, b)


def less_equal(a: Any, b: Any) -> Any:
    """1 if a ≤ b, else 0."""
    return _call("less_equal", a, b)


def equal(a: Any, b: Any) -> Any:
    """1 if a = b, else 0."""
    return _call("equal", a, b)


def not_equal(a: Any, b: Any) -> Any:
    """1 if a ≠ b, else 0."""
    return _call("not_equal", a, b)


def _call(name: str, *args: Any) -> Any:
    for x in args:
        if isinstance(x, (*_NUMBERS, Fraction)):
            continue
        if any(isinstance(a, (np.ndarray, list, tuple)) for a in args):
            return _elementwise(name, [np.asarray(a) for a in args])
        module = next(kind.__module__ for kind in type(x).__mro__ if kind.__module__)
        library = LIBRARIES.get(module.partition(".")[0])
        if library is not None:
            return library(name)(*args)
        return _own_method(name, x, args)
    if any(isinstance(x, Fraction) for x in args):
        return fraction(name, *args)
    return IEEE[name](*args)


def _elementwise(name: str, arrays: list[Any]) -> Any:
    result = np.frompyfunc(lambda *xs: _call(name, *xs), len(arrays), 1)(*arrays)
    if any(x.dtype == object for x in arrays):
        return result
    return np.asarray(result, dtype=float)


def _own_method(name: str, owner: Any, args: tuple[Any, ...]) -> Any:
    """Ask the object itself; the method is unbound so that a number may be the first argument."""
    method = getattr(type(owner), numpy_name(name), None)
    if method is None:
        raise TraceError(
            f"{name} of {type(owner).__name__}: not a scalar we know "
            f"(a number, Expr, Fraction, or an object with a method {numpy_name(name)!r})"
        )
    return method(*args)


_CLIPPED = "minimum(vv.generic.maximum(x, lower), upper)"
_OTHERS = {"min": "minimum", "max": "maximum", "fmin": "minimum", "fmax": "maximum"}
_OTHERS |= dict.fromkeys(("clip", "clamp", "saturate", "sat", "saturation"), _CLIPPED)
_OTHERS |= dict.fromkeys(("if_else", "cond", "select", "piecewise", "heaviside"), "where")
_OTHERS |= {"abs": "absolute", "fabs": "absolute", "pow": "power", "ln": "log"}
_OTHERS |= {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2"}
_OTHERS |= {"greater": "less(b, a)", "greater_equal": "less_equal(b, a)"}

if not TYPE_CHECKING:  # type checkers shall see what is not there

    def __getattr__(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        named = {k for k, x in globals().items() if callable(x) and x.__module__ == __name__}
        there = ", ".join(sorted(k for k in named if not k.startswith("_")))
        line = f"vv.generic.{_OTHERS[name]}" if name in _OTHERS else ""
        raise MissingAttributeError(f"vv.generic has no {name!r}; it has {there}", cure=line)
