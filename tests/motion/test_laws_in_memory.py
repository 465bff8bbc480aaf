"""What systems and folders keep of laws is never taken for another law's."""

import subprocess
import sys
import warnings
from dataclasses import replace

import pytest

from tests.support.counts import count, progress
from tests.support.generators.laws import moved, pair, system

HERE, APART = count(25, 10_000), count(2, 100)


@pytest.mark.soak
def test_a_motion_after_a_change_is_that_of_a_system_that_never_moved(monkeypatch):
    """Random laws and changes: with all memories, and with none, bit by bit."""
    kept, same = system(), 0
    for number in range(HERE):
        with warnings.catch_warnings(), pair(number) as (law, how, change):
            warnings.simplefilter("ignore")
            before = moved(kept, law, how)
            after = change(kept)
            again = moved(*after)
            with monkeypatch.context() as patch:
                patch.setenv("VISVIVA_CACHE", "off")
                edited, other, now = after
                alone = moved(without_memory(edited), other, now)
            assert again == alone, number
            same += before == again
        if not (number + 1) % 1000:
            progress(f"  {number + 1} laws and changes, {same} of which change nothing")
    assert 0 < same < HERE  # some changes only look like one


def without_memory(model):
    """The same system, that has neither functions nor integrators."""
    other = replace(model)
    assert not {"_functions", "_integrators"} & vars(other).keys()
    return other


@pytest.mark.soak
def test_so_it_is_in_a_process_of_its_own():
    """One that has run nothing else."""
    kept, here = system(), {}
    numbers = range(0, APART * 101, 101)
    for number in numbers:
        with warnings.catch_warnings(), pair(number) as (law, how, change):
            warnings.simplefilter("ignore")
            moved(kept, law, how)
            here[number] = moved(*change(kept))
    for number in numbers:
        run = [sys.executable, "-m", "tests.support.programs.law_alone", str(number)]
        said = subprocess.run(run, capture_output=True, text=True, check=True)
        assert said.stdout.split() == [str(number), here[number]]
