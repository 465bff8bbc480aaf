"""What a new user of models tries first: it works, or the error has the line that does."""

import pickle
import re

import numpy as np
import pytest

import visviva as vv
from visviva.describe.files.toml.read import loads_toml
from visviva.describe.files.urdf.read import loads_urdf
from visviva.errors import ArgumentError, InertiaError, UnknownNameError, VisvivaError

GRIPPER = """<robot name="g"><link name="base"/>
  <link name="left"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="right"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <joint name="f1" type="prismatic"><parent link="base"/><child link="left"/>
    <limit lower="0" upper="1" velocity="1" effort="1"/></joint>
  <joint name="f2" type="prismatic"><parent link="left"/><child link="right"/>
    <limit lower="0" upper="1" velocity="1" effort="1"/><mimic joint="f1" multiplier="-1"/></joint>
</robot>"""


def line_of(error, pattern):
    found = re.search(pattern, str(error.value))
    assert found, str(error.value)
    return found[1]


def test_a_body_by_its_mass():
    b = vv.Builder("cart_pole", gravity=[0, -9.81, 0], parameters={"M": 2.0})
    b.body("cart", joint="prismatic", axis="x", mass=b.parameters["M"])
    b.body("pole", parent="cart", joint="revolute", mass=0.5, com=[0, -0.4, 0])
    model = b.build()
    ours = vv.catalog.cart_pole(M=2.0, m=0.5, l=0.4)
    q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    assert np.allclose(model.inverse_dynamics(q, v, a), ours.inverse_dynamics(q, v, a))
    assert model.with_parameters(M=3.0).mass == 3.5
    with pytest.raises(ArgumentError, match="body 'x': mass= or inertia=, one of them"):
        b.body("x", mass=1.0, inertia=vv.Inertia.point(1.0))


def test_models_and_the_catalog_are_no_lists():
    model = vv.catalog.two_link()
    for taken, line in (
        (lambda: len(model), "len(model.bodies), model.nq or model.nv"),
        (lambda: model["link1"], "model.bodies['link1']"),
        (lambda: "link1" in model, "'link1' in model.frame_names"),
        (lambda: vv.catalog["two_link"], "vv.catalog.two_link()"),
        (lambda: list(vv.catalog), "vv.catalog.names()"),
        (lambda: len(vv.catalog), "len(vv.catalog.names())"),
        (lambda: "two_link" in vv.catalog, "'two_link' in vv.catalog.names()"),
    ):
        with pytest.raises(ArgumentError, match=re.escape(f"here it is {line}")):
            taken()
    assert model
    assert vv.catalog
    with pytest.raises(UnknownNameError, match="did you mean 'two_link'"):
        vv.catalog["twolink"]


def test_springs_in_a_builder():
    b = vv.Builder("s", gravity=[0, 0, 0], parameters={"k": 3.0})
    k = b.parameters["k"]
    b.body("a", joint="prismatic", axis="x", joint_name="x", mass=2.0, stiffness=k, rest=0.1)
    b.frame("wall", at=[0, 1.0, 0])
    b.spring("strut", 10.0, 0.5, damping=0.2, between=("wall", "a"))
    b.spring("second", 1.0, joint="x")
    model = b.build()
    assert [s.name for s in model.springs] == ["a_spring", "strut", "second"]
    x, v = 0.3, 0.7
    d = np.hypot(x, 1.0)
    force = 3.0 * (x - 0.1) + 1.0 * x + 10.0 * (d - 0.5) * x / d + 0.2 * (x / d) * (x / d) * v
    assert model.inverse_dynamics([x], [v], [0.0])[0] == pytest.approx(force, rel=1e-13)
    assert model.with_parameters(k=4.0).gravity_forces([x])[0] > model.gravity_forces([x])[0]
    again = loads_toml(vv_toml(model))
    assert np.allclose(again.bias_forces([x], [v]), model.bias_forces([x], [v]))
    for bad, words in (
        ({}, "joint= or between="),
        ({"joint": "x", "between": ("a", "wall")}, "joint= or between="),
        ({"between": ("a",)}, "joint= or between="),
        ({"between": "a"}, "joint= or between="),
    ):
        with pytest.raises(ArgumentError, match=words):
            vv.Builder("b").spring("s", 1.0, **bad)
    with pytest.raises(ArgumentError, match="stiffness of spring 's' must be finite and not neg"):
        vv.Builder("b").spring("s", -1.0, joint="x")
    ball = vv.Builder("b").body("a", joint="spherical", mass=1.0, stiffness=3.0)
    with pytest.raises(ArgumentError, match="has 3 velocities, and a spring acts on one"):
        ball.build()
    with pytest.raises(UnknownNameError, match="unknown joint 'y'"):
        vv.Builder("b").body("a", joint="revolute").spring("s", 1.0, joint="y").build()


