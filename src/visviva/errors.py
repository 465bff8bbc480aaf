"""The errors of visviva: each says what was asked, what was got and what is available."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class VisvivaError(Exception):
    """Base of every error that visviva raises on purpose."""


class ShapeError(VisvivaError, ValueError):
    """An array has the wrong shape."""


class RotationError(VisvivaError, ValueError):
    """A matrix that should turn things stretches, shears or mirrors them."""


class SingularError(VisvivaError, ValueError):
    """A mass matrix has no inverse at any position; the message says which motion is free."""


class NotFiniteWarning(RuntimeWarning):
    """Finite arguments gave nan or infinity; told once for each function, with the reason."""


class DtypeError(VisvivaError, TypeError):
    """An array holds something that is not a real number."""


class ArgumentError(VisvivaError, TypeError):
    """A call has too few, too many or contradictory arguments."""


class UnknownNameError(VisvivaError, ValueError):
    """A name does not exist; the message lists those that do."""

    def __init__(
        self, kind: str, name: object, available: Iterable[str], way: str | None = None
    ) -> None:
        """`way` is what was most likely meant, if that is known better than by its letters."""
        names = list(available)
        close = [x for x in names if x.lower() == str(name).lower()]
        close = close or get_close_matches(str(name), names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        hint = hint if way is None else f": {way}"
        listed = ", ".join(map(repr, names)) or "none"
        super().__init__(f"unknown {kind} {name!r}{hint} (available: {listed})")


class TraceError(VisvivaError, TypeError):
    """A Python function did something that cannot be recorded as an expression."""


class GraphError(VisvivaError, ValueError):
    """Expressions of two different traces were mixed."""


class BackendError(VisvivaError, RuntimeError):
    """Something optional is missing, or this platform cannot do what was asked."""
