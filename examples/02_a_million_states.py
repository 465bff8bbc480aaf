"""One call for a million states, and the same in two threads."""

import time

import numpy as np

import visviva as vv


def tip(q):
    """Where the tip of a planar arm of three links is, and its angle."""
    angles = np.cumsum(q)
    s, c = vv.generic.sincos(angles)
    lengths = np.array([1.0, 0.8, 0.5])
    return {"position": np.array([lengths @ c, lengths @ s]), "angle": angles[-1]}


f = vv.function(tip, inputs={"q": 3})
q = np.random.default_rng(0).uniform(-np.pi, np.pi, (1_000_000, 3))
f(q)  # compiles

for threads in (1, 2):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        position, angle = f(q, threads=threads)
        times.append(time.perf_counter() - start)
    seconds = min(times)
    print(f"{threads} thread(s): {seconds * 1e3:.1f} ms, {seconds / len(q) * 1e9:.1f} ns a state")

reach = np.linalg.norm(position, axis=1)
print(f"reach: {reach.min():.4f} to {reach.max():.4f} m (can be 0 to 2.3)")
assert reach.max() <= 2.3 + 1e-12
