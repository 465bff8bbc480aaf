"""The one place that asks what kind of system it is: from a system to its exact forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from visviva.describe.quantities import BODIES
from visviva.describe.system import System
from visviva.errors import ArgumentError
from visviva.judge.exact.energy_forms import EnergyForms
from visviva.judge.exact.forms import Facts, Forms
from visviva.judge.exact.model_forms import ModelForms


def forms(system: Any, symbols: Iterable[str] | None = None, dry: bool = False) -> Forms:
    """The exact forms of a system; `symbols` of a model stay symbols, all of them if it is None.

    `dry`: with the Coulomb friction of a model.
    """
    if isinstance(symbols, Mapping):
        put = ", ".join(f"{k}={str(x)!r}" for k, x in symbols.items())
        raise ArgumentError(
            "symbols names parameters that stay symbols; values and formulas are put in before",
            cure=f"model.with_parameters({put}).closed_form()",
        )
    if stated(system, "closed_form") == BODIES:
        return ModelForms(system, symbols, dry)
    if symbols is not None:
        raise ArgumentError("symbols= is for models; a Lagrangian is printed as it was stated")
    return EnergyForms(system)


def stated(system: Any, asked: str) -> str:
    """How a system is stated: by bodies or by energies; anything else is refused."""
    if not isinstance(system, System):
        raise ArgumentError(f"{asked} takes a Model or a Lagrangian, got {system!r:.60}")
    return system.stated


def facts(system: Any, symbols: Iterable[str] | None = None) -> Facts:
    """What is true of a system; `symbols` of a model stay symbols, or all of them."""
    return forms(system, symbols, dry=True).facts
