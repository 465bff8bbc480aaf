"""What commands share: mechanisms by name or file, lists of name=value, files to write."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from visviva.cli.output import tell
from visviva.errors import ArgumentError, UnknownNameError, check_known
from visviva.hints import in_radians

READ = (".urdf", ".xml", ".mjcf", ".toml")  # suffixes of mechanisms in files


def completions(incomplete: str) -> Iterator[tuple[str, str]]:
    """Names of the catalogue and files that begin so, each with what it is."""
    from visviva.describe.catalog.entry import ENTRIES

    for name, entry in sorted(ENTRIES.items()):
        if name.startswith(incomplete):
            yield name, entry.line
    folder, _, begun = incomplete.rpartition("/")
    above = f"{folder}/" if "/" in incomplete else ""
    try:
        found = sorted(os.scandir(above or "."), key=lambda x: x.name)
    except OSError:
        return
    for x in found:
        if x.name.startswith(begun) and (begun or not x.name.startswith(".")):
            if x.is_dir():
                yield f"{above}{x.name}/", "a folder"
            elif x.name.lower().endswith(READ):
                yield f"{above}{x.name}", "a file"


Mechanism = Annotated[
    str,
    typer.Argument(
        help="A name of the catalogue (visviva list), or a file: .urdf, .xml (MJCF), .toml.",
        autocompletion=completions,
    ),
]
Base = Annotated[
    str, typer.Option("--base", help="Of a URDF file: fixed, or free, which lets its root move.")
]
AsData = Annotated[bool, typer.Option("--json", help="As data, for programs.")]


def system_of(mechanism: str, base: str = "fixed") -> Any:
    """From the catalogue, or from a file if it looks like one; that of a URDF may be set free."""
    from visviva.describe import catalog
    from visviva.describe.load import load

    names = catalog.names()
    check_known("value of --base", base, ("fixed", "free"))
    options = {} if base == "fixed" else {"base": base}
    stated = f"--base {base} is for URDF files; {mechanism} says itself how its base moves"
    call = re.fullmatch(r"(\w+)\((.*)\)", mechanism)
    if options and (call or mechanism in names):
        raise ArgumentError(stated)
    if mechanism in names:
        return catalog.build(mechanism)
    if call:
        return _made(call[1], call[2])
    if Path(mechanism).suffix or "/" in mechanism:
        try:
            return load(mechanism, **options)
        except UnknownNameError as error:
            if options and str(error).startswith("unknown option"):
                raise ArgumentError(stated) from None
            raise
    near = get_close_matches(mechanism.lower(), names, n=3, cutoff=0.4)
    did = f"; did you mean {' or '.join(map(repr, near))}?" if near else ";"
    raise ArgumentError(
        f"unknown mechanism {mechanism!r}{did} visviva list has all {len(names)}; a file is known "
        f"by its suffix: {', '.join(READ)}"
    )


def _made(name: str, said: str) -> Any:
    """A mechanism of the catalogue with numbers: pendulum(2), two_link(m1=3)."""
    from visviva.describe.catalog.entry import ENTRIES

    if name not in ENTRIES:
        return system_of(name)
    try:
        call = cast(ast.Call, ast.parse(f"f({said})", mode="eval").body)
        given = [ast.literal_eval(x) for x in call.args]
        named = {str(x.arg): ast.literal_eval(x.value) for x in call.keywords}
    except (ValueError, SyntaxError):
        given, named = [None], {}
    for x in (*given, *named.values()):
        if isinstance(x, bool) or not isinstance(x, (int, float)):
            raise ArgumentError(
                f"{name}({said:.60}): numbers, by place or by name, as two_link(m1=3.0)"
            )
    entry = ENTRIES[name]
    places = [*entry.options, *entry.parameters]
    if len(given) > len(places) or {*places[: len(given)]} & named.keys():
        raise ArgumentError(f"{name} takes {', '.join(places)}, each once; got {name}({said:.60})")
    return entry.make(**dict(zip(places, given, strict=False)), **named)


def numbers_of(text: str, option: str, names: Sequence[str] = ()) -> dict[str, float]:
    """a=1,b=2 as numbers; `names` are those that may be given one."""
    made = {}
    for pair in filter(None, text.split(",")):
        name, sign, value = (x.strip() for x in pair.partition("="))
        try:
            made[name] = float(value)
        except ValueError:
            name = ""
        if not (name and sign):
            way = f", as {option} {names[0]}=0.3" if names else ""
            said = f"expected name=value{way}; got {pair!r}{in_radians(value)}"
            raise typer.BadParameter(said, param_hint=option)
    return made


def pairs_of(text: str, option: str) -> dict[str, str]:
    """a=b,c=d as names and what they stand for."""
    made = {}
    for pair in filter(None, text.split(",")):
        left, sign, right = pair.partition("=")
        if not (left.strip() and sign and right.strip()):
            raise typer.BadParameter(f"expected name=name, got {pair!r}", param_hint=option)
        made[left.strip()] = right.strip()
    return made


def check_output(path: Path | None, known: tuple[str, ...] = ()) -> None:
    """Refuse files that could not be written, before the work."""
    if path is None:
        return
    if known and path.suffix not in known:
        raise ArgumentError(f"the suffix of {path} is none of {', '.join(known)}")
    if not path.parent.is_dir():
        raise ArgumentError(f"{path} cannot be written: there is no folder {path.parent}")
    if path.is_dir():
        raise ArgumentError(f"{path} cannot be written: it is a folder")
    if path.is_fifo() and path.parts[:2] != ("/", "dev"):  # as a shell's >(…) is
        raise ArgumentError(f"{path} cannot be written: it is a pipe, which may have no reader")


def written(path: Path, what: str = "written to") -> None:
    """Say where a result is."""
    tell(f"{what} {path}")
