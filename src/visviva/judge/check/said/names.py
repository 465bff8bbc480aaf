"""How the names of claims are read as those of a system."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from visviva.describe.quantities import KINDS
from visviva.errors import ArgumentError, UnknownNameError, UnusedNameError, VisvivaError
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.runs import CONSTANTS
from visviva.judge.check.said.statements import statements
from visviva.judge.check.said.subjects import EQUATION, MOST_DIGITS, SINGLE, subject_of
from visviva.judge.check.said.vocabulary import (
    ANGLES,
    CENTRES,
    FORCE,
    LENGTHS,
    LINKS,
    constant_advice,
    force_advice,
    matches,
    multiplier_advice,
    split,
    turning_advice,
)
from visviva.judge.exact.forms import Facts
from visviva.judge.exact.sums import symbol_of
from visviva.notation.names import acceleration_name, velocity_name
from visviva.notation.reading.read import canonical
from visviva.notation.reading.units import SI
from visviva.notation.reading.vocabulary import (
    GREEK_WORDS,
    Vocabulary,
    is_sum,
    looks_like_shorthand,
    spellings,
)
from visviva.notation.tree import Equation, Matrix, Name, Node, names, rewritten, walk

MOST_WRITTEN = 3  # joints for which a line is written out
_TURNING = re.compile("(?:J(?:w|omega)|w|omega)([1-9])")
_GAIN = re.compile("[kK][pdviPDVI][0-9]*")
_WORD = re.compile("[A-Za-z][a-z]+")
_PULLING = ("F", "f", "N", "R", "S", "T")  # letters of forces that hold
LONG = 4  # letters of a word that is no name


def must_be_used(
    said: Mapping[str, str], claim: Any, words: Vocabulary, known: Facts, shown: Iterable[str]
) -> None:
    """Refuses names of symbols= that the claim has not: a slip of the pen would pass unseen.

    Forces may be named that are left out, names of the system that change their places, and what
    the verdict finds missing, `shown`.
    """
    if not said:
        return
    there = [x for s in statements(claim, words) for x in walk(s.node) if isinstance(x, Name)]
    keys = {*(canonical(x.text) for x in there if x.text), *shown}
    own = {canonical(x) for x in (*known.coordinates, *known.parameters)}
    absent = [
        name
        for name, official in said.items()
        if not (official.startswith(FORCE) or name in own or keys & {name, *spellings(name)})
        and not (words.shorthand and official in known.coordinates)
    ]
    if absent:
        raise UnusedNameError(absent, [x.text for x in there if x.text])


def reading(found: list[Claim], known: Facts) -> dict[str, str]:
    """What names that are none of the system's mean, by letter and index."""
    nodes = [x for c in found for x in (c.node, *(law for _, _, law in c.laws))]
    free = {x for c in found for x in c.free}
    strange = [n for n in strangers(nodes, known) if n.key not in free]
    for n in (x for node in nodes for x in names(node)):
        if n.dots and n.key in free:
            raise ArgumentError(
                f"{n.text or n.key}: {n.key} stands for a parameter, it has no rate"
            )
    everywhere = (x for node in nodes for x in walk(node) if isinstance(x, Name))
    used = {x.key for x in everywhere if not _is_short(x)}  # c2 is no use of the name q2
    try:
        way = matches(strange, known, used)
        must_be_one_letter(nodes, way, known)
        return way
    except VisvivaError as error:
        if way_of_laws := _law(found, strange, known):
            raise ArgumentError(f"{error}{way_of_laws}") from None
        whole = [n.text or n.key for n in strange if n.key in SINGLE]
        if whole and any(isinstance(x, Matrix) for node in nodes for x in walk(node)):
            said = f"{whole[0]} = [...]; ..."
            raise ArgumentError(f"{error}; say in the claim what {whole[0]} is: {said}") from None
        if not isinstance(error, UnknownNameError):  # it says itself what may be meant
            raise ArgumentError(str(error)) from None
        unknown = error.unknown.split(", ")
        strange = [n for n in strange if (n.text or n.key) in unknown] or strange
        ways = ((_constant(c, strange), _initial(c, strange, known)) for c in found)
        constant = next((x for pair in ways for x in pair if x), "")
        raise ArgumentError(f"{error}{constant or advice(strange, known)}") from None


