"""Inertia: what every body obeys, whatever it is made of; and what no body can be."""

import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from tests.support.counts import examples
from tests.support.generators import bodies
from tests.support.generators.bodies import close, same_inertia
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.bodies.validity import impossibility
from visviva.describe.by_hand.builder import Builder
from visviva.errors import ArgumentError, InertiaError, ShapeError
from visviva.space import rotations
from visviva.space.poses import Pose

vectors = bodies.vectors(3)
twists = bodies.vectors(6)


# ---- laws on random bodies


@examples(8, 5000)
@given(bodies.clouds(), vectors)
def test_point_masses_are_their_sums(cloud, point):
    mass, com, tensor = bodies.cloud_inertia(cloud)
    body = Inertia.point_masses([m for m, _ in cloud], [r for _, r in cloud])
    close(body.mass, mass)
    close(body.com, com)
    close(body.tensor, tensor)
    by_hand = sum(-m * rotations.skew(r - point) @ rotations.skew(r - point) for m, r in cloud)
    close(body.about(point), by_hand)


@examples(8, 5000)
@given(bodies.bodies(), bodies.bodies(), bodies.bodies(), bodies.places())
def test_addition(a, b, c, X):
    same_inertia(a + b, b + a)
    same_inertia((a + b) + c, a + (b + c))
    same_inertia((a + b) - b, a, 1e-11)  # the difference of nearly equal bodies loses a digit
    same_inertia((a + b).moved(X.R, X.p), a.moved(X.R, X.p) + b.moved(X.R, X.p))
    close((a + b).spatial(), a.spatial() + b.spatial())
    same_inertia(a + Inertia.point(0.0, [1.0, 2.0, 3.0]), a)


@examples(8, 5000)
@given(bodies.bodies(), bodies.places(), bodies.places(), vectors)
def test_changes_of_frame(a, X, Y, w):
    same_inertia(a.moved(X.R, X.p).moved(Y.R, Y.p), a.moved((Y @ X).R, (Y @ X).p))
    same_inertia(a.moved(X.R, X.p).moved(X.inverse().R, X.inverse().p), a)
    same_inertia(a.moved(), a, 0)
    same_inertia(a.rotated(X.R), a.moved(X.R))
    close(a.rotated(X.R).tensor, X.R @ a.tensor @ X.R.T)
    close(a.about(a.com), a.tensor, 0)
    # there and back through the centre (Steiner, both ways)
    r = X.p - a.com
    close(a.about(X.p) - a.mass * ((r @ r) * np.eye(3) - np.outer(r, r)), a.tensor, 1e-11)
    # moving the frame does not change what is in it
    close(a.spatial(X), X.adjoint().T @ a.spatial() @ X.adjoint(), 1e-11)
    close(a.moved(X.R, X.p).about(X.p), X.R @ a.about(np.zeros(3)) @ X.R.T, 1e-11)
    # 1e-11 above: up to 30 kg at distances up to 7 m, squared


@examples(8, 5000)
@given(bodies.clouds(), twists, bodies.places())
def test_energy_and_momentum_are_those_of_the_points(cloud, V, X):
    body = Inertia(*bodies.cloud_inertia(cloud))
    w, v = V[:3], V[3:]
    points = [(m, r, v + np.cross(w, r)) for m, r in cloud]
    close(body.kinetic_energy(V), sum(m * (u @ u) / 2 for m, _, u in points))
    h = body.momentum(V)
    close(h[:3], sum(m * np.cross(r, u) for m, r, u in points))
    close(h[3:], sum(m * u for m, _, u in points))
    translation, rotation = body.energy_parts(V)
    close(translation + rotation, body.kinetic_energy(V))
    speed = v + np.cross(w, body.com)
    close(translation, body.mass * (speed @ speed) / 2)
    close(rotation, w @ body.tensor @ w / 2)
    # the same number in any frame
    close(body.moved(X.R, X.p).kinetic_energy(X.adjoint() @ V), body.kinetic_energy(V), 1e-11)


