"""How numbers and foreign scalars answer the vocabulary of `generic`: one table each."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from visviva.errors import TraceError


@cache
def numpy_name(name: str) -> str:
    """Numpy's name of our function, which is also the method that an object may answer to."""
    return re.sub("^a(?=sin|cos|tan)", "arc", name)


def _ieee(fast: Callable[..., float], careful: Callable[..., Any]) -> Callable[..., float]:
    """`math` is exact to an ulp but raises at poles and overflow; numpy answers there."""

    def value(*args: Any) -> float:
        try:
            return fast(*args)
        except (ValueError, OverflowError, ZeroDivisionError):
            with np.errstate(all="ignore"):
                return float(careful(*map(np.float64, args)))

    return value


def _sign(x: Any) -> Any:
    return 1.0 if x > 0 else -1.0 if x < 0 else x * 1.0


def _minimum(a: Any, b: Any) -> Any:
    return a if a < b or a != a else b


def _maximum(a: Any, b: Any) -> Any:
    return a if a > b or a != a else b


def _where(condition: Any, a: Any, b: Any) -> Any:
    return a if condition != 0 else b


# no rounding, so the same for numbers, fractions and mpmath
_EXACT: dict[str, Callable[..., Any]] = {
    "absolute": abs,
    "sign": _sign,
    "minimum": _minimum,
    "maximum": _maximum,
    "where": _where,
    "less": lambda a, b: int(a < b),
    "less_equal": lambda a, b: int(a <= b),
    "equal": lambda a, b: int(a == b),
    "not_equal": lambda a, b: int(a != b),
}


class _Ieee(dict[str, Callable[..., Any]]):
    """Functions of floats by name, each made when it is asked for first."""

    def __missing__(self, name: str) -> Callable[..., Any]:
        fast = getattr(math, {"power": "pow"}.get(name, name))
        self[name] = _ieee(fast, getattr(np, numpy_name(name)))
        return self[name]


IEEE = _Ieee(_EXACT)


def fraction(name: str, *args: Any) -> Any:
    """The value as a `Fraction`, or a refusal: nothing is rounded."""
    if name in _EXACT:
        return _EXACT[name](*args)
    if name == "power" and args[1] == int(args[1]):
        return Fraction(args[0]) ** int(args[1])
    if name == "sqrt" and args[0] >= 0:
        x = Fraction(args[0])
        root = Fraction(math.isqrt(x.numerator), math.isqrt(x.denominator))
        if root * root == x:
            return root
    known = {("sin", 0): 0, ("tan", 0): 0, ("asin", 0): 0, ("atan", 0): 0, ("sinh", 0): 0}
    known |= {("tanh", 0): 0, ("cos", 0): 1, ("cosh", 0): 1, ("exp", 0): 1, ("log", 1): 0}
    known |= {("acos", 1): 0}
    exact = known.get((name, args[0])) if len(args) == 1 else None
    if exact is None:
        shown = ", ".join(map(str, args))
        raise TraceError(f"{name}({shown}) is not a fraction: use floats or mpmath here")
    return Fraction(exact)


def _mpmath(name: str) -> Callable[..., Any]:
    if name in _EXACT:
        return _EXACT[name]
    mpmath = importlib.import_module("mpmath")
    function: Callable[..., Any] = getattr(mpmath, name)
    return function


def _sympy(name: str) -> Callable[..., Any]:
    sympy = importlib.import_module("sympy")
    indicator = {"less": "Lt", "less_equal": "Le", "equal": "Eq", "not_equal": "Ne"}
    if name in indicator:
        relation = getattr(sympy, indicator[name])
        return lambda a, b: sympy.Piecewise((1, relation(a, b)), (0, True))
    if name == "where":
        return lambda c, a, b: sympy.Piecewise((a, sympy.Ne(c, 0)), (b, True))
    renamed = {"absolute": "Abs", "power": "Pow", "minimum": "Min", "maximum": "Max"}
    function: Callable[..., Any] = getattr(sympy, renamed.get(name, name))
    return function


def _jax(name: str) -> Callable[..., Any]:
    jnp = importlib.import_module("jax.numpy")
    if name == "where":
        return lambda c, a, b: jnp.where(c != 0, a, b)
    function: Callable[..., Any] = getattr(jnp, numpy_name(name))
    if name in ("less", "less_equal", "equal", "not_equal"):
        return lambda a, b: function(a, b).astype(float)
    return function


def _casadi(name: str) -> Callable[..., Any]:
    casadi = importlib.import_module("casadi")
    compare: dict[str, Callable[..., Any]] = {
        "less": lambda a, b: a < b,
        "less_equal": lambda a, b: a <= b,
        "equal": lambda a, b: a == b,
        "not_equal": lambda a, b: a != b,
        "where": lambda c, a, b: casadi.if_else(c != 0, a, b),
    }
    renamed = {"absolute": "fabs", "minimum": "fmin", "maximum": "fmax"}
    return compare.get(name) or getattr(casadi, renamed.get(name, name))


# imported only when one of their objects turns up
LIBRARIES: dict[str, Callable[[str], Callable[..., Any]]] = {
    "mpmath": _mpmath,
    "sympy": _sympy,
    "jax": _jax,
    "jaxlib": _jax,
    "casadi": _casadi,
}
