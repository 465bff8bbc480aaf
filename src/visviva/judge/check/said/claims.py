"""From what a user typed to claims: statements with a subject, definitions put in."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from visviva.describe.quantities import FRAME_JACOBIAN, KINDS
from visviva.errors import ArgumentError, UnknownNameError
from visviva.judge.check.said.arms import must_say_where
from visviva.judge.check.said.books import Request, by_name
from visviva.judge.check.said.laws import (
    gains,
    is_acceleration,
    is_solved,
    is_zero_law,
    multiple,
    zero_force,
)
from visviva.judge.check.said.quantities import (
    OWN,
    Quantities,
    is_step,
)
from visviva.judge.check.said.rayleigh import (
    CALLED,
    dissipation_function,
    own_function,
    with_dissipation,
    with_second_kind,
)
from visviva.judge.check.said.runs import must_be_product
from visviva.judge.check.said.statements import (
    Statement,
    definitions,
    is_named,
    must_be_new,
    put_in,
    resolved,
)
from visviva.judge.check.said.subjects import (
    EQUATION,
    FORCES,
    IDENTITY,
    Subject,
    elsewhere,
    named,
    nearest_kinds,
    other_kinds,
)
from visviva.judge.check.said.tip import Tip, tip_of
from visviva.judge.check.said.used import (
    KEPT,
    is_indexed,
    is_meant,
    judged_too,
    must_depend,
    must_have_rates,
    only_used,
    used_as_energies,
    with_held,
    with_identity,
)
from visviva.judge.check.said.values import (
    assumed_values,
    assumes,
    free_names,
    must_claim,
    with_places,
)
from visviva.judge.check.said.vocabulary import (
    FORCE,
    alike,
    constant_advice,
    force_advice,
    turning_advice,
    with_vectors,
)
from visviva.judge.exact.forms import Facts
from visviva.notation.reading.vocabulary import Vocabulary
from visviva.notation.shapes import shape_of
from visviva.notation.tree import Equation, Matrix, Name, Node, Number, names


@dataclass(frozen=True)
class Claim:
    """A statement about a subject; `node` is its value, or an equation yet to be solved."""

    text: str
    subject: Subject
    node: Node
    assumed: tuple[tuple[str, Node], ...] = ()  # parameters with what they are taken to be
    acting: frozenset[str] = frozenset()  # generalized forces in this and the other statements
    free: frozenset[str] = frozenset()  # names that assumptions bring with them
    still: frozenset[str] = frozenset()  # generalized forces that are said to be zero
    others: tuple[str, ...] = ()  # kinds that the left side may mean besides
    typed: Node | None = None  # the node before forces that are zero were taken out of it
    tip: Tip | None = None  # whose names are in it, to be put in
    left: Node | None = None  # the mark of the centre of mass that it is a value of
    notes: tuple[str, ...] = ()  # how its names were read
    step: bool = False  # quantities of the mechanism or derivatives are in it, to be put in
    rated: bool = False  # rates of formulas were worked out: accelerations come from these
    is_constant: bool = False  # it says that something does not change along motions
    is_added: bool = False  # the constant stands beside other terms
    of_rates: bool = False  # of energies, momenta, constants: it says nothing of forces
    kept: bool = False  # it says what a rate is: true as it stands, a factor is no condition
    relates: bool = False  # these to each other: it is no formula for one of them
    uses: tuple[str, ...] = ()  # which these are
    laws: tuple[tuple[str, str, Node], ...] = ()  # forces, how they are spelled, what they are

    def is_solved(self, coordinates: int) -> bool:
        """For an acceleration, which says nothing of forces; of one coordinate nothing is left."""
        sides = (self.node.left, self.node.right) if isinstance(self.node, Equation) else ()
        return coordinates > 1 and any(multiple(x) is not None for x in sides)

    def rows(self, count: int) -> list[Equation]:
        """The equations that it makes, one for each of `count` rows of a vector."""
        node = self.node
        if not isinstance(node, Equation):
            forces = tuple((Name(f"{FORCE}{k + 1}"),) for k in range(count))
            node = Equation(Matrix(forces), node)
        sides = zip(_entries(node.left, count), _entries(node.right, count), strict=True)
        return [Equation(*pair, column=node.column) for pair in sides]


def claims(said: list[Statement], facts: Facts, words: Vocabulary, request: Request) -> list[Claim]:
    """The claims in what was stated."""
    stated = [x._replace(node=with_vectors(x.node, facts)) for x in said]
    stated = [with_identity(x, facts) for x in stated]
    stated = with_places(stated, facts, request.of, request.claimed)
    if not stated:
        raise ArgumentError("the claim is empty")
    stated = with_second_kind(with_dissipation(stated, facts), facts)
    for x in stated:
        must_be_product(x.text, x.node, facts)
    request = replace(request, defined=frozenset(definitions(stated, words)))
    tip = tip_of(facts, request.frame, request.defined)
    stated = [x._replace(node=tip.with_slopes(x.node)) for x in stated]
    stated = Quantities(facts, request, stated, tip, words.shorthand).marked()
    defined = definitions(stated, words)
    nodes = [x.node for x in stated]
    must_be_new(defined, facts)
    laws = [x.node for x in stated if x.law or is_zero_law(x.node, nodes)]
    still = {force for x in laws if (force := zero_force(x)) is not None}
    driving = tuple(
        (x.node.left.key, x.node.left.text, put_in(x.node.right, defined))
        for x in stated
        if x.law and is_named(x.node)
    )
    still |= {key for key, _, _ in driving}
    everywhere = {n.key for x in nodes for n in names(x)}
    acting = frozenset(x for x in everywhere - still if x.startswith(FORCE))
    assumed = tuple(assumed_values(nodes, facts, defined).items())
    free = frozenset(free_names(dict(assumed), facts)) | gains([x for *_, x in driving], facts)
    stated = [x for x in stated if not assumes(x.node, facts) or len(stated) == 1]
    if len(said) == 1 and not request.of:
        must_claim(said[0], facts)
    stated = [x for x in stated if not any(x.node is law for law in laws)]
    alone = [x.node for x in stated if not isinstance(x.node, Equation)]
    judged: list[Claim] = []
    unjudged, energies = list[str](), used_as_energies(stated, defined)
    for text, node, alias, notes, _, of, is_constant, is_added in stated:
        if request.of not in ("", IDENTITY) and is_named(node) and node.left.key in defined:
            continue  # a name in the formula that `of` is about
        must_depend(node, defined, facts)
        whole = _with_zeros(resolved(with_held(node, defined), defined))
        place = next(((k, len(alone)) for k, x in enumerate(alone) if x is node), (0, 0))
        last = node is stated[-1].node
        reached = tip.subject(whole) if request.of in ("", IDENTITY) else None
        left = node.left if is_named(node) else None
        defines = left is not None and not left.dots and left.key in defined
        if left is not None and defines and not request.of:
            reached = tip.without(left.key).place(whole)
        bare = left is not None and not (left.text or left.key)[-1:].isdigit()
        called = left is not None and left.key.startswith(CALLED)
        may_be = called or (bare and not (request.of or defines))
        rayleigh = dissipation_function(whole, facts) if may_be else None
        found = reached or (rayleigh and (rayleigh[0], Equation(own_function(facts), rayleigh[1])))
        asked = replace(request, of=of or request.of)
        subject, value = found or _subject(whole, place, last, facts, asked)
        if subject is None and not (defines or alias) and request.of != IDENTITY:
            raise ArgumentError(_unknown_left(node, text, facts, several=len(stated) > 1))
        sure = True
        if subject is not None and defines and is_named(node):
            indexed = is_indexed(node.left, node.right, subject)
            sure = indexed or called or bool(subject.truths) or node.left.key in energies
            sure = sure or is_meant(value, subject, facts)
            if sure and not indexed:
                notes += (judged_too(node.left, subject),)
            elif not sure:
                unjudged.append(only_used(node.left, subject))
        of_tip = bool(subject and subject.kind == FRAME_JACOBIAN.exact and tip.said(value, "p"))
        if of_tip:  # J11 = ∂x/∂q1
            value = tip.marked(value)
        value, centres = tip.with_centres(value) if subject is not None else (value, ())
        notes += centres
        if subject is not None and sure:
            notes += subject.notes
            must_say_where(subject, value, [key for key, _ in assumed], facts)
            if left is not None and not request.of:
                must_have_rates(left, value, subject, facts)
            others: tuple[str, ...] = ()
            if is_named(node) and not request.of and subject.kind in KINDS:
                others = other_kinds(node.left, subject, len(facts.rates) == 1)
            relates, of_mechanism = of_tip or bool(centres), bool(reached or of_tip or centres)
            forces = acting, free, frozenset(still)
            step = is_step(value)
            marks = {n.key for n in names(value) if n.key.startswith((OWN, KEPT))}
            more = frozenset(marks | (tip.free(value) if of_mechanism else set()))
            mark, is_centre = (None, ()) if left is None else tip.with_centres(left)
            made = Claim(text, subject, value, assumed, *forces, others, notes=notes, step=step)
            judged.append(
                replace(
                    made,
                    tip=tip if of_mechanism else None,
                    free=free | more,
                    relates=relates,
                    is_constant=is_constant,
                    is_added=is_added,
                    left=mark if is_centre else None,
                )
            )
    if not judged:
        own = (x.node.left for x in stated if is_named(x.node))
        listed = ", ".join(defined) or ", ".join(dict.fromkeys(x.text or x.key for x in own))
        raise ArgumentError(f"{listed} is defined, but nothing is claimed of {facts.name!r}")
    n = len(facts.rates)
    rows = [x for c in judged if c.subject == Subject(EQUATION) for x in c.rows(_size(c.node) or n)]
    if any(n.dots == 2 for c in judged for n in names(c.node)):  # tau = [m x'', 0]
        still |= {force for x in rows if (force := zero_force(x)) is not None}
    judged[-1] = replace(judged[-1], notes=(*judged[-1].notes, *unjudged))
    return [replace(c, still=frozenset(still), laws=driving) for c in judged]


def _size(node: Node) -> int:
    """Entries of a vector that is written out, on either side."""
    sides = (node.left, node.right) if isinstance(node, Equation) else (node,)
    return max(sum(map(len, x.rows)) if isinstance(x, Matrix) else 0 for x in sides)


def _entries(node: Node, count: int) -> list[Node]:
    """Those of a vector; of a formula that is one, the formula for each."""
    entries = [x for row in node.rows for x in row] if isinstance(node, Matrix) else []
    return entries if len(entries) == count else [node] * count


def acting_forces(found: list[Claim], facts: Facts) -> frozenset[str]:
    """The generalized forces that claims speak of: in their formulas, or as what they are about."""
    names = [f"{FORCE}{k + 1}" for k in range(len(facts.rates))]
    acting = {x for c in found for x in c.acting}
    for c in found:
        if c.subject.kind == EQUATION and not isinstance(c.node, Equation):
            acting |= {names[k - 1] for k in c.subject.index if k <= len(names)}
            acting |= set() if c.subject.index else set(names)
    return frozenset(acting)


def _unknown_left(node: Any, text: str, facts: Facts, several: bool) -> str:
    name, held = node.left.text or node.left.key, bool(facts.forms.held_by)
    rows = [x for x in KINDS.values() if x.letters and not (x.about or x.of_rows > held)]
    letters = [f"{row.letters[0]}{'1' * row.rank}" for row in rows if not row.needs_shape]
    own = alike(node.left.key, facts)
    if several and not own:
        return (
            f"nothing of {facts.name!r} is called {name}, and no other statement uses it: "
            "leave it out, or use it"
        )
    kinds = [x for x in rows if node.left.key in x.letters[:1]]
    of_bodies = (re.fullmatch("J(?:v|w|omega)?[1-9]", n.key) for n in names(node.right))
    jacobians = bool(facts.frames) and any(of_bodies)
    if kinds and kinds[0].rank == 2 and shape_of(node.right) is None and not jacobians:
        return (
            f"{name} of {facts.name!r} has {len(facts.rates)} rows, got one formula: write one "
            f"entry, {name}11 = ..., or all of them, {name} = [[a, b], [c, d]]"
        )
    if kinds and re.search(r"'\s*\*?\s*M\s*\*?\s*\w+'", text):
        return f"q' M q' has no shape: write the first one as a row, {name} = 1/2 q'^T M q'"
    meant = f"the parameter is {own[0]}, {own[0]} = ...; " if len(own) == 1 else ""
    meant += _of_turning(name, facts)
    if jacobians:
        meant += f"{turning_advice('J_w1', '1', facts)}; "
    is_rate = max((n.dots for n in names(node.right)), default=0) == 1
    sides = (x.strip(" $&") for x in text.split("=")[::-1])
    said = next((x for x in sides if x != name), "")  # also of x' = v0
    return (
        f"nothing of {facts.name!r} is called {name}: {meant}{elsewhere(node.left.key)}"
        f"a left side is {', '.join(['tau1', *letters, 'x'])}, ...; "
        f"or say {nearest_kinds(node.left.key)}"
        f"{force_advice(node.left, facts) if node.left.key[:1] in 'Ffu' else ''}"
        f"{constant_advice(node.left, said) if is_rate and said else ''}"
    )


def _of_turning(name: str, facts: Facts) -> str:
    """What ω may be meant as."""
    if not re.fullmatch(r"\\?(?:omega|Omega|ω|Ω)(?:_?\{?\w{0,9}\}?)?(?:\^2)?", name):
        return ""
    turning = "how the tip turns in the plane is phi_e' = ..., " if facts.frames else ""
    small = "[2*pi*x.frequency for x in system.linearize(q).modes]"
    return f"{turning}frequencies of small motions are {small}; "


def _subject(
    node: Node, alone: tuple[int, int], last: bool, facts: Facts, request: Request
) -> tuple[Subject | None, Node]:
    """What a statement is about, and its value; `alone`: which formula without left side it is."""
    if not isinstance(node, Equation):
        n, shape, moving = len(facts.rates), shape_of(node), any(x.dots == 2 for x in names(node))
        of = _of(request, shape, facts) if request.of else Subject(EQUATION)
        if of == Subject(EQUATION) and shape is None and alone[1] == n > 1:
            return Subject(EQUATION, (alone[0] + 1,)), node
        if request.of or (moving and alone[1] == 1 < n and shape in ((n, 1), (1, n))):
            return of, node
        forces = " or ".join(f"of='tau{k + 1}'" for k in range(min(len(facts.rates), 3)))
        motion = f"... = 0, or say which equation of motion it is, {forces}; or " if moving else ""
        said = f"a formula alone says nothing: write {motion}tau1 = ..., M = ..., or say "
        raise ArgumentError(said + nearest_kinds(""))
    if request.of == IDENTITY:
        # those before it define names
        return (Subject(IDENTITY), node) if last else (None, node)
    for left, right in ((node.left, node.right), (node.right, node.left)):
        force = isinstance(left, Name) and left.key.startswith(FORCE)
        if force and request.of and isinstance(left, Name):
            said = left.text or left.key
            raise ArgumentError(f"the left side says {said}, of= says {request.of!r}")
        solved = is_solved(left, right) and _may_be_value(right, facts)
        if solved and request.of:
            break  # an equation of motion as any other
        vector = isinstance(left, Name) and left.key in FORCES and shape_of(right) is not None
        if isinstance(left, Name) and (left is node.left or force or solved or vector):
            subject = by_name(left, right, facts, request)
            if subject is not None:
                return subject, right
    moving = any(n.dots == 2 or n.key.startswith(FORCE) for n in names(node))
    if request.of and isinstance(node.left, Name) and not is_acceleration(node.left):
        return _of(request, shape_of(node.right), facts), node.right
    if request.of:
        return _equation_of(request, facts), node
    parameter = isinstance(node.left, Name) and node.left.key in facts.parameters
    if parameter and isinstance(node.left, Name) and node.left.arguments:
        said = node.left.text or node.left.key
        raise ArgumentError(
            f"{said}(...) = is not clear: {said} is a parameter of {facts.name!r}, and no quantity "
            f"that this may be is called so; write a product as {said}*(...)"
        )
    if not (parameter and moving) and _is_definition(node.left, facts):
        return None, node
    return Subject(EQUATION), node


def _of(request: Request, shape: tuple[int, int] | None, facts: Facts) -> Subject:
    """What of= says that a formula is."""
    return named(request.of, shape, request.frame or facts.tip, len(facts.rates) == 1)


def _equation_of(request: Request, facts: Facts) -> Subject:
    """Which equation of motion of= says that a statement is."""
    subject = named(request.of, None, request.frame or facts.tip)
    if subject.kind != EQUATION:
        raise ArgumentError(f"of= says {subject}: write its formula alone, or its name = ...")
    if subject.index and not 1 <= subject.index[0] <= len(facts.rates):
        raise UnknownNameError(
            "equation", request.of, [f"tau{k + 1}" for k in range(len(facts.rates))]
        )
    return subject


def _may_be_value(node: Node, facts: Facts) -> bool:
    """Whether a side may be the value of the other one: no name that is defined by it."""
    return not isinstance(node, Name) or node.key in (*facts.parameters, *facts.coordinates)


def _with_zeros(node: Node) -> Node:
    """0 beside a matrix of the mechanism, M' - 2 C = 0, as one of zeros."""
    if not isinstance(node, Equation):
        return node
    sides = (node.left, node.right)
    shapes = [None if isinstance(x, Name) else shape_of(x) for x in sides]
    shape = next((x for x in shapes if x is not None), None)
    if shape is None or all(x is not None for x in shapes):
        return node
    zeros = Matrix(((Number(0),) * shape[1],) * shape[0])
    left, right = (zeros if x == Number(0) else x for x in sides)
    return Equation(left, right, column=node.column)


def _is_definition(left: Node, facts: Facts) -> bool:
    if not isinstance(left, Name) or left.dots:
        return False
    if left.key in facts.parameters:
        raise ArgumentError(
            f"{left.text or left.key} is a parameter of {facts.name!r}; if the claim is about "
            f"something else of that name, say {nearest_kinds(left.key)}"
        )
    return left.key not in facts.coordinates and not left.key.startswith(FORCE)
