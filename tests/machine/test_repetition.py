"""A step repeated inside machine code gives what a loop of calls gives, bit by bit."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

import visviva as vv
from visviva.machine.code.cpu import Cpu, host
from visviva.machine.program import blocks
from visviva.machine.run import kernel
from visviva.machine.run.passes import Running

where, LANES = vv.generic.where, host().lanes


def swing(q, v, k, u):
    """A pendulum, a constant, a row of a table; q and v change in an order that matters."""
    v = v - 0.05 * k * vv.generic.sin(q) + 0.01 * u
    return {"v": v, "q": q + 0.05 * v}


def turns(x, y, z, n):
    """States that change places, one that stays, one that is another's old value."""
    return {"x": y, "y": x, "z": z, "n": x[::-1]}


def melts(x, n):
    """Rows come to one after very different numbers of passes."""
    return {"x": where(x > 5.0, 0.75 * x, x - 0.125), "n": n + 1.0}


@pytest.fixture(scope="module")
def pendulum():
    return vv.function(swing, {"q": 2, "v": 2, "k": (), "u": 2}, name="swing")


@pytest.fixture(scope="module")
def melting():
    return vv.function(melts, {"x": (), "n": ()}, name="melts")


@pytest.fixture(scope="module")
def one():
    return vv.function(lambda x: where(x <= 1.0, 1.0, 0.0), {"x": ()}, name="one")


@pytest.fixture(params=["ours", "LLVM's"])
def loader(request, monkeypatch, tmp_path):
    """Both roads into memory, with a cache of their own."""
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path))
    if request.param == "LLVM's":
        monkeypatch.setattr(Cpu, "has_images", False)


def by_calls(step, state, passes, until=None, each=None):
    """States after 0, 1, ... passes, and how many passes each row did; every pass is a call."""
    ports = step.inputs
    rows = max(len(np.atleast_1d(x)) if np.ndim(x) > len(ports[k]) else 1 for k, x in state.items())
    now = {k: np.array(np.broadcast_to(x, (rows, *ports[k])), float) for k, x in state.items()}
    saved, counts, awake = [dict(now)], np.zeros(rows, int), np.ones(rows, bool)
    for i in range(passes):
        tables = {k: x[..., i % x.shape[-2], :] for k, x in (each or {}).items()}
        results = step(**now, **tables)
        results = results if isinstance(results, tuple) else (results,)
        new = dict(zip(step.outputs, results, strict=True))
        for k, y in new.items():
            mask = awake.reshape(-1, *[1] * (y.ndim - 1))
            now[k] = np.where(mask, y, now[k])
        counts += awake
        if until is not None:
            awake &= until(**{k: now[k] for k in until.inputs}) == 0
        saved.append(dict(now))
    return saved, counts, ~awake


def same(got, want):
    assert got.keys() == want.keys()
    for k, x in want.items():
        np.testing.assert_array_equal(got[k], x, err_msg=k)


def started(rows, rng=None):
    rng = rng or np.random.default_rng(rows)
    return {"q": rng.normal(size=(rows, 2)), "v": rng.normal(size=(rows, 2)), "k": 1.5}


def states_of(step, saved):
    return {k: saved[k] for k in step.outputs}


@pytest.mark.parametrize("rows", range(1, 2 * LANES + 2))
@pytest.mark.parametrize("table", ["shared", "per row"])
def test_every_batch_size_is_a_loop_of_calls(pendulum, rows, table):
    rng = np.random.default_rng(rows)
    start = started(rows)
    if rows % 2:
        start["k"] = rng.normal(size=rows)
    u = rng.normal(size=(7, 2) if table == "shared" else (rows, 7, 2))
    saved, _, _ = by_calls(pendulum, start, 23, each={"u": u})
    run = vv.repeat(pendulum, start, times=23, each={"u": u}, save=5)
    same(run.state, states_of(pendulum, saved[-1]))
    for k, x in run.saved.items():
        assert x.shape == (rows, 5, 2)
        for j in range(5):
            np.testing.assert_array_equal(x[:, j], saved[5 * j][k])
    assert run.passes.tolist() == [23] * rows
    assert not run.done.any()


