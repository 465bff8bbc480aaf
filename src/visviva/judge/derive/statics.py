"""Statics of a chain, written out: the balance of one link after the other, and virtual work.

In the notation of Tang, *Kinematics, statics, and dynamics of robotic arm*: f_{i−1,i} and N_{i−1,i}
are what link i−1 exerts on link i, moments balance about the centres of mass, and what the tip
exerts, F, is f_{n,n+1} with N_{n,n+1}.
Virtual work gives τ = Jᵀ F + G. Each road checks the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import add, sub
from typing import Any

import numpy as np
import sympy

from visviva.describe.model.model import Model
from visviva.equations.forces import forces
from visviva.equations.forces.reactions import reaction_wrenches
from visviva.errors import ArgumentError
from visviva.judge.derive.bodies import title_of
from visviva.judge.derive.chain import END_SIGN, Chain
from visviva.judge.derive.lagrange import GRAVITY_ARROW
from visviva.judge.derive.page import Page, Quantity
from visviva.judge.exact.model_forms import ModelForms
from visviva.notation.writing.page import ZERO, Mark, Power, Row, Sign, Sum

LOAD_SYMBOLS = ("F1", "F2", "F3", "Mx", "My", "Mz")  # as `check` reads them
_LINK_BALANCE = "equal to the recursion over the links, in the axes of the world"
_BALANCED = "with the forces and moments of the recursion over the links"
_T = Sign("T")


def refuse_springs(model: Model) -> None:
    """Springs between frames pull at links, which these balances have no place for."""
    if between := [x.name for x in model.springs if x.frames]:
        raise ArgumentError(
            f"derivation('statics'): {model.name!r} has springs between frames, "
            f"{', '.join(map(repr, between))}, and the balance of a link is written with its "
            "weight, its joints and the load at the tip; statics(q) has these springs at a position"
        )


@dataclass(frozen=True, eq=False)
class _Passed:
    """What a link passes on: force, moment about a place, and what that is called from C."""

    force: Quantity
    moment: Quantity
    place: Quantity
    name: str


@dataclass(frozen=True, eq=False)
class _Load:
    """What the tip exerts, as it is written and as vectors."""

    force: Quantity
    moment: Quantity
    F: Any
    N: Any


def statics_written(page: Page, forms: ModelForms, frame: str, symbols: tuple[str, ...]) -> None:
    """Places, balances, torques, and the same by virtual work."""
    chain = Chain(page, forms, "statics", frame)
    places = chain.write_places()
    centres = _centres(page, chain)
    load = _load(page, chain, symbols)
    passed = _balance(page, chain, places, centres, load)
    torques = _torques(page, chain, passed)
    columns = chain.write_columns(places)
    G = _gravity(page, chain, centres)
    _virtual_work(page, chain, load, torques, G)
    _together(page, chain, columns, load, torques, G)


# ---- what acts


def _centres(page: Page, chain: Chain) -> list[Quantity]:
    page.step("Centres of mass", "Where the weights act, in the world.", "What acts")
    return [page.state(Sign("p", f"C{i + 1}"), chain.seen(c)) for i, c in enumerate(chain.centres)]


def _load(page: Page, chain: Chain, symbols: tuple[str, ...]) -> _Load:
    """The symbols of the rows that J has; in space also a moment."""
    s, n = chain.s, len(chain.model.bodies)
    has_moment = chain.normal is None or chain.has_angle
    names = [s.ring[x] for x in symbols]
    F = [x if k in chain.shown else s.of(0) for k, x in enumerate(names[:3])]
    N = [
        x if has_moment and chain.normal in (None, k) else s.of(0) for k, x in enumerate(names[3:])
    ]
    last = chain.carrier == n - 1
    between = f"{n},{n + 1}" if last else f"{chain.carrier + 1},{END_SIGN}"
    said = f"Link {n + 1} is what the tip touches" if last else f"e is {chain.tip!r}"
    page.step(
        "Weight and load",
        f"{said}: F is what the chain exerts there, and the chain feels the opposite. Vectors are "
        "in the axes of the world"
        + ("." if chain.normal is None else f", moments about {'xyz'[chain.normal]}.")
        + (" Gravity is across the plane: the hinges carry it." if _is_across(chain) else ""),
    )
    if not _is_across(chain):
        g = page.leaf(GRAVITY_ARROW, chain.weight())
        page.line(g.box, g)
    F, N = chain.all(F), chain.all(N)
    force = page.state(Sign("f", between), chain.seen(F))
    moment = page.state(Sign("N", between), chain.about(N))
    return _Load(force, moment, F, N)


def _is_across(chain: Chain) -> bool:
    """Whether gravity is none of the plane's."""
    pulls = any(x != 0 for x in chain.forms.exact.gravity)
    return pulls and all(x == 0 for x in chain.weight())


