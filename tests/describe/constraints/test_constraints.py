"""Constraints of models: stated in code, printed, compared, edited, written and read back."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import visviva as vv
from tests.describe.joints.test_closures import ALL
from tests.support.generators.bodies import close
from visviva.describe.constraints.constraint import Constraints
from visviva.describe.constraints.loop import Loop
from visviva.describe.files.toml.read import loads_toml, to_toml
from visviva.describe.joints.free import Spherical
from visviva.describe.joints.joint import Joint
from visviva.describe.values import digest
from visviva.equations.constraints import rows
from visviva.errors import ArgumentError, ParseError, UnknownNameError, VisvivaError


def linkage():
    """A crank and a coupler, a rocker, a sliding rack and a ball, with two parameters."""
    b = vv.Builder("linkage", parameters={"r": 0.3, "L": 2.0})
    b.body("crank", joint="revolute", joint_name="q1", mass=1.0, com=[0.5, 0, 0])
    b.body("coupler", parent="crank", joint="revolute", joint_name="q2", at=[1, 0, 0], mass=1.0)
    b.body("rocker", joint="revolute", joint_name="q3", at=[4, 0, 0], mass=1.0)
    b.body("slider", joint="prismatic", axis="x", joint_name="x1", mass=1.0)
    b.body("ball", joint="free", joint_name="float", mass=1.0)
    b.frame("end", body="coupler", at=[b.parameters["L"], 0, 0])
    b.frame("pin", body="rocker", at=[2, 0, 0])
    return b.build()


FORMULAS = [
    "q1 = 0.3*sin(2*t)",
    "2*q1' = r*q3' + cos(q2)",
    "float_x^2 + q2*float_wx = 0",
    "sqrt(q1^2 + L) - q3/7 - exp(-t)",
    "float_px' = L*q2'",
]


def everything():
    """A model with a loop of every closure and a relation of every kind."""
    model = linkage()
    for name, closure in ALL.items():
        model = model.with_loop("end", "pin", closure, name=name)
    for formula in FORMULAS:
        model = model.with_constraint(formula)
    model = model.with_gear("q1", "q2", -2.5, offset=0.1).with_belt("q1", "q3", 0.2, 0.3)
    model = model.with_rack("x1", "q1", radius=model.symbolic.frames[0].placement.p[0] * 0.1)
    return model.with_differential("q3", "q1", "q2", name="axle")


def same_rows(one, other):
    rng = np.random.default_rng(0)
    q, v = one.random(rng), rng.normal(size=one.nv)
    a, b = one.numeric, other.numeric
    assert np.array_equal(rows.constraint_matrix(a, q, 0.7), rows.constraint_matrix(b, q, 0.7))
    assert np.array_equal(rows.constraint_error(a, q, 0.7), rows.constraint_error(b, q, 0.7))
    assert np.array_equal(rows.constraint_bias(a, q, v, 0.7), rows.constraint_bias(b, q, v, 0.7))


def test_constraints_are_one_value_in_the_order_in_which_they_were_stated():
    model = everything()
    assert type(model.constraints) is Constraints
    assert model.constraints.names[: len(ALL)] == tuple(ALL)
    assert model.constraints.names[-5:] == ("constraint5", "gear1", "belt1", "rack1", "axle")
    assert [x.name for x in model.loops] == list(ALL)
    assert len(model.held_by) == len(model.constraints)
    assert {x.name for x in model.constraints if x.is_moving} == {"constraint1", "constraint4"}
    assert model.without_constraints().constraints == ()
    assert "'gear1' keeps q1 = (-2.5)*q2 + 0.1" in model.held_by
    text = repr(model)
    assert f"{len(ALL)} loops: 'fixed' welds 'end' to 'pin'" in text
    assert "9 constraints: 'constraint1' keeps q1 = 0.3*sin(2*t)" in text


def test_couplings_are_the_formulas_they_say():
    model = linkage()
    q = np.arange(1.0, 1.0 + model.nq)
    q[4:8] = [0, 0, 0, 1]
    for coupled, formula in (
        (model.with_gear("q1", "q2", -2.5, offset=0.1), "q1 = -2.5*q2 + 0.1"),
        (model.with_belt("q1", "q3", 0.2, 0.3), "0.2*q1 = 0.3*q3"),
        (model.with_belt("q1", "q3", 0.2, 0.3, crossed=True), "0.2*q1 = -0.3*q3"),
        (model.with_rack("x1", "q1", 0.05), "x1 = 0.05*q1"),
        (model.with_differential("q3", "q1", "q2", 4.0), "q3 = 4*(q1 + q2)/2"),
        (model.with_gear("q1", "q2", "-r/L", offset="L"), "q1 = -(r/L)*q2 + L"),
        (model.with_belt("q1", "q3", "r", "2*L"), "r*q1 = 2*L*q3"),
        (model.with_rack("x1", "q1", "1/20"), "x1 = 0.05*q1"),
    ):
        same = model.with_constraint(formula)
        close(
            rows.constraint_matrix(coupled.numeric, q), rows.constraint_matrix(same.numeric, q), 0
        )
        close(rows.constraint_error(coupled.numeric, q), rows.constraint_error(same.numeric, q))
    with pytest.raises(
        ArgumentError, match=r"ratio is a finite number other than 0, or a .*; got 0"
    ):
        model.with_gear("q1", "q2", 0.0)
    with pytest.raises(UnknownNameError, match="coordinate in constraint 'gear1' 'q7'"):
        model.with_gear("q1", "q7", 2.0)
    with pytest.raises(ArgumentError, match=r"formula of parameters of .* unknown name 'q3'"):
        model.with_gear("q1", "q2", "q3")


def test_numbers_of_constraints_follow_parameters():
    model = linkage()
    model = model.with_loop(
        "end", "pin", "distance", length=model.symbolic.frames[0].placement.p[0]
    )
    model = model.with_constraint("q1 = r*q2")
    changed = model.with_parameters(L=3.0, r=0.5).numeric
    assert changed.constraints[0].joint.length == 3.0
    assert rows.constraint_matrix(changed, changed.neutral())[1].tolist()[:2] == [1.0, -0.5]
    assert digest(changed) != digest(model.numeric)


def test_parameters_of_constraints_can_be_inputs():
    model = linkage()
    L = model.symbolic.frames[0].placement.p[0]
    model = model.with_loop("end", "ball", "distance", length=L).with_gear("q1", "q3", L)
    bowl = {"surface": "x^2 + y^2 - k*z", "numbers": {"k": L}}
    model = model.with_loop("world", "ball", "point_on_surface", **bowl)
    model = model.with_loop("world", "ball", "rolling_disc", axis="x", radius=L)
    model = model.with_constraint("q1 = r*q2 + L*float_x")
    rng = np.random.default_rng(0)
    q, v = model.random(rng), rng.normal(size=model.nv)
    changed = model.with_parameters(r=0.5, L=3.0).numeric
    f = model.function("constraint_bias", parameters=["r", "L"])
    close(f(q, v, [0.5, 3.0]), rows.constraint_bias(changed, q, v), 1e-13)
    f = model.function("constraint_matrix", parameters=["r", "L"])
    close(f(q, [0.5, 3.0]), rows.constraint_matrix(changed, q), 1e-14)


def test_constraints_survive_a_file_to_the_last_bit():
    model = everything()
    back = loads_toml(to_toml(model))
    assert back.constraints.names == model.constraints.names
    same_rows(model, back)
    assert vv.differences(model, back) == []
    off = replace(model, constraints=[replace(x, active=False) for x in model.constraints])
    assert not any(x.active for x in loads_toml(to_toml(off)).constraints)


def test_a_file_states_constraints():
    model = loads_toml("""
