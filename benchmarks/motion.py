"""Motion of robots, many at once and one alone, against MuJoCo; every time is that of one step.

The same model from the same URDF, the same step of a millisecond, one thread, forces of zero. Of
MuJoCo all that these models do not need is switched off; it runs its own loop over steps and
rollouts (`mujoco.rollout`), as ours runs in machine code. Both get the same start, and must come to
the same state before anything is timed.
"""

import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np
from lxml import etree

import visviva as vv
from benchmarks import generated_c
from benchmarks.harness import Row, benchmark, best, faster, share
from benchmarks.peers import TOLERANCE, Array, Call, attempt, plain_urdf
from benchmarks.robots import SOLO, UR5, Robot
from visviva.space.rotations import quaternion_matrix

STEP = 1e-3  # seconds
ROLLOUTS, LONG = 4096, 100_000
OUR_STEPS, THEIR_STEPS = 40, 4  # of many rollouts, each time
FLOORS = {"UR5": 85, "Solo12": 60, "Solo12, free base": 25}
ALONE = {"UR5": ">= 10", "Solo12, free base": ">= 4"}
COMPARED = 20  # steps after which the states are the same
ORDERED = ("inverse_dynamics", "forward_dynamics")
SAVES = (1, 10, 100)  # steps from one state that is kept to the next
LAW_SECONDS = 0.05  # of a motion whose law is run again
STIFFNESS, DAMPING = 100.0, 20.0  # of a closed loop: one over seconds squared, over seconds
FREE = 1e-4  # between a base whose velocity is that of the world's axes, and of its own
CLASSICAL = STEP * np.array(  # next node, weight, and whether it is the last
    [[1 / 2, 1 / 6, 0.0], [1 / 2, 1 / 3, 0.0], [1.0, 1 / 3, 0.0], [0.0, 1 / 6, 1 / STEP]]
)
where = vv.generic.where


