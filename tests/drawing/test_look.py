"""Words are shown as they are, titles fit, and figures need no network."""

import re

import numpy as np
import plotly.io
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.counts import examples
from visviva.drawing.canvas import Canvas, drawn_plane, shadow
from visviva.drawing.figure import new_figure, with_room_for_legend
from visviva.drawing.look import COLOURS, INK, LINE_LETTERS, MOST_TITLE_LINES, titled, words

PAPERS = {"white": "#ffffff", "dark": "#14171c"}


@examples(36, 3000)
@given(st.text(), st.integers(3, 60))
def test_words_are_short_and_no_markup(text, most):
    shown = words(text, most)
    assert "<" not in shown
    assert ">" not in shown
    plain = shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert len(plain) <= most
    assert " ".join(text.split()).startswith(plain.removesuffix("…"))


def test_titles_are_broken_into_lines_that_fit():
    for text in ("", "short", "word " * 60, "x" * 10_000, "<b>bold</b> " * 30):
        lines = titled(text)["title"]["text"].split("<br>")
        assert len(lines) <= MOST_TITLE_LINES
        assert all(len(re.sub(r"&\w+;", "x", line)) <= LINE_LETTERS for line in lines)
        assert "<b>" not in "".join(lines)


def luminance(colour):
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("paper", PAPERS)
def test_ink_and_colours_are_seen_on_light_and_on_dark_pages(paper):
    """Contrasts by WCAG 2: 4.5 for words on white, at least 3 for them and 2.4 for lines."""
    for colour, least in ((INK, 4.5 if paper == "white" else 3.0), *((x, 2.4) for x in COLOURS)):
        dark, light = sorted([luminance(colour), luminance(PAPERS[paper])])
        assert (light + 0.05) / (dark + 0.05) >= least, colour


@pytest.fixture
def renderer():
    before = plotly.io.renderers.default
    yield plotly.io.renderers
    plotly.io.renderers.default = before


@pytest.mark.parametrize("default", ["", "plotly_mimetype", "notebook_connected"])
def test_html_of_a_figure_needs_no_network(renderer, default):
    renderer.default = default
    fig = new_figure("a line", "x", "y")
    fig.add_scatter(x=[0, 1], y=[0, 1])
    html = fig._repr_html_()
    assert not re.search(r"<(script|link|iframe|img)[^>]*\b(src|href)=", html[:400_000])
    assert "Plotly.newPlot" in html
    assert len(html) > 3_000_000  # plotly is in it


def test_notebooks_get_the_mime_type_that_their_own_plotly_draws(renderer):
    renderer.default = "plotly_mimetype"
    fig = new_figure("a line")
    assert [*fig._repr_mimebundle_()] == ["application/vnd.plotly.v1+json"]


def test_a_flat_picture_is_found():
    flat = np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 4.0], [5.0, 1.0, -1.0]])
    assert drawn_plane(flat) == (0, 2)
    assert drawn_plane(flat @ np.diag([1, 1, 0])) == (0, 1)
    assert drawn_plane(np.vstack([flat, [0, 2, 0]])) is None


@examples(11, 1000)
@given(st.integers(0, 10**6))
def test_the_shadow_of_an_ellipsoid_touches_its_outermost_points(seed):
    """The reach of an ellipsoid A in a direction d is |Aᵀ d|."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    first, second = shadow(A, (0, 2))
    d = np.zeros(3)
    d[[0, 2]] = rng.normal(size=2)
    assert np.hypot(first @ d, second @ d) == pytest.approx(np.linalg.norm(A.T @ d), rel=1e-12)
    assert first[0] > 0
    assert first[0] * second[2] > first[2] * second[0]  # to the left of it


def test_the_shadow_of_a_ball_has_the_axes_of_the_plane_however_it_is_turned():
    """So that a picture is the same on every processor."""
    for seed in range(20):
        R, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
        assert np.abs(shadow(0.3 * R, (0, 2)) - 0.3 * np.eye(3)[[0, 2]]).max() < 1e-15


def test_everything_on_a_canvas_is_within_its_axes():
    rng = np.random.default_rng(1)
    for axes in ((0, 1), (1, 2), None):
        canvas = Canvas(axes, "points")
        points = rng.normal(size=(20, 3)) * [1.0, 5.0, 0.01]
        canvas.points(points, "dots", size=3)
        canvas.line(points[:5] + 50.0, "unseen", COLOURS[0], visible="legendonly")
        fig = canvas.done()
        scene = fig.layout.scene
        shown = (
            [(0, scene.xaxis), (1, scene.yaxis), (2, scene.zaxis)]
            if axes is None
            else [(axes[0], fig.layout.xaxis), (axes[1], fig.layout.yaxis)]
        )
        for k, axis in shown:
            low, high = axis.range
            assert low < points[:, k].min()
            assert points[:, k].max() < high < 20.0
            assert axis.title.text == f"{'xyz'[k]} [m]"


def test_a_legend_of_many_lines_makes_the_figure_higher():
    few, many = new_figure("few"), new_figure("many")
    for k in range(20):
        many.add_scatter(x=[0], y=[0], name=f"a line with a long name, {k}")
    assert with_room_for_legend(few).layout.height == 420
    assert with_room_for_legend(many).layout.height > 500
