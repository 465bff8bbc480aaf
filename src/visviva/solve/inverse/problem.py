"""What is known of a frame and a task before any pose is given, kept with the model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, frozen
from visviva.describe.model.model import Model
from visviva.equations.frames.chain import SerialChain
from visviva.equations.frames.tasks import task as task_of
from visviva.errors import ArgumentError
from visviva.solve.inverse.answers import Solver
from visviva.solve.inverse.closed.recognition import TASKS
from visviva.solve.inverse.direct import Direct
from visviva.solve.inverse.methods import Method, method_of
from visviva.solve.inverse.targets import carrying, task_in


@dataclass(frozen=True, eq=False)
class Problem:
    """The joints that carry a frame, and how their angles are found."""

    numbers: Model
    whole: SerialChain  # all joints on the way
    chain: SerialChain  # those that matter
    task: str
    method: Method | None  # None where only a search is left

    @cached_property
    def neutral(self) -> Array:
        """The position to which solutions are near where no seed is given (nq,)."""
        return frozen(self.numbers.neutral())

    @cached_property
    def solvers(self) -> dict[tuple[bool, bool], Solver]:
        """By whether limits count, and whether copies at other turns are wanted."""
        if self.method is None:
            return {}
        ways = [(limits, copies) for limits in (False, True) for copies in (False, True)]
        return {way: Solver(self.chain, self.task, self.method, *way) for way in ways}

    @cached_property
    def direct(self) -> dict[bool, Direct]:
        """By whether limits count; only where there is a closed form."""
        if self.method is None or not self.method.is_closed:
            return {}
        model, none = self.numbers, np.full(self.chain.nq, np.inf)
        ends = {False: (-none, none), True: (model.lower, model.upper)}
        return {x: Direct(self.solvers[x, False], *pair) for x, pair in ends.items()}


def problem_of(model: Model, frame: str, task: str) -> Problem:
    """Refused where nothing moves."""
    model.frame(frame)
    task_of(task)  # refuses words that it does not know
    known: dict[Any, Problem] = model.__dict__.setdefault("_inverse_problems", {})
    key = frame, task
    if key not in known:
        known[key] = _new(model, frame, task)
    return known[key]


def _new(model: Model, frame: str, task: str) -> Problem:
    numbers = model.numeric
    whole = SerialChain.of(numbers, frame)
    if not len(whole):
        raise ArgumentError(f"no joint moves {frame!r} of {model.name!r}: it stays where it is")
    task = task_in(whole, task)
    chain = carrying(whole, task)
    if not len(chain):
        raise ArgumentError(f"no joint moves the {task} of {frame!r} of {model.name!r}")
    method = method_of(model, chain, task) if task in TASKS else None
    return Problem(numbers, whole, chain, task, method)
