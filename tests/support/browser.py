"""A browser without a network: pages opened, looked at, clicked and dragged.

`tests/show/conftest.py` has the fixture `browser`, one for all tests of a process:

    def test_it(browser, tmp_path):
        page.save(tmp_path / "x.html")
        browser.open(tmp_path / "x.html", width=375, dark=True)   # a path, or HTML as text
        browser.run("document.title")                             # any JavaScript; promises awaited
        browser.wait("window.Plotly")                             # until it is true
        before = browser.picture("canvas")                        # PNG of an element, or of all
        browser.drag("canvas", (80, 0))                           # from its middle, by 80 pixels
        browser.click("button[data-copy=LaTeX]"); browser.wheel("canvas", 120)
        browser.key("ArrowLeft"); browser.pinch("canvas", 2.0)
        assert browser.changed(before, browser.picture("canvas")) > 0.01  # part of the pixels
        browser.keep("name")                                      # build/screenshots/name.png
        browser.print()                                           # PDF, with the page's own events
        browser.check()                                           # no error, no request

`errors` are exceptions, errors of the console and of the page's policy; `requests` is all that was
asked for besides the page itself and what it made (blob:, data:). Speaks Chromium's DevTools
protocol through two pipes.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PICTURES = Path(__file__).parents[2] / "build" / "screenshots"
PATIENCE = 600.0  # seconds for one answer of the browser

needs_browser = pytest.mark.skipif(
    CHROMIUM is None and os.environ.get("CI") != "true",
    reason="needs a browser: apt-get install chromium fonts-dejavu-extra",
)
KEYS = {  # what programs of the page read, and the number that Chromium wants
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Enter": 13,
    "Escape": 27,
    "Tab": 9,
    "Home": 36,
    "End": 35,
    " ": 32,
}


class Browser:
    """Chromium without a window; it is spoken to through two pipes and reaches no network."""

    def __init__(self, profile):
        assert CHROMIUM, "there is no browser: apt-get install chromium"
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        flags = "--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run".split()
        flags += ["--remote-debugging-pipe", "--allow-file-access-from-files"]
        flags += ["--proxy-server=127.0.0.1:9", "--disable-background-networking"]
        flags += ["--disable-component-update", "--disable-sync", "--enable-unsafe-swiftshader"]
        flags += [f"--user-data-dir={profile}", "--force-prefers-reduced-motion", "about:blank"]
        ends = f"3<&{to_browser} 4>&{from_browser}"  # the numbers that Chromium expects
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" {ends}', "bash", CHROMIUM, *flags],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._count, self._session, self._page = b"", 0, None, ""
        self.errors, self.requests, self._asked = [], [], {}
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        slow = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.call("Network.emulateNetworkConditions", offline=True, **slow)

    def close(self):
        """Ends the process."""
        self._process.kill()
        self._process.wait(PATIENCE)
        os.close(self._write)
        os.close(self._read)

    # ---- the protocol

    def call(self, method, **params):
        """A command and its answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        message |= {"sessionId": self._session} if self._session else {}
        text = memoryview(json.dumps(message).encode() + b"\0")
        while text:
            text = text[os.write(self._write, text) :]
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._message(deadline)
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer.get("method"), answer.get("params"))

    def _message(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"no answer from the browser in {PATIENCE} s"
            data = os.read(self._read, 1 << 20)
            assert data, "the browser has gone"
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event, params):
        """What happened meanwhile."""
        if event == "Runtime.exceptionThrown":
            said = params["exceptionDetails"]
            self.errors.append(said.get("exception", said).get("description", said["text"]))
        elif event == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            words = (x.get("value", x.get("description", "")) for x in params["args"])
            self.errors.append(" ".join(map(str, words)))
        elif event == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if url.split("#")[0] != self._page and not url.startswith(("blob:", "data:", "about:")):
                self.requests.append(url)
                self._asked[params["requestId"]] = url
        elif event == "Network.loadingFailed" and params.get("blockedReason") == "csp":
            url = self._asked.pop(params["requestId"], None)  # its policy did not let it out
            self.requests = [x for x in self.requests if x != url]

    def check(self):
        """Neither an error nor a request so far."""
        self.run("0")
        assert self.errors == [], self.errors
        assert self.requests == []

    # ---- pages

    def open(self, page, *, width=1200, height=800, scale=1, dark=False, motion=False, touch=False):
        """Opens a page and waits until it is all there; its height. HTML as text goes to a file.

        `motion` is what a reader has who did not ask for less of it.
        """
        if isinstance(page, str):
            folder = Path(tempfile.mkdtemp(prefix="page-"))
            (folder / "page.html").write_text(page, encoding="utf-8")
            page = folder / "page.html"
        self.media(dark=dark, motion=motion)
        self.resize(width, height, scale, touch)
        self.call("Page.navigate", url="about:blank")  # also where only the part after # differs
        self._page = page.as_uri()
        self.errors, self.requests, self._asked = [], [], {}
        self.call("Page.navigate", url=self._page)
        self.wait(
            f"location.href === {json.dumps(self._page)} && document.readyState == 'complete'"
        )
        self.run("document.fonts.ready.then(() => 1)")
        return self.run("document.documentElement.scrollHeight")

    def resize(self, width, height=800, scale=1, touch=False):
        """The window; with `touch` that of a phone."""
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": touch}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch, maxTouchPoints=5)

    def media(self, *, dark=False, motion=False, paper=False):
        """What the device says of itself; `paper` shows the page as it is printed."""
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "no-preference" if motion else "reduce"},
        ]
        self.call("Emulation.setEmulatedMedia", media="print" * paper, features=features)

    def run(self, script):
        """The value of an expression of JavaScript."""
        options = {"returnByValue": True, "awaitPromise": True, "userGesture": True}
        made = self.call("Runtime.evaluate", expression=script, **options)
        assert "exceptionDetails" not in made, made["exceptionDetails"]
        return made["result"].get("value")

    def wait(self, script, seconds=PATIENCE):
        """Waits until an expression is true; its value."""
        deadline = time.monotonic() + seconds
        while not (value := self.run(script)):
            assert time.monotonic() < deadline, f"not in {seconds} s: {script}; {self.errors}"
            time.sleep(0.02)
        return value

    def frames(self, count=2):
        """Waits until the page has been drawn again."""
        self.run(
            "new Promise((done) => { let n = 0; const next = () =>"
            f" n++ < {count} ? requestAnimationFrame(next) : done(1); next(); }})"
        )

    # ---- what is seen

    def box(self, selector):
        """Left, top, width and height of an element in the window; it is scrolled there first."""
        return self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'nearest', behavior: 'instant'});"
            "const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()"
        )

    def picture(self, selector=None, height=None):
        """An element as PNG, or the whole page, or that many pixels from its top."""
        self.frames()
        if selector:
            left, top, width, height = self.box(selector)
            x, y = self.run("[scrollX, scrollY]")
            clip = {"x": left + x, "y": top + y, "width": width, "height": height, "scale": 1}
        else:
            width = self.run("innerWidth")
            height = height or self.run("document.documentElement.scrollHeight")
            clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        options = {"format": "png", "captureBeyondViewport": selector is None, "clip": clip}
        return base64.b64decode(self.call("Page.captureScreenshot", **options)["data"])

    def keep(self, name, selector=None):
        """Keeps a picture in build/screenshots; its path."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        path = PICTURES / f"{name}.png"
        path.write_bytes(self.picture(selector))
        return path

    def changed(self, before, after):
        """The part of the pixels, from 0 to 1, that differ in two pictures of one size."""
        urls = ["data:image/png;base64," + base64.b64encode(x).decode() for x in (before, after)]
        return self.run(f"{DIFFERENCE}({json.dumps(urls)})")

    def print(self):
        """The page as PDF; its own handlers of printing run."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    # ---- hands

    def click(self, selector):
        """A click in the middle of an element."""
        left, top, width, height = self.box(selector)
        at = {"x": left + width / 2, "y": top + height / 2}
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def drag(self, selector, by, *, start=(0.5, 0.5), button="left", steps=8, hold=False):
        """Drags from a place in an element, in parts of its size; with `hold` it is not let go."""
        left, top, width, height = self.box(selector)
        x, y = left + start[0] * width, top + start[1] * height
        which = {"button": button, "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **which)
        held = {"button": button, "buttons": 1 if button == "left" else 2}
        for k in range(1, steps + 1):
            at = {"x": x + by[0] * k / steps, "y": y + by[1] * k / steps}
            self.call("Input.dispatchMouseEvent", type="mouseMoved", **at, **held)
        if not hold:
            self.release(selector, by, start=start, button=button)

    def release(self, selector, by=(0, 0), *, start=(0.5, 0.5), button="left"):
        """Lets go what is held."""
        left, top, width, height = self.box(selector)
        at = {"x": left + start[0] * width + by[0], "y": top + start[1] * height + by[1]}
        self.call("Input.dispatchMouseEvent", type="mouseReleased", button=button, **at)

    def wheel(self, selector, by):
        """Turns the wheel over an element."""
        left, top, width, height = self.box(selector)
        at = {"x": left + width / 2, "y": top + height / 2}
        self.call("Input.dispatchMouseEvent", type="mouseWheel", deltaX=0, deltaY=by, **at)

    def key(self, name):
        """A key, to whatever has the focus."""
        event = {"key": name, "code": name, "windowsVirtualKeyCode": KEYS.get(name, ord(name[0]))}
        text = {"text": name} if len(name) == 1 else {"text": "\r"} if name == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **event, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def touch(self, selector, *paths):
        """Fingers that move together, each along places in pixels from the element's middle."""
        left, top, width, height = self.box(selector)
        x, y = left + width / 2, top + height / 2
        for k, places in enumerate(zip(*paths, strict=True)):
            points = [{"x": x + a, "y": y + b, "id": i} for i, (a, b) in enumerate(places)]
            kind = "touchMove" if k else "touchStart"
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def pinch(self, selector, factor, size=60, steps=6):
        """Two fingers, whose distance becomes `factor` times as large."""
        lengths = [size * (1 + (factor - 1) * k / steps) / 2 for k in range(steps + 1)]
        self.touch(selector, [(-x, 0) for x in lengths], [(x, 0) for x in lengths])


DIFFERENCE = """(async (urls) => {
  const [a, b] = await Promise.all(urls.map(async (url) => {
    const bytes = Uint8Array.from(atob(url.split(",")[1]), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  }));
  if (a.width !== b.width || a.height !== b.height) return 1;
  let count = 0;
  for (let k = 0; k < a.data.length; k += 4) {
    const d = Math.abs(a.data[k] - b.data[k]) + Math.abs(a.data[k + 1] - b.data[k + 1])
      + Math.abs(a.data[k + 2] - b.data[k + 2]);
    count += d > 24;
  }
  return count / (a.data.length / 4);
})"""
