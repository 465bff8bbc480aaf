"""`AllSolutions`: what is known of the solutions of a six-joint arm, and of the other roots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visviva.algebra.arrays import Array

ROOTS = 16  # of a general arm with six revolute joints, over the complex numbers


@dataclass(frozen=True, eq=False, repr=False)
class AllSolutions:
    """Joint angles for N poses, and an account of the 16 complex roots behind them."""

    q: Array  # (N, 16, 6), real ones first, in order; the rest is NaN
    count: Array  # (N,) of real solutions
    is_certified: Array  # (N, 16), of each real solution: it exists and is simple
    radius: Array  # (N, 16), within which it exists, in radians
    w: Array  # (N, 16, 6), exp(iθ) of all roots that are proved, real ones first; NaN
    found: Array  # (N,) of these
    is_complete: Array  # (N,): 16 are proved, so that no other solution exists
    vanished: Array  # (N,): the eliminant was zero to rounding, however the loop was begun
    residual: Array  # (N,), the largest of its real solutions: radians, and lengths of the arm

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            getattr(self, name).flags.writeable = False

    @property
    def roots(self) -> Array:
        """Complex angles (N, 16, 6) of all roots that are proved, real ones first; NaN."""
        roots = np.log(self.w) / 1j
        real = np.arange(ROOTS) < self.is_certified.sum(axis=1)[:, None]
        return np.where(real[..., None], roots.real, roots)

    def __len__(self) -> int:
        return len(self.q)

    def account(self, k: int = 0) -> str:
        """What became of the 16 roots of a pose, in a sentence."""
        real = int((self.is_certified[k]).sum())
        proved = f"{real} real and {self.found[k] - real} complex roots are proved"
        loose = int(self.count[k]) - real
        if loose:
            proved += f", {loose} more real found but not proved, as at singular poses"
        if self.is_complete[k]:
            return f"{proved}: all 16, no other solution exists"
        left = ROOTS - int(self.found[k])
        if self.vanished[k]:
            why = "the eliminant vanishes, as for arms that have fewer than 16 or whole families"
        else:
            why = "multiple, at infinity, or too far from real numbers to be proved"
        return f"{proved}, {left} of 16 are not ({why}): not complete"

    def __repr__(self) -> str:
        n = len(self)
        if n == 1:
            lines = [self.account(0), *(f"  {np.round(x, 6)}" for x in self.q[0, : self.count[0]])]
            return "\n".join(lines)
        kinds = np.bincount(self.count, minlength=1)
        listed = ", ".join(f"{m} for {x}" for m, x in enumerate(kinds) if x)
        return f"{n} poses, complete for {int(self.is_complete.sum())}; real solutions: {listed}"