def _law(found: Sequence[Claim], strange: Sequence[Name], known: Facts) -> str:
    """How the gains of a controller are read: in laws beside an equation of motion."""
    for claim in (c for c in found if c.subject.kind == EQUATION):
        there = names(claim.node)
        gains = [n for n in strange if n in there and n.key[:1] in "kK"]
        moving = isinstance(claim.node, Equation) or any(n.dots == 2 for n in there)
        if gains and (not moving or any(_GAIN.fullmatch(n.key) for n in gains)):
            return (
                "; gains of a controller are read in laws, joint by joint, beside an equation of "
                f"motion that holds with them: {_with_gains(known)}"
            )
    return ""


def _with_gains(known: Facts) -> str:
    """The law of a joint, and its equation of motion under that; of many joints, the beginning."""
    n, q = len(known.rates), known.coordinates
    held = bool(known.forms.held_by or known.passive)
    if held or not 1 < n == len(known.moving) <= MOST_WRITTEN:
        return f"tau1 = -kp {q[0]}; ... {q[0]}'' + ... = -kp {q[0]}"
    law = f"-kp1 {q[0]} - kd1 {q[0]}'"
    kinds = ("M", "''"), ("C", "'")
    terms = [f"{x}1{k + 1} {name}{dots}" for x, dots in kinds for k, name in enumerate(q)]
    return f"tau1 = {law}; {' + '.join(terms)} + g1 = {law}"


def _constant(claim: Claim, strange: Sequence[Name]) -> str:
    """How m r^2 phi' = l is judged, where l is a constant of the motion."""
    node = claim.typed or claim.node
    dots = [n.dots for n in names(node)]
    if len(strange) != 1 or not isinstance(node, Equation) or max(dots) != 1:
        return ""
    left, _, right = claim.text.partition("=")
    said = {node.left: right, node.right: left}.get(strange[0], "").strip(" $&")
    return constant_advice(strange[0], said) if said else ""


def _initial(claim: Claim, strange: Sequence[Name], known: Facts) -> str:
    """How θ'^2 = (2 g/l)(cos θ - cos θ_0) is judged: what has an initial value is constant."""
    dots = {n.dots for n in names(claim.typed or claim.node)}
    own = {*map(canonical, known.coordinates), "v", "omega", "u"}
    first = [n for n in strange if n.key[-1:] == "0" and n.key.rstrip("0") in own]
    if max(dots, default=0) != 1 or not first or len(first) < len(strange):
        return ""
    said = ", ".join(n.text or n.key for n in first)
    return f"; if {said} is an initial value, write const for the terms that have it: ... + const"


def must_be_one_letter(
    nodes: Sequence[Node],
    way: Mapping[str, str],
    known: Facts,
    asked: Collection[str] | None = None,
) -> None:
    """Refuses lengths of links by two letters, a1 and l2: one may be that of centres of mass.

    If only some names are `asked` about, others may be unclear.
    """
    there = [x for node in nodes for x in walk(node) if isinstance(x, Name)]
    official = {way.get(x.key, x.key) for x in there}
    spelled = {x.key: way.get(x.key, x.key) for x in there if _is_as_typed(x)}
    links = {own: x for own, x in spelled.items() if split(canonical(x))[0] in LINKS}
    links = {own: x for own, x in links.items() if x in known.parameters}
    if len({split(own)[0] for own in links}) < 2:
        return
    centres = {
        split(canonical(p))[1]: p
        for p in known.parameters
        if split(canonical(p))[0] in CENTRES and p not in official
    }
    for own, x in links.items():
        centre = centres.get(split(own)[1])
        if asked is not None and own not in asked:
            continue
        if own in way and centre and split(own)[0] == "l":
            raise ArgumentError(
                f"{own} may be {x} or {centre}, as {', '.join(links)} are lengths by two letters: "
                f"say symbols={{{own!r}: {centre!r}}} or symbols={{{own!r}: {x!r}}}"
            )


