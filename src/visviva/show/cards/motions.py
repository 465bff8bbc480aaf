"""Trajectories: what moved, over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.show.cards.parts import boxed, chart, line
from visviva.show.scene.start import labelled

_MOST_CURVES = 6  # in one chart


def trajectory_card(run: Any) -> str:
    """What was computed and how, coordinates by their unit, and how well energy was kept."""
    head, *more = str(run).splitlines()
    q = np.asarray(run.q)[0] if run.is_batch else np.asarray(run.q)
    t, s = np.asarray(run.t), run.system
    charts = []
    for unit in dict.fromkeys(s.coordinate_units):
        places = [k for k, x in enumerate(s.coordinate_units) if x == unit]
        names = labelled(s)
        curves = [(names[k], q[:, k]) for k in places[:_MOST_CURVES]]
        left = len(places) - len(curves)
        charts.append(chart(t, curves, unit) + (line(f"and {left} more [{unit}]") if left else ""))
    said = [x.strip() for x in more]
    if run.is_batch:
        said.append("the first of the batch is drawn")
    said.append(".plot() shows energies and more, .animate() plays it")
    return boxed(head, *charts, "".join(map(line, said)))
