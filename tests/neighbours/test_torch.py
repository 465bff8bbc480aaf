"""Compiled functions in torch: the same numbers, derivatives of any order, its transformations.

`make neighbours` runs them, in an environment of its own.
"""

import pickle
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import visviva as vv
from tests.support.small_systems import SYSTEMS, VERBS, function, state
from visviva.errors import ArgumentError, BackendError, DtypeError, ShapeError

torch = pytest.importorskip("torch", reason="torch is tested by `make neighbours`")
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.:DeprecationWarning")
g = vv.generic
X, A = np.array([0.3, -0.4]), np.arange(6.0).reshape(3, 2)


@pytest.fixture(scope="module")
def f():
    def several(x, A):
        return {"y": A @ g.sin(x), "B": A * x[0], "n": g.sqrt(x @ x)}

    return vv.function(several, {"x": 2, "A": (3, 2)}, name="several")


def tensors(arrays, needed=True):
    return [torch.tensor(x, requires_grad=needed) for x in arrays]


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.parametrize("batch", [(), (3,)])
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_verbs_and_their_derivatives_to_the_second_order(name, verb, batch):
    """Against differences, in both modes and their mixtures; by entries of quaternions too."""
    f = function(name, verb)
    x = state(name, f, batch)
    call, values = f.to_torch(), tensors(x)
    for got, want in zip(as_tuple(call(*values)), as_tuple(f(*x)), strict=True):
        np.testing.assert_array_equal(got.detach(), want)
    forward = {"check_forward_ad": True} if not batch else {}
    assert torch.autograd.gradcheck(call, values, check_batched_grad=True, **forward)
    mixed = {"check_fwd_over_rev": True} if not batch else {}
    assert torch.autograd.gradgradcheck(call, values, **mixed)


def test_one_input_of_several_and_broadcasts(f):
    call = f.to_torch()
    x, _ = tensors((X, A))
    rows = torch.tensor(np.random.default_rng(0).normal(size=(2, 5, 2)), requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: call(x, A), (x,))
    assert torch.autograd.gradcheck(lambda x: call(rows.detach().mT.mT, x), tensors((A,)))
    assert torch.autograd.gradcheck(lambda x: call(x.transpose(0, 1), A), (rows,))
    assert call(rows, A)[1].shape == (2, 5, 3, 2)


def test_transformations_of_torch_func(f):
    from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

    call = f.to_torch()
    x, a = tensors((X, A), needed=False)
    J = f.jacobian("x")(X, A)[0]
    for derive in (jacrev, jacfwd):
        np.testing.assert_allclose(derive(lambda x: call(x, a)[0])(x), J, rtol=1e-14)
    n = f.jacobian("x").jacobian("x")(X, A)[2]
    length = lambda x: call(x, a)[2]  # noqa: E731
    for second in (hessian(length), jacrev(jacrev(length)), jacfwd(jacfwd(length))):
        np.testing.assert_allclose(second(x), n, atol=1e-14)
    rows = torch.tensor(np.random.default_rng(0).normal(size=(5, 2)))
    for got, want in zip(vmap(call, (1, None))(rows.T, a), f(rows.numpy(), A), strict=True):
        np.testing.assert_array_equal(got, want)
    unit = rows / rows.norm(dim=1, keepdim=True)
    np.testing.assert_allclose(vmap(grad(length))(rows), unit, rtol=1e-14)
    np.testing.assert_allclose(jvp(length, (x,), (x,))[1], 0.5, rtol=1e-14)
    np.testing.assert_allclose(vjp(length, x)[1](torch.tensor(1.0).double())[0], X / 0.5)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_torch_compile_takes_it_whole(f, backend):
    if backend == "inductor" and not shutil.which("g++"):
        pytest.skip("torch's own compiler needs g++")
    call = f.to_torch()

    def loss(x, a):
        y, B, n = call(x * 2, a)
        return (y**2).sum() + (B * y[..., None]).sum() + n.sum()

    compiled = torch.compile(loss, fullgraph=True, backend=backend)
    for x in (X, np.random.default_rng(0).normal(size=(4, 2))):
        plain, other = tensors((x, A)), tensors((x, A))
        loss(*plain).backward()
        value = compiled(*other)
        value.backward()
        for one, two in zip(plain, other, strict=True):
            np.testing.assert_allclose(one.grad, two.grad, rtol=1e-12)


def test_the_operator_keeps_torchs_rules(f):
    from visviva.machine import torch_calls

    key = torch_calls._key(f)
    for values in (tensors((X, A)), tensors((X, A), needed=False)):
        torch.library.opcheck(torch_calls._operator, (values, key))
    x = torch.zeros(7, 2, device="meta")
    assert [tuple(y.shape) for y in f.to_torch()(x, x.new_zeros(3, 2))] == [(7, 3), (7, 3, 2), (7,)]


def test_types_of_results(f):
    call = f.to_torch()
    x, a = tensors((X, A), needed=False)
    cases = [
        ((x.float(), a.float()), torch.float32),
        ((x.half(), a.half()), torch.float16),
        ((x.half(), a.bfloat16()), torch.float32),
        ((x.float(), a), torch.float64),
        ((x.float(), A.tolist()), torch.float32),
        ((X.tolist(), A), torch.float64),
        ((torch.arange(2), A), torch.float64),
    ]
    for arguments, kind in cases:
        assert [y.dtype for y in call(*arguments)] == [kind] * 3
    x32 = x.float().requires_grad_()
    call(x32, a.float())[2].backward()
    np.testing.assert_allclose(x32.grad, X / 0.5, rtol=1e-6)
    sums = vv.function(lambda x: x[0] + x[1] - x[0], {"x": 2}, name="sums").to_torch()
    assert sums(torch.tensor([1e8, 0.5])) == 0.5  # computed in double precision


