"""Base parameters: how many there are, that they suffice, and that none can be spared."""

import pickle
import warnings
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import JOINTS, random_tree
from tests.support.oracles.oracle import DIGITS, floats, mechanism, off, precise, random_state
from tests.support.oracles.robots import robot
from visviva.equations.bodies.links import links
from visviva.equations.dynamics import inverse_dynamics
from visviva.equations.parameters.base import base_parameters, structure
from visviva.equations.parameters.regressor import JOINT, regressor, regressor_parameters
from visviva.errors import RankError, UnknownNameError
from visviva.space.rotations import about_axis

TOLERANCE = 1e-12
BOX = vv.Inertia.box(1.0, x=1.0, y=2.0, z=3.0)
LINK = vv.Inertia.box(2.0, x=0.6, y=0.1, z=0.2).moved(p=[0.3, 0.02, 0.05])
seeds = st.integers(0, 2**32 - 1)


def planar_arm(gravity=(0.0, -9.81, 0.0), tilt=0.0):
    """Two turns about z, half a metre apart; the second one may lean."""
    b = vv.Builder("planar_arm", gravity=gravity)
    b.body("1", joint="revolute", axis="z", inertia=LINK)
    lean = about_axis([1.0, 0.0, 0.0], tilt)
    b.body("2", parent="1", joint="revolute", axis="z", at=[0.5, 0, 0], rotation=lean, inertia=LINK)
    return b.build()


def robots():
    """Robots with joint 1 upright, and how many of their joints turn and slide."""
    return {
        "puma560": (vv.catalog.puma560(), 6, 0),
        "ur5": (vv.load(robot("ur5_robot.urdf")), 6, 0),
        "stanford": (vv.catalog.stanford(), 5, 1),
    }


def test_planar_arm_in_a_vertical_plane():
    """Three a link, and the second link's mass is seen as if it were at the end of the first."""
    found = base_parameters(planar_arm(), include=())
    assert found.names == (
        "mx_1 + 0.5 m_2",
        "my_1",
        "Jzz_1 + 0.25 m_2",
        "mx_2",
        "my_2",
        "Jzz_2",
    )
    m, c, moment = LINK.mass, LINK.com, LINK.about(np.zeros(3))[2, 2]
    expected = [m * c[0] + m / 2, m * c[1], moment + m / 4, m * c[0], m * c[1], moment]
    assert off(found.values, expected) <= TOLERANCE


def test_planar_arm_in_a_horizontal_plane():
    """Without gravity in the plane, where the first link's centre is cannot be told."""
    found = base_parameters(planar_arm(gravity=(0.0, 0.0, -9.81)), include=())
    assert found.names == ("Jzz_1 + 0.25 m_2", "mx_2", "my_2", "Jzz_2")


def test_rotors_and_friction():
    """The first rotor turns with the first link's moment of inertia; all else is separate."""
    found = base_parameters(planar_arm())
    assert found.names[2] == "Jzz_1 + 0.25 m_2 + armature_1_joint"
    assert found.names[6:] == (
        "armature_2_joint",
        "damping_1_joint",
        "damping_2_joint",
        "friction_1_joint",
        "friction_2_joint",
    )
    some = base_parameters(planar_arm(), include=["damping"])
    assert base_parameters(planar_arm(), include="damping").names == some.names
    assert some.names[6:] == ("damping_1_joint", "damping_2_joint")
    assert not some.map[:, [20, 21, 24, 25]].any()


@pytest.mark.parametrize("name", ["puma560", "ur5", "stanford"])
def test_serial_robots(name):
    """Gautier and Khalil: 7 for a turn and 4 for a slide, less 4, less 2 where joint 1 is upright.

    So it is 36 for any 6R arm whose first axis is upright and whose second is not: one for the
    first joint, Jzz, and seven for each of the others. Parallel axes further out take nothing off.
    """
    model, turns, slides = robots()[name]
    found = base_parameters(model, include=())
    assert len(found) == 7 * turns + 4 * slides - 6
    assert found.gap > 1e13


