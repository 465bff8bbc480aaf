"""Rows that do not integrate, shown by numbers: a position where the curl of a row is felt.

A row ω integrates beside the others only if dω(g, h) = 0 for all motions g, h that they admit. In
terms of velocities, with [Eₐ, E_b] = Σ c Eᵧ of the motions Eₐ that velocities stand for,

    dω(Eₐ, E_b) = Eₐ(ω_b) - E_b(ωₐ) - ω([Eₐ, E_b])

At a position where the constraints hold, one value far above rounding errors is a witness that the
row does not integrate. That none is found proves nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.integrability.classification import (
    HOLONOMIC,
    MIXED,
    NONHOLONOMIC,
    STATED,
    UNKNOWN,
    WITNESS,
    Classification,
    RowKind,
    Sample,
)

POSITIONS = 5  # that are tried
STEPS = 60  # of Newton's method on the way to the constraints
HELD = 1e-11  # what is left of φ
ERROR_PER_TERM = 1e-12  # relative: of sums of a few hundred products
CLEAR = 1e6  # how far above rounding a witness is
SMALLEST = 1e-9  # singular values of A below which rows depend on each other


def by_numbers(s: Any, home: Any, reason: str) -> Classification:
    """The classification that numbers allow; `reason` says why there is no exact one."""
    rng = np.random.default_rng(3)
    s = home.with_numbers(s, rng)
    names, positions = tuple(home.row_names(s)), set(home.position_rows(s))
    system = _Rows(s, home.structure_constants(s))
    found: dict[int, Sample] = {}
    full = False
    for _ in range(POSITIONS if len(positions) < len(names) else 0):
        t = float(rng.uniform(0.1, 1.0))
        q = system.held(rng, t, sorted(positions))
        if q is None:
            continue
        samples, rank = system.samples(q, t, names)
        found |= {k: x for k, x in samples.items() if k not in positions and k not in found}
        full = full or rank == len(names)
    kinds = []
    for k, name in enumerate(names):
        if k in positions:
            kinds.append(RowKind(name, HOLONOMIC, STATED, None, HOLONOMIC))
        elif k in found:
            kinds.append(RowKind(name, NONHOLONOMIC, WITNESS))
        else:
            kinds.append(RowKind(name, UNKNOWN, UNKNOWN))
    remarks = [f"by numbers: {reason}"]
    if len(positions) == len(names):
        kind, proof, remarks = HOLONOMIC, STATED, []
    elif not found:
        kind = proof = UNKNOWN
        remarks.append("no witness found is no proof that rows integrate")
    else:
        kind, proof = MIXED if positions else NONHOLONOMIC, WITNESS
        if not full and not positions:
            remarks.append("whether some of the rows integrate was not decided")
    return Classification(
        kind,
        proof,
        tuple(kinds),
        tuple(s.motion_names) + (() if system.is_scleronomic else ("t",)),
        None,
        system.is_scleronomic,
        next(iter(found.values()), ()),
        tuple(remarks),
    )


class _Rows:
    """The compiled rows of a system, and their derivatives along motions and time."""

    def __init__(self, s: Any, structure: Array) -> None:
        self.s, self.n, self.c = s, s.nv, structure
        self.A, self.drift, self.error = s.constraint_matrix, s.constraint_drift, s.constraint_error
        timed = [f for f in (self.A, self.drift) if "t" in f.inputs]
        self.is_scleronomic = not timed and not self._drifts()

    def held(self, rng: np.random.Generator, t: float, rows: list[int]) -> Array | None:
        """A position where the constraints hold, near a random one."""
        s = self.s
        q = s.integrate(s.neutral(), rng.normal(size=self.n))
        for _ in range(STEPS):
            if not rows:
                return np.asarray(q)
            phi = _call(self.error, q, t)
            if not np.isfinite(phi).all():
                return None
            if np.abs(phi).max() <= HELD * (1.0 + np.abs(q).max()):
                return np.asarray(q)
            step = -np.linalg.lstsq(_call(self.A, q, t)[rows], phi, rcond=1e-10)[0]
            q = s.integrate(q, step / max(1.0, float(np.linalg.norm(step))))
        return None

    def samples(self, q: Array, t: float, names: tuple[str, ...]) -> tuple[dict[int, Sample], int]:
        """Witnesses by row, and how many combinations of rows do not integrate."""
        forms = self._forms(q, t)
        slopes, felt = self._slopes(q, t)
        G = _null_space(forms)
        found: dict[int, Sample] = {}
        curls = np.einsum("iab,ax,by->ixy", slopes, G, G)
        sizes = np.einsum("iab,ax,by->ixy", felt, np.abs(G), np.abs(G))
        for i, name in enumerate(names):
            x, y = np.unravel_index(np.abs(curls[i]).argmax(), curls[i].shape) if G.size else (0, 0)
            if not G.size:
                continue
            error = ERROR_PER_TERM * float(sizes[i].max())
            value = float(curls[i, x, y])
            if abs(value) > CLEAR * error:
                found[i] = Sample(
                    tuple(map(float, q)), t, tuple(G[:, x]), tuple(G[:, y]), name, value, error
                )
        flat = curls.reshape(len(names), -1)
        rank = int(np.linalg.matrix_rank(flat, tol=1e-6 * max(1.0, float(felt.max(initial=0.0)))))
        return found, rank if flat.size else 0

    def _forms(self, q: Array, t: float) -> Array:
        A = _call(self.A, q, t)
        return A if self.is_scleronomic else np.column_stack([A, _call(self.drift, q, t)])

    def _slopes(self, q: Array, t: float) -> tuple[Array, Array]:
        """dω(Eₐ, E_b) by row, time last; and sums of the sizes of its terms."""
        forms = self._forms(q, t)
        n = forms.shape[1]
        D = np.zeros((len(forms), n, n))  # Eₐ(ω_b)
        D[:, : self.n, : self.n] = _call(self.A.jacobian("q"), q, t).transpose(0, 2, 1)
        if n > self.n:
            D[:, : self.n, -1] = _call(self.drift.jacobian("q"), q, t)
            for f, place in ((self.A, np.s_[:, -1, : self.n]), (self.drift, np.s_[:, -1, -1])):
                if "t" in f.inputs:
                    D[place] = np.reshape(_call(f.jacobian("t"), q, t), D[place].shape)
        turned = np.zeros_like(D)
        sizes = np.zeros_like(D)
        turned[:, : self.n, : self.n] = np.einsum("ic,abc->iab", forms[:, : self.n], self.c)
        sizes[:, : self.n, : self.n] = np.einsum(
            "ic,abc->iab", np.abs(forms[:, : self.n]), np.abs(self.c)
        )
        both = np.abs(D) + np.abs(D).transpose(0, 2, 1)
        return D - D.transpose(0, 2, 1) - turned, both + sizes

    def _drifts(self) -> bool:
        """Whether a₀ is anywhere else than at zero."""
        rng = np.random.default_rng(0)
        for _ in range(3):
            q = self.s.integrate(self.s.neutral(), rng.normal(size=self.n))
            if np.any(_call(self.drift, q, 0.3)):
                return True
        return False


def _call(f: Any, q: Array, t: float) -> Array:
    given = {"q": q, "t": t}
    return np.asarray(f(*(given[name] for name in f.inputs)))


def _null_space(A: Array) -> Array:
    _, w, V = np.linalg.svd(A)
    rank = int((w > SMALLEST * max(1.0, float(w.max(initial=0.0)))).sum())
    return np.asarray(V[rank:].T)
