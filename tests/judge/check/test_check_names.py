"""Verdicts and names: what is matched, what is defined, what is taken to be something."""

import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError, VisvivaError
from visviva.judge.check.files import load_claims, verdicts

PENDULUM = vv.Lagrangian(
    "theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters={"m": 1, "l": 2, "g": 9.81}
)
MASSES = vv.Lagrangian(
    "x y", "m*x'^2/2 + M*y'^2/2", "k*(x - y)^2/2", parameters={"m": 1, "M": 2, "k": 3}
)
ARM = vv.catalog.two_link()


@pytest.mark.parametrize(
    "claim",
    [
        "V = -m g l cos(2 theta - phi)",
        "m l^2 theta'' + m g l sin(phi) = tau",
        "tau = m l^2 alpha + m g l sin(theta)",
    ],
)
def test_a_strange_name_is_no_coordinate_that_is_there_already(claim):
    with pytest.raises(VisvivaError, match="unknown name"):
        PENDULUM.check(claim)


def test_own_names_win_over_numbered_ones():
    s = vv.Lagrangian(
        "q2 q1", "m*q1'^2/2 + M*q2'^2/2", "k*q1^2/2", parameters={"m": 1, "M": 2, "k": 1}
    )
    assert s.check("tau2 = m q1'' + k q1").is_identical
    assert s.check("tau2 = m q2'' + k q2").status == "differs"
    t = vv.Lagrangian(
        "q2 q3", "m*q2'^2/2 + M*q3'^2/2", "k*q2^2/2", parameters={"m": 1, "M": 2, "k": 1}
    )
    assert t.check("V = k q2^2/2").is_identical


def test_letters_of_books_are_not_chosen_by_what_comes_out():
    """a2 is the length of a link, r2 the place of a centre; l and a together are too much."""
    verdict = ARM.check("M22 = I2 + m2 a_2^2")
    assert verdict.status == "differs"
    assert verdict.symbols == {"a2": "L2"}
    with pytest.raises(ArgumentError, match=r"not all of these|unknown name"):
        ARM.check("M22 = I2 + m2 l_2^2 + 0 a_2")
    with pytest.raises(ArgumentError, match=r"Spong's .* is Gamma122, Siciliano's .* is Gamma221"):
        ARM.check("c_{221} = -m2 L1 r2 sin(q2)")


def test_parameters_that_read_the_same_are_refused():
    with pytest.raises(ArgumentError, match=r"'m1' can mean two things, .* the parameter 'm_1'"):
        vv.Lagrangian("x", "m_1*x'^2/2 + m1*x'^2", parameters={"m_1": 1, "m1": 2})


def test_left_sides_that_mean_nothing_are_not_passed_over():
    right = "M22 = I2 + m2 r2^2"
    for more in ("tua1 = 5 q1''", "T_link1 = 3 q1'^2"):
        with pytest.raises(ArgumentError, match="is called"):
            ARM.check(f"{right}; {more}")


def test_definitions_are_definitions():
    claim = "V = m1 a_g h1 + m2 a_g h2, where h1 = r1 sin(q1) and h2 = L1 sin(q1) + r2 sin(q1 + q2)"
    assert ARM.check(claim).is_identical
    assert ARM.check("M22 = I2 + K; K = m2 r2^2").is_identical
    assert ARM.check("A = r2 q1''; M22 = I2 + m2 r2 A - m2 r2 A + m2 r2^2").is_identical
    with pytest.raises(ArgumentError, match="defined twice"):
        ARM.check("A = 5; A = m2 r2^2; M22 = I2 + A")


def test_forces_by_other_names():
    cart = vv.Lagrangian("x", "m*x'^2/2", parameters={"m": 1})
    assert cart.check("m x'' = F").is_identical
    with pytest.raises(ArgumentError, match="tau1"):
        MASSES.check("m x'' + k (x - y) = F")
    assert MASSES.check("m x'' + k (x - y) = F", symbols={"F": "tau1"}).is_identical
    driven = vv.Lagrangian("x y", "m*x'^2/2 + m*y'^2/2", parameters={"m": 1}, actuators=[[1], [-1]])
    with pytest.raises(ArgumentError, match="u1"):
        driven.check("m y'' = -u1")


def test_a_row_claimed_twice_is_not_all_of_them():
    one = "m x'' + k (x - y)"
    verdict = MASSES.check(f"[tau1, tau1] = [{one}, {one}]")
    assert verdict.is_identical
    assert verdict.subject == "equations 1, 1"


def test_one_coordinate_needs_no_index():
    assert PENDULUM.check("M = m l^2").is_identical
    assert PENDULUM.check("p = m l^2 theta'").is_identical
    assert PENDULUM.check("p_theta = m l^2 theta'").is_identical
    assert PENDULUM.check("C = 0").is_identical


