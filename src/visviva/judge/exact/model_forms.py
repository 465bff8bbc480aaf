"""The exact forms of a model: the terms of its equations of motion as polynomials.

The recursions run on exact scalars; what comes out is in normal form, so that two derivations agree
exactly if their polynomials are the same. Nothing is computed before it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.poly import Poly, Quotient
from visviva.algebra.exact.ring_sympy import as_sympy
from visviva.describe.model.model import Model
from visviva.describe.quantities import Quantity, function_at
from visviva.equations import coriolis
from visviva.equations.bodies.links import links, own, placed
from visviva.equations.bodies.mass_matrix import assembled, composites
from visviva.equations.bodies.newton_euler import forces as needed
from visviva.equations.bodies.newton_euler import inward, joint_forces, outward
from visviva.equations.constraints.rows import constraint_error
from visviva.equations.forces import forces
from visviva.equations.forces.rotors import rotor_coriolis, rotor_forces
from visviva.equations.frames import kinematics, middle
from visviva.equations.parameters.parameters import parameter_names
from visviva.errors import ArgumentError, OutsideError, UnknownNameError
from visviva.judge.exact.elements import expanded
from visviva.judge.exact.field import Field
from visviva.judge.exact.forms import Facts, Forms
from visviva.judge.exact.model import (
    LARGEST_RATIO,
    Exact,
    exact,
    fixed_turn,
    frame_of_tip,
    not_polynomial,
    polynomial,
    refused,
)
from visviva.notation.textbook.writer import textbook
from visviva.notation.tree import Node


class ModelForms(Forms):
    """The terms of M a + C v + g + b = τ of a model.

    `dry`: with Coulomb friction, whose rows are SymPy expressions, as sign(v) is no polynomial.
    """

    kind = "Model"
    has_words = True
    dry = has_dry = False

    def __init__(
        self, model: Model, symbols: Iterable[str] | None = None, dry: bool = False
    ) -> None:
        self.symbols = None if symbols is None else tuple(symbols)
        self._set(exact(model, self.symbols))
        self.system = self.model = model
        self.has_dry = forces.has_dry_friction(model.numeric)
        self.dry = dry and self.has_dry
        self.held_by = model.held_by
        self.left_out = tuple(not_polynomial(model))

    @classmethod
    def of(cls, model: Exact) -> ModelForms:
        """The terms of a model that is exact already."""
        forms = cls.__new__(cls)
        forms._set(model)
        return forms

    def _set(self, model: Exact) -> None:
        self.exact, self.ring, self.name = model, model.ring, model.model.name
        self.coordinates, self.names = model.names.q, model.names
        self.accelerations = model.a

    @property
    def velocities(self) -> Array:
        """v, in the ring."""
        return self.exact.v

    def lacks(self, row: Quantity) -> str:
        """Nothing that bodies have."""
        if row.of_rows and not self.held_by:
            return f"of {self.name!r} has no {row.exact!r}: nothing holds it"
        there = row.bodies or row.in_fractions or getattr(type(self), row.exact, None)
        return "" if there else f"of a Model has no {row.exact!r}, that of a Lagrangian has"

    def stated(self, row: Quantity, *about: Any) -> Any:
        """The recursion itself, over the ring."""
        try:
            return self._ring(_run(self.exact, row, *about))[()]
        except OutsideError:
            if not self.has_dry:
                raise
        if not self.dry:  # closed forms are without Coulomb friction, and say so
            smooth = replace(self.exact, model=_without_dry_friction(self.exact.model))
            return self._ring(_run(smooth, row, *about))[()]
        self._refuse_followers()
        signed = exact(self.model, self.symbols, signed=True)
        signs = {sympy.Symbol(x): sympy.sign(sympy.Symbol(v)) for v, x in signed.ring.signs.items()}
        whole = each(lambda x: as_sympy(polynomial(x, signed.ring)), _run(signed, row, *about))
        return each(lambda x: x.xreplace(signs), whole)[()]

    def plain(self, entry: Any) -> sympy.Expr:
        """Multiplied out."""
        return expanded(entry) if isinstance(entry, (Poly, Quotient)) else sympy.S(entry)

    def field(self, symbols: Iterable[str], formulas: Iterable[Node]) -> Field:
        """Of the ring's symbols and angles; quaternions have length 1."""
        return Field(self.ring, symbols, formulas, self._quaternions)

    def off(self, point: Mapping[str, float]) -> Any:
        """φ at a point, in metres and radians."""
        known = {k: x for k, x in point.items() if k in self.model.parameters}
        q, model = [point[x] for x in self.names.q], self.model.with_parameters(**known)
        return constraint_error(model.numeric, q, point.get("t", 0.0))

    def judged(self, x: Any) -> Any:
        """As it is: elements of the ring."""
        return x

    @property
    def facts(self) -> Facts:
        """Names of the model's numbers, joints, bodies and frames, with all that is true of it."""
        model, own = self.model, set(parameter_names(self.model))
        angles = {k: x for k, x in self.values.items() if k not in own}
        turns = {k: fixed_turn(k, x, model) for k, x in angles.items()}
        free = [b for b in model.bodies if b.mimic is None]
        is_number = all(isinstance(x, float) for x in model.gravity)
        return Facts(
            forms=self,
            ring=self.ring,
            parameters={k: x for k, x in self.values.items() if k in own},
            is_named=bool(model.parameters),
            owners=tuple(b.joint_name for b in free for _ in range(b.joint.nv)),
            joints=tuple(b.joint_name for b in model.bodies),
            idle=tuple(model.passive),
            frames=model.frame_names,
            tip=frame_of_tip(model),
            bodies=tuple(b.name for b in model.bodies),
            has_actuators=bool(model.actuators),
            unit=tuple(self._quaternions),
            turns=turns,
            notes=tuple(
                f"{k} = {angles[k]!r} rad was taken as {x * 180}°"
                for k, x in turns.items()
                if abs(float(x) * math.pi - angles[k]) > math.ulp(math.pi)
            ),
            refuses=refused(model),
            weight=repr(float(np.linalg.norm(model.gravity))) if is_number else "",
        )

    @property
    def _quaternions(self) -> Iterator[tuple[str, ...]]:
        """The coordinates of joints that turn freely."""
        for b, place in zip(self.model.bodies, self.model.q_index, strict=True):
            if b.joint.quaternion and b.mimic is None:
                yield self.names.q[place][b.joint.quaternion]

    @property
    def other_road(self) -> tuple[str, Array]:
        """By the recursion, where M is that of composite bodies."""
        return "the recursion of Newton and Euler", self.open_equations

    @property
    def kinetic_slopes(self) -> Array:
        """∂T/∂q, one for each coordinate."""
        T = self.kinetic_energy
        return np.array([T.derivative(q) for q in self.names.q], dtype=object)

    @property
    def potential_slopes(self) -> Array:
        """∂V/∂q: gravity and springs."""
        return self.gravity

    @cached_property
    def weights(self) -> tuple[str, ...]:
        """The parameters that the acceleration of gravity has in it."""
        pull = [self.polynomial(x) for x in self.exact.gravity]
        return tuple(p for p in self.values if any(x.derivative(p) != 0 for x in pull))

    @property
    def weight_forces(self) -> Array:
        """g without springs."""
        return self.gravity - self._ring(forces.spring_forces(self.exact.model, self.exact.q))

    @property
    def is_light(self) -> bool:
        """Whether there is no gravity."""
        return all(x == 0 for x in self.exact.gravity)

    @property
    def is_only_heavy(self) -> bool:
        """Without springs, and with a gravity that is a number."""
        return not (self.weights or self.is_light or self.exact.model.springs)

    def written(self, entry: Any) -> sympy.Expr:
        """As a person would print it."""
        return textbook(entry)

    def polynomial(self, entry: Any) -> Poly:
        """As it is."""
        return polynomial(entry, self.ring)

    @property
    def values(self) -> Mapping[str, float]:
        """Of the parameters that are symbols."""
        return self.exact.values

    @cached_property
    def steps(self) -> Any:
        """The links at the position q."""
        with _telling(self.exact):
            return placed(links(self.exact.model), self.exact.q)

    @cached_property
    def bodies(self) -> Any:
        """Composite bodies."""
        return composites(self.steps)

    @property
    def rotor_inertia(self) -> Array:
        """What rotors add to the diagonal of M."""
        return forces.rotor_inertia(self.exact.model)

    @cached_property
    def mass_matrix(self) -> Array:
        """M(q), n × n, of exact polynomials."""
        n = len(self.exact.v)
        return self._ring(assembled(self.steps, self.bodies, n) + np.diag(self.rotor_inertia))

    @cached_property
    def coriolis_matrix(self) -> Array:
        """C: Ṁ - 2C is skew."""
        e = self.exact
        C = coriolis.coriolis_columns(self.steps, self.bodies, e.q, e.v, len(e.v))
        return self._ring(rotor_coriolis(e.model, e.v, C))

    @cached_property
    def gravity(self) -> Array:
        """g = ∂V/∂q, springs included."""
        e = self.exact
        still = np.zeros(len(e.v))
        return self._ring(self._newton_euler(still, still) + forces.spring_forces(e.model, e.q))

    @cached_property
    def dissipation(self) -> Array:
        """b(q, v): viscous terms; dry friction has no closed form of this kind."""
        e = self.exact
        return self._with_dry_friction(self._ring(forces.viscosity(e.model) * e.v))

    @cached_property
    def open_equations(self) -> Array:
        """M a + C v + g + b."""
        e = self.exact
        tau = self._newton_euler(e.v, e.a) + rotor_forces(e.model, e.v, e.a)
        viscous = forces.viscosity(e.model) * e.v
        smooth = self._ring(tau + forces.spring_forces(e.model, e.q) + viscous)
        return self._with_dry_friction(smooth)

    @cached_property
    def kinetic_energy(self) -> Poly:
        """½ vᵀ M v."""
        v = self.exact.v
        return polynomial(v @ self.mass_matrix @ v / 2, self.exact.ring)

    def rotation(self, frame: str) -> Any:
        """The 3 × 3 rotation of a frame in the world."""
        return self.quantity("pose", frame)[:3, :3]

    def position(self, frame: str) -> Any:
        """Where a frame's origin is in the world."""
        return self.quantity("pose", frame)[:3, 3]

    def inertia(self, body: str) -> Array:
        """The tensor of a body about its centre of mass."""
        bodies = [b.name for b in self.exact.model.bodies]
        if body not in bodies:
            raise UnknownNameError("body (say frame=)", body, bodies)
        return self._ring(self.exact.model.bodies[bodies.index(body)].inertia.tensor)

    def jacobian(self, frame: str, reference: str = "world") -> Array:
        """The 6 × n matrix from v to the twist of a frame."""
        e = self.exact
        with _telling(e):
            return self._ring(kinematics.jacobian(e.model, frame, e.q, reference))

    def jacobian_from_the_middle(self, frame: str) -> Array:
        """The same seen from a link on the way, of joints that move the frame: (6, k)."""
        e = self.exact
        with _telling(e):
            J = self._ring(middle.jacobian_from_the_middle(e.model, frame, e.q))
        return J[:, [not all(x.is_zero for x in column) for column in J.T]]

    def _with_dry_friction(self, smooth: Array) -> Array:
        if not self.dry:
            return smooth
        self._refuse_followers()
        e, rows = self.exact, smooth.copy()
        for k, dry in enumerate(forces.dry_friction(e.model)):
            if dry != 0:
                c = as_sympy(self.polynomial(dry))
                rows[k] = as_sympy(rows[k]) + c * sympy.sign(sympy.Symbol(self.names.v[k]))
        return rows

    def _refuse_followers(self) -> None:
        if any(b.mimic is not None for b in self.exact.model.bodies):
            raise ArgumentError(f"{self.name!r} has Coulomb friction and joints that follow others")
        if forces.has_stribeck(self.exact.model):
            raise ArgumentError(f"{self.name!r}: {refused(self.exact.model)}")

    def _newton_euler(self, v: Array, a: Array) -> Array:
        """Joint forces of the links at q, by Newton and Euler."""
        motions = outward(self.steps, self.exact.gravity, self.exact.q, v, a)
        return joint_forces(self.steps, inward(self.steps, needed(self.steps, motions)), len(v))

    def _ring(self, x: Any) -> Array:
        """Every entry as an element of the ring."""
        self.ring.budget.renew()  # what comes next is another quantity
        return each(self.polynomial, x)


