"""The verb `inverse_kinematics`: limits, copies, seeds, paths, singular poses, refusals."""

import pickle

import numpy as np
import pytest

import visviva as vv
from visviva.describe.files.urdf.read import loads_urdf
from visviva.errors import ArgumentError, ConstrainedError, ShapeError, UnknownNameError

PUMA = vv.catalog.puma560()
HOME = np.array([0.3, -0.7, 0.4, 0.5, 0.6, 0.7])
X = PUMA.frame_pose("tool", HOME).matrix()


def poses(model, q, frame="tool"):
    return np.asarray(model.pose(frame)(q))


def test_a_puma_has_eight_solutions_of_which_limits_leave_six():
    free = PUMA.inverse_kinematics("tool", X, all=True, limits=False)
    assert (free.count, free.complete, free.outside) == (8, True, 0)
    assert np.abs(poses(PUMA, free.q) - X).max() < 1e-14
    held = PUMA.inverse_kinematics("tool", X, all=True)
    assert (held.count, held.complete, held.outside) == (6, True, 2)
    assert ((held.q >= PUMA.lower) & (held.q <= PUMA.upper)).all()
    assert held.q.tolist() == sorted(held.q.tolist())
    assert held.residuals.max() < 1e-14
    assert held.family == "RRRRRR, spherical wrist, 2 ∥ 3"
    assert "limits exclude 2 solutions" in str(held)
    assert "6 solutions, all there are" in str(held)
    assert [q.tolist() for q in held] == held.q.tolist()


def test_more_turns_that_limits_allow_are_told():
    wide = PUMA.with_limits({"joint6": (-7.0, 7.0)})
    said = str(wide.inverse_kinematics("tool", X, all=True))
    assert "all there are up to whole turns" in said
    assert "limits allow more turns of joint6" in said.replace("joint4, ", "")
    every = wide.inverse_kinematics("tool", X, all=True, copies=True)
    assert "whole turns" not in str(every)
    assert every.count > 6


def test_one_solution_is_the_nearest_to_the_seed():
    assert np.abs(PUMA.inverse_kinematics("tool", X, seed=HOME).q - HOME).max() < 1e-14
    every = PUMA.inverse_kinematics("tool", X, all=True).q
    least = every[np.argmin(np.linalg.norm(every, axis=1))]
    assert np.array_equal(PUMA.inverse_kinematics("tool", X).q, least)
    many = PUMA.inverse_kinematics("tool", np.stack([X, X]), seed=np.stack([HOME, every[0]]))
    assert np.abs(many.q - [HOME, every[0]]).max() < 1e-14


def test_many_poses_are_padded():
    far = X.copy()
    far[:3, 3] = 5.0
    both = PUMA.inverse_kinematics("tool", np.stack([X, far]), all=True)
    assert both.q.shape == (2, 6, 6)
    assert both.count.tolist() == [6, 0]
    assert both.complete.tolist() == [True, True]
    assert np.isnan(both.q[1]).all()
    assert both.reason[0] == ""
    assert both.reason[1].startswith("unreachable: the nearest pose found within the limits is ")
    assert len(both) == 2
    assert "none at 1 pose; pose 1: unreachable" in str(both)


def test_no_poses_have_no_solutions():
    for how in ({"all": True}, {}, {"seed": HOME, "max_jump": 0.1}, {"all": True, "copies": True}):
        none = PUMA.inverse_kinematics("tool", np.zeros((0, 4, 4)), **how)
        assert len(none) == 0
        assert none.q.shape[-1] == 6
        assert "0 poses" in str(none)


def test_poses_are_given_in_several_ways():
    pose = PUMA.frame_pose("tool", HOME)
    for given in (pose, pose.matrix(), pose.matrix().tolist()):
        assert np.abs(PUMA.inverse_kinematics("tool", given, seed=HOME).q - HOME).max() < 1e-14
    assert PUMA.inverse_kinematics("tool", [pose, pose]).q.shape == (2, 6)


