"""One rigid body in the sources: its equations in symbols, and the printed errors beside them."""

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given

import visviva as vv
from tests.support.counts import examples
from tests.support.generators import bodies
from tests.support.generators.bodies import close
from visviva import Inertia, Pose, pencil
from visviva.errors import InertiaError
from visviva.space import (
    ad,
    cross_motion,
    euler,
    poses,
    quaternion,
    quaternion_matrix,
    skew,
    unskew,
)

T = sympy.symbols("t", real=True)
ZERO = np.zeros(3)
vectors, twists = bodies.vectors(3), bodies.vectors(6)
solid = bodies.bodies().map(lambda body: body + Inertia.sphere(1.0, radius=1.0))


def symbols(names):
    return np.array(sympy.symbols(names, real=True))


def rate(x):
    """d/dt, entry by entry."""
    return np.vectorize(lambda e: sympy.diff(e, T), otypes=[object])(x)


def vanishes(x):
    return all(sympy.cancel(sympy.together(sympy.nsimplify(e))) == 0 for e in np.ravel(x))


def tensor_of_symbols():
    xx, yy, zz, xy, xz, yz = symbols("I_xx I_yy I_zz I_xy I_xz I_yz")
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def turning():
    """A rotation that is rational in t (Cayley), and its angular velocity in body axes."""
    c = np.array([T, T**2 / 2, 1 - T])
    square = c @ c
    R = (np.eye(3, dtype=int) * (1 - square) + 2 * np.outer(c, c) + 2 * skew(c)) / (1 + square)
    R = np.vectorize(sympy.cancel, otypes=[object])(R)
    return R, np.vectorize(sympy.cancel, otypes=[object])(unskew(R.T @ rate(R)))


def test_S11_rotating_body_from_fixed_and_from_body_axes():
    """Ṙ, K, h, 𝕀_s and both forms of Euler's equation, along a motion, in symbols."""
    R, w = turning()
    tensor = tensor_of_symbols()
    w_s, tensor_s = R @ w, R @ tensor @ R.T
    assert vanishes(R @ R.T - np.eye(3, dtype=int))
    assert vanishes(rate(R) - skew(w_s) @ R)
    at = {T: sympy.Rational(3, 7)}  # the rest at one moment, exact
    R_t, w_t, dw_t, ws_t, dws_t, h_t = (
        np.vectorize(lambda e: sympy.sympify(e).subs(at), otypes=[object])(x)
        for x in (R, w, rate(w), w_s, rate(w_s), rate(R @ tensor @ w))
    )
    tensor_t = R_t @ tensor @ R_t.T
    torque = pencil.euler_torque(tensor, w_t, dw_t)
    assert vanishes(R_t @ torque - h_t)  # τ_s = dh_s/dt
    assert vanishes(pencil.euler_torque(tensor_t, ws_t, dws_t) - h_t)
    assert vanishes(dws_t - R_t @ dw_t)
    assert vanishes(ws_t @ tensor_t @ ws_t - w_t @ tensor @ w_t)  # 2K
    seen = Inertia(sympy.Integer(1), ZERO, tensor).rotated(R_t)
    assert vanishes(seen.tensor - tensor_t)
    assert sympy.sympify(tensor_s[0, 0]).has(T)  # fixed axes: the tensor changes


@examples(11, 1000)
@given(solid, vectors, vectors, bodies.turns())
def test_S11_the_two_roads_to_the_acceleration(body, w, torque, R):
    dw = pencil.euler_acceleration(body.tensor, w, torque)
    dw_s = pencil.euler_acceleration(body.rotated(R).tensor, R @ w, R @ torque)
    close(R @ dw, dw_s, 1e-11)  # torques of some hundreds on moments of 0.4
    close(pencil.euler_torque(body.tensor, w, dw), torque, 1e-11)


