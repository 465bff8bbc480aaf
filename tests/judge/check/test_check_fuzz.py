"""Hostile and random claims, checked: a verdict or an error of ours, soon and in little memory."""

import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.claims.hostile import attempts, count, in_little_memory, program
from tests.support.counts import within
from visviva.errors import VisvivaError

ARM = vv.Lagrangian(
    "theta1 theta2 x",
    "m1*l1^2*theta1'^2/2 + m2*(l2*theta2' + x')^2/2 + m*x'^2/2 + a*b*lc2*l*x'^2",
    "m1*g*l1*cos(theta1)",
    parameters=dict.fromkeys("m m1 m2 l l1 l2 lc2 g a b".split(), 1.0),
)
SUM = "(theta1 + theta2 + m1 + m2 + l1 + l2)"
LONG = "(theta1' + theta2 + x + m1 + m2 + l1 + l2 + lc2 + g + a)"


def attempt(text):
    """1 if there was a verdict."""
    claim = text if "=" in text else f"tau1 = {text}"
    try:
        verdict = ARM.check(claim, shorthand=True)
    except VisvivaError as error:
        assert len(str(error)) < 5000  # noqa: PT017
        return 0
    assert str(verdict)
    if verdict.status == "differs" and verdict.missing is not None:
        assert is_apart(verdict.missing, verdict.extra)
    return 1


def is_apart(missing, extra):
    """Whether truth - claim = missing - extra is something, by numbers of fifty digits."""
    gaps = np.ravel(np.array(missing, dtype=object)) - np.ravel(np.array(extra, dtype=object))
    for gap in map(sympy.sympify, gaps):
        names = sorted(gap.free_symbols, key=str)
        at = {name: sympy.Rational(37 + 11 * k, 53) for k, name in enumerate(names)}
        if abs(gap.subs(at).evalf(50)) > 1e-30:
            return True
    return False


@pytest.mark.spread(0)
def test_random_claims_get_a_verdict_or_an_error():
    assert attempts(attempt, 0, 500) > 5


@pytest.mark.spread(0)
def test_random_claims_take_little_time_and_memory():
    """Each under a second, all in one process that may take no more than 500 MB."""
    in_little_memory(__file__, count(50, 100_000), count(50, 10_000))


@pytest.mark.spread(5)
@pytest.mark.parametrize(
    "claim",
    [
        f"tau1 = {SUM}^9*{SUM}^9",
        f"{LONG}^2 (theta1'' + x'') (1 + x'') = l1/({LONG}^2 + 1)",
        f"tau1 = {LONG}^5 + 1/(1 + m1 x'')",
        "V = (sqrt(l1) + sqrt(l2) + sqrt(m1) + sqrt(m2) + sqrt(a) + sqrt(b) + sqrt(g))^12",
        "tau1 = " + "+".join([f"{SUM}^9*{SUM}^9"] * 150),
        f"tau1 = {SUM}^64",
        f"tau1 = {LONG}^6*theta1''",
        f"tau1 = 1/{SUM}^9 + 1/{LONG}^5",
        "tau1 = " + "+".join(f"1/(theta1 + {k}*theta2 + {k}*m1)" for k in range(1, 60)),
        "tau1 = " + "/".join([SUM] * 100),
        "tau1 = cos(1000*theta1)*cos(999*theta2)",
        "tau1 = cos(100*theta1)^30",
        "tau1 = sin(theta1/1000003)",
        "tau1 = sin(theta1)^1000",
        "tau1 = (" + "+".join(f"sin({k}*theta1)" for k in range(40)) + ")^9",
        "tau1 = " + "sqrt(" * 39 + "x" + ")" * 39,
        "tau1 = " + "+".join(f"sqrt(x + {k})" for k in range(300)),
        "tau1 = " + "*".join(f"sqrt(x + {k})" for k in range(1, 40)),
        "tau1 = exp(x)^exp(theta1)",
        "tau1 = tan(tan(tan(tan(x))))",
        "tau1 = x^(-1000)",
        "a1 = x;" + "".join(f"a{k + 1} = a{k}*a{k};" for k in range(1, 60)) + "tau1 = a60",
        "M = [" + ",".join("[" + ",".join(["x"] * 30) + "]" for _ in range(30)) + "]",
    ],
    ids=lambda c: c[:30],
)
def test_claims_that_grow_are_bounded(claim):
    """None runs away; in the soak, where nothing else runs, none takes more than a second."""
    attempt("tau1 = x")
    with within(1):
        attempt(claim)


@pytest.mark.parametrize("claim", ["tau1 = log(-1)", "tau1 = sqrt(-x^2)"])
def test_what_has_no_real_value_is_no_equation(claim):
    with pytest.raises(VisvivaError, match="no real value"):
        ARM.check(claim)


if __name__ == "__main__":
    program(attempt)
