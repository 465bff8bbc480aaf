"""Forces of actuators that give a closed linkage an acceleration: enough, too few, too many."""

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.loops import MECHANISMS, null_space
from tests.support.oracles.laws import agree, stated
from tests.support.oracles.oracle import Interpreted, precise, slope

TOLERANCE = 1e-10
motor, thruster = vv.Actuator.motor, vv.Actuator.thruster
ARMS = [motor(f"m{i}", f"arm{i}_joint", gear=20.0) for i in range(3)]
LEGS = [motor(f"m{i}", f"upper{i}_joint") for i in range(6)]
CRANK = motor("m", "crank_joint")
SETS = {  # mechanism, actuators, and whether these are as many as its motions
    "leg, one motor": ("four-bar, hinge", [CRANK], 0),
    "leg, two motors": ("four-bar, hinge", [CRANK, motor("n", "rocker_joint", gear=3.0)], 1),
    "leg, a rope": ("four-bar, hinge", [thruster("r", "coupler", [1.0, 2.0, 0.0])], 0),
    "Delta, three motors": ("Delta", ARMS, 0),
    "Delta, two motors": ("Delta", ARMS[:2], -1),
    "Delta, a jet besides": ("Delta", [*ARMS, thruster("jet", "platform", [1.0, 1.0, 1.0])], 1),
    "Stewart, six legs": ("Stewart", LEGS, 0),
    "Stewart, five legs": ("Stewart", LEGS[:5], -1),
    "Stewart, a turned foot besides": (
        "Stewart",
        [*LEGS, motor("foot", "lower0_joint", velocity="second")],
        1,
    ),
}


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", SETS)
def test_inverse_dynamics(name):
    mechanism, actuators, more = SETS[name]
    model, q, v, tau = MECHANISMS[mechanism](np.random.default_rng(1))
    model = model.with_actuators(actuators)
    run = Interpreted(model)
    a = run("forward_dynamics", q, v, tau)
    f, T = run("actuator_forces", q, v, a), run("actuator_map", q)
    N = null_space(run("constraint_matrix", q))
    assert T.shape[1] - N.shape[1] == more
    # what the motions that are left feel: no multipliers, no projections
    felt, needed = N.T @ T, N.T @ run("inverse_dynamics", q, v, a)
    scale = np.abs(needed).max()
    if more < 0:
        # f comes nearest by P_u; the motor that a motion lacks is not made up
        Pu = run("force_projection", q)
        lacking = Pu @ (run("inverse_dynamics", q, v, a) - T @ f)
        agree((Pu @ T).T @ lacking, np.zeros(len(f)), TOLERANCE, scale)
        assert np.abs(lacking).max() > 1e-3 * scale
        return
    agree(felt @ f, needed, TOLERANCE, scale)
    agree(f, np.linalg.pinv(felt) @ needed, 1e-9, np.abs(f).max())  # of least norm
    agree(run("forward_dynamics", q, v, T @ f), a, 1e-9)
    # what the actuators give is stored or lost
    kinetic, potential = stated(model, "kinetic_energy"), stated(model, "potential_energy")
    x, u, w = precise(q), precise(v), precise(a)

    def energy(t):
        there = model.integrate(x, u * t)
        return kinetic(there, u + w * t) + potential(there)

    agree(f @ T.T @ v, slope(energy), TOLERANCE, scale * np.abs(v).max())
