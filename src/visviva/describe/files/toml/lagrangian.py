"""Mechanism files that state energies: a table `[lagrangian]` instead of bodies.

name = "bead"
[parameters]
m = 0.5
k = 1.0
[lagrangian]
coordinates = ["x"]
kinetic = "m*x'^2*(1 + 4*k^2*x^2)/2"
potential = "m*9.81*k*x^2"
dissipation = "0.1*x'^2/2"         # Rayleigh's function, or an array: b, one for each coordinate
forces = ["0"]                     # an array, or a table from coordinates to formulas
actuators = [["1"]]                # T of u = T f, row by row
constraints = []                  # formulas or equations in an array, or by name in a table
angles = []                        # coordinates on a circle
passive = []                       # coordinates whose generalized force is zero
points = { bead = ["x", "k*x^2"] } # what is seen of it: right and up, or x, y, z
lines = [["origin", "bead"]]       # between points; a third text says what: "spring"
solids = { bead = { ball = 0.05 } }
start = { x = 0.5 }                # where it is shown first, and "x'" how fast
"""

from __future__ import annotations

import json
from typing import Any

from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.energies.notes import given_notes
from visviva.describe.files.toml.text import tables
from visviva.describe.values import digest_of
from visviva.errors import ArgumentError, VisvivaError, WriteError, check_known

LAGRANGIAN_KEYS = ("name", "description", "parameters", "lagrangian", "notes")
KEYS = (
    "coordinates kinetic potential dissipation forces constraints actuators angles passive "
    "points lines solids start".split()
)
BY_NAME = ("dissipation", "forces", "constraints", "points", "solids", "start")  # may be tables
PICTURE = ("points", "lines", "solids", "start")  # which no digest has
TEXTS = ("kinetic", "potential", "dissipation")
NEEDED = ("coordinates", "kinetic")


def read_lagrangian(data: Any, source: str, error: type[VisvivaError]) -> Lagrangian:
    """The system that a parsed file states; whatever is wrong is raised as `error`."""
    try:
        return _read(data)
    except VisvivaError as problem:
        raise error(f"{source}: {problem}"[:2000]) from None


def _read(data: Any) -> Lagrangian:
    for key in data:
        check_known("key beside [lagrangian]", key, LAGRANGIAN_KEYS)
    table = data["lagrangian"]
    if not isinstance(table, dict):
        raise ArgumentError(f"lagrangian: expected a table, got {table!r:.60}")
    for key in table:
        if key in LAGRANGIAN_KEYS:
            here = "a table [parameters]" if key == "parameters" else f"{key} = ..."
            there = here.replace("[", "[mechanism.") if "[" in here else f"{here} in [mechanism]"
            raise ArgumentError(
                f"lagrangian: {key} stands beside it: {here}, in a file of claims {there}"
            )
        check_known("key of [lagrangian]", key, KEYS)
    for key in NEEDED:
        if key not in table:
            raise ArgumentError(f"lagrangian: needs the key {key!r}")
    for key in ("coordinates", "angles", "passive"):
        names = table.get(key, [])
        if not isinstance(names, list) or not all(isinstance(x, str) for x in names):
            raise ArgumentError(f"lagrangian: key {key!r}: expected an array of names")
    name = data.get("name")
    if not isinstance(name, str) or not name:
        raise ArgumentError("needs the key 'name', a text in quotes")
    values = data.get("parameters", {})
    if not isinstance(values, dict):
        raise ArgumentError(f"parameters: expected a table, got {values!r:.60}")
    notes = [str(x) for x in data.get("notes", [])]
    if "description" in data:
        notes.insert(0, f"description: {data['description']}")
    given = {key: _formula(key, x) for key, x in table.items()}
    return Lagrangian(**given, parameters=values, name=name, notes=tuple(notes))


def _formula(key: str, x: Any) -> Any:
    """Numbers and texts, in arrays or tables; nothing else is a formula."""
    if isinstance(x, dict) and key in BY_NAME:
        return {name: _formula(key, f) for name, f in x.items()}
    if isinstance(x, list) and key not in ("kinetic", "potential"):
        return [_formula(key, f) for f in x]
    if isinstance(x, bool) or not isinstance(x, (str, int, float)):
        raise ArgumentError(f"lagrangian: key {key!r}: expected a formula, got {x!r:.60}")
    return x


