"""Equations of motion from the Jacobians of the links, as the sources derive them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close
from tests.support.oracles import oracle
from tests.support.oracles.oracle import COORDINATES, Interpreted, mechanism, random_state
from tests.support.oracles.robots import robot
from visviva.space import euler_angles, euler_rates_matrix, skew

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 6)


def link_jacobians(model, q):
    """m, the tensor in world axes, Jᴸ of the centre of mass and Jᴬ, of every link."""
    for b in model.bodies:
        R, J = model.frame_pose(b.name, q).R, model.jacobian(b.name)(q)
        JA, JL = J[:3], J[3:] - skew(R @ b.inertia.com) @ J[:3]
        yield b.inertia.mass, R @ b.inertia.tensor @ R.T, JL, JA


def multi_body_inertia(model, q):
    """H = Σ (m Jᴸᵀ Jᴸ + Jᴬᵀ I Jᴬ), over any scalar."""
    return sum(m * JL.T @ JL + JA.T @ W @ JA for m, W, JL, JA in link_jacobians(model, q))


def rotors(model):
    """Reflected inertias of motors stand beside H; of a coupled joint by its ratio squared."""
    total = np.zeros(model.nv)
    for b, index in zip(model.bodies, model.v_index, strict=True):
        total[index] += b.armature * (b.mimic.multiplier if b.mimic else 1.0) ** 2
    return np.diag(total)


def six_revolute_joints():
    return {"puma": vv.catalog.puma560().numeric, "ur5": vv.load(robot("urdf/ur5_robot.urdf"))}


@examples(4, 500)
@given(seeds, sizes)
def test_C22_inertia_matrix_from_jacobians(seed, size):
    """T = Σ ½ m v_cᵀ v_c + ½ ωᵀ I ω = ½ q̇ᵀ H q̇, for trees of every joint type."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, springs=False)
    q, v, _ = random_state(rng, model)
    H = multi_body_inertia(model, q)
    T = sum(
        m * (JL @ v) @ (JL @ v) / 2 + (JA @ v) @ W @ (JA @ v) / 2
        for m, W, JL, JA in link_jacobians(model, q)
    )
    close(v @ H @ v / 2, T)
    run = Interpreted(model)
    close(run("mass_matrix", q), H + rotors(model))
    close(run("kinetic_energy", q, v), T + v @ rotors(model) @ v / 2)
    w = np.linalg.eigvalsh(H)
    assert w[0] > 0, "bodies of four points: strictly positive unless at rest"
    close(H, H.T)


