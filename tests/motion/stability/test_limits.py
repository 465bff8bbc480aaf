"""Limits of stability: an equilibrium is followed as the parameter moves it, and never jumps."""

import numpy as np
import pytest

from visviva.describe.files.toml.read import loads_toml
from visviva.errors import ArgumentError, EquilibriumError

HATCH = """
name = "hatch"
gravity = [0, -9.81, 0]
[parameters]
m = 20
F = 400
[[body]]
name = "lid"
joint = "revolute"
joint_name = "phi"
axis = "z"
limits = [0, "pi/2"]
inertia = { solid = "box", mass = "m", x = 1, y = 0.03, z = 0.8, at = [0.5, 0, 0] }
[[frame]]
name = "ball"
body = "lid"
at = [0.4, -0.05, 0]
[[frame]]
name = "foot"
body = "world"
at = [0, -0.3, 0]
[[spring]]
name = "gas"
from = "foot"
to = "ball"
stiffness = { force = "-F", values = { F = "F" } }
rest = 0
"""


@pytest.fixture(scope="module")
def hatch():
    return loads_toml(HATCH)


def lifting(phi):
    """Lever of the gas spring about the hinge, by hand."""
    c, s = np.cos(phi), np.sin(phi)
    ball = np.array([0.4 * c + 0.05 * s, 0.4 * s - 0.05 * c])
    along = ball - [0.0, -0.3]
    along /= np.hypot(*along)
    return ball[0] * along[1] - ball[1] * along[0]


def balancing(phi):
    """The force of the gas spring at which the hatch rests at phi."""
    return 20 * 9.81 * 0.5 * np.cos(phi) / lifting(phi)


FOLD = max(balancing(x) for x in np.linspace(0.80, 0.82, 2001))  # 460.24: no more force balances


@pytest.mark.parametrize("between", [(100, 1000), (400, 470), (1000, 100)])
def test_an_equilibrium_that_ends_at_a_fold_has_no_limit_of_stability(hatch, between):
    """It is unstable up to there, and beyond there is none."""
    with pytest.raises(EquilibriumError, match=r"ends or jumps at F = 460\.236, q = .0\.8077") as e:
        hatch.stability_limit("F", between=between, q=[1.2])
    assert f"{FOLD:.6g}" in str(e.value)


def test_a_branch_is_not_left_for_the_other_one_beside_a_fold(hatch):
    """At 460 N one of them is at 0.845, the other at 0.770: each keeps its stability."""
    for q in (1.2, 0.3):
        with pytest.raises(ArgumentError, match="at both ends"):
            hatch.stability_limit("F", between=(400, 460), q=[q])


def test_an_equilibrium_that_leaves_the_limits_of_its_joint_is_refused(hatch):
    with pytest.raises(EquilibriumError, match=r"leaves the limits of phi at F = 385\.614"):
        hatch.stability_limit("F", between=(460, 300), q=[0.79])
    assert balancing(0.0) == pytest.approx(385.614, abs=1e-3)


def test_held_where_it_is_the_limit_is_where_stiffness_vanishes(hatch):
    """No kink there, although slopes are zero: those of weight and spring cancel."""
    h = 1e-5
    weight = -20 * 9.81 * 0.5 * np.sin(0.5)
    expected = weight / ((lifting(0.5 + h) - lifting(0.5 - h)) / (2 * h))
    limit = hatch.stability_limit("F", between=(100, 1000), q=[0.5], tau="hold")
    assert limit == pytest.approx(expected, rel=1e-8)


def test_a_position_that_jumps_is_no_limit():
    """A guiding function of the parameter leads from one equilibrium to another."""
    arm = loads_toml(HATCH.replace('limits = [0, "pi/2"]', ""))
    hanging = arm.with_parameters(F=0.0)
    with pytest.raises(EquilibriumError, match="ends or jumps at m = 15"):
        hanging.stability_limit(
            "m", between=(10, 20), q=lambda m: [np.pi / 2 if m < 15 else -np.pi / 2]
        )
