"""Mechanisms made in code.

stated   The inertia of a body as people state it beside its mass
builder  `Builder`: a model by hand, body after body
screws   Serial arms by screws
dh       Serial arms by Denavit–Hartenberg tables, in the two conventions
"""
