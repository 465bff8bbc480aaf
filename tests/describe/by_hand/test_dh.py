"""DH tables in both conventions: matrices of the textbooks, round trips, bad tables."""

from math import cos, pi, sin

import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.counts import count
from visviva.algebra.expr import Graph
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.by_hand.dh import exact_sincos, from_dh, to_dh
from visviva.describe.by_hand.screws import to_screws
from visviva.describe.model.compare import differences
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.space.poses import Pose
from visviva.space.rotations import exp

# the products of rows are exact to a few ulp; six links of about a metre leave 1e-15
TIGHT = 1e-13
CONVENTIONS = ["standard", "modified"]


def standard(a, alpha, d, theta):
    """Spong, Hutchinson and Vidyasagar, equation (3.10)."""
    ct, st, ca, sa = cos(theta), sin(theta), cos(alpha), sin(alpha)
    return np.array(
        [
            [ct, -st * ca, st * sa, a * ct],
            [st, ct * ca, -ct * sa, a * st],
            [0, sa, ca, d],
            [0, 0, 0, 1],
        ]
    )


def modified(a, alpha, d, theta):
    """Craig, equation (3.6)."""
    ct, st, ca, sa = cos(theta), sin(theta), cos(alpha), sin(alpha)
    return np.array(
        [
            [ct, -st, 0, a],
            [st * ca, ct * ca, -sa, -sa * d],
            [st * sa, ct * sa, ca, ca * d],
            [0, 0, 0, 1],
        ]
    )


TEXTBOOK = {"standard": standard, "modified": modified}


def random_inertia(rng):
    points = rng.normal(size=(5, 3))
    return Inertia.point_masses(rng.uniform(0.1, 2.0, 5), points)


def random_pose(rng):
    return Pose(exp(rng.normal(size=3)), rng.normal(size=3))


def random_table(rng, n, special):
    """Rows; `special` draws from the angles and lengths that real tables are made of."""
    rows = []
    for _ in range(n):
        if special:
            row = (
                rng.choice([0, 0, 0.4, -0.3]),
                rng.choice([0, pi / 2, -pi / 2, pi]),
                rng.choice([0, 0.2, -0.5]),
                rng.choice([0, pi / 2, -pi / 2, pi, 0.3]),
            )
        else:
            row = rng.uniform(-1, 1), rng.uniform(-pi, pi), rng.uniform(-1, 1), rng.uniform(-pi, pi)
        rows.append((*map(float, row), str(rng.choice(["R", "R", "P"]))))
    return rows


def random_arm(rng, convention, n=6, special=False):
    details = [
        {"damping": rng.uniform(), "friction": rng.uniform(), "armature": rng.uniform()}
        for _ in range(n)
    ]
    return from_dh(
        random_table(rng, n, special),
        convention=convention,
        inertias=[random_inertia(rng) for _ in range(n)],
        limits=[(-rng.uniform(0.5, 2), rng.uniform(0.5, 2)) for _ in range(n)],
        gravity=rng.normal(size=3),
        base=random_pose(rng),
        tool=random_pose(rng),
        details=details,
    )


