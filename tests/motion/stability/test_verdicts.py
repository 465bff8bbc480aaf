"""Verdicts that would be false where scales differ, time acts, or forces are flat."""

from itertools import product

import numpy as np
import pytest
import scipy.linalg
import sympy

import visviva as vv

of = vv.Linearization.of
NONE = np.zeros((2, 2))


def test_what_grows_with_a_power_of_time_is_unstable():
    circulatory = of(np.eye(2), NONE, [[0, 1], [0, 0]])  # z1'' = -z2, z2'' = 0: z1 as t³
    assert circulatory.stability.status == "unstable"
    assert "t^3" in circulatory.stability.argument
    g = 2.0  # z2'' = g c then, where z1' = c - g z2
    assert of(np.eye(2), [[0, g], [-g, 0]], np.diag([0, -g * g])).stability.status == "unstable"
    assert of(np.eye(2), NONE, NONE).stability.status == "drifts"


def test_slow_motions_beside_fast_ones_are_judged_by_their_own_scale():
    assert of([[1]], [[1e7]], [[-1e-3]]).stability.status == "unstable"
    assert of([[1]], [[1e7]], [[1e-3]]).stability.status == "asymptotically stable"
    flutter = of(np.eye(3), np.zeros((3, 3)), [[1e13, 0, 0], [0, 1, 0.5], [0, -0.5, 1]])
    assert flutter.kind == "circulatory"
    assert flutter.stability.status == "unstable"
    pushed = of([[1, 0.5], [0.5, 1]], NONE, np.diag([1e17, -1]))
    assert pushed.second.stiffness_signs == (1, 0, 1)
    assert pushed.stability.status == "unstable"


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_classes_and_signs_are_the_same_in_all_units(scale):
    unit = np.diag([1.0, scale])
    A1, K = (unit @ np.array(x) @ unit for x in ([[2.0, 1], [1, 2]], [[1.0, 1], [1, -3]]))
    linear = of(A1, NONE, K)
    assert (linear.kind, linear.second.stiffness_signs) == ("conservative", (1, 0, 1))
    assert linear.stability.status == "unstable"


def test_what_depends_on_time_is_no_equilibrium():
    swing = vv.Lagrangian("x", "x'^2/2", "(1 + 2*cos(2*t))*x^2/2")  # Mathieu: grows in truth
    pushed = vv.Lagrangian("x", "x'^2/2", "x^2/2 - x*sin(t)")
    for system in (swing, pushed):
        with pytest.raises(vv.errors.EquilibriumError, match="depend on time"):
            system.linearize([0.0])


def test_flat_equilibria_have_no_linear_verdict():
    cubic = vv.Lagrangian("x", "x'^2/2", "(x - 0.3)^3")
    for x in (0.3 + 2e-9, 0.3 - 2e-9):  # where Newton's steps end, on either side
        with pytest.raises(vv.errors.EquilibriumError, match="flat"):
            cubic.linearize([x])
    verdict = cubic.linearize([0.3]).stability
    assert verdict.status == "undecided"  # it runs away to the left
    assert "to first order" in verdict.argument


def test_a_force_that_is_small_in_its_units_is_a_force():
    falling = vv.Lagrangian("x", "m*x'^2/2", "m*g*x", parameters={"m": 1.0, "g": 9.81e-9})
    with pytest.raises(vv.errors.EquilibriumError, match="accelerates"):
        falling.linearize([0.0])


def test_names_and_sizes_of_matrices_are_looked_at():
    with pytest.raises(vv.errors.ShapeError, match="different names"):
        of(np.eye(2), NONE, NONE, names=["a", "a"])
    with pytest.raises(vv.errors.ShapeError, match="one row at least"):
        of(np.zeros((0, 0)), np.zeros((0, 0)), np.zeros((0, 0)))


def test_equilibria_are_all_of_them_and_last():
    pendulum = vv.Lagrangian("x", "x'^2/2", "-9.81*cos(x)")
    moment = pendulum.equilibria(v=[1.0])
    assert len(moment) == 0
    assert "for a moment only" in moment.notes[0]
    forced = vv.Lagrangian("x", "x'^2/2", "x^2/2 - x*sin(t)").equilibria(within={"x": (-1, 1)})
    assert len(forced) == 0
    swing = vv.Lagrangian("x", "x'^2/2", "(1 + 2*cos(2*t))*x^2/2").equilibria(within={"x": (-1, 1)})
    assert len(swing) == 1
    rough = vv.Lagrangian("x", "x'^2/2", "-9.81*cos(x)", dissipation=["0.5*sign(x')"]).equilibria()
    assert len(rough) == 2
    assert not rough.proved
    assert "dry friction" in rough.why


def test_equilibria_that_are_near_each_other_are_told_apart():
    wells = vv.Lagrangian("x", "x'^2/2", "c*(x^2-a^2)^2", parameters={"a": 1e-7, "c": 1e20})
    found = wells.equilibria(within={"x": (-1e-6, 1.2e-6)})
    assert found.proved
    assert np.allclose(found.q[:, 0], [-1e-7, 0, 1e-7], atol=1e-12)


