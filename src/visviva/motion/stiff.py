"""SciPy's methods on the compiled right side and its Jacobian: stiff systems, and another road."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.errors import ArgumentError, MotionError
from visviva.motion.task import Task
from visviva.motion.trajectory import Trajectory

LOOKED_AT = 15  # steps
STABLE = 3.0
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


def solved(task: Task, method: str, rtol: float, atol: float) -> Trajectory:
    """The motion by one of SciPy's methods, for one trajectory."""
    from scipy.integrate import solve_ivp

    if task.is_batch or task.table is not None:
        raise ArgumentError(
            f"method {method!r} is SciPy's: it takes one trajectory, and forces that are constant "
            "or a controller"
        )
    s, integrator = task.system, task.integrator("dop853")
    f = integrator.slope
    given = {k: x[0] for k, x in task.given.items()}
    cut = np.cumsum([s.nq, s.nv])

    def right_side(t: float, y: Any) -> Any:
        q, v, x = np.split(y, cut)
        if task.callback is not None:
            given["tau"] = _called(task, t, q, v)
        values = {"q": q, "v": v, "x": x, "t": t, **given}
        return np.concatenate(f(*(values[k] for k in f.inputs)))

    options: dict[str, Any] = {}
    if method in ("radau", "lsoda"):
        kinds = "qvx" if task.flow.law.states else "qv"
        df = f.jacobian(*kinds)

        def jacobian(t: float, y: Any) -> Any:
            q, v, x = np.split(y, cut)
            values = {"q": q, "v": v, "x": x, "t": t, **given}
            blocks = df(*(values[k] for k in df.inputs))
            rows = [list(blocks[i : i + len(kinds)]) for i in range(0, len(blocks), len(kinds))]
            return np.block(rows[: len(kinds)])

        options["jac"] = jacobian
    start = np.concatenate([task.start[k][0] for k in "qvx"])
    span = task.span
    result = solve_ivp(
        right_side, (span.first, span.last), start, method=OF_SCIPY[method], rtol=rtol, atol=atol,
        t_eval=span.samples, dense_output=True, **options,
    )  # fmt: skip
    t, y = result.t, result.y.T
    q, v = y[:, : s.nq], y[:, s.nq : s.nq + s.nv]

    def dense(times: Any) -> Any:
        at = result.sol(times).T
        return _admitted(integrator, given, times, at, cut)

    if s.quaternions or s.held_by:
        q, v = _admitted(integrator, given, t, y, cut)
    counts = {"steps": len(t) - 1, "evaluations": result.nfev}
    statistics = {"method": method, "rtol": rtol, "atol": atol, **counts}
    run = task.trajectory(t, q[None], v[None], dense, statistics)
    if not result.success or not np.isfinite(y).all():
        raise MotionError(
            f"simulate: SciPy's {OF_SCIPY[method]} ended at t = {t[-1]:.9g} s of {span.last:g} s: "
            f"{result.message} error.trajectory has the motion until then",
            run,
        )
    return run


def _admitted(integrator: Any, given: Any, t: Any, y: Any, cut: Any) -> Any:
    q, v, x = np.split(y, cut, axis=1)
    s = integrator.flow.system
    if not (s.quaternions or s.held_by):
        return q, v
    f = integrator.admitted
    values = {"q": q, "v": v, "x": x, "t": t, **given}
    return f(*(values[k] for k in f.inputs))


def _called(task: Task, t: float, q: Any, v: Any) -> Any:
    tau = np.asarray(task.callback(t, q, v) if task.callback else (), dtype=float)
    if tau.shape != (task.system.nv,) or not np.isfinite(tau).all():
        raise MotionError(
            f"simulate: at t = {t:.9g} s the controller of {task.system.name!r} returned "
            f"{tau!r:.200}; expected {task.system.nv} finite numbers. q = {q}, v = {v}",
            None,
        )
    return tau
