"""Parallel robots: platforms on six legs, Delta robots, five-bar linkages.

- Platforms: `platform_poses` are all poses that six lengths of legs admit, each proved, and
  `assembly_modes` those of a model with six sliding legs; `leg_lengths` and `leg_jacobian` lead
  back.
- Delta robots: `delta_tips` for angles of the arms, `delta_angles` for positions of the tip.
- Five-bar linkages: `five_bar_tips` for angles of the cranks, `five_bar_cranks` back.

Examples:
    >>> import numpy as np
    >>> import visviva as vv
    >>> turns = np.arange(6) * np.pi / 3
    >>> base = np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1)
    >>> vv.parallel.leg_lengths(base, base, np.eye(4)).round(3)
    array([0., 0., 0., 0., 0., 0.])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.doors import door

if TYPE_CHECKING:
    from visviva.solve.elimination.parallel_arms import delta_angles as delta_angles
    from visviva.solve.elimination.parallel_arms import delta_tips as delta_tips
    from visviva.solve.elimination.parallel_arms import five_bar_cranks as five_bar_cranks
    from visviva.solve.elimination.parallel_arms import five_bar_tips as five_bar_tips
    from visviva.solve.elimination.stewart import PlatformPoses as PlatformPoses
    from visviva.solve.elimination.stewart import assembly_modes as assembly_modes
    from visviva.solve.elimination.stewart import leg_jacobian as leg_jacobian
    from visviva.solve.elimination.stewart import leg_lengths as leg_lengths
    from visviva.solve.elimination.stewart import platform_poses as platform_poses

_NAMES = {
    "visviva.solve.elimination.parallel_arms": """delta_angles delta_tips five_bar_cranks
        five_bar_tips""",
    "visviva.solve.elimination.stewart": """PlatformPoses assembly_modes leg_jacobian leg_lengths
        platform_poses""",
}
_WHERE = {name: module for module, names in _NAMES.items() for name in names.split()}

__getattr__, __dir__ = door("visviva.parallel", _WHERE, globals())
