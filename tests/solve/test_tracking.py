"""Along an input: against closed forms, through singular positions, to turning points."""

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.linkages import (
    circles,
    energies_of_four_bar,
    planar,
    slider_crank,
    two_watts,
)
from visviva.errors import ArgumentError, AssemblyError, UnknownNameError

BAR = (1.0, 0.4, 0.9, 0.8)


def test_a_slider_crank_follows_its_closed_form_round_and_round():
    model = slider_crank(0.3, 0.8)
    turns = np.linspace(0, 4 * np.pi, 60)
    start = model.assembled(model.q(slide=1.1))
    q = model.tracked(start, "turn", turns)
    slide = 0.3 * np.cos(turns) + np.sqrt(0.64 - 0.09 * np.sin(turns) ** 2)
    np.testing.assert_array_equal(q[:, 0], turns)
    np.testing.assert_allclose(q[:, 2], slide, atol=1e-12)


def test_a_four_bar_stays_on_its_branch():
    s = energies_of_four_bar(*BAR)
    turns = np.linspace(0.3, 0.3 + 2 * np.pi, 20)
    for branch, pair in enumerate(circles(*BAR, 0.3)):
        q = s.tracked([0.3, *pair], "t1", turns)
        for row in q:
            wanted = np.array(circles(*BAR, row[0])[branch])
            np.testing.assert_allclose(np.exp(1j * row[1:]), np.exp(1j * wanted), atol=1e-11)


def test_a_parallelogram_passes_the_flat_positions():
    """At 0 and π its other branch crosses."""
    s = energies_of_four_bar(1.0, 0.5, 1.0, 0.5)
    q0 = s.assembled([0.5, 0.0, 0.5])
    turns = np.linspace(0.5, 0.5 + 2 * np.pi, 9)
    q = s.tracked(q0, "t1", turns)
    np.testing.assert_allclose(q[:, 2], turns, atol=1e-7)  # rounding is squared at the flat
    np.testing.assert_allclose(s.constraint_error(q), 0, atol=1e-12)
    q = planar([0.5, 1.0, 0.5], 1.0)
    flat = q.tracked([0.4, -0.4, 0.4 + np.pi], "j1", [0.2, 0.0, -0.4])
    np.testing.assert_allclose(flat[:, 1], [-0.2, 0.0, 0.4], atol=1e-7)


@pytest.mark.parametrize("count", [4, 9, 40])
def test_a_branch_that_comes_very_near_is_not_taken(count):
    """A coupler too long by 10⁻⁵: after π it is an antiparallelogram, and 2π cannot be reached."""
    lengths = (1.0, 0.5, 1.0 + 1e-5, 0.5)
    s = energies_of_four_bar(*lengths)
    q0 = s.assembled([0.5, 0.0, 0.5])
    turns = np.linspace(0.5, 6.2, count)
    for row in s.tracked(q0, "t1", turns):
        wanted = np.array(circles(*lengths, row[0])[0])
        np.testing.assert_allclose(np.exp(1j * row[1:]), np.exp(1j * wanted), atol=1e-9)
    with pytest.raises(AssemblyError, match=r"turns back at t1 = 6\.27871"):
        s.tracked(q0, "t1", np.linspace(0.5, 0.5 + 2 * np.pi, count))


@pytest.mark.parametrize("count", [4, 9, 40])
def test_positions_that_do_not_close_are_not_jumped_over(count):
    """A coupler too short by 10⁻⁴ does not reach π; beyond it there are positions again."""
    s = energies_of_four_bar(1.0, 0.5, 1.0 - 1e-4, 0.5)
    q0 = s.assembled([0.5, 0.0, 0.5])
    furthest = np.arccos(1.25 - (1.5 - 1e-4) ** 2)
    with pytest.raises(AssemblyError, match="turns back") as told:
        s.tracked(q0, "t1", np.linspace(0.5, 6.0, count))
    np.testing.assert_allclose(told.value.q[0], furthest, rtol=1e-7)


def test_where_the_input_cannot_go_further_it_says_where_it_turns_back():
    s = energies_of_four_bar(1.0, 0.7, 0.4, 0.6)
    q0 = s.assembled(fixed={"t1": 0.5})
    with pytest.raises(AssemblyError, match=r"'t1' to 3 .* turns back at t1 = 1\.2132252") as told:
        s.tracked(q0, "t1", [0.6, 3.0])
    furthest = np.arccos((1.0 + 0.49 - 1.0) / 1.4)  # coupler and rocker in one line
    np.testing.assert_allclose(told.value.q[0], furthest, rtol=1e-7)


def test_what_is_asked_is_checked():
    model = slider_crank()
    q = model.assembled(fixed={"turn": 0.2})
    with pytest.raises(UnknownNameError, match="spin"):
        model.tracked(q, "spin", [0.1])
    with pytest.raises(ArgumentError, match="list of finite numbers"):
        model.tracked(q, "turn", [np.inf])
    with pytest.raises(AssemblyError, match=r"assembled\(q\) is the nearest one"):
        model.tracked(q + 0.1, "turn", [0.1])


