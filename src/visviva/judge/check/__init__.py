"""Verdicts on typed equations.

said/       First: what was said, about what, in which names
compare/    Second: claim and truth in one field, decided
mistakes/   Third: why a claim differs
candidates  Letters that stand for several things in the books
rounding    Claims that are right but for their decimals
verdict     `Verdict`: what is to be said of a claim
check       From a typed equation to its verdict
files       Files of claims
"""
