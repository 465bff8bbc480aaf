"""Robots by class, joints by axis, DH tables: the mechanisms that the lectures name."""

import numpy as np
import pytest

import visviva as vv

rng = np.random.default_rng(0)
c, s = np.cos, np.sin


def tool(arm):
    """Position of the tool and its derivative, traced through the model."""
    return vv.function(lambda q: arm.frame_pose("tool", q).p, {"q": arm.nq})


def error_of_class(arm, position, determinant):
    """How far tool position and |det J| of three joints are from the formulas, at most."""
    assert arm.nv == arm.nq == 3
    f, worst = tool(arm), 0.0
    for q in rng.uniform(0.2, 1.2, (20, 3)):
        found = np.linalg.det(f.jacobian("q")(q))
        off = np.abs(f(q) - position(*q)).max(), abs(abs(found) - abs(determinant(*q)))
        worst = max(worst, *off)
    return worst


def test_S59_cartesian_robot():
    error = error_of_class(vv.catalog.cartesian(), lambda x, y, z: (x, y, z), lambda x, y, z: 1.0)
    assert error < 1e-12


def test_S60_cylindrical_robot():
    error = error_of_class(
        vv.catalog.cylindrical(), lambda t, z, r: (r * c(t), r * s(t), z), lambda t, z, r: r
    )
    assert error < 1e-12


def test_S61_spherical_robot():
    error = error_of_class(
        vv.catalog.spherical(),
        lambda t, p, r: (r * c(p) * c(t), r * c(p) * s(t), r * s(p)),
        lambda t, p, r: r**2 * c(p),
    )
    assert error < 1e-12


def test_S62_scara():
    a1, a2 = 0.45, 0.25
    error = error_of_class(
        vv.catalog.scara(a1=a1, a2=a2),
        lambda t, u, d: (a1 * c(t) + a2 * c(t + u), a1 * s(t) + a2 * s(t + u), d),
        lambda t, u, d: a1 * a2 * s(u),
    )
    assert error < 1e-12


def test_S63_articulated_robot():
    h, l1, l2 = 0.5, 0.6, 0.4

    def reach(b, g):
        return l1 * c(b) + l2 * c(b + g)

    error = error_of_class(
        vv.catalog.articulated(h=h, l1=l1, l2=l2),
        lambda a, b, g: (
            reach(b, g) * c(a),
            reach(b, g) * s(a),
            h + l1 * s(b) + l2 * s(b + g),
        ),
        lambda a, b, g: l1 * l2 * s(g) * reach(b, g),
    )
    assert error < 1e-12
    six = vv.catalog.puma560()
    assert six.nv == 6 * (7 - 1 - 6) + 6 == 6  # Grübler's count, and the coordinates we have


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_C82_joints_about_any_axis(kind):
    axis = rng.normal(size=3)
    at = rng.normal(size=3)
    b = vv.Builder("one").body("part", joint=kind, axis=axis, at=at)
    arm = b.frame("tool", body="part", at=[0.3, -0.2, 0.5]).build()
    a = axis / np.linalg.norm(axis)
    K = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    for value in rng.uniform(-3, 3, 10):
        R = np.eye(3) + s(value) * K + (1 - c(value)) * K @ K
        arm_tip = np.array([0.3, -0.2, 0.5])
        wanted = at + (R @ arm_tip if kind == "revolute" else arm_tip + a * value)
        np.testing.assert_allclose(tool(arm)([value]), wanted, rtol=1e-12, atol=1e-12)


CLASSES = {"cartesian": "PPP", "cylindrical": "RPP", "spherical": "RRP", "scara": "RRP"}


@pytest.mark.parametrize("name", [*CLASSES, "articulated"])
def test_C83_robot_classes_by_name(name):
    arm = getattr(vv.catalog, name)()
    kinds = "".join(type(b.joint).__name__[0] for b in arm.bodies)
    assert kinds == CLASSES.get(name, "RRR")
    assert name in vv.catalog.names()


def standard(a, alpha, d, theta):
    return np.array(
        [
            [c(theta), -s(theta) * c(alpha), s(theta) * s(alpha), a * c(theta)],
            [s(theta), c(theta) * c(alpha), -c(theta) * s(alpha), a * s(theta)],
            [0, s(alpha), c(alpha), d],
            [0, 0, 0, 1],
        ]
    )


def modified(a, alpha, d, theta):
    return np.array(
        [
            [c(theta), -s(theta), 0, a],
            [s(theta) * c(alpha), c(theta) * c(alpha), -s(alpha), -d * s(alpha)],
            [s(theta) * s(alpha), c(theta) * s(alpha), c(alpha), d * c(alpha)],
            [0, 0, 0, 1],
        ]
    )


@pytest.mark.parametrize("matrix", [standard, modified])
def test_C85_dh_tables_of_both_conventions(matrix):
    rows = [(*rng.normal(size=4), kind) for kind in "RPRRPR"]
    arm = vv.from_dh(rows, convention=matrix.__name__)
    for q in rng.normal(size=(5, 6)):
        wanted = np.eye(4)
        for (a, alpha, d, theta, kind), x in zip(rows, q, strict=True):
            turn, shift = (x, 0) if kind == "R" else (0, x)
            wanted = wanted @ matrix(a, alpha, d + shift, theta + turn)
        found = arm.frame_pose("tool", q).matrix()
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    with pytest.raises(vv.VisvivaError, match="convention"):
        vv.from_dh(rows)
