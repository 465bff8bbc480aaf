"""The browser with this machine's own addresses: a live view has a server."""

import contextlib

import pytest

SLOW = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
SIZE = {"width": 1000, "height": 480}
READY = "document.querySelector('canvas') && document.body.innerText.includes('Reset')"
# lights, shaders and the fading in of the scene have come to rest
STILL = """new Promise((done) => { let n = 0; const t = performance.now();
  const next = () => ++n > 4 && performance.now() - t > 2000 ? done(1) :
  requestAnimationFrame(next); next(); })"""
CLOSE = "document.querySelector('.mantine-Notification-closeButton')"


@pytest.fixture(scope="module")
def online(browser):
    """The browser, for tabs that may ask servers here; all else goes to a proxy that is not there."""
    return browser


@contextlib.contextmanager
def tab(browser, url):
    """A tab of its own with a live view, which the browser talks to inside; then it is closed.

    A page that is only left stays in memory with its connection, and closing the server waits.
    """
    first, browser._session = browser._session, None
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
    try:
        browser._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            browser.call(f"{domain}.enable")
        browser.call("Network.emulateNetworkConditions", offline=False, **SLOW)
        browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
        browser.media()
        browser.resize(**SIZE)
        browser.call("Page.navigate", url=url)
        browser.wait(READY)
        browser.wait(f"{CLOSE}?.click() || !{CLOSE}")  # what viser says of slow graphics
        browser.run(STILL)
        yield
    finally:
        browser._session = None
        browser.call("Target.closeTarget", targetId=target)
        browser._session = first


@contextlib.contextmanager
def looking_elsewhere(browser):
    """What the browser is asked inside goes to another tab; afterwards to the one before."""
    before = browser._session
    yield
    browser._session = before
