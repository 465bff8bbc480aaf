"""A live view in a real browser: drawn, moved in every way, the same for all, names stay text."""

from dataclasses import replace

import numpy as np
import pytest

import visviva as vv
from tests.show.live.conftest import done, dragged, press, scene_picture, seen_at, tab, until
from visviva.show.live.session import Session
from visviva.show.live.view import LiveView

pytestmark = pytest.mark.early
HOSTILE = "<img src=x onerror='window.hacked=1'>"
KNOBS = "[...document.querySelectorAll('[role=slider]')]"
TEXT = "document.body.innerText"
OF_VISER = ("favicon", "passive event listener")  # errors that every page of it has
SEEN = 0.001  # of the pixels of the scene: less than a link that turns, or an arrow


@pytest.fixture(scope="module")
def view():
    """An arm with a motion that it can play; one server for all."""
    arm = replace(vv.catalog.two_link(), name=HOSTILE)
    run = arm.simulate([1.0, 0.2], [0.0, 0.0], 0.5)
    with LiveView([Session(arm, run)], port=0) as made:
        assert made.ready.wait(300)
        yield made


@pytest.fixture(scope="module")
def opened(view, browser):
    """A tab with it, which all tests share; at the end nothing has gone wrong in it."""
    browser.errors, browser.requests = [], []
    with tab(browser, view.url):
        yield browser
        assert not browser.run("window.hacked || 0")
        assert not [x for x in browser.requests if not x.startswith(view.url)]
        assert not [x for x in browser.errors if not any(y in x for y in OF_VISER)]


@pytest.fixture
def page(view, opened):
    """The tab, with the arm where its motion begins."""
    view.do(view.sessions[0].reset)
    done(view)
    press(opened, "Move")
    opened.frames(4)
    return opened


def settled(view, browser):
    """What the scene looks like when nothing moves any more."""
    done(view)
    before, after = b"", scene_picture(browser)
    while before != after:
        browser.frames(4)
        before, after = after, scene_picture(browser)
    return after


def test_a_slider_moves_it_and_another_client_sees_the_same(view, page):
    session = view.sessions[0]
    before = settled(view, page)
    knob = f"{KNOBS}.find((x) => Math.abs(parseFloat(x.ariaValueNow) - 1.0) < 1e-3)"  # of q1
    page.run(f"{knob}.id = 'knob'")
    page.drag("#knob", (-50, 0))
    page.wait("Math.abs(parseFloat(document.querySelector('#knob').ariaValueNow) - 1.0) > 0.1")
    after = settled(view, page)
    assert session.q[0] < 0.9
    assert session.q[1] == 0.2
    assert page.changed(before, after) > SEEN
    page.keep("live_view")
    assert HOSTILE in page.run("document.body.textContent")
    assert any(seen_alike(view, page, before) for _ in range(5))  # lights may fade in for long


def seen_alike(view, browser, moved_from):
    """Whether a new client shows the scene that this one does, and the slider where it is."""
    with tab(browser, view.url):
        other = settled(view, browser)
        values = browser.run(f"{KNOBS}.map((x) => parseFloat(x.ariaValueNow))")
        assert np.isclose(values, view.sessions[0].q[0], atol=1e-2).any()
        browser.keep("live_view_second")
    mine = settled(view, browser)
    apart = browser.changed(mine, other)
    return apart < 1e-4 or apart < 0.5 * browser.changed(moved_from, other)


def test_a_link_is_pulled_with_the_mouse(view, page):
    session = view.sessions[0]
    at = seen_at(view, session.places[session.scene.carrier("link2")][:, 3], page)
    with dragged(page, at, at + np.array([36, -24])):
        page.wait(f"{TEXT}.includes('pulled with')")
        assert session.running
        assert session.grip is not None
    page.wait(f"!{TEXT}.includes('pulled with')")
    done(view)
    assert session.grip is None
    assert session.account["hand"] != 0.0


def test_a_dragged_gizmo_takes_the_tip_along(view, page):
    session, tip = view.sessions[0], view.shown[0].tip
    before = settled(view, page)
    press(page, "a frame", f"{TEXT}.includes('drag a frame')")
    press(page, "drag a frame")
    page.wait(f"{TEXT}.includes('and turn it')")
    assert page.changed(before, settled(view, page)) > SEEN  # there it is
    X = tip.dragging.pose(session.q)
    arrow = X[:3, 3] + 0.8 * tip.gizmo.scale * X[:3, 1]  # across the link
    there = X[:3, 3] + 0.35 * X[:3, 1]
    start, end = seen_at(view, arrow, page), seen_at(view, there, page)
    with dragged(page, start, start + end - seen_at(view, X[:3, 3], page)):
        page.wait(f"{TEXT}.includes('reached')")
    done(view)
    page.keep("live_view_tip")
    reached = tip.dragging.pose(session.q)[:3, 3]
    assert reached == pytest.approx(np.asarray(tip.gizmo.position, dtype=float), abs=1e-5)
    assert reached == pytest.approx(there, abs=0.05)
    press(page, "drag a frame")


def test_the_play_button_moves_the_picture_to_the_end(view, page):
    session = view.sessions[0]
    before = settled(view, page)
    press(page, "Play the motion")
    page.wait(f"{TEXT}.includes('t = 0.50 s')")
    page.wait(f"{TEXT}.includes('Play the motion')")  # which is over
    after = settled(view, page)
    assert session.q == pytest.approx(session.run.q[-1], abs=1e-12)
    assert page.changed(before, after) > SEEN
    press(page, "Reset")
    page.wait(f"{TEXT}.includes('t = 0.00 s')")
    assert page.changed(before, settled(view, page)) < 1e-4


def test_arrows_of_forces_come_and_go(view, page):
    before = settled(view, page)
    press(page, "Look", f"{TEXT}.includes('forces in joints and loops')")
    press(page, "forces in joints and loops")
    until(view, lambda: view.shown[0].arrows)
    after = settled(view, page)
    page.keep("live_view_forces")
    assert page.changed(before, after) > SEEN
    press(page, "forces in joints and loops")
    until(view, lambda: not view.shown[0].arrows)
    assert page.changed(before, settled(view, page)) < 1e-4
