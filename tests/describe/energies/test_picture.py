"""Pictures of energies: what may be stated, what is refused, and that nothing else changes."""

import pickle

import pytest
import sympy

import visviva as vv
from visviva.describe.values import digest
from visviva.errors import ArgumentError, ParseError, ShapeError, UnknownNameError

STATED = {"coordinates": "theta", "kinetic": "m*l^2*theta'^2/2", "parameters": {"m": 2.0, "l": 0.5}}
HOSTILE = "</script><b \"'\\ \n"
PICTURE = {
    "points": {"bob": ["l*sin(theta)", "-l*cos(theta)"], HOSTILE: [0, "l", 1]},
    "lines": [("origin", "bob"), (HOSTILE, "bob", "spring")],
    "solids": {
        "bob": {"ball": 0.05},
        "disc": {"disc": "l/4", "at": "bob", "angle": "theta"},
        "wire": {"curve": ["u", "u^2"], "along": ["u", -1, "l"]},
        "box": {"box": [1, 2, 3], "rotation": {"euler": "ZXZ", "angles": ["theta", 0, "t"]}},
        "rim": {"ring": 1, "axis": "y", "rotation": {"axis": "z", "angle": "theta"}},
        HOSTILE: {"cylinder": [1, "l"], "at": [0, 0, "l"], "rotation": {"rpy": [0, 0, 1]}},
    },
    "start": {"theta": "pi/4", "theta'": 1},
}
PARTS = ("points", "lines", "solids", "start")


def system(**more):
    return vv.Lagrangian(**{**STATED, **more})


def picture(s):
    return [getattr(s, k) for k in PARTS]


def test_machine_code_does_not_know_the_picture():
    assert digest(system(**PICTURE)) == digest(system())


def test_formulas_are_over_plain_symbols():
    s = system(**PICTURE)
    theta, length = sympy.symbols("theta l")
    assert s.points["bob"] == (length * sympy.sin(theta), -length * sympy.cos(theta))
    assert s.lines[0] == ("origin", "bob", "rod")
    assert s.start == {"theta": pytest.approx(0.25 * 3.141592653589793), "thetad": 1.0}
    assert s.keyframes["start"].tolist() == [s.start["theta"]]


def test_sympy_states_the_same():
    theta = vv.coordinates("theta")
    length = vv.parameters("l", positive=True)
    bob = [length * sympy.sin(theta), -length * sympy.cos(theta)]
    assert (
        system(points={"bob": bob}).points
        == system(points={"bob": PICTURE["points"]["bob"]}).points
    )


def test_systems_made_of_it_keep_the_picture():
    s = system(**PICTURE)
    others = [
        s.with_parameters(l=2.0),
        s.without_dissipation(),
        s.without_constraints(),
        s.with_passive("theta"),
        pickle.loads(pickle.dumps(s)),
    ]
    for other in others:
        assert picture(other) == picture(s)


def test_other_coordinates_carry_it_over():
    turned = system(**PICTURE).in_coordinates("phi", {"theta": "2*phi"})
    phi, length = sympy.symbols("phi l")
    assert turned.points["bob"][0] == length * sympy.sin(2 * phi)
    assert dict(turned.solids["disc"].turn)["angle"] == 2 * phi
    assert turned.lines == system(**PICTURE).lines
    assert not turned.start


def test_files_keep_it(tmp_path):
    s = system(**PICTURE)
    vv.save(s, tmp_path / "s.toml")
    again = vv.load(tmp_path / "s.toml")
    assert picture(again) == picture(s)


def test_a_file_states_it_as_a_person_writes(tmp_path):
    (tmp_path / "s.toml").write_text("""
name = "bead"
[parameters]
k = 1.0
[lagrangian]
coordinates = ["x"]
kinetic = "x'^2*(1 + 4*k^2*x^2)/2"
points = { bead = ["x", "k*x^2"] }
lines = [["origin", "bead", "string"]]
start = { x = 0.5, "x'" = 1 }
[lagrangian.solids]
bead = { ball = 0.05 }
wire = { curve = ["u", "k*u^2"], along = ["u", -1, 1] }
""")
    s = vv.load(tmp_path / "s.toml")
    assert s.solids["bead"].at == "bead"
    assert s.solids["wire"].along[0] == "u"
    assert s.start == {"x": 0.5, "xd": 1.0}
    (tmp_path / "t.toml").write_text('name = "a"\n[lagrangian]\ncoordinates = ["x"]\nkinetic = '
                                     '"x\'^2"\npoints = { p = [true, 0] }')  # fmt: skip
    with pytest.raises(vv.VisvivaError, match=r"t\.toml: lagrangian: key 'points'"):
        vv.load(tmp_path / "t.toml")


