"""An arm that can be led by the hand: motors carry its weight and add a little damping.

A hand pulls sideways at the tool of a UR5 for a second and lets go. With τ = g(q) - D v the arm
follows, and stays where it was left. With a tool that its model does not know it sinks slowly,
and without g(q) it falls. The three arms move in one batch, by small steps of v, then of q.

    python examples/07_gravity_compensation.py             # a UR5, if example-robot-data is there

Without that package (`pip install example-robot-data`), it is the Puma 560 of the catalog.
"""

from importlib import metadata

import numpy as np

import visviva as vv

STEP = 1e-3
DAMPING = 20.0  # N m s, at every joint
PULL = np.array([0.0, 0.0, 0.0, 0.0, 50.0, 0.0])  # (moment, force) at the tool, in world axes
LOAD = 0.3  # kg
PULLING, END = (0.5, 1.5), 6.0  # s
CASES = ("compensated", f"{LOAD} kg unknown", "no g(q)")


def ur5():
    """A UR5 from the package example-robot-data, its tool, and a position; else a Puma 560."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "ur5_robot.urdf":
            return vv.load(file.locate()), "tool0", [0.0, -1.2, 1.4, -1.0, -1.57, 0.0]
    print("pip install example-robot-data for a UR5; meanwhile a Puma 560:\n")
    return vv.catalog.puma560(), "tool", [0.0, -0.6, 0.4, 0.0, 0.8, 0.0]


def main():
    arm, tool, q0 = ur5()
    place = arm.pose(tool)
    # What acts at the tool, the hand and the weight of a load, is stated in world axes.
    motion = arm.function("forward_dynamics", wrenches={tool: "world"})
    g = arm.gravity_forces
    weight = np.array([0.0, 0.0, 0.0, 0.0, 0.0, -9.81 * LOAD])

    q, v = np.tile(q0, (3, 1)), np.zeros((3, arm.nv))
    start, tips = place(q)[0, :3, 3], []
    print(f"{arm.name}: how far the tool is from where it began, in mm (sideways, up)\n")
    print("  time    " + "".join(f"{case:>24}" for case in CASES) + "   hand")
    for k in range(round(END / STEP) + 1):
        t = k * STEP
        pull = PULL if PULLING[0] <= t < PULLING[1] else np.zeros(6)
        tips.append(place(q)[:, :3, 3] - start)
        if k % round(0.5 / STEP) == 0:
            moved = "".join(f"{y * 1e3:+15.1f} {z * 1e3:+8.1f}" for _, y, z in tips[-1])
            print(f"  {t:4.1f} s  {moved}   {'pulls' if pull.any() else ''}".rstrip())
        tau = -DAMPING * v
        tau[:2] += g(q[:2])
        at_tool = np.array([pull, pull + weight, pull])[:, None, :]
        v = v + STEP * motion(q, v, tau, at_tool)
        q = q + STEP * v
    held, sunk, fallen = np.swapaxes(tips, 0, 1)

    # The arm has not moved before the hand came, has followed it, and stays where it was left.
    before, left, end = round(PULLING[0] / STEP), round((END - 1.5) / STEP), -1
    drift = np.linalg.norm(held[end] - held[left]) * 1e3
    led = held[left][1] * 1e3
    print(f"\ncompensated: led {led:.0f} mm sideways; in the last 1.5 s it moved {drift:.3f} mm")
    assert np.abs(held[before]).max() < 1e-9
    assert held[end][1] > 0.05
    assert drift < 1.0
    assert sunk[end][2] < held[end][2] - 0.01
    assert fallen[:, 2].min() < -0.2


if __name__ == "__main__":
    main()
