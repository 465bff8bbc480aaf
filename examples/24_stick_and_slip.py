"""Friction that sticks: a block that stops and goes, and an arm that is put down by friction.

The block is drawn over a floor by a spring whose end moves slowly on. Stiction is more than sliding
friction, so that it jumps: the time from jump to jump is known in a formula. The arm is let go
with its brakes on: its joints come to rest one after the other, and stay.

    python examples/24_stick_and_slip.py
"""

from pathlib import Path

import numpy as np
import plotly.graph_objects as go

import visviva as vv

OUT = Path("stick_and_slip")
mass, stiffness, speed = 1.0, 20.0, 0.1
law = vv.Friction(1.0, stiction=1.5)
floor = vv.Builder("block", gravity=(0.0, 0.0, -9.81))
point = vv.Inertia.point(mass)
floor.body("block", joint="prismatic", axis="x", friction=law, inertia=point)
block = floor.build()


def spring(t, q, v):
    return [stiffness * (speed * t - q[0])]


run = block.simulate([0.0], [0.0], 30.0, tau=spring)
w = np.sqrt(stiffness / mass)
ahead = (law.stiction - law.coulomb) / stiffness
slip = 2 / w * (np.pi - np.arctan(ahead * w / speed))
jump = speed * slip - speed / w * np.sin(w * slip) + ahead * (1 - np.cos(w * slip))
rests = run.v[:, 0] == 0.0
stops = run.t[1:][rests[1:] & ~rests[:-1]]
print(f"the block jumps every {np.diff(stops).mean():.9f} s, by the formula {jump / speed:.9f} s")
assert abs(np.diff(stops) - jump / speed).max() < 1e-7

arm = vv.catalog.two_link().with_friction(friction=[8.0, 3.0])
down = arm.simulate([0.9, -0.6], [1.5, -2.0], 1000.0)
moving = down.t[np.abs(down.v).max(axis=1) > 0][-1]
print(f"the arm rests after {moving:.3f} s, with v = {down.v[-1]} for the other 1000 s")
print(f"friction holds {down.friction[-1].round(3)} N m against gravity")
assert (down.v[down.t > 1.5 * moving] == 0.0).all()
assert np.diff(down.energy).max() < 1e-9
print(down.account)

OUT.mkdir(exist_ok=True)
t = np.linspace(0.0, 12.0, 2001)
q, v = run.at(t)
picture = go.Figure()
picture.add_scatter(x=t, y=speed * t, name="end of the spring", line={"dash": "dot"})
picture.add_scatter(x=t, y=q[:, 0], name="block", line={"simplify": False})  # flat where stuck
picture.update_layout(
    title="A block drawn by a spring: it sticks, and slips", xaxis_title="t [s]",
    yaxis_title="x [m]", template="plotly_white",
)  # fmt: skip
picture.write_html(OUT / "block.html", include_plotlyjs=True)
print(f"look at {OUT / 'block.html'}")
