"""Two ways to run a verb of a model, derivatives with 50 digits, and how far results are apart.

`Interpreted` calls the algorithms themselves on floats, `Compiled` the machine code made of them;
both answer the same questions. The derivatives are central differences of the algorithms at 50
digits: no formula for a derivative is used, and with steps of 1e-15 they are right to 1e-29.
"""

import json
from dataclasses import replace
from importlib import import_module

import mpmath
import numpy as np

from tests.support.generators.bodies import JOINTS, cloud_inertia, unit
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.model.body import Mimic, Spring
from visviva.machine.systems import stated_functions as functions
from visviva.space.rotations import quaternion_matrix

DIGITS = 50
STEP = mpmath.mpf("1e-15")
CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


class Interpreted:
    """The algorithms, on floats."""

    def __init__(self, model):
        self.model = model.numeric

    def __call__(self, name, *args):
        return floats(algorithm(self.model, name)(self.model, *args))

    def about(self, name, frame, *args, **options):
        stated = getattr(import_module("visviva.equations.frames.kinematics"), name)
        return floats(stated(self.model, frame, *args, **options))

    def derivatives(self, name, wanted, *args):
        return [floats(x) for x in derivative(self.model, name, wanted)(*args)]


class Compiled:
    """Machine code."""

    def __init__(self, model):
        self.model = model

    def __call__(self, name, *args):
        return self.model.function(name)(*args)

    def about(self, name, frame, *args, **options):
        return getattr(self.model, name)(frame, **options)(*args)

    def derivatives(self, name, wanted, *args):
        made = self.model.function(name).jacobian(*wanted)(*args)
        return [made] if len(wanted) == 1 else list(made)


def algorithm(model, name):
    """The function over any scalar that states a verb: f(model, q, ...)."""
    return named(getattr(functions(model)[name], model.stated))


def named(text):
    """What a row names, "dynamics:inverse_dynamics"."""
    module, _, attribute = text.partition(":")
    return getattr(import_module(f"visviva.equations.{module}"), attribute)


def derivative(model, name, wanted):
    """∂/∂wanted of a verb over any scalar: by the algorithm's own rule, or on the traced graph."""
    f = model.function(name)
    slope = functions(model)[name].slope_of(model.stated)
    known = named(slope)(model, wanted) if slope else None

    def run(*args):
        if known is not None:
            made = known(**dict(zip(f.inputs, args, strict=True)))
            return [made[f"d{functions(model)[name].symbol}_d{x}"] for x in wanted]
        made = f.jacobian(*wanted).interpret(*args)
        return [made] if len(wanted) == 1 else list(made)

    return run


def floats(x):
    return np.asarray(x, dtype=object).astype(float)


# ---- 50 digits


def precise(x):
    """The same numbers, as mpmath's."""
    made = np.empty(np.shape(x), dtype=object)
    made.flat = [mpmath.mpf(float(y)) for y in np.ravel(x)]
    return made


def value(f, *args):
    """f on mpmath's numbers."""
    with mpmath.workdps(DIGITS):
        made = f(*(precise(x) for x in args))
        return [floats(x) for x in made] if isinstance(made, list) else floats(made)


def exactly(model, name, *args):
    """A verb at 50 digits, the model's own numbers included."""
    with mpmath.workdps(DIGITS):
        exact = model.mapped(lambda x: mpmath.mpf(x) if isinstance(x, float) else x)
        return floats(algorithm(model, name)(exact, *(precise(x) for x in args)))


def slope(f):
    """d/dt f(t) at t = 0."""
    with mpmath.workdps(DIGITS):
        up, down = np.asarray(f(STEP), dtype=object), np.asarray(f(-STEP), dtype=object)
        return floats((up - down) / (2 * STEP))