@pytest.mark.spread(2)
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("special", [False, True])
def test_frames_are_the_products_of_the_textbook_matrices(convention, special):
    rng = np.random.default_rng(1)
    for _ in range(10):
        rows = random_table(rng, 5, special)
        base, tool = random_pose(rng), random_pose(rng)
        arm = from_dh(rows, convention=convention, base=base, tool=tool)
        q = rng.uniform(-3, 3, 5)
        T = base.matrix()
        assert np.allclose(arm.frame_pose("dh0", q).matrix(), T, atol=TIGHT)
        for i, (a, alpha, d, theta, kind) in enumerate(rows):
            moved = (d, theta + q[i]) if kind == "R" else (d + q[i], theta)
            T = T @ TEXTBOOK[convention](a, alpha, *moved)
            assert np.allclose(arm.frame_pose(f"dh{i + 1}", q).matrix(), T, atol=TIGHT)
        T = T @ tool.matrix()
        assert np.allclose(arm.frame_pose("tool", q).matrix(), T, atol=TIGHT)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_inertias_ride_in_the_dh_frames(convention):
    rng = np.random.default_rng(2)
    masses = [random_inertia(rng) for _ in range(4)]
    rows = [(0.3, 0.7, 0.1, 0.2, "R"), (0.1, -1, 0.3, 1, "P")] * 2
    arm = from_dh(rows, convention=convention, inertias=masses)
    q = rng.uniform(-2, 2, 4)
    for i, (body, X) in enumerate(zip(arm.bodies, arm.body_poses(q), strict=True)):
        T = arm.frame_pose(f"dh{i + 1}", q)
        assert np.allclose(X.apply(body.inertia.com), T.apply(masses[i].com), atol=TIGHT)
        there, wanted = (
            Z.R @ inertia.tensor @ Z.R.T for Z, inertia in ((X, body.inertia), (T, masses[i]))
        )
        assert np.allclose(there, wanted, atol=1e-12)
        assert body.inertia.mass == masses[i].mass


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_joints_move_about_the_axis_of_their_convention(convention):
    arm = from_dh([(0.3, 0.7, 0.1, 0.2, "R")] * 3, convention=convention)
    q = np.array([0.1, 0.5, -0.4])
    for i in range(3):
        frame = arm.frame_pose(f"dh{i if convention == 'standard' else i + 1}", q)
        axis = arm.body_poses(q)[i].R @ arm.bodies[i].joint.axis
        assert np.allclose(axis, frame.R[:, 2], atol=TIGHT)


def test_quarter_turns_are_exact():
    for k in range(-8, 9):
        assert exact_sincos(k * pi / 2) == [(0, 1), (1, 0), (0, -1), (-1, 0)][k % 4]
        assert exact_sincos(np.deg2rad(90.0 * k)) == exact_sincos(k * pi / 2)
    assert exact_sincos(1.5708) == (sin(1.5708), cos(1.5708))  # rounded by hand: kept as it is


def test_every_way_to_write_a_row_is_the_same():
    tuples = from_dh([(0.4, 0, 0.1, 0.2, "R"), (0, pi / 2, 0.3, 0, "P")], convention="standard")
    word = from_dh([(0.4, 0, 0.1, 0.2), [0, pi / 2, 0.3, 0]], joints="RP", convention="standard")
    named = [{"a": 0.4, "d": 0.1, "theta": 0.2, "joint": "R"}]
    named += [{"alpha": pi / 2, "d": 0.3, "joint": "P"}]
    assert differences(tuples, word) == []
    assert differences(tuples, from_dh(named, convention="standard")) == []


def test_symbols_and_their_values():
    g = Graph()
    a, alpha, m = g.input("a"), g.input("alpha"), g.input("m")
    rows = [(a, alpha, 0.1, 0.0, "R"), (a / 2, 0.0, 0.0, 0.0, "P")]
    values = {"a": 0.4, "alpha": 0.3, "m": 2.0}
    mass = [Inertia.point(m, [a, 0, 0]), None]
    arm = from_dh(rows, convention="modified", parameters=values, inertias=mass)
    plain = from_dh(
        [(0.4, 0.3, 0.1, 0.0, "R"), (0.2, 0.0, 0.0, 0.0, "P")],
        convention="modified",
        inertias=[Inertia.point(2.0, [0.4, 0, 0]), None],
    )
    assert arm.is_symbolic
    assert differences(arm, plain) == []
    idle = "M is singular at every position: no inertia resists the motion of joint2 alone"
    assert arm.notes == ("no inertia was given for link 2: massless", idle)
    with pytest.raises(UnknownNameError, match="unknown parameter 'a'"):
        from_dh(rows, convention="modified", parameters={"alpha": 0.3, "m": 1.0}, inertias=mass)


