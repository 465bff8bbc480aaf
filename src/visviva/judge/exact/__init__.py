"""A system over a ring: what is exactly true of it, and the field in which claims are compared.

model         A model over exact scalars
sums          Formulas that are sums of names: what a sine or cosine can be taken of
field         The exact scalars in which typed formulas are compared
elements      Quantities as elements of a field, and elements as SymPy expressions
residues      Elements of a field at random points modulo a prime
cramer        Systems that are held, solved over fractions
held          What is exactly true of a system that is held
forms         What is exactly true of a system: one attribute for every exact row of the table
zeros         Where a factor may be zero
arms          Matrices of textbooks on robot arms that are no rows of the table
model_forms   The exact forms of a model
energy_forms  The exact forms of a system that is stated by its energies
as_energies   A model's energies as formulas: the Lagrangian with the same equations of motion
systems       The one place that asks what kind of system it is
"""
