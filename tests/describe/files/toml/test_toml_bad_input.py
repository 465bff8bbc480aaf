"""Mechanism files that are refused: where and why, and at what cost."""

import re

import pytest

from tests.support.generators.mechanism_files import body
from visviva.describe.files.toml.read import MechanismFileError, load_toml, loads_toml
from visviva.errors import VisvivaError

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
    ('name = "a"\nexpressions = { b = "a", a = 1 }', "expressions.b': 'a' uses 'a', .* later"),
    ('name = "a"\nparameters = { l = "0,1" }', "numbers have a point: '0,1' is written 0.1"),
    ('name = "a"\n[parameters]\nl = 0,1 # m', r"line 3, .*\. Numbers have a point: 0.1"),
    ('name = "a"\nparameters = { l = "4 in" }', r"'4 in' is written '4\*0.0254'"),
    ('name = "a"\nparameters = { I = "0.1 kg·m²" }', "'0.1 kg·m²' is written 0.1"),
    ('name = "a"\n[body]\nname = "b"\n[body]\n', r"twice.*\[\[body\]\] instead of \[body\]"),
    (body("") + B2 + B2.replace('"b"', '"a"'), "body 3 .* another body is called 'a' already"),
    (body("rotation = [{ rpy = [0, 0, 1] }, { rpy = [0, 1, 0] }]"), "expected one table, got 2"),
    (
        body("") + '[[spring]]\nname = "s"\nfrom = "a"\nto = "a"\nstiffness = 1\nrest = 0\n',
        "spring 1 .* 'a' and 'a' never move apart: one body",
    ),
    (
        body("") + 2 * '[[spring]]\nname = "s"\njoint = "a_joint"\nstiffness = 1\nrest = 0\n',
        "spring 2 .* another spring is called 's' already",
    ),
    (body("inertia = { mass = 1, com = [0, 0, 0], moments = [1, 2] }"), r"got \[1, 2\]$"),
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
    (
        body("") + B2.replace('name = "b"\nparent = "a"', 'name = "a"'),
        "another body is called 'a' already",
    ),
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
    (
        body('at = [0, 0, "1 +"]'),
        "key 'at': expected a number, a name, a .*, got the end",
    ),
    (body("at = [0, 0]"), "key 'at': expected an array of 3 numbers"),
    (body("at = [0, 0, 1999-01-01]"), "expected a number or a formula in quotes, got datetime"),
    (body("at = [0, 0, 1e400]"), "expected a finite number, got inf"),
    (body("rotation = [0, 0, 1]"), "rotation 1: expected a table, got 0"),
    (body("rotation = {}"), "expected one of \\['rpy', 'axis angle'"),
    (body('rotation = { axis = "z" }'), "expected one of .* got \\['axis'\\]"),
    (body("rotation = { rpy = [0, 0, 0], quaternion = [0, 0, 0, 1] }"), "expected one of"),
    (body('rotation = { euler = "ABC", angles = [0, 0, 0] }'), "unknown Euler angle convention"),
    (body("rotation = { quaternion = [1, 1, 1, 1] }"), "is not a rotation"),
    (
        body("rotation = { matrix = [[1, 0, 0], [0, 1, 0], [0, 0, -1]] }"),
        "is not a rotation, it mirrors",
    ),
    (body("rotation = { matrix = [[1, 0], [0, 1]] }"), "expected an array of 3 arrays"),
    (body("rotation = { degrees = 3 }"), "rotation: unknown key 'degrees'"),
    (body('mimic = { joint = "c" }'), "unknown joint that 'a_joint' follows 'c'"),
    (body("mimic = {}"), "mimic: needs the key 'joint'"),
    (body("inertia = 3"), "inertia: expected a table, got 3"),
    (body("inertia = { com = [0, 0, 1] }"), "needs one of the keys solid, points, tensor, moments"),
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
    (
        body('[[spring]]\nname = "s"\njoint = "a_joint"\nfrom = "world"\nto = "a"'),
        "needs the key 'joint', or the keys 'from' and 'to', not both; got 'joint', 'from', 'to'",
    ),
    (
        body('[[constraint]]\nformula = "a_joint"\nframe1 = "a"'),
        "a constraint is a formula, or it joins frame1 and frame2: got 'formula' and 'frame1'",
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


@pytest.mark.parametrize("q", ["0, 0, 0, 0", "0, 0, 0, 2", "0, 0.1, 0, 0.1", '"m - m", 0, 0, 0'])
def test_a_quaternion_of_another_length_than_one_is_refused(q):
    text = body(f"rotation = {{ quaternion = [{q}] }}", head="parameters = { m = 1 }")
    with pytest.raises(
        MechanismFileError, match=r"rotation: .* a quaternion .* has length one, got"
    ):
        loads_toml(text)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("gear = 0\narmature = 1", "gear ratio of 'a' is a finite number other than 0"),
        ("effort = -1", "the effort limit of 'a' is not negative, got -1"),
        ("velocity = -1", "the velocity limit of 'a' is not negative, got -1"),
        ('visual = { kind = "foo" }', "unknown kind of visual 'foo'"),
        ('visual = { kind = "box", size = [1] }', "a box has 3 sizes, got"),
    ],
)
def test_what_would_do_nothing_is_refused(line, said):
    with pytest.raises(MechanismFileError, match=said):
        loads_toml(body(line))


def test_a_gear_without_a_rotor_is_noted():
    notes = loads_toml(body("gear = 50")).notes
    assert "body 'a': gear = 50.0 does nothing without an armature" in notes


ONE = """name = "x"
[[body]]
name = "a"
joint = "revolute"
axis = "z"
inertia = { mass = 1, com = [1, 0, 0], moments = [0, 1, 1] }
"""


@pytest.mark.parametrize("parent", ["", 'parent = "a"'])
def test_a_name_that_is_taken_is_said_to_be(parent):
    again = ONE.partition("\n")[2]
    with pytest.raises(MechanismFileError, match=r"body 2 \('a'\): another body is called 'a' alr"):
        loads_toml(ONE + again + parent)


def test_the_end_of_a_spring_in_coordinates_names_the_line():
    def spring(end):
        return f'{ONE}[[spring]]\nname = "s"\n{end}\nto = "a"\nstiffness = 1\nrest = 0'

    line = 'from = { frame = "world", at = [0, 1, 0] }'
    with pytest.raises(MechanismFileError, match=re.escape(line)):
        loads_toml(spring("from = [0, 1, 0]"))
    assert loads_toml(spring(line)).springs[0].points[0].tolist() == [0, 1, 0]


def test_a_parameter_that_nothing_depends_on_is_noted():
    stated = 'parameters = { l = 1.0, r = 2.0, "φ" = 3.0 }\n'
    model = loads_toml(
        body(P.replace("[0, 0, 0]", '["l", "φ", 0]')).replace("\n", "\n" + stated, 1)
    )
    assert model.notes == ("nothing depends on the parameter 'r'",)
