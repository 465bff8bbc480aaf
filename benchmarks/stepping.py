"""What calls cost that are not of plain arrays, and what a step costs, alone and of many rows.

All is timed by what the process computes, and scaled by forward dynamics of many rows in the same
run; threads by the clock, which says something on quiet cores only.
"""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import visviva as vv
from benchmarks.harness import Row, benchmark, best, faster, share
from benchmarks.motion import MOVERS, ROLLOUTS, STEP, Mover, MuJoCo
from benchmarks.peers import attempt
from benchmarks.robots import UR5

LOOP = 24e-9  # of UR5's forward dynamics, many rows, on the machine that ceilings are stated for
AGAINST_ALONE = {"Solo12, free base": 3}
AGAINST_ROLLOUT = {"UR5": 70, "Solo12, free base": 25}
process = partial(best, clock=time.process_time, seconds=0.02)


@benchmark
def entry() -> Iterator[Row]:
    """Single calls of what is almost plain; times on the machine that ceilings are stated for."""
    model, rng = UR5.model, np.random.default_rng(0)
    f, (q, v, a) = model.inverse_dynamics, rng.normal(size=(3, 6))
    wide = rng.normal(size=(16, 8))
    many = [rng.normal(size=(4096, 6)) for _ in range(3)]
    onto, out = np.empty((4096, 6)), np.empty(6)
    lists, singles = ([x.tolist() for x in (q, v, a)], [x.astype("f4") for x in (q, v, a)])
    calls = {
        "lists": (lambda: f(*lists), 4e-6),
        "float32": (lambda: f(*singles), 4e-6),
        "columns of an array": (lambda: f(wide[0, :6], wide[1, :6], wide[2, 1:7]), 4e-6),
        "keywords": (lambda: f(q=q, v=v, a=a), 4e-6),
        "columns, 16 rows": (lambda: f(wide[:, :6], wide[:, :6], wide[:, :6]), 8e-6),
        "step, dt a Python float": (lambda: model.step(q, v, a, STEP), 4e-6),
        "frame_pose(name, q)": (lambda: model.frame_pose(UR5.tip, q), 5e-6),
        "jacobian(name)(q)": (lambda: model.jacobian(UR5.tip)(q), 1.5e-6),
        "pose(name)(q)": (lambda: model.pose(UR5.tip)(q), 1.5e-6),
    }
    for call, _ in calls.values():
        for _ in range(20):
            call()
    plain, loop, written, *times = process(
        lambda: f(q, v, a),
        lambda: model.forward_dynamics(*many, out=onto),
        lambda: f(q, v, a, out=out),
        *(call for call, _ in calls.values()),
    )
    scale = loop / 4096 / LOOP
    for (what, (_, most)), ours in zip(calls.items(), times, strict=True):
        label = f"its ceiling, {most * 1e6:g} µs"
        yield share(f"UR5, {what}", ours / scale, label, most, "<= 1")
    yield share("UR5, out=", max(written - plain, 0.0) / scale, "0.3 µs more", 3e-7, "<= 1")


@benchmark
def shared_batches() -> Iterator[Row]:
    """Two threads against one: of few rows they are not begun."""
    f = UR5.model.inverse_dynamics
    for rows, most in ((16, "<= 1.05"), (4096, "<= 1"), (100_000, "<= 0.65")):
        x = np.random.default_rng(0).normal(size=(3, rows, 6))
        two, one = best(lambda x=x: f(*x, threads=2), lambda x=x: f(*x))
        yield share(f"UR5's inverse dynamics, {rows} rows, two threads", two, "one", one, most)


def _by_hand(model: vv.Model) -> vv.Function:
    def step(q: Any, v: Any, tau: Any, dt: Any) -> dict[str, Any]:
        v = v + model.forward_dynamics(q, v, tau) * dt
        return {"q": model.integrate(q, v * dt), "v": v}

    n = {"q": model.nq, "v": model.nv, "tau": model.nv, "dt": ()}
    return vv.function(step, n, name="step_by_hand")


@benchmark
def steps() -> Iterator[Row]:
    """One step, and one of many rows: against the same traced by hand, and against MuJoCo."""
    cart = Mover(None)  # type: ignore[arg-type]
    cart.__dict__["model"] = vv.catalog.cart_pole()
    for mover in (cart, MOVERS[0], MOVERS[2]):
        model, name = mover.model, "cart-pole" if mover is cart else mover.name
        model = getattr(model, "without_dry_friction", lambda model=model: model)()
        hand, dt = _by_hand(model), np.array(STEP)
        q, v = mover.start(ROLLOUTS)
        tau = np.zeros(model.nv)
        ours, theirs, many, by_hand = process(
            lambda model=model, q=q, v=v, tau=tau: model.step(q[0], v[0], tau, STEP),
            lambda hand=hand, q=q, v=v, tau=tau, dt=dt: hand(q[0], v[0], tau, dt),
            lambda model=model, q=q, v=v, tau=tau: model.step(q, v, tau, STEP),
            lambda hand=hand, q=q, v=v, tau=tau, dt=dt: hand(q, v, tau, dt),
        )
        yield share(f"one step, {name}", ours, "traced by hand", theirs, "<= 1.15")
        each = (many / ROLLOUTS, by_hand / ROLLOUTS)
        yield share(f"{ROLLOUTS} rows, {name}", each[0], "traced by hand", each[1], "<= 1.05")
        slopes, of_forces = (
            f.jacobian("q", "v", "tau").operations.total()
            for f in (model.step, model.forward_dynamics)
        )
        label = "those of the acceleration"
        yield Row(f"∂step, {name}", None, label, None, slopes / of_forces, "operations", "<= 1.3")
        if mover is cart:  # no file has it
            continue
        peer = attempt("MuJoCo", partial(MuJoCo, mover, "Euler"))
        if isinstance(peer, str):
            yield Row(f"one step, {name}", ours, peer, None, None, "")
            continue
        import mujoco

        roll, _ = peer.call(q, v, 1)
        alone, rolled = process(lambda peer=peer: mujoco.mj_step(peer.model, peer.data), roll)
        floor = f">= {AGAINST_ALONE.get(name, 4)}"
        yield faster(f"one step, {name}", ours, "mj_step", alone, floor)
        floor = f">= {AGAINST_ROLLOUT[name]}"
        yield faster(
            f"{ROLLOUTS} rows, {name}", each[0], "mujoco.rollout", rolled / ROLLOUTS, floor
        )
