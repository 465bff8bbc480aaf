"""What people read and write: one tree of formulas, its readers and its writers.

reading/     From typed text to the tree: equations as people write them
textbook/    From the ring to the form in which books write
writing/     From results to LaTeX, MathML, plain text and source
names        Names: what is one in a text, how rates are called, and how a name is printed
identifiers  Names of people as names of a program
tree         The tree of a typed formula
evaluate     A typed formula: its tree, and its value over any scalar
shapes       Which formulas are numbers, vectors, matrices, and whether these fit
formula      Typed formulas as nodes of a graph
typed        Expressions as texts that are read back to the same nodes
tree_sympy   SymPy expressions as trees of formulas, and trees as SymPy expressions
"""
