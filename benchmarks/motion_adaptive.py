"""Adaptive motions at equal error: pendulums of two and six links for ten seconds.

Tolerances mean another thing to every integrator, so each is run at several, its time and its true
error at the end are noted, and times are compared where errors are the same, on a curve through
them. The truth is heyoka's at 1e-18 in high accuracy, and ours must agree with it. Of ours are
shown the loop of machine code, and the whole call of `simulate`, which brings back every step,
names, and a polynomial for each.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

import visviva as vv
from benchmarks.harness import Row, benchmark, best, faster
from benchmarks.motion import Mover
from benchmarks.peers import Array, attempt, one_core
from benchmarks.robots import SOLO, UR5
from visviva.machine.code.cpu import host
from visviva.machine.run.kernel import compile_program
from visviva.motion.simulation.integrate import ROOM, Integrator
from visviva.motion.simulation.task import task_of

DURATION, GRAVITY = 10.0, 9.81
ERRORS = (1e-6, 1e-10)
ROWS = 64  # of a batch of ours
START = (1.2, 0.9, 0.5, 0.3, 0.8, 1.0)
Point = tuple[float, float]  # error, seconds
Run = Callable[[], Array]  # a motion: its last state


@dataclass(frozen=True)
class Chain:
    """n masses of a kilogram on rods of a metre, angles from below."""

    links: int

    @cached_property
    def system(self) -> vv.Lagrangian:
        n = self.links
        names = [f"q{i}" for i in range(1, n + 1)]
        kinetic, potential = [], []
        for i, a in enumerate(names):
            kinetic.append(f"{n - i}/2*{a}'^2")
            potential.append(f"-{n - i}*g*cos({a})")
            kinetic += [f"{n - j}*{a}'*{names[j]}'*cos({a} - {names[j]})" for j in range(i + 1, n)]
        return vv.Lagrangian(
            " ".join(names),
            " + ".join(kinetic),
            " ".join(potential),
            parameters={"g": GRAVITY},
            name=f"pendulum of {n} links",
        )

    @property
    def start(self) -> Array:
        return np.array([*START[: self.links], *np.zeros(self.links)])

    @cached_property
    def for_heyoka(self) -> Any:
        """Its differential equations; of two links by hand, where that is quicker."""
        import heyoka as hy

        n = self.links
        q, v = ([hy.expression(f"{k}{i}") for i in range(n)] for k in "qv")
        if n == 2:
            a = by_hand(q, v, hy.sin, hy.cos)
        else:
            calls = {"add": "__add__", "sub": "__sub__", "mul": "__mul__", "div": "__truediv__"}
            values: list[Any] = [*q, *v, *[hy.expression(0.0)] * n]
            program = self.system.forward_dynamics.program
            for op, *args in program.code:
                own = [] if op == "constant" else [values[i] for i in args]
                if op == "constant":
                    values.append(hy.expression(args[0]))
                elif op == "neg":
                    values.append(-own[0])
                elif op in calls:
                    values.append(getattr(own[0], calls[op])(own[1]))
                else:
                    values.append(getattr(hy, op)(own[0]))
            a = [values[i] for i in program.results]
        return [*zip(q, v, strict=True), *zip(v, a, strict=True)]

    @cached_property
    def truth(self) -> Array:
        """The last state; of ours alone where heyoka is absent."""
        mine = ours(self, "dop853", 1e-14, 1)()
        theirs = attempt("heyoka", self._truth)
        if isinstance(theirs, str):
            return mine
        if np.abs(mine - theirs).max() > 1e-10:
            raise AssertionError(f"heyoka moves otherwise,\n{mine}\n{theirs}")
        return theirs

    def _truth(self) -> Array:
        import heyoka as hy

        how = {"tol": 1e-18, "high_accuracy": True, "compact_mode": True}
        run = hy.taylor_adaptive(self.for_heyoka, list(self.start), **how)
        run.propagate_until(DURATION)
        return np.array(run.state)


def by_hand(q: Any, v: Any, sin: Any, cos: Any) -> tuple[Any, Any]:
    """The accelerations of two links, as heyoka's and SciPy's users write them."""
    c, s = cos(q[0] - q[1]), sin(q[0] - q[1])
    below = 2 - c * c
    first = -2 * GRAVITY * sin(q[0]) + GRAVITY * sin(q[1]) * c - s * (v[1] ** 2 + v[0] ** 2 * c)
    second = 2 * GRAVITY * (sin(q[0]) * c - sin(q[1])) + s * (2 * v[0] ** 2 + v[1] ** 2 * c)
    return first / below, second / below


def ours(chain: Chain, method: str, tol: float, rows: int) -> Run:
    """The loop of machine code; all steps are kept. Rows start a millionth apart."""
    n, apart = chain.links, 1e-6 * np.arange(rows)[:, None]
    q, v = chain.start[:n] + apart, np.zeros((rows, n))
    task = task_of(chain.system, q, v, DURATION, None, None, {})
    loop = task.integrator(method).adaptive_for(rows)
    start = {**task.start, **task.given, "t": np.zeros(rows), "failed": np.zeros(rows)}
    start |= {"end": np.full(rows, DURATION), "tolerances": np.array([tol, tol])}
    start["h"] = Integrator.first_step(start, start["end"])

    def run() -> Array:
        own = loop.start(start)
        while not own.resting.all():
            own.make_room(ROOM)
            own.advance(10**6)
        last = np.concatenate([own.values["q"][0], own.values["v"][0]])
        loop.over(own)
        return last

    return run


def simulated(chain: Chain, method: str, tol: float, rows: int) -> Run:
    """The whole call."""
    n = chain.links
    q = chain.start[:n] + 1e-6 * np.arange(rows)[:, None]
    q, v, s = (q[0] if rows == 1 else q), np.zeros(n), chain.system

    def run() -> Array:
        motion = s.simulate(q, v, DURATION, method=method, rtol=tol, atol=tol)
        return np.concatenate([motion.q[..., -1, :], motion.v[..., -1, :]], axis=-1).ravel()[
            : 2 * n
        ]

    return run


def heyokas(chain: Chain, method: str, tol: float, rows: int) -> Run:
    """One trajectory, or as many at a time as it has lanes; its state is set back before.

    With `method="dense"` it keeps the polynomial of every step, as `simulate` does.
    """
    import heyoka as hy

    y, keeps = chain.start, method == "dense"
    if rows == 1:
        one = hy.taylor_adaptive(chain.for_heyoka, list(y), tol=tol)

        def alone() -> Array:
            one.time = 0.0
            one.state[:] = y
            one.propagate_until(DURATION, c_output=keeps)
            return np.array(one.state)

        return alone
    starts = y[:, None] + np.outer(np.repeat([1.0, 0.0], chain.links), 1e-6 * np.arange(rows))
    many = hy.taylor_adaptive_batch(chain.for_heyoka, starts, tol=tol)

    def together() -> Array:
        many.set_time(np.zeros(rows))
        many.state[:] = starts
        many.propagate_until([DURATION] * rows)
        return np.array(many.state[:, 0])

    return together


def diffraxes(chain: Chain, method: str, tol: float, rows: int) -> Run:
    """Dopri8 with its controller, compiled and warm."""
    import diffrax
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    n = chain.links

    def slope(t: Any, y: Any, args: Any) -> Any:
        return jnp.concatenate([y[n:], jnp.stack(by_hand(y[:n], y[n:], jnp.sin, jnp.cos))])

    @jax.jit
    def last(y: Any) -> Any:
        return diffrax.diffeqsolve(
            diffrax.ODETerm(slope),
            diffrax.Dopri8(),
            0.0,
            DURATION,
            None,
            y,
            stepsize_controller=diffrax.PIDController(rtol=tol, atol=tol),
            max_steps=100_000,
        ).ys[-1]

    y = jnp.asarray(chain.start)
    return lambda: np.asarray(last(y).block_until_ready())


def scipys(chain: Chain, method: str, tol: float, rows: int) -> Run:
    """DOP853 on a right side that SymPy made a function of floats of."""
    import sympy as sp
    from scipy.integrate import solve_ivp

    names = sp.symbols("q0 q1 v0 v1")
    q, v = names[:2], names[2:]
    f = sp.lambdify([names], [*v, *by_hand(q, v, sp.sin, sp.cos)], modules="math", cse=True)
    how = {"method": "DOP853", "rtol": max(tol, 1e-13), "atol": tol}
    return lambda: np.asarray(
        solve_ivp(lambda t, y: f(y.tolist()), (0.0, DURATION), chain.start, **how).y[:, -1]
    )


def curve(make: Any, chain: Chain, tolerances: Sequence[float], rows: int, method: str) -> Any:
    """Errors and times of one trajectory, at every tolerance."""
    points: list[Point] = []
    for tol in tolerances:
        run = make(chain, method, tol, rows)
        error = float(np.abs(run() - chain.truth).max())
        slow = make in (scipys,)
        (seconds,) = best(run, repeats=3 if slow else 9, seconds=0.02, clock=time.process_time)
        points.append((max(error, 1e-16), seconds / rows))
    return points


def at_error(points: Sequence[Point], error: float) -> float:
    """The time at which an error is reached, from a parabola through the logarithms."""
    x, y = np.log(np.array(points)).T
    return float(np.exp(np.polyval(np.polyfit(x, y, min(2, len(points) - 1)), np.log(error))))


OF_TWO = tuple(10.0**-k for k in (5, 6, 7, 8, 9, 10, 11, 12))
OF_SIX = tuple(10.0**-k for k in (6, 8, 10, 12))


@dataclass(frozen=True)
class Against:
    """A peer: how it is run, what of ours it is compared with, and what is wanted."""

    name: str
    make: Any
    kind: str  # "loop", "call" or "batch"
    wanted: str = ""
    method: str = ""


HEYOKA, DENSE, MANY = "heyoka", "heyoka, dense output", "heyoka, batch"
PEERS = {
    2: [
        Against(HEYOKA, heyokas, "loop", ">= 0.4"),
        Against(HEYOKA, heyokas, "call", ">= 0.4"),
        Against(DENSE, heyokas, "call", "", "dense"),
        Against(MANY, heyokas, "batch", ">= 0.6"),
        Against("diffrax", diffraxes, "loop", ">= 4"),
        Against("diffrax", diffraxes, "call", ">= 4"),
        Against("SciPy", scipys, "loop", ">= 60"),
        Against("SciPy", scipys, "call", ">= 60"),
    ],
    6: [
        Against(HEYOKA, heyokas, "loop", ">= 1"),
        Against(HEYOKA, heyokas, "call", ">= 1"),
        Against(MANY, heyokas, "batch", ">= 1"),
    ],
}
OURS = {"loop": (ours, 1), "call": (simulated, 1), "batch": (ours, ROWS)}


@benchmark
def motion_adaptive() -> Iterator[Row]:
    """Ten seconds of a double pendulum, and of six links, at equal error of the last state."""
    for links, peers in PEERS.items():
        chain, tolerances = Chain(links), OF_TWO if links == 2 else OF_SIX
        mine = {k: curve(f, chain, tolerances, n, "dop853") for k, (f, n) in OURS.items()}
        known: dict[tuple[str, str], Any] = {}
        for peer in peers:
            rows = 4 if peer.kind == "batch" else 1
            if (peer.name, peer.method) not in known:
                make = partial(curve, peer.make, chain, tolerances, rows, peer.method)
                with one_core():
                    known[peer.name, peer.method] = attempt(peer.name, make)
            theirs = known[peer.name, peer.method]
            for error in ERRORS:
                what = f"{links} links, {peer.kind}, error {error:g}"
                own = at_error(mine[peer.kind], error)
                if isinstance(theirs, str):
                    yield Row(what, own, theirs, None, None, "")
                else:
                    yield faster(what, own, peer.name, at_error(theirs, error), peer.wanted)


@benchmark
def motion_around_the_loop() -> Iterator[Row]:
    """One adaptive motion: what `simulate` takes beside its loop of machine code."""
    model, tolerances = UR5.model, np.array([1e-9, 1e-12])
    q, v = 0.1 * model.random(0), np.zeros(model.nv)
    task = task_of(model, q, v, 0.5, None, None, {})
    loop = task.integrator("dop853").adaptive_for(1)
    start = {**task.start, **task.given, "t": np.zeros(1), "failed": np.zeros(1)}
    start |= {"end": np.full(1, 0.5), "tolerances": tolerances}
    start["h"] = Integrator.first_step(start, start["end"])

    def alone() -> None:
        own = loop.start(start)
        own.make_room(ROOM)
        own.advance(10**6)
        loop.over(own)

    whole = partial(model.simulate, q, v, 0.5)
    ours, theirs = best(whole, alone, seconds=0.02, clock=time.process_time)
    what, around = "one adaptive motion, UR5", 1e6 * (ours - theirs)
    yield Row(what, ours, "its loop", theirs, around, "microseconds around it", "<= 175")


def _made(flow: Any, is_staged: bool) -> float:
    """Seconds from formulas to machine code."""
    began = time.process_time()
    step = Integrator(flow, "dop853").attempts(is_staged).loop.function
    compile_program(step.program, host(), step._drivers)
    return time.process_time() - began


@benchmark
def motion_first_use() -> Iterator[Row]:
    """What the first adaptive motion of a system takes: traced and compiled, nothing on disk."""
    systems = {"double pendulum": Chain(2).system, "UR5": UR5.model}
    systems["Solo12, free base"] = Mover(SOLO, free=True).model
    for name, s in systems.items():
        _ = s.forward_dynamics.program
        task = task_of(s, s.neutral(), np.zeros(s.nv), 1.0, None, None, {})
        times = [min(_made(task.flow, x) for _ in range(3)) for x in (False, True)]
        wanted = "<= 0.2" if name == "double pendulum" else ""
        yield Row(f"{name}, a pass a step", times[0], "", None, times[0], "seconds", wanted)
        yield Row(
            f"{name}, a pass a stage", times[1], "a pass a step", times[0], times[1] / times[0],
            "of its time",
        )  # fmt: skip
