"""How two models differ, in sentences.

Body frames are a choice of description, so they are not compared. What a mechanism does is: where
its masses are, which way its joints move them, and where its named frames go, at random positions.

Examples:
    >>> from visviva.describe.by_hand.builder import Builder
    >>> from visviva.describe.bodies.inertia import Inertia
    >>> def bob(mass):
    ...     b = Builder("bob")
    ...     return b.body("bob", joint="revolute", inertia=Inertia.point(mass, [1, 0, 0])).build()
    >>> differences(bob(1.0), bob(1.0))
    []
    >>> differences(bob(1.0), bob(2.0))[0]
    "the mass of body 'bob' is 1 in the first and 2 in the second"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.model.body import JOINT_NUMBERS, WORLD, Body
from visviva.describe.model.model import Model
from visviva.space.poses import Pose

LIMITS = ("lower", "upper", "velocity", "effort")


def differences(
    first: Model,
    second: Model,
    *,
    tolerance: float = 1e-12,
    names: bool = True,
    frames: Iterable[str] | None = None,
    samples: int = 3,
    seed: int = 0,
) -> list[str]:
    """What is not the same in two models, one sentence each; empty if they are equal.

    Numbers may differ by `tolerance` times (1 + their size). `names=False` ignores what joints and
    bodies are called. `frames` are the frames to compare, by default the named ones that both have.
    """
    a, b = first.numeric, second.numeric
    told = list(_structure(a, b, names))
    if _shape(a) != _shape(b):
        return told  # positions of the one mean nothing to the other
    told += _data(a, b, tolerance)
    if frames is None:
        shared = {f.name for f in b.frames}
        frames = [f.name for f in a.frames if f.name in shared]
    rng = np.random.default_rng(seed)
    sentences: dict[str, str] = {}  # the first position that shows a difference speaks for all
    for _ in range(samples):
        for subject, sentence in _motion(a, b, a.random(rng), tuple(frames), tolerance):
            sentences.setdefault(subject, sentence)
    return told + list(sentences.values())


def world_inertia(inertia: Inertia | None, X: Pose) -> Array:
    """The 6 × 6 inertia about the world's origin of a body at a pose."""
    return np.zeros((6, 6)) if inertia is None else inertia.moved(X.R, X.p).spatial()


def _shape(m: Model) -> list[tuple[int, int, int, bool]]:
    return [(b.parent, b.joint.nq, b.joint.nv, b.mimic is None) for b in m.bodies]


def _structure(a: Model, b: Model, names: bool) -> Iterator[str]:
    """Counts, names, the tree."""
    for what, n, m in (
        ("bodies", len(a.bodies), len(b.bodies)),
        ("coordinates", a.nq, b.nq),
        ("degrees of freedom", a.nv, b.nv),
    ):
        if n != m:
            yield f"the first has {n} {what}, the second {m}"
    for i, (p, q) in enumerate(zip(a.bodies, b.bodies, strict=False)):
        pairs: list[tuple[Any, ...]] = []
        if names:
            pairs += [("name", p.name, q.name), ("joint's name", p.joint_name, q.joint_name)]
            pairs += [("parent", _name(a, p.parent), _name(b, q.parent))]
        elif p.parent != q.parent:
            pairs += [("parent", p.parent, q.parent)]
        kinds = (p.joint.kind, q.joint.kind)
        pairs += [("joint type", *kinds), ("mimic rule", _rule(a, p), _rule(b, q))]
        for what, x, y in pairs:
            if x != y:
                yield f"the {what} of body {i} is {x!r} in the first and {y!r} in the second"
    passive = [{m.joint_names.index(name) for name in m.passive} for m in (a, b)]
    if passive[0] != passive[1]:
        yield f"passive are {list(a.passive)} in the first and {list(b.passive)} in the second"
    for one, other, where in ((a, b, "first"), (b, a, "second")):
        if names:
            for name in sorted({f.name for f in one.frames} - {f.name for f in other.frames}):
                yield f"only the {where} has a frame {name!r}"
        for name in sorted({*one.constraints.names} - {*other.constraints.names}):
            yield f"only the {where} has a constraint {name!r}"


