"""The command line in process: what it says on both streams, and its exit code."""

import contextlib
import io
import json
import os
from dataclasses import dataclass
from unittest import mock

from visviva.cli.running import run


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def data(self):
        return json.loads(self.out)


def ask(*arguments):
    """Run a command; progress is off, or a slow machine would see more lines."""
    out, err = io.StringIO(), io.StringIO()
    quiet = mock.patch.dict(os.environ, {"VISVIVA_PROGRESS": "off"})
    with quiet, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(list(map(str, arguments)))
    return Answer(code, out.getvalue(), err.getvalue())


def is_told(answer):
    """Whether an answer that is no result is one or two lines of ours, without a traceback."""
    lines = answer.err.splitlines()
    said = answer.err.startswith("visviva: ") and len(lines) <= 2
    return said and not answer.err.startswith("visviva: unexpected ")
