"""Words that calls of other libraries take: they work, or the error has the line that does."""

import copy
import pickle
import re

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, UnknownNameError, WriteError

ARM = vv.catalog.two_link()


@pytest.mark.parametrize(
    ("called", "named"),
    [
        (lambda: ARM.with_frame("tcp", body="link2", at=[0.0, 0.0, 0.1]), "frame_names"),
        (lambda: ARM.with_frame("tcp", np.eye(4), parent="tool"), "frame_names"),
        (lambda: ARM.with_frame("tcp", "world", at=[0, 0, 1]), "frame_names"),
        (lambda: ARM.with_loop("tool", "world", kind="spherical"), "constraints"),
        (lambda: ARM.with_loop("tool", child="world"), "constraints"),
        (lambda: ARM.with_friction(coulomb=0.3), "dry_friction"),
        (lambda: ARM.with_friction(coulomb={"q1": 0.2}, viscous=0.1), "dry_friction"),
        (lambda: vv.Pose(position=[1.0, 2.0, 3.0]), "p"),
        (lambda: vv.Pose(rotation=np.eye(3), xyz=np.ones(3)), "p"),
        (lambda: ARM.inverse_kinematics("tool", target=(1.0, 0.5), task="position"), "q"),
        (lambda: ARM.inverse_kinematics("tool", (1.0, 0.5), task="position", q0=[0.1, 1.0]), "q"),
        (lambda: ARM.jacobian("tool", rf="world"), "inputs"),
        (lambda: vv.Builder("b").body("a", type="revolute", origin=[1, 0, 0], mass=1.0), "name"),
    ],
)
def test_the_error_has_the_line(called, named):
    with pytest.raises(ArgumentError, match="no word") as caught:
        called()
    (line,) = re.findall(r"here it is (.*)$", str(caught.value))
    known = {"model": ARM, "vv": vv, "builder": vv.Builder("b")}
    assert len(getattr(eval(line, known), named)) > 0


@pytest.mark.parametrize(
    "called",
    [
        lambda: ARM.with_limits({"q1": (0, 1)}, q1=(0, 2)),
        lambda: ARM.with_friction({"q1": 0.1}, q1=0.2),
        lambda: vv.catalog.four_bar().assembled(fixed={"q1": 0.1}, q1=0.2),
    ],
)
def test_nothing_is_said_twice(called):
    with pytest.raises(ArgumentError, match="'q1' is given twice, in a mapping and as a word"):
        called()


def test_the_line_has_no_endless_numbers():
    with pytest.raises(ArgumentError, match=r"simulate\(x, t=2\.0\)$"):
        ARM.simulate(np.zeros((2000, 2)), duration=2.0)


def test_joints_by_name_where_they_are_few():
    limited = ARM.with_limits(q2=(-1, 1), velocity={"q1": 2.0})
    assert limited.upper.tolist() == [np.inf, 1.0]
    assert limited.velocity_limits.tolist() == [2.0, np.inf]
    rubbing = ARM.with_friction(q2=0.2, damping=0.5)
    assert rubbing.dry_friction.tolist() == [0.0, 0.2]
    assert ARM.with_friction(0.1, q2=0.2).dry_friction.tolist() == [0.1, 0.2]
    assert ARM.with_friction({"q1": 0.1}, q2=0.2).dry_friction.tolist() == [0.1, 0.2]
    with pytest.raises(UnknownNameError, match="unknown joint 'elbow'"):
        ARM.with_limits(elbow=(-1, 1))
    with pytest.raises(ArgumentError, match="a list for all velocities, or joints by name"):
        ARM.with_friction([0.1, 0.2], q2=0.2)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("slider", "prismatic"), ("hinge", "revolute"), ("pin", "revolute"), ("Ball", "spherical"),
     ("weld", "fixed"), ("screw", "helical"), ("floating", "free"), ("revolut", "revolute")],
)  # fmt: skip
def test_joints_by_other_names(theirs, ours):
    with pytest.raises(UnknownNameError, match=f"joint type '{theirs}'.*did you mean '{ours}'"):
        vv.Builder("b").body("a", joint=theirs, mass=1.0)


