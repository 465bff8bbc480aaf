"""Frozen values: one walk over their numbers, for looking and for putting others in."""

import pickle
from dataclasses import dataclass, field, fields
from types import MappingProxyType

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.mechanism_files import everything
from visviva.algebra.arrays import frozen
from visviva.algebra.expr import Expr
from visviva.describe.model.body import Mimic
from visviva.describe.model.model import Model
from visviva.describe.values import PLAIN, Derived, Value, leaves, mapped, reduced


@dataclass(frozen=True, eq=False)
class Inner(Value):
    a: object
    b: object = 2.0


@dataclass(frozen=True, eq=False)
class Outer(Value):
    name: str
    inner: Inner
    many: tuple
    matrix: np.ndarray
    count: int = field(default=3, metadata=PLAIN)
    maybe: object = None
    on: bool = True


def value():
    return Outer("x", Inner(1.0), (Inner(3.0, 4), 5.0), frozen([[6.0, 7.0]]))


def test_leaves_are_the_numbers_in_order():
    assert list(leaves(value())) == [1.0, 2.0, 3.0, 4, 5.0, 6.0, 7.0]


def test_mapped_asks_for_the_leaves_and_keeps_the_rest():
    asked = []

    def doubled(x):
        asked.append(x)
        return 2 * x

    other = value().mapped(doubled)
    assert asked == list(leaves(value()))
    assert list(leaves(other)) == [2 * x for x in asked]
    assert (other.name, other.count, other.maybe, other.on) == ("x", 3, None, True)
    assert other.matrix.shape == (1, 2)
    assert other.matrix.dtype == float


def test_a_value_that_is_no_class_of_ours():
    assert mapped(lambda x: -x, (1.0, Mimic("joint", 2.0))) == (-1.0, Mimic("joint", -2.0, -0.0))
    assert mapped(lambda x: x + 1, 1.0) == 2.0
    assert mapped(lambda x: x + 1, np.zeros((0,))).shape == (0,)


def test_every_number_of_a_model_is_reached_once():
    """A model with one of each thing: numbers of all classes, and none that is no number of it."""
    model = everything()
    reached = []
    again = model.mapped(lambda x: (reached.append(x), x)[1])
    for x, y, z in zip(leaves(model), reached, leaves(again), strict=True):
        assert x is y is z if isinstance(x, Expr) else x == y == pytest.approx(z, rel=1e-15)
    bodies = len(model.bodies) * (12 + 1 + 3 + 9)  # placement, mass, centre, tensor
    joints = sum(np.size(getattr(b.joint, k.name)) for b in model.bodies for k in fields(b.joint))
    losses = 5 * sum(b.joint.nv for b in model.bodies)
    more = 12 * len(model.frames) + 3 + 13 + 2  # frames, gravity, the base's inertia, a coupling
    pictures = 12 * (sum(len(b.visuals) for b in model.bodies) + len(model.base_visuals))
    assert len(reached) == bodies + pictures + joints + losses + more


def test_nobody_is_built_to_be_looked_at(monkeypatch):
    arm = vv.catalog.two_link()
    symbolic, numeric = arm, arm.numeric
    monkeypatch.setattr(Model, "__post_init__", lambda self: pytest.fail("a model was built"))
    assert symbolic.is_symbolic
    assert not numeric.is_symbolic
    assert any(isinstance(x, Expr) for x in leaves(symbolic))


def test_derived_things_are_made_once_and_shared():
    made = []
    derived = Derived("origin")
    for _ in range(2):
        assert derived.once("key", lambda x: (made.append(x), x.upper())[1]) == "ORIGIN"
    assert made == ["origin"]


def test_what_differs_in_values_only_shares_what_is_derived():
    pendulum = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters={"m": 2.0, "k": 3.0})
    other = pendulum.over({"k": 5.0})
    assert other.derived is pendulum.derived
    assert other.derived.origin is pendulum
    assert pendulum.with_parameters(k=5.0).derived is not pendulum.derived


def test_reduced_is_what_pickle_makes_it_of():
    kind, values = reduced(vv.catalog.two_link())
    assert kind is Model
    assert not any(isinstance(x, MappingProxyType) for x in values)
    again = pickle.loads(pickle.dumps(vv.catalog.two_link()))
    assert again.parameters == vv.catalog.two_link().parameters
