"""From arguments to an exit code: errors in two lines, Ctrl-C, warnings in one."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import typer

from visviva.cli.commands import DEBUG, app
from visviva.cli.output import Quiet, tell
from visviva.errors import AccountWarning, NotFiniteWarning, VisvivaError

REFUSED, USAGE, INTERRUPTED = 1, 2, 130
LONGEST = 1500  # characters of a line of an error: the catalogue's names fit
# what is not there, and what does it
OTHER_WORDS = {
    **dict.fromkeys(("export", "save", "write", "to"), "visviva convert two_link two_link.urdf"),
    **dict.fromkeys(("show", "open", "gui", "visualize"), "visviva view two_link, in a browser"),
    **dict.fromkeys(("picture", "draw", "render"), "visviva study two_link, a page with pictures"),
    **dict.fromkeys(("plot", "animate"), "visviva simulate two_link --plot run.html"),
    **dict.fromkeys(("run", "sim", "motion"), "visviva simulate two_link"),
    **dict.fromkeys(("equations", "eom", "model"), "visviva derive two_link"),
    **dict.fromkeys(("ik", "fk", "jacobian", "reach"), "visviva kinematics two_link"),
    **dict.fromkeys(
        ("linkage", "torque", "driving_torque"),
        "Python: vv.catalog.four_bar().driving_torque('theta1')",
    ),
    **dict.fromkeys(
        ("equilibria", "equilibrium", "stability", "modes"),
        "Python: vv.catalog.two_link().equilibria()",
    ),
    **dict.fromkeys(("notes", "warnings", "lint"), "visviva info two_link"),
    **dict.fromkeys(
        ("code", "codegen", "c", "generate"),
        "Python: vv.catalog.two_link().jacobian('tool').c_source('jacobian')",
    ),
}
OTHER_WORDS = {f"visviva {k}": x for k, x in OTHER_WORDS.items()}
_SPANS = ("-t", "-T", "--time", "--t", "--seconds", "--t-end", "--tf", "--t-final")
OTHER_WORDS |= {f"visviva simulate {k}": "--duration 5" for k in _SPANS}
_POSITIONS = ("-q", "--q", "--q0", "--x0")  # {name} is one of the mechanism that was named
OTHER_WORDS |= {f"visviva simulate {k}": "--start {name}=0.5" for k in _POSITIONS}
OTHER_WORDS |= {f"visviva kinematics {k}": "--at {name}=0.5" for k in (*_POSITIONS, "--start")}
OTHER_WORDS |= {f"visviva derive --{k}": "--form steps" for k in ("steps", "step", "derivation")}
_DRIVEN = "Python: vv.catalog.two_link().simulate([0.3, 0.2], t=1.0, tau=[1.0, 0.0])"
OTHER_WORDS |= {f"visviva simulate {k}": _DRIVEN for k in ("--tau", "--torque", "--force")}
_VALUES = "a value in [parameters] of the file, or Python: vv.load(file).with_parameters(m=2.0)"
_COMMANDS = ("study", "info", "derive", "view", "simulate", "kinematics", "check", "convert")
_SET = ("--set", "--param", "--parameter", "--parameters", "--with", "-p")
OTHER_WORDS |= {f"visviva {x} {k}": _VALUES for x in _COMMANDS for k in _SET}
USAGE_ERRORS: Any = typer.BadParameter.__mro__[2]  # of all that typer raises about arguments


def begin() -> None:
    """Run what the command line of this process says, and end the process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # θ on a terminal that has no Greek
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """The exit code of a command line; what it says goes to the two streams.

    Examples:
        >>> run(["--version"])
        visviva 0.1.0
        0
    """
    words, is_debug = _without_debug(arguments)
    with _quiet_streams(), _warnings_in_a_line():
        try:
            code = app(words or ["--help"], prog_name="visviva", standalone_mode=False)
            sys.stdout.flush()
        except KeyboardInterrupt:
            code = INTERRUPTED
        except SystemExit as end:  # of the options that install and show completion
            code = end.code if isinstance(end.code, int) else REFUSED if end.code else 0
        except Exception as error:
            if is_debug:
                tell("".join(traceback.format_exception(error)).rstrip())
            code = _told(error, words)
        if code == INTERRUPTED:
            tell("visviva: interrupted")
    return code if isinstance(code, int) else 0


