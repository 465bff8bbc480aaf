"""What cannot be a constraint is refused in words, and nothing that is stated gets lost."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, VisvivaError

ARM = vv.catalog.two_link()


@pytest.mark.parametrize(
    ("joint", "details", "said"),
    [
        ("distance", {"length": "x"}, "length of 'distance' is a finite number"),
        ("distance", {"length": [1, 2]}, "length of 'distance' is a finite number"),
        ("distance", {"length": None}, "length of 'distance' is a finite number"),
        ("distance", {"length": 1j}, "length of 'distance' is a finite number"),
        ("rolling_ball", {"radius": "r"}, "radius of 'rolling_ball' is a finite number"),
        ("point_on_surface", {"surface": "x", "numbers": {"x": 1.0}}, "x is a coordinate"),
        ("spherical", {"name": 5}, "called by texts, got 5"),
    ],
)
def test_closures_say_what_they_cannot_take(joint, details, said):
    with pytest.raises(ArgumentError, match=said):
        ARM.with_loop("world", ARM.bodies[-1].name, joint, **details)


def test_a_function_that_states_nothing_is_refused():
    with pytest.raises(ArgumentError, match="returned nothing"):
        ARM.with_constraint(lambda q: [])


@pytest.mark.parametrize("offset", [np.nan, np.inf, "a", None])
def test_an_offset_is_a_number(offset):
    with pytest.raises(ArgumentError, match="offset is a finite number"):
        ARM.with_gear("q1", "q2", 2.0, offset=offset)


def test_joints_of_gears_are_called_by_texts():
    with pytest.raises(ArgumentError, match="called by a text, got 1"):
        ARM.with_gear(1, 2, 3.0)


def test_a_loop_with_the_name_of_a_joint_is_not_taken_for_it():
    held = ARM.with_loop("world", ARM.bodies[-1].name, "point_on_plane", axis="x", name="q1")
    with pytest.raises(ArgumentError, match="a joint and a loop of 'two_link' are called 'q1'"):
        held.reaction("q1")


@pytest.mark.parametrize("q", ["a", [np.nan, 0.0], [0.0]])
def test_positions_are_numbers(q):
    held = ARM.with_constraint("q1 = q2")
    for ask in (held.check_state, held.mobility, lambda q: held.tracked(q, "q1", [0.1])):
        with pytest.raises(VisvivaError, match=r"^q of 'two_link'"):
            ask(q)


def test_what_is_held_is_said_by_name():
    held = ARM.with_constraint("q1 = q2")
    with pytest.raises(ArgumentError, match="fixed= maps joints to positions"):
        held.assembled(fixed="q1")
    with pytest.raises(ArgumentError, match="list of finite numbers"):
        held.tracked([0.0, 0.0], "q1", "a")