def test_parameters_may_be_something_special():
    """Uniform rods, point masses: both sides are taken with it."""
    verdict = ARM.check("r2 = L2/2; I2 = m2 L2^2/12; M22 = m2 L2^2/3")
    assert verdict.is_identical
    assert "r₂ = 1/2 L₂" in verdict.notes[0]
    assert ARM.check("I1 = 0; I2 = 0; M22 = m2 r2^2").where == "I₁ = 0, I₂ = 0"
    assert ARM.check("I2 = 0; M22 = m2 r2").status == "differs"


def test_shorthand_beside_other_names():
    claim = "G2 = m_2 g l_{c2} c_{12}; H = m_2 l_{c2}^2; M22 = I_2 + H"
    assert ARM.check(claim, shorthand=True).is_identical
    mixed = "C12 = -m_2 l_1 l_{c2} s_2 (\\dot\\theta_1 + \\dot\\theta_2)"
    assert ARM.check(mixed, shorthand=True).is_identical
    vector = "g = [(m1 r1 + m2 L1) g cos(q1) + m2 r2 g cos(q1 + q2), m2 r2 g cos(q1 + q2)]"
    assert ARM.check(vector).is_identical


def test_chains_say_something_of_each():
    assert MASSES.check("M12 = M21 = 0").is_identical
    verdict = MASSES.check("M11 = M22 = m")
    assert [p.status for p in verdict.parts] == ["differs", "identical"]
    assert ARM.check("r1 = r2 = L2/2; M22 = I2 + m2 L2^2/4").is_identical
    assert MASSES.check("M11 = M22; M11 = m").status == "differs"
    assert MASSES.check("g1 = g2 = k (x - y)").status == "differs"
    assert MASSES.check("H11 = H12 = H21; H12 = 0").status == "differs"
    assert ARM.check("A = B = m2 r2^2; M22 = I2 + A").is_identical
    assert MASSES.check("h = H12; H12 = H21; H12 = 0; tau1 = m x'' + k (x - y) + H21").is_identical


def test_assumptions_are_taken_together():
    arm = ARM.with_parameters(L2=2, r2=1)
    assert arm.check("L2 = 2; r2 = L2/2; M22 = I2 + m2").is_identical
    assert arm.check("r2 = L2/2; L2 = 2; M22 = I2 + m2").is_identical
    assert ARM.check("L2 = 2; r2 = L2/2; M22 = I2 + m2").where == "L₂ = 2, r₂ = 1"
    assert ARM.check("r2 = l2/2; M22 = I2 + m2 l2^2/4").is_identical
    assert ARM.check("r2 = L2/2; M22 = I2 + m2 L2^2/4", of="identity").is_identical
    with pytest.raises(ArgumentError, match="two things"):
        ARM.check("r2 = L2; r2 = L2/2; M22 = I2 + m2 L2^2/4")


def test_assumptions_hold_for_sums_of_equations():
    s = vv.Lagrangian(
        "x1 x2",
        "m1*x1'^2/2 + m2*x2'^2/2",
        "k1*x1^2/2 + k2*(x2 - x1)^2/2",
        parameters={"m1": 1, "m2": 2, "k1": 3, "k2": 4},
    )
    free = "tau1 = 0; tau2 = 0"
    assert s.check(f"k1 = 0; {free}; m1 x1'' + m2 x2'' = 0").where == "k₁ = 0"
    assert s.check("k1 = 0; m1 x1'' + m2 x2'' = 0").status == "identical if"
    assert s.check("m1 x1'' + m2 x2'' = 0").status == "differs"


def test_positions_and_forces_by_their_letters():
    tip = "p = [L1 cos(q1) + L2 cos(q1 + q2), L1 sin(q1) + L2 sin(q1 + q2), 0]"
    assert ARM.check(tip).is_identical
    assert ARM.check("L1 cos(q1) + L2 cos(q1 + q2)", of="x").is_identical
    driven = vv.Lagrangian(
        "x", "m*x'^2/2", forces={"x": "F*cos(w*t)"}, parameters=dict.fromkeys("mFw", 1)
    )
    with pytest.raises(ArgumentError, match="is called Q1"):
        driven.check("Q1 = F cos(w t)")
    assert driven.check("m x'' = F cos(w t)").is_identical