def test_copies_are_within_the_limits_and_all_of_them():
    """Joint 6 turns by ±266°: half of the solutions have it at two turns."""
    one = PUMA.inverse_kinematics("tool", X, all=True)
    every = PUMA.inverse_kinematics("tool", X, all=True, copies=True)
    turn = 2 * np.pi
    expected = {
        tuple(np.round([*q[:5], q[5] + k * turn], 9))
        for q in one.q
        for k in (-1, 0, 1)
        if PUMA.lower[5] <= q[5] + k * turn <= PUMA.upper[5]
    }
    assert {tuple(np.round(q, 9)) for q in every.q} == expected
    assert every.count == len(expected) > one.count
    assert every.complete


def test_angles_go_where_limits_want_them():
    """A joint between 2 and 7 rad has its angle there."""
    b = vv.Builder("arm")
    b.body(
        "link", joint="revolute", joint_name="a", inertia=vv.Inertia.point(1.0), limits=(2.0, 7.0)
    )
    b.frame("tool", body="link", at=[1.0, 0.0, 0.0])
    arm = b.build()
    found = arm.inverse_kinematics("tool", (1.0, 0.0), task="position", all=True)
    assert np.abs(found.q - [[2 * np.pi]]).max() < 1e-15
    none = arm.inverse_kinematics("tool", (np.cos(1.0), np.sin(1.0)), task="position")
    assert none.count == 0
    assert none.reason == "the limits exclude its only solution; limits=False gives them"
    free = arm.inverse_kinematics("tool", (np.cos(1.0), np.sin(1.0)), task="position", limits=False)
    assert abs(free.q[0] - 1.0) < 1e-15


def test_a_wrist_in_line_has_free_joints():
    q = np.array([0.3, -0.7, 0.4, 0.5, 0.0, 0.7])
    pose = PUMA.frame_pose("tool", q)
    found = PUMA.inverse_kinematics("tool", pose, all=True, limits=False)
    assert found.free == ("joint4", "joint6")
    assert not found.complete
    assert "singular: joint4, joint6 may move while tool stays" in str(found)
    seed = np.array([0.3, -0.7, 0.4, 0.2, 0.0, 0.0])
    near = PUMA.inverse_kinematics("tool", pose, seed=seed)
    assert np.abs(near.q - [0.3, -0.7, 0.4, 0.2, 0.0, 1.0]).max() < 1e-12


def test_a_shoulder_in_line_has_a_free_joint():
    arm = vv.catalog.spatial_3r()
    found = arm.inverse_kinematics("tool", (0, 0, 0.7), task="position", all=True, seed=[0.4, 0, 0])
    assert found.free == ("theta1",)
    assert np.abs(found.q[:, 0] - 0.4).max() < 1e-12
    assert found.residuals.max() < 1e-12


def test_a_stretched_arm_is_singular_and_alone():
    arm = vv.catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5)
    found = arm.inverse_kinematics("tool", poses(arm, [0.3, 0.0, 0.2]), all=True)
    assert (found.count, found.complete, found.free) == (1, True, ())
    assert np.abs(found.q - [0.3, 0.0, 0.2]).max() < 1e-7  # a double root: half the digits
    assert found.residuals.max() < 1e-13


def test_a_path_is_followed_through_a_singularity():
    path = np.linspace(HOME, [0.5, -0.9, 0.6, 0.5, -0.6, 0.7], 51)
    found = PUMA.inverse_kinematics("tool", poses(PUMA, path), seed=HOME, max_jump=0.1)
    assert found.q.shape == (51, 6)
    assert np.abs(found.q - path).max() < 1e-9


def test_a_path_that_breaks_off_says_where():
    arm = vv.catalog.two_link()
    reach = np.linspace(1.2, 2.2, 11)
    points = np.stack([reach, 0 * reach], axis=1)
    seed = arm.inverse_kinematics("tool", points[0], task="position").q
    found = arm.inverse_kinematics("tool", points, task="position", seed=seed, max_jump=1.0)
    gone = int(np.argmax(reach > 1.8 + 1e-9))
    assert found.count.tolist() == [1] * gone + [0] * (11 - gone)
    assert found.reason[gone] == f"none continues at pose {gone}: there is no solution"
    jumps = PUMA.inverse_kinematics(
        "tool", poses(PUMA, np.stack([HOME, HOME + 0.5])), seed=HOME, max_jump=0.2
    )
    assert jumps.count.tolist() == [1, 0]
    assert "none continues at pose 1: in the nearest solution joint" in jumps.reason[1]
    assert "more than max_jump = 0.2" in jumps.reason[1]


