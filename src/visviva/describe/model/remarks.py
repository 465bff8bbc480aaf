"""Notes that a motion repeats: what the source of a model states and the model does not have."""

from __future__ import annotations

from typing import Any


class Unmodelled(str):
    """A note on what acts at the source and not in the model; `effect` is the kind of it.

    Examples:
        >>> note = Unmodelled("contact", "contacts are not part of the model")
        >>> note, note.effect
        ('contacts are not part of the model', 'contact')
    """

    effect: str

    def __new__(cls, effect: str, text: str) -> Unmodelled:
        note = super().__new__(cls, text)
        note.effect = effect
        return note

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.effect, str(self)


def unmodelled(notes: tuple[str, ...]) -> list[Unmodelled]:
    """The notes on what does not act in the model."""
    return [x for x in notes if isinstance(x, Unmodelled)]
