"""`VectorEnv` runs many episodes of a system at once, `Env` one."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete, Space
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from visviva.algebra.arrays import Array
from visviva.describe.system import System
from visviva.errors import ArgumentError, NotFiniteWarning, ShapeError, check_known
from visviva.foreign import explained_as
from visviva.gym.draws import Maker, Starts, uniform
from visviva.gym.episode import Episode, Part
from visviva.gym.rendering import image
from visviva.machine.run.call import thread_count
from visviva.motion.simulation.acting import passive_entries

Ranges = Mapping[str, tuple[Any, Any]]
RENDER_MODES = ("rgb_array",)
MODES = {x: mode for mode in AutoresetMode for x in (mode.name, mode.name.lower(), mode.value)}
ROWS = ("_arrays", "_has_begun", "_has_warned", "_np_random", "_np_random_seed")  # what changes
AHEAD = 16  # starts of each row that are drawn together
BOUNDS: dict[type, Callable[[Any], tuple[Any, Any]]] = {  # of actions, by kind of space
    Box: lambda space: (space.low, space.high),
    Discrete: lambda space: (space.start, space.start + space.n - 1),
    MultiDiscrete: lambda space: (space.start, space.start + space.nvec - 1),
    MultiBinary: lambda space: (np.zeros(space.shape), np.ones(space.shape)),
}


def _state_property(name: str, doc: str) -> Any:
    def set_state(env: VectorEnv, value: Any) -> None:
        env._arrays[name] = _array_of_shape(name, value, env._arrays[name].shape)

    return property(lambda env: env._arrays[name], set_state, doc=doc)


def _property_of_row_0(name: str, doc: str) -> Any:
    def set_row(env: Env, value: Any) -> None:
        setattr(env.rows, name, value)

    return property(lambda env: getattr(env.rows, name)[0], set_row, doc=doc)


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """`num_envs` episodes of a system, side by side in machine code.

    A step lasts `dt` seconds, in `substeps` steps of `method`, as those of `system.step`. An action
    is the forces of the actuators, of joints that are driven where there are none; or what
    `action_space` has, and `forces(action)` makes such forces of it. `observation(q, v)` is an
    array ((q, v), if none is given), `reward(q, v, action)` a number, `termination(q, v)` not zero
    where an episode is over; they take by name what they need: q and v after the step, last_q and
    last_v before it, action, t, parameters (numbers by name). They are traced, over scalars: write
    `vv.generic.where` in the place of `if`. Those that are named in `in_numpy` get arrays of all
    rows instead, (num_envs, …).

    An episode begins where `start` says: ranges {"q": (low, high), "v": (low, high)}, or a function
    of a generator of numpy, for one episode, that returns (q, v). `parameters` {name: (low, high)}
    are drawn anew for each episode. It is truncated after `max_episode_steps`. Actions outside of
    their space are refused; with `clip_actions` they are clipped, and info["clipped"] says in which
    rows.
    Observations are of `dtype`, or of `observation_space`; `threads` share the rows of a step.
    """

    @explained_as("vv.gym.VectorEnv", bound=1)
    def __init__(
        self,
        system: Any,
        num_envs: int,
        *,
        dt: float,
        reward: Part,
        observation: Part | None = None,
        termination: Part | None = None,
        max_episode_steps: int | None = None,
        action_space: Space[Any] | None = None,
        forces: Part | None = None,
        clip_actions: bool = False,
        observation_space: Space[Any] | None = None,
        start: Ranges | Callable[[np.random.Generator], tuple[Any, Any]] | None = None,
        parameters: Ranges | None = None,
        in_numpy: Collection[str] = (),
        method: str = "semi-implicit",
        substeps: int = 1,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        dtype: Any = np.float64,
        render_mode: str | None = None,
        threads: int = 1,
    ) -> None:
        self._options = {k: x for k, x in locals().items() if k != "self"}
        if not isinstance(system, System):
            raise ArgumentError(f"an environment has a system that moves, got {system!r:.80}")
        if render_mode is not None:
            check_known("render mode", render_mode, RENDER_MODES)
        for name, count in (("num_envs", num_envs), ("max_episode_steps", max_episode_steps)):
            if count is not None and (not isinstance(count, (int, np.integer)) or count < 1):
                raise ArgumentError(f"{name} is a whole number from 1 on, got {count!r}")
        thread_count("environment", threads)
        if isinstance(dt, bool) or not isinstance(dt, (int, float)) or not 0 < dt < np.inf:
            raise ArgumentError(f"dt is the time of a step in seconds, above 0, got {dt!r}")
        self.system, self.num_envs, self.dt, self.threads = system, num_envs, float(dt), threads
        self.max_episode_steps, self.render_mode = max_episode_steps, render_mode
        self.autoreset_mode, self.clip_actions = _autoreset_mode(autoreset_mode), clip_actions
        self.metadata = {
            "render_modes": [*RENDER_MODES],
            "render_fps": max(1, round(1 / self.dt)),
            "autoreset_mode": self.autoreset_mode,
        }
        self._set_action_space(action_space, forces)
        parts = {
            "observation": observation or (lambda q, v: np.concatenate([q, v], axis=-1)),
            "reward": reward,
            "termination": termination or (lambda: 0.0),
        }
        ranges = _parameter_ranges(system, {} if parameters is None else parameters)
        self._episode = Episode(
            system,
            parts if forces is None else {**parts, "forces": forces},
            self._bounds,
            ranges,
            in_numpy,
            self.autoreset_mode,
            max_episode_steps,
            self.dt,
            method=method,
            substeps=substeps,
        )
        ahead, make = start_maker(system, start, [*ranges.values()])
        self._starts = Starts(num_envs, self._episode.start_size, ahead, make)
        self._columns = {name: k for k, name in enumerate(ranges)}
        # what an episode has by name, and the start (q, v, parameters) of the one after it
        zeros = {**self._episode.state, "steps": (), "ended": (), "start": self._episode.start_size}
        self._arrays = {k: np.zeros((num_envs, *np.atleast_1d(n))) for k, n in zeros.items()}
        self._has_begun = self._has_warned = False
        self._seed([0] * num_envs, np.ones(num_envs, dtype=bool))
        self._begin(np.arange(num_envs))
        self._set_observation_space(observation_space, dtype)

    def _set_action_space(self, space: Space[Any] | None, forces: Part | None) -> None:
        """Spaces of actions: what is given, or the limits of actuators."""
        if space is None:
            if forces is not None:
                raise ArgumentError("forces= makes forces of an action: say its action_space=")
            space = _force_space(self.system)
        if type(space) not in BOUNDS:
            names = ", ".join(x.__name__ for x in BOUNDS)
            raise ArgumentError(f"action_space is one of {names}, got {space!r:.80}")
        self.single_action_space = space
        self.action_space = batch_space(space, self.num_envs)
        low, high = BOUNDS[type(space)](space)
        if forces is None and (count := _force_space(self.system).shape) != np.shape(low):
            raise ArgumentError(
                f"an action is {count[0]} forces where none are made of it; actions of {space} "
                "need forces=, a function that returns forces of an action"
            )
        self._bounds = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        self._is_whole = not isinstance(space, Box)

    def _set_observation_space(self, space: Space[Any] | None, dtype: Any) -> None:
        """What is given, or a box without bounds: limits of joints hold nothing in a step."""
        shape = self._episode.observe(self._arrays).shape[1:]
        space = Box(-np.inf, np.inf, shape, _float_type(dtype)) if space is None else space
        if space.shape != shape:
            raise ShapeError(f"observation gives an array of shape {shape}, its space is {space}")
        self.single_observation_space = space
        self.observation_space = batch_space(space, self.num_envs)
        self._dtype = space.dtype
        self._has_whole_observations = np.dtype(space.dtype).kind in "iub"

    def _as_observation(self, x: Array) -> Array:
        """Numbers of the type of the space, none of which is cut."""
        if self._has_whole_observations and (x != np.rint(x)).any():
            raise ArgumentError(
                f"observations of {self.single_observation_space} are whole numbers, got {x[0]}"
            )
        return x.astype(self._dtype, copy=False)

    def _warn_of_nan(self, name: str, x: Array) -> None:
        """Once for each environment."""
        if self._has_warned or np.isfinite(x).all():
            return
        self._has_warned = True
        rows = np.flatnonzero(~np.isfinite(x).reshape(len(x), -1).all(axis=1))
        warnings.warn(
            f"{name} of row {rows[0]} is not finite: {x[rows[0]]}. A termination, another start, "
            "dt or range of parameters keeps motions finite (told once for each environment)",
            NotFiniteWarning,
            stacklevel=3,
        )

    def __getstate__(self) -> dict[str, Any]:
        """What it is made of, and its rows as they are; functions are known by their names."""
        rows = {k: x for k, x in vars(self).items() if k in ROWS}
        return {"options": self._options, "rows": rows, "starts": self._starts.numbers}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        VectorEnv.__init__(self, **state["options"])
        vars(self).update(state["rows"])
        self._starts.numbers = state["starts"]

    q = _state_property("q", "Positions (num_envs, nq); they can be set.")
    v = _state_property("v", "Velocities (num_envs, nv); they can be set.")

    @property
    def parameters(self) -> dict[str, Array]:
        """Parameters that are drawn, (num_envs,) by name; they can be set, until they are drawn."""
        return {name: self._arrays["parameters"][:, k] for name, k in self._columns.items()}

    @parameters.setter
    def parameters(self, values: Mapping[str, Any]) -> None:
        """Numbers by name, one for all rows or one for each."""
        for name, value in values.items():
            check_known("parameter that is drawn", name, self._columns)
            self._arrays["parameters"][:, self._columns[name]] = value

    @property
    def steps(self) -> Array:
        """How many steps each episode has had, (num_envs,)."""
        return self._arrays["steps"].astype(int)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Any]]:
        """Begin anew, in rows where options["reset_mask"] is true, else in all.

        Row i has the seed `seed` + i, or that of a list; what it draws depends on it alone.
        """
        first = int(seed) if isinstance(seed, (int, np.integer)) else None
        super().reset(seed=first)
        n = self.num_envs
        for name in options or ():
            check_known("option of reset", name, ["reset_mask"])
        mask = np.asarray((options or {}).get("reset_mask", np.ones(n, dtype=bool)))
        if mask.shape != (n,) or mask.dtype != bool:
            raise ArgumentError(
                f"reset_mask is an array of {n} booleans, got {mask.dtype} of shape {mask.shape}"
            )
        if not self._has_begun:  # rows that never began begin now
            mask, self._has_begun = np.ones(n, dtype=bool), True
            self._seed(self.np_random.integers(2**62, size=n).tolist(), mask)
        if seed is not None:
            self._seed(seed if first is None else range(first, first + n), mask)
        self._begin(np.flatnonzero(mask))
        observation = self._as_observation(self._episode.observe(self._arrays))
        self._warn_of_nan("observation", observation)
        return observation, {}

    def _seed(self, seeds: Any, mask: Array) -> None:
        if np.shape(seeds) != (self.num_envs,) or any(x is not None and x < 0 for x in seeds):
            raise ArgumentError(
                f"seed is a whole number from 0 on, or one for each of {self.num_envs} "
                f"environments, got {seeds!r:.200}"
            )
        new = {k: int(seed) for k, seed in enumerate(seeds) if mask[k] and seed is not None}
        for k, seed in new.items():
            self._starts.set_seed(k, seed)
        rows = np.array([*new], dtype=int)
        self._arrays["start"][rows] = self._starts.next(rows)

    def _begin(self, rows: Array) -> None:
        """A new episode in some rows; the start of the one after it is known from then on."""
        for name, x in self._episode.split(self._arrays["start"][rows]).items():
            self._arrays[name][rows] = x
        self._arrays["steps"][rows] = self._arrays["ended"][rows] = 0.0
        self._arrays["start"][rows] = self._starts.next(rows)

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Observation, reward, terminated, truncated and info of all rows."""
        if not self._has_begun:
            raise ArgumentError("call reset() before step()")
        x, shape = self._arrays, (self.num_envs, *self._bounds[0].shape)
        values = np.asarray(actions)
        action = np.ascontiguousarray(values, dtype=float)
        if action.shape != shape:
            raise ShapeError(
                f"actions have shape {shape}, a row for each episode, got {action.shape}"
            )
        may_be_fractions = self._is_whole and values.dtype.kind not in "iub"
        if may_be_fractions and not (action == np.rint(action)).all():
            raise ArgumentError(f"actions of {self.single_action_space} are whole numbers")
        is_same_step = self.autoreset_mode == AutoresetMode.SAME_STEP
        resets = (x["ended"] != 0.0).nonzero()[0]
        if len(resets) and self.autoreset_mode == AutoresetMode.DISABLED:
            raise ArgumentError(
                f"the episode of row {resets[0]} is over: call reset(), or reset(options="
                '{"reset_mask": terminated | truncated})'
            )
        after = self._episode.step({**x, "action": action}, self.threads)
        info: dict[str, Any] = {}
        if not after["is_inside"].all():
            info = self._clip_info(action, after["is_inside"] == 0.0)
        for name in (*self._episode.state, "steps", "ended"):
            x[name] = after[name]
        observation = self._as_observation(after["observation"])
        self._warn_of_nan("observation", observation)
        self._warn_of_nan("reward", after["reward"])
        is_terminated, is_truncated = after["is_terminated"] != 0.0, after["is_truncated"] != 0.0
        if is_same_step:
            is_over = is_terminated | is_truncated
            resets = is_over.nonzero()[0]
            if len(resets):
                last = np.full(self.num_envs, None, dtype=object)
                for k in resets:
                    last[k] = self._as_observation(after["last"][k : k + 1])[0]
                info |= {"final_obs": last, "_final_obs": is_over}
                info |= {"final_info": {}, "_final_info": is_over.copy()}
        if len(resets):
            x["start"][resets] = self._starts.next(resets)
        return observation, after["reward"], is_terminated, is_truncated, info

    def _clip_info(self, action: Array, outside: Array) -> dict[str, Any]:
        if not self.clip_actions or np.isnan(action).any():
            k = int(np.flatnonzero(outside)[0])
            raise ArgumentError(
                f"the action of row {k} is {action[k]}, outside of {self.single_action_space}; "
                "clip_actions=True clips numbers to it"
            )
        return {"clipped": outside, "_clipped": np.ones(self.num_envs, dtype=bool)}

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of each row: "q", "steps", a parameter, "dt"."""
        value = self.parameters.get(name, getattr(self, name, None))
        if value is None:
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        is_by_row = isinstance(value, np.ndarray) and len(value) == self.num_envs
        return tuple(value) if is_by_row else (value,) * self.num_envs

    def set_attr(self, name: str, values: Any) -> None:
        """Set "q", "v" or a parameter: a list has a value for each row, else all have it."""
        check_known("attribute of rows that can be set", name, ["q", "v", *self._columns])
        if isinstance(values, (list, tuple)) and len(values) != self.num_envs:
            raise ShapeError(f"{self.num_envs} rows have as many values, got {len(values)}")
        array = np.asarray(values, dtype=float)
        if name in self._columns:
            self.parameters = {name: array}
        else:
            setattr(self, name, array)

    def render(self) -> tuple[Any, ...] | None:
        """With render_mode="rgb_array" the image of row 0."""
        return None if self.render_mode is None else (image(self.system, self.q[0]),)

    def __repr__(self) -> str:
        n, actions = self.num_envs, self.single_action_space
        return f"VectorEnv({self.system.name!r}, {n}, dt={self.dt:g}): actions {actions}"


class Env(gymnasium.Env[Any, Any]):
    """One episode of a system; its options are those of `VectorEnv`, but for `autoreset_mode`."""

    @explained_as("vv.gym.Env", bound=1)
    def __init__(self, system: Any, *, dt: float, reward: Part, **options: Any) -> None:
        if "autoreset_mode" in options:
            raise ArgumentError("an Env waits for reset(): a VectorEnv has an autoreset_mode=")
        self.rows = VectorEnv(
            system, 1, dt=dt, reward=reward, autoreset_mode=AutoresetMode.DISABLED, **options
        )
        self.metadata = {k: x for k, x in self.rows.metadata.items() if k != "autoreset_mode"}
        self.render_mode = self.rows.render_mode
        self.action_space = self.rows.single_action_space
        self.observation_space = self.rows.single_observation_space

    q = _property_of_row_0("q", "Position (nq,); it can be set.")
    v = _property_of_row_0("v", "Velocity (nv,); it can be set.")

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters that are drawn, by name; they can be set, until they are drawn."""
        return {name: float(x[0]) for name, x in self.rows.parameters.items()}

    @parameters.setter
    def parameters(self, values: Mapping[str, Any]) -> None:
        """Numbers by name."""
        self.rows.parameters = values

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin anew."""
        super().reset(seed=seed)
        observation, info = self.rows.reset(seed=seed, options=options)
        return observation[0], info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward, terminated, truncated and info."""
        observation, reward, is_terminated, is_truncated, info = self.rows.step(
            np.asarray(action)[None]
        )
        ends = bool(is_terminated[0]), bool(is_truncated[0])
        first_info = {k: x[0] for k, x in info.items() if not k.startswith("_")}
        return observation[0], float(reward[0]), *ends, first_info

    def render(self) -> Any:
        """With render_mode="rgb_array" an image."""
        frames = self.rows.render()
        return None if frames is None else frames[0]


