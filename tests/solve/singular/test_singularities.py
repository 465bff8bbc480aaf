"""det J in factors against published ones and against numbers; sets lose rank, all of them."""

import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.counts import count
from visviva.errors import ArgumentError, ConstrainedError, OutsideError, UnknownNameError
from visviva.solve.singular.chosen import chosen

PI = np.pi
UR5 = [
    (0, PI / 2, 0.089159, 0),
    (-0.425, 0, 0, 0),
    (-0.39225, 0, 0, 0),
    (0, PI / 2, 0.10915, 0),
    (0, -PI / 2, 0.09465, 0),
    (0, 0, 0.0823, 0),
]


def from_rows(rows, joints=None):
    inertias = [vv.Inertia.point(1.0)] * len(rows)
    return vv.from_dh(
        rows, joints=joints or "R" * len(rows), convention="standard", name="arm", inertias=inertias
    )


@pytest.fixture(scope="module")
def ur5():
    return from_rows(UR5)


@pytest.fixture(scope="module")
def puma():
    return vv.catalog.puma560()


def value(expression, model, q):
    """A formula at a position."""
    known = {**model.parameters, **dict(zip(model.coordinate_names, q, strict=True))}
    return float(sympy.sympify(expression).subs(known))


def sine(*names):
    return sympy.sin(sum(map(sympy.Symbol, names)))


def cosine(*names):
    return sympy.cos(sum(map(sympy.Symbol, names)))


ARMS = [
    ("two_link", None),
    ("planar_3r", None),
    ("planar_3r", "x y"),
    ("rpr_arm", None),
    ("pr_arm", None),
    ("spatial_3r", None),
    ("scara", None),
    ("spherical", None),
    ("craig_6_5", None),
    ("stanford", None),
    ("puma560", None),
    ("human_arm", None),
]


@pytest.mark.spread(5)
@pytest.mark.parametrize(("name", "task"), ARMS)
def test_the_formula_is_the_determinant_of_the_compiled_jacobian(name, task):
    model = getattr(vv.catalog, name)()
    found = model.singularities("tool", task=task)
    rng = np.random.default_rng(3)
    for q in rng.uniform(-2, 2, (2, model.nq)):
        J = np.array(model.task_jacobian("tool", found.task.text).interpret(q), float)
        m, n = J.shape
        det = np.linalg.det(J if m == n else J @ J.T if m < n else J.T @ J)
        assert value(found.determinant, model, q) == pytest.approx(det, rel=1e-10, abs=1e-13)


def test_puma_is_its_arm_times_its_wrist(puma):
    """Fu, Gonzalez and Lee: a2 (d4 c3 - a3 s3)(a2 c2 + a3 c23 + d4 s23) s5."""
    a2, a3, d4 = sympy.symbols("a2 a3 d4")
    two, three, five = "joint2", "joint3", "joint5"
    arm = a2 * (d4 * cosine(three) - a3 * sine(three))
    arm *= a2 * cosine(two) + a3 * cosine(two, three) + d4 * sine(two, three)
    found = puma.singularities("tool")
    assert found.task.text == "pose"
    assert sympy.expand(found.determinant + arm * sine(five)) == 0
    # the arm is the determinant of the wrist centre's position by the first three joints
    centre = puma.singularities("link4", task="position")
    assert centre.joints == ("joint1", "joint2", "joint3")
    assert sympy.expand(sympy.expand_trig(centre.determinant**2 - arm**2)) == 0
    assert [(s.name, s.power) for s in found.sets] == [("wrist", 1), ("shoulder", 1), ("elbow", 1)]


def test_ur5_has_no_spherical_wrist_and_three_sets(ur5):
    """s3 s5 (a2 c2 + a3 c23 + d5 s234), up to numbers and signs."""
    found = ur5.singularities("tool")
    elbow, wrist, shoulder = sine("joint3"), sine("joint5"), found.sets[2].equations[0]
    assert {s.equations[0] for s in found.sets[:2]} == {elbow, wrist}
    assert [s.name for s in found.sets] == ["wrist", "elbow", "shoulder"]
    two, three, four = (f"joint{k}" for k in (2, 3, 4))
    known = 0.425 * cosine(two) + 0.39225 * cosine(two, three) - 0.09465 * sine(two, three, four)
    assert abs(sympy.N((shoulder - known).subs({two: 0.3, three: 0.7, four: 0.2}))) < 1e-12
    assert "0.425*cos(joint2)" in str(found)


