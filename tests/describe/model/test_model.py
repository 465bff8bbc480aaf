"""Model: names and numbers, positions by name, poses, parameters, coupled joints."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count
from tests.support.generators.bodies import close, compiled, random_tree, same_pose
from visviva.describe import catalog
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.model.body import WORLD, Mimic, Spring
from visviva.errors import ArgumentError, ShapeError, UnknownNameError, VisvivaError
from visviva.space.poses import Pose


def arm():
    """Shoulder, slider, ball: three joint types, a frame at the tip."""
    b = Builder("arm")
    b.body("upper", joint="revolute", axis="y", limits=(-1.0, 2.0), effort=50.0, velocity=3.0,
           inertia=Inertia.rod(2.0, length=0.4).moved(p=[0, 0, 0.2]))  # fmt: skip
    b.body("slider", parent="upper", joint="prismatic", at=[0, 0, 0.4], limits=(0.0, 0.5),
           inertia=Inertia.box(1.0, x=0.1, y=0.1, z=0.1), damping=0.3, friction=0.2)  # fmt: skip
    b.body("hand", parent="slider", joint="spherical", joint_name="wrist", at=[0, 0, 0.1],
           inertia=Inertia.sphere(0.5, radius=0.05))  # fmt: skip
    return b.frame("tip", body="hand", at=[0, 0, 0.08]).build()


def crank(**values):
    """Symbolic length and mass, a second joint coupled to the first."""
    b = Builder("crank", parameters={"l": 0.5, "m": 2.0} | values, gravity=(0.0, -9.81, 0.0))
    l, m = b.parameters["l"], b.parameters["m"]  # noqa: E741  the length
    b.body("a", joint="revolute", inertia=Inertia.point(m, [l, 0.0, 0.0]))
    b.body("b", parent="a", joint="revolute", at=[l, 0.0, 0.0], inertia=Inertia.point(2 * m),
           mimic=Mimic("a_joint", -2.0, 0.25))  # fmt: skip
    return b.frame("end", body="b", at=[l / 2, 0.0, 0.0]).build()


# ---- names and sizes


def test_sizes_and_names():
    m = arm()
    assert (m.nq, m.nv) == (6, 5)
    assert m.joint_names == ("upper_joint", "slider_joint", "wrist")
    assert m.body_names == ("upper", "slider", "hand")
    assert m.frame_names == ("upper", "slider", "hand", "tip")
    assert m.q_index == (slice(0, 1), slice(1, 2), slice(2, 6))
    assert m.v_index == (slice(0, 1), slice(1, 2), slice(2, 5))
    assert [m.body_index(n) for n in m.body_names] == [0, 1, 2]
    assert m.joint_index("wrist") == 2
    assert m.frame("tip").body == 2
    assert m.frame("slider").body == 1
    assert m.mass == 3.5
    close(m.gravity, [0, 0, -9.81], 0)
    assert m.lower.tolist() == [-1.0, 0.0] + [-np.inf] * 4
    assert m.upper.tolist() == [2.0, 0.5] + [np.inf] * 4
    assert m.velocity_limits.tolist() == [3.0] + [np.inf] * 4
    assert m.effort_limits.tolist() == [50.0] + [np.inf] * 4


def test_unknown_names_list_the_known_ones():
    m = arm()
    with pytest.raises(UnknownNameError, match=r"unknown body 'hnad'; did you mean 'hand'\?"):
        m.body_index("hnad")
    with pytest.raises(UnknownNameError, match=r"unknown joint 'x' \(available: 'upper_joint', "):
        m.joint_index("x")
    with pytest.raises(UnknownNameError, match="unknown frame 'tipp'; did you mean 'tip'"):
        m.frame_pose("tipp", m.neutral())
    with pytest.raises(UnknownNameError, match="unknown joint 'wirst'; did you mean 'wrist'"):
        m.q(wirst=[0, 0, 0, 1])


def test_the_table():
    assert repr(arm()) == (
        "arm: nq 6, nv 5, gravity (0, 0, -9.81)\n"
        "   joint         parent  type       limits    mass  body\n"
        "0  upper_joint   world   revolute   [-1, 2]   2     upper\n"
        "1  slider_joint  upper   prismatic  [0, 0.5]  1     slider\n"
        "2  wrist         slider  spherical            0.5   hand\n"
        "1 frames: tip\n"
        "damping: slider_joint 0.3\n"
        "friction: slider_joint 0.2"
    )
    text = repr(crank())
    assert "parameters: l = 0.5, m = 2" in text
    assert "revolute = -2·a_joint + 0.25" in text
    assert "gravity (0, -9.81, 0)" in text
    two = Builder("two").body("a", joint="cylindrical", limits=([-1, 0], [1, 0.5])).build()
    assert "cylindrical  [-1, 1] [0, 0.5]  0" in repr(two)
    assert "1 notes: see .notes" in repr(Builder("empty").note("nothing here").build())


# ---- positions


def test_positions_by_name():
    m = arm()
    close(m.q(), [0, 0, 0, 0, 0, 1], 0)
    close(m.q(slider_joint=0.3, wrist=[1, 0, 0, 0]), [0, 0.3, 1, 0, 0, 0], 0)
    with pytest.raises(ShapeError, match="joint 'wrist' takes 4 values, got 3"):
        m.q(wrist=[1, 0, 0])
    with pytest.raises(ShapeError, match="joint 'slider_joint' takes 1 values, got 2"):
        m.q(slider_joint=[1, 0])
    with pytest.raises(ArgumentError, match=r"q takes positions by joint name.*; got list"):
        m.q([1] * 6)
    with pytest.raises(ArgumentError, match=r"joint 'wrist' has a quaternion .* got length 2;"):
        m.q(wrist=[0, 0, 0, 2])


@pytest.mark.parametrize("bad", ["x", -1, 1.5])
def test_random_takes_a_seed_or_a_generator(bad):
    with pytest.raises(ArgumentError, match="random takes a seed, a whole number from 0 on"):
        arm().random(bad)


@pytest.mark.parametrize("length", [0.0, 1 + 1e-5, np.nan])
def test_quaternions_have_length_one(length):
    """Where Python computes; compiled functions look at single states."""
    m = arm()
    q, bad, v = m.neutral(), m.neutral(), np.zeros(m.nv)
    bad[2:] *= length
    for refused in (
        lambda: m.body_poses(bad),
        lambda: m.frame_pose("tip", bad),
        lambda: m.integrate(bad, v),
        lambda: m.difference(q, bad),
        lambda: m.difference(bad, q),
    ):
        with pytest.raises(
            ArgumentError, match=r"joint 'wrist' has a quaternion \(x, y, z, w\) of"
        ):
            refused()
    q[2:] *= 1 + 1e-7  # as files round
    assert m.frame_pose("tip", q).p.shape == (3,)
    other = bad.astype(object)  # other scalars are not looked at
    assert m.frame_pose("tip", other).p.shape == (3,)


def test_integrate_and_difference():
    rng = np.random.default_rng(0)
    for _ in range(count(5, 200)):
        m = random_tree(rng, 6)
        q, step = m.random(rng), rng.uniform(-1, 1, m.nv)
        there = m.integrate(q, step)
        close(m.difference(q, there), step, 1e-12)
        close(m.integrate(m.neutral(), np.zeros(m.nv)), m.neutral(), 0)
        target = m.integrate(there, rng.uniform(-1, 1, m.nv))
        again = m.integrate(q, m.difference(q, target))
        for a, b in zip(m.body_poses(again), m.body_poses(target), strict=True):
            same_pose(a, b)
    with pytest.raises(ShapeError, match=r"q of 'tree' has \d+ entries, got shape \(1,\)"):
        m.integrate([0.0], step)
    with pytest.raises(ShapeError, match="step of 'tree' has"):
        m.integrate(q, [0.0])
    with pytest.raises(ShapeError, match="q1 of 'tree' has"):
        m.difference(q, [0.0])


def test_random_positions_respect_limits_and_seeds():
    m = arm()
    for seed in range(20):
        q = m.random(seed)
        assert (m.lower <= q).all()
        assert (q <= m.upper).all()
        assert np.linalg.norm(q[2:]) == pytest.approx(1.0)
        close(q, m.random(seed), 0)
        close(q, m.random(np.random.default_rng(seed)), 0)
    assert not np.array_equal(m.random(0), m.random(1))


def test_poses_are_products_along_the_tree():
    rng = np.random.default_rng(1)
    for _ in range(count(5, 200)):
        m = random_tree(rng, 6)
        q = m.random(rng)
        poses = m.body_poses(q)
        for i, b in enumerate(m.bodies):
            above = Pose.identity() if b.parent == WORLD else poses[b.parent]
            here = above @ b.placement @ b.joint.transform(q[m.q_index[i]])
            same_pose(poses[i], here, 1e-14)
            same_pose(m.frame_pose(b.name, q), here, 1e-14)
        f = m.frames[-1]
        same_pose(m.frame_pose(f.name, q), poses[f.body] @ f.placement, 1e-14)


def test_poses_over_machine_code():
    m = random_tree(np.random.default_rng(2), 8)

    def stacked(q):
        return np.array([x.matrix() for x in m.body_poses(q)])

    q = m.random(3)
    close(compiled(stacked, m.nq)(q), stacked(q), 1e-13)


def test_a_frame_on_the_world():
    m = Builder("bench").frame("corner", at=[1, 2, 3]).build()
    assert (m.nq, m.nv, m.mass) == (0, 0, 0.0)
    close(m.frame_pose("corner", []).p, [1, 2, 3], 0)
    assert m.neutral().shape == m.random().shape == (0,)


# ---- coupled joints


def test_coupled_joints_follow():
    m = crank().numeric
    assert (m.nq, m.nv, m.joint_names) == (1, 1, ("a_joint",))
    q = np.array([0.4])
    close(m.local(1, q), [-2 * 0.4 + 0.25], 1e-15)
    along = Pose.translation([0.5, 0, 0])
    expected = Pose.rotation([0, 0, 1], 0.4) @ along @ Pose.rotation([0, 0, 1], -0.55)
    same_pose(m.frame_pose("b", q), expected, 1e-15)
    close(m.integrate(q, [0.1]), [0.5], 1e-15)
    assert m.random(0).shape == m.neutral().shape == (1,)
    with pytest.raises(ArgumentError, match="joint 'b_joint' is coupled"):
        m.q(b_joint=1.0)


def test_a_joint_may_follow_one_that_comes_later():
    b = Builder("gears").body("follower", joint="revolute", mimic=Mimic("leader_joint", 3.0))
    m = b.body("leader", joint="revolute").build()
    close(m.local(0, np.array([0.5])), [1.5], 0)


def test_a_source_must_exist_and_be_free():
    b = Builder("gears").body("a", joint="revolute", mimic=Mimic("no"))
    with pytest.raises(UnknownNameError, match="unknown joint that 'a_joint' follows 'no'"):
        b.build()
    b = Builder("gears").body("a", joint="revolute")
    b.body("b", joint="revolute", mimic=Mimic("a_joint"))
    with pytest.raises(UnknownNameError, match=r"follows 'b_joint'.*\(available: 'a_joint'\)"):
        b.body("c", joint="revolute", mimic=Mimic("b_joint")).build()


def test_symbolic_couplings():
    b = Builder("gears", parameters={"ratio": 3.0, "shift": 0.5})
    ratio, shift = b.parameters["ratio"], b.parameters["shift"]
    b.body("a", joint="revolute").body("b", joint="revolute", mimic=Mimic("a_joint", ratio, shift))
    m = b.build()
    assert m.is_symbolic
    assert m.numeric.bodies[1].mimic == Mimic("a_joint", 3.0, 0.5)
    assert "revolute = ratio·a_joint + shift" in repr(m)


# ---- parameters


def test_parameters():
    m = crank()
    assert m.is_symbolic
    assert not m.numeric.is_symbolic
    assert dict(m.parameters) == {"l": 0.5, "m": 2.0}
    assert m.numeric.mass == 6.0
    assert m.with_parameters(m=1.0).numeric.mass == 3.0
    assert dict(m.parameters) == {"l": 0.5, "m": 2.0}  # the first is as it was
    assert m.over({"m": 10.0}).mass == 30.0
    assert dict(m.over({}).parameters) == {}
    close(m.numeric.frame_pose("end", np.array([0.0])).p[:1], [0.5 + 0.25 * np.cos(0.25)], 1e-15)
    for refused in (lambda: m.with_parameters(k=1.0), lambda: m.over({"k": 1.0})):
        with pytest.raises(
            UnknownNameError, match=r"unknown parameter 'k' \(available: 'l', 'm'\)"
        ):
            refused()
    with pytest.raises(TypeError):
        m.parameters["l"] = 1.0
    assert arm().numeric.mass == arm().mass
    assert not arm().is_symbolic


def test_every_number_of_a_body_may_be_a_parameter():
    b = Builder("screw", parameters={"k": 3.0})
    k = b.parameters["k"]
    shaft = {"damping": k, "friction": 2 * k, "armature": 3 * k, "pitch": 4 * k, "at": [k, 0, 0]}
    b.body("a", joint="helical", inertia=Inertia.point(k), **shaft).frame(
        "f", body="a", at=[0, k, 0]
    )
    body = b.build().numeric.bodies[0]
    assert [*body.damping, *body.friction, *body.armature] == [3.0, 6.0, 9.0]
    assert (body.joint.pitch, body.inertia.mass, body.placement.p[0]) == (12.0, 3.0, 3.0)
    assert b.build().numeric.frames[0].placement.p[1] == 3.0


def test_parameters_as_inputs_of_machine_code():
    """One compiled function over a batch of lengths."""
    m = crank()

    def reach(q, p):
        x = m.over({"l": p[0], "m": p[1]}).frame_pose("end", q).p
        return x[0] * x[0] + x[1] * x[1]

    f = vv.function(reach, {"q": 1, "p": 2})
    lengths = np.linspace(0.1, 1.0, 7)
    got = f(np.array([0.3]), np.column_stack([lengths, np.ones(7)]))
    by_hand = [
        np.sum(m.with_parameters(l=x).numeric.frame_pose("end", np.array([0.3])).p[:2] ** 2)
        for x in lengths
    ]
    close(got, by_hand, 1e-15)


# ---- frozen, portable


@pytest.mark.parametrize("make", [arm, crank, lambda: random_tree(np.random.default_rng(4), 5)])
def test_models_can_be_pickled_and_copied(make):
    m = make()
    for again in (pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
        assert repr(again) == repr(m)
        q = m.random(0)
        for a, b in zip(again.numeric.body_poses(q), m.numeric.body_poses(q), strict=True):
            same_pose(a, b, 0)
        assert dict(again.parameters) == dict(m.parameters)


def test_models_are_frozen():
    m = arm()
    for name in ("name", "bodies", "gravity"):
        with pytest.raises(AttributeError):
            setattr(m, name, None)


def test_positions_by_mapping_and_their_mistakes():
    m = catalog.scara()
    np.testing.assert_array_equal(m.q({"theta2": 0.3}, d=0.1), m.q(theta2=0.3, d=0.1))
    assert m.locked({"theta2": 0.3}).nv == 2
    for bad in (None, "x", np.nan):
        with pytest.raises(ArgumentError, match="joint 'd' takes"):
            m.q(d=bad)


def test_poses_check_what_they_are_given():
    m = catalog.scara()
    with pytest.raises(ArgumentError, match="the name comes first"):
        m.frame_pose(m.neutral(), "tool")
    for wrong in (np.zeros(2), np.zeros((3, 1)), np.zeros(9)):
        with pytest.raises(ShapeError, match="q of 'scara' has 3 entries"):
            m.frame_pose("tool", wrong)


@pytest.mark.parametrize("value", [np.nan, np.inf, "x", None])
def test_parameters_are_finite_numbers(value):
    with pytest.raises(ArgumentError, match="parameter 'a1' is a finite number"):
        catalog.scara().with_parameters(a1=value)


def test_impossible_values_are_refused_at_once():
    with pytest.raises(VisvivaError, match="mass cannot be negative"):
        catalog.scara().with_parameters(m1=-1.0)


# ---- frozen


def arrays(x):
    """Every array that a value holds, however deep."""
    if isinstance(x, np.ndarray):
        yield x
    elif dataclasses.is_dataclass(x):
        for item in dataclasses.fields(x):
            yield from arrays(getattr(x, item.name))
    elif isinstance(x, (tuple, list)):
        for item in x:
            yield from arrays(item)
    elif hasattr(x, "items"):
        yield from arrays(list(x.values()))


def everything():
    """A model that has one of everything that holds arrays."""
    b = Builder("all", parameters={"l": 0.5}).base_inertia(Inertia.point(1.0))
    b.body("u", joint="universal", axis="x", second="y", at=[b.parameters["l"], 0, 0])
    b.body("p", parent="u", joint="planar", inertia=Inertia.sphere(1.0, radius=0.1))
    m = b.frame("end", body="p", at=[0, 0, 1.0]).build()
    jet = vv.Actuator.thruster("jet", "end", [0, 0, 2.0], point=[0.1, 0, 0])
    spring = Spring("s", 1.0, 0.0, frames=("u", "end"), points=(np.zeros(3), np.ones(3)))
    key = {"home": m.neutral()}
    return dataclasses.replace(m, actuators=(jet,), springs=(spring,), keyframes=key)


@pytest.mark.parametrize(
    "way",
    [
        lambda m: m,
        lambda m: m.numeric,
        lambda m: m.with_free_base(),
        lambda m: m.locked(u_joint=[0.1, 0.2]),
        copy.deepcopy,
        lambda m: pickle.loads(pickle.dumps(m.numeric)),
    ],
)
def test_no_array_of_a_model_can_be_changed(way):
    held = list(arrays(way(everything())))
    assert len(held) > 20
    assert not [x for x in held if x.flags.writeable]


def test_a_model_does_not_share_the_arrays_it_is_made_of():
    g, R, p = np.array([0, 0, -9.81]), np.eye(3), np.zeros(3)
    m = Builder("one", gravity=g).body("a", joint="revolute", at=p, rotation=R).build()
    X, body = Pose(R, p[:]), Inertia(1.0, p, R)
    g[2], R[0, 0], p[0] = 1.0, 5.0, 5.0
    assert m.gravity.tolist() == [0, 0, -9.81]
    for Y in (X, m.bodies[0].placement):
        close(Y.matrix(), np.eye(4), 0)
    assert (body.com[0], body.tensor[0, 0]) == (0.0, 1.0)
    with pytest.raises(ValueError, match="read-only"):
        m.gravity[2] = -1.62


def test_what_a_model_gives_is_the_callers():
    m = arm()
    limits = (m.lower, m.upper, m.velocity_limits, m.effort_limits)
    for x in (*limits, m.neutral(), m.random(0), m.q(), m.integrate(m.neutral(), np.zeros(m.nv))):
        x[0] = 7.0
    assert m.lower[0] == -1.0
    assert m.neutral()[0] == 0.0


def test_another_gravity():
    m = arm()
    moon = m.with_gravity([0, 0, -1.62])
    q = m.random(0)
    close(moon.gravity_forces(q) * 9.81, m.gravity_forces(q) * 1.62, 1e-12)
    assert m.gravity.tolist() == [0, 0, -9.81]
    for bad in (-1.62, [0, 0], [0, 0, np.nan], "moon", None, [[0, 0, 1]]):
        with pytest.raises(ArgumentError, match=r"gravity is 3 finite numbers \[x, y, z\], got"):
            m.with_gravity(bad)
