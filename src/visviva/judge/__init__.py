"""Exact answers: closed forms, derivations, and verdicts on typed equations.

check/   Verdicts on typed equations
closed/  Closed forms
derive/  Derivations as a person writes them, every line checked
exact/   A system over a ring, and the field in which claims are compared
proofs/  General statements, proved line by line
roads/   The same equations by several roads
"""