# ---- from one description to the other


def assert_same(arm, other):
    assert differences(arm, other, frames=["tool"], names=False) == []
    assert [b.joint_name for b in arm.bodies] == [b.joint_name for b in other.bodies]


@pytest.mark.spread(1)
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("special", [False, True])
def test_round_trips_keep_tips_masses_and_inertias(convention, special):
    rng = np.random.default_rng(3)
    for _ in range(count(10, 1000)):
        arm = random_arm(rng, convention, rng.integers(1, 8), special)
        for target in CONVENTIONS:
            table = to_dh(arm, target)
            other = table.model()
            assert_same(arm, other)
            assert_same(arm, to_screws(other).model())
            back = to_dh(to_screws(other).model(), convention).model()
            assert_same(arm, back)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_plain_table_comes_back_as_it_was(convention):
    """The Puma's table: no base, no tool, normals along the previous x axes."""
    rows = [(0, 0, 0, 0, "R"), (0, -pi / 2, 0.2435, 0, "R"), (0.4318, 0, -0.0934, 0, "R")]
    rows += [(-0.0203, pi / 2, 0.4331, 0, "R"), (0, -pi / 2, 0, 0, "R"), (0, pi / 2, 0, 0, "R")]
    if convention == "standard":  # lengths and twists belong one row earlier
        moved = [*(r[:2] for r in rows[1:]), (0.0, 0.0)]
        rows = [(*x, *r[2:]) for x, r in zip(moved, rows, strict=True)]
    table = to_dh(from_dh(rows, convention=convention), convention)
    # parallel axes 2 and 3 share a shift: the table puts all of it into the later row
    rows[1], rows[2] = ((*r[:2], d, *r[3:]) for r, d in zip(rows[1:3], (0, 0.1501), strict=True))
    assert np.allclose(
        [r[:4] for r in table.rows], np.array([r[:4] for r in rows], dtype=float), atol=1e-12
    )
    for X in (table.base, table.tool):
        assert np.allclose(X.matrix(), np.eye(4), atol=1e-12)
    assert "q6" in str(table)


def test_a_model_built_by_hand_gets_a_table():
    rng = np.random.default_rng(5)
    b = Builder("odd")
    previous = ""
    for i, kind in enumerate(["revolute", "prismatic", "revolute", "prismatic", "revolute"]):
        X = random_pose(rng)
        options = {"parent": previous, "joint": kind, "axis": rng.normal(size=3)}
        b.body(f"b{i}", at=X.p, rotation=X.R, inertia=random_inertia(rng), **options)
        previous = f"b{i}"
    arm = b.frame("grip", body=previous, at=[0.1, 0.2, 0.3]).build()
    for convention in CONVENTIONS:
        other = to_dh(arm, convention, "grip").model()
        assert differences(arm, other, names=False) == []
        assert np.allclose(
            arm.frame_pose("grip", np.ones(5)).matrix(),
            other.frame_pose("tool", np.ones(5)).matrix(),
            atol=1e-12,
        )


# ---- bad input


