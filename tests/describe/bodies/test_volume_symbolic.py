"""Inertia of round bodies in symbols: in x, y, z, and in cylindrical and spherical coordinates."""

import numpy as np
import pytest
import sympy
from sympy import pi, sqrt

from tests.support.generators.bodies import same_inertia
from visviva.describe.bodies.inertia import Inertia
from visviva.errors import ArgumentError

x, y, z, r, theta, phi = sympy.symbols("x y z r theta phi")
rho, R, a, b, c, h = sympy.symbols("rho R a b c h")  # nothing is said of their signs
DISC, BALL = sqrt(R**2 - x**2), sqrt(R**2 - x**2 - y**2)
SHELL = {"r": (a, R), "theta": (0, pi), "phi": (0, 2 * pi)}


def same_formulas(body, row):
    parts = zip(
        [body.mass, *body.com, *body.tensor.flat], [row.mass, *row.com, *row.tensor.flat],
        strict=True,
    )  # fmt: skip
    for ours, theirs in parts:
        assert sympy.simplify(sympy.nsimplify(ours - theirs)) == 0


def test_a_ball_in_x_y_z_has_the_formula_of_the_books():
    ball = Inertia.from_density(rho, [(-R, R), (-DISC, DISC), (-BALL, BALL)])
    same_formulas(ball, Inertia.sphere(density=rho, radius=R))
    assert ball.mass == 4 * pi * R**3 * rho / 3
    assert sympy.simplify(ball.tensor[0, 0] / ball.mass) == 2 * R**2 / 5


def test_a_ball_off_the_origin():
    disc, ball = sqrt(R**2 - (x - a) ** 2), sqrt(R**2 - (x - a) ** 2 - y**2)
    body = Inertia.from_density(rho, [(a - R, a + R), (-disc, disc), (-ball, ball)])
    same_formulas(body, Inertia.sphere(density=rho, radius=R).moved(p=[a, 0, 0]))


def test_an_ellipsoid_in_x_y_z():
    flat, high = sqrt(1 - x**2 / a**2), sqrt(1 - x**2 / a**2 - y**2 / b**2)
    region = [(-a, a), (-b * flat, b * flat), (-c * high, c * high)]
    body = Inertia.from_density(rho, region)
    same_formulas(body, Inertia.ellipsoid(density=rho, ax=a, ay=b, az=c))


ROUND = {
    "sphere": ({"radius": R}, {"r": (0, R), "theta": (0, pi), "phi": (0, 2 * pi)}),
    "cylinder": (
        {"radius": R, "height": h},
        {"r": (0, R), "phi": (0, 2 * pi), "z": (-h / 2, h / 2)},
    ),
    "tube": (
        {"inner": a, "outer": R, "height": h},
        {"phi": (0, 2 * pi), "z": (-h / 2, h / 2), "r": (a, R)},
    ),
    "cone": (
        {"radius": R, "height": h},
        {"r": (0, R), "phi": (-pi, pi), "z": (0, lambda r, phi: h * (1 - r / R))},
    ),
}


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", ROUND)
def test_round_solids_in_their_own_coordinates(name):
    sizes, region = ROUND[name]
    same_formulas(Inertia.from_density(rho, region), getattr(Inertia, name)(density=rho, **sizes))


