"""How many examples: few in `make test`, many in `make soak`."""

import os

from hypothesis import settings

SOAK = bool(os.environ.get("VISVIVA_SOAK"))


def count(quick, full):
    return full if SOAK else quick


def examples(quick, full):
    """A hypothesis setting with that many examples."""
    return settings(max_examples=count(quick, full))


def progress(text):
    if SOAK:
        print(text, flush=True)
