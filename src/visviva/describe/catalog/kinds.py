"""Mechanisms of the catalogue by kind, as a person looks for them; what their parameters are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from visviva.describe.catalog.entry import ENTRIES, Entry
from visviva.describe.values import digest
from visviva.errors import VisvivaError

GROUPS: Mapping[str, tuple[str, ...]] = {
    kind: tuple(names.split())
    for kind, names in {
        "arms": "two_link rp_arm rp_arm_thrusters pr_arm rpr_arm planar_3r craig_6_5 spatial_3r "
        "articulated cartesian cylindrical spherical scara human_arm mobile_manipulator puma560 "
        "stanford",
        "pendulums": "pendulum cart_pole acrobot spherical_pendulum",
        "linkages": "four_bar slider_crank five_bar parallel_cranks n_four_bar andrews bennett "
        "bricard spatial_slider_crank flyball_governor bird_leg",
        "parallel robots": "delta stewart",
        "wheels and blades": "knife_edge rolling_disc unicycle differential_drive "
        "chaplygin_sleigh bicycle",
        "single bodies": "planar_body tumbling_body euler_body heavy_top gyroscope",
        "particles": "polar_point point_on_circle point_on_sphere bead_on_rotating_wire "
        "rotating_frame_particle charged_particle relativistic_particle",
        "shafts and columns": "rotor_on_springs follower_column",
    }.items()
}

# where formulas and places do not tell it in words that a person would use
PARAMETERS: Mapping[str, Mapping[str, str]] = {
    "heavy_top": {
        "M": "mass of the top",
        "l": "distance of its centre of mass from the tip",
        "I1": "moment of inertia about an axis across its own, through the tip",
        "I3": "moment of inertia about its own axis",
    },
    "knife_edge": {
        "m": "mass of the blade",
        "I": "moment of inertia about the vertical through its centre of mass",
    },
    "four_bar": {
        "l0": "distance of the ground pivots",
        "l1": "length of the crank",
        "l2": "length of the coupler",
        "l3": "length of the rocker",
    },
    "slider_crank": {"l1": "length of the crank", "l2": "length of the rod"},
}


def kinds() -> dict[str, tuple[str, ...]]:
    """The names of the catalogue under headings; what has none is under "others"."""
    known = {name for names in GROUPS.values() for name in names}
    others = tuple(sorted(ENTRIES.keys() - known))
    return {**GROUPS, **({"others": others} if others else {})}


def made_with(system: Any) -> tuple[Entry, dict[str, Any]] | None:
    """The entry of the catalogue that makes a system, and what is said to it; else None."""
    entry = ENTRIES.get(system.name)
    if entry is None:
        return None
    for n in (None, system.nv, (system.nv - 1) // 2):  # of rows of n links, and of n loops
        said: dict[str, Any] = {} if n is None else {"n": n}
        try:
            known = entry.make(**said).parameters
            said |= {k: x for k, x in system.parameters.items() if known[k] != x}
            if digest(entry.make(**said)) == digest(system):
                return entry, said
        except (VisvivaError, KeyError, TypeError, ValueError):
            continue
    return None


def python_line(system: Any) -> str:
    """The call that makes a system of the catalogue; "" of others."""
    found = made_with(system)
    said = ", ".join(f"{k}={x!r}" for k, x in found[1].items()) if found else ""
    return f"vv.catalog.{system.name}({said})" if found else ""


def sentence(system: Any) -> str:
    """What the catalogue says of a system, with its number in place of n; "" of others."""
    found = made_with(system)
    if found is None:
        return ""
    entry, said = found
    n = said.get("n", entry.options.get("n"))
    if n is None:
        return entry.line
    if n == 1:  # of which sentences about many do not speak
        return ""
    counted = re.sub(r"\bn\b(?! [+-])", str(n), entry.line)
    counted = re.sub(r"\bn \+ 1\b", str(n + 1), counted)
    return re.sub(r"\b([a-z])1 … \1n\b", rf"\g<1>1{',' if n == 2 else ' …'} \g<1>{n}", counted)
