"""Verdicts on typed equations.

said/       First: what was said, about what, in which names
compare/    Second: claim and truth in one field, decided
mistakes/   Third: why a claim differs
verdict     `Verdict`: what is to be said of a claim, and the terms in which it differs
check       From a typed equation to its verdict
files       Files of claims
"""
