"""What a mass distribution can be, and why a given one cannot."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import is_numeric
from visviva.errors import InertiaError

TOLERANCE = 1e-9  # relative: files round to a few digits
PLANE = "Inertia.planar(mass, com, moment), with moments [I/2, I/2, I]"


def check_inertia(mass: Any, com: Any, tensor: Any, whole: Any = 0.0) -> None:
    """Refuse impossible numbers; symbols pass. `whole` is what a part was taken from."""
    if reason := impossibility(mass, com, tensor, whole):
        published = "principal moment" in reason  # tables round, and some were measured so
        hint = "; checked=False takes published numbers as they are" if published else ""
        if "moments 0, 0, " in reason:  # as textbooks of motion in a plane state them
            hint = f"; for motion in a plane there is {PLANE}{hint}"
        raise InertiaError(reason + hint)


def impossibility(mass: Any, com: Any, tensor: Any, whole: Any = 0.0) -> str:
    """Why no body has these numbers, or an empty string."""
    if not (is_numeric([mass]) and is_numeric(com) and is_numeric(tensor)):
        return ""
    I = np.asarray(tensor, dtype=float)  # noqa: E741  the books' letter
    values = [float(mass), *np.asarray(com, dtype=float), *I.ravel()]
    if not np.isfinite(values).all():
        return f"mass, centre and tensor must be finite, got mass {mass}, com {com}, tensor {I}"
    if mass < 0:
        return f"mass is {mass}; a mass cannot be negative"
    # sums and differences of bodies round relative to what they are about the origin
    scale = max(np.abs(I).max(), np.abs(np.asarray(whole, dtype=float)).max())
    scale += float(mass) * float(np.sum(np.square(values[1:4])))
    if np.abs(I - I.T).max() > TOLERANCE * scale:
        return f"the inertia tensor is not symmetric: {I.tolist()}"
    if mass == 0 and np.abs(I).max() > 0:
        return f"mass is 0 but the inertia tensor is not: {I.tolist()}"
    a, b, c = np.linalg.eigvalsh((I + I.T) / 2)
    if a < -TOLERANCE * scale:
        return f"the inertia tensor has a negative principal moment {a:.6g}"
    if c > (a + b) * (1 + TOLERANCE) + TOLERANCE * scale:
        return (
            f"principal moments {a:.6g}, {b:.6g}, {c:.6g} break the triangle inequality: "
            f"{c:.6g} > {a:.6g} + {b:.6g}, and no distribution of mass does"
        )
    return ""
