"""Steps of derivations: quantities on both sides, derivatives, values of coordinates.

Right claims and wrong ones beside each other, about six mechanisms, in three spellings. For some
the truth is derived here, by SymPy from the energies alone.
"""

import pytest
import sympy

import visviva as vv
from visviva.errors import VisvivaError

ARM = vv.catalog.two_link()
CART = vv.catalog.cart_pole()
BALL = vv.catalog.spherical_pendulum()
RP = vv.catalog.rp_arm()
SWING = vv.Lagrangian("theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters="m l g")
KEPLER = vv.Lagrangian("r theta", "m*(r'^2 + r^2*theta'^2)/2", "-k/r", parameters="m k")
SPRING = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", "c*x'^2/2", parameters="m k c")

SPONG = "d11 q1'' + d12 q2'' + c121 q1' q2' + c211 q2' q1' + c221 q2'^2 + g1 = tau1"
SPONG = f"c_ijk = Gamma_kij; {SPONG}"  # other books count c_ijk otherwise
PAIRS = [  # right, wrong
    (ARM, "L = T - V", "L = T + V"),
    (ARM, "E = T + V", "E = T - V"),
    (ARM, "H = p1 q1' + p2 q2' - L", "H = p1 q1' + p2 q2' + L"),
    (ARM, "p1 = M11 q1' + M12 q2'", "p1 = M11 q1' + M22 q2'"),
    (ARM, r"p_1 = M_{11} \dot q_1 + M_{12} \dot q_2", r"p_1 = M_{11} \dot q_1 - M_{12} \dot q_2"),
    (ARM, "K = 1/2 q'^T M q'", "K = q'^T M q'"),
    (ARM, r"K = \frac{1}{2} \dot q^T D(q) \dot q", r"K = \frac{1}{4} \dot q^T D(q) \dot q"),
    (ARM, SPONG, SPONG.replace("+ c211 q2' q1' ", "")),
    (ARM, "M q'' + C q' + g = tau", "M q'' + C q' - g = tau"),
    (ARM, r"M(q)\ddot q + C(q,\dot q)\dot q + g(q) = \tau", r"M(q)\ddot q + g(q) = \tau"),
    (ARM, "H q'' + C q' + g = tau", "H q'' + 2 C q' + g = tau"),
    (ARM, "tau1 = M11 q1'' + M12 q2'' + C11 q1' + C12 q2' + g1", "tau1 = M11 q1'' + g1 + C11 q1'"),
    (ARM, "M = M^T", "M = 2 M^T"),
    (ARM, "M12 = M21", "M11 = M22"),
    (ARM, r"\dot M - 2C = -(\dot M - 2C)^T", r"\dot M - C = -(\dot M - C)^T"),
    (ARM, r"\dot M = C + C^T", r"\dot M = 2 C"),
    (ARM, "det M = M11 M22 - M12^2", "det M = M11 M22 + M12^2"),
    (ARM, "M^{-1} = [[M22, -M12], [-M12, M11]]/det(M)", "M^{-1} = [[M22, M12], [M12, M11]]/det(M)"),
    (ARM, "dM11/dq2 = -2 m2 L1 r2 sin(q2)", "dM11/dq2 = -m2 L1 r2 sin(q2)"),
    (ARM, r"\frac{\partial M_{12}}{\partial q_2} = -m_2 L_1 r_2 \sin q_2",
     r"\frac{\partial M_{12}}{\partial q_1} = -m_2 L_1 r_2 \sin q_2"),
    (ARM, "∂L/∂q1' = p1", "∂L/∂q1' = p2"),
    (ARM, "d/dt(∂L/∂q1') - ∂L/∂q1 = tau1", "d/dt(∂L/∂q1') + ∂L/∂q1 = tau1"),
    (ARM, r"\frac{d}{dt}\frac{\partial L}{\partial \dot q} - \frac{\partial L}{\partial q} = \tau",
     r"\frac{d}{dt}\frac{\partial T}{\partial \dot q} - \frac{\partial T}{\partial q} = \tau"),
    (ARM, "g = ∂V/∂q", "g = -∂V/∂q"),
    (ARM, "M = ∂²T/∂q'²", "M = 2 ∂²T/∂q'²"),
    (ARM, "Gamma112 = 1/2 dM11/dq2", "Gamma112 = dM11/dq2"),
    (ARM, "dE/dt = tau1 q1' + tau2 q2'", "dE/dt = tau1 q1' - tau2 q2'"),
    (SWING, "H = p_theta theta' - L", "H = p_theta theta' + L"),
    (SWING, r"\frac{\partial T}{\partial\theta} = 0", r"\frac{\partial V}{\partial\theta} = 0"),
    (SWING, "∂V/∂θ = m g l sin θ", "∂V/∂θ = -m g l sin θ"),
    (SWING, "dV/dtheta = m g l sin(theta)", "dV/dtheta = m g l cos(theta)"),
    (SWING, "d/dt(∂L/∂θ') = m l^2 θ''", "d/dt(∂L/∂θ') = 2 m l^2 θ''"),
    (SWING, "d/dt(∂L/∂θ') - ∂L/∂θ = 0", "d/dt(∂L/∂θ') + ∂L/∂θ = 0"),
    (SWING, "d/dt(∂L/∂θ') - ∂L/∂θ = Q", "d/dt(∂T/∂θ') = Q"),
    (SWING, r"\dot p_\theta = -m g l \sin\theta", r"\dot p_\theta = m g l \sin\theta"),
    (SWING, "x = l sin θ; y = -l cos θ; T = m(x'^2+y'^2)/2", "x = l sin θ; T = m x'^2/2"),
    (KEPLER, r"\frac{d}{dt}(m r^2\dot\theta) = 0", r"\frac{d}{dt}(m r\dot\theta) = 0"),
    (KEPLER, r"\frac{d}{dt}(m r^2\dot\theta) = 2 m r\dot r\dot\theta + m r^2\ddot\theta",
     r"\frac{d}{dt}(m r^2\dot\theta) = m r^2\ddot\theta"),
    (KEPLER, "h = r^2 theta'; dh/dt = 0", "h = r theta'; dh/dt = 0"),
    (KEPLER, "M_{θθ} = m r^2", "M_{θθ} = m r"),
    (KEPLER, r"\Gamma_{r\theta\theta} = -m r", r"\Gamma_{r\theta\theta} = m r"),
    (KEPLER, "Γ_{rθθ} = -1/2 ∂M_{θθ}/∂r", "Γ_{rθθ} = ∂M_{θθ}/∂r"),
    (KEPLER, "Q_r = m r'' - m r theta'^2 + k/r^2", "Q_r = m r'' + k/r^2"),
    (KEPLER, "F_r = m r'' - m r theta'^2 + k/r^2", "F_r = m r'' - m r theta'^2 - k/r^2"),
    (KEPLER, "p_r = ∂L/∂r'", "p_r = ∂L/∂theta'"),
    (KEPLER, "m r'' = p_theta^2/(m r^3) - k/r^2", "m r'' = p_theta^2/(m r^2) - k/r^2"),
    (CART, "∂L/∂x' = (M + m) x' + m l θ' cos θ", "∂L/∂x' = M x' + m l θ' cos θ"),
    (CART, "d/dt(∂L/∂x') - ∂L/∂x = F", "d/dt(∂L/∂x') - ∂L/∂x = 2 F"),
    (CART, "M(q) q'' + C(q, q') q' + g(q) = tau", "M(q) q'' + C(q, q') q' = tau"),
    (BALL, r"\dot p_\phi = 0", r"\dot p_\theta = 0"),
    (RP, "tau1 = d/dt(∂L/∂q1') - ∂L/∂q1", "tau1 = d/dt(∂L/∂q1')"),
    (SPRING, "dE/dt = -c x'^2", "dE/dt = -2 c x'^2"),
    (SPRING, r"\dot E = -c \dot x^2", r"\dot E = 0"),
]  # fmt: skip


OF_RATES = {  # rates say nothing of forces: those that a claim leaves out
    r"\dot p_\theta = -m g l \sin\theta": "τ₁ = 0",
    r"\frac{d}{dt}(m r^2\dot\theta) = 0": "τ₂ = 0",
    "h = r^2 theta'; dh/dt = 0": "τ₂ = 0",
    r"\dot p_\phi = 0": "τ₂ = 0",
    "dE/dt = -c x'^2": "τ₁ = 0",
    r"\dot E = -c \dot x^2": "τ₁ = 0",
}


@pytest.mark.spread(20)
@pytest.mark.parametrize(("system", "right", "wrong"), PAIRS, ids=[x[1] for x in PAIRS])
def test_a_right_step_is_identical_and_a_wrong_one_differs(system, right, wrong):
    where = OF_RATES.get(right, "")
    verdict = system.check(right)
    assert (verdict.status, verdict.where) == (f"identical{' if' * bool(where)}", where), verdict
    assert system.check(right, assume=where).is_identical
    assert system.check(wrong).status == "differs"


@pytest.mark.parametrize(
    "claim",
    ["M22 = M22", "M22 = M22 + 0", "L = L", "2 T = T + T", "M22 - M22 = 0", "M = M",
     "∂L/∂q1 = ∂L/∂q1", "M = [[M11, M12], [M21, M22]]", "0*E = const",
     "E - E = const", "5 = const", "0 = const", "(M22^2 + M22)/(M22 + 1) = M22"],
)  # fmt: skip
def test_what_is_true_whatever_the_quantities_are_is_refused(claim):
    with pytest.raises(VisvivaError, match="says nothing"):
        ARM.check(claim)
    with pytest.raises(VisvivaError, match="says nothing"):
        SWING.check("L = L")


def test_what_relates_quantities_is_told_from_a_formula():
    verdict = ARM.check("L = T - V")
    assert verdict.relates
    assert verdict.notes[0] == "T, V stand for the mechanism's own"
    assert "no formula for the Lagrangian" in verdict.notes[1]
    relations = ("d/dt(∂L/∂q1') - ∂L/∂q1 = tau1", "M12 = M21", "M q'' + C q' + g = tau")
    assert all(ARM.check(x).relates for x in relations)
    formulas = ("∂T/∂q1 = 0", "dM11/dq2 = -2 m2 L1 r2 sin(q2)", "M22 = I2 + m2 r2^2")
    assert not any(ARM.check(x).relates for x in formulas)
    assert KEPLER.check("d/dt(m r^2) = 2 m r r'").relates  # calculus, and nothing of the mechanism


def test_rates_along_motions_leave_forces_as_conditions():
    verdict = ARM.check("dE/dt = 0")
    assert verdict.status == "identical if"
    assert [str(x.lhs) for x in verdict.conditions] == ["tau1", "tau2"]
    assert any("along motions" in x for x in verdict.notes)
    assert ARM.check("tau1 = 0; tau2 = 0; dE/dt = 0").is_identical
    assert ARM.check("dE/dt = tau1 q1'").where == "τ₂ = 0"


def test_values_of_coordinates_are_conditions():
    verdict = ARM.check("q2 = pi/2; M12 = I2 + m2 r2^2")
    assert (verdict.status, verdict.where) == ("identical if", "q₂ = 1/2 π")
    assert verdict.says_conditions
    assert verdict.conditions == (sympy.Eq(sympy.Symbol("q2"), sympy.pi / 2),)
    assert ARM.check("theta2 = 0; M12 = I2 + m2 r2^2 + m2 L1 r2").where == "q₂ = 0"
    assert ARM.check("q2 = pi/2; M12 = I2").status == "differs"
    assert ARM.check("q1' = 0; q2' = 0; tau1 = M11 q1'' + M12 q2'' + g1").status == "identical if"
    # it is derived first
    assert ARM.check("q2 = pi/2; dM11/dq2 = -2 m2 L1 r2").status == "identical if"
    assert ARM.check("q2 = pi/2; dM11/dq2 = 0").status == "differs"


@pytest.mark.parametrize(
    ("system", "claim", "way"),
    [
        (ARM, "M q'' + N = tau", r"N may be .* write it out"),
        (ARM, "tau1 = M11 q1'' + C12 q2'", "an entry of the Coriolis matrix, or a cosine"),
        (CART, "M q'' + C q' + g = tau", r"for the mass matrix write M\(q\)"),
        (SWING, "d/dt(∂L/∂θ') = m L^2 θ''", "write the parameter as l"),
        (ARM, "d/dt m2 q1' = 0", "put it in parentheses"),
        (SWING, "d^2T/dt^2 = 0", "third time derivative"),
    ],
)
def test_what_is_not_read_names_the_way(system, claim, way):
    with pytest.raises(VisvivaError, match=way):
        system.check(claim)


def test_letters_of_energies_may_be_parameters():
    """L of a pendulum is its length among other parameters, and the Lagrangian among energies."""
    assert SWING.check("T = 1/2 M L^2 theta'^2").symbols == {"M": "m", "L": "l"}
    assert SWING.check("L = 1/2 m L^2 theta'^2 + m g L cos(theta)").is_identical
    assert SWING.check("l = L/2; T = m L^2 theta'^2/8").is_identical
    assert SWING.check("H = p theta' - L").relates


def derived(T, V, pairs):
    """Lagrange's left sides by SymPy, d/dt ∂L/∂v - ∂L/∂q."""
    t, L = sympy.Symbol("t"), T - V
    q = {x: sympy.Function(x.name)(t) for x, _ in pairs}
    moving = q | {v: q[x].diff(t) for x, v in pairs}
    sides = (sympy.diff(L.diff(v).subs(moving), t) - L.diff(x).subs(moving) for x, v in pairs)
    return [sympy.expand(side.doit()) for side in sides]


def test_derivatives_are_those_of_sympy():
    M, m, r, g, x, y, v, w = sympy.symbols("M m l g x theta xd thetad")
    T = (M + m) * v**2 / 2 + m * r * v * w * sympy.cos(y) + m * r**2 * w**2 / 2
    first, _ = derived(T, m * g * r * sympy.cos(y), [(x, v), (y, w)])
    by = {"∂T/∂θ": T.diff(y), "∂T/∂x'": T.diff(v), "∂²T/∂x'∂θ'": T.diff(v).diff(w), "∂T/∂x": 0}
    names = {v: sympy.Symbol("xdot"), w: sympy.Symbol("thetadot")}
    for left, right in by.items():
        said = sympy.sstr(sympy.S(right).xreplace(names))
        assert CART.check(f"{left} = {said}").is_identical, left
        assert CART.check(f"{left} = {said} + m").status == "differs"
    assert CART.check(sympy.Eq(first, sympy.Symbol("tau1"))).is_identical


def test_a_constant_may_be_added_to_a_first_integral():
    """θ̇² = 2 (g/l) cos θ + const; a formula with one, V = … + const, is none of these."""
    system = vv.Lagrangian("theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters="m l g")
    right = "theta'^2 = (2 g/l) cos(theta) + const"
    assert system.check(right, assume="tau1 = 0").status == "identical"
    wrong = "theta'^2 = (g/l) cos(theta) + const"
    assert system.check(wrong, assume="tau1 = 0").status == "differs"
    potential = system.check("V = -m g l cos(theta) + const")
    assert "constant of the motion" not in str(potential)
    with pytest.raises(VisvivaError, match="write const for it"):
        system.check("theta'^2 = (2 g/l) cos(theta) + C")
    for again in ("theta'^2 - const = (2 g/l) cos(theta)", "theta'^2 = (2 g/l) cos(theta) - const"):
        assert system.check(again, assume="tau1 = 0").status == "identical"


def test_a_constant_that_is_added_makes_no_right_formula_of_a_wrong_one():
    """2 M22 = 2 I2 + const would be right of any formula that does not change."""
    swing = vv.Lagrangian("theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters="m l g")
    formulas = (
        (ARM, "2 M22 = 2 I2 + const"),
        (ARM, "I2 + const = M22"),
        (ARM, "det J = L1 L2 sin(q2) + const"),
        (ARM, "2 x_e = 2 L1 cos(q1) + 2 L2 cos(q1 + q2) + const"),
        (swing, "2 M11 = 7 m l^2 + const"),
        (swing, "∂V/∂theta = m g l sin(theta) + const"),
        (swing, "2 V = -2 m g l cos(theta) + const"),
        (swing, "T + const = m l^2 theta'^2/2"),
        (KEPLER, "2 p_theta = 7 m r^2 theta' + const"),
    )
    for system, claim in formulas:
        with pytest.raises(VisvivaError, match=r"no open constant.*leave|open constant, leave"):
            system.check(claim)


@pytest.mark.parametrize(
    "claim",
    ["V + const = -m g l cos(theta)", "V - 0 = -m g l cos(theta) + const",
     "-m g l cos(theta) + const = V", "-m g l cos(theta) = V - const", "E + const = T + V",
     "T - V = L + const"],
)  # fmt: skip
def test_energies_up_to_a_constant_however_it_stands(claim):
    """As V = … + const, on either side."""
    assert SWING.check(claim).status == "identical up to a constant"
    assert SWING.check(claim.replace("m g", "7 m g").replace("T ", "2 T ")).status == "differs"


def test_what_is_constant_may_stand_beside_0():
    for claim in ("E - const = 0", "0 = T + V + const", "E + const = 0"):
        assert SWING.check(claim, assume="tau1 = 0").status == "identical"
        assert SWING.check(claim.replace("E", "T").replace("+ V", "- V")).status == "differs"


@pytest.mark.parametrize("claim", ["theta'' = -(g/l) sin(theta) + const", "theta'' = const"])
def test_accelerations_have_no_constant(claim):
    with pytest.raises(VisvivaError, match=r"acceleration is judged up to a constant.*theta''"):
        SWING.check(claim)
    with pytest.raises(VisvivaError, match="theta'' in it, a third time derivative"):
        SWING.check("dE/dt = const")
