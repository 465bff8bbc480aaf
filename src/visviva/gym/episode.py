"""A step of an episode as one function: forces, physics, observation, reward, end, new start.

Its parts are functions that name what they take: `q`, `v` (the state after the step), `last_q`,
`last_v` (before it), `action`, `t`, `parameters` by name. They are traced, over scalars; those in
`in_numpy` get arrays of all rows.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from visviva.algebra import generic as g
from visviva.algebra.arrays import vector
from visviva.errors import ArgumentError, ShapeError, UnknownNameError, VisvivaError, check_known
from visviva.machine.function import Function, function

Part = Callable[..., Any]
Values = Mapping[str, Any]
# what each part of an environment may take
STATE = ("q", "v", "t", "parameters")
STEP = ("q", "v", "last_q", "last_v", "action", "t", "parameters")
ARGUMENTS = {
    "observation": STATE,
    "reward": STEP,
    "termination": STEP,
    "forces": (*STATE, "action"),
}


class DrawnParameters(dict[str, Any]):
    """Parameters that are drawn, by name."""

    def __missing__(self, name: str) -> Any:
        advice = f"parameters={{{name!r}: (low, high)}} draws it"
        raise UnknownNameError("parameter that is drawn", name, list(self), advice)


class Episode:
    """An episode of a system: `step` and `observe` take arrays of all rows by name."""

    def __init__(
        self,
        system: Any,
        parts: Mapping[str, Part],
        bounds: tuple[np.ndarray, np.ndarray],  # of actions
        parameters: Collection[str],
        in_numpy: Collection[str],
        mode: AutoresetMode,
        max_steps: int | None,
        dt: float,
        **options: Any,
    ) -> None:
        if isinstance(in_numpy, str):
            raise ArgumentError(f"in_numpy is a list of names: in_numpy=[{in_numpy!r}]")
        for name in in_numpy:
            check_known("part of an environment", name, [k for k in ARGUMENTS if k != "forces"])
        self._parts, self._names = dict(parts), {k: _argument_names(k, f) for k, f in parts.items()}
        self._bounds, self._parameters, self._dt = bounds, tuple(parameters), dt
        self._max_steps, self._mode = np.inf if max_steps is None else float(max_steps), mode
        self._in_numpy = [k for k in parts if k in in_numpy]
        self._physics: Function[Any] = system.function(
            "step", parameters=self._parameters, controls=True, **options
        )
        sizes = {"q": system.nq, "v": system.nv, "parameters": len(self._parameters)}
        self.state = {k: n for k, n in sizes.items() if n or k != "parameters"}
        self.start_size = sum(sizes.values())
        row: dict[str, Any] = {**self.state, "steps": ()}
        inputs = row | {"ended": (), "start": self.start_size, "action": bounds[0].shape}
        if not self._in_numpy:  # one function has all
            self._compiled_step = _compile(
                "environment", lambda x: self._outcome(self._move(x)), inputs
            )
        else:  # the motion, then parts in numpy, then what follows from them
            before = {"last_q": system.nq, "last_v": system.nv}
            outcomes = {k: () for k in self._in_numpy if k != "observation"}
            self._compiled_move = _compile("motion", lambda x: _state_of(self._move(x)), inputs)
            self._compiled_step = _compile("outcome", self._outcome, inputs | before | outcomes)
        if "observation" not in self._in_numpy:
            self._compiled_observe = _compile("observation", self._observe, row)

    def step(self, x: Values, threads: int = 1) -> dict[str, Any]:
        """What comes of an action in all rows: the state, observation, reward, is_terminated, …"""
        if not self._in_numpy:
            return self._compiled_step(x, threads)
        motion = {**x, "last_q": x["q"], "last_v": x["v"], **self._compiled_move(x, threads)}
        action, t = np.clip(x["action"], *self._bounds), (x["steps"] + 1) * self._dt
        values = {**motion, "action": action, "t": t}
        results = {k: self._evaluate_in_numpy(k, values) for k in self._in_numpy}
        after = self._compiled_step(motion | results, threads)
        if "observation" in results:
            after |= {"observation": self.observe(after), "last": results["observation"]}
        return after

    def observe(self, x: Values) -> np.ndarray:
        """The observation of rows of a state."""
        if "observation" in self._in_numpy:
            return self._evaluate_in_numpy("observation", {**x, "t": x["steps"] * self._dt})
        return np.asarray(self._compiled_observe(x)["observation"])

    def split(self, starts: Any) -> dict[str, Any]:
        """Starts (…, n) as parts of a state, by name."""
        ends = np.cumsum([*self.state.values()])
        cuts = zip(self.state.items(), ends, strict=True)
        return {k: starts[..., end - n : end] for (k, n), end in cuts}

    # ---- over scalars

    def _move(self, x: Values) -> dict[str, Any]:
        """The state after the step, of episodes that are over too."""
        values = {**x, "action": self._clip(x["action"]), "t": x["steps"] * self._dt}
        u = self._evaluate("forces", values) if "forces" in self._parts else values["action"]
        values = {**values, "u": vector(u), "dt": self._dt}
        count = self._physics.inputs["u"]
        if np.shape(u) != count:
            raise ShapeError(
                f"forces of an environment gives {count[0]} numbers, one for each actuator or "
                f"driven joint, got an array of shape {np.shape(u)}"
            )
        q, v = self._physics(*(values[k] for k in self._physics.inputs))
        return {**x, "last_q": x["q"], "last_v": x["v"], "q": q, "v": v}

    def _clip(self, action: Any) -> Any:
        return g.minimum(g.maximum(action, self._bounds[0]), self._bounds[1])

    def _outcome(self, x: Values) -> dict[str, Any]:
        """Whether episodes are over, and their state, which may be that of a new start."""
        low, high = self._bounds
        was_over, steps = x["ended"], g.where(x["ended"], 0.0, x["steps"] + 1.0)
        inside = g.less_equal(low, x["action"]) * g.less_equal(x["action"], high)
        values = {**x, "action": self._clip(x["action"]), "t": (x["steps"] + 1.0) * self._dt}
        reward, termination = (self._evaluate(k, values) for k in ("reward", "termination"))
        result = {"reward": g.where(was_over, 0.0, reward)}
        result["is_terminated"] = g.where(was_over, 0.0, g.not_equal(termination, 0.0))
        result["is_truncated"] = g.less_equal(self._max_steps, steps)
        is_over = g.maximum(result["is_terminated"], result["is_truncated"])
        anew = {AutoresetMode.NEXT_STEP: was_over, AutoresetMode.SAME_STEP: is_over}
        begins = anew.get(self._mode, 0.0)
        starts = self.split(x["start"])
        state = {k: g.where(begins, starts[k], x[k]) for k in self.state}
        is_same_step = self._mode == AutoresetMode.SAME_STEP
        state["steps"] = g.where(begins, 0.0, steps)
        state["ended"] = 0.0 if is_same_step else is_over
        if "observation" not in self._in_numpy:
            result |= self._observe(state)
            result |= {"last": self._evaluate("observation", values)} if is_same_step else {}
        return state | result | {"is_inside": np.prod(inside)}

    def _observe(self, x: Values) -> dict[str, Any]:
        values = {**x, "t": x["steps"] * self._dt}
        return {"observation": self._evaluate("observation", values)}

    def _evaluate(self, name: str, x: Values) -> Any:
        """A part over scalars, or what it gave in numpy."""
        if name in x:
            return x[name]
        try:
            value = self._parts[name](**self._arguments(name, x))
        except (VisvivaError, TypeError, ValueError, AttributeError) as problem:
            problem.add_note(
                f"{name} of an environment is traced, over scalars; in_numpy=[{name!r}] gives "
                "observation, reward and termination arrays of all rows"
            )
            raise
        if name in ("reward", "termination") and np.shape(value) != ():
            raise ShapeError(f"{name} is one number, got an array of shape {np.shape(value)}")
        return value

    # ---- in numpy

    def _evaluate_in_numpy(self, name: str, x: Values) -> np.ndarray:
        value, rows = np.array(self._parts[name](**self._arguments(name, x)), float), len(x["q"])
        if value.shape[:1] != (rows,) or (name != "observation" and value.ndim > 1):
            raise ShapeError(
                f"{name}, in numpy, gives a row for each of {rows} environments, got an array of "
                f"shape {value.shape}"
            )
        return value

    def _arguments(self, name: str, x: Values) -> dict[str, Any]:
        values = enumerate(self._parameters)
        by_name = DrawnParameters({k: x["parameters"][..., column][()] for column, k in values})
        return {k: x[k] if k != "parameters" else by_name for k in self._names[name]}


def _argument_names(name: str, f: Any) -> list[str]:
    """Names of the arguments of a part; what it has defaults for may be its own."""
    if not callable(f):
        raise ArgumentError(f"{name} is a function of {', '.join(ARGUMENTS[name])}, got {f!r:.60}")
    arguments = inspect.signature(f).parameters
    names = [k for k, x in arguments.items() if x.default is x.empty or k in ARGUMENTS[name]]
    for k in names:
        check_known(f"argument of {name}", k, ARGUMENTS[name])
    return names


def _state_of(x: Values) -> dict[str, Any]:
    return {"q": x["q"], "v": x["v"]}


def _compile(name: str, f: Part, inputs: Mapping[str, Any]) -> Callable[..., dict[str, Any]]:
    """A function from values by name to values by name, as one from arrays to arrays."""
    code: Function[Any] = function(
        lambda *x: f(dict(zip(inputs, x, strict=True))), inputs, name=name
    )
    outputs = tuple(code.outputs)

    def call(x: Values, threads: int = 1) -> dict[str, Any]:
        arrays = [x[k] for k in inputs]
        results = code(*arrays) if threads == 1 else code(*arrays, threads=threads)
        results = results if isinstance(results, tuple) else (results,)
        return dict(zip(outputs, results, strict=True))

    return call
