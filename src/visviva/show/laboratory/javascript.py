"""Programs as short JavaScript over flat arrays, in pieces that a browser makes fast.

`Function.js_source` is made to be read: a line for each operation. Here a value that is used once
stands where it is used, results go into an array that is handed in, so that no step of a motion
makes garbage, and long programs are cut: browsers do not optimise functions of more than some
thousand operations. The operations and their order are the same, so that the numbers are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, product
from string import ascii_letters
from typing import NamedTuple

from visviva.algebra.expr import CONSTANT
from visviva.algebra.ops import OPS
from visviva.machine.program.blocks import Layout, split
from visviva.machine.program.program import Program
from visviva.machine.source import JS_WORDS

_LARGEST = 1200  # operations of a piece: V8 gives up beyond 60 000 bytes of its own code
_LONGEST = 300  # characters of one expression
SCRATCH = "w"  # an array for what waits from one piece to the next; shared, as calls do not nest

ATOM, PRODUCT, SUM = 0, 1, 2  # how tightly the outermost operation of a text binds
_ARITHMETIC = {"add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT), "div": ("/", PRODUCT)}


class Text(NamedTuple):
    """An expression, and how tightly it binds."""

    text: str
    binds: int = ATOM

    def within(self, binds: int) -> str:
        """As a part of something that binds so: in brackets where these are needed."""
        return self.text if self.binds <= binds else f"({self.text})"


class Written(NamedTuple):
    """Functions of JavaScript, and how many numbers of scratch they need."""

    text: str
    scratch: int


def written(
    program: Program,
    name: str,
    arguments: Sequence[str],
    places: Mapping[str, Sequence[str]] | None = None,
) -> Written:
    """`function name(arguments…, y)`, which writes all outputs, flat, into the array y.

    Inputs are arrays of the same names, flat, or numbers where they are scalars; `places` says
    where the entries of an input are found if it is elsewhere, `{"parameters": ["p[3]", "p[0]"]}`.
    """
    return _Writer(program, name, arguments, places or {}).written()


class _Writer:
    def __init__(
        self,
        program: Program,
        name: str,
        arguments: Sequence[str],
        places: Mapping[str, Sequence[str]],
    ) -> None:
        self.program, self.name = program, name
        self.heads = [*arguments, "y"]
        self.layout: Layout = split(program, _LARGEST)
        self.values: list[Text] = []
        for port in program.inputs:
            own = places.get(port.name)
            if own is None:
                own = [f"{port.name}[{i}]" for i in range(port.size)] if port.shape else [port.name]
            self.values += map(Text, own)
        self.results: dict[int, list[int]] = {}
        for k, value in enumerate(program.results):
            self.results.setdefault(value, []).append(k)
        self.uses = [0] * (program.arguments + len(program.code))
        self.several: set[int] = set()  # values that stand several times in the text of a user
        for op, *args in program.code:
            for i, value in enumerate(args if op != CONSTANT else ()):
                self.uses[value] += 1
                if op not in _ARITHMETIC and OPS[op].js.count(f"{{{i}}}") > 1:
                    self.several.add(value)

    def written(self) -> Written:
        pieces = [self._piece(block) for block in self.layout.blocks]
        handed = ", ".join(self.heads)
        whole = [
            f"y[{k}] = {self.values[value].text};"  # inputs and constants that are results
            for value, places in self.results.items()
            for k in places
            if value < self.program.arguments or self._is_constant(value)
        ]
        if len(pieces) < 2:
            body = " ".join([*pieces, *whole])
            return Written(f"function {self.name}({handed}) {{ {body} }}\n", self.layout.size)
        names = [f"{self.name}_{k + 1}" for k in range(len(pieces))]
        parts = [
            f"function {own}({handed}) {{ {text} }}\n"
            for own, text in zip(names, pieces, strict=True)
        ]
        calls = " ".join([*(f"{own}({handed});" for own in names), *whole])
        text = "".join([*parts, f"function {self.name}({handed}) {{ {calls} }}\n"])
        return Written(text, self.layout.size)

    def _is_constant(self, value: int) -> bool:
        first = self.program.arguments
        return value >= first and self.program.code[value - first][0] == CONSTANT

    def _piece(self, block: range) -> str:
        """The statements of a block; what later blocks want is put into the scratch."""
        names, lines, first = _names({*self.heads, SCRATCH}), [], self.program.arguments
        for i in block:
            op, *args = self.program.code[i]
            value = first + i
            if op == CONSTANT:
                self.values.append(_number(args[0]))
                continue
            made = _operation(op, [self.values[x] for x in args])
            places = self.results.get(value, ())
            slot = self.layout.slots.get(value)
            inside = self.uses[value]
            alone = inside == 1 and not places and slot is None and value not in self.several
            if alone and len(made.text) <= _LONGEST:
                self.values.append(made)
                continue
            kept = "".join(f"y[{k}] = " for k in places)
            if slot is not None:
                kept += f"{SCRATCH}[{slot}] = "
            if inside and not (inside == 1 and slot is not None):
                own = next(names)
                lines.append(f"const {own} = {kept}{made.text};")
                self.values.append(Text(own))
            else:
                lines.append(f"{kept}{made.text};")
                self.values.append(Text(f"{SCRATCH}[{slot}]"))
        for value, slot in self.layout.slots.items():
            if first + block.start <= value < first + block.stop:
                self.values[value] = Text(f"{SCRATCH}[{slot}]")
        return " ".join(_joined(lines))


def _operation(op: str, args: Sequence[Text]) -> Text:
    """The text of one operation; sums and products are never regrouped, as numbers would change."""
    if op in _ARITHMETIC:
        sign, binds = _ARITHMETIC[op]
        a, b = args
        return Text(f"{a.within(binds)} {sign} {b.within(binds - 1)}", binds)
    inside = [x.text if OPS[op].is_function else x.within(ATOM) for x in args]
    return Text(OPS[op].js.format(*inside))


def _number(x: float) -> Text:
    if math.isnan(x):
        return Text("NaN")
    size = "Infinity" if math.isinf(x) else repr(abs(x)).removesuffix(".0")
    if size.startswith("0."):
        size = size[1:]
    return Text(f"(-{size})" if math.copysign(1.0, x) < 0 else size)


def _names(taken: set[str]) -> Iterator[str]:
    """a, b, … z, A, … Z, aa, … but for words of the language and those that are taken."""
    for n in count(1):
        for letters in product(ascii_letters, repeat=n):
            name = "".join(letters)
            if name not in taken and name not in JS_WORDS:
                yield name


def _joined(lines: Sequence[str]) -> Iterator[str]:
    """Statements, with one `const` for many names."""
    run: list[str] = []
    for line in lines:
        if line.startswith("const "):
            run.append(line.removeprefix("const ").removesuffix(";"))
            continue
        if run:
            yield f"const {', '.join(run)};"
            run = []
        yield line
    if run:
        yield f"const {', '.join(run)};"
