"""Packages that only some need: each is brought by an extra, and named where it is missing."""

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
    """Modules of extras, or an error with the line that installs what is missing."""
    modules_of_extras = []
    for name in modules:
        try:
            modules_of_extras.append(import_module(name))
        except ImportError as problem:
            package = name.partition(".")[0]
            source = f'"visviva[{EXTRAS[package]}]"' if package in EXTRAS else package
            text = f"{task} needs {package}, which cannot be imported ({problem})"
            raise BackendError(f"{text}: pip install {source}") from None
    return modules_of_extras