def test_the_convention_is_never_guessed():
    with pytest.raises(ArgumentError, match=r"never guessed: 'standard': .*'modified': ") as caught:
        from_dh([(0, 0, 0, 0, "R")])
    assert "z of frame i-1" in str(caught.value)
    with pytest.raises(UnknownNameError, match="did you mean 'standard'"):
        from_dh([(0, 0, 0, 0, "R")], convention="standart")
    with pytest.raises(ArgumentError, match="never guessed"):
        to_dh(from_dh([(0, 0, 0, 0, "R")], convention="standard"))


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([], ShapeError, "at least one row"),
        ([(0, 0, 0, 0)], ArgumentError, "row 1 needs a joint type, 'R'"),
        ([(0, 0, 0, "R")], ShapeError, "row 1 is \\(a, alpha, d, theta"),
        ([(0, 0, 0, 0, "X")], ArgumentError, "got 'X'"),
        ([(0, 0, float("nan"), 0, "R")], ArgumentError, "d of DH row 1 is a number .* got nan"),
        ([(0, "l", 0, 0, "R")], ArgumentError, "alpha of DH row 1: unknown name 'l'"),
        ([{"a": 1, "alpa": 0, "joint": "R"}], UnknownNameError, "did you mean 'alpha'"),
    ],
)
def test_bad_tables_are_refused(rows, error, message):
    with pytest.raises(error, match=message):
        from_dh(rows, convention="standard")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"rows": [("l1", 0, 0, 0)]}, r"(?s)unknown name 'l1'.*parameters=\{'l1': "),
        ({"parameters": "l1 l2"}, r"names with their values, \{'l1': 0.4.* got 'l1 l2'"),
        ({"rows": [(1, 0, 0, "theta1 + pi")]}, "theta of DH row 1: unknown name 'theta1'"),
        ({"rows": [(1, 0, 0, "theta2")]}, "theta of DH row 1: unknown name 'theta2'"),
        ({"rows": [{"a": 1, "mass": 2}]}, r"unknown column .*'mass': masses go into inertias="),
        ({"convention": ""}, r"never guessed: .*; rows are \(a, alpha, d, theta\)"),
        ({"convention": "Craig"}, "'Craig': it is convention='modified' here, and rows are"),
        ({"convention": "spong"}, "'spong': it is convention='standard' here"),
    ],
)
def test_first_tries_are_told_the_way(more, message):
    with pytest.raises(vv.VisvivaError, match=message):
        from_dh(**{"rows": [(1, 0, 0, 0)], "joints": "R", "convention": "standard"} | more)


def test_the_variable_of_a_row_may_be_named_there():
    rows = [(1, 0, 0, "theta1"), (0.5, 0, 0, "θ_2"), (0, 0, "d3", 0)]
    arm = from_dh(rows, joints="RRP", convention="standard")
    assert arm.coordinate_names == ("theta1", "θ_2", "d3")
    plain = from_dh(
        [(1, 0, 0, 0), (0.5, 0, 0, 0), (0, 0, 0, 0)], joints="RRP", convention="standard"
    )
    assert differences(arm, plain, names=False) == []
    fixed = from_dh(rows[:1], joints="R", convention="standard", parameters={"theta1": 0.5})
    assert fixed.coordinate_names == ("joint1",)  # a parameter is a parameter
    own = from_dh(rows[:1], joints="R", convention="standard", details=[{"joint_name": "hip"}])
    assert own.coordinate_names == ("hip",)


@pytest.mark.parametrize("length", [1, "l"])
def test_columns_as_craig_prints_them_are_told(length):
    def odd(rows):
        options = {"joints": "R" * len(rows), "parameters": {"l": 1.0}}
        arm = from_dh(rows, convention="modified", **options)
        return [x for x in arm.notes if "Craig" in x]

    (word,) = odd([(0, 0, 0, 0), (0, length, 0, 0)])
    assert word.startswith("row 2: alpha = 1 rad; rows are (a, alpha, d, theta), Craig prints alph")
    assert odd([(pi / 2, length, 0, 0)])
    assert not odd([(length, 0, 0, 0), (0, 1.571, 0, 0), (0, np.deg2rad(-105), 0, 0)])
    assert not odd([{"a": 0, "alpha": length}])
    assert not [x for x in to_dh(random_arm(np.random.default_rng(4), "standard"), "modified")
                .model().notes if "Craig" in x]  # fmt: skip


def test_counts_must_agree():
    row = (0, 0, 0, 0, "R")
    with pytest.raises(ShapeError, match="inertias needs one entry for each of the 1 joints"):
        from_dh([row], convention="standard", inertias=[])
    with pytest.raises(ShapeError, match="names 2 joints, the table has 1"):
        from_dh([row], convention="standard", joints="RR")
    with pytest.raises(ArgumentError, match="says joint 'R', joints= says 'P'"):
        from_dh([row], convention="standard", joints="P")


