"""What every mechanism obeys, on random trees of all joint types with rotors and coupled joints.

Derivatives are compared with differences at 50 digits (`support.oracle`). Errors are relative to
the largest entry of what is compared; 1e-12 unless a comment says why not.
"""

import os
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.counts import examples
from support.oracle import (
    COORDINATES,
    MOVING,
    Compiled,
    Interpreted,
    algorithm,
    along,
    mechanism,
    off,
    random_state,
)

import visviva as vv
from visviva.describe.digest import digest
from visviva.describe.inertia import Inertia
from visviva.describe.joints import Prismatic, Revolute
from visviva.equations import kinematics
from visviva.equations.dynamics import inverse_dynamics
from visviva.equations.forward import by_factor, by_sweep
from visviva.equations.lean import lean
from visviva.equations.links import links
from visviva.equations.mass_matrix import composite_rigid_body
from visviva.equations.newton_euler import newton_euler
from visviva.equations.parameters import parameter_names, parameter_values
from visviva.errors import ArgumentError

TOLERANCE = 1e-12
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 7)


def agree(ours, theirs, tolerance=TOLERANCE, scale=0.0):
    """Equal, relative to the largest entry; `scale` is the size of what cancels in them."""
    theirs = np.asarray(theirs, dtype=float)
    largest = max(np.abs(theirs).max(initial=0.0), 1e-6)
    error = off(ours, theirs) * largest / max(largest, scale)
    assert error <= tolerance, (error, ours, theirs)


def some(seed, size, **options):
    """A random mechanism, its algorithms on floats, and a state."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, **options)
    return model, Interpreted(model), random_state(rng, model)


def stated(model, name):
    """A verb over any scalar."""
    return lambda *args: algorithm(model, name)(model, *args)


def condition(M):
    w = np.linalg.eigvalsh(M)
    return w[-1] / w[0]


def test_all_joint_types_are_among_them():
    assert len({type(oracle.JOINTS[k]) for k in MOVING}) == 8
    assert "universal" in COORDINATES
    assert "planar" not in COORDINATES
    models = [mechanism(np.random.default_rng(k), 7) for k in range(20)]
    assert len({type(b.joint) for m in models for b in m.bodies}) == 8
    for has in (
        lambda m: any(b.mimic for b in m.bodies),
        lambda m: any(b.armature.any() for b in m.bodies),
        lambda m: any(b.armature.any() for b in m.bodies if b.mimic),
        lambda m: any(s.joint for s in m.springs),
        lambda m: any(s.frames for s in m.springs),
    ):
        assert sum(map(has, models)) > 3


# ---- mass matrix, energies, forces


@pytest.mark.soak
@examples(60, 3000)
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


@pytest.mark.soak
@examples(60, 3000)
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


@pytest.mark.soak
@examples(25, 1000)
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


@pytest.mark.soak
@examples(60, 3000)
@given(seeds, sizes)
def test_gravity_is_the_slope_of_the_potential(seed, size):
    """g = ∂V/∂q along motions, springs included."""
    model, run, (q, _, _) = some(seed, size)
    slopes = oracle.jacobian(model, stated(model, "potential_energy"), (q,), 0)
    agree(run("gravity_forces", q), slopes)


@pytest.mark.soak
@examples(60, 3000)
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


@pytest.mark.soak
@examples(60, 3000)
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


@pytest.mark.soak
@examples(40, 1000)
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


@pytest.mark.soak
@examples(40, 1000)
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


# ---- the same by other roads


@pytest.mark.soak
@examples(60, 3000)
@given(seeds, sizes)
def test_lean_links_give_the_same_forces(seed, size):
    """Regrouped masses change neither joint forces nor the mass matrix."""
    model, _, (q, v, a) = some(seed, size, springs=False)
    whole, spare = links(model), lean(model)
    agree(*(newton_euler(x, model.gravity, q, v, a) for x in (spare, whole)))
    agree(*(oracle.floats(composite_rigid_body(x, q, model.nv)) for x in (spare, whole)))


@pytest.mark.soak
@examples(60, 3000)
@given(seeds, st.integers(2, 7))
def test_coupled_joints_are_free_ones_that_move_together(seed, size):
    """With u = G v for the mechanism whose joints are all free: τ = Gᵀ τ(u), M = Gᵀ M G."""
    model, run, (q, v, a) = some(seed, size)
    free, G = oracle.expanded(model)
    other, x = Interpreted(free), oracle.expanded_q(model, free, q)
    M = other("mass_matrix", x)
    agree(run("mass_matrix", q), G.T @ M @ G)
    agree(run("inverse_dynamics", q, v, a), G.T @ other("inverse_dynamics", x, G @ v, G @ a))
    agree(run("dissipation_forces", q, v), G.T @ other("dissipation_forces", x, G @ v))
    agree(run("gravity_forces", q), G.T @ other("gravity_forces", x))
    agree(run("potential_energy", q), other("potential_energy", x))
    C = G.T @ other("coriolis_matrix", x, G @ v) @ G
    agree(run("coriolis_matrix", q, v), C, scale=np.abs(M).max())
    J = other.about("jacobian", "frame1", x)
    agree(run.about("jacobian", "frame1", q), J @ G)


@pytest.mark.soak
@examples(60, 3000)
@given(seeds, sizes)
def test_rotors_and_friction(seed, size):
    """Rotors add their inertia to M's diagonal; friction is viscous and dry, against the motion."""
    model, _, _ = some(seed, size, springs=False)
    model, _ = oracle.expanded(model)
    run, (q, v, _) = Interpreted(model), random_state(np.random.default_rng(seed), model)
    rotors, viscous, dry = (
        np.concatenate([getattr(b, name) for b in model.bodies]) for name in oracle.PER_VELOCITY
    )
    bare = replace(model, bodies=tuple(replace(b, armature=np.zeros(0)) for b in model.bodies))
    agree(run("mass_matrix", q), Interpreted(bare)("mass_matrix", q) + np.diag(rotors))
    agree(run("dissipation_forces", q, v), viscous * v + dry * np.sign(v))


