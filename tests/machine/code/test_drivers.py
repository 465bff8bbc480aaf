"""Ways to run a kernel: one more is one more class, and nothing else changes."""

import ctypes
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

import visviva as vv
from visviva.machine.code.cpu import Cpu, host
from visviva.machine.code.driver import Driver, block_calls
from visviva.machine.code.lanes import loop
from visviva.machine.code.module import DRIVERS, module_text, module_texts
from visviva.machine.program import blocks
from visviva.machine.run import kernel


@dataclass(frozen=True)
class Repeat(Driver):
    """`@vv.repeat(times, io, buffer)`: x = f(f(...f(x))), with one row of numbers.

    `io` is that of a batch of one row. After each time the results become the inputs, in the work
    buffer; all are read before any is overwritten. One time is `stride` evaluations.
    """

    stride: int = 1
    symbol = "vv.repeat"
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)

    def text(self, layout, lanes):
        T, read, written, out = f"<{lanes} x double>", [], [], []
        for i, place in enumerate(layout.places):
            read.append(f"%x{i}.at = getelementptr {T}, ptr %buffer, i64 {place}")
            read.append(f"%x{i} = load {T}, ptr %x{i}.at, align {8 * lanes}")
            written.append(f"%y{i}.at = getelementptr {T}, ptr %buffer, i64 {i}")
            written.append(f"store {T} %x{i}, ptr %y{i}.at, align {8 * lanes}")
            out.append(f"%z{i}.at = getelementptr {T}, ptr %buffer, i64 {i}")
            out.append(f"%z{i} = load double, ptr %z{i}.at, align 8")
            out.append(f"%r{i}.at = getelementptr double, ptr %result, i64 {i}")
            out.append(f"store double %z{i}, ptr %r{i}.at, align 8")
        once = "\n  ".join([*block_calls(layout), *read, *written])
        times = loop("j", str(self.stride), once)
        return f"""
define void @vv.repeat(i64 %times, ptr %io, ptr %buffer) {{
  call void @vv.inputs(i64 0, i64 1, ptr %io, ptr %buffer)
  {loop("i", "%times", times)}
  %result.at = getelementptr i64, ptr %io, i64 3
  %result = load ptr, ptr %result.at
  {chr(10).join(out)}
  ret void
}}"""


def repeated(f, times, x):
    """f(f(...f(x))), by the third driver."""
    result = np.empty_like(x)
    io = (ctypes.c_int64 * 6)(x.ctypes.data, 0, 8, result.ctypes.data, 0, 8)
    space = np.empty(f.kernel.buffer_bytes + 64, dtype=np.uint8)
    aligned = -(-space.ctypes.data // 64) * 64
    f.kernel.code.call("vv.repeat")(times, ctypes.addressof(io), aligned)
    return result


def step(x):
    """A pendulum's angle and speed a moment later, a clock, and two numbers that change places."""
    speed = x[1] - 0.01 * vv.generic.sin(x[0])
    return [x[0] + 0.01 * speed, speed, x[2] + 0.01, x[4], x[3]]


def stepper(*drivers, key=None):
    source = vv.function(step, {"x": 5})
    return vv.Function("step", source._inputs, lambda: source.program, key, drivers=drivers)


START = np.array([1.0, 0.25, 0.0, 3.0, 4.0])


def by_calls(times):
    f, x = stepper(), START
    for _ in range(times):
        x = f(x)
    return x


@pytest.fixture(params=["ours", "LLVM's"])
def loader(request, monkeypatch, tmp_path):
    """Both roads into memory, with a cache of their own."""
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path))
    if request.param == "LLVM's":
        monkeypatch.setattr(Cpu, "has_images", False)


@pytest.mark.spread(3)
@pytest.mark.parametrize("times", [0, 1, 101])
def test_a_third_driver_runs(loader, times):
    f = stepper(Repeat())
    np.testing.assert_array_equal(repeated(f, times, START), by_calls(times))
    np.testing.assert_array_equal(f(START), by_calls(1))
    batch = np.tile(START, (1001, 1))
    np.testing.assert_array_equal(f(batch), np.tile(by_calls(1), (1001, 1)))
    np.testing.assert_array_equal(f(x=batch, threads=2), np.tile(by_calls(1), (1001, 1)))


@pytest.mark.parametrize("key", [None, ("user", "steps")])
def test_a_third_driver_is_kept_on_disk(loader, key):
    first, again = stepper(Repeat(), key=key), stepper(Repeat(), key=key)
    wanted = repeated(first, 7, START)
    np.testing.assert_array_equal(repeated(again, 7, START), wanted)
    assert not first.kernel.from_cache
    assert again.kernel.from_cache


@pytest.mark.spread(2)
@pytest.mark.parametrize("key", [None, ("user", "steps")])
def test_code_with_other_drivers_has_another_name(loader, key):
    """What is kept for one list of drivers is not taken for another's."""
    functions = [stepper(*x, key=key) for x in ((), (Repeat(),), (Repeat(3),))]
    assert len({f._name for f in functions}) == 3
    for f in functions:
        f(START)
        assert not f.kernel.from_cache
    np.testing.assert_array_equal(repeated(functions[2], 7, START), by_calls(21))


def test_a_pickled_function_keeps_its_drivers():
    f = pickle.loads(pickle.dumps(stepper(Repeat(3))))
    np.testing.assert_array_equal(repeated(f, 7, START), by_calls(21))


def test_a_third_driver_of_a_program_in_many_blocks(loader, monkeypatch):
    monkeypatch.setattr(kernel, "split", lambda p: blocks.split(p, 3, 1))
    f = stepper(Repeat())
    assert len(kernel.split(f.program).blocks) > 2
    np.testing.assert_array_equal(repeated(f, 20, START), by_calls(20))


def test_the_text_of_others_stays_what_it_is():
    """A driver is text behind what is there."""
    for layout in (blocks.split(stepper().program), blocks.split(stepper().program, 2, 1)):
        plain, more = (module_text(layout, host(), x) for x in (DRIVERS, (*DRIVERS, Repeat())))
        assert more.startswith(plain)
        assert more[len(plain) :].strip() == Repeat().text(layout, host().lanes).strip()
        others = module_texts(layout, host(), (*DRIVERS, Repeat()))[1:]
        assert [x[:500] for x in others] == [x[:500] for x in module_texts(layout, host())[1:]]


@dataclass(frozen=True)
class Narrow(Repeat):
    """The same on half as many lanes, for which there is a kernel then."""

    symbol = "vv.narrow_repeat"

    def kernel_lanes(self, layout, lanes):
        return lanes // 2


def test_a_driver_may_want_a_kernel_of_another_width():
    wide = Cpu(host().triple, "skylake-avx512", "+avx,+fma,+avx512f")
    layout = blocks.split(stepper().program)
    counts = [
        module_text(layout, wide, x).count("define internal void @vv.lanes4.block0(")
        for x in (DRIVERS[:1], DRIVERS, (*DRIVERS, Narrow()))
    ]
    assert counts == [0, 1, 1]  # one kernel for all who want that width
    both = module_text(layout, Cpu(host().triple, "haswell", "+avx,+fma"), (*DRIVERS, Narrow()))
    assert both.count("define internal void @vv.lanes2.block0(") == 1