@examples(11, 1000)
@given(bodies.bodies(), vectors)
def test_space_rate_is_the_derivative_of_the_turned_tensor(a, w):
    rate = a.space_rate(w)
    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -20
        up, down = (a.rotated(rotations.exp(bodies.mp(w) * (s * h))).tensor for s in (1, -1))
        slope = (up - down) / (2 * h)
    close(slope, rate, 1e-13)
    close(rate, rate.T)
    assert abs(np.trace(rate)) < 1e-11  # moments only change places
    close(w @ rate @ w, 0.0, 1e-11)


@examples(8, 5000)
@given(bodies.bodies(), bodies.turns())
def test_principal_axes(a, R):
    p = a.principal()
    close(p.axes @ np.diag(p.moments) @ p.axes.T, a.tensor)
    close(p.axes @ p.axes.T, np.eye(3))
    assert np.linalg.det(p.axes) > 0
    assert list(p.moments) == sorted(p.moments)
    close(a.rotated(R).principal().moments, p.moments)
    assert p.moments[2] <= (p.moments[0] + p.moments[1]) * (1 + 1e-12) + 1e-12  # a body exists


def test_notices_of_axes_that_are_not_unique():
    assert Inertia.box(1.0, x=1.0, y=2.0, z=3.0).principal().notice == ""
    ball = Inertia.sphere(1.0, radius=0.5).principal().notice
    assert ball == "all three moments are equal: every axis is principal"
    flat = Inertia.cylinder(1.0, radius=1.0, height=0.1).principal().notice
    assert flat == "moments 1 and 2 are equal: their axes may turn freely about the other"
    long = Inertia.cylinder(1.0, radius=0.1, height=1.0).principal().notice
    assert long == "moments 2 and 3 are equal: their axes may turn freely about the other"


def test_composite_with_a_hole():
    """A plate with a bore is the plate minus the plug; the tube is the cylinder minus its core."""
    plate = Inertia.box(density=2700.0, x=0.3, y=0.2, z=0.01)
    plug = Inertia.cylinder(density=2700.0, radius=0.04, height=0.01).moved(p=[0.08, 0.0, 0.0])
    part = plate - plug
    same_inertia(part + plug, plate)
    assert part.com[0] < 0
    outer, core = (Inertia.cylinder(density=1e3, radius=r, height=0.4) for r in (0.1, 0.07))
    same_inertia(outer - core, Inertia.tube(density=1e3, inner=0.07, outer=0.1, height=0.4))


def test_what_is_left_of_a_sum_may_be_a_point():
    """It rounds relative to the whole, which may not be taken for an impossible body."""
    a, b = Inertia.point(0.5), Inertia.point(1.0, [0.0, 0.0, 1.09375])
    left = (a + b) - b
    same_inertia(left, a, 1e-15)
    same_inertia(
        left.moved(rotations.exp([0.3, 0.1, 0.2]), [1.0, 2.0, 3.0]) + b, a.moved(p=[1, 2, 3]) + b
    )


# ---- both signs of the products


def test_products_of_inertia_in_both_signs():
    cloud = [(1.0, np.array([1.0, 2.0, 0.5])), (2.0, np.array([-1.0, 0.3, 1.0]))]
    mass, com, tensor = bodies.cloud_inertia(cloud)
    c = [(m, r - com) for m, r in cloud]
    xy, xz, yz = (sum(m * r[i] * r[j] for m, r in c) for i, j in ((0, 1), (0, 2), (1, 2)))
    moments = np.diag(tensor)
    matrix = Inertia.from_moments(mass, com, moments, (-xy, -xz, -yz))
    integral = Inertia.from_moments(mass, com, moments, (xy, xz, yz), sign="integral")
    close(matrix.tensor, tensor)
    close(integral.tensor, tensor)
    close(Inertia.from_moments(1.0, com, [1, 1, 1]).tensor, np.eye(3), 0)
    with pytest.raises(ArgumentError, match="sign is 'matrix' or 'integral', got 'plus'"):
        Inertia.from_moments(mass, com, moments, sign="plus")


# ---- validity


