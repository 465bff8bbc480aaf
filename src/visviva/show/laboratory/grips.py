"""Where a mechanism can be taken hold of: which carriers of a scene are rigidly one.

A scene has carriers for joints, centres and frames; a force on any of them is a force on the body
that they are fixed to, so that one function of forces serves all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_TRIES = 4  # positions at which carriers are compared
_RIGID = 1e-9  # of the size of the scene
_LEVER = 1e-3  # of the size: what is nearer cannot be turned by
_NEAR = 1e-3  # rad or m: how far a mechanism is moved to see what moves with it
_WAY = 1e-5  # of the size: what goes less far is held still; off the constraints it goes 1e-6
_SOLID = ("link", "point", "frame")  # roles of shapes that are parts of what moves


def grips_of(scene: Any) -> tuple[int, ...]:
    """For every carrier the first one that it is rigidly fixed to.

    0 for what stands still, and for what has no extent of its own, as an arrow that grows.
    """
    system, rng = scene.system, np.random.default_rng(1)
    samples = [np.asarray(scene.at(scene.start, 0.0))]
    for k in range(1, _TRIES):
        q = system.integrate(scene.start, rng.uniform(-0.7, 0.7, system.nv))
        samples.append(np.asarray(scene.at(q, 0.37 * k if scene.is_timed else 0.0)))
    X = np.array(samples)  # (tries, carriers, 3, 4)
    X[..., 3] /= scene.size
    solid = [np.linalg.matrix_rank(X[0, k, :, :3]) == 3 for k in range(X.shape[1])]
    grips: list[int] = []
    for k in range(X.shape[1]):
        one = (j for j in dict.fromkeys(grips) if solid[j] and _is_rigid(X[:, j], X[:, k]))
        grips.append(next(one, k if solid[k] else 0))
    return tuple(grips)


def _is_rigid(one: Any, other: Any) -> bool:
    """Whether poses (tries, 3, 4) keep their place in those of a carrier that may stretch."""
    back = np.linalg.inv(one[..., :3])
    turned = back @ other[..., :3]
    moved = (back @ (other[..., 3] - one[..., 3])[..., None])[..., 0]
    same = [np.abs(x - x[:1]).max() <= _RIGID * (1.0 + np.abs(x).max()) for x in (turned, moved)]
    return bool(all(same))


def tips_of(scene: Any, grips: tuple[int, ...]) -> list[dict[str, Any]]:
    """For everything that moves as one a point of it, far from where it is carried.

    Its path is drawn, and it is pushed there; so points that loops hold still are left out.
    """
    X = np.asarray(scene.at(scene.start, 0.0))
    far: dict[int, tuple[float, int, Any]] = {}
    for points in (_ends, lambda shape: shape.outline()):  # the second where the first is no lever
        known = {grip for grip, (away, _, _) in far.items() if away > _LEVER * scene.size}
        for shape in scene.shapes:
            if shape.role not in _SOLID:
                continue
            for carrier, point in points(shape):
                grip = grips[carrier]
                at = X[carrier][:, :3] @ point + X[carrier][:, 3]
                away = float(np.linalg.norm(at - X[grip][:, 3]))
                longer = away > far.get(grip, (-1.0,))[0] + _RIGID * scene.size
                if grip and grip not in known and longer:
                    far[grip] = (away, carrier, point)
    Y = np.asarray(scene.at(_moved_on(scene), 0.0))
    tips: list[dict[str, Any]] = []
    still: list[dict[str, Any]] = []
    names: list[str] = []
    for grip, (_, carrier, point) in sorted(far.items()):
        names.append(_told(scene.carriers[grip], names))
        tip = {"name": names[-1], "carrier": carrier, "point": [float(x) for x in point]}
        way = (Y - X)[carrier][:, :3] @ point + (Y - X)[carrier][:, 3]
        (tips if np.linalg.norm(way) > _WAY * scene.size else still).append(tip)
    return tips or still


def _told(carrier: str, others: list[str]) -> str:
    """A name without the marks that keep carriers apart; of several alike with a number."""
    name = carrier.rstrip("'") or carrier
    alike = sum(x == name or x.startswith(f"{name} (") for x in others)
    return f"{name} ({alike + 1})" if alike else name


def _moved_on(scene: Any) -> Any:
    """A position near the start, along a velocity that the constraints admit."""
    system = scene.system
    v = np.random.default_rng(2).uniform(0.5, 1.0, system.nv)
    if system.held_by:
        f = system.admitted_velocity
        given = {"q": scene.start, "v": v, "t": 0.0}
        v = np.asarray(f.interpret(*(given[k] for k in f.inputs)), dtype=float)
    return system.integrate(scene.start, _NEAR * v / max(float(np.abs(v).max()), 1e-300))


def _ends(shape: Any) -> list[tuple[int, Any]]:
    """Points of a shape that one would point at."""
    if getattr(shape, "a", None) is not None:
        return [shape.a, shape.b]
    if getattr(shape, "pose", None) is not None:
        return [(shape.on, np.array(shape.pose).reshape(3, 4)[:, 3])]
    if getattr(shape, "at", None) is not None:
        return [(shape.on, shape.at)]
    return [(shape.on, p) for p in getattr(shape, "points", ())]
