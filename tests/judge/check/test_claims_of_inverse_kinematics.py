"""Formulas for joints are put into the forward kinematics: proved, or shown at a target."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from visviva.errors import ArgumentError
from visviva.judge.check.reach.roots import Roots, UnknownSignError

TWO, THREE = vv.catalog.two_link(), vv.catalog.planar_3r()
SPATIAL, RPR = vv.catalog.spatial_3r(), vv.catalog.rpr_arm()
ELBOW = r"\arccos((x^2 + y^2 - l_1^2 - l_2^2)/(2 l_1 l_2))"
SHOULDER = (
    r"\operatorname{atan2}(y, x) - \operatorname{atan2}(l_2 \sin\theta_2, l_1 + l_2 \cos\theta_2)"
)
PRINTED = r"""
x_w = x_e - l_3 \cos(\varphi_e)
y_w = y_e - l_3 \sin(\varphi_e)
\theta_2 = \pi - \cos^{-1} \frac{l_1^2 + l_2^2 - x_w^2 - y_w^2}{2 l_1 l_2}
\theta_1 = %s - \cos^{-1} \frac{x_w^2 + y_w^2 + l_1^2 - l_2^2}{2 l_1 \sqrt{x_w^2 + y_w^2}}
\theta_3 = \varphi_e - \theta_1 - \theta_2
"""
RIGHT = [
    (TWO, rf"\theta_2 = {ELBOW}; \theta_1 = {SHOULDER}", "sin(q2) is not negative"),
    (TWO, rf"\theta_2 = -{ELBOW}; \theta_1 = {SHOULDER}", "sin(q2) is not positive"),
    (THREE, PRINTED % r"\operatorname{atan2}(y_w, x_w)", "sin(theta2) is not negative"),
    (RPR, "d = sqrt((x - l3 cos(phi))^2 + (y - l3 sin(phi))^2); theta3 = phi - theta1;"
          "theta1 = atan2(y - l3 sin(phi), x - l3 cos(phi))", "d is not negative"),
    (RPR, "d = -sqrt((x - l3 cos(phi))^2 + (y - l3 sin(phi))^2); theta3 = phi - theta1;"
          "theta1 = atan2(l3 sin(phi) - y, l3 cos(phi) - x)", "d is not positive"),
    (SPATIAL, "theta1 = atan2(y, x); theta3 = acos((x^2 + y^2 + z^2 - l1^2 - l2^2)/(2 l1 l2));"
              "theta2 = atan2(z, sqrt(x^2 + y^2)) - atan2(l2 sin(theta3), l1 + l2 cos(theta3))",
     "sin(theta3) is not negative"),
]  # fmt: skip


@pytest.mark.spread(3)
@pytest.mark.parametrize(("arm", "claim", "branch"), RIGHT, ids=range(len(RIGHT)))
def test_a_branch_is_proved_and_named(arm, claim, branch):
    verdict = arm.check(claim)
    assert verdict.is_identical
    assert any(note.endswith(branch) for note in verdict.notes)


def test_both_signs_are_two_claims():
    verdict = TWO.check(rf"\theta_2 = \pm {ELBOW}; \theta_1 = {SHOULDER}")
    assert verdict.is_identical
    assert len(verdict.parts) == 2
    mixed = TWO.check(
        rf"\theta_2 = \pm {ELBOW}; \theta_1 = \operatorname{{atan2}}(y, x) \pm "
        r"\arccos((x^2 + y^2 + l_1^2 - l_2^2)/(2 l_1 \sqrt{x^2 + y^2}))"
    )
    assert [v.status for v in mixed.parts] == ["differs", "differs"]


def test_a_lost_quadrant_is_found_with_a_target_that_shows_it():
    verdict = THREE.check(PRINTED % r"\tan^{-1} \frac{y_w}{x_w}")
    assert verdict.status == "differs"
    assert verdict.diagnosis[0].kind == "quadrant"
    assert verdict.notes[0] == "it fails where xw < 0"
    at = {k: float(x) for k, x in verdict.witness.point.items()}
    arm = vv.catalog.planar_3r(**{k: at[k] for k in ("l1", "l2", "l3")})
    xw, yw = at["x"] - at["l3"] * np.cos(at["phi"]), at["y"] - at["l3"] * np.sin(at["phi"])
    r = np.hypot(xw, yw)
    q2 = np.pi - np.arccos((at["l1"] ** 2 + at["l2"] ** 2 - r**2) / (2 * at["l1"] * at["l2"]))
    cosine = (r**2 + at["l1"] ** 2 - at["l2"] ** 2) / (2 * at["l1"] * r)
    for turn, reached in ((np.arctan(yw / xw), False), (np.arctan2(yw, xw), True)):
        q1 = turn - np.arccos(cosine)
        p = arm.frame_pose("tool", [q1, q2, at["phi"] - q1 - q2]).p
        assert np.allclose(p[:2], [at["x"], at["y"]], atol=1e-9) == reached


def test_a_wrong_sign_misses_every_target():
    verdict = TWO.check(rf"\theta_2 = {ELBOW}; \theta_1 = {SHOULDER.replace(') - ', ') + ')}")
    assert verdict.status == "differs"
    assert verdict.notes[-1] == "of 240 targets that are reached, it misses 240"


def test_formulas_without_a_value_at_targets_are_wrong():
    """The arc cosine of more than one: the law of cosines with a wrong sign."""
    claim = (
        rf"\theta_2 = {ELBOW.replace('- l_1^2 - l_2^2', '+ l_1^2 + l_2^2')}; \theta_1 = {SHOULDER}"
    )
    assert TWO.check(claim).status == "differs"


@pytest.mark.parametrize(
    "other", [r"\sin\theta_2 = 2", r"\det J = 7", "M_{22} = 7", r"\theta_4 = 3"]
)
def test_nothing_beside_the_formulas_is_passed_over(other):
    with pytest.raises(ArgumentError, match="judged alone"):
        TWO.check(rf"\theta_2 = {ELBOW}; \theta_1 = {SHOULDER}; {other}")
    with pytest.raises(ArgumentError, match=r"two formulas for one joint|defined twice"):
        TWO.check(rf"\theta_2 = {ELBOW}; \theta_2 = -{ELBOW}; \theta_1 = {SHOULDER}")


def test_a_folded_elbow_and_negative_lengths_are_tried():
    """arctan(l₂ s₂/(l₁ + l₂ c₂)) is wrong where l₁ + l₂ c₂ < 0 only."""
    folded = r"\operatorname{atan2}(y, x) - \arctan(l_2 \sin(\theta_2)/(l_1 + l_2 \cos\theta_2))"
    verdict = TWO.check(rf"\theta_2 = {ELBOW}; \theta_1 = {folded}")
    assert verdict.status == "differs"
    assert verdict.diagnosis[0].kind == "quadrant"
    elbow = r"\arccos((x^2 + y^2 + l_1^2 - l_2^2)/(2 l_1 \sqrt{x^2 + y^2}))"
    claim = rf"\theta_2 = {ELBOW}; \theta_1 = \operatorname{{atan2}}(y, x) - {elbow}"
    assert TWO.check(claim).is_identical
    assert vv.catalog.two_link(L2=-0.5).check(claim).status == "differs"


def test_formulas_are_judged_together():
    with pytest.raises(ArgumentError, match="there is none for q1, got q2; of one alone"):
        TWO.check(rf"\theta_2 = {ELBOW}")
    with pytest.raises(ArgumentError, match="go in a circle"):
        TWO.check(r"\theta_1 = \theta_2 + \arccos(x); \theta_2 = \theta_1 + \arcsin(y)")


rationals = st.fractions(-3, 3, max_denominator=7)


@examples(4, 3000)
@given(st.lists(rationals, min_size=3, max_size=3))
def test_roots_multiply_as_numbers_do(c):
    """(a + √u)(b - √u) is multiplied out; of √(u p²), p comes out, as it is positive."""
    roots = Roots(["p", "x"], ["p"])
    p, X = roots.symbol("p"), roots.symbol("x")
    u = p * p + X * X + roots.number(abs(c[0]))
    s = roots.root(u)
    both = (roots.number(c[1]) + s) * (roots.number(c[2]) - s)
    plain = roots.number(c[1] * c[2]) + s * roots.number(c[2] - c[1]) - u
    assert (both - plain).is_zero
    assert (roots.root(u * p * p) - s * p).is_zero
    assert (roots.root(u / (p * p)) - s / p).is_zero
    assert not (s * s - u - roots.number(1)).is_zero
    less = p - roots.number(1)  # of either sign
    for square in (X * X, less * less):
        with pytest.raises(UnknownSignError):
            roots.root(square)
