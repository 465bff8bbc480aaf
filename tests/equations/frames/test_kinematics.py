"""Laws of poses, Jacobians, velocities and accelerations, on random trees of all joint types.

Derivatives are compared with differences at 50 digits (`tests.support.oracles.oracle`).
"""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import count, examples
from tests.support.generators.bodies import close, mp
from tests.support.oracles import oracle, robots
from tests.support.oracles.oracle import Compiled, Interpreted, mechanism, precise, random_state
from tests.support.oracles.robots import ROWS, order, peer_q, peer_v, robot
from visviva.algebra.expr import evaluate
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.joints.axis import Cylindrical, Helical, Prismatic, Revolute, Universal
from visviva.describe.joints.free import Free, Planar
from visviva.describe.model.body import Mimic
from visviva.equations.frames import kinematics
from visviva.equations.frames.walk import breaks, kept_axes
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.space.poses import Pose
from visviva.space.rotations import about_axis, unskew

REFERENCES = ("world", "body", "space")
VERBS = ("jacobian", "jacobian_rate", "velocity", "acceleration")
POINT = (0.3, -0.7, 0.5)
X, Y, Z = np.eye(3)
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 6)


def some(seed, size):
    """A random mechanism, its last frame, and a state."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, springs=False)
    return model, f"frame{size - 1}", random_state(rng, model)


def squared(rng, size):
    """A chain as drawings have them: axes along coordinates, many zeros, right and other angles."""
    b = Builder("chain")
    sources = []
    for i in range(size):
        axis, other = rng.permutation(np.eye(3))[:2] * rng.choice([-1, 1])
        joint = [
            *[Revolute(axis)] * 6,
            *[Prismatic(axis)] * 2,
            Helical(axis, 0.3),
            Cylindrical(axis),
            Universal(axis, other),
            Planar(axis),
            Free(),
        ][rng.integers(13)]
        mimic = None
        if isinstance(joint, (Revolute, Prismatic)):
            if sources and rng.random() < 0.2:
                mimic = Mimic(str(rng.choice(sources)), -0.7, 0.2)
            else:
                sources.append(f"joint{i}")
        b.body(
            f"body{i}",
            parent=f"body{i - 1}" if i else "",
            joint=joint,
            joint_name=f"joint{i}",
            inertia=Inertia.point(1.0),
            at=rng.normal(size=3) * rng.integers(0, 2, 3),
            rotation=right_angle(rng),
            mimic=mimic,
        )
    at = rng.normal(size=3) * rng.integers(0, 2, 3)
    return b.frame("tip", body=f"body{size - 1}", at=at, rotation=right_angle(rng)).build()


def right_angle(rng):
    """None, a right angle or two, or any angle, about coordinate axes."""
    quarters = [[0, 0, 0], [1, 0, 0], [0, 2, 3], [0, 0, 0.3]][rng.integers(4)]
    made = np.eye(3)
    for axis, k in zip(np.eye(3), quarters, strict=True):
        made = made @ np.round(about_axis(axis, k * np.pi / 2), 15)
    return made


def converted(X, V, reference):
    """A twist (or several) in body axes, as it is written with another reference."""
    return {"body": V, "world": np.kron(np.eye(2), X.R) @ V, "space": X.adjoint() @ V}[reference]


def body_jacobian(model, frame, q):
    """From the definition: each joint's twists, carried to the frame by adjoints."""
    f, bodies = model.frame(frame), model.body_poses(q)
    tip, i = bodies[f.body] @ f.placement, f.body
    J = np.zeros((6, model.nv))
    while i >= 0:
        b = model.bodies[i]
        S = b.joint.subspace(model.local(i, q)) * (b.mimic.multiplier if b.mimic else 1.0)
        J[:, model.v_index[i]] += (tip.inverse() @ bodies[i]).adjoint() @ S
        i = b.parent
    return tip, J


# ---- laws