def mixed_slope(f):
    """∂²/∂s∂t f(s, t) at s = t = 0."""
    with mpmath.workdps(DIGITS):
        h = mpmath.mpf("1e-12")
        corners = [np.asarray(f(x * h, y * h), dtype=object) * (x * y) for x, y in CORNERS]
        return floats(sum(corners) / (4 * h * h))


def along(model, f, q, direction):
    """d/dt f(q ⊕ t · direction): the derivative along a motion."""
    with mpmath.workdps(DIGITS):
        q, direction = precise(q), precise(direction)
        return slope(lambda t: f(model.integrate(q, direction * t)))


def jacobian(model, f, args, k):
    """∂f/∂args[k], by motions if k = 0: the last axis is that of the velocities or inputs."""
    with mpmath.workdps(DIGITS):
        x = [precise(y) for y in args]

        def moved(e, t):
            there = model.integrate(x[0], e * t) if k == 0 else x[k] + e * t
            return f(*x[:k], there, *x[k + 1 :])

        units = precise(np.eye(model.nv if k == 0 else len(x[k])))
        return np.stack([slope(lambda t, e=e: moved(e, t)) for e in units], axis=-1)


def lagrange_forces(model, kinetic, potential, q, v, a):
    """d/dt ∂L/∂ẋ - ∂L/∂x of L = K - V, in coordinates x about q: the position is q ⊕ x.

    At x = 0 the rates of x are v, and so forces are those along v, whatever velocities a joint has.
    The velocity at (x, ẋ) is itself a difference; with 80 digits both are right to 1e-20.
    """
    with mpmath.workdps(80):
        h, inner = mpmath.mpf("1e-15"), mpmath.mpf("1e-25")
        q, v, a = precise(q), precise(v), precise(a)

        def lagrangian(x, rates):
            there = model.integrate(q, x)
            sides = [model.integrate(q, x + rates * s) for s in (inner, -inner)]
            up, down = (model.difference(there, side) for side in sides)
            return kinetic(there, (up - down) / (2 * inner)) - potential(there)

        def rate_of_momentum(e):
            corners = 0
            for s in (1, -1):
                x, u = v * (s * h) + a * (h * h / 2), v + a * (s * h)
                corners += s * (lagrangian(x, u + e * h) - lagrangian(x, u - e * h))
            return corners / (4 * h * h)

        units = precise(np.eye(model.nv))
        slopes = [(lagrangian(e * h, v) - lagrangian(-e * h, v)) / (2 * h) for e in units]
        rates = [rate_of_momentum(e) for e in units]
        return floats([x - y for x, y in zip(rates, slopes, strict=True)])


# ---- comparing


def off(ours, theirs, floor=1e-6):
    """The largest difference, relative to the largest entry; nan and infinity are infinitely off.

    Where all entries should vanish, rounding leaves what it likes: below `floor` differences are
    relative to that.
    """
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    if not ours.size:
        return 0.0
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        return np.inf
    return float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), floor))


class Tally:
    """What one test compared; `note` hands it to the session, which adds all of them up."""

    def __init__(self):
        self.failures = []
        self.functions = {}  # how often each was compared
        self.largest = 0.0
        self.states = 0
        self.decided = 0  # by 50 digits

    def compare(self, name, ours, theirs, tolerance, floor=1e-6, truth=None):
        """Count a comparison, and keep the failure if it is one.

        `truth` gives the result at 50 digits: it decides where the two are too far apart.
        """
        error = off(ours, theirs, floor)
        if error > tolerance and truth is not None:
            exact = truth()
            if off(theirs, exact, floor) > tolerance:
                self.decided += 1
                error = off(ours, exact, floor)
        self.functions[name] = self.functions.get(name, 0) + 1
        self.largest = max(self.largest, error)
        if not error <= tolerance:
            self.failures.append(f"{name}: {error:.2e} > {tolerance:.1e}")

    def note(self, record_property, group, **more):
        """What the session's summary shows: see `pytest_terminal_summary` in conftest."""
        counts = {"states": self.states, "comparisons": sum(self.functions.values()), **more}
        named = {"group": group, "counts": counts, "functions": sorted(self.functions)}
        record_property("compared", json.dumps({**named, "largest": self.largest}))