def test_loops_by_other_names():
    open_bar = vv.catalog.four_bar().without_constraints()
    with pytest.raises(UnknownNameError, match="unknown closure 'hinge': did you mean 'revolute'"):
        open_bar.with_loop("rocker_end", "coupler_end", joint="hinge")


def test_a_builder_takes_a_name():
    with pytest.raises(ArgumentError, match=r"takes a name, vv\.Builder\('arm'\), got a Model; .*"):
        vv.Builder(ARM)


def test_what_is_held_while_it_is_assembled():
    linkage = vv.catalog.four_bar()
    with pytest.raises(ArgumentError) as caught:
        linkage.assembled(fixed="theta1", theta1=0.3)
    (line,) = re.findall(r"(assembled\(fixed=\{.*\}\))", str(caught.value))
    assert eval(f"linkage.{line}", {"linkage": linkage})[0] == 0.3


def test_a_pose_that_does_not_turn():
    assert vv.Pose(p=[1, 2, 3]).R.tolist() == np.eye(3).tolist()
    assert vv.Pose().matrix().tolist() == np.eye(4).tolist()
    with pytest.raises(vv.VisvivaError, match=r"Pose\(p=\[x, y, z\]\) does not turn"):
        vv.Pose([1, 2, 3])


def test_linear_systems_by_the_letters_of_control():
    small = vv.catalog.cart_pole().linearize([0.0, 0.0])
    A, B, _, _ = small.state_space()
    assert np.array_equal(small.A, A)
    assert np.array_equal(small.B, B)


def test_proofs_and_derivations(tmp_path):
    with pytest.raises(ArgumentError, match=r"'koenig', 'euler-rates', 'coriolis-matrix'"):
        vv.proof()
    proof = vv.proof("moment-of-force")
    starts = {"tex": r"\documentclass", "md": "# ", "html": "<!", "txt": proof.title, "ipynb": "{"}
    for suffix, start in starts.items():
        proof.save(tmp_path / f"x.{suffix}")
        assert (tmp_path / f"x.{suffix}").read_text(encoding="utf-8").startswith(start), suffix
    with pytest.raises(WriteError, match=r"'x\.pdf' ends in none .* pdflatex .* x\.tex$"):
        proof.save(tmp_path / "x.pdf")
    with pytest.raises(WriteError, match="cannot be written"):
        proof.save(tmp_path / "nowhere" / "x.tex")


def test_one_of_a_kind_is_no_plural():
    text = repr(vv.Builder("b").body("a", joint="revolute", mass=1.0).frame("tip").build())
    assert "1 frame: tip" in text
    assert "1 note: see .notes" in text
    assert "1 loop: 'C'" in repr(vv.catalog.four_bar())


def test_lines_stand_for_words_that_are_none():
    arm, rpy, p = vv.catalog.puma560(), [0.1, 0.2, 0.3], [0.4, 0.1, 0.3]
    with pytest.raises(ArgumentError, match="rpy= is no word of Pose: here it is ") as caught:
        vv.Pose(p=p, rpy=rpy)
    line = str(caught.value).partition("here it is ")[2]
    pose = eval(line, {"vv": vv, "rpy": rpy, "p": p})
    with pytest.raises(AttributeError, match="a Pose has no 'rpy': here it is ") as told:
        _ = pose.rpy
    back = eval(str(told.value).partition("here it is ")[2], {"vv": vv, "pose": pose})
    np.testing.assert_allclose(back, rpy, rtol=1e-14)
    assert copy.deepcopy(pose).p.tolist() == pickle.loads(pickle.dumps(pose)).p.tolist() == p
    with pytest.raises(ArgumentError, match="position= is no word") as told:
        arm.inverse_kinematics("tool", position=p)
    line = str(told.value).partition("here it is ")[2]
    known = {"model": arm, "frame": "tool", "x": 0.4, "y": 0.1, "z": 0.3}
    np.testing.assert_allclose(arm.pose("tool")(eval(line, known).q)[:3, 3], p, atol=1e-12)


