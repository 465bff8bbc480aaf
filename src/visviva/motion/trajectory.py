"""`Trajectory`: a motion in time, or a batch of them: names, units, what is true along it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from visviva.drawing.digits import plain_number
from visviva.drawing.displayed import Displayed
from visviva.errors import (
    ArgumentError,
    LateError,
    MissingAttributeError,
    ShapeError,
    UnknownNameError,
)
from visviva.foreign import Elsewhere, explained, missing_attribute
from visviva.hints import as_typed
from visviva.machine.run.call import Array
from visviva.motion.samples.along import along, check_whole
from visviva.motion.samples.checks import (
    check_times,
    checked_parameters,
    named_values,
    real_numbers,
    spread_forces,
)
from visviva.motion.samples.forces import (
    HELD,
    Acting,
    Between,
    called_forces,
    checked_between,
    forces_at,
    forces_of,
    gives_forces,
    is_function,
)
from visviva.motion.samples.occurrences import Events
from visviva.motion.samples.pieces import Curve, interpolated
from visviva.motion.samples.sending import Sent

if TYPE_CHECKING:
    import pandas
    import xarray
    from numpy.typing import ArrayLike

    from visviva.describe.model.model import Model
    from visviva.describe.system import System
    from visviva.drawing.figure import Figure
    from visviva.drawing.svg import Still
    from visviva.motion.account import Account
    from visviva.show.figures.view import View
    from visviva.show.live.view import LiveView

PRIMES = str.maketrans({"’": "'", "′": "'"})
READER = 'vv.load_trajectory("run.npz")'
FORCES = {"rad/s": "N m", "m/s": "N"}  # units of the forces that go with velocities


class ForcesWhenAsked:
    """Forces at all samples of a motion under a compiled law, computed when they are asked for."""

    def __get__(self, run: Any, owner: Any = None) -> Array | None:
        if run is None:
            return None  # what the field is where nothing is stated
        tau = called_forces(run.between, run.t, run.q, run.v)
        tau.setflags(write=False)  # nobody else has it
        run.__dict__["tau"] = spread_forces(real_numbers("tau", tau), run.v.shape)
        return cast("Array", run.__dict__["tau"])


FORCES_WHEN_ASKED: Any = ForcesWhenAsked()


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(Displayed, Sent):
    """A motion of a system: states at times, and everything that can be computed from them.

    `t` (steps,) in seconds, increasing; `q` (steps, nq) and `v` (steps, nv), or with a first axis
    of N trajectories; `tau` the same as v: the forces on the coordinates, None where none act.
    `between` says what tau is between samples: "held", "linear", or a function of (t, q, v).
    `dense` is a function from times (k,) to (q, v) of shapes (..., k, nq) and (..., k, nv); without
    it states between samples are interpolated. `parameters` are values of the system's parameters
    in this motion, numbers or (N,). `events` has what happened. Arrays are read-only.

    Examples:
        >>> import numpy as np
        >>> from visviva.describe import catalog
        >>> t = np.linspace(0.0, 1.0, 11)
        >>> run = Trajectory(catalog.cart_pole(), t, np.stack([t, 0 * t], axis=1), np.ones((11, 2)))
        >>> run["x"][-1], run["theta'"][0], run.units["x"]
        (np.float64(1.0), np.float64(1.0), 'm')
    """

    load = Elsewhere(READER)
    from_csv = Elsewhere(READER)
    from_npz = Elsewhere(READER)
    from_file = Elsewhere(READER)

    system: System
    t: Array
    q: Array
    v: Array
    tau: Array | None = FORCES_WHEN_ASKED
    between: Between = HELD
    dense: Curve | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    statistics: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    holding: Array | None = None  # (steps, nv): friction of joints at rest
    carried: Array | None = None  # (steps, nv): forces of stops
    events: Events = field(default_factory=Events)

    def __post_init__(self) -> None:
        s = self.system
        t, q, v = (real_numbers(name, getattr(self, name)) for name in ("t", "q", "v"))
        check_times(t)
        steps = len(t)
        if q.ndim not in (2, 3) or q.shape[-2:] != (steps, s.nq):
            raise ShapeError(
                f"q of {s.name!r} along {steps} times has shape ({steps}, {s.nq}) or "
                f"(N, {steps}, {s.nq}), got {q.shape}"
            )
        expected = (*q.shape[:-1], s.nv)
        if v.shape != expected:
            raise ShapeError(f"v of {s.name!r} has shape {expected}, got {v.shape}")
        object.__setattr__(self, "between", checked_between(self.between))
        if self.dense is not None and not callable(self.dense):
            raise ArgumentError(
                f"dense= is a function from times to (q, v), got {self.dense!r:.80}"
            )
        tau = self.tau
        is_asked_later = tau is None and gives_forces(self.between, s)
        if tau is None and is_function(self.between) and not is_asked_later:
            tau = called_forces(self.between, t, q, v)
        tau, holding, carried = (
            None if x is None else spread_forces(real_numbers(name, x), expected)
            for name, x in (("tau", tau), ("holding", self.holding), ("carried", self.carried))
        )
        lanes = expected[0] if len(expected) == 3 else None
        ready = {
            "t": t, "q": q, "v": v, "tau": tau, "holding": holding, "carried": carried,
            "notes": (self.notes,) if isinstance(self.notes, str) else tuple(self.notes),
            "parameters": checked_parameters(named_values("parameters", self.parameters), lanes),
            "statistics": MappingProxyType(dict(named_values("statistics", self.statistics))),
        }  # fmt: skip
        for name, x in ready.items():
            object.__setattr__(self, name, x)
        if is_asked_later:
            del self.__dict__["tau"]

    def _with_notes(self, *notes: str) -> Trajectory:
        """The same with more notes; forces that nobody has asked for yet are not computed."""
        return replace(self, tau=self.__dict__.get("tau"), notes=(*self.notes, *notes))

    @staticmethod
    def from_table(
        model: System,
        table: Any,
        *,
        time: str = "",
        unit: str = "",
        q: str | Mapping[str, str] = "",
        v: str | Mapping[str, str] | None = None,
        tau: str | Mapping[str, str] | None = None,
        dt: float | None = None,
        window: int = 9,
        topic: str = "/joint_states",
    ) -> Trajectory:
        """A motion from a log: a DataFrame, a table of arrays, `.csv`, `.parquet`, a ROS 2 bag.

        `time` is the column of times in `unit`, "s", "ms", "us" or "ns"; t counts from the first.
        `q="{}_pos"` says how columns are called, {} a coordinate, of `v` and `tau` a joint; or a
        table by names. Unless they are stated, columns are called as `run.names` has it, thetad and
        tau_theta, and may be missing: velocities are then slopes of q over `window` samples, as
        with `v=""`. Bags (a folder, `.mcap`, `.db3`) have joint states at `topic`; columns are then
        "{}.position", "{}.velocity", "{}.effort", and the time "stamp" or "received" in ns.
        `dt` samples it evenly. `notes` has all that was done.

        Examples:
            >>> import numpy as np
            >>> from visviva.describe import catalog
            >>> log = {"at": [0, 10, 20], "x": [0.0, 0.1, 0.2], "theta": [0.0, 0.0, 0.0]}
            >>> cart = catalog.cart_pole()
            >>> run = Trajectory.from_table(cart, log, time="at", unit="ms", window=3)
            >>> run["xd"].round(9)
            array([10., 10., 10.])
        """
        from visviva.motion import logs

        return logs.from_table(model, table, time, unit, q, v, tau, dt, window, topic)

    # ---- names

    @property
    def is_batch(self) -> bool:
        """Whether it is several trajectories."""
        return self.q.ndim == 3

    @property
    def names(self) -> tuple[str, ...]:
        """Coordinates, velocities and, where forces act, forces: what `run[name]` knows."""
        s = self.system
        acting = () if self.tau is None else tuple(f"tau_{x}" for x in s.motion_names)
        return (*s.coordinate_names, *s.velocity_names, *acting)

    @property
    def units(self) -> Mapping[str, str]:
        """The unit of every name; empty where the system states none."""
        s = self.system
        acting = () if self.tau is None else tuple(FORCES.get(x, "") for x in s.velocity_units)
        units = (*s.coordinate_units, *s.velocity_units, *acting)
        return MappingProxyType(dict(zip(self.names, units, strict=True)))

    @cached_property
    def _places(self) -> dict[str, tuple[str, int | slice]]:
        """Which entries of q, v or tau a name means."""
        s = self.system
        rates = [(f"{x}'", i) for i, x in enumerate(s.motion_names)]
        places: dict[str, tuple[str, int | slice]] = {}
        for joint, (q, v) in s.joint_slices.items():
            places |= {joint: ("q", q), f"{joint}'": ("v", v), f"tau_{joint}": ("tau", v)}
        places |= {x: ("v", i) for x, i in rates}
        places |= {f"tau_{x}": ("tau", i) for i, x in enumerate(s.motion_names)}
        places |= {x: ("v", i) for i, x in enumerate(s.velocity_names)}
        places |= {x: ("q", i) for i, x in enumerate(s.coordinate_names)}
        return places

    @property
    def ended(self) -> float | Array:
        """When an event ended the motion, in seconds, or (N,); nan where none did."""
        ended = self.events.ended
        if not self.is_batch:
            return float(ended[0])
        return ended if len(ended) == len(self.q) else np.full(len(self.q), np.nan)

    @overload
    def __getitem__(self, name: str) -> Array: ...

    @overload
    def __getitem__(self, name: int | slice) -> Trajectory: ...

    def __getitem__(self, name: str | int | slice) -> Array | Trajectory:
        """`run["theta1"]`, `run["theta1'"]`, `run["tau_theta1"]`; of a batch also `run[3]`.

        A coordinate gives (steps,), or (N, steps); a joint that has several its columns.
        """
        if isinstance(name, str):
            return self._named(name.translate(PRIMES))
        if isinstance(name, (int, np.integer, slice)):
            return self._lanes(name)
        raise ArgumentError(
            f"a trajectory is asked by name, run[{self.names[0]!r}], or a batch by number, run[3]; "
            f"got {name!r}"
        )

    def _named(self, name: str) -> Array:
        places = self._places
        if self.tau is None and places.get(name, ("",))[0] == "tau":
            raise ArgumentError(f"no forces act along this motion, so there is no {name!r}")
        if name not in places:
            known = [*self.names, *(x for x in places if x.endswith("'"))]
            raise UnknownNameError(f"name of {self.system.name!r}", name, known)
        where, at = places[name]
        return np.asarray(getattr(self, where)[..., at])

    def _lanes(self, k: Any) -> Trajectory:
        if not self.is_batch:
            raise ArgumentError(
                f"this is one trajectory, not a batch, and has no number {k!r}; "
                "run.at(t) gives states at a time",
                cure=f"run.q[{k!r}]",
            )
        count = len(self.q)
        if not isinstance(k, slice) and not -count <= k < count:
            raise IndexError(f"there are {count} trajectories, got the number {k}")
        dense, events = self.dense, self.events.rows(k, count)
        t, q, v, tau = self.t, self.q[k], self.v[k], None if self.tau is None else self.tau[k]
        if not isinstance(k, slice) and (end := events.end()) is not None:
            until = t < end[0]  # what comes after the end of this one is no sample of it
            t, q, v = (
                np.append(x[until], [y], axis=0)
                for x, y in zip((t, q, v), (end[0], *end[1]), strict=True)
            )
            tau = None if tau is None else tau[np.minimum(np.arange(len(t)), until.sum() - 1)]
        return replace(
            self,
            t=t,
            q=q,
            v=v,
            tau=tau,
            holding=forces_of(self.holding, k, len(t)),
            carried=forces_of(self.carried, k, len(t)),
            events=events,
            dense=None if dense is None else _Lanes(dense, k),
            between=self.between.of(k) if isinstance(self.between, Acting) else self.between,
            parameters={n: x[k] if np.ndim(x) else x for n, x in self.parameters.items()},
            statistics={n: _own(x, k, count) for n, x in self.statistics.items()},
        )

    def __contains__(self, name: object) -> bool:
        return name in self._places

    # ---- between samples

    @cached_property
    def _states(self) -> Curve:
        return self.dense or interpolated(self.system, self.t, self.q, self.v, self.events)

    def at(self, t: ArrayLike) -> tuple[Array, Array]:
        """(q, v) at any time inside: (nq,) and (nv,) at one, (k, nq) and (k, nv) at k times."""
        times, s = real_numbers("t", t), self.system
        if times.ndim > 1:
            raise ShapeError(f"at takes one time or times (k,), got shape {times.shape}")
        row = np.atleast_1d(times)
        first, last = float(self.t[0]), float(self.t[-1])
        outside = row[~((row >= first) & (row <= last))]
        if len(outside):
            raise ArgumentError(
                f"the trajectory goes from t = {first:g} s to {last:g} s, got t = {outside[0]:g} s"
            )
        q, v = self._states(row)
        expected = tuple((*self.q.shape[:-2], len(row), n) for n in (s.nq, s.nv))
        if (np.shape(q), np.shape(v)) != expected:
            raise ShapeError(
                f"dense= gives q and v of shapes {expected[0]} and {expected[1]} at {len(row)} "
                f"times, got {np.shape(q)} and {np.shape(v)}"
            )
        return (q, v) if times.ndim else (q[..., 0, :], v[..., 0, :])

    def forces_at(
        self, t: ArrayLike, q: ArrayLike | None = None, v: ArrayLike | None = None
    ) -> Array:
        """tau at any time inside, (nv,) or (k, nv); zeros where no forces act."""
        times = real_numbers("t", t)
        row = np.atleast_1d(times)
        state = self.at(row) if q is None or v is None else (np.asarray(q), np.asarray(v))
        tau = forces_at(self.t, self.tau, self.between, row, *state)
        return tau if times.ndim else tau[..., 0, :]

    # ---- what is true along it

    @cached_property
    def _state(self) -> dict[str, Array]:
        tau = np.zeros(self.v.shape[-1]) if self.tau is None else self.tau
        tau = tau if self.holding is None else tau - self.holding
        tau = tau if self.carried is None else tau + self.carried
        return {"q": self.q, "v": self.v, "t": self.t, "tau": tau}

    def quantity(self, name: str) -> Array:
        """Any quantity of the system at all samples: `run.quantity("mass_matrix")`.

        Shape (steps, ...) or (N, steps, ...). Accelerations are those of the forces that act.
        """
        check_whole(name)
        return np.asarray(along(self.system, name, self._state, self.parameters))

    @cached_property
    def acceleration(self) -> Array:
        """a (steps, nv), under the forces of each sample; without tau those of free motion."""
        return self.quantity("forward_dynamics")

    def fitted_acceleration(self, window: int = 9) -> Array:
        """How v itself changes (steps, nv), of logs: slopes of parabolas through `window` samples.

        `acceleration` is that of the forces that act.
        """
        from visviva.motion import logs

        return logs.fitted_acceleration(self, window)

    @cached_property
    def friction(self) -> Array:
        """(steps, nv): dry friction of joints, of those that slide and of those that it holds."""
        s, b = self.system, "dissipation_forces"
        if not np.any(s.dry_friction):
            return np.zeros_like(self.v)
        smooth = along(cast("Model", s).without_dry_friction(), b, self._state, self.parameters)
        slid = self.quantity(b) - np.asarray(smooth)
        return np.asarray(slid if self.holding is None else slid + self.holding)

    @property
    def contact(self) -> Array:
        """(steps, nv): forces of stops that joints lean on, positive at lower stops; impacts have
        impulses, `run.events["stop of elbow"].impulse`."""
        return np.zeros_like(self.v) if self.carried is None else self.carried

    @cached_property
    def kinetic_energy(self) -> Array:
        """(steps,), in joules."""
        return self.quantity("kinetic_energy")

    @cached_property
    def potential_energy(self) -> Array:
        """(steps,), of gravity and springs, in joules."""
        return self.quantity("potential_energy")

    @cached_property
    def energy(self) -> Array:
        """(steps,), kinetic and potential, in joules."""
        return self.kinetic_energy + self.potential_energy

    @cached_property
    def multipliers(self) -> Array:
        """λ (steps, rows): one force for each row of the constraints."""
        return self.quantity("multipliers")

    @cached_property
    def constraint_error(self) -> Array:
        """φ (steps, rows of positions): zero where constraints hold, in metres and radians."""
        return self.quantity("constraint_error")

    @cached_property
    def reactions(self) -> Array:
        """(steps, joints and loops, 6): the wrenches of all joints; of models."""
        return self.quantity("reactions")

    @cached_property
    def account(self) -> Account:
        """Where the energy went; warns where the account does not close."""
        from visviva.motion.account import account

        return account(self)

    # ---- elsewhere

    def plot(self, *names: str, x: str = "", y: str = "") -> Figure:
        """A plotly figure over time, of all or of some names, "tau", "energy" …; or of y over x."""
        from visviva.motion.drawing import phase_figure, trajectory_figure

        return phase_figure(self, x, y) if x or y else trajectory_figure(self, names)

    def to_xarray(self) -> xarray.Dataset:
        """An xarray Dataset with q, v and tau over time, units beside them."""
        from visviva.motion.tables import to_xarray

        return to_xarray(self)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas DataFrame: a column for every name, rows by time (or trajectory and time)."""
        from visviva.motion.tables import to_pandas

        return to_pandas(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file: `.nc` (netCDF), `.csv` or `.npz`, as the suffix says."""
        from visviva.motion.saving import save_trajectory

        save_trajectory(self, path)

    def __repr__(self) -> str:
        s, n = self.system, self.q.shape[0] if self.is_batch else 1
        who = f"{n} trajectories" if self.is_batch else "trajectory"
        span = f"{len(self.t)} samples from {self.t[0]:g} s to {self.t[-1]:g} s"
        said = {k: x for k, x in self.statistics.items() if np.ndim(x) == 0}
        steps = ", ".join(f"{k} {_short(x)}" for k, x in said.items()) or "no statistics"
        head = f"{who} of {s.name!r}: {span}, q = ({_some(s.coordinate_names)})"
        happened = "".join(f"\n  event {x!r}" for x in self.events.told)
        acting = "forces act" if self.tau is not None else "no forces"
        if self.tau is None and not said:  # a path that was stated is rarely a free motion
            acting += ": accelerations are those of free motion, not of the path; give tau="
        return f"{head}\n  {steps}; {acting}{happened}{self._ends()}"

    def _ends(self) -> str:
        over = np.isfinite(self.events.ended)
        many = f"{over.sum()} of {len(over)} ended before {self.t[-1]:g} s"
        said = many if self.is_batch else f"ended: {self.events.reasons[0]}"
        return f"\n  {said}" if over.any() else ""

    # ---- pictures

    def picture(self, *names: str) -> Still:
        """Its curves as a vector picture: `.save("run.svg")`, or `.svg`, its text.

        `names` are those of `plot`; without them coordinates, velocities and forces. The mechanism
        itself at a moment is `run.system.picture(run.q[k])`.

        Examples:
            >>> import visviva as vv
            >>> run = vv.catalog.pendulum(n=1).simulate([0.5], [0.0], 1.0)
            >>> run.picture("theta1").svg[:4]
            '<svg'
        """
        from visviva.drawing import svg

        return svg.Still(self.system.name, self.plot(*names).svg)

    def animate(self, path: str | os.PathLike[str] | None = None) -> View:
        """The mechanism in motion, in a page of its own: play, scrub, turn it; of a batch choose.

        A notebook shows it in place; elsewhere it is written to a temporary file, which a browser
        opens if there is one, and its path is printed. With `path` it is written there, and nothing
        opens. It needs no network.
        """
        from visviva.show.figures import motions

        return motions.motion_view(self).shown(path)

    def view(self, *others: System | Trajectory, **how: Any) -> LiveView:
        """The motion live in the browser, played on the mechanism, which can also be moved by hand.

        `others`, systems or trajectories, stand beside it; the rest is as with a system's `view`.
        """
        from visviva.show.live import view

        return view.live_view((self, *others), None, **how)

    def __call__(self, t: Any = 0.0, *_: Any) -> Any:
        """Refused: a motion is no function."""
        line = f"run[{t!r}]" if isinstance(t, str) else f"run.at({as_typed(t, 't')})"
        raise ArgumentError("a motion is no function", cure=line)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name in dir(type(self)) or name in self.__dataclass_fields__:
                return object.__getattribute__(self, name)  # its own error
            if name in self:
                raise MissingAttributeError(f"a Trajectory has no {name!r}", cure=f"run[{name!r}]")
            raise LateError(missing_attribute, self, name)


@dataclass(frozen=True)
class _Lanes:
    """The dense output of some trajectories of a batch."""

    dense: Curve
    k: int | slice

    def __call__(self, t: Array) -> tuple[Array, Array]:
        q, v = self.dense(t)
        return q[self.k], v[self.k]


def _own(x: Any, k: Any, count: int) -> Any:
    """Of an array with an entry for every trajectory that of some."""
    return x[k] if isinstance(x, np.ndarray) and x.shape[:1] == (count,) else x


def _short(x: Any) -> str:
    return plain_number(x) if isinstance(x, float) else str(x)


def _some(names: tuple[str, ...]) -> str:
    return ", ".join(names if len(names) <= 8 else (*names[:7], f"… {len(names)} in all"))
