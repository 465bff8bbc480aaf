"""The table of solids: against volume integrals, meshes, one another; bodies over any scalar."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
import trimesh

from tests.support.generators.bodies import close, same_inertia
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.bodies.solids import SOLIDS
from visviva.errors import ArgumentError, UnknownNameError

RHO = 2.5


def round_region(low, high, radius):
    """Limits of a body of revolution about x; its radius is a function of x."""

    def chord(x, y=0.0):
        return np.sqrt(np.maximum(radius(x) ** 2 - y * y, 0.0))

    return [
        (low, high),
        (lambda x: -chord(x), lambda x: chord(x)),
        (lambda x, y: -chord(x, y), lambda x, y: chord(x, y)),
    ]


def permuted(body, axis):
    """A body about x, turned so that x becomes `axis`: a permutation of the axes, hence exact."""
    order = {"x": [0, 1, 2], "y": [2, 0, 1], "z": [1, 2, 0]}[axis]
    P = np.eye(3)[order]
    return body.rotated(P)


def integral(name, sizes, axis="x"):
    """from_density over the solid's own region."""
    if name == "box":
        return Inertia.from_density(RHO, [(-sizes[k] / 2, sizes[k] / 2) for k in "xyz"])
    if name in ("sphere", "ellipsoid"):
        a = [sizes.get(k, sizes.get("radius")) for k in ("ax", "ay", "az")]

        def y_of(x):
            return a[1] * np.sqrt(np.maximum(1 - (x / a[0]) ** 2, 0))

        def z_of(x, y):
            return a[2] * np.sqrt(np.maximum(1 - (x / a[0]) ** 2 - (y / a[1]) ** 2, 0))

        region = [
            (-a[0], a[0]),
            (lambda x: -y_of(x), y_of),
            (lambda x, y: -z_of(x, y), z_of),
        ]
        return Inertia.from_density(RHO, region)
    h = sizes["height"]
    if name == "cone":
        r = sizes["radius"]
        region = round_region(0.0, h, lambda x: r * (1 - x / h))
        return permuted(Inertia.from_density(RHO, region), axis)
    radii = [sizes["radius"]] if name == "cylinder" else [sizes["outer"], sizes["inner"]]
    whole, *core = (
        Inertia.from_density(RHO, round_region(-h / 2, h / 2, lambda x, r=r: r + 0 * x))
        for r in radii
    )
    return permuted(whole - core[0] if core else whole, axis)


CASES = [
    ("box", {"x": 0.3, "y": 0.5, "z": 1.1}),
    ("sphere", {"radius": 0.7}),
    ("ellipsoid", {"ax": 0.3, "ay": 0.5, "az": 1.1}),
    *(
        (name, sizes | {"axis": axis})
        for name, sizes in (
            ("cylinder", {"radius": 0.3, "height": 1.2}),
            ("tube", {"inner": 0.2, "outer": 0.3, "height": 1.2}),
            ("cone", {"radius": 0.4, "height": 0.9}),
        )
        for axis in "xyz"
    ),
]


@pytest.mark.parametrize(("name", "sizes"), CASES, ids=str)
def test_every_solid_is_its_volume_integral(name, sizes):
    """To the integral's own estimate of its error, which is small."""
    given = integral(name, sizes, sizes.get("axis", "x"))
    row = getattr(Inertia, name)(density=RHO, **sizes)
    assert 0 < given.error < 1e-9 * row.mass
    allowed = 3 * given.error  # mass, centre and tensor are made of up to three moments
    assert abs(given.mass - row.mass) <= allowed
    assert np.abs(given.com - row.com).max() <= allowed / row.mass
    assert np.abs(given.tensor - row.tensor).max() <= allowed
    same_inertia(row, getattr(Inertia, name)(row.mass, **sizes), 1e-15)


@pytest.mark.parametrize(("name", "sizes"), CASES, ids=str)
def test_the_volume_of_every_solid_is_its_integral(name, sizes):
    """∫ dV by quadrature over the solid's own region, which knows nothing of the table."""
    given = integral(name, sizes, sizes.get("axis", "x"))
    assert abs(Inertia.volume(name, **sizes) - given.mass / RHO) <= given.error / RHO


