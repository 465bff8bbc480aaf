"""From the ring to the form in which books write.

polynomials  Polynomials as dictionaries, and their factors by FLINT
rationals    Numbers of a textbook form, for SymPy
sums         Sums of products, written short
trig         Sines and cosines of sums of angles
writer       Exact polynomials as a person would print them
"""