def vv_toml(model):
    from visviva.describe.files.toml.read import to_toml

    return to_toml(model)


def test_a_point_mass_in_a_mechanism_file():
    text = """
name = "p"
parameters = { M = 2.0, l = 0.5 }
[[body]]
name = "bob"
joint = "revolute"
axis = "y"
inertia = { mass = "M", com = [0, 0, "-l"] }
"""
    model = loads_toml(text)
    assert model.mass_matrix([0.3])[0, 0] == pytest.approx(0.5)
    assert loads_toml(text.replace(', com = [0, 0, "-l"]', "")).mass == 2.0
    with pytest.raises(VisvivaError, match="unknown key 'sign'"):
        loads_toml(text.replace('mass = "M"', 'mass = "M", sign = "matrix"'))


def test_a_number_of_a_body_by_name():
    """Those that `function(…, parameters=…)` knows."""
    model = loads_urdf(GRIPPER)
    heavy = model.with_parameters(m_right=3.0, damping_f1=0.5)
    assert heavy.mass == 4.0
    f = model.function("mass_matrix", parameters=["m_right"])
    assert np.allclose(heavy.mass_matrix([0.1]), f([0.1], [3.0]))
    assert np.allclose(heavy.dissipation_forces([0.0], [2.0]), [1.0])
    assert model.mass == 2.0  # the original stays
    with pytest.raises(UnknownNameError, match=r"unknown parameter 'm_wrong'.*'m_left', 'cx_left'"):
        model.with_parameters(m_wrong=1.0)
    with pytest.raises(InertiaError, match="cannot be negative"):
        model.with_parameters(m_right=-1.0)
    with pytest.raises(InertiaError, match="triangle inequality"):
        model.with_parameters(Ixx_right=9.0)
    arm = vv.catalog.two_link().with_parameters(m1=2.0, m_link2=5.0)  # beside its own
    assert arm.parameters["m1"] == 2.0
    assert arm.mass == 7.0
    assert arm.with_parameters(m1=1.0).mass == 6.0


def test_a_frame_for_a_tool():
    arm = vv.catalog.two_link()
    pose = vv.Pose.translation([0.1, 0, 0.2])
    with pytest.raises(ArgumentError) as error:
        arm.with_frame("tcp", pose)
    line = line_of(error, r"(model\.with_frame\(.*\))$")
    made = eval(line, {"model": arm, "pose": pose})
    q = [0.3, 0.4]
    there = arm.frame_pose("tool", q) @ pose
    assert np.allclose(made.frame_pose("tcp", q).matrix(), there.matrix(), atol=1e-15)
    assert np.allclose(made.pose("tcp")(q), there.matrix(), atol=1e-15)
    for same in (pose.matrix(), [0.1, 0, 0.2]):
        again = arm.with_frame("tcp", same, on="tool")
        assert np.allclose(again.frame_pose("tcp", q).matrix(), there.matrix(), atol=1e-15)
    assert arm.with_frame("mark", on="link1").frame("mark").body == 0
    assert arm.with_frame("floor", [1, 0, 0], on="world").frame_pose("floor", q).p[0] == 1.0
    with pytest.raises(UnknownNameError, match="unknown frame 'toll'; did you mean 'tool'"):
        arm.with_frame("tcp", pose, on="toll")
    with pytest.raises(ArgumentError, match="two frames are called 'tool'"):
        arm.with_frame("tool", pose, on="link1")


def test_other_friction():
    arm = vv.catalog.two_link()
    v = np.array([2.0, -3.0])
    assert np.allclose(arm.with_friction(0.5).dissipation_forces([0, 0], v), [0.5, -0.5])
    both = arm.with_friction({"q2": 0.2}, damping=[0.1, 0.3])
    assert np.allclose(both.dissipation_forces([0, 0], v), [0.2, -0.9 - 0.2])
    assert np.allclose(both.with_friction(0.0).dissipation_forces([0, 0], v), [0.2, -0.9])
    with pytest.raises(UnknownNameError, match="unknown joint 'q3'"):
        arm.with_friction({"q3": 1.0})
    with pytest.raises(ArgumentError, match="damping of 'q1' is finite and not negative, got -1"):
        arm.with_friction(damping=-1)
    with pytest.raises(ValueError, match="damping of 'two_link' has 2 entries"):
        arm.with_friction(damping=[1, 2, 3])
    coupled = loads_urdf(GRIPPER).with_friction(damping=[0.5])
    assert coupled.dissipation_forces([0], [2.0])[0] == 1.0


