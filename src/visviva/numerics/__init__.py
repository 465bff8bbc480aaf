"""Numerical methods, each written once.

evidence      How well a claim is known, and how premises combine
intervals     Enclosures of a program over boxes, one rule per operation
zeros         All zeros of a function in a box: branch and prune with Krawczyk's operator
newton        One damped Newton or Levenberg method, with one report
rank          Rank, null space and least squares, with one stated tolerance
brackets      A change of sign between two points
continuation  One predictor-corrector along a curve of solutions
"""
