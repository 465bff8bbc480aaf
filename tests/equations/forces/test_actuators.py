"""Actuators anywhere: u = T f by virtual work, limits as the extremes over all corners."""

import itertools
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close
from tests.support.oracles.oracle import mechanism, precise, random_state, value
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.model.actuator import Actuator
from visviva.describe.model.body import Mimic
from visviva.describe.values import digest
from visviva.equations.forces.actuators import Actuation, actuation, actuator_map
from visviva.errors import ActuationError, ArgumentError, ShapeError, UnknownNameError
from visviva.space.poses import Pose

seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 6)


def driven(rng, size):
    """A random mechanism with one actuator of every kind."""
    model = mechanism(rng, size)
    frames = [str(x) for x in rng.choice(model.frame_names, 4)]
    b = model.bodies[int(rng.integers(len(model.bodies)))]
    velocity = str(rng.choice(b.joint.velocities))
    ends = np.sort(rng.normal(size=(5, 2)) * 9)
    made = [Actuator.motor("m", b.joint_name, rng.uniform(1, 50), ends[0], velocity)]
    for k, (kind, axes) in enumerate(itertools.product(("thruster", "couple"), ("body", "world"))):
        more = {"point": rng.normal(size=3)} if kind == "thruster" else {}
        options = {"axes": axes, "limits": ends[k + 1], **more}
        made.append(getattr(Actuator, kind)(f"a{k}", frames[k], rng.normal(size=3), **options))
    return model.with_actuators(made)


def power(model, q, v, f):
    """What the actuators' forces do: each along the motion of what it acts on."""
    total, h = 0.0, 1e-20
    q, v = precise(q), precise(v)
    poses = {s: {} for s in (1, -1)}
    for s in poses:
        there = model.integrate(q, v * (s * h))
        poses[s] = {name: model.frame_pose(name, there) for name in model.frame_names}
    for a, push in zip(model.actuators, f, strict=True):
        if a.kind == "motor":
            i = model.joint_index(a.joint)
            b = model.bodies[i]
            ratio = 1 if b.mimic is None else b.mimic.multiplier
            speed = v[model.v_index[i]][b.joint.velocities.index(a.velocity)] * ratio
            total += push * a.gear * speed
            continue
        up, down = poses[1][a.frame], poses[-1][a.frame]
        middle = model.frame_pose(a.frame, q)
        d = middle.R @ a.direction if a.axes == "body" else a.direction
        if a.kind == "thruster":
            rate = (up.apply(a.point) - down.apply(a.point)) / (2 * h)
        else:
            W = (up.R - down.R) / (2 * h) @ middle.R.T
            rate = np.array([W[2, 1], W[0, 2], W[1, 0]])
        total += push * (d @ rate)
    return [total]


@examples(4, 1000)
@given(seeds, sizes)
def test_actuators_do_virtual_work(seed, size):
    """(T f) · v is the power of motors, thrusters and couples."""
    rng = np.random.default_rng(seed)
    model = driven(rng, size)
    q, v, _ = random_state(rng, model)
    f = rng.normal(size=5)
    T = actuator_map(model, q)
    assert T.shape == (model.nv, 5)
    wanted = value(lambda q, v, f: power(model, q, v, f), q, v, f)
    scale = 1 + np.abs(T * np.outer(v, f)).sum()
    close([v @ (T @ f) / scale], wanted / scale)


def test_the_map_compiles():
    rng = np.random.default_rng(3)
    model = driven(rng, 4)
    q = np.array([model.random(rng) for _ in range(6)])
    close(model.actuator_map(q), [actuator_map(model, x) for x in q])
    slopes = model.actuator_map.jacobian("q")(q)
    assert slopes.shape == (6, model.nv, 5, model.nv)
    other = model.with_actuators(model.actuators[:2])
    assert digest(other) != digest(model)
    assert other.actuator_map(q).shape == (6, model.nv, 2)


