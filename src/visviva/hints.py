"""What messages of errors are made of: arguments as they are typed, names of the system at hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from inspect import Signature
from math import radians
from typing import Any

from visviva.errors import WINDOW, ArgumentError

_DEGREES = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*(?:°|º|degrees?|deg)\s*")
_TURNS = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*(?:rpm|RPM|rev/min|1/min|U/min)\s*")
_PICTURES = (".svg", ".html", ".png", ".pdf", ".jpg")


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


def names_filled_in(line: str, system: Any) -> str:
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


def refuse_known_misfits(
    line: str, owner: Any, given: Sequence[Any], named: Mapping[str, Any], takes: Signature
) -> None:
    """Refuse calls whose intent is plain with the line that does it."""
    _refuse_files(line, given)
    _refuse_positions(line, owner, named)
    _refuse_values(line, owner, named, takes)
    _refuse_order(line, owner, given, named, takes)


def _refuse_files(line: str, given: Sequence[Any]) -> None:
    """A file in place of what a model or a motion is made of."""
    ending = re.search(r"\.(\w+)$", str(given[0])) if len(given) == 1 else None
    if line == "vv.Model" and ending and ending[1] in ("urdf", "xml", "mjcf", "toml"):
        here = f"vv.load({str(given[0])!r})"
        raise ArgumentError(f"a Model is made of bodies, load reads files: here it is {here}")
    if line == "vv.Trajectory" and ending and ending[1] in ("npz", "nc", "csv", "run"):
        raise ArgumentError(f"files are read by vv.load_trajectory({str(given[0])!r})")


def _refuse_positions(line: str, owner: Any, named: Mapping[str, Any]) -> None:
    """Coordinates by name are made into q first."""
    there = {*getattr(owner, "joint_names", ()), *getattr(owner, "coordinates", ())}
    if places := [f"{k}={as_typed(x)}" for k, x in named.items() if k in there]:
        others = [f"{k}={as_typed(x)}" for k, x in named.items() if k not in there]
        made = "assembled" if getattr(owner, "held_by", ()) else "q"
        said = ", ".join([f"model.{made}({', '.join(places)})", *others])
        raise ArgumentError(f"positions by name are made by {made}: here it is {line}({said})")


def _refuse_values(line: str, owner: Any, named: Mapping[str, Any], takes: Signature) -> None:
    """Values of parameters are put in first."""
    there = {*getattr(owner, "parameter_names", ())}
    put = {k: x for k, x in named.items() if k in there}
    put |= {str(k): y for x in named.values() if isinstance(x, Mapping) for k, y in x.items()}
    ends = [f"{k!r}, between={as_typed(x)}" for k, x in put.items() if isinstance(x, (tuple, list))]
    if len(put) == len(ends) == 1 and "between" in takes.parameters:
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


def _refuse_order(
    line: str, owner: Any, given: Sequence[Any], named: Mapping[str, Any], takes: Signature
) -> None:
    """Arguments in another order; a file where something is drawn."""
    first = next((x for x in takes.parameters if x not in ("self", "cls")), "")
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
        names = getattr(owner, "joint_names", ())
        places = [*zip(names, given, strict=False)]
        if isinstance(given[0], (list, tuple)) and all(isinstance(x, str) for x in given[0]):
            places = [(x, 0.0) for x in given[0]]  # names of joints
        here = ", ".join(f"{k}={as_typed(x)}" for k, x in places)
        raise ArgumentError(f"positions are by names, or one list: here it is {line}({here})")
    if first == "frame" and given and not isinstance(given[0], str):
        frame = ["tool", *getattr(owner, "frame_names", ())][-1]
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
