"""Names as in books, on paper and on a phone: read where they have one meaning, else refused."""

import pytest

import visviva as vv
from visviva.errors import VisvivaError

ARM = vv.catalog.two_link()
CART = vv.catalog.cart_pole()
H = "m2 L1 r2 sin(q2)"
FIRST = "(M + m) x'' + m l theta'' cos(theta) - m l theta'^2 sin(theta)"


def status(claim, system=ARM, **options):
    return system.check(claim, **options).status


def refused(claim, system=ARM, **options):
    with pytest.raises(VisvivaError) as error:
        system.check(claim, **options)
    return str(error.value)


# ---- Christoffel symbols


@pytest.mark.parametrize("name", ["c_121", "c_{121}", "c121", "c_{1,2,1}"])
def test_a_symbol_is_read_where_both_conventions_agree(name):
    """Γ¹₁₂ and Γ¹₂₁ are equal."""
    assert status(f"{name} = -{H}") == "identical"
    assert status(f"{name} = {H}") == "differs"


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_symbol_with_two_meanings_is_not_chosen_by_what_comes_out(sign):
    """Spong's c_112 is Γ²₁₁ = h, Siciliano's is Γ¹₁₂ = -h: a slip in one is right in the other."""
    said = refused(f"c_112 = {sign}{H}")
    assert "is Gamma211" in said
    assert "is Gamma112" in said
    assert "c_ijk = Gamma_kij; c_112 = ..." in said


@pytest.mark.parametrize(("order", "sign"), [("kij", ""), ("kji", ""), ("ijk", "-"), ("ikj", "-")])
def test_a_line_says_which_is_meant(order, sign):
    other = {"": "-", "-": ""}[sign]
    assert status(f"c_ijk = Gamma_{order}; c_112 = {sign}{H}") == "identical"
    assert status(f"c_ijk = Gamma_{order}; c_112 = {other}{H}") == "differs"
    assert "two things" in refused(f"c_ijk = Gamma_kij; c_ijk = Gamma_ijk; c_112 = {H}")


def test_all_symbols_of_a_page():
    page = f"""c_ijk = Gamma_kij
h = -{H}
c_111 = 0
c_121 = c_211 = h
c_221 = h
c_112 = -h
c_122 = c_212 = 0
c_222 = 0"""
    assert status(page) == "identical"
    assert status(page.replace("c_221 = h", "c_221 = -h")) == "differs"


def test_sums_of_angles_are_no_symbols():
    arm = vv.catalog.planar_3r()
    x = "x = l1 cos(theta1) + l2 cos(theta1 + theta2) + l3 c123"
    assert status(f"c123 = cos(theta1 + theta2 + theta3); {x}", arm) == "identical"
    assert "shorthand=True" in refused("c123 = cos(theta1 + theta2 + theta3)", arm)


# ---- quantities on both sides


@pytest.mark.parametrize(
    ("claim", "wanted"),
    [
        ("M12 = M21", "identical"),
        ("D_{12} = D_{21}", "identical"),
        ("M12 = M22", "differs"),
        ("C12 = C21", "differs"),
        ("Gamma112 = Gamma121", "identical"),
        ("Gamma112 = -Gamma211", "identical"),
        ("C11 = Gamma111 q1' + Gamma112 q2'", "identical"),
    ],
)
def test_entries_on_both_sides(claim, wanted):
    verdict = ARM.check(claim)
    assert verdict.status == wanted
    assert "for the mechanism's own" in verdict.notes[0]


def test_what_a_claim_leaves_out_is_not_filled_in():
    assert "says nothing" in refused("M = [[M11, M12], [M21, M22]]")
    assert "shorthand=True" in refused("C21 = m2 C12")  # may be cos(q1 + q2)


# ---- kinematics


@pytest.mark.parametrize(
    ("claim", "wanted"),
    [
        ("J11 = -L1 sin(q1) - L2 sin(q1 + q2)", "identical"),
        ("J_{22} = L2 cos(q1 + q2)", "identical"),
        ("J22 = L2 sin(q1 + q2)", "differs"),
        ("Jv11 = -L1 sin(q1) - L2 sin(q1 + q2)", "identical"),
        ("J_{v,12} = -L2 sin(q1 + q2)", "identical"),
        ("Jw31 = 1", "identical"),
        ("Jw31 = 0", "differs"),
        ("p_x = L1 cos(q1) + L2 cos(q1 + q2)", "identical"),
        ("p_{ey} = L1 sin(q1) + L2 sin(q1 + q2)", "identical"),
        ("p_y = L1 sin(q1)", "differs"),
        ("p_x' = -L1 sin(q1) q1' - L2 sin(q1 + q2) (q1' + q2')", "identical"),
    ],
)
def test_entries_of_the_jacobian_and_places(claim, wanted):
    assert status(claim) == wanted


