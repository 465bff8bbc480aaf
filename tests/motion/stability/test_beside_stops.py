"""Stops hold mechanisms at rest where no balance of forces tells of it: said, or refused."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, EquilibriumError


def pendulum(limits=(-0.5, 2.0), restitution=0.0):
    b = vv.Builder("pendulum")
    b.body("rod", joint="revolute", axis="y", limits=limits, restitution=restitution, mass=1.0,
           com=[0.0, 0.0, -0.5])  # fmt: skip
    return b.build()


def test_equilibria_beside_stops_are_not_all_there_are():
    found = pendulum(limits=(0.3, 1.2)).equilibria()
    assert not len(found)
    assert not found.proved
    assert "without stops, which hold it at others too" in str(found)
    assert pendulum(limits=(0.3, 1.2), restitution=None).equilibria().proved


def test_no_linear_motion_at_a_stop():
    arm = pendulum(limits=(0.0, 1.0))
    with pytest.raises(EquilibriumError, match=r"rod_joint of 'pendulum' is at a stop"):
        arm.linearize([0.0])
    between = pendulum().linearize([0.0])
    np.testing.assert_allclose(np.abs(between.eigenvalues.imag).max(), np.sqrt(9.81 / 0.5))


def test_stops_are_in_no_action():
    with pytest.raises(ArgumentError, match="stops push where a path comes to them"):
        pendulum().least_action([0.0], [1.0], 0.5)
