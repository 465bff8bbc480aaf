"""Where constraints of a system have a kink or a jump, as y = |x| has at zero.

Velocities that they admit before it are none after it: what comes there is in an impact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from visviva.machine.program.laws import borders, has_conditions
from visviva.machine.program.program import Port

_BENT = 1e-6  # of rows of constraints: what is less is rounding
_ROWS = ("constraint_error", "constraint_matrix", "constraint_velocity")  # φ, A, and a₀ at rest


class Kink(NamedTuple):
    """On way number `way`, a share of it from its start: the position, and what is there."""

    way: int
    share: float
    q: np.ndarray
    jump: float  # of what is held; zero if it has a kink only

    @property
    def told(self) -> str:
        """What there is, after "the constraints have"."""
        return f"a jump of {self.jump:.3g}" if self.jump else "a kink"


def kinks(
    s: Any,
    start: Mapping[str, np.ndarray],
    end: Mapping[str, np.ndarray],
    names: tuple[str, ...] = (),
) -> list[Kink]:
    """On straight ways between positions "q" (n, nq) at times "t" (n,), in the order of them.

    `names` are parameters, whose values "parameters" (n, p) are given too. Rows about velocities
    are looked at where these are zero.
    """
    if not may_have_kinks(s, names):
        return []
    rows = _rows(_by_formulas(s), names)
    still = {"v": np.zeros((len(start["q"]), s.nv))}
    start, end = {**still, **start}, {**still, **end}
    found = []
    for f in rows:
        ports = f.program.inputs
        ends = [
            np.hstack([np.reshape(x[port.name], (len(x["q"]), port.size)) for port in ports])
            for x in (start, end)
        ]
        for at in borders(f.program, *ends):
            here = {k: np.asarray(x)[at.way] for k, x in start.items()}
            sides = [here | _named(x, ports) for x in (at.low, at.high)]
            before, after = ([np.asarray(_at(f, x)) for f in rows] for x in sides)
            pairs = zip(before, after, strict=True)
            off = [float(np.abs(x - y).max(initial=0.0)) for x, y in pairs]
            sizes = [max(1.0, float(np.abs(sides[0]["q"]).max())), float(np.abs(before[1]).max())]
            sizes.append(float(np.abs([before[2], after[2]]).max()))
            over = [x > _BENT * y for x, y in zip(off, sizes, strict=True)]
            if any(over):
                found.append(Kink(at.way, at.share, sides[0]["q"], off[0] * over[0]))
    return sorted(found, key=lambda x: (x.way, x.share))


def may_have_kinks(s: Any, names: tuple[str, ...] = ()) -> bool:
    """Whether anything is compared in the formulas of its constraints."""
    stated = _by_formulas(s)
    return bool(stated.held_by) and any(has_conditions(f.operations) for f in _rows(stated, names))


def _by_formulas(s: Any) -> Any:
    """The same, held by formulas alone: closures of other joints are smooth where they hold."""
    active = s.constraints.active
    stated = tuple(x for x in active if not getattr(x, "frames", ()) or x.joint.has_formula)
    if len(stated) == len(active):
        return s
    if "_by_formulas" not in s.__dict__:
        s.__dict__["_by_formulas"] = replace(s, constraints=stated)
    return s.__dict__["_by_formulas"]


def _rows(s: Any, names: tuple[str, ...]) -> list[Any]:
    return [s.function(x, parameters=names) for x in _ROWS]


def _at(f: Any, values: Mapping[str, np.ndarray]) -> Any:
    return f(*(values[k] for k in f.inputs))


def _named(point: np.ndarray, ports: Sequence[Port]) -> dict[str, np.ndarray]:
    """The numbers of a point by the names of inputs."""
    parts = np.split(point, np.cumsum([port.size for port in ports])[:-1])
    return {port.name: x.reshape(port.shape) for port, x in zip(ports, parts, strict=True)}


def is_dry(forces: Any) -> bool:
    """Whether forces, a function, have the sign of a velocity; |q| has that of a position."""
    return bool(forces.operations["sign"]) and forces.program.applies("sign", "v")


def way_without_dry_friction(system: Any) -> str:
    """What to call; a Lagrangian has one function for all that dissipates."""
    if system.dry_friction.any():
        return "without_dry_friction() gives the mechanism without it, damping stays"
    return "without_dissipation() gives the mechanism without it (and without damping)"