def _data(a: Model, b: Model, tolerance: float) -> Iterator[str]:
    """Gravity, masses, limits, dissipation."""
    pairs: list[tuple[Any, ...]] = [("gravity", a.gravity, b.gravity)]
    for p, q in zip(a.bodies, b.bodies, strict=True):
        pairs.append((f"mass of body {p.name!r}", p.inertia.mass, q.inertia.mass))
        of_joint = f"of joint {p.joint_name!r}"
        pairs += [(f"{x} {of_joint}", getattr(p, x), getattr(q, x)) for x in JOINT_NUMBERS]
        pairs += [
            (f"{x} limit {of_joint}", getattr(p.limits, x), getattr(q.limits, x)) for x in LIMITS
        ]
        if p.limits.are_stops or q.limits.are_stops:
            both = (x.limits.restitution for x in (p, q))
            pairs.append((f"restitution {of_joint}", *both))
    held = [dict(zip(m.constraints.names, m.constraints, strict=True)) for m in (a, b)]
    for name in (x for x in held[0] if x in held[1]):
        x, y = held[0][name], held[1][name]
        tried = [c.tried(np.random.default_rng(0)) for c in (x, y)]
        if (x.active, tried[0][0]) != (y.active, tried[1][0]):
            yield f"constraint {_held(x)} in the first, and {_held(y)} in the second"
        elif not _same(tried[0][1], tried[1][1], tolerance):
            yield f"the numbers of constraint {name!r} differ: {x} in the first, {y} in the second"
    base = [world_inertia(m.base_inertia, Pose.identity()) for m in (a, b)]
    pairs.append(("inertia of the base", *base))
    for what, x, y in pairs:
        if not _same(x, y, tolerance):
            yield f"the {what} is {_text(x)} in the first and {_text(y)} in the second"


def _motion(
    a: Model, b: Model, q: Array, frames: tuple[str, ...], tolerance: float
) -> Iterator[tuple[str, str]]:
    """Masses, joint motions and frames, in the world at q."""
    X, Y = a.body_poses(q), b.body_poses(q)
    pairs: list[tuple[Any, ...]] = []
    for i, (p, r) in enumerate(zip(a.bodies, b.bodies, strict=True)):
        inertia = world_inertia(p.inertia, X[i]), world_inertia(r.inertia, Y[i])
        pairs.append((f"inertia of body {p.name!r} in the world", *inertia))
        twists = [
            Z[i].adjoint() @ body.joint.subspace(m.local(i, q))
            for m, body, Z in ((a, p, X), (b, r, Y))
        ]
        pairs.append((f"motion of joint {p.joint_name!r} in the world", *twists))
    pairs += [
        (f"pose of frame {name!r}", *(m.frame_pose(name, q).matrix() for m in (a, b)))
        for name in frames
    ]
    for what, x, y in pairs:
        if not _same(x, y, tolerance):
            worst = np.abs(x - y).max()
            yield what, f"the {what} differs by {worst:.3g} at q = {np.round(q, 3).tolist()}"


def _same(x: Any, y: Any, tolerance: float) -> bool:
    return bool(np.shape(x) == np.shape(y)) and bool(
        np.allclose(x, y, rtol=tolerance, atol=tolerance)
    )


def _held(x: Any) -> str:
    return f"{x}{'' if x.active else ' (switched off)'}"


def _rule(m: Model, b: Body) -> tuple[Any, ...] | None:
    """Which joint a coupled one follows, and how."""
    x = b.mimic
    return None if x is None else (m.joint_index(x.joint), float(x.multiplier), float(x.offset))


def _name(m: Model, body: int) -> str:
    return m.base_name if body == WORLD else m.bodies[body].name


def _text(x: Any) -> str:
    array = np.asarray(x, dtype=float)
    return f"{float(array):g}" if array.ndim == 0 else str(array.tolist())
