"""Actions and limits along paths: what is stated is not ignored, what is not looked at is said."""

import numpy as np
import pytest

import visviva as vv

ArgumentError = vv.errors.ArgumentError
FREE = vv.Lagrangian("x", "x'^2/2", "0")


def test_forces_that_vanish_somewhere_are_no_part_of_an_action():
    pushed = vv.Lagrangian("x", "x'^2/2", "x^2/2", forces=["sin(t - 0.3)"])
    with pytest.raises(ArgumentError, match="applied forces"):
        pushed.least_action([0], [1], 1.0)
    slowly = vv.Lagrangian("x y", "(x'^2 + y'^2)/2", "(1 + t)*x")
    with pytest.raises(ArgumentError, match="depend on time"):
        slowly.maupertuis([0, 0], [1, 1], energy=5.0)


def test_the_action_of_a_motion_is_that_of_its_parameters():
    spring = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters={"m": 1.0, "k": 1.0})
    run = spring.simulate([1.0], [0.0], 1.0, parameters={"k": 9.0})
    assert spring.action(run).value == pytest.approx(-0.75 * np.sin(6.0), abs=1e-8)


@pytest.mark.parametrize("steps", [2.5, 1, True])
def test_steps_and_guesses_are_looked_at(steps):
    with pytest.raises(ArgumentError, match="whole number"):
        FREE.maupertuis([0], [1], 5.0, steps=steps)
    for guess in ([[1], [2, 3]], "abc"):
        with pytest.raises(ArgumentError, match="guess"):
            FREE.least_action([0], [1], 1.0, guess=guess)


def test_a_trajectory_that_is_too_quick_to_be_looked_at_is_not_called_feasible():
    w = 2 * np.pi * 4e5
    with pytest.raises(ArgumentError, match="shorter time"):
        FREE.feasibility(lambda t: [1e-3 * vv.generic.sin(w * t)], 1.0, velocity=1e5)
    slower = FREE.feasibility(lambda t: [vv.generic.sin(6e3 * np.pi * t)], 1.0, velocity=1.8e4)
    assert not slower  # looked at more closely: its speed is 18850 at every third of 4000 looks


def test_a_path_of_a_closed_loop_is_not_held_against_forces_that_do_not_act():
    four_bar = vv.catalog.four_bar()
    q = four_bar.assembled()
    with pytest.raises(ArgumentError, match="constraints"):
        four_bar.feasibility(lambda t: list(q + 0.1 * t), 1.0)


def test_arguments_of_equilibria_are_looked_at():
    for wrong in ({"starts": 0}, {"starts": 1.5}, {"t": np.nan}, {"within": [(-1, 1)]}):
        with pytest.raises(ArgumentError):
            FREE.equilibria(**wrong)


def test_what_no_actuator_holds_is_said():
    cart = vv.catalog.cart_pole()
    assert "no actuator" in cart.linearize([0, 0.5], tau="hold").notes[0]
    assert not cart.linearize([0, 0.0], tau="hold").notes
