"""MuJoCo's bodies, joints and geoms as ours.

MuJoCo lets a body have several joints, one after the other, each at its own place in the body. Here
each joint carries one body: all but the last are massless. A joint's frame sits at its anchor, so
the body's frame is MuJoCo's moved to the anchor of the last joint; where that is another place,
MuJoCo's frame is kept as `<body>_origin`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.files.mjcf.compile import Compiled, pose
from visviva.describe.files.mjcf.words import Meaning
from visviva.describe.joints.axis import Fixed, Prismatic, Revolute
from visviva.describe.joints.free import Free, Spherical
from visviva.describe.joints.joint import Joint
from visviva.describe.model.body import WORLD, Body, Frame, Limits, Visual, is_identity
from visviva.describe.model.remarks import Unmodelled
from visviva.errors import InertiaError, ReadError
from visviva.space.poses import Pose
from visviva.space.rotations import snapped

FREE_KIND, BALL, SLIDE, HINGE = range(4)
UNBOUNDED = 1e10  # MuJoCo's largest number
SPEED, PASSIVE = "speed limit of ", "passive: "  # what we keep for a joint in <custom>
SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(2, 8)
GREY = (0.5, 0.5, 0.5, 1.0)  # MuJoCo's colour of a geom that names none


class FreshNames:
    """Names that are not taken yet."""

    def __init__(self, taken: Any = ()) -> None:
        self.taken = {"", *taken}

    def new(self, wanted: str) -> str:
        """The wanted name, or one with a number behind it."""
        name, k = wanted, 2
        while name in self.taken:
            name, k = f"{wanted}_{k}", k + 1
        self.taken.add(name)
        return name


@dataclass
class Tree:
    """What is being built: bodies, frames, and how MuJoCo's numbers relate to them."""

    bodies: list[Body] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    names: FreshNames = field(default_factory=FreshNames)
    index: list[int] = field(default_factory=lambda: [WORLD])  # by MuJoCo's body number
    back: list[Pose] = field(default_factory=lambda: [Pose.identity()])  # MuJoCo's frame in ours
    joints: list[str] = field(default_factory=list)  # by MuJoCo's joint number
    sites: list[str] = field(default_factory=list)  # by MuJoCo's site number
    notes: list[str] = field(default_factory=list)
    snap: float = 0.0
    cleaned: int = 0

    def lacks(self, effect: str, text: str) -> None:
        """Note what acts in MuJoCo and has no form here."""
        self.notes.append(Unmodelled(effect, text))

    def clean(self, X: Pose) -> Pose:
        """A pose whose rotation entries next to 0 and ±1 are exactly that."""
        return Pose(self.clean_entries(X.R), X.p)

    def clean_entries(self, values: Array) -> Array:
        """Of a rotation or an axis, counting what changes."""
        new = snapped(values, self.snap)
        self.cleaned += int(np.count_nonzero((new != values) & np.isin(new, (-1.0, 0.0, 1.0))))
        return new


def bodies_and_sites(m: Compiled, snap: float) -> Tree:
    """All bodies, joints and sites of MuJoCo's model, as ours."""
    count = len(m["body_mass"])
    given = [m.name("body", i) for i in range(1, count)]
    out = Tree(names=FreshNames([*given, "world"]), snap=snap)
    body_names = [name or out.names.new(f"body_{i}") for i, name in enumerate(given, 1)]
    njnt = len(m["jnt_type"])
    taken = FreshNames(m.name("jnt", j) for j in range(njnt))
    out.joints = [m.name("jnt", j) or taken.new(f"joint_{j}") for j in range(njnt)]
    for i, name in enumerate(body_names, 1):
        _add_body(m, out, i, name)
    for k in range(len(m["site_bodyid"])):
        _add_site(m, out, k)
    if out.cleaned:
        out.notes.append(f"{out.cleaned} rotation entries within {snap:g} of 0 or ±1 made exact")
    return out


def _add_body(m: Compiled, out: Tree, i: int, name: str) -> None:
    parent = int(m["body_parentid"][i])
    at = out.back[parent] @ out.clean(m.pose("body", i))
    carrier = out.index[parent]
    joints = range(m["body_jntadr"][i], m["body_jntadr"][i] + m["body_jntnum"][i])
    inertia = _inertia(m, out, i, name)
    drawn = visuals(m, i)
    back = Pose.identity()
    if not joints:
        none = Limits.of(Fixed())
        body = Body(name, f"{name}_weld", carrier, at, Fixed(), inertia, none, visuals=drawn)
        out.bodies.append(body)
    for j in joints:
        joint, placement, back = _joint(m, out, j)
        last = j == joints[-1]
        at = placement if isinstance(joint, Free) else at @ placement
        out.bodies.append(
            Body(
                name if last else out.names.new(f"{name}_{out.joints[j]}"),
                out.joints[j],
                carrier,
                at,
                joint,
                inertia.moved(back.R, back.p) if last else Inertia.point(0.0),
                _limits(m, out, j, joint),
                visuals=visuals(m, i, back) if last else (),
                **_losses(m, j),
            )
        )
        carrier, at = len(out.bodies) - 1, back
    out.index.append(len(out.bodies) - 1)
    out.back.append(back)
    if np.any(back.p != 0):
        out.frames.append(Frame(out.names.new(f"{name}_origin"), out.index[i], back))