def test_tools_do_not_change_where_a_pose_is_singular(puma):
    moved = puma.with_frame("torch", [0.1, 0.2, 0.3], on="tool")
    assert moved.singularities("torch").determinant == puma.singularities("tool").determinant


def test_stanford(puma):
    arm = vv.catalog.stanford()
    found = arm.singularities("tool")
    d = sympy.Symbol("joint3")
    assert sympy.expand(found.determinant + d**2 * sine("joint2") * sine("joint5")) == 0
    assert [(s.equations[0], s.power, s.is_reached) for s in found.sets] == [
        (d, 2, False),  # the boom is 12 inches at least
        (sine("joint2"), 1, True),
        (sine("joint5"), 1, True),
    ]


def test_redundant_arms_are_singular_where_all_minors_are():
    """A plane 3R in x and y where it is straight; a human arm in five ways."""
    flat = vv.catalog.planar_3r().singularities("tool", task="x y")
    (straight,) = flat.sets
    assert flat.what == "det J Jᵀ"
    assert {frozenset(x.items()) for x in straight.solutions} == {
        frozenset({("theta2", a), ("theta3", b)}) for a in (0, sympy.pi) for b in (0, sympy.pi)
    }
    human = vv.catalog.human_arm()
    found = human.singularities("tool")
    assert found.complete
    assert len(found.minors) == 6
    said = [frozenset(map(str, s.equations)) for s in found.sets]
    assert said == [
        frozenset({"sin(elbow)"}),
        frozenset({"cos(shoulder2)", "cos(wrist2)"}),
        frozenset({"cos(shoulder2)", "sin(shoulder3)"}),
        frozenset({"cos(wrist1)", "cos(wrist2)"}),
    ]
    for one in found.sets:
        assert human.singularity("tool", one.positions(1)[0]).rank == 5
    free = vv.catalog.mobile_manipulator().singularities("tool")
    assert free.sets == ()
    assert "never zero" in str(free)


@pytest.mark.soak
def test_rank_is_lost_on_sets_and_nowhere_else(puma, ur5):
    """Positions on sets; and from random positions on, Newton's way to a zero of det J."""
    for model in (puma, ur5):
        found = model.singularities("tool")
        equations = [s.equations[0] for s in found.sets]
        for one in found.sets:
            for q in one.positions(count(2, 40), seed=5):
                assert model.singularity("tool", q).rank <= 5
        rng = np.random.default_rng(1)
        for q in rng.uniform(-2, 2, (count(0, 20), 6)):
            nearest = model.singularity("tool", q).distance.nearest
            if nearest is not None:
                assert min(abs(value(x, model, nearest)) for x in equations) < 1e-6


@pytest.mark.soak
def test_random_arms_of_three_hinges():
    """Any twists and offsets: the formula agrees with numbers, and its sets lose rank."""
    rng = np.random.default_rng(8)
    for _ in range(count(2, 40)):
        quarters = rng.integers(0, 4, 3) * PI / 2
        sizes = np.round(rng.uniform(0.1, 0.9, (3, 2)), 2)
        arm = from_rows([(a, alpha, d, 0) for alpha, (a, d) in zip(quarters, sizes, strict=True)])
        if set(chosen(arm, "tool", None, "").task.text.split()) != {"position"}:
            continue
        found = arm.singularities("tool")
        q = rng.uniform(-3, 3, 3)
        det = np.linalg.det(arm.task_jacobian("tool", "position")(q))
        assert value(found.determinant, arm, q) == pytest.approx(det, rel=1e-9, abs=1e-13)
        for one in found.sets:
            for x in one.positions(2):
                s = arm.singularity("tool", x, task="position").singular_values
                assert s[-1] < 1e-7 * s[0]


