"""Formulas as a person sees them: MathML and LaTeX in a browser, and the pictures looked at.

Every page is shown by headless Chromium, our LaTeX by KaTeX. Boxes are measured in the page, ink in
the picture, and the pictures are kept in build/screenshots.
"""

import base64
import json
import os
import re
import select
import shutil
import subprocess
import time
from functools import cache
from html import escape
from pathlib import Path

import pytest

import visviva as vv
from tests.support.counts import SOAK
from tests.support.generators.named_systems import HOSTILE, WORDS, by_builder
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.judge.closed.printed import printed
from visviva.judge.derive.derivation import derivation

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


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    made = Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


# ---- what is shown


@cache
def odd():
    """Fractions in fractions, roots, exponentials, a force from outside."""
    return Lagrangian(
        "x theta",
        "m*(1 + h^2*sin(x/w)^2/w^2)*x'^2/2 + I*theta'^2/(2*(1 + x^2))",
        "m*g*h*cos(x/w) + k*(sqrt(x^2 + d^2) - l)^2/2 + a*exp(-x^2/(2*w^2))",
        dissipation="c*theta'^2/2",
        forces=["F*cos(Omega*t)", 0],
        parameters=dict.fromkeys("m h w I g k d l a c F Omega".split(), 1.0),
        name="odd",
    ).closed_form()


@cache
def form(name):
    return vv.catalog.build(name).closed_form()


@cache
def steps(name, method):
    return derivation(vv.catalog.build(name), method)


FORMS = {
    "two_link-standard": lambda to: printed(form("two_link"), "standard", to),
    "two_link-christoffel": lambda to: printed(form("two_link"), "christoffel", to),
    "scara-equations": lambda to: printed(form("scara"), "equations", to),
    "planar_3r-standard": lambda to: printed(form("planar_3r"), "standard", to),
    "odd-standard": lambda to: printed(odd(), "standard", to),
    "odd-equations": lambda to: printed(odd(), "equations", to),
    "craig_6_5-newton-euler": lambda to: getattr(steps("craig_6_5", "newton-euler"), to)(),
    "two_link-lagrange": lambda to: getattr(steps("two_link", "lagrange"), to)(),
}
NOTEBOOK = {
    "two_link-notebook": lambda: form("two_link")._repr_latex_(),
    "planar_3r-notebook": lambda: form("planar_3r")._repr_latex_(),
    "odd-notebook": lambda: odd()._repr_latex_(),
}


def formulas_of(text):
    """What stands in mathematics mode."""
    return [max(x) for x in re.findall(r"\\\[(.*?)\\\]|\$\$(.*?)\$\$|\$(.*?)\$", text, re.S)]


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


def check(seen, count):
    assert seen.errors == []
    assert seen.missing == []
    assert len(seen.formulas) == count > 0
    assert all(w > 5 and h > 5 for _, _, w, h in seen.formulas)
    assert all(sum(rows) > 20 for rows in seen.ink)  # each formula has ink
    assert 0.001 < seen.part < 0.3
    assert seen.clipped == []
    assert seen.touching == []
    assert all(own > 0.7 * whole for own, whole in seen.fences)  # brackets that have grown


# ---- tests


@needs_browser
@pytest.mark.parametrize("name", FORMS)
def test_pages_in_a_browser(browser, tmp_path, name):
    page = FORMS[name]("html")
    seen = Seen(browser, page, tmp_path, f"{name}-mathml")
    check(seen, page.count("<math "))
    assert len(seen.accents) == page.count("<mover ")
    assert seen.accents or "christoffel" in name


@needs_browser
@needs_katex
@pytest.mark.parametrize("name", [*FORMS, *NOTEBOOK])
def test_latex_in_a_browser(browser, tmp_path, name):
    text = NOTEBOOK[name]() if name in NOTEBOOK else FORMS[name]("latex")
    formulas = formulas_of(text)
    seen = Seen(browser, katex_page(formulas), tmp_path, f"{name}-latex")
    check(seen, len(formulas))
    assert len(seen.accents) == len(re.findall(r"\\(?:dot|ddot|hat|vec)\b", "".join(formulas)))


