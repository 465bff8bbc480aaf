"""What acts on a mechanism in a live view: a hand, motors, friction, and stops of joints.

The hand pulls at a point, as a spring with a damper, as stiff as what it holds is heavy: in each
direction in which the point can go it swings at the same frequency, whatever it moves. The
stiffness is the inertia that the point feels, times the square of the frequency.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.forces.forces import sliding_friction
from visviva.show.laboratory.grips import grips_of
from visviva.show.laboratory.start import driven_by_motors
from visviva.show.live.stepping import ByName, Stepping, by_name
from visviva.show.scene.scene import Scene

NOTHING, CARRY, HOLD = MOTORS_DO = ("nothing", "carry the weight", "hold the pose")
HELD_AT = 20.0  # rad/s, of a motor's spring; it just does not swing
SLOW = 0.05  # rad/s or m/s: an impact below it is not given back
FELT_EVERY = 4  # steps after which the hand weighs anew what it holds
SAG = 36.0  # of the mechanism's size: the part of it by which weight pulls a held point down
SLOWEST, FASTEST = 4.0, 60.0  # rad/s
DAMPED = 0.7  # of what would just not swing
LIGHTEST = 0.1  # of the easiest direction: what is heavier than this is taken as so heavy
STRONGEST = 3.0  # of the mass that is felt at first: where a point stands still it has no end
WEIGHT = 9.81  # m/s², where nothing else says what is slow


@dataclass(frozen=True)
class Grip:
    """A point of a carrier of a scene that is held, and where to it is pulled, in the world."""

    carrier: int
    point: tuple[float, float, float]
    target: tuple[float, float, float]


def frequency(size: float) -> float:
    """Of the hand, in rad/s, for a mechanism of this size."""
    return float(np.clip(np.sqrt(SAG * WEIGHT / size), SLOWEST, FASTEST))


def felt_inertia(J: Array, a: Array, most: float = np.inf) -> Array:
    """Λ (3, 3), symmetric: the mass that a point feels in each direction, or `most`.

    J (3, nv) are the velocities of the point, a (3, nv) the accelerations that unit forces on it
    make. Directions in which it cannot go have none.
    """
    W = J @ a.T
    sizes, axes = np.linalg.eigh((W + W.T) / 2)
    largest = float(sizes.max(initial=0.0))
    if not largest > 0.0 or not np.isfinite(largest):
        return np.zeros((3, 3))
    masses = np.where(sizes > 1e-9 * largest, 1.0 / np.maximum(sizes, LIGHTEST * largest), 0.0)
    return np.asarray((axes * np.minimum(masses, most)) @ axes.T)


def pulling_force(inertia: Array, away: Array, speed: Array, omega: float) -> Array:
    """F (3,): of the spring, by which the target is away, and of the damper, against the speed."""
    return np.asarray(inertia @ (omega**2 * away - 2.0 * DAMPED * omega * speed))


def held_point(X: Any, world: Any) -> tuple[float, float, float]:
    """A point of the world in the axes of a carrier [A | p]."""
    x, y, z = np.linalg.solve(X[:, :3], np.asarray(world, dtype=float) - X[:, 3])
    return float(x), float(y), float(z)


class Acting:
    """Generalized forces on a system, by functions that are compiled when they are needed."""

    def __init__(self, system: Any, scene: Scene, stepping: Stepping, q: Array, dt: float) -> None:
        self.system, self.scene, self.stepping = system, scene, stepping
        self.start, self.dt = q, dt
        self.has_stops = stepping.subject.has_stops
        self._omega = frequency(scene.size)
        self._pulls: dict[int, ByName] = {}
        self._felt, self._most, self._steps = np.zeros((3, 3)), np.inf, 0

    @cached_property
    def grips(self) -> tuple[int, ...]:
        """For every carrier of the scene the one that forces on it act on; 0: it stands still."""
        return grips_of(self.scene)

    @cached_property
    def driven(self) -> Array:
        """For each velocity whether motors can make any force on it."""
        return driven_by_motors(self.system, self.start)

    @cached_property
    def inertia(self) -> Array:
        """The inertia of each coordinate where it began: friction and motors are multiples."""
        still = {"q": self.start, "v": np.zeros(self.system.nv), "t": np.zeros(())}
        still |= {"parameters": self.stepping.stated_gravity}
        return np.diag(self.stepping.value("mass_matrix", still))

    # ---- the hand

    def held(self, grip: Grip) -> None:
        """A grip begins: what it holds is weighed at the next step."""
        self._steps = 0
        self._pull(grip.carrier)

    def ready(self) -> None:
        """All functions of forces on points, compiled."""
        still = {"q": self.start, "r": np.zeros(3), "F": np.zeros(3), "t": np.zeros(())}
        for carrier in sorted({*self.grips} - {0}):
            f = self._pull(carrier)
            if f is not None:
                f(still)

    def _pull(self, carrier: int) -> ByName | None:
        f = self.scene.pull(carrier)
        if carrier not in self._pulls and f is not None:
            self._pulls[carrier] = by_name(f)
        return self._pulls.get(carrier)

    def hand(self, grip: Grip, X: Array, state: Mapping[str, Any]) -> tuple[Array, Array]:
        """The force (3,) on the point that is held, and on the coordinates (nv,)."""
        f, r = self._pulls[grip.carrier], np.array(grip.point)
        J = np.array([f({**state, "r": r, "F": e}) for e in np.eye(3)])
        if self._steps % FELT_EVERY == 0:
            most = self._most if self._steps else np.inf
            self._felt = felt_inertia(J, self.stepping.pushed(state, J), most)
            if not self._steps:
                self._most = STRONGEST * float(np.linalg.norm(self._felt, 2))
        self._steps += 1
        away = np.array(grip.target) - (X[:, :3] @ r + X[:, 3])
        force = pulling_force(self._felt, away, J @ state["v"], self._omega)
        return force, np.asarray(force @ J)

    # ---- motors and friction

    def motors(self, what: str, aim: Array, friction: float, state: Mapping[str, Any]) -> Array:
        """Forces of motors, of friction that the view adds, and of dry friction, rounded off."""
        v = state["v"]
        tau = -friction * self.inertia * v if friction else np.zeros(self.system.nv)
        if what != NOTHING:
            tau = tau + np.where(self.driven, self.stepping.value("gravity_forces", state), 0.0)
        if what == HOLD:
            away = np.asarray(self.system.difference(state["q"], aim), dtype=float)
            back = HELD_AT**2 * away - 2.0 * HELD_AT * v
            tau = tau + np.where(self.driven, self.inertia * back, 0.0)
        if self.stepping.subject.is_dry:
            size = np.asarray(sliding_friction(self.system.numeric, v), dtype=float)
            tau = tau - size * np.tanh(v / np.maximum(self._rounding, 1e-12))
        return np.asarray(tau, dtype=float)

    @cached_property
    def _rounding(self) -> Array:
        return self.stepping.pace(self.start).rounding(self.system.dry_friction, self.dt)

    # ---- stops

    def stopped(self, state: Mapping[str, Any]) -> tuple[Array, Array]:
        """q and v after joints that passed a limit came back to it, and bounced."""
        stops, q, v = self._stops, np.array(state["q"]), np.array(state["v"])
        for i, k, low, high, back in zip(
            stops.q, stops.v, stops.lower, stops.upper, stops.restitution, strict=True
        ):
            side = float(q[i] > high) - float(q[i] < low)
            if not side:
                continue
            q[i] = high if side > 0 else low
            if v[k] * side > 0:
                e = float(back) if abs(v[k]) > SLOW else 0.0
                push = self.stepping.pushed(state, np.eye(self.system.nv)[k : k + 1])[0]
                v = v - push * ((1.0 + e) * v[k] / push[k])
        return q, v

    @cached_property
    def _stops(self) -> Any:
        return self.stepping.subject.stops