def _without_debug(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """`--debug` may stand anywhere before a lone `--`."""
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    kept = [word for word in words[:end] if word != DEBUG]
    return [*kept, *words[end:]], len(kept) < end


def _told(error: Exception, words: Sequence[str]) -> int:
    """Say it in two lines at most; the exit code."""
    if isinstance(error, USAGE_ERRORS):
        where = error.ctx.command_path if getattr(error, "ctx", None) else "visviva"
        said = error.format_message()
        unknown = re.match(r"No such (?:command|option:?) '?([\w-]+)", said)
        way = OTHER_WORDS.get(f"{where} {unknown[1]}" if unknown else "", "")
        way = way.replace("{name}", _coordinate(words)) if "{name}" in way else way
        way = way or _joined(said, words)
        said = error.message if way else said  # without options that are spelled nearly so
        help_ = f"{where} --help tells how it is used"
        tell(two_lines(f"visviva: {said}\n  {f'here it is {way}; {help_}' if way else help_}"))
        return USAGE
    if isinstance(error, VisvivaError):
        tell(two_lines(f"visviva: {error}"))
    elif isinstance(error, OSError):
        tell(two_lines(f"visviva: {_of_the_system(error)}"))
    elif isinstance(error, MemoryError):
        tell("visviva: this needs more memory than there is")
    else:
        said = " ".join(str(error).split())
        tell(
            two_lines(f"visviva: unexpected {type(error).__name__}: {said}\n  {DEBUG} shows where")
        )
    return REFUSED


def _joined(said: str, words: Sequence[str]) -> str:
    """Several name=value behind one option, which were typed apart: --start r=1.2,theta=0.5."""
    if "unexpected extra argument" not in said:
        return ""
    typed = "\n".join(words)
    found = re.search(r"^(--\w+)((?:\n[^-=\s][^=\s]*=\S+){2,})$", typed, re.MULTILINE)
    return f"{found[1]} {','.join(x.strip(',') for x in found[2].split())}" if found else ""


def _coordinate(words: Sequence[str]) -> str:
    """The first coordinate of the mechanism that a command line names, or just a word."""
    from visviva.cli.common import system_of

    try:
        return str(system_of([*words, "", ""][1]).coordinate_names[0])
    except (VisvivaError, OSError, IndexError):
        return "name"


def _of_the_system(error: OSError) -> str:
    if error.strerror is None or error.filename is None:
        return str(error)
    return f"{error.filename}: {error.strerror}"


def two_lines(message: str) -> str:
    """A message on two lines; a mark under a place of a text is put into the text.

    Examples:
        >>> print(two_lines("expected a number" + chr(10) + "  2 + x" + chr(10) + "      ^"))
        expected a number
          2 + »x
    """
    first, *rest = [line for line in message.splitlines() if line.strip()] or [""]
    if len(rest) > 1 and rest[-1].strip() == "^":
        place = rest.pop().index("^")
        rest[-1] = f"{rest[-1][:place]}»{rest[-1][place:]}"
    second = "  " + " ".join(line.strip() for line in rest)
    return "\n".join(_cut(line) for line in (first, second) if line.strip())


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


@contextlib.contextmanager
def _quiet_streams() -> Iterator[None]:
    """Readers of the output may go away."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (Quiet(x) for x in streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


@contextlib.contextmanager
def _warnings_in_a_line() -> Iterator[None]:
    """Ours are said once each, as all else is said; those of libraries are not for users."""

    def tell_it(message: Warning | str, *_: Any, **__: Any) -> None:
        tell(f"visviva: {' '.join(str(message).split())}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for ours in (AccountWarning, NotFiniteWarning):
            warnings.simplefilter("always", ours)
        warnings.filterwarnings("always", "compiled code is not kept", RuntimeWarning)
        warnings.showwarning = tell_it
        yield
