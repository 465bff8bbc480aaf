"""Steps of derivations: quantities of the mechanism put in, derivatives worked out.

All of it happens on formulas, before values of coordinates are put in: ∂M11/∂q2 at q2 = 0 is not
the derivative of M11 at q2 = 0.
"""

from __future__ import annotations

from dataclasses import replace

import sympy

from visviva.describe.quantities import FRAME_JACOBIAN, KINDS, MASS_TERM
from visviva.errors import ArgumentError
from visviva.judge.check.compare.partials import (
    Partials,
    must_fix_or_follow,
    with_own,
    worked_out,
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
from visviva.judge.check.said.subjects import ACCELERATION, EQUATION, IDENTITY, Subject
from visviva.judge.check.said.tip import LOADS, TIP
from visviva.judge.check.said.used import KEPT
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.forms import Facts
from visviva.judge.exact.sums import symbol_of
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
    Power,
    Product,
    Quotient,
    Sum,
    children,
    names,
    rebuilt,
    walk,
)
from visviva.notation.tree_sympy import to_sympy

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
    _must_be_integral(claim)
    must_say_something(claim, facts)
    _must_not_vanish(claim, facts)
    must_fix_or_follow(claim, facts)
    typed_node, partials = claim.node, Partials(facts, claim.node)
    node = with_own(worked_out(claim.node, facts, partials), facts)
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
    gives_rate, of_rates = _is_kept(typed_node), _is_of_rates(claim, typed_node, facts)
    return replace(claim, relates=relates, rated=rated, kept=gives_rate, of_rates=of_rates)


def _is_kept(node: Node) -> bool:
    """Whether it says what the rate of something is, dE/dt = 0."""
    sides = (node.left, node.right) if isinstance(node, Equation) else ()
    return sum(isinstance(x, Call) and x.function == IN_TIME for x in sides) == 1


def _is_of_rates(claim: Claim, node: Node, facts: Facts) -> bool:
    """Whether it says what a rate is, or that there is none, and is no equation of motion.

    Of those d/dt ∂L/∂q' is a part, and rates of positions and of their rates are accelerations.
    """
    velocities, known_names = {v for v, _ in facts.rates}, {*facts.coordinates, *facts.parameters}

    def is_in_equations(x: Node) -> bool:
        if isinstance(x, Call) and x.function in (SLOPE, IN_TIME):
            return True
        symbols = {symbol_of(n) for n in names(x)}
        return symbols <= known_names or (isinstance(x, Name) and symbols <= velocities)

    rates = (x for x in walk(node) if isinstance(x, Call) and x.function == IN_TIME)
    return claim.is_constant or not all(is_in_equations(x) for y in rates for x in y.arguments)


def _with_laws(claim: Claim, facts: Facts) -> Claim:
    """With quantities in the laws of forces put in: tau1 = g1 - kp q1."""
    for n in (n for _, _, law in claim.laws for n in names(law) if n.key.startswith(OWN)):
        subject = marked_subject(n.key)
        if subject.kind not in KINDS or KINDS[subject.kind].rank == 0:
            raise ArgumentError(
                f"{n.text} is an energy of the mechanism here, hardly a part of a law of a force: "
                f"for a gain of a controller take another name, k{n.text.lower()}"
            )
    laws = tuple((key, text, with_own(law, facts)) for key, text, law in claim.laws)
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
    left, right = _is_of_mechanism(node.left), _is_of_mechanism(node.right)
    if left == right:
        return left
    own, other = (node.left, node.right) if left else (node.right, node.left)
    if any(n.dots == 2 for n in names(other)) and has_own(own) and not has_slopes(own):
        return True
    if any(_may_vanish(x, facts) for x in _factors(own)):
        return True
    several = isinstance(own, Product) and sum(map(_is_of_mechanism, own.factors)) > 1  # M^-1 M = 1
    plain = not any(n.key in facts.parameters for n in names(other))
    return (isinstance(own, Sum) or several) and plain


