"""Delta robots and five-bar linkages: forwards and backwards are inverse to each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from visviva.errors import ArgumentError
from visviva.solve.elimination.parallel_arms import (
    delta_angles,
    delta_tips,
    five_bar_cranks,
    five_bar_tips,
)

seeds = st.integers(0, 10**9)
DELTA = {"rb": 0.2, "rp": 0.05, "arm": 0.3, "rod": 0.7}
FIVE_BAR = {"l0": 0.3, "l1": 0.3, "l2": 0.45}


@examples(4, 1000)
@given(seeds)
def test_all_arms_of_a_delta_lead_back(seed):
    """Eight combinations of elbows hold the platform where it is; one of two tips is there."""
    rng = np.random.default_rng(seed)
    p = rng.uniform([-0.2, -0.2, -0.8], [0.2, 0.2, -0.5], (20, 3))
    angles = delta_angles(p, **DELTA)
    assert angles.shape == (20, 8, 3)
    tips = delta_tips(angles, **DELTA)
    assert tips.shape == (20, 8, 2, 3)
    gap = np.abs(tips - p[:, None, None]).max(axis=3).min(axis=2)
    assert np.abs(tips[:, 0, 0] - p).max() < 1e-13  # elbows outside, the lower tip
    assert gap.max() < 1e-11  # of three spheres whose centres nearly are on a line


def test_a_delta_of_the_catalogue():
    model = vv.catalog.delta()
    q = model.keyframes["assembled"]
    at = model.frame_pose("platform", q).p
    angles = [q[model.joint_slices[f"angle{i}"][0]][0] for i in (1, 2, 3)]
    assert np.abs(delta_tips(angles, **DELTA)[0] - at).max() < 1e-13
    assert np.abs(delta_angles(at, **DELTA)[0] - angles).max() < 1e-13


@examples(4, 1000)
@given(seeds)
def test_all_cranks_of_a_five_bar_lead_back(seed):
    rng = np.random.default_rng(seed)
    cranks = rng.uniform(-np.pi, np.pi, (20, 2))
    tips = five_bar_tips(cranks, **FIVE_BAR)
    real = np.isfinite(tips).all(axis=(1, 2))
    ways = five_bar_cranks(tips[real], **FIVE_BAR)
    gap = np.abs(np.exp(1j * ways) - np.exp(1j * cranks[real])[:, None, None])
    # tips where a rod and its crank are in line know the crank to half of all digits
    assert gap.max(axis=3).min(axis=2).max(initial=0.0) < 1e-6
    again = five_bar_tips(ways, **FIVE_BAR)
    back = np.abs(again - tips[real][:, :, None, None]).max(axis=4).min(axis=3)
    assert np.nanmax(back, initial=0.0) < 1e-6


def test_a_five_bar_of_the_catalogue():
    model = vv.catalog.five_bar()
    q = model.keyframes["assembled"]
    tip = model.frame_pose("rod1_end", q).p[:2]
    assert np.abs(five_bar_tips(q[[0, 2]], **FIVE_BAR)[0] - tip).max() < 1e-14
    assert np.abs(five_bar_cranks(tip, **FIVE_BAR)[0] - q[[0, 2]]).max() < 1e-13


def test_what_is_out_of_reach_is_nan():
    assert np.isnan(delta_angles([0.0, 0.0, -3.0], **DELTA)).all()
    assert np.isnan(five_bar_cranks([2.0, 0.0], **FIVE_BAR)).all()
    apart = five_bar_tips([np.pi, 0.0], **FIVE_BAR)  # the ends of the cranks 0.9 from each other
    assert np.abs(apart - [0.15, 0.0]).max() < 1e-7  # two tips in one
    assert np.isnan(five_bar_tips([np.pi, 0.0], l0=0.3, l1=0.3, l2=0.4)).all()
    with pytest.raises(ArgumentError, match=r"not negative; got l2 = -1"):
        five_bar_tips([0.0, 0.0], l0=1.0, l1=1.0, l2=-1.0)
