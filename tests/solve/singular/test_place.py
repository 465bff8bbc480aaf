"""A position looked at: rank, lost directions, loads, ellipsoids, distances; columns of J."""

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import SOAK, count
from visviva.errors import (
    ArgumentError,
    AssemblyError,
    BranchesError,
    ConstrainedError,
    ShapeError,
    UnknownNameError,
)

ARM = vv.catalog.two_link(L1=1.0, L2=0.8)
PUMA = vv.catalog.puma560()
Q = np.array([0.1, -0.5, 0.3, 0.4, 0.5, 0.6])


def test_a_stretched_arm_resists_along_itself_without_torque():
    place = ARM.singularity("tool", [0.3, 0.0])
    along = [np.cos(0.3), np.sin(0.3)]
    assert (place.rank, place.is_singular, place.length) == (1, True, None)
    np.testing.assert_allclose(place.lost[:, 0], along, atol=1e-12)
    np.testing.assert_allclose(place.resisted[:, 0], along, atol=1e-12)
    np.testing.assert_allclose(place.J.T @ place.resisted, 0.0, atol=1e-15)
    np.testing.assert_allclose(place.J @ place.undone, 0.0, atol=1e-15)
    assert np.isinf(place.condition)
    assert np.isinf(place.force_ellipsoid[:, 1]).all()
    said = str(place)
    for text in ("rank 1 of 2: singular", "below 1e-09 of the largest", "lost: 0.9553 x +0.2955 y"):
        assert text in said
    assert "resisted without torque: 0.9553 F_x" in said


def test_ellipsoids_are_images_of_spheres_and_dual():
    """Velocities for |v| = 1 are on one; powers of axes pair by pair are one."""
    place = ARM.singularity("tool", [0.3, 0.7])
    v = np.random.default_rng(0).normal(size=(2, 50))
    v /= np.linalg.norm(v, axis=0)
    axes, forces = place.velocity_ellipsoid, place.force_ellipsoid
    on = np.linalg.solve(axes, place.J @ v)
    np.testing.assert_allclose(np.linalg.norm(on, axis=0), 1.0, atol=1e-12)
    np.testing.assert_allclose(axes.T @ forces, np.eye(2), atol=1e-12)
    torque = place.J.T @ forces
    np.testing.assert_allclose(np.linalg.norm(torque, axis=0), 1.0, atol=1e-12)
    assert place.manipulability == pytest.approx(0.8 * np.sin(0.7), abs=1e-14)
    assert place.condition == pytest.approx(np.linalg.cond(place.J), rel=1e-12)


def test_metres_and_radians_are_mixed_by_a_length_that_is_shown():
    place = PUMA.singularity("tool", Q)
    assert f"a radian counts as {place.length} m (the distance of the tip from" in str(place)
    assert "its mean over 32 random positions)" in str(place)
    assert 0.1 < place.length < 0.5
    stated = PUMA.singularity("tool", Q, length=1.0)
    assert "a radian counts as 1 m (as asked)" in str(stated)
    J = PUMA.jacobian("tool")(Q)
    np.testing.assert_allclose(stated.singular_values, np.linalg.svd(J)[1], atol=1e-14)
    assert stated.manipulability == pytest.approx(abs(np.linalg.det(J)), rel=1e-10)
    scaled = np.diag([place.length] * 3 + [1.0] * 3) @ J
    np.testing.assert_allclose(place.singular_values, np.linalg.svd(scaled)[1], atol=1e-14)
    assert PUMA.singularity("tool", Q, task="position").length is None
    slide = vv.catalog.cylindrical().singularity("tool", [0.1, 0.2, 0.5])  # hinges and slides
    assert "a radian counts as" in str(slide)
    with pytest.raises(ArgumentError, match="mixes no metres and radians"):
        ARM.singularity("tool", [0.3, 0.7], length=1.0)
    with pytest.raises(ArgumentError, match="length is a positive number of metres, got -1"):
        PUMA.singularity("tool", Q, length=-1.0)


