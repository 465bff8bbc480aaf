"""What the names of the tip stand for: places, velocities and forces as formulas of q and q̇."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from visviva.algebra.exact.minors import determinant
from visviva.algebra.exact.poly import Poly
from visviva.describe.quantities import FRAME_JACOBIAN, WEIGHT_TERM
from visviva.errors import ArgumentError, OutsideError, ParseError
from visviva.judge.check.compare.steps import must_say_something, relates_quantities, table_of
from visviva.judge.check.said.arms import body_of
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.subjects import AXES, Subject
from visviva.judge.check.said.tip import (
    ANGLE,
    LOADS,
    OF_CENTRE,
    OF_JACOBIAN,
    TIP,
    VELOCITY,
    WEIGHT,
    Tip,
    rate_of,
)
from visviva.judge.exact.arms import centre_along, centre_jacobian
from visviva.judge.exact.elements import tree_of
from visviva.judge.exact.forms import Facts
from visviva.notation.textbook.writer import textbook
from visviva.notation.tree import (
    DETERMINANT,
    IN_TIME,
    TRANSPOSE,
    Call,
    Equation,
    Matrix,
    Name,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    children,
    names,
    rebuilt,
    rewritten,
    walk,
)

START: dict[tuple[Any, ...], Fraction] = {  # of an angle, by its cosine and sine, in π
    (1, 0): Fraction(0),
    (0, 1): Fraction(1, 2),
    (-1, 0): Fraction(1),
    (0, -1): Fraction(-1, 2),
}


def with_tip(claim: Claim, tip: Tip) -> Claim:
    """A claim in the system's names, with what the tip is and does put in for its names."""
    kinematics = Kinematics(tip)
    with suppress(ParseError, ZeroDivisionError):  # what does not fit is told when it is judged
        opened = kinematics.opaque(claim.node)
        must_say_something(replace(claim, node=opened), tip.facts)
    node = kinematics.put_in(claim.node)
    rated = any(isinstance(x, Call) and x.function == IN_TIME for x in walk(node))
    both = isinstance(claim.node, Equation) and relates_quantities(claim, tip.facts)
    return replace(claim, node=node, step=claim.step or rated, relates=claim.relates or both)


