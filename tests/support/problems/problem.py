"""Reference problems of multibody dynamics: how they are stated, and what is true of them.

A problem's `code` makes a system and its start, `call` moves it: both stand on the page as they are
run. `values` takes numbers of the motion; `truth` has the same by another road, with more digits;
`published` what others found.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import visviva as vv
from tests.support.oracles import extrapolation

PAGE_TOLERANCE = "rtol=1e-12, atol=1e-13"


@dataclass(frozen=True)
class Problem:
    """One problem of the page."""

    title: str
    text: str
    code: str
    call: str
    values: Callable[[Mapping[str, Any]], dict[str, float]]
    truth: Callable[[Mapping[str, Any]], dict[str, Any]]
    road: str  # how the truth is found
    published: Mapping[str, float] = field(default_factory=dict)
    source: str = ""
    within: float = 1e-9  # of the truth, relative where numbers are large
    cheap: bool = False  # for every test run; the others compile for longer
    note: str = ""

    def stated(self) -> dict[str, Any]:
        """The names that the code makes."""
        names: dict[str, Any] = {"np": np, "vv": vv}
        exec(self.code, names)
        return names

    def moved(self, names: dict[str, Any]) -> dict[str, Any]:
        """The same, and what the call makes."""
        exec(self.call, names)
        return names


def state(run: Any, t: float) -> dict[str, float]:
    """Coordinates and velocities by name at a time of the samples."""
    q, v = run.at(t)
    return dict(zip(_labels(run.system), [*q, *v], strict=True))


def _labels(system: Any) -> list[str]:
    """Of coordinates and of their rates, which are the velocities of all systems here."""
    return [*system.coordinate_names, *(f"{x}'" for x in system.coordinate_names)]


def digits(names: Mapping[str, Any], times: Any, tau: Any = None, count: int = 24) -> list[Any]:
    """Coordinates and velocities by name at times, by extrapolation of the interpreted program."""
    s = names["system"]
    found = extrapolation.of_system(s, names["q"], names["v"], times, tau, count)
    return [dict(zip(_labels(s), y, strict=True)) for y in found]


def chosen(
    labels: str, states: Mapping[float, Mapping[str, Any]], unit: str = "s"
) -> dict[str, Any]:
    """Numbers of states under labels with their times."""
    return {f"{x} at {t:g} {unit}": y[x] for t, y in states.items() for x in labels.split()}
