"""Long repetitions: cut into calls, kept as the step says, found again, interrupted, destroyed."""

import gc
import json
import subprocess
import sys

import numpy as np
import pytest

import visviva as vv
from tests.support.programs import interrupted_repetitions
from tests.support.tools import importing
from visviva.errors import ArgumentError
from visviva.machine.code.cpu import host
from visviva.machine.run.kernel import Kernel

where, LANES = vv.generic.where, host().lanes


def wave(x, n):
    """It says when its state is to be kept: where x has just come round."""
    over = x + 0.375 > 1.0
    return {"x": where(over, x - 0.625, x + 0.375), "n": n + 1.0, "round": where(over, 1.0, 0.0)}


@pytest.fixture(scope="module")
def wheel():
    return vv.function(wave, {"x": (), "n": ()}, name="wave")


@pytest.fixture(params=[1, 3 * LANES, 17 * LANES])
def tight(request, monkeypatch):
    """Calls of machine code that do very little each: passes and rows are cut."""
    start = Kernel.__new__

    def small(kind, *args, **named):
        made = start(kind, *args, **named)
        return start(kind, *made[:4], request.param, *made[5:])

    monkeypatch.setattr(Kernel, "__new__", small)


def counted(rows):
    """A step with a table, and states to begin with."""
    step = vv.function(
        lambda x, y, u: {"x": 0.5 * y + u, "y": x - 0.25}, {"x": (), "y": (), "u": ()}, name="step"
    )
    rng = np.random.default_rng(rows)
    return (
        step,
        {"x": rng.normal(size=rows), "y": rng.normal(size=rows)},
        rng.normal(size=(rows, 5)),
    )


def loop_of_calls(step, start, u, passes):
    x, y, saved = start["x"], start["y"], [dict(start)]
    for i in range(passes):
        x, y = step(x, y, u[:, i % u.shape[1]])
        saved.append({"x": x, "y": y})
    return saved


@pytest.mark.parametrize("rows", [1, LANES, 5 * LANES + 3])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.usefixtures("tight")
def test_cut_into_many_calls_it_is_the_same(rows, threads):
    step, start, u = counted(rows)
    saved = loop_of_calls(step, start, u, 61)
    run = vv.repeat(step, start, times=61, each={"u": u}, save=4, threads=threads)
    for k in "xy":
        np.testing.assert_array_equal(run.state[k], saved[-1][k])
        wanted = np.stack([s[k] for s in saved[::4]], axis=1)
        np.testing.assert_array_equal(run.saved[k], wanted)


@pytest.mark.parametrize("rows", [1, LANES, 5 * LANES + 3])
@pytest.mark.usefixtures("tight")
def test_cut_into_many_calls_rows_rest_as_before(rows):
    step = vv.function(lambda x, n: {"x": 0.75 * x, "n": n + 1.0}, {"x": (), "n": ()})
    until = vv.function(lambda x: where(x < 1.0, 1.0, 0.0), {"x": ()})
    start = np.random.default_rng(0).uniform(1.0, 1e6, rows)
    run = vv.repeat(step, {"x": start, "n": 0.0}, until=until, at_most=300, save=20)
    wanted = np.floor(np.log(start) / np.log(4 / 3)) + 1
    assert run.done.all()
    np.testing.assert_array_equal(run.passes, wanted)
    np.testing.assert_array_equal(run.state["n"], wanted)
    numbers = np.minimum(np.arange(0, 301, 20), wanted[:, None])
    np.testing.assert_array_equal(run.saved["n"], numbers)


def kept_by_calls(step, start, passes):
    """Flagged states of each row, by calls."""
    x, n, found = start, np.zeros_like(start), [[] for _ in start]
    for _ in range(passes):
        x, n, flag = step(x, n)
        for row in np.flatnonzero(flag):
            found[row].append((x[row], n[row]))
    return found, x


def drained(loop, start, passes, room, threads=1):
    """Everything that is kept, taken out whenever a row has no room left."""
    run, found = loop.start({"x": start, "n": 0.0}), [[] for _ in start]
    run.make_room(room)
    for _ in range(10 * passes):
        run.advance(passes, threads)
        assert (run.kept <= room).all()
        for row, kept in enumerate(run.kept):
            pairs = zip(
                run.history["x"][row, :kept, 0], run.history["n"][row, :kept, 0], strict=True
            )
            found[row] += pairs
        if (run.tile_pass >= passes).all():
            return found, run
        run.make_room(room)
    raise AssertionError("it never ends")


@pytest.mark.parametrize("rows", [1, LANES - 1, LANES, 3 * LANES + 2])
@pytest.mark.parametrize(("room", "threads"), [(1, 1), (3, 2), (100, 3)])
def test_states_are_kept_where_the_step_says_so(wheel, rows, room, threads):
    start = np.random.default_rng(rows).uniform(size=rows)
    found, last = kept_by_calls(wheel, start, 70)
    got, run = drained(vv.Loop(wheel, flag="round"), start, 70, room, threads)
    assert got == found
    np.testing.assert_array_equal(run.state["x"], last)
    assert run.passes.tolist() == [70] * rows


@pytest.mark.usefixtures("tight")
def test_kept_states_and_many_calls(wheel):
    loop = vv.Loop(vv.function(wave, {"x": (), "n": ()}, name="wave"), flag="round")
    start = np.random.default_rng(7).uniform(size=2 * LANES + 1)
    assert drained(loop, start, 70, 2)[0] == kept_by_calls(wheel, start, 70)[0]


