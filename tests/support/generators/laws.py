"""Laws of forces as users write them, and changes after which they are others, or look like it.

A law and its change are known by a number: another process makes the same.
"""

import hashlib
import math
import os
import struct
from contextlib import contextmanager
from functools import partial
from types import ModuleType, SimpleNamespace

import numpy as np

import visviva as vv

g = vv.generic
GAINS = ModuleType("gains")  # a module whose attributes change
GLOBAL = 1.0
SHAPES = ("q", "v", "sin", "cube", "t", "mixed")


def form(shape, k, t, q, v):
    """One formula with a number in it."""
    if shape == "q":
        return -k * q
    if shape == "v":
        return -k * v
    if shape == "sin":
        return g.sin(k * q) - v
    if shape == "cube":
        return -k * q**3
    if shape == "t":
        return k * g.cos(t) - q
    return -k * q - 0.5 * v + k


def of_closure(shape, k):
    return lambda t, q, v: form(shape, k, t, q, v)


def of_default(shape, k):
    return lambda t, q, v, k=k: form(shape, k, t, q, v)


def of_global(shape, k):
    globals()["GLOBAL"] = k
    return lambda t, q, v: form(shape, GLOBAL, t, q, v)


def of_helper(shape, k):
    globals()["HELPER"] = lambda t, q, v: form(shape, k, t, q, v)
    return lambda t, q, v: HELPER(t, q, v)  # noqa: F821


def of_module(shape, k):
    GAINS.gain = k
    return lambda t, q, v: form(shape, GAINS.gain, t, q, v)


def of_numpy(shape, k):
    np.gain_of_a_law = k
    return lambda t, q, v: form(shape, np.gain_of_a_law, t, q, v)


def of_environment(shape, k):
    os.environ["GAIN_OF_A_LAW"] = repr(float(k))
    return lambda t, q, v: form(shape, float(os.environ["GAIN_OF_A_LAW"]), t, q, v)


class Gain:
    """With its number on the object, on the class or as a property."""

    shared = 1.0

    def __init__(self, k=1.0, shape="q"):
        self.k, self.shape = k, shape

    @property
    def doubled(self):
        return 2.0 * self.k

    def method(self, t, q, v):
        return form(self.shape, self.k, t, q, v)

    def by_class(self, t, q, v):
        return form(self.shape, self.shared, t, q, v)

    def by_property(self, t, q, v):
        return form(self.shape, self.doubled, t, q, v)

    def __call__(self, t, q, v):
        return self.method(t, q, v)


def of_method(shape, k):
    return Gain(k, shape).method


def of_class(shape, k):
    return type("Other", (Gain,), {"shared": k})(shape=shape).by_class


def of_property(shape, k):
    return Gain(k, shape).by_property


def of_object(shape, k):
    return Gain(k, shape)


def of_partial(shape, k):
    return partial(form, shape, k)


def of_model(shape, k):
    other = vv.catalog.pendulum(n=1).with_gravity([0.0, -abs(float(k)) or 1.0, 0.0])
    return lambda t, q, v: other.gravity_forces(q) + form(shape, 1.0, t, q, v)


def of_function(shape, k):
    inner = vv.function(lambda x: k * x - x**2, {"x": 1})
    return lambda t, q, v: inner(q) - v


def of_text(shape, k):
    scope = {"g": g}
    exec(f"def law(t, q, v): return {float(k)!r} * g.sin(q) - v", scope)
    return scope["law"]


def of_memory(shape, k):
    return vv.Controller(
        lambda t, q, v, x: form(shape, k, t, q, v) - x,
        start=(0.1,),
        rate=lambda t, q, v, x: k * q - x,
    )


def of_period(shape, k):
    return vv.Controller(of_closure(shape, k), period=0.05 if k > 0 else 0.1)


MADE_ANEW = (of_closure, of_default, of_global, of_helper, of_module, of_numpy, of_environment,
             of_method, of_class, of_property, of_object, of_partial, of_model, of_function,
             of_text, of_memory, of_period)  # fmt: skip


def _list(shape, k):
    held = [k]
    return lambda t, q, v: form(shape, held[0], t, q, v), lambda x: held.__setitem__(0, x)


def _dict(shape, k):
    held = {"gain": k}
    return lambda t, q, v: form(shape, held["gain"], t, q, v), lambda x: held.update(gain=x)


def _array(shape, k):
    held = np.array([float(k)])
    return lambda t, q, v: form(shape, held, t, q, v), lambda x: held.fill(x)


def _attribute(shape, k):
    held = Gain(k, shape)
    return held.method, lambda x: setattr(held, "k", x)


def _namespace(shape, k):
    held = SimpleNamespace(inner=SimpleNamespace(gain=k))
    law = lambda t, q, v: form(shape, held.inner.gain, t, q, v)  # noqa: E731
    return law, lambda x: setattr(held.inner, "gain", x)


