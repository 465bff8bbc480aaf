"""Programs for other frameworks: the same instructions on their scalars, or our machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from visviva.errors import BackendError
from visviva.extras import require
from visviva.machine.code.pointers import Integrand
from visviva.machine.program.interpret import interpret
from visviva.machine.program.program import Port, Program
from visviva.machine.run.call import bind, check_shape
from visviva.machine.run.memory import Code

OLDEST_JAX = (0, 5)  # that has jax.ffi


def to_jax(program: Program, name: str) -> Callable[..., Any]:
    """A function over JAX arrays with the ports' shapes, and leading axes as a batch.

    In double precision if JAX is set so.
    """
    (jnp,) = require("to_jax", "jax.numpy")

    def function(*args: Any, **named: Any) -> Any:
        values = [jnp.asarray(x) for x in bind(name, program.inputs, args, named)]
        scalars: list[Any] = []
        for port, x in zip(program.inputs, values, strict=True):
            check_shape(name, port, x.shape)  # JAX itself clamps indices that do not exist
            scalars += [x[(..., *index)] for index in np.ndindex(*port.shape)]
        batch = jnp.broadcast_shapes(*(x.shape for x in scalars))
        flat = iter(interpret(program, scalars, lift=lambda x: x))
        results = tuple(_stacked(jnp, port, flat, batch) for port in program.outputs)
        return results[0] if len(results) == 1 else results

    function.__name__ = name
    return function


def _stacked(jnp: Any, port: Port, flat: Iterator[Any], batch: tuple[int, ...]) -> Any:
    entries = [jnp.broadcast_to(jnp.asarray(next(flat)), batch) for _ in range(port.size)]
    if not entries:
        return jnp.zeros(batch + port.shape)
    return jnp.stack(entries, axis=-1).reshape(batch + port.shape)


def to_casadi(program: Program, name: str) -> Any:
    """A `casadi.Function` with the ports' names; vectors (n,) are columns n × 1."""
    (casadi,) = require("to_casadi", "casadi")
    for port in (*program.inputs, *program.outputs):
        if len(port.shape) > 2:
            raise BackendError(f"{name}: casadi has matrices at most, {port} has more axes")
    symbols = [casadi.SX.sym(port.name, *_pair(port.shape, 1)) for port in program.inputs]
    scalars = [
        x[_pair(index, 0)]
        for port, x in zip(program.inputs, symbols, strict=True)
        for index in np.ndindex(*port.shape)
    ]
    flat = iter(interpret(program, scalars, lift=lambda x: x))
    results = []
    for port in program.outputs:
        y = casadi.SX.zeros(*_pair(port.shape, 1))
        for index in np.ndindex(*port.shape):
            y[_pair(index, 0)] = next(flat)
        results.append(y)
    ins = [port.name for port in program.inputs]
    outs = [port.name + "_out" * (port.name in ins) for port in program.outputs]
    try:
        return casadi.Function(name, symbols, results, ins, outs)
    except RuntimeError as error:
        raise BackendError(f"casadi refuses {name}: {error}; give to_casadi another name") from None


def _pair(sizes: tuple[int, ...], rest: int) -> tuple[int, ...]:
    """Row and column, where vectors are columns and scalars matrices too."""
    return (*sizes, rest, rest)[:2]


def caller(code: Code, symbol: str, kind: Any) -> Any:
    """A function of ctypes, which keeps the machine code that it calls."""
    function = kind(code.call(symbol))
    function.code = code
    return function


def to_scipy(code: Code) -> Any:
    """What SciPy calls, of code that has an `Integrand`."""
    from scipy import LowLevelCallable

    kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int, ctypes.POINTER(ctypes.c_double))
    return LowLevelCallable(caller(code, Integrand.symbol, kind))


def check_jax() -> None:
    """Refuse a JAX that cannot call machine code of others."""
    (jax,) = require("to_jax", "jax")
    if jax.__version_info__ < OLDEST_JAX:
        oldest = ".".join(map(str, OLDEST_JAX))
        raise BackendError(
            f"jax {jax.__version__} calls no compiled functions: pip install 'jax>={oldest}'; "
            "to_jax(traced=True) works with it"
        )
