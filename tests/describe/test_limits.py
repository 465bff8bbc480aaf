"""Limits of joints stated anew: by name, kept in files, honoured by what asks for them."""

from dataclasses import replace

import numpy as np
import pytest

import visviva as vv
from visviva.describe.files.urdf.read import loads_urdf
from visviva.errors import ArgumentError, ShapeError, UnknownNameError

ARM = vv.catalog.spatial_3r()
INF = np.inf


def test_what_is_named_changes_and_nothing_else():
    new = ARM.with_limits({"theta2": (-0.5, 1.5), "theta3": (None, 2.0)}, velocity={"theta1": 3.0})
    assert new.lower.tolist() == [ARM.lower[0], -0.5, -INF]
    assert new.upper.tolist() == [ARM.upper[0], 1.5, 2.0]
    assert new.velocity_limits[0] == 3.0
    assert new.velocity_limits[1:].tolist() == ARM.velocity_limits[1:].tolist()
    assert ARM.lower.tolist() == vv.catalog.spatial_3r().lower.tolist()  # a model is frozen
    back = new.with_limits({"theta2": None, "theta3": None}, velocity={"theta1": None})
    assert back.lower[1:].tolist() == [-INF, -INF]
    assert back.velocity_limits[0] == INF
    assert new.with_limits(effort={"theta2": 40.0}).effort_limits[1] == 40.0
    assert np.array_equal(new.mass_matrix([0.1, 0.2, 0.3]), ARM.mass_matrix([0.1, 0.2, 0.3]))


@pytest.mark.parametrize("ending", ["toml", "urdf", "xml"])
def test_files_keep_them(tmp_path, ending):
    b = vv.Builder("arm")
    for k in range(3):
        inertia = vv.Inertia(1.0 + k, [0.1, 0.0, 0.2], np.diag([0.3, 0.2, 0.25]))
        parent = f"body{k - 1}" if k else ""
        b.body(f"body{k}", joint="revolute", parent=parent, joint_name=f"j{k}", inertia=inertia)
    new = b.build().with_limits({f"j{k}": (-0.5 - k, 1.0 + k) for k in range(3)})
    vv.save(new, tmp_path / f"arm.{ending}")
    again = vv.load(tmp_path / f"arm.{ending}")
    assert np.abs(again.lower - [-0.5, -1.5, -2.5]).max() < 1e-12
    assert np.abs(again.upper - [1.0, 2.0, 3.0]).max() < 1e-12


def test_they_are_honoured():
    point = ARM.frame_pose("tool", [0.2, 0.4, 0.9]).p
    free = ARM.inverse_kinematics("tool", point, task="position", all=True)
    held = ARM.with_limits({"theta3": (0.0, 2.0)})
    found = held.inverse_kinematics("tool", point, task="position", all=True)
    assert 0 < found.count < free.count
    assert (found.q[:, 2] >= 0).all()
    assert held.random(0)[2] == pytest.approx(np.clip(held.random(0)[2], 0.0, 2.0))


def test_stops_stay_stops_at_the_new_place():
    b = vv.Builder("ball")
    ball = b.body("ball", joint="prismatic", axis="z", limits=(0.0, 9.0), mass=1.0).build()
    joint = ball.joint_names[0]
    stopped = ball.with_stops(0.5).with_limits({joint: (0.25, None)})
    run = stopped.simulate([1.0], [0.0], 10.0)
    assert run.q[-1] == pytest.approx([0.25], abs=1e-12)
    with pytest.raises(ArgumentError, match="has no limits of position"):
        stopped.with_limits({joint: None})


def test_refusals():
    with pytest.raises(UnknownNameError, match="unknown joint 'theta9'"):
        ARM.with_limits({"theta9": (0, 1)})
    with pytest.raises(ArgumentError, match=r"limits of 'theta1' are a pair \(lower, upper\)"):
        ARM.with_limits({"theta1": 1.0})
    with pytest.raises(ArgumentError, match="the lower is not above the upper"):
        ARM.with_limits({"theta1": (1.0, 0.0)})
    for bad in ("a", np.nan, True, 1j):
        with pytest.raises(ArgumentError, match="are numbers, or None for no limit"):
            ARM.with_limits({"theta1": (0.0, bad)})
    with pytest.raises(ShapeError, match="1 numbers or one"):
        ARM.with_limits({"theta1": ([0.0, 1.0], 2.0)})
    with pytest.raises(ArgumentError, match="by the names of joints"):
        ARM.with_limits((0.0, 1.0))
    with pytest.raises(ArgumentError, match="sizes, from 0 on"):
        ARM.with_limits(velocity={"theta1": -1.0})
    ball = vv.Builder("ball").body("a", joint="spherical", joint_name="j").build()
    with pytest.raises(ArgumentError, match="coordinates without limits of their own"):
        ball.with_limits({"j": (0, 1)})
    text = """<robot name="two"><link name="base"/><link name="a"/><link name="b"/>
    <joint name="j1" type="continuous"><parent link="base"/><child link="a"/></joint>
    <joint name="j2" type="continuous"><parent link="a"/><child link="b"/><mimic joint="j1"/>
    </joint></robot>"""
    with pytest.raises(ArgumentError, match="it follows 'j1', whose limits hold for it"):
        loads_urdf(text).with_limits({"j2": (0, 1)})