def _class_attribute(shape, k):
    kind = type("Other", (Gain,), {"shared": k})
    return kind(shape=shape).by_class, lambda x: setattr(kind, "shared", x)


def _replaced_method(shape, k):
    held = Gain(k, shape)
    held.method = of_closure(shape, k)
    return (
        lambda t, q, v: held.method(t, q, v),
        lambda x: setattr(held, "method", of_closure(shape, x)),
    )


def _defaults(shape, k):
    law = of_default(shape, k)
    return law, lambda x: setattr(law, "__defaults__", (x,))


def _code(shape, k):
    law = of_text(shape, k)
    return law, lambda x: setattr(law, "__code__", of_text(shape, x).__code__)


def _cell(shape, k):
    law = of_closure(shape, k)
    cell = dict(zip(law.__code__.co_freevars, law.__closure__, strict=True))["k"]
    return law, lambda x: setattr(cell, "cell_contents", x)


def _global(shape, k):
    return of_global(shape, k), lambda x: globals().__setitem__("GLOBAL", x)


def _module(shape, k):
    return of_module(shape, k), lambda x: setattr(GAINS, "gain", x)


def _controller(shape, k):
    held = [k]
    law = vv.Controller(lambda t, q, v: form(shape, held[0], t, q, v), period=0.05)
    return law, lambda x: held.__setitem__(0, x)


CHANGED_IN_PLACE = (_list, _dict, _array, _attribute, _namespace, _class_attribute,
                    _replaced_method, _defaults, _code, _cell, _global, _module,
                    _controller)  # fmt: skip


def _next_bit(k):
    bits = struct.unpack("<q", struct.pack("<d", float(k)))[0] ^ 1
    return struct.unpack("<d", struct.pack("<q", bits))[0]


OTHER_NUMBERS = (
    lambda k, rng: float(rng.normal()),
    lambda k, rng: -k,
    lambda k, rng: k,  # the same: it looks changed and is not
    lambda k, rng: _next_bit(k),
    lambda k, rng: 0.0,
    lambda k, rng: -0.0,
    lambda k, rng: int(k) or 1,
    lambda k, rng: float(int(k) or 1),
    lambda k, rng: math.nextafter(k, math.inf),
    lambda k, rng: np.float32(k),
)


def _edited(rng):
    """A system like the one that moved, or with another number."""
    x = float(rng.uniform(0.5, 2.0))
    edits = (
        lambda m: m,
        lambda m: m.with_gravity([0.0, -x, 0.0]),
        lambda m: m.with_parameters({m.parameter_names[0]: x}),
        lambda m: m.with_limits({m.joint_names[0]: (-x, x)}),
        lambda m: m.with_friction(damping=x),
        lambda m: m.with_friction(x) if rng.random() < 0.1 else m,
    )
    return edits[int(rng.integers(len(edits)))]


def _pick(rng, listed):
    return listed[int(rng.integers(len(listed)))]


def system():
    """What moves."""
    return vv.catalog.pendulum(n=1)


def moved(model, law, how):
    """What a motion was, in one text; or why there was none."""
    try:
        run = model.simulate([0.4], [0.1], 0.2, tau=law, **how)
    except vv.VisvivaError as error:
        return type(error).__name__
    parts = (run.t, run.q, run.v, run.tau)
    return hashlib.sha256(b"".join(np.asarray(x).tobytes() for x in parts)).hexdigest()


HOW = ({"dt": 0.01}, {"dt": 0.01, "method": "semi-implicit"}, {}, {"dt": 0.02})


@contextmanager
def pair(number):
    """(system, law, how) before a change, and a function that makes it and gives those after."""
    rng = np.random.default_rng(number)
    shape, k = _pick(rng, SHAPES), float(rng.choice([0.0, 1.0, 2.0, rng.normal()]))
    other = _pick(rng, OTHER_NUMBERS)(k, rng)
    how, edit = _pick(rng, HOW), _edited(rng)
    edits, changes_how = rng.random() < 0.3, rng.random() < 0.2
    in_place, again = rng.random() < 0.5, _pick(rng, HOW)
    if in_place:
        law, put = _pick(rng, CHANGED_IN_PLACE)(shape, k)
    else:
        make = _pick(rng, MADE_ANEW)
        law, put = make(shape, k), None
        if rng.random() < 0.3:
            make = _pick(rng, MADE_ANEW)

    def change(system):
        after = law
        if put is not None:
            put(other)
        else:
            after = make(shape, other)
        return (edit(system) if edits else system), after, (again if changes_how else how)

    try:
        yield law, how, change
    finally:
        for where, name in ((globals(), "HELPER"), (vars(np), "gain_of_a_law")):
            where.pop(name, None)
        os.environ.pop("GAIN_OF_A_LAW", None)
