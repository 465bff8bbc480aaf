"""Joints: one class each, one list of questions.

joint  Joints
free   Joints whose velocities are not the rates of their coordinates
"""
