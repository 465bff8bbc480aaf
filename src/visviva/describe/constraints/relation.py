"""Formulas of coordinates, velocities and time that stay zero: gears, cams, prescribed motions.

The inputs of the formula are names: a joint's for its coordinate, with that of the entry where it
has several (`base_x`), the same with a prime for its rate (`elbow'`), a velocity that is no rate of
a coordinate (`base_wx`), the time `t`, and parameters.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.diff import jacobian
from visviva.algebra.expr import Expr, Graph, evaluate, evaluated, names_in
from visviva.algebra.expr import text as expression_text
from visviva.describe.constraints.constraint import NEAR, Constraint
from visviva.describe.names import TIME_NAME, motion
from visviva.describe.values import PLAIN, leaves
from visviva.errors import ArgumentError, ParseError, UnknownNameError
from visviva.notation.formula import Declared
from visviva.notation.names import inside, velocity_name
from visviva.space.poses import Pose

PRIME = "'"
_LESS = "; where one is less than another it is less({0}), as in y = where(less({0}), h, r)"
ARGUMENTS = ("q", "v", "t")  # what a function may take
DEEP = 30  # of an expression as text


class JointNames(NamedTuple):
    """What relations call the numbers of one joint; `v` is empty where they are rates of q."""

    q: tuple[str, ...]
    v: tuple[str, ...]


def joint_names(bodies: Sequence[Any]) -> list[JointNames]:
    """Of every body's joint, of those that follow another too."""
    known = motion(bodies)
    names, q, v = [], 0, 0
    for b in bodies:
        if b.mimic is not None:
            entries = [f"{b.joint_name}_{c}" if c else b.joint_name for c in b.joint.coordinates]
            names.append(JointNames(tuple(entries), ()))
            continue
        own = () if b.joint.has_rates else known.rated[v : v + b.joint.nv]
        names.append(JointNames(known.q[q : q + b.joint.nq], own))
        q, v = q + b.joint.nq, v + b.joint.nv
    return names


def velocity_names(model: Any) -> frozenset[str]:
    """What relations call the velocities that are no rates of coordinates."""
    named = joint_names(model.bodies)
    return frozenset(x for names in named for x in names.v)


