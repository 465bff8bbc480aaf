"""What is said of linkages that rest wherever they are put, and of searches within limits."""

import numpy as np
import pytest

import visviva as vv
from visviva.describe.files.toml.read import loads_toml

BODIES = """
name = "pair"
gravity = [0, -9.81, 0]
[[body]]
name = "left"
joint = "prismatic"
joint_name = "x"
axis = "y"
inertia = { mass = 2 }
[[body]]
name = "right"
joint = "prismatic"
joint_name = "y"
axis = "y"
inertia = { mass = MASS }
[[constraint]]
name = "rope"
formula = "x + y = 1"
"""


def test_a_level_linkage_rests_everywhere_and_lists_one_position():
    found = vv.catalog.four_bar().with_gravity([0, 0, -9.81]).equilibria()
    assert len(found) == 1
    assert found.proved
    assert "rests everywhere" in found.why
    assert found.anywhere == found.system.motion_names


def test_weights_that_balance_over_a_pulley_seem_to_rest_everywhere():
    """Forces act, and none along the motion: that is looked at, and not proved."""
    found = loads_toml(BODIES.replace("MASS", "2")).equilibria()
    assert len(found) == 1
    assert not found.proved
    assert "seems to rest everywhere" in found.why
    assert np.isclose(found.q.sum(), 1.0)


@pytest.mark.parametrize("mass", ["2.000001", "3"])
def test_weights_that_differ_rest_nowhere(mass):
    found = loads_toml(BODIES.replace("MASS", mass)).equilibria(starts=5)
    assert len(found) == 0
    assert "rest everywhere" not in found.why


def test_constant_forces_count_beside_weights():
    level = loads_toml(BODIES.replace("MASS", "2"))
    assert not len(level.equilibria(tau=[1.0, 0.0], starts=5))
    assert "everywhere" in level.equilibria(tau=[1.0, 1.0], starts=5).why


def test_a_linkage_in_a_vertical_plane_rests_at_some_positions():
    found = vv.catalog.four_bar().with_gravity([0, -9.81, 0]).equilibria(starts=10)
    assert "everywhere" not in found.why
    assert found.anywhere == ()


def test_all_within_limits_is_said_to_be_within_limits():
    b = vv.Builder("arm", gravity=(0.0, -9.81, 0.0))
    b.body("bar", joint="revolute", axis="z", mass=1.0, com=(0.5, 0.0, 0.0), limits=(0.0, 3.0))
    arm = b.build()
    found = arm.equilibria()
    assert found.proved
    assert len(found) == 1  # the other one hangs, outside them
    assert "searched everywhere within limits, by intervals: these are all, proved" in found.why
    name = arm.motion_names[0]
    assert "everywhere within the bounds given" in arm.equilibria(within={name: (0, 3)}).why
    assert "everywhere, by intervals" in vv.catalog.two_link().equilibria().why


@pytest.mark.filterwarnings("error")
def test_powers_below_zero_are_searched_and_no_warning_leaks():
    """Enclosures of x^-13 are finite where zero is outside, and wide."""
    s = vv.Lagrangian("x", "x'^2/2", "1/x^12 - 2/x^6")
    found = s.equilibria(within={"x": (0.5, 3)})
    assert found.q[:, 0] == pytest.approx([1.0])
    assert found.proved
