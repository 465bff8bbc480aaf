"""The names that a claim about a system may use, and which of the system's a strange one means."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, islice

from visviva.errors import ArgumentError, UnknownNameError
from visviva.judge.check.said.subjects import FORCES
from visviva.judge.exact.energy_forms import WEIGHTS
from visviva.judge.exact.forms import Facts
from visviva.notation.names import Names, acceleration_name, inside, velocity_name
from visviva.notation.reading.read import canonical, read
from visviva.notation.reading.vocabulary import Vocabulary, spellings
from visviva.notation.tree import SLOPE, Call, Equation, Matrix, Name, Node, names, rewritten, walk

# what begins symbols, and no name of a system: of generalized forces, of what may be two names
FORCE, EITHER = inside("force", ""), inside("either", "")

# letters that books use for the same thing
MASSES = {"m", "M"}
LINKS = {"l", "L", "a"}
CENTRES = {"lc", "Lc", "lC", "lg", "r", "rc", "ac"}
LENGTHS = LINKS | CENTRES | {"R", "h", "d"}
INERTIAS = {"I", "J", "Iz", "Izz", "Ic", "IC", "Jc", "Jz"}
ALIKE = (
    MASSES,
    LINKS,
    CENTRES,
    INERTIAS,
    WEIGHTS,
    {"b", "d", "c", "mu", "beta", "B", "D", "nu"},
    {"k", "K", "kappa", "ke"},
    {"Omega", "omega", "W", "w"},
)
COORDINATES = ("q", "theta", "phi", "x", "vartheta", "varphi", "th")
_ACCENT = re.compile(r"(?<=.)(?:hat|bar|tilde)$")
MOST_ANGLES = 6  # coordinates whose sums may be short, c123456
ANGLES = ("q", "theta", "phi", "psi", "alpha", "beta", "gamma", "x", "vartheta", "varphi", "th")


def vocabulary(
    facts: Facts, shorthand: bool = False, said: Mapping[str, str] | None = None
) -> Vocabulary:
    """All names of a system with their spellings, its forces among them, and the user's own."""
    known: dict[str, tuple[str, int]] = {}
    for k, q in enumerate(facts.coordinates):
        if f"q{k + 1}" not in facts.joints:
            known |= {key: (q, dots) for key, (_, dots) in spellings(f"q{k + 1}").items()}
    taken = {"u": facts.has_actuators, "Q": facts.has_forces}  # what these letters mean then
    letters = [x for x in FORCES if not taken.get(x)]
    for k, joint in enumerate(facts.forces):
        for letter in letters:
            known[f"{letter}{k + 1}"] = (f"{FORCE}{k + 1}", 0)
        for letter in (*letters, *(() if facts.frames else ("F", "f"))) if joint else ():
            known.setdefault(canonical(f"{letter}_{joint}"), (f"{FORCE}{k + 1}", 0))
    if len(facts.rates) == 1:
        for letter in (*letters, "F", "f"):
            known.setdefault(letter, (f"{FORCE}1", 0))
    for k, name in enumerate(facts.forms.multiplier_names):
        known[f"lambda{k + 1}"] = (name, 0)
    if len(facts.forms.multiplier_names) == 1:
        known["lambda"] = known["lambda1"]
    for key, meanings in _own(facts).items():  # own names win
        known[key] = meanings[0] if len(meanings) == 1 else (f"{EITHER}{key}", 0)
    known.setdefault("pi", ("pi", 0))
    for own, official in (said or {}).items():
        rates = spellings(own) if official in facts.coordinates else {own: (own, 0)}
        known |= {key: (official, dots) for key, (_, dots) in rates.items()}
    near = frozenset(_near(facts, shorthand) - {*known})
    return Vocabulary(known, tuple(facts.coordinates), shorthand, near=near)


def _near(facts: Facts, shorthand: bool) -> set[str]:
    """Keys that are read as names of the system, see `matches`, or may be sines and cosines."""
    keys = set()
    for stem, index in (split(canonical(p)) for p in facts.parameters):
        letters = {x for group in ALIKE if stem in group for x in group}
        keys |= {f"{x}{index}" for x in (*letters, stem.lower(), stem.upper())}
    places = range(1, len(facts.coordinates) + 1)
    keys |= {f"{x}{k}" for x in COORDINATES for k in places}
    if not shorthand and len(facts.coordinates) <= MOST_ANGLES:  # told so where they are read
        sums = (x for n in places for x in combinations(map(str, places), n))
        keys |= {f"{letter}{''.join(x)}" for x in sums for letter in "cs"}
    return keys


