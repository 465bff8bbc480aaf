"""What a user of the sources expects of inertia: capabilities C58 to C69."""

import numpy as np
import pytest
import sympy
from hypothesis import given

from tests.support.counts import examples
from tests.support.generators import bodies
from tests.support.generators.bodies import close, same_inertia
from visviva import Inertia, Pose
from visviva.errors import ArgumentError, InertiaError, RotationError
from visviva.space import rotations, skew

vectors, twists = bodies.vectors(3), bodies.vectors(6)
ORIGIN = np.zeros(3)


def test_C58_mass_and_centre_of_a_density():
    """ρ = 1 + z over a unit cube: m = 3/2, z_c = 5/9."""
    numeric = Inertia.from_density(lambda x, y, z: 1 + z, [(0, 1)] * 3)
    close(numeric.mass, 1.5, 1e-14)
    close(numeric.com, [0.5, 0.5, 5 / 9], 1e-14)
    z = sympy.symbols("z")
    symbolic = Inertia.from_density(1 + z, [(0, 1)] * 3)
    assert sympy.nsimplify(symbolic.mass) == sympy.Rational(3, 2)
    assert sympy.nsimplify(symbolic.com[2]) == sympy.Rational(5, 9)


def test_C59_tensor_by_integration_over_any_shape():
    """Half a ball, by an integral with curved limits: I_zz is that of the whole per mass."""

    def root(x):
        return np.sqrt(np.maximum(x, 0.0))

    dome = Inertia.from_density(
        3.0,
        [
            (-1.0, 1.0),
            (lambda x: -root(1 - x * x), lambda x: root(1 - x * x)),
            (0.0, lambda x, y: root(1 - x * x - y * y)),
        ],
    )
    assert dome.error < 1e-9
    close(dome.mass, 2 * np.pi, dome.error)
    close(dome.com, [0, 0, 3 / 8], 1e-12)
    close(dome.tensor[2, 2], dome.mass * 2 / 5, 3 * dome.error)
    x, y, rho, R = sympy.symbols("x y rho R", positive=True)
    disc, top = sympy.sqrt(R**2 - x**2), sympy.sqrt(R**2 - x**2 - y**2)
    ball = Inertia.from_density(rho, [(-R, R), (-disc, disc), (-top, top)])
    assert ball.mass == 4 * sympy.pi * rho * R**3 / 3
    assert [sympy.simplify(ball.tensor[k, k] / ball.mass) for k in range(3)] == [2 * R**2 / 5] * 3


def test_C60_point_masses_about_a_point():
    masses, places = [1.0, 2.0, 0.5], np.array([[1.0, 0, 0], [0, 2, 1], [1, 1, 1]])
    body, point = Inertia.point_masses(masses, places), np.array([0.3, -0.2, 0.7])
    expected = sum(
        -m * skew(r - point) @ skew(r - point) for m, r in zip(masses, places, strict=True)
    )
    close(body.about(point), expected, 1e-15)
    w = np.array([0.1, 0.2, 0.3])
    h = sum(m * np.cross(r, np.cross(w, r)) for m, r in zip(masses, places, strict=True))
    close(body.momentum([*w, 0, 0, 0])[:3], h, 1e-15)


def test_C61_both_signs_of_products():
    """One body in either convention, and ᴬI_xy = ᶜI_xy ∓ m x_c y_c when it is seen from A."""
    moments, integrals = (2.0, 3.0, 4.0), np.array([0.1, -0.2, 0.3])  # ∫ xy dm, ∫ xz dm, ∫ yz dm
    place, mass = np.array([0.7, -0.4, 0.2]), 1.5
    minus = Inertia.from_moments(mass, place, moments, -integrals, sign="matrix")
    plus = Inertia.from_moments(mass, place, moments, integrals, sign="integral")
    same_inertia(minus, plus, 0)
    pairs = ((0, 1), (0, 2), (1, 2))
    close([minus.tensor[i, j] for i, j in pairs], -integrals, 0)
    shifts = mass * np.array([place[i] * place[j] for i, j in pairs])
    seen = minus.about(ORIGIN)
    close([seen[i, j] for i, j in pairs], -integrals - shifts, 1e-15)  # with the minus inside
    again = Inertia.from_moments(mass, place, np.diag(seen), integrals + shifts, sign="integral")
    close(again.tensor, seen, 1e-15)
    cloud = [(1.0, [1, 2, 0.5]), (2.0, [-1, 0.5, 1])]  # products of points, both ways
    body = Inertia.point_masses([m for m, _ in cloud], [r for _, r in cloud])
    close(body.about(ORIGIN)[0, 1], -sum(m * r[0] * r[1] for m, r in cloud), 1e-15)
    with pytest.raises(ArgumentError, match=r"matrix.*integral"):
        Inertia.from_moments(mass, place, moments, integrals, sign="plus")
    with pytest.raises(InertiaError):  # the other sign can be a body that does not exist
        Inertia.from_moments(1.0, ORIGIN, (0.0, 1.0, 1.0), (0.1, 0.0, 0.0))


def test_C62_table_with_named_axes():
    assert all(hasattr(Inertia, x) for x in ("sphere", "ellipsoid", "cylinder", "box"))
    long = Inertia.box(12.0, x=3.0, y=2.0, z=1.0)
    close(np.diag(long.tensor), [5, 10, 13], 1e-15)
    close(Inertia.volume("box", x=3.0, y=2.0, z=1.0), 6.0, 0)
    close(Inertia.volume("sphere", radius=3.0), 36 * np.pi, 1e-13)
    close(Inertia.volume("ellipsoid", ax=1.0, ay=2.0, az=3.0), 8 * np.pi, 1e-14)
    close(Inertia.volume("cylinder", radius=2.0, height=5.0), 20 * np.pi, 1e-14)
    with pytest.raises(TypeError):
        Inertia.box(12.0, 3.0, 2.0, 1.0)  # sizes have no order to get wrong
    for axis in "xyz":
        along = Inertia.cylinder(1.0, radius=0.1, height=2.0, axis=axis)
        assert np.argmin(np.diag(along.tensor)) == "xyz".index(axis)


