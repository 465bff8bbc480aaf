"""Words of others in mechanism files: errors say what is written here, and that is read."""

import re

import numpy as np
import pytest

from visviva.describe.files.toml import write
from visviva.describe.files.toml.constraints import CONSTRAINT
from visviva.describe.files.toml.read import MechanismFileError, loads_toml
from visviva.describe.files.toml.words import KEYS_OF_OTHERS

ROD = """
name = "a"
parameters = { l = 0.4, k = 100, F = 5 }
[[body]]
name = "rod"
joint = "revolute"
joint_name = "q1"
axis = "z"
"""
INERTIA = "inertia = { mass = 2.0, com = [0.1, 0, 0], moments = [0.02, 0.03, 0.04] }\n"
SECOND = (
    '[[body]]\nname = "end"\nparent = "rod"\njoint_name = "q2"\njoint = "revolute"\naxis = "z"\n'
)
HEAVY = ROD + INERTIA
PLACED = {"": "", "body": ROD, "inertia": f"{ROD}[[body.inertia]]\n"}
SPRING = "[[spring]]\nname = 's'\n"
PLACED |= {"spring": f'{ROD}[[spring]]\nname = "s"\n', "frame": f'{ROD}[[frame]]\nname = "f"\n'}
PLACED |= {"constraint": f'{ROD}[[constraint]]\nname = "c"\n', "visual": f"{ROD}[[body.visual]]\n"}
PLACED |= {"actuator": f'{ROD}[[actuator]]\nname = "m"\n'}
KEYS = {"": write.FILE_KEYS, "body": write.BODY_KEYS, "inertia": write.INERTIA}
KEYS |= {"spring": write.SPRING, "frame": "name body at rotation", "constraint": CONSTRAINT}
KEYS |= {"visual": write.VISUAL, "actuator": write.ACTUATOR}


@pytest.mark.parametrize(
    ("table", "word"), [(t, w) for t, words in KEYS_OF_OTHERS.items() for w in words]
)
def test_a_key_of_others_is_refused_with_what_is_written_here(table, word):
    with pytest.raises(MechanismFileError) as caught:
        loads_toml(f"{PLACED[table]}{word} = 1")
    listed = re.findall(r"\(available: (.*)\)$", str(caught.value))[0].split(", ")
    assert f"unknown key {word!r}: {KEYS_OF_OTHERS[table][word]} (" in str(caught.value)
    assert len({*listed}) == len(listed)
    named = re.findall(r"\b(?:write|with|and|or) (\w+) = ", KEYS_OF_OTHERS[table][word])
    assert {*named} <= {*" ".join([*KEYS.values(), "home force"]).split()}
    assert word not in KEYS[table].split()


@pytest.mark.parametrize(
    "stated",
    [
        HEAVY,
        ROD + "rotation = { rpy = [0, 0, 'pi/6'] }",
        ROD + "inertia = { solid = 'rod', mass = 1.0, "
        "length = 'l', axis = 'x', at = ['l/2', 0, 0] }",
        ROD + "inertia = { mass = 1, com = [0, 0, 0], moments = ['l/2', 'l/2', 'l'] }",
        HEAVY + "[[frame]]\nname = 'f'\nbody = 'rod'\n[keyframes]\nhome = [0.3]",
        HEAVY + SPRING + "joint = 'q1'\nstiffness = 0\nrest = 0\ndamping = 5",
        HEAVY + SPRING + "from = 'world'\nto = { frame = 'rod', at = [0, 0, 1] }\n"
        "stiffness = { force = 'k*e^3', values = { k = 100 } }\nrest = 'l - F/k'",
        HEAVY + SECOND + INERTIA + "[[constraint]]\nname = 'c'\nformula = 'q2 + 3*q1'",
        HEAVY + SECOND + INERTIA + "[[constraint]]\nname = 'c'\nframe1 = 'world'\n"
        "frame2 = 'end'\njoint = 'distance'\nlength = 0.3",
        "base = { name = 'ground' }" + ROD + "[[actuator]]\nname = 'm'\n"
        "kind = 'motor'\njoint = 'q1'",
        "passive = ['q1']" + ROD,
    ],
)
def test_what_is_written_here_is_read(stated):
    assert loads_toml(stated).nv in (1, 2)


def test_a_spring_from_a_frame_is_from_its_origin():
    spring = SPRING + "from = 'world'\nto = 'rod'\nstiffness = 1\nrest = 0"
    (short,) = loads_toml(ROD + spring).springs
    assert short.frames == ("world", "rod")
    assert np.concatenate(short.points).tolist() == [0.0] * 6
    with pytest.raises(MechanismFileError, match="unknown frame 'rd'; did you mean 'rod'"):
        loads_toml(ROD + spring.replace("'rod'", "'rd'"))


@pytest.mark.parametrize(
    ("text", "written"),
    [("30 deg", "'30*pi/180'"), ("30°", "'30*pi/180'"), ("-200 mm", "'-200/1000'"),
     ("0.2 m", "0.2"), ("1e2N/m", "1e2"), ("60 rpm", "'60*pi/30'")],
)  # fmt: skip
def test_numbers_with_units_are_refused_with_the_number(text, written):
    problem = f"key 'at': numbers are in SI units, angles in radians: '{text}' is written {written}"
    with pytest.raises(MechanismFileError, match=re.escape(problem) + "$"):
        loads_toml(f"{ROD}at = ['{text}', 0, 0]")
    assert loads_toml(f"{ROD}at = [{written}, 0, 0]").nv == 1


def test_names_come_before_units():
    named = ROD.replace("F = 5", "m = 5, s = 2")
    assert loads_toml(f"{named}at = ['2 m', 's', 0]").numeric.bodies[0].placement.p[0] == 10.0


def test_moments_of_the_plane():
    with pytest.raises(
        MechanismFileError, match=r"there is moments = \[I/2, I/2, I\]; checked = false takes"
    ):
        loads_toml(f"{ROD}inertia = {{ mass = 1, com = [0, 0, 0], moments = [0, 0, 1] }}")


@pytest.mark.parametrize(
    ("top", "below", "meant"),
    [
        ("gravity = 9.81", "", "write [0, 0, -9.81], or down along y [0, -9.81, 0]"),
        ('gravity = "-y"', "", "write [0, -9.81, 0]"),
        ('gravity = "down"', "", "write [0, 0, -9.81]"),
        ("gravity = [0, -9.81]", "", "in the plane of x and y it is [0, -9.81, 0]"),
        ("", "at = [1, 'l']", "in the plane of x and y it is [1, 'l', 0]"),
        ("", 'parent = "ground"', "did you mean 'world'?"),
        ("", '[[frame]]\nname = "f"\nbody = "base"', "did you mean 'world'?"),
    ],
)
def test_values_of_others_are_refused_with_what_is_meant(top, below, meant):
    with pytest.raises(MechanismFileError) as caught:
        loads_toml(f"{top}\n{HEAVY}{below}\n")
    assert meant in str(caught.value)
    if (row := re.search(r"it is (\[.*?\])", meant)) and top:
        assert loads_toml(f"gravity = {row[1]}\n{HEAVY}").gravity.shape == (3,)


def test_constraints_without_a_name_get_one():
    stated = '[[constraint]]\nformula = "q1 - 0.1"\n[[constraint]]\nformula = "2*q1 - 0.2"\n'
    assert loads_toml(HEAVY + stated).constraints.names == ("constraint1", "constraint2")
    loop = '[[constraint]]\nframe1 = "rod"\nframe2 = "world"\njoint = "spherical"\n'
    assert loads_toml(HEAVY + loop).constraints.names == ("loop1",)
