"""`Lagrangian`: a system stated by its energies, frozen, with the same verbs as a `Model`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, fields, replace
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, cast

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from visviva.algebra.arrays import vector
from visviva.describe.constraints.constraint import UNHELD, Constraints
from visviva.describe.energies.admitted import shown
from visviva.describe.energies.carrying import with_formulas
from visviva.describe.energies.constraints import stated_constraints
from visviva.describe.energies.formulas import (
    Names,
    components,
    coordinates,
    declared_symbols,
    listed,
    name_of,
    parameter_value,
    parameters,
    says_more,
    stated_parameters,
)
from visviva.describe.energies.loads import PointForce, Torque, generalized, matrix
from visviva.describe.energies.normal_form import without_cancelled_time
from visviva.describe.energies.notes import Notes
from visviva.describe.energies.picture import stated_picture
from visviva.describe.names import check_names
from visviva.describe.quantities import ENERGIES
from visviva.describe.system import System
from visviva.describe.values import Derived, OfInit, Parameters, reduced
from visviva.errors import ArgumentError, ShapeError, UnknownNameError, by_names, check_known
from visviva.foreign import explained
from visviva.hints import in_radians

if TYPE_CHECKING:
    from visviva.algebra.arrays import Array, FloatArray, Scalars
    from visviva.equations.lagrange.reduction import Reduction
    from visviva.machine.function import Function

__all__ = ["Lagrangian", "coordinates", "parameters"]


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Lagrangian(System):
    """Equations of motion d/dt ∂L/∂v - ∂L/∂q + b = τ + Q of L = `kinetic` - `potential`.

    `kinetic`: kinetic co-energy, any function of q, v and t. `potential`: of q, perhaps of v and t.
    `dissipation`: Rayleigh's function D, with b = ∂D/∂v, or a list b(q, v), one entry for each
    coordinate. `forces`: what else acts, Q(q, v, t): a list with one entry for each coordinate, a
    mapping from coordinates, `Lagrangian.point_force`, `Lagrangian.torque`, or a list of such.
    `constraints`: expressions that stay zero, or equations; a mapping gives them names.
    `parameters`: values by name or symbol, or names alone ("m1 m2"), which is enough for closed
    forms. `actuators`: the matrix T(q) with u = T f.
    `angles`: coordinates on a circle, not on a line. `passive`: coordinates that nothing drives:
    their τ are zero. `notes` also say where M is singular everywhere.
    What is seen of it, and in no equation: `points` by name, formulas of q and t (two are right and
    up, three x, y and z); `lines` between them, `(one, other)` or `(one, other, "spring")`;
    `solids`, `{"bob": {"ball": 0.1}}`; where it `start`s, numbers by coordinate.

    Formulas are SymPy expressions or texts, see `vv.coordinates`; with `shorthand`, c12 in texts is
    cos(q1 + q2). All of them are kept over plain symbols: a coordinate q1, its velocity qd1, the
    time t.

    Examples:
        >>> pendulum = Lagrangian("theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)",
        ...                       parameters={"m": 2, "l": 0.5, "g": 9.81},
        ...                       points={"bob": ["l*sin(theta)", "-l*cos(theta)"]},
        ...                       lines=[("origin", "bob")])
        >>> pendulum.inverse_dynamics([0.0], [3.0], [1.0])
        array([0.5])
    """

    stated: ClassVar[str] = ENERGIES
    body_names: ClassVar[tuple[str, ...]] = ()
    frame_names: ClassVar[tuple[str, ...]] = ()
    quaternions: ClassVar[tuple[tuple[str, int], ...]] = ()
    is_symbolic: ClassVar[bool] = False  # a missing value is told by the function that needs it

    coordinates: tuple[str, ...]
    kinetic: Any
    potential: Any = 0
    dissipation: Any = 0
    forces: Any = ()
    constraints: Any = UNHELD
    parameters: Mapping[str, float] = field(default_factory=dict)
    actuators: Any = None
    angles: tuple[str, ...] = ()
    name: str = "lagrangian"
    notes: tuple[str, ...] = cast("tuple[str, ...]", Notes())
    passive: tuple[str, ...] = ()
    declared: tuple[Any, ...] = ()  # parameters as symbols: those without values, and assumptions
    points: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    lines: tuple[tuple[str, str, str], ...] = ()
    solids: Mapping[str, Any] = field(default_factory=dict)
    start: Mapping[str, float] = field(default_factory=dict)
    shorthand: InitVar[bool] = False
    __signature__ = OfInit()

    if TYPE_CHECKING:

        def __init__(
            self,
            coordinates: Any,
            kinetic: Any,
            potential: Any = 0,
            dissipation: Any = 0,
            forces: Any = (),
            constraints: Any = UNHELD,
            parameters: Mapping[Any, Any] | Iterable[Any] = ...,
            actuators: Any = None,
            angles: Any = (),
            name: str = "lagrangian",
            notes: tuple[str, ...] = ...,
            passive: Any = (),
            declared: tuple[Any, ...] = (),
            points: Mapping[str, Any] = ...,
            lines: Iterable[Any] = (),
            solids: Mapping[str, Any] = ...,
            start: Mapping[str, float] = ...,
            shorthand: bool = False,
        ) -> None: ...

    def __new__(cls, *_: Any, **keywords: Any) -> Self:
        """Refuse other keywords for the energies with ours."""
        names = [*(item.name for item in fields(cls)), "shorthand"]
        if unknown := [k for k in keywords if k not in names]:
            is_whole = unknown[0].lower() in ("l", "lagrangian")
            split = "; of L = T - V, V is what has no velocities, with the other sign"
            raise ArgumentError(
                f"{unknown[0]}= is no part of a Lagrangian (available: {', '.join(names)}): "
                f"vv.Lagrangian(coordinates, kinetic=T, potential=V){split if is_whole else ''}"
            )
        return object.__new__(cls)

    def __post_init__(self, shorthand: bool) -> None:
        if self._begins_with_energy():
            self._refuse_energy_first()
        values: dict[str, float | None] = {}
        symbols = [*self.declared]
        for k, x in stated_parameters(self.parameters).items():
            symbols.append(k if isinstance(k, sympy.Symbol) else sympy.Symbol(name_of(k)))
            if name_of(k) in values:
                raise ArgumentError(f"{self.name!r}: the parameter {name_of(k)!r} has two values")
            values[name_of(k)] = None if x is None else parameter_value(k, x)
        numbers = {name: x for name, x in values.items() if x is not None}
        texts = [self.kinetic, self.potential, self.dissipation]
        parameter_names = dict.fromkeys([*values, *map(name_of, symbols)])
        names = Names(listed(self.coordinates), parameter_names, texts, shorthand)
        rows = isinstance(self.dissipation, (list, tuple, Mapping, sympy.MatrixBase))
        read = names.row if rows else names.read
        simplify, T = without_cancelled_time, matrix(names, self.actuators)
        energies = {k: simplify(names.read(k, getattr(self, k))) for k in ("kinetic", "potential")}
        b, phi = read("dissipation", self.dissipation), stated_constraints(names, self.constraints)
        ready: dict[str, Any] = {
            "coordinates": names.coordinates,
            **energies,
            "dissipation": tuple(map(simplify, b)) if rows else simplify(b),
            "forces": tuple(map(simplify, generalized(names, self.forces))),
            "constraints": Constraints(map(simplify, phi), phi.given_names),
            "parameters": Parameters(numbers),
            "actuators": None if T is None else T.applyfunc(simplify),
            "angles": listed(self.angles) if self.angles else (),
            "passive": tuple(dict.fromkeys(listed(self.passive))) if self.passive else (),
        }
        ready["declared"] = declared_symbols(
            [*symbols, *filter(says_more, names.assumed)], numbers, names.motion
        )
        self._refuse_dissipation_at_rest(ready, names)
        ready |= stated_picture(names, self, energies.values())
        for kind, key in (("coordinate", "angles"), ("passive coordinate", "passive")):
            for name in ready[key]:
                check_known(kind, name, names.coordinates)
        for key, x in ready.items():
            object.__setattr__(self, key, x)
        q = names.coordinates  # once more, with the symbols that have no value
        check_names(self.name, q, q, self.parameter_names, joints=False)

    @staticmethod
    def _refuse_dissipation_at_rest(ready: Mapping[str, Any], names: Names) -> None:
        """Rayleigh's function depends on velocities."""
        D = ready["dissipation"]
        if not isinstance(D, tuple) and D != 0 and not D.free_symbols.intersection(names.v):
            raise ArgumentError(
                f"dissipation is Rayleigh's function, of velocities: b = ∂D/∂v is zero for "
                f"D = {shown(D)}; a list [b] states forces themselves"
            )

    def _begins_with_energy(self) -> bool:
        """Whether an energy stands where the coordinates belong: L first, as SymPy has it."""
        q = self.coordinates
        if isinstance(self.kinetic, (list, tuple)):  # an energy is one formula
            return True
        if isinstance(q, str):
            return not {*"^*/+"}.isdisjoint(q)
        return isinstance(q, sympy.Expr) and not q.is_Symbol

    def _refuse_energy_first(self) -> None:
        """Coordinates come first; a function of time that stands alone is one."""
        if not isinstance(self.coordinates, AppliedUndef):
            has_list = isinstance(self.kinetic, (list, tuple)) and self.kinetic
            q = ", ".join(name_of(x) for x in self.kinetic) if has_list else "q1, q2"
            raise ArgumentError(
                "coordinates come first, then the kinetic and the potential energy apart: "
                f"vv.Lagrangian([{q}], T, V), not T - V in one"
            )

    # ---- forces

    @staticmethod
    def point_force(point: Any, force: Any) -> PointForce:
        """A force on a point: Qⱼ = f · ∂r/∂qⱼ; components of both in the same fixed axes."""
        return PointForce(components(point), components(force))

    @staticmethod
    def torque(moment: Any, angle: Any = (), angular_velocity: Any = ()) -> Torque:
        """A torque on what has this angle, or this angular velocity: Qⱼ = τ · ∂ω/∂vⱼ."""
        if (angle == ()) == (angular_velocity == ()):
            raise ArgumentError("torque takes either an angle or an angular_velocity")
        parts = (x if x == () else components(x) for x in (angle, angular_velocity))
        return Torque(components(moment), *parts)

    # ---- names and sizes

    @cached_property
    def names(self) -> Names:
        """The symbols of coordinates, velocities and accelerations."""
        return Names(self.coordinates, self.parameters)

    @property
    def motion_names(self) -> tuple[str, ...]:
        """What sentences call the velocities."""
        return tuple(self.coordinates)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """What the entries of q are called, (nq,)."""
        return tuple(self.coordinates)

    @property
    def coordinate_units(self) -> tuple[str, ...]:
        """Units of q (nq,): "rad", "m", "1" of quaternions; "" where nothing states one."""
        return tuple("rad" if x in self.angles else "" for x in self.coordinates)

    @property
    def nq(self) -> int:
        """How many coordinates there are, and how many velocities."""
        return len(self.coordinates)

    nv = nq

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The coordinates, as a model's joints are called."""
        return self.coordinates

    @property
    def formulas(self) -> tuple[Any, ...]:
        """Everything that states the system, constraints included."""
        b = self.dissipation if isinstance(self.dissipation, tuple) else (self.dissipation,)
        T = () if self.actuators is None else tuple(self.actuators)
        return (self.kinetic, self.potential, *b, *self.forces, *T, *self.constraints)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """All symbols that are neither coordinates nor their rates nor the time."""
        symbols = {s.name for x in self.formulas for s in x.free_symbols} - self.names.motion
        symbols |= {s.name for s in self.declared}
        return (*self.parameters, *sorted(symbols - set(self.parameters)))

    @property
    def lagrangian(self) -> Any:
        """L = kinetic - potential, over plain symbols."""
        return self.kinetic - self.potential

    def frame(self, name: str) -> NoReturn:
        """A Lagrangian has no frames."""
        raise UnknownNameError("frame", name, self.frame_names)

    @property
    def keyframes(self) -> dict[str, FloatArray]:
        """Positions by name: where it starts, if that is stated."""
        position = {k: x for k, x in self.start.items() if k in self.coordinates}
        return {"start": self.q(position)} if self.start else {}

    def q(self, positions: Mapping[str, Any] | None = None, /, **by_name: Any) -> FloatArray:
        """A position by names, the others zero: `s.q(theta=0.3)`."""
        q = np.zeros(self.nq)
        for name, value in {**(positions or {}), **by_name}.items():
            check_known("coordinate", name, self.coordinates)
            try:
                q[self.coordinates.index(name)] = value
            except (TypeError, ValueError):
                raise ArgumentError(
                    f"coordinate {name!r} takes a number, got {value!r:.60}{in_radians(value)}"
                ) from None
        return q

    def neutral(self) -> FloatArray:
        """The position with all coordinates zero."""
        return np.zeros(self.nq)

    def integrate(self, q: Scalars, step: Scalars) -> Array:
        """The position that the constant velocity `step` reaches in one unit of time."""
        return np.asarray(self._sized("q", q) + self._sized("step", step))

    @property
    def joint_slices(self) -> dict[str, tuple[slice, slice]]:
        """Where in q and in v each coordinate is."""
        return {x: (slice(i, i + 1), slice(i, i + 1)) for i, x in enumerate(self.coordinates)}

    def difference(self, q0: Scalars, q1: Scalars) -> Array:
        """The step from q0 to q1; on a circle the shorter way round."""
        step: np.ndarray = self._sized("q1", q1) - self._sized("q0", q0)
        for i, name in enumerate(self.coordinates):
            if name in self.angles:
                step[..., i] = np.remainder(step[..., i] + np.pi, 2 * np.pi) - np.pi
        return step

    def _sized(self, name: str, x: Any) -> Array:
        array: np.ndarray = vector(x)
        if array.shape[-1:] != (self.nq,):
            raise ShapeError(f"{name} of {self.name!r} has {self.nq} entries, got {array.shape}")
        return array

    # ---- other systems from this one

    def without_dissipation(self) -> Lagrangian:
        """The same system without b, Rayleigh's function or friction forces."""
        return self._changed(dissipation=0)

    @cached_property
    def held_by(self) -> tuple[str, ...]:
        """The constraints, each in words: what stays zero."""
        return tuple(f"{x} = 0" for x in self.constraints)

    def without_constraints(self) -> Lagrangian:
        """The open system: all coordinates move freely."""
        return self._changed(constraints=())

    def with_parameters(
        self, values: Mapping[str, Any] | None = None, /, **by_name: Any
    ) -> Lagrangian:
        """The same with other values; a text is a formula of other parameters: `l2="l1/2"`."""
        new = by_names("with_parameters", values, by_name)
        for name in new:
            check_known("parameter", name, self.parameter_names)
        texts = {k: x for k, x in new.items() if isinstance(x, str)}
        numbers = {k: x for k, x in {**self.parameters, **new}.items() if k not in texts}
        return self._changed(**(with_formulas(self, texts) if texts else {}), parameters=numbers)

    def with_passive(self, coordinates: Any) -> Lagrangian:
        """With these coordinates driven by nothing, in place of those it has: their τ are zero."""
        return self._changed(passive=coordinates)

    def _changed(self, **changes: Any) -> Lagrangian:
        return replace(self, **{"notes": self._fields["notes"], **changes})

    @property
    def _fields(self) -> dict[str, Any]:
        """As stated: of notes, those that were given."""
        return {item.name: self.__dict__[item.name] for item in fields(self)}

    @property
    def numeric(self) -> Lagrangian:
        """Values are put in while functions are made."""
        return self

    @cached_property
    def derived(self) -> Derived:
        """What was derived of its formulas, for it and for what differs from it in values only."""
        return Derived(self)

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """What stands for each parameter."""
        return self.parameters

    @cached_property
    def paper(self) -> Any:
        """Where formulas are written that functions use by name; mostly nowhere."""
        return None

    def over(self, values: Mapping[str, Any], paper: Any = None) -> Lagrangian:
        """The same system with parameters replaced by scalars of any kind."""
        for name in values:
            check_known("parameter", name, self.parameter_names)
        other: Lagrangian = object.__new__(type(self))  # formulas are not read again
        vars(other).update(self._fields, values={**self.values, **values}, derived=self.derived)
        vars(other).update(paper=paper)
        return other

    def as_lagrangian(self, symbols: Sequence[str] | None = None) -> Lagrangian:
        """This system: it is stated by its energies."""
        if symbols is not None:
            raise ArgumentError("symbols= is for models; a Lagrangian has the symbols it states")
        return self

    def reduce(
        self, new: Any = None, relations: Mapping[Any, Any] | None = None, branch: int = 1
    ) -> Reduction:
        """The same system in independent coordinates, proved equal: constraints are solved for.

        Circles, spheres, linkages (put together in one way or, `branch` -1, the other), relations,
        what velocity constraints integrate to; or `new` coordinates and `relations` {q: φ(q′, t)}.
        """
        from visviva.equations.lagrange.reduction import reduction

        return reduction(self, new, relations, branch)

    # ---- quantities: written by tools/quantities_code.py from quantities.py

    @cached_property
    def applied_forces(self) -> Function:
        """Q, the generalized forces that `forces` states. A function of q."""
        return self.function("applied_forces")

    @cached_property
    def generalized_momentum(self) -> Function:
        """p = ∂L/∂v, the generalized momenta. A function of q, v."""
        return self.function("generalized_momentum")

    @cached_property
    def jacobi_integral(self) -> Function:
        """v · ∂L/∂v - L: the energy, if the system is natural. A function of q, v."""
        return self.function("jacobi_integral")

    # ---- end of quantities

    # ---- inside

    def _derived_notes(self) -> tuple[str, ...]:
        """Notes on what follows from the formulas."""
        from visviva.equations.lagrange import evaluation

        return evaluation.notes(self)

    def _input_equations(self) -> ModuleType:
        from visviva.equations.lagrange import evaluation as home

        return home

    def _constraint_equations(self) -> ModuleType:
        from visviva.equations.lagrange import constraints as home

        return home

    def _passivity_equations(self) -> ModuleType:
        from visviva.equations.lagrange import passivity as home

        return home

    def __repr__(self) -> str:
        T = None if self.actuators is None else self.actuators.tolist()
        values = ", ".join(f"{k} = {x:g}" for k, x in self.parameters.items())
        symbols = [k for k in self.parameter_names if k not in self.parameters]
        rows = (
            (True, "kinetic   ", self.kinetic),
            (True, "potential ", self.potential),
            (any(self.forces), "forces    ", ", ".join(map(str, self.forces))),
            (self.dissipation not in (0, ()), "dissipation", self.dissipation),
            *((True, "constraint", f"{x} = 0") for x in self.constraints),
            (T is not None, "actuators ", f"T = {T}"),
            (self.passive, "passive   ", ", ".join(self.passive)),
            (True, "parameters", values or "none"),
            (symbols, "no value  ", ", ".join(symbols)),
        )
        lines = [f"  {name} {x}" for is_shown, name, x in rows if is_shown]
        return "\n".join([f"Lagrangian {self.name!r}, q = ({', '.join(self.coordinates)})", *lines])

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(self)
