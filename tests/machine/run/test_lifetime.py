"""Machine code stays as long as anything can call it, and no longer."""

import gc
import linecache
import os
import pydoc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count
from tests.support.programs import finalizers, interrupted_compiling
from visviva.machine.code.cpu import host
from visviva.machine.function import Function
from visviva.machine.run import entry, jit, memory

arena_only = pytest.mark.skipif(not host().has_images, reason="here LLVM loads the code itself")


def survives(script, *arguments, home):
    """Run a script in a process of its own: that it survives is the point."""
    command = [sys.executable, script.__file__, *map(str, arguments)]
    environment = os.environ | {"VISVIVA_CACHE": str(home)}
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "alive\n"), run.stderr


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", list(finalizers.SCENARIOS))
def test_what_calls_a_function_while_it_is_destroyed_does_not_crash(name, tmp_path):
    survives(finalizers, name, count(3, 1000), home=tmp_path)


@pytest.mark.spread(0)
@pytest.mark.soak
def test_compilations_that_are_interrupted_leave_everything_in_order(tmp_path):
    survives(interrupted_compiling, count(20, 1000), home=tmp_path)


def test_the_token_of_code_is_unknown_to_the_garbage_collector():
    """What the collector cannot see it cannot finalize too early."""
    f = vv.function(lambda x: x + 0.125, {"x": 1})
    f(np.zeros(1))
    assert not gc.is_tracked(f.kernel.code.token)
    weakref.ref(f.kernel.code.token)


@pytest.mark.usefixtures("small_heap")
def test_an_exception_between_becoming_fast_and_keeping_the_code():
    """Wherever a debugger, a profiler or an interrupt leaves the making of the code."""
    source = vv.function(lambda x: x * 3.5, {"x": 2})
    lines = broken_off(source, None)
    assert lines > 20
    for k in range(lines):
        f = copied(source)
        broken_off(f, k)
        gc.collect()
        assert f(np.ones(2)).tolist() == [3.5, 3.5]
        assert f([1.0, 1.0]).tolist() == [3.5, 3.5]


def copied(source):
    """A function of its own with the same program: its code is found in the cache."""
    return Function("copy", source._inputs, lambda: source.program)


class QuitError(Exception):
    """As a debugger raises it."""


def broken_off(f, stop):
    """How many lines of ours run in a first call; before number `stop` an exception is raised."""
    ran = 0

    def tracer(frame, event, _):
        nonlocal ran
        if not frame.f_code.co_filename.endswith(("machine/function.py", "run/memory.py")):
            return None
        if event == "line":
            text = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
            if ran == stop and "with jit.LOCK" not in text:  # Python itself would not unlock it
                ran += 1
                raise QuitError
            ran += 1
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        f(np.ones(2))
    except QuitError:
        pass
    finally:
        sys.settrace(before)
    return ran


@arena_only
@pytest.mark.soak
@pytest.mark.usefixtures("small_heap")
def test_functions_made_and_dropped_leave_no_memory_behind():
    source = vv.function(lambda x: x * 5.5, {"x": 3})

    def some(n, make):
        for k in range(n):
            make(k)(np.ones(3))
            if k % 50 == 0:
                gc.collect()
        gc.collect()

    def found(k):
        return copied(source)

    def compiled(k):
        return vv.function(lambda x: x * (k + 7.5), {"x": 3})

    for make, n in ((found, 300), (compiled, count(0, 2500))):
        some(min(n, 100), make)
        pages, resident = placed_bytes(), resident_bytes()
        some(n, make)
        assert placed_bytes() <= pages + 60 * 16 * 1024  # what is alive between two collections
        assert n < 1000 or resident_bytes() - resident < 10e6


def placed_bytes():
    """Of the arena, without what is free."""
    arena = memory._arena
    arena._gather()
    return arena.mapped - sum(length for _, length in arena._free)


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * memory.PAGE


