"""LLVM text of a function over vectors of doubles, written by arithmetic on Python values.

A `Vector` stands for a register. What is done to it adds a line to the text of its function and
gives the register that holds the result, so that a formula here reads as it does in a book. Floats
beside vectors are the same number in all lanes. Nothing is reordered or fused unless `fma` says so:
every lane of every width gets the same bits.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

Number = float | int
DOUBLE, INTEGER, TRUTH = "double", "i64", "i1"  # what lanes hold


def number(x: float) -> str:
    """A double as LLVM reads it: by its bits."""
    return "0x" + struct.pack(">d", x).hex().upper()


def splat(x: float) -> str:
    """An LLVM constant: a vector with one number in all lanes."""
    return f"splat (double {number(x)})"


def bits_of(x: float) -> int:
    """The 64 bits of a double as a whole number."""
    return int(struct.unpack(">q", struct.pack(">d", x))[0])


@dataclass
class Text:
    """The lines of a function so far."""

    lanes: int
    lines: list[str] = field(default_factory=list)

    def type_of(self, kind: str) -> str:
        """The type of a vector of doubles, whole numbers or truths."""
        return f"<{self.lanes} x {kind}>"

    def let(self, kind: str, instruction: str) -> Vector:
        """One more line: a new register and what it is."""
        result = Vector(self, kind, f"%r{len(self.lines)}")
        self.lines.append(f"{result.name} = {instruction}")
        return result

    def call(self, intrinsic: str, *arguments: Vector | float) -> Vector:
        """A function of LLVM's for doubles."""
        T = self.type_of(DOUBLE)
        given = ", ".join(f"{T} {self.operand(x, DOUBLE)}" for x in arguments)
        return self.let(DOUBLE, f"call {T} @llvm.{intrinsic}.v{self.lanes}f64({given})")

    def operand(self, x: Vector | Number, kind: str) -> str:
        """How a register or a constant is written."""
        if isinstance(x, Vector):
            return x.name
        return splat(float(x)) if kind == DOUBLE else f"splat ({kind} {int(x)})"


@dataclass(frozen=True, eq=False)
class Vector:
    """A register: doubles, whole numbers of 64 bits, or truths."""

    text: Text
    kind: str
    name: str

    def _made(self, first: Vector | Number, opcode: str, second: Vector | Number) -> Vector:
        names = (self.text.operand(x, self.kind) for x in (first, second))
        return self.text.let(self.kind, f"{opcode} {self._type} {', '.join(names)}")

    def _compared(self, opcode: str, other: Vector | Number) -> Vector:
        line = f"{opcode} {self._type} {self.name}, {self.text.operand(other, self.kind)}"
        return self.text.let(TRUTH, line)

    @property
    def _type(self) -> str:
        return self.text.type_of(self.kind)

    def _of(self, arithmetic: str) -> str:
        """The opcode: f… for doubles."""
        return f"f{arithmetic}" if self.kind == DOUBLE else arithmetic

    def __add__(self, other: Vector | Number) -> Vector:
        return self._made(self, self._of("add"), other)

    def __radd__(self, other: Number) -> Vector:
        return self._made(other, self._of("add"), self)

    def __sub__(self, other: Vector | Number) -> Vector:
        return self._made(self, self._of("sub"), other)

    def __rsub__(self, other: Number) -> Vector:
        return self._made(other, self._of("sub"), self)

    def __mul__(self, other: Vector | Number) -> Vector:
        return self._made(self, self._of("mul"), other)

    def __truediv__(self, other: Vector | Number) -> Vector:
        return self._made(self, "fdiv", other)

    def __rtruediv__(self, other: Number) -> Vector:
        return self._made(other, "fdiv", self)

    def __neg__(self) -> Vector:
        return self.text.let(DOUBLE, f"fneg {self._type} {self.name}")

    def __and__(self, other: Vector | Number) -> Vector:
        return self._made(self, "and", other)

    def __or__(self, other: Vector | Number) -> Vector:
        return self._made(self, "or", other)

    def __xor__(self, other: Vector | Number) -> Vector:
        return self._made(self, "xor", other)

    def __lshift__(self, other: int) -> Vector:
        return self._made(self, "shl", other)

    def __rshift__(self, other: int) -> Vector:
        """Zeros come in from the left."""
        return self._made(self, "lshr", other)

    def __gt__(self, other: Vector | float) -> Vector:
        """NaN is larger than nothing."""
        return self._compared("fcmp ogt", other)

    def __lt__(self, other: Vector | float) -> Vector:
        """NaN is less than nothing."""
        return self._compared("fcmp olt", other)

    def equals(self, other: Vector | Number) -> Vector:
        """Lane by lane; NaN equals nothing."""
        return self._compared("fcmp oeq" if self.kind == DOUBLE else "icmp eq", other)

    def bits(self) -> Vector:
        """Doubles as whole numbers."""
        line = f"bitcast {self._type} {self.name} to {self.text.type_of(INTEGER)}"
        return self.text.let(INTEGER, line)

    def as_double(self) -> Vector:
        """Whole numbers as the doubles that have these bits."""
        line = f"bitcast {self._type} {self.name} to {self.text.type_of(DOUBLE)}"
        return self.text.let(DOUBLE, line)


def fma(a: Vector, b: Vector | float, c: Vector | float) -> Vector:
    """The product a b + c, rounded once."""
    return a.text.call("fma", a, b, c)


def size_of(x: Vector) -> Vector:
    """Its absolute value."""
    return x.text.call("fabs", x)


def root(x: Vector) -> Vector:
    """Square root, correctly rounded."""
    return x.text.call("sqrt", x)


def with_sign(x: Vector, sign: Vector) -> Vector:
    """The size of one with the sign of the other, zeros included."""
    return x.text.call("copysign", x, sign)


def is_negative(x: Vector) -> Vector:
    """Whether the sign is minus, that of -0 too."""
    return x.bits()._compared("icmp slt", 0)


def select(which: Vector, yes: Vector | float, no: Vector | float) -> Vector:
    """One or the other, lane by lane."""
    text = which.text
    kind = next((x.kind for x in (yes, no) if isinstance(x, Vector)), DOUBLE)
    T, names = text.type_of(kind), [text.operand(x, kind) for x in (yes, no)]
    choice = f"{T} {names[0]}, {T} {names[1]}"
    return text.let(kind, f"select {text.type_of(TRUTH)} {which.name}, {choice}")


def polynomial(z: Vector, coefficients: Sequence[float]) -> Vector:
    """Σ cₖ zᵏ, lowest power first, by pairs of pairs (Estrin): few terms wait for others."""
    terms: list[Vector | float] = list(coefficients)
    while len(terms) > 1:
        paired = [fma(z, b, a) for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = [*paired, *(terms[-1:] if len(terms) % 2 else [])]
        z = z * z
    (sum_of_all,) = terms
    if not isinstance(sum_of_all, Vector):
        raise ValueError("a polynomial has two coefficients at least")
    return sum_of_all


def horner(z: Vector, coefficients: Sequence[float]) -> Vector:
    """The same from the highest power down: each step waits for the one before."""
    *rest, top = coefficients
    value: Vector | float = top
    for c in reversed(rest):
        value = fma(z, value, c)
    if not isinstance(value, Vector):
        raise ValueError("a polynomial has two coefficients at least")
    return value


def rough_inverse(x: Vector) -> Vector:
    """1/x to 6 %, of numbers far from overflow: enough where it scales what rounding left over."""
    return (0x7FDE623822FC16E6 - x.bits()).as_double()
