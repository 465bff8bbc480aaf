"""Pictures, looked at as pictures: one of each kind, and a gallery that draws them in a browser.

A figure is drawn alone, 700 pixels wide, and its pixels and words are measured: how much of the
plot has ink, whether a word stands out of the figure, whether something is cut off at an edge.
"""

import base64
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import plotly
import sympy

import visviva as vv
from tests.support.oracles.robots import ROBOTS

SCRIPT = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
FEW = "ur5_robot panda solo12 anymal talos_left_arm hyq_no_sensors kinova go1 xarm7 baxter"
URDFS = {name: next(x for x in ROBOTS if x.stem == name) for name in FEW.split()}
LEAST_INK = 0.002  # of the pixels of a plot
v, m, c = sympy.symbols("v m c", positive=True)
k, e = sympy.symbols("k e", positive=True)
SHOULDER = {"joint2": -0.6, "joint3": 0.4, "joint5": 0.4}
wave = vv.function(lambda x, k: vv.generic.sin(k * x), {"x": (), "k": ()}, name="wave")


def _puma():
    return vv.catalog.puma560()


FLAT = {
    "function of one number": lambda: wave.plot(x=(0, 6), k=2.0),
    "function of two numbers": lambda: wave.plot(),
    "functions": lambda: vv.catalog.cart_pole().mass_matrix.plot(theta=(-3, 3)),
    "friction": lambda: vv.Friction(1.0, stiction=1.5, viscous=0.4, stribeck=0.1).plot(),
    "bristles": lambda: vv.LuGre(1.0, stiction=1.5, stribeck=0.1, stiffness=1e5).plot(),
    "spring": lambda: vv.Stiffness("k1 + k3*e^2", {"k1": 2.0, "k3": 8.0}).plot(0.5),
    "spring pressed": lambda: vv.Stiffness("k1 + k3*e^2", {"k1": 2.0, "k3": 8.0}).plot(-0.5),
    "energies of a spring": lambda: vv.pencil.spring(k, e).plot(0.2, {"k": 100.0}),
    "energies of a particle": lambda: vv.pencil.plot_energies(
        m * v / sympy.sqrt(1 - v**2 / c**2), v, 0.8, {"m": 1.0, "c": 1.0}
    ),
    "columns in a plane": lambda: (
        vv.catalog.planar_3r().jacobian_columns("tool", [0.3, 0.7, -0.4]).plot()
    ),
    "ellipse": lambda: vv.catalog.two_link().singularity("tool", [0.3, 0.7], task="x y").plot(),
    "workspace in a plane": lambda: (
        vv.catalog.planar_3r().workspace("tool", samples=3000).plot([0.3, 0.7, -0.4])
    ),
    "solutions in a plane": lambda: (
        vv.catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5)
        .inverse_kinematics("tool", (1.8, 1.2, 0.6), all=True)
        .plot()
    ),
    "determinant": lambda: vv.catalog.scara().singularities("tool").plot(),
    "singular arms": lambda: vv.catalog.planar_3r().singularities("tool").plot(arms=True),
    "instant centres": lambda: _linkage("slider_crank", "instant_centres"),
    "coupler curve": lambda: (
        vv.catalog.four_bar()
        .coupler_curve("coupler", "theta1", np.linspace(0.5, 6.7, 60), point=[0.5, 0.3, 0])
        .plot()
    ),
    "transmission angle": lambda: (
        vv.catalog.four_bar().transmission_angle("theta1", np.linspace(0.5, 6.7, 60)).plot()
    ),
    "motion": lambda: vv.catalog.cart_pole().simulate([0, 0.5], [0, 0], 2.0).plot(),
    "motions": lambda: (
        vv.catalog.cart_pole()
        .simulate(np.linspace(0, 1, 8).reshape(4, 2), np.zeros((4, 2)), 2.0)
        .plot("theta")
    ),
    "least action": lambda: vv.catalog.pendulum(1).least_action([0.0], [1.0], 1.0).plot(),
    "mechanism in a plane": lambda: vv.catalog.four_bar().plot(),
    "energies in a plane": lambda: vv.catalog.knife_edge().plot(),
}
IN_SPACE = {
    "pose": lambda: (vv.Pose.translation([1, 2, 0.5]) @ vv.Pose.rotation([0, 0, 1], 0.7)).plot(
        "tool"
    ),
    "Euler angles": lambda: vv.space.plot_euler([0.7, 0.5, 0.9], "Z1X3Z2"),
    "body": lambda: vv.Inertia.box(2.0, x=1.0, y=0.4, z=0.1).plot(shape="box"),
    "parts of a body": lambda: _composite(),
    "surface": lambda: wave.plot(surface=True),
    "columns in space": lambda: vv.catalog.scara().jacobian_columns("tool", [0.3, 0.4, 0.1]).plot(),
    "ellipsoid": lambda: (
        _puma().singularity("tool", _puma().q(SHOULDER), task="position").plot(force=True)
    ),
    "solutions in space": lambda: (
        _puma()
        .inverse_kinematics("tool", _puma().pose("tool")(_puma().q(SHOULDER)), all=True)
        .plot()
    ),
    "mechanism in space": lambda: _puma().plot(SHOULDER),
}
DRAWINGS = {  # SVG
    "free bodies": lambda: vv.catalog.two_link().statics([0.3, 0.5]).plot().svg,
    "free bodies in space": lambda: _puma().statics(_puma().q(SHOULDER)).plot().svg,
}