def _run(e: Exact, row: Quantity, *about: Any) -> Any:
    """A quantity by the function that states it."""
    motion = {"q": e.q, "v": e.v, "a": e.a}
    inputs = [motion[x] for x in row.inputs.split()]
    time = {"t": e.t} if e.t is not None and row.of_rows else {}
    with _telling(e):
        return function_at(row.bodies)(e.model, *about, *inputs, **time)


NO_DRY: dict[str, Any] = dict.fromkeys(("friction", "stiction", "stribeck"), np.zeros(0))


def _without_dry_friction(model: Model) -> Model:
    bodies = tuple(replace(b, **NO_DRY) for b in model.bodies)
    return replace(model, bodies=bodies)


@contextmanager
def _telling(e: Exact) -> Iterator[None]:
    """Says of which joint the sines are no polynomials, and of one that follows another why."""
    try:
        yield
    except OutsideError:
        for b in e.model.bodies:
            if b.mimic is None or not any(b.joint.angular):
                continue
            offset, ratio = map(_number, (b.mimic.offset, b.mimic.multiplier))
            said = f"joint {b.joint_name!r} follows {b.mimic.joint!r}"
            if offset:
                raise OutsideError(
                    f"{said} with the offset {float(offset):g} rad: sines and cosines of fixed "
                    "angles are in no closed form of this kind"
                ) from None
            if ratio.denominator > LARGEST_RATIO:
                raise OutsideError(
                    f"{said} with the ratio {float(ratio):g}: closed forms take fractions with a "
                    f"denominator of at most {LARGEST_RATIO}"
                ) from None
        for b, link in zip(e.model.bodies, links(e.model), strict=True):
            try:
                link.joint.transform(own(link, e.q))
            except OutsideError as error:
                raise OutsideError(
                    f"the {b.joint.kind} joint {b.joint_name!r}: {error}; exact forms have sines "
                    "of whole multiples of coordinates that are angles (angular): choose its "
                    "coordinate so, or use the compiled functions, which take any"
                ) from None
        raise


def _number(x: Any) -> Fraction:
    """The value of a constant; 0 for what has a name."""
    try:
        return Fraction(str(x))
    except ValueError:
        return Fraction(0)
