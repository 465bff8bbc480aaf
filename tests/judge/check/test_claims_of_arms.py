"""Names of books on robot arms: Craig's B and C, Jacobians by rows and axes, frames, centres."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import VisvivaError

ARM = vv.catalog.two_link()
THREE = vv.catalog.planar_3r()
SPATIAL = vv.catalog.spatial_3r()
H = "m2 L1 r2 sin(q2)"
JX = "[-L1 sin(q1) - L2 sin(q1 + q2), -L2 sin(q1 + q2)]"
JY = "[L1 cos(q1) + L2 cos(q1 + q2), L2 cos(q1 + q2)]"
ZERO = "[0, 0]"


def pose(angle, x, y):
    c, s = f"cos({angle})", f"sin({angle})"
    return f"[[{c}, -{s}, 0, {x}], [{s}, {c}, 0, {y}], [0, 0, 1, 0], [0, 0, 0, 1]]"


def refused(claim, system=ARM, **options):
    with pytest.raises(VisvivaError) as error:
        system.check(claim, **options)
    return str(error.value)


RIGHT_AND_WRONG = [
    # Craig
    (f"C(q) = [[0, -{H}], [{H}, 0]]", f"C(q) = [[0, {H}], [{H}, 0]]"),
    (f"C = [[0, -{H}], [{H}, 0]]", f"C = [[0, -{H}], [2 {H}, 0]]"),
    (f"B(q) = [[-2 {H}], [0]]", f"B(q) = [[-{H}], [0]]"),
    (f"B = [-2 {H}, 0]", f"B = [-2 {H}, {H}]"),
    # Jacobians
    (f"J_v = [{JX}, {JY}]", f"J_v = [{JY}, {JX}]"),
    (f"J_v = [{JX}, {JY}, {ZERO}]", f"J_v = [{JX}, {JY}, [0, 1]]"),
    (f"J_P = [{JX}, {JY}]", f"J_P = [{JX}, [L1 cos(q1), L2 cos(q1 + q2)]]"),
    ("J_ω = [[0, 0], [0, 0], [1, 1]]", "J_ω = [[0, 0], [0, 0], [1, 0]]"),
    (r"J_\omega = [[0, 0], [0, 0], [1, 1]]", r"J_\omega = [[0, 0], [0, 0], [0, 1]]"),
    ("det J_v = L1 L2 sin(q2)", "det J_v = L1 L2 cos(q2)"),
    ("det(J_v) = L1 L2 sin(q2)", "det(J_v) = -L1 L2 sin(q2)"),
    (
        f"J = [{JX}, {JY}, {ZERO}, {ZERO}, {ZERO}, [1, 1]]",
        f"J = [{JX}, {JY}, {ZERO}, {ZERO}, {ZERO}, [1, 0]]",
    ),
    (
        f"J = [{ZERO}, {ZERO}, [1, 1], {JX}, {JY}, {ZERO}]",
        f"J = [{ZERO}, {ZERO}, [1, 1], {JY}, {JX}, {ZERO}]",
    ),
    (
        "J_s = [[0, 0], [0, 0], [1, 1], [0, L1 sin(q1)], [0, -L1 cos(q1)], [0, 0]]",
        "J_s = [[0, 0], [0, 0], [1, 1], [0, L1 sin(q1)], [0, L1 cos(q1)], [0, 0]]",
    ),
    (
        "J_b = [[0, 0], [0, 0], [1, 1], [L1 sin(q2), 0], [L1 cos(q2) + L2, L2], [0, 0]]",
        "J_b = [[0, 0], [0, 0], [1, 1], [L1 sin(q2), 0], [L1 cos(q2), L2], [0, 0]]",
    ),
    (
        "J_b = [[L1 sin(q2), 0], [L1 cos(q2) + L2, L2], [0, 0], [0, 0], [0, 0], [1, 1]]",
        "J_b = [[L1 sin(q2), 0], [L1 cos(q2) + L2, L1], [0, 0], [0, 0], [0, 0], [1, 1]]",
    ),
    ("J31 = 1", "J31 = 2"),
    ("J_{32} = 1", "J_{32} = q1"),
    # centres of mass
    ("x_c2 = L1 cos(q1) + r2 cos(q1 + q2)", "x_c2 = L1 cos(q1) + L2 cos(q1 + q2)"),
    ("x_{c2} = L1 cos(q1) + r2 cos(q1 + q2)", "x_{c2} = L1 cos(q1) + r2 cos(q2)"),
    ("y_{c1} = r1 sin(q1)", "y_{c1} = r1 cos(q1)"),
    (
        "x_c2' = -L1 sin(q1) q1' - r2 sin(q1 + q2) (q1' + q2')",
        "x_c2' = -L1 sin(q1) q1' - r2 sin(q1 + q2) q2'",
    ),
    (
        "J_{vc1} = [[-r1 sin(q1), 0], [r1 cos(q1), 0], [0, 0]]",
        "J_{vc1} = [[-r1 sin(q1), 0], [r1 cos(q1), r1], [0, 0]]",
    ),
    # frames
    (f"A_1 = {pose('q1', 'L1 cos(q1)', 'L1 sin(q1)')}", f"A_1 = {pose('q1', 'L1', '0')}"),
    (
        f"A_2^1 = {pose('q2', 'L2 cos(q2)', 'L2 sin(q2)')}",
        f"A_2^1 = {pose('q2', 'L2 cos(q2)', 'L1 sin(q2)')}",
    ),
    (f"{{}}^0A_1 = {pose('q1', 'L1 cos(q1)', 'L1 sin(q1)')}", f"^0A_1 = {pose('q1', '0', '0')}"),
    (f"T_{{12}} = {pose('q2', 'L2 cos(q2)', 'L2 sin(q2)')}", f"T_12 = {pose('q2', 'L2', '0')}"),
    (f"^1T_2 = {pose('q2', 'L1', '0')}", f"^1T_2 = {pose('q2', 'L1', 'L1')}"),
    (
        f"T_02 = {pose('q1 + q2', 'L1 cos(q1) + L2 cos(q1 + q2)', 'L1 sin(q1) + L2 sin(q1 + q2)')}",
        f"T_02 = {pose('q1 + q2', 'L1 cos(q1) + L2 cos(q1 + q2)', 'L1 sin(q1)')}",
    ),
    (
        f"T_02 = {pose('q1 + q2', 'L1 cos(q1)', 'L1 sin(q1)')}",
        f"T_02 = {pose('q1 + q2', 'L2 cos(q1)', 'L1 sin(q1)')}",
    ),
    (
        "R_12 = [[cos(q2), -sin(q2), 0], [sin(q2), cos(q2), 0], [0, 0, 1]]",
        "R_12 = [[cos(q2), sin(q2), 0], [-sin(q2), cos(q2), 0], [0, 0, 1]]",
    ),
]


@pytest.mark.spread(15)
@pytest.mark.parametrize(("claim", "wrong"), RIGHT_AND_WRONG)
def test_names_of_arms(claim, wrong):
    assert ARM.check(claim).status == "identical"
    assert ARM.check(wrong).status == "differs"


def notes(claim, system=ARM):
    return " ".join(system.check(claim).notes)


def test_notes_say_what_was_judged():
    assert "the Coriolis matrix C(q, q') was not judged" in notes(RIGHT_AND_WRONG[0][0])
    rows = {x: notes(f"J = [{x}]") for x in (f"{JX}, {JY}, {ZERO}, {ZERO}, {ZERO}, [1, 1]",)}
    assert all("v, ω: the velocity comes first" in x for x in rows.values())
    assert "ω, v" in notes(f"J = [{ZERO}, {ZERO}, [1, 1], {JX}, {JY}, {ZERO}]")
    assert "as Spong" in notes(f"T_12 = {pose('q2', 'L2 cos(q2)', 'L2 sin(q2)')}")
    assert "as Craig" in notes(f"T_12 = {pose('q2', 'L1', '0')}")
    assert "it is none of these" in notes(f"T_12 = {pose('q2', 'L2', '0')}")


def test_a_matrix_with_rates_is_the_coriolis_matrix():
    C = f"[[-{H} q2', -{H} (q1' + q2')], [{H} q1', 0]]"
    assert str(ARM.check(f"C = {C}").subject) == "the Coriolis matrix"
    assert ARM.check(f"C(q, q') = [[0, -{H}], [{H}, 0]]").status == "differs"
    assert ARM.check("C = [[0, 0], [0, 0]]").subject == "the Coriolis matrix"
    C = "[[0, -Bz e/c, By e/c], [Bz e/c, 0, -Bx e/c], [-By e/c, Bx e/c, 0]]"  # gyroscopic
    assert vv.catalog.charged_particle().check(f"C = {C}").subject == "the Coriolis matrix"
    found = ARM.check(f"C12 = -{H}")
    assert found.status == "differs"
    assert "The rates are missing" in found.diagnosis[0].sentence
    assert "judge its parts" in refused("V = B(Θ)[θ̇θ̇] + C(Θ)[θ̇²]")


def test_squares_and_products_are_all_velocity_forces():
    """B [q̇ⱼ q̇ₖ] + C [q̇ⱼ²] is C(q, q̇) q̇, by numbers and of three joints."""
    from visviva.judge.exact.arms import rate_product_matrix, squared_rate_matrix
    from visviva.judge.exact.systems import facts

    known = facts(THREE)
    v = [known.ring[x] for x, _ in known.rates]
    pairs = np.array([v[0] * v[1], v[0] * v[2], v[1] * v[2]], dtype=object)
    squares = np.array([x * x for x in v], dtype=object)
    whole = rate_product_matrix(known) @ pairs + squared_rate_matrix(known) @ squares
    assert all(
        (a - b).is_zero for a, b in zip(whole, known.quantity("velocity_forces"), strict=True)
    )


def test_jacobians_in_space():
    assert "three rows" in refused("J_v = [[0, 0, 0], [0, 0, 0]]", SPATIAL)
    assert "is not clear" in refused("J11 = 0", SPATIAL)
    assert "2 joints in a plane or 3 in space" in refused("det J_v = 0", vv.catalog.puma560())


def test_frames_without_numbers_are_refused():
    """Upper numbers that are larger, joints that slide, more frames than bodies."""
    assert "T_1^2 may be frame 2 in frame 1" in refused(f"T_1^2 = {pose('q2', 'L1', '0')}")
    assert "which frames" in refused(f"T_01 = {pose('q1', '0', '0')}", vv.catalog.rp_arm())
    assert "which frames" in refused(f"T_03 = {pose('q1', '0', '0')}")
    assert "has 2 bodies" in refused("x_c3 = 0")


def test_names_that_the_claim_gives_are_its_own():
    A = f"A_1 = {pose('q1', 'L1 cos(q1)', 'L1 sin(q1)')}\nA_2 = "
    A += pose("q2", "L2 cos(q2)", "L2 sin(q2)")
    assert ARM.check(f"{A}\nT = A_1 A_2").status == "identical"
    assert ARM.check(f"{A}\nT = A_2 A_1").status == "differs"


def test_witnesses_have_positive_lengths():
    found = ARM.check("r2 = a/2; M22 = I2 + m2 a^2")
    assert found.status == "differs"
    assert all(x > 0 for k, x in found.witness.point.items() if not k.startswith("q"))


_INERTIAS = "[[I1 + I2, I2], [I2, I2]]"
_TURNING = "I1 q1'^2/2 + I2 (q1' + q2')^2/2"
_SUM = "M = m1 J_{vc1}^T J_{vc1} + m2 J_{v_{c2}}^T J_{v_{c2}} + "
_ALONG = "x'' = -L1 sin(q1) q1'' - L1 cos(q1) q1'^2 - L2 sin(q1 + q2) (q1'' + q2'')"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("V = m1 a_g y_c1 + m2 a_g y_c2", "V = m1 a_g y_c1 + m2 a_g x_c2"),
        ("g1 = m1 a_g ∂y_c1/∂q1 + m2 a_g ∂y_c2/∂q1", "g1 = m1 a_g ∂y_c1/∂q1 + m2 a_g ∂y_c2/∂q2"),
        (
            f"T = m1 (x_c1'^2 + y_c1'^2)/2 + m2 (x_c2'^2 + y_c2'^2)/2 + {_TURNING}",
            f"T = m1 (x_c1'^2 + y_c1'^2)/2 + m2 x_c2'^2/2 + {_TURNING}",
        ),
        (_SUM + _INERTIAS, _SUM + _INERTIAS.replace("I1 + I2", "I1")),
        (f"{_ALONG} - L2 cos(q1 + q2) (q1' + q2')^2", _ALONG),
        ("x'' = J11 q1'' + J12 q2'' + J11' q1' + J12' q2'", "x'' = J11 q1'' + J12 q2''"),
    ],
)
def test_centres_in_formulas_and_accelerations_of_the_tip(right, wrong):
    verdict = ARM.check(right)
    assert verdict.is_identical
    taken = ("of centres of mass of the mechanism", "stand for the mechanism's own")
    assert verdict.relates is any(mark in x for x in verdict.notes for mark in taken)
    assert ARM.check(wrong).status == "differs"


def test_which_body_a_jacobian_is_of():
    assert "body 1 is J_{vc1}" in refused("M = m1 J1^T J1 + m2 J2^T J2")
    assert "J_w1 = [[1, 0]]; ... in a plane" in refused(
        "M = m1 J_v1^T J_v1 + J_w1^T R1 I1 R1^T J_w1"
    )
    assert "or w1 = [0, 0, q1']; R_1 = [[...]" in refused("T = 1/2 w1^T R1 I1 R1^T w1")
    assert "write the sum out" in refused(r"M = \sum_i m_i J_{vi}^T J_{vi}")
    law = refused("tau = -Kp*q - Kd*q'").partition("with them: ")[2]
    assert law == refused("M q'' + C q' + g = -Kp q - Kd q'").partition("with them: ")[2]
    assert ARM.check(law).status == "identical if"  # the line that the error names


def test_an_entry_of_another_coriolis_matrix_differs_without_a_diagnosis_and_with_the_reason():
    """C v is the same with these entries together; none of them has a true size by itself."""
    for claim in (f"C12 = -{H} (2 q1' + q2')", f"C11 = -3 {H} q2'"):
        found = ARM.check(claim)
        assert found.status == "differs"
        assert found.diagnosis == ()
        assert "other matrices with the same C v have other entries" in found.notes[-1]
    assert ARM.check(f"V = [-{H} q2' (2 q1' + q2'), {H} q1'^2]").is_identical
    assert "another factorisation" in str(ARM.check(f"C = [[0, -{H} (2 q1' + q2')], [{H} q1', 0]]"))
    assert not ARM.check(f"C21 = {H} q1'").notes


def test_what_has_another_size_is_told_the_size_that_is_expected():
    assert "the equations of motion: expected 2 entries, got one number" in refused("tau = 0")
