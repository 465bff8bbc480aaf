"""Free-body diagrams: what is on them, where, and that labels keep off each other."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, UnknownNameError
from visviva.solve.statics.shapes import SIZE, WIDE

SVG = "{http://www.w3.org/2000/svg}"


def panels(picture):
    return ET.fromstring(picture.svg).findall(f"{SVG}g")


def texts(panel):
    return {x.text: x for x in panel.iter(f"{SVG}text")}


def boxes(panel):
    for text, x in texts(panel).items():
        left, base = float(x.get("x")), float(x.get("y"))
        yield text, (left, base - 0.88 * SIZE, left + WIDE * SIZE * len(text), base + 0.27 * SIZE)


def overlap(a, b):
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def arrows(panel, kind):
    lines = [x for x in panel.iter(f"{SVG}line") if x.get("class") == f"fb-{kind}"]
    return [np.array([float(x.get(k)) for k in ("x1", "y1", "x2", "y2")]) for x in lines]


def five_bar():
    m = vv.catalog.five_bar()
    return m.statics(m.keyframes["assembled"], {"rod1_end": {"force": [6.0, 0, 0]}})


def test_every_link_has_what_acts_on_it():
    s = five_bar()
    picture = s.free_bodies()
    assert picture.links == ("crank1", "rod1", "crank2", "rod2")
    crank, rod, *_ = panels(picture)
    size = np.linalg.norm(s.force("theta1"))
    assert set(texts(crank)) >= {
        f"theta1 {size:.4g} N",
        f"theta1 {abs(s.torques[0]):.4g} N m",
        "weight 5.886 N",
    }
    assert "rod1_end 6 N" in texts(rod)
    assert len(arrows(rod, "joint")) == 2
    (weight,), (load,) = arrows(rod, "weight"), arrows(rod, "load")
    np.testing.assert_allclose(weight[2:] - weight[:2], [0, weight[3] - weight[1]], atol=0.11)
    assert weight[3] > weight[1]  # down the page
    assert load[2] < load[0]  # on the link: the robot pushes to the right
    # one scale for all: lengths are as the forces are, to the tenth of a pixel that is written
    lengths = [np.hypot(*(x[2:] - x[:2])) for x in (weight, load)]
    assert lengths[1] / lengths[0] == pytest.approx(6.0 / (0.4 * 9.81), abs=0.01)
    assert "prefers-color-scheme:dark" in picture.svg
    assert picture._repr_svg_() == picture.svg


def spatial():
    m = vv.catalog.puma560()
    return m.statics([0.3, -0.7, 0.4, 0.2, 0.5, 0.1], {"tool": {"force": [10, 0, 20]}})


@pytest.mark.parametrize("make", [five_bar, spatial])
def test_labels_keep_off_each_other(make):
    for panel in panels(make().free_bodies()):
        for (one, a), (other, b) in combinations(boxes(panel), 2):
            assert not overlap(a, b), (one, other)


def test_some_links_and_another_view(tmp_path):
    s = spatial()
    picture = s.free_bodies("link2", "link3", view=(0.0, -1.0, 0.0))
    assert picture.links == ("link2", "link3")
    picture.save(tmp_path / "arm.svg")
    assert (tmp_path / "arm.svg").read_text(encoding="utf-8") == picture.svg
    assert "link2, link3" in repr(picture)
    link2, _ = panels(picture)
    (weight,) = arrows(link2, "weight")
    assert abs(weight[2] - weight[0]) < 0.11  # seen from the side, z is up
    assert len(re.findall("fb-turn", picture.svg)) > 2
    with pytest.raises(ArgumentError, match=r"written as \.svg, got 'arm\.png'"):
        picture.save("arm.png")
    with pytest.raises(UnknownNameError, match=r"link of 'puma560' 'link9'.*'link1'"):
        s.free_bodies("link9")
    for bad in ([0, 0, 0], [1, 2], "top", [np.nan, 0, 1]):
        with pytest.raises(ArgumentError, match="view is a direction"):
            s.free_bodies(view=bad)


def test_what_a_plane_picture_leaves_out_is_said():
    arm = vv.catalog.two_link()
    plain = arm.statics([0.3, 0.7]).free_bodies()
    assert "Not drawn" not in plain.svg
    across = arm.statics([0.3, 0.7], {"tool": {"force": [1.0, 0.0, 2.0]}}).free_bodies()
    assert "Not drawn: parts out of the plane, of q1, q2, tool." in across.svg


def test_names_cannot_break_the_picture():
    b = vv.Builder('<odd> & "name"')
    b.body("a<b", joint="revolute", axis="y", joint_name="j&k", mass=1, com=[1, 0, 0])
    picture = b.build().statics([0.2]).free_bodies()
    assert any("j&k" in x for x in texts(panels(picture)[0]))
