"""Derivatives: of L at fixed velocities, of H and of formulas in momenta at fixed momenta.

Momenta stay symbols until a formula is derived by a coordinate or a momentum. A name that the claim
gives to a multiple of one, ℓ = m r² θ', is held as that momentum is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from visviva.describe.quantities import KINDS
from visviva.errors import ArgumentError
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.quantities import MOMENTA, OWN, has_slopes, marked_subject
from visviva.judge.check.said.rayleigh import made
from visviva.judge.check.said.subjects import Subject, subject_of
from visviva.judge.check.said.used import KEPT
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.elements import tree_of
from visviva.judge.exact.forms import Facts
from visviva.judge.exact.sums import symbol_of
from visviva.notation.evaluate import evaluate
from visviva.notation.tree import (
    IN_TIME,
    SLOPE,
    Call,
    Equation,
    Matrix,
    Name,
    Node,
    children,
    names,
    rebuilt,
    rewritten,
    walk,
)
from visviva.notation.tree_sympy import TreeScalars, from_sympy

HAMILTONIAN, LAGRANGIAN = "hamiltonian", "lagrangian"
MOST_OPERATIONS = 3000  # of a formula that is compared with H


class Symbols(TreeScalars):
    """SymPy's scalars, velocities and accelerations by their symbols."""

    def name(self, name: Name) -> Any:
        """A symbol."""
        return sympy.pi if name.key == "pi" else sympy.Symbol(symbol_of(name))