def test_S24_twist_and_wrench_of_one_body():
    """At the centre of mass: F = (𝕀ω̇ + ω × 𝕀ω, m(v̇ + ω × v)), K = ½VᵀGV, in symbols."""
    m = sympy.symbols("m", positive=True)
    tensor, V, dV = tensor_of_symbols(), symbols("w1:4 v1:4"), symbols("dw1:4 dv1:4")
    w, v, dw, dv = V[:3], V[3:], dV[:3], dV[3:]
    body = Inertia(m, ZERO, tensor)
    G = body.spatial()
    F = pencil.wrench(G, V, dV)
    assert vanishes(F[:3] - (tensor @ dw + np.cross(w, tensor @ w)))
    assert vanishes(F[3:] - m * (dv + np.cross(w, v)))
    assert vanishes(F - (G @ dV - ad(V).T @ G @ V))
    assert vanishes(body.kinetic_energy(V) - (w @ tensor @ w + m * v @ v) / 2)
    assert vanishes(F @ V - (w @ tensor @ dw + m * v @ dv))  # power
    G_of_numbers = Inertia(sympy.Integer(2), ZERO, np.diag([2, 3, 4])).spatial()
    F = pencil.wrench(G_of_numbers, V, dV)
    assert vanishes(pencil.twist_rate(G_of_numbers, V, F) - dV)


def rigid_cloud():
    """Four unequal points, exact, and symbols of a motion about P = (1, -1/2, 2)."""
    r = sympy.Rational
    places = [[1, 0, r(1, 2)], [0, 2, -1], [r(-3, 2), 1, 1], [2, r(1, 3), 3]]
    cloud = [(r(k + 1, 2), np.array([sympy.sympify(x) for x in p])) for k, p in enumerate(places)]
    P = np.array([r(1), r(-1, 2), r(2)])
    return cloud, P, symbols("w1:4"), symbols("dw1:4"), symbols("a1:4")


def test_S30_newton_euler_about_any_point():
    """[Γ_P, m[r]; m[r]ᵀ, m1] (ω̇, a_P) + (ω × Γ_P ω, m ω × (ω × r)) = (τ_P, f), from four points."""
    cloud, P, w, dw, a = rigid_cloud()
    body = Inertia.point_masses([m for m, _ in cloud], [r for _, r in cloud])
    parts = [(m, r, a + np.cross(dw, r - P) + np.cross(w, np.cross(w, r - P))) for m, r in cloud]
    moved = np.array([*dw, *a])
    loads = pencil.newton_euler_loads(body, w, moved, P)
    assert vanishes(loads[:3] - sum(np.cross(r - P, m * acc) for m, r, acc in parts))
    assert vanishes(loads[3:] - sum(m * acc for m, r, acc in parts))
    M, bias = pencil.newton_euler(body, w, P)
    r, m = body.com - P, body.mass
    gamma = -sum(mass * skew(p - P) @ skew(p - P) for mass, p in cloud)
    assert vanishes(M - np.block([[gamma, m * skew(r)], [m * skew(r).T, np.diag([m, m, m])]]))
    assert vanishes(bias[3:] - m * skew(w) @ skew(w) @ r)
    assert vanishes(pencil.newton_euler_acceleration(body, w, loads, P) - moved)


def tumble(tensor, torque, y, orientation, duration, steps):
    """Runge and Kutta's rule for ω, beside any rule `orientation(y, w)` for its rate."""
    h = duration / steps

    def rates(y):
        w = y[-3:]
        return np.concatenate(
            [orientation(y[:-3], w), pencil.euler_acceleration(tensor, w, torque)]
        )

    rates = vv.function(rates, inputs={"y": len(y)})
    for _ in range(steps):
        k1 = rates(y)
        k2 = rates(y + h / 2 * k1)
        k3 = rates(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rates(y + h * k3))
    return y


