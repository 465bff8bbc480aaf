"""A system stated by T, V, D and Q.

admitted      Which SymPy expressions can be an energy or a force
notes         The notes: what was stated, and what is found out when they are asked for
formulas      What a user may write for an energy, and the plain symbols it becomes
normal_form   SymPy formulas as exact polynomials in symbols, sines and cosines, where they are such
constraints   What a user may write for a constraint of energies
picture       What a picture of energies shows: points, lines, simple solids, and where it starts
carrying      A system of energies in other coordinates: L is carried over, forces by their work
loads         Forces at points and torques on bodies, as a Lagrangian takes them
lagrangian    `Lagrangian`: the system, frozen
"""
