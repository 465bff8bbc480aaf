"""Numerical methods, each written once.

intervals  Enclosures of a program over boxes, one rule per operation
zeros      All zeros of a function in a box: branch and prune with Krawczyk's operator
newton     One damped Newton or Levenberg method, with one report
rank       Rank, null space and least squares, with one stated tolerance
evidence   How well a claim is known, and how claims combine
"""