@dataclass(frozen=True, eq=False)
class Relation(Constraint):
    """`formula` stays zero. One with velocities is linear in them, and about velocities alone.

    `numbers` are those of the model that stand for its `parameters`.
    """

    name: str
    formula: Expr = field(metadata=PLAIN)
    parameters: tuple[str, ...] = ()
    numbers: tuple[Any, ...] = ()
    active: bool = True
    text: str = ""  # as it was typed

    def __str__(self) -> str:
        said = self.text or f"{expression_text(self.whole(), DEEP)} = 0"
        return f"{self.name!r} keeps {said}" + ("" if "=" in said else " = 0")

    @cached_property
    def names(self) -> frozenset[str]:
        """All names in it but those of parameters."""
        return frozenset(names_in([self.formula])) - {*self.parameters}

    @cached_property
    def coordinates(self) -> frozenset[str]:  # type: ignore[override]
        """The coordinates and velocities that it names."""
        return frozenset(x.rstrip(PRIME) for x in self.names) - {TIME_NAME}

    @property
    def is_moving(self) -> bool:  # type: ignore[override]
        """Whether the time stands in it."""
        return TIME_NAME in self.names

    def has_time(self, part: str, velocities: frozenset[str]) -> bool:
        rate = self.rate(velocities)
        nodes = {
            "constraint_error": [self.formula],
            "constraint_matrix": [*rate.slopes.values()],
            "constraint_drift": [rate.rest],
            "constraint_bias": [*rate.slopes.values(), *rate.changes.values()],
        }
        return TIME_NAME in names_in(nodes[part])

    def is_of_velocities(self, velocities: frozenset[str]) -> bool:
        """Whether a rate stands in it, or one of these velocities."""
        return any(x.endswith(PRIME) for x in self.names) or bool(self.names & velocities)

    def prefixed(self, prefix: str, bases: Mapping[str, str]) -> Self:
        new = {x: x if x == TIME_NAME else prefix + x for x in self.names}
        return replace(self.renamed(new), name=prefix + self.name)

    def whole(self) -> Expr:
        """The formula with numbers, or formulas over parameters, for what stands for them."""
        return with_numbers_in(self.formula, self.with_numbers({}))

    def renamed(self, new: Mapping[str, str]) -> Self:
        """With other names, by the present ones."""
        graph = Graph()
        nodes = {x: graph.input(new.get(x, x)) for x in (*self.names, *self.parameters)}
        return replace(self, formula=graph.node(evaluate(self.formula, nodes)), text="")

    def at(self, values: Mapping[str, float]) -> Self:
        """With numbers for some coordinates, which no longer move."""
        graph = Graph()
        nodes: dict[str, Any] = {x: graph.input(x) for x in (*self.names, *self.parameters)}
        for name, value in values.items():
            nodes |= {name: graph.constant(value), name + PRIME: graph.constant(0.0)}
        return replace(self, formula=graph.node(evaluate(self.formula, nodes)), text="")

    def still_holds(self, *frames: tuple[int, Pose]) -> bool | None:
        if self.coordinates:
            return None
        f = self.whole()
        return bool(f.is_constant and abs(f.value) <= NEAR)

    def tried(self, rng: np.random.Generator) -> tuple[list[Any], Array]:
        names = sorted(self.names)
        return names, np.array(
            [self.value(dict(zip(names, rng.uniform(size=len(names)), strict=True)))]
        )

    def rate(self, velocities: frozenset[str]) -> Rate:
        """What of it is about velocities: its own formula, or how that one changes."""
        key = f"_rate{sorted(velocities)}"
        if key not in self.__dict__:
            self.__dict__[key] = _rate(self, velocities)
        rate: Rate = self.__dict__[key]
        return rate

    def value(self, values: Mapping[str, Any]) -> Any:
        """The formula, over any scalar."""
        return evaluated([self.formula], self.with_numbers(values))[0]

    def with_numbers(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """These values by name, and those of the parameters."""
        return {**values, **dict(zip(self.parameters, self.numbers, strict=True))}


def with_numbers_in(formula: Expr, numbers: Mapping[str, Any]) -> Expr:
    """A formula, in a graph of its own, with numbers and other formulas for some of its inputs."""
    graph = Graph()
    nodes: dict[str, Any] = {x: graph.input(x) for x in names_in([formula])}
    for key, x in numbers.items():
        own = {name: graph.input(name) for name in names_in([x])} if isinstance(x, Expr) else {}
        nodes[key] = graph.node(evaluate(x, own))
    return graph.node(evaluate(formula, nodes))


class Rate(NamedTuple):
    """A formula linear in rates and velocities, and its derivatives, by name."""

    slopes: dict[str, Expr]  # by rates and velocities: coefficients
    rest: Expr  # without them
    changes: dict[str, Expr]  # by coordinates and time


def _rate(relation: Relation, velocities: frozenset[str]) -> Rate:
    f = relation.formula
    graph = f.graph
    if not relation.is_of_velocities(velocities):
        moving = sorted(relation.coordinates)
        inputs = [graph.input(x) for x in (*moving, TIME_NAME)]
        rates = [*(graph.input(x + PRIME) for x in moving), graph.constant(1.0)]
        slopes = jacobian([f], inputs)
        f = graph.constant(0.0)
        for (_, j), slope in slopes.items():
            f = f + slope * rates[j]
    names = [x for x in names_in([f]) if x not in relation.parameters]
    fast = [x for x in names if x.endswith(PRIME) or x in velocities]
    slow = [x for x in names if x not in fast]
    by_fast = jacobian([f], [graph.input(x) for x in fast])
    by_slow = jacobian([f], [graph.input(x) for x in slow])
    zero = {x: graph.constant(0.0) for x in fast}
    rest = graph.node(evaluate(f, {x: zero.get(x, graph.input(x)) for x in names_in([f])}))
    return Rate(
        {fast[j]: slope for (_, j), slope in by_fast.items()},
        rest,
        {slow[j]: slope for (_, j), slope in by_slow.items()},
    )


# ---- from what people write


def relations(
    model: Any, name: str, statement: Any, expressions: Mapping[str, Any] | None = None
) -> list[Relation]:
    """The relations that a text or a function states; a function may state several.

    `expressions` are numbers or formulas over the parameters, which a text may call by name.
    """
    named = joint_names(model.bodies)
    if isinstance(statement, str):
        formulas = [_from_text(model, named, name, statement, expressions or {})]
    elif callable(statement):
        pairs = zip(model.bodies, named, strict=True)
        own = [names for b, names in pairs if b.mimic is None]
        formulas = _from_function(own, name, statement)
    else:
        raise ArgumentError(
            f"constraint {name!r} is a text or a function, got {type(statement).__name__}"
        )
    several = len(formulas) > 1
    stated = []
    for k, formula in enumerate(formulas, 1):
        used = tuple(x for x in model.parameters if x in names_in([formula]))
        graph = _graph(model)
        stated.append(
            Relation(
                f"{name}_{k}" if several else name,
                formula,
                used,
                tuple(graph.input(x) for x in used),
                text=" ".join(statement.split()) if isinstance(statement, str) else "",
            )
        )
    return stated


def linear(name: str, text: str, **terms: tuple[str, Any]) -> Relation:
    """Σ number · coordinate = 0; by the name of each number, the coordinate and the number.

    Numbers may be formulas over the model's parameters; "" stands for no coordinate.
    """
    graph = Graph()
    numbers = {inside(key, ""): x for key, (_, x) in terms.items()}  # names that no joint has
    total = graph.constant(0.0)
    for key, (coordinate, _) in zip(numbers, terms.values(), strict=True):
        factor = graph.input(coordinate) if coordinate else graph.constant(1.0)
        total = total + graph.input(key) * factor
    return Relation(name, graph.node(total), tuple(numbers), tuple(numbers.values()), text=text)


def check_time(model: Any) -> None:
    """Where formulas are stated, t is the time and nothing else."""
    joints = [b.joint_name for b in model.bodies]
    coordinates = [x for names in joint_names(model.bodies) for x in (*names.q, *names.v)]
    for what, names in (("joint", [*joints, *coordinates]), ("parameter", model.parameters)):
        if TIME_NAME in names:
            raise ArgumentError(
                f"model {model.name!r}: the name {TIME_NAME!r} can mean two things in constraints, "
                f"a {what} and the time: rename the {what}"
            )


def check_relation(model: Any, relation: Any) -> None:
    """Its names are there, something moves in it, and velocities stand in it linearly."""
    named = joint_names(model.bodies)
    known = {x for names in named for x in (*names.q, *names.v)}
    for x in sorted(relation.coordinates - known):
        raise UnknownNameError(f"coordinate in constraint {relation.name!r}", x, sorted(known))
    if not relation.coordinates:
        raise ArgumentError(
            f"constraint {relation.name!r} is a formula of coordinates that stays zero, and none "
            f"stands in it: {relation}"
        )
    velocities = frozenset(x for names in named for x in names.v)
    if not relation.is_of_velocities(velocities):
        return
    fast = {x for x in relation.names if x.endswith(PRIME) or x in velocities}
    inputs = [relation.formula.graph.input(x) for x in fast]
    if jacobian(list(relation.rate(velocities).slopes.values()), inputs):
        raise ArgumentError(
            f"constraint {relation.name!r}: velocities stand in it linearly or not at all, "
            f"got {relation}"
        )


def _graph(model: Any) -> Graph:
    """Where the model's own formulas live; a new one if it has none."""
    return next((x.graph for x in leaves(model) if isinstance(x, Expr)), None) or Graph()


def _from_text(
    model: Any, named: Sequence[JointNames], name: str, text: str, more: Mapping[str, Any]
) -> Expr:
    graph = Graph()
    q = [x for names in named for x in names.q]
    rates = {x: graph.input(x + PRIME) for x in q}
    v = [x for names in named for x in names.v]
    names = {x: graph.input(x) for x in (TIME_NAME, *model.parameters, *v, *q)}
    pieces = {x: graph.input(x) for x in more if x not in names}
    names |= pieces
    names |= {velocity_name(x): rate for x, rate in rates.items() if velocity_name(x) not in names}
    try:
        formula = Declared(names, q).expression(text, graph, rates)
    except ParseError as error:
        found = text[error.column : error.column + 1]
        way = _LESS.format("a, b" if found == "<" else "b, a") if found in ("<", ">") else ""
        said = f"constraint {name!r}: {error.problem}{way}"
        raise ParseError(text, error.column, said) from None
    for what, some in (("a parameter", model.parameters), ("an expression", {*more} - {*pieces})):
        for x in {*some} & {*q, *v} & {*names_in([formula])}:
            raise ArgumentError(
                f"constraint {name!r}: the name {x!r} can mean two things, a coordinate and "
                f"{what}: rename one of them"
            )
    return with_numbers_in(formula, {x: more[x] for x in pieces})


def _from_function(named: Sequence[JointNames], name: str, f: Callable[..., Any]) -> list[Expr]:
    graph = Graph()
    q = [x for names in named for x in names.q]
    v = [x for names in named for x in (names.v or [entry + PRIME for entry in names.q])]
    known = {
        "q": np.array([graph.input(x) for x in q], dtype=object),
        "v": np.array([graph.input(x) for x in v], dtype=object),
        "t": graph.input(TIME_NAME),
    }
    asked = list(inspect.signature(f).parameters)
    if not asked or not {*asked} <= {*ARGUMENTS}:
        raise ArgumentError(
            f"constraint {name!r}: a function takes some of {', '.join(ARGUMENTS)}, "
            f"got ({', '.join(asked)})"
        )
    rows = np.ravel(np.asarray(f(*(known[x] for x in asked)), dtype=object))
    if not len(rows):
        raise ArgumentError(f"constraint {name!r}: the function returned nothing that stays zero")
    return [graph.node(x) for x in rows]
