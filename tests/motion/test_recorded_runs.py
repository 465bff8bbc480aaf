"""Runs that are written as they go: what was interrupted goes on as if nothing had happened."""

import json
import random

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count
from tests.support.programs.recorded_runs import (
    ARM,
    BODY,
    CLOSED,
    LINKAGE,
    MANY,
    PID,
    TURNS,
    shorter_blocks,
)
from visviva.errors import ArgumentError, MotionError, ReadError, WriteError
from visviva.motion.record import Record
from visviva.motion.simulation import integrate, recording, stiff

Q, V = [0.3, 0.0], [0.0, 0.0]
g = vv.generic
SMOOTH = vv.Controller(PID.law, PID.start, PID.rate)
DAMPED = vv.Lagrangian(
    "x y", "(x'^2 + y'^2)/2", "5e5*x^2 + y^2/2", forces={"x": "-1e6*x'"}, name="damped"
)


class Killed(BaseException):
    """As nobody catches it, nothing of ours sees it coming."""


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch):
    for module, names in ((recording, ("PAUSE", "FIRST", "NUMBERS")), (integrate, ("WAITING",))):
        for name in names:
            monkeypatch.setattr(module, name, getattr(module, name))
    monkeypatch.setattr(stiff, "STEPS_OF_A_BLOCK", 32)
    shorter_blocks()


def killed_now_and_then(simulate, path, monkeypatch, seed=0):
    """Its result, after it was killed behind some of its blocks, and how many were there then."""
    rng, append, left = random.Random(seed), Record.append, [0]

    def killing(self, *block):
        append(self, *block)
        left[0] -= 1
        if left[0] == 0:
            raise Killed  # never again, once it begins at zero

    with monkeypatch.context() as m:
        m.setattr(Record, "append", killing)
        there = []
        while True:
            left[0] = rng.randrange(1, 5) if len(there) < 3 else 0
            try:
                return simulate(record=path), there
            except Killed:
                there.append(len(Record.read(path)))


def assert_same(a, b):
    """Arrays, what is between them, and all that is said of them."""
    for name in ("t", "q", "v", "tau"):
        x, y = getattr(a, name), getattr(b, name)
        assert (x is None) == (y is None), name
        assert x is None or (x.shape == y.shape and x.tobytes() == y.tobytes()), name
    assert a.notes == b.notes
    assert a.statistics.keys() == b.statistics.keys()
    for name, x in a.statistics.items():
        assert np.array_equal(x, b.statistics[name]), name
    times = np.linspace(a.t[0], a.t[-1], 17)
    for x, y in zip(a.at(times), b.at(times), strict=True):
        assert x.tobytes() == y.tobytes()
    assert a.forces_at(times).tobytes() == b.forces_at(times).tobytes()


def runs():
    """Every kind of run, short: what it is, and whether it is the same without a record."""
    table = np.random.default_rng(1).normal(size=(9, 100, 2))
    masses = {"m2": np.linspace(0.5, 2, 9)}
    yield "steps", lambda **how: ARM.simulate(Q, V, 1.0, dt=1e-2, **how)
    yield (
        "rare states",
        lambda **how: ARM.simulate(Q, V, 1.0, dt=2e-3, save=250, method="midpoint", **how),
    )
    yield "times", lambda **how: ARM.simulate(Q, V, np.linspace(1, 2, 6), dt=1e-2, **how)
    yield "tables", lambda **how: ARM.simulate(MANY, V, 1.0, dt=1e-2, tau=table, **how)
    yield (
        "actuators",
        lambda **how: ARM.simulate(
            MANY, V, 1.0, dt=1e-2, u=[1.0, 0.2], parameters=masses, save=2, **how
        ),
    )
    yield "memory", lambda **how: ARM.simulate(MANY, V, 1.0, dt=1e-2, tau=SMOOTH, **how)
    yield "sampled steps", lambda **how: ARM.simulate(MANY, V, 1.0, dt=1e-2, tau=PID, **how)
    yield (
        "quaternions",
        lambda **how: BODY.simulate(
            [0, 0, 0, 1.0], [0.01, 3, 0.01], 3.0, dt=1e-2, method="variational", **how
        ),
    )
    yield "constraints", lambda **how: LINKAGE.simulate(CLOSED, TURNS, 0.6, dt=5e-3, **how)
    yield "adaptive", lambda **how: ARM.simulate(Q, V, 8.0, method="dop853", tau=[1, 0.2], **how)
    yield (
        "wanted",
        lambda **how: ARM.simulate(Q, V, np.linspace(0, 3, 9), method="dopri5", rtol=1e-7, **how),
    )
    yield (
        "adaptive batch",
        lambda **how: ARM.simulate(MANY, V, 2.0, parameters=masses, threads=2, **how),
    )
    yield "adaptive memory", lambda **how: ARM.simulate(MANY, V, 2.0, tau=SMOOTH, **how)
    yield "adaptive samples", lambda **how: ARM.simulate(MANY, V, 1.0, tau=PID, **how)
    yield "adaptive tables", lambda **how: ARM.simulate(Q, V, 2.0, tau=table[0], **how)
    yield (
        "adaptive rotation",
        lambda **how: BODY.simulate([0, 0, 0, 1.0], [0.01, 3, 0.01], 6.0, method="dopri5", **how),
    )
    yield (
        "adaptive constraints",
        lambda **how: LINKAGE.simulate(CLOSED, TURNS, 1.0, method="dopri5", **how),
    )


