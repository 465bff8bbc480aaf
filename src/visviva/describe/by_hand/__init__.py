"""Mechanisms made in code.

stated   What is stated of a body: inertia beside a mass, limits, losses, rotations
builder  `Builder`: a model by hand, body after body
screws   Serial arms by screws
dh       Serial arms by Denavit–Hartenberg tables, in the two conventions
"""
