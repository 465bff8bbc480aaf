"""What machine code depends on besides the program's name: the tools that made it.

Sources of our own count by their contents, the libraries that programs are derived with by their
versions. A process whose sources were edited after it began runs code that is no longer on disk: it
has no fingerprint, and keeps nothing.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import time
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

import llvmlite
import llvmlite.binding as llvm
import numpy as np

import visviva
from visviva.machine.code.cpu import host

BEGAN = time.time_ns()
ROOT = os.path.dirname(visviva.__file__)
SUFFIXES = (".py", ".pyc", ".so", ".pyd")


@cache
def fingerprint() -> tuple[str, ...] | None:
    """Everything besides the key that machine code depends on; None if that is not known."""
    sources = _sources(ROOT)
    if sources is None or is_edited():
        return None
    cpu = host()
    return (
        visviva.__version__,
        sources,
        platform.python_implementation() + sys.version,
        *_libraries(),
        f"{platform.libc_ver()} {llvm.llvm_version_info}",
        cpu.triple,
        cpu.name,
        cpu.features,
    )


def is_edited() -> bool:
    """Whether a source is newer than this process, which may run what it was before."""
    if time.time_ns() < BEGAN:  # nothing is newer than what is still to come
        return False
    return any(changed >= BEGAN for _, changed in _files(ROOT))


def _sources(root: str) -> str | None:
    """A digest of the contents of all our files; None if there are none to be read."""
    total, count = hashlib.sha256(), 0
    for path, _ in _files(root):
        with open(path, "rb") as file:
            content = file.read()
        name = os.path.relpath(path, root).encode("utf-8", "surrogateescape")
        for part in (name, content):
            total.update(len(part).to_bytes(8, "little") + part)
        count += 1
    return total.hexdigest() if count else None


def _files(folder: str) -> Iterator[tuple[str, int]]:
    """Paths and times of change, in order; no tool can set the time of a change back."""
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:  # in an archive, say
        return
    for entry in entries:
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _files(entry.path)
        elif entry.name.endswith(SUFFIXES):
            status = entry.stat()
            yield entry.path, max(status.st_mtime_ns, status.st_ctime_ns)


def _libraries() -> Iterator[str]:
    """Versions of what derives and folds; SymPy and FLINT are looked up without importing them."""
    yield f"numpy {np.__version__}, llvmlite {llvmlite.__version__}"
    for package, holds_version in (("sympy", "release.py"), ("flint", "__init__.py")):
        spec = find_spec(package)
        places = (spec.submodule_search_locations or []) if spec is not None else []
        for place in places:
            with open(os.path.join(place, holds_version), "rb") as file:
                yield hashlib.sha256(file.read()).hexdigest()