def test_unreachable_points_know_the_nearest():
    """Of a plane arm by the annulus that it reaches."""
    arm = vv.catalog.two_link(L1=1.0, L2=0.8)
    for far in (2.5, 0.1):
        found = arm.inverse_kinematics("tool", (far, 0.0), task="position", all=True)
        assert found.count == 0
        assert found.complete
        assert found.distance[0] == pytest.approx(max(far - 1.8, 0.2 - far), abs=1e-9)
        assert np.hypot(*found.nearest[:2, 3]) == pytest.approx(1.8 if far > 1 else 0.2, abs=1e-6)
    turned = arm.inverse_kinematics("tool", [0.5, 0.3, 0.0], all=True)
    assert "read as (x, y, φ = 0), and 2 joints cannot choose φ beside x and y" in turned.reason
    assert "inverse_kinematics('tool', [0.5, 0.3], task='position')" in turned.reason
    assert arm.inverse_kinematics("tool", [0.5, 0.3], task="position", all=True).count == 2


def test_an_arm_with_few_joints_meets_few_poses():
    arm = vv.catalog.spatial_3r()
    q = np.array([0.5, 0.4, 0.9])
    pose = arm.frame_pose("tool", q).matrix()
    found = arm.inverse_kinematics("tool", pose, all=True)
    assert np.abs(found.q - q).max() < 1e-12
    assert found.complete
    off = pose.copy()
    off[2, 3] += 1e-3
    assert "unreachable: the nearest pose is 0.00" in arm.inverse_kinematics("tool", off).reason


def test_an_arm_that_points_up_is_not_called_out_of_reach():
    """There the closed form of its whole pose loses the first joint: any angle would do."""
    arm = vv.catalog.spatial_3r()
    for q in ([0.5, np.pi / 2, 0.0], [0.5, np.pi / 2, 0.6]):
        pose = arm.frame_pose("tool", q)
        found = arm.inverse_kinematics("tool", pose, all=True)
        assert found.count > 0
        assert np.abs(poses(arm, found.q) - pose.matrix()).max() < 1e-9


def test_the_function_has_every_branch_and_nan_for_others():
    f = PUMA.inverse_kinematics_function("tool")
    assert dict(f.inputs) == {"pose": (4, 4)}
    assert dict(f.outputs) == {"q": (8, 6)}
    every = PUMA.inverse_kinematics("tool", X, all=True, limits=False).q
    assert np.abs(np.array(sorted(f(X).tolist())) - every).max() < 1e-12
    far = X.copy()
    far[:3, 3] = 5.0
    assert np.isnan(f(far)).any(axis=1).all()  # and nobody is warned
    assert np.array_equal(pickle.loads(pickle.dumps(f))(X), f(X))
    assert "void ik(const double *pose, double *q)" in f.c_source("ik")
    batch = f(np.stack([X, far]))
    assert batch.shape == (2, 8, 6)


def test_a_general_arm_has_no_function_and_says_so():
    arm = vv.catalog.human_arm()
    with pytest.raises(ArgumentError, match=r"\(RRRRRRR\) has no closed form that is known here"):
        arm.inverse_kinematics_function("tool")
    with pytest.raises(UnknownNameError, match="task with closed forms"):
        arm.inverse_kinematics_function("tool", task="posse")


def test_an_arm_with_seven_joints_is_searched():
    arm = vv.catalog.human_arm()
    pose = arm.frame_pose("tool", 0.3 * np.ones(7))
    found = arm.inverse_kinematics("tool", pose, seed=0.25 * np.ones(7))
    assert found.family == "Newton's method from many starts"
    assert not found.complete
    assert np.abs(poses(arm, found.q) - pose.matrix()).max() < 1e-9


def test_other_joints_stay_where_the_seed_has_them():
    """The forearm does not carry the elbow."""
    arm = vv.catalog.spatial_3r()
    fore = arm.frame_pose("fore", [0.2, 0.3, 0.0]).p
    found = arm.inverse_kinematics(
        "upper", arm.frame_pose("upper", [0.2, 0.3, 0.7]), seed=[0, 0, 0.7]
    )
    assert np.abs(found.q - [0.2, 0.3, 0.7]).max() < 1e-12
    assert np.isfinite(fore).all()


