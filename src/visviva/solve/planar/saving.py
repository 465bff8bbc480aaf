"""Sweeps of linkages as files: tables as CSV, pictures as SVG or HTML, paths as DXF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError, path_of


def save_sweep(
    sweep: Any, path: Any, head: Sequence[str], columns: Sequence[Array], line: Any
) -> None:
    """What the suffix of a path says: columns (N, …) under their head, the plot, or a line."""
    file = path_of("save", path)
    suffix = file.suffix.lower()
    if suffix == ".csv":
        table = np.column_stack(columns)
        rows = [",".join(head), *(",".join(repr(float(x)) for x in row) for row in table)]
        file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    elif suffix in (".svg", ".html", ".htm"):
        sweep.plot().save(file)
    elif suffix == ".dxf" and line is not None:
        file.write_text(_dxf(line), encoding="ascii")
    else:
        known = ".csv, .svg, .html" + (", .dxf" if line is not None else "")
        raise ArgumentError(f"{type(sweep).__name__}.save: one of {known}, got {str(path)!r}")


def _dxf(points: Array) -> str:
    """A polyline in the plane or in space, in metres, as drawing programs read it (R12)."""
    at = np.pad(np.asarray(points, dtype=float), ((0, 0), (0, 3 - np.shape(points)[1])))
    start = {"0": "POLYLINE", "8": "path", "66": "1", "70": "8", "10": "0", "20": "0", "30": "0"}
    parts = [{"0": "SECTION", "2": "ENTITIES"}, start]
    for x, y, z in at.tolist():
        where = {"10": repr(x), "20": repr(y), "30": repr(z)}
        parts.append({"0": "VERTEX", "8": "path", **where, "70": "32"})
    parts += [{"0": "SEQEND", "8": "path"}, {"0": "ENDSEC"}, {"0": "EOF"}]
    return "".join(f"{code}\n{value}\n" for part in parts for code, value in part.items())
