"""Work that threads share: one pool of them for the whole process, which lives."""

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

    Who calls takes part: nothing waits for threads that begin late, or that there are none of. So
    `work` takes piece after piece while there are any, and none as soon as `stop` has an entry,
    which it has when this thread is interrupted.
    What it works on is held until all have ended.
    """
    locks = [Lock() for _ in range(0 if is_plain() else threads - 1)]
    errors: list[BaseException] = []

    def help_with(lock: Lock) -> None:
        with lock:
            try:
                if not stop:
                    work()
            except BaseException as error:  # it is raised where the work was asked for
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
        for lock in locks:  # who has begun holds his lock; who has not finds nothing to do
            with lock:
                pass
    if errors:
        raise errors[0]


def run_beside(work: Callable[[], Any]) -> None:
    """Do it while the caller goes on, one work after another; the process ends when all is done."""
    with suppress(RuntimeError):  # no thread can begin: the process ends, or has too many
        _helper().submit(work)


@cache
def _helper() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "visviva beside")


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count(), "visviva")


if hasattr(os, "register_at_fork"):  # threads do not come along
    os.register_at_fork(after_in_child=_pool.cache_clear)
    os.register_at_fork(after_in_child=_helper.cache_clear)
