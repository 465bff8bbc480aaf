"""Mistakes in inertias: the parallel-axis term forgotten, or taken twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from visviva.describe.inertia import Inertia
from visviva.judge.case import Case, elements
from visviva.judge.facts import ModelFacts
from visviva.judge.forms import ModelForms
from visviva.judge.mistakes import Mistake
from visviva.judge.vocabulary import INERTIAS, LENGTHS, MASSES, split
from visviva.space.rotations import Array

FORGOTTEN, TWICE = "parallel axis", "inertia about the joint"


def mistakes(case: Case) -> Iterator[Mistake]:
    """For each body, and for all of them."""
    if case.subject.frame or case.subject.kind in ("gravity", "potential_energy", "dissipation"):
        return
    if isinstance(case.facts, ModelFacts):
        yield from _of_model(case, case.facts)
    else:
        yield from _of_names(case)


def _of_model(case: Case, facts: ModelFacts) -> Iterator[Mistake]:
    bodies = facts.forms.exact.model.bodies
    off = [i for i, b in enumerate(bodies) if any(x != 0 for x in np.ravel(b.inertia.com))]
    groups = [([i], f"of {facts.bodies[i]}") for i in off]
    if len(off) > 1:
        groups.append((off, "of every body"))
    for group, whose in groups:
        for kind, sign, sentence in (
            (FORGOTTEN, -1, "The parallel-axis term m r² {} was forgotten."),
            (
                TWICE,
                1,
                "The inertia {} is taken about the joint, where that about the centre of "
                "mass belongs: m r² counts twice.",
            ),
        ):
            yield Mistake(
                kind, sentence.format(whose), partial(_with_tensors, case, facts, group, sign)
            )


def _with_tensors(case: Case, facts: ModelFacts, group: list[int], sign: int) -> Array:
    exact = facts.forms.exact
    bodies = list(exact.model.bodies)
    for i in group:
        bodies[i] = replace(bodies[i], inertia=_shifted(bodies[i].inertia, sign))
    changed = replace(exact, model=replace(exact.model, bodies=tuple(bodies)))
    other = ModelFacts(facts.model, ModelForms.of(changed))
    return case.about(elements(other.quantity(case.subject.kind), case.field))


def _shifted(body: Inertia, sign: int) -> Inertia:
    """The tensor about the centre of mass, with m (c² 1 - c cᵀ) added or taken away."""
    c, m = body.com, body.mass
    term = m * ((c @ c) * np.eye(3, dtype=int) - np.outer(c, c))
    return replace(body, tensor=body.tensor + sign * term, checked=False)


def _of_names(case: Case) -> Iterator[Mistake]:
    """Where there are no bodies, by the letters: I2 with m2 and r2."""
    ring = case.field.ring
    parts = [(p, *split(p)) for p in case.facts.parameters]
    for name, stem, index in parts:
        if stem not in INERTIAS:
            continue
        masses = [p for p, s, i in parts if s in MASSES and i == index]
        arms = [p for p, s, i in parts if s in LENGTHS and i == index]
        for m in masses:
            for r in arms:
                term = ring[m] * ring[r] ** 2
                said = f"{case.spell(m)} {case.spell(r)}²"
                yield Mistake(
                    FORGOTTEN,
                    f"The parallel-axis term {said} was forgotten.",
                    _changed(case, {name: ring[name] - term}),
                )
                yield Mistake(
                    TWICE,
                    f"{case.spell(name)} is taken about the joint, where that about the centre of "
                    f"mass belongs: {said} counts twice.",
                    _changed(case, {name: ring[name] + term}),
                )


def _changed(case: Case, changes: dict[str, Any]) -> Callable[[], Array]:
    return lambda: case.changed(case.truth, changes)
