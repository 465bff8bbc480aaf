"""Where a verdict could go wrong: forces, constraints, friction, angles, quaternions."""

import math

import pytest
import sympy

import visviva as vv
from visviva.describe.files.toml.read import loads_toml
from visviva.equations.forces.forces import dissipation_forces
from visviva.errors import ArgumentError, OutsideError, VisvivaError
from visviva.judge.exact.model_forms import ModelForms
from visviva.space.rotations import about_axis

PENDULUM = vv.Lagrangian(
    "theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters={"m": 1, "l": 2, "g": 9.81}
)
MASSES = vv.Lagrangian(
    "x y", "m*x'^2/2 + M*y'^2/2", "k*(x - y)^2/2", parameters={"m": 1, "M": 2, "k": 3}
)
ARM = vv.catalog.two_link()
NO_TAU2 = sympy.Eq(sympy.Symbol("tau2"), 0)


def test_forces_of_constraints_are_not_left_out_in_silence():
    s = vv.Lagrangian(
        "x y",
        "m*(x'^2 + y'^2)/2",
        "m*g*y",
        constraints=["x^2 + y^2 - l^2"],
        parameters={"m": 1, "g": 9.81, "l": 1},
    )
    for claim in ("m x'' = 0", "tau1 = m x''", "x'' = 0", "x'' = tau1/m"):
        verdict = s.check(claim)
        assert verdict.status == "differs"
        assert verdict.diagnosis[0].kind == "no multipliers"
    assert s.check("V = m g y").is_identical


def test_equations_without_forces_in_any_form():
    assert MASSES.check("m x'' = -k (x - y)").is_identical
    assert MASSES.check("x'' + k (x - y)/m = 0").is_identical
    assert MASSES.check("m x'' + M y'' = 0").status == "identical if"
    assert MASSES.check("x'' = (tau1 - k (x - y))/m").is_identical
    assert MASSES.check("m x'' + M y'' = k x").status == "differs"
    assert MASSES.check("tau1 + tau2 = m x'' + M y''").is_identical


def test_constants_of_energies():
    verdict = PENDULUM.check("V = m g l (1 - cos(theta))")
    assert verdict.status == "identical up to a constant"
    assert not verdict.is_identical


def test_energies_that_are_no_sums():
    with pytest.raises(ArgumentError, match="H is"):
        vv.catalog.relativistic_particle().check("E = m c^2")
    bead = vv.catalog.bead_on_rotating_wire()
    claim = "H = m (x'^2 (1 + 4 k^2 x^2) - Omega^2 x^2)/2 + m g k x^2"
    assert bead.check(claim).is_identical
    assert ARM.check("H = T + V", of="identity").is_identical


def test_symbols_of_the_second_kind_are_told():
    ball = vv.Lagrangian(
        "theta phi", "m*l^2*(theta'^2 + sin(theta)^2*phi'^2)/2", parameters={"m": 1, "l": 1}
    )
    verdict = ball.check("Gamma^1_22 = -sin(theta) cos(theta)")
    assert any("second kind" in d.sentence for d in verdict.diagnosis)


def test_dry_friction_is_in_the_equations():
    b = vv.Builder("hinge", gravity=[0, 0, -9.81])
    b.body(
        "link",
        joint="revolute",
        axis="y",
        joint_name="q1",
        inertia=vv.Inertia.point(1.0, [0.0, 0.0, -1.0]),
        friction=0.3,
        damping=0.1,
    )
    model = b.build()
    true = "tau1 = q1'' + 9.81 sin(q1) + 0.1 q1' + 0.3 sign(q1')"
    assert model.check(true).is_identical
    for claim in ("tau1 = q1'' + 9.81 sin(q1) + 0.1 q1'", "b1 = 0.1 q1'"):
        verdict = model.check(claim)
        assert [x.kind for x in verdict.terms] == ["dissipative"]
        said = "The dissipative term 3/10 sign(q̇₁) was left out."
        assert [x.sentence for x in verdict.diagnosis] == [said]
    kinds = [(x.kind, str(x.formula)) for x in model.check("tau1 = 0").terms]
    assert ("gravitational", "981*sin(q1)/100") in kinds
    assert ("dissipative", "3*sign(qd1)/10") in kinds


def test_fixed_rotations_have_their_value():
    b = vv.Builder("turned", gravity=[0, 0, -9.81])
    b.body(
        "link",
        joint="revolute",
        axis="y",
        joint_name="q1",
        rotation=about_axis([0.0, 1.0, 0.0], math.pi / 6),
        inertia=vv.Inertia.point(1.0, [0.0, 0.0, -1.0]),
    )
    model = b.build()
    assert model.check("V = -9.81 cos(q1 + pi/6)").is_identical
    assert model.check("V = -9.81 cos(q1 + pi/5)").status == "differs"


