"""The parameters of a system stated by energies: values, names alone, and what symbols declare."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import sympy

from visviva.describe.energies.admitted import shown
from visviva.describe.energies.formulas import contradiction, listed, name_of, says_more
from visviva.errors import ArgumentError


def stated_parameters(parameters: Any) -> dict[Any, Any]:
    """Values by name; names without values are a text, or a list of names and symbols."""
    if isinstance(parameters, Mapping):
        return dict(parameters)
    return dict.fromkeys(listed(parameters) if parameters else ())


def declared_symbols(
    symbols: list[Any], given: Mapping[str, float], motion: set[str]
) -> tuple[Any, ...]:
    """The symbols that say more than formulas and values; refused where a value contradicts."""
    for s in symbols:
        if s.name in given and (fact := contradiction(s, given[s.name])):
            raise ArgumentError(f"parameter {s.name!r} is {fact}, got {given[s.name]:g}")
    kept = {
        sympy.Symbol(s.name, **s.assumptions0)  # of a dummy too
        for s in symbols
        if s.name not in motion and (s.name not in given or says_more(s))
    }
    return tuple(sorted(kept, key=sympy.default_sort_key))


def parameter_value(name: Any, x: Any) -> float:
    """A finite number, or an error that names the parameter."""
    try:
        value = float(x) if isinstance(x, (Real, sympy.Number)) else math.nan
    except (OverflowError, TypeError):  # too large, or not real
        value = math.nan
    if not math.isfinite(value):
        raise ArgumentError(f"parameter {name_of(name)!r} is a finite number, got {shown(repr(x))}")
    return value