def _linkage(name, asked):
    linkage = getattr(vv.catalog, name)()
    return getattr(linkage, asked)(linkage.assembled()).plot()


def _composite():
    post = vv.Inertia.cylinder(2.0, radius=0.1, height=0.5)
    arm = vv.Inertia.box(1.0, x=0.6, y=0.1, z=0.1).moved(p=[0.4, 0, 0.1])
    return (post + arm).plot({"cylinder": post, "prism": arm})


class Gallery:
    """Draws figures in a browser, one after the other in one page."""

    def __init__(self, browser, width=700):
        self.browser, self.width = browser, width
        script = SCRIPT.read_text(encoding="utf-8").replace("</script", r"<\/script")
        page = f"<body style='margin: 0; background: white'><div id='figure'></div>{LOOKING}"
        browser.open(f"{page}<script>{script}</script>", width=width, height=1000)
        browser.run(f"document.getElementById('figure').style.width = '{width}px'")

    def look(self, figure):
        """What is seen of a figure: `ink`, words that stand `outside`, pixels at the `edges`."""
        text = json.dumps(figure.to_json())
        self.browser.run(f"draw({text})")
        picture = self.browser.picture("#figure")
        url = "data:image/png;base64," + base64.b64encode(picture).decode()
        seen = self.browser.run(f"looked({json.dumps(url)})")
        return {**seen, "picture": picture}

    def check(self, name, figure):
        """There is something to see, every word is inside, and nothing is cut off."""
        seen = self.look(figure)
        assert seen["ink"] > LEAST_INK, f"{name}: {seen['ink']:.2%} of the plot has ink"
        assert seen["outside"] == [], f"{name}: words stand out of the figure"
        assert seen["edges"] == 0, f"{name}: {seen['edges']} pixels touch the figure's edge"
        assert seen["words"], f"{name} has no word"
        return seen


LOOKING = """<script>
const draw = async (text) => {
  const { data, layout } = JSON.parse(text);
  const box = document.getElementById("figure");
  Plotly.purge(box);
  box.style.height = `${layout.height}px`;
  await Plotly.newPlot(box, data, layout, { displayModeBar: false });
  return 1;
};
const looked = async (url) => {
  const box = document.getElementById("figure"), around = box.getBoundingClientRect();
  const { l, t, w, h } = box._fullLayout._size;
  const texts = [...box.querySelectorAll("text")].filter((x) => x.textContent.trim());
  const outside = texts.filter((x) => {
    const r = x.getBoundingClientRect();
    return r.width > 0 && (r.left < around.left - 0.5 || r.right > around.right + 0.5
      || r.top < around.top - 0.5 || r.bottom > around.bottom + 0.5);
  }).map((x) => x.textContent);
  const bytes = Uint8Array.from(atob(url.split(",")[1]), (x) => x.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data, width, height } = context.getImageData(0, 0, image.width, image.height);
  const inked = (x, y) => {
    const k = 4 * (y * width + x);
    return data[k] + data[k + 1] + data[k + 2] < 690;
  };
  let ink = 0, edges = 0;
  for (let y = Math.ceil(t); y < t + h; y++) {
    for (let x = Math.ceil(l); x < l + w; x++) ink += inked(x, y);
  }
  for (let x = 0; x < width; x++) edges += inked(x, 0) + inked(x, height - 1);
  for (let y = 0; y < height; y++) edges += inked(0, y) + inked(width - 1, y);
  if (box._fullLayout.scene) {  // where a picture in space would be cut off
    const bottom = Math.floor(t + h) - 1;
    for (let x = Math.ceil(l); x < l + w; x++) edges += inked(x, bottom);
    for (let y = Math.ceil(t); y < t + h; y++) {
      edges += inked(Math.ceil(l), y) + inked(Math.floor(l + w) - 1, y);
    }
  }
  return { ink: ink / (w * h), outside, edges, words: texts.map((x) => x.textContent) };
};
</script>"""


def check_drawing(name, svg):
    """An SVG drawing has shapes, and its words are inside of it, by the usual width of letters."""
    root = ElementTree.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    _, _, width, height = map(float, root.get("viewBox").split())
    shapes = [x for x in root.iter() if x.tag.removeprefix(space) in ("line", "path", "polygon")]
    assert shapes, f"{name}: nothing is drawn"
    words = 0
    for x, y, element in _walked(root, 0.0, 0.0):
        if element.tag == f"{space}text":
            text = "".join(element.itertext())
            at = x + float(element.get("x", 0)), y + float(element.get("y", 0))
            start = {"middle": 0.5, "end": 1.0}.get(element.get("text-anchor"), 0.0)
            left = at[0] - start * 6.4 * len(text)
            assert 0 <= left <= left + 5.4 * len(text) <= width, f"{name}: {text!r} stands out"
            assert 0 <= at[1] <= height, f"{name}: {text!r} stands out"
            words += 1
    assert words, f"{name} has no word"


def _walked(element, x, y):
    """Elements with where groups have shifted them."""
    moved = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", element.get("transform", ""))
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
    yield x, y, element
    for child in element:
        yield from _walked(child, x, y)