@dataclass(eq=False)
class Partials:
    """Derivatives of the formulas of one claim; `notes` says what was held."""

    facts: Facts
    node: Node
    notes: dict[str, None] = field(default_factory=dict)

    def opened(self, name: Name) -> Node | None:
        """What a name stands for in what is derived; momenta and H stay symbols."""
        if name.key.startswith(KEPT):
            return self._stands_for(name)
        if not name.key.startswith(OWN):
            return None
        subject = marked_subject(name.key)
        if subject.kind in (MOMENTA, HAMILTONIAN) and not subject.frame:
            self._said.setdefault(name.key, name.text or name.key)
            return None
        return own_tree(subject, self.facts)

    def closed(self, x: Any) -> Any:
        """A formula with momenta and H in velocities."""
        x = sympy.S(x)
        marks = [s for s in x.free_symbols if s.name.startswith(OWN)]
        return x.subs({s: self._own(s.name) for s in marks}, simultaneous=True) if marks else x

    def slope(self, x: Any, by: Node) -> Any:
        """∂x/∂by, with momenta or velocities fixed."""
        variable, scale = self._variable(by)
        x, rates = sympy.S(x), {v for v, _ in self.facts.rates}
        moment = variable.name.startswith(OWN)
        if variable.name in rates:
            if any(s.name == self._energy for s in x.free_symbols):
                raise ArgumentError(
                    "H is a function of coordinates and momenta, and is not derived by velocities: "
                    "write ∂L/∂… or ∂E/∂…"
                )
            return sympy.diff(self.closed(x), variable)
        held = {s for s in x.free_symbols if s.name.startswith(OWN)}
        if not moment:
            loose = {s for s in held if sympy.diff(self._own(s.name), variable) == 0}
            loose = {s for s in loose if s.name != self._energy} | (
                {x} & held - {self._hamiltonian}
            )
            x = x.subs({s: self._own(s.name) for s in loose}, simultaneous=True)
            held -= loose
        there = {s.name for s in x.free_symbols} & rates
        if not held and not (moment and there):
            return sympy.diff(x, variable) / scale
        inside = {s.name for h in held for s in self._own(h.name).free_symbols} & rates
        if there & (rates if moment else inside):
            if not self._is_hamiltonian(x):
                raise self._unclear(by, held)
            x, held = self._hamiltonian, {self._hamiltonian}
        listed = ", ".join(sorted(self._said.get(s.name, "p") for s in held - {self._hamiltonian}))
        if self._hamiltonian in held:
            self.notes["∂H/∂… is taken with momenta fixed"] = None
        if listed and not moment:
            self.notes[f"with {listed} fixed in the derivative by {_text(by)}"] = None
        whole = sympy.diff(x, variable)
        if self._hamiltonian in held:
            whole += sympy.diff(x, self._hamiltonian) * self._energy_slope(variable)
        return whole / scale

    def must_fix_velocities(self, derived: Node, by: Node) -> None:
        """Refuses ∂T/∂r of a T in momenta: of T and L velocities are fixed."""
        if not isinstance(derived, Name) or derived.key not in (f"{KEPT}T", f"{KEPT}L"):
            return
        formula, variable = self.opened(derived) or derived, self._variable(by)[0]
        momenta = {n.key for n in names(formula) if n.key.startswith(OWN)}
        varies = any(sympy.diff(self._own(x), variable) != 0 for x in momenta)
        if varies and variable.name in self.facts.coordinates:
            said = derived.text
            raise ArgumentError(
                f"∂{said}/∂{_text(by)} is taken with velocities fixed, and {said} is in momenta: "
                f"write {said} in velocities, or derive H"
            )

    def _energy_slope(self, variable: Any) -> Any:
        """∂H/∂q = -∂L/∂q, ∂H/∂p = v."""
        if not variable.name.startswith(OWN):
            return -sympy.diff(self._value(Subject(LAGRANGIAN)), variable)
        (i,) = marked_subject(variable.name).index
        return sympy.Symbol(self.facts.rates[i - 1][0])

    def _variable(self, node: Node) -> tuple[Any, Any]:
        """What is derived by, and the factor with which the name in the claim is that."""
        facts = self.facts
        if isinstance(node, Name) and node.key.startswith(KEPT):
            found = self._multiple(node.key)
            if found is not None:
                return found
        momentum = isinstance(node, Name) and node.key.startswith(f"{OWN}{MOMENTA}/")
        if isinstance(node, Name) and momentum and not node.dots:
            return sympy.Symbol(node.key), sympy.S.One
        if not isinstance(node, Name) or node.key.startswith((OWN, KEPT)):
            raise ArgumentError(f"a formula of {facts.name!r} is derived by a name")
        if node.dots > 1 or node.key.startswith(FORCE):
            raise ArgumentError(
                f"{_text(node)}: formulas are derived by coordinates, velocities, momenta and t"
            )
        return sympy.Symbol(symbol_of(node)), sympy.S.One

    def _stands_for(self, name: Name) -> Node:
        """A name that the claim defines: a multiple of a momentum, H, or its formula."""
        found = self._multiple(name.key)
        if found is not None:
            return from_sympy(found[0] * found[1])
        formula = rewritten(self._where[name.key], self.opened)
        if name.key == f"{KEPT}H" and not has_slopes(formula):
            x = sympy.S(evaluate(formula, Symbols()))
            rates = {v for v, _ in self.facts.rates}
            if rates & {s.name for s in x.free_symbols} and self._is_hamiltonian(x):
                return Name(self._energy)
            if rates & {s.name for s in x.free_symbols}:
                raise ArgumentError(
                    f"{name.text} has velocities in it, and ∂{name.text}/∂… is taken with momenta "
                    "fixed: write it in momenta, p_…, or say ∂L/∂…; with velocities fixed call it E"
                )
        return formula

    def _multiple(self, key: str) -> tuple[Any, Any] | None:
        """The momentum that a defined name is a multiple of, and the factor."""
        if key not in self._multiples:
            self._multiples[key] = self._found_multiple(key)
        return self._multiples[key]

    def _found_multiple(self, key: str) -> tuple[Any, Any] | None:
        formula = rewritten(self._where[key], self.opened)
        if has_slopes(formula):
            return None
        x, facts = self.closed(evaluate(formula, Symbols())), self.facts
        moving = {*facts.coordinates, *(y for pair in facts.rates for y in pair)}
        there = {s.name for s in x.free_symbols}
        for i, (v, _) in enumerate(facts.rates):
            momentum = self._value(Subject(MOMENTA, (i + 1,)))
            if v not in there or moving & there != moving & _names(momentum):
                continue
            factor = sympy.cancel(sympy.together(x / momentum))
            if moving & _names(factor):
                factor = sympy.simplify(factor)
            if not moving & _names(factor):
                mark = f"{OWN}{MOMENTA}/{i + 1}/"
                self._said[mark] = key.removeprefix(KEPT)
                return sympy.Symbol(mark), factor
        return None

    def _is_hamiltonian(self, x: Any) -> bool:
        gap = sympy.expand(self.closed(x) - self._own(self._energy))
        return bool(gap == 0 or (gap.count_ops() < MOST_OPERATIONS and sympy.simplify(gap) == 0))

    def _unclear(self, by: Node, held: Any) -> ArgumentError:
        listed = ", ".join(sorted(self._said.get(s.name, "H") for s in held))
        if not held or self._variable(by)[0].name.startswith(OWN):
            return ArgumentError(
                f"a formula with velocities in it is not derived by {_text(by)}: write it in "
                "momenta alone, H = p_…; ..."
            )
        return ArgumentError(
            f"a derivative by {_text(by)} of a formula with {listed} and velocities is not clear, "
            "as momenta or velocities may be fixed: write the formula in momenta alone, or in "
            f"velocities alone, or say ∂L/∂{_text(by)}"
        )

    def _own(self, mark: str) -> Any:
        return self._value(marked_subject(mark))

    def _value(self, subject: Subject) -> Any:
        if subject not in self._values:
            self._values[subject] = sympy.S(evaluate(own_tree(subject, self.facts), Symbols()))
        return self._values[subject]

    @property
    def _energy(self) -> str:
        return f"{OWN}{HAMILTONIAN}//"

    @property
    def _hamiltonian(self) -> Any:
        return sympy.Symbol(self._energy)

    @cached_property
    def _where(self) -> dict[str, Node]:
        """Definitions that the derivatives of the claim carry with them."""
        slopes = (x for x in walk(self.node) if isinstance(x, Call) and x.function == SLOPE)
        pairs = (y for x in slopes for y in x.arguments[2:] if isinstance(y, Equation))
        return {y.left.key: y.right for y in pairs if isinstance(y.left, Name)}

    @cached_property
    def _values(self) -> dict[Subject, Any]:
        return {}

    @cached_property
    def _multiples(self) -> dict[str, tuple[Any, Any] | None]:
        return {}

    @cached_property
    def _said(self) -> dict[str, str]:
        return {}


