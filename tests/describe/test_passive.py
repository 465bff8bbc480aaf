"""`passive`: joints and coordinates that nothing drives are stated, kept, shown and checked."""

import pickle
from dataclasses import replace

import pytest

import visviva as vv
from visviva.describe.model.actuator import Actuator
from visviva.describe.model.body import Mimic
from visviva.describe.model.compare import differences
from visviva.describe.values import digest
from visviva.errors import ArgumentError, UnknownNameError, VisvivaError


def double(**options):
    b = vv.Builder("double", **options)
    bob = vv.Inertia.sphere(1.0, radius=0.1)
    b.body("a", joint="revolute", axis="y", joint_name="one", inertia=bob)
    return b.body("b", parent="a", joint="revolute", joint_name="two", inertia=bob)


ENERGIES = ("x y", "(x'^2 + y'^2)/2")


def test_a_model_says_which_joints_are_passive():
    model = double(passive=["two"]).build()
    assert model.passive == ("two",)
    assert "passive: two" in repr(model)
    assert "passive" not in repr(model.with_passive([]))
    assert double(passive="two").build().passive == ("two",)
    assert double().build().passive == ()
    one = double(passive="one")
    one.body("c", parent="b", joint="revolute", passive=True, inertia=vv.Inertia.point(1.0))
    assert one.build().passive == ("one", "c_joint")
    assert model.forward_dynamics([0, 0], [0, 0], [0, 1.0]).shape == (2,)  # tau has n entries


def test_a_lagrangian_says_which_coordinates_are_passive():
    s = vv.Lagrangian(*ENERGIES, passive="y")
    assert s.passive == ("y",)
    assert "passive    y" in repr(s)
    assert "passive" not in repr(vv.Lagrangian(*ENERGIES))
    x, y = vv.coordinates("x y")
    assert vv.Lagrangian([x, y], x.diff("t") ** 2, passive=[y]).passive == ("y",)
    assert s.with_passive(["x", "y"]).passive == ("x", "y")
    assert s.inverse_dynamics([0, 0], [0, 0], [1, 2.0]).tolist() == [1, 2]


def test_passive_names_in_one_text():
    """As a Lagrangian has them; a name may have blanks itself where joints do."""
    for text in ("one two", "one, two"):
        assert double().build().with_passive(text).passive == ("one", "two")
        assert vv.Lagrangian(*ENERGIES).with_passive("x, y").passive == ("x", "y")
    bodies = vv.Builder("arm").body("a", joint="revolute", joint_name="left hip", mass=1.0)
    assert bodies.build().with_passive("left hip").passive == ("left hip",)


def test_unknown_passive_names_are_refused_with_the_list():
    with pytest.raises(UnknownNameError, match="passive joint 'tow'; did you mean 'two'"):
        double(passive=["tow"]).build()
    with pytest.raises(UnknownNameError, match=r"passive joint 'b'.*'one', 'two'"):
        double().build().with_passive("b")
    with pytest.raises(UnknownNameError, match=r"passive coordinate 'z'.*'x', 'y'"):
        vv.Lagrangian(*ENERGIES, passive=["z"])
    with pytest.raises(ArgumentError, match="passive is a list of names, got 3"):
        double(passive=3).build()
    with pytest.raises(ArgumentError, match="passive is a list of names"):
        double(passive=[1]).build()


def test_a_passive_joint_has_a_force_of_its_own_and_no_motor():
    b = double()
    follow = vv.Inertia.sphere(1.0, radius=0.1)
    mimic = Mimic("two")
    b.body("c", parent="b", joint="revolute", joint_name="three", mimic=mimic, inertia=follow)
    with pytest.raises(ArgumentError, match="'three' follows 'two' and has no force of its own"):
        b.build().with_passive(["three"])
    motor = Actuator.motor("m", "one")
    with pytest.raises(ArgumentError, match="joint 'one' is passive, and motor 'm' drives it"):
        double(passive=["one"]).build().with_actuators(motor)
    assert double(passive=["two"]).build().with_actuators(motor).passive == ("two",)


