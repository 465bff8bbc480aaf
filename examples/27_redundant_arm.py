"""A human arm holds its hand still: where is its elbow best?

Seven joints, six things to hold: one motion is left. Along it the hand stays, the elbow goes round
about the line from shoulder to wrist. Where the arm can move the hand best in all directions is a
question of the elbow angle alone.

    python examples/27_redundant_arm.py
"""

import numpy as np

import visviva as vv

HAND = np.array([0.5, 0.3, 0.2, 1.0, 0.1, 0.4, 0.2])  # a position that has the hand where it is


def main():
    arm = vv.catalog.human_arm()
    motion = arm.self_motion("tool", HAND)
    print(motion)
    s = np.linspace(0.0, motion.length, 13)
    J = arm.jacobian("tool")(motion.q(s))
    sizes = np.sqrt(np.linalg.det(J @ np.swapaxes(J, 1, 2)))
    print("elbow angle   manipulability")
    for angle, size in zip(np.degrees(motion.elbow_angle(s)), sizes, strict=True):
        print(f"{angle:9.1f}°   {size:.4f} {'#' * int(1000 * size)}")
    best = motion.best("manipulability")
    print(f"best: {best.value:.4f} at {np.degrees(motion.elbow_angle(best.s)):.1f}°")
    still = np.abs(arm.pose("tool")(best.q) - arm.pose("tool")(HAND)).max()
    print(f"the hand has moved by {still:.0e}")

    turn = [0.0, 0.5, 0.0, 0.0, 0.0, 0.0]  # 0.5 rad/s about y, the palm where it is
    for name, q in (("worst", motion.q(s[sizes.argmin()])), ("best", best.q)):
        rates = arm.joint_rates("tool", q, turn)
        fastest = int(np.abs(rates.v).argmax())
        print(
            f"turning it, {name}: {arm.joint_names[fastest]} at {abs(rates.v[fastest]):.2f} rad/s"
        )


if __name__ == "__main__":
    main()
