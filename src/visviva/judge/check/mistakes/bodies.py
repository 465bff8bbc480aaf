"""Mistakes in inertias: the parallel-axis term forgotten, or taken twice."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.body import WORLD
from visviva.errors import ArgumentError
from visviva.judge.check.compare.case import Case
from visviva.judge.check.mistakes.energy_changes import change
from visviva.judge.check.mistakes.mistake import Mistake
from visviva.judge.check.said.facts import ModelFacts
from visviva.judge.check.said.vocabulary import INERTIAS, LENGTHS, MASSES, split
from visviva.judge.exact.model import polynomial

FORGOTTEN, TWICE = "parallel axis", "inertia about the joint"


def mistakes(case: Case) -> Iterator[Mistake]:
    """For each body, and for all of them."""
    if (
        case.is_wide
        or case.subject.frame
        or case.subject.kind in ("gravity", "potential_energy", "dissipation")
    ):
        return
    if isinstance(case.facts, ModelFacts):
        yield from _of_model(case, case.facts)
    else:
        yield from _of_names(case)


def _of_model(case: Case, facts: ModelFacts) -> Iterator[Mistake]:
    found = {i: T for i in range(len(facts.bodies)) if (T := _about_joint(facts, i)) != 0}
    groups = [([i], f"of {facts.bodies[i]}") for i in found]
    if len(found) > 1:
        groups.append((list(found), "of every body"))
    for group, whose in groups:
        T = sum((found[i] for i in group), facts.ring.number(0))
        yield Mistake(
            FORGOTTEN,
            f"The parallel-axis term m r² {whose} was forgotten.",
            partial(_with_energy, case, -T),
        )
        yield Mistake(
            TWICE,
            f"The inertia {whose} is taken about the joint, where that about the centre of mass "
            "belongs: m r² counts twice.",
            partial(_with_energy, case, T),
        )


def _about_joint(facts: ModelFacts, i: int) -> Any:
    """½ m |ω × r|², with r from the last joint that turns the body to its centre of mass."""
    forms, bodies = facts.forms, facts.forms.exact.model.bodies
    body, last = bodies[i], i
    while not bodies[last].joint.angular or not any(bodies[last].joint.angular):
        if bodies[last].parent == WORLD:
            return 0
        last = bodies[last].parent
    X, joint = forms.pose(body.name), forms.pose(bodies[last].name)
    r = X[:3, :3] @ body.inertia.com + X[:3, 3] - joint[:3, 3]
    w = forms.jacobian(bodies[last].name)[:3] @ forms.velocities
    c = np.array([w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0]])
    return polynomial(body.inertia.mass * (c @ c) / 2, facts.ring)


def _with_energy(case: Case, T: Any) -> Array:
    made = change(case, case.field.read(T))
    if made is None:
        raise ArgumentError("the kinetic energy has no part in it")
    return case.truth + case.about(made)


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
                    partial(case.changed, case.truth, {name: ring[name] - term}),
                )
                yield Mistake(
                    TWICE,
                    f"{case.spell(name)} is taken about the joint, where that about the centre of "
                    f"mass belongs: {said} counts twice.",
                    partial(case.changed, case.truth, {name: ring[name] + term}),
                )
