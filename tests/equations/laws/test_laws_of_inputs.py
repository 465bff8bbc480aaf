"""Parameters and wrenches as further inputs; functions pickled, traced and called in batches."""

import pickle

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count
from tests.support.oracles import oracle
from tests.support.oracles.laws import agree, changed, some
from tests.support.oracles.oracle import random_state
from visviva.describe.bodies.inertia import Inertia
from visviva.equations.dynamics import inverse_dynamics
from visviva.equations.parameters.parameters import parameter_names, parameter_values


@pytest.mark.spread(2)
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


@pytest.mark.spread(2)
@pytest.mark.soak
@pytest.mark.parametrize("seed", range(count(2, 4)))
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


@pytest.mark.spread(0)
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


@pytest.mark.spread(1)
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
