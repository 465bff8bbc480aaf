"""Claims about the tip of an arm: where it is, how it moves, what holds it (document 003)."""

import re

import pytest

import visviva as vv
from tests.support.oracles.robots import robot
from visviva.errors import ArgumentError, OutsideError, ParseError
from visviva.judge.check.compare import tip

TWO, THREE = vv.catalog.two_link(), vv.catalog.planar_3r()
SPATIAL, RPR = vv.catalog.spatial_3r(), vv.catalog.rpr_arm()
LIGHT = TWO.with_gravity([0.0, 0.0, 0.0])
J2 = r"""\begin{bmatrix}
-l_1 \sin\theta_1 - l_2 \sin(\theta_1 + \theta_2) & -l_2 \sin(\theta_1 + \theta_2) \\
l_1 \cos\theta_1 + l_2 \cos(\theta_1 + \theta_2) & l_2 \cos(\theta_1 + \theta_2)
\end{bmatrix}""".replace("\n", " ")
J3 = r"""\begin{bmatrix}
-l_1 \sin\theta_1 \cos\theta_2 - l_2 \sin\theta_1 \cos(\theta_2 + \theta_3) &
-l_1 \cos\theta_1 \sin\theta_2 - l_2 \cos\theta_1 \sin(\theta_2 + \theta_3) &
-l_2 \cos\theta_1 \sin(\theta_2 + \theta_3) \\
l_1 \cos\theta_1 \cos\theta_2 + l_2 \cos\theta_1 \cos(\theta_2 + \theta_3) &
-l_1 \sin\theta_1 \sin\theta_2 - l_2 \sin\theta_1 \sin(\theta_2 + \theta_3) &
-l_2 \sin\theta_1 \sin(\theta_2 + \theta_3) \\
0 & l_1 \cos\theta_2 + l_2 \cos(\theta_2 + \theta_3) & l_2 \cos(\theta_2 + \theta_3)
\end{bmatrix}""".replace("\n", " ")
INVERSE = r"""\frac{1}{l_1 l_2 \sin(\theta_2)} \begin{bmatrix}
l_2 \cos(\theta_1 + \theta_2) & l_2 \sin(\theta_1 + \theta_2) \\
-l_1 \cos\theta_1 - l_2 \cos(\theta_1 + \theta_2) &
-l_1 \sin\theta_1 - l_2 \sin(\theta_1 + \theta_2)
\end{bmatrix}""".replace("\n", " ")
RATE = r"\frac{v_x \cos(\theta_1 + \theta_2) + v_y \sin(\theta_1 + \theta_2)}{l_1 \sin(\theta_2)}"
WRIST = r"x_w = x_e - l_3 \cos(\varphi_e); y_w = y_e - l_3 \sin(\varphi_e); "

RIGHT = [
    (THREE, r"x_e = l_1 \cos\theta_1 + l_2 \cos(\theta_1 + \theta_2)"
            r" + l_3 \cos(\theta_1 + \theta_2 + \theta_3)"),
    (THREE, r"\varphi_e = \theta_1 + \theta_2 + \theta_3"),
    (THREE, r"\theta_3 = \varphi_e - \theta_1 - \theta_2"),
    (THREE, r"\beta = \pi - \theta_2; " + WRIST
            + r"l_1^2 + l_2^2 - 2 l_1 l_2 \cos\beta = x_w^2 + y_w^2"),
    (RPR, r"x_e = d\cos\theta_1 + l_3\cos(\theta_1 + \theta_3); \varphi_e = \theta_1 + \theta_3"),
    (RPR, "J = [[-d sin(theta1) - l3 sin(theta1 + theta3), cos(theta1), -l3 sin(theta1 + theta3)],"
          "[d cos(theta1) + l3 cos(theta1 + theta3), sin(theta1), l3 cos(theta1 + theta3)],"
          "[1, 0, 1]]"),
    (RPR, r"\det J = -d"),
    (TWO, r"x_e(\theta_1, \theta_2) = l_1 \cos\theta_1 + l_2 \cos(\theta_1 + \theta_2)"),
    (TWO, r"\mathbf{J} = " + J2),
    (TWO, r"\dot{x}_e = -(l_1 \sin\theta_1 + l_2 \sin(\theta_1 + \theta_2)) \dot\theta_1"
          r" - l_2 \sin(\theta_1 + \theta_2) \dot\theta_2"),
    (TWO, r"\mathbf{J}^{-1} = " + INVERSE),
    (TWO, r"\dot{\theta}_1 = " + RATE),
    (TWO, r"\det J = l_1 l_2 \sin\theta_2"),
    (TWO, r"\det J = \det " + J2),
    (TWO, r"\dot{q} = J^{-1} \dot{p}"),
    (TWO, r"\dot{p} = J \dot{q}"),
    (TWO, r"x^2 + y^2 = l_1^2 + l_2^2 + 2 l_1 l_2 \cos\theta_2"),
    (TWO, r"\tau = J^T F + g"),
    (LIGHT, r"\tau = J^T F"),
    (THREE, r"\tau = J^T F + G"),
    (THREE, r"\dot{p} = J \dot{q}"),
    (SPATIAL, r"\tau = J^T F + G"),
    (LIGHT, r"\tau = " + J2 + r"^T \begin{bmatrix} F_1 \\ F_2 \end{bmatrix}"),
    (SPATIAL, r"z_e = l_1 \sin\theta_2 + l_2 \sin(\theta_2 + \theta_3)"),
    (SPATIAL, "J = " + J3),
    (SPATIAL, r"\dot{p} = " + J3 + r"\begin{bmatrix} \frac{d\theta_1}{dt} \\ \frac{d\theta_2}{dt}"
              r" \\ \frac{d\theta_3}{dt} \end{bmatrix}"),
    (SPATIAL, r"\det J = -l_1 l_2 \sin\theta_3 (l_1 \cos\theta_2 + l_2 \cos(\theta_2 + \theta_3))"),
]  # fmt: skip