@examples(3, 1000)
@given(seeds, sizes)
def test_jacobians_are_the_rates_of_poses(seed, size):
    """X⁻¹ Ẋ is the body twist; nothing but `pose` is used."""
    model, frame, (q, _, _) = some(seed, size)
    run = Interpreted(model)
    tip = Pose.from_matrix(run.about("pose", frame, q))
    close(tip.matrix(), model.frame_pose(frame, q).matrix())
    rates = oracle.jacobian(model, lambda x: kinematics.pose(model, frame, x), (q,), 0)
    turns = [unskew(tip.R.T @ rates[:3, :3, k]) for k in range(model.nv)]
    V = np.concatenate([np.transpose(turns), tip.R.T @ rates[:3, 3]])
    at, U = Pose(tip.R, tip.apply(POINT)), V + np.vstack([V[:3] * 0, np.cross(turns, POINT).T])
    for reference in REFERENCES:
        close(run.about("jacobian", frame, q, reference=reference), converted(tip, V, reference))
        J = run.about("jacobian", frame, q, reference=reference, point=POINT)
        close(J, converted(at, U, reference))


@examples(6, 1000)
@given(seeds, sizes, st.sampled_from(REFERENCES), st.sampled_from([None, POINT]))
def test_rates(seed, size, reference, point):
    """V = J v, A = J a + J̇ v, and J̇ and A are derivatives along the motion."""
    model, frame, (q, v, a) = some(seed, size)
    run, how = Interpreted(model), {"reference": reference, "point": point}
    J, dJ = run.about("jacobian", frame, q, **how), run.about("jacobian_rate", frame, q, v, **how)
    V, A = (
        run.about("velocity", frame, q, v, **how),
        run.about("acceleration", frame, q, v, a, **how),
    )
    scale = max(1.0, np.abs(J).max() * np.abs(v).max() ** 2)  # of what cancels in the sums
    close(V / scale, J @ v / scale)
    close(A / scale, (J @ a + dJ @ v) / scale)
    moving = oracle.along(model, lambda x: kinematics.jacobian(model, frame, x, **how), q, v)
    close(dJ / scale, moving / scale)

    def speed(t):
        there = model.integrate(precise(q), precise(v) * t)
        return kinematics.velocity(model, frame, there, precise(v) + precise(a) * t, **how)

    close(A / scale, oracle.slope(speed) / scale)


@examples(4, 2000)
@given(seeds, st.integers(1, 9))
def test_chains_with_parallel_axes(seed, size):
    """Runs of parallel axes and slid origins change the way of computing, not the result."""
    rng = np.random.default_rng(seed)
    model = squared(rng, size)
    q, v, a = random_state(rng, model)
    run, (tip, J) = Interpreted(model), body_jacobian(model, "tip", q)
    for reference in REFERENCES:
        pose, ours = kinematics.kinematics(model, "tip", q, reference)
        close(pose, tip.matrix())
        close(ours, converted(tip, J, reference))
        dJ = run.about("jacobian_rate", "tip", q, v, reference=reference)
        scale = max(1.0, np.abs(ours).max() * np.abs(v).max() ** 2)
        V = run.about("velocity", "tip", q, v, reference=reference)
        close(V / scale, ours @ v / scale)
        A = run.about("acceleration", "tip", q, v, a, reference=reference)
        close(A / scale, (ours @ a + dJ @ v) / scale)


@examples(3, 500)
@given(seeds, sizes)
def test_poses_of_all_frames(seed, size):
    model, _, (q, _, _) = some(seed, size)
    made = Interpreted(model)("poses", q)
    assert made.shape == (len(model.frame_names), 4, 4)
    for name, matrix in zip(model.frame_names, made, strict=True):
        close(matrix, model.frame_pose(name, q).matrix())


def test_a_point_does_not_change_the_spatial_twist_nor_the_pose():
    model, frame, (q, _, _) = some(3, 4)
    for name in REFERENCES:
        there, J = kinematics.kinematics(model, frame, q, name, POINT)
        close(there, kinematics.pose(model, frame, q))
        same = np.abs(J - kinematics.jacobian(model, frame, q, name)).max() < 1e-12
        assert same == (name == "space")


def test_frames_fixed_in_the_world_do_not_move():
    model, _, (q, v, a) = some(1, 3)
    at = model.frame("floor").placement.matrix()
    for name in ("floor", "world"):
        for how in ({}, {"reference": "body"}, {"reference": "space", "point": POINT}):
            place, J = model.kinematics(name, **how)(q)
            close(place, at if name == "floor" else np.eye(4))
            assert np.array_equal(J, np.zeros((6, model.nv)))
            assert not model.jacobian_rate(name, **how)(q, v).any()
            assert not model.velocity(name, **how)(q, v).any()
            assert not model.acceleration(name, **how)(q, v, a).any()


