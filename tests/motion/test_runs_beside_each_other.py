"""Runs beside each other, behind each other, and in passes of a stage each: none sees another."""

import threading

import numpy as np
import pytest

import visviva as vv
from tests.motion.test_recorded_runs import assert_same, killed_now_and_then
from tests.support.counts import count
from tests.support.oracles.robots import robot
from tests.support.programs.recorded_runs import PID, shorter_blocks
from visviva.machine.run.passes import Running
from visviva.motion.simulation import integrate, recording, stiff

Q, V = [0.3, 0.0], [0.0, 0.0]
MANY = np.random.default_rng(3).uniform(-1, 1, (9, 2))


def states(run):
    """All numbers of a run, and some between its steps."""
    times = np.linspace(run.t[0], run.t[-1], 23)
    return [run.t, run.q, run.v, *run.at(times), run.forces_at(times)]


def test_a_later_run_leaves_earlier_ones_as_they_are():
    """Memory of adaptive runs is used again, and what was handed out is not part of it."""
    arm, runs, before = vv.catalog.two_link(), [], []
    tau = np.array([1.0, 0.2])
    for k in range(6):
        start = [MANY, Q, MANY[:3]][k % 3]
        runs.append(arm.simulate(np.add(start, 0.1 * k), V, 0.5, tau=tau))
        before.append([x.copy() for x in states(runs[-1])])
        tau += 0.3  # nor are the arrays that were given
    for run, own in zip(runs, before, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(states(run), own, strict=True))


@pytest.mark.spread(0)
@pytest.mark.parametrize("is_recorded", [False, True])
def test_threads_simulate_one_system_at_once(is_recorded, tmp_path):
    arm = vv.catalog.two_link()
    jobs = [
        (start, how)
        for start in (Q, [1.2, -0.4], MANY, MANY[:4])
        for how in ({}, {"dt": 0.01}, {"tau": PID})
    ]
    wanted = [states(arm.simulate(start, V, 0.5, **how)) for start, how in jobs]
    wrong, begin = [], threading.Barrier(4)

    def work(own):
        begin.wait()
        for turn in range(count(2, 20)):
            for k in np.random.default_rng([own, turn]).permutation(len(jobs)):
                start, how = jobs[k]
                more = {"record": tmp_path / f"{own} {turn} {k}"} if is_recorded else {}
                got = states(arm.simulate(start, V, 0.5, **how, **more))
                if not all(np.array_equal(x, y) for x, y in zip(got, wanted[k], strict=True)):
                    wrong.append((own, turn, k))

    threads = [threading.Thread(target=work, args=(own,)) for own in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def staged(name):
    """A run whose adaptive steps are a pass for each stage."""
    if name == "arm":
        arm = vv.catalog.two_link()
        return lambda **how: arm.simulate(MANY, V, 0.5, **how)
    model = vv.load(robot(f"{name}.urdf"), base="fixed" if name == "ur5_robot" else "free")
    rng = np.random.default_rng(1)
    q = np.stack([model.random(rng) for _ in range(3)])
    v = rng.normal(size=(3, model.nv))
    return lambda **how: model.simulate(q, v, 0.1, rtol=1e-7, **how)


@pytest.mark.soak
@pytest.mark.parametrize("name", count(["arm"], ["arm", "ur5_robot", "solo12"]))
def test_runs_that_are_killed_between_two_stages_of_a_step(name, tmp_path, monkeypatch):
    for module, names in ((recording, ("PAUSE", "FIRST", "NUMBERS")), (integrate, ("WAITING",))):
        for known in names:
            monkeypatch.setattr(module, known, getattr(module, known))
    monkeypatch.setattr(stiff, "STEPS_OF_A_BLOCK", 32)
    monkeypatch.setattr(integrate, "STAGED", 1)
    simulate = staged(name)
    plain, advance, inside = simulate(), Running.advance, []

    def seven_passes(self, last, threads=1):
        if not self.flagged:
            return advance(self, last, threads)
        assert self.cycle == 12, "a pass is a stage"
        advance(self, min(last, int(self.tile_pass.max()) + 7), threads)
        inside.append(bool((self.tile_pass % 12).any()))
        return None

    shorter_blocks(0)  # a block whenever there are steps
    monkeypatch.setattr(Running, "advance", seven_passes)
    run, there = killed_now_and_then(simulate, tmp_path / "long.run", monkeypatch)
    assert len(there) == 3
    assert any(inside)
    monkeypatch.setattr(Running, "advance", advance)
    assert_same(plain, run)
