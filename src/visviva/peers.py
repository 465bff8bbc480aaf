"""Names of other libraries for robots, and the lines that do the same here.

Names are words_of_a_name of nameOfWords, without get, compute, update and mj. `describe/words.py`
has those of all kinds of systems, and these.
"""

from __future__ import annotations

_FRAME = "with_frame('tcp', [0, 0, 0.1], on={frame!r})"
_ARMATURE = "with_parameters(armature_{joint}=0.1)"
_CODE = 'inverse_dynamics.c_source("inverse_dynamics")'
_RATE = "jacobian_rate({frame!r})(q, v)  # rows (ω, v)"
_OF_JOINT = "jacobian({body!r})(q)  # rows (ω, v), of the body of the joint"
NAMES_OF_PINOCCHIO = {
    "generalized_gravity": "gravity_forces(q)",
    "static_torque": "gravity_forces(q)  # with loads, model.statics(q, wrenches)",
    "minverse": "mass_matrix_inverse(q)",
    "jacobian_center_of_mass": "center_of_mass_jacobian(q)",
    "centroidal_map": "centroidal_matrix(q)  # rows: moment, force",
    "frame_acceleration": "acceleration({frame!r}, reference='body')(q, v, a)  # angular, linear",
    "frame_classical_acceleration": "acceleration({frame!r})(q, v, a)  # angular, linear",
    "frames_forward_kinematics": "frame_pose({frame!r}, q)",
    "joint_torque_regressor": "regressor(q, v, a)",
    "joint_jacobian": _OF_JOINT,
    "joint_jacobians_time_variation": _RATE,
    "frame_jacobian_time_variation": _RATE,
    "all_terms": "mass_matrix(q), model.bias_forces(q, v)  # and so on, each by itself",
    "LOCAL": "jacobian({frame!r}, reference='body')(q)  # rows (ω, v)",
    "WORLD": "jacobian({frame!r}, reference='space')(q)  # rows (ω, v)",
    "LOCAL_WORLD_ALIGNED": "jacobian({frame!r}, reference='world')(q)  # rows (ω, v)",
    "exp3": "vv.space.rotations.exp([0.1, 0.2, 0.3])",
    "log3": "vv.space.rotations.log(vv.space.euler_matrix([0.3, 0.2, 0.1], 'ZYX'))",
    "exp6": "vv.space.poses.exp([0.1, 0.2, 0.3, 0, 0, 1])",
    "log6": "vv.space.poses.log(vv.Pose(p=[0, 0, 1]))",
    "jexp3": "vv.space.rotations.exp_derivative([0.1, 0.2, 0.3])",
    "skew": "vv.space.skew([0.1, 0.2, 0.3])",
    "exist_frame": "{frame!r} in model.frame_names",
    "exist_body_name": "{body!r} in model.body_names",
    "exist_joint_name": "{joint!r} in model.joint_names",
    "reference_configurations": "keyframes",
    "velocity_limit": "velocity_limits",
    "effort_limit": "effort_limits",
    "parents": "[b.parent for b in model.bodies]",
    "damping": "[b.damping for b in model.bodies]  # forces are model.dissipation_forces(q, v)",
    "friction": "[b.friction for b in model.bodies]  # forces are model.dissipation_forces(q, v)",
    "with_damping": "with_friction(damping={{{joint!r}: 0.1}})",
    "add_frame": _FRAME,
    "with_tool": _FRAME,
    "set_tool": _FRAME,
    "tcp": "frame_names[-1]",
    "end_effector": "frame_names[-1]",
    "with_rotor_inertia": _ARMATURE,
    "set_rotor_inertia": _ARMATURE,
    "open_viewer": "view()",
}
NAMES_OF_PINOCCHIO |= dict.fromkeys(
    ("armature", "rotor_inertia"), "[b.armature for b in model.bodies]"
)
NAMES_OF_PINOCCHIO |= dict.fromkeys(
    ("fix_joint", "lock_joint", "remove_joint"), "locked({{{joint!r}: 0.3}})"
)
NAMES_OF_PINOCCHIO |= dict.fromkeys(("export", "generate_code", "codegen", "save_c"), _CODE)
NAMES_OF_PINOCCHIO |= dict.fromkeys(
    ("clone", "copy"), "model  # itself: it never changes, others are made from it"
)
# looked for in the package
NAMES_AT_THE_DOOR = {
    "joint_model_free_flyer": 'vv.load("robot.urdf", base="free")',
    "build_model_from_mjcf": 'vv.load("robot.xml")',
    "build_model_from_urdf": 'vv.load("robot.urdf")',
    "reference_frame": "vv.Pose(R, p)  # axes of twists are reference='world', 'body', 'space'",
}
# of MuJoCo's model and data
_KEYS = "keyframes"
NAMES_OF_MUJOCO = {
    "jnt_range": "lower, model.upper",
    "qvel": "simulate(q, v, 0.01).v  # states are handed over and returned, none is kept",
    "ctrl": "forward_dynamics(q, v, tau)  # or tau= of simulate: forces are handed over",
    "qacc": "forward_dynamics(q, v, tau)",
    "qfrc_applied": "forward_dynamics(q, v, tau)",
    "qfrc_inverse": "inverse_dynamics(q, v, a)",
    "qfrc_bias": "without_dissipation().bias_forces(q, v)",
    "qfrc_passive": "dissipation_forces(q, v)  # there they are minus these",
    "full_m": "mass_matrix(q)",
    "dof_armature": "[b.armature for b in model.bodies]",
    "dof_damping": "[b.damping for b in model.bodies]",
    "dof_frictionloss": "[b.friction for b in model.bodies]",
    "geom": "bodies[{body!r}].visuals",
    "site": "frame({frame!r})",
    "site_xmat": "frame_pose({frame!r}, q).R",
    "xquat": "frame_pose({frame!r}, q).R  # vv.space.quaternion(R) has the scalar last",
    "subtree_com": "center_of_mass(q)",
    "jac_site": "jacobian({frame!r})(q)  # rows (ω, v), in world axes",
    "jac_body": "jacobian({body!r})(q)  # rows (ω, v), in world axes",
    "nbody": "len(model.bodies)",
    "njnt": "len(model.joint_names)",
    "key": _KEYS,
    "key_qpos": _KEYS,
    "launch_passive": "view()",
}
