"""Base parameters: the combinations of θ that joint forces show, τ = Y_base(q, v, a) β.

Not all of θ can be told from motions and forces. Some columns of the regressor are zero, others
are combinations of columns nearer to the base, and their parameters can only be seen together:
β = K θ. Two steps find K. What a joint leaves unfelt belongs to the parent as well, and how is a
matter of geometry; what still depends after that, near a fixed base, is found from the rank of
regressors at random states. (Gautier and Khalil, *Direct calculation of minimum set of inertial
parameters of serial robots*; Gautier, *Numerical calculation of the base inertial parameters of
robots*.)
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.describe.model.body import WORLD, Limits
from visviva.describe.model.model import Model
from visviva.describe.model.parameters import TENSOR
from visviva.equations.bodies.links import Link, links
from visviva.equations.bodies.moments import Moments, symmetric
from visviva.equations.parameters.regressor import (
    JOINT,
    MOMENTS,
    regressor_names,
    regressor_parameters,
)
from visviva.errors import RankError, check_known

if TYPE_CHECKING:
    from visviva.machine.function import Function

DECISIVE = 1e6  # the least ratio of what counts to what is rounding
CLEAR_GAP = 1e10  # below it, parameters may count that geometry would not have if it were exact
EXACT = 1e-12  # of the regressor's largest entry, at states that were not used
READABLE = 1e-9  # smaller coefficients are left out of names, not of the map
SIMILAR = 0.3  # of columns that are about as good the first is kept: names are the usual ones
SIZE = len(MOMENTS)
LINE = 100  # characters, in a table
HINT = (
    "angles or lengths that are nearly special, such as 1.5708 for π/2, can cause it; "
    "vv.load(file, snap=1e-5) makes such angles exact"
)


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """β = `map` @ θ, and τ = `regressor`(q, v, a) @ β.

    `columns` are those of the full regressor that are kept, `values` is β of the model, and
    `parameter_names` are the names of θ. `gap` is the ratio of the smallest singular value that
    counts to the largest that does not: the number of base parameters is as sure as it is large.
    """

    model: Model
    names: tuple[str, ...]
    columns: tuple[int, ...]
    map: np.ndarray
    values: np.ndarray
    gap: float
    parameter_names: tuple[str, ...]

    @cached_property
    def regressor(self) -> Function:
        """q, v, a -> Y_base, with a column for every base parameter."""
        return self.model.regressor_columns(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        count = f"{len(self)} base parameters of {len(self.parameter_names)}"
        lines = [f"{self.model.name}: {count}, gap {self.gap:.0e}"]
        rounding = 1e-12 * np.abs(self.values).max(initial=0.0)
        for value, name in zip(self.values, self.names, strict=True):
            shown = value if abs(value) > rounding else 0.0
            line = f"{shown:>12.5g}  {name}"
            lines.append(line if len(line) <= LINE else line[: LINE - 2] + " …")
        return "\n".join(lines)


def base_parameters(
    model: Model, include: str | Sequence[str] = JOINT, rng: np.random.Generator | int = 0
) -> BaseParameters:
    """The base parameters of a model.

    The moments of bodies always count; `include` says which of "armature", "damping" and
    "friction" do. The others are taken to be absent.
    """
    include = (include,) if isinstance(include, str) else tuple(include)
    for kind in include:
        check_known("kind of joint parameter", kind, JOINT)
    source, names = np.random.default_rng(rng), regressor_names(model)
    groups = _groups(model, include)
    counted = [c for group in groups for c in group]
    G = structure(links(model.numeric), counted, len(names))
    groups = [[c for c in group if G[c, c] == 1.0] for group in groups]
    left = [c for group in groups for c in group]

    Y = _regressors(model, 60 + 4 * len(names) // max(1, model.nv), source)
    A = np.asarray(np.linalg.qr(Y, mode="r"))
    rank, gap, noise = _rank(model.name, A[:, left])
    kept = _independent(A, groups, noise)
    if len(kept) != rank:
        raise RankError(
            f"{model.name!r}: {rank} singular values count, but {len(kept)} columns are "
            f"independent; {HINT}"
        )
    rest = [c for c in left if c not in kept]
    K = G[kept] + np.linalg.lstsq(A[:, kept], A[:, rest], rcond=None)[0] @ G[rest]
    fresh = _regressors(model, 50, source)
    _verify(model.name, fresh[:, counted], fresh[:, kept] @ K[:, counted])
    if gap < CLEAR_GAP:
        warnings.warn(
            f"{model.name!r}: the number of base parameters, {rank}, is not sure: what counts "
            f"least is {gap:.0e} times what is rounding, and {CLEAR_GAP:.0e} would be clear; "
            f"{HINT}",
            UserWarning,
            stacklevel=4,
        )
    return BaseParameters(
        model,
        tuple(_combination(names, K[i], c) for i, c in enumerate(kept)),
        tuple(kept),
        K,
        K @ regressor_parameters(model.numeric),
        gap,
        names,
    )


def structure(tree: Sequence[Link], columns: Sequence[int], size: int) -> np.ndarray:
    """G with Y = Y G, as far as the joints tell by themselves: child by child, to the parents.

    Columns with G[c, c] = 1 are left; the others are stated by them. A joint that does not feel
    the moments z of its body says that Y z = Y_parent z', with z' the same seen from the parent.
    """
    G = np.zeros((size, size))
    G[columns, columns] = 1.0
    for i, link in enumerate(tree):  # parents first: theirs are then columns that are left
        own, pivots = _reduced(_unfelt(link))
        X = link.placement @ link.joint.transform(link.joint.neutral())
        block = slice(SIZE * i, SIZE * (i + 1))
        stated = np.zeros((size, len(pivots)))
        for k, (z, p) in enumerate(zip(own.T, pivots, strict=True)):
            others = z.copy()
            others[p] = 0.0  # z is one there, and zero at the other pivots
            stated[block, k] = -others
            if link.parent != WORLD:
                up = slice(SIZE * link.parent, SIZE * (link.parent + 1))
                stated[:, k] += G[:, up] @ _entries(_moments(z).moved(X.R, X.p))
        gone = [SIZE * i + p for p in pivots]
        G[gone, gone] = 0.0
        G[:, gone] = stated
    return G


def _unfelt(link: Link) -> np.ndarray:
    """10 × 10: a body's moments to the part of them that its joint does not feel."""
    bodies = [_moments(unit) for unit in np.eye(SIZE)]
    unfelt = [Moments(*link.joint.unfelt(body.m, body.h, body.S)) for body in bodies]
    return np.stack([_entries(body) for body in unfelt], axis=1)


