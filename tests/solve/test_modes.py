"""All ways to put a mechanism together: as many as geometry has, and proved to be all."""

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.linkages import (
    bricard,
    circles,
    cranks,
    energies_of_four_bar,
    planar,
    slider_crank,
)
from visviva.errors import ArgumentError
from visviva.machine.program.interpret import interpret
from visviva.motion.stability.place import enclosures

BAR = (1.0, 0.4, 0.9, 0.8)


def on_circle(x):
    return np.exp(1j * np.asarray(x))


@pytest.mark.parametrize("crank", [0.3, 2.0, -2.9])
def test_a_four_bar_has_two_and_that_is_proved(crank):
    s = energies_of_four_bar(*BAR)
    modes = s.assemblies(fixed={"t1": crank})
    assert (len(modes), modes.proved, modes.starts) == (2, True, 0)
    wanted = sorted(circles(*BAR, crank))
    np.testing.assert_allclose(
        on_circle(sorted(map(tuple, modes.q[:, 1:]))), on_circle(wanted), atol=1e-12
    )
    assert "searched everywhere, by intervals: these are all, proved." in repr(modes)


def test_the_same_by_bodies_and_none_where_there_is_none():
    model = planar([0.4, 0.9, 0.8], 1.0)
    modes = model.assemblies(fixed={"j1": 0.3})
    assert modes.proved
    np.testing.assert_allclose(modes[0][1:], -modes[1][1:] + [-0.978065, 0.0], atol=1e-5)
    none = planar([0.4, 0.2, 0.3], 1.0).assemblies(fixed={"j1": 0.3})
    assert none.proved
    assert none.q.shape == (0, 3)
    assert "there is none, proved" in repr(none)


def test_three_unknown_angles_with_more_rows_than_unknowns():
    modes = cranks().assemblies(fixed={"c1": 1.0})
    assert modes.proved
    np.testing.assert_allclose(modes.q, [[1.0, -1.0, 1.0, 1.0]], atol=1e-12)
    assert len(cranks(third=0.7).assemblies(fixed={"c1": 1.0})) == 0


def test_with_sliders_and_many_unknowns_it_says_that_these_are_those_found():
    modes = slider_crank(0.3, 0.8).assemblies(fixed={"turn": 0.7}, starts=20)
    np.testing.assert_allclose(modes[0], slider_crank(0.3, 0.8).assembled(turn=0.7), atol=1e-12)
    root = np.sqrt(0.64 - 0.09 * np.sin(0.7) ** 2)
    np.testing.assert_allclose(
        sorted(modes.q[:, 2]), 0.3 * np.cos(0.7) + np.array([-root, root]), atol=1e-12
    )
    assert (modes.proved, modes.starts) == (False, 20)
    assert "20 random starts led to; there may be more" in repr(modes)
    ring = bricard().assemblies(fixed={"j1": 0.5}, starts=12)
    assert not ring.proved
    assert all(np.abs(bricard().constraint_error(q)).max() < 1e-12 for q in ring)


def sliders():
    b = vv.Builder("sliders")
    b.body("x", joint="prismatic", axis="x", joint_name="x", mass=1)
    b.body("y", joint="prismatic", axis="y", joint_name="y", parent="x", mass=1)
    return b.build().with_frame("goal", [10.0, 2.0, 0.0], on="world")


@pytest.mark.parametrize(
    ("model", "held", "q"),
    [
        (vv.catalog.two_link().with_gear("q1", "q2", 2.0), {"q1": 20.0}, [20.0, 10.0]),
        (sliders().with_loop("goal", "y", "spherical"), {}, [10.0, 2.0]),
        (vv.Lagrangian("x y", "x'^2 + y'^2", constraints="y + sin(y) - x"), {"x": 10.0}, None),
    ],
    ids=["gear", "sliders", "energies"],
)
def test_what_does_not_come_back_after_a_turn_is_no_angle(model, held, q):
    """Their positions are more than π away: a search all round does not meet them."""
    modes = model.assemblies(fixed=held, starts=5)
    assert not modes.proved
    assert len(modes) == 1
    np.testing.assert_allclose(model.constraint_error(modes[0]), 0, atol=1e-12)
    if q is not None:
        np.testing.assert_allclose(modes[0], q, atol=1e-12)


