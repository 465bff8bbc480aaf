"""Poses, Jacobians and velocities of frames.

path        The way from the world to a frame
walk        Shifts and turns one after the other, with few multiplications
sight       How the twists of the links on a path look
kinematics  Poses, Jacobians, velocities and accelerations of frames
"""
