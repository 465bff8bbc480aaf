"""What the functions of a mechanism cost: operations, compiling, one call, many states at once."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing.digits import number
from visviva.errors import VisvivaError
from visviva.show.page.escaping import escaped
from visviva.show.page.parts import table
from visviva.show.speed.timing import TIMES, repeated, shortest, this_machine
from visviva.show.study.part import NotHereError, Part, small
from visviva.show.study.studied import Studied

_FUNCTIONS = (
    ("inverse_dynamics", "forces from accelerations"),
    ("forward_dynamics", "accelerations from forces"),
    ("mass_matrix", "M"),
    ("coriolis_matrix", "C"),
    ("gravity_forces", "g"),
    ("constraint_matrix", "A"),
    ("kinetic_energy", "kinetic energy"),
)
_STATES = 4096  # in a batch
_LARGE = 20_000  # operations of what is still compiled for the table


def costs(s: Studied) -> Part:
    """Counted and measured now, on this machine."""
    rows, data = [], {}
    for name, what in _FUNCTIONS:
        found = _measured(s, name)
        if found is None:
            continue
        f, one, many = found
        count = f.operations
        rows.append(
            [
                escaped(what) + f" <code>{name}</code>",
                str(count.multiplications),
                str(count.additions),
                str(count.total() - count.multiplications - count.additions),
                number(f.compile_seconds, digits=2),
                number(one * 1e6, digits=2),
                number(many * 1e9, digits=2),
            ]
        )
        data[name] = {"operations": count.total(), "one": one, "many": many}
    if not rows:
        raise NotHereError("None of its functions could be measured.")
    head = ["Function", "Products", "Sums", "Other", "Compile [s]", "One call [µs]"]
    html = table([*head, "A state of many [ns]"], rows, html=True)
    html += small(
        "Functions are compiled when they are first called and kept on disk; then the first call "
        f"takes milliseconds. “Of many” is a state of {_STATES} that one call computes together."
    )
    facts = {}
    if "inverse_dynamics" in data:
        seconds = data["inverse_dynamics"]["many"]
        facts["for one inverse dynamics, in a batch"] = number(seconds * 1e9, "ns", 2)
    lines = (
        "f = system.inverse_dynamics",
        "print(f.operations, f.compile_seconds)",
        f"# many states at once: f(q, v, a) with arrays of shape ({_STATES}, {s.system.nv})",
    )
    lead = f"Counted, and measured while this page was made: {where_measured()}, one thread."
    about = {"functions": data, "machine": this_machine()}
    return Part(lead, html, lines, data=about, facts=facts)


def where_measured() -> str:
    """The processor, its cores, the system and Python, in a few words."""
    x = this_machine()
    return f"{x['processor']}, {x['cores']} cores, {x['system']}, Python {x['python']}"


def _measured(s: Studied, name: str) -> tuple[Any, float, float] | None:
    """The function, seconds of one call, and seconds of a state among many."""
    try:
        f = getattr(s.system, name)
        if f.operations.total() > _LARGE or (name == "constraint_matrix" and not s.is_held):
            return None
        f, own = f.without_advice(), _states(s)
        many = [own[x] for x in f.inputs]
        one = [x[0] for x in many]
        f(*one)
    except (VisvivaError, AttributeError, KeyError):
        return None
    alone, together = shortest(repeated(f, *one), partial(f, *many))
    return f, alone / TIMES, together / _STATES


def _states(s: Studied) -> dict[str, Array]:
    """Inputs of functions: where constraints hold it, a position and a velocity they admit."""
    steps = 0.1 * np.random.default_rng(2).standard_normal((_STATES, s.system.nv))
    q, v = np.tile(s.start, (_STATES, 1)), 0 * steps
    states = {"q": q, "v": v, "a": steps, "tau": steps, "t": np.zeros(_STATES)}
    if s.is_held:
        velocity = s.system.admitted_velocity
        states["v"] = velocity(*(states[x] for x in velocity.inputs))
    elif not s.system.quaternions and q.shape == steps.shape:
        q += steps
    return states
