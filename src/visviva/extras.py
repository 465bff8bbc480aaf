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
    "mujoco": "mjcf",
    "pandas": "data",
    "plotly": "plot",
    "trimesh": "mesh",
    "typer": "cli",
    "viser": "view",
    "websockets": "view",
    "xarray": "data",
}


def require(asked: str, *modules: str) -> list[Any]:
    """Modules of extras, or an error with the line that installs what is missing."""
    found = []
    for name in modules:
        try:
            found.append(import_module(name))
        except ImportError as problem:
            raise missing_package(asked, name, str(problem)) from None
    return found


def missing_package(asked: str, module: str, problem: str) -> BackendError:
    """The error of who asked for something that needs a module which is not there."""
    package = module.partition(".")[0]
    source = f'"visviva[{EXTRAS[package]}]"' if package in EXTRAS else package
    text = f"{asked} needs {package}, which cannot be imported ({problem}): pip install {source}"
    return BackendError(text)