def test_velocities_are_no_coordinates():
    s = vv.Lagrangian("x", "m*x'^2/2", 0, "b*x'^2/2", parameters={"m": 1, "b": 2})
    for claim in ("m v' + b v = F", "m omega' = F", "T = m v^2/2", "F = m alpha"):
        with pytest.raises(VisvivaError, match="unknown name"):
            s.check(claim)
    assert s.check("m y'' + b y' = F").is_identical
    assert s.check("p' = F").status == "differs"  # the momentum, and friction is left out
    for rate in ("q2'", "\\dot q_2", "q2.dot"):
        with pytest.raises(VisvivaError, match="names to names"):
            ARM.check("G2 = m2 a_g r2 cos(q1 + w)", symbols={"w": rate})


def test_rates_of_defined_names_are_those_of_what_they_are():
    for claim in ("phi = 2 theta; T = m l^2 phi'^2/2", "x = l sin(theta); T = m l^2 x'^2/2"):
        assert PENDULUM.check(claim).status == "differs"
    assert PENDULUM.check("phi = 2 theta; T = m l^2 phi'^2/8").is_identical
    assert PENDULUM.check("theta1 = 2 theta; p = m l^2 thetadot1/2").is_identical
    claim = "omega = theta'; omega' = -77 g sin(theta); T = m l^2 omega^2/2"
    assert [x.status for x in PENDULUM.check(claim).parts] == ["differs", "identical"]


def test_names_in_assumptions_are_their_own():
    """l = L/2 brings a new L, even where L could be read as l."""
    assert PENDULUM.check("l = L/2; T = m L^2 theta'^2/8").is_identical
    assert PENDULUM.check("l = L/2; T = m L^2 theta'^2/2").status == "differs"
    assert PENDULUM.check("l = L/2; theta'' = -(2 g/L) sin(theta)").is_identical
    assert ARM.check("I2 = J2 - m2 r2^2; M22 = J2").is_identical
    assert ARM.check("m1 = m2 = m; M22 = I2 + m r2^2").is_identical


@pytest.mark.parametrize(
    "claim",
    [
        "l = 1 + t; tau = m (1 + t)^2 theta'' + m g (1 + t) sin(theta)",
        "s = theta; l = s; tau = m theta^2 theta'' + m g theta sin(theta)",
        "l = phi; tau = m phi^2 phi'' + m g phi sin(phi)",
    ],
)
def test_parameters_stand_still(claim):
    with pytest.raises(VisvivaError):
        PENDULUM.check(claim)


def test_definitions_of_what_may_be_a_parameter_are_refused():
    for claim in ("lc2 = l2/2; M22 = I2 + m2 lc2^2", "g = 2 m1; G2 = m2 g r2 cos(q1 + q2)"):
        with pytest.raises(ArgumentError, match="may be meant as"):
            ARM.check(claim)
    hinge = vv.Lagrangian("q", "m*l^2*q'^2/2", "-9.81*m*l*cos(q)", parameters={"m": 1, "l": 2})
    assert hinge.check("g = 9.81; q'' = -(g/l) sin(q)").is_identical


def test_symbols_say_what_names_of_sympy_mean_too():
    """m1 and m2 are exchanged: the user's m1 is the system's m2, in text and in expressions."""
    exchanged = {"m1": "m2", "m2": "m1"}
    claim = "I2 + m1*r2**2"
    assert ARM.check({"M22": claim}, symbols=exchanged).is_identical
    assert ARM.check({"M22": sympy.sympify(claim)}, symbols=exchanged).is_identical
    assert ARM.check({"M22": sympy.sympify(claim)}).status == "differs"


@pytest.mark.parametrize("name", ["dx", "ddx", "xd", "xdot", "thetad1", "_m", "m_", "m__1"])
def test_a_parameter_called_like_the_rate_of_another_name_is_that_parameter(name):
    s = vv.Lagrangian("q", f"{name}*q'^2/2", "k*q^2/2", parameters=f"{name} k")
    assert s.check(f"M = {name}").is_identical
    assert s.check(f"tau1 = {name} q'' + k q").is_identical
    assert s.check(f"tau1 = k q + q''*{name}").is_identical
    assert s.check(f"M = 2 {name}").extra == sympy.Symbol(name)
    assert s.check("M = mass", symbols={"mass": name}).is_identical


@pytest.mark.parametrize("name", ["xd", "qd1", "dq", "dx", "xdot", "x_", "_x", "x__1"])
def test_a_coordinate_called_like_a_rate_can_be_claimed(name):
    s = vv.Lagrangian(name, f"m*{name}'^2/2", f"k*{name}^2/2", parameters="m k")
    assert s.check(f"tau1 = m {name}'' + k {name}").is_identical
    assert s.check(f"V = k {name}^2/2").is_identical
    assert s.check(f"V = k {name}'^2/2").status == "differs"
    assert s.check(f"T = m {name}'^2/2").is_identical


