"""Roads whose operations are counted: they give the torques, and their counts obey laws."""

import numpy as np
import pytest

from tests.support.generators.bodies import close
from visviva.errors import ArgumentError
from visviva.judge.roads.counts import (
    general_arm,
    luh_walker_paul,
    polynomial_in_n,
    sums_of_traces,
)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_what_is_counted_are_the_torques(n):
    """Both counted roads give what the package gives, with other numbers for every n."""
    arm = general_arm(n)
    q, v, a = np.random.default_rng(7).normal(size=(3, n))
    wanted = arm.model.inverse_dynamics(q, v, a)
    for road in (sums_of_traces, luh_walker_paul):
        close(road(arm.links(q), arm.gravity, v, a), wanted)


def test_counts_that_obey_no_law_are_refused():
    with pytest.raises(ArgumentError, match="no polynomial of degree 2"):
        polynomial_in_n((1, 2, 4, 8))
