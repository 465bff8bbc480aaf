"""Verdicts: what they say of true claims, of wrong ones, and of what cannot be judged."""

import json

import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError, ParseError, VisvivaError
from visviva.judge.check.files import load_claims, verdicts

ARM = vv.catalog.two_link()
TAU2 = "(m2 r2^2 + I2) q2'' + (m2 (r2^2 + L1 r2 cos(q2)) + I2) q1'' + m2 L1 r2 sin(q2) q1'^2"
TAU2 += " + m2 a_g r2 cos(q1 + q2)"
BOOK = r"""
H_{11} = m_1 l_{c1}^2 + I_1 + m_2 (l_1^2 + l_{c2}^2 + 2l_1 l_{c2} \cos \theta_2) + I_2
H_{22} = m_2 l_{c2}^2 + I_2
H_{12} = H_{21} = m_2 (l_{c2}^2 + l_1 l_{c2} \cos \theta_2) + I_2
h = m_2 l_1 l_{c2} \sin \theta_2
G_1 = m_1 l_{c1} g \cos \theta_1 + m_2 g \{l_{c2} \cos(\theta_1 + \theta_2) + l_1 \cos \theta_1\}
G_2 = m_2 g l_{c2} \cos(\theta_1 + \theta_2)
\begin{aligned}
\tau_1 &= H_{11} \ddot{\theta}_1 + H_{12} \ddot{\theta}_2 - h \dot{\theta}_2^2
          - 2h \dot{\theta}_1 \dot{\theta}_2 + G_1 \\
\tau_2 &= H_{22} \ddot{\theta}_2 + H_{21} \ddot{\theta}_1 - h \dot{\theta}_1 \dot{\theta}_2 + G_2
\end{aligned}
"""


def same(a, b):
    return sympy.simplify(a - sympy.sympify(b)) == 0


def test_a_page_of_a_book_with_one_wrong_equation():
    """Definitions are put in, names are matched, and the one fault is found and explained."""
    verdict = ARM.check(BOOK)
    assert verdict.status == "differs"
    wrong = [p for p in verdict.parts if not p.is_identical]
    assert [p.subject for p in wrong] == ["equation 2"]
    assert same(wrong[0].missing, "m2*l1*lc2*sin(theta2)*thetad1**2")
    assert same(wrong[0].extra, "-m2*l1*lc2*sin(theta2)*thetad1*thetad2")
    assert [t.kind for t in wrong[0].terms] == ["centrifugal", "Coriolis"]
    assert "∂T/∂θ₂ was left out" in wrong[0].diagnosis[0].sentence
    assert wrong[0].symbols["lc2"] == "r2"
    said = str(verdict)
    assert "missing  m₂ l₁ l_c2 sin(θ₂) θ̇₁²" in said
    assert "extra    -m₂ l₁ l_c2 sin(θ₂) θ̇₁ θ̇₂" in said


def test_the_witness_tells_the_two_apart():
    verdict = ARM.check("tau2 = I2 q2''")
    point = {sympy.Symbol(k): sympy.Rational(x) for k, x in verdict.witness.point.items()}
    truth = ARM.closed_form().equations[1].subs(point)
    assert abs(float(truth) - verdict.witness.truth) < 1e-12
    assert verdict.witness.claim != verdict.witness.truth


