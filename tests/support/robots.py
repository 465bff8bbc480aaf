"""Real robots, and how our numbers correspond to Pinocchio's.

| joint      | our q                | Pinocchio's q        | our v | Pinocchio's v |
|------------|----------------------|----------------------|-------|---------------|
| free       | quaternion, position | position, quaternion | ω, v  | v, ω          |
| planar (z) | angle, x, y          | x, y, cos, sin       | ω, v  | v, ω          |
| continuous | angle                | cos, sin             | same  | same          |
| others     | q                    | q                    | same  | same          |

Quaternions are (x, y, z, w) in both.
Pinocchio calls the free joint of the base "root_joint", as we do, orders joints as we do, and puts
the linear part of spatial vectors first. It ignores the axis of planar joints: they must have z.
For the free base it writes "no limit" as the largest float.
"""

import sysconfig
from pathlib import Path

import numpy as np

from visviva.describe.free_joints import Free, Planar

FOLDER = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data"
ROBOTS = sorted(FOLDER.rglob("robots/**/*.urdf"))
NAMELESS = FOLDER / "robots/ur_description/urdf/ur3.urdf"  # <robot> without a name or links
DANGLING = FOLDER / "robots/alex_description/urdf/alex_psyonic_hands.urdf"  # mimic of no joint


def robot(name):
    """The path of a robot by the end of its path."""
    (path,) = [p for p in ROBOTS if str(p).endswith("/" + name)]
    return path


def peer_q(model, peer, q):
    """Our position as Pinocchio has it."""
    made = np.full(peer.nq, np.nan)
    for b, part in own_parts(model, model.q_index):
        j = peer.joints[peer.getJointId(b.joint_name)]
        x = q[part]
        if isinstance(b.joint, Free):
            x = [*x[4:], *x[:4]]
        elif isinstance(b.joint, Planar):
            x = [x[1], x[2], np.cos(x[0]), np.sin(x[0])]
        elif j.nq == 2:
            x = [np.cos(x[0]), np.sin(x[0])]
        made[j.idx_q : j.idx_q + j.nq] = x
    return made


def peer_v(model, peer, v):
    """Our velocity (or joint forces) as Pinocchio has them."""
    made = np.full(peer.nv, np.nan)
    for b, part in own_parts(model, model.v_index):
        j = peer.joints[peer.getJointId(b.joint_name)]
        x = v[part]
        if isinstance(b.joint, Free):
            x = [*x[3:], *x[:3]]
        elif isinstance(b.joint, Planar):
            x = [x[1], x[2], x[0]]
        made[j.idx_v : j.idx_v + j.nv] = x
    return made


def peer_inertia(inertia):
    """A Pinocchio inertia as our 6 × 6 matrix, angular part first."""
    M = inertia.matrix()
    return np.block([[M[3:, 3:], M[3:, :3]], [M[:3, 3:], M[:3, :3]]])


def own_parts(model, index):
    """Bodies with coordinates of their own, and where these are."""
    return [(b, index[i]) for i, b in enumerate(model.bodies) if b.mimic is None]


def all_poses(model, q):
    """The pose matrices of all bodies and frames in the world."""
    bodies = model.body_poses(q)
    made = {b.name: X.matrix() for b, X in zip(model.bodies, bodies, strict=True)}
    for f in model.frames:
        X = f.placement if f.body < 0 else bodies[f.body] @ f.placement
        made[f.name] = X.matrix()
    return made


def center_of_mass(model, q):
    """Of all that moves."""
    poses = model.body_poses(q)
    first = sum(
        b.inertia.mass * X.apply(b.inertia.com) for b, X in zip(model.bodies, poses, strict=True)
    )
    return first / model.mass
