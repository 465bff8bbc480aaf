"""Constraints that are stated are never ignored; what a model is held by and driven by is shown."""

import pickle

import numpy as np
import pytest

import visviva as vv
from visviva.describe.files.mjcf.read import OtherEquality
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError, AssemblyError

LOOP = """
<mujoco><worldbody>
  <body name="a"><joint name="one" axis="0 1 0" damping="0.3" frictionloss="0.1" armature="0.2"/>
    <geom type="capsule" fromto="0 0 0 1 0 0" size="0.05"/>
    <body name="b" pos="1 0 0"><joint name="two" axis="0 1 0" damping="0.4"/>
      <geom type="capsule" fromto="0 0 0 1 0 0" size="0.05"/><site name="end" pos="1 0 0"/></body>
  </body><site name="ground" pos="2 0 0"/></worldbody>
  <equality>{}</equality></mujoco>"""
CONNECT = '<connect name="closure" site1="end" site2="ground"/>'
POINT = {"kinetic": "m*(x'^2 + y'^2)/2", "potential": "m*g*y"}
VALUES = {"m": 1.0, "g": 9.81, "L": 1.0}
HELD = {"constraints": "x^2 + y^2 - L^2", "parameters": VALUES}


def mjcf(tmp_path, equality):
    path = tmp_path / "m.xml"
    path.write_text(LOOP.format(equality))
    return vv.load(path)


def pendulum(**more):
    return vv.Lagrangian("x y", **POINT, **HELD, **more)


@pytest.fixture(params=["loop", "energies"])
def held(request, tmp_path):
    return mjcf(tmp_path, CONNECT) if request.param == "loop" else pendulum()


def test_forward_dynamics_honours_constraints_and_the_open_system_has_none():
    held = pendulum()
    q, v = [0.6, -0.8], [0.8, 0.6]
    a = held.forward_dynamics(q, v, [0, 0])
    np.testing.assert_allclose(held.constraint_matrix(q) @ a, -held.constraint_bias(q, v))
    assert held.mass_matrix_inverse(q).shape == (2, 2)
    f = held.function("forward_dynamics", parameters=held.parameter_names[:1])
    np.testing.assert_allclose(f(q, v, [0, 0], [1.0]), a)
    traced = vv.function(lambda q: held.forward_dynamics(q, v, [0.0, 0.0]), {"q": 2})
    np.testing.assert_allclose(traced(q), a)
    opened = held.without_constraints()
    np.testing.assert_allclose(held.free_acceleration(q, v, [0, 0]), [0, -9.81])
    assert opened.forward_dynamics([0.3, -1.0], [0, 0], [0, 0]).shape == (2,)
    assert opened.held_by == ()
    assert opened.without_constraints().held_by == ()
    assert hasattr(opened, "forward_dynamics")


@pytest.mark.spread(1)
def test_what_constraint_forces_do_not_enter_stays(held):
    """inverse_dynamics is M a + C v + g + b, without λ."""
    q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    opened = held.without_constraints()
    for name, args in {
        "inverse_dynamics": (q, v, a),
        "mass_matrix": (q,),
        "coriolis_matrix": (q, v),
        "gravity_forces": (q,),
        "bias_forces": (q, v),
        "kinetic_energy": (q, v),
        "potential_energy": (q,),
    }.items():
        assert np.array_equal(getattr(held, name)(*args), getattr(opened, name)(*args))
    assert np.isfinite(held.inverse_dynamics.jacobian("q")(q, v, a)).all()


@pytest.mark.spread(0)
def test_equations_of_a_constrained_system_are_judged_where_constraints_hold(held):
    """The loop holds in one position alone, a singular one: there nothing can be shown."""
    name = held.joint_names[0]
    if isinstance(held, Model):
        with pytest.raises(ArgumentError, match="no position was found at which the constraints"):
            held.check(f"tau_{name} = 0")
    else:
        assert held.check(f"tau_{name} = 0").status == "differs"
    assert held.without_constraints().check(f"tau_{name} = 0").status == "differs"
    assert "τ + Aᵀ λ" in str(held.derivation())
    assert not any("constraint" in x or "loop" in x for x in held.closed_form().left_out)


