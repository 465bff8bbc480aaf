"""m.picture(q): a small SVG in which things stand where the mechanism's own kinematics put them."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import visviva as vv
from tests.support.pictures import URDFS
from visviva.errors import ArgumentError, ShapeError
from visviva.show.figures.roles import COLOURS
from visviva.show.figures.seen import back_to_front, looking, seen
from visviva.show.scene.shapes import HERE, Box, Cylinder, Segment, Sphere

SVG = "{http://www.w3.org/2000/svg}"
WORLD = np.eye(3, 4)[None]


def numbers(svg):
    """All points of all paths."""
    paths = re.findall(r' d="([^"]*)"', svg)
    return np.array([float(x) for p in paths for x in re.findall(r"-?\d+(?:\.\d+)?", p)])


@pytest.mark.spread(8)
@pytest.mark.parametrize("name", vv.catalog.names())
def test_every_mechanism_of_the_catalog_has_a_small_picture(name):
    still = getattr(vv.catalog, name)().picture()
    root = ET.fromstring(still.svg)
    assert len(still.svg) < 32_000
    wide, tall = (float(root.get(k)) for k in ("width", "height"))
    assert 200 <= wide <= 481
    assert tall <= 361
    assert np.isfinite(numbers(still.svg)).all()
    assert len(root.findall(f".//{SVG}path")) > 3


def test_robots_of_files_have_pictures():
    for name in sorted(URDFS)[:2]:
        ET.fromstring(vv.load(URDFS[name]).picture().svg)


def test_pins_are_where_the_joints_are():
    """Distances between pins are in the ratio of those between the joints."""
    arm = vv.catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5)
    q = [0.3, 0.7, -0.4]
    root = ET.fromstring(arm.picture(q, show=["links", "joints", "centres of mass"]).svg)
    dots = [c for c in root.iter(f"{SVG}circle") if c.get("stroke") == COLOURS["centre"]]
    at = np.array([[float(c.get("cx")), -float(c.get("cy"))] for c in dots])
    poses = arm.numeric.body_poses(np.array(q))
    pairs = zip(arm.numeric.bodies, poses, strict=True)
    wanted = np.array([X.apply(b.inertia.com)[:2] for b, X in pairs])
    scale = np.linalg.norm(at[1] - at[0]) / np.linalg.norm(wanted[1] - wanted[0])
    assert np.allclose(at - at[0], (wanted - wanted[0]) * scale, atol=0.2)


def test_what_is_nearer_covers():
    """Of two bars that cross, and of a long one before one ball and behind another."""
    high = Segment("link", "high", (0, (-1, 0, 1)), (0, (1, 0, 1)), 0.1)
    low = Segment("link", "low", (0, (0, -1, 0)), (0, (0, 1, 0)), 0.1)
    order = back_to_front([seen(x, "#000000", WORLD, False) for x in (high, low)], 2.0)
    assert [x.shape.name for x in order] == ["low", "high"]
    bar = Segment("link", "bar", (0, (-1, 0, -1)), (0, (1, 0, 1)), 0.1)  # rises to the right
    left = Sphere("link", "left", 0, (-0.9, 0, -0.5), 0.1)
    right = Sphere("link", "right", 0, (0.9, 0, 0.5), 0.1)
    order = back_to_front([seen(x, "#000000", WORLD, False) for x in (left, bar, right)], 2.0)
    assert [x.shape.name for x in order] == ["right", "bar", "left"]


def test_faces_that_look_at_us():
    X = looking(None, np.array([1.0, 2.0, 3.0])) @ WORLD
    assert len(seen(Box("link", "b", 0, HERE, (1, 2, 3)), "#000000", X, False).faces) == 1 + 3
    assert len(seen(Cylinder("link", "c", 0, HERE, 1, 2), "#000000", X, False).faces) == 1 + 1
    assert len(seen(Box("link", "b", 0, HERE, (1, 2, 3)), "#000000", WORLD, True).faces) == 1


def test_views_are_right_handed():
    for plane, towards in ((None, None), ((0, 2), None), (None, np.array([0, 0, 2.0]))):
        V = looking(plane, towards)
        assert np.allclose(V @ V.T, np.eye(3))
        assert np.isclose(np.linalg.det(V), 1.0)
    assert np.allclose(looking(None, np.array([0, -1.0, 0]))[:2], [[1, 0, 0], [0, 0, 1]])


def test_names_are_words_and_never_markup():
    b = vv.Builder("<b>&")
    b.body("<script>", joint="revolute", axis="z", inertia=vv.Inertia.box(1.0, x=1, y=1, z=1))
    svg = b.build().picture().svg
    assert "<script>" not in svg
    assert ET.fromstring(svg).find(f"{SVG}title").text == "<b>&"


def test_saving_and_bad_input(tmp_path):
    arm = vv.catalog.two_link()
    still = arm.picture([0.3, 0.7])
    still.save(tmp_path / "arm.svg")
    assert (tmp_path / "arm.svg").read_text(encoding="utf-8") == still.svg == still._repr_svg_()
    with pytest.raises(ArgumentError, match=r"written as \.svg, got 'arm\.png'"):
        still.save("arm.png")
    with pytest.raises(ShapeError, match="picture: q of 'two_link' has 2 numbers"):
        arm.picture([1.0])
    with pytest.raises(ArgumentError, match="towards is a direction"):
        arm.picture(towards=(0, 0, 0))
    assert "picture of 'two_link'" in repr(still)
