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

What is computed from them:

| result             | ours                                | Pinocchio's                          |
|--------------------|-------------------------------------|--------------------------------------|
| forces, M, C, M⁻¹  | rows and columns as v               | as its v: `order`                    |
| upper triangles    | M and M⁻¹ whole                     | crba, computeMinverse: `whole`       |
| C                  | Ṁ - 2C skew                         | the same, other entries allowed:     |
|                    |                                     | only C v and C + Cᵀ = Ṁ must agree   |
| twists, momenta    | rows (ω, v); (moment, momentum)     | rows (v, ω): `ROWS`                  |
| Jacobian "body"    | the frame's axes and origin         | LOCAL                                |
| Jacobian "world"   | world axes, the frame's origin      | LOCAL_WORLD_ALIGNED                  |
| Jacobian "space"   | world axes, the world's origin      | WORLD                                |
| their columns      | as v                                | as its v: `order`                    |
| their rates        | d/dt of the entries                 | the same                             |
| regressor columns  | m mx my mz xx xy xz yy yz zz a body | m mx my mz xx xy yy xz yz zz a body: |
|                    | (tensor about the body's origin),   | `regressor_columns`                  |
|                    | then rotors, dampers, ...           | bodies only                          |
| ∂/∂q               | along motions: columns as v, a step | the same steps, columns as its v:    |
|                    | of the free joint in body axes      | `order`                              |
| energies           | V = -Σ m g·c, all that moves        | the same                             |
| centroidal momenta | about the centre of mass            | the same                             |
| damping, friction  | in τ: `without_dissipation` drops b | not in τ                             |
| coupled joints     | `mimic="expand"`: as if free        | as if free                           |

Pinocchio's zeros of the upper triangles below the diagonal mean "not computed".
"""

import sysconfig
from pathlib import Path

import numpy as np
import pinocchio as pin

from visviva.describe.files.urdf.read import load_urdf
from visviva.describe.joints.free import Free, Planar

FOLDER = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data"
ROBOTS = sorted(set(FOLDER.rglob("robots/**/*.urdf")))  # Python 3.13 finds some twice
NAMELESS = FOLDER / "robots/ur_description/urdf/ur3.urdf"  # <robot> without a name or links
DANGLING = FOLDER / "robots/alex_description/urdf/alex_psyonic_hands.urdf"  # mimic of no joint

ROWS = [3, 4, 5, 0, 1, 2]  # theirs = ours[ROWS]
REFERENCES = {"body": pin.LOCAL, "world": pin.LOCAL_WORLD_ALIGNED, "space": pin.WORLD}


def robot(name):
    """The path of a robot by the end of its path."""
    (path,) = [p for p in ROBOTS if str(p).endswith("/" + name)]
    return path


def label(path):
    """A short name that only one robot has: folder and file."""
    folder = path.relative_to(FOLDER / "robots").parts[0]
    return f"{folder.removesuffix('_description')}/{path.stem}"


def load(path, base="fixed"):
    """The robot with numbers as they are written, without friction, coupled joints set free."""
    return load_urdf(path, base=base, mimic="expand", snap=0).without_dissipation()


def load_peer(path, base="fixed"):
    """The robot as Pinocchio reads it."""
    root = [pin.JointModelFreeFlyer()] if base == "free" else []
    return pin.buildModelFromUrdf(str(path), *root)


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
        elif j.nq > b.joint.nq:
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


def order(model, peer):
    """Which of our velocities each of Pinocchio's is: theirs = ours[order]."""
    return peer_v(model, peer, np.arange(model.nv)).astype(int)


def whole(upper):
    """The symmetric matrix of which Pinocchio filled the upper triangle."""
    return np.triu(upper) + np.triu(upper, 1).T


def regressor_columns(model):
    """Which of our regressor's columns each of Pinocchio's is."""
    tensor_by_rows = np.array([0, 1, 2, 3, 4, 5, 7, 6, 8, 9])
    return np.concatenate([10 * i + tensor_by_rows for i in range(len(model.bodies))])


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
