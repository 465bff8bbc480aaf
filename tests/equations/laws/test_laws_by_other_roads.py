"""The same forces by other roads: regrouped masses, freed joints, sweeps, machine code."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.counts import SOAK, examples
from tests.support.oracles import oracle
from tests.support.oracles.laws import TOLERANCE, agree, condition, seeds, sizes, some
from tests.support.oracles.oracle import Compiled, Interpreted, algorithm, random_state
from visviva.algebra import diff
from visviva.algebra.expr import Graph
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.equations import forward
from visviva.equations.bodies.factor import Factor
from visviva.equations.bodies.links import links
from visviva.equations.bodies.mass_matrix import composite_rigid_body
from visviva.equations.bodies.newton_euler import recursive_newton_euler as newton_euler
from visviva.equations.bodies.regroup import regrouped_links
from visviva.equations.forward import by_factor, by_sweep, least_of_factor


@examples(3, 3000)
@given(seeds, sizes)
def test_lean_links_give_the_same_forces(seed, size):
    """Regrouped masses change neither joint forces nor the mass matrix."""
    model, _, (q, v, a) = some(seed, size, springs=False)
    whole, spare = links(model), regrouped_links(model)
    agree(*(newton_euler(x, model.gravity, q, v, a) for x in (spare, whole)))
    agree(*(oracle.floats(composite_rigid_body(x, q, model.nv)) for x in (spare, whole)))


@examples(3, 3000)
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


@examples(3, 3000)
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


@examples(3, 3000)
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


@pytest.mark.spread(0)
@pytest.mark.soak
@pytest.mark.parametrize("seed", range(8) if SOAK else (4,))  # most kinds of joints
def test_machine_code_is_the_algorithm(seed):
    model, run, (q, v, a) = some(seed, 5 if SOAK else 4)
    compiled = Compiled(model)
    given = {"q": q, "v": v, "a": a, "tau": a}
    coordinates = all(b.joint.coordinates == b.joint.velocities for b in model.bodies)
    for name, verb in oracle.functions(model).items():
        if name in ("actuator_map", "step") or (name == "christoffel" and not coordinates):
            continue  # a step is refused where dry friction may stick
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


def snake(n):
    """Hinges about z and y in turn."""
    b, box = Builder("snake"), Inertia.box(1.0, x=0.3, y=0.05, z=0.08)
    for i in range(n):
        where = {"parent": f"b{i - 1}", "at": [0.3, 0.0, 0.0]} if i else {}
        b.body(f"b{i}", joint="revolute", axis="zy"[i % 2], inertia=box, **where)
    return b.build()


def expressions(model):
    graph = Graph()
    return [
        np.array([graph.input(f"{name}{i}") for i in range(model.nv)], dtype=object)
        for name in ("q", "v", "tau")
    ]


def test_forward_dynamics_of_a_long_chain_traces_one_road(monkeypatch):
    """The other one grows with the cube of the length: it is not traced to see that it loses."""
    monkeypatch.setattr(forward, "by_factor", None)
    model = snake(40)
    swept = forward.free_acceleration(model, *expressions(model))
    assert diff.count(swept) < least_of_factor(model)


def test_forward_dynamics_of_a_short_chain_takes_the_shorter_road():
    for n in (6, 12, 16):
        model = snake(n)
        roads = [f(model, *expressions(model)) for f in (by_factor, by_sweep)]
        taken = forward.free_acceleration(model, *expressions(model))
        shorter = min(map(diff.count, roads))  # signs may fall otherwise: they cost an operation
        assert shorter <= diff.count(taken) <= 1.002 * shorter


@pytest.mark.parametrize("seed", range(4))
def test_no_factor_takes_fewer_operations_than_it_is_held_to_take(seed):
    """Of a matrix that has an entry for every pair of joints on one branch."""
    model, _ = oracle.expanded(some(seed, 6, springs=False)[0])
    graph, n = Graph(), model.nv
    above, chains = [], []  # the velocities before each, and all up to each body's last
    for b, at in zip(model.bodies, model.v_index, strict=True):
        before = chains[b.parent] if b.parent >= 0 else []
        own = list(range(at.start, at.stop))
        above += [before + own[:k] for k in range(len(own))]
        chains.append(before + own)
    M = np.full((n, n), 0.0, dtype=object)
    for i in range(n):
        for j in (*above[i], i):
            M[i, j] = M[j, i] = graph.input(f"M{i}_{j}")
    y = [graph.input(f"y{i}") for i in range(n)]
    taken = diff.count(Factor(M).solve(y))
    assert least_of_factor(model) <= taken <= least_of_factor(model) + 2 * n
