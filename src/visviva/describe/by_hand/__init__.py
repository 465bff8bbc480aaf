"""Mechanisms made in code.

builder  `Builder`: a model by hand, body after body
screws   Serial arms by screws
dh       Serial arms by Denavit–Hartenberg tables, in the two conventions
"""
