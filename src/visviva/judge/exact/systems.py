"""The one place that asks what kind of system it is: from a system to its exact forms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError
from visviva.judge.exact.energy_forms import EnergyForms
from visviva.judge.exact.forms import Forms
from visviva.judge.exact.model_forms import ModelForms


def forms(system: Any, symbols: Iterable[str] | None = None, dry: bool = False) -> Forms:
    """The exact forms of a system; `symbols` of a model stay symbols, all of them if it is None.

    `dry`: with the Coulomb friction of a model.
    """
    if isinstance(system, Model):
        return ModelForms(system, symbols, dry)
    if not isinstance(system, Lagrangian):
        raise ArgumentError(f"a Model or a Lagrangian has exact forms, got {system!r:.60}")
    if symbols is not None:
        raise ArgumentError("symbols= is for models; a Lagrangian is printed as it was stated")
    return EnergyForms(system)
