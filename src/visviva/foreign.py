"""Errors that answer in the reader's own words: names and keywords of other libraries.

Whoever types `arm.rnea`, `arm.simulate(q0, t_end=5)` or `arm.gravity = …` gets an error with the
line that does it here. The names are data, in `foreign_names.toml`; the file is read when an error
is about to be raised, never before.

    @explained
    @dataclass(frozen=True)
    class Linearization: ...
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, is_dataclass
from difflib import get_close_matches
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

from visviva.errors import ArgumentError, VisvivaError
from visviva.hints import as_typed, names_filled_in, refuse_known_misfits

T = TypeVar("T", bound=Callable[..., Any])
# lines that stand by themselves; all others begin with the value that was asked
WHOLE = ("sympy.", "vv.", "len(", "np.", "Path(", "[", "str(", "{", "model  #")


@cache
def table() -> dict[str, Any]:
    """The file of names, turned round: {"attributes": {"System": {"rnea": line}}}."""
    import tomllib

    text = (Path(__file__).parent / "foreign_names.toml").read_text(encoding="utf-8")
    read: dict[str, Any] = tomllib.loads(text)
    by_section = ("attributes", "keywords")
    read |= {k: {x: _by_name(rows) for x, rows in read[k].items()} for k in by_section}
    return read | {k: _by_name(read[k]) for k in ("package", "pencil", "assigned")}


def _by_name(rows: Mapping[str, str]) -> dict[str, str]:
    return {name: line for line, names in rows.items() for name in names.split()}


# ---- attributes


def missing_attribute(value: Any, name: str) -> str:
    """The message of an AttributeError: the line that does the same, or the nearest name."""
    kind = type(value)
    names = sorted(x for x in {*dir(kind), *_fields(kind)} if not x.startswith("_"))
    message = f"{'an' if kind.__name__[0] in 'AEIO' else 'a'} {kind.__name__} has no {name!r}"
    if line := _line_for(value, name, names):
        return f"{message}: here it is {line}"
    close = get_close_matches(name, names, n=1)
    return message + (f"; did you mean {close[0]!r}?" if close else "")


def _line_for(value: Any, name: str, names: list[str]) -> str:
    """A line that can be run on this value, "" if there is none."""
    called = name_of_value(type(value))
    line = line_for(name, _names_for(type(value)))
    if "held_by" in names and vars(value) and value.held_by:
        line = table()["where_loops"].get(line, line)
    used = {*re.findall(rf"(?<!['\"\w]){re.escape(called)}\.(\w+)", line)}
    if line and used <= {*names} and (line.startswith(WHOLE) or _first_word(line) in names):
        start = "" if line.startswith(WHOLE) else f"{called}."
        return start + names_filled_in(line, value)
    own = next((x for x in (snake_case(name), without_prefix(name)) if x in names), "")
    line = _part_called(value, name) or (own and _example_call(value, own))
    return line and f"{called}.{line}"


def _part_called(value: Any, name: str) -> str:
    """Where a body, joint, frame or parameter is that is called so."""
    if name in vars(value).get("parameters", ()):
        return f"parameters[{name!r}]"
    if not {"bodies", "frames"} <= vars(value).keys():
        return ""
    if name in value.joint_names:
        return f"bodies[model.joint_index({name!r})].joint"
    if name in value.body_names:
        return f"bodies[{name!r}]"
    return f"frame_pose({name!r}, q)" if name in value.frame_names else ""


def _example_call(value: Any, name: str) -> str:
    """A quantity with its inputs, gravity_forces(q); other names as they are."""
    if "function_of_frame" not in dir(type(value)):
        return name
    try:
        found = getattr(value, name)
        if not hasattr(type(found), "inputs") and "frame" in signature(found).parameters:
            name = names_filled_in(f"{name}({{frame!r}})", value)
            found = found(["tool", *value.frame_names][-1])
    except (TypeError, ValueError, VisvivaError):
        return name
    return f"{name}({', '.join(found.inputs)})" if hasattr(type(found), "inputs") else name


def line_for(name: str, lines: Mapping[str, str]) -> str:
    """The line of a name, which may be written nameOfWords, NAME, get_name or mj_name."""
    bare = without_prefix(name)
    spellings = (name, name.lower(), snake_case(name), bare, bare.replace("_", ""))
    if line := next((lines[x] for x in spellings if x in lines), ""):
        return line
    tight = {x.replace("_", ""): x for x in lines} if bare != name else {}
    return lines[tight[spellings[-1]]] if spellings[-1] in tight else ""


def snake_case(name: str) -> str:
    """name_of_rnea_words of NameOfRNEAWords."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def without_prefix(name: str) -> str:
    """The same without get_, compute_, mj_."""
    return re.sub(r"^(?:get|compute|calc|update|mj)_", "", snake_case(name))


