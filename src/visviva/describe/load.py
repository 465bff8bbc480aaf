"""`load` and `save`: mechanisms from and to files, by what the file is."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visviva.describe import catalog
from visviva.describe.catalog.kinds import python_line
from visviva.describe.files.descriptions import description, is_description
from visviva.describe.files.mjcf.read import load_mjcf
from visviva.describe.files.mjcf.write import to_mjcf
from visviva.describe.files.options import check_count
from visviva.describe.files.toml.dh import to_dh_toml
from visviva.describe.files.toml.read import load_toml
from visviva.describe.files.toml.write import to_toml
from visviva.describe.files.urdf.read import load_urdf
from visviva.describe.files.urdf.write import to_urdf
from visviva.describe.files.xmlfile import MAX_BYTES, root_tag
from visviva.describe.model.model import Model
from visviva.describe.model.orders import depth_first
from visviva.describe.quantities import BODIES
from visviva.describe.system import System
from visviva.errors import (
    ArgumentError,
    ReadError,
    UnknownNameError,
    VisvivaError,
    WriteError,
    check_known,
    path_of,
)
from visviva.foreign import explained

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from visviva.describe.energies.lagrangian import Lagrangian

ACCEPTED = ".urdf, .xml (MJCF or URDF) and .toml (a mechanism file)"
LEFT_OUT = "left out"
REMARKS = (LEFT_OUT, "renamed", "added")  # that writers of XML make
AS_READ = "as it was read, "
FREE = ('base="free"', 'base="fixed"')  # where the option is true, and where it is false
THEIRS = dict.fromkeys(("floating_base", "free_flyer", "free_base", "root_joint"), FREE)
THEIRS |= dict.fromkeys(("free", "floating", "is_floating"), FREE) | {"fixed_base": FREE[::-1]}
THEIRS |= dict.fromkeys(("package_dirs", "mesh_dir"), ("packages={value}",) * 2)


def _to_toml(model: Model, *, lossy: bool = False, dh: str = "") -> str:
    """A mechanism file; with `dh`, a convention, its bodies are the rows of a DH table."""
    return to_dh_toml(model, dh, lossy=lossy) if dh else to_toml(model, lossy=lossy)


WRITERS: dict[str, Callable[..., str]] = {
    ".urdf": to_urdf,
    ".xml": to_mjcf,
    ".mjcf": to_mjcf,
    ".toml": _to_toml,
}


@explained
def load(
    path: str | os.PathLike[str], *, gravity: ArrayLike | None = None, **options: Any
) -> Model | Lagrangian:
    """A mechanism from a URDF, an MJCF or a TOML mechanism file: a `Model`.

    A TOML file with a `[lagrangian]` table gives a `Lagrangian`. A name as "panda_description" is a
    robot of robot_descriptions, where that is installed.

    `model.notes` lists all that was merged, cleaned, ignored or found suspicious. Options go to the
    reader: `base="free"` or the `Pose` at which it is fixed, `mimic="expand"`, `snap=0` and
    `packages=[...]` for URDF, `roots=[...]` for MJCF. `gravity=[x, y, z]` takes the place of what
    the file states, and of (0, 0, -9.81) where it states none.
    """
    if other := [x for x in ("fixed", "locked", "lock", "reduced", "fixed_joints") if x in options]:
        joints = options[other[0]]
        said = ", ".join(f"{x!r}: 0.0" for x in ([joints] if isinstance(joints, str) else joints))
        line = f"vv.load({str(path)!r}).locked({{{said}}})"
        raise ArgumentError(f"load has no option {other[0]!r}", cure=line)
    for name, ours in THEIRS.items():
        if name in options:
            x = options[name] if isinstance(options[name], (list, tuple)) else [options[name]]
            option = ours[not options[name]].format(value=[*map(str, x)])
            line = f"vv.load({str(path)!r}, {option})"
            raise ArgumentError(f"load has no option {name!r}", cure=line)
    if is_description(path) and not Path(path).exists():
        robot = description(str(path))
        path = Path(robot.file)
        if path.suffix.lower() == ".urdf":
            options.setdefault("packages", robot.packages)
    _check_there(path)
    model = _loaded(_file("load", path), options)
    if gravity is not None and model.stated != BODIES:
        raise ArgumentError("gravity= is for bodies; a Lagrangian states its own energies")
    model = model if gravity is None else model.with_gravity(gravity)
    mechanism: Model | Lagrangian
    mechanism = _tried(model) if model.stated == BODIES and model.held_by else model
    return mechanism


def _tried(model: Model) -> Model:
    """A mechanism with loops, and with a note where they do not close."""
    before = [x for x in model.notes if not x.startswith(AS_READ)]  # a file may have that of once
    is_read = all(x.is_read for x in model.constraints)  # of others no rows are known
    said = model._why_not_closed() if is_read else ""
    notes = (*before, *([AS_READ + said] if said else []))
    return model if notes == model.notes else replace(model, notes=notes)


def _check_there(path: Any) -> None:
    """What is no file may be an address, a mechanism of the catalog, or misspelt."""
    name = str(path)
    if re.match(r"[a-z]+://", name):
        download = f"urllib.request.urlretrieve({name!r}, 'robot.urdf')[0]"
        line = f"import urllib.request; model = vv.load({download})"
        raise ReadError(f"{name}: load reads files", cure=line)
    file = _file("load", path)
    others: list[str] = []
    try:
        if file.exists():
            return
        if file.parent.is_dir():
            others = [x.name for x in file.parent.iterdir()]
    except OSError as error:  # a folder that is not ours to look into, a name that is too long
        why = f"{error.strerror} ({file.parent!s:.120})"
        raise ReadError(f"{name:.120}: cannot be looked for: {why}; accepted: a file") from None
    if name in catalog.names():
        raise ReadError(f"{name}: there is no such file", cure=f"vv.catalog.{name}()")
    if close := get_close_matches(file.name, others, n=1, cutoff=0.75):
        there = str(file.with_name(close[0]))
        raise ReadError(f"{name}: there is no such file; did you mean {there!r}?")


def _loaded(file: Path, options: dict[str, Any]) -> Any:
    suffix = file.suffix.lower()
    if suffix in (".npz", ".nc", ".csv", ".run"):
        line = f"vv.load_trajectory({str(file)!r})"
        raise ReadError(f"{file}: load reads {ACCEPTED}, a motion is none of them", cure=line)
    if file.is_dir():
        raise ReadError(f"{file}: is a folder; load reads {ACCEPTED}")
    if suffix in (".urdf", ".xacro"):
        return _read("a URDF", load_urdf, file, options)
    if suffix == ".toml":
        return _read("a mechanism file", load_toml, file, options)
    if suffix in (".xml", ".mjcf"):
        check_count("max_bytes", limit := options.get("max_bytes", MAX_BYTES))
        if root_tag(file, limit) == "robot":
            return _read("a URDF", load_urdf, file, options)
        return _read("MJCF", load_mjcf, file, options)
    raise ReadError(f"{file}: load reads {ACCEPTED}, not {suffix or 'a file without a suffix'!r}")


_MOVED = "<freejoint/> in the <body> of MJCF, joint = 'free' of the [[body]] of a mechanism file"
_STOOD = (
    'vv.Builder("stand", gravity=(m := vv.load({!r})).numeric.gravity).build()'
    '.attached(m, "world", vv.Pose(p=[0, 0, 1]))'
)


def _read(kind: str, reader: Callable[..., Any], file: Path, options: dict[str, Any]) -> Any:
    known = [*signature(reader).parameters][1:]
    for name in options:
        if name not in known:
            if name == "base":
                problem, cure = f"base= is for a URDF, this is {kind}", _STOOD.format(str(file))
                if isinstance(options[name], str):
                    problem, cure = f"{problem}; in the file it is {_MOVED}", ""
                raise ArgumentError(problem, cure=cure)
            raise UnknownNameError(f"option for {kind}", name, ["gravity", *known])
        if name.startswith("max_"):
            check_count(name, options[name])
    return reader(file, **options)


def mechanism_text(system: Any) -> str:
    """The text of a mechanism file (TOML) that states a system, of bodies or of energies."""
    if system.stated == BODIES:
        return to_toml(system)
    from visviva.describe.files.toml.lagrangian import lagrangian_to_toml

    return lagrangian_to_toml(system)


def python_text(system: Any) -> str:
    """Python lines after which `model` is this system; "" of what no text can state."""
    if line := python_line(system):
        return f"import visviva as vv\n\nmodel = {line}"
    try:
        if system.stated != BODIES:
            from visviva.describe.files.toml.lagrangian import lagrangian_to_python

            return f"import visviva as vv\n\nmodel = {lagrangian_to_python(system)}"
        rows = "".join(f"    {line!r}\n" for line in to_toml(system).splitlines(keepends=True))
    except VisvivaError:
        return ""
    return _FROM_TEXT.format(rows=rows)


_FROM_TEXT = """\
import tempfile
from pathlib import Path

