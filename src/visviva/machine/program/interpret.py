"""Run a program in Python on any scalar: slow, obvious, the oracle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from visviva.algebra.expr import CONSTANT
from visviva.algebra.ops import OPS
from visviva.machine.program.program import Instruction, Program


def interpret(
    program: Program, arguments: Sequence[Any], lift: Callable[[Any], Any] | None = None
) -> list[Any]:
    """The output scalars for the input scalars.

    `lift` turns constants and results into the scalar type. By default fractions stay fractions,
    and numbers become `np.float64`, whose arithmetic follows IEEE 754 where Python's raises.
    """
    if lift is None:
        exact = any(isinstance(x, Fraction) for x in arguments)
        lift = Fraction if exact else _ieee_number
    values = _values(program, arguments, lift)
    return [values[i] for i in program.results]


def conditions_and_margins(program: Program, arguments: Sequence[Any]) -> list[tuple[str, Any]]:
    """Who gives the reason of each condition, and its margin on the scalars of `arguments`."""
    values = _values(program, arguments, _ieee_number, program.further)
    return [(reason, values[i]) for reason, i in program.conditions]


def first_not_finite(program: Program, arguments: Sequence[np.ndarray]) -> str:
    """In words, the first operation that made something not finite of finite numbers.

    Empty if it was a constant of the program: whoever wrote that meant it.
    """
    numbers = [x for array in arguments for x in np.ravel(array).tolist()]
    values = _values(program, numbers, np.float64)
    for (op, *args), result in zip(program.code, values[len(numbers) :], strict=True):
        given = [] if op == CONSTANT else [values[i] for i in args]
        if given and not np.isfinite(result) and all(map(np.isfinite, given)):
            shown = OPS[op].c_text(*(f"{x:g}" for x in given))
            return f"{shown} is {result}"
    return ""


def violated_conditions(program: Program, arguments: Sequence[np.ndarray]) -> list[str]:
    """Who gives the reasons of the conditions that do not hold."""
    numbers = [x for array in arguments for x in np.ravel(array).tolist()]
    margins = conditions_and_margins(program, numbers)
    return list(dict.fromkeys(reason for reason, margin in margins if margin < 0))


def _values(
    program: Program,
    arguments: Sequence[Any],
    lift: Callable[[Any], Any],
    further: Sequence[Instruction] = (),
) -> list[Any]:
    """Every value of a program, arguments first; and of what follows it."""
    values = [lift(x) for x in arguments]
    with np.errstate(all="ignore"):
        for op, *args in (*program.code, *further):
            given = args if op == CONSTANT else [OPS[op].value(*(values[i] for i in args))]
            values.append(lift(*given))
    return values


def _ieee_number(x: Any) -> Any:
    return np.float64(x) if isinstance(x, (int, float)) else x