def test_loads_that_cost_no_torque_do_not_depend_on_the_length():
    q = [0.1, 0.2, 0.3, 0.4, 0.0, 0.6]
    one, other = (PUMA.singularity("tool", q, length=x).resisted for x in (0.1, 3.0))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_distances_hold_a_singular_position_between_them():
    place = ARM.singularity("tool", [0.3, 0.7])
    assert place.distance.upper == pytest.approx(0.7, abs=1e-8)
    np.testing.assert_allclose(place.distance.nearest, [0.3, 0.0], atol=1e-8)
    assert 0 < place.distance.lower < 0.7
    slide = vv.catalog.cylindrical().singularity("tool", [0.1, 0.2, 0.5])
    assert slide.distance.lower == 0.0  # slides without limits
    assert slide.distance.upper == pytest.approx(0.5 / slide.length, rel=1e-6)
    assert abs(slide.distance.nearest[2]) < 1e-8


@pytest.mark.soak
def test_nothing_within_the_lower_bound_is_singular():
    """The smallest singular value falls by no more than the bound says, in random directions."""
    rng = np.random.default_rng(4)
    arms = [
        (ARM, None),
        (ARM, "x y phi"),
        *([(PUMA, None), (PUMA, "position axis")] if SOAK else []),
    ]
    for model, task in arms:
        for _ in range(count(2, 40)):
            q = rng.uniform(-2, 2, model.nq)
            place = model.singularity("tool", q, task=task)
            least = place.singular_values[-1]
            rate = least / place.distance.lower
            J = model.task_jacobian("tool", place.task.text)
            for _ in range(5):
                step = rng.normal(size=model.nq)
                step *= 0.01 / np.linalg.norm(step)
                near = np.linalg.svd(
                    place.scales.rows[:, None] * J(q + step)[:, list(place._arm.moving)]
                )
                assert least - near[1][-1] <= rate * 0.01


def test_manipulability_of_many_positions_is_that_of_each():
    q = np.random.default_rng(2).normal(size=(3, 4, 2))
    w = ARM.manipulability("tool", q)
    np.testing.assert_allclose(w, 0.8 * np.abs(np.sin(q[..., 1])), atol=1e-14)
    assert w[1, 2] == pytest.approx(ARM.singularity("tool", q[1, 2]).manipulability, abs=1e-14)


def test_redundant_arms_lose_directions_only_where_rank_falls():
    arm = vv.catalog.human_arm()
    bent = arm.singularity("tool", [0.1, 0.2, 0.5, 0.7, 0.2, 0.3, 0.4])
    assert (bent.rank, bent.lost.shape, bent.undone.shape) == (6, (6, 0), (7, 1))
    straight = arm.singularity("tool", [0.1, 0.2, 0.5, 0.0, 0.2, 0.3, 0.4])
    assert (straight.rank, straight.undone.shape) == (5, (7, 2))


def test_loops_are_honoured():
    """A crank at its dead centre does not move the slider."""
    crank = vv.catalog.slider_crank()
    frame = next(x for x in crank.frame_names if "slid" in x or "piston" in x)
    q = crank.assembled(fixed={crank.joint_names[0]: 0.9})
    moving = crank.singularity(frame, q, task="x")
    assert (moving.rank, moving.J.shape) == (1, (1, 2))  # two motors for one freedom
    assert moving.joints == ("theta1", "x")
    dead = crank.assembled(fixed={crank.joint_names[0]: 0.0})
    assert (
        crank.singularity(frame, dead, task="x").rank == 0
        or abs(crank.singularity(frame, dead, task="x").J).max() < 1e-9
    )
    with pytest.raises(AssemblyError, match="violates the constraints"):
        crank.singularity(frame, q + 0.1)
    with pytest.raises(ConstrainedError, match="is held by constraints"):
        _ = moving.distance
    with pytest.raises(ArgumentError, match="constraints hold it"):
        crank.manipulability(frame, q)


