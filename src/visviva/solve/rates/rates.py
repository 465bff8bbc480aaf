"""Joint rates for a wanted velocity: exact, weighted, damped, with a motion in the null space.

Of all v with A v = t the one nearest to a preferred z, as W measures it,

    v = A⁺ t + (1 - A⁺ A) z ,        A⁺ = W⁻¹ Aᵀ (A W⁻¹ Aᵀ)⁻¹

(Siciliano and others, *Robotics*, section 3.5), or with damping λ the v = z + u with the least
|A v - t|² + λ² uᵀ W u, which stays finite beside singular positions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, IntArray
from visviva.describe.model.model import Model
from visviva.equations.frames.parts import Orientation, Position
from visviva.equations.frames.tasks import Task
from visviva.errors import ArgumentError, ShapeError, SingularError, check_known
from visviva.machine.function import function
from visviva.solve.numeric.newton import Newton, newton_of
from visviva.solve.rates.objectives import OBJECTIVES, preferred_by_name
from visviva.solve.rates.slopes import Slopes, in_words

MISSED = 1e-9  # of the wanted velocity: what is left over by rounding alone is less


@dataclass(frozen=True, eq=False)
class JointRates:
    """Velocities of the joints, and how well they give what was wanted."""

    v: FloatArray  # (…, nv)
    twist: FloatArray  # (…, size): what they give
    residual: FloatArray  # (…,): the largest entry of what is missing of what was wanted
    rank: np.int64 | IntArray  # (…,): independent velocities that the joints can give here
    singular_values: FloatArray  # (…, k), falling
    null_space: (
        FloatArray  # (…, nv, k): motions that leave the task alone; zeros where there are fewer
    )
    lost: FloatArray  # (…, size, k): velocities that no joint gives here, likewise
    task: Task
    joints: tuple[str, ...]  # whose the entries of v are

    @property
    def nullity(self) -> np.int64 | IntArray:
        """(…,): in how many ways the joints that take part can move and leave the task alone."""
        free: np.int64 | IntArray
        free = (np.abs(self.null_space).max(axis=-2, initial=0.0) > 0).sum(axis=-1)
        return free

    @property
    def lost_directions(self) -> tuple[str, ...]:
        """At a single position: the velocities that no joint gives, in words."""
        if self.v.ndim > 1:
            raise ShapeError("lost_directions is about one position; `lost` has those of many")
        return tuple(in_words(self.task, x) for x in self.lost.T)

    def __repr__(self) -> str:
        if self.v.ndim > 1:
            most = float(np.max(self.residual, initial=0.0))
            return f"JointRates(for {self.residual.size} velocities, missing at most {most:.1g})"
        own = ", ".join(f"{n} {x:.6g}" for n, x in zip(self.joints, self.v, strict=True))
        lost = f", no joint gives {' or '.join(self.lost_directions)}" if self.lost.size else ""
        return f"JointRates({own}; rank {self.rank}{lost}, missing {float(self.residual):.1g})"


def joint_rates(
    model: Model,
    frame: str,
    q: Any,
    twist: Any,
    *,
    task: str = "pose",
    damping: float = 0.0,
    weights: Any = None,
    secondary: Any = None,
    reference: str = "world",
) -> JointRates:
    """Velocities v (…, nv) at q (…, nq) with which a frame moves as wanted.

    `twist` (…, size) has the velocities of the task in its order: of a pose (ω, v), in world axes
    or, with reference="body", in those of the frame. `weights`, numbers (n,) or a matrix (n, n) of
    the joints, say how dear each is. `secondary` are preferred velocities (…, nv), a function of q
    that should grow, one of `OBJECTIVES` by name, or several with weights, {name: weight}: as much
    of them, or of their gradients, as leaves the task alone is added.
    Without damping a velocity that the joints cannot give is an error.
    """
    newton = newton_of(model, frame, task)
    at, wanted = _arrays(newton, q, twist)
    for name, x in (("q", at), ("twist", wanted)):
        if not np.isfinite(x).all():
            raise ArgumentError(f"joint_rates: {name} is made of finite numbers, got {x}")
    if not isinstance(damping, (int, float)) or not 0.0 <= damping < np.inf:
        raise ArgumentError(f"damping is a number from 0 on, got {damping!r}")
    moving = newton.reach.moving
    X, A = newton.slope(at)
    wanted = _in_world(newton.reach.task, X, wanted, reference)
    B = _metric(newton, weights)
    preferred = _preferred(newton, at, secondary)
    z = preferred[..., moving]
    slopes = Slopes.of(A @ B)
    plain = Slopes.of(A)
    open_ = wanted - (A @ z[..., None])[..., 0]
    inverse = B @ slopes.inverse(float(damping))
    u = (inverse @ open_[..., None])[..., 0]
    v = np.array(np.broadcast_to(preferred, (*u.shape[:-1], model.nv)))
    v[..., moving] = z + u
    given = (A @ v[..., moving, None])[..., 0]
    missing = np.abs(wanted - given).max(axis=-1, initial=0.0)
    if not damping:
        _refuse_lost(newton, plain, wanted)
    free = np.zeros((*v.shape, plain.free.shape[-1]))
    free[..., moving, :] = plain.free
    names = model.motion_names
    return JointRates(
        v, given, missing, plain.rank, plain.sizes, free, plain.lost, newton.reach.task, names
    )


def _arrays(newton: Newton, q: Any, twist: Any) -> tuple[Array, Array]:
    """Both with the same leading axes."""
    m, task = newton.reach.model, newton.reach.task
    try:
        at, wanted = np.asarray(q, dtype=float), np.asarray(twist, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"q and twist are numbers, got {q!r:.60} and {twist!r:.60}") from None
    for what, x, size in (("q", at, m.nq), (f"the {task} velocity", wanted, task.size)):
        if not x.ndim or x.shape[-1] != size:
            rows, other = "", ""
            if x is wanted:
                rows = f": {', '.join(task.names)}"
                other = "; task= names others, as task='position' or task='x y'"
            raise ShapeError(f"{what} has {size} entries{rows}; got shape {x.shape}{other}")
    try:
        batch = np.broadcast_shapes(at.shape[:-1], wanted.shape[:-1])
    except ValueError:
        raise ShapeError(
            f"positions {at.shape} and velocities {wanted.shape} do not go together"
        ) from None
    return np.broadcast_to(at, (*batch, m.nq)), np.broadcast_to(wanted, (*batch, task.size))


def _in_world(task: Task, X: Array, wanted: Array, reference: str) -> Array:
    """Velocities in world axes."""
    check_known("reference", reference, ("world", "body"))
    if reference == "world":
        return wanted
    turned: list[Array] = []
    place = 0
    for part in task.parts:
        if not isinstance(part, Orientation) and part != Position((0, 1, 2)):
            raise ArgumentError(
                f"reference='body' is for whole vectors: orientation, position, pose; {task.text!r}"
                " has others"
            )
        turned.append((X[..., :3, :3] @ wanted[..., place : place + 3, None])[..., 0])
        place += 3
    return np.concatenate(turned, axis=-1)


def _metric(newton: Newton, weights: Any) -> Array:
    """B (n, n) with B Bᵀ = W⁻¹, of the joints that take part."""
    m, moving = newton.reach.model, newton.reach.moving
    if weights is None:
        return np.eye(len(moving))
    try:
        W = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        W = np.zeros(0)
    if W.shape == (m.nv,):
        W = np.diag(W)
    if (
        W.shape != (m.nv, m.nv)
        or not np.isfinite(W).all()
        or np.abs(W - W.T).max() > 1e-12 * (np.abs(W).max())
    ):
        raise ArgumentError(
            f"weights are {m.nv} positive numbers or a symmetric matrix ({m.nv}, {m.nv}), of "
            f"{', '.join(m.motion_names)}; got {weights!r}"
        )
    others = np.setdiff1d(np.arange(m.nv), moving)
    if others.size and np.any(W[moving][:, others]):
        raise ArgumentError(
            "weights couple joints that move the frame with joints that do not: "
            f"{', '.join(m.motion_names[k] for k in others)}"
        )
    try:
        L = np.linalg.cholesky(W[moving][:, moving])
    except np.linalg.LinAlgError:
        raise ArgumentError(
            f"weights are positive: of any velocity vᵀ W v > 0; got {weights!r}"
        ) from None
    return np.asarray(np.linalg.inv(L).T)


def _preferred(newton: Newton, q: Array, secondary: Any) -> Array:
    """z (…, nv): zero, velocities as given, or the gradient of what should grow."""
    m = newton.reach.model
    if secondary is None:
        return np.zeros((*q.shape[:-1], m.nv))
    if callable(secondary):
        return gradient_along(m, secondary, q)
    if isinstance(secondary, (str, Mapping)):
        return preferred_by_name(newton, q, secondary)
    try:
        z = np.asarray(secondary, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"secondary is velocities ({m.nv},), a function of q, or one of "
            f"{', '.join(OBJECTIVES)}; got {secondary!r:.60}"
        ) from None
    if not z.ndim or z.shape[-1] != m.nv:
        raise ShapeError(f"secondary velocities have {m.nv} entries, got shape {z.shape}")
    try:
        return np.broadcast_to(z, (*np.broadcast_shapes(q.shape[:-1], z.shape[:-1]), m.nv))
    except ValueError:
        raise ShapeError(
            f"secondary velocities {z.shape} and positions {q.shape} do not go together"
        ) from None


def gradient_along(model: Model, f: Callable[[Any], Any], q: Array) -> Array:
    """How a scalar function of q, over any scalar, grows with each velocity: (…, nv)."""
    made: dict[Any, Any] = model.__dict__.setdefault("_gradients", {})
    if f not in made:
        traced = function(lambda q: f(q), {"q": model.nq}, name="objective")
        if [*traced.outputs.values()] != [()]:
            raise ArgumentError(
                f"a secondary objective is one number; got outputs of shapes {traced.outputs}"
            )
        made[f] = traced.jacobian("q")
    slope = np.asarray(made[f](q)).reshape(*q.shape)
    if model.nq == model.nv and not model.charts:
        return slope
    flat = q.reshape(-1, model.nq)
    tangents = np.array([model.tangent(x) for x in flat]).reshape(*q.shape, model.nv)
    return np.asarray((slope[..., None, :] @ tangents)[..., 0, :])


def _refuse_lost(newton: Newton, slopes: Slopes, wanted: Array) -> None:
    """An exact answer was asked for where there is none."""
    lost = slopes.lost
    beyond = (lost @ (np.swapaxes(lost, -1, -2) @ wanted[..., None]))[..., 0]
    sizes = np.linalg.norm(beyond, axis=-1)
    bad = sizes > MISSED * np.linalg.norm(wanted, axis=-1)
    if not np.any(bad):
        return
    which = tuple(int(k[0]) for k in np.nonzero(bad)) if np.ndim(bad) else ()
    reach = newton.reach
    named, size = in_words(reach.task, beyond[which]), float(sizes[which])
    number = (
        f" at {int(np.sum(bad))} of {np.size(bad)} positions, first at {which}" if which else ""
    )
    rank, rows = int(np.asarray(slopes.rank)[which]), reach.task.size
    why = f"The position is singular, rank {rank} of {rows}: damping= gives the best finite rates"
    if len(reach.moving) < rows:
        why = (
            f"{len(reach.moving)} joints move {reach.frame!r}, the task has {rows} rows: name what "
            "matters with task="
        )
    raise SingularError(
        f"no joint rates of {reach.model.name!r} give this velocity{number}: {size:.3g} along "
        f"{named} is asked for, which no joint gives. {why}"
    )
