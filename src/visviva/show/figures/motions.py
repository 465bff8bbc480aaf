"""A recorded motion that is played."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError
from visviva.show.figures.view import View, scene_view, starting_at
from visviva.show.page.picture import Motion
from visviva.show.scene.of import scene_of

if TYPE_CHECKING:
    from visviva.motion.trajectory import Trajectory

MOST_CHOICES = 12  # trajectories of a batch that can be chosen


def motion_view(run: Trajectory) -> View:
    """A page in which a trajectory is played; of a batch the first ones, to choose from."""
    lanes = run.q[:MOST_CHOICES] if run.is_batch else run.q[None]
    motions = []
    for k, q in enumerate(lanes):
        t, rows = _played(np.asarray(run.t, dtype=float), np.asarray(q, dtype=float))
        motions.append(Motion(f"trajectory {k + 1}" if run.is_batch else "motion", t, rows))
    drawn = f", {len(lanes)} of {len(run.q)} trajectories" if run.is_batch else ""
    first, last = motions[0].t[0], motions[0].t[-1]
    title = f"{run.system.name}{drawn}: {first:.4g} to {last:.4g} s"
    scene = starting_at(scene_of(run.system), motions[0].q[0])
    return scene_view(scene, motions, title)


def _played(t: Array, q: Array) -> tuple[Array, Array]:
    """Times that grow: of two states at one time, before and after a jump, the later."""
    kept = np.isfinite(q).all(axis=1)
    t, q = t[kept], q[kept]
    last = np.append(np.diff(t) > 0, True) if len(t) else np.zeros(0, dtype=bool)
    t, q = t[last], q[last]
    if len(t) < 2:
        raise ArgumentError("animate: a motion has at least two different times")
    return t, q
