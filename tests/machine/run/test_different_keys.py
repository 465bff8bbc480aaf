"""Ten thousand pairs that differ in one bit, name, type or closure have different keys."""

import itertools
import random
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
import sympy

from tests.support.counts import count, progress
from tests.support.generators.small_models import lifted, screw
from tests.support.oracles.oracle import mechanism
from visviva.describe.values import digest, digest_of


def leaves(x, path=()):
    """Places of every number of a system, by attribute and index."""
    if is_dataclass(x):
        for item in fields(x):
            if item.name not in ("limits", "visuals", "notes", "error", "base_visuals"):
                yield from leaves(getattr(x, item.name), (*path, item.name))
    elif isinstance(x, tuple):
        for k, item in enumerate(x):
            yield from leaves(item, (*path, k))
    elif isinstance(x, np.ndarray):
        for k in range(x.size):
            yield (*path, k), x.flat[k]
    elif type(x) is float:
        yield path, x


def flipped(x, path, bit):
    """A copy with one bit of one number turned over, checked by nobody."""
    if not path:
        bits = np.array([x]).view(np.uint64)
        return float((bits ^ np.uint64(1 << bit)).view(np.float64)[0])
    first, rest = path[0], path[1:]
    if is_dataclass(x):
        made = object.__new__(type(x))
        for item in fields(x):
            object.__setattr__(made, item.name, getattr(x, item.name))
        object.__setattr__(made, first, flipped(getattr(x, first), rest, bit))
        return made
    if isinstance(x, tuple):
        return (*x[:first], flipped(x[first], rest, bit), *x[first + 1 :])
    made = x.copy()
    made.flat[first] = flipped(x.flat[first], rest, bit)
    return made


def pairs_of_models(rng):
    for seed in itertools.count():
        model = mechanism(np.random.default_rng(seed), 1 + seed % 7)
        places = [path for path, x in leaves(model) if np.isfinite(x)]
        for _ in range(40):
            other = flipped(model, rng.choice(places), rng.randrange(52))
            yield "one bit", digest(model), digest(other)
        frames = [*model.frames]
        k = rng.randrange(len(frames))
        object.__setattr__(frames[k], "name", frames[k].name + rng.choice("aé_关"))
        yield (
            "name of a frame",
            digest(mechanism(np.random.default_rng(seed), 1 + seed % 7)),
            digest(model),
        )


def formula(rng, depth=4):
    """Some expression over x and parameters, with numbers of every kind."""
    x, a, b = sympy.symbols("x a b")
    if depth == 0 or rng.random() < 0.2:
        small, large = rng.randrange(1, 9), rng.randrange(1, 10**20)
        return rng.choice(
            [
                *(x, a, b, x, x, sympy.pi, sympy.E, sympy.Integer(small)),
                *(sympy.Rational(large, 7), sympy.Float(rng.random())),
                sympy.Float(rng.random(), rng.choice([15, 17, 40])),
            ]
        )
    one, two = formula(rng, depth - 1), formula(rng, depth - 1)
    function = rng.choice([sympy.sin, sympy.cos, sympy.exp])
    made = [(sympy.Add, one, two), (sympy.Mul, one, two), (function, one), (sympy.Pow, one, two)]
    kind, *parts = rng.choice(made)
    return kind(*parts, evaluate=False)  # SymPy would compute powers of large numbers for ever


def altered(rng, x):
    """The formula with one node made another: a bit, a name, a type."""
    nodes = list(sympy.preorder_traversal(x))
    node = rng.choice(nodes)
    if isinstance(node, sympy.Float):
        sign, mantissa, exponent, _ = node._mpf_
        other = sympy.Float((sign, int(mantissa) ^ 2, exponent, 0), precision=node._prec)
    elif isinstance(node, sympy.Rational):
        other = rng.choice([sympy.Float(node), node + sympy.Rational(1, 10**30)])
    elif isinstance(node, sympy.Symbol):
        other = rng.choice([sympy.Symbol(node.name + "1"), sympy.Symbol(node.name, real=True)])
    elif node in (sympy.pi, sympy.E):
        other = rng.choice([sympy.Symbol(str(node)), sympy.Float(node)])
    elif isinstance(node, sympy.sin):
        other = sympy.cos(*node.args, evaluate=False)
    elif isinstance(node, sympy.Add):
        other = sympy.Mul(*node.args, evaluate=False)
    else:
        other = sympy.Symbol("something else")
    return exchanged(x, node, other)


def exchanged(x, node, other):
    if x is node:
        return other
    return x.func(*(exchanged(a, node, other) for a in x.args), evaluate=False) if x.args else x


def pairs_of_formulas(rng):
    while True:
        x = formula(rng)
        for _ in range(5):
            yield "formula", digest_of(x), digest_of(altered(rng, x))


def pairs_of_requests(rng):
    while True:
        seed = rng.randrange(10**6)
        arm = mechanism(np.random.default_rng(seed), 3)
        asked = [
            *(arm.inverse_dynamics, arm.forward_dynamics, arm.mass_matrix),
            *(arm.jacobian(name) for name in arm.frame_names[:3]),
            *(arm.jacobian(arm.frame_names[0], reference=r) for r in ("body", "space")),
            arm.jacobian(arm.frame_names[0], point=(0.0, 0.0, 1e-300)),
            arm.function("inverse_dynamics", wrenches=[arm.frame_names[0]]),
            arm.function("inverse_dynamics", wrenches={arm.frame_names[0]: "world"}),
            arm.function("inverse_dynamics", parameters=["m_body0"]),
            arm.function("inverse_dynamics", inputs=["v", "q", "a"]),
            *(arm.inverse_dynamics.jacobian(x) for x in "qva"),
            *(arm.inverse_dynamics.jacobian(x).jacobian(y) for x in "qv" for y in "qv"),
            arm.inverse_dynamics.jacobian("q", "v"),
            arm.inverse_dynamics.jacobian("v", "q"),
        ]
        for f, g in itertools.combinations(asked, 2):
            yield "request", f._name, g._name


def pairs_of_closures(rng):
    while True:
        pitch = rng.uniform(0.5, 3.0)
        kinds = screw(pitch), screw(float(np.nextafter(pitch, 9)))
        yield "closure", *(lifted(kind).potential_energy._name for kind in kinds)


@pytest.mark.soak
def test_systems_that_differ_in_one_bit_name_type_or_closure_never_share_a_key():
    rng = random.Random(0)
    shares = [
        (pairs_of_models, count(160, 4000)),
        (pairs_of_formulas, count(300, 4500)),
        (pairs_of_requests, count(150, 1450)),
        (pairs_of_closures, count(2, 50)),
    ]
    for make, total in shares:
        for what, one, two in itertools.islice(make(rng), total):
            assert one is not None, what
            assert two is not None, what
            assert one != two, what
        progress(f"  {total} pairs, {make.__name__}")