def test_reactions_inside_a_closed_loop_are_refused(tmp_path):
    model = mjcf(tmp_path, CONNECT)
    z = np.zeros(2)
    with pytest.raises(ArgumentError, match=r"reaction_wrenches of .* would have to honour"):
        model.reaction_wrenches(z, z, z)
    with pytest.raises(ArgumentError, match=r"newton_euler_table of .* would have to honour"):
        model.newton_euler_table(z, z, z)
    assert model.without_constraints().reaction_wrenches(z, z, z).shape == (2, 6)
    assert any("without the constraint: 'closure'" in x for x in model.without_constraints().notes)


def test_equalities_that_are_switched_off_hold_nothing(tmp_path):
    model = mjcf(tmp_path, CONNECT.replace("/>", ' active="false"/>'))
    assert model.held_by == ()
    assert "(switched off)" in repr(model)
    assert model.forward_dynamics([0, 0], [0, 0], [0, 0]).shape == (2,)


def test_every_kind_of_equality_is_honoured_or_refused(tmp_path):
    polynomial = '<joint joint1="one" joint2="two" polycoef="0 1 0.5 0 0"/>'
    fixed = '<joint joint1="one" polycoef="0.1 0 0 0 0"/>'
    weld = '<weld name="w" body1="b" body2="world"/>'
    for text, words in ((polynomial, "one = (two"), (fixed, "one = 0.1"), (weld, "welds")):
        model = mjcf(tmp_path, text)
        assert words in model.held_by[0]
        q = model.assembled([0.1, 0])
        a, A = model.forward_dynamics(q, [0, 0], [1, 2]), model.constraint_matrix(q)
        np.testing.assert_allclose(A @ a, 0, atol=1e-12)  # at rest
        assert np.linalg.norm(a - model.free_acceleration(q, [0, 0], [1, 2])) > 0.1
    path = tmp_path / "t.xml"
    tendon = '<tendon><fixed name="t"><joint joint="one" coef="1"/></fixed></tendon></mujoco>'
    text = LOOP.format('<tendon name="e" tendon1="t"/>').replace("</mujoco>", tendon)
    path.write_text(text)
    model = vv.load(path)
    assert model.constraints == (OtherEquality("e", "tendons"),)
    assert model.loops == ()
    assert "the rule of equality 'e' of tendons is not read" in model.notes
    with pytest.raises(ArgumentError, match="an equality of tendons, whose rule is not read"):
        model.forward_dynamics([0, 0], [0, 0], [0, 0])
    coupled = mjcf(tmp_path, '<joint joint1="one" joint2="two" polycoef="0 2 0 0 0"/>')
    assert coupled.held_by == ()  # a joint that follows another is part of the equations
    assert coupled.forward_dynamics([0], [0], [0]).shape == (1,)


def test_models_made_from_a_constrained_one_are_constrained(held):
    for same in (
        pickle.loads(pickle.dumps(held)),
        held.without_dissipation(),
        held.with_passive(held.joint_names[:1]),
    ):
        assert same.held_by == held.held_by
    if isinstance(held, Model):
        assert held.with_gravity([0, 0, 0]).held_by == held.held_by


def test_a_printed_model_shows_what_acts_on_it(tmp_path):
    model = mjcf(tmp_path, CONNECT).with_actuators(vv.Actuator.motor("m", "two"))
    text = repr(model)
    assert "damping: one 0.3, two 0.4" in text
    assert "friction: one 0.1" in text
    assert "armature: one 0.2" in text
    assert "1 actuator: m (motor at two)" in text
    assert "1 loop: 'closure' keeps the origins of 'end' and 'ground' together" in text
    path = tmp_path / "s.toml"
    path.write_text("""
name = "s"
parameters = { k = 100 }
[[body]]
name = "a"
joint = "planar"
axis = "z"
damping = [0.1, 0.2, 0.2]
[[body]]
name = "b"
parent = "a"
joint = "revolute"
axis = "z"
[[spring]]
name = "coil"
joint = "b_joint"
stiffness = "k"
rest = 0.5
damping = 2
[[spring]]
name = "strut"
from = { frame = "world" }
to = { frame = "b" }
stiffness = 10
rest = 0
""")
    text = repr(vv.load(path))
    assert "damping: a_joint (0.1, 0.2, 0.2)" in text
    assert "springs: coil on b_joint (stiffness k, rest 0.5, damper 2), " in text
    assert "strut between world and b (stiffness 10, rest 0)" in text
    bare = repr(vv.catalog.two_link())
    for word in ("damping", "friction", "armature", "springs", "actuators", "loops", "passive"):
        assert word not in bare


