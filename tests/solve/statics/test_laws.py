"""Virtual work and balance say the same, and every link is in equilibrium: random mechanisms."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.counts import examples
from tests.support.generators.bodies import random_tree
from tests.support.generators.loops import MECHANISMS
from visviva.describe.model.body import Spring
from visviva.solve.statics.holding import HeldRows

seeds = st.integers(0, 2**32 - 1)
EXACT = 1e-12  # as a share of the largest force or moment


def some_loads(rng, frames):
    """Several, at points of frames, in both axes."""
    return [
        {
            "frame": str(rng.choice(frames)),
            "force": 5 * rng.normal(size=3),
            "moment": rng.normal(size=3),
            "point": rng.normal(size=3),
            "axes": str(rng.choice(["world", "body"])),
        }
        for _ in range(3)
    ]


def with_springs(model, rng):
    """One between frames, an elastic element, and one at a joint that has one coordinate."""
    ends = (str(rng.choice(model.frame_names)), model.base_name)
    points = tuple(rng.normal(size=(2, 3)))
    K, turning = np.diag(rng.uniform(1, 9, 3)), np.diag(rng.uniform(1, 2, 3))
    springs = [
        Spring("line", 20.0, 0.3, frames=ends, points=points),
        Spring("block", K, rng.normal(size=3), frames=ends[::-1], points=points, turning=turning),
    ]
    simple = [b.joint_name for b in model.bodies if b.joint.nv == 1]
    springs += [Spring("turn", 4.0, 0.2, joint=simple[0])] if simple else []
    return replace(model, springs=tuple(springs))


@examples(3, 2000)
@given(seeds, st.integers(1, 6))
def test_virtual_work_is_balance_on_trees(seed, size):
    """With loads, gravity and springs, joints of all kinds, free bases among them."""
    rng = np.random.default_rng(seed)
    model = with_springs(random_tree(rng, size), rng)
    q = model.random(rng)
    s = model.statics(q, some_loads(rng, model.frame_names), gravity=rng.normal(size=3) * 9)
    assert s.disagreement < EXACT
    assert max(b.residual for b in s.bodies) < EXACT
    # the whole: what the ground bears is all that comes from outside
    springs = [x for b in s.bodies for x in b.acting if x.cause == "spring"]
    outside = [*(s.resultant(of=x) for x in ("ground", "loads", "weight")), *springs]
    forces = np.array([x.force for x in outside])
    assert np.abs(forces.sum(axis=0)).max() < EXACT * max(1.0, np.abs(forces).max()) * size
    # every body's balance holds about any point, not about its centre alone
    away = rng.normal(size=3)
    for b in s.bodies:
        assert np.abs(b.resultant(away)).max() < 10 * EXACT * b.size


@pytest.mark.spread(3)
@pytest.mark.parametrize("kind", MECHANISMS)
@examples(2, 200)
@given(seed=seeds)
def test_virtual_work_is_balance_in_loops(kind, seed):
    """Driven by as few joints as it has freedoms; the others need nothing, by balance too."""
    rng = np.random.default_rng(seed)
    closed = MECHANISMS[kind](rng)
    m, q = closed.model, closed.q
    N = HeldRows.at(m.numeric, q, 0.0).motions
    driven = chosen_joints(m, N)
    s = m.statics(q, some_loads(rng, m.body_names), actuated=driven)
    assert len(s.efforts) == N.shape[1] == len(driven)
    assert s.disagreement < EXACT
    assert max(b.residual for b in s.bodies) < EXACT
    passive = [k for j, (_, v) in m.joint_slices.items() if j not in driven for k in range(m.nv)[v]]
    size = max(b.size for b in s.bodies)
    assert np.abs(s.balance[passive]).max(initial=0.0) < EXACT * size


def chosen_joints(model, N):
    """Joints with one velocity each that determine all motions, the best conditioned first."""
    left, names = N.copy(), []
    single = {j: v.start for j, (_, v) in model.joint_slices.items() if v.stop - v.start == 1}
    for _ in range(N.shape[1]):
        best = max(single.keys() - set(names), key=lambda j: np.linalg.norm(left[single[j]]))
        row = left[single[best]]
        left = left - np.outer(left @ row, row) / (row @ row)
        names.append(best)
    return names
