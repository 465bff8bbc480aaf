"""Systems that differ in values of parameters only, and share their programs.

The parameters are inputs of the programs of one of them: asked at many values, nothing is compiled
again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.machine.function import Function
from visviva.machine.program.program import Program
from visviva.machine.systems import Request, asked


def sharing(system: Any, values: Mapping[str, float]) -> Any:
    """The system with these values, which asks the programs of `system`."""
    own = system.with_parameters(**values)
    own.__dict__["_shares"] = Shared(system, tuple(values), np.array([*values.values()]))
    return own


@dataclass(frozen=True, eq=False)
class Shared:
    """Whose programs a system asks, and its values of their parameters."""

    system: Any
    names: tuple[str, ...]
    values: Array

    def function(self, request: Request, plain: Callable[[], Function[Any]]) -> Any:
        """What answers a request as the plain function of the system would."""
        if request.parameters or request.inputs is not None:
            return plain()
        return AtValues(asked(self.system, replace(request, parameters=self.names)), self, plain)


@dataclass(frozen=True, eq=False)
class AtValues:
    """A function of which the last input, the values of parameters, is given.

    It answers what analyses ask of functions of a system, and nothing else.
    """

    whole: Function[Any]
    shared: Shared
    plain: Callable[[], Function[Any]]  # with the values put in, made only if more is asked of it

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.whole(*args, **named, parameters=self.shared.values)

    def _evaluated(self, args: Sequence[Any], what: str) -> Any:
        """As a part of another function, to which the values are constants."""
        return self.whole._evaluated([*args, self.shared.values], what)

    @cached_property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes of the others."""
        return {k: x for k, x in self.whole.inputs.items() if k != "parameters"}

    def jacobian(self, *names: str) -> AtValues:
        """By others than the parameters."""
        wanted = names or tuple(self.inputs)
        slopes = self.whole.jacobian(*wanted)
        return AtValues(slopes, self.shared, lambda: self._plain.jacobian(*wanted))

    @cached_property
    def _plain(self) -> Function[Any]:
        return self.plain()

    @property
    def outputs(self) -> Any:
        """Those of the plain one."""
        return self.whole.outputs

    @property
    def operations(self) -> Any:
        """How often each occurs for values that may be any."""
        return self.whole.operations

    @property
    def program(self) -> Program:
        """With the values put in."""
        return self._plain.program
