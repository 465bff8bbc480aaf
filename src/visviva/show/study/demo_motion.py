"""The motion on a study page: the mechanism let go, or set in motion so that it stays in view.

It starts at the position of the picture, with the velocity that the system states, else at rest;
if nothing would move, with some velocity. Motors hold prismatic joints that would slide away. If
it still leaves the picture soon, random starts are tried; the one that stays longest wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.stops import stops_of
from visviva.drawing.digits import number
from visviva.errors import MotionError, OutOfTimeError, VisvivaError
from visviva.machine.function import Function
from visviva.motion.trajectory import Trajectory
from visviva.notation.names import Names
from visviva.show.laboratory.start import slid_away
from visviva.show.scene.scene import Scene
from visviva.show.study.part import few, sign
from visviva.show.study.patience import within

MIN_DURATION, MAX_DURATION = 0.02, 8.0  # s
DURATION_IN_TIME_SCALES = 9.0  # a time scale: √(size / acceleration) at the start
VIEW_RADIUS = 3.3  # of the picture's own radius
VIEW_RADIUS_OF_STATED_START = 4.95
RANDOM_STARTS = 48
RANDOM_START_STEPS = 1000
SAMPLES = 1001
MANY_OPERATIONS = 200  # of forward dynamics: lsoda then, which compiles less
SECONDS_PER_ATTEMPT = 16.0
SHORTER = (1.0, 0.15)  # of the duration, if it cannot be computed in time
DEMO_SPEEDS = (1.3, 0.8, 1.7)  # rad/s, or sizes per second
MOTOR_FREQUENCY = 30.0  # rad/s, critically damped


class StartState(NamedTuple):
    """Where the motion starts, and how the page says it."""

    q: Array
    v: Array
    description: str


class JointSpring(NamedTuple):
    """-stiffness · (q[i] - rest) - damping · v[j]."""

    i: int
    j: int
    rest: float
    stiffness: float
    damping: float


@dataclass(frozen=True)
class HoldingMotors:
    """Motors that hold some joints like stiff damped springs; as a function, tau(t, q, v)."""

    joint_names: tuple[str, ...] = ()
    springs: tuple[JointSpring, ...] = ()
    nv: int = 0

    @property
    def description(self) -> str:
        """For the page: "while a motor holds q2"."""
        if not self.springs:
            return "without motors"
        verb = "a motor holds" if len(self.springs) == 1 else "motors hold"
        return f"while {verb} {few(self.joint_names)}"

    @property
    def python_lines(self) -> tuple[str, ...]:
        """Python that defines it as `hold(t, q, v)`."""
        if not self.springs:
            return ()
        tau = ["0.0"] * self.nv
        for s in self.springs:
            tau[s.j] = f"-{s.stiffness!r} * (q[{s.i}] - {s.rest!r}) - {s.damping!r} * v[{s.j}]"
        return "def hold(t, q, v):", f"    return [{', '.join(tau)}]"

    @property
    def controller(self) -> HoldingMotors | None:
        """For `simulate(tau=…)`: None if there are no motors."""
        return self if self.springs else None

    def __call__(self, t: Any, q: Any, v: Any) -> list[Any]:
        tau: list[Any] = [0.0] * self.nv
        for s in self.springs:
            tau[s.j] = -s.stiffness * (q[s.i] - s.rest) - s.damping * v[s.j]
        return tau


@dataclass(frozen=True, eq=False)
class DemoMotion:
    """A motion, how it starts, and the motors in it."""

    run: Trajectory
    start: StartState
    motors: HoldingMotors


def demo_motion(system: Any, scene: Scene) -> DemoMotion:
    """The motion that a study page shows of this system."""
    start, time_scale = _start_state(system, scene)
    duration = float(np.clip(DURATION_IN_TIME_SCALES * time_scale, MIN_DURATION, MAX_DURATION))
    motors = _holding_motors(system, scene, start.q)
    run = _simulate(system, start, duration, motors)
    is_stated = bool(np.any(scene.velocity))
    radius = VIEW_RADIUS_OF_STATED_START if is_stated else VIEW_RADIUS
    visible = _visible_samples(scene, run.t, run.q[None], radius)[0]

    may_start_elsewhere = not (system.held_by or system.quaternions or motors.springs)
    if visible < len(run.t) // 2 and may_start_elsewhere:
        other = _longest_visible_start(system, scene, duration)
        if other is not None:
            other_run = _simulate(system, other, duration, motors)
            other_visible = _visible_samples(scene, other_run.t, other_run.q[None], VIEW_RADIUS)[0]
            if other_visible > 1.3 * visible:
                start, run, visible = other, other_run, other_visible

    if visible < len(run.t):
        run = _simulate(system, start, float(run.t[max(visible, len(run.t) // 20)]), motors)
    return DemoMotion(run, start, motors)


def velocity_units(scene: Scene) -> list[str]:
    """Units of v; where the system states none, those its formulas imply for q, per second."""
    system = scene.system
    units_by_formulas = [""] * system.nv
    if system.nq == system.nv:
        units_by_formulas = [c.unit and f"{c.unit}/s" for c in scene.coordinates]
    return [unit or x for unit, x in zip(system.velocity_units, units_by_formulas, strict=True)]


# ---- the start


def _start_state(system: Any, scene: Scene) -> tuple[StartState, float]:
    """Where it starts, and its time scale there in seconds."""
    q, rest = np.asarray(scene.start, dtype=float), np.zeros(system.nv)
    if system.held_by:  # constraints may drive it
        rest = _evaluate(system.admitted_velocity, q=q, v=rest)
    acceleration = _evaluate(system.forward_dynamics, q=q, v=rest)
    pull = float(np.abs(acceleration / _velocity_scales(system, scene)).max(initial=0.0))
    is_pulled = np.isfinite(pull) and pull > 1e-6
    v0 = np.asarray(scene.velocity, dtype=float)
    if v0.any():
        start = StartState(q, v0, f"let go with {_velocities_as_text(scene, v0)}")
    elif is_pulled:
        manner = f", driven with {_velocities_as_text(scene, rest)}" if rest.any() else " at rest"
        start = StartState(q, rest, f"let go{manner}")
    else:
        v = _demo_velocity(system, scene, q)
        start = StartState(q, v, "set in motion; nothing pulls at it")
    return start, pull**-0.5 if is_pulled else 1.0


def _demo_velocity(system: Any, scene: Scene, q: Array) -> Array:
    """Some velocity that the constraints admit, halved until accelerations are finite."""
    v = np.resize(DEMO_SPEEDS, system.nv) * _velocity_scales(system, scene)
    if system.held_by:
        v = _evaluate(system.admitted_velocity, q=q, v=v)
    for _ in range(20):  # of light, a speed may be too large
        if np.isfinite(_evaluate(system.forward_dynamics, q=q, v=v)).all():
            break
        v = v / 2
    return v


def _longest_visible_start(system: Any, scene: Scene, duration: float) -> StartState | None:
    """Of random starts, the one whose motion stays in the picture longest."""
    rng = np.random.default_rng(3)
    low = np.array([c.lower for c in scene.coordinates])
    high = np.array([c.upper for c in scene.coordinates])
    q = rng.uniform(low, high, size=(RANDOM_STARTS, system.nq))
    v = rng.normal(size=(RANDOM_STARTS, system.nv)) * _velocity_scales(system, scene)
    v = v * DURATION_IN_TIME_SCALES / duration
    try:
        runs = system.simulate(q, v, duration, method="rk4", dt=duration / RANDOM_START_STEPS)
    except VisvivaError:
        return None
    best = int(np.argmax(_visible_samples(scene, runs.t, runs.q, VIEW_RADIUS)))
    return StartState(q[best], v[best], "thrown, so that it stays in the picture for a while")


def _velocity_scales(system: Any, scene: Scene) -> Array:
    """Of each velocity: a radian per second, or the size of the mechanism per second."""
    return np.array([1.0 if "rad" in unit else scene.size for unit in system.velocity_units])


def _velocities_as_text(scene: Scene, v: Array) -> str:
    """The velocities that are not zero: "ψ̇ = 150 rad/s"."""
    system, units = scene.system, velocity_units(scene)
    names = Names(system.coordinate_names, system.velocity_names)
    return few(
        f"{sign(system.velocity_names[k], names)} = {number(v[k], units[k], 3)}"
        for k in np.flatnonzero(v)
    )


# ---- the motion


def _holding_motors(system: Any, scene: Scene, q: Array) -> HoldingMotors:
    """Motors for the prismatic joints that gravity would move without end."""

    def at_rest(name: str, q: Array) -> Array:
        return _evaluate(system.function(name), q=q, v=np.zeros(system.nv))

    sliders = set(slid_away(system, q, scene.size, at_rest))
    if not sliders:
        return HoldingMotors(nv=int(system.nv))
    inertia = np.diag(at_rest("mass_matrix", q))
    places = [(x.start, y.start) for x, y in system.joint_slices.values() if x.start in sliders]
    springs = tuple(
        JointSpring(
            i,
            j,
            rest=_six_digits(q[i]),
            stiffness=_six_digits(MOTOR_FREQUENCY**2 * inertia[j]),
            damping=_six_digits(2 * MOTOR_FREQUENCY * inertia[j]),
        )
        for i, j in places
    )
    names = tuple(system.coordinate_names[i] for i, _ in places)
    return HoldingMotors(names, springs, int(system.nv))


def _simulate(system: Any, start: StartState, duration: float, motors: HoldingMotors) -> Trajectory:
    """The motion, or as much of it as can be computed in time."""
    is_large = system.forward_dynamics.operations.total() > MANY_OPERATIONS
    sticks = bool(np.any(system.dry_friction) or len(stops_of(system)))  # which lsoda knows not of
    method, tau = "lsoda" if is_large and not sticks else "auto", motors.controller
    for part in SHORTER:
        times = np.linspace(0.0, part * duration, SAMPLES)
        try:
            with within(SECONDS_PER_ATTEMPT):
                run = system.simulate(start.q, start.v, times, tau=tau, method=method)
                return cast(Trajectory, run)
        except (MotionError, OutOfTimeError, ValueError):  # ValueError: SciPy's lsoda
            continue
    last = SHORTER[-1] * duration
    step = last / RANDOM_START_STEPS
    run = system.simulate(start.q, start.v, last, tau=tau, method="rk4", dt=step)
    return cast(Trajectory, run)


def _visible_samples(scene: Scene, t: Array, q: Array, radius: float) -> Array:
    """Of runs q (runs, samples, nq): samples until something is further out than `radius`."""
    places = scene.places()
    times = (np.broadcast_to(t, q.shape[:-1]),) if "t" in places.inputs else ()
    poses = np.asarray(places(q, *times))  # (runs, samples, carriers, 3, 4)
    center, own_radius = scene.bounds
    distance = np.linalg.norm(poses[..., 3] - center, axis=-1).max(axis=-1, initial=0.0)
    is_outside = ~(distance < radius * max(own_radius, 0.5 * scene.size))
    is_outside |= ~np.isfinite(q).all(axis=-1)
    first = is_outside.argmax(axis=-1)
    return np.asarray(np.where(is_outside.any(axis=-1), first, q.shape[-2]))


def _evaluate(f: Function, *, q: Array, v: Array) -> Array:
    """f at a state, at time zero and without forces; it may not depend on all of these."""
    inputs = {"q": q, "v": v, "tau": np.zeros(len(v)), "t": 0.0}
    return np.asarray(f(*(inputs[name] for name in f.inputs)), dtype=float)


def _six_digits(x: float) -> float:
    return float(f"{x:.6g}")
