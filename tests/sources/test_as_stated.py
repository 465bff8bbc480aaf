"""Systems as their documents state them: by positions, DH tables, energies, rows of velocities.

Each is stated from the text alone; then one claim, the truth, is proved of it and of the catalog's
entry, so that the two are one system.
"""

import numpy as np
import pytest
import sympy
from sympy import Matrix, cos, sin, symbols

import visviva as vv
from tests.support.generators.bodies import close

FREE = "m*(X'^2 + Y'^2 + Z'^2)/2"  # of a point in space


def prove(claims, *systems, **options):
    """Every claim of every system, exactly."""
    for system in systems:
        verdict = system.check(claims, **options)
        assert verdict.is_identical, f"{system.name}: {verdict}"


def position(*lines):
    """Where a tool is, as a claim."""
    return "\n".join(f"{name} = {x}" for name, x in zip("xyz", lines, strict=False))


def with_tool(b, body, at=(0, 0, 0)):
    return b.frame("tool", body=body, at=at).build()


# ---- the textbook's chapter: energies, thrusters, rows of velocities


def test_S3_two_thrusters_push_at_their_point():
    """(10.12) by virtual work at φ(q) = (q2 c1, q2 s1), of the energies of example 10.1.2."""
    arm = vv.Lagrangian(
        "q1 q2",
        "((I1 + I2 + m1*r1^2 + m2*q2^2)*q1'^2 + m2*q2'^2)/2",
        "a_g*sin(q1)*(m1*r1 + m2*q2)",
        forces=vv.Lagrangian.point_force(["q2*cos(q1)", "q2*sin(q1)"], ["f1", "f2"]),
        parameters="I1 I2 m1 m2 r1 a_g f1 f2",
        passive="q1 q2",
        name="RP arm with thrusters",
    )
    prove(
        """
        -q2 sin(q1) f1 + q2 cos(q1) f2
          = (I1 + I2 + m1 r1^2 + m2 q2^2) q1'' + 2 m2 q2 q1' q2' + a_g (m1 r1 + m2 q2) cos(q1)
        cos(q1) f1 + sin(q1) f2 = m2 q2'' - m2 q2 q1'^2 + a_g m2 sin(q1)
        """,
        arm,
    )
    entry = vv.catalog.rp_arm_thrusters()
    q, v, f = np.array([0.7, 0.6]), np.array([0.4, -0.9]), np.array([3.0, -2.0])
    known = arm.with_parameters(f1=3.0, f2=-2.0, **entry.parameters)
    u = entry.actuator_map(q) @ f
    close(known.applied_forces(q), u, 1e-15)
    close(known.forward_dynamics(q, v, [0, 0]), entry.forward_dynamics(q, v, u), 1e-13)


def mobile_manipulator():
    """Cart and links by the positions of their centres of mass and by their angles."""
    names = vv.pencil.Names(["x", "y", "phi", "theta1", "theta2"], [])
    x, y, phi, t1, t2 = names.q
    L1, r1, r2, m0, m1, m2, *turning = symbols("L1 r1 r2 m0 m1 m2 I0 I1 I2")
    cart = Matrix([x, y])
    along = [Matrix([cos(a), sin(a)]) for a in (phi + t1, phi + t1 + t2)]
    places = cart, cart + r1 * along[0], cart + L1 * along[0] + r2 * along[1]
    points = [vv.pencil.Particle(m, p) for m, p in zip((m0, m1, m2), places, strict=True)]
    angles = phi, phi + t1, phi + t1 + t2
    links = [vv.pencil.Turning(i, a) for i, a in zip(turning, angles, strict=True)]
    kinetic = vv.pencil.kinetic_energy(names, points, links)
    return vv.Lagrangian(names.coordinates, kinetic, name="arm on a cart")


def test_S5_dynamics_ignore_the_heading_in_the_carts_own_velocities():
    """Called invariant to position and heading of the cart: the heading in such velocities only."""
    own = {"xd": "u*cos(phi) - w*sin(phi)", "yd": "u*sin(phi) + w*cos(phi)"}
    stated, entry = mobile_manipulator(), vv.catalog.mobile_manipulator()
    prove(
        """
        M15 = -m2 r2 sin(phi + theta1 + theta2)
        M25 = m2 r2 cos(phi + theta1 + theta2)
        M55 = I2 + m2 r2^2
        M44 = I1 + I2 + m1 r1^2 + m2 (L1^2 + r2^2 + 2 L1 r2 cos(theta2))
        M11 = m0 + m1 + m2
        """,
        stated,
        entry,
    )
    for system in (stated, entry):
        assert list(system.closed_form().invariant_coordinates) == ["x", "y"]
        form = system.in_velocities("u w phid thetad1 thetad2", own)
        assert list(form.invariant_coordinates) == ["x", "y", "phi"]


