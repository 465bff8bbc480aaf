"""`Displayed`: what a notebook shows as a card, by the room of what a person sees."""

from __future__ import annotations


class Displayed:
    """A value that a notebook shows with its picture, its numbers and its names."""

    def _repr_html_(self) -> str:
        from visviva.show.cards.card import card

        return card(self)