@pytest.mark.parametrize(
    "claim",
    [
        f"tau2 = {TAU2}",
        f"{TAU2} = u2",
        f"Q2 - ({TAU2}) = 0",
        f"2 tau2 = 2 ({TAU2})",
        f"tau_q2 = {TAU2}",
        {"tau2": TAU2},
        "M = [[I1 + I2 + m1 r1^2 + m2 (L1^2 + r2^2 + 2 L1 r2 cos(q2)),"
        " I2 + m2 (r2^2 + L1 r2 cos(q2))], [I2 + m2 (r2^2 + L1 r2 cos(q2)), I2 + m2 r2^2]]",
        "M_22 = I_2 + m_2 r_2^2",
        r"\Gamma^1_{22} = -m_2 L_1 r_2 \sin q_2",
        "C_{11} = -m2 L1 r2 sin(q2) qd2",
        "C = m2 L1 r2 sin(q2) [[-q2', -q1' - q2'], [q1', 0]]",
        "g = [a_g (m1 r1 cos(q1) + m2 (L1 cos(q1) + r2 cos(q1 + q2))), m2 a_g r2 cos(q1 + q2)]",
        "V = m1 a_g r1 sin q1 + m2 a_g (L1 sin q1 + r2 sin(q1 + q2))",
        "T = 1/2 I1 q1'^2 + 1/2 m1 r1^2 q1'^2 + 1/2 I2 (q1' + q2')^2"
        " + 1/2 m2 (L1^2 q1'^2 + r2^2 (q1' + q2')^2 + 2 L1 r2 cos(q2) q1' (q1' + q2'))",
        "p2 = (I2 + m2 r2^2) (q1' + q2') + m2 L1 r2 cos(q2) q1'",
        "y = L1 sin(q1) + L2 sin(q1 + q2)",
        "p_tool = [L1 cos(q1) + L2 cos(q1 + q2), L1 sin(q1) + L2 sin(q1 + q2), 0]",
        "J = [[0, 0], [0, 0], [1, 1], [-L1 sin(q1) - L2 sin(q1 + q2), -L2 sin(q1 + q2)],"
        " [L1 cos(q1) + L2 cos(q1 + q2), L2 cos(q1 + q2)], [0, 0]]",
        "tau2 - tau2 + tau1 - tau2 = (I1 + m1 r1^2 + m2 L1^2 + m2 L1 r2 cos(q2)) q1'' + m2 L1 r2"
        " cos(q2) q2'' - m2 L1 r2 sin(q2) (q1' + q2')^2 + a_g (m1 r1 + m2 L1) cos(q1)",
    ],
)
def test_true_claims_are_proved(claim):
    verdict = ARM.check(claim)
    assert verdict.status == "identical", str(verdict)
    assert verdict.missing == 0 or not any(verdict.missing)


def test_sympy_objects_are_claims():
    form = ARM.closed_form()
    tau = sympy.Matrix(sympy.symbols("tau1 tau2"))
    assert ARM.check(sympy.Eq(tau[0], form.equations[0])).is_identical
    assert ARM.check(list(form.equations)).is_identical
    assert ARM.check(form.mass_matrix, of="mass_matrix").is_identical
    assert ARM.check(form.christoffel[0, 1, 1], of="Gamma122").is_identical
    wrong = ARM.check(form.coriolis_matrix.T, of="C")
    assert wrong.status == "differs"
    assert "transposed" in {d.kind for d in wrong.diagnosis}


def test_functions_of_time_are_coordinates():
    q1, q2 = vv.coordinates("q1 q2")
    names = {"q1": q1, "q2": q2, "qd1": q1.diff("t"), "qd2": q2.diff("t")}
    names |= {"qdd1": q1.diff("t", 2), "qdd2": q2.diff("t", 2)}
    claim = ARM.closed_form().equations[1].subs(names)
    assert ARM.check(claim, of="tau2").is_identical


def test_shorthand_when_asked():
    claim = "tau2 = (m2 r2^2+I2) q2'' + (m2 (r2² + L1 r2 c2)+I2) q1'' + m2 L1 r2 s2 q1'^2"
    claim += " + m2 a_g r2 c12"
    assert ARM.check(claim, shorthand=True).is_identical
    with pytest.raises(ArgumentError, match="shorthand=True"):
        ARM.check(claim)


def test_an_equation_without_forces_is_brought_to_scale():
    one = vv.catalog.pendulum(1)
    verdict = one.check("theta1'' + (g/l1) sin(theta1) = 0")
    assert verdict.is_identical
    assert "multiplied by" in verdict.notes[0]
    assert one.check("theta'' = -(g/l1) sin(theta)").is_identical
    wrong = one.check("theta'' = (g/l1) sin(theta)")
    assert wrong.diagnosis[0].kind == "gravity"


def test_solved_accelerations():
    rp = vv.catalog.polar_point()
    assert rp.check("theta'' = (tau1 - 2 m r r' theta')/(m r^2)").is_identical
    verdict = rp.check("r'' = tau2/m")
    assert same(verdict.missing, "r*thetad**2")


