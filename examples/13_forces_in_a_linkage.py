"""A closed loop: how it moves, what its pin bears over a whole turn, and which torque drives it.

python examples/13_forces_in_a_linkage.py
"""

import numpy as np

import visviva as vv

linkage = vv.catalog.four_bar()
print(linkage.mobility(), "\n")

# one turn of the crank, on the branch of the first position
start = linkage.assembled()
turn = start[0] + np.linspace(0, 2 * np.pi, 181)
q = linkage.tracked(start, "theta1", turn)

# the motion in which the crank turns at 6 rad/s, and the torque that keeps it there
A = linkage.constraint_matrix(q)
solve = np.linalg.lstsq  # rows of the hinge that a plane does not need are zero
v = np.stack([[6.0, *solve(a[:, 1:], -6.0 * a[:, 0])[0]] for a in A])
bias = linkage.constraint_bias(q, v)
a = np.stack([[0.0, *solve(x[:, 1:], -b)[0]] for x, b in zip(A, bias, strict=True)])
motor = linkage.actuator_forces(q, v, a)[:, 0]

# with this torque forward dynamics gives the same accelerations back; the pin's force with it
tau = np.zeros_like(q)
tau[:, 0] = motor
assert np.allclose(linkage.forward_dynamics(q, v, tau), a, atol=1e-8)
pin = np.linalg.norm(linkage.reaction("C")(q, v, tau)[:, 3:], axis=1)

print(f"{'crank':>7} {'torque':>10} {'pin':>9}")
for k in range(0, 181, 15):
    print(f"{np.degrees(turn[k] - turn[0]):6.0f}° {motor[k]:8.2f} Nm {pin[k]:7.1f} N")
worst = pin.argmax()
print(f"\nThe pin bears most, {pin[worst]:.1f} N, at {np.degrees(turn[worst] - turn[0]):.0f}°.")
power = (motor * v[:, 0])[:-1].mean()
print(f"Over a turn the motor's work is {power * 2 * np.pi / 6:.1g} J: nothing is lost.")
