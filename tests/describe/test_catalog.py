"""The catalogue: every model is sound, and does what its source says.

Mass matrices, gravity forces and Jacobians come from differentiating the poses of the bodies at 50
digits, with nothing but the definition: M = Σ Jᵀ G J. With a step of 1e-16 the central difference
is exact to 1e-32; what is left of the errors is the rounding of the models' own numbers.
"""

import pickle

import mpmath
import numpy as np
import pytest

from visviva.describe import catalog
from visviva.describe.compare import differences
from visviva.describe.dh import to_dh
from visviva.describe.screws import to_screws
from visviva.describe.validity import InertiaError, impossibility
from visviva.errors import ArgumentError, UnknownNameError

STEP = mpmath.mpf(10) ** -16
EXACT = 1e-13
NAMES = """planar_body rp_arm rp_arm_thrusters two_link pr_arm planar_3r rpr_arm spatial_3r
craig_6_5 human_arm
cartesian cylindrical spherical scara articulated puma560 stanford pendulum tumbling_body
mobile_manipulator polar_point""".split()
ENERGIES = """bead_on_rotating_wire charged_particle euler_body point_on_circle
relativistic_particle rotating_frame_particle""".split()
SERIAL = [name for name in NAMES if name != "tumbling_body"]


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(50):
        yield


def derivative(f, q, k):
    """∂f/∂qₖ of an array-valued function."""
    up, down = ([x + s * STEP if i == k else x for i, x in enumerate(q)] for s in (1, -1))
    return (f(up) - f(down)) / (2 * STEP)


def exact(q):
    return np.array([mpmath.mpf(float(x)) for x in q], dtype=object)


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


def mass_matrix(model, q):
    model = model.numeric
    M = np.diag(np.concatenate([b.armature for b in model.bodies])).astype(object)
    for J, body in zip(body_jacobians(model, q), model.bodies, strict=True):
        M = M + J.T @ body.inertia.spatial() @ J
    return M.astype(float)


def gravity_forces(model, q):
    model = model.numeric

    def potential(x):
        poses = model.body_poses(x)
        terms = zip(model.bodies, poses, strict=True)
        return -sum(b.inertia.mass * (model.gravity @ X.apply(b.inertia.com)) for b, X in terms)

    return np.array([float(derivative(potential, exact(q), k)) for k in range(model.nv)])


def tool_jacobian(model, q):
    """∂p/∂q of the tool."""
    m = model.numeric
    columns = [
        derivative(lambda x: m.frame_pose("tool", x).p, exact(q), k) for k in range(model.nv)
    ]
    return np.array(columns).T.astype(float)


def positions(n, size, seed=0, samples=5):
    return np.random.default_rng(seed).uniform(-size, size, (samples, n))


# ---- every model


def test_the_names():
    assert {*NAMES, *ENERGIES} == set(catalog.names())
    assert list(catalog.names()) == sorted(catalog.names())
    for name in [*NAMES, *ENERGIES]:
        assert name in catalog.__all__
        assert catalog.build(name).name == name


@pytest.mark.parametrize("name", NAMES)
def test_every_model_is_sound(name):
    model = getattr(catalog, name)()
    assert model.is_symbolic
    assert not model.numeric.is_symbolic
    assert model.numeric.parameters == {}
    assert name in repr(model)
    assert repr(model.numeric)
    text = catalog.describe(name)
    assert text.startswith(f"{name}: ")
    assert "source: " in text
    doc = getattr(catalog, name).__doc__
    assert "Source: " in doc
    for b in model.numeric.bodies:
        if (name, b.name) != ("puma560", "link3"):  # measured so, see its notes
            assert not impossibility(b.inertia.mass, b.inertia.com, b.inertia.tensor)
        assert b.inertia.tensor.dtype == float