def test_C71_and_C72_orientation_by_matrix_and_by_quaternion():
    """Ṙ = R[ω] and q̇ = ½ q ⊗ (ω, 0) lead to the same place, under a torque in body axes."""
    tensor, torque = np.diag([0.3, 0.5, 0.7]), np.array([0.2, -0.1, 0.05])
    w, steps = np.array([0.4, 2.0, -0.3]), 1000

    def matrix(R, w):
        return (R.reshape(3, 3) @ skew(w)).reshape(9)

    def hamilton(q, w):
        return pencil.turning_rates(tensor, q, w, torque)[0]

    by_matrix = tumble(tensor, torque, np.array([*np.eye(3).ravel(), *w]), matrix, 1.0, steps)
    start = np.array([*quaternion(np.eye(3)), *w])
    by_quaternion = tumble(tensor, torque, start, hamilton, 1.0, steps)
    R = quaternion_matrix(bodies.unit(by_quaternion[:4]))
    close(by_matrix[:9].reshape(3, 3), R, 1e-11)  # h⁴, with |ω| = 2
    close(by_matrix[9:], by_quaternion[4:], 1e-14)
    angles = euler.euler_angles(R, "ZYX")  # what a person reads
    close(euler.euler_matrix(angles, "ZYX"), R, 1e-14)
    assert np.abs(R - np.eye(3)).max() > 1.0


def test_C75_euler_in_three_kinds_of_axes():
    """Principal axes: three equations as printed; other axes: the same torque, turned."""
    (A, B, C), w, dw = symbols("A B C"), symbols("w1:4"), symbols("dw1:4")
    torque = pencil.euler_torque(np.diag([A, B, C]), w, dw)
    printed = [
        A * dw[0] + (C - B) * w[1] * w[2],
        B * dw[1] + (A - C) * w[0] * w[2],
        C * dw[2] + (B - A) * w[0] * w[1],
    ]
    assert vanishes(torque - np.array(printed))
    assert vanishes(pencil.euler_acceleration(np.diag([A, B, C]), w, torque) - dw)
    n = sympy.sympify
    R = np.array([[n(1), n(2), n(2)], [n(2), n(1), n(-2)], [n(-2), n(2), n(-1)]]) / n(3)
    assert vanishes(R @ R.T - np.eye(3, dtype=int))
    turned = R @ np.diag([A, B, C]) @ R.T
    assert vanishes(pencil.euler_torque(turned, R @ w, R @ dw) - R @ torque)
    general = tensor_of_symbols()
    back = pencil.euler_acceleration(general, w, pencil.euler_torque(general, w, dw))
    assert vanishes(back - dw)


@examples(11, 1000)
@given(solid, vectors, vectors)
def test_C75_from_any_body_to_its_principal_axes(body, w, torque):
    principal = body.principal()
    E, moments = principal.axes, np.diag(principal.moments)
    dw = pencil.euler_acceleration(body.tensor, w, torque)
    close(E @ pencil.euler_acceleration(moments, E.T @ w, E.T @ torque), dw, 1e-11)
    # torques of some hundreds on moments of 0.4


def test_C75_a_rod_does_not_say_how_it_spins():
    with pytest.raises(InertiaError, match="loads do not determine the acceleration"):
        pencil.euler_acceleration(Inertia.rod(1.0, length=1.0).tensor, ZERO, [0.0, 0.0, 1.0])


def test_C76_newton_of_the_centre_of_mass():
    """f_a + f_v + m g - m a_C = 0, solved for the acceleration and for the reaction."""
    m = sympy.symbols("m", positive=True)
    applied, reaction, g = symbols("f1:4"), symbols("r1:4"), symbols("g1:4")
    a = pencil.center_acceleration(m, [applied, reaction], g)
    assert vanishes(applied + reaction + m * g - m * a)
    assert vanishes(pencil.missing_force(m, a, [applied], g) - reaction)
    # at rest on the floor, pushed sideways: friction and the floor's push
    floor = pencil.missing_force(2.0, ZERO, [[3.0, 0.0, 0.0]], [0.0, 0.0, -9.81])
    close(floor, [-3.0, 0.0, 19.62], 1e-15)


