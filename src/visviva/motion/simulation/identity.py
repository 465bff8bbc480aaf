"""What a recorded run is, in words that tell it from every other one.

Whoever goes on with a record computes what would have been computed without the interruption, to
the last bit: so everything that bits depend on stands in its header.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from visviva.errors import ArgumentError
from visviva.machine.code.cpu import host
from visviva.machine.run.call import Array
from visviva.machine.run.fingerprint import fingerprint
from visviva.motion.samples.forces import HELD, LINEAR
from visviva.motion.saving import header_of, system_digest
from visviva.motion.simulation.task import Task
from visviva.motion.trajectory import Trajectory

_FEW = 24  # numbers that a header says; of more it has their digest


def identity(task: Task, how: Mapping[str, Any]) -> dict[str, Any]:
    """The header of a run; `how` are method, tolerances, and what else was asked of `simulate`."""
    if not task.is_traced:
        raise ArgumentError(
            "simulate: record= writes runs that go on as if nothing had happened, and what a "
            "controller of Python does, or keeps, nobody can tell: write it with vv.generic, so "
            "that it becomes part of the machine code, or leave record= out"
        )
    span, law = task.span, task.flow.law
    start = {name: _told(x) for name, x in task.start.items() if name != "x"}
    return {
        "system": [task.system.name, _system(task)],
        "motions": task.rows if task.is_batch else "one",
        "q0": start["q"],
        "v0": start["v"],
        "t": [span.first, span.last] if span.samples is None else _told(span.samples),
        **_forces(task),
        "parameters": {k: _told(x) for k, x in task.parameters.items()},
        **{k: x for k, x in how.items() if x is not None},
        **_versions(),
        "trajectory": json.loads(_trajectory(task)),
        "between": LINEAR if law.drives or (law.controller and not law.is_sampled) else HELD,
    }


def _system(task: Task) -> str:
    """The digest of what is stated; of a system that has none (a joint of your own) of its code."""
    stated = system_digest(task.system)
    return stated or str(task.integrator("dop853").slope.program.digest)


def _forces(task: Task) -> dict[str, Any]:
    """Forces and where they come from: a controller is the program it was traced to."""
    law = task.flow.law
    if law.controller is not None and law.traced is not None:
        told = {"controller": law.traced.program.digest, "start": list(law.controller.start)}
        return {"tau": {**told, "period": law.controller.period}}
    name = next(iter(law.inputs))
    return {name: _told(task.given[name] if task.table is None else task.table)}


def _told(x: Any) -> Any:
    """A few numbers as they are, of many their shape and digest."""
    array = np.asarray(x, dtype=float)
    if array.size <= _FEW:
        return array.tolist()
    content = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
    return {"shape": list(array.shape), "digest": content}


@cache
def _versions() -> dict[str, Any]:
    """Whose arithmetic it is: ours by its sources, that of libraries by versions."""
    import scipy

    known = fingerprint()
    if known is None:  # edited since this process began: no other process runs the same
        return {"visviva": f"with sources that were edited ({uuid.uuid4().hex})"}
    version, sources, _, *libraries = known[:-3]
    return {
        "visviva": [version, sources],
        "libraries": [*libraries, f"scipy {scipy.__version__}"],
        "processor": [host().name, host().features],
    }


def _trajectory(task: Task) -> str:
    """What the files of a trajectory say of it: names, units, the mechanism."""
    one: Any = slice(None) if task.is_batch else 0
    q, v = (task.start[k][:, None][one] for k in "qv")
    t = np.array([task.span.first])
    return header_of(Trajectory(task.system, t, q, v, parameters=task.parameters))


def acting(task: Task, integrator: Any, rows: Any, at: Mapping[str, Array]) -> Array | None:
    """τ (k, nv) at states of the rows (k,), with what is given then; None where none act."""
    law = task.flow.law
    idle = law.controller is None and task.table is None
    if idle and not any(task.given[k].any() for k in law.inputs):
        return None
    f = integrator.forces
    given = {k: x[rows] for k, x in task.given.items() if k not in at}
    values = {**given, **at}
    return np.asarray(f(*(values[k] for k in f.inputs))).reshape(len(rows), task.system.nv)