def test_rods_points_laminas_and_nothing_are_possible():
    """None is refused or put right: each has the numbers it was given."""
    turned = rotations.exp([0.3, -1.0, 0.4])
    for mass, com, tensor in (
        (0.0, np.zeros(3), np.zeros((3, 3))),
        (1.0, [1.0, 2.0, 3.0], np.zeros((3, 3))),
        (1.0, np.zeros(3), np.diag([0.0, 2.0, 2.0])),
        (1.0, np.zeros(3), np.diag([1.0, 2.0, 3.0])),  # 1 + 2 = 3
        (1.0, np.zeros(3), turned @ np.diag([0.0, 2.0, 2.0]) @ turned.T),
        (1e-6, np.zeros(3), np.diag([1.0, 2.0, 3.0]) * 1e-12),
    ):
        possible = Inertia(mass, com, tensor)
        same_inertia(possible, Inertia(mass, com, tensor, checked=False), 0)
        assert (possible.mass, *possible.com) == (mass, *com)


IMPOSSIBLE = [
    ((-1.0, [0, 0, 0], np.eye(3)), "mass is -1.0; a mass cannot be negative"),
    ((1.0, [0, 0, 0], [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "the inertia tensor is not symmetric"),
    ((1.0, [0, 0, 0], np.diag([-1.0, 1, 1])), "has a negative principal moment -1"),
    (
        (1.0, [0, 0, 0], np.diag([1.0, 1.0, 2.5])),
        r"principal moments 1, 1, 2.5 break the triangle inequality: 2.5 > 1 \+ 1",
    ),
    ((0.0, [0, 0, 0], np.eye(3)), "mass is 0 but the inertia tensor is not"),
    ((np.nan, [0, 0, 0], np.eye(3)), "must be finite, got mass nan"),
    ((1.0, [0, np.inf, 0], np.eye(3)), "must be finite"),
    ((1.0, [0, 0, 0], np.full((3, 3), np.nan)), "must be finite"),
]


@pytest.mark.parametrize(("numbers", "reason"), IMPOSSIBLE)
def test_impossible_bodies_are_refused_with_the_reason(numbers, reason):
    with pytest.raises(InertiaError, match=reason):
        Inertia(*numbers)
    assert Inertia(*numbers, checked=False).mass is numbers[0]  # for who must keep it


@examples(8, 5000)
@given(st.lists(st.floats(0.0, 10.0), min_size=3, max_size=3), bodies.turns())
def test_validity_does_not_depend_on_the_frame(moments, R):
    a, b, c = sorted(moments)
    clearly = abs(a + b - c) > 1e-6 * max(c, 1e-3)
    if clearly:
        refused = bool(impossibility(1.0, np.zeros(3), R @ np.diag(moments) @ R.T))
        assert refused == (c > a + b)


def test_exact_numbers_are_numbers_too():
    """A fraction or a SymPy number is checked like a float."""
    for minus_one in (Fraction(-1), sympy.Integer(-1), mpmath.mpf(-1)):
        with pytest.raises(InertiaError, match="a mass cannot be negative"):
            Inertia.point(minus_one)
    box = Inertia.box(Fraction(12), x=Fraction(1), y=Fraction(2), z=Fraction(3))
    close(box.principal().moments, [5, 10, 13])


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((1.0, [0, 0], np.eye(3)), r"com of an inertia has shape \(3,\), got \(2,\)"),
        ((1.0, [0, 0, 0], np.ones(3)), r"tensor of an inertia has shape \(3, 3\), got \(3,\)"),
    ],
)
def test_wrong_shapes(numbers, message):
    with pytest.raises(ShapeError, match=message):
        Inertia(*numbers)


# ---- labels of frames


def test_labels_refuse_to_mix():
    a = Inertia(1.0, np.zeros(3), np.eye(3), frame="A")
    b = Inertia(1.0, np.zeros(3), np.eye(3), frame="B")
    told = "given in frame 'A', the other quantity in 'B': express both in one frame first"
    for mix in (
        lambda: a + b,
        lambda: a - b,
        lambda: a.momentum(np.ones(6), frame="B"),
        lambda: a.kinetic_energy(np.ones(6), frame="B"),
    ):
        with pytest.raises(ArgumentError, match=told):
            mix()
    assert (a + b.moved(np.eye(3), frame="A")).frame == "A"
    assert a.kinetic_energy(np.ones(6), frame="A") == a.kinetic_energy(np.ones(6))


