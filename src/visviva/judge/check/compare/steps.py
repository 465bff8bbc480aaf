"""Steps of derivations: quantities of the mechanism put in, derivatives worked out.

All of it happens on formulas, before values of coordinates are put in: ∂M11/∂q2 at q2 = 0 is not
the derivative of M11 at q2 = 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from visviva.describe.quantities import FRAME_JACOBIAN, KINDS, MASS_TERM
from visviva.errors import ArgumentError
from visviva.judge.check.compare.partials import (
    Partials,
    Symbols,
    each_entry,
    must_fix_or_follow,
    own_tree,
)
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.quantities import (
    MOMENTA,
    OWN,
    entries,
    has_own,
    has_slopes,
    marked_subject,
    outside_slopes,
)
from visviva.judge.check.said.statements import CONSERVED
from visviva.judge.check.said.subjects import ACCELERATION, EQUATION, IDENTITY, Subject
from visviva.judge.check.said.used import KEPT
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.forms import Facts
from visviva.judge.exact.sums import symbol_of
from visviva.notation.evaluate import evaluate
from visviva.notation.names import inside
from visviva.notation.shapes import shape_of
from visviva.notation.tree import (
    IN_TIME,
    SLOPE,
    Call,
    Equation,
    Matrix,
    Name,
    Negative,
    Node,
    Number,
    Product,
    Quotient,
    Sum,
    children,
    names,
    rebuilt,
    rewritten,
    walk,
)
from visviva.notation.tree_sympy import from_sympy, to_sympy

OWNED = "the mechanism's own"  # noted of quantities that a claim takes as they are
RELATES = "it relates quantities of the mechanism, by definition or by a law of mechanics"
CALCULUS = "nothing of the mechanism is in it: it holds by calculus alone"
ALONG = "rates are taken along motions: accelerations follow from the equations of motion"
LONGEST_LEFT = 60  # characters of a left side that a verdict is headed by


def with_steps(claim: Claim, facts: Facts) -> Claim:
    """A claim in the system's names, without marks and derivatives."""
    _must_be_one_force(claim, facts)
    claim = _with_laws(claim, facts)
    if not claim.step:
        return claim
    _must_say_something(claim, facts)
    _must_not_vanish(claim, facts)
    must_fix_or_follow(claim, facts)
    typed_node, partials = claim.node, Partials(facts, claim.node)
    node = _closed(worked_out(claim.node, facts, partials), facts)
    _must_not_be_itself(claim, node, facts)
    moving = {*(a for _, a in facts.rates), *(f"{FORCE}{k + 1}" for k in range(len(facts.rates)))}
    subject, used = claim.subject, {symbol_of(n) for n in names(node)}
    whole = isinstance(node, Equation) and subject == Subject(EQUATION)
    if whole and not used & moving:
        subject = replace(Subject(IDENTITY), said=_left(claim))
    relates = claim.relates or relates_quantities(claim, facts)
    free = frozenset(x for x in claim.free if not x.startswith((OWN, KEPT)))
    notes = (*claim.notes, *_notes(claim, relates, subject), *partials.notes)
    typed = any(n.dots == 2 or n.key.startswith(FORCE) for n in names(claim.node))
    rated = whole and not (typed or relates) and not used.isdisjoint(a for _, a in facts.rates)
    own = (marked_subject(n.key) for n in names(claim.node) if n.key.startswith(OWN))
    uses = tuple(dict.fromkeys(str(x) if x.kind in KINDS else x.kind for x in own))
    claim = replace(claim, node=node, subject=subject, notes=notes, free=free, uses=uses)
    return replace(claim, relates=relates, rated=rated, kept=_is_kept(typed_node))


def _is_kept(node: Node) -> bool:
    """Whether it says what the rate of something is, dE/dt = 0."""
    sides = (node.left, node.right) if isinstance(node, Equation) else ()
    return sum(isinstance(x, Call) and x.function == IN_TIME for x in sides) == 1


def _with_laws(claim: Claim, facts: Facts) -> Claim:
    """With quantities in the laws of forces put in: tau1 = g1 - kp q1."""
    for n in (n for _, _, law in claim.laws for n in names(law) if n.key.startswith(OWN)):
        subject = marked_subject(n.key)
        if subject.kind not in KINDS or KINDS[subject.kind].rank == 0:
            raise ArgumentError(
                f"{n.text} is an energy of the mechanism here, hardly a part of a law of a force: "
                f"for a gain of a controller take another name, k{n.text.lower()}"
            )
    laws = tuple((key, text, _closed(law, facts)) for key, text, law in claim.laws)
    free = frozenset(x for x in claim.free if claim.step or not x.startswith(OWN))
    return replace(claim, laws=laws, free=free)


def is_calculus(claim: Claim) -> bool:
    """Whether derivatives are all that a step has: nothing of the mechanism."""
    return claim.step and claim.tip is None and not any(OWNED in x for x in claim.notes)


