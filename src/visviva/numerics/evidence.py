"""How well a claim is known: four kinds of evidence, and the one rule by which they combine.

A claim holds if all of its premises do. It is as well known as the least known of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

import numpy as np

from visviva.algebra.arrays import Array


class By(Enum):
    """What a proof rests on."""

    FORMULAS = auto()  # the program does not have the input: nothing depends on it
    INTERVALS = auto()  # branch and prune, Krawczyk's operator
    THEOREM = auto()  # of mechanics, of enclosed matrices


class Reason(Enum):
    """Why something is undecided."""

    DRY_FRICTION = auto()  # holds a system at other positions too
    STOPS = auto()
    JUMP = auto()  # forces jump there
    KINK = auto()  # slopes do
    STEEP = auto()  # slopes have no bounds
    SINGULAR = auto()  # coordinates are: the inertia is not positive
    FLAT = auto()  # slopes vanish along a direction: those of higher order decide
    CENTRE = auto()  # eigenvalues on the imaginary axis, and no energy that is least
    GIVES_ENERGY = auto()  # it is not shown that energy never grows
    TIME = auto()
    CARRIED_ON = auto()  # what does not decay may move what stays
    DRIVEN = auto()  # constraints prescribe velocities, and not of a steady motion that is known
    BRANCHES = auto()  # of motions meet there
    OTHER = auto()  # another part of the library declined


@dataclass(frozen=True)
class Proved:
    """It is certain."""

    by: By


@dataclass(frozen=True, eq=False)
class Enclosed:
    """It is certain outside of these boxes (k, 2, n); inside, nothing is claimed."""

    boxes: Array = field(repr=False)

    @property
    def width(self) -> float:
        """The widest side of any of them."""
        return float((self.boxes[:, 1] - self.boxes[:, 0]).max(initial=0.0))


@dataclass(frozen=True)
class Sampled:
    """It was so in so many trials."""

    trials: int


@dataclass(frozen=True)
class Undecided:
    """Nothing is claimed."""

    reason: Reason
    detail: str = ""  # names, and words of others: printed, never compared


Evidence = Proved | Enclosed | Sampled | Undecided
_ORDER = (Undecided, Sampled, Enclosed, Proved)


def weakest(*premises: Evidence) -> Evidence:
    """Of a claim with these premises: THE deciding rule. The first of several that are equal."""
    return min(premises, key=lambda x: _ORDER.index(type(x)), default=Proved(By.FORMULAS))


def clusters(boxes: Array, gap: float = 0.0) -> list[np.ndarray]:
    """Indices of boxes (k, 2, n), a row for each group of those that lie together.

    Two do if they are no farther apart than `gap` and the mean of their widths, or if others are
    between them.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    if not len(boxes):
        return []
    near = np.ones((len(boxes), len(boxes)), dtype=bool)
    width = (boxes[:, 1] - boxes[:, 0]).max(axis=1) / 2
    width = np.where(np.isfinite(width), width, 0.0)
    for k in range(boxes.shape[2]):
        low, high = boxes[:, 0, k] - width, boxes[:, 1, k] + width
        near &= low[:, None] <= high + gap
        near &= low <= high[:, None] + gap
    count, label = connected_components(csr_matrix(near), directed=False)
    return [np.flatnonzero(label == k) for k in range(count)]
