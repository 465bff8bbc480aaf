"""State a mechanism once: its equations, proven; its machine code; its motion.

The line from a formula to machine code:

    import numpy as np
    import visviva as vv

    def energy(q, v):                                        # any Python over generic scalars
        s, c = vv.generic.sincos(q)
        return v @ v / 2 + (1 - c).sum()

    f = vv.function(energy, inputs={"q": 3, "v": 3})         # traced once, compiled on first use
    f(np.zeros((1_000_000, 3)), np.ones(3))                  # a million states, one call
    f.jacobian("q")                                          # its derivative, compiled as well

Names are loaded on first use: importing visviva imports nothing else.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from visviva import errors as errors
    from visviva.algebra import generic as generic
    from visviva.errors import VisvivaError as VisvivaError
    from visviva.machine.function import Function as Function
    from visviva.machine.function import function as function

__version__ = "0.1.0"

_WHERE = {
    "Function": "visviva.machine.function:Function",
    "VisvivaError": "visviva.errors:VisvivaError",
    "errors": "visviva.errors:",
    "function": "visviva.machine.function:function",
    "generic": "visviva.algebra.generic:",
}

__all__ = ["Function", "VisvivaError", "__version__", "errors", "function", "generic"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"visviva has no {name!r} (available: {', '.join(sorted(__all__))})")
    module, _, attribute = _WHERE[name].partition(":")
    found = importlib.import_module(module)
    value = getattr(found, attribute) if attribute else found
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
