"""`Session`: a mechanism that is moved by sliders, by a hand, by its own equations, or played.

It knows nothing of browsers: what is seen is `session.q`, and time passes when it is told to.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.idle import refuse_idle
from visviva.errors import ArgumentError, VisvivaError, check_known
from visviva.motion.trajectory import Trajectory
from visviva.show.live.acting import HOLD, MOTORS_DO, NOTHING, Acting, Grip, held_point
from visviva.show.live.closing import Closing
from visviva.show.live.stepping import HAND, MOST_AT_ONCE, MOTORS, ByName, Stepping, by_name
from visviva.show.scene.of import scene_of

STOPPED = "stopped: accelerations are no numbers here, as at a pole of the coordinates"


class Session:
    """The state of one mechanism: q, v and t, and whatever acts on it.

    `gravity` and `motors` may be set, and `friction`, per second, that the view adds; `running` is
    whether time passes.
    """

    def __init__(self, system: Any, run: Trajectory | None = None, q: Any = None) -> None:
        self.system, self.scene = system, scene_of(system)
        self.stepping = Stepping.of(system)
        self.closing = Closing(self.stepping.functions, self.scene.size)
        self.run: Trajectory | None = None
        self.batch: Trajectory | None = None
        if run is not None:
            self.take(run)
        self.start = np.array(self.scene.start if q is None else q, dtype=float)
        self.gravity, self.running, self.playing = True, False, False
        self.motors, self.friction, self.said = NOTHING, 0.0, ""
        self.speed = 1.0  # of playing
        self.grip: Grip | None = None
        self.force = np.zeros(3)  # of the hand
        self.reset()

    # ---- positions

    def reset(self) -> None:
        """Back to where it began, at rest or with the velocity that is stated."""
        first = None if self.run is None else self.run.at(self.run.t[0])
        q, v = (self.start, self.scene.velocity) if first is None else first
        self.running = self.playing = False
        self.said, self.t = "", 0.0 if self.run is None else float(self.run.t[0])
        self.release()
        self.place(q, v)

    def place(self, q: Any, v: Any = None) -> None:
        """Put it somewhere, at rest if no velocity is given; its account begins anew."""
        self.q = np.array(q, dtype=float)
        self.v = np.zeros(self.system.nv) if v is None else np.array(v, dtype=float)
        self.aim = self.q.copy()  # of motors that hold
        self._begin_account()

    def slide(self, index: int, value: float) -> bool:
        """A slider puts one entry of q at a value, loops closed; whether it could."""
        self.playing = False
        new = self.closing.moved(self.q, index, float(value), self.parameters, self.t)
        if new is None:
            label = self.scene.coordinates[index].label
            self.said = f"the loops do not close with {label} = {value:.4g}"
            return False
        self.said = ""
        self.lead(new)
        return True

    def lead(self, q: Array) -> None:
        """To a position: at once, or by motors that hold the pose while time passes."""
        if self.running and self.motors == HOLD:
            self.aim = np.array(q, dtype=float)
        else:
            self.place(q)

    # ---- what acts

    @property
    def parameters(self) -> Array:
        """Values of what compiled functions take: the size of gravity, where there is any."""
        stated = self.stepping.stated_gravity
        return stated if self.gravity else np.zeros_like(stated)

    @property
    def has_gravity(self) -> bool:
        """Whether gravity can be switched off."""
        return bool(self.stepping.names)

    def switch_gravity(self, on: bool) -> None:
        """On or off; the energy that this changes at once is no work."""
        self.gravity = bool(on)
        self._begin_account()

    def switch_motors(self, what: str) -> None:
        """What they do: nothing, carry the weight, or hold the pose in which they begin."""
        check_known("what motors do", what, MOTORS_DO)
        self.motors, self.aim = what, self.q.copy()

    @cached_property
    def acting(self) -> Acting:
        """Forces of hands, motors and friction."""
        return Acting(self.system, self.scene, self.stepping, self.start, self.dt)

    def grab(self, carrier: str | int, at: Any) -> bool:
        """Take hold at a point (3,) of the world, on a carrier; whether there is something."""
        own = self.acting.grips[self.scene.carrier(carrier)]
        if own == 0 or self.scene.pull(own) is None:
            return False
        point = held_point(self.places[own], at)
        x, y, z = (float(c) for c in at)
        grip = Grip(own, point, (x, y, z))
        self.acting.held(grip)
        self.grip, self.playing, self.running = grip, False, True
        return True

    def pull(self, target: Any) -> None:
        """Where the hand pulls to, (3,) in the world."""
        if self.grip is not None:
            x, y, z = (float(c) for c in target)
            self.grip = Grip(self.grip.carrier, self.grip.point, (x, y, z))

    def release(self) -> None:
        """Let go."""
        self.grip, self.force = None, np.zeros(3)

    @property
    def places(self) -> Array:
        """[A | p] of all carriers now, the world first."""
        X = np.asarray(self._places({"q": self.q, "t": np.asarray(self.t)}))
        return np.concatenate([np.eye(3, 4)[None], X.reshape(-1, 3, 4)])

    @cached_property
    def _places(self) -> ByName:
        return by_name(self.scene.places())

    @property
    def held_at(self) -> Array | None:
        """The point that is held, (3,) in the world."""
        if self.grip is None:
            return None
        X = self.places[self.grip.carrier]
        return np.asarray(X[:, :3] @ np.array(self.grip.point) + X[:, 3])

    # ---- time

    @cached_property
    def dt(self) -> float:
        """The length of a step, in seconds."""
        if getattr(self.system, "bodies", ()) and not self.system.held_by:
            only = "cannot be let go, it is moved by sliders alone"
            refuse_idle(self.system.numeric, "the mechanism", only)
        pace = self.stepping.pace(self.start)
        if not np.isfinite(pace.rest).all():
            raise ArgumentError(
                f"accelerations of {self.system.name!r} are no numbers in the position in which it "
                "is shown: it cannot move by itself here"
            )
        return pace.step(self.scene.velocity)

    def advance(self, seconds: float) -> None:
        """Let time pass: whole steps of `dt`, or along the trajectory that is played."""
        if self.playing and self.run is not None:
            self._play(seconds)
        elif self.running:
            for _ in range(max(1, round(seconds / self.dt))):
                self._step()

    def _state(self) -> dict[str, Any]:
        return {
            "q": self.q,
            "v": self.v,
            "x": self.work,
            "t": np.asarray(self.t),
            "h": np.asarray(self.dt),
            "parameters": self.parameters,
            "tau": np.zeros(self.system.nv),
        }

    def _step(self) -> None:
        state, acting = self._state(), self.acting
        state["hand"] = np.zeros(self.system.nv)
        if self.grip is not None:
            X = self.places[self.grip.carrier]
            self.force, state["hand"] = acting.hand(self.grip, X, state)
        state["tau"] = acting.motors(self.motors, self.aim, self.friction, state)
        new = self.stepping.moved(state)
        if not all(np.isfinite(new[k]).all() for k in ("q", "v")):
            self.running, self.said = False, STOPPED
            return
        self.q, self.v, self.work = (np.array(new[k]) for k in ("q", "v", "x"))
        self.t = float(new["t"])
        if acting.has_stops:
            self.q, self.v = acting.stopped({**state, "q": self.q, "v": self.v})

    # ---- playing

    def take(self, run: Trajectory) -> None:
        """A trajectory of this system, to be played; of a batch the first, until one is chosen."""
        theirs, ours = run.system.coordinate_names, self.system.coordinate_names
        if tuple(theirs) != tuple(ours):
            raise ArgumentError(
                f"a trajectory of {run.system.name!r} has the coordinates {', '.join(theirs)}, and "
                f"{self.system.name!r} has {', '.join(ours)}"
            )
        if run.system.name != self.system.name:
            raise ArgumentError(
                f"this is a view of {self.system.name!r}, and a trajectory of {run.system.name!r}, "
                "whose coordinates are called the same; run.animate() shows it"
            )
        self.batch = run if run.is_batch else None
        self.run = run[0] if run.is_batch else run

    def choose(self, number: int) -> None:
        """Another trajectory of the batch, from its start."""
        if self.batch is None:
            raise ArgumentError(f"there is no batch of {self.system.name!r} to choose from")
        self.run = self.batch[number]
        self.reset()

    def play(self, run: Trajectory | None = None) -> None:
        """Play a trajectory of this system, from its start if it is at its end."""
        if run is not None:
            self.take(run)
        if self.run is None:
            raise ArgumentError(f"there is no trajectory of {self.system.name!r} to be played")
        if run is not None or self.t >= self.run.t[-1]:
            self.t = float(self.run.t[0])
        self.playing, self.running = True, False
        self.release()
        self.seek(self.t)

    def seek(self, t: float) -> None:
        """To a time of the trajectory."""
        if self.run is None:
            raise ArgumentError(f"there is no trajectory of {self.system.name!r} to be played")
        t = float(np.clip(t, self.run.t[0], self.run.t[-1]))
        q, v = self.run.at(t)
        if not np.isfinite(q).all():  # of a batch each may end earlier
            self.playing, self.said = False, f"this motion has no state at t = {t:.4g} s"
            return
        self.t, self.said = t, ""
        self.place(q, v)

    def _play(self, seconds: float) -> None:
        self.seek(self.t + self.speed * seconds)
        self.playing = self.playing and self.run is not None and bool(self.t < self.run.t[-1])

    def warm(self) -> None:
        """Compile what it will need, so that nobody waits when it is needed."""
        state = self._state()
        none = np.zeros(self.system.nv)
        self.stepping.step({**state, "hand": none, "tau": none})
        _ = self.acting.inertia, self.places
        if self.system.nv <= MOST_AT_ONCE:  # else when somebody takes hold
            self.acting.ready()

    # ---- the account

    @property
    def energies(self) -> dict[str, float]:
        """Kinetic and potential energy, and what forces change: their sum, or v·∂L/∂v - L."""
        state, natural = self._reading(), self.stepping.functions.is_natural
        T = float(self.stepping.value("kinetic_energy", state))
        V = float(self.stepping.value("potential_energy", state))
        E = T + V if natural else float(self.stepping.value("jacobi_integral", state))
        return {"kinetic": T, "potential": V, "energy": E}

    @property
    def account(self) -> dict[str, float]:
        """Joules since it was put where it is: of the hand, of motors, and what is gone."""
        hand, motors = float(self.work[HAND]), float(self.work[MOTORS])
        gained = self.energies["energy"] - self._energy
        return {"hand": hand, "motors": motors, "gained": gained, "lost": hand + motors - gained}

    def _reading(self) -> dict[str, Any]:
        none = np.zeros(self.system.nv)
        given = {"q": self.q, "v": self.v, "a": none, "tau": none, "t": np.asarray(self.t)}
        return {**given, "parameters": self.parameters}

    def _begin_account(self) -> None:
        self.work = np.zeros(2)
        try:
            self._energy = self.energies["energy"]
        except VisvivaError:  # of positions at which energies are no numbers
            self._energy = np.nan

    def reading(self, quantity: str) -> Array:
        """A quantity of the mechanism as it is now, without forces of motors and hands."""
        return self.stepping.value(quantity, self._reading())
