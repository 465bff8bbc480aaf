"""Motions that no inertia resists: where there is one at every position, M has no inverse.

M = AᵀA, where A takes the velocities to those of all bodies, each weighed with the root of its mass
and tensor, and of rotors. What A takes to zero carries no inertia. The singular values of A are the
roots of those of M, so that rounding and a small inertia are told apart by ten orders of magnitude.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import is_numeric
from visviva.algebra.expr import Expr
from visviva.describe.model.body import WORLD, Body
from visviva.errors import SingularError, UnknownNameError
from visviva.space.rotations import skew

if TYPE_CHECKING:
    from visviva.describe.model.model import Model

ALWAYS = "M is singular at every position"
IDLE = 1e-11  # of the largest singular value, of columns of length one
POSITIONS = 3  # at random; singular at all of them is singular everywhere


def idle_motions(model: Model) -> list[str]:
    """Motions that carry no inertia at any position, in words; mostly there is none."""
    try:
        model = model.numeric
    except UnknownNameError:  # symbols without values
        return []
    if model.is_symbolic or not all(_is_numeric(b) for b in model.bodies):
        return []
    if all(resists(b) for b in model.bodies):
        return []
    rng, fewest = np.random.default_rng(0), np.eye(model.nv)
    for q in (*(model.random(rng) for _ in range(POSITIONS)), model.neutral()):
        motions = _kernel(_weighed(model, q))
        if not motions.shape[1]:
            return []
        if motions.shape[1] <= fewest.shape[1]:  # of equally many, those at the neutral position
            fewest = motions
    return [motion_text(list(model.motion_names), v) for v in _reduced(fewest).T]


def idle_notes(model: Model) -> list[str]:
    """The note on a model whose mass matrix is singular everywhere; none for others.

    Nor for one that has no inertia at all: that is the geometry of a mechanism.
    """
    if is_massless(model):
        return []
    motions = idle_motions(model)
    return [f"{ALWAYS}: {singular_reason(motions)}"] if motions else []


def is_massless(system: Any) -> bool:
    """Whether it has bodies, none of them a mass and no joint a rotor."""
    bodies = getattr(system, "bodies", ())
    return bool(bodies) and not any(_is_something(b) for b in bodies)


def refuse_idle(model: Model, what: str, said: str = "does not exist") -> None:
    """An error that names the motion, where what was asked for does not exist."""
    cure = "give a body there a tensor, or the joint an armature, or lock the joint"
    refuse(what, model.name, idle_motions(model), cure, said)


def refuse(
    what: str, name: str, motions: list[str], cure: str, said: str = "does not exist"
) -> None:
    """Of a mechanism with such motions, or of one stated by energies."""
    if motions:
        reason = f"{singular_reason(motions)}, at any position, so M has no inverse"
        raise SingularError(f"{what} of {name!r} {said}: {reason}; {cure}")


def motion_text(names: list[str], v: Any) -> str:
    """A velocity in words: the joint that moves alone, or the ratio in which several do."""
    large = float(np.abs(v).max())
    some = [(name, x) for name, x in zip(names, v, strict=True) if abs(x) > 1e-9 * large]
    if len(some) == 1:
        return f"of {some[0][0]} alone"
    ratio = " : ".join(f"{x / some[0][1]:.4g}" for _, x in some)
    return f"of {', '.join(name for name, _ in some)} in the ratio {ratio}"


def singular_reason(motions: list[str]) -> str:
    """What a singular mass matrix means."""
    first, *more = motions
    others = f" (nor {len(more)} others)" if len(more) > 2 else "".join(f", nor {x}" for x in more)
    return f"no inertia resists the motion {first}{others}"


def _is_something(b: Body) -> bool:
    """Whether a body has mass, or its joint a rotor; a formula counts."""
    numbers = (b.inertia.mass, *b.inertia.tensor.flat, *b.armature)
    return any(isinstance(x, Expr) or x != 0 for x in numbers)


def _is_numeric(b: Body) -> bool:
    """Whether mass and shape are numbers and no symbols of any kind."""
    return all(is_numeric(x) for x in (b.inertia.mass, b.inertia.com, b.inertia.tensor))


def resists(b: Body) -> bool:
    """Whether the body alone resists every motion of its joint; if all do, M is positive."""
    (a, d, e), (_, f, g), (_, _, i) = b.inertia.tensor.tolist()
    minors = a, a * f - d * d, a * (f * i - g * g) - d * (d * i - g * e) + e * (d * g - f * e)
    size = max(a, f, i, 0.0)
    if b.inertia.mass > 0 and all(x > 1e-12 * size**k for k, x in enumerate(minors, 1)):
        return True
    return not b.joint.nv or not _kernel(_own(b)).shape[1]


def _own(b: Body) -> np.ndarray:
    S = np.asarray(b.joint.subspace(b.joint.neutral()), dtype=float)
    return np.concatenate([_root(b) @ S, np.diag(np.sqrt(np.abs(b.armature)))])


def _root(b: Body) -> np.ndarray:
    """6 × 6: from a twist to what is squared in twice the kinetic energy."""
    moments, axes = np.linalg.eigh(np.asarray(b.inertia.tensor, dtype=float))
    turning = np.sqrt(np.abs(moments))[:, None] * axes.T
    m = np.sqrt(abs(float(b.inertia.mass)))
    com = np.asarray(b.inertia.com, dtype=float)
    return np.block([[turning, np.zeros((3, 3))], [-m * skew(com), m * np.eye(3)]])


def _weighed(model: Model, q: Any) -> np.ndarray:
    """A, at a position."""
    poses, rows = model.body_poses(q), []
    J: list[np.ndarray] = []
    for i, b in enumerate(model.bodies):
        own = np.zeros((6, model.nv))
        if b.parent != WORLD:
            own += (poses[i].inverse() @ poses[b.parent]).adjoint() @ J[b.parent]
        ratio = 1.0 if b.mimic is None else float(b.mimic.multiplier)
        at = model.v_index[i]
        own[:, at] += ratio * b.joint.subspace(model.local(i, q))
        rotors = np.zeros((b.joint.nv, model.nv))
        rotors[:, at] = ratio * np.diag(np.sqrt(np.abs(b.armature)))
        J.append(own)
        rows += [_root(b) @ own, rotors]
    return np.concatenate(rows)


def _kernel(A: np.ndarray) -> np.ndarray:
    """What A takes to zero: a basis, in columns."""
    lengths = np.linalg.norm(A, axis=0)
    lengths[lengths == 0.0] = 1.0
    _, s, V = np.linalg.svd(A / lengths, full_matrices=True)
    s = np.pad(s, (0, A.shape[1] - len(s)))
    return np.asarray(V[s <= IDLE * s.max(initial=0.0)].T / lengths[:, None])


def _reduced(N: np.ndarray) -> np.ndarray:
    """The same span, each column one at an entry where the others are zero."""
    N, done = N.copy(), 0
    for row in np.argsort(-np.abs(N).max(axis=1, initial=0.0), kind="stable"):
        if done == N.shape[1]:
            break
        k = done + int(np.abs(N[row, done:]).argmax())
        if abs(N[row, k]) > 1e-9 * np.abs(N).max():
            N[:, [done, k]] = N[:, [k, done]]
            N[:, done] /= N[row, done]
            others = [j for j in range(N.shape[1]) if j != done]
            N[:, others] -= np.outer(N[:, done], N[row, others])
            done += 1
    return np.where(np.abs(N) < 1e-12 * np.abs(N).max(initial=0.0), 0.0, N)
