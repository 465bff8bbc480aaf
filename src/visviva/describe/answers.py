"""What can be asked of a system: one attribute for every row of the table of quantities.

On a system it is the compiled function, or a method that takes a frame and gives one; on the class
it is a method that `help` can show. Type checkers see the same names in `answers.pyi`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from visviva.describe.calls import CALLS
from visviva.describe.others import answered
from visviva.describe.quantities import BODIES, ENERGIES, FUNCTIONS, TAKEN, Quantity
from visviva.errors import ArgumentError
from visviva.hints import words_of_others

if TYPE_CHECKING:
    from visviva.machine.function import Function

ABOUT = {"frame": ("frame",), "point": ("frame", "reference", "point")}
DEFAULTS = {"reference": "world", "point": None}
_AXES = ("frame", "rf", "reference_frame", "axes", "expressed_in")  # as others say reference


class Answer:
    """A row as an attribute of systems."""

    def __init__(self, row: Quantity) -> None:
        self.row = row

    def __get__(self, system: Any, owner: type) -> Callable[..., Any] | Function:
        if system is None:
            return self.described()
        if self.row.about:
            return cast("Callable[..., Any]", self.described().__get__(system))
        function: Function = system.function(self.row.name)
        return function

    def described(self) -> Any:
        """The quantity as a method that can be called."""
        row = self.row
        names = ABOUT[row.about] if row.about else row.inputs.split()

        def method(system: Any, *args: Any, **named: Any) -> Any:
            if args and "reference" in names and (other := [k for k in named if k in _AXES]):
                axes = named.pop(other[0])
                system.function_of_frame(row.name, *args, reference=axes, **named)  # or its error
                more = "".join(f", {k}={x!r}" for k, x in named.items())
                raise ArgumentError(
                    f"{other[0]}= is no word for axes: here it is "
                    f"model.{row.name}({args[0]!r}, reference={axes!r}{more})"
                )
            if row.about:
                return system.function_of_frame(row.name, *args, **named)
            return system.function(row.name)(*args, **named)

        more = "" if row.about else f" A compiled function of {', '.join(names)}."
        method.__name__ = method.__qualname__ = row.name
        method.__doc__ = row.doc + more
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        missing = inspect.Parameter.empty
        listed = [
            inspect.Parameter(name, kind, default=DEFAULTS.get(name, missing))
            for name in ("self", *names)
        ]
        cast(Any, method).__signature__ = inspect.Signature(listed)
        return words_of_others(f"model.{row.name}")(method) if row.about else method


def answers(column: str) -> dict[str, Answer]:
    """The rows that are stated for a kind of system, by name."""
    return {name: Answer(row) for name, row in FUNCTIONS.items() if getattr(row, column)}


def take_names(kind: type) -> None:
    """Keep the names of a kind of system, besides its answers, from rows of the table."""
    for c in kind.__mro__:
        answered("model", CALLS)(c)
        for name in (*vars(c), *vars(c).get("__annotations__", ())):
            if not isinstance(vars(c).get(name), Answer):
                TAKEN.setdefault(name, kind.__name__)
    for name in FUNCTIONS.keys() & TAKEN.keys():
        raise ArgumentError(
            f"a {kind.__name__} has an attribute {name!r}, which hides the row of quantities "
            "that is called so; one of them needs another name"
        )


OfBodies = type("OfBodies", (), answers(BODIES))
OfEnergies = type("OfEnergies", (), answers(ENERGIES))
