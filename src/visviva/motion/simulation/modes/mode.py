"""Who slides, who sticks and who leans on a stop; and what a state needs for it to last.

Of all accelerations that friction and stops admit there is one that makes ½ a·M a - a·f + Σ F |a|
smallest, where a leads away from stops and loops stay closed; it says who moves. That is so as
limits of friction do not depend on the load.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.describe.stops import Stops, stops_of
from visviva.equations.steps.flow import State
from visviva.machine.function import Function
from visviva.machine.run.call import Array
from visviva.motion.simulation.integrate import Integrator
from visviva.motion.simulation.modes.boxed import boxed

JUST_SO = 1e-12  # of the forces at hand: what rounding makes of a balance
IN_LOOPS = 1e-9  # the same where loops are closed on the way
INDEPENDENT = 1e-10  # of the largest singular value: below it rows of constraints say nothing new


@dataclass(frozen=True, eq=False)
class JointMode:
    """Which way joints slide (nv,), which are held (nv,), on which side a stop carries them (nv,).

    `slide` is 1, -1 or 0, `stuck` 1 or 0, `side` 1 at a lower stop, -1 at an upper one, else 0.
    """

    slide: Array
    stuck: Array
    side: Array
    rounding: float = 0.0  # of the forces, as they were when it began

    @property
    def given(self) -> dict[str, Array]:
        """As inputs of one row."""
        return {"slide": self.slide[None], "stuck": self.stuck[None]}

    def is_like(self, other: JointMode) -> bool:
        """Whether the same joints slide, stick and lean."""
        pairs = zip(self._all, other._all, strict=True)
        return all(np.array_equal(a, b) for a, b in pairs)

    @property
    def _all(self) -> tuple[Array, Array, Array]:
        return self.slide, self.stuck, self.side


@dataclass(frozen=True, eq=False)
class Functions:
    """What is asked of a flow with friction and stops, in a mode, compiled once."""

    integrator: Integrator

    @property
    def flow(self) -> Any:
        """A `StickingFlow`."""
        return self.integrator.flow

    @cached_property
    def stops(self) -> Stops:
        """Those of its joints."""
        return stops_of(self.flow.system)

    @cached_property
    def balanced(self) -> Function:
        """M, the forces without inertia, and where constraints hold the system A and β."""

        def balanced(s: State, t: Any, named: Mapping[str, Any]) -> dict[str, Any]:
            M, push, _ = self.flow.balance(t, s, named)
            return {"M": M, "push": push, **self.flow.rows(t, s, named)}

        return self.integrator.function_of_state("balanced", balanced)

    @cached_property
    def held(self) -> Function:
        """What friction and stops do to every joint."""
        return self.integrator.function_of_state(
            "held", lambda s, t, named: self.flow.holding(t, s, named)
        )


@dataclass(frozen=True, eq=False)
class ForceBalance:
    """M a = push + r at a state, on what constraints leave: a = b + W (forces added)."""

    M: Array
    W: Array
    b: Array
    size: float  # of the forces

    @classmethod
    def of(cls, M: Array, push: Array, rows: Mapping[str, Array]) -> ForceBalance:
        """Of a tree, or with rows A a + β = 0."""
        size = float(np.abs(push).max(initial=0.0))
        if not rows:
            W = np.linalg.inv(M)
            W = 0.5 * (W + W.T)
            return cls(M, W, W @ push, size)
        A, beta = rows["A"], rows["beta"]
        _, s, Vt = np.linalg.svd(A)
        rank = int((s > INDEPENDENT * s.max(initial=0.0)).sum())
        Z = Vt[rank:].T
        W = Z @ np.linalg.solve(Z.T @ M @ Z, Z.T)
        W = 0.5 * (W + W.T)
        forced = np.linalg.lstsq(A, -beta, rcond=INDEPENDENT)[0]
        return cls(M, W, forced + W @ (push - M @ forced), size)

    def with_forces(self, which: list[int], low: Array, high: Array) -> tuple[Array, Array]:
        """Accelerations, and forces (k,) between bounds on some joints that oppose motion."""
        r = boxed(self.W[np.ix_(which, which)], self.b[which], low, high)
        return np.asarray(self.b + self.W[:, which] @ r), r


@dataclass(frozen=True, eq=False)
class Grip:
    """Friction and stops while forces are given so, for one trajectory."""

    functions: Functions
    given: Mapping[str, Array]  # (1, …)

    @property
    def integrator(self) -> Integrator:
        """Of the motion."""
        return self.functions.integrator

    @cached_property
    def limits(self) -> Array:
        """Of friction at rest (nv,)."""
        flow = self.functions.flow
        return np.array(flow.limits({k: x[0] for k, x in self.given.items()}), dtype=float)

    @cached_property
    def least(self) -> Array:
        """The size of friction of joints that begin to slide (nv,)."""
        flow, own = self.functions.flow, {k: x[0] for k, x in self.given.items()}
        return np.array(flow.sliding(np.zeros(len(self.limits)), own), dtype=float)

    def at(self, f: Function, now: Mapping[str, Array], mode: JointMode) -> Any:
        """A function of states (k, …) in a mode."""
        count = len(now["t"])
        values = {
            **now,
            **{k: np.repeat(x, count, 0) for k, x in {**self.given, **mode.given}.items()},
        }
        return f(*(values[k] for k in f.inputs))

    def held(self, now: Mapping[str, Array], mode: JointMode) -> Array:
        """What friction and stops do to every joint at states (k, …)."""
        return np.asarray(self.at(self.functions.held, now, mode))

    def balance(self, now: Mapping[str, Array], mode: JointMode) -> ForceBalance:
        """At a state (1, …)."""
        return next(self.balances(now, mode))

    def balances(self, now: Mapping[str, Array], mode: JointMode) -> Iterator[ForceBalance]:
        """At states (k, …), one after the other."""
        f = self.functions.balanced
        said = dict(zip(f.outputs, map(np.asarray, self.at(f, now, mode)), strict=True))
        M, push = said.pop("M"), said.pop("push")
        for k in range(len(push)):
            yield ForceBalance.of(M[k], push[k], {name: x[k] for name, x in said.items()})

    def distances(self, q: Array) -> Array:
        """How far states (k, nq) are from lower and upper stops, (k, 2 stops)."""
        s = self.functions.stops
        return np.concatenate([q[:, s.q] - s.lower, s.upper - q[:, s.q]], axis=1)

    def touched(self, q: Array) -> Array:
        """(nv,): 1 where a joint is at its lower stop, exactly, -1 at its upper one."""
        s, side = self.functions.stops, np.zeros(self.functions.flow.system.nv)
        side[s.v[q[s.q] == s.lower]] = 1.0
        side[s.v[q[s.q] == s.upper]] = -1.0
        return side

    def guards(self, now: Mapping[str, Array], mode: JointMode) -> Array:
        """(k, nv + 2 stops): below zero where a joint no longer slides as it did, needs more than
        holds it, or is beyond a stop."""
        slid = np.where(mode.slide != 0, now["v"] * mode.slide, np.inf)
        s = self.functions.stops
        away = self.distances(now["q"])
        if len(s):
            away[:, np.tile(mode.side[s.v] != 0, 2)] = np.inf
        if mode.stuck.any():
            slid = np.where(mode.stuck > 0, self._spare(now, mode), slid)
        return np.concatenate([slid, away], axis=1)

    def _spare(self, now: Mapping[str, Array], mode: JointMode) -> Array:
        """What is left of the forces that hold joints (k, nv), at least."""
        slack = self.limits * (1.0 + JUST_SO) + mode.rounding + JUST_SO * JUST_SO
        if not self.functions.flow.system.held_by:
            needed = self.held(now, mode)
            return np.asarray(slack - np.where(mode.side != 0, needed * mode.side, np.abs(needed)))
        spare = np.ones((len(now["t"]), len(slack)))
        for k, balance in enumerate(self.balances(now, mode)):
            spare[k] = -np.abs(self._moved(balance, mode))  # joints of a loop share what holds them
        return np.where(spare < 0, spare, 1.0)

    def _moved(self, balance: ForceBalance, mode: JointMode) -> Array:
        """Accelerations (nv,) of held joints, if their forces cannot hold them; else 0."""
        which = [int(i) for i in np.flatnonzero(mode.stuck)]
        a, _ = balance.with_forces(which, *self._box(which, mode.side))
        return np.where((mode.stuck > 0) & (np.abs(a) > self._small(balance, a)), a, 0.0)

    def _small(self, balance: ForceBalance, a: Array) -> float:
        """Accelerations that are none, of what rounding leaves."""
        share = IN_LOOPS if self.functions.flow.system.held_by else JUST_SO
        return share * float(np.abs(a).max(initial=0.0) + balance.size / np.diag(balance.M).max())

    def reactions(self, now: Mapping[str, Array], mode: JointMode) -> Array:
        """What holds held joints at states (k, …), against their motion as friction is: (k, nv)."""
        if not self.functions.flow.system.held_by:
            return np.asarray(mode.stuck * self.held(now, mode))
        which, found = [int(i) for i in np.flatnonzero(mode.stuck)], np.zeros(now["v"].shape)
        for k, balance in enumerate(self.balances(now, mode)):
            found[k, which] = -balance.with_forces(which, *self._box(which, mode.side))[1]
        return found

    def released(self, now: Mapping[str, Array], mode: JointMode, loose: Array) -> dict[int, float]:
        """Which way those joints begin to move that are held no longer."""
        if self.functions.flow.system.held_by:
            pull = self._moved(self.balance(now, mode), mode)
        else:
            pull = self.held(now, mode)[0]
        return {int(i): float(np.sign(pull[i])) for i in np.flatnonzero(loose)}

    def brought_to_rest(
        self, now: Mapping[str, Array], mode: JointMode, stopped: Any, speed: float
    ) -> Array:
        """Velocities (nv,) where some joints have come to rest; in a loop that leaves no other
        motion all of them have, although rounding keeps them from it at one time."""
        v = np.where(stopped, 0.0, now["v"][0])
        if not self.functions.flow.system.held_by:
            return v
        balance = self.balance(now, mode)
        which = [int(i) for i in np.flatnonzero(stopped)]
        G = balance.W[np.ix_(which, which)]
        change = balance.W[:, which] @ np.linalg.lstsq(G, now["v"][0][which], rcond=INDEPENDENT)[0]
        if np.abs(change).max() > IN_LOOPS * speed:  # a dead point: it turns while others go on
            return v
        return self.at_rest_together(balance, np.where(stopped, 0.0, now["v"][0] - change), speed)

    def at_rest_together(self, balance: ForceBalance, v: Array, speed: float) -> Array:
        """v (nv,), where joints to which those at rest leave no motion are at rest too.

        That is asked of a loop and not of its joints, which rounding leaves a part of the `speed`
        at which they came.
        """
        at_rest = np.flatnonzero(v == 0.0)
        if not self.functions.flow.system.held_by or not len(at_rest):
            return v
        W, own = balance.W, balance.W[np.ix_(at_rest, at_rest)]
        passed = np.linalg.pinv(own, rcond=INDEPENDENT, hermitian=True) @ W[at_rest]
        left = np.diag(W - W[:, at_rest] @ passed)
        is_held = (left <= IN_LOOPS * np.diag(W)) & (np.abs(v) <= IN_LOOPS * speed)
        return np.where(is_held, 0.0, v)

    def _box(self, which: list[int], side: Array) -> tuple[Array, Array]:
        F, s = self.limits[which], side[which]
        return np.where(s < 0, -np.inf, -F), np.where(s > 0, np.inf, F)

    def mode(self, now: Mapping[str, Array], released: Mapping[int, float]) -> JointMode:
        """Who slides, sticks and leans at a state (1, …); `released` begin to move, by sign.

        Who slides is braked by less than could hold it, so that others may follow.
        """
        F, v = self.limits, now["v"][0]
        at_rest = v == 0.0
        touched = np.where(at_rest, self.touched(now["q"][0]), 0.0)
        slide = np.where(F > 0, np.sign(v), 0.0)
        gone = np.zeros(len(v), dtype=bool)
        for i, sign in released.items():
            gone[i], slide[i] = True, sign if F[i] > 0 else 0.0
        while True:
            held = at_rest & ~gone & ((F > 0) | (touched != 0))
            asked = [int(i) for i in np.flatnonzero(held)]
            still = JointMode(slide, np.zeros_like(slide), np.zeros_like(slide))
            balance = self.balance(now, still)
            a, _ = balance.with_forces(asked, *self._box(asked, touched))
            small = self._small(balance, a)
            new = [i for i in asked if abs(a[i]) > small]
            if not new:
                side = np.where(held, touched, 0.0)
                return JointMode(slide, held.astype(float), side, 0.1 * JUST_SO * balance.size)
            gone[new] = True
            slide[new] = np.where(F[new] > 0, np.sign(a[new]), 0.0)
