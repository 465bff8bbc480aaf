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
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.describe.by_hand.builder import Builder
from visviva.describe.by_hand.dh import COLUMNS, DHTable, add_dh, to_dh
from visviva.describe.constraints.constraint import Constraints
from visviva.describe.files.toml.constraints import unwritable
from visviva.describe.files.toml.tables import Table
from visviva.describe.files.toml.write import VISUAL, Writer
from visviva.describe.model.body import WORLD, Body, Frame
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError

DH = "convention base tool row"
ROW = (
    f"{' '.join(COLUMNS)} joint name joint_name limits velocity effort restitution damping "
    "friction stiction stribeck armature gear inertia visual"
)
ONE_PLACE = 1e-12  # metres, and entries of rotations: frames that are in one place
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

    What is fixed to bodies is stated in their new frames; frames "dh1" … of another table give way
    to those of this one, with a note. What names a body itself as its frame is refused, or with
    `lossy` left out and listed.
    """
    table = to_dh(model, convention)
    arm = table.model()
    made, lost = _moved(model.numeric, arm)
    if lost and not lossy:
        raise ArgumentError(
            f"a DH table cannot state {'; '.join(lost)}; lossy=True leaves that out and says so"
        )
    w = Writer(made)
    ends = {"base": w.pose(table.base), "tool": w.pose(table.tool)}
    tables: list[tuple[str, Any]] = [*w.top(made)]
    tables += [("[dh]", {"convention": convention} | {k: x for k, x in ends.items() if x})]
    tables += [("[[dh.row]]", _row(w, table, i, b)) for i, b in enumerate(made.bodies)]
    said = "".join(f"# left out: {' '.join(x.split())}\n" for x in lost)
    return said + w.joined([*tables, *w.rest(made, {f.name for f in arm.frames})])


def _row(w: Writer, table: DHTable, i: int, b: Body) -> dict[str, Any]:
    *numbers, kind = table.rows[i]
    row: dict[str, Any] = {"name": b.name, "joint_name": b.joint_name, "joint": kind}
    row |= dict(zip(COLUMNS, numbers, strict=True)) | w.felt(b)
    row["inertia"] = w.inertia(table.inertias[i])
    return row | ({"visual": w.visuals(b.visuals)} if b.visuals else {})


def _moved(m: Model, arm: Model) -> tuple[Model, list[str]]:
    """The model with all that is fixed to bodies in their frames of the table; what is lost."""
    zero = np.zeros(m.nq)
    poses = zip(m.body_poses(zero), arm.body_poses(zero), strict=True)
    here = [new.inverse() @ old for old, new in poses]
    own = {f.name: f for f in arm.frames}
    others = [f for f in m.frames if f.name in own and not _same(m, arm, f.name)]
    frames = tuple(
        f if f.body == WORLD else Frame(f.name, f.body, here[f.body] @ f.placement)
        for f in m.frames
        if f.name not in own
    )
    bodies = tuple(
        replace(new, visuals=tuple(replace(v, placement=X @ v.placement) for v in old.visuals))
        for new, old, X in zip(arm.bodies, m.bodies, here, strict=True)
    )
    known = {f.name for f in frames} | {m.base_name} | (own.keys() - {f.name for f in others})
    springs = [s for s in m.springs if not known.issuperset(s.frames)]
    pushed = [a for a in m.actuators if a.frame and a.frame not in known]
    held = [x for x in m.constraints if unwritable(x) or not known.issuperset(x.frames)]
    made = replace(
        m,
        bodies=bodies,
        frames=(*arm.frames, *frames),
        springs=tuple(s for s in m.springs if s not in springs),
        actuators=tuple(a for a in m.actuators if a not in pushed),
        constraints=Constraints(x for x in m.constraints if x not in held),
    )
    renamed = [f.name for f in others if re.fullmatch(r"dh\d+", f.name)]
    if renamed:
        made = replace(made, notes=(*made.notes, f"{', '.join(renamed)}: frames of this table now"))
    other_frames = [f for f in others if f.name not in renamed]
    kinds: dict[str, list[Any]] = {"frames": other_frames, "springs": springs}
    kinds |= {"actuators": pushed, "constraints": held}
    return made, [f"the {k} {', '.join(x.name for x in some)}" for k, some in kinds.items() if some]


def _same(m: Model, arm: Model, frame: str) -> bool:
    """Whether a frame is where the table has the one of that name, on the same body."""
    if m.frame(frame).body != arm.frame(frame).body:
        return False
    zero = np.zeros(m.nq)
    gap = m.frame_pose(frame, zero).matrix() - arm.frame_pose(frame, zero).matrix()
    return bool(np.abs(gap).max() <= ONE_PLACE)