def test_without_actuators_every_velocity_has_one():
    model = vv.catalog.two_link()
    assert actuator_map(model.numeric, [0.1, 0.2]).tolist() == np.eye(2).tolist()
    assert model.actuator_map([0.1, 0.2]).tolist() == np.eye(2).tolist()
    boat = vv.Builder("boat").body("hull", joint="free", inertia=Inertia.sphere(1.0, radius=1.0))
    free = boat.build()
    assert free.actuator_map(free.neutral()).tolist() == np.eye(6).tolist()
    push = Actuator.thruster("push", "hull", [1.0, 0.0, 0.0])
    assert free.with_actuators(push).actuators == (push,)  # one needs no list
    none = free.with_actuators(push).with_actuators([])
    assert none.actuator_map(free.neutral()).tolist() == np.eye(6).tolist()
    with pytest.raises(ArgumentError, match="with_actuators takes Actuator objects, got int"):
        free.with_actuators(3)


def test_actuation_looks_at_q_with_and_without_actuators():
    model = vv.catalog.two_link()
    name = model.joint_names[0]
    for m in (model, model.with_actuators(Actuator.motor("m", name))):
        with pytest.raises(ShapeError, match=r"has 2 entries, got shape \(3,\)"):
            m.actuation(np.zeros(3))
        with pytest.raises(ArgumentError, match="is 2 numbers, got 'x'"):
            m.actuation("x")
    b = vv.Builder("one").body("a", joint="revolute", effort=7.0)
    made = actuation(b.build(), [0.3])
    assert (made.lower, made.upper, made.rank) == ([-7.0], [7.0], 1)
    assert made.forces([2.0]).tolist() == [2.0]


# ---- limits


@examples(8, 2000)
@given(seeds, st.integers(1, 4), st.integers(1, 5))
def test_limits_of_u_are_the_extremes_over_all_corners(seed, n, k):
    rng = np.random.default_rng(seed)
    T = rng.normal(size=(n, k)) * rng.integers(0, 2, size=(n, k))
    ends = np.sort(rng.normal(size=(k, 2)))
    made = Actuation.of(T, ends[:, 0], ends[:, 1])
    corners = np.array([T @ np.array(f) for f in itertools.product(*ends)])
    close(made.lower, corners.min(axis=0))
    close(made.upper, corners.max(axis=0))
    assert made.rank == np.linalg.matrix_rank(T)


def test_no_limits_are_no_limits_where_the_actuator_acts():
    made = Actuation.of([[1.0, 0.0], [2.0, -1.0]], [-np.inf, -1.0], [np.inf, 3.0])
    assert (made.lower.tolist(), made.upper.tolist()) == ([-np.inf] * 2, [np.inf] * 2)
    made = Actuation.of([[0.0, 2.0], [1.0, 0.0]], [-np.inf, -1.0], [3.0, 1.0])
    assert (made.lower.tolist(), made.upper.tolist()) == ([-2.0, -np.inf], [2.0, 3.0])


@examples(8, 2000)
@given(seeds, st.integers(1, 5))
def test_virtual_actuators_become_real_ones(seed, n):
    rng = np.random.default_rng(seed)
    T, f = rng.normal(size=(n, n)), rng.uniform(-1, 1, n)
    made = Actuation.of(T, -np.ones(n), np.ones(n))
    close(made.condition, np.linalg.cond(T), 1e-9)  # relative to the condition itself
    close(made.forces(T @ f) / made.condition, f / made.condition)
    assert made.full_rank
    assert made.within(T @ f, 1e-12 * made.condition)
    f[int(rng.integers(n))] = 1.5 * rng.choice([-1, 1])
    assert not made.within(T @ f, min(0.1, 1e-12 * made.condition))


def test_more_actuators_than_velocities():
    rng = np.random.default_rng(0)
    T, u = rng.normal(size=(2, 5)), rng.normal(size=2)
    made = Actuation.of(T, -np.ones(5), np.ones(5))
    f = made.forces(u)
    close(T @ f, u)
    close(f, T.T @ np.linalg.solve(T @ T.T, u))  # the smallest
    with pytest.raises(ArgumentError, match="as many actuators as velocities; got 5 and 2"):
        made.within(u)


