"""THE table: one row per operation; its cells are all that any other file knows about it.

A row's derivative has one entry per argument: the linear map `t -> ∂y/∂argument · t`, written
over the generic scalar. The same map carries tangents forward and adjoints backward, because
every operation has one scalar result. `None` marks an argument on which y depends only in steps.

LLVM cells are lines of text over vectors: `{r}` is the result, `{0}`, `{1}`, ... the arguments,
`{T}` the vector type, `{I}` the mask type. `{sincos}` names the pair of both for argument 0,
which the emitter makes once per angle. In C cells `{f}` ends functions and numbers of the scalar:
nothing for double, `f` for float.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from visviva.algebra import generic as g
from visviva.algebra.scalars import numpy_name
from visviva.errors import UnknownNameError, VisvivaError

LinearMap = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Op:
    """One operation and everything that is known about it."""

    name: str
    arity: int
    value: Callable[..., Any]
    derivative: tuple[LinearMap | None, ...]
    c: str
    js: str
    llvm: str

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) in ("", None):
                raise VisvivaError(f"operation {self.name!r}: the cell {field.name!r} is empty")
        if len(self.derivative) != self.arity:
            raise VisvivaError(
                f"operation {self.name!r}: {self.arity} arguments, "
                f"but {len(self.derivative)} derivatives"
            )

    @property
    def calls(self) -> tuple[str, ...]:
        """The functions of our runtime that its machine code calls."""
        return tuple(re.findall(r"@vv\.(\w+)\(", self.llvm))

    @property
    def is_function(self) -> bool:
        """Whether C calls it by its name: an elementary function, which formulas call so too."""
        return self.c.startswith(f"{self.name}{{f}}(")

    def c_text(self, *arguments: str, scalar: str = "") -> str:
        """It in C, `scalar` being what functions and numbers end with; also how people read it."""
        return self.c.format(*arguments, f=scalar)


def _arithmetic(name: str, value: Callable[..., Any], sign: str, llvm: str, *d: LinearMap) -> Op:
    text = f"({{0}} {sign} {{1}})"
    return Op(name, 2, value, d, text, text, f"{{r}} = {llvm} {{T}} {{0}}, {{1}}")


def _function(name: str, *d: LinearMap, js: str = "") -> Op:
    """A function that C and JavaScript call by the same name, and LLVM through our runtime."""
    arguments = ", ".join(f"{{{i}}}" for i in range(len(d)))
    vectors = ", ".join(f"{{T}} {{{i}}}" for i in range(len(d)))
    value = getattr(g, {"pow": "power"}.get(name, name), None)
    if value is None:
        raise VisvivaError(
            f"operation {name!r}: visviva.algebra.generic has no function of this name, which "
            f'says `return _call("{name}", ...)` and is its value over any scalar'
        )
    call = f"{{r}} = call {{T}} @vv.{name}({vectors})"
    c = f"{name}{{f}}({arguments})"
    return Op(name, len(d), value, d, c, js or f"Math.{name}({arguments})", call)


def _comparison(name: str, value: Callable[..., Any], c: str, js: str, llvm: str) -> Op:
    lines = f"{{r}}.i = fcmp {llvm} {{T}} {{0}}, {{1}}\n  {{r}} = uitofp {{I}} {{r}}.i to {{T}}"
    texts = f"({{0}} {c} {{1}} ? 1.0{{f}} : 0.0{{f}})", f"({{0}} {js} {{1}} ? 1.0 : 0.0)"
    return Op(name, 2, value, (None, None), *texts, lines)


def _extremum(name: str, value: Callable[..., Any], sign: str, llvm: str, first: LinearMap) -> Op:
    """min or max that lets a nan of either argument through, as numpy's do and C's do not."""
    lines = (
        f"{{r}}.a = fcmp {llvm} {{T}} {{0}}, {{1}}\n  "
        "{r}.n = fcmp uno {T} {0}, {0}\n  {r}.c = or {I} {r}.a, {r}.n\n  "
        "{r} = select {I} {r}.c, {T} {0}, {T} {1}"
    )
    text = f"({{0}} {sign} {{1}} || {{0}} != {{0}} ? {{0}} : {{1}})"
    d = (
        lambda t, y, a, b: g.where(first(a, b), t, 0.0),
        lambda t, y, a, b: g.where(first(a, b), 0.0, t),
    )
    return Op(name, 2, value, d, text, f"Math.{name}({{0}}, {{1}})", lines)


_ROWS = (
    _arithmetic("add", operator.add, "+", "fadd", lambda t, y, a, b: t, lambda t, y, a, b: t),
    _arithmetic("sub", operator.sub, "-", "fsub", lambda t, y, a, b: t, lambda t, y, a, b: -t),
    _arithmetic(
        "mul", operator.mul, "*", "fmul", lambda t, y, a, b: t * b, lambda t, y, a, b: t * a
    ),
    _arithmetic(
        "div",
        operator.truediv,
        "/",
        "fdiv",
        lambda t, y, a, b: t * (1.0 / b),
        lambda t, y, a, b: -(t * (y / b)),
    ),
    Op(
        "neg",
        1,
        operator.neg,
        (lambda t, y, a: -t,),
        "(-{0})",
        "(-{0})",
        "{r} = fneg {T} {0}",
    ),
    _function(
        "pow",
        lambda t, y, a, b: t * (b * g.power(a, b - 1.0)),
        lambda t, y, a, b: t * (y * g.log(g.where(g.equal(a, 0.0), 1.0, a))),
        # C takes 1 to any power as 1, JavaScript does not
        js="({0} === 1 || ({0} === -1 && Math.abs({1}) === Infinity) ? 1 : Math.pow({0}, {1}))",
    ),
    Op(
        "sqrt",
        1,
        g.sqrt,
        (lambda t, y, a: t * (0.5 / y),),
        "sqrt{f}({0})",
        "Math.sqrt({0})",
        "{r} = call {T} @llvm.sqrt{suffix}({T} {0})",
    ),
    Op(
        "sin",
        1,
        g.sin,
        (lambda t, y, a: t * g.cos(a),),
        "sin{f}({0})",
        "Math.sin({0})",
        "{r} = extractvalue {{{T}, {T}}} {sincos}, 0",
    ),
    Op(
        "cos",
        1,
        g.cos,
        (lambda t, y, a: -(t * g.sin(a)),),
        "cos{f}({0})",
        "Math.cos({0})",
        "{r} = extractvalue {{{T}, {T}}} {sincos}, 1",
    ),
    _function("tan", lambda t, y, a: t * (1.0 + y * y)),
    # 1 - a² as a product: the difference of squares would cancel near ±1
    _function("asin", lambda t, y, a: t * (1.0 / g.sqrt((1.0 - a) * (1.0 + a)))),
    _function("acos", lambda t, y, a: -(t * (1.0 / g.sqrt((1.0 - a) * (1.0 + a))))),
    _function("atan", lambda t, y, a: t * (1.0 / (1.0 + a * a))),
    _function(
        "atan2",
        lambda t, y, a, b: t * (b / (a * a + b * b)),
        lambda t, y, a, b: -(t * (a / (a * a + b * b))),
    ),
    _function("exp", lambda t, y, a: t * y),
    _function("log", lambda t, y, a: t * (1.0 / a)),
    _function("sinh", lambda t, y, a: t * g.cosh(a)),
    _function("cosh", lambda t, y, a: t * g.sinh(a)),
    # 1 - y² would cancel for large arguments
    _function("tanh", lambda t, y, a: t * ((1.0 / g.cosh(a)) * (1.0 / g.cosh(a)))),
    # what 1/cosh is folded into: a quotient's slope is 0 · ∞ where cosh is beyond floats
    Op(
        "sech",
        1,
        lambda a: 1.0 / g.cosh(a),
        (lambda t, y, a: -(t * (y * g.tanh(a))),),
        "(1.0{f} / cosh{f}({0}))",
        "(1 / Math.cosh({0}))",
        "{r}.c = call {T} @vv.cosh({T} {0})\n  {r} = fdiv {T} {one}, {r}.c",
    ),
    Op(
        "abs",
        1,
        g.absolute,
        (lambda t, y, a: t * g.sign(a),),
        "fabs{f}({0})",
        "Math.abs({0})",
        "{r} = call {T} @llvm.fabs{suffix}({T} {0})",
    ),
    Op(
        "sign",
        1,
        g.sign,
        (None,),
        "({0} > 0.0{f} ? 1.0{f} : {0} < 0.0{f} ? -1.0{f} : {0})",
        "Math.sign({0})",
        "{r}.p = fcmp ogt {T} {0}, zeroinitializer\n  "
        "{r}.m = fcmp olt {T} {0}, zeroinitializer\n  "
        "{r}.s = select {I} {r}.m, {T} {minus_one}, {T} {0}\n  "
        "{r} = select {I} {r}.p, {T} {one}, {T} {r}.s",
    ),
    _extremum("min", g.minimum, "<", "olt", g.less_equal),
    _extremum("max", g.maximum, ">", "ogt", lambda a, b: g.less_equal(b, a)),
    Op(
        "where",
        3,
        g.where,
        (None, lambda t, y, c, a, b: g.where(c, t, 0.0), lambda t, y, c, a, b: g.where(c, 0.0, t)),
        "({0} != 0.0{f} ? {1} : {2})",
        "({0} !== 0 ? {1} : {2})",
        "{r}.c = fcmp une {T} {0}, zeroinitializer\n  {r} = select {I} {r}.c, {T} {1}, {T} {2}",
    ),
    _comparison("lt", g.less, "<", "<", "olt"),
    _comparison("le", g.less_equal, "<=", "<=", "ole"),
    _comparison("eq", g.equal, "==", "===", "oeq"),
    _comparison("ne", g.not_equal, "!=", "!==", "une"),
)


class _Table(dict[str, Op]):
    def __missing__(self, name: str) -> Op:
        raise UnknownNameError("operation", name, self)


OPS: Mapping[str, Op] = MappingProxyType(_Table({row.name: row for row in _ROWS}))
# the functions of `generic` by name -> numpy's name, for rows whose value is one of them
NUMPY_NAMES = {
    row.value.__name__: numpy_name(row.value.__name__)
    for row in _ROWS
    if row.value.__module__ == g.__name__
}