@pytest.mark.parametrize("name", NAMES)
def test_every_model_pickles(name):
    model = catalog.build(name)
    again = pickle.loads(pickle.dumps(model))
    assert differences(model, again) == []
    assert dict(again.parameters) == dict(model.parameters)


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_has_an_effect(name):
    """By keyword, and the same as changing it afterwards."""
    model = catalog.build(name)
    for key, value in model.parameters.items():
        changed = value * 1.001
        try:
            other = catalog.build(name, **{key: changed})
        except InertiaError:  # laminas have no room above
            changed = value * 0.999
            other = catalog.build(name, **{key: changed})
        assert differences(model, other, samples=1), key
        assert differences(model.with_parameters(**{key: changed}), other, samples=1) == [], key


@pytest.mark.parametrize("name", SERIAL)
def test_mass_matrices_are_positive_and_survive_other_descriptions(name):
    model = catalog.build(name)
    q = np.random.default_rng(1).uniform(0.2, 1.0, model.nq)
    M = mass_matrix(model, q)
    assert np.allclose(M, M.T, rtol=1e-12, atol=1e-14)
    assert np.linalg.eigvalsh(M).min() > 0
    frames = [f.name for f in model.frames if f.name == "tool"]
    for other in (to_screws(model).model(), *(to_dh(model, c).model() for c in CONVENTIONS)):
        assert differences(model, other, names=False, frames=frames) == []


CONVENTIONS = ("standard", "modified")


def test_unknown_names_and_bad_values():
    with pytest.raises(UnknownNameError, match="mechanism 'rp_amr'; did you mean 'rp_arm'"):
        catalog.describe("rp_amr")
    with pytest.raises(UnknownNameError, match="did you mean 'puma560'"):
        catalog.build("puma56")
    with pytest.raises(AttributeError, match="did you mean 'scara'"):
        _ = catalog.scarra
    assert not hasattr(catalog, "nothing_like_it")
    with pytest.raises(UnknownNameError, match=r"parameter of rp_arm 'm3'.*'m1', 'm2', 'r1'"):
        catalog.rp_arm(m3=1.0)
    with pytest.raises(ArgumentError, match="m1 of rp_arm is a number, got 'heavy'"):
        catalog.rp_arm(m1="heavy")
    with pytest.raises(InertiaError, match="a mass cannot be negative"):
        catalog.rp_arm(m1=-1.0)
    with pytest.raises(ArgumentError, match=r"n = 1, 2, … links, got 0"):
        catalog.pendulum(0)


# ---- kinematics of the sources


def tool(model, q):
    X = model.numeric.frame_pose("tool", np.asarray(q, dtype=float))
    return X.p, np.arctan2(X.R[1, 0], X.R[0, 0])


def test_planar_3r_and_its_second_branch():
    arm = catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5)
    for q in ([0.3, 0.7, -0.4], [0.91892699, -0.7, 0.38107301]):
        p, angle = tool(arm, q)
        assert np.allclose([*p, angle], [1.80024614, 1.25101823, 0.0, 0.6], atol=2e-8)
    for q in positions(3, 3.0):
        J = tool_jacobian(arm, q)
        J[2] = 1.0  # the angle is the sum
        assert np.linalg.det(J) == pytest.approx(1.0 * 0.8 * np.sin(q[1]), abs=EXACT)


def test_rpr():
    arm = catalog.rpr_arm(l3=0.5)
    for t1, d, t3 in positions(3, 2.0):
        J = tool_jacobian(arm, [t1, d, t3])
        s1, c1, s13, c13 = np.sin(t1), np.cos(t1), np.sin(t1 + t3), np.cos(t1 + t3)
        row1, row2 = [-d * s1 - 0.5 * s13, c1, -0.5 * s13], [d * c1 + 0.5 * c13, s1, 0.5 * c13]
        assert np.allclose(J[:2], [row1, row2], atol=EXACT)
        assert np.allclose(tool(arm, [t1, d, t3])[0][:2], [row2[0], -row1[0]], atol=EXACT)
        J[2] = [1, 0, 1]
        assert np.linalg.det(J) == pytest.approx(-d, abs=EXACT)


