"""The momenta that a motion should conserve, and those that it has.

Whether one is conserved is asked of the equations at the states of the motion, not of the motion:
its rate, (∂h/∂q) v + (∂h/∂v) a + ∂h/∂t with the a that the equations give, is zero at all of them.
So a mechanism that floats without gravity keeps all of its momentum, one under gravity what is
horizontal, and energies the momenta of cyclic coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.machine.run.call import Array
from visviva.motion.samples.along import along, called, function_of, has

OF_SPACE = ("Lx", "Ly", "Lz", "px", "py", "pz")  # about the world's origin, in world axes
NEGLIGIBLE = 1e-9  # of the terms that a rate is the sum of


def conserved(
    system: Any, state: Mapping[str, Any], parameters: Mapping[str, Any]
) -> dict[str, Array]:
    """The values (..., steps) of those momenta that stay by the equations; not those that are zero.

    Of bodies Lx, Ly, Lz (kg m²/s) and px, py, pz (kg m/s), of energies p_x of a coordinate x.
    """
    found: dict[str, Array] = {}
    names: dict[str, tuple[str, ...]] = {"momentum": OF_SPACE}
    names["generalized_momentum"] = tuple(f"p_{x}" for x in system.coordinate_names)
    for quantity, called_so in names.items():
        if has(system, quantity):
            found |= _staying(system, quantity, called_so, state, parameters)
    return found


def _staying(
    system: Any,
    quantity: str,
    names: tuple[str, ...],
    state: Mapping[str, Any],
    parameters: Mapping[str, Any],
) -> dict[str, Array]:
    f = function_of(system, quantity, parameters)
    h = np.asarray(called(f, state, parameters))
    motions = {"q": state["v"], "v": along(system, "forward_dynamics", state, parameters)}
    motions["t"] = np.ones((*h.shape[:-1], 1))
    rate, size = np.zeros(h.shape), np.zeros(h.shape)
    by_all = [x for x in motions if x in f.inputs]
    slopes = called(f.jacobian(*by_all), state, parameters)
    for by, whole in zip(by_all, slopes if len(by_all) > 1 else [slopes], strict=True):
        slope = np.asarray(whole).reshape(*h.shape, motions[by].shape[-1])
        rate += np.einsum("...ij,...j->...i", slope, motions[by])
        size += np.einsum("...ij,...j->...i", np.abs(slope), np.abs(motions[by]))
    axes = tuple(range(h.ndim - 1))
    stays = np.abs(rate).max(axis=axes) <= NEGLIGIBLE * size.max(axis=axes)
    there = np.abs(h).max(axis=axes) > NEGLIGIBLE**1.5 * np.abs(h).max(initial=0.0)
    return {x: h[..., i] for i, x in enumerate(names) if stays[i] and there[i]}
