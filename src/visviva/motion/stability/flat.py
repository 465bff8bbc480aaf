"""What is beyond first order: forces that do not change to it, and energy that they may give.

Where K is zero along a direction, equilibria may go on along it, as of a cart on its rail; or
forces come later, as of V = x⁴. The linear system is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.linalg

from visviva.algebra.arrays import Array
from visviva.errors import FlatError, VisvivaError
from visviva.motion.stability.place import Place, numbers
from visviva.motion.stability.quadratic import EPS, Quadratic
from visviva.motion.stability.spectrum import STILL
from visviva.motion.stability.steady import idle_coordinates

ALONG_IT = 0.03  # radians or metres along a direction, to where another equilibrium may be
TO_ANOTHER = 25  # of Newton's, to it
FARTHER = 6.0  # times the step that Newton's method takes to the equilibrium: where that may be
DOUBLED = 0.5  # of a stiffness: what changes by more where the equilibrium may be is not known
UNCHANGED = 1e-12  # of slopes: directions in which nothing changes
MIXED = 3  # ways between all of them, and back
STILL_AWAY = 0.7  # of ALONG_IT: how far such an equilibrium is still away


def giving(state: Place) -> str:
    """Why its energy, and that of constant forces, may grow near a place; empty if it never can."""
    s = state.system
    if np.any(state.v) and np.any(state.v[~idle_coordinates(s)]):
        return "it is about a steady motion, of which the energy alone does not tell"
    values = {**s.parameters, **state.given}
    home = s._passivity_equations()
    if said := str(home.may_give_energy(s, values, tuple(state.v.tolist()))):
        return said
    if "t" in state.function("forward_dynamics").inputs:
        return "its forces depend on time"
    if s.charts and np.any(state.tau):
        return "torques that stay in axes of bodies have no potential"
    return ""


def known_to(state: Place, turning: Array, holds: bool) -> tuple[Array, Array] | None:
    """How far A2 and A3 may be off: their values in all positions that may be meant, by intervals.

    None where intervals do not tell. Where forces hold the position, it is the one that is meant.
    """
    s = state.system
    here = state.enclosed(np.full(s.nv, state.rounding))
    if here is None:
        return None
    off = np.stack([x[2, :, 0] for x in here]) - state.tau
    force = np.zeros(s.nv) if holds else np.abs(off).max(axis=0)
    slope = state.slopes("inverse_dynamics", "q")[0]
    by_rounding = ((here[1] - here[0]) / 2)[0]
    rank = s.nv - Quadratic(np.eye(s.nv), slope, slope, (by_rounding, by_rounding)).level
    U, sizes, Vt = np.linalg.svd(slope)
    inverse = (Vt[:rank].T / sizes[:rank]) @ U[:, :rank].T  # soft directions are in it too
    far = FARTHER * np.abs(inverse) @ force + state.rounding
    near = state.enclosed(far)
    if near is None:
        return None
    exact, rough = (((high - low) / 2)[:2] for low, high in (here, near))
    level = [Quadratic(np.eye(s.nv), slope, slope, (x[0], x[0])).level for x in (exact, rough)]
    if level[0] < level[1]:
        raise _too_flat(state, float(far.max()))
    by_q, by_v = rough
    return by_v + 4 * EPS * turning, by_q + by_v @ turning


def refuse_flat(
    state: Place, basis: Array, F: Array, beside: Callable[[Place], Array | None], holds: bool
) -> None:
    """The same where intervals do not tell: slopes are compared where the equilibrium may be."""
    n = len(F) // 2
    stiff = F[n:, :n]
    accelerates = 0.0 * state.v if holds else state.value("forward_dynamics")
    left = np.linalg.lstsq(basis[len(state.v) :, n:], accelerates, rcond=None)[0]
    U, sizes, Vt = np.linalg.svd(stiff)
    for u, size, way in zip(U.T, sizes, Vt, strict=True):
        if size <= STILL * sizes[0]:
            continue  # none at all
        far = FARTHER * float(abs(u @ left)) / size + state.rounding
        for sign in (1.0, -1.0):
            try:
                other = beside(_moved(state, sign * far * basis[:, :n] @ way))
            except VisvivaError:
                continue
            if other is not None and abs(u @ (other[n:, :n] - stiff) @ way) >= DOUBLED * size:
                raise _too_flat(state, far)


def _too_flat(state: Place, far: float) -> FlatError:
    return FlatError(
        f"forces of {state.system.name!r} are flat about q = {numbers(state.q)}: K is "
        f"zero in a direction to the accuracy of the position, which is known to {far:.1g} only; "
        "forces of higher order decide, and the linear system does not tell",
        "linearize",
    )


def go_on(state: Place, ways: Array) -> bool:
    """Whether there are equilibria along changes of state, columns (2 nv, k), and between them."""
    count = ways.shape[1]
    if not count:
        return True
    between = ways @ np.random.default_rng(5).normal(size=(count, 1 + (count > 1)))
    both = np.hstack([ways, between[:, : count > 1]])
    both = both / np.abs(both).max(axis=0)
    both[np.abs(both) < UNCHANGED] = 0.0
    return all(_is_beside(state, sign * ALONG_IT * way) for way in both.T for sign in (1.0, -1.0))


def sped_up(state: Place, basis: Array, staying: Array, going: Array) -> str:
    """Why what drifts may go faster and faster beyond first order; empty if it never can.

    It cannot where steady motions go on along all that stays and drifts, or by its energy.
    """
    if any(not giving(x) for x in (state, replace(state, v=0 * state.v))):
        return ""
    if _are_steady(state, basis, staying, going):
        return ""
    return "forces of higher order in the velocities decide how it goes on"


def _are_steady(state: Place, basis: Array, staying: Array, going: Array) -> bool:
    """Whether nothing accelerates along changes of state, but for what follows beside them."""
    ways = np.hstack([staying, going])
    ways = ways / np.abs(ways).max(axis=0)
    Q = scipy.linalg.orth(basis)
    beside = Q @ scipy.linalg.null_space(ways.T @ Q)
    signs = np.random.default_rng(8).choice([-1.0, 1.0], (ways.shape[1], MIXED))
    try:
        return all(
            _follows(state, ALONG_IT * ways @ (sign * mix), beside)
            for mix in signs.T
            for sign in (1.0, -1.0)
        )
    except VisvivaError:
        return False


def _follows(state: Place, way: Array, beside: Array) -> bool:
    there = _moved(state, way)
    for _ in range(TO_ANOTHER):
        a, slopes = there.value("forward_dynamics"), there.slopes("forward_dynamics", "q", "v")
        whole = np.hstack(slopes)
        if not (np.isfinite(a).all() and np.isfinite(whole).all()):
            return False
        if (np.abs(a) <= _rounding(state, there, whole)).all():
            return True
        there = _moved(there, -beside @ np.linalg.lstsq(whole @ beside, a, rcond=UNCHANGED)[0])
        if np.linalg.norm(_gone(state, there) - way) > np.linalg.norm(way):
            return False
    return False


def _is_beside(state: Place, way: Array) -> bool:
    """Whether Newton's steps from there end at an equilibrium that is near."""
    try:
        there = _moved(state, way)
        for _ in range(TO_ANOTHER):
            a = there.value("forward_dynamics")
            by_q, by_v = there.slopes("forward_dynamics", "q", "v")
            slopes = by_q - by_v @ there.turning
            if not (np.isfinite(a).all() and np.isfinite(slopes).all()):
                return False
            if (np.abs(a) <= _rounding(state, there, slopes)).all():
                return True
            step = -np.linalg.lstsq(slopes, a, rcond=UNCHANGED)[0]
            there = _moved(there, np.concatenate([step, -there.turning @ step]))
            gone = _gone(state, there)
            if not gone @ way >= STILL_AWAY * (way @ way):
                return False
    except VisvivaError:
        return False
    return False


def _rounding(state: Place, there: Place, slopes: Array) -> Array:
    """What rounding, of terms and of positions, leaves of accelerations that are zero."""
    moving = np.abs(state.accelerations[1]) @ np.abs(state.v)
    known = 0.0 if state.terms is None else state.terms
    placed = 4 * there.rounding * float(np.abs(slopes).max(initial=0.0))
    return np.asarray(1e3 * EPS * (known + there.forces + moving.max(initial=0.0)) + placed)


def _moved(state: Place, change: Array) -> Place:
    """The place that a change (2 nv,) of position and velocity leads to, as constraints let it."""
    s: Any = state.system
    q = np.asarray(s.integrate(state.q, change[: s.nv]))
    v = state.v + change[s.nv :]
    if s.held_by:
        q = np.asarray(s.assembled(q, t=state.t))
        return replace(state, q=q, v=replace(state, q=q, v=v).value("admitted_velocity"))
    return replace(state, q=q, v=v)


def _gone(state: Place, there: Place) -> Array:
    away = np.asarray(state.system.difference(state.q, there.q))
    return np.concatenate([away, there.v - state.v])