@pytest.mark.parametrize("claim", ["J11 = 0", "J31 = 0", "J41 = 0", "J61 = 1"])
def test_rows_that_books_put_in_other_places(claim):
    assert "above those of ω or below: write Jv" in refused(claim)


def test_in_space_the_rows_are_said():
    arm = vv.catalog.spatial_3r()
    assert "write Jv11" in refused("J11 = 0", arm)
    assert status("Jw31 = 1", arm) == status("Jv31 = 0", arm) == "identical"
    assert "has 6 × 2 entries" in refused("J13 = 0")


def test_momenta_are_no_places():
    assert (
        CART.check("p_x = (M + m) x' + m l theta' cos(theta)").subject == "entry 1 of the momenta"
    )
    assert "is called p_x" in refused("p_x = m2 q1'")


POSE = """[[cos(joint1), 0, -sin(joint1), 0], [sin(joint1), 0, cos(joint1), 0],
[0, -1, 0, d1], [0, 0, 0, 1]]"""


@pytest.mark.parametrize("left", ["T01", "T_{01}", "T_1^0", "T^0_1", "{}^0T_1", "^0_1T", "H_1^0"])
def test_poses_of_a_table(left):
    arm = vv.catalog.stanford()
    assert status(f"{left} = {POSE}", arm) == "identical"
    assert status(f"{left} = {POSE.replace('-sin', 'sin', 1)}", arm) == "differs"


def test_frames_that_no_table_numbers():
    turn = "[[cos(q1 + q2), -sin(q1 + q2), 0], [sin(q1 + q2), cos(q1 + q2), 0], [0, 0, 1]]"
    arm = vv.catalog.rp_arm()
    assert "frame= one of: link1, link2, tool" in refused(f"R02 = {turn}", arm)
    assert status(f"R02 = {turn}") == "identical"
    assert status(f"R02 = {turn}", frame="tool") == "identical"
    assert "or the other way: write R_2^0" in refused(f"R_0^2 = {turn}")
    ring = vv.Lagrangian("q", "m*R_0^2*q'^2/2", "k*q^2/2", parameters={"m": 1, "R_0": 1, "k": 1})
    assert status("k q + m R_0^2 q'' = tau", ring) == "identical"
    assert status("M = m R_0^2", ring) == "identical"


# ---- forces


@pytest.mark.parametrize("letter", ["F", "f", "u"])
def test_the_one_force_that_drives(letter):
    verdict = CART.check(f"{FIRST} = {letter}")
    assert verdict.status == "identical"
    assert verdict.notes[0].startswith(f"{letter} is tau1, the one force")
    assert status(f"{letter} = {FIRST.replace('- m l', '+ m l')}", CART) == "differs"


def test_letters_that_are_no_force():
    helped = "F = m l theta'^2 sin(theta); (M + m) x'' + m l cos(theta) theta'' - F = tau1"
    assert status(helped, CART) == "identical"
    assert "symbols={'F': 'tau1'}" in refused(f"F = {FIRST}", CART.with_passive([]))
    assert "write tau1 = ..." in refused("u = 3 q1''")
    assert "symbols={'F': 'tau2'}" in refused("F = q1''", vv.catalog.acrobot())  # a torque
    assert vv.catalog.acrobot().check("u = q1''").notes[0].startswith("u is tau2")
    assert status(f"u = [{FIRST}, 0]", CART) == "identical"


# ---- words


LONG = "τ₂ = (m₂r₂² + I₂)θ̈₂ + (I₂ + m₂r₂² + m₂l₁r₂c₂)θ̈₁ + m₂l₁r₂s₂θ̇₁² + m₂gr₂c₁₂"


def test_products_that_are_written_together():
    verdict = ARM.check(LONG, shorthand=True)
    assert verdict.status == "identical"
    assert "m₂l₁r₂c₂ is read as m₂ l₁ r₂ c₂" in verdict.notes
    assert status(LONG.replace("s₂θ̇₁²", "s₂θ̇₁θ̇₂"), shorthand=True) == "differs"
    assert "c₂, s₂, c₁₂ are sines and cosines of joint angles, say shorthand" in refused(LONG)
    assert status("M22 = I2 + m2lc2^2") == "identical"
    assert status("m2l1 = m2 r2^2; M22 = I2 + m2l1") == "identical"  # a name of the claim


def test_two_ways_to_cut_are_refused():
    s = vv.Lagrangian(
        "x", "M*x'^2/2", "K*x^2/2 + L*Lc*x", parameters={"M": 1, "K": 2, "L": 3, "Lc": 1, "C": 1}
    )
    assert "can be read as 'k l c', 'k lc'" in refused("V = klc", s)


