"""Functions in Python and C, made from SymPy expressions; what occurs twice is computed once."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, reduce
from typing import Any

import numpy as np
import sympy

from visviva.errors import ArgumentError, UnknownNameError
from visviva.notation.identifiers import C_WORDS, identifier


def python_source(name: str, arguments: Mapping[str, Any], outputs: Mapping[str, Any]) -> str:
    """A Python function with numpy.

    `arguments` maps each argument to a symbol or to the symbols it is an array of; `outputs` maps
    the name of each result to an expression, a matrix or an array. An argument without symbols is
    left out.
    """
    made = _Body(name, arguments, outputs, [*keyword.kwlist, *keyword.softkwlist, "np"])
    text = [f"def {made.name}({', '.join(made.arguments)}):", f'    """{made.summary}"""']
    for argument, symbols in made.arrays.items():
        text.append(f"    {', '.join(symbols)}{',' if len(symbols) == 1 else ''} = {argument}")
    printer = _python_printer()
    text += [f"    {left} = {printer(right)}" for left, right in made.locals]
    for result, (shape, entries) in made.results.items():
        values = [printer(e) for e in entries]
        right = values[0] if not shape else f"np.array({_nested(shape, values, '[', ']')})"
        text.append(f"    {result} = {right}")
    text.append(f"    return {', '.join(made.results)}")
    return "import numpy as np\n\n\n" + "\n".join(text) + "\n"


def c_source(name: str, arguments: Mapping[str, Any], outputs: Mapping[str, Any]) -> str:
    """A C99 function: arrays and numbers in, results through pointers, matrices row by row."""
    made = _Body(name, arguments, outputs, C_WORDS)
    inputs = [
        f"const double {a}[{len(made.arrays[a])}]" if a in made.arrays else f"double {a}"
        for a in made.arguments
    ]
    results = [
        f"double {r}" + "".join(f"[{k}]" for k in shape) if shape else f"double *{r}"
        for r, (shape, _) in made.results.items()
    ]
    text = [f"/* {made.summary} */", f"void {made.name}({', '.join([*inputs, *results])})", "{"]
    for argument, symbols in made.arrays.items():
        text += [f"    const double {s} = {argument}[{k}];" for k, s in enumerate(symbols)]
    printer = _c_printer()
    text += [f"    const double {left} = {printer(right)};" for left, right in made.locals]
    for r, (shape, entries) in made.results.items():
        for k, e in enumerate(entries):
            text.append(f"    {_element(r, shape, k)} = {printer(e)};")
    unused = [s for row in made.arrays.values() for s in row if s not in made.used]
    unused += [a for a in made.arguments if a not in made.arrays and a not in made.used]
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
        made = identifier(name, self._taken)
        self._taken.add(made)
        return made


def _symbol(x: Any) -> Any:
    """A name, or a symbol as it is."""
    return sympy.Symbol(x) if isinstance(x, str) else x


def _is_scalar(x: Any) -> bool:
    return isinstance(x, (str, sympy.Expr)) and not isinstance(x, sympy.MatrixBase)


def _entries(x: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Shape and entries, row by row."""
    if isinstance(x, (np.ndarray, sympy.MatrixBase, sympy.NDimArray)) and x.shape != ():
        shape = tuple(int(k) for k in x.shape)
        flat = list(x.flat()) if isinstance(x, sympy.MatrixBase) else _flattened(x)
        if isinstance(x, sympy.MatrixBase) and shape[1] == 1:
            shape = shape[:1]  # a column is a vector
        return shape, [sympy.sympify(e) for e in flat]
    if isinstance(x, (list, tuple)):
        return (len(x),), [sympy.sympify(e) for e in x]
    return (), [sympy.sympify(x)]


def _flattened(x: Any) -> list[Any]:
    if isinstance(x, np.ndarray):
        return list(x.ravel())
    return list(sympy.flatten(x.tolist()))


def _nested(shape: Sequence[int], values: Sequence[str], start: str, end: str) -> str:
    """[[a, b], [c, d]]."""
    if len(shape) == 1:
        return start + ", ".join(values) + end
    step = len(values) // shape[0] if shape[0] else 0
    rows = [
        _nested(shape[1:], values[k * step : (k + 1) * step], start, end) for k in range(shape[0])
    ]
    return start + ", ".join(rows) + end


def _element(name: str, shape: Sequence[int], k: int) -> str:
    """M[1][0], or *K."""
    if not shape:
        return f"*{name}"
    indices: list[int] = []
    for size in reversed(shape):
        k, i = divmod(k, size)
        indices.insert(0, i)
    return name + "".join(f"[{i}]" for i in indices)


@cache
def _python_printer() -> Any:
    from sympy.printing.numpy import NumPyPrinter

    class Printer(NumPyPrinter):  # type: ignore[misc]
        """The least and the greatest of several by calls of two, which need no other module."""

        def _print_Max(self, expr: Any, function: str = "maximum") -> str:  # noqa: N802
            parts = [str(self._print(a)) for a in expr.args]
            return reduce(lambda a, b: f"numpy.{function}({a}, {b})", parts)

        def _print_Min(self, expr: Any) -> str:  # noqa: N802
            return self._print_Max(expr, "minimum")

    printer = Printer({"fully_qualified_modules": True})
    return _refusing("Python", lambda e: re.sub(r"\bnumpy\.", "np.", printer.doprint(e)))


@cache
def _c_printer() -> Any:
    from sympy.printing.c import C99CodePrinter

    class Printer(C99CodePrinter):  # type: ignore[misc]
        """Squares and cubes of names as products."""

        def _print_Pow(self, expr: Any) -> str:  # noqa: N802
            if expr.base.is_Symbol and expr.exp in (2, 3):
                return "(" + "*".join([self._print(expr.base)] * int(expr.exp)) + ")"
            return str(super()._print_Pow(expr))

        def _print_NumberSymbol(self, expr: Any) -> str:  # noqa: N802
            return repr(float(expr))  # strict C99 has no M_PI

    return _refusing("C", Printer({"math_macros": {}}).doprint)


def _refusing(language: str, write: Callable[[Any], str]) -> Callable[[Any], str]:
    """The printer; what it cannot write is refused by its name."""
    from sympy.core.function import AppliedUndef
    from sympy.printing.codeprinter import PrintMethodNotImplementedError

    def written(x: Any) -> str:
        for f in sorted(str(y.func) for y in x.atoms(AppliedUndef)):
            raise ArgumentError(
                f"{f} is an unknown function, for which there is no {language}: "
                "state a formula in its place"
            )
        for slope in sorted(map(str, x.atoms(sympy.Derivative))):
            raise ArgumentError(f"there is no {language} for {slope}")
        try:
            return write(x)
        except PrintMethodNotImplementedError as error:
            what = str(error).partition("\n")[0].rpartition(": ")[2]
            raise ArgumentError(f"there is no {language} for {what}, in {x!s:.60}") from None

    return written
