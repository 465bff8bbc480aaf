"""What every mechanism obeys, on random trees of all joint types with rotors and coupled joints.

Derivatives are compared with differences at 50 digits (`tests.support.oracles.oracle`).
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.counts import examples
from tests.support.oracles import oracle
from tests.support.oracles.laws import TOLERANCE, agree, condition, seeds, sizes, some, stated
from tests.support.oracles.oracle import (
    COORDINATES,
    MOVING,
    Interpreted,
    algorithm,
    along,
    mechanism,
    random_state,
)
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.joints.named import JOINTS as NAMED
from visviva.equations.frames import kinematics
from visviva.errors import ArgumentError


def test_all_joint_types_are_among_them():
    moving = {x for x in NAMED.values() if x.velocities}
    assert {type(oracle.JOINTS[k]) for k in MOVING} == moving
    assert "universal" in COORDINATES
    assert "planar" not in COORDINATES
    models = [mechanism(np.random.default_rng(k), 7) for k in range(20)]
    assert {type(b.joint) for m in models for b in m.bodies} == moving
    for has in (
        lambda m: any(b.mimic for b in m.bodies),
        lambda m: any(b.armature.any() for b in m.bodies),
        lambda m: any(b.armature.any() for b in m.bodies if b.mimic),
        lambda m: any(s.joint for s in m.springs),
        lambda m: any(s.frames for s in m.springs),
    ):
        assert sum(map(has, models)) > 3


@examples(4, 3000)
@given(seeds, sizes)
def test_mass_matrix(seed, size):
    """M = ∂τ/∂a, symmetric and positive definite, and K = ½ vᵀ M v."""
    model, run, (q, v, a) = some(seed, size)
    M = run("mass_matrix", q)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0
    agree(run("kinetic_energy", q, v), v @ M @ v / 2)
    still = Interpreted(replace(model, gravity=np.zeros(3), springs=()).without_dissipation())
    zero = np.zeros(model.nv)
    columns = [still("inverse_dynamics", q, zero, e) for e in np.eye(model.nv)]
    agree(np.stack(columns, axis=1), M)
    bias = run("bias_forces", q, v)
    agree(run("inverse_dynamics", q, v, a), M @ a + bias)


@examples(4, 3000)
@given(seeds, sizes)
def test_coriolis_matrix(seed, size):
    """C v + g + b = bias, Ṁ = C + Cᵀ, and the product with the transpose."""
    model, run, (q, v, _) = some(seed, size)
    C = run("coriolis_matrix", q, v)
    g, b, bias = run("gravity_forces", q), run("dissipation_forces", q, v), run("bias_forces", q, v)
    agree(C @ v + g + b, bias)
    rate = along(model, stated(model, "mass_matrix"), q, v)
    scale = np.abs(run("mass_matrix", q)).max() * np.abs(v).max()  # C may vanish but for rounding
    agree(C + C.T, rate, scale=scale)
    skew = rate - 2 * C
    agree(skew + skew.T, np.zeros_like(C), scale=scale)
    product = run("coriolis_transpose_product", q, v)
    agree(product, C.T @ v, scale=scale * np.abs(v).max())


@examples(4, 1000)
@given(seeds, st.integers(1, 5))
def test_christoffel_symbols(seed, size):
    """Γ[i, j, k] = ½ (∂ₖMᵢⱼ + ∂ⱼMᵢₖ - ∂ᵢMⱼₖ) and C[i, j] = Σₖ Γ[i, j, k] vₖ."""
    model, run, (q, v, _) = some(seed, size, kinds=COORDINATES)
    dM = oracle.jacobian(model, stated(model, "mass_matrix"), (q,), 0)
    wanted = (dM + np.swapaxes(dM, 1, 2) - np.moveaxis(dM, 2, 0)) / 2
    gamma = run("christoffel", q)
    scale = np.abs(run("mass_matrix", q)).max()
    agree(gamma, wanted, scale=scale)
    agree(run("coriolis_matrix", q, v), gamma @ v, scale=scale * np.abs(v).max())
    quadratic = np.einsum("jki,j,k->i", dM, v, v) / 2  # ∂K/∂q
    agree(run("coriolis_transpose_product", q, v), quadratic, scale=scale * np.abs(v).max() ** 2)


@pytest.mark.parametrize("kind", sorted(set(MOVING) - set(COORDINATES)))
def test_christoffel_symbols_are_refused_without_coordinates(kind):
    model = mechanism(np.random.default_rng(0), 1, kinds=(kind,), springs=False)
    with pytest.raises(ArgumentError, match=r"joint 'joint0' is \w+: use coriolis_matrix"):
        algorithm(model, "christoffel")(model, model.neutral())


@examples(4, 3000)
@given(seeds, sizes)
def test_gravity_is_the_slope_of_the_potential(seed, size):
    """g = ∂V/∂q along motions, springs included."""
    model, run, (q, _, _) = some(seed, size)
    slopes = oracle.jacobian(model, stated(model, "potential_energy"), (q,), 0)
    agree(run("gravity_forces", q), slopes)


@examples(4, 3000)
@given(seeds, sizes)
def test_power_is_the_rate_of_energy(seed, size):
    """v · τ = d/dt (K + V) + v · b."""
    model, run, (q, v, a) = some(seed, size)
    K, V = stated(model, "kinetic_energy"), stated(model, "potential_energy")

    def energy(t):
        x, u = oracle.precise(v) * t, oracle.precise(v) + oracle.precise(a) * t
        there = model.integrate(oracle.precise(q), x)
        return K(there, u) + V(there)

    tau, b = run("inverse_dynamics", q, v, a), run("dissipation_forces", q, v)
    assert v @ b >= 0
    agree(tau @ v, oracle.slope(energy) + v @ b, scale=np.abs(tau * v).sum())


@examples(3, 500)
@given(seeds, st.integers(1, 2))
def test_forces_are_lagranges_of_the_models_own_energies(seed, size):
    """τ = d/dt ∂K/∂v - ∂K/∂q + ∂V/∂q + b: what does no work is seen here, and not by the power."""
    model, run, state = some(seed, size)
    follow_from_energies(model, run, *state)


@pytest.mark.spread(2)
@pytest.mark.parametrize("kind", MOVING)
def test_forces_with_rotors_are_those_of_the_energy(kind):
    """A rotor at every velocity, each another one: the energy alone says what it does."""
    rng = np.random.default_rng(4)
    model = mechanism(rng, 2, kinds=(kind,), springs=False)
    rotors = [np.arange(1.0, 1.0 + b.joint.nv) for b in model.bodies]
    bodies = tuple(replace(b, armature=x) for b, x in zip(model.bodies, rotors, strict=True))
    model = replace(model, bodies=bodies)
    follow_from_energies(model, Interpreted(model), *random_state(rng, model))


def follow_from_energies(model, run, q, v, a):
    K, V = stated(model, "kinetic_energy"), stated(model, "potential_energy")
    wanted = oracle.lagrange_forces(model, K, V, q, v, a) + run("dissipation_forces", q, v)
    agree(run("inverse_dynamics", q, v, a), wanted)


@examples(4, 3000)
@given(seeds, sizes)
def test_forward_undoes_inverse(seed, size):
    """Solving multiplies rounding by the condition of M, up to 1e5 here: hence the tolerance."""
    model, run, (q, v, a) = some(seed, size)
    M, tau = run("mass_matrix", q), run("inverse_dynamics", q, v, a)
    loose = TOLERANCE * max(1.0, condition(M) / 1e3)
    scale = np.abs(tau).max() * np.abs(np.linalg.inv(M)).max()
    agree(run("forward_dynamics", q, v, tau), a, loose, scale)
    W = run("mass_matrix_inverse", q)
    agree(M @ W, np.eye(model.nv), loose)
    assert np.array_equal(W, W.T)


@examples(3, 1000)
@given(seeds, sizes)
def test_momentum(seed, size):
    """Linear momentum is that of the centre; on its own, a free mechanism keeps its momentum.

    Forces at the joints are inner ones: only weight changes the momentum of a floating tree.
    """
    rng = np.random.default_rng(seed)
    tree = replace(mechanism(rng, size, springs=False), base_inertia=Inertia.sphere(2.0, radius=1))
    bodies = tuple(replace(b, armature=np.zeros(0)) for b in tree.bodies)  # rotors have no axis
    model = replace(tree, bodies=bodies).without_dissipation().with_free_base()
    run, (q, v, tau) = Interpreted(model), random_state(rng, model)
    h, c = run("momentum", q, v), run("center_of_mass", q)
    velocity = along(model, stated(model, "center_of_mass"), q, v)
    agree(run("center_of_mass_jacobian", q) @ v, velocity, scale=1.0)
    agree(h[3:], velocity * model.mass, scale=model.mass)
    about_c = run("centroidal_momentum", q, v)
    agree(about_c, np.concatenate([h[:3] - np.cross(c, h[3:]), h[3:]]), scale=np.abs(h).max())
    agree(run("centroidal_matrix", q) @ v, about_c, scale=np.abs(h).max())
    tau[:6] = 0
    a = run("forward_dynamics", q, v, tau)

    def later(t):
        there = model.integrate(oracle.precise(q), oracle.precise(v) * t)
        return stated(model, "momentum")(there, oracle.precise(v) + oracle.precise(a) * t)

    weight = model.gravity * model.mass
    rate = oracle.slope(later)
    loose = TOLERANCE * max(1.0, condition(run("mass_matrix", q)) / 1e3)
    agree(rate, np.concatenate([np.cross(c, weight), weight]), loose, np.abs(tau).max())


@examples(3, 1000)
@given(seeds, sizes)
def test_frames(seed, size):
    """Twists are how poses change, J v; rates of Jacobians and accelerations how twists do."""
    model, run, (q, v, a) = some(seed, size, springs=False)
    name = f"frame{size - 1}"
    agree(run("poses", q)[model.frame_names.index(name)], run.about("pose", name, q))
    X = run.about("pose", name, q)
    dX = along(model, lambda x: about(model, "pose", name, x), q, v)
    W = np.linalg.inv(X) @ dX  # the body twist as a matrix
    twist = np.array([W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]])
    agree(run.about("velocity", name, q, v, reference="body"), twist)
    for reference in ("world", "body", "space"):
        options = {"reference": reference, "point": (0.3, -0.2, 0.5)}
        J = run.about("jacobian", name, q, **options)
        V = run.about("velocity", name, q, v, **options)
        agree(V, J @ v, scale=np.abs(J).max() * np.abs(v).max())
        dJ = run.about("jacobian_rate", name, q, v, **options)
        rate = along(model, lambda x, o=options: about(model, "jacobian", name, x, **o), q, v)
        agree(dJ, rate, scale=np.abs(J).max())
        A = run.about("acceleration", name, q, v, a, **options)
        agree(A, J @ a + dJ @ v, scale=np.abs(J).max())


def about(model, name, frame, *args, **options):
    return getattr(kinematics, name)(model, frame, *args, **options)


def test_without_dissipation_nothing_is_lost():
    model, _, (q, v, _) = some(0, 5)
    lossless = Interpreted(model.without_dissipation())
    assert Interpreted(model)("dissipation_forces", q, v).any()
    assert not lossless("dissipation_forces", q, v).any()
