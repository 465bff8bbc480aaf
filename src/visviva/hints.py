"""Calls that do not fit are refused with the line that does: our words, names that are there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from math import radians
from typing import Any, TypeVar, cast

from visviva.errors import WINDOW, ArgumentError, VisvivaError

Call = TypeVar("Call", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)

_DEGREES = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*(?:°|º|degrees?|deg)\s*")
_TURNS = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*(?:rpm|RPM|rev/min|1/min|U/min)\s*")
_PICTURES = (".svg", ".html", ".png", ".pdf", ".jpg")


def words_of_others(line: str, example: str = "", /, **ours: str) -> Callable[[Call], Call]:
    """A call that refuses words which are not its own with the line that has them, in ours.

    Where no single word does, the line stands in place of ours: `d="sphere(radius=d/2)"`. What does
    not fit the call at all is refused with all that it takes, and an `example`.

    Examples:
        >>> @words_of_others("sphere", r="radius")
        ... def sphere(radius):
        ...     return radius
        >>> sphere(r=2.0)
        Traceback (most recent call last):
            ...
        visviva.errors.ArgumentError: r= is no word of sphere: here it is sphere(radius=2.0)
    """

    def made(call: Call) -> Call:
        @wraps(call)
        def checked(*args: Any, **named: Any) -> Any:
            if other := [k for k in named if k in ours]:
                said = _said(call, args, {ours.get(k, k) for k in named})
                said += [f"{ours.get(k, k)}={as_typed(x)}" for k, x in named.items()]
                theirs, name = ", ".join(f"{k}=" for k in other), line.rpartition(".")[2]
                free = {*signature(call).parameters}
                if "on" in free and not any(x.startswith("on=") for x in said):  # whose frame
                    said.append("on='world'")
                whole = [ours[k] for k in other if "(" in ours[k]]
                here = whole[0] if whole else f"{line}({', '.join(said)})"
                raise ArgumentError(
                    f"{theirs} {'is no word' if len(other) == 1 else 'are no words'} of {name}: "
                    f"here it is {here}"
                )
            try:
                return call(*args, **named)
            except TypeError as error:
                if not isinstance(error, VisvivaError):
                    _check_fit(call, line, args, named, cast(Any, checked).example)
                raise

        cast(Any, checked).refuses, cast(Any, checked).example = True, example
        return cast(Call, checked)

    return made


def methods_of_others(called: str, **words: Mapping[str, str]) -> Callable[[Class], Class]:
    """A class whose methods, those named here, refuse words which are not theirs in the same way.

    What makes one, `__init__`, is called as the class is.
    """

    def made(kind: Class) -> Class:
        for name, ours in words.items():
            own: Any = vars(kind)[name]
            call = getattr(own, "__func__", own)
            first = called if call is not own else called.rpartition(".")[2].lower()
            line = called if name == "__init__" else f"{first}.{name}"
            plain = words_of_others(line, **ours)(call)
            setattr(kind, name, plain if plain.__wrapped__ is own else type(own)(plain))
        return kind

    return made


def _said(call: Callable[..., Any], args: Sequence[Any], taken: set[str]) -> list[str]:
    """Arguments by position; those at the place of a word that is said too become another word."""
    free = [*signature(call).parameters][_is_method(call) :]
    said, given = [], args[_is_method(call) :]
    for name, x in zip(free, given, strict=False):
        if name in taken:
            rest = [k for k in free[len(given) :] if k not in taken]
            said.append(f"{rest[0]}={as_typed(x)}" if rest else as_typed(x))
        else:
            said.append(as_typed(x))
    return [*said, *map(as_typed, given[len(free) :])]


def _is_method(call: Callable[..., Any]) -> bool:
    return next(iter(signature(call).parameters), "") in ("self", "cls")


def in_radians(x: Any) -> str:
    """What else is to be said of an angle in degrees or a speed in turns: its radians.

    Examples:
        >>> in_radians("30°")
        '; angles are in radians: 30° is 0.523598775598'
    """
    for text in x if isinstance(x, (list, tuple)) else [x]:
        if isinstance(text, str) and (match := _DEGREES.fullmatch(text)):
            return f"; angles are in radians: {match[1]}° is {radians(float(match[1])):.12g}"
        if isinstance(text, str) and (match := _TURNS.fullmatch(text)):
            rate = radians(float(match[1]) * 6)
            return f"; angles are in radians, speeds in rad/s: {text.strip()} is {rate:.12g}"
    return ""


def _check_fit(
    call: Callable[..., Any], line: str, args: Any, named: Mapping[str, Any], example: str
) -> None:
    """Refuse arguments that a call cannot take, with those that it takes and a line that works."""
    try:
        signature(call).bind(*args, **named)
    except TypeError as why:
        _refuse_positions(call, line, args, named)
        _refuse_values(call, line, args, named)
        _refuse_places(call, line, args, named)
        taken = list(signature(call).parameters.values())[_is_method(call) :]
        own = [x for x in taken if not x.name.startswith("_")]
        said = str(Signature([x.replace(annotation=Parameter.empty) for x in own]))
        way = f"; a line that works: {filled(example, [*args, None][0])}" if example else ""
        raise ArgumentError(f"{line}{said}: {why}{way}") from None


def filled(line: str, system: Any) -> str:
    """A line with names of the system, or of the one that a motion is of, in it."""
    s = getattr(system, "system", system)
    names: dict[str, Callable[[], Any]] = {
        "frame": lambda: ["tool", *s.frame_names][-1],
        "joint": lambda: [*s.joint_names, "joint"][0],
        "last": lambda: ["joint", *s.joint_names][-1],
        "body": lambda: [*s.body_names, "body"][0],
        "parameter": lambda: [*s.parameter_names, "m"][0],
        "coordinate": lambda: [*s.coordinate_names, "q1"][0],
        "velocity": lambda: [*s.velocity_names, "qd1"][0],
        "q": lambda: _position(s),
        "singular": lambda: _of_loops(s, "singularities({f!r})", "singularity({f!r}, {q})"),
        "reach": lambda: _of_loops(s, "workspace({f!r})", "coupler_curve({f!r}, {j!r})"),
    }
    return line.format(**{k: x() for k, x in names.items() if f"{{{k}" in line})


def _of_loops(system: Any, line: str, held: str) -> str:
    """One line of trees, another of what constraints hold."""
    f, j = ["tool", *system.frame_names][-1], [*system.joint_names, "joint"][0]
    chosen = held if system.held_by else line
    return chosen.format(f=f, j=j, q=_position(system))


def _position(system: Any) -> str:
    """Some position of a system as it is typed: one where loops are closed."""
    if getattr(system, "held_by", ()):
        return "model.assembled()"
    return "model.q()" if system.nq != system.nv else str([0.0] * system.nq)


def _refuse_positions(call: Any, line: str, args: Any, named: Mapping[str, Any]) -> None:
    """Coordinates among the words of a call, as q takes them."""
    owner = args[0] if _is_method(call) else None
    there = {*getattr(owner, "joint_names", ()), *getattr(owner, "coordinates", ())}
    if places := [f"{k}={as_typed(x)}" for k, x in named.items() if k in there]:
        others = [f"{k}={as_typed(x)}" for k, x in named.items() if k not in there]
        made = "assembled" if getattr(owner, "held_by", ()) else "q"
        said = ", ".join([f"model.{made}({', '.join(places)})", *others])
        raise ArgumentError(f"positions by name are made by {made}: here it is {line}({said})")


def _refuse_values(call: Any, line: str, args: Any, named: Mapping[str, Any]) -> None:
    """Values of parameters among the words of a call, as with_parameters takes them."""
    owner = args[0] if _is_method(call) else None
    there = {*getattr(owner, "parameter_names", ())}
    put = {k: x for k, x in named.items() if k in there}
    put |= {str(k): y for x in named.values() if isinstance(x, Mapping) for k, y in x.items()}
    ends = [f"{k!r}, between={as_typed(x)}" for k, x in put.items() if isinstance(x, (tuple, list))]
    if len(put) == len(ends) == 1 and "between" in signature(call).parameters:
        more = [*ends, *(f"{k}={as_typed(x)}" for k, x in named.items() if k not in put)]
        raise ArgumentError(f"a parameter is named: here it is {line}({', '.join(more)})")
    if put and there.issuperset(put):
        others = [
            f"{k}={as_typed(x)}"
            for k, x in named.items()
            if k not in there and not isinstance(x, Mapping)
        ]
        said = ", ".join(f"{k}={str(x)!r}" for k, x in put.items())
        first, _, verb = line.rpartition(".")
        raise ArgumentError(
            "values and formulas are put in before: here it is "
            f"{first}.with_parameters({said}).{verb}({', '.join(others)})"
        )


def _refuse_places(call: Any, line: str, args: Any, named: Mapping[str, Any]) -> None:
    """A file where something is drawn; what is asked of a frame that is not named."""
    given = args[_is_method(call) :]
    first = next(iter([*signature(call).parameters][_is_method(call) :]), "")
    if line.endswith(".plot") and given and str(given[0]).lower().endswith(_PICTURES):
        raise ArgumentError(f"plot draws, save writes: here it is {line}().save({given[0]!r})")
    if line.endswith(".plot") and "against" in named and given:
        here = f"{line}(x={as_typed(named['against'])}, y={as_typed(given[0])})"
        raise ArgumentError(f"one over another: here it is {here}")
    if first == "frame1" and len(given) == 3 and "joint" in named:
        said = [*map(as_typed, given[1:]), *(f"{k}={as_typed(x)}" for k, x in named.items())]
        here = f"{line}({', '.join(said)}, name={as_typed(given[0])})"
        raise ArgumentError(f"two frames come first, a name is a word: here it is {here}")
    if line.endswith(".with_frame") and len(given) == 3 and isinstance(given[1], str):
        here = f"{line}({given[0]!r}, {as_typed(given[2])}, on={given[1]!r})"
        raise ArgumentError(f"a pose comes second: here it is {here}")
    if first == "positions" and given:
        names = getattr(args[0], "joint_names", ())
        places = [*zip(names, given, strict=False)]
        if isinstance(given[0], (list, tuple)) and all(isinstance(x, str) for x in given[0]):
            places = [(x, 0.0) for x in given[0]]  # names of joints
        here = ", ".join(f"{k}={as_typed(x)}" for k, x in places)
        raise ArgumentError(f"positions are by names, or one list: here it is {line}({here})")
    if first == "frame" and given and not isinstance(given[0], str):
        frame = ["tool", *getattr(args[0], "frame_names", ())][-1]
        said = [repr(frame), *map(as_typed, given)]
        said += [f"{k}={as_typed(x)}" for k, x in named.items()]
        raise ArgumentError(f"the frame comes first: here it is {line}({', '.join(said)})")


def as_typed(x: Any) -> str:
    """An argument as it is typed; of arrays, their numbers, unless they are many; a function, f."""
    if callable(x):
        name = str(getattr(x, "__name__", ""))
        return name if name.isidentifier() else "f"
    numbers = getattr(x, "tolist", None)
    said = repr(x if numbers is None else numbers())
    return said if len(said) <= 2 * WINDOW else "..."
