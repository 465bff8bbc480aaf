"""Pictures of singular sets: the determinant that is drawn is zero where the dots are."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError


def test_over_one_joint():
    fig = vv.catalog.scara().singularities("tool").plot()
    line, *dots = fig.data
    assert np.allclose(line.y, 0.4 * 0.3 * np.sin(line.x))  # l1 l2 sin θ2
    assert fig.layout.xaxis.title.text == "theta2 [rad]"
    for t in dots:
        assert np.abs(np.sin(t.x)).max() < 1e-6
        assert not np.any(t.y)


def test_over_two_joints():
    arm = vv.catalog.articulated()
    found = arm.singularities("tool")
    fig = found.plot()
    shown, *dots = fig.data
    assert shown.type == "heatmap"
    names = [fig.layout[k].title.text.split()[0] for k in ("xaxis", "yaxis")]
    places = [arm.coordinate_names.index(x) for x in names]
    assert len(dots) == len(found.sets)
    J = arm.task_jacobian("tool", "position")
    for t in dots:
        q = np.zeros((len(t.x), arm.nq))
        q[:, places[0]], q[:, places[1]] = t.x, t.y
        assert np.abs(np.linalg.det(J(q))).max() < 1e-9 * np.abs(shown.z).max()


def test_arms_at_singular_positions():
    fig = vv.catalog.puma560().singularities("tool").plot()
    assert [t.name for t in fig.data] == ["wrist", "shoulder", "elbow"]
    flat = vv.catalog.planar_3r().singularities("tool").plot(arms=True)
    assert [t.type for t in flat.data] == ["scatter"]


def test_what_is_never_singular_has_no_picture():
    with pytest.raises(ArgumentError, match="never zero, nothing is lost"):
        vv.catalog.cartesian().singularities("tool").plot()


def test_solutions():
    arm = vv.catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5)
    found = arm.inverse_kinematics("tool", (1.8, 1.2, 0.6), all=True)
    fig = found.plot()
    assert fig.layout.title.text == "tool of planar_3r: 2 ways to one target"
    for t in fig.data:
        assert (t.x[-1], t.y[-1]) == pytest.approx((1.8, 1.2))
    assert len({tuple(np.round(t.x, 6)) for t in fig.data}) == 2
    poses = arm.pose("tool")(np.linspace([0.1, 0.4, 0.2], [0.6, 0.9, 0.1], 30))
    along = arm.inverse_kinematics("tool", poses).plot()
    assert along.layout.title.text.endswith("along 30 poses, 12 of them drawn")
    path = along.data[-1]
    assert np.allclose(np.array([path.x, path.y]).T, poses[:, :2, 3])
    with pytest.raises(ArgumentError, match="there is no solution to draw"):
        arm.inverse_kinematics("tool", (9.0, 0.0, 0.0)).plot()
