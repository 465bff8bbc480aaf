"""How many examples: few in `make test`, many in `make soak`; and seconds, in the soak only."""

import os
import time
from collections import Counter
from contextlib import contextmanager

import pytest
from hypothesis import settings

SOAK = bool(os.environ.get("VISVIVA_SOAK"))


def count(quick, full):
    return full if SOAK else quick


def examples(quick, full):
    """A hypothesis setting with that many examples; it marks the test for the soak."""
    chosen = settings(max_examples=count(quick, full))
    return lambda test: pytest.mark.soak(chosen(test))


@contextmanager
def within(seconds):
    """In the soak, where nothing else runs, the block may not take longer.

    `make test` may run on any machine, beside anything: there no time is measured, and what runs
    away is seen by its never ending.
    """
    start = time.perf_counter()
    yield
    taken = time.perf_counter() - start
    assert not SOAK or taken < seconds, f"{taken:.2f} s, where {seconds} s were expected"


_calls = Counter()


def tick(name, every=5_000):
    """Count an example, and say so now and then."""
    _calls[name] += 1
    if _calls[name] % every == 0:
        progress(f"  {_calls[name]} examples of {name}")


def progress(text):
    if SOAK:
        print(text, flush=True)