def test_last_joints_that_do_not_move_a_point_stay_in_the_seed():
    """The tool of this Puma is at the centre of its wrist: four solutions, by three joints."""
    seed = np.array([0.2, -0.6, 0.3, 0.4, 0.5, 0.6])
    found = PUMA.inverse_kinematics(
        "tool", X[:3, 3], task="position", all=True, seed=seed, limits=False
    )
    assert (found.count, found.complete) == (4, True)
    assert np.abs(found.q[:, 3:] - seed[3:]).max() == 0.0
    assert np.abs(poses(PUMA, found.q)[:, :3, 3] - X[:3, 3]).max() < 1e-14


def test_a_plane_arm_has_tasks_of_the_plane():
    arm = vv.catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5)
    one = arm.inverse_kinematics("tool", (1.8, 1.2, 0.6), all=True)
    for task in ("planar", "x y phi"):
        other = arm.inverse_kinematics("tool", (1.8, 1.2, 0.6), task=task, all=True)
        assert np.array_equal(one.q, other.q)
    two = vv.catalog.two_link()
    assert two.inverse_kinematics("tool", (1.0, 0.5), task="x y", all=True).count == 2


def test_coupled_joints_are_honoured():
    """A joint that turns twice as far, and backwards, as its coordinate."""
    text = """<robot name="two"><link name="base"/><link name="a"/><link name="b"/><link name="c"/>
    <joint name="free" type="continuous"><parent link="base"/><child link="c"/>
      <axis xyz="0 0 1"/></joint>
    <joint name="j1" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
      <mimic joint="free" multiplier="-2" offset="0.1"/></joint>
    <joint name="j2" type="continuous"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/>
      <axis xyz="0 0 1"/></joint></robot>"""
    arm = loads_urdf(text)
    q = np.array([0.2, 0.5])
    found = arm.inverse_kinematics("b", arm.frame_pose("b", q), seed=q)
    assert np.abs(found.q - q).max() < 1e-12


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda x: x.__setitem__((0, 0), x[0, 0] + 0.1), "R Rᵀ differs from the unit matrix by"),
        (lambda x: x.__setitem__((3, 0), 0.5), "its last row differs from 0 0 0 1 by 0.5"),
        (
            lambda x: x.__setitem__((slice(3), 0), -x[:3, 0]),
            "it mirrors, the determinant of R is -1",
        ),
        (lambda x: x.__setitem__((1, 3), np.nan), r"not finite: entry \[1, 3\] is nan"),
    ],
)
def test_what_is_no_pose_is_refused(change, says):
    bad = X.copy()
    change(bad)
    with pytest.raises(ArgumentError, match=says):
        PUMA.inverse_kinematics("tool", bad)
    if "finite" not in says:
        with pytest.raises(ArgumentError, match="pose 1 is not a pose: "):
            PUMA.inverse_kinematics("tool", np.stack([X, bad]))


def test_refusals():
    with pytest.raises(UnknownNameError, match="unknown frame 'tol'; did you mean 'tool'"):
        PUMA.inverse_kinematics("tol", X)
    with pytest.raises(ShapeError, match=r"got the shape \(3, 3\)"):
        PUMA.inverse_kinematics("tool", np.eye(3))
    with pytest.raises(ShapeError, match="arms that move in the plane x, y"):
        PUMA.inverse_kinematics("tool", (0.1, 0.2, 0.3))
    with pytest.raises(ShapeError, match=r"has 3 coordinates .*got the shape \(4,\)"):
        vv.catalog.two_link().inverse_kinematics("tool", (1, 2, 3, 4), task="position")
    with pytest.raises(ArgumentError, match="made of real numbers"):
        PUMA.inverse_kinematics("tool", "here")
    with pytest.raises(UnknownNameError, match="posse"):
        PUMA.inverse_kinematics("tool", X, task="posse")
    with pytest.raises(ShapeError, match=r"seed is a position \(6,\)"):
        PUMA.inverse_kinematics("tool", X, seed=[1, 2])
    with pytest.raises(ArgumentError, match="finite numbers"):
        PUMA.inverse_kinematics("tool", X, seed=[np.nan] * 6)
    with pytest.raises(ArgumentError, match="does not go with all="):
        PUMA.inverse_kinematics("tool", X, all=True, seed=HOME, max_jump=0.1)
    with pytest.raises(ArgumentError, match="give it by seed="):
        PUMA.inverse_kinematics("tool", X, max_jump=0.1)
    with pytest.raises(ArgumentError, match="positive number"):
        PUMA.inverse_kinematics("tool", X, seed=HOME, max_jump=-0.1)
    with pytest.raises(ConstrainedError, match="chains of joints know no loops"):
        vv.catalog.four_bar().inverse_kinematics("coupler", np.eye(4))
    with pytest.raises(ArgumentError, match="no joint moves"):
        PUMA.inverse_kinematics(PUMA.base_name, np.eye(4))


