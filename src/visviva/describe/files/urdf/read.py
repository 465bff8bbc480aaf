"""URDF: what a file states, as a `Model`; what was merged, cleaned or ignored is in its notes.

Bodies are in Pinocchio's order: depth first from the root, the joints of one link by name. A link
on a fixed joint is merged into its parent and stays as a frame.

Examples:
    >>> text = '''<robot name="pendulum">
    ...   <link name="base"/>
    ...   <link name="rod"><inertial><mass value="2"/>
    ...     <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ...   <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/>
    ...     <axis xyz="0 1 0"/></joint>
    ... </robot>'''
    >>> loads_urdf(text)
    pendulum: nq 1, nv 1, gravity (0, 0, -9.81)
       joint  parent  type      limits  mass  body
    0  hinge  base    revolute          2     rod
    1 frame: base
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from visviva.describe.bodies.inertia import Inertia
from visviva.describe.files.options import Paths, check_snap, check_word, folders
from visviva.describe.files.suspicions import some, suspicions
from visviva.describe.files.toml.read import held_by_file
from visviva.describe.files.urdf import parts as urdf_parts
from visviva.describe.files.urdf.loops import ExtendedUrdf, beside, read_extended_urdf
from visviva.describe.files.urdf.meshes import Meshes, visual
from visviva.describe.files.urdf.parts import Context, JointPart
from visviva.describe.files.urdf.tree import root_and_order, sources
from visviva.describe.files.xmlfile import MAX_BYTES, MAX_ELEMENTS, Document, parse_xml, read_xml
from visviva.describe.files.xmlfile import xacro_command as command
from visviva.describe.joints.free import Free
from visviva.describe.model.body import MOVING_WORLD, WORLD, Body, Frame, Limits, Mimic, Visual
from visviva.describe.model.merge import Merged, merge_fixed
from visviva.describe.model.model import Model
from visviva.describe.model.remarks import Unmodelled
from visviva.errors import ArgumentError, InertiaError, ReadError, VisvivaError
from visviva.space.poses import Pose, as_pose

MAX_LINKS = 5000  # keeps the time for hostile files within seconds; large robots have 200
FREE_JOINT = "root_joint"


def load_urdf(
    path: str | os.PathLike[str],
    *,
    base: Any = "fixed",
    mimic: str = "couple",
    snap: float = 1e-10,
    packages: Paths = (),
    meshes: bool = True,
    loops: str | os.PathLike[str] | None = None,
    max_bytes: int = MAX_BYTES,
    max_elements: int = MAX_ELEMENTS,
) -> Model:
    """The model in a URDF file.

    `base="free"` lets the root link move; a pose, `base=vv.Pose(p=[0, 0, 1])`, is where it is fixed
    in the world. `mimic="expand"` gives coupled joints their own coordinates. Entries of rotation
    matrices within `snap` of 0 or ±1 are set to it; 0 leaves all as it is. `packages` are folders
    in which `package://` meshes are looked for; `meshes=False` does not look for any. `loops` is a
    file that closes loops: Extended URDF's `robot.yaml`, or a TOML file with `[[constraint]]`
    tables. Files above `max_bytes` or `max_elements` are refused.
    """
    name = os.fspath(path)
    if name.lower().endswith(".xacro"):
        raise ReadError(f"{name}: is a xacro file; expand it first: {command(name)}")
    doc = read_xml(name, max_bytes, max_elements)
    located = Meshes(name, folders("packages", packages)) if meshes else None
    if loops is None:
        model = _model(doc, base, mimic, snap, located)
        note = beside(name)
        return replace(model, notes=(*model.notes, note)) if note else model
    if not isinstance(loops, (str, os.PathLike)):
        raise ArgumentError(f"loops is the path of a file, got {type(loops).__name__}")
    file = os.fspath(loops)
    if file.lower().endswith(".toml"):
        return held_by_file(_model(doc, base, mimic, snap, located), file)
    if not file.lower().endswith((".yaml", ".yml")):
        raise ReadError(f"{file}: loops are read from .yaml (Extended URDF) and .toml files")
    return _model(doc, base, mimic, snap, located, read_extended_urdf(file, max_bytes))


def loads_urdf(
    text: str | bytes,
    *,
    source: str = "<text>",
    base: Any = "fixed",
    mimic: str = "couple",
    snap: float = 1e-10,
    packages: Paths = (),
    meshes: bool = True,
    max_bytes: int = MAX_BYTES,
    max_elements: int = MAX_ELEMENTS,
) -> Model:
    """The model in a URDF text; like `load_urdf`, `source` being its name in messages."""
    located = Meshes(None, folders("packages", packages)) if meshes else None
    return _model(parse_xml(text, source, max_bytes, max_elements), base, mimic, snap, located)


def _model(
    doc: Document,
    base: Any,
    mimic: str,
    snap: float,
    meshes: Meshes | None,
    loops: ExtendedUrdf | None = None,
) -> Model:
    at_pose = None if isinstance(base, str) else _base_pose(base)
    base = base if at_pose is None else "fixed"
    check_word("base", base, ("fixed", "free"))
    check_word("mimic", mimic, ("couple", "expand"))
    check_snap(snap)
    name = _robot_name(doc)
    at = Context(doc, float(snap), notes=[*doc.notes])
    links, joint_elements = _links_and_joints(at)
    joints = [urdf_parts.joint(at, e) for e in joint_elements]
    joints = joints if loops is None else loops.applied_to(joints, at.notes)
    root, order = root_and_order(doc, links, joints)
    followers = _followers(at, joints, mimic)
    content = {link: _content(at, link, e, meshes) for link, e in links.items()}
    merged = _tree(root, order, content, followers, free=base == "free")
    _tell(at, merged, root, meshes)
    if base == "free" and (root == "world" or any(f.name == "world" for f in merged.frames)):
        at.notes.append(MOVING_WORLD)
    bodies = tuple(replace(b, inertia=_mark_if_possible(b.inertia)) for b in merged.bodies)
    fixed = base == "fixed"
    model = Model(
        name,
        bodies,
        (Frame(root, WORLD, Pose.identity()), *merged.frames) if fixed else merged.frames,
        base_inertia=None
        if merged.base_inertia is None
        else _mark_if_possible(merged.base_inertia),
        notes=tuple(at.notes),
        base_name=root if fixed else "world",
        base_visuals=merged.base_visuals,
    )
    model = replace(model, notes=(*model.notes, *suspicions(model, bodies)))
    model = model if at_pose is None else _mounted(model, at_pose)
    return model if loops is None else loops.closed(model, {j.name: j.child for j in joints})


def _base_pose(base: Any) -> Pose:
    """Where the root link is fixed."""
    try:
        return as_pose(base)
    except (VisvivaError, TypeError, ValueError):
        raise ArgumentError(
            f'base= is "fixed", "free", or where it is fixed, base=vv.Pose(p=[0, 0, 1]); got '
            f"{base!r:.80}"
        ) from None


def _mounted(model: Model, pose: Pose) -> Model:
    """With the fixed base at a pose in the world; what is called world stays."""

    def moved(x: Any) -> Any:
        return replace(x, placement=pose @ x.placement)

    bodies = (moved(b) if b.parent == WORLD else b for b in model.bodies)
    frames = (moved(f) if f.body == WORLD and f.name != "world" else f for f in model.frames)
    inertia = model.base_inertia
    return replace(
        model,
        bodies=tuple(bodies),
        frames=tuple(frames),
        base_inertia=None if inertia is None else inertia.moved(pose.R, pose.p),
        base_visuals=tuple(moved(v) for v in model.base_visuals),
        base_name="world",
    )


def _robot_name(doc: Document) -> str:
    """The robot's name; a file that is no URDF is refused."""
    if doc.root.tag != "robot":
        raise doc.error(doc.root, "is not a URDF", '<robot name="...">')
    return doc.required(doc.root, "name")


