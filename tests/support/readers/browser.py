"""A browser that shows a page: boxes of formulas and lines, and the ink in its picture."""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from html import escape
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
KATEX = Path("/usr/share/javascript/katex")
PICTURES = Path(__file__).parents[3] / "build" / "screenshots"
WIDTH, SCALE = 1000, 2  # of a window, in CSS pixels; pixels of the picture in one of them
PATIENCE = 600.0  # seconds for one answer of the browser

needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="needs a browser: apt-get install chromium fonts-dejavu-extra"
)
needs_katex = pytest.mark.skipif(
    not (KATEX / "katex.js").exists(), reason="needs KaTeX: apt-get install libjs-katex"
)


# ---- the browser


class Browser:
    """Chromium without a window; it is spoken to through two pipes and reaches no network."""

    def __init__(self, profile):
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        flags = "--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run".split()
        flags += ["--remote-debugging-pipe", "--allow-file-access-from-files"]
        flags += ["--proxy-server=127.0.0.1:9", "--disable-background-networking"]
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
        self._buffer, self._count, self._session = b"", 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")

    def close(self):
        self._process.kill()
        self._process.wait(PATIENCE)
        os.close(self._write)
        os.close(self._read)

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

    def _message(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"no answer from the browser in {PATIENCE} s"
            data = os.read(self._read, 1 << 20)
            assert data, "the browser has gone"
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def run(self, script):
        """The value of an expression of JavaScript."""
        options = {"returnByValue": True, "awaitPromise": True}
        made = self.call("Runtime.evaluate", expression=script, **options)
        assert "exceptionDetails" not in made, made["exceptionDetails"]
        return made["result"].get("value")

    def show(self, path, dark=False):
        """Opens a page and waits until it is all there; its height."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        size = {"width": WIDTH, "height": 800, "deviceScaleFactor": SCALE, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Page.navigate", url=path.as_uri())
        deadline = time.monotonic() + PATIENCE
        ready = f"location.href === {json.dumps(path.as_uri())} && document.readyState"
        while self.run(ready) != "complete":
            assert time.monotonic() < deadline
            time.sleep(0.02)
        self.run("document.fonts.ready.then(() => 1)")
        return self.run("document.documentElement.scrollHeight")

    def picture(self, height):
        """The whole page as PNG."""
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
        options = {"format": "png", "captureBeyondViewport": True, "clip": clip}
        return base64.b64decode(self.call("Page.captureScreenshot", **options)["data"])


def katex_page(formulas):
    """Our LaTeX, set by KaTeX, which must not forgive anything."""
    lines = "".join(f'<div class="line" data-tex="{escape(x)}"></div>' for x in formulas)
    return f"""<!DOCTYPE html><html><head><meta charset="utf-8"/>
<link rel="stylesheet" href="{(KATEX / "katex.css").as_uri()}"/>
<style>.line {{ overflow: hidden; padding: 3px 0; }} .katex-display {{ margin: .3em 0; }}</style>
<script src="{(KATEX / "katex.js").as_uri()}"></script></head><body>{lines}<script>
window.errors = [];
for (const e of document.querySelectorAll(".line")) {{
  try {{
    katex.render(e.dataset.tex, e, {{ displayMode: true, throwOnError: true, strict: "error" }});
  }} catch (error) {{ errors.push(error.message + ": " + e.dataset.tex); }}
}}
</script></body></html>"""


# ---- what is measured

MEASURE = """(() => {
  const box = (e) => { const r = e.getBoundingClientRect();
    return [r.left + scrollX, r.top + scrollY, r.width, r.height]; };
  const all = (selector) => [...document.querySelectorAll(selector)];
  return {
    errors: [...(window.errors || []), ...all("merror, .katex-error").map((e) => e.textContent)],
    missing: [...document.fonts].filter((f) => f.status === "error").map((f) => f.family),
    formulas: all("math, .katex-html").filter((e) => !e.closest(".katex-mathml")).map(box),
    lines: all(".line").map(box),
    hidden: all(".line").filter((e) => e.scrollWidth > e.clientWidth + 1
      || e.scrollHeight > e.clientHeight + 1).map((e) => e.textContent),
    accents: all(".formulas mover, .katex-html .accent > .vlist-t").map(box).map(
      ([x, y, w, h]) => [x + 0.15 * w, y, 0.7 * w, h]),  // exponents come close at the sides
    fences: all(".formulas mo[stretchy=true]:not(.bracket)").map((e) =>
      [e.getBoundingClientRect().height, e.parentElement.getBoundingClientRect().height]),
  };
})()"""

INK = """(async (url, boxes, scale) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const rows = (left, top, width, height) => {
    const data = context.getImageData(left, top, width, height).data;
    const count = [];
    for (let y = 0; y < height; y++) {
      let inked = 0;
      for (let k = 4 * y * width; k < 4 * (y + 1) * width; k += 4) {
        inked += data[k] + data[k + 1] + data[k + 2] < 540;
      }
      count.push(inked);
    }
    return count;
  };
  const whole = rows(0, 0, image.width, image.height).reduce((a, b) => a + b, 0);
  return { part: whole / (image.width * image.height), rows: boxes.map((b) => {
    const [left, top] = [Math.floor(b[0] * scale), Math.floor(b[1] * scale)];
    const [right, end] = [Math.ceil((b[0] + b[2]) * scale), Math.ceil((b[1] + b[3]) * scale)];
    return rows(left, top, Math.max(1, right - left), Math.max(1, end - top));
  }) };
})"""


class Seen:
    """A page in the browser: its boxes, its picture, and the ink in rows of pixels."""

    def __init__(self, browser, text, folder, name, keep=True):
        path = folder / f"{name}.html"
        path.write_text(text, encoding="utf-8")
        height = browser.show(path)
        for key, value in browser.run(MEASURE).items():
            setattr(self, key, value)
        png = browser.picture(height)
        if keep:
            PICTURES.mkdir(parents=True, exist_ok=True)
            (PICTURES / f"{name}.png").write_bytes(png)
        url = "data:image/png;base64," + base64.b64encode(png).decode()
        boxes = [*self.formulas, *self.lines, *self.accents]
        made = browser.run(f"{INK}({json.dumps(url)}, {json.dumps(boxes)}, {SCALE})")
        self.part, rows = made["part"], made["rows"]
        n, m = len(self.formulas), len(self.lines)
        self.ink, self.edges, self.marks = rows[:n], rows[n : n + m], rows[n + m :]

    @property
    def clipped(self):
        """Lines whose ink touches the edge, or that hide some."""
        return self.hidden + [k for k, rows in enumerate(self.edges) if rows[0] or rows[-1]]

    @property
    def touching(self):
        """Accents without white below them."""
        return [k for k, rows in enumerate(self.marks) if not apart(rows)]


def apart(rows):
    """Whether there is white between the uppermost ink and the next."""
    text = "".join("#" if x else " " for x in rows).strip()
    return " " in text
