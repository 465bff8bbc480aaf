"""Builder: every joint type by name, armature and gears, and what it refuses."""

import numpy as np
import pytest
import sympy

from tests.support.generators.bodies import JOINTS as EXAMPLES
from tests.support.generators.bodies import close, same_inertia, same_pose
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.joints.axis import Revolute
from visviva.describe.joints.free import Free
from visviva.describe.joints.named import AXIS_NAMES as AXES
from visviva.describe.joints.named import JOINTS, axis_vector
from visviva.describe.model.body import WORLD, Body, Frame, Limits, Visual
from visviva.describe.model.compare import differences
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError, RotationError, ShapeError, UnknownNameError, VisvivaError
from visviva.space import rotations
from visviva.space.poses import Pose

DETAILS = {x.kind: {k: getattr(x, k) for k in x.details()} for x in EXAMPLES.values()}


@pytest.mark.parametrize("kind", JOINTS)
def test_every_joint_by_name(kind):
    m = Builder("one").body("a", joint=kind, **DETAILS.get(kind, {})).build()
    if kind == "fixed":
        assert m.bodies == ()
        assert m.frame_names == ("a",)
    else:
        assert type(m.bodies[0].joint) is JOINTS[kind]
        assert m.nq == m.bodies[0].joint.nq
        same_pose(m.frame_pose("a", m.neutral()), Pose.identity(), 0)


@pytest.mark.parametrize("axis", AXES)
def test_axes_by_letter(axis):
    m = Builder("one").body("a", joint="prismatic", axis=axis).build()
    sign = -1.0 if axis.startswith("-") else 1.0
    close(m.frame_pose("a", m.q(a_joint=2.0)).p, 2 * sign * np.eye(3)["xyz".index(axis[-1])], 0)
    close(axis_vector([0, 3, 4]), [0, 3, 4], 0)


def test_the_default_axis_is_z_and_vectors_are_normalised():
    m = Builder("two").body("a", joint="revolute").body("b", joint="revolute", axis=[0, 3, 4])
    first, second = m.build().bodies
    close(first.joint.axis, [0, 0, 1], 0)
    close(second.joint.axis, [0, 0.6, 0.8], 1e-15)


def test_armature_is_the_rotor_seen_through_the_gear():
    m = Builder("motor").body("a", joint="revolute", armature=2e-5, gear=100.0, damping=0.1).build()
    close(m.bodies[0].armature, [0.2], 1e-15)
    close(m.bodies[0].damping, [0.1], 0)
    close(m.bodies[0].friction, [0.0], 0)


def test_merging_fixed_bodies_keeps_mass_frames_and_poses():
    R = rotations.exp([0.3, 0.2, -0.5])
    b = Builder("arm").body(
        "link", joint="revolute", axis="x", inertia=Inertia.rod(1.0, length=1.0)
    )
    b.body(
        "flange", parent="link", at=[0, 0, 0.5], rotation=R, inertia=Inertia.sphere(0.2, radius=0.1)
    )
    b.body("camera", parent="flange", at=[0.1, 0, 0], inertia=Inertia.point(0.1, [0, 0, 0.05]))
    b.body("finger", parent="camera", joint="prismatic", at=[0, 0, 0.1], inertia=Inertia.point(0.3))
    m = b.frame("lens", body="camera", at=[0, 0.02, 0]).build()
    assert m.body_names == ("link", "finger")
    assert m.frame_names == ("link", "finger", "flange", "camera", "lens")
    assert m.mass == pytest.approx(1.6)
    flange = Pose(R, [0, 0, 0.5])
    camera = flange @ Pose.translation([0.1, 0, 0])
    q = m.q(link_joint=0.7, finger_joint=0.2)
    link = Pose.rotation([1, 0, 0], 0.7)
    same_pose(m.frame_pose("camera", q), link @ camera, 1e-15)
    same_pose(m.frame_pose("lens", q), link @ camera @ Pose.translation([0, 0.02, 0]), 1e-15)
    same_pose(m.frame_pose("finger", q), link @ camera @ Pose.translation([0, 0, 0.3]), 1e-15)
    parts = Inertia.sphere(0.2, radius=0.1).moved(R, [0, 0, 0.5])
    parts = parts + Inertia.point(0.1, [0, 0, 0.05]).moved(camera.R, camera.p)
    same_inertia(m.bodies[0].inertia, Inertia.rod(1.0, length=1.0) + parts, 1e-15)


