"""Laws of energies, momenta and the centre of mass, on random trees of all joint types."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close, mp
from tests.support.oracles import oracle, robots
from tests.support.oracles.oracle import Compiled, Interpreted, mechanism, precise, random_state
from tests.support.oracles.robots import ROWS, order, peer_q, peer_v, robot
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.equations import energy
from visviva.equations.forward import free_acceleration as forward_dynamics
from visviva.errors import ArgumentError

NAMES = ("momentum", "centroidal_momentum", "centroidal_matrix", "center_of_mass")
NAMES += ("center_of_mass_jacobian", "kinetic_energy", "potential_energy")
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 7)


def some(seed, size, **options):
    """A random mechanism with springs and rotors, its algorithms on floats, and a state."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, **options)
    return model, Interpreted(model), random_state(rng, model)


def shares(model, q, v):
    """Mass, centre, spatial momentum and energy of every body, in the world, from its own twist."""
    run = Interpreted(model)
    for b, X in zip(model.bodies, model.body_poses(q), strict=True):
        V = run.about("velocity", b.name, q, v, reference="body")
        h = X.inverse().adjoint().T @ b.inertia.momentum(V)
        yield b.inertia.mass, X.apply(b.inertia.com), h, b.inertia.kinetic_energy(V)


def stretches(model, q):
    """How far each spring is from its rest."""
    for s in model.springs:
        if s.joint:
            yield s, model.local(model.joint_index(s.joint), q)[0] - s.rest
        else:
            ends = [
                model.frame_pose(f, q).apply(p) for f, p in zip(s.frames, s.points, strict=True)
            ]
            yield s, np.linalg.norm(ends[1] - ends[0]) - s.rest


@examples(6, 2000)
@given(seeds, sizes)
def test_sums_over_bodies(seed, size):
    """Each result from its definition."""
    model, run, (q, v, _) = some(seed, size)
    parts = list(shares(model, q, v))
    K = sum(k for *_, k in parts)
    rotors = run("kinetic_energy", q, v) - K
    expected = sum(
        x * (b.mimic.multiplier if b.mimic else 1.0) ** 2 * u**2 / 2
        for b, index in zip(model.bodies, model.v_index, strict=True)
        for x, u in zip(b.armature, v[index], strict=True)
    )
    close(rotors / max(1.0, K), expected / max(1.0, K))
    fall = -sum(m * model.gravity @ c for m, c, *_ in parts)
    springs = sum(s.stiffness * x**2 / 2 for s, x in stretches(model, q))
    close(run("potential_energy", q), fall + springs)
    c = sum(m * c for m, c, *_ in parts) / model.mass
    close(run("center_of_mass", q), c)
    h = sum(h for _, _, h, _ in parts)
    close(run("momentum", q, v), h)
    about = np.concatenate([h[:3] - np.cross(c, h[3:]), h[3:]])
    close(run("centroidal_momentum", q, v), about)


@examples(6, 2000)
@given(seeds, sizes)
def test_matrices(seed, size):
    """K = ½ vᵀ M v, h = A v, ċ = J v = f / m."""
    model, run, (q, v, _) = some(seed, size)
    close(run("kinetic_energy", q, v), v @ run("mass_matrix", q) @ v / 2)
    h, A = run("centroidal_momentum", q, v), run("centroidal_matrix", q)
    close(A @ v, h)
    J = run("center_of_mass_jacobian", q)
    close(J @ v * model.mass, h[3:])
    close(A[3:], J * model.mass)


@examples(4, 500)
@given(seeds, st.integers(1, 5))
def test_derivatives(seed, size):
    """∂V/∂q = g, ∂c/∂q = J, ∂K/∂v = M v, with 50 digits."""
    model, run, (q, v, _) = some(seed, size)

    def slopes(name, args, k):
        return oracle.jacobian(model, lambda *x: getattr(energy, name)(model, *x), args, k)

    close(slopes("potential_energy", (q,), 0), run("gravity_forces", q))
    close(slopes("center_of_mass", (q,), 0), run("center_of_mass_jacobian", q))
    close(slopes("kinetic_energy", (q, v), 1), run("mass_matrix", q) @ v)


