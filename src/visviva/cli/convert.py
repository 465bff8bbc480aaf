"""`visviva convert`: a mechanism from one kind of file to another."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from visviva.cli.common import AsData, Mechanism, check_output, system_of, written
from visviva.cli.output import say, say_data
from visviva.errors import ArgumentError, VisvivaError, WriteError, check_known

SUFFIXES = {  # of the files that a format may be written to
    "urdf": (".urdf", ".xml"),
    "mjcf": (".mjcf", ".xml"),
    "toml": (".toml",),
    "dh": (".toml",),
}
PLAIN = {".urdf": "urdf", ".mjcf": "mjcf", ".toml": "toml"}  # a suffix that says enough
SAVED_AS = {"urdf": ".urdf", "mjcf": ".mjcf", "toml": ".toml", "dh": ".toml"}
CLOSE = 1e-9  # of the largest entry: rounding of angles on the way through a file
POSITIONS = 3
DIFFERENT = "different"
BODY_FRAMES = "frames of bodies lie as the table has them; named frames are where they were"


def convert(
    mechanism: Mechanism,
    out: Annotated[Path, typer.Argument(help="The file to write: .urdf, .xml, .mjcf or .toml.")],
    to: Annotated[
        str, typer.Option(help="urdf, mjcf, toml, or dh: a mechanism file with a DH table.")
    ] = "",
    convention: Annotated[
        str, typer.Option(help="Of the DH table: standard or modified; never guessed.")
    ] = "",
    lossy: Annotated[
        bool, typer.Option("--lossy", help="Leave out what the format cannot state, and list it.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Write over a file that is there.")
    ] = False,
    as_json: AsData = False,
) -> None:
    """From one kind of file to another: URDF, MJCF, TOML, DH tables; and what that changes.

    The file is read again and compared before it is left where it was asked for.

    \b
    Examples:
      visviva convert robot.urdf robot.toml
      visviva convert robot.urdf robot.xml --to mjcf
      visviva convert puma560 puma.toml --to dh --convention modified
    """
    kind = _kind(out, to, convention)
    check_output(out)
    if out.exists() and not force:
        raise ArgumentError(f"{out} is there already: --force writes over it")
    done = converted(system_of(mechanism), out, kind, convention, lossy)
    if as_json:
        say_data(done.as_dict())
    else:
        say(str(done))
        written(out)


@dataclass(frozen=True)
class Conversion:
    """What was written, what had to be said about it, and what reading it again showed."""

    name: str
    counts: str
    file: str
    format: str
    notes: tuple[str, ...]
    left_out: tuple[str, ...]
    again: str

    def __str__(self) -> str:
        said = [f"{self.name}: {self.counts}"]
        said += [f"note: {x}" for x in self.notes]
        said += [f"left out: {x}" for x in self.left_out]
        return "\n".join([*said, f"read again: {self.again}"])

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {k: getattr(self, k) for k in self.__dataclass_fields__}


def converted(system: Any, out: Path, kind: str, convention: str, lossy: bool) -> Conversion:
    """Write a system, read it again, compare, and only then put the file in its place."""
    from visviva.describe.load import LEFT_OUT, load, remarks, save

    options: dict[str, Any] = {"dh": convention} if convention else {}
    if lossy and len(getattr(system, "bodies", ())):
        options["lossy"] = True
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".visviva") as folder:
        draft = Path(folder, f"draft{SAVED_AS[kind]}")
        try:
            save(system, draft, **options)
        except (ArgumentError, WriteError) as error:
            raise type(error)(str(error).replace("lossy=True", "--lossy")) from None
        text = draft.read_text(encoding="utf-8")
        try:
            again = _compared(system, load(draft), text, kind == "dh")
        except VisvivaError as error:
            again = f"not done: {error}"
        if again.startswith(DIFFERENT):
            raise WriteError(f"{out} is not written, for read again it is {again}")
        os.replace(draft, out)
    counts = f"{len(getattr(system, 'bodies', ()))} bodies, {system.nq} coordinates"
    notes = (*getattr(system, "notes", ()), *_values_put_in(system, kind))
    notes += (BODY_FRAMES,) if kind == "dh" else ()
    notes += tuple(f"{what}: {said}" for what, said in remarks(text) if what != LEFT_OUT)
    lost = tuple(said for what, said in remarks(text) if what == LEFT_OUT)
    return Conversion(system.name, counts, str(out), kind, notes, lost, again)


def _kind(out: Path, to: str, convention: str) -> str:
    """The format that was asked for, by --to or by the suffix; contradictions are refused."""
    suffix = out.suffix.lower()
    if to:
        check_known("format", to, SUFFIXES)
    elif suffix == ".xml":
        raise ArgumentError(f"{out} may be URDF or MJCF: --to urdf or --to mjcf says which")
    elif suffix not in PLAIN:
        known = ", ".join([*PLAIN, ".xml"])
        raise ArgumentError(f"the suffix of {out} is none of {known}")
    kind = to or ("dh" if convention else PLAIN[suffix])
    if suffix not in SUFFIXES[kind]:
        wanted = " or ".join(SUFFIXES[kind])
        raise ArgumentError(f"a file of format {kind} ends in {wanted}, not as {out.name!r} does")
    if kind == "dh" and not convention:
        raise ArgumentError("--convention standard or modified: a DH table is never guessed")
    if kind != "dh" and convention:
        raise ArgumentError(f"--convention is for --to dh, not for {kind}")
    return kind


def _values_put_in(system: Any, kind: str) -> list[str]:
    """Names of parameters that a format has no place for."""
    if kind == "toml" or not system.parameters:
        return []
    names = ", ".join(system.parameters)
    return [f"parameters have no names in this format, their values are put in: {names}"]


def _compared(system: Any, again: Any, text: str, is_table: bool) -> str:
    """Whether the file states the same mechanism, in words."""
    from visviva.describe.load import mechanism_text

    if mechanism_text(again) == text:
        return "the same, to the last digit"
    names = set(system.joint_names)
    if names != set(again.joint_names):
        return f"its joints are {', '.join(again.joint_names)}: not compared with those that were"
    apart, frames = _apart(system.numeric, again.numeric, is_table)
    if apart > CLOSE:
        return f"{DIFFERENT}, masses or frames by {apart:.2g} of their size"
    moved = "" if system.joint_names == again.joint_names else "; its joints have another order"
    return f"the same masses and {frames} frames at random positions, to {apart:.1g}{moved}"


def _apart(m: Any, again: Any, is_table: bool) -> tuple[float, int]:
    """The largest difference, of the whole inertia and of frames that both have; how many.

    Frames of another DH table are not those of this one.
    """
    import numpy as np

    from visviva.describe.model.compare import world_inertia

    def seen(model: Any, q: Any, frames: list[str]) -> list[Any]:
        bodies = zip(model.bodies, model.body_poses(q), strict=True)
        inertia = sum((world_inertia(b.inertia, X) for b, X in bodies), np.zeros((6, 6)))
        return [inertia, *(model.frame_pose(name, q).matrix() for name in frames)]

    both = {f.name for f in m.frames} & {f.name for f in again.frames}
    frames = [x for x in both if not (is_table and re.fullmatch(r"dh\d+", x))]
    largest, rng = 0.0, np.random.default_rng(0)
    for _ in range(POSITIONS):
        q = m.random(rng)
        there = again.q({joint: q[place] for joint, (place, _) in m.joint_slices.items()})
        for one, other in zip(seen(m, q, frames), seen(again, there, frames), strict=True):
            largest = max(largest, float(np.abs(one - other).max() / max(1.0, np.abs(one).max())))
    return largest, len(frames)
