"""Random systems whose forces are piecewise, flat or constant: what rests where is hard to tell.

Forces come from where, sign, abs, min, max, dead bands and constants; potentials have kinks, flat
stretches, zeros of high order, and hills that fade away. Numbers are round, so that a grid of
round numbers meets the places at which something happens.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import visviva as vv

NUMBERS = (0, 0.5, 1, -1, 2, 0.3, -0.7, 1.5)
FORCES = (
    "where(less({x},{a}),{b},{c})",
    "where(less({x},{a}),0,-1)",
    "sign({x}-({a}))",
    "-sign({x}-({a}))",
    "abs({x}-({a}))",
    "-abs({x}-({a}))+({b})",
    "max({x}-({a}),0)",
    "-max({x}-({a}),0)-min({x}+({a}),0)",
    "where(less(abs({x}),1),0,-({x}))",
    "min({x},{a})",
    "{b}",
    "-({x})*({c})",
    "where(less(0,{x}),-({x})*({x}),0)",
    "where(less({x},{a}),{x}-({a}),0)",
)
POTENTIALS = (
    "abs({x})+({x})",
    "abs({x}-({a}))",
    "max({x}-({a}),0)^2",
    "({x}-({a}))^4",
    "max({x},0)^3-({b})*min({x},0)",
    "abs(abs({x})-1)",
    "tanh({x}-({a}))",
    "exp(-({x}-({a}))^2)",
)
BETWEEN = ("{y}", "abs({x}-{y})", "sign({x}-{y})", "where(less({x},{y}),0,1)")


@dataclass(frozen=True)
class Case:
    """A Lagrangian with unit masses in texts, and bounds within which rest is asked for."""

    coordinates: tuple[str, ...]
    forces: dict[str, str]
    potential: str
    within: dict[str, tuple[float, float]] | None

    @cached_property
    def system(self):
        kinetic = " + ".join(f"{x}'^2/2" for x in self.coordinates)
        names = " ".join(self.coordinates)
        return vv.Lagrangian(names, kinetic, self.potential, forces=self.forces)


def piecewise(seed, k, size=None):
    """The k-th case of a seed: of one coordinate or two, or of `size`."""
    rng = np.random.default_rng([seed, k])

    def number():
        return f"{rng.choice(NUMBERS)}"

    def term(x):
        row = FORCES[rng.integers(0, len(FORCES))]
        a, b, c = number(), number(), number()
        return row.format(x=x, a=a, b=b, c=c)

    def energy(x):
        row = POTENTIALS[rng.integers(0, len(POTENTIALS))]
        return row.format(x=x, a=number(), b=number())

    few = 1 if rng.uniform() < 0.75 else 2
    names = tuple("xyz"[: size or few])
    forces, potential = {}, "0"
    for x in names:
        if rng.uniform() < 0.75:
            forces[x] = " + ".join(term(x) for _ in range(rng.integers(1, 3)))
        if rng.uniform() < 0.4:
            potential += " + " + energy(x)
    for x, y in itertools.pairwise(names):
        if rng.uniform() < 0.5:
            forces[x] = f"{forces.get(x, '0')} + {rng.choice(BETWEEN).format(x=x, y=y)}"
    within = None if rng.uniform() < 0.4 else dict.fromkeys(names, (-3, 3))
    return Case(names, forces, potential, within)
