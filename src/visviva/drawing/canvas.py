"""A mechanism's world in a plane or in space, and what can be put there.

What moves in a plane is drawn flat in it. The picture is as large as what is on it: in space within
a cube that the camera sees all of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.drawing.look import AXES, LETTERS, LINK, Array, words
from visviva.drawing.view import camera

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

FLAT = 1e-9  # of the size of a picture: how far from a plane its points may be
PADDING = 0.07  # of the size, on each side
THINNEST = 0.3  # of the largest side, that of any other in space: room for its numbers
TALL = 560  # pixels


def drawn_plane(points: Any) -> tuple[int, int] | None:
    """The two world axes of a plane in which all points lie; None if there is none."""
    spread = np.ptp(np.asarray(points, dtype=float).reshape(-1, 3), axis=0)
    size = max(float(spread.max()), 1e-12)
    for flat, axes in ((2, (0, 1)), (1, (0, 2)), (0, (1, 2))):
        if spread[flat] <= FLAT * size:
            return axes
    return None


class Canvas:
    """A figure in a plane or in space: `line`, `points`, `arrow`, … then `done()`."""

    def __init__(
        self,
        axes: tuple[int, int] | None,
        title: str,
        many: bool = False,
        height: int = TALL,
        units: Sequence[str] = ("x [m]", "y [m]", "z [m]"),
    ) -> None:
        """`many`: of thousands of points, which the graphics card draws, and all with them."""
        from visviva.drawing.figure import graph, new_figure, with_room_for_legend

        self._roomy = with_room_for_legend
        self.graph, self.axes, self.units = graph, axes, tuple(units)
        self._flat = graph.Scattergl if many else graph.Scatter
        self._low, self._high = np.full(3, np.inf), np.full(3, -np.inf)
        self._legend: set[str] = set()
        self.figure = new_figure(title, height=height)

    def reach(self, points: Any) -> Array:
        """Points (k, 3), which the picture is then large enough for."""
        at = np.asarray(points, dtype=float).reshape(-1, 3)
        if len(at):
            self._low = np.minimum(self._low, np.nanmin(at, axis=0))
            self._high = np.maximum(self._high, np.nanmax(at, axis=0))
        return at

    def _seen(self, points: Any, how: Mapping[str, Any]) -> Array:
        """The same; the picture is fitted to what is seen, not to what waits in the legend."""
        waits = how.get("visible") == "legendonly"
        return np.asarray(points, dtype=float).reshape(-1, 3) if waits else self.reach(points)

    @property
    def size(self) -> float:
        """The largest side of what is drawn so far."""
        spread = self._high - self._low
        spread = spread if self.axes is None else spread[list(self.axes)]
        return float(spread.max()) if np.isfinite(spread).all() and spread.max() > 0 else 1.0

    def line(self, points: Any, name: str, colour: str, **how: Any) -> None:
        """Through points (k, 3); nan between two parts of it."""
        width = how.pop("width", 2)
        line = {"color": colour, "width": width, **how.pop("line", {})}
        if self.axes is not None and self._flat is self.graph.Scatter:
            line["simplify"] = False  # or curves become polygons
        self._add(points, {"mode": "lines", "line": line, **how}, name)

    def points(self, points: Any, name: str, **marker: Any) -> None:
        """Dots at points (k, 3)."""
        how: dict[str, Any] = {
            x: marker.pop(x) for x in ("hovertext", "showlegend", "visible") if x in marker
        }
        self._add(points, {"mode": "markers", "marker": marker, **how}, name)

    def text(
        self, points: Any, texts: Iterable[str], colour: str | None = None, **how: Any
    ) -> None:
        """Words at points (k, 3); `textposition` says on which side, `beside` with some room."""
        font = {"size": how.pop("size", 12), **({"color": colour} if colour else {})}
        room = "\u2002\u2002" if how.pop("beside", False) else ""
        shown = [room + words(x) for x in texts]
        look = {"mode": "text", "text": shown, "textfont": font, "hoverinfo": "skip", **how}
        if self.axes is not None:
            look["cliponaxis"] = False
        name = look.pop("name", "")
        listed = {} if name else {"showlegend": False}
        self._add(points, {"textposition": "top center", **listed, **look}, name)

    def _add(self, points: Any, shown: dict[str, Any], name: str) -> None:
        at, label = self._seen(points, shown), words(name)
        first = label not in self._legend
        shown = {"name": label, "legendgroup": label or None, **shown}
        shown.setdefault("showlegend", bool(label) and first)
        if shown["showlegend"]:
            self._legend.add(label)
        if self.axes is None:
            x, y, z = at.T
            self.figure.add_trace(self.graph.Scatter3d(x=x, y=y, z=z, **shown))
        else:
            x, y = at[:, self.axes].T
            self.figure.add_trace(self._flat(x=x, y=y, **shown))

    def arm(self, points: Any, name: str = "arm", colour: str = LINK) -> None:
        """Links as thick lines, joints as dots."""
        edge = {"color": colour, "width": 2.5}
        dots = {"size": 9 if self.axes else 5, "color": "white", "line": edge}
        self.line(points, name, colour, width=7, mode="lines+markers", marker=dots)

    def arrow(self, start: Any, along: Any, name: str, colour: str, **how: Any) -> None:
        """From a point."""
        start, along = np.asarray(start, dtype=float), np.asarray(along, dtype=float)
        end, width = start + along, how.pop("width", 6 if self.axes is None else 2.5)
        self.line(np.array([start, end]), name, colour, width=width, **how)
        if self.axes is None:
            self.cones([end], [along * 0.18], name, colour)
            return
        a, b = self.axes
        head = {"arrowhead": 2, "arrowsize": 1.3, "arrowwidth": width, "arrowcolor": colour}
        at = {"x": end[a], "y": end[b], "ax": start[a], "ay": start[b], "text": ""}
        self.figure.add_annotation(**at, axref="x", ayref="y", **head)

    def cones(self, tips: Any, along: Any, name: str, colour: str, **how: Any) -> None:
        """Heads of arrows (k, 3), in space, as long as the vectors (k, 3)."""
        (x, y, z), (u, v, w) = self._seen(tips, how).T, np.asarray(along, dtype=float).T
        look = {"anchor": "tip", "sizemode": "raw", "showscale": False, "hoverinfo": "skip"}
        label = words(name)
        look |= {"name": label, "legendgroup": label, "showlegend": False, **how}
        plain = [[0, colour], [1, colour]]
        self.figure.add_trace(
            self.graph.Cone(x=x, y=y, z=z, u=u, v=v, w=w, colorscale=plain, **look)
        )

    def frame(self, R: Any, p: Any, length: float, name: str = "", **how: Any) -> None:
        """Axes of a frame, red, green and blue for x, y and z, with its name; `marked` by letters.

        In a plane the axis that points out of it is left out.
        """
        marked, listed = how.pop("marked", None), how.pop("showlegend", True)
        p, R = np.asarray(p, dtype=float), np.asarray(R, dtype=float)
        for k, colour in enumerate(AXES):
            along = R[:, k] * length
            if self.axes is not None and np.abs(along[list(self.axes)]).max() < 1e-6 * length:
                continue
            said = {"hovertext": f"{LETTERS[k]} {words(name)}"} | (
                {} if listed else {"showlegend": False}
            )
            self.arrow(p, along, f"{LETTERS[k]} axes", colour, **said, **how)
            if marked is not None:
                at, word = p + 1.13 * along, f"{LETTERS[k]}{marked}"
                self.text([at], [word], colour, textposition="middle center")
        if name:
            self.text([p], [name], textposition="bottom center")

    def ellipsoid(self, centre: Any, axes: Array, name: str, colour: str) -> None:
        """Of half axes that are columns (3, k)."""
        centre = np.asarray(centre, dtype=float)
        t = np.linspace(0.0, 2 * np.pi, 121)
        if self.axes is not None:
            first, second = shadow(axes, self.axes)
            ring = np.outer(np.cos(t), first) + np.outer(np.sin(t), second)
            self.line(centre + ring, name, colour, fill="toself", opacity=0.75)
            return
        u, w = np.meshgrid(t[::4], np.linspace(0.0, np.pi, 25))
        ball = np.stack([np.cos(u) * np.sin(w), np.sin(u) * np.sin(w), np.cos(w)])
        full = np.zeros((3, 3))
        full[:, : axes.shape[1]] = axes[:, :3]
        x, y, z = np.einsum("ij,jkl->ikl", full, ball) + centre[:, None, None]
        self.reach(np.stack([x, y, z], axis=-1))
        plain = {"showscale": False, "colorscale": [[0, colour], [1, colour]]}
        look = {"name": words(name), "opacity": 0.45, "showlegend": True, **plain}
        self.figure.add_trace(self.graph.Surface(x=x, y=y, z=z, hoverinfo="name", **look))

    def mesh(self, vertices: Array, faces: Array, name: str, colour: str, **how: Any) -> None:
        """A surface of triangles (k, 3), in space."""
        (x, y, z), (i, j, k) = self._seen(vertices, how).T, np.asarray(faces).T
        label = words(name)
        first = bool(label) and label not in self._legend
        self._legend |= {label} if first else set()
        look = {"flatshading": True, "hoverinfo": "text", **how}
        group = {"name": label, "legendgroup": label or None, "showlegend": first}
        self.figure.add_trace(
            self.graph.Mesh3d(x=x, y=y, z=z, i=i, j=j, k=k, color=colour, **group, **look)
        )

    def done(self) -> Figure:
        """The figure, in a size that shows all of what is on it."""
        low, high = self._bounds()
        self._roomy(self.figure)
        if self.axes is None:
            spread = high - low
            axes = {
                f"{x}axis": {"title": {"text": text}, "range": [float(a), float(b)]}
                for x, text, a, b in zip(LETTERS, self.units, low, high, strict=True)
            }
            ratio = spread / spread.max()
            sides = dict(zip(LETTERS, ratio.tolist(), strict=True))
            space = {"aspectmode": "manual", "aspectratio": sides, "camera": camera(ratio), **axes}
            self.figure.update_layout(scene=space)
            return self.figure
        a, b = self.axes
        self.figure.update_xaxes(title_text=self.units[a], range=[float(low[a]), float(high[a])])
        self.figure.update_yaxes(
            title_text=self.units[b],
            range=[float(low[b]), float(high[b])],
            scaleanchor="x",
            scaleratio=1,
        )
        return self.figure

    def _bounds(self) -> tuple[Array, Array]:
        """Of the axes, so that everything is well inside, and no side is too thin for numbers."""
        low = np.where(np.isfinite(self._low), self._low, -0.5)
        high = np.where(np.isfinite(self._high), self._high, 0.5)
        shown = [0, 1, 2] if self.axes is None else list(self.axes)
        size = max(float((high - low)[shown].max()), 1e-9)
        middle, half = (low + high) / 2, (high - low) / 2 + PADDING * size
        half = np.maximum(half, THINNEST * size / 2)
        return middle - half, middle + half


def shadow(axes: Any, plane: tuple[int, int]) -> tuple[Array, Array]:
    """Half axes of the shadow of an ellipsoid, of columns (3, k), on a plane of two world axes.

    The longer one first, pointing right, the other a quarter turn to the left of it; of a circle
    they are those of the plane.
    """
    seen = np.zeros((2, 3))
    seen[:, : np.shape(axes)[1]] = np.asarray(axes, dtype=float)[list(plane)]
    U, s, _ = np.linalg.svd(seen)
    c, d = np.eye(2)[0] if s[0] - s[1] <= FLAT * s[0] else U[:, 0]
    if c < -FLAT or (c <= FLAT and d < 0):
        c, d = -c, -d
    U = np.array([[c, -d], [d, c]])
    both = np.zeros((2, 3))
    both[:, list(plane)] = (U * s).T
    return both[0], both[1]