def test_two_link_velocities():
    arm = catalog.two_link(L1=1.0, L2=0.8)
    J = tool_jacobian(arm, [0.3, 0.7])[:2]
    assert np.allclose(np.linalg.solve(J, [0.1, 0.2]), [0.34510761, -0.64515698], atol=1e-8)
    assert np.linalg.det(J) == pytest.approx(0.8 * np.sin(0.7), abs=EXACT)


@pytest.mark.parametrize("make", [catalog.spatial_3r, catalog.articulated])
def test_spatial_3r(make):
    arm = make(l1=0.6, l2=0.4)
    height = arm.parameters.get("h", 0.0)
    wanted = [0.57888516, 0.31624641, 0.61907428 + height]
    solutions = [(0.5, 0.4, 0.9), (0.5, 1.10737579, -0.9)]
    solutions += [(-2.64159265, 2.03421687, 0.9), (-2.64159265, 2.74159265, -0.9)]
    for q in solutions:
        assert np.allclose(tool(arm, q)[0], wanted, atol=2e-8)
    assert arm.nv == 3
    for q in positions(3, 3.0):
        reach = 0.6 * np.cos(q[1]) + 0.4 * np.cos(q[1] + q[2])
        J = tool_jacobian(arm, q)
        assert np.linalg.det(J) == pytest.approx(-0.6 * 0.4 * np.sin(q[2]) * reach, abs=EXACT)


@pytest.mark.parametrize(
    ("make", "determinant", "point"),
    [
        (catalog.cartesian, lambda q: 1.0, lambda x, y, z: (x, y, z)),
        (
            catalog.cylindrical,
            lambda q: q[2],
            lambda t, z, r: (r * np.cos(t), r * np.sin(t), z),
        ),
        (
            catalog.spherical,
            lambda q: q[2] ** 2 * np.cos(q[1]),
            lambda t, f, r: (r * np.cos(f) * np.cos(t), r * np.cos(f) * np.sin(t), r * np.sin(f)),
        ),
        (
            catalog.scara,
            lambda q: 0.4 * 0.3 * np.sin(q[1]),
            lambda a, b, d: (
                0.4 * np.cos(a) + 0.3 * np.cos(a + b),
                0.4 * np.sin(a) + 0.3 * np.sin(a + b),
                d,
            ),
        ),
    ],
)
def test_arms_named_after_their_workspace(make, determinant, point):
    arm = make()
    assert (arm.nq, arm.nv) == (3, 3)
    for q in positions(3, 2.0):
        assert np.allclose(tool(arm, q)[0], point(*q), atol=EXACT)
        assert np.linalg.det(tool_jacobian(arm, q)) == pytest.approx(determinant(q), abs=EXACT)


def test_human_arm_is_redundant():
    arm = catalog.human_arm()
    for q in positions(7, 1.0):
        J = body_jacobians(arm.numeric, q)[-1].astype(float)
        _, values, Vt = np.linalg.svd(J)
        assert J.shape == (6, 7)
        assert values.min() > 1e-3  # rank 6, nullity 1
        still = Vt[-1]
        assert np.abs(J @ still).max() < EXACT
        elbow = body_jacobians(arm.numeric, q)[3].astype(float) @ still
        assert np.abs(elbow[3:]).max() > 1e-3  # the elbow moves, the hand does not


