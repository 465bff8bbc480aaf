"""The mechanisms of the catalogue, built once in a process: they are frozen values."""

import inspect
from functools import cache

import visviva as vv

NAMES = vv.catalog.names()
# what each one is, without building it
KINDS = {n: inspect.signature(getattr(vv.catalog, n)).return_annotation for n in NAMES}
MODELS = [name for name, kind in KINDS.items() if kind == "Model"]
LAGRANGIANS = [name for name, kind in KINDS.items() if kind == "Lagrangian"]
assert {*MODELS, *LAGRANGIANS} == {*NAMES}


@cache
def built(name):
    """A mechanism with its own numbers."""
    system = vv.catalog.build(name)
    assert type(system).__name__ == KINDS[name]
    return system
