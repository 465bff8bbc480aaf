"""Quantities along a motion: one compiled call for all samples of all trajectories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.describe.quantities import FUNCTIONS
from visviva.errors import UnknownNameError
from visviva.machine.function import Function
from visviva.machine.run.call import Array
from visviva.machine.systems import stated_functions


def has(system: Any, quantity: str) -> bool:
    """Whether the table of quantities states it for this system."""
    return quantity in stated_functions(system)


def function_of(system: Any, quantity: str, parameters: Mapping[str, Any]) -> Function:
    """A quantity as a function, with parameters kept as inputs if they differ among lanes."""
    if parameters:
        function: Function = system.function(quantity, parameters=list(parameters))
    else:
        function = system.function(quantity)
    return function


def called(f: Function[Any], state: Mapping[str, Any], parameters: Mapping[str, Any]) -> Any:
    """f at states: q (..., k, nq), v, tau, a and t (k,), each where f takes it."""
    values = dict(state)
    if "parameters" in f.inputs:
        values["parameters"] = parameter_rows(parameters)
    return f(*[values[name] for name in f.inputs])


def along(system: Any, quantity: str, state: Mapping[str, Any], parameters: Any = None) -> Any:
    """A quantity of the table at states, shape (..., k) and those of the quantity.

    Accelerations, where they are asked for and not given, are those of the forces tau.

    Examples:
        >>> import numpy as np
        >>> from visviva.describe import catalog
        >>> state = {"q": np.zeros((3, 2)), "v": np.ones((3, 2)), "t": np.arange(3.0)}
        >>> along(catalog.cart_pole(), "kinetic_energy", state)
        array([0.8375, 0.8375, 0.8375])
    """
    kept = parameters or {}
    f = function_of(system, quantity, kept)
    if "a" in f.inputs and "a" not in state:
        state = {**state, "a": along(system, "forward_dynamics", state, kept)}
    return called(f, state, kept)


def parameter_rows(parameters: Mapping[str, Any]) -> Array:
    """(p,), or (N, 1, p) where values differ among N trajectories."""
    arrays = np.broadcast_arrays(*[np.asarray(x, dtype=float) for x in parameters.values()])
    rows = np.stack(arrays, axis=-1)
    return rows[:, None, :] if rows.ndim == 2 else rows


def whole_quantities() -> tuple[str, ...]:
    """The names of all that can be asked of a whole system."""
    return tuple(name for name, row in FUNCTIONS.items() if not row.about)


def check_whole(name: str) -> None:
    """Refuse what is no quantity of a whole system; of one about a frame the way is told."""
    if name in (known := whole_quantities()):
        return
    about = "pose" if name == "frame_pose" else str(name)
    line = f"run.system.{about}(run.system.frame_names[-1])(run.q)"
    raise UnknownNameError("quantity", name, known, cure=line if about in FUNCTIONS else "")
