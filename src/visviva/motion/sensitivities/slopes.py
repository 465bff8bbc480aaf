"""The right side of a motion with its derivatives: of dynamics, of forces, of positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from visviva.machine.function import Function, function
from visviva.motion.steps.flow import Flow

# a function at values: its outputs
Ask = Callable[[Function[Any], Mapping[str, Any]], dict[str, Any]]
Parts = dict[str, Any]  # of a state, q, v and x: (..., n), or matrices (..., n, columns)


def evaluated(f: Function[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """A function on expressions: it becomes part of what is traced."""
    results = f._evaluated([named[k] for k in f.inputs], "a motion")
    return dict(zip(f.outputs, listed(results), strict=True))


def asked_of_many(f: Function[Any], named: Mapping[str, Any], threads: int) -> dict[str, Any]:
    """A function on arrays of many states."""
    results = f(*(named[k] for k in f.inputs), threads=threads)
    return dict(zip(f.outputs, listed(results), strict=True))


def listed(results: Any) -> tuple[Any, ...]:
    """What a function of one output or several returns."""
    return results if isinstance(results, tuple) else (results,)


class Slopes:
    """The right side of a flow with its derivatives: of dynamics, of forces, of positions."""

    def __init__(self, flow: Flow, inputs: Sequence[str]) -> None:
        s, law = flow.system, flow.law
        self.flow, self.inputs = flow, inputs
        asked = s.function("forward_dynamics", parameters=flow.parameters)
        # off the manifold of positions, where stages are, derivatives along motions are not all
        self.dynamics = _plain(asked) if s.charts else asked
        by = ["q", "v", "tau", *(k for k in inputs if k == "parameters")]
        self.by = [k for k in by if k in asked.inputs]
        self.dynamics_by = self.dynamics.jacobian(*self.by)
        self.forces, self.forces_by = None, None
        sizes = flow.sizes()
        if law.drives:
            shapes = {k: sizes[k] for k in ("t", "q", "v")} | dict(flow.inputs)
            self.forces = function(
                lambda t, q, v, u, parameters=None: law.driven(t, q, v, u, parameters),
                shapes,
                name="driven",
            )
            self.forces_by = self.forces.jacobian("q", "v", *(k for k in inputs))
        elif law.controller is not None:
            self.forces = law.traced
            remembers = ("x",) if law.states else ()
            if law.traced is not None:
                self.forces_by = law.traced.jacobian("q", "v", *remembers)
        self.rates: tuple[Function[Any], Function[Any]] | None = None
        self.moved: tuple[Function[Any], Function[Any]] | None = None
        if s.charts:
            rates = function(flow.rates, {"q": s.nq, "v": s.nv}, name="rates")
            moved = function(flow.moved, {"q": s.nq, "step": s.nv}, name="moved")
            self.rates = rates, rates.jacobian()
            self.moved = moved, moved.jacobian()

    @property
    def functions(self) -> list[Function[Any]]:
        """All that one slope and its derivative take."""
        each = [self.dynamics, self.dynamics_by, self.forces, self.forces_by]
        return [f for f in (*each, *(self.rates or ())) if f is not None]

    def at(
        self, ask: Ask, named: Mapping[str, Any], d: Parts, columns: Mapping[str, slice]
    ) -> tuple[Parts, Parts]:
        """The slopes q̇, v̇, ẋ, and their tangents (..., n, columns) of those of the state."""
        named = dict(named)
        dtau, k, dk = None, {}, {}
        k["x"], dk["x"] = named["x"] * 0.0, d["x"] * 0.0
        if self.forces is not None and self.forces_by is not None:
            said, by = ask(self.forces, named), ask(self.forces_by, named)
            tau = next(iter(self.forces.outputs))
            named["tau"] = said[tau]
            dtau = _changed(by, tau, d, columns)
            if "rate" in said:
                k["x"], dk["x"] = said["rate"], _changed(by, "rate", d, columns)
        (a,) = ask(self.dynamics, named).values()
        (name,) = self.dynamics.outputs
        by = ask(self.dynamics_by, named)
        # of forces that are an input, derivatives stand in columns of their own
        own = {x: columns[x] for x in ("tau", "parameters") if x in columns and x in self.by}
        dv = by[f"d{name}_dq"] @ d["q"] + by[f"d{name}_dv"] @ d["v"]
        if dtau is not None:
            dv = dv + by[f"d{name}_dtau"] @ dtau
        for x, where in own.items():
            dv[..., where] = dv[..., where] + by[f"d{name}_d{x}"]
        k["v"], dk["v"] = a, dv
        k["q"], dk["q"] = named["v"], d["v"]
        if self.rates is not None:
            f, J = self.rates
            k["q"], by = ask(f, named)["out"], ask(J, named)
            dk["q"] = by["dout_dq"] @ d["q"] + by["dout_dv"] @ d["v"]
        return k, dk


def _changed(by: Mapping[str, Any], y: str, d: Parts, columns: Mapping[str, slice]) -> Any:
    """dy from the tangents of the state, and from inputs with columns of their own."""
    dy = None
    for k, tangent in d.items():
        if f"d{y}_d{k}" in by and tangent.shape[-2]:
            term = by[f"d{y}_d{k}"] @ tangent
            dy = term if dy is None else dy + term
    for k, where in columns.items():
        if k in ("u", "parameters") and f"d{y}_d{k}" in by and dy is not None:
            dy[..., where] = dy[..., where] + by[f"d{y}_d{k}"]
    return dy


def _plain(f: Function[Any]) -> Function[Any]:
    """The same function, differentiated by the entries of its inputs, whatever they stand for."""
    return function(
        lambda *values: {next(iter(f.outputs)): f._evaluated(list(values), "a motion")},
        f.inputs,
        name=f.name,
    )
