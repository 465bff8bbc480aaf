"""The text of files that people write, and the tables of TOML in it; both may be hostile."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from visviva.errors import MechanismFileError

LARGEST_FILE = 1_000_000  # characters
LARGEST_NUMBER = 1000  # bits
# tomllib takes quadratic time over a.a.a.a...: no honest key has twenty parts
_LONG_KEY = re.compile(r"""(?:\.[ \t]*+(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+){20}""")

_SINGLE = re.compile(r"^[ \t]*+\[(body|frame|spring|constraint|actuator)\]", re.MULTILINE)
_COMMA = re.compile(r"=[ \t]*+([-+]?[0-9]++),[ \t]*+([0-9]++)[ \t]*+(?:#|$)")


def text_of(path: str | Path) -> str:
    """What is in a text file of reasonable size."""
    try:
        if not Path(path).is_file():
            if not Path(path).exists():
                raise MechanismFileError(f"{path}: there is no such file")
            got = "a directory" if Path(path).is_dir() else "a pipe or a device"
            raise MechanismFileError(f"{path}: expected a text file, got {got}")
        with Path(path).open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise MechanismFileError(f"{path}: expected at most {LARGEST_FILE} bytes, got more")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MechanismFileError(
            f"{path}: line {line} is not text in UTF-8: save it as UTF-8"
        ) from None
    except OSError as error:
        raise MechanismFileError(f"{path}: {error.strerror}") from None


def tables(text: str, source: str) -> dict[str, Any]:
    """The tables of a text in TOML, which may be hostile."""
    if len(text) > LARGEST_FILE:
        raise MechanismFileError(f"{source}: expected at most {LARGEST_FILE} characters, got more")
    if long := _LONG_KEY.search(text):
        line = text.count("\n", 0, long.start()) + 1
        raise MechanismFileError(f"{source}: a key of more than 20 parts (at line {line})")
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # tomllib says the line and the column
        told = f"{source}: not TOML that we read: {error}"[:500]
        raise MechanismFileError(told + _meant(text, str(error))) from None
    _bound(data, source)
    return data


def _meant(text: str, told: str) -> str:
    """What was most likely meant where TOML ends."""
    if single := _SINGLE.search(text):
        return f". There may be several of a kind: [[{single[1]}]] instead of [{single[1]}]"
    place = re.search(r"at line (\d+)", told)
    line = text.splitlines()[int(place[1]) - 1 : int(place[1])] if place else []
    comma = _COMMA.search(line[0]) if line else None
    return f". Numbers have a point: {comma[1]}.{comma[2]}" if comma else ""


def _bound(x: Any, source: str, key: str = "") -> None:
    """Refuse whole numbers that are no floats: not even their digits can be shown."""
    if isinstance(x, int) and x.bit_length() > LARGEST_NUMBER:
        where = f" at key {key!r}" if key else ""
        raise MechanismFileError(f"{source}: a number of {x.bit_length()} bits{where} is too large")
    for name, inner in x.items() if isinstance(x, dict) else ():
        _bound(inner, source, name)
    for inner in x if isinstance(x, list) else ():
        _bound(inner, source, key)
