"""Straight-line programs: traced, ordered, differentiated, interpreted.

schedule    The order of evaluation
program     Straight-line programs
blocks      Large programs in pieces
interpret   Run a program in Python on any scalar: slow, obvious, the oracle
laws        Conditions of a program: where it changes its law
trace       From a Python function to a program
derivative  How a function is differentiated
products    Products of the derivative with vectors, as programs
"""
