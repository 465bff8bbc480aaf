"""The scene of a mechanism as nodes of viser: drawn once, then only moved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing import solids
from visviva.show.figures.lines import line_of
from visviva.show.figures.roles import PALE, SAID, carrier_of, colour_of, waiting
from visviva.show.figures.surfaces import surface
from visviva.show.live.meshes import Solid
from visviva.show.live.stage import Spot
from visviva.show.scene.scene import Scene
from visviva.show.scene.shapes import Arrow, Axes, Label, Segment, Shape
from visviva.space.rotations import quaternion

SHARP = np.cos(np.radians(40.0))  # edges between faces that turn by more are seen as edges
GRASPED = ("link", "point", "centre", "joint", "spring")  # roles that a hand can pull at
MESH, SKELETON = "meshes", "skeleton"  # what files show, and the bars inside it
_LINE = 3.0  # pixels
RIGID = 1e-9


class Picture:
    """Nodes under `/m0`, `/m1`, …; names of people are no part of the names of nodes."""

    def __init__(
        self, server: Any, root: str, scene: Scene, spot: Spot, meshes: Sequence[Solid]
    ) -> None:
        self.api, self.root, self.scene = server.scene, root, scene
        self.parts: dict[str, list[Any]] = defaultdict(list)  # nodes by what they show
        self.grasped: list[tuple[Any, int]] = []  # nodes that can be pulled at, with carriers
        self._moving: list[Callable[[Array], None]] = []
        self._last = np.full((len(scene.carriers), 3, 4), np.nan)
        self.api.add_frame(root, show_axes=False, wxyz=wxyz(spot.R), position=spot.p)
        X = scene.at(scene.start)
        self._rigid = [bool(np.allclose(x[:, :3].T @ x[:, :3], np.eye(3), atol=RIGID)) for x in X]
        self.frames = [
            self.api.add_frame(self._path(k), show_axes=False) for k in range(len(scene.carriers))
        ]
        self._shelled = {m.carrier for m in meshes}
        self._add_meshes(meshes)
        self._add_shapes(X)
        self.hidden = self._hidden()
        for part in self.hidden:
            self.show(part, False)

    @property
    def words(self) -> list[str]:
        """What can be shown and hidden, in words of the legend."""
        order = [MESH, SKELETON, *SAID.values()]
        return [x for x in order if x in self.parts]

    def show(self, part: str, is_shown: bool) -> None:
        """Show or hide a part."""
        for node in self.parts[part]:
            node.visible = is_shown

    def draw(self, X: Array) -> None:
        """Everything at the places of the carriers, [A | p]."""
        for k, frame in enumerate(self.frames):
            if self._rigid[k] and not np.array_equal(X[k], self._last[k], equal_nan=True):
                frame.wxyz, frame.position = wxyz(X[k][:, :3]), X[k][:, 3]
        if not np.array_equal(X, self._last):
            for move in self._moving:
                move(X)
        self._last = np.array(X)

    # ---- how

    def _path(self, carrier: int, *more: Any) -> str:
        return "/".join([self.root, f"c{carrier}", *map(str, more)])

    def _hidden(self) -> list[str]:
        roles = waiting(self.scene.shapes, None)
        found = [SAID[role] for role in roles if SAID[role] in self.parts]
        if MESH in self.parts:
            found += [SKELETON, *(SAID[k] for k in ("joint", "axis", "centre", "label"))]
        return [x for x in dict.fromkeys(found) if x in self.parts]

    def _add_meshes(self, meshes: Sequence[Solid]) -> None:
        for n, m in enumerate(meshes):
            name = self._path(m.carrier, f"mesh{n}")
            if m.colour is None and m.own.visual.kind is not None:
                own = m.own.copy()
                own.vertices, own.faces = m.vertices, m.faces
                node = self.api.add_mesh_trimesh(name, own)
            else:
                colour = m.colour or (150, 160, 172)
                pale = None if m.opacity >= 1 else m.opacity
                node = self.api.add_mesh_simple(
                    name, *edged(m.vertices, m.faces), color=colour, opacity=pale
                )
            self._keep(MESH, node, "link", m.carrier)

    def _keep(self, part: str, node: Any, role: str, carrier: int) -> None:
        self.parts[part].append(node)
        if role in GRASPED and carrier and getattr(node, "on_drag", None):
            self.grasped.append((node, carrier))

    def _add_shapes(self, X: Array) -> None:
        links = list(dict.fromkeys(carrier_of(x) for x in self.scene.shapes if x.role == "link"))
        still: dict[tuple[int, str, str], list[solids.Mesh]] = defaultdict(list)
        here = np.tile(np.eye(3, 4), (len(X), 1, 1))
        for n, shape in enumerate(self.scene.shapes):
            colour = colour_of(shape, links)
            carrier, part = carrier_of(shape), self._part(shape)
            if isinstance(shape, (Label, Axes, Arrow)):
                self._add_mark(n, shape, part, colour)
            elif (line := line_of(shape, X, False)) is not None:
                self._add_line(n, shape, part, colour, line)
            elif self._is_still(shape):
                made = surface(shape, here)
                if made is not None:
                    still[carrier, part, colour].append(made)
            else:
                self._add_moving(n, shape, part, colour, X)
        for k, ((carrier, part, colour), several) in enumerate(still.items()):
            role = next(r for r, said in [*SAID.items(), ("link", SKELETON)] if said == part)
            node = self.api.add_mesh_simple(
                self._path(carrier, f"s{k}"),
                *edged(*solids.joined(several)),
                color=rgb(colour),
                opacity=PALE.get(role),
                cast_shadow=role not in PALE,
            )
            self._keep(part, node, role, carrier)

    def _part(self, shape: Shape) -> str:
        if isinstance(shape, Label):
            return SAID["frame" if shape.role == "frame" else "label"]
        if shape.role == "link" and carrier_of(shape) in self._shelled:
            return SKELETON
        return SAID[shape.role]

    def _is_still(self, shape: Shape) -> bool:
        """Whether it keeps its form on one carrier that keeps its own."""
        on = [shape.a[0], shape.b[0]] if isinstance(shape, Segment) else [carrier_of(shape)]
        return len(set(on)) == 1 and self._rigid[on[0]]

    def _add_mark(self, n: int, shape: Any, part: str, colour: str) -> None:
        name = self._path(shape.on, f"m{n}")
        if isinstance(shape, Label):
            node = self.api.add_label(name, shape.text, position=shape.at, anchor="bottom-left")
        elif isinstance(shape, Axes):
            pose, size = np.array(shape.pose).reshape(3, 4), shape.length
            node = self.api.add_frame(
                name,
                axes_length=size,
                axes_radius=0.025 * size,
                origin_radius=0.05 * size,
                wxyz=wxyz(pose[:, :3]),
                position=pose[:, 3],
            )
        else:
            self._add_arrow(n, shape, part, colour)
            return
        self._keep(part, node, shape.role, shape.on)

    def _add_arrow(self, n: int, shape: Arrow, part: str, colour: str) -> None:
        """In the world: carriers of arrows may stretch them."""
        size = max(float(np.linalg.norm(shape.along)), 1e-6 * self.scene.size)
        node = self.api.add_arrows(
            f"{self.root}/a{n}",
            np.array([[shape.at, np.add(shape.at, shape.along)]]),
            rgb(colour),
            shaft_radius=0.02 * size,
            head_radius=0.06 * size,
            head_length=0.2 * size,
        )
        self._keep(part, node, shape.role, shape.on)

        def move(X: Array) -> None:
            A, p = X[shape.on][:, :3], X[shape.on][:, 3]
            node.points = np.array([[A @ shape.at + p, A @ np.add(shape.at, shape.along) + p]])

        self._moving.append(move)

    def _add_line(self, n: int, shape: Shape, part: str, colour: str, line: Array) -> None:
        node = self.api.add_line_segments(
            f"{self.root}/l{n}",
            _segments(line),
            rgb(colour),
            thickness=_LINE,
            thickness_units="screen",
        )
        self._keep(part, node, "", 0)

        def move(X: Array) -> None:
            now = line_of(shape, X, False)
            if now is not None:
                node.points = _segments(now)

        self._moving.append(move)

    def _add_moving(self, n: int, shape: Shape, part: str, colour: str, X: Array) -> None:
        made = surface(shape, X)
        if made is None:
            return
        vertices, faces = edged(*made)
        name = f"{self.root}/v{n}"
        node = self.api.add_mesh_simple(
            name, vertices, faces, color=rgb(colour), opacity=PALE.get(shape.role)
        )
        self._keep(part, node, shape.role, carrier_of(shape))

        def move(X: Array) -> None:
            now = surface(shape, X)
            if now is not None:
                node.vertices, node.faces = (np.asarray(x) for x in edged(*now))

        self._moving.append(move)


def edged(vertices: Array, faces: Array) -> tuple[Array, Array]:
    """The same triangles, with points for each side of an edge that shall be seen as an edge."""
    vertices, faces = np.asarray(vertices, dtype=np.float32), np.asarray(faces, dtype=np.uint32)
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    if len(faces) > 20_000:
        return vertices, faces
    points: list[Array] = []
    groups: dict[int, list[tuple[Array, int]]] = defaultdict(list)
    new = np.empty_like(faces)
    for f, face in enumerate(faces):
        for c, v in enumerate(face.tolist()):
            for normal, index in groups[v]:
                if normal @ normals[f] > SHARP:
                    new[f, c] = index
                    break
            else:
                new[f, c] = len(points)
                groups[v].append((normals[f], len(points)))
                points.append(vertices[v])
    return np.array(points, dtype=np.float32).reshape(-1, 3), new


def rgb(colour: str) -> tuple[int, int, int]:
    """#rrggbb as numbers."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def wxyz(R: Any) -> Array:
    """A rotation as viser takes it: the real part of the quaternion first."""
    x, y, z, w = np.asarray(quaternion(np.asarray(R, dtype=float)), dtype=float)
    return np.array([w, x, y, z])


def _segments(line: Array) -> Array:
    return np.stack([line[:-1], line[1:]], axis=1).astype(np.float32)
