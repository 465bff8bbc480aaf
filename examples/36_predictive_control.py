"""A UR5 under model predictive control, from two packages: visviva and CasADi with its IPOPT.

Every 40 ms IPOPT plans the torques of the next half second, the first of them act, and it plans
again from where the arm is. What it plans with is one step of the arm, handed over by `to_casadi`;
what moves is the arm of visviva, in steps of 1 ms, with a load that the plan knows nothing of: what
pushes the arm besides is estimated from where it was expected to be.

    pip install visviva casadi
    python examples/36_predictive_control.py [--quick]
"""

import sys
import time
from math import pi

import numpy as np

import visviva as vv

try:
    import casadi
except ImportError:
    print("this example needs CasADi: pip install casadi")
    sys.exit(0)

# a, alpha, d, theta of the joints, and masses with their centres, as the maker publishes them
ROWS = [
    (0.0, pi / 2, 0.089159, 0.0),
    (-0.425, 0.0, 0.0, 0.0),
    (-0.39225, 0.0, 0.0, 0.0),
    (0.0, pi / 2, 0.10915, 0.0),
    (0.0, -pi / 2, 0.09465, 0.0),
    (0.0, 0.0, 0.0823, 0.0),
]
MASSES = [
    (3.7, [0.0, -0.02561, 0.00193]),
    (8.393, [0.2125, 0.0, 0.11336]),
    (2.33, [0.15, 0.0, 0.0265]),
    (1.219, [0.0, -0.0018, 0.01634]),
    (1.219, [0.0, 0.0018, 0.01634]),
    (0.1879, [0.0, 0.0, -0.001159]),
]
LIMITS = np.array([150.0, 150.0, 150.0, 28.0, 28.0, 28.0])  # N m
solids = [vv.Inertia.sphere(m, radius=0.06).moved(p=p) for m, p in MASSES]
arm = vv.from_dh(ROWS, joints="RRRRRR", convention="standard", inertias=solids)
loaded = arm.attached(vv.Inertia.point(0.5), arm.frame_names[-1], prefix="load")

HORIZON, DT = 12, 0.04
START = np.array([0.0, -1.2, 1.2, -1.6, -1.5, 0.0])
TARGET = np.array([1.2, -1.0, 1.0, -1.4, -1.5, 0.5])

# The plan: q, v, tau at the nodes are unknowns, one step leads from each node to the next.
step = arm.function("step", method="semi-implicit").to_casadi("step")
opti = casadi.Opti()
q, v = opti.variable(6, HORIZON + 1), opti.variable(6, HORIZON + 1)
tau = opti.variable(6, HORIZON)
q_now, v_now, push, tau_rest = (opti.parameter(6) for _ in range(4))
acting = tau + casadi.repmat(push, 1, HORIZON)
next_q, next_v = step.map(HORIZON)(q[:, :-1], v[:, :-1], acting, DT * np.ones((1, HORIZON)))
opti.subject_to(q[:, 0] == q_now)
opti.subject_to(v[:, 0] == v_now)
opti.subject_to(q[:, 1:] == next_q)
opti.subject_to(v[:, 1:] == next_v)
opti.subject_to(opti.bounded(-LIMITS, tau, LIMITS))
opti.subject_to(opti.bounded(-pi, v[:, 1:], pi))
missed, effort = q - TARGET, tau - casadi.repmat(tau_rest, 1, HORIZON)
opti.minimize(casadi.sumsqr(missed) + 0.05 * casadi.sumsqr(v) + 1e-5 * casadi.sumsqr(effort))
options = {"print_level": 0, "sb": "yes", "max_iter": 100}
opti.solver("ipopt", {"print_time": False}, options)

# The control: plan, act for one period, plan again from the plan before.
position, velocity, unknown = START, np.zeros(6), np.zeros(6)
opti.set_initial(q, np.tile(START[:, None], HORIZON + 1))
opti.set_initial(tau, np.tile(arm.gravity_forces(START)[:, None], HORIZON))
seconds = []
for period in range(12 if "--quick" in sys.argv else 50):
    opti.set_value(q_now, position)
    opti.set_value(v_now, velocity)
    opti.set_value(push, unknown)
    opti.set_value(tau_rest, arm.gravity_forces(TARGET) - unknown)
    begin = time.perf_counter()
    plan = opti.solve()
    seconds.append(time.perf_counter() - begin)
    opti.set_initial(plan.value_variables())
    opti.set_initial(opti.lam_g, plan.value(opti.lam_g))
    torque, expected = plan.value(tau)[:, 0], plan.value(v)[:, 1]
    for _ in range(round(DT / 1e-3)):
        position, velocity = loaded.step(position, velocity, torque, 1e-3)
    unknown += 0.2 * arm.mass_matrix(position) @ (velocity - expected) / DT
    if period % 10 == 0:
        error, largest = np.abs(position - TARGET).max(), np.abs(torque).max()
        print(f"{(period + 1) * DT:4.2f} s: {error:.4f} rad off, largest torque {largest:.0f} N m")

error = np.abs(position - TARGET).max()
print(f"at the end {error:.4f} rad off; a plan takes {1e3 * np.median(seconds):.0f} ms")