def five_bar(passive=("p1", "p2")):
    """Cranks of 0.2 m on q1 and q2, 0.25 m apart, links of 0.3 m to one tip."""
    b = vv.Builder("five bar", gravity=(0, -9.81, 0))
    for side, x, k in (("left", -0.125, 1), ("right", 0.125, 2)):
        b.body(f"{side} crank", joint="revolute", joint_name=f"q{k}", axis="z", at=[x, 0, 0],
               mass=0.5, com=[0.1, 0, 0])  # fmt: skip
        b.body(f"{side} link", parent=f"{side} crank", joint="revolute", joint_name=f"p{k}",
               axis="z", at=[0.2, 0, 0], mass=0.3, com=[0.15, 0, 0],
               passive=f"p{k}" in passive)  # fmt: skip
        b.frame(f"e{k}", body=f"{side} link", at=[0.3, 0, 0])
    return b.build().with_loop("e1", "e2", joint="revolute", axis="z", name="tip")


def in_one_line():
    """Both links on one line: what pulls across it, no crank holds."""
    angle = np.arccos(0.875)
    return np.array([np.pi - angle, angle - np.pi, angle, np.pi - angle])


def test_motors_of_a_linkage_are_those_that_are_not_passive():
    """Against slopes of the closed linkage, by differences."""
    m, h = five_bar(), 1e-6
    at = {"q1": 2.2, "q2": 0.9}
    q = m.assembled(at)
    place = m.singularity("e1", q)
    assert place.joints == ("q1", "q2")
    for k, name in enumerate(at):
        ends = [m.assembled(q, fixed=at | {name: at[name] + x}) for x in (h, -h)]
        p = [m.numeric.frame_pose("e1", x).p[:2] for x in ends]
        np.testing.assert_allclose(place.J[:, k], (p[0] - p[1]) / (2 * h), atol=1e-8)
    assert place.manipulability == pytest.approx(abs(np.linalg.det(place.J)))
    assert place.manipulability == pytest.approx(0.0425421, rel=1e-5)
    assert not place.is_singular
    assert "in m per rad" in str(place)


def test_a_parallel_singularity_is_said_to_be_one():
    m, q = five_bar(), in_one_line()
    place = m.singularity("e1", q)
    assert place.is_singular
    assert place.is_parallel
    assert place.condition == place.manipulability == np.inf
    np.testing.assert_allclose(m.constraint_matrix(q) @ place.loose, 0, atol=1e-12)
    np.testing.assert_allclose(place.loose[[0, 2]], 0, atol=1e-12)
    assert "type 2 (parallel): no torques of q1, q2 hold it" in str(place)
    assert "moves while q1, q2 stand still: 0.7071 p1 -0.7071 p2" in str(place)
    every = five_bar(passive=()).singularity("e1", q)
    assert not every.is_singular


def test_what_motors_lack_there_is_what_actuator_forces_says():
    m, q, still = five_bar(), in_one_line(), np.zeros(4)
    for at, lacks in ((q, True), (m.assembled(q1=2.2, q2=0.9), False)):
        f = m.actuator_forces(at, still, still)
        needed = m.inverse_dynamics(at, still, still) - m.actuator_map(at) @ f
        assert (np.abs(m.displacements(at).T @ needed).max() > 0.1) == lacks
    assert "displacements(q).T @ (inverse_dynamics(q, v, a)" in m.actuator_forces.__doc__


def test_a_position_may_be_of_both_types():
    """All links on one line: rows leave three motions free, of a mechanism with two freedoms."""
    place = vv.catalog.five_bar().singularity("rod1_end", [np.pi, np.pi, 0, np.pi])
    assert (place.loose.shape, place.freedoms, place.is_parallel) == ((4, 1), 2, True)
    assert "type 1" in str(place)
    assert "type 2 (parallel): no torques of theta1, theta3 hold it" in str(place)


@pytest.mark.parametrize("size", [1e-3, 1e5])
def test_the_size_of_a_mechanism_does_not_tell_where_branches_meet(size):
    """A crank as long as its rod may turn with it, folded back, while the slider stands still."""
    b = vv.Builder("folded", gravity=(0, 0, 0))
    b.body("crank", joint="revolute", joint_name="a", axis="z", mass=1)
    b.body("rod", parent="crank", joint="revolute", joint_name="b", axis="z", at=[size, 0, 0],
           mass=1, passive=True)  # fmt: skip
    b.body("slider", joint="prismatic", joint_name="x", axis="x", mass=1, passive=True)
    b.frame("eye", body="rod", at=[size, 0, 0])
    m, q = b.build().with_loop("eye", "slider", "revolute", axis="z"), [np.pi / 2, np.pi, 0.0]
    place = m.singularity("slider", q, task="x")
    assert (place.loose.shape, place.freedoms, place.is_parallel) == ((3, 1), 1, True)
    with pytest.raises(BranchesError, match="branches of motions meet"):
        m.linearize(q)