REFUSED = [
    ({"points": {"a": ["L", 0]}}, ParseError, "unknown name 'L'"),
    ({"points": {"a": [sympy.Symbol("z"), 0]}}, UnknownNameError, "name in point 'a' 'z'"),
    ({"points": {"a": ["theta'", 0]}}, ArgumentError, "of coordinates and t, got the velocity"),
    ({"points": {"a": ["l"]}}, ShapeError, "point 'a' has 2 or 3 components, got 1"),
    ({"points": ["l", 0]}, ArgumentError, "points are stated by name"),
    ({"points": {1: [0, 0]}}, ArgumentError, "called by texts, got 1"),
    ({"lines": [("origin", "bob")]}, UnknownNameError, "point of a line 'bob'"),
    ({"lines": "origin"}, ArgumentError, "a line joins two points"),
    ({"lines": 3}, ArgumentError, "a line joins two points"),
    ({"lines": [("origin", "origin", "sprong")]}, UnknownNameError, "did you mean 'spring'"),
    ({"solids": {"a": 3}}, ArgumentError, "solid 'a' is stated as"),
    ({"solids": {"a": {"bal": 1}}}, UnknownNameError, "did you mean 'ball'"),
    ({"solids": {"a": {"at": "origin"}}}, ArgumentError, "is one of ball, .* got none"),
    ({"solids": {"a": {"ball": 1, "disc": 1}}}, ArgumentError, "got ball, disc"),
    ({"solids": {"a": {"ball": 0}}}, ArgumentError, "sizes of a ball are positive, got 0"),
    ({"solids": {"a": {"cylinder": 1}}}, ShapeError, "radius, length.* has 2 components, got 1"),
    ({"solids": {"a": {"ball": 1, "at": "b"}}}, UnknownNameError, "point of solid 'a' 'b'"),
    ({"solids": {"a": {"disc": 1, "axis": "w"}}}, UnknownNameError, "axis of solid 'a' 'w'"),
    ({"solids": {"a": {"curve": ["u", 0]}}}, ArgumentError, "goes along a letter"),
    ({"solids": {"a": {"ball": 1, "along": ["u", 0, 1]}}}, ArgumentError, "goes along a letter"),
    (
        {"solids": {"a": {"curve": ["l", 0], "along": ["l", 0, 1]}}},
        ArgumentError,
        "a letter that is no name yet",
    ),
    (
        {"solids": {"a": {"ball": 1, "angle": 1, "rotation": {"rpy": [0, 0, 0]}}}},
        ArgumentError,
        "got both",
    ),
    ({"solids": {"a": {"ball": 1, "rotation": 3}}}, ArgumentError, "axis angle, euler angles"),
    ({"solids": {"a": {"ball": 1, "rotation": {"axis": "z"}}}}, ArgumentError, "a rotation is"),
    (
        {"solids": {"a": {"ball": 1, "rotation": {"euler": "ZZZ", "angles": [0, 0, 0]}}}},
        UnknownNameError,
        "Euler angle convention 'ZZZ'",
    ),
    (
        {"solids": {"a": {"ball": 1, "rotation": {"axis": [0, 0, 0], "angle": 1}}}},
        ArgumentError,
        "an axis needs a direction",
    ),
    (
        {"solids": {"a": {"ball": 1, "rotation": {"matrix": [[1]]}}}},
        ShapeError,
        "has 3 rows, got 1",
    ),
    ({"start": {"phi": 1}}, UnknownNameError, "coordinate or velocity 'phi'"),
    ({"start": {"theta": "l"}}, ArgumentError, "start of 'theta' is a number"),
    ({"start": [1]}, ArgumentError, "start is stated as"),
]


@pytest.mark.parametrize(("stated", "kind", "said"), REFUSED)
def test_what_is_refused_and_how(stated, kind, said):
    with pytest.raises(kind, match=said):
        system(**stated)


def test_what_depends_on_a_constant_of_integration_is_left_out_and_told():
    bead = vv.catalog.bead_on_rotating_wire(constrained=True).reduce().system
    assert not bead.points
    assert not bead.solids
    assert any("what is seen of it depends on c" in note for note in bead.notes)
