"""The momenta that a motion should conserve, and those that it has.

Whether one is conserved is asked of the equations at the states of the motion, not of the motion:
its rate, (∂h/∂q) v + (∂h/∂v) a + ∂h/∂t with the a that the equations give, is zero at all of them.
So a mechanism that floats without gravity keeps all of its momentum, one under gravity what is
horizontal, and energies the momenta of cyclic coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from visviva.machine.run.call import Array
from visviva.motion.samples.along import along, called, function_of, has
from visviva.motion.samples.work import KINDS, POTENTIAL, powers

OF_SPACE = ("Lx", "Ly", "Lz", "px", "py", "pz")  # about the world's origin, in world axes
NEGLIGIBLE = 1e-9  # of the terms that a rate is the sum of
ENOUGH = 20  # states that say whether a power is that of a momentum


def conserved(
    system: Any, state: Mapping[str, Any], parameters: Mapping[str, Any]
) -> dict[str, Array]:
    """The values (..., steps) of those momenta that stay by the equations; not those that are zero.

    Of bodies Lx, Ly, Lz (kg m²/s) and px, py, pz (kg m/s), of energies p_x of a coordinate x.
    """
    found: dict[str, Array] = {}
    for names, h, rate, size in _momenta(system, state, parameters):
        axes = tuple(range(h.ndim - 1))
        stays = np.abs(rate).max(axis=axes) <= NEGLIGIBLE * size.max(axis=axes)
        there = np.abs(h).max(axis=axes) > NEGLIGIBLE**1.5 * np.abs(h).max(initial=0.0)
        found |= {x: h[..., i] for i, x in enumerate(names) if stays[i] and there[i]}
    return found


def conserved_at(
    system: Any, state: Mapping[str, Any], parameters: Mapping[str, Any]
) -> dict[str, Array]:
    """The values of all momenta at states, whether they stay or not."""
    found: dict[str, Array] = {}
    for quantity, names in _names(system).items():
        h = np.asarray(along(system, quantity, state, parameters))
        found |= {x: h[..., i] for i, x in enumerate(names)}
    return found


def _names(system: Any) -> dict[str, tuple[str, ...]]:
    """What the momenta of a system are called, by the quantities that have them."""
    names: dict[str, tuple[str, ...]] = {"momentum": OF_SPACE}
    names["generalized_momentum"] = tuple(f"p_{x}" for x in system.coordinate_names)
    return {k: x for k, x in names.items() if has(system, k)}


def jacobi_of_motion(
    system: Any, state: Mapping[str, Any], parameters: Mapping[str, Any], energy: Array
) -> tuple[Array, str] | None:
    """E - c · p of a system that constraints drive, where it stays by the equations; and its name.

    What turns or moves a mechanism uniformly does the work that c times the change of a momentum
    is: E - Ω Lz of an arm on a turntable, E - Ω p_theta of a bead on a turning wire. Asked of the
    equations as momenta are: dE/dt = c · dp/dt at all states, with one c for each motion.
    """
    if not system.held_by:
        return None
    total = powers(system, state, parameters)
    power = np.asarray(sum(x for k, x in zip(KINDS, total, strict=True) if k != POTENTIAL))
    found = list(_momenta(system, state, parameters))
    if not found or np.shape(power)[-1] < ENOUGH:
        return None
    names = [x for part in found for x in part[0]]
    h, rate, size = (np.concatenate([part[i] for part in found], axis=-1) for i in (1, 2, 3))
    lanes = power.shape[:-1]
    jacobi, said = np.empty(energy.shape), ""
    for lane in np.ndindex(*lanes):
        c = _factors(rate[lane], size[lane], power[lane])
        if c is None:
            return None
        jacobi[lane] = energy[lane] - h[lane] @ c
        said = said or "E" + "".join(
            f" {'-' if x > 0 else '+'} {abs(x):.6g} {name}"
            for x, name in zip(c, names, strict=True) if x
        )  # fmt: skip
    return jacobi, said if not lanes else "E - c·p"


def _factors(rate: Array, size: Array, power: Array) -> Array | None:
    """c (m,) with power (k,) = rate (k, m) c at all k states; None if there is none."""
    moves = np.abs(rate).max(axis=0) > NEGLIGIBLE * size.max(axis=0)
    most = np.abs(power).max()
    if not moves.any() or most == 0:
        return None
    scale = np.abs(rate[:, moves]).max(axis=0)
    c = np.zeros(rate.shape[1])
    own = np.linalg.lstsq(rate[:, moves] / scale, power, rcond=NEGLIGIBLE)[0]
    c[moves] = np.where(np.abs(own) > NEGLIGIBLE * most, own, 0.0) / scale
    return c if np.abs(rate @ c - power).max() <= NEGLIGIBLE * most and c.any() else None


def _momenta(
    system: Any, state: Mapping[str, Any], parameters: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], Array, Array, Array]]:
    """Names, values, rates by the equations and sizes of their terms: (..., steps, m)."""
    for quantity, called_so in _names(system).items():
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
        yield called_so, h, rate, size
