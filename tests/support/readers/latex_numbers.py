r"""LaTeX as printed, worked out in numbers: \left(l_{1} + 2\right) \cos(q_{1}) \dot{q}_{2}^{2}.

A reader of its own, which shares nothing with that of claims. What stands for a name is given, so
that a name may be anything; numbers and functions come first, so that a name that looks like one of
them is taken for it, as a person would.
"""

import math
import re

LAYOUT = r"\\begin\{aligned\}|\\end\{aligned\}|\\left|\\right|\\quad|\\\\|\\\[|\\\]|\{\}|[&\s]"
NUMBER = r"[0-9]+(?:\.[0-9]+)?"


def equations(text, values):
    """The right sides of the displayed equations of a text; `values`: numbers by their LaTeX."""
    found = re.findall(r"\\\[(.*?)\\\]", text, re.DOTALL)
    return [Reader(x, values).right_side() for x in found]


class Reader:
    def __init__(self, text, values):
        self.values = values
        names = "|".join(map(re.escape, sorted(values, key=len, reverse=True)))
        words = rf"{NUMBER}|\\cos|\\sin|\\frac|\\cdot|{names}|\\tau_\{{\d\}}|[-+=()^{{}}]"
        kinds = re.compile(f"(?:{LAYOUT})|({words})")
        self.tokens, at = [], 0
        while at < len(text):
            match = kinds.match(text, at)
            assert match, f"{text[at : at + 40]!r} in {text!r}"
            self.tokens += [match[1]] if match[1] else []
            at = match.end()
        self.tokens.append("")

    def right_side(self):
        while self.take() != "=":
            pass
        value = self.sum()
        assert self.take() == ""
        return value

    def take(self, wanted=None):
        assert wanted in (None, self.tokens[0]), f"{self.tokens[0]!r}, not {wanted!r}"
        return self.tokens.pop(0)

    def sum(self):
        total = self.product(-1.0) if self.tokens[0] == "-" else self.product(1.0, sign=False)
        while self.tokens[0] in ("+", "-"):
            total += self.product(-1.0 if self.tokens[0] == "-" else 1.0)
        return total

    def product(self, value, sign=True):
        if sign:
            self.take()
        while self.tokens[0] not in ("", "+", "-", ")", "}"):
            value *= self.power(self.factor())
        return value

    def factor(self):
        token = self.take()
        if token == r"\cdot":
            return 1.0
        if token == "(":
            return self.closed(")")
        if token == r"\frac":
            top, bottom = (self.take("{") and self.closed("}") for _ in range(2))
            return top / bottom
        if token in (r"\cos", r"\sin"):
            power = self.exponent()
            self.take("(")
            return getattr(math, token[1:])(self.closed(")")) ** power
        return float(token) if re.fullmatch(NUMBER, token) else self.values[token]

    def closed(self, end):
        value = self.sum()
        self.take(end)
        return value

    def power(self, base):
        return base ** self.exponent()

    def exponent(self):
        if self.tokens[0] != "^":
            return 1.0
        self.take("^")
        self.take("{")
        return self.closed("}")
