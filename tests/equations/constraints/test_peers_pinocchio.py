"""Constrained motion against Pinocchio's: points held together and welds, in trees of both."""

import numpy as np
import pytest

import visviva as vv
from tests.describe.files.urdf.test_loops import FACTS
from tests.support.counts import count
from tests.support.generators.extended_urdf import PAIRS
from tests.support.generators.loops import MECHANISMS, closed, joined
from tests.support.oracles.oracle import Compiled, Interpreted, off
from tests.support.oracles.pinocchio_loops import Contacts, built
from tests.support.oracles.robots import load, load_peer, robot

TOLERANCE = 1e-9  # of the largest entry; their proximal iterations end at 1e-14 of the rows
HELD_AT_POINTS = ("four-bar, point", "four-bar, cut inside the coupler", "Stewart", "Delta")
FREEDOMS = {name: freedoms for name, (_, _, freedoms) in FACTS.items()}
GROUND = ""
ROBOTS = {  # base, and pairs of frames with what joins them where they happen to be
    "ur5_robot.urdf": ("fixed", [("tool0", GROUND, "spherical")]),
    "panda.urdf": ("fixed", [("panda_hand_tcp", GROUND, "fixed")]),
    "solo12.urdf": (
        "free",
        [(f"{leg}_FOOT", GROUND, "spherical") for leg in ("FL", "FR", "HL", "HR")],
    ),
    "talos_reduced.urdf": (
        "free",
        [
            ("left_sole_link", GROUND, "fixed"),
            ("leg_left_6_link", GROUND, "spherical"),  # the same foot again: rows are redundant
            ("right_sole_link", GROUND, "spherical"),
            ("wrist_left_ft_tool_link", "wrist_right_ft_tool_link", "fixed"),
        ],
    ),
}


def check(mechanism, peer, run):
    """The same accelerations, constraint forces, and motions that the rows leave."""
    model, q, v, tau = mechanism
    a, forces, J = Contacts(model, peer).motion(q, v, tau)
    assert off(run("forward_dynamics", q, v, tau), a) < TOLERANCE
    assert off(run("constraint_forces", q, v, tau), forces) < TOLERANCE
    A = run("constraint_matrix", q)
    both = [np.linalg.matrix_rank(x, 1e-9) for x in (A, J, np.vstack([A, J]))]
    assert len({*both}) == 1, both


@pytest.mark.spread(2)
@pytest.mark.soak
@pytest.mark.parametrize("name", HELD_AT_POINTS)
def test_mechanisms(name):
    for seed in range(count(2, 100)):
        mechanism = MECHANISMS[name](np.random.default_rng(seed))
        check(mechanism, built(mechanism.model), Interpreted(mechanism.model))


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", ROBOTS)
def test_robots_from_their_files_with_loops(name):
    base, pairs = ROBOTS[name]
    model, peer = load(robot(name), base), load_peer(robot(name), base)
    rng = np.random.default_rng(0)
    q = model.random(rng)
    for frame, on, joint in pairs:
        model = joined(model, q, frame, on or model.base_name, joint)
    check(closed(model, q, rng), peer, Interpreted(model))


@pytest.mark.spread(1)
@pytest.mark.parametrize("name", PAIRS)
def test_robots_with_a_file_of_loops_beside_them(name, tmp_path):
    """Near neutral, put together again there: what the pair of files states moves as theirs."""
    (urdf, loops), rng = PAIRS[name](), np.random.default_rng(3)
    (tmp_path / "robot.urdf").write_text(urdf)
    (tmp_path / "robot.yaml").write_text(loops)
    model = vv.load(tmp_path / "robot.urdf", loops=tmp_path / "robot.yaml")
    way = model.displacements(model.neutral()) @ rng.normal(size=FREEDOMS[name])
    q = model.assembled(model.integrate(model.neutral(), 0.1 * way / np.abs(way).max()))
    mechanism = closed(model.without_dissipation(), q, rng)
    check(mechanism, built(mechanism.model), Interpreted(mechanism.model))


def test_machine_code():
    mechanism = MECHANISMS["four-bar, cut inside the coupler"](np.random.default_rng(7))
    check(mechanism, built(mechanism.model), Compiled(mechanism.model))


def test_a_weld_at_a_hinge_locks_it():
    """Why five-dimensional hinges need another peer."""
    model, q, _, tau = MECHANISMS["four-bar, point"](np.random.default_rng(0))
    locked = joined(model, q, "coupler", "rocker", "fixed")
    still = np.zeros(3)
    a, _, _ = Contacts(locked, built(locked)).motion(q, still, tau)
    assert np.abs(a).max() < 1e-9
    assert np.abs(Interpreted(locked)("forward_dynamics", q, still, tau)).max() < 1e-9
