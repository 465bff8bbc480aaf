"""Frozen values: the numbers in them, the same with other numbers, and a name for what they are.

A value is a dataclass of numbers, arrays, texts and other values. `leaves` and `mapped` walk over
the numbers that may be symbolic; fields with the metadata `PLAIN` hold others.

A name (`digest`) is of what a system computes: equal names, equal computations. One rule holds for
every name of machine code. It is made from an injective encoding of everything that the program
depends on, so that two systems with one name are one system. Where such an encoding is not to be
had, there is no name: the program is traced, and is its own.

Everything is written with its type and its length, numbers by their bits, formulas node by node
with their exact coefficients. What is not in the lists below (a class that somebody else wrote, a
closure, a kind of SymPy node that we do not know) has no encoding: nobody can tell what it does
without running it.
"""

from __future__ import annotations

import hashlib
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import cache
from inspect import Signature, signature
from math import inf
from numbers import Real
from types import MappingProxyType
from typing import Any, Self, TypeVar, cast

import numpy as np

from visviva.algebra.arrays import Array, Frozen, as_array, vector
from visviva.algebra.expr import Expr, evaluate, names_in, text
from visviva.errors import ArgumentError
from visviva.hints import as_typed

PLAIN = {"plain": True}  # of a field: what it holds is never symbolic
OURS = "visviva."
# what equations do not depend on, by class
SILENT = {
    "Model": {"name", "notes", "keyframes", "base_visuals"},
    "Body": {"limits", "visuals"},
    "Inertia": {"error", "checked"},
    "Lagrangian": {"name", "notes", "declared", "points", "lines", "solids", "start"},
    "Relation": {"text"},
}
BESIDES = {"Lagrangian": ("values",)}  # and do: scalars may stand for some parameters
# SymPy's classes whose objects are what their arguments make them
OPERATIONS = (
    "Add Mul Pow sin cos tan sec csc cot asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp "
    "log Abs sign Max Min Heaviside floor ceiling re im conjugate Piecewise ExprCondPair And Or "
    "Not Equality Unequality StrictLessThan LessThan StrictGreaterThan GreaterThan"
).split()
# SymPy's objects of which there is one each
SINGLE = "pi E I GoldenRatio EulerGamma Catalan oo nan zoo true false".split()


Some = TypeVar("Some")


def at_values(x: Any, values: Mapping[str, Any]) -> Any:
    """A number with values put in for parameters, of any kind; by zero nothing is divided."""
    try:
        return evaluate(x, values)
    except ZeroDivisionError:
        at = ", ".join(f"{k} = {values[k]}" for k in names_in([x]))
        raise ArgumentError(f"{text(x)} divides by zero at {at}") from None


class UnencodableError(Exception):
    """Something has no encoding."""


