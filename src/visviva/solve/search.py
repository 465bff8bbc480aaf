"""All zeros of functions of few numbers, in a box, by intervals.

Boxes in which the functions cannot all be zero are thrown away, in others Krawczyk's operator shows
that there is one zero at most, the rest is halved. Where nothing is left over, that proves that
there is no other zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.solve.boxes import enclosures

# along each number, to begin with: uneven, as zeros are often in the middle, or at round numbers
PIECES = np.array([0.0, 0.137, 0.243, 0.381, 0.513, 0.622, 0.759, 0.884, 1.0])
CUT = 0.4837  # where a box is cut, likewise
BATCH = 2048
MOST_BOXES = 150_000  # boxes looked at
SMALLEST = 1e-6  # of a box to the whole; what is left then is singular


def single_boxes(
    phi: Any, slope: Any, q: Array, lo: Array, hi: Array
) -> list[tuple[Array, Array]] | None:
    """Boxes of steps from q that have one zero of φ at most, and there are no others in [lo, hi].

    φ and its derivative `slope` are functions of q and a step (n,). None where that is not settled.
    """
    n = len(lo)
    count = np.arange(len(PIECES) - 1)
    corners = np.stack(np.meshgrid(*[count] * n, indexing="ij"), -1).reshape(-1, n)
    edge = hi - lo
    overlap = 1e-7 * np.minimum(1.0, edge / 8)
    lo, hi = lo + PIECES[corners] * edge - overlap, lo + PIECES[corners + 1] * edge + overlap
    settled: list[tuple[Array, Array]] = []
    looked = 0
    while len(lo):
        looked += len(lo[:BATCH])
        if looked > MOST_BOXES:
            return None
        (a, b), (lo, hi) = (lo[:BATCH], hi[:BATCH]), (lo[BATCH:], hi[BATCH:])
        low, high, _ = enclosures(phi, q, a, b)
        possible = ((low <= 0) & (high >= 0)).all(axis=1)
        a, b = a[possible], b[possible]
        if not len(a):
            continue
        a, b, single = _krawczyk(phi, slope, q, a, b)
        settled += zip(a[single], b[single], strict=True)
        a, b = a[~single], b[~single]
        if len(a) and ((b - a) / edge).max(axis=1).min() < SMALLEST:
            return None
        halves = _halved(a, b, edge)
        lo, hi = np.concatenate([halves[0], lo]), np.concatenate([halves[1], hi])
    return settled


def zero_in(phi: Any, slope: Any, q: Array, step: Array) -> Array:
    """The one zero in a box, by Newton's steps from its middle."""
    for _ in range(4):
        step = step - np.linalg.pinv(np.asarray(slope(q, step))) @ np.asarray(phi(q, step))
    return step


def _krawczyk(phi: Any, slope: Any, q: Array, a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Boxes that may have zeros, shrunk; and whether they have one at most."""
    low, high, doubt = enclosures(slope, q, a, b)
    usable = np.isfinite(low).all(axis=(1, 2)) & np.isfinite(high).all(axis=(1, 2))
    usable &= ~doubt.any(axis=(1, 2))
    middle, radius = (a + b) / 2, (b - a) / 2
    vlow, vhigh, _ = enclosures(phi, q, middle, middle)
    usable &= np.isfinite(vlow).all(axis=1) & np.isfinite(vhigh).all(axis=1)
    low, high = (np.where(usable[:, None, None], x, y) for x, y in ((low, -1.0), (high, 1.0)))
    vlow, vhigh = (np.where(usable[:, None], x, 0.0) for x in (vlow, vhigh))
    center, spread = (low + high) / 2, (high - low) / 2
    C = np.linalg.pinv(center)
    value, slack = (vlow + vhigh) / 2, (vhigh - vlow) / 2
    size = np.abs(C)
    eye = np.eye(a.shape[1])
    # |1 - C J| over the box: of its middle, which rounding leaves, and of its spread
    off = np.abs(eye - C @ center) + size @ spread + 1e-13
    reach = np.einsum("bij,bj->bi", off, radius) + np.einsum("bij,bj->bi", size, slack) + 1e-15
    new = middle - np.einsum("bij,bj->bi", C, value)
    low1, high1 = np.maximum(a, new - reach), np.minimum(b, new + reach)
    single = usable & (np.abs(new - middle) + reach < radius).all(axis=1)
    empty = usable & (low1 > high1).any(axis=1)
    # only what the rows decide in full may be thrown away or shrunk
    full = usable & (off.sum(axis=2).max(axis=1) < 1.0)
    keep = ~(empty & full)
    a1 = np.where(full[:, None] & ~empty[:, None], low1, a)
    b1 = np.where(full[:, None] & ~empty[:, None], high1, b)
    return a1[keep], b1[keep], single[keep]


def _halved(a: Array, b: Array, unit: Array) -> tuple[Array, Array]:
    widest = np.argmax((b - a) / unit, axis=1)
    k = np.arange(len(a))
    cut = (a + CUT * (b - a))[k, widest]
    low, high = a.copy(), b.copy()
    low[k, widest], high[k, widest] = cut, cut
    return np.concatenate([a, low]), np.concatenate([high, b])
