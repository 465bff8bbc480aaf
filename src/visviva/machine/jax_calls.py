"""Compiled functions over JAX arrays: primitives whose derivatives are compiled functions too.

There are two. `_value` computes the outputs y = f(x), `_rates` the rates ẏ = (∂f/∂x) ẋ. JAX asks
for three rules: the derivative of either is a call of `_rates` (`Function.jvp`), the transpose of
`_rates`, from weights of ẏ to gradients, is a call of `_value` (`Function.vjp`), and a batch of
either is one call. From these JAX makes derivatives of any order, `vmap`, `scan` and checkpoints.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import compress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from visviva.errors import BackendError, DtypeError
from visviva.machine.code import xla
from visviva.machine.program.program import Port
from visviva.machine.run.call import batch_shape, bind, check_shape
from visviva.machine.run.xla import custom_call

if TYPE_CHECKING:
    from visviva.machine.function import Function

ADVICE = "to_jax(traced=True) hands the formulas over, for JAX to compile"
_targets: set[str] = set()  # names that are registered with XLA
_lock = Lock()


def jax_function(function: Function[Any]) -> Callable[..., Any]:
    """The compiled function over JAX arrays on the processor; leading axes are a batch."""
    _check_api()
    name, ports = function.name, function._inputs

    def call(*args: Any, **keywords: Any) -> Any:
        arrays = [jnp.asarray(x) for x in bind(name, ports, args, keywords)]
        dtype = _float_type(name, ports, arrays)
        for port, x in zip(ports, arrays, strict=True):
            check_shape(name, port, x.shape)
        batch = batch_shape(name, ports, arrays)
        values = [
            jnp.broadcast_to(x.astype(dtype), (*batch, *port.shape))
            for port, x in zip(ports, arrays, strict=True)
        ]
        results = _bind(_value, *values, function=function, names=())
        return results[0] if len(results) == 1 else tuple(results)

    call.__name__ = name
    # within another jit it is inlined; by itself it is dispatched once, not at every step
    return jax.jit(call)  # type: ignore[no-any-return]


def _float_type(name: str, ports: Sequence[Port], arrays: Sequence[Any]) -> Any:
    """The widest of float32 and float64 among the arguments that are floats."""
    for port, x in zip(ports, arrays, strict=True):
        if not any(jnp.issubdtype(x.dtype, kind) for kind in (jnp.floating, jnp.integer, bool)):
            raise DtypeError(
                f"{name}: argument {port.name!r} holds {x.dtype}; expected real numbers"
            )
    floats = [x for x in arrays if jnp.issubdtype(x.dtype, jnp.floating)]
    return jnp.result_type(*floats, jnp.float32) if floats else jnp.result_type(float)


# ---- the primitives: arguments of one dtype and one batch, several results

_value = Primitive("visviva")
_rates = Primitive("visviva_rates")  # linear in its last arguments, the rates of `names`


def _bind(primitive: Any, *args: Any, function: Function[Any], names: tuple[str, ...]) -> Any:
    """Results of a primitive; where they have no numbers no code is called."""
    shapes = _shapes(*args, function=function)
    if not any(x.size for x in shapes):
        return [jnp.zeros(x.shape, x.dtype) for x in shapes]
    return primitive.bind(*args, function=function, names=names)


def _shapes(*args: Any, function: Function[Any], **_: Any) -> list[Any]:
    """Shapes and type of the outputs, or of their rates."""
    batch, dtype = (), jnp.result_type(float)
    if args:
        x, port = args[0], function._inputs[0]
        batch, dtype = x.shape[: len(x.shape) - len(port.shape)], x.dtype
    return [jax.core.ShapedArray((*batch, *s), dtype) for s in function.outputs.values()]


def _evaluate(primitive: Any, *args: Any, **parameters: Any) -> Any:
    """Results outside of any jit, where JAX runs primitives one by one."""
    with jax.disable_jit(False):
        return jax.jit(partial(primitive.bind, **parameters))(*args)


def _call(*args: Any, function: Function[Any], names: tuple[str, ...]) -> Any:
    """The machine code, where JAX compiles for the processor."""
    shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in _shapes(*args, function=function)]
    product = function.jvp(*names) if names else function
    return tuple(jax.ffi.ffi_call(_target(product), shapes)(*args))


def _refuse_platform(context: Any, *args: Any, function: Function[Any], **_: Any) -> Any:
    """The error where JAX compiles for anything but the processor."""
    platforms = " and ".join(context.module_context.platforms)
    raise BackendError(
        f"{function.name} is machine code for the processor, and JAX compiles for {platforms}: "
        f"call it under jax.default_device(jax.devices('cpu')[0]); {ADVICE}"
    )


def _evaluate_batch(
    primitive: Any, args: Sequence[Any], axes: Sequence[int | None], **parameters: Any
) -> Any:
    """`vmap`: all axes go to the front, where compiled functions have those of a batch."""
    size = next(x.shape[k] for x, k in zip(args, axes, strict=True) if k is not None)
    rows = [
        jnp.broadcast_to(x, (size, *x.shape)) if k is None else jnp.moveaxis(x, k, 0)
        for x, k in zip(args, axes, strict=True)
    ]
    results = primitive.bind(*rows, **parameters)
    return results, [0] * len(results)


def _differentiate(
    primitive: Any,
    args: Sequence[Any],
    rates: Sequence[Any],
    *,
    function: Function[Any],
    names: tuple[str, ...],
) -> Any:
    """Results, and their rates: by those arguments alone whose rates are not zero."""
    results = primitive.bind(*args, function=function, names=names)
    f = function.jvp(*names) if names else function  # the function of all these arguments
    are_moving = [type(x) is not ad.Zero for x in rates]
    inputs, changes = tuple(compress(f.inputs, are_moving)), compress(rates, are_moving)
    return results, _rates.bind(*args, *changes, function=f, names=inputs)


def _transpose(
    weights: Sequence[Any], *args: Any, function: Function[Any], names: tuple[str, ...]
) -> Any:
    """Gradients by those rates that JAX leaves open; none by the point where they are taken."""
    count = len(function.inputs)
    point, rates = args[:count], args[count:]
    are_asked = [ad.is_undefined_primal(x) for x in rates]
    product = function.vjp(*compress(names, are_asked))
    factors = [ad.instantiate_zeros(x) for x in weights]
    gradients = iter(_bind(_value, *point, *factors, function=product, names=()))
    return [None] * count + [next(gradients) if is_asked else None for is_asked in are_asked]


for _primitive in (_value, _rates):
    _primitive.multiple_results = True
    _primitive.def_impl(partial(_evaluate, _primitive))
    _primitive.def_abstract_eval(_shapes)
    mlir.register_lowering(_primitive, mlir.lower_fun(_call, True), platform="cpu")
    mlir.register_lowering(_primitive, _refuse_platform)
    batching.primitive_batchers[_primitive] = partial(_evaluate_batch, _primitive)
    ad.primitive_jvps[_primitive] = partial(_differentiate, _primitive)
ad.primitive_transposes[_rates] = _transpose


# ---- machine code that XLA calls


def _target(function: Function[Any]) -> str:
    """The name by which XLA finds the code of a function, which is registered at its first use.

    JAX keeps what it compiled on disk, with this name in it, for other processes.
    """
    name = f"visviva_{function._fingerprint}"
    with _lock:
        if name not in _targets:
            code = jax.ffi.pycapsule(ctypes.CFUNCTYPE(None)(custom_call(function.kernel)))
            jax.ffi.register_ffi_target(name, code, platform="cpu")
            _targets.add(name)
    return name


@cache
def _check_api() -> None:
    """Refuse an XLA whose call frames may look otherwise than `code/xla.py` reads them."""
    header = Path(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h")
    if not header.is_file():  # then its version is compared when a call is registered
        return
    version = re.search(r"define XLA_FFI_API_MAJOR (\d+)", header.read_text(encoding="utf-8"))
    if version is None or int(version[1]) != xla.MAJOR:
        raise BackendError(
            f"jax {jax.__version__} calls machine code in a way that this visviva does not know: "
            f"take an older jax; {ADVICE}"
        )
