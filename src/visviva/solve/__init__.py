"""Positions that were looked for: mechanisms put together, and what can move in them.

elimination/  All solutions of polynomial systems: general 6R arms, Stewart platforms
numeric/      Joint positions by Newton's method from many starts, certified
rates/        Joint rates for velocities, paths followed, motions of redundant arms
inverse/      Inverse kinematics: all joint positions for a pose
singular/     Where an arm loses a direction, and where it reaches
planar/       Plane linkages: instant centres, coupler curves, transmission, drives, dead points
statics/      Forces at rest: torques, internal forces, free bodies
rows          The rows about positions of a system, as numbers
assembly      A position on the constraints from a rough guess; velocities and states there
balls         Numbers with a proved bound of their error, as scalars of programs
certificate   What is certain of rows near a position: that they hold somewhere, and their rank
modes         All ways in which a mechanism can be put together
counting      What Grübler counts
following     Along the motions that constraints admit
tracking      Along an input, without leaving the branch
lines         Motions that are straight lines in the coordinates, proved by putting them in
orders        Whether a motion of first order goes on to a higher one
idle          Freedoms that move nothing else
mobility      `Mobility`: in how many ways a mechanism moves, and how sure that is
"""