def test_robots_with_six_joints():
    for make, count in ((catalog.puma560, 6), (catalog.stanford, 6)):
        assert make().nv == count
    puma = catalog.puma560()
    # shoulder offset 0.1501; upper arm along x, forearm up at zero angles
    p = puma.numeric.frame_pose("tool", np.zeros(6)).p
    assert np.allclose(p, [0.4318 - 0.0203, 0.2435 - 0.0934, 0.4331], atol=EXACT)
    # with the arm stretched out, gravity turns joint 2 most; the value is by hand:
    # link 2 at 0.068, link 3 at a2 + 0.070, wrist at a2 + d4, with the small offsets
    q = np.array([0, 0, np.pi / 2, 0, 0, 0])
    reach = 17.4 * 0.068 + 4.8 * (0.4318 + 0.070) + 0.82 * (0.4318 + 0.4331 - 0.019)
    reach += 0.34 * (0.4318 + 0.4331) + 0.09 * (0.4318 + 0.4331 + 0.032)
    assert gravity_forces(puma, q)[1] == pytest.approx(-9.81 * reach, abs=1e-9)
    # effective motor inertias of the paper's table: 1.14, 4.71, 0.83, 0.200, 0.179, 0.193
    motors = np.concatenate([b.armature for b in puma.numeric.bodies]) - [0.35, 0, 0, 0, 0, 0]
    assert np.allclose(motors, [1.14, 4.71, 0.83, 0.200, 0.179, 0.193], rtol=0.07)
    assert any("triangle inequality" in note for note in puma.notes)


def test_stanford_moments_are_about_the_link_frames():
    arm = catalog.stanford().numeric
    moments = {1: (0.276, 0.255, 0.071), 2: (0.108, 0.018, 0.100), 3: (2.51, 2.51, 0.006)}
    moments |= {4: (0.002, 0.001, 0.001), 5: (0.003, 0.003, 0.0004), 6: (0.013, 0.013, 0.0003)}
    for i, wanted in moments.items():
        frame = arm.frame(f"dh{i}").placement.inverse()
        seen = arm.bodies[i - 1].inertia.moved(frame.R, frame.p)
        assert np.allclose(seen.about([0.0, 0.0, 0.0]), np.diag(wanted), atol=EXACT)
    # at home the boom is drawn in: the hand is above the shoulder, d2 aside
    assert np.allclose(arm.frame_pose("tool", np.zeros(6)).p, [0, 0.154, 0.412 + 0.263])


def test_puma_against_the_abbreviated_model_of_its_paper():
    """Terms of Armstrong, Khatib and Burdick's abbreviated formulas, with two or three digits.

    One tolerance for all: 5 % of the largest coefficient, which is what gear ratio² × motor inertia
    and the paper's effective motor inertias differ by. The first diagonal term is not compared: the
    formula gives 3.95 at zero angles, the link data 4.27, and which is right is open.
    """
    puma = catalog.puma560()
    for q in positions(6, 3.0, samples=10):
        M, g = mass_matrix(puma, q), gravity_forces(puma, q)
        s2, c2, s3, c3 = np.sin(q[1]), np.cos(q[1]), np.sin(q[2]), np.cos(q[2])
        s23, c23 = np.sin(q[1] + q[2]), np.cos(q[1] + q[2])
        s5, c5, c4 = np.sin(q[4]), np.cos(q[4]), np.cos(q[3])
        printed = [
            (M[0, 1], 0.690 * s2 - 0.134 * c23 + 0.0238 * c2, 0.690),
            (M[0, 2], -0.134 * c23 - 0.00397 * s23, 0.134),
            (M[1, 1], 6.79 + 0.744 * s3, 6.79),
            (M[1, 2], 0.333 + 0.372 * s3 - 0.0110 * c3, 0.372),
            (M[2, 2], 1.16, 1.16),
            (g[1], -37.2 * c2 - 8.4 * s23 + 1.02 * s2, 37.2),
            (g[2], -8.4 * s23 + 0.25 * c23, 8.4),
            (g[4], -0.028 * (c23 * s5 + s23 * c4 * c5), 0.028),
        ]
        for got, wanted, largest in printed:
            assert got == pytest.approx(wanted, abs=0.05 * largest)


# ---- dynamics of the sources


