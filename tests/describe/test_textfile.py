"""Mechanism files: what they mean, what is refused and how, and the way back to text."""

import re
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bodies import JOINTS, random_tree
from support.counts import count, examples

from visviva.algebra.expr import Expr
from visviva.describe.builder import Builder
from visviva.describe.inertia import Inertia
from visviva.describe.model import Model
from visviva.describe.parts import Mimic, Visual
from visviva.describe.textfile import (
    MechanismFileError,
    Spring,
    load_toml,
    loads_toml,
    to_toml,
)
from visviva.errors import ArgumentError, VisvivaError
from visviva.space.euler import CONVENTIONS, euler_matrix
from visviva.space.poses import Pose

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "examples" / "mechanisms").glob("*.toml"))


def numbers(model):
    """Every number of a model, by name; parameters put in."""
    model = model.numeric
    found = {"gravity": model.gravity}
    if model.base_inertia is not None:
        found |= _inertia("base", model.base_inertia)
    for b in model.bodies:
        found |= {f"{b.name} R": b.placement.R, f"{b.name} p": b.placement.p}
        found |= _inertia(b.name, b.inertia)
        found |= {f"{b.name} {k}": getattr(b, k) for k in ("damping", "friction", "armature")}
        found |= {f"{b.name} joint {k}": v for k, v in vars(b.joint).items()}
        found |= {f"{b.name} limit {k}": v for k, v in vars(b.limits).items()}
        if b.mimic is not None:
            found[f"{b.name} mimic"] = [b.mimic.multiplier, b.mimic.offset]
        for i, v in enumerate(b.visuals):
            found |= {f"{b.name} visual {i}": v.placement.matrix(), f"{b.name} size {i}": v.size}
            found[f"{b.name} color {i}"] = v.color
    for f in model.frames:
        found |= {f"{f.name} R": f.placement.R, f"{f.name} p": f.placement.p}
    found |= {f"key {k}": v for k, v in model.keyframes.items()}
    return found


def _inertia(name, i):
    marks = [i.error, float(i.checked)]
    return {f"{name} m": i.mass, f"{name} c": i.com, f"{name} I": i.tensor, f"{name} marks": marks}


def words(model):
    """Everything that is not a number."""
    return [
        (model.name, model.base_name, dict(model.parameters), model.notes),
        [(b.name, b.joint_name, b.parent, type(b.joint), b.inertia.frame) for b in model.bodies],
        [b.mimic and b.mimic.joint for b in model.bodies],
        [(v.kind, v.path) for b in model.bodies for v in b.visuals],
        [(f.name, f.body) for f in model.frames],
        list(model.keyframes),
    ]


def same_model(a, b, names=True):
    """Equal to the last bit."""
    if names:
        assert words(a) == words(b)
    left, right = numbers(a), numbers(b)
    assert left.keys() == right.keys()
    for key, x in left.items():
        x, y = np.asarray(x, dtype=float), np.asarray(right[key], dtype=float)
        assert x.shape == y.shape, key
        assert (x == y).all(), (key, x, y)


def body(text, head="", joint='joint = "revolute"\naxis = "z"'):
    """A file with one body."""
    return f'name = "test"\n{head}\n[[body]]\nname = "a"\n{joint}\n{text}\n'


# ---- a SCARA by file and by hand


