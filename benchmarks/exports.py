"""Compiled functions in JAX and torch, and products of derivatives: beside our own direct calls.

All is timed by what the process computes, XLA's threads included. Kernels are there before anything
is timed; what JAX compiles is the code around them.
"""

import importlib.util
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import visviva as vv
from benchmarks.harness import Row, benchmark, best, faster, share
from benchmarks.robots import PANDA, SOLO, TALOS, Robot

ROWS = 4096
LARGEST = 10_000  # operations of a function whose Jacobian is compiled here
process = partial(best, clock=time.process_time, repeats=15)


def _case(robot: Robot, base: str = "fixed") -> tuple[vv.Function, list[Any]]:
    """Forward dynamics, and states, many of them."""
    model = vv.load(robot.path, base=base, mimic="expand").without_dissipation()
    rng = np.random.default_rng(0)
    q = np.array([model.random(rng=rng) for _ in range(ROWS)])
    return model.forward_dynamics, [q, *rng.normal(size=(2, ROWS, model.nv))]


CASES = {
    "Panda": partial(_case, PANDA),
    "Solo12, free base": partial(_case, SOLO, "free"),
    "Talos, free base": partial(_case, TALOS, "free"),
}


@benchmark
def products() -> Iterator[Row]:
    """A gradient by `vjp`: its operations, and its time beside that of the Jacobian."""
    for name, case in CASES.items():
        yield from _product_of(name, *case())


def _product_of(name: str, f: vv.Function, x: list[Any]) -> Iterator[Row]:
    product = f.vjp()
    what, ratio = f"{name}, vjp", product.operations.total() / f.operations.total()
    yield Row(what, None, "the function", None, ratio, "operations, ours / theirs", "<= 3")
    if f.operations.total() > LARGEST:
        return
    J, w = f.jacobian(), x[1]
    ours, function, theirs = process(lambda: product(*x, w), lambda: f(*x), lambda: J(*x))
    yield share(f"{what}, {ROWS} rows", ours, "the function", function)
    yield faster(f"{what}, {ROWS} rows", ours, "the Jacobian", theirs)


@benchmark
def in_jax() -> Iterator[Row]:
    """JAX: seconds of jit, and many rows beside direct calls."""
    import jax

    jax.config.update("jax_enable_x64", True)
    for name, case in CASES.items():
        yield from _in_jax(name, *case())


def _in_jax(name: str, f: vv.Function, x: list[Any]) -> Iterator[Row]:
    import jax

    call, product, w = f.to_jax(), f.vjp(), np.ones_like(x[1])
    product(*x, w)
    one, many = [row[0] for row in x], [jax.numpy.asarray(row) for row in x]

    def total(*x: Any) -> Any:
        return call(*x).sum()

    both = jax.value_and_grad(total, argnums=(0, 1, 2))
    for what, g in (("f", call), ("its gradient", jax.grad(total, argnums=(0, 1, 2)))):
        begin = time.process_time()
        jax.jit(g).lower(*one).compile()
        seconds = time.process_time() - begin
        yield Row(f"{name}, jit of {what}", seconds, "", None, seconds, "seconds", "<= 0.5")
    rows, mapped = jax.jit(call), jax.jit(jax.vmap(both))
    ours, theirs, gradient, direct = process(
        lambda: rows(*many).block_until_ready(),
        lambda: f(*x),
        lambda: jax.block_until_ready(mapped(*many)),
        lambda: (f(*x), product(*x, w)),
    )
    yield share(f"{name}, JAX, {ROWS} rows", ours, "direct", theirs, "<= 1.25")
    what = f"{name}, JAX, {ROWS} rows with gradients"
    yield share(what, gradient, "direct f and vjp", direct, "<= 1.35")


@benchmark
def in_torch() -> Iterator[Row]:
    """torch: many rows beside direct calls, with and without a backward pass."""
    if importlib.util.find_spec("torch") is None:
        return
    import torch

    torch.set_num_threads(1)
    for name, case in CASES.items():
        yield from _in_torch(name, *case())


def _in_torch(name: str, f: vv.Function, x: list[Any]) -> Iterator[Row]:
    import torch

    call, product, w = f.to_torch(), f.vjp(), np.ones_like(x[1])
    plain = [torch.tensor(row) for row in x]
    leaves = [torch.tensor(row, requires_grad=True) for row in x]
    ours, theirs, backward, direct = process(
        lambda: call(*plain),
        lambda: f(*x),
        lambda: torch.autograd.grad(call(*leaves).sum(), leaves),
        lambda: (f(*x), product(*x, w)),
    )
    yield share(f"{name}, torch, {ROWS} rows", ours, "direct", theirs, "<= 1.15")
    what = f"{name}, torch, {ROWS} rows with a backward pass"
    yield share(what, backward, "direct f and vjp", direct, "<= 1.5")