def test_planar_body():
    body = catalog.planar_body(m=1.5, I=0.2)
    for q in positions(3, 3.0):
        assert np.allclose(mass_matrix(body, q), np.diag([1.5, 1.5, 0.2]), atol=EXACT)
        assert np.allclose(gravity_forces(body, q), [0, 1.5 * 9.81, 0], atol=EXACT)


def test_rp_arm():
    m1, m2, r1, I1, I2, g = 1.3, 0.9, 0.45, 0.07, 0.04, 9.7
    arm = catalog.rp_arm(m1=m1, m2=m2, r1=r1, I1=I1, I2=I2, a_g=g)
    for q1, q2 in positions(2, 3.0):
        M = np.diag([I1 + I2 + m1 * r1**2 + m2 * q2**2, m2])
        assert np.allclose(mass_matrix(arm, [q1, q2]), M, atol=EXACT)
        forces = [g * (m1 * r1 + m2 * q2) * np.cos(q1), g * m2 * np.sin(q1)]
        assert np.allclose(gravity_forces(arm, [q1, q2]), forces, atol=1e-12)


def test_two_link():
    L1, m1, m2, I1, I2, r1, r2, g = 0.9, 1.3, 0.8, 0.11, 0.05, 0.42, 0.37, 9.7
    values = {"L1": L1, "m1": m1, "m2": m2, "I1": I1, "I2": I2, "r1": r1, "r2": r2, "a_g": g}
    arm = catalog.two_link(**values)
    for q1, q2 in positions(2, 3.0):
        c2, s2 = np.cos(q2), np.sin(q2)
        H11 = m1 * r1**2 + I1 + m2 * (L1**2 + r2**2 + 2 * L1 * r2 * c2) + I2
        H12, H22 = m2 * (r2**2 + L1 * r2 * c2) + I2, m2 * r2**2 + I2
        M = mass_matrix(arm, [q1, q2])
        assert np.allclose(M, [[H11, H12], [H12, H22]], atol=EXACT)
        det = I1 * I2 + I1 * m2 * r2**2 + I2 * (m2 * L1**2 + m1 * r1**2)
        det += m1 * m2 * r1**2 * r2**2 + m2**2 * L1**2 * r2**2 * s2**2
        assert np.linalg.det(M) == pytest.approx(det, abs=EXACT)
        G2 = m2 * g * r2 * np.cos(q1 + q2)
        G1 = g * (m1 * r1 + m2 * L1) * np.cos(q1) + G2
        assert np.allclose(gravity_forces(arm, [q1, q2]), [G1, G2], atol=1e-12)


def test_two_point_masses():
    """Craig 6.7."""
    l1, l2, m1, m2, g = 0.7, 0.5, 1.1, 0.6, 9.81
    arm = catalog.two_link(L1=l1, L2=l2, r1=l1, r2=l2, m1=m1, m2=m2, I1=0.0, I2=0.0, a_g=g)
    for q1, q2 in positions(2, 3.0):
        c2 = np.cos(q2)
        M11 = (m1 + m2) * l1**2 + m2 * (l2**2 + 2 * l1 * l2 * c2)
        M12 = m2 * (l2**2 + l1 * l2 * c2)
        M = [[M11, M12], [M12, m2 * l2**2]]
        assert np.allclose(mass_matrix(arm, [q1, q2]), M, atol=EXACT)
        G2 = m2 * g * l2 * np.cos(q1 + q2)
        G = [(m1 + m2) * g * l1 * np.cos(q1) + G2, G2]
        assert np.allclose(gravity_forces(arm, [q1, q2]), G, atol=1e-12)


def test_craig_6_5():
    L1, L2, M1, M2, g = 0.6, 0.35, 1.7, 1.2, 9.6
    arm = catalog.craig_6_5(L1=L1, L2=L2, M1=M1, M2=M2, V1=0.3, V2=0.4, g=g)
    for q1, q2 in positions(2, 3.0):
        reach = L1 + L2 * np.cos(q2)
        M = np.diag([M1 * L1**2 + M2 * reach**2, M2 * L2**2])
        assert np.allclose(mass_matrix(arm, [q1, q2]), M, atol=EXACT)
        forces = [0.0, M2 * g * L2 * np.cos(q2)]
        assert np.allclose(gravity_forces(arm, [q1, q2]), forces, atol=1e-12)
    assert [b.damping[0] for b in arm.numeric.bodies] == [0.3, 0.4]


