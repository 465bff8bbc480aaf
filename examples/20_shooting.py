"""Derivatives of motions at work: aim, weigh, steer.

A double pendulum is to come to rest at its target: Newton's method finds the velocities and the
constant torques to start with, from `sensitivities`. A mass and a length are found from a noisy
recording of a swing, by least squares. And two hundred forces that swing a cart's pole up are
found from one `gradient` an iteration, however many forces there are.

    python examples/20_shooting.py
"""

import numpy as np
from scipy.optimize import least_squares, minimize

import visviva as vv

ARM = vv.catalog.two_link()
START, TARGET, DURATION = np.array([-1.2, 0.3]), np.array([-0.5, 0.8]), 0.5


def aim():
    """v0 and tau with which the arm is at rest at its target: four numbers, four equations."""
    x = np.concatenate([(TARGET - START) / DURATION, ARM.gravity_forces(START)])
    for iteration in range(12):
        S = ARM.sensitivities(START, x[:2], DURATION, tau=x[2:], wrt=("v0", "tau"))
        missed = np.concatenate([S.trajectory.q[-1] - TARGET, S.trajectory.v[-1]])
        print(f"  iteration {iteration}: missed by {np.abs(missed).max():.1e}")
        if np.abs(missed).max() < 1e-9:
            return x
        x = x - np.linalg.solve(S.matrix[-1], missed)
    raise SystemExit("the target is out of reach")


def weigh(noise=2e-3):
    """m2 and L1 from joint angles that were recorded with noise, and their standard errors."""
    truth, names = {"m2": 1.37, "L1": 0.93}, ("m2", "L1")
    times, rng = np.linspace(0.0, 2.0, 201), np.random.default_rng(0)
    told = ARM.simulate(START, [0.0, 0.0], times, parameters=truth)
    recorded = told.q + noise * rng.normal(size=told.q.shape)

    def swing(x):
        given = dict(zip(names, x, strict=True))
        return ARM.sensitivities(START, [0.0, 0.0], times, wrt=names, parameters=given)

    def residual(x):
        return (swing(x).trajectory.q - recorded).ravel()

    def slopes(x):
        return swing(x).matrix[:, :2].reshape(-1, 2)

    found = least_squares(residual, [1.0, 1.0], jac=slopes)
    errors = noise * np.sqrt(np.diag(np.linalg.inv(found.jac.T @ found.jac)))
    for name, x, error in zip(names, found.x, errors, strict=True):
        print(f"  {name} = {x:.4f} ± {error:.4f}; in truth it is {truth[name]}")
        assert abs(x - truth[name]) < 4 * error


def steer(steps=200, dt=0.01):
    """Forces on a cart that bring its pole up: 200 numbers from one sweep backward each time."""
    cart = vv.catalog.cart_pole()
    hanging, rest = np.zeros(2), np.zeros(2)

    def up(q, v):
        return 100.0 * (1.0 + vv.generic.cos(q[1])) + 10.0 * (q[0] * q[0] + v @ v)

    def effort(t, q, v, tau):
        return 0.01 * tau[0] * tau[0]

    def cost(force):
        tau = np.stack([force, np.zeros(steps)], axis=1)
        g = cart.gradient(
            up, hanging, rest, steps * dt, wrt="tau", running=effort, tau=tau, dt=dt, save=steps
        )
        return g.cost, g["tau"][:, 0]

    first = 3.0 * np.sin(np.linspace(0.0, 9.0, steps))
    found = minimize(cost, first, jac=True, method="L-BFGS-B", options={"maxiter": 80})
    tau = np.stack([found.x, np.zeros(steps)], axis=1)
    end = cart.simulate(hanging, rest, steps * dt, tau=tau, dt=dt)
    angle = np.pi - abs(np.angle(np.exp(1j * end["theta"][-1])))
    print(f"  {found.nfev} gradients; the pole ends {abs(angle):.3f} rad from upright")
    print(f"  with the cart at {end['x'][-1]:.3f} m")
    assert abs(angle) < 0.2


print("aim: a start and torques that end at rest at a target")
aim()
print("weigh: a mass and a length from a noisy recording")
weigh()
print("steer: forces that swing a pole up")
steer()
