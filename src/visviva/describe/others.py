"""What is said of a name that is not there: the line that does it here, or the nearest name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar, cast

from visviva.describe.calls import ASSIGNED, WORDS_OF_CLASSES
from visviva.describe.quantities import FUNCTIONS
from visviva.describe.words import WHERE_LOOPS, WORDS, WORDS_OF_KINDS
from visviva.errors import ArgumentError
from visviva.hints import Call, Class, as_typed, filled, words_of_others

TO_OPEN = (
    ", whose forces accelerations do not tell; reactions(q, v, tau) has those of all joints and "
    "loops, and without_constraints() gives the open system"
)
FILES = r"\.(?:urdf|xml|mjcf|toml)$"
RUNS = r"\.(?:npz|nc|csv|run)$"
# lines that begin with no part
ELSEWHERE = ("sympy.", "vv.", "len(", "np.", "Path(", "[", "str(", "{", "model  #")


def not_there(
    system: Any, name: str, words: Mapping[str, str] = WORDS, called: str = "model"
) -> str:
    """What to say of an attribute that does not exist: our word for it, or the nearest name."""
    kind = type(system)
    every = {*dir(kind), *getattr(kind, "__dataclass_fields__", ())}
    there = sorted(x for x in every if not x.startswith("_"))
    said = f"{'an' if kind.__name__[0] in 'AEIO' else 'a'} {kind.__name__} has no {name!r}"
    line = line_of(name, {**words, **WORDS_OF_KINDS.get(kind.__name__, {})})
    if line in WHERE_LOOPS and getattr(system, "held_by", None):  # they leave fewer freedoms
        line = WHERE_LOOPS[line]
    used = re.findall(rf"(?<!['\"\w]){re.escape(called)}\.(\w+)", line) if called else []
    if not {*used} <= {*every}:
        line = ""
    if line.startswith(ELSEWHERE):
        return f"{said}: here it is {filled(line, system)}"
    if line and re.split(r"\W", line)[0] in (*there, *getattr(kind, "__dataclass_fields__", ())):
        return f"{said}: here it is {called}.{filled(line, system)}"
    own = next((x for x in (plain_name(name), bare_name(name)) if x in there), "")
    if line := _called_so(system, name) or (own and filled(own + asked_with(own), system)):
        return f"{said}: here it is {called}.{line}"
    close = get_close_matches(name, there, n=1)
    return said + (f"; did you mean {close[0]!r}?" if close else "")


def _called_so(system: Any, name: str) -> str:
    """Where a part of a model is that is called so."""
    if name in vars(system).get("parameters", ()):
        return f"parameters[{name!r}]"
    ways = (
        ("joint_names", "bodies[model.joint_index({!r})].joint"),
        ("body_names", "bodies[{!r}]"),
        ("frame_names", "frame_pose({!r}, q)"),
    )
    known = ways if {"bodies", "frames"} <= vars(system).keys() else ()  # of one that is made
    return next((way.format(name) for kind, way in known if name in getattr(system, kind)), "")


def plain_name(name: str) -> str:
    """name_of_rnea_words, of NameOfRNEAWords."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def bare_name(name: str) -> str:
    """The same without what others say of all they compute: get, compute, mj."""
    return re.sub(r"^(?:get|compute|calc|update|mj)_", "", plain_name(name))


def line_of(name: str, words: Mapping[str, str]) -> str:
    """What does it here: of `name`, of name_of_words for NameOfWords, without get or mj."""
    plain, bare = plain_name(name), bare_name(name)
    ways = (name, name.lower(), plain, bare, bare.replace("_", ""))
    if line := next((words[x] for x in ways if x in words), ""):
        return line
    tight = {x.replace("_", ""): x for x in words} if bare != name else {}
    return words[tight[ways[-1]]] if ways[-1] in tight else ""


def asked_with(name: str) -> str:
    """What a quantity is asked with: (q, v); nothing of other names."""
    row = FUNCTIONS.get(name)
    if row is None:
        return ""
    inputs = f"({', '.join(row.inputs.split())})"
    return "({frame!r})" + inputs if row.about else inputs


