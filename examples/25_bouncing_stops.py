"""Stops at joint limits: a ball that comes to rest, and an arm that falls into its stops.

The ball bounces infinitely often in a finite time, which is known in a formula; then its stop
carries it. The arm swings against the stops of its elbow, with friction in the shoulder: every
impact is a jump of all velocities, and the account has what it costs.

    python examples/25_bouncing_stops.py
"""

import numpy as np

import visviva as vv

g, e, height = 9.81, 0.7, 1.0
b = vv.Builder("ball", gravity=(0.0, 0.0, -g))
b.body("ball", joint="prismatic", axis="z", limits=(0.0, 5.0), restitution=e, mass=0.5)
run = b.build().simulate([height], [0.0], 1000.0)
hits = run.events["stop of ball_joint"]
speed, first = np.sqrt(2 * g * height), np.sqrt(2 * height / g)
k = np.arange(len(hits))
times = first + 2 * speed / g * e * (1 - e**k) / (1 - e)
over = first + 2 * speed / g * e / (1 - e)
print(f"{len(hits)} bounces, their times off by {np.abs(hits.t - times).max():.1e} s")
print(f"at rest from t = {hits.t[-1]:.9f} s on, by the formula {over:.9f} s")
print(f"after 1000 s: q = {run.q[-1]}, v = {run.v[-1]}, the stop carries {run.contact[-1]} N")
assert np.abs(hits.t - times).max() < 1e-9
assert abs(hits.t[-1] - over) < 1e-9
assert (run.v[run.t > over] == 0.0).all()

b = vv.Builder("arm", gravity=(0.0, 0.0, -g))
link = vv.Inertia.rod(2.0, length=0.5).moved(p=[0.25, 0.0, 0.0])
b.body("upper", joint="revolute", axis="y", joint_name="shoulder", inertia=link, friction=1.5)
b.body("lower", parent="upper", joint="revolute", axis="y", joint_name="elbow", at=[0.5, 0, 0],
       inertia=link, limits=(-0.1, 2.0), restitution=0.3, friction=0.2)  # fmt: skip
arm = b.build()
fall = arm.simulate([-0.5, 1.5], [0.0, 0.0], 20.0)
elbow = fall.events["stop of elbow"]
print(f"\nthe elbow meets its stops {len(elbow)} times, first at t = {elbow.t[0]:.6f} s:")
change = arm.mass_matrix(elbow.q[0]) @ (elbow.v_after[0] - elbow.v[0])
print(f"  M (v⁺ - v⁻) = {change.round(9) + 0.0}, impulses {elbow.impulse[0].round(9)}")
assert np.abs(change - elbow.impulse[0]).max() < 1e-12
assert np.diff(fall.energy).max() < 1e-9
print(f"  after 20 s: q = {fall.q[-1].round(6)}, v = {fall.v[-1]}")
print(f"  friction holds {fall.friction[-1].round(6)} N m, stops {fall.contact[-1].round(6)} N m")
print(fall.account)
