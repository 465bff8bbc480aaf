"""Mistakes in matrices: another factorisation of C v, indices of Γ, order and axes of J."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.quantities import FRAME_JACOBIAN, KINDS
from visviva.judge.check.compare.case import Case
from visviva.judge.check.mistakes.mistake import Mistake
from visviva.judge.check.said.claims import Claim
from visviva.judge.exact.elements import elements
from visviva.judge.exact.forms import determinant

FACTORISATION, INDICES, ORDER, TRANSPOSED = "factorisation", "indices", "order", "transposed"
EXCHANGED, SYMMETRY = "exchanged", "symmetry"
OTHER_ENTRIES = (
    "C is that of Christoffel's symbols here, with which Ṁ - 2C is skew; other matrices with the "
    "same C v have other entries: claim all of it, C = [[…], …], or the forces C v, V = […]"
)
_TRANSPOSED = re.compile(r"\s*(.+?)\s*\^\s*\{?(?:T|\\top)\}?\s*=\s*(-?)\s*\1\s*")  # M^T = -M


def mistakes(case: Case) -> Iterator[Mistake]:
    """By the kind of matrix."""
    kind = case.subject.kind
    if kind == "coriolis_matrix" and not case.is_wide:
        yield from _of_coriolis(case)
    if kind == FRAME_JACOBIAN.exact and not case.subject.index:
        yield from _of_jacobian(case)
    if kind == "inertia":
        yield Mistake(
            "products",
            "The products of inertia have the other sign: here they carry their minus inside the "
            "matrix, I_xy = -∫ x y dm.",
            lambda: case.about(_products_negated(case.quantity("inertia", case.subject.frame))),
        )
    if kind in KINDS and KINDS[kind].rank == 2 and not case.subject.index:
        yield Mistake(TRANSPOSED, "The matrix is transposed.", lambda: case.truth.T)
    if case.truth.ndim in (1, 2):
        yield from _exchanged(case)
    if kind == "christoffel" and not case.is_wide:
        yield Mistake(
            INDICES,
            "The indices are in another order: here the first one is that of the equation, "
            "Γⁱⱼₖ = ½ (∂Mᵢⱼ/∂qₖ + ∂Mᵢₖ/∂qⱼ - ∂Mⱼₖ/∂qᵢ).",
            lambda: case.about(np.transpose(case.quantity("christoffel"), (2, 0, 1))),
        )
        yield Mistake(
            INDICES,
            "The symbol is not symmetrised: ∂Mᵢⱼ/∂qₖ - ½ ∂Mⱼₖ/∂qᵢ has the right sum but not the "
            "right entries.",
            lambda: case.about(_unsymmetrised(case)),
        )
        yield Mistake(
            INDICES,
            "These are symbols of the second kind, M⁻¹ Γ; here they are those of the first kind.",
            lambda: case.about(_second_kind(case)),
        )


def symmetry(case: Case, claim: Claim) -> Iterator[Mistake]:
    """A matrix that is symmetric where it is said to be skew-symmetric, or the other way round."""
    if said := _TRANSPOSED.fullmatch(claim.text):
        kinds = ("symmetric", "skew-symmetric")[:: 1 if said[2] else -1]
        sentence = "{} is {}, not {}.".format(said[1], *kinds)
        yield Mistake(SYMMETRY, sentence, lambda: -case.truth)


def _exchanged(case: Case) -> Iterator[Mistake]:
    """Two rows or columns of a matrix, or entries of a vector, in each other's place."""
    is_column = case.truth.ndim == 2 and case.truth.shape[1] == 1
    words = ("Rows", "Columns") if case.truth.ndim == 2 and not is_column else ("Entries",)
    for axis, what in enumerate(words):
        for i, j in combinations(range(case.truth.shape[axis]), 2):
            order = [*range(case.truth.shape[axis])]
            order[i], order[j] = j, i
            said = f"{what} {i + 1} and {j + 1} are exchanged."
            yield Mistake(EXCHANGED, said, partial(np.take, case.truth, order, axis))


