"""Independent coordinates: reduced equations that are known, and motion as with multipliers."""

import mpmath
import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError

PROVED = "the equations of motion, projected by ∂q/∂q′, are those of the reduced system"


def point(q, constraints, parameters="m", potential="0", **more):
    T = "m*(" + " + ".join(f"{x}'^2" for x in q.split()) + ")/2"
    return vv.Lagrangian(q, T, potential, constraints=constraints, parameters=parameters, **more)


def bead():
    return vv.Lagrangian(
        "x z theta",
        "m*(x'^2 + z'^2 + x^2*theta'^2)/2",
        "m*g*z",
        constraints={"wire": "z = k*x^2", "drive": "theta = Omega*t"},
        parameters={"m": 2.0, "g": 9.81, "k": 0.5, "Omega": 3.0},
    )


def equations(r):
    return [sympy.expand(e) for e in r.system.closed_form().equations]


@pytest.mark.parametrize("held", ["x x' + y y' = 0", "x^2 + y^2 = R^2"])
def test_a_point_on_a_circle(held):
    """m R² θ̈ = R (-sin θ fx + cos θ fy), from the velocity constraint too."""
    names = "m fx fy R" if "R" in held else "m fx fy"
    r = point("x y", held, names, forces=["fx", "fy"]).reduce()
    assert r.proof[-1] == PROVED
    (e,) = equations(r)
    assert e == sympy.sympify("m*R**2*thetadd - R*(-sin(theta)*fx + cos(theta)*fy)").expand()
    assert r.system.angles == ("theta",)
    assert r.relations == {
        k: sympy.sympify(x) for k, x in (("x", "R*cos(theta)"), ("y", "R*sin(theta)"))
    }


def test_a_bead_on_a_rotating_wire():
    """(1 + 4k²x²) ẍ + 4k²x ẋ² - Ω²x + 2gkx = 0."""
    r = bead().reduce()
    (e,) = equations(r)
    expected = "m*((1 + 4*k**2*x**2)*xdd + 4*k**2*x*xd**2 - Omega**2*x + 2*g*k*x)"
    assert sympy.expand(e - sympy.sympify(expected)) == 0
    assert r.system.coordinates == ("x",)
    assert r.system.parameters == bead().parameters
    assert PROVED in r.system.notes[-1]
    assert "'wire'" not in repr(r)


def same_motion(s, r, q, v, tau, t=0.0):
    """a of the reduced system, carried back, is the constrained acceleration of the first."""
    there = r.system
    u, w = sympy.symbols(there.coordinates), sympy.symbols([f"{x}_rate" for x in there.coordinates])
    T = sympy.Symbol("t")
    values = {sympy.Symbol(k): x for k, x in there.parameters.items()}
    place = sympy.Matrix([x.subs(values) for x in r.relations.values()])
    J = place.jacobian(u)
    rate = J * sympy.Matrix(w) + place.diff(T)
    bias = rate.jacobian(u) * sympy.Matrix(w) + rate.diff(T)
    at = {**dict(zip(u, q, strict=True)), **dict(zip(w, v, strict=True)), T: t}
    place, J, rate, bias = (np.array(x.subs(at), dtype=float) for x in (place, J, rate, bias))
    given = {"q": np.array(q), "v": np.array(v), "tau": J.T @ tau, "t": t}
    f = there.forward_dynamics
    a = f(*(given[k] for k in f.inputs))
    given = {"q": place[:, 0], "v": rate[:, 0], "tau": np.array(tau), "t": t}
    f = s.forward_dynamics
    np.testing.assert_allclose(J @ a + bias[:, 0], f(*(given[k] for k in f.inputs)), atol=1e-11)


@pytest.mark.spread(0)
def test_motion_is_that_with_multipliers():
    sphere = point("x y z", "x^2 + y^2 + z^2 = R^2", {"m": 2.0, "R": 0.7, "g": 9.81}, "m*g*z")
    same_motion(sphere, sphere.reduce(), [0.7, 0.3], [0.5, -1.1], [0.3, -0.2, 0.9])
    same_motion(bead(), bead().reduce(), [0.4], [0.3], [0.1, 0.2, 0.3], 0.8)
    double = point(
        "x1 y1 x2 y2",
        ["x1^2 + y1^2 = l^2", "(x2 - x1)^2 + (y2 - y1)^2 = l^2"],
        {"m": 1.5, "l": 0.6, "g": 9.81},
        "m*g*(y1 + y2)",
        dissipation="x1'^2/5 + x2'*y2'/7",
    )
    r = double.reduce()
    assert r.system.coordinates == ("theta", "phi")
    same_motion(double, r, [0.7, -0.3], [0.5, -1.1], [0.3, -0.2, 0.9, 0.4])
    pivot = point("x y", "(x - a*sin(w*t))^2 + y^2 = l^2", {"m": 2.0, "a": 0.1, "w": 3.0, "l": 0.5})
    same_motion(pivot, pivot.reduce(), [0.7], [0.5], [0.3, -0.2], 0.4)


