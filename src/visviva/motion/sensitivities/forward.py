"""`sensitivities`: how the states of a motion change with its start, forces and parameters.

The derivatives of all steps are computed at once, lanes of the processor across steps and rows;
then S ← A S + B from step to step, with S = ∂y/∂(everything asked for).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, MotionError, UnknownNameError
from visviva.machine.function import function
from visviva.machine.repetition import Loop
from visviva.machine.run.call import Array, thread_count
from visviva.motion.sensitivities.columns import (
    FORCE_BLOCKS,
    START_BLOCKS,
    Columns,
    asked_blocks,
    plain_name,
    varied_columns,
)
from visviva.motion.sensitivities.course import Course, courses_of
from visviva.motion.sensitivities.linear import LinearStep
from visviva.motion.sensitivities.manifold import admitting, as_velocities, chart
from visviva.motion.simulation.task import Task
from visviva.motion.trajectory import Trajectory
from visviva.progress import progress

IN_CODE = 4000  # multiplications of A S: as many are a loop of machine code, more are BLAS's


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivities:
    """Derivatives of a motion at all its samples.

    `matrix` (k, 2 nv, m), or (N, k, 2 nv, m), has a column for every number that is varied, as
    `names` says, and rows for position and velocity: ∂(δq, v)/∂(…). Changes of positions are
    velocities for a unit of time, δq (nv,) with q ⊕ δq, so that quaternions have three; so are
    those of q0. `q["v0"]` (k, nv, nv) and `v["m2"]` (k, nv) are blocks of it, in the shapes of what
    they are named by.
    """

    trajectory: Trajectory
    matrix: Array
    columns: Columns

    @property
    def names(self) -> tuple[str, ...]:
        """What each column is: q0_theta, v0_thetad, tau_theta, m2."""
        return self.columns.labels

    @property
    def t(self) -> Array:
        """Times of the samples, (k,)."""
        return self.trajectory.t

    @property
    def q(self) -> Mapping[str, Array]:
        """∂q/∂ each block: (…, k, nv, shape of the block)."""
        return self._blocks(slice(0, self.trajectory.system.nv))

    @property
    def v(self) -> Mapping[str, Array]:
        """∂v/∂ each block: (…, k, nv, shape of the block)."""
        return self._blocks(slice(self.trajectory.system.nv, None))

    def _blocks(self, rows: slice) -> Mapping[str, Array]:
        own = self.matrix[..., rows, :]
        pairs = zip(self.columns.slices.items(), self.columns.shapes.values(), strict=True)
        return Blocks(
            {name: own[..., part].reshape(*own.shape[:-1], *shape) for (name, part), shape in pairs}
        )

    def __repr__(self) -> str:
        blocks = ", ".join(self.columns.shapes)
        return f"derivatives of {self.trajectory!r}\n  by {blocks}: matrix {self.matrix.shape}"


class Blocks(dict[str, Array]):
    """Blocks by name; one that was not asked for is told with those that were."""

    def __missing__(self, name: str) -> Array:
        raise UnknownNameError("block; wrt= says which are wanted:", name, self)


def prepared(
    system: Any,
    start: tuple[Any, Any, Any],
    wrt: Any,
    tau: Any,
    u: Any,
    parameters: Mapping[str, Any] | None,
    how: Mapping[str, Any],
) -> tuple[Task, list[Course], Columns]:
    """The motion to be differentiated, its steps, and what it is differentiated by."""
    if how.get("events") is not None:
        raise ArgumentError(
            "motions are not differentiated through events: a state that jumps, or an end that "
            "moves, has derivatives that steps know nothing of. Without events=, to a time that "
            "is before them, they are"
        )
    given = {} if parameters is None else parameters
    if not isinstance(given, Mapping):
        raise ArgumentError(
            f"parameters map names to numbers, {{'m': 2.0}}; got {given!r:.80}. Derivatives by "
            f"some of them are wrt={[*map(str, np.atleast_1d(given))]}"
        )
    blocks = asked_blocks(system, wrt, given)
    values = dict(given)
    for name in map(plain_name, (x for x in blocks if x not in (*START_BLOCKS, *FORCE_BLOCKS))):
        values.setdefault(name, float(system.parameter_values([name])[0]))
    task, courses = courses_of(system, start, tau, u, values, how)
    return task, courses, varied_columns(task, blocks)


def sensitivities(
    system: Any,
    q0: Any,
    v0: Any,
    t: Any,
    *,
    wrt: Any = ("q0", "v0"),
    tau: Any = None,
    u: Any = None,
    parameters: Mapping[str, Any] | None = None,
    threads: int = 1,
    **how: Any,
) -> Sensitivities:
    """Derivatives of a motion; `System.sensitivities` says what may be asked."""
    threads = thread_count("sensitivities", threads)
    task, courses, columns = prepared(system, (q0, v0, t), wrt, tau, u, parameters, how)
    with progress(f"differentiating motions of {system.name}", len(courses)) as at:
        parts = []
        for course in courses:
            parts.append(_differentiated(course, columns, threads))
            at.step()
    kept = {k: np.concatenate([p[0][k] for p in parts]) for k in "qvx"}
    S = np.concatenate([p[1] for p in parts])
    matrix = _in_velocities(task, kept["q"], S)
    _check_finite(task, matrix)
    run = told(task, courses, kept)
    return Sensitivities(run, matrix if task.is_batch else matrix[0], columns)


def told(task: Task, courses: list[Course], kept: Mapping[str, Array]) -> Trajectory:
    """The motion at its samples, (rows, k, …)."""
    one = courses[0]
    numbers = None
    if task.flow.law.states:
        from scipy.interpolate import CubicSpline

        numbers = CubicSpline(one.t, kept["x"], axis=1)
    steps = np.array([course.steps for course in courses])
    statistics: dict[str, Any] = {
        "method": one.integrator.method,
        "steps": steps if len(steps) > 1 else int(steps[0]),
    }
    return task.trajectory(one.t, kept["q"], kept["v"], None, statistics, (), numbers)


def _differentiated(
    course: Course, columns: Columns, threads: int
) -> tuple[dict[str, Array], Array]:
    """States (rows, k, …) at the samples, and S (rows, k, n, m) there."""
    rows, samples = course.task.rows, len(course.t)
    n, m = sum(course.states.values()), columns.count
    linear = linear_of(course, columns.inputs)
    kept = {k: np.empty((rows, samples, course.states[k])) for k in "qvx"}
    S_at = np.empty((rows, samples, n, m))
    state, S = course.first, _first(course, columns)
    parts = course.parts(n * (n + linear.columns_count + m))
    for part in parts:
        state, saved = course.run(state, part, threads)
        A, B = linear(course.at_steps(part, saved), threads)
        wanted = dict(course.sampled(part, part is parts[-1]))
        for i, after in wanted.items():
            for k in "qvx":
                kept[k][:, i] = saved[k][:, after]
        S = _chained(course, columns, part, linear, S, A, B, wanted, S_at, threads)
    return kept, S_at


def linear_of(course: Course, inputs: tuple[str, ...]) -> LinearStep:
    """Made once for an integrator and what is asked of it."""
    kept: dict[Any, LinearStep] = course.integrator.__dict__.setdefault("_linear", {})
    if inputs not in kept:
        kept[inputs] = LinearStep(course.integrator, inputs, course.states)
    return kept[inputs]


def _first(course: Course, columns: Columns) -> Array:
    """S (rows, n, m) at the start."""
    task, where, sizes = course.task, columns.slices, course.states
    nq, nv = sizes["q"], sizes["v"]
    S = np.zeros((task.rows, sum(sizes.values()), columns.count))
    if "q0" in where:
        S[:, :nq, where["q0"]] = chart(task.system, task.start["q"])
    if "v0" in where:
        S[:, nq : nq + nv, where["v0"]] = np.eye(nv)
    by = admitting(course)
    if by is None:
        return S
    q, v = S[:, :nq].copy(), S[:, nq : nq + nv].copy()
    for name, rows in (("q", slice(0, nq)), ("v", slice(nq, nq + nv))):
        S[:, rows] = by[f"d{name}_dq"] @ q + by[f"d{name}_dv"] @ v
        for block, place in columns.parameters.items():
            S[:, rows, where[block]] += by[f"d{name}_dparameters"][..., place : place + 1]
    return S


def _chained(
    course: Course,
    columns: Columns,
    part: slice,
    linear: LinearStep,
    S: Array,
    A: Array,
    B: Array,
    wanted: Mapping[int, int],
    S_at: Array,
    threads: int,
) -> Array:
    """S after some steps; those wanted, after so many of them, go to their places in `S_at`."""
    count, where = part.stop - part.start, columns.slices
    n = A.shape[-1]
    own = {k: x.start - n for k, x in linear.columns.items() if k in linear.inputs}
    pairs = [(where[k], own["parameters"] + place) for k, place in columns.parameters.items()]
    force = own.get(columns.force)
    if not columns.table and n * n * S.shape[-1] <= IN_CODE:
        C = np.zeros((*A.shape[:2], n, S.shape[-1]))
        for to, column in pairs:
            C[..., to] = B[..., column : column + 1]
        if force is not None:
            C[..., where[columns.force]] = B[..., force:]
        done = _product(n, S.shape[-1])(
            {"S": S}, times=count, each={"A": A, "C": C}, save=1, threads=threads
        )
        for i, after in wanted.items():
            S_at[:, i] = done.saved["S"][:, after]
        return done.state["S"]
    at: dict[int, list[int]] = {}
    for i, after in wanted.items():
        at.setdefault(after, []).append(i)
    for k in range(count + 1):
        for i in at.get(k, ()):
            S_at[:, i] = S
        if k == count:
            break
        S = A[:, k] @ S
        for to, column in pairs:
            S[..., to] += B[:, k, :, column : column + 1]
        if force is not None:
            block = where[columns.force]
            size = B.shape[-1] - force
            first = block.start + (course.of_table[part.start + k] * size if columns.table else 0)
            S[..., first : first + size] += B[:, k, :, force:]
    return S


_PRODUCTS: dict[tuple[int, int], Loop] = {}


def _product(n: int, m: int) -> Loop:
    """S ← A S + C, (n, m), as a loop of machine code."""
    if (n, m) not in _PRODUCTS:
        sizes = {"S": (n, m), "A": (n, n), "C": (n, m)}
        step = function(lambda S, A, C: {"S": A @ S + C}, sizes, name="chained")
        _PRODUCTS[n, m] = Loop(step, each=("A", "C"))
    return _PRODUCTS[n, m]


def _in_velocities(task: Task, q: Array, S: Array) -> Array:
    """Rows (δq, v) of S, whose rows are those of whole states."""
    s = task.system
    dq = as_velocities(s, q, S[..., : s.nq, :])
    return np.concatenate([dq, S[..., s.nq : s.nq + s.nv, :]], axis=-2)


def _check_finite(task: Task, matrix: Array) -> None:
    for i in range(len(matrix)):
        if not np.isfinite(matrix[i]).all():
            raise MotionError(
                f"sensitivities: derivatives of {task.who(i)} are not finite, though its states "
                "are: they grow beyond all numbers, or a force has no derivative where it is "
                "(a root or a norm at zero)"
            )
