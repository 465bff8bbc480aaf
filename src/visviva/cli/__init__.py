"""The command `visviva`: mechanisms from the catalogue or from files, and what is true of them.

output      What commands say: text for terminals, data for programs, streams that may close
common      What commands share: mechanisms by name or file, lists of name=value, files to write
listing     `visviva list`: the mechanisms of the catalogue
study       `visviva study`: all that is known of a mechanism, on one page
view        `visviva view`: mechanisms live in the browser
info        `visviva info` and `visviva bench`: what a mechanism is, and how fast
derive      `visviva derive`: equations of motion, and the way to them
check       `visviva check`: verdicts on typed equations
simulate    `visviva simulate`: how a mechanism moves
kinematics  `visviva kinematics`: where an arm reaches
convert     `visviva convert`: a mechanism from one kind of file to another
commands    The commands in the order of the help
running     From arguments to an exit code: errors in two lines, Ctrl-C, warnings in one
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from visviva.doors import door
from visviva.errors import BackendError
from visviva.extras import require

if TYPE_CHECKING:
    from visviva.cli.commands import app as app

_WHERE = {"app": "visviva.cli.commands:app"}
__getattr__, __dir__ = door("visviva.cli", _WHERE, globals())


def main() -> None:
    """The command `visviva`; Ctrl-C is answered from the first import on."""
    try:
        require("the command visviva", "typer")
        from visviva.cli.running import begin

        begin()
    except BackendError as missing:
        sys.stderr.write(f"visviva: {missing}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("visviva: interrupted\n")
        sys.exit(130)
