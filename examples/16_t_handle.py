"""The dancing T-handle: spun about its middle axis in weightlessness, it turns over and over.

Nothing acts on it. The time between two turns is an elliptic integral; the simulation finds the
same, and keeps energy and angular momentum.

    python examples/16_t_handle.py
"""

from pathlib import Path

import numpy as np
import plotly.graph_objects as go
from scipy.special import ellipk

import visviva as vv

OUT = Path("t_handle")
# a bar of 10 cm along x, and a stem of 6 cm along y from its middle: slender rods of steel
bar, stem, long, high = 0.12, 0.07, 0.10, 0.06
centre = stem * high / 2 / (bar + stem)
Ix = bar * centre**2 + stem * (high**2 / 12 + (high / 2 - centre) ** 2)
Iy = bar * long**2 / 12
Iz = Ix + Iy  # it is flat
handle = vv.catalog.tumbling_body(m=bar + stem, Ix=Ix, Iy=Iy, Iz=Iz)
print(f"moments of inertia {1e6 * Ix:.1f}, {1e6 * Iy:.1f}, {1e6 * Iz:.1f} kg mm²")

spin = np.array([0.02, 12.0, 0.05]) if Ix < Iy else np.array([12.0, 0.02, 0.05])
middle = int(np.argmax(spin))
run = handle.simulate(handle.neutral(), spin, 6.0, rtol=1e-11, atol=1e-12)
times = np.linspace(0, 6, 6001)
w = run.at(times)[1][:, middle]
flips = times[1:][np.sign(w[1:]) != np.sign(w[:-1])]
print("it turns over at", ", ".join(f"{t:.3f} s" for t in flips))

# half a period of Jacobi's functions, with I1 < I2 < I3
moments = np.array([Ix, Iy, Iz])
I1, I2, I3 = np.sort(moments)
twice, square = moments @ spin**2, (moments * spin) @ (moments * spin)
if square < twice * I2:
    I1, I3 = I3, I1
rate = np.sqrt((I3 - I2) * (square - twice * I1) / (I1 * I2 * I3))
part = (I2 - I1) * (twice * I3 - square) / ((I3 - I2) * (square - twice * I1))
half = 2 * ellipk(part) / rate
print(f"by the elliptic integral every {half:.4f} s, found {np.diff(flips).mean():.4f} s")
assert abs(np.diff(flips) - half).max() < 2e-3
drift = max(run.account.momentum_drift.values())
print(f"energy changes by {np.ptp(run.energy):.1e} J, momentum by {drift:.1e} kg m²/s")
assert np.ptp(run.energy) < 1e-9

OUT.mkdir(exist_ok=True)
picture = go.Figure()
for k, name in enumerate("xyz"):
    picture.add_scatter(x=times, y=run.at(times)[1][:, k], name=f"ω{name}")
picture.update_layout(
    title="A T-handle, spun about its middle axis", xaxis_title="t [s]", yaxis_title="[rad/s]",
    template="plotly_white",
)  # fmt: skip
picture.write_html(OUT / "turns.html", include_plotlyjs=True)
print(f"look at {OUT / 'turns.html'}")
