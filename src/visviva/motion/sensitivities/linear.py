"""The derivative of one step: A = ∂y₁/∂y₀ and B = ∂y₁/∂(parameters, forces), exact.

Explicit steps are differentiated stage by stage. With slopes k = f(y) and their derivatives J,
tangents go along: dkᵢ = Jᵢ dYᵢ, dYᵢ = dy + h Σ aᵢⱼ dkⱼ. So derivatives of forward dynamics serve,
which are far shorter than those that a graph of the whole step would give. The formulas run on
expressions, and are then one function of machine code, or on arrays of many steps at once, where
only J is machine code and the products are BLAS's: matrices of large systems would be too much
code. Steps that solve equations are gone through backward, once for each number of the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from visviva.equations.steps.tableaux import Tableau
from visviva.machine.function import Function
from visviva.machine.run.call import Array
from visviva.motion.sensitivities.backward import WORTH, BackwardStep
from visviva.motion.sensitivities.slopes import Ask, Parts, Slopes, asked_of_many, evaluated
from visviva.motion.simulation.integrate import METHODS, Integrator

LARGEST_IN_CODE = 30_000  # operations of a step and its derivative: compiled in 3 seconds


@dataclass(frozen=True, eq=False)
class LinearStep:
    """The derivative of the steps of an integrator, by the state and by some of the inputs."""

    integrator: Integrator
    inputs: tuple[str, ...]
    states: Mapping[str, int]  # lengths of what a step hands on

    def __call__(self, values: Mapping[str, Array], threads: int) -> tuple[Array, Array]:
        """A (..., n, n) and B (..., n, inputs) of steps that begin at these values (..., …)."""

        if self.is_implicit:
            whole = self._by_rows(values, threads)
        elif self.is_short:
            whole = asked_of_many(self.traced, values, threads)["D"]
        else:
            whole = self.stepped(partial(asked_of_many, threads=threads), values)
        n = self._size
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
        n, lead = self._size, values["h"].shape
        worth, first = {}, 0
        for k, size in self.states.items():
            worth[f"{WORTH}{k}"] = np.eye(n)[:, first : first + size]
            first += size
        named = {k: np.expand_dims(x, len(lead)) for k, x in values.items()}
        sizes = back.sizes
        named |= {k: np.zeros(sizes[k]) for k in sizes if k not in named} | worth
        rows = back.step(*(named[k] for k in sizes), threads=threads)
        return np.concatenate(rows, axis=-1)

    @property
    def stages(self) -> int:
        """How many slopes a step takes."""
        return 1 if self.integrator.method in METHODS else self.integrator.tableau.stages

    @cached_property
    def is_short(self) -> bool:
        """Whether one function of machine code has room for the step and its derivative."""
        return bool(self.stages * self.length < LARGEST_IN_CODE)

    @cached_property
    def length(self) -> int:
        """About how many operations a stage with its tangents is."""
        s, every = self.integrator.flow.system, self.slopes.functions
        own = sum(len(f.program.code) for f in every)
        return int(own + 4 * s.nv * s.nv * self.columns_count)

    @property
    def columns_count(self) -> int:
        """How many columns A and B have together."""
        return int(max(x.stop for x in self.columns.values()))

    @cached_property
    def traced(self) -> Function[Any]:
        """(A, B) as one function of what a step depends on."""
        flow = self.integrator.flow
        sizes = {**flow.sizes(), "h": (), **flow.inputs}

        def derivative(*values: Any) -> dict[str, Any]:
            return {"D": self.stepped(evaluated, dict(zip(sizes, values, strict=True)))}

        name = "_".join(("derivative", *self.inputs))
        return self.integrator._function(name, derivative, sizes)

    @property
    def _size(self) -> int:
        return sum(self.states.values())

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
    def admitting(self) -> Function[Any] | None:
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


def _unit(n: int, width: int, where: slice, like: Any) -> Any:
    """The tangents of n numbers by themselves, (n, width)."""
    unit = np.zeros((n, width))
    unit[:, where] = np.eye(n)
    return unit.astype(object) if like.dtype == object else unit


def _plus(start: Parts, h: Any, weights: Any, slopes: Sequence[Parts]) -> Parts:
    """start + Σ h w k; weights that are zero are passed over."""
    sums = dict(start)
    for w, k in zip(weights, slopes, strict=False):
        if w != 0.0:
            length = h * float(w)
            sums = {name: y + k[name] * length for name, y in sums.items()}
    return sums
