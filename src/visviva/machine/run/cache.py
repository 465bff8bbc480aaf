"""Compiled code on disk: a private folder of sealed files.

A file is read only if the folder and the file belong to this user, nobody else may write to them,
and it carries the seal of this user's secret, which is kept elsewhere; anything else counts as
absent and is built again. Files appear whole or not at all: they are written beside and then
renamed, so several processes may write at once and any of them may be killed.

`VISVIVA_CACHE` names another folder, or switches the cache off (`0`, `off` or empty).
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import re
import stat
import sys
import tempfile
import time
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from visviva.machine.code.cpu import is_plain
from visviva.machine.run import fingerprint

MAGIC = b"visviva\x02"
LARGEST_FOLDER = 512 * 1024 * 1024  # bytes; beyond it the files unused for longest are removed
FILE_NAMES = re.compile(r"[0-9a-f]{64}|\.visviva-new-\w+")
NEW = ".visviva-new-"
_PARTS = 32  # of the largest folder this part is written before it is looked through again
STALE_SECONDS = 3600  # an unfinished file older than this was left by a killed process
SECRET_BYTES = 32
WRITING = stat.S_IWGRP | stat.S_IWOTH  # by others
ANY_RIGHT = stat.S_IRWXG | stat.S_IRWXO
OFF = ("", "0", "off")
_sizes: dict[Path, tuple[int, int]] = {}  # of folders when tidied, and bytes written since


def name_of(kind: str, key: str) -> str | None:
    """The file name for a key: what is computed, by which visviva, for which machine."""
    tools = fingerprint.fingerprint()
    if tools is None:
        return None
    return hashlib.sha256(json.dumps([kind, key, tools]).encode()).hexdigest()


def folder() -> Path | None:
    """The private folder, made if need be; None if there is none to be trusted."""
    setting = os.environ.get("VISVIVA_CACHE")
    if is_plain() or (setting is not None and setting.lower() in OFF):
        return None
    try:
        path = Path(setting).expanduser() if setting else _default_folder()
        return _private_folder(path)
    except (OSError, RuntimeError) as problem:  # RuntimeError: nobody's home
        _warn(str(problem), "VISVIVA_CACHE=/a/private/folder")
        return None


def read(name: str | None) -> tuple[dict[str, Any], bytes] | None:
    """The description and the code kept under a name, if they can be trusted."""
    home, key = _home()
    if home is None or key is None or name is None:
        return None
    path = home / name
    with contextlib.suppress(OSError):
        entry = _decoded(name, key, _content(path, WRITING))
        if entry is not None:
            os.utime(path)  # the age that matters is that of the last use
        return entry
    return None


def write(name: str | None, description: dict[str, Any], code: bytes) -> None:
    """Keep the code; a full or read-only disk only means that nothing is kept."""
    home, key = _home()
    if home is None or key is None or name is None or fingerprint.is_edited():
        return
    content = sealed(name, key, description, code)
    with contextlib.suppress(OSError):
        _kept_in_order(home, len(content))
        _put(home, name, content, os.replace)


def sealed(name: str, key: bytes, description: dict[str, Any], code: bytes) -> bytes:
    """The content of a file: our mark, a seal of what follows, a description, the code."""
    header = json.dumps({"name": name, **description}).encode()
    body = len(header).to_bytes(8, "little") + header + code
    return MAGIC + hmac.digest(key, body, "sha256") + body


def secret() -> bytes | None:
    """This user's secret, made if need be; None if there is no place for one.

    It is not kept in the cache's folder: a folder that was restored or copied from elsewhere comes
    without it, and is not trusted.
    """
    try:
        home = _private_folder(_secret_folder())
        with contextlib.suppress(FileNotFoundError):
            kept = _content(home / "secret", ANY_RIGHT)
            if len(kept) == SECRET_BYTES:
                return kept
            os.unlink(home / "secret")  # cut off when the machine stopped, say
        with contextlib.suppress(FileExistsError):  # another process was faster
            _put(home, "secret", os.urandom(SECRET_BYTES), _linked)
        return _content(home / "secret", ANY_RIGHT)
    except (OSError, RuntimeError) as problem:
        _warn(str(problem), "XDG_STATE_HOME=/a/private/folder")
        return None


def _home() -> tuple[Path | None, bytes | None]:
    """The folder and the secret, if there are both."""
    home = folder()
    return home, None if home is None else secret()


def _put(home: Path, name: str, content: bytes, place: Any) -> None:
    """A file that is there as a whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=home, prefix=NEW, delete=False) as file:
        try:
            file.write(content)
            file.close()
            place(file.name, home / name)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(file.name)
            raise