@pytest.mark.usefixtures("tight")
def test_without_room_it_waits():
    """However often it is asked to go on: nothing is written where there is no place."""
    loop = vv.Loop(vv.function(wave, {"x": (), "n": ()}, name="wave"), flag="round")
    run = loop.start({"x": np.full(LANES + 1, 0.5), "n": 0.0})
    for _ in range(3):
        run.advance(50)
    assert not run.passes.any()
    run.make_room(2)
    for _ in range(3):
        run.advance(50)
    assert run.kept.tolist() == [2] * (LANES + 1)
    passes = run.passes.copy()
    run.advance(10**6)
    assert (run.passes == passes).all()


def swap(x, y):
    return {"x": y, "y": x, "before": x}


@pytest.mark.parametrize(("flag", "kept"), [("before", [0.0, 0.0]), ("x", [7.0, 5.0])])
def test_a_flag_may_be_a_number_that_the_next_pass_overwrites(flag, kept):
    names = ("x", "y") if flag == "x" else ("x", "y", "before")
    step = vv.function(lambda x, y: {k: swap(x, y)[k] for k in names}, {"x": (), "y": ()})
    run = vv.Loop(step, flag=flag, keep=["x"]).start({"x": [0.0, 5.0], "y": [7.0, 0.0]})
    run.make_room(4)
    run.advance(4)
    assert run.kept.tolist() == [2, 2]
    assert run.history["x"][:, :2, 0].tolist() == [[x, x] for x in kept]


def test_what_would_be_kept_outside_is_refused():
    step, start, u = counted(3)
    run = vv.Loop(step, each=["u"]).start(start, {"u": u})
    run.keep_every(2, 3)
    with pytest.raises(ArgumentError, match="keep the states numbered 1 to 3; there is room for 3"):
        run.advance(6)
    run.advance(5)
    run.keep_every(2, 2, 4)
    with pytest.raises(ArgumentError, match="there is room for 2 from number 4 on"):
        run.advance(9)
    assert run.done_passes == 5


SECOND = """
import json, sys, numpy as np, visviva as vv
step = vv.function(lambda x, u: {"x": 0.5 * x + u}, {"x": (), "u": ()}, key=%(key)s)
loop = vv.Loop(step, each=["u"])
x = loop({"x": [1.0, 2.0]}, times=5, each={"u": [0.25, 0.5]}).state["x"].tolist()
print(json.dumps([loop.function.kernel.from_cache, x]))
"""


@pytest.mark.spread(1)
@pytest.mark.parametrize("key", ["None", "'my steps'"])
def test_another_process_finds_the_code(tmp_path, key):
    environment = importing() | {"VISVIVA_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", SECOND % {"key": key}]
    runs = [json.loads(subprocess.check_output(command, env=environment)) for _ in range(2)]
    assert [found for found, _ in runs] == [False, True]
    assert runs[0][1] == runs[1][1]


@pytest.mark.parametrize("keyed", [True, False])
def test_different_repetitions_have_different_names(tmp_path, monkeypatch, keyed):
    """Names of machine code: step, until and its inputs, tables, what is kept and when."""
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path))
    shapes = {"x": (), "y": (), "u": ()}

    def made(key, f, inputs=shapes):
        return vv.function(f, inputs, key=key if keyed else None)

    step = made("step", lambda x, y, u: {"x": x + u, "y": y})
    other = made("other", lambda x, y, u: {"x": x, "y": y + u})
    flagged = made("flagged", lambda x, y, u: {"x": x, "y": y, "f": u})
    loops = [vv.Loop(step), vv.Loop(other), vv.Loop(step, each=["u"])]
    loops += [vv.Loop(step, keep=keep) for keep in (["x"], ["y"], [], ["y", "x"])]
    loops += [vv.Loop(step, until=made("end", lambda z: z, {k: ()})) for k in "xyu"]
    loops += [vv.Loop(step, until=made("later", lambda z: z - 1.0, {"x": ()}))]
    loops += [vv.Loop(flagged, flag="f", keep=keep) for keep in (["x"], ["y"])]
    loops += [vv.Loop(other, flag=k) for k in "xy"]
    names = [loop.function._name for loop in loops]
    assert len(set(names)) == len(names)


def test_two_ends_with_one_key_and_different_inputs_are_two(tmp_path, monkeypatch):
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path))
    step = vv.function(lambda x, y: {"x": x + 1, "y": y + 2}, {"x": (), "y": ()}, key="up")
    for name, passes in (("x", 5), ("y", 3)):
        until = vv.function(lambda z: where(z > 4.5, 1.0, 0.0), {name: ()}, key="large")
        run = vv.repeat(step, {"x": 0.0, "y": 0.0}, until=until, at_most=20)
        assert run.passes == passes


def test_an_interrupt_is_heard_while_it_runs():
    """In a process of its own: its main thread gets the signals."""
    environment = importing() | {"VISVIVA_CACHE": "off"}
    command = [sys.executable, interrupted_repetitions.__file__]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "alive\n"), run.stderr


@pytest.mark.usefixtures("small_heap")
def test_code_is_there_while_a_repetition_can_go_on():
    """Its loop, its step and all else are gone."""
    step, start, u = counted(LANES + 1)
    wanted = loop_of_calls(step, start, u, 30)[-1]
    run = vv.Loop(step, each=["u"]).start(start, {"u": u})
    del step, u
    gc.collect()
    others = [vv.Loop(vv.function(lambda x, k=k: x * k, {"x": ()})) for k in range(2, 5)]
    assert [float(x(1.0, times=2).state["x"]) for x in others] == [4.0, 9.0, 16.0]
    run.advance(30)
    np.testing.assert_array_equal(run.state["x"], wanted["x"])
