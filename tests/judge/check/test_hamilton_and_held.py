"""What is fixed in a derivative, Rayleigh's function, names with two meanings: right and wrong."""

import pytest

import visviva as vv
from visviva.errors import VisvivaError

ARM = vv.catalog.two_link()
SWING = vv.Lagrangian("theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters="m l g")
KEPLER = vv.Lagrangian("r theta", "m*(r'^2 + r^2*theta'^2)/2", "-k/r", parameters="m k")
SPRING = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters="m k")
DAMPED = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", "c*x'^2/2", parameters="m k c")
BALL = vv.catalog.spherical_pendulum()


def refused(system, claim):
    with pytest.raises(VisvivaError) as error:
        system.check(claim)
    return str(error.value)


def judged(system, right, wrong, where=""):
    verdict = system.check(right)
    assert (verdict.status, verdict.where) == (f"identical{' if' * bool(where)}", where), verdict
    assert system.check(right, assume=where.replace(",", ";")).is_identical
    assert system.check(wrong).status == "differs"
    return verdict


# ---- Hamilton's equations: momenta are fixed

IN_MOMENTA = "H = p_r^2/(2 m) + p_θ^2/(2 m r^2) - k/r; "
EFFECTIVE = "ℓ = m r^2 θ'; V_eff = ℓ^2/(2 m r^2) - k/r; "
FIXED = [  # right, wrong
    (KEPLER, r"\dot p_r = -∂H/∂r", r"\dot p_r = ∂H/∂r"),
    (KEPLER, r"\dot p_\theta = -\frac{\partial H}{\partial\theta}", r"\dot p_\theta = -∂H/∂r"),
    (KEPLER, "∂H/∂r = k/r^2 - m r θ'^2", "∂H/∂r = k/r^2 + m r θ'^2"),
    (KEPLER, "∂H/∂r = k/r^2 - p_θ^2/(m r^3)", "∂H/∂r = k/r^2 + p_θ^2/(m r^3)"),
    (KEPLER, "∂H/∂r = -∂L/∂r", "∂H/∂r = ∂L/∂r"),
    (KEPLER, "θ' = ∂H/∂p_θ", "θ' = 2 ∂H/∂p_θ"),
    (KEPLER, "∂H/∂p_θ = p_θ/(m r^2)", "∂H/∂p_θ = p_θ/m"),
    (KEPLER, f"{IN_MOMENTA}∂H/∂r = -p_θ^2/(m r^3) + k/r^2",
     f"{IN_MOMENTA}∂H/∂r = p_θ^2/(m r^3) + k/r^2"),
    (KEPLER, f"{IN_MOMENTA}∂H/∂p_θ = θ'", f"{IN_MOMENTA}∂H/∂p_θ = r'"),
    (KEPLER, f"p_θ = m r^2 θ'; p_r = m r'; {IN_MOMENTA}\\dot p_r = -∂H/∂r",
     f"p_θ = m r^2 θ'; p_r = m r'; {IN_MOMENTA}\\dot p_r = ∂H/∂r"),
    (KEPLER, f"p_θ = m r^2 θ'; p_r = m r'; {IN_MOMENTA}θ' = ∂H/∂p_θ",
     f"p_θ = m r^2 θ'; p_r = m r'; {IN_MOMENTA}θ' = 2 ∂H/∂p_θ"),
    (KEPLER, "h = r^2 θ'; H = p_r^2/(2 m) + m h^2/(2 r^2) - k/r; ∂H/∂h = m θ'",
     "h = r^2 θ'; H = p_r^2/(2 m) + m h^2/(2 r^2) - k/r; ∂H/∂h = θ'"),
    (KEPLER, "H = p_r r' + p_θ θ' - L; ∂H/∂r = k/r^2 - m r θ'^2",
     "H = p_r r' + p_θ θ' - L; ∂H/∂r = k/r^2 + m r θ'^2"),
    (KEPLER, "H = T + V; ∂H/∂r = k/r^2 - m r θ'^2", "H = T + V; ∂H/∂r = k/r^2 + m r θ'^2"),
    (KEPLER, "∂E/∂r = k/r^2 + m r θ'^2", "∂E/∂r = k/r^2 - m r θ'^2"),
    (KEPLER, "∂p_θ/∂r = 2 m r θ'", "∂p_θ/∂r = 0"),
    (SWING, "∂H/∂θ = m g l sin θ", "∂H/∂θ = -m g l sin θ"),
    (ARM, r"\dot q = ∂H/∂p", r"\dot q = -∂H/∂p"),
    (ARM, r"\dot p = -∂H/∂q + tau", r"\dot p = ∂H/∂q + tau"),
    (BALL, r"\dot p_θ = -∂H/∂θ", r"\dot p_θ = ∂H/∂θ"),
    (BALL, "∂H/∂θ = -∂L/∂θ", "∂H/∂θ = ∂T/∂θ + ∂V/∂θ"),
]  # fmt: skip


