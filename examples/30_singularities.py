"""Where an arm loses a direction: closed forms, what is lost, and the map over its workspace.

    python examples/30_singularities.py

It writes three pages with pictures beside it: columns.html, ellipsoid.html, workspace.html.
"""

import numpy as np

import visviva as vv


def main():
    # det J in factors, and the positions at which each is zero
    for name in ("two_link", "spatial_3r", "scara", "puma560"):
        print(getattr(vv.catalog, name)().singularities("tool"), end="\n\n")

    # near a singular position the same tip velocity asks for ever faster joints
    arm = vv.catalog.two_link(L1=1.0, L2=0.8)
    outward = np.array([np.cos(0.3), np.sin(0.3)])
    J = arm.task_jacobian("tool", "x y")
    print("q2       manipulability  joint velocities for 0.1 m/s outward")
    for q2 in (1.0, 0.1, 0.01, 0.001):
        q = [0.3, q2]
        rates = np.linalg.solve(J(q), 0.1 * outward)
        print(f"{q2:<8} {arm.manipulability('tool', q):<15.4g} {rates.round(3)}")

    # at it, a load along the arm costs no torque
    place = arm.singularity("tool", [0.3, 0.0])
    print(place)
    print("torques for it:", (place.J.T @ place.resisted).round(12).ravel())

    # pictures: what each joint does to the tip, the ellipsoid there, the map over the workspace
    three, q = vv.catalog.planar_3r(), [0.3, 0.7, -0.4]
    print(three.jacobian_columns("tool", q))
    three.jacobian_columns("tool", q).plot().write_html("columns.html")
    three.singularity("tool", q, task="x y").plot().write_html("ellipsoid.html")
    space = three.workspace("tool")
    print(space)
    space.plot(q).write_html("workspace.html")


if __name__ == "__main__":
    main()
