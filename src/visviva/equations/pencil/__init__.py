"""What is done with pencil and paper, in SymPy.

holes         Where a force is not defined, and its circulation around such places
potentials    Which forces have a potential, and the potential of those that have
areas         Energy and co-energy as areas beside the curve of a law
legendre      Energy and co-energy, Legendre's transform, springs, gravity
single_body   One rigid body
theory        What can be said of a Lagrangian at sight
virtual_work  D'Alembert's principle
"""