def test_what_does_not_fit_a_call_is_refused_with_what_it_takes():
    takes = r"^model\.inverse_kinematics\(frame, pose, \*, all=False, .*limits=True\): .*'pose'"
    with pytest.raises(ArgumentError, match=takes):
        ARM.inverse_kinematics("tool")
    with pytest.raises(ArgumentError, match=r"the frame comes first: .*tics\('tool', \[\[1\.0"):
        ARM.inverse_kinematics(np.eye(4))
    with pytest.raises(vv.VisvivaError, match=r"model\.jacobian\('tool', reference='body'\)"):
        ARM.jacobian("tool", frame="local")
    with pytest.raises(ArgumentError, match=r"q0, v0=None, .*unexpected keyword argument 'foo'"):
        ARM.simulate([0.0, 0.0], t=1.0, foo=3)
    with pytest.raises(TypeError, match="has no len"):  # of somebody's own function
        ARM.simulate([0.0, 0.0], t=1.0, tau=lambda t, q, v: len(3.0))


def test_poses_of_many_positions():
    q = np.array([[0.1, 0.2], [0.3, 0.4]])
    for given in (q, ()):
        with pytest.raises(
            vv.errors.ShapeError, match=r"; model\.pose\('tool'\)\(q\) takes one or"
        ):
            ARM.frame_pose("tool", given)
    for asked in (lambda: ARM.function("frame_pose"), lambda: ARM.function("pose")):
        with pytest.raises(UnknownNameError, match=r": here it is model\.pose\('tool'\)$"):
            asked()
    with pytest.raises(ArgumentError, match=r"here it is model\.pose\('tool'\)"):
        ARM.function("frame_pose", frame="tool")
    run = vv.Trajectory(ARM, [0.0, 1.0], q, 0 * q)
    with pytest.raises(UnknownNameError, match=r"here it is run\.system\.pose\("):
        run.quantity("frame_pose")
    with pytest.raises(AttributeError, match=r"here it is run\.system\.pose\('tool'\)\(run\.q\)"):
        _ = run.frame_pose


def test_poses_as_pairs_and_in_lists():
    arm = vv.catalog.puma560()
    q = arm.q(joint2=0.3, joint5=0.4)
    first, last = (arm.frame_pose("tool", x) for x in (q, q + 0.01))
    found = arm.inverse_kinematics("tool", (first.R, first.p), seed=q)
    np.testing.assert_allclose(found.q, q, atol=1e-12)
    listed = arm.follow("tool", [first, last], q)
    plain = arm.follow("tool", [first.matrix(), last.matrix()], q)
    np.testing.assert_allclose(listed.q, plain.q, atol=1e-12)
    with pytest.raises(vv.errors.ShapeError, match=r"a path is poses \(K, 4, 4\)"):
        arm.follow("tool", [first], q)


def test_joints_that_are_held_by_a_mapping():
    linkage = vv.catalog.four_bar()
    assert linkage.assembled({"theta1": 0.3}).tolist() == linkage.assembled(theta1=0.3).tolist()
    with pytest.raises(ArgumentError, match="'theta1' is given twice"):
        linkage.assembled({"theta1": 0.3}, theta1=0.4)


def test_laws_of_too_few_arguments_are_refused_at_once():
    with pytest.raises(ArgumentError, match=r"of \(t, q, v\), got one of \(t\)$"):
        ARM.simulate([0.0, 0.0], t=1.0, tau=lambda t: [0.0, 0.0])
    with pytest.raises(
        ArgumentError, match=r"rate .* function of \(t, q, v, x\), got one of \(x\)"
    ):
        vv.Controller(lambda t, q, v, x: x, start=(0.0,), rate=lambda x: x)
    with pytest.raises(ArgumentError, match=r"got 100; 100 times a second is period=0\.01$"):
        vv.Controller(lambda t, q, v: q, rate=100)
    assert vv.Controller(lambda t, q, v, gain=2.0: -gain * q).start == ()
    assert vv.Controller(lambda *state: state[1]).period is None