def test_C77_write_and_solve_the_six_equations():
    """A door that turns: the reactions of its hinge, and the motion when the hinge is cut."""
    width, mass, spin, speeding = 0.8, 20.0, 1.5, -0.7
    door = Inertia.box(mass, x=width, y=0.04, z=2.0).moved(p=[width / 2, 0.0, 0.0])
    hinge, w, gravity = ZERO, np.array([0.0, 0.0, spin]), np.array([0.0, 0.0, -9.81])
    loads = pencil.newton_euler_loads(door, w, [0.0, 0.0, speeding, 0.0, 0.0, 0.0], hinge)
    weight = pencil.resultant(hinge, [mass * gravity], [door.com])
    reaction = loads - weight
    I_hinge = mass * (width**2 + 0.04**2) / 12 + mass * width**2 / 4
    close(reaction[2], I_hinge * speeding, 1e-13)
    close(reaction[3:], mass * np.array([-(spin**2) * width / 2, speeding * width / 2, 9.81]))
    close(reaction[:2], [0.0, -mass * 9.81 * width / 2])  # the hinge carries the door
    cut = pencil.newton_euler_acceleration(door, w, weight, hinge)
    close(cut, [0, 0, 0, spin**2 * width / 2, 0, -9.81])  # the edge flies about the centre


@examples(11, 1000)
@given(solid, vectors, twists, vectors)
def test_C77_about_the_centre_and_about_any_point(body, w, acceleration, P):
    """Loads about C, moved to P, are the loads about P."""
    dw, a_c = acceleration[:3], acceleration[3:]
    at_c = pencil.newton_euler_loads(body, w, acceleration, body.com)
    arm = P - body.com
    a_p = a_c + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
    at_p = pencil.newton_euler_loads(body, w, [*dw, *a_p], P)
    close(at_p, pencil.resultant(P, [at_c[3:]], [body.com], [at_c[:3]]), 1e-11)  # Γ_P of thousands


def test_C78_a_system_of_forces_at_any_point():
    """The resultant at P, in symbols: Σ f, Σ τ + Σ (r - P) × f; moving it on changes nothing."""
    f, g, t = symbols("f1:4"), symbols("g1:4"), symbols("t1:4")
    r, s, P, Q = symbols("r1:4"), symbols("s1:4"), symbols("p1:4"), symbols("q1:4")
    at_P = pencil.resultant(P, [f, g], [r, s], [t])
    assert vanishes(at_P[3:] - f - g)
    assert vanishes(at_P[:3] - t - np.cross(r - P, f) - np.cross(s - P, g))
    at_Q = pencil.resultant(Q, [at_P[3:]], [P], [at_P[:3]])
    assert vanishes(at_Q - pencil.resultant(Q, [f, g], [r, s], [t]))
    Ad = Pose.translation(Q - P).adjoint()
    assert vanishes(Ad.T @ at_P - at_Q)  # the adjoint moves wrenches alike
    couple = pencil.resultant(P, [f, -f], [r, s])
    assert vanishes(couple - pencil.resultant(Q, [f, -f], [r, s]))  # a couple is the same anywhere


def path(A, B, t):
    """X(t) = exp(At) exp(Bt) with its twists in body and in space axes, and their rates."""
    forth, back = poses.exp(A * t), poses.exp(B * t)
    A_b, B_s = back.inverse().adjoint() @ A, forth.adjoint() @ B
    return forth @ back, (A_b + B, -cross_motion(B, A_b)), (A + B_s, cross_motion(A, B_s))


@given(solid, twists, twists, bodies.vectors(1, 1.0))
def test_C79_the_form_is_the_same_in_every_frame(body, A, B, time):
    X, (V_b, dV_b), (V_s, dV_s) = path(A, B, time[0])
    Ad = X.adjoint()
    close(V_s, Ad @ V_b, 1e-11)  # poses up to 6 m away, twists up to 30
    close(dV_s, Ad @ dV_b, 1e-11)
    G_b, G_s = body.spatial(), body.moved(X).spatial()
    close(pencil.seen_from(X, G_s), G_b, 1e-10)  # there and back: inertias of thousands
    F_b, F_s = pencil.wrench(G_b, V_b, dV_b), pencil.wrench(G_s, V_s, dV_s)
    close(Ad.T @ F_s, F_b, 1e-10)  # wrenches of 1e5
    close(pencil.twist_rate(G_b, V_b, F_b), dV_b, 1e-9)  # condition numbers of thousands


