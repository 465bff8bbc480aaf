"""What a motion is varied by: blocks of columns, by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from visviva.errors import ArgumentError, UnknownNameError

START_BLOCKS, FORCE_BLOCKS = ("q0", "v0"), ("tau", "u")
ALL_PARAMETERS = "parameters"
PREFIX = "parameters:"

UNSTATED = (
    "by lengths and places it goes where they are parameters, Builder(name, parameters={'l': 0.2}) "
    "with at=['l', 0, 0]"
)


@dataclass(frozen=True, eq=False)
class Columns:
    """Blocks in the order in which they were asked for: their shapes by name, () of a parameter.

    `table` says that forces change along the motion: their block has a row for each of them.
    """

    shapes: Mapping[str, tuple[int, ...]]
    labels: tuple[str, ...]  # of all columns
    parameters: Mapping[
        str, int
    ]  # those that are varied, and their places among all that are inputs
    force: str = ""  # "tau" or "u", if it is varied
    table: bool = False

    @property
    def slices(self) -> dict[str, slice]:
        """Which columns every block has."""
        slices, first = {}, 0
        for name, shape in self.shapes.items():
            slices[name] = slice(first, first + math.prod(shape))
            first += math.prod(shape)
        return slices

    @property
    def count(self) -> int:
        """How many columns there are."""
        return sum(map(math.prod, self.shapes.values()))

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs of a step that they come from, besides its state."""
        parameters = (ALL_PARAMETERS,) if self.parameters else ()
        return (*parameters, self.force) if self.force else parameters


def asked_blocks(system: Any, wrt: Any, given: Mapping[str, Any]) -> tuple[str, ...]:
    """The names in `wrt`, "parameters" replaced by those that are given; each known, and once."""
    # a set has no order, and that of columns would be another every time
    listed = (
        (wrt,) if isinstance(wrt, str) else tuple(wrt) if isinstance(wrt, (tuple, list)) else ()
    )
    if not listed or not all(isinstance(x, str) for x in listed):
        raise ArgumentError(
            f"wrt= lists what a motion is differentiated by, as in ('q0', 'v0', 'm2'); got {wrt!r}"
        )
    known = system.parameter_names
    names: list[str] = []
    for name in listed:
        if name == ALL_PARAMETERS:
            if not given:
                raise ArgumentError(
                    "wrt='parameters' means all that parameters= has, and it has none; name those "
                    f"that are meant: {', '.join(known)}"
                )
            names += [_parameter(x, system) for x in given]
        elif name in START_BLOCKS or name in FORCE_BLOCKS:
            names.append(name)
        else:
            names.append(_parameter(name.removeprefix(PREFIX), system))
    if len(set(names)) < len(names):
        raise ArgumentError(f"wrt: a name occurs twice in {', '.join(names)}")
    return tuple(names)


def _parameter(name: str, system: Any) -> str:
    """A parameter by name; one that is called as a block is has its prefix, so that both can be."""
    known = system.parameter_names
    if name not in known:
        raise UnknownNameError(
            "block of wrt",
            name,
            (*START_BLOCKS, *FORCE_BLOCKS, ALL_PARAMETERS, *known),
            None if system.parameters or get_close_matches(name, known, 1, 0.8) else UNSTATED,
        )
    return f"{PREFIX}{name}" if name in (*START_BLOCKS, *FORCE_BLOCKS, ALL_PARAMETERS) else name


def plain_name(block: str) -> str:
    """The parameter that a block is about."""
    return block.removeprefix(PREFIX)


def varied_columns(task: Any, blocks: tuple[str, ...]) -> Columns:
    """Shapes and labels of blocks, for a motion that is known by now."""
    s, law = task.system, task.flow.law
    shapes: dict[str, tuple[int, ...]] = {}
    labels: list[str] = []
    places: dict[str, int] = {}
    force = ""
    for name in blocks:
        if name in START_BLOCKS:
            shapes[name] = (s.nv,)
            moving = s.motion_names if name == "q0" else s.velocity_names
            labels += [f"{name}_{x}" for x in moving]
        elif name in FORCE_BLOCKS:
            _check_given(law, name)
            own = s.motion_names if name == "tau" else tuple(map(str, range(law.drives_count)))
            rows = () if task.table is None else (task.table.shape[-2],)
            shapes[name], force = (*rows, len(own)), name
            at = [f"[{k}]" for k in range(rows[0])] if rows else [""]
            labels += [f"{name}{row}_{x}" for row in at for x in own]
        else:
            shapes[name] = ()
            places[name] = task.flow.parameters.index(plain_name(name))
            labels.append(name)
    return Columns(shapes, tuple(labels), places, force, bool(force) and task.table is not None)


def _check_given(law: Any, name: str) -> None:
    if law.controller is not None:
        raise ArgumentError(
            f"wrt={name!r}: the forces are those of a controller, and no input of the motion; "
            "forces as numbers are, tau=[...]"
        )
    if (name == "u") != law.drives:
        given = "u" if law.drives else "tau"
        raise ArgumentError(f"wrt={name!r}: the forces of this motion are {given}=")
