"""Pictures of frames and Euler angles: arrows are columns of R, arcs end where axes are."""

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.space.euler import CONVENTIONS

X = vv.Pose.translation([1.0, 2.0, 0.5]) @ vv.Pose.rotation([1.0, 0.0, 1.0], 0.7)


def rows(trace):
    return np.array([trace.x, trace.y, trace.z], dtype=float).T


def arrows(fig, letter):
    lines = [t for t in fig.data if t.name == f"{letter} axes" and t.type == "scatter3d"]
    return [rows(t) for t in lines if t.opacity is None]


def test_axes_of_a_frame_are_the_columns_of_its_rotation():
    fig = X.plot("tool")
    for k, letter in enumerate("xyz"):
        ((start, end),) = arrows(fig, letter)
        assert np.allclose(start, X.p)
        assert np.allclose((end - start) / np.linalg.norm(end - start), X.R[:, k])
    assert any(t.text == ("tool",) for t in fig.data)


@pytest.mark.parametrize("frame", [X, X.matrix(), X.R])
def test_frames_are_poses_matrices_or_rotations(frame):
    ((start, end),) = arrows(vv.space.plot_frames(body=frame), "x")
    assert np.allclose((end - start) / np.linalg.norm(end - start), X.R[:, 0])


def test_several_frames():
    fig = vv.space.plot_frames(a=X, b=X @ X)
    assert fig.layout.title.text == "frames a, b in the world"
    assert len(arrows(fig, "z")) == 2


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", CONVENTIONS)
def test_arcs_of_euler_angles(name):
    """Each arc is as long as its angle, and what it carries along ends on an axis of a turn."""
    q = np.array([0.7, 0.5, 0.9])
    fig = vv.space.plot_euler(q, name)
    arcs = [t for t in fig.data if (t.name or "").startswith("q")]
    assert len(arcs) == 3
    for arc in arcs:
        path = rows(arc)
        radius = np.linalg.norm(path[0])
        length = np.linalg.norm(np.diff(path, axis=0), axis=1).sum()
        angle = q["₁₂₃".index(arc.name[1])]
        assert arc.name.endswith(f"= {np.degrees(angle):.4g}°")
        assert length == pytest.approx(radius * angle, rel=1e-3)
    last, R = rows(arcs[2])[-1], vv.space.euler_matrix(q, name)
    assert np.abs(last @ R / np.linalg.norm(last)).max() == pytest.approx(1.0)
    nodes = rows(next(t for t in fig.data if "turn" in (t.name or "") or "nodes" in (t.name or "")))
    first = rows(arcs[0])[-1]
    assert abs(nodes[1] @ first) / np.linalg.norm(first) == pytest.approx(1.0)


def test_refusals():
    with pytest.raises(ArgumentError, match="give a frame"):
        vv.space.plot_frames()
    with pytest.raises(ShapeError, match=r"frame 'a' is a pose.*got the shape \(2, 2\)"):
        vv.space.plot_frames(a=np.eye(2))
    turned = vv.space.about_axis([0, 0, 1], sympy.Symbol("q"))
    with pytest.raises(ArgumentError, match="has symbols"):
        vv.space.plot_frames(a=turned)
    with pytest.raises(ArgumentError, match="frame 'a' is not finite"):
        vv.space.plot_frames(a=vv.Pose.translation([np.nan, 0, 0]))
    with pytest.raises(vv.VisvivaError, match="rotation of frame 'a'"):
        vv.space.plot_frames(a=2 * np.eye(3))
    with pytest.raises(ArgumentError, match="three angles as finite numbers"):
        vv.space.plot_euler([0.1, 0.2], "ZXZ")
    with pytest.raises(UnknownNameError, match="Euler angle convention 'ZZX'"):
        vv.space.plot_euler([0.1, 0.2, 0.3], "ZZX")
