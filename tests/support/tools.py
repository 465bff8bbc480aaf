"""Programs that some tests want, and what a program of ours must know to import the tests'."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def importing():
    """The environment of a process that imports `tests.support`."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def require(program, package):
    """Where a program is: absent, its tests skip on a user's machine and fail in CI."""
    path = shutil.which(program)
    if path is None:
        message = f"this test needs {program!r} (Debian package {package})"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return path


def in_doubles():
    """JAX, imported where it is needed, since that takes a second; it computes with doubles."""
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax
