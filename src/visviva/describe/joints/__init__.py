"""Joints: one class each, one list of questions.

joint  Joints
axis   Joints about and along axes
free   Joints whose velocities are not the rates of their coordinates
named  Joints by what they are called, and axes by letter
"""
