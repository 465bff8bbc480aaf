"""SymPy expressions of every kind as energies: numbers that are right, or an error of ours."""

import contextlib
import math

import hypothesis.strategies as st
import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given

import visviva as vv
from tests.support.counts import examples, tick
from visviva.errors import VisvivaError

T = sympy.Symbol("t")
X, Y = vv.coordinates("x y")
K = sympy.Symbol("k")
U, W = sympy.Symbol("u"), sympy.Symbol("w")  # bound variables
N = sympy.Symbol("n", integer=True)
MATRIX, ARRAY = sympy.MatrixSymbol("A", 2, 2), sympy.IndexedBase("b")
UNKNOWN = sympy.Function("f")
STATE = {"x": 0.372, "y": -0.291, "xd": 0.618, "yd": -0.447, "xdd": 0.23, "ydd": 0.71}
TIME, STIFF = 0.53, 1.7
MOST_DIGITS = 1000

COMMON = [X, Y, X.diff("t"), Y.diff("t"), K, T, sympy.Integer(2), sympy.Rational(-1, 3), sympy.pi]
ODD = [
    sympy.nan,
    sympy.oo,
    -sympy.oo,
    sympy.zoo,
    sympy.I,
    sympy.E,
    sympy.EulerGamma,
    sympy.Float("0.1", 30),
    sympy.Float(1e12),
    sympy.Integer(7) ** 6000,
    sympy.Integer(10) ** 400,
    sympy.Dummy("k"),
    sympy.Dummy("d"),
    sympy.Symbol("x"),
    sympy.Symbol("xd", positive=True),
    sympy.Symbol("z", commutative=False),
    sympy.Symbol("z", imaginary=True),
    sympy.Symbol("t", real=True),
    sympy.Symbol(""),
    sympy.Wild("w"),
    MATRIX[0, 1],
    ARRAY[N],
    sympy.Symbol("m_{1}"),
    X.diff("t", 2),
    sympy.Order(K),
    sympy.AccumBounds(0, 1),
]
NOT_SCALAR = [
    sympy.Eq(X, 1),
    X < 1,
    sympy.Tuple(X, Y),
    sympy.Matrix([X]),
    sympy.true,
    sympy.And(X > 0, Y > 0),
    sympy.FiniteSet(X),
    sympy.Interval(0, 1),
    MATRIX,
    sympy.Lambda(U, U),
    sympy.Poly(U**2, U),
    sympy.QQ,
    sympy.Function("x"),
    None,
    1j,
    float("nan"),
    10**5000,
    [X],
    {"x": 1},
    object(),
    np.array([1.0, 2.0]),
    b"x",
]
ONE = [
    *"sin cos tan sec csc cot asin acos atan exp log sinh cosh tanh sqrt Abs sign".split(),
    *"asinh floor gamma erf conjugate re Heaviside factorial".split(),
]


def _one(pair):
    name, x = pair
    return getattr(sympy, name)(x)


def _composed(inner):
    """Whatever SymPy makes of smaller ones."""
    pair = st.tuples(inner, inner)
    relation = st.tuples(st.sampled_from([sympy.Lt, sympy.Ge, sympy.Eq]), pair).map(
        lambda p: p[0](*p[1])
    )
    cases = st.tuples(inner, relation, inner, st.booleans()).map(
        lambda p: sympy.Piecewise((p[0], p[1]), *([(p[2], True)] if p[3] else []))
    )
    return st.one_of(
        pair.map(lambda p: p[0] + p[1]),
        pair.map(lambda p: p[0] * p[1]),
        pair.map(lambda p: p[0] / p[1]),
        st.tuples(inner, st.sampled_from([2, 3, -1, sympy.Rational(1, 2), 40, 900])).map(
            lambda p: p[0] ** p[1]
        ),
        pair.map(lambda p: p[0] ** p[1]),
        st.tuples(st.sampled_from(ONE), inner).map(_one),
        pair.map(lambda p: sympy.Min(*p)),
        pair.map(lambda p: sympy.Max(*p)),
        pair.map(lambda p: sympy.atan2(*p)),
        pair.map(lambda p: sympy.Mod(*p)),
        cases,
        inner.map(UNKNOWN),
        inner.map(lambda x: sympy.Sum(x**N, (N, 0, 3))),
        inner.map(lambda x: sympy.Sum(x**N, (N, 0, K))),
        inner.map(lambda x: sympy.Product(x + N, (N, 1, 2))),
        inner.map(lambda x: sympy.Integral(U * x, (U, 0, x))),
        inner.map(lambda x: sympy.Derivative(x, K)),
        inner.map(lambda x: sympy.Subs(UNKNOWN(W), W, x)),
        pair.map(lambda p: sympy.Mul(*p, evaluate=False)),
    )


REFUSED = (
    TypeError,
    ValueError,
    NotImplementedError,
    AttributeError,
    ZeroDivisionError,
    RecursionError,
)


def _made(strategy):
    """SymPy refuses some of these itself; that is no matter of ours."""

    @st.composite
    def drawn(draw):
        try:
            return draw(strategy)
        except REFUSED:
            return X

    return drawn()


ATOMS = st.sampled_from(COMMON)
PLAIN = _made(st.recursive(ATOMS, _composed, max_leaves=6))
WILD = _made(st.recursive(st.sampled_from([*COMMON, *ODD]), _composed, max_leaves=4))
# by its place: a strategy shows what it has where something fails, and 10**5000 cannot be shown
SOME_NOT_SCALAR = st.integers(0, len(NOT_SCALAR) - 1).map(lambda k: NOT_SCALAR[k])
ANYTHING = st.one_of(PLAIN, WILD, SOME_NOT_SCALAR)


