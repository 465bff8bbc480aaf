"""SciPy's methods on the compiled right side and its Jacobian: stiff systems, and another road."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from itertools import islice
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, MotionError, ShapeError
from visviva.machine.run.call import on_trial
from visviva.motion.samples.forces import called_law
from visviva.motion.simulation.acting import Steps
from visviva.motion.simulation.bounds import Pace, ending
from visviva.motion.simulation.identity import acting
from visviva.motion.simulation.recording import Recording
from visviva.motion.simulation.task import Task
from visviva.motion.trajectory import Trajectory
from visviva.progress import progress

STEPS_OF_A_BLOCK = 1000  # in a record
NUMBERS_OF_A_STEP = 10  # of each number of the state: SciPy's polynomials
LOOKED_AT = 15  # steps
STABLE = 3.0
SWITCHED = (
    "the system is stiff: explicit steps were bounded by stability, not by their error; the motion "
    "is radau's, from the start"
)
OF_SCIPY = {"radau": "Radau", "lsoda": "LSODA", "scipy-dop853": "DOP853"}


def is_stiff(integrator: Any, nodes: Any, given: Any) -> bool:
    """Whether the length of steps was bounded by stability, not by their error.

    An explicit method of order eight is stable for h |λ| up to about six; where accurate steps are
    shorter than that, h |λ| of the fastest eigenvalue is about one.
    """
    some = np.linspace(len(nodes.t) // 2, len(nodes.t) - 2, LOOKED_AT).astype(int)
    f = integrator.slope.jacobian("q", "v")
    values = {
        "q": nodes.q[some], "v": nodes.v[some], "x": nodes.x[some], "t": nodes.t[some],
        **{k: x[0] for k, x in given.items()},
    }  # fmt: skip
    qq, qv, vq, vv = f(*(values[k] for k in f.inputs))[:4]
    J = np.concatenate([np.concatenate(x, axis=2) for x in ((qq, qv), (vq, vv))], axis=1)
    fastest = np.abs(np.linalg.eigvals(J)).max(axis=1)
    return bool(np.median(fastest * np.diff(nodes.t)[some]) > STABLE)


def solved(
    task: Task,
    method: str,
    rtol: float,
    atol: float,
    notes: tuple[str, ...] = (),
    recording: Recording | None = None,
) -> Trajectory:
    """The motion by one of SciPy's methods, for one trajectory.

    A solver keeps much that no file has: where a run is recorded it begins anew at the end of every
    block, whether or not anything was interrupted there.
    """
    check_for_scipy(task, method)
    integrator, span = task.integrator("dop853"), task.span
    right = RightSide(task, integrator)
    solver = Solving(method, right, span.last, rtol, atol)
    start = np.concatenate([task.start[k][0] for k in "qvx"])
    t, y, trouble = [span.first], [start], ""
    parts: list[Any] = []
    pace = Pace(span.first, span.last)
    block = None if recording is None else _Blocks(recording, solver, t, y, parts)
    with progress(f"simulating {task.system.name}") as at:
        try:
            while t[-1] < span.last and not trouble:
                for now, then, part in solver.steps(t[-1], y[-1]):
                    if part is None:
                        trouble = then or "the state is not finite."
                        break
                    t.append(now)
                    y.append(then)
                    parts.append(part)
                    at.step(f"{now:.4g} of {span.last:g} s")
                    v = then[None, right.cut[0] : right.cut[1]]
                    if pace.look(len(parts), now, v, NUMBERS_OF_A_STEP * len(start)).any():
                        trouble = f"{pace.trouble}."
                        break
                    if block is not None and (len(parts) % STEPS_OF_A_BLOCK == 0):
                        break
                if block is not None and not trouble:
                    block.write()
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            if isinstance(error, MotionError):
                raise
            trouble = f"{error}."
    statistics = {"method": method, "rtol": rtol, "atol": atol, "steps": len(t) - 1}
    run = _made(task, right, t, y, parts, {**statistics, "evaluations": right.count}, notes)
    if trouble:
        raise ended_too_soon(task, method, right, t[-1], y[-1], trouble, run)
    return run


def check_for_scipy(task: Task, method: str) -> None:
    """Refuse what SciPy's methods do not take."""
    if task.is_batch or task.table is not None or task.flow.law.is_sampled:
        raise ArgumentError(
            f"method {method!r} is SciPy's: it takes one trajectory, and forces that are constant "
            "or a controller without period"
        )


