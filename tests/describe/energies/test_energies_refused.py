"""Energies by cases, and what cannot be an energy: each refused with what was got."""

import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.generators.bodies import close
from visviva.errors import ArgumentError, VisvivaError

X = vv.coordinates("x")
K = X.diff("t") ** 2 / 2
k = sympy.Symbol("k")
n = sympy.Symbol("n")
ONE_SIDED = sympy.Piecewise((k * X**2 / 2, X < 0), (0, True))


def system(potential, **more):
    return vv.Lagrangian(X, K, potential, parameters={"k": 8.0}, **more)


@pytest.mark.parametrize(
    ("potential", "slope"),
    [
        (ONE_SIDED, lambda x: np.where(x < 0, 8 * x, 0.0)),
        ("where(less(x, 0), k*x^2/2, 0)", lambda x: np.where(x < 0, 8 * x, 0.0)),
        ("less(x, 0)*k*x^2/2", lambda x: np.where(x < 0, 8 * x, 0.0)),
        (
            sympy.Piecewise((ONE_SIDED, X < 1), (sympy.sin(X), True)),
            lambda x: np.where(x < 0, 8 * x, np.where(x < 1, 0.0, np.cos(x))),
        ),
        (
            sympy.Piecewise((X**2, sympy.And(X > 0, k / 10 > X)), (X, True)),
            lambda x: np.where((x > 0) & (x < 0.8), 2 * x, 1.0),
        ),
        (sympy.Piecewise((X, X < 0), (X**2, X >= 0)), lambda x: np.where(x < 0, 1.0, 2 * x)),
        (sympy.Min(X, 1) + sympy.Max(X, k), lambda x: np.where(x < 1, 1.0, 0.0)),
        (abs(X) ** 3 + X**2 * sympy.sign(X), lambda x: 3 * x * abs(x) + 2 * abs(x)),
        (sympy.sec(X) + sympy.cot(X / 2) + sympy.csc(X), None),
        (sympy.Sum(X**n, (n, 0, 3)), lambda x: 1 + 2 * x + 3 * x**2),
        (sympy.Product(X + n, (n, 1, 2)), lambda x: 2 * x + 3),
    ],
)
def test_potentials_by_cases_have_their_forces_in_every_verb(potential, slope):
    s = system(potential)
    x = np.array([-1.7, -0.3, 0.4, 1.3])
    if slope is None:
        symbol = sympy.Symbol("x")
        slope = sympy.lambdify(symbol, s.potential.diff(symbol))
    forces = s.gravity_forces(x[:, None])[:, 0]
    close(forces, slope(x), 1e-12)
    still = np.zeros((4, 1))
    close(s.inverse_dynamics(x[:, None], still, still)[:, 0], slope(x), 1e-12)
    close(s.forward_dynamics(x[:, None], still, still)[:, 0], -slope(x), 1e-12)
    at = s.closed_form().gravity[0].subs("k", 8)
    close([float(at.subs("x", y)) for y in x], slope(x), 1e-12)
    assert s.derivation().latex


@pytest.mark.parametrize(
    ("potential", "message"),
    [
        (sympy.nan, "potential is finite, got nan in nan"),
        (sympy.zoo * X, "potential is finite, got zoo"),
        (X + sympy.oo, "potential is finite, got oo"),
        (sympy.I * X, "potential is real, got the imaginary unit"),
        (sympy.sqrt(-1 - sympy.Integer(3)) * X, "potential is real"),
        (sympy.Piecewise((X, X < 0)), r"has no value where .* add a last case, \(value, True\)"),
        (sympy.Eq(X, 1), r"is one real formula of coordinates, got Equality Eq\(x\(t\), 1\)"),
        (X < 1, "is one real formula of coordinates, got StrictLessThan"),
        (sympy.Tuple(X, 1), "is one real formula of coordinates, got Tuple"),
        (sympy.MatrixSymbol("A", 2, 2)[0, 0] * X, r"got MatrixElement A.*: use plain symbols"),
        (sympy.IndexedBase("b")[1] * X, r"got Indexed b\[1\]: use plain symbols"),
        (sympy.Sum(X**k, (k, 0, sympy.oo)), "limits of .* are whole numbers"),
        (sympy.Sum(X**k, (k, 0, 10**6)), "has 1000001 terms, at most 1000"),
        (sympy.Integral(k, (k, 0, X)), r"got Integral .*: call \.doit\(\), or state"),
        (sympy.Integer(10) ** 5000 * X, "numbers of at most 10000 bits, got one of 16610"),
        (10**5000, "numbers of at most 10000 bits"),
        ("((2^1000)^1000)*x", "numbers of at most 10000 bits"),
        ("*".join(["0.123456789"] * 800) + "*x", "numbers of at most 10000 bits"),
        (sympy.Symbol("z", commutative=False) * X, "real: 'z' is a symbol that is not"),
        (sympy.Dummy("m") * X + sympy.Dummy("m"), "symbols of the formulas are called .m."),
        (sympy.Symbol("") * X, "a symbol has a name"),
        (float("inf"), "potential is a number, a text or a SymPy expression, got inf"),
        (sympy.Matrix([X]), "potential is a number, a text or a SymPy expression"),
    ],
    ids=range(23),
)
def test_what_cannot_be_an_energy_is_told(potential, message):
    with pytest.raises(ArgumentError, match=message):
        system(potential)


