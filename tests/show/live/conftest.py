"""The browser with this machine's own addresses: a live view has a server."""

import contextlib
from dataclasses import dataclass

import pytest

SLOW = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


@dataclass(frozen=True)
class Address:
    """A page of a server, as `Browser.open` takes it."""

    url: str

    def as_uri(self):
        return self.url


@pytest.fixture
def online(browser):
    """The browser, which may ask servers here; all else goes to a proxy that is not there."""
    browser.call("Network.emulateNetworkConditions", offline=False, **SLOW)
    yield browser
    browser.call("Page.navigate", url="about:blank")
    browser.call("Network.emulateNetworkConditions", offline=True, **SLOW)


@contextlib.contextmanager
def second_client(browser, url):
    """Another tab of the same browser, which is talked to inside."""
    first, browser._session = browser._session, None
    target = browser.call("Target.createTarget", url=url)["targetId"]
    attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
    try:
        browser._session = attached["sessionId"]
        browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
        yield
    finally:
        browser._session = None
        browser.call("Target.closeTarget", targetId=target)
        browser._session = first