@pytest.mark.parametrize("rows", [1, LANES - 1, LANES, 2 * LANES + 1])
def test_states_that_change_places(rows):
    """All are read before any is lost, and what says that a row is done is read in time."""
    step = vv.function(turns, {"x": 3, "y": 3, "z": (), "n": 3}, name="turns")
    rng = np.random.default_rng(0)
    start = {k: rng.normal(size=(rows, *shape)) for k, shape in step.inputs.items()}
    for passes in range(4):
        saved, _, _ = by_calls(step, start, passes)
        same(vv.repeat(step, start, times=passes).state, saved[-1])
    swap = vv.function(lambda x, y: {"x": y, "y": x}, {"x": (), "y": ()}, name="swap")
    until = vv.function(lambda x: x, {"x": ()}, name="itself")
    zeros = {"x": np.arange(rows) % 2.0, "y": np.arange(rows) % 3.0}
    saved, counts, done = by_calls(swap, zeros, 5, until)
    run = vv.repeat(swap, zeros, until=until, at_most=5)
    same(run.state, saved[-1])
    np.testing.assert_array_equal(run.passes, counts)
    np.testing.assert_array_equal(run.done, done)


@pytest.mark.parametrize("largest", [blocks.LARGEST, 3])
def test_what_a_loop_repeats_can_still_be_called(monkeypatch, largest):
    """Its kernel writes the next state where the inputs were; a call of it gives results only."""
    monkeypatch.setattr(kernel, "split", lambda p: blocks.split(p, largest, 1))
    pair = vv.function(swing, {"q": 2, "v": 2, "k": (), "u": 2}, name="swing")
    turned = vv.function(turns, {"x": 3, "y": 3, "z": (), "n": 3}, name="turns")
    for step in (pair, turned):
        rng = np.random.default_rng(1)
        start = [rng.normal(size=(2 * LANES + 1, *shape)) for shape in step.inputs.values()]
        before = [x.copy() for x in start]
        loop = vv.Loop(step)
        state = dict(zip(step.inputs, start, strict=True))
        run = loop(state, times=1).state
        for rows in (start, [x[0] for x in start]):
            got = dict(zip(loop.function.outputs, loop.function(*rows), strict=True))
            same(got, {k: x if rows is start else x[0] for k, x in run.items()})
        np.testing.assert_equal(start, before)


@pytest.mark.parametrize("rows", [1, 2, LANES, LANES + 1, 30])
@pytest.mark.parametrize("at_most", [0, 1, 20, 60])
def test_rows_rest_when_they_are_done(melting, one, rows, at_most):
    start = {"x": np.arange(rows) % 27 + 1.0, "n": 0.0}
    saved, counts, done = by_calls(melting, start, at_most, one)
    run = vv.repeat(melting, start, until=one, at_most=at_most, save=3)
    same(run.state, saved[-1])
    np.testing.assert_array_equal(run.passes, counts)
    np.testing.assert_array_equal(run.done, done)
    np.testing.assert_array_equal(run.state["n"], counts)
    for k, x in run.saved.items():  # what rests is kept as it is
        np.testing.assert_array_equal(x, np.stack([s[k] for s in saved[::3]], axis=1))


def test_the_start_is_not_changed(pendulum):
    start = started(5) | {"u": np.ones(2)}
    before = {k: np.copy(x) for k, x in start.items()}
    vv.repeat(pendulum, start, times=3)
    same(start, before)


def test_the_only_output_is_the_first_input():
    newton = vv.function(lambda x, a: (x + a / x) / 2, {"x": (), "a": ()}, name="newton")
    a = np.array([[2.0, 9.0, 1e6], [4.0, 1e-3, 7.0]])
    run = vv.repeat(newton, {"x": 1.0, "a": a}, times=30)
    np.testing.assert_allclose(run.state["x"], np.sqrt(a), rtol=1e-15)
    assert vv.repeat(vv.function(lambda x: x + 1, {"x": ()}), 3.0, times=4).state["x"] == 7.0


