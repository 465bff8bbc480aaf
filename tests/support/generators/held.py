"""Systems of the catalog that are held, and states of theirs that the constraints admit."""

import numpy as np

import visviva as vv
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.equations.constraints import motion, rows
from visviva.equations.lagrange import evaluation

BODIES = {
    "four_bar": {},
    "slider_crank": {},
    "parallel_cranks": {},
    "five_bar": {},
    "n_four_bar": {"n": 3},
    "andrews": {},
    "stewart": {},
    "stewart SPS": {"legs": "SPS"},
    "delta": {},
    "bennett": {},
    "bricard": {},
    "spatial_slider_crank": {},
    "flyball_governor": {},
    "bird_leg": {},
    "bicycle": {},
}
ENERGIES = {
    "point_on_circle": {"constrained": True},
    "point_on_sphere": {},
    "bead_on_rotating_wire": {"constrained": True},
    "knife_edge": {},
    "knife_edge ahead": {"ahead": 0.2, "slope": 0.3},
    "chaplygin_sleigh": {},
    "rolling_disc": {},
    "unicycle": {},
    "differential_drive": {},
}


def held(key):
    """A system by its key in the tables above."""
    options = {**BODIES, **ENERGIES}[key]
    return vv.catalog.build(key.split()[0], **options).numeric


class Numbers:
    """Quantities of a system as plain numbers: the algorithms run on floats, nothing compiled."""

    def __init__(self, system):
        self.system = system
        self.home = evaluation if isinstance(system, Lagrangian) else rows

    def error(self, q):
        return np.asarray(self.home.constraint_error(self.system, q), dtype=float)

    def matrix(self, q):
        return np.asarray(self.home.constraint_matrix(self.system, q), dtype=float)

    def drift(self, q):
        return np.asarray(self.home.constraint_drift(self.system, q), dtype=float)

    def bias(self, q, v):
        return np.asarray(self.home.constraint_bias(self.system, q, v), dtype=float)

    def motion(self, name, *args):
        return np.asarray(getattr(motion, name)(self.system, *args), dtype=float)

    def stated(self, name, *args):
        """Of what constraints do not enter, from machine code, as it is tested elsewhere."""
        return getattr(self.system, name)(*args)


def admitted_basis(A):
    """Columns that span the motions which rows admit, and the pseudoinverse of the rows."""
    U, sizes, Vt = np.linalg.svd(A)
    rank = int((sizes > 1e-9 * max(sizes.max(initial=0.0), 1e-300)).sum())
    inverse = Vt[:rank].T / sizes[:rank] @ U[:, :rank].T
    return Vt[rank:].T, inverse


def closed(numbers, q, steps=30):
    """The position near q in which all rows hold, by Newton's steps of least norm."""
    for _ in range(steps):
        error = numbers.error(q)
        if np.abs(error).max(initial=0.0) < 1e-14:
            break
        A = numbers.matrix(q)[_position_rows(numbers.system)]
        q = numbers.system.integrate(q, -admitted_basis(A)[1] @ error)
    return q


def _position_rows(system):
    """Which of the rows are about positions."""
    if isinstance(system, Lagrangian):
        rates = [bool(x.free_symbols & {*system.names.v}) for x in system.constraints]
        return [i for i, rate in enumerate(rates) if not rate]
    joints = [x.joint for x in system.loops]
    kinds = [k for j in joints for k in [True] * j.position_rows + [False] * j.velocity_rows]
    return [i for i, position in enumerate(kinds) if position]


def state(key, seed, away=0.25):
    """q on the constraints, v that they admit, τ: a random state some way from the assembled."""
    system, rng = held(key), np.random.default_rng(seed)
    numbers = Numbers(system)
    if isinstance(system, Lagrangian):
        q = rng.normal(size=system.nq)
    else:
        q = np.array(system.keyframes["assembled"])
        N, _ = admitted_basis(numbers.matrix(q))
        step = N @ rng.normal(size=N.shape[1])
        q = system.integrate(q, away * step / max(np.abs(step).max(initial=0.0), 1e-300))
    q = closed(numbers, q)
    N, inverse = admitted_basis(numbers.matrix(q))
    v = N @ rng.normal(size=N.shape[1]) - inverse @ numbers.drift(q)
    return numbers, q, v, rng.normal(size=system.nv)
