"""Where a picture begins, and how far sliders go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.constraints.loop import Loop
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.errors import VisvivaError
from visviva.motion.regular import regular_start
from visviva.notation.names import Names
from visviva.notation.writing import page
from visviva.notation.writing.plain import text
from visviva.show.scene.scene import Coordinate

MOST_FREE = 8  # freedoms of an arm
BEND = 0.5  # rad: where no arm is stretched and no wrist in line
INSIDE = 0.1  # of the range, from its ends
CLOSED = 1e-9  # metres and radians
KINDS = {"rad": "angle", "m": "length", "1": "quaternion"}


def extent(model: Model) -> float:
    """How far what is fixed to the model's bodies reaches in its neutral position, in metres."""
    m = model.numeric
    poses = m.body_poses(m.neutral())
    points, round_about = [], [0.0]
    for b, X in zip(m.bodies, poses, strict=True):
        points.append(X.p)
        if b.inertia.mass > 0:
            points.append(X.apply(b.inertia.com))
            turning = max(float(np.trace(b.inertia.tensor)) / 2, 0.0)
            round_about.append(2 * float(np.sqrt(turning / b.inertia.mass)))
        for shape in b.visuals:
            points.append(X.apply(shape.placement.p))
            round_about.append(0.0 if shape.kind == "mesh" else 2 * max(shape.size))
    for f in m.frames:
        points.append(f.placement.p if f.body == WORLD else poses[f.body].apply(f.placement.p))
    across = np.ptp(np.array(points, dtype=float), axis=0) if points else np.zeros(3)
    found = max(float(np.linalg.norm(across)), *round_about)
    return found if np.isfinite(found) and found > 0 else 1.0


def start_of(model: Model, length: float) -> Array:
    """A position in which everything can be told apart: assembled, or bent a little."""
    q = _stated(model)
    if q is None:
        q = _bent(model, length)
    if not model.held_by or _closed(model, q):
        return q
    for guess in (q, None):
        try:
            return np.asarray(model.assembled(guess), dtype=float)
        except VisvivaError:
            continue
    return q


def _closed(model: Model, q: Array) -> bool:
    """Whether all loops hold, looked at without compiling anything."""
    m = model.numeric
    poses = {f.name: m.frame_pose(f.name, q) for f in map(m.frame, _joined(m))}
    for held in m.constraints.active:
        if not isinstance(held, Loop):
            return False
        X1, X2 = (poses[name] for name in held.frames)
        if np.abs(np.asarray(held.joint.error(X1.inverse() @ X2), float)).max(initial=0) > CLOSED:
            return False
    return True


def _joined(model: Model) -> set[str]:
    return {x for held in model.constraints.active for x in getattr(held, "frames", ())}


def _stated(model: Model) -> Array | None:
    known = model.keyframes
    name = next((k for k in ("assembled", "home") if k in known), next(iter(known), None))
    return None if name is None else np.asarray(known[name], dtype=float)


def _bent(model: Model, length: float) -> Array:
    """An arm bent at every hinge, with its slides out; a tree of many limbs as it stands."""
    q = np.asarray(model.neutral(), dtype=float)
    away = np.zeros(model.nq)
    parents = [b.parent for b in model.bodies]
    if len(set(parents)) == len(parents) and model.nv <= MOST_FREE:
        for i, (b, where) in enumerate(zip(model.bodies, model.q_index, strict=True)):
            if b.mimic is None and b.joint.quaternion is None:
                away[where] = np.where(b.joint.angular, BEND, _out(model.numeric, i) * length)
    inside = INSIDE * np.where(np.isfinite(model.upper - model.lower), model.upper - model.lower, 0)
    with np.errstate(invalid="ignore"):
        return np.clip(q + away, model.lower + inside, model.upper - inside)


def _out(model: Model, i: int) -> float:
    """How far a slide is out, of the model's reach."""
    b = model.bodies[i]
    if b.parent == WORLD:
        return 0.0
    under = model.bodies[b.parent]
    if not under.joint.turns:
        return 0.4 if under.inertia.mass > 0 else 0.0  # or it is one body that slides in a plane
    return 0.3 if np.any(b.placement.p != 0) else 1.3  # a tool at a link's end, or all of an arm


def start_of_energies(system: Any, units: Sequence[str]) -> tuple[Array, str]:
    """Where it is stated to start; else angles are half a radian, and the rest is zero.

    Where no motion can begin there, beside it, which is noted.
    """
    q = np.where([x == "rad" for x in units], BEND, 0.0)
    q = system.keyframes.get("start", q)
    if system.held_by:
        try:
            return np.asarray(system.assembled(q), dtype=float), ""
        except VisvivaError:
            pass  # drawn as it is stated
    return regular_start(system, np.asarray(q, dtype=float), system.start)


def coordinates_of(
    system: Any, q: Array, lower: Array, upper: Array, units: Sequence[str] = ()
) -> tuple[Coordinate, ...]:
    """The entries of q with labels, units and finite ranges, in which the start is."""
    names, units = system.coordinate_names, units or system.coordinate_units
    labels = labelled(system)
    entries = zip(names, units, q, lower, upper, strict=True)
    return tuple(
        Coordinate(
            name,
            labels[k],
            "" if unit == "1" else unit,
            KINDS.get(unit, "number"),
            float(x),
            float(min(low, x)),
            float(max(high, x)),
            k,
        )
        for k, (name, unit, x, low, high) in enumerate(entries)
    )


def labelled(system: Any) -> list[str]:
    """What the entries of q are called on a page: θ₁."""
    names = Names(system.coordinate_names)
    ending = _common_ending(system.coordinate_names)
    return [
        x.removesuffix(ending) if ending else text(page.Name(names.parts(x)))
        for x in system.coordinate_names
    ]


def _common_ending(names: Sequence[str]) -> str:
    """The last word that all names of a robot's file share: "_joint"; it tells none apart."""
    ends = {x.rpartition("_")[2] for x in names}
    word = ends.pop() if len(ends) == 1 and len(names) > 1 else ""
    return f"_{word}" if word.isalpha() and all(x.removesuffix(f"_{word}") for x in names) else ""


def ranges(model: Model, q: Array, length: float) -> tuple[Array, Array]:
    """Limits of q, and where there is none a turn or a length to both sides, beyond the start."""
    whole = []
    for b in model.bodies:
        if b.mimic is None:
            free = np.where(b.joint.angular, np.pi, length)
            if b.joint.quaternion is not None:
                free[b.joint.quaternion] = 1.0
            whole.append(free)
    free = np.concatenate(whole) if whole else np.zeros(0)
    low, high = np.array(model.lower, dtype=float), np.array(model.upper, dtype=float)
    below = np.where(np.isfinite(high), np.minimum(high - 2 * free, -free), -free)
    lower = np.where(np.isfinite(low), low, below)
    upper = np.where(np.isfinite(high), high, np.maximum(lower + 2 * free, free))
    lower, upper = np.minimum(lower, upper), np.maximum(lower, upper)
    beyond = 0.5 * np.minimum(free, length)
    lower = np.where(np.isfinite(low), lower, np.minimum(lower, q - beyond))
    return lower, np.where(np.isfinite(high), upper, np.maximum(upper, q + beyond))
