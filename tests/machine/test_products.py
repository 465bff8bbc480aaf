"""Products of derivatives with vectors: what the Jacobian gives, without it, of any order."""

import pickle

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, UnknownNameError

g = vv.generic
RNG = np.random.default_rng(5)


@pytest.fixture(scope="module")
def f():
    return vv.function(
        lambda x, A, s: {"y": A @ g.sin(x) * s, "B": A * x[0], "n": g.sqrt(x @ x)},
        {"x": 2, "A": (3, 2), "s": ()},
        name="f",
    )


def arguments(f, batch=()):
    return [RNG.normal(size=(*batch, *shape)) for shape in f.inputs.values()]


def flat(values, shapes, batch):
    values = values if isinstance(values, tuple) else (values,)
    rows = [np.reshape(x, (*batch, -1)) for x, _ in zip(values, shapes, strict=True)]
    return np.concatenate(rows, axis=-1)


@pytest.mark.parametrize("batch", [(), (5,), (2, 3)])
@pytest.mark.parametrize("names", [(), ("x",), ("s", "A")])
def test_products_are_those_of_the_jacobian(f, names, batch):
    wanted = names or tuple(f.inputs)
    x = arguments(f, batch)
    blocks = iter(f.jacobian(*names)(*x))
    J = np.concatenate(
        [
            np.concatenate([next(blocks).reshape(*batch, int(np.prod(y)), -1) for _ in wanted], -1)
            for y in f.outputs.values()
        ],
        axis=-2,
    )
    vjp, jvp = f.vjp(*names), f.jvp(*names)
    assert list(vjp.inputs) == [*f.inputs, "weight_y", "weight_B", "weight_n"]
    assert list(vjp.outputs) == [f"gradient_{k}" for k in wanted]
    assert list(jvp.inputs) == [*f.inputs, *(f"rate_{k}" for k in wanted)]
    assert list(jvp.outputs) == ["rate_y", "rate_B", "rate_n"]
    weights, rates = arguments(vjp, batch)[3:], arguments(jvp, batch)[3:]
    w = flat(tuple(weights), f.outputs, batch)
    r = flat(tuple(rates), wanted, batch)
    gradient = flat(vjp(*x, *weights), wanted, batch)
    rate = flat(jvp(*x, *rates), f.outputs, batch)
    np.testing.assert_allclose(gradient, np.einsum("...ij,...i->...j", J, w), atol=1e-13)
    np.testing.assert_allclose(rate, np.einsum("...ij,...j->...i", J, r), atol=1e-13)
    np.testing.assert_allclose(np.sum(w * rate, -1), np.sum(gradient * r, -1), atol=1e-12)


def test_they_are_functions_like_others(f):
    assert f.vjp("x") is f.vjp("x")
    assert f.vjp() is f.vjp("x", "A", "s")
    product = f.vjp("x")
    x = arguments(product)
    out = np.empty(2)
    assert product(*x, out=out) is out
    assert np.array_equal(out, pickle.loads(pickle.dumps(product))(*x))
    model = vv.catalog.pendulum(2)
    product = model.forward_dynamics.vjp("q")
    copied = pickle.loads(pickle.dumps(product))
    x = arguments(product)
    assert copied.key == product.key
    assert np.array_equal(copied(*x), product(*x))


def test_derivatives_of_products_add_inputs_of_their_own():
    """A name is a symbol: what is added twice by one name would be one and the same."""
    f = vv.function(lambda x: g.sin(x[0]) * x[1] ** 2, {"x": 2}, name="f")
    twice = f.jvp("x").jvp("x")
    assert list(twice.inputs) == ["x", "rate_x", "rate2_x"]
    thrice = f.vjp().vjp().vjp()
    assert len(set(thrice.inputs)) == len(thrice.inputs) == 1 + 1 + 1 + 2
    hessian = f.jacobian("x").jacobian("x")
    x, a, b = RNG.normal(size=(3, 2))
    H = hessian(x)
    np.testing.assert_allclose(twice(x, a, b), a @ H @ b, atol=1e-14)
    np.testing.assert_allclose(f.vjp("x").jvp("x")(x, 1.0, a), H @ a, atol=1e-14)
    np.testing.assert_allclose(f.jvp("x").vjp("x")(x, a, 1.0), H @ a, atol=1e-14)
    np.testing.assert_allclose(f.vjp("x").jacobian("x")(x, 1.0), H, atol=1e-14)


def test_positions_with_quaternions_are_differentiated_by_their_entries():
    """Along motions, which the Jacobian is about, they agree."""
    body = vv.catalog.tumbling_body()
    f = vv.function(lambda q: body.pose(body.frame_names[-1])(q), {"q": 4}, name="placed")
    jacobian = body.pose(body.frame_names[-1]).jacobian("q")
    q, v = body.random(rng=RNG), RNG.normal(size=3)
    rate = f.jvp("q")(q, body.rates(q, v))
    assert f.vjp("q").outputs["gradient_q"] == (4,)
    np.testing.assert_allclose(rate, jacobian(q) @ v, atol=1e-14)


def test_wrong_names_are_refused(f):
    for verb in (f.vjp, f.jvp):
        with pytest.raises(UnknownNameError, match="z"):
            verb("z")
        with pytest.raises(ArgumentError, match="named twice"):
            verb("x", "x")


def test_without_inputs_and_without_numbers():
    constant = vv.function(lambda: g.sqrt(2.0), {}, name="constant")
    assert constant.jvp()() == 0.0
    assert constant.vjp()(1.0) == ()
    empty = vv.function(lambda x, e: (2 * x, e), {"x": 2, "e": 0}, name="empty")
    assert empty.vjp("e")(np.ones(2), np.ones(0), np.ones(2), np.ones(0)).shape == (0,)
    assert empty.jvp("e")(np.ones(2), np.ones(0), np.ones(0))[0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_dynamics", "mass_matrix"])
def test_a_gradient_costs_little_more_than_the_function(name):
    """By operations: at most three times those of the function."""
    f = vv.catalog.puma560().function(name)
    assert f.vjp().operations.total() <= 3 * f.operations.total()