def scara_by_hand():
    values = {"h": 0.4, "l1": 0.35, "l2": 0.25, "m1": 4.0, "m2": 3.0, "m3": 1.0, "m4": 0.3}
    b = Builder("scara", parameters=values | {"w": 0.1})
    p = b.parameters
    rod = 0.6 * p["h"]
    box = {"y": p["w"], "z": p["w"]}
    arm1 = Inertia.box(p["m1"], x=p["l1"], **box).moved(p=[p["l1"] / 2, 0, 0])
    arm2 = Inertia.box(p["m2"], x=p["l2"], **box).moved(p=[p["l2"] / 2, 0, 0])
    quill = Inertia.cylinder(p["m3"], radius=0.015, height=rod)
    flange = Inertia.cylinder(p["m4"], radius=0.03, height=0.02)
    turn, slide = {"joint": "revolute"}, {"joint": "prismatic"}
    b.body(
        "arm1",
        inertia=arm1,
        joint_name="shoulder",
        axis="z",
        at=[0, 0, p["h"]],
        limits=[-2.6, 2.6],
        velocity=6.0,
        effort=80.0,
        damping=0.2,
        armature=1e-4,
        gear=50,
        **turn,
    )
    place = [p["l1"], 0, 0]
    elbow = {"joint_name": "elbow", "axis": "z", "at": place, "limits": [-2.5, 2.5]}
    b.body("arm2", parent="arm1", inertia=arm2, **elbow, **turn)
    down = {"joint_name": "slide", "axis": "-z", "at": [p["l2"], 0, 0], "limits": [0, 0.2]}
    b.body("quill", parent="arm2", inertia=quill, friction=1.5, **down, **slide)
    wrist = {"joint_name": "wrist", "axis": "-z", "at": [0, 0, -rod / 2]}
    b.body("flange", parent="quill", inertia=flange, **wrist, **turn)
    b.frame("tool", body="flange", at=[0, 0, -0.01], rotation=np.diag([1.0, -1.0, -1.0]))
    return b.build()


def test_a_scara_by_file_is_the_scara_by_hand():
    by_file, by_hand = load_toml(ROOT / "examples/mechanisms/scara.toml"), scara_by_hand()
    assert by_file.joint_names == by_hand.joint_names
    assert by_file.parameters == by_hand.parameters
    assert by_file.is_symbolic
    same_model(by_file, by_hand, names=False)
    rng = np.random.default_rng(1)
    for _ in range(count(20, 500)):
        changed = {k: v * rng.uniform(0.5, 2.0) for k, v in by_hand.parameters.items()}
        a, b = (m.with_parameters(**changed) for m in (by_file, by_hand))
        same_model(a, b, names=False)
        q = a.random(rng)
        for x, y in zip(a.numeric.body_poses(q), b.numeric.body_poses(q), strict=True):
            assert (x.matrix() == y.matrix()).all()
        assert (
            a.numeric.frame_pose("tool", q).matrix() == b.numeric.frame_pose("tool", q).matrix()
        ).all()
        assert a.numeric.mass == b.numeric.mass
    assert by_file.numeric.mass == 8.3


def test_the_other_examples_mean_what_they_say():
    pendulum = load_toml(str(ROOT / "examples/mechanisms/pendulum.toml"))
    q = pendulum.q(theta=0.3)
    tip = pendulum.with_parameters(l=2.0).numeric.frame_pose("tip", q).p
    assert tip == pytest.approx([-2 * np.sin(0.3), 0, -2 * np.cos(0.3)], abs=1e-15)
    assert pendulum.notes == ("description: A point mass on a massless rod, in a vertical plane",)
    arm = load_toml(ROOT / "examples/mechanisms/rp_arm.toml").numeric
    hand = arm.frame_pose("hand", arm.q(theta=0.5, r=0.8)).p
    assert hand == pytest.approx([0.8 * np.cos(0.5), 0, 0.8 * np.sin(0.5)], abs=1e-15)
    assert arm.bodies[0].inertia.tensor[1, 1] == 0.05


# ---- every form of every table


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