def relates_quantities(claim: Claim, facts: Facts) -> bool:
    """Whether a claim has quantities on both sides, L = T - V, so that it is no formula for one.

    An equation with quantities on one side is one, ∂T/∂θ = 0, but where terms are only moved to
    the other side: d/dt ∂L/∂θ' - ∂L/∂θ = 0, M11 q1'' + … = tau1, m x'' = -∂V/∂x.
    """
    node = claim.node
    if _is_in_momenta(claim, facts):
        return False
    if not isinstance(node, Equation):
        return has_own(node)
    left, right = has_own(node.left), has_own(node.right)
    if left == right:
        return left
    own, other = (node.left, node.right) if left else (node.right, node.left)
    if any(n.dots == 2 for n in names(other)) and not has_slopes(own):
        return True
    if any(_may_vanish(x, facts) for x in _factors(own)):
        return True
    several = isinstance(own, Product) and sum(map(has_own, own.factors)) > 1  # M^-1 M = 1
    plain = not any(n.key in facts.parameters for n in names(other))
    return (isinstance(own, Sum) or several) and plain


def _factors(node: Node) -> tuple[Node, ...]:
    """Of a product, above a line and behind a sign too."""
    match node:
        case Negative(of=inside) | Quotient(top=inside):
            return _factors(inside)
        case Product(factors=factors):
            return tuple(y for x in factors for y in _factors(x))
    return (node,)


def _may_vanish(x: Node, facts: Facts) -> bool:
    """Whether what a quantity is multiplied by may be zero: sin(q2) M22, (m1 - m2) M22."""
    if has_own(x) or has_slopes(x) or shape_of(x) is not None:
        return False
    differs = any(isinstance(y, Negative) for y in walk(x) if y is not x)
    return differs or any(n.key not in facts.parameters for n in names(x))


def _is_in_momenta(claim: Claim, facts: Facts) -> bool:
    """Whether momenta are the variables of a formula, as in Hamilton's mechanics: H = p²/(2 m).

    Or p' = ..., alone on its side; a parameter that cancels makes no formula of a relation.
    """
    node, row = claim.node, KINDS.get(claim.subject.kind)
    own = {marked_subject(n.key).kind for n in names(node) if n.key.startswith(OWN)}
    if isinstance(node, Equation):
        is_formula = isinstance(node.left, Call) and node.left.function == IN_TIME
        node = node.right
    else:
        is_formula = row is not None and row.letters[:1] in (("H",), ("E",))
    if own != {MOMENTA} or not is_formula:
        return False
    left = sympy.expand(to_sympy(_opaque(node)))
    return any(s.name in facts.parameters for s in left.free_symbols)


def _notes(claim: Claim, relates: bool, subject: Subject) -> list[str]:
    said = dict.fromkeys(n.text for n in names(claim.node) if n.key.startswith(OWN))
    if not said:
        return [RELATES] if relates else []
    verb = "stands" if len(said) == 1 else "stand"
    notes = [f"{', '.join(said)} {verb} for {OWNED}"]
    if relates:
        about = "" if subject.kind == IDENTITY else f", and is no formula for {subject}"
        notes.append(f"{RELATES}{about}")
    return notes


def _left(claim: Claim) -> str:
    left = claim.text.partition("=")[0].strip(" $&")
    return left if 0 < len(left) <= LONGEST_LEFT and left != "0" else ""


def _is_nothing(x: sympy.Expr) -> bool:
    """Whether it is zero whatever its symbols are: also (sin² + cos² - 1) M22."""
    if (x := sympy.expand(x)) == 0:
        return True
    values = {
        s: sympy.Rational(7 + 3 * k, 11 + 2 * k)
        for k, s in enumerate(sorted(x.free_symbols, key=str))
    }
    there = x.subs(values).evalf(30) if x.has(sympy.sin) else x
    return bool(there.is_number and abs(there) < 1e-20)


def _must_say_something(claim: Claim, facts: Facts) -> None:
    """Refuses what is true whatever the quantities are: L = L, 2 T = T + T, M = M."""
    node, subject = claim.node, claim.subject
    if not isinstance(node, Equation) and subject.kind in KINDS and not subject.index:
        node = Equation(entries(subject, len(facts.rates), Name("")), node)
    if not isinstance(node, Equation):
        return
    counts = has_own(node) or CONSERVED in claim.notes  # d/dt(m l^2) = 0 holds by calculus
    gap = to_sympy(_opaque(_without_fixed(node, facts) if counts else node))
    gaps = list(gap) if isinstance(gap, sympy.MatrixBase) else [gap]
    if all(map(_is_nothing, gaps)):
        raise ArgumentError(
            f"{claim.text:.200} says nothing: both sides are the same whatever the quantities in "
            "it are; write on one side what the other one is, as a formula"
        )