def test_what_is_fixed_to_the_world_is_its_base():
    b = Builder("robot", base="pedestal").base_inertia(Inertia.point(5.0))
    b.body("plate", at=[0, 0, 1], inertia=Inertia.point(2.0))
    b.body("arm", parent="plate", joint="revolute", inertia=Inertia.point(1.0, [1, 0, 0]))
    m = b.frame("floor", body="pedestal", at=[0, 0, -1]).build()
    assert m.base_name == "pedestal"
    assert m.base_inertia.mass == 7.0
    close(m.base_inertia.com, [0, 0, 2 / 7], 1e-15)
    assert m.mass == 1.0
    close(m.frame_pose("arm", m.neutral()).p, [0, 0, 1], 0)
    assert "pedestal  revolute" in repr(m)


def test_pictures_move_with_what_is_merged():
    ball = Visual("sphere", Pose.translation([0, 0, 1.0]), (0.1,))
    b = Builder("b").body("a", joint="revolute", visuals=(ball,))
    m = b.body("c", parent="a", at=[1.0, 0, 0], visuals=(ball,)).build()
    assert [v.placement.p.tolist() for v in m.bodies[0].visuals] == [[0, 0, 1.0], [1.0, 0, 1.0]]


def test_a_joint_object_and_notes():
    m = Builder("b", gravity=(0, 0, 0)).note("by hand").body("a", joint=Revolute([1, 0, 0])).build()
    assert m.notes == ("by hand",)
    close(m.gravity, [0, 0, 0], 0)


@pytest.mark.parametrize(
    ("details", "error", "message"),
    [
        ({"joint": "revolut"}, UnknownNameError, "unknown joint type 'revolut'; did you mean 'rev"),
        ({"joint": "revolute", "axis": "w"}, UnknownNameError, "unknown axis 'w' .*'-z'"),
        ({"joint": "revolute", "axis": [0, 0, 0]}, ArgumentError, "an axis needs a direction"),
        ({"joint": "spherical", "axis": "z"}, ArgumentError, "a spherical joint has no axis"),
        ({"joint": "helical"}, ArgumentError, "a helical joint takes pitch=, got nothing"),
        ({"joint": "universal"}, ArgumentError, "a universal joint takes second=, got nothing"),
        *(
            ({"joint": "helical", "pitch": x}, ArgumentError, f"pitch of a helical joint .* {said}")
            for x, said in (
                (np.nan, "got nan"),
                (None, "got None"),
                ([0.1, 0.2], r"got \[0.1, 0.2\]"),
            )
        ),
        ({"joint": "revolute", "pitch": 1}, ArgumentError, "takes nothing more, got .'pitch'."),
        ({"parent": "nobody"}, UnknownNameError, "unknown body 'nobody' .*'world', 'first'"),
        ({"joint": "revolute", "limits": (0, [1, 2])}, ShapeError, "limit needs 1 values or one"),
        ({"joint": "revolute", "limits": 3.0}, ArgumentError, "limits are a pair"),
        ({"joint": "revolute", "limits": (1, -1)}, ArgumentError, "lower limit 1.* above .*-1"),
        (
            {"rotation": 2 * np.eye(3)},
            RotationError,
            "rotation of 'a' is not a rotation: R Rᵀ differs .* by 3",
        ),
        ({"rotation": np.diag([1, 1, -1])}, RotationError, "is not a rotation, it mirrors"),
        ({"at": [0, 0]}, ShapeError, "3 coordinates"),
        (
            {"joint": Revolute([1, 0, 0]), "axis": "x"},
            ArgumentError,
            "axis belongs to a joint by na",
        ),
    ],
)
def test_what_is_refused(details, error, message):
    b = Builder("b").body("first", joint="revolute")
    with pytest.raises(error, match=message):
        b.body("a", **details)