class Parameters(dict[str, Any]):
    """Values of a system's parameters: written to, they name the line that makes another system."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        for name, x in self.items():
            size: Any = abs(x) if isinstance(x, Real) else 0.0
            if not size < inf:
                raise ArgumentError(f"parameter {name!r} is a finite number, got {x!r}")

    def _refuse(self, *args: Any, **named: Any) -> Any:
        values = dict(*args) if len(args) == 1 and isinstance(args[0], Mapping) else named
        values = dict([args]) if len(args) == 2 else values
        said = "parameters of a system stay as they are"
        if other := [k for k in values if k not in self]:
            said += f", and {other[0]!r} is none of them (available: {', '.join(self) or 'none'})"
        line = as_typed(values) if values and not other else "{model.parameter_names[0]: 2.0}"
        raise ArgumentError(said, cure=f"model = model.with_parameters({line})")

    __setitem__ = __delitem__ = __ior__ = _refuse
    update = pop = popitem = clear = setdefault = _refuse

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return dict, (dict(self),)


class OfInit:
    """`__signature__` of a class whose `__new__` takes anything: what its `__init__` takes.

    help() and editors ask a class for it, and a value for that of its `__call__`.
    """

    def __get__(self, value: Any, owner: type) -> Signature:
        if value is not None:
            raise AttributeError("__signature__")
        init = signature(cast(Any, owner).__init__)
        _, *items = init.parameters.values()
        return init.replace(parameters=[x for x in items if not x.name.startswith("_")])


class Value(Frozen):
    """A value that can be had with other numbers."""

    def mapped(self, f: Callable[[Any], Any]) -> Self:
        """Every number that may be symbolic replaced by f(number)."""
        return mapped(f, self)


def mapped(f: Callable[[Any], Any], x: Some) -> Some:
    """A value with every number that may be symbolic replaced by f(number)."""
    opened = _opened(x)
    if opened is None:
        return cast(Some, f(x))
    parts, whole = opened
    return cast(Some, whole([mapped(f, part) for part in parts]))


def leaves(x: Any) -> Iterator[Any]:
    """The numbers of a value that may be symbolic."""
    opened = _opened(x)
    if opened is None:
        yield x
    else:
        for part in opened[0]:
            yield from leaves(part)


def may_be_symbolic(x: Any) -> list[str]:
    """The fields of a value that are not plain."""
    kind: Any = type(x)
    return _not_plain(kind)


@cache
def _not_plain(kind: Any) -> list[str]:
    return [item.name for item in fields(kind) if "plain" not in item.metadata]


def _opened(
    x: Any, names: Callable[[Any], list[str]] = may_be_symbolic
) -> tuple[list[Any], Callable[[list[Any]], Any]] | None:
    """What a value is made of, and what makes one of other such parts; None for a number.

    Of a dataclass it is made of the fields that `names` lists.
    """
    if isinstance(x, (float, Expr)):  # nearly all
        return None
    if isinstance(x, np.ndarray):
        return x.ravel().tolist(), lambda parts: _shaped(parts, x.shape)
    if isinstance(x, (tuple, list)):
        return list(x), tuple if isinstance(x, tuple) else list
    if isinstance(x, Mapping):
        return list(x.values()), lambda parts: dict(zip(x, parts, strict=True))
    if is_dataclass(x):
        wanted = names(x)
        values = [getattr(x, name) for name in wanted]
        return values, lambda parts: replace(cast(Any, x), **dict(zip(wanted, parts, strict=True)))
    if x is None or isinstance(x, (str, bool)):
        return [], lambda _: x
    return None


def _shaped(items: list[Any], shape: tuple[int, ...]) -> Array:
    return vector(as_array(items, shape).tolist())


class Derived:
    """What was worked out of a value, each thing once; the value holds it, and may hand it on."""

    def __init__(self, origin: Any) -> None:
        self.origin = origin
        self._known: dict[Any, Any] = {}

    def once(self, key: Any, make: Callable[[Any], Any]) -> Any:
        """make(origin), remembered."""
        if key not in self._known:
            self._known[key] = make(self.origin)
        return self._known[key]


def reduced(x: Any) -> tuple[type, tuple[Any, ...]]:
    """How a value is made again elsewhere: of its fields, as pickle wants it."""
    values = (vars(x)[item.name] for item in fields(x))  # as stated
    return type(x), tuple(
        dict(v) if isinstance(v, (MappingProxyType, Parameters)) else v for v in values
    )


def digest(system: Any) -> str | None:
    """Of everything that its equations depend on; names of frames count, because they are asked."""
    return digest_of(tuple(system.frame_names), system)


def digest_of(*values: Any) -> str | None:
    """Of some values; None if one of them has no encoding."""
    try:
        return hashlib.sha256(encoded(values)).hexdigest()
    except (UnencodableError, RecursionError):
        return None


def encoded(x: Any) -> bytes:
    """An encoding from which the value could be restored."""
    nodes = _Nodes()
    root = b"".join(_written(nodes, x))
    return b"".join((_number(len(nodes.table)), *nodes.table, root))


def is_ours(kind: type) -> bool:
    """Whether a class is one of visviva's own: found under its name in the module it names."""
    there: Any = sys.modules.get(kind.__module__) if kind.__module__.startswith(OURS) else None
    for name in kind.__qualname__.split("."):
        there = getattr(there, name, None)
    return there is kind


def _written(nodes: _Nodes, x: Any) -> Iterator[bytes]:
    """Tag, length and content of a value of exactly one of these types."""
    kind = type(x)
    if kind in ATOMS:
        yield ATOMS[kind](x)
    elif _is_matrix(x):
        yield b"m" + _number(x.rows) + _number(x.cols)
        yield from _written(nodes, tuple(x))
    elif kind is Expr or _is_formula(x):
        yield b"@" + _number(nodes.index(x))
    elif isinstance(x, np.generic) or (_is_array(x) and x.dtype != object):
        if x.dtype.kind not in "fiubc":
            raise UnencodableError(x.dtype)
        yield (b"g" if isinstance(x, np.generic) else b"a") + _text(x.dtype.str)
        yield from _written(nodes, x.shape)
        yield x.tobytes()
    else:
        yield _head(nodes, x)
        parts, _ = _opened(x, _felt) or ([], None)
        for part in parts:
            yield from _written(nodes, part)


def _head(nodes: _Nodes, x: Any) -> bytes:
    """Tag and shape of something whose parts follow."""
    kind = type(x)
    if kind in (tuple, list) or (isinstance(x, tuple) and is_ours(kind)):
        return (b"[" if kind is list else b"(") + _number(len(x))
    if kind in (dict, MappingProxyType, Parameters):
        return b"{" + b"".join(_written(nodes, tuple(x)))
    if _is_array(x):
        return b"a" + _text(x.dtype.str) + b"".join(_written(nodes, x.shape))
    if is_dataclass(x) and is_ours(kind):
        names = _felt(x)
        shape = _number(len(names)) + b"".join(map(_text, names))
        return b"o" + _text(f"{kind.__module__}:{kind.__qualname__}") + shape
    raise UnencodableError(kind)


