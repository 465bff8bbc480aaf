"""What MuJoCo may see: an MJCF file scanned first, its includes put in, its assets collected.

MuJoCo gets one text without includes, in which every file has a short made-up name, and the bytes
of those files; whatever the XML says, there is no path left that MuJoCo could open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from visviva.describe.files.mjcf.words import is_unread
from visviva.describe.files.xmlfile import MAX_BYTES, MAX_ELEMENTS, read_xml
from visviva.errors import ReadError

ASSET_BYTES = 512 * 2**20  # all assets of one model together
MAX_BODIES = 10_000  # of which a robot has some hundred, a crowded scene some thousand
INCLUDES = 500
DIRECTORY = {
    **dict.fromkeys(("mesh", "hfield", "skin", "flexcomp"), "meshdir"),
    "texture": "texturedir",
    "model": "",
}
MESHES = (".msh", ".obj", ".skn", ".stl", ".vtk")  # formats that name no further files
IMAGES = ("", ".bin", ".dat", ".hf", ".ktx", ".png")
ENDINGS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("mesh", "skin", "flexcomp"), MESHES),
    **dict.fromkeys(("hfield", "texture"), IMAGES),
    "model": (".mjcf", ".xml"),
}
CONTENT = (
    "image/ktx image/png image/vnd.mujoco.hfield image/vnd.mujoco.texture model/obj model/stl "
    "model/vnd.mujoco.msh text/xml"
).split()
NAMED = ("mesh", "hfield", "skin", "texture")  # called after their file unless they have a name
NUMERIC = frozenset(
    "anchor armature axis axisangle damping density diaginertia euler frictionloss fromto "
    "fullinertia gravity mass polycoef pos qpos quat range ref relpose scale shellinertia size "
    "springref stiffness vertex xyaxes zaxis".split()
)
POSITIVE = {"inertial": ("mass",), "geom": ("mass", "density")}


@dataclass(frozen=True)
class Bounds:
    """How much a model may be, all its files together."""

    size: int = MAX_BYTES
    elements: int = MAX_ELEMENTS
    bodies: int = MAX_BODIES

    def check_bodies(self, path: Path, count: int) -> None:
        """Refuse a file with more bodies than are accepted."""
        if count > self.bodies:
            raise ReadError(
                f"{path}: has {count} bodies; accepted: at most {self.bodies} (max_bodies=)"
            )


Unread = dict[str, dict[str, None]]


@dataclass
class Scan:
    """The text for MuJoCo, where each of its lines comes from, and the files it may use."""

    lines: list[str] = field(default_factory=list)
    origins: list[tuple[Path, int]] = field(default_factory=list)
    assets: dict[str, bytes] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)  # made-up name -> real file
    bounds: Bounds = field(default_factory=Bounds)
    notes: list[str] = field(default_factory=list)
    unread: Unread = field(default_factory=dict)  # words by their element, each once

    @property
    def text(self) -> str:
        """The text for MuJoCo, one element a line."""
        return "\n".join(self.lines)

    def place(self, line: int) -> str:
        """Where the user finds what MuJoCo calls a line."""
        if not 1 <= line <= len(self.origins):
            return ""
        path, number = self.origins[line - 1]
        return f"{path}, line {number}"


@dataclass(frozen=True)
class _Step:
    """An element that begins or ends, and the file it stands in."""

    element: Any
    path: Path
    opens: bool

    def __str__(self) -> str:
        return f"{self.path}, line {self.element.sourceline}, <{self.element.tag}>"


def scan(path: Path, roots: Sequence[Path] = (), bounds: Bounds | None = None) -> Scan:
    """Read a file and all it refers to; only files below its folder or the roots are opened."""
    scan = Scan(bounds=bounds or Bounds())
    allowed = (path.parent.resolve(), *(root.resolve() for root in roots))
    _scan(path, allowed, scan, depth=0)
    return scan


def _scan(path: Path, roots: tuple[Path, ...], out: Scan, depth: int) -> None:
    """Append the flat text of one model to `out`."""
    bounds = out.bounds
    document = read_xml(path, bounds.size, bounds.elements)
    root = document.root
    out.notes.extend(document.notes)
    if root.tag != "mujoco":
        hint = "; that is a URDF file" if root.tag == "robot" else ""
        raise ReadError(f"{path}: an MJCF file begins with <mujoco>, got <{root.tag}>{hint}")
    steps = _flat(root, path, path.parent.resolve(), roots, bounds)
    bounds.check_bodies(path, sum(s.opens and s.element.tag == "body" for s in steps))
    settings: dict[str, str] = {}
    for step in steps:
        if step.opens:
            _check(step, bounds)
            _note_unread(step.element, out.unread)
        if step.opens and step.element.tag == "compiler":
            given = dict(step.element.attrib)
            folder = given.get("assetdir")
            settings |= {} if folder is None else {"meshdir": folder, "texturedir": folder}
            settings |= given
    for step in steps:
        e, line = step.element, f"</{step.element.tag}>"
        if step.opens:
            attributes = _attributes(step, settings, path.parent.resolve(), roots, out, depth)
            words = [e.tag, *(f'{k}="{escape(v)}"' for k, v in attributes.items())]
            line = f"<{' '.join(words)}>"
        out.lines.append(line)
        out.origins.append((step.path, e.sourceline or 0))


def _flat(
    root: Any, path: Path, base: Path, roots: tuple[Path, ...], bounds: Bounds
) -> list[_Step]:
    """The steps through a tree, with what is included in place of the include."""
    steps: list[_Step] = []
    seen = {path.resolve()}
    todo = [_Step(root, path, True)]
    while todo:
        step = todo.pop()
        e = step.element
        if step.opens and e.tag == "include":
            target = _included(step, base, roots, seen)
            seen.add(target)
            inner = read_xml(target, bounds.size, bounds.elements).root
            todo.extend(_Step(child, target, True) for child in reversed(inner))
            continue
        steps.append(step)
        if step.opens:
            todo.append(_Step(e, step.path, False))
            todo.extend(_Step(child, step.path, True) for child in reversed(e))
        if len(steps) > 2 * bounds.elements:
            raise ReadError(
                f"{path}: has more than {bounds.elements} elements with its includes; "
                "max_elements= takes more"
            )
    return steps


def _included(step: _Step, base: Path, roots: tuple[Path, ...], seen: set[Path]) -> Path:
    """The file that an include means; as in MuJoCo each file can be included only once."""
    e, where = step.element, str(step)
    if list(e.attrib) != ["file"] or len(e):
        raise ReadError(f"{where}: takes the attribute file= only, got {sorted(e.attrib)}")
    target = _allowed(step, e.get("file"), "", base, roots)
    if len(seen) > INCLUDES:
        raise ReadError(f"{where}: more than {INCLUDES} files are included")
    if target in seen:
        raise ReadError(f"{where}: {target} is included a second time; each file only once")
    return target


def _whole(text: str) -> int:
    try:
        return int(float(text))
    except (ValueError, OverflowError):
        return 0  # MuJoCo says what it expects there


def _check(step: _Step, bounds: Bounds) -> None:
    """Refuse plugins, numbers that are none, and masses below zero."""
    e, where = step.element, str(step)
    if any("{" in name for name in (e.tag, *e.attrib)):
        raise ReadError(f"{where}: MJCF has no namespaces; remove them")
    if e.tag in ("plugin", "extension"):
        raise ReadError(f"{where}: plugins run code of their own and are not loaded; remove it")
    if e.tag == "replicate" and _whole(e.get("count", "")) > bounds.bodies:
        got = f"count is {e.get('count')}"
        raise ReadError(f"{where}: {got}; accepted: at most {bounds.bodies} (max_bodies=)")
    for key in NUMERIC & set(e.attrib):
        for word in e.get(key).split():
            try:
                x = float(word)
            except ValueError:
                continue  # MuJoCo says what it expects there
            if not math.isfinite(x):
                raise ReadError(f"{where}: {key}={e.get(key)!r} must be finite numbers")
            if x < 0 and key in POSITIVE.get(e.tag, ()):
                raise ReadError(f"{where}: {key} is {word}; it cannot be negative")


def _note_unread(element: Any, unread: Unread) -> None:
    """Keep what has no meaning here: an element's attributes, or its tag with none."""
    for word in ("", *element.attrib):
        if is_unread(element.tag, word):
            unread.setdefault(element.tag, {})[word] = None