def test_names_are_unique():
    b = Builder("b").body("a", joint="revolute").body("a", joint="prismatic", joint_name="x")
    with pytest.raises(ArgumentError, match="two frames are called 'a'"):
        b.build()
    b = Builder("b").body("a", joint="revolute").frame("a", body="a")
    with pytest.raises(ArgumentError, match="two frames are called 'a'"):
        b.build()


# ---- what is no tree


def body(name, parent=WORLD, joint_name=""):
    joint = Revolute([0, 0, 1])
    return Body(
        name,
        joint_name or name,
        parent,
        Pose.identity(),
        joint,
        Inertia.point(1.0),
        Limits.of(joint),
    )


def test_impossible_trees():
    with pytest.raises(ArgumentError, match="model 'm': two frames are called 'a'"):
        Model("m", (body("a"), body("a", joint_name="b")))
    with pytest.raises(ArgumentError, match="two joints are called 'j'"):
        Model("m", (body("a", joint_name="j"), body("b", joint_name="j")))
    with pytest.raises(ArgumentError, match="two frames are called 'a'"):
        Model("m", (body("a"),), (Frame("a", 0, Pose.identity()),))
    for parent in (0, 1, -2):
        with pytest.raises(
            ArgumentError, match=f"body 'a' comes before its parent, number {parent}"
        ):
            Model("m", (body("a", parent), body("b")))
    with pytest.raises(ArgumentError, match="frame 'f' is on body number 7, and there are 1"):
        Model("m", (body("a"),), (Frame("f", 7, Pose.identity()),))
    with pytest.raises(ShapeError, match=r"gravity has 3 coordinates, got shape \(2,\)"):
        Model("m", (), gravity=[0.0, 1.0])


def test_parts_of_the_wrong_length():
    with pytest.raises(ShapeError, match=r"damping of a needs 1 values or one, got shape \(2,\)"):
        Body("a", "a", WORLD, Pose.identity(), Revolute([0, 0, 1]), Inertia.point(1.0),
             Limits.of(Revolute([0, 0, 1])), damping=[1.0, 2.0])  # fmt: skip
    with pytest.raises(ShapeError, match="limit needs 7 values or one"):
        Limits.of(Free(), lower=[0.0, 1.0])


def test_symbols_of_sympy_are_the_parameters():
    m, length = sympy.symbols("m l")
    b = Builder("pendulum", parameters={"m": 2.0, "l": 0.5})
    b.body(
        "bob",
        joint="revolute",
        at=[sympy.Rational(1, 4), 0, 0],
        inertia=Inertia.point(m, [length, 0, 0]),
    )
    model = b.build()
    assert "m" in repr(model)
    assert model.numeric.bodies[0].inertia.com[0] == 0.5
    assert model.bodies[0].placement.p[0] == 0.25
    with pytest.raises(VisvivaError, match="mass"):
        b.body("x", inertia=Inertia.point(sympy.Symbol("mass")))


@pytest.mark.parametrize(
    "wrong",
    [{"at": [0, 0, np.nan]}, {"damping": -1.0}, {"limits": (np.nan, 1)}, {"inertia": 3.0}],
    ids=str,
)
def test_numbers_that_mean_nothing(wrong):
    with pytest.raises(ArgumentError):
        Builder("b").body("x", **{"joint": "revolute", **wrong})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"inertia": Inertia.point(1.0), "com": [0, 0, 5]}, "com= is the place of mass="),
        ({"com": [0, 0, 5]}, "com= is the place of mass="),
        ({"mass": 1.0, "rest": 3.0}, "rest= is where a spring is at ease"),
        (
            {"mass": 1.0, "gear": 0, "armature": 1},
            "other than 0, or a formula of .*; got 0",
        ),
        ({"mass": 1.0, "gear": np.nan}, "other than 0, or a formula of .*; got nan"),
        ({"mass": 1.0, "effort": -1}, "the effort limit of 'b' is not negative, got -1"),
        ({"mass": 1.0, "velocity": [-2]}, "the velocity limit of 'b' is not negative"),
    ],
    ids=str,
)
def test_what_would_do_nothing_is_refused(wrong, said):
    with pytest.raises(ArgumentError, match=said):
        Builder("a").body("b", joint="revolute", **wrong)


