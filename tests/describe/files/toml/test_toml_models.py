"""Whole mechanism files: the examples, what belongs to no body, and the way back to text."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.counts import count, examples
from tests.support.generators.bodies import random_tree
from tests.support.generators.mechanism_files import FILES, ROOT, body, everything, same_model
from visviva.algebra.expr import Expr
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.files.mjcf.equalities import OtherEquality
from visviva.describe.files.toml.lagrangian import KEYS
from visviva.describe.files.toml.read import Spring, load_toml, loads_toml, to_toml
from visviva.errors import ArgumentError


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


@pytest.mark.soak
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


def test_base_gravity_keyframes_visuals_notes_and_suspicions():
    model = loads_toml(
        body(
            'damping = "k"\n[[body.visual]]\nkind = "box"\nsize = [1, "2*k", 3]\n'
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
    assert coil.mapped(lambda x: 2.0 if isinstance(x, Expr) else x).stiffness == 2.0


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


def test_everything_survives_the_round_trip():
    model = everything()
    text = to_toml(model)
    again = loads_toml(text)
    assert sorted(again.notes) == sorted(model.notes)
    model = replace(model, notes=again.notes)
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


@examples(3, 500)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_random_trees_survive_the_round_trip(seed, size):
    model = random_tree(np.random.default_rng(seed), size)
    same_model(model, loads_toml(to_toml(model)))


def test_what_a_file_cannot_say_is_refused():
    b = Builder("loop").body("a", joint="free").build()
    unread = replace(b, constraints=[OtherEquality("e", "tendons")])
    with pytest.raises(ArgumentError, match="cannot state that 'e' is an equality of tendons"):
        to_toml(unread)
    odd = Builder("odd", parameters={"a-b": 1.0})
    odd.body("a", joint="free", at=[odd.parameters["a-b"], 0, 0])
    with pytest.raises(ArgumentError, match="'a-b' cannot be a name in a formula"):
        to_toml(odd.build())


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


def test_the_page_has_every_key_of_energies():
    page = (ROOT / "docs" / "mechanism-files.md").read_text(encoding="utf-8")
    energies = page.split("## Energies instead of bodies")[1].split("\n## ")[0]
    rows = "".join(line.split("|")[1] for line in energies.splitlines() if line.startswith("| `"))
    assert sorted(re.findall(r"`(\w+)`", rows)) == sorted(KEYS)


def test_springs_are_exported_with_the_reader():
    assert Spring("s", 1.0, 0.0, joint="a").damping == 0.0


@pytest.mark.parametrize(
    "formula", ["1/12 m l²", "m l^2/12", r"\\frac{1}{12} m l^{2}", "(m/12)(l^2)", "m_*l**2/12"]
)
def test_formulas_are_read_as_on_paper(formula):
    head = "parameters = { m = 2, l = 0.3 }"
    if "m_" in formula:
        head = "parameters = { m_ = 2, l = 0.3 }"
    text = body(f'inertia = {{ mass = 1, com = [0, 0, "{formula}"] }}', head)
    value = loads_toml(text).numeric.bodies[0].inertia.com[2]
    assert value == pytest.approx(2 * 0.3**2 / 12, rel=1e-15)