def _second_kind(case: Case) -> Array:
    """Σ (M⁻¹)ᵢₗ Γₗⱼₖ, for at most three coordinates."""
    M, gamma = case.quantity("mass_matrix"), case.quantity("christoffel")
    n, whole = len(M), determinant(case.quantity("mass_matrix"))
    symbols = np.empty((n, n, n), dtype=object)
    for i, j, k in np.ndindex(n, n, n):
        solved = M.copy()
        solved[:, i] = gamma[:, j, k]
        symbols[i, j, k] = determinant(solved) / whole
    return symbols


def is_entry_of_coriolis(case: Case) -> bool:
    """Whether right velocity forces may have another entry there: C v alone does not state C."""
    is_entry = case.subject.kind == "coriolis_matrix" and bool(case.subject.index)
    return is_entry and len(case.facts.rates) > 1


def _of_coriolis(case: Case) -> Iterator[Mistake]:
    v = np.array([case.field.ring[name] for name, _ in case.facts.rates], dtype=object)

    def by_indices(axes: tuple[int, ...]) -> Array:
        return case.about(np.transpose(case.quantity("christoffel"), axes) @ v)

    yield Mistake(
        INDICES,
        "C was summed over the wrong index: C[i, j] = Σₖ Γⁱⱼₖ vₖ, here Σₖ Γᵏᵢⱼ vₖ was taken.",
        partial(by_indices, (1, 2, 0)),
    )
    yield Mistake(
        INDICES,
        "The symbols are not symmetrised: C v is right, but Ṁ - 2C is not skew.",
        lambda: case.about(_unsymmetrised(case) @ v),
    )
    if case.subject.index:
        i, j = (k - 1 for k in case.subject.index)
        yield Mistake(
            INDICES,
            "The rates are missing: this multiplies the square of a rate, as an entry of Craig's "
            "C(q), which is judged whole, C = [[...], ...].",
            lambda: case.quantity("christoffel")[i, j, j],
        )
    if not case.subject.index and case.truth.shape == case.claim.shape:
        claim, truth = case.claim, case.truth
        same = all(case.field.settled(x) == 0 for x in (claim - truth) @ v)
        skew = all(case.field.settled(x) == 0 for x in np.ravel(claim + claim.T - truth - truth.T))
        said = "so Ṁ - 2C is skew too" if skew else "but Ṁ - 2C is not skew with it"
        if same:
            yield Mistake(
                FACTORISATION,
                f"This is another factorisation of the same velocity forces: C v is right, {said}.",
                lambda: claim,
            )


def _unsymmetrised(case: Case) -> Array:
    """∂Mᵢⱼ/∂qₖ - ½ ∂Mⱼₖ/∂qᵢ, by ∂Mᵢⱼ/∂qₖ = Γⁱⱼₖ + Γʲᵢₖ."""
    gamma = case.quantity("christoffel")
    slope = gamma + np.transpose(gamma, (1, 0, 2))  # [i, j, k]
    half = case.field.ring.number(1) / 2
    symbols: Array = slope - np.transpose(slope, (2, 0, 1)) * half
    return symbols


def _of_jacobian(case: Case) -> Iterator[Mistake]:
    yield Mistake(
        ORDER,
        "The rows are in the other order: here the angular velocity comes first.",
        lambda: np.concatenate([case.truth[3:], case.truth[:3]]),
    )
    whole = case.quantity(FRAME_JACOBIAN.exact, case.subject.frame)
    yield Mistake(
        ORDER,
        "Its third row is the angular velocity in the plane; here it is the velocity along z.",
        lambda: whole[[3, 4, 2]],
    )
    for reference, axes in (("body", "the frame's own axes"), ("space", "the world's origin")):
        yield Mistake(
            "reference",
            f"This is the Jacobian about {axes} (reference={reference!r}).",
            partial(_in_axes, case, reference),
        )


def _in_axes(case: Case, reference: str) -> Array:
    J = case.facts.forms.quantity(FRAME_JACOBIAN.exact, case.subject.frame, reference)
    return elements(J, case.field)


def _products_negated(tensor: Array) -> Array:
    return np.where(np.eye(3, dtype=bool), tensor, -tensor)