def test_a_name_of_a_loop_is_a_word():
    with pytest.raises(ArgumentError, match="a name is a word") as caught:
        ARM.with_loop("c1", "world", "tool", joint="spherical")
    line = str(caught.value).partition("here it is ")[2]
    assert eval(line, {"model": ARM}).constraints.names == ("c1",)
    with pytest.raises(ArgumentError, match=r"model\.with_loop\(frame1, frame2, .*'frame2'"):
        ARM.with_loop("tool")


def test_words_of_stability():
    with pytest.raises(ArgumentError, match=r"stability_limit\(parameter, between, .*'between'"):
        ARM.stability_limit("m1")
    with pytest.raises(ArgumentError, match="parameter= is no word") as caught:
        ARM.equilibria(parameter="m1")
    line = str(caught.value).partition("here it is ")[2]
    pendulum = vv.catalog.pendulum()
    assert f"{{{ARM.parameter_names[0]!r}: x}}" in line
    line = line.replace(ARM.parameter_names[0], pendulum.parameter_names[0])
    assert [len(x) for x in eval(line, {"model": pendulum})] == [len(pendulum.equilibria())] * 2


def test_poses_seen_from_another_frame():
    q = np.array([0.3, 0.4])
    with pytest.raises(ArgumentError, match="relative_to= is no word") as caught:
        ARM.frame_pose("tool", q, relative_to="link2")
    line = str(caught.value).partition("here it is ")[2]
    seen = eval(line, {"model": ARM, "q": q, "name": "tool", "other": "link2"})
    np.testing.assert_allclose(seen.R, np.eye(3), atol=1e-15)


def test_positions_one_by_one():
    with pytest.raises(ArgumentError, match="by names, or one list") as caught:
        ARM.q(0.1, 0.2)
    line = str(caught.value).partition("here it is ")[2]
    assert eval(line, {"model": ARM}).tolist() == [0.1, 0.2]


