"""What a text says that names are, which its claims are read with."""

from __future__ import annotations

from typing import Any, NamedTuple

from visviva.judge.check.answers.pieces import Passage
from visviva.judge.check.said.subjects import subject_of
from visviva.notation.shapes import shape_of


class Definition(NamedTuple):
    """Where a name is defined, the statement that does it, and how it spells the name."""

    where: Passage
    text: str
    key: str
    node: Any  # an equation, with a name on its left

    @property
    def name(self) -> str:
        """As it is spelled."""
        return self.node.left.text or self.key

    @property
    def is_quantity(self) -> bool:
        """Whether the mechanism has it too: M22."""
        return subject_of(self.key, shape_of(self.node.right), "") is not None
