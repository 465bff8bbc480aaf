"""First: what was said, about what, in which names.

subjects     What a claim may speak about, and how its left side says so
vocabulary   The names that a claim about a system may use
runs         How words were read: m₂l₁r₂ as a product, N m after a formula as its unit, const
statements   Typed text to statements
laws         Forces that are zero or follow a law; equations solved for accelerations
values       Values that statements give to parameters and coordinates
books        What a name is; those of books that need an agreement: c_ijk, J, T_0k
arms         Names of books on robot arms: Craig's B and C, J_v, x_c2, A_2
tip          Claims about the tip of an arm: where it is, how it moves, what holds it
quantities   Quantities of the mechanism in formulas
used         Names that a claim defines and uses, constants of energies
rayleigh     Quantities made of others: Rayleigh's D, Γ of the second kind
claims       From what a user typed to claims
names        How the names of claims are read as those of a system
"""