def _is_as_typed(name: Name) -> bool:
    """Whether nobody said that it means another name."""
    return canonical(name.text) == canonical(name.key)


def _is_short(name: Name) -> bool:
    key = canonical(name.text)
    return (looks_like_shorthand(key) or is_sum(key, MOST_DIGITS)) and key != name.key


def strangers(nodes: Sequence[Node], facts: Facts) -> list[Name]:
    """Names that are none of the system's."""
    own = {*facts.coordinates, *facts.parameters, *(x for pair in facts.rates for x in pair)}
    own |= {"pi", "t", *facts.forms.multiplier_names}
    motions = {x for pair in facts.rates for x in pair}
    used = [n for node in nodes for n in names(node)]
    for n in used:
        if n.dots and (n.key.startswith(FORCE) or n.key in facts.forms.multiplier_names):
            raise ArgumentError(f"{n.text or n.key}: rates of forces are in no equation of motion")
        if n.dots and n.key in facts.parameters:
            said = n.text or n.key
            raise ArgumentError(f"{said}: {n.key} is a parameter of {facts.name!r}, it has no rate")
        if n.dots and n.key in facts.coordinates and symbol_of(n) not in motions:
            listed = ", ".join(v for v, _ in facts.rates)
            said = n.text or n.key
            raise ArgumentError(f"{said}: velocities of {facts.name!r} are {listed}")
    strange = {n: None for n in used if n.key not in own and not n.key.startswith(FORCE)}
    return list(strange)


def _remark(strange: Sequence[Name]) -> str:
    """Words that stand beside each other and are no formula: final answer."""
    words = [n for n in strange if _WORD.fullmatch(n.text) and n.key not in GREEK_WORDS]
    beside = [(a, b) for a, b in pairwise(words) if b.column == a.column + len(a.text) + 1]
    there = list(dict.fromkeys(x.text for pair in beside for x in pair))
    said = " ".join(there) if any(len(x) >= LONG for x in there) else ""
    return f"; if {said} is a remark, leave it out, or write # {said}" if said else ""