def test_an_ellipse_and_a_plane_that_cuts_a_sphere():
    r = point("x y", "x^2/a^2 + y^2/b^2 = 1", "m a b").reduce()
    assert [str(x) for x in r.relations.values()] == ["a*cos(theta)", "b*sin(theta)"]
    r = point("x y z", ["x^2 + y^2 + z^2 = R^2", "z = h"], "m R h").reduce()
    assert r.system.nq == 1
    assert any("R**2 - h**2 > 0" in x for x in r.proof)


def test_velocity_constraints_that_integrate_together():
    r = point("x y z", ["z' = y x'", "y' = 0"]).reduce()
    assert r.system.nq == 1
    assert r.proof[:2] == ("-x*y + z is constant", "y is constant")
    assert set(r.system.parameter_names) == {"m", "c2"}  # where it is does not matter


def test_what_does_not_integrate_stays():
    T = "m*(x'^2 + y'^2 + z'^2)/2 + J*theta'^2/2"
    blade = {"blade": "x' sin(theta) = y' cos(theta)", "plane": "z = h"}
    s = vv.Lagrangian("x y z theta", T, constraints=blade, parameters="m J h")
    r = s.reduce()
    assert r.system.coordinates == ("x", "y", "theta")
    assert r.system.constraints.names == ("blade",)
    assert "'blade' does not integrate and stays" in r.proof
    alone = vv.Lagrangian(
        "x y theta", T.replace("z'^2", "0"), constraints={"blade": blade["blade"]}, parameters="m J"
    )
    with pytest.raises(
        ArgumentError, match=r"no constraint of .* integrates.*'blade' is nonholonomic"
    ):
        alone.reduce()


LENGTHS = {"l1": 0.4, "l2": 0.9, "l3": 0.8, "d": 1.0}
BAR = "m*(l1^2*a'^2 + l1*l2*a'*b'*cos(a - b) + l2^2*b'^2/4)/2"


def four_bar():
    """Angles from the ground; the coupler's middle has a mass."""
    return vv.Lagrangian(
        "a b c",
        f"J1*a'^2/2 + J2*b'^2/2 + J3*c'^2/2 + {BAR}",
        "m*g*(l1*sin(a) + l2*sin(b)/2)",
        dissipation="f*c'^2/2",
        constraints=["l1*cos(a) + l2*cos(b) = d + l3*cos(c)", "l1*sin(a) + l2*sin(b) = l3*sin(c)"],
        parameters={**LENGTHS, "J1": 0.1, "J2": 0.2, "J3": 0.3, "m": 1.5, "g": 9.81, "f": 0.2},
    )


@pytest.mark.spread(0)
@pytest.mark.parametrize("branch", [1, -1])
def test_a_four_bar_by_tangents_of_half_an_angle(branch):
    """Both assemblies: one coordinate, proved, and the motion with multipliers."""
    s, crank, rate, tau = four_bar(), 0.7, 1.3, np.array([2.0, 0.3, -0.1])
    r = s.reduce(branch=branch)
    assert (r.system.coordinates, r.proof[-1]) == (("a",), PROVED)
    assert r.proof[0] == "the constraints hold for all new coordinates, velocities and times"
    formulas = [x.subs(LENGTHS) for x in r.relations.values()]
    place = sympy.lambdify(sympy.Symbol("a"), formulas, "mpmath")
    with mpmath.workdps(30):
        q, J, dJ = (
            np.array([mpmath.diff(lambda x, k=k: place(x)[k], crank, n) for k in range(3)], float)
            for n in range(3)
        )
    np.testing.assert_allclose(s.constraint_error(q), 0, atol=1e-14)
    assert np.sign(np.sin(q[2])) == -branch  # the rocker above or below the ground
    a = r.system.forward_dynamics([crank], [rate], [J @ tau])
    motion = J * a + dJ * rate**2
    np.testing.assert_allclose(s.forward_dynamics(q, J * rate, tau), motion, rtol=1e-11)


FIVE = {"l0": 0.3, "l1": 0.3, "l2": 0.45, "m1": 0.6, "m2": 0.4, "I1": 0.005, "I2": 0.007, "g": 9.81}


