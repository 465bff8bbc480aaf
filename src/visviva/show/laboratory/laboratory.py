"""`Laboratory`: the motion of a mechanism as JavaScript, and all that a page must know of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.idle import refuse_idle
from visviva.equations.steps.flow import CORRECTIONS
from visviva.errors import ArgumentError
from visviva.machine.program.program import Program
from visviva.show.laboratory.functions import POWERS, Functions, is_nothing
from visviva.show.laboratory.grips import grips_of, tips_of
from visviva.show.laboratory.javascript import SCRATCH, Written, written
from visviva.show.laboratory.pace import Pace
from visviva.show.laboratory.sliders import Slider, sliders_of
from visviva.show.laboratory.start import (
    driven_by_motors,
    first_velocity,
    rates_of,
    slid_away,
    speeds_of,
)
from visviva.show.laboratory.subject import Subject, subject_of
from visviva.show.scene.of import scene_of
from visviva.show.scene.scene import Scene

_MOST_HELD = 12  # motors with a switch of their own
_LARGEST = 1_500_000  # characters of a script
# of each function: what it is handed, before the array that it writes to
ARGUMENTS = {
    "acceleration": "q v tau t p",
    "rates": "q v",
    "correct": "q v t p",
    "admit": "q v t p",
    "close": "q held t p",
    "energies": "q v t p",
    "powers": "q v tau t p",
    "weight": "q t p",
    "dry": "v p",
    "places": "q t p",
}
PULL = "q t p r F"


@dataclass(frozen=True, eq=False, repr=False)
class Laboratory:
    """A mechanism that a page can move: `script` defines `VV.mechanism`, `as_dict()` is its data.

    Steps are those of `simulate(q, v, t, method="rk4", dt=dt)`; `sliders` are the numbers of the
    system that a reader changes, in the order in which functions of the script take them.
    """

    system: Any
    scene: Scene
    sliders: tuple[Slider, ...]
    subject: Subject
    functions: Functions
    q: Array
    v: Array
    dt: float
    drag: Array  # what the page's own friction is a multiple of, by velocity
    rounding: Array  # speeds below which dry friction is rounded off
    spread: float = 1.0  # how much faster than each alone what rubs moves together
    slid: tuple[int, ...] = ()  # entries of q that weight would slide away without end

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the sliders."""
        return tuple(x.name for x in self.sliders)

    @cached_property
    def grips(self) -> tuple[int, ...]:
        """For every carrier of the scene the one that forces on it act on; 0: it stands still."""
        return grips_of(self.scene)

    @cached_property
    def script(self) -> str:
        """JavaScript that defines `VV.mechanism`, from the system's own functions."""
        texts, scratch, names = [], 1, []
        for name in ARGUMENTS:
            program = self.program(name)
            if program is None:
                continue
            one = self._written(program, name, ARGUMENTS[name].split())
            names.append(name)
            texts.append(one.text)
            scratch = max(scratch, one.scratch)
        pulls = ["null"] * len(self.grips)
        for k in sorted({*self.grips} - {0}):
            program = self.pull(k)
            if program is not None:
                one = self._written(program, f"pull_{k}", PULL.split())
                texts.append(one.text)
                scratch = max(scratch, one.scratch)
                pulls[k] = f"pull_{k}"
        made = "".join(texts)
        if len(made) > _LARGEST:
            raise ArgumentError(
                f"a laboratory of {self.system.name!r} would be {len(made) / 1e6:.1f} MB of "
                f"JavaScript, and a page takes {_LARGEST / 1e6:.1f} MB"
            )
        return (
            f'"use strict";\nVV.mechanism = (() => {{\nconst {SCRATCH} = '
            f"new Float64Array({scratch});\n{made}return {{ {', '.join(names)}, "
            f"pulls: [{', '.join(pulls)}] }};\n}})();\n"
        )

    def program(self, name: str) -> Program | None:
        """One of the script's functions, before it is written; None if there is nothing to do."""
        if name == "places":
            return self.scene.places(self._of_scene).program
        made: Program | None = getattr(self.functions, name)()
        return made

    def pull(self, carrier: int) -> Program | None:
        """The generalized force of a force on a point of a carrier; None if it does no work."""
        made = self.scene.pull(carrier, self._of_scene)
        return None if made is None or is_nothing(made.program) else made.program

    @property
    def _of_scene(self) -> tuple[str, ...]:
        """Parameters that the scene knows."""
        return tuple(x.name for x in self.sliders if x.is_stated)

    def _written(self, program: Program, name: str, arguments: Sequence[str]) -> Written:
        known = self._of_scene if name == "places" or name.startswith("pull_") else self.parameters
        places = {"parameters": [f"p[{self.parameters.index(x)}]" for x in known]}
        return written(program, name, arguments, places)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        s, stops = self.system, self.subject.stops
        bounds = zip(stops.q, stops.v, stops.lower, stops.upper, stops.restitution, strict=True)
        return {
            "name": s.name,
            "nq": s.nq,
            "nv": s.nv,
            "dt": self.dt,
            "q": self.q.tolist(),
            "v": self.v.tolist(),
            "parameters": [asdict(x) for x in self.sliders],
            "quaternions": [start for _, start in s.quaternions],
            "corrections": CORRECTIONS,
            "speeds": speeds_of(s),
            "powers": list(POWERS),
            "natural": self.functions.is_natural,
            "holdable": self._holdable,
            "rates": rates_of(s, self.scene.size),
            "drag": self.drag.tolist(),
            "rounding": self.rounding.tolist(),
            "spread": self.spread,
            "stops": [
                dict(zip(("q", "v", "lower", "upper", "restitution"), map(_plain, x), strict=True))
                for x in bounds
            ],
            "stopped": self.subject.has_stops,
            "limited": list(stops.names),
            "grips": list(self.grips),
            "tips": tips_of(self.scene, self.grips),
            "size": self.scene.size,
            "notes": list(self.notes),
        }

    @property
    def _holdable(self) -> list[dict[str, Any]]:
        """Coordinates that a motor can hold; those that would slide away are held at first."""
        speeds = speeds_of(self.system)
        driven = driven_by_motors(self.system, self.q)
        places = [k for k in range(self.system.nq) if speeds[k] >= 0 and driven[speeds[k]]]
        found = [
            {
                "name": self.scene.coordinates[k].name,
                "label": self.scene.coordinates[k].label,
                "q": k,
                "v": speeds[k],
                "held": k in self.slid,
            }
            for k in places
            if self.drag[speeds[k]] > 0
        ]
        return found if len(found) <= _MOST_HELD else []

    @property
    def notes(self) -> tuple[str, ...]:
        """What the page computes otherwise than `simulate` does, in sentences."""
        said = []
        count, own = len(self.system.parameters), sum(x.is_stated for x in self.sliders)
        if own < count:
            said.append(f"Sliders change {own} of its {count} numbers.")
        if self.slid:
            names = ", ".join(self.scene.coordinates[k].label for k in self.slid)
            said.append(
                f"Weight would slide {names} away for ever. Actuators hold what slides at first, "
                "as stiff springs with dampers; untick one to see it go."
            )
        if self.subject.is_dry:
            widest = float(self.rounding.max())
            below = f"below {widest:.2g} rad/s or m/s" if widest else "near rest"
            said.append(
                f"Dry friction sticks in this mechanism. Here it is rounded off: {below} it falls "
                "to zero with the speed, so that what would stick creeps; the more, the stronger "
                "friction is made by sliders, or the lighter what it acts on."
            )
        if self.subject.has_stops:
            said.append(
                "Joints stop at their limits. Here an impact is at the end of the step in which a "
                f"joint passes its limit, {self.dt * 1e3:g} ms too late at most."
            )
        elif len(self.subject.stops):
            said.append(
                "Limits of joints hold nothing in these motions, unless you tick that they stop "
                "joints; what comes against one then stays there."
            )
        return tuple(said)

    def __repr__(self) -> str:
        return (
            f"Laboratory of {self.system.name!r}: steps of {self.dt * 1e3:g} ms, "
            f"{len(self.sliders)} sliders, {len(self.script) / 1e3:.0f} kB of JavaScript"
        )


