"""Positions, velocities, accelerations and forces as others have them: round trips and physics.

Physics is that of the other library: what it computes from its numbers is what we compute from
ours. A quaternion in another order would turn gravity, a missing ω × v would change forces.
"""

import dataclasses

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import JOINTS, close, random_tree
from tests.support.oracles.robots import load, load_peer, robot
from visviva.describe.files.mjcf.write import to_mjcf
from visviva.describe.files.urdf.write import to_urdf
from visviva.describe.model.orders import LIBRARIES
from visviva.errors import ArgumentError, ShapeError, UnknownNameError

ALIKE = ("revolute", "prismatic", "universal", "planar", "spherical", "free")
KINDS = {
    "pinocchio": (*ALIKE, "helical", "skew_universal"),
    "mujoco": (*ALIKE, "tilted_planar", "down_planar", "cylindrical", "skew_universal"),
    "ros": (*ALIKE, "tilted_planar", "skew_universal"),
}
BOX = vv.Inertia.box(2.0, x=0.5, y=0.1, z=0.08).moved(p=[0.25, 0.0, 0.02])
seeds = st.integers(0, 2**32 - 1)


def tree(rng, library, size=5):
    """A tree of the joints that a library has; MuJoCo has free ones on the world only."""
    kinds = KINDS[library]
    if library != "mujoco":
        return random_tree(rng, size, kinds)
    inner = random_tree(rng, size, tuple(k for k in kinds if k != "free"))
    base = vv.Builder("base")
    base.body("root", joint="free", inertia=BOX, at=rng.normal(size=3))
    return base.build().attached(inner, "root", vv.Pose(p=rng.normal(size=3)), prefix="on_")


def state(rng, model, *lead):
    """q, v, a and τ with leading axes."""
    count = int(np.prod(lead))
    q = np.array([model.random(rng) for _ in range(count)]).reshape(*lead, model.nq)
    return q, *(rng.normal(size=(*lead, model.nv)) for _ in range(3))


@pytest.mark.parametrize("library", LIBRARIES)
@examples(15, 1500)
@given(seed=seeds)
def test_there_and_back(library, seed):
    """Of any batch; powers are the same, and rows are converted as they are alone."""
    rng = np.random.default_rng(seed)
    model = tree(rng, library)
    q, v, a, tau = state(rng, model, 2, 3)
    o = model.order(library)
    theirs = o.q_to(q), o.v_to(q, v), o.a_to(q, v, a), o.tau_to(q, tau)
    assert [x.shape for x in theirs] == [(2, 3, n) for n in (o.nq, o.nv, o.nv, o.nv)]
    Q, V, A, F = theirs
    close(model.order(library).q_to(o.q_from(Q)), Q)  # an angle comes back within ±π
    close(o.v_from(Q, V), v)
    close(o.a_from(Q, V, A), a)
    close(o.tau_from(Q, F), tau)
    close((F * V).sum(-1), (tau * v).sum(-1))
    close(model.a_to(library, q[1, 2], v[1, 2], a[1, 2]), A[1, 2], 1e-14)
    close(model.a_from(library, Q[1, 2], V[1, 2], A[1, 2]), a[1, 2])
    close(o.v_to(q[0, 0], v), o.v_to(np.broadcast_to(q[0, 0], q.shape), v), 0)


@pytest.mark.parametrize("library", LIBRARIES)
@examples(10, 500)
@given(seed=seeds)
def test_accelerations_are_rates_of_velocities(library, seed):
    """Along a motion, by differences of eighth order."""
    rng = np.random.default_rng(seed)
    model = tree(rng, library)
    q, v, a, _ = state(rng, model)
    h, weights = 2e-2, {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}

    def there(t):
        """Of the motion along v + a t / 2 from q: its velocity at t is v + a t + O(t²)."""
        step = v * t + a * (t * t / 2)
        return model.v_to(library, model.integrate(q, step), v + a * t)

    slope = sum(w * (there(k * h) - there(-k * h)) for k, w in weights.items()) / h
    close(slope, model.a_to(library, q, v, a), 1e-6)  # h⁸ times derivatives of sines


# ---- the physics of Pinocchio