def test_leading_axes_are_a_batch(pendulum):
    rng = np.random.default_rng(0)
    q, k, u = rng.normal(size=(3, 1, 2)), rng.normal(size=5), rng.normal(size=(3, 1, 4, 2))
    run = vv.repeat(
        pendulum, {"q": q, "v": np.zeros(2), "k": k}, times=9, each={"u": u}, save=4, threads=2
    )
    assert run.state["q"].shape == (3, 5, 2)
    assert run.saved["v"].shape == (3, 5, 3, 2)
    assert run.passes.shape == run.done.shape == (3, 5)
    for i in range(3):
        for j in range(5):
            alone = vv.repeat(
                pendulum, {"q": q[i, 0], "v": [0, 0], "k": k[j]}, times=9, each={"u": u[i, 0]}
            )
            assert alone.passes.shape == ()
            np.testing.assert_array_equal(run.state["q"][i, j], alone.state["q"])


def test_any_strides_and_kinds_of_numbers(pendulum):
    wide = np.random.default_rng(0).normal(size=(4, 11, 6))
    start = {"q": wide[:, ::2, 1::3].transpose(1, 0, 2), "v": np.ones((6, 4, 2), np.float32)}
    start |= {"k": np.array(2, np.int8)}
    each = {"u": np.asfortranarray(wide[0, :, 2:4])}
    run = vv.repeat(pendulum, start, times=25, each=each)
    plain = {k: np.array(x, float, order="C") for k, x in start.items()}
    again = vv.repeat(pendulum, plain, times=25, each={"u": np.array(each["u"], order="C")})
    same(run.state, again.state)


def test_nothing_to_do(pendulum):
    for rows in (0, 3):
        start, u = started(rows), np.ones((rows, 4, 2))
        run = vv.repeat(pendulum, start, times=0, each={"u": u}, save=2)
        np.testing.assert_array_equal(run.state["q"], start["q"])
        np.testing.assert_array_equal(run.saved["q"], start["q"][:, None])
    run = vv.repeat(pendulum, started(0), times=50, each={"u": np.ones((4, 2))}, save=7, threads=3)
    assert run.saved["q"].shape == (0, 8, 2)
    assert run.passes.shape == (0,)
    empty = vv.function(lambda x, y: {"x": x * 2.0}, {"x": 0, "y": 0})
    run = vv.repeat(empty, {"x": np.zeros((9, 0))}, times=10**12, each={"y": np.zeros((5, 0))})
    assert run.state["x"].shape == (9, 0)
    assert run.passes.tolist() == [10**12] * 9
    still = vv.function(lambda x: {"x": x}, {"x": 2})  # no operation
    same(vv.repeat(still, [[1.0, 2.0]] * 5, times=3).state, {"x": np.array([[1.0, 2.0]] * 5)})


def test_saves_that_are_never_reached_cost_nothing(pendulum):
    each = {"u": np.ones((4, 2))}
    for period in (10**9, 2**62, 2**64, 2**100):
        run = vv.repeat(pendulum, started(3), times=5, each=each, save=period)
        assert run.saved["q"].shape == (3, 1, 2)


def test_nan_stays_in_its_row_and_ends_a_search(pendulum):
    start = started(LANES + 2) | {"u": np.zeros(2)}
    wanted = vv.repeat(pendulum, start, times=9).state["q"]
    start["q"][1] = np.nan
    got = vv.repeat(pendulum, start, times=9).state["q"]
    assert np.isnan(got[1]).all()
    np.testing.assert_array_equal(np.delete(got, 1, 0), np.delete(wanted, 1, 0))
    half, until = (vv.function(lambda x, k=k: x * k, {"x": ()}) for k in (0.5, 1.0))
    run = vv.repeat(half, {"x": [0.0, np.nan, np.inf]}, until=until, at_most=9)  # nan is not zero
    assert run.passes.tolist() == [9, 1, 1]
    assert run.done.tolist() == [False, True, True]