def test_pr_arm():
    m1, m2, I2, r2, alpha, g = 1.1, 0.7, 0.03, 0.25, 0.4, 9.81
    arm = catalog.pr_arm(m1=m1, m2=m2, I2=I2, r2=r2, alpha=alpha, g=g)
    for q in positions(2, 3.0):
        cross = -m2 * r2 * np.sin(q[1])
        M = [[m1 + m2, cross], [cross, I2 + m2 * r2**2]]
        assert np.allclose(mass_matrix(arm, q), M, atol=EXACT)
        forces = [g * (m1 + m2) * np.sin(alpha), m2 * g * r2 * np.cos(alpha + q[1])]
        assert np.allclose(gravity_forces(arm, q), forces, atol=1e-12)


def test_polar_point():
    for theta, r in positions(2, 3.0):
        M = mass_matrix(catalog.polar_point(m=1.7), [theta, r])
        assert np.allclose(M, np.diag([1.7 * r**2, 1.7]), atol=EXACT)


def test_mobile_manipulator_does_not_care_where_it_is():
    """M depends on the heading in world velocities, not in cart velocities."""
    cart = catalog.mobile_manipulator()
    q = np.array([0.3, -0.4, 0.5, 0.7, 0.9])
    M = mass_matrix(cart, q)
    assert np.allclose(mass_matrix(cart, q + np.array([1.0, 2.0, 0, 0, 0])), M, atol=EXACT)
    turned = q + np.array([0, 0, 0.6, 0, 0])
    assert not np.allclose(mass_matrix(cart, turned), M, atol=1e-3)

    def in_cart_axes(at):
        T = np.eye(5)
        c, s = np.cos(at[2]), np.sin(at[2])
        T[:2, :2] = [[c, -s], [s, c]]
        return T.T @ mass_matrix(cart, at) @ T

    assert np.allclose(in_cart_axes(q), in_cart_axes(turned), atol=EXACT)


def test_pendulums():
    """In absolute angles φ, M_ij = l_i l_j cos(φᵢ - φⱼ) Σ m_k for k ≥ max(i, j)."""
    n = 4
    m, length = np.array([1.0, 0.7, 1.3, 0.4]), np.array([0.5, 0.8, 0.3, 0.6])
    values = {f"m{i + 1}": m[i] for i in range(n)} | {f"l{i + 1}": length[i] for i in range(n)}
    model = catalog.pendulum(n, **values)
    sums = np.tril(np.ones((n, n)))  # φ = sums @ θ
    tail = np.cumsum(m[::-1])[::-1]
    for q in positions(n, 3.0):
        phi = sums @ q
        A = np.array(
            [
                [
                    length[i] * length[j] * np.cos(phi[i] - phi[j]) * tail[max(i, j)]
                    for j in range(n)
                ]
                for i in range(n)
            ]
        )
        assert np.allclose(mass_matrix(model, q), sums.T @ A @ sums, atol=EXACT)
        forces = sums.T @ (9.81 * tail * length * np.sin(phi))
        assert np.allclose(gravity_forces(model, q), forces, atol=1e-12)
    assert catalog.pendulum(1).nv == 1
    assert catalog.pendulum(30).nv == 30


def test_tumbling_body():
    body = catalog.tumbling_body(Ix=1.0, Iy=2.0, Iz=3.0).numeric
    assert (body.nq, body.nv) == (4, 3)
    assert np.allclose(body.bodies[0].inertia.tensor, np.diag([1.0, 2.0, 3.0]))
    assert not body.gravity.any()