OF_PINOCCHIO = {
    "revolute": lambda j: pin.JointModelRevoluteUnaligned(j.axis),
    "prismatic": lambda j: pin.JointModelPrismaticUnaligned(j.axis),
    "helical": lambda j: pin.JointModelHelicalUnaligned(j.axis, j.pitch),
    "universal": lambda j: pin.JointModelUniversal(j.axis, j.second),
    "planar": lambda j: pin.JointModelPlanar(),
    "spherical": lambda j: pin.JointModelSpherical(),
    "free": lambda j: pin.JointModelFreeFlyer(),
}


def peer_of(model):
    """The same mechanism, made joint by joint; hinges are angles."""
    peer = pin.Model()
    peer.gravity.linear = model.gravity
    made = {-1: 0}
    for i, b in enumerate(model.bodies):
        at = pin.SE3(b.placement.R, np.asarray(b.placement.p, dtype=float))
        kind = OF_PINOCCHIO[b.joint.kind](b.joint)
        made[i] = peer.addJoint(made[b.parent], kind, at, b.joint_name)
        inertia = pin.Inertia(b.inertia.mass, b.inertia.com, b.inertia.tensor)
        peer.appendBodyToJoint(made[i], inertia, pin.SE3.Identity())
    return peer


def agree_with_pinocchio(model, peer, o, state):
    """Both dynamics and both energies, at one state."""
    q, v, a, tau = state
    data, Q = peer.createData(), o.q_to(q)
    assert (peer.nq, peer.nv) == (o.nq, o.nv)
    V, A, F = o.v_to(q, v), o.a_to(q, v, a), o.tau_to(q, tau)
    close(o.tau_from(Q, pin.rnea(peer, data, Q, V, A)), model.inverse_dynamics(q, v, a), 1e-10)
    exact = model.inverse_dynamics(q, v, o.a_from(Q, V, pin.aba(peer, data, Q, V, F)))
    close(exact, tau, 1e-8)  # M of six random bodies may be badly conditioned
    close(pin.computeKineticEnergy(peer, data, Q, V), model.kinetic_energy(q, v), 1e-10)
    close(pin.computePotentialEnergy(peer, data, Q), model.potential_energy(q), 1e-10)


@examples(10, 500)
@given(seed=seeds)
def test_pinocchio_computes_the_same(seed):
    """With joints of every type that it has, in its own order by names; hinges are angles."""
    rng = np.random.default_rng(seed)
    model = random_tree(rng, 6, KINDS["pinocchio"][:-1])
    peer = peer_of(model)
    o = model.order("pinocchio", peer.names, continuous=())
    agree_with_pinocchio(model, peer, o, state(rng, model))


@examples(10, 500)
@given(seed=seeds)
def test_pinocchio_reads_our_files_in_our_order(seed):
    """Depth first; hinges without limits have a cosine and a sine."""
    rng = np.random.default_rng(seed)
    model = random_tree(rng, 6, ("revolute", "prismatic", "planar", "free"))
    peer = pin.buildModelFromXML(to_urdf(model))
    agree_with_pinocchio(model, peer, model.order("pinocchio"), state(rng, model))


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize(
    "name", ["talos_reduced.urdf", "tiago_no_hand.urdf", "kinova.urdf", "solo12.urdf"]
)
def test_real_robots_in_pinocchio(name, base):
    """From one file, nothing said: joints come in one order."""
    model, peer = load(robot(name), base), load_peer(robot(name), base)
    agree_with_pinocchio(
        model, peer, model.order("pinocchio"), state(np.random.default_rng(1), model)
    )


# ---- the physics of MuJoCo


def agree_with_mujoco(model, m, o, state):
    """Both dynamics and both energies, at one state."""
    q, v, a, tau = state
    assert (m.nq, m.nv) == (o.nq, o.nv)
    m.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    d = mujoco.MjData(m)
    d.qpos, d.qvel, d.qacc = o.q_to(q), o.v_to(q, v), o.a_to(q, v, a)
    mujoco.mj_inverse(m, d)
    close(o.tau_from(d.qpos, d.qfrc_inverse), model.inverse_dynamics(q, v, a), 1e-10)
    d.qfrc_applied = o.tau_to(q, tau)
    mujoco.mj_forward(m, d)
    found = o.a_from(d.qpos, d.qvel, d.qacc)
    close(model.inverse_dynamics(q, v, found), tau, 1e-8)
    close(d.energy, [model.potential_energy(q), model.kinetic_energy(q, v)], 1e-10)