@dataclass(frozen=True)
class Mover:
    """A robot that moves, on a fixed or a free base."""

    robot: Robot
    free: bool = False

    @property
    def name(self) -> str:
        return self.robot.name + ", free base" * self.free

    @cached_property
    def model(self) -> vv.Model:
        if not self.free:
            return self.robot.model
        return vv.load(self.robot.path, mimic="expand", base="free").without_dissipation()

    def start(self, rows: int) -> tuple[Array, Array]:
        rng = np.random.default_rng(0)
        q = np.array([self.model.random(k) for k in range(rows)])
        return q, 0.1 * rng.normal(size=(rows, self.model.nv))

    @cached_property
    def euler(self) -> vv.Loop:
        """Semi-implicit: the new velocity moves the position."""
        model = self.model

        def step(q: Any, v: Any, tau: Any) -> dict[str, Any]:
            v = v + STEP * model.forward_dynamics(q, v, tau)
            return {"q": model.integrate(q, STEP * v), "v": v}

        n = {"q": model.nq, "v": model.nv, "tau": model.nv}
        return vv.Loop(vv.function(step, n, name="semi_implicit_euler"))

    @cached_property
    def closed(self) -> vv.Loop:
        """The same under computed torque, which holds a position: part of the kernel."""
        model = self.model

        def step(q: Any, v: Any, goal: Any) -> dict[str, Any]:
            tau = model.inverse_dynamics(q, v, STIFFNESS * (goal - q) - DAMPING * v)
            v = v + STEP * model.forward_dynamics(q, v, tau)
            return {"q": model.integrate(q, STEP * v), "v": v}

        n = {"q": model.nq, "v": model.nv, "goal": model.nq}
        return vv.Loop(vv.function(step, n, name="computed_torque"))

    @cached_property
    def runge_kutta(self) -> vv.Loop:
        """Fourth order, a pass for a whole step: the dynamics stand in it four times."""
        model, h = self.model, STEP

        def step(q: Any, v: Any, tau: Any) -> dict[str, Any]:
            def slope(q: Any, v: Any) -> Any:
                return model.forward_dynamics(q, v, tau)

            a1 = slope(q, v)
            v2 = v + h / 2 * a1
            a2 = slope(model.integrate(q, h / 2 * v), v2)
            v3 = v + h / 2 * a2
            a3 = slope(model.integrate(q, h / 2 * v2), v3)
            v4 = v + h * a3
            a4 = slope(model.integrate(q, h * v3), v4)
            return {
                "q": model.integrate(q, h / 6 * (v + 2 * (v2 + v3) + v4)),
                "v": v + h / 6 * (a1 + 2 * (a2 + a3) + a4),
            }

        n = {"q": model.nq, "v": model.nv, "tau": model.nv}
        return vv.Loop(vv.function(step, n, name="runge_kutta"))

    @cached_property
    def stages(self) -> vv.Loop:
        """The same, a pass for a stage and a row of the tableau: for dynamics that are long.

        q0 and v0 are where the step began, dq and dv its weighted slopes so far. A row says how far
        ahead the next stage is, what this one counts, and whether it is the last.
        """
        model = self.model

        def stage(
            q: Any, v: Any, q0: Any, v0: Any, dq: Any, dv: Any, row: Any, tau: Any
        ) -> dict[str, Any]:
            a = model.forward_dynamics(q, v, tau)
            ahead, weight, last = row[0], row[1], row[2] > 0.5
            dq, dv = dq + weight * v, dv + weight * a
            q = model.integrate(q0, where(last, dq, ahead * v))
            v = v0 + where(last, dv, ahead * a)
            began = {"q0": where(last, q, q0), "v0": where(last, v, v0)}
            return (
                {"q": q, "v": v} | began | {"dq": where(last, 0.0, dq), "dv": where(last, 0.0, dv)}
            )

        n, m = model.nq, model.nv
        shapes = {"q": n, "v": m, "q0": n, "v0": m, "dq": m, "dv": m, "row": 3, "tau": m}
        return vv.Loop(vv.function(stage, shapes, name="stage"), each=["row"])

    def run(self, method: str, q: Array, v: Array, steps: int) -> dict[str, Array]:
        """States after so many steps."""
        none = np.zeros(self.model.nv)
        state = {"q": q, "v": v, "tau": none}
        if method == "Euler":
            return dict(self.euler(state, times=steps).state)
        if not self.free:
            return dict(self.runge_kutta(state, times=steps).state)
        state |= {"q0": q, "v0": v, "dq": none, "dv": none}
        return dict(self.stages(state, times=4 * steps, each={"row": CLASSICAL}).state)

    def operations(self, method: str) -> int:
        """Multiplications and additions of one step."""
        if method == "Euler":
            loop, passes = self.euler, 1
        else:
            loop, passes = (self.stages, 4) if self.free else (self.runge_kutta, 1)
        counted = loop.step.operations
        return passes * (counted.multiplications + counted.additions)


MOVERS = (Mover(UR5), Mover(SOLO), Mover(SOLO, free=True))


class MuJoCo:
    """A mover in MuJoCo: nothing but smooth dynamics."""

    def __init__(self, mover: Mover, method: str) -> None:
        import mujoco as mj
        from mujoco.rollout import Rollout

        self.free, self.names = mover.free, mover.model.joint_names
        self.model = model = mj.MjModel.from_xml_string(_with_base(mover))
        needed = {"mjDSBL_GRAVITY"}
        for name, flag in mj.mjtDisableBit.__members__.items():
            if name not in needed:
                model.opt.disableflags |= flag
        model.opt.timestep = STEP
        kinds = mj.mjtIntegrator
        model.opt.integrator = kinds.mjINT_EULER if method == "Euler" else kinds.mjINT_RK4
        self.data, self.roll = mj.MjData(model), Rollout(nthread=0).rollout
        joints = [model.joint(name) for name in self.names if name != "root_joint"]
        self.at = [j.qposadr[0] for j in joints], [j.dofadr[0] for j in joints]

    def call(self, q: Array, v: Array, steps: int) -> tuple[Call, Array]:
        """Its rollouts, and where they write all their states."""
        before = np.zeros((len(q), 1 + self.model.nq + self.model.nv))
        places, rates = before[:, 1 : 1 + self.model.nq], before[:, 1 + self.model.nq :]
        n = 6 * self.free
        places[:, self.at[0]], rates[:, self.at[1]] = q[:, n + self.free :], v[:, n:]
        if self.free:  # position, quaternion w x y z; velocity in the world's axes, ω in its own
            places[:, :3], places[:, 3:7] = q[:, 4:7], q[:, [3, 0, 1, 2]]
            rates[:, :3], rates[:, 3:6] = _turned(q, v), v[:, :3]
        after = np.empty((len(q), steps, before.shape[1]))
        named = {"nstep": steps, "state": after, "sensordata": np.empty((len(q), steps, 0))}
        return partial(self.roll, self.model, self.data, before, **named), after

    def comparable(self, after: Array) -> Array:
        """Joints, and of a free base its position."""
        places = after[:, -1, 1 : 1 + self.model.nq]
        return np.hstack([places[:, self.at[0]], places[:, : 3 * self.free]])