def test_a_gear_without_a_rotor_is_noted():
    model = Builder("a").body("b", joint="prismatic", mass=1.0, gear=50).build()
    assert model.notes == ("body 'b': gear = 50 does nothing without an armature",)


def test_the_pitch_of_a_screw_is_a_formula_too():
    b = Builder("jack", parameters={"lead": 0.01})
    jack = b.body("nut", joint="helical", axis="z", mass=1.0, pitch="lead/(2*pi)").build()
    assert jack.with_parameters(lead=0.02).frame_pose("nut", [2 * np.pi]).p[2] == pytest.approx(
        0.02
    )
    with pytest.raises(ArgumentError, match="pitch of 'nut': unknown name 'p'"):
        Builder("jack").body("nut", joint="helical", mass=1.0, pitch="p")


def test_pictures_of_unknown_kinds_or_sizes_are_refused():
    with pytest.raises(UnknownNameError, match="unknown kind of visual 'foo'"):
        Visual("foo", Pose.identity())
    with pytest.raises(ArgumentError, match=r"a box has 3 sizes, got \(1.0,\)"):
        Visual("box", Pose.identity(), (1.0,))


def test_texts_over_parameters_are_formulas():
    values = {"g": 9.81, "l": 0.5, "m": 2.0}
    b = Builder("pendulum", gravity=[0, 0, "-g"], parameters=values)
    b.body("bob", joint="revolute", axis="y", mass="2*m", com=[0, 0, "-l"], at=("l/2", 0, 0))
    arm = b.frame("tip", body="bob", at=[0, 0, "-2*l"]).build()
    assert set(arm.parameters) == set(values)
    np.testing.assert_allclose(arm.numeric.gravity, [0, 0, -9.81])
    np.testing.assert_allclose(arm.gravity_forces([0.3]), 4 * 9.81 * 0.5 * np.sin(0.3))
    np.testing.assert_allclose(arm.frame_pose("tip", [0.0]).p, [0.25, 0, -1.0])
    plain = arm.with_parameters(g=1.62)
    np.testing.assert_allclose(plain.numeric.gravity, [0, 0, -1.62])


def test_texts_with_unknown_names_are_told_where_values_go():
    with pytest.raises(
        ArgumentError, match=r"(?s)gravity: unknown name 'g'.*by parameters=\{'g': "
    ):
        Builder("a", gravity=[0, 0, "-g"]).body("x", joint="revolute", mass=1.0).build()
    with pytest.raises(ArgumentError, match="com of 'x': unknown name 'l'"):
        Builder("a").body("x", joint="revolute", mass=1.0, com=["l", 0, 0])
    with pytest.raises(ArgumentError, match=r"names with their values, .* got 'l1 l2'"):
        Builder("a", parameters="l1 l2")


def test_a_place_is_also_a_pose():
    X = Pose(np.diag([1.0, -1.0, -1.0]), [0.0, 0.0, 2.0])
    by_parts = Builder("arm").body(
        "a", joint="revolute", inertia=Inertia.point(1.0), at=X.p, rotation=X.R
    )
    want = by_parts.frame("tip", body="a", at=X.p, rotation=X.R).build()
    for at in (X, X.matrix(), X.matrix().tolist()):
        b = Builder("arm").body("a", joint="revolute", inertia=Inertia.point(1.0), at=at)
        model = b.frame("tip", body="a", at=at).build()
        assert not differences(model, want)
        for refused in (b.body, b.frame):
            with pytest.raises(ArgumentError, match=r"at= is a pose, which has its rotation"):
                refused("other", at=at, rotation=np.eye(3))
    with pytest.raises(ShapeError, match="last row of a homogeneous matrix"):
        Builder("arm").frame("tip", at=np.ones((4, 4)))


