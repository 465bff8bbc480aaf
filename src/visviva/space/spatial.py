"""Spatial vectors: twists (ω, v), wrenches (moment, force), and what acts on them.

The angular part comes first. A twist gives the velocity of the point at the origin of the frame it
is expressed in. Notation as in Featherstone, *Rigid Body Dynamics Algorithms*, chapter 2, and Lynch
and Park, *Modern Robotics*, chapters 3 and 8.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, alike, vector
from visviva.space.rotations import cross, skew


def ad(V: Any) -> Array:
    """The matrix ad_V with ad_V W = V × W for twists; wrenches change by -ad_Vᵀ."""
    w, v = skew(V[:3]), skew(V[3:])
    return np.block([[w, np.zeros((3, 3))], [v, w]])


def cross_motion(V: Any, W: Any) -> Array:
    """V × W for twists: how W changes when it is carried along with V."""
    w, v = V[:3], V[3:]
    return np.concatenate([cross(w, W[:3]), cross(w, W[3:]) + cross(v, W[:3])])


def cross_force(V: Any, F: Any) -> Array:
    """V ×* F: how a wrench changes when it is carried along with V."""
    w, v = V[:3], V[3:]
    return np.concatenate([cross(w, F[:3]) + cross(v, F[3:]), cross(w, F[3:])])


def spatial_inertia(mass: Any, com: Any, tensor: Any) -> Array:
    """The 6 × 6 inertia about the origin of a frame, from the tensor about the centre of mass."""
    mass, com, tensor, one = alike(mass, com, tensor, np.eye(3))
    C = skew(com)
    return np.block([[tensor - (C @ C) * mass, C * mass], [-C * mass, one * mass]])


def point_wrench(force: Any, at: Any) -> Array:
    """The wrench of a force at a point."""
    return np.concatenate([cross(at, force), vector(force)])


def point_velocity(V: Any, at: Any) -> Array:
    """The velocity of a point of a body that moves with twist V."""
    return vector(V[3:]) + cross(V[:3], at)
