"""MuJoCo's equality constraints as ours, and its keyframes.

A loop names two frames of the model, so that it says everything without numbers of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from visviva.algebra.arrays import Array
from visviva.algebra.expr import Graph
from visviva.algebra.expr import text as expression_text
from visviva.describe.constraints.constraint import Constraint
from visviva.describe.constraints.loop import Loop
from visviva.describe.constraints.relation import Relation
from visviva.describe.files.mjcf.compile import Compiled, from_wxyz, pose
from visviva.describe.files.mjcf.tree import BALL, FREE_KIND, Tree
from visviva.describe.files.mjcf.words import Meaning
from visviva.describe.joints.axis import Fixed
from visviva.describe.joints.free import Spherical
from visviva.describe.model.body import Frame, Mimic
from visviva.space.poses import Pose

CONNECT, WELD, COUPLED, COUPLED_TENDON = range(4)
SITE_OBJECT = 6  # MuJoCo's number for an object that is a site


@dataclass(frozen=True)
class JointCoupling:
    """q of a joint = Σ coefficients[k] · (q of the source)ᵏ; without a source it is constant."""

    name: str
    joint: str
    source: str
    coefficients: tuple[float, ...]
    active: bool = True

    def relation(self) -> Relation:
        """The same as a formula that stays zero, joint - Σ."""
        graph = Graph()
        power, total = graph.constant(1.0), graph.constant(0.0)
        for c in self.coefficients:
            total = total + graph.constant(c) * power
            power = power * graph.input(self.source)
        formula = graph.node(graph.input(self.joint) - total)
        text = f"{self.joint} = {expression_text(total, 20)}"
        return Relation(self.name, formula, active=self.active, text=text)


@dataclass(frozen=True, eq=False)
class OtherEquality(Constraint):
    """An equality whose rule is not read, of tendons or of flexible bodies: that it is there."""

    name: str
    kind: str
    active: bool = True
    is_read = False

    def __str__(self) -> str:
        return f"{self.name!r} is an equality of {self.kind}, whose rule is not read"

    def prefixed(self, prefix: str, bases: Mapping[str, str]) -> OtherEquality:
        return replace(self, name=prefix + self.name)


Equality = Loop | JointCoupling | OtherEquality


def equalities(m: Compiled, out: Tree) -> list[Equality]:
    """All equalities that are kept; frames for their anchors are added, others are noted."""
    kept: list[Equality] = []
    for k, kind in enumerate(m["eq_type"]):
        name, active = m.name("eq", k) or f"equality_{k}", bool(m["eq_active0"][k])
        if kind == COUPLED:
            kept.append(_coupling(m, out, k, name, active))
        elif kind in (CONNECT, WELD):
            ends = _frames(m, out, k, name)
            if kind == CONNECT:
                kept.append(Loop(name, *ends, Spherical(), active))
            else:
                kept.append(Loop(name, *ends, Fixed(), active, float(m["eq_data"][k][10])))
        else:
            kind = "tendons" if kind == COUPLED_TENDON else "flexible bodies"
            kept.append(OtherEquality(name, kind, active))
            out.lacks(Meaning.EQUALITY, f"the rule of equality {name!r} of {kind} is not read")
    return kept


def constraints(
    kept: list[Equality], frames: Sequence[Frame], notes: list[str]
) -> list[Constraint]:
    """Equalities as constraints; those within one body hold nothing, which is noted."""
    body = {f.name: f.body for f in frames}
    holding: list[Constraint] = []
    for x in kept:
        if isinstance(x, JointCoupling):
            holding.append(x.relation())
        elif x.frames and len({body[name] for name in x.frames}) == 1:
            notes.append(f"equality {x} is within one body, where nothing moves: left out")
        else:
            holding.append(x)
    return holding


def couple(kept: list[Equality], out: Tree) -> list[Equality]:
    """Turn linear couplings of two joints into mimic joints; the rest stays."""
    follows: dict[str, Mimic] = {}
    rest: list[Equality] = []
    for loop in kept:
        if isinstance(loop, JointCoupling) and _is_linear(loop):
            offset, factor = loop.coefficients[:2]
            if loop.joint not in follows and loop.source not in _chain(follows, loop.joint):
                follows[loop.joint] = Mimic(loop.source, factor, offset)
                if loop.joint not in _chain(follows, loop.source):
                    continue
                del follows[loop.joint]
        rest.append(loop)
    for i, b in enumerate(out.bodies):
        if b.joint_name in follows:
            out.bodies[i] = replace(b, mimic=_resolved(follows, b.joint_name))
    if follows:
        out.notes.append(f"{len(follows)} joint equalities became mimic joints: {sorted(follows)}")
    return rest


def _is_linear(loop: JointCoupling) -> bool:
    c = loop.coefficients
    return loop.active and bool(loop.source) and c[1] != 0 and not any(c[2:])


def _chain(follows: dict[str, Mimic], joint: str) -> list[str]:
    """The joint, the one it follows, the one that follows, ..."""
    chain = [joint]
    while chain[-1] in follows and follows[chain[-1]].joint not in chain:
        chain.append(follows[chain[-1]].joint)
    return chain


def _resolved(follows: dict[str, Mimic], joint: str) -> Mimic:
    """In terms of a joint that follows none."""
    mimic = follows[joint]
    while mimic.joint in follows:
        inner = follows[mimic.joint]
        offset = mimic.multiplier * inner.offset + mimic.offset
        mimic = Mimic(inner.joint, mimic.multiplier * inner.multiplier, offset)
    return mimic


def _coupling(m: Compiled, out: Tree, k: int, name: str, active: bool) -> JointCoupling:
    """MuJoCo's polynomial is about qpos0; ours about zero."""
    joint, source = int(m["eq_obj1id"][k]), int(m["eq_obj2id"][k])
    y0 = m["qpos0"][m["jnt_qposadr"][joint]]
    given = m["eq_data"][k][:5]
    if source < 0:
        constant = (float(y0 + given[0]), 0.0, 0.0, 0.0, 0.0)
        return JointCoupling(name, out.joints[joint], "", constant, active)
    x0 = m["qpos0"][m["jnt_qposadr"][source]]
    moved = (Polynomial(given)(Polynomial([-x0, 1.0])) + y0).coef
    padded = [*(float(c) for c in moved), 0.0, 0.0, 0.0, 0.0, 0.0][:5]
    return JointCoupling(name, out.joints[joint], out.joints[source], tuple(padded), active)