def test_numbers_of_springs_may_be_formulas():
    b = Builder("mass on a spring", parameters={"a": 0.4})
    b.body("mass", joint="prismatic", joint_name="y", axis="y", mass=1.0)
    b.spring("s", 100, rest="a/2", damping="2*a", joint="y")
    made = b.build().numeric.springs[0]
    assert (made.rest, made.damping) == (0.2, 0.8)
    with pytest.raises(ArgumentError, match=r"rest of spring 's': unknown name 'c'"):
        b.spring("s", 100, rest="c/2", joint="y")
    for word in ("free_length", "rest_length", "l0"):
        with pytest.raises(
            ArgumentError, match=r"builder\.spring\('s', 100, rest=0\.2, joint='y'\)"
        ):
            b.spring("s", 100, **{word: 0.2}, joint="y")


def test_numbers_of_joints_may_be_formulas():
    """Limits are kept at the values of the parameters, and a note says so, as of files."""
    b = Builder("arm", parameters={"J": 0.25, "c": 2.0})
    more = {"damping": "c", "friction": "J/2", "stiction": "J", "armature": "J", "gear": "c"}
    bounds = {"limits": ("-pi/2", "J"), "velocity": "2*c", "effort": b.parameters["c"]}
    b.body("a", joint="revolute", mass="c", **more, **bounds)
    b.body("b", joint="revolute", mass=1.0, mimic=("a_joint", "J"))
    made = b.build()
    assert made.numeric.bodies[1].mimic.multiplier == 0.25
    one = made.with_parameters(J=0.5).numeric.bodies[0]
    assert [float(x[0]) for x in (one.damping, one.friction, one.armature)] == [2.0, 0.25, 2.0]
    assert (one.limits.lower, one.limits.upper) == (-np.pi / 2, 0.25)
    assert (one.limits.velocity, one.limits.effort) == (4.0, 2.0)
    kept = [x for x in made.notes if "is kept at the parameters' values" in x]
    assert [x.split("'")[3] for x in kept] == ["limits", "velocity", "effort"]
    for word in ("armature", "damping", "effort", "gear"):
        with pytest.raises(ArgumentError, match=f"{word} of 'x': unknown name 'k'") as error:
            b.body("x", joint="revolute", mass=1.0, **{word: "k"})
        assert "load" not in str(error.value)


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({"friction": "-a"}, "friction of 'b' must be finite and not negative, got -0.5"),
        ({"damping": "sqrt(-a)"}, "damping of 'b' must be finite and not negative, got nan"),
        ({"armature": -1.0}, "armature of 'b' must be finite and not negative, got -1.0"),
        ({"armature": "-a"}, "armature of 'b' must be finite and not negative, got -0.5"),
        ({"gear": "z", "armature": 1.0}, "other than 0, or a formula of .*; got 0"),
        ({"mass": "1/z"}, r"\(1 / z\) divides by zero at z = 0"),
        ({"at": ["1/z", 0, 0]}, r"\(1 / z\) divides by zero at z = 0"),
    ],
)
def test_texts_meet_the_checks_of_numbers(stated, said):
    b = Builder("one", parameters={"a": 0.5, "z": 0.0})
    with pytest.raises(ArgumentError, match=said):
        b.body("b", joint="revolute", **({"mass": 1.0} | stated)).build()


def test_other_values_of_parameters_meet_them_too():
    b = Builder("one", parameters={"f": 0.5})
    words = {"friction": "f", "damping": "1/f", "armature": "f"}
    m = b.body("b", joint="revolute", mass=1.0, **words).build()
    for f, said in ((-2.0, "of 'b_joint' is finite and not negative, got"), (0.0, "divides by 0")):
        with pytest.raises(ArgumentError, match=said.replace("by 0", "by zero at f = 0")):
            m.with_parameters(f=f)
    with pytest.raises(ArgumentError, match="armature of 'b_joint' is finite and not negative"):
        m.with_parameters(armature_b_joint=-1.0)
