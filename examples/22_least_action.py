"""Least action in pictures: the true path among all that could be.

Between two positions, in a given time, a mechanism takes the path on which ∫ (T - V) dt does not
change to first order. No equation of motion is used to find it; then they are, to the same end.

    python examples/22_least_action.py
"""

from pathlib import Path

import numpy as np

import visviva as vv

OUT = Path("least_action")
OUT.mkdir(exist_ok=True)

# a stone: thrown up and caught at the same height after a second
stone = vv.Lagrangian("y", "m*y'^2/2", "m*g*y", parameters={"m": 1.0, "g": 9.81}, name="stone")
path = stone.least_action([0.0], [0.0], 1.0)
print(path)
assert np.abs(path.q[:, 0] - 9.81 / 2 * path.t * (1 - path.t)).max() < 1e-12  # the parabola
assert path.index == 0
true = stone.action(lambda t: [9.81 / 2 * t * (1 - t)], 1.0).value
for beside in (-0.3, -0.1, 0.1, 0.3):
    wave = stone.action(
        lambda t, e=beside: [9.81 / 2 * t * (1 - t) + e * vv.generic.sin(np.pi * t)], 1.0
    ).value
    print(f"{beside:+.1f} m beside the parabola the action is {wave - true:.4f} J s larger")
    assert wave > true
path.plot().write_html(OUT / "stone.html", include_plotlyjs=True)

# an arm of two links: the path that it falls along, between two positions in half a second
arm = vv.catalog.two_link()
fall = arm.least_action([0.3, 0.2], [0.9, -0.4], 0.5)
print(fall)
velocity = (4 * fall.q[1] - 3 * fall.q[0] - fall.q[2]) / fall.t[2]  # at first, by its first points
run = arm.simulate(fall.q[0], velocity, 0.5)
away = np.abs(run.q[-1] - fall.q[-1]).max()
print(f"started like that, the equations of motion lead it to {away:.1e} rad beside the end")
assert away < 1e-2
fall.plot().write_html(OUT / "arm.html", include_plotlyjs=True)

# a mass on a spring: the true path is a minimum for half a period only, a saddle after it
spring = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters={"m": 2.0, "k": 3.0})
half = np.pi * np.sqrt(2.0 / 3.0)
for share in (0.9, 1.1, 2.1):
    one = spring.least_action([0.0], [1.0], share * half)
    print(f"{share} half periods: the action is lower in {one.index} directions")
    assert one.index == int(share)
one.plot().write_html(OUT / "spring.html", include_plotlyjs=True)
print(f"look at {OUT / 'stone.html'}, {OUT / 'arm.html'} and {OUT / 'spring.html'}")