def test_S6_rolling_without_slipping():
    """Two rows: not across the plane of the disc, and along it as fast as it rolls."""
    disc = vv.Lagrangian(
        "x y theta psi",
        "(m*(x'^2 + y'^2) + I*theta'^2 + J*psi'^2)/2",
        constraints=["x'*sin(theta) - y'*cos(theta) = 0", "x'*cos(theta) + y'*sin(theta) = r*psi'"],
        parameters="m I J r",
        name="disc",
    )
    entry = vv.catalog.rolling_disc()
    prove("A = [[sin(theta), -cos(theta), 0, 0], [cos(theta), sin(theta), 0, -r]]", disc, entry)
    prove("I theta'' = tau3", disc, entry)
    for system in (disc, entry):
        kind = system.constraints.classify()
        assert (kind.kind, kind.proof, kind.growth) == ("nonholonomic", "proved", (2, 3, 4))


def test_S14_kinetic_energy_of_printed_angular_velocities():
    """(10.47) to (10.49) put into K = ½ ωᵀ 𝕀 ω."""
    wx = "(q3'*cos(q2) + q1'*sin(q2)*sin(q3))"
    wy = "(-q3'*sin(q2) + q1'*cos(q2)*sin(q3))"
    wz = "(q2' + q1'*cos(q3))"
    kinetic = f"(Ix*{wx}^2 + Iy*{wy}^2 + Iz*{wz}^2)/2"
    body = vv.Lagrangian("q1 q2 q3", kinetic, parameters="Ix Iy Iz", name="body in Euler angles")
    prove(
        """
        M = [[Ix s2^2 s3^2 + Iy c2^2 s3^2 + Iz c3^2, Iz c3, (Ix - Iy) s2 c2 s3],
             [Iz c3, Iz, 0], [(Ix - Iy) s2 c2 s3, 0, Ix c2^2 + Iy s2^2]]
        """,
        body,
        vv.catalog.euler_body(),
        shorthand=True,
    )
    assert (
        sympy.simplify(vv.pencil.where_singular(body) - sympy.sympify("Ix*Iy*Iz*sin(q3)**2")) == 0
    )


def test_S21_a_body_that_tumbles_by_eulers_equations_alone():
    """(10.43) and (10.45) with τ = 0, integrated as they stand, and the catalog's run."""
    entry = vv.catalog.tumbling_body()
    moments = np.array([1.0, 2.0, 3.0])
    spin = np.array([0.01, 1.0, 0.02])
    t = np.linspace(0.0, 12.0, 25)
    run = entry.simulate(entry.neutral(), spin, t, rtol=1e-12, atol=1e-14)
    flat = vv.Lagrangian(
        "a b c", "(a'^2 + b'^2 + c'^2)/2",  # rates a', b', c' are ωx, ωy, ωz
        forces=["-(3 - 2)*b'*c'", "-(1 - 3)*a'*c'/2", "-(2 - 1)*a'*b'/3"],
    ).simulate([0, 0, 0], spin, t, rtol=1e-12, atol=1e-14)  # fmt: skip
    close(run.v, flat.v, 1e-9)
    for q, w in zip(run.q, run.v, strict=True):
        close(vv.space.rotations.quaternion_matrix(q) @ (moments * w), moments * spin, 1e-9)
    b = vv.Builder("free body", gravity=[0, 0, 0], parameters={"Ix": 1.0, "Iy": 2.0, "Iz": 3.0})
    p = b.parameters
    tensor = np.diag([p["Ix"], p["Iy"], p["Iz"]])
    b.body("body", joint="spherical", joint_name="b", inertia=vv.Inertia(1.0, [0, 0, 0], tensor))
    prove(
        """
        tau1 = Ix b_wxdd + (Iz - Iy) b_wyd b_wzd
        tau2 = Iy b_wydd + (Ix - Iz) b_wxd b_wzd
        tau3 = Iz b_wzdd + (Iy - Ix) b_wxd b_wyd
        """,
        b.build(),
    )


# ---- the slides on rigid bodies: energies, frames that turn


