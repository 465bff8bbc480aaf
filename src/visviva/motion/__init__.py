"""Motion in time, and what it is worth.

along       Quantities along a motion: one compiled call for all samples
between     States between samples, on the manifold of positions
forces      The forces on the coordinates between samples
trajectory  `Trajectory`: a motion, with names, units and all that is true along it
"""
