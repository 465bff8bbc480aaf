"""What may be stated of constraints: numbers, formulas, names; and whether all of it fits."""

from __future__ import annotations

from math import isfinite
from numbers import Complex, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import is_exactly
from visviva.algebra.expr import Expr, Graph
from visviva.algebra.expr import text as expression_text
from visviva.describe.constraints.constraint import Constraint
from visviva.describe.constraints.loop import check_loop
from visviva.describe.constraints.relation import (
    Relation,
    check_relation,
    check_time,
)
from visviva.describe.values import leaves
from visviva.errors import ArgumentError, ParseError
from visviva.notation.formula import parse

if TYPE_CHECKING:
    pass


def check_joints(*names: Any) -> None:
    """Names are texts; which joints there are is looked at when the model is made."""
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(f"a joint is called by a text, got {name!r}")
    if twice := [x for k, x in enumerate(names) if x in names[:k]]:
        raise ArgumentError(
            f"{twice[0]!r} cannot turn with itself: two joints are coupled; with_constraint("
            f"'{twice[0]} = 0.0') holds one"
        )


def offset_of(model: Any, offset: Any) -> Any:
    """A finite number, or a formula of the model's parameters."""
    x = stated_number(model, "offset", offset)
    if not isinstance(x, (Real, Expr)) or (isinstance(x, Real) and not isfinite(x)):
        raise ArgumentError(f"offset is a finite number or a formula, got {offset!r}")
    return x


def ratio_of(model: Any, name: str, ratio: Any) -> Any:
    """A finite number other than zero, or a formula."""
    x = stated_number(model, name, ratio)
    check_ratio(name, x)
    return x


def check_ratio(what: str, x: Any) -> None:
    """Refuse what is neither one finite number other than 0 nor a formula."""
    if not _is_ratio(x):
        raise ArgumentError(
            f"{what} is a finite number other than 0, or a formula of parameters; got {x!r}"
        )


def _is_ratio(x: Any) -> bool:
    x = x[()] if isinstance(x, np.ndarray) else x
    if isinstance(x, str):
        return True
    if isinstance(x, Real) or getattr(x, "is_number", False):  # SymPy's pi is one
        try:
            return isfinite(x) and bool(x)
        except (TypeError, ValueError, OverflowError):
            return False
    if isinstance(x, Complex) or np.ndim(x) or is_exactly(x, 0.0):
        return False  # below, scalars that models are mapped to: they are computed with
    return {"__mul__", "__neg__"} <= {*dir(type(x))}


def stated_number(model: Any, what: str, given: Any) -> Any:
    """What a text or SymPy's says, a formula of the model's parameters; others as they are."""
    if not isinstance(given, str) and not type(given).__module__.startswith("sympy"):
        return given
    graph = next((x.graph for x in leaves(model) if isinstance(x, Expr)), Graph())
    try:
        x = parse(str(given), graph, {name: graph.input(name) for name in model.parameters})
    except ParseError as error:
        raise ArgumentError(
            f"{what} is a finite number, or a formula of parameters of {model.name!r} "
            f"({', '.join(model.parameters) or 'none'}): {error}"
        ) from None
    return float(x.value) if isinstance(x, Expr) and x.is_constant else x


def as_factor(x: Any) -> str:
    """A number or a formula as it stands before a product: 2, (-l/2)."""
    text = expression_text(x) if isinstance(x, Expr) else f"{x:.6g}"
    return f"({text})" if text.startswith("-") else text


def as_offset(offset: Any) -> str:
    """What stands behind a sum: " + 0.3", nothing for zero."""
    return "" if is_exactly(offset, 0.0) else f" + {as_factor(offset)}"


def check_constraints(model: Any) -> None:
    """Names are unique, and what constraints hold is there."""
    seen: set[str] = set()
    if any(isinstance(x, Relation) for x in model.constraints):
        check_time(model)
    for x in model.constraints:
        if not isinstance(x, Constraint):
            raise ArgumentError(
                f"constraints are Loop and Relation objects, got {type(x).__name__}; "
                "with_loop() and with_constraint() make them"
            )
        if not isinstance(x.name, str) or not x.name:
            raise ArgumentError(f"constraints are called by texts, got {x.name!r}")
        if x.name in seen:
            raise ArgumentError(f"model {model.name!r}: two constraints are called {x.name!r}")
        seen.add(x.name)
        if x.frames:
            check_loop(model, x)
        elif isinstance(x, Relation):
            check_relation(model, x)
