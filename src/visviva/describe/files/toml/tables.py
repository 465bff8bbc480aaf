"""Tables of a file: keys checked, numbers and formulas over parameters that have values."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from visviva.algebra.expr import Expr, Graph, evaluated
from visviva.describe.values import leaves
from visviva.errors import ArgumentError, ParseError, UnknownNameError, VisvivaError
from visviva.notation.formula import CONSTANTS, OPERATIONS, Declared
from visviva.notation.names import is_name

NO_WORDS: Mapping[str, Mapping[str, str]] = {}
# units after numbers, and what stands there instead
UNITS = dict.fromkeys("m kg s rad N Nm N/m".split(), "")
UNITS |= dict.fromkeys("deg degree degrees °".split(), "*pi/180")
UNITS |= dict.fromkeys("m/s rad/s m/s^2 kgm^2 kg/m^3 Nm/rad Ns/m Nms/rad".split(), "")
UNITS |= {"mm": "/1000", "cm": "/100", "g": "/1000", "rpm": "*pi/30", "kN": "*1000"}
UNITS |= {"deg/s": "*pi/180", "N/mm": "*1000", "kN/m": "*1000", "Nmm": "/1000", "kNm": "*1000"}
UNITS |= dict.fromkeys("in inch inches".split(), "*0.0254") | {"ft": "*0.3048"}
UNITS |= dict.fromkeys("lb lbs lbm".split(), "*0.45359237") | {"lbf": "*4.4482216152605"}
_NUMBER = r"([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)"
_MEASURED = re.compile(rf"{_NUMBER}\s{{0,9}}([A-Za-z°/][A-Za-z°/*·^²³23 ]{{0,30}})")
_COMMA = re.compile(r"\s*([-+]?[0-9]+),([0-9]+)\s*")
_PLANE = ("at", "com", "axis", "second", "direction", "gravity")  # points and directions


class Formulas:
    """Numbers and formulas over named parameters that have values, in a graph of their own."""

    def __init__(self, parameters: Mapping[str, float]) -> None:
        self.graph = Graph()
        self.declared = Declared({name: self.graph.input(name) for name in parameters})
        self._given = {name: np.float64(x) for name, x in parameters.items()}
        self._known: dict[Expr, Any] = {}  # values of nodes, as far as asked

    def define(self, name: str, x: Any, later: Sequence[str] = ()) -> None:
        """One more name for formulas to use, and the number or formula it stands for."""
        taken = name in CONSTANTS or name in self.declared.vocabulary.words or name in self.names
        if not is_name(name) or name in OPERATIONS or taken:
            raise ArgumentError("expected a new name of letters, digits and _ that is no function")
        try:
            self.declared.declare(name, self.number(x))
        except ParseError:
            used = [k for k in later if re.search(rf"\b{re.escape(k)}\b", str(x))]
            if not used:
                raise
            after = f"{x!r:.60} uses {used[0]!r}, which comes later: a value uses those before it"
            raise ArgumentError(after) from None

    @property
    def names(self) -> dict[str, Any]:
        """What each name stands for."""
        return self.declared.values

    def number(self, x: Any, infinite: bool = False) -> Any:
        """A number or a formula in quotes, as a float or an expression; finite at the values."""
        if isinstance(x, str):
            node = self._read(x)
            made: Any = node.value if node.is_constant else node
        elif isinstance(x, float) or (type(x) is int and abs(x) < 2**1023):
            made = float(x)
        else:
            raise ArgumentError(f"expected a number or a formula in quotes, got {x!r:.60}")
        value = self.value(made)
        if math.isnan(value) or (math.isinf(value) and not infinite):
            raise ArgumentError(f"expected a finite number, got {x!r:.60} with the value {value}")
        return made

    def _read(self, text: str) -> Expr:
        """A formula as a node; a number with a unit is refused with the number that is meant."""
        found = _MEASURED.fullmatch(text.strip())
        unit = _unit(found[2]) if found else ""
        if unit != "°":  # formulas read degrees, but here it may be a length
            try:
                return self.declared.expression(text, self.graph)
            except ParseError:
                if comma := _COMMA.fullmatch(text):
                    point = f"numbers have a point: {text!r:.60} is written {comma[1]}.{comma[2]}"
                    raise ArgumentError(point) from None
                if not found or unit not in UNITS:
                    raise
        meant = f"{found[1] if found else ''}{UNITS[unit]}"
        raise ArgumentError(
            f"numbers are in SI units, angles in radians: {text!r:.60} is written "
            f"{repr(meant) if UNITS[unit] else meant:.60}"
        )

    def array(
        self, x: Any, shape: tuple[int, ...], infinite: bool = False, is_place: bool = False
    ) -> Any:
        """A number, or an array of them; a length of 0 in `shape` means any length."""
        if not shape:
            return self.number(x, infinite)
        if not isinstance(x, list) or len(x) != (shape[0] or len(x)):
            wanted = f"{shape[0] or ''} {'arrays' if shape[1:] else 'numbers'}".strip()
            plane = is_place and isinstance(x, list) and (len(x), shape) == (2, (3,))
            way = f"; in the plane of x and y it is {[*x, 0]!r:.60}" if plane else ""
            raise ArgumentError(f"expected an array of {wanted}, got {x!r:.60}{way}")
        return np.array([self.array(item, shape[1:], infinite) for item in x])

    def value(self, x: Any) -> float:
        """The number that an expression has at the parameters' values; each node counts once."""
        if not isinstance(x, Expr):
            return float(x)
        with np.errstate(all="ignore"):
            return float(evaluated([x], self._given, np.float64, known=self._known)[0])


