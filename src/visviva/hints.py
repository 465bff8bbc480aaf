"""What messages of errors are made of: values as they are typed, names of the system at hand.

And the calls whose intent is plain though they do not fit: one function for each, in `MISFITS`.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from inspect import Parameter, Signature
from math import radians
from string import Formatter
from typing import Any

from visviva.errors import WINDOW

_DEGREES = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*(?:°|º|degrees?|deg)\s*")
_TURNS = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*(?:rpm|RPM|rev/min|1/min|U/min)\s*")
_PICTURES = (".svg", ".html", ".png", ".pdf", ".jpg")
_MODEL_FILES = (
    (".urdf", ".xml", ".mjcf", ".toml"),
    ("a Model is made of bodies, load reads files", "vv.load({path!r})"),
)
_MOTION_FILES = (
    (".npz", ".nc", ".csv", ".run"),
    ("a Trajectory is made of samples, not of a file", "vv.load_trajectory({path!r})"),
)
Advice = tuple[str, str]  # a problem in words, and a line that works, "" if none is known


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


def names_filled_in(line: str, owner: Any, **others: str) -> str:
    """A line with names of a system in it: of the owner, or of the system that it is of."""
    system = getattr(owner, "system", owner)
    names = {field: _FIELD_VALUES[field](system) for field in _fields(line) - others.keys()}
    return line.format(**names, **others)


def names_left_open(line: str) -> str:
    """A line for any system: frame_pose(frame, q).

    Examples:
        >>> names_left_open("model.locked({{{joint!r}: 0.3}})")
        'model.locked({joint: 0.3})'
    """
    return line.format(**{field: _Word(field) for field in _fields(line)})


def _fields(line: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(line) if field}


class _Word(str):
    """A text without quotes."""

    def __repr__(self) -> str:
        return str(self)


# what the fields of a line become; the other name is for a system that has none
_FIELD_VALUES: dict[str, Callable[[Any], Any]] = {
    "frame": lambda s: ["tool", *s.frame_names][-1],
    "joint": lambda s: [*s.joint_names, "joint"][0],
    "last": lambda s: ["joint", *s.joint_names][-1],
    "body": lambda s: [*s.body_names, "body"][0],
    "parameter": lambda s: [*s.parameter_names, "m"][0],
    "coordinate": lambda s: [*s.coordinate_names, "q1"][0],
    "velocity": lambda s: [*s.velocity_names, "qd1"][0],
    "q": lambda s: position_typed(s),
}


def position_typed(system: Any) -> str:
    """Some position of a system as it is typed: one where loops are closed."""
    if getattr(system, "held_by", ()):
        return "model.assembled()"
    return "model.q()" if system.nq != system.nv else str([0.0] * system.nq)


def as_typed(x: Any, name: str = "") -> str:
    """An argument as it is typed; what is long, or no number or text, is called by a name."""
    if callable(x) and not is_dataclass(x):
        name = str(getattr(x, "__name__", ""))
        return name if name.isidentifier() else "f"
    text = repr(_plain(x))
    try:
        literal_eval(text)
    except (ValueError, SyntaxError):
        text = ""
    stand_in = type(x).__name__.lower() if is_dataclass(x) else "x"
    return text if 0 < len(text) <= 2 * WINDOW else name or stand_in


def _plain(x: Any) -> Any:
    """Python's own numbers in place of numpy's."""
    if isinstance(x, (list, tuple)):
        return [*map(_plain, x)] if isinstance(x, list) else tuple(map(_plain, x))
    if isinstance(x, Mapping):
        return {k: _plain(y) for k, y in x.items()}
    numbers = getattr(x, "tolist", None)
    return x if numbers is None else numbers()


# ---- calls that do not fit, and what they are meant to do


@dataclass(frozen=True)
class Call:
    """A call that does not fit, as it was typed."""

    line: str  # what is called: "model.simulate", "vv.load"
    owner: Any  # the value whose method it is; None of functions and classes
    arguments: Sequence[Any]  # those by place
    keywords: Mapping[str, Any]
    parameters: Sequence[Parameter]

    @property
    def names(self) -> list[str]:
        """What its arguments are called."""
        return [x.name for x in self.parameters]

    @property
    def first(self) -> str:
        """What its first argument is called."""
        return next(iter(self.names), "")

    @property
    def verb(self) -> str:
        """What is called, without that of which it is asked."""
        return self.line.rpartition(".")[2]

    @property
    def takes(self) -> str:
        """What it takes, as Python writes it."""
        public = [x for x in self.parameters if not x.name.startswith("_")]
        return str(Signature([x.replace(annotation=Parameter.empty) for x in public]))

    def names_of_owner(self, kind: str) -> Sequence[str]:
        """Names of joints, frames or parameters of the owner, if it has such."""
        names: Sequence[str] = getattr(self.owner, kind, ())
        return names

    def typed(self, arguments: Sequence[Any], keywords: Mapping[str, Any], *defaults: str) -> str:
        """The call with these arguments; "" if it would be refused in turn."""
        defaults_by_name = {x.partition("=")[0]: "" for x in defaults}
        try:
            bound = Signature(self.parameters).bind(*arguments, **keywords, **defaults_by_name)
        except TypeError:
            return ""
        texts = [x.name for x in self.parameters if x.annotation in (str, "str")]
        if not all(isinstance(bound.arguments.get(name, ""), str) for name in texts):
            return ""
        return f"{self.line}({arguments_typed(arguments, keywords, *defaults)})"


def arguments_typed(arguments: Sequence[Any], keywords: Mapping[str, Any], *defaults: str) -> str:
    """Arguments as they are typed."""
    by_name = (f"{k}={as_typed(x, k)}" for k, x in keywords.items())
    return ", ".join([*map(as_typed, arguments), *by_name, *defaults])


def known_misfit(call: Call) -> Advice | None:
    """What is said of a call whose intent is plain, and the line that does it; None of others."""
    advice = (misfit(call) for misfit in MISFITS)
    return next((x for x in advice if x and x[1]), None)


def file_in_place_of_bodies(call: Call) -> Advice | None:
    """A model is made of bodies, a motion of samples: files are read by other functions."""
    reader = {"vv.Model": _MODEL_FILES, "vv.Trajectory": _MOTION_FILES}.get(call.line)
    if reader is None or len(call.arguments) != 1:
        return None
    endings, (problem, line) = reader
    path = str(call.arguments[0])
    return (problem, line.format(path=path)) if path.endswith(endings) else None


def positions_by_name(call: Call) -> Advice | None:
    """Coordinates by name are made into q first."""
    names = {*call.names_of_owner("joint_names"), *call.names_of_owner("coordinates")}
    positions = {k: x for k, x in call.keywords.items() if k in names}
    if not positions:
        return None
    maker = "assembled" if call.names_of_owner("held_by") else "q"
    q = f"model.{maker}({arguments_typed((), positions)})"
    others = arguments_typed((), {k: x for k, x in call.keywords.items() if k not in names})
    line = f"{call.line}({', '.join(filter(None, (q, others)))})"
    return f"positions by name are made by {maker}", line


def range_of_a_parameter(call: Call) -> Advice | None:
    """A parameter between two values is named by a text."""
    ranges = {k: x for k, x in _values(call).items() if isinstance(x, (tuple, list))}
    if len(_values(call)) != 1 or len(ranges) != 1 or "between" not in call.names:
        return None
    ((name, ends),) = ranges.items()
    others = {k: x for k, x in call.keywords.items() if k != name}
    return "a parameter is named", call.typed([name], {"between": ends, **others})


def values_of_parameters(call: Call) -> Advice | None:
    """Values of parameters are put in first."""
    values, names = _values(call), call.names_of_owner("parameter_names")
    if not values or not {*names}.issuperset(values):
        return None
    others = {
        k: x for k, x in call.keywords.items() if k not in names and not isinstance(x, Mapping)
    }
    owner, _, verb = call.line.rpartition(".")
    put = ", ".join(f"{k}={str(x)!r}" for k, x in values.items())
    line = f"{owner}.with_parameters({put}).{verb}({arguments_typed((), others)})"
    return "values and formulas are put in before", line


def _values(call: Call) -> dict[str, Any]:
    """Values of parameters among the keywords, one by one and in mappings."""
    names = call.names_of_owner("parameter_names")
    values = {k: x for k, x in call.keywords.items() if k in names}
    mappings = (x for x in call.keywords.values() if isinstance(x, Mapping))
    return values | {str(k): x for mapping in mappings for k, x in mapping.items()}


def file_to_draw_into(call: Call) -> Advice | None:
    """A plot is saved by its own method."""
    path = str(call.arguments[0]).lower() if call.arguments else ""
    if call.verb != "plot" or not path.endswith(_PICTURES):
        return None
    return "plot draws, save writes", f"{call.line}().save({call.arguments[0]!r})"


def one_against_another(call: Call) -> Advice | None:
    """What is plotted against what is said by x and y."""
    if call.verb != "plot" or "against" not in call.keywords or not call.arguments:
        return None
    line = call.typed((), {"x": call.keywords["against"], "y": call.arguments[0]})
    return "one over another", line


def name_before_frames(call: Call) -> Advice | None:
    """Frames come first; a name is a keyword."""
    if call.first != "frame1" or len(call.arguments) != 3 or "joint" not in call.keywords:
        return None
    line = call.typed(call.arguments[1:], {**call.keywords, "name": call.arguments[0]})
    return "two frames come first, a name is a word", line


def frame_before_pose(call: Call) -> Advice | None:
    """The frame that carries a frame is a keyword."""
    if (
        call.verb != "with_frame"
        or len(call.arguments) != 3
        or not isinstance(call.arguments[1], str)
    ):
        return None
    name, frame, pose = call.arguments
    return "a pose comes second", call.typed([name, pose], {"on": frame})


def positions_by_place(call: Call) -> Advice | None:
    """Positions are one list, or by the names of joints."""
    first = call.arguments[0] if call.arguments else ""
    if call.first != "positions" or isinstance(first, str):
        return None
    if isinstance(first, (list, tuple)) and all(isinstance(x, str) for x in first):
        positions = dict.fromkeys(first, 0.0)  # names of joints
    else:
        positions = dict(zip(call.names_of_owner("joint_names"), call.arguments, strict=False))
    return "positions are by names, or one list", call.typed((), positions)


def no_frame_first(call: Call) -> Advice | None:
    """What is asked of a frame begins with its name."""
    if call.first != "frame" or not call.arguments or isinstance(call.arguments[0], str):
        return None
    frame = ["tool", *call.names_of_owner("frame_names")][-1]
    return "the frame comes first", call.typed([frame, *call.arguments], call.keywords)


MISFITS = (
    file_in_place_of_bodies,
    positions_by_name,
    range_of_a_parameter,
    values_of_parameters,
    file_to_draw_into,
    one_against_another,
    name_before_frames,
    frame_before_pose,
    positions_by_place,
    no_frame_first,
)
