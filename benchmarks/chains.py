"""A realistic computation of any size: joint torques of a chain of bodies, all axes parallel or
crossed at right angles, written down directly from Newton and Euler."""

import numpy as np

from visviva.algebra.generic import sincos

TURN = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def cross(a, b):
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def torques(links, seed=0):
    """The function (q, v, a) -> torques."""
    rng = np.random.default_rng(seed)
    offset, centre = rng.normal(size=(links, 3)), 0.1 * rng.normal(size=(links, 3))
    mass = rng.uniform(1, 2, links)
    roots = rng.normal(size=(links, 3, 3))
    inertia = roots @ roots.transpose(0, 2, 1)
    z = np.array([0.0, 0.0, 1.0])

    def f(q, v, a):
        omega, alpha, acceleration = np.zeros(3), np.zeros(3), np.array([0.0, 0.0, 9.81])
        rotations, forces, moments = [], [], []
        for i in range(links):
            s, c = sincos(q[i])
            spin = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]], dtype=object)
            R = (TURN if i % 2 else np.eye(3)) @ spin
            acceleration = R.T @ (
                acceleration + cross(alpha, offset[i]) + cross(omega, cross(omega, offset[i]))
            )
            carried = R.T @ omega
            alpha = R.T @ alpha + z * a[i] + cross(carried, z * v[i])
            omega = carried + z * v[i]
            at_centre = (
                acceleration + cross(alpha, centre[i]) + cross(omega, cross(omega, centre[i]))
            )
            rotations.append(R)
            forces.append(mass[i] * at_centre)
            moments.append(inertia[i] @ alpha + cross(omega, inertia[i] @ omega))
        tau, force, moment = [0.0] * links, np.zeros(3), np.zeros(3)
        for i in reversed(range(links)):
            if i + 1 < links:
                force, moment = rotations[i + 1] @ force, rotations[i + 1] @ moment
                moment = moment + cross(offset[i + 1], force)
            moment = moment + moments[i] + cross(centre[i], forces[i])
            force = force + forces[i]
            tau[i] = moment[2]
        return tau

    return f


def shapes(links):
    return {"q": links, "v": links, "a": links}
