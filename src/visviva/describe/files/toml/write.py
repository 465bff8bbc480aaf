"""What a mechanism file consists of, and models written as one: `to_toml`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from inspect import signature
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_numeric
from visviva.algebra.expr import CONSTANT, INPUT, Expr, reachable
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.bodies.solids import SOLIDS
from visviva.describe.joints.named import AXIS_NAMES, JOINTS
from visviva.describe.model.actuator import Actuator
from visviva.describe.model.body import WORLD, Body, Frame, Spring, Visual
from visviva.describe.model.model import Model
from visviva.describe.values import leaves
from visviva.errors import ArgumentError
from visviva.notation.formula import BINARY, CONSTANTS, OPERATIONS
from visviva.notation.names import is_name
from visviva.space.poses import Pose

# the keys of the tables
FILE_KEYS = (
    "name description gravity base parameters expressions body frame spring keyframes notes "
    "passive actuator"
)
JOINT_DETAILS = tuple(dict.fromkeys(k for joint in JOINTS.values() for k in joint.details()))
BODY_KEYS = (
    f"name parent joint joint_name axis {' '.join(JOINT_DETAILS)} at rotation limits velocity "
    "effort damping friction armature gear mimic inertia visual"
)
VISUAL = "kind size path color at rotation"
ACTUATOR = "name kind joint velocity gear frame at direction axes limits"
SPRING = "name stiffness rest damping joint from to"
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

    Loops are refused, or with `lossy` left out and listed in a comment.
    """
    if model.constraints and not lossy:
        raise ArgumentError(
            f"a mechanism file states a tree, {model.name!r} has loops; lossy=True leaves them out"
        )
    said = "".join(f"# left out: {' '.join(str(x).split())}\n" for x in model.constraints)
    return said + _Writer(model).file(model)


class _Writer:
    """Lines of TOML; numbers and formulas as they stand in the model."""

    def __init__(self, model: Model) -> None:
        roots = dict.fromkeys(x for x in leaves(model) if isinstance(x, Expr))
        self.pieces, texts = as_text(roots, set(model.parameters))
        self.texts = dict(zip(roots, texts, strict=True))

    def file(self, model: Model) -> str:
        m = model
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
        tables = [
            ("", {k: x for k, x in head.items() if k in ("name", "gravity") or x}),
            ("[parameters]", m.parameters),
            ("[expressions]", self.pieces),
            ("[keyframes]", m.keyframes),
            ("[base]", {k: x for k, x in base.items() if x}),
            *(("[[body]]", self.body(m, b)) for b in m.bodies),
            *(("[[frame]]", self.frame(m, f)) for f in m.frames),
            *(("[[spring]]", self.spring(s)) for s in m.springs),
            *(("[[actuator]]", self.actuator(a)) for a in m.actuators),
        ]
        return "\n".join(self.table(title, items) for title, items in tables if items)

    def frame(self, model: Model, f: Frame) -> dict[str, Any]:
        at = model.base_name if f.body == WORLD else model.bodies[f.body].name
        return {"name": f.name, "body": at} | self.pose(f.placement)

    def body(self, model: Model, b: Body) -> dict[str, Any]:
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
        table |= self.pose(b.placement)
        if np.isfinite([*b.limits.lower, *b.limits.upper]).any():
            table["limits"] = [_one(b.limits.lower), _one(b.limits.upper)]
        for key, x in (("velocity", b.limits.velocity), ("effort", b.limits.effort)):
            if np.isfinite(x).any():
                table[key] = _one(x)
        for key in ("damping", "friction", "armature"):
            if not is_numeric(getattr(b, key)) or np.any(getattr(b, key)):
                table[key] = _one(getattr(b, key))
        if b.mimic is not None:
            table["mimic"] = {item.name: getattr(b.mimic, item.name) for item in fields(b.mimic)}
        table["inertia"] = self.inertia(b.inertia)
        if b.visuals:
            table["visual"] = self.visuals(b.visuals)
        return table

    def visuals(self, drawn: Iterable[Visual]) -> list[dict[str, Any]]:
        return [
            {k: x for k in ("kind", "size", "path", "color") if (x := getattr(v, k))}
            | self.pose(v.placement)
            for v in drawn
        ]

    def inertia(self, i: Inertia) -> dict[str, Any]:
        table = {"mass": i.mass, "com": i.com, "tensor": i.tensor}
        marks = {"frame": i.frame, "error": i.error}
        table |= {k: x for k, x in marks.items() if x}
        return table if i.checked else table | {"checked": False}

    def spring(self, s: Spring) -> dict[str, Any]:
        table = {"name": s.name, "stiffness": s.stiffness, "rest": s.rest, "damping": s.damping}
        ends = zip(("from", "to"), s.frames, s.points, strict=False)
        table |= {key: {"frame": frame, "at": p} for key, frame, p in ends}
        return table | ({"joint": s.joint} if s.joint else {})

    def actuator(self, a: Actuator) -> dict[str, Any]:
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
        shifted = not is_numeric(X.p) or X.p.any()
        turned = not is_numeric(X.R) or (np.eye(3) != X.R).any()
        shift = {"at": X.p} if shifted else {}
        return shift | ({"rotation": {"matrix": X.R}} if turned else {})

    def table(self, title: str, items: Mapping[str, Any]) -> str:
        lines = [f"{_key(k)} = {self.value(x)}" for k, x in items.items()]
        return "\n".join([title, *lines] if title else lines) + "\n"

    def value(self, x: Any) -> str:
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