def test_dx_over_dt_with_a_parameter_dt():
    """Nothing called x is there: a quotient. Where x is there too, it is not clear."""
    s = vv.Lagrangian("q", "dx/dt*q'^2/2", parameters="dx dt")
    assert s.check("M = dx/dt").is_identical
    assert s.check(r"M = \frac{dx}{dt}").is_identical
    t = vv.Lagrangian("x", "dt*x'^2/2", parameters="dt")
    for claim in ("p = dt dx/dt", r"p = dt \frac{dx}{dt}"):
        with pytest.raises(VisvivaError, match="may be the rate x' or have the name dt below"):
            t.check(claim)


def test_an_underscore_that_no_name_begins_or_ends_with_is_refused():
    s = vv.Lagrangian("q", "m_*q'^2/2", parameters="m_")
    for claim in ("M = _(m_)", "M = (m_)_1", "M = 2_m_"):
        with pytest.raises(VisvivaError):
            s.check(claim)
    with pytest.raises(VisvivaError):
        PENDULUM.check("M = m_ l^2")


def test_a_name_in_symbols_that_the_claim_has_not_is_refused():
    for symbols in ({"foo": "m1"}, {"m1": "foo"}, {"lc2": "r2", "l_c": "r1"}, {"phi": "q1"}):
        with pytest.raises(ArgumentError, match=r"symbols= names \w+, the claim has: .*lc2"):
            ARM.check("M22 = I2 + m2 lc2^2", symbols=symbols)
    assert ARM.check("M22 = I2 + m2 l_{c2}^2", symbols={"lc2": "r2"}).is_identical
    assert str(ARM.check("M22 = I2", symbols={"lc2": "r2"}).missing) == "lc2**2*m2"
    assert ARM.check("p1 = M11 phid1 + M12 q2'; M11 = 1; M12 = 1", symbols={"phi1": "q1"}).parts
    assert ARM.check("a = m2; M22 = I2 + a b^2", symbols={"b": "r2"}).is_identical


def test_claims_of_a_file_need_not_have_all_its_symbols(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text(
        '[mechanism]\ncatalog = "two_link"\n[symbols]\n"l_{c2}" = "r2"\nlc1 = "r1"\n'
        '[claims]\nM22 = "I2 + m2 lc2^2"\nG2 = "m2 a_g r2 cos(q1 + q2)"\n'
    )
    said = load_claims(path)
    found = verdicts(said.system, said.claims, said.options)
    assert all(v.is_identical for v in found.values())


@pytest.mark.parametrize(
    ("claim", "way"),
    [
        ("J_{31} = 0", r"Jv31 = \.\.\. .* Jw31 = \.\.\. .* J = \[\["),
        ("J1 = -L1 sin(q1)", "a Jacobian is judged whole"),
        ("c_112 = m2 L1 r2 sin(q2)", "Gamma211"),
        ("theta'' = -a_g sin(theta)/zeta", "symbols={'theta': 'q1'}"),
        ("M22 = I2 + m2 rho zeta", r"symbols={'rho': '\.\.\.'}"),
        ("tau1 = I1 d2q1/dt2", r"written d\^2q1/dt\^2, or q1''"),
    ],
)
def test_names_of_other_books_are_refused_with_the_way_to_say_it(claim, way):
    with pytest.raises(VisvivaError, match=way):
        ARM.check(claim)


def test_the_ways_that_errors_name_are_read():
    assert ARM.check("M12 = M21", of="identity").is_identical
    assert ARM.check("Gamma211 = m2 L1 r2 sin(q2)").is_identical
    assert ARM.check("M22 d^2q2/dt^2 + M12 d^2q1/dt^2 + g2 = tau2").status == "differs"


def test_a_difference_of_masses_below_a_line_is_a_number():
    """M is a parameter here, no matrix."""
    assert MASSES.check("y'' = k (x - y) (M - m)/(M (M - m))").status == "identical if"
    assert MASSES.check("y'' = k (x - y)/(M - m)").status == "differs"


def test_a_letter_of_a_matrix_within_entries_is_the_parameter_nearly_called_so():
    """M of [M q1'', M q2''] is no mass matrix, whose shape does not fit there."""
    point = vv.Lagrangian("q1 q2", "m*(q2^2*q1'^2 + q2'^2)/2", parameters="m")
    rows = "tau = [M q2^2 q1'' + 2 M q2 q1' q2', M q2'' - M q2 q1'^2]"
    verdict = point.check(rows)
    assert (verdict.status, verdict.symbols) == ("identical", {"M": "m"})
    assert point.check(rows.replace("- M q2 q1'^2", "+ M q2 q1'^2")).status == "differs"
    assert point.check("tau = [[M q2^2, 0], [0, M]] q'' + C q'").symbols == {"M": "m"}
    assert not point.check("tau = M q'' + C q'").symbols