@dataclass(frozen=True, eq=False)
class Kinematics:
    """Of the frame that a claim calls the tip."""

    tip: Tip

    @property
    def facts(self) -> Facts:
        """Of the system."""
        return self.tip.facts

    @property
    def frame(self) -> str:
        """The name of the frame."""
        return self.tip.frame

    def put_in(self, node: Node) -> Node:
        """A formula with the tip's names replaced by what they are of q and q̇."""
        loads: Iterable[str] = [x.key for x in self.tip.said(node, "F")]
        if any(x.key == TIP + LOADS for x in names(node)):
            loads = self.vector
        rows = self._loads(loads)

        def put(name: Name) -> Node | None:
            if not name.key.startswith(TIP):
                return None
            return self._value(name.key.removeprefix(TIP), rows)

        return rewritten(_inverted(node, self), put)

    def opaque(self, node: Node) -> Node:
        """A formula with names for J, its inverse and determinant, and for vectors, entry by entry.

        Rates of what has a name are called by their own: d/dt(x_c2) is x_c2'.
        """
        own = Name(TIP + OF_JACOBIAN)
        match node:
            case Call(function, (of,)) if function == IN_TIME:
                x = self.opaque(of)
                if isinstance(x, Name) and x.key.startswith(TIP):
                    return replace(x, key=rate_of(x.key))
                return rebuilt(node, (x,))
            case Call(function, (inside,)) if function == DETERMINANT and inside == own:
                return Name(f"{TIP}{DETERMINANT}")
            case Power(base, exponent) if base == own and exponent == Number(-1):
                return table_of(f"{TIP}inverse", self.square.shape[::-1])
            case Name(key) if key.startswith(TIP):
                shape = self._shape(key.removeprefix(TIP))
                return table_of(key, shape) if shape else node
        return rebuilt(node, tuple(map(self.opaque, children(node))))

    def _shape(self, meaning: str) -> tuple[int, int] | None:
        """Of a matrix or a vector of the tip; None of numbers."""
        if meaning == OF_JACOBIAN:
            rows, columns = self.square.shape
            return rows, columns
        if meaning in (VELOCITY, LOADS):
            return len(self.rows), 1
        return (len(self.facts.rates), 1) if meaning in (WEIGHT, "load") else None

    def _value(self, meaning: str, loads: Mapping[int, str]) -> Node:
        f = self.facts
        if meaning in AXES:
            return tree_of(f.of(Subject("position", (AXES[meaning],), self.frame)))
        if meaning == ANGLE:
            return self.angle
        if meaning.startswith(OF_CENTRE):
            _, axis, k, rate = meaning.split(" ")
            body = body_of(Name(f"{axis}_c{k}"), int(k), f)
            if rate.isdigit():
                return tree_of(centre_jacobian(f, body)[AXES[axis] - 1, int(rate)])
            return tree_of(centre_along(f, AXES[axis] - 1, body, bool(rate))[()])
        if meaning.startswith("dd"):
            return Call(IN_TIME, (self._rate(2 + AXES[meaning[2:]]),))
        if meaning.startswith("d"):
            row = 2 if meaning == f"d{ANGLE}" else 2 + AXES[meaning[1:]]
            if meaning == f"d{ANGLE}":
                self._must_be_planar(ANGLE)
            return self._rate(row)
        if meaning == VELOCITY:
            return Matrix(tuple((self._rate(k),) for k in self.rows))
        if meaning == OF_JACOBIAN:
            return Matrix(tuple(tuple(map(tree_of, row)) for row in self.square))
        if meaning == LOADS:
            return Matrix(tuple((Name(k),) for k in self.vector))
        if meaning == WEIGHT:
            return Matrix(tuple((tree_of(x),) for x in f.quantity(WEIGHT_TERM.exact)))
        column = [self._load(i, loads) for i in range(len(f.rates))]
        if meaning == "load":
            return Matrix(tuple((x,) for x in column))
        return column[int(meaning.split()[1]) - 1]

    def _loads(self, said: Iterable[str]) -> dict[int, str]:
        """The row of the Jacobian that every named force of the tip belongs to."""
        rows: dict[int, str] = {}
        for key in said:
            meaning = self.tip.meaning(Name(key))
            row = AXES[meaning[1]] - 1 + (3 if meaning[0] == "F" else 0)
            if rows.setdefault(row, key) != key:
                raise ArgumentError(f"{rows[row]} and {key} are one force of {self.frame!r}")
        return rows

    def load(self, node: Node, i: int) -> Node:
        """(Jᵀ F)ᵢ of the forces that a formula names."""
        return self._load(i, self._loads(x.key for x in self.tip.said(node, "F")))

    def _load(self, i: int, loads: Mapping[int, str]) -> Node:
        """(Jᵀ F)ᵢ."""
        J = self.facts.quantity(FRAME_JACOBIAN.exact, self.frame)
        terms = [Product((tree_of(J[row, i]), Name(key))) for row, key in loads.items()]
        return Sum(tuple(terms)) if len(terms) > 1 else terms[0] if terms else Number(0)

    def _rate(self, row: int) -> Node:
        J = self.facts.quantity(FRAME_JACOBIAN.exact, self.frame)
        moving = [q for q, _, _ in self.facts.moving]
        if len(moving) != J.shape[1]:
            raise ArgumentError(f"velocities of {self.facts.name!r} are no rates of coordinates")
        terms = [Product((tree_of(J[row, i]), Name(q, 1))) for i, q in enumerate(moving)]
        return Sum(tuple(terms)) if len(terms) > 1 else terms[0]

    @cached_property
    def is_planar(self) -> bool:
        """Whether the frame moves in the plane of x and y."""
        J = self.facts.quantity(FRAME_JACOBIAN.exact, self.frame)
        R = self.facts.quantity("rotation", self.frame)
        still = [*J[0], *J[1], *J[5], R[2, 0], R[2, 1]]
        return all(_is_zero(x) for x in still) and _is_zero(R[2, 2] - 1)

    @cached_property
    def rows(self) -> list[int]:
        """Of the Jacobian, as books have it: of the velocity, of φ where three joints drive it."""
        turning = [2] if len(self.facts.rates) == 3 else []
        return [3, 4, *turning] if self.is_planar else [3, 4, 5]

    @property
    def vector(self) -> list[str]:
        """What the entries of F are called."""
        names_ = {3: "F1", 4: "F2", 5: "F3", 2: "Mz"}
        return [names_[k] for k in self.rows]

    @cached_property
    def square(self) -> Any:
        """These rows."""
        return np.asarray(
            self.facts.quantity(FRAME_JACOBIAN.exact, self.frame)[self.rows], dtype=object
        )

    @cached_property
    def of_pose(self) -> Node | None:
        """det J of the whole twist (ω, v), where six joints in space give it; else None."""
        if not self.tip.has_whole_twist:
            return None
        J = self.facts.forms.jacobian_from_the_middle(self.frame)
        self.facts.ring.budget.renew()
        try:
            return tree_of(self.facts.forms.polynomial(determinant(J.tolist())))
        except OutsideError:  # by numbers then
            return Call(DETERMINANT, (Matrix(tuple(tuple(map(tree_of, row)) for row in J)),))

    @cached_property
    def angle(self) -> Node:
        """φ: the sum of the angles on the way to the frame."""
        self._must_be_planar(ANGLE)
        f = self.facts
        J, R = f.quantity(FRAME_JACOBIAN.exact, self.frame), f.quantity("rotation", self.frame)
        turns = [_number(x) for x in J[2]]
        start = START.get(tuple(_number(_at_zero(x, f)) for x in (R[0, 0], R[1, 0])))
        if None in turns or start is None:
            raise ArgumentError(f"the angle of {self.frame!r} is no sum of joint angles")
        pairs = zip(turns, (q for q, _, _ in f.moving), strict=True)
        terms: list[Node] = [Product((Number(k), Name(q))) for k, q in pairs if k]
        if start:
            terms.append(Product((Number(start), Name("pi"))))
        return Sum(tuple(terms)) if len(terms) > 1 else terms[0] if terms else Number(0)

    def _must_be_planar(self, what: str) -> None:
        if not self.is_planar:
            raise ArgumentError(
                f"{what} is the angle of a frame that stays in the plane of x and y, which "
                f"{self.frame!r} of {self.facts.name!r} does not"
            )