BODIES = {
    "a dome heavier at the top": (rho * (1 + z / R), [(-R, R), (-DISC, DISC), (0, BALL)]),
    "an eighth of a ball": (rho, [(0, R), (0, DISC), (0, BALL)]),
    "a cap": (rho, [(R / 3, R), (-DISC, DISC), (-BALL, BALL)]),
    "a paraboloid": (rho, [(0, h), (-sqrt(x), sqrt(x)), (-sqrt(x - y**2), sqrt(x - y**2))]),
    "a wedge of a cylinder": (rho * x, [(0, R), (-DISC, DISC), (0, h * x / R)]),
    "a ball softer outside": (
        rho * (1 - r / (2 * R)),
        {"phi": (0, pi / 2), "theta": (0, pi / 3), "r": (0, R)},
    ),
}
AT = {rho: 1.7, R: 0.9, a: 0.4, h: 1.3}


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", BODIES)
def test_formulas_are_the_numbers_of_quadrature(name):
    """Two roads: closed form, then numbers; and numbers from the start."""
    density, region = BODIES[name]
    names = list(region) if isinstance(region, dict) else ["x", "y", "z"]
    symbols = [sympy.Symbol(n) for n in names]

    def number(part, k):
        f = sympy.lambdify(symbols[:k], sympy.sympify(part).subs(AT))
        return lambda *at: np.sqrt(np.maximum(np.real(f(*(u + 0j for u in at)) ** 2), 0.0))

    pairs = region.values() if isinstance(region, dict) else region
    limits = []
    for k, (low, high) in enumerate(pairs):
        ends = []
        for end in (low, high):  # roots of what rounding makes negative are 0
            sign = -1.0 if sympy.sympify(end).could_extract_minus_sign() else 1.0
            f = number(end, k)
            ends.append(lambda *at, f=f, sign=sign: sign * f(*at))
        limits.append((ends[0](), ends[1]()) if k == 0 else tuple(ends))
    numeric_region = dict(zip(names, limits, strict=True)) if isinstance(region, dict) else limits
    numeric = Inertia.from_density(sympy.lambdify(symbols, density.subs(AT)), numeric_region)
    formula = Inertia.from_density(density, region)
    same_inertia(formula.mapped(lambda e: float(sympy.sympify(e).subs(AT))), numeric, 1e-9)


def test_numbers_in_spherical_coordinates():
    region = {"r": (0.2, 0.5), "theta": (0.0, np.pi), "phi": (0.0, 2 * np.pi)}
    shell = Inertia.from_density(lambda r, theta, phi: 3.0 + 0 * r, region)
    expected = Inertia.sphere(density=3.0, radius=0.5) - Inertia.sphere(density=3.0, radius=0.2)
    same_inertia(shell, expected, 1e-12)
    symbolic = Inertia.from_density(rho, SHELL)
    same_inertia(
        symbolic.mapped(lambda e: float(sympy.sympify(e).subs({rho: 3, R: 0.5, a: 0.2}))),
        expected,
        1e-12,
    )


def test_where_no_closed_form_is_known_the_error_names_what_does_it():
    density = rho * sqrt(x**2 + y**2 + z**2)
    with pytest.raises(
        ArgumentError, match=r"integral of rho\*sqrt\(x\*\*2 \+ y\*\*2 \+ z\*\*2\)"
    ) as e:
        Inertia.from_density(density, [(-R, R), (-DISC, DISC), (-BALL, BALL)])
    assert '{"r": (…), "theta": (…), "phi": (…)}, or give numbers' in str(e.value)
    full = {"r": (0, R), "theta": (0, pi), "phi": (0, 2 * pi)}
    assert sympy.simplify(Inertia.from_density(rho * r, full).mass - pi * R**4 * rho) == 0


@pytest.mark.parametrize(
    "region",
    [
        {"r": (-1, 1), "phi": (0, 6), "z": (0, 1)},
        {"r": (0, 1), "phi": (0, 7), "z": (0, 1)},
        {"r": (0, 1), "theta": (0, 6), "phi": (0, 6)},
    ],
    ids=["r below 0", "phi more than around", "theta beyond π"],
)
def test_no_place_is_counted_twice(region):
    for density in (1.0, rho):
        with pytest.raises(ArgumentError, match=r"theta from 0 .along z. to π, phi once around z"):
            Inertia.from_density(density, region)


def test_coordinates_of_another_name_are_refused():
    with pytest.raises(ArgumentError, match=r"x, y, z; r, phi, z; r, theta, phi; got r, psi, z"):
        Inertia.from_density(1.0, {"r": (0, 1), "psi": (0, 6), "z": (0, 1)})
