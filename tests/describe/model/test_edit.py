"""Models from models: the new one moves as the old one does, and the old one stays."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.counts import count
from tests.support.generators.bodies import close, random_tree, same_inertia, same_pose
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.constraints.loop import Loop
from visviva.describe.joints.free import Spherical
from visviva.describe.model.body import WORLD, Frame, Mimic, Spring
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.space.poses import Pose


def chain(name="chain", **parameters):
    b = Builder(name, parameters=parameters).base_inertia(Inertia.point(5.0, [0, 0, -0.1]))
    rod = Inertia.rod(1.0, length=1.0).moved(p=[0, 0, 0.5])
    b.body("a", joint="revolute", axis="x", inertia=rod, damping=0.5, friction=0.1, armature=0.2)
    b.body("b", parent="a", joint="spherical", at=[0, 0, 1.0], inertia=rod)
    b.body("c", parent="b", joint="prismatic", at=[0, 0, 1.0], inertia=rod)
    return b.frame("tip", body="c", at=[0, 0, 1.0]).frame("mark", body="a", at=[0.1, 0, 0]).build()


def whole(model, q):
    """All of a model as one rigid body in the world."""
    parts = [
        b.inertia.moved(X.R, X.p) for b, X in zip(model.bodies, model.body_poses(q), strict=True)
    ]
    total = model.base_inertia or Inertia.point(0.0)
    for part in parts:
        total = total + part
    return total


# ---- locked


def test_locked_joints_are_where_they_were_put():
    m = chain()
    turn = np.array([0.5, -0.5, 0.5, 0.5])
    held = m.locked(b_joint=turn)
    assert held.joint_names == ("a_joint", "c_joint")
    assert held.frame_names == ("a", "c", "b", "tip", "mark")
    q = m.q(a_joint=0.3, b_joint=turn, c_joint=0.2)
    short = held.q(a_joint=0.3, c_joint=0.2)
    for frame in m.frame_names:
        same_pose(held.frame_pose(frame, short), m.frame_pose(frame, q), 1e-15)
    same_inertia(whole(held, short), whole(m, q), 1e-14)
    assert held.mass == m.mass
    assert m.nv == 5  # the original stays


@pytest.mark.soak
def test_random_trees_locked():
    rng = np.random.default_rng(0)
    for _ in range(count(5, 200)):
        m = random_tree(rng, 6)
        q = m.random(rng)
        i = int(rng.integers(6))
        name = m.bodies[i].joint_name
        held = m.locked(**{name: q[m.q_index[i]]})
        rest = np.concatenate([q[s] for k, s in enumerate(m.q_index) if k != i])
        same_inertia(whole(held, rest), whole(m, q), 1e-11)  # distances up to ten, squared
        for frame in m.frame_names:
            same_pose(held.frame_pose(frame, rest), m.frame_pose(frame, q), 1e-13)


def test_everything_locked_is_a_base():
    m = chain()
    q = m.random(0)
    held = m.locked(a_joint=q[0], b_joint=q[1:5], c_joint=q[5])
    assert (held.nv, held.bodies) == (0, ())
    same_inertia(held.base_inertia, whole(m, q), 1e-14)
    same_pose(held.frame_pose("tip", []), m.frame_pose("tip", q), 1e-15)


def test_locking_what_others_follow():
    b = (
        Builder("gears")
        .body("a", joint="revolute")
        .body("b", parent="a", joint="revolute", at=[1, 0, 0], mimic=Mimic("a_joint", -2.0, 0.1))
    )
    m = b.build()
    held = m.locked(a_joint=0.3)
    same_pose(held.frame_pose("b", []), m.frame_pose("b", np.array([0.3])), 1e-15)
    with pytest.raises(ArgumentError, match="joint 'b_joint' follows 'a_joint': lock that one"):
        m.locked(b_joint=0.3)


def test_locking_what_is_not_there():
    with pytest.raises(UnknownNameError, match="unknown joint 'a_jiont'; did you mean 'a_joint'"):
        chain().locked(a_jiont=1.0)
    with pytest.raises(ShapeError, match=r"joint 'b_joint' takes 4 values \(x, y, z, w\), got 3"):
        chain().locked(b_joint=[0, 0, 1])


@pytest.mark.parametrize("bad", [np.nan, np.inf, "x", None])
def test_locking_at_no_position_is_refused(bad):
    with pytest.raises(ArgumentError, match=r"joint 'a_joint' takes (finite )?numbers, got"):
        chain().locked(a_joint=bad)
    with pytest.raises(ArgumentError, match=r"joint 'b_joint' has a quaternion .* got length 0;"):
        chain().locked(b_joint=np.zeros(4))
    with pytest.raises(ArgumentError, match=r"locked takes positions by joint name.*got \[0\.1\]"):
        chain().locked([0.1])


# ---- a part


def test_submodel():
    m = chain()
    part = m.submodel("a")
    assert part.joint_names == ("b_joint", "c_joint")
    assert part.base_name == "a"
    assert set(part.frame_names) == {"a", "b", "c", "tip", "mark"}
    same_inertia(part.base_inertia, m.bodies[0].inertia, 0)
    q = m.random(1)
    for frame in ("b", "c", "tip", "mark"):
        relative = m.frame_pose("a", q).inverse() @ m.frame_pose(frame, q)
        same_pose(part.frame_pose(frame, q[1:]), relative, 1e-14)
    leaf = m.submodel("c")
    assert (leaf.nv, leaf.frame_names) == (0, ("c", "tip"))
    with pytest.raises(UnknownNameError, match="unknown body 'd'"):
        m.submodel("d")


def test_submodel_leaves_branches_out():
    b = Builder("y").body("trunk", joint="revolute").body("left", parent="trunk", joint="revolute")
    b.body("right", parent="trunk", joint="revolute", mimic=Mimic("left_joint"))
    b.body("hand", parent="right", joint="revolute", mimic=Mimic("left_joint"))
    b.body("foot", parent="left", joint="revolute", mimic=Mimic("trunk_joint"))
    m = b.build()
    with pytest.raises(ArgumentError, match="'hand_joint' follows 'left_joint', which is left out"):
        m.submodel("right")
    with pytest.raises(
        ArgumentError, match="'foot_joint' follows 'trunk_joint', which is left out"
    ):
        m.submodel("trunk")


# ---- attached


def test_a_tool_by_its_inertia():
    m = chain()
    tool = Inertia.box(0.5, x=0.1, y=0.1, z=0.2)
    at = Pose.rotation([1, 0, 0], 0.4) @ Pose.translation([0, 0, 0.1])
    armed = m.attached(tool, "tip", at, prefix="drill")
    q = m.random(2)
    pose = m.frame_pose("tip", q) @ at
    same_pose(armed.frame_pose("drill", q), pose, 1e-15)
    assert armed.mass == pytest.approx(m.mass + 0.5)
    same_inertia(whole(armed, q), whole(m, q) + tool.moved(pose.R, pose.p), 1e-13)
    assert "tool" in m.attached(tool, "tip").frame_names


def test_a_model_on_a_model():
    m, hand = chain(), chain("hand")
    at = Pose.rotation([0, 1, 0], 0.3)
    both = m.attached(hand, "tip", at, prefix="hand_")
    assert both.joint_names == (*m.joint_names, *(f"hand_{n}" for n in hand.joint_names))
    assert both.nq == m.nq + hand.nq
    assert both.mass == pytest.approx(m.mass + hand.mass + 5.0)  # with the hand's base
    rng = np.random.default_rng(3)
    q, p = m.random(rng), hand.random(rng)
    mount = m.frame_pose("tip", q) @ at
    for frame in hand.frame_names:
        expected = mount @ hand.frame_pose(frame, p)
        same_pose(both.frame_pose(f"hand_{frame}", np.concatenate([q, p])), expected, 1e-14)
    for frame in m.frame_names:
        same_pose(both.frame_pose(frame, np.concatenate([q, p])), m.frame_pose(frame, q), 1e-15)
    moved = whole(hand, p).moved(mount.R, mount.p)
    same_inertia(whole(both, np.concatenate([q, p])), whole(m, q) + moved, 1e-13)


def test_attaching_keeps_couplings_and_parameters():
    b = Builder("gripper", parameters={"w": 0.1})
    w = b.parameters["w"]
    b.body("left", joint="prismatic", at=[w, 0, 0], inertia=Inertia.point(0.1))
    b.body("right", joint="prismatic", at=[-w, 0, 0], mimic=Mimic("left_joint", -1.0))
    both = chain(k=3.0).attached(b.build(), "tip", prefix="g_")
    assert both.bodies[-1].mimic == Mimic("g_left_joint", -1.0)
    assert dict(both.parameters) == {"k": 3.0, "w": 0.1}
    q = both.q(g_left_joint=0.05)
    close(both.numeric.frame_pose("g_left", q).p, [0.1, 0, 3.05], 1e-15)
    with pytest.raises(ArgumentError, match=r"both models have parameters called \['w'\]"):
        both.attached(b.build(), "tip", prefix="h_")


def test_attaching_two_models_with_symbols_in_one_body():
    """The base of a symbolic tool becomes part of a symbolic link."""
    host, tool = (
        Builder(n, parameters={p: v}) for n, p, v in (("host", "m", 2.0), ("tool", "n", 3.0))
    )
    host.body("link", joint="revolute", inertia=Inertia.point(host.parameters["m"], [1.0, 0, 0]))
    tool.base_inertia(Inertia.point(tool.parameters["n"])).body("bit", joint="revolute")
    both = host.build().attached(tool.build(), "link")
    assert both.numeric.mass == 5.0


def test_attaching_twice_without_a_prefix_is_refused():
    m = chain()
    with pytest.raises(ArgumentError, match="has 'a' already; another prefix"):
        m.attached(chain("again"), "tip")
    with pytest.raises(UnknownNameError, match="unknown frame 'tpi'; did you mean 'tip'"):
        m.attached(Inertia.point(1.0), "tpi")


# ---- set free, without dissipation


def test_free_base():
    m = chain()
    free = m.with_free_base()
    assert (free.nq, free.nv) == (m.nq + 7, m.nv + 6)
    assert free.joint_names[0] == "base_joint"
    assert free.mass == pytest.approx(m.mass + 5.0)
    q = m.random(4)
    for frame in m.frame_names:
        here = free.frame_pose(frame, np.concatenate([[0, 0, 0, 1, 0, 0, 0], q]))
        same_pose(here, m.frame_pose(frame, q), 1e-15)
    turn = np.array([0.5, 0.5, -0.5, 0.5, 1.0, 2.0, 3.0])
    X = free.bodies[0].joint.transform(turn)
    same_inertia(whole(free, np.concatenate([turn, q])), whole(m, q).moved(X.R, X.p), 1e-13)
    with pytest.raises(
        ArgumentError, match="'chain' is free already: joint 'base_joint' carries 'base'"
    ):
        free.with_free_base()
    with pytest.raises(
        ArgumentError, match="model 'chain' has nothing at its base that could move"
    ):
        replace(m, base_inertia=None).with_free_base()


def test_a_free_base_keeps_the_frames_at_the_base():
    """A frame called like the new body is the body only if it is where the body is."""
    turned = Frame("base", WORLD, Pose.rotation([0, 0, 1.0], np.pi))
    m = chain()
    m = replace(m, frames=(*m.frames, turned, Frame("world", WORLD, Pose.identity())))
    free = m.with_free_base()
    assert free.body_names[0] == "base_body"
    q = np.concatenate([[0, 0, 0, 1, 0, 0, 0], m.random(4)])
    for frame in m.frame_names:
        same_pose(free.frame_pose(frame, q), m.frame_pose(frame, q[7:]), 1e-15)
    assert [x for x in free.notes if "the free base is 'base_body'" in x]
    assert [x for x in free.notes if "'world' is fixed to the free base and moves" in x]
    with pytest.raises(ArgumentError, match="has 'base' already, and elsewhere"):
        m.with_free_base("base")
    assert m.with_free_base("hull").body_names[0] == "hull"
    same = replace(m, frames=(Frame("base", WORLD, Pose.identity()),)).with_free_base()
    assert (same.body_names[0], same.frames, same.notes) == ("base", (), ())


def test_locking_a_free_base_brings_the_robot_back():
    m = chain()
    again = m.with_free_base().locked(base_joint=[0, 0, 0, 1, 0, 0, 0])
    q = m.random(5)
    same_inertia(whole(again, q), whole(m, q), 1e-14)
    same_pose(again.frame_pose("tip", q), m.frame_pose("tip", q), 1e-15)


def test_without_dissipation():
    m = chain()
    smooth = m.without_dissipation()
    assert smooth.bodies[0].damping.tolist() == smooth.bodies[0].friction.tolist() == [0.0]
    assert smooth.bodies[0].armature.tolist() == [0.2]  # a rotor dissipates nothing
    assert m.bodies[0].damping.tolist() == [0.5]


# ---- what no longer fits is dropped, and said


@pytest.mark.parametrize(
    "edit",
    [
        lambda m: m.locked(a_joint=0.1),
        lambda m: m.submodel("a"),
        lambda m: m.with_free_base(),
        lambda m: m.attached(chain("hand"), "tip", prefix="h_"),
    ],
)
def test_keyframes_of_another_length_do_not_survive(edit):
    m = chain()
    m = Model(
        m.name, m.bodies, m.frames, m.gravity, m.base_inertia, keyframes={"home": m.neutral()}
    )
    changed = edit(m)
    assert all(len(q) == changed.nq for q in changed.keyframes.values())
    assert changed.keyframes or any("keyframe" in note for note in changed.notes)


def test_springs_and_loops_go_where_their_joints_go():
    """Renamed with what they act on, kept while it is there, and never dropped without a word."""
    m = replace(
        chain(),
        springs=(Spring("coil", 2.0, 0.0, joint="a_joint"),),
        constraints=(Loop("closure", "tip", "a", Spherical()),),
    )
    both = m.attached(m, "tip", prefix="h_")
    assert [s.joint for s in both.springs] == ["a_joint", "h_a_joint"]
    assert [(x.name, x.frame1) for x in both.loops] == [("closure", "tip"), ("h_closure", "h_tip")]
    assert both.notes == ()
    held = m.locked(a_joint=0.1)
    assert held.springs == ()
    assert held.loops == m.loops
    assert "coil" in held.notes[-1]
    assert m.with_free_base().springs == m.springs
