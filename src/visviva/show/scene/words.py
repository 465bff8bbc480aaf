"""What the parameters of a system are, in words: by their places, or as the catalogue says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from visviva.describe.catalog.kinds import PARAMETERS
from visviva.equations.parameters.meaning import Meaning, meanings


def words_of(system: Any) -> dict[str, Meaning]:
    """Of every parameter, by name; of mechanisms like those of the catalogue its own words."""
    own = PARAMETERS.get(str(system.name), {})
    known = own if own.keys() <= system.parameters.keys() else {}
    return {
        name: replace(found, text=known.get(name, found.text))
        for name, found in meanings(system).items()
    }