def test_what_no_table_can_state_is_refused():
    b = Builder("tree").body("a", joint="revolute").body("b", joint="revolute")
    with pytest.raises(ArgumentError, match="one serial chain, but body 'b'"):
        to_dh(b.build(), "standard")
    screw = Builder("screw").body("a", joint="helical", pitch=0.1).build()
    with pytest.raises(ArgumentError, match=r"is helical \(available: revolute, prismatic\)"):
        to_dh(screw, "standard")
    arm = from_dh([(1, 0, 0, 0, "R")] * 2, convention="standard")
    with pytest.raises(ArgumentError, match="frame 'dh1' is not on it"):
        to_dh(arm, "standard", "dh1")


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_sympy_symbols_in_a_table_are_exact_everywhere(convention, tmp_path):
    """Numbers were right, and closed form, derivation, check and save failed: 1.0*L1."""
    L1, L2, m1, m2, g = vv.parameters("L1 L2 m1 m2 g")
    rows = [{"a": L1, "joint": "R"}, {"a": L2, "theta": sympy.pi / 2, "joint": "R"}]
    arm = vv.from_dh(
        rows,
        convention=convention,
        inertias=[vv.Inertia.point(m1, [L1, 0, 0]), vv.Inertia.point(m2, [L2 / 2, 0, 0])],
        parameters={"L1": 0.4, "L2": 0.3, "m1": 1, "m2": 2, "g": 9.81},
        gravity=[0, -g, 0],
        tool=[[1, 0, 0, L2], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    )
    form = arm.closed_form()
    at = dict(zip(form.coordinates, (0.1, 0.2), strict=True)) | dict(form.parameters)
    M = np.array(form.mass_matrix.subs(at), dtype=float)
    np.testing.assert_allclose(M, arm.mass_matrix([0.1, 0.2]), rtol=1e-14)
    tip = np.array(form.pose("tool").subs(at), dtype=float)
    np.testing.assert_allclose(tip, arm.pose("tool")([0.1, 0.2]), atol=1e-15)
    assert arm.derivation().exact
    assert arm.check(sympy.Eq(sympy.Symbol("M22"), form.mass_matrix[1, 1])).is_identical
    path = tmp_path / "arm.toml"
    vv.save(arm, path)
    again = vv.load(path)
    assert again.check(sympy.Eq(sympy.Symbol("M12"), form.mass_matrix[0, 1])).is_identical
    with pytest.raises(UnknownNameError, match="unknown symbol 'L3'"):
        vv.from_dh([(sympy.Symbol("L3"), 0, 0, 0, "R")], convention=convention)


def test_names_of_variables_say_the_joint_type():
    rows = [(0.4, 0, 0, "theta1"), (0.3, 0, "d2", 0), (0.2, 0, 0, " q3 ")]
    arm = vv.from_dh(rows, convention="standard")
    same = vv.from_dh(
        [(0.4, 0, 0, 0), (0.3, 0, 0, 0), (0.2, 0, 0, 0)], convention="standard", joints="RPR"
    )
    assert arm.joint_names == ("theta1", "d2", "q3")
    q = [0.3, 0.2, -0.4]
    np.testing.assert_array_equal(arm.frame_pose("tool", q).p, same.frame_pose("tool", q).p)
    offset = vv.from_dh([(0.4, 0, "d1", "theta1")], convention="standard", parameters={"d1": 0.3})
    assert offset.frame_pose("tool", [0.0]).p[2] == 0.3
    with pytest.raises(ArgumentError, match="the fifth entry of a row, or joints='RRP' for all"):
        vv.from_dh([(0.4, 0, "d1", "theta1")], convention="standard")
