"""`Plan`: how joints are found one after the other, with every branch on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

OneBranch = dict[int, Any]  # by index in the chain: a `Turn`, or a length
Run = Callable[..., list[OneBranch]]


@dataclass(frozen=True)
class Plan:
    """Steps that find joints: in words, how many branches there are, and the computation.

    `run` takes a point and where it shall go, or a motion, and gives every branch, existing or not.
    """

    words: tuple[str, ...]
    branches: int
    run: Run
    is_proved: bool = True  # that no branch is lost: roots of quartics may be, where two meet
