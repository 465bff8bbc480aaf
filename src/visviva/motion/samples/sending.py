"""Trajectories that are copied, or sent to another process."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any, Self

from visviva.describe.values import reduced
from visviva.motion.samples.forces import LINEAR

LOST = {  # what cannot be sent if it is a function of Python's, and what is in its place
    "between": (LINEAR, "forces between samples were those of a function, and are on straight "
                        "lines here"),
    "dense": (None, "states between samples were those of the steps, and are interpolated here"),
}  # fmt: skip


class Sent:
    """A value of arrays that nobody changes, and perhaps functions."""

    def __deepcopy__(self, memo: Any) -> Self:
        """Itself: nothing in it changes."""
        return self

    def __reduce__(self: Any) -> tuple[Any, ...]:
        _ = self.tau  # computed now, if nobody has asked for it yet
        lost = {k: x for k, x in LOST.items() if not _may_be_sent(getattr(self, k))}
        if lost:
            notes = (*self.notes, *(note for _, note in lost.values()))
            self = replace(self, **{k: x for k, (x, _) in lost.items()}, notes=notes)
        return reduced(self)


def _may_be_sent(x: Any) -> bool:
    try:
        pickle.dumps(x)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True