# ---- balance


def _balance(
    page: Page, chain: Chain, places: list[Quantity], centres: list[Quantity], load: _Load
) -> list[tuple[Quantity, Quantity]]:
    """f and N of every joint, from the tip to the base."""
    e, n = chain.forms.exact, len(chain.model.bodies)
    still = np.zeros(len(e.v))
    bare = replace(e.model, springs=())
    on_robot = np.concatenate([-load.N, -load.F])
    known = reaction_wrenches(bare, e.q, still, still, [(chain.tip, "world", on_robot)])
    found: list[tuple[Quantity, Quantity]] = []
    following: list[_Passed] = []
    for i in reversed(range(n)):
        page.step(
            title_of(chain.model, i),
            f"Forces on it balance, and moments about its centre of mass C{i + 1}; r goes from "
            f"there to where {f'link {i}' if i else 'the base'} holds it"
            + (" and to what it carries." if i < n - 1 or i == chain.carrier else "."),
            "Balance, from the tip to the base" if i == n - 1 else "",
        )
        carried = list(following)
        if i == chain.carrier:
            at = f"C{i + 1},{i + 1 if i == n - 1 else END_SIGN}"
            carried.append(_Passed(load.force, load.moment, places[-1], at))
        R = chain.poses[i][0]
        own = (chain.seen(R @ known[i][3:]), chain.about(R @ known[i][:3]))
        f, N = _link(page, chain, (i, places[i], centres[i]), carried, own)
        following = [_Passed(f, N, places[i], f"C{i},{i}")]
        found.append((f, N))
    return found[::-1]


def _link(
    page: Page,
    chain: Chain,
    link: tuple[int, Quantity, Quantity],
    carried: list[_Passed],
    known: tuple[Any, Any],
) -> tuple[Quantity, Quantity]:
    """The two balances of a link as they stand, and solved for what its joint exerts."""
    i, place, centre = link
    between = f"{i},{i + 1}"
    f = page.leaf(Sign("f", between), known[0])
    N = page.leaf(Sign("N", between), known[1])
    weight = page.leaf(None, chain.model.bodies[i].inertia.mass) * page.leaf(
        GRAVITY_ARROW, chain.weight()
    )
    on_it = [] if weight.is_zero else [weight]
    _balanced(page, reduce(sub, [x.force for x in carried], f), on_it)
    needed = reduce(sub, on_it, page.sum(x.force for x in carried)) if carried else None
    if needed is None:
        needed = -weight if on_it else page.leaf(None, known[0])
    f = page.line(f.box, needed, known[0], _LINK_BALANCE, plug=False)
    short = chain.normal is not None  # in space two places take a line each
    lever = page.line(Sign("r", f"C{i + 1},{i}"), place - centre, plug=short)
    arms = [page.line(Sign("r", x.name), x.place - centre, plug=short) for x in carried]
    turned = [(chain.moment(r, x.force), r, x.force) for r, x in zip(arms, carried, strict=True)]
    others = [m for m, r, p in turned if not r.is_zero and not p.is_zero]
    own = [] if lever.is_zero or f.is_zero else [chain.moment(lever, f)]
    passed_on = reduce(sub, [x.moment for x in carried], N)
    _balanced(page, reduce(sub, others, reduce(add, own, passed_on)), [])
    plus = [*(x.moment for x in carried if not x.moment.is_zero), *others]
    total = page.sum(plus) if plus else -own[0] if own else page.leaf(None, known[1])
    total = reduce(sub, own, total) if plus else total
    N = page.line(N.box, total, known[1], _LINK_BALANCE, plug=False)
    return f, N


