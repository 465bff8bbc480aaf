"""Read MJCF, MuJoCo's model format, through the `mujoco` package (extra `mjcf`).

MuJoCo itself compiles the file, so that defaults, classes, units, inertias from geoms and all its
rules are MuJoCo's. It does so in a process of its own, from a text and files that were checked
before. Coordinates: hinges and slides have MuJoCo's qpos (ours is zero where MuJoCo's is, also if a
joint has a `ref`); a ball has the quaternion x y z w instead of w x y z; a free joint the
quaternion x y z w, then the position in the world, and as velocity the twist in body axes where
MuJoCo has the linear velocity in world axes, then the angular one in body axes.
"""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from visviva.describe.constraints.constraint import Constraints
from visviva.describe.files.mjcf.compile import Compiled, compile_mjcf
from visviva.describe.files.mjcf.drives import actuators, springs, with_drives
from visviva.describe.files.mjcf.effects import effects
from visviva.describe.files.mjcf.equalities import (
    OtherEquality,
    constraints,
    couple,
    equalities,
    keyframes,
)
from visviva.describe.files.mjcf.scan import MAX_BODIES, Bounds
from visviva.describe.files.mjcf.tree import PASSIVE, bodies_and_sites, left_out
from visviva.describe.files.mjcf.words import Meaning
from visviva.describe.files.options import (
    Paths,
    check_seconds,
    check_snap,
    check_word,
    folders,
)
from visviva.describe.files.suspicions import suspicions
from visviva.describe.files.xmlfile import MAX_BYTES, MAX_ELEMENTS
from visviva.describe.model.merge import merge_fixed
from visviva.describe.model.model import Model
from visviva.describe.model.remarks import Unmodelled
from visviva.errors import ReadError, VisvivaError

__all__ = ["OtherEquality", "load_mjcf"]

TREATMENTS = {"mocap body": "held where the file puts it"}
UNNAMED = "MuJoCo Model"


def load_mjcf(
    path: str | PathLike[str],
    *,
    roots: Paths = (),
    mimic: str = "couple",
    snap: float = 1e-10,
    timeout: float = 20.0,
    max_bytes: int = MAX_BYTES,
    max_elements: int = MAX_ELEMENTS,
    max_bodies: int = MAX_BODIES,
) -> Model:
    """The model in an MJCF file.

    Only files below the file's own folder and the `roots` are read. `mimic="couple"` makes joints
    that a linear joint equality ties to another follow it, `"expand"` leaves them free and keeps
    the equality in `model.constraints`, with the others. Rotation entries within `snap` of 0 or
    ±1 are made exact. `timeout` is in seconds. Files above `max_bytes`, and with their includes
    above `max_elements` or `max_bodies`, are refused.
    """
    check_word("mimic", mimic, ("couple", "expand"))
    check_snap(snap)
    check_seconds(timeout)
    file = Path(path)
    m = compile_mjcf(
        file,
        [Path(r) for r in folders("roots", roots)],
        timeout,
        Bounds(max_bytes, max_elements, max_bodies),
    )
    try:
        return _model(m, mimic, snap)
    except ReadError:
        raise
    except VisvivaError as error:
        raise ReadError(f"{file}: {error}") from error


def _model(m: Compiled, mimic: str, snap: float) -> Model:
    m = with_drives(m)
    out = bodies_and_sites(m, snap)
    pulling, driving = springs(m, out), actuators(m, out)
    kept = equalities(m, out)
    if mimic == "couple":
        kept = couple(kept, out)
    positions = keyframes(m, out)
    merged = merge_fixed(out.bodies, out.frames)
    holding = constraints(kept, merged.frames, out.notes)
    given, moving = m.info["model"], [b.joint_name for b in merged.bodies if b.mimic is None]
    no_gravity = m.info["weightless"]
    model = Model(
        m.path.stem if given in ("", UNNAMED) else given,
        merged.bodies,
        merged.frames,
        np.zeros(3) if no_gravity else np.array(m.info["gravity"]),
        merged.base_inertia,
        notes=(*_notes(m, merged.merged), *effects(m, out), *out.notes),
        constraints=Constraints(holding),
        springs=tuple(pulling),
        actuators=tuple(driving),
        keyframes=positions,
        base_visuals=merged.base_visuals,
        passive=tuple(x for x in moving if PASSIVE + x in m.info["names"]["text"]),
    )
    return replace(model, notes=(*model.notes, *suspicions(model, merged.bodies)))


def _notes(m: Compiled, merged: tuple[str, ...]) -> list[str]:
    """What was merged, and what of the file means nothing here."""
    notes = [*m.notes]
    notes += [f"body {name!r} has no joint: merged into its parent" for name in merged]
    for kind, count in m.info["counts"].items():
        if count:
            amount = f"{count} {kind}{'s' if count > 1 else ''}"
            notes.append(f"{amount} {TREATMENTS.get(kind, 'ignored')}")
    if count := m.info["flexes"]:
        notes.append(
            Unmodelled(Meaning.FLEX, f"flexible bodies are not part of the model: {count}")
        )
    if undrawn := left_out(m):
        notes.append(f"{undrawn} geoms not drawn: on the world, or of a kind without a picture")
    if m.info["weightless"]:
        notes.append("the file disables gravity: it is zero")
    for tag, words in m.unread.items():
        attributes = ", ".join(filter(None, words))
        notes.append(f"not read: {attributes + ' of ' if attributes else ''}<{tag}>")
    return notes
