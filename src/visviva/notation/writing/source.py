"""Functions in Python and C, made from SymPy expressions; what occurs twice is computed once."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef
from sympy.printing.c import C99CodePrinter
from sympy.printing.codeprinter import CodePrinter, PrintMethodNotImplementedError
from sympy.printing.numpy import NumPyPrinter

from visviva.errors import ArgumentError, UnknownNameError
from visviva.notation.identifiers import C_WORDS, identifier


def python_source(name: str, arguments: Mapping[str, Any], outputs: Mapping[str, Any]) -> str:
    """A Python function with numpy.

    `arguments` maps each argument to a symbol or to the symbols it is an array of; `outputs` maps
    the name of each result to an expression, a matrix or an array. An argument without symbols is
    left out.
    """
    body = _Body(name, arguments, outputs, [*keyword.kwlist, *keyword.softkwlist, "np"])
    text = [f"def {body.name}({', '.join(body.arguments)}):", f'    """{body.summary}"""']
    for argument, symbols in body.arrays.items():
        text.append(f"    {', '.join(symbols)}{',' if len(symbols) == 1 else ''} = {argument}")
    text += [f"    {left} = {_python(right)}" for left, right in body.locals]
    for result, (shape, entries) in body.results.items():
        values = [_python(e) for e in entries]
        right = values[0] if not shape else f"np.array({_nested(shape, values)})"
        text.append(f"    {result} = {right}")
    text.append(f"    return {', '.join(body.results)}")
    return "import numpy as np\n\n\n" + "\n".join(text) + "\n"


def c_source(name: str, arguments: Mapping[str, Any], outputs: Mapping[str, Any]) -> str:
    """A C99 function: arrays and numbers in, results through pointers, matrices row by row."""
    body = _Body(name, arguments, outputs, C_WORDS)
    inputs = [
        f"const double {a}[{len(body.arrays[a])}]" if a in body.arrays else f"double {a}"
        for a in body.arguments
    ]
    results = [
        f"double {r}" + "".join(f"[{k}]" for k in shape) if shape else f"double *{r}"
        for r, (shape, _) in body.results.items()
    ]
    text = [f"/* {body.summary} */", f"void {body.name}({', '.join([*inputs, *results])})", "{"]
    for argument, symbols in body.arrays.items():
        text += [f"    const double {s} = {argument}[{k}];" for k, s in enumerate(symbols)]
    text += [f"    const double {left} = {_c(right)};" for left, right in body.locals]
    for r, (shape, entries) in body.results.items():
        for k, e in enumerate(entries):
            text.append(f"    {_element(r, shape, k)} = {_c(e)};")
    unused = [s for row in body.arrays.values() for s in row if s not in body.used]
    unused += [a for a in body.arguments if a not in body.arrays and a not in body.used]
    text += [f"    (void){s};" for s in unused]
    return "#include <math.h>\n\n" + "\n".join([*text, "}"]) + "\n"


class _Body:
    """Names that are allowed, and the expressions with their common parts taken out."""

    def __init__(
        self,
        name: str,
        arguments: Mapping[str, Any],
        outputs: Mapping[str, Any],
        reserved: Iterable[str],
    ) -> None:
        self._taken = set(reserved)
        self.name = self._identifier(name)
        self.arguments: list[str] = []
        self.arrays: dict[str, list[str]] = {}
        renamed: dict[Any, Any] = {}
        for argument, symbols in arguments.items():
            if _is_scalar(symbols):
                given = _symbol(symbols)
                self.arguments.append(self._identifier(given.name))
                renamed[given] = sympy.Symbol(self.arguments[-1])
                continue
            row = [_symbol(x) for x in symbols]
            if not row:
                continue
            self.arguments.append(self._identifier(argument))
            self.arrays[self.arguments[-1]] = [self._identifier(x.name) for x in row]
            inside = self.arrays[self.arguments[-1]]
            renamed.update((x, sympy.Symbol(i)) for x, i in zip(row, inside, strict=True))
        shapes = {k: _entries(x) for k, x in outputs.items()}
        if not shapes or any(0 in shape for shape, _ in shapes.values()):
            raise ArgumentError("a function has outputs with entries, got none")
        flat = [e for _, entries in shapes.values() for e in entries]
        known = {x.name for x in renamed}
        for e in flat:
            for missing in sorted(x.name for x in e.free_symbols - set(renamed)):
                raise UnknownNameError("argument", missing, sorted(known))
        self.results: dict[str, tuple[tuple[int, ...], list[Any]]] = {}
        ids = {k: self._identifier(k) for k in shapes}
        fresh = (x for x in sympy.numbered_symbols("x") if x.name not in self._taken)
        common, reduced = sympy.cse([e.xreplace(renamed) for e in flat], fresh, order="none")
        self.locals = [(left.name, right) for left, right in common]
        self.used = {x.name for e in (*reduced, *(r for _, r in common)) for x in e.free_symbols}
        rest = iter(reduced)
        for k, (shape, entries) in shapes.items():
            self.results[ids[k]] = (shape, [next(rest) for _ in entries])
        self.summary = f"{', '.join(ids.values())} from {', '.join(self.arguments)}."

    def _identifier(self, name: str) -> str:
        """A name that the language allows and that nothing else has."""
        allowed = identifier(name, self._taken)
        self._taken.add(allowed)
        return allowed


def _symbol(x: Any) -> Any:
    """A name, or a symbol as it is."""
    return sympy.Symbol(x) if isinstance(x, str) else x


def _is_scalar(x: Any) -> bool:
    return isinstance(x, (str, sympy.Expr)) and not isinstance(x, sympy.MatrixBase)


def _entries(x: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Shape and entries, row by row."""
    if isinstance(x, (list, tuple)):
        return (len(x),), [sympy.sympify(e) for e in x]
    if not isinstance(x, (np.ndarray, sympy.MatrixBase, sympy.NDimArray)) or x.shape == ():
        return (), [sympy.sympify(x)]
    shape = tuple(int(k) for k in x.shape)
    column = isinstance(x, sympy.MatrixBase) and shape[1] == 1  # a vector
    flat = np.array(x.tolist(), dtype=object).ravel()
    return shape[:1] if column else shape, [sympy.sympify(e) for e in flat]


