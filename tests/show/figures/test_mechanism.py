"""m.plot(q): what is drawn stands where the mechanism's own kinematics put it."""

import numpy as np
import pytest

import visviva as vv
from tests.support.pictures import URDFS
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.show.figures.outlines import hull, outline
from visviva.show.figures.roles import SAID
from visviva.show.scene.shapes import HERE, Box, Cylinder, Segment

NAMES = vv.catalog.names()


def points(trace):
    rows = [getattr(trace, k) for k in "xyz" if getattr(trace, k, None) is not None]
    return np.array(rows, dtype=float).T


def check(fig):
    """Everything that is seen is finite and within the axes, which have units."""
    flat = fig.layout.scene.xaxis.range is None
    home = fig.layout if flat else fig.layout.scene
    axes = [home.xaxis, home.yaxis] + ([] if flat else [home.zaxis])
    assert all(axis.title.text.endswith(" [m]") for axis in axes)
    low, high = np.array([axis.range for axis in axes]).T
    seen = [points(t) for t in fig.data if t.visible != "legendonly"]
    assert seen
    for rows in seen:
        rows = rows[~np.isnan(rows).any(axis=1)]
        assert len(rows)
        assert ((rows > low) & (rows < high)).all()
    assert {t.name for t in fig.data} <= set(SAID.values())


@pytest.mark.spread(8)
@pytest.mark.parametrize("name", NAMES)
def test_every_mechanism_of_the_catalog_has_a_picture(name):
    check(getattr(vv.catalog, name)().plot())


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", URDFS)
def test_robots_of_files_have_pictures(name):
    check(vv.load(URDFS[name]).plot())


def drawn(fig, name):
    return np.concatenate([points(t) for t in fig.data if t.name == name and t.mode != "text"])


@pytest.mark.parametrize("name", ["four_bar", "acrobot", "slider_crank"])
def test_centres_of_mass_are_where_they_are_computed(name):
    m = getattr(vv.catalog, name)()
    q = m.assembled() if m.held_by else np.array([0.3, -0.8])
    fig = m.plot(q)
    numeric = m.numeric
    poses = numeric.body_poses(np.asarray(q, float))
    wanted = [X.apply(b.inertia.com) for b, X in zip(numeric.bodies, poses, strict=True)]
    assert np.allclose(drawn(fig, "centres of mass"), np.array(wanted)[:, :2], atol=1e-12)


def test_frames_are_where_their_poses_are():
    m, q = vv.catalog.puma560(), np.array([0.1, -0.6, 0.4, 0.3, 0.4, 0.2])
    rows = drawn(m.plot(q, show=["frames"]), "frames")
    tip = np.asarray(m.pose("tool")(q))
    for k in range(3):
        near = np.linalg.norm(rows - tip[:3, 3], axis=1) < 1e-9
        ends = rows[np.flatnonzero(near) + 1]
        along = (ends - tip[:3, 3]) / np.linalg.norm(ends - tip[:3, 3], axis=1)[:, None]
        assert np.abs(along @ tip[:3, k] - 1).min() < 1e-12


def test_a_slide_is_drawn_along_its_axis():
    """SCARA's quill is vertical, whatever the height."""
    m = vv.catalog.scara()
    for d in (0.05, 0.2):
        line = m.inverse_kinematics("tool", m.pose("tool")([0.3, 0.4, d])).plot().data[0]
        rows = points(line)
        last = rows[-1] - rows[-2]
        assert np.abs(last[:2]).max() < 1e-12
        assert abs(last[2]) == pytest.approx(d)


def test_what_is_shown_can_be_chosen():
    m = vv.catalog.four_bar()
    fig = m.plot(show=["links", "inertia"])
    assert {t.name for t in fig.data if t.visible != "legendonly"} == {"links", "inertia"}
    assert {t.name for t in m.plot().data if t.visible == "legendonly"} == {"inertia", "frames"}
    with pytest.raises(UnknownNameError, match="part of a picture 'wheels'"):
        m.plot(show=["wheels"])


def test_positions_by_names_and_those_that_are_none():
    m = vv.catalog.rp_arm()
    by_name = m.plot({"q1": 0.5, "q2": 0.6})
    assert by_name.layout.title.text == m.plot([0.5, 0.6]).layout.title.text
    with pytest.raises(ShapeError, match=r"plot: q of 'rp_arm' has 2 numbers \(q1, q2\), got .*3"):
        m.plot([1.0, 2.0, 3.0])
    with pytest.raises(ArgumentError, match="q is not finite"):
        m.plot([1.0, np.nan])
    with pytest.raises(ShapeError, match="q has 2 numbers, got 'home'"):
        m.plot("home")


def test_points_that_depend_on_time():
    """A bead on a wire that turns: later the wire points elsewhere."""
    s = vv.catalog.bead_on_rotating_wire()
    still, turned = (s.plot([0.3], t=t) for t in (0.0, 0.4))
    assert turned.layout.title.text.endswith("t = 0.4 s")
    moved = [np.abs(points(a) - points(b)) for a, b in zip(still.data, turned.data, strict=True)]
    assert max(np.nanmax(x) for x in moved) > 0.01


def area(ring, plane):
    x, y = ring[:, list(plane)].T
    return abs(x[:-1] @ y[1:] - x[1:] @ y[:-1]) / 2


def test_outlines_have_the_areas_of_shadows():
    X = np.eye(3, 4)[None].repeat(2, axis=0)
    bar = Segment("link", "bar", (0, (0.0, 0.0, 0.0)), (1, (3.0, 4.0, 0.0)), 0.5)
    assert area(outline(bar, X, (0, 1)), (0, 1)) == pytest.approx(5 + np.pi / 4, rel=5e-3)
    box = Box("link", "box", 0, HERE, (1.0, 2.0, 3.0))
    assert area(outline(box, X, (0, 2)), (0, 2)) == pytest.approx(3.0)
    can = Cylinder("joint", "can", 0, HERE, 0.5, 2.0)
    assert area(outline(can, X, (0, 2)), (0, 2)) == pytest.approx(2.0)
    assert area(outline(can, X, (0, 1)), (0, 1)) == pytest.approx(np.pi / 4, rel=1e-2)


def test_a_hull_has_all_points_inside():
    rng = np.random.default_rng(2)
    cloud = rng.normal(size=(40, 3))
    ring = hull(cloud, (0, 1))
    sides, apart = np.diff(ring[:, :2], axis=0)[:, None], cloud[:, :2] - ring[:-1, None, :2]
    turn = sides[..., 0] * apart[..., 1] - sides[..., 1] * apart[..., 0]
    assert (turn > -1e-12).all()
    assert np.array_equal(hull(cloud[:1], (0, 1)), cloud[[0, 0]])


@pytest.mark.parametrize(
    "name", ["<b>bold</b>", "</script><script>alert(1)</script>", "x" * 10_000]
)
def test_names_of_people_stay_text(name):
    b = vv.Builder(name)
    b.body(name, joint="revolute", axis="z", mass=1.0, com=[1.0, 0, 0])
    m = b.build()
    text = m.plot([0.1]).to_json()
    assert "<b>" not in text.replace("\\u003c", "<").replace("<br>", "")
    assert "<script" not in text.replace("\\u003c", "<")
    assert len(text) < 60_000
