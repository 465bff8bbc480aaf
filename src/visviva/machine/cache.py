"""Compiled code on disk: a private folder of checksummed files.

A file is read only if the folder and the file belong to this user, nobody else may write to them,
and name and checksum are right; anything else counts as absent, is removed if it is ours, and is
built again. Files appear whole or not at all: they are written beside and then renamed, so several
processes may write at once and any of them may be killed.

`VISVIVA_CACHE` names another folder, or switches the cache off (`0`, `off` or empty).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

import visviva
from visviva.machine.cpu import host

MAGIC = b"visviva\x01"
LARGEST_FOLDER = 512 * 1024 * 1024  # bytes; beyond it the files unused for longest are removed
OURS = re.compile(r"[0-9a-f]{64}|\.new-\w+")
STALE_SECONDS = 3600  # an unfinished file older than this was left by a killed process


def name_of(kind: str, key: str) -> str:
    """The file name for a key: what is computed, by which visviva, for which machine."""
    text = json.dumps([kind, key, _fingerprint()])
    return hashlib.sha256(text.encode()).hexdigest()


def folder() -> Path | None:
    """The private folder, made if need be; None if there is none to be trusted."""
    setting = os.environ.get("VISVIVA_CACHE")
    if setting is not None and setting.lower() in ("", "0", "off"):
        return None
    path = Path(setting).expanduser() if setting else _default_folder()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path if _is_private(os.stat(path), stat.S_ISDIR) else None
    except OSError:
        return None


def read(name: str | None) -> tuple[dict[str, Any], bytes] | None:
    """The description and the code kept under a name, if they can be trusted."""
    home = folder()
    if home is None or name is None:
        return None
    path = home / name
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags)
        try:
            if not _is_private(os.fstat(descriptor), stat.S_ISREG):
                return None
            with open(descriptor, "rb", closefd=False) as file:
                content = file.read()
        finally:
            os.close(descriptor)
        entry = _decoded(name, content)
        if entry is None:
            path.unlink()
        else:
            os.utime(path)  # the age that matters is that of the last use
    except OSError:
        return None
    return entry


def write(name: str | None, description: dict[str, Any], code: bytes) -> None:
    """Keep the code; a full or read-only disk only means that nothing is kept."""
    home = folder()
    if home is None or name is None:
        return
    header = json.dumps({"name": name, **description}).encode()
    body = len(header).to_bytes(8, "little") + header + code
    with contextlib.suppress(OSError):
        _tidy(home)
        with tempfile.NamedTemporaryFile(dir=home, prefix=".new-", delete=False) as file:
            try:
                file.write(MAGIC + hashlib.sha256(body).digest() + body)
            except OSError:
                os.unlink(file.name)
                raise
        os.replace(file.name, home / name)


def _decoded(name: str, content: bytes) -> tuple[dict[str, Any], bytes] | None:
    start = len(MAGIC) + 32
    body = content[start:]
    checksum = hashlib.sha256(body).digest()
    if content[:start] != MAGIC + checksum or len(body) < 8:
        return None
    end = 8 + int.from_bytes(body[:8], "little")
    try:
        description = json.loads(body[8:end])
        return (description, body[end:]) if description["name"] == name else None
    except (ValueError, KeyError, TypeError):
        return None


def _is_private(status: os.stat_result, kind: Any) -> bool:
    if not kind(status.st_mode):
        return False
    if sys.platform == "win32":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _default_folder() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "visviva"


def _tidy(home: Path) -> None:
    """Remove what killed writers left, and the oldest files of an overfull folder.

    Only files with names of ours: the folder may have been the user's before.
    """
    files = []
    for path in home.iterdir():
        with contextlib.suppress(OSError):  # another process may have removed it
            if OURS.fullmatch(path.name) and path.is_file():
                files.append((path, path.stat()))
    total = sum(status.st_size for _, status in files)
    for path, status in sorted(files, key=lambda item: item[1].st_mtime):
        unfinished = path.name.startswith(".new-") and time.time() - status.st_mtime > STALE_SECONDS
        if unfinished or total > LARGEST_FOLDER:
            with contextlib.suppress(OSError):
                path.unlink()
                total -= status.st_size


@cache
def _fingerprint() -> list[str]:
    """Everything besides the key that machine code depends on.

    The sources count by size and time of change, so that an edited checkout never meets the code
    of its former self.
    """
    root = Path(visviva.__file__).parent
    states = [
        f"{path.relative_to(root)} {path.stat().st_size} {path.stat().st_mtime_ns}"
        for path in sorted(root.rglob("*.py"))
    ]
    sources = hashlib.sha256("\n".join(states).encode()).hexdigest()
    cpu = host()
    versions = [visviva.__version__, str(llvm.llvm_version_info)]
    return [*versions, sources, cpu.triple, cpu.name, cpu.features]
