"""Faces, lines, arrows and words as SVG, in a size that shows all of them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing import svg
from visviva.drawing.look import AXES, LETTERS
from visviva.notation.names import printable
from visviva.show.figures.roles import PALE
from visviva.show.figures.seen import Seen
from visviva.show.scene.shapes import Coil, Sphere

MARGIN, FOOT = 22.0, 34.0  # pixels around, and below for axes and scale
LETTER, LINE, BESIDE = 7.0, 13.0, 7.0  # of a word: widths, height, room
APART = 0.6  # pixels: points of a line that are closer are one
TRIAD = 20.0
WAYS = [(1, -1), (1, 1), (-1, -1), (-1, 1), (1, 0), (-1, 0), (0, -1), (0, 1)]  # of words


class Sheet:
    """What is drawn, in metres of view axes, until `done` chooses the scale."""

    def __init__(self, name: str, width: float, height: float, flat: bool) -> None:
        self.name, self.room, self.flat = name, np.array([width, height]), flat
        self._shapes: list[Seen] = []
        self._arrows: list[tuple[Array, Array, str]] = []
        self._words: list[tuple[Array, str]] = []

    def shape(self, x: Seen) -> None:
        """Faces or a line."""
        self._shapes.append(x)

    def arrow(self, foot: Array, along: Array, colour: str) -> None:
        """From a point; what points at us or away is left out."""
        if np.linalg.norm(along[:2]) > 0.05 * np.linalg.norm(along):
            self._arrows.append((foot, along, colour))

    def axes(self, pose: Array, length: float) -> None:
        """Of a frame (3, 4): x red, y green, z blue."""
        for k, colour in enumerate(AXES):
            self.arrow(pose[:, 3], pose[:, k] * length, colour)

    def word(self, at: Array, text: str) -> None:
        """Beside a point."""
        self._words.append((at, printable(text)))

    def done(self, view: Array) -> str:
        """The SVG, with the axes of the world and a scale below."""
        points = [x.points[:, :2] for x in self._shapes]
        points += [np.array([a, a + b])[:, :2] for a, b, _ in self._arrows]
        points += [at[None, :2] for at, _ in self._words]
        every = np.vstack(points) if points else np.zeros((1, 2))
        low, high = every.min(axis=0), every.max(axis=0)
        spread = np.maximum(high - low, 1e-9)
        inside = self.room - [2 * MARGIN, 2 * MARGIN + FOOT]
        self._scale = float((inside / spread).min())
        self._low, self._top = low, high[1]
        wide, tall = spread * self._scale + 2 * MARGIN
        left = max((240.0 - wide) / 2, 0.0)  # never too narrow for the scale
        self._left = MARGIN + left
        body = [self._shape(x) for x in self._shapes]
        body += [self._arrow(*x) for x in self._arrows]
        body += self._labels(wide + 2 * left)
        foot = self._foot(view, tall + FOOT - 12.0)
        return svg.svg(printable(self.name), wide + 2 * left, tall + FOOT, [*body, foot])

    # ---- pieces

    def _at(self, p: Array) -> Array:
        """Pixels (…, 2) of points in view axes."""
        x, y = np.moveaxis(np.asarray(p, dtype=float)[..., :2], -1, 0)
        left, top = self._left - self._low[0] * self._scale, MARGIN + self._top * self._scale
        return np.stack([left + x * self._scale, top - y * self._scale], axis=-1)

    def _shape(self, x: Seen) -> str:
        role = x.shape.role
        if x.line is not None:
            width = 1.6 if isinstance(x.shape, Coil) else 1.2 if role == "ground" else 1.8
            look = f'stroke="{x.colour}" stroke-width="{width}"'
            return f'<path class="n" d="{self._path(x.line)}" {look}/>'
        rim, clear = mixed(x.colour, -0.35), PALE.get(role, 1.0)
        look = f'stroke="{rim}" stroke-width="0.8"' + (f' opacity="{clear}"' if clear < 1 else "")
        if role == "centre":
            return self._centre(x)
        if isinstance(x.shape, Sphere):
            cx, cy = self._at(x.ends[0])
            r = max(x.shape.radius * self._scale, 1.5)
            a, b, c = map(svg.pixels, (cx, cy, r))
            return f'<circle cx="{a}" cy="{b}" r="{c}" fill="{x.colour}" {look}/>'
        made = []
        for k, (ring, light) in enumerate(x.faces):
            fill = x.colour if k == 0 else mixed(x.colour, 0.35 * light)
            made.append(f'<path d="{self._path(ring)}Z" fill="{fill}" {look}/>')
        return "".join(made[1:] if len(made) > 2 else made)  # sides of a box cover its outline

    def _centre(self, x: Seen) -> str:
        """A centre of mass: two dark quarters."""
        cx, cy = self._at(x.ends[0])
        r = 4.0
        a, b = svg.pixels(cx), svg.pixels(cy)
        return (
            f'<circle cx="{a}" cy="{b}" r="{svg.pixels(r)}" fill="#fff" stroke="{x.colour}"/>'
            f'<path fill="{x.colour}" d="M{a} {b}v-4a4 4 0 0 1 4 4zM{a} {b}v4a4 4 0 0 1 -4 -4z"/>'
        )

    def _arrow(self, foot: Array, along: Array, colour: str) -> str:
        a, b = self._at(foot), self._at(foot + along)
        return _arrow(a, b, colour)

    def _path(self, line: Array) -> str:
        at = self._at(line)
        kept = [at[0]]
        for p in at[1:]:
            if np.abs(p - kept[-1]).max() > APART:
                kept.append(p)
        return svg.line(kept)

    def _labels(self, width: float) -> list[str]:
        """Words where they cover least."""
        busy = [self._at(_dense(x)) for x in self._shapes]
        busy += [self._at(np.linspace(a, a + b, 8)) for a, b, _ in self._arrows]
        taken, made = np.vstack([np.zeros((0, 2)), *busy]), []
        for at, text in self._words:
            where, half = self._at(at), np.array([LETTER * len(text), LINE]) / 2

            def covered(middle: Array, half: Array = half, taken: Array = taken) -> int:
                low, high = middle - half, middle + half
                out = low[0] < 2 or high[0] > width - 2 or low[1] < 2
                return int(((taken > low) & (taken < high)).all(axis=1).sum()) + 1000 * int(out)

            places = [where + np.array(way) * (BESIDE + half) for way in WAYS]
            best = min(places, key=covered)
            grid = np.stack(np.meshgrid(np.linspace(-1, 1, 6), [-1, 0, 1]), axis=-1).reshape(-1, 2)
            taken = np.vstack([taken, *[best + grid * half * 0.98] * 3])
            made.append(svg.text(best[0], best[1] + half[1] - 2.5, text, "middle"))
        return made

    def _foot(self, view: Array, y: float) -> str:
        """The world's axes as they are seen, and a length."""
        made, x = [], 14.0
        tips = TRIAD * view[:2].T * [1.0, -1.0]
        x -= min(tips[:, 0].min(), 0.0)
        y -= max(tips[:, 1].max(), 0.0)
        for letter, tip, colour in zip(LETTERS, tips, AXES, strict=True):
            if np.linalg.norm(tip) > 0.2 * TRIAD:
                foot = np.array([x, y])
                made.append(_arrow(foot, foot + tip, colour))
                w = foot + tip * (1 + 8 / np.linalg.norm(tip)) + [0, 4]
                made.append(svg.text(w[0], w[1], letter, "middle", "t"))
        x += max(tips[:, 0].max(), 0.0) + 28.0
        length = _round(70.0 / self._scale)
        end = x + length * self._scale
        a, b, c = map(svg.pixels, (x, y - 4, end))
        made.append(f'<path class="m" d="M{a} {b}v8m0-4H{c}m0-4v8"/>')
        made.append(svg.text(end + 6, y + 4, f"{length:g} m", "start", "t"))
        return "".join(made)