def test_formulas_nested_very_deep_or_shared_very_often_are_refused():
    deep, shared = X, X
    for _ in range(120):
        deep = sympy.sin(deep)
    with pytest.raises(ArgumentError, match=r"nested at most 100 deep, got 12. levels"):
        system(deep)
    for _ in range(25):
        shared = sympy.sin(shared) * shared
    with pytest.raises(ArgumentError, match="potential has at most 1000000 operations, got more"):
        system(shared)
    level = X
    for _ in range(98):
        level = sympy.sin(level)
    assert np.isfinite(system(level).inverse_dynamics([0.3], [0.1], [0.2])).all()


def test_dummies_are_told_apart_across_energies():
    m = sympy.Dummy("m")
    other = sympy.Dummy("m")
    with pytest.raises(ArgumentError, match="two different symbols of the formulas are called 'm'"):
        vv.Lagrangian(X, m * K, other * X)
    with pytest.raises(ArgumentError, match="two different symbols of the formulas are called 'm'"):
        vv.Lagrangian(X, m * K, sympy.Symbol("m") * X)
    assert vv.Lagrangian(X, m * K, m * X).parameter_names == ("m",)


def test_the_time_may_be_any_symbol_called_t():
    t = sympy.Symbol("t", real=True)
    x = sympy.Function("x")(t)
    s = vv.Lagrangian("x", x.diff(t) ** 2 / 2, x**2 * t)
    assert s.potential == sympy.Symbol("x") ** 2 * sympy.Symbol("t")
    close(s.inverse_dynamics([0.5], [0.0], [1.0], 2.0), [3.0], 0)


def test_functions_without_numbers_have_closed_forms():
    f = sympy.Function("f")
    s = system(f(X))
    assert s.closed_form().gravity[0] == f(sympy.Symbol("x")).diff(sympy.Symbol("x"))
    with pytest.raises(VisvivaError, match="f has no counterpart here"):
        s.gravity_forces([0.1])
    with pytest.raises(VisvivaError, match="confirmed by numbers, and there are none"):
        s.derivation()


@pytest.mark.parametrize("value", [10**400, sympy.Integer(10) ** 400, 1j, sympy.I, "1"])
def test_parameters_are_finite_numbers(value):
    with pytest.raises(ArgumentError, match="parameter 'k' is a finite number"):
        vv.Lagrangian(X, K, k * X, parameters={"k": value})


@pytest.mark.parametrize("said", [None, 3])
def test_coordinates_that_are_no_names_are_told_by_our_error(said):
    with pytest.raises(ArgumentError, match=f'expected names, as in "x y" .* got {said}'):
        vv.Lagrangian(said, "x'^2/2")
    with pytest.raises(ArgumentError, match=f'expected names, as in "x y" .* got {said}'):
        vv.coordinates(said)


def test_a_force_on_one_coordinate_is_one_formula():
    pushed = vv.Lagrangian("x", "x'^2/2", forces="3*x")
    assert pushed.forces == (3 * sympy.Symbol("x"),)
    assert vv.Lagrangian("x", "x'^2/2", forces=3).forces == (3,)
    with pytest.raises(ArgumentError, match="forces has 2 entries, got 1"):
        vv.Lagrangian("x y", "x'^2/2", forces=3)