def worked_out(node: Node, facts: Facts, partials: Partials) -> Node:
    """A formula without derivatives, the inner ones first; momenta and H stay symbols in it."""
    if isinstance(node, Name):
        return partials.opened(node) or node
    if not isinstance(node, Call) or node.function not in (SLOPE, IN_TIME):
        return rebuilt(node, tuple(worked_out(x, facts, partials) for x in children(node)))
    inner = worked_out(node.arguments[0], facts, partials)
    if has_slopes(inner):  # of a definition that was put in
        inner = worked_out(inner, facts, partials)
    value = evaluate(inner, Symbols())
    table = value if isinstance(value, np.ndarray) else None
    if node.function == IN_TIME:
        return _tree(each_entry(lambda x: _rate(partials.closed(x), facts), value), facts)
    by = node.arguments[1]
    for x in children(by) if isinstance(by, Matrix) else (by,):
        partials.must_fix_velocities(node.arguments[0], x)
    if not isinstance(by, Matrix):
        return _tree(each_entry(lambda x: partials.slope(x, by), value), facts)
    column = [value] if table is None else list(table.ravel())
    if table is not None and 1 not in table.shape:
        raise ArgumentError("a derivative by a vector is one of a number or of a vector")
    slopes = [[partials.slope(x, v) for v in children(by)] for x in column]
    rows = slopes if table is not None else [[x] for x in slopes[0]]
    return _tree(np.array(rows, dtype=object), facts)


def with_own(node: Node, facts: Facts) -> Node:
    """With momenta and H in velocities."""

    def put(name: Name) -> Node | None:
        own = name.key.startswith(OWN)
        return own_tree(marked_subject(name.key), facts) if own else None

    return rewritten(node, put)


