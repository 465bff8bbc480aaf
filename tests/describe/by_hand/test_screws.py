"""Products of exponentials: the formula itself, pitches, link frames, round trips, bad screws."""

import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.counts import count
from visviva.algebra.expr import Graph
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.by_hand.screws import from_screws, to_screws
from visviva.describe.joints.axis import Helical, Prismatic, Revolute
from visviva.describe.model.compare import differences, world_inertia
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.space.poses import Pose
from visviva.space.rotations import exp


def matrix_exponential(S, q):
    """exp([S] q) by its power series, halved and squared: shares nothing with the package."""
    w, v = np.array(S[:3]) * q, np.array(S[3:]) * q
    A = np.zeros((4, 4))
    A[:3, :3] = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]
    A[:3, 3] = v
    A, term, total = A / 256, np.eye(4), np.eye(4)
    for k in range(1, 16):
        term = term @ A / k
        total = total + term
    for _ in range(8):
        total = total @ total
    return total


def unit(v):
    return v / np.linalg.norm(v)


def random_screw(rng):
    kind = rng.integers(3)
    if kind == 0:
        return np.concatenate([np.zeros(3), unit(rng.normal(size=3))])
    w, r = unit(rng.normal(size=3)), rng.normal(size=3)
    pitch = 0.0 if kind == 1 else rng.uniform(-1, 1)
    return np.concatenate([w, -np.cross(w, r) + pitch * w])


def random_pose(rng):
    return Pose(exp(rng.normal(size=3)), rng.normal(size=3))


def random_arm(rng, n):
    S = [random_screw(rng) for _ in range(n)]
    home = random_pose(rng)
    masses = [
        Inertia.point_masses(rng.uniform(0.1, 2, 5), rng.normal(size=(5, 3))) for _ in range(n)
    ]
    return S, home, masses


@pytest.mark.soak
def test_the_product_of_exponentials():
    rng = np.random.default_rng(1)
    for _ in range(count(20, 1000)):
        n = int(rng.integers(1, 8))
        S, home, masses = random_arm(rng, n)
        arm = from_screws(home, S, inertias=masses)
        q = rng.uniform(-2, 2, n)
        T = np.eye(4)
        for i in range(n):
            T = T @ matrix_exponential(S[i], q[i])
            there = arm.frame_pose(f"screw{i + 1}", q)
            assert np.allclose(there.matrix(), T, atol=1e-12)  # 256 squarings lose 8 bits
            body = world_inertia(arm.bodies[i].inertia, arm.body_poses(q)[i])
            wanted = world_inertia(masses[i], Pose.from_matrix(T))
            assert np.allclose(body, wanted, rtol=1e-12, atol=1e-10)
        assert np.allclose(arm.frame_pose("tool", q).matrix(), T @ home.matrix(), atol=1e-12)


def test_kinds_of_screws():
    S = [[0, 0, 1, 0, -1, 0], [0, 0, 0, 0, 1, 0], [0, 0, 1, 0.5, 0, 0.2]]
    arm = from_screws(Pose.identity(), S)
    assert [type(b.joint) for b in arm.bodies] == [Revolute, Prismatic, Helical]
    assert arm.bodies[2].joint.pitch == pytest.approx(0.2)
    assert arm.notes == ("no inertia was given for every link: massless",)
    # a rounded v gives a screw with a tiny pitch, which is said
    odd = from_screws(np.eye(4), [[0, 0, 1, 0, -1, 1e-5]], inertias=[Inertia.point(1.0)])
    assert odd.notes == ("screw 1 has the small pitch 1e-05 m/rad: is v = -ω × r rounded?",)


def test_a_shift_of_the_world_does_not_make_a_pitch():
    rng = np.random.default_rng(2)
    for _ in range(200):
        w, r = unit(rng.normal(size=3)), rng.normal(size=3) * 10.0 ** rng.uniform(-3, 3)
        arm = from_screws(np.eye(4), [np.concatenate([w, -np.cross(w, r)])])
        assert isinstance(arm.bodies[0].joint, Revolute)


def test_inertias_in_link_frames_of_their_own():
    rng = np.random.default_rng(3)
    S, home, masses = random_arm(rng, 4)
    frames = [random_pose(rng) for _ in range(4)]
    arm = from_screws(home, S, inertias=masses, link_homes=frames)
    seen = [m.moved(X.R, X.p) for m, X in zip(masses, frames, strict=True)]
    other = from_screws(home, S, inertias=seen)
    assert differences(arm, other, frames=["tool"]) == []
    for i, X in enumerate(frames):
        assert np.allclose(arm.frame_pose(f"screw{i + 1}", np.zeros(4)).matrix(), X.matrix())


