"""`study(system)`: all sections of a system, each within its time, as a page."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any

from visviva.errors import (
    AccountWarning,
    ArgumentError,
    NotFiniteWarning,
    OutOfTimeError,
    VisvivaError,
)
from visviva.progress import progress
from visviva.show.laboratory.section import laboratory_section
from visviva.show.page.escaping import escaped
from visviva.show.page.page import Page, Section
from visviva.show.study.part import NotHereError, Part
from visviva.show.study.patience import given, within
from visviva.show.study.patience import patience as patient
from visviva.show.study.sections.again import again
from visviva.show.study.sections.derivation import derivation_steps
from visviva.show.study.sections.diagrams import diagrams
from visviva.show.study.sections.equations import equations
from visviva.show.study.sections.freedoms import freedoms
from visviva.show.study.sections.head import hero, title
from visviva.show.study.sections.inventory import inventory
from visviva.show.study.sections.modes import modes
from visviva.show.study.sections.motion import motion
from visviva.show.study.sections.proof import proof
from visviva.show.study.sections.reach import reach
from visviva.show.study.sections.speed import costs
from visviva.show.study.sections.verdicts import judged
from visviva.show.study.studied import Studied

Way = Callable[[Studied], Part]


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """What is known of a system: `sections` in order, and the page that shows them."""

    name: str
    sections: tuple[Part, ...]
    page: Page
    seconds: float  # that it took, all in all

    def save(self, path: str | PathLike[str]) -> Path:
        """One HTML file that opens anywhere, without a network."""
        return self.page.save(path)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        parts = [part.as_dict() for part in self.sections]
        return {"name": self.name, "seconds": self.seconds, "sections": parts}

    def __repr__(self) -> str:
        lines = [f"study of {self.name!r:.70}, {self.seconds:.1f} s"]
        for part in self.sections:
            said = part.missing or part.lead
            lines.append(f"  {part.heading}: {said.partition('. ')[0].rstrip('.')}")
        return "\n".join(lines)


def study(
    system: Any,
    claims: Any = None,
    *,
    source: str = "",
    patience: float = 1.0,
    q: Any = None,
) -> Study:
    """All that is known of a system, section by section; what does not apply says so.

    `claims`: equations to be judged, as texts, by labels, or a file of them (a path, or what
    `load_claims` reads). `source` is the file that the system was read from, for the lines that
    say how to get everything again. `patience`: how many times as long as usual a section may take.
    `q`: the position in which it is shown and let go.
    """
    if not 0 < patience < float("inf"):
        raise ArgumentError(f"patience is a number above 0, got {patience!r:.40}")
    began, page = perf_counter(), Page("")
    s = Studied(system, page, claims, source, q)
    parts: list[Part] = []
    with _quiet(), patient(patience), progress(f"study of {s.name}", len(_WAYS) + 2) as at:
        at.step("its own motion")
        with suppress(NotHereError):
            _ = s.demo_motion
        for one in _made(s, at.step):
            parts.append(one)
            if one.html:
                page.add(one.section)
        at.step("page")
        more = {k: x for part in parts for k, x in part.facts.items()}
        page.title, page.subtitle = title(s)
        page.hero = hero(s, page, more)
        last = replace(again(s, parts), id="again", heading="How to get all this again")
        _left_out(page, parts)
        page.add(last.section)
    return Study(system.name, (*parts, last), page, perf_counter() - began)


@contextmanager
def _quiet() -> Iterator[None]:
    """What functions warn of while a page is made, the page itself shows."""
    with warnings.catch_warnings():
        for kind in (AccountWarning, NotFiniteWarning):
            warnings.simplefilter("ignore", kind)
        yield


def _made(s: Studied, step: Callable[[str], None]) -> Iterator[Part]:
    for id_, heading, seconds, way in _WAYS:
        step(heading.lower())
        start = perf_counter()
        part = _within(s, seconds, way)
        yield replace(part, id=id_, heading=heading, seconds=perf_counter() - start)


def _within(s: Studied, seconds: float, way: Way) -> Part:
    """A section, or a sentence that says why there is none."""
    try:
        with within(seconds):
            return way(s)
    except NotHereError as error:
        return Part(missing=str(error))
    except OutOfTimeError:
        return Part(missing=_longer(s, seconds, way))
    except VisvivaError as error:
        return Part(missing=f"It cannot be said of this mechanism: {error}")
    except Exception as error:  # a page with a gap is worth more than none
        said = f"It failed, which is a mistake of visviva: {type(error).__name__}: {error}"
        return Part(missing=said, is_broken=True)


def _longer(s: Studied, seconds: float, way: Way) -> str:
    """That it takes too long here, and what takes its time."""
    own = f"; {_COMMANDS[way].format(s.command)} computes it" if way in _COMMANDS else ""
    return (
        f"It would take longer than the {given(seconds):g} seconds it is given here{own}. "
        f"visviva study {s.command} --patience {10 * given(1.0):g} gives it ten times as long."
    )


def _laboratory(s: Studied) -> Part:
    made: Section = laboratory_section(s.system, s.scene, s.page)
    return Part(made.lead, made.html)


# id, heading, seconds of the processor that it may take, and what makes it
_WAYS: tuple[tuple[str, str, float, Way], ...] = (
    ("laboratory", "Laboratory", 40.0, _laboratory),
    ("parts", "What it is made of", 10.0, inventory),
    ("freedoms", "How it can move", 30.0, freedoms),
    ("equations", "Equations of motion", 40.0, equations),
    ("derivation", "How they are derived", 40.0, derivation_steps),
    ("proof", "Why you can trust them", 40.0, proof),
    ("speed", "What they cost", 30.0, costs),
    ("motion", "A motion", 60.0, motion),
    ("modes", "Rest and small motions", 30.0, modes),
    ("reach", "Reach and singular positions", 90.0, reach),
    ("diagrams", "Forces on every body", 30.0, diagrams),
    ("verdicts", "Your claims", 60.0, judged),
)


# what else computes a section that took too long
_COMMANDS: dict[Way, str] = {
    equations: "visviva derive {}",
    derivation_steps: "visviva derive {}",
    reach: "visviva kinematics {}",
    motion: "visviva simulate {}",
}


def _left_out(page: Page, parts: Sequence[Part]) -> None:
    """What a reader looks for in vain, each with the reason."""
    absent = [part for part in parts if part.missing]
    if absent:
        listed = "".join(
            f"<li><b>{escaped(part.heading)}.</b> {escaped(part.missing)}</li>" for part in absent
        )
        page.add(Section("absent", "What is not on this page", f"<ul>{listed}</ul>"))
