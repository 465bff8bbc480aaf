"""Joints: one class each, one list of questions.

closure  What joins two frames besides the joints of the tree
joint    Joints
axis     Joints about and along axes
free     Joints whose velocities are not the rates of their coordinates
points   Closures that hold a point: at a distance, on a line, on a plane
rolling  Closures that touch: rolling on a plane, a knife edge, a point on a surface
named    Joints and other closures by what they are called, and axes by letter
"""