def _turned(q: Array, v: Array) -> Array:
    """Velocities of the base's origin in the world's axes."""
    return np.array([quaternion_matrix(x[:4]) @ y[3:6] for x, y in zip(q, v, strict=True)])


def _with_base(mover: Mover) -> str:
    """The URDF; a free base hangs on a floating joint, below a link called world."""
    text = plain_urdf(mover.robot)
    if not mover.free:
        return text
    root = etree.fromstring(text)
    children = {x.find("child").get("link") for x in root.findall("joint")}
    base = next(x.get("name") for x in root.findall("link") if x.get("name") not in children)
    etree.SubElement(root, "link", name="world")
    joint = etree.SubElement(root, "joint", name="root_joint", type="floating")
    etree.SubElement(joint, "parent", link="world")
    etree.SubElement(joint, "child", link=base)
    return etree.tostring(root, encoding="unicode")


def require_same_motion(mover: Mover, method: str, peer: MuJoCo) -> None:
    """Nothing wrong is timed."""
    q, v = mover.start(8)
    call, after = peer.call(q, v, COMPARED)
    call()
    mine = mover.run(method, q, v, COMPARED)["q"]
    mine = np.hstack([mine[:, 7:], mine[:, 4:7]]) if mover.free else mine
    theirs = peer.comparable(after)
    most = FREE if mover.free else TOLERANCE
    if not np.abs(mine - theirs).max() <= most * max(1.0, np.abs(theirs).max()):
        raise AssertionError(f"{mover.name}, {method}: the peer moves otherwise,\n{mine}\n{theirs}")


def _rows(
    what: str, mover: Mover, method: str, rows: int, steps: Sequence[int], wanted: str
) -> Iterator[Row]:
    """Ours against MuJoCo's, then steps a second and share of the peak."""
    q, v = mover.start(rows)
    mine, theirs = steps
    call: Callable[[], object] = partial(mover.run, method, q, v, mine)
    peer = attempt("MuJoCo", partial(MuJoCo, mover, method))
    calls = [call]
    if not isinstance(peer, str):
        require_same_motion(mover, method, peer)
        calls.append(peer.call(q, v, theirs)[0])
    peak = attempt("fused multiply-adds in C", generated_c.fastest_loop)
    if not isinstance(peak, str):
        calls.append(peak[0])
    times = best(*calls, repeats=15, seconds=0.01, clock=time.process_time)
    ours = times[0] / rows / mine
    if isinstance(peer, str):
        yield Row(what, ours, peer, None, None, "")
    else:
        yield faster(what, ours, "mujoco.rollout", times[1] / rows / theirs, wanted)
    yield Row(f"{what}, rate", ours, "", None, 1e-6 / ours, "million steps a second")
    if not isinstance(peak, str):
        counted = mover.operations(method)
        least = times[-1] / peak[1] * counted
        label = f"multiply-adds alone, {counted} operations"
        yield Row(f"{what}, peak", ours, label, least, least / ours, "share of the peak")