def test_quaternions_have_the_length_one():
    body = vv.catalog.tumbling_body()
    (joint,) = body.joint_names if len(body.joint_names) == 1 else (body.bodies[0].joint_name,)
    x, y, z, w = (f"{joint}_{c}" for c in "xyzw")
    frame = body.frame_names[-1]
    entry = f"R11 = {w}^2 + {x}^2 - {y}^2 - {z}^2"
    assert body.check(entry, frame=frame).is_identical
    assert body.check(f"R11 = 1 - 2 ({y}^2 + {z}^2)", frame=frame).is_identical
    assert body.check(f"R11 = {w}^2 + {x}^2", frame=frame).status == "differs"
    with pytest.raises(ArgumentError, match="velocities"):
        body.check(f"{joint}_x'' = 0")


def test_numbers_of_a_model_are_numbers():
    pair = loads_toml(
        'name = "pair"\n[[body]]\nname = "pair"\njoint = "revolute"\naxis = "z"\n'
        "inertia = {points = [{mass = 1, at = [1, 2, 0]}, {mass = 1, at = [3, 2, 0]}]}"
    )
    tensor = "[[0, 0, 0], [0, 2, 0], [0, 0, 2]]"
    assert pair.check(tensor, of="inertia", frame="pair").is_identical
    assert pair.check("M11 = 12").status == "differs"


def test_jacobians_of_planar_arms():
    rows = "[-L1 sin(q1) - L2 sin(q1 + q2), -L2 sin(q1 + q2)], [L1 cos(q1) + L2 cos(q1 + q2), "
    rows += "L2 cos(q1 + q2)]"
    assert ARM.check(f"J = [{rows}]").is_identical
    assert ARM.check(f"J = [{rows}, [0, 0]]").is_identical
    assert ARM.check("J11 = -L1 sin(q1) - L2 sin(q1 + q2)").is_identical
    with pytest.raises(ArgumentError, match="J11 is not clear"):
        ARM.check("J11 = 0")


def test_rounded_numbers_are_told():
    s = vv.Lagrangian("x", "m*x'^2/2", "9.81*m*x", parameters={"m": 1})
    verdict = s.check("V = 9.8100001 m x")
    assert verdict.status == "differs"
    assert verdict.diagnosis[0].kind == "rounding"


def test_numbers_far_away_are_tried():
    for claim in ("abs(q1 - 10) = 10 - q1", "sqrt((m1 - 5)^2) = 5 - m1"):
        assert ARM.check(claim, of="identity").status == "differs"


def test_a_balance_is_not_all_equations():
    verdict = MASSES.check("[m x'' + M y'', m x'' + M y''] = [0, 0]")
    assert verdict.status == "identical if"
    assert verdict.subject == "a combination of the equations of motion"


CART = vv.Lagrangian(
    "x theta",
    "(M + m)*x'^2/2 + m*l*cos(theta)*x'*theta' + m*l^2*theta'^2/2",
    "m*g*l*cos(theta)",
    parameters={"M": 1, "m": 1, "l": 1, "g": 9.81},
)
RIGHT = "m sin(theta) (l theta'^2 - g cos(theta))"


def test_forces_that_are_left_out_are_conditions():
    """A cart with a pole, pushed at the cart only."""
    forced = CART.check(f"(M + m sin(theta)^2) x'' = tau1 + {RIGHT}")
    assert (forced.status, forced.conditions) == ("identical if", (NO_TAU2,))
    solved = CART.check(f"x'' = (tau1 + {RIGHT})/(M + m sin(theta)^2)")
    assert (solved.status, solved.conditions) == ("identical if", (NO_TAU2,))
    assert CART.check(f"x'' = (tau1 + 2 {RIGHT})/(M + m sin(theta)^2)").status == "differs"
    below = "(l (M + m sin(theta)^2))"
    free = f"theta'' = ((M + m) g sin(theta) - m l theta'^2 sin(theta) cos(theta))/{below}"
    assert CART.check(free).conditions == (sympy.Eq(sympy.Symbol("tau1"), 0), NO_TAU2)
    both = CART.check(f"x'' = (tau1 + {RIGHT})/(M + m sin(theta)^2); {free}")
    assert [p.status for p in both.parts] == ["identical if", "differs"]  # tau1 acts there too
    assert both.parts[1].diagnosis[0].kind == "forces"


