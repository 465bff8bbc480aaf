"""A random mechanism with a state, and what it means to agree with a law.

Errors are relative to the largest entry of what is compared; 1e-12 unless a comment says why not.
"""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tests.support.oracles.oracle import Interpreted, algorithm, mechanism, off, random_state
from visviva.describe.bodies.inertia import Inertia

TOLERANCE = 1e-12
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 7)


def agree(ours, theirs, tolerance=TOLERANCE, scale=0.0):
    """Equal, relative to the largest entry; `scale` is the size of what cancels in them."""
    theirs = np.asarray(theirs, dtype=float)
    largest = max(np.abs(theirs).max(initial=0.0), 1e-6)
    error = off(ours, theirs) * largest / max(largest, scale)
    assert error <= tolerance, (error, ours, theirs)


def some(seed, size, **options):
    """A random mechanism, its algorithms on floats, and a state."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, **options)
    return model, Interpreted(model), random_state(rng, model)


def stated(model, name):
    """A verb over any scalar."""
    return lambda *args: algorithm(model, name)(model, *args)


def condition(M):
    w = np.linalg.eigvalsh(M)
    return w[-1] / w[0]


def changed(model, name, step):
    """The model with one number of a body moved."""
    kind, _, body = name.partition("_")
    i = model.body_index(body)
    old = model.bodies[i].inertia
    mass, com, tensor = old.mass, old.com.copy(), old.tensor.copy()
    if kind == "m":
        mass = mass + step
    elif kind[0] == "c":
        com["xyz".index(kind[1])] += step
    else:
        r, c = ("xyz".index(x) for x in kind[1:])
        tensor[r, c] = tensor[c, r] = tensor[r, c] + step
    inertia = Inertia(mass, com, tensor, checked=False)
    bodies = list(model.bodies)
    bodies[i] = replace(bodies[i], inertia=inertia)
    return replace(model, bodies=tuple(bodies))
