"""Compiled functions over torch tensors: autograd functions whose derivatives are compiled too.

A call goes one of four ways. Where no derivative can be asked for, the machine code runs (`_run`).
Where one can, `_Plain` also remembers the arguments: a backward pass runs the compiled `vjp` of the
inputs that need a gradient, and is itself such a call where gradients are differentiated again.
Within transforms of torch.func `_ForTransforms` does the same; `torch.compile` sees an operator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import compress
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import torch
from torch.autograd import forward_ad

from visviva.errors import BackendError, DtypeError
from visviva.machine.program.program import Port
from visviva.machine.run.call import batch_shape, bind, check_shape, real_array

# names that torch does not promise: without them there is a slower way, or an error of torch
_has_transforms = getattr(torch._C, "_are_functorch_transforms_active", lambda: True)
_functorch = getattr(torch._C, "_functorch", None)
_is_mapped_gradient = getattr(_functorch, "is_legacy_batchedtensor", lambda x: False)


def torch_function(function: Any) -> Callable[..., Any]:
    """The compiled function over tensors on the processor; leading axes are a batch."""
    name, ports = function.name, function._inputs
    key = _key(function)

    def call(*args: Any, **keywords: Any) -> Any:
        arguments = bind(name, ports, args, keywords)
        dtype = _result_type(name, ports, arguments)
        values = _tensors_of_one_batch(name, ports, arguments)
        if torch.compiler.is_compiling() or any(x.is_meta for x in values):
            results = tuple(_operator(values, key))
        elif _has_transforms() or _may_be_differentiated(values):
            results = _apply(function, values)
        else:
            results = _run(function, values)
        if dtype is not torch.float64:
            results = tuple(y.to(dtype) for y in results)
        return results[0] if len(results) == 1 else results

    call.__name__ = name
    return call


def _result_type(name: str, ports: Sequence[Port], arguments: Sequence[Any]) -> Any:
    """The widest type of floating point among those arguments that are tensors."""
    kinds = []
    for port, x in zip(ports, arguments, strict=True):
        if not isinstance(x, torch.Tensor):
            continue
        if x.is_complex() or x.is_quantized:
            raise DtypeError(
                f"{name}: argument {port.name!r} holds {x.dtype}; expected real numbers"
            )
        if not (x.is_cpu or x.is_meta):
            raise BackendError(
                f"{name} is machine code for the processor, and {port.name!r} is on {x.device}: "
                f"pass {port.name}.cpu()"
            )
        if x.is_floating_point():
            kinds.append(x.dtype)
    return reduce(torch.promote_types, kinds) if kinds else torch.float64


def _tensors_of_one_batch(name: str, ports: Sequence[Port], arguments: Sequence[Any]) -> list[Any]:
    """The arguments as tensors in double precision, with the same leading axes."""
    tensors = [
        x if isinstance(x, torch.Tensor) else torch.tensor(real_array(name, port, x))
        for port, x in zip(ports, arguments, strict=True)
    ]
    for port, x in zip(ports, tensors, strict=True):
        check_shape(name, port, tuple(x.shape))
    batch = batch_shape(name, ports, tensors)
    return [_as_rows(x, (*batch, *port.shape)) for port, x in zip(ports, tensors, strict=True)]


def _as_rows(x: Any, shape: tuple[int, ...]) -> Any:
    """In double precision and of a shape; the tensor itself where it has both, which is quicker."""
    wide = x if x.dtype is torch.float64 else x.to(torch.float64)
    return wide if wide.shape == shape else wide.expand(shape)


def _may_be_differentiated(values: Sequence[Any]) -> bool:
    """Whether torch may ask for a derivative of what is computed of tensors."""
    if getattr(forward_ad, "_current_level", 0) >= 0:
        return True
    return torch.is_grad_enabled() and any(x.requires_grad for x in values)


def _batch(function: Any, values: Sequence[Any]) -> tuple[int, ...]:
    """The leading axes, which all arguments share."""
    return tuple(
        values[0].shape[: values[0].ndim - len(function._inputs[0].shape)] if values else ()
    )


def _run(function: Any, values: Sequence[Any]) -> tuple[Any, ...]:
    """The machine code on the numbers of tensors."""
    results = function(*(x.numpy(force=True) for x in values))
    return tuple(map(torch.from_numpy, results if isinstance(results, tuple) else (results,)))


def _apply(function: Any, values: Sequence[Any]) -> tuple[Any, ...]:
    """The same, in a way that torch can differentiate."""
    kind = _ForTransforms if _has_transforms() else _Plain
    results: tuple[Any, ...] = kind.apply(function, *values)
    return results


# ---- derivatives


def _gradients(ctx: Any, weights: Sequence[Any]) -> tuple[Any, ...]:
    """Of the sum of outputs times weights, by the function (none) and each of its inputs."""
    function, needs, values = ctx.function, ctx.needs_input_grad[1:], ctx.saved_tensors
    product = function.vjp(*compress(function.inputs, needs))
    if any(map(_is_mapped_gradient, weights)):
        gradients = _gradients_by_matrix(function, product, values, weights)
    elif torch.is_grad_enabled() or _has_transforms():
        gradients = iter(_apply(product, (*values, *weights)))
    else:
        gradients = iter(_run(product, (*values, *weights)))
    return None, *(next(gradients) if is_asked else None for is_asked in needs)


def _gradients_by_matrix(
    function: Any, product: Any, values: Sequence[Any], weights: Sequence[Any]
) -> Iterator[Any]:
    """Weights times the Jacobian, by operations of torch: its older map, which maps weights for
    `torch.autograd.grad(…, is_grads_batched=True)`, knows no others."""
    shapes = list(function.outputs.values())
    sizes = [math.prod(shape) for shape in shapes]
    count, batch = sum(sizes), _batch(function, values)
    columns = torch.eye(count, dtype=torch.float64).split(sizes, 1)
    units = [
        column.reshape(count, *(1 for _ in batch), *shape).expand(count, *batch, *shape)
        for column, shape in zip(columns, shapes, strict=True)
    ]
    rows = _run(product, [*(x.expand(count, *x.shape) for x in values), *units])
    flat = torch.cat([x.reshape(*batch, n) for x, n in zip(weights, sizes, strict=True)], -1)
    for row, shape in zip(rows, product.outputs.values(), strict=True):
        matrix = row.reshape(count, *batch, math.prod(shape)).movedim(0, -2)
        yield (flat.unsqueeze(-2) @ matrix).squeeze(-2).reshape((*batch, *shape))


def _output_rates(ctx: Any, rates: Sequence[Any]) -> tuple[Any, ...]:
    """Rates of the outputs, by those inputs that have rates."""
    are_moving = [x is not None for x in rates]
    product = ctx.function.jvp(*compress(ctx.function.inputs, are_moving))
    return _apply(product, (*ctx.saved_tensors, *compress(rates, are_moving)))


def _remember(ctx: Any, function: Any, values: Sequence[Any]) -> None:
    ctx.function = function
    ctx.save_for_backward(*values)
    ctx.save_for_forward(*values)


class _Plain(torch.autograd.Function):  # type: ignore[misc]
    """Without `setup_context`, which `_ForTransforms` must have and which costs 60 µs a call."""

    @staticmethod
    def forward(ctx: Any, function: Any, *values: Any) -> Any:
        _remember(ctx, function, values)
        return _run(function, values)

    @staticmethod
    def backward(ctx: Any, *weights: Any) -> Any:
        return _gradients(ctx, weights)

    @staticmethod
    def jvp(ctx: Any, _: Any, *rates: Any) -> Any:
        return _output_rates(ctx, rates)


class _ForTransforms(torch.autograd.Function):  # type: ignore[misc]
    """For the transforms of torch.func."""

    @staticmethod
    def forward(function: Any, *values: Any) -> Any:
        return _run(function, values)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _remember(ctx, inputs[0], inputs[1:])

    backward, jvp = _Plain.backward, _Plain.jvp

    @staticmethod
    def vmap(info: Any, axes: Any, function: Any, *values: Any) -> Any:
        rows = _axes_in_front(info.batch_size, axes[1:], values)
        return _apply(function, rows), tuple(0 for _ in function.outputs)


def _axes_in_front(size: int, axes: Sequence[int | None], values: Sequence[Any]) -> list[Any]:
    return [
        x.expand(size, *x.shape) if k is None else x.movedim(k, 0)
        for x, k in zip(values, axes, strict=True)
    ]


# ---- one operator for all functions, which torch.compile does not look into

# Graphs of torch.compile name a function by a key. The first function with a key computes for all
# that have the same one, and each of these holds it, so that it lives as long as any of them.
_functions: WeakValueDictionary[str, Any] = WeakValueDictionary()
_first_with_same_key: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def _key(function: Any) -> str:
    """The key of a function, the same in every process, since torch keeps graphs on disk."""
    key: str = function._fingerprint
    first = _functions.setdefault(key, function)
    if first is not function:
        _first_with_same_key[function] = first
    return key


def _compute(values: list[torch.Tensor], key: str) -> list[torch.Tensor]:
    return [*_run(_functions[key], values)]


def _shapes(values: Sequence[Any], key: str) -> list[Any]:
    """Empty tensors like the results, for torch.compile."""
    function, device = _functions[key], values[0].device if values else "cpu"
    batch = _batch(function, values)
    return [
        torch.empty((*batch, *shape), dtype=torch.float64, device=device)
        for shape in function.outputs.values()
    ]


def _remember_key(ctx: Any, inputs: Any, output: Any) -> None:
    values, ctx.key = inputs
    ctx.are_asked = [x.requires_grad for x in values]
    ctx.save_for_backward(*values)


def _operator_gradients(ctx: Any, weights: Sequence[Any]) -> Any:
    function = _functions[ctx.key]
    product = function.vjp(*compress(function.inputs, ctx.are_asked))
    arguments = [*ctx.saved_tensors, *(x.contiguous() for x in weights)]
    gradients = iter(_operator(arguments, _key(product)))
    return [next(gradients) if is_asked else None for is_asked in ctx.are_asked], None


def _operator_vmap(info: Any, axes: Any, values: Sequence[Any], key: str) -> Any:
    results = _operator(_axes_in_front(info.batch_size, axes[0], values), key)
    return results, [0] * len(results)


_operator = torch.library.custom_op("visviva::call", _compute, mutates_args=())
_operator.register_fake(_shapes)
_operator.register_autograd(_operator_gradients, setup_context=_remember_key)
_operator.register_vmap(_operator_vmap)
