"""In how many ways mechanisms move: proved, followed, or stuck at an order."""

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.linkages import (
    bennett,
    bricard,
    circles,
    door,
    energies_of_four_bar,
    peaucellier,
    planar,
    ring,
    slider_crank,
)
from visviva.errors import AssemblyError
from visviva.space.rotations import about_axis


def told(m):
    return m.counted, m.true, m.verdict


def test_a_four_bar_by_bodies_and_by_energies():
    m = planar([0.4, 0.9, 0.8], 1.0).mobility()
    assert told(m) == (1, 1, "proved mobile")
    assert (m.where, m.formula) == ("in the plane", "3(4 - 1 - 4) + 4")
    assert "implicit function theorem" in m.why
    # tilting out of the plane and leaving it cannot happen anyway
    assert m.redundant == ("row 1 of 'pin'", "row 2 of 'pin'", "row 5 of 'pin'")
    s = energies_of_four_bar(1.0, 0.4, 0.9, 0.8)
    other = s.mobility([0.3, *circles(1.0, 0.4, 0.9, 0.8, 0.3)[0]])
    assert told(other) == (1, 1, "proved mobile")
    assert other.formula == "3 coordinates - 2 constraints"
    assert told(slider_crank().mobility()) == (1, 1, "proved mobile")


def test_a_door_with_two_hinges_moves_although_it_is_counted_stuck():
    m = door().mobility()
    assert told(m) == (-4, 1, "proved mobile")
    assert m.redundant == ("high",)
    assert "Grübler counts -4 in space: 6(2 - 1 - 2) + 2; it moves more" in repr(m)
    bent, tilt = vv.Builder("bent"), about_axis([1.0, 0.0, 0.0], 0.1)
    bent.body("leaf", joint="revolute", axis="z", mass=1, com=[0.4, 0, 1])
    bent.frame("top", body="leaf", at=[0, 0, 2.0], rotation=tilt)
    bent.frame("frame", body="world", at=[0, 0, 2.0], rotation=tilt)
    stuck = bent.build().with_loop("frame", "top").mobility()
    assert told(stuck) == (-4, 0, "proved rigid")


@pytest.mark.parametrize(
    ("model", "guess", "count", "rows"),
    [(bennett(), {"j1": 1.0}, -2, 3), (bricard(), {"j1": 0.5, "j2": -1, "j3": 0.5}, 0, 1)],
    ids=["bennett", "bricard"],
)
def test_rings_that_move_are_followed_all_the_way_round(model, guess, count, rows):
    m = model.mobility(model.assembled(model.q(guess)))
    assert told(m) == (count, 1, "moved")
    assert "through a full cycle" in m.why
    assert len(m.redundant) == rows
    assert "it moves more, because rows that it counts say nothing new" in repr(m)


def test_a_ring_that_is_not_bennetts_is_rigid():
    """Lengths not as the sines of twists: what closes does so at single positions."""
    links = [(1.0, np.pi / 3), (0.9, np.pi / 4)] * 2
    flat = ring("ring", links)
    m = flat.mobility(flat.assembled(flat.q(j1=np.pi, j3=-np.pi)))
    assert m.true == 0
    assert m.verdict.startswith(("proved rigid", "rigid to order"))


def test_stretched_links_are_free_to_first_order_and_no_further():
    m = planar([0.2, 0.5, 0.3], 1.0).mobility([0.0, 0.0, 0.0])
    assert told(m) == (1, 0, "rigid to order 2")
    assert m.instantaneous == 2
    assert "it moves less" in repr(m)


def test_a_flat_four_bar_is_singular_there_and_moves_all_the_same():
    m = planar([0.5, 1.0, 0.5], 1.0).mobility([0.0, 0.0, np.pi])
    assert told(m) == (1, 1, "proved mobile")  # as a parallelogram, one of its two ways
    assert "j1 = s, j2 = -s, j3 = π + s: put into the rows" in m.why
    assert m.instantaneous == 2
    assert "At q itself 2 motions are free to first order: the position is singular" in repr(m)


@pytest.mark.spread(2)
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_the_order_at_which_a_motion_ends_is_that_of_the_curves(order):
    """A line and a curve that touch it: x moves until its power is felt."""
    s = vv.Lagrangian("x y", "x'^2 + y'^2", constraints=["y", f"y - x^{order} - x^7"])
    m = s.mobility([0.0, 0.0])
    assert told(m) == (0, 0, f"rigid to order {order}")
    assert m.instantaneous == 1


def test_orders_are_taken_along_the_motion_of_the_orders_before():
    """Two curves that bend alike: y = x², and one that leaves it with the fifth power."""
    held = ["y - x^2", "y - x^2 + x*y - x^3 + x^5"]
    m = vv.Lagrangian("x y", "x'^2 + y'^2", constraints=held).mobility([0.0, 0.0])
    assert told(m) == (0, 0, "rigid to order 5")


def test_the_same_row_twice_is_told_and_changes_nothing():
    held = ["x^2 + y^2 + z^2 - 1", "2*x^2 + 2*y^2 + 2*z^2 - 2"]
    s = vv.Lagrangian("x y z", "x'^2 + y'^2 + z'^2", constraints=held)
    m = s.mobility([0.6, 0.0, 0.8])
    assert told(m) == (1, 2, "moved")
    assert len(m.redundant) == 1
    assert m.redundant[0].startswith("2*x**2")