@pytest.mark.soak
@examples(60, 3000)
@given(seeds, st.integers(1, 12))
def test_articulated_bodies_and_factors_agree(seed, size):
    model, _, _ = some(seed, size)
    model, _ = oracle.expanded(model)  # the sweep knows no couplings
    rng = np.random.default_rng(seed)
    q, v, tau = random_state(rng, model)
    M = oracle.floats(algorithm(model, "mass_matrix")(model, q))
    loose = TOLERANCE * max(1.0, condition(M) / 1e3)
    factored = by_factor(model, q, v, tau)
    agree(by_sweep(model, q, v, tau), factored, loose)


@pytest.mark.parametrize("seed", range(8))
def test_machine_code_is_the_algorithm(seed):
    model, run, (q, v, a) = some(seed, 5)
    compiled = Compiled(model)
    given = {"q": q, "v": v, "a": a, "tau": a}
    coordinates = all(b.joint.coordinates == b.joint.velocities for b in model.bodies)
    for name, verb in oracle.verbs(type(model)).items():
        if name == "actuator_map" or (name == "christoffel" and not coordinates):
            continue
        args = [given[x] for x in verb.inputs.split()]
        expected = run(name, *args)
        loose = 1e-10 if name in ("forward_dynamics", "mass_matrix_inverse") else TOLERANCE
        agree(compiled(name, *args), expected, loose)  # these two by the condition of M
    for name in ("jacobian", "jacobian_rate"):
        args = (q,) if name == "jacobian" else (q, v)
        for reference in ("world", "body", "space"):
            options = {"reference": reference, "point": (0.1, -0.2, 0.3)}
            expected = run.about(name, "frame3", *args, **options)
            agree(compiled.about(name, "frame3", *args, **options), expected)


# ---- derivatives


@pytest.mark.soak
@examples(25, 500)
@given(seeds, st.integers(1, 5))
def test_derivatives_of_inverse_dynamics(seed, size):
    model, run, state = some(seed, size, springs=seed % 4 == 0)
    ours = run.derivatives("inverse_dynamics", ("q", "v", "a"), *state)
    scale = np.abs(run("mass_matrix", state[0])).max()
    for k, x in enumerate(ours):
        wanted = oracle.jacobian(model, stated(model, "inverse_dynamics"), state, k)
        agree(x, wanted, scale=scale)


@pytest.mark.soak
@examples(25, 500)
@given(seeds, st.integers(1, 5))
def test_derivatives_of_forward_dynamics(seed, size):
    """Here the condition of M counts twice: accelerations carry it, and their slopes again."""
    model, run, state = some(seed, size, springs=seed % 8 == 0)
    loose = TOLERANCE * max(1.0, condition(run("mass_matrix", state[0])) / 10)
    ours = run.derivatives("forward_dynamics", ("q", "v", "tau"), *state)
    for k, x in enumerate(ours):
        wanted = oracle.jacobian(model, stated(model, "forward_dynamics"), state, k)
        agree(x, wanted, loose, scale=1.0)


