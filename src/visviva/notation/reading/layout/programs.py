"""Rates, matrices and functions as programs write them: diff(x(t), t, 2) is x'', np.sin is sin.

Examples:
    >>> programmed("m*diff(x(t), t, 2) + k*D[x[t], t]")
    "m*x'' + k*x'"
    >>> programmed("m θ(t)'' = f")
    "m θ''(t) = f"
    >>> programmed("M = {{a, b}, {b, c}}")
    'M = [[a, b], [b, c]]'
    >>> programmed("M = m*np.eye(2); V = -m.*g.*l.*np.cos(theta)")
    'M = m*[[1, 0], [0, 1]]; V = -m*g*l*cos(theta)'
"""

from __future__ import annotations

import re
from functools import lru_cache, partial

from visviva.notation.reading.marks import INVISIBLE

_NAME = r"(?P<name>[A-Za-z]\w*)(?P<old>'*) (?:[(\[] t [)\]])?"
# with how many dots there are where no number says it; a blank is any number of them
_RATES = {
    rf"\b{_NAME}\.diff\( t \)\.diff\( t(?P<n>) \)": 2,
    rf"\b{_NAME}\.diff\( t (?:, (?P<n>[12]) )?\)": 1,
    rf"\b{_NAME}\.diff\( t , t(?P<n>) \)": 2,
    rf"\b(?:diff|Diff|Derivative)\( {_NAME} , t (?:[,$] (?P<n>[12]))? \)": 1,
    rf"\b(?:diff|Derivative)\( {_NAME} , \( t , (?P<n>[12]) \) \)": 1,
    rf"\bdiff\( {_NAME} , t , t(?P<n>) \)": 2,
    rf"\bD\[ {_NAME} , \{{ t , (?P<n>[12]) \}} \]": 1,
    rf"\bD\[ {_NAME} , t(?P<n>) \]": 1,
    rf"\bD\[ {_NAME} , t , t(?P<n>) \]": 2,
    r"\bDerivative\[(?P<n>[12])\]\[(?P<name>[A-Za-z]\w*)(?P<old>)\]\[ t \]": 1,
}
_PATTERNS = [(re.compile(x.replace(" ", r"\s{0,9}")), dots) for x, dots in _RATES.items()]
_TYPED = re.compile(r"(?<=[A-Za-z0-9])\"(?![A-Za-z0-9])")  # theta" is theta''
_QUOTED = re.compile(r"(?<![A-Za-z0-9])\"")
_OF_TIME = re.compile(r"(?<=[A-Za-z0-9_'])\[\s{0,9}t\s{0,9}\]")  # q1[t], q1''[t]
_AFTER_TIME = re.compile(r"(?<=[^\W_])(\(\s{0,9}t\s{0,9}\))(['’′″]{1,4})")  # θ(t)'' is θ''(t)
_ROWS = re.compile(r"\{\s{0,9}(\{[^{}]*\}(?:\s{0,9},\s{0,9}\{[^{}]*\})*)\s{0,9}\}")
_CALLED = "a?sinh? a?cosh? a?tanh? arcsin arccos arctan2? atan2 sqrt exp log abs sign pi eye diag"
_CALLED = "|".join(f"{_CALLED} Abs Matrix Rational".split())
_MODULE = re.compile(rf"\b(?:np|numpy|math|sp|sy|sym|sympy)\.(?=(?:{_CALLED})\b)")
_ARRAY = re.compile(r"\b(?:np|numpy)\.(?:array|matrix)(?=\(\s{0,9}\[)")
_EYE = re.compile(r"\beye\(\s{0,9}([1-9])\s{0,9}\)")
_ENTRY_BY_ENTRY = re.compile(r"(?<=[\w)'])\s{0,9}\.(?=[*/^]\s{0,9}[\w(+-])")
_LEFT, _RIGHT = (
    re.compile(r"[A-Za-z]\w*'{0,2}$"),
    re.compile(r"[*/^]\s{0,9}[+-]?([A-Za-z]\w*'{0,2})?"),
)
_STATED = re.compile(r"\b([A-Za-z]\w*)\s{0,9}(?:\([^()=]{0,40}\))?\s{0,9}=([^=;\n]{0,2000})")
_LONGEST = 400  # characters of a side of .*
_WORD = re.compile(r"[A-Za-z]\w*")
_OF_MATRICES = re.compile(r"\[|(?<!\w)(?:[A-Z]|q|dd?q|qd|qdd|qdot|qddot)(?!\w|\(\d)")


def programmed(text: str) -> str:
    """A text with such rates as primes, and lists of lists as matrices; other LaTeX stays."""
    text = _AFTER_TIME.sub(r"\2\1", text.translate(INVISIBLE))
    if "\\" in text:
        return text
    text = text if _QUOTED.search(text) else _TYPED.sub("''", text)
    text = _ENTRY_BY_ENTRY.sub(_of_numbers, text)
    text = _EYE.sub(_identity, _ARRAY.sub("", _MODULE.sub("", text)))
    for pattern, dots in _PATTERNS:
        text = pattern.sub(partial(_primed, dots), text)
    text = _OF_TIME.sub("", text)
    return _ROWS.sub(lambda m: f"[{m[1].replace('{', '[').replace('}', ']')}]", text)


def _of_numbers(match: re.Match[str]) -> str:
    """Nothing for the dot between two numbers; of two matrices .* is no product, and it stays."""
    at, end = match.span()
    before, after = match.string[max(at - _LONGEST, 0) : at], match.string[end : end + _LONGEST]
    left, right = _LEFT.search(before), _RIGHT.match(after)
    sides = [left[0] if left else "", (right and right[1]) or ""]
    if before.endswith(")"):
        inside = _inside(before[::-1], ")(")[::-1]
        name = _LEFT.search(before[: -len(inside)])
        sides[0] = f"{name[0] if name else ''}{inside}"
    if (rest := after[1:].lstrip(" +-")).startswith("("):
        sides[1] = _inside(rest, "()")
    elif right and right[1] and after[right.end() :].startswith("("):  # cos(q2)
        sides[1] += _inside(after[right.end() :], "()")
    words = {x for side in sides for x in _WORD.findall(side)}
    matrices = any(map(_OF_MATRICES.search, sides)) or words & _matrices(match.string)
    return match[0] if matrices else ""


@lru_cache(maxsize=16)
def _matrices(text: str) -> frozenset[str]:
    """Names that a text says are matrices, or something with a matrix in it."""
    stated = [(m[1], {*_WORD.findall(m[2])}, m[2]) for m in _STATED.finditer(text)]
    found = {name for name, _, value in stated if _OF_MATRICES.search(value)}
    while more := {name for name, words, _ in stated if words & found} - found:
        found |= more
    return frozenset(found)


def _inside(text: str, pair: str) -> str:
    """What stands up to the bracket that closes the first one, with a [ where none does."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c == pair[0]) - (c == pair[1])
        if not depth:
            return text[: k + 1]
    return "["


def _primed(dots: int, match: re.Match[str]) -> str:
    return match["name"] + match["old"] + "'" * int(match["n"] or dots)


def _identity(match: re.Match[str]) -> str:
    n = int(match[1])
    return str([[int(i == j) for j in range(n)] for i in range(n)])
