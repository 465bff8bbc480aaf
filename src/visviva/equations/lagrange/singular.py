"""Energies that are none: M = ∂²L/∂v² that has no inverse anywhere, L in place of the kinetic one;
and those in which a sine may have been declared as a constant.

Told from numbers at random states: floats first, and 40 digits where floats find no inverse, so
that a small inertia is not taken for none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import sympy

from visviva.describe.energies.admitted import shown
from visviva.describe.energies.formulas import TIME, possible_waves
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.energies.notes import AS_L, AS_WAVES
from visviva.describe.model.idle import ALWAYS, motion_text, refuse, singular_reason
from visviva.errors import VisvivaError

SUSPECT, SURE, DIGITS, _STATES = 1e-9, 1e-25, 40, 3
MassMatrix = Callable[..., Any]  # of a system, q, v and t


def refuse_singular(s: Lagrangian, mass_matrix: MassMatrix, what: str) -> None:
    """An error that names the motion without inertia, if there is one at every state."""
    refuse(what, s.name, idle_motions(s, mass_matrix), "leave a coordinate out")


def singular_notes(s: Lagrangian, mass_matrix: MassMatrix) -> tuple[str, ...]:
    """The note on energies whose mass matrix is singular everywhere; none on others.

    Of parameters without values, whatever these are: at random ones.
    """
    rng = np.random.default_rng(1)
    missing = [x for x in s.parameter_names if x not in s.values]
    try:
        motions = idle_motions(s.over({x: rng.uniform(0.2, 0.9) for x in missing}), mass_matrix)
    except VisvivaError:  # no derivatives, say: who asks for M is told
        return ()
    return (f"{ALWAYS}: {singular_reason(motions)}",) if motions else ()


def whole_notes(s: Lagrangian) -> tuple[str, ...]:
    """The note on a kinetic energy that may be negative at rest, as L is if it stands for both."""
    rest = s.kinetic.xreplace(dict.fromkeys(s.names.v, sympy.S.Zero))
    if rest == 0 or s.potential != 0:
        return ()
    motion = {*s.names.q, TIME}
    real = {x: sympy.Symbol(x.name, real=True) for x in motion}
    sizes = {x: sympy.Symbol(x.name, positive=True) for x in rest.free_symbols - motion}
    size = rest.xreplace(real | sizes)
    if any(x.is_nonnegative for x in (size, sympy.expand(size), sympy.factor(size))):
        return ()
    return (
        f"{AS_L}, {shown(rest)}, which are no kinetic energy where they are negative: T is "
        "taken as stated; if it is L = T - V, state the two apart, vv.Lagrangian(q, T, V)",
    )


def wave_notes(s: Lagrangian) -> tuple[str, ...]:
    """The note on parameters that may have been meant as c12 = cos(q1 + q2)."""
    waves = possible_waves(s.coordinates, s.parameter_names)
    if not waves:
        return ()
    constants = ", ".join(f"{name} is not {wave}" for name, wave in waves.items())
    return (
        f"{AS_WAVES}: {constants}, but a constant, as declared; undeclared it is read so with "
        "vv.Lagrangian(…, shorthand=True)",
    )


def idle_motions(s: Lagrangian, mass_matrix: MassMatrix) -> list[str]:
    """A motion that carries no inertia at any state, in words; mostly there is none."""
    n, rng = len(s.names.q), np.random.default_rng(0)
    states = [rng.uniform(0.2, 0.9, 2 * n + 1) for _ in range(_STATES)]
    directions = [_direction(_at(s, mass_matrix, x), SUSPECT) for x in states]
    known = [v for v in directions if v is not None]
    if len(known) < _STATES:
        return []
    with mpmath.workdps(DIGITS):
        exact = _at(s, mass_matrix, [mpmath.mpf(x) for x in states[0]])
        if exact is None or not _is_singular(exact):
            return []
    return [_in_words([str(x) for x in s.names.q], known)]


def _in_words(names: list[str], directions: list[np.ndarray]) -> str:
    """The motion, which may be another one at each state."""
    unit = np.array([v / np.linalg.norm(v) for v in directions])
    if np.all(np.abs(unit @ unit[0]) > 1 - 1e-9):
        return motion_text(names, directions[0])
    some = [x for x, size in zip(names, np.abs(unit).max(axis=0), strict=True) if size > 1e-6]
    return f"of {', '.join(some)} in a ratio that depends on the position"


def _at(s: Lagrangian, mass_matrix: MassMatrix, x: Any) -> np.ndarray | None:
    """M at a state, if it is made of numbers there."""
    n = len(s.names.q)
    try:
        with np.errstate(all="ignore"):
            M = np.asarray(mass_matrix(s, np.array(x[:n]), np.array(x[n:-1]), x[-1]), dtype=object)
        return M if all(mpmath.isfinite(y) for y in M.flat) else None
    except (TypeError, ValueError, ArithmeticError):  # expressions, or outside of its domain
        return None


def _direction(M: np.ndarray | None, limit: float) -> np.ndarray | None:
    """What M takes to zero, or None if it has an inverse or is not known."""
    if M is None or not M.size:
        return None
    A = M.astype(float)
    size = np.sqrt(np.abs(A).max(axis=0))
    size[size == 0.0] = 1.0
    _, w, V = np.linalg.svd(A / size / size[:, None])
    return V[-1] / size if w[-1] <= limit * w[0] or w[0] == 0.0 else None


def _is_singular(M: np.ndarray) -> bool:
    w = mpmath.svd_r(mpmath.matrix(M.tolist()), compute_uv=False)
    return bool(w[len(M) - 1] <= SURE * w[0])