def test_a_printed_lagrangian_shows_what_acts_on_it():
    text = repr(pendulum(forces=["0", "2"], dissipation="x'^2", actuators=[["x"], ["1"]]))
    for word in ("forces     0, 2", "dissipation xd**2", "constraint ", "T = [[x], [1]]"):
        assert word in text


def four_bar(axis, slide=False):
    """Bars that turn about an axis of the frames, in the plane across it."""
    b = vv.Builder("bars")
    solid = vv.Inertia.box(1.0, x=0.3, y=0.1, z=0.2)
    turn = {"joint": "revolute", "axis": axis, "inertia": solid}
    b.body("crank", joint_name="j1", **turn)
    b.body("coupler", parent="crank", joint_name="j2", at=[0.4, 0, 0], **turn)
    if slide:
        b.body("rocker", joint="prismatic", joint_name="j3", axis="x", inertia=solid)
    else:
        b.body("rocker", joint_name="j3", at=[1, 0, 0], **turn)
    b.frame("cend", body="coupler", at=[0.9, 0, 0])
    return b.frame("rend", body="rocker", at=[0 if slide else 0.7, 0, 0]).build()


@pytest.mark.parametrize("slide", [False, True])
def test_a_hinge_without_an_axis_turns_as_the_joints_of_its_loop_do(slide):
    bars = four_bar("-y", slide).with_loop("cend", "rend")
    assert "'loop1' joins 'rend' to 'cend' by a revolute joint, axis y" in str(bars)
    assert bars.notes == (
        "loop 'loop1' turns about y, as all of its joints do: axis= was not given",
    )
    q = bars.assembled(j1=1.0)
    assert q[0] == 1.0
    same = four_bar("-y", slide).with_loop("cend", "rend", axis="y")
    assert (same.notes, len(bars.constraints)) == ((), 1)
    assert np.allclose(same.assembled(j1=1.0), q, atol=1e-12)
    plain = four_bar("z", slide).with_loop("cend", "rend")
    assert plain.notes == ()
    assert "axis z" in str(plain)


def test_joints_without_a_common_axis_leave_a_hinge_about_z():
    bars = four_bar("y")
    solid = vv.Inertia.box(1.0, x=0.3, y=0.1, z=0.2)
    turned = vv.Builder("bars").body("one", joint="revolute", axis="x", inertia=solid)
    turned.body("two", parent="one", joint="revolute", axis="y", at=[1, 0, 0], inertia=solid)
    held = turned.frame("end", body="two").frame("ground").build().with_loop("end", "ground")
    assert "axis z" in str(held)
    assert held.notes == ()
    ready = bars.with_loop("cend", "rend", "spherical")
    assert ready.notes == ()


def test_a_hinge_across_the_plane_of_its_loop_is_told_the_axis():
    bars = four_bar("y").with_loop("cend", "rend", axis="x")
    with pytest.raises(
        AssemblyError, match=r"hinge about x, and all its joints turn about y: "
    ) as e:
        bars.assembled(j1=1.0)
    line = str(e.value).rpartition(": ")[2]
    assert line == "with_loop('cend', 'rend', axis=[0.0, 1.0, 0.0])"
    mended = four_bar("y").with_loop("cend", "rend", axis=[0.0, 1.0, 0.0])
    assert mended.assembled(j1=1.0)[0] == 1.0
