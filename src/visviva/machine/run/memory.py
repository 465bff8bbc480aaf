"""Machine code in memory: where it stands, and for how long.

Images share pages of an arena: a function takes whole pages of a large mapping, is written there
while they cannot be executed, and from then on they can be read and executed only. Neighbours have
the same rights, so that the kernel keeps one record for thousands of functions. Pages are used
again and never unmapped.

Code stays for as long as anything can call it. What calls it holds a `Code`. That is a tuple with a
token in it, a plain numpy array, because the garbage collector knows no way to take either apart:
finalizers, weak references and cycles may come in any order, the token dies with its last holder.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from visviva.errors import BackendError
from visviva.machine.code import imports
from visviva.machine.code.driver import Driver
from visviva.machine.code.module import DRIVERS
from visviva.machine.run import jit

CHUNK = 2 * 1024 * 1024  # bytes that are mapped at a time
PAGE = mmap.PAGESIZE
MAPS_PER_ENGINE = 3  # of the kernel's records, where LLVM loads
MAPS_LEFT = 5000  # for everything else in the process

Extent = tuple[int, int]  # address and length of some pages


class Code(NamedTuple):
    """Callable machine code; it is there while this is."""

    symbols: tuple[str, ...]
    calls: tuple[Any, ...]  # what each driver's `call` makes of its address
    token: np.ndarray

    def call(self, symbol: str) -> Any:
        """What calls a driver; functions of ctypes let other threads run."""
        return self.calls[self.symbols.index(symbol)]


def placed(
    image: bytes,
    places: Mapping[str, int],
    drivers: Sequence[Driver] = DRIVERS,
    table: ctypes.Array[Any] | None = None,
) -> Code:
    """An image, copied into the arena: drivers stand at their places, bytes from its start.

    It refers to a table, of what it calls out to if no other is given; that must outlive the code.
    """
    with jit.LOCK:
        extent = _arena.place(image, places["vv.table"], _address(table))
    addresses = [extent[0] + places[driver.symbol] for driver in drivers]
    return _code(drivers, addresses, _arena.returned.append, extent)


def loaded_by_llvm(
    content: bytes,
    drivers: Sequence[Driver] = DRIVERS,
    table: ctypes.Array[Any] | None = None,
) -> Code:
    """An object by LLVM's own loader, which makes mappings for each."""
    with jit.LOCK:
        while _unused:
            _engines.discard(engine := _unused.popleft())
            engine.dispose()
        _check_room()
        engine = jit.Engine(content)
        _engines.add(engine)
        bind, *addresses = map(engine.address, ["vv.bind", *(x.symbol for x in drivers)])
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(bind)(_address(table))
    return _code(drivers, addresses, _unused.append, engine)


def _address(table: ctypes.Array[Any] | None) -> int:
    return ctypes.addressof(imports.addresses() if table is None else table)


def when_gone(code: Code, do: Callable[..., Any], *args: Any) -> None:
    """Do something when nothing can call the code any more; never because Python ends."""
    weakref.finalize(code.token, do, *args).atexit = False


def _code(
    drivers: Sequence[Driver], addresses: Sequence[int], release: Callable[[Any], Any], what: Any
) -> Code:
    calls = tuple(x.call(address) for x, address in zip(drivers, addresses, strict=True))
    code = Code(tuple(x.symbol for x in drivers), calls, np.empty(0))
    # The callables must not be part of garbage either: the list of things to do holds them.
    when_gone(code, _gone, release, what, calls)
    return code


def _gone(release: Callable[[Any], Any], what: Any, calls: tuple[Any, ...]) -> None:
    release(what)


class Arena:
    """Pages that images share: handed out in whole pages, taken back, never unmapped."""

    def __init__(self) -> None:
        self.returned: deque[Extent] = deque()  # filled by finalizers, at any moment
        self.mapped = 0  # bytes
        self._free: list[Extent] = []  # by address, neighbours joined

    def place(self, image: bytes, position: int, table: int) -> Extent:
        """Copy an image into pages of its own, with the address of its table at a position."""
        address, size = extent = self._taken(-(-len(image) // PAGE) * PAGE)
        try:
            _protect(address, size, mmap.PROT_READ | mmap.PROT_WRITE)
            ctypes.memmove(address, image, len(image))
            ctypes.c_void_p.from_address(address + position).value = table
            _protect(address, size, mmap.PROT_READ | mmap.PROT_EXEC)
        except BaseException:
            self.returned.append(extent)
            raise
        return extent

    def _taken(self, size: int) -> Extent:
        """The first free pages that are enough."""
        self._gather()
        fits = next((k for k, (_, length) in enumerate(self._free) if length >= size), None)
        if fits is None:
            length = max(size, CHUNK)
            self._free = _joined([*self._free, (_mapped(length), length)])
            self.mapped += length
            return self._taken(size)
        (address, length), free = self._free[fits], self._free
        rest = [(address + size, length - size)] if length > size else []
        self._free = [*free[:fits], *rest, *free[fits + 1 :]]
        return address, size

    def _gather(self) -> None:
        """Take back what finalizers returned, and give its memory to the system meanwhile."""
        back = []
        while self.returned:
            back.append(self.returned.popleft())
            _system().madvise(*back[-1], mmap.MADV_DONTNEED)
        if back:
            self._free = _joined([*self._free, *back])


def _joined(extents: list[Extent]) -> list[Extent]:
    joined: list[Extent] = []
    for address, length in sorted(extents):
        if joined and sum(joined[-1]) == address:
            joined[-1] = joined[-1][0], joined[-1][1] + length
        else:
            joined.append((address, length))
    return joined


def _mapped(length: int) -> int:
    """New pages, private to this process: a fork copies them."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    address = _system().mmap(None, length, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    if address in (None, 2**64 - 1):
        raise _refused("memory for machine code")
    return int(address)


def _protect(address: int, length: int, rights: int) -> None:
    if _system().mprotect(address, length, rights):
        raise _refused("a change of its rights to memory for machine code")


def _refused(what: str) -> BackendError:
    return BackendError(f"the system refuses {what}: {os.strerror(ctypes.get_errno())}")


@cache
def _system() -> Any:
    """The C library's calls, with their types."""
    library = ctypes.CDLL(None, use_errno=True)
    pointer, size, whole = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    library.mmap.argtypes = (pointer, size, whole, whole, whole, ctypes.c_int64)
    library.mmap.restype = pointer
    library.mprotect.argtypes = library.madvise.argtypes = (pointer, size, whole)
    return library


def _check_room() -> None:
    """Before the kernel has no record left for a mapping, upon which LLVM ends the process."""
    most = (_largest_map_count() - MAPS_LEFT) // MAPS_PER_ENGINE
    if len(_engines) >= most:
        raise BackendError(
            f"{len(_engines)} compiled functions are alive, and this system has room for no more: "
            "drop some, or make one function of several"
        )


def _largest_map_count() -> int:
    try:
        with open("/proc/sys/vm/max_map_count") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 2**31


_arena = Arena()
_engines: set[jit.Engine] = set()
_unused: deque[jit.Engine] = deque()  # filled by finalizers, at any moment