def _felt(x: Any) -> list[str]:
    """The fields that equations depend on, and the scalars that stand for parameters."""
    kind = type(x).__qualname__
    names = [item.name for item in fields(x) if item.name not in SILENT.get(kind, ())]
    return [*names, *BESIDES.get(kind, ())]


def _is_array(x: Any) -> bool:
    return type(x) is np.ndarray or (isinstance(x, np.ndarray) and is_ours(type(x)))


ATOMS: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda x: b"N",
    bool: lambda x: b"T" if x else b"F",
    int: lambda x: b"i" + _text(str(x)),
    float: lambda x: b"d" + struct.pack("<d", x),
    str: lambda x: b"s" + _text(x),
    bytes: lambda x: b"b" + _number(len(x)) + x,
    Fraction: lambda x: b"q" + _text(str(x.numerator)) + _text(str(x.denominator)),
}


class _Nodes:
    """A table of the nodes of all formulas, each once: what a node is, and places of its parts."""

    def __init__(self) -> None:
        self.table: list[bytes] = []
        self._place: dict[bytes, int] = {}
        self._known: dict[int, int] = {}  # by identity: formulas share parts
        self._alive: list[Any] = []  # so that an identity means one object
        self._dummies: dict[int, int] = {}  # in order of appearance: they have no other name

    def index(self, root: Any) -> int:
        """The place of a formula; its parts come before it."""
        stack = [(root, root.args)]  # asked once: some of SymPy's make their arguments anew
        while stack:
            x, args = stack[-1]
            waiting = [] if id(x) in self._known else [a for a in args if id(a) not in self._known]
            stack.extend((a, a.args) for a in waiting)
            if waiting:
                continue
            stack.pop()
            if id(x) in self._known:
                continue
            content = (self._expr if type(x) is Expr else self._sympy)(x)
            parts = [self._known[id(a)] for a in args]
            row = b"n" + content + _number(len(parts)) + b"".join(map(_number, parts))
            if row not in self._place:
                self._place[row] = len(self.table)
                self.table.append(row)
            self._known[id(x)] = self._place[row]
            self._alive.append((x, args))
        return self._known[id(root)]

    def _expr(self, x: Expr) -> bytes:
        return b"e" + _text(x.op) + b"".join(_written(self, x.value))

    def _sympy(self, x: Any) -> bytes:
        """What a SymPy node is, apart from its arguments."""
        import sympy
        from sympy.core.function import UndefinedFunction

        kind = type(x)
        if kind in _operations():
            return b"O" + _text(kind.__name__)
        if isinstance(x, sympy.Rational) and not x.is_Float:
            return b"R" + _text(f"{x.p}/{x.q}")
        if kind is sympy.Float:
            sign, mantissa, exponent, _ = x._mpf_
            return b"D" + _text(f"{sign} {int(mantissa)} {int(exponent)} {x._prec}")
        if kind in (sympy.Symbol, sympy.Dummy):
            known = ",".join(k for k, v in sorted(x.assumptions0.items()) if v)
            denied = ",".join(k for k, v in sorted(x.assumptions0.items()) if not v)
            order = ""
            if kind is sympy.Dummy:
                order = str(self._dummies.setdefault(x.dummy_index, len(self._dummies)))
            return b"S" + b"".join(map(_text, (x.name, known, denied, order)))
        if kind in _single():
            return b"1" + _text(kind.__name__)
        if isinstance(kind, UndefinedFunction) and "_imp_" not in vars(kind):
            return b"U" + _text(kind.__name__) + _text(repr(sorted(kind._kwargs.items())))
        raise UnencodableError(kind)


@cache
def _operations() -> frozenset[type]:
    import sympy
    from sympy.functions.elementary.piecewise import ExprCondPair

    return frozenset(getattr(sympy, name, ExprCondPair) for name in OPERATIONS)


@cache
def _single() -> frozenset[type]:
    import sympy

    return frozenset({*(type(getattr(sympy, name)) for name in SINGLE), type(-sympy.oo)})


def _is_formula(x: Any) -> bool:
    sympy = sys.modules.get("sympy")  # who has not imported it has no such formulas
    return sympy is not None and isinstance(x, (sympy.Expr, sympy.logic.boolalg.Boolean))


def _is_matrix(x: Any) -> bool:
    sympy = sys.modules.get("sympy")
    return sympy is not None and type(x) in (sympy.Matrix, sympy.ImmutableMatrix)


def _text(x: str) -> bytes:
    content = x.encode("utf-8", "surrogatepass")
    return _number(len(content)) + content


def _number(n: int) -> bytes:
    return n.to_bytes(8, "little")