def _balanced(page: Page, total: Quantity, more: list[Quantity]) -> None:
    """total + more = 0, proved and written as it stands."""
    whole = reduce(add, more, total)
    if not isinstance(whole.box, Sum):  # nothing else acts: what is left is zero by itself
        return
    page.require(whole.value, whole.value * 0, "the balance of a link")
    page.given(whole.box, (ZERO,), sympy.S.Zero, _BALANCED)


def _torques(page: Page, chain: Chain, passed: list[tuple[Quantity, Quantity]]) -> list[Quantity]:
    """The part of each along its joint, and springs there."""
    page.step(
        "At each joint",
        "A motor supplies the part of the moment, or of the force, along the axis of its joint"
        + ("; springs at joints add to it." if chain.model.springs else ".")
        + _without_motors(chain),
        "Torques",
    )
    torques = []
    springs = _springs(chain)
    for i, (f, N) in enumerate(passed):
        name = str(i + 1)
        if chain.turns(i):
            z = page.leaf(Sign("z", name, hat=True), chain.axis_shown(i))
            # in the plane the axis is 1 or -1 along the normal
            total = N.dot(z) if chain.normal is None else N if z.value == 1 else -N
        else:
            z = page.leaf(Sign("z", name, hat=True), chain.seen(chain.axis(i)))
            total = f.dot(z)
        if springs[i] != 0:
            total = total + page.leaf(None, springs[i])
        torques.append(page.line(Sign("τ", name), total, plug=False))
    return torques


def _without_motors(chain: Chain) -> str:
    """Passive joints hold nothing: that is a condition for rest."""
    passive = [i for i, b in enumerate(chain.model.bodies) if b.joint_name in chain.model.passive]
    if not passive:
        return ""
    which = " and ".join(f"joint {i + 1}" for i in passive)
    return f" There is no motor at {which}: at rest what is written for it must be zero."


def _springs(chain: Chain) -> Any:
    """∂V/∂q of springs at joints."""
    e = chain.forms.exact
    return forces.spring_forces(e.model, e.q)


# ---- virtual work


def _gravity(page: Page, chain: Chain, centres: list[Quantity]) -> list[Quantity]:
    """G = -Σ m g · ∂p_C/∂q."""
    page.step(
        "Gravity",
        "What holds the weights: a joint that moves lifts the centres of mass that it carries.",
        "Virtual work",
    )
    held = chain.forms.gravity - _springs(chain)
    g = page.leaf(GRAVITY_ARROW, chain.weight())
    found = []
    for k in range(len(chain.s.q)):
        terms = []
        for i, b in enumerate(chain.model.bodies):
            weight = page.leaf(None, b.inertia.mass) * g
            slope = chain.slope(Sign("p", f"C{i + 1}"), centres[i].value, k)
            if not weight.is_zero and not slope.is_zero:
                terms.append(weight.dot(slope))
        total = reduce(sub, terms[1:], -terms[0]) if terms else page.leaf(None, 0)
        check = "equal to ∂V/∂q of the weights"
        found.append(page.line(Sign("G", str(k + 1)), total, held[k], check, plug=False))
    return found


def _small(box: Any) -> Row:
    """δ of something."""
    return Row((Sign("δ"), box))


