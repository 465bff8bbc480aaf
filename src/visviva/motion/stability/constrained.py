"""Where constraints hold a system: positions of rest, and whether they are stable.

Positions come from random starts, and along the motion of a linkage with one freedom.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import BranchesError, EquilibriumError, VisvivaError
from visviva.motion.stability.about import linearize
from visviva.motion.stability.balance import NONE, Balance
from visviva.motion.stability.branches import check_one_branch
from visviva.motion.stability.curve import OnCurves, on_curves, one_of_each, where_branches_meet
from visviva.motion.stability.place import Place
from visviva.motion.stability.rest import Domain, Rest
from visviva.motion.stability.theorems import (
    Status,
    Theorem,
    Verdict,
    jump_of,
    undecided,
    verdict_of,
)
from visviva.numerics.evidence import By, Evidence, Proved, Reason, Sampled
from visviva.progress import Progress
from visviva.solve.assembly import newton
from visviva.solve.rows import Rows, by_whole_turns, directions

SEEDS = 16  # random positions of a linkage, whose curves are followed
SYMMETRIC = 1e-9  # of the stiffness: by how much it may differ from its transpose
FAR = 10.0  # radians or metres beyond bounds, or from the start: no curve is followed farther


def find_constrained_rests(
    balance: Balance, domain: Domain, starts: int, at: Progress
) -> tuple[list[Rest], Evidence, OnCurves | None]:
    """Positions of rest, how well it is known that there are no others, and what curves told."""
    found: list[Array] = []
    curves = None
    if balance.everywhere is not None and domain.contains(balance.start):
        found = [balance.start]  # it stands for all
    else:
        for k, q in enumerate(domain.random(np.random.default_rng(0), starts)):
            at.step(f"start {k + 1} of {starts}")
            there = balance.settled(q)
            if there is not None:
                _add(balance, domain, found, there)
            if found and balance.everywhere is not None:
                break
    if balance.everywhere is None:
        at.step("along the motion")
        curves, found = _along_curves(balance, domain, found)
        apart, found = where_branches_meet(balance, found), []
        for q in apart:
            _add(balance, domain, found, q)
    within = [q for q in found if domain.contains(q) and balance.balanced(q)]
    known = balance.everywhere if within else None
    return [Rest(q, Sampled(1)) for q in within], known or Sampled(starts), curves


def _along_curves(
    balance: Balance, domain: Domain, found: list[Array]
) -> tuple[OnCurves, list[Array]]:
    """Along the curves on which a linkage is, found or met by chance; what is there is added."""
    s, rng = balance.system, np.random.default_rng(7)
    rows = Rows(s, balance.t)
    turning = np.isin(np.arange(s.nv), list(domain.entries))

    def apart(q: Array, other: Array) -> Array:
        return np.asarray(s.difference(q, by_whole_turns(domain.entries, q, other)))

    def goes_on(q: Array) -> bool:
        step = apart(balance.start, q)
        low, high = (np.where(np.isfinite(x), x, 0.0) for x in (domain.low, domain.high))
        return bool((turning | ((step > low - FAR) & (step < high + FAR))).all())

    random = (newton(rows, q) for q in domain.random(rng, SEEDS))
    curves = on_curves(balance, (balance.start, *found, *random), apart, goes_on)
    for q in curves.q:
        for there in _by_turns(domain, q):
            _add(balance, domain, found, there)
    return one_of_each(balance, curves, found, apart)


def _by_turns(domain: Domain, q: Array) -> Iterator[Array]:
    """The same position by whole turns on, as often as bounds admit it."""
    s = domain.forces.system
    step = np.asarray(s.difference(domain.forces.start, q))
    own = [k for k in domain.entries if not domain.turns[k]]
    bounded = [k for k in own if np.isfinite(domain.high[k] - domain.low[k])]
    ends = [(x - step) / (2 * np.pi) for x in (domain.low - domain.same, domain.high + domain.same)]
    turns = [np.arange(np.ceil(ends[0][k]), np.floor(ends[1][k]) + 1) for k in bounded]
    for some in product(*turns):
        whole = np.zeros(len(step))
        whole[bounded] = 2 * np.pi * np.array(some)
        yield np.asarray(s.integrate(q, whole)) if bounded else q


def _add(balance: Balance, domain: Domain, found: list[Any], q: Array) -> None:
    """Add what is inside of the domain, once."""
    q = domain.normal(q)
    is_known = any(balance.are_one(x, q, domain.apart(x, q), domain.same) for x in found)
    if domain.contains(q) and not is_known:
        found.append(q)


def judge_constrained(balance: Balance, rest: Rest) -> Verdict:
    """The verdict on one position of rest: of its linear system, where forces have one law."""
    why = jump_of(balance, rest)
    if why is not None:
        return undecided(why)
    try:
        if balance.loads.frames:
            return _judge_under_loads(balance, rest.q)
        linear = linearize(balance.system, rest.q, balance.v, tau=balance.tau, t=balance.t)
    except BranchesError:
        return undecided(Reason.BRANCHES)
    except EquilibriumError as error:
        return undecided(Reason.OTHER, detail=error.reason)
    except VisvivaError as error:
        return undecided(Reason.OTHER, detail=str(error))
    return verdict_of(linear.stability)


def _judge_under_loads(balance: Balance, q: Array) -> Verdict:
    """By the stiffness K along what can move: positive where the energy is least.

    Forces that stay in world axes have an energy, moments in general not: K is then not symmetric.
    Without gyroscopic forces, as at rest, a negative direction of K is one that grows.
    """
    s = balance.system
    check_one_branch(s, q, balance.t)
    if any(x.frames and x.joint.velocity_rows for x in s.constraints.active):
        return undecided(Reason.OTHER, detail="constraints about velocities alone")
    Place(s, q, balance.v, balance.tau, balance.t, {}).check_smooth()
    step = np.concatenate([np.zeros(s.nv), balance.pull(q, NONE)])
    N, _ = directions(np.asarray(s.function("constraint_matrix")(q)))
    K = N.T @ np.asarray(balance.slope(q, step, NONE))[: s.nv, : s.nv] @ N
    size = float(np.abs(K).max(initial=0.0))
    if np.abs(K - K.T).max(initial=0.0) > SYMMETRIC * size:
        why = "moments that stay in world axes have no energy"
        return undecided(Reason.OTHER, detail=why)
    least = float(np.linalg.eigvalsh((K + K.T) / 2).min(initial=np.inf))
    if abs(least) <= SYMMETRIC * size:
        return undecided(Reason.FLAT, tuple(s.motion_names))
    if least > 0:
        return Verdict(Status.STABLE, Theorem.ENERGY, Proved(By.THEOREM))
    return Verdict(Status.UNSTABLE, Theorem.PUSHED, Proved(By.THEOREM))
