"""What others call the keys of mechanism files, by table, and what is written here."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from visviva.describe.bodies.validity import PLANE
from visviva.errors import ArgumentError, InertiaError


def _meant(rows: dict[str, str]) -> dict[str, str]:
    """What is written here, by each of the words of a row."""
    return {word: here for words, here in rows.items() for word in words.split()}


# what others call keys, in lower case, by the table in which they do: what is written here
_PLACE = _meant({"pos position origin xyz offset location": "write at = [x, y, z]"})
_PLACE |= _meant({"rpy orientation angle euler": "write rotation = { rpy = [0, 0, 'pi/6'] }"})
_MASS = "write inertia = { mass = 2.0, com = [0.1, 0, 0], moments = [0.02, 0.03, 0.04] }"
_MOMENTS = "write moments = [Ixx, Iyy, Izz]; of a plate in the plane of x, y [I/2, I/2, I]"
_ENDS = "write from = 'world' and to = 'rod', or from = { frame = 'rod', at = [0, 0, 1] }"
_FRAMES = "write frame1 = 'rod' and frame2 = 'world', with joint = 'revolute'"
_MOTOR = "write [[actuator]] with kind = 'motor' and joint"
_LOAD = (
    "loads are no part of a mechanism: give them to what needs them, "
    "model.driving_torque(joint, wrenches={frame: [mx, my, mz, fx, fy, fz]}); "
    "what is pushed by a motor has [[actuator]]"
)
_LENGTH = (
    "it has none: bodies and frames on it stand at = [l, 0, 0], and a rod's inertia is "
    "{ solid = 'rod', mass = 1.0, length = 'l', axis = 'x', at = ['l/2', 0, 0] }"
)
_LAW = (
    "with the force F at the length l, rest = 'l - F/k'; laws of force are "
    "stiffness = { force = 'k*e^3', values = { k = 100 } }"
)
KEYS_OF_OTHERS = {
    "": _meant(
        {
            "link links segment rigid_body": "write [[body]]",
            "joint joints": "a joint is stated with the body that it carries: joint = 'revolute'",
            "loop loops closure pin pins": "write [[constraint]] with frame1, frame2, joint",
            "gear gears coupling mimic": "write [[constraint]] with formula = 'q2 + 3*q1'",
            "drive drives motor motors input": _MOTOR,
            "damper dampers": "write [[spring]] with stiffness = 0, rest = 0 and damping",
            "unit units": "numbers are in SI units, angles in radians: '30*pi/180'",
            "ground world fixed": "write base = { name = 'ground' }",
            "point points marker markers site": "write [[frame]] with name, body and at",
            "variables constants params values": "write [parameters]",
            "force forces load loads wrench": _LOAD,
            "initial start state q0": "write [keyframes] with home = [0.3, 0]",
            "title model robot mechanism": "write name = '…'",
        }
    ),
    "body": _PLACE
    | _meant(
        {
            "mass m com density moments izz tensor": _MASS,
            "length l": _LENGTH,
            "type kind joint_type": "write joint = 'revolute'",
            "damper viscous c": "write damping = 0.1",
            "stiffness spring k": "write [[spring]] with joint, stiffness and rest",
            "limit range lower upper min max": "write limits = [lower, upper]",
            "passive": "write passive = ['…'], joints, at the top of the file",
            "motor actuator drive driven": _MOTOR,
            "q0 initial q": "write [keyframes] with home = [0.3, 0]",
        }
    ),
    "inertia": _PLACE
    | _meant(
        {
            "i j ixx iyy izz inertia moment matrix": _MOMENTS,
            "m": "write mass = 2.0",
            "cg cog center centre center_of_mass": "write com = [x, y, z]",
        }
    ),
    "spring": _meant(
        {
            "k rate constant": "write stiffness = 100",
            "free_length rest_length natural_length length l0 l": "write rest = 0.3",
            "c b d damper": "write damping = 5",
            "preload force tension": _LAW,
            "body1 body2 frame1 frame2 bodies frames between points": _ENDS,
        }
    ),
    "constraint": _meant(
        {
            "distance": "write joint = 'distance' with length = 0.3",
            "bodies frames between body1 body2 links from to": _FRAMES,
            "type kind closure": "write joint = 'revolute', or another closure",
            "equation expression ratio joints": "write formula = 'q2 + 3*q1'",
        }
    ),
    "frame": _PLACE | _meant({"parent link on": "write body = 'rod'"}),
    "visual": _PLACE | _meant({"shape type geometry": "write kind = 'box'"}),
    "actuator": _meant(
        {
            "type": "write kind = 'motor', 'thruster' or 'couple'",
            "speed max_speed speed_limit omega": "write velocity = 2.0 in the [[body]] whose "
            "joint it drives; how fast it goes is asked, model.driving_torque(joint, speed=2.0)",
            "effort torque force max_torque": "write limits = [-10, 10]",
            "ratio gear_ratio": "write gear = 50",
        }
    ),
}


def in_files(made: Callable[..., Any], *given: Any) -> Any:
    """What a call makes of it; what is no inertia is refused with what is written in files."""
    try:
        return made(*given)
    except InertiaError as error:
        said = str(error).replace("checked=False", "checked = false")
        raise InertiaError(said.replace(PLANE, "moments = [I/2, I/2, I]")) from None


def check_gravity(x: Any) -> None:
    """Refuse a number or a direction, with the vector that is meant."""
    if isinstance(x, list):
        return
    along = re.fullmatch(r"([-+]?)([xyz])", x.lower()) if isinstance(x, str) else None
    if along:
        size = "-9.81" if along[1] == "-" else "9.81"
        meant = f"[{', '.join(size if a == along[2] else '0' for a in 'xyz')}]"
    elif isinstance(x, (int, float)) and not isinstance(x, bool):
        meant = f"[0, 0, {-abs(x) or 0:g}], or down along y [0, {-abs(x) or 0:g}, 0]"
    else:
        meant = "[0, 0, -9.81]"
    raise ArgumentError(f"expected an array of 3 numbers, got {x!r:.60}: write {meant}")
