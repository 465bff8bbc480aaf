"""The normal form that decides equality: polynomials in symbols, sines and cosines.

growth      How long a SymPy expression becomes when it is multiplied out
minors      Determinants without division, for entries that have none
rationals   Exact numbers, and the exact linear algebra that angles of a ring need
budget      What exact algebra may cost
ring        The generators of a ring of trigonometric polynomials
slopes      Derivatives of SymPy expressions in real symbols
turns       Sine and cosine of a sum of angles in a ring that knows those of its base angles
poly        Exact polynomials in symbols, sines and cosines
expanded    Elements of a ring as SymPy expressions, term by term
ring_sympy  From SymPy back into a ring
substitute  Elements of one ring in another one, with coordinates changed on the way
"""
