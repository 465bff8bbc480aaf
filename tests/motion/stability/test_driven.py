"""Where constraints drive a coordinate: it is steady, and the others rest beside it."""

import numpy as np
import pytest

import visviva as vv

SLOPES = {
    "x^2/2": lambda x: x,
    "x^2/4 - x/5": lambda x: x / 2 - 0.2,
    "1 - cos(x)": np.sin,
    "x^4/4 - x^2/3": lambda x: x**3 - 2 * x / 3,
}
BEAD = {"m": 2.0, "k": 0.5, "g": 9.81}


def wire(**values):
    return vv.catalog.bead_on_rotating_wire(constrained=True, **{**BEAD, **values})


def test_the_bead_on_the_turning_wire_rests_at_its_bottom():
    """Stable as long as Ω² < 2 g k, by Jacobi's integral."""
    slow, fast = wire(Omega=3.0).equilibria(starts=20), wire(Omega=3.5).equilibria(starts=20)
    for found in (slow, fast):
        np.testing.assert_allclose(found.q, [[0, 0, 0]], atol=1e-12)
        assert found.anywhere == ("theta",)
        assert not found.proved
    np.testing.assert_array_equal(slow.v, [0, 0, 3])
    assert (slow.stability, fast.stability) == (("stable",), ("unstable",))


def test_where_gravity_balances_what_the_wire_throws_outward_it_rests_anywhere():
    found = wire(Omega=3.0, g=9.0).equilibria(starts=5)
    assert "seems to rest everywhere" in found.why
    assert found.anywhere == ("x", "z", "theta")
    assert found.stability == ("drifts",)


@pytest.mark.parametrize("x", [0.0, 0.7])
def test_its_small_motions_are_those_of_one_coordinate(x):
    """m (1 + 4 k² x²) ẍ + … = m (Ω² - 2 g k) x, at rest wherever Ω² = 2 g k."""
    values = {"Omega": 3.0, "g": 9.81 if x == 0 else 9.0}
    held = wire(**values).linearize([x, 0.5 * x**2, 0.3], [0, 0, 3])
    alone = vv.catalog.bead_on_rotating_wire(**{**BEAD, **values}).linearize([x])
    assert held.names == ("x",)
    for part in ("M", "D", "G", "K", "H"):
        np.testing.assert_allclose(getattr(held, part), getattr(alone, part), atol=1e-13)
    assert held.stability.status == alone.stability.status


@pytest.mark.spread(4)
@pytest.mark.parametrize("seed", range(16))
def test_driven_wires_rest_where_the_reduced_system_does(seed):
    """V - ½ m Ω² x² in one coordinate: all positions, stiffnesses and verdicts.

    Positions are found to 1e-9 or so, and stiffnesses change along with them.
    """
    rng = np.random.default_rng([29, seed])
    height = [*SLOPES][seed % len(SLOPES)]
    m, g, k, a, turn = rng.uniform([0.5, 1, 0.5, -0.5, 0.5], [2, 9, 4, 0.5, 3]).tolist()
    potential = f"{m * g}*z + {k}/2*(x - {a})^2"
    inertia = f"{m}/2*(x'^2 + z'^2 + x^2*theta'^2)"
    held = vv.Lagrangian(
        "x z theta", inertia, potential, constraints=[f"z - ({height})", f"theta' - {turn}"]
    )
    reduced = vv.Lagrangian(
        "x",
        f"{m}/2*x'^2",
        f"{m * g}*({height}) + {k}/2*(x - {a})^2 - {m * turn**2}/2*x^2",
    )
    within = {"x": (-2.0, 2.0)}
    found, known = held.equilibria(within=within, starts=40), reduced.equilibria(within=within)
    np.testing.assert_allclose(found.q[:, 0], known.q[:, 0], atol=1e-8)
    assert found.stability == known.stability
    for k, q in enumerate(found):
        about, slope = found.linearized(k), SLOPES[height](q[0])
        np.testing.assert_allclose(about.K, known.linearized(k).K, atol=1e-6)
        np.testing.assert_allclose(about.M, [[m * (1 + slope**2)]], rtol=1e-12)
        a = held.forward_dynamics(q, [0, 0, turn], np.zeros(3))
        np.testing.assert_allclose(a, 0.0, atol=1e-8)


def test_a_rate_along_which_forces_change_is_no_rest():
    """A pendulum that is turned at a constant rate passes all positions."""
    turned = vv.Lagrangian("theta", "theta'^2/2", "-9.81*cos(theta)", constraints=["theta' - 2"])
    found = turned.equilibria(starts=3)
    assert not len(found)
    assert not found.proved
    assert "although they prescribe velocities" in found.why


def test_rates_that_depend_on_the_position_are_for_velocities_that_are_stated():
    """x θ' = 1, so that the radius x is where 2 x = 1/x² + x θ'²."""
    s = vv.Lagrangian(
        "x theta", "(x'^2 + x^2*theta'^2)/2", "x^2 + 1/x", constraints=["x*theta' - 1"]
    )
    assert not len(s.equilibria(starts=3))
    found = s.equilibria([0, 1.0], starts=10)
    np.testing.assert_allclose(found.q[:, 0], 1.0, atol=1e-9)


def test_a_position_that_the_time_prescribes_is_the_same_drive():
    rows = ["z - x^2/4", "theta - 2*t"]
    s = vv.Lagrangian(
        "x z theta", "(x'^2+z'^2+x^2*theta'^2+theta'^2)/2", "9.81*z", constraints=rows
    )
    for t in (0.0, 0.7):
        found = s.equilibria(t=t, starts=5)
        np.testing.assert_allclose(found.q, [[0, 0, 2 * t]], atol=1e-9)
        np.testing.assert_array_equal(found.v, [0, 0, 2])


@pytest.mark.parametrize(
    ("potential", "rows"),
    [
        ("9.81*y", ["x*sin(3*t) - y*cos(3*t)"]),  # a line that turns
        ("x*sin(t)", ["y - x^2"]),  # no force at t = 0
        ("x^2/2", ["y - sin(t)"]),
        ("x^2/2 + 9.81*y", ["y - t^2"]),
    ],
)
def test_what_time_moves_does_not_rest(potential, rows):
    s = vv.Lagrangian("x y", "(x'^2 + y'^2)/2", potential, constraints=rows)
    found = s.equilibria(starts=5)
    assert not len(found)
    assert not any("any value" in x for x in found.notes)


def test_rolling_leaves_a_family_of_positions():
    """Forces across a blade are carried: one unknown more than equations."""
    s = vv.Lagrangian(
        "x y theta",
        "(x'^2 + y'^2 + theta'^2)/2",
        "(x - 1)^2/2 + (y - x)^2",
        constraints=["x'*sin(theta) - y'*cos(theta)"],
    )
    found = s.equilibria(starts=5)
    assert len(found) == 5
    assert "there are more unknowns than equations" in found.notes[0]
    for q in found:
        np.testing.assert_allclose(s.forward_dynamics(q, np.zeros(3), np.zeros(3)), 0, atol=1e-9)
