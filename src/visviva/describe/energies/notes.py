"""The notes of a system stated by energies: what was stated, and what is found out when asked."""

from __future__ import annotations

from typing import Any, cast

from visviva.describe.model.idle import ALWAYS

AS_L = "kinetic has terms without velocities"
AS_WAVES = "parameters named as sines and cosines are in short"


class Notes:
    """The notes of a system stated by energies: those it was given, and what its energies lack.

    That M is singular everywhere, `kinetic` seems to be L, or c2 may be a cosine, is found out when
    the notes are asked for, and belongs to these energies alone: a system that is made from this
    one does not take it over.
    """

    def __get__(self, system: Any, owner: type) -> Any:
        if system is None:
            return ()  # the default of the field
        found_out = system.derived.once("notes", lambda s: s._derived_notes())
        return (*given_notes(system), *found_out)

    def __set__(self, system: Any, notes: Any) -> None:
        system.__dict__["notes"] = tuple(
            x for x in notes if not x.startswith((ALWAYS, AS_L, AS_WAVES))
        )


def given_notes(system: Any) -> tuple[str, ...]:
    """Those that were stated, without looking for others."""
    return cast("tuple[str, ...]", system.__dict__["notes"])
