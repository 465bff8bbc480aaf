"""The rows about positions of a system, as numbers: φ(q), how it changes, and whose rows they are.

Some joints may be held; motions are then those of the others. Systems of bodies and of energies are
alike here: both have φ, its derivative along motions, `integrate` and `difference`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, float_array
from visviva.algebra.expr import CONSTANT
from visviva.algebra.ops import OPS
from visviva.describe.quantities import FUNCTIONS
from visviva.errors import ArgumentError, ShapeError, check_known
from visviva.hints import in_radians

RANK = 1e-6  # of singular values to the largest one, of rows of length one
NO_ROW = 1e-11  # of the longest
LEVERS_AT = 4  # positions that tell how long levers are
VANISHING = (
    1e-7  # the same where rows vanish: positions are as far off as the root of rounding there
)


@dataclass(frozen=True, eq=False)
class Rows:
    """φ(q) = 0 of a system at a time, with some joints held."""

    system: Any
    t: float = 0.0
    fixed: Mapping[str, Any] = field(default_factory=dict)
    compiled: bool = True  # for a few looks the interpreter is faster

    def __post_init__(self) -> None:
        if not isinstance(self.fixed, Mapping):
            raise ArgumentError(f"fixed= maps joints to positions, got {self.fixed!r}")
        for name in self.fixed:
            check_known("joint", name, self.system.joint_names)

    @cached_property
    def free(self) -> Array:
        """Which entries of v may change."""
        free = np.ones(self.system.nv, dtype=bool)
        for name in self.fixed:
            free[self.system.joint_slices[name][1]] = False
        return np.flatnonzero(free)

    @cached_property
    def all_labels(self) -> tuple[str, ...]:
        """Whose each row of A is: the constraint's name, and which of its rows."""
        labels: list[str] = []
        for name, part in home_of_rows(self.system).row_slices(self.system).items():
            count = part.stop - part.start
            rows = [f"row {k + 1} of {name!r}" for k in range(count)]
            labels += rows if count > 1 else [repr(name)] * count
        return tuple(labels)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Which rows of A are the rates of φ."""
        if not self.system.held_by:
            return ()
        return tuple(home_of_rows(self.system).position_rows(self.system))

    @property
    def labels(self) -> tuple[str, ...]:
        """Whose each entry of φ is."""
        return tuple(self.all_labels[k] for k in self.places)

    def named(self, some: list[int]) -> tuple[str, ...]:
        """Rows of φ by label; a constraint by its own name where all its rows are among them."""
        places = {self.places[k]: self.labels[k] for k in some}
        told: list[str] = []
        for name, part in home_of_rows(self.system).row_slices(self.system).items():
            own = [k for k in range(part.start, part.stop) if k in self.places]
            there = [k for k in own if k in places]
            told += [name] if own and there == own else [places[k] for k in there]
        return tuple(told)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.places)

    def start(self, q: Any = None) -> Array:
        """A position with held joints where they are held.

        If none is given, where the model says that it is assembled, or neutral.
        """
        s = self.system
        given = s.keyframes.get("assembled", s.neutral()) if q is None else q
        at = finite(f"q of {s.name!r}", given, s.nq)
        held = s.q(dict(self.fixed))
        for name in self.fixed:
            at[s.joint_slices[name][0]] = held[s.joint_slices[name][0]]
        return np.asarray(at)

    def error(self, q: Any) -> Array:
        """φ at a position."""
        return self._value(self.system.constraint_error, q) if self.count else np.zeros(0)

    def slope(self, q: Any) -> Array:
        """∂φ along the motions that are free."""
        if not self.count:
            return np.zeros((0, len(self.free)))
        return self._value(self._slope, q)[:, self.free]

    @cached_property
    def _slope(self) -> Any:
        return self.system.constraint_error.jacobian("q")

    def matrix(self, q: Any) -> Array:
        """A, with the rows about velocities alone, and with the columns of held joints."""
        return self._value(self.system.constraint_matrix, q)

    def _value(self, function: Any, q: Any) -> Array:
        more = (self.t,) if "t" in function.inputs else ()
        value = function(q, *more) if self.compiled else function.interpret(q, *more)
        return np.asarray(value, dtype=float)

    def moved(self, q: Any, step: Any) -> Array:
        """Where a step of the free motions leads."""
        whole = np.zeros(self.system.nv)
        whole[self.free] = step
        return np.asarray(self.system.integrate(q, whole))

    @cached_property
    def turning(self) -> dict[int, int]:
        """Entries of v that turn something which a whole turn leaves as it was, with those of q.

        By the formulas of φ themselves: a slider, a screw or a gear does not come back, although
        its rows change by the same everywhere.
        """
        if not self.count:
            return {}
        periodic = periods(self.system.constraint_error.program)
        return turning_entries(self.system, periodic, self.start(), self.free)

    @cached_property
    def circular(self) -> Array:
        """Which entries of v are `turning`: a mask."""
        return np.isin(np.arange(self.system.nv), list(self.turning))

    @cached_property
    def units(self) -> Array:
        """How far each free motion goes as far as a radian of a hinge does: slides by a lever.

        The longest lever in rows that slides change, as hinges turn; 1 where nothing is mixed.
        """
        slides = np.array([x == "m/s" for x in self.system.velocity_units], dtype=bool)[self.free]
        units = np.ones(len(self.free))
        if not self.count or slides.all() or not slides.any():
            return units
        ways = np.random.default_rng(5).normal(size=(LEVERS_AT, len(slides))) * ~slides
        found = np.abs([self.slope(self.moved(self.start(), x)) for x in ways])
        levers = found[:, found[:, :, slides].any(axis=(0, 2))][:, :, ~slides]
        units[slides] = float(levers.max(initial=0.0)) or 1.0
        return units

    def apart(self, q0: Any, q1: Any) -> Array:
        """The step (nv,) from q0 to q1, the shorter way round where something turns."""
        near = by_whole_turns(self.turning, q0, q1)
        return np.array(self.system.difference(q0, near))

    def worst(self, error: Array) -> tuple[float, str]:
        """The largest entry of φ, and whose it is."""
        if not len(error):
            return 0.0, ""
        k = int(np.argmax(np.abs(error)))
        return float(abs(error[k])), self.labels[k]


def finite(what: str, given: Any, size: int) -> Array:
    """A vector of numbers, of its own."""
    try:
        at = float_array(given).copy()
    except (TypeError, ValueError):
        line = f"q = model.q({given!r})" if isinstance(given, dict) and " q of " in what else ""
        said = f"{what} has {size} numbers, got {given!r}{in_radians(given)}"
        raise ArgumentError(said, cure=line) from None
    if at.shape != (size,):
        raise ShapeError(f"{what} has {size} entries, got shape {at.shape}")
    if not np.isfinite(at).all():
        raise ArgumentError(f"{what} is finite, got {at}")
    return at


def home_of_rows(system: Any) -> Any:
    """The module that states φ for this kind of system, and knows whose rows are whose."""
    module, _, _ = getattr(FUNCTIONS["constraint_error"], system.stated).partition(":")
    return import_module(f"visviva.equations.{module}")


def dependence(program: Any) -> Array:
    """Inputs that stand in the outputs, by the formulas alone: a mask."""
    sets = [1 << k for k in range(program.arguments)]
    for op, *args in program.code:
        inputs_of_step = 0
        for i in () if op == CONSTANT else args:
            inputs_of_step |= sets[i]
        sets.append(inputs_of_step)
    inputs = 0
    for i in program.results:
        inputs |= sets[i]
    return np.array([inputs >> k & 1 for k in range(program.arguments)], dtype=bool)


def periods(program: Any) -> Array:
    """Inputs that stand in the outputs, and in sines and cosines of whole multiples alone: a mask.

    All outputs have the period 2π in them, proved by following through the program how much each
    value grows, over 2π, as an input grows by 2π: nan where that is no constant.
    """
    unit = np.eye(sum(math.prod(x.shape) for x in program.inputs))
    still = 0.0 * unit[0]
    growth: list[Array] = list(unit)
    stands: list[Array] = [x > 0 for x in unit]
    constants: list[float | None] = [None] * len(unit)
    for op, *args in program.code:
        if op == CONSTANT:
            growth.append(still)
            stands.append(still > 0)
            constants.append(float(args[0]))
            continue
        given = [growth[i] for i in args]
        factors = [constants[i] for i in args]
        if op in ("add", "sub", "neg"):
            grown = OPS[op].value(*given)
        elif op == "mul" and factors != [None, None]:
            grown = given[1] * factors[0] if factors[0] is not None else given[0] * factors[1]
        elif op == "div" and factors[1]:
            grown = given[0] / factors[1]
        elif op in ("sin", "cos"):
            grown = np.where(given[0] == np.round(given[0]), 0.0, np.nan)
        else:
            grown = np.where(np.all([x == 0 for x in given], axis=0), 0.0, np.nan)
        growth.append(grown)
        stands.append(np.any([stands[i] for i in args], axis=0))
        constants.append(None)
    ends = list(program.results)
    everywhere = np.all([growth[i] == 0 for i in ends], axis=0)
    return np.asarray(everywhere & np.any([stands[i] for i in ends], axis=0))


def turning_entries(s: Any, periodic: Array, q: Array, free: Any = None) -> dict[int, int]:
    """Entries of v that turn one number of q, a periodic one, with that: of hinges, and in planes.

    Two numbers of it that are whole turns apart are one pose.
    """
    pairs = {}
    for i in range(s.nv) if free is None else free:
        moved = np.abs(s.integrate(q, 2 * np.pi * (np.arange(s.nv) == i)) - q) > 1e-9
        own = np.flatnonzero(moved)  # one number, not a quaternion
        if len(own) == 1 and periodic[own[0]]:
            pairs[int(i)] = int(own[0])
    return pairs


def by_whole_turns(turning: Mapping[int, int], q0: Any, q1: Any) -> Array:
    """The pose of q1 with the numbers nearest to q0: positions are compared so, everywhere.

    Steps between positions are the shorter way round then; of a planar joint, which is not its own
    logarithm a whole turn on, there is no other. Quaternions of both signs are one for them.
    """
    near, own = np.array(q1, dtype=float), list(turning.values())
    near[own] -= 2 * np.pi * np.round((near[own] - np.asarray(q0)[own]) / (2 * np.pi))
    return near


def directions(slope: Array, near: float = RANK, none: float = NO_ROW) -> tuple[Array, Array]:
    """Motions (columns, orthonormal) that rows leave free, and singular values of the rows.

    Rows have length one before they are compared; those that are zero, of length less than `none`
    of the longest, count as none.
    """
    n = slope.shape[1]
    length = np.linalg.norm(slope, axis=1)
    large = length > none * max(1.0, float(length.max(initial=0.0)))
    if not n or not large.any():
        return np.eye(n), np.zeros(0)
    _, sizes, Vt = np.linalg.svd(slope[large] / length[large, None])
    rank = int((sizes > near * sizes[0]).sum())
    return Vt[rank:].T, sizes