def laboratory_of(
    system: Any, scene: Scene | None = None, parameters: Sequence[str] | None = None
) -> Laboratory:
    """The motion of a system as JavaScript, with sliders for these of its parameters.

    Without `parameters` gravity, masses, lengths and others are chosen, twenty at most; a robot
    from a file has the masses of its bodies. Names are those of `function(…, parameters=…)`, and
    "gravity" is the size of a model's gravity where no parameter of its own is.

    Examples:
        >>> import visviva as vv
        >>> lab = laboratory_of(vv.catalog.rp_arm())
        >>> lab.dt, lab.parameters[:3]
        (0.001, ('a_g', 'm1', 'm2'))
    """
    if not getattr(system, "nv", 0):
        raise ArgumentError(f"{getattr(system, 'name', system)!r} has no coordinates: it stands")
    if getattr(system, "bodies", ()) and not system.held_by:
        refuse_idle(system.numeric, "a laboratory")  # as simulate does
    shown = scene_of(system) if scene is None else scene
    subject = subject_of(system)
    sliders = sliders_of(subject, parameters)
    functions = Functions(subject, tuple(x.name for x in sliders))
    q = np.asarray(shown.start, dtype=float)
    pace = Pace(subject.smooth, functions.acceleration(), q, functions.values)
    if not np.isfinite(pace.rest).all():
        _ = subject.smooth.forward_dynamics.program  # which says what has no inertia
        raise ArgumentError(
            f"accelerations of {system.name!r} are no numbers in the position of its picture, "
            f"{np.array2string(q, precision=4)}"
        )
    v = first_velocity(system, q, shown.velocity, pace, shown.size)
    dt = pace.step(v)
    dry = system.dry_friction if subject.is_dry else np.zeros(system.nv)
    drag = np.diag(functions.at_rest("mass_matrix", q))
    slid = slid_away(system, q, shown.size, functions.at_rest)
    return Laboratory(
        system,
        shown,
        sliders,
        subject,
        functions,
        q,
        v,
        dt,
        drag,
        pace.rounding(dry, dt),
        pace.spread(dry),
        slid,
    )


def _plain(x: Any) -> float | int:
    value: float | int = x.item()
    return value
