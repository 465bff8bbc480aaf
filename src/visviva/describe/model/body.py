"""The parts of a model: bodies with the joints that carry them, frames, limits, pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, SupportsIndex, TypeVar, cast, overload

import numpy as np

from visviva.algebra.arrays import (
    Array,
    FloatArray,
    Frozen,
    Scalars,
    frozen,
    is_exactly,
    is_numeric,
)
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.joints.joint import Joint
from visviva.describe.model.friction import check_stiction, check_unloaded
from visviva.describe.model.stiffness import Stiffness
from visviva.describe.values import PLAIN, Value
from visviva.errors import ArgumentError, ReadOnlyError, ShapeError, check_known
from visviva.foreign import explained
from visviva.hints import as_typed
from visviva.space.poses import Pose

REFERENCES = ("world", "body", "space")  # the axes, and the point whose velocity a twist has
# what a joint has for each velocity
JOINT_NUMBERS = ("damping", "friction", "armature", "stiction", "stribeck")
NO_STOP = -1.0  # in place of a coefficient of restitution
WORLD = -1  # the parent of what is attached to nothing that moves
MOVING_WORLD = "'world' is fixed to the free base and moves with it: poses are not relative to it"
Part = TypeVar("Part")


@dataclass(frozen=True, eq=False)
class Limits(Frozen):
    """Of position (per coordinate), speed and effort (per velocity); infinite if there is none.

    With a `restitution` (per coordinate) those of position are stops, -1 where they hold nothing.
    """

    lower: FloatArray
    upper: FloatArray
    velocity: FloatArray
    effort: FloatArray
    restitution: FloatArray = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        if np.size(self.restitution) == 0:
            object.__setattr__(self, "restitution", np.full(np.shape(self.lower), NO_STOP))
        for name in ("lower", "upper", "velocity", "effort", "restitution"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @classmethod
    def of(
        cls,
        joint: Joint,
        lower: Any = -np.inf,
        upper: Any = np.inf,
        velocity: Any = np.inf,
        effort: Any = np.inf,
    ) -> Limits:
        """Limits of the right lengths; one number serves all entries."""
        sides = [spread("limit", x, joint.nq) for x in (lower, upper)]
        return cls(*sides, *(spread("limit", x, joint.nv) for x in (velocity, effort)))

    @property
    def are_stops(self) -> bool:
        """Whether those of position hold a joint in motions."""
        return bool(len(self.restitution)) and bool((self.restitution != NO_STOP).all())

    def stopping(self, name: str, joint: Joint, restitution: Any) -> Limits:
        """The same as stops of a joint, if restitution is None as limits that hold nothing."""
        if restitution is None:
            return replace(self, restitution=np.full(joint.nq, NO_STOP))
        what = f"stops of {name!r}"
        if isinstance(restitution, (str, bool)) or not is_numeric(np.ravel(restitution)):
            raise ArgumentError(f"{what}: restitution is a number from 0 to 1, got {restitution!r}")
        e = np.array(spread(what, restitution, joint.nq), dtype=float)
        if not ((e >= 0) & (e <= 1)).all():
            raise ArgumentError(
                f"{what}: restitution is from 0 (it stays there) to 1 (no energy is lost), got "
                f"{restitution!r}"
            )
        if not joint.has_rates:
            raise ArgumentError(
                f"{what}: a {joint.kind} joint has velocities that are no rates of its "
                "coordinates, and no stops"
            )
        low, high = self.lower, self.upper
        if not np.isfinite([*low, *high]).any():
            raise ArgumentError(f"{what}: it has no limits of position; state them, (lower, upper)")
        if not (low < high).all():
            raise ArgumentError(
                f"{what}: the lower is below the upper, got {low.tolist()} and {high.tolist()}"
            )
        return replace(self, restitution=e)


@dataclass(frozen=True, slots=True)
class Mimic:
    """This joint's coordinate is `multiplier` times that of another, plus `offset`."""

    joint: str
    multiplier: Any = 1.0
    offset: Any = 0.0


SHAPES = {"mesh": 3, "box": 3, "cylinder": 2, "capsule": 2, "sphere": 1, "ellipsoid": 3}  # sizes


@dataclass(frozen=True, eq=False)
class Visual(Value):
    """Something to draw: a mesh file (size: its scale), or a solid.

    A box has its lengths, cylinder and capsule radius and length, sphere a radius, ellipsoid
    semi-axes.
    """

    kind: str
    placement: Pose
    size: tuple[float, ...] = field(default=(), metadata=PLAIN)
    path: str = ""
    color: tuple[float, ...] = field(default=(), metadata=PLAIN)

    def __post_init__(self) -> None:
        check_known("kind of visual", self.kind, SHAPES)
        if len(self.size) not in (SHAPES[self.kind], 0 if self.kind == "mesh" else -1):
            raise ArgumentError(f"a {self.kind} has {SHAPES[self.kind]} sizes, got {self.size}")


