"""The count of Grübler and what is true, on the linkages that the lectures name."""

import numpy as np
import pytest

from tests.support.generators.linkages import cranks, door, planar, stewart


def told(m):
    return m.counted, m.true, m.verdict


def test_S47_the_count_of_a_four_bar_is_its_mobility():
    m = planar([0.4, 0.9, 0.8], 1.0).mobility()
    assert told(m) == (1, 1, "proved mobile")
    assert m.formula == "3(4 - 1 - 4) + 4"


@pytest.mark.parametrize("crank", [0.0, 1.0, -2.5])
def test_S48_three_equal_cranks_are_counted_rigid_and_move(crank):
    linkage = cranks()
    q = linkage.q(c1=crank, k=-crank, c2=crank, c3=crank)
    m = linkage.mobility(q)
    assert told(m) == (0, 1, "proved mobile")
    assert m.why.startswith("c1 = s, k = -s, c2 = s, c3 = s: put into the rows this leaves exactly")
    assert (m.where, m.formula) == ("in the plane", "3(5 - 1 - 6) + 6")
    assert "through a full cycle" in m.why
    assert len(m.redundant) == 7  # six say that nothing leaves the plane, one is the surprise
    assert m.instantaneous == (2 if crank == 0.0 else 1)


def test_S48_a_third_crank_of_another_length_locks_it():
    linkage = cranks(third=0.7)
    m = linkage.mobility(linkage.assembled(linkage.q(c1=1.0, k=-1.0, c2=1.0, c3=1.0)))
    assert told(m) == (0, 0, "proved rigid")
    assert len(m.redundant) == 6


def test_C86_the_count_is_wrong_where_rows_say_nothing_new_and_it_is_said_why():
    m = door().mobility()
    assert told(m) == (-4, 1, "proved mobile")
    assert "No motion changes any row of its constraints" in m.why
    assert "it moves more, because rows that it counts say nothing new" in repr(m)


def test_S64_a_platform_on_legs_with_universal_joints_has_six_freedoms():
    model, q = stewart("universal")
    m = model.mobility(q)
    assert told(m) == (6, 6, "proved mobile")
    assert m.formula == "6(14 - 1 - 18) + 36"
    assert (m.idle, m.redundant) == ((), ())


def test_S64_with_balls_at_both_ends_six_more_which_are_idle():
    model, q = stewart("spherical")
    m = model.mobility(q)
    assert told(m) == (12, 12, "proved mobile")
    assert m.idle == tuple(f"foot{k}" for k in range(1, 7))
    for motion in m.motions.values():
        there = model.integrate(q, 1.0 * motion)
        np.testing.assert_allclose(model.constraint_error(there), 0, atol=1e-12)