import visviva as vv

text = (
{rows})
file = Path(tempfile.mkdtemp()) / "model.toml"
file.write_text(text, encoding="utf-8")
model = vv.load(file)"""


@explained
def save(model: System, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a model as URDF, MJCF (.xml) or TOML; a Lagrangian as TOML.

    What the format cannot state is refused by name; `lossy=True` leaves it out and lists it, in a
    warning and in a comment of the file. `dh="standard"` or "modified" makes the bodies of a serial
    arm, in TOML, the rows of a DH table. Bodies without mass become joints of the next one in MJCF.
    URDF and MJCF go through a tree depth first; if a model does not, that its joints will have
    another order is a warning: positions go by name from one file to another.
    """
    file = _file("save", path)
    suffix = file.suffix.lower()
    if not isinstance(model, System):
        way = "; it has save(path) itself" if hasattr(model, "save") else ""
        kind = type(model).__name__
        raise ArgumentError(f"save writes a Model or a Lagrangian, got {kind}{way}")
    if suffix not in WRITERS:
        raise ArgumentError(f"save writes .urdf, .xml (MJCF) and .toml, not {file.suffix!r}")
    system: Any = model
    if system.stated == BODIES:
        known = [*signature(WRITERS[suffix]).parameters][1:]
        for name in options:
            check_known(f"option of save for {suffix}", name, known)
        text = WRITERS[suffix](model, **options)
    elif suffix != ".toml" or options:
        asked = f"{', '.join(options)}=" if options else file.suffix
        raise ArgumentError(f"save writes a Lagrangian as .toml, without options; got {asked!r}")
    else:
        text = mechanism_text(model)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        bad = error.object[error.start : error.end]
        raise ArgumentError(f"a name of {system.name!r} cannot stand in a file: {bad!r}") from None
    try:
        file.write_bytes(data)
    except OSError as error:
        why = error.strerror if file.parent.is_dir() else f"there is no folder {file.parent}"
        raise WriteError(f"{file}: cannot be written: {why}; accepted: a file") from None
    if options.get("lossy"):
        _warn_of_losses(text, file)
    if system.stated == BODIES and suffix != ".toml":
        _warn_of_order(system, file)