def test_S32_both_energies_from_the_law_of_the_momentum():
    """h(v) = m v/√(1 - v²/c²) put into C* = ∫ h · dv and C = ∫ v · dh."""
    m, c, v = symbols("m c v", positive=True)
    root = sympy.sqrt(1 - v**2 / c**2)
    law = m * v / root
    found = vv.pencil.co_energy(law, v), vv.pencil.energy(law, v)
    wanted = m * c**2 * (1 - root), m * c**2 * (1 / root - 1)
    for x, y in zip(found, wanted, strict=True):
        for speed in (sympy.Rational(4, 5), sympy.Rational(3, 5), sympy.Rational(5, 13)):
            assert sympy.simplify((x - y).subs({v: speed, c: 1})) == 0
    assert sympy.simplify(vv.pencil.relativistic_co_energy(m, c, v) - wanted[0]) == 0
    assert sympy.simplify(wanted[0].diff(v) - law) == 0
    assert sympy.simplify(wanted[1].diff(v) - v * law.diff(v)) == 0
    flat = vv.Lagrangian("x", "m*c^2*(1 - sqrt(1 - x'^2/c^2))", parameters="m c", name="particle")
    prove("p1 = m x'/sqrt(1 - x'^2/c^2)", flat)
    prove("p1 = m x'/sqrt(1 - (x'^2 + y'^2 + z'^2)/c^2)", vv.catalog.relativistic_particle())


def test_S33_positions_in_a_frame_that_turns():
    """r(q, t) = R(W t) q: the time cancels, and all three parts of (63) are found."""
    turned = {"X": "x*cos(W*t) - y*sin(W*t)", "Y": "x*sin(W*t) + y*cos(W*t)"}
    fixed = vv.Lagrangian("X Y", "m*(X'^2 + Y'^2)/2", "kappa*(X^2 + Y^2)/2", parameters="m W kappa")
    stated, entry = fixed.in_coordinates("x y", turned), vv.catalog.rotating_frame_particle()
    prove(
        """
        tau1 = m x'' - 2 m W y' - m W^2 x + kappa x
        tau2 = m y'' + 2 m W x' - m W^2 y + kappa y
        L = m ((x' - W y)^2 + (y' + W x)^2)/2 - kappa (x^2 + y^2)/2
        """,
        stated,
        entry,
    )
    m, W, x, y, xd, yd = symbols("m W x y xd yd")
    wanted = {
        "alpha": m * sympy.eye(2),
        "beta": m * W * Matrix([-y, x]),
        "gamma": m * W**2 * (x**2 + y**2) / 2,
        "C2": m * (xd**2 + yd**2) / 2,
        "C1": m * W * (x * yd - y * xd),
        "C0": m * W**2 * (x**2 + y**2) / 2,
    }
    for system in (stated, entry):
        parts = vv.pencil.kinetic_parts(system)
        for name, value in wanted.items():
            gap = Matrix([getattr(parts, name)]) - Matrix([value])
            assert gap.applyfunc(sympy.expand).is_zero_matrix, name
        assert not vv.pencil.kind(system).explicit_time
        for row in system.closed_form().equations:  # no sin² + cos² is left, no time
            assert not row.atoms(sympy.sin, sympy.cos)
            assert not row.has(sympy.Symbol("t"))


def test_S34_gravity_against_what_turning_adds():
    """Positions in axes that turn: -C0 + P is stationary where ω² = G M/r³."""
    fixed = vv.Lagrangian("X Y", "m*(X'^2 + Y'^2)/2", "-G*M*m/sqrt(X^2 + Y^2)",
                          parameters="G M m omega")  # fmt: skip
    turned = {"X": "r*cos(omega*t)", "Y": "r*sin(omega*t)"}
    satellite = fixed.in_coordinates("r", turned)
    (row,) = satellite.closed_form().equations
    r, rdd, omega, G, M, m = symbols("r rdd omega G M m", positive=True)
    row = row.subs({sympy.Symbol(s.name): s for s in (r, rdd, omega, G, M, m)})
    assert sympy.simplify(row - (m * rdd - m * omega**2 * r + G * M * m / r**2)) == 0
    parts = vv.pencil.kinetic_parts(satellite)
    assert sympy.simplify(parts.C0 - sympy.sympify("m*omega**2*r**2/2")) == 0


