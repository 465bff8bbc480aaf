"""A system of energies in independent coordinates q = Φ(q′, t), and the proof that it is the same.

Where Φ fulfils the constraints and J = ∂Φ/∂q′ spans what they admit, constraint forces do no work
on J, and Jᵀ (d/dt ∂L/∂v - ∂L/∂q + b - Q - τ) = 0 are all equations of motion that are left. They
are compared with those of the reduced system, formula by formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import sympy

from visviva.describe.constraints.constraint import Constraints
from visviva.describe.energies.formulas import TIME, Names, listed, name_of
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.equations.integrability.classification import HOLONOMIC
from visviva.equations.integrability.flag import echelon
from visviva.equations.integrability.functions import Functions
from visviva.equations.integrability.surface import Surface, surface
from visviva.equations.lagrange.constraints import pfaffian, position_rows
from visviva.equations.lagrange.equality import compared, compared_formally
from visviva.equations.lagrange.half_angle import HalfAngle, half_angle, is_independent
from visviva.errors import ArgumentError, OutsideError


@dataclass(frozen=True, repr=False)
class Reduction:
    """A `system` in independent coordinates, `relations` that lead back, and what was proved."""

    system: Lagrangian
    relations: Mapping[str, Any]  # the former coordinates, of the new ones and t
    proof: tuple[str, ...]

    def __repr__(self) -> str:
        where = ", ".join(f"{q} = {x}" for q, x in self.relations.items())
        lines = [f"{self.system.name!r} in ({', '.join(self.system.coordinates)}): {where}"]
        return "\n".join([*lines, *(f"  {x}" for x in self.proof)])


def reduction(
    s: Lagrangian, new: Any, relations: Mapping[Any, Any] | None, branch: int = 1
) -> Reduction:
    """By relations that are given, or by those that can be found."""
    if not s.constraints:
        raise ArgumentError(f"{s.name!r} has no constraints: its coordinates are independent")
    if (new is None) != (relations is None):
        raise ArgumentError("reduce takes new coordinates and relations, or neither of them")
    if branch not in (1, -1):
        raise ArgumentError(f"branch is 1 or -1, got {branch!r}")
    if relations is None:
        return _found(s, branch)
    names = Names(listed(new), s.parameter_names)
    read = {
        sympy.Symbol(name_of(q)): names.read(f"relation of {name_of(q)}", x, "coordinates")
        for q, x in relations.items()
    }
    on = Surface(names.q, read)
    moving = [k for k in range(len(s.constraints)) if k not in position_rows(s)]
    solved = [*position_rows(s), *(k for k in moving if not _in(s, on, [k]).constraints)]
    return _reduced(s, on, sorted(solved), ())


def _found(s: Lagrangian, branch: int) -> Reduction:
    """First where positions hold, then what velocity constraints integrate to there."""
    rows = position_rows(s)
    names = pfaffian(s).names
    taken = {*s.parameter_names, *s.names.motion}
    on = surface([s.constraints[k] for k in rows], s.names.q, taken)
    if on.left:
        closed = half_angle(on.left, on.coordinates, branch)
        if closed is None:
            raise _not_solved(s, on.left[0])
        return _closed(s, on, closed, rows)
    kept = [k for k in range(len(names)) if k not in rows]
    said = []
    if kept:
        there = _in(s, on, kept)
        kinds = there.constraints.classify().rows if there.constraints else ()
        whole = {k: x for k, x in zip(kept, kinds, strict=True) if x.kind == HOLONOMIC}
        if not rows and not whole:
            raise ArgumentError(
                f"no constraint of {s.name!r} integrates, so that its coordinates stay: "
                f"{names[kept[0]]} is nonholonomic"
            )
        if lost := [x.name for x in whole.values() if x.integral is None]:
            raise _not_solved(s, f"what {lost[0]} integrates to")
        used = taken | {x.name for x in on.angles}
        levels = [_level(x.integral, there, used) for x in whole.values()]
        more = surface(levels, on.coordinates, used)
        if more.left:
            raise _not_solved(s, more.left[0])
        said = [f"{x.integral} is constant" for x in whole.values()]
        on = _after(on, more)
        kept = [k for k in kept if k not in whole]
        said += [f"{names[k]} does not integrate and stays" for k in kept]
    solved = [k for k in range(len(names)) if k not in kept]
    return _reduced(s, on, solved, tuple(said))


def _after(on: Surface, more: Surface) -> Surface:
    """One surface in another."""
    relations = {q: more.on(x) for q, x in on.relations.items()} | more.relations
    return Surface(
        more.coordinates,
        relations,
        (*(x for x in on.angles if x in more.coordinates), *more.angles),
        more.left,
        (*on.assumed, *more.assumed),
    )


def _level(f: Any, s: Lagrangian, used: set[str]) -> Any:
    """f - constant; of a circle or sphere the constant is that of a radius."""
    squares = {sympy.expand(f.diff(y, 2) / 2) for y in s.names.q if f.has(y)}
    round_ = len(squares) == 1 and not any(a.has(*s.names.q, TIME) for a in squares)
    many = sum(f.has(y) for y in s.names.q) > 1
    a = next(iter(squares)) if round_ and many else 0
    name = _free("R" if a != 0 else "c", used)
    used.add(name)
    constant = sympy.Symbol(name)
    return f - (a * constant**2 if a != 0 else constant)


def _free(letter: str, used: set[str]) -> str:
    k, name = 1, letter
    while name in used:
        k, name = k + 1, f"{letter}{k + 1}"
    return name


def _in(s: Lagrangian, on: Surface, kept: Sequence[int]) -> Lagrangian:
    """The system on a surface, with some of its constraints."""
    called = s.constraints.given_names
    some = Constraints([s.constraints[k] for k in kept], [called[k] for k in kept])
    held = s._changed(constraints=some)
    there = held.in_coordinates(
        tuple(x.name for x in on.coordinates),
        {x.name: f for x, f in on.relations.items()},
        (*(x.name for x in on.angles), *(x for x in s.angles if sympy.Symbol(x) in on.coordinates)),
    )
    pairs = zip(there.constraints, there.constraints.given_names, strict=True)
    left = [(x, name) for x, name in pairs if not _is_zero(x)]
    if len(left) == len(there.constraints):
        return there
    return there._changed(constraints=Constraints([x for x, _ in left], [name for _, name in left]))


def _is_zero(x: Any) -> bool:
    try:
        return Functions([x], ()).is_zero(x)
    except OutsideError:
        return bool(x == 0)


def _reduced(s: Lagrangian, on: Surface, solved: Sequence[int], said: tuple[str, ...]) -> Reduction:
    kept = [k for k in range(len(s.constraints)) if k not in solved]
    there = _in(s, on, kept)
    proof = (*said, *_proof(s, there, on, solved))
    note = f"reduced to independent coordinates from {s.name!r}: {proof[-1]}"
    there = there._changed(notes=(*there._fields["notes"], note))
    return Reduction(
        there,
        MappingProxyType({x.name: on.relations.get(x, x) for x in s.names.q}),
        tuple(proof),
    )


def _closed(s: Lagrangian, on: Surface, by: HalfAngle, rows: Sequence[int]) -> Reduction:
    """By tangents of half an angle; constraints on velocities stay."""
    left = tuple(x for x in on.coordinates if x not in by.relations)
    names = tuple(x for x in on.angles if x in left)
    whole = _after(on, Surface(left, by.relations, names, (), by.assumed))
    there = _in(s, whole, [k for k in range(len(s.constraints)) if k not in rows])
    proof = tuple(_proof_by_tangents(s, there, on, whole, by, rows))
    note = f"reduced to independent coordinates from {s.name!r}: {proof[-1]}"
    there = there._changed(notes=(*there._fields["notes"], note))
    known = {x.name: whole.relations.get(x, x) for x in s.names.q}
    return Reduction(there, MappingProxyType(known), proof)


def _proof_by_tangents(
    s: Lagrangian,
    there: Lagrangian,
    on: Surface,
    whole: Surface,
    by: HalfAngle,
    rows: Sequence[int],
) -> Iterator[str]:
    """Sentences, each of which was proved; an error where one is not true."""
    stated = pfaffian(s)
    try:
        false = [k for k in rows if not by.vanishes(on.on(stated.positions[k]))]
        if false or not by.is_sound:
            raise _not_solved(s, stated.names[(*false, *rows)[0]])
    except OutsideError as reason:
        raise ArgumentError(f"how {s.name!r} closes could not be proved: {reason}") from None
    yield "the constraints hold for all new coordinates, velocities and times"
    place = sympy.Matrix([whole.relations.get(q, q) for q in s.names.q])
    count = s.nv - len(whole.coordinates)
    A = sympy.Matrix([[on.on(e) for e in stated.A[k]] for k in rows])
    if not is_independent(by, A, count):
        raise _not_solved(s, "a position at which constraints are independent")
    yield (
        f"{count} of the constraints are independent but at special values: nothing but the "
        "new coordinates is left"
    )
    for assumed in whole.assumed:
        yield f"parameters and coordinates are such that {assumed}"
    yield compared_formally(s, there, place)


def _proof(s: Lagrangian, there: Lagrangian, on: Surface, solved: Sequence[int]) -> Iterator[str]:
    """Sentences, each of which was proved; an error where one is not true."""
    rows, x = pfaffian(s), (*there.names.q, TIME)
    place = sympy.Matrix([on.relations.get(q, q) for q in s.names.q])
    J, drift = place.jacobian(there.names.q), place.diff(TIME)
    A = sympy.Matrix([[on.on(e) for e in rows.A[k]] for k in solved])
    left = A * drift + sympy.Matrix([on.on(rows.drift[k]) for k in solved])
    errors = {k: on.on(f) for k, f in rows.positions.items() if k in solved}
    along = A * J
    by = Functions([*errors.values(), *along, *left, *A, *J], x)
    for k, row in enumerate(solved):
        for e in (errors.get(row, 0), *along[k, :], left[k]):
            if not by.is_zero(e):
                raise ArgumentError(
                    f"with these relations the constraint {rows.names[row]} does not hold: "
                    f"{sympy.simplify(e)} would have to be zero"
                )
    yield "the constraints hold for all new coordinates, velocities and times"
    rank = len(echelon(by, [by.row(A[k, :]) for k in range(A.rows)])[0])
    spanned = len(echelon(by, [by.row(J[:, k]) for k in range(J.cols)])[0])
    if spanned < J.cols or J.cols != s.nv - rank:
        raise ArgumentError(
            f"{rank} independent constraints leave {s.nv - rank} of {s.nv} coordinates free, "
            f"these relations {spanned} with {J.cols} coordinates"
        )
    yield f"∂q/∂q′ has rank {spanned} = {s.nv} - {rank}: it spans all motions that they admit"
    for assumed in on.assumed:
        yield f"parameters are such that {assumed}"
    yield compared(s, there, place, J)


def _not_solved(s: Lagrangian, what: Any) -> ArgumentError:
    if getattr(what, "is_number", False):
        return ArgumentError(
            f"constraints of {s.name!r} contradict each other: with the others put in, one says "
            f"that {what} is zero"
        )
    return ArgumentError(
        f"{what} of {s.name!r} could not be solved for independent coordinates; state them: "
        "reduce(new, {q: formula of the new ones})"
    )
