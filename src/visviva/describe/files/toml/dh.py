"""DH tables in mechanism files, read and written.

[dh]
convention = "modified"
base = { at = [0, 0, 0.3] }       # poses before and after the table, if there are any
tool = { at = [0, 0, 0.1] }

[[dh.row]]
a = 0.4
alpha = "pi/2"
joint = "R"                       # theta varies; d of "P"
inertia = { mass = 2, com = [0.1, 0, 0], moments = [0.02, 0.03, 0.04] }
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from visviva.describe.by_hand.builder import Builder
from visviva.describe.by_hand.dh import COLUMNS, DHTable, add_dh, to_dh
from visviva.describe.constraints.constraint import Constraints
from visviva.describe.files.toml.constraints import unwritable
from visviva.describe.files.toml.tables import Table
from visviva.describe.files.toml.write import VISUAL, Writer
from visviva.describe.model.body import WORLD, Body, Frame, Visual
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError
from visviva.space.poses import Pose

T = TypeVar("T")

DH = "convention base tool row"
ROW = (
    f"{' '.join(COLUMNS)} joint name joint_name limits velocity effort restitution damping "
    "friction stiction stribeck armature gear inertia visual"
)
SAME_PLACE = 1e-12  # metres, and entries of rotations
MOST_ROWS = 2000


def add_rows(b: Builder, t: Table, file: Any) -> None:
    """Add the arm of a table to what is being built; `file` reads poses, inertias and limits."""
    with t.at():
        rows = t.tables("row", ROW)
        if len(rows) > MOST_ROWS:
            raise ArgumentError(f"expected at most {MOST_ROWS} rows, got {len(rows)}")
        ends = {k: file.pose(x) for k in ("base", "tool") for x in t.tables(k, "at rotation")}
        details, inertias, table = [], [], []
        for row in rows:
            with row.at():
                named = {k: row.get(k, str) for k in ("name", "joint_name") if k in row.data}
                drawn = tuple(map(file.visual, row.tables("visual", VISUAL)))
                details.append({**named, **file.felt(row), "visuals": drawn})
                inertias.append(file.inertia(row))
                numbers = [row.array(k, (), 0.0) for k in COLUMNS]
                table.append((*numbers, row.get("joint", str)))
        convention = t.get("convention", str, "")
        add_dh(b, table, convention=convention, inertias=inertias, details=details, **ends)


def to_dh_toml(model: Model, convention: str, *, lossy: bool = False) -> str:
    """A mechanism file whose bodies are the rows of a DH table; parameters take their values.

    What is fixed to bodies is stated in the table's frames. Frames "dh1", "dh2" … of another table
    are replaced by those of this one, with a note. What a table cannot state (a frame that is named
    as a body of the model, and what uses it) is refused, or with `lossy` left out and listed.
    """
    table = to_dh(model, convention)
    arm = table.model()
    dh_model, losses = _on_bodies_of(arm, model.numeric)
    if losses and not lossy:
        raise ArgumentError(
            f"a DH table cannot state {'; '.join(losses)}; lossy=True leaves that out and says so"
        )
    w = Writer(dh_model)
    ends = {"base": w.pose(table.base), "tool": w.pose(table.tool)}
    tables: list[tuple[str, Any]] = [*w.top(dh_model)]
    tables += [("[dh]", {"convention": convention} | {k: x for k, x in ends.items() if x})]
    tables += [("[[dh.row]]", _row(w, table, i, b)) for i, b in enumerate(dh_model.bodies)]
    comments = "".join(f"# left out: {' '.join(x.split())}\n" for x in losses)
    return comments + w.joined([*tables, *w.rest(dh_model, {f.name for f in arm.frames})])


def _row(w: Writer, table: DHTable, i: int, body: Body) -> dict[str, Any]:
    *numbers, joint = table.rows[i]
    row: dict[str, Any] = {"name": body.name, "joint_name": body.joint_name, "joint": joint}
    row |= dict(zip(COLUMNS, numbers, strict=True)) | w.felt(body)
    row["inertia"] = w.inertia(table.inertias[i])
    return row | ({"visual": w.visuals(body.visuals)} if body.visuals else {})


def _on_bodies_of(arm: Model, model: Model) -> tuple[Model, list[str]]:
    """`model` with the bodies and frames of `arm`, which moves alike; and what that loses."""
    elsewhere = [f for f in model.frames if f.name in arm.frame_names and _has_moved(f, model, arm)]
    old_table_frames = [f.name for f in elsewhere if re.fullmatch(r"dh\d+", f.name)]
    frames = (*arm.frames, *_frames_kept(arm, model))
    usable = {model.base_name, *(f.name for f in frames)} - {f.name for f in elsewhere}
    springs, lost_springs = _split(model.springs, lambda s: usable.issuperset(s.frames))
    actuators, lost_actuators = _split(model.actuators, lambda a: a.frame in (*usable, ""))
    constraints, lost_constraints = _split(
        model.constraints, lambda c: not unwritable(c) and usable.issuperset(c.frames)
    )
    losses: dict[str, list[Any]] = {
        "frames": [f for f in elsewhere if f.name not in old_table_frames],
        "springs": lost_springs,
        "actuators": lost_actuators,
        "constraints": lost_constraints,
    }
    notes = [f"{', '.join(old_table_frames)}: frames of this table now"] if old_table_frames else []
    result = replace(
        model,
        bodies=_bodies_with_visuals(arm, model),
        frames=frames,
        springs=tuple(springs),
        actuators=tuple(actuators),
        constraints=Constraints(constraints),
        notes=(*model.notes, *notes),
    )
    return result, [f"the {k} {', '.join(x.name for x in xs)}" for k, xs in losses.items() if xs]


def _bodies_with_visuals(arm: Model, model: Model) -> tuple[Body, ...]:
    """The bodies of `arm`, looking as those of `model`."""

    def move_visual(visual: Visual, X: Pose) -> Visual:
        return replace(visual, placement=X @ visual.placement)

    return tuple(
        replace(new, visuals=tuple(move_visual(v, X) for v in old.visuals))
        for new, old, X in zip(arm.bodies, model.bodies, _to_bodies_of(arm, model), strict=True)
    )


def _frames_kept(arm: Model, model: Model) -> list[Frame]:
    """Frames that only `model` has, placed on the bodies of `arm`."""
    X = _to_bodies_of(arm, model)
    rest = [f for f in model.frames if f.name not in {a.name for a in arm.frames}]
    return [f if f.body == WORLD else Frame(f.name, f.body, X[f.body] @ f.placement) for f in rest]


def _to_bodies_of(arm: Model, model: Model) -> list[Pose]:
    """Of each body, the pose of its frame in `model` seen from its frame in `arm`."""
    q = np.zeros(model.nq)
    pairs = zip(arm.body_poses(q), model.body_poses(q), strict=True)
    return [new.inverse() @ old for new, old in pairs]


def _has_moved(frame: Frame, model: Model, arm: Model) -> bool:
    """Whether `arm` has the frame of this name elsewhere than `model`."""
    if model.frame(frame.name).body != arm.frame(frame.name).body:
        return True
    q = np.zeros(model.nq)
    gap = model.frame_pose(frame.name, q).matrix() - arm.frame_pose(frame.name, q).matrix()
    return bool(np.abs(gap).max() > SAME_PLACE)


def _split(items: Iterable[T], keep: Callable[[T], bool]) -> tuple[list[T], list[T]]:
    """Those that are kept, and the others."""
    accepted_items: list[T] = []
    other_items: list[T] = []
    for x in items:
        (accepted_items if keep(x) else other_items).append(x)
    return accepted_items, other_items
