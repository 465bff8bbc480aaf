"""A sleigh on a knife edge: nothing brakes it, and yet it ends up running straight.

The runner does not slip sideways, a constraint on velocities that no position expresses. Energy is
kept, but the turning of the sleigh dies out: what cannot happen to a system without constraints.

    python examples/17_chaplygin_sleigh.py
"""

from pathlib import Path

import numpy as np
import plotly.graph_objects as go

import visviva as vv

OUT = Path("chaplygin_sleigh")
sleigh = vv.catalog.chaplygin_sleigh()
print(sleigh.constraints.classify())

q = np.zeros(3)
turns = (-1.0, -3.0, -8.0)
starts = [sleigh.admitted_velocity(q, [-0.8, 0.0, w]) for w in turns]  # runner first
run = sleigh.simulate(np.zeros((3, 3)), starts, np.linspace(0, 12, 601))
for k, w in enumerate(turns):
    one = run[k]
    along = one["x'"] * np.cos(one["theta"]) + one["y'"] * np.sin(one["theta"])
    print(
        f"turning at {w:4.1f} rad/s: speed along the runner {along[0]:6.3f} → {along[-1]:.3f} m/s, "
        f"turning {one['theta' + chr(39)][-1]:.1e} rad/s, energy kept to {np.ptp(one.energy):.1e} J"
    )
    assert abs(one["theta'"][-1]) < 1e-3
    assert np.ptp(one.energy) < 1e-8
slip = run["x'"] * np.sin(run["theta"]) - run["y'"] * np.cos(run["theta"])
print(f"sideways it never moves faster than {np.abs(slip).max():.1e} m/s")
assert np.abs(slip).max() < 1e-12

OUT.mkdir(exist_ok=True)
picture = go.Figure()
for k, w in enumerate(turns):
    early = run.t < 4.0
    picture.add_scatter(x=run[k]["x"][early], y=run[k]["y"][early], name=f"{w:g} rad/s at first")
picture.update_layout(
    title="Paths of a sleigh on a knife edge", xaxis_title="x [m]", yaxis_title="y [m]",
    template="plotly_white",
)  # fmt: skip
picture.update_yaxes(scaleanchor="x")
picture.write_html(OUT / "paths.html", include_plotlyjs=True)
print(f"look at {OUT / 'paths.html'}")
