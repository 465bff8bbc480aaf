"""What other libraries call it: words that are not ours, and the lines that do the same here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar

POSE = "frame_pose({frame!r}, q)"
MASS, WEIGHT, BIAS = "mass_matrix(q)", "gravity_forces(q)", "bias_forces(q, v)"
LOAD = "attached(vv.Inertia.point(2.0), {frame!r}, prefix='load')"
INVERSE, FORWARD = "inverse_dynamics(q, v, a)", "forward_dynamics(q, v, tau)"
WORDS = {
    "forward_kinematics": POSE,
    "fk": POSE,
    "fkine": POSE,
    "frame_placement": POSE,
    "rnea": f"without_dissipation().{INVERSE}",
    "id": INVERSE,
    "aba": f"without_dissipation().{FORWARD}",
    "fd": FORWARD,
    "crba": MASS,
    "inertia_matrix": MASS,
    "nle": f"without_dissipation().{BIAS}",
    "nonlinear_effects": f"without_dissipation().{BIAS}",
    "gravity_vector": WEIGHT,
    "gravity_compensation": WEIGHT,
    "gravload": WEIGHT,
    "linearise": 'linearize(q, tau="hold")',
    "dof": "nv",
    "ndof": "nv",
    "num_joints": "nv",
    "draw": "picture(q)",
    "svg": "picture(q).svg",
    "animate": "simulate(q, v, t).animate()",
    "payload": LOAD,
    "with_payload": LOAD,
    "add_payload": LOAD,
    "with_body": LOAD,
    "with_inertia": LOAD,
    "attach": LOAD,
    "ik": "inverse_kinematics({frame!r}, model.frame_pose({frame!r}, q))",
    "ikine": "inverse_kinematics({frame!r}, model.frame_pose({frame!r}, q))",
    "com": "center_of_mass(q)",
    "total_mass": "mass",
    "random_configuration": "random()",
    "within_limits": "lower <= q, q <= model.upper",
    "move": "integrate(q, v)",
    "without_gravity": "with_gravity([0, 0, 0])",
    "spring_forces": WEIGHT,
    "balance": "statics(q)",
    "lqr": 'linearize(q, tau="hold").state_space()',
    "joints": "joint_names",
    "names": "joint_names",
    "natural_frequencies": 'linearize(q, tau="hold").modes',
    "frequencies": 'linearize(q, tau="hold").modes',
}
SOURCE = 'inverse_dynamics.c_source("inverse_dynamics")'
WORDS |= dict.fromkeys(("c_source", "to_c", "c_code", "generate_c", "export_c"), SOURCE)
WORDS |= dict.fromkeys(("limits", "joint_limits", "position_limits", "range"), "lower, model.upper")
WORDS |= dict.fromkeys(("reduced", "reduced_model", "fix", "lock"), "locked({{{joint!r}: 0.3}})")
# of no method: a line on its own
WORDS |= dict.fromkeys(("save", "write", "to_toml"), 'vv.save(model, "model.toml")')
WORDS |= dict.fromkeys(("to_pinocchio", "to_urdf"), 'vv.save(model, "model.urdf")')
WORDS |= {"to_mujoco": 'vv.save(model, "model.xml")', "to_mjcf": 'vv.save(model, "model.xml")'}
PATH = ("trajectory", "quintic", "min_jerk", "minimum_jerk", "plan")
WORDS |= dict.fromkeys(PATH, "vv.Trajectory(model, t, q, v)")
_SPRING = 'vv.Builder("…").spring("coil", 100.0, joint="…")'
WORDS |= dict.fromkeys(("with_spring", "add_spring"), _SPRING)
# of a linkage that one joint drives
DEAD, DRIVE = "dead_points({joint!r})", "driving_torque({joint!r}, speed=1.0)"
TOGGLES = ("dead_centres", "dead_centers", "toggle_points", "toggles", "grashof")
WORDS |= dict.fromkeys(TOGGLES, DEAD)
TORQUES = ("input_torque", "drive_torque", "crank_torque", "mechanical_advantage")
WORDS |= dict.fromkeys(TORQUES, DRIVE)
MOTORS = ("motor_torques", "motor_torque", "motor_forces", "actuator_torques", "joint_torques")
WORDS |= dict.fromkeys(MOTORS, "actuator_forces(q, v, a)")
# of a trajectory
WORDS_OF_RUNS = {
    "to_csv": 'save("run.csv")',
    "to_netcdf": 'save("run.nc")',
    "to_npz": 'save("run.npz")',
    "to_dataframe": "to_pandas()",
    "savefig": 'plot().save("run.svg")',
    "write_html": 'plot().save("run.html")',
    "write_image": 'plot().save("run.svg")',
    "svg": "picture().svg",
    "draw": "picture()",
    "frame_pose": "system.pose({frame!r})(run.q)",
    "pose": "system.pose({frame!r})(run.q)",
    "a": "acceleration",
}
# of a linear system
WORDS_OF_LINEAR = {
    "poles": "eigenvalues",
    "eigvals": "eigenvalues",
    "frequencies": "modes",
    "natural_frequencies": "modes",
    "mode_shapes": "modes",
    "ss": "state_space()",
    "to_ss": "state_space()",
    "is_stable": "stability.status",
    "latex": "sympy.latex(sympy.Matrix(lin.A)); formulas are model.closed_form().linearized()",
}
# of a verdict
WORDS_OF_VERDICTS = {
    "to_dict": "as_dict()",
    "asdict": "as_dict()",
    "to_json": "as_dict()",
    "json": "as_dict()",
    "reason": "explanation",
    "message": "explanation",
    "verdict": "status",
    "result": "status",
    "is_right": "is_identical",
    "is_correct": "is_identical",
    "latex": "sympy.latex(verdict.missing)",
}


def not_there(
    system: Any, name: str, words: Mapping[str, str] = WORDS, called: str = "model"
) -> str:
    """What to say of an attribute that does not exist: our word for it, or the nearest name."""
    kind = type(system)
    every = {*dir(kind), *getattr(kind, "__dataclass_fields__", ())}
    there = sorted(x for x in every if not x.startswith("_"))
    said = f"a {kind.__name__} has no {name!r}"
    line = words.get(name.lower(), "")
    if line.startswith(("sympy.", "vv.")):  # what is no part of it
        return f"{said}: here it is {line}"
    if line and re.split(r"\W", line)[0] in (*there, *getattr(kind, "__dataclass_fields__", ())):
        model = getattr(system, "system", system)
        frame = ["tool", *model.frame_names][-1] if "{frame" in line else ""
        joint = [*model.joint_names, "joint"][0] if "{joint" in line else ""
        return f"{said}: here it is {called}.{line.format(frame=frame, joint=joint)}"
    close = get_close_matches(name, there, n=1)
    return said + (f"; did you mean {close[0]!r}?" if close else "")


class Worded:
    """A value that says of what it has not which line does the same here."""

    _words: ClassVar[Mapping[str, str]] = {}
    _called: ClassVar[str] = ""  # as people call such a value

    if not TYPE_CHECKING:  # type checkers shall see what is not there

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name in dir(type(self)) or name in self.__dataclass_fields__:
                return object.__getattribute__(self, name)  # its own error
            raise AttributeError(not_there(self, name, self._words, self._called))
