"""Names: what is one in a text, how rates are called, and how a name is printed.

Examples:
    >>> velocity_name("q1"), acceleration_name("theta")
    ('qd1', 'thetadd')
    >>> Names(["q1"]).parts("qdd1")
    Parts(letter='q', subscript='1', dots=2)
    >>> Names().parts("lc2")
    Parts(letter='l', subscript='c2', dots=0)
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable
from functools import cache
from typing import NamedTuple

GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "iota": "ι",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "upsilon": "υ",
    "phi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
}
LOW_DIGITS = "₀₁₂₃₄₅₆₇₈₉"  # θ₁ is a name too
PLAIN = str.maketrans(LOW_DIGITS, "0123456789")
LETTERS = {letter: name for name, letter in GREEK.items()}
# a letter and what tells it apart, as in lc, Ixx, rcm, ddd, l1a; others are words: yaw, arm, mass
_INDEXED = re.compile(
    r"[A-Za-zͰ-Ͽ](\w?|[xyz]{2}|([a-z])\2|c[mg]|\d\w)|[B-DF-NP-TV-Zb-df-hj-np-tv-z][^aeiou\W]{2}",
    re.A,
)
MOVING = ("q", "x", "y", "z", "theta", "phi", "psi", "alpha", "beta", "gamma")
LONGEST_TEXT = 10_000
LONGEST_NAME = 100

# letters of any script; signs that Python counts among the letters, as ² and ½, are none
_WORD = re.compile(r"[^\W\d]\w*")
INSIDE = "⟨"  # begins the names of symbols that are nobody's: forces, roots, constants


def is_name(text: str) -> bool:
    """Whether a text is one name."""
    fits = len(text) <= LONGEST_NAME and _WORD.fullmatch(text) is not None
    return fits and all(c.isascii() or c in LOW_DIGITS or _is_letter(c) for c in text)


def _is_letter(c: str) -> bool:
    return c.isalpha() and not unicodedata.decomposition(c).startswith(("<super>", "<sub>"))


def velocity_name(coordinate: str) -> str:
    """The name of a coordinate's rate: a d before the index, if there is one."""
    return _dotted(coordinate, "d")


def acceleration_name(coordinate: str) -> str:
    """The name of its second rate."""
    return _dotted(coordinate, "dd")


def _dotted(coordinate: str, dots: str) -> str:
    letters = re.sub(r"_?\d+$", "", coordinate)
    return letters + dots + coordinate[len(letters) :]


def inside(kind: str, number: int | str) -> str:
    """A symbol that no name of a system is: ⟨force⟩1."""
    return f"{INSIDE}{kind}⟩{number}"


def fresh(name: str, taken: Container[str]) -> str:
    """The name, with as many _ after it as it needs to be a new one."""
    while name in taken:
        name += "_"
    return name


class Parts(NamedTuple):
    """What is printed for a name."""

    letter: str
    subscript: str = ""
    dots: int = 0


class Names:
    """Knows the coordinates, so that qd1 is the rate of q1 and kd is a k with subscript d.

    `others` are further names that stand beside them. Names that would look the same, as q1 and
    q_1, are written out as they are; one without a letter in quotation marks, as 7 is a number.
    Velocities beside a quaternion are no rates of coordinates: ω_x, v_x, in axes of the body.
    """

    def __init__(self, coordinates: Iterable[str] = (), others: Iterable[str] = ()) -> None:
        coordinates, others = tuple(coordinates), tuple(others)
        self._dotted: dict[str, tuple[str, int]] = {x: (x, 0) for x in (*others, *coordinates)}
        self._twists = _twists((*coordinates, *others))
        self._parts = {x: _odd(x) or _word(x.translate(PLAIN)) or _split(x) for x in coordinates}
        self._parts |= self._twists
        self._parts |= {x: _odd(x) or _split(x) for x in others if x not in self._parts}
        seen = Counter((GREEK.get(a, a), b) for a, b in self._parts.values())
        for x, (a, b) in self._parts.items():
            if seen[GREEK.get(a, a), b] > 1:
                self._parts[x] = _odd(x) or (x, "")
        for c in (*coordinates, *self._twists):
            self._dotted[acceleration_name(c)] = (c, 2)
            self._dotted[velocity_name(c)] = (c, 1)

    @classmethod
    def of(cls, names: Names | Iterable[str] | None) -> Names:
        """Coordinates, or names that are known already."""
        return names if isinstance(names, Names) else cls(names or ())

    def parts(self, name: str) -> Parts:
        """Letter, subscript and number of dots."""
        base, dots = self._dotted.get(name) or _usual(name)
        letter, subscript = self._parts.get(base) or _split(base)
        dots -= base in self._twists and dots > 0
        return Parts(printable(letter), printable(subscript), dots)


def _twists(names: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """What is printed for velocities of joints that have quaternions, by the names of their own.

    The name of the joint is a subscript where there are several.
    """
    joints = [x[:-2] for x in names if x.endswith("_w")]
    joints = [x for x in joints if {f"{x}_{k}" for k in "xyz"} <= {*names}]
    letters = {"w": "omega", "v": "v"}
    return {
        f"{joint}_{word}{axis}": (letters[word], f"{joint},{axis}" if len(joints) > 1 else axis)
        for joint in joints
        for word in ("wv" if f"{joint}_px" in names else "w")
        for axis in "xyz"
    }


def printable(text: str) -> str:
    """With a mark in place of what cannot be seen: control characters, directions of writing."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


def _usual(name: str) -> tuple[str, int]:
    """Dots of names that are rates by custom: qd1, thetadd2, xd; primes and accents count too."""
    if name.endswith("'"):
        bare = name.rstrip("'")
        return bare, len(name) - len(bare)
    match = re.fullmatch(rf"({'|'.join(MOVING)})(d{{1,2}})(_?\d*)", name)
    return (match[1] + match[3], len(match[2])) if match else (name, 0)


def _odd(name: str) -> tuple[str, str] | None:
    """A name with signs in it is left whole: z' has no subscript."""
    if is_name(name) and name.strip("_"):
        return None
    return (name if any(map(str.isalpha, name)) else f"“{name}”"), ""


def _word(coordinate: str) -> tuple[str, str] | None:
    """A joint called cart_joint or lift is a word, not a letter with a subscript."""
    head, _, tail = coordinate.partition("_")
    letters = head.rstrip("0123456789")
    digits = head[len(letters) :]
    if len(letters) < 2 or _greek(letters) or (not tail and letters[0] in "qxyz"):
        return None  # qa is q with subscript a
    if len(tail.rstrip("0123456789")) > 2 and tail not in GREEK:
        return coordinate, ""
    return letters, f"{digits},{tail}" if digits and tail else digits + tail


def _greek(letters: str) -> str:
    """The Greek letter that a name begins with, if little comes after it."""
    return next((g for g in GREEK if letters.startswith(g) and len(letters) <= len(g) + 2), "")


@cache
def _split(name: str) -> tuple[str, str]:
    head, _, tail = name.translate(PLAIN).partition("_")
    if not head:
        return name, ""
    letters = re.sub(r"\d+$", "", head) or head
    digits = head[len(letters) :]
    if letters not in GREEK:
        cut = len(_greek(letters)) or (1 if _INDEXED.fullmatch(letters) else len(letters))
        letters, digits = letters[:cut], letters[cut:] + digits
    tail = f"{digits},{tail}" if digits and tail else digits + tail
    return letters, tail
