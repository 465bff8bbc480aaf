"""Long work says what it is doing: nothing for two seconds, then one line on the error stream.

On a terminal and in a notebook the line is rewritten in place and is gone at the end;
elsewhere a plain line is written every few seconds. The environment variable `VISVIVA_PROGRESS`
switches it off (`0`, `off` or empty), or says after how many seconds it begins. A thread writes the
line, so it comes in the middle of a long step too.

Examples:
    >>> with progress("sum of squares", 3) as at:
    ...     for k in range(3):
    ...         at.step(f"square of {k}")
"""

from __future__ import annotations

import os
import sys
import threading
import time
from bisect import bisect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import accumulate, cycle
from shutil import get_terminal_size
from typing import Any
from unicodedata import combining, east_asian_width

from visviva.errors import OutOfTimeError

PATIENCE = 2.0  # seconds in which nothing is said
IN_PLACE, IN_NOTEBOOK, IN_LINES = 0.2, 1.0, 5.0  # seconds between two signs of life
OFF = ("0", "off", "")
_END: ContextVar[float] = ContextVar("end", default=float("inf"))  # of the processor's time


class Progress:
    """What is being done, how far it is, and what is done inside of it."""

    def __init__(self, what: str, total: int = 0) -> None:
        self.what, self.total = what, total
        self.count, self.now = 0, ""
        self.inner: Progress | None = None
        self.begin: Callable[[], None] | None = None  # the line, where it waits for the first step

    def step(self, now: str = "") -> None:
        """The next step begins."""
        self.started()
        self.count += 1
        self.now = now
        if time.process_time() > _END.get():
            raise OutOfTimeError(f"{self.what} takes longer than the time that it was given")

    def started(self) -> None:
        """It is not too short for a line, where that waited to be seen."""
        if self.begin is not None:
            self.begin()
            self.begin = None

    def __str__(self) -> str:
        steps = [f"{self.count} of {self.total}"] if self.total and self.count else []
        steps += [self.now] if self.now else []
        inner = self.inner  # the thread that writes sees it change
        if not steps and inner is not None:
            return str(inner)
        return f"{self.what}: {', '.join(steps)}" if steps else self.what


@contextmanager
def progress(what: str, total: int = 0, from_first_step: bool = False) -> Iterator[Progress]:
    """Say what is done in this block, and by `step()` how far it is, of `total` steps if known.

    Of blocks inside of each other the outermost is shown that has said its step; of several threads
    the first. `from_first_step`: of work that is mostly too short for a thread to be started, which
    takes a step as soon as it is not, or has another block inside, as one that compiles.
    """
    at = Progress(what, total)
    line = _Line.shown
    patience = _patience() if line is None else 0.0
    if line is None and patience > 0:
        line = _Line(at, patience)
        try:
            _Line.shown = line
            if from_first_step:
                at.begin = line.begin
            else:
                line.begin()
            yield at
        finally:
            _Line.shown, at.begin = None, None
            line.stop()
    elif line is not None and line.owner == threading.get_ident():
        outer, line.innermost = line.innermost, at
        outer.inner = at
        if not from_first_step:  # it may be long before a block around it takes its first step
            line.what.started()
        try:
            yield at
        finally:
            outer.inner, line.innermost = None, outer
    else:
        yield at


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Long work in this block ends, at its next step, when it has had these seconds.

    They are the processor's: beside other programs, and on a slow evening, the same is done. All
    threads of this program count, so work in several threads at once has less time by the clock.

    Examples:
        >>> with at_most(0.0), progress("endless") as at:
        ...     at.step()
        Traceback (most recent call last):
        visviva.errors.OutOfTimeError: endless takes longer than the time that it was given
    """
    known = _END.set(min(_END.get(), time.process_time() + seconds))
    try:
        yield
    finally:
        _END.reset(known)


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
    """The line of an outermost block, which a thread writes."""

    shown: _Line | None = None  # there is one error stream

    def __init__(self, what: Progress, patience: float) -> None:
        self.what = self.innermost = what
        self.owner, self.patience = threading.get_ident(), patience
        self.began, self.stream = time.monotonic(), sys.stderr
        self.thread: threading.Thread | None = None

    def begin(self) -> None:
        """Start the thread; where no threads are to be had nothing is said."""
        self.over = threading.Event()
        thread = threading.Thread(target=self._run, name="visviva progress", daemon=True)
        self.thread = thread
        with suppress(RuntimeError):
            thread.start()

    def _run(self) -> None:
        with suppress(OSError, ValueError, AttributeError, UnicodeError):  # then nobody looks
            if self.over.wait(self.patience):
                return
            in_place = _rewritable(self.stream)
            line, pause = (_in_place(), IN_PLACE) if in_place else (_in_lines, IN_LINES)
            pause = IN_NOTEBOOK if _is_notebook(self.stream) else pause  # each is a message
            self._put(line(str(self)))
            while not self.over.wait(pause):
                self._put(line(str(self)))
            self._put(line(""))

    def __str__(self) -> str:
        return f"{self.what} ({time.monotonic() - self.began:.0f} s)"

    def _put(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()

    def stop(self) -> None:
        """The line is gone when this returns, and so is the thread, before anybody forks."""
        if self.thread is not None:
            self.over.set()
            if self.thread.is_alive():
                self.thread.join()


def _in_lines(said: str) -> str:
    return f"visviva: {said}\n" if said else ""


def _in_place() -> Callable[[str], str]:
    """Lines that cover the one before, with a bar that turns, cut where the terminal ends."""
    bar = cycle("-\\|/")

    def line(said: str) -> str:
        room = max(get_terminal_size().columns - 3, 1)
        text = f"{next(bar)} {said}" if said else ""
        ends = list(accumulate(map(_columns, text), initial=0))
        if ends[-1] > room:
            text = f"{text[: bisect(ends, room - 1) - 1]}…"
        return f"\r{text}{' ' * (room - sum(map(_columns, text)))}\r"

    return line


def _columns(letter: str) -> int:
    """How many columns of a terminal a letter takes."""
    return 0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1


def _rewritable(stream: Any) -> bool:
    """Whether a line can be written again in place: on a terminal, and in a notebook."""
    if _is_notebook(stream):
        return True
    return not getattr(stream, "closed", True) and bool(stream.isatty())


def _is_notebook(stream: Any) -> bool:
    return type(stream).__module__.startswith("ipykernel")