def test_the_volume_of_every_solid_is_exact_in_symbols():
    """∫ A(z) dz of the areas A of slices, by SymPy."""
    z = sympy.symbols("z", real=True)
    a, b, c, r, R, h = sympy.symbols("a b c r R h", positive=True)
    slices = {
        "box": ({"x": a, "y": b, "z": c}, a * b, (-c / 2, c / 2)),
        "sphere": ({"radius": r}, sympy.pi * (r**2 - z**2), (-r, r)),
        "ellipsoid": ({"ax": a, "ay": b, "az": c}, sympy.pi * a * b * (1 - z**2 / c**2), (-c, c)),
        "cylinder": ({"radius": r, "height": h}, sympy.pi * r**2, (-h / 2, h / 2)),
        "tube": ({"inner": r, "outer": R, "height": h}, sympy.pi * (R**2 - r**2), (-h / 2, h / 2)),
        "cone": ({"radius": r, "height": h}, sympy.pi * (r * (1 - z / h)) ** 2, (0, h)),
    }
    assert set(slices) == set(SOLIDS) - {"rod"}
    for name, (sizes, area, (low, high)) in slices.items():
        expected = sympy.integrate(sympy.expand(area), (z, low, high))
        assert sympy.expand(Inertia.volume(name, **sizes) - expected) == 0, name
        for key in sizes:  # one symbol among numbers: π stays exact
            some = {k: s if k == key else 3 for k, s in sizes.items()}
            if name != "tube":
                assert not Inertia.volume(name, **some).atoms(sympy.Float), (name, key)


def test_a_rod_has_no_volume_and_an_unknown_solid_names_the_known_ones():
    with pytest.raises(ArgumentError, match="a rod is thin: it has a length and no volume"):
        Inertia.volume("rod", length=1.0)
    with pytest.raises(UnknownNameError, match="cylinder"):
        Inertia.volume("cilinder", radius=1.0, height=2.0)
    with pytest.raises(ArgumentError, match="sphere takes radius, got diameter"):
        Inertia.volume("sphere", diameter=1.0)


MESHES = {
    "box": lambda s: trimesh.creation.box([s["x"], s["y"], s["z"]]),
    "sphere": lambda s: trimesh.creation.icosphere(5, s["radius"]),
    "cylinder": lambda s: trimesh.creation.cylinder(s["radius"], s["height"], sections=720),
    "cone": lambda s: trimesh.creation.cone(s["radius"], s["height"], sections=720),
    "tube": lambda s: trimesh.creation.annulus(s["inner"], s["outer"], s["height"], sections=720),
}


@pytest.mark.parametrize("name", MESHES)
def test_meshes_of_solids(name):
    """Facets cut the corners: exact for the box, second order in the angle of a facet elsewhere."""
    sizes = next(s for n, s in CASES if n == name and s.get("axis", "z") == "z")
    row = getattr(Inertia, name)(density=RHO, **sizes)
    mesh = Inertia.from_mesh(MESHES[name](sizes), density=RHO)
    same_inertia(mesh, row, 1e-14 if name == "box" else 2e-3 if name == "sphere" else 1e-4)


def test_family_ties():
    close(
        Inertia.ellipsoid(2.0, ax=0.5, ay=0.5, az=0.5).tensor,
        Inertia.sphere(2.0, radius=0.5).tensor,
    )
    rod = Inertia.rod(2.0, length=3.0, axis="y")
    close(rod.tensor, np.diag([1.5, 0.0, 1.5]))
    close(Inertia.cylinder(2.0, radius=1e-9, height=3.0, axis="y").tensor, rod.tensor)
    close(Inertia.box(2.0, x=1e-9, y=3.0, z=1e-9).tensor, rod.tensor)
    assert Inertia.rod(density=0.5, length=3.0).mass == 1.5  # per length
    solid = Inertia.tube(1.0, inner=0.0, outer=0.2, height=1.0)
    close(solid.tensor, Inertia.cylinder(1.0, radius=0.2, height=1.0).tensor)
    # a cone's tip, cut off, is a similar cone: mass and centre of the frustum by hand
    whole = Inertia.cone(density=1.0, radius=1.0, height=2.0)
    tip = Inertia.cone(density=1.0, radius=0.5, height=1.0).moved(p=[0, 0, 1.0])
    frustum = whole - tip
    close(frustum.mass, np.pi / 3 * (1 + 0.5 + 0.25))
    close(frustum.com[2], (1 + 2 * 0.5 + 3 * 0.25) / (4 * (1 + 0.5 + 0.25)))