@pytest.mark.parametrize("threads", [1, 2, 3, 100])
def test_threads_share_the_rows(pendulum, melting, one, threads):
    start, each = started(10 * LANES + 3), {"u": np.random.default_rng(0).normal(size=(3, 2))}
    alone = vv.repeat(pendulum, start, times=40, each=each, save=9)
    run = vv.repeat(pendulum, start, times=40, each=each, save=9, threads=threads)
    same(run.state, alone.state)
    same(run.saved, alone.saved)
    many = {"x": np.arange(2.0, 60.0), "n": 0.0}
    rest = vv.repeat(melting, many, until=one, at_most=150, save=10, threads=threads)
    saved, counts, _ = by_calls(melting, many, 150, one)
    np.testing.assert_array_equal(rest.passes, counts)
    np.testing.assert_array_equal(rest.saved["x"], np.stack([s["x"] for s in saved[::10]], axis=1))


@pytest.mark.spread(2)
@pytest.mark.parametrize("rows", [1, 3 * LANES + 1])
def test_programs_in_many_blocks(loader, monkeypatch, rows):
    monkeypatch.setattr(kernel, "split", lambda p: blocks.split(p, 3, 1))
    pendulum = vv.function(swing, {"q": 2, "v": 2, "k": (), "u": 2}, name="swing")
    each = {"u": np.random.default_rng(0).normal(size=(3, 2))}
    until = vv.function(lambda q: where(q[0] < -1.0, 1.0, 0.0), {"q": 2}, name="far")
    loop = vv.Loop(pendulum, until=until, each=["u"])
    assert len(kernel.split(loop.function.program).blocks) > 3
    run = loop(started(rows), at_most=60, each=each, save=7)
    saved, counts, _ = by_calls(pendulum, started(rows), 60, until, each)
    same(run.state, states_of(pendulum, saved[-1]))
    np.testing.assert_array_equal(run.passes, counts)
    np.testing.assert_array_equal(run.saved["q"], np.stack([s["q"] for s in saved[::7]], axis=1))


def test_the_reference_runs_on_any_scalar(one):
    step = vv.function(
        lambda x, y, a: {"x": y, "y": x / 3 + y * a}, {"x": (), "y": (), "a": ()}, name="step"
    )
    start = {"x": Fraction(1), "y": Fraction(2, 7)}
    a = [Fraction(1, 2), Fraction(5, 4), Fraction(-1)]
    x, y = start.values()
    for i in range(10):
        x, y = y, x / 3 + y * a[i % 3]
    loop = vv.Loop(step, each=["a"])
    got = loop.interpret(start, passes=10, each={"a": a})
    assert {k: z[()] for k, z in got.items()} == {"x": x, "y": y}
    numbers = loop({"x": 1.0, "y": 2 / 7}, times=10, each={"a": [0.5, 1.25, -1.0]}).state
    assert numbers["y"] == pytest.approx(float(y), rel=1e-14)


def test_the_reference_is_what_the_machine_does(pendulum, melting, one):
    each = {"u": np.random.default_rng(0).normal(size=(4, 2))}
    start = {k: x[0] if np.ndim(x) else x for k, x in started(1).items()}
    loop = vv.Loop(vv.function(turns, {"x": 3, "y": 3, "z": (), "n": 3}))
    rng = np.random.default_rng(1)
    state = {k: rng.normal(size=shape) for k, shape in loop.step.inputs.items()}
    same({k: x.astype(float) for k, x in loop.interpret(state, passes=7).items()},
         loop(state, times=7).state)  # fmt: skip
    for at_most in (0, 3, 100):
        search = vv.Loop(melting, until=one)
        got = search.interpret({"x": 7.0, "n": 0.0}, passes=at_most)
        assert {k: float(x) if np.ndim(x) == 0 else x for k, x in got.items()} == search(
            {"x": 7.0, "n": 0.0}, at_most=at_most
        ).state
    loop = vv.Loop(pendulum, each=["u"])
    got = loop.interpret(start, passes=30, each=each)
    for k, x in loop(start, times=30, each=each).state.items():
        np.testing.assert_allclose(got[k].astype(float), x, rtol=1e-13)