@needs_browser
def test_the_measures_see_what_is_wrong(browser, tmp_path):
    page = FORMS["two_link-standard"]("html")

    def spoiled(style):
        made = page.replace("</head>", f"<style>{style}</style></head>")
        return Seen(browser, made, tmp_path, "spoiled", keep=False)

    assert spoiled(".formulas mover > mo:last-child { margin-bottom: -.4em !important; }").touching
    assert spoiled(".line { height: 1.4rem; }").clipped
    assert spoiled(".line { max-width: 20rem; }").clipped
    assert not any(map(sum, spoiled(".line { color: #fff; }").ink))
    assert spoiled("").touching == spoiled("").clipped == []


@needs_browser
@needs_katex
@pytest.mark.soak
def test_latex_under_any_names_in_a_browser(browser, tmp_path):
    """KaTeX knows every name; without a glyph are a ligature, a bracket and what cannot be seen."""
    few = ["θ", "φ₁", "关节1", "épaule", "угол", "q̈_", "7", r"\input{/etc/passwd}"]
    every = [x for x in (*WORDS, *HOSTILE) if x not in ("ﬁ", "⟦", "k\u202ek")]
    formulas = []
    for k, name in enumerate(every if SOAK else few):
        joints, parameters = ((name, "yy"), ("mm", "ll")) if k % 2 else (("xx", "yy"), (name, "ll"))
        made = by_builder(joints, parameters).closed_form()
        formulas += formulas_of(made.latex("equations") + made._repr_latex_())
    page = tmp_path / "names.html"
    page.write_text(katex_page(formulas), encoding="utf-8")
    browser.show(page)
    seen = browser.run(MEASURE)
    assert seen["errors"] == []
    assert len(seen["formulas"]) == len(formulas)


@needs_browser
@needs_katex
def test_latex_that_is_wrong_is_seen(browser, tmp_path):
    seen = Seen(browser, katex_page([r"\dot{q", "q^2"]), tmp_path, "wrong", keep=False)
    assert len(seen.errors) == 1
    assert len(seen.formulas) == 1


@needs_browser
def test_in_a_notebook_a_derivation_leaves_the_rest_as_it_is(browser, tmp_path):
    host = (
        "<!DOCTYPE html><html><body><h1>mine</h1><p>text</p><math><mi>x</mi></math>{}</body></html>"
    )
    script = """JSON.stringify(["html", "body", "h1", "p", "math"].map((name) => {
      const style = getComputedStyle(document.querySelector(name));
      return [...style].filter((k) => !/size|height|width|origin|inset|^(bottom|right)$/.test(k))
        .map((k) => k + ":" + style.getPropertyValue(k)); }))"""
    seen = []
    for body in ("", steps("two_link", "lagrange")._repr_html_()):
        path = tmp_path / "host.html"
        path.write_text(host.format(body), encoding="utf-8")
        browser.show(path, dark=True)
        seen.append(json.loads(browser.run(script)))
    assert seen[0] == seen[1]
    text, paper = browser.run(
        """[".derivation", "body"].map((x) => getComputedStyle(document.querySelector(x)).color)"""
    )
    assert text == paper


@needs_browser
@pytest.mark.parametrize("name", ["two_link-standard", "two_link-lagrange"])
def test_in_the_dark_a_page_is_light_on_dark(browser, tmp_path, name):
    path = tmp_path / "page.html"
    path.write_text(FORMS[name]("html"), encoding="utf-8")
    browser.show(path, dark=True)
    ink, paper = browser.run(
        """(() => { const math = getComputedStyle(document.querySelector("math"));
        const all = (x) => x.match(/\\d+/g).slice(0, 3).map(Number);
        return [all(math.color), all(getComputedStyle(document.body).backgroundColor)]; })()"""
    )
    assert min(ink) > 200
    assert max(paper) < 60


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs LaTeX")
@pytest.mark.parametrize("name", FORMS)
def test_documents_compile(tmp_path, name):
    text = FORMS[name]("latex")
    if not text.startswith(r"\documentclass"):
        head = "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n"
        text = f"{head}{text}\n\\end{{document}}\n"
    (tmp_path / "page.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert made.returncode == 0, made.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 5000