def test_the_task_is_chosen_by_what_joints_can_drive():
    words = {
        "rp_arm": "x y",
        "planar_body": "x y phi",
        "spatial_3r": "position",
        "puma560": "pose",
        "human_arm": "pose",
        "craig_6_5": "position",
    }
    for name, text in words.items():
        model = getattr(vv.catalog, name)()
        assert chosen(model, model.frame_names[-1], None, "").task.text == text
    wrist = from_rows([(0, PI / 2, 0, 0), (0, -PI / 2, 0, 0), (0, 0, 0, 0)])
    found = wrist.singularities("tool")
    assert (found.task.text, str(found.sets[0].equations[0])) == ("orientation", "sin(joint2)")
    five = from_rows(
        [(0, PI / 2, 0.3, 0), (0.4, 0, 0, 0), (0.3, 0, 0, 0), (0, PI / 2, 0, 0), (0, 0, 0.1, 0)]
    )
    assert chosen(five, "tool", None, "").task.text == "position x-axis"  # it spins about its z


def test_a_task_that_no_joints_can_drive_is_singular_everywhere():
    found = vv.catalog.two_link().singularities("tool", task="x z")
    assert (found.determinant, found.sets[0].name) == (0, "everywhere")
    assert "cannot drive x, z anywhere" in str(found)


def test_values_of_parameters_decide_whether_a_set_is_there():
    """A link of length zero; a tip that never comes to the first axis."""
    short = vv.catalog.two_link(L1=0.0).singularities("tool", task="x y")
    assert short.sets[0].name == "everywhere"
    assert short.sets[0].meaning.startswith("L1 is zero for the values of the parameters")
    long = vv.catalog.craig_6_5(L1=0.5, L2=0.4).singularities("tool")
    assert not long.sets[0].is_reached
    assert "none found for these lengths" in str(long)
    reached = vv.catalog.craig_6_5(L1=0.4, L2=0.5).singularities("tool")
    assert reached.sets[0].is_reached
    assert "none found within the limits" in str(vv.catalog.stanford().singularities("tool"))


def test_bad_questions_are_refused():
    arm = vv.catalog.two_link()
    with pytest.raises(
        UnknownNameError, match=r"unknown frame 'tip'.*available: 'link1', 'link2', 'tool'"
    ):
        arm.singularities("tip")
    with pytest.raises(UnknownNameError, match="unknown word of a task 'postion'"):
        arm.singularities("tool", task="postion")
    with pytest.raises(ArgumentError, match="no joint of 'two_link' moves the frame 'world'"):
        arm.singularities("world")
    with pytest.raises(ConstrainedError, match=r"'four_bar' is held by .* without_constraints\(\)"):
        vv.catalog.four_bar().singularities("coupler")
    with pytest.raises(OutsideError, match="turns by a quaternion"):
        vv.catalog.tumbling_body().singularities("body")
    rng = np.random.default_rng(1)
    general = from_rows([(*np.round(rng.uniform(0.1, 1, 3), 2), 0) for _ in range(6)])
    with pytest.raises(
        OutsideError, match=r"has no closed form: too many terms: .* in half angles"
    ):
        general.singularities("tool")


def with_slide(axis):
    """A hinge, a slide along any direction, a hinge."""
    b = vv.Builder("s")
    li = vv.Inertia.point(1.0)
    b.body("a", joint="revolute", joint_name="j1", axis="z", inertia=li)
    b.body(
        "b", parent="a", joint="prismatic", joint_name="j2", axis=axis, at=[0.2, 0, 0], inertia=li
    )
    b.body("c", parent="b", joint="revolute", joint_name="j3", axis="y", at=[0, 0.4, 0], inertia=li)
    b.frame("tool", body="c", at=[0.1, 0, 0.2])
    return b.build()


@pytest.mark.parametrize("axis", [[0, 1, 1], [0, np.sin(1), np.cos(1)], [1, 2, 2], [0, 0.6, 0.8]])
def test_a_small_number_before_a_determinant_is_no_factor_that_is_zero(axis):
    """Directions that are no fractions have long coefficients: only a zero is zero everywhere."""
    arm = with_slide(axis)
    found = arm.singularities("tool")
    (one,) = found.sets
    assert found.complete
    assert not one.is_everywhere
    for q in one.positions(4):
        assert arm.singularity("tool", q).rank == 2
    q = [0.3, 0.4, 0.5]
    det = np.linalg.det(np.array(arm.task_jacobian("tool", "position").interpret(q), float))
    assert value(found.determinant, arm, q) == pytest.approx(det, rel=1e-12)
    assert "e-1" not in str(found)  # numbers of the size of the arm's


