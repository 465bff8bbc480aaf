"""What the coordinates of a system are called, and the one rule: a name means one thing.

A joint x has a velocity xd and an acceleration xdd, and the force at it is tau_x or tau1. These
names stand in claims, closed forms and exported code beside those of parameters. A name that two
things were given is refused here, whoever states the system; names that are made up (of the several
coordinates of a joint, of masses of bodies) give way instead.

Look-alikes of joints, as q1 and q_1, are no clash: files of real robots have them. Claims refuse
what they cannot tell apart, and printed formulas write such names out in full. Parameters are typed
by whoever writes the claims, so for them reading the same is a clash.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from unicodedata import normalize

from visviva.errors import ArgumentError
from visviva.notation.names import INSIDE, acceleration_name, velocity_name
from visviva.notation.reading.marks import DOTS
from visviva.notation.reading.vocabulary import WORDS, simple_key, spellings

NUMBERS = {"pi": "the number π", "π": "the number π"}
TIME_NAME = "t"
# letters of other scripts that nobody can tell from Latin ones
ALIKE = str.maketrans(
    "аеорсухіјѕАВЕКМНОРСТУХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "aeopcyxijsABEKMHOPCTYXIJSABEZHIKMNOPTYXo"
)


class Motion(NamedTuple):
    """The names of q, v and a, and those that velocities are made of: v of `rated` x is xd.

    `rated` is q where velocities are rates of coordinates, and a joint's own names where not.
    """

    q: tuple[str, ...]
    rated: tuple[str, ...]
    v: tuple[str, ...]
    a: tuple[str, ...]


def motion(bodies: Sequence[Any], parameters: Iterable[str] = ()) -> Motion:
    """The names of a model's coordinates: the joint's, with its own where it has several.

    Examples:
        >>> from visviva.describe import catalog
        >>> motion(catalog.rp_arm().bodies).v
        ('qd1', 'qd2')
    """
    free = [b for b in bodies if b.mimic is None]
    single = [b.joint_name for b in free if b.joint.coordinates == ("",)]
    taken = {*single, *map(velocity_name, single), *map(acceleration_name, single), *parameters}
    q: list[str] = []
    rated: list[str] = []
    for b in free:
        if b.joint.coordinates == ("",):
            q.append(b.joint_name)
            rated.append(b.joint_name)
            continue
        own = [_made_up(b.joint_name, c, taken) for c in b.joint.coordinates]
        q += own
        more = [] if b.joint.has_rates else b.joint.velocities
        rated += [_made_up(b.joint_name, c, taken) for c in more] or own
    v, a = (tuple(map(name, rated)) for name in (velocity_name, acceleration_name))
    return Motion(tuple(q), tuple(rated), v, a)


def _made_up(joint: str, part: str, taken: set[str]) -> str:
    """A name of one of several coordinates whose rates are not taken either."""
    space = "_"
    while True:
        name = joint + (space + part if part else "")
        all_three = {name, velocity_name(name), acceleration_name(name)}
        if not all_three & taken:
            taken |= all_three
            return name
        space += "_"
        part = part or "q"


def check_names(
    system: str,
    coordinates: Sequence[str],
    forces: Sequence[str],
    parameters: Iterable[str],
    joints: bool = True,
) -> None:
    """Refuse a system in which a name means two things; the message has both.

    `coordinates` has for every entry of q the name that somebody gave it, `forces` for every entry
    of v, or nothing where they are one of several of a joint. With `joints` it is a model;
    otherwise it is stated by energies, and has a time.
    """
    if clash := _clash(tuple(coordinates), tuple(forces), tuple(parameters), joints):
        where = f"{system!r}: " if system else ""
        raise ArgumentError(f"{where}{clash}: rename one of them")


@lru_cache(maxsize=256)
def _clash(
    coordinates: tuple[str, ...], forces: tuple[str, ...], parameters: tuple[str, ...], joints: bool
) -> str:
    """The first clash in a sentence, or nothing."""
    kind = "joint" if joints else "coordinate"
    said = {c: f"the {kind} {c!r}" for c in coordinates if c}
    for name in (*said, *parameters):
        if reserved := _reserved(name, not joints):
            return _sentence(name, said.get(name, "a parameter"), reserved)
    written: dict[str, str] = {}
    for c in said:
        if (one := written.setdefault(normalize("NFC", c), c)) != c:
            return f"the names {one!a} and {c!a} of two {kind}s are one name in two encodings"
    rates = {velocity_name(c): f"the velocity of {what}" for c, what in said.items()}
    rates |= {acceleration_name(c): f"the acceleration of {what}" for c, what in said.items()}
    for name in (*said, *parameters):
        what = rates.get(name, "")
        if (bare := _undotted(name)) in said and bare != name:
            what = f"a rate of {said[bare]}"
        if what:
            return _sentence(name, said.get(name, "a parameter"), what)
    acting = _forces(forces, said)
    for c in said:
        if simple_key(c) in acting:
            return _sentence(c, said[c], acting[simple_key(c)])
    return _parameter_clash(coordinates, said, acting, parameters) if parameters else ""


def _reserved(name: str, has_time: bool) -> str:
    """What a name means in every formula."""
    if name in WORDS:
        return f"the function {WORDS[name]}"
    if name in NUMBERS:
        return NUMBERS[name]
    if name == TIME_NAME and has_time:
        return "the time"
    return f"a name that visviva makes, which begin with {INSIDE}" if name[:1] == INSIDE else ""


def _undotted(name: str) -> str:
    """The name without what marks a rate: x of x', x.dot and ẋ."""
    bare = "".join(c for c in normalize("NFD", name) if c not in DOTS)
    return normalize("NFC", bare.rstrip("'’′″").removesuffix(".dot").removesuffix(".ddot"))


def _forces(forces: tuple[str, ...], said: dict[str, str]) -> dict[str, str]:
    """The spellings of generalized forces: tau1, tau_x."""
    spelled = {"tau": "the generalized forces"}
    spelled |= {f"tau{k + 1}": f"the generalized force {k + 1}" for k in range(len(forces))}
    for c in filter(None, forces):
        spelled.setdefault(f"tau{simple_key(c)}", f"the generalized force of {said[c]}")
    return spelled


def _parameter_clash(
    coordinates: tuple[str, ...],
    said: dict[str, str],
    acting: dict[str, str],
    parameters: tuple[str, ...],
) -> str:
    """Of a parameter with a coordinate, a rate or a force as it may be typed, or another one."""
    known = dict(acting)
    if len(coordinates) > 1:
        known.pop("tau", None)  # all forces together are a vector, which no parameter is
    numbered = {f"q{k + 1}": f"coordinate {k + 1}" for k in range(len(coordinates))}
    for name, whose in (numbered | said).items():
        for key, (_, dots) in spellings(name).items():
            known[key] = ("", "the velocity of ", "the acceleration of ")[dots] + whose
    for name in parameters:
        key = simple_key(normalize("NFKC", name).translate(ALIKE))
        if key in acting and key in known:
            beside = "which acts at its coordinate already (forces= has what acts besides)"
            return _sentence(name, "a parameter", f"{known[key]}, {beside}")
        if key in known:
            return _sentence(name, "a parameter", known[key])
        known[key] = f"the parameter {name!r}"
    return ""


def _sentence(name: str, one: str, other: str) -> str:
    return f"the name {name!r} can mean two things, {one} and {other}"
