"""What acts in MuJoCo's model and has no form here, as notes that motions repeat.

A row of `LACKS` is an array of MuJoCo's that is zero where nothing acts; contacts, the medium and
what the file switches off are looked at by themselves, drives and tendons where they are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from visviva.describe.files.mjcf.compile import Compiled
from visviva.describe.files.mjcf.tree import Tree
from visviva.describe.files.mjcf.words import Meaning
from visviva.describe.files.suspicions import some
from visviva.describe.model.remarks import Unmodelled

BEYOND_LINEAR = "damping beyond the linear term is missing"
GEOMS = ("plane", "height field", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")
CONTACTS = "contacts are not part of the model"
FIXED_BODY = 0  # MuJoCo's number of it


@dataclass(frozen=True)
class Lack:
    """What an array says of bodies, joints, tendons or actuators wherever it is not zero."""

    effect: Meaning
    kind: str
    array: str
    text: str


LACKS = (
    Lack(Meaning.GRAVITY, "body", "body_gravcomp", "gravity is not compensated (gravcomp)"),
    Lack(Meaning.SPRING, "jnt", "jnt_stiffnesspoly", "stiffness beyond the linear term is missing"),
    Lack(Meaning.SPRING, "jnt", "jnt_springyield", "springs do not yield (springyield)"),
    Lack(Meaning.DAMPING, "dof", "dof_dampingpoly", BEYOND_LINEAR),
    Lack(
        Meaning.RANGE,
        "jnt",
        "jnt_actfrclimited",
        "forces are not held within actuatorfrcrange; symmetric ones are in effort_limits",
    ),
    Lack(Meaning.TENDON, "tendon", "tendon_actfrclimited", "actuatorfrcrange does not act"),
    Lack(Meaning.TENDON, "tendon", "tendon_springyield", "springs do not yield (springyield)"),
    Lack(Meaning.DRIVE, "actuator", "actuator_delay", "the delay is missing"),
    Lack(
        Meaning.DRIVE,
        "actuator",
        "actuator_dampingpoly",
        BEYOND_LINEAR,
    ),
)
PLURALS = {"body": "bodies", "jnt": "joints", "dof": "joints"}


def effects(m: Compiled, tree: Tree) -> Iterator[Unmodelled]:
    """A note on each effect that the model lacks, beside those that drives and joints have."""
    if contacts := _contacts(m):
        yield Unmodelled(Meaning.CONTACT, contacts)
    if m.info["fluid"]:
        yield Unmodelled(
            Meaning.FLUID,
            "the medium is not part of the model: density and viscosity resist nothing",
        )
    for row in LACKS:
        values = m[row.array]
        indices = np.flatnonzero(values.reshape(len(values), -1).any(axis=1)) if len(values) else ()
        if names := list(dict.fromkeys(_name(m, tree, row.kind, int(k)) for k in indices)):
            kinds = PLURALS.get(row.kind, f"{row.kind}s")
            yield Unmodelled(row.effect, f"{row.text}: {kinds} {some(names)}")
    for flag in m.info["disabled"]:
        yield Unmodelled(Meaning.DISABLED, f"the file disables {flag!r}: the model keeps its data")
    if groups := m.info["groups"]:
        yield Unmodelled(Meaning.DRIVE, f"the file disables actuators of groups {groups}: kept")
    if m.info["sleeps"]:
        yield Unmodelled(Meaning.DISABLED, "bodies at rest do not fall asleep, as the file has it")


def _name(m: Compiled, tree: Tree, kind: str, k: int) -> str:
    if kind == "dof":
        kind, k = "jnt", int(np.searchsorted(m["jnt_dofadr"], k, side="right")) - 1
    if kind == "jnt":
        return repr(tree.joints[k])
    return repr(m.name(kind, k) or f"{kind}_{k}")


# ---- contacts


def _contacts(m: Compiled) -> str:
    """Where bodies would be stopped if there were contacts; empty if nothing can touch."""
    if not m.info["contacts"]:
        return ""
    walls, bodies = _possible_contacts(m)
    sentences = [f"nothing stops at {some([_geom(m, g) for g in walls])}"] if walls else []
    sentences += ["bodies pass through each other"] if bodies else []
    return f"{CONTACTS}: {'; '.join(sentences)}" if sentences else ""


def _possible_contacts(m: Compiled) -> tuple[list[int], bool]:
    """Fixed geoms that moving ones may touch, and whether two moving bodies may touch.

    By MuJoCo's rules: bits of contype and conaffinity, no contact within a body or with the body
    that carries it, unless the file says otherwise, pairs that are excluded or stated.
    """
    weld, body = m["body_weldid"], m["geom_bodyid"]
    carrier = weld[m["body_parentid"][weld]]
    fixed_to, bits = weld[body], np.stack([m["geom_contype"], m["geom_conaffinity"]], axis=1)
    excluded_pairs = {frozenset(divmod(int(x), 1 << 16)) for x in m["exclude_signature"]}
    walls: set[int] = set()
    bodies, seen_kinds = False, set[tuple[int, ...]]()
    for pair in np.stack([m["pair_geom1"], m["pair_geom2"]], axis=1):
        walls_of_pair = [int(g) for g in pair if fixed_to[g] == FIXED_BODY]
        if fixed_to[pair[0]] != fixed_to[pair[1]]:
            walls |= set(walls_of_pair)
            bodies = bodies or not walls_of_pair
    for g in range(len(fixed_to)):
        like = (int(body[g]), *(int(x) for x in bits[g]))
        if (fixed_to[g] != FIXED_BODY and (bodies or like in seen_kinds)) or not bits[g].any():
            continue
        seen_kinds.add(like)
        may = ((bits[g, 0] & bits[:, 1]) | (bits[g, 1] & bits[:, 0])) != 0
        may &= (fixed_to != FIXED_BODY) & (fixed_to != fixed_to[g])
        if m.info["filterparent"] and fixed_to[g] != FIXED_BODY:
            may &= (carrier[fixed_to] != fixed_to[g]) & (fixed_to != carrier[fixed_to[g]])
        pairs = (frozenset((int(body[g]), int(body[k]))) for k in np.flatnonzero(may))
        if any(p not in excluded_pairs for p in pairs):
            bodies = bodies or bool(fixed_to[g] != FIXED_BODY)
            walls |= {g} if fixed_to[g] == FIXED_BODY else set()
    return sorted(walls), bodies


def _geom(m: Compiled, g: int) -> str:
    return repr(name) if (name := m.name("geom", g)) else f"a {GEOMS[int(m['geom_type'][g])]}"
