"""Constrained motion against EXUDYN's, which has no trees: hinges of five rows, redundant loops."""

import numpy as np
import pytest

from tests.support.counts import count
from tests.support.generators.loops import MECHANISMS
from tests.support.oracles.exudyn_bodies import Bodies
from tests.support.oracles.oracle import Compiled, Interpreted, off

TOLERANCE = 1e-8  # of the largest entry; their Ċ q̇ is a central difference


def check(mechanism, run):
    """The same accelerations of all bodies."""
    model, q, v, tau = mechanism
    a = run("forward_dynamics", q, v, tau)
    mine = [Interpreted(model).about("acceleration", b.name, q, v, a) for b in model.bodies]
    theirs, slip = Bodies(model, q, v, tau).accelerations()
    assert slip < 1e-13  # what our rows admit, theirs admit
    assert off(mine, theirs) < TOLERANCE


@pytest.mark.spread(4)
@pytest.mark.soak
@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms(name):
    for seed in range(count(1, 100)):
        mechanism = MECHANISMS[name](np.random.default_rng(seed))
        check(mechanism, Interpreted(mechanism.model))


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", ["four-bar, hinge", "slider-crank", "Bennett", "Bricard"])
def test_machine_code(name):
    mechanism = MECHANISMS[name](np.random.default_rng(7))
    check(mechanism, Compiled(mechanism.model))
