"""Rotors, friction, springs and wrenches: energies and virtual work as the second road.

Velocities, energies and distances here come from the poses of bodies and the joints' own twists;
derivatives are differences at 50 digits (`tests.support.oracles.oracle`). Errors are relative to
the largest entry of what is compared; 1e-12 unless a comment says why not.
"""

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close, mp, random_tree
from tests.support.oracles.oracle import along, floats, mechanism, precise, random_state, slope
from visviva.describe.model.body import WORLD, Mimic, Spring
from visviva.equations.dynamics import inverse_dynamics, mass_matrix
from visviva.equations.forces import forces
from visviva.errors import ShapeError, UnknownNameError

seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 6)


def some(seed, size, **options):
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, **options)
    return rng, model, random_state(rng, model)


def ratio(b):
    return 1 if b.mimic is None else b.mimic.multiplier


def twists(model, q, v):
    """The twist of every body in its own axes."""
    poses, made = model.body_poses(q), []
    for i, b in enumerate(model.bodies):
        V = b.joint.subspace(model.local(i, q)) @ v[model.v_index[i]] * ratio(b)
        if b.parent != WORLD:
            V = V + (poses[i].inverse() @ poses[b.parent]).adjoint() @ made[b.parent]
        made.append(V)
    return made


def stretch(model, s, q):
    """x - rest of a spring."""
    if s.joint:
        return model.local(model.joint_index(s.joint), q)[0] - s.rest
    ends = [model.frame_pose(f, q).apply(p) for f, p in zip(s.frames, s.points, strict=True)]
    d = ends[1] - ends[0]
    return mpmath.sqrt(d @ d) - s.rest


def spring_energy(model, q):
    return sum((s.stiffness * stretch(model, s, q) ** 2 / 2 for s in model.springs), mpmath.mpf(0))


def energy(model, q, v):
    """Kinetic energy of bodies and rotors, potential of gravity and springs."""
    total = spring_energy(model, q)
    pairs = zip(model.bodies, model.body_poses(q), twists(model, q, v), strict=True)
    for i, (b, X, V) in enumerate(pairs):
        own = v[model.v_index[i]] * ratio(b)
        total += V @ b.inertia.spatial() @ V / 2 + b.armature @ (own * own) / 2
        total -= b.inertia.mass * (model.gravity @ X.apply(b.inertia.com))
    return total


def frame_jacobian(model, frame, q, point=(0.0, 0.0, 0.0)):
    """From v to (ω, velocity of a point), in world axes, by differences of the pose."""
    columns = []
    with mpmath.workdps(50):
        for e in np.eye(model.nv):

            def pose(x):
                X = model.frame_pose(frame, x)
                return np.concatenate([X.R.ravel(), X.apply(np.array(point))])

            rate = along(model, pose, q, e)
            W = rate[:9].reshape(3, 3) @ model.frame_pose(frame, q).R.T
            columns.append([W[2, 1], W[0, 2], W[1, 0], *rate[9:]])
    return np.array(columns).T


# ---- energy


@examples(4, 1000)
@given(seeds, sizes)
def test_power_is_the_rate_of_energy(seed, size):
    """τ · v = dE/dt + b · v along any motion: rotors, springs, friction and coupled joints."""
    _, model, (q, v, a) = some(seed, size)
    tau, b = inverse_dynamics(model, q, v, a), forces.dissipation_forces(model, q, v)

    def at(t):
        there = model.integrate(precise(q), precise(v) * t)
        return [energy(model, there, precise(v) + precise(a) * t)]

    with mpmath.workdps(50):
        rate = slope(at)
    terms = np.abs(tau * v).sum() + np.abs(b * v).sum()  # what cancels in the sums
    close([tau @ v / max(1.0, terms)], (rate + b @ v) / max(1.0, terms))


@examples(4, 1000)
@given(seeds, sizes)
def test_springs_pull_along_the_slope_of_their_energy(seed, size):
    _, model, (q, _, _) = some(seed, size)
    with mpmath.workdps(50):
        wanted = float(spring_energy(model, precise(q)))
        close([forces.spring_energy(model, q)], [wanted])
        slopes = [
            along(model, lambda x: [spring_energy(model, x)], q, e)[0] for e in np.eye(model.nv)
        ]
    close(forces.spring_forces(model, q), slopes)


