"""THE table of elementary functions as vector code, one row each, and their definitions.

Those that have no row, and all of them where the processor has no fused multiply-add, are the C
library's, lane by lane; so are single lanes that a row leaves to it. What a lane gets never depends
on its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from visviva.algebra.ops import OPS
from visviva.machine.code.cpu import Cpu
from visviva.machine.code.elementary import arcs, circle, exponential, hyperbolic
from visviva.machine.code.elementary.constants import in_memory
from visviva.machine.code.elementary.libm import library_function
from visviva.machine.code.elementary.writer import DOUBLE, TRUTH, Text, Vector, select


@dataclass(frozen=True)
class Elementary:
    """How a function is written over vectors, and what the C library calls its results.

    Lanes for which `beyond` is true are left to the C library.
    """

    write: Callable[..., Any]
    library: tuple[str, ...]
    beyond: Callable[..., Vector] | None = None


ELEMENTARY: Mapping[str, Elementary] = MappingProxyType(
    {
        "sincos": Elementary(circle.sincos, ("sin", "cos"), beyond=circle.is_large),
        "tan": Elementary(circle.tan, ("tan",), beyond=circle.is_large),
        "atan": Elementary(arcs.atan, ("atan",)),
        "atan2": Elementary(arcs.atan2, ("atan2",)),
        "asin": Elementary(arcs.asin, ("asin",)),
        "acos": Elementary(arcs.acos, ("acos",)),
        "exp": Elementary(exponential.exp, ("exp",)),
        "log": Elementary(exponential.log, ("log",)),
        "sinh": Elementary(hyperbolic.sinh, ("sinh",)),
        "cosh": Elementary(hyperbolic.cosh, ("cosh",)),
        "tanh": Elementary(hyperbolic.tanh, ("tanh",)),
    }
)


def definitions(names: Collection[str], lanes: int, cpu: Cpu, inlined: bool = False) -> str:
    """Definitions of `@vv.<name>` for the names; `sincos`, if among them, may be inlined."""
    texts, library = list[str](), set[str]()
    for name in sorted(names):
        row = ELEMENTARY.get(name)
        if row is None:
            texts.append(library_function(name, lanes, name))
        elif cpu.has_fma:
            how = "alwaysinline" if inlined and name == "sincos" else "noinline"
            text = _vector_function(name, row, lanes, how)
            texts.append(in_memory(text, f"@vv.{name}.constants", lanes, cpu))
            library |= set(row.library if row.beyond else ())
        elif len(row.library) == 1:
            texts.append(library_function(name, lanes, name))
        else:
            texts.append(_several(name, row, lanes))
            library |= set(row.library)
    texts += [library_function(name, lanes, f"libm.{name}") for name in sorted(library)]
    return "\n".join(texts)


def _vector_function(name: str, row: Elementary, lanes: int, how: str) -> str:
    """A row as a function; it asks the C library only if a lane is beyond."""
    text = Text(lanes)
    xs = _arguments(row, text)
    made = row.write(*xs)
    results = made if isinstance(made, tuple) else (made,)
    if row.beyond:
        far = row.beyond(*xs)
        truths = f"{text.type_of(TRUTH)} {far.name}"
        text.lines += [
            f"%any = call i1 @llvm.vector.reduce.or.v{lanes}i1({truths})",
            "br i1 %any, label %beyond, label %within",
            "within:",
            *_returned(text, results),
            "beyond:",
        ]
        theirs = [_library_call(f, xs) for f in row.library]
        results = tuple(select(far, a, b) for a, b in zip(theirs, results, strict=True))
    return _function(name, text, xs, results, how)


def _several(name: str, row: Elementary, lanes: int) -> str:
    """Results that the C library computes one by one."""
    text = Text(lanes)
    xs = _arguments(row, text)
    results = tuple(_library_call(f, xs) for f in row.library)
    return _function(name, text, xs, results, "noinline")


def _arguments(row: Elementary, text: Text) -> list[Vector]:
    arity = OPS[row.library[0]].arity
    return [Vector(text, DOUBLE, f"%x{i}") for i in range(arity)]


def _library_call(name: str, xs: list[Vector]) -> Vector:
    text, T = xs[0].text, xs[0].text.type_of(DOUBLE)
    given = ", ".join(f"{T} {x.name}" for x in xs)
    return text.let(DOUBLE, f"call {T} @vv.libm.{name}({given})")


def _function(
    name: str, text: Text, xs: list[Vector], results: tuple[Vector, ...], how: str
) -> str:
    T = text.type_of(DOUBLE)
    kind = T if len(results) == 1 else f"{{{', '.join([T] * len(results))}}}"
    parameters = ", ".join(f"{T} {x.name}" for x in xs)
    body = "\n  ".join([*text.lines, *_returned(text, results)])
    return f"\ndefine internal {kind} @vv.{name}({parameters}) {how} {{\n  {body}\n}}"


def _returned(text: Text, results: tuple[Vector, ...]) -> Iterator[str]:
    """Return the result, or all of them together; registers are named after the first."""
    T = text.type_of(DOUBLE)
    if len(results) == 1:
        yield f"ret {T} {results[0].name}"
        return
    kind, whole = f"{{{', '.join([T] * len(results))}}}", "poison"
    for k, x in enumerate(results):
        yield f"{results[0].name}.{k} = insertvalue {kind} {whole}, {T} {x.name}, {k}"
        whole = f"{results[0].name}.{k}"
    yield f"ret {kind} {whole}"