def limited(low, high):
    b = vv.Builder("limited")
    b.body("x", joint="revolute", axis="z", joint_name="x", mass=1, limits=[low, high])
    return b.build().with_constraint("sin(x) = 0.5")


def test_angles_are_listed_as_often_as_limits_admit_them():
    up, down = np.pi / 6, 5 * np.pi / 6
    for limits, wanted in (
        ((-7.0, 7.0), [up - 2 * np.pi, down - 2 * np.pi, up, down, up + 2 * np.pi]),
        ((6.5, 9.0), [up + 2 * np.pi, down + 2 * np.pi]),
        ((2.0, 5.0), [down]),
        ((3.0, 4.0), []),
    ):
        modes = limited(*limits).assemblies()
        assert modes.proved
        np.testing.assert_allclose(sorted(modes.q[:, 0]), wanted, atol=1e-12)
    assert "2 more are outside of the limits of joints: there is none within" in modes.why
    endless = limited(-np.inf, np.inf).assemblies()
    np.testing.assert_allclose(sorted(endless.q[:, 0]), [up, down], atol=1e-12)
    assert "Up to whole turns of x" in endless.why


def test_a_start_that_is_an_assembly_is_proved_too():
    s = vv.Lagrangian("x y", "x'^2 + y'^2", constraints=["sin(x)", "sin(x + y)"])
    modes = s.assemblies()
    assert (len(modes), modes.proved) == (4, True)


@pytest.mark.parametrize("row", ["q1 = q2", "q1' = 0"])
def test_independent_rows_fewer_than_unknowns_leave_a_motion(row):
    with pytest.raises(ArgumentError, match=r"it still moves in . ways; hold more of q1, q2"):
        vv.catalog.two_link().with_constraint(row).assemblies(starts=2)


def test_what_still_moves_has_no_single_assemblies():
    with pytest.raises(ArgumentError, match=r"it still moves in 1 ways; hold more of j1, j2, j3"):
        planar([0.4, 0.9, 0.8], 1.0).assemblies(starts=3)


def test_a_double_assembly_is_found_but_not_proved():
    """Stretched, two assemblies are one: no box around it is ever small enough."""
    s = energies_of_four_bar(2.0, 0.5, 1.0, 0.5)
    modes = s.assemblies(fixed={"t1": 0.0}, starts=10)
    assert not modes.proved
    np.testing.assert_allclose(on_circle(modes.q), on_circle([[0.0, 0.0, np.pi]]), atol=1e-5)


def test_boxes_enclose_every_value_in_them():
    g = vv.generic

    def f(q, step):
        x, y = step
        return [
            g.sin(x) * g.cos(y) - x / (y * y + 1.0),
            g.atan2(y, x) + g.sqrt(x * x + y * y),
            g.where(g.less(x, y), x * y, g.maximum(x, y)),
            g.absolute(x) - g.minimum(x, 0.3) + 2.0 / (x + 5.0),
            g.exp(x) + g.power(y, 3.0),
        ]

    function = vv.function(f, {"q": 1, "step": 2})
    rng = np.random.default_rng(0)
    lo = rng.uniform(-4, 4, (200, 2))
    hi = lo + 10.0 ** rng.uniform(-6, 0.5, (200, 2))
    low, high, doubt = enclosures(function, np.zeros(1), lo, hi)
    for _ in range(20):
        points = lo + rng.uniform(0, 1, lo.shape) * (hi - lo)
        values = np.array([interpret(function.program, [0.0, *p]) for p in points], dtype=float)
        assert ((low <= values) & (values <= high)).all()
    assert doubt.any()
    assert not doubt.all()


def test_joints_are_held_as_those_of_assembled():
    m = vv.catalog.four_bar()
    wanted = np.array(list(m.assemblies(fixed={"theta1": 0.8})))
    for found in (m.assemblies({"theta1": 0.8}), m.assemblies(theta1=0.8)):
        np.testing.assert_array_equal(np.array(list(found)), wanted)
    with pytest.raises(vv.VisvivaError, match="'theta1' is given twice"):
        m.assemblies({"theta1": 0.8}, theta1=0.8)
    with pytest.raises(vv.VisvivaError, match="unknown joint 'thet'"):
        m.assemblies(thet=0.8)
