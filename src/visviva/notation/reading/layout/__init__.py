"""What stands around formulas and is none of them; every column is kept for errors to point at.

programs   diff(x(t), t, 2), D[x[t], t]: rates as primes
sentences  M is symmetric, M at q2 = 0, tr M: as formulas
decimals   Decimal commas: 9,81 is 9.81
trimmings  Boxes, colours, arrows, comments, numbers of equations
"""
