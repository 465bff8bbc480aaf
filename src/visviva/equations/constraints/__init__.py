"""What holds a system: rows A v + a₀ = 0 and the forces Aᵀ λ that keep them.

loops         How one frame moves relative to another, and the rows of a closure between them
relations     Formulas of coordinates as rows
rows          The rows of a model's constraints: φ, A, a₀, A v + a₀ and β
pfaffian      The rows of a model's constraints as forms, in SymPy
semidefinite  Matrices that may be singular, factored without pivoting
solver        Multipliers and accelerations of a constrained system at one state
motion        The equations of motion of a system that is held
slopes        Derivatives of constrained motion, through the solve instead of along it
reactions     What joints and loops exert on bodies while forces act
"""
