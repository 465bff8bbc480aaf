"""Values that a claim gives to coordinates, rates and parameters: conditions, or refused."""

import pytest

import visviva as vv

PENDULUM = vv.Lagrangian(
    "theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters={"m": 1, "l": 2, "g": 9.81}
)
ARM = vv.catalog.two_link()


def conditions(verdict):
    return [f"{x.lhs} = {x.rhs}" for x in verdict.conditions]


@pytest.mark.parametrize(
    ("system", "claim"),
    [
        (PENDULUM, "θ = 0; V = 12345"),
        (PENDULUM, "θ = pi; E = m l^2 θ'^2/2 + 7 m g l"),
        (ARM, "q1 = 0; q2 = 90; V = m2 a_g r2"),
    ],
)
def test_at_a_place_another_energy_is_no_other_zero(system, claim):
    assert system.check(claim).status == "differs"


def test_energies_at_a_place():
    right = PENDULUM.check("θ = pi; E = m l^2 θ'^2/2 + m g l")
    assert (right.status, conditions(right)) == ("identical if", ["theta = pi"])
    open_still = ARM.check("q1 = 0; V = m2 a_g r2 sin(q2) + 5")  # q2 is anywhere
    assert open_still.status == "identical up to a constant"
    assert PENDULUM.check("V = -m g l cos(θ) + 5").status == "identical up to a constant"


def test_a_parameter_that_makes_a_claim_true_is_a_condition():
    vacuous = ARM.check("I2 = -m2 r2^2; M22 = 0")
    assert (vacuous.status, conditions(vacuous)) == ("identical if", ["I2 = -m2*r2**2"])
    assert ARM.check("I2 = -m2 r2^2; M22 = I2").status == "differs"
    built = ARM.check("r2 = L2/2; M22 = I2 + m2 L2^2/4")
    assert built.is_identical
    assert built.taken == ("r₂ = 1/2 L₂",)


def test_an_inverse_times_its_matrix_says_nothing_of_it():
    verdict = ARM.check("M^{-1} M = [[1, 0], [0, 1]]")
    assert verdict.is_identical
    assert verdict.relates
    assert ARM.check("M^{-1} M = [[1, 0], [0, 2]]").status == "differs"