def test_all_unknown_names_are_told():
    assert "unknown names 'foo, bar, baz'" in refused("tau1 = foo + bar + baz q1''")


@pytest.mark.parametrize(
    "unit",
    [
        "N m",
        "N*m",
        "Nm",
        "[N m]",
        "[Nm]",
        "(N m)",
        r"\,\mathrm{N\,m}",
        r"\; \mathrm{kg}\,\mathrm{m}^2/\mathrm{s}^2",
    ],
)
def test_units_after_formulas(unit):
    verdict = ARM.check(f"G2 = m2 a_g r2 cos(q1 + q2) {unit}; M22 = I2 + m2 r2^2 kg m²")
    assert verdict.status == "identical"
    assert all("is its unit, which is not judged" in part.notes[0] for part in verdict.parts)
    assert status({"G2": f"m2 a_g r2 cos(q1 + q2) {unit}"}) == "identical"


@pytest.mark.parametrize(
    ("claim", "unit", "right"),
    [
        ("G2 = m2 a_g r2 cos(q1 + q2) {}", r"\; \mathrm{kg}\,\mathrm{m}^2", "N m"),
        ("G2 = m2 a_g r2 cos(q1 + q2) {}", "[N]", "N m"),
        ("M22 = I2 + m2 r2^2 {}", "[kg]", "kg m^2"),
    ],
)
def test_a_wrong_unit_in_brackets_is_noted(claim, unit, right):
    (note,) = ARM.check(claim.format(unit)).notes
    assert note.endswith(f"is a wrong unit: it is measured in {right}")


def test_a_wrong_unit_that_is_bare_is_refused():
    values = "m2 = 1 kg; r2 = 0.4 m; I2 = 0.06 kg m^2; "
    for claim in ("M22 = I2 + m2 r2^2 kg", f"{values}M22 = 0.22 kg"):
        assert "kg is a wrong unit: it is measured in kg m^2; leave it out" in refused(claim)
    assert status(f"{values}M22 = 0.22 kg m^2") == "identical"
    assert "kg is no unit of I2" in refused("I2 = 0.06 kg; M22 = 0.06 + m2 r2^2")
    assert "kg is no unit of L1" in refused("L1 = 0.3 kg; det J = 0.3 L2 sin(q2)")
    assert "kg is no unit of tau2" in refused("tau2 = 3 kg")
    assert status("g = 9.81 m/s^2; G2 = 9.81 m2 r2 cos(q1 + q2) N m") == "identical"
    assert status("M11 = M + m kg", CART) == "identical"
    assert "measured in kg;" in refused("M11 = M + m kg m^2", CART)
    with pytest.raises(VisvivaError, match="kg is a wrong unit"):
        ARM.check("I2 + m2 r2^2 kg", of="M22")


def test_a_right_unit_with_radians_is_left_out():
    pendulum = vv.Lagrangian("theta", "m l^2 theta'^2/2", "-m g l cos(theta)", parameters="m g l")
    verdict = pendulum.check("theta'' = -(g/l) sin(theta) rad/s^2")
    assert verdict.notes[0] == "rad/s^2 is its unit, which is not judged"


@pytest.mark.parametrize(
    ("claim", "problem"),
    [
        ("V = -m g l cos(theta) N cm", "cm is no unit of SI"),
        ("x = l [m]", "m may be a unit or a factor"),
        ("M12 = l cos(theta) m kg", "where the unit begins in m kg is not clear"),
        (f"tau1 = {FIRST} N", r"if N is a unit, write it in brackets, [N]"),
    ],
)
def test_what_may_be_a_unit_or_a_factor(claim, problem):
    assert problem in refused(claim, CART)


@pytest.mark.parametrize(
    "claim",
    [
        "M22 = I2 + m2 s^2",
        "M22 = I2 + m2 r2^2 N m",
        "M22 = I2 + m2 r2^2 rad",
        "M22 = I2 + m2 r2^2 s^-2",
        "x = L1 cos(q1) + L2 cos(q1 + q2) rad",
        "G2 = m2 a_g r2 cos(q1 + q2) kg m^2",
    ],
)
def test_what_does_not_fit_is_no_unit_that_is_left_out(claim):
    """The s may be a sine, and N m is no unit of M22."""
    assert "that could be left out: if it is a factor, say what" in refused(claim)


