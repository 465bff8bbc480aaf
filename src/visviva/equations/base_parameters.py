"""Base parameters: the combinations of θ that joint forces show, τ = Y_base(q, v, a) β.

Not all of θ can be told from motions and forces. Some columns of the regressor are zero, others
are combinations of columns nearer to the base, and their parameters can only be seen together:
β = K θ. Two steps find K. The joints themselves say what each leaves unfelt, which belongs to the
parent as well (exact: it is the geometry); what then still depends, near a fixed base, is found
by the rank of regressors at random states. (Gautier and Khalil, *Direct calculation of minimum set
of inertial parameters of serial robots*; Gautier, *Numerical calculation of the base inertial
parameters of robots*.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import visviva
from visviva.describe.model import Model
from visviva.describe.parts import WORLD
from visviva.equations.links import Link, links
from visviva.equations.moments import Moments, symmetric
from visviva.equations.regressor import (
    JOINT,
    MOMENTS,
    TENSOR,
    regressor,
    regressor_names,
    regressor_parameters,
)
from visviva.errors import UnknownNameError, VisvivaError

if TYPE_CHECKING:
    from visviva.machine.function import Function

DECISIVE = 1e6  # the least ratio between what counts and what is rounding
EXACT = 1e-12  # of the regressor's largest entry, on states that were not used
READABLE = 1e-9  # coefficients below it are left out of names, not of the map
FIRST = 0.3  # of columns that are about as good the first is kept: names stay the usual ones
SIZE = len(MOMENTS)


class RankError(VisvivaError, ValueError):
    """How many parameters matter cannot be told from rounding."""


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """β = `map` @ θ and τ = `regressor`(q, v, a) @ β.

    `columns` are the columns of the full regressor that are kept; `values` is β of the model;
    `gap` is the ratio of the smallest singular value that counts to the next one, which is
    rounding. `parameter_names` are those of θ.
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
        """q, v, a -> Y_base: as many columns as there are base parameters."""
        model, kept = self.model.numeric, list(self.columns)
        return visviva.function(
            lambda q, v, a: {"Y": regressor(model, q, v, a)[:, kept]},
            {"q": model.nq, "v": model.nv, "a": model.nv},
            name="base_regressor",
        )

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        width = max(map(len, (self.parameter_names[c] for c in self.columns)), default=0)
        head = (
            f"{self.model.name}: {len(self)} base parameters of {len(self.parameter_names)}, "
            f"gap {self.gap:.0e}"
        )
        rows = [
            f"{self.parameter_names[c]:<{width}}  {x:>12.6g}  {name}"
            for c, x, name in zip(self.columns, self.values, self.names, strict=True)
        ]
        return "\n".join([head, *rows])


def base_parameters(
    model: Model, include: Sequence[str] = JOINT, rng: np.random.Generator | int = 0
) -> BaseParameters:
    """The base parameters of a model.

    Moments of bodies always count; `include` says which of "armature", "damping" and "friction"
    do. What is left out is taken to be absent: its columns of the map are zero.
    """
    for kind in include:
        if kind not in JOINT:
            raise UnknownNameError("kind of joint parameter", kind, JOINT)
    source, numeric = np.random.default_rng(rng), model.numeric
    names = regressor_names(model)
    groups = _groups(numeric, include)
    K = structural_map(links(numeric), len(names))
    left = np.flatnonzero(np.diag(K))
    groups = [[c for c in group if K[c, c]] for group in groups]
    wanted = [c for group in groups for c in group]
    K[[c for c in left if c not in set(wanted)]] = 0.0

    Y = _random_regressors(model, len(names) // 2 + 10, source).reshape(-1, len(names))
    A = np.linalg.qr(Y, mode="r") if len(Y) else Y
    rank, gap, noise = _rank(A[:, wanted])
    kept = _independent(A, groups, noise)
    if len(kept) != rank:
        raise RankError(
            f"{model.name!r}: {rank} singular values count, but {len(kept)} columns are "
            "independent; geometry that is nearly special (1.5708 for π/2) can cause it"
        )
    rest = [c for c in wanted if c not in set(kept)]
    coefficients = np.linalg.lstsq(A[:, kept], A[:, rest], rcond=None)[0]
    K = K[kept] + coefficients @ K[rest]
    _verify(model, _random_regressors(model, 20, source), kept, K, _included(groups, K))
    return BaseParameters(
        model,
        tuple(_combination(names, row, c) for row, c in zip(K, kept, strict=True)),
        tuple(kept),
        K,
        K @ regressor_parameters(numeric),
        gap,
        names,
    )
