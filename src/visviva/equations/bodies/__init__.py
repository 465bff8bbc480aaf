"""Recursions over the tree of bodies.

moments       Mass moments of a body, and how bodies that move push back
factor        M = Lᵀ D L without square roots, from the last row to the first
links         A model as the recursions see it
articulated   The articulated-body algorithm
mass_matrix   The composite-rigid-body algorithm
massless      Which joints may move without inertia at some position
near          Links seen from where their mass is
newton_euler  The recursive Newton–Euler algorithm
regroup       The same mechanism with fewer numbers
transport     What moving bodies carry: momenta, and how their second moments change
"""