def stated(potential, more=0):
    kinetic = (X.diff("t") ** 2 + 2 * Y.diff("t") ** 2) / 2 + more
    return vv.Lagrangian([X, Y], kinetic, potential, parameters={"k": STIFF}, name="fuzz")


def numbers(s):
    """inverse_dynamics at the state, without machine code."""
    q, v, a = ([STATE["x" + d], STATE["y" + d]] for d in ("", "d", "dd"))
    f = s.inverse_dynamics
    timed = [TIME] if "t" in f.inputs else []
    return np.asarray(f.interpret(q, v, a, *timed), dtype=float)


def digits_before_the_point(L):
    """Of the largest term at the state; none where a term has no number."""
    at = STATE | {"t": TIME, "k": STIFF}
    try:
        sizes = [abs(x.subs(at).evalf(5)) for x in sympy.Add.make_args(L)]
        return max((int(sympy.log(x, 10)) for x in sizes if x.is_Float and x > 1), default=0)
    except Exception:  # whatever SymPy cannot do
        return 0


def by_definition(s, nudge=0.0):
    """d/dt ∂L/∂v - ∂L/∂q along the motion, by differences of sixty digits; None if L has none.

    A constant of two hundred digits takes none of them away; beside one of more than a thousand
    nothing is compared. The state and k are off by `nudge`, relative to their size.
    """
    names = sympy.symbols("x y xd yd t k")
    digits = digits_before_the_point(s.lagrangian)
    if digits > MOST_DIGITS:
        return None
    with mpmath.workdps(60 + 3 * digits):
        try:
            L = sympy.lambdify(names, s.lagrangian, "mpmath")
            q, v, a = ([mpmath.mpf(STATE["x" + d]) * (1 + nudge), mpmath.mpf(STATE["y" + d])]
                       for d in ("", "d", "dd"))  # fmt: skip
            k = mpmath.mpf(STIFF) * (1 - nudge)

            def value(q, v, t):
                found = L(*q, *v, t, k)
                if not isinstance(found, int | float | mpmath.mpf):
                    raise ArithmeticError
                return mpmath.mpf(found)

            def slope(f, at, i):
                return mpmath.diff(lambda y: f([*at[:i], y, *at[i + 1 :]]), at[i])

            def momentum(i, s_):
                there = [x + y * s_ + z * s_**2 / 2 for x, y, z in zip(q, v, a, strict=True)]
                rate = [y + z * s_ for y, z in zip(v, a, strict=True)]
                return slope(lambda w: value(there, w, TIME + s_), rate, i)

            made = []
            for i in range(2):
                change = mpmath.diff(lambda s_, i=i: momentum(i, s_), 0)
                made.append(change - slope(lambda x: value(x, v, TIME), q, i))
            return [float(x) for x in made]
        except Exception:  # whatever mpmath cannot do is not compared
            return None


def agree(s, found):
    """Whether numbers are right, as far as those of the state determine them.

    cos(k^900) x has a slope that no numbers of sixteen digits know anything of.
    """
    reference = by_definition(s)
    if reference is None or not all(map(math.isfinite, reference)):
        return
    size = 1 + np.abs(reference) + abs(float(np.abs(found).max()))
    if not np.all(np.abs(found - reference) < 1e-6 * size):
        other = by_definition(s, nudge=1e-13)
        known = other is not None and np.all(np.abs(np.subtract(other, reference)) < 1e-6 * size)
        assert not known, (s, found, reference)


@examples(11, 1000)
@given(_made(st.just(sympy.Integer(7) ** 6000).map(sympy.factorial)))
def test_what_sympy_cannot_make_is_not_asked(x):
    """It recurses without end, also in Mod."""
    assert x is X


@pytest.mark.parametrize("potential", [K**900, (K**2) ** (K**40)])
def test_the_definition_sees_small_terms_beside_large_ones(potential):
    """Of numbers with more digits than can be had it says nothing."""
    agree(stated(potential), numbers(stated(sympy.Integer(0))))


def test_the_definition_asks_no_more_than_the_numbers_of_the_state_say():
    s = stated(sympy.cos(K**900) * X)
    agree(s, numbers(stated(sympy.Integer(0))))
    with pytest.raises(AssertionError):
        agree(stated(sympy.cos(K**9) * X), numbers(stated(sympy.Integer(0))))


def test_the_definition_has_numbers_to_compare_with():
    reference = by_definition(stated(X**2 * Y))
    assert np.isfinite(reference).all()
    with pytest.raises(AssertionError):
        agree(stated(X**2 * Y), np.array(reference) + 1e-3)


def attempt(potential, more=0):
    """1 if there were numbers; what is no error of ours falls through."""
    try:
        s = stated(potential, more)
    except VisvivaError as error:
        assert len(str(error)) < 1000  # noqa: PT017
        return 0
    assert repr(s)
    for ask in (lambda: s.closed_form().equations, lambda: s.closed_form().mass_matrix):
        with contextlib.suppress(VisvivaError):
            assert ask() is not None
    try:
        found = numbers(s)
    except VisvivaError:
        return 0
    with np.errstate(all="ignore"):
        agree(s, found)
    return 1


@examples(9, 20_000)
@given(ANYTHING)
def test_any_potential_gives_right_numbers_or_an_error_of_ours(potential):
    tick("potentials")
    attempt(potential)


@examples(6, 10_000)
@given(PLAIN, PLAIN)
def test_any_energies_of_known_functions_give_right_numbers(potential, more):
    tick("energies")
    attempt(potential, more)


@pytest.mark.parametrize("potential", [*ODD, *NOT_SCALAR], ids=lambda x: type(x).__name__)
def test_every_kind_alone(potential):
    attempt(potential)
    if any(potential is x for x in ODD):
        attempt(potential * X**2)
