"""Numerical methods, each written once.

intervals  Enclosures of a program over boxes, one rule per operation
zeros      All zeros of a function in a box: branch and prune with Krawczyk's operator
brackets   Where a function changes its sign: Chandrupatla's method
bernstein  Polynomials on [0, 1] in Bernstein form, which bounds them
newton     One damped Newton or Levenberg method, with one report
rank       Rank, null space and least squares, with one stated tolerance
evidence   How well a claim is known, and how claims combine
"""