def test_a_stretched_leg_is_of_type_1():
    m = five_bar()
    q = m.assembled({"p1": 0.0, "q1": 1.2})
    place = m.singularity("e1", q)
    assert (place.rank, place.is_parallel, place.is_singular) == (1, False, True)
    assert "rank 1 of 2: singular, type 1" in str(place)


def test_fewer_motors_than_freedoms_are_no_singularity():
    m = five_bar().with_passive(["p1", "p2", "q2"])
    place = m.singularity("e1", m.assembled(q1=2.2, q2=0.9))
    assert not place.is_singular
    assert "1 of 2 freedoms have a motor: no torques of q1 hold it" in str(place)


@pytest.mark.parametrize(
    ("frame", "q", "error", "says"),
    [
        ("tip", [0.1, 0.2], UnknownNameError, "unknown frame 'tip'"),
        ("tool", [0.1], ShapeError, r"has 2 numbers \(q1, q2\), got the shape \(1,\)"),
        ("tool", [[0.1, 0.2]], ShapeError, r"got the shape \(1, 2\)"),
        ("tool", [0.1, np.nan], ArgumentError, "q is not finite at q2"),
        ("tool", "ab", ShapeError, "q has 2 numbers, got 'ab'"),
    ],
)
def test_bad_positions_are_refused(frame, q, error, says):
    with pytest.raises(error, match=says):
        ARM.singularity(frame, q)


def test_coordinates_that_are_singular_themselves_are_refused():
    arm = vv.catalog.spatial_3r()
    with pytest.raises(ArgumentError, match=r"of the task .* are singular themselves there"):
        arm.singularity("tool", [0.0, 0.0, 0.0], task="euler-zyz")


def test_columns_say_what_each_joint_does():
    columns = PUMA.jacobian_columns("tool", Q, point=[0, 0, 0.2])
    np.testing.assert_allclose(
        columns.matrix, PUMA.jacobian("tool", point=[0, 0, 0.2])(Q), atol=1e-15
    )
    for c in columns.columns:
        np.testing.assert_allclose(c.velocity, np.cross(c.axis, c.lever), atol=1e-15)
        assert abs(c.lever @ c.axis) < 1e-15
        assert c.speed == pytest.approx(np.linalg.norm(c.lever), abs=1e-15)
    assert "joint6 turns about z = " in str(columns)
    assert "on which the tip lies" in str(columns[5])
    slides = vv.catalog.cylindrical().jacobian_columns("tool", [0.0, 0.2, 0.5])
    assert str(slides["r"]) == "r slides the tip along z = (1, 0, 0): v = z = (1, 0, 0), ω = 0"
    linkage = vv.catalog.five_bar()
    tree = linkage.jacobian_columns("rod2_end", linkage.assembled())
    assert "of the open tree, loops cut (of the closed linkage: singularity('rod2_end'," in str(
        tree
    )
    assert str(tree["theta1"]) == "theta1 does not move the tip, loops cut"
    with pytest.raises(ArgumentError, match="no joint 'joint7': there are joint1, joint2"):
        columns["joint7"]


def test_figures_show_the_arm_and_what_is_at_its_tip():
    pytest.importorskip("plotly")
    flat = ARM.jacobian_columns("tool", [0.3, 0.7]).plot()
    names = [t.name for t in flat.data]
    assert "arm" in names
    assert any(n.startswith("q1: |v| = 1.692") for n in names)
    assert len(flat.layout.annotations) == 2
    ring = next(t for t in ARM.singularity("tool", [0.3, 0.7]).plot().data if t.name == "velocity")
    assert len(ring.x) > 50
    space = PUMA.singularity("tool", Q, task="position").plot(force=True)
    assert any(t.type == "surface" for t in space.data)
