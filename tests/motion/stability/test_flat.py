"""Where forces are zero to first order along a direction, those of higher order decide."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv

ONE, TWO = {"x": (-1, 1)}, {"x": (-1, 1), "y": (-1, 1)}
T = "(x'^2+y'^2)/2"


def plane(potential, **more):
    return vv.Lagrangian("x y", T, potential, **more)


@pytest.mark.parametrize(
    "potential", ["-x^2/2-cos(x)", "-cos(x)-x^2/2+x^3/6", "-x^4/4", "x^4/4", "x^3/3"]
)
@pytest.mark.parametrize("damping", ["0", "x'^2/2"])
def test_a_flat_potential_is_undecided(potential, damping):
    s = vv.Lagrangian("x", "x'^2/2", potential, dissipation=damping)
    found = s.equilibria(within=ONE)
    assert len(found) == 1
    assert found.stability[0].startswith("undecided")
    assert s.linearize([0.0]).stability.status == "undecided"


@pytest.mark.parametrize("potential", ["x^2/2+y^3/3", "x^2/2-y^4/4", "x^2/2+y^4/4", "x^2/2-y^6"])
@pytest.mark.parametrize("damping", ["0", T])
def test_a_flat_direction_beside_a_stiff_one(potential, damping):
    s = plane(potential, dissipation=damping)
    found = s.equilibria(within=TWO)
    assert len(found) == 1
    assert np.abs(found.q).max() < 1e-9
    assert found.stability[0].startswith("undecided")
    verdict = s.linearize([0.0, 0.0]).stability
    assert verdict.status == "undecided"
    assert "higher order decide" in verdict.argument
    assert "Dirichlet" not in verdict.argument


def test_one_position_where_rounding_hides_it():
    found = plane("x^2/2+(y-0.3)^4", dissipation=T).equilibria(within=TWO)
    assert len(found) == 1
    assert found.q[0] == pytest.approx([0.0, 0.3], abs=1e-4)  # forces are 4e-12 there
    assert found.stability[0].startswith("undecided")


def test_equilibria_that_are_near_each_other_stay_apart():
    found = plane("x^2/2+(y^2-1e-6)^2/4", dissipation=T).equilibria(within=TWO)
    assert found.q[:, 1] == pytest.approx([-1e-3, 0.0, 1e-3])
    decays = "asymptotically stable"
    assert found.stability == (decays, "unstable", decays)


@pytest.mark.parametrize("curve", ["y-x^3", "y+x^3", "y-x^4", "y-(x-0.3)^3"])
def test_a_bead_where_its_wire_is_level(curve):
    found = plane("9.81*y", constraints=curve).equilibria(within=TWO)
    assert len(found) == 1
    assert found.stability[0].startswith("undecided")


@pytest.mark.parametrize("y", [1.3e-3, -1.3e-3])
def test_the_sign_of_k_beside_the_equilibrium_is_no_verdict(y):
    with pytest.raises(vv.errors.EquilibriumError, match="K is zero in a direction to"):
        plane("x^2/2-y^6", dissipation=T).linearize([0.0, y])


@pytest.mark.parametrize(
    ("forces", "status"),
    [("x^3 - x'", "undecided"), ("x'^2", "undecided"), ("x*x'", "undecided"), ("-x'", "stable")],
)
def test_forces_of_one_coordinate(forces, status):
    s = vv.Lagrangian("x", "x'^2/2", "0", forces=[forces])
    assert s.linearize([0.0]).stability.status == status


def test_a_drift_is_free_by_its_energy_or_by_steady_motions():
    assert vv.Lagrangian("x", "x'^2/2", "0").linearize([0.0]).stability.status == "drifts"
    driven = vv.Lagrangian("x y", T, "y^2/2", forces=["0", "y'^3"])
    assert driven.linearize([0.0, 0.0]).stability.status == "drifts"
    pushed = plane("0", forces=["x'^2*y", "0"])
    verdict = pushed.linearize([0.0, 0.0]).stability
    assert verdict.status == "undecided"
    assert "of higher order in the velocities decide" in verdict.argument


def test_what_goes_on_may_move_what_stays():
    """ÿ = -ẏ - x²/2 and x never decays: y leaves, however small x is."""
    s = plane("x^2*(1+y)/2", dissipation="y'^2/2")
    verdict = s.linearize([0.0, 0.0]).stability
    assert not verdict.of_the_mechanism
    assert verdict.of_rest.startswith("undecided: motions that do not decay may move what stays")
    assert "Dirichlet" not in verdict.argument
    run = s.simulate([0.2, 0.0], [0.0, 0.0], 60.0)
    assert run.q[-1, 1] < -0.3


def test_equilibria_that_go_on_are_stable_where_all_else_decays():
    damped = plane("x^2/2", dissipation=T)
    assert damped.equilibria(within=TWO).stability == ("stable",)
    on_a_curve = plane("0", constraints="y-x^2", dissipation="x'^2")
    assert on_a_curve.linearize([0.0, 0.0]).stability.of_rest == "stable"
