"""Work in threads: shared with the caller, by a pool for the whole process, or beside it.

Python's own executors lose a thread where an interrupt comes while one begins, and then wait for it
when the process ends. The threads here need nobody to end them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from visviva.machine.code.cpu import is_plain


def run_shared(work: Callable[[], Any], threads: int, stop: list[bool]) -> None:
    """Call `work` here and in threads of the pool beside; when it returns, all have ended.

    The caller works too, so nothing waits for a thread that begins late or cannot begin. `work`
    takes one piece after another until none is left, or until `stop` has an entry: it gets one when
    the caller is interrupted. That all have ended means that no thread still writes to an array.
    """
    locks = [Lock() for _ in range(0 if is_plain() else threads - 1)]
    errors: list[BaseException] = []

    def help_with(lock: Lock) -> None:
        with lock:
            try:
                if not stop:
                    work()
            except BaseException as error:  # the caller raises it
                errors.append(error)

    try:
        with suppress(RuntimeError):  # no thread can begin: the process ends, or has too many
            for lock in locks:
                _pool().submit(partial(help_with, lock))
        work()
    except BaseException:
        stop.append(True)
        raise
    finally:
        for lock in locks:  # a thread at work holds its lock; a later one finds nothing to do
            with lock:
                pass
    if errors:
        raise errors[0]


def run_beside(work: Callable[[], Any]) -> None:
    """Call `work` while the caller goes on, one at a time; Python waits for all of them at exit."""
    turn = _turn()

    def work_in_turn() -> None:
        with turn:
            work()

    with suppress(RuntimeError):  # no thread can begin: the process ends, or has too many
        Thread(target=work_in_turn, name="visviva beside").start()


class _Pool:
    """Threads that take work from one queue, one for each core; they end with the process."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Callable[[], Any]] = SimpleQueue()
        self._threads = 0

    def submit(self, work: Callable[[], Any]) -> None:
        if self._threads < (os.cpu_count() or 1):
            self._threads += 1  # first: an interrupt in `start` leaves a thread that runs
            try:
                Thread(target=self._serve, name="visviva", daemon=True).start()
            except RuntimeError:
                self._threads -= 1
                raise
        self._queue.put(work)

    def _serve(self) -> None:
        while True:
            self._queue.get()()


_pool = cache(_Pool)
_turn = cache(Lock)

if hasattr(os, "register_at_fork"):  # a child process has none of its parent's threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
    os.register_at_fork(after_in_child=_turn.cache_clear)