def mixed(colour: str, light: float) -> str:
    """A colour with white, or with black where `light` is negative."""
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    to = 255 if light > 0 else 0
    return "#" + "".join(f"{round(x + (to - x) * min(abs(light), 1.0)):02x}" for x in parts)


def _arrow(a: Any, b: Any, colour: str) -> str:
    along = np.asarray(b) - a
    size = float(np.linalg.norm(along))
    u = along / size
    head = min(7.0, 0.6 * size)
    side = np.array([-u[1], u[0]]) * head * 0.4
    p, r, neck = b - head * u + side, b - head * u - side, b - 0.8 * head * u
    shaft, tip = svg.line([a, neck]), svg.line([b, p, r])
    look = f'stroke="{colour}" stroke-width="1.5"'
    return f'<path d="{shaft}" {look}/><path d="{tip}Z" fill="{colour}"/>'


def _dense(x: Seen) -> Array:
    """Points in and around a shape: where words would cover it."""
    rings = [ring for ring, _ in x.faces]
    edges = [_between(ring) for ring in (*rings, *([] if x.line is None else [x.line]))]
    inner = [
        ring.mean(axis=0) + (ring - ring.mean(axis=0)) * k for ring in rings for k in (0.4, 0.7)
    ]
    return np.vstack([*edges, *inner, np.linspace(x.ends[0], x.ends[1], 12)])


def _between(line: Array) -> Array:
    """A line with more points, where it has few."""
    steps = np.linspace(0.0, 1.0, 12 if len(line) < 12 else 2)[:, None]
    parts = [a + (b - a) * steps for a, b in pairwise(line)]
    return np.vstack([line, *parts])


def _round(x: float) -> float:
    """1, 2 or 5 times a power of ten, not more."""
    power = 10.0 ** np.floor(np.log10(x))
    return float(max(k for k in (1.0, 2.0, 5.0) if k * power <= x * (1 + 1e-9)) * power)
