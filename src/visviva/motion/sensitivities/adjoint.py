"""`gradient`: how a cost changes with a motion's start, forces and parameters, in one sweep back.

States at the ends of steps are kept, or those at the beginnings of parts of the motion, which are
then run again: memory stays bounded however long it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.errors import MotionError
from visviva.machine.run.call import Array, thread_count
from visviva.motion.sensitivities.backward import ADDED, WORTH, BackwardStep
from visviva.motion.sensitivities.columns import Columns
from visviva.motion.sensitivities.costs import RunningCost, cost_of, running_of
from visviva.motion.sensitivities.course import Course
from visviva.motion.sensitivities.forward import Blocks, linear_of, prepared, told
from visviva.motion.sensitivities.manifold import admitting, chart
from visviva.motion.simulation.task import Task
from visviva.motion.trajectory import Trajectory
from visviva.progress import progress


@dataclass(frozen=True, eq=False, repr=False)
class Gradient:
    """∂cost/∂(start, forces, parameters) of a motion, or of each of N.

    `blocks["tau"]`, for short `gradient["tau"]`, has the shape of what it is named by: (nv,),
    (steps, nv) of forces that change, () of a parameter; with a first axis of N in a batch. By q0
    it is (nv,): along motions. `vector` (m,) has all of them in a row, as `names` says. `cost` is
    None where only its slopes were given.
    """

    cost: float | Array
    blocks: Mapping[str, Array]
    trajectory: Trajectory
    columns: Columns

    @property
    def names(self) -> tuple[str, ...]:
        """What the entries of `vector` are."""
        return self.columns.labels

    @property
    def vector(self) -> Array:
        """All blocks in a row, (m,) or (N, m)."""
        lead = self.trajectory.q.shape[:-2]
        return np.concatenate([x.reshape(*lead, -1) for x in self.blocks.values()], axis=-1)

    def __getitem__(self, name: str) -> Array:
        return self.blocks[name]

    def __repr__(self) -> str:
        blocks = ", ".join(f"{k} {x.shape}" for k, x in self.blocks.items())
        return f"gradient of a cost ({self.cost}) along {self.trajectory!r}\n  by {blocks}"


def gradient(
    system: Any,
    cost: Any,
    q0: Any,
    v0: Any,
    t: Any,
    *,
    wrt: Any = ("q0", "v0"),
    running: Any = None,
    tau: Any = None,
    u: Any = None,
    parameters: Mapping[str, Any] | None = None,
    threads: int = 1,
    **how: Any,
) -> Gradient:
    """The gradient of a cost; `System.gradient` says what may be asked."""
    threads = thread_count("gradient", threads)
    task, courses, columns = prepared(system, (q0, v0, t), wrt, tau, u, parameters, how)
    along = running_of(task, courses[0], running, how["dt"])
    final = cost_of(task, len(courses[0].t), cost)
    passes = [_Pass(course, columns, threads) for course in courses]
    with progress(f"differentiating motions of {system.name}", 2 * len(courses)) as at:
        states = []
        for one in passes:
            states.append(one.forward(along))
            at.step()
        kept = {k: np.concatenate([x[k] for x in states]) for k in "qvx"}
        value: Any = final.value(kept["q"], kept["v"])
        slopes = final.slopes(kept["q"], kept["v"])
        parts, row = [], 0
        for one in passes:
            rows = slice(row, row + one.course.task.rows)
            parts.append(one.backward(along, slopes[0][rows], slopes[1][rows]))
            row = rows.stop
            at.step()
    blocks = {k: np.concatenate([p[k] for p in parts]) for k in columns.shapes}
    _check_finite(task, blocks)
    if value is not None:
        value = value + np.concatenate([one.cost for one in passes])
        value = value if task.is_batch else float(value[0])
    own = Blocks({k: x if task.is_batch else x[0] for k, x in blocks.items()})
    return Gradient(value, own, told(task, courses, kept), columns)


class _Pass:
    """One way forward and one back over the steps of a course."""

    def __init__(self, course: Course, columns: Columns, threads: int) -> None:
        self.course, self.columns, self.threads = course, columns, threads
        self.inputs = columns.inputs
        self.linear = linear_of(course, self.inputs)
        changing = course.force if course.forces is not None else ""
        kept: dict[Any, BackwardStep] = course.integrator.__dict__.setdefault("_backward", {})
        name = (self.inputs, changing)
        if name not in kept:
            kept[name] = BackwardStep(course.integrator, self.inputs, course.states, changing)
        self.step = kept[name]
        n = sum(course.states.values())
        self.is_short = self.step.is_short
        numbers = 4 * n if self.is_short else n * (n + self.linear.columns_count)
        self.parts = course.parts(numbers)
        self.starts: list[dict[str, Array]] = []
        self.last: dict[str, Array] = {}  # states along the last part
        self.cost = np.zeros(course.task.rows)

    def forward(self, running: RunningCost | None) -> dict[str, Array]:
        """States at the samples; those at the beginnings of parts are kept."""
        course, state = self.course, self.course.first
        sizes = course.states
        rows, samples = course.task.rows, len(course.t)
        kept = {k: np.empty((rows, samples, sizes[k])) for k in "qvx"}
        for part in self.parts:
            self.starts.append(state)
            state, saved = course.run(state, part, self.threads)
            for i, after in course.sampled(part, part is self.parts[-1]):
                for k in "qvx":
                    kept[k][:, i] = saved[k][:, after]
            if running is not None:
                self.cost = self.cost + running.at(course.at_steps(part, saved))[0]
            self.last = saved
        return kept

    def backward(self, running: RunningCost | None, by_q: Array, by_v: Array) -> dict[str, Array]:
        """∂cost/∂ each block, (rows, …), from slopes (rows, k, …) at the samples."""
        course, rows = self.course, self.course.task.rows
        inputs = course.integrator.flow.inputs
        worth = {f"{WORTH}{k}": np.zeros((rows, n)) for k, n in course.states.items()}
        worth |= {f"{WORTH}{k}": np.zeros((rows, inputs[k])) for k in self.inputs}
        at_end = course.at == course.steps
        worth[f"{WORTH}q"] += by_q[:, at_end].sum(axis=1)
        worth[f"{WORTH}v"] += by_v[:, at_end].sum(axis=1)
        force = self.columns.force
        size = self.columns.shapes[force] if force else ()
        forces = np.zeros((rows, *size))
        for k in reversed(range(len(self.parts))):
            part = self.parts[k]
            saved = self.last
            if k < len(self.parts) - 1:
                saved = course.run(self.starts[k], part, self.threads)[1]
            values = course.at_steps(part, saved)
            for name, slopes in (("q", by_q), ("v", by_v)):
                values[f"{ADDED}{name}"] = self._added(part, slopes)
            of_forces = None
            if running is not None:
                own = running.at(values)[1]
                for name in "qv":
                    values[f"{ADDED}{name}"] += own[name]
                of_forces = own.get("tau")
            swept = self._swept if self.is_short else self._multiplied
            worth, changed = swept(worth, values)
            for table in (changed, of_forces):
                if table is not None and force:
                    self._collected(forces, part, table)
        if force and course.forces is None:
            forces = forces + worth[f"{WORTH}{force}"]
        return self._named(worth, forces)

    def _swept(
        self, worth: dict[str, Array], values: dict[str, Array]
    ) -> tuple[dict[str, Array], Array | None]:
        return self.step.swept(worth, values, self.threads)

    def _multiplied(
        self, worth: dict[str, Array], values: dict[str, Array]
    ) -> tuple[dict[str, Array], Array | None]:
        """The same by the derivatives of all steps, where a step is too long to go back through."""
        sizes = self.course.states
        A, B = self.linear(values, self.threads)
        ends = np.cumsum([0, *sizes.values()])
        own = {k: slice(*ends[i : i + 2]) for i, k in enumerate(sizes)}
        state = np.concatenate([worth[f"{WORTH}{k}"] for k in sizes], axis=-1)
        by = np.zeros((*B.shape[:2], B.shape[-1]))
        for k in reversed(range(A.shape[1])):
            by[:, k] = (state[:, None] @ B[:, k])[:, 0]
            state = (state[:, None] @ A[:, k])[:, 0]
            for name in "qv":
                state[:, own[name]] += values[f"{ADDED}{name}"][:, k]
        after = {f"{WORTH}{k}": state[:, x] for k, x in own.items()}
        n, changed = ends[-1], None
        for name in self.inputs:
            x, before = self.linear.columns[name], worth[f"{WORTH}{name}"]
            part = by[..., x.start - n : x.stop - n]
            if name == self.step.changing:
                after[f"{WORTH}{name}"], changed = before, part
            else:
                after[f"{WORTH}{name}"] = before + part.sum(axis=1)
        return after, changed

    def _added(self, part: slice, slopes: Array) -> Array:
        """Slopes at samples, as those at the beginnings of steps of a part."""
        added = np.zeros((len(slopes), part.stop - part.start, slopes.shape[-1]))
        for i, after in self.course.sampled(part, False):
            added[:, after] += slopes[:, i]
        return added

    def _collected(self, forces: Array, part: slice, table: Array) -> None:
        """Add what forces of steps are worth to the rows of the table that they come from."""
        if not self.columns.table:
            forces += table.sum(axis=1)
            return
        each = forces.swapaxes(0, 1)  # the same numbers, row by row of the table
        np.add.at(each, self.course.of_table[part], table.swapaxes(0, 1))

    def _named(self, worth: Mapping[str, Array], forces: Array) -> dict[str, Array]:
        """Worth at the start, as blocks."""
        course, columns = self.course, self.columns
        q, v = worth[f"{WORTH}q"], worth[f"{WORTH}v"]
        parameters = worth.get(f"{WORTH}parameters")
        by = admitting(course)
        if by is not None:
            both = (("q", q), ("v", v))
            if parameters is not None:
                more = [_times(x, by[f"d{y}_dparameters"]) for y, x in both]
                parameters = parameters + more[0] + more[1]
            q, v = (_times(q, by[f"dq_d{k}"]) + _times(v, by[f"dv_d{k}"]) for k in "qv")
        named: dict[str, Array] = {}
        for name in columns.shapes:
            if name == "q0":
                named[name] = _times(q, chart(course.task.system, course.task.start["q"]))
            elif name == "v0":
                named[name] = v
            elif name == columns.force:
                named[name] = forces
            elif parameters is not None:
                named[name] = parameters[:, columns.parameters[name]]
        return named


def _times(row: Array, matrix: Array) -> Array:
    """rowᵀ matrix, of all rows of a batch."""
    return np.asarray(np.einsum("...i,...ij->...j", row, matrix))


def _check_finite(task: Task, blocks: Mapping[str, Array]) -> None:
    for name, x in blocks.items():
        bad = ~np.isfinite(x).reshape(len(x), -1).all(axis=1)
        if bad.any():
            raise MotionError(
                f"gradient: ∂cost/∂{name} of {task.who(int(np.argmax(bad)))} is not finite, though "
                "its states are: it grows beyond all numbers, or a cost or a force has no "
                "derivative where it is (a root or a norm at zero)"
            )
