"""Quantities of the mechanism in formulas: T and V of L = T - V, M11 of p1 = M11 q1' + M12 q2'.

A name on the right is the mechanism's own quantity where it is no name of the system and the claim
does not define it. It is marked here, entry by entry, and put in once all other names are read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

from visviva.describe.quantities import FRAME_JACOBIAN, KINDS
from visviva.errors import ArgumentError
from visviva.judge.check.said.books import BOOKS, FIRST, LAST, Request, by_name
from visviva.judge.check.said.statements import Statement
from visviva.judge.check.said.subjects import (
    IDENTITY,
    SINGLE,
    Subject,
)
from visviva.judge.check.said.tip import Tip
from visviva.judge.check.said.values import assumes
from visviva.judge.check.said.vocabulary import ANGLES, COORDINATES, FORCE, alike, split
from visviva.judge.exact.forms import Facts
from visviva.notation.names import inside
from visviva.notation.reading.read import canonical
from visviva.notation.reading.vocabulary import looks_like_shorthand
from visviva.notation.shapes import fits
from visviva.notation.tree import (
    IN_TIME,
    OF_MATRICES,
    SLOPE,
    TRANSPOSE,
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

OWN = inside("own", "")  # begins the names of entries that are put in later
MOVED = ("p", "pe")  # whose rates are velocities of the tip, where there is one
MOMENTA = "momenta"
DAMPED = SINGLE["b"]
NO_QUANTITY = ("v", "d")  # letters of velocities and of distances


def marker(subject: Subject, name: Name) -> Node:
    """The name of an entry, or a matrix of those of all entries."""
    return Name(
        f"{OWN}{subject.kind}/{','.join(map(str, subject.index))}/{subject.frame}",
        text=name.text or name.key,
        column=name.column,
    )


def marked_subject(key: str) -> Subject:
    """What a marked name stands for."""
    kind, index, frame = key.removeprefix(OWN).split("/", 2)
    return Subject(kind, tuple(int(k) for k in index.split(",") if k), frame)


def entries(subject: Subject, count: int, name: Name) -> Node:
    """All entries of a vector or a matrix of coordinates."""
    rank, places = KINDS[subject.kind].rank, range(1, count + 1)
    if rank == 0 or subject.index:
        return marker(subject, name)
    columns: Iterable[tuple[int, ...]] = [(j,) for j in places] if rank == 2 else [()]
    rows = [[replace(subject, index=(i, *j)) for j in columns] for i in places]
    return Matrix(tuple(tuple(marker(x, name) for x in row) for row in rows), column=name.column)


def is_step(node: Node) -> bool:
    """Whether quantities of the mechanism or derivatives are in a formula."""
    return has_own(node) or has_slopes(node)


def has_own(node: Node) -> bool:
    """Whether quantities of the mechanism are in a formula."""
    return any(isinstance(x, Name) and x.key.startswith(OWN) for x in walk(node))


def has_slopes(node: Node) -> bool:
    """Whether derivatives are in a formula."""
    return any(isinstance(x, Call) and x.function in (SLOPE, IN_TIME) for x in walk(node))


def outside_slopes(node: Node) -> Iterator[Node]:
    """A node and all nodes inside it, but for what is derived."""
    if not (isinstance(node, Call) and node.function in (SLOPE, IN_TIME)):
        yield node
        for x in children(node):
            yield from outside_slopes(x)


@dataclass(frozen=True, eq=False)
class Quantities:
    """Those that the statements of a claim may name; none that it defines itself."""

    facts: Facts
    request: Request
    said: list[Statement]
    tip: Tip
    shorthand: bool = False
    numbers: frozenset[str] = frozenset()  # letters of matrices that are parameters here

    def marked(self) -> list[Statement]:
        """The statements with all quantities in formulas marked."""
        notes = (self._told(x.node) for x in self.said)
        pairs = zip(self.said, notes, strict=True)
        return [x._replace(node=self._statement(x.node), notes=x.notes + more) for x, more in pairs]

    def _told(self, node: Node) -> tuple[str, ...]:
        """How c_ijk is read where only its equation says so."""
        way = "" if self.request.symbols else self._counted(node)
        return (f"{BOOKS[way][1]}, by the equation in which all of these stand",) if way else ()

    def _statement(self, node: Node) -> Node:
        """Letters of energies are these first; where shapes do not fit, vectors and matrices.

        Where neither fits, M of [M q1'', M q2''], a letter that may be a parameter is that.
        """
        if assumes(node, self.facts):
            return node
        row = replace(self, request=replace(self.request, symbols=self._counted(node)))
        order = (True, False) if self._is_wide(node) else (False, True)
        there = {n.key: replace(n, dots=0) for x in _formulas(node) for n in names(x)}
        whole = {k for k, n in there.items() if self._is_whole(n) and self._may_be_parameter(k)}
        rows = (row, replace(row, numbers=frozenset(whole))) if whole else (row,)
        ways = (x._marked(node, wide) for x in rows for wide in order)
        found = next((x for x in ways if all(map(fits, _formulas(x)))), None)
        if found is None:
            self._must_be_parameters(node)
        return found or row._marked(node, False)

    def _is_wide(self, node: Node) -> bool:
        """Whether a letter of an energy stands before a vector, H q'', and is a matrix there."""
        products = (x.factors for x in walk(node) if isinstance(x, Product))
        beside = (
            x
            for factors in products
            if any(isinstance(y, Matrix) for y in factors)
            for x in factors
        )
        letters = [x for x in beside if isinstance(x, Name) and self.subject(x)]
        return any(not _has_rank(self.subject(x)) and self._whole(x) for x in letters)

    def _counted(self, node: Node) -> str:
        """Which index of c_ijk counts equations, by the one in which all of them stand.

        Of d11 q1'' + … + c121 q1' q2' + c211 q2' q1' = tau1 it can only be the last.
        """
        forces = {n.key for n in names(node) if n.key.startswith(FORCE)}
        found = (re.fullmatch(r"c([1-9]{3})", n.key) for n in names(node))
        indices = [x[1] for x in found if x]
        if self.request.symbols or len(forces) != 1 or not indices:
            return self.request.symbols
        row = forces.pop().removeprefix(FORCE)
        first, last = ({x[k] for x in indices} == {row} for k in (0, 2))
        return LAST if last and not first else FIRST if first and not last else ""

    def _must_be_parameters(self, node: Node) -> None:
        """An error for M q'' where M is a parameter, and the mass matrix was meant."""
        for n in names(node):
            if n.key in self.facts.parameters and not n.arguments and self._whole(n):
                said = n.text or n.key
                raise ArgumentError(
                    f"numbers, vectors and matrices do not fit here: {said} is a parameter of "
                    f"{self.facts.name!r}; for {self._whole(n)} write {said}(q)"
                )

    def _marked(self, node: Node, wide: bool) -> Node:
        put = partial(self._put, wide)
        if not isinstance(node, Equation):
            return rewritten(node, put)
        named = isinstance(node.left, Name) and not node.left.dots
        left = node.left if named and self.request.of != IDENTITY else rewritten(node.left, put)
        return Equation(left, rewritten(node.right, put), column=node.column)

    def _put(self, wide: bool, name: Name) -> Node | None:
        subject = self.subject(replace(name, dots=0))
        if wide and subject is not None and not _has_rank(subject):
            subject = self._whole(name) or subject
        if subject is None and name.arguments:
            said = name.text or name.key
            raise ArgumentError(f"{said}(q) is no quantity of {self.facts.name!r}: write {said}")
        if subject is None or (name.key in {*self._unclear, *self.numbers} and not name.arguments):
            return None
        if name.dots and name.key in MOVED and self.facts.frames and not self._has_hamilton:
            return None
        node = entries(subject, len(self.facts.rates), name)
        for _ in range(name.dots):
            node = _rate(node)
        return node

    def subject(self, name: Name) -> Subject | None:
        """The quantity that a name is, if it is one."""
        key, facts = name.key, self.facts
        symbols = {*facts.parameters, *facts.coordinates, *facts.forms.multiplier_names}
        own = key in symbols or key in self._rates
        taken = key in self.request.defined | self._brought or key.startswith((FORCE, OWN))
        if taken or (own and not name.arguments):
            return None
        if key in NO_QUANTITY or self._is_short(key) or self.tip.meaning(name):
            return None
        if key in self._known:
            return self._known[key]
        self._known[key] = found = self._quantity(name)
        return found

    @cached_property
    def _known(self) -> dict[str, Subject | None]:
        return {}

    def _quantity(self, name: Name) -> Subject | None:
        entry = by_name(name, Name(OWN), self.facts, replace(self.request, of=""))
        if entry is not None and entry.kind == DAMPED:  # b1, d2: constants, or distances
            return None
        return entry if entry is not None and self._is_right(entry) else self._whole(name)

    def _whole(self, name: Name) -> Subject | None:
        """A vector or a matrix by its letter, of several coordinates."""
        facts = self.facts
        if len(facts.rates) == 1:
            return None
        letter = canonical(name.text or name.key) if name.arguments else name.key
        kinds = [row for row in KINDS.values() if letter in row.letters and not row.about]
        ranks = (1, 2) if letter[:1].isupper() else (1,)
        kinds = [row for row in kinds if row.rank in ranks and self._has(row.exact)]
        others = [row for row in KINDS.values() if letter in row.others and row.rank == 1]
        if not kinds or kinds[0].indices.strip("q"):
            return None
        if others and kinds[0].rank == 1 and len(letter) == 1 and letter != "g":
            if alike(letter, facts) or not self._has_vectors:
                return None
            listed = ", or ".join(row.phrase for row in (kinds[0], *others))
            raise ArgumentError(
                f"{name.text or letter} may be {listed}: write it out, C q' + g, or say first what "
                f"it is, {name.text or letter} = [...]; ..."
            )
        return Subject(kinds[0].exact) if kinds[0].rank == 2 or self._has_vectors else None

    def _is_right(self, subject: Subject) -> bool:
        """Whether it may stand in formulas: of coordinates, not of frames, but where asked so."""
        if subject.kind not in KINDS or not self._has(subject.kind):
            return False
        if subject.frame:
            entry = subject.kind == FRAME_JACOBIAN.exact and bool(subject.index)
            return entry or self.request.of == IDENTITY
        return bool(subject.index) or KINDS[subject.kind].rank == 0

    def _has(self, kind: str) -> bool:
        return not KINDS[kind].of_rows or bool(self.facts.forms.held_by)

    def _is_short(self, key: str) -> bool:
        """Whether C12 may be cos(q1 + q2); beside C11 or C21 it is none."""
        letters, index = split(key)
        if not looks_like_shorthand(key) or [*index] != sorted({*index}):
            return False
        if len(index) != 2 or letters != "C" or self.shorthand:
            return True
        pairs = (split(x) for x in self._keys if x[:1] == "C" and x not in self.request.defined)
        entries_ = [i for stem, i in pairs if stem == "C" and len(i) == 2]
        return not any([*i] != sorted({*i}) for i in entries_)

    @cached_property
    def _rates(self) -> frozenset[str]:
        return frozenset(x for pair in self.facts.rates for x in pair)

    @cached_property
    def _brought(self) -> frozenset[str]:
        """Names that assumptions bring: l = L/2 has a new L."""
        nodes = (x.node for x in self.said if assumes(x.node, self.facts))
        return frozenset(n.key for x in nodes if isinstance(x, Equation) for n in names(x.right))

    @cached_property
    def _keys(self) -> list[str]:
        return [n.key for x in self.said for y in _formulas(x.node) for n in names(y)]

    @cached_property
    def _has_vectors(self) -> bool:
        nodes = [x.node for x in self.said]
        whole = any(isinstance(x, Equation) and x.left == Name("tau") for x in nodes)  # tau = g
        return whole or any(isinstance(y, Matrix) for x in nodes for y in walk(x))

    @cached_property
    def _has_hamilton(self) -> bool:
        """Whether H is derived, so that p' is the rate of a momentum: p' = -∂H/∂q."""
        return any("H" in _derived(x.node) for x in self.said)

    @cached_property
    def _unclear(self) -> Collection[str]:
        """Keys that may be parameters too, L for l, and are, as they stand among parameters."""
        formulas = [y for x in self.said for y in _formulas(x.node)]
        there = {n.key: replace(n, dots=0) for x in formulas for n in names(x)}
        both = [k for k, n in there.items() if self._may_be_parameter(k) and self.subject(n)]
        derived = [k for k in both if any(k in _derived(x) for x in formulas)]
        tables = {n.key for x in formulas for n in _tables(x)}
        factors = {k for k in both for x in formulas if _is_factor(x, k)}
        if mixed := [k for k in derived if k in factors]:
            own = " or ".join(alike(mixed[0], self.facts))
            raise ArgumentError(
                f"{mixed[0]} is derived here, as {self.subject(there[mixed[0]])}, and a factor "
                f"elsewhere: write the parameter as {own}"
            )
        rest = [n for k, n in there.items() if k not in both]
        energies = [k for k in both if not _has_rank(self.subject(there[k]))]
        numbers = [k for k in both if self._is_whole(there[k]) and k not in tables]
        free = all(map(self._is_free, rest)) and factors.isdisjoint(energies)
        if free and (self._has_vectors or not numbers):
            return ()
        return [k for k in both if k not in derived and k not in tables]

    def _is_whole(self, name: Name) -> bool:
        """Whether a letter would be a vector or a matrix."""
        subject = self.subject(name)
        return subject is not None and _has_rank(subject) and not subject.index

    def _may_be_parameter(self, key: str) -> bool:
        """Whether a parameter is nearly called so, that the claim does not call by its name."""
        bare = len(self.facts.rates) == 1 and SINGLE.get(key, MOMENTA) != MOMENTA  # C, b, N
        return bare or any(p not in self._keys for p in alike(key, self.facts))

    def _is_free(self, name: Name) -> bool:
        """Whether a name is no parameter: a coordinate, a force, a quantity."""
        key, facts = name.key, self.facts
        if key in facts.coordinates or key in self._rates or key.startswith(FORCE):
            return True
        moving = split(key)[0] in (*ANGLES, *COORDINATES) and key not in facts.parameters
        return moving or key in ("t", "pi") or self.subject(name) is not None


def _formulas(node: Node) -> list[Node]:
    """The sides of a statement without a name that it is about."""
    if not isinstance(node, Equation):
        return [node]
    named = isinstance(node.left, Name) and not node.left.dots
    return [node.right] if named else [node.left, node.right]


def _has_rank(subject: Subject | None) -> bool:
    return subject is not None and KINDS[subject.kind].rank > 0


def _derived(node: Node) -> set[str]:
    """The keys of terms that are derived somewhere in a formula."""
    slopes = (x for x in walk(node) if isinstance(x, Call) and x.function in (SLOPE, IN_TIME))
    return {n.key for x in slopes for n in terms_of(x.arguments[0])}


def _tables(node: Node) -> Iterator[Name]:
    """Names whose determinant, trace or transpose is written: these are matrices."""
    for x in walk(node):
        match x:
            case Call(function, (Name() as name,)) if function in (*OF_MATRICES, TRANSPOSE):
                yield name


def _is_factor(node: Node, key: str) -> bool:
    """Whether a name stands anywhere but as a term of a sum, or of what is derived."""
    derived = [x for x in walk(node) if isinstance(x, Call) and x.function in (SLOPE, IN_TIME)]
    terms = [n for x in (node, *(y.arguments[0] for y in derived)) for n in terms_of(x)]
    there = [n for n in walk(node) if isinstance(n, Name) and n.key == key]
    return len(there) > sum(n.key == key for n in terms)


def terms_of(node: Node) -> Iterator[Name]:
    """The names that are terms of a sum, perhaps with a number."""
    match node:
        case Name():
            yield node
        case Sum(terms):
            for x in terms:
                yield from terms_of(x)
        case Negative(of) | Quotient(of, Number()):
            yield from terms_of(of)
        case Product(factors):
            rest = [x for x in factors if not isinstance(x, Number)]
            if len(rest) == 1:
                yield from terms_of(rest[0])


def _rate(node: Node) -> Node:
    """Of a name, or of all entries of a matrix."""
    if isinstance(node, Matrix):
        return rebuilt(node, tuple(_rate(x) for x in children(node)))
    return Call(IN_TIME, (node,), column=node.column)
