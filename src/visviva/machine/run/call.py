"""The careful way in: whatever a caller passes becomes rows of float64, or an error that helps."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import combinations
from numbers import Real
from typing import Any, NamedTuple, NoReturn

import numpy as np

from visviva.algebra.arrays import FloatArray, entries, is_numeric
from visviva.describe.quantities import function_at
from visviva.errors import ArgumentError, DtypeError, ShapeError, UnknownNameError
from visviva.hints import in_radians
from visviva.machine.code.entry import PLAIN_FLAGS
from visviva.machine.program.program import Port
from visviva.machine.program.trace import OPTIONS
from visviva.machine.run.kernel import Kernel

UNIT = 1e-6  # how far from one a quaternion's length may be: files and float32 round
Array = FloatArray
FLOAT = np.dtype(np.float64)
FLOATS = frozenset({float, np.float64})  # whose number machine code reads
MOST_COPIED = 4096  # numbers that only stand in another order
MOST_COMPARED = 10_000  # steps of a search for a number that two arrays have
REALS = frozenset("?bBhHiIlLqQefd")  # what converts to float64 as it is
COPIED = FLOATS | {int, bool, list, tuple, np.float32, np.int64}
_on_trial: ContextVar[bool] = ContextVar("_on_trial", default=False)


@contextmanager
def on_trial() -> Iterator[None]:
    """Within it nothing is told of results that are not finite: whoever tries looks at them."""
    token = _on_trial.set(True)
    try:
        yield
    finally:
        _on_trial.reset(token)


class Checks(NamedTuple):
    """How the arguments and results of calls are looked at."""

    entry: Callable[..., Any] | None  # machine code of one evaluation, which asks its conditions
    is_from_entry: bool  # the call, perhaps: what the machine code does not vouch for comes back
    warn: Callable[[Sequence[Array], bool], None]  # finite arguments, whether results are finite


def call(
    name: str,
    kernel: Kernel,
    values: Sequence[Any],
    out: Any = None,
    threads: int = 1,
    checks: Checks | None = None,
) -> Any:
    """Evaluate over all leading axes of the values, broadcast against each other.

    With checks, quaternions off unit length are refused, and a single evaluation is looked at;
    otherwise it is computed, whatever it is.
    """
    arrays = [real_array(name, port, x) for port, x in zip(kernel.inputs, values, strict=True)]
    batch = batch_shape(name, kernel.inputs, arrays)
    count = thread_count(name, threads)
    targets = _targets(name, kernel.outputs, batch, out)
    is_doubtful = False
    if checks is not None and checks.entry is not None and not batch:
        plain = [_contiguous(x) for x in arrays]
        is_doubtful = checks.is_from_entry and all(map(operator.is_, plain, values))
        if not is_doubtful:
            return _written_to(targets, checks.entry(*plain))
    results, has_odd_units = _results(kernel, arrays, batch, targets, count)
    if checks is not None and has_odd_units:
        _refuse_off_unit(name, kernel.inputs, arrays)
    if checks is not None and not batch and not _on_trial.get() and _all_finite(arrays):
        is_finite = _all_finite(results)
        if is_doubtful or not is_finite:
            checks.warn(arrays, is_finite)
    return _written_to(targets, results)


def plain_values(
    inputs: Sequence[Port], args: Sequence[Any], named: Mapping[str, Any]
) -> list[Any] | None:
    """The inputs as machine code takes them; None if they are so, or if that is not plain to see.

    Lists, numbers, and arrays of other kinds or layouts are copied.
    """
    values = [*args]
    for port in inputs[len(args) :]:
        if port.name not in named:
            return None
        values.append(named[port.name])
    if len(values) != len(inputs) or len(args) + len(named) != len(inputs):
        return None
    is_same = not named
    for k, (port, x) in enumerate(zip(inputs, values, strict=True)):
        kind = type(x)
        if kind is np.ndarray:
            is_float = x.dtype is FLOAT
            if is_float and x.flags.num & PLAIN_FLAGS == PLAIN_FLAGS:
                continue
            if is_float and x.size > MOST_COPIED:
                return None  # the kernel takes any strides
            array = x
        elif kind in FLOATS and not port.shape:
            continue
        elif kind in COPIED:
            try:
                array = np.array(x)
            except ValueError:
                return None
        else:
            return None
        if array is x or array.dtype is not FLOAT:
            if array.dtype.char not in REALS:
                return None
            array = array.astype(FLOAT, order="C")
        values[k], is_same = array, False
    return None if is_same else values


def _results(
    kernel: Kernel,
    arrays: Sequence[Array],
    batch: tuple[int, ...],
    targets: Sequence[Array | None],
    threads: int,
) -> tuple[list[Array], bool]:
    """What the kernel computes, in the targets if it may write there; are any units off?"""
    rows = math.prod(batch)
    inputs = [
        broadcast(x, batch + port.shape).reshape(rows, port.size)
        for port, x in zip(kernel.inputs, arrays, strict=True)
    ]
    results = [
        x
        if x is not None and _writable_as_rows(x, rows, port, inputs)
        else np.empty(batch + port.shape)
        for port, x in zip(kernel.outputs, targets, strict=True)
    ]
    outputs = [x.reshape(rows, port.size) for port, x in zip(kernel.outputs, results, strict=True)]
    return results, bool(rows and kernel.run([*inputs, *outputs], rows, threads))


def _written_to(targets: Sequence[Array | None], values: Any) -> Any:
    """Results, in the caller's arrays where there are such."""
    results = [values] if isinstance(values, np.ndarray) else list(values)
    for k, target in enumerate(targets):
        if target is not None and target is not results[k]:
            target[...] = results[k]
            results[k] = target
    return results[0] if len(results) == 1 else tuple(results)


