"""Work in threads: shared with the caller, by a pool for the whole process, or beside it."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from threading import Lock
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
                _pool().submit(help_with, lock)
        work()
    except BaseException:
        stop.append(True)
        raise
    finally:
        for (
            lock
        ) in locks:  # a thread at work holds its lock; one that begins later finds nothing to do
            with lock:
                pass
    if errors:
        raise errors[0]


def run_beside(work: Callable[[], Any]) -> None:
    """Call `work` while the caller goes on, one at a time; Python waits for all of them at exit."""
    with suppress(RuntimeError):  # no thread can begin: the process ends, or has too many
        _background().submit(work)


@cache
def _background() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "visviva beside")


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count(), "visviva")


if hasattr(os, "register_at_fork"):  # a child process has none of its parent's threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
    os.register_at_fork(after_in_child=_background.cache_clear)
