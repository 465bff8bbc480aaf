"""What is beyond first order: forces that do not change to it, and energy that they may give.

Where K is zero along a direction, equilibria may go on along it, as of a cart on its rail; or
forces come later, as of V = x⁴. The linear system is the same.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import VisvivaError
from visviva.motion.stability.place import Place
from visviva.motion.stability.quadratic import EPS

ALONG_IT = 0.03  # radians or metres along a direction, to where another equilibrium may be
TO_ANOTHER = 25  # of Newton's, to it
UNCHANGED = 1e-12  # of slopes: directions in which nothing changes
STILL_AWAY = 0.7  # of ALONG_IT: how far such an equilibrium is still away


def giving(state: Place) -> str:
    """Why its energy, and that of constant forces, may grow near a place; empty if it never can."""
    s = state.system
    if np.any(state.v):
        return "it is about a steady motion, of which the energy alone does not tell"
    values = {**s.parameters, **state.given}
    home = import_module(f"visviva.equations.{s.giving_home}")
    if said := str(home.may_give_energy(s, values)):
        return said
    if "t" in state.function("forward_dynamics").inputs:
        return "its forces depend on time"
    if s.charts and np.any(state.tau):
        return "torques that stay in axes of bodies have no potential"
    return ""


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


def _is_beside(state: Place, way: Array) -> bool:
    """Whether Newton's steps from there end at an equilibrium that is near."""
    try:
        there = _moved(state, way)
        for _ in range(TO_ANOTHER):
            a = there.value("forward_dynamics")
            slopes = np.hstack(there.slopes("forward_dynamics", "q", "v"))
            if not (np.isfinite(a).all() and np.isfinite(slopes).all()):
                return False
            if (np.abs(a) <= _rounding(state, there, slopes)).all():
                return True
            there = _moved(there, -np.linalg.lstsq(slopes, a, rcond=UNCHANGED)[0])
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
