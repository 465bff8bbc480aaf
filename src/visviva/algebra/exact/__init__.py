"""The normal form that decides equality: polynomials in symbols, sines and cosines.

angles      Products of symbols as angles, and their derivatives
growth      How long a SymPy expression becomes when it is multiplied out
factors     Factors of SymPy expressions, by FLINT
minors      Determinants without division, for entries that have none
rationals   Exact numbers, and the exact linear algebra that angles of a ring need
budget      What exact algebra may cost
slopes      Derivatives of SymPy expressions in real symbols
poly        Elements of a ring of trigonometric polynomials, and fractions of them
ring        Rings of trigonometric polynomials
ring_sympy  Elements of a ring as SymPy expressions, term by term, and SymPy back into a ring
positivity  Whether a polynomial is seen to be positive everywhere
substitute  Elements of one ring in another one, with coordinates changed on the way
"""