@pytest.mark.parametrize("name", SOLIDS)
def test_symbols_are_exact(name):
    """Volumes with SymPy's π; nothing is a float."""
    keys = {"box": "x y z", "ellipsoid": "ax ay az", "sphere": "radius", "rod": "length"}
    keys |= {"tube": "inner outer height"}
    names = keys.get(name, "radius height").split()
    rho, *symbols = sympy.symbols("rho " + " ".join(names), positive=True)
    body = getattr(Inertia, name)(density=rho, **dict(zip(names, symbols, strict=True)))
    assert not sympy.sympify(body.mass).atoms(sympy.Float)
    values = {rho: 2} | {s: 3 + k for k, s in enumerate(symbols)}
    numbers = {str(s): float(v) for s, v in values.items() if s is not rho}
    expected = getattr(Inertia, name)(density=2.0, **numbers)
    same_inertia(body.mapped(lambda e: float(sympy.sympify(e).subs(values))), expected, 1e-15)


@pytest.mark.parametrize("size", [0.0, -1.0, np.nan])
def test_sizes_must_be_positive(size):
    with pytest.raises(ArgumentError, match="cylinder: height must be positive, got"):
        Inertia.cylinder(1.0, radius=1.0, height=size)


def test_what_is_refused():
    with pytest.raises(ArgumentError, match=r"tube: the inner radius 0.3 is not below the outer"):
        Inertia.tube(1.0, inner=0.3, outer=0.2, height=1.0)
    with pytest.raises(ArgumentError, match="box: give the mass or density=, one of them"):
        Inertia.box(x=1, y=1, z=1)
    with pytest.raises(ArgumentError, match="one of them"):
        Inertia.box(1.0, density=1.0, x=1, y=1, z=1)
    with pytest.raises(UnknownNameError, match=r"unknown axis 'w' \(available: 'x', 'y', 'z'\)"):
        Inertia.rod(1.0, length=1.0, axis="w")
    with pytest.raises(UnknownNameError, match="unknown solid 'bxo'; did you mean 'box'"):
        Inertia.solid("bxo", 1.0, x=1, y=1, z=1)
    with pytest.raises(ArgumentError, match=r"box takes x, y, z, got radius"):
        Inertia.solid("box", 1.0, radius=1.0)
    with pytest.raises(ArgumentError, match="point_masses needs at least one mass"):
        Inertia.point_masses([], [])
    with pytest.raises(ArgumentError, match="2 masses and 1 positions"):
        Inertia.point_masses([1.0, 2.0], [[0, 0, 0]])


# ---- other scalars than floats


def test_symbols():
    m, x, y, z, d = sympy.symbols("m x y z d", positive=True)
    box = Inertia.box(m, x=x, y=y, z=z)
    assert sympy.simplify(box.tensor[0, 0] - m * (y**2 + z**2) / 12) == 0
    shifted = box.moved(p=[d, 0, 0])
    assert sympy.simplify(shifted.about([0, 0, 0])[2, 2] - m * (x**2 + y**2) / 12 - m * d**2) == 0
    two = Inertia.point(m, [d, 0, 0]) + Inertia.point(m, [-d, 0, 0])
    assert sympy.simplify(two.tensor[1, 1] - 2 * m * d**2) == 0
    values = {m: 2.0, x: 0.3, y: 0.4, z: 0.5, d: 0.7}
    number = shifted.mapped(lambda e: float(sympy.sympify(e).subs(values)))
    same_inertia(number, Inertia.box(2.0, x=0.3, y=0.4, z=0.5).moved(p=[0.7, 0, 0]), 1e-15)
    with pytest.raises(ArgumentError, match="principal axes need numbers; substitute the symbols"):
        box.principal()


def test_symbols_stay_exact():
    """No float creeps into an exact formula: 2 m d², not 2.0 m d²."""
    m, d = sympy.symbols("m d", positive=True)
    two = Inertia.point(m, [d, 0, 0]) + Inertia.point(m, [-d, 0, 0])
    assert two.mass == 2 * m
    assert two.tensor[1, 1] == 2 * m * d**2


def test_fractions_stay_exact():
    third = Fraction(1, 3)
    a, b = (Inertia.point(m, [third * k, third, 0]) for k, m in ((1, Fraction(12)), (2, third)))
    whole = a + b
    assert whole.mass == Fraction(37, 3)
    assert whole.com[0] == (4 + Fraction(2, 9)) / Fraction(37, 3)
    box = Inertia.box(Fraction(12), x=Fraction(1), y=Fraction(2), z=Fraction(3))
    assert box.tensor[1, 1] == 10


def test_mpmath_keeps_its_digits():
    with mpmath.workdps(50):
        third = mpmath.mpf(1) / 3
        a = Inertia.box(third, x=third, y=third, z=third)
        got = a.about([third, 0, 0])[1, 1]
        assert abs(got - (third**3 / 6 + third**3)) < mpmath.mpf(10) ** -48
