"""`Model`: a tree of bodies, frozen. Everything that changes one returns a new one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from numbers import Real
from types import MappingProxyType
from typing import Any

import numpy as np

from visviva.algebra.expr import evaluate
from visviva.describe import table
from visviva.describe.consistency import check_tree
from visviva.describe.edit import Editable
from visviva.describe.inertia import Inertia
from visviva.describe.parts import WORLD, Body, Frame, Spring, Visual
from visviva.describe.system import System
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.space.poses import Pose
from visviva.space.rotations import Array, vector

GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, eq=False)
class Model(Editable, System):
    """Bodies, parents before children, each with the joint that carries it; and named frames.

    Numbers are floats, or expressions over `parameters`, which have values; `numeric` has the
    values put in. q and v are ordered as the bodies are. `notes` lists all that a reader merged,
    cleaned, ignored or found suspicious.
    """

    name: str
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...] = ()
    gravity: Array = field(default_factory=lambda: np.array(GRAVITY))
    base_inertia: Inertia | None = None  # of what is fixed to the world
    parameters: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    loops: tuple[Any, ...] = ()  # closures, as a reader found them
    keyframes: Mapping[str, Array] = field(default_factory=dict)
    base_name: str = "world"
    base_visuals: tuple[Visual, ...] = ()
    springs: tuple[Spring, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", vector(self.gravity))
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        object.__setattr__(self, "keyframes", MappingProxyType(dict(self.keyframes)))
        check_tree(self)

    # ---- sizes and names

    @property
    def nq(self) -> int:
        """How many numbers state a position."""
        return sum(b.joint.nq for b in self.bodies if b.mimic is None)

    @property
    def nv(self) -> int:
        """How many state a velocity: the degrees of freedom."""
        return sum(b.joint.nv for b in self.bodies if b.mimic is None)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Movable joints, in the order of v; coupled (mimic) joints are not among them."""
        return tuple(b.joint_name for b in self.bodies if b.mimic is None)

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the moving bodies."""
        return tuple(b.name for b in self.bodies)

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of bodies and of frames fixed to them."""
        return (*self.body_names, *(f.name for f in self.frames))

    @cached_property
    def q_index(self) -> tuple[slice, ...]:
        """Where in q each body's joint finds its coordinates."""
        return self._index("nq")

    @cached_property
    def v_index(self) -> tuple[slice, ...]:
        """Where in v each body's joint finds its velocities."""
        return self._index("nv")

    def body_index(self, name: str) -> int:
        """The number of a body."""
        if name not in self.body_names:
            raise UnknownNameError("body", name, self.body_names)
        return self.body_names.index(name)

    def joint_index(self, name: str) -> int:
        """The number of the body that a joint carries."""
        names = [b.joint_name for b in self.bodies]
        if name not in names:
            raise UnknownNameError("joint", name, names)
        return names.index(name)

    def frame(self, name: str) -> Frame:
        """A frame by name; bodies and the base count as frames."""
        for f in self.frames:
            if f.name == name:
                return f
        if name in self.body_names:
            return Frame(name, self.body_index(name), Pose.identity())
        if name == self.base_name:
            return Frame(name, WORLD, Pose.identity())
        raise UnknownNameError("frame", name, self.frame_names)

    # ---- positions

    def local(self, i: int, q: Any) -> Array:
        """The coordinates of body i's own joint; a coupled one follows its source."""
        mimic = self.numeric.bodies[i].mimic
        own = q[self.q_index[i]]
        return own if mimic is None else own * mimic.multiplier + mimic.offset

    def q(self, positions: Mapping[str, Any] | None = None, /, **more: Any) -> Array:
        """A position by joint names, the others neutral: `model.q(elbow=-1.5)`."""
        q = self.neutral()
        for name, value in {**(positions or {}), **more}.items():
            if name not in self.joint_names:
                raise UnknownNameError("joint", name, self.joint_names)
            part = self.q_index[self.joint_index(name)]
            size = part.stop - part.start
            if np.size(value) != size:
                raise ShapeError(f"joint {name!r} takes {size} values, got {np.size(value)}")
            try:
                q[part] = value
            except (TypeError, ValueError):
                raise ArgumentError(f"joint {name!r} takes numbers, got {value!r}") from None
            if not np.isfinite(q[part]).all():
                raise ArgumentError(f"joint {name!r} takes finite numbers, got {value!r}")
        return q

    def neutral(self) -> Array:
        """All joints at zero."""
        return self._joined(lambda i, b: b.joint.neutral())

    def random(self, rng: np.random.Generator | int | None = None) -> Array:
        """A position within the limits."""
        source = np.random.default_rng(rng)
        return self._joined(lambda i, b: b.joint.random(source, b.limits.lower, b.limits.upper))

    def integrate(self, q: Any, step: Any) -> Array:
        """The position that the constant velocity `step` reaches in one unit of time."""
        q, step = self._sized("q", q, self.nq), self._sized("step", step, self.nv)
        return self._joined(
            lambda i, b: b.joint.integrate(q[self.q_index[i]], step[self.v_index[i]])
        )

    def difference(self, q0: Any, q1: Any) -> Array:
        """The step with integrate(q0, step) = q1."""
        q0, q1 = self._sized("q0", q0, self.nq), self._sized("q1", q1, self.nq)
        return self._joined(
            lambda i, b: b.joint.difference(q0[self.q_index[i]], q1[self.q_index[i]])
        )

    def rates(self, q: Any, v: Any) -> Array:
        """q̇ at velocity v."""
        q, v = self._sized("q", q, self.nq), self._sized("v", v, self.nv)
        return self._joined(lambda i, b: b.joint.rates(q[self.q_index[i]], v[self.v_index[i]]))

    def tangent(self, q: Any) -> Array:
        """The nq × nv matrix from v to q̇."""
        return np.stack([self.rates(q, e) for e in np.eye(self.nv)], axis=1)

    @property
    def lower(self) -> Array:
        """Lower limits of q."""
        return self._joined(lambda i, b: b.limits.lower)

    @property
    def upper(self) -> Array:
        """Upper limits of q."""
        return self._joined(lambda i, b: b.limits.upper)

    @property
    def velocity_limits(self) -> Array:
        """Largest speeds."""
        return self._joined(lambda i, b: b.limits.velocity)

    @property
    def effort_limits(self) -> Array:
        """Largest joint forces and torques."""
        return self._joined(lambda i, b: b.limits.effort)

    # ---- poses and mass, in plain arithmetic over any scalar

    def body_poses(self, q: Any) -> list[Pose]:
        """The pose of every body in the world, with the parameters' values."""
        q = self._sized("q", q, self.nq)
        poses: list[Pose] = []
        for i, b in enumerate(self.numeric.bodies):
            here = b.placement @ b.joint.transform(self.local(i, q))
            poses.append(here if b.parent == WORLD else poses[b.parent] @ here)
        return poses

    def frame_pose(self, name: str, q: Any) -> Pose:
        """The pose of a frame in the world."""
        if not isinstance(name, str):
            raise ArgumentError(f"frame_pose(name, q): the name comes first, got {name!r}")
        q = self._sized("q", q, self.nq)
        f = self.numeric.frame(name)
        return f.placement if f.body == WORLD else self.body_poses(q)[f.body] @ f.placement

    @property
    def mass(self) -> Any:
        """Of all bodies that move."""
        return sum((b.inertia.mass for b in self.numeric.bodies), 0.0)

    # ---- parameters

    @cached_property
    def numeric(self) -> Model:
        """The same model with the parameters' values put in."""
        return self.over(self.parameters) if self.parameters else self

    @property
    def symbolic(self) -> Model:
        """The same model with expressions as its numbers: what it computes holds for any values."""
        return replace(self, parameters={})

    def over(self, values: Mapping[str, Any]) -> Model:
        """The same model with parameters replaced by scalars of any kind."""
        known = {**self.parameters, **values}
        for name in values:
            if name not in self.parameters:
                raise UnknownNameError("parameter", name, self.parameters)
        return replace(self.mapped(lambda x: evaluate(x, known)), parameters={})

    def with_parameters(self, **values: float) -> Model:
        """The same model with other values of its parameters."""
        for name in values:
            if name not in self.parameters:
                raise UnknownNameError("parameter", name, self.parameters)
            if not isinstance(values[name], Real) or not np.isfinite(values[name]):
                raise ArgumentError(f"parameter {name!r} is a finite number, got {values[name]!r}")
        changed = replace(self, parameters={**self.parameters, **values})
        _ = changed.numeric  # values that no body can have are refused here, not later
        return changed

    def mapped(self, f: Callable[[Any], Any]) -> Model:
        """Every number that may be symbolic replaced by f(number)."""
        base = None if self.base_inertia is None else self.base_inertia.mapped(f)
        return replace(
            self,
            bodies=tuple(b.mapped(f) for b in self.bodies),
            frames=tuple(x.mapped(f) for x in self.frames),
            gravity=vector([f(x) for x in self.gravity]),
            base_inertia=base,
            springs=tuple(s.mapped(f) for s in self.springs),
        )

    @property
    def is_symbolic(self) -> bool:
        """Whether any number is an expression over parameters."""
        return self._graph() is not None

    def __repr__(self) -> str:
        return table.text(self)

    def __reduce__(self) -> tuple[Any, ...]:
        values = [getattr(self, item.name) for item in fields(self)]
        return type(self), tuple(dict(x) if isinstance(x, MappingProxyType) else x for x in values)

    # ---- inside

    def _index(self, count: str) -> tuple[slice, ...]:
        slices: list[slice] = []
        by_joint: dict[str, slice] = {}
        start = 0
        for b in self.bodies:
            if b.mimic is None:
                size = getattr(b.joint, count)
                by_joint[b.joint_name] = slice(start, start + size)
                start += size
        for b in self.bodies:
            slices.append(by_joint[b.joint_name if b.mimic is None else b.mimic.joint])
        return tuple(slices)

    def _joined(self, part: Callable[[int, Body], Any]) -> Array:
        parts = [part(i, b) for i, b in enumerate(self.bodies) if b.mimic is None]
        return np.concatenate([vector(x) for x in parts]) if parts else np.zeros(0)

    def _sized(self, name: str, x: Any, n: int) -> Array:
        array = vector(x)
        if array.shape != (n,):
            raise ShapeError(f"{name} of {self.name!r} has {n} entries, got shape {array.shape}")
        return array
