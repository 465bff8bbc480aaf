"""Rows of constraints of bodies: A v is dφ/dt, β is d/dt (A v + a₀), on random trees and loops."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.describe.joints.test_closures import ALL, held
from tests.support.counts import examples
from tests.support.generators.bodies import close, mp, random_tree
from visviva.algebra.diff import along
from visviva.equations.constraints import rows
from visviva.errors import ConstrainedError
from visviva.space.poses import Pose

seeds = st.integers(0, 2**32 - 1)


def looped(seed, names, size=5):
    """A random tree with a loop of each of these closures, and a position at which all hold."""
    rng = np.random.default_rng(seed)
    model = random_tree(rng, size)
    q = model.random(rng)
    for k, name in enumerate(names):
        a, b = (f"frame{i}" for i in rng.choice(size, 2, replace=False))
        a = "world" if rng.random() < 0.2 else a
        there = model.frame_pose(b, q).inverse() @ model.frame_pose(a, q) @ held(name, rng)
        # composed poses lose digits of being rotations; nothing here depends on that
        model = model.with_frame(f"end{k}", Pose.of(there.R, there.p), on=b)
        model = model.with_loop(a, f"end{k}", ALL[name])
    return model, q, rng.normal(size=model.nv)


def rate(model, f, q, v, t=0.0):
    """df/dt along the motion q̇ = N v, with v kept."""
    x = np.array([*q, t])
    return along(lambda y: f(y[:-1], y[-1]), x, [*model.rates(q, v), 1.0])


def check_rows(model, q, v, t=0.0, tolerance=1e-12):
    A = rows.constraint_matrix(model, q, t)
    drift = rows.constraint_drift(model, q, t)
    k = len(A)
    assert A.shape == (k, model.nv)
    assert sum(s.stop - s.start for s in rows.row_slices(model).values()) == k
    velocity = rows.constraint_velocity(model, q, v, t)
    close(velocity, A @ v + drift, tolerance)
    moving = list(rows.position_rows(model))
    error = rate(model, lambda q, t: rows.constraint_error(model, q, t), q, v, t)
    close(error, velocity[moving], tolerance)
    bias = rate(model, lambda q, t: rows.constraint_velocity(model, q, v, t), q, v, t)
    close(rows.constraint_bias(model, q, v, t), bias, tolerance)


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", ALL)
def test_rows_of_one_loop(name):
    """Derivatives by the graph of φ and of A v, which the recursion for β does not use."""
    for seed in range(2):
        model, q, v = looped(seed, [name])
        close(rows.constraint_error(model, q), np.zeros(ALL[name].position_rows), 1e-13)
        check_rows(model, q, v, tolerance=1e-11)  # far frames, fast joints


@examples(4, 300)
@given(seeds, st.lists(st.sampled_from(sorted(ALL)), min_size=2, max_size=3))
def test_rows_of_several_loops(seed, names):
    model, q, v = looped(seed, names)
    check_rows(model, q, v, tolerance=1e-11)


def test_joints_that_carry_both_frames_do_not_enter():
    b = vv.Builder("tree").body("base", joint="free", mass=1.0)
    for name in "ab":
        b.body(f"{name}1", parent="base", joint="revolute", axis="y", mass=1.0)
        b.body(name, parent=f"{name}1", joint="revolute", axis=[1, 2, 3], mass=1.0)
    model = b.build().with_loop("a", "b", "fixed")
    rng = np.random.default_rng(0)
    q, v = model.random(rng), rng.normal(size=model.nv)
    A = rows.constraint_matrix(model, q)
    assert (A[:, :6] == 0).all()
    assert (A[:, 6:] != 0).any(axis=0).all()
    still = np.concatenate([q[:7] * 0 + model.neutral()[:7], q[7:]])
    close(rows.constraint_bias(model, q, v), rows.constraint_bias(model, still, [*[0] * 6, *v[6:]]))


FORMULAS = [
    "elbow = r*sin(2*t)",
    "base_joint_x^2*elbow - t^2",
    "elbow' + base_joint_vx*sin(elbow) = t",
    "ball_x*ball_y + elbow*t^2 = 3",
    "ball_x'*elbow + ball_w'*base_joint_y = t",
    "follower^2*t = elbow + base_joint_x'*0",
    "elbowd = r follower' + cos(t)",
    "ball_wx*follower = r*elbow'",
    lambda q, v, t: q[0] * v[2] + v[3] * q[1] + v[4] * t,
    lambda q: q[3] ** 2 - q[0],
]


def crane():
    b = vv.Builder("crane", parameters={"r": 2.0})
    b.body("base", joint="planar", mass=1.0)
    b.body("arm", parent="base", joint="revolute", joint_name="elbow", mass=1.0, com=[1, 0, 0])
    b.body("hand", parent="arm", joint="spherical", joint_name="ball", mass=1.0)
    follow = {"joint_name": "follower", "mimic": ("elbow", 2.0, 0.1)}
    b.body("wheel", parent="arm", joint="revolute", mass=1.0, **follow)
    return b.build()


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda x: x if isinstance(x, str) else "function")
def test_rows_of_relations(formula):
    model = crane().with_constraint(formula).numeric
    rng = np.random.default_rng(0)
    for _ in range(3):
        check_rows(model, model.random(rng), rng.normal(size=model.nv), rng.normal())


def test_a_function_and_a_text_are_one_relation():
    said, traced = (
        crane().with_constraint(x, "c")
        for x in ("base_joint_x*elbow' - t*ball_wz = 0", lambda q, v, t: q[1] * v[3] - t * v[6])
    )
    rng = np.random.default_rng(0)
    q, v = said.random(rng), rng.normal(size=said.nv)
    for name in ("matrix", "drift"):
        f = getattr(rows, f"constraint_{name}")
        assert np.array_equal(f(said.numeric, q, 0.3), f(traced.numeric, q, 0.3))
    assert np.array_equal(*(rows.constraint_bias(m.numeric, q, v, 0.3) for m in (said, traced)))


def four_bar():
    """A crank of length 1, a coupler of 3 and a rocker of 2 on a ground of 4."""
    b = vv.Builder("four-bar", gravity=[0, -9.81, 0])
    b.body("crank", joint="revolute", joint_name="q1", mass=1.0, com=[0.5, 0, 0])
    b.body("coupler", parent="crank", joint="revolute", joint_name="q2", at=[1, 0, 0], mass=1.0)
    b.body("rocker", joint="revolute", joint_name="q3", at=[4, 0, 0], mass=1.0)
    b.frame("end", body="coupler", at=[3, 0, 0]).frame("pin", body="rocker", at=[2, 0, 0])
    return b.build().with_loop("end", "pin")


def test_a_four_bar_by_its_textbook_loop():
    """The hinge that closes it holds two equations; what a plane holds anyway is exactly zero."""
    model = four_bar()
    q = sympy.symbols("q1:4")
    A = rows.constraint_matrix(model, np.array(q, dtype=object))
    zero = [all(x == 0 for x in row) for row in A]
    assert zero == [True, True, False, False, True]
    x = sympy.Matrix(
        [
            2 * sympy.cos(q[2]) + 4 - sympy.cos(q[0]) - 3 * sympy.cos(q[0] + q[1]),
            2 * sympy.sin(q[2]) - sympy.sin(q[0]) - 3 * sympy.sin(q[0] + q[1]),
        ]
    )
    turned = sympy.Matrix([[sympy.cos(q[2]), sympy.sin(q[2])], [-sympy.sin(q[2]), sympy.cos(q[2])]])
    want = turned * x.jacobian(q)
    at = {q[0]: 0.3, q[1]: 0.4, q[2]: 1.9}
    got = np.array([[complex(sympy.sympify(e).subs(at)).real for e in row] for row in A[2:4]])
    close(got, np.array(want.subs(at), dtype=float), 1e-13)


def test_rows_are_exact_where_numbers_are():
    model = four_bar().with_constraint("q1 = 3*q2")
    q = np.array([Fraction(0)] * 3, dtype=object)
    A = rows.constraint_matrix(model, q)
    assert A[-1].tolist() == [1, -3, 0]
    assert A[2:4].tolist() == [[0, 0, 0], [-4, -3, 2]]
    exact = rows.constraint_bias(model, mp([0.1, 0.2, 0.3]), mp([1.0, 2.0, 3.0]))
    close(exact, rows.constraint_bias(model, [0.1, 0.2, 0.3], np.array([1.0, 2.0, 3.0])), 1e-14)


def test_what_is_switched_off_has_no_rows():
    model = four_bar()
    off = replace(model, constraints=[replace(x, active=False) for x in model.constraints])
    assert rows.constraint_matrix(off, np.zeros(3)).shape == (0, 3)
    assert rows.constraint_error(off, np.zeros(3)).shape == (0,)
    assert rows.row_slices(off) == {}


def test_an_equality_that_is_not_read_has_no_rows_either(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text("""<mujoco><worldbody><body><joint name="one"/><geom size="1"/></body>
        </worldbody><tendon><fixed name="t"><joint joint="one" coef="1"/></fixed></tendon>
        <equality><tendon name="e" tendon1="t"/></equality></mujoco>""")
    model = vv.load(path)
    with pytest.raises(ConstrainedError, match="'e' is an equality of tendons, whose rule is not"):
        rows.constraint_matrix(model, [0.0])


@pytest.mark.parametrize("theta", [0.5, -0.5])
def test_absolute_values_in_formulas_are_those_of_real_numbers(theta):
    profile = vv.Lagrangian(
        "theta y", "theta'^2/2 + y'^2/2", "9.81*y", constraints="y = theta*abs(theta)"
    )
    A, f = np.array([-2 * abs(theta), 1.0]), np.array([0.0, -9.81])
    v = np.array([1.0, 2 * abs(theta)])
    a = f - A * (-2 * np.sign(theta) + A @ f) / (A @ A)  # A a + β = 0
    found = profile.forward_dynamics([theta, theta * abs(theta)], v, [0.0, 0.0])
    np.testing.assert_allclose(found, a, rtol=1e-13)
