"""Long work says what it is doing, and Ctrl-C is answered."""

import gc
import io
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest
from rich.cells import cell_len

import visviva as vv
from visviva import progress as module
from visviva.judge.closed.closed_form import closed_form
from visviva.judge.derive.derivation import derivation
from visviva.judge.roads.crosscheck import crosscheck
from visviva.progress import progress

SOAK = bool(os.environ.get("VISVIVA_SOAK"))
PATIENT = 600.0  # seconds: so slow is no machine


class Screen(io.StringIO):
    """An error stream; as a terminal it knows what can be seen on it."""

    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal

    def wait_for(self, text):
        end = time.monotonic() + PATIENT
        while text not in self.getvalue() and time.monotonic() < end:
            time.sleep(0.005)
        assert text in self.getvalue()

    @property
    def visible(self):
        line = []
        for part in self.getvalue().split("\r"):
            line[: len(part)] = part
        return "".join(line).rstrip()


@pytest.fixture
def screen(monkeypatch, request):
    made = Screen(getattr(request, "param", False))
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=made))  # pytest has sys.stderr
    monkeypatch.delenv("VISVIVA_PROGRESS", raising=False)
    for name in ("PATIENCE", "IN_PLACE", "IN_LINES"):
        monkeypatch.setattr(module, name, 0.01)
    still = SimpleNamespace(monotonic=lambda: 0.0, process_time=lambda: 0.0)
    monkeypatch.setattr(module, "time", still)
    return made


def test_quick_work_is_silent(screen, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 60.0)
    with progress("quick work", 2) as at:
        at.step("one")
    assert screen.getvalue() == ""
    assert module.PATIENCE > module.IN_PLACE


def test_one_long_step_is_told_in_lines(screen):
    with progress("long work", 3) as at:
        screen.wait_for("visviva: long work (0 s)\n")
        at.step("the first")
        screen.wait_for("visviva: long work: 1 of 3, the first (0 s)\n")
    assert "\r" not in screen.getvalue()
    said = screen.getvalue()
    time.sleep(0.05)
    assert screen.getvalue() == said  # nothing after the end


@pytest.mark.parametrize("screen", [True], indirect=True)
def test_a_terminal_has_one_line_that_goes_away(screen):
    with suppress(KeyboardInterrupt), progress("long work") as at:
        at.step("with a long name")
        screen.wait_for("with a long name")
        at.step("now")
        screen.wait_for("now")
        raise KeyboardInterrupt
    assert "\n" not in screen.getvalue()
    assert screen.visible == ""


@pytest.mark.parametrize("screen", [True], indirect=True)
def test_long_lines_fit_the_terminal(screen, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    with progress("work " * 30):
        screen.wait_for("work")
    assert max(map(len, screen.getvalue().split("\r"))) < 40


@pytest.mark.parametrize("screen", [True], indirect=True)
def test_wide_characters_take_two_columns(screen, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    with progress("关节" * 30):
        screen.wait_for("关节")
    assert {cell_len(part) for part in screen.getvalue().split("\r") if part} == {37}


def test_a_process_without_a_terminal_writes_plain_lines():
    quick = "from visviva.progress import progress\nwith progress('x'): pass\n"
    long = "with progress('x'): import time; time.sleep(0.2)"
    env = os.environ | {"VISVIVA_PROGRESS": "0.01"}
    command = [sys.executable, "-c", quick + long]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stderr.startswith("visviva: x (0 s)\n")


def test_the_outermost_step_is_shown(screen):
    with progress("outer") as outer:
        with progress("inner", 5) as inner:
            inner.step()
            screen.wait_for("visviva: inner: 1 of 5 (")
            outer.step("a step")
            screen.wait_for("visviva: outer: a step (")
        with progress("another"):
            pass
        before = len(screen.getvalue())
        screen.wait_for("visviva: outer: a step (")
    assert "another" not in screen.getvalue()[before:]
    with progress("afterwards"):
        screen.wait_for("afterwards")


def test_another_thread_stays_quiet(screen):
    def other():
        with progress("in the other thread") as at:
            at.step("too")
            time.sleep(0.05)

    with progress("here"):
        worker = threading.Thread(target=other)
        worker.start()
        worker.join()
        screen.wait_for("here")
    assert "other" not in screen.getvalue()


def test_the_environment_says_how_long_it_waits(screen, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 600.0)
    monkeypatch.setenv("VISVIVA_PROGRESS", "0.001")
    with progress("long work"):
        screen.wait_for("visviva: long work (0 s)\n")
    monkeypatch.setenv("VISVIVA_PROGRESS", "on")
    assert module._patience() == 600.0


@pytest.mark.parametrize("value", ["0", "off", "OFF", "", "-1", "inf", "nan"])
def test_it_can_be_switched_off(screen, monkeypatch, value):
    monkeypatch.setenv("VISVIVA_PROGRESS", value)
    with progress("work"), progress("inside"):
        time.sleep(0.05)
    assert screen.getvalue() == ""


def test_no_stream_is_no_trouble(monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.001)
    for stream in (None, io.StringIO()):
        if stream is not None:
            stream.close()
        monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=stream))
        with progress("work") as at:
            at.step()
            time.sleep(0.02)
        assert at.count == 1


