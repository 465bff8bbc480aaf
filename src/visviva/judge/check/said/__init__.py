"""First: what was said, about what, in which names.

subjects     What a claim may speak about, and how its left side says so
vocabulary   The names that a claim about a system may use
statements   Typed text to statements
tip          Claims about the tip of an arm: where it is, how it moves, what holds it
claims       From what a user typed to claims
names        How the names of claims are read as those of a system
"""
