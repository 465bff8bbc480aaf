"""Where terms of position come from: from gravity, or from springs, fields and turning axes.

What a system is made of decides, not letters: a spring may have the stiffness g.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array
from visviva.algebra.exact.poly import Poly
from visviva.equations.forces import forces
from visviva.judge.check.compare.differences import GRAVITATIONAL, POSITIONAL, TIMED
from visviva.judge.check.said.facts import EnergyFacts, Facts, ModelFacts
from visviva.judge.check.said.vocabulary import WEIGHTS, split
from visviva.judge.exact.model import polynomial


def weights(facts: Facts) -> tuple[str, ...]:
    """The parameters that are the strength of gravity."""
    if isinstance(facts, ModelFacts):
        pull = [polynomial(x, facts.ring) for x in facts.forms.exact.gravity]
        return tuple(p for p in facts.parameters if any(x.derivative(p) != 0 for x in pull))
    if isinstance(facts, EnergyFacts):
        T, V = facts.system.kinetic, facts.system.potential
        named = [p for p in facts.parameters if split(p)[0] in WEIGHTS]
        return tuple(p for p in named if _pulls(p, T, V, list(facts.parameters)))
    return ()


def _pulls(name: str, T: Any, V: Any, parameters: list[str]) -> bool:
    """Whether g is in V once, and only times masses: gravity pulls at nothing else."""
    g = sympy.Symbol(name)
    slope = V.diff(g)
    if T.has(g) or slope == 0 or slope.has(g):
        return False
    masses = [m for p in parameters if T.has(m := sympy.Symbol(p)) and not T.diff(m).has(m)]
    return bool(masses) and sympy.expand(slope).subs(dict.fromkeys(masses, 0)) == 0


def weight_forces(facts: Facts) -> Array:
    """∂V/∂q of gravity alone."""
    if isinstance(facts, ModelFacts):
        exact = facts.forms.exact
        springs = [polynomial(x, facts.ring) for x in forces.spring_forces(exact.model, exact.q)]
        alone: Array = facts.quantity("gravity") - np.array(springs, dtype=object)
        return alone
    V = facts.quantity("potential_energy")
    part = V - V.subs({sympy.Symbol(p): 0 for p in weights(facts)})
    slopes = [part.diff(sympy.Symbol(q)) for q in facts.coordinates]
    return np.array(slopes, dtype=object)


def potential_slopes(facts: Facts) -> Array:
    """∂V/∂q: what is left at rest, without what time and turning axes do."""
    if not isinstance(facts, EnergyFacts):
        gravity: Array = facts.quantity("gravity")
        return gravity
    V = facts.quantity("potential_energy")
    return np.array([V.diff(sympy.Symbol(q)) for q in facts.coordinates], dtype=object)


def is_light(facts: Facts) -> bool:
    """Whether nothing has weight."""
    if isinstance(facts, ModelFacts):
        return all(x == 0 for x in facts.forms.exact.gravity)
    return not weights(facts)


def by_origin(
    part: Poly, facts: Facts, pulled: Any, others: Any, is_timed: Callable[[Poly], bool]
) -> Iterator[tuple[str, Poly]]:
    """A sum of terms of position, split by whether they come from gravity or are of time alone.

    `pulled`, `others`: the terms of the true equation that do, and that do not; None if unknown.
    """
    chosen: dict[str, dict[Any, Any]] = {GRAVITATIONAL: {}, POSITIONAL: {}, TIMED: {}}
    ring, strengths = part.ring, weights(facts)
    alone = isinstance(facts, ModelFacts) and not (strengths or facts.model.springs)
    for powers, coefficient in part.p.to_dict().items():
        term = Poly(ring, ring.context.from_dict({powers: coefficient}))
        heavy = any(term.derivative(p) != 0 for p in strengths)
        if isinstance(pulled, Poly) and isinstance(others, Poly):
            mine = powers in pulled.p.to_dict() and powers not in others.p.to_dict()
            heavy = heavy or mine
        heavy = heavy or (alone and not is_light(facts))  # no other forces of position are known
        kind = GRAVITATIONAL if heavy else TIMED if is_timed(term) else POSITIONAL
        chosen[kind][powers] = coefficient
    for kind, terms in chosen.items():
        if terms:
            yield kind, Poly(ring, ring.context.from_dict(terms))