def _force_space(system: Any) -> Box:
    """Forces of actuators, or of joints that are driven, within their limits."""
    count = system.function("step", controls=True).inputs["u"][0]
    efforts = np.delete(system.effort_limits, passive_entries(system))
    pairs = [(a.lower, a.upper) for a in system.limited_actuators]
    pairs = pairs or [(-x, x) for x in efforts]
    if len(pairs) != count:  # actuators without limits of their own
        pairs = [(-np.inf, np.inf)] * count
    lower, upper = np.array(pairs, dtype=float).reshape(-1, 2).T
    return Box(lower, upper, dtype=np.float64)


def _array_of_shape(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    try:
        return np.array(np.broadcast_to(np.asarray(value, dtype=float), shape))
    except (TypeError, ValueError):
        text = f"{name} is an array of shape {shape}, got {value!r:.200}"
        raise ShapeError(text) from None


def _range(name: str, ends: Any, shape: tuple[int, ...]) -> tuple[Array, Array]:
    if not isinstance(ends, (tuple, list)) or len(ends) != 2:
        raise ArgumentError(f"{name} has a range (low, high), got {ends!r}")
    low, high = (_array_of_shape(f"an end of the range of {name}", x, shape) for x in ends)
    if not (np.isfinite(low) & np.isfinite(high) & (low <= high)).all():
        raise ArgumentError(f"{name} has a range of finite numbers, low ≤ high, got {ends!r}")
    return low, high


def _float_type(dtype: Any) -> np.dtype[Any]:
    try:
        kind: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        kind = np.dtype(object)
    if kind.kind != "f":
        raise ArgumentError(
            "observations without an observation_space have a dtype of floats, float64 or float32; "
            f"got {dtype!r}"
        )
    return kind


def _autoreset_mode(mode: Any) -> AutoresetMode:
    if not isinstance(mode, AutoresetMode):
        check_known("autoreset_mode", mode, MODES)
    return mode if isinstance(mode, AutoresetMode) else MODES[mode]


def _parameter_ranges(system: Any, parameters: Any) -> dict[str, tuple[Array, Array]]:
    """Of parameters by name; their ends are numbers that a mechanism may have."""
    if not isinstance(parameters, Mapping):
        raise ArgumentError(f"parameters are {{name: (low, high)}}, got {parameters!r:.200}")
    ranges = {k: _range(f"parameter {k!r}", x, ()) for k, x in parameters.items()}
    for row in zip(*ranges.values(), strict=True):  # all lowest, all highest
        system._input_equations().with_symbols(system, tuple(ranges), [*map(float, row)])
    return ranges


def _check_takes_generator(start: Any) -> None:
    try:
        inspect.signature(start).bind(None)
    except TypeError as problem:
        raise ArgumentError(
            f"start is a function of a generator of numpy that returns (q, v), "
            f"lambda rng: (q, v): {problem}"
        ) from None


def start_maker(system: Any, start: Any, parameters: list[tuple[Any, Any]]) -> tuple[int, Maker]:
    """How many starts are drawn ahead, and what makes q, v and parameters of seeds and episodes."""
    rest = system.assembled() if system.held_by else system.neutral()
    ranges = {"q": (rest, rest), "v": (np.zeros(system.nv), np.zeros(system.nv))}
    if not isinstance(start, Mapping | None) and not callable(start):
        raise ArgumentError(
            'start has ranges {"q": (low, high), "v": (low, high)}, or is a function of a '
            f"generator that returns (q, v); got {start!r:.200}"
        )
    if callable(start):
        _check_takes_generator(start)
    for name, ends in start.items() if isinstance(start, Mapping) else ():
        check_known("range of a start", name, ranges)
        ranges[name] = _range(f"start of {name}", ends, ranges[name][0].shape)
        if system.held_by or (name == "q" and system.quaternions):
            raise ArgumentError(
                f"entries of {name} of {system.name!r} depend on each other and have no ranges: "
                "start is a function of a generator that returns (q, v)"
            )
    pairs = [*ranges.values(), *(np.atleast_1d(*x) for x in parameters)]
    low, high = (np.concatenate([x[k] for x in pairs]) for k in (0, 1))

    def draw_starts(seeds: Array, episodes: Array) -> Array:
        starts: Array = low + (high - low) * uniform(seeds, episodes, len(low))
        if callable(start):
            for row, seed, episode in zip(starts, seeds.tolist(), episodes.tolist(), strict=True):
                pair = start(np.random.default_rng([seed, episode]))
                if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                    raise ShapeError(f"a start is a pair (q, v), the function gave {pair!r:.200}")
                q, v = pair
                row[: system.nq] = _array_of_shape("q of a start", q, (system.nq,))
                row[system.nq : system.nq + system.nv] = _array_of_shape(
                    "v of a start", v, (system.nv,)
                )
        return starts

    return 1 if callable(start) else AHEAD, draw_starts
