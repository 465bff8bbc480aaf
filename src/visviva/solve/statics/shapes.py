"""Arrows, arcs and labels that keep off each other, as SVG.

Coordinates are pixels, y down. A drawing remembers the segments and boxes that it has, and a label
goes where it covers least of them; lines lead to labels that had to go further away.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from math import atan2, ceil, cos, degrees, hypot, pi, sin

SIZE = 12  # of letters, pixels
WIDE = 0.6  # of a letter, of its size, on average
HEAD = 8.0  # of an arrow
AWAY = (7.0, 16.0, 28.0, 42.0, 58.0, 76.0)  # distances of labels that are tried
LEADING = 20.0  # from which on a line leads to the label
Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass
class Drawing:
    """What was drawn, as text, and what takes room."""

    parts: list[str] = field(default_factory=list)
    segments: list[tuple[Point, Point]] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)

    def add(self, text: str) -> None:
        """A ready element."""
        self.parts.append(text)

    def line(self, a: Point, b: Point, kind: str, takes_room: bool = True) -> None:
        """A straight line."""
        self.add(f'<line class="{kind}" {_ends(a, b)}/>')
        if takes_room:
            self.segments.append((a, b))

    def arrow(self, a: Point, b: Point, kind: str, heads: int = 1) -> None:
        """From a to b, with one head or two (a moment in space)."""
        self.line(a, b, kind)
        angle = atan2(b[1] - a[1], b[0] - a[0])
        for k in range(heads):
            tip = (b[0] - 0.7 * k * HEAD * cos(angle), b[1] - 0.7 * k * HEAD * sin(angle))
            self._head(tip, angle, kind)

    def arc(self, centre: Point, radius: float, turn: float, kind: str, start: float) -> Point:
        """Three quarters of a circle, counterclockwise on the page where turn > 0, with a head.

        It begins at an angle, counted counterclockwise from the right; its middle is returned.
        """
        sign = 1.0 if turn > 0 else -1.0
        angles = [start + sign * 1.5 * pi * k / 24 for k in range(25)]
        points = [(centre[0] + radius * cos(x), centre[1] - radius * sin(x)) for x in angles]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add(f'<polyline class="{kind}" points="{path}"/>')
        self.segments += list(zip(points[:-1:3], points[3::3], strict=False))
        end = angles[-1]
        self._head(points[-1], atan2(-sign * cos(end), -sign * sin(end)), kind)
        return points[12]

    def circle(self, centre: Point, radius: float, kind: str) -> None:
        """A circle, filled as its kind is."""
        x, y = centre
        self.add(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"/>')
        self.boxes.append((x - radius, y - radius, x + radius, y + radius))

    def label(self, at: Point, text: str, kind: str, towards: float) -> None:
        """A text near a point, if it can be in a direction (counterclockwise from the right)."""
        wide, high = WIDE * SIZE * len(text), 1.15 * SIZE
        least, box = float("inf"), (0.0, 0.0, 0.0, 0.0)
        for far in AWAY:
            for k in range(16):
                angle = towards + (k + 1) // 2 * (-1) ** k * pi / 8
                x, y = at[0] + far * cos(angle), at[1] - far * sin(angle)
                # the nearest side or corner of the box is at that distance
                left = x - wide / 2 + 0.5 * wide * _clipped(1.4 * cos(angle))
                top = y - high / 2 - 0.5 * high * _clipped(1.4 * sin(angle))
                tried = (left, top, left + wide, top + high)
                cost = 40.0 * self._covered(tried) + 0.6 * far + 1.2 * k
                if cost < least:
                    least, box = cost, tried
        self.boxes.append(box)
        near = (_between(at[0], box[0], box[2]), _between(at[1], box[1], box[3]))
        if hypot(near[0] - at[0], near[1] - at[1]) > LEADING:
            self.line(at, near, "fb-lead", takes_room=False)
        x, y = box[0], box[3] - 0.27 * SIZE
        self.add(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>')

    def bounds(self) -> Box:
        """Of all that takes room."""
        xs = [x for a, b in self.segments for x in (a[0], b[0])]
        ys = [y for a, b in self.segments for y in (a[1], b[1])]
        xs += [x for box in self.boxes for x in (box[0], box[2])]
        ys += [y for box in self.boxes for y in (box[1], box[3])]
        return min(xs), min(ys), max(xs), max(ys)

    def _head(self, tip: Point, angle: float, kind: str) -> None:
        x, y = tip
        turn = degrees(angle)
        shape = f"M0,0 L{-HEAD},{-0.42 * HEAD:.2f} L{-HEAD},{0.42 * HEAD:.2f} Z"
        move = f"translate({x:.1f},{y:.1f}) rotate({turn:.1f})"
        self.add(f'<path class="{kind} fb-head" d="{shape}" transform="{move}"/>')

    def _covered(self, box: Box) -> float:
        """How much of other things a box covers, in letters or so."""
        total = 0.0
        for other in self.boxes:
            w = min(box[2], other[2]) - max(box[0], other[0]) + 2.0
            h = min(box[3], other[3]) - max(box[1], other[1]) + 2.0
            if w > 0 and h > 0:
                total += 1.0 + w * h / (SIZE * SIZE)
        for a, b in self.segments:
            total += 0.5 * _inside(a, b, box)
        return total


def _inside(a: Point, b: Point, box: Box) -> int:
    """How many points of a segment, some pixels apart, are in a box."""
    if max(a[0], b[0]) < box[0] - 2 or min(a[0], b[0]) > box[2] + 2:
        return 0
    if max(a[1], b[1]) < box[1] - 2 or min(a[1], b[1]) > box[3] + 2:
        return 0
    n = max(1, ceil(hypot(b[0] - a[0], b[1] - a[1]) / 5.0))
    count = 0
    for k in range(n + 1):
        x, y = a[0] + (b[0] - a[0]) * k / n, a[1] + (b[1] - a[1]) * k / n
        count += box[0] - 2 <= x <= box[2] + 2 and box[1] - 2 <= y <= box[3] + 2
    return count


def _ends(a: Point, b: Point) -> str:
    return f'x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}"'


def _clipped(x: float) -> float:
    return max(-1.0, min(1.0, x))


def _between(x: float, low: float, high: float) -> float:
    return max(low, min(high, x))
