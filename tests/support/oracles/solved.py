"""Motions by SciPy, on the compiled forward dynamics: nothing of ours integrates."""

import numpy as np
from scipy.integrate import solve_ivp

import visviva as vv


def solved(system, q0, v0, t, tau=None, rtol=1e-10, is_dense=False, between="held", **more):
    """A trajectory through times t; tau is a function of (t, q, v), or nothing."""
    nq, f = system.nq, system.forward_dynamics

    def unit(q):
        q = np.array(q, dtype=float)
        for _, k in system.quaternions:
            own = q[..., k : k + 4]
            q[..., k : k + 4] = own / np.linalg.norm(own, axis=-1, keepdims=True)
        return q

    def rates(time, y):
        q, v = unit(y[:nq]), y[nq:]
        acting = np.zeros(system.nv) if tau is None else tau(time, q, v)
        values = {"q": q, "v": v, "tau": acting, "t": time}
        a = f(*[values[name] for name in f.inputs])
        return np.concatenate([system.rates(q, v) if system.charts else v, a])

    start, t = np.concatenate([q0, v0]), np.asarray(t, dtype=float)
    done = solve_ivp(
        rates, (t[0], t[-1]), start, "DOP853", t, is_dense, rtol=rtol, atol=rtol * 1e-2
    )
    assert done.success

    def dense(times):
        y = done.sol(times).T
        return unit(y[:, :nq]), y[:, nq:]

    statistics = {"method": "scipy-dop853", "rtol": rtol, "evaluations": done.nfev}
    q, v = unit(done.y.T[:, :nq]), done.y.T[:, nq:]
    acting = {} if tau is None else {"between": tau if between == "function" else between}
    if tau is not None:
        acting["tau"] = np.array([tau(*state) for state in zip(t, q, v, strict=True)])
    more = {"statistics": statistics, "dense": dense if is_dense else None, **acting, **more}
    return vv.Trajectory(system, t, q, v, **more)


def batch(*runs):
    """Several trajectories over the same times as one."""
    first = runs[0]
    rows = {k: np.stack([getattr(run, k) for run in runs]) for k in ("q", "v")}
    if first.tau is not None:
        rows["tau"] = np.stack([run.tau for run in runs])
    return vv.Trajectory(first.system, first.t, **rows, statistics=first.statistics)
