"""Tabs of the browser that show a live view: they may ask the servers of this machine."""

import base64
import contextlib
import threading
import time

import numpy as np

CONNECTED = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1, "offline": False}
WIDTH, HEIGHT, MIDDLE = 800, 320, 400  # small: it is drawn by the processor
SHARP = "fixedDpr=1"  # where drawing is slow, viser would draw it coarser
READY = "!!document.querySelector('canvas') && document.body.innerText.includes('Reset')"
# what viser says of slow graphics comes and goes over the scene
UNCOVERED = """document.head.append(Object.assign(document.createElement("style"),
  { textContent: ".mantine-Notifications-root { display: none }" }))"""
# lights, shaders and the fading in of the scene have come to rest
STILL = """new Promise((done) => { let n = 0; const t = performance.now();
  const next = () => ++n > 4 && performance.now() - t > 2000 ? done(1) :
  requestAnimationFrame(next); next(); })"""
WITH_TEXT = """((text) => document.evaluate(`//*[normalize-space(text())='${text}']`,
  document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue)"""

MARKED = """((e) => {
  document.querySelectorAll("[data-pressed]").forEach((x) => delete x.dataset.pressed);
  const box = document.getElementById(e.htmlFor);
  (box || e).dataset.pressed = 1;
  return box ? box.checked : null; })"""


@contextlib.contextmanager
def tab(browser, url):
    """A tab of its own, to which the browser talks inside; others are not drawn meanwhile.

    It is closed: a page that is only left stays in memory with its connection.
    """
    first = browser._session
    browser.call("Page.setWebLifecycleState", state="frozen")
    browser._session = None
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
    browser._session = attached["sessionId"]
    try:
        for domain in ("Page", "Runtime", "Log", "Network"):
            browser.call(f"{domain}.enable")
        browser.call("Network.emulateNetworkConditions", **CONNECTED)
        browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
        browser.media()
        browser.resize(WIDTH, HEIGHT)
        browser.call("Page.navigate", url=url + ("&" if "?" in url else "?") + SHARP)
        browser.wait(READY)
        browser.run(UNCOVERED)
        browser.run(STILL)
        yield
    finally:
        browser._session = None
        browser.call("Target.closeTarget", targetId=target)
        browser._session = first
        browser.call("Page.setWebLifecycleState", state="active")


def done(view):
    """All that was asked for before has been done."""
    flag = threading.Event()
    view.do(flag.set)
    assert flag.wait(120)


def until(view, is_so):
    """What was done in the browser, or between two frames, is seen."""
    for _ in range(6000):
        if is_so():
            break
        time.sleep(0.02)
    assert is_so()
    done(view)


def press(browser, text, shows="true"):
    """Click on what has this text, a label stands for its box, until the page `shows` it.

    Folders open slowly, and what is in them moves meanwhile: a click may miss.
    """
    browser.wait(f"!!{WITH_TEXT}('{text}')")
    is_ticked = browser.run(f"{MARKED}({WITH_TEXT}('{text}'))")
    if is_ticked is not None:
        shows += (
            f" && document.querySelector('[data-pressed]').checked !== {str(is_ticked).lower()}"
        )
    patience = 5.0
    while patience < 1000:
        if patience <= 20.0:
            browser.click("[data-pressed]")
        else:  # what lies over it, or moves it away, is not what is tested
            browser.run("document.querySelector('[data-pressed]').click()")
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if browser.run(shows):
                return
            time.sleep(0.02)
        patience *= 2
    raise AssertionError(f"{text} was pressed, but not so: {shows}")


def scene_picture(browser):
    """The middle of the scene as PNG: viser's panel is wider or narrower, as it comes."""
    browser.frames()
    left, top, width, _ = browser.box("canvas")
    clip = {"x": left + (width - MIDDLE) / 2, "y": top, "width": MIDDLE, "height": HEIGHT}
    options = {"format": "png", "clip": {**clip, "scale": 1}}
    return base64.b64decode(browser.call("Page.captureScreenshot", **options)["data"])


def seen_at(view, point, browser):
    """Pixels of a point of the first mechanism, by the camera that the page begins with."""
    left, top, width, height = browser.box("canvas")
    seen = view.stage.spots[0].seen(point)
    forward = view.stage.look_at - view.stage.camera
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right = right / np.linalg.norm(right)
    up = np.cross(right, forward)
    away = seen - view.stage.camera
    scale = height / 2 / np.tan(np.radians(20.0)) / (away @ forward)
    return np.array(
        [left + width / 2 + scale * (away @ right), top + height / 2 - scale * (away @ up)]
    )


@contextlib.contextmanager
def dragged(browser, start, end, steps=8):
    """The mouse goes from a point of the window to another; inside it is not let go yet."""
    at = dict(zip("xy", map(float, start), strict=True))
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", **at)
    browser.frames(2)  # what is under it is known
    browser.call("Input.dispatchMouseEvent", type="mousePressed", button="left", clickCount=1, **at)
    for k in range(1, steps + 1):
        x, y = np.add(start, np.subtract(end, start) * k / steps).tolist()
        at = {"x": x, "y": y, "button": "left", "buttons": 1}
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", **at)
        browser.frames(1)
    yield
    at.pop("buttons")
    browser.call("Input.dispatchMouseEvent", type="mouseReleased", **at)
