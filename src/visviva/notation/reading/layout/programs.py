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

_NAME = r"(?P<name>[A-Za-z]\w*)(?P<old>'*)\s*(?:[(\[]\s*t\s*[)\]])?"
_RATES = {  # with how many dots there are where no number says it
    rf"\b(?:diff|Diff|Derivative)\(\s*{_NAME}\s*,\s*t\s*(?:[,$]\s*(?P<n>[12]))?\s*\)": 1,
    rf"\b(?:diff|Derivative)\(\s*{_NAME}\s*,\s*\(\s*t\s*,\s*(?P<n>[12])\s*\)\s*\)": 1,
    rf"\bdiff\(\s*{_NAME}\s*,\s*t\s*,\s*t(?P<n>)\s*\)": 2,
    rf"\bD\[\s*{_NAME}\s*,\s*\{{\s*t\s*,\s*(?P<n>[12])\s*\}}\s*\]": 1,
    rf"\bD\[\s*{_NAME}\s*,\s*t(?P<n>)\s*\]": 1,
    r"\bDerivative\[(?P<n>[12])\]\[(?P<name>[A-Za-z]\w*)(?P<old>)\]\[\s*t\s*\]": 1,
}
_OF_TIME = re.compile(r"(?<=[A-Za-z0-9_'])\[\s*t\s*\]")  # q1[t], q1''[t]
_ROWS = re.compile(r"\{\s*(\{[^{}]*\}(?:\s*,\s*\{[^{}]*\})*)\s*\}")


def programmed(text: str) -> str:
    """A text with such rates as primes, and lists of lists as matrices; LaTeX stays."""
    if "\\" in text:
        return text
    for pattern, dots in _RATES.items():
        text = re.sub(pattern, partial(_primed, dots), text)
    text = _OF_TIME.sub("", text)
    return _ROWS.sub(lambda m: f"[{m[1].replace('{', '[').replace('}', ']')}]", text)


def _primed(dots: int, match: re.Match[str]) -> str:
    return match["name"] + match["old"] + "'" * int(match["n"] or dots)