def answered(called: str, lines: Mapping[str, str]) -> Callable[[Class], Class]:
    """A class of which some methods refuse what they cannot take with a line that works."""

    def made(kind: Class) -> Class:
        for name in lines.keys() & vars(kind).keys():
            own: Any = vars(kind)[name]
            if not vars(own).get("refuses"):
                own = words_of_others(f"{called}.{name}")(own)
                setattr(kind, name, own)
            own.example = lines[name]
        return kind

    return made


def uncompiled(name: str, way: str) -> Callable[[Call], Call]:
    """A method in Python alone: asked for its code, it says which compiled function has some."""

    def made(method: Call) -> Call:
        for part in ("c_source", "js_source", "to_jax", "to_casadi", "jacobian", "operations"):
            setattr(method, part, _Code(name, way.format(frame="tool"), part))
        return method

    return made


def unchanged(kind: Class) -> Class:
    """A frozen kind of systems: written to, one names the line that makes another."""
    own: Any = kind.__setattr__

    def refusing(self: Any, name: str, value: Any) -> None:
        try:
            own(self, name, value)
        except FrozenInstanceError:
            raise FrozenInstanceError(_kept(self, name, value)) from None

    cast(Any, kind).__setattr__ = refusing
    return kind


def _kept(system: Any, name: str, value: Any) -> str:
    """What to say where an attribute of a system is written to."""
    kind, typed = type(system).__name__, as_typed(value)
    said = f"{name!r} cannot be set, a {kind} stays as it is"
    line = ASSIGNED.get(name, "").replace("{value}", typed.replace("{", "{{").replace("}", "}}"))
    if line and {*re.findall(r"model\.(\w+)", line)} <= {*dir(type(system))}:
        return f"{said}: here it is {filled(line, system)}"
    if name in system.parameter_names:
        return f"{said}: here it is model = model.with_parameters({name}={typed})"
    if name in system.__dataclass_fields__:
        return f"{said}: here it is model = dataclasses.replace(model, {name}=...)"
    others = ", ".join(x for x in dir(type(system)) if x.startswith(("with_", "without_")))
    return f"{said}; others are made by {others}"


class _Code:
    def __init__(self, name: str, way: str, part: str) -> None:
        call = "" if part == "operations" else '("q")' if part == "jacobian" else "()"
        self.said = f"{name} is not compiled: here it is {way}.{part}{call}"

    def __call__(self, *args: Any, **named: Any) -> Any:
        raise ArgumentError(self.said)

    def __repr__(self) -> str:
        return self.said


class Asked(type):
    """A class that says of what it has not, but its values or the package have, where it is."""

    def __call__(cls, *args: Any, **named: Any) -> Any:
        if len(args) == 1 and not named and re.search(FILES, str(args[0])):
            raise ArgumentError(
                f"a {cls.__name__} is made of bodies, load reads files: here it is "
                f"vv.load({str(args[0])!r})"
            )
        if len(args) == 1 and not named and re.search(RUNS, str(args[0])):
            raise ArgumentError(f"files are read by vv.load_trajectory({str(args[0])!r})")
        return super().__call__(*args, **named)

    if not TYPE_CHECKING:  # type checkers shall see what is not there

        def __getattr__(cls, name: str) -> Any:
            said = f"{cls.__name__} has no {name!r}"
            if name.startswith("_"):
                raise AttributeError(said)
            if line := line_of(name, getattr(cls, "_read_by", WORDS_OF_CLASSES)):
                said += f": here it is {line}"
            raise AttributeError(said)


class Worded:
    """A value that says of what it has not which line does the same here."""

    _words: ClassVar[Mapping[str, str]] = {}
    _called: ClassVar[str] = ""  # as people call such a value

    if not TYPE_CHECKING:  # type checkers shall see what is not there

        def __getattr__(self, name: str) -> Any:
            fields = getattr(type(self), "__dataclass_fields__", ())
            if name.startswith("_") or name in dir(type(self)) or name in fields:
                return object.__getattribute__(self, name)  # its own error
            called = self._called or type(self).__name__.lower()
            raise AttributeError(not_there(self, name, self._words, called))