QUICK = "tables, sampled steps, quaternions, constraints, wanted, adaptive batch, "
QUICK += "adaptive samples, adaptive tables"


@pytest.mark.soak
@pytest.mark.parametrize("what", count(QUICK.split(", "), [name for name, _ in runs()]))
def test_a_run_that_was_killed_goes_on_to_the_same_bits(what, tmp_path, monkeypatch):
    simulate = dict(runs())[what]
    plain = simulate()
    run, there = killed_now_and_then(simulate, tmp_path / "long.run", monkeypatch)
    assert there, "it was killed at least once"
    assert there == sorted(set(there)), "what was written stays"
    assert_same(plain, run)
    again = vv.load_trajectory(tmp_path / "long.run", system=run.system)
    assert again.q.tobytes() == plain.q.tobytes()
    assert_same(plain, simulate(record=tmp_path / "long"))  # finished: nothing is left to do


@pytest.mark.soak
@pytest.mark.parametrize("method", count(["radau"], ["radau", "lsoda", "scipy-dop853"]))
def test_methods_of_scipy_begin_anew_at_every_block(method, tmp_path, monkeypatch):
    """Whether or not they are interrupted; so a recorded run is a little other than a plain one."""

    def simulate(**how):
        law = None if method == "lsoda" else SMOOTH
        return ARM.simulate(Q, V, 0.5, method=method, rtol=1e-5, tau=law, **how)

    whole = simulate(record=tmp_path / "whole")
    run, _ = killed_now_and_then(simulate, tmp_path / "long.run", monkeypatch)
    assert len(Record.read(tmp_path / "whole.run")) > 1
    assert_same(whole, run)
    assert np.abs(simulate().q[-1] - run.q[-1]).max() < 1e-3


def test_a_stiff_run_is_given_to_radau_before_it_is_written(tmp_path, monkeypatch):
    def simulate(**how):
        return DAMPED.simulate([1.0, 1.0], V, 3.0, rtol=1e-5, **how)

    whole = simulate(record=tmp_path / "whole")
    assert whole.statistics["method"] == "radau"
    run, _ = killed_now_and_then(simulate, tmp_path / "long.run", monkeypatch)
    assert_same(whole, run)
    assert Record.read(tmp_path / "whole.run").state()["method"] == "radau"


