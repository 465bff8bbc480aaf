"""From a Python function to a program: call it once on expressions and keep what it returned."""

from __future__ import annotations

import gc
import inspect
import keyword
import operator
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from visviva.algebra.arrays import as_array, with_plain_entries
from visviva.algebra.expr import Expr, Graph
from visviva.errors import ArgumentError, ShapeError, TraceError
from visviva.machine.program.program import Port, Program

Shape = int | Sequence[int]
OPTIONS = ("out", "threads", "checked")  # what calls take besides inputs
MOST_SCALARS = 1_000_000  # input scalars; every one is a name of its own in a program


def input_ports(inputs: Any) -> tuple[Port, ...]:
    """Checked inputs: usable as Python keyword arguments, with plain shapes."""
    if not isinstance(inputs, Mapping):
        raise ArgumentError(f"inputs maps names to shapes, as in {{'q': 6}}; got {inputs!r}")
    ports = tuple(_input_port(name, shape) for name, shape in inputs.items())
    total = sum(port.size for port in ports)
    if total > MOST_SCALARS:
        raise ShapeError(f"the inputs have {total} scalars; a program has at most {MOST_SCALARS}")
    return ports


def _input_port(name: Any, shape: Any) -> Port:
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ArgumentError(f"an input name must be a Python identifier, got {name!r}")
    name = unicodedata.normalize("NFKC", name)  # as Python does with its own names
    if name in OPTIONS:
        raise ArgumentError(f"an input cannot be called {name!r}: calls use that name themselves")
    try:
        sizes = tuple(map(operator.index, shape if isinstance(shape, Sequence) else (shape,)))
    except TypeError:
        sizes = (-1,)
    if min(sizes, default=0) < 0 or isinstance(shape, bool):
        raise ShapeError(f"input {name!r}: a shape is a length, a tuple or (), got {shape!r}")
    return Port(name, sizes)


@contextmanager
def without_collection() -> Iterator[None]:
    """Without a search for garbage meanwhile: of a trace nearly all objects stay, and the search
    would look through them again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def traced(
    f: Callable[..., Any], inputs: tuple[Port, ...], has_conditions: bool = False
) -> Program:
    """Call `f` on expressions and keep what it returned, and conditions that it stated."""
    graph = Graph()
    if has_conditions:
        graph.conditions = []
    values = [symbols(graph, port) for port in inputs]
    with np.errstate(all="ignore"):  # constants that fold to nan are no mistake
        returned = _called(f, inputs, values)
    if isinstance(returned, Mapping):
        named = dict(returned)
    elif isinstance(returned, tuple):
        named = {f"out{k}": y for k, y in enumerate(returned)}
    else:
        named = {"out": returned}
    results, ports = [], []
    for name, y in named.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise ArgumentError(f"an output name must be a Python identifier, got {name!r}")
        array = _expressions(graph, name, y)
        ports.append(Port(name, array.shape))
        results += array.ravel().tolist()
    arguments = [node for x in values for node in x.ravel().tolist()]
    return Program.of(inputs, ports, arguments, results, graph.conditions or ())


def _called(f: Callable[..., Any], inputs: Sequence[Port], nodes: Sequence[Any]) -> Any:
    """f on copies, which it may overwrite; by name where its parameters have the inputs' names."""
    values = {
        port.name: x.copy() if x.shape else x[()] for port, x in zip(inputs, nodes, strict=True)
    }
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):
        return f(*values.values())
    if set(signature.parameters) == set(values):
        return f(**values)
    try:
        signature.bind(*values.values())
    except TypeError as error:
        raise ArgumentError(
            f"{getattr(f, '__name__', 'the function')}{signature} cannot take the inputs "
            f"{', '.join(values)}: {error}"
        ) from None
    return f(*values.values())


def symbols(graph: Graph, port: Port) -> np.ndarray:
    """The entries of an input as nodes of a graph, in an object array of its shape."""

    def label(index: tuple[int, ...]) -> str:
        return port.name + "".join(f"[{i}]" for i in index)

    return as_array([graph.input(label(i)) for i in np.ndindex(*port.shape)], port.shape)


def _expressions(graph: Graph, name: str, y: Any) -> np.ndarray:
    """An output as an array of nodes, or an error that says what else it was."""
    array = with_plain_entries(np.asarray(y, dtype=object))
    for x in array.ravel().tolist():
        if isinstance(x, (list, tuple, np.ndarray)):
            raise ShapeError(f"output {name!r} is ragged: its rows differ in length")
        if not isinstance(x, (Expr, int, float, np.floating, np.integer, np.bool_)):
            raise TraceError(
                f"output {name!r} holds {type(x).__name__}; a traced function returns arrays, "
                "lists, tuples or dicts of expressions and numbers"
            )
    return as_array([graph.node(x) for x in array.ravel().tolist()], array.shape)


def holds_expressions(value: Any) -> bool:
    """Whether a function was called on expressions, which only happens while another is traced."""
    if isinstance(value, Expr):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype == object and any(isinstance(x, Expr) for x in value.flat)
    return isinstance(value, (list, tuple)) and any(map(holds_expressions, value))