@pytest.mark.spread(10)
@pytest.mark.parametrize(("system", "right", "wrong"), FIXED, ids=[x[1] for x in FIXED])
def test_derivatives_of_h_are_taken_with_momenta_fixed(system, right, wrong):
    leaves_out = {r"\dot p_r": "τ₁ = 0", r"\dot p_θ": "τ₁ = 0", r"\dot p_\theta": "τ₂ = 0"}
    where = [x for rate, x in leaves_out.items() if rate in right]  # rates say nothing of forces
    judged(system, right, wrong, "".join(where))


def test_a_formula_in_momenta_and_velocities_is_not_derived():
    said = refused(KEPLER, "m r'' = -∂/∂r(p_θ θ'/2 - k/r)")
    assert "velocities alone" in said
    assert "∂L/∂r" in said
    assert "call it E" in refused(KEPLER, "H = T - 2 V; ∂H/∂r = 0")
    assert "∂L/∂" in refused(KEPLER, "∂H/∂r' = m r'")
    assert "in momenta alone" in refused(KEPLER, "∂T/∂p_θ = θ'")
    assert "in momenta alone" in refused(KEPLER, "∂²H/∂p_θ² = 1/(m r^2)")
    for sign in "+-":
        said = refused(KEPLER, f"T = p_r^2/(2 m) + p_θ^2/(2 m r^2); ∂T/∂r = {sign} m r θ'^2")
        assert "velocities fixed" in said


# ---- names that are fixed: momenta, multiples of them

HELD = [
    (KEPLER, f"{EFFECTIVE}m r'' = -∂V_eff/∂r", f"{EFFECTIVE}m r'' = ∂V_eff/∂r"),
    (KEPLER, "V_eff = p_θ^2/(2 m r^2) - k/r; m r'' = -∂V_eff/∂r",
     "V_eff = p_θ^2/(m r^2) - k/r; m r'' = -∂V_eff/∂r"),
    (KEPLER, "h = r^2 θ'; U = m h^2/(2 r^2) - k/r; m r'' = -∂U/∂r",
     "h = r^2 θ'; U = h^2/(2 r^2) - k/r; m r'' = -∂U/∂r"),
    (KEPLER, "m r'' = -∂/∂r(p_θ^2/(2 m r^2) - k/r)", "m r'' = ∂/∂r(p_θ^2/(2 m r^2) - k/r)"),
    # what is no momentum is put in
    (KEPLER, "v = r θ'; T = m (r'^2 + v^2)/2; ∂T/∂r = m r θ'^2",
     "v = r θ'; T = m (r'^2 + v^2)/2; ∂T/∂r = 0"),
    (SWING, "v = l θ'; T = m v^2/2; ∂T/∂θ = 0", "v = l θ'; T = m v^2/2; ∂T/∂θ = m l^2 θ'"),
    (SWING, "v = l θ'; T = m v^2/2; ∂T/∂θ' = m l^2 θ'", "v = l θ'; T = m v^2/2; ∂T/∂θ' = 0"),
    (SWING, "x = l sin θ; y = -l cos θ; L = m(x'^2+y'^2)/2 - m g y; ∂L/∂θ = -m g l sin θ",
     "x = l sin θ; y = -l cos θ; L = m(x'^2+y'^2)/2 - m g y; ∂L/∂θ = m g l sin θ"),
]  # fmt: skip


