"""Rates, matrices and functions as programs write them: diff(x(t), t, 2) is x'', np.sin is sin.

Examples:
    >>> programmed("m*diff(x(t), t, 2) + k*D[x[t], t]")
    "m*x'' + k*x'"
    >>> programmed("M = {{a, b}, {b, c}}")
    'M = [[a, b], [b, c]]'
    >>> programmed("M = m*np.eye(2); V = -m.*g.*l.*np.cos(theta)")
    'M = m*[[1, 0], [0, 1]]; V = -m*g*l*cos(theta)'
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
_CALLED = "a?sinh? a?cosh? a?tanh? arcsin arccos arctan2? atan2 sqrt exp log abs sign pi eye diag"
_CALLED = "|".join(f"{_CALLED} Abs Matrix Rational".split())
_MODULE = re.compile(rf"\b(?:np|numpy|math|sp|sy|sym|sympy)\.(?=(?:{_CALLED})\b)")
_ARRAY = re.compile(r"\b(?:np|numpy)\.(?:array|matrix)(?=\(\s{0,9}\[)")
_EYE = re.compile(r"\beye\(\s{0,9}([1-9])\s{0,9}\)")
# .* of numbers; of two matrices it is no product
_ENTRY_BY_ENTRY = re.compile(r"(?<=[\w)'])\.(?=[*/^])")
_MATRIX = re.compile(r"\[|\b[A-Zq]\b'{0,2}\s{0,9}\.[*/^]|\.[*/^]\s{0,9}[A-Zq]\b|\)\.[*/]\s{0,9}\(")


def programmed(text: str) -> str:
    """A text with such rates as primes, and lists of lists as matrices; LaTeX stays."""
    if "\\" in text:
        return text
    if not _MATRIX.search(text):
        text = _ENTRY_BY_ENTRY.sub("", text)
    text = _EYE.sub(_identity, _ARRAY.sub("", _MODULE.sub("", text)))
    for pattern, dots in _PATTERNS:
        text = pattern.sub(partial(_primed, dots), text)
    text = _OF_TIME.sub("", text)
    return _ROWS.sub(lambda m: f"[{m[1].replace('{', '[').replace('}', ']')}]", text)


def _primed(dots: int, match: re.Match[str]) -> str:
    return match["name"] + match["old"] + "'" * int(match["n"] or dots)


def _identity(match: re.Match[str]) -> str:
    n = int(match[1])
    return str([[int(i == j) for j in range(n)] for i in range(n)])
