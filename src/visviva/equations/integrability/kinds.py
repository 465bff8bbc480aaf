"""What kind of constraints a system has: exactly where formulas allow it, else by numbers."""

from __future__ import annotations

from typing import Any

import sympy

from visviva.describe.energies.formulas import exact
from visviva.equations.integrability.classification import HOLONOMIC, STATED, Classification
from visviva.equations.integrability.typing import classified
from visviva.equations.integrability.witness import by_numbers
from visviva.errors import OutsideError


def classification(s: Any) -> Classification:
    """What kind of constraints a system has."""
    if not s.held_by:
        free = tuple(s.motion_names)
        return Classification(HOLONOMIC, STATED, (), free, (len(free),), True, ())
    home = s._constraint_equations()
    values = {sympy.Symbol(name): exact(x) for name, x in s.parameters.items()}
    try:
        return classified(home.pfaffian(s), values)
    except OutsideError as reason:
        return by_numbers(s, home, str(reason))