def test_the_tip_is_the_frame_that_moves_last():
    pair = loads_toml(
        'name = "pair"\n[[body]]\nname = "a"\njoint = "revolute"\naxis = "z"\njoint_name = "q1"\n'
        '[[frame]]\nname = "tip"\nbody = "a"\nat = [1, 0, 0]\n'
        '[[frame]]\nname = "marker"\nbody = "world"\nat = [5, 0, 0]\n'
    )
    assert pair.check("x = cos(q1)").is_identical


def test_singular_mass_matrices_prove_nothing():
    s = vv.Lagrangian(
        "x y", "m*x'^2/2", "k*(x - y)^2/2 + c*y^2/2", parameters={"m": 1, "k": 2, "c": 3}
    )
    with pytest.raises(ArgumentError, match="combination"):
        s.check("m x'' + 77 x = 0")
    assert s.check("m x'' + c y = 0").status == "identical if"  # the sum of both, whatever M is
    assert s.check("m x'' + k (x - y) = 0").is_identical
    assert s.check("x'' = -k (x - y)/m").status == "identical if"
    with pytest.raises(ArgumentError, match="singular"):
        s.check("x'' = -2 k (x - y)/m")


def test_sums_of_many_equations_are_not_called_wrong():
    names = [f"x{k}" for k in range(1, 5)]
    s = vv.Lagrangian(
        names,
        " + ".join(f"m{k}*x{k}'^2/2" for k in range(1, 5)),
        " + ".join(f"k*(x{k} - x{k + 1})^2/2" for k in range(1, 4)),
        parameters=dict.fromkeys("m1 m2 m3 m4 k".split(), 1.0),
    )
    whole = s.check("m1 x1'' + m2 x2'' + m3 x3'' + m4 x4'' = 0")
    assert whole.status == "identical if"
    assert len(whole.conditions) == 4
    assert s.check("tau1 = m1 x1'' + k (x1 - x2)").is_identical
    assert s.check("m1 x1'' = k (x2 - x1)").is_identical
    assert s.check("m1 x1'' = 2 k (x2 - x1)").status == "differs"


def test_laws_of_forces_are_no_claims():
    s = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", "b*x'^2/2", parameters={"m": 1, "k": 2, "b": 3})
    assert s.check("F = 0; m x'' + b x' + k x = F").is_identical
    assert s.check("u = -3 x; m x'' + b x' + k x = u").is_identical
    both = MASSES.check("tau1 = m x'' + k (x - y); tau2 = k (y - x)")
    assert [p.status for p in both.parts] == ["identical", "differs"]
    still = "tau2 = 0; x'' = (tau1 - k (x - y))/m"
    assert MASSES.check(still).is_identical


def test_forces_alone_on_one_side():
    held = CART.check(f"tau1 = (M + m sin(theta)^2) x'' - {RIGHT}")
    assert (held.status, held.conditions) == ("identical if", (NO_TAU2,))


def test_each_formula_alone_is_its_own_equation():
    one = "m x'' + k (x - y)"
    verdict = MASSES.check([one, one])
    assert [p.status for p in verdict.parts] == ["identical", "differs"]


TINY = [
    ("m x'' + k x + 10^-60 = tau", "1.00e-60"),
    ("m x'' + k x + 10^-100 = tau", "1.00e-100"),
    ("tau = (1 + 10^-90) k x + m x''", "-1.87e-90"),
    ("tau = m x'' + k x + 10^-600", "1.00e-600"),
    ("tau = m x'' + k x + sqrt(2)/2 - 1/sqrt(2) + 10^-100", "1.00e-100"),
    ("tau = m x'' + k x + 10^-300 sqrt(x^2 + 1)", "1.49e-300"),
]


@pytest.mark.parametrize(("claim", "apart"), TINY)
def test_a_difference_of_formulas_is_told_however_small(claim, apart):
    s = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters="m k")
    verdict = s.check(claim)
    assert verdict.status == "differs"
    assert verdict.witness.apart == apart
    assert f"the claim differs from it by {apart}" in verdict.explanation
    assert not verdict.extra.atoms(sympy.Float)
    assert verdict.extra != 0


def test_fractions_of_claims_stay_exact_in_what_is_missing_and_too_much():
    s = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters="m k")
    m, k, x, xdd = sympy.symbols("m k x xdd")
    more = sympy.Rational(100000001, 10**8)
    assert s.check(m * xdd + more * k * x, of="tau1").extra == k * x / 10**8
    assert s.check(m * xdd + k * x - more, of="tau1").extra == -more
    verdict = s.check("tau = m x'' + 1.0625 k x")
    assert verdict.extra == k * x / 16
    assert "1e-8 k x" in str(s.check("tau = m x'' + 1.00000001 k x"))  # shown as typed


def turned(R):
    b = vv.Builder("turned", gravity=[0, 0, -9.81])
    point = vv.Inertia.point(1.0, [0.0, 0.0, -1.0])
    b.body("link", joint="revolute", axis="y", joint_name="q1", rotation=R, inertia=point)
    return b.build()