def _is_of_mechanism(node: Node) -> bool:
    """Whether quantities of the mechanism are in a formula, those of its tip among them."""
    loads = TIP + LOADS  # F is what somebody exerts
    return has_own(node) or any(n.key.startswith(TIP) and n.key != loads for n in names(node))


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
    if _is_of_mechanism(x) or has_slopes(x) or shape_of(x) is not None:
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
    """Whether it is zero whatever its symbols are: also (sin² + cos² - 1) M22, M22²/M22 - M22."""
    x = sympy.expand(x)
    if x == 0 or x.is_polynomial():
        return bool(x == 0)
    symbols = sorted(x.free_symbols, key=str)
    numbers = [sympy.Rational(7 + 3 * k, 11 + 2 * k) for k in range(len(symbols))]
    for first, then in ((1, 1), (-1, 1), (1, -1)):  # signs: T = |T| says something
        values = [first * then**k * a for k, a in enumerate(numbers)]
        there = x.subs(dict(zip(symbols, values, strict=True)))
        if not there.is_number or abs(there.evalf(30)) >= 1e-20:
            return False
    return True


def must_say_something(claim: Claim, facts: Facts) -> None:
    """Refuses what is true whatever the quantities are: L = L, 2 T = T + T, q'' = d/dt(q')."""
    node = _whole(claim, facts)
    if node is None:
        return
    counts = has_own(node) or claim.is_constant  # d/dt(m l^2) = 0 holds by calculus
    gap = to_sympy(_opaque(_without_fixed(node, facts) if counts else node))
    gaps = list(gap) if isinstance(gap, sympy.MatrixBase) else [gap]
    if all(map(_is_nothing, gaps)):
        raise ArgumentError(
            f"{claim.text:.200} says nothing: both sides are the same whatever the quantities in "
            "it are; write on one side what the other one is, as a formula"
        )


def _whole(claim: Claim, facts: Facts) -> Equation | None:
    """A claim as an equation, with what its value is of on the left."""
    node, subject = claim.node, claim.subject
    if isinstance(node, Equation):
        return node
    if subject.kind == ACCELERATION and subject.index:
        acceleration = facts.rates[subject.index[0] - 1][1]
        of = next((q for q, _, a in facts.moving if a == acceleration), "")
        return Equation(Name(of, 2) if of else Name(acceleration), node)
    row = KINDS.get(subject.kind)
    if row is not None and (subject.index or not row.about):
        return Equation(entries(subject, len(facts.rates), Name("")), node)
    return None if claim.left is None else Equation(claim.left, node)


def _must_be_integral(claim: Claim) -> None:
    """Refuses 2 M22 = 2 I2 + const, a formula that is right up to anything that does not change."""
    own = [n.text for n in names(claim.node) if n.key.startswith(OWN)]
    if claim.is_added and (own or claim.tip is not None):
        what = f"{own[0]} is" if own else "what is said of the tip is"
        raise ArgumentError(
            f"{claim.text:.200}: {what} of the mechanism, and a formula for it has no open "
            "constant: leave const out (an energy is judged up to one, V = ... + const); for what "
            "is constant along motions write const alone on one side, T + V = const"
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
    """A formula with a name for every derivative and inverse, one for all that are written alike.

    The rate of a name is that name with one more dot: d/dt(q') and q'' are one.
    """
    match node:
        case Call(function, (of,)) if function == IN_TIME and isinstance(x := _opaque(of), Name):
            return replace(x, dots=x.dots + 1)
        case Call(function) if function in (SLOPE, IN_TIME):
            return _unknown(node)
        case Power(_, exponent) if exponent == Number(-1) and shape_of(node) is not None:
            return _unknown(node)
    return rebuilt(node, tuple(map(_opaque, children(node))))


def _unknown(node: Node) -> Node:
    """A name for a node, or a matrix of names."""
    said, shape = inside("unknown", repr(node)), shape_of(node)
    return Name(said) if shape is None else table_of(said, shape)


def table_of(key: str, shape: tuple[int, int]) -> Matrix:
    """A matrix of names."""
    rows, columns = map(range, shape)
    return Matrix(tuple(tuple(Name(f"{key} {i} {j}") for j in columns) for i in rows))
