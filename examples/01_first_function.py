"""From a Python function to machine code, and what can be asked of it."""

import numpy as np

import visviva as vv


def distance(p, r):
    """Of a point from a circle of radius r around the z axis."""
    return vv.generic.sqrt((vv.generic.sqrt(p[0] ** 2 + p[1] ** 2) - r) ** 2 + p[2] ** 2)


f = vv.function(distance, inputs={"p": 3, "r": ()})
print(f)

print("one point:      ", f([2.0, 0.0, 0.0], 1.0))
print("three points:   ", f(np.eye(3), 1.0))
print("two radii each: ", f(np.eye(3)[:, None], [0.5, 2.0]).tolist())

gradient = f.jacobian("p")
print("gradient:       ", gradient([2.0, 1.0, 0.5], 1.0))
print("compiled in     ", f"{gradient.compile_seconds:.3f} s:", gradient.operations)
