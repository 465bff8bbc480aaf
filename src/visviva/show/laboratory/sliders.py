"""Which numbers of a mechanism are sliders, what they are, and between which bounds they go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.describe.model.parameters import number_names
from visviva.equations.parameters.meaning import Meaning
from visviva.errors import ArgumentError, VisvivaError
from visviva.notation.names import Names
from visviva.notation.writing import page
from visviva.notation.writing.plain import text
from visviva.show.laboratory.subject import Subject
from visviva.show.scene.words import words_of

_MOST = 20  # sliders, where nobody says which; a page folds those after the tenth
_MOST_MASSES = 6
_TRIES = 6  # of a range whose end no body can have: halved so often

GRAVITY = "gravity"
# the range as multiples of the value; in this order they are chosen
_KINDS = {
    GRAVITY: (0.0, 2.5),
    "mass": (0.1, 4.0),
    "length": (0.3, 2.0),
    "angle": (0.0, 2.0),
    "stiffness": (0.0, 4.0),
    "damping": (0.0, 5.0),
    "friction": (0.0, 4.0),
    "rotor": (0.0, 4.0),
    "inertia": (0.2, 4.0),
    "number": (0.5, 2.0),
}
_BY_UNIT = {
    "kg": "mass",
    "m": "length",
    "rad": "angle",
    "N/m": "stiffness",
    "N s/m": "damping",
    "kg m²": "inertia",
}
# numbers of bodies and joints: what they are, and their unit
_OF_BODIES = {
    "m": ("mass of {}", "kg"),
    "cx": ("centre of mass of {}, along x", "m"),
    "cy": ("centre of mass of {}, along y", "m"),
    "cz": ("centre of mass of {}, along z", "m"),
    "I": ("moment of inertia of {}", "kg m²"),
    "damping": ("damping of joint {}", ""),
    "friction": ("dry friction of joint {}", ""),
    "armature": ("rotor at joint {}", ""),
}


@dataclass(frozen=True)
class Slider:
    """A number of the mechanism that a reader changes: `kind` is a word of `_KINDS`."""

    name: str
    label: str
    meaning: str
    kind: str
    unit: str
    value: float
    lower: float
    upper: float
    is_stated: bool  # whether the system as it was given has this parameter


def sliders_of(subject: Subject, names: Sequence[str] | None = None) -> tuple[Slider, ...]:
    """Those that are asked for, or those that a reader is most likely to try."""
    system = subject.smooth
    known = words_of(system)
    asked = (names,) if isinstance(names, str) else names
    wanted = _chosen(subject, known) if asked is None else tuple(dict.fromkeys(asked))
    _check_friction(subject, wanted)
    values = system.parameter_values(wanted) if wanted else np.zeros(0)
    labels = Names((), (*system.parameters, *wanted))
    made = []
    for name, value in zip(wanted, values.tolist(), strict=True):
        meaning = known.get(name) or _of_body(name)
        kind = _kind(subject, name, meaning)
        bounds = _bounds(subject, name, kind, value, is_asked=names is not None)
        if bounds is None:
            if names is None:
                continue
            raise ArgumentError(
                f"{name!r} of {system.name!r} cannot be a slider: no other value than {value:g} is "
                "possible while all else stays"
            )
        is_ours = subject.is_added and name == subject.gravity
        label = "g" if is_ours else text(page.Name(labels.parts(name)))
        words = GRAVITY if kind == GRAVITY else meaning.text
        made.append(Slider(name, label, words, kind, meaning.unit, value, *bounds, not is_ours))
    return tuple(made)


def _check_friction(subject: Subject, names: Sequence[str]) -> None:
    """Friction that jumps is the page's, rounded off: a number of it in a joint is no input."""
    own = subject.stated.parameters
    for name in names:
        if name.startswith("friction_") and name not in own:
            raise ArgumentError(
                f"{name!r} of {subject.stated.name!r} cannot be a slider: dry friction is rounded "
                "off in a laboratory; state the friction of the joint by a parameter of the model"
            )


def _kind(subject: Subject, name: str, meaning: Meaning) -> str:
    if name == subject.gravity:
        return GRAVITY
    first = meaning.text.partition(" ")[0]
    if meaning.text.startswith("dry friction"):
        return "friction"
    named = first in ("stiffness", "damping", "rotor")
    return first if named else _BY_UNIT.get(meaning.unit, "number")


def _of_body(name: str) -> Meaning:
    """Of the numbers of bodies and joints: m_link1, cx_link1, Ixx_link1, damping_elbow."""
    first, _, whose = name.partition("_")
    words, unit = _OF_BODIES.get("I" if first[:1] == "I" else first, ("{}", ""))
    return Meaning(unit, words.format(whose))


def _chosen(subject: Subject, known: dict[str, Meaning]) -> tuple[str, ...]:
    """Gravity first, then masses, lengths and the others, each in the order they were stated."""
    model = subject.smooth
    own = [name for name in model.parameters if name != subject.gravity]
    first = (subject.gravity,) if subject.gravity else ()
    if own or _is_formulas(model):
        order = list(_KINDS)
        ranked = sorted(own, key=lambda name: order.index(_kind(subject, name, known[name])))
        return (*first, *ranked)[:_MOST]
    bodies, called = model.numeric.bodies, number_names(model.bodies, model.parameters)
    masses = [(float(b.inertia.mass), x["m"]) for b, x in zip(bodies, called, strict=True)]
    heavy = sorted((m for m, _ in masses if m > 0), reverse=True)[:_MOST_MASSES]
    least = heavy[-1] if heavy else np.inf
    return (*first, *[name for m, name in masses if m >= least][:_MOST_MASSES])


def _is_formulas(system: Any) -> bool:
    return not getattr(system, "bodies", ())


def _bounds(
    subject: Subject, name: str, kind: str, value: float, is_asked: bool
) -> tuple[float, float] | None:
    """A range around the value in which every body is possible; None if there is none."""
    low, high = _KINDS[kind]
    if _is_formulas(subject.smooth) and kind != GRAVITY:
        low = max(low, 0.1)  # formulas may divide by it
    if kind == "angle":
        ends = [value - 0.5, value + 0.5]
    elif value == 0.0:
        if not is_asked:
            return None  # nothing says how large it could be
        ends = [-1.0, 1.0] if kind in ("length", "number") else [0.0, 1.0]
    else:
        ends = sorted((low * value, high * value))
    if kind == GRAVITY and value > 0:
        ends = [0.0, max(ends[1], 25.0)]
    for k, end in enumerate(ends):
        for _ in range(_TRIES):
            if _is_possible(subject.smooth, name, end):
                break
            end = (end + value) / 2
        else:
            end = value
        ends[k] = end
    return (ends[0], ends[1]) if ends[0] < ends[1] else None


def _is_possible(system: Any, name: str, x: float) -> bool:
    try:
        _ = system.with_parameters(**{name: x}).numeric
    except VisvivaError:
        return False
    return True