def test_labels_survive_a_sum_in_either_order():
    plain = Inertia.sphere(1.0, radius=1.0)
    named = Inertia(1.0, np.zeros(3), np.eye(3), frame="A")
    assert (plain + named).frame == "A"
    assert (named + plain).frame == "A"


def test_a_moved_body_does_not_keep_the_old_label():
    named = Inertia(1.0, np.zeros(3), np.diag([1.0, 2.0, 2.5]), frame="A")
    quarter = rotations.exp([0.0, 0.0, np.pi / 2])
    assert named.rotated(quarter).frame == ""
    assert named.rotated(quarter, frame="B").frame == "B"


def test_errors_of_a_sum_add_up():
    a = Inertia(1.0, np.zeros(3), np.eye(3), error=1e-9)
    b = Inertia(1.0, np.zeros(3), np.eye(3), error=2e-9)
    assert (a + b).error == pytest.approx(3e-9)


def test_bodies_of_equal_mass_at_two_places_do_not_cancel():
    a = Inertia.sphere(1.0, radius=1.0)
    nothing = a - a
    assert nothing.mass == 0
    with pytest.raises(InertiaError, match="mass is 0 but"):
        a - a.moved(p=[1.0, 0.0, 0.0])


def test_a_body_is_frozen_and_can_be_pickled():
    a = Inertia.box(1.0, x=1, y=2, z=3)
    with pytest.raises(AttributeError):
        a.mass = 2.0
    same_inertia(pickle.loads(pickle.dumps(a)), a, 0)


def test_a_pose_stands_for_rotation_and_position():
    X = Pose.rotation([0.0, 0.0, 2.0], 0.3) @ Pose.translation([1.0, 2.0, 3.0])
    body = Inertia.box(2.0, x=1.0, y=2.0, z=3.0)
    same_inertia(body.moved(X), body.moved(X.R, X.p))
    with pytest.raises(ShapeError, match=r"say p=\[...\] for a shift alone"):
        body.moved([0.0, 0.0, 1.0])


def test_sums_and_exact_shifts():
    bodies_here = [Inertia.point(float(k), [k, 0, 0]) for k in (1, 2, 3)]
    assert sum(bodies_here).mass == 6.0
    m, a = sympy.symbols("m a", positive=True)
    assert Inertia.point(m).moved(p=[a / 2, 0, 0]).about([0, 0, 0])[2, 2] == m * a**2 / 4


def test_planar_bodies_turn_about_the_normal_of_their_plane():
    """The two-link arm of textbooks: M22 = I2 + m2 r2²; nothing else of the tensor matters."""
    plate = Inertia.planar(2.0, [0.5, 0.1], 0.3)
    assert plate.com.tolist() == [0.5, 0.1, 0.0]
    assert plate.about([0, 0, 0])[2, 2] == pytest.approx(0.3 + 2.0 * (0.5**2 + 0.1**2))
    assert Inertia.planar(2.0, [0.5, 0.1], 0.3, normal="y").com.tolist() == [0.5, 0.0, 0.1]
    standing = Inertia.planar(2.0, [0.5, 0.0, 0.1], 0.3, normal="x")
    assert standing.tensor.diagonal().tolist() == [0.3, 0.15, 0.15]
    m, r, moment = sympy.symbols("m r I")
    assert Inertia.planar(m, [r, 0], moment).about([0, 0, 0])[2, 2].equals(moment + m * r**2)
    with pytest.raises(ShapeError, match=r"com of an inertia has shape \(3,\), got \(1,\)"):
        Inertia.planar(1.0, 0.5, 0.3)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: Inertia(1.0, [0, 0, 0], 0.1),
            r"got \(\); for motion in a plane .* Inertia.planar",
        ),
        (lambda: Inertia(1.0, [0, 0], np.eye(3)), r"got \(2,\); for motion in a plane"),
        (
            lambda: Inertia(1.0, [0, 0, 0], [0, 0, 1]),
            r"got \(3,\); of principal moments .*from_mom",
        ),
        (lambda: Inertia.from_moments(1.0, [0, 0, 0], [0, 0, 1]), r"1 > 0 \+ 0, .* Inertia.planar"),
        (lambda: Inertia.box("m", x=1, y=1, z=1), "box: mass is a number or a symbol, .* text 'm'"),
        (lambda: Inertia.box(1.0, x="a", y=1, z=1), "box: x is a number or a symbol, .* text 'a'"),
        (lambda: Inertia.rod(density="rho", length=1), "rod: density is a number or .* text 'rho'"),
        (lambda: Inertia.point(1.0, ["l", 0, 0]), "point: x is a number or a symbol, .* text 'l'"),
        (lambda: Inertia.planar(1.0, [0, 0], "I"), "planar: moment is a number or .* text 'I'"),
        (lambda: Inertia.volume("sphere", radius="R"), "sphere: radius is a number .* text 'R'"),
    ],
)
def test_first_tries_are_told_the_way(make, said):
    with pytest.raises((ArgumentError, InertiaError, ShapeError), match=said):
        make()


