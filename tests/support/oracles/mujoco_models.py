"""MuJoCo as the other road to positions, masses, mass matrices, forces and Jacobians.

Positions: hinges and slides have the same coordinate in both. A ball is a quaternion, w x y z in
MuJoCo, x y z w in ours. A free joint is (position, w x y z) in MuJoCo, (x y z w, position) in ours.
Velocities: hinges, slides and balls (angular velocity in body axes) are the same. A free joint is
(linear in world axes, angular in body axes) in MuJoCo, the twist (angular, linear) in body axes in
ours. Both list joints in the same order; a coupled (mimic) joint has no entry of its own in ours.
Accelerations: with T the matrix of the velocities, qvel = T v (`velocity_map`), so qacc = T a + Ṫ v
(`turning`), not T a alone. Forces: ours are Tᵀ times MuJoCo's, as powers are the same.
Mass matrix: ours is Tᵀ M T. Jacobians: MuJoCo's jacr over jacp, times T, is ours with reference
"world"; its rate is (dJ/dt) T + J Ṫ. Sites and bodies are frames.
Armature adds ½ A qvel² to the energy in both, one number for all directions of a joint, which is
the same in world and body axes.
Damping is in τ in ours and "passive" in MuJoCo. `quiet` switches off all that is not a rigid body:
constraints, springs, dampers, actuators, fluids and compensated gravity. Our readers note them.
"""

from pathlib import Path

import mujoco
import numpy as np

from visviva.describe.model.body import WORLD

FOLDER = Path(__file__).parents[2] / "describe" / "mjcf"
FREE, BALL = 0, 1
SIZE = {FREE: (7, 6), BALL: (4, 3)}


def files():
    """All test models, and those that come with MuJoCo."""
    return [*sorted(FOLDER.glob("*.xml")), *sorted(Path(mujoco.__file__).parent.rglob("*.xml"))]


def read(path):
    return mujoco.MjModel.from_xml_path(str(path))


def random_qpos(m, rng):
    """A position anywhere: turns within ±π, lengths within ±1, any quaternion."""
    qpos = rng.uniform(-1, 1, m.nq)
    for kind, a in zip(m.jnt_type, m.jnt_qposadr, strict=True):
        if kind in (FREE, BALL):
            at = a + 3 * (kind == FREE)
            q = rng.normal(size=4)
            qpos[at : at + 4] = q / np.linalg.norm(q)
        elif kind == 3:
            qpos[a] *= np.pi
    return qpos


def our_q(m, qpos, coupled=()):
    """MuJoCo's qpos in our order."""
    parts = [np.zeros(0)]
    for j, (kind, a) in enumerate(zip(m.jnt_type, m.jnt_qposadr, strict=True)):
        x = qpos[a : a + SIZE.get(int(kind), (1, 1))[0]]
        if joint_name(m, j) in coupled:
            continue
        if kind == FREE:
            x = np.concatenate([x[[4, 5, 6, 3]], x[:3]])
        elif kind == BALL:
            x = x[[1, 2, 3, 0]]
        parts.append(x)
    return np.concatenate(parts)


def velocity_map(m, d):
    """T with MuJoCo's qvel = T v, at the position in d."""
    T = np.eye(m.nv)
    for j, a in enumerate(m.jnt_dofadr):
        if m.jnt_type[j] == FREE:
            R = d.xmat[m.jnt_bodyid[j]].reshape(3, 3)
            zero = np.zeros((3, 3))
            T[a : a + 6, a : a + 6] = np.block([[zero, R], [np.eye(3), zero]])
    return T


def velocity_map_rate(m, d, v):
    """Ṫ at the position in d and our velocity v: linear parts turn with the body."""
    dT = np.zeros((m.nv, m.nv))
    for j, a in enumerate(m.jnt_dofadr):
        if m.jnt_type[j] == FREE:
            x, y, z = v[a : a + 3]
            spin = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            dT[a : a + 3, a + 3 : a + 6] = d.xmat[m.jnt_bodyid[j]].reshape(3, 3) @ spin
    return dT


def turning(m, d, v):
    """Ṫ v: what qacc has beside T a."""
    return velocity_map_rate(m, d, v) @ v


def quiet(m):
    """The same model with nothing but its rigid bodies, joints and armatures."""
    off = mujoco.mjtDisableBit
    for bit in (off.mjDSBL_CONSTRAINT, off.mjDSBL_SPRING, off.mjDSBL_DAMPER, off.mjDSBL_ACTUATION):
        m.opt.disableflags |= int(bit)
    m.opt.density = m.opt.viscosity = 0.0
    m.body_gravcomp[:] = 0.0
    return m