# ---- one decorator, for classes and functions


def explained(x: T) -> T:
    """A class or function whose errors name the line that works.

    Of a class: attributes that it has not, calls of its methods that do not fit, and assignments
    where it is frozen. Nothing is looked up before an error is certain.
    """
    if isinstance(x, type):
        _explain_class(x)
        return cast(T, x)
    return cast(T, _with_misfits_explained(x, f"vv.{x.__name__}"))


def explained_as(line: str) -> Callable[[T], T]:
    """The same for a function that is elsewhere than in `vv`."""

    def decorated(f: T) -> T:
        return cast(T, _with_misfits_explained(f, line))

    return decorated


def _explain_class(kind: type) -> None:
    for name, method in [*vars(kind).items()]:
        call = getattr(method, "__func__", method)  # of class and static methods
        if isinstance(call, FunctionType) and (name == "__init__" or not name.startswith("_")):
            line = f"vv.{kind.__name__}" + ("" if name == "__init__" else f".{name}")
            if call is method and name != "__init__":
                line = f"{{}}.{name}"  # of a value, whatever it is called
            wrapped = _with_misfits_explained(call, line)
            setattr(kind, name, wrapped if call is method else type(method)(wrapped))
    if not hasattr(kind, "__getattr__"):
        kind.__getattr__ = _refuse_attribute  # type: ignore[attr-defined]
    if is_dataclass(kind) and hasattr(kind, "with_parameters"):
        kind.__setattr__ = _refuse_assignment  # type: ignore[method-assign]


def _refuse_attribute(self: Any, name: str) -> Any:
    kind = type(self)
    if name.startswith("_") or name in dir(kind) or name in _fields(kind):
        return object.__getattribute__(self, name)  # its own error
    raise AttributeError(missing_attribute(self, name))


def _refuse_assignment(self: Any, name: str, value: Any) -> None:
    kind, typed = type(self), as_typed(value)
    message = f"{name!r} cannot be set, a {kind.__name__} stays as it is"
    line = table()["assigned"].get(name, "")
    line = line.replace("{value}", typed.replace("{", "{{").replace("}", "}}"))
    if line and {*re.findall(r"model\.(\w+)", line)} <= {*dir(kind)}:
        line = names_filled_in(line, self)
    elif name in self.parameter_names:
        line = f"model = model.with_parameters({name}={typed})"
    elif name in _fields(kind):
        line = f"model = dataclasses.replace(model, {name}=...)"
    else:
        makers = ", ".join(x for x in dir(kind) if x.startswith(("with_", "without_")))
        raise FrozenInstanceError(f"{message}; others are made by {makers}")
    raise FrozenInstanceError(f"{message}: here it is {line}")


# ---- calls that do not fit