def test_a_factor_that_the_claim_defines_is_no_unit():
    """s² is judged, and no note calls it a unit."""
    system = vv.catalog.spherical_pendulum()
    verdict = system.check("s = sin(theta); M22 = m l^2 s^2")
    assert verdict.is_identical
    assert not verdict.notes
    assert system.check("s = sin(theta); M11 = m l^2 s^2").status == "differs"
    assert status(r"M_{22} = I_2 + m_2 r_2^2\,[kg m^2]") == "identical"


def test_square_brackets_count_from_one_or_from_zero():
    """A 0 decides, or an index that is too large for it; otherwise both readings are told."""
    coupled = "m2*r2**2 + I2 + m2*L1*r2*cos(q2)"
    assert status(f"M[0,1] = {coupled}; M[1,1] = I2 + m2*r2**2") == "identical"
    assert status(f"M[0][1] = {coupled}") == "identical"
    assert status("M[2,2] = I2 + m2*r2**2") == "identical"
    assert status("M(2,2) = I2 + m2*r2**2") == "identical"
    said = refused("M[1,1] = I2 + m2*r2**2")
    assert "counted from 1 it is M11, from 0, as in programs, M22" in said
    assert "tau1, from 0, as in programs, tau2" in refused("tau[1] = 0")


def test_factors_are_no_units():
    assert status("M12 = cos(theta) l m", CART) == "identical"
    assert status(["N = g", "V = -l cos(theta) N m"], CART) == "identical"
    assert status(f"tau1 = {FIRST} [N]", CART) == "identical"


DAMPED = vv.Lagrangian(
    "x y",
    "m x'^2/2 + m y'^2/2",
    "k x^2/2",
    dissipation="c (x' - y')^2/2",
    parameters="m k c",
)
OSCILLATOR = vv.Lagrangian("x", "m x'^2/2", "k x^2/2", dissipation="c x'^2/2", parameters="m k c")


def test_rayleighs_dissipation_function():
    """Squares of velocities without accelerations are no mass matrix and no force."""
    for claim in ("D = 1/2 c x'^2", "R = c x'^2/2", r"\mathcal F = \frac{1}{2} c \dot x^2"):
        verdict = OSCILLATOR.check(claim)
        assert verdict.is_identical
        assert verdict.subject == "Rayleigh's dissipation function"
    assert OSCILLATOR.check("D = c x'^2").status == "differs"
    assert DAMPED.check("D = c x'^2/2 - c x' y' + c y'^2/2").is_identical
    assert DAMPED.check("D = c x'^2/2 + c y'^2/2").status == "differs"
    with pytest.raises(VisvivaError, match=r"for Rayleigh's dissipation function write D = "):
        OSCILLATOR.check("F = c x'^2/2")
    assert OSCILLATOR.check("D = m").subject == "entry (1, 1) of the mass matrix"
    rough = vv.Lagrangian("x", "m x'^2/2", "0", dissipation="mu x'^4", parameters="m mu")
    with pytest.raises(VisvivaError, match="not linear in velocities"):
        rough.check("D = mu x'^2/2")


def test_lengths_by_two_letters():
    """Siciliano's l is what is r here, and a what is L: not read as one family."""
    claim = r"b_{12} = I_{\ell_2} + m_{\ell_2}(\ell_2^2 + a_1 \ell_2 \cos\vartheta_2)"
    said = refused(claim)
    assert "l2 may be L2 or r2" in said
    assert ARM.check(claim, symbols={"l2": "r2"}).is_identical
    assert ARM.check("x = a1 cos(q1) + l2 cos(q1 + q2)", symbols={"l2": "L2"}).is_identical
    assert status("M12 = I2 + m2 r2^2 + m2 l1 r2 cos(q2)") == "identical"


def test_a_full_stop_ends_a_formula_in_latex():
    """It is no decimal point of an exponent."""
    assert status(r"M_{22} = I_2 + m_2 r_2^2.") == "identical"
    assert "write ^{12}" in refused(r"M_{22} = I_2 + m_2 r_2^12.")


def test_names_that_miss_are_told_the_way():
    """A constant of the potential, gravity by another letter, all forces at once."""
    for claim in ("T = m1 r1^2 q1'^2/2 + const", "M22 = I2 + konst"):
        assert "other formulas have no open constant, leave it out" in refused(claim)
    assert "one of the potential, leave it out" in refused("T = m1 r1^2 q1'^2/2 + V0")
    assert "the parameter is a_g, a_g = ..." in refused("g = 9.81")
    pendulum = vv.catalog.spherical_pendulum()
    with pytest.raises(VisvivaError, match=r"stands in the claim: [ml] = 2"):
        pendulum.check("tau1 = 0", assume="m = 0")
    free = OSCILLATOR.check("m x'' + c x' + k x = 0", assume="tau = 0")
    assert free.is_identical
