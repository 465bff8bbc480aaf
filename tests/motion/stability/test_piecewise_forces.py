"""Where random systems with piecewise and flat forces rest: no claim is false by their own forces.

What is claimed is compared with accelerations on a grid that has round numbers, and far away; in
one coordinate also with where forces change sign between two points of it.
"""

import itertools
import warnings

import numpy as np

from tests.support.generators.piecewise import NUMBERS, piecewise
from visviva.motion.stability.theorems import Status
from visviva.numerics.evidence import Enclosed, Proved

POINTS = {1: 6001, 2: 301, 3: 49}  # of an axis of the grid
NEAR, SLACK = 2e-6, 1e-8  # how far off a position that is listed, and a box, may be
FAR = np.array([-1e8, -1e4, -30.0, 30.0, 1e4, 1e8])


def accelerations(system, q):
    return np.asarray(system.forward_dynamics(q, 0 * q, 0 * q)).reshape(q.shape)


def grid(case):
    axis = np.concatenate([np.linspace(-3, 3, POINTS[len(case.coordinates)]), NUMBERS])
    axis = axis if case.within else np.concatenate([axis, FAR])
    axis = np.unique(axis)
    return np.array([*itertools.product(axis, repeat=len(case.coordinates))])


def changes_of_sign(system, q, a):
    """Where forces change sign between neighbours: by halving, both ends (k, 2)."""
    k = np.flatnonzero(a[:-1] * a[1:] < 0)
    low, high = q[k], q[k + 1]
    side = np.sign(a[k])
    for _ in range(80):
        middle = low / 2 + high / 2
        left = np.sign(accelerations(system, middle[:, None])[:, 0]) == side
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    return np.stack([low, high], axis=1)


class Claims:
    """What `equilibria` says of a system, and which of it is false."""

    def __init__(self, case):
        self.case, self.system = case, case.system
        self.found = self.system.equilibria(within=case.within)
        self.n = len(case.coordinates)
        self.free = np.isin(case.coordinates, self.found.anywhere)
        self.unknown = self.found.forces.unknown
        known = self.found.complete
        self.boxes = known.boxes if isinstance(known, Enclosed) else np.zeros((0, 2, 0))
        self.is_certain = isinstance(known, (Proved, Enclosed))

    def covers(self, places):
        """Which places are listed, or within what is stated."""
        covered = np.zeros(len(places), dtype=bool)
        for q in self.found.q:
            covered |= (np.abs(places - q)[:, ~self.free] <= NEAR).all(axis=1)
        for low, high in self.boxes:
            part = places[:, self.unknown]
            covered |= ((part >= low - SLACK) & (part <= high + SLACK)).all(axis=1)
        return covered

    def false(self):
        """Claims that are false, in words."""
        places = grid(self.case)
        a = accelerations(self.system, places)
        rests = (a == 0).all(axis=1)
        yield from self.rests_left_out(places, a, rests)
        yield from self.moving_anywhere()
        for rest, verdict in zip(self.found.rests, self.found.verdicts, strict=True):
            yield from self.moving(rest)
            yield from self.false_verdict(rest, verdict)

    def rests_left_out(self, places, a, rests):
        if not self.is_certain:
            return
        covered = self.covers(places[rests])
        yield from (f"rests at {q}" for q in places[rests][~covered][:1])
        if self.n == 1:
            ends = changes_of_sign(self.system, places[:, 0], a[:, 0])
            force = np.abs([accelerations(self.system, x[:, None])[:, 0] for x in ends.T]).min(
                axis=0
            )
            zero = ends[force < 1e-9 * (1 + np.abs(ends).max(axis=1))].mean(axis=1)
            yield from (f"rests at {q}" for q in zero[~self.covers(zero[:, None])][:1])

    def moving_anywhere(self):
        """Of coordinates of which any value will do."""
        rng = np.random.default_rng(0)
        for q in self.found.q if self.free.any() else ():
            places = np.tile(q, (1000, 1))
            places[:, self.free] = rng.choice([*NUMBERS, *rng.uniform(-9, 9, 99), *FAR], (1000, 1))
            if np.abs(accelerations(self.system, places)).max() > 1e-9:
                yield f"any value will do, and it moves near {q}"

    def moving(self, rest):
        if not isinstance(rest.exists, Proved):
            return
        a = np.abs(accelerations(self.system, rest.q[None])).max()
        if not a < 1e-7:
            yield f"rests at {rest.q}, proved, and accelerates by {a}"
        if rest.fills:
            low, high = np.clip(rest.around, -1e3, 1e3)
            places = np.tile(rest.q, (2000, 1))
            share = np.random.default_rng(0).uniform(size=(2000, len(low)))
            places[:, self.unknown] = low + share.round(3) * (high - low)
            if (accelerations(self.system, places) != 0).any():
                yield f"rests in all of {rest.around.tolist()}"

    def false_verdict(self, rest, verdict):
        """In one coordinate: forces that push back on both sides hold it, else it is unstable."""
        status = verdict.status
        if status is Status.DECAYS:
            yield "motions decay without damping"
        if self.n > 1 or rest.fills or self.free.any() or status is Status.UNDECIDED:
            return
        near = np.array([1e-5, 1e-4, 1e-3])
        right, left = (accelerations(self.system, rest.q + s * near[:, None]) for s in (1, -1))
        is_held = (right < 0).all() and (left > 0).all()
        if is_held != (status is Status.STABLE):
            yield f"{rest.q} is {status}"


def look(seed, k, size=None):
    """The evidence of a case; none of its claims is false."""
    case = piecewise(seed, k, size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        claims = Claims(case)
        false = [*claims.false()]
    assert not false, (false, case, claims.found.why)
    return type(claims.found.complete).__name__
