"""The way to the equations, line by line; only of small mechanisms."""

from __future__ import annotations

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
    method = "multipliers" if s.is_held else "lagrange"
    found = s.system.derivation(method)
    html = html_article(found)
    if len(html) > _LONGEST:
        raise NotHereError(f"The derivation has {len(found.equations)} lines and is left out.")
    lead = f"{found.title}, as one writes it by hand. {found.summary}"
    lines = (f"print(system.derivation({method!r}))",)
    return Part(lead, html, lines, folded=True)
