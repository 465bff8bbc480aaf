"""How a name is printed: a letter, its subscript and the dots of a time derivative.

Examples:
    >>> Names(["q1"]).parts("qdd1")
    Parts(letter='q', subscript='1', dots=2)
    >>> Names().parts("lc2")
    Parts(letter='l', subscript='c2', dots=0)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from visviva.algebra.naming import acceleration_name, velocity_name

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
LETTERS = {letter: name for name, letter in GREEK.items()}
MOVING = ("q", "x", "y", "z", "theta", "phi", "psi", "alpha", "beta", "gamma")


class Parts(NamedTuple):
    """What is printed for a name."""

    letter: str
    subscript: str = ""
    dots: int = 0


class Names:
    """Knows the coordinates, so that qd1 is the rate of q1 and kd is a k with subscript d."""

    def __init__(self, coordinates: Iterable[str] = ()) -> None:
        self._dotted: dict[str, tuple[str, int]] = {}
        for c in coordinates:
            self._dotted[acceleration_name(c)] = (c, 2)
            self._dotted[velocity_name(c)] = (c, 1)

    @classmethod
    def of(cls, names: Names | Iterable[str] | None) -> Names:
        """Coordinates, or names that are known already."""
        return names if isinstance(names, Names) else cls(names or ())

    def parts(self, name: str) -> Parts:
        """Letter, subscript and number of dots."""
        base, dots = self._dotted.get(name) or _usual(name)
        letter, subscript = _split(base)
        return Parts(letter, subscript, dots)


def _usual(name: str) -> tuple[str, int]:
    """Dots of names that are rates by custom: qd1, thetadd2, xd; primes and accents count too."""
    if name.endswith("'"):
        bare = name.rstrip("'")
        return bare, len(name) - len(bare)
    match = re.fullmatch(rf"({'|'.join(MOVING)})(d{{1,2}})(_?\d*)", name)
    return (match[1] + match[3], len(match[2])) if match else (name, 0)


@cache
def _split(name: str) -> tuple[str, str]:
    head, _, tail = name.partition("_")
    if not head:
        return name, ""
    letters = re.sub(r"\d+$", "", head) or head
    digits = head[len(letters) :]
    if letters not in GREEK:
        greek = next((g for g in GREEK if letters.startswith(g) and len(letters) <= len(g) + 2), "")
        cut = len(greek) or (1 if len(letters) <= 3 else len(letters))
        letters, digits = letters[:cut], letters[cut:] + digits
    tail = f"{digits},{tail}" if digits and tail else digits + tail
    return letters, tail
