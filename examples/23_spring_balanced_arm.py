"""An arm that a spring carries: it stays wherever it is left, without motors.

A spring from a hook above the shoulder to a point on the arm balances its weight at every angle if
it pulls in proportion to its whole length, with k h r = m g l. A coil has a length at rest, and may
get stiffer as it is stretched; wound with a pretension of k times that length, it is ideal again.
Where a spring leaves something over, the friction of the hinge may hold it.

    python examples/23_spring_balanced_arm.py
"""

import numpy as np

import visviva as vv

MASS, LENGTH = 2.0, 0.6  # kg, m: a weight at the end of the arm
HOOK, POINT = 0.25, 0.2  # m: above the shoulder, and along the arm
IDEAL = MASS * 9.81 * LENGTH / (HOOK * POINT)  # N/m
REST = 0.06  # m: of a coil
FRICTION = vv.Friction(0.3, stiction=0.45, viscous=2.0, stribeck=0.02)  # N m, N m s, rad/s


def arm(stiffness=None, rest=0.0):
    """A weight on an arm that turns about -y; at 0 it points along x, and z is up."""
    b = vv.Builder("arm")
    weight = {"mass": MASS, "com": [LENGTH, 0.0, 0.0]}
    b.body("arm", joint="revolute", axis="-y", joint_name="theta", **weight)
    b.frame("hook", at=[0.0, 0.0, HOOK]).frame("ring", body="arm", at=[POINT, 0.0, 0.0])
    if stiffness is not None:
        b.spring("spring", stiffness, rest, between=("hook", "ring"))
    return b.build()


def main():
    middle = np.hypot(HOOK, POINT)  # the length at 0°, where all springs pull alike
    coil = IDEAL * middle / (middle - REST)
    harder = vv.Stiffness("k*(1 + e)", {"k": coil / (1 + middle - REST)})
    wound = vv.Stiffness("k*(rest + e)", {"k": IDEAL, "rest": REST}, of="force")
    arms = {
        "no spring": arm(),
        "ideal": arm(IDEAL),
        "coil": arm(coil, REST),
        "harder coil": arm(harder, REST),
        "pretension": arm(wound, REST),
    }
    angles = np.radians(np.arange(-60, 61, 20))
    print("torque that holds the arm, in N m, by its angle in degrees (*: friction holds it)\n")
    print(" " * 11 + "".join(f"{a:9.0f}" for a in np.degrees(angles)))
    needed = {name: model.gravity_forces(angles[:, None])[:, 0] for name, model in arms.items()}
    for name, torques in needed.items():
        held = np.abs(torques) <= FRICTION.static_limit
        entries = zip(np.round(torques, 9), held, strict=True)
        print(f"{name:>11}" + "".join(f"{x + 0.0:8.3f}{'*' if h else ' '}" for x, h in entries))
    assert np.abs(needed["ideal"]).max() < 1e-12
    assert np.abs(needed["pretension"]).max() < 1e-12
    assert np.abs(needed["coil"]).max() < 0.2 * np.abs(needed["no spring"]).max()

    print("\npushed with 0.2 rad/s and let go, in oil of 2 N m s:")
    for name, model in arms.items():
        run = model.with_friction(damping=FRICTION.viscous).simulate([0.3], [0.2], 3.0)
        print(f"{name:>11}: from 0.300 rad to {run.q[-1, 0]:6.3f} rad, {run.v[-1, 0]:6.3f} rad/s")
        assert run.account.closes
    print("\nfriction of the hinge, by speed:")
    speeds = np.array([0.001, 0.01, 0.02, 0.05, 0.2])
    print(
        "  ".join(
            f"{v:g} rad/s: {F:.3f}" for v, F in zip(speeds, FRICTION.force(speeds), strict=True)
        )
    )


if __name__ == "__main__":
    main()
