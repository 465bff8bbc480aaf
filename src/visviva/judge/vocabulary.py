"""The names that a claim about a system may use, and which of the system's a strange one means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from visviva.algebra.claims import Vocabulary, canonical, spellings
from visviva.algebra.syntax import Name
from visviva.errors import ArgumentError, UnknownNameError
from visviva.judge.facts import Facts
from visviva.judge.subjects import FORCES

FORCE = "force "  # the symbols of generalized forces: no name typed can be one of these
MOST_TRIED = 60  # ways to match names

# letters that books use for the same thing
MASSES = {"m", "M"}
LENGTHS = {"l", "L", "a", "d", "R", "r", "h", "lc", "Lc", "rc"}
CENTRES = {"lc", "Lc", "lg", "r", "c", "ac", "d", "p", "s", "l", "lC", "rc"}
INERTIAS = {"I", "J", "Iz", "Izz", "Ic", "IC", "Jc", "Jz", "i"}
WEIGHTS = {"g", "ag", "g0", "gamma", "G"}
ALIKE = (
    MASSES,
    LENGTHS - CENTRES | {"l", "r", "d"},
    CENTRES,
    INERTIAS,
    WEIGHTS,
    {"b", "d", "c", "mu", "beta", "f", "B", "V", "v", "D", "k", "nu", "Fv"},
    {"k", "K", "kappa", "ke"},
    {"Omega", "omega", "W", "w"},
)
ANGLES = ("q", "theta", "phi", "psi", "alpha", "beta", "gamma", "x", "vartheta", "varphi")


def vocabulary(
    facts: Facts, shorthand: bool = False, said: Mapping[str, str] | None = None
) -> Vocabulary:
    """All names of a system with their spellings, its forces among them, and the user's own."""
    known: dict[str, tuple[str, int]] = {}
    for k, q in enumerate(facts.coordinates):
        for c in (f"q{k + 1}", q):  # its own name wins
            for key, (_, dots) in spellings(c).items():
                known[key] = (q, dots)
    for v, a in facts.rates:
        for name in (v, a):
            known.setdefault(canonical(name), (name, 0))
    for k in range(len(facts.rates)):
        for letter in FORCES:
            known[f"{letter}{k + 1}"] = (f"{FORCE}{k + 1}", 0)
    joints = {v: k for k, (v, _) in enumerate(facts.rates)}
    for k, q in enumerate(facts.coordinates[: len(joints)]):
        known.setdefault(canonical(f"tau_{q}"), (f"{FORCE}{k + 1}", 0))
    if len(facts.rates) == 1:
        for letter in (*FORCES, "F", "f"):
            known.setdefault(letter, (f"{FORCE}1", 0))
    for name in (*facts.parameters, "t"):
        known[canonical(name)] = (name, 0)
    known.setdefault("pi", ("pi", 0))
    for own, official in (said or {}).items():
        rates = spellings(own) if official in facts.coordinates else {own: (own, 0)}
        known |= {key: (official, dots) for key, (_, dots) in rates.items()}
    return Vocabulary(known, tuple(facts.coordinates), shorthand)


def matches(names: Iterable[Name], facts: Facts, taken: Iterable[str]) -> Iterator[dict[str, str]]:
    """The ways to read strange names as the system's own, at most `MOST_TRIED` of them.

    Coordinates go by their index, parameters by letter and index; `taken` are names in use.
    """
    unknown = list({n.key: n for n in names}.values())
    dotted = {n.key for n in names if n.dots}
    options = []
    for name in unknown:
        found = _coordinate(name.key, facts, name.key in dotted) or _alike(name.key, facts, taken)
        if not found:
            own = [*facts.coordinates, *facts.parameters]
            raise UnknownNameError("name", name.text or name.key, own)
        options.append(found)
    ways = _injections(options)
    tried = list(islice(ways, MOST_TRIED + 1))
    if len(tried) > MOST_TRIED:
        said = ", ".join(n.text or n.key for n in unknown)
        raise ArgumentError(f"{said}: many readings; say which is which by symbols={{...}}")
    for way in tried:
        yield dict(zip((n.key for n in unknown), way, strict=True))


def _injections(
    options: list[list[str]], used: frozenset[str] = frozenset()
) -> Iterator[tuple[str, ...]]:
    if not options:
        yield ()
        return
    for choice in options[0]:
        if choice not in used:
            for rest in _injections(options[1:], used | {choice}):
                yield (choice, *rest)


def _coordinate(key: str, facts: Facts, dotted: bool) -> list[str]:
    stem, index = split(key)
    n = len(facts.coordinates)
    if not (dotted or stem in ANGLES):
        return []
    if index and 1 <= int(index) <= n:
        return [facts.coordinates[int(index) - 1]]
    return [facts.coordinates[0]] if n == 1 and not index else []


def _alike(key: str, facts: Facts, taken: Iterable[str]) -> list[str]:
    stem, index = split(key)
    free = [p for p in facts.parameters if p not in set(taken)]
    pairs = [(p, *split(canonical(p))) for p in free]
    same = [p for p, s, i in pairs if i == index and s.lower() == stem.lower()]
    if same:
        return same
    return [p for p, s, i in pairs if i == index and any({s, stem} <= group for group in ALIKE)]


def split(key: str) -> tuple[str, str]:
    """The letters and the index of a name: lc2 is ("lc", "2")."""
    key = key.replace("_", "")
    letters = key.rstrip("0123456789")
    return letters, key[len(letters) :]


def undotted(key: str) -> tuple[str, int]:
    """A rate by custom as coordinate and dots: thetadd1 is ("theta1", 2); others have none."""
    stems = "|".join(ANGLES)
    for pattern in (rf"({stems})(d|dd|dot|ddot)(\d*)", rf"({stems})(\d+)(d|dd|dot|ddot)"):
        if match := re.fullmatch(pattern, key):
            a, b = match[2], match[3]
            mark, index = (b, a) if a.isdigit() else (a, b)
            return match[1] + index, 2 if mark.startswith("dd") else 1
    if match := re.fullmatch(rf"(d{{1,2}})(({stems})\d*)", key):
        return match[2], len(match[1])
    return key, 0


def given(symbols: Mapping[str, str] | None, facts: Facts) -> dict[str, str]:
    """What the user said of names: his own name -> the system's, in whichever direction."""
    rates = [x for pair in facts.rates for x in pair]
    own = {canonical(x): x for x in (*rates, *facts.coordinates, *facts.parameters)}
    made: dict[str, str] = {}
    for left, right in (symbols or {}).items():
        a, b = canonical(str(left)), canonical(str(right))
        if b in own:
            made[a] = own[b]
        elif a in own:
            made[b] = own[a]
        else:
            raise UnknownNameError("name", str(right), list(own.values()))
    return made