name = "slider-crank"
parameters = { r = 0.2 }
[expressions]
twice = "2*r"
[[body]]
name = "crank"
joint = "revolute"
joint_name = "theta"
axis = "z"
[[body]]
name = "rod"
parent = "crank"
at = ["r", 0, 0]
joint = "revolute"
axis = "z"
[[body]]
name = "track"
joint = "free"
joint_name = "base"
[[constraint]]
name = "guide"
frame1 = "world"
frame2 = "rod"
joint = "point_on_line"
axis = "x"
[[constraint]]
name = "bowl"
frame1 = "world"
frame2 = "track"
joint = "point_on_surface"
surface = "x^2 + y^2 - twice*z"
[[constraint]]
name = "drive"
formula = "theta = r*t"
active = false
""")
    assert model.constraints.names == ("guide", "bowl", "drive")
    assert [x.active for x in model.constraints] == [True, True, False]
    q = model.q(theta=0.3)
    q[-3:] = [0.1, 0.2, 0.5]
    error = rows.constraint_error(model.numeric, q)
    gradient = np.linalg.norm([0.2, 0.4, -0.4])
    close(np.sort(error[:2]), [0.0, 0.2 * np.sin(0.3)], 1e-15)
    close(error[2:], [(0.05 - 0.4 * 0.5) / gradient], 1e-15)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('formula = "q1 = 1"\njoint = "fixed"', "got 'formula' and 'joint'"),
        ('frame1 = "a"\nframe2 = "a"\njoint = "fixd"', "unknown closure 'fixd'"),
        ('frame1 = "a"\nframe2 = "world"\njoint = "revolute"', "needs the key 'axis'"),
        ('frame1 = "a"\nframe2 = "world"\njoint = "distance"', "takes length=, got nothing"),
        ('frame1 = "a"\nframe2 = "b"\njoint = "fixed"', "unknown frame 'b'"),
        ('frame1 = "a"\nframe2 = "a"\njoint = "fixed"', "both fixed to 'a'"),
        ('formula = "q2 = 1"', "unknown name 'q2'"),
        ('formula = "q1 ="', "constraint 'c'"),
        ('frame1 = "a"\nframe2 = "world"\njoint = "free"', "a free joint holds nothing"),
    ],
)
def test_what_a_file_states_wrongly_is_told_with_its_place(lines, words):
    text = 'name = "m"\n[[body]]\nname = "a"\njoint = "revolute"\naxis = "z"\njoint_name = "q1"\n'
    with pytest.raises(VisvivaError, match=r"constraint 1 \('c'\).*" + words.replace("(", r"\(")):
        loads_toml(f'{text}[[constraint]]\nname = "c"\n{lines}')


def test_what_no_file_can_state_is_refused_by_name():
    class Odd(Spherical):
        pass

    model = linkage().with_loop("end", "pin", Odd(), name="odd")
    with pytest.raises(ArgumentError, match="cannot state that 'odd' keeps the origins"):
        to_toml(model)
    assert to_toml(model, lossy=True).startswith("# left out: 'odd' keeps the origins")


def test_what_is_wrong_is_refused_with_what_there_is():
    model = linkage()
    with pytest.raises(UnknownNameError, match=r"unknown frame 'ende'; did you mean 'end'\?"):
        model.with_loop("ende", "pin")
    with pytest.raises(ArgumentError, match="'end' and 'coupler', which are both fixed to"):
        model.with_loop("end", "coupler")
    with pytest.raises(ArgumentError, match="two constraints are called 'c'"):
        model.with_loop("end", "pin", name="c").with_constraint("q1 = 1", "c")
    with pytest.raises(ArgumentError, match="axis= belongs to a joint by name"):
        model.with_loop("end", "pin", Spherical(), axis="x")
    with pytest.raises(ArgumentError, match="closed by a joint or another closure, got str"):
        Loop("c", "end", "pin", "revolute")
    with pytest.raises(ArgumentError, match="Loop and Relation objects, got str"):
        replace(model, constraints=("something",))
    for text, words in {
        "q1'^2 = 1": "velocities stand in it linearly or not at all",
        "q1'*float_wx = 1": "velocities stand in it linearly or not at all",
        "r = 2*t": "none stands in it",
        "3": "none stands in it",
    }.items():
        with pytest.raises(ArgumentError, match=words):
            model.with_constraint(text)
    for text, words in {
        "q1'' = 1": "q1 has no rate in this formula",
        "r' = q1": "r has no rate in this formula",
        "q9 = 1": "unknown name 'q9'",
        "q1 = ": "constraint 'constraint1'",
    }.items():
        with pytest.raises(ParseError, match=words):
            model.with_constraint(text)
    with pytest.raises(ArgumentError, match="a text or a function, got int"):
        model.with_constraint(3)
    with pytest.raises(ArgumentError, match=r"takes some of q, v, t, got \(x\)"):
        model.with_constraint(lambda x: x)


def test_a_function_may_state_several():
    model = linkage().with_constraint(lambda q: [q[0] - q[1], q[2] - 1.0], "pair")
    assert model.constraints.names == ("pair_1", "pair_2")
    error = rows.constraint_error(model.numeric, model.q(q1=0.3))
    close(error, [0.3, -1.0])


def test_names_that_mean_two_things_are_refused():
    b = vv.Builder("two", parameters={"base_x": 1.0})
    model = b.body("body", joint="planar", joint_name="base", mass=1.0).build()
    with pytest.raises(ArgumentError, match="'base_x' can mean two things, a coordinate and a"):
        model.with_constraint("base_x = 1")
    assert model.with_constraint("base_y = 1").held_by


def test_models_made_from_a_constrained_one():
    """Pickled, joined with prefixes, taken apart, with joints held: never without a word."""
    model = everything()
    again = pickle.loads(pickle.dumps(model))
    assert again.constraints == model.constraints
    assert digest(again) == digest(model)
    same_rows(model, again)

    arm = linkage().with_loop("end", "pin").with_gear("q1", "q2", 2.0)
    arm = arm.with_constraint("float_px = q1'*0 + q3")
    both = arm.attached(arm.numeric, "pin", prefix="h_")
    assert both.constraints.names[3:] == ("h_loop1", "h_gear1", "h_constraint1")
    assert both.loops[1].frames == ("h_end", "h_pin")
    q = both.random(0)
    A = rows.constraint_matrix(both.numeric, q)
    own, theirs = A[: len(A) // 2], A[len(A) // 2 :]
    assert not own[:, arm.nv :].any()
    assert not theirs[:, : arm.nv].any()
    close(own[:, : arm.nv], rows.constraint_matrix(arm.numeric, q[: arm.nq]))
    close(theirs[:, arm.nv :], rows.constraint_matrix(arm.numeric, q[arm.nq :]))

    part = arm.submodel("crank")
    assert part.constraints == ()
    assert sum("it acts on what is no longer there" in x for x in part.notes) >= 2


def test_joints_that_are_held_are_numbers_in_relations():
    model = linkage().with_constraint("q1 = q2^2 + q3'*0 + t*0", "c").with_gear("q1", "q3", 2.0)
    held = model.locked(q2=0.5, q3=0.1)
    assert held.constraints.names == ("c", "gear1")
    q = held.q(q1=0.2)
    close(rows.constraint_error(held.numeric, q)[-1:], [0.2 - 0.2])
    close(rows.constraint_matrix(held.numeric, q)[:, 0], [1.0, 1.0])
    kept = model.locked(q1=0.2, q3=0.1)
    assert kept.constraints.names == ("c",)
    assert any("nothing in it moves any more, and it holds" in x for x in kept.notes)
    with pytest.raises(ArgumentError, match=r"'gear1'.*that cannot be, as nothing in it moves"):
        model.locked(q1=0.2, q3=0.7)
    with pytest.raises(ArgumentError, match="cannot be"):
        linkage().with_constraint("q1 = sin(t)").locked(q1=0.0)


def test_a_loop_between_frames_that_no_longer_move_holds_or_is_refused():
    b = vv.Builder("door").body("door", joint="revolute", joint_name="q1", mass=1.0)
    b.frame("latch", body="door", at=[1, 0, 0]).frame("jamb", at=[0, 1, 0])
    model = b.build().with_loop("latch", "jamb", "spherical")
    shut = model.locked(q1=np.pi / 2)
    assert shut.constraints == ()
    assert "nothing in it moves any more, and it holds" in shut.notes[-1]
    with pytest.raises(ArgumentError, match=r"keeps the origins .* that cannot be"):
        model.locked(q1=0.3)


def test_differences_are_told():
    model = linkage().with_loop("end", "pin", name="c")
    other = linkage().with_loop("end", "pin", "spherical", name="c")
    assert (
        "by a revolute joint, axis z in the first, and 'c' keeps the"
        in vv.differences(model, other)[0]
    )
    turned = linkage().with_loop("end", "pin", axis="x", name="c")
    assert "the numbers of constraint 'c'" in vv.differences(model, turned)[0]
    assert vv.differences(model, linkage()) == ["only the first has a constraint 'c'"]
    assert vv.differences(model, linkage().with_loop("end", "pin", name="c")) == []


def test_a_joint_of_ones_own_closes_a_loop_if_it_says_where_it_is():
    class Plain(Joint):
        coordinates = velocities = ("",)
        angular = (False,)

        def transform(self, q):
            return vv.Pose.translation([q[0], 0.0, 0.0])

        def subspace(self, q):
            return np.eye(6)[:, 3:4]

    model = linkage().with_loop("end", "pin", Plain())
    q = model.random(0)
    assert rows.constraint_matrix(model.numeric, q).shape == (5, model.nv)
    with pytest.raises(ArgumentError, match=r"Plain does not say .* define located\(X\)"):
        rows.constraint_error(model.numeric, q)


def test_where_formulas_are_stated_t_is_the_time():
    """A joint, one that follows and a parameter of this name would be taken for it."""
    b = vv.Builder("two").body("a", joint="revolute", joint_name="t", mass=1.0)
    b.body("b", parent="a", joint="revolute", joint_name="u", mass=1.0)
    for state in (
        lambda m: m.with_gear("t", "u", 2.0),
        lambda m: m.with_constraint("u = 0.1"),
        lambda m: m.with_constraint(lambda q: q[0] - q[1]),
    ):
        with pytest.raises(ArgumentError, match="'t' can mean two things in constraints, a joint"):
            state(b.build())
    follows = vv.Builder("two").body("a", joint="revolute", joint_name="u", mass=1.0)
    follows.body("b", joint="revolute", joint_name="t", mimic=("u", 2.0), mass=1.0)
    with pytest.raises(ArgumentError, match="a joint and the time: rename the joint"):
        follows.build().with_constraint("u = 0.1")
    held = vv.Builder("one", parameters={"t": 2.0})
    held.body("a", joint="revolute", joint_name="u", mass=held.parameters["t"])
    with pytest.raises(ArgumentError, match="a parameter and the time: rename the parameter"):
        held.build().with_constraint("u = 0.1")
    assert b.build().with_loop("world", "b").loops
