"""A program as source text: C99 and JavaScript, one line per operation."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

import numpy as np

from visviva.algebra.expr import CONSTANT
from visviva.algebra.ops import OPS
from visviva.errors import ArgumentError
from visviva.machine.program.program import Program
from visviva.notation.identifiers import C_WORDS

JS_WORDS = set(
    "arguments await break case catch class const continue debugger default delete do else enum "
    "eval export extends false finally for function if implements import in instanceof interface "
    "let new null package private protected public return static super switch this throw true try "
    "typeof var void while with yield Math Infinity NaN undefined".split()
)


def c_source(program: Program, name: str) -> str:
    """A C99 function; compile it with `cc -O2 file.c -lm`."""
    _check(name, C_WORDS, "C")
    names = _argument_names(program, C_WORDS | {name})
    ins, outs = names[: len(program.inputs)], names[len(program.inputs) :]
    parameters = [f"const double *{x}" for x in ins] + [f"double *{y}" for y in outs]
    references = [
        f"{x}[{i}]" for x, port in zip(ins, program.inputs, strict=True) for i in range(port.size)
    ]
    lines, values = _body(program, references, "const double", "c", ("NAN", "INFINITY"))
    for y, port in zip(outs, program.outputs, strict=True):
        lines += [f"{y}[{i}] = {next(values)};" for i in range(port.size)]
    body = "\n".join(f"    {line}" for line in lines)
    return (
        f"/* {_signature(program, name)}; arrays are row-major */\n"
        f"#include <math.h>\n\n"
        f"void {name}({', '.join(parameters) or 'void'})\n{{\n{body}\n}}\n"
    )


def js_source(program: Program, name: str) -> str:
    """A JavaScript function; several outputs come back as an object with their names."""
    _check(name, JS_WORDS, "JavaScript")
    ins = _argument_names(program, JS_WORDS | {name})[: len(program.inputs)]
    references = [
        x + "".join(f"[{i}]" for i in index)
        for x, port in zip(ins, program.inputs, strict=True)
        for index in np.ndindex(*port.shape)
    ]
    lines, values = _body(program, references, "const", "js", ("NaN", "Infinity"))
    outputs = {port.name: _nested(port.shape, values) for port in program.outputs}
    if len(outputs) == 1:
        lines.append(f"return {next(iter(outputs.values()))};")
    else:
        lines.append("return {" + ", ".join(f'"{k}": {y}' for k, y in outputs.items()) + "};")
    body = "\n".join(f"  {line}" for line in lines)
    return f"// {_signature(program, name)}\nfunction {name}({', '.join(ins)}) {{\n{body}\n}}\n"


def _body(
    program: Program,
    references: Sequence[str],
    declare: str,
    language: str,
    not_finite: tuple[str, str],
) -> tuple[list[str], Iterator[str]]:
    """A line for every operation, and what stands for each output scalar then."""
    lines, values = [], list(references)
    for i, (op, *args) in enumerate(program.code):
        if op == CONSTANT:
            values.append(_number(args[0], *not_finite))
        else:
            text = getattr(OPS[op], language).format(*(values[x] for x in args))
            lines.append(f"{declare} t{i} = {text};")
            values.append(f"t{i}")
    return lines, (values[x] for x in program.results)


def _number(x: float, nan: str, infinity: str) -> str:
    if math.isnan(x):
        return nan
    text = infinity if math.isinf(x) else repr(abs(x))
    return f"(-{text})" if x < 0 else text


def _signature(program: Program, name: str) -> str:
    inputs, outputs = (", ".join(map(str, side)) for side in (program.inputs, program.outputs))
    return f"{name}({inputs}) -> {outputs}: {program.operations}"


def _check(name: str, taken: set[str], language: str) -> None:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in taken:
        raise ArgumentError(
            f"{name!r} cannot name a {language} function: give c_source or js_source another"
        )


def _argument_names(program: Program, taken: set[str]) -> list[str]:
    """The ports' names, changed where the language or our own `t0`, `t1`, ... have them already."""
    names: list[str] = []
    for port in (*program.inputs, *program.outputs):
        name = re.sub(r"[^A-Za-z0-9_]", "_", port.name)
        if re.fullmatch(r"t\d+|M_\w*", name):  # t0, t1, ... are our values, M_PI a macro
            name = f"arg_{name}"
        while name in taken or name in names:
            name += "_"
        names.append(name)
    return names


def _nested(shape: Sequence[int], values: Iterator[str]) -> str:
    if not shape:
        return next(values)
    return "[" + ", ".join(_nested(shape[1:], values) for _ in range(shape[0])) + "]"