def advice(strange: Sequence[Name], facts: Facts) -> str:
    """What may be meant by names that nobody knows."""
    if remark := _remark(strange):
        return remark
    short = [n.text or n.key for n in strange if looks_like_shorthand(n.key)]
    entries = [
        x for n, x in ((n, n.text or n.key) for n in strange) if re.fullmatch("C[1-9]{2}", n.key)
    ]
    if entries:
        return (
            f"; {entries[0]} may be an entry of the Coriolis matrix, or a cosine: for the entry "
            f"say first what it is, {entries[0]} = ...; ..., for cosines say shorthand=True"
        )
    for n in strange:
        if turning := _TURNING.fullmatch(n.key):
            return f"; {turning_advice(n.text or n.key, turning[1], facts)}"
    if short:
        return f"; if {', '.join(short)} are sines and cosines of joint angles, say shorthand=True"
    if sums := [n for n in strange if is_sum(n.key, len(facts.coordinates))]:
        own = [facts.coordinates[int(k) - 1] for k in split(sums[0].key)[1]]
        return f"; if {sums[0].text or sums[0].key} is {' + '.join(own)}, say shorthand=True"
    pulling = [n for n in strange if n.key[:1] in _PULLING and not n.dots]
    if pulling and facts.forms.multiplier_names:
        return multiplier_advice(pulling[0], facts)
    if any(n.key.startswith(("F", "f", "u")) for n in strange):
        return force_advice(next(n for n in strange if n.key.startswith(("F", "f", "u"))), facts)
    for n in strange:
        subject = None if n.dots else subject_of(n.key, None, "")
        row = KINDS.get(subject.kind) if subject else None
        if row and row.rank > 1 and row.is_clear:
            return f"; if {n.text or n.key} is {subject}, of='identity' compares the two sides"
    if constants := [n.text or n.key for n in strange if n.key in CONSTANTS]:
        return (
            f"; {constants[0]} is read alone on one side, of what is constant along motions, T + V "
            f"= {constants[0]}, or added to such a formula in coordinates and velocities, or to "
            f"that of an energy with a potential, V = ... + {constants[0]}: other formulas have no "
            "open constant, leave it out"
        )
    constants = [n.text or n.key for n in strange if n.key in ("C", "C0", "V0", "U0")]
    if constants:
        return (
            f"; if {constants[0]} is a constant of the motion, write const for it, alone on one "
            "side or added there; if it is one of the potential, leave it out"
        )
    units = [n.text or n.key for n in strange if n.key in SI]
    if units:
        return f"; if {units[0]} is a unit, write it in brackets, [{units[0]}], or leave it out"
    if facts.forms.multiplier_names:
        return multiplier_advice(strange[0], facts)
    indices = {"", *map(canonical, facts.coordinates), *map(str, range(1, len(facts.rates) + 1))}
    momenta = [n.text or n.key for n in strange if n.key[:1] == "p" and n.key[1:] in indices]
    if momenta:
        return f"; formulas are in velocities: say first what momenta are, {momenta[0]} = ...; ..."
    for n in strange:  # d2x/dt2
        of = n.key.removeprefix("d2")
        if of in facts.coordinates and n.key != of:
            return f"; a second derivative is written d^2{of}/dt^2, or {of}''"
    first = _offered(strange, facts) if strange else ""
    told = f"symbols={{{strange[0].key!r}: {first!r}}}" if first else ""
    if told and any(n.dots for n in strange):
        return f"; if one of these is meant, say so: {told}"
    said = strange[0].text or strange[0].key if strange else ""
    return f"; say first what it is, {said} = ...; ..., or which of these, {told}" if told else ""


def _offered(strange: Sequence[Name], facts: Facts) -> str:
    """What the first of some names may be: a coordinate where it has rates or is an angle.

    By letter, or by index; "..." where neither tells.
    """
    key = strange[0].key
    letter, index = split(key)
    moves = letter in ANGLES or any(n.dots for n in strange if n.key == key)
    own = {x: split(canonical(x)) for x in (facts.coordinates if moves else facts.parameters)}
    near = [x for x, pair in own.items() if pair == (letter, index)]
    near += [x for x, pair in own.items() if pair[0].lower() == letter.lower()]
    if letter in {*LENGTHS, "s"} or moves:  # slides are lengths
        near += facts.coordinates[int(index) - 1 : int(index)] if index else ()
    near += facts.coordinates[:1] if letter in ANGLES else ()
    return near[0] if near else "..." if own else ""


def renamed(claim: Claim, way: Mapping[str, str]) -> Claim:
    """The claim in the system's names."""

    def put(name: Name) -> Node | None:
        return replace(name, key=way[name.key]) if name.key in way else None

    laws = tuple((key, text, rewritten(x, put)) for key, text, x in claim.laws)
    return replace(claim, node=rewritten(claim.node, put), laws=laws)


def spelled(way: Mapping[str, str], known: Facts) -> dict[str, str]:
    """From the system's names to the user's, rates included."""
    spelling = {f"{FORCE}{k + 1}": f"tau{k + 1}" for k in range(len(known.rates))}
    spelling |= {official: own for own, official in way.items()}
    for q, v, a in known.moving:
        if q in spelling:
            spelling |= {v: velocity_name(spelling[q]), a: acceleration_name(spelling[q])}
    return spelling


def as_read(way: Mapping[str, str]) -> dict[str, str]:
    """How names of a claim were read, with forces as they are typed."""
    return {own: name.replace(FORCE, "tau") for own, name in way.items()}