@examples(4, 500)
@given(seeds, sizes)
def test_C23_gravity_from_jacobians(seed, size):
    """U = -Σ m gᵀ r and G_i = -Σ m gᵀ Jᴸ_i, for gravity in any direction."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, springs=False)
    assert (model.gravity != 0.0).all()
    q, _, _ = random_state(rng, model)
    centres = [
        X.apply(b.inertia.com) for b, X in zip(model.bodies, model.body_poses(q), strict=True)
    ]
    U = -sum(b.inertia.mass * model.gravity @ r for b, r in zip(model.bodies, centres, strict=True))
    run = Interpreted(model)
    close(run("potential_energy", q), U)
    G = -sum(m * model.gravity @ JL for m, _, JL, _ in link_jacobians(model, q))
    close(run("gravity_forces", q), G)


@examples(3, 300)
@given(seeds, sizes)
def test_C92_linear_and_angular_jacobians_of_links(seed, size):
    """v_c = J_ℓ q̇ and ω = J_ω q̇ of every link, and the analytical Jacobian of its angles.

    J_ω is no derivative: the rates of Euler angles are B⁻¹ Rᵀ J_ω.
    """
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, springs=False)
    q, v, _ = random_state(rng, model)
    for b, (_, _, JL, JA) in zip(model.bodies, link_jacobians(model, q), strict=True):
        com = b.inertia.com

        def place(x, b=b, com=com):
            X = model.frame_pose(b.name, x)
            return np.concatenate([X.apply(com), X.R.ravel()])

        X, rate = model.frame_pose(b.name, q), oracle.along(model, place, q, v)
        close(rate[:3], JL @ v)
        close(rate[3:].reshape(3, 3), np.cross(JA @ v, X.R.T).T)  # Ṙ = [ω] R
    angles = euler_angles(X.R, "ZYX")
    B = euler_rates_matrix(angles, "ZYX")
    if abs(np.linalg.det(B)) > 0.1:  # away from the angles' own singularity
        analytical = oracle.jacobian(
            model,
            lambda x: euler_angles(model.frame_pose(model.body_names[-1], x).R, "ZYX"),
            (q,),
            0,
        )
        close(B @ analytical, X.R.T @ JA, 1e-11)  # up to ten times the rounding of the angles


def test_C92_geometric_and_analytical_differ():
    """One turn about each axis: the angular part of the Jacobian is not a derivative."""
    b = vv.Builder("wrist")
    for k, axis in enumerate("zyx"):
        b.body(axis, parent="zyx"[k - 1] if k else "", joint="revolute", axis=axis)
    model, q = b.build(), np.array([0.3, -0.4, 0.9])
    J = model.jacobian("x", "body")(q)[:3]
    close(J, euler_rates_matrix(q, "ZYX"))
    analytical = oracle.jacobian(
        model, lambda x: euler_angles(model.frame_pose("x", x).R, "ZYX"), (q,), 0
    )
    close(analytical, np.eye(3))
    assert np.abs(J - analytical).max() > 0.1


@pytest.mark.parametrize("name", ["puma", "ur5"])
def test_S65_any_robot_by_lagrange(name):
    """H q̈ + Σ C_ijk q̇ q̇ + G = Q on six revolute joints, with a wrench at the tool."""
    model = six_revolute_joints()[name].without_dissipation()
    q, v, a = random_state(np.random.default_rng(3), model)
    tool, F = model.frame_names[-1], np.array([0.4, -1.0, 0.3, 5.0, -2.0, 7.0])
    n = model.nv
    H = vv.function(lambda q: multi_body_inertia(model, q), {"q": n}, name="H")
    dH = H.jacobian("q")(q)  # dH[i, j, k] = ∂H_ij/∂q_k
    C = dH - np.einsum("jki->ijk", dH) / 2
    G = -sum(m * model.gravity @ JL for m, _, JL, _ in link_jacobians(model, q))
    left = (H(q) + rotors(model)) @ a + np.einsum("ijk,j,k->i", C, v, v) + G
    close(left, model.inverse_dynamics(q, v, a))
    pushed = model.function("inverse_dynamics", wrenches={tool: "world"})
    tau = pushed(q, v, a, [F])
    close(left, tau + model.jacobian(tool)(q).T @ F)  # Q = τ + Jᵀ F, by virtual work
    close(model.forward_dynamics(q, v, left), a, 1e-11)  # the condition of H is about 1e3


@pytest.mark.parametrize("name", ["puma", "ur5"])
def test_C110_component_form(name):
    """Each coefficient of Σ M_ij q̈_j + Σ Σ c_ijk q̇_j q̇_k + g_i = τ_i by itself."""
    model = six_revolute_joints()[name].without_dissipation()
    q, v, a = random_state(np.random.default_rng(8), model)
    n = model.nv
    M, c, g = model.mass_matrix(q), model.christoffel(q), model.gravity_forces(q)
    tau = model.inverse_dynamics(q, v, a)
    assert c.shape == (n, n, n)
    for i in range(n):
        row = sum(M[i, j] * a[j] for j in range(n)) + g[i]
        row += sum(c[i, j, k] * v[j] * v[k] for j in range(n) for k in range(n))
        assert row == pytest.approx(tau[i], rel=1e-12, abs=1e-12 * np.abs(tau).max())


@examples(4, 300)
@given(seeds, sizes)
def test_C110_coefficients_are_found_one_by_one(seed, size):
    """By unit accelerations and velocities: M_ij, c_ijk + c_ikj, g_i."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, COORDINATES, losses=False, springs=False)
    q, _, _ = random_state(rng, model)
    run, n = Interpreted(model), model.nv
    M, c, g = run("mass_matrix", q), run("christoffel", q), run("gravity_forces", q)
    still, unit = np.zeros(n), np.eye(n)

    def tau(v, a):
        return run("inverse_dynamics", q, v, a)

    close(tau(still, still), g)
    size = max(1.0, np.abs(M).max(), np.abs(c).max(), np.abs(g).max())  # of what is subtracted
    for j in range(n):
        close((tau(still, unit[j]) - g) / size, M[:, j] / size)
        for k in range(j + 1):
            both = tau(unit[j] + unit[k], still) - tau(unit[j], still) - tau(unit[k], still) + g
            close(both / size, (c[:, j, k] + c[:, k, j]) / size)


def test_C110_two_links_by_hand():
    """c_122 = c_112 = -c_211 = -m₂ L₁ r₂ sin q₂, the others zero; g₂ = m₂ r₂ g cos(q₁ + q₂)."""
    arm = vv.catalog.two_link()
    p, q = arm.parameters, np.array([0.4, -1.1])
    h = -p["m2"] * p["L1"] * p["r2"] * np.sin(q[1])
    expected = np.zeros((2, 2, 2))
    expected[0, 1, 1] = expected[0, 0, 1] = expected[0, 1, 0] = h
    expected[1, 0, 0] = -h
    close(arm.christoffel(q), expected)
    close(arm.gravity_forces(q)[1], p["m2"] * p["r2"] * p["a_g"] * np.cos(q.sum()))
    M = arm.mass_matrix(q)
    close(M[1, 1], p["m2"] * p["r2"] ** 2 + p["I2"])
    close(M[0, 1], M[1, 1] + p["m2"] * p["L1"] * p["r2"] * np.cos(q[1]))
