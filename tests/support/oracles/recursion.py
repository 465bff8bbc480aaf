"""Luh, Walker and Paul's recursion in classic DH frames, as printed and put right, and a scalar
that counts what is done to it.

Nothing here uses the package. `Counted` numbers share a tally of products and sums (a difference is
a sum, a change of sign is free), so the recursion counts itself: dense, as it is written.
"""

from dataclasses import dataclass

import numpy as np


class Tally:
    """How many products and sums."""

    def __init__(self):
        self.products = self.sums = 0


class Counted:
    """A number that counts."""

    def __init__(self, value, tally):
        self.value, self.tally = value, tally

    def __mul__(self, other):
        self.tally.products += 1
        return Counted(self.value * other.value, self.tally)

    def __add__(self, other):
        self.tally.sums += 1
        return Counted(self.value + other.value, self.tally)

    def __sub__(self, other):
        self.tally.sums += 1
        return Counted(self.value - other.value, self.tally)

    def __neg__(self):
        return Counted(-self.value, self.tally)


def counted(x, tally):
    """An array of numbers that count."""
    made = np.empty(np.shape(x), dtype=object)
    made.flat = [Counted(y, tally) for y in np.ravel(x)]
    return made


@dataclass
class Link:
    """Link k: from frame k - 1 to frame k, and its mass; all vectors in frame k."""

    R: np.ndarray  # turns coordinates in k into coordinates in k - 1
    d: np.ndarray  # from origin k - 1 to origin k
    d_c: np.ndarray  # from origin k to the centre of mass
    m: object
    gamma: np.ndarray  # about the centre of mass
    slides: bool = False

    @property
    def lever(self):
        """From origin k - 1 to the centre of mass: constant data, not counted."""
        return self.d + self.d_c


def product(A, x):
    """Dense: 9 products and 6 sums."""
    return np.array([row[0] * x[0] + row[1] * x[1] + row[2] * x[2] for row in A], dtype=object)


def cross(a, b):
    """6 products and 3 sums."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
        dtype=object,
    )


def outward(links, a0, v, a):
    """(114)–(116): ω, α and the acceleration of the origin of every frame.

    ω and α of the base are zero, but nothing is left out for that.
    """
    zero = a0[0] * 0.0 if not isinstance(a0[0], Counted) else Counted(0.0, a0[0].tally)
    w = alpha = np.array([zero] * 3, dtype=object)
    acc, made = a0, []
    for link, rate, rise in zip(links, v, a, strict=True):
        back = link.R.T
        if link.slides:
            moved = np.array([w[1] * rate, -(w[0] * rate), zero], dtype=object)  # ω × k ḋ
            acc = acc + moved + moved + np.array([zero, zero, rise], dtype=object)
            w, alpha = product(back, w), product(back, alpha)
        else:
            alpha = np.array(
                [alpha[0] + w[1] * rate, alpha[1] - w[0] * rate, alpha[2] + rise], dtype=object
            )
            alpha = product(back, alpha)
            w = product(back, np.array([w[0], w[1], w[2] + rate], dtype=object))
        acc = product(back, acc) + cross(alpha, link.d) + cross(w, cross(w, link.d))
        made.append((w, alpha, acc))
    return made


def luh_walker_paul(links, gravity, v, a, load=None):
    """Joint forces; `load` is (force, torque) that the last link exerts, in the last frame."""
    motions = outward(links, -np.array(gravity), v, a)
    tau, f, n = [None] * len(links), None, None
    if load is not None:
        f, n = load
    for k in reversed(range(len(links))):
        link, (w, alpha, acc) = links[k], motions[k]
        F = acc + cross(alpha, link.d_c) + cross(w, cross(w, link.d_c))  # (117)
        F = np.array([x * link.m for x in F], dtype=object)
        N = product(link.gamma, alpha) + cross(w, product(link.gamma, w))  # (118)
        moment = cross(link.lever, F) + N
        if f is not None:
            if k + 1 < len(links):
                f, n = product(links[k + 1].R, f), product(links[k + 1].R, n)
            moment = moment + n + cross(link.d, f)  # (120)
            F = F + f  # (119)
        f, n = F, moment
        z = link.R[2]  # the axis k of frame k - 1, in frame k
        part = f if link.slides else n
        tau[k] = z[0] * part[0] + z[1] * part[1] + z[2] * part[2]  # (121)
    return tau
