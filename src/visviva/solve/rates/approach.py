"""Towards a position without leaving a task: the nearest of several solutions that were found.

Where more joints move a frame than a task has numbers, a solution is a point of a continuum. From
each the way goes on along motions that leave the task alone, as long as the distance to the wanted
position falls: Newton's steps bring the frame back after each step, and limits hold.
"""

from __future__ import annotations

import numpy as np

from visviva.algebra.arrays import Array
from visviva.solve.numeric.newton import ARRIVED, Newton
from visviva.solve.numeric.starts import CHOICES

OTHER_STARTS = 64  # starts of solutions beside the first
GONE_ON_FROM = 6  # of these, the nearest: from them the way goes on
MOST_APPROACHES = 60  # steps towards the position
SHORTEST_PART = 1.0 / 64  # of a step that was to be made, if longer ones lead away
NEAR_ENOUGH = 1e-6  # radians and metres: a step that is not worth it
_AT_LIMIT = 1e-9
_LEAST = 1e-12  # of the trace of J Jᵀ: no pivot is zero
_ROWS = 60_000  # positions that are looked at together


def nearest_found(
    newton: Newton, q: Array, targets: Array, about: Array, is_limited: bool
) -> tuple[Array, Array]:
    """Of solutions q (N, nq) and of others, found besides, those nearest to `about`; what is left.

    A target has the same starts alone and among others.
    """
    best, left = np.array(q), np.zeros(len(q))
    for k in range(0, len(q), _ROWS // OTHER_STARTS):
        part = slice(k, k + _ROWS // OTHER_STARTS)
        best[part], left[part] = _nearest(newton, q[part], targets[part], about[part], is_limited)
    return best, left


def _nearest(
    newton: Newton, q: Array, targets: Array, about: Array, is_limited: bool
) -> tuple[Array, Array]:
    N = len(q)
    near = [newton.starts.nearest(targets, k) for k in range(len(CHOICES))]
    chosen = np.concatenate([*near, np.repeat(np.arange(OTHER_STARTS - len(near)), N)])
    rows, own = np.tile(np.arange(N), OTHER_STARTS), newton.reach.coordinates
    begin = about[rows]
    begin[:, own] = newton.starts.q[chosen][:, own]
    more, missed = newton.run(begin, targets[rows], is_limited, about[rows])
    far = np.linalg.norm(_off(newton, more, about[rows]), axis=1)
    far = np.where(missed <= ARRIVED, far, np.inf).reshape(OTHER_STARTS, N)
    some = np.argsort(far, axis=0, kind="stable")[:GONE_ON_FROM] * N + np.arange(N)
    some = some[np.isfinite(far.reshape(-1)[some])]
    first, _ = newton.placed(np.array(q), is_limited, about)
    rows = np.concatenate([np.arange(N), rows[some]])
    found = np.concatenate([first, more[some]])
    found = approached(newton, found, targets[rows], about[rows], is_limited)
    order = np.lexsort((np.linalg.norm(_off(newton, found, about[rows]), axis=1), rows))
    best = found[order[np.searchsorted(rows[order], np.arange(N))]]
    return best, np.asarray(newton.left(best, targets))


def approached(newton: Newton, q: Array, targets: Array, about: Array, is_limited: bool) -> Array:
    """From solutions q (N, nq) along motions that leave the task alone, as near as that leads."""
    q, part = np.array(q), np.ones(len(q))
    off = _off(newton, q, about)
    far, active = np.linalg.norm(off, axis=1), np.arange(len(q))
    for _ in range(MOST_APPROACHES):
        step = _along(newton, q[active], off[active], is_limited)
        goes_on = np.abs(step).max(axis=1, initial=0.0) > NEAR_ENOUGH
        active, step = active[goes_on], step[goes_on]
        if not len(active):
            break
        there = _moved(newton, q[active], step * part[active, None], is_limited)
        there, left = newton.run(there, targets[active], is_limited, about[active])
        new = _off(newton, there, about[active])
        good = (left <= ARRIVED) & (np.linalg.norm(new, axis=1) < far[active])
        better = active[good]
        q[better], off[better] = there[good], new[good]
        far[better] = np.linalg.norm(new[good], axis=1)
        part[active] = np.where(good, np.minimum(2.0 * part[active], 1.0), part[active] / 4.0)
        active = active[part[active] >= SHORTEST_PART]
    return q


def _along(newton: Newton, q: Array, off: Array, is_limited: bool) -> Array:
    """What of steps `off` (N, n) leaves the task alone, and leads no joint beyond a limit."""
    _, J = newton.slope(q)
    step = _unseen(J, off)
    may, rows = np.ones_like(off), np.arange(len(q))
    while is_limited and len(rows):
        out = _outward(newton, q[rows], step[rows]) & (may[rows] > 0.0)
        rows, out = rows[out.any(axis=1)], out[out.any(axis=1)]
        may[rows] *= ~out
        step[rows] = may[rows] * _unseen(J[rows] * may[rows, None], off[rows] * may[rows])
    return step


def _unseen(J: Array, off: Array) -> Array:
    """The part of steps that a task does not see: d - Jᵀ (J Jᵀ)⁻¹ J d, rows that are zero aside."""
    G = J @ np.swapaxes(J, 1, 2)
    least = _LEAST * np.trace(G, axis1=1, axis2=2) + 1e-300
    G = G + least[:, None, None] * np.eye(G.shape[1])
    seen = np.linalg.solve(G, J @ off[..., None])
    return np.asarray(off - (np.swapaxes(J, 1, 2) @ seen)[..., 0])


def _outward(newton: Newton, q: Array, step: Array) -> Array:
    """Which joints stand at a limit and would go on beyond it (N, n)."""
    lower, upper = newton.limits
    out = np.zeros(step.shape, dtype=bool)
    for k, v in enumerate(newton.reach.moving):
        if (at := newton.reach.limited.get(v)) is not None:
            low, high = q[:, at] <= lower[at] + _AT_LIMIT, q[:, at] >= upper[at] - _AT_LIMIT
            out[:, k] = (low & (step[:, k] < 0.0)) | (high & (step[:, k] > 0.0))
    return out


def _moved(newton: Newton, q: Array, step: Array, is_limited: bool) -> Array:
    """Where steps lead, joints within their limits."""
    m, reach = newton.reach.model, newton.reach
    there, own = np.array(q), list(reach.limited.values())
    if len(own) < len(reach.moving):
        whole = np.zeros((len(q), m.nv))
        whole[:, reach.moving] = step
        there = np.array([m.integrate(a, b) for a, b in zip(q, whole, strict=True)])
    else:
        there[:, [reach.limited[v] for v in reach.moving]] += step
    if is_limited:
        lower, upper = newton.limits
        there[:, own] = np.clip(there[:, own], lower[own], upper[own])
    return there


def _off(newton: Newton, q: Array, about: Array) -> Array:
    """The steps (N, n) of the joints that take part from positions to others."""
    m, reach = newton.reach.model, newton.reach
    if len(reach.limited) == len(reach.moving):
        own = [reach.limited[v] for v in reach.moving]
        return np.asarray(about[:, own] - q[:, own])
    steps = np.array([m.difference(a, b) for a, b in zip(q, about, strict=True)])
    return steps.reshape(len(q), m.nv)[:, reach.moving]