@pytest.mark.parametrize(("arm", "claim"), RIGHT, ids=range(len(RIGHT)))
def test_what_is_right_is_proved(arm, claim):
    assert arm.check(claim).is_identical


WRONG = [
    (THREE, r"\varphi_e = \theta_1 + \theta_2", "theta3"),
    (THREE, r"\theta_3 = \varphi_e - \theta_1 + \theta_2", "-2*theta2"),
    (TWO, r"\det J = l_1 l_2 \cos\theta_2", ""),
    (TWO, r"\dot{\theta}_1 = \frac{v_x \cos(\theta_1 + \theta_2)}{l_1 \sin\theta_2}", ""),
    (SPATIAL, r"\dot{z}_e = l_2 \cos(\theta_2 + \theta_3) \dot\theta_3", ""),
    (TWO, r"J^{-1} = " + INVERSE.replace(r"l_2 \cos(\theta_1 + \theta_2) &", "0 &", 1), ""),
]


@pytest.mark.parametrize(("arm", "claim", "gap"), WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_shown_at_a_point(arm, claim, gap):
    verdict = arm.check(claim)
    assert verdict.status == "differs"
    assert verdict.witness is not None
    if gap:
        assert str(verdict.missing - verdict.extra) == gap


def test_weights_and_the_sign_of_a_force_are_told():
    assert TWO.check(r"\tau = J^T F").diagnosis[0].kind == "weights"
    assert TWO.check(r"\tau = -J^T F + g").diagnosis[0].kind == "sign of F"
    other = r"\tau_2 = l_2 \sin(\theta_1 + \theta_2) F_x - l_2 \cos(\theta_1 + \theta_2) F_y"
    assert LIGHT.check(other).diagnosis[0].kind == "sign of F"


def test_one_force_of_the_tip_has_one_name():
    with pytest.raises(ArgumentError, match="F1 and Fx are one force of 'tool'"):
        LIGHT.check("tau1 = F_1 L1 + F_x L1")


@pytest.mark.parametrize("claim", ["tau1 = F_1", "tau1 = F", "tau1 = F_1 + F_2"])
def test_a_force_alone_may_be_a_name_of_a_torque(claim):
    with pytest.raises(ArgumentError, match="generalized forces are tau1"):
        TWO.check(claim)


def test_only_square_jacobians_have_determinants():
    with pytest.raises(ArgumentError, match="is 3 × 7 for a velocity: J⁻¹ is judged where it is"):
        vv.catalog.human_arm().check(r"\det J = 0")
    with pytest.raises(ArgumentError, match="is 3 × 6 for a velocity"):
        PUMA.check(r"J^{-1} = 0")


PUMA = vv.catalog.puma560()
DET = (
    "-a2 (d4 cos(joint3) - a3 sin(joint3)) sin(joint5)"
    "(a2 cos(joint2) + a3 cos(joint2 + joint3) + d4 sin(joint2 + joint3))"
)


def test_the_determinant_of_six_joints_is_proved_for_all_lengths():
    """Of the whole twist, ω above v: shoulder, elbow and wrist are its factors."""
    verdict = PUMA.check(f"det J = {DET}")
    assert verdict.is_identical
    assert verdict.subject == "the determinant of the Jacobian of tool (rows ω, v)"
    stanford = vv.catalog.stanford()
    known = stanford.singularities("tool").determinant
    assert stanford.check(f"det J = {known}").is_identical
    ur5 = vv.load(robot("ur5_robot.urdf"))
    s2, s3, s4 = "shoulder_lift_joint", "elbow_joint", "wrist_1_joint"
    shoulder = f"0.425 cos({s2}) + 0.39225 cos({s2} + {s3}) - 0.09465 sin({s2} + {s3} + {s4})"
    claim = f"det J = 0.425*0.39225*({shoulder}) sin({s3}) sin(wrist_2_joint)"
    assert ur5.check(claim, frame="tool0").is_identical


def test_wrong_determinants_are_told_why():
    swapped = PUMA.check(f"det J = -({DET})")
    assert swapped.status == "differs"
    assert swapped.diagnosis[0].kind == "rows of J"
    assert "v above those of ω" in swapped.diagnosis[0].sentence
    other = PUMA.check(f"det J = {DET.replace('sin(joint5)', 'cos(joint5)')}")
    assert other.status == "differs"
    assert other.witness is not None


def test_a_determinant_that_is_too_long_is_compared_in_another_way(monkeypatch):
    def too_long(rows):
        raise OutsideError("too many terms")

    monkeypatch.setattr(tip, "determinant", too_long)
    assert PUMA.check(f"det J = {DET}").status in ("identical", "agrees numerically")
    assert PUMA.check(f"det J = 2 ({DET})").status == "differs"


def test_frames_that_leave_the_plane_have_no_angle():
    with pytest.raises(ArgumentError, match="stays in the plane"):
        SPATIAL.check("phi_e = theta1 + theta2")


def test_names_of_the_system_are_not_those_of_the_tip():
    """Coordinates called x, y and z are what the system says they are."""
    cartesian = vv.catalog.cartesian()
    assert cartesian.coordinate_names == ("x", "y", "z")
    claim = "T = (m1 + m2 + m3) x'^2/2 + (m2 + m3) y'^2/2 + m3 z'^2/2"
    assert cartesian.check(claim).is_identical
    assert cartesian.check("p = [x, y, z]").is_identical


def test_rates_and_forces_do_not_make_cos_to_the_minus_one_clear():
    with pytest.raises(ParseError, match=r"cos\^-1 is not clear"):
        TWO.check(r"\tau_1 = \cos^{-1} \theta_1")


@pytest.mark.parametrize("claim", ["DOF = 3(4 - 1 - 4) + 4", "DOF = 1", "mobility = 1"])
def test_freedoms_of_a_four_bar(claim):
    assert vv.catalog.four_bar().check(claim).is_identical


def test_a_count_that_is_not_the_mobility_is_told_from_it():
    verdict = vv.catalog.parallel_cranks().check("DOF = 3(5 - 1 - 6) + 6")
    assert verdict.status == "differs"
    assert (verdict.missing, verdict.extra) == (1, 0)
    assert verdict.diagnosis[0].kind == "Grübler"
    assert "3(5 - 1 - 6) + 6" in verdict.notes[0]
    with pytest.raises(ArgumentError, match="in numbers, got N"):
        TWO.check("DOF = 3 (N - 1)")
    with pytest.raises(ArgumentError, match="judged alone"):
        TWO.check("DOF = 2; T = 0")


@pytest.mark.parametrize(
    ("claim", "way"),
    [
        ("M = m1 r1^2", "has 2 rows, got one formula: write one entry, M11 = ..."),
        ("T = 1/2 q' M q'", "T = 1/2 q'^T M q'"),
        ("|J| = L1 L2 sin(q2)", "a determinant is written det J"),
        (r"M_{22} \approx I_2", "write ="),
        ("M22 = I2 + beta", "say first what it is, beta = ...; ..., or which of these"),
    ],
)
def test_refusals_name_the_way(claim, way):
    with pytest.raises((ArgumentError, ParseError), match=re.escape(way)):
        TWO.check(claim)


def test_freedoms_of_velocity_are_called_so_too():
    """A knife edge has three positions and two velocities: books count both."""
    edge = vv.catalog.knife_edge()
    assert edge.check("DOF = 3").is_identical
    both = edge.check("DOF = 2")
    assert both.status == "agrees numerically"
    assert "positions have 3 freedoms" in both.notes[1]
    assert edge.check("DOF = 1").status == "differs"