def test_derivations_and_comparisons_say_where_they_are(monkeypatch):
    said = []
    real = module.Progress.step

    def heard(self, now=""):
        real(self, now)
        said.append(str(self))

    monkeypatch.setattr(module.Progress, "step", heard)
    derivation(vv.catalog.rp_arm(), "newton-euler")
    assert "deriving rp_arm by newton-euler: Link 2, ²f₂" in said
    derivation(vv.catalog.bead_on_rotating_wire())
    assert "deriving bead_on_rotating_wire by lagrange: Energies, K" in said
    crosscheck(vv.catalog.rp_arm())
    crosscheck(vv.catalog.rp_arm(), exact=False)
    assert "equations of rp_arm by different roads: d'Alembert" in said
    assert "equations of rp_arm by different roads: compiling" in said


# ---- Ctrl-C

JOBS = """
import signal, sys
import numpy as np
import visviva as vv
from visviva.describe.by_hand.builder import Builder
from visviva.describe.bodies.inertia import Inertia
from visviva.judge.closed.closed_form import closed_form
from visviva.judge.roads.crosscheck import crosscheck

def seven():  # an arm of seven hinges with all inertia symbolic
    tensor = ("xx", "xy", "xz"), ("xy", "yy", "yz"), ("xz", "yz", "zz")
    kinds = {"m": 1.0, "x": 0.1, "y": 0.1, "z": 0.1, "l": 0.3}
    kinds |= {f"I{k}": 5.0 if k[0] == k[1] else 0.1 for row in tensor for k in row}
    b = Builder("seven", parameters={f"{k}{i}": x for i in range(1, 8) for k, x in kinds.items()})
    for i in range(1, 8):
        p = {k: b.parameters[f"{k}{i}"] for k in kinds}
        inertia = Inertia(p["m"], [p[k] for k in "xyz"], [[p[f"I{k}"] for k in r] for r in tensor])
        more = {"parent": f"link{i - 1}", "at": [0, 0, b.parameters[f"l{i - 1}"]]} if i > 1 else {}
        b.body(f"link{i}", joint="revolute", axis="yz"[i % 2], inertia=inertia, **more)
    return b.build()

def written(model, *names):
    form = closed_form(model)
    return [getattr(form, name) for name in names]

puma = vv.catalog.puma560()
jobs = {
    "closed form": lambda: written(puma, "mass_matrix", "coriolis_matrix", "christoffel"),
    "equations": lambda: written(puma, "gravity", "equations", "kinetic_energy"),
    "newton-euler": lambda: puma.derivation("newton-euler"),
    "lagrange": lambda: puma.derivation("lagrange").html(),
    "seven joints": lambda: written(seven(), "mass_matrix"),
    "ten links": lambda: written(vv.catalog.pendulum(10), "equations"),
    "crosscheck": lambda: crosscheck(seven()),
}
signal.signal(signal.SIGINT, signal.default_int_handler)
job = jobs[sys.argv[1]]
for _ in range(int(sys.argv[2])):
    try:
        print("begun", flush=True)
        while True:
            job()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""
JOB_NAMES = ["closed form", "equations", "newton-euler", "lagrange", "seven joints", "ten links"]
JOB_NAMES += ["crosscheck"]


def longest_wait(job, times):
    """Seconds until Ctrl-C at a random moment is answered, the longest of several."""
    draw = random.Random(3)
    worst = 0.0
    command = [sys.executable, "-c", JOBS, job, str(times)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        for _ in range(times):
            assert child.stdout.readline() == "begun\n"
            time.sleep(draw.uniform(0.01, 12.0 if times > 1 else 1.0))
            start = time.monotonic()
            child.send_signal(signal.SIGINT)
            assert child.stdout.readline() == "interrupted\n"
            worst = max(worst, time.monotonic() - start)
        assert child.wait() == 0
    return worst


@pytest.mark.spread(1)
@pytest.mark.soak
@pytest.mark.parametrize("job", JOB_NAMES if SOAK else ["closed form", "newton-euler"])
def test_ctrl_c_is_answered(job):
    longest = longest_wait(job, 12 if SOAK else 1)
    print(f"{job}: Ctrl-C is answered within {longest:.2f} s")
    assert not SOAK or longest < 1.0


@pytest.mark.spread(0)
def test_after_ctrl_c_the_same_call_works():
    """Whatever is kept was finished: the same object, interrupted again and again."""
    form = closed_form(vv.catalog.planar_3r())
    names = ("mass_matrix", "coriolis_matrix", "christoffel", "gravity", "equations")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    count = 0
    gc.collect()
    gc.disable()  # an exception that arrives in somebody's __del__ is lost
    try:
        for k in range(1, 40):
            with suppress(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 0.001 * k)
                for name in names:
                    getattr(form, name)
                signal.setitimer(signal.ITIMER_REAL, 0)
                break
            count += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    assert count > 0
    fresh = closed_form(vv.catalog.planar_3r())
    for name in names:
        assert getattr(form, name) == getattr(fresh, name)
    assert module._Line.shown is None


def test_what_compiles_before_a_first_step_is_said(screen):
    """A simulation takes its first step when its program is compiled."""
    with progress("simulating", from_first_step=True), progress("compiling"):
        screen.wait_for("compiling")
