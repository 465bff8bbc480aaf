"""Balance: a pole on a cart, held upright by a linear regulator.

`linearize` has the linear system about the upright pole and says that it falls; SciPy solves
Riccati's equation for it; the law is then part of the machine code of the nonlinear motion.

    python examples/21_cart_pole_lqr.py
"""

from pathlib import Path

import numpy as np
from plotly.subplots import make_subplots
from scipy.linalg import solve_continuous_are

import visviva as vv

OUT = Path("cart_pole_lqr")
cart = vv.catalog.cart_pole()
upright = np.array([0.0, np.pi])

linear = cart.linearize(upright)
print(linear)
A, B, _, _ = linear.state_space()  # of (x, θ, x', θ') and the force on the cart
P = solve_continuous_are(A, B, np.diag([4.0, 10.0, 1.0, 1.0]), np.eye(1))
gain = (B.T @ P)[0]
closed = np.linalg.eigvals(A - B @ gain[None])
print(f"gains {gain.round(2)}, eigenvalues of the closed loop {np.sort_complex(closed).round(3)}")
assert closed.real.max() < 0


def regulator(t, q, v):
    push = gain[:2] @ (q - upright) + gain[2:] @ v
    return [-push, 0.0]


times = np.linspace(0.0, 8.0, 401)
leaning = [upright + np.array([0.0, lean]) for lean in (0.1, 0.2, 0.3)]
run = cart.simulate(leaning, np.zeros(2), times, tau=regulator)
for k, lean in enumerate((0.1, 0.2, 0.3)):
    one = run[k]
    print(
        f"let go {lean:.1f} rad from upright: after 8 s {one['theta'][-1] - np.pi:8.1e} rad, "
        f"{one['x'][-1]:8.1e} m, largest push {np.abs(one['tau_x']).max():.1f} N"
    )
    assert abs(one["theta"][-1] - np.pi) < 1e-3

# beyond its reach: the law that holds small leans does not catch all of them
fallen = cart.simulate(upright + np.array([0.0, 1.3]), np.zeros(2), times, tau=regulator)
turned = np.abs(fallen["theta"] - np.pi).max() / (2 * np.pi)
print(f"let go 1.3 rad from upright it is not caught: the pole goes round {turned:.1f} times")

OUT.mkdir(exist_ok=True)
picture = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.06)
for k, lean in enumerate((0.1, 0.2, 0.3)):
    look = {"name": f"{lean:g} rad at first", "line": {"color": ("#7b6", "#48a", "#639")[k]}}
    picture.add_scatter(x=run.t, y=run[k]["theta"] - np.pi, row=1, col=1, **look)
    picture.add_scatter(x=run.t, y=run[k]["x"], row=2, col=1, showlegend=False, **look)
picture.update_yaxes(title_text="lean [rad]", row=1, col=1)
picture.update_yaxes(title_text="cart [m]", row=2, col=1)
picture.update_xaxes(title_text="t [s]", row=2, col=1)
picture.update_layout(title="A pole on a cart, held upright", template="plotly_white")
picture.write_html(OUT / "balance.html", include_plotlyjs=True)
print(f"look at {OUT / 'balance.html'}")