def test_C79_the_wrench_is_the_rate_of_momentum_in_fixed_axes():
    """d/dt (G_s V_s), by differences of fifty digits."""
    body = Inertia.box(2.0, x=0.3, y=0.4, z=0.9).moved(p=[0.1, 0.5, -0.2])
    A, B = bodies.mp([0.3, -1.0, 0.5, 1.0, 0.2, -0.7]), bodies.mp([-0.6, 0.4, 1.1, 0.0, 2.0, 0.3])
    with mpmath.workdps(50):
        now, h = mpmath.mpf("0.7"), mpmath.mpf(10) ** -15

        def momentum(t):
            X, _, (V_s, _) = path(A, B, t)
            return body.moved(X).spatial() @ V_s

        slope = (momentum(now + h) - momentum(now - h)) / (2 * h)
        X, _, (V_s, dV_s) = path(A, B, now)
        F_s = pencil.wrench(body.moved(X).spatial(), V_s, dV_s)
        # the rule's error is h²; the series of the exponential have coefficients of sixteen digits
        assert max(abs(x) for x in F_s - slope) < 1e-14


def test_C81_rates_in_moving_frames():
    """(d/dt)₀ = (d/dt)_k + ω ×, once and twice: Euler's, Coriolis' and the centrifugal term."""
    R, w = turning()
    u = np.array([T**2, 1 / (1 + T), 3 * T])  # components in the turning axes
    at = {T: sympy.Rational(2, 5)}

    def now(x):
        return np.vectorize(lambda e: sympy.sympify(e).subs(at), otypes=[object])(x)

    first = pencil.fixed_rate(u, rate(u), w)
    assert vanishes(now(rate(R @ u) - R @ first))
    assert vanishes(pencil.moving_rate(u, first, w) - rate(u))
    second = pencil.fixed_rate(first, rate(first), w)
    assert vanishes(now(rate(rate(R @ u)) - R @ second))
    terms = rate(rate(u)) + np.cross(rate(w), u) + 2 * np.cross(w, rate(u))
    assert vanishes(now(second - terms - np.cross(w, np.cross(w, u))))
    assert vanishes(pencil.fixed_rate(w, rate(w), w) - rate(w))  # ω̇ is one vector for both


def test_C81_how_inertial_a_table_is():
    """A frame on the Earth: what is neglected when it is taken as inertial."""
    day, radius = np.array([0.0, 0.0, 2 * np.pi / 86164.1]), np.array([6.378e6, 0.0, 0.0])
    at_rest = pencil.fixed_rate(radius, ZERO, day)  # the velocity of the table
    a = pencil.fixed_rate(at_rest, ZERO, day)
    close(a, [-(day[2] ** 2) * radius[0], 0.0, 0.0])
    assert 0.03 < np.linalg.norm(a) < 0.04  # of 9.81


def test_C98_moment_of_a_force():
    f, r, A, B = symbols("f1:4"), symbols("r1:4"), symbols("a1:4"), symbols("b1:4")
    M = pencil.moment(f, r, A)
    assert vanishes(M - np.cross(r - A, f))
    slid = sympy.symbols("s") * f + r
    assert vanishes(pencil.moment(f, slid, A) - M)  # along its line a force may slide
    assert vanishes(pencil.moment(f, r, B) - M - np.cross(A - B, f))
    assert vanishes(M @ f)
    close(pencil.moment([0, 0, -2.0], at=[3.0, 0, 0], about=[1.0, 0, 0]), [0.0, 4.0, 0.0], 0)


# ---- printed errors


