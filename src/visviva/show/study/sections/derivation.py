"""The way to the equations, line by line; only of small mechanisms."""

from __future__ import annotations

from typing import Any

from visviva.errors import ArgumentError, VisvivaError
from visviva.judge.derive.documents import html_article
from visviva.show.study.part import NotHereError, Part
from visviva.show.study.studied import Studied

_MOST_VELOCITIES = 3
_LONGEST = 400_000  # characters


def derivation_steps(s: Studied) -> Part:
    """By Lagrange, every line compared with an independent computation."""
    if s.system.nv > _MOST_VELOCITIES:
        raise NotHereError(
            f"With {s.system.nv} velocities the derivation is long; "
            'system.derivation("lagrange") writes it.'
        )
    found = _derived(s)
    html = html_article(found)
    if len(html) > _LONGEST:
        raise NotHereError(f"The derivation has {len(found.equations)} lines and is left out.")
    lead = f"{found.title}, as one writes it by hand. {found.summary}"
    lines = (f"print(system.derivation({found.method!r}))",)
    return Part(lead, html, lines, folded=True)


def _derived(s: Studied) -> Any:
    """With the forces of constraints, where these can be solved for."""
    if s.is_held:
        try:
            return s.system.derivation("multipliers")
        except VisvivaError:
            pass
    try:
        return s.system.derivation("lagrange")
    except ArgumentError:  # velocities that are no rates of coordinates
        if not s.has_bodies:
            raise
        return s.system.derivation("newton-euler")
