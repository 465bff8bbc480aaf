"""f.plot(): the values are the function's own, and what cannot be drawn is refused in words."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, UnknownNameError

wave = vv.function(lambda x, k: vv.generic.sin(k * x), {"x": (), "k": ()}, name="wave")
both = vv.function(lambda x: {"a": x, "b": x * x}, {"x": 2}, name="both")
ARM = vv.catalog.two_link()


def test_a_line_has_the_values_of_the_function():
    fig = wave.plot(x=(0, 6), k=2.0)
    (line,) = fig.data
    assert np.array_equal(line.y, wave(line.x, 2.0))
    assert (line.x[0], line.x[-1]) == (0, 6)
    assert fig.layout.title.text == "wave; k = 2"
    assert fig.layout.xaxis.title.text == "x"


def test_a_map_and_a_surface_have_them_too():
    for surface in (False, True):
        (shown,) = wave.plot(x=(0, 1), k=(2, 5), surface=surface).data
        x, k = np.meshgrid(shown.x, shown.y)
        assert np.array_equal(shown.z, wave(x, k))
    assert wave.plot().data[0].type == "heatmap"  # both numbers, over the usual range
    (shown,) = ARM.mass_matrix.plot(q1=(0, 1), q2=(0, 3), output=("M", 0, 1)).data
    at = np.stack(np.meshgrid(shown.x, shown.y), axis=-1)
    assert np.array_equal(shown.z, ARM.mass_matrix(at)[..., 0, 1])


def test_several_results_are_several_lines():
    names = [t.name for t in both.plot(x1=(0, 1)).data]
    assert names == ["a₁", "a₂", "b₁", "b₂"]
    assert [t.name for t in both.plot(x1=(0, 1), output="b").data] == ["b₁", "b₂"]
    lines = vv.catalog.cart_pole().mass_matrix.plot(theta=(-3, 3))
    assert [t.name for t in lines.data] == ["M₁₁", "M₁₂", "M₂₁", "M₂₂"]
    assert lines.layout.xaxis.title.text == "theta [rad]"
    assert lines.layout.title.text == "mass_matrix; x = 0"


def test_the_others_are_held_where_they_are_said_to_be():
    f = ARM.inverse_dynamics
    fig = f.plot(q=[0.3, 0.4], q2=(0, 1), qd1=2.0)
    x = fig.data[0].x
    q = np.stack([np.full_like(x, 0.3), x], axis=1)
    v = np.tile([2.0, 0.0], (len(x), 1))
    wanted = f(q, v, np.zeros_like(q))
    assert np.array_equal(np.stack([t.y for t in fig.data], axis=1), wanted)
    assert fig.layout.title.text == "inverse_dynamics; qd1 = 2; qd2, a1, a2 = 0"
    jacobian = ARM.gravity_forces.jacobian("q").plot(q1=(0, 1))
    assert jacobian.layout.xaxis.title.text == "q1 [rad]"


def test_names_that_mean_something_else_may_be_given_in_a_mapping():
    odd = vv.function(lambda output: output + 1, {"output": ()}, name="odd")
    (line,) = odd.plot({"output": (0, 1)}).data
    assert np.array_equal(line.y, line.x + 1)


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({}, ArgumentError, r"depends on 6 numbers, q1, q2, qd1.*q1=\(-3, 3\)"),
        ({"q1": (0, 1), "q2": (0, 1), "a1": (0, 1)}, ArgumentError, "over one or two numbers"),
        ({"q9": (0, 1)}, UnknownNameError, "unknown number of inverse_dynamics.* 'q9'"),
        ({"q1": (1, 0)}, ArgumentError, r"range of q1 .* is \(low, high\), got \(1, 0\)"),
        ({"q1": (0, np.inf)}, ArgumentError, "range of q1"),
        ({"q1": "x", "q2": (0, 1)}, ArgumentError, "q1 .* is a number, or a range"),
        ({"q": [1, 2, 3], "q1": (0, 1)}, ArgumentError, "q .* has 2 finite numbers"),
        ({"qd1": 1.0, "v1": 2.0, "q1": (0, 1)}, ArgumentError, "qd1 and v1 are one number"),
        ({"q1": (0, 1), "q2": (0, 1)}, ArgumentError, "one result is drawn.*tau₁, tau₂"),
        ({"q1": (0, 1), "output": "M"}, UnknownNameError, "unknown output of .* 'M'"),
        ({"q1": (0, 1), "output": ("tau", 7)}, ArgumentError, r"shape \(2,\), and no \(7,\)"),
    ],
)
def test_what_cannot_be_drawn_is_refused(given, error, said):
    with pytest.raises(error, match=said):
        ARM.inverse_dynamics.plot(**given)


def test_too_much_and_nothing():
    many = vv.function(lambda x: [x] * 40, {"x": ()}, name="many")
    with pytest.raises(ArgumentError, match="has 40 numbers as results, 24 at most"):
        many.plot(x=(0, 1))
    none = vv.function(lambda: [1.0], {}, name="none")
    with pytest.raises(ArgumentError, match="no numbers to draw it over"):
        none.plot()
    ball = vv.catalog.tumbling_body()
    name = ball.coordinate_names[0]
    with pytest.raises(ArgumentError, match="part of a quaternion"):
        ball.potential_energy.plot(**{name: (0, 1)})
