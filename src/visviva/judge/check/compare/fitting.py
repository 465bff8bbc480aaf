"""Claims in the shape of the truth: columns and rows are vectors too."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ShapeError
from visviva.judge.check.said.subjects import Subject
from visviva.judge.exact.elements import scalar


def of_velocity(said: Any, truth: Array, subject: Subject) -> Array:
    """The rows of a Jacobian that are meant by two or three: the velocity of the origin."""
    rows = len(said) if isinstance(said, np.ndarray) else 0
    is_part = subject.kind == "jacobian" and rows in (2, 3)
    return truth[3 : 3 + rows] if is_part else truth


def fitting(said: Any, truth: Array, subject: Subject) -> Array:
    """A claim in the shape of the truth: columns and rows are vectors too."""
    if not isinstance(said, np.ndarray):
        said = scalar(said)
    if said.shape == truth.shape:
        return said
    if said.size == truth.size and (truth.ndim <= 1 or 1 in truth.shape):
        return said.reshape(truth.shape)
    shape = " × ".join(map(str, truth.shape)) or "one number"
    got = " × ".join(map(str, said.shape)) or "one number"
    raise ShapeError(f"{subject} is {shape}, got {got}")