def test_S35_linear_spring_from_its_law():
    """(71), (74), (76) to (78): f = k e as a vector, both energies, and what holds a mass."""
    k = sympy.Symbol("k", positive=True)
    e, f = symbols("e1:4", real=True), symbols("f1:4", real=True)
    spring = vv.pencil.spring(k * sympy.eye(3), e)
    assert list(spring.force) == [k * x for x in e]
    P = k * sum(x**2 for x in e) / 2  # ½ k ‖e‖²
    assert sympy.expand(spring.potential - P) == 0
    assert sympy.expand(vv.pencil.potential([-x for x in spring.force], e) - P) == 0  # -∫ f · dr
    co = vv.pencil.legendre(P, e, f)
    assert sympy.expand(co - sum(x**2 for x in f) / (2 * k)) == 0
    pulled = dict(zip(f, spring.force, strict=True))
    assert sympy.expand(co.subs(pulled) - P) == 0  # equal where f = k e …
    power = sum(x * y for x, y in zip(spring.force, e, strict=True))
    assert sympy.expand(P + co.subs(pulled) - power) == 0  # … and both fill f · e
    hung = vv.Builder("mass on a spring", gravity=[0, 0, 0], parameters={"m": 1.3, "k": 30.0})
    hung.body("mass", joint="prismatic", joint_name="e", axis="x", mass=hung.parameters["m"])
    body = hung.spring("spring", hung.parameters["k"], joint="e").build()
    flat = vv.Lagrangian("e", "m*e'^2/2", "k*e^2/2", parameters="m k", name="mass on a spring")
    prove("tau1 = m e'' + k e\nV = k e^2/2", body, flat)
    assert body.potential_energy([0.2]) == pytest.approx(0.6, abs=1e-15)


def test_S36_torsion_spring_from_its_law():
    """(72), (75), (79), (80), with the stiffness of torsion where the print has the other one."""
    k, delta, tau = symbols("k delta tau", positive=True)
    P = vv.pencil.potential([-k * delta], [delta])
    assert k * delta**2 / 2 == P
    assert vv.pencil.legendre(P, delta, tau) == tau**2 / (2 * k)
    b = vv.Builder("bar", gravity=[0, 0, 0], parameters={"J": 0.2, "k": 5.0})
    p = b.parameters
    tensor = np.diag([p["J"]] * 3)
    b.body("bar", joint="revolute", joint_name="delta", inertia=vv.Inertia(1.0, [0, 0, 0], tensor))
    prove(
        "tau1 = J delta'' + k delta\nV = k delta^2/2", b.spring("s", p["k"], joint="delta").build()
    )


CYLINDER = {"X": "x*cos(theta)", "Y": "x*sin(theta)", "Z": "z"}  # x cθ, x sθ, z of slide 48


def test_S41_bead_by_its_positions():
    """p0 = (x cos Ωt, x sin Ωt, k x²): one coordinate is left, and no time."""
    free = vv.Lagrangian("X Y Z", FREE, "m*g*Z", parameters="m g k Omega")
    where = {"X": "x*cos(Omega*t)", "Y": "x*sin(Omega*t)", "Z": "k*x^2"}
    stated, entry = free.in_coordinates("x", where), vv.catalog.bead_on_rotating_wire()
    prove("m ((1 + 4 k^2 x^2) x'' + 4 k^2 x x'^2 - Omega^2 x + 2 g k x) = tau1", stated, entry)
    prove("T = m (x'^2 (1 + 4 k^2 x^2) + Omega^2 x^2)/2\nV = m g k x^2", stated, entry)
    for system in (stated, entry):
        (row,) = system.closed_form().equations
        assert not row.atoms(sympy.sin, sympy.cos)
        assert not row.has(sympy.Symbol("t"))
        h = vv.pencil.formula(system, "jacobi_integral")
        known = "m*(xd**2*(1 + 4*k**2*x**2) - Omega**2*x**2)/2 + m*g*k*x**2"
        assert sympy.expand(h - sympy.sympify(known)) == 0


def test_S41_bead_with_both_constraints_by_its_positions():
    """q = (x, z, θ): λ1 of the wire, λ2 of the motor, and the power of the motor alone."""
    free = vv.Lagrangian("X Y Z", FREE, "m*g*Z", parameters="m g k Omega")
    round_about = free.in_coordinates("x z theta", CYLINDER)
    bead = vv.Lagrangian(
        round_about.coordinates,
        round_about.kinetic,
        round_about.potential,
        constraints=["z - k*x^2", "theta - Omega*t"],
        parameters="m g k Omega",
        passive="x z theta",
        name="bead",
    )
    claims = """
        m (x'' - x theta'^2) = -2 k x lambda1
        m z'' + m g = lambda1
        m (x^2 theta'' + 2 x x' theta') = lambda2
        lambda1 = m (g + 2 k x'^2 + 2 k Omega^2 x^2)/(1 + 4 k^2 x^2)
        lambda2 = 2 m x x' Omega
        A = [[-2 k x, 1, 0], [0, 0, 1]]
        a0 = [0, -Omega]
        """
    prove(claims, bead)
    driven = vv.catalog.bead_on_rotating_wire(constrained=True)
    prove(claims, driven.with_passive("x z theta"))


