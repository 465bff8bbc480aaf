"""Systems stated by energies: what may be written, what is kept, what is refused."""

import pickle
import tomllib

import numpy as np
import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

import visviva as vv
from tests.support.generators.bodies import close
from visviva.describe.energies.lagrangian import Lagrangian, coordinates, parameters
from visviva.describe.files.toml.lagrangian import read_lagrangian
from visviva.describe.files.toml.read import MechanismFileError
from visviva.describe.values import digest
from visviva.errors import ArgumentError, ShapeError, UnknownNameError

VALUES = {"m": 2.0, "l": 0.5, "g": 9.81}
TEXT = Lagrangian("theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters=VALUES)


def by_functions():
    theta = coordinates("theta")
    m, length, g = parameters("m l g", positive=True)
    kinetic = m * length**2 * theta.diff("t") ** 2 / 2
    return Lagrangian(theta, kinetic, -m * g * length * sympy.cos(theta), parameters=VALUES)


def by_dynamicsymbols():
    theta = dynamicsymbols("theta")
    m, length, g = sympy.symbols("m l g")
    kinetic = m * length**2 * theta.diff() ** 2 / 2
    values = {m: 2, length: sympy.Rational(1, 2), g: 9.81}
    return Lagrangian([theta], kinetic, -m * g * length * sympy.cos(theta), parameters=values)


def by_symbols():
    theta, rate, m, length, g = sympy.symbols("theta thetad m l g")
    kinetic = m * length**2 * rate**2 / 2
    return Lagrangian([theta], kinetic, -m * g * length * sympy.cos(theta), parameters=VALUES)


@pytest.mark.parametrize("make", [by_functions, by_dynamicsymbols, by_symbols])
def test_every_way_of_writing_means_the_same(make):
    s = make()
    assert s.kinetic == TEXT.kinetic
    assert s.potential == TEXT.potential
    assert digest(s) == digest(TEXT)
    state = [0.7], [-0.4], [1.3]
    assert s.inverse_dynamics(*state) == TEXT.inverse_dynamics(*state)


def test_symbols_are_plain():
    s = by_functions()
    assert s.kinetic.free_symbols == set(sympy.symbols("m l thetad"))
    assert s.coordinates == s.joint_names == ("theta",)
    assert s.parameter_names == ("m", "l", "g")
    assert (s.nq, s.nv) == (1, 1)


def test_rates_in_texts():
    for rate in ("q1'", "q1.dot", "qd1"):
        assert Lagrangian("q1 q2", f"{rate}^2/2").kinetic == sympy.Symbol("qd1") ** 2 / 2


def test_numbers_in_texts_are_exact():
    s = Lagrangian("x", "x'^2/3 + 0.1*x'^2", "pi*x")
    xd = sympy.Symbol("xd")
    assert s.kinetic == xd**2 / 3 + xd**2 / 10
    assert s.potential == sympy.pi * sympy.Symbol("x")


def test_names_from_words():
    q = coordinates("q1, q2")
    assert [str(x) for x in q] == ["q1(t)", "q2(t)"]
    assert parameters("m").is_real
    with pytest.raises(ArgumentError, match="expected different names"):
        coordinates("q q")
    with pytest.raises(ArgumentError, match="'sin' can mean two things, this and a function"):
        coordinates("sin")
    with pytest.raises(ArgumentError, match="'t' can mean two things, this and the time"):
        parameters("t")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x", "m*x'^2/2"), r"unknown name 'm' \(available: 't', 'x', 'xd'"),
        (("x", "x''^2"), "have no accelerations"),
        (("x", coordinates("x").diff("t", 2)), "energies have no accelerations"),
        (("x", coordinates("y").diff("t")), "unknown coordinate 'y'"),
        (("x", None), "kinetic is a number, a text or a SymPy expression, got None"),
        (
            ("x xd", "x"),
            "'xd' can mean two things, the coordinate 'xd' and the velocity",
        ),
        (("x", "x'^2", 0, ["x", "x"]), "dissipation has 1 entries, got 2"),
        (("x", "x'^2", 0, 0, {"y": 1}), "unknown coordinate 'y'"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises((ArgumentError, UnknownNameError, ValueError), match=message):
        Lagrangian(*arguments)


def test_parameters_are_checked():
    with pytest.raises(ArgumentError, match="'m' is a finite number, got nan"):
        Lagrangian("x", "m*x'^2", parameters={"m": np.nan})
    with pytest.raises(ArgumentError, match="'xd' can mean two things, a parameter and the vel"):
        Lagrangian("x", "x'^2", parameters={"xd": 1.0})
    with pytest.raises(UnknownNameError, match="unknown parameter 'mm'; did you mean 'm'"):
        TEXT.with_parameters(mm=1.0)
    assert TEXT.with_parameters(m=3.0).parameters["m"] == 3.0
    assert TEXT.parameters["m"] == 2.0


def test_missing_values_are_reported_by_the_function():
    x, m = coordinates("x"), sympy.Symbol("m")
    s = Lagrangian(x, m * x.diff("t") ** 2 / 2, name="thing")
    with pytest.raises(ArgumentError, match="'thing' has no value for m: give parameters="):
        s.mass_matrix([0.0])
    close(s.function("mass_matrix", parameters=["m"])([0.0], [3.0]), [[3.0]], 0)


def test_forces_by_virtual_work():
    """A pendulum: its bob is pushed, its rod is turned, its angle is driven."""
    bob = ["l*sin(theta)", "-l*cos(theta)"]
    push = Lagrangian.point_force(bob, ["3", "-2"])
    turn = Lagrangian.torque("5", angle="2*theta")
    spin = Lagrangian.torque([0, 0, "7"], angular_velocity=[0, 0, "theta'"])
    s = Lagrangian("theta", TEXT.kinetic, forces=[push, turn, spin, {"theta": "-theta'"}],
                   parameters=VALUES)  # fmt: skip
    Q = 0.5 * (3 * np.cos(0.3) - 2 * np.sin(0.3)) + 10 + 7 - 0.2
    assert s.applied_forces.inputs == {"q": (1,), "v": (1,)}
    close(s.applied_forces([0.3], [0.2]), [Q], 1e-14)
    close(s.inverse_dynamics([0.3], [0.2], [0.0]), [-Q], 1e-14)
    with pytest.raises(ShapeError, match="point and force have the same components, got 2 and 1"):
        Lagrangian("theta", 0, forces=Lagrangian.point_force(bob, ["1"]), parameters=VALUES)
    with pytest.raises(ArgumentError, match="either an angle or an angular_velocity"):
        Lagrangian.torque("1")


def test_inputs_are_what_a_function_depends_on():
    driven = Lagrangian("x", "m*(x' + A*cos(t))^2/2", "x^2", parameters={"m": 1, "A": 2})
    assert list(driven.mass_matrix.inputs) == ["q"]
    assert list(driven.gravity_forces.inputs) == ["q", "t"]
    assert list(driven.inverse_dynamics.inputs) == ["q", "v", "a", "t"]
    assert list(driven.forward_dynamics.inputs) == ["q", "v", "tau", "t"]
    fast = vv.catalog.relativistic_particle()
    assert list(fast.mass_matrix.inputs) == ["q", "v"]
    kept = driven.function("inverse_dynamics", parameters=["A"])
    assert list(kept.inputs) == ["q", "v", "a", "t", "parameters"]
    close(kept([0.5], [0.1], [0.2], 0.3, [2.0]), driven.inverse_dynamics([0.5], [0.1], [0.2], 0.3))


def test_verbs_of_bodies_are_refused():
    with pytest.raises(AttributeError, match="momentum needs bodies"):
        _ = TEXT.momentum
    with pytest.raises(AttributeError, match="frame_pose needs bodies: 'lagrangian' is stated by"):
        _ = TEXT.frame_pose
    with pytest.raises(UnknownNameError, match="unknown function of 'lagrangian' 'regressor'"):
        TEXT.function("regressor")
    with pytest.raises(UnknownNameError, match="unknown frame 'tool'"):
        TEXT.pose("tool")
    with pytest.raises(UnknownNameError, match="unknown parameter 'k'"):
        TEXT.function("mass_matrix", parameters=["k"])


def test_velocity_dependent_mass_has_no_coriolis_matrix():
    fast = vv.catalog.relativistic_particle()
    for name in ("coriolis_matrix", "christoffel"):
        with pytest.raises(ArgumentError, match="depends on velocities; bias_forces"):
            fast.function(name)


def test_circles_and_lines():
    s = vv.catalog.point_on_circle()
    assert s.angles == ("theta",)
    close(s.difference([0.1], [2 * np.pi]), [-0.1], 1e-15)
    close(s.difference([-3.0], [3.0]), [6.0 - 2 * np.pi], 1e-15)
    line = vv.catalog.bead_on_rotating_wire()
    close(line.difference([0.1], [7.0]), [6.9], 1e-15)
    close(line.integrate([0.1], [7.0]), [7.1], 1e-15)
    close(line.q(x=0.4), [0.4], 0)
    close(line.neutral(), [0.0], 0)
    with pytest.raises(UnknownNameError, match="coordinate 'y'"):
        line.q(y=1)
    with pytest.raises(ShapeError, match="q1 of 'bead_on_rotating_wire' has 1 entries"):
        line.difference([0.0], [0.0, 1.0])
    with pytest.raises(UnknownNameError, match="coordinate 'y'"):
        Lagrangian("x", "x'^2", angles="y")


def test_frozen_and_pickled():
    with pytest.raises(AttributeError):
        TEXT.kinetic = 0
    again = pickle.loads(pickle.dumps(TEXT))
    assert digest(again) == digest(TEXT)
    f = pickle.loads(pickle.dumps(TEXT.inverse_dynamics))
    close(f([0.1], [0.2], [0.3]), TEXT.inverse_dynamics([0.1], [0.2], [0.3]), 0)


def test_what_is_computed_decides_the_digest():
    base = {"coordinates": "x", "kinetic": "m*x'^2/2", "parameters": {"m": 1}}
    variants = [
        {},
        {"kinetic": "m*x'^2"},
        {"potential": "x"},
        {"dissipation": "x'^2"},
        {"dissipation": ["2*x'"]},
        {"forces": ["1"]},
        {"constraints": ["x"]},
        {"actuators": [["x"]]},
        {"actuators": [["2*x"]]},
        {"parameters": {"m": 2}},
    ]
    assert len({digest(Lagrangian(**{**base, **v})) for v in variants}) == len(variants)
    assert digest(Lagrangian(**base, name="other")) == digest(Lagrangian(**base))


def test_repr_states_everything():
    s = Lagrangian("x", "m*x'^2/2", "x^2", "x'^2", ["3"], ["x - 1"], {"m": 2}, name="thing")
    text = repr(s)
    for part in ("'thing'", "m*xd**2/2", "x**2", "forces     3", "x - 1 = 0", "m = 2"):
        assert part in text


def test_other_coordinates_keep_what_is_kept():
    s = Lagrangian("x y", "(x'^2 + y'^2)/2", dissipation=["x'", "0"], actuators=[["1"], ["0"]])
    half = s.in_coordinates("x h", {"y": "h/2"})
    assert half.coordinates == ("x", "h")
    close(half.mass_matrix([0, 0]), [[1, 0], [0, 0.25]], 0)
    close(half.dissipation_forces([0, 0], [3, 1]), [3, 0], 0)
    with pytest.raises(ArgumentError, match="coordinate 'y' has no relation and is not kept"):
        s.in_coordinates("x h", {})
    with pytest.raises(UnknownNameError, match="unknown coordinate 'z'"):
        s.in_coordinates("x h", {"z": "h"})
    assert s.without_dissipation().dissipation == 0


FILE = """
name = "bead"
description = "on a wire"
[parameters]
m = 0.5
k = 1.0
[lagrangian]
coordinates = ["x"]
kinetic = "m*x'^2*(1 + 4*k^2*x^2)/2"
potential = "m*9.81*k*x^2"
dissipation = "0.1*x'^2/2"
forces = {x = "1 + x"}
actuators = [["k"]]
angles = []
"""


def from_text(text):
    return read_lagrangian(tomllib.loads(text), "bead.toml", MechanismFileError)


def test_files_state_energies():
    s = from_text(FILE)
    assert s.name == "bead"
    assert s.notes == ("description: on a wire",)
    x, v, a = 0.3, 0.2, -0.7
    tau = 0.5 * ((1 + 4 * x**2) * a + 4 * x * v**2 + 2 * 9.81 * x) + 0.1 * v - 1 - x
    close(s.inverse_dynamics([x], [v], [a]), [tau], 1e-14)
    close(s.actuator_map([x]), [[1.0]], 0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("potential", "potental", "unknown key of .lagrangian. 'potental'; did you mean"),
        ("[parameters]", "gravity = 3\n[parameters]", "unknown key beside .lagrangian. 'gravity'"),
        ('kinetic = "m', 'kinetic = "mm', "unknown name 'mm'"),
        ('coordinates = ["x"]', 'coordinates = "x"', "expected an array of names"),
        ('["k"]', "[true]", "key 'actuators': expected a formula, got True"),
        ('name = "bead"', "", "needs the key 'name'"),
        ("m = 0.5", 'm = "0.5"', "'m' is a finite number, got '0.5'"),
    ],
)
def test_files_that_are_wrong_say_where(old, new, message):
    with pytest.raises(MechanismFileError, match="bead.toml: .*" + message):
        from_text(FILE.replace(old, new, 1))