@examples(10, 500)
@given(seed=seeds)
def test_mujoco_computes_the_same(seed):
    """Free bases beside each other, one at a placement; bodies breadth first, files depth first."""
    rng = np.random.default_rng(seed)
    model = tree(rng, "mujoco", 5)
    m = mujoco.MjModel.from_xml_string(to_mjcf(model))
    agree_with_mujoco(model, m, model.order("mujoco"), state(rng, model))


# ---- coupled joints

COUPLED = """<mujoco><compiler angle="radian"/><worldbody><body name="arm">
<joint name="a" axis="0 1 0" range="-1 1"/><geom size="0.1" mass="1" pos="0.3 0 0"/>
<body name="finger" pos="0.5 0 0"><joint name="b" axis="0 1 0"/>
<geom size="0.1" mass="1" pos="0.2 0 0.1"/></body></body></worldbody>
<equality><joint joint1="b" joint2="a" polycoef="0.2 -1.5 0 0 0"/></equality></mujoco>"""


def test_coupled_joints_have_entries_of_their_own_in_mujoco(tmp_path):
    """They are where the other joint puts them, and their forces act through it."""
    path = tmp_path / "coupled.xml"
    path.write_text(COUPLED)
    model, m = vv.load(path), mujoco.MjModel.from_xml_string(COUPLED)
    assert model.joint_names == ("a",)
    o, q, v, a = model.order("mujoco"), [0.3], [0.7], [-0.4]
    close(o.q_to(q), [0.3, 0.2 - 1.5 * 0.3])
    close(o.a_to(q, v, a), [-0.4, 0.6])
    close(o.tau_to(q, [2.0]), [2.0, 0.0])
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    d = mujoco.MjData(m)
    d.qpos, d.qvel, d.qacc = o.q_to(q), o.v_to(q, v), o.a_to(q, v, a)
    mujoco.mj_inverse(m, d)
    close(model.tau_from("mujoco", d.qpos, d.qfrc_inverse), model.inverse_dynamics(q, v, a), 1e-12)
    with pytest.raises(
        ArgumentError, match=r"joint 'b' is coupled, and -0.25 where the others are"
    ):
        o.q_from([0.3, 0.1])
    with pytest.raises(ArgumentError, match="v of 'mujoco': joint 'b' is coupled"):
        o.v_from([0.3, -0.25], [[1.0, -1.5], [1.0, 0.0]])
    free = vv.load(path, mimic="expand")
    close(free.q_from("mujoco", [0.3, 0.1]), [0.3, 0.1])
    close(model.order("mujoco", ["a"]).q_from([0.3]), q)
    assert (o.nq, model.order("ros").nq, model.order("ros", ["b", "a"]).nq) == (2, 1, 2)


# ---- what ROS means, and what is refused


def flyer():
    b = vv.Builder("flyer").body("base", joint="free", inertia=BOX)
    b.body("upper", parent="base", joint="revolute", axis="z", joint_name="shoulder", inertia=BOX)
    b.body("rail", parent="base", joint="prismatic", joint_name="slide", inertia=BOX)
    b.body("fore", parent="upper", joint="revolute", axis="y", joint_name="elbow", inertia=BOX)
    return b.build()


def test_ros_has_pose_and_twist_of_the_base_first():
    """nav_msgs/Odometry: position, quaternion x y z w; linear, angular in the child's axes."""
    model = flyer()
    q = [0.5, 0.5, 0.5, 0.5, 1, 2, 3, 0.1, 0.2, 0.3]
    v = [4, 5, 6, 7, 8, 9, 0.1, 0.2, 0.3]
    assert model.q_to("ros", q).tolist() == [1, 2, 3, 0.5, 0.5, 0.5, 0.5, 0.1, 0.2, 0.3]
    there = [7, 8, 9, 4, 5, 6, 0.1, 0.2, 0.3]
    assert model.v_to("ros", q, v).tolist() == model.a_to("ros", q, v, v).tolist() == there
    assert model.tau_from("ros", model.q_to("ros", q), there).tolist() == v
    names = ["elbow", "base_joint", "slide", "shoulder"]
    assert model.order("ros", names).v_to(q, v).tolist() == [0.3, 7, 8, 9, 4, 5, 6, 0.2, 0.1]


def test_joints_come_as_files_have_them():
    """Depth first, but in ROS as the model lists them."""
    model, v = flyer(), np.arange(9.0)
    assert model.v_to("pinocchio", model.neutral(), v)[6:].tolist() == [6, 8, 7]
    assert model.v_to("ros", model.neutral(), v)[6:].tolist() == [6, 7, 8]


