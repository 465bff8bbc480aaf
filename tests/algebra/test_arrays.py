"""Arrays of any scalar: made, frozen, looked at."""

import pickle
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
import sympy

from visviva.algebra.arrays import Frozen, each, frozen, is_exactly, is_numeric, is_zero, vector
from visviva.algebra.expr import Graph


def test_each_keeps_the_shape():
    for x in (3.0, [1.0, 2.0], [[1.0], [2.0]], np.zeros((0, 3))):
        doubled = each(lambda e: 2 * e, x)
        assert doubled.dtype == object
        assert doubled.shape == np.shape(x)
        assert np.array_equal(doubled.astype(float), 2 * np.asarray(x))


def test_each_holds_what_numpy_would_unpack():
    assert each(lambda e: (e, e), [1, 2]).tolist() == [(1, 1), (2, 2)]


def test_a_vector_of_numbers_is_of_floats_and_others_stay():
    assert vector([1, 2]).dtype == float
    assert vector([Fraction(1, 3), 2]).dtype == object


def test_frozen_arrays_are_copies_nobody_can_change():
    given = np.array([1.0, 2.0])
    held = frozen(given)
    given[0] = 5.0
    assert held.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        held[0] = 3.0
    assert frozen(held) is held


@dataclass(frozen=True)
class Place(Frozen):
    at: np.ndarray
    others: tuple


def test_frozen_values_are_frozen_where_they_are_sent():
    place = pickle.loads(pickle.dumps(Place(frozen([1.0]), (frozen([2.0]),))))
    assert not place.at.flags.writeable
    assert not place.others[0].flags.writeable


def test_what_is_exactly_a_number_and_what_only_equals_it():
    graph = Graph()
    x = graph.input("x")
    assert is_exactly(0, 0.0)
    assert is_exactly(graph.node(1.0), 1.0)
    assert not is_exactly(x, 0.0)
    assert not is_exactly(Fraction(0), 0.0)
    assert is_zero([0.0, graph.node(0.0)])
    assert not is_zero([0.0, x])
    assert is_numeric([Fraction(1, 3), 2.0])
    assert not is_numeric([x])


ZEROS = [0, 0.0, np.int64(0), np.float32(0), Graph().constant(0.0)]


@pytest.mark.parametrize("zero", ZEROS, ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 2), (1, 2, 3)])
def test_what_is_zero_is_so_in_every_shape(zero, shape):
    whole = np.full(shape, zero)
    assert is_zero(whole)
    assert is_zero(whole.tolist())
    for place in np.ndindex(shape):
        other = np.full(shape, zero, dtype=object)
        other[place] = Graph().input("x")
        assert not is_zero(other)
        other[place] = 1e-300
        assert not is_zero(other)


def test_texts_are_no_numbers():
    for text in ("abc", "1.0", ["1", "2"], np.array(["x"]), [1.0, "x"], b"1", None):
        assert not is_numeric(text)
    for number in (True, 1, 2.5, 1j, Fraction(1, 3), sympy.pi, [], [[1, 2]], np.array([True])):
        assert is_numeric(number)