def _own(facts: Facts) -> dict[str, list[tuple[str, int]]]:
    """The spellings of a system's own names, with all that each of them may mean."""
    spelled: dict[str, dict[tuple[str, int], None]] = {}
    for q in facts.coordinates:
        ours = {canonical(velocity_name(q)): (q, 1), canonical(acceleration_name(q)): (q, 2)}
        for key, meaning in (spellings(q) | ours).items():
            spelled.setdefault(key, {})[meaning] = None
    rated = {v for _, v, _ in facts.moving}
    timed = "t" in facts.ring.symbols and "t" not in facts.coordinates
    others = [*facts.parameters, *(["t"] if timed else [])]
    others += [x for v, a in facts.rates if v not in rated for x in (v, a)]
    for name in others:
        spelled.setdefault(canonical(name), {})[name, 0] = None
    return {key: list(meanings) for key, meanings in spelled.items()}


def matches(names: Iterable[Name], facts: Facts, taken: Collection[str]) -> dict[str, str]:
    """What strange names mean, if there is just one way to read them as the system's own.

    Coordinates go by their index, parameters by letter and index; `taken` are names in use.
    """
    unknown = list({n.key: n for n in names}.values())
    twice = {n.key for n in names if n.dots == 2}  # v' alone may be the rate of a velocity
    once = {n.key for n in names if n.dots}
    options: list[list[str]] = []
    missing: list[str] = []
    for name in unknown:
        if name.key.startswith(EITHER):
            both = _own(facts)[name.key.removeprefix(EITHER)]
            said = " or ".join(f"{x}{chr(39) * dots}" for x, dots in both)
            raise ArgumentError(f"{name.text} may be {said} of {facts.name!r}")
        candidates = _coordinate(name.key, facts, once, twice) or _velocity_as_printed(
            name.key, facts
        )
        candidates = candidates or alike(name.key, facts)
        candidates = [x for x in candidates if x not in taken]
        if not candidates:
            missing.append(name.text or name.key)
        options.append(candidates)
    if missing:
        rates = [] if len(facts.moving) == len(facts.rates) else [v for v, _ in facts.rates]
        own = [*facts.coordinates, *rates, *facts.parameters]
        weights = [x for x in missing if canonical(x) in WEIGHTS and facts.weight]
        line = "gravity is a number here, so say it first: {} = {}; …"
        way = line.format(weights[0], facts.weight) if weights else None
        kind = "name" if len(missing) == 1 else "names"
        raise UnknownNameError(kind, ", ".join(missing), own, way)
    ways = list(islice(_injections(options), 2))
    if len(ways) == 1:
        return dict(zip((n.key for n in unknown), ways[0], strict=True))
    if not ways:
        listed = ", ".join(n.text or n.key for n in unknown)
        raise ArgumentError(f"{listed}: not all of these can be names of {facts.name!r}")
    pairs = [(n.text or n.key, x) for n, x in zip(unknown, options, strict=True) if len(x) > 1]
    said = "; ".join(f"{name} may be {' or '.join(x)}" for name, x in pairs)
    one = dict(zip((n.text or n.key for n in unknown), ways[0], strict=True))
    told = {name: one[name] for name, _ in pairs}
    raise ArgumentError(f"names can be read in several ways: {said}; say which, symbols={told}")


def _velocity_as_printed(key: str, facts: Facts) -> list[str]:
    """The velocity that is no rate and is printed so: ω_x."""
    writer = Names(facts.coordinates)
    parts = {v: writer.parts(v) for v, _ in facts.rates}
    names = {v: f"{x.letter}_{x.subscript}" for v, x in parts.items() if not x.dots}
    return [v for v, name in names.items() if canonical(name) == key]


def force_advice(name: Name, facts: Facts) -> str:
    """How a strange name is called a generalized force; the one that is not zero, if it is one."""
    acting = [k for k in range(len(facts.rates)) if k not in facts.passive]
    index = split(name.key)[1]
    counted = index.isdigit() and int(index) - 1 in acting
    force = f"tau{index if counted else acting[0] + 1 if len(acting) == 1 else 1}"
    pair = {name.text or name.key: force}
    return f"; generalized forces are tau1, tau2, ..., or say symbols={pair}"


def multiplier_advice(name: Name, facts: Facts) -> str:
    """How a strange name is called a force of constraints, with either sign."""
    said, forces = name.text or name.key, facts.forms.multiplier_names
    index = split(name.key)[1]
    one = f"lambda{index}" if f"lambda{index}" in forces else forces[0]
    pair = {said: one}
    return (
        f"; forces of constraints are {', '.join(forces)}: if {said} is one, with either sign, say "
        f"symbols={pair}, or first what it is, {said} = -{one}; ...; another name is told "
        f"by symbols={{{said!r}: ...}}"
    )


def constant_advice(name: Name, said: str) -> str:
    """What is to be written where a formula of velocities is said to be a constant."""
    return f"; if {name.text or name.key} is a constant of the motion, write {said:.60} = const"


