"""Small systems and the verbs that neighbours are tried with: with and without quaternions."""

from functools import cache

import numpy as np

import visviva as vv

SYSTEMS = {"double pendulum": lambda: vv.catalog.pendulum(2), "tumbler": vv.catalog.tumbling_body}
VERBS = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "kinetic_energy", "step", "pose")


@cache
def system(name):
    return SYSTEMS[name]()


def function(name, verb):
    s = system(name)
    return s.pose(s.frame_names[-1]) if verb == "pose" else getattr(s, verb)


def state(name, f, batch=(), seed=0):
    """Arguments of a verb: positions of the system, anything for the rest, a short step."""
    s, rng = system(name), np.random.default_rng(seed)
    positions = [s.random(rng=rng) for _ in range(int(np.prod(batch)))]
    known = {"q": np.reshape(positions, (*batch, s.nq)), "dt": np.full(batch, 0.01)}
    return [known.get(k, rng.normal(size=(*batch, *shape))) for k, shape in f.inputs.items()]