def _attributes(
    step: _Step,
    settings: dict[str, str],
    base: Path,
    roots: tuple[Path, ...],
    out: Scan,
    depth: int,
) -> dict[str, str]:
    """The attributes with made-up file names; the files are added to the assets."""
    e, where = step.element, str(step)
    given = {k: str(v) for k, v in e.attrib.items()}
    if e.tag == "compiler":
        return {k: v for k, v in given.items() if not k.endswith("dir") and k != "strippath"}
    if given.get("content_type", CONTENT[0]) not in CONTENT:
        got = given["content_type"]
        raise ReadError(f"{where}: content_type {got!r} is not read (available: {CONTENT})")
    for key in [k for k in given if k.startswith("file")]:
        if e.tag not in DIRECTORY:
            raise ReadError(f"{where}: {key}= is not known here; files go to {sorted(DIRECTORY)}")
        name = given[key]
        if settings.get("strippath") == "true" and e.tag != "model":
            name = PureWindowsPath(name).name
        target = _allowed(step, name, settings.get(DIRECTORY[e.tag], ""), base, roots)
        if target.suffix.lower() not in ENDINGS[e.tag]:
            raise ReadError(f"{where}: files are {ENDINGS[e.tag]}, got {name!r}")
        if e.tag in NAMED and key == "file":
            given.setdefault("name", PurePosixPath(name.replace("\\", "/")).stem)
        given[key] = _asset(where, target, roots, out, depth)
    return given


