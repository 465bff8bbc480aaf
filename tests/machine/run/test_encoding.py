"""What names machine code can be read back: nothing that differs is written alike."""

from fractions import Fraction

import numpy as np
import sympy
from hypothesis import given
from hypothesis import strategies as st

from tests.support.counts import examples
from tests.support.oracles.oracle import mechanism
from tests.support.readers.decoding import decoded
from visviva.algebra.expr import Graph
from visviva.describe.values import encoded

plain = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(allow_nan=False),
        st.text(),
        st.binary(max_size=5),
        st.fractions(),
        st.sampled_from([np.float64(1), np.float32(1), np.int64(1), np.array([1.0, 2.0])]),
        st.sampled_from([*"xyz"]).map(sympy.Symbol),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
    ),
    max_leaves=8,
)


def told(x):
    """What the decoder says of a value, made from the value itself."""
    if x is None or type(x) is bool:
        return {None: "N", True: "T", False: "F"}[x]
    if type(x) in (int, float, str, bytes):
        return x
    if type(x) in (tuple, list):
        return ("(" if type(x) is tuple else "[", *map(told, x))
    if type(x) is dict:
        return ("{", *((told(k), told(v)) for k, v in x.items()))
    if type(x) is Fraction:
        return "q", str(x.numerator), str(x.denominator)
    if isinstance(x, sympy.Symbol):
        return "S", x.name, "commutative", "", ""
    array = np.asarray(x)
    return "a" if type(x) is np.ndarray else "g", array.dtype.str, array.shape, array.tobytes()


@examples(29, 20_000)
@given(plain)
def test_an_encoding_can_be_read_back(x):
    assert repr(decoded(encoded(x))) == repr(told(x))


def test_formulas_and_models_can_be_read_back():
    graph = Graph()
    a, b = graph.input("a"), graph.input("b")
    parts = [("e", "input", "a"), ("e", "input", "b")]
    assert decoded(encoded(a * b)) == ("e", "mul", "N", *parts)
    x = sympy.Symbol("x")
    half = ("R", "1/2")
    symbol = ("S", "x", "commutative", "", "")
    assert decoded(encoded(sympy.sin(x / 2))) == ("O", "sin", ("O", "Mul", half, symbol))
    for seed in range(5):
        model = mechanism(np.random.default_rng(seed), 5)
        content = encoded(model)
        decoded(content)
        for body in model.bodies:
            assert body.name.encode() in content
            assert body.placement.p.tobytes() in content