def _links_and_joints(at: Context) -> tuple[dict[str, Any], list[Any]]:
    """Links by name, and joints; names are unique."""
    seen: dict[str, dict[str, Any]] = {"link": {}, "joint": {}}
    at.look(at.doc.root)
    for element in at.doc.root:
        tag = element.tag
        if tag in seen:
            at.look(element)
            name = at.doc.required(element, "name")
            if name in seen[tag]:
                line = seen[tag][name].sourceline
                problem = f"a second {tag} called {name!r}, the first is in line {line}"
                raise at.doc.error(element, problem, "names that differ")
            seen[tag][name] = element
        elif tag != "material":
            at.ignore(element)
    count = len(seen["link"])
    if not 0 < count <= MAX_LINKS:
        raise at.doc.error(at.doc.root, f"has {count} links", f"1 to {MAX_LINKS}")
    for material in at.doc.root.iter("material"):
        if (color := material.find("color")) is not None:
            at.colors.setdefault(material.get("name"), color)
    return seen["link"], list(seen["joint"].values())


def _followers(at: Context, joints: list[JointPart], mimic: str) -> dict[str, Mimic]:
    if mimic == "couple":
        return sources(at.doc, joints)
    at.notes += [
        f"joint {j.name!r} has its own coordinate, not {j.mimic.joint!r}'s"
        for j in joints
        if j.mimic
    ]
    return {}