# ---- random mechanisms

MOVING = tuple(k for k in JOINTS if k != "fixed")
COORDINATES = tuple(k for k in MOVING if JOINTS[k].coordinates == JOINTS[k].velocities)


def mechanism(rng, size, kinds=MOVING, losses=True, springs=True):
    """A random tree with rotors, coupled joints, springs and friction, and a frame on each body.

    Every body is a cloud of four points, so that the mass matrix is positive definite.
    """
    b = Builder("mechanism", gravity=rng.normal(size=3) * 5)
    names, sources = [""], []
    for i in range(size):
        kind, mimic = str(rng.choice(kinds)), None
        if sources and rng.random() < 0.3:
            source, size_of_it = sources[rng.integers(len(sources))]
            kind = str(rng.choice([k for k in COORDINATES if JOINTS[k].nv == size_of_it]))
            mimic = Mimic(source, rng.choice([-1, 1]) * rng.uniform(0.3, 2.0), rng.normal())
        elif kind in COORDINATES:
            sources.append((f"joint{i}", JOINTS[kind].nv))
        joint = JOINTS[kind]
        some = {k: rng.uniform(0, 1, joint.nv) * rng.integers(2) for k in PER_VELOCITY}
        if not losses:
            some = {"armature": some["armature"]}
        cloud = [(rng.uniform(0.1, 2.0), rng.normal(size=3)) for _ in range(4)]
        b.body(
            f"body{i}",
            parent=str(rng.choice(names[-3:])),
            joint=joint,
            joint_name=f"joint{i}",
            inertia=Inertia(*cloud_inertia(cloud)),
            at=rng.normal(size=3),
            rotation=quaternion_matrix(unit(rng.normal(size=4))),
            mimic=mimic,
            **some,
        )
        names.append(f"body{i}")
        turn = quaternion_matrix(unit(rng.normal(size=4)))
        b.frame(f"frame{i}", body=f"body{i}", at=rng.normal(size=3), rotation=turn)
    model = b.frame("floor", at=rng.normal(size=3)).build()
    return replace(model, springs=tuple(_springs(rng, model, losses))) if springs else model


PER_VELOCITY = ("armature", "damping", "friction")


def _springs(rng, model, losses):
    """One on a joint, if there is one of a single coordinate, and one between two frames."""
    single = [b.joint_name for b in model.bodies if b.joint.nv == 1]
    damping = rng.uniform(0, 1) if losses else 0.0
    if single:
        on = str(rng.choice(single))
        yield Spring("coil", rng.uniform(1, 9), rng.normal(), damping, joint=on)
    ends = tuple(map(str, rng.choice(model.frame_names, 2, replace=False)))
    points = tuple(rng.normal(size=(2, 3)))
    yield Spring("rope", rng.uniform(1, 9), rng.uniform(0, 2), damping, frames=ends, points=points)


def expanded(model):
    """The model with coupled joints set free, and G: its velocities are G v."""
    bodies = tuple(replace(b, mimic=None) for b in model.bodies)
    free = replace(model, bodies=bodies)
    G = np.zeros((free.nv, model.nv))
    for i, b in enumerate(model.bodies):
        ratio = 1.0 if b.mimic is None else b.mimic.multiplier
        G[free.v_index[i], model.v_index[i]] = np.eye(b.joint.nv) * ratio
    return free, G


def expanded_q(model, free, q):
    """The position of all joints of the expanded model."""
    return free.q({b.joint_name: model.local(i, q) for i, b in enumerate(model.bodies)})


def random_state(rng, model):
    """q, v, and a third vector: accelerations or forces."""
    return model.random(rng), *rng.normal(size=(2, model.nv))