def test_a_value_that_whole_steps_nearly_reach_is_reached():
    """Ten steps of 0.1 miss it by rounding; what is left may not be a step of its own."""
    model = vv.catalog.bennett()
    q = np.array(model.keyframes["assembled"])
    there = model.tracked(q, model.joint_names[0], [1.0])
    assert there[0, 0] == 1.0
    np.testing.assert_allclose(model.constraint_error(there[0]), 0, atol=1e-12)


def curve(*rows):
    """Points whose coordinates x, y (and z) are held by rows."""
    names = "x y z" if any("z" in row for row in rows) else "x y"
    kinetic = "+".join(f"{x}'^2/2" for x in names.split())
    return vv.Lagrangian(names, kinetic, constraints=list(rows), name="curve")


def test_two_equal_watts_touch_another_motion_and_are_not_said_to_turn_back():
    """Both do the same, for ever; near zero another motion is nearer than rounding."""
    flat, lifted = two_watts(2.0), two_watts(2.0, 1.0)
    guess = lifted.q(l1=0.3, l2=0.3, c1=-0.3, c2=-0.3, r1=0.3, r2=0.3)
    start = lifted.assembled(guess, fixed={"l1": 0.3})
    values = [0.2, 0.1, -0.1, -0.2]
    same = lifted.tracked(start, "l1", values)
    np.testing.assert_allclose(same[:, :3], same[:, 3:6], atol=1e-12)
    np.testing.assert_allclose(flat.tracked(start, "l1", values[:2]), same[:2], atol=1e-11)
    assert np.abs(flat.constraint_error(same)).max() < 1e-14  # it does go on
    with pytest.raises(AssemblyError, match=r"branches of its motion touch at l1 = 0\.0") as told:
        flat.tracked(start, "l1", values)
    assert not told.value.turns_back
    with pytest.raises(AssemblyError, match="undecided"):
        flat.tracked(flat.neutral(), "l1", [0.2])


@pytest.mark.spread(10)
@pytest.mark.parametrize("seed", range(60))
def test_branches_that_meet_are_followed_where_they_cross_and_refused_where_they_touch(seed):
    """(y - f)(y - g): f - g has a zero of some order at x = c."""
    rng = np.random.default_rng(seed)
    order, c, slope, bend = 1 + seed % 5, rng.uniform(-0.3, 0.3), *rng.uniform(-1, 1, 2)
    size = rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 2.0)
    f = f"({slope:.3f}*x + ({bend:.3f})*x^2)"
    g = f"({f} + ({size:.3f})*(x - ({c:.3f}))^{order})"
    s, x = curve(f"(y - {f})*(y - {g})"), np.array([-1.0, *rng.uniform(0.4, 1.0, 3)])
    own = round(slope, 3) * x + round(bend, 3) * x**2
    other = own + round(size, 3) * (x - round(c, 3)) ** order
    for y in (own, other):
        refused, q = None, None
        try:
            q = s.tracked([x[0], y[0]], "x", x[1:])
        except AssemblyError as error:
            refused = error
        if refused is None:
            np.testing.assert_allclose(q[:, 1], y[1:], atol=1e-9)
            continue
        assert order > 1
        assert not refused.turns_back
        assert abs(refused.q[0] - c) < 0.3


@pytest.mark.parametrize(
    ("row", "says", "back"),
    [
        ("x + y^2", "turns back at x", True),
        ("x + y^4", "turns back at x", True),
        ("x - y^3", "goes on beyond x = 0", False),
        ("y^2 - x^3*(x - 2)", "is undecided", False),  # a cusp
        ("x + y^2 + z^2", "whether it goes on beyond x = 0 is undecided", False),
        ("x + y^2 - z^2", "whether it goes on beyond x = 0 is undecided", False),  # it does
    ],
)
def test_turns_back_is_said_where_the_curve_beyond_comes_back(row, says, back):
    y = {"y^2 - x^3*(x - 2)": 3**0.5, "x - y^3": -1.0}.get(row, 1.0)
    s = curve(row)
    with pytest.raises(AssemblyError, match=says) as told:
        s.tracked([-1.0, y, 0.0][: s.nq], "x", [0.5])
    assert told.value.turns_back is back
    assert abs(told.value.q[0]) < 2e-3


def test_a_branch_that_turns_back_is_not_left_where_another_crosses():
    """A circle, and the line through its ends: it is the line that goes on."""
    s = curve("y*(x^2 + y^2 - 1)")
    with pytest.raises(AssemblyError, match="turns back at x = 1,"):
        s.tracked([0.0, 1.0], "x", [2.0])
    np.testing.assert_allclose(s.tracked([-0.5, 0.0], "x", [2.0]), [[2.0, 0.0]], atol=1e-12)