@pytest.mark.parametrize("name", ["mass_matrix", "gravity_forces", "potential_energy", "poses"])
@pytest.mark.parametrize("seed", range(3))
def test_compiled_derivatives_along_motions(name, seed):
    model, _, (q, _, _) = some(seed, 4)
    ours = Compiled(model).derivatives(name, ("q",), q)[0]
    agree(ours, oracle.jacobian(model, stated(model, name), (q,), 0))


def test_a_planar_joint_moves_in_its_own_axes():
    """It has as many coordinates as velocities, and yet they are not each other's rates."""
    b = vv.Builder("planar")
    solid = Inertia.box(2.0, x=0.3, y=0.2, z=0.4).moved(None, [0.1, 0.0, 0.2])
    b.body("arm", joint="revolute", axis="x", inertia=solid)
    b.body("table", parent="arm", joint="planar", axis=[1, 2, 3], inertia=solid, at=[0.5, 0, 0])
    model = b.build()
    assert model.nq == model.nv
    state = random_state(np.random.default_rng(0), model)
    for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
        args = state[: len(model.function(name).inputs)]
        wanted = oracle.jacobian(model, stated(model, name), args, 0)
        agree(Compiled(model).derivatives(name, ("q",), *args)[0], wanted)
        assert np.abs(wanted[..., -2:]).max() > 0.1  # by the shifts