def ended_too_soon(
    task: Task, method: str, right: RightSide, t: float, y: Any, trouble: str, run: Trajectory
) -> MotionError:
    """What is said of a motion that SciPy could not go on with."""
    because = right.bad or trouble
    q, v, _ = np.split(y, right.cut)
    sticking = " Joints with dry friction stick with method='auto', not in SciPy's methods."
    hint = sticking if np.any(task.system.dry_friction) else ""
    text = (
        f"simulate: the motion of {task.system.name!r} ends at t = {t:.9g} s of "
        f"{task.span.last:g} s ({OF_SCIPY[method]} of SciPy): {because} q = {q}, v = {v}; "
        f"error.trajectory has it until then.{hint}"
    )
    return MotionError(ending(text, run), run)


class Solving:
    """One of SciPy's on a right side, as often as it is begun."""

    def __init__(self, method: str, right: RightSide, last: float, rtol: float, atol: float):
        import scipy.integrate

        self.kind, self.method = getattr(scipy.integrate, OF_SCIPY[method]), method
        self.right, self.last = right, last
        self.options: dict[str, Any] = {"rtol": rtol, "atol": atol}
        if method in ("radau", "lsoda"):
            self.options["jac"] = right.jacobian

    def steps(self, t: float, y: Any) -> Iterator[tuple[float, Any, Any]]:
        """Time, state and dense output of every step from a state on; None for what failed."""
        solver = self.kind(self.right, t, y, self.last, **self.options)
        while solver.status == "running":
            said = solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                yield float(solver.t), said, None
                return
            yield float(solver.t), solver.y.copy(), solver.dense_output()


class _Blocks:
    """The blocks of a recorded run: lists t, y and parts, begun with what is there."""

    def __init__(self, recording: Recording, solver: Solving, t: Any, y: Any, parts: Any) -> None:
        self.recording, self.solver = recording, solver
        self.t, self.y, self.written = t, y, 0
        arrays = recording.arrays()
        if not arrays:
            return
        t[:], y[:] = arrays["t"].tolist(), [*np.hstack([arrays[k] for k in "qvx"])]
        self.written, solver.right.count = len(t), int(recording.state["evaluations"])
        for k in range(0, len(t) - 1, STEPS_OF_A_BLOCK):
            count = min(STEPS_OF_A_BLOCK, len(t) - 1 - k)
            block = _Again(solver, t[k], y[k], count)
            parts += [partial(block, i) for i in range(count)]

    def write(self) -> None:
        """What is new."""
        own = slice(self.written, None)
        t, right, task = np.array(self.t[own]), self.solver.right, self.recording.task
        q, v, x = np.split(np.array(self.y[own]), right.cut, axis=1)
        at = {"t": t, "q": q, "v": v, "x": x}
        tau = acting(task, right.integrator, np.zeros(len(t), dtype=int), at)
        more = {"x": x} if tau is None else {"x": x, "tau": tau}
        state = {"method": self.solver.method, "evaluations": right.count}
        self.recording.append(t, q, v, more, state)
        self.written = len(self.t)


class _Again:
    """The dense output of a block that is in the record: its steps are done again if asked for."""

    def __init__(self, solver: Solving, t: float, y: Any, count: int) -> None:
        self.solver, self.t, self.y, self.count = solver, t, y, count

    @cached_property
    def parts(self) -> list[Any]:
        """Those of its steps."""
        steps = self.solver.steps(self.t, self.y)
        return [part for _, _, part in islice(steps, self.count)]

    def __call__(self, i: int, times: Any) -> Any:
        return self.parts[i](times)


