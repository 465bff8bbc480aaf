"""Names for the numbers of a model's bodies and joints, and bodies with some of them changed.

Every body has m, the centre cx cy cz, the tensor about it Ixx Ixy Ixz Iyy Iyz Izz, and every joint
damping, friction, armature and, where it has some, stiction and stribeck, each followed by the name
of the body or joint: `m_link1`, `damping_elbow`. Coordinates and their rates have their names
first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

from visviva.algebra.arrays import is_zero, vector
from visviva.algebra.expr import Expr, Graph, evaluate
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.model.body import JOINT_NUMBERS, Body
from visviva.describe.model.idle import idle_notes
from visviva.describe.names import motion
from visviva.describe.values import leaves
from visviva.errors import ArgumentError, ParseError, UnknownNameError, check_known
from visviva.notation.formula import parse
from visviva.notation.names import fresh

if TYPE_CHECKING:
    from visviva.describe.model.model import Model

STICKING = ("stiction", "stribeck")
CENTRE = ("cx", "cy", "cz")
TENSOR = (("Ixx", 0, 0), ("Ixy", 0, 1), ("Ixz", 0, 2), ("Iyy", 1, 1), ("Iyz", 1, 2), ("Izz", 2, 2))

NumberNames = Mapping[Any, str]  # what each number of one body is called


def number_names(bodies: Sequence[Body], parameters: Iterable[str]) -> list[NumberNames]:
    """For every body: what each of its numbers is called."""
    moving = motion(bodies, parameters)
    taken = {*moving.q, *moving.v, *moving.a}
    all_names: list[NumberNames] = []
    for b in bodies:
        of_body = ("m", *CENTRE, *(k for k, _, _ in TENSOR))
        names: dict[Any, str] = {k: f"{k}_{b.name}" for k in of_body}
        names |= {n: f"{n[0]}_{b.joint_name}{n[1]}" for k in _kinds(b) for n in _entries(k, b)}
        names = {k: fresh(name, taken) for k, name in names.items()}
        taken |= {*names.values()}
        all_names.append(names)
    return all_names


def named_numbers(bodies: Sequence[Body], named: Sequence[NumberNames]) -> dict[str, Any]:
    """The numbers of all bodies and joints, by name."""
    values: dict[str, Any] = {}
    for b, names in zip(bodies, named, strict=True):
        i = b.inertia
        values[names["m"]] = i.mass
        values.update({names[k]: x for k, x in zip(CENTRE, i.com, strict=True)})
        values.update({names[k]: i.tensor[r, c] for k, r, c in TENSOR})
        for k in _kinds(b):
            pairs = zip(_entries(k, b), getattr(b, k), strict=True)
            values.update({names[entry]: x for entry, x in pairs})
    return values


def with_numbers(
    b: Body, names: NumberNames, given: Mapping[str, Any], checked: bool = False
) -> Body:
    """A body with some of its numbers replaced; `checked` refuses what no body can be."""

    def of(what: Any, old: Any) -> Any:
        return given.get(names[what], old)

    i = b.inertia
    tensor: Any = i.tensor.astype(object)
    for name, r, c in TENSOR:
        tensor[r, c] = tensor[c, r] = of(name, tensor[r, c])
    com = vector([of(k, x) for k, x in zip(CENTRE, i.com, strict=True)])
    mass, matrix = of("m", i.mass), vector(tensor.tolist())
    inertia = Inertia(mass, com, matrix, checked=checked and i.checked)
    lists: dict[str, Any] = {
        k: vector([of(n, x) for n, x in zip(_entries(k, b), getattr(b, k), strict=True)])
        for k in _kinds(b)
    }
    return replace(b, inertia=inertia, **lists)


def with_values(model: Model, values: Mapping[str, Any]) -> Model:
    """The model with values of parameters and of numbers that have names, and with formulas."""
    if any(isinstance(x, str) for x in values.values()):
        return _with_formulas(model, values)
    derived = {k: x for k, x in values.items() if k not in model.parameters}
    names = number_names(model.bodies, model.parameters) if derived else []
    known = named_numbers(model.bodies, names) if derived else {}
    for name, x in values.items():
        if name not in model.parameters and name not in known:
            raise UnknownNameError("parameter", name, model.parameters or known)
        if not isinstance(x, Real) or not isfinite(float(x)):
            raise ArgumentError(f"parameter {name!r} is a finite number, got {x!r}")
    own = {k: x for k, x in values.items() if k in model.parameters}
    changed = replace(model, parameters={**model.parameters, **own})
    if derived:
        pairs = zip(model.bodies, names, strict=True)
        bodies = (with_numbers(b, called, derived, checked=True) for b, called in pairs)
        changed = replace(changed, bodies=tuple(bodies))
    _ = changed.numeric  # values that no body can have are refused here, not later
    return with_idle_notes(changed, model)


def with_idle_notes(model: Model, before: Model) -> Model:
    """The model with the notes on joints without inertia that its own numbers give."""
    old_notes = set(idle_notes(before))
    others = (x for x in model.notes if x not in old_notes)
    return replace(model, notes=(*others, *idle_notes(model)))


def named_variant(name: str, texts: Mapping[str, str]) -> str:
    """What a system is called in which formulas stand in place of parameters."""
    said = ", ".join(f"{k} = {x.strip()}" for k, x in texts.items())
    return f"{name}, {said}" if " with " in name else f"{name} with {said}"


def _with_formulas(model: Model, values: Mapping[str, Any]) -> Model:
    """The model with values, and formulas in place of parameters, which it then has no more."""
    texts = {k: x for k, x in values.items() if isinstance(x, str)}
    for name in texts:
        check_known("parameter", name, model.parameters)
    graph = next((x.graph for x in leaves(model) if isinstance(x, Expr)), Graph())
    kept = {name: x for name, x in model.parameters.items() if name not in texts}
    own: dict[str, Any] = {name: graph.input(name) for name in kept}
    put = {}
    for name, text in texts.items():
        try:
            put[name] = parse(text, graph, own)
        except ParseError as error:
            raise ArgumentError(
                f"parameter {name!r} is a finite number, or a formula of the others: {error}"
            ) from None
    made = model.mapped(lambda x: _plain(evaluate(x, {**own, **put})))
    others = {k: x for k, x in values.items() if k not in texts}
    name = named_variant(model.name, texts)
    return with_values(replace(made, parameters=kept, name=name), others)


def _plain(x: Any) -> Any:
    return x.value if isinstance(x, Expr) and x.is_constant else x


def _kinds(b: Body) -> list[str]:
    """The numbers of a joint; stiction and its speed have names where there is some."""
    sticks = not is_zero([*b.stiction, *b.stribeck])
    return [k for k in JOINT_NUMBERS if sticks or k not in STICKING]


def _entries(kind: str, b: Body) -> list[tuple[str, str]]:
    """One for each velocity of a joint: the kind, and the velocity's own name if it has one."""
    return [(kind, f"_{v}" if v else "") for v in b.joint.velocities]
