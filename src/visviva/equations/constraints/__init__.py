"""What holds a system: rows A v + a₀ = 0 and the forces Aᵀ λ that keep them.

semidefinite  Matrices that may be singular, factored without pivoting
held          A system at a position, held by rows
motion        The equations of motion of a system that is held
"""