x, xd, xdd = sympy.symbols("x xd xdd")
SLOTS = {
    "kinetic": {"kinetic": xd**2 / 2 + xdd},
    "potential": {"potential": x * xdd},
    "dissipation": {"dissipation": [5 * xdd]},
    "Rayleigh's function": {"dissipation": xd * xdd},
    "forces": {"forces": {"x": xdd}},
    "point_force": {"forces": vv.Lagrangian.point_force([x], [xdd])},
    "actuators": {"actuators": [[xdd]]},
    "constraint": {"constraints": [x - xdd]},
}


@pytest.mark.parametrize("slot", SLOTS)
def test_an_acceleration_as_a_symbol_is_refused_as_one_in_a_text_is(slot):
    with pytest.raises(ArgumentError, match="contains xdd: energies have no accelerations"):
        vv.Lagrangian("x", **{"kinetic": xd**2 / 2, **SLOTS[slot]})


def test_points_angles_and_relations_are_of_coordinates_not_of_velocities():
    point = vv.Lagrangian.point_force([xd], [1])
    with pytest.raises(ArgumentError, match="point is of coordinates and t, got the velocity xd"):
        vv.Lagrangian("x", xd**2 / 2, forces=point)
    with pytest.raises(ArgumentError, match="angle is of coordinates"):
        vv.Lagrangian("x", xd**2 / 2, forces=vv.Lagrangian.torque(1, angle=xd))
    with pytest.raises(ArgumentError, match=r"relation of x is of coordinates and t, got .* rd"):
        vv.Lagrangian("x", xd**2 / 2).in_coordinates("r", {"x": "r + r'"})


@pytest.mark.parametrize("D", ["x^2", "5", 5, x**2])
def test_a_dissipation_without_velocities_is_refused(D):
    with pytest.raises(ArgumentError, match="Rayleigh's function, of velocities"):
        vv.Lagrangian("x", xd**2 / 2, dissipation=D)
    assert vv.Lagrangian("x", xd**2 / 2, dissipation=[3]).dissipation == (3,)


@pytest.mark.parametrize("one", ["0", "1", 0, "m - 1", "t"])
def test_a_constraint_without_coordinates_is_refused(one):
    with pytest.raises(ArgumentError, match="formula of coordinates that stays zero"):
        vv.Lagrangian("x", "m*x'^2/2", constraints=one, parameters="m")


def test_a_constraint_that_new_coordinates_fulfil_is_gone():
    two = vv.Lagrangian("x y", "x'^2 + y'^2", constraints="x - y")
    assert two.in_coordinates("r", {"x": "r", "y": "r"}).constraints == ()


def test_a_parameter_that_no_formula_uses_is_known():
    for parameters in ("c m", {"c": 3.0, "m": 1.0}):
        s = vv.Lagrangian("x", "m*x'^2/2", parameters=parameters)
        assert set(s.parameter_names) == {"c", "m"}
        assert s.check("tau = (m + c)*xdd").status == "differs"
        assert s.check("tau = m*xdd").status == "identical"
    s = vv.Lagrangian("x", "x'^2/2", parameters="c")
    assert s.with_parameters(c=2).parameters == {"c": 2}
    close(s.mass_matrix([0.0]), [[1]], 0)


m = sympy.Symbol("m", positive=True)


def test_a_negative_value_for_a_positive_symbol_is_refused():
    said = "parameter 'm' is positive, got -1"
    with pytest.raises(ArgumentError, match=said):
        vv.Lagrangian("x", m * xd**2 / 2, parameters={m: -1})
    with pytest.raises(ArgumentError, match=said):
        vv.Lagrangian("x", m * xd**2 / 2, parameters={"m": -1})
    with pytest.raises(ArgumentError, match=said):
        vv.Lagrangian("x", m * xd**2 / 2, parameters={"m": 1}).with_parameters(m=-1)
    with pytest.raises(ArgumentError, match=r"'N' is integer, got 0.5"):
        vv.Lagrangian("x", xd**2, parameters={sympy.Symbol("N", integer=True): 0.5})


@pytest.mark.parametrize(
    "wrong",
    [{"forces": None}, {"forces": vv}, {"parameters": 5}, {"angles": 5}, {"passive": 5}],
    ids=str,
)
def test_what_is_no_list_is_refused_in_words(wrong):
    with pytest.raises(ArgumentError, match=r"got (None|5|<module)"):
        vv.Lagrangian("x", xd**2 / 2, **wrong)
