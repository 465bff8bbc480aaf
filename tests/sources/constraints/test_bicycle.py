"""Whipple's bicycle against the benchmark: its matrices, and from them its eigenvalues."""

import numpy as np
import pytest

from tests.support.generators.held import Numbers, closed, held
from visviva.space import about_axis, quaternion

# Meijaard et al., 2007, table 2: M q'' + v C1 q' + (g K0 + v² K2) q = 0 for q = (lean, steer)
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
LEAN, REAR, STEER = 0, 6, 7  # in v: the frame's twist (ω, v), rear, delta, front


@pytest.fixture(scope="module")
def numbers():
    return Numbers(held("bicycle"))


def rolling(numbers, q, lean, steer, wheel):
    """The velocity that the wheels admit with these rates."""
    chosen = np.eye(9)[[LEAN, STEER, REAR]]
    A = np.vstack([numbers.matrix(q), chosen])
    return np.linalg.solve(A, [*np.zeros(6), lean, steer, wheel])


def test_the_mass_matrix_of_lean_and_steer(numbers):
    q = np.array(numbers.system.keyframes["assembled"])
    N = np.stack([rolling(numbers, q, 1, 0, 0), rolling(numbers, q, 0, 1, 0)], axis=1)
    np.testing.assert_allclose(N.T @ numbers.stated("mass_matrix", q) @ N, M, rtol=1e-12)


def accelerations(numbers, x, speed):
    """Of lean and steer at x = (lean, steer, their rates)."""
    q = np.array(numbers.system.keyframes["assembled"])
    q[:4] = quaternion(about_axis([1.0, 0.0, 0.0], x[0]))
    q[8] = x[1]
    q = closed(numbers, q)
    v = rolling(numbers, q, x[2], x[3], speed / 0.3)
    return numbers.motion("forward_dynamics", q, v, np.zeros(9))[[LEAN, STEER]]


@pytest.mark.parametrize("speed", [0.0, 5.0])
def test_lean_and_steer_near_upright_are_those_of_the_benchmark(numbers, speed):
    """The slopes of accelerations by central differences, and the eigenvalues of motion."""
    h = 1e-4
    slopes = np.stack(
        [
            (accelerations(numbers, h * e, speed) - accelerations(numbers, -h * e, speed)) / (2 * h)
            for e in np.eye(4)
        ],
        axis=1,
    )
    stiff, damp = 9.81 * K0 + speed**2 * K2, speed * C1
    wanted = -np.linalg.solve(M, np.hstack([stiff, damp]))
    np.testing.assert_allclose(slopes, wanted, atol=2e-6 * np.abs(wanted).max())  # differences
    state = np.block([[np.zeros((2, 2)), np.eye(2)], [slopes]])
    eigenvalues = np.sort_complex(np.linalg.eigvals(state))
    published = {
        0.0: [-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393],
        5.0: [
            -14.0783896927982,
            -0.775341882195845 - 4.46486771378823j,
            -0.775341882195845 + 4.46486771378823j,
            -0.322866429004087,
        ],
    }
    np.testing.assert_allclose(eigenvalues, np.sort_complex(published[speed]), rtol=1e-4)