@given(solid, vectors, vectors, vectors)
def test_E16_the_tensor_is_constant_in_body_axes_only(body, w, dw, w_k):
    """In a frame k that turns in its own way the tensor's rate belongs to the equation."""
    torque = pencil.euler_torque(body.tensor, w, dw)
    tensor_rate = body.space_rate(w - w_k)  # the body turns relative to k
    momentum_rate = tensor_rate @ w + body.tensor @ pencil.moving_rate(w, dw, w_k)
    close(pencil.fixed_rate(body.tensor @ w, momentum_rate, w_k), torque)
    without = momentum_rate - tensor_rate @ w
    gap = pencil.fixed_rate(body.tensor @ w, without, w_k) - torque
    close(gap, -tensor_rate @ w)


def test_E17_the_second_equation_balances_moments():
    """A couple has no resultant force: it enters the second vector equation alone."""
    body, f = Inertia.box(2.0, x=0.3, y=0.4, z=0.5), np.array([0.0, 3.0, 0.0])
    couple = pencil.resultant(body.com, [f, -f], [[0.1, 0, 0], [-0.1, 0, 0]])
    close(couple, [0, 0, 0.6, 0, 0, 0], 1e-15)
    motion = pencil.newton_euler_acceleration(body, ZERO, couple, body.com)
    close(motion, [0, 0, 0.6 / body.tensor[2, 2], 0, 0, 0], 1e-15)


def test_E18_the_bias_about_the_centre():
    m, w, tensor = sympy.symbols("m", positive=True), symbols("w1:4"), tensor_of_symbols()
    com = symbols("c1:4")
    _, bias = pencil.newton_euler(Inertia(m, com, tensor), w, com)
    assert vanishes(bias[:3] - np.cross(w, tensor @ w))
    assert vanishes(bias[3:])


def test_E19_one_kind_of_components_at_a_time():
    """1 kg at 3 m/s, straight on, spinning with 2 rad/s: no force; mixed components claim 6 N."""
    body, w, v = Inertia.sphere(1.0, radius=0.1), np.array([0, 0, 2.0]), np.array([3.0, 0, 0])
    fixed = pencil.newton_euler_loads(body, w, np.zeros(6), ZERO)  # a_C = v̇ = 0 in fixed axes
    close(fixed, np.zeros(6), 0)
    seen_from_body = pencil.moving_rate(v, ZERO, w)  # v turns backwards there
    close(pencil.wrench(body.spatial(), [*w, *v], [0, 0, 0, *seen_from_body]), np.zeros(6), 1e-15)
    mixed = pencil.wrench(body.spatial(), [*w, *v], np.zeros(6))
    close(np.linalg.norm(mixed[3:]), 6.0, 1e-15)


def test_E20_the_tensor_is_about_the_point_of_the_equation():
    cloud, P, w, dw, _ = rigid_cloud()
    body = Inertia.point_masses([m for m, _ in cloud], [r for _, r in cloud])
    M, bias = pencil.newton_euler(body, w, P)
    assert vanishes(M[:3, :3] - body.about(P))
    assert vanishes(bias[:3] - np.cross(w, body.about(P) @ w))
    gap = M[:3, :3] - body.tensor  # about the centre it would miss the parallel-axis term
    assert vanishes(gap + body.mass * skew(body.com - P) @ skew(body.com - P))
    assert not vanishes(gap @ dw)


def test_E39h_moments_about_a_moving_point():
    """dh/dt = moment of f only about a fixed point; a moving O adds -ȯ × m v."""
    m = sympy.symbols("m", positive=True)
    r, o = np.array([T**2, T**3 / 3, 1 - T]), np.array([T, 1, T**2])
    f = m * rate(rate(r))
    h = np.cross(r - o, m * rate(r))
    assert vanishes(rate(h) - pencil.moment(f, r, o) + np.cross(rate(o), m * rate(r)))
    assert not vanishes(rate(h) - pencil.moment(f, r, o))
    still = np.array([1, 2, 3])
    assert vanishes(rate(np.cross(r - still, m * rate(r))) - pencil.moment(f, r, still))
