"""Claims of many places as one: files, folders of files, what is piped in."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from visviva.describe.files.toml.text import LARGEST_FILE
from visviva.errors import ClaimFileError
from visviva.judge.check.files import ClaimFile, claims_of, load_claims
from visviva.judge.check.sheets import is_header

SUFFIXES = (".txt", ".md", ".tex", ".csv", ".tsv", ".json", ".toml")  # files of a folder
PIPED = "-"


def gathered(paths: Iterable[str | Path]) -> ClaimFile:
    """The claims of files, of all files in folders, and of what is piped in, "-"."""
    files = [file for path in paths for file in _files(Path(path))]
    if len(files) == 1:
        return _one(files[0])
    claims: dict[str, Any] = {}
    systems: dict[str, Any] = {}
    options: dict[str, Any] = {}
    stems = [x.stem for x in files]
    for path in files:
        made = _one(path)
        name = path.stem if stems.count(path.stem) == 1 else str(path)
        alone = len(made.claims) == 1 and next(iter(made.claims)).startswith("line ")
        for label, claim in made.claims.items():
            said = name if alone else f"{name}: {label}"
            claims[f"{said} ({path})" if said in claims else said] = claim
        if made.system is not None:
            systems[str(path)] = made.system
        for key, x in made.options.items():
            if options.setdefault(key, x) != x:
                raise ClaimFileError(
                    f"{path}: {key} is {x!r:.60}, other files say {options[key]!r:.60}: judge them "
                    "one by one"
                )
    if len({x.name for x in systems.values()}) > 1:
        listed = ", ".join(f"{path} ({x.name})" for path, x in systems.items())
        raise ClaimFileError(f"{listed:.200}: expected one mechanism, judge them one by one")
    return ClaimFile(claims, next(iter(systems.values()), None), options, of_many=True)


def _files(path: Path) -> list[Path]:
    if str(path) == PIPED or not path.is_dir():
        return [path]
    found = sorted(x for x in path.iterdir() if x.is_file() and x.suffix.lower() in SUFFIXES)
    if not found:
        raise ClaimFileError(f"{path}: expected files of claims in it ({', '.join(SUFFIXES)})")
    return found


def _one(path: Path) -> ClaimFile:
    return _piped() if str(path) == PIPED else load_claims(path)


def _piped() -> ClaimFile:
    """What is piped in says by its beginning what it is: a sheet, JSON, TOML, or lines."""
    text = sys.stdin.read(LARGEST_FILE + 1).removeprefix("\ufeff")
    if len(text) > LARGEST_FILE:
        raise ClaimFileError(f"what is piped in: expected at most {LARGEST_FILE} characters")
    first = text.lstrip().partition("\n")[0].strip()
    if first == "[" or first.startswith(("{", '["', "[{")):
        kind = ".json"
    elif first.startswith("[") and first.endswith("]") and "=" not in first:
        kind = ".toml"
    else:
        kind = ".csv" if is_header(first) else ".txt"
    return claims_of(text, kind, Path("what is piped in"))
