"""Make docs/images/laboratory.gif: a link of an arm is pulled in its laboratory, and let go.

python tools/laboratory_gif.py     # needs chromium, and Pillow

The page is opened in a browser without a window. The picture is what the page draws.
"""

import io
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "images" / "laboratory.gif"
LABORATORY = "VV.laboratories['laboratory-data']"
CANVAS = ".laboratory .stage canvas"
BOX = ".laboratory"
WIDTH, COLOURS = 480, 32  # pixels of the GIF; entries of its palette
PULLED, FREE = 14, 30  # frames while the link is pulled, and after it is let go
INTERVAL = 0.09  # s of the motion, at least, between two frames
REST = 1000  # ms for which the last frame stays


def main() -> None:
    """Open the study, pull the second link, let it go, and write what was seen."""
    sys.path.insert(0, str(ROOT))
    import visviva as vv
    from tests.support.browser import Browser

    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "study.html"
        vv.catalog.two_link().study(page)
        browser = Browser(Path(folder) / "profile")
        try:
            browser.open(page, width=900, height=1400)  # all of the laboratory in the window
            frames = list(_film(browser))
        finally:
            browser.close()
    TARGET.parent.mkdir(exist_ok=True)
    times = [t for t, _ in frames]
    first, *rest = (_reduced(png) for _, png in frames)
    first.save(
        TARGET,
        save_all=True,
        append_images=rest,
        duration=[round(1000 * (b - a)) for a, b in pairwise(times)] + [REST],
        loop=0,
        optimize=True,
    )
    print(f"{TARGET.relative_to(ROOT)}: {len(frames)} frames, {TARGET.stat().st_size / 1e6:.2f} MB")


def _film(browser):
    """Time of the motion and PNG of the laboratory, frame by frame."""
    browser.box(BOX)  # scrolls there, and the canvas stays where it is
    left, top, width, height = browser.box(CANVAS)
    x, y = browser.run(
        f"(() => {{ const v = {LABORATORY}.viewer, X = v.poses()[2];"
        "return v.project(X.map((row) => 0.6 * row[0] + row[3])).slice(0, 2); })()"
    )
    mouse = {"button": "left", "buttons": 1, "clickCount": 1}
    at = {"x": left + x, "y": top + y}
    yield 0.0, browser.picture(BOX)
    browser.call("Input.dispatchMouseEvent", type="mousePressed", **at, **mouse)
    for k in range(PULLED):
        part = min(1.0, (k + 1) / (PULLED - 4))
        to = {"x": at["x"] + 0.16 * width * part, "y": at["y"] - 0.30 * height * part}
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", **to, **mouse)
        yield _next_frame(browser)
    browser.call("Input.dispatchMouseEvent", type="mouseReleased", button="left", **to)
    for _ in range(FREE):
        yield _next_frame(browser)


def _next_frame(browser):
    start = browser.run(f"{LABORATORY}.motion.t")
    time = browser.wait(f"{LABORATORY}.motion.t >= {start + INTERVAL} && {LABORATORY}.motion.t")
    return time, browser.picture(BOX)


def _reduced(png: bytes) -> Image.Image:
    """A frame in the size and with the colours of the GIF."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    size = WIDTH, round(image.height * WIDTH / image.width)
    return image.resize(size, Image.Resampling.LANCZOS).quantize(COLOURS, dither=Image.Dither.NONE)


if __name__ == "__main__":
    main()
