"""Hostile and random claims: read or refused, at no cost."""

import pytest

from tests.support.claims.hostile import attempts, count, in_little_memory, program
from visviva.errors import ParseError
from visviva.notation.evaluate import evaluate
from visviva.notation.reading.read import canonical, read
from visviva.notation.reading.vocabulary import Vocabulary
from visviva.notation.tree import names, rewritten

WORDS = Vocabulary.of("m m1 m2 l l1 l2 lc2 g a b".split(), ["theta1", "theta2", "x"], True)


class Ones:
    """Every part of a formula is one."""

    def number(self, value):
        return 1.0

    def name(self, name):
        return 1.0

    def call(self, function, *arguments):
        return 1.0

    def power(self, base, exponent):
        return 1.0


def attempt(text):
    """Read a text and use what comes out; 1 if it could be read."""
    canonical(text[:200])
    try:
        found = read(text, WORDS)
        for node in found:
            assert rewritten(node, lambda name: None) == node
            assert len(names(node)) == len(set(names(node)))
            evaluate(node, Ones(), text)
    except (ParseError, ZeroDivisionError) as error:
        assert len(str(error)) < 3000  # noqa: PT017
        return 0
    return 1


@pytest.mark.spread(0)
def test_random_claims_are_read_or_refused():
    assert attempts(attempt, 0, 2000) > 100


@pytest.mark.soak
def test_random_claims_take_little_time_and_memory():
    """Each under a second, all in one process that may take no more than 500 MB."""
    in_little_memory(__file__, count(100, 100_000), count(100, 20_000))


@pytest.mark.spread(12)
@pytest.mark.parametrize(
    "text",
    [
        "(" * 10**6,
        "(" * 4999 + "a" + ")" * 4999,
        "[" * 41 + "a" + "]" * 41,
        "{" * 5000,
        r"\left(" * 1600,
        r"\begin{bmatrix}" * 600,
        "a^" * 4999 + "a",
        "sin(" * 2400 + "a",
        "|" * 9999,
        "a" * 10**6,
        "m2" * 5000,
        "1" * 10**6,
        "1e" + "9" * 9000,
        "9**" * 3000 + "9",
        "9^9^9^9",
        "9^(9^(9^9))",
        "((9^999)^999)^999",
        "*".join(["9^999"] * 1000),
        "(((((a+b)^99)^99)^99)^99)^99",
        "x" + "'" * 9000,
        r"\dot" * 2000 + "x",
        r"\mathbf" * 1000 + "x",
        "x" + "_1" * 4000 + "!",
        "\n" * 9999 + "=",
        "a=" * 4999,
        "\0" * 10**6,
        "\u0307" * 9999,
    ],
    ids=lambda t: f"{t[:12]!r} of {len(t)}",
)
def test_hostile_text_costs_nothing(text):
    with pytest.raises(ParseError) as caught:
        read(text, WORDS)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "text",
    [
        "+".join(["a*b"] * 2500),
        "a/" * 4999 + "b",
        "-" * 9999 + "a",
        "a " * 4999,
        "a=b\n" * 2499,
        "(" * 40 + "a" + ")" * 40,
        "sin(" * 40 + "a" + ")" * 40,
        "((a/b+1)^2/x+" * 39 + "1" + ")" * 39,
        "[" + ";".join([",".join("a" * 60)] * 60) + "]",
        r"\dot x+" * 1400 + "a",
    ],
    ids=lambda t: f"{t[:12]!r} of {len(t)}",
)
def test_long_but_honest_text_is_read(text):
    assert attempt(text)


if __name__ == "__main__":
    program(attempt)
