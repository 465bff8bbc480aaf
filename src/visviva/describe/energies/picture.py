"""What a picture of energies shows: points, lines, simple solids, and where it starts.

Nothing of it enters the equations. Points have formulas of coordinates, time and parameters: two
components are right and up in a vertical plane (x and z of the world), three are x, y and z.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import sympy

from visviva.describe.energies.admitted import shown
from visviva.describe.energies.formulas import TIME, Names, components
from visviva.describe.joints.joint import unit
from visviva.describe.joints.named import axis_vector
from visviva.errors import ArgumentError, ShapeError, check_known
from visviva.notation.names import velocity_name
from visviva.space.euler import convention

ORIGIN = "origin"  # a point that is always there
LINES = ("rod", "string", "spring", "arrow")
# what each solid is stated by
PICTURED: dict[str, tuple[str, ...]] = {
    "ball": ("radius",),
    "box": ("x", "y", "z"),
    "disc": ("radius",),
    "ring": ("radius",),
    "cylinder": ("radius", "length"),
    "rod": ("length",),
    "curve": ("x", "y", "z"),
}
OWN_AXES = ("x", "y", "z")
TURNED_BY = ("angle", "rotation")
ROTATED_BY = ("axis angle", "euler angles", "rpy", "matrix")
SOLID_KEYS = (*PICTURED, "at", *TURNED_BY, "axis", "along")


@dataclass(frozen=True)
class Solid:
    """A simple solid as it was stated, its formulas over plain symbols.

    `turn` is (angle,) in the vertical plane, or the parts of a rotation by the names that
    mechanism files use; `along` has the letter of a curve's formulas, from where to where it goes.
    """

    kind: str
    sizes: tuple[Any, ...]
    at: Any  # the name of a point, or formulas
    turn: tuple[tuple[str, Any], ...] = ()
    axis: str = ""
    along: tuple[Any, ...] = ()

    def statement(self) -> dict[str, Any]:
        """As it is written down."""
        one = len(PICTURED[self.kind]) == 1
        said: dict[str, Any] = {self.kind: self.sizes[0] if one else self.sizes, "at": self.at}
        if len(self.turn) == 1 and self.turn[0][0] == "angle":
            said["angle"] = self.turn[0][1]
        elif self.turn:
            said["rotation"] = dict(self.turn)
        return (
            said
            | ({"axis": self.axis} if self.axis else {})
            | ({"along": self.along} if self.along else {})
        )

    def mapped(self, f: Callable[[Any], Any]) -> Solid:
        """With f of every formula."""
        at = self.at if isinstance(self.at, str) else _each(f, self.at)
        turn = tuple((k, _each(f, x)) for k, x in self.turn)
        return Solid(self.kind, _each(f, self.sizes), at, turn, self.axis, _each(f, self.along))


def _each(f: Callable[[Any], Any], x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(_each(f, y) for y in x)
    return f(x) if isinstance(x, sympy.Basic) else x


def stated_picture(names: Names, s: Any, formulas: Iterable[Any]) -> dict[str, Any]:
    """The four parts of a picture, checked; `formulas` are those whose symbols are known."""
    known = {*names.known, *names.motion, *(x.name for f in formulas for x in f.free_symbols)}
    reader = _Reader(names, known)
    points = reader.points(s.points)
    return {
        "points": MappingProxyType(points),
        "lines": _lines(points, s.lines),
        "solids": MappingProxyType(reader.solids(points, s.solids)),
        "start": MappingProxyType(_start(names, s.start)),
    }


def carried_picture(s: Any, over: Callable[[Any], Any], new: Iterable[str]) -> dict[str, Any]:
    """The same picture in other coordinates; of its start, what has kept its name.

    One that depends on constants without a value, as those of an integral, is left out with a note.
    """
    kept = {*new, *map(velocity_name, new)}
    start = {k: x for k, x in s.start.items() if k in kept}
    strange: set[str] = set()
    known = {*kept, *s.parameter_names, TIME.name}

    def read(x: Any) -> Any:
        made = over(x)
        strange.update(y.name for y in made.free_symbols - x.free_symbols if y.name not in known)
        return made

    points = {k: _each(read, x) for k, x in s.points.items()}
    solids = {k: x.mapped(read) for k, x in s.solids.items()}
    if not strange:
        return {"points": points, "solids": solids, "start": start}
    said = f"what is seen of it depends on {', '.join(sorted(strange))}, and is left out"
    empty: dict[str, Any] = {"points": {}, "lines": (), "solids": {}, "start": start}
    return {**empty, "notes": (*s._fields["notes"], said)}


class _Reader:
    """Formulas of a picture: of coordinates and the time, with symbols that are known."""

    def __init__(self, names: Names, known: set[str]) -> None:
        self.names, self.known = names, known

    def formula(self, what: str, x: Any) -> Any:
        plain = self.names.read(what, x, "coordinates")
        for symbol in sorted(plain.free_symbols, key=str):
            check_known(f"name in {what}", symbol.name, sorted(self.known))
        return plain

    def vector(self, what: str, x: Any, sizes: tuple[int, ...] = (2, 3)) -> tuple[Any, ...]:
        parts = components(x)
        if len(parts) not in sizes:
            wanted = " or ".join(map(str, sizes))
            raise ShapeError(f"{what} has {wanted} components, got {len(parts)}: {shown(x)}")
        return tuple(self.formula(what, p) for p in parts)

    def points(self, stated: Any) -> dict[str, tuple[Any, ...]]:
        given = _named("points", stated, '{"bob": ["l*sin(theta)", "-l*cos(theta)"]}')
        return {k: self.vector(f"point {k!r}", x) for k, x in given.items()}

    def solids(self, points: Mapping[str, Any], stated: Any) -> dict[str, Solid]:
        given = _named("solids", stated, '{"bob": {"ball": 0.05}}')
        return {k: self.solid(points, k, x) for k, x in given.items()}

    def solid(self, points: Mapping[str, Any], name: str, stated: Any) -> Solid:
        """One of them; a point of its own name is where it is unless it says so."""
        what = f"solid {name!r}"
        said = stated.statement() if isinstance(stated, Solid) else stated
        if not isinstance(said, Mapping):
            raise ArgumentError(f'{what} is stated as {{"ball": 0.05}}, got {shown(said)}')
        for key in said:
            check_known(f"key of {what}", key, SOLID_KEYS)
        kinds = [k for k in said if k in PICTURED]
        if len(kinds) != 1:
            got = ", ".join(kinds) or "none"
            raise ArgumentError(f"{what} is one of {', '.join(PICTURED)}, got {got}")
        at = said.get("at", name if name in points else ORIGIN)
        if isinstance(at, str):
            check_known(f"point of {what}", at, (*points, ORIGIN))
        else:
            at = self.vector(f"{what}: at", at)
        axis = said.get("axis", "")
        if axis:
            check_known(f"axis of {what}", axis, OWN_AXES)
        along, reader = self._along(what, kinds[0], said)
        sizes = reader.sizes(what, kinds[0], said[kinds[0]])
        return Solid(kinds[0], sizes, at, self._turn(what, said), axis, along)

    def sizes(self, what: str, kind: str, stated: Any) -> tuple[Any, ...]:
        wanted = PICTURED[kind]
        counts = (2, 3) if kind in ("box", "curve") else (len(wanted),)
        found = self.vector(f"{what}: {kind} ({', '.join(wanted)})", stated, counts)
        for x in found if kind != "curve" else ():
            if x.is_number and not x > 0:
                raise ArgumentError(f"{what}: sizes of a {kind} are positive, got {shown(x)}")
        return found

    def _along(self, what: str, kind: str, said: Mapping[str, Any]) -> tuple[tuple[Any, ...], Any]:
        """The letter of a curve and its ends, and who reads formulas with it."""
        if (kind == "curve") != ("along" in said):
            raise ArgumentError(
                f'{what}: a curve, and nothing else, goes along a letter: "along": ["u", 0, 1]'
            )
        if kind != "curve":
            return (), self
        given = components(said["along"])
        if len(given) != 3 or not isinstance(given[0], str) or given[0] in self.known:
            raise ArgumentError(
                f"{what}: along is a letter that is no name yet, from and to; got "
                f"{shown(said['along'])}"
            )
        ends = [self.formula(f"{what}: along", x) for x in given[1:]]
        names = Names(self.names.coordinates, (*self.names.known, given[0]))
        return (given[0], *ends), _Reader(names, {*self.known, given[0]})

    def _turn(self, what: str, said: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
        if all(k in said for k in TURNED_BY):
            raise ArgumentError(f"{what} has an angle in the plane or a rotation, got both")
        if "angle" in said:
            return (("angle", self.formula(f"{what}: angle", said["angle"])),)
        given = said.get("rotation", {})
        keys = sorted(given) if isinstance(given, Mapping) else []
        if "rotation" in said and " ".join(sorted(keys)) not in map(_sorted, ROTATED_BY):
            ways = ", ".join(ROTATED_BY)
            raise ArgumentError(f"{what}: a rotation is one of {ways}, got {shown(given)}")
        return tuple((k, self._part(f"{what}: {k}", k, given[k])) for k in given)

    def _part(self, what: str, key: str, x: Any) -> Any:
        if key == "axis":
            return tuple(unit(axis_vector(x)).tolist())
        if key == "euler":
            convention(x if isinstance(x, str) else shown(x))  # refuses unknown ones
            return x
        if key == "angle":
            return self.formula(what, x)
        if key == "matrix":
            rows = x.tolist() if isinstance(x, sympy.MatrixBase) else components(x)
            if len(rows) != 3:
                raise ShapeError(f"{what} has 3 rows, got {len(rows)}")
            return tuple(self.vector(what, row, (3,)) for row in rows)
        return self.vector(what, x, (3,))


def _lines(points: Mapping[str, Any], stated: Any) -> tuple[tuple[str, str, str], ...]:
    found = []
    for line in components(stated):
        parts = () if isinstance(line, str) else components(line)
        if len(parts) not in (2, 3) or not all(isinstance(x, str) for x in parts):
            raise ArgumentError(
                'a line joins two points, as in ("origin", "bob") or ("wall", "cart", "spring"); '
                f"got {shown(line)}"
            )
        for end in parts[:2]:
            check_known("point of a line", end, (*points, ORIGIN))
        kind = parts[2] if len(parts) == 3 else LINES[0]
        check_known("kind of line", kind, LINES)
        found.append((parts[0], parts[1], kind))
    return tuple(found)


def _start(names: Names, stated: Any) -> dict[str, float]:
    """Values of coordinates and of velocities, by their names."""
    if not isinstance(stated, Mapping):
        raise ArgumentError(f'start is stated as {{"theta": 0.5}}, got {shown(stated)}')
    rates = {f"{x}'": velocity_name(x) for x in names.coordinates}
    found: dict[str, float] = {}
    for name, x in stated.items():
        key = str(rates.get(name, name))
        check_known("coordinate or velocity", key, (*names.coordinates, *rates.values()))
        value = names.read(f"start of {key!r}", x)
        if not value.is_number:
            raise ArgumentError(f"start of {key!r} is a number, got {shown(x)}")
        found[key] = float(value)
    return found


def _named(what: str, stated: Any, example: str) -> dict[str, Any]:
    if not isinstance(stated, Mapping):
        raise ArgumentError(f"{what} are stated by name, as in {example}; got {shown(stated)}")
    if wrong := [k for k in stated if not isinstance(k, str) or not k]:
        raise ArgumentError(f"{what} are called by texts, got {wrong[0]!r}")
    return dict(stated)


def _sorted(words: str) -> str:
    return " ".join(sorted(words.split()))
