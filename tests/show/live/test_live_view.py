"""A live view in a real browser: it is drawn and moved, clients see the same, names stay text."""

from dataclasses import replace

import numpy as np
import pytest

import visviva as vv
from tests.show.live.conftest import Address, second_client
from visviva.show.live.session import Session
from visviva.show.live.view import LiveView

HOSTILE = "<img src=x onerror='window.hacked=1'>"
READY = "document.querySelector('canvas') && document.body.innerText.includes('Reset')"
KNOBS = "[...document.querySelectorAll('[role=slider]')]"
VALUE = f"parseFloat({KNOBS}[1]?.ariaValueNow)"  # of q1; the first is that of added friction
# the camera, lights and the fading in of the scene have come to rest
STILL = """new Promise((done) => { let n = 0; const t = performance.now();
  const next = () => ++n > 4 && performance.now() - t > 2000 ? done(1) :
  requestAnimationFrame(next); next(); })"""


@pytest.fixture(scope="module")
def view():
    arm = replace(vv.catalog.two_link(), name=HOSTILE)
    with LiveView([Session(arm)], port=0) as made:
        assert made.ready.wait(300)
        yield made


def done(view):
    """All that was asked for before has been done."""
    import threading

    flag = threading.Event()
    view.do(flag.set)
    assert flag.wait(120)


def test_it_is_drawn_moved_by_a_slider_and_seen_by_two(view, online):
    session = view.sessions[0]
    online.open(Address(view.url), width=1000, height=480)
    online.call("Emulation.setFocusEmulationEnabled", enabled=True)
    online.wait(READY, 60)
    online.run(STILL)
    before = online.picture(height=480)
    online.run(f"{KNOBS}[1].id = 'knob'")
    q = session.q.copy()
    online.drag("#knob", (-50, 0))
    online.wait(f"Math.abs({VALUE} - {q[0]}) > 0.1", 60)
    done(view)
    assert session.q[0] < q[0] - 0.1
    assert session.q[1] == q[1]
    online.run(STILL)
    assert online.changed(before, online.picture(height=480)) > 0.002
    online.keep("live_view")
    with second_client(online, view.url):
        online.resize(1000, 480)
        online.wait(READY, 60)
        online.wait(f"Math.abs({VALUE} - {session.q[0]}) < 0.01", 60)
    assert not online.run("window.hacked || 0")
    assert HOSTILE in online.run("document.body.textContent")
    assert not [x for x in online.requests if not x.startswith(view.url)]
    assert not [x for x in online.errors if "favicon" not in x]


def test_a_link_is_pulled_with_the_mouse(view, online):
    session = view.sessions[0]
    view.do(session.reset)
    done(view)
    online.open(Address(view.url), width=1000, height=480)
    online.wait(READY, 60)
    online.run(STILL)
    middle = session.places[session.scene.carrier("link2")][:, 3]
    x, y = seen_at(view, middle, online)
    start = {"x": x, "y": y, "button": "left", "clickCount": 1}
    online.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    online.call("Input.dispatchMouseEvent", type="mousePressed", **start)
    for k in range(1, 9):
        at = {"x": x + 6 * k, "y": y - 4 * k, "button": "left", "buttons": 1}
        online.call("Input.dispatchMouseEvent", type="mouseMoved", **at)
        online.frames(1)
    online.wait("document.body.innerText.includes('pulled with')", 60)
    assert session.running
    assert session.grip is not None
    online.call("Input.dispatchMouseEvent", type="mouseReleased", x=x + 48, y=y - 32, button="left")
    online.wait("!document.body.innerText.includes('pulled with')", 60)
    done(view)
    assert session.grip is None
    assert session.account["hand"] != 0.0


def seen_at(view, point, browser):
    """Pixels of a point of the mechanism, by the camera that the page begins with."""
    left, top, width, height = browser.box("canvas")
    seen = view.stage.spots[0].seen(point)
    forward = view.stage.look_at - view.stage.camera
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right = right / np.linalg.norm(right)
    up = np.cross(right, forward)
    away = seen - view.stage.camera
    scale = height / 2 / np.tan(np.radians(20.0)) / (away @ forward)
    return left + width / 2 + scale * (away @ right), top + height / 2 - scale * (away @ up)