def _without_fixed(node: Node, facts: Facts) -> Node:
    """With 0 for rates of what is fixed whatever the quantities are: 0 E, E - E, m l²."""
    match node:
        case Call(function, (Matrix() as table,)) if function == IN_TIME:
            rates = (Call(IN_TIME, (x,)) for x in children(table))
            return rebuilt(table, tuple(_without_fixed(x, facts) for x in rates))
        case Call(function, (of,)) if function == IN_TIME and shape_of(of) is None:
            x = to_sympy(_opaque(of))
            moving = [s for s in x.free_symbols if s.name not in facts.parameters]
            return Number(0) if all(_is_nothing(sympy.diff(x, s)) for s in moving) else node
    return rebuilt(node, tuple(_without_fixed(x, facts) for x in children(node)))


def _must_not_be_itself(claim: Claim, node: Node, facts: Facts) -> None:
    """Refuses q1'' = d/dt(q1'), an acceleration that is worked out to be that acceleration."""
    at = claim.subject.index[0] - 1 if claim.subject.kind == ACCELERATION else None
    if at is not None and isinstance(node, Name) and symbol_of(node) == facts.rates[at][1]:
        raise ArgumentError(
            f"{claim.text:.200} says nothing of {facts.name!r}: write what {claim.subject} is"
        )


def _must_be_one_force(claim: Claim, facts: Facts) -> None:
    """Q = -∂V/∂q without accelerations: all forces of a book, or what holds the system still."""
    node, left = claim.node, claim.text.partition("=")[0].strip(" $&{")
    named = claim.subject.kind == EQUATION and claim.subject.index and left[:1] in ("Q", "F", "f")
    if not named or isinstance(node, Equation) or node == Number(0):
        return
    rates = {x for pair in facts.rates for x in pair}
    rested = any(key in rates for key, _ in claim.assumed)
    moving = any(n.dots == 2 or n.key.startswith(FORCE) for n in names(node))
    rated = any(isinstance(x, Call) and x.function == IN_TIME for x in walk(node))
    if not (rested or moving or rated):
        raise ArgumentError(
            f"{left} = ... without an acceleration is not clear: for the generalized force of the "
            "potential judge ∂V/∂q = ... or g1 = ..., for that of friction b1 = ...; for what "
            "drives the system write its equation of motion with all terms, tau1 = ..."
        )


def must_be_clear(claim: Claim, facts: Facts) -> None:
    """Refuses wrong claims whose letters are hardly what they were taken for.

    T of m x'' = m g - T is no kinetic energy, and p of J = ∂p/∂q no momentum.
    """
    moving = any(n.dots == 2 for n in names(claim.node))
    own = (x for x in outside_slopes(claim.node) if isinstance(x, Name) and x.key.startswith(OWN))
    ranks = {kind: row.rank for kind, row in KINDS.items()}
    energies = [x for x in own if ranks.get(marked_subject(x.key).kind) == 0]
    if moving and energies:
        said, subject = energies[0].text, marked_subject(energies[0].key)
        forces = facts.forms.multiplier_names
        line = (
            f", {said} = -{forces[0]}; ..., as forces of constraints are called" if forces else ""
        )
        raise ArgumentError(
            f"{said} is {subject} here, which is hardly a term of an equation of motion: say first "
            f"what it is{line or f', {said} = ...; ...'}, or take another name"
        )
    inside = (marked_subject(n.key) for n in names(claim.node) if n.key.startswith(OWN))
    if claim.subject.kind == FRAME_JACOBIAN.exact and any(x.kind == MOMENTA for x in inside):
        raise ArgumentError(
            "p may be the position or M q': write J = [[∂x/∂q1, ...], [∂y/∂q1, ...]]"
        )


def _must_not_vanish(claim: Claim, facts: Facts) -> None:
    """Refuses quantities that are 0 in formulas: C of -C x'^2 is a constant of somebody's.

    Among quantities alone they may stand: M12 of p1 = M11 q1' + M12 q2'.
    """
    among = not any(n.key in facts.parameters for n in names(claim.node))
    own: dict[str, list[Subject]] = {}
    for n in names(claim.node):
        if n.key.startswith(OWN):
            own.setdefault(n.text, []).append(marked_subject(n.key))
    kinds = {x.kind for subjects in own.values() for x in subjects}
    if among and (len(facts.rates) > 1 or MASS_TERM.exact in kinds):
        return
    for said, subjects in own.items():
        if subjects[0].kind in KINDS and subjects[0].index and not any(map(facts.of, subjects)):
            raise ArgumentError(
                f"{said} would be {subjects[0]}, which is 0 for {facts.name!r}: leave it out; a "
                "constant of your own is none of this system, state the system with it"
            )


def _opaque(node: Node) -> Node:
    """A formula with a name for every derivative, alike for those that are written alike."""
    if isinstance(node, Call) and node.function in (SLOPE, IN_TIME):
        said, shape = repr(node), shape_of(node)
        if shape is None:
            return Name(inside("slope", said))
        rows, columns = map(range, shape)
        return Matrix(
            tuple(tuple(Name(inside("slope", f"{said} {i} {j}")) for j in columns) for i in rows)
        )
    return rebuilt(node, tuple(map(_opaque, children(node))))


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


def _closed(node: Node, facts: Facts) -> Node:
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
    if any(a in there for _, a in facts.rates):
        raise ArgumentError("a third time derivative is in no equation")
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
