"""`Studied`: a system under study, and what several sections need of it, each computed once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from sympy import Symbol

from visviva.algebra.arrays import Array
from visviva.describe.catalog.kinds import made_with, python_line
from visviva.errors import ArgumentError, OutOfTimeError, VisvivaError
from visviva.notation.names import Names
from visviva.show.figures.mechanism import position_of
from visviva.show.page.page import Page
from visviva.show.scene.of import scene_of
from visviva.show.scene.scene import Scene
from visviva.show.study.demo_motion import DemoMotion, demo_motion
from visviva.show.study.part import NotHereError, sign
from visviva.show.study.patience import within

_SMALL = 4  # velocities of a system whose equations are shown whole
_NAME = 60  # characters of a name in sentences
_LONG = 5  # characters of a coordinate that is written out in long formulas
_PATIENCE = 60.0  # seconds for a motion
_PLAIN = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-. /"


class Studied:
    """What sections are made from; `source` is the file it was read from, or nothing.

    `q`: the position in which it is shown first, if that is given.
    """

    def __init__(
        self, system: Any, page: Page, claims: Any = None, source: str = "", q: Any = None
    ) -> None:
        if not callable(getattr(system, "equilibria", None)):
            raise ArgumentError(
                f"a study is of a Model or a Lagrangian, got {type(system).__name__}"
            )
        if not system.nv:
            raise ArgumentError(f"{system.name!r:.70} has no coordinates: nothing of it moves")
        self.system, self.page, self.claims, self.source = system, page, claims, source
        page.style("study.css")
        self.q = None if q is None else position_of(system, scene_of(system), q, "study")
        if self.q is not None:
            system.check_state(self.q)

    # ---- what it is

    @property
    def name(self) -> str:
        """Its name, of a very long one the beginning."""
        whole = str(self.system.name)
        return whole if len(whole) <= _NAME else f"{whole[:_NAME]}…"

    @property
    def has_bodies(self) -> bool:
        """Whether it is stated by bodies and joints."""
        return bool(self.system.frame_names)

    @property
    def is_small(self) -> bool:
        """Whether its equations can be read whole."""
        return int(self.system.nv) <= _SMALL

    @property
    def is_held(self) -> bool:
        """Whether constraints hold it."""
        return bool(self.system.held_by)

    @cached_property
    def names(self) -> Names:
        """For formulas: coordinates get dots."""
        return Names(self.system.coordinate_names, self.system.parameters)

    @property
    def signs(self) -> list[str]:
        """The coordinates as they are printed, θ₁."""
        return [sign(x, self.names) for x in self.system.coordinate_names]

    @property
    def movers(self) -> list[str]:
        """What moves, one for each velocity, as it is printed."""
        return [sign(x, self.names) for x in self.system.motion_names]

    @cached_property
    def numbered(self) -> dict[Any, Any]:
        """Symbols of coordinates with long names, each with one that is short: q1, q2, …"""
        names = self.system.coordinate_names
        short = [f"q{k}" for k in range(1, len(names) + 1)]
        if max(map(len, names), default=0) <= _LONG or {*short} & {*names, *self.system.parameters}:
            return {}
        return {Symbol(x): Symbol(y) for x, y in zip(names, short, strict=True)}

    @property
    def legend(self) -> str:
        """Which coordinate is which, where they got short names; else nothing."""
        pairs = self.numbered.items()
        return ", ".join(f"{sign(y.name)} is {x.name}" for x, y in pairs)

    @property
    def undriven(self) -> list[int]:
        """Velocities that no motor drives."""
        idle = set(self.system.passive)
        return [k for k, name in enumerate(self.system.motion_names) if name in idle]

    @cached_property
    def entry(self) -> Any:
        """Its line in the catalogue, if it is what that makes; or None."""
        found = made_with(self.system)
        return None if found is None else found[0]

    @property
    def opening(self) -> tuple[str, ...]:
        """Python lines after which `system` is this one."""
        first = "import visviva as vv"
        if self.source:
            return first, f"system = vv.load({self.source!r})"
        if self.entry is not None:
            return first, f"system = {python_line(self.system)}"
        return (
            first,
            f'system = vv.load("{self.file_name}.toml")  # the file at the end of the page',
        )

    @property
    def command(self) -> str:
        """What commands call it: its file, or its name."""
        return self.source or (self.file_name if self.entry is None else str(self.system.name))

    @property
    def file_name(self) -> str:
        """Its name, without what file systems and shells take amiss."""
        kept = "".join(c if c in _PLAIN[:64] else "_" for c in self.system.name)[:40]
        return kept.strip("_") or "mechanism"

    # ---- what several sections need

    @cached_property
    def scene(self) -> Scene:
        """What there is to see of it."""
        scene = scene_of(self.system)
        return scene if self.q is None else scene.begun(self.q)

    @cached_property
    def start(self) -> Array:
        """The position q in which it is shown first."""
        return np.asarray(self.scene.start, dtype=float)

    @property
    def demo_motion(self) -> DemoMotion:
        """What it does by itself; where that cannot be computed soon, it is not tried again."""
        motion = self._demo_motion
        if isinstance(motion, DemoMotion):
            return motion
        raise NotHereError(motion)

    @cached_property
    def _demo_motion(self) -> DemoMotion | str:
        try:
            with within(_PATIENCE):
                return demo_motion(self.system, self.scene)
        except OutOfTimeError:
            return "Its motion takes longer to compute than this page may."
        except (VisvivaError, ValueError, ArithmeticError) as error:
            return f"Its motion cannot be computed: {error}"

    @cached_property
    def closed(self) -> Any:
        """The closed form of its equations."""
        return self.system.closed_form()

    @property
    def tip(self) -> str:
        """The frame at its end."""
        if not self.has_bodies:
            raise NotHereError(
                "It is stated by its energies and has no frames whose reach is asked."
            )
        return str(self.system.frame_names[-1])

    def at(self, q: Any) -> str:
        """A position as Python writes it, with all digits: what is held stays where it is."""
        return "[" + ", ".join(repr(float(x) + 0.0) for x in np.asarray(q, dtype=float)) + "]"