def remarks(text: str) -> list[tuple[str, str]]:
    """What a writer says in comments at the head of a file: left out, and what; and so on."""
    if lines := re.match(r"(?:# left out: .*\n)+", text):
        return [(LEFT_OUT, said) for said in re.findall("# left out: (.*)", lines[0])]
    comments = re.findall(r"<!-- ([a-z ]+): (.*?) -->", text, re.DOTALL)
    return [(what, x) for what, said in comments if what in REMARKS for x in said.split("; ")]


def _warn_of_losses(text: str, file: Path) -> None:
    """Say what the file does not state of the model."""
    if lost := [said for what, said in remarks(text) if what == LEFT_OUT]:
        warnings.warn(f"{file}: left out: {'; '.join(lost)}", UserWarning, stacklevel=4)


def _warn_of_order(model: Model, file: Path) -> None:
    """Say that q of the file will have another order."""
    order = depth_first(model.bodies)
    if order == sorted(order):
        return
    free = [model.bodies[i] for i in order]
    names = [b.joint_name for b in free if b.mimic is None]
    if (*names,) != model.joint_names:
        warnings.warn(
            f"{file}: the file goes through the tree depth first, so joints read from it are in "
            f"the order {', '.join(names)}; positions of this model go by name, "
            "{name: q[part] for name, (part, _) in model.joint_slices.items()}",
            UserWarning,
            stacklevel=4,
        )


def _file(verb: str, path: Any) -> Path:
    file = path_of(verb, path)
    if isinstance(path, str) and ("\n" in path or path.lstrip().startswith("<")):
        raise ArgumentError(
            f"{verb} takes the path of a file, got a text of {len(path)} characters; written to a "
            'file first it is read: Path("robot.urdf").write_text(text), or .xml, .toml'
        )
    return file