def test_equilibria_within_limits_that_begin_beyond_zero_are_found():
    b = vv.Builder("arm", gravity=(0.0, 0.0, -9.81))
    b.body("link", joint="revolute", axis=(0, 1, 0), limits=(0.5, 7.5), mass=1.0, com=(1, 0, 1))
    arm = b.build()
    found = arm.equilibria()  # at -π/4 + 2π and 3π/4
    assert np.allclose(found.q[:, 0], [0.75 * np.pi, 1.75 * np.pi])
    assert found.proved
    assert np.abs([arm.gravity_forces(q) for q in found]).max() < 1e-12


def test_what_forces_depend_on_elsewhere_is_not_idle():
    x = sympy.Symbol("x")
    law = sympy.Piecewise((10 - x, x > 8), (0, True))
    found = vv.Lagrangian("x", "x'^2/2", forces=[law]).equilibria(within={"x": (0, 20)})
    assert not found.proved
    assert not any("any value" in note for note in found.notes)


@pytest.mark.parametrize("place", [0.0, 0.3])
def test_a_kink_has_no_linear_form(place):
    """x'' = -|x| runs away on one side; the slope zero between both sides is that of neither."""
    with pytest.raises(vv.errors.EquilibriumError, match=r"(have a kink|change their law) at q = "):
        vv.Lagrangian("x", "x'^2/2", forces=[f"-abs(x - {place})"]).linearize([place])


def test_slopes_that_are_smooth_beside_kinks_elsewhere_are_linear():
    quadratic = vv.Lagrangian("x", "x'^2/2", "x^2/2", dissipation=["x'*abs(x')"])
    assert quadratic.linearize([0.0]).stability.status == "stable"


@pytest.mark.filterwarnings("ignore::visviva.errors.NotFiniteWarning")
def test_slopes_without_bounds_are_refused():
    steep = vv.Lagrangian("x", "x'^2/2", "x^2", dissipation=["x'*abs(x)^0.5"])
    with pytest.raises(vv.errors.EquilibriumError, match="slopes of the accelerations"):
        steep.linearize([0.0])


def test_polynomials_are_searched_on_the_whole_line():
    far = vv.Lagrangian("x", "x'^2/2", "(x - 50)^2*(x + 70)^2")
    for within in (None, {"x": (-100, 100)}):
        found = far.equilibria(within=within)
        assert found.proved
        assert np.allclose(found.q[:, 0], [-70, -10, 50])
    with pytest.raises(vv.errors.ArgumentError, match="whole number"):
        far.equilibria(starts=True)


def test_what_drifts_is_what_grows_of_a_disturbance():
    """Of a steadily precessing top both angles of its symmetries, and neither θ nor velocities."""
    top = vv.Lagrangian(
        "phi theta psi",
        "I1 (theta'^2 + phi'^2 sin(theta)^2)/2 + I3 (psi' + phi' cos(theta))^2/2",
        "M g l cos(theta)",
        parameters={"I1": 1.0, "I3": 0.5, "M": 1, "g": 9.81, "l": 0.3},
        passive="phi theta psi",
    )
    slow = min(np.roots([np.cos(0.5), -10, 9.81 * 0.3]), key=abs)
    linear = top.linearize([0, 0.5, 0], [slow, 0, 20 - slow * np.cos(0.5)])
    assert linear.stability.argument.startswith("phi, psi go on at a constant rate once disturbed")
    early, late = (scipy.linalg.expm(linear.A * t) for t in (1e3, 1e5))
    grows = np.abs(late).max(axis=1) > 10 * np.abs(early).max(axis=1)
    assert grows.tolist() == [True, False, True, False, False, False]
    cart = of([[1.0]], [[0.0]], [[0.0]], ["x"])
    assert cart.stability.argument.startswith("x goes on at a constant rate")
    cubed = of(np.eye(2), NONE, [[0, 1], [0, 0]]).stability.argument  # z2 as t alone
    assert cubed.startswith("z1 goes on faster and faster, as t^3")


@pytest.mark.parametrize("g", [0.5, 3.0])
@pytest.mark.parametrize("K", [*product((-1.0, 0.0, 1.0), repeat=2)])
def test_sentences_are_true_where_stiffness_is_zero_or_pushes_away(K, g):
    """No gyroscopic force mends det K < 0; where K is singular one may. A zero is named."""
    linear = of(np.eye(2), [[0, -g], [g, 0]], np.diag(K))
    said = linear.stability.argument
    assert ("no gyroscopic force mends" in said) == (np.prod(K) < 0)
    assert "1 directions" not in said
    if "on the imaginary axis" in said:
        has_zero = np.abs(linear.eigenvalues).min() < 1e-9
        assert ("all eigenvalues but 0 are" in said) == has_zero
        assert np.abs(linear.eigenvalues.real).max() < 1e-9
    status = linear.stability.status
    grows = np.linalg.eigvals(linear.A).real.max() > 1e-6
    assert (status == "unstable") == grows
