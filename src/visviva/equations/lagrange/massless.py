"""Which coordinates of energies may move without inertia at some state, told from the formulas.

M falls apart into blocks of coordinates that no entry connects. A block in which nothing moves is a
matrix of numbers. Of another one the determinant must be seen to be positive. In masses and moments
of inertia, of which T is linear, it is a sum of products with coefficients that are not negative,
since T is not, whatever the masses are: one coefficient that is positive at every state is enough.

What is not seen to have inertia costs a few operations, and changes no result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from numbers import Real
from typing import Any

import numpy as np
import sympy

from visviva.algebra.exact.minors import determinant
from visviva.algebra.exact.poly import Poly, Wave
from visviva.algebra.exact.positivity import Signs, Term, is_positive
from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.equations.lagrange.terms import ExactTerms, exact_terms, graph_terms
from visviva.errors import OutsideError, VisvivaError

MOST_ROWS = 6  # of a block whose determinant is looked at
_SMALL = 1e-12  # eigenvalue of a matrix with ones on its diagonal
_STATES = 8  # at random, where parts of T that go with a mass must not be negative


def coordinates_without_inertia(s: Lagrangian, mass_matrix: Callable[..., Any]) -> tuple[int, ...]:
    """Those that may have a part, at some state, in a motion without inertia."""
    exact = exact_terms(s)
    terms: Any = exact or graph_terms(s)
    variables = {x.name for x in (*s.names.q, *s.names.v, TIME)}
    coordinates: list[int] = []
    for block in _blocks(terms.mass_matrix):
        entries = [[terms.mass_matrix[i][j] for j in block] for i in block]
        if not any(
            terms.by.symbols(x) & variables for row in entries for x in row if not _is_zero(x)
        ):
            has_inertia = _is_positive_definite(_mass_matrix(s, mass_matrix, block))
        else:
            has_inertia = exact is not None and _has_inertia(s, exact, entries, variables)
        coordinates += [] if has_inertia else block
    return tuple(sorted(coordinates))


def _blocks(M: Any) -> Iterator[list[int]]:
    rest = list(range(len(M)))
    while rest:
        block, front = [], [rest[0]]
        while front:
            i = front.pop()
            if i not in block:
                block.append(i)
                front += [j for j in rest if not _is_zero(M[i][j])]
        rest = [i for i in rest if i not in block]
        yield sorted(block)


def _is_zero(x: Any) -> bool:
    return bool(x == 0) if isinstance(x, Poly) else getattr(x, "value", None) == 0.0


def _mass_matrix(s: Lagrangian, mass_matrix: Callable[..., Any], block: list[int]) -> np.ndarray:
    """A block of M for the values that parameters have, others at random."""
    rng = np.random.default_rng(0)
    try:
        q, v = rng.uniform(0.2, 0.9, (2, s.nv))
        M = mass_matrix(s.over(_values(s, rng), None), q, v, 0.3)
        return np.asarray(M, dtype=float)[np.ix_(block, block)]
    except (VisvivaError, TypeError, ValueError, ArithmeticError):
        return np.full((len(block), len(block)), np.nan)


def _values(s: Lagrangian, rng: np.random.Generator) -> dict[str, float]:
    values = {k: float(x) for k, x in s.values.items() if isinstance(x, Real)}
    return {x: values.get(x, float(rng.uniform(0.2, 0.9))) for x in s.parameter_names}


def _is_positive_definite(M: np.ndarray) -> bool:
    size = np.sqrt(np.abs(np.diag(M)))
    if not np.isfinite(M).all() or not size.all():
        return False
    return bool(np.linalg.eigvalsh(M / size / size[:, None])[0] > _SMALL)


def _has_inertia(
    s: Lagrangian, exact: ExactTerms, rows: list[list[Any]], variables: set[str]
) -> bool:
    if len(rows) > MOST_ROWS:
        return False
    try:
        terms = (exact.by.ring.number(0) + determinant(rows)).terms()
    except OutsideError:  # too many terms
        return False
    sign = _signs(s, exact.by.reader.constants)
    masses = _masses(s, exact, rows, variables, sign)
    parts: dict[Any, list[Term]] = {}
    for powers, c in terms:
        others = {g: k for g, k in powers.items() if g not in masses}
        parts.setdefault(frozenset(powers.items() - others.items()), []).append((others, c))
    return any(is_positive(x, variables, sign) for x in sorted(parts.values(), key=len))


def _signs(s: Lagrangian, constants: Mapping[Any, str]) -> Signs:
    """Of parameters, which are positive if they have no value, and of constants made of them."""
    values = {sympy.Symbol(k): x for k, x in s.values.items() if isinstance(x, Real)}
    formulas = {name: x for x, name in constants.items()}

    @cache
    def sign(name: str) -> int | None:
        x = formulas.get(name, sympy.Symbol(name)).subs(values)
        x = x.xreplace({y: sympy.Symbol(y.name, positive=True) for y in x.free_symbols})
        return 0 if x.is_zero else 1 if x.is_positive else -1 if x.is_negative else None

    return sign


def _masses(
    s: Lagrangian, exact: ExactTerms, rows: list[list[Any]], variables: set[str], sign: Signs
) -> set[str]:
    """Positive symbols of which entries are linear sums; none if such a part of T is negative."""
    entries = [[x.terms() for x in row] for row in rows]
    products = [powers for row in entries for terms in row for powers, _ in terms]
    constants = {g for powers in products for g in powers if isinstance(g, str)} - variables
    linear = _linear_symbols(products, {g for g in constants if sign(g) == 1})
    rng = np.random.default_rng(0)
    for _ in range(_STATES):
        parts = _numeric_parts(entries, linear, _random_values(s, exact, rng))
        if any(np.linalg.eigvalsh(M)[0] < -_SMALL * np.abs(M).max() for M in parts.values()):
            return set()
    return linear


def _linear_symbols(products: list[dict[Any, int]], among: set[str]) -> set[str]:
    """Those that stand in no product as a power, or beside another one."""
    factors = [{g: k for g, k in powers.items() if g in among} for powers in products]
    linear = {g for powers in factors for g in powers}
    linear -= {g for powers in factors for g, k in powers.items() if k > 1}
    return linear - {g for powers in factors if len(powers.keys() & linear) > 1 for g in powers}


def _numeric_parts(
    entries: list[list[list[Term]]], linear: set[str], values: Mapping[Any, float]
) -> dict[str, np.ndarray]:
    """The matrix that goes with each symbol, and with none of them."""
    parts: dict[str, np.ndarray] = {}
    for i, row in enumerate(entries):
        for j, terms in enumerate(row):
            for powers, c in terms:
                name = next((g for g in powers if g in linear), "")
                M = parts.setdefault(name, np.zeros((len(entries), len(entries))))
                M[i, j] += float(c) * float(np.prod([values[g] ** k for g, k in powers.items()]))
    return parts


def _random_values(s: Lagrangian, exact: ExactTerms, rng: np.random.Generator) -> dict[Any, float]:
    """Of all generators: parameters have their values, if they have some."""
    ring, values = exact.by.ring, _values(s, rng)
    numbers = {name: float(x.subs(values)) for x, name in exact.by.reader.constants.items()}
    angles = {base: rng.uniform(-np.pi, np.pi) for base in ring.bases}
    waves = {Wave(f, b): getattr(np, f)(x) for b, x in angles.items() for f in ("sin", "cos")}
    variables = {name: rng.normal() for name in ring.symbols}
    return {**variables, **values, **numbers, **waves}
