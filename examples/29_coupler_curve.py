"""A walking leg from four bars: the path of its foot, where it turns, how well it pushes.

Chebyshev's lambda linkage: half a turn of the crank draws a line that is nearly straight.

python examples/29_coupler_curve.py      # writes coupler_curve.html
"""

import numpy as np

import visviva as vv

# ground 2, crank 1, coupler and rocker 2.5; the foot is at twice the coupler's length
lam = vv.catalog.four_bar(l0=2.0, l1=1.0, l2=2.5, l3=2.5)
turn = np.linspace(0, 2 * np.pi, 361)
foot = lam.coupler_curve("coupler", "theta1", turn, point=[5.0, 0.0, 0.0], speed=1.0)
print(foot)

x, y = foot.flat.T
straight = np.abs(y - 4.0) < 0.012
rate = foot.velocity[straight, 0].mean()
print(f"For {straight.sum() - 1}° of the crank the foot stays within 12 mm of a line 4 m away,")
print(f"over {np.ptp(x[straight]):.2f} m; its speed there is {rate:.2f} m/s.")

centres = lam.instant_centres(foot.q[180])
print("\nHalf-way through the line:")
for pair in (("world", "coupler"), ("crank", "rocker")):
    print("  ", centres[pair])
arm = foot.points[180] - centres["world", "coupler"].point
assert abs(arm @ foot.velocity[180]) < 1e-9  # the foot moves across the way to its centre

angle = lam.transmission_angle("theta1", turn)
print(f"\n{angle}")
push = {"coupler": {"force": [50, 0, 0], "point": [5, 0, 0]}}
torque = [lam.statics(q, push).torques[0] for q in foot.q[::30]]
print("Torque that pushes 50 N with the foot, and bears the weights, every 30°:")
print(np.round(torque, 1))

foot.plot().write_html("coupler_curve.html")
print("coupler_curve.html shows the path.")
