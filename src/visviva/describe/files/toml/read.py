"""Mechanism files: a tree of bodies stated in TOML, every number a number or a formula in quotes.

The tables mirror `Builder`; docs/mechanism-files.md shows the whole format by example.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_numeric
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.files.options import check_snap
from visviva.describe.files.suspicions import turned_too_far
from visviva.describe.files.toml import write as form
from visviva.describe.files.toml.constraints import CONSTRAINT, with_constraint
from visviva.describe.files.toml.dh import DH, add_rows
from visviva.describe.files.toml.tables import Formulas, Table, distinct, unused
from visviva.describe.files.toml.text import tables, text_of
from visviva.describe.files.toml.words import KEYS_OF_OTHERS, check_gravity, in_files
from visviva.describe.files.toml.write import to_toml
from visviva.describe.joints.joint import unit
from visviva.describe.joints.named import JOINTS, axis_vector
from visviva.describe.model.actuator import ACTUATORS, Actuator
from visviva.describe.model.body import JOINT_NUMBERS, WORLD, Mimic, Spring, Visual
from visviva.describe.model.model import GRAVITY, Model
from visviva.describe.model.stiffness import LAW_KINDS, Stiffness
from visviva.describe.values import mapped
from visviva.errors import ArgumentError, MechanismFileError, UnknownNameError, check_known
from visviva.space.euler import euler_matrix
from visviva.space.poses import Pose
from visviva.space.rotations import about_axis, check_unit, quaternion_matrix, snapped

__all__ = ["MechanismFileError", "Spring", "load_toml", "loads_toml", "to_toml"]

MOST_BODIES = 2000
TURNS = ("turning", "turning_damping")


def load_toml(path: str | Path, snap: float = 1e-10) -> Any:
    """The model of a mechanism file."""
    return loads_toml(text_of(path), snap, str(path))


def loads_toml(text: str, snap: float = 1e-10, source: str = "text") -> Any:
    """The model of a mechanism file's text.

    Rotations given by angles lose what is within `snap` of 0 or ±1, as cos(pi/2) is.
    """
    return read_tables(tables(text, source), snap, source)


def read_tables(data: dict[str, Any], snap: float = 1e-10, source: str = "text") -> Any:
    """The model or Lagrangian that tables state."""
    if "lagrangian" in data:
        from visviva.describe.files.toml.lagrangian import read_lagrangian

        return read_lagrangian(data, source, MechanismFileError)
    return _File(source, snap).read(data)


def held_by_file(model: Model, path: str | Path) -> Model:
    """A model with what a file of [[frame]], [[constraint]], [[actuator]] and `passive` states."""
    return _File(str(path), 0.0).held(model, tables(text_of(path), str(path)))


class _File:
    """Reads the tables of one file; the model is made when all of them are right."""

    def __init__(self, source: str, snap: float) -> None:
        check_snap(snap)
        self.source, self.snap, self.formulas = source, snap, Formulas({})
        self.notes: dict[str, None] = {}

    def read(self, data: Any) -> Model:
        top = Table(
            self.formulas, MechanismFileError, self.source, data, form.FILE_KEYS, KEYS_OF_OTHERS
        )
        values = self.define(top, "parameters")
        top.formulas = self.formulas = Formulas(values)
        self.define(top, "expressions")
        if "description" in top.data:
            self.notes[f"description: {top.get('description', str)}"] = None
        self.notes |= dict.fromkeys(map(str, top.get("notes", list, [])))
        bases = top.tables("base", "name inertia visual", 1)
        base = bases[0].get("name", str, "world") if bases else "world"
        with top.at("gravity"):
            check_gravity(top.data.get("gravity", []))
        gravity = top.array("gravity", (3,), GRAVITY)
        b = Builder(top.get("name", str), gravity=gravity, parameters=values, base=base)
        b.passive = top.get("passive", list, [])
        for t in bases:
            if (inertia := self.inertia(t)) is not None:
                b.base_inertia(inertia)
        with top.at():
            for t in top.tables("dh", DH, 1):
                add_rows(b, t, self)
            self.bodies(b, top.tables("body", form.BODY_KEYS))
            for t in top.tables("frame", "name body at rotation"):
                with t.at():
                    X = self.pose(t)
                    b.frame(t.get("name", str), body=t.get("body", str), at=X.p, rotation=X.R)
            model = b.build()
        self.notes |= dict.fromkeys(model.notes)
        keys = {}
        for name, x in top.get("keyframes", dict, {}).items():
            with top.at(f"keyframes.{name}"):
                keys[name] = self.plain(top, self.formulas.array(x, (model.nq,)), "keyframes")
        springs = tuple(self.spring(model, t) for t in distinct(top.tables("spring", form.SPRING)))
        drawn = tuple(self.visual(v) for t in bases for v in t.tables("visual", form.VISUAL))
        model = replace(model, keyframes=keys, notes=tuple(self.notes), springs=springs)
        model = replace(model, base_visuals=(*drawn, *model.base_visuals))
        model = self.driven(model, top)
        if idle := unused(model, values):
            said = f"nothing depends on the parameter {', '.join(map(repr, idle))}"
            model = replace(model, notes=(*model.notes, said))
        return model

    def held(self, model: Model, data: Any) -> Model:
        """Another model, with more frames, and with what drives and holds it."""
        keys = "frame constraint actuator passive"
        top = Table(self.formulas, MechanismFileError, self.source, data, keys, KEYS_OF_OTHERS)
        for t in top.tables("frame", "name body at rotation"):
            with t.at():
                model = model.with_frame(t.get("name", str), self.pose(t), on=t.get("body", str))
        with top.at():
            if "passive" in top.data:
                model = model.with_passive(top.get("passive", list))
        return self.driven(model, top)

    def driven(self, model: Model, top: Table) -> Model:
        """With its actuators and constraints."""
        drives = [self.actuator(t) for t in top.tables("actuator", form.ACTUATOR)]
        with top.at():
            model = model.with_actuators(drives) if drives else model
        for t in top.tables("constraint", CONSTRAINT):
            model = with_constraint(model, t, self.axis)
        return model

    def define(self, top: Table, key: str) -> dict[str, Any]:
        given = top.get(key, dict, {})
        for k, (name, x) in enumerate(given.items(), 1):
            with top.at(f"{key}.{name}"):
                self.formulas.define(name, x, [*given][k:])
        return self.formulas.names

    def bodies(self, b: Builder, tables: list[Table]) -> None:
        if len(tables) > MOST_BODIES:
            raise ArgumentError(f"expected at most {MOST_BODIES} bodies, got {len(tables)}")
        waiting = [t.get("name", str) for t in tables]
        taken: set[str] = set()
        for t in tables:
            with t.at():
                if (name := waiting[0]) in taken:
                    raise ArgumentError(f"another body is called {name!r} already")
                taken.add(name)
                parent = t.get("parent", str, "")
                if parent in waiting and (parent == name or parent not in taken):
                    raise ArgumentError(f"its parent {parent!r} has to come before it")
                self.body(b, t)
            waiting.pop(0)

    def body(self, b: Builder, t: Table) -> None:
        kind, X = t.get("joint", str), self.pose(t)
        if kind in JOINTS and JOINTS[kind].axis_names:
            t.get("axis", object)  # no joint has a silent axis
        axes = {"axis", *(k for joint in JOINTS.values() for k in joint.axis_names)}
        details: dict[str, Any] = {
            k: self.axis(t, k) if k in axes else t.array(k, ())
            for k in ("axis", *form.JOINT_DETAILS)
            if k in t.data
        }
        if kind in JOINTS and not JOINTS[kind].velocities:
            self.note(t, "fixed, so it is merged into its parent; its frame is kept")
        elif "inertia" not in t.data:
            self.note(t, "it moves and has no inertia")
        mimic = None
        for m in t.tables("mimic", "joint multiplier offset", 1):
            pair = [m.array(k, (), x) for k, x in (("multiplier", 1.0), ("offset", 0.0))]
            mimic = Mimic(m.get("joint", str), *(float(self.plain(m, x, "mimic")) for x in pair))
        details |= {k: t.get(k, str, "") for k in ("parent", "joint_name")}
        details["visuals"] = tuple(map(self.visual, t.tables("visual", form.VISUAL)))
        details |= {"at": X.p, "rotation": X.R, "mimic": mimic, "inertia": self.inertia(t)}
        b.body(t.get("name", str), joint=kind, **details, **self.felt(t))

    def felt(self, t: Table) -> dict[str, Any]:
        """Limits of a joint, and what resists its motion."""
        details: dict[str, Any] = {}
        for key in JOINT_NUMBERS:
            details[key] = self.each(t, key, 0.0)
            if np.any(np.vectorize(self.formulas.value)(details[key]) < 0):
                self.note(t, f"{key!r} is negative")
        for key in ("velocity", "effort"):
            details[key] = self.plain(t, self.each(t, key, np.inf), key)
        if "restitution" in t.data:
            details["restitution"] = self.plain(t, self.each(t, "restitution", 0.0), "restitution")
        return details | {"limits": self.limits(t), "gear": t.array("gear", (), 1.0)}

    def limits(self, t: Table) -> Any:
        sides = t.get("limits", list, [-np.inf, np.inf])
        with t.at("limits"):
            shaped = [(x, (0,) if isinstance(x, list) else ()) for x in sides]
            bounds = [self.formulas.array(x, shape, infinite=True) for x, shape in shaped]
            values = [self.plain(t, x, "limits") for x in bounds]
            several = {x.size for x in values} - {1}
            if len(values) != 2 or len(several) > 1 or np.any(values[0] > values[1]):
                raise ArgumentError(f"expected [lower, upper], got {sides!r:.60}")
        return values

    def inertia(self, t: Table) -> Inertia | None:
        total = None
        for part in t.tables("inertia", form.INERTIA):
            with part.at():
                one, X = in_files(self.part, part), self.pose(part)
                if "at" in part.data or "rotation" in part.data:
                    one = one.moved(X.R, X.p)
                minus = part.get("subtract", bool, False)
                if total is None and minus:
                    raise ArgumentError("there is nothing yet to subtract it from")
                total = one if total is None else total - one if minus else total + one
                in_files(total.mapped, self.formulas.value)  # the parameters' values make a body
        return total

    def part(self, t: Table) -> Inertia:
        forms = [k for k in form.INERTIAS if k in t.data]
        if not forms and "mass" in t.data:
            t.only(form.POINT + form.PLACED)
            return Inertia.point(t.array("mass", ()), t.array("com", (3,), np.zeros(3)))
        if len(forms) != 1:
            raise ArgumentError(f"needs one of the keys {', '.join(form.INERTIAS)}, got {forms}")
        kind = forms[0]
        solid = t.get("solid", str) if kind == "solid" else ""
        if solid and solid not in form.SIZES:
            raise UnknownNameError("solid", solid, form.SIZES)
        t.only(form.INERTIAS[kind] + form.PLACED + " " + " ".join(form.SIZES.get(solid, [])))
        if kind == "points":
            points = t.tables("points", "mass at")
            masses = [p.array("mass", ()) for p in points]
            return Inertia.point_masses(masses, [p.array("at", (3,)) for p in points])
        amounts = {k: t.array(k, ()) for k in ("mass", "density") if k in t.data}
        if solid:
            axis = {"axis": t.get("axis", str)} if "axis" in form.SIZES[solid] else {}
            numbers = amounts | {k: t.array(k, ()) for k in form.SIZES[solid] if k != "axis"}
            values = {k: self.formulas.value(x) for k, x in numbers.items()}
            Inertia.solid(solid, **values, **axis)  # refuses impossible sizes
            return Inertia.solid(solid, **numbers, **axis)
        mass, com = t.array("mass", ()), t.array("com", (3,))
        checked = t.get("checked", bool, True)
        if kind == "tensor":
            inertia = Inertia(mass, com, t.array("tensor", (3, 3)), checked=checked)
            return replace(inertia, frame=t.get("frame", str, ""), error=t.array("error", (), 0.0))
        products = t.array("products", (3,), np.zeros(3))
        sign = t.get("sign", str, *(() if "products" in t.data else ("matrix",)))
        moments = t.array("moments", (3,))
        return Inertia.from_moments(mass, com, moments, products, sign=sign, checked=checked)

    def visual(self, t: Table) -> Visual:
        placed = mapped(self.formulas.value, self.pose(t))
        size, color = (self.plain(t, t.array(k, (0,), []), k) for k in ("size", "color"))
        names = t.get("kind", str), t.get("path", str, "")
        with t.at():
            return Visual(names[0], placed, tuple(size.tolist()), names[1], tuple(color.tolist()))

    def spring(self, model: Model, t: Table) -> Spring:
        with t.at():
            for end in ("from", "to"):
                given = t.data.get(end)
                if isinstance(given, str):
                    t.data = t.data | {end: {"frame": given}}  # its origin
                elif isinstance(given, list) and not any(isinstance(x, dict) for x in given):
                    line = f"{end} = {{ frame = {model.base_name!r}, at = {given!r:.60} }}"
                    raise ArgumentError(f"{end} names a frame: {line}".replace("'", '"'))
            ends = [x for k in ("from", "to") for x in t.tables(k, "frame at", 1)]
            joint, frames = t.get("joint", str, ""), tuple(e.get("frame", str) for e in ends)
            if (len(ends), bool(joint)) not in ((2, False), (0, True)):
                got = ", ".join(repr(k) for k in ("joint", "from", "to") if k in t.data)
                way = "needs the key 'joint', or the keys 'from' and 'to'"
                raise ArgumentError(f"{way}, not both; got {got or 'none'}")
            if joint and model.bodies[model.joint_index(joint)].joint.nv != 1:
                raise ArgumentError(f"joint {joint!r} has more than one coordinate")
            on = [WORLD if x == model.base_name else model.frame(x).body for x in frames]
            if len(on) == 2 and on[0] == on[1]:
                raise ArgumentError(f"{frames[0]!r} and {frames[1]!r} never move apart: one body")
            points = tuple(e.array("at", (3,), np.zeros(3)) for e in ends)
            numbers = {k: self.number_or_matrix(t, k) for k in ("damping", *TURNS)}
            rest = t.array("rest", (3,) if isinstance(t.data.get("rest"), list) else ())
            k = self.stiffness(t)
            name = t.get("name", str)
            spring = Spring(name, k, rest, joint=joint, frames=frames, points=points, **numbers)
            mapped(self.formulas.value, spring)  # the parameters' values make a spring
            return spring

    def stiffness(self, t: Table) -> Any:
        if not isinstance(t.data.get("stiffness"), dict):
            return self.number_or_matrix(t, "stiffness", None)
        (law,) = t.tables("stiffness", form.LAW, 1)
        stated = [k for k in LAW_KINDS if k in law.data]
        if len(stated) != 1:
            raise ArgumentError(
                f"a law of stiffness has one of the keys {', '.join(LAW_KINDS)}, got {stated}"
            )
        given = law.get("values", dict, {})
        values = {k: self.formulas.array(x, ()) for k, x in given.items()}
        return Stiffness(law.get(stated[0], str), values, stated[0])

    def number_or_matrix(self, t: Table, key: str, default: Any = 0.0) -> Any:
        shape = (3, 3) if isinstance(t.data.get(key), list) else ()
        return t.array(key, shape, *(() if default is None else (default,)))

    def actuator(self, t: Table) -> Actuator:
        with t.at():
            name, kind = t.get("name", str), t.get("kind", str)
            limits = self.limits(t)
            if kind == "motor":
                t.only("name kind joint velocity gear limits")
                gear, velocity = t.array("gear", (), 1.0), t.get("velocity", str, "")
                return Actuator.motor(name, t.get("joint", str), gear, limits, velocity)
            check_known("kind of actuator", kind, ACTUATORS)
            pushes = kind == "thruster"
            t.only("name kind frame direction axes limits" + " at" * pushes)
            at = {"point": t.array("at", (3,), np.zeros(3))} if pushes else {}
            kind_of_actuator = Actuator.thruster if pushes else Actuator.couple
            frame, direction = t.get("frame", str), self.axis(t, "direction")
            return kind_of_actuator(
                name, frame, direction, **at, axes=t.get("axes", str, "body"), limits=limits
            )

    def pose(self, t: Table) -> Pose:
        R: Any = np.eye(3)
        for r in t.tables("rotation", " ".join(form.ROTATIONS), 1):
            with r.at():
                R = self.rotation(r)
                mapped(self.formulas.value, Pose(R, np.zeros(3)))  # refuses what is none
        return Pose(R, t.array("at", (3,), np.zeros(3)))

    def rotation(self, t: Table) -> Array:
        if (
            " ".join(k for k in " ".join(form.ROTATIONS).split() if k in t.data)
            not in form.ROTATIONS
        ):
            raise ArgumentError(f"expected one of {form.ROTATIONS}, got {sorted(t.data)}")
        if "matrix" in t.data:
            matrix: Array = t.array("matrix", (3, 3))
            return matrix
        if "quaternion" in t.data:
            quaternion = t.array("quaternion", (4,))
            check_unit([self.formulas.value(x) for x in quaternion])
            return quaternion_matrix(quaternion)
        if "axis" in t.data:
            R = about_axis(self.axis(t, "axis"), t.array("angle", ()))
        elif "rpy" in t.data:
            R = euler_matrix(t.array("rpy", (3,)), "xyz")
        else:
            R = euler_matrix(t.array("angles", (3,)), t.get("euler", str))
        if not is_numeric(R):
            return R
        given = [x for k in ("angle", "rpy", "angles") if k in t.data for x in np.ravel(t.data[k])]
        plain = [x for x in given if not isinstance(x, str)]
        if word := turned_too_far("angles", plain):
            self.note(t, word)
        clean = snapped(R, self.snap)
        if (clean != R).any():
            self.note(t, f"cleaned by up to {np.abs(clean - R).max():.1e}")
        return clean

    def axis(self, t: Table, key: str) -> Array:
        with t.at(key):
            if isinstance(t.data.get(key), str):
                letter: Array = axis_vector(t.data[key])
                return letter
            a = t.array(key, (3,))
            length = float(np.linalg.norm([self.formulas.value(x) for x in a]))
            if not is_numeric(a) and abs(length - 1.0) > 1e-9:
                raise ArgumentError(f"an axis of formulas needs length 1, got {length:.12g}")
            return unit(a)

    def each(self, t: Table, key: str, default: float) -> Any:
        """One number for all of a joint's velocities, or one for each."""
        shape = (0,) if isinstance(t.data.get(key), list) else ()
        return t.array(key, shape, default, infinite=np.isinf(default))

    def plain(self, t: Table, x: Any, key: str) -> Any:
        """Values, for what a model keeps as numbers only."""
        if not is_numeric(x):
            self.note(t, f"{key!r} is kept at the parameters' values")
        return np.vectorize(self.formulas.value, otypes=[float])(x)

    def note(self, t: Table, text: str) -> None:
        where = re.sub(r" \d+ \((.*?)\)", r" \1", t.where.removeprefix(self.source + ": "))
        self.notes[f"{where}: {text}"] = None