def _frames(m: Compiled, out: Tree, k: int, name: str) -> tuple[str, str]:
    """The frames that coincide, made from anchors unless they are sites."""
    ids = int(m["eq_obj1id"][k]), int(m["eq_obj2id"][k])
    if m["eq_objtype"][k] == SITE_OBJECT:
        return out.sites[ids[0]], out.sites[ids[1]]
    data = m["eq_data"][k]
    if m["eq_type"][k] == CONNECT:
        anchors = Pose.translation(data[:3]), Pose.translation(data[3:6])
    else:
        anchors = pose(data[3:6], data[6:10]), Pose.translation(data[:3])
    frames = []
    for number, (i, anchor) in enumerate(zip(ids, anchors, strict=True), 1):
        frames.append(out.names.new(f"{name}_{number}"))
        out.frames.append(Frame(frames[-1], out.index[i], out.back[i] @ anchor))
    return frames[0], frames[1]


def keyframes(m: Compiled, out: Tree) -> dict[str, Array]:
    """Positions by name, in our coordinates; `qpos0` is where the file draws the model.

    That is kept where it is no neutral position, which every model has.
    """
    coupled = {b.joint_name for b in out.bodies if b.mimic is not None}
    keys = {m.name("key", k) or f"key_{k}": qpos for k, qpos in enumerate(m["key_qpos"])}
    drawn = position(m, out, m["qpos0"], coupled)
    moving = (b.joint.neutral() for b in out.bodies if b.mimic is None)
    is_neutral = np.array_equal(drawn, np.concatenate([np.zeros(0), *moving]))
    stated = {name: position(m, out, qpos, coupled) for name, qpos in keys.items()}
    return stated if is_neutral else {"qpos0": drawn, **stated}


def position(m: Compiled, out: Tree, qpos: Any, coupled: set[str]) -> Array:
    """Our q for MuJoCo's qpos: quaternions x y z w and before the position, else the same."""
    parts: list[Any] = [np.zeros(0)]
    for j, name in enumerate(out.joints):
        a, kind = int(m["jnt_qposadr"][j]), m["jnt_type"][j]
        if name not in coupled and kind == FREE_KIND:
            parts += [from_wxyz(qpos[a + 3 : a + 7]), qpos[a : a + 3]]
        elif name not in coupled:
            parts.append(from_wxyz(qpos[a : a + 4]) if kind == BALL else qpos[a : a + 1])
    return np.concatenate(parts)