# ---- expressions as formulas

LONGEST_PIECE = 400  # a longer formula is cut into named pieces: shared parts would swell it
DEEPEST_PIECE = 50


def as_text(roots: Iterable[Expr], taken: Iterable[str] = ()) -> tuple[dict[str, str], list[str]]:
    """Texts that `parse` reads back to the same nodes, and the named pieces they refer to.

    Pieces come in the order in which they need each other; they take names that are free.
    """
    roots = list(roots)
    order = reachable(roots)
    used = {*taken, *(x.value for x in order if x.op == INPUT)}
    names = (n for k in range(1, 10**9) if (n := f"e{k}") not in used)
    pieces: dict[str, str] = {}
    known: dict[Expr, tuple[str, int, int]] = {}  # text, how tightly it binds, how deep it is
    for x in order:
        text, level, depth = _written(x, [known[a] for a in x.args])
        if x.args and (len(text) > LONGEST_PIECE or depth > DEEPEST_PIECE):
            name = next(names)
            pieces[name] = text
            text, level, depth = name, 5, 1
        known[x] = text, level, depth
    return pieces, [known[x][0] for x in roots]


def _written(x: Expr, args: list[tuple[str, int, int]]) -> tuple[str, int, int]:
    """Text, level (1 sum, 2 product, 3 signed, 4 power, 5 atom) and depth of one node."""
    depth = 1 + max((a[2] for a in args), default=0)
    if x.op == CONSTANT:
        if not math.isfinite(x.value):
            raise ArgumentError(f"a formula cannot say {x.value}")
        return repr(x.value).removesuffix(".0"), 3 if x.value < 0 else 5, 1
    if x.op == INPUT:
        if not is_name(x.value) or x.value in CONSTANTS or x.value in OPERATIONS:
            raise ArgumentError(f"{x.value!r} cannot be a name in a formula: rename it")
        return x.value, 5, 1
    if x.op == "neg":  # -a*b is read as (-a)*b, which is the same node; -(a + b) needs its own
        return f"-{_at(args[0], 2)}", 2 if args[0][1] == 2 else 3, depth
    if x.op == "mul" and x.args[0] is x.args[1]:
        return f"{_at(args[0], 5)}^2", 4, depth
    if x.op == "pow":
        return f"{_at(args[0], 5)}^{_at(args[1], 3)}", 4, depth
    if x.op in ("add", "sub", "mul", "div"):
        sign, level = {op: (s, n) for s, (n, op) in BINARY.items()}[x.op]
        if args[0][1] >= level:  # a chain to the left needs no parentheses and nests no deeper
            depth = max(args[0][2], 1 + args[1][2])
        space = " " if level == 1 else ""
        return f"{_at(args[0], level)}{space}{sign}{space}{_at(args[1], level + 1)}", level, depth
    name = next(name for name, op in OPERATIONS.items() if op == x.op)
    return f"{name}({', '.join(a[0] for a in args)})", 5, depth


def _at(arg: tuple[str, int, int], level: int) -> str:
    """In parentheses where it binds less tightly than its place asks."""
    return arg[0] if arg[1] >= level else f"({arg[0]})"