def test_what_is_passive_is_kept_by_everything_made_from_it():
    model = double(passive=["two"], parameters={"m": 1.0}).build()
    for same in (
        model.numeric,
        model.symbolic,
        model.with_gravity([0, 0, 0]),
        model.with_parameters(m=2.0),
        model.without_dissipation(),
        model.locked(one=0.3),
        pickle.loads(pickle.dumps(model)),
        replace(model, name="other"),
    ):
        assert same.passive == ("two",)
    assert model.locked(two=0.3).passive == ()
    assert model.submodel("a").passive == ("two",)
    tool = double(passive=["one"]).build()
    assert model.attached(tool, "b", prefix="t_").passive == ("two", "t_one")
    assert digest(model) != digest(model.with_passive("one"))
    assert differences(model, model.with_passive([])) == [
        "passive are ['two'] in the first and [] in the second"
    ]

    s = vv.Lagrangian(*ENERGIES, parameters={"m": 1}, passive="y", dissipation="m*x'^2/2")
    for same in (
        s.without_dissipation(),
        s.with_parameters(m=2),
        s.over({"m": 3}),
        pickle.loads(pickle.dumps(s)),
    ):
        assert same.passive == ("y",)


def test_other_coordinates_are_passive_where_no_driven_one_depends_on_them():
    point = vv.Lagrangian("x y z", "x'^2 + y'^2 + z'^2", passive="x y")
    polar = point.in_coordinates("r phi z", {"x": "r*cos(phi)", "y": "r*sin(phi)"})
    assert polar.passive == ("r", "phi")
    assert point.in_coordinates("x y w", {"z": "w + x"}).passive == ("y",)
    assert point.with_passive("z").in_coordinates("a y z", {"x": "2*a"}).passive == ("z",)


def test_no_actuator_is_taken_for_granted_at_a_passive_joint():
    model = double(passive=["two"]).build()
    assert model.actuator_map([0.1, 0.2]).tolist() == [[1.0], [0.0]]
    assert "1 actuators, 2 velocities, rank 1" in repr(model.actuation([0.1, 0.2]))
    ball = vv.Builder("ball", passive=["spin"])
    ball.body("hub", joint="spherical", joint_name="spin", inertia=vv.Inertia.sphere(1.0, radius=1))
    ball.body("arm", parent="hub", joint="revolute", inertia=vv.Inertia.sphere(1.0, radius=1))
    T = ball.build().actuator_map([0, 0, 0, 1, 0.5])
    assert T.tolist() == [[0.0], [0.0], [0.0], [1.0]]
    s = vv.Lagrangian(*ENERGIES, passive="x")
    assert s.actuator_map([0.0, 0.0]).tolist() == [[0.0], [1.0]]


def test_mechanism_files_state_it(tmp_path):
    model = vv.catalog.acrobot()
    vv.save(model, tmp_path / "a.toml")
    assert 'passive = ["q1"]' in (tmp_path / "a.toml").read_text()
    assert vv.load(tmp_path / "a.toml").passive == ("q1",)
    text = (tmp_path / "a.toml").read_text().replace('["q1"]', '["q3"]')
    (tmp_path / "b.toml").write_text(text)
    with pytest.raises(ValueError, match="unknown passive joint 'q3'"):
        vv.load(tmp_path / "b.toml")
    energies = 'name = "s"\n[lagrangian]\ncoordinates = ["x"]\nkinetic = "x\'^2"\npassive = ["x"]\n'
    (tmp_path / "c.toml").write_text(energies)
    assert vv.load(tmp_path / "c.toml").passive == ("x",)
    (tmp_path / "c.toml").write_text(energies.replace('passive = ["x"]', 'passive = "x"'))
    with pytest.raises(ValueError, match="'passive': expected an array of names"):
        vv.load(tmp_path / "c.toml")


def test_a_file_of_mujoco_keeps_it_for_us(tmp_path):
    vv.save(double(passive=["two"]).build(), tmp_path / "m.xml")
    assert vv.load(tmp_path / "m.xml").passive == ("two",)


@pytest.mark.parametrize("suffix", [".urdf"])
def test_formats_that_cannot_state_it_refuse_or_say_that_it_is_left_out(tmp_path, suffix):
    model = double(passive=["two"]).build()
    with pytest.raises(VisvivaError, match="cannot state that two is passive; lossy=True"):
        vv.save(model, tmp_path / f"m{suffix}")
    with pytest.warns(UserWarning, match="left out: that two is passive"):
        vv.save(model, tmp_path / f"m{suffix}", lossy=True)
    assert "left out: that two is passive" in (tmp_path / f"m{suffix}").read_text()
    vv.save(model.with_passive([]), tmp_path / f"m{suffix}")


def test_the_catalog_states_what_nothing_drives():
    assert vv.catalog.cart_pole().passive == ("theta",)
    assert vv.catalog.acrobot().passive == ("q1",)
