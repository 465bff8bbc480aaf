"""The errors of visviva: each says what was asked, what was got and what is available."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import FrozenInstanceError
from difflib import get_close_matches
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import Any

WINDOW = 60  # characters of a long text shown around an error


class VisvivaError(Exception):
    """Base of every error that visviva raises on purpose.

    `cure` is a line of Python that works in place of what was refused, "" if none is known.
    """

    def __init__(self, problem: str = "", *, cure: str = "") -> None:
        super().__init__(f"{problem}: here it is {cure}" if cure else problem)
        self.cure = cure

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_kind, (type(self),), vars(self) | {"args": self.args}


def _of_kind(kind: type[VisvivaError]) -> VisvivaError:
    """One that says nothing yet."""
    return kind.__new__(kind)


class ShapeError(VisvivaError, ValueError):
    """An array has the wrong shape."""


class RotationError(VisvivaError, ValueError):
    """A matrix that should turn things stretches, shears or mirrors them."""


class SingularError(VisvivaError, ValueError):
    """A mass matrix without inverse, or a velocity that no joint gives; the message says which."""


class NotFiniteWarning(RuntimeWarning):
    """Finite arguments gave nan or infinity; told once for each function, with the reason."""


class DoubtfulWarning(RuntimeWarning):
    """A state at which a result means little: M is nearly singular, or constraints do not hold."""


class ConstraintForcesWarning(UserWarning):
    """Forces that leave those of constraints out were asked for; told once, with what has them."""


class AccountWarning(RuntimeWarning):
    """Energy appears or is lost along a motion by more than the requested tolerance admits."""


class DtypeError(VisvivaError, TypeError):
    """An array holds something that is not a real number."""


class ArgumentError(VisvivaError, TypeError):
    """A call has too few, too many or contradictory arguments."""


class UnknownNameError(VisvivaError, ValueError):
    """A name does not exist; the message lists those that do."""

    def __init__(
        self,
        kind: str,
        name: object,
        available: Iterable[str],
        way: str | None = None,
        *,
        cure: str = "",
    ) -> None:
        """`way` or `cure` say what was meant, if that is known better than by its letters."""
        self.unknown = str(name)
        names = list(available)
        close = [x for x in names if x.lower() == str(name).lower()]
        close = close or get_close_matches(str(name), names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close and not cure else ""
        hint = f": {way}" if way else hint
        listed = ", ".join(map(repr, names)) or "none"
        text = repr(name) if isinstance(name, str) else " ".join(f"{name!r:.60}".split())
        super().__init__(f"unknown {kind} {text}{hint} (available: {listed})", cure=cure)


def check_known(
    kind: str, name: object, available: Iterable[str], words: Mapping[str, str] | None = None
) -> None:
    """Refuse a name that is not among those available; `words` of others mean some of them."""
    names = list(available)
    if not isinstance(name, Hashable) or name not in names:
        meant = (words or {}).get(str(name).lower())
        raise UnknownNameError(kind, name, names, meant and f"did you mean {meant!r}?")


def path_of(verb: str, path: Any) -> Path:
    """The path of a file; what is none is refused."""
    if not isinstance(path, (str, PathLike)):
        raise ArgumentError(f"{verb} takes the path of a file, got {type(path).__name__}")
    return Path(path)


def by_names(
    what: str, given: Mapping[str, Any] | None, words: Mapping[str, Any]
) -> dict[str, Any]:
    """What a mapping and words of a call say of names; nothing may be said twice."""
    if twice := [x for x in words if x in (given or {})]:
        raise ArgumentError(f"{what}: {twice[0]!r} is given twice, in a mapping and as a word")
    return {**(given or {}), **words}


class TraceError(VisvivaError, TypeError):
    """A Python function did something that cannot be recorded as an expression."""


class GraphError(VisvivaError, ValueError):
    """Expressions of two different traces were mixed."""


class BackendError(VisvivaError, RuntimeError):
    """Something optional is missing, or this platform cannot do what was asked."""


class ParseError(VisvivaError, ValueError):
    """A typed formula cannot be read: the text, a mark at the place, what was expected."""

    def __init__(self, text: str, column: int, problem: str) -> None:
        self.text, self.column, self.problem = text, column, problem
        start = max(0, column - WINDOW)
        shown = text[start : column + WINDOW]
        shown = "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in shown)
        lead = "…" if start else ""
        tail = "…" if column + WINDOW < len(text) else ""
        mark = " " * (len(lead) + column - start) + "^"
        super().__init__(f"{problem}\n  {lead}{shown}{tail}\n  {mark}")


class WriteError(VisvivaError, ValueError):
    """The file format cannot say this."""


class ReadError(VisvivaError, ValueError):
    """A file is not what it should be; the message says where, and what would be accepted."""


class MechanismFileError(VisvivaError, ValueError):
    """A mechanism file cannot be read: which file, which table and key, what would be accepted."""


class InertiaError(VisvivaError, ValueError):
    """No body has this mass and inertia."""


class EquilibriumError(VisvivaError, ValueError):
    """A state is no equilibrium and no steady motion; the message says what accelerates."""

    def __init__(self, reason: str, caller: str = "") -> None:
        """`caller` is the function that was asked, with which the message begins."""
        super().__init__(f"{caller}: {reason}" if caller else reason)
        self.reason = reason


class BranchesError(EquilibriumError):
    """Small motions make no linear space: branches of motions meet at the position."""


class FlatError(EquilibriumError):
    """Rounding decides the slope of the forces, so that the linear system does not tell."""


class ActuationError(VisvivaError, ValueError):
    """The actuators cannot make every generalized force."""


class RankError(VisvivaError, ValueError):
    """How many parameters matter cannot be told from rounding."""


class ClaimFileError(VisvivaError, ValueError):
    """A file of claims cannot be read: which file, which place, what would be accepted."""


class TogetherError(ArgumentError):
    """Whether several statements say as much together as one by one is not known."""


class DerivationError(VisvivaError, ArithmeticError):
    """Two computations of one line differ: nothing is printed."""


class SymbolError(VisvivaError, TypeError):
    """A SymPy object has no counterpart among our operations, or the other way round."""


class OutsideError(VisvivaError, TypeError):
    """Something that is no polynomial in symbols, sines and cosines."""


class MissingAttributeError(VisvivaError, AttributeError):
    """A value, a class or a module has nothing that is called so."""


class LateError(MissingAttributeError):
    """What it says is looked up when it is read: `hasattr` reads nothing."""

    def __init__(self, advise: Callable[..., tuple[str, str]], *args: Any) -> None:
        AttributeError.__init__(self)
        self._advise = partial(advise, *args)

    @cached_property
    def _advice(self) -> MissingAttributeError:
        problem, line = self._advise()
        return MissingAttributeError(problem, cure=line)

    cure: Any = property(lambda self: self._advice.cure)

    def __str__(self) -> str:
        return str(self._advice)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._advice.__reduce__()


class ReadOnlyError(VisvivaError, FrozenInstanceError, ValueError):
    """What stays as it is was written to; the cure makes another."""


class ConstrainedError(ArgumentError, AttributeError):
    """A system is held by constraints, and what was asked does not honour them."""


class AssemblyError(VisvivaError, ValueError):
    """A mechanism is not, or cannot be put, where its constraints hold.

    `q` is the best position that is known, `residual` the largest error there, in metres or
    radians, and `row` says whose it is; `turns_back` if a joint goes no further than there.
    """

    def __init__(
        self, message: str, q: Any, residual: float, row: str, turns_back: bool = False
    ) -> None:
        super().__init__(message)
        self.q, self.residual, self.row, self.turns_back = q, residual, row, turns_back


class MotionError(VisvivaError, ArithmeticError):
    """A motion cannot go on; `trajectory` is what was computed until then, or None."""

    def __init__(self, message: str, trajectory: Any = None) -> None:
        super().__init__(message)
        self.trajectory = trajectory


class OutOfTimeError(VisvivaError, TimeoutError):
    """Work was given some time, and takes longer."""


class UnknownMechanismError(UnknownNameError, AttributeError):
    """The catalogue has no mechanism of this name; the message lists those it has."""


class UnusedNameError(ArgumentError):
    """symbols= says what names mean, `names`, that the claim has not."""

    def __init__(self, names: Sequence[str], there: Sequence[str]) -> None:
        self.names = tuple(names)
        listed = ", ".join(dict.fromkeys(there))
        super().__init__(f"symbols= names {', '.join(names)}, the claim has: {listed:.300}")
