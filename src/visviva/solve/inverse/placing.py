"""Angles are known up to whole turns: where a joint's limits want them, and which are the same."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.equations.frames.chain import REVOLUTE, SerialChain

TWIN = 1e-6  # two positions nearer than this, in radians or metres, are one
AT_LIMIT = 1e-12  # so far beyond a limit is at it
MOST_COPIES = 64  # of one solution


def whole_turns(chain: SerialChain) -> Array:
    """After how much each coordinate of the chain is back where it was (n,); inf of lengths."""
    turns = np.array([k == REVOLUTE for k in chain.kinds], dtype=bool)
    return np.where(turns, 2 * np.pi / np.abs(chain.coefficient.astype(float)), np.inf)


def wrapped(off: Array, period: Array) -> Array:
    """Differences with whole whole_turns taken out."""
    whole = np.where(np.isfinite(period), period, 1.0)
    return np.where(np.isfinite(period), off - whole * np.round(off / whole), off)


def at_their_turns(chain: SerialChain, q: Array, near: Array, limits: bool) -> Array:
    """Positions (…, n) at the turn nearest to `near` that is within limits; nan if none is."""
    period = whole_turns(chain)
    q = near + wrapped(q - near, period)
    if not limits:
        return q
    whole = np.where(np.isfinite(period), period, 0.0)
    low, high = chain.lower, chain.upper
    finite = np.where(np.isfinite(period), period, 1.0)
    up = np.where(np.isfinite(low), np.ceil((low - AT_LIMIT - q) / finite), 0.0)
    down = np.where(np.isfinite(high), np.ceil((q - high - AT_LIMIT) / finite), 0.0)
    q = q + whole * np.maximum(up, 0.0) - whole * np.maximum(down, 0.0)
    good = (q >= low - AT_LIMIT) & (q <= high + AT_LIMIT)
    return np.where(good.all(axis=-1, keepdims=True), np.clip(q, low, high), np.nan)


def others_within(model: Model, near: Array, carrying: Sequence[int]) -> Array:
    """Positions (N, nq) whose joints, but for those that carry a frame, are within their limits.

    One beyond a limit is at it.
    """
    others = np.setdiff1d(np.arange(model.nq), list(carrying))
    kept = np.array(near)
    kept[:, others] = np.clip(near, model.lower, model.upper)[:, others]
    return kept


def all_copies(chain: SerialChain, q: Array) -> tuple[Array, bool]:
    """Positions within the limits that differ from q by whole turns; and if these are all.

    Joints without limits on both sides stay as they are.
    """
    period = whole_turns(chain)
    choices: list[list[float]] = []
    for x, t, low, high in zip(q, period, chain.lower, chain.upper, strict=True):
        if not np.isfinite([t, low, high]).all():
            choices.append([float(x)])
            continue
        first, last = np.ceil((low - AT_LIMIT - x) / t), np.floor((high + AT_LIMIT - x) / t)
        choices.append([float(np.clip(x + k * t, low, high)) for k in np.arange(first, last + 1)])
    count = int(np.prod([len(c) for c in choices]))
    rows = [row for row, _ in zip(product(*choices), range(MOST_COPIES), strict=False)]
    return np.array(rows).reshape(-1, len(q)), count <= MOST_COPIES


def without_twins(chain: SerialChain, q: Array) -> Array:
    """Positions (N, S, n) with nan in place of those that were there before."""
    period, kept = whole_turns(chain), q.copy()
    for k in range(1, q.shape[1]):
        off = np.abs(wrapped(kept[:, :k] - kept[:, k : k + 1], period)).max(axis=-1, initial=0.0)
        twin = (off < TWIN).any(axis=1)  # nan is no twin
        kept[twin, k] = np.nan
    return kept


def in_order(q: Array, residuals: Array) -> tuple[Array, Array]:
    """Positions (N, S, n) with those that exist first, by their coordinates in turn."""
    keys = np.where(np.isnan(q), np.inf, np.round(q, 9))
    order = np.lexsort([keys[..., k] for k in reversed(range(q.shape[-1]))], axis=-1)
    sorted_q = np.take_along_axis(q, order[..., None], axis=1)
    return sorted_q, np.take_along_axis(residuals, order, axis=1)
