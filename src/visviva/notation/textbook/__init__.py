"""From the ring to the form in which books write.

polynomials  Polynomials as dictionaries, their factors by FLINT, and their numbers for SymPy
sums         Sums of products, written short
trig         Sines and cosines of sums of angles
writer       Exact polynomials as a person would print them
"""