def test_an_angle_comes_back_between_plus_and_minus_pi():
    wheel = vv.Builder("wheel").body("rim", joint="revolute", inertia=BOX).build()
    close(wheel.q_to("pinocchio", [7.0]), [np.cos(7), np.sin(7)])
    close(wheel.q_from("pinocchio", [np.cos(7), np.sin(7)]), [7 - 2 * np.pi])
    assert wheel.order("pinocchio", continuous=[]).q_to([7.0]).tolist() == [7.0]


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (
            lambda m: m.q_from("drake", [0]),
            UnknownNameError,
            "unknown library 'drake' (available: 'pinocchio', 'mujoco', 'ros')",
        ),
        (
            lambda m: m.q_from("ros", np.zeros(9)),
            ShapeError,
            "q of 'ros' has 10 numbers, base_joint 7, shoulder, slide, elbow; got shape (9,)",
        ),
        (
            lambda m: m.q_to("ros", np.zeros((4, 9))),
            ShapeError,
            "q of 'flyer' has 10 numbers, base_joint, shoulder, slide, elbow; got shape (4, 9)",
        ),
        (
            lambda m: m.q_from("pinocchio", np.zeros(10)),
            ShapeError,
            "q of 'pinocchio' has 12 numbers, base_joint 7, shoulder 2, elbow 2, slide",
        ),
        (
            lambda m: m.v_to("ros", m.neutral(), "fast"),
            ArgumentError,
            "v of 'flyer' is an array of numbers, got 'fast'",
        ),
        (
            lambda m: m.q_from("mujoco", np.ones(10)),
            ArgumentError,
            "joint 'base_joint': numbers 3 to 6 of its 7 have length one together, got 2",
        ),
        (
            lambda m: m.q_to("mujoco", np.zeros((3, 10))),
            ArgumentError,
            "have length one together, got 0",
        ),
        (
            lambda m: m.order("ros", ["elbow", "knee"]),
            UnknownNameError,
            "unknown joint 'knee' (available: 'base_joint'",
        ),
        (
            lambda m: m.order("ros", ["elbow", "elbow", "slide", "base_joint"]),
            ArgumentError,
            "names= of 'ros' has each joint once, but not 'shoulder', 'elbow'",
        ),
        (
            lambda m: m.order("mujoco", continuous=["elbow"]),
            UnknownNameError,
            "(available: none)",
        ),
        (
            lambda m: m.order("pinocchio", continuous=["slide"]),
            UnknownNameError,
            "(available: 'shoulder', 'elbow')",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, error, said):
    with pytest.raises(error) as refusal:
        call(flyer())
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    ("library", "kind", "said"),
    [
        (
            "mujoco",
            "helical",
            "joint 'end' for 'mujoco' is helical, which it does not have; it has revolute, ",
        ),
        ("pinocchio", "cylindrical", "is cylindrical, which it does not have"),
        (
            "pinocchio",
            "tilted_planar",
            "joint 'end' for 'pinocchio' moves in a plane not normal to z",
        ),
        ("mujoco", "free", "joint 'end' for 'mujoco' is free and not on the world"),
    ],
)
def test_joints_that_a_library_lacks_are_refused(library, kind, said):
    b = vv.Builder("two").body("a", joint="prismatic", inertia=BOX)
    b.body("b", parent="a", joint=JOINTS[kind], joint_name="end", inertia=BOX)
    with pytest.raises(vv.VisvivaError) as refusal:
        b.build().order(library)
    assert said in str(refusal.value)


def test_keyframes_are_written_depth_first(tmp_path):
    """The position of a model whose bodies come breadth first is read back by names."""
    model = flyer()
    q = model.random(4)
    with pytest.warns(UserWarning, match="depth first"):
        vv.save(dataclasses.replace(model, keyframes={"home": q}), tmp_path / "flyer.xml")
    again = vv.load(tmp_path / "flyer.xml")
    names = again.joint_slices
    for joint, (at, _) in model.joint_slices.items():
        close(again.keyframes["home"][names[joint][0]], q[at])


@pytest.mark.parametrize("convert", [lambda q: q + 1j, lambda q: np.ma.array(q, mask=q == q[0])])
def test_numbers_that_are_complex_or_masked_are_refused(convert):
    arm = vv.catalog.two_link()
    with pytest.raises(ArgumentError, match="complex or masked"):
        arm.q_to("ros", convert(arm.random(0)))