def _inverted(node: Node, tip: Kinematics) -> Node:
    """J⁻¹ and det J, which need all of J at once, put in."""
    own = Name(TIP + OF_JACOBIAN)
    if not any(x == own for x in walk(node)):
        return node
    J = tip.square
    if isinstance(node, Equation):
        return replace(node, left=_inverted(node.left, tip), right=_inverted(node.right, tip))
    is_det = node == Call(DETERMINANT, (own,))
    if is_det and (whole := tip.of_pose) is not None:
        return whole
    if is_det or node == Power(own, Number(-1)):
        if J.shape[0] != J.shape[1]:
            shape = " × ".join(map(str, J.shape))
            raise ArgumentError(
                f"the Jacobian of {tip.frame!r} is {shape} for a velocity: J⁻¹ is judged where it "
                "is square, det J there and of six joints that move a pose; singularities(frame) "
                "has the determinant of others"
            )
        whole = determinant(J)
        if is_det:
            return tree_of(whole)
        n = len(J)
        cofactors = [[_cofactor(J, j, i) for j in range(n)] for i in range(n)]
        over = tree_of(whole)
        return Matrix(tuple(tuple(Quotient(tree_of(x), over) for x in row) for row in cofactors))
    match node:
        case Product(factors):
            return Product(tuple(_inverted(x, tip) for x in factors), column=node.column)
        case Sum(terms):
            return Sum(tuple(_inverted(x, tip) for x in terms), column=node.column)
        case Negative(inside):
            return Negative(_inverted(inside, tip), column=node.column)
        case Call(function, (inside,)) if function == TRANSPOSE:
            return replace(node, arguments=(_inverted(inside, tip),))
    return node


def _cofactor(J: Any, i: int, j: int) -> Any:
    rest = np.delete(np.delete(J, i, axis=0), j, axis=1)
    return determinant(rest) * (-1) ** (i + j)


def _is_zero(x: Any) -> bool:
    return bool(x.is_zero if isinstance(x, Poly) else x == 0)


def _number(x: Any) -> Fraction | None:
    """A constant polynomial as a number."""
    value = textbook(x) if isinstance(x, Poly) else x
    try:
        return Fraction(str(value))
    except ValueError:
        return None


def _at_zero(x: Any, facts: Facts) -> Any:
    """A polynomial where all coordinates are zero."""
    value = textbook(x) if isinstance(x, Poly) else sympy.S(x)
    return value.subs({sympy.Symbol(q): 0 for q in facts.coordinates})
