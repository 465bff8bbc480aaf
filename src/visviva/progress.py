"""Long work says what it is doing: nothing for two seconds, then one line on the error stream.

On a terminal and in a notebook the line is rewritten in place and is gone at the end; elsewhere a
plain line is written every few seconds. The environment variable `VISVIVA_PROGRESS` switches it off
(`0`, `off` or empty), or says after how many seconds it begins. A thread writes the line, so it
comes in the middle of a long step too.

Examples:
    >>> with progress("sum of squares", 3) as at:
    ...     for k in range(3):
    ...         at.step(f"square of {k}")
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

PATIENCE = 2.0  # seconds in which nothing is said
IN_PLACE, IN_LINES = 0.2, 5.0  # seconds between two signs of life
OFF = ("0", "off", "")


class Progress:
    """What is being done, how far it is, and what is done inside of it."""

    def __init__(self, what: str, total: int = 0) -> None:
        self.what, self.total = what, total
        self.count, self.now = 0, ""
        self.inner: Progress | None = None

    def step(self, now: str = "") -> None:
        """The next step begins."""
        self.count += 1
        self.now = now

    def __str__(self) -> str:
        steps = [f"{self.count} of {self.total}"] if self.total and self.count else []
        steps += [self.now] if self.now else []
        inner = self.inner  # the thread that writes sees it change
        if not steps and inner is not None:
            return str(inner)
        return f"{self.what}: {', '.join(steps)}" if steps else self.what


@contextmanager
def progress(what: str, total: int = 0) -> Iterator[Progress]:
    """Say what is done in this block, and by `step()` how far it is, of `total` steps if known.

    Of blocks inside of each other the outermost is shown that has said its step; of several threads
    the first.
    """
    made = Progress(what, total)
    me = threading.get_ident()
    line = _Line.shown
    patience = _patience()
    if line is None and patience > 0:
        line = _Line(made, me, patience)
        try:
            _Line.shown = line
            line.start()
            yield made
        finally:
            _Line.shown = None
            line.stop()
    elif line is not None and line.owner == me:
        outer, line.innermost = line.innermost, made
        outer.inner = made
        try:
            yield made
        finally:
            outer.inner, line.innermost = None, outer
    else:
        yield made


def _patience() -> float:
    """Seconds in which nothing is said, as the environment has it; 0 for ever."""
    said = os.environ.get("VISVIVA_PROGRESS", "on").strip().lower()
    if said in OFF:
        return 0.0
    try:
        seconds = float(said)
    except ValueError:  # "on" and the like
        return PATIENCE
    return seconds if 0 < seconds < threading.TIMEOUT_MAX else 0.0


class _Line:
    """The line of an outermost block, and the thread that writes it."""

    shown: _Line | None = None  # there is one error stream

    def __init__(self, what: Progress, owner: int, patience: float) -> None:
        self.what, self.innermost, self.owner = what, what, owner
        self.patience = patience
        self.stream: Any = sys.stderr
        self.width = 0  # of what stands on the screen
        self.lock, self.over = threading.Lock(), threading.Event()

    def start(self) -> None:
        """Begin to wait."""
        self.began = time.monotonic()
        self.thread = threading.Thread(target=self._write, name="visviva progress", daemon=True)
        with suppress(RuntimeError):  # where no threads are to be had nothing is said
            self.thread.start()

    def stop(self) -> None:
        """Clear the line, with room for the ^C of a terminal."""
        self.over.set()
        with self.lock:
            if self.width:
                self._put(f"\r{' ' * (self.width + 2)}\r")
        if self.thread.is_alive():  # gone before anybody forks; it has nothing left to do
            self.thread.join(0.5)

    def _write(self) -> None:
        in_place = _rewritable(self.stream)
        wait = self.patience
        while not self.over.wait(wait):
            with self.lock:
                if self.over.is_set():
                    return
                said = f"{self.what} ({time.monotonic() - self.began:.0f} s)"
                if in_place:
                    said = said[: shutil.get_terminal_size().columns - 3]
                    gap = " " * max(self.width - len(said), 0)
                    self.width = len(said)
                    self._put(f"\r{said}{gap}")
                else:
                    self._put(f"visviva: {said}\n")
            wait = IN_PLACE if in_place else IN_LINES

    def _put(self, text: str) -> None:
        try:
            self.stream.write(text)
            self.stream.flush()
        except (OSError, ValueError, AttributeError, UnicodeError):
            self.over.set()  # closed, or there is none: then nobody looks


def _rewritable(stream: Any) -> bool:
    """Whether a line can be written again in place: on a terminal, and in a notebook."""
    if type(stream).__module__.startswith("ipykernel"):
        return True
    return not getattr(stream, "closed", True) and bool(stream.isatty())
