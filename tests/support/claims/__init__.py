"""Claims about mechanisms, and whether they hold by other roads.

systems             mechanisms, what may be claimed of them, and formulas at fifty digits
texts               formulas written as people write them: plain, Unicode, LaTeX
edits               other forms of a formula that are the same function, and edits that are not
forms               equations as they may be written: solved, scaled, with definitions
draw                claims, right and wrong ones, drawn at random
mistakes            known mistakes, made by hand in Lagrange's derivation
structural_systems  thirteen mechanisms and their equations by SymPy alone
structural          claims made of whole equations: sums, multiples, solved ones
hostile             random and hostile texts, and a process with little memory to read them in
"""
