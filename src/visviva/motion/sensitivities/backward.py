"""One step backward: what a cost at its end is worth at its beginning.

With y₁ = step(y₀, p, τ) and λ₁ = ∂cost/∂y₁, λ₀ = (∂y₁/∂y₀)ᵀ λ₁ takes the graph of the step once,
from its results to its inputs, however many these are (reverse accumulation), and is repeated as
machine code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra import diff
from visviva.machine.function import Function
from visviva.machine.repetition import Loop
from visviva.machine.run.call import Array
from visviva.motion.simulation.integrate import Integrator

LONGEST = 15_000  # operations of a step: those of its way back are four times as many
WORTH = "by_"  # before the name of what a cost is differentiated by
ADDED = "cost_"  # before the name of a state: what the cost is worth there by itself


@dataclass(frozen=True, eq=False)
class BackwardStep:
    """The steps of an integrator, backward; forces may change from step to step."""

    integrator: Integrator
    inputs: tuple[str, ...]
    states: Mapping[str, int]
    changing: str = ""  # forces that do

    @property
    def is_short(self) -> bool:
        """Whether the way back through a whole step is compiled in seconds."""
        return len(self.integrator._step.program.code) < LONGEST

    @property
    def sizes(self) -> dict[str, Any]:
        """Shapes of what a step backward takes."""
        flow, inputs = self.integrator.flow, self.integrator.flow.inputs
        worth = {**self.states, **{k: inputs[k] for k in self.inputs}}
        return {
            **{f"{WORTH}{k}": n for k, n in worth.items()},
            **{f"{ADDED}{k}": self.states[k] for k in "qv"},
            **flow.sizes(), "h": (), **self.integrator.remembers, **inputs,
        }  # fmt: skip

    @cached_property
    def step(self) -> Function:
        """From worth at the end of a step to worth at its beginning."""
        sizes, forward = self.sizes, self.integrator._step

        def backward(*values: Any) -> dict[str, Any]:
            named = dict(zip(sizes, values, strict=True))
            outputs = forward._evaluated([named[k] for k in forward.inputs], "a motion")
            results = dict(zip(forward.outputs, outputs, strict=True))
            cost: Any = 0.0
            for k in self.states:
                for y, worth in zip(results[k], named[f"{WORTH}{k}"], strict=True):
                    cost = cost + y * worth
            by = [*self.states, *self.inputs]
            flat = [x for k in by for x in np.ravel(named[k])]
            entries = diff.reverse([cost], flat)
            slopes = iter([entries.get((0, j), 0.0) for j in range(len(flat))])
            after = {}
            for k in by:
                own = np.array([next(slopes) for _ in np.ravel(named[k])], dtype=object)
                if k in "qv":
                    own = own + named[f"{ADDED}{k}"]
                elif k in self.inputs and k != self.changing:
                    own = own + named[f"{WORTH}{k}"]  # what stays as it is counts at every step
                after[f"{WORTH}{k}"] = own
            return after

        name = "_".join(("backward", self.changing or "constant", *self.inputs))
        return self.integrator._function(name, backward, sizes)

    @cached_property
    def loop(self) -> Loop:
        """Steps backward, one after the other."""
        tables = ["q", "v", "x", "t", "h", *(f"{ADDED}{k}" for k in "qv")]
        tables += [k for k in self.states if k not in "qvx"]
        tables += [k for k in self.integrator.flow.law.inputs if k == self.changing]
        keep = [f"{WORTH}{self.changing}"] if self.changing in self.inputs else []
        return Loop(self.step, each=tables, keep=keep)

    def swept(
        self, worth: Mapping[str, Array], values: Mapping[str, Array], threads: int
    ) -> tuple[dict[str, Array], Array | None]:
        """Worth before some steps, from that after them; and that of forces that change.

        `values` (rows, steps, …) are those at which each step begins, and `cost_q`, `cost_v`.
        """
        loop = self.loop
        steps = values["h"].shape[1]
        state = {k: x for k, x in worth.items() if k in loop.states}
        tables = {k: values[k][:, ::-1] for k in loop.tables}
        rest = {k: values[k][:, 0] for k in loop.step.inputs
                if k not in loop.tables and k not in state and k != "residual"}  # fmt: skip
        if "residual" in loop.step.inputs:
            rest["residual"] = np.zeros(len(values["h"]))
        is_kept = bool(self.changing) and self.changing in self.inputs
        done = loop(
            {**state, **rest}, times=steps, each=tables, save=1 if is_kept else None,
            threads=threads,
        )  # fmt: skip
        kept = done.saved[f"{WORTH}{self.changing}"][:, :0:-1] if is_kept else None
        return dict(done.state), kept
