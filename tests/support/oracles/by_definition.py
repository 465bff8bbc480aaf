"""Mass matrices, gravity forces and Jacobians by nothing but their definition: M = Σ Jᵀ G J.

The poses of the bodies are differentiated at 50 digits. With a step of 1e-16 the central difference
is exact to 1e-32; what is left of the errors is the rounding of the models' own numbers.
"""

import mpmath
import numpy as np

STEP = mpmath.mpf(10) ** -16
EXACT = 1e-13
precisely = mpmath.workdps(50)


def derivative(f, q, k):
    """∂f/∂qₖ of an array-valued function."""
    up, down = ([x + s * STEP if i == k else x for i, x in enumerate(q)] for s in (1, -1))
    return (f(up) - f(down)) / (2 * STEP)


def exact(q):
    return np.array([mpmath.mpf(float(x)) for x in q], dtype=object)


@precisely
def body_jacobians(model, q):
    """For every body the 6 × n matrix from q̇ to its twist, in body axes, for coordinate joints."""
    q = exact(q)
    poses = model.body_poses(q)
    found = [np.zeros((6, len(q)), dtype=object) for _ in poses]
    for k in range(len(q)):
        R = derivative(lambda x: np.array([X.R for X in model.body_poses(x)]), q, k)
        p = derivative(lambda x: np.array([X.p for X in model.body_poses(x)]), q, k)
        for i, X in enumerate(poses):
            W = X.R.T @ R[i]
            found[i][:, k] = [W[2, 1], W[0, 2], W[1, 0], *(X.R.T @ p[i])]
    return found


@precisely
def mass_matrix(model, q):
    model = model.numeric
    M = np.diag(np.concatenate([b.armature for b in model.bodies])).astype(object)
    for J, body in zip(body_jacobians(model, q), model.bodies, strict=True):
        M = M + J.T @ body.inertia.spatial() @ J
    return M.astype(float)


@precisely
def gravity_forces(model, q):
    model = model.numeric

    def potential(x):
        poses = model.body_poses(x)
        terms = zip(model.bodies, poses, strict=True)
        return -sum(b.inertia.mass * (model.gravity @ X.apply(b.inertia.com)) for b, X in terms)

    return np.array([float(derivative(potential, exact(q), k)) for k in range(model.nv)])


@precisely
def tool_jacobian(model, q):
    """∂p/∂q of the tool."""
    m = model.numeric
    columns = [
        derivative(lambda x: m.frame_pose("tool", x).p, exact(q), k) for k in range(model.nv)
    ]
    return np.array(columns).T.astype(float)


def positions(n, size, seed=0, samples=5):
    return np.random.default_rng(seed).uniform(-size, size, (samples, n))
