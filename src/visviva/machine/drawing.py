"""A function as a picture: lines over one of its numbers, a map or a surface over two."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing.look import BAR, COLOURS, SCALE, words
from visviva.drawing.view import camera
from visviva.errors import ArgumentError, UnknownNameError

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure
    from visviva.machine.function import Function

RANGE = (-3.0, 3.0)  # of a number for which none is given
LINE_SAMPLES, MAP_SAMPLES = 401, 121
MOST_LINES = 24
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class InputNumber:
    """One number of an input, by the names that it goes by; its unit, if that is known."""

    input: str
    place: tuple[int, ...]
    names: tuple[str, ...]
    unit: str = ""
    is_alone: bool = True  # else part of a quaternion, whose numbers move together

    @property
    def label(self) -> str:
        """As an axis has it."""
        return words(self.names[0]) + (f" [{self.unit}]" if self.unit else "")


def function_figure(
    f: Function[Any], given: Mapping[str, Any], output: Any, surface: bool
) -> Figure:
    """A plotly figure; `Function.plot` says what may be given."""
    entries, inputs = entries_of(f), {p.name: np.zeros(p.shape) for p in f._inputs}
    known = {name: e for e in entries for name in e.names}
    varied: dict[InputNumber, tuple[float, float]] = {}
    stated: set[str] = set()
    single: dict[InputNumber, str] = {}
    for name, value in sorted(given.items(), key=lambda item: item[0] not in inputs):
        if name in inputs and inputs[name].shape:
            inputs[name] = _whole(f, name, value, inputs[name].shape)
            stated |= {e.names[0] for e in entries if e.input == name}
            continue
        if name not in known:
            raise UnknownNameError(f"number of {f._signature}", name, [*inputs, *known])
        entry = known[name]
        if entry in single:
            raise ArgumentError(f"plot: {single[entry]} and {name} are one number, given twice")
        single[entry] = name
        if np.ndim(value):
            varied[entry] = _range(f, name, value)
        else:
            inputs[entry.input][entry.place] = _finite(f, name, value)
        stated.add(entry.names[0])
    left = [e for e in entries if e.names[0] not in stated]
    if not varied and len(left) <= 2:
        varied = dict.fromkeys(left, RANGE)
    _check(f, varied, entries, left)
    held = [f"{e.names[0]} = {inputs[e.input][e.place]:.4g}" for e in single if e not in varied]
    rest = ", ".join(e.names[0] for e in left if e not in varied)
    title = "; ".join([f.name, *held, *([f"{rest} = 0"] if rest else [])])
    if len(varied) == 1:
        return _lines(f, title, *next(iter(varied.items())), inputs, output)
    return _map(f, title, varied, inputs, output, surface)


def entries_of(f: Function[Any]) -> list[InputNumber]:
    """The numbers of all inputs; those of a system's positions and velocities by its names."""
    system, found = _system(f), []
    for port in f._inputs:
        names, units = _names(system, port.name, port.size)
        for k, place in enumerate(np.ndindex(port.shape)):
            own = (f"{port.name}{'_'.join(str(i + 1) for i in place)}",) if place else (port.name,)
            alone = not any(start <= k < start + 4 for start in port.units)
            label = (*names[k : k + 1], *own)
            found.append(InputNumber(port.name, place, label, units[k] if units else "", alone))
    return found