def turning_advice(name: str, body: str, facts: Facts) -> str:
    """How a formula is written that has J_ω, ω and R of a body in it, which nothing is called."""
    rate = f"{facts.coordinates[0]}'"
    plane, space, centre = f"{name} = {rate}", f"{name} = [0, 0, {rate}]", ""
    if name.startswith("J"):
        row = ", ".join(["1"] + ["0"] * (len(facts.rates) - 1))
        plane, space = f"{name} = [[{row}]]", f"{name} = [[...], [...], [...]]"
        centre = f"the Jacobian of the centre of mass of body {body} is J_{{vc{body}}}; "
    return (
        f"{centre}how body {body} turns is said first: {plane}; ... in a plane, where R I R^T is I,"
        f" or {space}; R_{body} = [[...], [...], [...]]; ..."
    )


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


def _coordinate(key: str, facts: Facts, once: Collection[str], twice: Collection[str]) -> list[str]:
    """By its index; letters that are not always coordinates have to have rates in the claim."""
    stem, index = split(key)
    n = len(facts.coordinates)
    sure = key in twice or stem in COORDINATES or (stem in ANGLES and key in once)
    if not sure or key in map(canonical, facts.joints):
        return []
    if stem == "th" and (own := [q for q in facts.coordinates if canonical(q) == f"theta{index}"]):
        return own
    if index and 1 <= int(index) <= n:
        return [facts.coordinates[int(index) - 1]]
    return [facts.coordinates[0]] if n == 1 and not index else []


def alike(key: str, facts: Facts) -> list[str]:
    """Parameters that a strange name may mean: of one letter and index, or of letters alike."""
    stem, index = split(key)
    pairs = [(p, *split(canonical(p))) for p in facts.parameters]
    same = [p for p, s, i in pairs if i == index and s.lower() == stem.lower()]
    if same:
        return same
    bare = _ACCENT.sub("", stem)  # \hat I_2, where nothing else is called I_2
    if bare != stem:
        return [p for p, s, i in pairs if i == index and s == bare]
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
    forces = {f"tau{k + 1}": f"{FORCE}{k + 1}" for k in range(len(facts.rates))}
    forces |= {canonical(x): x for x in facts.forms.multiplier_names}
    own = {canonical(x): x for x in (*rates, *facts.coordinates, *facts.parameters)} | forces
    own_names: dict[str, str] = {}
    for left, right in (symbols or {}).items():
        a, b = (_plain(x) for x in (left, right))
        if b in own:
            own_names[a] = own[b]
        elif a in own:
            own_names[b] = own[a]
        else:
            raise UnknownNameError("name", str(right), list(own))
    for key, meant in own_names.items():
        if own.get(key, meant) != meant and own[key] not in own_names.values():
            raise ArgumentError(
                f"symbols= gives {key} the meaning of {meant}, but {key} is a name of "
                f"{facts.name!r}: say what that one is called then"
            )
    return own_names


def _plain(name: object) -> str:
    """The key of a name without dots."""
    text = str(name)
    nodes = read(text, Vocabulary({"": (text, 0)}))
    if len(nodes) != 1 or not isinstance(nodes[0], Name) or nodes[0].dots:
        raise ArgumentError(
            f"symbols= maps names to names, rates go with their coordinates; got {name!r:.60}"
        )
    return nodes[0].key


def with_vectors(node: Node, facts: Facts) -> Node:
    """q, q' and q'' of several coordinates as vectors, and with them τ: M q'' + C q' + g = τ.

    Of x1 and x2 so is x.
    """
    n = len(facts.rates)
    own = {*facts.coordinates, *facts.parameters}
    vectors = {x for x in ("q", _stem(facts)) if x and x not in own}
    if n == 1 or len(facts.moving) != n or not _has_vector(node, vectors):
        return node
    left = node.left if isinstance(node, Equation) else None
    letters = {"tau", *(["u"] * (not facts.has_actuators)), *(["Q"] * (not facts.has_forces))}

    def put(name: Name) -> Node | None:
        if name.key in vectors:
            return Matrix(tuple((replace(name, key=q),) for q, _, _ in facts.moving))
        if name.key in letters and name is not left and not name.dots:
            forces = (f"{FORCE}{k + 1}" for k in range(n))
            return Matrix(tuple((replace(name, key=force),) for force in forces))
        return None

    return rewritten(node, put)


def _stem(facts: Facts) -> str:
    """x, where the coordinates are x1, x2, ..., and no frame is at x, y, z."""
    pairs = [split(canonical(q)) for q in facts.coordinates]
    counted = [index for _, index in pairs] == [str(k + 1) for k in range(len(pairs))]
    stems = {stem for stem, _ in pairs}
    return stems.pop() if counted and len(stems) == 1 and not facts.frames else ""


def _has_vector(node: Node, vectors: Collection[str]) -> bool:
    by = (x.arguments[1] for x in walk(node) if isinstance(x, Call) and x.function == SLOPE)
    rates = any(n.key in vectors and n.dots for n in names(node))
    return rates or any(isinstance(x, Name) and x.key in vectors for x in by)