def _rate(x: Any, facts: Facts) -> Any:
    """df/dt: ∂f/∂q · v + ∂f/∂v · a + ∂f/∂t."""
    x = sympy.S(x)
    moving = {v: q for q, v, _ in facts.moving}
    there = {s.name for s in x.free_symbols}
    if twice := [a for _, a in facts.rates if a in there]:
        said = next((f"{q}''" for q, _, a in facts.moving if a == twice[0]), twice[0])
        raise ArgumentError(
            f"the rate of a formula with {said} in it, a third time derivative, is in no equation: "
            "write what that formula is, not how it changes or that it is constant"
        )
    acting = sorted(n for n in there if n.startswith(FORCE) or n in facts.forms.multiplier_names)
    if acting:
        raise ArgumentError(
            f"the rate of a formula with {acting[0].replace(FORCE, 'tau')} in it: how forces and "
            "multipliers change is in no equation; write its formula in place of it"
        )
    if {*facts.coordinates} & there - {*moving.values()}:
        listed = ", ".join(v for v, _ in facts.rates)
        raise ArgumentError(
            f"velocities of {facts.name!r} are {listed}, no rates of its coordinates: rates of "
            "formulas of position are not worked out"
        )
    pairs = [(q, v) for v, q in moving.items()] + list(facts.rates)
    terms = [sympy.diff(x, sympy.Symbol(a)) * sympy.Symbol(b) for a, b in pairs if a in there]
    timed = "t" in there and "t" not in facts.coordinates
    return sympy.Add(*terms, sympy.diff(x, sympy.Symbol("t")) if timed else 0)


def _tree(value: Any, facts: Facts) -> Node:
    dotted = {v: (q, 1) for q, v, _ in facts.moving} | {a: (q, 2) for q, _, a in facts.moving}

    def name(key: str, dots: int) -> Name:
        return Name(*dotted.get(key, (key, dots)))

    if isinstance(value, np.ndarray):
        return Matrix(tuple(tuple(from_sympy(x, name) for x in row) for row in value))
    return from_sympy(value, name)


def own_tree(subject: Subject, facts: Facts) -> Node:
    """The formula of a quantity of the mechanism."""
    return made(subject, facts) or tree_of(facts.of(subject))


def _names(x: Any) -> set[str]:
    return {s.name for s in x.free_symbols}


def _text(node: Node) -> str:
    return (node.text or node.key + "'" * node.dots) if isinstance(node, Name) else "a vector"


def each_entry(f: Any, value: Any) -> Any:
    """f of a number, or of every entry of a matrix."""
    if not isinstance(value, np.ndarray):
        return f(value)
    return np.array([[f(x) for x in row] for row in value], dtype=object)


def must_fix_or_follow(claim: Claim, facts: Facts) -> None:
    """Refuses d/dx(x'^2/2), and v dv/dx of v = x': along motions x' changes with x, else not.

    That of T, L, E and H by their letters is partial, as is ∂/∂x, and all in equations that derive
    by x' too.
    """
    slopes = [x for x in walk(claim.node) if isinstance(x, Call) and x.function == SLOPE]
    if any(n.dots for x in slopes for n in names(x.arguments[1])):
        return
    for x in (x for x in slopes if x.total):
        inside, by, *given = x.arguments
        where = {y.left: y.right for y in given if isinstance(y, Equation)}
        if by in [Name(q) for q, _, _ in facts.moving] and _has_rate(inside, by, where):
            q = _text(by)
            raise ArgumentError(
                f"{claim.text:.200}: d/d{q} of a formula with {q}' may be taken along motions, "
                f"where {q}' changes with {q}, or with {q}' fixed: write d/dt(...)/{q}', or ∂/∂{q}"
            )


def _has_rate(node: Node, of: Node, where: Mapping[Node, Node]) -> bool:
    """Whether x' is in a formula, or in one that a letter stands for which is no energy."""
    if isinstance(node, Call) and node.function == IN_TIME:
        return of in walk(node)
    if isinstance(node, Name) and node in where:
        return not _is_energy(node) and _has_rate(where[node], of, where)
    if isinstance(node, Name) and isinstance(of, Name):
        return node.dots > 0 and node.key == of.key
    return any(_has_rate(x, of, where) for x in children(node))


def _is_energy(name: Name) -> bool:
    """By its letter, and one in which velocities are."""
    subject = subject_of(name.key.removeprefix(KEPT), None, "")
    row = KINDS.get(subject.kind) if subject else None
    return row is not None and row.rank == 0 and "v" in row.inputs