def test_S41_lateral_force_of_the_wire():
    """The constraint that the document does not mention, y1 = 0: its force is 2 m x' Ω."""
    turned = {"X": "x*cos(Omega*t) - y*sin(Omega*t)", "Y": "x*sin(Omega*t) + y*cos(Omega*t)"}
    free = vv.Lagrangian("X Y Z", FREE, "m*g*Z", parameters="m g k Omega")
    s = free.in_coordinates("x y z", {**turned, "Z": "z"})
    held = vv.Lagrangian(
        s.coordinates, s.kinetic, s.potential, constraints=["z - k*x^2", "y"],
        parameters="m g k Omega", passive="x y z", name="bead on a wire",
    )  # fmt: skip
    prove(
        """
        lambda1 = m (g + 2 k x'^2 + 2 k Omega^2 x^2)/(1 + 4 k^2 x^2)
        lambda2 = 2 m x' Omega
        """,
        held,
    )


# ---- the slides on arms: tables, and formulas of where the end is


def planar(*lengths, **more):
    """Revolute joints in a plane by their table: theta_i, and l_i along x."""
    rows = [(f"l{k}", 0, 0, f"theta{k}") for k in range(1, len(lengths) + 1)]
    values = {f"l{k}": x for k, x in enumerate(lengths, 1)}
    return vv.from_dh(rows, convention="standard", joints="R" * len(rows), parameters=values,
                      name="planar arm", **more)  # fmt: skip


def test_S45_planar_3r_as_printed():
    """Line 116 by a table of three rows; the angles of lines 181 to 207 reach the end."""
    arm, entry = planar(1.0, 0.8, 0.5), vv.catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5)
    where = position(
        "l1 cos(theta1) + l2 cos(theta1 + theta2) + l3 cos(theta1 + theta2 + theta3)",
        "l1 sin(theta1) + l2 sin(theta1 + theta2) + l3 sin(theta1 + theta2 + theta3)",
    )
    prove(where, arm, entry, frame="tool")
    l1, l2, l3 = 1.0, 0.8, 0.5
    x, y, turn = 1.80024614, 1.25101823, 0.6
    xw, yw = x - l3 * np.cos(turn), y - l3 * np.sin(turn)
    r = np.hypot(xw, yw)
    beta = np.arccos((l1**2 + l2**2 - r**2) / (2 * l1 * l2))
    gamma = np.arccos((r**2 + l1**2 - l2**2) / (2 * l1 * r))
    first, second = np.arctan2(yw, xw) - gamma, np.pi - beta  # atan2, where the print has tan⁻¹
    branches = [
        [first, second, turn - first - second],
        [first + 2 * gamma, -second, turn - first + second - 2 * gamma],
    ]
    close(branches, [[0.3, 0.7, -0.4], [0.91892699, -0.7, 0.38107301]], 5e-8)
    for made in (arm, entry):
        found = made.inverse_kinematics("tool", (x, y, turn), all=True)
        assert found.complete
        close(found.q, branches, 1e-12)
        det = made.singularities("tool").determinant
        assert sympy.simplify(det - sympy.sympify("l1*l2*sin(theta2)")) == 0


def test_S46_planar_rpr_as_printed():
    """Line 124: a turn, a slide along x, a turn; its Jacobian and both ways to a pose."""
    b = vv.Builder("RPR arm", parameters={"l3": 0.5})
    b.body("link1", joint="revolute", joint_name="theta1", mass=1.0)
    b.body("link2", parent="link1", joint="prismatic", joint_name="d", axis="x", mass=1.0)
    b.body("link3", parent="link2", joint="revolute", joint_name="theta3", mass=1.0)
    arm, entry = with_tool(b, "link3", [b.parameters["l3"], 0, 0]), vv.catalog.rpr_arm(l3=0.5)
    where = position(
        "d cos(theta1) + l3 cos(theta1 + theta3)", "d sin(theta1) + l3 sin(theta1 + theta3)"
    )
    prove(where, arm, entry, frame="tool")
    x, y, turn = 1.1, 0.4, 0.7
    w = np.array([x - 0.5 * np.cos(turn), y - 0.5 * np.sin(turn)])
    ways = []
    for sign in (1.0, -1.0):
        theta = np.arctan2(sign * w[1], sign * w[0])
        ways.append([theta, sign * np.linalg.norm(w), np.angle(np.exp(1j * (turn - theta)))])
    for made in (arm, entry):
        found = made.inverse_kinematics("tool", (x, y, turn), all=True, limits=False)
        close(found.q, sorted(ways), 1e-12)
        assert sympy.simplify(made.singularities("tool").determinant + sympy.Symbol("d")) == 0


