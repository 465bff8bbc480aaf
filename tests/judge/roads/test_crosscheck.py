"""Roads to the equations of motion are proved to meet, or meet to the last digits."""

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.bodies import random_tree
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.joints.axis import Prismatic, Revolute
from visviva.errors import ArgumentError
from visviva.judge.roads import roads as crosscheck_roads
from visviva.judge.roads.crosscheck import Crosscheck, crosscheck

SERIAL = (
    "two_link rp_arm pr_arm planar_3r rpr_arm spatial_3r craig_6_5 cartesian cylindrical".split()
)
SERIAL += "spherical scara articulated puma560 stanford human_arm mobile_manipulator".split()


@pytest.mark.spread(7)
@pytest.mark.parametrize("name", SERIAL)
def test_arms_are_proved(name):
    table = crosscheck(getattr(vv.catalog, name)())
    assert table.proved
    assert len(table.rows) == 6
    assert {r.verdict for r in table.rows} == {"identical (proved)"}
    assert {r.difference for r in table.rows} == {0.0}


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", ["two_link", "craig_6_5", "puma560", "tumbling_body"])
def test_numbers_agree(name):
    table = crosscheck(getattr(vv.catalog, name)(), exact=False, points=20)
    assert table.agrees
    assert not table.proved
    assert all(r.difference < 1e-13 for r in table.rows)
    assert all("at 20 points" in r.verdict for r in table.rows)
    roads = {x for r in table.rows for x in (r.first, r.second)}
    assert roads >= {"Newton–Euler", "d'Alembert", "M a + C v + g + b"}
    assert ("Lagrange" in roads) == (name != "tumbling_body")


@pytest.mark.spread(0)
@pytest.mark.parametrize("seed", [0, 1])
def test_trees_with_all_kinds_of_joints(seed):
    table = crosscheck(random_tree(np.random.default_rng(seed), 5), points=4)
    assert table.agrees, table


def test_lagrangians():
    values = {"m": 1, "l": 1, "g": 9.81}
    pendulum = Lagrangian("theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters=values)
    assert crosscheck(pendulum).proved
    assert crosscheck(pendulum, exact=False).agrees
    odd = Lagrangian("x", "x'^2/2", "sqrt(1 + x^2)")
    table = crosscheck(odd)
    assert table.agrees
    assert not table.proved
    with pytest.raises(ArgumentError, match="exact=False compares by numbers"):
        crosscheck(odd, exact=True)


def test_a_wrong_road_is_told(monkeypatch):
    real = crosscheck_roads._principle
    monkeypatch.setattr(
        crosscheck_roads, "_principle", lambda world: [2 * real(world)[0], *real(world)[1:]]
    )
    table = crosscheck(vv.catalog.two_link())
    assert not table
    wrong = [r for r in table.rows if not r.agrees]
    assert len(wrong) == 3
    assert {r.verdict for r in wrong} == {"different (proved) in equation 1"}


class Heavy(Prismatic):
    """Wrong: it says that half of the mass is not felt."""

    def unfelt(self, m, h, S):
        return m / 2, 0.0 * h, S


class Lame(Revolute):
    """Wrong: it says that a centre of mass beside the axis is not felt."""

    def unfelt(self, m, h, S):
        return m, h, 0.0 * S


@pytest.mark.spread(3)
@pytest.mark.parametrize("exact", [None, True, False])
@pytest.mark.parametrize("wrong", [Heavy, Lame])
def test_a_joint_that_feels_wrongly_is_told(wrong, exact):
    """Numbers run on links that are regrouped by it; exact forms run on the bodies as stated."""
    b = vv.Builder("feeling").body("first", joint="revolute", axis="y", mass=1.0, com=[0.3, 0, 0.1])
    solid = vv.Inertia(1.3, [0.1, 0.2, 0.3], np.diag([0.1, 0.2, 0.25]))
    b.body("second", parent="first", joint=wrong([0.0, 0.0, 1.0]), inertia=solid, at=[0.3, 0.1, 0])
    table = crosscheck(b.build(), exact=exact, points=5)
    assert not table, table
    assert any("Newton–Euler" in (r.first, r.second) for r in table.rows if not r.agrees)


def test_axes_of_length_one_but_for_rounding_are_compared_by_numbers():
    b = vv.Builder("tilted").body("slide", joint="prismatic", axis=[1, 2, 0.5], mass=1.0)
    assert crosscheck(b.build()).proved
    b.body("swing", parent="slide", joint="revolute", axis=[1, 1, 0], mass=1.0, com=[0.1, 0.2, 0.3])
    table = crosscheck(b.build(), points=5)
    assert table.agrees
    assert not table.proved
    said = "an axis of joint 'swing_joint' has a length of one but for rounding"
    with pytest.raises(ArgumentError, match=said):
        crosscheck(b.build(), exact=True)


def test_the_table_reads_as_one():
    table = crosscheck(vv.catalog.rp_arm())
    assert isinstance(table, Crosscheck)
    lines = repr(table).splitlines()
    assert len(lines) == 8
    assert "rp_arm" in lines[0]
    assert len({line.index("identical") for line in lines[2:]}) == 1
    assert table._repr_markdown_().count("| identical (proved) |") == 6
    with pytest.raises(ArgumentError, match="takes a Model or a Lagrangian"):
        crosscheck("two_link")