def test_the_usual_parameters_of_the_puma():
    """Those of the textbooks: Jzz of link 1; of the others m, mz and Jyy are with their parents."""
    found = base_parameters(vv.catalog.puma560(), include=())
    names = [found.parameter_names[c] for c in found.columns]
    usual = ("mx", "my", "Jxx", "Jxy", "Jxz", "Jyz", "Jzz")
    assert names == ["Jzz_link1", *(f"{k}_link{i}" for i in range(2, 7) for k in usual)]
    assert found.names[-3:] == ("Jxz_link6", "Jyz_link6", "Jzz_link6")
    assert "Jzz_link5 + Jyy_link6" in found.names
    assert "Jxx_link5 - Jyy_link5 + Jyy_link6" in found.names
    assert "my_link5 - mz_link6" in found.names


def test_a_body_in_free_flight_shows_all_ten():
    found = base_parameters(random_tree(np.random.default_rng(1), 1, ("free",)), include=())
    assert found.columns == tuple(range(10))
    assert np.array_equal(found.map[:, :10], np.eye(10))


def felt(joint):
    """How many of the ten mass moments a joint feels."""
    upper = np.triu_indices(3)
    rows = []
    for x in np.eye(10):
        S = np.zeros((3, 3))
        S[upper] = x[4:]
        m, h, S = joint.unfelt(x[0], x[1:4], S + S.T)
        rows.append([m, *h, *S[upper]])
    return 10 - np.linalg.matrix_rank(np.array(rows, float))


@pytest.mark.spread(2)
@pytest.mark.parametrize("kind", [k for k in JOINTS if k != "fixed"])
def test_on_a_free_base_the_joints_tell_all(kind):
    """Ten for the base and a number for every joint, by its type; the rank finds nothing more."""
    tree = random_tree(np.random.default_rng(3), 3, (kind,))
    model = replace(tree, base_inertia=BOX).with_free_base()
    each = {"revolute": 7, "prismatic": 4, "free": 10}.get(kind, felt(JOINTS[kind]))
    assert each == felt(JOINTS[kind])
    found = base_parameters(model, include=())
    assert len(found) == 10 + 3 * each
    G = structure(links(model), range(40), len(found.parameter_names))
    assert np.trace(G) == len(found)


def test_a_walking_robot():
    found = base_parameters(vv.load(robot("solo12.urdf"), base="free"), include=())
    assert len(found) == 10 + 7 * 12


@examples(4, 200)
@given(seeds, st.integers(1, 5))
def test_they_give_the_forces(seed, size):
    """Of the model, and of every other one that has the same base parameters."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, springs=False)
    found = base_parameters(model)
    K = found.map
    assert off(K[:, found.columns], np.eye(len(found))) <= TOLERANCE
    q, v, a = random_state(rng, model)
    tau = floats(inverse_dynamics(model, q, v, a))
    assert off(found.regressor(q, v, a) @ found.values, tau) <= TOLERANCE
    # θ' = θ + z with K z = 0
    z = np.linalg.svd(K)[2][len(found) :].T @ rng.normal(size=K.shape[1] - len(found))
    other = regressor_parameters(model) + z
    # z has errors of its own: singular vectors are rounded
    assert np.abs(K @ z).max(initial=0.0) <= 10 * TOLERANCE
    assert off(model.regressor(q, v, a) @ other, tau) <= 10 * TOLERANCE


@examples(3, 100)
@given(seeds, st.integers(1, 4))
def test_there_are_as_many_as_the_rank_of_all_columns(seed, size):
    """None can be spared: the regressors' own rank, without what the joints tell."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, springs=False)
    states = [random_state(rng, model) for _ in range(60)]
    Y = np.concatenate([model.regressor(*x) for x in states])
    s = np.linalg.svd(Y, compute_uv=False)
    assert (s > 1e-9 * s[0]).sum() == len(base_parameters(model))


