"""`InstantCentres`: about which points bodies of a plane mechanism turn, relative to each other.

A body that turns at ω, and whose point at the origin moves with v, stands still at n × v / ω. By
Aronhold and Kennedy the three centres of three bodies lie on one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.describe.model.model import Model
from visviva.drawing.look import ALARM, words
from visviva.equations.constraints.rows import constraint_matrix
from visviva.equations.frames.kinematics import jacobian
from visviva.errors import ArgumentError, check_known
from visviva.foreign import explained
from visviva.solve.assembly import VIOLATED, check_state
from visviva.solve.planar.drawing import label_places, laid_out, linkage_figure
from visviva.solve.planar.meeting import branch_tangents
from visviva.solve.planar.plane import Plane, plane_needed
from visviva.solve.rows import VANISHING, directions, finite

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

NO_MOTION = 1e-10  # of the velocities there are: what is less is none


@dataclass(frozen=True, eq=False)
class Centre:
    """Of two bodies. `point` (3,), or None: then one shifts relative to the other, along no turn.

    `direction` (3,) is where the centre lies, infinitely far, or None where nothing moves.
    """

    bodies: tuple[str, str]
    point: FloatArray | None
    direction: FloatArray | None
    rate: float  # at which the second turns relative to the first, rad/s, counterclockwise

    @property
    def kind(self) -> str:
        """ "point", "at infinity" or "at rest"."""
        if self.point is not None:
            return "point"
        return "at rest" if self.direction is None else "at infinity"

    def __repr__(self) -> str:
        names = " and ".join(self.bodies)
        if self.point is not None:
            return f"{names}: {_text(self.point)} m"
        if self.direction is None:
            return f"{names}: do not move relative to each other"
        return f"{names}: infinitely far along {_text(self.direction)}"


@explained
@dataclass(frozen=True, eq=False, repr=False)
class InstantCentres(Mapping[tuple[str, str], Centre]):
    """The centres of all pairs of bodies, the ground included, by their names in any order."""

    model: Model
    q: FloatArray
    v: FloatArray
    plane: Plane
    bodies: tuple[str, ...]
    found: Mapping[frozenset[str], Centre]

    def __getitem__(self, pair: Any) -> Centre:
        names = list(pair) if isinstance(pair, (tuple, list, set, frozenset)) else []
        if len(names) != 2 or names[0] == names[1]:
            raise ArgumentError(f"a centre is that of two bodies, by their names; got {pair!r}")
        for name in names:
            check_known(f"body of {self.model.name!r}", name, self.bodies)
        return self.found[frozenset(names)]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(x.bodies for x in self.found.values())

    def __len__(self) -> int:
        return len(self.found)

    def plot(self) -> Figure:
        """The linkage with its centres (plotly); those infinitely far are not on it."""
        title = f"{self.model.name}: instant centres"
        fig = linkage_figure(self.model, self.q, self.plane, title)
        some = [x for x in self.found.values() if x.point is not None]
        groups: dict[tuple[float, float], list[Centre]] = {}
        for x in some:  # several pairs may have one point
            flat = self.plane.flat(x.point).round(9) + 0.0
            groups.setdefault((float(flat[0]), float(flat[1])), []).append(x)
        texts = [
            "<br>".join(" / ".join(map(words, c.bodies)) for c in some) for some in groups.values()
        ]
        fig.add_scatter(
            x=[p[0] for p in groups],
            y=[p[1] for p in groups],
            text=texts,
            mode="markers+text",
            textposition=label_places(list(groups), texts),
            cliponaxis=False,
            marker={"symbol": "x", "size": 10, "color": ALARM},
            name="instant centres",
        )
        return laid_out(fig, self.plane)

    def __repr__(self) -> str:
        lines = [f"{self.model.name}: instant centres of {len(self.bodies)} bodies"]
        return "\n".join([*lines, *(f"  {x!r}" for x in self.found.values())])


def instant_centres(model: Any, q: Any, v: Any = None) -> InstantCentres:
    """Of all pairs, for the motion that there is, or the one with velocities v."""
    m: Model = model.numeric
    at = finite(f"q of {m.name!r}", q, m.nq)
    plane = plane_needed(m, at, "instant_centres")
    rate = _motion(model, m, at, v)
    names = (m.base_name, *m.body_names)
    twists = {m.base_name: np.zeros(3)}
    far = [np.zeros(2)]
    for b, X in zip(m.bodies, m.body_poses(at), strict=True):
        V = np.asarray(jacobian(m, b.name, at), dtype=float) @ rate
        w, p = float(plane.turning(V[:3])), plane.flat(X.p)
        far.append(p)
        # velocity of the body's point at the origin, in the plane: v - ω n × p
        twists[b.name] = np.array([w, *(plane.flat(V[3:]) - w * np.array([-p[1], p[0]]))])
    size = float(np.ptp(far, axis=0).max()) or 1.0
    most = max(max(abs(x[0]) * size, float(np.hypot(*x[1:]))) for x in twists.values())
    height = float(plane.turning(m.body_poses(at)[0].p))  # in which plane points are given
    found = {}
    for one, other in combinations(names, 2):
        w, x, y = twists[other] - twists[one]
        speed = float(np.hypot(x, y))
        point = direction = None
        if max(abs(w) * size, speed) > NO_MOTION * most:
            if abs(w) * size > NO_MOTION * max(speed, NO_MOTION * most):
                point = _raised(plane, np.array([-y, x]) / w, height)
            else:
                direction = _raised(plane, np.array([-y, x]) / speed, 0.0)
        turn = float(w) if point is not None else 0.0
        found[frozenset((one, other))] = Centre((one, other), point, direction, turn)
    return InstantCentres(m, frozen(at), frozen(rate), plane, names, found)


def _raised(plane: Plane, x: Array, height: float) -> Array:
    """A point of the plane in the world."""
    return np.asarray(x[0] * plane.right + x[1] * plane.up + height * plane.normal)


def _motion(model: Any, m: Model, q: Array, v: Any) -> Array:
    """The one motion that there is, or the given one if constraints admit it."""
    check_state(model, q)
    N, _ = directions(np.asarray(constraint_matrix(m, q), dtype=float), none=VANISHING)
    meeting = branch_tangents(model, q, N)
    if v is not None:
        check_state(model, q, v, tolerance=VANISHING if meeting else VIOLATED)
        given = finite(f"v of {m.name!r}", v, m.nv)
        if not given.any():
            raise ArgumentError(f"nothing of {m.name!r} moves with v = 0: there are no centres")
        return given
    if N.shape[1] == 0:
        raise ArgumentError(f"{m.name!r} cannot move at this position: there are no centres")
    if len(meeting) == 1:
        return np.asarray(meeting[0])
    if N.shape[1] > 1:
        more = "admitted_velocity(q, v) is one that the constraints admit" if m.held_by else ""
        if meeting:
            ways = ", ".join(_text(x / np.abs(x).max()) for x in meeting)
            more = f"branches meet here, and v is that of one of them: {ways}"
        raise ArgumentError(
            f"{m.name!r} can move in {N.shape[1]} ways at this position, and centres depend on "
            f"which: v says it, velocities of {', '.join(m.motion_names)}" + (more and f"; {more}")
        )
    return np.asarray(N[:, 0])


def _text(x: Any) -> str:
    return f"({', '.join(f'{round(float(y), 12) + 0.0:.6g}' for y in x)})"