def _names(system: Any, name: str, size: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if system is None or name not in ("q", "v"):
        return (), ()
    which = "coordinate" if name == "q" else "velocity"
    names = tuple(getattr(system, f"{which}_names"))
    return (names, tuple(getattr(system, f"{which}_units"))) if len(names) == size else ((), ())


def _system(f: Any) -> Any:
    """Of which system it is a function, if of any."""
    for part in getattr(f, "_origin", None) or ():
        if getattr(part, "coordinate_names", None) is not None:
            return part
        if getattr(part, "_origin", None) is not None and (found := _system(part)) is not None:
            return found
    return None


def _check(
    f: Function[Any],
    varied: Mapping[InputNumber, Any],
    entries: list[InputNumber],
    left: list[InputNumber],
) -> None:
    said = ", ".join(e.names[0] for e in entries)
    if not entries:
        raise ArgumentError(f"plot: {f._signature} has no numbers to draw it over")
    if not varied:
        first = left[0].names[0] if left else entries[0].names[0]
        raise ArgumentError(
            f"plot: {f._signature} depends on {len(entries)} numbers, {said}: say over which one "
            f"or two it is drawn, {first}=(-3, 3), and values of others, {f._inputs[0].name}=[…]"
        )
    if len(varied) > 2:
        over = ", ".join(e.names[0] for e in varied)
        raise ArgumentError(f"plot: a picture is over one or two numbers, got ranges of {over}")
    for e in varied:
        if not e.is_alone:
            raise ArgumentError(
                f"plot: {e.names[0]!r} is part of a quaternion, whose four numbers move together"
            )


def _lines(
    f: Function[Any],
    title: str,
    over: InputNumber,
    span: tuple[float, float],
    inputs: Any,
    output: Any,
) -> Figure:
    from visviva.drawing.figure import new_figure

    x = np.linspace(span[0], span[1], LINE_SAMPLES)
    results = _results(f, inputs, {over: x}, (LINE_SAMPLES,))
    lines = _chosen(f, results, output)
    if len(lines) > MOST_LINES:
        raise ArgumentError(
            f"plot: {f._signature} has {len(lines)} numbers as results, {MOST_LINES} at most are "
            f"drawn: choose some by output=, of {', '.join(f.outputs)}"
        )
    y_title = next(iter(lines)) if len(lines) == 1 else ", ".join({_letters(k): 0 for k in lines})
    fig = new_figure(title, over.label, y_title)
    for k, (name, y) in enumerate(lines.items()):
        line = {"color": COLOURS[k % len(COLOURS)], "width": 2, "simplify": False}
        line |= {"dash": ("solid", "dash", "dot")[k // len(COLOURS) % 3]}
        fig.add_scatter(x=x, y=y, mode="lines", line=line, name=name, showlegend=len(lines) > 1)
    return fig


def _map(
    f: Function[Any], title: str, varied: Any, inputs: Any, output: Any, surface: bool
) -> Figure:
    from visviva.drawing.figure import new_figure

    (a, b), spans = varied, [np.linspace(x, y, MAP_SAMPLES) for x, y in varied.values()]
    grid = np.meshgrid(*spans)
    shape = (MAP_SAMPLES, MAP_SAMPLES)
    results = _chosen(f, _results(f, inputs, {a: grid[0], b: grid[1]}, shape), output)
    if len(results) != 1:
        raise ArgumentError(
            f"plot: over two numbers one result is drawn, and {f._signature} has {len(results)}: "
            f"{', '.join([*results][:12])}; choose by output={next(iter(f.outputs))!r}, or "
            f"output=({next(iter(f.outputs))!r}, 0, …) with the place of one"
        )
    ((name, z),) = results.items()
    if not surface:
        fig = new_figure(f"{name} of {title}", a.label, b.label, height=480)
        bar = {**BAR, "title": {"text": name}}
        fig.add_heatmap(x=spans[0], y=spans[1], z=z, colorscale=SCALE, colorbar=bar)
        return fig
    fig = new_figure(f"{name} of {title}", height=560)
    fig.add_surface(x=spans[0], y=spans[1], z=z, colorscale=SCALE, showscale=False)
    named = {"xaxis": a.label, "yaxis": b.label, "zaxis": name}
    axes = {k: {"title": {"text": text}} for k, text in named.items()}
    fig.update_layout(scene={"aspectmode": "cube", "camera": camera((1, 1, 1)), **axes})
    return fig


def _results(
    f: Function[Any], inputs: Any, moved: Mapping[InputNumber, Array], batch: tuple[int, ...]
) -> Any:
    """All outputs over the batch, by names."""
    values: dict[str, Any] = {
        k: np.broadcast_to(x, (*batch, *x.shape)).copy() for k, x in inputs.items()
    }
    for entry, x in moved.items():
        values[entry.input][(..., *entry.place)] = x
    results = f(*values.values())
    results = results if isinstance(results, tuple) else (results,)
    return dict(zip(f.outputs, results, strict=True))


def _chosen(f: Function[Any], results: Mapping[str, Array], output: Any) -> dict[str, Array]:
    """Results number by number, by names; of some output, or of a place in one, if asked for."""
    name, *place = output if isinstance(output, tuple) else (output,)
    if output is not None and name not in results:
        raise UnknownNameError(f"output of {f._signature}", name, results)
    lines = {}
    for one, y in results.items():
        shape = f.outputs[one]
        if output is not None and name != one:
            continue
        if place and not _is_place(place, shape):
            raise ArgumentError(
                f"plot: output {name!r} has the shape {shape}, and no {tuple(place)}"
            )
        for at in np.ndindex(shape):
            if not place or list(at[: len(place)]) == place:
                split = "," if any(n > 9 for n in shape) else ""
                index = split.join(str(i + 1) for i in at).translate(SUBSCRIPTS)
                lines[words(one) + index] = y[(..., *at)]
    return lines


def _is_place(place: list[Any], shape: tuple[int, ...]) -> bool:
    whole = all(isinstance(i, int) and not isinstance(i, bool) for i in place)
    return (
        whole
        and len(place) <= len(shape)
        and all(0 <= i < n for i, n in zip(place, shape, strict=False))
    )


def _letters(name: str) -> str:
    return name.rstrip("₀₁₂₃₄₅₆₇₈₉,")


def _whole(f: Function[Any], name: str, value: Any, shape: tuple[int, ...]) -> Array:
    try:
        x = np.array(value, dtype=float)
    except (TypeError, ValueError):
        x = np.array(np.nan)
    if x.shape != shape or not np.isfinite(x).all():
        raise ArgumentError(
            f"plot: {name} of {f._signature} has {math.prod(shape)} finite numbers, {shape}, got "
            f"{value!r:.80}"
        )
    return x


def _range(f: Function[Any], name: str, value: Any) -> tuple[float, float]:
    try:
        low, high = (float(x) for x in value)
    except (TypeError, ValueError):
        low = high = math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ArgumentError(
            f"plot: the range of {name} of {f._signature} is (low, high), got {value!r:.80}"
        )
    return low, high


def _finite(f: Function[Any], name: str, value: Any) -> float:
    try:
        x = float(value)
    except (TypeError, ValueError):
        x = math.nan
    if not math.isfinite(x):
        raise ArgumentError(
            f"plot: {name} of {f._signature} is a number, or a range (low, high); got {value!r:.80}"
        )
    return x
