"""Where energies have inertia at every state, told from their formulas: parameters are positive.

M falls apart into blocks of coordinates that no entry connects. A block without coordinates in it
is a matrix of numbers. Of others the determinant, an exact polynomial, must be positive by its
coefficients: in symbols by even powers, in sines and cosines by Bernstein's form, which bounds a
polynomial by its coefficients. What is not seen to be positive is `soft`; that costs some
operations, and changes no result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any

import numpy as np
import sympy

from visviva.algebra.exact.minors import determinant
from visviva.algebra.exact.poly import Poly
from visviva.algebra.exact.positive import Signs, is_evident
from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.equations.lagrange.coordinates import in_simpler_angles
from visviva.equations.lagrange.terms import exact_terms, graph_terms
from visviva.errors import OutsideError, VisvivaError

LARGEST = 6  # rows of a block whose determinant is looked at
SMALL = 1e-12  # eigenvalue of a block of numbers with ones on its diagonal


def soft_coordinates(s: Lagrangian, mass_matrix: Callable[..., Any]) -> tuple[int, ...]:
    """Those that may have a part, at some state, in a motion without inertia."""
    soft = _seen_soft(s, mass_matrix)
    turned = s.derived.once("turned", in_simpler_angles) if soft else None
    if turned is None:
        return soft
    other = turned[0].over({k: x for k, x in s.values.items() if k in turned[0].parameter_names})
    return soft if _seen_soft(other, mass_matrix) else ()


def _seen_soft(s: Lagrangian, mass_matrix: Callable[..., Any]) -> tuple[int, ...]:
    terms = exact_terms(s) or graph_terms(s)
    M = terms.mass_matrix
    moving = {x.name for x in (*s.names.q, *s.names.v, TIME)}
    numbers: Any = None
    soft: list[int] = []
    for block in _blocks(M):
        entries = [[M[i][j] for j in block] for i in block]
        if any(terms.by.symbols(x) & moving for row in entries for x in row if not _is_zero(x)):
            firm = isinstance(entries[0][0], Poly) and _has_inverse(s, terms, entries, moving)
        else:
            numbers = _numbers(s, mass_matrix) if numbers is None else numbers
            firm = _is_positive_matrix(numbers[np.ix_(block, block)])
        soft += [] if firm else block
    return tuple(sorted(soft))


def _blocks(M: Any) -> Iterator[list[int]]:
    left = list(range(len(M)))
    while left:
        block, front = [], [left[0]]
        while front:
            i = front.pop()
            if i not in block:
                block.append(i)
                front += [j for j in left if not _is_zero(M[i][j]) or not _is_zero(M[j][i])]
        left = [i for i in left if i not in block]
        yield sorted(block)


def _is_zero(x: Any) -> bool:
    return bool(x == 0) if isinstance(x, Poly) else getattr(x, "value", None) == 0.0


def _numbers(s: Lagrangian, mass_matrix: Callable[..., Any]) -> np.ndarray:
    """M for the values of parameters that there are, others at random."""
    rng, n = np.random.default_rng(1), s.nv
    unknown = [x for x in s.parameter_names if not isinstance(s.values.get(x), Real)]
    try:
        known = s.over({x: rng.uniform(0.2, 0.9) for x in unknown}, None)
        q, v = rng.uniform(0.2, 0.9, (2, n))
        return np.asarray(mass_matrix(known, q, v, 0.3), dtype=float)
    except (VisvivaError, TypeError, ValueError, ArithmeticError):
        return np.full((n, n), np.nan)


def _is_positive_matrix(M: np.ndarray) -> bool:
    size = np.sqrt(np.abs(np.diag(M)))
    if not np.isfinite(M).all() or not size.all():
        return False
    return bool(np.linalg.eigvalsh(M / size / size[:, None])[0] > SMALL)


def _has_inverse(s: Lagrangian, terms: Any, rows: list[list[Any]], moving: set[str]) -> bool:
    """Whether the determinant is positive at every state: no energy is negative."""
    if len(rows) > LARGEST:
        return False
    try:
        det = determinant(rows)
    except OutsideError:  # too many terms
        return False
    return isinstance(det, Poly) and is_evident(det, moving, _signs(s, terms.by.reader.constants))


def _signs(s: Lagrangian, constants: dict[Any, str]) -> Signs:
    values = {k: x for k, x in s.values.items() if isinstance(x, Real)}
    written = {name: x for x, name in constants.items()}

    def sign(name: str) -> int:
        x = written.get(name, sympy.Symbol(name))
        if not getattr(x, "free_symbols", None):
            return int(np.sign(float(x)))
        known = {y: values[y.name] for y in x.free_symbols if y.name in values}
        others = {y: sympy.Symbol(y.name, positive=True) for y in x.free_symbols if y not in known}
        return (
            int(np.sign(float(x.subs(known))))
            if not others
            else int(bool(x.subs(known).xreplace(others).is_positive))
        )

    return sign
