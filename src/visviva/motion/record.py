"""Long runs, written as they go: whoever is killed at any moment keeps all whole blocks.

A record is a folder `NAME.run/` with `header.json`, which says what is being computed, and blocks
`block-00000000.npy`, `block-00000001.npy`, … that are only ever added. A block is an array of
records, one for each sample, with the fields t, q, v and more. It is written under another name,
brought to the disk, and then given its own, so that under that name it is whole; readers take the
blocks from the first one on, and stop at one that is missing or torn.

A block may have a state besides, `state-00000001.npz`: what the next one begins with. It is whole
on the disk before its block is; the last two are kept. A record goes on after the last whole block
that has one.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, ReadError, ShapeError, WriteError
from visviva.motion.saving import put
from visviva.motion.trajectory import Trajectory
from visviva.motion.unpacking import npz_arrays

SUFFIX, HEADER, NEW = ".run", "header.json", ".new-"
RESULT = "result.npz"  # the trajectory, when all is done
RECORD_KIND, RECORD_VERSION = "visviva run", 1
BLOCK = re.compile(r"block-(\d{8})\.npy")
OWN = ("t", "q", "v")
STATES_KEPT = 2  # that are kept
TORN = (
    OSError, ValueError, EOFError, SyntaxError, MemoryError, KeyError, NotImplementedError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip


class Record:
    """A folder of blocks; `create` begins one, `resume` goes on with it, `read` only looks.

    Examples:
        >>> import tempfile, numpy as np
        >>> folder = tempfile.mkdtemp()
        >>> record = Record.create(folder + "/swing", {"rtol": 1e-9})
        >>> record.append([0.0, 0.1], np.zeros((2, 1)), np.ones((2, 1)))
        >>> Record.resume(folder + "/swing", {"rtol": 1e-9}).arrays()["t"]
        array([0. , 0.1])
    """

    def __init__(self, folder: Path, header: Mapping[str, Any], is_open: bool) -> None:
        self.folder, self.header, self._open = folder, dict(header), is_open
        self._next, self._dtype = 0, None
        for block in self._blocks():
            self._next, self._dtype = self._next + 1, block.dtype

    # ---- begun, gone on with, read

    @classmethod
    def create(cls, path: str | os.PathLike[str], header: Mapping[str, Any]) -> Record:
        """A new record, `path` with the suffix .run; `header` is what JSON can say."""
        folder = run_folder(path)
        text = _header_text(header)
        if (folder / HEADER).exists() or _numbered(folder):
            raise ArgumentError(
                f"{folder}: is a record already; Record.resume goes on with it, or remove it"
            )
        others = [x.name for x in folder.glob("*") if not x.name.startswith(NEW)]
        if others:
            raise ArgumentError(f"{folder}: is no record, and has something in it: {others[0]!r}")
        try:
            folder.mkdir(exist_ok=True)  # empty if whoever made it was killed at once
        except OSError as error:
            why = error.strerror if folder.parent.is_dir() else f"there is no {folder.parent}"
            raise WriteError(f"{folder}: cannot be made: {why}") from None
        put(folder / HEADER, lambda new: _write_text(new, text))
        _to_disk(folder)
        _to_disk(folder.parent)
        return cls(folder, json.loads(text)["header"], True)

    @classmethod
    def resume(
        cls, path: str | os.PathLike[str], header: Mapping[str, Any], with_states: bool = False
    ) -> Record:
        """The record that was begun with this header; another one is refused by what differs.

        `with_states`: what comes after the last state is done again.
        """
        folder = run_folder(path)
        there, asked = _header(folder), json.loads(_header_text(header))["header"]
        for key in dict.fromkeys([*there, *asked]):
            was, now = (json.dumps(x.get(key, "nothing")) for x in (there, asked))
            if was != now:
                raise ArgumentError(
                    f"{folder}: was begun with another header: {key!r} is {was:.200} there, "
                    f"{now:.200} here; resume with the same, or begin another record"
                )
        record = cls(folder, there, True)
        while with_states and record._next and record.state() is None:
            record._next -= 1
        record._forget()
        return record

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Record:
        """A record to look at, whether or not somebody is writing to it."""
        folder = run_folder(path)
        return cls(folder, _header(folder), False)

    # ---- blocks

    def append(
        self,
        t: Any,
        q: Any,
        v: Any,
        extra: Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a block: t (rows,), q (rows, nq) and v, or (N, rows, …) of a batch, as trajectories.

        `extra` has more arrays of the same axes: forces, or (rows,) the step to go on with. `state`
        has arrays of any shape, with which the next block begins; a block that has one may be
        without rows. All of it is on the disk when this returns.
        """
        if not self._open:
            raise ArgumentError(f"{self.folder}: was opened to read; Record.resume goes on with it")
        block = _block(t, q, v, extra or {}, state is not None)
        if self._dtype is not None and block.dtype != self._dtype:
            raise ShapeError(
                f"{self.folder}: blocks have the fields {self._dtype.descr}, "
                f"got {block.dtype.descr}"
            )
        k = self._next
        if state is not None:
            arrays: dict[str, Any] = {name: np.asarray(x) for name, x in state.items()}
            self._put(self._state_place(k), lambda stream: np.savez(stream, **arrays))
        self._put(
            self.folder / f"block-{k:08d}.npy",
            lambda stream: np.save(stream, block, allow_pickle=False),
        )
        with suppress(OSError):
            self._state_place(k - STATES_KEPT).unlink(missing_ok=True)
        self._next, self._dtype = k + 1, block.dtype

    def _put(self, place: Path, write: Callable[[Any], None]) -> None:
        """A new file, whole as soon as it has its name."""
        name = ""
        try:
            handle, name = tempfile.mkstemp(prefix=NEW, dir=self.folder)
            with os.fdopen(handle, "wb") as stream:
                write(stream)
                stream.flush()
                os.fsync(stream.fileno())
            os.link(name, place)  # unlike a renaming it never replaces what another one wrote
        except FileExistsError:
            raise WriteError(
                f"{place}: is there already: another process is writing to this record"
            ) from None
        except OSError as error:
            raise WriteError(f"{place}: cannot be written: {error.strerror}") from None
        finally:
            with suppress(OSError):
                os.unlink(name)
        _to_disk(self.folder)

    def state(self) -> dict[str, np.ndarray[Any, Any]] | None:
        """What the next block begins with; None if the last one has none that is whole."""
        try:
            return npz_arrays(self._state_place(self._next - 1))
        except TORN:
            return None

    def whole_blocks(self) -> list[dict[str, np.ndarray[Any, Any]]]:
        """Every block from the first one on until one is missing or torn: t, q, v, … by name."""
        return [_fields(block) for block in self._blocks()]

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """All of them joined: t (rows,), q (rows, nq) or (N, rows, nq), v, …"""
        lengths = [len(block) for block in self._blocks()]
        if not lengths or self._dtype is None:
            raise ReadError(f"{self.folder}: has no whole block yet")
        whole, at = np.empty(sum(lengths), self._dtype), 0
        for block, length in zip(self._blocks(), lengths, strict=False):
            whole[at : at + length], at = block, at + length
        return _fields(whole)

    def finish(self, system: Any, path: str | os.PathLike[str], **more: Any) -> Trajectory:
        """Make the trajectory, save it as `path` says (.nc, .csv, .npz) and remove the record.

        `more` goes to `Trajectory`. The record is removed only when the file is there.
        """
        arrays = self.arrays()
        stated: dict[str, Any] = {k: arrays[k] for k in (*OWN, "tau") if k in arrays}
        run = Trajectory(system, **{**stated, **more})
        run.save(path)
        self.remove()
        return run

    def remove(self) -> None:
        """Remove it from its end on: whoever is killed meanwhile leaves a shorter record."""
        states = [*self.folder.glob("state-*.npz"), *self.folder.glob(f"{NEW}*")]
        for place in [*reversed(_numbered(self.folder)), *states]:
            place.unlink(missing_ok=True)
        for name in (RESULT, HEADER):
            (self.folder / name).unlink(missing_ok=True)
        with suppress(OSError):  # where somebody put something else
            self.folder.rmdir()

    def _blocks(self) -> Iterator[np.ndarray[Any, Any]]:
        for k, place in enumerate(_numbered(self.folder)):
            block = _whole(place) if place.name == f"block-{k:08d}.npy" else None
            if block is None or (self._dtype is not None and block.dtype != self._dtype):
                return
            yield block

    def __len__(self) -> int:
        """How many whole blocks there are."""
        return self._next

    def _state_place(self, k: int) -> Path:
        return self.folder / f"state-{k:08d}.npz"

    def _forget(self) -> None:
        """Remove what was left of a block that was not whole, and what came after it."""
        late = [x for x in self.folder.glob("state-*.npz") if x > self._state_place(self._next - 1)]
        for place in [*_numbered(self.folder)[self._next :], *late, *self.folder.glob(f"{NEW}*")]:
            place.unlink(missing_ok=True)
        _to_disk(self.folder)

    def __repr__(self) -> str:
        rows = sum(len(block) for block in self._blocks())
        return f"record {self.folder.name}: {self._next} blocks, {rows} samples"


