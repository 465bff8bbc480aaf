"""Factors of trigonometric polynomials: they multiply to what was factored, and are found again."""

from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from tests.support.counts import examples
from visviva.algebra.exact.ring import Ring
from visviva.errors import OutsideError
from visviva.solve.singular.factors import factored
from visviva.solve.singular.zeros import common_zeros, solved

RING = Ring(["q1", "q2", "d", "a", "b"], {"q1": {"u": 1}, "q2": {"v": 1, "u": -1}})
q1, q2, d, a, b = (RING[x] for x in RING.symbols)
PRIMES = [
    q1.sin(),
    q2.cos(),
    (q1 + q2).sin(),
    d,
    d - a,
    a * q1.cos() + b * (q1 + q2).cos(),
    a + b * q2.cos(),
    a * q2.sin() - b * q2.cos(),
    d * q1.cos() + a * q1.sin(),
]


def product(factors):
    total = RING.number(1)
    for f in factors:
        total = total * f.poly**f.power
    return total


@examples(15, 1000)
@given(st.lists(st.sampled_from(range(len(PRIMES))), min_size=1, max_size=4), st.integers(-3, 3))
def test_products_of_irreducible_ones_fall_apart_into_them(chosen, scale):
    whole = RING.number(scale or 1)
    for k in chosen:
        whole = whole * PRIMES[k]
    found = factored(whole)
    assert product(found) == whole
    proper = [f for f in found if not f.poly.p.is_constant()]
    assert sum(f.power for f in proper) == len(chosen)
    for k in chosen:
        assert any(f.poly in (PRIMES[k], -PRIMES[k]) for f in proper)


def test_what_factors_in_two_ways_in_sines_has_one_here():
    """sin² = (1 - cos)(1 + cos)."""
    one = 1 - q1.cos() ** 2
    (only,) = factored(one)
    assert (only.poly, only.power) == (q1.sin(), 2)
    (lone,) = factored(1 - q1.cos())
    assert lone.poly == 1 - q1.cos()


def test_lengths_stay_lengths():
    x = (RING.number(0.425) * q1.cos() + RING.number(0.39225) * (q1 + q2).cos()) * q2.sin()
    found = factored(x, [Fraction(425, 1000), Fraction(39225, 100000)])
    assert RING.number(0.425) * q1.cos() + RING.number(0.39225) * (q1 + q2).cos() in [
        f.poly for f in found
    ]


def test_too_long_ones_are_refused_with_their_size():
    many = Ring([f"x{k}" for k in range(12)], {})
    terms = [many[f"x{k}"] for k in range(12)]
    with pytest.raises(OutsideError, match=r"too many terms: 6188 .* up to 4000"):
        factored(sum(terms, many.number(1)) ** 5)


def test_zeros_are_values_of_one_coordinate():
    A, B = sympy.symbols("a b")
    assert solved(a + b * q2.cos(), ["q1", "q2", "d"]) == (
        {"q2": sympy.acos(-A / B)},
        {"q2": -sympy.acos(-A / B)},
    )
    assert solved(d - a, ["q1", "q2", "d"]) == ({"d": A},)
    assert solved((q1 + q2).sin(), ["q1", "q2"])[1] == {"q2": sympy.pi - sympy.Symbol("q1")}
    assert solved(q1.sin() * q2.sin() * d * d + q1.sin() * d + a, ["d"]) == ()


def test_common_zeros_are_all_ways_to_choose_factors():
    names = ["q1", "q2", "d"]
    found = common_zeros([q1.sin() * q2.sin(), q1.cos() * d], names, {"a": 1.0, "b": 1.0})
    said = {frozenset(x.values) for x in found}
    assert said == {frozenset({"q1", "d"}), frozenset({"q2", "q1"}), frozenset({"q2", "d"})}
    # parameters decide what is never zero, and what always is
    assert common_zeros([(a - b) * q1.sin()], names, {"a": 1.0, "b": 2.0})[0].values.keys() == {
        "q1"
    }
    assert common_zeros([(a - b) * q1.sin()], names, {"a": 1.0, "b": 1.0})[0].values == {}
    assert common_zeros([a * q1.sin(), q1.cos()], names, {"a": 1.0, "b": 1.0}) == []
