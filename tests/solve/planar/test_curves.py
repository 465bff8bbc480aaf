"""Coupler curves and transmission angles of the catalogue's linkages, by school geometry."""

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.bodies import close
from visviva.errors import ArgumentError, AssemblyError, UnknownNameError

TURN = np.linspace(0, 2 * np.pi, 73)


def monomials(x, y, degree):
    return np.stack([x**i * y**j for i in range(degree + 1) for j in range(degree + 1 - i)], axis=1)


def fitted(points, degree):
    """How well a curve of this degree goes through points, and its coefficients by powers.

    Points are moved and scaled into a square; in there a polynomial is what it is elsewhere.
    """
    middle, size = points.mean(axis=0), np.abs(points - points.mean(axis=0)).max()
    M = monomials(*((points - middle) / size).T, degree)
    _, sizes, Vt = np.linalg.svd(M / np.linalg.norm(M, axis=0))
    powers = [(i, j) for i in range(degree + 1) for j in range(degree + 1 - i)]
    values = Vt[-1] / np.linalg.norm(M, axis=0)
    return sizes, dict(zip(powers, values, strict=True))


def test_a_coupler_curve_of_a_four_bar_is_a_tricircular_sextic():
    """Both branches together: one curve of degree 6, with (x² + y²)³ as its highest part."""
    m = vv.catalog.four_bar()
    above = np.array(m.keyframes["assembled"])
    t = TURN[:-1] + 0.01
    below = m.assemblies(fixed={"theta1": above[0]})
    (crossed,) = [q for q in below if np.abs(q - above).max() > 0.1]
    points = np.concatenate(
        [
            m.coupler_curve("coupler", "theta1", t, q0=q, point=[0.5, 0.3, 0]).flat
            for q in (above, crossed)
        ]
    )
    sizes, c = fitted(points, 6)
    assert sizes[-1] < 1e-11 * sizes[0] < 1e-4 * sizes[-2]  # one such curve, and it is exact
    top = np.array([c[6 - k, k] for k in range(7)]) / c[6, 0]
    np.testing.assert_allclose(top, [1, 0, 3, 0, 3, 0, 1], atol=1e-5)  # of what the fit amplifies
    sizes, _ = fitted(points, 5)
    assert sizes[-1] > 1e-7 * sizes[0]


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "parallel_cranks", "five_bar"])
def test_velocities_and_accelerations_are_those_of_the_path(name):
    """By differences of positions, while the joint turns at 2 rad/s."""
    m = vv.catalog.build(name)
    q = np.array(m.keyframes["assembled"])
    frame = {"slider_crank": "rod", "parallel_cranks": "bar", "five_bar": "rod1"}.get(
        name, "coupler"
    )
    fixed = {"theta3": float(q[2])} if name == "five_bar" else None
    h = 1e-4
    t = q[0] + np.array([-h, 0.0, h])
    c = m.coupler_curve(frame, "theta1", t, point=[0.2, 0.1, 0.0], fixed=fixed, speed=2.0, q0=q)
    rate = (c.points[2] - c.points[0]) / (2 * h) * 2.0
    second = (c.points[2] - 2 * c.points[1] + c.points[0]) / h**2 * 4.0
    close(c.velocity[1], rate, 1e-7)  # of differences: h²
    close(c.acceleration[1], second, 1e-5)  # rounding over h²
    v, a = c.velocity[1], c.acceleration[1]
    curvature = np.linalg.norm(np.cross(v, a)) / np.linalg.norm(v) ** 3
    close(c.curvature[1], curvature)
    # the plain way: any point of any frame
    assert m.velocity(frame, point=[0.2, 0.1, 0])(c.q, np.zeros((3, m.nv))).shape == (3, 6)


def test_the_end_of_a_crank_goes_round_a_circle():
    m = vv.catalog.four_bar()
    c = m.coupler_curve("crank_end", "theta1", TURN)
    close(np.hypot(*c.flat.T), np.full(73, 0.4))
    close(c.curvature, np.full(73, 2.5))
    close(c.points[:, 2], np.zeros(73))
    assert "73 points, theta1 0 to 6.283" in repr(c)


