"""Laws of one rigid body, on random bodies, and the same numbers over every scalar."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given

import visviva as vv
from tests.support.counts import examples
from tests.support.generators import bodies
from tests.support.generators.bodies import close, mp, over_all_scalars
from visviva.describe.bodies.inertia import Inertia
from visviva.equations.pencil import single_body as one
from visviva.errors import ArgumentError, InertiaError, ShapeError
from visviva.space.poses import Pose
from visviva.space.rotations import quaternion_matrix, quaternion_rates, skew
from visviva.space.spatial import ad, point_velocity

vectors, twists = bodies.vectors(3), bodies.vectors(6)
clouds = bodies.clouds().map(  # three crossed dumbbells: inertia about every axis
    lambda cloud: cloud + [(1.0, s * e) for e in np.eye(3) for s in (1.0, -1.0)]
)
solid = clouds.map(lambda cloud: Inertia(*bodies.cloud_inertia(cloud)))
BODY = Inertia.box(2.0, x=0.3, y=0.5, z=0.9).moved(p=[0.2, -0.1, 0.4])


def point_accelerations(cloud, w, dw, a, P):
    """Masses, positions and accelerations of points that move with P as one body."""
    return [(m, r, a + np.cross(dw, r - P) + np.cross(w, np.cross(w, r - P))) for m, r in cloud]


# ---- rotation about the centre


@examples(8, 5000)
@given(solid, vectors, vectors, bodies.turns())
def test_euler_power_inverse_and_axes(body, w, dw, R):
    I_b = body.tensor
    torque = one.euler_torque(I_b, w, dw)
    close(torque @ w, w @ I_b @ dw)  # power is the rate of ½ wᵀ𝕀w
    close(one.euler_acceleration(I_b, w, torque), dw, 1e-11)  # moments of 2 under torques of 1000
    I_s = body.rotated(R).tensor
    close(one.euler_torque(I_s, R @ w, R @ dw), R @ torque)
    close(one.euler_acceleration(I_s, R @ w, R @ torque), R @ dw, 1e-11)
    rate_of_momentum = body.rotated(R).space_rate(R @ w) @ (R @ w) + I_s @ R @ dw
    close(R @ torque, rate_of_momentum)


@examples(11, 1000)
@given(solid, vectors, vectors)
def test_euler_in_principal_axes(body, w, dw):
    principal = body.principal()
    E, moments = principal.axes, principal.moments
    seen = one.euler_torque(np.diag(moments), E.T @ w, E.T @ dw)
    close(seen, E.T @ one.euler_torque(body.tensor, w, dw))


@examples(11, 1000)
@given(solid, vectors, bodies.vectors(4, 1.0).filter(lambda q: np.linalg.norm(q) > 0.1), vectors)
def test_rates_of_a_turning_body(body, w, q, torque):
    dq, dw = one.turning_rates(body.tensor, bodies.unit(q), w, torque)
    close(dq, quaternion_rates(bodies.unit(q), w), 0)
    close(dw, one.euler_acceleration(body.tensor, w, torque), 0)
    close(dq @ bodies.unit(q), 0.0)  # the length stays


def test_a_free_body_keeps_momentum_and_energy():
    tensor, h = BODY.tensor, 1e-3
    q, w = np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.2, 3.0, 0.1])  # near the unstable axis

    def rates(y):
        return np.concatenate(one.turning_rates(tensor, y[:4], y[4:], np.zeros(3)))

    rates = vv.function(rates, inputs={"y": 7})
    y = np.concatenate([q, w])
    for _ in range(3000):
        k1 = rates(y)
        k2 = rates(y + h / 2 * k1)
        k3 = rates(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rates(y + h * k3))
    q_end, w_end = y[:4], y[4:]
    assert np.abs(w_end - w).max() > 1.0  # it tumbles
    close(w_end @ tensor @ w_end, w @ tensor @ w, 1e-10)  # Runge and Kutta: h⁴ over 3 s
    close(quaternion_matrix(q_end) @ tensor @ w_end, tensor @ w, 1e-10)


# ---- the centre of mass


@examples(11, 1000)
@given(bodies.vectors(1, 5.0).map(lambda x: 5.5 + x[0]), vectors, vectors, vectors, vectors)
def test_newton_both_ways(mass, a, applied, push, gravity):
    reaction = one.missing_force(mass, a, [applied, push], gravity)
    close(one.center_acceleration(mass, [applied, push, reaction], gravity), a)
    close(one.missing_force(mass, a, [applied, push, reaction], gravity), np.zeros(3))
    close(one.center_acceleration(mass, [], gravity), gravity, 0)


# ---- Newton and Euler about any point


@examples(8, 5000)
@given(clouds, vectors, twists, vectors)
def test_newton_euler_is_the_sum_over_points(cloud, w, acceleration, P):
    body = Inertia(*bodies.cloud_inertia(cloud))
    points = point_accelerations(cloud, w, acceleration[:3], acceleration[3:], P)
    loads = one.newton_euler_loads(body, w, acceleration, P)
    forces = [m * a for m, _, a in points]
    close(loads, one.resultant(P, forces, [r for _, r, _ in points]), 1e-11)  # loads of thousands
    back = one.newton_euler_acceleration(body, w, loads, P)
    close(back, acceleration, 1e-11)
    M, bias = one.newton_euler(body, w, P)
    close(M @ acceleration + bias, loads, 0)
    close(M, body.spatial(Pose.translation(P)), 1e-11)
    assert np.linalg.eigvalsh(M)[0] > 0


@examples(11, 1000)
@given(solid, vectors, twists, vectors, vectors)
def test_one_motion_about_every_point(body, w, loads, P, Q):
    """Loads moved to another point give the same motion of the body."""
    at_P = one.newton_euler_acceleration(body, w, loads, P)
    moved = one.resultant(Q, [loads[3:]], [P], [loads[:3]])
    at_Q = one.newton_euler_acceleration(body, w, moved, Q)
    close(at_Q[:3], at_P[:3], 1e-11)
    arm = Q - P
    close(at_Q[3:], at_P[3:] + np.cross(at_P[:3], arm) + np.cross(w, np.cross(w, arm)), 1e-11)


@examples(11, 1000)
@given(solid, vectors, twists)
def test_the_centre_of_mass_parts_the_equations(body, w, acceleration):
    dw, a = acceleration[:3], acceleration[3:]
    loads = one.newton_euler_loads(body, w, acceleration, body.com)
    close(loads[:3], one.euler_torque(body.tensor, w, dw))
    close(loads[3:], one.missing_force(body.mass, a, [], np.zeros(3)))


@examples(11, 1000)
@given(solid, twists, twists, vectors)
def test_power_about_every_point_is_the_rate_of_energy(body, V, dV, P):
    """dK/dt = Vᵀ G V̇; the loads at P give the same, with the velocity of P."""
    w, v = V[:3], V[3:]
    at_origin = np.concatenate([dV[:3], dV[3:] + np.cross(w, v)])  # v̇ are rates in body axes
    at_P = at_origin.copy()
    at_P[3:] += np.cross(dV[:3], P) + np.cross(w, np.cross(w, P))
    loads = one.newton_euler_loads(body, w, at_P, P)
    power = loads @ np.concatenate([w, point_velocity(V, P)])
    close(power, V @ body.spatial() @ dV, 1e-11)


# ---- twists and wrenches


@examples(8, 5000)
@given(solid, twists, twists, bodies.places())
def test_wrench_power_inverse_and_frames(body, V, dV, X_ba):
    G = body.spatial()
    F = one.wrench(G, V, dV)
    close(F, G @ dV - ad(V).T @ G @ V)
    close(F @ V, V @ G @ dV, 1e-11)  # power is the rate of ½ VᵀGV
    close(one.twist_rate(G, V, F), dV, 1e-10)  # condition numbers of a few hundred
    Ad, back = X_ba.adjoint(), X_ba.inverse().adjoint()
    G_a = one.seen_from(X_ba, G)
    close(G_a, body.spatial(X_ba), 1e-11)
    close(one.wrench(G_a, back @ V, back @ dV), Ad.T @ F, 1e-11)
    close(one.twist_rate(G_a, back @ V, Ad.T @ F), back @ dV, 1e-9)  # and of thousands


@examples(11, 1000)
@given(solid, twists, twists)
def test_newton_euler_and_the_wrench_differ_by_the_kind_of_acceleration(body, V, dV):
    """a_P = v̇ + ω × v where v̇ are rates of components in body axes."""
    true = np.concatenate([dV[:3], one.fixed_rate(V[3:], dV[3:], V[:3])])
    loads = one.newton_euler_loads(body, V[:3], true, np.zeros(3))
    close(one.wrench(body.spatial(), V, dV), loads, 1e-11)


# ---- systems of forces, moving frames


@examples(11, 1000)
@given(twists, vectors, bodies.clouds(), vectors)
def test_a_resultant_has_the_power_of_its_forces(V, P, cloud, torque):
    forces, points = [m * r[::-1] for m, r in cloud], [r for _, r in cloud]
    F = one.resultant(P, forces, points, [torque, -2 * torque])
    power = sum(f @ point_velocity(V, p) for f, p in zip(forces, points, strict=True))
    power -= torque @ V[:3]
    close(F @ np.concatenate([V[:3], point_velocity(V, P)]), power, 1e-11)
    close(F[:3], sum(one.moment(f, p, P) for f, p in zip(forces, points, strict=True)) - torque)


def test_an_empty_system_of_forces():
    close(one.resultant([1.0, 2.0, 3.0]), np.zeros(6), 0)
    close(one.resultant([1.0, 2.0, 3.0], torques=[[1, 0, 0]]), [1, 0, 0, 0, 0, 0], 0)


@examples(11, 1000)
@given(vectors, vectors, vectors)
def test_rates_in_frames_are_inverse(u, rate, w):
    close(one.moving_rate(u, one.fixed_rate(u, rate, w), w), rate)
    close(one.fixed_rate(w, rate, w), rate)  # an angular velocity changes alike in both


# ---- scalars

W, DW, P = np.array([0.3, -1.0, 2.0]), np.array([1.0, 0.5, -0.2]), np.array([0.1, 0.7, -0.4])
V, DV = np.concatenate([W, P]), np.concatenate([DW, W])
FUNCTIONS = {
    "moment": (one.moment, W, DW, P),
    "resultant": (lambda f, p, P: one.resultant(P, [f, p], [p, f], [f]), W, DW, P),
    "fixed_rate": (one.fixed_rate, W, DW, P),
    "euler_torque": (lambda w, dw: one.euler_torque(BODY.tensor, w, dw), W, DW),
    "euler_acceleration": (lambda w, t: one.euler_acceleration(BODY.tensor, w, t), W, DW),
    "center_acceleration": (lambda f, g: one.center_acceleration(2.0, [f], g), W, DW),
    "missing_force": (lambda a, f, g: one.missing_force(2.0, a, [f], g), W, DW, P),
    "matrix": (lambda w, P: one.newton_euler(BODY, w, P)[0], W, P),
    "loads": (lambda w, a, P: one.newton_euler_loads(BODY, w, a, P), W, DV, P),
    "acceleration": (lambda w, F, P: one.newton_euler_acceleration(BODY, w, F, P), W, DV, P),
    "wrench": (lambda V, dV: one.wrench(BODY.spatial(), V, dV), V, DV),
    "twist_rate": (lambda V, F: one.twist_rate(BODY.spatial(), V, F), V, DV),
}


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_over_all_scalars(name):
    f, *args = FUNCTIONS[name]
    result = over_all_scalars(f, *args, tolerance=1e-13)
    symbolic = f(*(np.array([sympy.Float(x, 30) for x in a]) for a in args))
    close(np.array(symbolic, dtype=float), result, 1e-13)


def test_symbols_of_the_body_itself():
    """Mass, centre and tensor may be expressions too: all ten compiled as inputs."""

    def acceleration(ten, w, loads, P):
        xx, yy, zz, xy, xz, yz = ten[4:]
        body = Inertia(ten[0], ten[1:4], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return one.newton_euler_acceleration(body, w, loads, P)

    T = BODY.tensor
    moments = [T[0, 0], T[1, 1], T[2, 2], T[0, 1], T[0, 2], T[1, 2]]
    ten = np.array([BODY.mass, *BODY.com, *moments])
    over_all_scalars(acceleration, ten, W, DV, P)
    many = vv.function(acceleration, inputs={"ten": 10, "w": 3, "loads": 6, "P": 3})
    batch = np.random.default_rng(0).normal(size=(50, 3))
    rows = [one.newton_euler_acceleration(BODY, w, DV, P) for w in batch]
    close(many(ten, batch, DV, P), rows)


def exact(*numbers):
    return np.array([Fraction(x) for x in numbers], dtype=object)


def test_fractions_stay_exact():
    tensor = np.array([exact(3, "1/2", 0), exact("1/2", 4, "1/3"), exact(0, "1/3", 5)])
    body = Inertia(Fraction(2), exact("1/5", -1, "2/3"), tensor)
    w, P, a = exact(1, "-2/7", 3), exact("1/9", 0, 1), exact(1, 2, 3, "4/5", 5, 6)
    loads = one.newton_euler_loads(body, w, a, P)
    assert list(one.newton_euler_acceleration(body, w, loads, P)) == list(a)
    G, twist = one.newton_euler(body, w, P)[0], exact(1, 2, "3/4", 0, "-1/6", 1)
    assert list(one.twist_rate(G, twist, one.wrench(G, twist, a))) == list(a)
    f = one.missing_force(Fraction(3), a[:3], [w, P], exact(0, 0, "-981/100"))
    assert list(one.center_acceleration(Fraction(3), [w, P, f], exact(0, 0, "-981/100"))) == [
        1,
        2,
        3,
    ]
    system = one.resultant(P, [w], [a[3:]], [w])
    assert all(isinstance(x, Fraction) for x in [*loads, *f, *system])


def test_accuracy_far_from_the_centre():
    """P a kilometre away from a body of half a metre: the centre of mass is still the road."""
    far, loads = P + np.array([1000.0, -500.0, 200.0]), DV
    with_digits = one.newton_euler_acceleration(
        BODY.mapped(lambda x: mp([x])[0]), mp(W), mp(loads), mp(far)
    )
    close(one.newton_euler_acceleration(BODY, W, loads, far), np.array(with_digits, dtype=float))


# ---- what is refused


def test_rods_points_and_nothing():
    """A rod turns about its own axis at will: no load says how."""
    rod = Inertia.rod(1.0, length=2.0, axis="x")
    tilted = rod.rotated(quaternion_matrix(bodies.unit([1.0, 2.0, 3.0, 4.0])))
    for body in (rod, tilted, Inertia.point(1.0)):
        with pytest.raises(InertiaError, match="do not determine the acceleration: the inertia is"):
            one.euler_acceleration(body.tensor, W, DW)
        with pytest.raises(InertiaError, match="singular, as that of a rod or a point"):
            one.newton_euler_acceleration(body, W, DV, P)
        with pytest.raises(InertiaError, match="do not determine"):
            one.twist_rate(body.spatial(), V, DV)
        assert np.isfinite(one.euler_torque(body.tensor, W, DW)).all()  # this way it does
    with pytest.raises(InertiaError, match=r"determine the acceleration: the mass is 0\.0"):
        one.center_acceleration(0.0, [W], DW)
    close(one.center_acceleration(1e-27, [1e-27 * W], np.zeros(3)), W)  # small is no reason


def test_nan_stays_nan():
    lost = np.array([np.nan, 0.0, 0.0])
    assert np.isnan(one.euler_torque(BODY.tensor, lost, DW)).any()
    assert np.isnan(one.euler_acceleration(np.full((3, 3), np.nan), W, DW)).all()
    assert np.isnan(one.twist_rate(np.full((6, 6), np.nan), V, DV)).all()


def test_the_arguments_are_left_alone():
    tensor, w, torque = BODY.tensor.copy(), W.copy(), DW.copy()
    one.euler_acceleration(tensor, w, torque)
    close(tensor, BODY.tensor, 0)
    close(np.concatenate([w, torque]), np.concatenate([W, DW]), 0)


SHAPES = {
    r"tensor has shape \(3,\); expected \(3, 3\)": lambda: one.euler_torque(W, W, DW),
    r"w has shape \(2,\); expected \(3,\)": lambda: one.euler_torque(BODY.tensor, W[:2], DW),
    r"dw has shape \(\)": lambda: one.euler_torque(BODY.tensor, W, 1.0),
    r"torque has shape \(6,\); expected \(3,\)": lambda: one.euler_acceleration(BODY.tensor, W, V),
    r"q has shape \(3,\); expected \(4,\)": lambda: one.turning_rates(BODY.tensor, W, W, DW),
    r"w has shape \(4,\)": lambda: one.turning_rates(BODY.tensor, [0, 0, 0, 1], [0, 0, 0, 1], DW),
    r"about has shape \(2,\)": lambda: one.resultant([0, 0], [W], [P]),
    r"a force or torque has shape \(6,\)": lambda: one.resultant(P, torques=[V]),
    r"gravity has shape \(\)": lambda: one.center_acceleration(1.0, [W], 9.81),
    r"point has shape \(2,\)": lambda: one.newton_euler(BODY, W, [0, 0]),
    r"loads has shape \(3,\); expected \(6,\)": lambda: one.newton_euler_acceleration(
        BODY, W, DW, P
    ),
    r"G has shape \(3, 3\); expected \(6, 6\)": lambda: one.wrench(BODY.tensor, V, DV),
    r"F has shape \(3,\)": lambda: one.twist_rate(BODY.spatial(), V, W),
    r"G_b has shape \(3, 3\)": lambda: one.seen_from(Pose.identity(), skew(W)),
}


@pytest.mark.parametrize("message", SHAPES)
def test_wrong_shapes_are_named(message):
    with pytest.raises(ShapeError, match=message):
        SHAPES[message]()


def test_every_force_acts_somewhere():
    with pytest.raises(ArgumentError, match="one point for each force: got 1 for 2"):
        one.resultant(P, [W, DW], [P])
