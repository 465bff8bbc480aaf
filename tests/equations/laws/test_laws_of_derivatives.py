"""Derivatives along motions, once and twice, against differences at 50 digits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import count, examples
from tests.support.oracles import oracle
from tests.support.oracles.laws import TOLERANCE, agree, condition, seeds, some, stated
from tests.support.oracles.oracle import COORDINATES, Compiled, random_state
from visviva.describe.bodies.inertia import Inertia


@examples(4, 500)
@given(seeds, st.integers(1, 5))
def test_derivatives_of_inverse_dynamics(seed, size):
    model, run, state = some(seed, size, springs=seed % 4 == 0)
    ours = run.derivatives("inverse_dynamics", ("q", "v", "a"), *state)
    scale = np.abs(run("mass_matrix", state[0])).max()
    for k, x in enumerate(ours):
        wanted = oracle.jacobian(model, stated(model, "inverse_dynamics"), state, k)
        agree(x, wanted, scale=scale)


@examples(4, 500)
@given(seeds, st.integers(1, 5))
def test_derivatives_of_forward_dynamics(seed, size):
    """Here the condition of M counts twice: accelerations carry it, and their slopes again."""
    model, run, state = some(seed, size, springs=seed % 8 == 0)
    loose = TOLERANCE * max(1.0, condition(run("mass_matrix", state[0])) / 10)
    ours = run.derivatives("forward_dynamics", ("q", "v", "tau"), *state)
    for k, x in enumerate(ours):
        wanted = oracle.jacobian(model, stated(model, "forward_dynamics"), state, k)
        agree(x, wanted, loose, scale=1.0)


@pytest.mark.spread(2)
@pytest.mark.soak
@pytest.mark.parametrize("name", ["mass_matrix", "gravity_forces", "potential_energy", "poses"])
@pytest.mark.parametrize("seed", range(count(1, 3)))
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
@pytest.mark.spread(1)
@pytest.mark.parametrize("seed", range(count(1, 3)))
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


@pytest.mark.spread(1)
@pytest.mark.parametrize("seed", range(count(2, 4)))
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


@pytest.mark.spread(1)
@pytest.mark.parametrize("seed", range(count(2, 3)))
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