@examples(4, 300)
@given(seeds, st.integers(1, 4))
def test_free_fall(seed, size):
    """Momentum changes by gravity alone, not by forces in joints; about the centre not at all."""
    rng = np.random.default_rng(seed)
    grounded = mechanism(rng, size, losses=False, springs=False)
    base = Inertia.box(3.0, x=0.4, y=0.5, z=0.7)
    model = replace(grounded, base_inertia=base).with_free_base()
    assert model.nv == grounded.nv + 6
    q, v, tau = random_state(rng, model)
    tau[model.v_index[0]] = 0.0
    a = np.array(forward_dynamics(model, q, v, tau), dtype=float)

    def along(t, name):
        there = model.integrate(precise(q), precise(v) * t)
        return getattr(energy, name)(model, there, precise(v) + precise(a) * t)

    weight, c = model.mass * model.gravity, Interpreted(model)("center_of_mass", q)
    # accelerations are known to the condition of M, hence 1e-9
    rate = oracle.slope(lambda t: along(t, "momentum"))
    close(rate, np.concatenate([np.cross(c, weight), weight]), 1e-9)
    rate = oracle.slope(lambda t: along(t, "centroidal_momentum"))
    close(rate, np.concatenate([np.zeros(3), weight]), 1e-9)


@pytest.mark.spread(1)
@pytest.mark.parametrize("seed", range(3))
def test_compiled(seed):
    model, run, (q, v, _) = some(seed, 5)
    for name in NAMES:
        f = model.function(name)
        args = [{"q": q, "v": v}[x] for x in f.inputs]
        close(Compiled(model)(name, *args), run(name, *args))
    close(model.potential_energy.jacobian("q")(q), model.gravity_forces(q))
    close(model.center_of_mass.jacobian("q")(q), model.center_of_mass_jacobian(q))


def test_other_scalars():
    model, run, (q, v, _) = some(4, 5)
    for name in NAMES:
        args = (q, v) if "v" in model.function(name).inputs else (q,)
        f = getattr(energy, name)
        close(f(model, *(mp(x) for x in args)), run(name, *args))
        close(f(model, *(list(x) for x in args)), run(name, *args))


def test_pendulum_by_hand():
    """A point mass m on a string l: ½ m l² q̇², m g l (1 - cos q)."""
    model = vv.catalog.pendulum(1)
    m, length, g = (model.parameters[k] for k in ("m1", "l1", "g"))
    assert float(model.kinetic_energy([0.3], [2.0])) == pytest.approx(m * length**2 * 2, rel=1e-15)
    height = model.potential_energy([0.3]) - model.potential_energy([0.0])
    assert float(height) == pytest.approx(m * g * length * (1 - np.cos(0.3)), rel=1e-13)


def test_operations():
    """A body that swings about a fixed axis has one number for its energy."""
    ur5 = vv.load(robot("urdf/ur5_robot.urdf"))
    assert ur5.potential_energy.operations.multiplications <= 10
    assert ur5.kinetic_energy.operations.total() < ur5.mass_matrix.operations.total()


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("urdf/ur5_robot.urdf", "fixed"),
        ("urdf/panda.urdf", "fixed"),
        ("robots/solo12.urdf", "free"),
        ("robots/talos_reduced.urdf", "free"),
    ],
)
def test_pinocchio(name, base):
    model, peer = robots.load(robot(name), base), robots.load_peer(robot(name), base)
    q, v, _ = random_state(np.random.default_rng(1), model)
    o, data, run = order(model, peer), peer.createData(), Interpreted(model)
    Q, V = peer_q(model, peer, q), peer_v(model, peer, v)
    close(run("kinetic_energy", q, v), pin.computeKineticEnergy(peer, data, Q, V))
    close(run("potential_energy", q), pin.computePotentialEnergy(peer, data, Q))
    close(run("center_of_mass", q), pin.centerOfMass(peer, data, Q))
    J = pin.jacobianCenterOfMass(peer, data, Q)
    close(run("center_of_mass_jacobian", q)[:, o], J)
    h = pin.computeCentroidalMomentum(peer, data, Q, V).vector
    close(run("centroidal_momentum", q, v)[ROWS], h)
    pin.computeCentroidalMap(peer, data, Q)
    close(run("centroidal_matrix", q)[ROWS][:, o], data.Ag)


def test_no_mass_no_centre():
    model = Builder("ghost").body("shell", joint="revolute", axis="z").build()
    for name in ("center_of_mass", "center_of_mass_jacobian"):
        with pytest.raises(
            ArgumentError, match="'ghost' has no centre of mass: none of its bodies"
        ):
            model.function(name)(np.zeros(1))
    assert model.kinetic_energy([0.0], [1.0]) == 0.0
    assert np.array_equal(model.momentum([0.0], [1.0]), np.zeros(6))
