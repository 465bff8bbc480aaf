"""The scene of a system of energies: its points, lines and solids, or sliders and dials."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.energies.picture import Solid
from visviva.errors import VisvivaError
from visviva.show.scene.held import TURNS
from visviva.show.scene.joints import foot
from visviva.show.scene.models import TRIED, plane_of
from visviva.show.scene.parts import LINK, ORIGIN, turned_to
from visviva.show.scene.scene import Scene
from visviva.show.scene.schematic import schematic
from visviva.show.scene.shapes import (
    AROUND,
    Anchor,
    Arrow,
    Box,
    Coil,
    Cylinder,
    Disc,
    Ellipsoid,
    Label,
    Path,
    Point,
    Segment,
    Shape,
    Sphere,
    as_point,
    as_pose,
)
from visviva.show.scene.stage import Stage, in_space, turns_of
from visviva.show.scene.start import coordinates_of, start_of_energies

AXES = "xyz"
PIECES = 32  # of a curve
DOT, STRING = 0.018, 0.005  # radii, of the size
DOWN = (0.0, 0.0, -1.0)


def scene_of_energies(system: Lagrangian) -> Scene:
    """What was stated of it, in sizes that fit; without points a schematic that says so."""
    if not system.points and not system.solids:
        return schematic(system, "no points are stated: coordinates are drawn as sliders and dials")
    try:
        return _pictured(system)
    except VisvivaError as error:  # an unknown function has no values
        return schematic(system, f"its points cannot be computed: {error}"[:300])


def _pictured(system: Lagrangian) -> Scene:
    units = units_of(system)
    q, begins = start_of_energies(system, units)
    stage = Stage(system, q)
    size = _size(system, q)
    for name in system.points:  # whose names are theirs; solids give way
        stage.point(name)
    shapes: list[Shape] = []
    for name, solid in system.solids.items():
        shapes += _solid(stage, name, solid, size)
    for k, line in enumerate(system.lines):
        shapes += _line(stage, k, line, size)
    shapes += _points(stage, size)
    notes = [f"drawn with {k} = 1, which has no value" for k in stage.missing]
    rng = np.random.default_rng(0)
    tried = [q, *(q + rng.normal(size=system.nq) for _ in range(TRIED))]
    return Scene(
        system.name,
        system,
        tuple(stage.names),
        tuple(shapes),
        coordinates_of(system, q, *_ranges(units, q, size), units),
        size,
        plane_of(stage.places, system, tried),
        stage.places,
        stage.is_timed,
        tuple(notes),
        begins,
    )


# ---- shapes


def _solid(stage: Stage, name: str, s: Solid, size: float) -> list[Shape]:
    if s.kind == "curve":
        return _curve(stage, name, s, size)
    flat = isinstance(s.at, str) and len(stage.system.points.get(s.at, "xyz")) == 2
    default = {"rod": "x", "disc": "y" if flat else "z", "ring": "y" if flat else "z"}
    along = AXES.index(s.axis or default.get(s.kind, "z"))
    sizes = list(s.sizes)
    if s.kind == "box" and len(sizes) == 2:
        sizes = [sizes[0], sizes[1], sizes[1]]  # width and height, and as deep
    across = [k for k in range(3) if k != along]
    if s.kind == "box":
        stretch = dict(enumerate(sizes))
    elif s.kind == "cylinder":
        stretch = {along: sizes[1], **dict.fromkeys(across, sizes[0])}
    elif s.kind == "rod":
        stretch = {along: sizes[0]}
    else:
        stretch = dict.fromkeys(range(3), sizes[0])
    on, at = stage.solid(name, s, stretch)
    numbers = [stage.at(x) for x in sizes]
    return [_shape(s.kind, name, on, at, numbers, np.eye(3)[along], size)]


def _shape(
    kind: str, name: str, on: int, at: Point, sizes: list[float], axis: Array, size: float
) -> Shape:
    """A solid with constant numbers, about an axis of its carrier."""
    pose = as_pose(turned_to(axis), at)
    if kind == "ball":
        r = sizes[0]
        return Ellipsoid("link", name, on, as_pose(np.eye(3), at), (r, r, r))
    if kind == "box":
        return Box("link", name, on, as_pose(np.eye(3), at), (sizes[0], sizes[1], sizes[2]))
    if kind == "disc":
        return Disc("link", name, on, pose, sizes[0])
    if kind == "cylinder":
        return Cylinder("link", name, on, pose, sizes[0], sizes[1])
    if kind == "rod":
        ends = [(on, as_point(np.array(at) + axis * side * sizes[0] / 2)) for side in (-1, 1)]
        return Segment("link", name, ends[0], ends[1], LINK * size)
    R = turned_to(axis)
    ring = [at + R @ [sizes[0] * np.cos(a), sizes[0] * np.sin(a), 0.0] for a in AROUND]
    return Path("trace", name, on, tuple(map(as_point, ring)), True)


def _curve(stage: Stage, name: str, s: Solid, size: float) -> list[Shape]:
    """A line through points of it: constant ones on one carrier, else a carrier each."""
    letter, start, end = s.along
    u = sympy.Symbol(letter)
    steps = [sympy.Rational(k, PIECES) for k in range(PIECES + 1)]
    points = [[x.xreplace({u: start + (end - start) * k}) for x in s.sizes] for k in steps]
    if not any(x.free_symbols for p in points for x in p):
        on, at = stage.solid(name, s, {})
        shifted = [np.array(at) + [float(x) for x in in_space(p)] for p in points]
        return [Path("trace", name, on, tuple(map(as_point, shifted)))]
    under = Solid("curve", (), s.at, s.turn)
    anchors: list[Anchor] = [
        stage.carried(f"{name}:{k}", under, in_space(p)) for k, p in enumerate(points)
    ]
    return [Segment("trace", name, a, b, STRING * size) for a, b in pairwise(anchors)]


def _line(stage: Stage, k: int, line: tuple[str, str, str], size: float) -> list[Shape]:
    one, other, kind = line
    a, b = stage.point(one), stage.point(other)
    name = f"{one}–{other}"
    if kind == "spring":
        return [Coil("spring", name, a, b, 0.03 * size, TURNS)]
    if kind == "arrow":
        return [_arrow(stage, f"arrow:{k}", other, one, size)]
    return [Segment("link", name, a, b, (LINK if kind == "rod" else STRING) * size)]


def _arrow(stage: Stage, name: str, tip: str, foot: str, size: float) -> Shape:
    """On a carrier whose x axis goes from one point to the other."""
    ends = [in_space(stage.system.points.get(x, (0.0,) * 3)) for x in (foot, tip)]
    apart = [stage.at(y) - stage.at(x) for x, y in zip(*ends, strict=True)]
    scale = float(np.linalg.norm(apart)) or size

    def local(v: Any) -> tuple[Any, Any]:
        start, end = ([v(x) for x in p] for p in ends)
        along = [(y - x) / scale for x, y in zip(start, end, strict=True)]
        return [[x, 0.0, 0.0] for x in along], start

    return Arrow("point", tip, stage.add(name, local), ORIGIN, (scale, 0.0, 0.0))


def _points(stage: Stage, size: float) -> list[Shape]:
    """Names of all points, dots for those that no solid shows, feet where lines hold on."""
    s = stage.system
    shown = {x.at for x in s.solids.values() if isinstance(x.at, str)}
    held = [x for one, other, kind in s.lines if kind != "arrow" for x in (one, other)]
    tips = [other for _, other, kind in s.lines if kind == "arrow"]
    shapes: list[Shape] = []
    for name in dict.fromkeys([*s.points, *held]):
        on, at = stage.point(name)
        if on == 0 and name in held and name not in shown:
            shapes += foot(name, on, at, None, DOWN, 0.6 * size)
        if name not in shown:
            role, r = "ground" if on == 0 else "point", DOT if name not in tips else DOT / 4
            shapes.append(Sphere(role, name, on, at, r * size))
        if name in s.points:
            shapes.append(Label("point", name, on, at, name))
    return shapes


# ---- sizes


def _size(system: Lagrangian, q: Array) -> float:
    """How far points are apart at the start, and how large solids are."""
    trial = Stage(system, q)
    shapes = [x for k, s in system.solids.items() for x in _solid(trial, k, s, 1.0)]
    anchors = [a for x in shapes for a in x.outline()]
    ends = [x for one, other, _ in system.lines for x in (one, other)]
    anchors += [trial.point(x) for x in dict.fromkeys([*system.points, *ends])]
    X = np.concatenate([np.eye(3, 4)[None], np.asarray(trial.places(system, q, 0.0), float)])
    points = np.array([X[k][:, :3] @ p + X[k][:, 3] for k, p in anchors]).reshape(-1, 3)
    points = points[np.isfinite(points).all(axis=1)]
    size = float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0
    return size if size > 0 else 1.0


def units_of(system: Lagrangian) -> tuple[str, ...]:
    """Units of coordinates as the picture tells them: what turns a solid, what shifts a point."""
    turned = {x for s in system.solids.values() for y in turns_of(s) for x in y.free_symbols}
    shifted = [x for p in system.points.values() for x in p]
    found = []
    for x, unit in zip(system.names.q, system.coordinate_units, strict=True):
        slopes = [p.diff(x) for p in shifted if x in p.free_symbols]
        inside = {f.args[0] for p in shifted for f in p.atoms(sympy.sin, sympy.cos)}
        if x in turned or any(x in f.free_symbols for f in inside):
            unit = unit or "rad"
        elif any(_is_direction(p) for p in slopes):
            unit = unit or "m"
        found.append(unit)
    return tuple(found)


def _is_direction(slope: Any) -> bool:
    """Whether it is a number but for sines and cosines: a length moves the point by itself."""
    turning = dict.fromkeys(slope.atoms(sympy.sin, sympy.cos), sympy.S.One)
    return bool(slope.xreplace(turning).is_number)


def _ranges(units: tuple[str, ...], q: Array, size: float) -> tuple[Array, Array]:
    turns = np.array([x == "rad" for x in units])
    far = np.where(turns, np.pi, size)
    return np.minimum(-far, q - far / 2), np.maximum(far, q + far / 2)