class Table:
    """A table of texts, numbers and formulas from a file: keys checked, values typed.

    Whatever goes wrong is raised as `error`, with the place in the file in front. `words` are what
    others call keys, by the name of the table, with what is written here instead.
    """

    def __init__(
        self,
        formulas: Formulas,
        error: type[VisvivaError],
        where: str,
        data: Any,
        keys: str,
        words: Mapping[str, Mapping[str, str]] = NO_WORDS,
        called: str = "",
    ) -> None:
        self.formulas, self.error, self.where, self.data = formulas, error, where, data
        self.words, self.called = words, called
        with self.at():
            if not isinstance(data, dict):
                raise ArgumentError(f"expected a table, got {data!r:.60}")
            self.only(keys)

    def only(self, keys: str) -> None:
        """Refuse all other keys."""
        for key in self.data:
            if key not in keys.split():
                meant = self.words.get(self.called, {}).get(key.lower())
                raise UnknownNameError("key", key, dict.fromkeys(keys.split()), meant)

    @contextmanager
    def at(self, key: str = "") -> Iterator[None]:
        """Errors inside get the place in the file."""
        try:
            yield
        except self.error:
            raise
        except VisvivaError as error:
            place = f"{self.where}: key {key!r}" if key else self.where
            raise self.error(f"{place}: {error}"[:2000]) from None

    def get(self, key: str, kind: type, *default: Any) -> Any:
        """The value of a key, of one of TOML's types."""
        if key not in self.data and default:
            return default[0]
        with self.at(key if key in self.data else ""):
            if key not in self.data:
                raise ArgumentError(f"needs the key {key!r}")
            if not isinstance(self.data[key], kind) or self.data[key] == "":
                names = {str: "text in quotes", bool: "true or false", list: "an array"}
                wanted = names.get(kind, "a table")
                raise ArgumentError(f"expected {wanted}, got {self.data[key]!r:.60}")
        return self.data[key]

    def array(self, key: str, shape: tuple[int, ...], *default: Any, infinite: bool = False) -> Any:
        """A number or an array of numbers, expressions among them; see `Formulas.array`."""
        value = self.get(key, object, *default)
        with self.at(key):
            if key not in self.data:
                return value
            return self.formulas.array(value, shape, infinite, key in _PLANE)

    def tables(self, key: str, keys: str, most: int | None = None) -> list[Table]:
        """An array of tables; a single table counts as one."""
        value = self.data.get(key, [])
        made = []
        for i, item in enumerate(value if isinstance(value, list) else [value]):
            name = item.get("name") if isinstance(item, dict) else None
            where = f"{self.where}: {key}" + (f" {i + 1}" if isinstance(value, list) else "")
            where += f" ({name!r:.60})" if isinstance(name, str) else ""
            more = self.words, key
            made.append(Table(self.formulas, self.error, where, item, keys, *more))
        if most is not None and len(made) > most:
            with self.at(key):
                raise ArgumentError(f"expected one table, got {len(made)} of them")
        return made


def distinct(tables: list[Table]) -> list[Table]:
    """The same, each of another name."""
    seen: set[str] = set()
    for t in tables:
        with t.at():
            if (name := t.get("name", str)) in seen:
                raise ArgumentError(f"another {t.called} is called {name!r} already")
            seen.add(name)
    return tables


def _unit(text: str) -> str:
    """A unit as the table has it: kg·m² is kgm^2."""
    plain = re.sub(r"[\s*·]", "", text).replace("²", "^2").replace("³", "^3")
    return re.sub(r"m([23])", r"m^\1", plain)


def unused(model: Any, names: Mapping[str, Any]) -> list[str]:
    """Parameters that nothing of a model depends on."""
    waiting = {x for x in leaves(model) if isinstance(x, Expr)}
    seen = set(waiting)
    while waiting:
        waiting = {y for x in waiting for y in x.args} - seen
        seen |= waiting
    used = {x.value for x in seen if isinstance(x.value, str)}
    return [name for name in names if name not in used]
