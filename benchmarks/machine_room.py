"""The machine room: calls, elementary functions, throughput, compile time, threads, import."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from unittest import mock

import numpy as np

import visviva as vv
from benchmarks.chains import shapes, torques
from benchmarks.harness import Row, benchmark, best, faster, share
from visviva.algebra.scalars import numpy_name
from visviva.machine.code import watch
from visviva.machine.function import Function
from visviva.machine.program.interpret import interpret
from visviva.machine.program.program import Program

rng = np.random.default_rng(0)


@benchmark
def single_call() -> Iterator[Row]:
    """One evaluation from Python on three 6-vectors."""
    x, y, z = rng.normal(size=(3, 6))
    f = vv.function(lambda x, y, z: x * y + z, {"x": 6, "y": 6, "z": 6}, name="fma")
    g = vv.function(torques(6), shapes(6), name="torques")
    casadi_g, jax_f = g.to_casadi(), _jitted(f.to_jax(traced=True))
    ours, add, rough, jax = best(
        lambda: f(x, y, z), lambda: np.add(x, y), lambda: x * y + z, lambda: jax_f(x, y, z)
    )
    yield share("x·y + z of three 6-vectors", ours, "np.add of two", add, "<= 0.7")
    yield faster("x·y + z of three 6-vectors", ours, "numpy", rough)
    yield faster("x·y + z of three 6-vectors", ours, "JAX, jitted", jax)
    ours, add, casadi = best(lambda: g(x, y, z), lambda: np.add(x, y), lambda: casadi_g(x, y, z))
    what = f"torques of a 6-link chain, {g.operations.total()} operations"
    yield share(what, ours, "np.add of two", add)
    yield faster(what, ours, "CasADi", casadi)


@benchmark
def sincos() -> Iterator[Row]:
    """Sine and cosine of a million angles, one thread."""
    x = rng.uniform(-10, 10, 1_000_000)
    f = vv.function(lambda x: vv.generic.sincos(x), {"x": ()}, name="sincos")
    out = (np.empty_like(x), np.empty_like(x))
    ours, numpy = best(
        lambda: f(x, out=out), lambda: (np.sin(x, out=out[0]), np.cos(x, out=out[1]))
    )
    yield faster("sin and cos of 10⁶ doubles", ours, "np.sin + np.cos", numpy, ">= 1")
    if np.finfo(np.longdouble).nmant >= 63:
        wide = rng.uniform(-1e5, 1e5, 1_000_000)
        exact = [h(wide.astype(np.longdouble)) for h in (np.sin, np.cos)]
        ulp = max(_ulp_error(y, e) for y, e in zip(f(wide), exact, strict=True))
        yield Row("largest error, angles up to 1e5", 0.0, "80-bit floats", None, ulp, "ulp", "<= 2")


ARGUMENTS = {  # where each is taken, evenly
    "tan": (-10, 10),
    "atan": (-10, 10),
    "atan2": (-1, 1),
    "asin": (-1, 1),
    "acos": (-1, 1),
    "exp": (-20, 20),
    "log": (0, 100),
    "sinh": (-5, 5),
    "cosh": (-5, 5),
    "tanh": (-3, 3),
    "pow": (0, 10),  # the C library's, lane by lane, as all were
}


@benchmark
def elementary() -> Iterator[Row]:
    """Elementary functions of 65 536 arguments, one thread: time and largest error of each."""
    out = np.empty(65_536)
    sine, angles = vv.function(lambda x: vv.generic.sin(x), {"x": ()}), rng.uniform(-10, 10, 65_536)
    for name, (low, high) in ARGUMENTS.items():
        function = getattr(vv.generic, "power" if name == "pow" else name)
        peer = getattr(np, numpy_name("power" if name == "pow" else name))
        inputs = {"y": (), "x": ()} if name in ("atan2", "pow") else {"x": ()}
        f = vv.function(lambda *x, function=function: function(*x), inputs, name=name)
        xs = [rng.uniform(low, high, len(out)) for _ in inputs]
        times = best(
            lambda f=f, xs=xs: f(*xs, out=out),
            lambda f=peer, xs=xs: f(*xs, out=out),
            lambda: sine(angles, out=out),
            seconds=0.01,
            clock=time.process_time,
        )
        ours, theirs, one = (t / len(out) for t in times)
        what, bound = f"{name}, one of a batch", "" if name == "pow" else "<= 2"
        yield share(what, ours, "sin, the same way", one, bound)  # 4 ns where sin takes 2
        yield faster(what, ours, f"np.{peer.__name__}", theirs)
        if np.finfo(np.longdouble).nmant >= 63:
            ulp = _ulp_error(f(*xs), peer(*(x.astype(np.longdouble) for x in xs)))
            yield Row(f"{name}, largest error", None, "80-bit floats", None, ulp, "ulp", "<= 2")


def _ulp_error(results: np.ndarray, exact: np.ndarray) -> float:
    """The largest, in units of the last place; `exact` in extended precision."""
    off = np.abs(results.astype(np.longdouble) - exact)
    return float(np.max(off / np.spacing(np.abs(exact).astype(float))))


@benchmark
def batch() -> Iterator[Row]:
    """Torques of a 6-link chain over 8192 states, one thread."""
    f = vv.function(torques(6), shapes(6), name="torques")
    states = rng.normal(size=(3, 8192, 6))
    out = np.empty((8192, 6))
    scalars = _jitted(lambda x: interpret(f.program, list(x), lift=lambda y: y))
    rows = np.ascontiguousarray(np.concatenate(states, axis=1).T)  # JAX likes scalars contiguous
    mapped = f.to_casadi().map(8192)
    columns = [np.asfortranarray(x.T) for x in states]
    ours, jax, casadi = best(
        lambda: f(*states, out=out), lambda: scalars(rows), lambda: mapped(*columns), repeats=5
    )
    yield faster("torques, 8192 states", ours, "JAX, jitted, all cores", jax)
    yield faster("torques, 8192 states", ours, "CasADi, mapped, its interpreter", casadi)


@benchmark
def compilation() -> Iterator[Row]:
    """Compile and load time, and speed per node, of small and large programs."""
    small = _program_of(500)
    medium = _program_of(1000)
    large = _program_of(50_000)
    with tempfile.TemporaryDirectory() as folder, _cache(folder):
        _ = _fresh(small).compile_seconds  # LLVM starts up
        for name, f, limit in (("1000", medium, 0.3), ("50 000", large, 8.0)):
            with _cache("off"):
                seconds = min(_fresh(f).compile_seconds for _ in range(3 if limit < 1 else 1))
            what = f"compile {name} nodes ({len(f.program.code)})"
            yield Row(what, seconds, "", None, seconds, "seconds", f"<= {limit}")
        warm = _fresh(large)
        _ = warm.compile_seconds  # fills the cache, when the better code is there
        for thread in threading.enumerate():
            if thread.name == "visviva beside":
                thread.join()
        seconds = min(_fresh(large).compile_seconds for _ in range(5))
        assert _fresh(large).kernel.from_cache
        yield Row(
            "load 50 000 nodes from the cache", seconds, "", None, seconds, "seconds", "<= 0.2"
        )
        per_node = []
        for f, rows in ((small, 8192), (large, 1024)):
            inputs = [rng.normal(size=(rows, *shape)) for shape in f.inputs.values()]
            out = tuple(np.empty((rows, *shape)) for shape in f.outputs.values())
            per_node.append((f, rows, inputs, out if len(out) > 1 else out[0]))
        calls = [lambda f=f, x=x, o=o: f(*x, out=o) for f, _, x, o in per_node]
        times = best(*calls, repeats=10)
        node = [
            t / rows / len(f.program.code)
            for t, (f, rows, _, _) in zip(times, per_node, strict=True)
        ]
        yield share("time per node and row, 50 000 nodes", node[1], "500 nodes", node[0], "<= 1.3")


@benchmark
def threads() -> Iterator[Row]:
    """Two threads on a batch of a million."""
    f = vv.function(torques(6), shapes(6), name="torques")
    states, out = rng.normal(size=(3, 1_000_000, 6)), np.empty((1_000_000, 6))
    two, one = best(lambda: f(*states, out=out, threads=2), lambda: f(*states, out=out), repeats=10)
    yield faster("torques, 10⁶ states, two threads", two, "one thread", one, ">= 1.7")


@benchmark
def importing() -> Iterator[Row]:
    """`import visviva` in a fresh process."""

    def seconds(module: str) -> float:
        code = (
            f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
        )
        run = [sys.executable, "-c", code]
        return min(float(subprocess.check_output(run)) for _ in range(7))

    ours, numpy = seconds("visviva"), seconds("numpy")
    yield Row("import visviva", ours, "", None, ours, "seconds", "<= 0.3")
    yield share("import visviva", ours, "import numpy", numpy)
    ours = seconds("visviva.machine.function")
    yield share("import visviva, compiler included", ours, "import numpy", numpy)


def _program_of(nodes: int) -> vv.Function:
    """Torques, or for more nodes their derivatives, of the first chain that is large enough."""
    if nodes < 5000:
        sizes = {links: vv.function(torques(links), shapes(links)) for links in range(2, 14)}
    else:
        sizes = {18: vv.function(torques(18), shapes(18)).jacobian("q", "v")}
    return next(f for f in sizes.values() if len(f.program.code) >= nodes)


def _fresh(f: vv.Function) -> vv.Function:
    """The same program, not compiled yet."""
    program = f.program
    made = vv.Function(f.name, program.inputs, lambda: program)
    _ = made.program
    return made


def _jitted(f):
    import jax

    jax.config.update("jax_enable_x64", True)
    jitted = jax.jit(f)
    return lambda *args: jax.block_until_ready(jitted(*args))


def _cache(setting: str):
    return mock.patch.dict(os.environ, VISVIVA_CACHE=setting)


@benchmark
def watching() -> Iterator[Row]:
    """What single calls pay for looking at quaternions, and at results that are not finite."""
    arm, base = vv.catalog.puma560(), vv.Builder("base")
    box = vv.Inertia.box(1.0, x=0.1, y=0.2, z=0.3)
    body = base.body("body", joint="free", inertia=box).build()
    for model in (arm, body):
        q, (v, a) = model.random(0), rng.normal(size=(2, model.nv))
        for verb, args in (
            ("inverse_dynamics", (q, v, a)),
            ("forward_dynamics", (q, v, a)),
            ("mass_matrix", (q,)),
        ):
            program = model.function(verb).program
            pairs = []  # several of each: the first ones called are a little slower, or faster
            for _ in range(3):
                pairs.append(_compiled(program, args))
                with mock.patch.multiple(watch, units=_nothing, finite=_always):
                    pairs.append(_compiled(program, args))
            calls = [lambda f=f, x=args: f(*x) for f in pairs]
            times = best(*calls, repeats=2000, seconds=1e-4)  # short: nothing comes between
            ours, without = (sorted(times[k::2])[1] for k in (0, 1))
            what = f"watching, {verb} of {model.name}"
            extra = (ours - without) * 1e9
            yield Row(what, ours, "blind", without, extra, "more nanoseconds", "<= 10")


def _compiled(program: Program, args: Sequence[np.ndarray]) -> Function:
    """A function of its own, that comes from no cache."""
    f = Function("watched", program.inputs, lambda: program)
    with mock.patch.dict(os.environ, {"VISVIVA_CACHE": "off"}):
        f(*args)
    return f


def _nothing(*_: object) -> str:
    """In place of text that looks."""
    return ""


def _always(*_: object) -> tuple[str, str]:
    """In place of text that looks at results: all of them are good."""
    return "", "true"
