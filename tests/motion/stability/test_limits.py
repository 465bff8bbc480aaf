"""Limits of stability: an equilibrium is followed as the parameter moves it, and never jumps."""

import numpy as np
import pytest

import visviva as vv
from visviva.describe.files.toml.read import loads_toml
from visviva.errors import ArgumentError, EquilibriumError
from visviva.machine import systems

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
def test_where_an_equilibrium_ends_at_a_fold_is_the_limit(hatch, between):
    """It is unstable up to there, and beyond there is none."""
    limit = hatch.stability_limit("F", between=between, q=[1.2])
    assert limit == pytest.approx(FOLD, rel=1e-9)
    assert limit.kind == "fold"
    np.testing.assert_allclose(limit.q, [0.8077], atol=1e-4)
    assert "(fold: the equilibrium ends there, at q = [0.8077" in str(limit)


def test_a_truss_snaps_through_at_its_fold():
    """F(y) = 2 k y (l / √(a² + y²) - 1) is largest there."""
    b = vv.Builder("truss", gravity=(0, -9.81, 0), parameters={"a": 0.3, "k": 2000.0, "m": 0.3})
    b.body("apex", joint="prismatic", joint_name="y", axis="y", mass="m")
    b.frame("A", at=["-a", 0, 0])
    b.spring("s", "2*k", np.hypot(0.3, 0.1), between=("A", "apex"))
    limit = b.build().stability_limit("m", between=(0.3, 2), q=[0.0917])
    y = np.linspace(0.0, 0.1, 200_001)
    most = (4000 * y * (np.hypot(0.3, 0.1) / np.hypot(0.3, y) - 1)).max() / 9.81
    assert limit.kind == "fold"
    assert limit == pytest.approx(most, rel=1e-9)


def test_a_toggle_under_a_weight_on_its_knee_snaps_through_at_its_fold():
    """m g l cos a = 2 k l (2 l cos a - d) sin a; a row twice is no more than one.

    All forces are 1e-12 of those of a toggle of such a size: no lengths measure them.
    """
    toggle = vv.Lagrangian(
        "a s", "1e-12*(m*(0.2*a')^2/2 + s'^2/2)",
        "1e-12*(m*9.81*0.2*sin(a) + 2500*(s - 0.36)^2)",
        constraints=["s = 0.4*cos(a)", "2*s = 0.8*cos(a)"], parameters={"m": 0.5},
    )  # fmt: skip
    limit = toggle.stability_limit("m", between=(6.5, 8), q=[0.33, 0.4 * np.cos(0.33)])
    a = np.linspace(0.26, 0.27, 20_001)
    most = (1e4 * (0.4 * np.cos(a) - 0.36) * np.tan(a)).max() / 9.81
    assert limit.kind == "fold"
    assert limit == pytest.approx(most, rel=1e-8)
    rest = toggle.equilibria(starts=1, parameters={"m": 7.0}).q[:, 0]
    np.testing.assert_allclose(rest, [-0.516113, 0.22681, 0.298338, 3.132557], atol=1e-6)


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


def test_of_a_linkage_programs_are_made_once_for_all_values(monkeypatch):
    """A mass on a rod that a spring holds upright: k l > m g; there forces are flat."""
    rod = vv.Lagrangian(
        kinetic="m*(xd^2 + yd^2)/2", potential="m*g*y + k*x^2/2", coordinates=["x", "y"],
        constraints=["x^2 + y^2 = l^2"], parameters={"m": 2.0, "g": 9.81, "l": 0.5, "k": 100.0},
    )  # fmt: skip
    made, ours = [], systems._function
    monkeypatch.setattr(systems, "_function", lambda s, x: made.append(x) or ours(s, x))
    limit = rod.stability_limit("k", between=(10.0, 100.0), q=[0.0, 0.5])
    assert limit == pytest.approx(2 * 9.81 / 0.5, rel=1e-9)
    assert len(made) == len({(x.quantity, x.parameters) for x in made}) < 20
