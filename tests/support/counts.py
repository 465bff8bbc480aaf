"""How many examples: few in `make test`, many in `make soak`."""

import os
from collections import Counter

from hypothesis import settings

SOAK = bool(os.environ.get("VISVIVA_SOAK"))


def count(quick, full):
    return full if SOAK else quick


def examples(quick, full):
    """A hypothesis setting with that many examples."""
    return settings(max_examples=count(quick, full))


_calls = Counter()


def tick(name, every=5_000):
    """Count an example, and say so now and then."""
    _calls[name] += 1
    if _calls[name] % every == 0:
        progress(f"  {_calls[name]} examples of {name}")


def progress(text):
    if SOAK:
        print(text, flush=True)
