"""Poses, Jacobians and velocities of frames.

path        The way from the world to a frame
walk        The way to a frame, walked with few multiplications, and how twists look from its ends
kinematics  Poses, Jacobians, velocities and accelerations of frames
middle      The Jacobian of a pose as it is seen from a link in the middle, where it is shortest
skeleton    An arm as a line
chain       `SerialChain`: the way to a frame as screws at q = 0
parts       Parts of a pose that a task can be made of: coordinates, angles, axes
tasks       Tasks: what of a frame's pose matters, in which coordinates, and how these change
"""
