"""Bodies of mechanism files: joints, placements and inertias in every form they may have."""

import re

import numpy as np
import pytest

from tests.support.generators.bodies import JOINTS
from tests.support.generators.mechanism_files import body
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.files.toml.read import loads_toml, to_toml
from visviva.describe.joints.axis import Revolute
from visviva.describe.model.body import Mimic
from visviva.errors import ArgumentError
from visviva.space.euler import CONVENTIONS, euler_matrix
from visviva.space.poses import Pose


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "planar"])
@pytest.mark.parametrize(
    ("axis", "expected"),
    [('"x"', [1, 0, 0]), ('"-z"', [0, 0, -1]), ("[0, 3, 4]", [0, 0.6, 0.8])],
)
def test_joints_with_an_axis(kind, axis, expected):
    (made,) = loads_toml(body("", joint=f'joint = "{kind}"\naxis = {axis}')).bodies
    assert type(made.joint) is type(JOINTS[kind])
    assert getattr(made.joint, "normal" if kind == "planar" else "axis").tolist() == expected


def test_the_other_joints():
    helical = loads_toml(body('pitch = "0.1/(2*pi)"', joint='joint = "helical"\naxis = "x"'))
    assert helical.bodies[0].joint.pitch == 0.1 / (2 * np.pi)
    both = 'joint = "universal"\naxis = "x"\nsecond = "y"'
    assert loads_toml(body("", joint=both)).bodies[0].joint.second.tolist() == [0, 1, 0]
    for kind, nv in (("spherical", 3), ("free", 6)):
        assert loads_toml(body("", joint=f'joint = "{kind}"')).nv == nv


def test_numbers_of_a_joint():
    model = loads_toml(
        body(
            'limits = ["-k", [2, inf, 3]]\nvelocity = [1, 2, inf]\neffort = "10*k"\n'
            'damping = ["k", 0, 1]\nfriction = 0.5\narmature = "1e-4*k"\ngear = 10',
            head="parameters = { k = 2.0 }",
            joint='joint = "planar"\naxis = "z"',
        )
    )
    (b,) = model.numeric.bodies
    assert b.limits.lower.tolist() == [-2, -2, -2]
    assert b.limits.upper.tolist() == [2, np.inf, 3]
    assert b.limits.velocity.tolist() == [1, 2, np.inf]
    assert b.limits.effort.tolist() == [20, 20, 20]
    assert b.damping.tolist() == [2, 0, 1]
    assert b.friction.tolist() == [0.5] * 3
    assert b.armature == pytest.approx([0.02] * 3, rel=1e-15)
    assert model.with_parameters(k=3.0).numeric.bodies[0].damping[0] == 3.0
    kept = [n for n in model.notes if "kept at the parameters' values" in n]
    assert kept == [
        "body 'a': 'effort' is kept at the parameters' values",
        "body 'a': 'limits' is kept at the parameters' values",
    ]


def test_mimic_joints():
    model = loads_toml(
        body("") + '[[body]]\nname = "b"\nparent = "a"\njoint = "revolute"\naxis = "z"\n'
        'mimic = { joint = "a_joint", multiplier = -2, offset = 0.1 }\n'
    )
    assert model.nv == 1
    assert model.bodies[1].mimic == Mimic("a_joint", -2.0, 0.1)


c, s = np.cos(0.3), np.sin(0.3)
RX, RZ = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rpy = [0.3, 0, 0]", RX),
        ("rpy = [0.3, 0, 0.3]", RZ @ RX),  # about fixed axes: roll first
        ('axis = "z", angle = 0.3', RZ),
        ('axis = [0, 0, 2], angle = "0.15*2"', RZ),
        ('euler = "ZXZ", angles = [0.3, 0.3, 0.3]', RZ @ RX @ RZ),
        ('euler = "Z1X3Z2", angles = [0.3, 0, 0.3]', RZ @ RX),
        ("quaternion = ['sin(0.15)', 0, 0, 'cos(0.15)']", RX),
        ("matrix = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]", [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
    ],
)
def test_rotations(text, expected):
    for place in ("", "[[frame]]\nname = 'f'\nbody = 'a'\n"):
        model = loads_toml(body(f"{place}rotation = {{ {text} }}"))
        placed = model.frames[0] if place else model.bodies[0]
        assert pytest.approx(np.array(expected), abs=1e-15) == placed.placement.R


@pytest.mark.parametrize("name", CONVENTIONS)
def test_all_euler_conventions(name):
    model = loads_toml(body(f'rotation = {{ euler = "{name}", angles = [0.1, 0.2, 0.3] }}'))
    assert (euler_matrix([0.1, 0.2, 0.3], name) == model.bodies[0].placement.R).all()