def lagrangian_to_toml(system: Lagrangian) -> str:
    """A mechanism file that states these energies; it is read again, and must state the same."""
    s, stated = system, _stated(system)
    seen = {key: stated.pop(key) for key in ("points", "solids")}
    lines = [f"name = {_value(s.name)}", f"notes = {_value(list(given_notes(s)))}"]
    lines += ["[parameters]", *(f"{_value(k)} = {float(x)!r}" for k, x in s.parameters.items())]
    lines += ["[lagrangian]", *(f"{k} = {_value(x)}" for k, x in stated.items() if x)]
    for key, table in seen.items():
        if table:
            rows = (f"{_value(k)} = {_value(x)}" for k, x in table.items())
            lines += [f"[lagrangian.{key}]", *rows]
    text = "\n".join(lines) + "\n"
    try:
        again = read_lagrangian(tables(text, s.name), s.name, WriteError)
    except VisvivaError as problem:
        raise WriteError(f"no mechanism file can state {s.name!r}: {problem}"[:500]) from None
    _check_same(s, again, "mechanism file")
    return text


def _check_same(s: Lagrangian, again: Lagrangian, what: str) -> None:
    same = all(getattr(again, k) == getattr(s, k) for k in PICTURE)
    if digest_of(again) is None or digest_of(again) != digest_of(s) or not same:
        raise WriteError(f"no {what} can state {s.name!r}: its formulas are read back as others")


def lagrangian_to_python(system: Lagrangian) -> str:
    """The call that states these energies; it is made, and must state the same.

    Examples:
        >>> print(lagrangian_to_python(Lagrangian("x", "m*x'^2/2", parameters={"m": 2})))
        vv.Lagrangian(
            coordinates=['x'],
            kinetic='m*xd**2/2',
            potential='0',
            parameters={'m': 2.0},
            name='lagrangian',
        )
    """
    nothing: tuple[Any, ...] = ("0", [], {}, ["0"] * system.nq)
    said = {k: x for k, x in _stated(system).items() if k in TEXTS[:2] or x not in nothing}
    if names := system.parameter_names:  # those without a value too
        said["parameters"] = {k: system.parameters.get(k) for k in names}
    said["name"] = system.name
    _check_same(system, Lagrangian(**said), "call")
    rows = "".join(f"    {k}={x!r},\n" for k, x in said.items())
    return f"vv.Lagrangian(\n{rows})"


def _stated(s: Lagrangian) -> dict[str, Any]:
    """Texts and numbers of all that states a system, by the keys of the table."""
    named = dict(zip(s.constraints.given_names, map(str, s.constraints), strict=True))
    return {
        "coordinates": list(s.coordinates),
        "kinetic": str(s.kinetic),
        "potential": str(s.potential),
        "dissipation": _texts(s.dissipation),
        "forces": _texts(s.forces),
        "constraints": named if all(named) else [str(x) for x in s.constraints],
        "actuators": [] if s.actuators is None else [_texts(row) for row in s.actuators.tolist()],
        "angles": list(s.angles),
        "passive": list(s.passive),
        "lines": [list(line) for line in s.lines],
        "start": dict(s.start),
        "points": {k: _texts(x) for k, x in s.points.items()},
        "solids": {k: _texts(x.statement()) for k, x in s.solids.items()},
    }


def _texts(x: Any) -> Any:
    if isinstance(x, dict):
        return {k: _texts(e) for k, e in x.items()}
    if isinstance(x, (tuple, list)):
        return [_texts(e) for e in x]
    return x if isinstance(x, float) else str(x)


def _value(x: Any) -> str:
    """Texts in arrays and tables, as TOML writes them."""
    if isinstance(x, dict):
        return f"{{ {', '.join(f'{_value(k)} = {_value(y)}' for k, y in x.items())} }}"
    if isinstance(x, list):
        return f"[{', '.join(map(_value, x))}]"
    return json.dumps(x, ensure_ascii=False).replace("\x7f", "\\u007f")
