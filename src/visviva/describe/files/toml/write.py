"""What a mechanism file consists of, and models written as one: `to_toml`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from inspect import signature
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, is_numeric
from visviva.algebra.expr import Expr
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.bodies.solids import SOLIDS
from visviva.describe.files.toml.constraints import constraint_table, unwritable
from visviva.describe.joints.named import AXIS_NAMES, JOINTS
from visviva.describe.model.actuator import Actuator
from visviva.describe.model.body import JOINT_NUMBERS, WORLD, Body, Frame, Spring, Visual
from visviva.describe.model.model import Model
from visviva.describe.model.stiffness import Stiffness
from visviva.describe.values import leaves
from visviva.errors import ArgumentError
from visviva.notation.typed import as_text
from visviva.space.poses import Pose

# the keys of the tables
FILE_KEYS = (
    "name description gravity base parameters expressions dh body frame spring keyframes notes "
    "passive actuator constraint"
)
JOINT_DETAILS = tuple(dict.fromkeys(k for joint in JOINTS.values() for k in joint.details()))
BODY_KEYS = (
    f"name parent joint joint_name axis {' '.join(JOINT_DETAILS)} at rotation limits velocity "
    "effort restitution damping friction stiction stribeck armature gear mimic inertia visual"
)
VISUAL = "kind size path color at rotation"
ACTUATOR = "name kind joint velocity gear frame at direction axes limits"
SPRING = "name stiffness rest damping joint from to turning turning_damping"
LAW = "stiffness force energy values"  # of a stiffness that is no number
ROTATIONS = ["rpy", "axis angle", "euler angles", "quaternion", "matrix"]
SIZES = {name: list(signature(row).parameters) for name, row in SOLIDS.items()}
SIZES |= {name: [*SIZES[name], "axis"] for name in ("cylinder", "tube", "cone", "rod")}
INERTIAS = {
    "solid": "solid mass density",
    "points": "points",
    "tensor": "mass com tensor checked frame error",
    "moments": "mass com moments products sign checked",
}
POINT = "mass com"  # what is stated if none of these is: a point mass
PLACED = " at rotation subtract"
INERTIA = " ".join([*INERTIAS.values(), *(k for sizes in SIZES.values() for k in sizes)]) + PLACED


def to_toml(model: Model, *, lossy: bool = False) -> str:
    """A mechanism file that states this model; expressions become formulas.

    Constraints that no file can state are refused, or with `lossy` left out and listed.
    """
    lost = [x for x in model.constraints if unwritable(x)]
    if lost and not lossy:
        raise ArgumentError(
            f"a mechanism file cannot state that {lost[0]}; lossy=True leaves that out"
        )
    said = "".join(f"# left out: {' '.join(str(x).split())}\n" for x in lost)
    return said + Writer(model).file(model)


class Writer:
    """Lines of TOML; numbers and formulas as they stand in the model."""

    def __init__(self, model: Model) -> None:
        roots = dict.fromkeys(x for x in leaves(model) if isinstance(x, Expr))
        self.pieces, texts = as_text(roots, set(model.parameters))
        self.texts = dict(zip(roots, texts, strict=True))

    def file(self, model: Model) -> str:
        """All of a model."""
        bodies = [("[[body]]", self.body(model, b)) for b in model.bodies]
        return self.joined([*self.top(model), *bodies, *self.rest(model)])

    def joined(self, tables: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
        """The text of tables; those without entries are left out."""
        return "\n".join(self.table(title, items) for title, items in tables if items)

    def top(self, m: Model) -> list[tuple[str, Mapping[str, Any]]]:
        """What stands before the bodies."""
        said = [n for n in m.notes if n.startswith("description: ")][:1]
        head = {
            "name": m.name,
            "description": "".join(said).removeprefix("description: "),
            "gravity": m.gravity,
            "passive": list(m.passive),
            "notes": [n for n in m.notes if n not in said],
        }
        base = {
            "name": "" if m.base_name == "world" else m.base_name,
            "inertia": {} if m.base_inertia is None else self.inertia(m.base_inertia),
            "visual": self.visuals(m.base_visuals),
        }
        return [
            ("", {k: x for k, x in head.items() if k in ("name", "gravity") or x}),
            ("[parameters]", m.parameters),
            ("[expressions]", self.pieces),
            ("[keyframes]", m.keyframes),
            ("[base]", {k: x for k, x in base.items() if x}),
        ]

    def rest(self, m: Model, has: Iterable[str] = ()) -> list[tuple[str, Mapping[str, Any]]]:
        """What stands behind them; of frames those that the file has not yet."""
        frames = [f for f in m.frames if f.name not in has]
        return [
            *(("[[frame]]", self.frame(m, f)) for f in frames),
            *(("[[spring]]", self.spring(s)) for s in m.springs),
            *(("[[actuator]]", self.actuator(a)) for a in m.actuators),
            *(("[[constraint]]", constraint_table(x)) for x in m.constraints if not unwritable(x)),
        ]

    def frame(self, model: Model, f: Frame) -> dict[str, Any]:
        """Where it is, and on which body."""
        at = model.base_name if f.body == WORLD else model.bodies[f.body].name
        return {"name": f.name, "body": at} | self.pose(f.placement)

    def body(self, model: Model, b: Body) -> dict[str, Any]:
        """All of a body and its joint."""
        parent = model.base_name if b.parent == WORLD else model.bodies[b.parent].name
        table: dict[str, Any] = {"name": b.name, "parent": parent, "joint": b.joint.kind}
        if JOINTS.get(b.joint.kind) is not type(b.joint):
            raise ArgumentError(
                f"a mechanism file names the kind of a joint, {b.joint_name!r} is a "
                f"{type(b.joint).__name__}, which no file can name (available: {', '.join(JOINTS)})"
            )
        table["joint_name"] = b.joint_name
        for name in (*b.joint.axis_names[:1], *b.joint.details()):
            x = getattr(b.joint, name)
            if name in b.joint.axis_names:
                x = next((k for k, a in AXIS_NAMES.items() if _same(a, x)), x)
            table["axis" if name in b.joint.axis_names[:1] else name] = x
        table |= self.pose(b.placement) | self.felt(b)
        if b.mimic is not None:
            table["mimic"] = {item.name: getattr(b.mimic, item.name) for item in fields(b.mimic)}
        table["inertia"] = self.inertia(b.inertia)
        if b.visuals:
            table["visual"] = self.visuals(b.visuals)
        return table

    def felt(self, b: Body) -> dict[str, Any]:
        """Limits of a joint, and what resists its motion."""
        table: dict[str, Any] = {}
        if np.isfinite([*b.limits.lower, *b.limits.upper]).any():
            table["limits"] = [_one(b.limits.lower), _one(b.limits.upper)]
        if b.limits.are_stops:
            table["restitution"] = _one(b.limits.restitution)
        for key, x in (("velocity", b.limits.velocity), ("effort", b.limits.effort)):
            if np.isfinite(x).any():
                table[key] = _one(x)
        for key in JOINT_NUMBERS:
            if not is_numeric(getattr(b, key)) or np.any(getattr(b, key)):
                table[key] = _one(getattr(b, key))
        return table

    def visuals(self, drawn: Iterable[Visual]) -> list[dict[str, Any]]:
        """What is drawn, a table each."""
        return [
            {k: x for k in ("kind", "size", "path", "color") if (x := getattr(v, k))}
            | self.pose(v.placement)
            for v in drawn
        ]

    def inertia(self, i: Inertia) -> dict[str, Any]:
        """Mass, centre and tensor."""
        table = {"mass": i.mass, "com": i.com, "tensor": i.tensor}
        marks = {"frame": i.frame, "error": i.error}
        table |= {k: x for k, x in marks.items() if x}
        return table if i.checked else table | {"checked": False}

    def spring(self, s: Spring) -> dict[str, Any]:
        """Its law, and where it is."""
        k: Any = s.stiffness
        if isinstance(k, Stiffness):
            k = {k.of: k.text} | ({"values": k.values} if k.values else {})
        table = {"name": s.name, "stiffness": k, "rest": s.rest, "damping": s.damping}
        turns = {"turning": s.turning, "turning_damping": s.turning_damping}
        table |= {key: x for key, x in turns.items() if np.ndim(x) or not is_exactly(x, 0.0)}
        ends = zip(("from", "to"), s.frames, s.points, strict=False)
        table |= {key: {"frame": frame, "at": p} for key, frame, p in ends}
        return table | ({"joint": s.joint} if s.joint else {})

    def actuator(self, a: Actuator) -> dict[str, Any]:
        """What it pushes, and how hard it may."""
        table: dict[str, Any] = {"name": a.name, "kind": a.kind}
        if a.kind == "motor":
            table |= {"joint": a.joint, "gear": a.gear}
            table |= {"velocity": a.velocity} if a.velocity else {}
        else:
            table |= {"frame": a.frame, "direction": a.direction, "axes": a.axes}
            table |= {"at": a.point} if a.kind == "thruster" else {}
        if np.isfinite([a.lower, a.upper]).any():
            table["limits"] = [a.lower, a.upper]
        return table

    def pose(self, X: Pose) -> dict[str, Any]:
        """A shift and a turn, as far as they are not zero."""
        shifted = not is_numeric(X.p) or X.p.any()
        turned = not is_numeric(X.R) or (np.eye(3) != X.R).any()
        shift = {"at": X.p} if shifted else {}
        return shift | ({"rotation": {"matrix": X.R}} if turned else {})

    def table(self, title: str, items: Mapping[str, Any]) -> str:
        """Lines key = value under a title."""
        lines = [f"{_key(k)} = {self.value(x)}" for k, x in items.items()]
        return "\n".join([title, *lines] if title else lines) + "\n"

    def value(self, x: Any) -> str:
        """Anything that stands behind an equals sign."""
        if isinstance(x, Mapping):
            return f"{{ {', '.join(f'{_key(k)} = {self.value(v)}' for k, v in x.items())} }}"
        if isinstance(x, (list, tuple, np.ndarray)):
            return f"[{', '.join(map(self.value, x))}]"
        if isinstance(x, bool):
            return str(x).lower()
        if isinstance(x, Expr) and not x.is_constant:
            return f'"{self.texts[x]}"'
        return _text(x) if isinstance(x, str) else repr(float(x))


def _same(a: Any, b: Any) -> bool:
    return is_numeric(b) and np.array_equal(a, b)


def _one(x: Array) -> Any:
    """One number for all where they are the same."""
    return x[0] if len(x) and all(y is x[0] or _same(x[0], y) for y in x) else x


def _text(x: str) -> str:
    return json.dumps(x, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(x: str) -> str:
    return x if re.fullmatch(r"[A-Za-z0-9_-]+", x) else _text(x)
