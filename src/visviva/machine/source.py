"""A program as source text: C99, with a header and a build file, and JavaScript.

One line per operation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from visviva.algebra.expr import CONSTANT
from visviva.algebra.ops import OPS
from visviva.errors import ArgumentError, WriteError, check_known
from visviva.machine.program.program import Program
from visviva.notation.identifiers import C_WORDS, MACRO, identifier
from visviva.notation.names import fresh

JS_WORDS = set(
    "arguments await break case catch class const continue debugger default delete do else enum "
    "eval export extends false finally for function if implements import in instanceof interface "
    "let new null package private protected public return static super switch this throw true try "
    "typeof var void while with yield Math Infinity NaN undefined".split()
)


class CScalar(NamedTuple):
    """A type of C: how its functions and numbers end, its numpy type, its finest comparison."""

    ending: str
    kind: Any
    least: float


C_SCALARS = {
    "double": CScalar("", np.float64, 0.0),
    "float": CScalar("f", np.float32, 2.0**-24),  # its rounding: finer comparisons mean nothing
}
COMPARISONS = {"lt", "le", "eq", "ne"}  # operations
# names of targets that CMake reserves
CMAKE_WORDS = set(
    "all ALL_BUILD clean edit_cache help install INSTALL list_install_components package PACKAGE "
    "package_source rebuild_cache RUN_TESTS test ZERO_CHECK".split()
)
OWN_FOLDER = "save_c takes a folder of its own for each function"


def c_source(program: Program, name: str, scalar: str = "double") -> str:
    """A C99 function; compile it with `cc -O2 file.c -lm`."""
    head, ins, outs = _c_head(program, name, scalar)
    ending = C_SCALARS[scalar].ending
    _check_comparisons(program, name, scalar)
    references = [
        f"{x}[{i}]" for x, port in zip(ins, program.inputs, strict=True) for i in range(port.size)
    ]
    # NAN and INFINITY are floats: without the cast compilers warn of a conversion to double
    not_finite = f"({scalar})NAN", f"({scalar})INFINITY"
    lines, values = _body(
        program,
        references,
        f"const {scalar}",
        lambda op, *x: OPS[op].c_text(*x, scalar=ending),
        lambda x: _number(x, *not_finite, _c_digits(name, x, scalar)),
    )
    for y, port in zip(outs, program.outputs, strict=True):
        lines += [f"{y}[{i}] = {next(values)};" for i in range(port.size)]
    lines += [f"(void){x};" for x in _unused_arguments(program, ins, outs)]
    body = "\n".join(f"    {line}" for line in lines)
    return f"{_c_remark(program, name)}#include <math.h>\n\n{head}\n{{\n{body}\n}}\n"


def c_header(program: Program, name: str, scalar: str = "double") -> str:
    """The declaration of that function, for C and C++."""
    head, *_ = _c_head(program, name, scalar)
    guard = f"VISVIVA_{name}_H"
    return (
        f"{_c_remark(program, name)}#ifndef {guard}\n#define {guard}\n\n"
        f'#ifdef __cplusplus\nextern "C" {{\n#endif\n\n{head};\n\n'
        f"#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )


def c_files(program: Program, name: str, scalar: str = "double") -> dict[str, str]:
    """A library of that function: names of files, and what is in them."""
    _check_name(name, name in CMAKE_WORDS, "CMake library of a C")
    return {
        f"{name}.h": c_header(program, name, scalar),
        f"{name}.c": f'#include "{name}.h"\n\n{c_source(program, name, scalar)}',
        "CMakeLists.txt": f"""cmake_minimum_required(VERSION 3.10)