def test_transmission_angles_are_alts():
    four, p = vv.catalog.four_bar(), vv.catalog.four_bar().parameters
    found = four.transmission_angle("theta1", TURN)
    l0, l1, l2, l3 = (p[f"l{k}"] for k in range(4))
    square = l0**2 + l1**2 - 2 * l0 * l1 * np.cos(TURN)
    close(np.cos(found.angle), (l2**2 + l3**2 - square) / (2 * l2 * l3))
    assert (found.coupler, found.output) == ("coupler", "rocker")
    assert found.worst in (0, 72)
    close(found.deviation, np.abs(np.pi / 2 - found.angle))
    slider = vv.catalog.slider_crank()
    found = slider.transmission_angle("theta1", TURN)
    close(np.abs(np.cos(found.angle)), np.abs(0.1 / 0.35 * np.sin(TURN)))
    assert "rod on piston" in repr(found)
    cranks = vv.catalog.parallel_cranks()
    found = cranks.transmission_angle("theta1", [0.5, 1.0, 1.5], output="crank3")
    close(np.sin(found.angle), np.sin([0.5, 1.0, 1.5]))
    five = vv.catalog.five_bar()
    q = np.array(five.keyframes["assembled"])
    found = five.transmission_angle("theta1", q[:1], fixed={"theta3": q[2]}, q0=q)
    assert (found.coupler, found.output) == ("rod1", "rod2")
    tip, B, D = (five.frame_pose(x, q).p for x in ("rod1_end", "rod1", "rod2"))
    u, w = B - tip, D - tip
    close(np.cos(found.angle), [u @ w / np.linalg.norm(u) / np.linalg.norm(w)])


def test_refusals():
    five, cranks = vv.catalog.five_bar(), vv.catalog.parallel_cranks()
    with pytest.raises(
        ArgumentError, match=r"can still move in 1 way while 'theta1' is held.*theta3"
    ):
        five.coupler_curve("rod1_end", "theta1", [2.2, 2.3])
    with pytest.raises(ArgumentError, match=r"there are 'bar' on 'crank2', 'bar' on 'crank3'"):
        cranks.transmission_angle("theta1", [1.0])
    with pytest.raises(UnknownNameError, match=r"output of 'parallel_cranks' 'crank4'"):
        cranks.transmission_angle("theta1", [1.0], output="crank4")
    with pytest.raises(UnknownNameError, match=r"unknown frame 'tip'"):
        cranks.coupler_curve("tip", "theta1", [1.0])
    with pytest.raises(UnknownNameError, match=r"joint of 'parallel_cranks' 'theta9'"):
        cranks.coupler_curve("bar", "theta9", [1.0])
    for bad in ([], [np.nan], "turn", 3.0):
        with pytest.raises(ArgumentError, match="values of 'theta1' are a list of finite numbers"):
            cranks.coupler_curve("bar", "theta1", bad)
    with pytest.raises(ArgumentError, match=r"other than the driven 'theta1'; got 'theta1'"):
        cranks.coupler_curve("bar", "theta1", [1.0], fixed={"theta1": 1.0})
    rocker = vv.catalog.four_bar()
    with pytest.raises(AssemblyError, match="turns back at theta3") as e:
        rocker.coupler_curve("coupler", "theta3", np.linspace(1.5, 4.0, 5))
    assert e.value.turns_back
    with pytest.raises(ArgumentError, match="for plane mechanisms"):
        vv.catalog.bennett().transmission_angle(vv.catalog.bennett().joint_names[0], [1.0])


def test_they_are_drawn():
    m = vv.catalog.four_bar()
    curve = m.coupler_curve("coupler", "theta1", [1.0, 1.1, 1.2], point=[0.5, 0.3, 0])
    assert {trace.name for trace in curve.plot().data} >= {"path", "coupler", "pins"}
    angle = m.transmission_angle("theta1", [1.0, 1.1, 1.2])
    (line,) = angle.plot().data
    close(line.y, np.degrees(angle.angle))
    bennett = vv.catalog.bennett()
    joint = bennett.joint_names[0]
    q = np.array(bennett.keyframes["assembled"])
    curve = bennett.coupler_curve(bennett.body_names[1], joint, q[:1], q0=q)
    assert curve.plane is None
    assert curve.plot().data[0].type == "scatter3d"
    with pytest.raises(ArgumentError, match="moves in space"):
        _ = curve.flat