def _moments(theta: Any) -> Moments:
    tensor = np.zeros((3, 3))
    for x, (_, r, c) in zip(theta[4:], TENSOR, strict=True):
        tensor[r, c] = tensor[c, r] = x
    return Moments(theta[0], theta[1:4], symmetric(tensor, np.trace(tensor) / 2))


def _entries(body: Moments) -> np.ndarray:
    tensor = body.tensor()
    return np.array([body.m, *body.h, *(tensor[r, c] for _, r, c in TENSOR)], dtype=float)


def _reduced(Z: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """A basis of the columns' span, each one at its own pivot; the last of the largest is it."""
    Z, pivots, basis = Z.copy(), [], np.zeros((len(Z), 0))
    while np.abs(Z).max() > 1e-9:  # projections: what is not rounding is of size one
        size = np.abs(Z).max(axis=1)
        p = int(np.flatnonzero(size > 0.999 * size.max())[-1])
        z = Z[:, np.abs(Z[p]).argmax()]
        z = z / z[p]
        Z, basis = Z - np.outer(z, Z[p]), basis - np.outer(z, basis[p])
        basis = np.concatenate([basis, z[:, None]], axis=1)
        pivots.append(p)
    return basis, pivots


def _groups(model: Model, include: Sequence[str]) -> list[list[int]]:
    """Columns in the order in which they are preferred: bodies from the base, then joints."""
    n, m = model.nv, len(model.bodies)
    bodies = [list(range(SIZE * i, SIZE * (i + 1))) for i in range(m)]
    firsts = [SIZE * m + k * n for k, kind in enumerate(JOINT) if kind in include]
    return [*bodies, *(list(range(first, first + n)) for first in firsts)]


def _regressors(model: Model, count: int, rng: np.random.Generator) -> np.ndarray:
    """Regressors at random states, below each other; limits are not looked at."""
    bodies = tuple(replace(b, limits=Limits.of(b.joint)) for b in model.numeric.bodies)
    free = replace(model.numeric, bodies=bodies)
    q = np.array([free.random(rng) for _ in range(count)])
    # speeds and accelerations that matter about as much as gravity does
    v, a = (size * rng.normal(size=(count, model.nv)) for size in (2.0, 4.0))
    Y: np.ndarray = model.regressor(q, v, a)
    return Y.reshape(count * model.nv, Y.shape[-1])


def _rank(name: str, A: np.ndarray) -> tuple[int, float, float]:
    """How many singular values count, the gap to the others, and a size between the two."""
    s = np.linalg.svd(A, compute_uv=False)
    rounding = np.finfo(float).eps * s.max(initial=0.0)
    s = np.maximum(np.append(s, 0.0), rounding)  # zeros are as good as rounding
    if rounding == 0.0:
        return 0, np.inf, 0.0
    gaps = s[:-1] / s[1:]
    rank = int(gaps.argmax()) + 1
    gap = float(gaps[rank - 1])
    if gap < DECISIVE:
        raise RankError(
            f"{name!r}: no decisive gap among the regressor's singular values; the largest, of "
            f"{gap:.1e}, is from {s[rank - 1]:.1e} to {s[rank]:.1e}, and {DECISIVE:.0e} is asked; "
            + HINT
        )
    return rank, gap, float(np.sqrt(s[rank - 1] * s[rank]))


def _independent(A: np.ndarray, groups: Sequence[Sequence[int]], noise: float) -> list[int]:
    """Columns none of which follows from the others, group by group."""
    A, kept = A.copy(), []
    for group in groups:
        left = list(group)
        while left:
            size = np.linalg.norm(A[:, left], axis=0)
            if size.max() <= noise:
                break
            c = left[int(np.flatnonzero(size > SIMILAR * size.max())[0])]
            left.remove(c)
            kept.append(c)
            u = A[:, c] / np.linalg.norm(A[:, c])
            for _ in range(2):  # once more takes away what rounding left
                A -= np.outer(u, u @ A)
    return sorted(kept)


def _verify(name: str, Y: np.ndarray, regrouped: np.ndarray) -> None:
    """Y θ = Y_base K θ for every θ."""
    error = np.abs(Y - regrouped).max(initial=0.0)
    allowed = EXACT * np.abs(Y).max(initial=0.0)
    if error > allowed:
        raise RankError(
            f"{name!r}: base parameters miss joint forces by {error:.1e}, allowed {allowed:.1e}; "
            + HINT
        )


def _combination(names: Sequence[str], row: np.ndarray, kept: int) -> str:
    text = names[kept]
    for c, x in enumerate(row):
        if c != kept and abs(x) > READABLE:
            size = f"{abs(x):.4g}"
            text += (" - " if x < 0 else " + ") + ("" if size == "1" else size + " ") + names[c]
    return text