def _asset(where: str, target: Path, roots: tuple[Path, ...], out: Scan, depth: int) -> str:
    """The made-up name of a file whose bytes are now among the assets."""
    for known, file in out.files.items():
        if file == target and known not in out.assets:  # still being read
            raise ReadError(f"{where}: the model {target} contains itself")
        if file == target:
            return known
    alias = f"file_{len(out.files)}{target.suffix.lower()}"
    out.files[alias] = target
    if target.suffix.lower() in ENDINGS["model"]:
        if depth > 5:
            raise ReadError(f"{where}: models inside models, more than 5 deep")
        inner = Scan(assets=out.assets, files=out.files, bounds=out.bounds, unread=out.unread)
        _scan(target, roots, inner, depth + 1)
        out.assets[alias] = inner.text.encode()
        return alias
    used = sum(map(len, out.assets.values()))
    size = target.stat().st_size
    if used + size > ASSET_BYTES:
        raise ReadError(f"{where}: {target} has {size} bytes; {ASSET_BYTES - used} are left")
    out.assets[alias] = target.read_bytes()
    return alias


def _allowed(step: _Step, name: str, folder: str, base: Path, roots: tuple[Path, ...]) -> Path:
    """The file that a reference means, if it may be read.

    As MuJoCo looks for it: below the folder of the main file and the one it states for such files,
    then beside the file that the element stands in.
    """
    for part in (name, folder):
        seen = PureWindowsPath(part)
        if seen.drive or seen.root or "\0" in part:
            raise ReadError(f"{step}: {part!r} is an absolute path; paths are relative to {base}")
    relative = PurePosixPath(name.replace("\\", "/"))
    places = (base / folder.replace("\\", "/") / relative, step.path.parent / relative)
    targets = [place.resolve() for place in places]
    target = next((x for x in targets if x.is_file()), None)
    outside = [
        x for x in ([target] if target else targets) if not any(map(x.is_relative_to, roots))
    ]
    if outside:
        listed = ", ".join(map(str, roots))
        raise ReadError(f"{step}: {name!r} is {outside[0]}, outside of {listed}; give roots=[...]")
    if target is None:
        raise ReadError(f"{step}: there is no file {' or '.join(map(str, dict.fromkeys(targets)))}")
    return target
