"""Names for typed claims, and values of what they say."""

import math

from visviva.notation.evaluate import evaluate
from visviva.notation.reading.read import read
from visviva.notation.reading.vocabulary import Vocabulary

PARAMETERS = "m m1 m2 l l1 l2 lc2 g Izz2 a b c x_0".split()
WORDS = Vocabulary.of(PARAMETERS, ["theta1", "theta2", "q3", "x"])
SHORT = Vocabulary.of("m2 l1 lc2 g".split(), ["q1", "q2", "q3"], shorthand=True)


def one(text, words=WORDS):
    (node,) = read(text, words)
    return node


class Floats:
    """Every name is a number that depends on its letters."""

    def number(self, value):
        return float(value)

    def name(self, name):
        return 1.0 + sum(map(ord, name.key)) % 97 / 50 + name.dots / 3

    def call(self, function, *arguments):
        own = {"abs": abs, "sign": lambda t: math.copysign(1.0, t), "log": math.log}
        return (own.get(function) or getattr(math, function))(*arguments)

    def power(self, base, exponent):
        return base ** float(exponent)


def value(text, words=WORDS):
    return evaluate(one(text, words), Floats(), text)
