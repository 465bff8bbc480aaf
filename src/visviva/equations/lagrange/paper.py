"""Formulas on paper: functions compute with names of formulas, and no number in these is rounded.

A graph has doubles for its constants, and SymPy makes a float of a third as soon as one is near.
So a function that is run on paper is given nodes that stand for whole formulas; only the few
numbers that it brings itself are doubles, and each of them is the decimal that it prints as.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array, each
from visviva.algebra.expr import Expr, Graph
from visviva.algebra.sympy_graph import to_sympy
from visviva.describe.energies.formulas import exact
from visviva.notation.names import inside

LARGEST_WHOLE = 2**53  # up to it a double is every whole number


class Paper:
    """The formulas that nodes of one graph stand for.

    Examples:
        >>> paper = Paper()
        >>> x = paper.node(sympy.Symbol("x") / 3)
        >>> paper.formula(0.5 * x * x)
        x**2/18
    """

    def __init__(self) -> None:
        self.graph = Graph()
        self._formulas: dict[str, Any] = {}
        self._names: dict[Any, str] = {}

    def node(self, formula: Any) -> Expr:
        """What stands for a formula; of whole numbers they themselves."""
        if formula.is_Integer and abs(formula) <= LARGEST_WHOLE:
            return self.graph.constant(int(formula))
        is_symbol = isinstance(formula, sympy.Symbol)
        name = formula.name if is_symbol else inside("formula", len(self._names))
        name = self._names.setdefault(formula, name)
        self._formulas[name] = formula
        return self.graph.input(name)

    def nodes(self, formulas: Any) -> Array:
        """What stands for each of them."""
        return each(self.node, np.array(formulas, dtype=object))

    def formula(self, x: Any) -> Any:
        """What a node or a number means."""
        return to_sympy(x, self._formulas, exact) if isinstance(x, Expr) else exact(x)

    def put_in(self, formulas: Array, values: Mapping[str, Any]) -> Array:
        """Nodes of formulas that have other scalars in place of their symbols."""
        put = {sympy.Symbol(k): self.formula(x) for k, x in values.items()}
        other = {k: x for k, x in put.items() if x != k}
        if other:
            formulas = each(lambda x: x.subs(other, simultaneous=True), formulas)
        return self.nodes(formulas)
