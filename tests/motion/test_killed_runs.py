"""Long runs that are killed by the system, which asks nobody, and go on to the same bits."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from subprocess import PIPE

import pytest

import visviva as vv
from tests.motion.test_recorded_runs import assert_same
from tests.support.counts import SOAK, progress
from tests.support.programs import recorded_runs
from tests.support.programs.recorded_runs import RUNS
from tests.support.tools import importing
from visviva.motion.record import Record


class Lives:
    """Processes that go on with one run, one after the other, until they are killed."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            [*command, "several"], env=importing(), stdin=PIPE, stdout=PIPE, text=True, bufsize=1
        )

    def one(self, until):
        """A life that is killed as soon as `until` returns; whether it was, or ended before."""
        self.process.stdin.write("live\n")
        pid = int(self.process.stdout.readline())
        until()
        os.kill(pid, signal.SIGKILL)  # one that has ended is still there: nobody has waited for it
        self.process.stdin.write("dead\n")
        code = int(self.process.stdout.readline())
        assert code in (0, -signal.SIGKILL)
        return code != 0

    def end(self):
        self.process.stdin.close()
        assert self.process.wait() == 0
        self.process.stdout.close()


@pytest.mark.soak
@pytest.mark.skipif(not SOAK, reason="hundreds of processes: in the soak")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
@pytest.mark.parametrize("name", list(RUNS))
def test_runs_that_are_killed_at_any_moment_go_on_to_the_same_bits(name, tmp_path):
    """By the system, which asks nobody: SIGKILL at fifty random moments.

    Lives that wrote nothing do not count: all fifty went on from what was there, and added to it.
    """
    kills, length = 50, 40
    rng, path = random.Random(name), tmp_path / "long"
    command = [sys.executable, str(Path(recorded_runs.__file__)), name, str(length), str(path)]
    plain = RUNS[name](length)
    folder, killed, idle, finished, before = path.with_suffix(".run"), 0, 0, 0, 0
    lives = Lives(command)
    while killed < kills and idle < kills:
        more = rng.randrange(8)

        def until(more=more, before=before):
            end = time.monotonic() + 600  # of one that failed
            while len(list(folder.glob("block-*.npy"))) < before + more:
                if (folder / "result.npz").exists() or time.monotonic() > end:
                    break
                time.sleep(1e-3)
            time.sleep(rng.choice([0.0, rng.uniform(0, 0.01), rng.uniform(0, 0.1)]))

        was_killed = lives.one(until)
        blocks = len(Record.read(folder)) if (folder / "header.json").exists() else 0
        assert blocks >= before, "what was written stays"
        assert was_killed or (folder / "result.npz").exists()
        killed += was_killed and blocks > before
        idle += was_killed and blocks == before
        before = blocks
        if (folder / "result.npz").exists():  # it came to its end, and another one begins
            assert_same(plain, RUNS[name](length, record=path))
            shutil.rmtree(folder)
            finished, before = finished + 1, 0
    lives.end()
    progress(
        f"  {name}: {killed} lives that wrote were killed, {idle} that wrote nothing; {finished} "
        f"runs came to their end meanwhile; {before} blocks of the last"
    )
    assert killed == kills
    subprocess.run(command, env=importing(), check=True)  # the last is a process of its own
    again = vv.load_trajectory(folder, system=plain.system)
    for x in ("t", "q", "v"):
        assert getattr(again, x).tobytes() == getattr(plain, x).tobytes()
    assert_same(plain, RUNS[name](length, record=path))
