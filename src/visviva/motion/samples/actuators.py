"""The forces of actuators, where those on the coordinates are known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array


class ActuatorShare:
    """Forces f = T⁺ τ of actuators, the smallest with T f = τ; T⁺ is worked out once if it can."""

    def __init__(self, system: Any, parameters: Sequence[str] = ()) -> None:
        self.system = system
        self.map = system.function("actuator_map", parameters=tuple(parameters))

    @cached_property
    def constant(self) -> Array | None:
        """T⁺ where T is the same everywhere."""
        if not self.map.program.is_constant:
            return None
        anywhere = {name: np.zeros(shape) for name, shape in self.map.inputs.items()}
        anywhere["q"] = self.system.neutral()
        return np.linalg.pinv(np.asarray(self.map(*(anywhere[k] for k in self.map.inputs))))

    def __call__(self, tau: Array, **inputs: Any) -> Array:
        """f (..., k) of τ (..., n), at q and whatever else T depends on; over any scalar if T is
        constant."""
        inverse = self.constant
        if inverse is None:
            inverse = np.linalg.pinv(np.asarray(self.map(*(inputs[k] for k in self.map.inputs))))
        return np.asarray((inverse @ tau[..., None])[..., 0])