def test_lost_rank_is_said():
    made = actuation(vv.catalog.rp_arm_thrusters(), [0.4, 0.0])
    assert (made.rank, made.condition, made.full_rank) == (1, np.inf, False)
    assert "rank lost: 1 of 2 generalized forces cannot be made" in repr(made)
    with pytest.raises(ActuationError, match="2 actuators make 1 of 2 generalized forces"):
        made.forces([1.0, 2.0])
    few = Actuation.of(np.ones((3, 1)), [-1.0], [1.0])
    assert not few.full_rank
    assert few.condition == np.inf
    assert Actuation.of(np.zeros((2, 2)), [-1.0] * 2, [1.0] * 2).rank == 0
    assert Actuation.of(np.zeros((0, 0)), [], []).rank == 0


def test_a_report_reads_well():
    made = Actuation.of([[2.0, 0.0], [0.0, 4.0]], [-1.0, 0.0], [1.0, 3.0])
    assert repr(made) == (
        "2 actuators, 2 velocities, rank 2, condition 2\nu1 in [-2, 2]\nu2 in [0, 12]"
    )


# ---- models that change


def chain():
    b = vv.Builder("chain").base_inertia(Inertia.point(2.0))
    rod = Inertia.rod(1.0, length=1.0)
    b.body("a", joint="revolute", axis="x", inertia=rod)
    b.body("b", parent="a", joint="spherical", at=[0, 0, 1.0], inertia=rod)
    b.body("c", parent="b", joint="prismatic", at=[0, 0, 1.0], inertia=rod)
    b.frame("tip", body="c", at=[0, 0.2, 0])
    return b.build().with_actuators(
        [
            Actuator.motor("hip", "a_joint", 3.0, (-1.0, 2.0)),
            Actuator.motor("ball", "b_joint", velocity="wy"),
            Actuator.thruster("jet", "tip", [1.0, 1.0, 0.0], [0.1, 0, 0]),
            Actuator.couple("wheel", "b", [0.0, 1.0, 0.0], "world"),
            Actuator.thruster("anchor", "world", [1.0, 0.0, 0.0]),
        ]
    )


def names(model):
    return [a.name for a in model.actuators]


def test_actuators_go_where_their_joints_and_frames_go():
    m = chain()
    held = m.locked(a_joint=0.3)
    assert names(held) == ["ball", "jet", "wheel", "anchor"]
    assert "hip" in held.notes[-1]
    q = m.random(1)
    q[0] = 0.3
    close(actuator_map(held, q[1:]), actuator_map(m, q)[1:, 1:])
    part = m.submodel("a")
    assert names(part) == ["ball", "jet", "wheel"]  # neither its joint nor the world is there
    assert [x for x in part.notes if "anchor" in x]
    both = m.attached(m, "tip", Pose.translation([0, 0, 0.4]), prefix="h_")
    assert names(both) == [*names(m), *(f"h_{x}" for x in names(m))]
    assert [a.frame for a in both.actuators][-1] == "h_chain_base"
    assert both.notes == ()
    Q = np.concatenate([q, m.random(2)])
    T = actuator_map(both, Q)
    close(T[:5, :5], actuator_map(m, q))
    assert not T[5:, :5].any()
    assert T[:5, 7].any()  # its jet moves us too


def test_a_thruster_on_the_base_counts_once_the_base_is_free():
    m = chain()
    assert not actuator_map(m, m.random(0))[:, 4].any()
    b = vv.Builder("boat", base="hull").base_inertia(Inertia.sphere(3.0, radius=0.2))
    b.body("rudder", joint="revolute", inertia=Inertia.point(1.0, [0.1, 0, 0]))
    push = Actuator.thruster("screw", "hull", [1.0, 0.0, 0.0])
    free = b.build().with_actuators([push]).with_free_base()
    assert actuator_map(free, free.random(1))[:, 0].tolist() == [0, 0, 0, 1.0, 0, 0, 0]


