"""A browser that shows a page: boxes of formulas and lines, and the ink in its picture."""

import base64
import json
from html import escape
from pathlib import Path

import pytest

from tests.support.browser import PICTURES

KATEX = Path("/usr/share/javascript/katex")
WIDTH, SCALE = 1000, 2  # of a window, in CSS pixels; pixels of the picture in one of them

needs_katex = pytest.mark.skipif(
    not (KATEX / "katex.js").exists(), reason="needs KaTeX: apt-get install libjs-katex"
)


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
        height = browser.open(path, width=WIDTH, scale=SCALE)
        for key, value in browser.run(MEASURE).items():
            setattr(self, key, value)
        png = browser.picture(height=height)
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