def test_rolling_takes_freedoms_of_velocity_and_none_of_mobility():
    sleigh = vv.Lagrangian(
        "x y a", "x'^2 + y'^2 + a'^2", constraints="sin(a)*x' - cos(a)*y'", name="sleigh"
    )
    m = sleigh.mobility()
    assert told(m) == (3, 3, "proved mobile")
    assert (m.instantaneous, m.freedoms) == (3, 2)
    assert "Velocities have 2 freedoms" in repr(m)
    wire = vv.Lagrangian(
        "x y a", "x'^2 + y'^2 + a'^2", constraints=["y - x^2", "x' - 0.1*a'"], name="wire"
    )
    m = wire.mobility()
    assert told(m) == (2, 2, "proved mobile")
    assert m.freedoms == 1


def test_a_system_that_nothing_holds():
    m = planar([0.4, 0.9], 1.0).without_constraints().mobility()
    assert told(m) == (2, 2, "proved mobile")
    assert m.freedoms == 2


def test_mobility_is_asked_on_the_constraints():
    model = planar([0.4, 0.9, 0.8], 1.0)
    with pytest.raises(AssemblyError, match=r"assembled\(q\) is the nearest one"):
        model.mobility([0.0, 0.5, 0.0])


def test_a_rod_between_balls_spins_about_itself():
    """RSSR: of two freedoms one moves nothing else."""
    b = vv.Builder("rssr")
    b.body("crank", joint="revolute", axis="z", joint_name="turn", mass=1, com=[0.2, 0, 0])
    b.body("rod", joint="spherical", joint_name="ball", parent="crank", at=[0.3, 0, 0],
           inertia=vv.Inertia.sphere(1.0, radius=0.1))  # fmt: skip
    b.body("rocker", joint="revolute", axis="x", joint_name="swing", at=[1.0, 0, 0.2], mass=1,
           com=[0, 0.3, 0])  # fmt: skip
    b.frame("end", body="rod", at=[0.9, 0, 0]).frame("pin", body="rocker", at=[0, 0.6, 0])
    model = b.build().with_loop("pin", "end", joint="spherical", name="far")
    m = model.mobility()
    assert told(m) == (2, 2, "proved mobile")
    assert m.idle == ("ball",)
    spin = m.motions["ball"]
    for turn in (0.5, 2.0, -3.0):
        q = model.integrate(m.q, turn * spin)
        assert np.abs(model.constraint_error(q)).max() < 1e-12
        np.testing.assert_array_equal(q[[0, -1]], m.q[[0, -1]])


def test_a_line_that_is_straight_only_nearly_is_not_called_proved():
    """The last crank is longer by what nobody sees: the rows are not zero, and not independent."""
    m = planar([0.5, 1.0, 0.5 + 1e-11], 1.0).mobility([0.0, 0.0, np.pi])
    assert m.verdict != "proved mobile"
    assert "put into the rows" not in m.why


def test_every_motion_that_is_counted_was_followed():
    """x³ = 0 leaves x free to any order but three: y alone moves."""
    s = vv.Lagrangian("x y", "x'^2 + y'^2", constraints="x^3 = 0")
    found = s.mobility([0.0, 0.0])
    assert (found.instantaneous, found.true) == (2, 1)


def test_a_constraint_that_is_stated_twice_is_redundant():
    s = vv.Lagrangian("x y", "x'^2 + y'^2", constraints=["x = y", "x = y"])
    found = s.mobility([1.0, 1.0])
    assert (found.true, found.redundant) == (1, ("x - y = 0 (2)",))
    with pytest.raises(vv.errors.AssemblyError, match=r"'x - y = 0 \(2\)' by -1"):
        s.check_state([1.0, 2.0])


def test_another_assembly_with_another_mobility_is_named():
    """With C on D a Peaucellier cell has a freedom more; drawn from q = 0 it may be either."""
    cell = peaucellier()
    found = cell.mobility()
    assert {found.true, *found.others} == {1, 2}
    assert f"mobility {found.true} (" in repr(found)
    assert "at q = [" in repr(found)
    ((count, there),) = found.others.items()
    assert "Elsewhere it differs: " in repr(found)
    assert np.abs(cell.constraint_error(there)).max() < 1e-11
    assert cell.nv - np.linalg.matrix_rank(cell.constraint_matrix(there), tol=1e-7) == count
    other = cell.mobility(there)
    assert (other.true, [*other.others]) == (count, [found.true])


@pytest.mark.parametrize(
    "make",
    [vv.catalog.four_bar, vv.catalog.delta, vv.catalog.parallel_cranks, door],
    ids=lambda make: make.__name__,
)
def test_where_all_assemblies_move_alike_no_other_is_named(make):
    found = make().mobility()
    assert not found.others
    assert "Elsewhere" not in repr(found)


def test_what_is_undecided_is_no_number():
    """y = 0 and y = x⁷ touch to an order that is not looked at."""
    s = vv.Lagrangian("x y", "x'^2 + y'^2", constraints=["y", "y - x^7"])
    found = s.mobility([0.0, 0.0])
    assert (found.true, found.verdict) == (None, "undecided")
    assert "mobility undecided" in repr(found)
    with pytest.raises(vv.errors.ArgumentError, match="is undecided at this position"):
        s.check("DOF = 1")
