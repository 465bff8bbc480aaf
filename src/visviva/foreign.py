"""Errors that answer in the reader's own words: names and keywords of other libraries.

Whoever types `arm.rnea`, `arm.simulate(q0, t_end=5)` or `arm.gravity = …` gets an error with the
line that does it here. The names are data, in `foreign_names.toml`; the file is read when such an
error is certain, never before. A class or a function takes part by one word:

    @explained
    @dataclass(frozen=True)
    class Linearization: ...
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError
from difflib import get_close_matches
from functools import cache, partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

from visviva.errors import (
    ArgumentError,
    LateError,
    MissingAttributeError,
    ReadOnlyError,
    VisvivaError,
)
from visviva.hints import Advice, Call, as_typed, known_misfit, names_filled_in

T = TypeVar("T", bound=Callable[..., Any])


# ---- the file of names


@cache
def table() -> dict[str, Any]:
    """The file, by the names of others: {"attributes": {"System": {"rnea": line, …}, …}, …}."""
    import tomllib

    text = (Path(__file__).parent / "foreign_names.toml").read_text(encoding="utf-8")
    sections: dict[str, Any] = tomllib.loads(text)
    for name in ("attributes", "keywords", "remarks", "values", "assigned"):
        sections[name] = _by_owner(sections[name])
    for name in ("package", "pencil"):
        sections[name] = _by_name(sections[name])
    return sections


def _by_owner(section: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The rows of each class or call; a heading may name several."""
    owners: dict[str, dict[str, str]] = {}
    for heading, rows in section.items():
        for owner in heading.split():
            owners.setdefault(owner, {}).update(_by_name(rows))
    return owners


def _by_name(rows: Mapping[str, str]) -> dict[str, str]:
    return {name: line for line, names in rows.items() for name in names.split()}


def lines_of_class(section: str, kind: type, situation: str = "") -> dict[str, str]:
    """Lines by the names of others, of a class and its bases; the class itself comes first.

    `situation` "Constrained" puts the rows of ConstrainedSystem before those of System.
    """
    rows, bases = table()[section], [k.__name__ for k in reversed(kind.__mro__)]
    lines: dict[str, str] = {}
    for heading in dict.fromkeys([*bases, *(situation + base for base in bases)]):
        lines |= rows.get(heading, {})
    return lines


def name_of_value(kind: type) -> str:
    """What lines call a value of a class: model, run, lin; else the class in small letters."""
    names: Mapping[str, str] = table()["called"]
    bases = (k.__name__ for k in kind.__mro__)
    return next((names[k] for k in bases if k in names), kind.__name__.lower())


def our_value(keyword: str, value: Any) -> Any:
    """What a value of a keyword is called here, if another library's name for it is known."""
    names: Mapping[str, str] = table()["values"].get(keyword, {})
    if isinstance(value, str) and value in names.values():
        return value
    return names.get(str(value).rpartition(".")[2].upper(), value)  # LOCAL, ReferenceFrame.LOCAL


# ---- spelling


def line_for(name: str, lines: Mapping[str, str]) -> str:
    """The line of a name, which may be written nameOfWords, NAME, get_name or mj_name."""
    bare = without_prefix(name)
    for spelling in (name, name.lower(), snake_case(name), bare, bare.replace("_", "")):
        if spelling in lines:
            return lines[spelling]
    if bare == name:
        return ""
    run_together = {x.replace("_", ""): line for x, line in lines.items()}
    return run_together.get(bare.replace("_", ""), "")


