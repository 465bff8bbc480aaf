"""What commands say: text for terminals, data for programs, streams that may close."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from typing import Any

import typer

# all that moves a cursor, rings a bell or turns text around
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


def shown(text: str) -> str:
    """A text without characters that a terminal obeys: names in files are anybody's."""
    return _UNSEEN.sub("\ufffd", text)


def one_line(text: str) -> str:
    """A text that may have been typed anywhere, as part of a line: without ends of lines too."""
    return re.sub(r"[\t\n]", "\ufffd", shown(text))


def say(text: str) -> None:
    """On the output."""
    typer.echo(shown(text))


def tell(text: str) -> None:
    """What is not part of the result, on the error stream."""
    typer.echo(shown(text), err=True)


def as_text(data: Any) -> str:
    """As JSON, in which nan and infinity, which it has not, are null."""
    return json.dumps(_plain(data), indent=1, ensure_ascii=False, allow_nan=False)


def say_data(data: Any) -> None:
    """As JSON, on the output."""
    typer.echo(as_text(data))


def _plain(x: Any) -> Any:
    if isinstance(x, Mapping):
        return {str(k): _plain(y) for k, y in x.items()}
    if isinstance(x, (list, tuple)):
        return [_plain(y) for y in x]
    if isinstance(x, float):
        return x if math.isfinite(x) else None
    return x


class Quiet:
    """A stream whose reader may go away, as `head` does: what nobody reads is dropped."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: Any) -> int:
        """As the stream does it, as long as there is somebody at the other end."""
        try:
            return int(self._stream.write(text))
        except BrokenPipeError:
            self._drop()
            return len(text)

    def flush(self) -> None:
        """What was written may turn out only now to have no reader."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._drop()

    def _drop(self) -> None:
        """The rest goes nowhere, also what Python writes at its very end."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