@pytest.mark.soak
def test_round_trips():
    rng = np.random.default_rng(4)
    for _ in range(count(20, 1000)):
        n = int(rng.integers(1, 8))
        S, home, masses = random_arm(rng, n)
        details = [{"damping": rng.uniform(), "armature": rng.uniform()} for _ in range(n)]
        limits = [(-1.0, rng.uniform(0, 2)) for _ in range(n)]
        options = {"gravity": rng.normal(size=3), "limits": limits, "details": details}
        arm = from_screws(home, S, inertias=masses, **options)
        again = to_screws(arm)
        assert np.allclose(again.screws, S, atol=1e-13)
        assert np.allclose(again.home.matrix(), home.matrix(), atol=1e-13)
        for one, other in zip(again.inertias, masses, strict=True):
            assert np.allclose(one.spatial(), other.spatial(), rtol=1e-12, atol=1e-11)
        assert differences(arm, again.model()) == []


def test_symbols_stay_symbols():
    g = Graph()
    a, m = g.input("a"), g.input("m")
    S = [[0, 0, 1, 0, 0, 0], [0.6, 0, 0.8, 0, -0.8 * a, 0], [0, 0, 0, 0, 0, 1]]
    home = Pose(np.eye(3), [2 * a, 0, 0])
    masses = [None, Inertia.point(m, [a, 0, 0]), None]
    arm = from_screws(home, S, inertias=masses, parameters={"a": 0.5, "m": 2.0})
    assert arm.is_symbolic
    assert isinstance(arm.bodies[1].joint, Revolute)
    plain = from_screws(
        Pose(np.eye(3), [1.0, 0, 0]),
        [[0, 0, 1, 0, 0, 0], [0.6, 0, 0.8, 0, -0.4, 0], [0, 0, 0, 0, 0, 1]],
        inertias=[None, Inertia.point(2.0, [0.5, 0, 0]), None],
    )
    assert differences(arm, plain) == []
    again = to_screws(arm).model()
    assert again.is_symbolic
    assert differences(arm.with_parameters(a=0.7), again.with_parameters(a=0.7)) == []
    with pytest.raises(UnknownNameError, match="unknown parameter 'm'"):
        from_screws(np.eye(4), S[:1], inertias=[Inertia.point(m)], parameters={"a": 1.0})


def test_a_pitch_that_is_zero_by_accident_stays_a_pitch():
    g = Graph()
    arm = from_screws(np.eye(4), [[0, 0, 1, 0, 0, g.input("h")]], parameters={"h": 0.0})
    assert isinstance(arm.bodies[0].joint, Helical)


@pytest.mark.parametrize(
    ("screws", "error", "message"),
    [
        ([[0, 0, 2, 0, 0, 0]], ArgumentError, r"screw 1 has \|ω\| = 2, .*divide ω and v by it"),
        ([[0, 0, 0.577, 0, 0, 0]], ArgumentError, r"\|ω\| = 0.577"),
        ([[0, 0, 0, 0, 0, 3]], ArgumentError, "needs length 1, got 3"),
        ([[0, 0, 0, 0, 0, 0]], ArgumentError, "needs length 1, got 0"),
        ([[0, 0, float("nan"), 0, 0, 0]], ArgumentError, "screw 1 must be finite"),
        ([[0, 0, 1, 0, float("inf"), 0]], ArgumentError, "screw 1 must be finite"),
        (
            [[0, 0, 1, 0, 0]],
            ShapeError,
            r"screw 1 is a row \(ω, v\) of 6 numbers, got \[0, 0, 1, 0, 0\]",
        ),
        ([0, 0, 1, 0, 0, 0], ShapeError, "screw 1 is a row .* got 0"),
        (np.zeros((0, 6)), ShapeError, "screws are n rows .* got none"),
    ],
)
def test_bad_screws_are_refused(screws, error, message):
    with pytest.raises(error, match=message):
        from_screws(np.eye(4), screws)


def test_what_no_product_can_state_is_refused():
    ball = Builder("ball").body("a", joint="spherical").build()
    with pytest.raises(ArgumentError, match=r"is spherical \(available: revolute, prismatic, hel"):
        to_screws(ball)
    with pytest.raises(ArgumentError, match="needs a joint, model 'empty' has none"):
        to_screws(Builder("empty").build())
    with pytest.raises(ShapeError, match="link_homes needs one entry"):
        from_screws(np.eye(4), [[0, 0, 1, 0, 0, 0]], link_homes=[])


def test_sympy_symbols_in_screws_are_exact_everywhere():
    L1, L2, m = vv.parameters("L1 L2 m")
    home = [[1, 0, 0, L1 + L2], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    arm = vv.from_screws(
        home,
        [[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -L1, 0]],
        inertias=[vv.Inertia.point(m, [L1, 0, 0]), vv.Inertia.point(m, [L1 + L2, 0, 0])],
        parameters={"L1": 0.4, "L2": 0.3, "m": 2.0},
    )
    assert arm.check("M22 = m L2^2").is_identical
    assert arm.closed_form().pose("tool")[1, 3] == sympy.sympify(
        "L1*sin(joint1) + L2*sin(joint1 + joint2)"
    )
