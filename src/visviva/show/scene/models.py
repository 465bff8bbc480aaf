"""The scene of a tree of bodies: all of its shapes, on carriers that its parameters move."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visviva.algebra.arrays import Array, is_numeric
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError
from visviva.show.scene.carriers import Rig, model_places
from visviva.show.scene.held import is_seen, loop_shapes, spring_shapes
from visviva.show.scene.joints import joint_shapes, rail
from visviva.show.scene.parts import base_shapes, body_shapes
from visviva.show.scene.scene import Place, Scene
from visviva.show.scene.shapes import Axes, Label, Shape, as_point, as_pose
from visviva.show.scene.start import coordinates_of, extent, labelled, ranges, start_of
from visviva.space.poses import Pose

FRAME = 0.1  # length of axes, of the size
TRIED = 3  # positions at which motion is looked at
FLAT = 1e-9


def scene_of_model(model: Model) -> Scene:
    """All that can be seen of a model, in sizes that fit it."""
    if model.numeric.is_symbolic:
        raise ArgumentError(
            f"the numbers of {model.name!r} are formulas without values: a picture needs the model "
            "with values"
        )
    q = start_of(model, extent(model))
    rig = Rig(model)
    size = _size(model, q)
    thick = gauge(model, size)
    lower, upper = ranges(model, q, size)
    wheels = [x for k in range(len(model.constraints)) for x in loop_shapes(rig, k, size, thick)]
    shapes: list[Shape] = base_shapes(rig, thick)
    labels = labelled(model)
    for i, b in enumerate(rig.numeric.bodies):
        where = model.q_index[i]
        label = ", ".join(labels[where]) if b.joint.nq < 3 and b.mimic is None else ""
        shapes += body_shapes(rig, i, size, thick, is_seen(rig, i, wheels))
        shapes += joint_shapes(rig, i, thick, label)
        if b.parent == WORLD and b.joint.nq:
            limits = (b.limits.lower[-1], b.limits.upper[-1])
            shapes += rail(rig, i, thick, limits, float(q[where][-1]), size)
    for k in range(len(model.springs)):
        shapes += spring_shapes(rig, k, thick)
    shapes += [*wheels, *_frames(rig, thick)]
    carriers = tuple(rig.carriers)

    def place(m: Model, q: Array, t: object) -> Array:
        return model_places(carriers, m, q)

    return Scene(
        model.name,
        model,
        tuple(rig.names),
        tuple(shapes),
        coordinates_of(model, q, lower, upper),
        size,
        plane_of(place, model.numeric, [q, *_tried(model)]),
        place,
    )


def _size(model: Model, q: Array) -> float:
    """How far its bodies reach in the start position."""
    m = model.numeric
    points = [np.asarray(X.p, float) for X in m.body_poses(q)]
    across = np.ptp(np.array(points), axis=0) if points else np.zeros(3)
    return max(float(np.linalg.norm(across)), extent(model))


def gauge(model: Model, size: float) -> float:
    """What is thick is so by fractions of this: less than the size where links are short."""
    lengths = [float(np.linalg.norm(b.placement.p)) for b in model.numeric.bodies]
    links = [x for x in lengths if x > 1e-3 * size]
    return float(np.clip(3.5 * np.mean(links), 0.35 * size, size)) if links else size


def _tried(model: Model) -> list[Array]:
    rng = np.random.default_rng(0)
    return [np.asarray(model.random(rng), dtype=float) for _ in range(TRIED)]


def plane_of(place: Place, system: object, positions: list[Array]) -> tuple[int, int] | None:
    """The world axes of a plane in which all carriers move and turn, if there is one."""
    tried = [np.asarray(place(system, q, 0.3 * k), float) for k, q in enumerate(positions)]
    X = np.array(tried)  # (positions, carriers, 3, 4)
    if not X.size or not np.isfinite(X).all():
        return None
    scale = max(float(np.abs(X[..., 3]).max()), 1e-12)
    for normal, axes in ((2, (0, 1)), (1, (0, 2)), (0, (1, 2))):
        still = np.ptp(X[:, :, normal, 3], axis=0).max() <= FLAT * scale
        turn = np.ptp(X[:, :, normal, :3], axis=0).max() <= FLAT
        if still and turn:
            return axes
    return None


def _placement(k: int) -> Callable[[Model], Pose]:
    return lambda m: m.frames[k].placement


def _frames(rig: Rig, size: float) -> list[Shape]:
    """Axes and names of the frames that were stated."""
    shapes: list[Shape] = []
    for k, f in enumerate(rig.model.frames):
        on, X = rig.of(f.body), f.placement
        if not is_numeric(X.matrix()):
            on = rig.frame(f"frame:{f.name}", f.body, _placement(k))
            X = Pose.identity()
        shapes.append(Axes("frame", f.name, on, as_pose(X.R, X.p), FRAME * size))
        shapes.append(Label("frame", f.name, on, as_point(X.p), f.name))
    return shapes
