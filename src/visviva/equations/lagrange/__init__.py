"""The equations of a system stated by its energies.

coordinates  SymPy formulas as exact polynomials in symbols, sines and cosines
nodes        Formulas as nodes of a graph, in few operations
singular     Energies that no inertia goes with, and L in place of the kinetic one
terms        The equation of Lagrange, taken apart
constraints  What a constraint of a `Lagrangian` says of velocities and accelerations
passivity    Whether forces without potential can give energy
paper        Formulas on paper: functions compute with names of formulas
half_angle   Linkages solved by the tangent of half an angle
equality     Whether the equations of a system, on a surface, are those of a reduced one
reduction    A system of energies in independent coordinates, and the proof that it is the same
dependence   Which of v and t stand in the parts of the equations of motion
massless     Which coordinates may move without inertia at some state
evaluation   The equations of motion of a `Lagrangian`, over any scalar
"""