@examples(4, 1000)
@given(seeds, sizes)
def test_dissipation_is_the_slope_of_rayleighs_function(seed, size):
    """b = ∂D/∂v with D = Σ ½ c ẋ² + Σ μ |ẋ|, and its power is never negative."""
    _, model, (q, v, _) = some(seed, size)

    def rayleigh(v):
        total = mpmath.mpf(0)
        for i, b in enumerate(model.bodies):
            own = v[model.v_index[i]] * ratio(b)
            total += b.damping @ (own * own) / 2 + b.friction @ abs(own)
        for s in model.springs:
            x = (stretch(model, s, model.integrate(precise(q), v * t)) for t in (h, -h))
            total += s.damping * ((next(x) - next(x)) / (2 * h)) ** 2 / 2
        return [total]

    with mpmath.workdps(50):
        h = mpmath.mpf("1e-20")
        step = [slope(lambda t, e=e: rayleigh(precise(v) + e * t))[0] for e in np.eye(model.nv)]
    b = forces.dissipation_forces(model, q, v)
    close(b, step)
    assert b @ v >= 0
    still = model.without_dissipation()
    assert not forces.dissipation_forces(still, q, v).any()
    assert forces.dissipation_forces(model, q, 0 * v).tolist() == [0.0] * model.nv


@examples(3, 500)
@given(seeds, sizes)
def test_rotors_add_to_the_diagonal(seed, size):
    _, model, (q, _, _) = some(seed, size)
    without = replace(model, bodies=tuple(replace(b, armature=[]) for b in model.bodies))
    assert not forces.rotor_inertia(without).any()
    wanted = np.zeros(model.nv)
    for b, index in zip(model.bodies, model.v_index, strict=True):
        wanted[index] += b.armature * ratio(b) ** 2
    close(forces.rotor_inertia(model), wanted)
    M, scale = mass_matrix(model, q), np.abs(mass_matrix(model, q)).max()
    close(M / scale, (mass_matrix(without, q) + np.diag(wanted)) / scale)


def test_what_is_not_there_costs_nothing():
    """Exact zeros, so that folding leaves no operation behind."""
    model = random_tree(np.random.default_rng(3), 5)
    q, v = model.random(0), np.ones(model.nv)
    for made in (
        forces.rotor_inertia(model),
        forces.dissipation_forces(model, q, v),
        forces.spring_forces(model, q),
        forces.wrench_forces(model, q, []),
    ):
        assert made.dtype == float
        assert made.tolist() == [0.0] * model.nv
    assert forces.spring_energy(model, q) == 0.0
    assert model.dissipation_forces.operations.total() == 0


# ---- wrenches


@examples(3, 800)
@given(seeds, sizes)
def test_wrenches_do_virtual_work(seed, size):
    """Σ Jᵀ w, in both kinds of axes, several at once."""
    rng, model, (q, _, _) = some(seed, size)
    names = rng.choice(model.frame_names, 3)
    given_, wanted = [], np.zeros(model.nv)
    for name, axes in zip(map(str, names), rng.choice(["body", "world"], 3), strict=True):
        w = rng.normal(size=6)
        given_.append((name, str(axes), w))
        R = model.frame_pose(name, q).R if axes == "body" else np.eye(3)
        wanted += frame_jacobian(model, name, q).T @ np.concatenate([R @ w[:3], R @ w[3:]])
    close(forces.wrench_forces(model, q, given_), wanted)
    bare = replace(model, springs=())
    tau = [inverse_dynamics(bare, q, 0 * wanted, 0 * wanted, w) for w in (given_, ())]
    # gravity cancels in the difference
    close((tau[1] - tau[0]) / (1 + np.abs(tau[1]).max()), wanted / (1 + np.abs(tau[1]).max()))


@examples(3, 800)
@given(seeds, sizes)
def test_a_force_and_a_torque_at_a_point(seed, size):
    """Three ways to state one load: in world axes, in body axes, about the world's origin."""
    rng, model, (q, _, _) = some(seed, size)
    name, point, w = str(rng.choice(model.frame_names)), rng.normal(size=3), rng.normal(size=6)
    X = model.frame_pose(name, q)
    wanted = frame_jacobian(model, name, q, point).T @ w
    turned = np.concatenate([X.R.T @ w[:3], X.R.T @ w[3:]])
    about_origin = np.concatenate([w[:3] + np.cross(X.apply(point), w[3:]), w[3:]])
    for reference, load in (("world", w), ("body", turned), ("space", about_origin)):
        close(forces.generalized_force(model, name, q, load, reference, point), wanted)
    with pytest.raises(UnknownNameError, match="unknown reference 'wrold'; did you mean 'world'"):
        forces.generalized_force(model, name, q, w, "wrold")


def test_wrenches_on_what_does_not_move():
    model = mechanism(np.random.default_rng(5), 3)
    for axes in ("body", "world"):
        made = forces.wrench_forces(model, model.random(1), [("floor", axes, np.ones(6))])
        assert made.tolist() == [0.0] * model.nv
    assert not forces.generalized_force(model, "world", model.random(1), np.ones(6)).any()