def coupled(multiplier, offset, lower, upper, speed=1.0):
    """j within ±1, and k = multiplier · j + offset with limits of its own."""
    limit = f'lower="{lower}" upper="{upper}" effort="1" velocity="{speed}"'
    body = """<inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>"""
    return f"""<robot name="two"><link name="base"/>
    <link name="a">{body}</link><link name="b">{body}</link>
    <joint name="j" type="revolute"><parent link="base"/><child link="a"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/></joint>
    <joint name="k" type="revolute"><parent link="a"/><child link="b"/><limit {limit}/>
    <mimic joint="j" multiplier="{multiplier}" offset="{offset}"/></joint></robot>"""


@pytest.mark.spread(1)
@pytest.mark.parametrize(
    ("multiplier", "offset", "own", "left"),
    [
        (-2.0, 0.0, (-0.2, 0.2), (-0.1, 0.1)),
        (2.0, 0.5, (0.1, 1.5), (-0.2, 0.5)),
        (-0.5, 0.1, (-0.3, 5.0), (-1.0, 0.8)),
    ],
)
def test_a_joint_stays_where_its_followers_may_be(tmp_path, multiplier, offset, own, left):
    model = loads_urdf(coupled(multiplier, offset, *own, speed=100.0))
    assert np.allclose([model.lower[0], model.upper[0]], left, atol=1e-12, rtol=0)
    assert any(n.startswith("limits of 'j' are [") and "k = " in n for n in model.notes)
    k = [multiplier * model.random(s)[0] + offset for s in range(50)]
    assert own[0] <= min(k)
    assert max(k) <= own[1]
    stops = model.with_stops(0.0)
    motion = stops.simulate(
        stops.neutral(), [0.5], 5.0, tau=lambda t, q, v: stops.inverse_dynamics(q, v, [0.0])
    )
    assert motion.q.max() < left[1] + 1e-9
    for ending in ("urdf", "xml", "toml"):
        vv.save(model, tmp_path / f"two.{ending}")
        again = vv.load(tmp_path / f"two.{ending}")
        assert np.allclose([again.lower[0], again.upper[0]], left, atol=1e-12, rtol=0)
    wider = model.with_limits({"j": (-99.0, 99.0)})
    ends = sorted((x - offset) / multiplier for x in own)
    assert np.allclose([wider.lower[0], wider.upper[0]], ends, atol=1e-12, rtol=0)


def test_speeds_of_followers_limit_the_joint_too():
    model = loads_urdf(coupled(-2.0, 0.0, -9.0, 9.0, speed=1.0))
    assert model.velocity_limits.tolist() == [0.5]
    assert model.notes == ("the speed limit of 'j' is 0.5, not 2: k = -2·j has 1",)
    silent = loads_urdf(coupled(-2.0, 0.0, -9.0, 9.0, speed=0.0))
    assert silent.velocity_limits.tolist() == [2.0]


def test_mujoco_joints_that_follow_limit_theirs(tmp_path):
    body = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    text = f"""<mujoco><compiler angle="radian" autolimits="true"/><worldbody><body name="a">{body}
    <joint name="j" axis="0 0 1" range="-1 1"/><body name="b">{body}
    <joint name="k" axis="0 1 0" range="-0.2 0.4"/></body></body></worldbody>
    <equality><joint joint1="k" joint2="j" polycoef="0 -2 0 0 0"/></equality></mujoco>"""
    (tmp_path / "two.xml").write_text(text)
    model = vv.load(tmp_path / "two.xml")
    assert np.allclose([model.lower[0], model.upper[0]], [-0.2, 0.1], atol=1e-12, rtol=0)
    apart = vv.load(tmp_path / "two.xml", mimic="expand")
    assert apart.upper.tolist() == [1.0, 0.4]


def test_limits_that_leave_no_motion_are_said_to_contradict():
    model = loads_urdf(coupled(-1.0, 0.0, 2.0, 3.0, speed=100.0))
    assert model.lower.tolist() == [-1.0]
    assert "limits [2, 3] of 'k' contradict those of 'j', [-1, 1]" in model.notes[0]
    still = loads_urdf(coupled(0.0, 1.0, 2.0, 3.0))
    assert still.notes[0] == "k = 0·j + 1 is outside of its limits [2, 3]"


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "planar"])
def test_limits_the_wrong_way_round_make_no_model(kind):
    """However they come: a reader, a builder, a body that somebody replaced."""
    b = vv.Builder("arm").body("a", joint=kind, joint_name="j", mass=1.0)
    model = b.build()
    body = model.bodies[0]
    lower = np.full(len(body.limits.lower), 1.0)
    for upper, refused in ((1.0, False), (2.0, False), (INF, False), (0.999, True), (-INF, True)):
        limits = replace(body.limits, lower=lower, upper=np.full(len(lower), upper))
        if refused:
            with pytest.raises(ArgumentError, match="'j': the lower limit is not above the upper"):
                replace(model, bodies=(replace(body, limits=limits),))
        else:
            assert replace(model, bodies=(replace(body, limits=limits),)).upper[0] == upper
