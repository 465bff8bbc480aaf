"""Rates and matrices as MATLAB, Maple and Mathematica write them: diff(x(t), t, 2) is x''.

Examples:
    >>> programmed("m*diff(x(t), t, 2) + k*D[x[t], t]")
    "m*x'' + k*x'"
    >>> programmed("M = {{a, b}, {b, c}}")
    'M = [[a, b], [b, c]]'
"""

from __future__ import annotations

import re
from functools import partial

_NAME = r"(?P<name>[A-Za-z]\w*)(?P<old>'*) (?:[(\[] t [)\]])?"
# with how many dots there are where no number says it; a blank is any number of them
_RATES = {
    rf"\b(?:diff|Diff|Derivative)\( {_NAME} , t (?:[,$] (?P<n>[12]))? \)": 1,
    rf"\b(?:diff|Derivative)\( {_NAME} , \( t , (?P<n>[12]) \) \)": 1,
    rf"\bdiff\( {_NAME} , t , t(?P<n>) \)": 2,
    rf"\bD\[ {_NAME} , \{{ t , (?P<n>[12]) \}} \]": 1,
    rf"\bD\[ {_NAME} , t(?P<n>) \]": 1,
    r"\bDerivative\[(?P<n>[12])\]\[(?P<name>[A-Za-z]\w*)(?P<old>)\]\[ t \]": 1,
}
_PATTERNS = [(re.compile(x.replace(" ", r"\s{0,9}")), dots) for x, dots in _RATES.items()]
_OF_TIME = re.compile(r"(?<=[A-Za-z0-9_'])\[\s{0,9}t\s{0,9}\]")  # q1[t], q1''[t]
_ROWS = re.compile(r"\{\s{0,9}(\{[^{}]*\}(?:\s{0,9},\s{0,9}\{[^{}]*\})*)\s{0,9}\}")


def programmed(text: str) -> str:
    """A text with such rates as primes, and lists of lists as matrices; LaTeX stays."""
    if "\\" in text:
        return text
    for pattern, dots in _PATTERNS:
        text = pattern.sub(partial(_primed, dots), text)
    text = _OF_TIME.sub("", text)
    return _ROWS.sub(lambda m: f"[{m[1].replace('{', '[').replace('}', ']')}]", text)


def _primed(dots: int, match: re.Match[str]) -> str:
    return match["name"] + match["old"] + "'" * int(match["n"] or dots)
