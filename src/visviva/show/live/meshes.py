"""Mesh files of bodies, read from local folders; what is missing is noted, nothing is fetched."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.bodies.volume import MESH_BYTES
from visviva.describe.model.body import Visual
from visviva.errors import BackendError
from visviva.extras import require

SUFFIXES = (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf", ".off")


@dataclass(frozen=True, eq=False)
class Solid:
    """Triangles on a carrier of a scene, in its axes; a colour of the file that names it, or None.

    `own` is the mesh as it was read, with colours of its own.
    """

    carrier: int
    name: str
    vertices: Array
    faces: Array
    colour: tuple[int, int, int] | None
    opacity: float
    own: Any


def solids_of(model: Any) -> tuple[list[Solid], list[str]]:
    """The meshes of a model's bodies and base, and sentences on those that cannot be shown."""
    found: list[Solid] = []
    lost: dict[str, str] = {}
    known: dict[str, Any] = {}
    owners = [(0, model.base_name, model.base_visuals)]
    owners += [(k + 1, b.name, b.visuals) for k, b in enumerate(model.numeric.bodies)]
    for carrier, name, visuals in owners:
        for v in visuals:
            if v.kind != "mesh" or v.path in lost:
                continue
            if v.path not in known:
                try:
                    known[v.path] = read(v.path)
                except (OSError, ValueError, BackendError) as error:
                    lost[v.path] = str(error)
                    continue
            found.append(_placed(carrier, name, v, known[v.path]))
    return found, _told(lost)


def read(path: str) -> Any:
    """A mesh of trimesh, from a local file of a size that a browser takes."""
    (trimesh,) = require("a mesh file", "trimesh")
    if "://" in path or not os.path.isfile(path):
        raise OSError("there is no such file")
    if not path.lower().endswith(SUFFIXES):
        raise ValueError(f"it is none of {', '.join(SUFFIXES)}")
    if os.path.getsize(path) > MESH_BYTES:
        raise ValueError(f"it is larger than {MESH_BYTES // 1_000_000} MB")
    if path.lower().endswith(".dae"):
        require("a mesh file .dae", "collada")  # by which trimesh reads it
    try:
        mesh: Any = trimesh.load(path, force="mesh", process=False, allow_remote=False)
        if not len(mesh.vertices) or not len(mesh.faces):
            raise ValueError("it has no triangles")
    except Exception as error:  # readers of many formats, by many people
        raise ValueError(f"{type(error).__name__}: {error}") from None
    if not np.isfinite(mesh.vertices).all():
        raise ValueError("its points are not finite")
    return mesh


def _placed(carrier: int, name: str, v: Visual, mesh: Any) -> Solid:
    scale = np.array(v.size or (1.0, 1.0, 1.0), dtype=float)
    R, p = np.asarray(v.placement.R, dtype=float), np.asarray(v.placement.p, dtype=float)
    points = np.asarray(mesh.vertices, dtype=float) * scale @ R.T + p
    faces = np.asarray(mesh.faces)
    if np.prod(scale) < 0:  # mirrored: the other side is the outer one
        faces = faces[:, ::-1]
    if len(v.color) < 3:
        return Solid(carrier, name, points, faces, None, 1.0, mesh)
    r, g, b = (int(np.clip(255 * x, 0, 255)) for x in v.color[:3])
    opacity = float(v.color[3]) if len(v.color) > 3 else 1.0
    return Solid(carrier, name, points, faces, (r, g, b), opacity, mesh)


def _told(lost: dict[str, str]) -> list[str]:
    if not lost:
        return []
    path, why = next(iter(lost.items()))
    count = "one mesh is" if len(lost) == 1 else f"{len(lost)} meshes are"
    return [f"{count} not shown, {path!r}: {why}; simple shapes stand for what is missing"]
