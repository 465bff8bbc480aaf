"""What a URDF draws, and where its mesh files are. Files are looked for, never opened.

A mesh is looked for only below folders that the caller vouches for: `packages`, the folder of the
file, and the package that the file lies in (a folder above it that has the package's name, or the
nearest one with a package.xml). Where the file is reached by a link, those of the place that the
link leads to count, too. A path that leaves them is noted and left as it is.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from visviva.describe.files.urdf.parts import Context
from visviva.describe.model.body import Visual

URDF_SHAPES = ("mesh", "box", "cylinder", "sphere")


class Meshes:
    """Finds mesh files; remembers those it did not find."""

    def __init__(self, file: str | None, packages: Sequence[str | os.PathLike[str]]) -> None:
        self.packages = [os.path.abspath(p) for p in packages]
        ways = (
            [] if file is None else [_above(os.path.abspath(file)), _above(os.path.realpath(file))]
        )
        self.folder = [*dict.fromkeys(way[0] for way in ways)]
        self.above = [*dict.fromkeys(p for way in ways for p in way)]
        homes = [[p for p in way if os.path.isfile(os.path.join(p, "package.xml"))] for way in ways]
        self.roots = [*self.folder, *self.packages, *(p for home in homes for p in home[:1])]
        self.paths: dict[str, str] = {}
        self.missing: list[str] = []
        self.outside: list[str] = []

    def locate(self, uri: str) -> str:
        """The path of an existing file, or the text as it was."""
        if uri not in self.paths:
            allowed = self._candidates(uri)
            existing = [p for p in allowed if os.path.isfile(p)]
            if not existing:
                (self.missing if allowed else self.outside).append(uri)
            self.paths[uri] = existing[0] if existing else uri
        return self.paths[uri]

    def notes(self) -> list[str]:
        """Sentences on the mesh files that were not found."""
        notes = []
        if self.missing:
            notes.append(
                f"{len(self.missing)} mesh files do not exist, the first is {self.missing[0]!r}; "
                "packages=[...] says where packages are"
            )
        if self.outside:
            notes.append(
                f"{len(self.outside)} mesh files were not looked for, the first is "
                f"{self.outside[0]!r}: it is not below the file's folder or package, nor below "
                "packages=[...]"
            )
        return notes

    def _candidates(self, uri: str) -> list[str]:
        scheme, mark, rest = uri.partition("://")
        if not mark or scheme == "file":
            return self._below([*self.folder, *self.packages], rest if mark else uri)
        if scheme != "package":
            return []
        name, _, rest = rest.lstrip("/").partition("/")  # package:///name occurs too
        if name in ("", ".", ".."):
            return []
        tops = [os.path.join(p, name) for p in self.packages]
        tops += [p for p in (*self.packages, *self.above) if os.path.basename(p) == name]
        return [p for top in tops for p in [_joined(top, rest)] if _is_below(p, top)]

    def _below(self, folders: list[str], path: str) -> list[str]:
        tried = [_joined(folder, path) for folder in folders]
        return [p for p in tried if any(_is_below(p, root) for root in self.roots)]


def _above(file: str) -> list[str]:
    """The folders that a file is in, the nearest first."""
    return [str(p) for p in Path(file).parents]


def _joined(folder: str, path: str) -> str:
    return os.path.normpath(os.path.join(folder, path))


def _is_below(path: str, root: str) -> bool:
    return path.startswith(root.rstrip(os.sep) + os.sep)


def visual(at: Context, element: Any, meshes: Meshes | None) -> Visual | None:
    """A <visual>; None for what cannot be drawn, and for meshes when they are not wanted."""
    parts = at.parts(element, ("origin", "geometry", "material"))
    geometry = parts.get("geometry")
    shapes = {} if geometry is None else at.parts(geometry, URDF_SHAPES)
    if not shapes:
        at.ignore(element)
        return None
    kind, shape = next(iter(shapes.items()))
    placement = at.pose(parts.get("origin"))
    color = _color(at, parts.get("material"))
    doc = at.doc
    if kind == "mesh":
        if meshes is None:
            return None
        scale = doc.numbers(shape, "scale", 3, (1.0, 1.0, 1.0))
        path = meshes.locate(doc.required(shape, "filename"))
        return Visual("mesh", placement, scale, path, color)
    lengths = ("radius", "length") if kind == "cylinder" else ("radius",)
    box = kind == "box"
    size = doc.numbers(shape, "size", 3) if box else tuple(doc.number(shape, k) for k in lengths)
    return Visual(kind, placement, size, "", color)


def _color(at: Context, material: Any) -> tuple[float, ...]:
    """The colour of a <material>, its own or that of the first one of its name in the file."""
    color = None if material is None else material.find("color")
    if material is not None and color is None:
        color = at.colors.get(material.get("name"))
    return () if color is None else at.doc.numbers(color, "rgba", 4)