def test_right_angles_are_clean_and_it_is_said():
    text = body('rotation = { axis = "x", angle = "pi/2" }')
    model = loads_toml(text)
    assert model.bodies[0].placement.R.tolist() == [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    assert "body 'a': rotation: cleaned by up to 6.1e-17" in model.notes
    assert loads_toml(text, snap=0).bodies[0].placement.R[1, 1] != 0
    small = loads_toml(body('rotation = { axis = "x", angle = 1e-8 }')).bodies[0].placement.R
    assert small[2, 1] == 1e-8  # an angle of its own, not rounding
    small = loads_toml(body('rotation = { axis = "x", angle = 1e-6 }')).bodies[0].placement.R
    assert small[1, 1] == np.cos(1e-6) != 1.0  # nor is its cosine, however close to one


def inertia_of(text, head=""):
    return loads_toml(body(text, head)).numeric.bodies[0].inertia


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("box", {"x": 1.0, "y": 2.0, "z": 3.0}),
        ("ellipsoid", {"ax": 1.0, "ay": 2.0, "az": 3.0}),
        ("sphere", {"radius": 2.0}),
        ("cylinder", {"radius": 2.0, "height": 3.0, "axis": "x"}),
        ("tube", {"inner": 1.0, "outer": 2.0, "height": 3.0, "axis": "y"}),
        ("cone", {"radius": 2.0, "height": 3.0, "axis": "z"}),
        ("rod", {"length": 3.0, "axis": "y"}),
    ],
)
@pytest.mark.parametrize("amount", ["mass", "density"])
def test_solids(name, sizes, amount):
    expected = Inertia.solid(name, **{amount: 1.5}, **sizes)
    keys = "".join(f", {k} = {v!r}" for k, v in sizes.items()).replace("'", '"')
    same = inertia_of(f'inertia = {{ solid = "{name}", {amount} = 1.5{keys} }}')
    k = "parameters = { k = 2 }"
    formulas = re.sub(r"= ([\d.]+)", r'= "k*\1/2"', keys)
    symbolic = inertia_of(f'inertia = {{ solid = "{name}", {amount} = "0.75*k"{formulas} }}', k)
    for found in (same, symbolic):
        assert found.mass == pytest.approx(expected.mass, rel=1e-15)
        assert (found.com == expected.com).all()
        assert found.tensor == pytest.approx(expected.tensor, rel=1e-15)


def test_tensors_moments_and_points():
    tensor = inertia_of(
        "inertia = { mass = 2, com = [1, 0, 0], tensor = [[3, 0.1, 0], [0.1, 3, 0], [0, 0, 3]] }"
    )
    assert tensor.tensor[0, 1] == 0.1
    moments = "inertia = {{ mass = 2, com = [1, 0, 0], moments = [3, 3, 3], {} }}"
    for text, xy in (("products = [0.1, 0, 0], sign = 'matrix'", 0.1),
                     ("products = [0.1, 0, 0], sign = 'integral'", -0.1)):  # fmt: skip
        assert inertia_of(moments.format(text)).tensor[0, 1] == xy
    pair = inertia_of(
        "inertia = { points = [{ mass = 1, at = [1, 0, 0] }, { mass = 3, at = [-1, 0, 0] }] }"
    )
    assert (pair.mass, pair.com.tolist()) == (4.0, [-0.5, 0, 0])
    assert pair.tensor.diagonal().tolist() == [0, 3, 3]
    assert not inertia_of(
        "inertia = { mass = 1, com = [0, 0, 0], tensor = [[9, 0, 0], [0, 1, 0], [0, 0, 1]], "
        "checked = false }"
    ).checked


def test_composites_and_holes():
    text = """
    [[body.inertia]]
    solid = "box"
    density = 1000
    x = 1
    y = 1
    z = 1
    [[body.inertia]]
    solid = "cylinder"
    density = 1000
    radius = 0.2
    height = 1
    axis = "z"
    at = [0.1, 0, 0]
    rotation = { axis = "x", angle = 0.1 }
    subtract = true
    [[body.inertia]]
    points = [{ mass = 5, at = [0, 0, 1] }]
    at = [0, 1, 0]
    """
    hole = Inertia.cylinder(density=1000, radius=0.2, height=1)
    turn = Pose.rotation([1.0, 0, 0], 0.1).R
    expected = Inertia.box(density=1000, x=1, y=1, z=1) - hole.moved(turn, [0.1, 0, 0])
    expected = expected + Inertia.point(5, [0, 1, 1])
    found = inertia_of(text)
    assert found.mass == expected.mass
    assert found.com == pytest.approx(expected.com, abs=1e-15)
    assert found.tensor == pytest.approx(expected.tensor, abs=1e-13)


def test_fixed_bodies_are_merged_and_it_is_said():
    model = loads_toml(
        body("inertia = { points = [{ mass = 1, at = [0, 0, 0] }] }")
        + '[[body]]\nname = "tool"\nparent = "a"\njoint = "fixed"\nat = [1, 0, 0]\n'
        "inertia = { points = [{ mass = 1, at = [0, 0, 0] }] }\n"
        '[[body]]\nname = "stand"\njoint = "fixed"\n'
        "inertia = { points = [{ mass = 7, at = [0, 0, 0] }] }\n"
    )
    assert model.nv == 1
    assert model.bodies[0].inertia.com.tolist() == [0.5, 0, 0]
    assert model.base_inertia.mass == 7
    assert set(model.frame_names) == {"a", "tool", "stand"}
    assert model.notes[0].startswith("body 'tool': fixed, so it is merged")


def test_every_joint_is_read_as_it_is_written():
    """Their arguments are the keys of the file."""
    for joint in JOINTS.values():
        if not joint.nv:
            continue
        text = to_toml(Builder("one").body("a", joint=joint, mass=1.0).build())
        again = loads_toml(text).bodies[0].joint
        assert type(again) is type(joint), text
        q = np.full(joint.nq, 0.5)
        assert again.transform(q).matrix() == pytest.approx(joint.transform(q).matrix(), abs=1e-15)


def test_a_joint_that_files_cannot_name_is_not_written():
    class Geared(Revolute):
        pass

    model = Builder("own").body("a", joint=Geared([0.0, 0.0, 1.0]), mass=1.0).build()
    said = "'a_joint' is a Geared, which no file can name .available: fixed, revolute, "
    with pytest.raises(ArgumentError, match=said):
        to_toml(model)