@pytest.mark.parametrize("axes", ["body", "world"])
def test_wrenches_cost_their_chain_only(axes):
    """A second arm beside the first one makes no difference to the operations."""
    rng = np.random.default_rng(0)
    one = random_tree(rng, 3, ("revolute", "prismatic"))
    two = one.attached(random_tree(rng, 4), "world", prefix="other_")

    def operations(model):
        def f(q, w):
            return forces.wrench_forces(model, q, [("frame2", axes, w)])

        return vv.function(f, {"q": model.nq, "w": 6}).operations

    assert operations(one) == operations(two)


def test_compiled_with_wrenches():
    model = mechanism(np.random.default_rng(8), 4)
    q, v, a = random_state(np.random.default_rng(9), model)
    W = np.random.default_rng(1).normal(size=(2, 6))
    f = model.function("inverse_dynamics", wrenches={"frame1": "world", "body3": "body"})
    acting = [("frame1", "world", W[0]), ("body3", "body", W[1])]
    close(f(q, v, a, W), inverse_dynamics(model, q, v, a, acting))
    g = model.function("forward_dynamics", wrenches={"frame1": "world", "body3": "body"})
    close(g(q, v, f(q, v, a, W), W), a, 1e-11)  # the condition of M is about 100


@examples(4, 200)
@given(seeds, sizes)
def test_all_scalars_agree(seed, size):
    rng, model, (q, v, _) = some(seed, size)
    w = rng.normal(size=6)
    name = str(rng.choice(model.frame_names))

    def everything(q, v, w):
        acting = [(name, "world", w), (name, "body", w)]
        return np.concatenate(
            [
                forces.dissipation_forces(model, q, v),
                forces.spring_forces(model, q),
                forces.wrench_forces(model, q, acting),
                [forces.spring_energy(model, q)],
            ]
        )

    wanted = everything(q, v, w)
    close(floats(everything(mp(q), mp(v), mp(w))), wanted)
    traced = vv.function(everything, {"q": model.nq, "v": model.nv, "w": 6})
    close(traced(q, v, w), wanted)


# ---- other coordinates


@examples(3, 500)
@given(st.integers(1, 4), seeds)
def test_work_is_the_same_in_other_coordinates(n, seed):
    """Q · δq = Q' · δx, and there and back again."""
    rng = np.random.default_rng(seed)
    A, b, x, Q = rng.normal(size=(n, n)), rng.normal(size=n), rng.normal(size=n), rng.normal(size=n)

    def position(x):
        return A @ x + b * vv.generic.sin(x[0])

    made = forces.in_coordinates(Q, position, x)
    with mpmath.workdps(50):
        for e in np.eye(n):
            moved = slope(lambda t, e=e: position(precise(x) + e * t))
            close([made @ e], [Q @ moved])
    assert forces.in_coordinates(Q, lambda y: y, x).tolist() == Q.tolist()


# ---- what is refused


def test_bad_wrenches():
    model = mechanism(np.random.default_rng(0), 2)
    q = model.random(0)
    with pytest.raises(UnknownNameError, match="unknown frame 'tol'"):
        forces.wrench_forces(model, q, [("tol", "body", np.zeros(6))])
    with pytest.raises(
        UnknownNameError, match="unknown axes of a wrench 'bdoy'; did you mean 'body'"
    ):
        forces.wrench_forces(model, q, [("body0", "bdoy", np.zeros(6))])
    with pytest.raises(ShapeError, match=r"6 numbers; got shape \(3,\)"):
        forces.wrench_forces(model, q, [("body0", "body", np.zeros(3))])
    with pytest.raises(ShapeError, match=r"a point has 3 coordinates, got shape \(2,\)"):
        forces.generalized_force(model, "body0", q, np.zeros(6), point=[0.0, 1.0])
    with pytest.raises(ShapeError, match=r"one force for each of 2 coordinates, got shape \(3,\)"):
        forces.in_coordinates(np.ones(3), lambda x: x, [1.0, 2.0])


def test_a_coupled_joint_carries_its_losses_to_its_source():
    """Two gears, turning backwards and twice as fast."""
    b = vv.Builder("gears").body("a", joint="revolute", damping=0.5, friction=0.1, armature=0.2)
    b.body(
        "b",
        joint="revolute",
        damping=0.3,
        friction=0.4,
        armature=0.7,
        mimic=Mimic("a_joint", -2.0, 0.1),
    )
    m = replace(b.build(), springs=(Spring("coil", 3.0, 0.2, 0.1, joint="b_joint"),))
    q, v = np.array([0.3]), np.array([-0.6])
    close(forces.rotor_inertia(m), [0.2 + 4 * 0.7])
    close(forces.dissipation_forces(m, q, v), [-0.6 * (0.5 + 4 * (0.3 + 0.1)) - (0.1 + 2 * 0.4)])
    close(forces.spring_forces(m, q), [-2.0 * 3.0 * (-0.6 + 0.1 - 0.2)])
