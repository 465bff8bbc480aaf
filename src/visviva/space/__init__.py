"""Rotations, poses, Euler angles, twists and wrenches, over any scalar.

`vv.space.about_axis`, `quaternion`, `euler_matrix`, `skew` and the like take arrays of floats, of
SymPy expressions or of traced scalars alike. Rotations and poses both have `exp` and `log`:
`vv.space.rotations.exp` takes a rotation vector, `vv.space.poses.exp` a twist.

    series     Functions with a removable singularity at angle zero
    rotations  Matrices, rotation vectors, quaternions (x, y, z, w)
    euler      Euler angles in all 24 conventions
    pictures   Frames and Euler angles as pictures
    poses      Where one frame is, seen from another
    spatial    Twists (ω, v), wrenches (moment, force), and what acts on them

Examples:
    >>> import numpy as np
    >>> import visviva as vv
    >>> R = vv.space.euler_matrix([0.1, 0.2, 0.3], "ZYX")
    >>> bool(np.allclose(vv.space.rotations.exp(vv.space.rotations.log(R)), R))
    True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.doors import door

if TYPE_CHECKING:
    from visviva.space import euler as euler
    from visviva.space import pictures as pictures
    from visviva.space import poses as poses
    from visviva.space import rotations as rotations
    from visviva.space import spatial as spatial
    from visviva.space.euler import euler_angles as euler_angles
    from visviva.space.euler import euler_matrix as euler_matrix
    from visviva.space.euler import euler_rates_matrix as euler_rates_matrix
    from visviva.space.euler import euler_singularity as euler_singularity
    from visviva.space.pictures import plot_euler as plot_euler
    from visviva.space.pictures import plot_frames as plot_frames
    from visviva.space.poses import Pose as Pose
    from visviva.space.rotations import about_axis as about_axis
    from visviva.space.rotations import cross as cross
    from visviva.space.rotations import normalised as normalised
    from visviva.space.rotations import quaternion as quaternion
    from visviva.space.rotations import quaternion_exp as quaternion_exp
    from visviva.space.rotations import quaternion_inverse as quaternion_inverse
    from visviva.space.rotations import quaternion_log as quaternion_log
    from visviva.space.rotations import quaternion_matrix as quaternion_matrix
    from visviva.space.rotations import quaternion_product as quaternion_product
    from visviva.space.rotations import quaternion_rates as quaternion_rates
    from visviva.space.rotations import skew as skew
    from visviva.space.rotations import unskew as unskew
    from visviva.space.spatial import ad as ad
    from visviva.space.spatial import cross_force as cross_force
    from visviva.space.spatial import cross_motion as cross_motion
    from visviva.space.spatial import point_velocity as point_velocity
    from visviva.space.spatial import point_wrench as point_wrench
    from visviva.space.spatial import spatial_inertia as spatial_inertia

_NAMES = {
    "visviva.space.euler": "euler_angles euler_matrix euler_rates_matrix euler_singularity",
    "visviva.space.pictures": "plot_euler plot_frames",
    "visviva.space.poses": "Pose",
    "visviva.space.rotations": """about_axis cross normalised quaternion quaternion_exp
        quaternion_inverse quaternion_log quaternion_matrix quaternion_product quaternion_rates
        skew unskew""",
    "visviva.space.spatial": """ad cross_force cross_motion point_velocity point_wrench
        spatial_inertia""",
}
_WHERE = {name: module for module, names in _NAMES.items() for name in names.split()}
_WHERE |= {module.rpartition(".")[2]: f"{module}:" for module in _NAMES}

__getattr__, __dir__ = door("visviva.space", _WHERE, globals())
