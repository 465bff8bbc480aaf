"""What people look for in the package itself: where it is, or the line that does the same."""

from __future__ import annotations

import re

from visviva import space
from visviva.algebra import generic
from visviva.describe import catalog
from visviva.describe.calls import READ, READ_RUN, WORDS_OF_CLASSES
from visviva.describe.model.model import Model
from visviva.describe.others import ELSEWHERE, bare_name, line_of, plain_name
from visviva.describe.words import CONSERVED, WORDS
from visviva.peers import NAMES_AT_THE_DOOR

HAND = 'vv.Builder("arm").body("link", joint="revolute")'
ROBOTS = "robot robot_model robot_wrapper mechanism mj_model erobot"
WORDS_AT_THE_DOOR = {k: x for k, x in WORDS_OF_CLASSES.items() if k != "load"}  # which is there
WORDS_AT_THE_DOOR |= dict.fromkeys(ROBOTS.split(), READ)
MOTIONS = "load_run read_trajectory read_run load_motion open_trajectory from_npz load_npz load_csv"
WORDS_AT_THE_DOOR |= dict.fromkeys(MOTIONS.split(), READ_RUN)
BUILDERS = "body link joint revolute prismatic rigid_body_tree rigid_body system add_body pin_joint"
BUILDERS += " revolute_joint joint_model_rx joint_model_rz"
WORDS_AT_THE_DOOR |= dict.fromkeys(BUILDERS.split(), HAND)
WORDS_AT_THE_DOOR |= dict.fromkeys(
    ("dhrobot", "serial_link", "dh", "revolute_dh", "dhlink"),
    'vv.from_dh(rows, convention="standard")',
)
WORDS_AT_THE_DOOR |= dict.fromkeys(
    ("lagranges_method", "kanes_method", "euler_lagrange", "lagrange"), "vv.Lagrangian(q, T, V)"
)
WORDS_AT_THE_DOOR |= dict.fromkeys(("se3", "transform", "transl", "frame"), "vv.Pose(R, p)")
WORDS_AT_THE_DOOR |= dict.fromkeys(
    ("spring", "damper"), 'vv.Builder("…").spring("coil", 100.0, joint="…")'
)
WORDS_AT_THE_DOOR |= {
    "rpy": 'vv.space.euler_matrix(rpy, "xyz")',
    "rotation": "vv.Pose.rotation(axis, angle)",
    "rotx": "vv.Pose.rotation([1, 0, 0], angle)",
    "roty": "vv.Pose.rotation([0, 1, 0], angle)",
    "rotz": "vv.Pose.rotation([0, 0, 1], angle)",
    "so3": "vv.space.euler_matrix(angles, order)",
    "quaternion": "vv.space.quaternion(R)",
    "rpy2r": 'vv.space.euler_matrix(rpy, "xyz")',
    "tr2rpy": 'vv.space.euler_angles(R, "xyz")',
    "exp3": "vv.space.rotations.exp(p)",
    "log3": "vv.space.rotations.log(R)",
    "robots": "vv.catalog.names()",
    "models": "vv.catalog.names()",
    "examples": "vv.catalog.names()",
    "version": "vv.__version__",
    "symbol": 'vv.parameters("m")',
    "point": "vv.Inertia.point(1.0)",
    "symbols": 'vv.parameters("m l")',
    "jtraj": "vv.Trajectory(model, t, q, v)  # of your samples: none are planned",
    "trotx": "vv.Pose.rotation([1, 0, 0], angle)",
    "troty": "vv.Pose.rotation([0, 1, 0], angle)",
    "trotz": "vv.Pose.rotation([0, 0, 1], angle)",
    "double_pendulum": "vv.catalog.pendulum(n=2)",
    "dynamicsymbols": 'vv.coordinates("theta")',
    "particle": "vv.Inertia.point(1.0)",
} | NAMES_AT_THE_DOOR
WORDS_ON_PAPER = dict.fromkeys(CONSERVED.split(), "vv.pencil.conserved_momenta(system)")
WORDS_ON_PAPER |= {
    "lagrangian": "vv.Lagrangian(q, T, V)",
    "routhian": "vv.pencil.conserved_momenta(system)  # p; R = L - sum of p v, these v by p",
}
WORDS_ON_PAPER |= dict.fromkeys(
    ("euler_lagrange", "lagrange", "lagranges_equations", "eom"), "vv.pencil.equations(system)"
)


def on_paper(name: str) -> str:
    """What is looked for in `vv.pencil` and is called otherwise: the line, or nothing."""
    line = line_of(name, WORDS)
    there = f"system.{line}" if line.startswith("closed_form") else ""
    return line_of(name, WORDS_ON_PAPER) or there


def at_the_door(name: str) -> str:
    """What is looked for in the package itself and is elsewhere: the line, or nothing."""
    if line := line_of(name, WORDS_AT_THE_DOOR):
        return line
    if entry := {name, plain_name(name)} & set(catalog.names()):
        return f"vv.catalog.{entry.pop()}()"
    if line := line_of(name, WORDS):
        bare = re.sub(r"\{(\w+)(?:!r)?\}", r"\1", line).replace("{{", "{").replace("}}", "}")
        return bare if line.startswith(ELSEWHERE) else f"model.{bare}"
    if name in dir(space):
        return f"vv.space.{name}"
    if getattr(vars(generic).get(name), "__module__", "") == generic.__name__:
        return f"vv.generic.{name}"
    verbs = {*dir(Model)}
    verb = next((x for x in (name, plain_name(name), bare_name(name)) if x in verbs), "")
    return verb and f"model.{verb} of model = vv.load(path)"