QUARTER = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
SLANTED = [[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]]  # 3, 4, 5


@pytest.mark.parametrize("turn", [None, np.eye(3), np.eye(3, dtype=int), QUARTER, SLANTED])
@pytest.mark.parametrize("number", [sympy.Rational, Fraction])
def test_exact_entries_of_a_motion_leave_formulas_exact(turn, number):
    """Whole numbers and short decimals beside SymPy's and fractions are no decimals."""
    m, L = Fraction(7, 3), Fraction(5, 3)
    if number is sympy.Rational:
        m, L = sympy.symbols("m l")
    axis = "x" if turn is QUARTER else "y"
    if turn is SLANTED:
        turned = Inertia.solid("box", mass=m, x=L, y=L, z=L / 3).moved(turn, [0.5, -L / 3, 0.0])
        assert turned.tensor[2, 2] == m * L**2 / 6
        assert turned.tensor[0, 1] == 0
    rod = Inertia.solid("rod", mass=m, length=L, axis=axis).moved(turn, [0.0, -L / 2, 0.0])
    wanted = m * L**2 / 12
    assert rod.tensor[2, 2] == wanted
    assert rod.about([0.0, 0.0, 0.0])[2, 2] == 4 * wanted
    assert rod.spatial(Pose(np.eye(3), [0.0, -L / 2, 0.0]))[2, 2] == wanted
    assert rod.spatial()[5, 5] == m
    assert rod.spatial()[2, 3] == m * L / 2
    twist = [0.0, 0.0, 1.0, 0.0, L / 3, 0.0]
    assert rod.kinetic_energy(twist) == sum(rod.energy_parts(twist))
    assert rod.kinetic_energy(twist) == m * (L / 3) ** 2 / 2 + 2 * wanted
    both = rod + Inertia.point(m, [0.5, 0.0, 0.0])
    rest = both.tensor[2, 2] - wanted - m * (L**2 / 4 + number(1, 4)) / 2
    assert sympy.expand(rest) == 0
    assert (rod - Inertia.point(m / 3, rod.com)).tensor[2, 2] == wanted
    if number is sympy.Rational:
        assert not sympy.Matrix(rod.space_rate([0.0, 0.0, 1.0])).atoms(sympy.Float)


@pytest.mark.parametrize("shape", ["rod", "box", "cylinder"])
def test_a_moved_solid_has_the_mass_matrix_of_the_book(shape):
    m, L, r = sympy.symbols("m l r")
    sizes = {"rod": {"length": L, "axis": "y"}, "box": {"x": r, "y": L, "z": r}}
    sizes["cylinder"] = {"radius": r, "height": L, "axis": "y"}
    about = {"rod": "0", "box": "m r^2/12", "cylinder": "m r^2/4"}[shape]
    b = Builder("rod", parameters={"m": 1.0, "l": 1.0, "r": 1.0})
    solid = Inertia.solid(shape, mass=m, **sizes[shape])
    b.body("a", joint="revolute", axis="z", inertia=solid.moved(np.eye(3), [0, -L / 2, 0]))
    assert b.build().check(f"M = m l^2/3 + {about}")