def _nested(shape: Sequence[int], values: Sequence[str]) -> str:
    """[[a, b], [c, d]]."""
    if len(shape) > 1:
        step = len(values) // shape[0]
        rows = [values[k : k + step] for k in range(0, len(values), step)]
        values = [_nested(shape[1:], row) for row in rows]
    return f"[{', '.join(values)}]"


def _element(name: str, shape: Sequence[int], k: int) -> str:
    """M[1][0], or *K."""
    indices = "".join(f"[{i}]" for i in np.unravel_index(k, shape)) if shape else ""
    return name + indices if shape else f"*{name}"


class _PythonPrinter(NumPyPrinter):  # type: ignore[misc]
    """The least and the greatest of several by calls of two, which need no other module."""

    def _print_Max(self, expr: Any, function: str = "maximum") -> str:  # noqa: N802
        parts = [str(self._print(a)) for a in expr.args]
        return reduce(lambda a, b: f"numpy.{function}({a}, {b})", parts)

    def _print_Min(self, expr: Any) -> str:  # noqa: N802
        return self._print_Max(expr, "minimum")

    def doprint(self, expr: Any) -> str:
        """The expression, with numpy called np."""
        return re.sub(r"\bnumpy\.", "np.", super().doprint(expr))


class _CPrinter(C99CodePrinter):  # type: ignore[misc]
    """Squares and cubes of names as products; cbrt, which has values below zero, is no power."""

    def _print_Pow(self, expr: Any) -> str:  # noqa: N802
        if expr.exp == sympy.Rational(1, 3):
            return f"pow({self._print(expr.base)}, {self._print(expr.exp)})"
        if expr.base.is_Symbol and expr.exp in (2, 3):
            return "(" + "*".join([self._print(expr.base)] * int(expr.exp)) + ")"
        return str(super()._print_Pow(expr))

    def _print_NumberSymbol(self, expr: Any) -> str:  # noqa: N802
        return repr(float(expr))  # strict C99 has no M_PI


def _refusing(language: str, printer: CodePrinter) -> Callable[[Any], str]:
    """The printer; what it cannot write is refused by its name."""

    def written(x: Any) -> str:
        for f in sorted(str(y.func) for y in x.atoms(AppliedUndef)):
            raise ArgumentError(
                f"{f} is an unknown function, for which there is no {language}: "
                "state a formula in its place"
            )
        for slope in sorted(map(str, x.atoms(sympy.Derivative))):
            raise ArgumentError(f"there is no {language} for {slope}")
        try:
            return str(printer.doprint(x))
        except PrintMethodNotImplementedError as error:
            what = str(error).partition("\n")[0].rpartition(": ")[2]
            raise ArgumentError(f"there is no {language} for {what}, in {x!s:.60}") from None

    return written


_python = _refusing("Python", _PythonPrinter({"fully_qualified_modules": True}))
_c = _refusing("C", _CPrinter({"math_macros": {}}))