def at(m, qpos):
    """MuJoCo's data at a position."""
    d = mujoco.MjData(m)
    d.qpos[:] = qpos
    mujoco.mj_fwdPosition(m, d)
    return d


def moving(m, qpos, v, tau=None):
    """MuJoCo's data at a position and our velocity, after mj_forward under our forces."""
    d = at(m, qpos)
    T = velocity_map(m, d)
    d.qvel[:] = T @ v
    if tau is not None:
        d.qfrc_applied[:] = np.linalg.solve(T.T, tau)
    mujoco.mj_forward(m, d)
    return d


def bias_forces(m, d, v):
    """C v + g for our velocities: the forces at a = 0, where qacc = Ṫ v."""
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    return velocity_map(m, d).T @ (d.qfrc_bias + M @ turning(m, d, v))


def inverse_dynamics(m, d, v, a):
    """Our forces from mj_inverse."""
    T = velocity_map(m, d)
    d.qacc[:] = T @ a + turning(m, d, v)
    mujoco.mj_inverse(m, d)
    return T.T @ d.qfrc_inverse


def accelerations(m, d, v):
    """Our accelerations from the qacc of mj_forward."""
    return np.linalg.solve(velocity_map(m, d), d.qacc - turning(m, d, v))


def jacobian(m, d, kind, k):
    """Our "world" Jacobian of a body or site, angular part first."""
    linear, angular = np.zeros((2, 3, m.nv))
    {"body": mujoco.mj_jacBody, "site": mujoco.mj_jacSite}[kind](m, d, linear, angular, k)
    return np.concatenate([angular, linear]) @ velocity_map(m, d)


def jacobian_rate(m, d, v, kind, k):
    """Its rate: (dJ/dt) T + J Ṫ."""
    body, point = (k, d.xpos[k]) if kind == "body" else (m.site_bodyid[k], d.site_xpos[k])
    J, dJ = np.zeros((2, 6, m.nv))
    mujoco.mj_jac(m, d, J[3:], J[:3], point, body)
    mujoco.mj_jacDot(m, d, dJ[3:], dJ[:3], point, body)
    return dJ @ velocity_map(m, d) + J @ velocity_map_rate(m, d, v)


def body_name(m, i):
    return m.body(i).name or f"body_{i}"


def joint_name(m, j):
    return m.joint(j).name or f"joint_{j}"


def mass_matrix(m, d):
    """MuJoCo's mass matrix for our velocities."""
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    T = velocity_map(m, d)
    return T.T @ M @ T


def composite(m, d, members):
    """Mass, first moment and tensor about the world's origin of several bodies of MuJoCo."""
    mass, moment, tensor = 0.0, np.zeros(3), np.zeros((3, 3))
    for i in members:
        R, c, k = d.ximat[i].reshape(3, 3), d.xipos[i], m.body_mass[i]
        mass += k
        moment += k * c
        tensor += R @ np.diag(m.body_inertia[i]) @ R.T + k * (c @ c * np.eye(3) - np.outer(c, c))
    return mass, moment, tensor


def in_frame(mass, moment, tensor, R, p):
    """A composite seen from a frame at (R, p): mass, centre, tensor about the centre."""
    if mass == 0:
        return mass, np.zeros(3), np.zeros((3, 3))
    c = moment / mass
    central = tensor - mass * (c @ c * np.eye(3) - np.outer(c, c))
    return mass, R.T @ (c - p), R.T @ central @ R


def our_mass_matrix(model, q):
    """Σ Jᵀ G J + armature, from poses and joint subspaces."""
    M = np.zeros((model.nv, model.nv))
    poses, jacobians = model.body_poses(q), []
    for i, b in enumerate(model.bodies):
        J = np.zeros((6, model.nv))
        if b.parent != WORLD:
            J += (poses[i].inverse() @ poses[b.parent]).adjoint() @ jacobians[b.parent]
        factor = 1.0 if b.mimic is None else b.mimic.multiplier
        part = model.v_index[i]
        J[:, part] += factor * b.joint.subspace(model.local(i, q))
        M[part, part] += factor**2 * np.diag(b.armature)
        M += J.T @ b.inertia.spatial() @ J
        jacobians.append(J)
    return M