@pytest.mark.parametrize("off", [1e-13, -3e-10, 1e-9, 3.7e-6])
def test_a_frame_turned_by_nearly_30_degrees_is_not_taken_for_one_turned_by_30(off):
    """π/6 + 1e-10 is another angle: no proof of V = -9.81 cos(q1 + π/6)."""
    model = turned(about_axis([0.0, 1.0, 0.0], math.pi / 6 + off))
    with pytest.raises(ArgumentError, match=r"no multiple of 15°, but .* rad off 30°"):
        model.check("V = -9.81 cos(q1 + pi/6)")


def test_an_angle_off_by_the_rounding_of_products_is_taken_with_a_note():
    y = [0.0, 1.0, 0.0]
    assert turned(about_axis(y, math.pi / 6)).check("V = -9.81 cos(q1 + pi/6)").notes == ()
    verdict = turned(about_axis(y, math.pi / 3 + 1e-15)).check("V = -9.81 cos(q1 + pi/3)")
    assert verdict.is_identical
    assert any("rad was taken as 60°" in x for x in verdict.notes)


def test_an_urdf_with_few_digits_is_refused_with_the_angle_that_it_nearly_has(tmp_path):
    text = """<robot name="r"><link name="base"/><link name="a"><inertial><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="continuous"><parent link="base"/><child link="a"/>
    <origin rpy="1.5708 0 0"/><axis xyz="0 0 1"/></joint></robot>"""
    path = tmp_path / "r.urdf"
    path.write_text(text)
    with pytest.raises(
        ArgumentError, match=r"3\.7e-06 rad off 90°: give that angle all its digits"
    ):
        vv.load(path).check("T = j'^2/2")
    path.write_text(text.replace("1.5708", "1.5707963267948966"))
    assert vv.load(path).check("T = j'^2/2").is_identical


def sprung(rest, damping=0.0):
    b = vv.Builder("sprung")
    b.body("a", joint="revolute", axis="y", inertia=vv.Inertia.point(1.0, [0.0, 0.0, -1.0]))
    b.frame("tip", body="a", at=[0.0, 0.0, -1.0]).frame("wall", at=[1.0, 0.0, 0.0])
    return b.spring("s", 3.0, rest=rest, damping=damping, between=("tip", "wall")).build()


def test_springs_between_frames_are_refused_by_what_they_are():
    model, root = sprung(0.1), "spring 's' between 'tip' and 'wall' has a length at rest"
    with pytest.raises(ArgumentError, match="springs between frames with a length at rest"):
        model.check("tau1 = a_joint''")
    for ask in (
        lambda: model.closed_form().equations,
        lambda: model.check("V = 0"),
        lambda: model.derivation(),
    ):
        with pytest.raises(VisvivaError, match=root):
            ask()
    assert model.check("M = 1").is_identical
    assert all(row.agrees for row in model.crosscheck().rows)  # by numbers
    exact = ModelForms(sprung(0.0, 0.7)).exact
    with pytest.raises(OutsideError, match="between 'tip' and 'wall' has a damper: its force"):
        dissipation_forces(exact.model, exact.q, exact.v)
    assert sprung(0.0).check("tau1 = a_joint'' + 9.81 sin(a_joint) + 3 cos(a_joint)").is_identical


@pytest.mark.parametrize(
    ("follows", "said"),
    [
        (("j", -1.5, 0.2), "joint 'k' follows 'j' with the offset 0.2 rad"),
        (("j", 0.123456), "joint 'k' follows 'j' with the ratio 0.123456"),
    ],
)
def test_joints_that_follow_others_are_refused_by_offset_or_ratio(follows, said):
    point = vv.Inertia.point(1.0, [0.0, 0.0, -1.0])
    b = vv.Builder("pair")
    b.body("a", joint="revolute", axis="y", joint_name="j", inertia=point)
    more = {"parent": "a", "joint_name": "k", "mimic": follows}
    b.body("b", joint="revolute", axis="y", inertia=point, **more)
    model = b.build()
    for ask in (lambda: model.closed_form().equations, lambda: model.check("M = 1")):
        with pytest.raises(VisvivaError, match=said):
            ask()


@pytest.mark.parametrize("potential", ["k*max(x, 0)^2/2", "k*min(x, 1)"])
def test_energies_by_cases_are_refused_as_such(potential):
    s = vv.Lagrangian("x", "m*x'^2/2", potential, parameters="m k")
    with pytest.raises(ArgumentError, match="stated by cases"):
        s.check("tau = m x''")
    assert s.check("M = m").is_identical