def _content(
    at: Context, link: str, element: Any, meshes: Meshes | None
) -> tuple[Inertia, tuple[Visual, ...]]:
    """Inertia and visuals of a link."""
    inertial, visuals = None, []
    for child in element:
        if child.tag == "inertial" and inertial is None:
            at.look(child)
            inertial = child
        elif child.tag == "visual":
            at.look(child)
            seen = visual(at, child, meshes)
            visuals += [] if seen is None else [seen]
        else:
            at.ignore(child)
    return urdf_parts.inertia(at, link, inertial), tuple(visuals)


def _tree(
    root: str,
    order: list[JointPart],
    content: dict[str, tuple[Inertia, tuple[Visual, ...]]],
    followers: dict[str, Mimic],
    free: bool,
) -> Merged:
    """Bodies in order, the fixed ones merged."""
    bodies: list[Body] = []
    number = {root: WORLD}
    inertia, visuals = content[root]
    if free:
        name = FREE_JOINT
        while any(j.name == name for j in order):
            name += "_"
        pose, joint = Pose.identity(), Free()
        bodies.append(
            Body(root, name, WORLD, pose, joint, inertia, Limits.of(joint), visuals=visuals)
        )
        number[root] = 0
    for j in order:
        number[j.child] = len(bodies)
        own, seen = content[j.child]
        bodies.append(
            Body(
                j.child,
                j.name,
                number[j.parent],
                j.placement,
                j.joint,
                own,
                j.limits,
                damping=j.damping,
                friction=j.friction,
                mimic=followers.get(j.name),
                visuals=seen,
            )
        )
    return merge_fixed(bodies, (), None if free else inertia, () if free else visuals)


def _tell(at: Context, merged: Merged, root: str, meshes: Meshes | None) -> None:
    """Notes on the whole."""
    hosts: dict[int, list[str]] = {}
    for f in merged.frames:
        hosts.setdefault(f.body, []).append(repr(f.name))
    for body, names in hosts.items():
        host = root if body == WORLD else merged.bodies[body].name
        at.notes.append(f"merged into {host!r}, to which they are fixed: {', '.join(names)}")
    if massless := [repr(b.name) for b in merged.bodies if b.inertia.mass == 0]:
        at.notes.append(f"moving bodies without mass: {', '.join(massless)}")
    if at.snapped:
        at.notes.append(
            f"set {at.snapped} entries of rotation matrices to 0 or ±1, changing them by at most "
            f"{at.largest:.2g} (snap=0 leaves them)"
        )
    if meshes is not None:
        at.notes += meshes.notes()
    for tag, count in sorted(at.ignored.items()):
        what = f"{count} <{tag}> element{'s' if count > 1 else ''}"
        effect, verb = urdf_parts.UNMODELLED.get(tag, ("", "ignored"))
        at.notes.append(Unmodelled(effect, f"{verb} {what}") if effect else f"{verb} {what}")
    at.notes += [
        f"ignored the attribute {what}{f', {count} times' if count > 1 else ''}"
        for what, count in sorted(at.attributes.items())
    ]
    if at.incomplete:
        at.notes.append(f"products absent in <inertia>, taken as 0: {some(at.incomplete)}")
    for what, joints in at.zero.items():
        at.notes.append(f"{what} limits of zero, kept: they allow no {what}: {some(joints)}")
    if at.turned:
        at.notes.append(f"turns of more than 2π in rpy: {some(at.turned)}")


def _mark_if_possible(inertia: Inertia) -> Inertia:
    """The inertia with checked=True, or unchanged if no body can have it."""
    try:
        return replace(inertia, checked=True)
    except InertiaError:
        return inertia