def test_half_angles_and_other_zeros():
    one = vv.catalog.pendulum(1)
    half = "tau1 = m1 l1^2 theta1'' + 2 m1 g l1 sin(theta1/2) cos(theta1/2)"
    assert one.check(half).is_identical
    assert one.check("tau1 = m1 l1^2 theta1'' - m1 g l1 cos(theta1 + pi/2)").is_identical
    third = (
        "tau1 = m1 l1^2 theta1'' + 2 m1 g l1 (sin(theta1 + pi/3)/2 - sqrt(3) cos(theta1 + pi/3)/2)"
    )
    assert one.check(third).status == "differs"  # by the factor 2
    exact = (
        "tau1 = m1 l1^2 theta1'' + m1 g l1 (sin(theta1 + pi/3)/2 - sqrt(3) cos(theta1 + pi/3)/2)"
    )
    assert one.check(exact).is_identical


def test_roots_are_proved_or_agree():
    particle = vv.Lagrangian(
        "x", "m*x'^2/2", "k*sqrt(x^2 + a^2)", parameters={"m": 1, "k": 2, "a": 1}
    )
    assert particle.check("tau1 = m x'' + k x/sqrt(x^2 + a^2)").is_identical
    assert particle.check("tau1 = m x'' + k x sqrt(x^2 + a^2)/(x^2 + a^2)").is_identical
    verdict = particle.check("tau1 = m x'' + k x exp(-log(x^2 + a^2)/2)")
    assert verdict.status == "agrees numerically"
    assert verdict.points == 24
    assert verdict.digits > 40
    assert particle.check("tau1 = m x'' + k x exp(-log(x^2 + a^2)/3)").status == "differs"


def test_identities_with_quantities_of_the_system():
    tip = "x^2 + y^2 = L1^2 + L2^2 + 2 L1 L2 cos(q2)"
    assert ARM.check(tip, of="identity").is_identical
    wrong = ARM.check("x^2 + y^2 = L1^2 + L2^2", of="identity")
    assert same(wrong.missing, "2*L1*L2*cos(q2)")
    inner = "c = cos(q2); x^2 + y^2 = L1^2 + L2^2 + 2 L1 L2 c"
    assert ARM.check(inner, of="identity").is_identical


def test_lagrangians_are_judged_as_models_are():
    bead = vv.catalog.bead_on_rotating_wire()
    verdict = bead.check("m x'' (1 + 4 k^2 x^2) + 4 m k^2 x x'^2 - x Omega^2 = -2 k x m g")
    assert same(verdict.missing, "-m*x*Omega**2")
    assert same(verdict.extra, "-x*Omega**2")
    assert verdict.terms[0].kind == "of position"


def test_names_that_fit_in_two_ways_are_refused():
    two = vv.Lagrangian("x", "(rc + 2*ac)*x'^2/2", parameters={"rc": 1, "ac": 1})
    way = r"several ways: r may be rc or ac; say which, symbols=\{'r': 'rc'\}"
    with pytest.raises(ArgumentError, match=way):
        two.check("tau1 = 3 r x''")
    assert two.check("tau1 = 3 r x''", symbols={"r": "rc"}).status == "differs"
    assert two.check("tau1 = (r + 2 ac) x''").is_identical
    assert two.check("tau1 = (p + 2 ac) x''", symbols={"p": "rc"}).is_identical
    assert two.check("tau1 = (p + 2 ac) x''", symbols={"rc": "p"}).is_identical
    with pytest.raises(ArgumentError, match="names to names"):
        two.check("tau1 = (p + 2 ac) x''", symbols={"p": "rc/2"})


@pytest.mark.parametrize(
    ("claim", "options", "message"),
    [
        ("", {}, "expected a formula"),
        ("3 q1", {}, "says nothing"),
        ("tau1 = foo", {}, "foo"),
        ("r1 = 3", {}, "is a parameter"),
        ("Z = 3", {}, "is called Z"),
        ("M = [[1]]", {}, "2 × 2"),
        ("M33 = 1", {}, "2 × 2"),
        ("M = 1", {}, "has 2 rows, got one formula"),
        ("tau1 = 1/(q1 - q1)", {}, "zero"),
        ("tau1^2 = q1", {}, "linear"),
        ("x = 1", {"frame": "nowhere"}, "nowhere"),
        ("1", {"of": "nothing"}, "nothing"),
        ("tau1 = q1'''", {}, "derivative"),
        ("a = b; b = a; tau1 = a + b", {}, "is called a|circle|unknown"),
    ],
)
def test_what_cannot_be_judged_is_said(claim, options, message):
    with pytest.raises(VisvivaError, match=message):
        ARM.check(claim, **options)