def _virtual_work(
    page: Page, chain: Chain, load: _Load, torques: list[Quantity], G: list[Quantity]
) -> None:
    """The principle; with q̇ in place of δq its sides are compared by derivatives of places."""
    in_space = chain.normal is None
    springs = bool(chain.model.springs)
    page.step(
        "The principle",
        "In balance all forces together do no work on a virtual displacement δq of the joints, "
        "which moves the tip by δp = J δq"
        + (" and turns it by δψ" if in_space else "")
        + f": those of the motors, the load −F{' and −N' if in_space else ''}, "
        + ("the weights, and the springs, whose forces are −S." if springs else "and the weights."),
    )
    v, n = chain.forms.exact.v, len(chain.model.bodies)
    g = chain.all(chain.forms.exact.gravity)
    work = sum((x.value * r for x, r in zip(torques, v, strict=True)), chain.s.of(0))
    work = work - load.F @ chain.rate(chain.end) - load.N @ (chain.recursion[:3] @ v)
    for i in range(n):
        mass = chain.model.bodies[i].inertia.mass
        work = work + (g @ chain.rate(chain.centres[i])) * mass
    work = chain.s.of(work - _springs(chain) @ v)
    J, F, q = Sign("J"), Sign("F"), Sign("q")
    in_brackets = Sum(
        (
            (1, Sign("τ")),
            (-1, Row((Power(J, _T), F))),
            *([(-1, Row((Power(Sign("J", "ω"), _T), Sign("N"))))] if in_space else []),
            (-1, Sign("G")),
            *([(-1, Sign("S"))] if springs else []),
        )
    )
    weights = Row((Mark("∑"), Sign("m", "i"), GRAVITY_ARROW, Mark("·"), _small(Sign("p", "Ci"))))
    first = Sum(
        (
            (1, Row((Power(Sign("τ"), _T), _small(q)))),
            (-1, Row((Power(F, _T), _small(Sign("p"))))),
            *([(-1, Row((Power(Sign("N"), _T), _small(Sign("ψ")))))] if in_space else []),
            (1, weights),
            *([(-1, Row((Power(Sign("S"), _T), _small(q))))] if springs else []),
        )
    )
    check = "zero for every q̇ in place of δq, with the rates of change of the places"
    page.require(work, chain.s.of(0), check)
    factored = Row((Power(in_brackets, _T), _small(q)))
    page.given(_small(Sign("W")), (first, factored, ZERO), sympy.S.Zero, check)


def _together(
    page: Page,
    chain: Chain,
    columns: list[Quantity],
    load: _Load,
    torques: list[Quantity],
    G: list[Quantity],
) -> None:
    """τ = Jᵀ F + G, as matrices and row by row."""
    in_space, springs = chain.normal is None, _springs(chain)
    page.step(
        "Together",
        "The δq are arbitrary, so what multiplies each is zero. Row by row it is what the balance "
        "of the links gave.",
    )
    J = np.stack([x.value for x in columns], axis=1)
    page.require(J, chain.recursion[chain.rows], "J and the Jacobian of the recursion")
    F = [*load.force.value, *([load.moment.value] if chain.has_angle else [])]
    terms = [page.leaf(Power(Sign("J"), _T), J.T) @ page.line(
        Sign("F"), page.leaf(None, chain.all(F)))]  # fmt: skip
    spun = chain.recursion[:3]
    if in_space:
        N = page.line(Sign("N"), page.leaf(None, load.N))
        terms.append(page.leaf(Power(Sign("J", "ω"), _T), spun.T) @ N)
    terms.append(page.leaf(Sign("G"), chain.all([x.value for x in G])))
    if any(x != 0 for x in springs):
        terms.append(page.line(Sign("S"), page.leaf(None, springs)))
    balanced = chain.all([x.value for x in torques])
    check = "equal to the torques of the balance"
    page.line(Sign("τ"), page.sum(terms), balanced, check)