def _linked(new: str, path: Path) -> None:
    """Put a file in its place unless there is one."""
    if hasattr(os, "link"):
        os.link(new, path)
        os.unlink(new)
    else:
        os.rename(new, path)  # as Windows does it


def _content(path: Path, forbidden: int) -> bytes:
    """Of a plain file of ours without these rights for others; otherwise an OSError."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    try:
        if not _is_private(os.fstat(descriptor), stat.S_ISREG, forbidden):
            raise PermissionError(f"{path} is not a private file")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def _decoded(name: str, key: bytes, content: bytes) -> tuple[dict[str, Any], bytes] | None:
    start = len(MAGIC) + 32
    body = content[start:]
    seal = hmac.digest(key, body, "sha256")
    if not hmac.compare_digest(content[:start], MAGIC + seal) or len(body) < 8:
        return None
    end = 8 + int.from_bytes(body[:8], "little")
    try:
        description = json.loads(body[8:end])
        return (description, body[end:]) if description["name"] == name else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _private_folder(path: Path) -> Path:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_private(os.stat(path), stat.S_ISDIR, WRITING):
        raise PermissionError(f"others than you may write to {path}")
    return path


def _is_private(status: os.stat_result, kind: Any, forbidden: int) -> bool:
    if not kind(status.st_mode):
        return False
    if sys.platform == "win32":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & forbidden


def _default_folder() -> Path:
    """By the setting of the platform, else where such files go on it."""
    windows = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    others = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    base = {"win32": windows, "darwin": "~/Library/Caches"}.get(sys.platform, others)
    return Path(base).expanduser() / "visviva"


def _secret_folder() -> Path:
    bases = {"win32": "~/AppData/Roaming", "darwin": "~/Library/Application Support"}
    base = os.environ.get("XDG_STATE_HOME") or bases.get(sys.platform, "~/.local/state")
    return Path(base).expanduser() / "visviva"


def _kept_in_order(home: Path, more: int) -> None:
    """Tidy up before the first file of this process, when the folder is full, and now and then.

    Looking at every file of a large folder takes longer than many a function that is kept there.
    """
    size, since = _sizes.get(home, (0, LARGEST_FOLDER))
    if since + more > LARGEST_FOLDER // _PARTS or size + since + more > LARGEST_FOLDER:
        size, since = _tidy(home), 0
    _sizes[home] = size, since + more


def _tidy(home: Path) -> int:
    """Remove what killed writers left, and the oldest files of an overfull folder; what is left.

    Only files with names and a mark of ours: the folder may be shared with others.
    """
    files = []
    for entry in os.scandir(home):
        with contextlib.suppress(OSError):  # another process may have removed it
            if FILE_NAMES.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                files.append((Path(entry.path), entry.stat(follow_symlinks=False)))
    total = sum(status.st_size for _, status in files)
    overfull = total > LARGEST_FOLDER
    for path, status in sorted(files, key=lambda item: item[1].st_mtime):
        unfinished = path.name.startswith(NEW) and time.time() - status.st_mtime > STALE_SECONDS
        if unfinished or overfull:
            with contextlib.suppress(OSError):
                if not _has_our_mark(path):
                    total -= status.st_size
                elif unfinished or total > LARGEST_FOLDER:
                    path.unlink()
                    total -= status.st_size
    return total


def _has_our_mark(path: Path) -> bool:
    """Whether a file begins as ours do; of an unfinished one perhaps nothing is there yet."""
    with path.open("rb") as file:
        start = file.read(len(MAGIC))
    unfinished = path.name.startswith(NEW)
    return start[:-1] == MAGIC[:-1] or (unfinished and MAGIC.startswith(start))


@cache
def _warn(problem: str, setting: str) -> None:
    """Once: the work can be done, only slower."""
    what = problem.rstrip(".")
    text = f"compiled code is not kept between runs: {what}; set {setting}, or VISVIVA_CACHE=off"
    warnings.warn(text, RuntimeWarning, stacklevel=2)