def _with_misfits_explained(f: Callable[..., Any], line: str) -> Callable[..., Any]:
    @wraps(f)
    def call(*args: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        try:
            return f(*args, **named)
        except (TypeError, VisvivaError) as error:
            owner = args[0] if line.startswith("{}") else None
            at = line.format(name_of_value(type(owner)))
            _explain_keywords(f, at, args, named)
            if not isinstance(error, VisvivaError):
                _explain_misfit(f, at, args, named)
            raise  # it fitted: the error is one of its own

    return call


def _explain_keywords(f: Callable[..., Any], line: str, args: Any, named: dict[str, Any]) -> None:
    """Raise an ArgumentError with the call in our keywords, if some are another library's."""
    ours = table()["keywords"].get(line, {}) if named else {}
    taken = signature(f).parameters if ours else {}
    foreign = [k for k in named if k in ours and (k not in taken or ours[k] == "reference")]
    if foreign:
        if ours[foreign[0]] == "reference":  # its own error says more of axes
            f(*args, **{ours.get(k, k): x for k, x in named.items()})
        is_method = next(iter(taken), "") in ("self", "cls")
        message = _in_our_keywords(f, line, args[is_method:], named, ours, foreign)
        raise ArgumentError(message) from None


def _explain_misfit(f: Callable[..., Any], line: str, args: Any, named: dict[str, Any]) -> None:
    """Raise an ArgumentError if the arguments do not fit; say what does."""
    try:
        signature(f).bind(*args, **named)
        return
    except TypeError as why:
        problem = str(why)
    is_method = next(iter(signature(f).parameters), "") in ("self", "cls")
    args, owner = (args[1:], args[0]) if is_method else (args, None)
    owner = None if line.startswith("vv.") else owner  # of a class, or not yet made
    refuse_known_misfits(line, owner, args, named, signature(f))
    parameters = [x for x in signature(f).parameters.values() if not x.name.startswith("_")]
    shown = Signature([x.replace(annotation=Parameter.empty) for x in parameters[is_method:]])
    example = table()["examples"].get(line, "")
    works = f"; a line that works: {names_filled_in(example, owner)}" if example else ""
    raise ArgumentError(f"{line}{_plain(shown)}: {problem}{works}") from None


def _in_our_keywords(
    f: Any, line: str, args: Any, named: Mapping[str, Any], ours: Mapping[str, str], foreign: Any
) -> str:
    """The call in our keywords; arguments by position that they would hit move on."""
    free = [x for x in signature(f).parameters if x not in ("self", "cls")]
    taken = {ours.get(k, k) for k in named}
    typed = []
    for name, x in zip(free, args, strict=False):
        rest = [k for k in free[len(args) :] if k not in taken] if name in taken else []
        typed.append(f"{rest[0]}={as_typed(x)}" if rest else as_typed(x))
    typed += [as_typed(x) for x in args[len(free) :]]
    typed += [f"{ours.get(k, k)}={as_typed(x)}" for k, x in named.items()]
    if "on" in free and not any(x.startswith("on=") for x in typed):
        typed.append("on='world'")
    whole = [ours[k] for k in foreign if "(" in ours[k]]
    theirs, verb = ", ".join(f"{k}=" for k in foreign), "is no word" if len(foreign) == 1 else ""
    here = whole[0] if whole else f"{line}({', '.join(typed)})"
    return f"{theirs} {verb or 'are no words'} of {line.rpartition('.')[2]}: here it is {here}"


def _plain(shown: Signature) -> str:
    return str(shown.replace(return_annotation=Signature.empty))


# ---- the table, by class


def name_of_value(kind: type) -> str:
    """What lines call a value of this class: model, run, lin; else the class in small letters."""
    called: Mapping[str, str] = table()["called"]
    return next((called[k.__name__] for k in kind.__mro__ if k.__name__ in called),
                kind.__name__.lower())  # fmt: skip


def _names_for(kind: type) -> dict[str, str]:
    """Foreign names of a class and of its bases, the class first."""
    tables = table()["attributes"]
    names: dict[str, str] = {}
    for k in reversed(kind.__mro__):
        for kinds in sorted(tables, key=len, reverse=True):  # what is of one class alone comes last
            names |= tables[kinds] if k.__name__ in kinds.split() else {}
    return names


def _fields(kind: type) -> Mapping[str, Any]:
    return getattr(kind, "__dataclass_fields__", {})


def _first_word(line: str) -> str:
    return re.split(r"\W", line)[0]


class Elsewhere:
    """A name that readers look for on a class where it is not: `Model.from_urdf`."""

    def __init__(self, line: str) -> None:
        self.line, self.names = line, list[str]()

    def __set_name__(self, owner: type, name: str) -> None:
        self.names.append(name)

    def __get__(self, value: Any, owner: type) -> Any:
        names = " or ".join(map(repr, self.names))
        raise AttributeError(f"{owner.__name__} has no {names}: here it is {self.line}")
