"""Long runs that are killed by the system, which asks nobody, and go on to the same bits."""

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import visviva as vv
from tests.motion.test_recorded_runs import assert_same
from tests.support.counts import SOAK, progress
from tests.support.programs import recorded_runs
from tests.support.programs.recorded_runs import RUNS
from tests.support.tools import importing
from visviva.motion.record import Record


@pytest.mark.soak
@pytest.mark.skipif(not SOAK, reason="each of its processes takes seconds: in the soak")
@pytest.mark.parametrize("name", list(RUNS))
def test_runs_that_are_killed_at_any_moment_go_on_to_the_same_bits(name, tmp_path):
    """By the system, which asks nobody: SIGKILL at fifty random moments.

    Lives that wrote nothing do not count: all fifty went on from what was there, and added to it.
    """
    kills, length = 50, 40
    rng, path = random.Random(name), tmp_path / "long"
    command = [sys.executable, str(Path(recorded_runs.__file__)), name, str(length), str(path)]
    plain = RUNS[name](length)
    folder, killed, before, idle = path.with_suffix(".run"), 0, 0, 0
    for k in range(4 * kills):
        process = subprocess.Popen(command, env=importing(), stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(rng.uniform(0, 0.8))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        blocks = len(Record.read(folder)) if (folder / "header.json").exists() else 0
        assert blocks >= before, "what was written stays"
        killed, idle = killed + (blocks > before), idle + (blocks == before)
        progress(f"  {name}: kill {k + 1}, {blocks - before} blocks more, {blocks} in all")
        before = blocks
        if killed == kills:
            break
        if (folder / "result.npz").exists():  # and another one begins
            assert_same(plain, RUNS[name](length, record=path))
            shutil.rmtree(folder)
            before = 0
    progress(f"  {name}: {killed} lives that wrote were killed, {idle} that wrote nothing")
    assert killed == kills
    subprocess.run(command, env=importing(), stdout=subprocess.PIPE, check=True)
    again = vv.load_trajectory(folder, system=plain.system)
    for x in ("t", "q", "v"):
        assert getattr(again, x).tobytes() == getattr(plain, x).tobytes()
    assert_same(plain, RUNS[name](length, record=path))