def test_options_of_other_readers(tmp_path):
    path = tmp_path / "g.urdf"
    path.write_text(GRIPPER)
    for word in ("floating_base", "free_flyer", "root_joint"):
        with pytest.raises(ArgumentError) as error:
            vv.load(path, **{word: True})
        line = line_of(error, r"(vv\.load\(.*\))$")
        assert eval(line, {"vv": vv, "path": path}).nv == 7
    with pytest.raises(
        UnknownNameError, match="unknown option for a URDF 'bse'; did you mean 'base'"
    ):
        vv.load(path, bse="free")
    (tmp_path / "m.toml").write_text('name = "m"')
    with pytest.raises(UnknownNameError, match="unknown option for a mechanism file 'mimic'"):
        vv.load(tmp_path / "m.toml", mimic="expand")


def test_a_coupled_joint_is_not_unknown():
    model = loads_urdf(GRIPPER)
    with pytest.raises(
        ArgumentError, match=r"'f2' is coupled: it is -1\.0 times 'f1' plus 0\.0"
    ) as error:
        model.q(f2=0.1)
    assert 'mimic="expand"' in str(error.value)
    assert loads_urdf(GRIPPER, mimic="expand").q(f2=0.1).tolist() == [0.0, 0.1]
    with pytest.raises(UnknownNameError, match="unknown joint 'f3'"):
        model.q(f3=0.1)


def test_gravity_called_as_a_function():
    arm = vv.catalog.two_link().numeric
    with pytest.raises(ArgumentError) as error:
        arm.gravity([0.1, 0.2])
    line = line_of(error, r"(model\.gravity_forces\(q\))$")
    assert eval(line, {"model": arm, "q": [0.1, 0.2]}).shape == (2,)
    assert repr(arm.gravity) == repr(np.array([0.0, -9.81, 0.0]))
    assert type(2 * arm.gravity) is np.ndarray
    assert type(arm.gravity @ arm.gravity) is np.float64
    with pytest.raises(ValueError, match="read-only"):
        arm.gravity[0] = 1.0
    again = pickle.loads(pickle.dumps(arm))
    assert np.array_equal(again.gravity, arm.gravity)


def test_the_case_of_a_letter_in_a_parameter():
    with pytest.raises(UnknownNameError, match="parameter of two_link 'l1'; did you mean 'L1'"):
        vv.catalog.two_link(l1=2)


def test_dh_rows_with_words_and_texts():
    words = [
        {"a": "L1", "alpha": 0, "joint": "revolute"},
        {"a": "L2/2", "alpha": "pi", "joint": "prismatic"},
    ]
    values = {"L1": 0.4, "L2": 0.6}
    by_words = vv.from_dh(words, convention="standard", parameters=values)
    rows = [(0.4, 0, 0, 0, "R"), (0.3, np.pi, 0, 0, "P")]
    by_numbers = vv.from_dh(rows, convention="standard")
    assert vv.differences(by_words, by_numbers) == []
    assert by_words.with_parameters(L1=0.9).frame_pose("tool", [0, 0]).p[0] == pytest.approx(1.2)
    tuples = [("L1", 0, 0, 0, "revolute"), ("L2/2", "pi", 0, 0, "P")]
    same = vv.from_dh(tuples, convention="standard", parameters=values)
    assert vv.differences(same, by_numbers) == []
    joined = vv.from_dh(
        [("L1", 0, 0, "0"), ("L2/2", "pi", 0, 0)],
        convention="standard",
        joints="RP",
        parameters=values,
    )
    assert vv.differences(joined, by_numbers) == []
    with pytest.raises(ArgumentError, match="a of DH row 1: unknown name 'L3'"):
        vv.from_dh([("L3", 0, 0, 0, "R")], convention="standard", parameters=values)
    with pytest.raises(
        ArgumentError, match=r"needs a joint type.*'revolute' or 'prismatic', got 'S'"
    ):
        vv.from_dh([(0, 0, 0, 0, "S")], convention="standard")
