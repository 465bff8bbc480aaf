"""Constraints in mechanism files: a table each, a loop or a formula, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from visviva.algebra.expr import Expr, names_in
from visviva.describe.constraints.constraint import Constraints, free_name
from visviva.describe.constraints.loop import Loop
from visviva.describe.constraints.relation import relations, with_numbers_in
from visviva.describe.files.toml.tables import Table
from visviva.describe.joints.named import AXIS_NAMES, CLOSURES, OTHER_WORDS, closure_called
from visviva.describe.joints.rolling import COORDINATES
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError, check_known
from visviva.notation.typed import as_text

DETAILS = tuple(dict.fromkeys(k for c in CLOSURES.values() for k in c.details() if k != "numbers"))
AXIS_KEYS = {k for c in CLOSURES.values() for k in c.axis_names}
FORMULA = "name formula active"
LOOP = f"name frame1 frame2 joint axis active torquescale {' '.join(DETAILS)}"
CONSTRAINT = f"{FORMULA} {LOOP}"


def with_constraint(model: Model, t: Table, axis: Callable[[Table, str], Any]) -> Model:
    """With what one [[constraint]] states; `axis` reads an axis."""
    with t.at():
        is_loop = "formula" not in t.data
        if not is_loop and (both := [k for k in t.data if k not in FORMULA.split()]):
            raise ArgumentError(
                f"a constraint is a formula, or it joins frame1 and frame2: got 'formula' and "
                f"{', '.join(map(repr, both))}, which are two [[constraint]]"
            )
        name = t.get("name", str, free_name(model.constraints, "loop" if is_loop else "constraint"))
        active = t.get("active", bool, True)
        if is_loop:
            stated: list[Any] = [_loop(t, axis, name)]
        else:
            names = {k: x for k, x in t.formulas.names.items() if k not in model.parameters}
            stated = list(relations(model, name, t.get("formula", str), names))
        more = [x if active else replace(x, active=False) for x in stated]
        return replace(model, constraints=Constraints((*model.constraints, *more)))


def _loop(t: Table, axis: Callable[[Table, str], Any], name: str) -> Loop:
    with t.at():
        kind = t.get("joint", str)
        check_known("closure", kind, CLOSURES, OTHER_WORDS)
        if CLOSURES[kind].axis_names:
            t.get("axis", object)  # none is silent
        details: dict[str, Any] = {}
        for key in (k for k in DETAILS if k in t.data):
            if key == "surface":
                details |= _surface(t)
            else:
                details[key] = axis(t, key) if key in AXIS_KEYS else t.array(key, ())
        about = axis(t, "axis") if "axis" in t.data else None
        return Loop(
            name,
            t.get("frame1", str),
            t.get("frame2", str),
            closure_called(kind, about, details),
            torquescale=float(t.array("torquescale", (), 1.0)),
        )


def _surface(t: Table) -> dict[str, Any]:
    """A formula of x, y, z, and what other names in it stand for."""
    names = t.formulas.names
    declared = {x: names[x] for x in names if x not in COORDINATES}
    closure = CLOSURES["point_on_surface"](t.get("surface", str), declared)  # type: ignore[call-arg]
    formula = vars(closure)["surface"]
    used = [x for x in names_in([formula]) if x in declared]
    return {"surface": formula, "numbers": {x: declared[x] for x in used}}


def unwritable(x: Any) -> bool:
    """Whether no table can state a constraint."""
    if not x.is_read:
        return True
    return bool(x.frames) and CLOSURES.get(x.joint.kind) is not type(x.joint)


def constraint_table(x: Any) -> dict[str, Any]:
    """The table that states a constraint."""
    off = {} if x.active else {"active": False}
    if not x.frames:
        return {"name": x.name, "formula": _text(x.whole())} | off
    table: dict[str, Any] = {"name": x.name, "frame1": x.frame1, "frame2": x.frame2}
    table["joint"] = x.joint.kind
    for name in (*x.joint.axis_names[:1], *x.joint.details()):
        value = getattr(x.joint, name)
        if name in x.joint.axis_names:
            value = next((k for k, a in AXIS_NAMES.items() if _same(a, value)), value)
        if name == "surface":
            value = _text(with_numbers_in(value, x.joint.numbers))
        if name != "numbers":
            table["axis" if name in x.joint.axis_names[:1] else name] = value
    if x.torquescale != 1.0:
        table["torquescale"] = x.torquescale
    return table | off


def _same(a: Any, b: Any) -> bool:
    return all(isinstance(y, float) and x == y for x, y in zip(a, b.tolist(), strict=True))


def _text(formula: Expr) -> str:
    _, (text,) = as_text([formula], whole=True)
    return text