def _joint(m: Compiled, out: Tree, j: int) -> tuple[Joint, Pose, Pose]:
    """The joint, the pose of its frame, and that of the body's frame in its child frame."""
    kind = m["jnt_type"][j]
    if kind == FREE_KIND:  # the position is that in the world, whatever the file's pos and quat
        return Free(), Pose.identity(), Pose.identity()
    anchor = m["jnt_pos"][j]
    there, back = Pose.translation(anchor), Pose.translation(0.0 - anchor)
    if kind == BALL:
        return Spherical(), there, back
    axis = out.clean_entries(m["jnt_axis"][j])
    # MuJoCo's zero is where the file draws the body, qpos0 its coordinate there
    ref = m["qpos0"][m["jnt_qposadr"][j]]
    if kind == HINGE:
        turned = Pose.rotation(axis, -ref) if ref else Pose.identity()
        return Revolute(axis), there @ turned, back
    return Prismatic(axis), Pose.translation(0.0 - axis * ref), Pose.identity()


def _inertia(m: Compiled, out: Tree, i: int, name: str) -> Inertia:
    R = pose(np.zeros(3), m["body_iquat"][i]).R
    tensor = (R * m["body_inertia"][i]) @ R.T
    mass = float(m["body_mass"][i])
    if mass == 0:
        if np.any(tensor):
            out.lacks(Meaning.INERTIA, f"body {name!r}: has no mass, its inertia tensor is ignored")
        return Inertia.point(0.0)
    try:
        return Inertia(mass, m["body_ipos"][i], (tensor + tensor.T) / 2)
    except InertiaError as error:
        raise ReadError(f"{m.path}: body {name!r}: {error}") from None


def _limits(m: Compiled, out: Tree, j: int, joint: Joint) -> Limits:
    lower, upper, effort = -np.inf, np.inf, np.inf
    if m["jnt_limited"][j]:
        low, high = (float(x) for x in m["jnt_range"][j])
        if isinstance(joint, (Revolute, Prismatic)):
            lower = low if low > -UNBOUNDED else -np.inf
            upper = high if high < UNBOUNDED else np.inf
        else:
            out.lacks(
                Meaning.LIMIT, f"joint {out.joints[j]!r}: the limit {high:g} of its turn is ignored"
            )
    if m["jnt_actfrclimited"][j]:
        low, high = (float(x) for x in m["jnt_actfrcrange"][j])
        effort = high if low == -high else np.inf
    fast = m.custom(SPEED + out.joints[j])
    velocity: Any = np.inf
    if fast is not None and len(fast) == joint.nv and (fast >= 0).all():
        velocity = np.where(fast < UNBOUNDED, fast, np.inf)
    return Limits.of(joint, lower, upper, velocity, effort)


def _losses(m: Compiled, j: int) -> dict[str, Any]:
    """Damping, friction and armature: one number in MJCF for all directions of a joint."""
    kind, first = int(m["jnt_type"][j]), int(m["jnt_dofadr"][j])
    dofs = slice(first, first + {FREE_KIND: 6, BALL: 3}.get(kind, 1))
    return {
        "damping": m["dof_damping"][dofs],
        "friction": m["dof_frictionloss"][dofs],
        "armature": m["dof_armature"][dofs],
    }


def _add_site(m: Compiled, out: Tree, k: int) -> None:
    i = int(m["site_bodyid"][k])
    given = m.name("site", k) or f"site_{k}"
    at = out.back[i] @ out.clean(m.pose("site", k))
    is_base = given == "world" and not i and is_identity(at)
    free = is_base or given not in out.names.taken
    name = given if free else out.names.new(f"{given}_site")
    out.names.taken.add(name)
    if name != given:
        out.notes.append(f"site {given!r} is the frame {name!r}: the other name is taken")
    out.sites.append(name)
    out.frames.append(Frame(name, out.index[i], at))


# ---- geoms as things to draw


def visuals(m: Compiled, body: int, back: Pose | None = None) -> tuple[Visual, ...]:
    """What a body's geoms look like; planes, height fields and inline meshes are left out."""
    shift = back or Pose.identity()
    visuals = (_visual(m, int(g), shift) for g in np.flatnonzero(m["geom_bodyid"] == body))
    return tuple(v for v in visuals if v is not None)


def left_out(m: Compiled) -> int:
    """How many geoms have no picture, or stand on the world, which has none."""
    return len(m["geom_type"]) - sum(
        len(visuals(m, body)) for body in range(1, len(m["body_mass"]))
    )


def _visual(m: Compiled, g: int, shift: Pose) -> Visual | None:
    kind = int(m["geom_type"][g])
    at = shift @ m.pose("geom", g)
    if kind == MESH:
        mesh = int(m["geom_dataid"][g])
        file = m.files.get(m.info["meshes"][mesh])
        if file is None:
            return None
        # MuJoCo moves a mesh into its own inertia frame; undo it for the file's vertices
        placement = at @ m.pose("mesh", mesh).inverse()
        scale = tuple(float(x) for x in m["mesh_scale"][mesh])
        return Visual("mesh", placement, scale, str(file), _color(m, g))
    shape = _shape(kind, [float(x) for x in m["geom_size"][g]])
    return None if shape is None else Visual(shape[0], at, shape[1], color=_color(m, g))


def _shape(kind: int, s: list[float]) -> tuple[str, tuple[float, ...]] | None:
    """Name and full sizes; MuJoCo's are halves."""
    shapes: dict[int, tuple[str, tuple[float, ...]]] = {
        SPHERE: ("sphere", (s[0],)),
        CAPSULE: ("capsule", (s[0], 2 * s[1])),
        ELLIPSOID: ("ellipsoid", (s[0], s[1], s[2])),
        CYLINDER: ("cylinder", (s[0], 2 * s[1])),
        BOX: ("box", (2 * s[0], 2 * s[1], 2 * s[2])),
    }
    return shapes.get(kind)


def _color(m: Compiled, g: int) -> tuple[float, ...]:
    own, material = m["geom_rgba"][g], int(m["geom_matid"][g])
    painted = material >= 0 and np.allclose(own, GREY)
    return tuple(float(x) for x in (m["mat_rgba"][material] if painted else own))
