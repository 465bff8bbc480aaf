"""Samples of a motion, and what lies between them.

checks     What a trajectory is made of, checked
along      Quantities along a motion: one compiled call for all samples
between    States between samples, on the manifold of positions
forces     The forces on the coordinates between samples
work       The work of each kind of force: powers, integrated
conserved  The momenta that a motion should conserve
singular   Where the rows of constraints become dependent along a motion
"""