def test_wrong_arguments_are_refused_in_our_words(f):
    call = f.to_torch()
    x, a = tensors((X, A))
    with pytest.raises(ArgumentError, match="takes 2 arguments, got 1"):
        call(x)
    with pytest.raises(ShapeError, match=r"argument 'x' has shape \(3,\); expected \(..., 2\)"):
        call(torch.zeros(3), a)
    with pytest.raises(ShapeError, match="do not broadcast"):
        call(torch.zeros(4, 2), torch.zeros(5, 3, 2))
    with pytest.raises(DtypeError, match="complex128; expected real numbers"):
        call(x * 1j, a)
    tumbler = function("tumbler", "kinetic_energy")
    with pytest.raises(ArgumentError, match="quaternion"):
        tumbler.to_torch()(torch.full((4,), 0.6), torch.zeros(3))


def test_other_processors_are_refused_in_words(f):
    class Elsewhere(torch.Tensor):
        is_cpu = False
        device = "cuda:0"

    x = torch.zeros(2).as_subclass(Elsewhere)
    with pytest.raises(BackendError, match=r"'x' is on cuda:0: pass x.cpu\(\)"):
        f.to_torch()(x, A)


def test_parameters_are_inputs_that_have_gradients():
    """Masses of a pendulum are found from its accelerations."""
    m = vv.catalog.pendulum(2)
    f = m.function("forward_dynamics", parameters=m.parameter_names[:2])
    q, v, tau = (torch.tensor(x) for x in np.random.default_rng(1).normal(size=(3, 50, 2)))
    truth = torch.tensor([1.3, 0.7], dtype=torch.float64)
    call = f.to_torch()
    seen, p = call(q, v, tau, truth), torch.ones(2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(call, (q[:2], v[:2], tau[:2], p))
    search = torch.optim.LBFGS(
        [p], max_iter=100, line_search_fn="strong_wolfe", tolerance_grad=1e-12
    )

    def loss():
        search.zero_grad()
        error = ((call(q, v, tau, p) - seen) ** 2).sum()
        error.backward()
        return error

    search.step(loss)
    np.testing.assert_allclose(p.detach(), truth, rtol=1e-6)


def test_a_change_in_place_is_noticed(f):
    x, a = tensors((X, A))
    moved = x * 1.0
    y = f.to_torch()(moved, a)[0].sum()
    moved.add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_checkpoints_and_modules(f):
    from copy import deepcopy

    from torch.utils.checkpoint import checkpoint

    call = f.to_torch()
    x, a = tensors((X, A))
    checkpoint(call, x, a, use_reentrant=False)[2].backward()
    np.testing.assert_allclose(x.grad, X / 0.5)
    assert deepcopy(call)(x, a)[2] == call(x, a)[2]


def test_what_has_no_inputs_or_no_numbers():
    assert vv.function(lambda: g.sqrt(2.0), {}, name="constant").to_torch()() == np.sqrt(2.0)
    empty = vv.function(lambda x, e: (2 * x, e), {"x": 2, "e": 0}, name="empty").to_torch()
    x, e = tensors((X, np.zeros(0)))
    y, rest = empty(x, e)
    (y.sum() + rest.sum()).backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert e.grad.shape == rest.shape == (0,)


def test_threads_give_the_same_to_the_bit(f):
    call, rng = f.to_torch(), np.random.default_rng(2)
    cases = [tensors((rng.normal(size=(17, 2)), A)) for _ in range(50)]

    def gradients(case):
        return [x.numpy() for x in torch.autograd.grad(sum(y.sum() for y in call(*case)), case)]

    alone = [gradients(case) for case in cases]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(4):
            for one, two in zip(alone, pool.map(gradients, cases), strict=True):
                for x, y in zip(one, two, strict=True):
                    np.testing.assert_array_equal(x, y)


def test_equal_functions_stand_for_each_other_and_none_is_kept(f):
    import gc
    import weakref

    from visviva.machine import torch_calls

    def make():
        return vv.function(lambda x: 3 * g.cos(x), {"x": 2}, name="own")

    one, two = make(), make()
    key = torch_calls._key(one)
    assert torch_calls._key(two) == key
    first = weakref.ref(one)
    del one
    gc.collect()
    assert torch_calls._functions[key] is first()
    del two
    gc.collect()
    assert key not in torch_calls._functions
    assert pickle.loads(pickle.dumps(f))(X, A)[2] == 0.5


def test_without_what_torch_does_not_promise(f, monkeypatch):
    """Names that may go: without them it is the slower class that runs, with the same results."""
    from visviva.machine import torch_calls

    monkeypatch.setattr(torch_calls, "_has_transforms", lambda: True)
    monkeypatch.setattr(torch_calls, "_is_mapped_gradient", lambda x: False)
    x = tensors((X, A))
    assert torch.autograd.gradcheck(f.to_torch(), x, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(f.to_torch(), x)


def test_blocks_of_the_page_run():
    """Those that `tests/project` leaves out, marked py: in one namespace."""
    text = (Path(__file__).parents[2] / "docs" / "learning.md").read_text(encoding="utf-8")
    blocks, namespace = re.findall(r"^```py\n(.*?)^```$", text, re.M | re.S), {}
    assert blocks
    for block in blocks:
        exec(compile(block, "docs/learning.md", "exec"), namespace)
