"""Names of MuJoCo's model and data, without mj, and our lines."""

from __future__ import annotations

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