def test_base_gravity_keyframes_visuals_notes_and_suspicions():
    model = loads_toml(
        body(
            'damping = "-k"\n[[body.visual]]\nkind = "box"\nsize = [1, "2*k", 3]\n'
            'color = [1, 0, 0, 1]\nat = [0, 0, "k"]\n'
            '[[body.visual]]\nkind = "mesh"\npath = "a.stl"',
            head='gravity = [0, "-9.81*k", 0]\nnotes = ["by hand"]\nparameters = { k = 1 }\n'
            'base = { name = "table", inertia = { points = [{ mass = 2, at = [0, 0, 0] }] } }\n'
            'keyframes = { home = ["k/2"] }',
        )
    )
    assert model.base_name == "table"
    assert model.base_inertia.mass == 2
    assert model.numeric.gravity.tolist() == [0, -9.81, 0]
    assert model.keyframes["home"].tolist() == [0.5]
    box, mesh = model.bodies[0].visuals
    assert (box.kind, box.size, box.color, box.placement.p[2]) == (
        "box",
        (1, 2, 3),
        (1, 0, 0, 1),
        1,
    )
    assert (mesh.kind, mesh.path) == ("mesh", "a.stl")
    assert model.notes[0] == "by hand"
    assert "body 'a': 'damping' is negative" in model.notes
    assert "body 'a': it moves and has no inertia" in model.notes


def test_springs_are_data_and_the_model_says_so():
    text = body("", head="parameters = { k = 100 }") + (
        '[[spring]]\nname = "coil"\njoint = "a_joint"\nstiffness = "k"\nrest = 0.1\n'
        '[[spring]]\nname = "strut"\nstiffness = "2*k"\nrest = 0.3\ndamping = 4\n'
        'from = { frame = "world", at = [0, 0, 1] }\nto = { frame = "a" }\n'
    )
    model = loads_toml(text)
    coil, strut = model.springs
    assert coil.joint == "a_joint"
    assert isinstance(coil.stiffness, Expr)
    assert strut.frames == ("world", "a")
    assert [p.tolist() for p in strut.points] == [[0, 0, 1], [0, 0, 0]]
    assert strut.damping == 4
    again = loads_toml(to_toml(model))
    springs = again.springs
    same_model(model, again)
    assert [(x.name, x.joint, x.frames, x.rest) for x in springs] == [
        ("coil", "a_joint", (), 0.1),
        ("strut", "", ("world", "a"), 0.3),
    ]
    assert coil.mapped(lambda x: 2.0).stiffness == 2.0


def test_parameters_and_expressions():
    model = loads_toml(
        body(
            'at = [0, 0, "l2 + half"]',
            head='[parameters]\nl1 = 1\nl2 = "l1/4"\n"θ" = "pi/6"\n[expressions]\nhalf = "l1/2"\n'
            'both = "half + sin(θ)"',
        )
    )
    assert dict(model.parameters) == {"l1": 1.0, "l2": 0.25, "θ": np.pi / 6}
    assert model.numeric.bodies[0].placement.p[2] == 0.75
    assert model.with_parameters(l1=2.0).numeric.bodies[0].placement.p[2] == 1.25


# ---- back to text