@pytest.mark.soak
@pytest.mark.parametrize(
    ("start", "tau", "how"),
    [
        (Q, PID, {"dt": 1e-2}),
        (MANY, PID, {"method": "dop853"}),
        (MANY, None, {"method": "dop853"}),
        (Q, PID, {"method": "dop853"}),
        *count([], [(x, SMOOTH, how) for x in (Q, MANY) for how in ({"dt": 1e-2}, {})]),
        *count([], [(Q, None, {"method": "dop853"}), (MANY, None, {"dt": 1e-2})]),
    ],
)
def test_what_there_is_of_a_run_is_read_with_a_note(start, tau, how, tmp_path, monkeypatch):
    def simulate(**more):
        return ARM.simulate(start, V, 4.0, tau=tau, **how, **more)

    append = Record.append

    def killing(self, *block):
        append(self, *block)
        if len(self) == 3:
            raise Killed

    monkeypatch.setattr(Record, "append", killing)
    with pytest.raises(Killed):
        simulate(record=tmp_path / "long")
    part, whole = vv.load_trajectory(tmp_path / "long.run"), simulate()
    assert "the run is unfinished: this is its record until t = " in part.notes[0]
    assert 0 < part.t[-1] < 4.0
    inside = part.t[1:-1]
    near = 1e-12 if "dt" in how or start is Q else 1e-4  # cubics between steps of a batch
    assert np.abs(part.q[..., 1:-1, :] - whole.at(inside)[0]).max() < near
    assert (part.tau is None) == (tau is None)
    if tau is not None and start is Q:
        assert np.abs(part.tau[..., 1:-1, :] - whole.forces_at(inside)).max() < 100 * near
    assert np.isfinite(part.energy).all(), "the system is read from the header"


OTHER = {
    "q0": lambda **how: ARM.simulate([0.4, 0.0], V, 1.0, dt=0.01, tau=PID, **how),
    "v0": lambda **how: ARM.simulate(Q, [0.1, 0.0], 1.0, dt=0.01, tau=PID, **how),
    "t": lambda **how: ARM.simulate(Q, V, 2.0, dt=0.01, tau=PID, **how),
    "dt": lambda **how: ARM.simulate(Q, V, 1.0, dt=0.005, tau=PID, **how),
    "save": lambda **how: ARM.simulate(Q, V, 1.0, dt=0.01, save=2, tau=PID, **how),
    "method": lambda **how: ARM.simulate(Q, V, 1.0, dt=0.01, tau=PID, method="dopri5", **how),
    "tau": lambda **how: ARM.simulate(Q, V, 1.0, dt=0.01, tau=SMOOTH, **how),
    "parameters": lambda **how: ARM.simulate(
        Q, V, 1.0, dt=0.01, tau=PID, parameters={"m2": 2.0}, **how
    ),
    "motions": lambda **how: ARM.simulate([Q], V, 1.0, dt=0.01, tau=PID, **how),
    "system": lambda **how: ARM.with_friction(damping=0.1).simulate(
        Q, V, 1.0, dt=0.01, tau=PID, **how
    ),
    "rtol": lambda **how: ARM.simulate(Q, V, 1.0, tau=PID, **how),
}


def test_another_run_is_refused_by_what_differs(tmp_path):
    ARM.simulate(Q, V, 1.0, dt=0.01, tau=PID, record=tmp_path / "one")
    before = sorted(x.name for x in (tmp_path / "one.run").iterdir())
    for what, simulate in OTHER.items():
        with pytest.raises(ArgumentError) as refused:
            simulate(record=tmp_path / "one")
        expected = "dt" if what == "rtol" else what
        assert f"was begun with another header: '{expected}' is" in str(refused.value)
        assert sorted(x.name for x in (tmp_path / "one.run").iterdir()) == before


def test_a_gain_that_changed_is_another_controller(tmp_path):
    gain = 3.0

    def law(t, q, v):
        return -gain * q

    ARM.simulate(Q, V, 1.0, dt=0.01, tau=law, record=tmp_path / "one")
    ARM.simulate(Q, V, 1.0, dt=0.01, tau=lambda t, q, v: -3.0 * q, record=tmp_path / "one")
    gain = 3.5
    with pytest.raises(ArgumentError, match=r"'tau' is .*controller"):
        ARM.simulate(Q, V, 1.0, dt=0.01, tau=law, record=tmp_path / "one")


@pytest.mark.parametrize("period", [None, 0.1])
def test_a_law_that_only_python_knows_is_not_recorded(period, tmp_path):
    law = vv.Controller(lambda t, q, v: -np.asarray(q, dtype=float), period=period)
    with pytest.raises(ArgumentError, match=r"write it with vv\.generic"):
        ARM.simulate(Q, V, 1.0, tau=law, record=tmp_path / "one")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("path", "error", "said"),
    [
        ("run.xls", ArgumentError, ".nc, .csv, .npz"),
        ("nowhere/run", WriteError, "there is no folder"),
        (3, ArgumentError, "record= is a path, got int"),
    ],
)
def test_paths_that_make_no_record(path, error, said, tmp_path):
    with pytest.raises(error) as refused:
        ARM.simulate(Q, V, 1.0, record=tmp_path / path if isinstance(path, str) else path)
    assert said in str(refused.value)