def test_actuators_carry_parameters():
    b = vv.Builder("arm", parameters={"gear": 3.0, "r": 0.5})
    gear, r = b.parameters["gear"], b.parameters["r"]
    b.body("a", joint="revolute", inertia=Inertia.point(1.0, [1.0, 0, 0]))
    m = b.build().with_actuators(
        [Actuator.motor("m", "a_joint", gear), Actuator.thruster("t", "a", [0, 1.0, 0], [r, 0, 0])]
    )
    assert m.is_symbolic
    assert m.actuator_map([0.3]).tolist() == [[3.0, 0.5]]
    other = m.with_parameters(gear=5.0, r=0.25)
    assert other.actuator_map([0.3]).tolist() == [[5.0, 0.25]]
    again = pickle.loads(pickle.dumps(m.numeric))
    assert [x.name for x in again.actuators] == ["m", "t"]
    f = m.function("actuator_map", parameters=["gear"])
    assert f([0.3], [7.0]).tolist() == [[7.0, 0.5]]


def test_a_motor_on_a_coupled_joint_drives_its_source():
    b = vv.Builder("gears").body("a", joint="revolute")
    b.body("b", parent="a", joint="revolute", mimic=Mimic("a_joint", -2.0, 0.1))
    m = b.build().with_actuators([Actuator.motor("m", "b_joint", 3.0)])
    assert actuator_map(m, [0.1]).tolist() == [[-6.0]]


# ---- what is refused


def test_bad_actuators():
    m = chain()
    with pytest.raises(UnknownNameError, match="unknown joint 'a_jiont'; did you mean 'a_joint'"):
        m.with_actuators([Actuator.motor("m", "a_jiont")])
    with pytest.raises(UnknownNameError, match="unknown frame 'top'"):
        m.with_actuators([Actuator.thruster("t", "top", [1, 0, 0])])
    with pytest.raises(ArgumentError, match="'b_joint' has 3 velocities, say which one"):
        m.with_actuators([Actuator.motor("m", "b_joint")])
    with pytest.raises(UnknownNameError, match="unknown velocity of joint 'b_joint' 'wq'"):
        m.with_actuators([Actuator.motor("m", "b_joint", velocity="wq")])
    with pytest.raises(ArgumentError, match="two actuators are called 'hip'"):
        m.with_actuators([m.actuators[0]] * 2)
    with pytest.raises(ArgumentError, match=r"actuators are made first, got 'hip'.*Actuator.motor"):
        m.with_actuators(["hip"])
    with pytest.raises(ArgumentError, match="an axis needs a direction"):
        Actuator.thruster("t", "tip", [0, 0, 0])
    with pytest.raises(UnknownNameError, match="unknown axes of actuator 't' 'wolrd'"):
        Actuator.thruster("t", "tip", [1, 0, 0], axes="wolrd")
    with pytest.raises(UnknownNameError, match="unknown kind of actuator 't' 'rocket'"):
        Actuator("t", "rocket")
    with pytest.raises(ShapeError, match=r"a point has 3 coordinates, got shape \(2,\)"):
        Actuator.thruster("t", "tip", [1, 0, 0], [0, 0])
    for limits in ((2.0, 1.0), (np.nan, 1.0)):
        with pytest.raises(ArgumentError, match="limits are a pair lower ≤ upper"):
            Actuator.motor("m", "a_joint", limits=limits)
    for limits in (3.0, (1.0, 2.0, 3.0), "ab"):
        with pytest.raises(ArgumentError, match=r"limits are a pair \(lower, upper\), got"):
            Actuator.motor("m", "a_joint", limits=limits)
    for gear in (0.0, np.nan):
        with pytest.raises(ArgumentError, match="the gear ratio is a finite number other than 0"):
            Actuator.motor("m", "a_joint", gear)


def test_bad_positions_and_forces():
    m = vv.catalog.rp_arm_thrusters()
    with pytest.raises(
        ShapeError, match=r"q of 'rp_arm_thrusters' has 2 entries, got shape \(3,\)"
    ):
        actuation(m, np.zeros(3))
    with pytest.raises(ArgumentError, match="entries that are not finite"):
        actuation(m, [np.nan, 1.0])
    with pytest.raises(ShapeError, match=r"u has 2 entries, got shape \(1,\)"):
        actuation(m, [0.3, 1.0]).forces([1.0])


def test_values_are_frozen():
    m = chain()
    with pytest.raises(AttributeError):
        m.actuators[0].gear = 2.0
    with pytest.raises(AttributeError):
        actuation(m, m.random(0)).rank = 2
    assert replace(m.actuators[0], gear=2.0).gear == 2.0