@pytest.mark.parametrize(("system", "right", "wrong"), HELD, ids=[x[1] for x in HELD])
def test_a_momentum_by_another_name_is_held(system, right, wrong):
    judged(system, right, wrong)


def test_a_note_says_what_is_fixed():
    notes = KEPLER.check(f"{EFFECTIVE}m r'' = -∂V_eff/∂r").notes
    assert any("fixed in the derivative by r" in x for x in notes)


# ---- Rayleigh's function

LAGRANGE = "d/dt(∂L/∂x') - ∂L/∂x"
SCRIPT = r"\mathcal{F} = 1/2 c x'^2; "
LOST = [
    (DAMPED, f"{LAGRANGE} + ∂D/∂x' = 0", f"{LAGRANGE} - ∂D/∂x' = 0"),
    (DAMPED, f"{LAGRANGE} + ∂R/∂x' = 0", f"{LAGRANGE} + 2 ∂R/∂x' = 0"),
    (DAMPED, "∂F/∂x' = c x'", "∂F/∂x' = 2 c x'"),
    (DAMPED, r"\frac{\partial\mathcal{F}}{\partial\dot x} = c \dot x", "∂D/∂x' = c x"),
    (DAMPED, f"{SCRIPT}{LAGRANGE} + ∂\\mathcal{{F}}/∂x' = 0",
     f"{SCRIPT}{LAGRANGE} - ∂\\mathcal{{F}}/∂x' = 0"),
    (DAMPED, "F = 1/2 c x'^2; m x'' + k x + ∂F/∂x' = 0", "F = c x'^2; m x'' + k x + ∂F/∂x' = 0"),
    (DAMPED, "D = 1/2 c x'^2; m x'' + k x + ∂D/∂x' = 0", "D = c x'^2; m x'' + k x + ∂D/∂x'/2 = 0"),
    (DAMPED, "m x'' + k x = -∂D/∂x'", "m x'' + k x = ∂D/∂x'"),
    (DAMPED, "dE/dt = -2 D", "dE/dt = -D"),
    (DAMPED, r"\dot E = -2 R", r"\dot E = 2 R"),
    (DAMPED, "d(T + V)/dt = -2 D", "d(T + V)/dt = -D"),
    (DAMPED, "d/dt(m x') = F - k x - c x'", "d/dt(m x') = F - k x + c x'"),
]  # fmt: skip


@pytest.mark.parametrize(("system", "right", "wrong"), LOST, ids=[x[1] for x in LOST])
def test_what_is_derived_by_velocities_is_the_dissipation_function(system, right, wrong):
    leaves_out = right.startswith(("dE/dt", "\\dot E", "d(T + V)"))  # rates say nothing of forces
    judged(system, right, wrong, "τ₁ = 0" if leaves_out else "")


def test_without_dissipation_there_is_no_such_function():
    for claim in (f"{LAGRANGE} + ∂D/∂x' = 0", "∂F/∂x' = 0", "dE/dt = -2 D"):
        assert "has no dissipation" in refused(SPRING, claim)
    free = vv.Lagrangian("x", "m*x'^2/2", "0", parameters="m")
    assert free.check("d/dt(m x') = F").status == "identical"


# ---- names with two meanings

SECOND = [
    (KEPLER, "Γ^r_{θθ} = -r", "Γ^r_{θθ} = -m r"),
    (KEPLER, r"\Gamma^{\theta}_{r\theta} = \frac{1}{r}", r"\Gamma^{\theta}_{r\theta} = m r"),
    (KEPLER, r"\Gamma_{\theta\theta}^{r} = -r", r"\Gamma_{\theta\theta}^{r} = r"),
    (KEPLER, "Γ_{rθθ} = -m r", "Γ_{rθθ} = -r"),
    (KEPLER, "Gamma_{1,2,2} = -m r", "Gamma_{1,2,2} = -r"),
    (BALL, "Γ^θ_{φφ} = -sin(θ) cos(θ)", "Γ^θ_{φφ} = sin(θ) cos(θ)"),
]