class Named(tuple[Part, ...]):
    """Parts of a model: a tuple, whose entries can be asked for by name too."""

    kind: ClassVar[str]

    if TYPE_CHECKING:  # as a field of a model: stated by any sequence, and read as this one

        def __get__(self, model: Any, owner: Any = None) -> Self: ...
        def __set__(self, model: Any, parts: Sequence[Part]) -> None: ...

    @overload
    def __getitem__(self, key: SupportsIndex | str) -> Part: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[Part, ...]: ...

    def __getitem__(self, key: SupportsIndex | str | slice) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        names = [cast(Any, x).name for x in self]
        check_known(self.kind, key, names)
        return super().__getitem__(names.index(key))


class Bodies(Named["Body"]):
    """The bodies of a model."""

    kind = "body"


class Frames(Named["Frame"]):
    """The frames of a model besides those of its bodies."""

    kind = "frame that is no body"


class Kept(np.ndarray):
    """An array of a model: where it is written to, it names the line that makes another model."""

    another: Callable[[Array], str] | None = None  # the line, of the numbers wanted

    @classmethod
    def of(cls, items: Any, another: Callable[[Array], str]) -> Kept:
        """These numbers, frozen."""
        kept: Kept = frozen(items).view(cls)
        kept.another = another
        return kept

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Results are plain arrays and numbers."""
        return np.asarray(array)[()]

    def __setitem__(self, key: Any, x: Any) -> None:
        if not self.flags.writeable and self.another is not None:
            new = np.array(self)
            new[key] = x
            line = f"model = {self.another(new)}"
            raise ReadOnlyError("the arrays of a model are read-only", cure=line)
        super().__setitem__(key, x)

    def __repr__(self) -> str:
        return repr(np.asarray(self))


class Gravity(Kept):
    """The vector, which says what is asked instead where it is called."""

    def __call__(self, *args: Any) -> Any:
        raise ArgumentError(
            "gravity is a vector, the acceleration; forces of it are a function",
            cure="model.gravity_forces(q)",
        )


def with_gravity_line(gravity: Array) -> str:
    """The line that makes a model with this gravity."""
    g = as_typed([0.0, 0.0, -1.62] if gravity.dtype == object else gravity)
    return f"model.with_gravity({g})"


class Springs(Named["Spring"]):
    """The springs of a model."""

    kind = "spring"


@explained
@dataclass(frozen=True, eq=False)
class Body(Value):
    """A rigid body and the joint between it and its parent.

    The body's frame is the joint's child frame. `placement` is the pose of the joint's fixed frame
    in the parent body. `armature` is the reflected inertia of a rotor: gear ratio² × its inertia.
    `damping`, `friction` (Coulomb's), `stiction` and `stribeck` (a speed) are those of `Friction`.
    """

    name: str
    joint_name: str
    parent: int = field(metadata=PLAIN)
    placement: Pose
    joint: Joint
    inertia: Inertia
    limits: Limits = field(metadata=PLAIN)
    damping: Array = field(default_factory=lambda: np.zeros(0))
    friction: Array = field(default_factory=lambda: np.zeros(0))
    armature: Array = field(default_factory=lambda: np.zeros(0))
    mimic: Mimic | None = None
    visuals: tuple[Visual, ...] = ()
    stiction: Array = field(default_factory=lambda: np.zeros(0))
    stribeck: Array = field(default_factory=lambda: np.zeros(0))

    if TYPE_CHECKING:

        def __init__(
            self,
            name: str,
            joint_name: str,
            parent: int,
            placement: Pose,
            joint: Joint,
            inertia: Inertia,
            limits: Limits,
            damping: Scalars | float = ...,
            friction: Scalars | float = ...,
            armature: Scalars | float = ...,
            mimic: Mimic | None = None,
            visuals: tuple[Visual, ...] = (),
            stiction: Scalars | float = ...,
            stribeck: Scalars | float = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        for name in JOINT_NUMBERS:
            given = getattr(self, name)
            for x in [given] if np.ndim(given) == 0 else np.ravel(given):
                check_unloaded(f"{name} of {self.joint_name!r} is a number for each velocity", x)
                if is_numeric([x]) and not 0.0 <= float(x) < np.inf:
                    said = f"{name} of {self.joint_name!r} is finite and not negative, got {x}"
                    raise ArgumentError(said)
            full = np.zeros(self.joint.nv) if np.size(given) == 0 else given
            object.__setattr__(
                self, name, spread(f"{name} of {self.joint_name}", full, self.joint.nv)
            )
        for law in zip(self.friction, self.stiction, self.stribeck, strict=True):
            check_stiction(f"friction of {self.joint_name!r}", *law)


@explained
@dataclass(frozen=True, eq=False)
class Frame(Value):
    """A named frame fixed to a body (or to the world)."""

    name: str
    body: int = field(metadata=PLAIN)
    placement: Pose


@dataclass(frozen=True, eq=False)
class Spring(Value):
    """A spring with a damper beside it, on a joint's coordinate or between points of two frames.

    It pulls back with stiffness · (x - rest) + damping · ẋ; x is the coordinate or the distance. A
    `Stiffness` is a law of x - rest. A 3 × 3 matrix K (symmetric, no negative eigenvalue) is an
    element between two frames: x is where the second point is, seen from the first point in the
    axes of the first frame, rest such a vector, and V = ½ (x - rest)ᵀ K (x - rest). `turning` is
    the stiffness, 3 × 3 or one number, of its rotation vector, from the first frame's axes to those
    of the second.
    """

    name: str
    stiffness: Any
    rest: Any
    damping: Any = 0.0
    joint: str = ""
    frames: tuple[str, ...] = ()
    points: tuple[Array, ...] = ()
    turning: Any = 0.0
    turning_damping: Any = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", tuple(frozen(p) for p in self.points))
        for name in MATRICES:
            if np.ndim(getattr(self, name)):
                object.__setattr__(self, name, frozen(getattr(self, name)))
        self._check_numbers()
        if self.is_spatial:
            self._check_matrices()
        elif np.ndim(self.rest) or np.ndim(self.damping):
            raise ArgumentError(
                f"spring {self.name!r}: rest and damping are numbers where the stiffness is one"
            )

    @property
    def is_spatial(self) -> bool:
        """Whether it is an element with matrices, or turns."""
        turns = [*np.ravel(self.turning), *np.ravel(self.turning_damping)]
        return bool(np.ndim(self.stiffness)) or not all(is_exactly(x, 0.0) for x in turns)

    @property
    def is_damped(self) -> bool:
        """Whether a damper is beside it."""
        numbers = [*np.ravel(self.damping), *np.ravel(self.turning_damping)]
        return not all(is_exactly(x, 0.0) for x in numbers)

    def _check_numbers(self) -> None:
        what = f"spring {self.name!r}"
        for name in MATRICES[1:]:
            x = getattr(self, name)
            if np.ndim(x) == 0 and is_numeric(x) and not 0.0 <= float(x) < np.inf:
                raise ArgumentError(f"{what}: {name} is finite and not negative, got {x}")
        for p in self.points:
            if p.shape != (3,) or (is_numeric(p) and not np.isfinite(p.astype(float)).all()):
                raise ArgumentError(f"{what}: points are three finite numbers, got {p.tolist()}")

    def _check_matrices(self) -> None:
        what = f"spring {self.name!r}"
        if self.joint:
            raise ArgumentError(
                f"{what}: a matrix of stiffness, and what acts on turning, is between two frames"
            )
        if isinstance(self.stiffness, Stiffness):
            raise ArgumentError(
                f"{what}: a law of the distance has no turning; state that as another spring"
            )
        if np.shape(self.rest) not in ((3,), ()) or (
            not np.ndim(self.rest) and not is_exactly(self.rest, 0.0)
        ):
            raise ArgumentError(
                f"{what}: rest is a vector in the axes of the first frame, got {self.rest!r}"
            )
        for name in MATRICES[1:]:
            K = np.asarray(getattr(self, name))
            if K.shape not in ((), (3, 3)):
                raise ShapeError(f"{what}: {name} is a number or 3 × 3, got shape {K.shape}")
            if K.shape and is_numeric(K):
                check_semidefinite(f"{what}: {name}", K.astype(float))


MATRICES = ("rest", "stiffness", "damping", "turning", "turning_damping")


def check_semidefinite(what: str, K: Any) -> None:
    """Refuse what is not symmetric, or has a negative eigenvalue: it would make energy."""
    if not np.isfinite(K).all() or np.abs(K - K.T).max() > 1e-12 * np.abs(K).max():
        raise ArgumentError(f"{what} is symmetric and finite, got {K.tolist()}")
    least = float(np.linalg.eigvalsh(K)[0])
    if least < -1e-12 * np.abs(K).max():
        raise ArgumentError(f"{what} has no negative eigenvalue, got {least:.6g}")


def is_identity(X: Pose) -> bool:
    """Whether a pose is no motion at all; formulas are not looked into."""
    return is_numeric(X.matrix()) and bool(np.array_equal(X.matrix(), np.eye(4)))


def spread(what: str, x: Any, n: int) -> Array:
    """One value per entry; a single one serves all."""
    array = frozen(x)
    if array.shape == (n,):
        return array
    if array.shape:
        raise ShapeError(f"{what} needs {n} values or one, got shape {array.shape}")
    return frozen(np.broadcast_to(array, (n,)))