project({name} C)
add_library({name} STATIC {name}.c)
set_target_properties({name} PROPERTIES
  C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
target_include_directories({name} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
if(UNIX)
  target_link_libraries({name} PUBLIC -lm)
endif()
""",
    }


def save_c(program: Program, name: str, scalar: str, folder: Path) -> None:
    """Write these files to a folder, new or not; a file of somebody else's is never replaced."""
    texts = {folder / file: text for file, text in c_files(program, name, scalar).items()}
    build = folder / "CMakeLists.txt"
    try:
        is_ours = build.exists() and build.read_bytes() == texts[build].encode()
        if existing := [] if is_ours else [x for x in (build, *texts) if x.exists()]:
            error = f"{existing[0]} is there already, and is not that of {name}: {OWN_FOLDER}"
            raise WriteError(error)
        folder.mkdir(parents=True, exist_ok=True)
        for file in (build, *texts):  # with it the folder is ours
            file.write_bytes(texts[file].encode())
    except OSError as error:
        raise WriteError(f"{folder}: cannot be written: {error.strerror}; {OWN_FOLDER}") from None


def _c_head(program: Program, name: str, scalar: str) -> tuple[str, list[str], list[str]]:
    """The function up to its body, and the names of inputs and outputs."""
    check_known("scalar of C", scalar, C_SCALARS)
    _check_name(name, name in C_WORDS or MACRO.fullmatch(name) is not None, "C")
    names = _argument_names(program, C_WORDS | {name})
    ins, outs = names[: len(program.inputs)], names[len(program.inputs) :]
    parameters = [f"const {scalar} *{x}" for x in ins] + [f"{scalar} *{y}" for y in outs]
    return f"void {name}({', '.join(parameters) or 'void'})", ins, outs


def _c_remark(program: Program, name: str) -> str:
    return f"/* {_signature(program, name)}; arrays are row-major */\n"


def _check_comparisons(program: Program, name: str, scalar: str) -> None:
    """Refuse comparisons with numbers that are finer than the scalar resolves."""
    numbers = {
        program.arguments + i: abs(args[0])
        for i, (op, *args) in enumerate(program.code)
        if op == CONSTANT
    }
    for op, *args in program.code:
        for x in args if op in COMPARISONS else ():
            if 0.0 < numbers.get(x, 0.0) < C_SCALARS[scalar].least:
                raise ArgumentError(
                    f"{name} compares with {numbers[x]:g}, which is finer than the rounding of "
                    f"{scalar}: write it with scalar='double'"
                )


def _c_digits(name: str, x: float, scalar: str) -> str:
    """The absolute value of a number: the shortest text that is read as the nearest of its type."""
    ending, kind, _ = C_SCALARS[scalar]
    with np.errstate(over="ignore", under="ignore"):
        size = kind(abs(x))
    if np.isfinite(x) and (np.isinf(size) or (x and not size)):
        raise ArgumentError(
            f"{name} has the number {x:g}, which {scalar} has not: write it with scalar='double'"
        )
    return f"{size!s}{ending}"


def js_source(program: Program, name: str) -> str:
    """A JavaScript function; several outputs come back as an object with their names."""
    _check_name(name, name in JS_WORDS, "JavaScript")
    ins = _argument_names(program, JS_WORDS | {name})[: len(program.inputs)]
    references = [
        x + "".join(f"[{i}]" for i in index)
        for x, port in zip(ins, program.inputs, strict=True)
        for index in np.ndindex(*port.shape)
    ]
    lines, values = _body(
        program,
        references,
        "const",
        lambda op, *x: OPS[op].js.format(*x),
        lambda x: _number(x, "NaN", "Infinity", repr(abs(x))),
    )
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
    operation: Callable[..., str],
    number: Callable[[float], str],
) -> tuple[list[str], Iterator[str]]:
    """A line for every operation, and what stands for each output scalar then."""
    lines, values = [], list(references)
    for i, (op, *args) in enumerate(program.code):
        if op == CONSTANT:
            values.append(number(args[0]))
        else:
            lines.append(f"{declare} t{i} = {operation(op, *(values[x] for x in args))};")
            values.append(f"t{i}")
    return lines, (values[x] for x in program.results)


def _unused_arguments(program: Program, ins: Sequence[str], outs: Sequence[str]) -> Iterator[str]:
    """Arguments that nothing reads or writes: compilers warn of these."""
    read_values = {x for op, *args in program.code if op != CONSTANT for x in args} | {
        *program.results
    }
    first = 0
    for name, port in zip(ins, program.inputs, strict=True):
        if read_values.isdisjoint(range(first, first + port.size)):
            yield name
        first += port.size
    yield from (y for y, port in zip(outs, program.outputs, strict=True) if not port.size)


def _number(x: float, nan: str, infinity: str, digits: str) -> str:
    if math.isnan(x):
        return nan
    text = infinity if math.isinf(x) else digits
    return f"(-{text})" if x < 0 else text


def _signature(program: Program, name: str) -> str:
    inputs, outputs = (", ".join(map(str, side)) for side in (program.inputs, program.outputs))
    return f"{name}({inputs}) -> {outputs}: {program.operations}"


def _check_name(name: str, is_reserved: bool, language: str) -> None:
    if is_reserved or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ArgumentError(
            f"{name!r} cannot name a {language} function: give c_source or js_source another"
        )


def _argument_names(program: Program, reserved_words: set[str]) -> list[str]:
    """The ports' names, changed where the language or our own `t0`, `t1`, ... have them already."""
    names: list[str] = []
    for port in (*program.inputs, *program.outputs):
        name = identifier(port.name, ())
        is_value = re.fullmatch(r"t\d+", name)  # t0, t1, ... are our values
        names.append(fresh(f"arg_{name}" if is_value else name, {*reserved_words, *names}))
    return names


def _nested(shape: Sequence[int], values: Iterator[str]) -> str:
    if not shape:
        return next(values)
    return "[" + ", ".join(_nested(shape[1:], values) for _ in range(shape[0])) + "]"


def c_loop(
    program: Program, name: str, states: Sequence[str], tables: Sequence[str], done: str
) -> str:
    """A step in C, and `long name_repeat(passes, …)`, which repeats it and returns the passes.

    It ends after a pass whose output `done` is not zero. Arrays of states are changed in place;
    tables have `cycle` rows, one after the other.
    """
    own_names = {name, f"{name}_repeat", "passes", "pass", "cycle", "i"}
    names = _argument_names(program, C_WORDS | own_names)
    ins, ports = names[: len(program.inputs)], program.inputs
    argument_of = dict(zip((port.name for port in ports), ins, strict=True))
    results, copies, exits, arguments = [], [], [], []
    for port, x in zip(ports, ins, strict=True):
        row = f"{x} + (pass % cycle) * {port.size}"
        arguments.append(row if port.name in tables else x)
    for port, y in zip(program.outputs, names[len(ports) :], strict=True):
        results.append(f"double {y}[{max(port.size, 1)}];")
        arguments.append(y)
        if port.name in states:
            x = argument_of[port.name]
            copies.append(f"for (long i = 0; i < {port.size}; i++) {x}[i] = {y}[i];")
        elif port.name == done:
            exits.append(f"if ({y}[0] != 0.0) return pass + 1;")
    kinds = ["double" if port.name in states else "const double" for port in ports]
    parameters = [f"{kind} *{x}" for kind, x in zip(kinds, ins, strict=True)]
    parameters += ["long cycle"] * bool(tables)
    body = [f"{name}({', '.join(arguments)});", *copies, *exits]
    inner = "\n".join(f"        {line}" for line in body)
    outer = "\n".join(f"    {line}" for line in results)
    return (
        f"{c_source(program, name)}\n"
        f"long {name}_repeat(long passes, {', '.join(parameters)})\n{{\n{outer}\n"
        f"    for (long pass = 0; pass < passes; pass++) {{\n{inner}\n    }}\n"
        "    return passes;\n}\n"
    )


def js_loop(
    program: Program, name: str, states: Sequence[str], tables: Sequence[str], done: str
) -> str:
    """A step in JavaScript, and `name_repeat(passes, …)`, which returns {state, passes}.

    `state` is an object with the names of the states; tables are arrays of rows.
    """
    own_names = {name, f"{name}_repeat", "passes", "pass", "next"}
    ins = _argument_names(program, JS_WORDS | own_names)[: len(program.inputs)]
    arguments = [
        f"{x}[pass % {x}.length]" if port.name in tables else x
        for x, port in zip(ins, program.inputs, strict=True)
    ]
    argument_of = dict(zip((port.name for port in program.inputs), ins, strict=True))
    single = len(program.outputs) == 1
    after = {k: "next" if single else f'next["{k}"]' for k in states}
    moves = [f"{argument_of[k]} = {y};" for k, y in after.items()]
    if not single and any(port.name == done for port in program.outputs):
        moves.append(f'if (next["{done}"] !== 0) {{ pass++; break; }}')
    inner = "\n".join(f"    {line}" for line in moves)
    returned = ", ".join(f'"{k}": {argument_of[k]}' for k in states)
    return (
        f"{js_source(program, name)}\n"
        f"function {name}_repeat(passes, {', '.join(ins)}) {{\n  let pass = 0;\n"
        f"  for (; pass < passes; pass++) {{\n    const next = {name}({', '.join(arguments)});\n"
        f"{inner}\n  }}\n  return {{state: {{{returned}}}, passes: pass}};\n}}\n"
    )
