"""`Classification`: what kind of constraints a system has, in sentences, with what proves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

HOLONOMIC, NONHOLONOMIC, MIXED = "holonomic", "nonholonomic", "mixed"
UNKNOWN = "no witness found"
WIDE = 120  # characters of a vector that is still printed
STATED, PROVED, WITNESS = "by statement", "proved", "witness"


@dataclass(frozen=True)
class RowKind:
    """One row: what it is beside the others, why that is so, and what it integrates to.

    `alone` is what it would be without the others: rows may integrate together only.
    """

    name: str
    kind: str
    proof: str
    integral: Any = None  # a formula that stays constant
    alone: str = ""

    def __str__(self) -> str:
        said = f"{self.name}: {_judged(self.kind, self.proof)}"
        if self.integral is not None and self.proof == STATED:
            said += f", {self.integral} = 0"
        elif self.integral is not None:
            said += f", {self.integral} = const"
        elif self.kind == HOLONOMIC and self.proof != STATED:
            said += ", but what it integrates to was not found"
        if self.alone and self.alone != self.kind:
            said += f"; alone it is {self.alone}"
        return said


@dataclass(frozen=True)
class Bracket:
    """Two motions that the rows admit, whose Lie bracket they do not: ω([g₁, g₂]) is not zero.

    Going along g₁, g₂, back along g₁ and back along g₂ leads out of what g₁ and g₂ span.
    """

    coordinates: tuple[str, ...]
    first: tuple[Any, ...]
    second: tuple[Any, ...]
    bracket: tuple[Any, ...]
    row: str
    value: Any

    def __str__(self) -> str:
        if max(len(_vector(x)) for x in (self.first, self.second, self.bracket)) > WIDE:
            return f"the row {self.row} does not vanish on the bracket of two admitted motions"
        return (
            f"g₁ = {_vector(self.first)} and g₂ = {_vector(self.second)} are admitted, "
            f"[g₁, g₂] = {_vector(self.bracket)} is not: the row {self.row} is {self.value} there"
        )


@dataclass(frozen=True)
class Sample:
    """A position where the curl of a row does not vanish on two motions that all rows admit.

    `value` is dω(g₁, g₂) of unit vectors, and `error` a bound of what rounding may have done.
    """

    q: tuple[float, ...]
    t: float
    first: tuple[float, ...]
    second: tuple[float, ...]
    row: str
    value: float
    error: float

    def __str__(self) -> str:
        at = ", ".join(f"{x:.4g}" for x in self.q)
        return (
            f"at q = ({at}) the curl of the row {self.row} is {self.value:.4g} "
            f"on two admitted motions, with an error below {self.error:.1g}"
        )


@dataclass(frozen=True, repr=False)
class Classification:
    """Holonomic or not, of each row and of all together.

    `kind`: "holonomic" if all rows integrate, "nonholonomic" if no function of position stays
    constant, "mixed" between the two, "no witness found" where nothing was proved. `growth`: the
    dimensions that the admitted motions, their brackets, brackets with these and so on span at a
    generic point, among the `coordinates`; where these have t, in the space of positions and times.
    `degree`: the length of it. `certificate`: the functions that stay constant, or a bracket.
    """

    kind: str
    proof: str
    rows: tuple[RowKind, ...]
    coordinates: tuple[str, ...]
    growth: tuple[int, ...] | None
    scleronomic: bool
    certificate: Any
    remarks: tuple[str, ...] = ()

    @property
    def degree(self) -> int | None:
        """Of nonholonomy: how long brackets have to be until longer ones add nothing."""
        return None if self.growth is None else len(self.growth)

    @property
    def integrals(self) -> tuple[Any, ...]:
        """Functions of position and time that stay constant, as far as they were found."""
        return tuple(dict.fromkeys(x.integral for x in self.rows if x.integral is not None))

    def __repr__(self) -> str:
        time = "scleronomic (time does not stand in them)" if self.scleronomic else "rheonomic"
        lines = [
            f"{len(self.rows)} {_rows(len(self.rows))}: {_judged(self.kind, self.proof)}; {time}"
        ]
        if self.growth is not None:
            free, total = self.growth[0], len(self.coordinates)
            space = ", ".join(self.coordinates)
            said = f"  {free} of {total} directions in ({space}) are free"
            if len(self.growth) > 1:
                grown = ", ".join(map(str, self.growth))
                said += f"; with brackets {grown}, degree of nonholonomy {self.degree}"
            lines.append(said)
        lines += [f"  {row}" for row in self.rows]
        if isinstance(self.certificate, (Bracket, Sample)):
            lines.append(f"  {self.certificate}")
        lines += [f"  {x}" for x in self.remarks]
        return "\n".join(lines)


def _judged(kind: str, proof: str) -> str:
    return kind if kind == proof else f"{kind}, {proof}"


def _rows(count: int) -> str:
    return "row" if count == 1 else "rows"


def _vector(x: tuple[Any, ...]) -> str:
    return f"({', '.join(map(str, x))})"