def _contiguous(x: Array) -> Array:
    """As machine code takes it; the array itself if it is so."""
    array = np.require(x, requirements=["C", "A"])
    return array if array.dtype is FLOAT else array.view(FLOAT)


def _refuse_off_unit(name: str, ports: Sequence[Port], arrays: Sequence[Array]) -> None:
    """Refuse quaternions off unit length; nan is let through, and gives nan."""
    for port, x in zip(ports, arrays, strict=True):
        for start in port.units:
            with np.errstate(over="ignore", invalid="ignore"):
                lengths = np.sqrt((x[..., start : start + 4] ** 2).sum(axis=-1))
            off = np.argwhere(np.abs(lengths - 1.0) > UNIT)
            if len(off):
                _refuse_quaternion(name, port, start, x, tuple(off[0].tolist()))


def _refuse_quaternion(
    name: str, port: Port, start: int, batch: Array, row: tuple[int, ...]
) -> NoReturn:
    x, place = batch[row], ", ".join(map(str, row))
    length = math.hypot(*x[start : start + 4])
    first, last = f"{port.name}[{start}]", f"{port.name}[{start + 3}]"
    text = f"{name}: {first} to {last} are a quaternion (x, y, z, w) of length one, got length "
    text += f"{length:.6g}{f' in row [{place}] of the batch' if row else ''}"
    later = x[start + 3 : start + 7]
    if len(later) == 4 and abs(math.hypot(*later) - 1.0) <= UNIT:
        q, s = port.name, start
        whole = f"np.r_[{q}[:{s}], " if s else "np.r_["
        whole += f"{q}[{s + 3}:{s + 7}], {q}[{s or ''}:{s + 3}], {q}[{s + 7}:]]"
        rates = ", v is np.r_[v[3:6], v[:3], v[6:]], a and tau alike" if not s else ""
        raise ArgumentError(
            f"{text}; the last four of {q}[{s}:{s + 7}] have length one: is it Pinocchio's "
            "order, position first? Here the quaternion is first, and ω before the velocity: "
            f"{q} is {whole}{rates}"
        )
    raise ArgumentError(f"{text}; neutral(), q(), random() and integrate() give positions")


def _all_finite(arrays: Sequence[Array]) -> bool:
    return all(bool(np.isfinite(x).all()) for x in arrays)


def bind(
    name: str, inputs: Sequence[Port], args: Sequence[Any], named: dict[str, Any]
) -> list[Any]:
    """One value per input, in the order of the inputs, from arguments by position and by name."""
    if len(args) == len(inputs) and not named:
        return list(args)
    signature = f"{name}({', '.join(map(str, inputs))})"
    names = [port.name for port in inputs]
    if len(args) > len(inputs):
        text = f"{signature} takes {len(inputs)} arguments, got {len(args)}"
        way, line = None, ""  # of wrenches by frames
        if isinstance(x := args[len(inputs)], Mapping) and "q" in names:
            way, line = _way(name, "wrench", x, dict(zip(names, args, strict=False)))
        raise ArgumentError(text + (f"; {way}" if way else ""), cure=line)
    values = dict(zip(names, args, strict=False))
    for key, value in named.items():
        if key not in names:
            known = [*names, *OPTIONS]
            way, line = _way(name, key, value, named if "q" in names else {})
            if "dt" in names:
                way, line = _way_of_a_step(name, key, value) or (way, line)
            raise UnknownNameError(f"argument of {signature}", key, known, way, cure=line)
        if key in values:
            raise ArgumentError(f"{signature}: argument {key!r} is given twice")
        values[key] = value
    missing = [key for key in names if key not in values]
    if missing:
        raise ArgumentError(
            f"{signature} takes {len(inputs)} arguments, got {len(values)}; "
            f"missing: {', '.join(missing)}"
        )
    return [values[key] for key in names]


