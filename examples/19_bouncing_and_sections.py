"""Events: a ball that bounces until it rests, and a Poincaré section of the double pendulum."""

import numpy as np

import visviva as vv

# A ball falls from a metre and keeps 80 % of its speed at every bounce.
ball = vv.Lagrangian("z", "m*z'^2/2", "m*g*z", parameters={"m": 1.0, "g": 9.81})
floor = vv.Event(lambda t, q, v: q[0], direction=-1, then=lambda t, q, v: -0.8 * v, name="floor")
run = ball.simulate([1.0], [0.0], 10.0, events=floor)
fall = np.sqrt(2 / 9.81)
print(f"{len(run.events['floor'])} bounces until t = {run.ended:.6f} s")
print(f"infinitely many would take {fall * (1 + 2 * 0.8 / (1 - 0.8)):.6f} s")
print(f"lost in impacts: {-run.account.work['impacts'][-1]:.6f} J of {9.81:.6f} J")

# Every time the outer arm of a double pendulum swings through the line of the inner one.
arm = vv.catalog.two_link()
hanging = arm.q(q1=-np.pi / 2)
straight = vv.Event(lambda t, q, v: vv.generic.sin(q[1]), direction=1, name="straight")
starts = hanging + np.stack([np.linspace(0.1, 1.2, 6), np.full(6, 0.2)], axis=1)
many = arm.simulate(starts, np.zeros(2), 30.0, events=straight)
for k in range(len(starts)):
    section = many.events["straight"][k]
    print(f"start {k}: {len(section):3d} points, q1' from {section.v[:, 0].min():.3f} to "
          f"{section.v[:, 0].max():.3f} rad/s")  # fmt: skip
