"""SciPy's methods on the compiled right side and its Jacobian: stiff systems, and another road."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.errors import ArgumentError, MotionError, ShapeError
from visviva.motion.samples.forces import called_law
from visviva.motion.simulation.acting import Steps
from visviva.motion.simulation.task import Task
from visviva.motion.trajectory import Trajectory
from visviva.progress import progress

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
    task: Task, method: str, rtol: float, atol: float, notes: tuple[str, ...] = ()
) -> Trajectory:
    """The motion by one of SciPy's methods, for one trajectory."""
    import scipy.integrate

    if task.is_batch or task.table is not None or task.flow.law.is_sampled:
        raise ArgumentError(
            f"method {method!r} is SciPy's: it takes one trajectory, and forces that are constant "
            "or a controller without period"
        )
    integrator, span = task.integrator("dop853"), task.span
    right = _RightSide(task, integrator)
    options: dict[str, Any] = {"rtol": rtol, "atol": atol}
    if method in ("radau", "lsoda"):
        options["jac"] = right.jacobian
    start = np.concatenate([task.start[k][0] for k in "qvx"])
    t, y, parts, trouble = [span.first], [start], [], ""
    kind = getattr(scipy.integrate, OF_SCIPY[method])
    with progress(f"simulating {task.system.name}") as at:
        try:
            solver = kind(right, span.first, start, span.last, **options)
            while solver.status == "running" and not trouble:
                said = solver.step()
                if solver.status == "failed" or not np.isfinite(solver.y).all():
                    trouble = said or "the state is not finite."
                else:
                    parts.append(solver.dense_output())
                    t.append(float(solver.t))
                    y.append(solver.y.copy())
                at.step()
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            if isinstance(error, MotionError):
                raise
            trouble = f"{error}."
    statistics = {"method": method, "rtol": rtol, "atol": atol, "steps": len(t) - 1}
    run = _made(task, right, t, y, parts, {**statistics, "evaluations": right.count}, notes)
    if trouble:
        because = right.bad or trouble
        q, v, _ = np.split(y[-1], right.cut)
        raise MotionError(
            f"simulate: the motion of {task.system.name!r} ends at t = {t[-1]:.9g} s of "
            f"{span.last:g} s ({OF_SCIPY[method]} of SciPy): {because} q = {q}, v = {v}; "
            "error.trajectory has it until then",
            run,
        )
    return run


def _made(
    task: Task, right: _RightSide, t: Any, y: Any, parts: Any, statistics: Any, notes: Any
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
        return _admitted(right.integrator, right.given, times, solution(times).T, cut)

    def numbers(times: Any) -> Any:
        return solution(times).T[None, :, cut[1] :]

    if samples is None:
        times = np.array(t)
        q, v = _admitted(right.integrator, right.given, times, np.array(y), cut)
    else:
        times = samples[samples <= t[-1]]
        q, v = states(times)
    return task.trajectory(times, q[None], v[None], states, statistics, notes, numbers)


class _RightSide:
    """ẏ of (t, y), with y = (q, v, x), and its Jacobian, compiled."""

    def __init__(self, task: Task, integrator: Any) -> None:
        self.task, self.integrator = task, integrator
        self.given = {k: x[0] for k, x in task.given.items()}
        self.cut = np.cumsum([task.system.nq, task.system.nv])
        self.count, self.bad = 0, ""  # evaluations, and what a controller said that is no force

    def __call__(self, t: float, y: Any) -> Any:
        self.count += 1
        q, v, x = np.split(y, self.cut)
        if self.task.callback is not None:
            self.given["tau"] = self._called(t, q, v)
        f, values = self.integrator.slope, {"q": q, "v": v, "x": x, "t": t, **self.given}
        return np.concatenate(f(*(values[k] for k in f.inputs)))

    def jacobian(self, t: float, y: Any) -> Any:
        """∂ẏ/∂y."""
        q, v, x = np.split(y, self.cut)
        kinds = "qvx" if self.task.flow.law.states else "qv"
        df = self.integrator.slope.jacobian(*kinds)
        values = {"q": q, "v": v, "x": x, "t": t, **self.given}
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


def _admitted(integrator: Any, given: Any, t: Any, y: Any, cut: Any) -> Any:
    q, v, x = np.split(y, cut, axis=1)
    s = integrator.flow.system
    if not (s.quaternions or s.held_by):
        return q, v
    f = integrator.admitted
    values = {"q": q, "v": v, "x": x, "t": t, **given}
    return f(*(values[k] for k in f.inputs))
