"""Joint positions by Newton's method from positions anywhere: a road that knows no closed form."""

import numpy as np

from visviva.solve.numeric.newton import newton_of

PASSES = 40  # damped steps from one start
PLAIN = 40  # and of Newton's own after them, where these are wanted
LONGEST = 0.3  # of such a step, in any joint
ROWS = 100_000  # that go through machine code together
ROUGH, MET = 1e-3, 1e-11  # radians and metres: what is worth more steps, and what has arrived
STANDS = 1e-7  # the last step where Newton's method has arrived: at a double root it never does


def arrivals(model, frame, poses, starts, rng, plain=False):
    """Where starts anywhere lead (N, S, nq), for arms all of whose joints turn; nan: nowhere.

    `plain`: with steps that are not damped at the end, for positions that are nearly singular.
    """
    newton = newton_of(model, frame)
    found = np.empty((len(poses), starts, model.nq))
    together = max(ROWS // starts, 1)
    for k in range(0, len(poses), together):
        goal = np.repeat(np.ascontiguousarray(poses[k : k + together, :3]), starts, axis=0)
        q = rng.uniform(-np.pi, np.pi, (len(goal), model.nq))
        q, left = newton.corrected(q, goal, at_most=PASSES)
        arrived = left <= MET
        if plain:
            near = np.flatnonzero(left <= ROUGH)
            q[near], arrived[near] = _undamped(newton, q[near], goal[near])
            arrived[left > ROUGH] = False
        q[~arrived] = np.nan
        found[k : k + together] = q.reshape(-1, starts, model.nq)
    return found


def _undamped(newton, q, goal):
    """After Newton's steps, until they are as small as rounding; and which have become so."""
    size = np.full(len(q), np.inf)
    for _ in range(PLAIN):
        e, J = newton.toward(q, goal)
        step = (np.linalg.pinv(J, rcond=1e-14) @ e[..., None])[..., 0]
        size = np.abs(step).max(axis=1)
        q = q + step * np.minimum(1.0, LONGEST / np.maximum(size, 1e-300))[:, None]
    return q, (size < STANDS) & (newton.left(q, goal) <= MET)


def around(off):
    """Differences of angles, without whole turns."""
    return off - 2 * np.pi * np.round(off / (2 * np.pi))


def hits(found, known):
    """How many of the arrivals (N, S, n) are at each of the known positions (N, K, n): (N, K).

    And for every arrival how far it is from the nearest of them (N, S); nan where it is none.
    """
    far = np.full((*found.shape[:2], known.shape[1]), np.inf)
    for k in range(known.shape[1]):
        away = np.abs(around(found - known[:, None, k])).max(axis=-1)
        far[..., k] = np.where(np.isnan(away), np.inf, away)
    nearest, least = far.argmin(axis=-1), far.min(axis=-1)
    arrived = np.isfinite(found[..., 0])
    counts = [((nearest == k) & arrived).sum(axis=1) for k in range(known.shape[1])]
    return np.stack(counts, axis=1), np.where(arrived, least, np.nan)


def gaps(known):
    """How near the two nearest of known positions (N, K, n) are to each other (N,)."""
    least = np.full(len(known), np.inf)
    for i in range(known.shape[1]):
        for k in range(i):
            least = np.fmin(least, np.abs(around(known[:, i] - known[:, k])).max(axis=-1))
    return least
