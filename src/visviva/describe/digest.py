"""A name for what a model computes: equal for equal numbers, whatever they were read from."""

from __future__ import annotations

import hashlib
import inspect
import time
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from visviva.algebra.expr import Expr, reachable

OURS = "visviva."
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
        total.update(_kind(type(x)).encode())
        for item in fields(x):
            if item.name not in SILENT:
                total.update(item.name.encode())
                _add(total, getattr(x, item.name))
    elif isinstance(x, Expr):
        nodes = reachable([x])
        place = {node: k for k, node in enumerate(nodes)}
        for node in nodes:
            entry = (node.op, [place[a] for a in node.args], node.value)
            total.update(repr(entry).encode())
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


def _kind(kind: type) -> str:
    """A class by name; one that is not ours, by its text as well."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    if name.startswith(OURS):
        return name
    try:
        return name + inspect.getsource(kind)
    except (OSError, TypeError):  # typed in: nobody can tell whether it changed
        return f"{name} {id(kind)} {time.time_ns()}"
