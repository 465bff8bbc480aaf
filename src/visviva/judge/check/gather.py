"""Claims of many places as one: files, folders of files, what is piped in."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from visviva.describe.files.toml.text import LARGEST_FILE
from visviva.describe.values import digest
from visviva.errors import ClaimFileError, VisvivaError
from visviva.judge.check.answers.pieces import Unread
from visviva.judge.check.files import SHEETS, ClaimFile, claims_of, load_claims
from visviva.judge.check.sheets import is_header

SUFFIXES = (".txt", ".md", ".tex", ".csv", ".tsv", ".json", ".toml", ".ipynb")  # files of a folder
PIPED = "-"
_NAMED = 5  # files that a message names
_LEFT_BEHIND = re.compile(
    r"\._.*|\.(DS_Store|localized|git\w*|directory|ipynb_checkpoints|~lock\..*)|__(MACOSX|pycache__)|Thumbs\.db"
    r"|desktop\.ini"
)
_SUBMISSION = re.compile(r"_\d+_assign\w*$")  # Ada Lovelace_4711_assignsubmission_file of Moodle


def gathered(paths: Iterable[str | Path], system: Any = None) -> ClaimFile:
    """The claims of files, of all files in folders, and of what is piped in, "-".

    They are about `system`, or about the one mechanism that some of them name. The options and
    symbols of a file are those of its own claims.
    """
    files = [file for path in paths for file in _files(Path(path))]
    if len(files) == 1 and (files[0].folder is None or files[0].is_sheet):
        one = _one(files[0].path)
        return one if system is None else replace(_about(one, system), system=system)
    claims: dict[str, Any] = {}
    systems: dict[str, Any] = {}
    own: dict[str, ClaimFile] = {}
    named = [x.name for x in files]
    for file in files:
        path, name = file.path, file.name
        made = _about(_one(path) if file.folder is None else _row(file), system)
        name = name if named.count(name) == 1 else str(path)
        alone = len(made.claims) == 1 and next(iter(made.claims)).startswith(("line ", "cell "))
        for label, claim in made.claims.items():
            said = name if alone else f"{name}: {label}"
            said = f"{said} ({path})" if said in claims else said
            claims[said], own[said] = claim, made
        if made.system is not None:
            systems[str(path)] = made.system
    if system is None and len({x.name for x in systems.values()}) > 1:
        listed = ", ".join(f"{path} ({x.name})" for path, x in systems.items())
        raise ClaimFileError(f"{listed:.200}: expected one mechanism, judge them one by one")
    about = next(iter(systems.values()), None) if system is None else system
    return ClaimFile(claims, about, of_many=True, files=own)


def _about(made: ClaimFile, system: Any) -> ClaimFile:
    """The claims of a file, if they are about a system that is given, or say nothing of it."""
    if system is None or made.system is None:
        return made
    own, why = made.system.name, ""
    if own != system.name:
        why = f"it is about {own!r}, as its table [mechanism] says, not {system.name!r}"
    elif _differ(system, made.system):
        why = f"its table [mechanism] states another {own!r} than the one given, not only in values"
    claims = {k: Unread(why, str(x)) for k, x in made.claims.items()} if why else made.claims
    return replace(made, claims=claims, system=None)


def _differ(system: Any, other: Any) -> bool:
    """Whether equations differ, whatever the values of parameters."""
    values = dict(system.parameters)
    if values.keys() != other.parameters.keys():
        return True
    return digest(system) != digest(other.with_parameters(values))


class _File(NamedTuple):
    """A file, whose answers it has, and the folder that was asked for, if it was found in one."""

    path: Path
    name: str
    folder: Path | None = None

    @property
    def is_outside(self) -> bool:
        """Whether it is a link to something outside of the folder."""
        home = os.path.realpath(self.folder or self.path)
        return not Path(os.path.realpath(self.path)).is_relative_to(home)

    @property
    def is_sheet(self) -> bool:
        """Whether it may have the answers of many."""
        return self.path.suffix.lower() in SHEETS and not self.is_outside


def _files(path: Path) -> list[_File]:
    """A file, or all of a folder and of the folders in it, one for each person."""
    if str(path) == PIPED or not path.is_dir():
        return [_File(path, path.stem)]
    found = []
    for x in _inside(path):
        is_read = x.is_dir() and not x.name.startswith(".") and not _File(x, "", path).is_outside
        inner = _inside(x) if is_read else []
        person = _SUBMISSION.sub("", x.name)
        several = len(inner) > 1
        found += [_File(y, f"{person}/{y.stem}" if several else person, path) for y in inner]
        found += [] if inner else [_File(x, person if x.is_dir() else x.stem, path)]
    if not any(x.path.suffix.lower() in SUFFIXES for x in found):
        names = [x.path.name for x in found]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        got = f"; got {', '.join(names[:_NAMED])}{more}, which are not read" if names else ""
        raise ClaimFileError(f"{path}: expected files of claims in it ({', '.join(SUFFIXES)}){got}")
    return found


def _inside(folder: Path) -> list[Path]:
    """What somebody put there, not what systems leave behind."""
    try:
        return sorted(x for x in folder.iterdir() if not _LEFT_BEHIND.fullmatch(x.name))
    except OSError as error:
        raise ClaimFileError(f"{folder}: {error.strerror}") from None


def _row(file: _File) -> ClaimFile:
    """The claims of a file of a folder; what cannot be read has a row that says so."""
    path, kind = file.path, file.path.suffix.lower()
    if path.name.startswith("."):
        return _unread("a hidden file is not read: give it a name that does not begin with a dot")
    if file.is_outside:
        return _unread(f"a link out of {file.folder} is not followed: put the file itself there")
    if path.is_dir():
        deeper = "a folder in a person's folder is not read" if _inside(path) else "an empty folder"
        return _unread(deeper)
    if kind not in SUFFIXES:
        read = f"{', '.join(SUFFIXES[:-1])} and {SUFFIXES[-1]} are"
        return _unread(f"{kind or 'a file without an ending'} is not read, {read}")
    try:
        return _one(path)
    except VisvivaError as error:
        return _unread(str(error))


def _unread(why: str) -> ClaimFile:
    return ClaimFile({"line 1": Unread(why)})


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