def _made(
    task: Task, right: RightSide, t: Any, y: Any, parts: Any, statistics: Any, notes: Any
) -> Trajectory:
    """The trajectory through accepted steps, or at the times that were asked for."""
    from scipy.integrate import OdeSolution

    cut, samples = right.cut, task.span.samples
    if not parts:
        q, v, x = np.split(np.array(y), cut, axis=1)
        stay = Steps(np.array([t[0], task.span.last]), x[None])
        return task.trajectory(np.array(t), q[None], v[None], None, statistics, notes, stay)
    solution = OdeSolution(t, parts)

    def states(times: Any) -> Any:
        return admitted_states(right.integrator, right.given, times, solution(times).T, cut)

    def numbers(times: Any) -> Any:
        return solution(times).T[None, :, cut[1] :]

    if samples is None:
        times = np.array(t)
        q, v = admitted_states(right.integrator, right.given, times, np.array(y), cut)
    else:
        times = samples[samples <= t[-1]]
        q, v = states(times)
    return task.trajectory(times, q[None], v[None], states, statistics, notes, numbers)


class RightSide:
    """ẏ of (t, y), with y = (q, v, x), and its Jacobian, compiled."""

    def __init__(self, task: Task, integrator: Any) -> None:
        self.task, self.integrator = task, integrator
        self.given = {k: x[0] for k, x in task.given.items()}
        self.cut = np.cumsum([task.system.nq, task.system.nv])
        self.count, self.bad = 0, ""  # evaluations, and what a controller said that is no force

    def __call__(self, t: float, y: Any) -> Any:
        """At a trial step: where it is not finite a shorter one is tried, which is not worth words.

        If none helps, the motion ends with an error.
        """
        self.count += 1
        q, v, x = np.split(y, self.cut)
        with on_trial():
            if self.task.callback is not None:
                self.given["tau"] = self._called(t, q, v)
            f, values = self.integrator.slope, {"q": q, "v": v, "x": x, "t": t, **self.given}
            return np.concatenate(f(*(values[k] for k in f.inputs)))

    def jacobian(self, t: float, y: Any) -> Any:
        """Derivatives of these by y (n, n)."""
        q, v, x = np.split(y, self.cut)
        kinds = "qvx" if self.task.flow.law.states else "qv"
        df = self.integrator.slope.jacobian(*kinds)
        values = {"q": q, "v": v, "x": x, "t": t, **self.given}
        with on_trial():
            blocks = df(*(values[k] for k in df.inputs))
        rows = [list(blocks[i : i + len(kinds)]) for i in range(0, len(blocks), len(kinds))]
        return np.block(rows[: len(kinds)])

    def _called(self, t: float, q: Any, v: Any) -> Any:
        """The forces of a callback; where they are no numbers, a shorter step is tried."""
        task = self.task
        tau = called_law(task.callback, t, q, v) if task.callback else np.zeros(0)
        if tau.shape != (task.system.nv,):
            raise ShapeError(
                f"simulate: the controller of {task.system.name!r} returns {task.system.nv} "
                f"numbers; at t = {t:.9g} s it returned {tau!r:.200}"
            )
        if not np.isfinite(tau).all():
            self.bad = f"at t = {t:.9g} s the controller returned {tau}."
        return tau


def admitted_states(integrator: Any, given: Any, t: Any, y: Any, cut: Any) -> Any:
    """q and v of states y (k, n) where quaternions have length one and constraints hold."""
    q, v, x = np.split(y, cut, axis=1)
    s = integrator.flow.system
    if not (s.quaternions or s.held_by):
        return q, v
    f = integrator.admitted
    values = {"q": q, "v": v, "x": x, "t": t, **given}
    return f(*(values[k] for k in f.inputs))
