"""Letters of constants that a system lacks are no quantities of it that happen to be 0."""

import pytest

import visviva as vv
from visviva.errors import VisvivaError

ARM, RP = vv.catalog.two_link(), vv.catalog.rp_arm()
SWING = vv.Lagrangian(
    "theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters={"m": 1, "l": 1, "g": 9.81}
)
SPRING = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters={"m": 1, "k": 1})
FREE = vv.Lagrangian("x", "m*x'^2/2", "0", parameters={"m": 1})
KEPLER = vv.Lagrangian("r theta", "m*(r'^2 + r^2*theta'^2)/2", "-k/r", parameters={"m": 1, "k": 1})
M22, G2 = "I2 + m2 r2^2", "m2 a_g r2 cos(q1+q2)"
TAU2 = f"({M22} + m2 L1 r2 cos(q2)) q1'' + ({M22}) q2'' + m2 L1 r2 sin(q2) q1'^2 + {G2}"
FRICTION = [
    (ARM, f"tau2 = {TAU2} + b2 q2'"),
    (ARM, f"tau2 = {TAU2} + b_2 q2'"),
    (ARM, f"tau2 = {TAU2} + d2"),
    (ARM, f"M22 = {M22} + b2 m2"),
    (ARM, f"G2 = {G2} + b2"),
    (ARM, "x = L1 cos(q1) + L2 cos(q1+q2) + d1"),
    (ARM, "p1 = M11 q1' + M12 q2' + b1"),
    (ARM, "d/dt(∂L/∂q1') - ∂L/∂q1 = tau1 - b1 q1'"),
    (ARM, "dE/dt = tau1 q1' + tau2 q2' - b1 q1'^2 - b2 q2'^2"),
    (ARM, f"M22 = {M22} + C22"),
    (ARM, f"M22 = {M22} + Gamma111"),
    (RP, "M11 = I1 + I2 + m1 r1^2 + m2 q2^2 + m2 d2^2"),
    (RP, "x = d2 cos(q1)"),
    (SWING, "dE/dt = -b θ'^2"),
    (SWING, "m l^2 θ'' + b_1 θ' + m g l sin(θ) = 0"),
    (SPRING, "dE/dt = -b x'^2"),
    (SPRING, "dE/dt = -C x'^2"),
    (SPRING, "d/dt(∂L/∂x') - ∂L/∂x = -b x'"),
    (FREE, "dE/dt = -g x'"),
    (FREE, r"\dot p = -b x'"),
    (KEPLER, "M_{θθ} = m r^2 + M_{rθ}"),
]


@pytest.mark.parametrize(("system", "claim"), FRICTION, ids=[claim for _, claim in FRICTION])
def test_they_are_refused(system, claim):
    with pytest.raises(VisvivaError, match=r"unknown name|which is 0 for"):
        system.check(claim)


@pytest.mark.parametrize(
    ("system", "claim"),
    [
        (ARM, "M q'' + C q' + g = tau"),
        (RP, "p1 = M11 q1' + M12 q2'"),  # M12 is 0
        (KEPLER, "p_r = M_{rr} r' + M_{rθ} θ'"),
    ],
    ids=["vectors", "rp", "kepler"],
)
def test_among_quantities_zeros_may_stand(system, claim):
    verdict = system.check(claim)
    assert verdict.is_identical
    assert verdict.relates
