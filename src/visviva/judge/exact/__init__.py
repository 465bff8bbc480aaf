"""A system over a ring, and the field in which claims are compared.

bases     Which angles a ring is made of, so that given sums of them are whole
model     A model over exact scalars
forms     The terms of the equations of motion as exact polynomials
sums      Formulas that are sums of names: what a sine or cosine can be taken of
field     The exact scalars in which typed formulas are compared
residues  Elements of a field at random points modulo a prime
"""
