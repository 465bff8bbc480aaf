"""Least action: S44, C26, and the true path by another road than the equations of motion."""

import numpy as np
import pytest
import scipy.integrate

import visviva as vv
from visviva.errors import ArgumentError, ConstrainedError, MotionError, ShapeError

g = vv.generic
M, KAPPA = 2.0, 3.0
W = np.sqrt(KAPPA / M)


def oscillator():
    return vv.Lagrangian(
        "x", "m*x'^2/2", "kappa*x^2/2", parameters={"m": M, "kappa": KAPPA}, name="oscillator"
    )


@pytest.mark.parametrize("T", [1.0, 3.0])
def test_S44_action_of_a_true_and_of_a_disturbed_path(T):
    """δS = 0; the second variation along sin(πt/T) is (π² m - κ T²) / (2 T)."""

    def true(t):
        return [g.sin(W * t) / np.sin(W * T)]

    S = oscillator().action(true, T, along=lambda t: [g.sin(np.pi / T * t)])
    assert S.value == pytest.approx(M * W / (2 * np.tan(W * T)), rel=1e-13)
    assert abs(S.first) < 1e-13
    assert S.second == pytest.approx((np.pi**2 * M - KAPPA * T**2) / (2 * T), abs=1e-12)
    # a path that is not true: the first variation is the residual of the equation of motion
    wrong = oscillator().action(lambda t: [t / T], T, along=lambda t: [g.sin(np.pi / T * t)])
    assert wrong.first == pytest.approx(-KAPPA * T / np.pi, rel=1e-12)


def test_S44_a_minimum_only_before_the_conjugate_time():
    """The discrete action's index changes at T = π √(m/κ), at second order in the step."""
    T = np.pi / W
    s = oscillator()
    assert s.least_action([0.0], [1.0], 0.99 * T).is_minimum
    assert s.least_action([0.0], [1.0], 1.01 * T).index == 1
    assert s.least_action([0.0], [1.0], 2.01 * T).index == 2


def test_S44_conjugate_times_of_the_oscillator():
    """T = π √(m/κ) and its multiples, to 1e-6; of a plane isotropic one, two at each."""
    T = np.pi / W
    found = oscillator().conjugate_times([0.0], [1.0], 2.5 * T)
    assert np.abs(found - T * np.array([1, 2])).max() < 1e-6
    plane = vv.Lagrangian("x y", "(x'^2 + y'^2)/2", "(x^2 + y^2)/2")
    twice = plane.conjugate_times([0.0, 0.0], [1.0, 0.5], 4.0)
    assert np.abs(twice - np.pi).max() < 1e-6
    assert len(twice) == 2


def test_S44_between_conjugate_points_there_is_no_path():
    with pytest.raises(MotionError, match="conjugate"):
        oscillator().least_action([0.0], [1.0], np.pi / W)


def order(errors):
    return np.log2(errors[0] / errors[1])


def runs():
    arm, kepler = vv.catalog.two_link(), vv.Lagrangian("x y", "(x'^2+y'^2)/2", "-1/sqrt(x^2+y^2)")
    return {
        "pendulum": (vv.catalog.pendulum(n=1), [0.4], [1.0], 1.0, None),
        "arm": (arm, [0.3, 0.2], [1.0, -2.0], 0.5, None),
        "kepler": (kepler, [1.0, 0.0], [0.0, 1.2], 3.0,
                   lambda s: [np.cos(2 * s) * (1 + 0.3 * s), np.sin(2 * s) * (1 + 0.3 * s)]),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["pendulum", "arm", "kepler"])
def test_C26_the_true_path_between_two_positions_is_the_simulated_one(name):
    s, q0, v0, T, guess = runs()[name]
    run = s.simulate(q0, v0, T, rtol=1e-12, atol=1e-13)
    errors, actions = [], []
    for steps in (100, 200):
        path = s.least_action(run.q[0], run.q[-1], T, steps=steps, guess=guess)
        errors.append(np.abs(run.at(path.t)[0] - path.q).max())
        actions.append(path.action)
    assert order(errors) == pytest.approx(2.0, abs=0.1)
    exact = s.action(run).value
    assert actions[1] + (actions[1] - actions[0]) / 3 == pytest.approx(exact, abs=1e-7)
    for wave in (1, 2):
        _, beside = path.beside(0.01, wave)
        assert beside > path.action


def test_C26_maupertuis_at_constant_energy():
    """The ellipse of Kepler from its energy alone: ∫ p · dq = ∫ 2 T dt, and the time it takes."""
    s, q0, v0, T, guess = runs()["kepler"]
    run = s.simulate(q0, v0, T, rtol=1e-12, atol=1e-13)
    E = run.energy[0]
    found = [s.maupertuis(run.q[0], run.q[-1], E, steps=n, guess=guess) for n in (100, 200, 400)]
    exact, _ = scipy.integrate.quad(lambda t: 2 * s.kinetic_energy(*run.at(t)), 0, T, epsabs=1e-12)
    assert order([abs(p.action - exact) for p in found[:2]]) == pytest.approx(2.0, abs=0.1)
    assert order([abs(p.t[-1] - T) for p in found[1:]]) == pytest.approx(2.0, abs=0.1)
    away = [np.abs(run.at(np.minimum(p.t, T))[0] - p.q).max() for p in found]
    assert order(away[:2]) == pytest.approx(2.0, abs=0.2)
    assert found[-1].trajectory.energy[1:-1] == pytest.approx(E, abs=2e-3)


def test_the_picture_has_all_paths():
    path = oscillator().least_action([0.0], [1.0], 1.0, steps=20)
    figure = path.plot()
    assert len(figure.data) == 7 + 1 + 2
    assert "a minimum" in repr(path)


def test_what_has_no_action_is_refused():
    s = oscillator()
    damped = vv.Lagrangian("x", "x'^2/2", "x^2", dissipation="x'^2/2")
    with pytest.raises(ArgumentError, match="without_dissipation"):
        damped.least_action([0.0], [1.0], 1.0)
    pushed = vv.Lagrangian("x", "x'^2/2", "x^2", forces=["-x'"])
    with pytest.raises(ArgumentError, match="applied forces"):
        pushed.action(lambda t: [t], 1.0)
    with pytest.raises(ConstrainedError):
        vv.catalog.four_bar().least_action(np.zeros(3), np.zeros(3), 1.0)
    body = vv.catalog.tumbling_body()
    with pytest.raises(ArgumentError, match="quaternions"):
        body.least_action(body.neutral(), body.neutral(), 1.0)
    with pytest.raises(ArgumentError, match="Maupertuis"):
        vv.catalog.bead_on_rotating_wire().maupertuis([0.1], [0.2], 3.0)
    for bad in (-1.0, [1.0, 0.0], np.nan, None):
        with pytest.raises((ArgumentError, ShapeError)):
            s.least_action([0.0], [1.0], bad)
    for bad in (-1.0, [0.0, 1.0], np.nan):
        with pytest.raises((ArgumentError, ShapeError), match="conjugate_times: t"):
            s.conjugate_times([0.0], [1.0], bad)
    with pytest.raises(ArgumentError, match="steps"):
        s.least_action([0.0], [1.0], 1.0, steps=1)
    with pytest.raises(ShapeError):
        s.action(lambda t: [t, t], 1.0)
    with pytest.raises(MotionError, match="above E"):
        s.maupertuis([0.0], [1.0], 0.1)
