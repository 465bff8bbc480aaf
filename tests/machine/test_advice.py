"""What is told once to who calls a function that means less than one may think."""

import pickle
import warnings

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ConstraintForcesWarning

SYSTEMS = ("four_bar", "slider_crank", "knife_edge", "rolling_disc")


def told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [x for x in caught if x.category is ConstraintForcesWarning]


@pytest.mark.parametrize("name", SYSTEMS)
def test_inverse_dynamics_of_what_is_constrained_says_once_what_motors_supply(name):
    s = getattr(vv.catalog, name)()
    q, still = s.assembled(), np.zeros(s.nv)
    said = told(lambda: s.inverse_dynamics(q, still, still))
    assert len(said) == 1
    assert "actuator_forces(q, v, a)" in str(said[0].message)
    assert said[0].filename == __file__
    assert not told(lambda: s.inverse_dynamics(q, still, still))
    assert not told(lambda: s.inverse_dynamics([q, q], still, still))
    s.actuator_forces(q, still, still)


def test_what_is_called_inside_of_the_package_does_not_use_it_up():
    s = vv.catalog.four_bar()
    s.simulate(s.assembled(), np.zeros(3), 0.01)
    s.actuator_forces(s.assembled(), np.zeros(3), np.zeros(3))
    f = pickle.loads(pickle.dumps(s.inverse_dynamics))
    for g in (s.inverse_dynamics, f):
        values = [s.assembled(), np.zeros(3), np.zeros(3)]
        assert len(told(lambda g=g, values=values: g(*values))) == 1
        assert not told(lambda g=g, values=values: g(*values))


@pytest.mark.parametrize("name", ["two_link", "cart_pole", "tumbling_body"])
def test_nothing_is_said_of_what_is_not_constrained(name):
    s = getattr(vv.catalog, name)()
    q = s.neutral() if s.quaternions else np.full(s.nq, 0.3)
    assert not told(lambda: s.inverse_dynamics(q, np.zeros(s.nv), np.zeros(s.nv)))
