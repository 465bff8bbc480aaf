"""A system stated by T, V, D and Q.

admitted      Which SymPy expressions can be an energy or a force
energy_verbs  What can be asked of a system that is stated by its energies
hints         What may have been meant where a typed energy cannot be read
formulas      What a user may write for an energy, and the plain symbols it becomes
loads         Forces at points and torques on bodies, as a Lagrangian takes them
lagrangian    `Lagrangian`: the system, frozen
"""
