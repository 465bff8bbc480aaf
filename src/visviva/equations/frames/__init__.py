"""Poses, Jacobians and velocities of frames.

path        The way from the world to a frame
walk        The way to a frame, walked with few multiplications, and how twists look from its ends
kinematics  Poses, Jacobians, velocities and accelerations of frames
"""
