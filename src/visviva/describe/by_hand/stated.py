"""The inertia of a body as people state it beside its mass, and the way it is stated here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.describe.bodies.inertia import Inertia
from visviva.errors import ArgumentError

MOMENTS = ("Ixx", "Iyy", "Izz")
MOMENT_WORDS = (
    "I",
    "moment",
    "moments",
    "tensor",
    "inertia_tensor",
    "Ic",
    "J",
    "diaginertia",
    *MOMENTS,
)


def check_inertia_words(
    name: str, mass: Any, com: Any, inertia: Any, axis: Any, more: Mapping[str, Any]
) -> None:
    """Refuse moments beside a mass, or without one, with the `Inertia` that has them all."""
    lower = {x.lower(): x for x in MOMENT_WORDS}
    said = {lower[k.lower()]: x for k, x in more.items() if k.lower() in lower}
    if inertia is not None and not isinstance(inertia, Inertia):
        said["inertia"] = inertia
    if not said:
        if mass is not None and inertia is not None:
            raise ArgumentError(f"body {name!r}: mass= or inertia=, one of them")
        return
    words = [*(x for x, y in (("mass", mass), ("com", com)) if y is not None), *said]
    raise ArgumentError(
        f"body {name!r}: an inertia has its mass and its centre of mass in it, about which its "
        f"moments are: in place of {', '.join(f'{x}=' for x in words)} it is "
        f"inertia={_line(mass, com, axis, said)}"
    )


def _line(mass: Any, com: Any, axis: Any, said: Mapping[str, Any]) -> str:
    """The call that makes an inertia of these numbers."""
    first = f"{_typed(1.0 if mass is None else mass)}, {_typed([0, 0, 0] if com is None else com)}"
    principal = [said.get(x, 0.0) for x in MOMENTS]
    given = next((x for k, x in said.items() if k not in MOMENTS), None)
    count = np.size(np.asarray(given, dtype=object))
    if given is None and sum(x in said for x in MOMENTS) > 1:
        given, count = principal, 3
    if count == 3:
        return f"vv.Inertia.from_moments({first}, {_typed(given)})"
    if count == 9:
        return f"vv.Inertia({first}, {_typed(given)})"
    if given is None:
        (one,) = said
        normal, given = one[-1], said[one]
    else:
        normal = str(axis).lstrip("+-").lower()
    about = f", normal={normal!r}" if normal in ("x", "y") else ""
    return f"vv.Inertia.planar({first}, {_typed(given)}{about})"


def _typed(x: Any) -> str:
    return repr(x.tolist() if isinstance(x, np.ndarray) else x)
