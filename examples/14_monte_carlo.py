"""How far off is the tool if the masses are not what the data sheet says? 100 000 arms, in seconds.

An arm of three joints is moved by PD control with the weights of its data sheet. The true masses
differ by a few percent from arm to arm. All of them move in one call, each with its own masses.

    python examples/14_monte_carlo.py --arms 100000 --threads 2
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
import plotly.graph_objects as go

import visviva as vv

ARM = vv.catalog.planar_3r()
GOAL = np.array([0.9, -0.7, 0.4])
STIFFNESS, DAMPING = np.array([400.0, 250.0, 90.0]), np.array([60.0, 30.0, 9.0])
SPREAD = 0.03  # standard deviation of a mass, relative


def law(t, q, v):
    """PD control, with the weights of the data sheet added."""
    return ARM.gravity_forces(q) - STIFFNESS * (q - GOAL) - DAMPING * v


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--quick", action="store_true", help="a thousand arms")
    parser.add_argument("--out", type=Path, default=Path("monte_carlo"), help="folder")
    options = parser.parse_args()
    count = 1000 if options.quick else options.arms

    random = np.random.default_rng(1)
    sheet = {name: ARM.parameters[name] for name in ("m1", "m2", "m3")}
    masses = {k: m * random.normal(1.0, SPREAD, count) for k, m in sheet.items()}
    control = vv.Controller(law)
    start = np.zeros((count, 3))
    how = {"tau": control, "dt": 2e-3, "save": 1000, "method": "semi-implicit"}
    few = {k: m[:8] for k, m in masses.items()}
    ARM.simulate(start[:8], np.zeros(3), 2.0, parameters=few, **how)  # compiles it
    begin = time.perf_counter()
    run = ARM.simulate(start, np.zeros(3), 2.0, parameters=masses, threads=options.threads, **how)
    seconds = time.perf_counter() - begin
    steps = count * run.statistics["steps"]
    print(f"{count} arms, {steps / 1e6:.1f} million steps in {seconds:.2f} s")

    pose = ARM.pose("tool")
    off = 1000 * np.linalg.norm((pose(run.q[:, -1]) - pose(GOAL))[:, :3, 3], axis=1)
    late = np.quantile(off, 0.99)
    print(f"the tool is off by {off.mean():.2f} mm in the mean, 99 % by less than {late:.2f} mm")
    assert off.mean() < 50

    options.out.mkdir(parents=True, exist_ok=True)
    picture = go.Figure(
        go.Histogram(x=off, xbins={"start": 0, "size": 0.25}, marker_color="#5b3fa0")
    )
    picture.update_layout(
        title=f"{count} arms whose masses are known to {100 * SPREAD:g} %",
        xaxis_title="the tool is off by [mm]", yaxis_title="arms", template="plotly_white",
    )  # fmt: skip
    picture.write_html(options.out / "off.html", include_plotlyjs=True)
    print(f"look at {options.out / 'off.html'}")


if __name__ == "__main__":
    main()
