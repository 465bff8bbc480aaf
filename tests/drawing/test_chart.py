"""Lines over axes as SVG: where they go, their numbers and names; figures and motions saved so."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import visviva as vv
from visviva.drawing.chart import LEFT, PANEL, RIGHT, WIDTH, Curve, Panel, chart, ticks
from visviva.errors import ArgumentError

SVG = "{http://www.w3.org/2000/svg}"


def lines(text):
    """Points of all coloured lines, and all words."""
    root = ElementTree.fromstring(text)
    paths = [x for x in root.iter(f"{SVG}path") if x.get("class") == "n"]
    found = [
        [np.array(re.findall(r"-?[\d.]+", y), dtype=float).reshape(-1, 2) for y in p[1:].split("M")]
        for p in (x.get("d") for x in paths)
    ]
    return found, [x.text for x in root.iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def run():
    return vv.catalog.two_link().simulate([1.0, 0.2], [0.0, 0.0], 1.0)


def test_a_line_goes_from_edge_to_edge_and_numbers_stand_at_their_heights():
    x = np.linspace(0.0, 2.0, 50)
    text = chart("a title", [Panel([Curve(x, 3.0 * x, "3 x")], "x [m]", "y [m]")])
    ((points,),), words = lines(text)
    assert points[0, 0] == LEFT
    assert points[-1, 0] == pytest.approx(WIDTH - RIGHT)
    assert np.ptp(points[:, 1]) == pytest.approx(PANEL / 1.12, abs=0.2)
    assert {"a title", "3 x", "x [m]", "y [m]", "0.0", "2.0"} <= set(words)
    at = {x.text: float(x.get("y")) for x in ElementTree.fromstring(text).iter(f"{SVG}text")}
    assert at["0"] - 4 == pytest.approx(points[0, 1], abs=0.1)  # of y = 0, where the line begins
    assert at["6"] - 4 == pytest.approx(points[-1, 1], abs=0.1)


def test_what_is_no_number_is_a_gap_and_what_is_nothing_is_empty_axes():
    y = np.array([0.0, 1.0, np.nan, 1.0, np.inf, 2.0, 3.0])
    (pieces,), _ = lines(chart("", [Panel([Curve(np.arange(7.0), y)])]))
    assert [len(x) for x in pieces] == [2, 2]
    assert lines(chart("", [Panel([Curve(np.zeros(0), np.zeros(0))])]))[0] == []
    ((level,),), words = lines(chart("", [Panel([Curve(np.arange(3.0), np.full(3, 2.0))])]))
    assert np.ptp(level[:, 1]) == 0
    assert "2.0" in words


def test_ticks_are_round_numbers_with_a_power_where_they_are_long():
    marks, said, power = ticks(-0.31, 0.9, 6)
    assert said == ["−0.2", "0.0", "0.2", "0.4", "0.6", "0.8"]
    assert marks == pytest.approx([-0.2, 0.0, 0.2, 0.4, 0.6, 0.8])
    assert power == ""
    _, said, power = ticks(0.0, 4.1e-7, 5)
    assert (said, power) == (["0", "100", "200", "300", "400"], "×10⁻⁹")
    _, said, power = ticks(2e6, 3e6, 5)
    assert (said, power) == (["2.0", "2.2", "2.4", "2.6", "2.8", "3.0"], "×10⁶")
    _, said, _ = ticks(100.0, 100.01, 5)
    assert said[:2] == ["100.000", "100.002"]


def test_a_motion_as_svg_has_its_panels_and_names(run, tmp_path):
    run.picture().save(tmp_path / "run.svg")
    found, words = lines((tmp_path / "run.svg").read_text(encoding="utf-8"))
    assert len(found) == 4
    assert {"q1", "q2", "qd1", "qd2", "positions [rad]", "velocities [rad/s]", "t [s]"} <= set(
        words
    )
    q, _ = lines(run.picture("q").svg)
    assert len(q) == 2
    # heights on the page are those of q1: the largest and the smallest of both are 0.06 from edges
    low, high = run.q.min(), run.q.max()
    share = (q[0][0][:, 1].max() - q[0][0][:, 1].min()) / (PANEL / 1.12)
    assert share == pytest.approx(np.ptp(run.q[:, 0]) / (high - low), abs=0.01)
    assert len(lines(run.picture("q2").svg)[0]) == 1
    run.plot("q1").save(tmp_path / "one.html")
    assert "plotly" in (tmp_path / "one.html").read_text(encoding="utf-8")


def test_names_stay_text():
    hostile = "<script>&\"'"
    found, words = lines(chart(hostile, [Panel([Curve(np.arange(2), np.arange(2), hostile)])]))
    assert len(found) == 1
    assert words.count(hostile) == 2
    _, words = lines(chart("a\u202eb\x07" + "x" * 1000, []))
    assert words[0].startswith("a\ufffdb\ufffdxxx")
    assert len(words[0]) == 90


def test_what_cannot_be_drawn_says_what_can(run, tmp_path):
    with pytest.raises(ArgumentError, match=r"save\(\"run.svg\"\)"):
        run.plot("x.html")
    with pytest.raises(ArgumentError, match=r"\.html or \.svg, got .*png"):
        run.plot().save(tmp_path / "x.png")
    with pytest.raises(ArgumentError, match=r"m\.picture\(q\)"):
        vv.catalog.two_link().plot([0.1, 0.2]).save(tmp_path / "x.svg")
    with pytest.raises(ArgumentError, match=r"has a mesh3d.* \.html"):
        vv.catalog.puma560().plot().save(tmp_path / "x.svg")
    with pytest.raises(AttributeError, match=r'run\.plot\(\)\.save\("run.svg"\)'):
        _ = run.savefig
    assert not list(tmp_path.iterdir())


def test_in_a_page_with_others_it_keeps_to_itself():
    """Styles and names are those of the whole page that a picture stands in."""
    x = np.linspace(0.0, 1.0, 5)
    named, bare = (chart("t", [Panel([Curve(x, x, name)])]) for name in ("y", ""))
    rules = re.search(r"<style>(.*?)</style>", named)[1]
    rules = rules.replace("@media(prefers-color-scheme:dark){", "")
    selectors = [y for rule in rules.split("}") if rule for y in rule.split("{")[0].split(",")]
    assert all(y.startswith(".vv-svg ") for y in selectors)
    boxes = [re.findall(r'<clipPath id="(\w+)"><rect ([^/]*)/>', y)[0] for y in (named, bare)]
    assert boxes[0][0] != boxes[1][0]  # the legend has moved the box
    assert boxes[0][1] != boxes[1][1]
    assert f"url(#{boxes[0][0]})" in named