@pytest.mark.parametrize("springs", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_compiled_derivatives_of_dynamics(seed, springs):
    model, run, state = some(seed, 3, springs=springs)
    for name, wanted in (("inverse_dynamics", "qva"), ("forward_dynamics", ("q", "v", "tau"))):
        expected = run.derivatives(name, tuple(wanted), *state)
        loose = 1e-10 if name == "forward_dynamics" else TOLERANCE  # the condition of M, squared
        for x, y in zip(Compiled(model).derivatives(name, wanted, *state), expected, strict=True):
            agree(x, y, loose)
        for k, one in enumerate(wanted):  # each alone gives the same
            agree(Compiled(model).derivatives(name, (one,), *state)[0], expected[k], loose)


def small(seed, largest=12, **options):
    """A mechanism with at most `largest` degrees of freedom."""
    for size in (3, 2, 1):
        model, run, state = some(seed, size, **options)
        if model.nv <= largest:
            return model, run, state
    raise AssertionError


@pytest.mark.parametrize("seed", range(4))
def test_second_derivatives(seed):
    """∂²τ contracted with two directions; along motions the order of the two matters."""
    model, _, (q, v, a) = small(seed, springs=seed == 0)
    rng = np.random.default_rng(seed)
    u, w = rng.normal(size=(2, model.nv))
    twice = model.inverse_dynamics.jacobian("q").jacobian("q", "v", "a")
    by_q, by_v, by_a = (np.einsum("ijk,j,k->i", x, u, w) for x in twice(q, v, a))
    f = stated(model, "inverse_dynamics")
    with oracle.mpmath.workdps(oracle.DIGITS):
        q, v, a, u, w = map(oracle.precise, (q, v, a, u, w))
        go = model.integrate
        agree(by_q, oracle.mixed_slope(lambda s, t: f(go(go(q, w * s), u * t), v, a)))
        agree(by_v, oracle.mixed_slope(lambda s, t: f(go(q, u * t), v + w * s, a)))
        agree(by_a, oracle.mixed_slope(lambda s, t: f(go(q, u * t), v, a + w * s)))


@pytest.mark.parametrize("seed", range(3))
def test_second_derivatives_contracted(seed):
    """∂/∂q of uᵀ ∂τ/∂q w, from a function that calls another: coordinates only."""
    model, _, (q, v, a) = small(seed, kinds=COORDINATES)
    u, w = np.random.default_rng(seed).normal(size=(2, model.nv))
    first = model.inverse_dynamics.jacobian("q")
    n = model.nv

    def contracted(q, v, a, u, w):
        return u @ first(q, v, a) @ w

    f = vv.function(contracted, dict.fromkeys("qvauw", n))
    whole = first.jacobian("q")(q, v, a)
    agree(f.jacobian("q")(q, v, a, u, w), np.einsum("i,ijk,j->k", u, whole, w))


# ---- more inputs


def changed(model, name, step):
    """The model with one number of a body moved."""
    kind, _, body = name.partition("_")
    i = model.body_index(body)
    old = model.bodies[i].inertia
    mass, com, tensor = old.mass, old.com.copy(), old.tensor.copy()
    if kind == "m":
        mass = mass + step
    elif kind[0] == "c":
        com["xyz".index(kind[1])] += step
    else:
        r, c = ("xyz".index(x) for x in kind[1:])
        tensor[r, c] = tensor[c, r] = tensor[r, c] + step
    inertia = Inertia(mass, com, tensor, checked=False)
    bodies = list(model.bodies)
    bodies[i] = replace(bodies[i], inertia=inertia)
    return replace(model, bodies=tuple(bodies))


@pytest.mark.parametrize("seed", range(4))
def test_parameters_as_inputs(seed):
    """Forces are at most quadratic in these numbers, so that central differences are exact."""
    model, run, (q, v, a) = some(seed, 3)
    names = [f"{x}_body{i}" for i in (0, 2) for x in ("m", "cx", "cz", "Ixx", "Ixy", "Iyz")]
    f = model.function("inverse_dynamics", parameters=names)
    assert list(f.inputs) == ["q", "v", "a", "parameters"]
    p = parameter_values(model, names)
    tau = run("inverse_dynamics", q, v, a)
    agree(f(q, v, a, p), tau)
    slopes = f.jacobian("parameters")(q, v, a, p)
    for k, name in enumerate(names):
        up, down = (inverse_dynamics(changed(model, name, s), q, v, a) for s in (0.5, -0.5))
        agree(slopes[:, k], up - down, scale=np.abs(up).max())
        moved = p.copy()
        moved[k] += 0.5
        agree(f(q, v, a, moved), up)
    everything = model.function("inverse_dynamics", inputs=["q", "v", "a", "parameters"])
    agree(everything(q, v, a, parameter_values(model, parameter_names(model))), tau)


def test_own_parameters_as_inputs():
    """A model's own parameters may stand anywhere: in places, axes, masses."""
    b = vv.Builder("two", parameters={"m": 2.0, "l": 0.7, "tilt": 0.3, "k": 0.2})
    p = b.parameters
    s, c = vv.generic.sincos(p["tilt"])
    rod = Inertia(p["m"], [p["l"] / 2, 0, 0.1], np.eye(3) * (p["m"] * p["l"] ** 2 / 12))
    b.body("one", joint="revolute", axis=[0, s, c], inertia=rod, armature=p["k"])
    b.body("two", parent="one", joint="prismatic", axis="y", at=[p["l"], 0, 0], inertia=rod)
    model = b.build()
    rng = np.random.default_rng(0)
    q, v, a = random_state(rng, model)
    names = ["l", "k", "tilt"]
    values = np.array([0.7, 0.2, 0.3])
    f = model.function("inverse_dynamics", parameters=names)
    agree(f(q, v, a, values), model.inverse_dynamics(q, v, a))
    slopes = f.jacobian("parameters")(q, v, a, values)

    def over(*given):
        return inverse_dynamics(model.over(dict(zip(names, given, strict=True))), q, v, a)

    for k, column in enumerate(slopes.T):
        with oracle.mpmath.workdps(oracle.DIGITS):
            start = list(oracle.precise(values))

            def moved(t, k=k, start=start):
                return over(*(x + t * (i == k) for i, x in enumerate(start)))

            agree(column, oracle.slope(moved))
    other = model.with_parameters(l=0.9)
    agree(f(q, v, a, [0.9, 0.2, 0.3]), other.inverse_dynamics(q, v, a))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("axes", ["body", "world"])
def test_wrenches_as_inputs(seed, axes):
    """Wrenches act on the robot: τ loses Jᵀ w, and forward dynamics undoes it."""
    model, run, (q, v, a) = some(seed, 4)
    frames = ["frame1", "body3", "frame3"]
    w = np.random.default_rng(seed).normal(size=(3, 6))
    f = model.function("inverse_dynamics", wrenches=dict.fromkeys(frames, axes))
    assert f.inputs["wrenches"] == (3, 6)
    given = sum(
        run.about("jacobian", name, q, reference=axes).T @ x
        for name, x in zip(frames, w, strict=True)
    )
    tau = run("inverse_dynamics", q, v, a) - given
    agree(f(q, v, a, w), tau)
    agree(
        f.jacobian("wrenches")(q, v, a, w) @ np.ones(6) @ np.ones(3),
        tau_slope(run, q, frames, axes),
    )
    back = model.function("forward_dynamics", wrenches=dict.fromkeys(frames, axes))
    agree(back(q, v, tau, w), a, 1e-10)  # the condition of M


def tau_slope(run, q, frames, axes):
    """-Σ Jᵀ 1."""
    return -sum(run.about("jacobian", x, q, reference=axes).T @ np.ones(6) for x in frames)


# ---- functions as objects


def test_functions_are_pickled():
    model, _, (q, v, a) = some(3, 3)
    f = model.inverse_dynamics
    derivative = f.jacobian("q", "v")
    wide = model.function("inverse_dynamics", parameters=["m_body0"], wrenches=["frame1"])
    about = model.jacobian("frame2", "body", (0.1, 0.2, 0.3))
    for g, args in ((f, (q, v, a)), (derivative, (q, v, a)), (about, (q,))):
        again = pickle.loads(pickle.dumps(g))
        assert dict(again.inputs) == dict(g.inputs)
        assert dict(again.outputs) == dict(g.outputs)
        for x, y in zip(np.atleast_1d(again(*args)), np.atleast_1d(g(*args)), strict=True):
            assert np.array_equal(x, y)
    again = pickle.loads(pickle.dumps(wide))
    w, p = np.ones((1, 6)), np.array([0.4])
    assert np.array_equal(again(q, v, a, w, p), wide(q, v, a, w, p))
    second = pickle.loads(pickle.dumps(f.jacobian("q").jacobian("v")))
    assert np.array_equal(second(q, v, a), f.jacobian("q").jacobian("v")(q, v, a))


def test_a_function_inside_a_traced_one():
    """Also its derivative, and a verb about a frame."""
    model, run, (q, v, a) = some(5, 3)

    def work(q, v, a):
        twist = model.jacobian("frame1")(q) @ v
        return v @ model.inverse_dynamics(q, v, a), twist @ twist, model.mass_matrix(q) @ a

    f = vv.function(work, {"q": model.nq, "v": model.nv, "a": model.nv})
    power, speed, forces = f(q, v, a)
    tau = run("inverse_dynamics", q, v, a)
    agree(power, v @ tau, scale=np.abs(v * tau).sum())
    V = run.about("jacobian", "frame1", q) @ v
    agree(speed, V @ V)
    agree(forces, run("mass_matrix", q) @ a)
    g = vv.function(lambda q, v, a: model.inverse_dynamics.jacobian("v")(q, v, a) @ a, f.inputs)
    agree(g(q, v, a), run.derivatives("inverse_dynamics", ("v",), q, v, a)[0] @ a)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_is_many_single_calls(threads):
    model, _, _ = some(1, 4)
    rng = np.random.default_rng(0)
    rows = 3000
    q = np.array([model.random(rng) for _ in range(rows)])
    v, a = rng.normal(size=(2, rows, model.nv))
    for f in (model.inverse_dynamics, model.mass_matrix, model.inverse_dynamics.jacobian("q")):
        args = [{"q": q, "v": v, "a": a}[name] for name in f.inputs]
        many = f(*args, threads=threads)
        assert len(many) == rows
        for k in rng.choice(rows, 50, replace=False):
            assert np.array_equal(many[k], f(*(x[k] for x in args)))
    some_rows = model.inverse_dynamics(q[:6].reshape(2, 3, -1), v[0], a[:6].reshape(2, 3, -1))
    assert some_rows.shape == (2, 3, model.nv)
    agree(some_rows[1, 2], model.inverse_dynamics(q[5], v[0], a[5]))


# ---- what names the machine code


def nudged(x):
    """The next number; of an array, with one entry moved."""
    if np.ndim(x) == 0:
        return float(np.nextafter(x, np.inf))
    other = x.copy()
    other.flat[-1] = nudged(other.flat[-1])
    return other


def numbers_of(model):
    """The same model with one number moved by its last bit, for each kind of number."""

    def body(k, **changes):
        bodies = list(model.bodies)
        bodies[k] = replace(bodies[k], **changes)
        return replace(model, bodies=tuple(bodies))

    for k, b in enumerate(model.bodies):
        for x in ("mass", "com", "tensor"):
            old = {name: getattr(b.inertia, name) for name in ("mass", "com", "tensor")}
            other = Inertia(**{**old, x: nudged(old[x])}, checked=False)
            yield f"{x} of {b.name}", body(k, inertia=other)
        for x in oracle.PER_VELOCITY:
            yield f"{x} of {b.joint_name}", body(k, **{x: nudged(getattr(b, x))})
        for x in ("R", "p"):
            other = replace(b.placement, **{x: nudged(getattr(b.placement, x))})
            yield f"{x} of {b.name}", body(k, placement=other)
        for x in ("axis", "pitch", "second", "normal"):
            old = getattr(b.joint, x, None)
            if old is not None:  # an axis of one bit more has no longer length one
                other = nudged(old) if x == "pitch" else np.roll(old, 1)
                yield f"{x} of {b.joint_name}", body(k, joint=replace(b.joint, **{x: other}))
        for x in ("multiplier", "offset") if b.mimic else ():
            other = replace(b.mimic, **{x: nudged(getattr(b.mimic, x))})
            yield f"{x} of {b.joint_name}", body(k, mimic=other)
    for k, s in enumerate(model.springs):
        for x in ("stiffness", "rest", "damping", "points"):
            old = getattr(s, x)
            if x == "points" and not old:
                continue
            other = (old[0], nudged(old[1])) if x == "points" else nudged(old)
            springs = list(model.springs)
            springs[k] = replace(s, **{x: other})
            yield f"{x} of {s.name}", replace(model, springs=tuple(springs))
    for k, frame in enumerate(model.frames):
        frames = list(model.frames)
        frames[k] = replace(frame, placement=replace(frame.placement, p=nudged(frame.placement.p)))
        yield f"place of {frame.name}", replace(model, frames=tuple(frames))
    yield "gravity", replace(model, gravity=nudged(model.gravity))
    k, hinge = next((k, b) for k, b in enumerate(model.bodies) if type(b.joint) is Revolute)
    yield "type of joint", body(k, joint=Prismatic(hinge.joint.axis))
    yield "parent", body(len(model.bodies) - 1, parent=0)
    (one, two), rest = model.frames[:2], model.frames[2:]
    swapped = replace(one, name=two.name), replace(two, name=one.name)
    yield "names of frames", replace(model, frames=(*swapped, *rest))
    rope = model.springs[-1]
    turned = replace(rope, frames=rope.frames[::-1])
    yield "ends of a spring", replace(model, springs=(*model.springs[:-1], turned))


def varied():
    """A model with every kind of number."""
    for seed in range(200):
        model = mechanism(np.random.default_rng(seed), 7)
        kinds = {type(b.joint).__name__ for b in model.bodies}
        wanted = {"Revolute", "Helical", "Universal", "Planar"}
        if wanted <= kinds and any(b.mimic for b in model.bodies) and model.bodies[-1].parent:
            return model
    raise AssertionError


def test_models_that_differ_in_one_number_do_not_share_code():
    model = varied()
    kinds, digests = set(), {digest(model)}
    for what, other in numbers_of(model):
        assert other.inverse_dynamics.key != model.inverse_dynamics.key, what
        assert digest(other) not in digests, what
        digests.add(digest(other))
        kinds.add(what.partition(" of ")[0])
    assert len(kinds) >= 23
    again = varied()
    assert again is not model
    assert digest(again) == digest(model)


def test_nearly_equal_models_give_their_own_numbers(tmp_path, monkeypatch):
    """From a cold and from a filled cache."""
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path / "cache"))
    model, _, (q, v, a) = some(2, 2)
    other = changed(model, "m_body0", 1.0)
    for _ in range(2):
        for m in (model, other):
            fresh = pickle.loads(pickle.dumps(m))
            agree(fresh.inverse_dynamics(q, v, a), inverse_dynamics(m, q, v, a))
    assert fresh.inverse_dynamics.kernel.from_cache
    assert off(model.inverse_dynamics(q, v, a), other.inverse_dynamics(q, v, a)) > 1e-3


SCRIPT = """
import sys
import numpy as np
from support.oracle import mechanism
model = mechanism(np.random.default_rng(8), 3)
f = [model.inverse_dynamics, model.inverse_dynamics.jacobian("q"), model.jacobian("frame1")]
f.append(model.function("forward_dynamics", parameters=["m_body1"], wrenches=["frame0"]))
print([g.kernel.from_cache for g in f], [g._program is None for g in f])
"""


def test_another_process_finds_the_code(tmp_path):
    """Without tracing: the key is made of the model's numbers and the request."""
    support = os.path.dirname(os.path.dirname(oracle.__file__))
    env = {**os.environ, "VISVIVA_CACHE": str(tmp_path / "cache"), "PYTHONPATH": support}
    said = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, check=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert said[0].startswith("[False, False, False, False]")
    assert said[1] == "[True, True, True, True] [True, True, True, True]"
