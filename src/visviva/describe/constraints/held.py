"""What a model can be asked and told about its constraints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from visviva.describe.constraints.constraint import Constraint, Constraints
from visviva.describe.constraints.loop import Loop, check_loop
from visviva.describe.constraints.relation import Relation, check_relation, relations
from visviva.describe.joints.closure import Closure
from visviva.describe.joints.named import closure_called
from visviva.errors import ArgumentError

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

        `joint="revolute"` is a hinge about `axis` (z if none is given), in axes of either frame;
        `details` are what it takes besides, as in `Builder.body`: `pitch`, `second`, `length`.
        """
        if isinstance(joint, Closure) and (axis is not None or details):
            raise ArgumentError("axis= belongs to a joint by name, not to a ready one")
        closure = joint if isinstance(joint, Closure) else closure_called(joint, axis, details)
        return self._with([Loop(name or self._free("loop"), frame1, frame2, closure)])

    def with_constraint(self, statement: Any, name: str = "") -> Self:
        """With a relation between coordinates: a formula that stays zero, or an equation.

        A text names coordinates as joints are called, rates with a prime, the time t and
        parameters: `"elbow = 0.3*sin(2*t)"`, `"left' = 2*right'"`. A function takes some of q, v
        and t, and returns what stays zero.
        """
        stated = name or self._free("constraint")
        return self._with(relations(self, stated, statement))

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
        taken, k = set(self.constraints.names), 1
        while f"{what}{k}" in taken:
            k += 1
        return f"{what}{k}"


def check_constraints(model: Any) -> None:
    """Names are unique, and what constraints hold is there."""
    seen: set[str] = set()
    for x in model.constraints:
        if not isinstance(x, Constraint):
            raise ArgumentError(
                f"constraints are Loop and Relation objects, got {type(x).__name__}; "
                "with_loop() and with_constraint() make them"
            )
        if x.name in seen:
            raise ArgumentError(f"model {model.name!r}: two constraints are called {x.name!r}")
        seen.add(x.name)
        if x.frames:
            check_loop(model, x)
        elif isinstance(x, Relation):
            check_relation(model, x)