def test_the_choice_does_not_depend_on_the_random_states():
    model = vv.load(robot("panda.urdf"))
    first, second = (base_parameters(model, rng=k) for k in (0, 1))
    assert first.names == second.names
    assert off(first.map, second.map) <= TOLERANCE


@pytest.mark.spread(1)
@pytest.mark.parametrize("name", ["puma560", "ur5"])
def test_fifty_digits_leave_no_doubt(name):
    """Gaussian elimination with full pivoting: 36 pivots of size one, the 37th is below 1e-45."""
    model = robots()[name][0].numeric
    rng = np.random.default_rng(0)
    with mpmath.workdps(DIGITS):
        states = [[precise(x) for x in random_state(rng, model)] for _ in range(12)]
        Y = np.concatenate([regressor(model, *x)[:, :60] for x in states])
        pivots = eliminated(Y * mpmath.mpf(1))
    count = len(base_parameters(model, include=()))
    assert pivots[count - 1] > 1e-2
    assert pivots[count - 1] / pivots[count] > 1e30


def eliminated(A):
    """The pivots."""
    made = []
    for _ in range(min(A.shape)):
        i, j = np.unravel_index(np.abs(A).argmax(), A.shape)
        made.append(abs(A[i, j]))
        if A[i, j] == 0:
            break
        row = A[i] / A[i, j]
        A = np.delete(np.delete(A - np.outer(A[:, j], row), i, 0), j, 1)
    return made


@pytest.mark.parametrize(
    ("tilt", "told"),
    [
        (1e-5, "no decisive gap .* the largest, of 1.4e.05, .* and 1e.06 is asked"),
        (1e-10, "miss joint forces by 2.*e-09, allowed 2.*e-11; .* nearly special"),
    ],
)
def test_geometry_that_is_nearly_special(tilt, told):
    """Ten count, but four so little that rounding hides them: better no answer than a wrong one."""
    assert len(base_parameters(planar_arm(tilt=0.1), include=())) == 10
    with pytest.raises(RankError, match=told):
        base_parameters(planar_arm(tilt=tilt), include=())


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", ["xarm7.urdf", "so100.urdf", "so101.urdf"])
def test_a_gap_that_is_not_clear_is_told_with_its_cure(name):
    """Some at least count a millionth of others; of the last there is no gap at all."""
    cure = r"snap=1e-5\) makes such angles exact"
    if name == "so101.urdf":
        with pytest.raises(RankError, match=f"no decisive gap.*{cure}"):
            base_parameters(vv.load(robot(name)))
    else:
        with pytest.warns(UserWarning, match=f"is not sure.*{cure}"):
            assert base_parameters(vv.load(robot(name))).gap < 1e10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert base_parameters(vv.load(robot(name), snap=1e-5)).gap > 1e13


def test_parameters_that_are_not_known():
    with pytest.raises(UnknownNameError, match=r"'rotor'.*'armature', 'damping', 'friction'"):
        base_parameters(planar_arm(), include=["rotor"])
    assert JOINT == ("armature", "damping", "friction")


def test_it_reads_as_a_table():
    lines = repr(base_parameters(vv.catalog.puma560(), include=())).splitlines()
    assert lines[0].startswith("puma560: 36 base parameters of 78, gap ")
    assert len(lines) == 37
    assert max(map(len, lines)) <= 100
    assert lines[-1].split() == ["4e-05", "Jzz_link6"]


def test_it_can_be_sent_elsewhere():
    found = base_parameters(planar_arm())
    copy = pickle.loads(pickle.dumps(found))
    x = np.array([0.3, -0.4]), np.array([1.0, 2.0]), np.array([-0.5, 0.2])
    assert np.array_equal(copy.regressor(*x), found.regressor(*x))
    assert copy.names == found.names
