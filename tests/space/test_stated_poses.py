"""Wherever a pose, a vector or a rotation is wanted: poses, arrays, lists and SymPy's matrices."""

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.space import rotations
from visviva.space.poses import as_pose

COLUMN = sympy.Matrix([sympy.Rational(1, 10), 0, sympy.Rational(1, 5)])
TURN = sympy.Matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
PLACE = vv.Pose([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [0.1, 0.0, 0.2])
AS_MATRIX = sympy.Matrix(4, 4, [sympy.nsimplify(x) for x in PLACE.matrix().ravel()])
ARM, BODY = vv.catalog.two_link(), vv.Inertia(2.0, [0.1, 0.0, 0.2], np.diag([1.0, 2.0, 2.5]))
POINTS = np.random.default_rng(0).normal(size=(6, 3))
PUMA = vv.catalog.puma560()
REACHED = PUMA.frame_pose(PUMA.frame_names[-1], np.full(6, 0.3))


def _at(where):
    return vv.Builder("b").body("a", joint="revolute", axis="z", at=where).build()


def _framed(where):
    return ARM.with_frame("there", where, on="link2").frame_pose("there", [0.1, 0.2]).matrix()


def _screwed(home):
    return vv.from_screws(home, [[0, 0, 1, 0, 0, 0]])


WITH_POSES = {
    "from_matrix": lambda X: as_pose(X).matrix(),
    "leg_lengths": lambda X: vv.parallel.leg_lengths(POINTS, POINTS, X),
    "leg_lengths of several": lambda X: vv.parallel.leg_lengths(POINTS, POINTS, [X, X]),
    "builder": lambda X: _at(X).bodies[0].placement.matrix(),
    "with_frame": _framed,
    "screws": lambda X: _screwed(X).frame_pose("tool", [0.3]).matrix(),
    "numpy": lambda X: np.asarray(X, dtype=float),
}


@pytest.mark.parametrize("use", WITH_POSES)
def test_a_pose_is_a_pose_however_it_is_stated(use):
    make = WITH_POSES[use]
    expected = np.asarray(make(PLACE), dtype=float)
    for given in (PLACE.matrix(), PLACE.matrix().tolist(), AS_MATRIX):
        np.testing.assert_allclose(np.asarray(make(given), float), expected, rtol=1e-15)


VECTORS = {
    "com": lambda x: vv.Inertia(2.0, x, np.eye(3)).com,
    "moments": lambda x: vv.Inertia.from_moments(2.0, [0, 0, 0], x, checked=False).tensor,
    "p": lambda x: vv.Pose(p=x).p,
    "translation": lambda x: vv.Pose.translation(x).p,
    "axis": lambda x: vv.Pose.rotation(x, 0.3).R,
    "point": PLACE.apply,
    "at": lambda x: _at(x).bodies[0].placement.p,
    "joint axis": lambda x: (
        vv.Builder("b").body("a", joint="revolute", axis=x).build().bodies[0].joint.axis
    ),
    "frame at": _framed,
    "gravity": lambda x: ARM.with_gravity(x).gravity,
    "Euler": lambda x: vv.pencil.euler_torque(np.diag([1.0, 2.0, 3.0]), x, x),
    "load": lambda x: ARM.statics([0.1, 0.2], {"tool": {"force": x}}).torques,
}


@pytest.mark.parametrize("use", VECTORS)
def test_columns_and_rows_of_sympy_are_vectors(use):
    expected = np.asarray(VECTORS[use]([0.1, 0.0, 0.2]), dtype=float)
    for given in (COLUMN, COLUMN.T, sympy.ImmutableMatrix(COLUMN)):
        np.testing.assert_allclose(np.asarray(VECTORS[use](given), float), expected, atol=1e-15)


ROTATIONS = {
    "R": lambda R: vv.Pose(R).R,
    "quaternion": vv.space.quaternion,
    "log": rotations.log,
    "angle": lambda R: rotations.angle_about([0, 0, 1], R),
    "Euler angles": lambda R: vv.space.euler_angles(R, "ZYX"),
    "moved": lambda R: BODY.moved(R).tensor,
}


@pytest.mark.parametrize("use", ROTATIONS)
def test_matrices_of_sympy_are_rotations(use):
    expected = np.asarray(ROTATIONS[use](PLACE.R), dtype=float)
    np.testing.assert_allclose(np.asarray(ROTATIONS[use](TURN), float), expected, atol=1e-15)


def test_three_numbers_are_a_place_for_tools_too():
    rows = [(0, 0, 0, 0)]
    whole = {"convention": "modified", "joints": "R"}
    arms = [vv.from_dh(rows, tool=x, **whole) for x in ([1, 0, 0], vv.Pose(p=[1, 0, 0]))]
    places = [x.frame_pose("tool", [0.3]).p for x in arms]
    np.testing.assert_array_equal(*places)


def test_symbols_in_matrices_stay_symbols():
    a, x = sympy.symbols("a x")
    R = sympy.Matrix([[sympy.cos(a), -sympy.sin(a), 0], [sympy.sin(a), sympy.cos(a), 0], [0, 0, 1]])
    assert vv.Pose(R, sympy.Matrix([x, 0, 0])).apply([0, 1, 0]).tolist() == [
        x - sympy.sin(a),
        sympy.cos(a),
        0,
    ]


def test_states_of_sympy_are_states():
    q = sympy.Matrix([sympy.Rational(1, 10), sympy.Rational(1, 5)])
    expected = ARM.inverse_dynamics([0.1, 0.2], [0.1, 0.2], [0.0, 0.0])
    np.testing.assert_array_equal(ARM.inverse_dynamics(q, q, [0, 0]), expected)
    run = ARM.simulate(q, q.T, 0.01)
    np.testing.assert_array_equal(run.q, ARM.simulate([0.1, 0.2], [0.1, 0.2], 0.01).q)
    down = sympy.Matrix([-sympy.pi / 2, 0])
    np.testing.assert_array_equal(ARM.linearize(down).A3, ARM.linearize([-np.pi / 2, 0]).A3)


def test_targets_and_paths_of_poses():
    tip = PUMA.frame_names[-1]
    found = PUMA.inverse_kinematics(tip, [REACHED, REACHED.matrix()])
    alone = PUMA.inverse_kinematics(tip, sympy.Matrix(REACHED.matrix()))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(alone, PUMA.inverse_kinematics(tip, REACHED))
    for wrong in ([1, 2], sympy.Matrix([1, 2]), "somewhere"):
        with pytest.raises((vv.VisvivaError, ValueError)):
            vv.Pose(p=wrong)
