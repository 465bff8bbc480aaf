"""Packages that only some tasks need, and the extras of visviva that install them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from visviva.errors import BackendError

EXTRAS = {  # by package, as it is imported: the extra that brings it
    "collada": "mesh",
    "gymnasium": "learn",
    "h5netcdf": "data",
    "h5py": "data",
    "jax": "jax",
    "mujoco": "mjcf",
    "pandas": "data",
    "plotly": "plot",
    "pyarrow": "logs",
    "rosbags": "logs",
    "torch": "torch",
    "trimesh": "mesh",
    "typer": "cli",
    "viser": "view",
    "websockets": "view",
    "xarray": "data",
}


def require(task: str, *modules: str) -> list[Any]:
    """Import modules for a task; where one is missing, the error has the line that installs it."""
    imported_modules = []
    for name in modules:
        try:
            imported_modules.append(import_module(name))
        except ImportError as problem:
            package = name.partition(".")[0]
            source = f'"visviva[{EXTRAS[package]}]"' if package in EXTRAS else package
            text = f"{task} needs {package}, which cannot be imported ({problem})"
            raise BackendError(f"{text}: pip install {source}") from None
    return imported_modules