@benchmark
def motion_rollouts() -> Iterator[Row]:
    """Many rollouts at once: semi-implicit Euler, and the classical method of fourth order."""
    for method in ("Euler", "RK4"):
        for mover in MOVERS:
            what = f"{ROLLOUTS} rollouts, {method}, {mover.name}"
            steps = [x if method == "Euler" else x // 2 for x in (OUR_STEPS, THEIR_STEPS)]
            yield from _rows(what, mover, method, ROLLOUTS, steps, f">= {FLOORS[mover.name]}")


@benchmark
def motion_alone() -> Iterator[Row]:
    """One trajectory of a hundred thousand steps, semi-implicit Euler."""
    for mover in MOVERS:
        what = f"one trajectory, Euler, {mover.name}"
        yield from _rows(what, mover, "Euler", 1, [LONG, LONG // 5], ALONE.get(mover.name, ""))


@benchmark
def motion_closed() -> Iterator[Row]:
    """Many rollouts under computed torque, semi-implicit Euler, against the same without it."""
    for mover in MOVERS[:2]:
        q, v = mover.start(ROLLOUTS)
        goal = np.zeros(mover.model.nq)
        closed = partial(mover.closed, {"q": q, "v": v, "goal": goal}, times=OUR_STEPS)
        opened = partial(mover.run, "Euler", q, v, OUR_STEPS)
        times = best(closed, opened, seconds=0.01, clock=time.process_time)
        ours, theirs = (x / ROLLOUTS / OUR_STEPS for x in times)
        what = f"{ROLLOUTS} rollouts, computed torque, {mover.name}"
        label = "the open loop"
        yield Row(what, ours, label, theirs, theirs / ours, "of its rate", ">= 0.5")


def _pd(q: Any, v: Any) -> Any:
    return -2.0 * q - 2.0 * v


def _under_pd(mover: Mover, method: str) -> vv.Loop:
    """Steps under a law of forces, as they are written by hand."""
    model, h = mover.model, STEP

    def slope(q: Any, v: Any) -> Any:
        return model.forward_dynamics(q, v, _pd(q, v))

    def euler(q: Any, v: Any) -> dict[str, Any]:
        v = v + h * slope(q, v)
        return {"q": model.integrate(q, h * v), "v": v}

    def runge_kutta(q: Any, v: Any) -> dict[str, Any]:
        a1 = slope(q, v)
        v2 = v + h / 2 * a1
        a2 = slope(model.integrate(q, h / 2 * v), v2)
        v3 = v + h / 2 * a2
        a3 = slope(model.integrate(q, h / 2 * v2), v3)
        v4 = v + h * a3
        a4 = slope(model.integrate(q, h * v3), v4)
        q = model.integrate(q, h / 6 * (v + 2 * (v2 + v3) + v4))
        return {"q": q, "v": v + h / 6 * (a1 + 2 * (a2 + a3) + a4)}

    step = {"semi-implicit": euler, "rk4": runge_kutta}[method]
    return vv.Loop(vv.function(step, {"q": model.nq, "v": model.nv}, name="step_under_pd"))


def _near_zero(mover: Mover, rows: int) -> tuple[Array, Array]:
    q, v = mover.start(rows)
    return 0.1 * q, 0.0 * v


@benchmark
def motion_simulate() -> Iterator[Row]:
    """`simulate` with what it says and keeps, against a loop by hand that saves the same states."""
    mover, steps = MOVERS[0], 100
    model, (q, v) = mover.model, _near_zero(mover, ROLLOUTS)
    for method in ("semi-implicit", "rk4"):
        loop = _under_pd(mover, method)
        for save in SAVES:
            how = {"method": method, "dt": STEP, "save": save, "tau": lambda t, q, v: _pd(q, v)}
            calls = (
                partial(model.simulate, q, v, steps * STEP, **how),
                partial(loop, {"q": q, "v": v}, times=steps, save=save),
            )
            if not np.allclose(calls[0]().q, calls[1]().saved["q"], atol=TOLERANCE):
                raise AssertionError(f"{method}: simulate and the loop by hand differ")
            ours, theirs = best(*calls, repeats=7, seconds=0.01, clock=time.process_time)
            what = f"simulate, {ROLLOUTS} x {steps}, {method}, save={save}, {mover.name}"
            wanted = "<= 1.25" if method == "rk4" and save == 1 else "<= 1.5"
            count = ROLLOUTS * steps
            yield share(what, ours / count, "a loop by hand", theirs / count, wanted)
            if method == "rk4" and save == 1:  # MuJoCo's rollouts save every state as well
                yield _against_rollouts(what, mover, ours / count, (q, v), ">= 50")


def _against_rollouts(what: str, mover: Mover, ours: float, start: Any, wanted: str) -> Row:
    """Of one step; MuJoCo's have no law of forces."""
    peer = attempt("MuJoCo", partial(MuJoCo, mover, "RK4"))
    if isinstance(peer, str):
        return Row(what, ours, peer, None, None, "")
    roll, _ = peer.call(*start, THEIR_STEPS)
    (theirs,) = best(roll, repeats=5, seconds=0.01, clock=time.process_time)
    return faster(what, ours, "mujoco.rollout", theirs / ROLLOUTS / THEIR_STEPS, wanted)


@benchmark
def motion_parameters() -> Iterator[Row]:
    """Many rollouts with parameters of their own, against the same without."""
    mover, steps, rng = MOVERS[0], 100, np.random.default_rng(0)
    model, (q, v) = mover.model, _near_zero(mover, ROLLOUTS)
    links = [f"m_{x}" for x in model.body_names[:6]]
    joints = [f"{kind}_{x}" for kind in ("damping", "armature") for x in model.joint_names]
    tensors = [f"Izz_{x}" for x in model.body_names[:2]]
    for method in ("semi-implicit", "rk4"):
        calls = []
        for names in ((), links, (*links, *joints, *tensors)):
            own = model.parameter_values(names) if names else ()
            pairs = zip(names, own, strict=True)
            drawn = {k: x * rng.uniform(0.9, 1.1, ROLLOUTS) for k, x in pairs}
            how = {"method": method, "dt": STEP, "save": steps, "parameters": drawn}
            calls.append(partial(model.simulate, q, v, steps * STEP, **how))
        plain, *times = best(*calls, repeats=7, seconds=0.01, clock=time.process_time)
        for count, ours in zip((6, 20), times, strict=True):
            what = f"{count} parameters a row, {method}, {mover.name}"
            label, each = "without parameters", ROLLOUTS * steps
            yield Row(what, ours / each, label, plain / each, plain / ours, "of its rate", ">= 0.7")


def _damping(model: vv.Model) -> Callable[..., Any]:
    return lambda t, q, v: -0.01 * v


def _computed_torque(model: vv.Model) -> Callable[..., Any]:
    return lambda t, q, v: model.inverse_dynamics(q, v, -DAMPING * v)


LAWS = {"damping": _damping, "computed torque": _computed_torque}


def _simulate_law(run: Any, law: Any, model: vv.Model) -> object:
    """With the law written anew."""
    return run(tau=law(model))


@benchmark
def motion_laws() -> Iterator[Row]:
    """A law of forces that is written anew at every call, over a run without one."""
    for mover, most in ((MOVERS[0], 25), (MOVERS[2], 50)):
        model = mover.model
        q, v = model.neutral(), np.zeros(model.nv)
        for name, law in LAWS.items():
            for how in ({"dt": STEP}, {}):
                run = partial(model.simulate, q, v, LAW_SECONDS, **how)
                again = partial(_simulate_law, run, law, model)
                ours, plain = best(again, run, repeats=7, clock=time.process_time)
                what = f"{name} again, {'dt' if how else 'adaptive'}, {mover.name}"
                over = 1e3 * (ours - plain)
                yield Row(what, ours, "no law", plain, over, "ms more", f"<= {most}")


@benchmark
def motion_orders() -> Iterator[Row]:
    """A batch whose batch axis is contiguous, (n, N).T, against the same by rows.

    Of 4000 rows and of 4096, where all columns begin at the same place of every cache.
    """
    for mover, verb, rows in product(MOVERS[:2], ORDERED, (4000, 4096)):
        f = getattr(mover.model, verb)
        rng = np.random.default_rng(0)
        by_rows = [rng.normal(size=(rows, *shape)) for shape in f.inputs.values()]
        by_columns = [np.asfortranarray(x) for x in by_rows]
        calls = [partial(f, *x, out=np.empty_like(x[0])) for x in (by_columns, by_rows)]
        ours, theirs = (x / rows for x in best(*calls, clock=time.process_time))
        what = f"{verb.replace('_', ' ')}, (n, {rows}).T, {mover.name}"
        yield faster(what, ours, "by rows", theirs, ">= 1.25")


@benchmark
def motion_memory() -> Iterator[Row]:
    """Memory of a rollout whose steps are not saved, and what ten times as many steps add."""
    for mover in MOVERS:
        q, v = mover.start(ROLLOUTS)
        mover.run("Euler", q, v, 1)
        peaks = []
        for steps in (100, 1000):
            tracemalloc.start()
            mover.run("Euler", q, v, steps)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        what = f"memory, {mover.name}"
        state = 8 * (mover.model.nq + mover.model.nv)
        label = f"a state is {state} bytes"
        yield Row(what, None, label, None, peaks[0] / ROLLOUTS, "bytes a rollout")
        yield Row(
            what, None, "of a tenth as many steps", None, peaks[1] / peaks[0], "times", "<= 1.01"
        )