@pytest.mark.spread(0)
def test_a_five_bar_in_its_two_cranks_moves_as_the_catalogs():
    def crank(a):
        return f"(I1 + m1*l1^2/4)*{a}'^2/2"

    def rod(a, b):
        middle = f"l1^2*{a}'^2 + l1*l2*{a}'*{b}'*cos({a} - {b}) + l2^2*{b}'^2/4"
        return f"(m2*({middle}) + I2*{b}'^2)/2"

    s = vv.Lagrangian(
        "a c b d",
        f"{crank('a')} + {crank('c')} + {rod('a', 'b')} + {rod('c', 'd')}",
        "g*((m1/2 + m2)*l1*(sin(a) + sin(c)) + m2*l2*(sin(b) + sin(d))/2)",
        constraints=[
            "l1*cos(a) + l2*cos(b) = l0 + l1*cos(c) + l2*cos(d)",
            "l1*sin(a) + l2*sin(b) = l1*sin(c) + l2*sin(d)",
        ],
        parameters=FIVE,
    )
    r = s.reduce(branch=-1)
    assert (r.system.coordinates, r.proof[-1]) == (("a", "c"), PROVED)
    formulas = [r.relations[k].subs(FIVE) for k in "bd"]
    place = sympy.lambdify(sympy.symbols("a c"), formulas, "mpmath")
    at, rate, tau = (2.1, 0.9), np.array([1.0, -0.5]), np.array([0.3, 0.4])
    with mpmath.workdps(30):
        b, d = place(*at)
        orders = ((1, 0), (0, 1))
        J = [[mpmath.diff(lambda *x, k=k: place(*x)[k], at, n) for n in orders] for k in (0, 1)]
    bars, (vb, vd) = vv.catalog.five_bar(**FIVE), np.array(J, dtype=float) @ rate
    q = np.array([at[0], b - at[0], at[1], d - at[1]], dtype=float)
    v = np.array([rate[0], vb - rate[0], rate[1], vd - rate[1]])
    np.testing.assert_allclose(bars.constraint_error(q), 0, atol=1e-14)
    a = bars.forward_dynamics(q, v, [tau[0], 0.0, tau[1], 0.0])
    np.testing.assert_allclose(r.system.forward_dynamics(at, rate, tau), a[[0, 2]], rtol=1e-11)


def test_a_slider_crank_has_its_crank_and_nothing_is_divided_by_zero():
    s = vv.Lagrangian(
        "a c x",
        "J*a'^2/2 + m*x'^2/2",
        constraints=["x = r*cos(a) + l*cos(c)", "r*sin(a) + l*sin(c) = 0"],
        parameters={"J": 0.1, "m": 2.0, "r": 0.3, "l": 0.8},
    )
    for branch, side in ((1, 1), (-1, -1)):
        r = s.reduce(branch=branch)
        assert r.system.coordinates == ("a",)
        same_motion(s, r, [0.7], [1.3], [0.3, -0.2, 0.9])
        at = {sympy.Symbol(k): x for k, x in {"a": 0, "r": 0.3, "l": 0.8}.items()}
        assert float(r.relations["x"].subs(at)) == pytest.approx(0.3 + side * 0.8)
    with pytest.raises(ArgumentError, match="branch is 1 or -1, got 2"):
        s.reduce(branch=2)


def test_wrong_energies_of_a_linkage_are_seen(monkeypatch):
    right = vv.Lagrangian.in_coordinates
    wrong = sympy.Symbol("m") / 1000

    def other(self, *args, **more):
        there = right(self, *args, **more)
        return there._changed(kinetic=there.kinetic + wrong * there.names.v[0] ** 2)

    monkeypatch.setattr(vv.Lagrangian, "in_coordinates", other)
    with pytest.raises(ArgumentError, match=r"the energies of .* differ"):
        four_bar().reduce()


def test_relations_of_ones_own():
    s = point("x y", "x*y = 1")
    with pytest.raises(ArgumentError, match=r"x\*y - 1 of .* could not be solved .* state them"):
        s.reduce()
    r = s.reduce("s", {"x": "exp(s)", "y": "exp(-s)"})
    assert r.proof[-1] == PROVED
    with pytest.raises(ArgumentError, match=r"constraint x\*y - 1 = 0 does not hold: 1 would"):
        s.reduce("s", {"x": "s", "y": "2/s"})
    with pytest.raises(ArgumentError, match="leave 2 of 3 coordinates free, these relations 1"):
        point("x y z", "x*y = 1").reduce("s", {"x": "s", "y": "1/s", "z": "0"})
    with pytest.raises(ArgumentError, match="new coordinates and relations, or neither"):
        s.reduce("s")
    with pytest.raises(ArgumentError, match="has no constraints"):
        s.without_constraints().reduce()


def test_what_contradicts_itself_is_told():
    with pytest.raises(ArgumentError, match=r"contradict each other: .* says that -1 is zero"):
        point("x y", ["x = 1", "x = 2"]).reduce()


def test_a_wrong_reduction_is_seen(monkeypatch):
    """The comparison does not rest on in_coordinates."""
    right = vv.Lagrangian.in_coordinates

    def wrong(self, *args, **more):
        there = right(self, *args, **more)
        return there._changed(potential=there.potential + sympy.Symbol("theta"))

    monkeypatch.setattr(vv.Lagrangian, "in_coordinates", wrong)
    with pytest.raises(ArgumentError, match="of the reduced system differ"):
        point("x y", "x^2 + y^2 = R^2", "m R").reduce()