def test_S49_planar_2r_as_printed():
    """J, its inverse and both rates of lines 231 to 265, of a table of two rows."""
    arm = planar(1.0, 0.8)
    prove(
        position(
            "l1 cos(theta1) + l2 cos(theta1 + theta2)", "l1 sin(theta1) + l2 sin(theta1 + theta2)"
        ),
        arm,
        frame="tool",
    )
    J = arm.closed_form().task_jacobian("tool", "x y")
    t1, t2, l1, l2, vx, vy = symbols("theta1 theta2 l1 l2 v_x v_y")
    c1, s1, c12, s12 = cos(t1), sin(t1), cos(t1 + t2), sin(t1 + t2)
    printed = Matrix([[-l1 * s1 - l2 * s12, -l2 * s12], [l1 * c1 + l2 * c12, l2 * c12]])
    inverse = Matrix([[l2 * c12, l2 * s12], [-l1 * c1 - l2 * c12, -l1 * s1 - l2 * s12]])
    inverse /= l1 * l2 * sin(t2)
    rates = [
        (vx * c12 + vy * s12) / (l1 * sin(t2)),
        -(vx * (l1 * c1 + l2 * c12) + vy * (l1 * s1 + l2 * s12)) / (l1 * l2 * sin(t2)),
    ]
    gaps = [
        *(J - printed),
        *(J * inverse - sympy.eye(2)),
        *(inverse * Matrix([vx, vy]) - Matrix(rates)),
    ]
    assert all(sympy.simplify(x) == 0 for x in gaps)
    at = {t1: 0.3, t2: 0.7, l1: 1.0, l2: 0.8, vx: 0.1, vy: 0.2}
    close([float(x.subs(at)) for x in rates], [0.34510761, -0.64515698], 5e-9)
    found = vv.catalog.two_link(L1=1.0, L2=0.8).joint_rates(
        "tool", [0.3, 0.7], [0.1, 0.2], task="x y"
    )
    close(found.v, [0.34510761, -0.64515698], 5e-9)


def test_S50_spatial_arm_as_printed():
    """Lines 273 and 283 of a table with one quarter turn; four ways to a point."""
    rows = [(0, np.pi / 2, 0, "theta1"), ("l1", 0, 0, "theta2"), ("l2", 0, 0, "theta3")]
    arm = vv.from_dh(rows, convention="standard", joints="RRR", parameters={"l1": 0.6, "l2": 0.4})
    entry = vv.catalog.spatial_3r(l1=0.6, l2=0.4)
    where = position(
        "(l1 cos(theta2) + l2 cos(theta2 + theta3)) cos(theta1)",
        "(l1 cos(theta2) + l2 cos(theta2 + theta3)) sin(theta1)",
        "l1 sin(theta2) + l2 sin(theta2 + theta3)",
    )
    prove(where, arm, entry, frame="tool")
    p = [0.57888516, 0.31624641, 0.61907428]
    known = [
        (0.5, 0.4, 0.9),
        (0.5, 1.10737579, -0.9),
        (-2.64159265, 2.03421687, 0.9),
        (-2.64159265, 2.74159265, -0.9),
    ]
    found = [x.inverse_kinematics("tool", p, task="position", all=True).q for x in (arm, entry)]
    close(found[0], found[1], 1e-12)
    close(found[0], sorted(known), 5e-8)