def test_rounding_is_no_motion_and_makes_no_sets():
    """Hinges about one diagonal: what digits of 1/√2 leave of det J is zero, not 1e-17 sin q."""
    b = vv.Builder("fan")
    li, parent = vv.Inertia.point(1.0), {}
    for k, at in enumerate(([0.1, 0.2, 0.3], [0.3, 0.1, 0], [0.2, 0.4, 0.1]), 1):
        b.body(f"b{k}", joint="revolute", axis=[0, 1, 1], at=at, inertia=li, **parent)
        parent = {"parent": f"b{k}"}
    b.frame("tool", body="b3", at=[0.3, 0, 0.1])
    arm = b.build()
    found = arm.singularities("tool", task="position")
    assert [s.name for s in found.sets] == ["everywhere"]
    assert found.complete
    assert arm.singularity("tool", [0.3, 0.4, 0.5], task="position").rank == 2
    slides = vv.Builder("slides")  # two directions of three, and a third at 1e-17 of them
    slides.body("a", joint="prismatic", axis=[1, 1, 1], inertia=li)
    slides.body("b", parent="a", joint="prismatic", axis=[1, 1, -2], inertia=li)
    slides.body("c", parent="b", joint="prismatic", axis=[1, 1, 0.3], inertia=li)
    flat = slides.build().singularities("c", task="position")
    assert [s.name for s in flat.sets] == ["everywhere"]


def test_sets_whose_positions_keep_rank_are_not_listed(monkeypatch):
    """Numbers have the last word: a set that does not lose rank is left out, and that is said."""
    from visviva.solve.singular import closed
    from visviva.solve.singular.sets import of_factor

    def shifted(arm, e, poly, power):
        return of_factor(arm, e, poly + e.ring.number("0.1"), power)

    monkeypatch.setattr(closed, "of_factor", shifted)
    found = vv.catalog.two_link().singularities("tool")
    assert (found.sets, found.complete) == ((), False)
    assert "1 set of the formulas left out" in str(found)
    assert "never zero" not in str(found)


def test_angles_of_stated_rotations_are_told_with_numbers():
    """det J has their sines and cosines; one that is nearly a quarter turn makes it nearly zero."""
    b = vv.Builder("typed")
    li = vv.Inertia.point(1.0)
    b.body("a", joint="revolute", joint_name="j1", axis="z", inertia=li)
    b.body(
        "b",
        parent="a",
        joint="revolute",
        joint_name="j2",
        rotation=vv.space.about_axis([1, 0, 0], 1.2),
        inertia=li,
    )
    b.body("c", parent="b", joint="revolute", joint_name="j3", at=[0.3, 0, 0.1], inertia=li)
    b.frame("tool", body="c", at=[0.4, 0, 0])
    arm = b.build()
    found = arm.singularities("tool")
    assert found.values == {"roll_j2": 1.2}
    assert "roll_j2 = 1.2: angle (rad) by which joints are placed" in str(found)
    q = [0.3, 0.4, 0.5]
    det = np.linalg.det(np.array(arm.task_jacobian("tool", "position").interpret(q), float))
    at = dict(zip(arm.coordinate_names, q, strict=True))
    assert float(found.determinant.subs({**at, **found.values})) == pytest.approx(det, rel=1e-12)
    b = vv.Builder("nearly")
    b.body("a", joint="revolute", joint_name="j1", axis="z", inertia=li)
    b.body(
        "b",
        parent="a",
        joint="revolute",
        joint_name="j2",
        rotation=vv.space.about_axis([1, 0, 0], 1e-7),
        inertia=li,
    )
    b.body("c", parent="b", joint="revolute", joint_name="j3", at=[0.3, 0, 0], inertia=li)
    b.frame("tool", body="c", at=[0.4, 0, 0])
    near = b.build().singularities("tool", task="position")
    assert "nearly singular everywhere: at 12 random positions" in str(near)


def test_small_parameters_are_no_rounding():
    """Terms are compared by their numbers: of a parameter of 1e-9 m no power is left out."""
    small = vv.catalog.puma560(a3=1e-9).singularities("tool")
    large = vv.catalog.puma560().singularities("tool")
    assert sympy.expand(small.determinant - large.determinant) == 0
    tiny = vv.catalog.two_link(L1=1e-9, L2=1e-9).singularities("tool")
    assert [s.equations for s in tiny.sets] == [(sine("q2"),)]
