"""A name for what a model computes: equal for equal numbers, whatever they were read from."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

SILENT = {"notes", "visuals", "base_visuals", "keyframes", "limits", "name", "error", "checked"}


def digest(model: Any) -> str:
    """Of everything that its equations depend on; names of frames count, because they are asked."""
    total = hashlib.sha256()
    for frame in model.frame_names:
        total.update(frame.encode() + b"\0")
    _add(total, model)
    return total.hexdigest()


def _add(total: Any, x: Any) -> None:
    if is_dataclass(x) and not isinstance(x, type):
        total.update(type(x).__name__.encode())
        for item in fields(x):
            if item.name not in SILENT:
                total.update(item.name.encode())
                _add(total, getattr(x, item.name))
    elif isinstance(x, np.ndarray) and x.dtype != object:
        total.update(repr(x.shape).encode() + x.tobytes())
    elif isinstance(x, (tuple, list, np.ndarray)):
        total.update(b"(")
        for item in x:
            _add(total, item)
        total.update(b")")
    elif hasattr(x, "items"):
        for key, value in x.items():
            total.update(repr(key).encode())
            _add(total, value)
    else:
        total.update(repr(x).encode() + b"\0")