def test_S51_seven_joints_by_a_table():
    """Three turns at the shoulder, one at the elbow, three at the wrist: one motion too many."""
    quarter = np.pi / 2
    shoulder = [(0, -quarter, 0, 0), (0, quarter, 0, 0), (0, -quarter, 0.3, 0)]
    elbow, wrist = (0, quarter, 0, 0), [(0, -quarter, 0.26, 0), (0, quarter, 0, 0), (0, 0, 0.1, 0)]
    rows = [*shoulder, elbow, *wrist]
    arm = vv.from_dh(rows, convention="standard", joints="R" * 7, name="human arm")
    q = np.array([0.5, 0.3, 0.2, 1.0, 0.1, 0.4, 0.2])
    twist = np.array([0.1, -0.2, 0.3, 0.2, 0.1, -0.4])
    for made in (arm, vv.catalog.human_arm()):
        found = made.joint_rates("tool", q, twist)
        J = made.jacobian("tool")(q)
        assert (found.rank, found.nullity) == (6, 1)
        close(J @ found.null_space, np.zeros((6, 1)), 1e-14)
        close(J @ found.v, twist, 1e-12)
        fore = made.jacobian(made.body_names[4])(q) @ found.null_space
        assert np.abs(fore).max() > 0.02  # the elbow moves, the hand does not


def test_S53_forces_at_the_end_by_virtual_work():
    """τ = Jᵀ F of lines 363 to 381: -F acts on the arm at the printed end point."""
    F = symbols("F1 F2")
    tip = ["l1*cos(q1) + l2*cos(q1 + q2)", "l1*sin(q1) + l2*sin(q1 + q2)"]
    loaded = vv.Lagrangian(
        "q1 q2", "(q1'^2 + q2'^2)/2", parameters="l1 l2 F1 F2",
        forces=vv.Lagrangian.point_force(tip, [-F[0], -F[1]]),
    )  # fmt: skip
    q1, q2, l1, l2 = symbols("q1 q2 l1 l2")
    printed = Matrix(
        [
            [-l1 * sin(q1) - l2 * sin(q1 + q2), l1 * cos(q1) + l2 * cos(q1 + q2)],
            [-l2 * sin(q1 + q2), l2 * cos(q1 + q2)],
        ]
    )
    torques = printed * Matrix(F)
    assert (Matrix(loaded.forces) + torques).applyfunc(sympy.expand).is_zero_matrix
    at = {q1: 0.3, q2: 0.7, l1: 1.0, l2: 0.8, F[0]: 2.0, F[1]: -3.0}
    wanted = [-6.10012899, -2.64307911]
    close([float(x.subs(at)) for x in torques], wanted, 5e-9)
    arm = planar(1.0, 0.8, gravity=(0.0, 0.0, 0.0))
    close(arm.statics([0.3, 0.7], {"tool": {"force": [2.0, -3.0, 0.0]}}).torques, wanted, 5e-9)


def links(name, parameters=(), **bodies):
    """A chain: joint, axis and place on the body before, by the name of the coordinate."""
    b, before = vv.Builder(name, parameters=dict(parameters)), ""
    for k, (coordinate, (joint, axis, at)) in enumerate(bodies.items(), 1):
        at = [b.parameters.get(x, 0.0) if isinstance(x, str) else x for x in at]
        b.body(f"link{k}", parent=before, joint=joint, axis=axis, joint_name=coordinate, at=at,
               mass=1.0)  # fmt: skip
        before = f"link{k}"
    return b, before