def snake_case(name: str) -> str:
    """name_of_rnea_words of NameOfRNEAWords."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def without_prefix(name: str) -> str:
    """The same without get_, compute_, mj_."""
    return re.sub(r"^(?:get|compute|calc|update|mj)_", "", snake_case(name))


# ---- attributes


def missing_attribute(
    value: Any,
    name: str,
    situation: str = "",
    part: str = "",
    call_of: Callable[[str], str] = str,
) -> Advice:
    """What an AttributeError says: the line that does the same, or the nearest name.

    `part` is the line of a part of the value that is called so. `call_of` writes an attribute of
    the value as it is used: mass_matrix(q).
    """
    kind = type(value)
    message = f"{'an' if kind.__name__[0] in 'AEIO' else 'a'} {kind.__name__} has no {name!r}"
    if line := line_for(name, lines_of_class("attributes", kind, situation)):
        return message, names_filled_in(line, value)
    names = sorted(x for x in {*dir(kind), *_fields(kind)} if not x.startswith("_"))
    spellings = (x for x in (snake_case(name), without_prefix(name)) if x in names)
    if part or (attribute := next(spellings, "")):
        return message, f"{name_of_value(kind)}.{part or call_of(attribute)}"
    close = get_close_matches(name, names, n=1)
    return message + (f"; did you mean {close[0]!r}?" if close else ""), ""


def _refuse_attribute(self: Any, name: str) -> Any:
    kind = type(self)
    if name.startswith("_") or name in dir(kind) or name in _fields(kind):
        return object.__getattribute__(self, name)  # its own error
    raise LateError(missing_attribute, self, name)


def _explain_assignments(assign: Callable[..., None]) -> Callable[..., None]:
    """`__setattr__` of a frozen class, whose error has the line that makes another value."""

    @wraps(assign)
    def set_attribute(self: Any, name: str, value: Any) -> None:
        try:
            assign(self, name, value)
        except FrozenInstanceError:
            problem, line = _frozen_attribute(self, name, value)
            raise ReadOnlyError(problem, cure=line) from None

    return set_attribute


def _frozen_attribute(owner: Any, name: str, value: Any) -> Advice:
    """What is said where an attribute was set: the line that makes another value."""
    kind, source = type(owner), as_typed(value, name)
    variable = name_of_value(kind)
    line = lines_of_class("assigned", kind).get(name, "")
    if line:
        line = names_filled_in(line, owner, value=source)
    elif name in getattr(owner, "parameter_names", ()):
        line = f"{variable} = {variable}.with_parameters({name}={source})"
    elif name in _fields(kind):
        copy = f"dataclasses.replace({variable}, {name}={source})"
        line = f"import dataclasses; {variable} = {copy}"
    message = f"{name!r} cannot be set, a {kind.__name__} stays as it is"
    if line:
        return message, line
    makers = ", ".join(x for x in dir(kind) if x.startswith(("with_", "without_")))
    return message + (f"; others are made by {makers}" if makers else ""), ""


class Elsewhere:
    """A name that readers look for on a class where it is not: `Model.from_urdf`."""

    def __init__(self, line: str) -> None:
        self.line, self.name = line, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, value: Any, owner: type) -> Any:
        raise MissingAttributeError(f"{owner.__name__} has no {self.name!r}", cure=self.line)


def not_compiled(line: str) -> Callable[[T], T]:
    """A method that runs in Python: asked for code, it names the compiled function that has it."""

    def decorate(method: T) -> T:
        def refuse(part: str, *_: Any, **__: Any) -> Any:
            raise ArgumentError(f"{method.__name__} is not compiled", cure=f"{line}.{part}")

        for part in ("c_source()", "js_source()", "to_jax()", "to_casadi()", 'jacobian("q")'):
            setattr(method, part.partition("(")[0], partial(refuse, part))
        return method

    return decorate


# ---- classes and functions that take part


def explained(x: T) -> T:
    """A class or function whose errors name the line that works.

    Of a class: attributes that it does not have, calls of its methods that do not fit, and
    assignments where it is frozen. Nothing is looked up before an error is certain.
    """
    if isinstance(x, type):
        _explain_class(x)
        return cast(T, x)
    return cast(T, _explain_misfits(x, f"vv.{x.__name__}"))


def explained_as(line: str, bound: int = 0) -> Callable[[T], T]:
    """The same for a function that is elsewhere than in `vv`, or for `__init__` with bound=1."""

    def decorate(f: T) -> T:
        return cast(T, _explain_misfits(f, line, bound))

    return decorate


def _explain_class(kind: type) -> None:
    for name, member in [*vars(kind).items()]:
        line = f"vv.{kind.__name__}.{name}"
        if name == "__init__":
            setattr(kind, name, _explain_misfits(member, f"vv.{kind.__name__}", bound=1))
        elif name.startswith("_"):
            continue
        elif isinstance(member, FunctionType):
            setattr(kind, name, _explain_misfits(member, "", bound=1))
        elif isinstance(member, staticmethod):
            setattr(kind, name, staticmethod(_explain_misfits(member.__func__, line)))
        elif isinstance(member, classmethod):
            setattr(kind, name, classmethod(_explain_misfits(member.__func__, line, bound=1)))
    if "__getattr__" not in dir(kind):
        kind.__getattr__ = _refuse_attribute  # type: ignore[attr-defined]
    if "__setattr__" in vars(kind):  # frozen
        kind.__setattr__ = _explain_assignments(kind.__setattr__)  # type: ignore[method-assign]


def _fields(kind: type) -> Mapping[str, Any]:
    return getattr(kind, "__dataclass_fields__", {})


# ---- calls that do not fit


def _explain_misfits(f: Callable[..., Any], line: str, bound: int = 0) -> Callable[..., Any]:
    """`f`, with an ArgumentError in place of a TypeError where its arguments do not fit.

    It is typed as `line`; a method, which has none, as the value that it is asked of. The first
    `bound` arguments are not typed: self, cls.
    """

    @wraps(f)
    def call(*args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        try:
            return f(*args, **keywords)
        except (TypeError, VisvivaError):
            _refuse_misfit(f, line, bound, args, keywords)
            raise  # it fitted: the error is its own

    return call


def _refuse_misfit(
    f: Callable[..., Any], line: str, bound: int, args: tuple[Any, ...], keywords: dict[str, Any]
) -> None:
    """Raise an ArgumentError with a line that works, if the arguments do not fit."""
    takes = signature(f)
    try:
        takes.bind(*args, **keywords)
        problem = ""
    except TypeError as error:
        problem = str(error)
    unknown = _unknown_keywords(takes, len(args), keywords)
    if not (problem or unknown):
        return
    owner = None if line else args[0]
    line = line or f"{name_of_value(type(owner))}.{f.__name__}"
    call = Call(line, owner, args[bound:], keywords, [*takes.parameters.values()][bound:])
    advice = _in_our_keywords(call, unknown)
    if problem and not advice:
        advice = known_misfit(call) or _example(call, f"{line}{call.takes}: {problem}")
    if advice:
        raise ArgumentError(advice[0], cure=advice[1]) from None


def _unknown_keywords(takes: Signature, count: int, keywords: Mapping[str, Any]) -> list[str]:
    """Keywords that are no parameter, or one that `count` arguments by place have taken."""
    kinds = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    names = [x.name for x in takes.parameters.values() if x.kind not in kinds]
    places = [k for k in names if takes.parameters[k].kind is not Parameter.KEYWORD_ONLY]
    return [k for k in keywords if k not in names or k in places[:count]]


def _in_our_keywords(call: Call, unknown: list[str]) -> Advice | None:
    """The call in our keywords, None if no keyword of others is among them."""
    rows = table()["keywords"].get(call.line, {})
    remarks: Mapping[str, str] = table()["remarks"].get(call.line, {})
    our_keywords = {k: rows[k] for k in unknown if k in rows}
    if remark := next((remarks[k] for k in unknown if k in remarks), ""):
        return remark, ""
    if not our_keywords:
        return None
    their_keywords = ", ".join(f"{k}=" for k in our_keywords)
    verb = "is no word" if len(our_keywords) == 1 else "are no words"
    problem = f"{their_keywords} {verb} of {call.verb}"
    for k, line in our_keywords.items():
        if not line.isidentifier():
            value = as_typed(call.keywords[k], k)
            return problem, names_filled_in(line, call.owner, value=value)
    line = _rename_keywords(call, our_keywords)
    advice = "" if line else f"; write {', '.join(f'{x}=' for x in our_keywords.values())}"
    return problem + advice, line


def _rename_keywords(call: Call, our_names: Mapping[str, str]) -> str:
    """The call with keywords renamed; arguments by place that are in their way move on."""
    keywords = {our_names.get(k, k): x for k, x in call.keywords.items()}
    keywords = {k: our_value(k, x) for k, x in keywords.items()}
    free = iter([k for k in call.names[len(call.arguments) :] if k not in keywords])
    arguments, by_name = [*call.arguments[len(call.names) :]], dict[str, Any]()
    for name, x in zip(call.names, call.arguments, strict=False):
        if name in keywords:
            by_name[next(free, name)] = x
        elif by_name:
            by_name[name] = x
        else:
            arguments.append(x)
    keywords = by_name | keywords
    examples = table()["required"].get(call.line, {})
    defaults = [f"{k}={source}" for k, source in examples.items() if k not in keywords]
    return call.typed(arguments, keywords, *defaults)


def _example(call: Call, problem: str) -> Advice:
    """With a line that works of what is called, if there is one.

    It cures a call without arguments only: of others it does not do what they ask for.
    """
    examples = table()["examples"]
    if call.names_of_owner("held_by"):
        examples = examples | table()["constrained_examples"]
    if not call.names_of_owner("body_names"):
        examples = examples | table()["examples_without_bodies"]
    line = names_filled_in(examples.get(call.line, ""), call.owner)
    if line and (call.arguments or call.keywords):
        return f"{problem}; for example {line}", ""
    return problem, line
