"""Derivatives of motions: by their start, their forces and their parameters.

columns    What a motion is varied by: blocks of columns, by name
course     The steps of a motion, and the states at them
backward   One step backward: what a cost at its end is worth at its beginning
slopes     The right side of a motion with its derivatives
linear     The derivative of one step, stage by stage
manifold   Small changes of positions, as velocities, and those that constraints admit
forward    `sensitivities`: how states change with the start, forces and parameters
costs      Costs of a motion, and their slopes along it
adjoint    `gradient`: how a cost changes with all of them, in one sweep backward
"""
