"""Coordinates and Jacobians of tasks as functions: what of a frame's pose matters, compiled."""

from __future__ import annotations

from typing import Any

from visviva.describe.quantities import function_at
from visviva.describe.values import digest_of, is_ours
from visviva.errors import ArgumentError
from visviva.machine.function import Function
from visviva.machine.program.derivative import Derivative
from visviva.machine.program.trace import traced
from visviva.machine.systems import Request, point_of

STATED = {"task": ("x", "task_coordinates"), "task_jacobian": ("J", "task_jacobian")}
DOCS = {
    "task": "q -> the coordinates of a task of a frame, or of a point of it.",
    "task_jacobian": "q -> the matrix from v to the velocities of a task: of its coordinates the "
    "rates.",
}


def task_function(system: Any, quantity: str, frame: str, task: str, point: Any = None) -> Function:
    """The coordinates ("task") or the Jacobian ("task_jacobian") of a task, made once."""
    for given in (frame, task):
        if not isinstance(given, str):
            raise ArgumentError(
                f"{quantity} takes the name of a frame and a task and gives a function: "
                f'{quantity}("tool", "x y phi")(q); got {type(given).__name__}'
            )
    system.frame(frame)
    asked = function_at("frames.tasks:task")(task)
    if quantity == "task":
        asked.check_coordinates()
    key = (quantity, frame, asked.text, None if point is None else point_of(point))
    functions: dict[Any, Function] = system.__dict__.setdefault("_task_functions", {})
    if key not in functions:
        functions[key] = _made(system, *key)
    return functions[key]


def _made(
    system: Any, quantity: str, frame: str, task: str, point: tuple[float, ...] | None
) -> Function:
    ports, model = Request("pose", frame=frame).ports(system), system.numeric
    if model.is_symbolic:
        raise ArgumentError(
            f"{quantity}_{frame}: the numbers of {system.name!r} are formulas without values; "
            "closed_form() has it in formulas"
        )
    symbol, name = STATED[quantity]
    stated = function_at(f"frames.tasks:{name}")

    def outputs(q: Any) -> dict[str, Any]:
        return {symbol: stated(model, frame, q, task, point)}

    digest = digest_of(tuple(model.frame_names), model, quantity, frame, task, point)
    return Function(
        f"{quantity}_{frame}",
        ports,
        lambda: traced(outputs, ports),
        ("task", digest) if digest is not None and is_ours(type(system)) else None,
        derivative=Derivative(model.charts),
        origin=(task_function, system, quantity, frame, task, point),
        doc=DOCS[quantity],
    )