_RATES = dict.fromkeys(("qd", "dq", "qdot", "qvel", "velocity"), "v")  # as others call inputs
_RATES |= dict.fromkeys(("qdd", "ddq", "qddot", "qacc", "acceleration"), "a")
STEP_OPTIONS = ("method", "substeps", "controls")  # of functions with dt
_TIMES = ("timestep", "time_step", "h", "ts", "step", "delta_t")  # as others call dt
_CONTROLS = ("u", "ctrl", "action", "control")
_PUSHES = ("fext", "f_ext", "external", "external_forces", "wrench", "load", "loads", "force",
           "forces")  # fmt: skip


def _way_of_a_step(name: str, key: str, value: Any) -> tuple[str, str] | None:
    """How a step gets what it is called with elsewhere."""
    if key.lower() in _TIMES:
        return "did you mean 'dt'?", ""
    key, value = ("controls", True) if key.lower() in _CONTROLS else (key, value)
    if key not in STEP_OPTIONS:
        return None
    function_at("steps.step:check_options")(**{key: value})
    return "another function has it", f"model.function({name!r}, {key}={value!r})"


def _way(name: str, key: str, value: Any, said: Mapping[str, Any]) -> tuple[str | None, str]:
    """How a verb of a model gets the inputs that are there when they are asked for."""
    if said and key.lower() in _PUSHES:
        is_named = isinstance(value, Mapping) and value
        frame = repr(next(iter(value))) if is_named else "model.frame_names[-1]"
        return (
            "a function of its own takes [[mx, my, mz, fx, fy, fz]] as well, one row for each "
            "frame, in world axes as those of jacobian; with wrenches=[frame] in the frame's own",
            f"model.function({name!r}, wrenches={{{frame}: 'world'}})",
        )
    if said and key in _RATES:
        return f"did you mean {_RATES[key]!r}?", ""
    if key not in ("wrenches", "parameters"):
        if not isinstance(value, Real) or key not in said:
            return None, ""
        places = ", ".join(f"{k}={x!r}" for k, x in said.items() if isinstance(x, Real))
        return f"positions by name are made by q: model.{name}(model.q({places}))", ""
    named = list(value) if isinstance(value, Mapping) else []
    asked = "model.frame_names[-1:]" if key == "wrenches" else "model.parameter_names"
    asked = repr(named) if all(isinstance(x, str) for x in named) and named else asked
    return "another function takes them as well", f"model.function({name!r}, {key}={asked})"


def real_array(name: str, port: Port, value: Any) -> Array:
    """A value of an input as float64; axes before its own are a batch."""
    if np.ma.is_masked(value):
        raise ArgumentError(f"{name}: entries of {port.name!r} are masked: fill or drop them first")
    try:
        array = np.asarray(entries(value))
    except ValueError as error:
        raise ShapeError(
            f"{name}: argument {port.name!r} is not an array of shape {_wanted(port)}: {error}"
        ) from None
    if array.dtype == object and getattr(value, "is_Matrix", False) and is_numeric(array):
        array = array.astype(float)
    if array.dtype.kind not in "fiub" or array.dtype == np.longdouble:
        way, line = in_radians(value), ""
        if isinstance(value, Mapping):
            rows = f"[{', '.join(f'{x!r}' for x in value.values())}]"
            way, line = "; a model makes it of names", f"q = model.q({dict(value)!r})"
            if port.name != "q":
                line, way = "", f"; {port.name} is an array, without names: {rows:.120}"
            if len(port.shape) == 2 and port.shape[0] > 1:  # rows have an order, all are wanted
                n, m = port.shape[0], port.shape[-1]
                rows = rows if len(value) == n else f"np.zeros(({n}, {m}))"
                way = f"; {port.name} is an array of {n} rows of {m}, in the order in which they "
                way += f"were stated, without names: {rows:.120}"
        raise DtypeError(
            f"{name}: argument {port.name!r} holds {array.dtype} ({type(value).__name__}); "
            "expected real numbers of float64 or less"
            f"{way or '; convert others with .astype(float)'}",
            cure=line,
        )
    check_shape(name, port, array.shape)
    return array.astype(np.float64, copy=False)