def test_models_without_joints():
    model = Builder("nothing").frame("floor", at=[1.0, 2.0, 3.0]).build()
    assert model.jacobian("floor")(np.zeros(0)).shape == (6, 0)
    assert np.array_equal(model.poses(np.zeros(0))[0, :3, 3], [1.0, 2.0, 3.0])


# ---- compiled, and over other scalars


@pytest.mark.spread(1)
@pytest.mark.parametrize("seed", range(count(1, 2)))
def test_compiled(seed):
    rng = np.random.default_rng(seed)
    for model, frame in (some(seed, 4)[:2], (squared(rng, 5), "tip")):
        q, v, a = random_state(rng, model)
        given = {"jacobian": (q,), "jacobian_rate": (q, v), "velocity": (q, v)}
        for name in VERBS:
            args = given.get(name, (q, v, a))
            for how in ({}, {"reference": "body"}, {"reference": "space"}, {"point": POINT}):
                expected = Interpreted(model).about(name, frame, *args, **how)
                close(Compiled(model).about(name, frame, *args, **how), expected)
        close(model.pose(frame)(q), model.frame_pose(frame, q).matrix())


def test_batches_and_named_outputs():
    model, frame, _ = some(0, 3)
    rng = np.random.default_rng(0)
    Q = np.stack([model.random(rng) for _ in range(5)])
    f = model.kinematics(frame, "body")
    assert dict(f.outputs) == {"X": (4, 4), "J": (6, model.nv)}
    places, J = f(Q)
    assert places.shape == (5, 4, 4)
    for k, q in enumerate(Q):
        close(places[k], model.frame_pose(frame, q).matrix())
        close(J[k], kinematics.jacobian(model, frame, q, "body"))


def test_other_scalars():
    rng = np.random.default_rng(2)
    for model, frame in (some(2, 4)[:2], (squared(rng, 5), "tip")):
        q, v, a = random_state(rng, model)
        for reference in REFERENCES:
            state = tuple(mp(x) for x in (q, v, a))
            exact = kinematics.acceleration(model, frame, *state, reference)
            close(exact, kinematics.acceleration(model, frame, q, v, a, reference))
            exact = kinematics.jacobian_rate(model, frame, *state[:2], reference)
            close(exact, kinematics.jacobian_rate(model, frame, q, v, reference))
    lists = kinematics.jacobian(model, frame, list(q))
    assert lists.dtype == float
    close(lists, kinematics.jacobian(model, frame, q))


def test_derivatives_of_compiled_functions():
    """The linear part of J, in world axes, is the derivative of the position."""
    model, frame, (q, _, _) = some(5, 4)
    slopes = model.pose(frame).jacobian("q")(q)
    close(slopes[:3, 3], model.jacobian(frame)(q)[3:])
    close(model.velocity(frame).jacobian("v")(q, np.zeros(model.nv)), model.jacobian(frame)(q))


def test_parameters_may_be_symbols():
    """Lengths stay symbols; the way of computing does not depend on their values."""
    arm, q = vv.catalog.planar_3r(), np.array([0.2, -0.7, 1.1])
    tip = arm.frame_names[-1]
    symbolic = kinematics.jacobian(arm.symbolic, tip, q)
    assert symbolic.dtype == object
    values = [evaluate(x, arm.parameters) for x in symbolic.ravel()]
    close(np.reshape(values, symbolic.shape), arm.jacobian(tip)(q))


# ---- few operations


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("name", "tip", "multiplications", "additions"),
    [
        ("urdf/ur5_robot.urdf", "tool0", 61, 32),
        ("robots/solo12.urdf", "FL_FOOT", 20, 10),
        ("urdf/panda.urdf", "panda_hand_tcp", 112, 59),
        ("robots/talos_reduced.urdf", "wrist_left_ft_tool_link", 155, 83),
    ],
)
def test_operations_of_pose_and_jacobian(name, tip, multiplications, additions):
    """Multiplied out joint by joint, UR5 takes 92 and 61, Solo12 36 and 26, Panda 126 and 79."""
    f = vv.load(robot(name)).kinematics(tip)
    assert f.operations.multiplications <= multiplications
    assert f.operations.additions <= additions
    assert len(set(f.operations) - {"mul", "add", "sub", "neg", "sin", "cos"}) == 0


