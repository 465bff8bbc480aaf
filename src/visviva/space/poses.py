"""Poses X_AB = (R_AB, p_AB): where frame B is, seen from frame A.

Examples:
    >>> import numpy as np
    >>> lift = Pose.translation([0.0, 0.0, 1.0])
    >>> quarter = Pose.rotation([0.0, 0.0, 1.0], np.pi / 2)
    >>> (lift @ quarter).apply([1.0, 0.0, 0.0]).round(12)
    array([0., 1., 1.])
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from visviva.algebra.arrays import Array, Frozen, Scalars, alike, frozen, is_numeric, vector
from visviva.algebra.generic import sqrt
from visviva.drawing.displayed import Displayed
from visviva.errors import ArgumentError, ShapeError
from visviva.foreign import explained
from visviva.hints import as_typed
from visviva.space import rotations
from visviva.space.rotations import skew
from visviva.space.series import cosc, cosc4, cotc, sinc3, sinc5

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure


@explained
@dataclass(frozen=True, eq=False)
class Pose(Frozen, Displayed):
    """A rotation and a translation; `X_AB @ X_BC` is X_AC."""

    R: Array = field(default_factory=lambda: np.eye(3))
    p: Array = field(default_factory=lambda: np.zeros(3))

    if TYPE_CHECKING:

        def __init__(self, R: Scalars = ..., p: Scalars = ...) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "R", frozen(self.R))
        object.__setattr__(self, "p", frozen(self.p))
        if self.R.shape != (3, 3) or self.p.shape != (3,):
            raise ShapeError(
                f"a pose has a 3 × 3 rotation and 3 coordinates, got {self.R.shape} and "
                f"{self.p.shape}; Pose(p=[x, y, z]) does not turn, Pose.from_matrix(X) takes 4 × 4"
            )
        rotations.check_rotation(self.R, "the rotation of a pose")

    @classmethod
    def of(cls, R: Any, p: Any) -> Pose:
        """From a rotation that was computed and is not looked at again: nan stays nan."""
        pose: Pose = object.__new__(cls)
        object.__setattr__(pose, "R", frozen(R))
        object.__setattr__(pose, "p", frozen(p))
        return pose

    @classmethod
    def identity(cls) -> Pose:
        """No motion."""
        return IDENTITY

    @classmethod
    def translation(cls, p: Any) -> Pose:
        """A pure translation."""
        return cls(np.eye(3), p)

    @classmethod
    def rotation(cls, axis: Any, angle: Any) -> Pose:
        """A turn about an axis through the origin; its length does not matter."""
        if isinstance(axis, str):
            line = _axis_line(axis, as_typed(angle, "angle"))
            rule = "an axis has 3 coordinates, about z they are [0, 0, 1]"
            raise ArgumentError(f"{rule}, got {axis!r}", cure=line)
        axis = vector(axis)
        if axis.dtype == object and is_numeric(axis):  # exact numbers stay exact
            length = sqrt(axis @ axis)
            axis = axis if length in (0, 1) else axis / length
        if axis.dtype != object:
            length = float(np.linalg.norm(axis))
            if axis.shape != (3,) or not 1e-12 < length < np.inf:
                raise ShapeError(f"an axis has 3 coordinates and a direction, got {axis.tolist()}")
            axis = axis / length
        return cls(rotations.about_axis(axis, angle), np.zeros(3))

    @classmethod
    def from_matrix(cls, X: Any) -> Pose:
        """From a homogeneous 4 × 4 matrix."""
        X = vector(X)
        if X.shape != (4, 4):
            raise ShapeError(f"a homogeneous matrix is 4 × 4, got {X.shape}")
        if X.dtype != object and X[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
            raise ShapeError(
                f"the last row of a homogeneous matrix is 0 0 0 1, got {X[3].tolist()}"
            )
        return cls(X[:3, :3], X[:3, 3])

    def matrix(self) -> Array:
        """The homogeneous 4 × 4 matrix."""
        top = np.concatenate([self.R, self.p[:, None]], axis=1)
        return np.concatenate([top, vector([[0.0, 0.0, 0.0, 1.0]])])

    def __getitem__(self, entry: Any) -> Any:
        """Entries of the matrix: `pose[:3, 3]` is p."""
        return self.matrix()[entry]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The matrix: what takes arrays of poses takes poses and lists of them."""
        return self.matrix() if dtype is None else self.matrix().astype(dtype)

    __array_ufunc__ = None  # arrays leave operations to it

    def __matmul__(self, other: Pose) -> Pose:
        if isinstance(other, Pose):
            R, p, other_R, other_p = alike(self.R, self.p, other.R, other.p)
            return Pose.of(R @ other_R, p + R @ other_p)
        if not isinstance(other, _NUMBERS):
            return NotImplemented
        return _refuse_join(other, "pose @ {}")

    def __mul__(self, other: Any) -> Pose:
        """Refused: poses are joined by @."""
        if not isinstance(other, (Pose, *_NUMBERS)):
            return NotImplemented
        return _refuse_join(other, "pose @ {}")

    def __rmatmul__(self, other: Any) -> Pose:
        """Refused with the line that is meant."""
        if not isinstance(other, _NUMBERS):
            return NotImplemented
        return _refuse_join(other, "{} @ pose")

    __rmul__ = __rmatmul__

    def inverse(self) -> Pose:
        """X_BA, the pose of A seen from B."""
        R, p = alike(self.R, self.p)
        return Pose.of(R.T, -(R.T @ p))

    def apply(self, point: Any) -> Array:
        """A point given in B, in A."""
        R, p, point = alike(self.R, self.p, point)
        p_A: Array = R @ point + p
        return p_A

    def adjoint(self) -> Array:
        """Ad: a twist in B becomes a twist in A; its transpose takes wrenches from A to B."""
        R, p = alike(self.R, self.p)
        return np.block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])

    def plot(self, name: str = "") -> Figure:
        """The axes of frame B in those of A: a plotly figure. `vv.space.plot_frames` has several.

        Examples:
            >>> fig = Pose.rotation([0.0, 0.0, 1.0], 0.5).plot("tool")
        """
        from visviva.space.pictures import plot_frames

        return plot_frames(**{name: self})