def run_folder(path: str | os.PathLike[str]) -> Path:
    """The folder of a record: the path, with .run behind it if it has not."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"a record has a path, got {type(path).__name__}")
    folder = Path(path)
    return folder if folder.suffix == SUFFIX else folder.with_name(folder.name + SUFFIX)


def _numbered(folder: Path) -> list[Path]:
    return sorted(x for x in folder.glob("block-*.npy") if BLOCK.fullmatch(x.name))


def _whole(place: Path) -> np.ndarray[Any, Any] | None:
    """A block, if all of it is there and nothing besides."""
    try:
        with open(place, "rb") as stream:
            block: np.ndarray[Any, Any] = np.load(stream, allow_pickle=False)
            whole = not stream.read(1)
    except TORN:
        return None
    names = block.dtype.names
    fits = names is not None and names[:3] == OWN and block.ndim == 1
    return block if whole and fits else None


def _block(
    t: Any, q: Any, v: Any, extra: Mapping[str, Any], may_be_empty: bool
) -> np.ndarray[Any, Any]:
    """The rows of a block as an array of records."""
    arrays = {name: np.asarray(x, dtype=float) for name, x in zip(OWN, (t, q, v), strict=True)}
    arrays |= {name: np.asarray(x) for name, x in extra.items()}
    rows = arrays["t"].shape
    if len(rows) != 1 or not (rows[0] or may_be_empty):
        raise ShapeError(f"t of a block has shape (rows,), at least one; got {rows}")
    lanes = arrays["q"].shape[:-2]
    if len(lanes) > 1 or arrays["q"].ndim < 2:
        raise ShapeError(
            f"q of a block has shape (rows, nq) or (N, rows, nq), got {arrays['q'].shape}"
        )
    for name in [x for x in arrays if x != "t"]:
        x = arrays[name]
        if x.dtype.kind not in "fiub":
            raise ShapeError(f"{name} of a block is an array of numbers, got {x.dtype}")
        if x.ndim > 1 and x.shape[: len(lanes) + 1] == (*lanes, *rows):
            arrays[name] = np.swapaxes(x, 0, 1) if lanes else x
        elif name in OWN or x.shape != rows:
            expected = ", ".join(map(str, (*lanes, *rows)))
            raise ShapeError(
                f"{name} of a block begins with the axes ({expected}), got shape {x.shape}"
            )
    fields = [(name, x.dtype.newbyteorder("<"), x.shape[1:]) for name, x in arrays.items()]
    block = np.empty(rows, dtype=fields)
    for name, x in arrays.items():
        block[name] = x
    return block


def _fields(block: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """By name, in the shapes of trajectories: those of a batch have its axis first."""
    lanes = block.dtype["q"].shape[:-1]
    named = {name: np.ascontiguousarray(block[name]) for name in block.dtype.names or ()}
    wide = {k for k in named if lanes and block.dtype[k].shape}
    return {k: np.swapaxes(x, 0, 1) if k in wide else x for k, x in named.items()}


def _header(folder: Path) -> dict[str, Any]:
    try:
        stored = json.loads((folder / HEADER).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ReadError(f"{folder}: is no record of a run: {HEADER}: {problem}") from None
    ours = {"kind": RECORD_KIND, "version": RECORD_VERSION}
    if not isinstance(stored, dict) or any(stored.get(k) != x for k, x in ours.items()):
        raise ReadError(f"{folder}: {HEADER} is not that of a record, version {RECORD_VERSION}")
    header = stored.get("header")
    if not isinstance(header, dict):
        raise ReadError(f"{folder}: {HEADER} has no header")
    return header


def _header_text(header: Mapping[str, Any]) -> str:
    try:
        return json.dumps(
            {"kind": RECORD_KIND, "version": RECORD_VERSION, "header": dict(header)}, indent=1
        )
    except (TypeError, ValueError) as problem:
        raise ArgumentError(f"the header of a record is what JSON can say: {problem}") from None


def _write_text(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def _to_disk(folder: Path) -> None:
    """Bring the names in a folder to the disk, where that can be asked for."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