def everything():
    """A model with one of each thing."""
    b = Builder('all "of" it\n\x7f', parameters={"m": 2.0, "l": 0.3, "θ": 0.2}, base="table")
    p = b.parameters
    b.gravity = [0, 0, -9.81 * p["l"]]
    b.base_inertia(Inertia.sphere(p["m"], radius=p["l"]))
    turn = Pose.rotation([0.0, 0.6, 0.8], p["θ"]).R
    names = [""]
    for i, (kind, joint) in enumerate(JOINTS.items()):
        part = Inertia.box(p["m"], x=p["l"], y=0.1, z=0.2).moved(turn, [p["l"], 0, 1 / 3])
        b.body(
            f"body {kind}",
            joint=joint,
            parent=names[i // 2],
            inertia=part + Inertia.point(p["m"] / 3, [0, p["l"], 0]) if i % 3 else part,
            at=[p["l"] / 7, i, 0.1],
            rotation=turn if i % 2 else None,
            limits=[-i - 0.1, i / 7] if kind not in ("free", "spherical") else None,
            velocity=3.0 if i % 2 else np.inf,
            damping=p["m"] / 10,
            friction=0.1 * i,
            armature=p["l"],
            gear=3,
            visuals=(
                Visual("box", Pose.translation([0, 0.0, i]), (1.0, 2.0, 3.0), "", (1.0, 0.5)),
            ),
        )
        names.append(f"body {kind}")
    b.body("follower", joint="revolute", axis="x", mimic=Mimic("body revolute_joint", -2.0, 0.1))
    b.frame("tip", body="body free", at=[p["l"], 0, 0], rotation=turn)
    b.frame("corner", at=[1, 2, 3])
    b.note("made for a test").note("description: says what it is")
    model = b.build()
    keys = {"home": np.arange(model.nq) / 3}
    return Model(
        **{**{f: getattr(model, f) for f in model.__dataclass_fields__}, "keyframes": keys}
    )


def test_everything_survives_the_round_trip():
    model = everything()
    text = to_toml(model)
    again = loads_toml(text)
    assert sorted(again.notes) == sorted(model.notes)
    model = Model(
        **{**{f: getattr(model, f) for f in model.__dataclass_fields__}, "notes": again.notes}
    )
    same_model(model, again)
    changed = {"m": 0.7, "l": 1.1, "θ": -0.4}
    same_model(model.with_parameters(**changed), again.with_parameters(**changed))
    assert to_toml(model.numeric).count("e1") == 0
    same_model(model.numeric, loads_toml(to_toml(model.numeric)))
    assert max(map(len, text.splitlines())) < 20_000


def test_inertias_that_were_not_checked_or_are_estimates_stay_so():
    b = Builder("odd")
    wrong = Inertia(1.0, [0, 0, 0], np.diag([9.0, 1, 1]), "link", 1e-9, checked=False)
    b.body("a", joint="free", inertia=wrong)
    again = loads_toml(to_toml(b.build()))
    same_model(b.build(), again)
    assert again.bodies[0].inertia.frame == "link"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_examples_survive_the_round_trip(path):
    model = load_toml(path)
    same_model(model, loads_toml(to_toml(model)))


@pytest.mark.soak
@examples(15, 500)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_random_trees_survive_the_round_trip(seed, size):
    model = random_tree(np.random.default_rng(seed), size)
    same_model(model, loads_toml(to_toml(model)))


def test_what_a_file_cannot_say_is_refused():
    b = Builder("loop").body("a", joint="free").build()
    fields = {f: getattr(b, f) for f in b.__dataclass_fields__}
    with pytest.raises(ArgumentError, match="a mechanism file states a tree, 'loop' has loops"):
        to_toml(Model(**{**fields, "loops": ("something",)}))
    odd = Builder("odd", parameters={"a-b": 1.0})
    odd.body("a", joint="free", at=[odd.parameters["a-b"], 0, 0])
    with pytest.raises(ArgumentError, match="'a-b' cannot be a name in a formula"):
        to_toml(odd.build())


# ---- bad input

P = "inertia = { points = [{ mass = 1, at = [0, 0, 0] }] }"
B2 = '[[body]]\nname = "b"\nparent = "a"\njoint = "revolute"\naxis = "z"\n'

BAD = [
    ("", r"^text: needs the key 'name'"),
    ("name = 3", "key 'name': expected text in quotes, got 3"),
    ("name = @", r"not TOML that we read: Invalid value \(at line 1, column 8\)"),
    ("name = ", r"not TOML that we read: Invalid value \(at end of document\)"),
    ('name = "a"\n\nname = "b"', r"Cannot overwrite a value \(at (line 3|end)"),
    ('name = "a"\nbodies = 3', "unknown key 'bodies'; did you mean 'body'?"),
    ('name = "a"\nbody = 3', "body: expected a table, got 3"),
    ('name = "a"\ngravity = 9.81', "key 'gravity': expected an array of 3 numbers, got 9.81"),
    ('name = "a"\ngravity = [0, 0, nan]', "key 'gravity': expected a finite number, got nan"),
    ('name = "a"\ngravity = [0, 0, "g"]', "key 'gravity': unknown name 'g'"),
    ('name = "a"\nparameters = 3', "key 'parameters': expected a table"),
    ('name = "a"\nparameters = { l = nan }', "key 'parameters.l': expected a finite number"),
    ('name = "a"\nparameters = { l = true }', "key 'parameters.l': expected a number or a formula"),
    ('name = "a"\nparameters = { sin = 1 }', "key 'parameters.sin': expected a new name"),
    ('name = "a"\nparameters = { "a b" = 1 }', "key 'parameters.a b': expected a new name"),
    ('name = "a"\nparameters = { l = "x" }', "unknown name 'x'"),
    (
        'name = "a"\nparameters = { l = 1 }\nexpressions = { l = 1 }',
        "key 'expressions.l': expected a new name",
    ),
    ('name = "a"\nexpressions = { b = "a", a = 1 }', "key 'expressions.b': unknown name 'a'"),
    ('name = "a"\n[[body]]\njoint = "free"', r"^text: body 1: needs the key 'name'"),
    ('name = "a"\n[[body]]\nname = "a"', r"^text: body 1 \('a'\): needs the key 'joint'"),
    ('name = "a"\n[[body]]\nname = ""\njoint = "free"', "key 'name': expected text in quotes"),
    (body("mas = 3"), r"body 1 \('a'\): unknown key 'mas'.*\(available: 'name', 'parent', 'joint'"),
    (body("", joint='joint = "hinge"'), "unknown joint type 'hinge'.*'revolute'"),
    (body("", joint='joint = "revolute"'), "needs the key 'axis'"),
    (body("", joint='joint = "revolute"\naxis = "q"'), "key 'axis': unknown axis 'q'"),
    (body("", joint='joint = "revolute"\naxis = [0, 0, 0]'), "an axis needs a direction"),
    (body("", joint='joint = "revolute"\naxis = [1, 0]'), "an array of 3 numbers, got \\[1, 0\\]"),
    (body("", joint='joint = "free"\naxis = "z"'), "a free joint has no axis"),
    (body("", joint='joint = "helical"\naxis = "z"'), "a helical joint takes pitch="),
    (body("pitch = 1"), "a revolute joint takes nothing more, got \\['pitch'\\]"),
    (
        body("", "parameters = { l = 2 }", 'joint = "revolute"\naxis = ["l", 0, 0]'),
        "key 'axis': an axis of formulas needs length 1, got 2",
    ),
    (body('parent = "c"'), "unknown body 'c' \\(available: 'world'\\)"),
    (body('parent = "a"'), "its parent 'a' has to come before it"),
    (body('parent = "b"') + B2.replace('parent = "a"\n', ""), "its parent 'b' has to come before"),
    (body("") + B2.replace('"b"', '"a"', 1), "its parent 'a' has to come before|called 'a'"),
    (body("") + B2.replace('name = "b"\nparent = "a"', 'name = "a"'), "two frames are called 'a'"),
    (body("") + B2 + 'joint_name = "a_joint"', "two joints are called 'a_joint'"),
    (body("") + '[[frame]]\nname = "a"\nbody = "a"', "two frames are called 'a'"),
    (body("") + '[[frame]]\nname = "f"\nbody = "c"', r"frame 1 \('f'\): unknown body 'c'"),
    (body("") + '[[frame]]\nname = "f"', "needs the key 'body'"),
    (body("limits = 3"), "key 'limits': expected an array, got 3"),
    (body("limits = [1]"), r"expected \[lower, upper\], got \[1\]"),
    (body("limits = [1, -1]"), r"expected \[lower, upper\], got \[1, -1\]"),
    (body("limits = [[1, 2], [3]]"), "limits|needs 1 values"),
    (body("limits = [[1, 2], [3, 4, 5]]"), r"key 'limits': expected \[lower, upper\]"),
    (body("damping = [1, 2]"), "damping of a_joint needs 1 values or one, got shape"),
    (body("damping = inf"), "key 'damping': expected a finite number, got inf"),
    (body("velocity = nan"), "key 'velocity': expected a finite number, got nan"),
    (body('at = [0, 0, "1 +"]'), "key 'at': expected a number, a name, '-' or '\\(', got the end"),
    (body("at = [0, 0]"), "key 'at': expected an array of 3 numbers"),
    (body("at = [0, 0, 1999-01-01]"), "expected a number or a formula in quotes, got datetime"),
    (body("at = [0, 0, 1e400]"), "expected a finite number, got inf"),
    (body("rotation = [0, 0, 1]"), "rotation 1: expected a table, got 0"),
    (body("rotation = {}"), "expected one of \\['rpy', 'axis angle'"),
    (body('rotation = { axis = "z" }'), "expected one of .* got \\['axis'\\]"),
    (body("rotation = { rpy = [0, 0, 0], quaternion = [0, 0, 0, 1] }"), "expected one of"),
    (body('rotation = { euler = "ABC", angles = [0, 0, 0] }'), "unknown Euler angle convention"),
    (body("rotation = { quaternion = [1, 1, 1, 1] }"), "this is not a rotation"),
    (body("rotation = { matrix = [[1, 0, 0], [0, 1, 0], [0, 0, -1]] }"), "this is not a rotation"),
    (body("rotation = { matrix = [[1, 0], [0, 1]] }"), "expected an array of 3 arrays"),
    (body("rotation = { degrees = 3 }"), "rotation: unknown key 'degrees'"),
    (body('mimic = { joint = "c" }'), "unknown joint that 'a_joint' follows 'c'"),
    (body("mimic = {}"), "mimic: needs the key 'joint'"),
    (body("inertia = 3"), "inertia: expected a table, got 3"),
    (body("inertia = { mass = 1 }"), "needs one of the keys solid, points, tensor, moments, got"),
    (body('inertia = { solid = "box", tensor = 1 }'), "needs one of the keys"),
    (body('inertia = { solid = "ball", mass = 1 }'), "unknown solid 'ball'.*'box', 'ellipsoid'"),
    (body('inertia = { solid = "sphere", mass = 1 }'), "needs the key 'radius'"),
    (
        body('inertia = { solid = "sphere", mass = 1, radius = 1, x = 2 }'),
        "unknown key 'x' .available: 'solid', 'mass', 'density', 'at', 'rotation', 'subtract', 'ra",
    ),
    (body('inertia = { solid = "sphere", radius = 1 }'), "sphere: give the mass or density"),
    (body('inertia = { solid = "sphere", mass = 1, radius = -1 }'), "radius must be positive"),
    (
        body('inertia = { solid = "sphere", mass = 1, radius = "r" }', "parameters = { r = -1 }"),
        "radius must be positive, got -1",
    ),
    (
        body('inertia = { solid = "rod", mass = 1, length = 1, axis = "-z" }'),
        "unknown axis '-z'",
    ),
    (body(P.replace("mass = 1", "mass = -1")), "a mass cannot be negative"),
    (
        body(P.replace("mass = 1", 'mass = "m"'), "parameters = { m = -1 }"),
        r"body 1 \('a'\): inertia: mass is -1.0; a mass cannot be negative",
    ),
    (body(P.replace("points", "point")), "unknown key 'point'; did you mean 'points'"),
    (body("inertia = { points = [] }"), "point_masses needs at least one mass"),
    (
        body("inertia = { mass = 1, com = [0, 0, 0], moments = [9, 1, 1] }"),
        "break the triangle inequality",
    ),
    (
        body("inertia = { mass = 1, com = [0, 0, 0], moments = [1, 1, 1], products = [0, 0, 0] }"),
        "needs the key 'sign'",
    ),
    (
        body(
            "inertia = { mass = 1, com = [0, 0, 0], moments = [1, 1, 1], products = [0, 0, 0], "
            'sign = "plus" }'
        ),
        "sign is 'matrix' or 'integral', got 'plus'",
    ),
    (body("inertia = { mass = 1, com = [0, 0, 0], tensor = [1, 2, 3] }"), "an array of 3 numbers"),
    (body(P.replace("}] }", "}], subtract = true }")), "nothing yet to subtract it from"),
    (
        body(P.replace("}] }", "}], subtract = 1 }")),
        "key 'subtract': expected true or false, got 1",
    ),
    (
        body('visual = { kind = "box", sise = 1 }'),
        "visual: unknown key 'sise'; did you mean 'size'",
    ),
    (body('[[spring]]\nname = "s"'), "needs the key 'joint', or the keys 'from' and 'to'"),
    (
        body('[[spring]]\nname = "s"\njoint = "q"\nstiffness = 1\nrest = 0'),
        "unknown joint 'q'",
    ),
    (body('[[spring]]\nname = "s"\njoint = "a_joint"\nrest = 0'), "needs the key 'stiffness'"),
    (
        body('[[spring]]\nname = "s"\njoint = "a_joint"\nrest = 0', joint='joint = "free"'),
        "joint 'a_joint' has more than one coordinate",
    ),
    (
        body('[[spring]]\nname = "s"\nfrom = { frame = "x" }\nto = { frame = "a" }'),
        "unknown frame 'x'",
    ),
    (body("[keyframes]\nhome = [1, 2]"), "key 'keyframes.home': expected an array of 1 numbers"),
    ('name = "a"\nnotes = "b"', "key 'notes': expected an array"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=range(len(BAD)))
def test_what_is_refused_and_how(text, message):
    with pytest.raises(MechanismFileError) as caught:
        loads_toml(text)
    assert str(caught.value).startswith("text: ")
    assert re.search(message, str(caught.value), re.S), str(caught.value)
    assert isinstance(caught.value, (VisvivaError, ValueError))


def test_errors_name_the_file_the_table_and_the_place_in_the_formula(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(body('at = [0, 0, "1 + link3"]', head="parameters = { link1 = 1 }"))
    with pytest.raises(MechanismFileError) as caught:
        load_toml(path)
    first, text, mark = str(caught.value).split("\n")
    assert first.startswith(
        f"{path}: body 1 ('a'): key 'at': unknown name 'link3'; did you mean 'link1'?"
    )
    assert text[mark.index("^") :] == "link3"


def test_files_that_are_none(tmp_path):
    with pytest.raises(MechanismFileError, match="expected a text file, got a directory"):
        load_toml(tmp_path)
    with pytest.raises(MechanismFileError, match="expected a text file, got nothing"):
        load_toml(tmp_path / "absent.toml")
    with pytest.raises(MechanismFileError, match="expected a text file, got nothing"):
        load_toml("/dev/zero")
    garbage = tmp_path / "garbage.toml"
    garbage.write_bytes(b'name = "a"\n' + bytes(range(256)) * 100)
    with pytest.raises(MechanismFileError, match=r"garbage.toml: line 3 is not text in UTF-8"):
        load_toml(garbage)
    huge = tmp_path / "huge.toml"
    with huge.open("wb") as file:
        file.truncate(200 * 2**20)
    start = time.perf_counter()
    with pytest.raises(MechanismFileError, match="expected at most 1000000 bytes"):
        load_toml(huge)
    assert time.perf_counter() - start < 1.0
    secret = tmp_path / "null.toml"
    secret.write_bytes(b"\0" * 1000)
    with pytest.raises(MechanismFileError, match="not TOML"):
        load_toml(secret)
    marked = tmp_path / "windows.toml"
    marked.write_bytes(b"\xef\xbb\xbf" + body("").replace("\n", "\r\n").encode())
    assert load_toml(marked).nv == 1


many = "\n".join(f'[[body]]\nname = "b{i}"\njoint = "free"' for i in range(20_000))
HOSTILE = {
    "dotted key": "a." * 100_000 + "b = 1",
    "dotted key in quotes": '"a" . ' * 50_000 + "b = 1",
    "dotted key inside": "x = {" + "a." * 100_000 + "b = 1}",
    "dotted header": "[" + "a." * 100_000 + "b]",
    "arrays": "x = " + "[" * 200_000,
    "inline tables": "x = " + "{a=" * 200_000,
    "digits": "x = " + "9" * 900_000,
    "one word": "a" * 900_000,
    "dots": "." * 900_000,
    "quotes": "x = '" + "\".'." * 200_000,
    "long key": f'name = "a"\n{"k" * 900_000} = 1',
    "many keys": 'name = "a"\n' + "\n".join(f"k{i} = 1" for i in range(60_000)),
    "many bodies": f'name = "a"\n{many}',
    "long formula": body(f'at = [0, 0, "{"1+" * 400_000}1"]'),
    "deep formula": body(f'at = [0, 0, "{"(" * 4_000}1"]'),
    "power tower": body('at = [0, 0, "9**9**9**9"]'),
    "squares": body(
        'at = [0, 0, "e899"]',
        "parameters = { e0 = 1.5 }\n[expressions]\n"
        + "\n".join(f'e{i} = "e{i - 1}*e{i - 1}"' for i in range(1, 900)),
    ),
    "code": body("at = [0, 0, \"__import__('os').system('true')\"]"),
    "too long": "#" * 1_000_001,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_cost_little(name):
    start = time.perf_counter()
    with pytest.raises(MechanismFileError) as caught:
        loads_toml(HOSTILE[name])
    assert time.perf_counter() - start < 4.0
    assert len(str(caught.value)) < 3000


def test_a_large_file_is_read_in_good_time():
    links = "".join(
        f'[[body]]\nname = "b{i}"\njoint = "revolute"\naxis = "z"\nat = ["l", 0, 0]\n'
        + (f'parent = "b{i - 1}"\n' if i else "")
        + 'inertia = { solid = "box", mass = "m", x = "l", y = 0.1, z = 0.1 }\n'
        for i in range(1000)
    )
    start = time.perf_counter()
    model = loads_toml(f'name = "chain"\nparameters = {{ m = 1, l = 0.1 }}\n{links}')
    assert time.perf_counter() - start < 5.0
    assert model.nv == 1000


WORDS = [b"\n", b"[[body]]", b"=", b'"', b"inf", b"nan", b"-1", b"0", b"{", b"]", b"\xff", b"'x'"]
SEEDS = [path.read_bytes() for path in FILES] + [to_toml(everything().numeric).encode()]


@pytest.mark.soak
def test_mutated_files_are_read_or_refused(tmp_path):
    rng = np.random.default_rng(7)
    path = tmp_path / "mutant.toml"
    read = 0
    for k in range(count(300, 10_000)):
        data = SEEDS[k % len(SEEDS)]
        for _ in range(rng.integers(1, 4)):
            i, n = int(rng.integers(len(data))), int(rng.integers(1, 12))
            new = [b"", bytes(rng.integers(32, 127, n).tolist()), WORDS[rng.integers(len(WORDS))]]
            data = data[:i] + new[rng.integers(3)] + data[i + n :]
        path.write_bytes(data)
        try:
            read += isinstance(load_toml(path), Model)
        except MechanismFileError as error:
            assert str(path) in str(error)  # noqa: PT017
    assert read > 0


def test_the_page_shows_files_that_are_read():
    page = (ROOT / "docs" / "mechanism-files.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
    whole = [b for b in blocks if b.startswith("name =")]
    assert whole
    for block in whole:
        assert loads_toml(block).nv
    parts = [b for b in blocks if b not in whole and "--8<--" not in b]
    for block in parts:  # what goes into a body, with the parameters of the page
        names = 'name = "t"\nparameters = { m = 1, l = 0.5, r = 0.1 }\n'
        fill = '[[body]]\nname = "a"\njoint = "revolute"\naxis = "z"\n'
        assert loads_toml(names + fill + block).nv


def test_springs_are_exported_with_the_reader():
    assert Spring("s", 1.0, 0.0, joint="a").damping == 0.0
