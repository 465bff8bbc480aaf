"""Random expressions over every operation, and how far from the truth a result may be.

A tree is `("x", i)`, `("number", value)` or `(op, tree, ...)`. `truth` evaluates it with 50 digits
and carries an error bound along: an operation whose arguments are uncertain by e may change as
much as it does when they are moved by ±e, and adds `ulps` of its own. No derivative formula of the
package is used. Trees whose value is undefined, enormous, or decided by rounding (a comparison
within the error, a branch cut) are rejected.
"""

import math

import mpmath
from hypothesis import strategies as st

from visviva.algebra.ops import OPS

DIGITS = 50
STEPS = {"lt", "le", "eq", "ne", "sign"}  # constant but for jumps

numbers = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, -3.0, 1e-9, 7.0]),
    st.floats(-8, 8, allow_subnormal=False),
)


def trees(variables, operations=tuple(OPS), size=12):
    """Strategy for trees over `variables` inputs."""
    leaves = st.one_of(
        st.integers(0, variables - 1).map(lambda i: ("x", i)),
        numbers.map(lambda c: ("number", c)),
    )

    def grow(children):
        powers = st.tuples(
            st.just("pow"), children, st.integers(-8, 64).map(lambda n: ("number", float(n)))
        )
        any_of_them = st.sampled_from(operations).flatmap(
            lambda op: st.tuples(st.just(op), *[children] * OPS[op].arity)
        )
        return any_of_them | powers if "pow" in operations else any_of_them

    return st.recursive(leaves, grow, max_leaves=size)


def evaluate(tree, xs, number=float):
    """The tree on any scalar, through the value column of the operation table."""
    kind, *rest = tree
    if kind == "x":
        return xs[rest[0]]
    if kind == "number":
        return number(rest[0])
    return OPS[kind].value(*(evaluate(child, xs, number) for child in rest))


class RejectedError(Exception):
    """The tree has no value that rounding could not spoil."""


def truth(tree, xs, ulps, uncertainty=0.0):
    """(value, bound) with 50 digits; the inputs themselves may be uncertain."""
    with mpmath.workdps(DIGITS):
        return _bounded(tree, [(mpmath.mpf(x), mpmath.mpf(uncertainty)) for x in xs], ulps)


def _bounded(tree, xs, ulps):
    kind, *rest = tree
    if kind == "x":
        return xs[rest[0]]
    if kind == "number":
        return mpmath.mpf(rest[0]), mpmath.mpf(0)
    pairs = [_bounded(child, xs, ulps) for child in rest]
    values, errors = [v for v, _ in pairs], [e for _, e in pairs]
    _reject_close_calls(kind, values, errors)
    y = _value(kind, values)
    bound = mpmath.mpf(0)
    for i, error in enumerate(errors):
        if error:
            moved = [
                _value(kind, [*values[:i], values[i] + s * error, *values[i + 1 :]])
                for s in (1, -1)
            ]
            bound += max(abs(z - y) for z in moved)
    if kind not in STEPS:
        bound += ulps * math.ulp(float(y)) if y else mpmath.mpf(0)
        if not y and any(errors):
            bound += mpmath.mpf(10) ** -300
    if bound > 1e-6 or abs(y) > 1e60 or 0 < abs(y) < 1e-60:
        raise RejectedError
    return y, bound


def _value(kind, values):
    if kind in ("sin", "cos", "tan") and abs(values[0]) > 1e8:
        raise RejectedError
    if kind == "atan2" and values[1] <= 0 and abs(values[0]) < 1e-20:
        raise RejectedError  # on the cut the sign of zero decides
    try:
        y = OPS[kind].value(*values)
    except (ZeroDivisionError, ValueError, OverflowError):
        raise RejectedError from None
    if isinstance(y, mpmath.mpc) or not mpmath.isfinite(y):
        raise RejectedError
    return mpmath.mpf(y)


def _reject_close_calls(kind, values, errors):
    """Jumps and kinks within the error."""
    if kind in ("lt", "le", "eq", "ne", "min", "max"):
        distance, error = abs(values[0] - values[1]), sum(errors)
    elif kind in ("abs", "sign", "where"):
        distance, error = abs(values[0]), errors[0]
    else:
        return
    if error and distance <= error:
        raise RejectedError