HERE = (0, 0, 0)
CLASSES = {  # joints as the slides count them; where the tool is; |det J|
    "cartesian": (
        {axis: ("prismatic", axis, HERE) for axis in "xyz"},
        {}, HERE, ("x", "y", "z"), "1",
    ),
    "cylindrical": (
        {"theta": ("revolute", "z", HERE), "z": ("prismatic", "z", HERE),
         "r": ("prismatic", "x", HERE)},
        {}, HERE, ("r*cos(theta)", "r*sin(theta)", "z"), "r",
    ),
    "spherical": (
        {"theta": ("revolute", "z", HERE), "phi": ("revolute", "-y", HERE),
         "r": ("prismatic", "x", HERE)},
        {}, HERE, ("r*cos(phi)*cos(theta)", "r*cos(phi)*sin(theta)", "r*sin(phi)"),
        "r**2*cos(phi)",
    ),
    "scara": (
        {"theta1": ("revolute", "z", HERE), "theta2": ("revolute", "z", ("a1", 0, 0)),
         "d": ("prismatic", "z", ("a2", 0, 0))},
        {"a1": 0.45, "a2": 0.25}, HERE,
        ("a1*cos(theta1) + a2*cos(theta1 + theta2)",
         "a1*sin(theta1) + a2*sin(theta1 + theta2)", "d"),
        "a1*a2*sin(theta2)",
    ),
    "articulated": (
        {"theta1": ("revolute", "z", (0, 0, "h")), "theta2": ("revolute", "-y", HERE),
         "theta3": ("revolute", "-y", ("l1", 0, 0))},
        {"h": 0.5, "l1": 0.6, "l2": 0.4}, ("l2", 0, 0),
        ("(l1*cos(theta2) + l2*cos(theta2 + theta3))*cos(theta1)",
         "(l1*cos(theta2) + l2*cos(theta2 + theta3))*sin(theta1)",
         "h + l1*sin(theta2) + l2*sin(theta2 + theta3)"),
        "l1*l2*sin(theta3)*(l1*cos(theta2) + l2*cos(theta2 + theta3))",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CLASSES)
def test_S59_S60_S61_S62_S63_C83_classes_of_robots_by_their_joints(name):
    """Built from the joints that the slides count, and from the template with other sizes."""
    joints, sizes, tool, where, determinant = CLASSES[name]
    b, last = links(name, sizes, **joints)
    arm = with_tool(b, last, [b.parameters.get(x, 0.0) if isinstance(x, str) else x for x in tool])
    entry = getattr(vv.catalog, name)(**sizes)
    assert {k: entry.parameters[k] for k in sizes} == sizes
    for made in (arm, entry):
        there = made.closed_form().task("tool", "position")
        gaps = [sympy.expand_trig(x - sympy.sympify(y)) for x, y in zip(there, where, strict=True)]
        assert not any(map(sympy.simplify, gaps))
        found = made.singularities("tool").determinant
        known = sympy.sympify(determinant)
        assert 0 in (sympy.simplify(found - known), sympy.simplify(found + known))
        mobility = made.mobility()
        assert (mobility.counted, mobility.true) == (3, 3)


def test_S64_C83_platform_by_the_corners_of_its_base_and_of_its_top():
    """Six lengths from a pose, their rates by rows (R bᵢ × uᵢ, uᵢ), and the pose from lengths."""
    model = vv.catalog.stewart()
    still = model.neutral()
    a, b = (np.array([model.frame_pose(f"{s}{k}", still).p for k in range(1, 7)], dtype=float)
            for s in "ab")  # fmt: skip
    R, p = vv.space.rotations.exp(np.array([0.15, 0.0, 0.2])), np.array([0.07, -0.05, 0.95])
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = R, p
    arms = b @ R.T
    lengths = np.linalg.norm(p + arms - a, axis=1)
    u = (p + arms - a) / lengths[:, None]
    close(vv.parallel.leg_lengths(a, b, pose), lengths, 1e-14)
    rows = np.hstack([np.cross(arms, u), u])  # [R b × u, u] for (ω, v)
    close(vv.parallel.leg_jacobian(a, b, pose), rows, 1e-14)
    found = vv.parallel.platform_poses(a, b, lengths)
    assert min(np.abs(x - pose).max() for x in found.poses) < 1e-9
    links, joints = 14, 18
    assert 6 * (links - 1 - joints) + 36 == model.mobility(model.keyframes["assembled"]).true == 6


# ---- the homework


def test_S67_craig_6_5_by_its_table():
    """The table of the solution, link by link, with M1 and M2 at the ends and gravity along -Z0."""
    values = {"L1": 0.5, "L2": 0.4, "M1": 2.0, "M2": 1.5, "V1": 0.1, "V2": 0.2, "g": 9.81}
    b = vv.Builder("table of Craig", parameters=values)  # its symbols
    p = b.parameters
    rows = [  # α, a, d, θ as Craig prints them
        {"alpha": 0, "a": 0, "d": 0, "theta": "theta1"},
        {"alpha": np.pi / 2, "a": "L1", "d": 0, "theta": "theta2"},
    ]
    arm = vv.from_dh(
        rows,
        convention="modified",
        joints="RR",
        inertias=[vv.Inertia.point(p[f"M{k}"], [p[f"L{k}"], 0, 0]) for k in (1, 2)],
        gravity=(0, 0, -p["g"]),
        parameters=values,
        details=[{"damping": p["V1"]}, {"damping": p["V2"]}],
        name="by its table",
    )
    prove(
        """
        R = L1 + L2 cos(theta2)
        tau1 = (M1 L1^2 + M2 R^2) theta1'' - 2 R M2 L2 sin(theta2) theta1' theta2' + V1 theta1'
        tau2 = M2 L2^2 theta2'' + R M2 L2 sin(theta2) theta1'^2 + M2 g L2 cos(theta2) + V2 theta2'
        """,
        arm,
        vv.catalog.craig_6_5(),
    )
