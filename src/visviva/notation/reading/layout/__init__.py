"""What stands around formulas and is none of them; every column is kept for errors to point at.

decimals   Decimal commas: 9,81 is 9.81
trimmings  Boxes, colours, arrows, comments, numbers of equations
"""
