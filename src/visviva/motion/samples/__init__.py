"""Samples of a motion, and what lies between them.

checks       What a trajectory is made of, checked
along        Quantities along a motion: one compiled call for all samples
between      States between samples, on the manifold of positions
occurrences  What happened along a motion: times and states of events
pieces       States between samples of motions that jump or end
forces       The forces on the coordinates between samples
actuators    The forces of actuators, where those on the coordinates are known
sending      Trajectories that are copied, or sent to another process
work         The work of each kind of force: powers, integrated
impacts      The energy that events change at once
conserved    The momenta that a motion should conserve
kept         Whether a motion stays on its constraints
singular     Where the rows of constraints become dependent along a motion
"""