def test_a_pickled_loop_is_the_same(melting, one):
    loop = vv.Loop(melting, until=one, keep=["n"])
    wanted = loop({"x": np.arange(2.0, 20.0), "n": 0.0}, at_most=90, save=8)
    for copy in (pickle.loads(pickle.dumps(loop)), pickle.loads(pickle.dumps(vv.Loop(melting)))):
        assert copy.states == ("x", "n")
    copy = pickle.loads(pickle.dumps(loop))
    got = copy({"x": np.arange(2.0, 20.0), "n": 0.0}, at_most=90, save=8)
    same(got.state, wanted.state)
    same(got.saved, wanted.saved)
    assert list(got.saved) == ["n"]


NAMES = ["repeat_done", "repeat_kept", "cycle", "passes", "rows", "last", "i", "buffer", "row"]
NAMES += ["t0", "double", "int", "next", "function", "state", "kept", "M_PI", "sin", "quaternión"]


@pytest.mark.spread(8)
@pytest.mark.parametrize("name", NAMES)
def test_states_may_have_any_name(name):
    step = vv.function(lambda a, b: {name: a + b, "b": a}, {name: (), "b": ()}, name="step")
    until = vv.function(lambda a: where(a > 50.0, 1.0, 0.0), {name: ()}, name="large")
    run = vv.repeat(step, {name: [1.0, 2.0, 0.0], "b": [1.0, 0.0, 0.0]}, until=until, at_most=30)
    assert run.state[name].tolist() == [55.0, 68.0, 0.0]
    assert run.state["b"].tolist() == [34.0, 42.0, 0.0]
    assert run.passes.tolist() == [8, 8, 30]


def test_a_running_repetition_goes_on_where_it_was(pendulum):
    each = {"u": np.random.default_rng(0).normal(size=(3, 2))}
    loop, start = vv.Loop(pendulum, each=["u"]), started(LANES + 1)
    run = loop.start(start, each)
    assert isinstance(run, Running)
    saved, _, _ = by_calls(pendulum, start, 40, each=each)
    for last in (0, 1, 7, 7, 3, 20, 40):
        run.advance(last)
    same(run.state, states_of(pendulum, saved[40]))


def test_states_are_kept_in_windows(pendulum):
    """What was kept is taken, and the next window begins at a later number."""
    each = {"u": np.random.default_rng(0).normal(size=(3, 2))}
    start = started(LANES + 1)
    saved, _, _ = by_calls(pendulum, start, 60, each=each)
    run = vv.Loop(pendulum, each=["u"], keep=["v"]).start(start, each)
    run.keep_every(3, 5)
    run.advance(14)
    kept = [run.history["v"].copy()]
    for first in (5, 10, 15):
        run.keep_every(3, 5, first)
        run.advance(3 * first + 14)
        kept.append(run.history["v"].copy())
    wanted = np.stack([s["v"] for s in saved[:60:3]], axis=1)
    np.testing.assert_array_equal(np.concatenate(kept, axis=1), wanted)
    assert run.unrolled(run.history["v"]).shape == (LANES + 1, 5, 2)


def test_states_known_early_outlast_the_blocks_that_need_them(monkeypatch):
    """What waits for a later block may take the place of a state that no block needs any more."""
    monkeypatch.setattr(kernel, "split", lambda p: blocks.split(p, 3, 1))

    def step(x):
        early = [0.9 * x[k] + 0.1 for k in range(4)]
        s = sum(vv.generic.sqrt(1.0 + y) for y in early)
        waiting = [s * (n + 2.0) for n in range(8)]
        return {"x": np.array([*early[:3], early[3] + 1e-3 * sum(waiting)])}

    loop = vv.Loop(vv.function(step, {"x": 4}, name="early"))
    layout = kernel.split(loop.function.program)
    both = [layout.slots[value] for value in layout.results if value in layout.slots]
    assert any(list(layout.slots.values()).count(slot) > 1 for slot in both)  # places are taken
    start = {"x": np.linspace(0.1, 0.4, 4)}
    wanted = loop.interpret(start, passes=3)["x"].astype(float)
    np.testing.assert_allclose(loop(start, times=3).state["x"], wanted, rtol=1e-14)