def test_formulas_are_those_of_the_function():
    """Of plane and of spatial arms, evaluated with SymPy, for other parameters too."""
    for arm, given, task in (
        (vv.catalog.two_link(), {"x": 0.9, "y": 0.5}, "position"),
        (vv.catalog.planar_3r(l1=0.9), {"x": 1.2, "y": 0.7, "phi": 0.4}, "pose"),
        (vv.catalog.rpr_arm(), {"x": 1.2, "y": 0.7, "phi": 0.4}, "pose"),
        (vv.catalog.spatial_3r(l2=0.5), {"x": 0.3, "y": -0.2, "z": 0.4}, "position"),
    ):
        target = tuple(given.values())
        found = arm.inverse_kinematics("tool", target, task=task, all=True, limits=False)
        formulas = found.formulas()
        assert formulas.inputs == tuple(given)
        values = {**arm.parameters, **given}

        def value(x, values=values):
            return float(x.subs({s: values[s.name] for s in x.free_symbols}))

        whole = value(formulas.expanded(0, found.joints[-1])) if task == "position" else None
        for symbol, step in formulas.steps:
            values[symbol.name] = value(step)
        rows = [[value(row[n]) for n in found.joints] for row in formulas.branches]
        assert whole in (None, pytest.approx(rows[0][-1], abs=1e-12))
        assert np.abs(np.array(sorted(rows)) - found.q).max() < 1e-12
        assert "branch 1" in str(formulas)


def test_wrists_in_line_are_free_where_other_axes_are_parallel_to_them_too():
    """Two directions are not seen there: no count may be called complete."""
    arm = vv.catalog.stanford()
    q = np.array([np.pi / 2, 0.0, 0.48, -np.pi / 2, 0.0, -np.pi / 2])
    found = arm.inverse_kinematics("tool", arm.pose("tool")(q), all=True, limits=False)
    assert not found.complete
    assert {"joint4", "joint6"} <= {*found.free}


UR5_ROWS = [(0.0, np.pi / 2, 0.089159), (-0.425, 0.0, 0.0), (-0.39225, 0.0, 0.0),
            (0.0, np.pi / 2, 0.10915), (0.0, -np.pi / 2, 0.09465), (0.0, 0.0, 0.0823)]  # fmt: skip


@pytest.mark.parametrize(
    "q",
    [
        [-0.817928244427899, -2.0946428814881797, 0.05, -3.003582271936699, np.pi, -2.645173],
        [1.9271055675173727, -1.7849841092741439, 0.0, -1.1864992208172151, np.pi, 1.197211],
    ],
)
def test_branches_that_end_at_one_pose_are_missed_by_no_complete_count(q):
    """Four parallel axes: a plane linkage moves there, but not from where its free joint is put."""
    table = [{"a": a, "alpha": alpha, "d": d, "joint": "R"} for a, alpha, d in UR5_ROWS]
    arm = vv.from_dh(table, convention="standard")
    assert not arm.inverse_kinematics("tool", arm.pose("tool")(q), all=True, limits=False).complete
    puma = vv.catalog.puma560()
    q = [1.7663139036476858, -0.9605492525016788, 0.4, 0.6650565010089093, 0.0, 1.318219]
    assert not puma.inverse_kinematics(
        "tool", puma.pose("tool")(q), all=True, limits=False
    ).complete
