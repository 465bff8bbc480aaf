"""Computed torque: an arm that follows a path as if it had no dynamics, and one that does not.

τ = M(q) (a_d + D (v_d - v) + K (q_d - q)) + C v + g is inverse dynamics of a corrected
acceleration. The law is written once, becomes part of the machine code of the motion, and is
asked at all times, or a thousand or a hundred times a second as a computer would.

    python examples/15_computed_torque.py
"""

from pathlib import Path

import numpy as np

import visviva as vv

ARM = vv.catalog.planar_3r()
K, D = 100.0, 20.0  # a double pole at -10 1/s
OUT = Path("computed_torque")


def path(t):
    """Where the joints shall be, how fast and with what acceleration."""
    size, rate = np.array([0.8, -0.5, 0.3]), 2.0
    s, c = vv.generic.sin(rate * t), vv.generic.cos(rate * t)
    return size * s, size * rate * c, -size * rate**2 * s


def computed_torque(t, q, v):
    q_d, v_d, a_d = path(t)
    return ARM.inverse_dynamics(q, v, a_d + D * (v_d - v) + K * (q_d - q))


def only_pd(t, q, v):
    q_d, v_d, _ = path(t)
    return D * (v_d - v) + K * (q_d - q)


laws = {
    "PD alone": vv.Controller(only_pd),
    "computed torque": vv.Controller(computed_torque),
    "… 1000 times a second": vv.Controller(computed_torque, period=1e-3),
    "… 100 times a second": vv.Controller(computed_torque, period=1e-2),
}
start = np.array([0.2, 0.1, -0.1])  # not on the path
worst = {}
for name, law in laws.items():
    run = ARM.simulate(start, np.zeros(3), 3.0, tau=law)
    late = run.t > 2.0
    off = np.abs(run.q[late] - np.array([path(t)[0] for t in run.t[late]])).max()
    worst[name] = off
    closes = "closes" if run.account.closes else "does not close"
    print(f"{name:22} off the path after 2 s by {off:8.1e} rad; its account {closes}")
    if name == "computed torque":
        OUT.mkdir(exist_ok=True)
        run.plot().write_html(OUT / "motion.html", include_plotlyjs=True)
assert worst["computed torque"] < 1e-6 < worst["… 100 times a second"] < worst["PD alone"]
print(f"look at {OUT / 'motion.html'}")
