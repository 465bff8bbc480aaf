"""The closed form of an arm as formulas, with the names of its parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, as_array, vector
from visviva.algebra.expr import Expr, Graph, computed, evaluated, names_in, reachable
from visviva.algebra.generic import sincos
from visviva.algebra.sympy_graph import to_sympy
from visviva.describe.model.model import Model
from visviva.equations.frames.chain import SerialChain
from visviva.errors import ArgumentError, check_known
from visviva.solve.inverse.closed.recognition import Family, recognised
from visviva.solve.inverse.closed.subproblems import plain_formulas
from visviva.solve.inverse.targets import carrying, is_planar


@dataclass(frozen=True, eq=False, repr=False)
class Formulas:
    """Every branch: a SymPy expression for each joint, in `inputs` and the model's parameters.

    What several of them need is a step, s1 = …, which later steps may use. A branch does not exist
    where a root is taken of a negative number; atan2(0, 0) is where any angle does.
    """

    family: str
    inputs: tuple[str, ...]
    steps: tuple[tuple[Any, Any], ...]  # symbol and expression
    branches: tuple[dict[str, Any], ...]  # by joint

    def __len__(self) -> int:
        return len(self.branches)

    def __getitem__(self, k: int) -> dict[str, Any]:
        return self.branches[k]

    def expanded(self, branch: int, joint: str) -> Any:
        """One expression without steps; of arms with many joints it is long."""
        check_known("joint", joint, self.branches[branch])
        x = self.branches[branch][joint]
        for symbol, step in reversed(self.steps):
            x = x.subs(symbol, step)
        return x

    def __repr__(self) -> str:
        lines = [f"{self.family}, of {', '.join(self.inputs)}"]
        lines += [f"  {symbol} = {x}" for symbol, x in self.steps]
        for k, branch in enumerate(self.branches, 1):
            lines.append(f"branch {k}")
            lines += [f"  {name} = {x}" for name, x in branch.items()]
        return "\n".join(lines)


def written(model: Model, frame: str, task: str) -> Formulas:
    """The formulas of a frame; refused where there is no closed form for any values."""
    family, inputs, target = _symbolic(model, frame, task)
    with plain_formulas():
        theta = family.angles(target)
    names, q = family.chain.names, family.chain.positions(theta)
    steps, values = _in_steps(q.ravel().tolist(), inputs)
    rows = np.array([*values, None], dtype=object)[:-1].reshape(q.shape)
    branches = tuple(dict(zip(names, row, strict=True)) for row in rows.tolist())
    return Formulas(family.name, inputs, tuple(steps), branches)


def _in_steps(
    results: list[Any], inputs: tuple[str, ...]
) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """SymPy expressions of nodes; what is used more than once and depends on inputs gets a name."""
    import sympy

    nodes = [x for x in results if isinstance(x, Expr)]
    uses = Counter(a for x in reachable(nodes) for a in {*x.args})
    uses.update({*nodes})
    taken, steps, number = {*names_in(nodes)}, [], count(1)
    moving: set[Expr] = set()

    def applied(x: Expr, known: Mapping[Expr, Any]) -> Any:
        value = computed(x, known)
        if any(a in moving or a.value in inputs for a in x.args):
            moving.add(x)
        if x not in moving or uses[x] < 2 or x.op == "neg" or not value.args:
            return value
        name = next(n for n in (f"s{k}" for k in number) if n not in taken)
        steps.append((sympy.Symbol(name, real=True), value))
        return steps[-1][0]

    symbols = {name: sympy.Symbol(name, real=True) for name in taken}
    found = iter(evaluated(nodes, symbols, to_sympy, applied))
    return steps, [next(found) if isinstance(x, Expr) else to_sympy(x) for x in results]


def _symbolic(model: Model, frame: str, task: str) -> tuple[Family, tuple[str, ...], Array]:
    graph = Graph()
    kept = {name: graph.input(name) for name in model.parameters}
    numbers = carrying(SerialChain.of(model.numeric, frame), task)
    if not kept:
        chain, family = numbers, recognised(numbers, task)
    else:
        chain = SerialChain.of(model.over(kept), frame).first(len(numbers))
        family = recognised(chain, task, numbers)
        rng = np.random.default_rng(0)
        others = {k: x * rng.uniform(0.7, 1.3) for k, x in model.parameters.items()}
        if family is not None:  # relations that these values have by chance are none of the arm's
            changed = SerialChain.of(model.over(others), frame)
            again = recognised(carrying(changed, task), task)
            family = family if again is not None and again.name == family.name else None
    if family is None:
        raise ArgumentError(
            f"the {task} of {frame!r} of {model.name!r} has no closed form that holds for all "
            "values of its parameters"
        )
    inputs, target = _target(graph, numbers, chain, task)
    return replace(family, is_checked=False), inputs, target


def _target(
    graph: Graph, numbers: SerialChain, chain: SerialChain, task: str
) -> tuple[tuple[str, ...], Array]:
    """What is given, as symbols: x, y, z; x, y, φ of an arm in the plane; or a whole pose."""
    if task == "position":
        flat = is_planar(numbers)
        x, y, z = (graph.input(n) for n in "xyz")
        height = chain.home.p[2] if flat else z
        return ("x", "y") if flat else ("x", "y", "z"), as_array([x, y, height])
    if is_planar(numbers) and not np.any(numbers.home.R[1, 0]):
        x, y, phi = (graph.input(n) for n in ("x", "y", "phi"))
        s, c = sincos(phi)
        home, flip = chain.home.R, numbers.home.R[0, 0]  # the frame's x axis is ± x at home
        turn = as_array([c * flip, -s * flip, 0.0, s * flip, c * flip, 0.0, 0.0, 0.0, 1.0], (3, 3))
        R = turn @ home
        rows = [[*R[i], p] for i, p in enumerate((x, y, chain.home.p[2]))]
        return ("x", "y", "phi"), vector([*rows, [0.0, 0.0, 0.0, 1.0]])
    names = [f"r{i}{j}" if j < 4 else f"p{i}" for i in (1, 2, 3) for j in (1, 2, 3, 4)]
    entries = [graph.input(n) for n in names]
    return tuple(names), as_array([*entries, 0.0, 0.0, 0.0, 1.0], (4, 4))