def test_runs():
    """Axes that turns keep, and where no common one is left."""
    turn = about_axis(np.array([0.6, 0.0, 0.8]), 0.3)
    y, z = about_axis(Y, 0.4), about_axis(Z, 0.5)
    quarter = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    assert kept_axes(turn) == []
    assert kept_axes(y) == [(1, 1)]
    assert len(kept_axes(quarter)) == len(kept_axes(np.eye(3))) == 3
    assert breaks([y, y, z, z, turn, y]) == {1, 3, 4}
    assert breaks([z, y, y @ quarter, quarter, y]) == {0}
    assert breaks([y, np.eye(3)]) == {0}
    assert breaks([y, y, np.eye(3)]) == set()
    assert breaks([]) == set()


# ---- Pinocchio


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("name", "base", "tips"),
    [
        ("urdf/ur5_robot.urdf", "fixed", ["tool0", "wrist_1_link"]),
        ("urdf/panda.urdf", "fixed", ["panda_hand_tcp", "panda_leftfinger"]),
        ("robots/solo12.urdf", "free", ["FL_FOOT", "HR_LOWER_LEG"]),
        ("robots/talos_reduced.urdf", "free", ["wrist_left_ft_tool_link", "leg_left_6_link"]),
    ],
)
def test_pinocchio(name, base, tips):
    """Everything about frames; its "body" acceleration is spatial, as ours."""
    model, peer = robots.load(robot(name), base), robots.load_peer(robot(name), base)
    rng = np.random.default_rng(1)
    q, v, a = random_state(rng, model)
    o, data, run = order(model, peer), peer.createData(), Interpreted(model)
    Q, V, A = peer_q(model, peer, q), peer_v(model, peer, v), peer_v(model, peer, a)
    pin.forwardKinematics(peer, data, Q, V, A)
    pin.computeJointJacobiansTimeVariation(peer, data, Q, V)
    pin.updateFramePlacements(peer, data)
    for tip in tips:
        at = peer.getFrameId(tip, pin.FrameType.BODY)
        close(run.about("pose", tip, q), data.oMf[at].homogeneous)
        for ours, theirs in robots.REFERENCES.items():
            how = {"reference": ours}
            J = pin.getFrameJacobian(peer, data, at, theirs)
            close(run.about("jacobian", tip, q, **how)[ROWS][:, o], J)
            dJ = pin.getFrameJacobianTimeVariation(peer, data, at, theirs)
            close(run.about("jacobian_rate", tip, q, v, **how)[ROWS][:, o], dJ)
            twist = pin.getFrameVelocity(peer, data, at, theirs).vector
            close(run.about("velocity", tip, q, v, **how)[ROWS], twist)
            rate = (
                pin.getFrameClassicalAcceleration if ours == "world" else pin.getFrameAcceleration
            )
            close(
                run.about("acceleration", tip, q, v, a, **how)[ROWS],
                rate(peer, data, at, theirs).vector,
            )


# ---- what is refused


def test_unknown_frames_and_references():
    model = vv.catalog.two_link()
    with pytest.raises(UnknownNameError, match=r"unknown frame 'hand' .*available: '"):
        model.pose("hand")
    with pytest.raises(UnknownNameError, match=r"unknown frame 'hand' .*available: '"):
        kinematics.jacobian(model, "hand", np.zeros(2))
    name = model.frame_names[0]
    listed = r"unknown reference 'local'.* \(available: 'world', 'body', 'space'\)"
    for verb in VERBS:
        with pytest.raises(UnknownNameError, match=listed):
            getattr(model, verb)(name, "local")
    zero = np.zeros(2)
    with pytest.raises(UnknownNameError, match=listed):
        kinematics.velocity(model, name, zero, zero, "local")
    with pytest.raises(UnknownNameError, match=listed):
        kinematics.acceleration(model, name, zero, zero, zero, "local")


@pytest.mark.parametrize("point", [(1.0, 2.0), 3.0, [[1.0, 2.0, 3.0]], "tip"])
def test_bad_points(point):
    model = vv.catalog.two_link()
    name = model.frame_names[0]
    with pytest.raises((ShapeError, ValueError)):
        model.jacobian(name, point=point)
    with pytest.raises((ShapeError, ValueError)):
        kinematics.jacobian(model, name, np.zeros(2), point=point)
    with pytest.raises(ArgumentError, match=r"finite coordinates, got \(1.0, nan, 0.0\)"):
        kinematics.jacobian(model, name, np.zeros(2), point=(1.0, np.nan, 0.0))
