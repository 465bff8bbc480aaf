"""Equations of small motions are called so, and stay different from those of any motion."""

import pytest

import visviva as vv

PENDULUM = vv.Lagrangian("theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters="m l g")
DOUBLE = vv.Lagrangian(
    "theta1 theta2",
    "m1*l1^2*theta1'^2/2 + m2*(l1^2*theta1'^2 + l2^2*theta2'^2"
    " + 2*l1*l2*theta1'*theta2'*cos(theta1-theta2))/2",
    "-(m1+m2)*g*l1*cos(theta1) - m2*g*l2*cos(theta2)",
    parameters="m1 m2 l1 l2 g",
)
CART = vv.catalog.cart_pole()


@pytest.mark.parametrize(
    ("system", "claim", "said"),
    [
        (PENDULUM, "theta'' = -(g/l) theta", "θ = 0, θ̇ = 0"),
        (PENDULUM, "tau = m l^2 theta'' + m g l theta", "θ = 0, θ̇ = 0"),
        (PENDULUM, "l theta'' = g (theta - pi)", "θ = π, θ̇ = 0"),
        (PENDULUM, "l theta'' = g theta", "θ = π, θ̇ = 0, with θ counted from there"),
        (
            DOUBLE,
            "(m1+m2) l1 theta1'' + m2 l2 theta2'' + (m1+m2) g theta1 = 0",
            "θ₁ = 0, θ₂ = 0, θ̇₁ = 0, θ̇₂ = 0",
        ),
        (DOUBLE, "l1 theta1'' + l2 theta2'' + g theta2 = 0", "θ₁ = 0, θ₂ = 0, θ̇₁ = 0, θ̇₂ = 0"),
        (
            DOUBLE,
            "theta1'' = (-(m1+m2) g theta1 + m2 g theta2)/(m1 l1)",
            "θ₁ = 0, θ₂ = 0, θ̇₁ = 0, θ̇₂ = 0",
        ),
        (CART, "(M+m) x'' + m l theta'' = tau1", "θ = 0, θ̇ = 0"),
        (CART, "tau1 = (M+m) x'' - m l theta''", "θ = π, θ̇ = 0"),
        (CART, "l theta'' - x'' = g theta", "θ = π, θ̇ = 0, with θ counted from there"),
    ],
)
def test_the_equation_of_small_angles_is_named(system, claim, said):
    verdict = system.check(claim)
    assert verdict.status == "differs"
    (diagnosis,) = verdict.diagnosis
    assert diagnosis.kind == "linearised"
    assert diagnosis.sentence == f"It is the equation linearised about {said}: small angles."


def test_all_equations_at_once():
    verdict = CART.check("[(M+m) x'' + m l theta'', m l^2 theta'' + m l x'' + m g l theta] = tau")
    (diagnosis,) = verdict.diagnosis
    assert diagnosis.sentence == (
        "These are the equations linearised about θ = 0, θ̇ = 0: small angles."
    )


@pytest.mark.parametrize(
    ("system", "claim"),
    [
        (PENDULUM, "theta'' = -2 (g/l) theta"),
        (PENDULUM, "theta'' = -(g/l) theta - theta'"),
        (DOUBLE, "(m1+m2) l1 theta1'' + m2 l2 theta2'' + m1 g theta1 = 0"),
        (CART, "(M+m) x'' + 2 m l theta'' = tau1"),
    ],
)
def test_other_linear_equations_are_not_called_so(system, claim):
    verdict = system.check(claim)
    assert verdict.status == "differs"
    assert all(d.kind != "linearised" for d in verdict.diagnosis)