@pytest.mark.parametrize(("system", "right", "wrong"), SECOND, ids=[x[1] for x in SECOND])
def test_a_coordinate_above_is_a_symbol_of_the_second_kind(system, right, wrong):
    judged(system, right, wrong)


def test_of_a_mass_matrix_that_is_not_diagonal():
    cart = vv.catalog.cart_pole()
    below = "(M + m sin(θ)^2)"
    judged(cart, f"Γ^x_{{θθ}} = -m l sin(θ)/{below}", f"Γ^x_{{θθ}} = m l sin(θ)/{below}")


def test_a_note_says_which_kind_it_is():
    notes = KEPLER.check("Γ^r_{θθ} = -m r").notes
    assert any("second kind" in x and "Gamma_{1,2,2}" in x for x in notes)


def test_a_value_at_a_place_is_no_product():
    said = refused(ARM, "M12(pi/2) = I2 + m2 r2^2")
    assert "q2 = pi/2; M12 = ..." in said
    assert ARM.check("q2 = pi/2; M12 = I2 + m2 r2^2").status == "identical if"
    assert ARM.check("q2 = pi/2; M12 = I2 - m2 r2^2").status == "differs"


@pytest.mark.parametrize(
    ("system", "claim"),
    [(SWING, "Q_1 = -∂V/∂q_1"), (SWING, "Q_θ = -m g l sin(θ)"), (KEPLER, "F_r = -k/r^2")],
)
def test_a_force_without_accelerations_may_be_two(system, claim):
    said = refused(system, claim)
    assert "∂V/∂q" in said
    assert "tau1 = ..." in said


def test_a_force_with_accelerations_is_the_driving_one():
    judged(SWING, "Q_θ = m l^2 θ'' + m g l sin(θ)", "Q_θ = m l^2 θ'' - m g l sin(θ)")
    judged(SWING, "Q = d/dt(∂L/∂θ') - ∂L/∂θ", "Q = d/dt(∂L/∂θ') + ∂L/∂θ")


# ---- zero matrices

ZEROS = [
    (ARM, r"\dot M - C - C^T = 0", r"\dot M - 2C = 0"),
    (ARM, "∂M/∂q1 = 0", "∂M/∂q2 = 0"),
    (ARM, "0 = M - M^T", "0 = M + M^T"),
    (ARM, r"N = \dot M - 2C; N + N^T = 0", r"N = \dot M - C; N + N^T = 0"),
    (ARM, "g - ∂V/∂q = 0", "g + ∂V/∂q = 0"),
    (ARM, "M q'' + C q' + g = 0", "M q'' + g = 0"),
    (ARM, r"\dot p + ∂H/∂q = 0", r"\dot p - ∂H/∂q = 0"),
]


@pytest.mark.parametrize(("system", "right", "wrong"), ZEROS, ids=[x[1] for x in ZEROS])
def test_beside_a_matrix_0_is_one_of_zeros(system, right, wrong):
    judged(system, right, wrong, "τ₁ = 0, τ₂ = 0" if "dot p" in right else "")


def test_momenta_are_variables_of_a_hamiltonian():
    polar = vv.Lagrangian(
        "r phi", "m (r'^2 + r^2 phi'^2)/2", "-k/r", parameters={"m": 1, "k": 2}, passive="r phi"
    )
    for claim in (
        "H = p_r^2/(2 m) + p_phi^2/(2 m r^2) - k/r",
        "p_r' = p_phi^2/(m r^3) - k/r^2",
    ):
        verdict = polar.check(claim)
        assert (verdict.is_identical, verdict.relates) == (True, False)
        assert polar.check(claim.replace("/(2 m)", "/m").replace("r^3", "r^2")).status == "differs"
    assert polar.check("p_r' = -∂H/∂r").relates
    spring = vv.Lagrangian("x", "m x'^2/2", "k x^2/2", parameters={"m": 1, "k": 2})
    assert spring.check("T = p1 x'/2 + m - m").relates