@examples(11, 1000)
@given(bodies.bodies(), vectors)
def test_C63_parallel_axes_there_and_back(body, t):
    about = body.about(body.com + t)
    steiner = body.mass * ((t @ t) * np.eye(3) - np.outer(t, t))
    close(about, body.tensor + steiner, 1e-11)  # masses of 30, distances of 7
    again = Inertia(body.mass, body.com, about - steiner, checked=False)
    close(again.tensor, body.tensor, 1e-11)
    flat = body.about(body.com + np.array([t[0], 0, 0]))[2, 2]
    close(flat, body.tensor[2, 2] + body.mass * t[0] ** 2, 1e-11)


@examples(11, 1000)
@given(bodies.bodies(), bodies.turns())
def test_C64_turned_axes(body, R_ab):
    """Γ_a = R_ab Γ_b R_abᵀ: the columns of R are the axes of b seen from a."""
    named = Inertia(body.mass, body.com, body.tensor, frame="b")
    seen = named.rotated(R_ab, frame="a")
    close(seen.tensor, R_ab @ body.tensor @ R_ab.T)
    p = body.principal()
    for k in range(3):  # an axis that is principal in b is so in a, with the same moment
        close(seen.tensor @ (R_ab @ p.axes[:, k]), p.moments[k] * (R_ab @ p.axes[:, k]))
    with pytest.raises(ArgumentError, match="express both in one frame first"):
        _ = named + seen


@pytest.mark.parametrize("R", [2 * np.eye(3), np.diag([1.0, 1, -1]), np.eye(3) + np.eye(3, k=1)])
def test_C64_axes_that_are_not_turned_but_stretched_sheared_or_mirrored_are_refused(R):
    body = Inertia.box(2.0, x=0.3, y=0.5, z=0.9)
    for seen in (body.rotated, body.moved, lambda R: body.spatial(Pose(R, np.zeros(3)))):
        with pytest.raises(RotationError, match="is not a rotation"):
            seen(R)


def test_C65_principal_axes_and_their_notice():
    R = rotations.exp([0.3, -0.5, 1.1])
    p = Inertia.box(2.0, x=0.3, y=0.5, z=0.9).rotated(R).principal()
    close(p.moments, np.array([0.34, 0.90, 1.06]) / 6, 1e-15)
    assert np.linalg.det(p.axes) == pytest.approx(1.0)
    close(np.abs(p.axes), np.abs(R[:, [2, 1, 0]]), 1e-14)
    assert "every axis is principal" in Inertia.box(1.0, x=1, y=1, z=1).principal().notice


def test_C66_parts_and_holes():
    block = Inertia.box(density=1000.0, x=0.2, y=0.2, z=0.2)
    hole = Inertia.cylinder(density=1000.0, radius=0.05, height=0.2, axis="y").moved(p=[0.03, 0, 0])
    part = block - hole
    close(part.mass, 8 - 1000 * np.pi * 0.05**2 * 0.2, 1e-15)
    close(part.com[0], -0.03 * hole.mass / part.mass, 1e-15)
    expected = block.about(part.com) - hole.about(part.com)
    close(part.tensor, expected, 1e-15)
    with pytest.raises(InertiaError, match="a mass cannot be negative"):
        _ = hole - block


def test_C67_validity():
    for possible in (np.diag([0.0, 1, 1]), np.zeros((3, 3)), np.diag([1.0, 2, 3])):
        Inertia(1.0, ORIGIN, possible)
    for impossible, reason in (
        (np.diag([1.0, 1, 3]), "triangle inequality"),
        (np.diag([-1.0, 5, 5]), "negative principal moment"),
        (np.eye(3) + np.eye(3, k=1), "not symmetric"),
    ):
        with pytest.raises(InertiaError, match=reason):
            Inertia(1.0, ORIGIN, impossible)


@examples(11, 1000)
@given(bodies.bodies(), bodies.places(), twists)
def test_C68_spatial_inertia_in_any_frame(body, T_ba, V_a):
    central = body.spatial(Pose.translation(body.com))
    close(central[:3, :3], body.tensor, 1e-11)
    close(central[:3, 3:], np.zeros((3, 3)), 1e-11)
    close(central[3:, 3:], body.mass * np.eye(3))
    Ad = T_ba.adjoint()
    close(body.spatial(T_ba), Ad.T @ body.spatial() @ Ad, 1e-11)
    close(V_a @ body.spatial(T_ba) @ V_a / 2, body.kinetic_energy(Ad @ V_a), 1e-11)


def test_C69_tensor_in_fixed_axes_and_its_rate():
    t = sympy.symbols("t", real=True)
    c, s = sympy.cos(t**2), sympy.sin(t**2)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    body = Inertia(sympy.Integer(1), [0, 0, 0], np.diag(sympy.symbols("I1:4")))
    fixed = body.rotated(R)
    rate = fixed.space_rate([0, 0, 2 * t])
    for i in range(3):
        for j in range(3):
            assert (
                sympy.simplify(sympy.nsimplify(rate[i, j] - sympy.diff(fixed.tensor[i, j], t))) == 0
            )