@arena_only
@pytest.mark.soak
def test_many_functions_may_be_alive_at_once():
    """The kernel keeps a record for every mapping, 65530 at most: functions share theirs."""
    source = vv.function(lambda x: x * 1.5, {"x": 2})
    source(np.ones(2))
    start = mappings()
    total = count(300, 30_000)
    alive = [copied(source) for _ in range(total)]
    for f in alive:
        assert f(np.ones(2))[0] == 1.5
    assert mappings() - start < 20 + total // 20
    assert alive[total // 2](np.ones(2))[0] == 1.5


def mappings():
    with open("/proc/self/maps") as file:
        return sum(1 for _ in file)


@arena_only
def test_code_can_be_executed_or_written_never_both():
    f = vv.function(lambda x: x * 1.625, {"x": 2})
    f(np.ones(2))
    with open("/proc/self/maps") as file:
        rows = [line.split()[:2] for line in file]
    own = []
    for span, rights in rows:
        first, last = (int(x, 16) for x in span.split("-"))
        if first <= f.kernel.code.call("vv.entry") < last:
            own.append(rights)
    assert own == ["r-xp"]


def test_where_llvm_loads_the_code_it_stays_as_long(monkeypatch, tmp_path):
    """The road of other processors, taken on this one."""
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path))
    monkeypatch.setattr("visviva.machine.code.cpu.Cpu.has_images", False)
    f = vv.function(lambda x: x * 2.625, {"x": 2})
    f(np.ones(2))
    call = type(f).__call__
    again = vv.function(lambda x: x * 2.625, {"x": 2})
    assert again(np.ones((7, 2)))[6, 1] == 2.625
    assert again.kernel.from_cache
    engines = len(memory._engines)
    del f
    gc.collect()
    assert call(np.ones(2))[1] == 2.625
    assert not memory._unused
    del call, again
    gc.collect()
    assert len(memory._unused) == 2
    vv.function(lambda x: x * 4.625, {"x": 2})(np.ones(2))
    assert len(memory._engines) == engines - 1


def test_too_many_mappings_are_refused_before_the_process_ends(monkeypatch):
    monkeypatch.setenv("VISVIVA_CACHE", "off")
    monkeypatch.setattr("visviva.machine.code.cpu.Cpu.has_images", False)
    monkeypatch.setattr(memory, "_largest_map_count", lambda: memory.MAPS_LEFT)
    with pytest.raises(vv.errors.BackendError, match="compiled functions are alive"):
        vv.function(lambda x: x * 8.625, {"x": 2})(np.ones(2))


def test_a_function_that_waits_for_another_thread_can_be_traced():
    """With a key it is traced at the first call; nothing may be locked meanwhile."""

    def waits(x):
        def other():
            free.append(jit.LOCK.acquire(blocking=False))  # it would wait for ever
            if free[-1]:
                jit.LOCK.release()
                vv.function(lambda y: y * 1.375, {"y": 2})(np.ones(2))

        thread = threading.Thread(target=other, daemon=True)
        thread.start()
        thread.join()
        return x * 0.375

    free = []
    f = vv.function(waits, {"x": 2}, key="waits for a thread")
    assert f(np.ones(2)).tolist() == [0.375, 0.375]
    assert free == [True]


class Named(Function):
    """A function with a method of its own."""

    def twice(self, x):
        return 2 * self(x)


def test_a_subclass_keeps_its_class():
    plain = vv.function(lambda x: x * 3.125, {"x": 2})
    f = Named("f", plain._inputs, lambda: plain.program)
    f(np.ones(2))
    assert isinstance(f, Named)
    assert type(f).__name__ == "Named"
    assert f.twice(np.ones(2)).tolist() == [6.25, 6.25]
    if entry.available():
        assert type(type(f).__call__).__name__ == "builtin_function_or_method"


def test_a_subclass_with_a_call_of_its_own_keeps_that():
    class Doubled(Function):
        def __call__(self, x):
            return 2 * super().__call__(x)

    plain = vv.function(lambda x: x * 3.125, {"x": 2})
    f = Doubled("f", plain._inputs, lambda: plain.program)
    for _ in range(2):
        assert f(np.ones(2)).tolist() == [6.25, 6.25]
    assert type(f) is Doubled


def test_help_on_a_verb_shows_what_it_does():
    arm = vv.catalog.two_link()
    for _ in range(2):  # before and after it is compiled
        text = pydoc.plain(pydoc.render_doc(arm.inverse_dynamics))
        assert "inverse_dynamics(q[2], v[2], a[2])" in text
        assert "τ = M a + C v + g + b" in text
        arm.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])


def test_any_text_is_a_name_and_nothing_else():
    for name in ("\ud800", "é\0x", "关节", "a b"):
        f = vv.function(lambda x: x * 1.75, {"x": 2}, name=name)
        assert f(np.ones(2))[0] == 1.75
    with pytest.raises(vv.errors.ArgumentError, match="name is a string, got 5"):
        vv.function(lambda x: x, {"x": 2}, name=5)
