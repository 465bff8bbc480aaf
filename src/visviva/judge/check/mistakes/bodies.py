"""Mistakes in inertias: the parallel-axis term forgotten or taken twice, relative rates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.exact.poly import Poly
from visviva.algebra.exact.ring_sympy import as_sympy
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.model.body import WORLD
from visviva.describe.quantities import FRAME_JACOBIAN
from visviva.judge.check.compare.case import Case
from visviva.judge.check.mistakes.mistake import Mistake
from visviva.judge.check.said.vocabulary import INERTIAS, LENGTHS, MASSES, split
from visviva.judge.exact.elements import elements
from visviva.judge.exact.systems import facts
from visviva.space.rotations import cross

FORGOTTEN, TWICE, RELATIVE = "parallel axis", "inertia about the joint", "relative rate"


def mistakes(case: Case) -> Iterator[Mistake]:
    """For each body, and for all of them."""
    if not (case.is_wide or case.subject.frame):
        yield from (_of_model if case.facts.bodies else _of_names)(case)


def _of_model(case: Case) -> Iterator[Mistake]:
    if len(case.facts.moving) != len(case.facts.rates):
        return  # velocities are no rates of coordinates
    for whose, T in _energies(case, _about_joint):
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
    for whose, T in _energies(case, _relative):
        yield Mistake(
            RELATIVE,
            f"In ½ I ω² {whose} ω is the rate of the joint alone, where that of the body in the "
            "world belongs: the rates of the joints before it are added.",
            partial(_with_energy, case, T),
        )


def _energies(case: Case, of: Callable[[Case, int], Any]) -> list[tuple[str, Any]]:
    """For each body and for all of them, where it is not zero."""
    energies = {f"of {name}": of(case, i) for i, name in enumerate(case.facts.bodies)}
    energies = {whose: T for whose, T in energies.items() if T != 0}
    if len(energies) > 1:
        energies["of every body"] = sum(energies.values(), case.facts.ring.number(0))
    return list(energies.items())


def _relative(case: Case, i: int) -> Any:
    """What ½ ω · I ω gains where ω is the rate of the body's own joint, not that in the world."""
    forms: Any = case.facts.forms
    bodies = forms.exact.model.bodies
    body = bodies[i]
    if body.parent == WORLD or not any(body.joint.angular):
        return 0
    R = forms.quantity("pose", body.name)[:3, :3]
    w, base = (
        forms.quantity(FRAME_JACOBIAN.exact, name)[:3] @ forms.velocities
        for name in (body.name, bodies[body.parent].name)
    )
    true, own = R.T @ w, R.T @ (w - base)
    tensor = body.inertia.tensor
    return forms.polynomial((own @ tensor @ own - true @ tensor @ true) / 2)


def _about_joint(case: Case, i: int) -> Any:
    """½ m |ω × r|², with r from the last joint that turns the body to its centre of mass."""
    forms: Any = case.facts.forms
    bodies = forms.exact.model.bodies
    body, last = bodies[i], i
    while not any(bodies[last].joint.angular):
        if bodies[last].parent == WORLD:
            return 0
        last = bodies[last].parent
    X, joint = (forms.quantity("pose", name) for name in (body.name, bodies[last].name))
    r = X[:3, :3] @ body.inertia.com + X[:3, 3] - joint[:3, 3]
    w = forms.quantity(FRAME_JACOBIAN.exact, bodies[last].name)[:3] @ forms.velocities
    c = np.array(cross(w, r))
    return forms.polynomial(body.inertia.mass * (c @ c) / 2)


def _with_energy(case: Case, T: Poly) -> Array:
    """The truth with more kinetic energy: all is linear in T, so its own equations are added."""
    system = Lagrangian(case.facts.coordinates, as_sympy(T), 0)
    added = elements(facts(system).quantity(case.subject.kind), case.field)
    return case.truth + case.about(added)


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
