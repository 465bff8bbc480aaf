"""A motion that shows what a mechanism does by itself: let go, or thrown so that it stays in view.

The first start is the position of the picture, with the velocity that the system states, else at
rest; where nothing would move, with some velocity. A motor holds slides that would fall without
end. Where the mechanism leaves the picture soon all the same, other starts are tried, and the one
that stays longest is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import MotionError, OutOfTimeError, VisvivaError
from visviva.motion.trajectory import Trajectory
from visviva.notation.names import Names
from visviva.show.laboratory.start import slid_away
from visviva.show.scene.scene import Scene
from visviva.show.study.part import few, number, sign
from visviva.show.study.patience import within

_LONGEST, _SHORTEST = 8.0, 0.02  # seconds
_SWINGS = 9.0  # times in which a mechanism lets itself go by about its own size
_SEEN = 3.3  # radii around the centre of the picture
_FARTHEST = 4.95  # likewise, where a system states how it starts; pictures show five
_STARTS = 48  # that are tried
_STEPS = 1000  # of such a try
_SAMPLES = 1001  # so many that curves have no corners
_LARGE = 200  # operations of an acceleration
_PATIENCE = 16.0  # seconds for one motion
_PARTS = (1.0, 0.15)  # of a motion that cannot go on, or takes long
_SLOWER = 20  # times that a velocity is halved
_SPREAD = (1.3, 0.8, 1.7)  # speeds of what nothing sets in motion, one after the other
_STIFF = 30.0  # rad/s, of what a motor holds by itself


@dataclass(frozen=True, eq=False)
class Natural:
    """A motion, and in words how it begins."""

    run: Trajectory
    words: str
    q: Array
    v: Array
    hold: Hold


@dataclass(frozen=True)
class Hold:
    """Motors that hold some joints like stiff springs with dampers, and leave the others alone."""

    names: tuple[str, ...] = ()
    rows: tuple[tuple[int, int, float, float, float], ...] = ()  # places in q and v, rest, k, d
    count: int = 0

    @property
    def words(self) -> str:
        """What they do."""
        if not self.rows:
            return "without motors"
        what = "a motor holds" if len(self.rows) == 1 else "motors hold"
        return f"while {what} {few(self.names)}"

    @property
    def lines(self) -> tuple[str, ...]:
        """Of Python, which define `hold`."""
        if not self.rows:
            return ()
        tau = ["0.0"] * self.count
        for i, j, rest, k, d in self.rows:
            tau[j] = f"-{k!r} * (q[{i}] - {rest!r}) - {d!r} * v[{j}]"
        return "def hold(t, q, v):", f"    return [{', '.join(tau)}]"

    @property
    def law(self) -> Any:
        """As `simulate` takes it; None if there are none."""
        return self if self.rows else None

    def __call__(self, t: Any, q: Any, v: Any) -> list[Any]:
        tau: list[Any] = [0.0] * self.count
        for i, j, rest, k, d in self.rows:
            tau[j] = -k * (q[i] - rest) - d * v[j]
        return tau


def natural(system: Any, scene: Scene) -> Natural:
    """The motion of a system that a picture shows."""
    q = np.asarray(scene.start, dtype=float)
    rest = np.zeros(system.nv)
    a = _acceleration(system, q, rest)
    scale = _scales(system, scene)
    pull = float(np.abs(a / scale).max(initial=0.0))
    is_pulled = np.isfinite(pull) and pull > 1e-6
    stated = np.asarray(scene.velocity, dtype=float)
    if stated.any():
        v, words = stated, f"let go with {_told(scene, stated)}"
    elif is_pulled:
        v, words = rest, "let go at rest"
    else:
        v = _slow(system, q, _admitted(system, q, _thrown(system, scale)))
        words = "set in motion; nothing pulls at it"
    pace = pull**-0.5 if is_pulled else 1.0
    t = float(np.clip(_SWINGS * pace, _SHORTEST, _LONGEST))
    hold = _hold(system, scene, q)
    run = _run(system, q, v, t, hold)
    radii = _FARTHEST if stated.any() else _SEEN
    seen = _seen(scene, run, radii)
    is_open = not (system.held_by or system.quaternions or hold.rows)
    if seen < len(run.t) // 2 and is_open:
        found = _tried(system, scene, t, scale)
        if found is not None:
            other = _run(system, *found, t, hold)
            longer = _seen(scene, other)
            if longer > 1.3 * seen:
                (q, v), run, seen = found, other, longer
                words = "thrown, so that it stays in the picture for a while"
    if seen < len(run.t):
        run = _run(system, q, v, float(run.t[max(seen, len(run.t) // 20)]), hold)
    return Natural(run, words, np.asarray(q), np.asarray(v), hold)


def rate_units(scene: Scene) -> list[str]:
    """Of the velocities; where none is stated, by what the formulas say of the coordinates."""
    s = scene.system
    found = [c.unit and f"{c.unit}/s" for c in scene.coordinates] if s.nq == s.nv else [""] * s.nv
    return [a or b for a, b in zip(s.velocity_units, found, strict=True)]


def _told(scene: Scene, v: Array) -> str:
    """The velocities that are not zero, as a person writes them: ψ̇ = 150 rad/s."""
    system, units = scene.system, rate_units(scene)
    names = Names(system.coordinate_names, system.velocity_names)
    return few(
        f"{sign(system.velocity_names[k], names)} = {number(v[k], units[k], 3)}"
        for k in np.flatnonzero(v)
    )


def _hold(system: Any, scene: Scene, q: Array) -> Hold:
    """Of slides that weight would move without end."""

    def at_rest(name: str, q: Array) -> Array:
        f = system.function(name)
        known = {"q": q, "v": np.zeros(system.nv), "t": 0.0}
        return np.asarray(f(*(known[x] for x in f.inputs)), dtype=float)

    slid = set(slid_away(system, q, scene.size, at_rest))
    M = np.diag(at_rest("mass_matrix", q)) if slid else np.zeros(0)
    places = [(x.start, y.start) for x, y in system.joint_slices.values() if x.start in slid]
    rows = [
        (i, j, *(float(f"{x:.6g}") for x in (q[i], _STIFF**2 * M[j], 2 * _STIFF * M[j])))
        for i, j in places
    ]
    names = tuple(system.coordinate_names[i] for i, _ in places)
    return Hold(names, tuple(rows), int(system.nv))


def _run(system: Any, q: Array, v: Array, t: float, hold: Hold) -> Trajectory:
    """For as much of this time as can be computed soon."""
    large = system.forward_dynamics.operations.total() > _LARGE
    method = "lsoda" if large else "auto"  # which compiles less
    run: Trajectory
    for part in _PARTS:
        times = np.linspace(0.0, part * t, _SAMPLES)
        try:
            with within(_PATIENCE):
                run = system.simulate(q, v, times, tau=hold.law, method=method)
                return run
        except (MotionError, OutOfTimeError, ValueError):  # the last of SciPy's own
            continue
    how = {"method": "rk4", "dt": _PARTS[-1] * t / _STEPS}
    run = system.simulate(q, v, _PARTS[-1] * t, tau=hold.law, **how)
    return run


def _acceleration(system: Any, q: Array, v: Array) -> Array:
    f = system.forward_dynamics
    known = {"q": q, "v": v, "tau": np.zeros(system.nv), "t": 0.0}
    return np.asarray(f(*(known[x] for x in f.inputs)), dtype=float)


def _scales(system: Any, scene: Scene) -> Array:
    """What a unit of each velocity is worth: a radian, or the size of the mechanism."""
    return np.array([1.0 if "rad" in unit else scene.size for unit in system.velocity_units])


def _thrown(system: Any, scale: Array) -> Array:
    return np.array([_SPREAD[k % len(_SPREAD)] for k in range(system.nv)]) * scale


def _slow(system: Any, q: Array, v: Array) -> Array:
    """Nothing is faster than light, where a system has some."""
    for _ in range(_SLOWER):
        if np.isfinite(_acceleration(system, q, v)).all():
            break
        v = v / 2
    return v


def _admitted(system: Any, q: Array, v: Array) -> Array:
    """The nearest velocity that constraints admit."""
    if not system.held_by:
        return v
    f = system.admitted_velocity
    known = {"q": q, "v": v, "t": 0.0}
    return np.asarray(f(*(known[x] for x in f.inputs)), dtype=float)


def _seen(scene: Scene, run: Any, radii: float = _SEEN) -> int:
    """For how many samples everything stays in the picture."""
    return int(_seen_of(scene, run.t, run.q[None], radii)[0])


def _seen_of(scene: Scene, t: Array, q: Array, radii: float = _SEEN) -> Array:
    f = scene.places()
    times = (np.broadcast_to(t, q.shape[:-1]),) if "t" in f.inputs else ()
    X = np.asarray(f(q, *times))  # (runs, steps, carriers, 3, 4)
    center, radius = scene.bounds
    far = np.linalg.norm(X[..., 3] - center, axis=-1).max(axis=-1, initial=0.0)
    outside = ~(far < radii * max(radius, 0.5 * scene.size))
    outside |= ~np.isfinite(q).all(axis=-1)
    ever = outside.any(axis=-1)
    return np.where(ever, outside.argmax(axis=-1), q.shape[-2])


def _tried(system: Any, scene: Scene, t: float, scale: Array) -> tuple[Array, Array] | None:
    """Of many starts with some velocity, the one that stays longest."""
    rng = np.random.default_rng(3)
    low = np.array([c.lower for c in scene.coordinates])
    high = np.array([c.upper for c in scene.coordinates])
    q = rng.uniform(low, high, size=(_STARTS, system.nq))
    v = rng.normal(size=(_STARTS, system.nv)) * scale * _SWINGS / t
    try:
        runs = system.simulate(q, v, t, method="rk4", dt=t / _STEPS)
    except VisvivaError:
        return None
    stays = _seen_of(scene, runs.t, runs.q)
    best = int(np.argmax(stays))
    return q[best], v[best]
