"""Newton's method says how its steps ended, each start by itself."""

import numpy as np

from visviva.numerics.newton import Ending, NewtonOptions, newton


def square(x):
    return x**2 - 2


def slope(x):
    return 2 * x[..., None]


def test_a_zero_is_reached_to_rounding_by_fewer_steps_than_digits():
    report = newton(square, slope, [[3.0], [-1.0]])
    assert report.converged.all()
    assert (report.steps <= 12).all()
    np.testing.assert_allclose(report.x[:, 0], [np.sqrt(2), -np.sqrt(2)], rtol=1e-15)


def test_a_residual_that_is_enough_ends_it():
    report = newton(square, slope, [[1.5]], options=NewtonOptions(residual_tolerance=0.1))
    assert report.ending[0] == Ending.CONVERGED
    assert 1e-4 < report.residual[0] <= 0.1
    at_once = newton(
        square, slope, [[np.sqrt(2.0)]], options=NewtonOptions(residual_tolerance=1e-12)
    )
    assert at_once.converged[0]
    assert at_once.steps[0] == 0


def test_where_no_step_makes_it_better_it_has_stalled():
    """|x| + 1 with the slope of its other side: every step leads away."""
    report = newton(
        lambda x: np.abs(x) + 1.0,
        lambda x: -np.sign(x)[..., None],
        [[3.0]],
        options=NewtonOptions(max_steps=500),
    )
    assert report.ending[0] == Ending.STALLED
    assert report.x[0, 0] == 3.0


def test_too_few_steps_are_told():
    report = newton(square, slope, [[1e6]], options=NewtonOptions(max_steps=3))
    assert report.ending[0] == Ending.TOO_MANY
    assert report.steps[0] == 3
    assert not report.converged[0]


def test_values_and_slopes_that_are_not_finite_end_it():
    def logarithm(x):
        return np.log(np.where(x > 0, x, np.nan))

    report = newton(logarithm, lambda x: 1 / x[..., None], [[-1.0], [2.0]])
    assert report.ending.tolist() == [Ending.NOT_FINITE, Ending.CONVERGED]
    report = newton(square, lambda x: np.full((len(x), 1, 1), np.nan), [[1.0]])
    assert report.ending[0] == Ending.NOT_FINITE
    assert report.x[0, 0] == 1.0


def test_a_minimum_above_zero_is_no_zero_and_the_residual_says_so():
    report = newton(lambda x: x**2 + 1, slope, [[3.0]])
    assert report.residual[0] >= 1.0


def test_no_step_is_longer_than_is_allowed():
    places = []

    def seen(x):
        places.append(float(x[0, 0]))
        return x - 10.0

    newton(seen, lambda x: np.ones((1, 1, 1)), [[0.0]], options=NewtonOptions(max_step=0.5))
    assert max(np.abs(np.diff(places))) <= 0.5 + 1e-12
    assert abs(places[-1] - 10.0) < 1e-12


def test_fewer_equations_than_unknowns_take_the_shortest_way():
    report = newton(
        lambda x: (x**2).sum(axis=1, keepdims=True) - 1.0,
        lambda x: 2 * x[:, None, :],
        [[3.0, 4.0]],
        options=NewtonOptions(damping=0.0),
    )
    np.testing.assert_allclose(report.x[0], [0.6, 0.8], rtol=1e-14)


def test_a_step_moves_as_the_caller_says():
    """On a circle: the sine of an angle, kept within a turn."""
    report = newton(
        np.sin,
        lambda x: np.cos(x)[..., None],
        [[6.0]],
        move=lambda x, step: (x + step + np.pi) % (2 * np.pi) - np.pi,
    )
    assert report.converged[0]
    assert abs(report.x[0, 0]) < 1e-12


def test_rows_and_columns_scale_equations_and_unknowns():
    report = newton(square, slope, [[3.0]], rows=1e6, columns=1e-3)
    assert report.converged[0]
    np.testing.assert_allclose(report.x[0, 0], np.sqrt(2), rtol=1e-14)