def test_what_is_no_claim_is_refused():
    for nothing in (None, 3.5j, object(), b"tau1 = 0", {"tau1": None}, [[]]):
        with pytest.raises(VisvivaError):
            ARM.check(nothing)
    with pytest.raises(ParseError):
        ARM.check("tau1 = (")


def test_verdicts_can_be_stored_and_shown():
    verdict = ARM.check("M22 = I2")
    data = json.loads(json.dumps(verdict.as_dict()))
    assert data["missing"] == "m2*r2**2"
    assert data["diagnosis"][0]["kind"] == "parallel axis"
    assert "<math" in verdict._repr_html_()
    assert "It lacks: m₂ r₂²" in verdict.explanation
    assert "proved" in ARM.check("M22 = I2 + m2 r2^2").explanation


FILE = """
[mechanism]
catalog = "two_link"
m1 = 2.0
[options]
shorthand = true
[symbols]
lc2 = "r2"
[claims]
G2 = "m2 a_g lc2 c12"
"of joint 1" = "G1 = m1 a_g r1 c1"
strange = "G1 = foo"
"""


def test_files_of_claims(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text(FILE)
    said = load_claims(path)
    found = verdicts(said.system, said.claims, said.options)
    assert [v.status for v in found.values()] == ["identical", "differs", "unreadable"]
    assert said.system.parameters["m1"] == 2.0
    lines = tmp_path / "claims.txt"
    lines.write_text("# remarks\n\nM22 = I2 + m2 r2^2\n")
    assert verdicts(ARM, load_claims(lines).claims, {})["line 3"].is_identical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[claims]", "at least one"),
        ("[claims]\ntau1 = 3", "expected a text"),
        ("[claims]\ntau1 = 'q1'\n[options]\nfoo = 1", "foo"),
        ("[claims]\ntau1 = 'q1'\n[options]\nshorthand = 1", "true or false"),
        ("[claims]\ntau1 = 'q1'\n[symbols]\na = 1", "expected a name"),
        ("[claims]\ntau1 = 'q1'\n[mechanism]\ncatalog = 'foo'", "foo"),
        ("[claims]\ntau1 = 'q1'\n[mechanism]\ncatalog = 3", "expected a text"),
        ("[claims]\ntau1 = 'q1'\n[mechanism]\nfile = 'nowhere.toml'", "nowhere"),
        ("[other]", "other"),
        ("claims = 3", "table"),
        ("[[[", "TOML"),
    ],
)
def test_bad_files_of_claims(tmp_path, text, message):
    path = tmp_path / "claims.toml"
    path.write_text(text)
    with pytest.raises(VisvivaError, match=message):
        load_claims(path)


def test_a_mechanism_written_with_its_claims(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text(
        "[mechanism]\nname = 'spring'\n[mechanism.lagrangian]\ncoordinates = ['x']\n"
        "kinetic = \"m*x'^2/2\"\npotential = 'k*x^2/2'\n"
        "[mechanism.parameters]\nm = 1\nk = 2\n[claims]\ntau1 = \"m x'' + k x\"\n"
    )
    said = load_claims(path)
    assert verdicts(said.system, said.claims, said.options)["tau1"].is_identical


def test_numbers_are_what_they_say():
    """0.1 in a claim is a tenth, as it is in a mechanism."""
    s = vv.Lagrangian("x", "0.1*m*x'^2/2", parameters={"m": 1})
    assert s.check("tau1 = m x''/10").is_identical
    assert s.check("tau1 = 0.1 m x''").is_identical
    assert s.check("tau1 = 0.1000000000000001 m x''").status == "differs"


def test_smoke_every_model_of_the_catalog_agrees_with_itself():
    """Only that nothing breaks: equations and verdicts are of one engine."""
    for name in vv.catalog.names():
        if name in ("puma560", "stanford", "human_arm"):
            continue  # the mutation tests take their gravity
        system = vv.catalog.build(name)
        if system.held_by and isinstance(system, vv.Model):
            continue  # their equations are those of trees that others show, and long
        system = system.without_constraints()
        equations = list(system.closed_form().equations)
        if len(equations) != len(set(system.joint_names)):
            continue
        assert system.check({f"tau{k + 1}": x for k, x in enumerate(equations)}).is_identical, name
