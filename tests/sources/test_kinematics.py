"""Kinematics of the arms of document 003: where the tip is, its Jacobian, where rank is lost."""

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.errors import UnknownNameError

PRINTED = 1e-8  # the audit's numbers have eight digits


def symbols(text):
    return sympy.symbols(text)


def same(a, b):
    """Formulas that are one function."""
    return sympy.simplify(sympy.expand(sympy.expand_trig(sympy.sympify(a) - b))) == 0


def test_S45_planar_3r_forward_kinematics_jacobian_and_reach():
    arm = vv.catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5)
    q = np.array([0.3, 0.7, -0.4])
    np.testing.assert_allclose(
        arm.task("tool", "x y phi")(q), [1.80024614, 1.25101823, 0.6], atol=PRINTED
    )
    other = np.array([0.91892699, -0.7, 0.38107301])  # the second branch
    np.testing.assert_allclose(
        arm.task("tool", "planar")(other), arm.task("tool", "planar")(q), atol=2e-8
    )
    found = arm.singularities("tool")
    l1, l2, theta2 = symbols("l1 l2 theta2")
    assert found.task.text == "x y phi"
    assert same(found.determinant, l1 * l2 * sympy.sin(theta2))
    J = arm.task_jacobian("tool", "x y phi")(q)
    assert np.linalg.det(J) == pytest.approx(0.8 * np.sin(0.7), abs=1e-14)
    wrist = arm.workspace("link3", samples=200)  # where link 3 begins
    assert wrist.is_exact
    assert wrist.reach == pytest.approx((0.2, 1.8), abs=1e-15)
    turned = arm.workspace("tool", samples=200).dexterous
    np.testing.assert_allclose(turned, [(0.0, 0.3), (0.7, 1.3)], atol=1e-15)


def test_S46_rpr_jacobian_and_determinant():
    arm = vv.catalog.rpr_arm()
    theta1, d, theta3, l3 = symbols("theta1 d theta3 l3")
    both = theta1 + theta3
    s, c = sympy.sin, sympy.cos
    printed = sympy.Matrix(
        [
            [-d * s(theta1) - l3 * s(both), c(theta1), -l3 * s(both)],
            [d * c(theta1) + l3 * c(both), s(theta1), l3 * c(both)],
            [1, 0, 1],
        ]
    )
    J = arm.closed_form().task_jacobian("tool", "x y phi")
    assert all(same(a, b) for a, b in zip(J, printed, strict=True))
    found = arm.singularities("tool")
    assert same(found.determinant, -d)
    (only,) = found.sets
    assert only.solutions == ({"d": 0},)
    assert "theta1 and theta3 are one line" in only.meaning


def test_S49_planar_2r_columns_singularity_and_rates():
    arm = vv.catalog.two_link(L1=1.0, L2=0.8)
    found = arm.singularities("tool")
    L1, L2, q2 = symbols("L1 L2 q2")
    assert same(found.determinant, L1 * L2 * sympy.sin(q2))
    (elbow,) = found.sets
    assert elbow.name == "elbow"
    assert elbow.solutions == ({"q2": 0}, {"q2": sympy.pi})
    q = np.array([0.3, 0.7])
    rates = np.linalg.solve(arm.task_jacobian("tool", "x y")(q), [0.1, 0.2])
    np.testing.assert_allclose(rates, [0.34510761, -0.64515698], atol=PRINTED)
    columns = arm.jacobian_columns("tool", q)
    for k, column in enumerate(columns):  # the tip, while joint k alone moves: z × r
        np.testing.assert_allclose(column.velocity, np.cross([0, 0, 1], column.lever), atol=1e-15)
        h = 1e-6 * np.eye(2)[k]
        moved = (arm.pose("tool")(q + h) - arm.pose("tool")(q - h))[:3, 3] / 2e-6
        np.testing.assert_allclose(column.velocity, moved, atol=1e-9)
    stretched = arm.singularity("tool", [0.3, 0.0])
    assert stretched.rank == 1
    np.testing.assert_allclose(stretched.lost[:, 0], [np.cos(0.3), np.sin(0.3)], atol=1e-12)


def test_S50_spatial_3r_determinant_and_its_two_sets():
    arm = vv.catalog.spatial_3r(l1=0.6, l2=0.4)
    q = [0.5, 0.4, 0.9]
    np.testing.assert_allclose(
        arm.task("tool", "position")(q), [0.57888516, 0.31624641, 0.61907428], atol=PRINTED
    )
    found = arm.singularities("tool")
    l1, l2, theta2, theta3 = symbols("l1 l2 theta2 theta3")
    printed = (
        -l1 * l2 * sympy.sin(theta3) * (l1 * sympy.cos(theta2) + l2 * sympy.cos(theta2 + theta3))
    )
    assert same(found.determinant, printed)
    assert [s.name for s in found.sets] == ["elbow", "shoulder"]
    assert "tool is on the axis of theta1" in found.sets[1].meaning
    places = arm.pose("tool")(found.sets[1].positions(20))[:, :2, 3]
    assert np.abs(places).max() < 1e-12


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("cartesian", "1"),  # S59
        ("cylindrical", "r"),  # S60
        ("spherical", "r**2*cos(phi)"),  # S61
        ("scara", "a1*a2*sin(theta2)"),  # S62
    ],
)
def test_S59_S60_S61_S62_determinants_of_the_arm_types(name, printed):
    arm = getattr(vv.catalog, name)()
    found = arm.singularities("tool")
    assert same(found.determinant, sympy.sympify(printed))
    assert found.complete
    q = np.array([0.3, 0.4, 0.5])
    det = np.linalg.det(arm.task_jacobian("tool", "position")(q))
    values = {**arm.parameters, **dict(zip(arm.coordinate_names, q, strict=True))}
    assert float(sympy.sympify(printed).subs(values)) == pytest.approx(det, abs=1e-14)
    assert arm.mobility().true == 3


