"""Limits of joints stated anew: by name, kept in files, honoured by what asks for them."""

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
