"""Mesh files, read by trimesh: their size, unpacked, is looked at before anything is parsed."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from typing import Any

from visviva.errors import ArgumentError, BackendError

MESH_BYTES = 100_000_000  # meshes of robots have a hundredth of that
ZIPPED = (".zip", ".3mf")
PACKED = (".gz", ".tgz", ".tar", ".bz2", ".xz", ".7z")


def load_mesh(path: str, max_bytes: int = MESH_BYTES) -> Any:
    """A trimesh, from a file that has at most `max_bytes`, also when unpacked."""
    try:
        import trimesh
    except ImportError:
        raise BackendError("reading mesh files needs trimesh: pip install trimesh") from None
    ending = os.path.splitext(path)[1].lower()
    if ending in PACKED:
        raise ArgumentError(f"{path}: is packed; accepted: a mesh file, or one in a .zip")
    try:
        _bound(path, os.path.getsize(path), "bytes", max_bytes)
        if ending in ZIPPED:
            with zipfile.ZipFile(path) as archive:
                unpacked = sum(item.file_size for item in archive.infolist())
            _bound(path, unpacked, "bytes when unpacked", max_bytes)
    except OSError as error:
        raise ArgumentError(f"cannot read the mesh {path}: {error.strerror}") from None
    except zipfile.BadZipFile as error:
        raise ArgumentError(f"cannot read the mesh {path}: {error}") from None
    loader: Callable[..., Any] = trimesh.load
    try:
        return loader(path, force="mesh")
    except Exception as error:  # trimesh's readers raise whatever the file makes them
        raise ArgumentError(f"cannot read the mesh {path}: {error}") from None


def _bound(path: str, size: int, what: str, limit: int) -> None:
    if size > limit:
        raise ArgumentError(f"{path}: has {size} {what}; accepted: at most {limit} (max_bytes=)")
