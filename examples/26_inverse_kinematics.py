"""All the ways in which an arm reaches a pose: closed form, as a function, along a path.

A Puma draws a circle with its tool. Every pose has up to eight solutions; one of them is followed
around, through every pose, and the others are counted. Then many poses at once, in machine code.

    python examples/26_inverse_kinematics.py
"""

import time
from pathlib import Path

import numpy as np

import visviva as vv

arm = vv.catalog.puma560()
start = np.array([0.3, -0.7, 0.4, 0.5, 0.6, 0.7])
pose = arm.frame_pose("tool", start)
print(arm.inverse_kinematics("tool", pose, all=True))

# a circle of 10 cm across, with the tool turning as it was
angles = np.linspace(0.0, 2 * np.pi, 200)
poses = np.tile(pose.matrix(), (len(angles), 1, 1))
poses[:, 1, 3] += 0.05 * np.sin(angles)
poses[:, 2, 3] += 0.05 * (1.0 - np.cos(angles))
path = arm.inverse_kinematics("tool", poses, seed=start, max_jump=0.2)
assert (path.count == 1).all()
assert abs(path.q[-1] - start).max() < 1e-9
print(f"around the circle joints move by {np.ptp(path.q, axis=0).round(3)}")

every = arm.inverse_kinematics("tool", poses, all=True)
print(every)

# out of reach: how far, and what would be nearest
far = pose.matrix().copy()
far[0, 3] = 2.0
print(arm.inverse_kinematics("tool", far).reason)

# many poses, all branches
f = arm.inverse_kinematics_function("tool")
q = np.random.default_rng(0).uniform(-np.pi, np.pi, (200_000, 6))
targets = arm.pose("tool")(q)
solutions = np.empty((len(q), 8, 6))
f(targets[:8], out=solutions[:8])
began = time.perf_counter()
f(targets, out=solutions)
took = time.perf_counter() - began
print(f"{np.isfinite(solutions[..., 0]).sum()} solutions in {took:.2f} s")
sample = slice(0, 1000)
assert np.nanmax(abs(arm.pose("tool")(solutions[sample]) - targets[sample, None])) < 1e-12

# the formulas of a plane arm, and the Puma's as C
plane = vv.catalog.two_link()
print(plane.inverse_kinematics("tool", (0.9, 0.5), task="position", all=True).formulas())
Path("puma_inverse_kinematics.c").write_text(f.c_source("puma_inverse_kinematics"))
