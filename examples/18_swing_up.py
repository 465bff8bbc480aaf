"""Swing-up: a cart shakes its pole until it stands, then balances it.

While the pole hangs, the cart accelerates so that the pole's energy comes to that of standing; near
the top a linear regulator takes over, from the Jacobians of the forward dynamics. Both laws are one
formula, traced into the machine code of the motion.

    python examples/18_swing_up.py [folder]
"""

import json
import sys
from html import escape
from pathlib import Path
from string import Template

import numpy as np
from scipy.linalg import solve_continuous_are

import visviva as vv

OUT = Path(sys.argv[1] if len(sys.argv) > 1 else "swing_up")
cart = vv.catalog.cart_pole()
sin, cos, where, less = vv.generic.sin, vv.generic.cos, vv.generic.where, vv.generic.less
TOP = np.array([0.0, np.pi])

# balance: a linear regulator about the top
still, none = np.zeros(2), np.zeros(2)
Aq, B = (np.asarray(x) for x in cart.forward_dynamics.jacobian("q", "tau")(TOP, still, none))
A = np.block([[np.zeros((2, 2)), np.eye(2)], [Aq, np.zeros((2, 2))]])
b = np.concatenate([np.zeros(2), B[:, 0]])[:, None]
P = solve_continuous_are(A, b, np.diag([1.0, 10.0, 1.0, 1.0]), np.eye(1))
gain = (b.T @ P)[0]
standing = float(cart.potential_energy(TOP))


def law(t, q, v):
    M, bias = cart.mass_matrix(q), cart.inverse_dynamics(q, v, [0.0, 0.0])
    energy = M[1, 1] * v[1] ** 2 / 2 + cart.potential_energy(q)
    shake = 4.0 * (energy - standing) * M[0, 1] * v[1] - 3.0 * q[0] - 2.0 * v[0]
    pole = -(bias[1] + M[0, 1] * shake) / M[1, 1]  # its acceleration then
    push = M[0, 0] * shake + M[0, 1] * pole + bias[0]
    lean = -sin(q[1])  # from the top, whichever way round it came
    hold = -(gain[0] * q[0] + gain[1] * lean + gain[2] * v[0] + gain[3] * v[1])
    slow = less(vv.generic.absolute(v[1]), 3.0)
    return [where(less(cos(q[1]), -0.9) * slow, hold, push), 0.0]


times = np.linspace(0, 15, 601)
run = cart.simulate([0.0, 0.1], [0.0, 0.0], times, tau=vv.Controller(law), rtol=1e-7)
upright = np.cos(run["theta"]) < -0.9
print(run)
print(f"it hung at first (cos θ = {np.cos(run['theta'][0]):.2f}), and stands from "
      f"{run.t[np.flatnonzero(~upright)[-1] + 1]:.1f} s on")  # fmt: skip
print(f"at last cos θ = {np.cos(run['theta'][-1]):.6f}, x = {run['x'][-1]:.4f} m, "
      f"largest push {np.abs(run['tau_x']).max():.1f} N")  # fmt: skip
assert np.cos(run["theta"][-1]) < -0.9999

account = str(run.account)
print(account)

# a page of its own: the motion, the energy, and where it came from
energy = run.energy - run.energy[0]
shown = run.t <= 10.0
frames = np.stack([run.t, run["x"], run["theta"], run["tau_x"], energy])[:, shown]
facts = f"stands from {run.t[np.flatnonzero(~upright)[-1] + 1]:.1f} s on"
page = Template((Path(__file__).parent / "pages" / "swing_up.html").read_text(encoding="utf-8"))
OUT.mkdir(parents=True, exist_ok=True)
written = page.substitute(
    frames=json.dumps(frames.round(4).tolist()), facts=facts, account=escape(account)
)
(OUT / "swing_up.html").write_text(written, encoding="utf-8")
print(f"look at {OUT / 'swing_up.html'}")