def as_pose(X: Any) -> Pose:
    """A pose as one states it: itself, a 4 × 4 matrix, or three coordinates."""
    if isinstance(X, Pose):
        return X
    X = vector(X)
    return Pose.translation(X) if X.shape == (3,) else Pose.from_matrix(X)


_NUMBERS = (np.ndarray, np.generic, list, tuple, float, int)  # they know no poses


def _refuse_join(other: Any, order: str) -> NoReturn:
    x, shape = as_typed(other), () if isinstance(other, Pose) else np.shape(other)
    line = order.format("other") if isinstance(other, Pose) else f"pose.apply({x})"
    line = order.replace("pose", "pose.matrix()").format(x) if shape == (4, 4) else line
    line = order.format(f"vv.Pose({x})") if shape == (3, 3) else line
    raise ArgumentError("poses are joined by @ and applied to points", cure=line)


def _axis_line(axis: str, angle: str) -> str:
    """The line for an axis by its letter, perhaps with a sign; "" for other words."""
    letter, sign = axis.strip().lower().lstrip("+-"), -1.0 if "-" in axis else 1.0
    if letter not in ("x", "y", "z") or len(axis.strip()) > 2:
        return ""
    return f"vv.Pose.rotation({[sign * (letter == x) + 0.0 for x in 'xyz']}, {angle})"


IDENTITY = Pose(np.eye(3), np.zeros(3))


def exp(V: Any) -> Pose:
    """The pose after moving with the constant twist V for one unit of time."""
    w, v = vector(V[:3]), vector(V[3:])
    S, t = skew(w), w @ w
    return Pose(rotations.exp(w), v + (S @ v) * cosc(t) + (S @ (S @ v)) * sinc3(t))


def log(X: Pose) -> Array:
    """The twist with exp(twist) = X."""
    w = rotations.log(X.R)
    S, t = skew(w), w @ w
    v = X.p - (S @ X.p) * 0.5 + (S @ (S @ X.p)) * cotc(t)
    return np.concatenate([w, v])


def exp_derivative(V: Any) -> Array:
    """D with: a change dV of V moves exp(V) by the body twist D dV (right Jacobian)."""
    w, v = -vector(V[:3]), -vector(V[3:])
    S, U, t = skew(w), skew(v), w @ w
    SU, US = S @ U, U @ S
    SUS = SU @ S
    corner = (
        U * 0.5
        + (SU + US + SUS) * sinc3(t)
        + (S @ SU + US @ S - SUS * 3.0) * cosc4(t)
        + (SUS @ S + S @ SUS) * sinc5(t)
    )
    block = np.eye(3) + S * cosc(t) + (S @ S) * sinc3(t)
    return np.block([[block, np.zeros((3, 3))], [corner, block]])


def log_derivative(V: Any) -> Array:
    """The inverse of `exp_derivative`."""
    D = exp_derivative(V)
    inverse = rotations.log_derivative(V[:3])
    return np.block([[inverse, np.zeros((3, 3))], [-inverse @ D[3:, :3] @ inverse, inverse]])
