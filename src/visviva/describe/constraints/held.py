"""What a model can be asked and told about its constraints."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from numbers import Complex, Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from visviva.algebra.arrays import is_exactly
from visviva.algebra.expr import Expr, Graph
from visviva.algebra.expr import text as expression_text
from visviva.describe.constraints.constraint import Constraint, Constraints, free_name
from visviva.describe.constraints.loop import Loop, check_loop
from visviva.describe.constraints.plane import common_axis
from visviva.describe.constraints.relation import (
    Relation,
    check_relation,
    check_time,
    linear,
    relations,
)
from visviva.describe.joints.closure import Closure, direction
from visviva.describe.joints.named import SIZED, closure_called
from visviva.describe.values import leaves
from visviva.errors import ArgumentError, ParseError
from visviva.hints import words_of_others
from visviva.notation.formula import parse

if TYPE_CHECKING:
    from visviva.describe.model.body import Frame


class Held:
    """A tree of bodies that may be held by constraints."""

    if TYPE_CHECKING:
        constraints: Constraints
        notes: tuple[str, ...]

        def frame(self, name: str) -> Frame: ...

    @property
    def loops(self) -> tuple[Any, ...]:
        """The constraints that join two frames."""
        return tuple(x for x in self.constraints if x.frames)

    @property
    def held_by(self) -> tuple[str, ...]:
        """The constraints that hold, each in words; a reader may find some switched off."""
        return tuple(str(x) for x in self.constraints.active)

    @words_of_others("model.with_loop", type="joint", kind="joint", closure="joint",
                     body1="frame1", body2="frame2", parent="frame1", child="frame2")  # fmt: skip
    def with_loop(
        self,
        frame1: str,
        frame2: str,
        joint: str | Closure = "revolute",
        *,
        axis: Any = None,
        name: str = "",
        **details: Any,
    ) -> Self:
        """With two frames joined, by a joint or another closure by name or ready.

        `joint="revolute"` is a hinge about `axis`, in axes of either frame. If none is given, that
        is z; of a hinge between joints that all turn about one axis it is that one, and a note says
        so. `details` are what a closure takes besides, as in `Builder.body`: `pitch`, `length`,
        numbers or formulas of parameters, `length="2*l"`.
        """
        if isinstance(joint, Closure) and (axis is not None or details):
            raise ArgumentError("axis= belongs to a joint by name, not to a ready one")
        stated, notes = name or self._free("loop"), self.notes
        if joint == "revolute" and axis is None:
            axis = common_axis(self, frame1, frame2)
            if axis is not None and (about := direction(axis)) != "z":
                said = f"loop {stated!r} turns about {about}, as all of its joints do"
                notes = (*notes, f"{said}: axis= was not given")
        read = {
            k: stated_number(self, f"{k} of {joint!r}", x) if k in SIZED else x
            for k, x in details.items()
        }
        closure = joint if isinstance(joint, Closure) else closure_called(joint, axis, read)
        made = self._with([Loop(stated, frame1, frame2, closure)])
        return made if notes is self.notes else replace(made, notes=notes)  # type: ignore[type-var]

    def with_constraint(self, statement: Any, name: str = "") -> Self:
        """With a relation between coordinates: a formula that stays zero, or an equation.

        A text names coordinates as joints are called, rates with a prime, the time t and
        parameters: `"elbow = 0.3*sin(2*t)"`, `"left' = 2*right'"`. A function takes some of q, v
        and t, and returns what stays zero.
        """
        stated = name or self._free("constraint")
        return self._with(relations(self, stated, statement))

    def with_gear(
        self, joint1: str, joint2: str, ratio: Any, *, offset: Any = 0.0, name: str = ""
    ) -> Self:
        """With joint1 = ratio · joint2 + offset; wheels that touch from outside have ratio < 0.

        Numbers here, and of belts, racks and differentials, may be formulas of parameters:
        `ratio="-r2/r1"`.
        """
        _check_joints(joint1, joint2)
        ratio, offset = _number(self, "ratio", ratio), _offset(self, offset)
        text = f"{joint1} = {_shown(ratio)}*{joint2}" + _added(offset)
        terms = {"one": (joint1, 1.0), "ratio": (joint2, -ratio), "offset": ("", -offset)}
        return self._with([linear(name or self._free("gear"), text, **terms)])

    def with_belt(
        self,
        joint1: str,
        joint2: str,
        radius1: Any,
        radius2: Any,
        *,
        crossed: bool = False,
        name: str = "",
    ) -> Self:
        """With a belt around two wheels: radius1 · joint1 = radius2 · joint2, or minus if crossed.

        Both radii are of wheels that turn about parallel axes.
        """
        _check_joints(joint1, joint2)
        radius1, radius2 = _number(self, "radius1", radius1), _number(self, "radius2", radius2)
        sign = "-" if crossed else ""
        text = f"{_shown(radius1)}*{joint1} = {sign}{_shown(radius2)}*{joint2}"
        second = radius2 if crossed else -radius2
        terms = {"radius1": (joint1, radius1), "radius2": (joint2, second)}
        return self._with([linear(name or self._free("belt"), text, **terms)])

    def with_rack(
        self, rack: str, pinion: str, radius: Any, *, offset: Any = 0.0, name: str = ""
    ) -> Self:
        """With a rack that slides as a pinion of this radius turns: rack = radius · pinion."""
        _check_joints(rack, pinion)
        radius, offset = _number(self, "radius", radius), _offset(self, offset)
        text = f"{rack} = {_shown(radius)}*{pinion}" + _added(offset)
        terms = {"one": (rack, 1.0), "radius": (pinion, -radius), "offset": ("", -offset)}
        return self._with([linear(name or self._free("rack"), text, **terms)])

    def with_differential(
        self, drive: str, left: str, right: str, ratio: Any = 1.0, *, name: str = ""
    ) -> Self:
        """With a differential: drive = ratio · (left + right) / 2."""
        _check_joints(drive, left, right)
        ratio = _number(self, "ratio", ratio)
        text = f"{drive} = {_shown(ratio)}*({left} + {right})/2"
        half = -ratio * 0.5
        terms = {"drive": (drive, 1.0), "left": (left, half), "right": (right, half)}
        return self._with([linear(name or self._free("differential"), text, **terms)])

    def without_constraints(self) -> Self:
        """The open tree: without what holds it. Joints that follow others still do."""
        if not self.constraints:
            return self
        opened = [f"without the constraint: {x}" for x in self.constraints]
        changes: dict[str, Any] = {"constraints": (), "notes": (*self.notes, *opened)}
        return replace(self, **changes)  # type: ignore[type-var]

    def _with(self, more: list[Any]) -> Self:
        changes: dict[str, Any] = {"constraints": (*self.constraints, *more)}
        return replace(self, **changes)  # type: ignore[type-var]

    def _free(self, what: str) -> str:
        """A name that no constraint has."""
        return free_name(self.constraints, what)


def _check_joints(*names: Any) -> None:
    """Names are texts; which joints there are is looked at when the model is made."""
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(f"a joint is called by a text, got {name!r}")
    if twice := [x for k, x in enumerate(names) if x in names[:k]]:
        raise ArgumentError(
            f"{twice[0]!r} cannot turn with itself: two joints are coupled; with_constraint("
            f"'{twice[0]} = 0.0') holds one"
        )


def _offset(model: Any, given: Any) -> Any:
    x = stated_number(model, "offset", given)
    if not isinstance(x, (Real, Expr)) or (isinstance(x, Real) and not isfinite(x)):
        raise ArgumentError(f"offset is a finite number or a formula, got {given!r}")
    return x


def _number(model: Any, what: str, given: Any) -> Any:
    """A finite number other than zero, or a formula."""
    x = stated_number(model, what, given)
    check_ratio(what, x)
    return x


def check_ratio(what: str, x: Any) -> None:
    """Refuse what is neither one finite number other than 0 nor a formula."""
    if not _is_ratio(x):
        raise ArgumentError(
            f"{what} is a finite number other than 0, or a formula of parameters; got {x!r}"
        )


def _is_ratio(x: Any) -> bool:
    x = x[()] if isinstance(x, np.ndarray) else x
    if isinstance(x, str):
        return True
    if isinstance(x, Real) or getattr(x, "is_number", False):  # SymPy's pi is one
        try:
            return isfinite(x) and bool(x)
        except (TypeError, ValueError, OverflowError):
            return False
    if isinstance(x, Complex) or np.ndim(x) or is_exactly(x, 0.0):
        return False  # below, scalars that models are mapped to: they are computed with
    return {"__mul__", "__neg__"} <= {*dir(type(x))}


def stated_number(model: Any, what: str, given: Any) -> Any:
    """What a text or SymPy's says, a formula of the model's parameters; others as they are."""
    if not isinstance(given, str) and not type(given).__module__.startswith("sympy"):
        return given
    graph = next((x.graph for x in leaves(model) if isinstance(x, Expr)), Graph())
    try:
        x = parse(str(given), graph, {name: graph.input(name) for name in model.parameters})
    except ParseError as error:
        raise ArgumentError(
            f"{what} is a finite number, or a formula of parameters of {model.name!r} "
            f"({', '.join(model.parameters) or 'none'}): {error}"
        ) from None
    return float(x.value) if isinstance(x, Expr) and x.is_constant else x


def _shown(x: Any) -> str:
    said = expression_text(x) if isinstance(x, Expr) else f"{x:.6g}"
    return f"({said})" if said.startswith("-") else said


def _added(offset: Any) -> str:
    return "" if is_exactly(offset, 0.0) else f" + {_shown(offset)}"


def check_constraints(model: Any) -> None:
    """Names are unique, and what constraints hold is there."""
    seen: set[str] = set()
    if any(isinstance(x, Relation) for x in model.constraints):
        check_time(model)
    for x in model.constraints:
        if not isinstance(x, Constraint):
            raise ArgumentError(
                f"constraints are Loop and Relation objects, got {type(x).__name__}; "
                "with_loop() and with_constraint() make them"
            )
        if not isinstance(x.name, str) or not x.name:
            raise ArgumentError(f"constraints are called by texts, got {x.name!r}")
        if x.name in seen:
            raise ArgumentError(f"model {model.name!r}: two constraints are called {x.name!r}")
        seen.add(x.name)
        if x.frames:
            check_loop(model, x)
        elif isinstance(x, Relation):
            check_relation(model, x)
