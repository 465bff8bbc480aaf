"""Two roads to the branches of a calibrated arm: from the arm that was meant, and elimination."""

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count
from visviva.equations.frames.chain import SerialChain
from visviva.solve.elimination.six_revolute import all_solutions
from visviva.solve.inverse.calibrated import meant

RIGHT = np.pi / 2
TABLES = {
    "puma": [
        (0.0, RIGHT, 0.0),
        (0.4318, 0.0, 0.0),
        (0.0203, -RIGHT, 0.15005),
        (0.0, RIGHT, 0.4318),
        (0.0, -RIGHT, 0.0),
        (0.0, 0.0, 0.1),
    ],
    "ur5": [
        (0.0, RIGHT, 0.089159),
        (-0.425, 0.0, 0.0),
        (-0.39225, 0.0, 0.0),
        (0.0, RIGHT, 0.10915),
        (0.0, -RIGHT, 0.09465),
        (0.0, 0.0, 0.0823),
    ],
}


@pytest.mark.spread(1)
@pytest.mark.parametrize("name", TABLES)
def test_both_roads_lead_to_the_same_branches(name):
    """Every branch that Newton's method keeps is a proved root, and there is no other real one."""
    rng = np.random.default_rng(0)
    rows = np.array(TABLES[name]) + 1e-4 * rng.normal(size=(6, 3))
    table = [{"a": a, "alpha": alpha, "d": d, "joint": "R"} for a, alpha, d in rows]
    chain = SerialChain.of(vv.from_dh(table, convention="standard").numeric, "tool")
    near = meant(chain, "pose")
    assert near is not None
    theta = rng.uniform(-np.pi, np.pi, (count(60, 2000), 6))
    R, p = chain.poses(theta)
    X = np.tile(np.eye(4), (len(R), 1, 1))
    X[:, :3, :3], X[:, :3, 3] = R, p
    s = all_solutions(chain, X)
    branches = near.branches(X)
    # the two may differ near singular poses, where branches come and go
    regular = (s.is_certified.sum(axis=1) == s.count) & (np.nanmax(s.radius, axis=1) < 1e-9)
    assert regular.mean() > 0.6
    for k in np.flatnonzero(regular):
        kept = branches[k][np.isfinite(branches[k]).all(axis=1)]
        turned, at = chain.poses(kept)
        off = np.abs(turned - R[k]).max(axis=(1, 2)) + np.abs(at - p[k]).max(axis=1)
        kept = kept[off < 1e-9]  # Newton's method may end where the pose is not reached
        found = s.q[k, : s.count[k]]
        gap = np.abs(np.exp(1j * kept)[:, None] - np.exp(1j * found)[None]).max(axis=2)
        assert (gap.min(axis=1) < 1e-8).all()
        assert (gap.min(axis=0) < 1e-8).all()