def test_S63_articulated_robot_is_the_spatial_arm_on_a_column():
    arm = vv.catalog.articulated(h=0.5)
    flat = vv.catalog.spatial_3r()
    assert arm.singularities("tool").determinant == flat.singularities("tool").determinant
    assert vv.catalog.puma560().mobility().counted == 6


def test_C84_forward_kinematics_as_formulas_and_numbers():
    """Position and orientation of any chain; planar, in space, and as angles."""
    arm = vv.catalog.spatial_3r()
    form = arm.closed_form()
    q = np.array([0.5, 0.4, 0.9])
    values = {**arm.parameters, **dict(zip(arm.coordinate_names, q, strict=True))}
    for task in ("position", "position ZYX", "euler-xyz"):
        written = np.array(form.task("tool", task).subs(values).evalf(), float).ravel()
        np.testing.assert_allclose(written, arm.task("tool", task)(q), atol=1e-14)
    with pytest.raises(UnknownNameError, match=r"unknown frame 'tip'.*'tool'"):
        form.task("tip", "position")


def test_C88_jacobian_of_any_point_and_its_columns():
    arm = vv.catalog.puma560()
    q = np.array([0.1, -0.5, 0.3, 0.4, 0.5, 0.6])
    point = [0.02, -0.03, 0.2]
    columns = arm.jacobian_columns("tool", q, point=point)
    np.testing.assert_allclose(columns.matrix, arm.jacobian("tool", point=point)(q), atol=1e-15)
    slope = arm.task("tool", "position", point).jacobian("q")(q)
    np.testing.assert_allclose(columns.matrix[3:], slope, atol=1e-14)
    assert "joint6 turns the tip about z = " in str(columns["joint6"])


def test_C89_singular_positions_are_listed_measured_and_their_lost_direction_named():
    """Puma: each set loses rank, its load costs no torque, and the distance bound is one."""
    arm = vv.catalog.puma560()
    found = arm.singularities("tool")
    assert {s.name for s in found.sets} == {"wrist", "shoulder", "elbow"}
    for one in found.sets:
        for q in one.positions(3, seed=2):
            place = arm.singularity("tool", q)
            assert place.rank == 5, (one.name, place.singular_values)
            torque = place.J.T @ place.resisted
            assert np.abs(torque).max() < 1e-9
    beside = arm.singularity("tool", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert beside.distance.lower < 0.5 <= beside.distance.upper + 1e-12
    assert arm.singularity("tool", beside.distance.nearest).is_singular


def test_C92_analytic_and_geometric_jacobians_differ_by_the_rates_matrix():
    """ω = B φ̇: of Euler angles, of every link."""
    arm = vv.catalog.stanford()
    q = np.array([0.3, 0.8, 0.5, 0.2, 0.7, -0.4])
    for body in ("link2", "link4", "tool"):
        X, J = (np.array(x, float) for x in arm.kinematics(body).interpret(q))
        angles = np.array(arm.task(body, "ZXZ").interpret(q), float)
        B = X[:3, :3] @ vv.space.euler_rates_matrix(angles, "ZXZ")
        analytic = np.array(arm.task_jacobian(body, "ZXZ").interpret(q), float)
        np.testing.assert_allclose(B @ analytic, J[:3], atol=1e-13)


def test_E50_scara_without_its_wrist_has_three_freedoms():
    """Counted 1P + 2R, as printed; the fourth, a turn at the wrist, is what the text leaves out."""
    arm = vv.catalog.scara()
    assert arm.mobility().counted == 3
    b = vv.Builder("scara with wrist")
    turn = {"joint": "revolute", "mass": 1.0}
    b.body("link1", joint_name="theta1", **turn)
    b.body("link2", parent="link1", joint_name="theta2", at=[0.4, 0, 0], **turn)
    b.body("quill", parent="link2", joint="prismatic", joint_name="d", at=[0.3, 0, 0], mass=1.0)
    b.body("hand", parent="quill", joint_name="theta4", **turn)
    four = b.frame("tool", body="hand").build()
    found = four.singularities("tool")
    assert (four.mobility().counted, found.task.text) == (4, "x y z phi")
    assert same(found.determinant, sympy.Rational(12, 100) * sympy.sin(symbols("theta2")))
