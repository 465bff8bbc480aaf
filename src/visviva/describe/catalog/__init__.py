"""Mechanisms by name: functions that take their parameters by keyword.

They return a `Model`, or a `Lagrangian` where the mechanism is stated by its energies.

    entry          How a mechanism enters the catalogue
    energies       Mechanisms stated by their energies
    small_motions  Systems whose small motions are of a kind of their own
    wheels         Wheels, discs and blades on a plane, by their energies
    planar         Arms and bodies in the vertical plane
    robots         Industrial robots with published data
    spatial        Single bodies, arms in space and the arm types named after their workspace
    linkages       Linkages in the vertical plane: four-bar, slider-crank and others
    squeezer       Andrews' squeezer
    parallel       Parallel robots: a platform on several legs
    bicycle        The bicycle of Whipple with the numbers of the benchmark
    spatial_loops  Loops in space: Bennett, Bricard, a governor, a leg
    kinds          Mechanisms of the catalogue by kind, as a person looks for them

Examples:
    >>> from visviva.describe import catalog
    >>> catalog.rp_arm(m1=2.0).parameters["m1"]
    2.0
    >>> print(catalog.describe("polar_point").splitlines()[1])
    parameters: m = 1
"""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any

from visviva.describe.catalog.bicycle import bicycle
from visviva.describe.catalog.energies import (
    bead_on_rotating_wire,
    charged_particle,
    euler_body,
    heavy_top,
    point_on_circle,
    point_on_sphere,
    relativistic_particle,
    rotating_frame_particle,
    spherical_pendulum,
)
from visviva.describe.catalog.entry import ENTRIES, Entry
from visviva.describe.catalog.linkages import (
    five_bar,
    four_bar,
    n_four_bar,
    parallel_cranks,
    slider_crank,
)
from visviva.describe.catalog.parallel import delta, stewart
from visviva.describe.catalog.planar import (
    acrobot,
    cart_pole,
    pendulum,
    planar_3r,
    planar_body,
    polar_point,
    pr_arm,
    rp_arm,
    rp_arm_thrusters,
    rpr_arm,
    two_link,
)
from visviva.describe.catalog.robots import puma560, stanford
from visviva.describe.catalog.small_motions import follower_column, gyroscope, rotor_on_springs
from visviva.describe.catalog.spatial import (
    articulated,
    cartesian,
    craig_6_5,
    cylindrical,
    human_arm,
    mobile_manipulator,
    scara,
    spatial_3r,
    spherical,
    tumbling_body,
)
from visviva.describe.catalog.spatial_loops import (
    bennett,
    bird_leg,
    bricard,
    flyball_governor,
    spatial_slider_crank,
)
from visviva.describe.catalog.squeezer import andrews
from visviva.describe.catalog.wheels import (
    chaplygin_sleigh,
    differential_drive,
    knife_edge,
    rolling_disc,
    unicycle,
)
from visviva.errors import ArgumentError, UnknownMechanismError

# robots that their makers or others describe in URDF
_SOLD = "ur[0-9]|panda|franka|fr3|iiwa|kuka|kinova|gen[23]|jaco|sawyer|baxter|abb|irb|xarm|fanuc"
_SOLD += "|go[12]|a1|anymal|spot|aliengo|laikago|cassie|atlas|talos|h1|g1|nao|solo|tiago|fetch|pr2"

__all__ = [
    "acrobot",
    "andrews",
    "articulated",
    "bead_on_rotating_wire",
    "bennett",
    "bicycle",
    "bird_leg",
    "bricard",
    "build",
    "cart_pole",
    "cartesian",
    "chaplygin_sleigh",
    "charged_particle",
    "craig_6_5",
    "cylindrical",
    "delta",
    "describe",
    "differential_drive",
    "euler_body",
    "five_bar",
    "flyball_governor",
    "follower_column",
    "four_bar",
    "gyroscope",
    "heavy_top",
    "human_arm",
    "knife_edge",
    "mobile_manipulator",
    "n_four_bar",
    "names",
    "parallel_cranks",
    "pendulum",
    "planar_3r",
    "planar_body",
    "point_on_circle",
    "point_on_sphere",
    "polar_point",
    "pr_arm",
    "puma560",
    "relativistic_particle",
    "rolling_disc",
    "rotating_frame_particle",
    "rotor_on_springs",
    "rp_arm",
    "rp_arm_thrusters",
    "rpr_arm",
    "scara",
    "slider_crank",
    "spatial_3r",
    "spatial_slider_crank",
    "spherical",
    "spherical_pendulum",
    "stanford",
    "stewart",
    "tumbling_body",
    "two_link",
    "unicycle",
]


def names() -> tuple[str, ...]:
    """All mechanisms, in alphabetical order."""
    return tuple(sorted(ENTRIES))


def describe(name: str) -> str:
    """What a mechanism is, its parameters with their values, and its source."""
    return str(_entry(name))


def build(name: str, **parameters: Any) -> Any:
    """A mechanism by its name: `build("rp_arm", m1=2.0)` is `rp_arm(m1=2.0)`."""
    return _entry(name).make(**parameters)


def _entry(name: str) -> Entry:
    if name not in ENTRIES:
        raise _unknown(name)
    return ENTRIES[name]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise _unknown(name)


def _unknown(name: object) -> UnknownMechanismError:
    """With the way to robots that come as files."""
    lower = str(name).lower()
    sold = re.match(_SOLD, lower)
    line, way = f"vv.load({lower + '.urdf'!r})", "robots come as files"
    return UnknownMechanismError(
        "mechanism", name, names(), way if sold else None, cure=line if sold else ""
    )


class _Catalog(ModuleType):
    """This module, which says what is asked instead where it is taken for a list."""

    def __getitem__(self, name: Any) -> Any:
        there = (
            f"vv.catalog.{_entry(name).name}()" if isinstance(name, str) else "vv.catalog.names()"
        )
        raise ArgumentError("the catalog is no list, it has functions", cure=there)

    def __len__(self) -> int:
        raise ArgumentError("the catalog is no list", cure="len(vv.catalog.names())")

    def __contains__(self, name: object) -> bool:
        raise ArgumentError("the catalog is no list", cure=f"{name!r} in vv.catalog.names()")

    def __bool__(self) -> bool:
        return True


sys.modules[__name__].__class__ = _Catalog