def test_files_by_their_ending(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solid = vv.Inertia.sphere(1.0, radius=0.1)  # every file can state it
    ball = vv.Builder("ball").body("ball", joint="revolute", inertia=solid).build()
    for called in (
        lambda: vv.save(ball, "x.xml", format="mjcf"),
        lambda: vv.save(ball, to="x.xml"),
    ):
        with pytest.raises(ArgumentError, match="is no word of save") as caught:
            called()
        eval(str(caught.value).partition("here it is ")[2], {"vv": vv, "model": ball})
        assert [x.name for x in tmp_path.iterdir()] == ["model.xml"]
    with pytest.raises(
        UnknownNameError, match=r"option of save for \.urdf 'pretty' \(available: '"
    ):
        vv.save(ball, "x.urdf", pretty=True)


def test_bodies_by_name():
    assert ARM.bodies["link2"] is ARM.bodies[1]
    assert isinstance(ARM.bodies[:1], tuple)
    assert pickle.loads(pickle.dumps(ARM)).bodies["link1"].name == "link1"
    with pytest.raises(UnknownNameError, match="unknown body 'link3'; did you mean"):
        _ = ARM.bodies["link3"]


def test_forces_from_outside():
    q, v, a = np.zeros((3, 2))
    with pytest.raises(UnknownNameError) as caught:
        ARM.inverse_dynamics(q, v, a, external={"tool": np.zeros(6)})
    f = eval(caught.value.cure, {"model": ARM})
    moved = f(q, v, a, [[0, 0, 0, 0, 1, 0]]) - ARM.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(moved, -ARM.jacobian("tool", "body")(q)[4], atol=1e-12)


def test_compensation_of_gravity():
    with pytest.raises(ArgumentError, match=r"of \(t, q, v\)") as caught:
        ARM.simulate([0.1, 0.2], t=0.1, tau=ARM.gravity_forces)
    (line,) = re.findall(r"(lambda t, q, v: model.*)$", str(caught.value))
    run = ARM.simulate([0.1, 0.2], t=0.1, tau=eval(line, {"model": ARM}))
    np.testing.assert_allclose(run.q[-1], [0.1, 0.2], atol=1e-12)


def test_robots_that_come_as_files(tmp_path, monkeypatch):
    with pytest.raises(vv.errors.UnknownMechanismError, match="robots come as files") as caught:
        _ = vv.catalog.ur5
    monkeypatch.chdir(tmp_path)
    with pytest.warns(UserWarning, match="ur5.urdf: left out: gravity"):
        vv.save(vv.catalog.pendulum(n=1), "ur5.urdf", lossy=True)
    assert eval(caught.value.cure, {"vv": vv}).nv == 1
    with pytest.raises(vv.errors.UnknownMechanismError, match="did you mean 'two_link'"):
        _ = vv.catalog.two_links


def test_points_in_place_of_poses():
    arm = vv.catalog.puma560()
    points = np.array([[0.4, 0.1, 0.3], [0.4, 0.15, 0.3]])
    q0 = arm.inverse_kinematics("tool", points[0], task="position").q
    with pytest.raises(vv.errors.ShapeError, match="of points it is") as caught:
        arm.follow("tool", points, q0)
    line = str(caught.value).partition("of points it is ")[2]
    known = {"model": arm, "vv": vv, "points": points, "frame": "tool", "q0": q0}
    end = arm.frame_pose("tool", eval(line, known).q[-1]).p
    np.testing.assert_allclose(end, points[1], atol=1e-9)


def test_first_calls_of_users_of_robots(tmp_path, monkeypatch):
    """Each is refused with a line, which does it."""
    monkeypatch.chdir(tmp_path)
    ball = vv.Inertia.sphere(1.0, radius=0.1)
    vv.save(vv.Builder("ball").body("ball", joint="revolute", inertia=ball).build(), "robot.urdf")
    fixed = ARM.numeric
    q, payload = [0.1, 0.2], vv.Inertia.point(2.0)
    known = {"vv": vv, "model": fixed, "path": "robot.urdf", "payload": payload, "q": q}
    run = vv.Trajectory(fixed, [0.0, 1.0], np.zeros((2, 2)), np.zeros((2, 2)))
    known |= {"lower": [-1, -2], "upper": [1, 2], "figure": run.plot(), "picture": run.picture()}
    calls = [
        lambda: vv.load("robot.urdf", "free"),
        lambda: vv.load("robot.urdf", floating=True),
        lambda: vv.Model("robot.urdf"),
        lambda: fixed.attached("tool", payload),
        lambda: fixed.attached(2.0, "tool"),
        lambda: fixed.with_frame("tcp", "tool", [0, 0, 0.1]),
        lambda: fixed.with_limits(lower=[-1, -2], upper=[1, 2]),
        lambda: fixed.with_friction(q1=1.0, stiction=2.0),
        lambda: fixed.with_friction(stiction=2.0),
        lambda: known["figure"].savefig,
        lambda: known["picture"].savefig,
    ]
    for call in calls:
        with pytest.raises((ArgumentError, AttributeError)) as caught:
            call()
        (line,) = re.findall(r"(?:here it is|for example) (.*)$", str(caught.value))
        made = eval(line, known)
        assert made is not None or "save" in line
        if "stiction" in line:
            assert made.bodies[0].stiction == 2.0
            assert made.bodies[1].stiction.any() == ("q1" not in line)
        if "lower" in line:
            assert made.upper.tolist() == [1.0, 2.0]
    with pytest.raises(ArgumentError, match=r"here it is model\.show\(q\)"):
        fixed.view(q)
