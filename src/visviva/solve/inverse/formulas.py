"""The closed form of an arm as a compiled `Function`, as SymPy formulas, and to be looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, as_array
from visviva.describe.model.model import Model
from visviva.describe.values import digest_of
from visviva.equations.frames.chain import SerialChain
from visviva.errors import ArgumentError, ConstrainedError, check_known
from visviva.machine.function import Function
from visviva.machine.program.trace import input_ports, traced
from visviva.solve.inverse.closed.recognition import TASKS, Family, recognised
from visviva.solve.inverse.targets import carrying

KNOWN = (
    "arms in a plane, up to three joints that move a point, slides beside turns about at most "
    "three axes, spherical wrists or shoulders with neighbouring axes that are parallel or meet, "
    "and three parallel axes"
)


def refuse_linkages(model: Model, asked: str, frame: str) -> None:
    """Closed loops hold joints together, of which chains know nothing."""
    target = "model.with_frame('target', on='world', placement=[x, y, z])"
    held = f"{target}.with_loop('target', {frame!r}"
    raise ConstrainedError(
        f"{asked}: {model.name!r} is held by {model.held_by[0]}, and chains of joints know no "
        f"loops; a point is brought somewhere by {held}, joint='spherical')"
        ".assembled(model.assembled()), near to where it is; "
        "assembled(q, fixed=…) and coupler_curve(…) find other positions of linkages, "
        "vv.parallel those of platforms, and without_constraints() gives the open chain"
    )


@dataclass(frozen=True, eq=False)
class ClosedArm:
    """A closed form and its function: pose (4, 4), or position (3,), -> q (branches, nq)."""

    family: Family
    function: Function

    @property
    def chain(self) -> SerialChain:
        """The joints that carry the frame."""
        return self.family.chain


def closed_arm(model: Model, frame: str, task: str) -> ClosedArm | None:
    """The closed form of a model's frame, found once; None if there is none that we know."""
    known: dict[Any, ClosedArm | None] = model.__dict__.setdefault("_closed_arms", {})
    key = frame, task
    if key not in known:
        family = recognised(carrying(SerialChain.of(model.numeric, frame), task), task)
        known[key] = None if family is None else ClosedArm(family, _function(model, family))
    return known[key]


def inverse_kinematics_function(model: Any, frame: str, *, task: str = "pose") -> Function:
    """All branches as one compiled function; refused where there is no closed form."""
    check_known("task with closed forms", task, TASKS)
    if model.held_by:
        refuse_linkages(model, "inverse_kinematics_function", frame)
    arm = closed_arm(model, frame, task)
    if arm is None:
        letters = SerialChain.of(model.numeric, frame).letters
        raise ArgumentError(
            f"the {task} of {frame!r} of {model.name!r} ({letters or 'no joint moves it'}) has no "
            f"closed form that is known here: there are those of {KNOWN}; "
            "inverse_kinematics(frame, pose) finds positions in other ways"
        )
    return arm.function


def _function(model: Model, family: Family) -> Function:
    chain, task = family.chain, family.task
    ports = input_ports({task: 3 if task == "position" else (4, 4)})
    rest = model.neutral()

    def branches(target: Array) -> dict[str, Array]:
        return {"q": as_positions(chain, family.angles(target), rest)}

    at = chain.axes, chain.points, chain.home.matrix(), chain.coefficient, chain.offset, rest
    numbers = [np.ascontiguousarray(x, dtype=float).tobytes() for x in at]
    name = digest_of(chain.kinds, chain.index, task, tuple(numbers))
    return Function(
        f"inverse_kinematics_{chain.frame}",
        ports,
        lambda: traced(branches, ports),
        None if name is None else ("inverse", name),
        origin=(_again, model, chain.frame, task),
        doc=f"All {family.branches} branches of {family.name}; nan where one does not exist.",
        has_gaps=True,
    )


def _again(model: Model, frame: str, task: str) -> Function:
    return inverse_kinematics_function(model, frame, task=task)


def as_positions(chain: SerialChain, theta: Array, rest: Array) -> Array:
    """q (S, nq) of θ (S, n), over any scalar; joints that do not carry the frame are at rest."""
    q = as_array([x for _ in theta for x in rest.tolist()], (len(theta), chain.nq))
    own = chain.positions(theta)
    for k, i in enumerate(chain.index):
        q[:, i] = own[:, k]
    return q