def check_shape(name: str, port: Port, shape: tuple[int, ...]) -> None:
    """Refuse an array whose last axes are not the port's own shape; axes before are a batch."""
    extra = len(shape) - len(port.shape)
    if extra < 0 or shape[extra:] != port.shape:
        raise ShapeError(
            f"{name}: argument {port.name!r} has shape {shape}; expected {_wanted(port)}"
        )


def _wanted(port: Port) -> str:
    return "(" + ", ".join(["...", *map(str, port.shape)]) + ")"


def batch_shape(name: str, inputs: Sequence[Port], arrays: Sequence[Any]) -> tuple[int, ...]:
    """The leading axes of arrays, of numpy or others, broadcast against each other."""
    leading: list[tuple[int, ...]] = [
        tuple(x.shape[: x.ndim - len(port.shape)]) for port, x in zip(inputs, arrays, strict=True)
    ]
    if len(set(leading)) == 1:
        return leading[0]
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        got = ", ".join(f"{p.name}: {shape}" for p, shape in zip(inputs, leading, strict=True))
        raise ShapeError(
            f"{name}: the leading axes do not broadcast against each other ({got})"
        ) from None


def broadcast(x: Array, shape: tuple[int, ...]) -> Array:
    """x of a shape; as it is where it has that already, which is quicker."""
    return x if x.shape == shape else np.broadcast_to(x, shape)


def thread_count(name: str, threads: Any) -> int:
    """How many threads, checked."""
    try:
        count = operator.index(threads)
    except TypeError:
        count = 0
    if count < 1 or isinstance(threads, bool):
        raise ArgumentError(f"{name}: threads is a whole number from 1 on, got {threads!r}")
    return count


def _targets(
    name: str, outputs: Sequence[Port], batch: tuple[int, ...], out: Any
) -> list[Array | None]:
    """The caller's output arrays, checked; None where there are none."""
    if out is None:
        return [None] * len(outputs)
    arrays = out if isinstance(out, (tuple, list)) else (out,)
    if len(arrays) != len(outputs):
        kind = "an array" if len(outputs) == 1 else f"a tuple of {len(outputs)} arrays"
        names = ", ".join(repr(port.name) for port in outputs)
        got = "one array" if arrays is not out else f"a {type(out).__name__} of {len(arrays)}"
        raise ArgumentError(f"{name}: out is {kind}, for {names}; got {got}")
    for port, x in zip(outputs, arrays, strict=True):
        wanted = batch + port.shape
        if not isinstance(x, np.ndarray) or x.dtype != np.float64:
            got = x.dtype if isinstance(x, np.ndarray) else type(x).__name__
            raise DtypeError(f"{name}: out for {port.name!r} must be a float64 array, got {got}")
        if x.shape != wanted:
            raise ShapeError(
                f"{name}: out for {port.name!r} must have shape {wanted}, got {x.shape}"
            )
        if not x.flags.writeable:
            raise ArgumentError(f"{name}: out for {port.name!r} is read-only")
    for x, y in combinations(arrays, 2):
        if _shares_memory(x, y):
            raise ArgumentError(f"{name}: two of the arrays in out share memory")
    return list(arrays)


def _writable_as_rows(x: Array, rows: int, port: Port, inputs: Sequence[Array]) -> bool:
    """Whether the kernel may write into `x` itself: its rows are a view and nothing reads them."""
    view = x.reshape(rows, port.size)
    own = np.may_share_memory(view, x) and not _overlaps_itself(x)
    return own and not any(np.may_share_memory(x, y) for y in inputs)


def _shares_memory(x: Array, y: Array) -> bool:
    """Whether a number belongs to both; columns of one array have none in common."""
    if not np.may_share_memory(x, y):
        return False
    try:
        return np.shares_memory(x, y, max_work=MOST_COMPARED)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def _overlaps_itself(x: Array) -> bool:
    return any(step == 0 and size > 1 for step, size in zip(x.strides, x.shape, strict=True))
