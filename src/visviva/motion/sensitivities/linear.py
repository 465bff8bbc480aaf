"""The derivative of one step: A = ∂y₁/∂y₀ and B = ∂y₁/∂(parameters, forces), exact.

Explicit steps are differentiated stage by stage. With slopes k = f(y) and their derivatives J, tangents
go along: dkᵢ = Jᵢ dYᵢ, dYᵢ = dy + h Σ aᵢⱼ dkⱼ. So the derivatives of forward dynamics serve, which are
far shorter than those that a graph of the whole step would give. The formulas run on expressions, and
are then one function of machine code, or on arrays of many steps at once, where only J is machine code
and the products are BLAS's: matrices of large systems would be too much code. Steps that solve equations
are gone through backward, once for each number of the state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.machine.function import Function, function
from visviva.machine.run.call import Array
from visviva.motion.sensitivities.backward import WORTH, BackwardStep
from visviva.motion.simulation.integrate import METHODS, Integrator
from visviva.motion.steps.flow import Flow
from visviva.motion.steps.tableaux import Tableau

LARGEST = 30_000  # operations of a step and its derivative as one function: compiled in 3 seconds

Ask = Callable[[Function, Mapping[str, Any]], dict[str, Any]]  # a function at values: its outputs
Parts = dict[str, Any]  # of a state, q, v and x: (..., n), or matrices (..., n, columns)


@dataclass(frozen=True, eq=False)
class LinearStep:
    """The derivative of the steps of an integrator, by the state and by some of the inputs."""

    integrator: Integrator
    inputs: tuple[str, ...]
    states: Mapping[str, int]  # lengths of what a step hands on

    def __call__(self, values: Mapping[str, Array], threads: int) -> tuple[Array, Array]:
        """A (..., n, n) and B (..., n, inputs) of steps that begin at these values (..., …)."""

        def called(f: Function, named: Mapping[str, Any]) -> dict[str, Any]:
            results = f(*(named[k] for k in f.inputs), threads=threads)
            return dict(zip(f.outputs, _listed(results), strict=True))

        if self.is_implicit:
            whole = self._by_rows(values, threads)
        elif self.is_short:
            whole = called(self.traced, values)["D"]
        else:
            whole = self.stepped(called, values)
        n = sum(self.states.values())
        return whole[..., :n], whole[..., n:]

    @property
    def is_implicit(self) -> bool:
        """Whether the step solves equations."""
        return self.integrator.method in METHODS and self.integrator.method != "semi-implicit"

    @property
    def columns(self) -> dict[str, slice]:
        """Which columns of (A, B) are whose."""
        sizes = {**self.states, **{k: self.integrator.flow.inputs[k] for k in self.inputs}}
        ends = np.cumsum([0, *sizes.values()])
        return {k: slice(*ends[i : i + 2]) for i, k in enumerate(sizes)}

    def _by_rows(self, values: Mapping[str, Array], threads: int) -> Array:
        """(A, B) of steps that solve equations: each row is a way back through the step."""
        back = BackwardStep(self.integrator, self.inputs, self.states)
        n, lead = sum(self.states.values()), values["h"].shape
        worth, first = {}, 0
        for k, size in self.states.items():
            worth[f"{WORTH}{k}"] = np.eye(n)[:, first : first + size]
            first += size
        named = {k: np.expand_dims(x, len(lead)) for k, x in values.items()}
        sizes = back.sizes
        named |= {k: np.zeros(sizes[k]) for k in sizes if k not in named} | worth
        rows = back.step(*(named[k] for k in sizes), threads=threads)
        return np.concatenate(rows, axis=-1)

    @cached_property
    def is_short(self) -> bool:
        """Whether one function of machine code has room for the step and its derivative."""
        s, every = self.integrator.flow.system, self.slopes.functions
        stages = 1 if self.integrator.method in METHODS else self.integrator.tableau.stages
        length = sum(len(f.program.code) for f in every)
        length += 4 * s.nv * s.nv * self.columns_count + 2 * s.nv * self.columns_count * stages
        return stages * length < LARGEST

    @property
    def columns_count(self) -> int:
        """How many columns A and B have together."""
        return max(x.stop for x in self.columns.values())

    @cached_property
    def traced(self) -> Function:
        """(A, B) as one function of what a step depends on."""
        flow = self.integrator.flow
        sizes = {**flow.sizes(), "h": (), **flow.inputs}

        def evaluated(f: Function, named: Mapping[str, Any]) -> dict[str, Any]:
            results = f._evaluated([named[k] for k in f.inputs], "a motion")
            return dict(zip(f.outputs, _listed(results), strict=True))

        def derivative(*values: Any) -> dict[str, Any]:
            return {"D": self.stepped(evaluated, dict(zip(sizes, values, strict=True)))}

        name = "_".join(("derivative", *self.inputs))
        return self.integrator._function(name, derivative, sizes)

    @cached_property
    def slopes(self) -> Slopes:
        """The right side and its derivatives."""
        return Slopes(self.integrator.flow, self.inputs)

    def stepped(self, ask: Ask, named: Mapping[str, Any]) -> Any:
        """(A, B) of an explicit step."""
        start = {k: np.asarray(named[k]) for k in "qvx"}
        width, where = self.columns_count, self.columns
        first = {k: _unit(self.states[k], width, where[k], start["q"]) for k in "qvx"}
        length = named["h"]
        h = (length if isinstance(length, np.ndarray) else np.array(length, dtype=object))[
            ..., None
        ]
        explicit = self._semi_implicit if self.integrator.method in METHODS else self._tableau
        end, tangents = explicit(ask, named, start, first, h)
        tangents = self._admitted(ask, {**named, **end, "t": named["t"] + named["h"]}, tangents)
        return np.concatenate([tangents[k] for k in "qvx"], axis=-2)

    def _tableau(
        self, ask: Ask, named: Mapping[str, Any], start: Parts, first: Parts, h: Any
    ) -> tuple[Parts, Parts]:
        method: Tableau = self.integrator.tableau
        slopes: list[Parts] = []
        tangents: list[Parts] = []
        for row, c in zip(method.A, method.c, strict=True):
            y = _plus(start, h, row, slopes)
            dy = _plus(first, h[..., None], row, tangents)
            then = {**named, **y, "t": named["t"] + named["h"] * float(c)}
            k, dk = self.slopes.at(ask, then, dy, self.columns)
            slopes.append(k)
            tangents.append(dk)
        return _plus(start, h, method.b, slopes), _plus(first, h[..., None], method.b, tangents)

    def _semi_implicit(
        self, ask: Ask, named: Mapping[str, Any], start: Parts, first: Parts, h: Any
    ) -> tuple[Parts, Parts]:
        k, dk = self.slopes.at(ask, named, first, self.columns)
        v, dv = start["v"] + h * k["v"], first["v"] + h[..., None] * dk["v"]
        x, dx = start["x"] + h * k["x"], first["x"] + h[..., None] * dk["x"]
        step, dstep = v * h, dv * h[..., None]
        if self.slopes.moved is None:
            return {"q": start["q"] + step, "v": v, "x": x}, {
                "q": first["q"] + dstep, "v": dv, "x": dx,
            }  # fmt: skip
        f, J = self.slopes.moved
        there, by = (ask(g, {"q": start["q"], "step": step}) for g in (f, J))
        dq = by["dout_dq"] @ first["q"] + by["dout_dstep"] @ dstep
        return {"q": there["out"], "v": v, "x": x}, {"q": dq, "v": dv, "x": dx}

    @cached_property
    def admitting(self) -> Function | None:
        """Derivatives of how a state is brought back: to unit quaternions, to constraints."""
        s = self.integrator.flow.system
        if not s.quaternions and not s.held_by:
            return None
        parameters = [k for k in self.inputs if k == "parameters"]
        return self.integrator.admitted.jacobian("q", "v", *parameters)

    def _admitted(self, ask: Ask, named: Mapping[str, Any], tangents: Parts) -> Parts:
        J = self.admitting
        if J is None:
            return tangents
        by, after = ask(J, named), dict(tangents)
        for y in "qv":
            after[y] = by[f"d{y}_dq"] @ tangents["q"] + by[f"d{y}_dv"] @ tangents["v"]
            if "parameters" in self.inputs:
                own = self.columns["parameters"]
                after[y][..., own] = after[y][..., own] + by[f"d{y}_dparameters"]
        return after


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
        self.rates: tuple[Function, Function] | None = None
        self.moved: tuple[Function, Function] | None = None
        if s.charts:
            rates = function(flow.rates, {"q": s.nq, "v": s.nv}, name="rates")
            moved = function(flow.moved, {"q": s.nq, "step": s.nv}, name="moved")
            self.rates = rates, rates.jacobian()
            self.moved = moved, moved.jacobian()

    @property
    def functions(self) -> list[Function]:
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


def _plain(f: Function) -> Function:
    """The same function, differentiated by the entries of its inputs, whatever they stand for."""
    return function(
        lambda *values: {next(iter(f.outputs)): f._evaluated(list(values), "a motion")},
        f.inputs,
        name=f.name,
    )


def _unit(n: int, width: int, where: slice, like: Any) -> Any:
    """The tangents of n numbers by themselves, (n, width)."""
    unit = np.zeros((n, width))
    unit[:, where] = np.eye(n)
    return unit.astype(object) if like.dtype == object else unit


def _plus(start: Parts, h: Any, weights: Any, slopes: Sequence[Parts]) -> Parts:
    """start + h Σ w k; weights that are zero are passed over."""
    pairs = [(float(w), k) for w, k in zip(weights, slopes, strict=False) if w != 0.0]
    if not pairs:
        return dict(start)
    sums = {}
    for name in start:
        first, *rest = (k[name] * w for w, k in pairs)
        sums[name] = start[name] + sum(rest, start=first) * h
    return sums


def _listed(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)