@pytest.mark.soak
@pytest.mark.parametrize("suffix", count([".csv"], [".nc", ".csv", ".npz"]))
def test_the_file_that_was_asked_for_takes_the_place_of_the_record(suffix, tmp_path, monkeypatch):
    def simulate(**how):
        return ARM.simulate(MANY, V, 1.0, dt=0.01, tau=[1.0, 0.2], **how)

    file = tmp_path / f"long{suffix}"
    run, _ = killed_now_and_then_as_file(simulate, file, monkeypatch)
    assert [x.name for x in tmp_path.iterdir()] == [file.name]
    again = vv.load_trajectory(file)
    assert again.q.tobytes() == simulate().q.tobytes() == run.q.tobytes()


def killed_now_and_then_as_file(simulate, file, monkeypatch):
    """The same, where the record is a file at last."""
    folder = file.with_suffix(".run")
    append, killed = Record.append, []

    def killing(self, *block):
        append(self, *block)
        if len(self) in (2, 4) and len(self) not in killed:
            killed.append(len(self))
            raise Killed

    with monkeypatch.context() as m:
        m.setattr(Record, "append", killing)
        while True:
            try:
                return simulate(record=file), killed
            except Killed:
                assert folder.exists()
                assert not file.exists()


def test_ctrl_c_says_where_the_record_is(tmp_path, monkeypatch):
    append = Record.append

    def interrupted(self, *block):
        append(self, *block)
        if len(self) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Record, "append", interrupted)
    with pytest.raises(KeyboardInterrupt) as end:
        ARM.simulate(Q, V, 1.0, dt=1e-2, record=tmp_path / "one")
    assert "one.run has what was computed" in end.value.__notes__[0]


def test_what_ends_a_motion_is_said_again(tmp_path):
    """Its record is kept until then; to go on with it leads to the same end."""

    def simulate(**how):
        law = lambda t, q, v: [g.sqrt(0.7 - t), 0.0]  # noqa: E731
        with pytest.raises(MotionError) as end:
            ARM.simulate(Q, V, 1.0, tau=law, **how)
        return end.value

    for how in ({"method": "dop853"}, {"dt": 0.01}):
        path = tmp_path / f"one{len(how)}{'dt' in how}"
        plain, first, again = simulate(**how), simulate(**how, record=path), None
        again = simulate(**how, record=path)
        assert str(plain) == str(first) == str(again)
        for error in (first, again):
            assert error.trajectory.q.tobytes() == plain.trajectory.q.tobytes()


def test_a_damaged_state_costs_a_block(tmp_path, monkeypatch):
    def simulate(**how):
        return ARM.simulate(MANY, V, 1.0, dt=1e-2, **how)

    plain = simulate(record=tmp_path / "one")
    folder = tmp_path / "one.run"
    last, _ = sorted(folder.glob("state-*.npz"))[::-1]
    last.write_bytes(last.read_bytes()[:-30])
    assert_same(plain, simulate(record=tmp_path / "one"))
    for place in folder.glob("state-*.npz"):
        place.unlink()
    assert_same(plain, simulate(record=tmp_path / "one"))
    header = json.loads((folder / "header.json").read_text())
    (folder / "header.json").write_text(json.dumps({**header, "version": 99}))
    with pytest.raises(ReadError, match="not that of a record"):
        simulate(record=tmp_path / "one")


def test_memory_does_not_grow_with_the_steps(tmp_path):
    """What is kept of a block is gone with the next: the run has room for one."""
    rooms = []
    keep_every = recording.Running.keep_every

    def noted(self, period, saves, first=0):
        rooms.append(saves)
        keep_every(self, period, saves, first)

    recording.Running.keep_every = noted
    try:
        ARM.simulate(MANY, V, 1.0, dt=1e-2, record=tmp_path / "one")
    finally:
        recording.Running.keep_every = keep_every
    assert max(rooms) * MANY.size * 2 <= recording.NUMBERS + MANY.size * 4
